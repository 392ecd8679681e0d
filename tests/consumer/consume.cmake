# Installs scalelaw from its build folder into a fresh prefix, builds tests/consumer against it twice, through
# find_package and through pkg-config, and runs both programs.
#   cmake -D SOURCE=... -D BUILD=... -D COMPILER=... -D FLAGS=... -P consume.cmake

set(scratch ${BUILD}/consumer)
set(prefix ${scratch}/prefix)
file(REMOVE_RECURSE ${scratch})

function(run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what}: ${status}\n${out}\n${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run("install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(file IN ITEMS include/scalelaw/scalelaw.hpp include/scalelaw/version.hpp)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

# Every installed header compiles alone, and all headers that it includes are installed.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/scalelaw/*.hpp)
set(each "")
cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)
foreach(header IN LISTS headers)
  file(STRINGS ${prefix}/include/${header} includes REGEX "^#include \"")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included "${line}")
    if(NOT EXISTS ${prefix}/include/${included})
      message(FATAL_ERROR "${header} includes ${included}, which is not installed")
    endif()
  endforeach()
  string(MAKE_C_IDENTIFIER ${header} name)
  file(WRITE ${scratch}/headers/${name}.cpp "#include \"${header}\"\n")
  string(APPEND each "${scratch}/headers/${name}.cpp\n")
endforeach()
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
file(WRITE ${scratch}/headers/each "${each}")
run("compile each header alone" xargs -d "\\n" -a ${scratch}/headers/each -n 8 -P ${jobs}
    ${COMPILER} -std=c++20 -fsyntax-only ${flags} -I${prefix}/include)

run("configure with find_package" ${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/consumer -B ${scratch}/build
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run("build with find_package" ${CMAKE_COMMAND} --build ${scratch}/build)
run("run the program of find_package" ${scratch}/build/consumer)
set(of_find_package "${out}")

file(GLOB_RECURSE pc ${prefix}/scalelaw.pc)
get_filename_component(pc_folder ${pc} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${pc_folder}:$ENV{PKG_CONFIG_PATH})
run("pkg-config" pkg-config --cflags --libs scalelaw)
separate_arguments(pc_flags UNIX_COMMAND "${out}")
run("build with pkg-config" ${COMPILER} -std=c++20 ${flags} tests/consumer/main.cpp -o ${scratch}/with-pkg-config ${pc_flags}
    -Wl,-rpath,${pc_folder}/..)
run("run the program of pkg-config" ${scratch}/with-pkg-config)
if(NOT out STREQUAL of_find_package OR NOT out MATCHES "BERT: 0[0-9.]+, R2 0\\.")
  message(FATAL_ERROR "the two programs print\n${of_find_package}and\n${out}")
endif()
message("${out}")
