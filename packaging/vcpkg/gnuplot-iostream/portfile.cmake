# A header that vcpkg's own ports lack. It has no releases. Its licence stands at its top.
vcpkg_from_git(
  OUT_SOURCE_PATH SOURCE_PATH
  URL https://github.com/dstahlke/gnuplot-iostream.git
  REF d674bdf23b93c76d491f03246d2e6f72bf5739ce
)
file(INSTALL "${SOURCE_PATH}/gnuplot-iostream.h" DESTINATION "${CURRENT_PACKAGES_DIR}/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/gnuplot-iostream.h")
