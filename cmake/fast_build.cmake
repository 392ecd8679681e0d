# What makes a build short; nothing here changes what is built.

# Where ccache is installed it answers for what was compiled before. It takes precompiled headers only if it is told that
# __TIME__ and the macros of the header need not be looked at; what the user allows it in general stays. A launcher that
# is given (CMAKE_CXX_COMPILER_LAUNCHER) stays, too, and a project that contains this one decides for itself.
if(PROJECT_IS_TOP_LEVEL)
  find_program(SCALELAW_CCACHE ccache)
  mark_as_advanced(SCALELAW_CCACHE)
  if(SCALELAW_CCACHE)
    execute_process(COMMAND ${SCALELAW_CCACHE} --get-config sloppiness OUTPUT_VARIABLE sloppiness ERROR_QUIET)
    string(REGEX MATCHALL "[a-z_]+" sloppiness "${sloppiness};pch_defines;time_macros")
    list(REMOVE_DUPLICATES sloppiness)
    list(JOIN sloppiness "," sloppiness)
    foreach(language IN ITEMS C CXX)
      if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
        set(CMAKE_${language}_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=${sloppiness} ${SCALELAW_CCACHE})
      endif()
    endforeach()
  endif()
endif()

# The headers that nearly every source parses. Each one more makes the precompiled header larger, and every source pays for
# its size: <filesystem>, <chrono> and headers of our own were tried and cost more than they saved. Sources include
# what they use all the same: CMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
set(SCALELAW_COMMON_HEADERS <fmt/format.h> <algorithm> <array> <cmath> <cstddef> <cstdint> <functional> <limits> <map> <memory>
                            <optional> <span> <string> <string_view> <utility> <variant> <vector>)

# precompile_headers(TARGET [headers of its own]) or precompile_headers(TARGET REUSE_FROM OTHER)
function(precompile_headers target)
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${SCALELAW_COMMON_HEADERS} ${ARGN})
  endif()
  # What ccache needs to know which header it was.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()

# GCC cleans up its memory at 128 MB by default, several times per source. At 512 MB it rarely does, which saves a twelfth of the
# time.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1572864>")

# In release builds -O3 of CMake is for what computes. The compiler takes a third less time at -Og, and what only puts
# sentences, figures and options together is not faster at -O3. Tests compile in 40 % of the time under sanitizers at -O0.
# Later flags win over CMake's own.
function(optimise_target target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:${level}>)
endfunction()

# compile_together(TARGET NUMBER SOURCES...): so many sources of a folder are compiled as one, which pays once for the
# precompiled header and for the templates that they share. Names in unnamed namespaces must differ inside a folder.
# Sources with options of their own stay apart. Without precompiled headers, and under clang-tidy, each source stands alone.
function(compile_together target number)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS OR CMAKE_CXX_CLANG_TIDY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source ${ARGN})
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    math(EXPR count_${folder} "0${count_${folder}} + 1")
    math(EXPR group "${count_${folder}} / ${number}")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP "${folder}_${group}")
  endforeach()
endfunction()
