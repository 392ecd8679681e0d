# The library with its headers, find_package and pkg-config files; the command with its completions and manual page;
# the demo study and the documents.
include(CMakePackageConfigHelpers)

install(TARGETS scalelaw EXPORT scalelaw_targets)
# Figures and reports are the command's alone: what draws them is not in the library.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/scalelaw ${PROJECT_BINARY_DIR}/include/scalelaw
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*figure.hpp" EXCLUDE PATTERN "*figures.hpp" EXCLUDE PATTERN report.hpp EXCLUDE)

set(SCALELAW_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/scalelaw)
install(EXPORT scalelaw_targets FILE scalelawTargets.cmake NAMESPACE scalelaw:: DESTINATION ${SCALELAW_PACKAGE_DIR})
get_target_property(SCALELAW_LIBRARY_TYPE scalelaw TYPE)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/scalelawConfig.cmake.in scalelawConfig.cmake
                              INSTALL_DESTINATION ${SCALELAW_PACKAGE_DIR})
# Before 1.0 a minor version may break.
write_basic_package_version_file(scalelawConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scalelawConfig.cmake ${PROJECT_BINARY_DIR}/scalelawConfigVersion.cmake
        DESTINATION ${SCALELAW_PACKAGE_DIR})

# A shared library brings what it needs; a static one leaves it to the program.
if(SCALELAW_LIBRARY_TYPE STREQUAL "STATIC_LIBRARY")
  set(SCALELAW_PC_REQUIRES "Requires: fmt, ${SCALELAW_INFLATER}, libzstd, libxxhash, sqlite3, yaml-0.1")
else()
  set(SCALELAW_PC_REQUIRES "Requires.private: fmt, ${SCALELAW_INFLATER}, libzstd, libxxhash, sqlite3, yaml-0.1")
endif()
# The prefix as seen from the file, so that an installed tree can be moved.
file(RELATIVE_PATH SCALELAW_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" SCALELAW_PC_PREFIX "${SCALELAW_PC_PREFIX}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/scalelaw.pc.in scalelaw.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/scalelaw.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET scalelaw_app)
  if(SCALELAW_LIBRARY_TYPE STREQUAL "SHARED_LIBRARY")
    file(RELATIVE_PATH SCALELAW_LIBRARY_FROM_BIN /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
    set_target_properties(scalelaw_app PROPERTIES INSTALL_RPATH "$ORIGIN/${SCALELAW_LIBRARY_FROM_BIN}")
  endif()
  install(TARGETS scalelaw_app)

  if(NOT CMAKE_CROSSCOMPILING)
    set(SCALELAW_COMPLETIONS)
    foreach(shell IN ITEMS bash zsh fish)
      set(file ${PROJECT_BINARY_DIR}/completions/scalelaw.${shell})
      add_custom_command(OUTPUT ${file} COMMAND scalelaw_app completion ${shell} > ${file} DEPENDS scalelaw_app
                         COMMENT "Completion for ${shell}" VERBATIM)
      list(APPEND SCALELAW_COMPLETIONS ${file})
    endforeach()
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completions)
    add_custom_target(scalelaw_completions ALL DEPENDS ${SCALELAW_COMPLETIONS})
    install(FILES ${PROJECT_BINARY_DIR}/completions/scalelaw.bash RENAME scalelaw
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${PROJECT_BINARY_DIR}/completions/scalelaw.zsh RENAME _scalelaw
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${PROJECT_BINARY_DIR}/completions/scalelaw.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/docs/scalelaw.1)
    install(FILES ${PROJECT_SOURCE_DIR}/docs/scalelaw.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()

if(TARGET scalelaw_mpi)
  install(TARGETS scalelaw_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/scalelaw)
endif()

install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.csv")
install(DIRECTORY data/demo data/published DESTINATION ${CMAKE_INSTALL_DOCDIR}/data)
install(FILES cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

include(cmake/package.cmake)
