#!/usr/bin/env bash
# Tests of kept fits and of their histories: history_test.sh BINARY SOURCE_FOLDER TEST. Each function named test_* is one
# test (ctest calls it by name); it passes if it returns.

. "$(dirname "${BASH_SOURCE[0]}")/../support/command.sh"

# keep SEED BETA LABEL TIME [MODELS] keeps fits in s.db, of runs by a law with that exponent.
keep() {
  printf 'model,power_cap_w,alpha,beta\n' >laws.csv
  local model
  for model in ${5:-A}; do echo "$model,250,100,$2" >>laws.csv; done
  "$binary" --quiet generate --seed "$1" --laws laws.csv -o "runs$1.csv" || fail "generate: exit status $?"
  run fit "runs$1.csv" -b model --store s.db --keep "$3" --kept-at "$4"
  expect_status 0
}

nights() {  # LABEL SEEDS BETA: the seed is the day, too.
  local seed
  for seed in $2; do keep "$seed" "$3" "$1" "2026-03-$(printf %02d "$seed")"; done
}

test_labels_are_series_of_their_own() {
  nights clusterA "1 2 3 4" 0.8
  nights clusterB "5 6 7" 0.6
  run history s.db
  expect_status 0
  expect_out "model A ('clusterA'): No change of beta is shown"
  expect_out "model A ('clusterB'): No change of beta is shown"
  run history s.db --format json
  expect_out '"labels": ["clusterA", "clusterB"]'
  run history s.db --format csv
  [ "$(tail -n +2 out | cut -d, -f1,2 | uniq -c | xargs)" = '4 A,clusterA 3 A,clusterB' ] || fail "not two series: $(cat out)"
  run history s.db --label clusterB
  expect_status 0
  expect_out "No change of beta is shown"
  ! grep -q clusterA out || fail "other labels: $(cat out)"
}

test_plot_follows_a_label_and_a_parameter() {
  nights clusterA "1 2 3" 0.8
  nights clusterB "5 6 7" 0.6
  run plot scaling "$demo" --label clusterA
  expect_status 2
  expect_err "--label works only with plot history, not with plot scaling"
  command -v gnuplot >/dev/null || return 0
  run plot history s.db --terminal
  expect_status 0
  expect_out "'clusterB'"
  run plot history s.db --label clusterB --parameter alpha --terminal
  expect_status 0
  expect_out "alpha of epoch_seconds"
  expect_err "0 of 1 groups changed"
  run plot history s.db --parameter gamma --terminal
  expect_status 2
  expect_err "the law power has no parameter 'gamma'; it has: alpha, beta"
}

# Runs may get slower at all N alike, at the same exponent.
test_runs_that_get_slower_at_the_same_exponent_are_seen() {
  local seed
  for seed in 1 2 3 4 5 6 7 8; do
    printf 'model,power_cap_w,alpha,beta\nA,250,%s,0.8\n' "$([ $seed -lt 5 ] && echo 100 || echo 112)" >laws.csv
    "$binary" --quiet generate --seed $seed --laws laws.csv -o runs.csv || fail "generate: exit status $?"
    run fit runs.csv -b model --store s.db --keep nightly --kept-at "2026-03-0$seed"
    expect_status 0
  done
  run history s.db
  expect_status 0
  expect_out "No change of beta is shown"
  tr '\n' ' ' <out | grep -q "The time of an epoch at the middle (.* GPUs) changed with 'nightly' of 2026-03-05T00:00:00Z" || fail "$(cat out)"
  run history s.db --format json
  expect_out '"curve": {'
  run history s.db --parameter beta --format json
  ! grep -q '"curve": {' out || fail "one parameter was asked for"
}

test_the_same_runs_count_once() {
  nights nightly "1 2" 0.8
  local day
  for day in 11 12 13; do run fit runs1.csv -b model --store s.db --keep nightly --kept-at "2026-03-$day"; done
  for day in 14 15 16; do run fit runs2.csv -b model --store s.db --keep nightly --kept-at "2026-03-$day"; done
  run history s.db
  expect_status 0
  expect_err "6 of the kept fits repeat runs of earlier ones, which count once: 'nightly' of 2026-03-11T00:00:00Z, 'nightly' of 2026-03-12T00:00:00Z, 'nightly' of 2026-03-13T00:00:00Z and 3 more"
  expect_out "Whether beta changed cannot be tested: that takes three fits of different runs"
  keep 3 0.8 nightly 2026-03-20
  run history s.db --format csv
  [ "$(grep -c nightly out)" = 3 ] || fail "not three fits: $(cat out)"
}

# A store that grows: a group without new runs has the same fit again.
test_a_group_without_new_runs_counts_once() {
  nights nightly "1 2 3" 0.8
  head -n 1 runs1.csv >both.csv
  for seed in 1 2 3; do
    { tail -n +2 runs1.csv | sed 's/^A,/B,/'; tail -n +2 "runs$seed.csv"; } | cat both.csv - >"grown$seed.csv"
    run fit "grown$seed.csv" -b model --store g.db --keep nightly --kept-at "2026-03-0$seed"
    expect_status 0
  done
  run history g.db --format csv
  expect_status 0
  expect_err "runs of some groups were kept again beside new runs of others; they count once: model B ('nightly', 2 fits)"
  ! grep -q "of the kept fits repeat" err || fail "no fit repeats with all its groups: $(cat err)"
  [ "$(grep -c '^A,' out)" = 3 ] || fail "model A: $(cat out)"
  [ "$(grep -c '^B,' out)" = 1 ] || fail "model B: $(cat out)"
}

test_keeping_the_same_fits_again_changes_nothing() {
  nights nightly 1 0.8
  run fit runs1.csv -b model --store s.db --keep nightly --kept-at 2026-03-01
  expect_status 0
  expect_err "s.db: the same fits are kept already as 'nightly' of 2026-03-01T00:00:00Z"
  run store forget s.db --fits nightly
  expect_err "1 document forgotten"
}

test_fits_of_one_time_are_forgotten() {
  nights nightly "1 2 3" 0.8
  run store forget s.db --fits nightly --kept-at 2026-03-02
  expect_status 0
  expect_err "1 document forgotten"
  run store ls s.db --format json
  expect_out "2026-03-01T00:00:00Z"
  ! grep -q 2026-03-02 out || fail "still there: $(cat out)"
  run store forget s.db --fits nightly --kept-at 2026-03-02
  expect_status 2
  expect_err "s.db: no fits with the label 'nightly' of 2026-03-02T00:00:00Z"
  run store forget s.db --fits nightly --kept-at yesterday
  expect_status 2
  expect_err "--kept-at yesterday: expected a date such as 2026-01-31"
  run store forget s.db --kept-at 2026-03-02
  expect_status 2
  expect_err "--kept-at works only with store forget --fits"
}

test_a_change_has_its_p_below_the_floor_of_the_draws() {
  nights nightly "1 2 3" 0.8
  nights nightly "4 5 6" 0.6
  run history s.db
  expect_status 0
  expect_out "beta changed with 'nightly' of 2026-03-04T00:00:00Z"
  expect_out "(p < 0.0002 after Holm)"  # Of the exponent and of the curve.
  run history s.db --parameter beta
  expect_out "(p < 0.0001 after Holm)"
  run history s.db --parameter beta --format csv
  expect_out ",0.0001,0.0001"
}

test_history_says_what_is_no_store() {
  printf 'gpus,seconds\n1,2\n' >plain.csv
  run history plain.csv
  expect_status 2
  expect_err "plain.csv: this is no study store"
  run history none.db
  expect_status 2
  expect_err "none.db: no such file"
}

test_the_message_of_update_says_that_keep_adds() {
  nights nightly 1 0.8
  run gate s.db@nightly runs1.csv --update
  expect_status 2
  expect_err "'scalelaw fit --store --keep' adds fits to a store"
}

# Six nights under a label, and runs of a seventh in runs9.csv.
six_nights_and_one() {
  nights nightly "1 2 3 4 5 6" 0.8
  keep 9 0.8 other 2026-04-01
}

test_gate_takes_the_nights_of_a_label() {
  six_nights_and_one
  run gate s.db@nightly runs9.csv --format json
  expect_status 0
  expect_out '"nights": 6,'
  expect_out '"nights": {"count": 6, "sd": '
  ! grep -q "one-night\|few-nights" out err || fail "six nights are enough: $(cat err)"
  run gate s.db@nightly runs9.csv
  expect_out "the few runs of a night scatter"
  run gate s.db@nightly runs9.csv --nights 3
  expect_out "few-nights: BASE has 3 nights"
  run gate s.db@nightly runs9.csv --nights 1
  expect_out "one-night: BASE is taken as one night"
  ! grep -q "verdict *between nights" out || fail "one night has no scatter: $(cat out)"
  run gate s.db@nightly runs9.csv --nights 1 --format csv --columns change,se,dof
  mv out one
  "$binary" --quiet fit runs6.csv -b model -o six.json
  run gate six.json runs9.csv --format csv --columns change,se,dof
  cmp -s one out || fail "the newest night alone: $(cat one out)"
}

test_gate_takes_the_nights_of_a_table() {
  six_nights_and_one
  sed 's/^/night,/; 1q' runs1.csv >nights.csv
  local seed
  for seed in 3 1 6 2 5 4; do tail -n +2 "runs$seed.csv" | sed "s/^/2026-03-0$seed,/" >>nights.csv; done
  run gate nights.csv runs9.csv -b model --night night --format csv
  expect_status 0
  mv out table
  run gate s.db@nightly runs9.csv --format csv
  cmp -s table out || fail "the store says something else: $(diff table out)"
  run gate nights.csv runs9.csv -b model --night month
  expect_status 2
  expect_err "no column 'month'"
  "$binary" --quiet fit runs6.csv -b model -o six.json
  run gate six.json runs9.csv --night night
  expect_status 2
  expect_err "six.json: it holds fits, and --night names a column of a run table"
}

# One table of six nights; those named NAME1 to NAME6, whatever their order in the file.
table_of_nights() {  # NAME
  six_nights_and_one
  sed 's/^/night,/; 1q' runs1.csv >nights.csv
  local seed
  for seed in 1 2 3 4 5 6; do tail -n +2 "runs$seed.csv" | sed "s/^/$1$seed,/" >>nights.csv; done
}

test_gate_names_the_column_of_nights() {
  table_of_nights 2026-03-0
  run gate nights.csv runs9.csv -b model
  expect_out "one-night: BASE is taken as one night"
  expect_out "If its column 'night' names nights, add --night night"
  run gate nights.csv runs9.csv -b model --nights 3
  expect_status 2
  expect_err "nights.csv: --nights counts the nights that --night COL names"
  grep '^night\|-01,' nights.csv >one.csv
  run gate one.csv runs9.csv -b model
  expect_out "or name the column of the night with --night"
}

test_gate_judges_the_newest_night_of_one_table() {
  table_of_nights 2026-03-0
  run gate nights.csv nights.csv -b model --night night --format csv
  expect_status 0
  expect_err "nights.csv: NEW is its newest night, 2026-03-06; BASE is the 5 others"
  mv out same
  grep -v '^2026-03-06' nights.csv >before.csv
  run gate before.csv runs6.csv -b model --night night --format csv
  cmp -s same out || fail "not the newest by the others: $(diff same out)"
  grep '^night\|-0[56],' nights.csv >late.csv
  run gate nights.csv late.csv -b model --night night --format csv
  cmp -s same out || fail "nights that BASE has: $(diff same out)"
  sed 's/-0\([0-9]\),/-1\1,/' late.csv >later.csv
  run gate nights.csv later.csv -b model --night night
  expect_out "later.csv: its 2 nights from 2026-03-15 to 2026-03-16 are one level, held against BASE"
}

test_gate_orders_nights_by_their_digits() {
  table_of_nights n
  sed -i 's/^n3,/n10,/' nights.csv
  run gate nights.csv nights.csv -b model --night night --quiet
  expect_out "NEW is its newest night, n10"
}

# A slow night that was kept before the next one is judged.
test_gate_says_that_base_itself_changed() {
  nights nightly "1 2 3 4 5 6 7 8" 0.8
  nights nightly "11 12 13 14" 0.5
  keep 9 0.5 other 2026-04-01
  run gate s.db@nightly runs9.csv
  expect_out "base-changed: BASE itself changed on 2026-03-11T00:00:00Z ("
  expect_out "accept the new level"
  expect_out "--nights 4"
  run gate s.db@nightly runs9.csv --format csv --columns warnings
  expect_out "base-changed"
  run gate s.db@nightly runs9.csv --nights 4
  ! grep -q base-changed out || fail "nights of one level: $(cat out)"
}

# Made-up nights: +10 % and +8 % in the last nights; 60 % slower in `upper`, and as much faster in `lower`.
test_gate_fails_every_night_of_a_slow_level() {
  while IFS='|' read -r file options sentence; do
    run gate "$source_folder/tests/cli/nights/$file.csv" $options
    expect_status 1
    tr '\n' ' ' <out >line
    grep -q "$sentence" line || fail "$file: $(head -3 out)"
  done <<END
lasting10||^failed: seconds is 10.3 % slower since 2024-02-20 (95 %: 8.8 to 11.8; limit 5 %)
nights_step||^failed: step_ms is 8.7 % slower since 2026-05-19 (95 %: 7.[0-9] to 10.[0-9]; limit 5 %)
mix5|--night night -b test|^failed: 1 of 3 groups is worse (test upper).*test upper is 59.8 % slower since n05
mix2|--night night -b test|^failed: 1 of 3 groups is worse (test upper).*test upper is 59.5 % slower since n08
up5|--night night -b test|^failed: 1 of 2 groups is worse (test upper)
up2|--night night -b test|^failed: 1 of 2 groups is worse (test upper)
END
}

test_gate_holds_two_tables_of_nights_against_each_other() {
  run gate "$source_folder/tests/cli/nights/t4_before.csv" "$source_folder/tests/cli/nights/t4_after.csv" --night date
  expect_status 1
  expect_out "failed: step_ms is 8.7 % slower since 2026-05-19"
  expect_out "beta       0.9043  0.9050  +0.0007   -0.0051 .. +0.0065"
}

test_gate_takes_a_pinned_baseline() {
  local step="$source_folder/tests/cli/nights/nights_step.csv"
  run gate "$step" --since 2026-05-19
  expect_status 1
  expect_out "since 2026-05-19"
  run gate "$step" --since 2026-06-25
  expect_status 2
  expect_err "--since 2026-06-25: BASE has no such night after its first one"
  run gate "$step" --nights 11
  expect_status 0
  run gate "$step" --baseline-nights 10
  expect_status 1
  run gate "$step" --all-nights
  expect_status 0
  expect_out "By their levels the gate says"
}

# Three benchmarks over thirty nights, without a column of a scale; mlp is 9 % slower in the last five.
table_without_a_scale() {
  awk 'BEGIN { srand(3); print "name,date,commit,seconds"
    for (day = 1; day <= 30; ++day) {
      split("attention 1.2 softmax 0.3 mlp 2.1", one, " ")
      for (i = 1; i < 6; i += 2) {
        slow = one[i] == "mlp" && day > 25 ? 1.09 : 1
        printf "%s,2026-10-%02d,c%d,%.5f\n", one[i], day, 100 + day, one[i + 1] * slow * (1 + 0.01 * (rand() - 0.5))
      } } }' >bench.csv
}

test_gate_needs_no_scale() {
  table_without_a_scale
  run gate bench.csv
  expect_status 1
  expect_out "failed: 1 of 3 groups is worse (name mlp), 2 are the same within the limit"
  expect_out "since 2026-10-26"
  run gate bench.csv --format json
  expect_out '"x": null'
  run fit bench.csv
  expect_status 2
}

test_gate_takes_documents_of_nights() {
  mkdir nightly
  local day
  for day in 1 2 3 4 5 6 7; do
    printf '{"date": "2026-11-%02d", "commit": "c%d", "results": [{"gpus": 1, "seconds": 100.%d}, {"gpus": 4, "seconds": 27.%d}, {"gpus": 8, "seconds": 15.%d}]}' \
      "$day" "$day" "$((day * 3 % 7))" "$((day * 2 % 5))" "$((20 + day % 3))" >"nightly/$day.json"
  done
  run gate nightly
  expect_status 0
  expect_out "NEW is its newest night, 2026-11-07; BASE is the 6 others"
  run gate 'nightly/*.json' --format csv
  expect_status 0
  run history nightly
  expect_status 0
  expect_out "0 of 3 figures changed over the nights of nightly"
}

test_gate_takes_a_limit_of_each_response() {
  awk 'BEGIN { print "date,gpus,seconds,memory_gb"
    for (day = 1; day <= 12; ++day) for (gpus = 1; gpus < 9; gpus *= 2)
      printf "2026-01-%02d,%d,%.3f,%.3f\n", day, gpus, 10 / gpus * (1 + day % 3 / 500), (day == 12 ? 25 : 20) + day * gpus % 5 / 100 }' >metrics.csv
  run gate metrics.csv -y seconds,memory_gb
  expect_status 1
  expect_out "memory_gb is 25.0 % higher"
  run gate metrics.csv -y seconds,memory_gb --limit memory_gb=30%
  expect_status 0
  run gate metrics.csv -y seconds,memory_gb --ignore-below memory_gb=6
  expect_status 0
  run gate metrics.csv -y seconds,memory_gb --limit p99=30%
  expect_status 2
  expect_err "--limit p99: no such response is judged; they are: seconds, memory_gb"
  run gate metrics.csv -y memory_gb --ignore-below memory_gb=3ms
  expect_status 2
  expect_err "the unit of memory_gb is GB"
  run gate metrics.csv --limit seconds
  expect_status 2
  expect_err '--limit: expected a response and a share, such as p99_ms=10%, found "seconds"'
  run gate metrics.csv --ignore-below 3
  expect_status 2
  expect_err "expected an amount above 0 with its unit"
}

test_history_of_a_table_lists_its_levels() {
  run history "$source_folder/tests/cli/nights/lasting10.csv"
  expect_status 0
  expect_out "seconds at 1 node changed once: +10.3 % since 2024-02-20 (95 %: +8.8 % .. +11.8 %)."
  run history "$source_folder/tests/cli/nights/nights_step.csv" --format csv
  expect_out "step_ms,curve,32,2026-05-19,12,"
  run history "$source_folder/tests/cli/nights/nights_step.csv" --format json
  expect_out '"schema": "scalelaw.nights/1"'
  expect_out '"since": "2026-05-19", "nights": 12'
  run history "$source_folder/tests/cli/nights/mix5.csv" --night night -b test
  expect_out "2 of 3 figures changed over the nights"
  # A drift of 0.15 % a night.
  awk 'BEGIN { print "date,gpus,seconds"
    for (day = 0; day < 100; ++day) printf "%s,8,%.4f\n", strftime("%Y-%m-%d", 1767225600 + 86400 * day, 1), 100 * (1 + 0.0015 * day) * (1 + day * 7 % 5 / 500) }' >drift.csv
  run history drift.csv
  expect_out "seconds at 8 GPUs drifts: +1"
  run gate drift.csv
  expect_status 0
  run gate drift.csv --baseline-nights 20
  expect_status 1
}

test_gate_leaves_out_nights_that_new_repeats() {
  six_nights_and_one
  run gate s.db@nightly runs6.csv --format json
  expect_status 0
  expect_out '"nights": 5,'
  expect_err "s.db@nightly: 1 fit of earlier nights left out: a later night or NEW has the same runs"
  run gate s.db@other runs9.csv
  expect_status 0
  expect_out "+0.00 %"
}

test_times_of_a_figure_are_readable() {
  command -v gnuplot >/dev/null || return 0
  nights nightly "1 2 3 4 5 6 7 8 9 10 11 12" 0.8
  run plot history s.db --parameter beta --terminal
  expect_status 0
  # The first day and other days have separate labels.
  grep -qE '2026-03-01 {2,}2026-03-03 {2,}2026-03-05' out || fail "ticks: $(cat out)"
  run plot history s.db --parameter beta -o figure.svg
  expect_status 0
  [ "$(grep -o '>2026-03-[0-9]*<' figure.svg | sort -u | wc -l)" -ge 5 ] || fail "ticks of the SVG"
}

# table_of_two_levels FACTOR [DAYS] writes runs.csv: DAYS nights from 20 May on, with times FACTOR times as long from 1 June on.
table_of_two_levels() {
  awk -v factor="$1" -v days="${2:-20}" 'BEGIN {
    srand(7)
    print "model,gpus,night,epoch_seconds"
    for (d = 0; d < days; ++d) {
      night = d < 12 ? sprintf("2026-05-%02d", 20 + d) : sprintf("2026-06-%02d", d - 11)
      slow = (1 + 0.01 * (2 * rand() - 1)) * (d < 12 ? 1 : factor)
      for (n = 1; n <= 16; n *= 2) printf "BERT,%d,%s,%.3f\n", n, night, 1000 * n ^ -0.9 * slow * (1 + 0.01 * (2 * rand() - 1))
    }
  }' >runs.csv
}

test_a_change_of_level_over_nights_is_told_with_the_command_for_the_rows_behind_it() {
  local command
  table_of_two_levels 1.2
  for command in "fit runs.csv" "predict runs.csv --at 32" "plan runs.csv --target 64" "report runs.csv -o r.md"; do
    run $command
    expect_status 0
    expect_err "level-changed: runs from before and after 2026-06-01 are taken together, and the level changed there (epoch_seconds of BERT +20 % by the law at gpus = "
    if [ "${command%% *}" = report ]; then
      grep -q "Nights of two levels" r.md || fail "the report does not tell: $(cat r.md)"
    else
      expect_err ": scalelaw $command --where 'night>=2026-06-01'"
    fi
    eval "run $(sed -n "s/.*For the runs since then: scalelaw //p" err)"
    expect_status 0
    ! grep -q level-changed err || fail "told of again: $(cat err)"
  done
  run fit runs.csv --format json
  expect_out '"warnings": ["level-changed: '
  run fit runs.csv -b night
  ! grep -q level-changed err || fail "told of although nights are groups: $(cat err)"
}

test_nights_of_one_level_are_not_told_of() {
  table_of_two_levels 1
  run fit runs.csv
  ! grep -q level-changed err || fail "no night changed: $(cat err)"
}

# Nights that are no dates are named one by one.
test_the_command_behind_a_change_names_nights_that_no_condition_orders() {
  table_of_two_levels 1.2
  sed -i 's/2026-05-/run5-/; s/2026-06-/run6-/' runs.csv
  run fit runs.csv
  expect_err "scalelaw fit runs.csv --where night=run6-01,run6-02,run6-03,run6-04,run6-05,run6-06,run6-07,run6-08"
}

# The nights of 50 tables differ by 1 % or 4 %, and none changes its level.
test_hardly_a_table_without_a_change_is_told_of() {
  local sd seed warned
  for sd in 0.01 0.04; do
    warned=0
    for seed in $(seq 50); do
      awk -v sd="$sd" -v seed="$seed" 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
        BEGIN {
          srand(seed)
          print "gpus,night,seconds"
          for (d = 1; d <= 15; ++d) {
            slow = exp(sd * normal())
            for (n = 1; n <= 16; n *= 2) printf "%d,2026-05-%02d,%.4f\n", n, d, 1000 * n ^ -0.9 * slow * exp(0.01 * normal())
          }
        }' >runs.csv
      run fit runs.csv
      expect_status 0
      grep -q level-changed err && warned=$((warned + 1))
    done
    [ "$warned" -le 1 ] || fail "$warned of 50 tables without a change are told of where nights differ by $sd"
  done
}

test_history_of_a_table_tells_how_it_was_read() {
  awk 'BEGIN {
    print "commit,when,gpus,seconds"
    split("f3a9c1d 0be77a2 9d1c4e8 4417fa0 c0ffee1 77d2ab9", commits, " ")
    for (d = 1; d <= 6; ++d) for (n = 1; n <= 4; n *= 2) printf "%s,2026-01-%02dT03:00:00Z,%d,%.3f\n", commits[d], d, n, 100 / n * (1 + 0.001 * ((d * n) % 3))
  }' >runs.csv
  run history runs.csv --night commit --format json
  expect_status 0
  expect_out "\"warnings\": [\"runs.csv: the values of 'commit' are in the order of 'when'\""
  expect_err "runs.csv: the values of 'commit' are in the order of 'when'"
  run history runs.csv --night commit
  expect_out "runs.csv: the values of 'commit' are in the order of 'when'"
}

declare -F "$test_name" >/dev/null || fail "there is no test $test_name"
"$test_name"
