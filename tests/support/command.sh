# Shared by tests of the whole command, which source it with the arguments BINARY SOURCE_FOLDER TEST. It moves the shell to
# a new folder, which is removed at the end.

set -uo pipefail
binary=$1
source_folder=$2
test_name=$3
demo=$source_folder/data/demo/runs.csv

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# The user's settings must not affect the tests.
unset SCALELAW_THREADS SCALELAW_MAX_MEMORY SCALELAW_COLOR NO_COLOR
export TERM=xterm

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

# run ARGUMENTS... leaves the exit status in $status, and the streams in the files out and err.
run() {
  "$binary" "$@" >"$work/out" 2>"$work/err"
  status=$?
}

expect_status() { [ "$status" = "$1" ] || fail "exit status $status, expected $1; stderr: $(cat "$work/err")"; }
# Sentences are wrapped, so that the text may stand on several lines.
expect_out() { grep -qF -- "$1" "$work/out" || tr -s '\n ' ' ' <"$work/out" | grep -qF -- "$1" || fail "stdout lacks '$1': $(cat "$work/out")"; }
expect_err() { grep -qF -- "$1" "$work/err" || fail "stderr lacks '$1': $(cat "$work/err")"; }
expect_no_out() { [ ! -s "$work/out" ] || fail "stdout is not empty: $(cat "$work/out")"; }
expect_no_err() { [ ! -s "$work/err" ] || fail "stderr is not empty: $(cat "$work/err")"; }
expect_same() { diff -u "$1" "$2" >&2 || fail "$2 differs from $1"; }
