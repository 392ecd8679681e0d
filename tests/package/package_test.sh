#!/usr/bin/env bash
# Tests the Debian package of a build: package_test.sh BUILD SOURCE. Exits with 77 if this machine cannot make one.
set -euo pipefail
build=$1 source=$2
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
  command -v "$tool" > /dev/null || { echo "skipped: no $tool here"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$*" >&2; exit 1; }

export SOURCE_DATE_EPOCH=1700000000
for turn in first second; do
  cpack --config "$build/CPackConfig.cmake" -B "$scratch/$turn" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
done
cmp "$scratch"/first/*.deb "$scratch"/second/*.deb || fail "the same build gave two packages"
deb=$(echo "$scratch"/first/*.deb)

dpkg-deb --field "$deb" Package Architecture Depends Recommends Section
[ "$(dpkg-deb --field "$deb" Package)" = scalelaw ] || fail "the package has another name"
dpkg-deb --field "$deb" Depends | grep -q 'libc6 (>= ' || fail "the package does not name the libraries it needs"
dpkg-deb --field "$deb" Recommends | grep -q gnuplot || fail "the package does not recommend gnuplot"

dpkg-deb --extract "$deb" "$scratch/root"
cd "$scratch/root/usr"
for file in bin/scalelaw include/scalelaw/scalelaw.hpp include/scalelaw/version.hpp share/man/man1/scalelaw.1 \
  share/bash-completion/completions/scalelaw share/zsh/site-functions/_scalelaw \
  share/fish/vendor_completions.d/scalelaw.fish share/doc/scalelaw/copyright share/doc/scalelaw/README.md; do
  [ -s "$file" ] || fail "not in the package: $file"
done
python3 "$source/tests/package/hardening_test.py" . || fail "what is packed is not hardened"
[ -n "$(find . -name 'libscalelaw.*')" ] || fail "the library is not in the package"
[ -n "$(find . -name scalelawConfig.cmake)" ] || fail "the package has nothing for find_package"
grep -rIl -- "$source" include lib* share && fail "these files name the folder of the sources"

./bin/scalelaw fit share/doc/scalelaw/data/demo/runs.csv > "$scratch/packed"
(cd "$source" && "$build/bin/scalelaw" fit data/demo/runs.csv) > "$scratch/built"
tail -n 5 "$scratch/packed"
cmp "$scratch/packed" "$scratch/built" || fail "the packed command prints something else"
