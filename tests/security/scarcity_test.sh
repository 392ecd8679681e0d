#!/usr/bin/env bash
# Tests that what runs out (descriptors, memory, room on the disk, time of gnuplot) ends a call with a sentence:
# scarcity_test.sh BINARY SOURCE_FOLDER TEST. SCALELAW_C_COMPILER makes a small library for one of them.
. "$(dirname "${BASH_SOURCE[0]}")/../support/command.sh"

needs() { command -v "$1" >/dev/null || { echo "skipped: no $1"; return 1; }; }
is_instrumented() { [ -n "${SCALELAW_INSTRUMENTED:-}" ] && echo 'skipped: instrumented'; }

# with_room KIB ARGUMENTS... runs the command, none of whose files may be larger. What is said goes into a pipe, for which
# that does not hold.
with_room() {
  (
    ulimit -f "$1"
    # The thread sanitizer writes a file of its own before the program can ignore the signal of this limit.
    [ -z "${SCALELAW_INSTRUMENTED:-}" ] || trap '' XFSZ
    exec "$binary" --quiet "${@:2}"
  ) 2>&1 >/dev/null | cat >err
  status=${PIPESTATUS[0]}
}

# Descriptors that a runner of tests leaves open count as used.
close_others() {
  local descriptor
  for descriptor in 3 4 5 6 7 8 9; do eval "exec $descriptor>&-"; done
}

# The inputs of calls.
make_inputs() {
  grep -E '^(model|BERT|ResNet)' "$demo" >t.csv
  gzip -k t.csv
  local name
  for name in replay/train replay/power_demo tail/durations isoflop/runs budget/runs; do
    cp "$source_folder/data/$name.csv" "${name//\//_}.csv"
  done
  for name in 1 2 3; do
    "$binary" --quiet fit t.csv --store s.db --keep a --kept-at 2026-01-0$name >/dev/null
  done
  "$binary" --quiet fit t.csv -o f.json
  mkdir traces
  printf 'timestamp,gpu_index,power_draw_W\n0,0,100\n1,0,110\n2,0,120\n' >traces/1-n1.csv
  cp traces/1-n1.csv traces/2-n1.csv
  cp traces/1-n1.csv traces/3-n1.csv
  "$binary" --quiet ingest traces --store s.db 2>/dev/null
}

# Calls of every command, one a line; results are named o.* . A figure that is slow to draw stands once.
calls() {
  cat <<'END'
fit t.csv -o o.csv
fit t.csv.gz -o o.csv
fit t.csv --store o.db --keep k --kept-at 2026-01-01
plot t.csv -o o.svg
plot t.csv -o o.png
plot t.csv
report t.csv -o o.md
rank t.csv -o o.csv
predict t.csv --at 512 -o o.csv
gate f.json t.csv --also o.json --export o.csv
gate s.db@a t.csv -o o.txt
energy t.csv -o o.csv
store ls s.db
store export s.db -o o.csv
store verify s.db
ingest traces -o o.csv
ingest traces --store o.db
look t.csv
contrast t.csv --factor power_cap_w --where clock_mhz=1380 -o o.csv
tail tail_durations.csv -y duration_s -b queue -o o.csv
plan t.csv --where model=BERT --where power_cap_w=250 --target 1024 -o o.csv
isoflop isoflop_runs.csv -o o.csv
budget budget_runs.csv --days 7 --gpus 64 -o o.csv
caps t.csv --setting power_cap_w --reference 250 --where clock_mhz=1380 -o o.csv
pareto t.csv --knobs power_cap_w --where gpus=16 --where clock_mhz=1380 -o o.csv
replay --train replay_train.csv --power replay_power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 -o o.csv
history s.db -o o.csv
plot history s.db -o o.svg
plot replay --train replay_train.csv --power replay_power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --policy zeus,default --seed 1..5
plot budget budget_runs.csv --days 7 --gpus 64 --gpu-power 400
generate -o o.csv
generate --traces o.traces --jobs 3
help fit
version
completion bash
END
}

test_calls_of_scarcity_name_every_command() {
  local name
  "$binary" --help | grep -oE '^  [a-z]+( replay| budget)? {3,}' | sed -E 's/^ +| +$//g' >commands
  [ "$(wc -l <commands)" -ge 23 ] || fail "the list of commands is not read: $(cat commands)"
  while IFS= read -r name; do
    calls | grep -q "^$name\( \|$\)" || fail "no call of $name"
  done <commands
}

remove_results() { rm -rf o.* o-figures; }

# results FILE: standard output FILE with all other results. A store tells times; it is only there or not.
results() {
  cat "$1"
  find . -path './o[.-]*' -type f ! -name 'o.db*' | LC_ALL=C sort | xargs -r cat
  find . -name o.db
}

# whole CALL: its undisturbed result in the file whole, and its exit status in whole_status.
whole() {
  remove_results
  "$binary" $1 >out 2>whole_err </dev/null
  whole_status=$?
  [ "$whole_status" -le 1 ] || fail "$1: $(cat whole_err)"
  results out >whole
}

# judge WHAT CALL: the call ended in $status as it would undisturbed, or with a sentence. It leaves nothing half-written.
judge() {
  case $status in
    "$whole_status")
      results out >got
      cmp -s whole got || { grep -q 'warning: ' err && ! cmp -s err whole_err; } || fail "$1: another result of $2" ;;
    2) grep -qE '(error|warning): ' err || fail "$1: $2 says nothing" ;;
    1) grep -q 'warning: ' err || fail "$1: $2 says nothing" ;;
    *) fail "$1: $2 ends with $status: $(cat err)" ;;
  esac
  ! grep -qE 'no such file|is no study store' err || fail "$1: $2 says: $(cat err)"
  ! compgen -G '.scalelaw*' >/dev/null || fail "$1: $2 leaves something half-written"
}

test_few_descriptors_end_every_command_with_a_sentence() {
  is_instrumented && return 0
  needs prlimit || return 0
  close_others
  make_inputs
  local call limit
  while IFS= read -r call; do
    whole "$call"
    for limit in 3 4 5 6 7 8 9 10 11 12; do
      remove_results
      prlimit --nofile=$limit "$binary" $call >out 2>err </dev/null
      status=$?
      # With three the loader finds no library.
      [ "$limit$status" = 3127 ] || judge "$limit descriptors" "$call"
    done
  done < <(calls)
}

# Whether allocations can be made to fail, by the library failing.so.
can_fail_allocations() {
  is_instrumented && return 1
  command -v "${SCALELAW_C_COMPILER:-}" >/dev/null || { echo 'skipped: no C compiler'; return 1; }
  printf '#include <stdlib.h>\n' >empty.c
  "$SCALELAW_C_COMPILER" -shared -fPIC -o empty.so empty.c 2>/dev/null || { echo 'skipped: the C compiler makes no library'; return 1; }
  "$SCALELAW_C_COMPILER" -O1 -shared -fPIC -o failing.so "$source_folder/tests/security/failing_allocations.c" ||
    fail "the library is not made"
  FAIL_COUNT=count LD_PRELOAD=$PWD/failing.so "$binary" version >/dev/null 2>&1 && [ -s count ] ||
    { echo 'skipped: allocations of this program cannot be replaced'; return 1; }
}

# with_failing PLACE CALL: leaves $status and the files out and err.
with_failing() {
  remove_results
  FAIL_AT=$1 LD_PRELOAD=$PWD/failing.so "$binary" $2 >out 2>err </dev/null
  status=$?
}

# count_allocations CALL: leaves their number in $count.
count_allocations() {
  remove_results
  FAIL_COUNT=count LD_PRELOAD=$PWD/failing.so "$binary" $1 >/dev/null 2>&1 </dev/null
  count=$(<count)
}

# Leaves in $begin about how many allocations a call makes before its command begins. They are most, and make the options.
count_before_commands() {
  local count
  count_allocations version
  begin=$((count - 40))
}

test_an_allocation_that_fails_ends_every_command_with_a_sentence() {
  can_fail_allocations || return 0
  make_inputs
  local call i count begin place
  count_before_commands
  while IFS= read -r call; do
    whole "$call"
    count_allocations "$call"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
      place=$((begin + (count - begin) * i / 14))
      with_failing $place "$call"
      judge "allocation $place of $count" "$call"
    done
    place=$((begin + (count - begin) * 9 / 10))
    FAIL_FROM=1 with_failing $place "$call"
    judge "no allocation from $place of $count" "$call"
  done < <(calls)
  # Options are made in one way for all.
  whole 'store ls s.db'
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    with_failing $((begin * i / 20)) 'store ls s.db'
    judge "allocation $((begin * i / 20)) of $begin" 'store ls s.db'
  done
  # A limit of the user's own is named, once it holds: most allocations make the options.
  count_allocations '--max-memory 4GiB fit t.csv'
  for i in 1 2 3 4 5 6 7 8; do
    FAIL_FROM=1 with_failing $((count - count * i / 100)) '--max-memory 4GiB fit t.csv'
    expect_status 2
    expect_err 'more memory is needed than --max-memory allows (4096 MiB)'
  done
  # Initialisers, before main.
  whole version
  for i in 1 2 4 8 16 24 32 64; do
    with_failing "$i" version
    judge "allocation $i" version
    FAIL_FROM=1 with_failing "$i" version
    expect_status 2
    expect_err 'scalelaw: error: not enough memory'
  done
}

# Calls with small inputs, each after the number of places at which an allocation fails: the first half of them side by
# side, where files are opened, and the others spread over what follows.
dense_calls() {
  cat <<'END'
500 ingest traces -o o.csv --threads 3
200 ingest traces --store o.db --threads 1
200 store ls s.db
300 store verify s.db
120 store export s.db -o o.csv
120 history s.db -o o.csv
120 fit t.csv -o o.csv --threads 1
200 fit t.csv --store o.db --keep k --kept-at 2026-01-01 --threads 1
160 gate s.db@a t.csv --format json --threads 1
120 generate --traces o.traces --jobs 3
END
}

# judge_lack WHAT CALL: the call ended as it would undisturbed, or says that memory ran out. Each result is whole or not there.
judge_lack() {
  case $status in
    "$whole_status") judge "$1" "$2"; return ;;
    2) [[ $(<err) == *'error: not enough memory'* ]] || fail "$2: $1 says: $(<err)" ;;
    *) fail "$2: $1 ends with $status: $(<err)" ;;
  esac
  [ -z "$(compgen -G '.scalelaw*')" ] || fail "$2: $1 leaves something half-written"
  [ -n "$(compgen -G 'o.*')" ] || return 0
  case $2 in
    # What was read stays.
    ingest*--store*) "$binary" store verify o.db >got 2>&1 || [[ $(<got) == *'may be a study store that is being made'* ]] ||
      fail "$2: $1 leaves a damaged store: $(<got)" ;;
    *--store*) "$binary" store ls o.db 2>&1 | grep -q "fits 'k'" || fail "$2: $1 leaves a store without fits" ;;
    *) results /dev/null | cmp -s whole_files || fail "$2: $1 leaves a part of the result" ;;
  esac
}

test_no_allocation_that_fails_is_taken_for_something_else() {
  can_fail_allocations || return 0
  make_inputs
  local points call count begin place i
  count_before_commands
  while read -r points call; do
    whole "$call"
    results /dev/null >whole_files
    count_allocations "$call"
    for ((i = 0; i < points; ++i)); do
      place=$((begin + i))
      [ $((2 * i)) -lt "$points" ] || place=$((begin + i + (count - begin - i) * (2 * i - points) / points))
      [ "$place" -le "$count" ] || break
      with_failing $place "$call"
      judge_lack "allocation $place of $count" "$call"
    done
  done < <(dense_calls)
}

test_a_baseline_is_replaced_whole_or_not_at_all_without_memory() {
  can_fail_allocations || return 0
  make_inputs
  local call='gate o.base.json f.json --update' count place
  whole "$call"
  results /dev/null >whole_files
  count_allocations "$call"
  # The last places, where the baseline is written.
  for ((place = count - 300; place <= count; ++place)); do
    with_failing $place "$call"
    judge_lack "allocation $place of $count" "$call"
  done
}

# The C library ends a process that lacks the memory to note a destructor.
test_no_object_of_a_thread_has_a_destructor() {
  is_instrumented && return 0
  needs nm || return 0
  nm --dynamic "$binary" >symbols 2>/dev/null && [ -s symbols ] || { echo 'skipped: the program tells no symbols'; return 0; }
  ! grep __cxa_thread_atexit symbols || fail "an object that is thread_local has a destructor: use PerThread"
}

test_a_bug_is_not_taken_for_lack_of_memory() {
  can_fail_allocations || return 0
  ulimit -c 0
  local count
  count_allocations version
  { TERMINATE=1 with_failing $((count - 1)) version; } 2>/dev/null
  [ "$status" != 77 ] || { echo 'skipped: std::terminate cannot be called'; return 0; }
  expect_status 134
  expect_err 'terminate called without an active exception'
  ! grep -q 'memory' err || fail "lack of memory is told: $(cat err)"
}

# refused_store SENTENCE CALL
refused_store() {
  run $2
  expect_status 2
  expect_err "$1"
}

test_places_where_no_store_can_be_have_their_own_sentences() {
  make_inputs
  mkdir folder
  mkfifo pipe
  local keep='--keep k --kept-at 2026-01-01' call
  for call in "fit t.csv $keep --store" 'ingest traces --store' 'store ls' history; do
    refused_store 'folder: this is a folder, and a study store is a file' "$call folder"
    refused_store 'pipe: this is a named pipe, and a study store is a file' "$call pipe"
    refused_store '/dev/null: this is a device, and a study store is a file' "$call /dev/null"
    refused_store 't.csv/s.db: cannot be opened: Not a directory' "$call t.csv/s.db"
  done
  refused_store 'none/s.db: the store cannot be made: there is no folder none' "fit t.csv $keep --store none/s.db"
  refused_store 'none.db: no such file' 'store ls none.db'
  # The user who may do everything is never refused.
  [ "$(id -u)" != 0 ] || return 0
  chmod a-w folder s.db
  refused_store 'folder/s.db: the store cannot be written: check its permissions' "fit t.csv $keep --store folder/s.db"
  refused_store 's.db: the store cannot be written: check its permissions' 'store forget s.db --fits a'
}

test_a_store_is_made_where_a_link_leads() {
  make_inputs
  mkdir there
  ln -s there/real.db soft.db
  ln -s soft.db far.db
  local keep='--keep k --kept-at 2026-01-01' call
  for call in "fit t.csv $keep --store" 'ingest traces --store'; do
    rm -f there/*
    run $call far.db
    expect_status 0
    [ -L far.db ] && [ -L soft.db ] && [ -f there/real.db ] || fail "after $call: $(ls -l . there)"
  done
  rm there/*
  with_room 0 fit t.csv $keep --store far.db
  expect_status 2
  expect_err 'far.db: the study store cannot be used: File too large'
  [ -L far.db ] && [ -L soft.db ] && [ -z "$(ls there)" ] || fail "without room: $(ls -l . there)"
  ln -s none/real.db lost.db
  refused_store 'lost.db: the store cannot be made: there is no folder none' "fit t.csv $keep --store lost.db"
  ln -s circle.db circle.db
  refused_store 'circle.db: cannot be opened: Too many levels of symbolic links' "fit t.csv $keep --store circle.db"
}

# Needs a name space of its own, in which a user may mount.
test_a_read_only_disk_is_told() {
  unshare -rm true 2>/dev/null || { echo 'skipped: no name spaces'; return 0; }
  make_inputs
  mkdir disk
  unshare -rm bash -c 'mount -t tmpfs none disk && cp s.db disk && mount -o remount,ro disk || exit 77
    "$1" ingest traces --store disk/new.db; "$1" store forget disk/s.db --fits a; "$1" store ls disk/s.db' - "$binary" >out 2>err
  status=$?
  [ "$status" != 77 ] || { echo 'skipped: no file system can be mounted'; return 0; }
  expect_status 0
  expect_err 'disk/new.db: the store cannot be written: its disk is read-only'
  expect_err 'disk/s.db: the store cannot be written: its disk is read-only'
  expect_out "fits 'a'"
}

test_a_store_that_has_no_room_leaves_nothing() {
  awk 'BEGIN { print "model,gpus,seconds"; for (g = 0; g < 300; ++g) for (n = 1; n <= 8; n *= 2) print g "," n "," 100 / n + n + g }' >many.csv
  local room
  # The tables of a store need 352 KiB, and the fits more.
  for room in 0 1 20 100 400; do
    with_room $room fit many.csv --store o.db --keep k --kept-at 2026-01-01
    expect_status 2
    expect_err 'o.db: the study store cannot be used: File too large'
    [ -z "$(compgen -G 'o.db*')" ] || fail "with $room KiB there is $(compgen -G 'o.db*')"
  done
}

test_traces_that_have_no_room_leave_nothing() {
  with_room 1 generate --traces new/traces --jobs 3
  expect_status 2
  expect_err 'File too large'
  [ ! -e new ] || fail "there is $(find new)"
  mkdir old
  with_room 1 generate --traces old --jobs 3
  expect_status 2
  [ -d old ] && [ -z "$(ls old)" ] || fail "there is $(find old)"
  run generate --traces old --jobs 3
  expect_status 0
  [ -f old/jobs.csv ] || fail 'the second try writes no jobs'
}

# as_gnuplot SCRIPT: a program that is called gnuplot.
as_gnuplot() {
  mkdir -p bin
  printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot
  chmod +x bin/gnuplot
}

# is_alive PROCESS: one that has ended and that nobody has waited for is not.
is_alive() {
  local state
  kill -0 "$1" 2>/dev/null || return 1
  if command -v ps >/dev/null; then
    state=$(ps -o stat= -p "$1")
  else
    state=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null || echo gone)
  fi
  case $state in [ZX]* | gone | '') return 1 ;; esac
}

# expect_none_left AFTER [PROCESS...]: what gnuplot started is gone.
expect_none_left() {
  local after=$1 i process
  shift
  for process; do
    for i in 1 2 3 4 5 6 7 8 9 10 11; do
      is_alive "$process" || continue 2
      sleep 0.1
    done
    kill -KILL "$process"
    fail "after $after a process of gnuplot lives on"
  done
}

# expect_child_gone AFTER: the process whose number is in the file child.
expect_child_gone() {
  [ -s child ] || fail "gnuplot has started nothing before $1"
  expect_none_left "$1" "$(cat child)"
  rm child
}

# attentive PROGRAM...: signals are not ignored, as a shell ignores some in the background.
attentive() { exec env --default-signal=TERM,HUP,INT,QUIT "$@"; }

has_attentive() {
  env --default-signal=INT true 2>/dev/null || { echo "skipped: env has no --default-signal"; return 1; }
}

test_a_gnuplot_is_stopped_with_its_children() {
  as_gnuplot 'sleep 1000 & echo $! >child.part; mv child.part child; wait'
  PATH=$PWD/bin:$PATH
  sleep 1000 &
  is_alive $! || fail "a process that runs is not found"
  kill $!
  SCALELAW_GNUPLOT_SECONDS=2 run plot "$demo" -o figure.svg
  expect_status 2
  expect_err 'gnuplot did not end within 2 s and was stopped'
  expect_child_gone 'the time limit'
  as_gnuplot 'sleep 1000 & echo $! >child'
  run plot "$demo" -o figure.svg
  expect_status 2
  expect_child_gone 'its own end'
}

test_a_gnuplot_ends_with_the_call_that_a_signal_ends() {
  has_attentive || return 0
  as_gnuplot 'sleep 1000 & echo $! >child.part; mv child.part child; wait'
  PATH=$PWD/bin:$PATH
  ulimit -c 0
  local signal
  for signal in TERM HUP INT QUIT ABRT; do
    attentive "$binary" --quiet plot "$demo" -o figure.svg 2>err &
    until [ -s child ]; do
      kill -0 $! || fail "the call ends before SIG$signal: $(cat err)"
      sleep 0.05
    done
    kill -s $signal $!
    { wait $!; status=$?; } 2>/dev/null
    expect_status $((128 + $(kill -l $signal)))
    expect_child_gone "SIG$signal"
    ! compgen -G '.scalelaw*' >/dev/null || fail "SIG$signal leaves something half-written"
  done
}

# A signal at the very call that starts gnuplot.
test_a_signal_while_gnuplot_is_started_stops_it() {
  is_instrumented && return 0
  { needs strace && has_attentive; } || return 0
  as_gnuplot 'exec sleep 1000'
  PATH=$PWD/bin:$PATH
  strace -o log -e inject=clone,clone3,vfork:signal=SIGCONT true 2>/dev/null || { echo 'skipped: strace may not trace'; return 0; }
  local signal process
  ulimit -c 0
  for signal in TERM HUP INT QUIT; do
    { attentive strace -o log -e trace=clone,clone3,vfork -e inject=clone,clone3,vfork:signal=SIG$signal:when=1 \
      "$binary" --quiet --threads 1 plot "$demo" -o figure.svg & wait $!; status=$?; } 2>/dev/null
    process=$(sed -n '1s/.*CLONE_VFORK.* = \([1-9][0-9]*\)$/\1/p' log)
    [ -n "$process" ] || fail "gnuplot is not the first process: $(cat log)"
    expect_none_left "SIG$signal at its start" "$process"
    expect_status $((128 + $(kill -l $signal)))
  done
}

# expect_no_gnuplots AFTER: those whose numbers are in the file children are gone. One that lives on may write its number
# later, for the next look.
expect_no_gnuplots() {
  [ -s children ] || return 0
  mv children seen
  expect_none_left "$1" $(cat seen)
}

# Signals around the time at which one thread, or several, start gnuplot.
test_a_signal_at_any_time_leaves_no_gnuplot() {
  as_gnuplot 'echo $$ >>children; exec sleep 1000'
  PATH=$PWD/bin:$PATH
  local call i begin whole wait
  for call in "plot $demo -o figure.svg" "--threads 4 report $demo -o report.md"; do
    begin=$(date +%s%N)
    "$binary" $call >/dev/null 2>err &
    until [ -s children ]; do
      kill -0 $! || fail "no gnuplot is started: $(cat err)"
      sleep 0.005
    done
    whole=$((($(date +%s%N) - begin) / 1000000))
    for i in {0..40}; do
      { kill $! && wait $!; } 2>/dev/null
      expect_no_gnuplots "SIGTERM during $call"
      "$binary" $call >/dev/null 2>&1 &
      wait=$((whole * (20 + i) / 60))
      sleep "$((wait / 1000)).$(printf %03d $((wait % 1000)))"
    done
    { kill $! && wait $!; } 2>/dev/null
    sleep 0.5
    expect_no_gnuplots "SIGTERM during $call"
  done
}

test_a_part_of_a_figure_is_refused() {
  local format
  PATH=$PWD/bin:$PATH
  for format in 'png \211PNG\r\n\032\n' 'svg <?xml version="1.0"?><svg>' 'pdf %%PDF-1.5\n'; do
    as_gnuplot "printf '${format#* }'"
    run plot "$demo" -o "figure.${format%% *}"
    expect_status 2
    expect_err 'gnuplot wrote a figure without its end'
    [ ! -e "figure.${format%% *}" ] || fail "there is a figure"
  done
}

# With few descriptors fontconfig would find another font.
test_a_figure_has_its_fonts_or_is_refused() {
  is_instrumented && return 0
  { needs gnuplot && needs prlimit; } || return 0
  close_others
  run --quiet plot "$demo" -o whole.png
  expect_status 0
  local limit
  for limit in 7 8 9 10; do
    prlimit --nofile=$limit:1024 "$binary" --quiet plot "$demo" -o few.png 2>err || fail "$limit of 1024: $(cat err)"
    cmp -s whole.png few.png || fail "$limit of 1024 descriptors: another figure"
  done
  prlimit --nofile=7 "$binary" --quiet plot "$demo" -o refused.png 2>err
  status=$?
  expect_status 2
  expect_err 'gnuplot needs 5 free file descriptors, and the limit of 7 leaves it 4; ulimit -n sets it'
}

test_letters_that_fonts_may_lack_are_refused_without_fontconfig() {
  needs gnuplot || return 0
  mkdir only
  ln -s "$(command -v gnuplot)" only/gnuplot
  printf 'model,gpus,seconds\n模型,1,100\n模型,2,52\n模型,4,27\nb,1,90\nb,2,50\nb,4,28\n' >runs.csv
  PATH=$PWD/only run plot runs.csv -o figure.png
  expect_status 2
  expect_err 'PNG and PDF show 型 模 only where a font has them, which cannot be found out without fc-list'
  sed 's/模型/Größe α/' runs.csv >latin.csv
  PATH=$PWD/only run plot latin.csv -o figure.png
  expect_status 0
}

declare -F "$test_name" >/dev/null || fail "there is no test $test_name"
"$test_name"
