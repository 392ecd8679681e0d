#!/usr/bin/env bash
# Ranks under mpirun on this machine write the same as one process, and failures end the job.
# Usage: cluster_test.sh COMMAND TEST
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

test_fit_is_the_same_for_any_number_of_ranks() {
  make_table a.csv 300000
  make_table b.csv 50000 && gzip b.csv
  make_table c.csv 1000
  "$scalelaw" --quiet fit a.csv b.csv.gz c.csv -b model --format json -o one.json 2> one.err || fail "one process"
  "$scalelaw" --quiet fit a.csv b.csv.gz c.csv -b model --format csv -o one.csv || fail "one process"
  local r
  for r in 1 2 3 5; do
    ranks $r "$scalelaw" --quiet fit c.csv b.csv.gz a.csv -b model --format csv -o "$r.csv" 2> "$r.err" || fail "$r ranks: $(cat "$r.err")"
    same one.csv "$r.csv"
    ranks $r "$scalelaw" --quiet fit a.csv b.csv.gz c.csv -b model --format json > "$r.out" 2> "$r.err" || fail "$r ranks to stdout"
    same one.json "$r.out"
    same one.err "$r.err"
  done
}

# Raw points, runs and weights reach the leader, too, and quoted fields with line feeds are not cut.
test_fit_of_runs_points_and_quotes() {
  make_table plain.csv 200000
  awk -F, 'NR == 1 { print $0 ",note"; next } { print $0 ",\"a\nmodel-1,2,x," NR "\"" }' plain.csv > quoted.csv
  awk 'NR % 20000 == 7 { print "model-1,oops,r1,3.5"; next } { print }' plain.csv > bad.csv
  local args
  for args in "plain.csv --run run" "plain.csv --run run --se cluster" "plain.csv --robust theil-sen" "plain.csv --points median" \
    "quoted.csv" "bad.csv --skip-bad-rows" "plain.csv -b gpus -x gpus --law power"; do
    "$scalelaw" fit $args --format json > one.json 2> one.err
    local status=$?
    ranks 3 "$scalelaw" fit $args --format json > three.json 2> three.err
    [ $? = $status ] || fail "$args: another exit status"
    same one.json three.json
    [ $status != 0 ] || same one.err three.err
  done
}

test_ingest_is_the_same_for_any_number_of_ranks() {
  make_tree tree
  echo "not a trace" > tree/note.txt
  local args
  for args in "" "--rows gpu --idle-below 20" "--max-gap 5"; do
    "$scalelaw" ingest tree $args -o one.csv 2> one.err
    local status=$? r
    [ $status = 2 ] || fail "the bad file is not told"
    for r in 1 2 3 5; do
      ranks $r "$scalelaw" ingest tree $args -o "$r.csv" 2> "$r.err"
      [ $? = 2 ] || fail "$r ranks: another exit status: $(cat "$r.err")"
      same one.csv "$r.csv"
      grep -q "left out: tree/note.txt" "$r.err" || fail "$r ranks do not name the bad file"
      [ "$(grep -c 'could not be used' "$r.err")" = 1 ] || fail "$r ranks: said more than once"
    done
  done
}

# make_long FOLDER FILES makes a folder of tables that take a while: one file under many names.
make_long() {
  local i
  make_table long.csv 600000
  mkdir "$1"
  for i in $(seq "$2"); do ln long.csv "$1/$i.csv"; done
}

# The processes of the command that work in this folder; those of other tests do not count.
ids_of_ranks() {
  local id
  for id in $(pgrep -f "^$scalelaw "); do
    [ "/proc/$id/cwd" -ef . ] && echo "$id"
  done
}

# Starts two ranks of the words in the background, and waits until both work; their process ids are in `pids`.
start_two() {
  ranks 2 "$scalelaw" "$@" > out 2> err &
  job=$!
  local i
  for i in $(seq 200); do
    pids=($(ids_of_ranks))
    [ ${#pids[@]} = 2 ] && break
    sleep 0.05
  done
  [ ${#pids[@]} = 2 ] || fail "two ranks were not seen: $(cat err)"
}

test_a_slow_rank_changes_nothing() {
  make_long long 60
  "$scalelaw" --quiet fit long -b model --format json > one.json || fail "one process"
  start_two --quiet --threads 1 fit long -b model --format json
  local slow=${pids[1]} i
  for i in 1 2 3 4 5 6; do
    kill -STOP "$slow" 2>/dev/null; sleep 0.3; kill -CONT "$slow" 2>/dev/null; sleep 0.02
  done
  wait $job || fail "status $?: $(cat err)"
  same one.json out
}

test_a_rank_that_is_killed_ends_the_job() {
  make_long long 300
  local victim began spent
  for victim in 0 1; do
    start_two --threads 1 fit long -b model --format json -o "killed$victim.json"
    sleep 0.4
    began=$(date +%s)
    kill -KILL "${pids[$victim]}" || fail "nothing to kill: $(cat err)"
    wait $job && fail "exit status 0 without rank $victim"
    spent=$(($(date +%s) - began))
    [ $spent -le 10 ] || fail "it took $spent s"
    [ ! -e "killed$victim.json" ] || fail "there is an output"
  done
}

# make_long_tree FOLDER FILES makes traces that take a while: one file under the names of many jobs.
make_long_tree() {
  local i
  awk 'BEGIN {
    print "timestamp,gpu_index,utilization_gpu_pct,utilization_memory_pct,memory_used_MiB,power_draw_W"
    for (i = 0; i < 60000; i++) printf "%.1f,%d,%d,%d,%d,%.2f\n", 1612380532 + int(i / 2) / 10, i % 2, i % 101, i % 37, 9000 + i % 97, 200 + i % 13 / 7
  }' > long_trace.csv
  mkdir -p "$1/gpu/0000"
  for i in $(seq "$2"); do ln long_trace.csv "$1/gpu/0000/$((10000000000000 + i))-r1-n1.csv"; done
}

test_a_rank_that_is_killed_leaves_a_store_that_resumes() {
  make_long_tree long 700
  "$scalelaw" --quiet ingest long -o one.csv || fail "one process"
  local victim
  for victim in 0 1; do
    start_two --threads 1 ingest long --store "$victim.db" -o "killed$victim.csv"
    until "$scalelaw" store ls "$victim.db" --format csv 2> /dev/null | grep -q r1-n1; do
      kill -0 $job 2> /dev/null || fail "it ended early: $(cat err)"
      sleep 0.02
    done
    kill -KILL "${pids[$victim]}" || fail "nothing to kill: $(cat err)"
    wait $job && fail "exit status 0 without rank $victim"
    [ ! -e "killed$victim.csv" ] || fail "there is an output"
    ranks 2 "$scalelaw" ingest long --store "$victim.db" 2> err || fail "it does not resume: $(cat err)"
    grep -q "unchanged and not read" err || fail "nothing was kept of the killed job: $(cat err)"
    "$scalelaw" store export "$victim.db" > "$victim.csv" || fail "no export"
    same one.csv "$victim.csv"
    "$scalelaw" store verify "$victim.db" > /dev/null || fail "the store is damaged"
  done
}

# A store that ranks fill has the table of one process without a store, whichever files come first.
test_ingest_into_a_store_is_the_same_for_any_number_of_ranks() {
  make_tree tree
  find tree/gpu -name '*.csv' | sort | shuf --random-source=<(yes) > files
  "$scalelaw" --quiet ingest tree --jobs tree/jobs.csv -o one.csv || fail "one process"
  local r
  for r in 1 2 3 5; do
    ranks $r "$scalelaw" ingest tree --jobs tree/jobs.csv --store "$r.db" -o "$r.csv" 2> err || fail "$r ranks: $(cat err)"
    same one.csv "$r.csv"
    ranks $r "$scalelaw" ingest $(sed -n 1~2p files) --store "parts$r.db" 2> err || fail "$r ranks, a part: $(cat err)"
    ranks $r "$scalelaw" ingest $(tac files) --jobs tree/jobs.csv --store "parts$r.db" 2> err || fail "$r ranks, the rest: $(cat err)"
    for store in "$r.db" "parts$r.db"; do
      "$scalelaw" store export "$store" > export.csv || fail "no export"
      same one.csv export.csv
    done
  done
}

# The bytes of the files change without the store's knowledge, which shows whether a rank reads one.
test_unchanged_files_are_opened_by_no_rank() {
  make_tree tree
  "$scalelaw" --quiet ingest tree --jobs tree/jobs.csv --store study.db -o one.csv || fail "one process"
  local file count=0 r
  while read -r file; do
    touch -r "$file" stamp
    head -c "$(stat -c %s "$file")" /dev/zero | dd of="$file" conv=notrunc status=none
    touch -r stamp "$file"
    count=$((count + 1))
  done < <(find tree/gpu -name '*.csv')
  for r in 1 2 3; do
    ranks $r "$scalelaw" ingest tree --jobs tree/jobs.csv --store study.db -o "$r.csv" 2> err || fail "$r ranks: $(cat err)"
    grep -q "; $count unchanged and not read" err || fail "$r ranks read: $(cat err)"
    same one.csv "$r.csv"
  done
}

test_two_jobs_add_to_one_store() {
  make_tree tree
  find tree/gpu -name '*.csv' | sort > files
  "$scalelaw" --quiet ingest tree --jobs tree/jobs.csv -o one.csv || fail "one process"
  local round part jobs
  for round in 1 2 3; do
    jobs=()
    for part in 1 2; do
      # Jobs that begin at once may both make Open MPI's folder of sessions, and one of them fails.
      mkdir -p "mpi$part"
      OMPI_MCA_orte_tmpdir_base=$PWD/mpi$part timeout 60 mpirun $root_flag $oversubscribe -np 2 "$scalelaw" ingest $(sed -n "$part~2p" files) --jobs tree/jobs.csv --store "$round.db" > /dev/null 2> "err$part" &
      jobs+=($!)
    done
    for part in 1 2; do
      wait "${jobs[$((part - 1))]}" || fail "round $round, job $part: status $?: $(cat "err$part")"
    done
    "$scalelaw" store export "$round.db" > export.csv || fail "no export"
    same one.csv export.csv
  done
}

# If another process adds to the store while the table is made, the first rank makes it again, alone.
test_ranks_end_while_another_process_adds_to_their_store() {
  command -v python3 > /dev/null || skip "there is no python3"
  make_tree tree
  "$scalelaw" --quiet ingest tree --jobs tree/jobs.csv --store study.db -o one.csv || fail "one process"
  python3 -c '
import sqlite3, time
store = sqlite3.connect("study.db", timeout=60, isolation_level=None)
while True:
    store.execute("UPDATE settings SET value = value + 1 WHERE name = \"revision\"")
    time.sleep(0.001)' &
  local adding=$! r
  for r in 2 3; do
    timeout 30 mpirun $root_flag $oversubscribe -np $r "$scalelaw" ingest tree --jobs tree/jobs.csv --store study.db -o "$r.csv" 2> err ||
      { kill $adding; fail "$r ranks: status $?: $(cat err)"; }
    same one.csv "$r.csv"
  done
  kill $adding || fail "nothing was added: $(cat err)"
}

test_a_bad_file_is_named() {
  make_table a.csv 300000
  awk 'NR == 250000 { print "model-1,2,r1,many"; next } { print }' a.csv > b.csv
  awk 'NR == 200000 { print "model-1,2,r1,few"; next } { print }' a.csv > c.csv
  "$scalelaw" fit a.csv b.csv c.csv > /dev/null 2> one.err && fail "one process fits it"
  local r
  for r in 2 5; do
    ranks $r "$scalelaw" fit a.csv b.csv c.csv -o out.csv > out 2> err
    [ $? = 2 ] || fail "exit status $?"
    grep -q 'error: b.csv:250000: field 4' err || fail "the row is not named: $(cat err)"
    [ "$(grep -c 'error:' err)" = 1 ] || fail "said more than once: $(cat err)"
    [ ! -s out ] && [ ! -e out.csv ] || fail "there is an output"
    ranks $r "$scalelaw" fit a.csv missing.csv > out 2> err
    [ $? = 2 ] || fail "exit status $?"
    [ "$(grep -c 'missing.csv' err)" = 1 ] || fail "the missing file is not named once: $(cat err)"
  done
}

test_no_rank_lets_a_file_be_replaced_that_is_read() {
  mkdir -p logs/version_0
  printf 'epoch,step,train_loss\n0,9,2.5\n1,19,2.1\n' > logs/version_0/metrics.csv
  printf 'lr: 0.1\ngpus: 4\n' > logs/version_0/hparams.yaml
  cp logs/version_0/hparams.yaml before.yaml
  local threads
  for threads in 1 2; do
    ranks 2 "$scalelaw" ingest logs/version_0/metrics.csv -o logs/version_0/hparams.yaml --threads $threads 2> err && fail "it was read"
    grep -q 'the call reads this file, and its output would replace it' err || fail "$(cat err)"
    same before.yaml logs/version_0/hparams.yaml
  done
}

test_other_commands_are_done_by_the_first_rank() {
  make_table a.csv 5000
  "$scalelaw" rank a.csv -b model > one.txt 2> /dev/null || fail "one process"
  ranks 3 "$scalelaw" rank a.csv -b model > three.txt 2> err || fail "three ranks: $(cat err)"
  same one.txt three.txt
  [ "$(ranks 3 "$scalelaw" --version)" = "$("$scalelaw" --version)" ] || fail "more than one version"
  ranks 3 "$scalelaw" rank a.csv --oops > out 2> err
  [ $? = 2 ] || fail "exit status of a bad call: $?"
  [ "$(grep -c 'there is no option' err)" = 1 ] || fail "not said once: $(cat err)"
}

# Only one process can read a pipe.
test_standard_input_is_read_by_the_first_rank() {
  make_table a.csv 20000
  "$scalelaw" --quiet fit - -b model < a.csv > one.txt 2> /dev/null || fail "one process"
  ranks 2 "$scalelaw" --quiet fit - -b model < a.csv > two.txt 2> err || fail "two ranks: $(cat err)"
  same one.txt two.txt
}

test_without_a_launcher_mpi_is_not_loaded() {
  make_table a.csv 2000
  ldd "$scalelaw" | grep -q libmpi && fail "the command is linked with MPI"
  # A batch script of Slurm has these variables, and is one process.
  SLURM_PROCID=0 SLURM_NTASKS=4 LD_DEBUG=libs "$scalelaw" fit a.csv -b model > /dev/null 2> libraries || fail "fit"
  grep -q 'libmpi' libraries && fail "MPI was loaded"
  SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 "$scalelaw" fit a.csv > /dev/null 2> err
  [ $? = 2 ] || fail "tasks that are not joined: exit status $?"
  grep -q -- '--mpi=pmix' err || fail "no advice: $(cat err)"
  SCALELAW_MPI=off SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 "$scalelaw" fit a.csv -b model > /dev/null 2>&1 || fail "off"
}

cd "$work" || exit 1
"$test_name"
