# `cpack` makes a Debian package of what is installed: cmake --preset package, or scripts/package, which adds the source
# archive and their checksums. SOURCE_DATE_EPOCH, where it is set, stands in for the clock: the same commit gives the
# same bytes.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME scalelaw)
set(CPACK_PACKAGE_VENDOR "The scalelaw developers")
set(CPACK_PACKAGE_CONTACT "The scalelaw developers <scalelaw@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Fits t = alpha N^-beta and other laws to tables of runs, with standard errors,
 forecasts and their intervals, energy and power caps, regression gates for CI,
 and reads the GPU telemetry that such tables are made of.
 .
 The package holds the command with its manual page and completions, the C++
 library with its headers, and the demo study.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
# What a program that links the static library needs besides.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libfmt-dev, libisal-dev, libzstd-dev, libxxhash-dev, libsqlite3-dev, libyaml-dev, pkg-config, cmake")
include(CPack)
