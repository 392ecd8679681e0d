# The sources have no public place yet. The port is made of the source archive that scripts/package leaves in build/dist, or
# of the one that the variable SCALELAW_ARCHIVE names. An archive cannot hold its own hash; a release with a place is taken
# by vcpkg_download_distfile with its URL and SHA512.
set(archive "${CURRENT_PORT_DIR}/../../../build/dist/scalelaw-${VERSION}.tar.gz")
if(DEFINED ENV{SCALELAW_ARCHIVE})
  set(archive "$ENV{SCALELAW_ARCHIVE}")
endif()
if(NOT EXISTS "${archive}")
  message(FATAL_ERROR "There is no source archive ${archive}: scripts/package makes it, and SCALELAW_ARCHIVE names another")
endif()
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")

# No MPI: it is loaded from the folder of the library, which vcpkg keeps elsewhere than the command.
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
    -DSCALELAW_BUILD_TESTS=OFF
    -DSCALELAW_MPI=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/scalelaw)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES scalelaw AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
