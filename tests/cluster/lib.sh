# Shared by the tests of ranks; sourced with the command's path and the name of a test.

set -u
export LC_ALL=C
export HWLOC_HIDE_ERRORS=2  # What Open MPI says of a machine without /sys is not what is compared.
# For sanitizers. Open MPI leaks memory in modules that are unloaded by then, so these leaks look like ours. It also takes
# locks in either order.
export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS="${TSAN_OPTIONS:-}:ignore_noninstrumented_modules=1:detect_deadlocks=0"
scalelaw=$1
test_name=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }

[ -e "$(dirname "$scalelaw")/libscalelaw-mpi.so" ] || skip "built without MPI"
command -v mpirun >/dev/null || skip "there is no mpirun"

root_flag=
[ "$(id -u)" = 0 ] && mpirun --version 2>/dev/null | grep -q "Open MPI" && root_flag=--allow-run-as-root
oversubscribe=
mpirun --version 2>/dev/null | grep -q "Open MPI" && oversubscribe=--oversubscribe

# ranks N WORD... runs the words in N processes.
ranks() {
  local count=$1
  shift
  mpirun $root_flag $oversubscribe -np "$count" "$@"
}

same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }

# make_table FILE ROWS makes several groups with many x and very different times, so that the order of sums would show.
make_table() {
  awk -v rows="$2" 'BEGIN {
    print "model,gpus,run,seconds"
    for (i = 0; i < rows; i++) {
      n = 2 ^ (i % 7); m = i % 23
      printf "model-%d,%d,r%d,%.6f\n", m, n, i % 911, (1 + m * m * 40) / n ^ 0.8 * (1 + ((i * 7919) % 1000) / 3000)
    }
  }' > "$1"
}

# make_tree FOLDER makes a tree of traces with one file out of order and one that is no trace.
make_tree() {
  "$scalelaw" --quiet generate --traces "$1" --jobs 60 || fail "no traces"
  local one
  one=$(find "$1" -name '*.csv' -size +12k | sort | sed -n 3p)
  { head -1 "$one"; tail -n +2 "$one" | sort -r; } > "$work/reversed" && mv "$work/reversed" "$one"
}
