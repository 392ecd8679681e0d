#!/usr/bin/env bash
# Builds scalelaw for meta.yaml beside this file. It has no MPI, because MPI has to be that of the cluster.
set -euo pipefail

# Headers that conda-forge lacks stay out of the package.
cmake -S dragonbox -B build-dragonbox -G Ninja -DCMAKE_INSTALL_PREFIX="$SRC_DIR/headers" -DCMAKE_INSTALL_LIBDIR=lib \
  -DDRAGONBOX_INSTALL_TO_CHARS=OFF
cmake --build build-dragonbox
cmake --install build-dragonbox

# Conda's flags let CMake search $PREFIX alone, so these headers are named. CMAKE_ARGS is a list of words.
cmake -S . -B build -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -Ddragonbox_DIR="$SRC_DIR/headers/lib/cmake/dragonbox-1.1.3" \
  -DGNUPLOT_IOSTREAM_INCLUDE_DIR="$SRC_DIR/gnuplot-iostream" -DSCALELAW_BUILD_TESTS=OFF -DSCALELAW_MPI=OFF
cmake --build build --parallel "${CPU_COUNT:-2}"
cmake --install build
