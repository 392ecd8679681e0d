#!/usr/bin/env bash
# Tests of what hostile input must not do, one per line of docs/explanation/security.md: security_test.sh BINARY SOURCE_FOLDER TEST.
. "$(dirname "${BASH_SOURCE[0]}")/../support/command.sh"

# Sanitizers reserve memory themselves, so the limit is not tested with them.
bounded() { [ -n "${SCALELAW_INSTRUMENTED:-}" ] || printf -- '--max-memory %s' "$1"; }

test_a_row_without_end_is_refused() {
  { printf 'gpus,seconds\n1,2\n2,'; head -c 70000000 /dev/zero | tr '\0' 1; } >runs.csv
  run fit runs.csv $(bounded 400MiB)
  expect_status 2
  expect_err 'runs.csv:3: the row is longer than 64 MiB'
}

test_a_header_without_end_is_refused() {
  run fit /dev/zero $(bounded 400MiB)
  expect_status 2
  expect_err '/dev/zero:1: the header line is longer than 32 MiB'
}

test_a_header_of_a_million_columns_is_refused() {
  { yes gpus, | head -n 1000000 | tr -d '\n'; printf 'seconds\n'; } >runs.csv
  run fit runs.csv $(bounded 400MiB)
  expect_status 2
  expect_err 'runs.csv:1: the header has 1000001 columns, more than 100000'
}

test_an_archive_of_many_rows_needs_no_memory() {
  { printf 'gpus,seconds\n1,3\n4,0.9\n'; yes 2,1.5 | head -c 200000000; } | gzip -1 >runs.csv.gz
  run fit runs.csv.gz $(bounded 64MiB) --format csv --columns n,beta
  expect_status 0
  expect_out '33333335,'
}

test_an_archive_of_one_line_is_refused() {
  head -c 100000000 /dev/zero | tr '\0' 7 | gzip -1 >runs.csv.gz
  run fit runs.csv.gz $(bounded 400MiB)
  expect_status 2
  expect_err 'the header line is longer than 32 MiB'
  { printf '{"schema": "scalelaw.fit/1", "x": "'; head -c 100000000 /dev/zero | tr '\0' 7; } | gzip -1 >fits.json.gz
  run predict fits.json.gz --at 4 $(bounded 1GiB)
  expect_status 2
}

# A frame that announces a window of 2 GiB: magic, descriptor, window byte, an empty last block.
test_a_zstd_window_of_gigabytes_is_refused() {
  printf '\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00' >runs.csv.zst
  run fit runs.csv.zst $(bounded 200MiB)
  expect_status 2
  expect_err 'runs.csv.zst'
  expect_err 'zstd'
}

test_nesting_without_end_is_refused() {
  local mark
  for mark in '[' '{"groups":'; do
    yes "$mark" | head -n 500000 | tr -d '\n' >fits.json
    run predict fits.json --at 4
    expect_status 2
    run gate fits.json "$demo"
    expect_status 2
    ! grep -q 'no option' err || fail "the call is wrong: $(cat err)"
  done
}

test_a_limit_of_memory_ends_with_a_sentence() {
  [ -z "${SCALELAW_INSTRUMENTED:-}" ] || { echo 'skipped: instrumented'; return 0; }
  awk 'BEGIN { print "model,gpus,seconds"; for (i = 0; i < 500000; ++i) for (n = 1; n < 4; ++n) print "m" i "," n "," 5 / n }' >runs.csv
  run fit runs.csv --max-memory 32MiB -o fits.csv
  expect_status 2
  expect_err 'more memory is needed than --max-memory allows (32 MiB)'
  [ ! -e fits.csv ] || fail "a result was written"
  run fit runs.csv --max-memory 2GiB -o fits.csv
  expect_status 0
  local size
  for size in 4 5MB -1GiB 4XB GiB 1e400 nan; do
    run fit runs.csv "--max-memory=$size"
    expect_status 2
    expect_err 'expected a size of at least 16MiB'
  done
}

hostile_names() {
  printf '%s\n' '<script>alert(1)</script>' '<img src=x onerror=alert(1)>' '\input{/etc/passwd}' '\write18{touch pwned}' \
    '$(touch pwned)' '`touch pwned`' '=cmd|calc!A1' 'a|b' "'; DROP TABLE runs; --" '%s%n%s%n' '../../etc/passwd' '@x_y^z' \
    '</script><script>alert(1)//' '[a](javascript:alert(1))'
}

hostile_runs() {
  echo 'model,gpus,seconds'
  hostile_names | sed 's/"/""/g' | while IFS= read -r name; do
    printf '"%s",1,10\n"%s",2,5.2\n"%s",4,2.7\n"%s",8,1.5\n' "$name" "$name" "$name" "$name"
  done
}

test_names_are_text_in_every_format() {
  hostile_runs >runs.csv
  local format
  for format in table json jsonl csv tsv markdown latex html; do
    run fit runs.csv --format "$format"
    expect_status 0
    mv out "fits.$format"
  done
  ! grep -qE '<(script|img)' fits.html fits.markdown || fail "a name is markup"
  ! grep -qE '\\(input|write18)' fits.latex || fail "a name is a command to LaTeX"
  ! grep -q '[^\\]](javascript' fits.markdown || fail "a name is a link"
  [ "$(grep -c 'a|b' fits.markdown)" = 0 ] || fail "a name ends a cell"
  ! compgen -G 'pwned*' >/dev/null || fail "a name was run"
  # CSV and JSON keep the bytes, which readers treat as text.
  while IFS= read -r name; do grep -qF -- "$name" fits.tsv fits.csv || fail "no $name"; done < <(hostile_names)
}

test_control_characters_reach_no_terminal() {
  printf 'model,gpus,seconds\nA\033]0;title\007,1,10\nA,2,5\n' >runs.csv
  local format
  for format in table markdown html; do
    run fit runs.csv --format "$format"
    cat out err >shown
    ! grep -q $'\033' shown || fail "an escape sequence reached the terminal"
    grep -qF 'x1b' shown || fail "the name is not shown: $(cat shown)"
  done
  : >$'x\033[31m.csv'
  run fit $'x\033[31m.csv'
  expect_status 2
  ! grep -q $'\033' err || fail "the name of a file reached the terminal as it is"
}

# A store returns names of jobs, files, facts and labels unchanged.
test_names_are_no_sql() {
  local job="x'); DROP TABLE units; --" label="' OR 1=1; DROP TABLE fits; --"
  mkdir tree
  {
    echo 'timestamp, index, job, utilization.gpu [%], power.draw [W]'
    for i in 1 2 3; do echo "2026/11/21 12:00:0$i.000, 0, $job, 90 %, 250.00 W"; done
  } >"tree/'; DROP TABLE files; --.csv"
  printf "job_id,model'); DROP TABLE facts; --\n%s,\"'; DELETE FROM jobs; --\"\n" "$job" >jobs.csv
  run ingest tree --job-column job --jobs jobs.csv --store study.db -o one.csv
  expect_status 0
  grep -qF "$job" one.csv || fail "the job is not named: $(cat one.csv)"
  grep -qF "'; DELETE FROM jobs; --" one.csv || fail "the fact is not there: $(cat one.csv)"
  run store export study.db -o exported.csv
  expect_same one.csv exported.csv
  run fit "$demo" --store study.db --keep "$label"
  expect_status 0
  run gate "study.db@$label" "study.db@$label"
  expect_status 0
  run store forget study.db "no such job' OR '1'='1"
  expect_status 2
  run store verify study.db
  expect_status 0
  run store forget study.db "$job"
  expect_status 0
  run store ls study.db
  expect_status 0
  grep -qF '0 jobs' out || fail "it was not forgotten: $(cat out)"
}

test_a_folder_with_pipes_and_loops_is_read() {
  mkdir -p tree/below
  mkfifo tree/a.csv
  ln -s ../.. tree/below/loop
  cp "$demo" tree/below/runs.csv
  timeout 20 "$binary" fit tree --quiet >out 2>err
  status=$?
  expect_status 0
  "$binary" fit "$demo" --quiet >want
  expect_same want out
}

test_an_output_leaves_links_and_neighbours_alone() {
  mkdir there
  echo old >there/fits.csv
  ln -s there/fits.csv fits.csv
  run fit "$demo" -o fits.csv
  expect_status 0
  [ -L fits.csv ] || fail "the link was replaced by a file"
  grep -q beta there/fits.csv || fail "what the link leads to was not written"
  [ "$(find . -name '.scalelaw*' | wc -l)" = 0 ] || fail "something half-written is left"
  cp "$demo" runs.csv
  run fit runs.csv -o ./../"$(basename "$PWD")"/runs.csv
  expect_status 2
  expect_same "$demo" runs.csv
}

test_settings_of_a_strange_folder_run_nothing() {
  printf '[fit]\nby = "$(touch pwned)"\n' >scalelaw.toml
  run fit "$demo"
  expect_status 2
  expect_err '$(touch pwned)'
  printf '[fit]\nshell = "touch pwned"\n' >scalelaw.toml
  run fit "$demo"
  expect_status 2
  ! compgen -G 'pwned*' >/dev/null || fail "a setting was run"
}

test_figures_of_hostile_names_run_nothing() {
  command -v gnuplot >/dev/null || { echo 'skipped: no gnuplot'; return 0; }
  hostile_runs >runs.csv
  run plot scaling runs.csv -o figure.svg
  expect_status 0
  ! grep -qE '<(script>alert|img)' figure.svg || fail "a name is markup in the figure"
  run report runs.csv -o page.html
  expect_status 0
  ! grep -qE '<script>alert|<img src=x' page.html || fail "a name is markup in the report"
  ! compgen -G 'pwned*' >/dev/null || fail "a name was run"
}

# Every file that a call reads, under each name of the disk, against every option that writes.
test_no_output_destroys_what_is_there() {
  cp "$demo" runs.csv
  cp "$source_folder"/data/demo/laws.csv laws.csv
  cp "$source_folder"/data/replay/{jobs,train,power_demo}.csv .
  printf 'threads = 1\n' >mine.toml
  "$binary" --quiet fit runs.csv -o fits.json
  "$binary" --quiet fit runs.csv --store other.db --keep a --kept-at 2026-01-01 >/dev/null
  ln runs.csv hard.csv
  ln -s runs.csv soft.csv
  ln -s runs.csv soft.svg
  cp runs.csv runs.svg
  mkdir copies
  cp ./* copies 2>/dev/null
  local line
  while IFS= read -r line; do
    local input=${line%%:*} call=${line#*:}
    if [ "$input" = - ]; then
      "$binary" $call >out 2>err <runs.csv
    else
      "$binary" $call >out 2>err </dev/null
    fi
    status=$?
    expect_status 2
    grep -qE 'would replace (this|the)|would write this file' err || fail "$call: $(cat err)"
    local file
    for file in copies/*; do cmp -s "$file" "${file#copies/}" || fail "$call changed ${file#copies/}"; done
  done <<'END'
:fit runs.csv -o runs.csv
:fit runs.csv -o hard.csv
:fit soft.csv -o runs.csv
:fit runs.csv -o other.db
:fit runs.csv -o other.db-wal
:generate -o other.db
:generate --laws laws.csv -o laws.csv
:generate --laws laws.csv --submissions laws.csv
:generate -o new.csv --submissions new.csv
-:fit - -o runs.csv
-:fit - -o hard.csv
:fit runs.csv --config mine.toml -o mine.toml
:plot scaling runs.csv --config mine.toml -o mine.toml
:plot scaling runs.csv -o soft.svg
:plot runs.csv -o soft.svg
:plot laws.csv runs.csv -o soft.svg
:plot runs.csv laws.csv -o soft.svg
:plot run*.csv --output soft.svg
:plot . -o soft.svg
:plot runs.svg -o runs.svg
-:plot - -o soft.svg
:gate fits.json runs.csv --also new.json --export new.json
:gate fits.json runs.csv --also new.json --export ./new.json
:gate fits.json runs.csv -o runs.csv
:gate fits.json runs.csv --export fits.json
:predict fits.json --at 8 -o fits.json
:history other.db -o other.db
:tail runs.csv -y epoch_seconds -o soft.csv
:report runs.csv -o runs.csv
:replay --train train.csv --power power_demo.csv -o train.csv
:replay --train train.csv --power power_demo.csv -o power_demo.csv
:replay --train train.csv --power power_demo.csv --jobs jobs.csv -o jobs.csv
:ingest runs.csv -o runs.csv
:ingest . --jobs jobs.csv -o jobs.csv
END
  # A file of settings that nobody named is one, too.
  cp mine.toml scalelaw.toml
  run fit runs.csv -o scalelaw.toml --format csv
  expect_status 2
  cmp -s mine.toml scalelaw.toml || fail "the settings are gone"
  # A figure of the report that bears the name of an input.
  rm scalelaw.toml
  run report runs.csv -o page.md
  expect_status 0
  local figure
  figure=$(find page-figures -name '*.svg' | head -n 1)
  [ -n "$figure" ] || { echo 'skipped the rest: no figures'; return 0; }
  cp runs.csv "$figure"
  run report "$figure" -o page.md
  expect_status 2
  cmp -s runs.csv "$figure" || fail "a figure replaced the input"
}

# refused SENTENCE ARGUMENTS...: the call ends with exit 2 and this sentence, and leaves every
# file below the folder as it was.
refused() {
  local sentence=$1
  shift
  find . -type f ! -path './out' ! -path './err' ! -path './*.sums' -exec sha256sum {} + | sort >before.sums
  "$binary" "$@" >out 2>err
  status=$?
  [ "$status" = 2 ] || fail "$*: exit status $status: $(cat err)"
  grep -qF -- "$sentence" err || fail "$* lacks '$sentence': $(cat err)"
  find . -type f ! -path './out' ! -path './err' ! -path './*.sums' -exec sha256sum {} + | sort >after.sums
  diff before.sums after.sums >&2 || fail "$* changed a file"
}

test_no_link_leads_an_output_to_a_file_of_a_database() {
  "$binary" --quiet fit "$demo" --store live.db --keep a --kept-at 2026-01-01 >/dev/null
  ln -s live.db soft.db
  ln live.db hard.db
  local ending
  for ending in wal shm journal; do
    printf 'rows of %s' "$ending" >live.db-$ending
    ln -s live.db-$ending soft.csv
    ln -s soft.csv far.csv
    ln live.db-$ending hard.csv
    refused "/live.db-$ending, which SQLite keeps beside" fit "$demo" -o soft.csv
    refused "/live.db-$ending, which SQLite keeps beside" fit "$demo" -o far.csv
    refused "hard.csv: the output would replace the file live.db-$ending, which SQLite keeps beside live.db" store export live.db -o hard.csv
    refused "/live.db-$ending, which SQLite keeps beside soft.db" store export soft.db -o hard.csv
    refused "hard.csv: the output would replace the file live.db-$ending, which SQLite keeps beside live.db" predict live.db@a --at 4 -o hard.csv
    rm live.db-$ending hard.csv
    # Nothing is there yet, and SQLite would make it.
    refused "/live.db-$ending, which SQLite keeps beside" fit "$demo" -o soft.csv
    rm soft.csv far.csv
    refused "live.db-$ending: SQLite keeps a file of this name beside live.db; name another store" fit "$demo" --store live.db-$ending --keep a
  done
  # Of a database that the call does not name, by how the file begins.
  printf '\x37\x7f\x06\x82 and committed rows' >live.db-wal
  ln live.db-wal hard.csv
  refused 'hard.csv: the output would replace this file, which SQLite keeps beside a database' fit "$demo" -o hard.csv
}

test_no_link_leads_an_output_to_a_store_that_is_to_be_made() {
  ln -s real.db soft.db
  local target
  for target in real.db-wal real.db-shm real.db-journal soft.db-wal; do
    refused "$target: the output would replace this file, which SQLite keeps beside soft.db" fit "$demo" --store soft.db --keep a -o "$target" --format csv
  done
  refused 'real.db: the output would replace the study store soft.db' fit "$demo" --store soft.db --keep a -o real.db --format csv
  [ ! -e real.db ] || fail "a store was made"
}

test_no_run_table_replaces_a_trace() {
  mkdir traces
  printf 'timestamp,gpu_index,power_draw_W\n0,0,100\n1,0,110\n2,0,120\n' >traces/1-n1.csv
  cp traces/1-n1.csv traces/2-n1.csv
  printf 'job_id,model,epochs\n1,bert,2\n2,bert,2\n' >traces/jobs.csv
  printf 'precision: bf16\n' >traces/hparams.yaml
  local tree
  for tree in traces 'traces/*.csv' .; do
    refused "traces/1-n1.csv: the output would replace this input of $tree, which is no run table that ingest wrote" ingest "$tree" -o traces/1-n1.csv
    refused "traces/jobs.csv: the output would replace this input of $tree, which has other columns than the new run table" ingest "$tree" -o traces/jobs.csv
  done
  refused 'traces/hparams.yaml: the output would replace' ingest traces -o traces/hparams.yaml
  ln traces/1-n1.csv hard.csv
  ln -s traces/1-n1.csv soft.csv
  refused 'hard.csv: the output would replace the input traces/1-n1.csv of traces' ingest traces -o hard.csv
  refused 'soft.csv: the output would replace the input traces/1-n1.csv of traces' ingest traces -o soft.csv
  # Tables of jobs by a pattern or a folder.
  refused 'traces/jobs.csv: the output would replace' ingest traces/1-n1.csv --jobs 'traces/job*.csv' -o traces/jobs.csv
}

test_no_run_table_replaces_a_table_of_jobs() {
  mkdir traces
  printf 'timestamp,gpu_index,power_draw_W\n0,0,100\n1,0,110\n2,0,120\n' >traces/1-n1.csv
  printf 'job_id,model,steps\n1,bert,20\n' >facts.csv
  local table option
  for table in 'job_id,model,steps\n1,bert,20\n' 'job_id,model,minutes\n1,bert,3\n' 'job_id,name,path\n1,a,b\n' \
               'job_id,model,gpus,duration_s\n1,bert,1,2\n' 'job_id,samples\n1,20\n' 'job_id\r\n1\r\n'; do
    printf "$table" >traces/jobs.csv
    for option in '' '--jobs facts.csv' '--rows gpu' '--skip-bad-files'; do
      refused 'traces/jobs.csv: the output would replace' ingest traces $option -o traces/jobs.csv
    done
    ln traces/jobs.csv hard.csv
    refused 'hard.csv: the output would replace the input traces/jobs.csv of traces' ingest traces -o hard.csv
    rm hard.csv
  done
  # A file that is there by chance.
  echo 'what we measured' >traces/README.md
  refused 'traces/README.md: the output would replace' ingest traces -o traces/README.md
}

test_ingest_writes_its_run_table_beside_the_traces_again_and_again() {
  mkdir traces logs
  printf 'timestamp,gpu_index,power_draw_W\n0,0,100\n1,0,110\n2,0,120\n' >traces/1-n1.csv
  printf '{"gpus": 4, "duration_s": 12.5}\n' >logs/a.json
  local rows name
  for rows in job node gpu; do
    for name in runs.csv runs.tsv; do
      run ingest traces --rows "$rows" -o "traces/$name"
      expect_status 0
      cp "traces/$name" first
      run ingest traces --rows "$rows" -o "traces/$name"
      expect_status 0
      expect_same first "traces/$name"
      rm "traces/$name"
    done
  done
  run ingest 'traces/*' -o traces/runs.csv
  run ingest 'traces/*' -o traces/runs.csv
  expect_status 0
  : >logs/runs.csv  # As mktemp makes one.
  run ingest logs -o logs/runs.csv
  expect_status 0
  run ingest logs -o logs/runs.csv
  expect_status 0
  expect_same <(printf 'job_id,duration_s,gpus\na,12.5,4\n') logs/runs.csv
  # Columns that only the logs tell.
  printf '{"gpus": 4, "seconds": 12.5}\n' >logs/a.json
  rm logs/runs.csv
  for name in 1 2; do
    run ingest logs -o logs/runs.csv
    expect_status 0
    expect_same <(printf 'job_id,gpus,seconds\na,4,12.5\n') logs/runs.csv
  done
}

test_no_file_of_a_report_replaces_what_the_call_reads() {
  cp "$demo" runs.csv
  printf 'threads = 1\n' >mine.toml
  run report runs.csv -o rep
  expect_status 0
  cp runs.csv rep/report.html
  refused 'rep/report.html: the output would replace the file that standard input reads' report - -o rep <rep/report.html
  refused 'rep/report.html: the output would replace this input' report rep/report.html -o rep
  cp mine.toml rep/report.html
  refused 'rep/report.html: the output would replace this settings file' report runs.csv --config rep/report.html -o rep
  cp runs.csv report.html
  refused 'report.html: the output would replace the file that standard input reads' report - -o report.html <report.html
  run report runs.csv -o page.md
  expect_status 0
  local figure
  figure=$(find page-figures -name '*.svg' | head -n 1)
  [ -n "$figure" ] || { echo 'skipped the rest: no figures'; return 0; }
  cp mine.toml "$figure"
  refused "$figure: the output would replace this settings file" report runs.csv --config "$figure" -o page.md
  ln -f mine.toml "$figure"
  refused "$figure: the output would replace the settings file mine.toml" report runs.csv --config mine.toml -o page.md
  rm "$figure"
  cp runs.csv "$figure"
  refused "$figure: the output would replace the file that standard input reads" report - -o page.md <"$figure"
  ln -f runs.csv "$figure"
  refused "$figure: the output would replace the file that standard input reads" report - -o page.md <runs.csv
}

test_no_baseline_of_gate_destroys_what_is_there() {
  cp "$demo" runs.csv
  "$binary" --quiet fit runs.csv --store live.db --keep a --kept-at 2026-01-01 >/dev/null
  ln -s live.db-wal soft.json
  ln -s new.json far.json
  refused 'live.db-wal: the output would replace this file, which SQLite keeps beside live.db' gate live.db-wal runs.csv --update
  refused '/live.db-wal, which SQLite keeps beside' gate soft.json runs.csv --update
  local base
  for base in new.json far.json; do
    refused 'would write this file; name two files' gate "$base" runs.csv --update -o new.json
    refused 'would write this file; name two files' gate --base "$base" --new runs.csv --update --export new.json
  done
  mkdir nights
  cp runs.csv nights/a.csv
  refused 'nights/a.csv: the output would replace this input' gate nights runs.csv --export nights/a.csv
  refused 'nights/a.csv: the output would replace this input' gate 'nights/*.csv' runs.csv -o nights/a.csv
  # The name that the column of -y gives.
  refused 'b-epoch_seconds.json: both --output and --update would write this file' gate 'b-{y}.json' runs.csv -y epoch_seconds --update --export x.md -o b-epoch_seconds.json --format json
  refused 'b-epoch_seconds.md: both --also and --update would write this file' gate 'b-{y}.md' runs.csv -y power_mean_w,epoch_seconds --update --also b-epoch_seconds.md
  sed '1s/epoch_seconds/wal/' runs.csv >wal.csv
  refused 'live.db-wal: the output would replace this file, which SQLite keeps beside live.db' gate 'live.db-{y}' wal.csv -y wal --update
  refused 'new.json: --update makes one baseline per column of -y; write {y} in the name' gate new.json runs.csv -y epoch_seconds,power_mean_w --update
  refused 'both --output and --export would write to standard output' gate runs.csv runs.csv -o - --export -
  refused '-: --update replaces a file' gate - runs.csv --update
  run gate far.json runs.csv --update --export fits.json
  expect_status 0
  [ -L far.json ] && [ -s new.json ] && [ -s fits.json ] || fail "a file is missing: $(ls)"
}

test_no_output_lies_in_a_folder_that_the_call_fills() {
  mkdir new
  ln -s new soft
  local folder option
  for folder in new ./new/ soft later; do
    for option in --submissions -o; do
      refused "/jobs.csv: --" generate --traces "$folder" "$option" "${folder%/}/jobs.csv"
      refused "which --traces fills" generate --traces "$folder" "$option" "${folder%/}/gpu/0000/x.csv"
    done
  done
  refused 'new/jobs.csv: --submissions would write this file into soft, which --traces fills' generate --traces soft --submissions new/jobs.csv
  refused 'later: --output would write this file into later, which --traces fills' generate --traces later -o later
  [ ! -e later ] || fail "a folder was made"
  # Each of them is written elsewhere.
  run generate --traces later --jobs 2 --submissions jobs.csv -o runs.csv
  expect_status 0
  grep -q '^job_id,' later/jobs.csv || fail "no table of jobs: $(head -n 1 later/jobs.csv)"
  grep -q '^group,' jobs.csv || fail "no submissions: $(head -n 1 jobs.csv)"
  grep -q 'seconds' runs.csv || fail "no runs: $(head -n 1 runs.csv)"
}

test_a_generate_that_fails_replaces_nothing() {
  mkdir full
  echo mine >full/mine
  echo old >s.csv
  cp s.csv r.csv
  refused 'the folder full is not empty' generate --traces full --submissions s.csv -o r.csv
  refused 'none.csv: cannot be opened' generate --submissions s.csv --laws none.csv
  refused 'there is no folder nowhere' generate --submissions s.csv -o nowhere/r.csv --traces new
  refused 'no job to trace' generate --submissions s.csv -o r.csv --traces new --gpus 32
  [ ! -e new ] || fail "a folder was made"
  refused 'both --output and --submissions would write to standard output' generate --submissions - -o -
  expect_no_out
  run generate --submissions - -o r.csv
  expect_status 0
  mv out want
  run generate --submissions s.csv -o - --traces new --jobs 1
  expect_status 0
  expect_same want s.csv
  expect_same r.csv out
}

test_a_link_that_leads_nowhere_yet_is_written_through() {
  mkdir there
  ln -s there/fits.csv near.csv
  ln -s ../near.csv there/far.csv
  run fit "$demo" -o there/far.csv
  expect_status 0
  [ -L there/far.csv ] && [ -L near.csv ] || fail "a link was replaced by a file"
  "$binary" --quiet fit "$demo" --format csv >want
  expect_same want there/fits.csv
  ln -s new.json soft.json
  "$binary" --quiet fit "$demo" -o fits.json
  refused 'soft.json: both --output and --also would write this file' gate fits.json "$demo" --also soft.json -o new.json
  ln -s missing/fits.csv lost.csv
  refused 'cannot write missing/fits.csv: there is no folder missing' fit "$demo" -o lost.csv
  ln -s circle.csv circle.csv
  refused 'cannot write circle.csv: Too many levels of symbolic links' fit "$demo" -o circle.csv
  [ -L lost.csv ] && [ -L circle.csv ] || fail "a link is gone"
}

# A gnuplot that is none, or does not end: wrong_gnuplot SCRIPT puts it before the others.
wrong_gnuplot() {
  mkdir -p bin
  printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot
  chmod +x bin/gnuplot
  export PATH="$PWD/bin:$PATH"
}

test_a_gnuplot_that_does_not_end_is_stopped() {
  wrong_gnuplot 'exec sleep 1000'
  export SCALELAW_GNUPLOT_SECONDS=0.3
  run plot scaling "$demo" -o figure.svg
  expect_status 2
  expect_err 'gnuplot did not end within 0.3 s and was stopped'
  [ ! -e figure.svg ] || fail "there is a figure"
  SCALELAW_GNUPLOT_SECONDS=soon
  run plot scaling "$demo" -o figure.svg
  expect_status 2
  expect_err 'SCALELAW_GNUPLOT_SECONDS: expected a number of seconds above 0'
}

test_what_gnuplot_writes_is_a_figure() {
  wrong_gnuplot 'echo hello'
  local format
  for format in svg png pdf; do
    run plot scaling "$demo" -o "figure.$format"
    expect_status 2
    expect_err 'the gnuplot that was found wrote no figure but "hello"'
    [ ! -e "figure.$format" ] || fail "there is a figure"
  done
}

# A store and SQLite's files beside it, under each name that a command accepts.
test_an_output_leaves_the_store_alone() {
  run fit "$demo" --store s.db --keep a --kept-at 2026-01-01
  expect_status 0
  cp "$demo" runs.csv
  cp s.db before.db
  ln s.db hard.db
  ln -s s.db soft.db
  local target command
  for target in s.db ./s.db hard.db soft.db s.db-wal s.db-shm s.db-journal; do
    for command in 'store export s.db' 'store ls s.db' 'history s.db' 'gate s.db@a s.db@a' 'gate runs.csv s.db@a' \
                   'predict s.db@a --at 4' 'plan s.db@a --target 64' 'fit s.db' 'fit runs.csv --store s.db --keep q' \
                   'ingest runs.csv --store s.db' 'plot history s.db'; do
      run $command -o "$target"
      expect_status 2
      grep -qE 'the output would replace (this|the) ' err || fail "$command -o $target: $(cat err)"
      cmp -s s.db before.db || fail "$command -o $target changed the store"
    done
    run gate s.db@a s.db@a --also "$target.csv" --export "$target"
    expect_status 2
    cmp -s s.db before.db || fail "gate --export $target changed the store"
  done
  for command in 'fit runs.csv --keep q' 'ingest runs.csv'; do
    run $command --store new.db -o new.db
    expect_status 2
    expect_err 'new.db: the output would replace this study store'
    [ ! -e new.db ] || fail "$command made a store"
  done
}

# SQLite deletes what bears the names of its files beside a database.
test_no_store_swallows_a_file_beside_it() {
  "$binary" --quiet fit "$demo" --store live.db --keep a --kept-at 2026-01-01 >/dev/null
  printf 'threads = 1\n' >mine.toml
  cp "$demo" runs.csv
  local ending store
  for ending in wal shm journal; do
    for store in new.db live.db; do
      cp runs.csv "$store-$ending"
      local words="$store-$ending: SQLite would take this file for a part of $store and delete it"
      refused "$words" fit "$store-$ending" --store "$store" --keep b
      refused "$words" fit runs.csv --store "$store" --keep b
      refused "$words" ingest "$store-$ending" --store "$store"
      refused "$words" fit - --store "$store" --keep b <"$store-$ending"
      cp mine.toml "$store-$ending"
      refused "$words" fit runs.csv --config "$store-$ending" --store "$store" --keep b
      rm "$store-$ending"
      # A link to it is in the way, too.
      ln runs.csv "$store-$ending"
      refused "$words" fit runs.csv --store "$store" --keep b
      rm "$store-$ending"
    done
    cp runs.csv "live.db-$ending"
    for call in 'store ls live.db' 'store verify live.db' 'history live.db' 'fit live.db@a' 'gate live.db@a runs.csv' 'predict live.db@a --at 4'; do
      refused "live.db-$ending: SQLite would take" $call
    done
    rm "live.db-$ending"
    refused "the output would replace this file, which SQLite keeps beside live.db" generate --traces "live.db-$ending"
  done
}

test_no_store_takes_over_an_empty_file_that_the_call_reads() {
  : >empty.toml
  : >empty.csv
  mkdir traces
  printf 'timestamp,gpu_index,power_draw_W\n0,0,100\n1,0,110\n2,0,120\n' >traces/1-n1.csv
  : >traces/hparams.yaml
  refused 'empty.toml: the output would replace this settings file' fit "$demo" --config empty.toml --store empty.toml --keep a
  refused 'empty.csv: the output would replace this input' fit "$demo" empty.csv --store empty.csv --keep a
  refused 'empty.csv: the output would replace this input' ingest traces --jobs empty.csv --store empty.csv
  # Nobody reads an empty file that was made for the store.
  : >traces/study.db
  "$binary" --quiet ingest traces --store traces/study.db >out 2>err || fail "$(cat err)"
  refused 'empty.csv: the output would replace the file that standard input reads' fit - --store empty.csv --keep a <empty.csv
}

# Some logs tell of their run in files beside them.
test_no_run_table_replaces_a_file_that_is_read_beside_a_trace() {
  mkdir -p logs/version_0
  printf 'epoch,step,train_loss\n0,9,2.5\n1,19,2.1\n' >logs/version_0/metrics.csv
  printf 'lr: 0.1\ngpus: 4\n' >logs/version_0/hparams.yaml
  ln logs/version_0/hparams.yaml hard.csv
  local output
  for output in logs/version_0/hparams.yaml hard.csv; do
    refused 'the call reads this file, and its output would replace it' ingest logs/version_0/metrics.csv -o "$output"
    refused 'the call reads this file, and its output would replace it' ingest 'logs/version_0/met*.csv' -o "$output"
  done
}

test_standard_output_is_held_against_other_files_of_the_call() {
  cp "$demo" runs.csv
  "$binary" --quiet fit runs.csv -o fits.json
  local option
  for option in --also --export; do
    "$binary" gate fits.json runs.csv --format json $option both.md >both.md 2>err
    status=$?
    expect_status 2
    grep -qF "both.md: both standard output and $option would write this file" err || fail "$(cat err)"
  done
  "$binary" fit runs.csv >>runs.csv 2>err
  status=$?
  expect_status 2
  grep -qF 'runs.csv: standard output would write into this input' err || fail "$(cat err)"
  cmp -s "$demo" runs.csv || fail "the input was written to"
  # Where nothing goes to standard output, a job may read the log to which it is appended.
  "$binary" --quiet fit runs.csv -o fit.json >>runs.csv 2>err || fail "$(cat err)"
  "$binary" --quiet fit runs.csv -o fit.csv --store s.db --keep a >>runs.csv 2>err || fail "$(cat err)"
  mkdir traces
  printf 'timestamp,gpu_index,power_draw_W\n0,0,100\n1,0,110\n2,0,120\n' >traces/1-n1.csv
  "$binary" --quiet ingest traces/1-n1.csv --store t.db >>traces/1-n1.csv 2>err || fail "$(cat err)"
}

# The next file that is opened would get the number of a standard stream that is closed.
test_a_closed_stream_is_not_taken_for_a_file() {
  local call
  for call in 'fit RUNS --format csv' 'gate FITS RUNS --format json' 'plot scaling RUNS' 'report RUNS'; do
    call=${call//RUNS/$demo}
    call=${call//FITS/fits.json}
    [ -e fits.json ] || "$binary" --quiet fit "$demo" -o fits.json
    local ending=csv
    [[ $call != plot* ]] || ending=svg
    [[ $call != report* ]] || ending=html
    [[ $call != plot* && $call != report* ]] || command -v gnuplot >/dev/null || continue
    "$binary" $call -o open.$ending 2>err
    "$binary" $call -o closed.$ending 2>&-
    sed "s/closed\.$ending/open.$ending/g" closed.$ending | cmp -s - open.$ending || fail "$call writes something else where standard error is closed"
    "$binary" $call -o closed.$ending >&- 2>err
    sed "s/closed\.$ending/open.$ending/g" closed.$ending | cmp -s - open.$ending || fail "$call writes something else where standard output is closed"
  done
  "$binary" fit "$demo" >&- 2>err
  status=$?
  expect_status 2
  grep -qF 'cannot write standard output: Bad file descriptor' err || fail "$(cat err)"
  "$binary" fit - <&- 2>err
  status=$?
  expect_status 2
  grep -qF 'standard input: cannot be read: Bad file descriptor' err || fail "$(cat err)"
}

declare -F "$test_name" >/dev/null || fail "there is no test $test_name"
"$test_name"
