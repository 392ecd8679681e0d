#!/usr/bin/env bash
# Tests the static command in a root that holds nothing else: portable_test.sh BUILD SOURCE. Exits with 77 if this machine
# makes none or lets nobody enter another root.
set -euo pipefail
build=$1 source=$2
portable=$build/bin/scalelaw-portable
[ -x "$portable" ] || { echo "skipped: this build has no static command"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$*" >&2; exit 1; }

readelf --program-headers "$portable" | grep -q INTERP && fail "the static command asks for a loader"
readelf --dynamic "$portable" | grep -q NEEDED && fail "the static command asks for libraries"

root=$scratch/root
mkdir -p "$root/tmp"
cp "$portable" "$root/scalelaw"
cp "$source/data/demo/runs.csv" "$root"
gzip -k "$root/runs.csv"
if [ "$(id -u)" = 0 ]; then enter=(chroot "$root"); else enter=(unshare --map-root-user chroot "$root"); fi
"${enter[@]}" /scalelaw version > /dev/null || { echo "skipped: nobody may enter another root here"; exit 77; }

# Each call gives in the bare root what the common command gives.
cp -r "$root" "$scratch/here"
cd "$scratch/here"
same() {
  local status=0 status_here=0
  "${enter[@]}" /scalelaw "$@" > "$scratch/bare.out" 2> "$scratch/bare.err" || status=$?
  PATH= "$build/bin/scalelaw" "$@" > "$scratch/here.out" 2> "$scratch/here.err" || status_here=$?
  echo "$* -> $status"
  [ $status = $status_here ] || { cat "$scratch/bare.err"; fail "the common command ends with $status_here"; }
  cmp "$scratch/bare.out" "$scratch/here.out" || fail "standard output differs"
  cmp "$scratch/bare.err" "$scratch/here.err" || fail "messages differ"
}
same look runs.csv
same fit runs.csv
same fit runs.csv.gz --format json
same predict runs.csv --at 512
same generate --traces traces --seed 1 --quiet
same ingest traces --quiet --jobs traces/jobs.csv --store study.db -o table.csv
same store export study.db
same fit study.db
same report runs.csv -o report
same plot scaling runs.csv -o figure.svg
grep -q 'gnuplot is not installed; on Debian: apt install gnuplot-nox' "$scratch/bare.err" ||
  fail "plot does not say what it needs"
# Damaged gzip files are refused in the same words, whoever inflates.
for file in "$source"/tests/malformed/gzip_*.gz; do
  name=$(basename "$file")
  cp "$file" "$root/$name"
  cp "$file" "$name"
  same fit "$name"
done
# A Parquet file is refused with ways that help, whatever names the library.
cp "$source/tests/input/parquet/runs.parquet" "$root"
for named in "" /usr/lib/libduckdb.so; do
  status=0
  SCALELAW_DUCKDB=$named "${enter[@]}" /scalelaw fit runs.parquet 2> "$scratch/bare.err" > "$scratch/bare.out" || status=$?
  [ $status = 2 ] && grep -q 'this static command cannot read.*write the table as CSV.*or use the common command' "$scratch/bare.err" ||
    fail "a Parquet file: $(cat "$scratch/bare.err")"
  ! grep -q SCALELAW_DUCKDB "$scratch/bare.err" || fail "a variable is said to help a static command"
done
cmp "$root/table.csv" table.csv || fail "the run tables differ"
cmp "$root/report/report.html" report/report.html || fail "the report pages differ"

status=0
OMPI_COMM_WORLD_SIZE=2 "${enter[@]}" /scalelaw fit runs.csv 2> "$scratch/bare.err" || status=$?
[ $status = 2 ] && grep -q 'has no MPI' "$scratch/bare.err" || fail "ranks are not refused by name"

# The archive unpacks, as the README does it, into a command with its manual page, completions and documents.
SOURCE_DATE_EPOCH=1700000000 "$source/scripts/portable-archive" "$build" "$scratch/scalelaw-0-linux.tar.gz" 2> "$scratch/archive.err" ||
  fail "$(cat "$scratch/archive.err")"
mkdir -p "$root/home"
tar -xzf "$scratch/scalelaw-0-linux.tar.gz" --strip-components=1 -C "$root/home"
for file in bin/scalelaw share/man/man1/scalelaw.1 share/bash-completion/completions/scalelaw share/zsh/site-functions/_scalelaw \
  share/fish/vendor_completions.d/scalelaw.fish share/doc/scalelaw/README.md share/doc/scalelaw/licences/libfmt-dev; do
  [ -s "$root/home/$file" ] || [ -s "$root/home/$file.gz" ] || fail "the archive has no $file"
done
[ -z "$(find "$root/home" -name '*.so*' -o -name '*.hpp' -o -name '*.a')" ] || fail "the archive has libraries or headers"
"${enter[@]}" /home/bin/scalelaw fit runs.csv > "$scratch/bare.out" || fail "the command of the archive does not run"
PATH= "$build/bin/scalelaw" fit runs.csv | cmp - "$scratch/bare.out" || fail "the command of the archive prints something else"
mkdir "$scratch/again"
SOURCE_DATE_EPOCH=1700000000 "$source/scripts/portable-archive" "$build" "$scratch/again/scalelaw-0-linux.tar.gz" 2> /dev/null ||
  fail "packed again, it fails"
cmp "$scratch/scalelaw-0-linux.tar.gz" "$scratch/again/scalelaw-0-linux.tar.gz" || fail "packed again, it has other bytes"
