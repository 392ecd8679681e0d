# bin/scalelaw-portable: the same command as one static file that needs no library and no loader, for any x86-64 Linux
# with kernel 3.2 or later. It is a second link of the same objects, so that it costs a build some seconds. It inflates gzip by zlib
# and has no MPI: Debian has no static library of ISA-L, and MPI is loaded from the cluster where a command runs.
# Made where the static libraries are found, and not in builds of another kind.
get_target_property(SCALELAW_LIBRARY_TYPE scalelaw TYPE)
if(SCALELAW_SANITIZE OR NOT SCALELAW_LIBRARY_TYPE STREQUAL "STATIC_LIBRARY" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   OR NOT fmt_VERSION VERSION_GREATER_EQUAL 9 OR NOT fmt_VERSION VERSION_LESS 10)
  return()
endif()
set(SCALELAW_STATIC_LIBRARIES)
foreach(name IN ITEMS boost_iostreams boost_filesystem sqlite3 zstd xxhash yaml z)
  find_library(SCALELAW_STATIC_${name} lib${name}.a)
  mark_as_advanced(SCALELAW_STATIC_${name})
  if(NOT SCALELAW_STATIC_${name})
    message(STATUS "No static command: no lib${name}.a")
    return()
  endif()
  list(APPEND SCALELAW_STATIC_LIBRARIES ${SCALELAW_STATIC_${name}})
endforeach()

# The first objects win over those of the same functions in the library.
add_executable(scalelaw_portable $<TARGET_OBJECTS:scalelaw_app> src/input/gzip/zlib.cpp src/cluster/mpi/none.cpp
                                 cmake/portable/fmt.cpp cmake/portable/missing.cpp)
set_target_properties(scalelaw_portable PROPERTIES OUTPUT_NAME scalelaw-portable RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
target_compile_features(scalelaw_portable PRIVATE cxx_std_20)
target_include_directories(scalelaw_portable PRIVATE include src ${PROJECT_BINARY_DIR}/include)
target_compile_options(scalelaw_portable PRIVATE -fPIE)
target_link_options(scalelaw_portable PRIVATE -static-pie -Wl,--wrap=dlopen,--wrap=dlsym,--wrap=dlclose,--wrap=dlerror)
add_dependencies(scalelaw_portable scalelaw_app)
target_link_libraries(scalelaw_portable PRIVATE $<TARGET_FILE:scalelaw_figure> $<TARGET_FILE:scalelaw_report> $<TARGET_FILE:scalelaw>
                      ${SCALELAW_STATIC_LIBRARIES})
