#!/usr/bin/env bash
# Tests of the whole command: cli_test.sh BINARY SOURCE_FOLDER TEST. Each function named test_* is one test (ctest
# calls it by name); it passes if it returns.

. "$(dirname "${BASH_SOURCE[0]}")/../support/command.sh"

# A table with one group that has no law: a single number of GPUs.
table_with_a_failing_group() {
  printf 'model,gpus,seconds\nA,1,10\nA,2,5.2\nA,4,2.4\nA,8,1.3\nB,4,10\nB,4,11\nB,4,12\n' >runs.csv
}

## Results

# The same speeds, four times written: by 1000 tokens, by the step, by 1000 steps.
test_a_budget_counts_the_multiples_in_names() {
  local runs=$source_folder/data/budget/runs.csv columns
  for columns in tokens_per_second:1 kTok/s:1e-3 'step_time_s:1e6' 'time per 1000 steps (s):1e9'; do
    awk -F, -v name="${columns%%:*}" -v unit="${columns##*:}" 'BEGIN { OFS = "," }
      NR == 1 { print "parameters,tokens,gpus,tokens_per_step", name, "loss"; next }
      { print $1, $2, $3, 1000000, sprintf("%.9g", unit > 1000 ? unit / $4 : unit * $4), $6 }' "$runs" >b.csv
    "$binary" budget b.csv --days 7 --gpus 32 2>/dev/null | grep -q 'the best model has 4.44B parameters' ||
      fail "another plan by $columns"
  done
}

test_fit_writes_only_results_to_stdout() {
  run fit "$demo" --format csv --columns model,n
  expect_status 0
  [ "$(head -n 1 out)" = model,n ] || fail "the first line is no header"
  [ "$(wc -l <out)" = 17 ] || fail "expected a header and 16 groups"
  expect_err "x: gpus, y: epoch_seconds, by: model, power_cap_w, clock_mhz"
}

test_a_column_says_the_same_alone_and_among_all() {
  local columns column place=0
  run fit "$demo" --format tsv --quiet
  mv out all.tsv
  IFS=$'\t' read -r -a columns <all.tsv
  [ "${#columns[@]}" -gt 40 ] || fail "few columns: ${columns[*]}"
  for column in "${columns[@]}"; do
    place=$((place + 1))
    [ "$column" != model ] || continue
    run fit "$demo" --format tsv --columns "model,$column" --quiet
    expect_status 0
    cut -f "1,$place" all.tsv >expected
    expect_same expected out
  done
}

# Two groups, and columns that bear the names of results.
table_with_names_of_results() {
  printf 'status,message,power,n,beta,gpus,seconds\n' >names.csv
  local i
  for i in 1 2 4 8; do printf '1,2,3,4,5,%s,%s\n6,7,8,9,10,%s,%s\n' "$i" "$((80 / i))" "$i" "$((90 / i))" >>names.csv; done
}

test_a_report_renames_group_columns_that_bear_the_title_of_a_figure() {
  table_with_names_of_results
  run report names.csv -b n,beta,status -o report.md
  expect_status 0
  grep -Eq '^\| group_n +\| group_beta +\| status +\| +n \| +gpus \| +alpha \| +beta \|' report.md ||
    fail "titles: $(grep '^| ' report.md)"
}

test_rank_calls_group_columns_alike_in_tables_and_csv() {
  table_with_names_of_results
  local format
  for format in csv table; do
    run rank names.csv -b status,message,power,n --format "$format" --quiet
    expect_status 0
    expect_out "$(printf 'group_status group_message group_power group_n' | sed "s/ /$([ "$format" = csv ] && echo , || echo '  ')/g")"
  done
}

test_columns_that_are_not_there_are_refused_in_every_format() {
  local format
  for format in csv json jsonl; do
    run fit "$demo" --columns nonsense --format "$format"
    expect_status 2
    expect_err "--columns: there is no column 'nonsense'; columns are: model"
    run predict "$demo" --backtest --columns nonsense --format "$format"
    expect_status 2
    expect_err "--columns: there is no column 'nonsense'"
  done
  for format in csv json junit github; do
    run gate "$demo" "$demo" --columns nonsense --format "$format"
    expect_status 2
    expect_err "--columns: there is no column 'nonsense'"
  done
  run fit "$demo" --columns model,beta --format json
  expect_status 0
}

test_an_ending_that_tells_no_format_is_refused() {
  run fit "$demo" -o result.xlsx
  expect_status 2
  expect_err "-o result.xlsx: no format has this ending. Endings that tell the format are .json, .jsonl, .csv, .tsv, .md, .tex, .html; .txt or none is a table"
  [ ! -e result.xlsx ] || fail "there is a result all the same"
  run gate "$demo" "$demo" -o result.tsv
  expect_status 2
  expect_err ".json, .csv, .md, .xml"
  run fit "$demo" -o result.xlsx --format csv
  expect_status 0
  run generate -o runs.xlsx
  expect_status 2
  expect_err "-o runs.xlsx: scalelaw writes no .xlsx files"
  run fit "$demo" -o result.txt
  expect_status 0
  run fit "$demo" -o result
  expect_status 0
  expect_same result.txt result
  run fit "$demo" -o result.md
  run fit "$demo" --format md
  expect_same result.md out
}

test_settings_that_groups_pool_are_named() {
  run fit "$demo" -b model --where clock_mhz=1380
  expect_err "whatever the value of power_cap_w: -b adds a column, --where picks a value"
  run fit "$demo" -b model,power_cap_w --where clock_mhz=1380
  ! grep -q whatever err || fail "nothing is pooled: $(cat err)"
}

test_quiet_leaves_stderr_empty() {
  run fit "$demo" --quiet
  expect_status 0
  expect_no_err
  run --quiet fit "$demo"
  expect_status 0
  expect_no_err
}

test_the_same_bytes_for_any_number_of_threads() {
  local threads table
  # Several threads read the second one at once, because it is larger than one part.
  "$binary" --quiet generate --replicates 8000 -o large.csv || fail "exit status $?"
  [ "$(stat -c %s large.csv)" -gt 8000000 ] || fail "large.csv is too small to be shared out"
  for table in "$demo" large.csv; do
    run fit "$table" --format json --threads 1
    cp out one
    for threads in 2 7; do
      run --threads "$threads" fit "$table" --format json
      expect_same one out
    done
  done
}

test_standard_input_and_output() {
  "$binary" fit - -o - --format csv --quiet <"$demo" >piped || fail "exit status $?"
  run fit "$demo" --format csv --quiet
  expect_same out piped
}

test_missing_and_bad_rows_are_counted() {
  printf 'model,gpus,seconds\nA,1,10\nA,2,5\nA,4,NA\nA,x,3\nA,8,1.3\nA,16,0.6\n' >runs.csv
  run fit runs.csv
  expect_status 2
  expect_err "runs.csv:5"
  run fit runs.csv --skip-bad-rows
  expect_status 0
  expect_err "1 of 6 rows has no value of 'seconds': left out"
  expect_err "1 of 6 rows is malformed and left out. The first:"
  run fit runs.csv --skip-bad-rows --quiet
  expect_err "1 of 6 rows is malformed"
}

test_epochs_are_not_runs() {
  printf 'job_id,epoch,gpus,seconds\n' >runs.csv
  local n epoch
  for n in 1 2 4 8; do
    for epoch in 1 2 3; do echo "job$n,$epoch,$n,$((1000 / n + epoch))" >>runs.csv; done
  done
  run fit runs.csv
  expect_status 0
  expect_err "epochs-as-runs"
  expect_err "--run job_id"
  [ "$(grep -c epochs-as-runs err)" = 1 ] || fail "said more than once"
  run fit runs.csv --run job_id
  ! grep -q epochs-as-runs err || fail "warned although --run is given"
  run fit runs.csv --run job_id --se cluster
  expect_status 0
}

# A store and ingest write such tables, so there is nothing to warn of.
test_runs_of_one_row_are_no_epochs() {
  printf 'job_id,gpus,seconds\na,1,10\nb,2,5.1\nc,4,2.6\nd,8,1.2\n' >runs.csv
  run fit runs.csv
  expect_status 0
  ! grep -q epochs-as-runs err || fail "warned: $(cat err)"
  echo 'd,8,1.3' >>runs.csv
  run fit runs.csv
  expect_err "epochs-as-runs: the column 'job_id' is not used"
}

test_an_empty_by_is_one_group() {
  run fit "$demo" -b '' --format csv --columns n --quiet
  expect_status 0
  [ "$(sed -n 2p out)" = 432 ] || fail "not one group of all rows"
}

## Exit status

test_strict_exits_1_if_a_group_has_no_fit() {
  table_with_a_failing_group
  run fit runs.csv
  expect_status 0
  expect_err "1 of 2 groups has no fit"
  expect_out "model B has no fit"
  run fit runs.csv --strict
  expect_status 1
  expect_out "model B has no fit"
  run fit runs.csv --strict --where model=A
  expect_status 0
}

test_failed_groups_in_every_format() {
  table_with_a_failing_group
  run fit runs.csv --format csv --columns model,status,code
  expect_out "B,failed,too-few-x"
  run fit runs.csv --format json
  expect_out '"code": "too-few-x"'
  run fit runs.csv --format jsonl
  [ "$(wc -l <out)" = 2 ] || fail "not one line a group"
}

test_mistakes_exit_2_and_name_the_nearest() {
  run fti "$demo"
  expect_status 2
  expect_no_out
  expect_err "did you mean 'fit'?"
  run fit --lwa power "$demo"
  expect_status 2
  expect_err "did you mean --law?"
  run fit --law pwoer "$demo"
  expect_status 2
  expect_err "did you mean 'power'?"
  run fit "$demo" --columns mdel
  expect_status 2
  expect_err "did you mean 'model'?"
  run help ft
  expect_status 2
  expect_err "did you mean 'fit'?"
  run plot scalling "$demo"
  expect_status 2
  expect_err "did you mean 'scaling'?"
}

test_words_that_do_not_go_together_exit_2() {
  local call
  while read -r call; do
    # shellcheck disable=SC2086 # The words of a call are meant to be split.
    run $call
    expect_status 2
    expect_no_out
    [ "$(wc -l <err)" = 1 ] || fail "not one sentence for '$call': $(cat err)"
  done <<CALLS
fit
fit $demo --se cluster
fit $demo --se cr2
fit $demo --se cluster --run replicate --points mean
fit $demo --weights gpus --points mean
fit $demo --weights gpus --run replicate
fit $demo --confidence 0
fit $demo --confidence 1
fit $demo --confidence nan
fit $demo --bootstrap 1
fit $demo --bootstrap -5
fit $demo --threads 1.5
fit $demo --seed x
fit $demo --format xml
fit $demo -o
fit -x
plot
plot scaling
plot scaling $demo -o figure.bmp
completion
completion tcsh
generate --gpus 2,x
generate --gpus 0
generate --noise -1
generate --replicates 0
generate --laws missing.csv
CALLS
}

test_inputs_that_cannot_be_used_exit_2() {
  run fit missing.csv
  expect_status 2
  expect_err "missing.csv"
  mkdir empty
  run fit empty
  expect_status 2
  run fit "$demo" --where model=Nobody
  expect_status 2
  expect_no_out
  expect_err "no row"
  if [ "$(id -u)" != 0 ]; then
    cp "$demo" secret.csv
    chmod 000 secret.csv
    run fit secret.csv
    expect_status 2
    expect_err "secret.csv"
  fi
}

## Output

test_a_full_disk_is_an_error() {
  [ -e /dev/full ] || return 0
  "$binary" fit "$demo" --quiet >/dev/full 2>err
  status=$?
  expect_status 2
  expect_err "cannot write standard output: No space left on device"
  run fit "$demo" --quiet -o /dev/full
  expect_status 2
  [ -c /dev/full ] || fail "/dev/full was replaced"
}

test_a_closed_pipe_ends_quietly() {
  local format
  for format in csv json table; do
    { "$binary" fit "$demo" --quiet --format "$format"; echo $? >status; } 2>err | true
    [ "$(cat status)" = 0 ] || fail "exit status $(cat status) for $format"
    expect_no_err
  done
  { "$binary" generate --replicates 2000; echo $? >status; } 2>err | head -n 1 >out
  [ "$(cat status)" = 0 ] || fail "exit status $(cat status)"
  expect_no_err
}

test_a_closed_stdout_is_an_error() {
  "$binary" fit "$demo" --quiet >&- 2>err
  status=$?
  expect_status 2
  expect_err "cannot write standard output"
}

test_a_missing_folder_is_an_error() {
  run fit "$demo" -o missing/fits.csv
  expect_status 2
  expect_err "there is no folder"
}

test_a_file_is_replaced_only_by_a_whole_result() {
  echo old >fits.csv
  run fit "$demo" -o fits.csv --columns nothing --format csv
  expect_status 2
  [ "$(cat fits.csv)" = old ] || fail "the old file is gone"
  run fit "$demo" -o fits.csv --columns model,n --format csv
  expect_status 0
  expect_no_out
  [ "$(head -n 1 fits.csv)" = model,n ] || fail "not the new result"
  [ "$(find . -name '.scalelaw*' | wc -l)" = 0 ] || fail "a temporary file is left"
}

test_an_interrupted_call_leaves_nothing() {
  # The thread sanitizer delays a signal until the call in which the program waits returns.
  if grep -q __tsan_init "$binary"; then echo skipped: the thread sanitizer holds signals back; return; fi
  mkfifo pipe
  mkdir out_folder
  "$binary" fit pipe -o out_folder/fits.csv 2>err &
  local process=$!
  local tries=0
  until [ -n "$(ls -A out_folder)" ] || [ $((tries += 1)) = 100 ]; do sleep 0.05; done
  kill -TERM "$process"
  wait "$process"
  [ $? = 143 ] || fail "not ended by the signal"
  [ -z "$(ls -A out_folder)" ] || fail "left behind: $(ls -A out_folder)"
}

## Telemetry

# A tree with two jobs, and a table of these jobs.
make_tree() {
  local header=timestamp,gpu_index,utilization_gpu_pct,utilization_memory_pct,memory_free_MiB,memory_used_MiB,temperature_gpu,temperature_memory,power_draw_W,pcie_link_width_current
  mkdir -p tree/gpu/0000
  printf '%s\n1600000000.0,0,50,10,1,2,3,4,100,16\n1600000002.0,0,70,10,1,2,3,4,200,16\n' $header >tree/gpu/0000/11-r1-n1.csv
  printf '%s\n1600000000.0,0,90,10,1,2,3,4,100,16\n1600000001.0,0,90,10,1,2,3,4,100,16\n' $header >tree/gpu/0000/12-r1-n1.csv
  printf 'job_id,model,epochs\n11,bert,2\n12,bert,1\n' >jobs.csv
}

test_ingest_makes_a_run_table() {
  make_tree
  run ingest tree --jobs jobs.csv -o runs.csv
  expect_status 0
  expect_no_out
  expect_err "2 files"
  expect_err "4 samples of 2 jobs"
  [ "$(cut -d, -f 1-7,15 runs.csv | sed -n 2p)" = "11,bert,2,1,1,2,2,300" ] || fail "$(cat runs.csv)"
  run fit runs.csv -x gpus -y energy_j
  expect_status 1  # One job has no law.
}

test_ingest_names_bad_files_and_keeps_the_others() {
  make_tree
  printf 'not a trace\n' >tree/notes.txt
  printf '\037\213damaged' >tree/13-r1-n1.csv.gz
  run ingest tree
  expect_status 2
  [ "$(wc -l <out)" = 3 ] || fail "expected a header and two jobs: $(cat out)"
  expect_err "left out: tree/notes.txt: this is no known telemetry format"
  expect_err "left out: tree/13-r1-n1.csv.gz"
  expect_err "2 files could not be used"
  run ingest tree --skip-bad-files
  expect_status 0
}

test_a_glob_takes_folders_as_they_are_named() {
  make_tree
  mkdir tree/gpu/0001
  mv tree/gpu/0000/12-r1-n1.csv tree/gpu/0001
  "$binary" ingest tree --quiet -o plain.csv || fail "exit status $?"
  run ingest 'tree/gpu/000[01]' -o globbed.csv
  expect_status 0
  expect_same plain.csv globbed.csv
  run ingest 'tree/gpu/*' --store globbed.db -o stored.csv
  expect_status 0
  expect_same plain.csv stored.csv
  mkdir -p runs/a runs/b
  "$binary" generate --quiet -o runs/a/a.csv
  "$binary" generate --quiet --seed 7 -o runs/b/b.csv
  "$binary" fit runs --format csv >whole
  run fit 'runs/*' --format csv
  expect_status 0
  expect_same whole out
}

test_ingest_takes_standard_input_and_compressed_traces() {
  make_tree
  "$binary" ingest tree/gpu/0000/11-r1-n1.csv --quiet | sed 's/^11/stdin/' >plain
  "$binary" ingest - --quiet <tree/gpu/0000/11-r1-n1.csv >piped || fail "exit status $?"
  expect_same plain piped
  gzip -k tree/gpu/0000/11-r1-n1.csv
  "$binary" ingest tree/gpu/0000/11-r1-n1.csv.gz --quiet | sed 's/^11/stdin/' >packed
  expect_same plain packed
}

test_ingest_refuses_what_makes_no_sense() {
  make_tree
  run ingest
  expect_status 2
  expect_err "no input"
  run ingest tree --format supercluod
  expect_status 2
  expect_err "supercloud"
  run ingest tree --max-gap 0
  expect_status 2
  expect_err "expected a number above 0"
  run ingest tree --jobs missing.csv
  expect_status 2
  expect_err "missing.csv"
  run ingest tree -o missing/runs.csv
  expect_status 2
  run ingest tree/gpu/0000/11-r1-n1.csv -o tree/gpu/0000/11-r1-n1.csv
  expect_status 2
  expect_err "would replace this input"
  mkdir empty
  run ingest empty
  expect_status 2
}

test_ingest_gives_the_same_bytes_for_any_number_of_threads() {
  local threads
  "$binary" --quiet generate --traces tree --jobs 24 || fail "exit status $?"
  run ingest tree --jobs tree/jobs.csv --threads 1
  cp out one
  for threads in 2 7; do
    run ingest tree --jobs tree/jobs.csv --threads "$threads"
    expect_same one out
  done
}

## Settings

test_flags_win_over_environment_over_file() {
  mkdir -p project/deep
  printf 'threads = 1\ncolor = "always"\n[fit]\nse = "hc3"\nwhere = ["gpus<=32", "model!=BERT"]\n' \
    >project/scalelaw.toml
  cd project/deep || exit 1
  run fit --print-config
  expect_status 0
  expect_out 'threads = 1'
  expect_out 'color = "always"'
  expect_out 'se = "hc3"'
  expect_out 'where = ["gpus<=32", "model!=BERT"]'
  SCALELAW_COLOR=never SCALELAW_THREADS=2 run fit --print-config --se classic
  expect_out 'threads = 2'
  expect_out 'color = "never"'
  expect_out 'se = "classic"'
  SCALELAW_COLOR=never run fit --print-config --color auto
  expect_out 'color = "auto"'
  printf 'threads = 5\n' >other.toml
  run fit --config other.toml --print-config
  expect_out 'threads = 5'
  expect_out 'se = "classic"'
  run fit "$demo" --color never --quiet --format csv --columns model
  ! grep -q BERT "$work/out" || fail "the conditions of the settings file do not hold"
}

test_print_config_can_be_read_back() {
  run fit --print-config -b model,gpus --where 'a="x"' --where 'b=1\2' --confidence 0.9 --strict
  cp out settings.toml
  run fit --config settings.toml --print-config
  expect_same settings.toml out
}

test_settings_may_list_names() {
  printf 'by = ["model", "clock_mhz"]\n\n[predict]\nat = [512, 1024]\n' >scalelaw.toml
  run fit "$demo"
  expect_status 0
  expect_err 'by: model, clock_mhz'
  run fit "$demo" --print-config
  expect_out 'by = "model,clock_mhz"'
  run predict "$demo" --where power_cap_w=250 --format csv --columns x --quiet
  [ "$(sort -u out | tr '\n' ' ')" = '1024 512 x ' ] || fail "$(sort -u out)"
}

test_common_settings_stand_once_for_all_commands() {
  printf 'by = "model"\nwhere = ["power_cap_w=250"]\n\n[rank]\nby = "clock_mhz"\n' >scalelaw.toml
  run fit "$demo"
  expect_status 0
  expect_err 'by: model'
  run rank "$demo"
  expect_err 'by: clock_mhz'
  run predict "$demo" -b ''
  expect_err 'by: nothing (one group)'
  run fit "$demo" -o fits.json
  run predict fits.json --at 512
  expect_status 0
  run fit --print-config
  expect_out 'where = ["power_cap_w=250"]'
}

test_help_explains_codes() {
  run help curved
  expect_status 0
  expect_out 'scalelaw rank compares it with others'
  run help warnings
  expect_status 0
  for code in curved few-nights too-few-x; do expect_out "$code"; done
  run help curvd
  expect_status 2
  expect_err "there is no help on 'curvd', did you mean 'curved'?"
}

test_version_is_a_command_and_an_option() {
  run version
  expect_status 0
  mv out version
  run --version
  expect_same version out
}

test_plot_of_a_table_draws_scaling() {
  run plot "$demo" --where model=BERT --where power_cap_w=250 --terminal
  expect_status 0
  mv out without
  run plot scaling "$demo" --where model=BERT --where power_cap_w=250 --terminal
  expect_same without out
  run plot runs.cvs
  expect_status 2
  expect_err 'runs.cvs: no such file'
  run plot scalign "$demo"
  expect_status 2
  expect_err "did you mean 'scaling'?"
}

# refused_settings TEXT SENTENCE: settings of this text are no settings.
refused_settings() {
  printf '%b' "$1" >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "$2"
}

test_settings_are_toml() {
  refused_settings '=1\n' 'bad.toml:1:1: this is no TOML'
  refused_settings '[fit]]\n' 'bad.toml:1:6: this is no TOML'
  refused_settings '[fit]\nby\n' 'bad.toml:2:3: this is no TOML'
  refused_settings 'threads = 1\nthreads = 2\n' 'bad.toml:2'
  refused_settings '[fit.deep]\nby = "model"\n' "bad.toml:1: there is no command 'fit.deep'"
  refused_settings '[fit]\nby = [["model"]]\n' "bad.toml:2: 'by': expected a value or a list of values"
  # Texts with escapes, dotted names and numbers mean what TOML says.
  printf 'fit.by = "mod\\u0065l"\nfit.confidence = 0.9\n' >good.toml
  run fit --config good.toml --print-config
  expect_status 0
  expect_out 'by = "model"'
  expect_out 'confidence = 0.9'
}

test_settings_take_little_memory() {
  python3 - <<'PYTHON'
open("bad.toml", "w").write("\n".join("[%s]" % ".".join(["a%d" % i] * 80) for i in range(60)))
open("long.toml", "w").write("# " + "a" * (1 << 20))
open("points.toml", "w").write("a" + ".a" * 1001 + " = 1")
PYTHON
  (ulimit -v 2000000; "$binary" --config bad.toml --version >out 2>err) && fail "nested tables are taken"
  grep -q "bad.toml:1: there is no command 'a0'" err || fail "$(cat err)"
  run fit --config long.toml "$demo"
  expect_status 2
  expect_err 'long.toml: a settings file has at most 1 MiB'
  run fit --config points.toml "$demo"
  expect_status 2
  expect_err 'points.toml:1: a line of a settings file has at most 1000 points'
}

test_a_table_named_twice_counts_once_and_is_told() {
  cp "$demo" a.csv
  ln -s a.csv b.csv
  for call in "fit a.csv a.csv" "rank a.csv b.csv" "look b.csv a.csv b.csv" "energy a.csv ./a.csv"; do
    run $call
    expect_status 0
    expect_err 'counts once'
  done
  expect_err 'note: a.csv, another name of ./a.csv, counts once'
  for call in "fit a.csv" "gate a.csv a.csv" "gate a.csv b.csv"; do
    run $call
    grep -q 'counts once' err && fail "$call: $(cat err)"
  done
  return 0
}

test_links_out_of_a_folder_are_not_followed() {
  local run=mlruns/0/abc
  mkdir -p $run/params $run/tags $run/metrics tables other
  printf 'artifact_uri: x\nrun_id: abc\nstatus: 3\nlifecycle_stage: active\nstart_time: 1700000000000\nend_time: 1700000100000\n' >$run/meta.yaml
  printf 'name: study\n' >mlruns/0/meta.yaml
  echo 8 >$run/params/gpus
  echo private >other/text
  ln -s ../../../../other/text $run/params/model
  ln -s "$PWD/other" $run/tags/outside
  ln -s gpus $run/params/devices
  run ingest mlruns
  expect_status 0
  grep -q private out && fail "the text of another place: $(cat out)"
  grep -q 'devices' out || fail "a link within the run is not read: $(cat out)"
  expect_err "is a link that leads out of its folder: left out, as are"
  cp "$demo" tables/a.csv
  run fit tables
  cp out expected
  cp "$demo" other/b.csv
  ln -s ../other/b.csv tables/b.csv
  ln -s a.csv tables/c.csv
  run fit tables
  expect_status 0
  cmp out expected || fail "the rows of another folder count"
  expect_err 'tables/b.csv is a link that leads out of its folder: left out; name its target to read it'
  expect_err 'note: tables/c.csv, another name of tables/a.csv, counts once'
  rm tables/a.csv
  run fit tables
  expect_status 2
  run fit tables/b.csv
  expect_status 0
}

test_documents_that_unpack_to_much_are_refused() {
  python3 - <<'PYTHON'
import gzip
def write(name, head, row, end):
    with gzip.open(name, "wb", 1) as file:
        file.write(head + row * (60_000_000 // len(row)) + end)
write("rows.json.gz", b"[", b'{"gpus": 8, "seconds": 12.5},', b'{"gpus": 4, "seconds": 25}]')
write("rows.html.gz", b"<table><tr><th>gpus</th><th>seconds</th></tr>", b"<tr><td>8</td><td>12.5</td></tr>\n", b"</table>")
write("rows.md.gz", b"# Runs\n\n| gpus | seconds |\n|---|---|\n", b"| 8 | 12.5 |\n", b"")
write("p.json.gz", b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0"},"values":[[1,"1"]', b',[2,"2"]', b"]}]}}")
PYTHON
  for call in "fit rows.json.gz" "fit rows.html.gz" "look rows.md.gz" "ingest p.json.gz"; do
    run --max-memory 150MB $call
    expect_status 2
    expect_err 'which is read as a whole: that may take more than 143 MB'
  done
}

test_the_page_runs_only_its_own_script_and_style() {
  run report "$demo" --where model=BERT -o page.html
  expect_status 0
  python3 - <<'PYTHON' || fail "a policy of the page"
import base64, hashlib, re
page = open("page.html", encoding="utf-8").read()
policy = re.search('Content-Security-Policy" content="([^"]*)"', page)[1]
def hashes(element):
    return [f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in re.findall(f"<{element}>(.*?)</{element}>", page, re.S)]
expected = f"default-src 'none'; style-src {' '.join(hashes('style'))}; script-src {' '.join(hashes('script'))}; img-src data:"
hexes = [hashlib.sha256(text.encode()).hexdigest() for text in re.findall("<style>(.*?)</style>", page, re.S)]
assert policy == expected, f"{policy}\n{expected}\nhexadecimal: {hexes}"
assert not re.search(r"<[^>]* (style|on[a-z]+)=", re.sub("<script.*?</script>", "", page, flags=re.S)), "the policy forbids styles and handlers in elements"
PYTHON
}

test_what_killed_calls_left_is_removed() {
  local ended
  ended=$(sh -c 'echo $$')
  touch ".scalelaw-$ended-0.part" ".scalelaw-$$-0.part" ".scalelaw-$ended-0.part.csv" ".scalelaw-$ended-1.part"
  (flock 9 && run fit "$demo" -o fits.json) 9>".scalelaw-$ended-1.part"
  [ ! -e ".scalelaw-$ended-0.part" ] || fail "what a killed call left is still there"
  for kept in ".scalelaw-$$-0.part" ".scalelaw-$ended-0.part.csv" ".scalelaw-$ended-1.part" fits.json; do
    [ -e "$kept" ] || fail "$kept is gone"
  done
}

test_settings_of_others_are_not_obeyed() {
  printf '[fit]\nby = "model"\n' >scalelaw.toml
  run fit "$demo"
  expect_err "settings: $PWD/scalelaw.toml"
  expect_err 'by: model'
  chmod o+w scalelaw.toml
  run fit "$demo"
  expect_status 0
  expect_err "scalelaw.toml is not obeyed: others may write to $PWD/scalelaw.toml. If it is meant, name it with --config"
  expect_err 'by: model, power_cap_w'
  run fit --config scalelaw.toml "$demo"
  expect_err 'settings: scalelaw.toml'
  chmod o-w scalelaw.toml
  chmod o+w .
  run fit "$demo"
  expect_err "others may write to $PWD"
  chmod o-w .
  # A repository's settings are its own.
  mkdir -p repository/.git repository/deep
  cd repository/deep || exit 1
  run fit "$demo"
  expect_status 0
  expect_err 'by: model, power_cap_w'
}

test_settings_name_outputs_only_below_their_folder() {
  mkdir deep
  printf 'precious\n' >precious.txt
  printf '[fit]\noutput = "%s/precious.txt"\n' "$PWD" >scalelaw.toml
  cp scalelaw.toml deep/other.toml
  cd deep || exit 1
  run fit "$demo"
  expect_status 2
  expect_err "scalelaw.toml:2: 'output': a settings file names outputs only where it lies in the working folder"
  run fit --config other.toml "$demo"
  expect_status 2
  expect_err 'precious.txt does not lie below the folder of the settings file; give --output in the call'
  [ "$(cat ../precious.txt)" = precious ] || fail "a file is gone"
  cd .. || exit 1
  printf '[fit]\noutput = "fits.csv"\n' >scalelaw.toml
  run fit "$demo"
  expect_status 0
  [ -s fits.csv ] || fail "the output that the settings name is not there"
}

test_settings_that_do_not_exist_are_refused() {
  echo 'theads = 1' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:1: there is no setting 'theads' at the top of the file, did you mean 'threads'?"
  printf '[ftt]\nlaw = "power"\n' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:1: there is no command 'ftt', did you mean [fit]?"
  printf '# Settings\nthreads = 2\n\n[fit]\nby = "model"\nlawz = "power"\n' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:6: there is no setting 'lawz' in [fit], did you mean 'law'?"
  printf '[plan]\nnight = "date"\n' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:2: there is no setting 'night' in [plan]; it belongs in the table of a command: [gate]"
  printf 'law = "power"\n' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:1: there is no setting 'law' at the top of the file; it belongs in the table of a command: [fit]"
  printf '[fit]\nthreads = 3\n' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:2: 'threads' is a setting of all commands: write it at the top of the file"
  run fit --config missing.toml "$demo"
  expect_status 2
  expect_err "missing.toml"
  SCALELAW_THREADS=many run fit "$demo"
  expect_status 2
  expect_err "--threads"
}

test_values_that_settings_cannot_take_are_named_with_their_line() {
  printf '# Settings\nthreads = "many"\n' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:2: 'threads': expected a whole number from 0 to"
  printf '[rank]\n\nconfidence = "abc"\n' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:3: 'confidence': expected a number between 0 and 1, found \"abc\""
  printf 'decimal = "x"\n' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:1: 'decimal': expected . or ,"
  printf '[fit]\nrate = "maybe"\n' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:2: 'rate': expected true or false, found \"maybe\""
  printf '[fit]\nconfidence = [0.9, 0.8]\n' >bad.toml
  run fit --config bad.toml "$demo"
  expect_status 2
  expect_err "bad.toml:2: 'confidence': expected one value, found [0.9, 0.8]: keep one of them"
  # What the call says instead stands.
  printf '[fit]\nconfidence = "abc"\n' >bad.toml
  run fit --config bad.toml "$demo" --confidence 0.9
  expect_status 0
}

test_global_options_may_stand_before_a_table() {
  run look "$demo"
  mv out expected
  local options
  for options in "--threads 2" "--threads=2 --quiet" "--color never"; do
    # shellcheck disable=SC2086
    run $options "$demo"
    expect_status 0
    expect_same expected out
  done
  run --threads 2 missing.csv
  expect_status 2
  expect_err "missing.csv"
}

## Colours

has_colour() { grep -q $'\x1b\\[' "$1"; }

test_no_colour_where_stdout_is_no_terminal() {
  run fit "$demo"
  ! has_colour out || fail "colours in a file"
  run fit "$demo" --color always
  has_colour out || fail "no colours with --color always"
  run fit "$demo" --color always --format csv
  ! has_colour out || fail "colours in CSV"
}

test_colour_in_a_terminal() {
  if ! script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    echo "skipped: no pseudo-terminal here"
    return 0
  fi
  script -qec "'$binary' fit '$demo' --quiet" /dev/null >out </dev/null
  has_colour out || fail "no colours in a terminal"
  NO_COLOR=1 script -qec "'$binary' fit '$demo' --quiet" /dev/null >out </dev/null
  ! has_colour out || fail "colours in spite of NO_COLOR"
  TERM=dumb script -qec "'$binary' fit '$demo' --quiet" /dev/null >out </dev/null
  ! has_colour out || fail "colours in a dumb terminal"
  script -qec "'$binary' fit '$demo' --quiet -o fits.txt" /dev/null >out </dev/null
  ! has_colour fits.txt || fail "colours in a file"
}

test_messages_break_at_the_words_of_a_terminal() {
  if ! script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    echo "skipped: no pseudo-terminal here"
    return 0
  fi
  script -qec "stty cols 70; '$binary' predict '$demo' --pool scatter --at 16" /dev/null \
    >out </dev/null || true
  grep -q "error:.*--pool scatter works with one law" out || fail "no message: $(cat out)"
  ! tr -d '\r' <out | sed 's/\x1b\[[0-9;]*m//g' | grep -E '^.{71,}$' || fail "a line is too long"
  run predict "$demo" --pool scatter --at 16
  [ "$(wc -l <err)" -eq 1 ] || fail "a log has the message in several lines"
}

## Help

test_help_comes_in_every_way() {
  run
  expect_status 0
  expect_out "scalelaw fit data/demo/runs.csv"
  run fit --help
  expect_status 0
  cp out first
  run help fit
  expect_same first out
  run --help
  expect_status 0
  run --version
  expect_status 0
  grep -qE '^scalelaw [0-9]+\.[0-9]+\.[0-9]+$' out || fail "no version: $(cat out)"
}

test_help_names_its_examples_first() {
  local command
  for command in ingest fit rank contrast predict plan gate energy caps pareto isoflop budget replay tail plot "plot replay" "plot budget" generate completion; do
    run help "$command"
    [ "$(sed -n 3p out)" = Examples ] || fail "help $command: no examples at the top"
  done
}

# Runs calls as written, from the root of the project; only /tmp becomes a folder of this test.
test_help_examples_run() {
  local command example count=0
  cd "$source_folder" || exit 1
  for command in ingest fit rank contrast predict plan gate energy caps pareto isoflop budget replay tail plot "plot replay" "plot budget" generate help completion; do
    while read -r example; do
      count=$((count + 1))
      case $example in *.png* | *.svg* | *.pdf* | *"scalelaw plot"*) command -v gnuplot >/dev/null || continue ;; esac
      (
        scalelaw() { "$binary" "$@"; }
        eval "${example//\/tmp\//$work/}"
      ) >"$work/out" 2>"$work/err" || fail "'$example': $(cat "$work/err")"
    done < <("$binary" help "$command" | sed -n '/^Examples$/,/^$/s/^  \(\(scalelaw\|printf\) .*\)/\1/p')
  done
  [ "$count" -ge 8 ] || fail "only $count examples found"
}

# The same for the pages of the reference: their indented calls, except those that show a form.
test_examples_of_the_reference_run() {
  local example count=0
  cd "$source_folder" || exit 1
  while read -r example; do
    count=$((count + 1))
    case $example in *"scalelaw plot"*) command -v gnuplot >/dev/null || continue ;; esac
    (
      scalelaw() { "$binary" "$@"; }
      eval "${example//\/tmp\//$work/}"
    ) >"$work/out" 2>"$work/err" || fail "'$example': $(cat "$work/err")"
  done < <(sed -n '/\(\[\|INPUT\|\.\.\.\)/d; s/^    \(scalelaw .*\)/\1/p' docs/reference/*.md)
  [ "$count" -ge 40 ] || fail "only $count examples found"
}

# The calls of the tutorial and the how-to pages run on tables of the names that they use.
test_examples_of_the_guides_run() {
  local example count=0
  mkdir guides && cd guides || exit 1
  cp "$source_folder/data/demo/runs.csv" runs.csv
  cp runs.csv new-runs.csv
  ln -s "$source_folder/data" data
  cp "$source_folder/data/two_scales/runs.csv" losses.csv
  cp "$source_folder/data/recipes/runs.csv" recipes.csv
  "$binary" --quiet generate --traces logs && cp logs/jobs.csv jobs.csv
  mkdir runs
  local n
  for n in 8 16 32; do
    cp "$source_folder/tests/fuzz/seeds/fuzz_trace_hf_log/ranks.txt" "runs/bert-${n}gpu.out"
  done
  printf 'gpus,tokens_per_second\n8,91000\n16,176000\n32,338000\n64,640000\n' >rates.csv
  printf 'gpus,images_per_second\n1,410\n2,800\n4,1590\n8,3100\n' >images.csv
  printf 'gpus,step_ms\n1,800\n2,410\n4,210\n8,110\n' >steps.csv
  printf 'flops,loss\n1e18,3.54\n1e19,2.98\n1e20,2.61\n1e21,2.33\n1e22,2.15\n' >best.csv
  printf 'nodes,epoch_seconds\n1,900\n2,470\n4,250\n8,136\n' >nodes.csv
  printf '%s\n' 'JobID|JobName|State|ElapsedRaw|AllocTRES|ConsumedEnergyRaw|Start|End' \
    '7|bert|COMPLETED|60|cpu=8,gres/gpu=4,mem=8G,node=1|90000|2026-01-02T03:04:05|2026-01-02T03:05:05' >slurm.txt
  while read -r example; do
    case $example in *"scalelaw plot"*) command -v gnuplot >/dev/null || continue ;; esac
    count=$((count + 1))
    (
      scalelaw() { "$binary" "$@"; }
      eval "$example"
    ) >"$work/out" 2>"$work/err" || fail "'$example': $(cat "$work/err")"
  done < <(cd "$source_folder/docs" && sed -n '/chinchilla.csv\|TIME\|generate -o\|--update/d; s/^ \{4,6\}\(scalelaw .*\)/\1/p' tutorial.md \
             how-to/{power-cap,how-many-gpus,telemetry,llm-losses}.md explanation/reading-a-fit.md)
  [ "$count" -ge 20 ] || fail "only $count examples found"
}

test_the_manual_page_is_up_to_date() {
  run help --man
  expect_status 0
  expect_same "$source_folder/docs/scalelaw.1" out
  command -v man >/dev/null || return 0
  man --warnings -l out 2>err >/dev/null
  expect_no_err
}

test_completions_are_well_formed() {
  local shell
  for shell in bash zsh fish; do
    run completion "$shell"
    expect_status 0
    expect_out hc2-bm
    command -v "$shell" >/dev/null || continue
    "$shell" -n out 2>err || fail "$shell: $(cat err)"
  done
}

# completed WORDS... prints what bash offers for the last word.
completed() {
  COMP_WORDS=(scalelaw "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _scalelaw
  echo "${COMPREPLY[*]}"
}

test_bash_completes_commands_options_and_choices() {
  # shellcheck disable=SC1090 # Made by the command under test.
  source <("$binary" completion bash)
  [ "$(completed f)" = fit ] || fail "command: $(completed f)"
  [ "$(completed fit --boot)" = "--bootstrap --bootstrap-kind" ] || fail "$(completed fit --boot)"
  [ "$(completed fit --law p)" = "power proportional" ] || fail "$(completed fit --law p)"
  [ "$(completed plot sc)" = scaling ] || fail "$(completed plot sc)"
  [ "$(completed plot replay --tr)" = --train ] || fail "$(completed plot replay --tr)"
  [ "$(completed fit x.csv --color a)" = "auto always" ] || fail "$(completed fit x.csv --color a)"
  [ -z "$(completed fit runs)" ] || fail "files are for the shell"
}

## generate

test_the_demo_study_can_be_made_again() {
  run generate --seed 2022 -o runs.csv
  expect_status 0
  expect_same "$demo" runs.csv
  run generate --laws "$source_folder/data/demo/laws.csv" --seed 2022
  expect_same "$demo" out
}

test_generate_takes_laws_and_settings() {
  printf 'model,alpha,beta\nA,100,1\n' >laws.csv
  run generate --laws laws.csv --gpus 1,2,4 --noise 0 --replicates 1
  expect_status 0
  printf 'model,gpus,replicate,epoch_seconds\nA,1,1,100\nA,2,1,50\nA,4,1,25\n' >expected
  expect_same expected out
}

test_traces_are_written_once() {
  run generate --traces tree --jobs 3
  expect_status 0
  expect_no_out
  [ "$(wc -l <tree/jobs.csv)" = 4 ] || fail "not three jobs"
  [ "$(find tree/gpu -name '*.csv' | wc -l)" = 7 ] || fail "not 1 + 2 + 4 nodes"
  run generate --traces tree --jobs 3
  expect_status 2
  expect_err "is not empty"
  run generate --traces tree2 --jobs 3
  diff -r tree tree2 || fail "not the same bytes"
}

## plot

needs_gnuplot() { command -v gnuplot >/dev/null; }

test_plot_draws_in_the_terminal_without_gnuplot() {
  mkdir bin
  local study="--where power_cap_w=250 --where clock_mhz=1380"
  # shellcheck disable=SC2086
  LC_ALL=C.UTF-8 PATH=$work/bin run plot scaling "$demo" $study
  expect_status 0
  expect_out "epoch_seconds [s]"
  expect_out "  A  BERT  beta 0.8754 ± 0.0066"
  expect_out "⠤⠤⠤ power law"
  grep -q '⠒' out || fail "no Braille"
  # shellcheck disable=SC2086
  LC_ALL=C PATH=$work/bin run plot scaling "$demo" $study
  expect_status 0
  expect_out "  A  BERT  beta 0.8754 +- 0.0066"
  LC_ALL=C grep -q '[^ -~]' out && fail "not ASCII"
  return 0
}

test_the_terminal_shows_the_forecast_and_both_bands() {
  LC_ALL=C.UTF-8 run plot forecast "$demo" --where model=BERT --where power_cap_w=250 --where clock_mhz=1380 --at 4096
  expect_status 0
  expect_out "4096 GPUs: 14.6 s"
  expect_out "new runs 11.3 to 18.8 s"
  expect_out "░░░ 95 % of new runs   ▒▒▒ 95 % interval of the curve"
  grep -q '◉' out || fail "the value has no ring"
}

# A leader ends where the curve of its group does, not at another line: here at (424, 107) of BERT.
test_leaders_end_at_what_they_name() {
  needs_gnuplot || return 0
  command -v python3 >/dev/null || return 0
  run plot scaling "$demo" --where power_cap_w=250 --where clock_mhz=1380 -b model -o figure.gp
  expect_status 0
  python3 - <<'ENDS' || fail "a leader misses its curve"
import math, re
text = open('figure.gp').read()
least, greatest = map(float, re.search(r'set yrange \[(\S+):(\S+)\]', text).groups())
# Curves come first and have 97 places each; colours tell whose they are.
ends = {}
plots = re.findall(r"'-' with (\S+) .*?lc rgb '(#\w+)' notitle", text)
blocks = text.split('\nplot ')[1].split('notitle\n', 1)[1].split('\ne\n')
for (kind, colour), block in zip(plots, blocks):
    rows = [row.split() for row in block.strip().splitlines()]
    if kind == 'lines' and len(rows) == 97:
        ends[colour] = float(rows[-1][1])
leaders = re.findall(r"set arrow from graph \S+ graph (\S+) to graph .* lc rgb '(#\w+)'", text)
assert len(leaders) == 6, leaders
for place, colour in leaders:
    value = least * (greatest / least) ** float(place)
    assert abs(math.log(value / ends[colour])) < 0.01, (colour, value, ends[colour])
ENDS
}

test_words_and_sizes_of_figures_can_be_chosen() {
  needs_gnuplot || return 0
  run plot scaling "$demo" --where model=BERT --title 'My run' --xlabel 'A100 GPUs' --ylabel 'one epoch [s]' -o figure.gp
  expect_status 0
  grep -q '^set label "My run"' figure.gp || fail "no title"
  grep -qF 'set xlabel "A100 GPUs"' figure.gp || fail "no label of x"
  grep -qF 'set ylabel "one epoch \133s\135"' figure.gp || fail "no label of y: $(grep ylabel figure.gp)"
  run plot scaling "$demo" --where model=BERT --size 640x480 -o figure.svg
  expect_status 0
  grep -q 'viewBox="0 0 640 480"' figure.svg || fail "another size"
  run plot scaling "$demo" --where model=BERT --size 50x15
  expect_status 0
  local size
  for size in 640 640x 100x100 9000x500 axb 500x-3; do
    run plot scaling "$demo" --where model=BERT --size $size -o figure.svg
    expect_status 2
    expect_err '--size: expected a width and a height in pixels from 300x300 to 4000x4000, such as 900x580, found'
  done
}

test_figures_have_one_look_in_all_formats() {
  needs_gnuplot || return 0
  local one="--where model=BERT --where power_cap_w=250 --where clock_mhz=1380"
  # shellcheck disable=SC2086
  run plot scaling "$demo" $one -o figure.svg
  expect_status 0
  # shellcheck disable=SC2086
  run plot scaling "$demo" $one -o figure.pdf
  ! grep -qi '"#ffffff"/>' figure.svg || fail "a white disc cuts the bars of points"
  # Words are in the two colours that differ enough from the page.
  [ "$(grep -o 'stroke="none" fill="rgb([^"]*"' figure.svg | tr -d ' ' | sort -u | tr '\n' ' ')" = \
    'stroke="none"fill="rgb(26,26,26)" ' ] || fail "$(grep -o 'stroke="none" fill="rgb([^"]*"' figure.svg | sort | uniq -c)"
  command -v python3 >/dev/null || return 0
  python3 - <<'RADII' || fail "points differ in size"
import re, zlib
svg = {float(radius) / 900 for radius in re.findall(r'scale\(([\d.]+)\)', open('figure.svg').read())}
pdf = open('figure.pdf', 'rb').read()
pages = []
for stream in re.findall(rb'stream\r?\n(.*?)endstream', pdf, re.S):
    try:
        pages.append(zlib.decompress(stream))
    except zlib.error:
        pass
# A disc begins at its right end; the first curve goes by its lower end.
discs = [(float(a), float(b)) for page in pages for a, b in re.findall(
    rb'\n([\d.]+) [\d.]+ m [\d.]+ [\d.]+ ([\d.]+) [\d.]+ [\d.]+ [\d.]+ c', page)]
radii = {round((a - b) / 2 / 468, 5) for a, b in discs}
assert len(svg) == 1 and len(radii) == 1, (svg, radii)
assert abs(svg.pop() / radii.pop() - 1) < 0.1
RADII
}

# A character that no font has would be drawn as a box over the whole figure.
test_plot_refuses_names_that_no_font_has() {
  needs_gnuplot || return 0
  printf 'model,gpus,seconds\n模型,1,100\n模型,2,55\n模型,4,30\n🚀b,1,90\n🚀b,2,50\n🚀b,4,28\n' >runs.csv
  mkdir -p fonts
  # fonts RANGES: as if fonts had these characters.
  fonts() { printf '#!/bin/sh\necho "%s"\n' "$1" >fonts/fc-list && chmod +x fonts/fc-list; }
  local path=$PATH format
  PATH=$PWD/fonts:$PATH
  fonts '20-7e a0-17f 4e00-9fff'
  for format in png pdf; do
    run plot scaling runs.csv --quiet -o figure.$format
    expect_status 2
    expect_err 'error: no font on this machine has 🚀, so that PNG and PDF cannot show names with it. Write an SVG (-o'
    [ ! -e figure.$format ] || fail "figure.$format was written"
  done
  fonts '20-7e a0-17f'
  run plot scaling runs.csv --quiet -o figure.png
  expect_err 'has 型 模 🚀, so that PNG and PDF cannot show names with them'
  run plot scaling runs.csv --quiet -o figure.svg
  expect_status 0
  grep -q '🚀b' figure.svg || fail "the SVG lacks a name"
  fonts '20-7e 578b 6a21 1f300-1f6ff'
  run plot scaling runs.csv --quiet -o figure.png
  expect_status 0
  PATH=$path
}

test_report_is_one_page() {
  run report "$demo" --quiet
  expect_status 0
  expect_no_out
  grep -q 'content="scalelaw ' report.html || fail "report.html names no maker"
  grep -qF "SHA-256 $(sha256sum <"$demo" | cut -d' ' -f1)" report.html || fail "the input's hash is missing"
  cp report.html first.html
  run report "$demo" --quiet --threads 1
  expect_status 0
  expect_same first.html report.html
  run report - --quiet -o - <"$demo"
  expect_status 0
  expect_out '<!DOCTYPE html>'
}

# The text of a report without its sources.
findings_of() { sed '/^## How to make it again/,$d; /runs of/d; s/(.*-figures/(figures/' "$1"; }

test_report_of_a_stream_is_that_of_a_file() {
  run report "$demo" --quiet --format markdown -o file.md
  expect_status 0
  findings_of file.md >of_file
  grep -q '^## What it takes in energy' of_file || fail "no section on energy"
  "$binary" report - --quiet --format markdown -o stream.md < <(cat "$demo") >out 2>err || fail "$(cat err)"
  grep -qF "standard input: $(wc -c <"$demo") bytes, SHA-256 $(sha256sum <"$demo" | cut -d' ' -f1)" stream.md ||
    fail "the stream's hash is missing"
  findings_of stream.md >of_stream
  expect_same of_file of_stream
  "$binary" report - --quiet --format markdown -o gzip.md < <(gzip -c "$demo") >out 2>err || fail "$(cat err)"
  findings_of gzip.md >of_gzip
  expect_same of_file of_gzip
}

test_report_takes_a_bound_on_the_slowdown() {
  run report "$demo" --quiet --format markdown -o five.md
  grep -qF 'for at most 5 % more time' five.md || fail "not 5 % without the option"
  run report "$demo" --quiet --max-slowdown 50% --format markdown -o fifty.md
  expect_status 0
  grep -qF 'whose time grows by at most 50 %' fifty.md || fail "--max-slowdown is not what the table says"
  grep -qF -- '--max-slowdown 50%' fifty.md || fail "the command of the report lacks it"
  run report "$demo" --max-slowdown 5
  expect_status 2
  expect_err '--max-slowdown: expected a limit above 0 and up to 100 %'
}

test_report_replaces_no_strangers() {
  echo mine >report.html
  run report "$demo"
  expect_status 2
  expect_err 'report.html exists and was not written by scalelaw report: choose another name with -o'
  [ "$(cat report.html)" = mine ] || fail "the file was replaced"
}

test_report_replaces_its_own() {
  local format
  for format in markdown latex; do
    run report "$demo" --quiet --format "$format"
    expect_status 0
    run report "$demo" --quiet --format "$format"
    expect_status 0
  done
}

test_report_writes_folders() {
  run report "$demo" --quiet --format markdown -o some/where
  expect_status 0
  [ -f some/where/report.md ] || fail "no report.md"
  run report "$demo" --quiet -o notes/study.tex
  expect_status 0
  [ -f notes/study.tex ] || fail "no study.tex"
  run report "$demo" --format latex -o page.html
  expect_status 2
  expect_err 'the ending asks for another format than --format latex'
}

test_report_refuses_the_endings_of_other_files() {
  local name
  for name in page.pdf notes.txt runs.csv page.htm; do
    run report "$demo" -o "$name"
    expect_status 2
    expect_err "-o $name: no report has the ending .${name#*.}: a file ends in .html, .md, .tex, .json; a folder of that name is $name/"
    [ ! -e "$name" ] || fail "there is $name"
  done
  mkdir runs.d
  for name in runs.d rep.old night.2026-11-26 page.pdf/; do
    run report "$demo" --where model=BERT --quiet --format html -o "$name"
    expect_status 0
    [ -s "$name/report.html" ] || fail "there is no report in $name"
  done
}

# Cells of such a table are cut, and standard input has no name.
test_the_way_from_sacct_to_a_run_table_can_be_gone() {
  printf 'JobID        AllocTRES  Elapsed  gpus\n------------ ---------- -------- ----\n1 billing=1 00:10:00 1\n2 billing=1 00:06:00 2\n' >people.txt
  printf 'JobID|State|ElapsedRaw|AllocTRES|gpus\n1|COMPLETED|100|gres/gpu=2|2\n2|COMPLETED|60|gres/gpu=4|4\n' >parsable.txt
  run look people.txt
  expect_out 'save that of sacct --parsable2, and `scalelaw ingest FILE -o runs.csv` takes them'
  "$binary" look - <parsable.txt >"$work/out" 2>err
  expect_out 'save it, and `scalelaw ingest FILE -o runs.csv` takes them'
  run look parsable.txt
  expect_out '`scalelaw ingest parsable.txt -o runs.csv` takes them'
  run ingest parsable.txt -o runs.csv
  expect_status 0
  "$binary" ingest - -o runs.csv <parsable.txt >"$work/out" 2>"$work/err" && fail "read"
  expect_err 'standard input: Slurm accounting (sacct): save it and name the file'
}

test_report_without_gnuplot_has_its_tables() {
  mkdir bin
  PATH=$work/bin run report "$demo" -o page.html
  expect_status 0
  expect_err 'warning: gnuplot is not installed, so'
  grep -q 'id="law-table"' page.html || fail "no table"
  ! grep -q '<svg viewBox' page.html || fail "a figure without gnuplot"
}

test_plot_writes_figures() {
  needs_gnuplot || return 0
  local ending magic
  while read -r ending magic; do
    run plot scaling "$demo" -o "figure.$ending"
    expect_status 0
    expect_no_out
    expect_err "Exponents range from"
    LC_ALL=C head -c 300 "figure.$ending" | grep -qaF "$magic" || fail "figure.$ending is none"
  done <<'KINDS'
svg <svg
pdf %PDF
png PNG
gp # gnuplot
KINDS
  gnuplot -d -e 'set terminal svg' figure.gp >again.svg 2>err || fail "the script does not run: $(cat err)"
}

test_plot_draws_every_kind() {
  needs_gnuplot || return 0
  local kind
  printf 'model,gpus,sm_util_mean_pct,mem_util_mean_pct,sm_util_cv,mem_util_cv\nA,2,98,40,0.1,0.2\nA,8,90,35,0.2,0.3\nB,2,80,50,0.1,0.1\nB,8,70,0,0.2,0\n' >util.csv
  while read -r kind options; do
    # shellcheck disable=SC2086
    run plot "$kind" $options -o "$kind.svg"
    expect_status 0
    grep -q '</svg>' "$kind.svg" || fail "$kind: no figure"
    ! grep -qwE 'NaN|nan|inf' "$kind.svg" || fail "$kind: an invented number"
    run plot "$kind" $options --terminal
    expect_status 0
    [ -s out ] || fail "$kind: nothing drawn"
  done <<EOF
scaling $demo
efficiency $demo -b model --where power_cap_w=250 --where clock_mhz=1380
residuals $demo -b model --where power_cap_w=250 --where clock_mhz=1380
rank $demo --where model=SchNet
forecast $demo --where model=BERT --at 4096
energy-speed $demo -b model --where power_cap_w=250 --where clock_mhz=1380
gpu-hours $demo -b model --where power_cap_w=250 --where clock_mhz=1380
caps $demo --setting power_cap_w --where clock_mhz=1380
pareto $demo --knobs power_cap_w,gpus -b model --where clock_mhz=1380 --eta 0,1
isoflop $source_folder/data/isoflop/runs.csv
budget $source_folder/data/budget/runs.csv --days 7
utilisation util.csv
variation util.csv
joint util.csv
profile $demo --law floor -b model --where power_cap_w=250 --where clock_mhz=1380
profile $demo --law broken --parameter beta_high -b model --where power_cap_w=250 --where clock_mhz=1380
replay --train $source_folder/data/replay/train.csv --power $source_folder/data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128
EOF
}

test_plot_says_what_to_see() {
  needs_gnuplot || return 0
  run plot scaling "$demo" --where power_cap_w=250 --where clock_mhz=1380 -o figure.svg
  expect_err 'Exponents range from 0.428 (SchNet) to 0.875 (BERT).'
  run plot caps "$demo" --setting power_cap_w --where clock_mhz=1380 -o caps.gp
  expect_err "Speed and energy by power_cap_w, relative to 250 W"
  grep -q "speed relative to 250 W" caps.gp || fail "no reference on the axis"
  run plot caps "$demo" -o figure.svg
  expect_status 2
  expect_err 'choose one: --setting power_cap_w or --setting clock_mhz'
  run plot pareto "$demo" -o figure.gp
  expect_status 0
  expect_err 'power_cap_w, clock_mhz, gpus are the settings that are compared; --knobs names others'
  run plot pareto "$demo" --knobs gpus -b model --where power_cap_w=250 --where clock_mhz=1380 -o figure.gp
  expect_status 0
  expect_err 'no cost is drawn: no column is a power limit'
  run plot pareto "$demo" --knobs gpus -b model --where clock_mhz=1380 --eta 0.5 -o figure.gp
  expect_status 2
  expect_err '--eta below 1 sets time against energy by the greatest power of a GPU'
  run plot utilisation "$demo" --where clock_mhz=1380 -b model,power_cap_w -o figure.svg
  expect_status 0
  expect_err 'Most change in memory: BERT, '
  cut -d, -f1-8 "$demo" >idle.csv
  run plot utilisation idle.csv -o figure.svg
  expect_status 2
  expect_err "no column 'sm_util_mean_pct'"
}

test_plot_scripts_are_as_they_were() {
  needs_gnuplot || return 0
  "$source_folder/tests/golden/make" "$binary" . 2>err || fail "$(cat err)"
  local kind
  for kind in scaling profile replay; do
    expect_same "$source_folder/tests/golden/plot_$kind.gp" "plot_$kind.gp"
  done
}

# different A B prints how many pixels of two pictures differ after both are blurred, which ignores the smoothing of
# letters.
different() {
  convert "$1" -colorspace sRGB -blur 0x1.5 a.png
  convert "$2" -colorspace sRGB -blur 0x1.5 b.png
  compare -metric AE -fuzz 8% a.png b.png null: 2>&1 || true
}
most_different=60

test_figures_look_as_they_did() {
  needs_gnuplot || return 0
  command -v compare >/dev/null || { echo "skipped: no ImageMagick"; return 0; }
  [ "$(fc-match -f '%{family}' sans 2>/dev/null)" = "DejaVu Sans" ] || { echo "skipped: another font"; return 0; }
  "$source_folder/tests/golden/make" "$binary" . 2>err || fail "$(cat err)"
  local kind count
  for kind in scaling profile replay; do
    count=$(different "$source_folder/tests/golden/plot_$kind.png" "plot_$kind.png")
    [ "$count" -le "$most_different" ] ||
      fail "plot_$kind.png differs from tests/golden in $count pixels; tests/golden/make draws all anew"
  done
}

# The comparison detects a missing label, a missing line, and missing marks of a group.
test_a_missing_label_line_or_mark_is_seen() {
  needs_gnuplot || return 0
  command -v compare >/dev/null || { echo "skipped: no ImageMagick"; return 0; }
  run plot scaling "$demo" -b model --where clock_mhz=1380 --where power_cap_w=250 -o figure.gp
  drawn() { # drawn NAME SED: the script, changed, as a picture.
    { echo 'set terminal pngcairo size 1800,1000 noenhanced font "sans,22" linewidth 2 pointscale 1.7'; sed "$2" figure.gp; } |
      gnuplot -d >large.png
    convert large.png -resize 600x -colors 64 "$1.png"
  }
  drawn whole ''
  drawn again 's/^set grid/&/'
  drawn label '/^set label "VGG16/d'
  drawn line "s/with lines lw 2 lc rgb '#009e73'/with lines lw 2 lc rgb '#ffffff'/"
  drawn marks 's/with points pt 9 ps 1/with points pt 9 ps 0/'
  drawn axis 's/^set ylabel.*/unset ylabel/'
  [ "$(different whole.png again.png)" = 0 ] || fail "the same figure differs"
  local change
  for change in label line marks axis; do
    [ "$(different whole.png "$change.png")" -gt $((2 * most_different)) ] ||
      fail "$change: only $(different whole.png "$change.png") pixels"
  done
}

test_svg_has_values_and_no_script() {
  needs_gnuplot || return 0
  local n
  {
    echo model,gpus,seconds
    for n in 1,100 2,52 4,27 8,15; do echo "</title><script>x</script>,$n"; done
  } >runs.csv
  local kind
  for kind in scaling profile efficiency; do
    run plot $kind runs.csv -o figure.svg
    expect_status 0
    ! grep -qiE '<script|onmouse|onclick|onload|javascript|CDATA' figure.svg || fail "$kind: a script in the drawing"
  done
  run plot scaling runs.csv -o figure.svg
  grep -qF '<title>&lt;/title&gt;&lt;script&gt;x&lt;/script&gt;, gpus 4: 27.00</title>' figure.svg || fail "no value"
  run plot scaling "$demo" -b model --where clock_mhz=1380 --where power_cap_w=250 -o figure.svg
  [ "$(wc -c <figure.svg)" -lt 80000 ] || fail "$(wc -c <figure.svg) bytes"
}

test_svg_keys_have_the_dashes_of_their_lines() {
  needs_gnuplot || return 0
  run plot gpu-hours "$demo" -b model --where clock_mhz=1380 --where power_cap_w=250 --where model=BERT -o figure.svg
  expect_status 0
  # gnuplot draws dashed arrows as solid ones there, so that each dash is one: M30,9 L38,9 M43,9 L51,9.
  grep -qE 'M[0-9.]+,([0-9.]+) L[0-9.]+,\1 M[0-9.]+,\1 L[0-9.]+,\1 M[0-9.]+,\1 ' figure.svg || fail "no dashes in the key"
}

test_report_answers_a_deadline_and_refuses_one_of_a_rate() {
  run report "$demo" --where model=BERT --deadline 1min --budget-gpu-hours 10 -o out.md
  expect_status 0
  grep -qF '| GPUs for 60 s' out.md || fail "no column of the deadline"
  grep -qF 'GPUs within 10 GPU-hours |' out.md || fail "no column of the budget"
  grep -qF -- '--deadline 1min --budget-gpu-hours 10' out.md || fail "the call that makes it again lacks them"
  run report "$demo" --rate --deadline 1min -o out.md
  expect_status 2
  expect_err "--deadline limits a time, and 'epoch_seconds' is a rate"
  run report "$demo" --deadline soon -o out.md
  expect_status 2
}

test_plot_profile_says_what_it_cannot() {
  needs_gnuplot || return 0
  run plot profile "$demo" --parameter gamma -o figure.svg
  expect_status 2
  expect_err "the power law has no parameter 'gamma'; its parameters are: alpha, beta"
  run plot profile "$demo" --se hc3 -o figure.svg
  expect_status 2
  expect_err 'classic standard errors'
  run plot scaling "$demo" --parameter beta -o figure.svg
  expect_status 2
  expect_err '--parameter works only with plot profile'
  printf 'model,gpus,seconds\nA,1,100\nA,2,50\nB,1,90\nB,2,50\nB,4,30\n' >runs.csv
  run plot profile runs.csv -o figure.svg
  expect_status 0
  expect_err '1 of 2 groups has no profile'
  run plot profile runs.csv --where model=A -o none.svg
  expect_status 2
  expect_err 'no group has a likelihood to draw'
  [ ! -e none.svg ] || fail "a figure all the same"
}

test_plot_replay_takes_the_options_of_replay() {
  needs_gnuplot || return 0
  local traces="--train $source_folder/data/replay/train.csv --power $source_folder/data/replay/power_demo.csv"
  local job="--target-metric 0.7 --max-epochs 30 --b0 128"
  # shellcheck disable=SC2086
  run plot replay $traces $job --policy zeus,default,oracle --seed 1..100 -o figure.svg
  expect_status 0
  expect_err 'zeus: 14.0 % of the cost saved after 40 recurrences, more than the others.'
  # shellcheck disable=SC2086
  run replay $traces $job --policy zeus,default,oracle --seed 1..100 --format json
  expect_out '"cost_saving": {"mean": 0.208'
  # shellcheck disable=SC2086
  run --quiet plot replay $traces $job --terminal
  expect_status 0
  expect_no_err
  expect_out 'energy so far'
  run plot replay --law power
  expect_status 2
  expect_err 'there is no option --law'
  expect_err "'scalelaw help plot replay' lists all options"
  run plot -o x.svg replay
  expect_status 2
  expect_err "replay comes right after plot"
  run plot replay --train a.csv --power b.csv --policy zeuss
  expect_status 2
  expect_err "did you mean 'zeus'?"
  run help plot replay
  expect_status 0
  expect_out 'scalelaw plot replay [options]'
}

test_names_of_traces_are_no_commands_to_gnuplot() {
  needs_gnuplot || return 0
  # shellcheck disable=SC2016 # Nothing is to be run.
  local name='`touch pwned1`$(touch pwned2)"@a_b^{c} <b>50%' ending
  sed "s/^d<%_/d/" "$source_folder/tests/golden/plot_train.csv" >train.csv
  sed "s/^d<%_/d/" "$source_folder/tests/golden/plot_power.csv" >"$name.csv"
  cp "$name.csv" "'; system('touch pwned3'); '.csv"
  for ending in gp svg png pdf; do
    run plot replay --train train.csv --power "$name.csv" --power "'; system('touch pwned3'); '.csv" --dataset d \
      --target-metric 0.7 --model n --optimizer o --max-epochs 30 --b0 32 --seed 1,2 -o "figure.$ending"
    expect_status 0
  done
  grep -qF '@a_b^{c} &lt;b&gt;50%' figure.svg || fail "a name was changed"
  ! grep -q '<b>' figure.svg || fail "a name became markup"
  gnuplot -d -e 'set terminal svg' figure.gp >again.svg 2>err || fail "$(cat err)"
  ! compgen -G 'pwned*' >/dev/null || fail "a name was run"
}

test_group_names_are_no_commands_to_gnuplot() {
  needs_gnuplot || return 0
  {
    echo model,gpus,seconds
    local name n
    for name in '`touch pwned1`' '$(touch pwned2)' "'; system('touch pwned3'); '" '@a_b^{c}' '\' \
      'a""; system(""touch pwned4""); ""'; do
      for n in 1 2 4 8; do echo "\"$name\",$n,$((800 / n + n))"; done
    done
  } >runs.csv
  local ending
  for ending in gp svg png; do
    run plot scaling runs.csv -o "figure.$ending"
    expect_status 0
  done
  for ending in gp svg png; do
    run plot profile runs.csv -o "profile.$ending"
    expect_status 0
  done
  run plot scaling runs.csv
  expect_out "'; system('touch pwned3'); '"
  expect_out '`touch pwned1`'
  expect_out '@a_b^{c}'
  gnuplot -d -e 'set terminal svg' figure.gp >again.svg 2>err || fail "$(cat err)"
  grep -q '@a_b^{c}' figure.svg || fail "a name was changed"
  ! compgen -G 'pwned*' >/dev/null || fail "a name was run"
}

test_plot_without_gnuplot_says_so() {
  status=0
  PATH=/nonexistent "$binary" plot scaling "$demo" -o figure.svg >out 2>err || status=$?
  expect_status 2
  expect_err "gnuplot is not installed"
  [ ! -e figure.svg ] || fail "a figure all the same"
}

## contrast

test_contrast_tells_slope_from_offset() {
  run contrast "$demo" --factor power_cap_w --where clock_mhz=1380
  expect_status 0
  expect_err "by: model, clock_mhz, compared: power_cap_w"
  expect_err "3 of 6 groups have no contrast"
  expect_out "model ResNet50, clock_mhz 1380: power_cap_w changes the time by the same factor at every scale"
  expect_out "model DimeNet, clock_mhz 1380: The effect of power_cap_w depends on the number of GPUs"
  expect_out "The exponent beta is 0.9344 with 100 W"
  expect_out "model VGG16, clock_mhz 1380 has no contrast: 1 level of power_cap_w"
}

test_contrast_takes_the_factor_out_of_by() {
  run contrast "$demo" --factor power_cap_w -b model,power_cap_w,clock_mhz --quiet --format csv
  cp out named
  run contrast "$demo" --factor power_cap_w --quiet --format csv
  expect_same named out
}

test_contrast_takes_several_factors() {
  run contrast "$demo" --factor power_cap_w,clock_mhz --format jsonl --where model=DimeNet
  expect_status 0
  expect_out '"beta:ln clock_mhz"'
  expect_out '{"power_cap_w": "250", "clock_mhz": "135"}'
}

test_contrast_says_where_one_model_does_not_hold() {
  # statsmodels anova_lm of ln t ~ ln N * C(power_cap_w) against ln t ~ ln N * ln(power_cap_w): F 7.91287 on 2 and 75.
  run contrast "$demo" --factor power_cap_w --where clock_mhz=1380 --where model=BERT --details
  expect_status 0
  expect_out 'but it does not hold: separate lines are closer, F(2, 75) = 7.91, p'
}

test_contrast_formats() {
  local ending first
  while read -r ending first; do
    run contrast "$demo" --factor power_cap_w -b model --where clock_mhz=1380 --quiet -o "out.$ending"
    expect_status 0
    expect_no_out
    [ "$(head -n 1 "out.$ending" | cut -c "1-${#first}")" = "$first" ] || fail "$ending: $(head -n 1 "out.$ending")"
  done <<'FORMATS'
json {"schema": "scalelaw.contrast/1",
jsonl {"group": {"model": "BERT"}, "n": 81,
csv model,status,level_1,level_2,beta_1,
tsv model	status
md In 2 of 3 groups the effect of power_cap_w depends
tex % In 2 of 3 groups the effect of power_cap_w depends
html <p>In 2 of 3 groups the effect of power_cap_w depends
txt In 2 of 3 groups the effect of power_cap_w depends
FORMATS
  [ "$(grep -c ,ok, out.csv)" = 9 ] || fail "not a row a pair: $(cat out.csv)"
  [ "$(grep -c ,failed, out.csv)" = 3 ] || fail "not one row per group without a contrast"
}

test_contrast_leaves_a_bad_level_out() {
  "$binary" generate --noise 0.05 --quiet | grep -E '^model|^ResNet50,[0-9]+,1380' | cut -d, -f1-8 >runs.csv
  printf 'ResNet50,300,1380,8,1,100,200,160000\nResNet50,300,1380,8,2,101,200,161600\n' >>runs.csv
  run contrast runs.csv --factor power_cap_w
  expect_status 0
  expect_err "1 level without a line left out"
  expect_out "left out: power_cap_w 300: all 2 points lie at 1 value of x"
  run contrast runs.csv --factor power_cap_w --format json --strict
  expect_status 1
  expect_out '"left_out": [{"level": {"power_cap_w": "300"}, "code": "too-few-x"'
  run contrast runs.csv --factor power_cap_w --where 'power_cap_w!=300' --strict
  expect_status 0
}

test_contrast_prints_no_invented_numbers() {
  printf 'power_cap_w,gpus,seconds\n250,1,64\n250,2,32\n250,4,16\n250,8,8\n' >runs.csv
  printf '100,1,128\n100,2,64\n100,4,32\n100,8,16\n' >>runs.csv
  local format
  for format in table json csv; do
    run contrast runs.csv --factor power_cap_w --format "$format"
    expect_status 0
    ! grep -qwiE 'nan|inf' out || fail "$format: $(cat out)"
    expect_out "The lines fit exactly"
  done
}

test_contrast_of_a_rate_says_rate() {
  awk -F, 'NR == 1 { print $0 ",rate" } NR > 1 { print $0 "," 1e6 / $6 }' "$demo" >runs.csv
  run contrast runs.csv --factor power_cap_w -y rate --rate --where model=ResNet50
  expect_status 0
  expect_out "the rate with 250 W is 1.59 times that with 100 W"
}

test_contrast_names_mistakes() {
  run contrast "$demo"
  expect_status 2
  expect_no_out
  expect_err "several columns may be the factor: power_cap_w, clock_mhz; choose one: --factor power_cap_w or --factor clock_mhz"
  run contrast "$demo" --factor power_capp
  expect_status 2
  expect_err "there is no column 'power_capp' (did you mean 'power_cap_w'?)"
  run contrast "$demo" --factor gpus
  expect_status 2
  expect_err "the column 'gpus' is the scale (x) already"
  run contrast "$demo" --factor power_cap_w --margin 0
  expect_status 2
  expect_err "expected a number above 0"
  run contrast "$demo" --factor power_cap_w --law linear
  expect_status 2
  run contrast "$demo" --factor power_cap_w --variances same
  expect_status 2
  expect_err "Choices are: unequal, equal"
}

## rank

# Points of one group at N = 1, 2, 4, ..., 64 that bend.
bent_table() {
  printf 'gpus,seconds\n1,100\n2,61\n4,36\n8,22.5\n16,13.4\n32,9.1\n64,6.6\n' >bent.csv
}

# Fails unless every line of a file is one JSON document.
expect_json() {
  command -v python3 >/dev/null || return 0
  python3 -c 'import json, sys
for line in ([open(sys.argv[1]).read()] if sys.argv[2] == "whole" else open(sys.argv[1])):
    json.loads(line, parse_constant=lambda name: sys.exit("a number is " + name))' "$1" "$2" || fail "$1 is no JSON"
}

test_rank_judges_laws() {
  run rank "$demo" -b model --where power_cap_w=250 --where clock_mhz=1380
  expect_status 0
  expect_err "x: gpus, y: epoch_seconds, by: model"
  expect_out "model InceptionV3: The runs follow a power law."
  expect_out "model VGG16: The runs follow a power law; "
}

test_predict_from_saved_fits_equals_predict_from_runs() {
  # The runs have energy besides.
  local columns=model,power_cap_w,clock_mhz,status,x,median,mean,ci_lower,ci_upper,pi_lower,pi_upper,extrapolation,speedup,efficiency,gpu_hours
  run fit "$demo" --format json -o fits.json
  run predict fits.json --at 512,1024 --format csv --columns "$columns"
  expect_status 0
  mv out saved
  run predict "$demo" --law power --at 512,1024 --format csv --columns "$columns"
  expect_same saved out
}

test_predict_says_how_many_groups_it_does_not_explain() {
  awk 'BEGIN { print "g,n,t"; for (g = 1; g <= 26; ++g) for (n = 1; n <= 64; n *= 2) print g "," n "," 100 * g / n ^ 0.9 }' > many.csv
  run predict many.csv -x n -y t -b g --at 128 --law power
  expect_status 0
  expect_out "2 more groups; --format json has them all"
}
test_predict_gives_the_same_bytes_for_any_threads() {
  run predict "$demo" --at 64..1024 --format json --threads 1
  mv out one
  run predict "$demo" --at 64..1024 --format json --threads 7
  expect_same one out
  grep -q '"schema": "scalelaw.predict/1"' out || fail "no schema"
  [ "$(grep -o '"x": [0-9]*,' out | head -n 5 | tr -d '\n')" = '"x": 64,"x": 128,"x": 256,"x": 512,"x": 1024,' ] ||
    fail "the range does not double: $(head -c 2000 out)"
}

test_predict_formats() {
  local format
  for format in table markdown latex html json jsonl csv tsv; do
    run predict "$demo" --where model=BERT --deadline 100 --format "$format"
    expect_status 0
    [ -s out ] || fail "$format is empty"
    ! grep -qiE '\bnan\b|\binf\b' out || fail "$format has an invented number"
  done
  for format in table json csv markdown; do
    run predict "$demo" --backtest --format "$format"
    expect_status 0
    expect_out average
  done
}

test_predict_names_mistakes() {
  run predict "$demo" --at 0
  expect_status 2
  expect_err '--at: expected numbers above 0 with commas between them, such as 512,1024 or 1k,2k, found "0"'
  run predict "$demo" --at 64..8
  expect_status 2
  expect_err 'expected a range from the smaller number to the larger'
  run predict "$demo" --deadline -3
  expect_status 2
  run predict "$demo" --deadline soon
  expect_status 2
  expect_err 'expected a duration such as 90s, 2h or 1:30:00, or a number in the unit of y, found "soon"'
  run predict "$demo" --gpu-price -2
  expect_status 2
  expect_err 'expected a price above 0'
  run predict "$demo" --gpu-price free
  expect_status 2
  expect_err 'expected a price above 0'
  run predict "$demo" --throughput 5
  expect_status 2
  expect_err "add --rate if it is a rate, or ask for a time with --deadline"
  run predict "$demo" --law powr
  expect_status 2
  expect_err "did you mean 'power'"
  printf 'gpus,score\n1,10\n2,5\n4,3\n8,2\n' >scores.csv
  run predict scores.csv -y score --deadline 2h
  expect_status 2
  expect_err "--deadline limits a time, and 'score' is a rate"
  run predict scores.csv -y score --budget-gpu-hours 3
  expect_status 2
  expect_err "x is 'gpus' and y is 'score'"
  run fit "$demo" --format json -o fits.json
  run predict fits.json --law floor
  expect_status 2
  expect_err '--law floor needs the runs themselves'
  run predict fits.json --backtest
  expect_status 2
  printf '{"schema": "scalelaw.fit/9"}' >other.json
  run predict other.json
  expect_status 2
  expect_err "expected 'scalelaw.fit/1'"
}

test_predict_keeps_good_groups_beside_bad_ones() {
  table_with_a_failing_group
  run predict runs.csv -y seconds --at 16 --format csv
  expect_status 0
  expect_err '1 of 2 groups has no forecast'
  [ "$(wc -l <out)" = 3 ] || fail "expected a header, a forecast and a group without one"
  expect_out 'A,ok,16,'
  expect_out 'B,failed,,,,,,,,,,,,,too-few-x,'
  run predict runs.csv -y seconds --at 16 --strict
  expect_status 1
}

test_no_two_columns_of_forecasts_and_plans_bear_one_name() {
  local columns
  printf 'median,status,gain,x,gpus,seconds\n' >runs.csv
  printf 'A,B,C,D,%s\n' 1,8.1 2,4.2 4,2 8,1.03 >>runs.csv
  run predict runs.csv -b median,status,x --format csv
  expect_status 0
  expect_out 'group_median,group_status,group_x,status,x,median,mean,'
  run plan runs.csv -b gain,status --target 64 --format csv
  expect_status 0
  expect_out 'group_gain,group_status,status,x,repeats,gain,'
  awk -F, -v OFS=, 'NR == 1 { print $0, "median" } NR > 1 { print $0, "A" }' "$two_scales" >surface.csv
  run predict surface.csv --law chinchilla -x parameters,tokens -y loss -b median --format csv
  expect_status 0
  expect_out 'group_median,status,compute,'
  columns=$(head -n 1 out | tr , '\n' | sort | uniq -d)
  [ -z "$columns" ] || fail "several columns are called $columns"
}

test_plan_keeps_groups_without_a_plan_in_csv_and_counts_them() {
  table_with_a_failing_group
  run plan runs.csv -y seconds --target 64 --candidates 16 --repeats 1 --format csv
  expect_status 0
  expect_err '1 of 2 groups has no plan'
  expect_out 'A,ok,16,1,'
  expect_out 'B,failed,,,,,,,,,,too-few-x,'
}

test_surfaces_keep_groups_without_a_fit_in_csv() {
  awk -F, -v OFS=, 'NR == 1 { print "model", $0 } NR > 1 { print "A", $0 } NR == 2 { print "B", $0 }' "$two_scales" >surface.csv
  run predict surface.csv --law chinchilla -x parameters,tokens -y loss --at-compute 1e21 --format csv
  expect_status 0
  expect_out 'A,ok,1e+21,true,'
  expect_out 'B,failed,,,,,,,,,,,,,,,too-few-points,'
}

test_columns_of_forecasts_and_plans() {
  local format
  for format in csv table; do
    run predict "$demo" -b model --where model=BERT --at 512 --columns model,pi_lower,kwh_mean --format "$format"
    expect_status 0
    expect_out kwh_mean
    ! grep -q extrapolation out || fail "a column that was not asked for: $(cat out)"
  done
  run predict "$demo" --backtest --columns name,bias --format csv
  [ "$(head -n 1 out)" = name,bias ] || fail "$(head -n 1 out)"
  run plan "$demo" --target 1024 --columns x,repeats,run_se --format csv
  [ "$(head -n 1 out)" = x,repeats,run_se ] || fail "$(head -n 1 out)"
  run plan "$demo" --target 1024 --columns gian --format csv
  expect_status 2
  expect_err "--columns: there is no column 'gian' (did you mean 'gain'?)"
  surface predict --at-compute 1e21 --columns compute,x1,x2 --format csv
  [ "$(head -n 1 out)" = compute,x1,x2 ] || fail "$(head -n 1 out)"
}

test_plan_from_saved_fits_equals_plan_from_runs() {
  run fit "$demo" --format json -o fits.json
  run plan fits.json --target 1024 --format csv
  expect_status 0
  mv out saved
  run plan "$demo" --law power --target 1024 --format csv
  expect_same saved out
  run plan fits.json --law average --target 1024
  expect_status 2
  expect_err "--law average needs the runs themselves"
}

test_plan_formats_and_mistakes() {
  local format
  for format in table markdown latex html json jsonl csv tsv; do
    run plan "$demo" --where model=BERT --target 1024 --format "$format"
    expect_status 0
    ! grep -qiE '\bnan\b|\binf\b' out || fail "$format has an invented number"
  done
  run plan "$demo"
  expect_status 2
  expect_err '--target 1024'
  run plan "$demo" --target 64 --repeats 1.5
  expect_status 2
  expect_err 'expected whole numbers'
  run plan "$demo" --target 64 --candidates 0
  expect_status 2
  expect_err '--candidates: expected numbers above 0'
}

test_predict_of_energy() {
  # 8 GPUs: 100 s at 250 W each are 200 kJ; t = 800 / N and power constant, so energy is the same everywhere.
  printf 'gpus,seconds,energy_kj\n1,800,200\n2,400,200\n4,200,200\n8,100,200\n' >energy.csv
  run predict energy.csv -y seconds --law power --at 16 --carbon-intensity 360 --price 0.5 --pue 2 --format csv \
    --columns gpu_hours,kwh_median,co2_kg,cost
  expect_status 0
  # 800 GPU-seconds; 2 * 200 / 3600 kWh, 360 g and 0.5 of each.
  awk -F, '
    function near(a, b) { return (a - b) ^ 2 < 1e-20 }
    NR == 1 { exit $0 != "gpu_hours,kwh_median,co2_kg,cost" }
    NR == 2 { exit !(near($1, 2 / 9) && near($2, 1 / 9) && near($3, 0.04) && near($4, 1 / 18)) }' out ||
    fail "wrong energy: $(cat out)"
  run predict energy.csv -y seconds --at 16 --carbon-intensity 360 --pue 2 --format json
  expect_out '"energy": "energy_kj"'
  expect_out '"pue": 2'
  run predict energy.csv -y seconds --law power --at 16 --gpu-power 250 --format csv --columns x,kwh_median
  expect_status 0
  cut -c1-17 out >kwh
  expect_same kwh <(printf 'x,kwh_median\n16,0.055555555555\n')
  run predict energy.csv -y seconds --law power --budget-kwh 0.05
  expect_out '0.05 kWh are too few for the time on any number of GPUs: the least is 0.05556.'
}

test_predict_of_energy_from_two_documents() {
  run fit "$demo" -o times.json
  run fit "$demo" -y energy_per_epoch_j -o energy.json
  run predict times.json energy.json --at 1024 --format csv
  expect_status 0
  mv out one
  run predict energy.json times.json --at 1024 --format csv
  expect_same one out
  head -n 1 out | grep -q 'gpu_hours,kwh_median,kwh_mean,kwh_pi_lower,kwh_pi_upper,co2_kg,cost,warnings,code,message$' || fail "no energy: $(head -n 1 out)"
  run predict times.json times.json
  expect_status 2
  expect_err 'expected one of times and one of energy'
  run predict times.json --price 3
  expect_status 2
  expect_err 'need energy'
}

test_predict_takes_the_unit_of_energy_from_where_it_stands() {
  printf 'gpus,seconds,energy [kWh]\n1,800,1\n2,400,1\n4,200,1\n8,100,1\n' >header.csv
  printf 'gpus,seconds,energy\n1,800,1 kWh\n2,400,1 kWh\n4,200,1 kWh\n8,100,1 kWh\n' >cells.csv
  local table
  for table in header.csv cells.csv; do
    run predict "$table" -y seconds --law power --at 16 --format csv --columns kwh_median
    awk 'NR == 2 { exit !(($1 - 1) ^ 2 < 1e-8) }' out || fail "$table: $(cat out)"
  done
  run predict header.csv -y seconds --energy seconds
  expect_status 2
  printf 'gpus,seconds,energy [kJ]\n16,50,9\n' >other.csv
  run fit header.csv other.csv -y energy
  expect_status 2
  expect_err "is in kJ here and in kWh in the tables before"
}

test_predict_needs_no_energy() {
  printf 'gpus,seconds,energy_j\n1,800,NA\n2,400,NA\n4,200,NA\n8,100,NA\n' >runs.csv
  run predict runs.csv -y seconds --at 16
  expect_status 0
  expect_err 'no forecast of energy: no row can be used'
  run predict runs.csv -y seconds --at 16 --energy energy_j
  expect_status 2
}

# The power of one GPU rises a little with their number, and the last column is power times GPUs times time.
table_of_power() {
  printf 'gpus,seconds,power_w,energy_j\n1,800,250,200000\n2,410,240,196800\n4,215,230,197800\n8,120,220,211200\n' >both.csv
  cut -d, -f1-3 both.csv >power.csv
  cut -d, -f1,2,4 both.csv >energy.csv
  awk -F, -v OFS=, 'NR > 1 { $3 *= $1 } { print }' power.csv >total.csv
}

test_predict_and_report_compute_energy_from_power() {
  table_of_power
  run predict energy.csv --at 16,32 --format csv
  mv out of_energy
  run predict power.csv --at 16,32 --format csv
  expect_status 0
  expect_err 'energy: power_w times gpus times seconds'
  expect_same of_energy out
  run predict total.csv --total-power --at 16,32 --format csv
  expect_err 'energy: power_w times seconds'
  expect_same of_energy out
  run predict both.csv --at 16,32 --format csv
  expect_err 'energy: energy_j'
  expect_same of_energy out
  run predict power.csv --at 16 --format json
  expect_out '"energy": "power_w times gpus times seconds"'
  local table
  for table in energy power total; do
    run report $table.csv --quiet --format markdown -o $table.md $([ $table = total ] && echo --total-power)
    expect_status 0
    grep -q '^## What it takes in energy' $table.md || fail "$table.csv: no section on energy"
    findings_of $table.md >$table.findings
    expect_same energy.findings $table.findings
  done
  grep -q -- '--power power_w --total-power' total.md || fail "the command lacks its options"
}

test_predict_and_report_have_the_energies_of_energy() {
  table_of_power
  # 220 W on 8 GPUs for 120 s.
  run energy power.csv --where 'gpus=8' --format csv --columns x,joules
  awk -F, 'NR == 2 { exit !($1 == 8 && ($2 - 211200) ^ 2 < 1e-12) }' out || fail "wrong energy: $(cat out)"
  run energy power.csv --format csv --columns x,kwh,w_per_gpu,energy_exponent
  mv out of_energy
  run energy energy.csv --format csv --columns x,kwh,w_per_gpu,energy_exponent
  expect_same of_energy out
  # The power law of the energy, by both commands: E(16) = E(8) * 2^exponent, up to the residuals.
  run predict power.csv --law power --at 8,16 --format csv --columns kwh_median
  awk -F, 'NR == FNR { exponent = $4; next } FNR == 2 { at_8 = $1 } FNR == 3 { exit !((log($1 / at_8) / log(2) - exponent) ^ 2 < 1e-12) }' \
    of_energy out || fail "another exponent: $(cat of_energy out)"
  run report power.csv --quiet --format markdown -o report.md
  grep -q '^| *8 | 0.05867 | *0.2667 | *220' report.md || fail "$(grep '^| *8 ' report.md)"
}

test_power_of_all_gpus_is_not_taken_for_that_of_one() {
  table_of_power
  run predict total.csv --at 16
  expect_status 0
  expect_err "no forecast of energy: 'power_w' is 7.04 times as much on 8 GPUs as on 1"
  expect_err 'add --total-power, or --power power_w if it is that of one GPU'
  run predict total.csv --at 16 --price 0.3
  expect_status 2
  expect_err 'add --total-power, or --power power_w if it is that of one GPU'
  run predict total.csv --at 16 --power power_w
  expect_status 0
  expect_err "'power_w' is taken as the power of one GPU, but on 8 GPUs it is 7.04 times what it is on 1"
  run report total.csv --format markdown -o report.md
  expect_status 0
  expect_err 'no forecast of energy'
  if grep -q '^## What it takes in energy' report.md; then fail "a section on energy"; fi
}

test_power_is_asked_for_once_and_for_times() {
  table_of_power
  run predict power.csv --power watts
  expect_status 2
  expect_err "no column 'watts'"
  run predict both.csv --power power_w --at 16
  expect_status 0
  expect_err "the energy is that of 'energy_j', so --power is not used"
  run predict both.csv --energy energy_j --power power_w
  expect_status 2
  expect_err '--energy and --power both say what the energy is: leave one of them out'
  run predict power.csv --total-power --gpu-power 250
  expect_status 2
  expect_err '--total-power is about a column of power, and --gpu-power takes none'
  printf 'gpus,tokens_per_second,power_w\n1,100,250\n2,190,250\n4,370,240\n8,700,240\n' >rates.csv
  run predict rates.csv --at 16
  expect_status 0
  local command
  for command in predict report; do
    run $command rates.csv --power power_w
    expect_status 2
    expect_err "--power needs a time that the power is multiplied by, and 'tokens_per_second' is a rate"
  done
  run fit power.csv -o fits.json
  run predict fits.json --at 16 --power power_w
  expect_status 2
  expect_err '--power is about a column of runs'
}

test_energy_of_a_stream_asks_for_a_file() {
  table_of_power
  local option
  for option in '--power power_w' '--energy energy_j' --total-power; do
    "$binary" predict - --at 16 $option <both.csv >out 2>err && fail "no error"
    expect_err 'standard input: it can be read only once, and energy takes a second reading: name a file'
  done
}

test_rows_without_power_count_for_times_alone() {
  table_of_power
  sed -i 's/^4,215,230$/4,215,/' power.csv
  run predict power.csv --at 16 --format csv --columns kwh_median,median
  expect_status 0
  expect_err "1 of 4 rows has no 'power_w': only their times count"
  printf 'gpus,seconds,power_w\n1,800,0\n2,400,200\n4,210,200\n8,120,210\n' >zero.csv
  run predict zero.csv --at 16
  expect_status 0
  expect_err 'no forecast of energy: '
}

test_predict_of_saved_fits_refuses_what_they_cannot_change() {
  run fit "$demo" -o fits.json
  run predict fits.json --where 'gpus>4'
  expect_status 2
  expect_err 'whose rows and columns --where cannot change'
  run plan fits.json --target 1024 -b model
  expect_status 2
  run predict fits.json --confidence 0.5 --at 512 --format json
  expect_status 0
  expect_out '"confidence": 0.5'
}

test_predict_of_the_mean() {
  run predict "$demo" --where model=BERT --where power_cap_w=250 --deadline 100 --target mean
  expect_status 0
  expect_out ' GPUs bring an epoch below 100 s on average, with even odds or better. By the 95 % interval of'
  run predict "$demo" --carbon-intensity Atlantis
  expect_status 2
  expect_err 'or one of AT, AU'
  run predict "$demo" --pue 0.5
  expect_status 2
  run predict "$demo" --energy watts
  expect_status 2
  expect_err "no column 'watts'"
}

test_predict_answers_first() {
  run predict "$demo" --where model=BERT --where power_cap_w=250 --deadline 5min --quiet
  expect_status 0
  [ "$(head -n 1 out)" = "133 GPUs bring an epoch below 5 min, with even odds or better. By the 95 % interval of new runs, 113" ] || fail "$(head -n 1 out)"
  mv out minutes
  run predict "$demo" --where model=BERT --where power_cap_w=250 --deadline 0:05:00 --quiet
  expect_same minutes out
  run predict "$demo" --where model=BERT --where power_cap_w=250 --at 512 --quiet
  [ "$(head -n 1 out)" = "At 512 GPUs an epoch takes 91.1 s (95 % of new runs: 78.8 to 105 s)." ] || fail "$(head -n 1 out)"
  ! grep -q 'weights power' out || fail "statistics without --details"
  run predict "$demo" --where model=BERT --where power_cap_w=250 --at 512 --details
  expect_out 'weights power 0.71'
  expect_out 'beyond data'
}

test_predict_of_a_job_in_epochs_and_money() {
  run predict "$demo" -b '' --where model=BERT --where power_cap_w=250 --at 512 --epochs 90 --gpu-price '2.5 EUR' --quiet
  expect_status 0
  expect_out 'At 512 GPUs the job of 90 epochs takes 2 h 17 min (95 % of new runs: 1 h'
  tr '\n' ' ' <out | grep -qF 'The GPUs cost 2915 EUR (95 %: 2523 to 3354 EUR).' || fail "no cost: $(cat out)"
  run predict "$demo" -b '' --where model=BERT --where power_cap_w=250 --deadline 2h --epochs 90 --gpu-price '$2.5' \
    --format csv --columns deadline_x,deadline_x_lower,deadline_x_upper,deadline_gpu_cost,job_median --quiet
  expect_status 0
  [ "$(cut -d, -f1-3 out | tail -n 1)" = 594,504,701 ] || fail "$(cat out)"
}

test_predict_of_a_rate_meets_a_throughput() {
  printf 'gpus,samples_per_sec\n1,10\n2,19.6\n4,38.5\n8,75\n16,147\n' >rate.csv
  run predict rate.csv -y samples_per_sec --rate --throughput 500 --law power --quiet
  expect_status 0
  [ "$(head -n 1 out | cut -d' ' -f2-12)" = 'GPUs bring samples_per_sec to 500, with even odds or better. By' ] || fail "$(head -n 1 out)"
  run predict rate.csv -y samples_per_sec --rate --deadline 2
  expect_status 2
  expect_err 'ask for a rate with --throughput'
}

test_options_take_numbers_as_people_write_them() {
  printf 'gpus,tokens_per_second\n1,1000\n2,1960\n4,3850\n8,7500\n16,14700\n' >rate.csv
  run predict rate.csv --tokens 1,5B --at 1k --gpu-price '2,50 EUR' --quiet
  expect_status 0
  expect_out 'At 1000 GPUs the job of 1,5B tokens takes'
  tr '\n' ' ' <out | grep -q 'The GPUs cost [0-9]* EUR' || fail "no cost: $(cat out)"
  run predict rate.csv --tokens 1 --at 32 --quiet
  expect_out 'the job of 1 token takes'
  run predict rate.csv --throughput 20k --quiet
  expect_out 'bring tokens_per_second to 20000'
  run predict rate.csv --tokens 1,234 --at 32
  expect_status 2
  expect_err '--tokens: expected a number above 0 such as 1e12, 300B or 1.2T, found "1,234"'
  run predict rate.csv --throughput 20,000
  expect_status 2
  expect_err 'expected a number above 0, such as 8, 2.5 or 4k, found "20,000": write 20000 or 20.000'
  run predict rate.csv --at 1,024
  expect_status 2
  expect_err 'such as 512,1024 or 1k,2k, found "024"'
  run predict rate.csv --gpu-price dear --at 32
  expect_status 2
  expect_err "such as 2.5, '\$2.50' or '2,50 EUR', found \"dear\""
  run energy "$demo" -b model --where power_cap_w=250 --price '$0,30' --gpu-price '$2' --format csv
  expect_status 0
  mv out priced.csv
  run energy "$demo" -b model --where power_cap_w=250 --price 0.3 --gpu-price 2 --format csv
  expect_same priced.csv out
  run fit "$demo" --bootstrap 1k --where model=BERT --where power_cap_w=250 --format csv --columns beta_ci_lower --quiet
  expect_status 0
  run plot surface "$source_folder/data/two_scales/runs.csv" --law power -o f.svg
  expect_status 2
}

test_predict_of_saved_fits_takes_no_column_of_gpus() {
  printf 'nodes,seconds\n1,100\n2,51\n4,26\n8,13\n16,6.7\n' >nodes.csv
  run fit nodes.csv -o nodes.json --quiet
  for call in 'predict nodes.json --budget-gpu-hours 1' 'plan nodes.json --target 32'; do
    run $call --gpus-per-node gpus
    expect_status 2
    expect_err '--gpus-per-node: saved fits have no columns, so that it takes a number above 0, such as 8; found "gpus"'
  done
}

test_isoflop_reads_millions_billions_and_pflop_days_as_ones() {
  local runs="$source_folder/data/isoflop/runs.csv"
  awk -F, 'NR == 1 { print "Model size (M),Tokens (B),loss"; next }
    { printf "%.17g,%.17g,%s\n", $1 / 1e6, $2 / 1e9, $3 }' "$runs" >millions.csv
  run isoflop millions.csv --at-compute 1e24 --details
  expect_status 0
  expect_err "Model size (M) is read in millions; Tokens is read in billions"
  expect_out "39.6B parameters on 4.21T tokens"
  sed '1s/.*/params_M,tokens_billions,loss/' millions.csv >suffixes.csv
  run isoflop suffixes.csv --at-compute 1e24
  expect_status 0
  expect_err "params_M is read in millions; tokens_billions is read in billions"
  expect_out "39.6B parameters on 4.21T tokens"
  # The law that drew the runs gives 1.69 + 406.4 7e9^-0.34 + 410.7 1.4e11^-0.28 = 2.184.
  run predict suffixes.csv --law chinchilla --at 7B:140B
  expect_status 0
  expect_err "params_M is read in millions; tokens_billions is read in billions"
  expect_out "At 7B parameters and 140B tokens the loss is 2.185 (95 % of new runs: 2.174 to 2.196)"
  expect_out "5.88e+21"
  awk -F, 'NR == 1 { print "params,compute_pflop_days,loss"; next }
    { printf "%.17g,%.17g,%s\n", $1, 6 * $1 * $2 / 8.64e19, $3 }' "$runs" >days.csv
  run isoflop days.csv -x params --flops compute_pflop_days --at-compute 1e24
  expect_status 0
  expect_out "39.6B parameters on 4.21T tokens"
  run isoflop days.csv -x params --flops compute_pflop_days --budget loss
  expect_status 2
  expect_err "--budget loss: no value of this column has runs of three sizes or more"
}

test_budget_reads_times_in_many_forms() {
  local runs="$source_folder/data/budget/runs.csv" plan=n,d,gpus
  run budget "$runs" --days 7 --gpus 64 --format csv --columns "$plan"
  expect_status 0
  sed -n 2p out >rate
  awk -F, 'NR == 1 { print "params,tokens,nodes,tokens_per_second_per_gpu,step,seconds_per_step,train_hours,gpu_hours,loss"; next }
    { printf "%s,%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%s\n", $1, $2, $3 / 8, $4 / $3, $2 / 2e6, 2e6 / $4, $2 / $4 / 3600,
             $3 * $2 / $4 / 3600, $6 }' "$runs" >forms.csv
  for time in tokens_per_second_per_gpu seconds_per_step train_hours gpu_hours; do
    run budget forms.csv --days 7 --gpus 64 --gpus-per-node 8 --time "$time" --format csv --columns "$plan"
    expect_status 0
    python3 - "$time" <<'END' || fail "--time $time: $(sed -n 2p out), not $(cat rate)"
import sys
same = [[float(x) for x in open(name).read().splitlines()[-1 if name == "rate" else 1].split(",")] for name in ("rate", "out")]
sys.exit(any(abs(a / b - 1) > 1e-6 for a, b in zip(*same)))
END
  done
  run budget forms.csv --days 7 --time seconds_per_step --steps loss --tokens-per-step 2M --gpus-per-node 8 --quiet
  expect_status 0
  run budget forms.csv --days 7
  expect_status 2
  expect_err "'nodes' counts nodes: say with --gpus-per-node how many GPUs a node has"
}

test_budget_names_a_time_that_is_none() {
  local runs="$source_folder/data/budget/runs.csv" value
  for value in -3 fast; do
    awk -F, -v OFS=, -v value="$value" 'NR == 7 { $4 = value } { print }' "$runs" >bad.csv
    run budget bad.csv --days 7
    expect_status 2
    expect_err "bad.csv:7: field 4 'tokens_per_second'"
  done
}

test_budget_has_the_same_bytes_for_any_number_of_threads() {
  local runs="$source_folder/data/budget/runs.csv"
  for threads in 1 2 3; do
    run --threads "$threads" budget "$runs" --days 7 --gpus 128 --budget-kwh 3000 --format json
    expect_status 0
    mv out "$threads.json"
  done
  cmp 1.json 2.json && cmp 1.json 3.json || fail "budget depends on --threads"
}

test_budget_takes_saved_fits() {
  local runs="$source_folder/data/budget/runs.csv"
  run fit "$runs" --law chinchilla -x parameters,tokens -y loss -o fits.json --quiet
  run budget fits.json --gpu-flops 1.8e14 --gpus 64 --days 7 --format csv --columns row,n,n_ci_lower,loss
  expect_status 0
  cp out saved
  run budget "$runs" --gpu-flops 1.8e14 --gpus 64 --days 7 --format csv --columns row,n,n_ci_lower,loss
  expect_status 0
  cmp out saved || fail "saved fits give another plan"
  run budget fits.json --days 7
  expect_status 2
  expect_err 'nothing tells how long training takes'
  run budget fits.json --days 7 --time hours
  expect_status 2
  expect_err 'fits.json: it holds finished fits and no columns, so that --time has no use'
  run fit "$source_folder/data/demo/runs.csv" -o times.json --quiet
  run budget times.json --budget-flop 1e22
  expect_status 2
  expect_err 'times.json: it holds fits of the power law, and a plan needs fits of a loss'
  run budget fits.json "$runs" --budget-flop 1e22
  expect_status 2
  expect_err 'saved fits and run tables cannot be mixed'
  awk 'BEGIN { print "gpus,tokens_per_second"; for (g = 8; g <= 64; g *= 2)
    for (i = 0; i < 3; ++i) printf "%d,%.6g\n", g, 3e4 * g * (1 + 0.01 * i) }' >rates.csv
  run fit rates.csv -x gpus -y tokens_per_second --rate -o rates.json --quiet
  run budget rates.json fits.json --days 7 --gpus 64
  expect_status 2
  expect_err 'rates.json: say with --timed-parameters how many parameters the model had'
  run budget rates.json fits.json --days 7 --gpus 64 --timed-parameters 1B --format json
  expect_status 0
  # 1.01 * 3e4 tokens per second of a GPU at 1B parameters are 1.818e14 FLOP per second.
  awk 'match($0, /"plan": {[^}]*"flop": [0-9.e+]+/) {
    split(substr($0, RSTART, RLENGTH), part, "\"flop\": ")
    found = part[2] / (1.8179e14 * 64 * 7 * 86400)
  }
  END { exit !(found > 0.999 && found < 1.001) }' out || fail "plan of $(grep -o '"plan": {[^}]*}' out)"
  run budget times.json fits.json --days 7 --timed-parameters 1B
  expect_status 2
  expect_err "times.json: fits of 'epoch_seconds' tell no time of a token"
}

test_the_page_on_rules_of_options_is_what_help_says() {
  run help rules
  expect_status 0
  grep '^|' "$source_folder/docs/reference/option-rules.md" >page
  expect_same page out
}

test_options_that_say_the_same_are_refused_before_anything_is_read() {
  while IFS='|' read -r call message; do
    run $call
    expect_status 2
    expect_no_out
    expect_err "$message"
  done <<END
fit none.csv --store a.db|--keep LABEL and --store DB go together
fit none.csv --kept-at 2026-01-31|--kept-at goes with --keep and --store
fit none.csv --robust huber --se hc3|--robust huber has standard errors of its own: leave out --se hc3, or --robust
fit none.csv --weights w --points mean|--weights are weights of rows
predict none.csv --gpu-price 2 --node-price 9|--gpu-price and --node-price both say what machines cost: leave one of them out
predict none.csv --hide 2|--hide says what a backtest hides: add --backtest
predict none.csv --residual raw|--residual raw: forecasts by laws of one x take residuals of ln y (log)
predict none.csv --fix beta=1|the forecast is by average: name it with --law
generate --loss --gpus 1,2|--gpus is about times, and --loss makes up losses: leave out one of them
replay --jobs x.csv --seed 1..3|--jobs does not go with --dataset, --recurrences or --seed
tail none.csv --run id --discrete|--run averages the rows of a run, --discrete needs whole numbers
store export a.db --columns n|--columns works only with store ls
END
}

test_budget_says_what_is_missing() {
  local runs="$source_folder/data/budget/runs.csv" losses="$source_folder/data/isoflop/runs.csv"
  while IFS='|' read -r call message; do
    run budget $call
    expect_status 2
    expect_err "$message"
  done <<END
$runs|nothing limits the plan: add --days, --budget-gpu-hours
$runs --gpus 64|nothing limits the plan
$runs --days 7 --deadline 7d|--days and --deadline both limit the time
$runs --deadline soon|--deadline "soon": expected a duration such as 36h
$runs --days -7|--days: expected a number above 0
$runs --days 7 --inference-tokens 1T|--inference-tokens: a deadline does not limit what is served later
$runs --budget-cost 1000|--budget-cost needs a price
$runs --budget-cost 1000EUR --gpu-price \$2|are in different currencies
$runs --budget-co2 10|--budget-co2 needs --carbon-intensity
$losses --days 7|nothing tells how long training takes
$losses --days 7 --gpu-flops 1e14|--gpu-flops needs --gpus
$runs --days 7 --gpu-flops 1e14 --gpus 8 --time x|--gpu-flops and --time both say how long a token takes
$losses --budget-kwh 7 --gpu-flops 1e14 --gpus 8|nothing tells the power of a GPU
$runs --days 7 --gpu-power 300 --power power_w|--gpu-power and --power or --energy all say what a GPU draws
$runs --days 7 --gpus 4 --gpus-per-node 8|--gpus 4: fewer than the 8 of a node
$runs --days 7 --time loss|'loss' is no time
END
}

test_losses_need_no_names_of_columns() {
  losses="$source_folder/data/two_scales/runs.csv"
  run fit "$losses"
  expect_status 2
  expect_err "--law chinchilla fits these: scalelaw fit $losses --law chinchilla -x parameters,tokens -y loss; to draw: scalelaw plot surface $losses -x parameters,tokens -y loss; to forecast: scalelaw predict $losses --law chinchilla -x parameters,tokens -y loss"
  run fit "$losses" --law chinchilla -x parameters,tokens -y loss --format json
  expect_status 0
  mv out named.json
  run fit "$losses" --law chinchilla --format json
  expect_same named.json out
  expect_err 'x: parameters, y: loss, by: nothing (one group); second x: tokens'
  run predict "$losses" --law chinchilla --at 7B:1.4T
  expect_status 0
  run predict "$losses" --law chinchilla --at 7:x
  expect_status 2
  expect_err 'such as 7B:1.4T; found "7:x"'
  # A joint fit knows no --se cr2, so that none is advised.
  run fit "$source_folder/data/recipes/runs.csv" --law chinchilla --share E --se cluster --run parameters --details
  expect_status 0
  ! grep -q "cr2" out || fail "advice that cannot be followed"
  # Of several losses none is taken unasked, nor a rate beside them.
  awk -F, 'NR == 1 { print "parameters,tokens,c4_loss,pile_loss,tokens_per_second"; next }
    { print $0 "," $3 + NR / 1000 "," 1200 + NR }' "$losses" >two_losses.csv
  run fit two_losses.csv --law chinchilla -x parameters,tokens
  expect_status 2
  expect_err "2 columns are losses: name one with -y. They are: c4_loss, pile_loss"
  run fit two_losses.csv --law chinchilla -y c4_loss --format json
  expect_status 0
  run fit "$demo" --law chinchilla
  expect_status 2
  expect_err 'no columns are known as parameters, tokens (or compute) and loss'
}

test_predict_says_where_scaling_turns_back() {
  printf 'gpus,epoch_seconds\n1,100.3\n2,51.3\n4,26.9\n8,14.9\n16,10.3\n32,10.2\n64,15.2\n128,27.9\n' >usl.csv
  run predict usl.csv --deadline 12 --quiet
  expect_status 0
  expect_out '12 to 44 GPUs bring an epoch below 12 s, with even odds or better. By the 95 % interval of new runs,'
  expect_out 'the shortest is 9.76 s, with 22'
}

test_predict_takes_a_column_without_a_unit_as_seconds() {
  printf 'gpus,epoch_time\n1,100\n2,51\n4,26\n8,13\n16,6.7\n' >bare.csv
  run predict bare.csv --deadline 10s
  expect_status 0
  expect_out ' GPUs bring an epoch below 10 s. By'
  expect_err "'epoch_time' names no unit and is taken as seconds; if it is in minutes, say so with -y 'epoch_time[min]'"
  for call in '--gpu-price 2' '--budget-gpu-hours 2' '--node-price 2 --gpus-per-node 4'; do
    run predict bare.csv --at 32 $call
    expect_status 2
    expect_err "'epoch_time' names no unit: say -y 'epoch_time[s]' if it is in seconds, -y 'epoch_time[min]' if in minutes"
  done
  run predict bare.csv -y 'epoch_time[min]' --at 32 --gpu-price 2 --quiet
  expect_status 0
  run predict bare.csv --deadline 10
  expect_status 0
  ! grep -q 'taken as seconds' err || fail "a note on a plain number"
  printf 'gpus,energy_j\n1,100\n2,51\n4,26\n8,13\n16,6.7\n' >joules.csv
  run predict joules.csv -y energy_j --deadline 10s
  expect_status 2
  expect_err "the unit of 'energy_j' is J, which is no time"
}

test_predict_prices_only_gpus() {
  printf 'AllocNodes,epoch_seconds\n1,100\n2,51\n4,26\n8,13\n16,6.7\n' >nodes.csv
  for call in '--gpu-price 2' '--budget-gpu-hours 2' '--gpu-power 300'; do
    run predict nodes.csv $call
    expect_status 2
    expect_err "needs the number of GPUs, and 'AllocNodes' counts nodes: say with --gpus-per-node how many one has"
  done
  run predict nodes.csv --quiet
  ! grep -q GPU out || fail "GPU-hours of nodes: $(cat out)"
}

test_predict_shows_the_answer_in_the_table_and_warns_beyond_the_data() {
  printf 'gpus,epoch_seconds\n1,100\n2,51\n4,26\n8,13\n16,6.7\n' >answer.csv
  run predict answer.csv --deadline 10 --format csv --columns x,deadline_x --quiet
  [ "$(tail -n 1 out)" = 11,11 ] || fail "$(cat out)"
  run predict answer.csv --budget-gpu-hours 100 --quiet
  tr '\n' ' ' <out | grep -qF 'set no limit to the number of GPUs that the data can tell, with even odds or better. If the laws hold that far, by the 95 % interval of new runs, up to 4342 are safe. The largest that was measured is 16. ' ||
    fail "no word on the limit: $(cat out)"
  ! grep -q 16000 out || fail "the end of the search is no answer"
  tr '\n' ' ' <out | grep -qF '4342 GPUs are 271 times the largest scale that was measured (16 GPUs): only the laws speak for them. On other data such forecasts were checked up to 4 times the largest scale, which is 64 GPUs here.' ||
    fail "no word on how far that is: $(cat out)"
  run predict answer.csv --at 8,1024 --quiet
  tr '\n' ' ' <out | grep -qF '1024 GPUs are 64 times the largest scale that was measured (16 GPUs)' ||
    fail "no word on how far that is: $(cat out)"
  run predict answer.csv --at 64 --quiet
  ! grep -q 'only the laws' out || fail "64 GPUs were checked"
  run plan answer.csv --target 1024 --quiet
  tr '\n' ' ' <out | grep -qF '1024 GPUs are 64 times the largest scale that was measured (16 GPUs)' ||
    fail "no word on how far that is: $(cat out)"
  run predict answer.csv --budget-gpu-hours 1 --quiet
  expect_out '1 GPU-hour for an epoch sets no limit'
  printf 'model,gpus,seconds\nA,1,100\nA,2,50\nA,4,25\nB,1,100\nB,2,50\nB,4,25\nC,1,100\nC,2,100\nC,4,100\n' >groups.csv
  run predict groups.csv -b model --law power --deadline 10 --quiet
  expect_out 'It takes 10 GPUs to bring the time below 10 s; 1 of 3 groups is not forecast to reach that.'
}

test_predict_says_what_cannot_be_met() {
  printf 'gpus,seconds\n1,105\n2,56\n4,29\n8,18\n16,11\n32,8.2\n64,6.5\n128,5.9\n' >floor.csv
  run predict floor.csv --law floor --deadline 4
  expect_status 0
  tr '\n' ' ' <out | grep -qF 'No number of GPUs brings the time below 4 s: even 1000 times the largest number that was measured would take 5.09 s.' ||
    fail "no word on what could be reached: $(cat out)"
}

test_rank_formats() {
  local ending first
  while read -r ending first; do
    run rank "$demo" -b model --where power_cap_w=250 --where clock_mhz=1380 --quiet --resamples 99 -o "out.$ending"
    expect_status 0
    expect_no_out
    [ "$(head -n 1 "out.$ending" | cut -c "1-${#first}")" = "$first" ] || fail "$ending: $(head -n 1 "out.$ending")"
  done <<'FORMATS'
json {"schema": "scalelaw.rank/1",
jsonl {"group": {"model": "BERT"}, "n": 27,
csv model,n,distinct_x,x_min,x_max,place,law,
tsv model	n
md The runs of 5 of 6 groups follow a power law, 4 of them another law as well.
tex % The runs of 5 of 6 groups follow a power law, 4 of them another law as well.
html <p>The runs of 5 of 6 groups follow a power law, 4 of them another law as well.
txt The runs of 5 of 6 groups follow a power law, 4 of them another law as well.
FORMATS
  expect_json out.json whole
  expect_json out.jsonl lines
  [ "$(wc -l <out.jsonl)" = 6 ] || fail "not a line a group"
  [ "$(grep -c ,ok, out.csv)" = 36 ] || fail "not one row per group and law: $(cat out.csv)"
  local key
  for key in laws response confidence resamples seed rows groups best undecided parameters se ci k rss aicc delta weight \
    rmse mape converged tests power_vs_lognormal errors power_vs_floor power_vs_broken power_vs_any holdout stability sentence; do
    grep -q "\"$key\":" out.json || fail "the JSON lacks $key"
  done
}

test_rank_columns() {
  bent_table
  run rank bent.csv --format csv --quiet --resamples 0 --columns law,delta --laws power,floor
  expect_status 0
  [ "$(head -n 1 out)" = law,delta ] || fail "$(cat out)"
  expect_out "floor,0"
  run rank bent.csv --quiet --resamples 0 --columns best,floor --laws power,floor
  expect_status 0
  expect_out "best   floor"
  run rank bent.csv --format csv --columns wieght
  expect_status 2
  expect_no_out
  expect_err "there is no column 'wieght' (did you mean 'weight'?)"
}

test_rank_names_mistakes() {
  bent_table
  run rank bent.csv --laws pwoer
  expect_status 2
  expect_no_out
  expect_err "there is no law 'pwoer' (did you mean 'power'?)"
  run rank bent.csv --laws power,floor,power
  expect_status 2
  expect_err "'power' appears twice"
  run rank bent.csv --laws power,
  expect_status 2
  run rank bent.csv --resamples -1
  expect_status 2
  run rank missing.csv
  expect_status 2
  expect_err "missing.csv"
}

test_rank_takes_laws_of_the_original_scale() {
  printf 'gpus,seconds\n1,8.1\n2,10.9\n4,17.2\n8,28.5\n16,53.6\n32,100.2\n64,198.9\n' >runs.csv
  run rank runs.csv --laws linear,proportional,power
  expect_status 0
  expect_out "the linear law"
  ! grep -q "p floor.*0\." out || fail "a test of a law that was not asked for"
}

test_rank_without_resamples_tests_for_a_bend_and_a_break_alone() {
  bent_table
  run rank bent.csv --resamples 0 --format json
  expect_status 0
  expect_out '"power_vs_floor": null, "power_vs_broken": {"statistic": '
  expect_out '"power_vs_lognormal": {"f": '
  expect_out '"method": "harmonic-mean", "tests": 2}'
}

test_rank_leaves_a_bad_group_to_itself() {
  { table_with_a_failing_group && cat runs.csv && printf 'C,1,100\nC,2,61\nC,4,36\nC,8,22.5\nC,16,13.4\n'; } >mixed.csv
  run rank mixed.csv --details
  expect_status 0
  expect_out "model A: No law can be ranked with 4 points at 4 N."
  expect_out "model B: No law can be ranked with 3 points at 1 N."
  expect_out "model C: The runs follow a power law."
  run rank mixed.csv --format csv --columns model,law,status,code --quiet
  expect_out "B,power,failed,too-few-x"
  run rank mixed.csv --where model=C --format csv --quiet
  tail -n +2 out >alone
  run rank mixed.csv --format csv --quiet
  grep '^C,' out >among
  expect_same alone among
}

test_rank_refuses_times_of_zero_as_fit_does() {
  printf 'gpus,seconds\n1,10\n2,0\n4,3\n' >runs.csv
  run fit runs.csv
  mv err fit_err
  run rank runs.csv
  expect_status 2
  expect_no_out
  expect_same fit_err err
}

test_rank_gives_the_same_bytes_for_any_threads_and_order() {
  local threads
  run rank "$demo" --format json --threads 1
  cp out one
  for threads in 2 7; do
    run rank "$demo" --format json --threads "$threads"
    expect_same one out
  done
  { head -n 1 "$demo" && tail -n +2 "$demo" | sort -r; } >sorted.csv
  { head -n 1 "$demo" && tail -n +2 "$demo" | sort; } >reversed.csv
  run rank sorted.csv --format jsonl
  cp out one
  run rank reversed.csv --format jsonl
  expect_same one out
}

test_rank_of_a_rate() {
  awk -F, 'NR == 1 { print $0 ",rate" } NR > 1 { printf "%s,%.17g\n", $0, 1e6 / $6 }' "$demo" >runs.csv
  run rank runs.csv -y rate --rate --where model=VGG16 --format csv --quiet --columns law,delta
  cut -d . -f 1 out >rate
  run rank runs.csv -y epoch_seconds --where model=VGG16 --format csv --quiet --columns law,delta
  cut -d . -f 1 out >time
  expect_same time rate
}

# Random tables: any exponent, scatter from none to hundreds, N up to 1e12, y from 1e-300 to 1e300.
test_rank_prints_no_invented_numbers() {
  command -v python3 >/dev/null || { echo "skipped: no python3"; return 0; }
  python3 - >runs.csv <<'TABLES'
import math, random
random.seed(20261121)
print("group,gpus,seconds")
for group in range(300):
    levels = sorted({round(10 ** random.uniform(0, random.choice([1, 3, 12])), random.choice([0, 6])) or 1 for _ in range(random.randint(1, 12))})
    level, beta = random.uniform(-650, 650), random.uniform(-4, 4)
    sigma = random.choice([0, 1e-15, 1e-9, 0.01, 0.1, 1, 5])
    for n in levels:
        for _ in range(random.choice([1, 1, 3])):
            log_y = level - beta * math.log(n) + random.choice([0, 1, 3]) * sigma * random.gauss(0, 1)
            if random.random() < 0.02:
                log_y += random.uniform(-300, 300)
            print(f"{group},{n},{math.exp(min(max(log_y, -690), 690)):.{random.choice([1, 3, 17])}g}")
TABLES
  local format rate
  for rate in "" --rate; do
    for format in table json csv; do
      # shellcheck disable=SC2086 # No word at all where it is no rate.
      run rank runs.csv -b group --laws power,lognormal,floor,amdahl,usl,broken,linear,proportional $rate --resamples 99 --format "$format"
      expect_status 0
      ! grep -qwiE -- '-?(nan|inf|infinity)' out || fail "$format: $(grep -wiE -- '-?(nan|inf|infinity)' out | head -n 3)"
    done
    run rank runs.csv -b group $rate --resamples 19 --format jsonl --quiet
    expect_json out lines
  done
}

## gate

# Runs of two models before a change, with two percent of scatter.
runs_before() {
  {
    printf 'model,alpha,beta\nA,100,0.8\nB,300,0.6\n' >laws.csv
    "$binary" generate --laws laws.csv --gpus 1,2,4,8,16,32,64 --noise 0.02 --seed "${1:-1}" --quiet
  } >before.csv
}

# slower MODEL FACTOR prints before.csv with the times of one model multiplied.
slower() { awk -F, -v OFS=, -v m="$1" -v f="$2" 'NR > 1 && $1 == m { $4 *= f } { print }' before.csv; }

test_gate_exits_1_if_a_group_is_worse() {
  runs_before
  slower A 1.15 >after.csv
  run gate before.csv after.csv
  expect_status 1
  expect_out "failed: 1 of 2 groups is worse (model A), 1 is the same within the limit."
  [ "$(head -n 1 out)" = "failed: 1 of 2 groups is worse (model A), 1 is the same within the limit." ] || fail "$(head -n 1 out)"
  expect_out "one-night: NEW is worse than BASE by more than runs scatter, but BASE may be one night only"
  # What stands under the table is not said on stderr, too; what goes to a file is.
  ! grep -q "one-night" err || fail "said twice: $(cat err)"
  run gate before.csv after.csv -o gate.txt
  expect_err "one-night: NEW is worse than BASE"
  run gate before.csv after.csv --format csv
  expect_err "one-night: NEW is worse than BASE"
  run gate before.csv before.csv
  expect_status 0
  expect_out "passed: 2 of 2 groups are the same within the limit."
  run gate after.csv before.csv
  expect_status 0
  expect_out "passed: 1 of 2 groups is the same within the limit, 1 is better (or NEW merely had a fast night)."
}

test_gate_exit_status_follows_the_options() {
  runs_before
  slower A 1.05 >after.csv
  run gate before.csv after.csv
  expect_status 0
  expect_out "1 of 2 groups is inconclusive"
  run gate before.csv after.csv --fail-on inconclusive
  expect_status 1
  run gate before.csv after.csv --fail-on inconclusive --exit-zero
  expect_status 0
  expect_out failed
  run gate before.csv after.csv --max-slowdown 1%
  expect_status 1
  run gate before.csv after.csv --max-slowdown 20%
  expect_status 0
  expect_out "2 of 2 groups are the same within the limit"
  awk -F, -v OFS=, 'NR > 1 && $1 == "A" { $4 *= $2 ^ 0.1 } { print }' before.csv >flatter.csv
  run gate before.csv flatter.csv --at 1 --max-slowdown 100%
  expect_status 1
  run gate before.csv flatter.csv --at 1 --max-slowdown 100% --max-beta-drop 0.2
  expect_status 0
}

test_gate_fails_if_a_group_is_missing() {
  runs_before
  grep -v '^B' before.csv >after.csv
  run gate before.csv after.csv
  expect_status 1
  expect_out "failed: 1 of 2 groups is missing in NEW (model B), 1 is the same within the limit."
  expect_out "model B: missing: NEW has no such group"
  run gate before.csv after.csv --exit-zero
  expect_status 0
  run gate after.csv before.csv --fail-on inconclusive
  expect_status 0
  expect_out "1 is new"
  # A single scale has no law, but its runs are judged by what BASE forecasts there.
  { cat after.csv; echo B,1,1,3000; } >single.csv
  run gate before.csv single.csv
  expect_status 1
  expect_out "failed: 1 of 2 groups is worse (model B)"
  expect_out "1 GPU (1 run)"
  # Saved fits do not tell the runs.
  "$binary" fit single.csv -b model -o single.json --quiet
  run gate before.csv single.json
  expect_status 1
  expect_out "model B: no-fit: no fit in NEW"
}

test_gate_does_not_fail_beyond_the_data_of_saved_fits() {
  printf 'gpus,seconds\n1,5212\n2,2741\n4,1444\n8,764\n16,407\n32,219\n' >base.csv  # 5200 N^-.93 + 12
  printf 'gpus,seconds\n128,69\n128,69.4\n128,69.8\n' >new.csv
  run fit base.csv -o base.json
  run gate base.json new.csv --quiet
  expect_status 0
  expect_out 'gpus = 128 lies beyond the 32 of BASE'
  expect_out '(beyond data)'
  run gate base.csv new.csv --quiet
  expect_status 0
  run gate base.json new.csv --quiet --law power
  expect_status 1
}

test_gate_says_how_to_judge_nights_of_new() {
  printf 'date,gpus,seconds\nd1,8,12\nd2,8,12.1\nd3,8,12.2\n' >nights.csv
  printf 'gpus,seconds\n1,100\n2,50.5\n4,25\n8,12.4\n' >base.csv
  run gate base.csv nights.csv --quiet --where date=d3
  ! grep -q 'nights' out || fail "one night was chosen"
  run gate base.csv nights.csv --quiet --night date --newest-night
  expect_out '8 GPUs (1 run)'
  expect_out 'its 2 earlier nights count as nights of BASE'
  run gate nights.csv nights.csv --night date --quiet
  expect_status 0
  expect_out '8 GPUs (1 run)'
  printf 'date,gpus,seconds\nd1,8,12\nd1,8,12.1\n' >one.csv
  run gate one.csv one.csv --night date --newest-night --quiet
  expect_status 2
  expect_err 'one.csv: d1 is its only night, and BASE has no other to compare it with'
}

# A slow last night must not be hidden by the nights before it.
test_energy_notices_watts_of_all_gpus() {
  printf 'model,gpus,minutes,watts\nA,1,88,306\nA,2,46,617\nA,4,26,1215\nA,8,13,2486\nA,16,7.5,4989\n' >all.csv
  run energy all.csv -b model
  expect_status 2
  expect_err "'watts' is 16.3 times as much on 16 GPUs as on 1, so it seems to be the power of all GPUs together: add --total-power, or --power watts if it is that of one GPU"
  run energy all.csv -b model --power watts
  expect_status 0
  expect_err "'watts' is taken as the power of one GPU, but on 16 GPUs it is 16.3 times what it is on 1: it seems to be that of all GPUs together"
  expect_err "--total-power takes it so"
  run energy all.csv -b model --total-power
  ! grep -q 'seems to be that of all' err || fail "$(cat err)"
  printf 'model,gpus,minutes,watts\nA,1,88,306\nA,2,46,300\nA,4,26,296\nA,8,13,280\nA,16,7.5,270\n' >one.csv
  run energy one.csv -b model
  ! grep -q warning err || fail "$(cat err)"
}

test_pareto_says_one_thing_of_its_optimum_and_counts_what_it_hides() {
  { echo cap_w,gpus,time_s,energy_kwh
    for row in 150,4,4870,0.78 200,4,4350,0.93 250,4,3940,1.05 150,8,2620,0.84 200,8,2300,0.98 250,8,2120,1.13; do
      echo "$row"; done; } >caps.csv
  run pareto caps.csv --knobs cap_w,gpus --max-power 400 --eta 0.5
  expect_status 0
  expect_out "energy kWh"
  expect_out "0.78000"
  ! grep -q 'surely dominated.*0.5' out || fail "the optimum is called dominated: $(cat out)"
  expect_out "not shown, as other points are better in both time and energy; --format csv has all"
}

test_predict_says_how_far_a_budget_reaches_in_words_that_hold() {
  { echo model,gpus,epoch_seconds; for g in 1 2 4 8 16 32; do
      awk -v g=$g 'BEGIN { printf "A,%d,%.1f\nA,%d,%.1f\nB,%d,%.1f\nB,%d,%.1f\n", g, 5200/g^0.93*(1+0.004*(g%3)), g, 5210/g^0.93, g, 14600/g^0.8, g, 14500/g^0.8*(1+0.003*(g%5)) }'
    done; } >two.csv
  run predict two.csv -b model --budget-gpu-hours 20 --quiet
  expect_out "20 GPU-hours suffice for an epoch on "
  ! grep -q 'can meet what was asked for' out || fail "$(cat out)"
  expect_out "if the laws hold that far"
  run predict two.csv -b model --deadline 0.001 --quiet
  expect_out "A group for which no number of GPUs is the answer has a row all the same"
}

test_predict_takes_jobs_of_steps_and_samples() {
  printf 'gpus,step_ms\n1,800\n2,410\n4,210\n8,110\n' >steps.csv
  run predict steps.csv --at 16 --steps 100k --gpu-price 2 --quiet
  expect_status 0
  expect_out "At 16 GPUs the job of 100000 steps takes"
  run predict steps.csv --at 16 --epochs 10 --quiet
  expect_status 2
  expect_err "--epochs needs a response that tells the time of epochs, and 'step_ms' is a time of one step in ms: say with --steps how many steps the job has"
  run predict steps.csv --at 16 --steps 100k --format json --quiet
  expect_out '"steps": 100000'
  run predict steps.csv --at 16 --steps 100k --epochs 2
  expect_status 2
  expect_err "--epochs and --steps all say what a job is: leave all but one of them out"
  run predict steps.csv --at 16 --samples 100k
  expect_status 2
  expect_err "--samples needs a response that tells the time of samples, and 'step_ms' is a time of one step in ms: no column says how many samples one step has, such as global_batch; add one"
  printf 'gpus,epoch_seconds\n1,800\n2,410\n4,210\n8,110\n' >epochs.csv
  run predict epochs.csv --at 16 --steps 5
  expect_status 2
  expect_err "--steps needs a response that tells the time of steps, and 'epoch_seconds' is a time of one epoch in s: no column says how many steps one epoch has, such as steps; add one"
  printf 'gpus,images_per_second\n1,100\n2,196\n4,385\n8,750\n' >images.csv
  run predict images.csv -y images_per_second --at 16 --samples 1M --quiet
  expect_status 0
  expect_out "the job of 1M images takes"
}

test_plan_counts_the_hours_of_jobs() {
  printf 'gpus,tokens_per_second\n1,1000\n2,1960\n4,3850\n8,7400\n16,14100\n' >rate.csv
  run plan rate.csv --target 64 --quiet
  expect_out "'tokens_per_second' is a rate: --tokens N (or --samples, --steps) says how large a run is, and so its GPU-hours."
  run plan rate.csv --target 64 --candidates 1 --repeats 1 --tokens 3.6M --format csv --columns gpu_hours --quiet
  # 3.6 million tokens at about 1,000 a second take one GPU about an hour.
  awk 'NR == 2 { exit !($1 > 0.9 && $1 < 1.1) }' out || fail "$(cat out)"
  printf 'gpus,epoch_seconds\n1,3600\n2,1830\n4,940\n8,480\n16,250\n' >epochs.csv
  run plan epochs.csv --target 64 --candidates 1 --repeats 1 --epochs 10 --format csv --columns gpu_hours --quiet
  awk 'NR == 2 { exit !($1 > 9 && $1 < 11) }' out || fail "$(cat out)"
}

test_look_tells_of_a_failed_run_once() {
  printf 'gpus,epoch time (s)\n1,100\n2,OOM\n4,26\n8,13\n' >oom.csv
  run look oom.csv
  expect_out "oom.csv: 3 of 4 rows with the time 'epoch time'"
  expect_out "1 run is left out: epoch time (s) is OOM."
  ! grep -q 'runs that crashed' out || fail "$(cat out)"
}

test_commands_of_times_point_tables_of_losses_to_others() {
  printf 'recipe,params,tokens,loss\na,70M,2B,3\na,70M,8B,2.9\nb,160M,2B,2.8\nb,160M,8B,2.7\n' >recipes.csv
  run report recipes.csv -o page.html
  expect_status 2
  expect_err "recipes.csv: 'loss' is a loss over 'params' and 'tokens', and report needs times or rates over numbers of GPUs; for losses there are 'scalelaw fit recipes.csv --law chinchilla -x params,tokens -y loss -b recipe'"
  run contrast recipes.csv
  expect_status 2
  expect_err "compare recipes by their losses: scalelaw contrast recipes.csv --law chinchilla -x params,tokens -y loss --factor recipe"
  printf 'Model,GPUs,seconds\nA,1,10\nA,2,5\nB,1,20\nB,2,11\n' >models.csv
  run contrast models.csv
  expect_status 2
  expect_err "name the column of the setting with --factor COL, such as --factor Model; columns are"
}

test_gate_judges_the_newest_night_of_a_column_of_dates() {
  { echo date,gpus,seconds; for d in 1 2 3 4 5 6; do printf 'd%s,8,12.%s\nd%s,8,12.1\n' $d $d $d; done; } >nights.csv
  printf 'd7,8,15\nd7,8,15.1\n' >>nights.csv
  printf 'gpus,seconds\n1,100\n2,50.5\n4,25\n8,12.4\n' >base.csv
  run gate base.csv nights.csv --quiet
  expect_status 1
  expect_out "its column 'date' names nights, of which the newest is judged; --night '' takes all of them as one"
  expect_out 'NEW is its newest night, d7; its 6 earlier nights count as nights of BASE'
  run gate nights.csv nights.csv --quiet
  expect_status 1
  expect_out 'NEW is its newest night, d7; BASE is the 6 others'
  run gate base.csv nights.csv --quiet --night ''
  ! grep -q 'nights of NEW\|newest' out || fail "all as one was asked for"
}

# The days of one study are parts of it: the newest alone would lack scales.
test_gate_says_first_that_nights_were_judged_as_one() {
  printf 'date,gpus,seconds\nd1,1,100\nd1,2,50\nd1,4,25.1\nd2,8,12.4\nd2,16,6.3\n' >days.csv
  printf 'gpus,seconds\n1,100\n2,50.5\n4,25\n8,12.4\n16,6.2\n' >base.csv
  run gate base.csv days.csv --quiet
  head -n 1 out | grep -q "all nights of NEW ('date') were judged as one" || fail "$(head -n 2 out)"
  expect_out "days.csv: all values of its column 'date' are taken as one night, as the newest lacks groups or"
}

test_gate_takes_saved_fits_of_either_side() {
  runs_before
  slower A 1.15 >after.csv
  "$binary" fit before.csv --format json -o before.json --quiet
  "$binary" fit after.csv --format json -o after.json --quiet
  gzip -k before.json
  run gate before.csv after.csv --format json --quiet
  sed -n '/"groups"/,$p' out >expected
  local base new
  for base in before.csv before.json before.json.gz; do
    for new in after.csv after.json; do
      run gate "$base" "$new" --format json --quiet
      expect_status 1
      sed -n '/"groups"/,$p' out >found
      expect_same expected found
    done
  done
}

# The runs are fitted like the baseline, so no option has to be repeated.
test_gate_fits_runs_as_the_baseline_was_fitted() {
  runs_before
  awk -F, -v OFS=, 'NR == 1 { print $0, "rate" } NR > 1 { print $0, 1 / $4 }' before.csv >rates.csv
  slower A 1.15 | awk -F, -v OFS=, 'NR == 1 { print $0, "rate" } NR > 1 { print $0, 1 / $4 }' >after.csv
  "$binary" fit rates.csv -y rate --rate --se hc3 --points mean -b model --format json -o rates.json --quiet
  run gate rates.json after.csv
  expect_status 1
  expect_err "y: rate, by: model"
  expect_out "1 of 2 groups is worse"
  run gate rates.json after.csv --points each
  expect_out "different --points"
}

test_gate_gives_the_same_bytes_for_any_number_of_threads_and_order_of_rows() {
  local threads
  "$binary" generate --seed 3 --quiet -o after.csv
  run gate "$demo" after.csv --format json --threads 1 --quiet
  expect_status 0
  cp out one
  for threads in 2 7; do
    run gate "$demo" after.csv --format json --threads "$threads" --quiet
    expect_same one out
  done
  { head -n 1 after.csv; tail -n +2 after.csv | tac; } >turned.csv
  mv turned.csv after.csv
  run gate "$demo" after.csv --format json --quiet
  expect_same one out
}

test_gate_update_keeps_the_baseline() {
  runs_before
  slower A 1.15 >after.csv
  run gate baseline.json before.csv
  expect_status 2
  expect_err "baseline.json"
  run gate baseline.json before.csv --update
  expect_status 0
  expect_err "baseline.json: baseline created"
  "$binary" fit before.csv --format json --quiet >expected
  expect_same expected baseline.json
  run gate baseline.json after.csv
  expect_status 1
  expect_same expected baseline.json
  run gate baseline.json after.csv --update
  expect_status 1
  expect_err "baseline.json: baseline replaced by NEW"
  run gate baseline.json after.csv
  expect_status 0
  "$binary" fit before.csv --format json --quiet -o before.json
  run gate baseline.json before.json --update
  expect_status 0
  expect_same before.json baseline.json
  run gate before.csv after.csv --update
  expect_status 2
  expect_err "before.csv: --update replaces saved fits, and this file holds something else"
  [ "$(find . -name '.scalelaw*' | wc -l)" = 0 ] || fail "a temporary file is left"
}

test_gate_judges_energy_too() {
  runs_before
  awk -F, -v OFS=, 'NR == 1 { print $0, "joules" } NR > 1 { print $0, $4 * $2 * 300 }' before.csv >runs.csv
  awk -F, -v OFS=, 'NR > 1 && $1 == "B" { $5 *= 1.2 } { print }' runs.csv >after.csv
  run gate runs.csv after.csv -b model
  expect_status 0
  run gate runs.csv after.csv -b model -y epoch_seconds,joules
  expect_status 1
  expect_out "By joules:"
  expect_out "by joules, 1 of 2 groups is worse (model B), 1 is the same within the limit; by epoch_seconds, 2 of 2 groups are"
  run gate 'base-{y}.json' runs.csv -b model -y epoch_seconds,joules --update
  expect_status 0
  [ -s base-joules.json ] || fail "no baseline of energy"
  run gate 'base-{y}.json' after.csv -b model -y epoch_seconds,joules
  expect_status 1
  expect_out "by joules, 1 of 2 groups is worse (model B), 1 is the same within the limit"
  run gate base-joules.json after.csv -b model -y epoch_seconds,joules
  expect_status 2
  expect_err "base-joules.json: it holds fits of -y 'joules', not 'epoch_seconds'"
  run gate 'base-{y}.json' after.csv
  expect_status 2
  expect_err "{y} stands for the column of -y, which is not given"
}

test_gate_needs_no_flags_in_a_project() {
  runs_before
  slower A 1.15 >after.csv
  mkdir -p project/deep
  cp before.csv after.csv project/deep
  cat >project/scalelaw.toml <<'TOML'
[gate]
base = "baseline.json"
new = "after.csv"
x = "gpus"
y = "epoch_seconds"
by = "model"
where = ["gpus<=32"]
at = "middle,32"
max-slowdown = "8%"
max-beta-drop = 0.04
TOML
  cd project/deep || exit 1
  run gate --new before.csv --update
  expect_status 0
  run gate
  expect_status 1
  expect_out "a group may be 8 % slower, and its beta 0.04 less"
  expect_out "32 GPUs"
  run gate baseline.json before.csv
  expect_status 0
  run gate --exit-zero --max-slowdown 30%
  expect_status 0
  expect_out "passed"
  run gate --print-config
  expect_out 'base = "baseline.json"'
  cp "$work/out" settings.toml
  run gate --config settings.toml --print-config
  expect_same settings.toml "$work/out"
}

test_gate_formats() {
  runs_before
  slower A 1.15 >after.csv
  local ending first
  while read -r ending first; do
    run gate before.csv after.csv --quiet -o "out.$ending"
    expect_status 1
    expect_no_out
    [ "$(head -n 1 "out.$ending" | cut -c "1-${#first}")" = "$first" ] || fail "$ending: $(head -n 1 "out.$ending")"
  done <<'FORMATS'
json {"schema": "scalelaw.gate/1",
csv model,y,figure,x,base,
md **scalelaw gate failed: 1 of 2 groups is worse (model A), 1 is the same within the limit**
xml <?xml version="1.0" encoding="UTF-8"?>
txt failed: 1 of 2 groups is worse
FORMATS
  run gate before.csv after.csv --quiet --format github --also a.xml --also a.md --also a.json --export bench.json
  expect_status 1
  [ "$(head -n 1 out)" = "::error title=scalelaw gate::failed: 1 of 2 groups is worse (model A), 1 is the same within the limit" ] || fail "$(head -n 1 out)"
  expect_same out.xml a.xml
  expect_same out.md a.md
  expect_same out.json a.json
  grep -q '"unit": "epoch_seconds", "value": ' bench.json || fail "$(cat bench.json)"
}

# parsed FILE: the available XML parser accepts the file.
parsed() {
  if command -v python3 >/dev/null; then
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" 2>err
  elif command -v xmllint >/dev/null; then
    xmllint --noout "$1" 2>err
  fi
}

test_gate_junit_is_xml_whatever_the_names() {
  runs_before
  local name
  for name in '<&"'"'"'>' $'tab\there' $'bell\a' 'Å]]>' '%0A::error::x'; do
    NAME=$name awk -F, -v OFS=, 'NR == 1 || $1 == "A" { if (NR > 1) $1 = ENVIRON["NAME"]; gsub(/"/, "\"\"", $1); if (NR > 1) $1 = "\"" $1 "\""; print }' \
      before.csv >named.csv
    run gate named.csv named.csv --format junit
    expect_status 0
    parsed out || fail "$name: $(cat err)"
    awk -F, -v OFS=, 'NR > 1 { $NF *= 1.3 } { print }' named.csv >slow.csv
    run gate named.csv slow.csv --format github
    expect_status 1
    ! grep -v '^::\(error\|warning\|notice\) title=' out || fail "a line is no command"
    ! grep -q '%0A::' out || fail "a name became a command"
  done
}

test_gate_names_mistakes() {
  runs_before
  "$binary" fit before.csv --format json -o base.json --quiet
  local call
  while read -r call; do
    # shellcheck disable=SC2086 # The words of a call are meant to be split.
    run gate $call
    expect_status 2
    expect_no_out
    [ "$(grep -c error: err)" = 1 ] || fail "not one sentence for '$call': $(cat err)"
  done <<'CALLS'

base.json
base.json missing.csv
missing.json before.csv
- -
base.json before.csv --max-slowdown 0
base.json before.csv --max-slowdown -5%
base.json before.csv --max-slowdown nan
base.json before.csv --max-slowdown inf
base.json before.csv --max-slowdown 101%
base.json before.csv --max-slowdown 5
base.json before.csv --max-beta-drop 0
base.json before.csv --max-beta-drop nan
base.json before.csv --max-beta-drop 1.5
base.json before.csv --at 0
base.json before.csv --at -4
base.json before.csv --at nan
base.json before.csv --at 4,inf
base.json before.csv --at ,
base.json before.csv --confidence 1
base.json before.csv --fail-on same
base.json before.csv --format xml
base.json before.csv --also gate.txt
base.json before.csv -x replicate
base.json before.csv -y gpus
base.json before.csv -b model,replicate
base.json before.csv --law linear
base.json before.csv --rate
base.json before.csv --errors normal
base.json before.csv -o base.json
base.json before.csv -o missing/out.json
before.csv before.csv --update
CALLS
}

test_gate_refuses_baselines_that_it_cannot_judge_by() {
  runs_before
  "$binary" fit before.csv --format json -o base.json --quiet
  local change message
  while IFS='|' read -r change message; do
    sed "$change" base.json >other.json
    run gate other.json base.json
    expect_status 2
    expect_no_out
    expect_err "$message"
  done <<'CHANGES'
s,scalelaw.fit/1,scalelaw.fit/2,|'schema' is 'scalelaw.fit/2'
s,"x": "gpus",x: gpus,|other.json:4: no JSON
s/^ "x": "gpus"/ "x": "nodes"/|other.json and base.json cannot be compared: x is 'nodes' in the first, 'gpus' in the second
s/^ "y": "epoch_seconds"/ "y": "joules"/|y is 'joules' in the first, 'epoch_seconds' in the second
s/"response": "time"/"response": "rate"/|response is 'rate' in the first, 'time' in the second
s/"errors": "lognormal"/"errors": "normal"/|errors is 'normal' in the first, 'lognormal' in the second
CHANGES
  "$binary" fit before.csv -b '' --format json -o all.json --quiet
  run gate all.json base.json
  expect_status 2
  expect_err "by is '' in the first, 'model' in the second"
  sed -n '/"fits"/q; p' base.json >empty.json
  echo ' "fits": [], "failed": []}' >>empty.json
  run gate empty.json base.json
  expect_status 2
  expect_err "empty.json: the baseline holds no fit: it holds no group"
  run gate base.json empty.json
  expect_status 1
  expect_out "2 of 2 groups are missing in NEW"
  printf 'model,gpus,epoch_seconds\nA,1,100\n' >point.csv
  run gate point.csv before.csv -b model
  expect_status 2
  expect_err "point.csv: the baseline holds no fit"
}

test_gate_invents_no_numbers() {
  printf 'model,gpus,epoch_seconds\nA,1,100\nA,2,52\n' >two.csv
  local format
  for format in table json csv markdown junit github; do
    run gate two.csv two.csv --format "$format"
    expect_status 0
    expect_out "BASE has no degrees of freedom: 2 points for 2 parameters"
    [ $format = csv ] || expect_out "undecided: 1 of 1 group is inconclusive"
    ! grep -qwiE 'nan|inf' out || fail "$format: $(cat out)"
  done
  run gate two.csv two.csv --fail-on inconclusive
  expect_status 1
}

test_gate_of_one_table_judges_the_newest_version() {
  printf 'gpus,seconds,version\n' >versions.csv
  for version in 2.1.0 v1.9.1 2.1.0rc1 2.0.0 1.10.0; do
    case $version in 2.1.0) slower=1.3 ;; 2.1.0rc1) slower=1.301 ;; 2.0.0) slower=1 ;; *) slower=1.002 ;; esac
    for gpus in 1 2 4 8; do
      for share in 0.99 1 1.01; do
        echo "$gpus $share $slower $version" | awk '{ printf "%d,%.4f,%s\n", $1, 100 / $1 * $2 * $3, $4 }'
      done
    done
  done >>versions.csv
  run gate versions.csv --night version
  expect_out 'NEW is version 2.1.0 of versions.csv, BASE its other runs'
  # The last before is the candidate of this release, which is as slow.
  run gate versions.csv --night version --nights 1
  expect_status 0
  # A table that nothing divides is not compared with itself.
  grep -v 2.1.0 versions.csv | sed 's/,v\{0,1\}[0-9.]*$/,3/' >one.csv
  run gate one.csv --night version
  expect_status 2
  expect_err 'one.csv: NEW is not named, and the table tells no newest night or version'
  run gate versions.csv --night version --where version=2.0.0
  expect_status 2
  run gate versions.csv
  expect_status 2
  expect_err 'Of one table, --night COL names its column of dates or versions'
}

# Hashes have no order: the table's dates tell it, or nobody does.
test_gate_orders_commits_by_the_dates_of_the_table() {
  {
    echo 'date,commit,gpus,seconds'
    day=1
    for commit in faecbd3 12bd4ac 7215837 12e4567 0a1b2c3 1200339 e0f1a2b 3c4d5e6; do
      echo "2026-06-0$day,$commit,8,10.$day"
      day=$((day + 1))
    done
  } >commits.csv
  run gate commits.csv --night commit
  expect_status 0
  expect_out "commits.csv: the values of 'commit' are in the order of 'date'"
  expect_out 'NEW is its newest commit, 3c4d5e6; BASE is the 7 others'
  run gate commits.csv --night commit --nights 2 --format csv
  expect_status 0
  run gate commits.csv commits.csv --night commit --newest-night
  expect_out 'NEW is its newest night, 3c4d5e6'
  cut -d, -f2- commits.csv >undated.csv
  run gate undated.csv --night commit
  expect_status 2
  expect_err "undated.csv: the values of 'commit' (1200339, faecbd3, ...) have no order of their own, and no column of dates tells which one is the newest. Add a column of dates to the table"
  # Two commits of one day overlap.
  sed 's/2026-06-0[78]/2026-06-07/' commits.csv >same_day.csv
  run gate same_day.csv --night commit
  expect_status 2
  expect_err "the dates in 'date' do not put them into one order either. --night date judges the newest date"
}

# A version that each night tests is no group, and no other night has it.
test_gate_takes_labels_of_nights_for_no_groups() {
  {
    echo 'date,version,gpus,seconds'
    for day in 10 11 12 13 14 15 16 17 18; do
      for gpus in 2 4 8; do
        echo "$day $gpus" | awk '{ printf "2026-06-%d,1.0.%d,%d,%.3f\n", $1, $1, $2, 100 / $2 * (1 + 0.0004 * (($1 * $1 * 7 + $2 * 13) % 17 - 8)) }'
      done
    done
  } >labels.csv
  run gate labels.csv --night date
  expect_status 0
  expect_out 'passed: 1 of 1 group'
  expect_out "no value of 'version' comes in two nights of 'date', so it tells no groups; -b version takes it for one"
  sed '1s/date/week/' labels.csv >weeks.csv
  run gate weeks.csv
  expect_status 0
  expect_out 'passed: 1 of 1 group'
  cut -d, -f1,3,4 weeks.csv >weeks_alone.csv
  run look weeks_alone.csv
  expect_out 'scalelaw gate weeks_alone.csv --night week'
  run gate labels.csv --night date -b version
  expect_status 1
  expect_out 'missing: NEW has no such group'
  cut -d, -f1,2,4 labels.csv >no_scale.csv
  run gate no_scale.csv --night date
  expect_status 0
  # Short hashes that begin alike look like versions.
  sed -e '1s/version/commit/' -e 's/1\.0\.10,/c07fe1,/' -e 's/1\.0\.11,/c0d41a,/' -e 's/1\.0\.12,/c012bb,/' -e 's/1\.0\.13,/c0e905,/' -e 's/1\.0\.14,/c03c3c,/' -e 's/1\.0\.15,/c0f00d,/' -e 's/1\.0\.16,/c09232,/' -e 's/1\.0\.17,/c0a8b7,/' -e 's/1\.0\.18,/c0b6a5,/' labels.csv >commits_c0.csv
  run gate commits_c0.csv --night commit
  expect_out "commits_c0.csv: the values of 'commit' are in the order of 'date'"
  expect_out 'NEW is commit c0b6a5'
}

# A regression that lasts must not pass for nights that differ.
test_gate_says_since_when_runs_at_one_scale_are_slower() {
  {
    echo 'date,gpus,seconds'
    for day in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28; do
      slower=1
      [ $day -ge 22 ] && slower=1.07
      echo "$day $slower" | awk '{ printf "2026-06-%d,8,%.3f\n", $1, 100 * $2 * (1 + 0.003 * (($1 * 7) % 5 - 2)) }'
    done
  } >slow_since.csv
  run gate slow_since.csv --night date --max-slowdown 8%
  head -n 3 out | tr '\n' ' ' | grep -q 'since 2026-06-22 (6 nights of BASE)' || fail "$(head -n 3 out)"
  ! grep -q 'night-apart' out || fail "nights of a level are proposed to be left out"
  run gate slow_since.csv --night date --max-slowdown 2%
  expect_status 1
  run gate slow_since.csv --night date --nights 5
  expect_out '--nights 5 leaves out nights of another level: seconds +7'
}

test_gate_of_one_table_with_a_partial_night_is_no_pass() {
  printf 'gpus,seconds,date\n' >partial.csv
  for day in 1 2 3 4; do
    for gpus in 1 2 4 8; do
      for share in 0.99 1 1.01; do
        echo "$gpus $share $day" | awk '{ if ($3 < 4 || $1 < 8) printf "%d,%.4f,2026-03-0%d\n", $1, 100 / $1 * $2 * ($3 == 4 ? 1.3 : 1), $3 }'
      done
    done
  done >>partial.csv
  run gate partial.csv
  expect_status 2
  expect_err 'the table tells no newest night or version with runs at all scales of the others'
  run gate partial.csv --night date
  expect_status 1
}

test_gate_fails_though_nobody_reads() {
  runs_before
  slower A 1.15 >after.csv
  { "$binary" gate before.csv after.csv --quiet --format json; echo $? >status; } 2>err | true
  [ "$(cat status)" = 1 ] || fail "exit status $(cat status)"
  [ -e /dev/full ] || return 0
  run gate before.csv after.csv -o /dev/full
  expect_status 2
}

test_energy_compares_with_the_smallest_scale() {
  run energy "$demo" -b model --where power_cap_w=250 --where clock_mhz=1380 --where model=BERT --details
  expect_status 0
  expect_out "Speedup and relative energy are against the smallest gpus"
  expect_out "from 1 - beta + exponent(P), which time and"
  expect_out "W per GPU"
  expect_err "energy: energy_per_epoch_j; power: power_mean_w"
}

test_energy_takes_no_rate_for_a_time() {
  printf 'gpus,tokens_per_sec,energy_j\n1,100,5\n2,190,6\n4,370,7\n' >rates.csv
  run energy rates.csv
  expect_status 2
  expect_err "'tokens_per_sec' is a rate by its name, and energy needs a time"
  run caps rates.csv --setting gpus
  expect_status 2
  expect_err "'tokens_per_sec' is a rate by its name"
  run caps rates.csv
  expect_status 2
  expect_err "'tokens_per_sec' is a rate by its name, and energy needs a time: name a column of times with -y (of rates, contrast --factor COL compares settings"
}

test_energy_prices_gpus_alone() {
  printf 'nodes,seconds,energy_j\n1,100,5\n2,52,6\n4,27,7\n' >nodes.csv
  run energy nodes.csv --gpu-price 2
  expect_status 2
  expect_err "--gpu-price needs the number of GPUs, and 'nodes' does not count GPUs"
}

test_energy_knows_regions_and_prices() {
  run energy "$demo" --where model=BERT --carbon-intensity FR --price 0.2 --gpu-price 2 --format csv --quiet
  expect_status 0
  expect_no_err
  [ "$(head -n 1 out | tr ',' '\n' | grep -cE '^(co2_kg|cost|least_cost_x)$')" = 3 ] || fail "columns are missing"
  run energy "$demo" --carbon-intensity Atlantis
  expect_status 2
  expect_err "expected grams of CO2 per kWh, 0 or more, or one of AT"
}

test_energy_of_one_scale_is_named_and_strict_fails() {
  printf 'model,gpus,seconds,energy_j\nA,1,10,3000\nA,2,6,3300\nA,4,3,3500\nB,4,10,12000\nB,4,11,13000\n' >runs.csv
  run energy runs.csv
  expect_status 0
  expect_out "model B: How energy grows with GPUs cannot be told:"
  expect_err "1 of 2 groups has no exponents"
  run energy runs.csv --strict
  expect_status 1
}

test_energy_without_energy_says_what_to_name() {
  printf 'gpus,seconds\n1,10\n2,6\n' >runs.csv
  run energy runs.csv
  expect_status 2
  expect_err "name one with --energy"
  expect_no_out
}

# The mean power of one GPU becomes the power of a run only by the number of GPUs.
test_power_is_multiplied_by_numbers_of_gpus_only() {
  printf 'nodes,batch_size,power_limit,seconds,average_power\n1,32,100,20,90\n1,32,250,10,200\n2,64,100,12,85\n2,64,250,7,190\n' >runs.csv
  run caps runs.csv --setting power_limit -x batch_size
  expect_status 2
  expect_err "'average_power' is taken as the power of one GPU, and 'batch_size' does not count GPUs: --total-power says"
  run caps runs.csv --setting power_limit -x batch_size --total-power --format csv --quiet
  expect_status 0
  run energy runs.csv -x nodes -b power_limit
  expect_status 2
  expect_err "'nodes' does not count GPUs"
  # Two GPUs per node: 90 W x 2 x 20 s.
  sed '1s/$/,gpus/; 2,3s/$/,2/; 4,5s/$/,4/' runs.csv >counted.csv
  run energy counted.csv -x nodes -b power_limit --format csv
  expect_status 0
  expect_err "power: average_power of one of the gpus"
  awk -F, -v OFS=, 'NR > 1 { $5 = sprintf("%.9g", $5); $6 = sprintf("%.9g", $6) } { print $1, $2, $3, $4, $5, $6 }' out >columns
  printf 'power_limit,status,x,runs,seconds,joules\n100,ok,1,1,20,3600\n100,ok,2,1,12,4080\n250,ok,1,1,10,4000\n250,ok,2,1,7,5320\n' >expected
  expect_same expected columns
  # If energy has a column, power is an optional check, unless it was requested.
  sed '1s/$/,joules/; 2,$s/$/,3000/' runs.csv >energies.csv
  run energy energies.csv -x nodes -b power_limit --format json --quiet
  expect_status 0
  expect_out '"power_source": "from-energy"'
  run energy energies.csv -x nodes -b power_limit --power average_power
  expect_status 2
}

test_energy_is_the_same_for_any_threads_and_order() {
  run energy "$demo" --format json --quiet --threads 1
  mv out one.json
  (head -n 1 "$demo"; tail -n +2 "$demo" | tac) >backwards.csv
  run energy backwards.csv --format json --quiet --threads 3
  sed 's|backwards.csv|runs.csv|' out >other
  sed "s|$demo|runs.csv|" one.json >expected
  expect_same expected other
}

test_caps_recommends_a_cap() {
  run caps "$demo" --setting power_cap_w --where clock_mhz=1380
  expect_status 0
  expect_err "reference: power_cap_w 250"
  expect_err "3 of 6 groups have no comparison"
  expect_out "model DimeNet, clock_mhz 1380: At 200 W, runs take 17 % less energy (95 %: 15 to 20)"
  expect_out "model VGG16, clock_mhz 1380 has no comparison: all runs have one setting, 250: there is nothing to compare (too-few-levels)"
  run caps "$demo" --setting power_cap_w --where clock_mhz=1380 --strict
  expect_status 1
}

test_caps_needs_no_gpus() {
  printf 'cap,seconds,joules\n100,12,1300\n100,12.5,1310\n250,10,2000\n250,10.2,2050\n' >runs.csv
  run caps runs.csv --setting cap --format json
  expect_status 0
  expect_out '"x": null,'
  expect_out '"reference": "250"'
}

test_caps_takes_settings_that_are_words() {
  printf 'mode,seconds,joules\nboost,9,2000\nboost,9.1,2010\nbase,10,1500\nbase,10.1,1490\n' >runs.csv
  run caps runs.csv --setting mode
  expect_status 2
  expect_err "name the setting to compare with by --reference; it has base, boost"
  run caps runs.csv --setting mode --reference boost --max-slowdown 20%
  expect_status 0
  expect_out "At base, runs take 25 % less energy"
}

test_caps_fits_curves_over_fine_sweeps() {
  awk 'BEGIN { print "clock_mhz,seconds,joules"; for (c = 800; c <= 1400; c += 50) { u = c / 1000
    print c "," 100 / u * (1 + 0.002 * (c % 100 ? 1 : -1)) "," (5000 / u + 2500 * u * u) * (1 + 0.002 * (c % 100 ? -1 : 1)) } }' >runs.csv
  run caps runs.csv --setting clock_mhz -b "" --eta 0.5 --trade 20 --format json
  expect_status 0
  expect_err "smooth curves over it are fitted, too"
  expect_out '"criterion": "zeus"'
  expect_out '"level": 1000'
}

test_caps_takes_the_cost_as_pareto_does() {
  awk 'BEGIN { print "gpus,power_limit,seconds,joules"; for (c = 100; c <= 300; c += 25) { u = c / 200
    print 4 "," c " W," 100 / u * (1 + 0.002 * (c % 50 ? 1 : -1)) "," (5000 / u + 2500 * u * u) * (1 + 0.002 * (c % 50 ? -1 : 1)) } }' >runs.csv
  run caps runs.csv --setting power_limit --eta 0,0.5,1 --format json
  expect_status 0
  expect_out '"etas": [0, 0.5, 1]'
  expect_out '"max_power": 300'
  expect_out '"max_power_from": "the greatest power_limit"'
  expect_out '"eta": 0.5, "joules_per_second": 1200'
  expect_out '"eta": 1, "joules_per_second": 0'
  run caps runs.csv --setting power_limit --eta 0.5 --max-power 200 --format json
  expect_out '"eta": 0.5, "joules_per_second": 800'
  run caps runs.csv --setting power_limit --eta 1.5
  expect_status 2
  expect_err "--eta: expected numbers from 0 (time only) to 1 (energy only)"
  run caps runs.csv --setting power_limit --reference 0.3kW
  expect_status 0
  expect_out "relative to power_limit 300 W"
}

test_caps_takes_each_groups_own_reference() {
  printf 'gpu,cap,seconds,joules\nV100,100,12,1300\nV100,100,12.5,1310\nV100,250,10,2000\nV100,250,10.2,2050\nA40,100,13,1300\nA40,100,13.5,1310\nA40,300,10,2100\nA40,300,10.2,2150\n' >runs.csv
  run caps runs.csv --setting cap -b gpu --strict
  expect_status 0
  expect_err "reference: each group's greatest cap"
  expect_out "relative to each group's greatest cap"
  expect_out "The reference is cap 300."
  expect_out "The reference is cap 250."
}

test_caps_compares_numbers_of_gpus() {
  printf 'gpus,seconds,power_w\n2,20,200\n2,20.4,201\n4,11,190\n4,11.1,191\n' >runs.csv
  run caps runs.csv --setting gpus --format json
  expect_status 0
  expect_out '"x": null,'
  # With the power of one GPU: 2 x (200 x 20 + 201 x 20.4) / 2 and 4 x (190 x 11 + 191 x 11.1) / 2.
  expect_out '"joules": 8100.4'
  expect_out '"reference_joules": 8420.2'
}

test_caps_warns_of_power_without_gpus() {
  printf 'cap,seconds,power_w\n100,12,90\n100,12.5,91\n250,10,200\n250,10.2,201\n' >runs.csv
  run caps runs.csv --setting cap
  expect_status 0
  expect_err "as if each run had one GPU: -x COL names their number, --total-power says"
  run caps runs.csv --setting cap --total-power --format json
  expect_out '"total_power": true'
  expect_out '"warnings": []'
}

test_caps_leaves_out_curves_over_too_many_settings() {
  awk 'BEGIN { print "clock_mhz,seconds,joules"; for (c = 800; c <= 1020; ++c) print c "," 100000 / c "," 1000 + c }' >runs.csv
  run caps runs.csv --setting clock_mhz -b ""
  expect_status 0
  expect_err "clock_mhz has more than 200 values, so 1 of its sweeps get no curves"
}

test_caps_chooses_at_the_scales_that_settings_share() {
  printf 'cap,gpus,seconds,energy_j\n250,2,100,1000\n250,2,101,1010\n250,64,10,2000\n250,64,10.1,2010\n200,2,101,600\n200,2,102,605\n200,64,10.1,1900\n200,64,10.2,1920\n100,2,101,650\n100,2,102,655\n' >runs.csv
  run caps runs.csv --setting cap
  expect_status 0
  expect_out "200, runs take 40 % less energy"
  expect_out "means and choice over gpus 2, where all that are chosen among have runs"
}

test_caps_refuses_what_makes_no_sense() {
  run caps "$demo"
  expect_status 2
  expect_err "several columns may be the setting: power_cap_w, clock_mhz; choose one: --setting power_cap_w or --setting clock_mhz"
  printf 'gpus,seconds,energy_j,gpu_power_limit\n1,10,5,250\n2,5.2,6,250\n1,14,4,150\n2,7.4,5,150\n' >caps.csv
  run caps caps.csv
  expect_status 0
  expect_err "gpu_power_limit is the setting that is compared; --setting names another"
  printf 'gpus,seconds,energy_j\n1,10,5\n2,5.2,6\n' >none.csv
  run caps none.csv
  expect_status 2
  expect_err "name the column of the setting with --setting COL"
  run caps "$demo" --setting power_capp
  expect_status 2
  expect_err "there is no column 'power_capp' (did you mean 'power_cap_w'?)"
  run caps "$demo" --setting power_cap_w --reference 300
  expect_status 2
  expect_err "--reference \"300\": 'power_cap_w' has no such value; it has 100, 200, 250"
  local bound
  for bound in 0 -5% 101% x 0.05x; do
    run caps "$demo" --setting power_cap_w "--max-slowdown=$bound"
    expect_status 2
    expect_err "--max-slowdown: expected a"
  done
  run caps "$demo" --setting power_cap_w --trade 0
  expect_status 2
  run caps "$demo" --setting power_cap_w --max-power 300
  expect_status 2
  expect_err "--max-power needs --eta"
  run caps "$demo" --setting power_cap_w,clock_mhz
  expect_status 2
}

test_caps_says_the_same_for_any_threads_and_order() {
  run caps "$demo" --setting power_cap_w --format json --threads 1 --where clock_mhz=1380
  cp out one
  { head -n 1 "$demo"; tail -n +2 "$demo" | tac; } >turned.csv
  run caps turned.csv --setting power_cap_w --format json --threads 4 --where clock_mhz=1380
  sed -i 's|"inputs": .*|"inputs"|' one out
  expect_same one out
}

test_pareto_finds_frontier_and_optimum() {
  run pareto "$demo" --knobs power_cap_w --where gpus=16 --where clock_mhz=1380 --where model=ResNet50,BERT
  expect_status 0
  expect_err "y: epoch_seconds, by: model, clock_mhz, compared: power_cap_w; energy: energy_per_epoch_j; gpus: gpus"
  expect_out "cost = eta energy + (1 - eta) 250 W x gpus time (MaxPower: the greatest power_cap_w)"
  expect_out "3 of 3 points are on the frontier of time and energy"
  expect_out "At eta 0.5, the weight of energy against time, the cost is least with 200 W"
}

# By hand: the cost at eta 0.5 is (E + 250 t) / 2.
test_pareto_agrees_with_a_hand() {
  printf 'power_limit,seconds,joules\n250,10,2000\n200,11,1700\n150,13,1500\n100,20,1600\n' >runs.csv
  run pareto runs.csv --knobs power_limit --eta 0,0.5,1 --format csv --quiet
  expect_status 0
  cut -d, -f1,5-7,17-21 out >columns
  cat >expected <<'ROWS'
power_limit,time_s,energy_j,on_frontier,eta_from,eta_to,eta,cost_j,is_optimum
100,20,1600,false,,,0,5000,false
100,20,1600,false,,,0.5,3300,false
100,20,1600,false,,,1,1600,false
150,13,1500,true,0.7142857142857143,1,0,3250,false
150,13,1500,true,0.7142857142857143,1,0.5,2375,false
150,13,1500,true,0.7142857142857143,1,1,1500,true
200,11,1700,true,0.45454545454545453,0.7142857142857143,0,2750,false
200,11,1700,true,0.45454545454545453,0.7142857142857143,0.5,2225,true
200,11,1700,true,0.45454545454545453,0.7142857142857143,1,1700,false
250,10,2000,true,0,0.45454545454545453,0,2500,true
250,10,2000,true,0,0.45454545454545453,0.5,2250,false
250,10,2000,true,0,0.45454545454545453,1,2000,false
ROWS
  expect_same expected columns
}

# The cost at eta 0 is MaxPower times time, with 250 W for a V100 and 300 W for an A40.
test_pareto_takes_the_limit_of_each_kind_of_gpu() {
  printf 'gpu,power_limit,seconds,joules\nV100,100,10,1000\nV100,250,8,1500\nA40,100,9,900\nA40,300,6,1400\n' >runs.csv
  run pareto runs.csv --knobs power_limit -b gpu --eta 0 --format csv
  expect_status 0
  cut -d, -f1,2,21,27 out >columns
  printf 'gpu,power_limit,cost_j,max_power_w\nA40,100,2700,300\nA40,300,1800,300\nV100,100,2500,250\nV100,250,2000,250\n' >expected
  expect_same expected columns
  run pareto runs.csv --knobs power_limit -b gpu
  expect_out "MaxPower time (MaxPower: the greatest power_limit of each gpu: A40 300 W, V100 250 W)"
  run pareto runs.csv --knobs power_limit -b gpu --format json --quiet
  expect_out '"max_power_w": null'
  expect_out '"total_power": false'
  sed '1s/gpu/site/' runs.csv >sites.csv
  run pareto sites.csv --knobs power_limit -b site
  expect_err "some groups have a greatest power_limit of 250 W only: MaxPower is 300 W"
}

test_pareto_names_a_knob_that_is_named_twice() {
  run pareto "$demo" --knobs gpus,gpus
  expect_status 2
  expect_err '--knobs: "gpus" is named twice'
}

test_pareto_understands_the_table_of_a_sweep() {
  mkdir sweeps
  printf 'start_time,window_name,elapsed_time,gpu0_energy\n1,__GlobalPowerLimitOptimizer_250,10,2000\n20,__GlobalPowerLimitOptimizer_150,13,1500\n' >sweeps/V100_bert.csv
  sed 's/10,2000/5,900/; s/13,1500/6,800/' sweeps/V100_bert.csv >sweeps/V100_resnet.csv
  run ingest sweeps -o runs.csv
  expect_status 0
  run pareto runs.csv --knobs power_cap_w
  expect_status 0
  expect_err "y: duration_s, by: sweep, compared: power_cap_w; energy: energy_j"
  expect_out "2 of 2 points are on the frontier"
}

test_pareto_formats() {
  local ending first
  while read -r ending first; do
    run pareto "$demo" --knobs power_cap_w,gpus -b model --where clock_mhz=1380 --default gpus=16 --quiet -o "out.$ending"
    expect_status 0
    expect_no_out
    [ "$(head -n 1 "out.$ending" | cut -c "1-${#first}")" = "$first" ] || fail "$ending: $(head -n 1 "out.$ending")"
  done <<'FORMATS'
json {"schema": "scalelaw.pareto/1",
jsonl {"group": {"model": "BERT"}, "points": [{"knobs":
csv model,power_cap_w,gpus,status,n,gpus_of_run,time_s,
tsv model	power_cap_w	gpus
md At eta 0.5, the weight of energy against time, the cost is least with
tex % At eta 0.5, the weight of energy against time, the cost is least with
html <p>At eta 0.5, the weight of energy against time, the cost is least with
txt At eta 0.5, the weight of energy against time, the cost is least with
FORMATS
  expect_json out.json whole
  expect_json out.jsonl lines
}

test_pareto_is_the_same_for_any_threads_and_order() {
  run --threads 1 pareto "$demo" --knobs power_cap_w,gpus -b model --default gpus=16 --format json
  sed 's/"inputs": [^]]*]//' out >one
  (head -n 1 "$demo"; tail -n +2 "$demo" | sort -r) >runs.csv
  run --threads 3 pareto runs.csv --knobs power_cap_w,gpus -b model --default gpus=16 --format json
  sed 's/"inputs": [^]]*]//' out >three
  expect_same one three
}

test_pareto_says_what_it_cannot_know() {
  printf 'frequency,time,energy\n1000,3,5\n1200,2,6\n1100,4,7\n' >runs.csv
  run pareto runs.csv --knobs frequency --time time --energy energy
  expect_status 0
  expect_out "2 of 3 points are on the frontier"
  expect_out "no cost: no knob or group column is a power limit; --max-power W gives one"
  expect_out "how sure the frontier is cannot be told: no point has a second run"
  run pareto runs.csv --knobs frequency --time time --energy energy --format json
  expect_out '"frontier_share": null'
  run pareto runs.csv --knobs frequency --time time --energy energy --eta 0.5
  expect_status 2
  expect_err "name it with --max-power W"
  run pareto runs.csv --knobs frequency --time time --energy energy --eta 1
  expect_status 0
  expect_out "At eta 1, the weight of energy against time, the cost is least with frequency 1000"
}

test_pareto_warns_of_pooled_gpus_and_power_of_unknown_gpus() {
  run pareto "$demo" --knobs power_cap_w -b model --where clock_mhz=1380
  expect_status 0
  expect_err "12 points pool runs of different gpus: add it to --knobs or -b"
  printf 'power_limit,seconds,watts\n250,10,200\n200,11,150\n' >runs.csv
  run pareto runs.csv --knobs power_limit --power watts
  expect_err "as if each run had one GPU"
  run pareto runs.csv --knobs power_limit --power watts --total-power
  ! grep -q "as if" err || fail "warned all the same: $(cat err)"
}

test_pareto_of_points_that_leave_no_choice() {
  printf 'power_limit,seconds,joules\n250,10,2000\n200,10,2000\n' >runs.csv
  run pareto runs.csv --knobs power_limit
  expect_status 0
  expect_out "All 2 points take the same time and energy"
  run pareto runs.csv --knobs power_limit --where power_limit=250
  expect_status 0
  expect_out "There is one point and nothing to choose"
}

test_pareto_sees_through_units_of_a_default() {
  printf 'cap,seconds,joules\n0.25 kW,10,2000\n200 W,11,1500\n' >runs.csv
  run pareto runs.csv --knobs cap --default cap=250W --format csv
  expect_status 0
}

test_pareto_names_mistakes() {
  printf 'gpus,seconds,energy_j\n4,10,5\n4,5.2,6\n' >none.csv
  run pareto none.csv
  expect_status 2
  expect_err "name the column of the setting with --knobs COL"
  run pareto "$demo" --quiet --bootstrap 0 --where model=BERT
  expect_status 0
  run pareto "$demo" --knobs power_capp
  expect_status 2
  expect_err "there is no column 'power_capp' (did you mean 'power_cap_w'?)"
  run pareto "$demo" --knobs epoch_seconds
  expect_status 2
  run pareto "$demo" --knobs power_cap_w --eta 1.5
  expect_status 2
  expect_err 'expected numbers from 0 (time only) to 1 (energy only), found "1.5"'
  run pareto "$demo" --knobs power_cap_w --eta nan
  expect_status 2
  run pareto "$demo" --knobs power_cap_w --default power_cap_w
  expect_status 2
  expect_err 'expected knob=value,knob=value, found "power_cap_w"'
  run pareto "$demo" --knobs power_cap_w,gpus --default gpu=4
  expect_status 2
  expect_err "which is no knob (did you mean 'gpus'?)"
  run pareto "$demo" --knobs power_cap_w,gpus --default gpus=5
  expect_status 2
  expect_err "no run has the default, gpus 5; points are:"
  run pareto "$demo" --knobs power_cap_w --reference 3
  expect_status 2
  expect_err "expected a time in s and an energy in J"
  run pareto "$demo" --knobs power_cap_w --bootstrap 20
  expect_status 2
  expect_err "at least 100 draws"
  run pareto "$demo" --knobs power_cap_w --max-power 0
  expect_status 2
  expect_no_out
}

## Replays

# replay ARGUMENTS... runs the command on the small traces.
replay() {
  run replay --train "$source_folder/data/replay/train.csv" --power "$source_folder/data/replay/power_demo.csv" "$@"
}
replay_job() { replay --target-metric 0.7 --max-epochs 30 --b0 128 "$@"; }

test_replay_writes_a_row_a_run_and_repeats_it() {
  replay_job --format csv
  expect_status 0
  expect_no_err
  [ "$(head -n 2 out | tail -n 1 | cut -d, -f 1,2,8,9,10)" = 1,128,true,true,exploring ] || fail "$(head -n 3 out)"
  mv out first
  replay_job --format csv
  expect_same first out
}

test_replay_studies_have_the_same_bytes_for_any_threads() {
  replay_job --seed 1..100 --policy zeus,ucb,corrected --mode paper,corrected --eta 0,0.5,1 --format json --curves --threads 1
  expect_status 0
  mv out first
  replay_job --seed 1..100 --policy zeus,ucb,corrected --mode paper,corrected --eta 0,0.5,1 --format json --curves --threads 4
  expect_same first out
}

test_replay_refuses_what_cannot_be_meant() {
  local check
  while IFS='|' read -r -a check; do
    eval "replay_job ${check[0]}"
    expect_status 2
    expect_no_out
    expect_err "${check[1]}"
  done <<'CHECKS'
--eta 1.5|--eta: expected numbers from 0 (time only) to 1 (energy only), found "1.5"
--eta -1|--eta: expected numbers from 0
--beta 0.9|--beta: expected numbers from 1, or inf
--window 1|--window: expected 0 (all costs) or at least 2
--policy zeus,thomson|--policy: there is no 'thomson', did you mean 'thompson'?
--policy zeus,zeus|--policy: a value appears twice
--seed 5..1|--seed: expected up to
--seed one|--seed: expected whole numbers, or 1..100, found "one"
--power-policy fixed|name the limit with --limit W
--limit 100 --power-policy maximum|--limit goes with --power-policy fixed
--model resnet|it has no rows for (demo, resnet, sgd); it has rows for: (demo, convnet, sgd)
--dataset chess|there is no dataset 'chess'; it has: demo
--dataset imagenet,squad|--max-epochs and --b0 describe one dataset
--seed 1..10,01..10|--seed: a value appears twice
--seed 1..5,3|--seed: a value appears twice
--eta 0.5,0.50|--eta: 0.50 is named twice
--beta 2,2.0|--beta: a value appears twice
--recurrences 4294967295|--recurrences
--max-epochs 7|--max-epochs: is given more than once
--curves --seed 1,2|--curves: only --format json and jsonl have them
--curves --format json|--curves: one replay has its whole history instead
--curves --jobs x.csv|--curves does not go with --jobs: it is about means over seeds, and each group has one seed
--confidence 0.9 --jobs x.csv|--confidence does not go with --jobs: it is about means over seeds
CHECKS
  replay --target-metric 0.7 --max-epochs 30 --b0 100
  expect_status 2
  expect_err "demo on power_demo: the default batch size 100 (--b0) is not in both traces; these are: 16, 32, 64, 128, 256"
  replay --target-metric 0.99 --max-epochs 30 --b0 128
  expect_status 2
  expect_err "has the target 0.99; targets are: 0.6, 0.7"
  replay --target-metric 0.7 --max-epochs 3 --b0 128
  expect_status 2
  expect_err "the default batch size 128 did not reach the target 0.7 within 3 epochs"
  run replay --power x.csv
  expect_status 2
  expect_err "name the train trace with --train FILE"
}

test_replay_notes_repeated_rows() {
  cp "$source_folder/data/replay/power_demo.csv" summary_power_x.csv
  tail -n 1 summary_power_x.csv >last
  cat last >>summary_power_x.csv
  run replay --train "$source_folder/data/replay/train.csv" --power summary_power_x.csv --target-metric 0.7 --max-epochs 30 --b0 128
  expect_status 0
  expect_err "a row repeats earlier rows; each counts as a measurement of its own"
  expect_out "trained to 0.7 on x in"
}

test_replay_cases_that_fail_do_not_stop_a_study() {
  cp "$source_folder/data/replay/power_demo.csv" a.csv
  sed s/demo/other/ a.csv >b.csv
  run replay --train "$source_folder/data/replay/train.csv" --power a.csv,b.csv --target-metric 0.7 --max-epochs 30 --b0 128
  expect_status 0
  expect_err "1 of 2 cases could not be replayed: b.csv: it has no rows for (demo, convnet, sgd)"
  run replay --strict --train "$source_folder/data/replay/train.csv" --power a.csv,b.csv --target-metric 0.7 --max-epochs 30 --b0 128
  expect_status 1
}

test_replay_takes_several_datasets_of_ones_own() {
  sed 's/^demo,/mine,/' "$source_folder/data/replay/train.csv" | tail -n +2 | cat "$source_folder/data/replay/train.csv" - >train.csv
  sed 's/^demo,/mine,/' "$source_folder/data/replay/power_demo.csv" | tail -n +2 | cat "$source_folder/data/replay/power_demo.csv" - >power.csv
  run replay --train train.csv --power power.csv --dataset demo,mine --target-metric 0.7 --max-epochs 30 --b0 128 --format csv
  expect_status 0
  expect_no_err
  [ "$(cut -d, -f 2 out | tr '\n' ' ')" = "dataset demo mine " ] || fail "$(cut -c 1-80 out)"
  run replay --train train.csv --power power.csv --dataset squad,mine --target-metric 0.7 --max-epochs 30 --b0 128 --format csv
  expect_status 0
  expect_err "1 of 2 cases could not be replayed: train.csv: it has no rows for (squad, bert_base_uncased, adamw)"
  run replay --train train.csv --power power.csv --dataset mine,chess --target-metric 0.7 --max-epochs 30 --b0 128
  expect_status 0
  expect_err "1 of 2 cases could not be replayed: train.csv: there is no dataset 'chess'; it has: demo, mine"
  run replay --train train.csv --power power.csv --dataset demo,mine
  expect_status 2
  expect_err "give --target-metric, --max-epochs, --b0 as well"
}

test_replay_marks_the_seeds_that_ended_early() {
  printf 'dataset,network,batch_size,optimizer,target_metric,target_epoch\nd,n,8,o,1,9\nd,n,16,o,1,nan\nd,n,16,o,1,3\n' >train.csv
  printf 'dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\nd,n,8,o,100,9,90\nd,n,16,o,100,5,90\n' >power.csv
  run replay --train train.csv --power power.csv --target-metric 1 --max-epochs 10 --b0 16 --policy default --seed 1..20 --recurrences 2
  expect_status 0
  expect_err "seeds ended early and are left out of their cases"
  expect_out " of 20  "
  run replay --train train.csv --power power.csv --target-metric 1 --max-epochs 10 --b0 16 --policy default,oracle --seed 1..20 --recurrences 2
  expect_out "policy default, limits maximum: "
  printf 'd,n,32,o,1,nan\n' >>train.csv
  printf 'd,n,32,o,100,5,90\n' >>power.csv
  run replay --train train.csv --power power.csv --target-metric 1 --max-epochs 10 --b0 32 --policy default,oracle --seed 1..20
  expect_status 0
  expect_err "1 of 2 cases could not be replayed"
  if grep -q "seeds ended early" err; then fail "$(cat err)"; fi
}

test_replay_does_not_replace_its_input() {
  cp "$source_folder/data/replay/train.csv" train.csv
  run replay --train train.csv --power "$source_folder/data/replay/power_demo.csv" --target-metric 0.7 --max-epochs 30 --b0 128 -o train.csv
  expect_status 2
  expect_err "the output would replace this input"
}

test_submissions_are_generated_and_replayed() {
  run generate --submissions submissions.csv --groups 12 --seed 5
  expect_status 0
  run generate --submissions - --groups 12 --seed 5
  expect_same submissions.csv out
  replay_job --jobs submissions.csv
  expect_status 2
  expect_err "group g0001: "
  expect_err "it has no rows for (cifar100, shufflenetv2, adadelta); it has rows for: (demo, convnet, sgd)"
  sed 's/,squad,/,demo,/' submissions.csv >two.csv
  replay_job --jobs two.csv
  expect_status 0
  expect_err "10 of 12 groups could not be replayed"
  expect_out "cifar100           2       2            0     0"
  replay_job --jobs two.csv --strict
  expect_status 1
  sed -E 's/,[a-z0-9-]+,([0-9.]+)$/,demo,\1/' submissions.csv >demo.csv
  replay_job --jobs demo.csv --format json --threads 1
  expect_status 0
  expect_out '"schema": "scalelaw.replay-groups/1"'
  mv out first
  replay_job --jobs demo.csv --format json --threads 3
  expect_same first out
  replay --jobs submissions.csv --seed 3
  expect_status 2
  expect_err "--jobs does not go with --dataset, --recurrences or --seed"
}

## Laws of two scales

two_scales=$source_folder/data/two_scales/runs.csv

surface() {
  local command=$1
  shift
  run "$command" "$two_scales" --law chinchilla -x parameters,tokens -y loss "$@"
}

test_two_scales_are_made_by_their_script() {
  command -v python3 >/dev/null || exit 0
  cp "$source_folder/data/two_scales/make.py" .
  python3 make.py
  expect_same "$two_scales" runs.csv
}

test_a_law_of_two_scales_is_fitted_in_every_format() {
  local format
  for format in table json jsonl csv tsv markdown latex html; do
    surface fit --format $format --bootstrap 100
    expect_status 0
    expect_out 80
  done
  surface fit --details
  expect_out "24 of 24 descents met"
}

test_saved_surfaces_forecast_as_their_runs_do() {
  surface fit --format json -o fits.json
  expect_status 0
  surface predict --at 7e9:1.4e11 --at-compute 1e21,1e22 --format csv
  expect_status 0
  mv out of_runs
  run predict fits.json --at 7e9:1.4e11 --at-compute 1e21,1e22 --format csv
  expect_status 0
  expect_same of_runs out
}

test_errors_of_two_scales_are_clustered_by_run() {
  awk -F, 'NR == 1 { print $0 ",run" } NR > 1 { print $0 ",r" int(NR / 4) }' "$two_scales" >epochs.csv
  run fit epochs.csv --law chinchilla -x parameters,tokens -y loss --se cr2 --run run --format json -o fits.json
  expect_status 0
  grep -q '"run": "run"' fits.json || fail "no run"
  grep -q '"se": "cr2"' fits.json || fail "no kind of error"
  grep -q '"clusters": 21' fits.json || fail "no clusters"
  run predict epochs.csv --law chinchilla -x parameters,tokens -y loss --se cr2 --run run --at-compute 1e21 --format csv
  expect_status 0
  mv out of_runs
  run predict fits.json --at-compute 1e21 --format csv
  expect_status 0
  expect_same of_runs out
  run fit epochs.csv --law chinchilla -x parameters,tokens -y loss --se cluster --run run --bootstrap 100
  expect_status 0
  expect_out "bootstrap: case, B = 100"
  run plot surface epochs.csv -x parameters,tokens -y loss --se cr2 --run run -o surface.gp
  expect_status 0
  run fit "$two_scales" --law chinchilla -x parameters,tokens -y loss --se cr2
  expect_status 2
  expect_err "--se cr2 needs --run COL"
  run fit "$two_scales" --law chinchilla -x parameters,tokens -y loss --se hc3
  expect_status 2
  expect_err "--se does not go with a law of several x"
  run predict "$demo" --se cr2 --run gpus
  expect_status 2
  expect_err "--se works only with laws of several x"
  run predict fits.json --se cr2
  expect_status 2
  expect_err "which --se cannot change"
}

test_tokens_follow_from_compute() {
  awk -F, 'NR == 1 { print "parameters,flops,loss" } NR > 1 { printf "%s,%.17g,%s\n", $1, 6 * $1 * $2, $3 }' "$two_scales" >compute.csv
  surface fit --format csv --columns E,alpha
  mv out named
  run fit compute.csv --law chinchilla -x parameters --flops flops -y loss --format csv --columns E,alpha
  expect_status 0
  cut -c1-8 named >a
  cut -c1-8 out >b
  expect_same a b
}

test_commands_of_one_x_refuse_laws_of_two() {
  surface fit --format json -o fits.json
  run rank "$demo" --laws power,chinchilla
  expect_status 2
  expect_err "no columns are known as parameters, tokens"
  run gate fits.json fits.json
  expect_status 2
  expect_err "the chinchilla law takes two x, and gate"
  run plan fits.json --target 1024
  expect_status 2
  expect_err "the chinchilla law takes two x, and plan"
  run plot scaling "$demo" --law chinchilla
  expect_status 2
  expect_err "the chinchilla law takes two x"
  run fit "$demo" --flops gpus
  expect_status 2
  expect_err "--flops works only with laws of several x"
  run fit "$demo" --law chinchilla
  expect_status 2
  expect_err "name both columns"
  surface fit --se hc3
  expect_status 2
  expect_err "--se does not go with a law of several x"
  surface predict --at 512
  expect_status 2
  expect_err "takes pairs of numbers"
}

test_a_bootstrap_that_fails_says_so() {
  awk -F, 'NR == 1 { print "n,d,y" } NR > 1 { printf "%s,%s,%.17g\n", $1, $2, (1.8 + 400 * $1 ^ -0.34 + 60 * $2 ^ -0.35) * (1 + 0.01 * ((NR * 7919 % 101) / 101 - 0.5)) }' "$two_scales" >flat.csv
  run fit flat.csv --law chinchilla -x n,d -y y --bootstrap 100 --format json -o flat.json
  expect_status 0
  grep -q '"usable": [0-9]*, "A": null' flat.json || fail "no count of refits, or an interval"
  grep -q '"failed-refits"' flat.json || fail "no warning"
  run predict flat.json --at 1e9:1e10
  expect_status 0
}

test_rows_of_surfaces_have_the_split_and_the_minimum() {
  surface fit --format csv --bootstrap 100
  expect_out "split_x1,split_x1_se,split_x1_ci_lower,split_x1_ci_upper,split_x1_bootstrap_se"
  expect_out "objective,huber_delta,starts,met,gradient,usable_refits"
  surface fit --format csv --columns starts,met
  expect_out "24,24"
}

test_surfaces_warn_of_epochs_as_runs() {
  awk -F, 'NR == 1 { print $0 ",run" } NR > 1 { print $0 ",r" int(NR / 4) }' "$two_scales" >epochs.csv
  run fit epochs.csv --law chinchilla -x parameters,tokens -y loss
  expect_status 0
  expect_err "epochs-as-runs: the column 'run' is not used"
}

test_options_without_effect_on_laws_of_two_scales_are_refused() {
  surface fit --format json -o fits.json
  run predict fits.json --flops flops
  expect_status 2
  expect_err "which --flops cannot change"
  run predict fits.json --huber-delta 0.1
  expect_status 2
  expect_err "which --huber-delta cannot change"
  run fit "$two_scales" --law chinchilla -x tokens,tokens -y loss
  expect_status 2
  expect_err "both are the column 'tokens'"
  run plot surface "$two_scales" --law power -x parameters,tokens -y loss
  expect_status 2
  expect_err "power takes one"
  run plot tail "$source_folder/data/tail/durations.csv" -y duration_s --law floor
  expect_status 2
  expect_err "--law does not go with plot tail"
  run plot tail "$source_folder/data/tail/durations.csv" -y duration_s --bootstrap 5
  expect_status 2
  expect_err "at least 100 draws"
}

test_a_scale_beyond_all_numbers_has_no_forecast() {
  surface predict --at 1e200:1e200 --format csv --strict
  expect_status 1
  expect_err "1 of 1 group has no forecast"
}

test_figures_name_the_groups_that_they_leave_out() {
  awk -F, 'NR == 1 { print "m," $0; print "a,1,1,2" } NR > 1 { print "b," $0 }' "$two_scales" >two.csv
  run plot surface two.csv --law chinchilla -x parameters,tokens -y loss -b m --terminal
  expect_status 0
  expect_err "no fit for m a"
  printf 'q,v\na,3\nb,1\nb,2\nb,5\nb,9\n' >queues.csv
  run plot tail queues.csv -y v -b q --bootstrap 0 --terminal
  expect_status 0
  expect_err "no tail of q a"
}

test_losses_must_be_positive() {
  printf 'n,d,loss\n1,1,2\n2,3,0\n' >bad.csv
  run fit bad.csv --law chinchilla -x n,d -y loss
  expect_status 2
  expect_err "bad.csv:3"
}

# The first line is the beginning of a sentence, and no line is wider than 100 columns.
expect_an_answer_of_100_columns() {
  head -n 1 out | grep -qE "^[A-Za-z0-9].* .*" || fail "no answer in the first line: $(head -n 1 out)"
  sed '/^$/q' out | tr '\n' ' ' | grep -qE "\. *$" || fail "the answer is no sentence: $(head -n 3 out)"
  python3 - out <<'PYTHON' || fail "a line is wider than 100 columns"
import sys
wide = [line for line in open(sys.argv[1], encoding="utf-8").read().split("\n") if len(line) > 100]
print("\n".join(wide), end="")
sys.exit(bool(wide))
PYTHON
}

test_tables_answer_first_and_fit_100_columns() {
  local replayed="--train $source_folder/data/replay/train.csv --power $source_folder/data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128"
  local -a calls=(
    "fit $demo" "fit $demo --law floor" "fit $demo --bootstrap 100" "fit $demo --pool slopes"
    "rank $demo --resamples 0" "contrast $demo --factor power_cap_w"
    "contrast $demo --factor power_cap_w,clock_mhz -b model" "energy $demo" "energy $demo --price 0.2 --gpu-price 2"
    "caps $demo --setting power_cap_w" "caps $demo --setting clock_mhz"
    "pareto $demo --knobs power_cap_w" "pareto $demo --knobs power_cap_w,gpus -b model --where clock_mhz=1380"
    "tail $source_folder/data/tail/durations.csv --bootstrap 100" "replay $replayed" "replay $replayed --policy zeus,default,grid --seed 1..3"
    "replay $replayed --jobs $source_folder/data/replay/jobs.csv")
  local call
  for call in "${calls[@]}"; do
    # shellcheck disable=SC2086
    run $call
    expect_status 0
    expect_an_answer_of_100_columns
    # shellcheck disable=SC2086
    run $call --details
    expect_status 0
    expect_an_answer_of_100_columns
  done
}

test_columns_that_are_named_are_not_cut_to_100_columns() {
  run fit "$demo" --columns model,power_cap_w,clock_mhz,n,alpha,alpha_ci,beta,beta_ci,r2,sigma,speedup_observed,speedup_implied,warnings
  expect_status 0
  head -n 6 out | tail -n 1 | grep -q "^model .*warnings$" || fail "the named columns are not side by side: $(cat out)"
}

test_details_have_the_statistics() {
  run contrast "$demo" --factor power_cap_w --where clock_mhz=1380 --where model=BERT
  expect_status 0
  ! grep -q "equal slopes: F" out || fail "a table without --details has tests"
  run contrast "$demo" --factor power_cap_w --where clock_mhz=1380 --where model=BERT --details
  expect_status 0
  expect_out "equal slopes: F"
}

test_conditions_that_leave_no_row_name_the_nearest_values() {
  run fit "$demo" --where gpus=100
  expect_status 2
  expect_err "no row is left: --where left out all 432 rows; no row meets --where 'gpus=100'; the nearest values of gpus: \"8\", \"16\", \"32\", \"64\", \"128\", and 4 more"
  run energy "$demo" --where model=SchNet --where clock_mhz=135
  expect_status 2
  expect_err "no row meets all conditions at once"
}

test_conditions_on_dates() {
  printf 'gpus,seconds,date\n1,100,2026-05-31\n2,51,2026-05-31 23:30\n4,26,2026-06-01 08:00\n8,14,2026-06-02\n16,8,2026-06-03T10:00\n' >runs.csv
  run fit runs.csv --where 'date>=2026-06-01' --format csv --columns n
  expect_status 0
  [ "$(tail -1 out)" = 3 ] || fail "rows: $(cat out)"
  run fit runs.csv --where 'date<=2026-06-01' --format csv --columns n
  [ "$(tail -1 out)" = 3 ] || fail "rows: $(cat out)"
  run fit runs.csv --where 'date=2026-05-31' --where 'date>2026-05-31 12:00'
  expect_err "--where left out 4 of 5 rows"
  run fit runs.csv --where 'date>=2027-01-01'
  expect_status 2
  expect_err "no row meets --where 'date>=2027-01-01'; the values of date: \"2026-05-31\", \"2026-05-31 23:30\", \"2026-06-01 08:00\""
  sed -i 's/2026-06-02/last week/' runs.csv
  run fit runs.csv --where 'date>=2026-06-01'
  expect_status 2
  expect_err "runs.csv:5: field 3 'date': expected a date such as 2026-06-01, as --where 'date>=2026-06-01' compares dates; found \"last week\""
  run fit runs.csv --where 'date>=2026-06-01' --where 'gpus!=8' --format csv --columns n
  expect_status 0
  [ "$(tail -1 out)" = 2 ] || fail "a row that another condition leaves out may hold anything: $(cat out)"
}

test_columns_of_many_values_are_no_advice_to_group_by() {
  awk 'BEGIN {
    print "gpus,host,input,batch_size,epoch_seconds"
    for (n = 1; n <= 32; n *= 2) for (r = 0; r < 13; ++r) {
      k = (k + 1) % 39
      printf "%d,node%03d,set%c%c,%d,%.2f\n", n, k, 97 + k % 20, 97 + k / 20, 32 * (1 + r % 2), 1000 / n * (1 + 0.01 * (r % 3))
    }
  }' >runs.csv
  run fit runs.csv
  expect_status 0
  expect_err "runs of one group at one gpus differ in batch_size, and are fitted together: -b batch_size keeps them apart"
  ! grep -q host err || fail "hosts are no groups: $(cat err)"
  expect_err "also differ in input ("
  expect_err "too many values for groups with a law each; --where picks one value"
}

test_times_that_rise_with_a_size_are_as_they_should_be() {
  printf 'params[M],seconds\n44,10\n90,21\n180,42\n360,85\n720,180\n' >runs.csv
  run fit runs.csv -x 'params[M]'
  expect_status 0
  ! grep -q warning err || fail "false alarm: $(cat err)"
  printf 'gpus,seconds\n44,10\n90,21\n180,42\n360,85\n720,180\n' >runs.csv
  run fit runs.csv
  expect_err "'seconds' was taken as a time, but it rises with gpus"
}

test_columns_of_a_loss_are_found_by_their_words() {
  sed '1s/.*/Params (M),Tokens (B),loss/' "$source_folder/data/isoflop/runs.csv" >runs.csv
  run fit runs.csv --law chinchilla -x 'Params[M],Tokens[B]' -y loss
  expect_status 0
  ! grep -q "differ in" err || fail "the scale itself is named: $(cat err)"
}

# One loss at three tokens of each size: the runs are of unlike work.
write_losses() {
  printf 'params,tokens,gpus,wall time,final loss\n' >losses.csv
  printf '%s\n' 51M,1.02B,8,0h05m,3.897 51M,4.08B,8,0h20m,3.496 124M,2.48B,8,0h29m,3.381 124M,9.92B,8,1h57m,3.053 \
    350M,7B,8,4h03m,2.915 350M,28B,8,15h50m,2.683 1.3B,26B,32,14h47m,2.509 1.3B,104B,32,56h13m,2.355 >>losses.csv
  printf 'recipe,flops,loss\nbase,1e18,3.52655\nbase,3e18,3.33881\nbase,1e19,3.14969\nbase,3e19,2.99976\n' >recipes.csv
  printf 'variant,1e18,3.42493\nvariant,3e18,3.24400\nvariant,1e19,3.07129\nvariant,3e19,2.92031\n' >>recipes.csv
}

test_a_report_on_losses_speaks_of_losses() {
  write_losses
  run report losses.csv -o page.html
  expect_status 0
  expect_err "x: params, y: final loss"
  expect_err "'final loss' depends on 'tokens' as well: scalelaw look losses.csv says which calls take both"
  grep -q 'doubling params means [0-9.]* % less loss' page.html || fail "the page does not speak of losses"
  grep -q 'lowest loss that was measured' page.html || fail "the page does not name the lowest loss"
  run report losses.csv -o page.md
  ! grep -qE 'GPU-hours|[Ss]peedup|[Ee]fficiency|less time|faster' page.md || fail "losses are told as times: $(cat page.md)"
  run report losses.csv --deadline 7d -o page.html
  expect_status 0
  grep -q 'Within 7 days, the best model has' page.html || fail "the page has no plan"
}

test_contrast_of_losses_compares_losses() {
  write_losses
  run contrast recipes.csv -x flops -y loss --factor recipe
  expect_status 0
  expect_out "recipe changes the loss by the same factor at every scale: the loss with base is 1.03 times that with variant"
  expect_out "loss = alpha * flops^(-beta) at each recipe"
  expect_out "ratio of losses"
}

test_gate_and_predict_of_losses_speak_of_losses() {
  write_losses
  grep -v variant recipes.csv >base.csv
  { echo recipe,flops,loss; sed -n 's/^variant/base/p' recipes.csv; } >better.csv
  run gate better.csv base.csv -x flops -y loss --max-slowdown 1%
  expect_status 1
  expect_out "By loss, a group may be 1 % higher"
  run predict recipes.csv -x flops -y loss --deadline 2.95
  expect_status 0
  expect_out "bring the loss below 2.95"
  expect_out "flops for it"
  ! grep -qiE 'speedup|efficiency|in time|faster' out || fail "a loss is told as a time: $(cat out)"
}

test_figures_of_losses_have_no_speedup() {
  printf 'gpus,loss\n1,3.5\n2,3.4\n4,3.3\n8,3.2\n' >loss.csv
  run plot scaling loss.csv -o figure.svg
  expect_status 0
  grep -q '>loss<' figure.svg || fail "the axis does not say loss"
  run plot efficiency loss.csv
  expect_status 2
  expect_err "'loss' is a loss, which has no speedup or efficiency: draw it with scalelaw plot scaling"
}

test_shares_and_energies_are_no_times() {
  printf 'gpus,accuracy\n1,0.600\n2,0.642\n4,0.689\n8,0.739\n16,0.792\n' >share.csv
  sed 's/,0\./,0.9/' share.csv | sed '1s/.*/gpus,accuracy/' >better.csv
  run gate better.csv share.csv -y accuracy
  expect_status 1
  expect_out "By accuracy, a group may be 4.762 % lower"
  run fit share.csv -y accuracy
  expect_out "Doubling the GPUs raises accuracy by 7.2 %"
  run report share.csv -y accuracy -o page.html
  expect_status 0
  grep -q 'doubling the GPUs means 7.2 % more accuracy' page.html || fail "a share is told as a rate"
  grep -q 'highest accuracy that was measured: all runs at 16 GPUs' page.html || fail "the best accuracy is missing"
  printf 'gpus,energy_j\n1,100\n2,115\n4,132\n8,152\n16,174\n' >energy.csv
  run predict energy.csv -y energy_j --at 32
  expect_status 0
  expect_out "At 32 GPUs energy_j is 200 J"
  ! grep -qE 'kWh|speedup' out || fail "an energy has an energy: $(cat out)"
  run report energy.csv -y energy_j -o page.html
  expect_status 0
  grep -q 'doubling the GPUs means 15 % more energy' page.html || fail "an energy is told as a time"
}

test_energy_is_of_one_sample_where_samples_grow() {
  printf 'gpus,samples/epoch,epoch_seconds,power_w\n1,5e4,1000,300\n2,1e5,1020,305\n4,2e5,1050,310\n8,4e5,1090,310\n' >runs.csv
  run energy runs.csv
  expect_err "runs do unlike amounts of work, so times and energies are per unit of 'samples/epoch'"
  cp out grown
  run energy runs.csv --samples samples/epoch
  expect_status 0
  ! grep -q "unlike" err || fail "told in vain: $(cat err)"
  cmp -s out grown || fail "samples that are named are other samples"
  sed 's/,[0-9]*e[45],/,5e4,/' runs.csv >same.csv
  run energy same.csv
  ! grep -q "unlike" err || fail "told in vain: $(cat err)"
}

test_settings_of_runs_of_unlike_work_are_compared_per_token() {
  printf 'power_cap_w,latency_s,energy_j,tokens\n150,1000,140000,20000\n200,1500,280000,40000\n250,1300,300000,40000\n300,1200,320000,40000\n' >runs.csv
  run caps runs.csv --format csv --columns part,setting,time_ratio,energy_ratio
  grep -qE "^overall,150,1\.66666666[0-9]*,0\.8750" out || fail "not per token: $(cat out)"
  run pareto runs.csv --format csv --columns power_cap_w,time_saving,energy_saving
  grep -qE "^150,-0\.66666666[0-9]*,0\.1250?" out || fail "not per token: $(cat out)"
  sed 's/,[0-9]*$/,40000/' runs.csv >same.csv
  run caps same.csv --format csv --columns part,setting,energy_ratio
  grep -qE "^overall,150,0\.437" out || fail "equal work: $(cat out)"
}

test_readings_of_a_sensor_are_no_work() {
  printf 'power_cap_w,seconds,energy_j,samples,samples_dropped\n150,200,20000,200,0\n300,100,30000,100,0\n' >runs.csv
  run caps runs.csv --format csv --columns part,setting,time_ratio
  grep -qE "^overall,150,(1\.99999|2)" out || fail "readings are no work: $(cat out)"
}

test_batches_that_differ_make_times_of_a_step_those_of_a_sample() {
  printf 'power_cap_w,step_time_s,energy_j,global_batch\n150,1,200,64\n300,1,400,128\n' >runs.csv
  run caps runs.csv --format csv --columns part,setting,time_ratio,energy_ratio
  grep -q "overall,150,2,1$" out || fail "not per sample: $(cat out)"
}

test_a_sweep_without_an_energy_compares_its_times() {
  printf 'label,cap_w,runs,avg_s,peak_power_w,min_sm_mhz,aborted\nclip,150,2,1420.5,180,900,0\nclip,200,2,1366.0,214,880,0\nclip,250,1,512.0,259,560,1\n' >runs.csv
  run look runs.csv
  grep -q "scalelaw caps runs.csv --setting cap_w -y avg_s" out || fail "nothing is proposed: $(cat out)"
  run caps runs.csv
  expect_err "no column tells the energy, so only times are compared"
  expect_err "1 run is left out: aborted is 1"
  tr "\n" " " <out | grep -q "at 150 W, runs take 4.0 % more time" || fail "$(cat out)"
}

test_less_energy_for_the_same_deadline_is_told() {
  run predict "$source_folder/data/demo/runs.csv" --where model=BERT --where clock_mhz=1380 --deadline 5min
  tr '\n' ' ' <out | grep -q "For the same deadline, 182 GPUs at 100 W take 43 % less energy than 133 at 250 W\." || fail "$(cat out)"
}

test_the_report_has_its_decisions_as_json() {
  run report "$source_folder/data/demo/runs.csv" --where model=BERT --format json -o -
  expect_status 0
  expect_json out whole
  grep -q '"schema": "scalelaw.report/1"' out || fail "no schema"
  grep -q '"settings": \[{"column": "power_cap_w", "setting": "250", "is_reference": true' out || fail "no advice: $(head -c 3000 out)"
  run report "$source_folder/data/demo/runs.csv" --where model=BERT -o page.json
  expect_status 0
  run report "$source_folder/data/demo/runs.csv" --where model=BERT -o page.json
  expect_status 0
}

test_an_energy_that_may_be_of_another_work_is_refused_with_the_command() {
  printf 'GPUs,Epoch time [s],Energy [kWh]\n1,1000,0.3\n2,520,0.31\n4,270,0.33\n8,142,0.36\n' >runs.csv
  run energy runs.csv
  expect_status 2
  expect_err "if both are of one epoch, add --energy Energy"
  run energy runs.csv --energy Energy
  expect_status 0
}

test_a_gate_says_once_what_it_reads() {
  printf 'gpus,seconds\n1,100\n2,51\n4,26\n8,14\n1,101\n2,52\n4,26.5\n8,14.2\n' >runs.csv
  run gate runs.csv runs.csv
  [ "$(grep -c "^x: gpus" err)" = 1 ] || fail "notes: $(cat err)"
  awk -F, 'NR > 1 { $2 *= 1.5 } 1' OFS=, runs.csv >slow.csv
  run gate runs.csv slow.csv
  expect_status 1
  expect_out "one-night: NEW is worse than BASE by more than runs scatter, but BASE may be one night only"
}

test_reports_over_batch_sizes_are_english() {
  awk 'BEGIN { print "batch_size,step_time"; for (b = 16; b <= 256; b *= 2) for (r = 0; r < 3; ++r) printf "%d,%.3f\n", b, 1000 * b ^ -0.6 * (1 + 0.01 * r) }' >runs.csv
  run report runs.csv -x batch_size -y step_time -o r.md
  expect_status 0
  grep -q "Which batch size\." r.md || fail "heading: $(cat r.md)"
  grep -q "\*\*a batch size of 256\*\* keeps half of the ideal speedup\|batch sizes from 16 to 256" r.md || fail "figures: $(cat r.md)"
  ! grep -q "batch_size = \|number of batch\|How many batch" r.md || fail "no English: $(cat r.md)"
  awk 'BEGIN { print "batch_size,gpus,step_time"; for (b = 16; b <= 64; b *= 2) for (n = 1; n <= 16; n *= 2) for (r = 0; r < 2; ++r) printf "%d,%d,%.3f\n", b, n, 1000 / b * n ^ -0.9 * (1 + 0.01 * r) }' >runs.csv
  run report runs.csv -b batch_size -o r.md
  grep -q "by batch size 16, batch size 32 and batch size 64" r.md || fail "names of groups: $(cat r.md)"
}

test_a_log_that_is_kept_is_no_new_file() {
  cp "$source_folder/tests/golden/inputs/hf_batches.log" run.log
  run ingest run.log --store s.db -o runs.csv
  expect_err "1 new file, "
  run ingest run.log --store s.db -o again.csv
  expect_err "0 new files, 0 MB; 1 unchanged; s.db: 1 job; "
  expect_same runs.csv again.csv
  echo >>run.log
  run ingest run.log --store s.db -o again.csv
  expect_err "1 new file, "
}

declare -F "$test_name" >/dev/null || fail "there is no test $test_name"
"$test_name"
