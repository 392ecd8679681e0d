# A header that vcpkg's own ports lack.
vcpkg_from_github(
  OUT_SOURCE_PATH SOURCE_PATH
  REPO jk-jeon/dragonbox
  REF 1.1.3
  SHA512 41ac356ebced3312c0f9ea0f07ff372337ab78af69071f63f63dc12bd2b0088d5d89aae3792276599dd0393bfdfd2b979946c43d36042e43105080bcdcbe089d
)
set(VCPKG_BUILD_TYPE release)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DDRAGONBOX_INSTALL_TO_CHARS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/dragonbox-1.1.3)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE-Apache2-LLVM" "${SOURCE_PATH}/LICENSE-Boost")
