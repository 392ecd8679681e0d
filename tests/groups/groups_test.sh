#!/usr/bin/env bash
# Tests of tables with very many groups, where memory must not grow by more than about a KiB per group:
# groups_test.sh BINARY SOURCE_FOLDER TEST. Limits are 24 MiB for the command and its threads, and so much per group.
. "$(dirname "${BASH_SOURCE[0]}")/../support/command.sh"

# Sanitizers reserve memory themselves, so the limit is not tested with them.
bounded() { [ -n "${SCALELAW_INSTRUMENTED:-}" ] || printf -- '--max-memory %sMiB' "$1"; }

# table FIRST LAST prints three rows per group with a scatter that depends on the group alone.
table() {
  awk -v first="$1" -v last="$2" 'BEGIN {
    print "model,gpus,seconds"
    for (g = first; g <= last; ++g)
      for (x = 1; x <= 4; x *= 2) printf "m%d,%d,%.4f\n", g, x, (90 + g % 21) * x ^ -0.85 * (1 + (g * 7 + x * 13) % 11 / 200)
  }'
}

# sweep GROUPS prints groups of two power caps at two N, with energy.
sweep() {
  awk -v groups="$1" 'BEGIN {
    print "model,power_cap_w,gpus,seconds,joules"
    for (g = 1; g <= groups; ++g)
      for (cap = 150; cap <= 250; cap += 100)
        for (x = 1; x <= 4; x *= 2) {
          t = (90 + g % 21) * x ^ -0.85 * (1 + (g * 7 + x * 13 + cap) % 11 / 200)
          printf "m%d,%d,%d,%.4f,%.2f\n", g, cap, x, t, t * x * cap
        }
  }'
}

same_for_any_threads() {
  "$binary" "$@" --threads 1 >one 2>/dev/null
  "$binary" "$@" --threads 3 >three 2>/dev/null
  cmp one three || fail "$*: the result depends on the number of threads"
}

test_predict_streams() {
  table 1 40000 >runs.csv
  for format in table csv json; do
    run predict runs.csv --at 64 --law power --format $format $(bounded 64)
    expect_status 0
  done
  same_for_any_threads predict runs.csv --at 64 --law power --format csv
}

test_plan_streams() {
  table 1 40000 >runs.csv
  run plan runs.csv --target 64 --law power --format csv $(bounded 64)
  expect_status 0
}

test_energy_streams() {
  sweep 10000 >runs.csv
  run energy runs.csv --format csv $(bounded 64)
  expect_status 0
  same_for_any_threads energy runs.csv --format csv
}

test_caps_and_pareto_look_twice_at_many_groups() {
  sweep 20000 >runs.csv
  run caps runs.csv --setting power_cap_w --format csv $(bounded 64)
  expect_status 0
  run pareto runs.csv --knobs power_cap_w,gpus -b model --format csv $(bounded 64)
  expect_status 0
  same_for_any_threads caps runs.csv --setting power_cap_w --format json
  same_for_any_threads pareto runs.csv --knobs power_cap_w,gpus -b model --format json
}

test_contrast_streams() {
  sweep 20000 >runs.csv
  run contrast runs.csv --factor power_cap_w -b model --format csv $(bounded 64)
  expect_status 0
  same_for_any_threads contrast runs.csv --factor power_cap_w -b model --format csv
}

# The comparisons of all groups are kept, as their p values depend on one another: 1 KiB per group.
test_gate_keeps_comparisons_alone() {
  table 1 20000 >runs.csv
  for format in table json csv junit github; do
    run gate runs.csv runs.csv --format $format --threads 2 $(bounded 48)
    expect_status 0
  done
}

# Groups of tables are fitted part by part, those of documents are all there; both must be judged alike.
test_gate_matches_the_groups_of_two_tables() {
  table 1 9000 >base.csv
  { table 101 2000; table 5001 14000 | tail -n +2; printf 'zz,1,5\nzz,2,3\nzz,4,2\n'; } >new.csv
  for side in base new; do
    run fit $side.csv --format json -o $side.json
    expect_status 0
  done
  run gate base.csv new.csv --format csv
  expect_status 1
  cp out of_tables
  run gate base.json new.json --format csv
  expect_status 1
  cmp out of_tables || fail "tables and documents are judged differently"
  [ "$(grep -c ',missing,' out)" = 3100 ] || fail "$(grep -c ',missing,' out) groups are missing, not 3100"
  same_for_any_threads gate base.csv new.csv --format json
}

test_gate_says_why_no_group_of_a_table_has_a_fit() {
  printf 'model,gpus,seconds\nA,1,9\nB,1,8\n' >base.csv
  run gate base.csv base.csv
  expect_status 2
  expect_err 'base.csv: the baseline holds no fit'
}

test_contrast_refuses_too_many_levels() {
  table 1 1001 >runs.csv
  run contrast runs.csv --factor model -b ''
  expect_status 2
  expect_err "model has 1001 levels, which make 500500 pairs, and a contrast compares at most 1000 levels: keep some with --where, add a column to -b so that fewer are compared with one another, or fit one law to each with 'scalelaw fit -b model'"
  expect_no_out
  table 1 1000 >runs.csv
  run contrast runs.csv --factor model -b '' --format csv
  expect_status 0
}

test_report_refuses_more_groups_than_a_page_holds() {
  table 1 10001 >runs.csv
  run report runs.csv -o page.html
  expect_status 2
  expect_err 'report: 10001 groups are too many for a page, which holds at most 10000: keep some with --where, or name fewer columns with -b (now model)'
  [ ! -e page.html ] || fail 'there is a page'
}

test_plan_without_a_law_refuses_what_would_take_hours() {
  table 1 100001 >runs.csv
  run plan runs.csv --target 64
  expect_status 2
  expect_err 'plan: 100001 groups would take hours without a law, which is for at most 100000: name one with --law power, keep some groups with --where, or name fewer columns with -b (now model)'
  expect_no_out
}

declare -F "$test_name" >/dev/null || fail "there is no test $test_name"
"$test_name"
