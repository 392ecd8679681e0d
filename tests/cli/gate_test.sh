#!/usr/bin/env bash
# Tests of gate as users call it: gate_test.sh BINARY SOURCE_FOLDER TEST. Each function named test_* is one test (ctest
# calls it by name); it passes if it returns.

. "$(dirname "${BASH_SOURCE[0]}")/../support/command.sh"

# tables writes p0.csv, with times and energies of the demo study, and p1hot.csv, the same with half as much energy again.
tables() {
  awk -F, -v OFS=, 'NR == 1 { print $1, $2, $4, $6, $8 > "p0.csv"; print $1, $2, $4, $6, $8 > "p1hot.csv"; next }
    $1 == "BERT" || $1 == "VGG16" { print $1, $2, $4, $6, $8 > "p0.csv"; print $1, $2, $4, $6, 1.5 * $8 > "p1hot.csv" }' "$demo"
}

# expect_same_judgement FILE: the JSON in out is that of FILE, but for the names of the inputs.
expect_same_judgement() {
  sed -E '/^ "(base|new)": /d' "$1" >by_name
  sed -E '/^ "(base|new)": /d' out | sed 's/standard input:/nights.csv:/g; s|/dev/fd/[0-9]*:|nights.csv:|g' >by_pipe
  expect_same by_name by_pipe
}

# BASE and NEW, as files and through every kind of pipe.
test_a_pipe_is_judged_as_a_file_is() {
  tables
  run gate p0.csv p1hot.csv --format json
  expect_status 1
  cp out of_files
  expect_out '"y": ["epoch_seconds", "energy_per_epoch_j"]'
  run gate p0.csv - --format json < <(cat p1hot.csv)
  expect_status 1
  expect_same_judgement of_files
  run gate p0.csv - --format json <p1hot.csv
  expect_same_judgement of_files
  run gate - p1hot.csv --format json <p0.csv
  expect_same_judgement of_files
  run gate <(cat p0.csv) <(cat p1hot.csv) --format json
  expect_same_judgement of_files
  run gate p0.csv - -y epoch_seconds,energy_per_epoch_j --format json < <(gzip -c p1hot.csv)
  expect_same_judgement of_files
  mkfifo named.csv
  cat p1hot.csv >named.csv &
  run gate p0.csv 'name*.csv' --format json
  expect_same_judgement of_files
}

test_threads_read_a_pipe_that_is_held() {
  tables
  run gate p0.csv p1hot.csv --format json
  cp out of_files
  run --threads 3 gate - p1hot.csv --format json <p0.csv
  expect_same_judgement of_files
}

test_nights_of_a_pipe_are_those_of_a_file() {
  local table=$source_folder/tests/golden/inputs/nights.csv
  cp "$table" nights.csv
  run gate nights.csv --night date --format json
  cp out of_one
  run gate - --night date --format json <nights.csv
  expect_same_judgement of_one
  cp "$source_folder/tests/golden/inputs/release.csv" release.csv
  run gate release.csv nights.csv --format json
  cp out of_two
  run gate release.csv - --format json < <(cat nights.csv)
  expect_same_judgement of_two
  run gate <(cat nights.csv) <(cat nights.csv) --night date --format json
  expect_same_judgement of_one
}

test_saved_fits_come_through_a_pipe() {
  tables
  run fit p0.csv -o base.json
  run gate base.json p1hot.csv --format json
  cp out of_files
  run gate - p1hot.csv --format json <base.json
  expect_same_judgement of_files
  run fit p1hot.csv -o new.json
  run gate base.json - --update < <(cat new.json)
  expect_same new.json base.json
}

# What a store keeps under a label is a document, and not a file of that name.
test_update_takes_the_fits_that_a_label_names() {
  tables
  run fit p0.csv -o base.json
  run fit p0.csv --store st.db --keep v2 --kept-at 2026-03-01
  run fit p1hot.csv --store st.db --keep v2 --kept-at 2026-03-02 -o v2.json
  run gate base.json st.db@v2 --update --exit-zero
  expect_status 0
  expect_err "base.json: baseline replaced by NEW"
  expect_same v2.json base.json
  run gate new.json st.db@v2 --update
  expect_status 0
  expect_same v2.json new.json
}

test_update_unpacks_a_document() {
  tables
  run fit p0.csv -o base.json
  run fit p1hot.csv -o new.json
  gzip -k new.json
  run gate base.json new.json.gz --update
  expect_same new.json base.json
}

test_a_pipe_of_two_names_is_one_table() {
  tables
  run gate /dev/stdin - -y epoch_seconds --quiet < <(cat p0.csv)
  expect_status 0
  expect_out "NEW is standard input"
  expect_out "changed by +0.00 %"
}

test_a_pipe_too_large_for_the_memory_is_told_of() {
  [ -z "${SCALELAW_INSTRUMENTED:-}" ] || { echo 'skipped: instrumented'; return 0; }
  tables
  { cat p1hot.csv; for _ in {1..12}; do head -c 2M /dev/zero | tr "\0" "1"; echo; done; } >large.csv
  run --max-memory 20MB gate p0.csv - < <(cat large.csv)
  expect_status 2
  expect_err "more memory is needed than --max-memory allows (19 MiB)"
  expect_no_out
}

test_a_file_as_standard_input_needs_no_memory() {
  [ -z "${SCALELAW_INSTRUMENTED:-}" ] || { echo 'skipped: instrumented'; return 0; }
  tables
  tail -n +2 p0.csv >rows
  for _ in {1..13}; do cat rows rows >twice; mv twice rows; done
  { head -n 1 p0.csv; cat rows; } >large.csv
  [ "$(stat -c %s large.csv)" -gt 20000000 ] || fail "large.csv is not larger than the memory"
  run --max-memory 20MB gate p0.csv - -y epoch_seconds <large.csv
  expect_status 0
  run --max-memory 20MB gate p0.csv - -y epoch_seconds < <(cat large.csv)
  expect_status 2
}

test_a_file_as_standard_input_begins_where_it_was_left() {
  tables
  run gate p0.csv p1hot.csv --format json
  cp out of_files
  { echo "measured at night"; cat p1hot.csv; } >noted.csv
  { read -r _; run gate p0.csv - --format json; } <noted.csv
  expect_same_judgement of_files
}

# Neither side is read before the call is known to be one.
test_a_call_that_cannot_be_judged_waits_for_no_pipe() {
  tables
  mkfifo never
  sleep 30 >never &
  exec 9<never
  run gate p0.csv - --update <&9
  expect_status 2
  expect_err "--update replaces saved fits"
  run gate p0.csv - -o none/out.json <&9
  expect_status 2
  expect_err "there is no folder none"
  kill %1
}

test_an_energy_that_one_side_lacks_is_told_of() {
  tables
  cut -d, -f1-4 p0.csv >times.csv
  run gate p0.csv times.csv
  expect_status 0
  expect_out "times.csv has no energy, so 'energy_per_epoch_j' of p0.csv is not judged"
  run gate times.csv - --format json <p0.csv
  expect_out "times.csv has no energy, so 'energy_per_epoch_j' of standard input is not judged"
  run gate p0.csv times.csv -y epoch_seconds
  ! grep -q energy out || fail "energy was not asked for: $(cat out)"
}

# An output that fails leaves none of the others.
test_files_of_a_gate_appear_together_or_not_at_all() {
  tables
  for full in "--export /dev/full --also a.json" "--also a.md --also a.json --export e.json -o /dev/full --format csv"; do
    run gate p0.csv p1hot.csv -y epoch_seconds $full
    expect_status 2
    expect_err "cannot write /dev/full: No space left on device"
    [ "$(ls)" = $'err\nout\np0.csv\np1hot.csv' ] || fail "$full leaves files: $(ls)"
  done
  "$binary" gate p0.csv p1hot.csv -y epoch_seconds --also a.json >/dev/full 2>err
  [ $? = 2 ] || fail "a full standard output is no error"
  [ ! -e a.json ] || fail "a.json was written beside a result that was not"
  run gate none/base.json p0.csv -y epoch_seconds --update --also a.json
  expect_status 2
  expect_no_out
  [ ! -e a.json ] || fail "a.json was written beside a baseline that was not"
  run gate p0.csv p1hot.csv --also a.json --also a.xml --export e.json -o r.csv
  expect_status 1
  [ "$(ls a.json a.xml e.json r.csv | wc -l)" = 4 ] || fail "not all files: $(ls)"
}

# Fifteen nights of four metrics; in the last one all but the time are 25 % worse.
table_of_metrics() {
  awk 'BEGIN {
    print "date,gpus,step_seconds,memory_gb,p99_ms,goodput"
    for (d = 1; d <= 15; ++d) for (n = 1; n <= 8; n *= 2) {
      up = d == 15 ? 1.25 : 1; s = 1 + 0.002 * ((d * 7 + n * 3) % 5 - 2)
      printf "2026-01-%02d,%d,%.4f,%.3f,%.2f,%.3f\n", d, n, 10 * n ^ -0.9 * s, 20 * up * s, 40 * up * s, 50 * n / up / s
    }
  }' >metrics.csv
}

test_gate_names_what_it_does_not_judge() {
  table_of_metrics
  run gate metrics.csv --format json
  expect_status 0
  expect_out "metrics.csv: memory_gb, p99_ms and goodput are not judged; -y step_seconds,memory_gb,p99_ms,goodput judges all"
  run gate metrics.csv -y step_seconds,memory_gb,p99_ms
  expect_status 1
  ! grep -q "not judged" out || fail "all were asked for: $(cat out)"
  run gate metrics.csv -y step_seconds
  ! grep -q "not judged" out || fail "the time was asked for: $(cat out)"
}

test_gate_takes_the_direction_of_one_response() {
  table_of_metrics
  run gate metrics.csv -y step_seconds,goodput --better goodput=more
  expect_status 1
  expect_out "by goodput, 1 of 1 group is worse"
  ! grep -q "nothing tells which way" out || fail "it was told: $(cat out)"
  run gate metrics.csv -y step_seconds,goodput --better goodput=less
  expect_status 0
  run gate metrics.csv -y step_seconds,goodput --better godput=more
  expect_status 2
  expect_err "--better godput=more: no such response is judged: name it with -y"
  run gate metrics.csv -y goodput --better goodput=mor
  expect_status 2
  expect_err "--better: there is no 'mor', did you mean 'more'?"
}

declare -F "$test_name" >/dev/null || fail "there is no test $test_name"
"$test_name"
