#include "scalelaw/render/replay_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/json.hpp"

namespace scalelaw {
namespace {

using testing::HasSubstr;
using testing::Not;

/// One batch size that works and one that failed, made by hand.
JobTrace trace_of_two() {
  JobTrace trace;
  trace.job = {"d", "net", "sgd", 0.5, 20, 16};
  trace.power = "v100";
  trace.sizes = {
      {8, {{200, {{8, 1200}}, {8, 1200}}}, {10.0}, {8, 1200}},
      {16, {{200, {{6, 960}}, {6, 960}}, {100, {{9, 810}}, {9, 810}}}, {8.0}, {7.5, 885}}};
  trace.max_power_w = 200;
  trace.default_size = 1;
  return trace;
}

ReplayReport report_on(const JobTrace& trace) {
  ReplayReport report;
  report.train = "train.csv";
  report.power = "power.csv";
  report.trace = &trace;
  report.replay.recurrences = 1;
  report.replay.history = {{1, 0, 0, 2, 2400, 16, 2800.5, false, true, Phase::kExploring},
                           {1, 1, 1, 8, 6480, 72, 10440, true, false, Phase::kSampling}};
  report.replay.totals = {8880, 88, 13240.5};
  report.replay.min_cost = 13240.5;
  report.uses = {{{0, 0}, 1, 0, 2400, 16, 2800.5}, {{1, 1}, 1, 1, 6480, 72, 10440}};
  report.lowest_run_cost = 10440;
  report.summary.oracle = Knobs{1, 0};
  report.summary.oracle_cost = 8640;
  report.summary.regret = OverSeeds{4600.5, {}, {}};
  report.summary.excess = OverSeeds{0.533, {}, {}};
  report.summary.energy_saving = OverSeeds{-0.156, {}, {}};
  report.summary.time_saving = OverSeeds{-0.833, {}, {}};
  report.summary.cost_saving = OverSeeds{-0.533, {}, {}};
  return report;
}

std::string written(const ReplayReport& report, Format format) {
  std::string out;
  write_replay(report, {.format = format}, [&out](std::string_view text) { out += text; });
  return out;
}

TEST(WriteReplay, CsvHasARowARun) {
  const JobTrace trace = trace_of_two();
  EXPECT_EQ(
      written(report_on(trace), Format::kCsv),
      "recurrence,batch_size,power_limit,epochs,energy_j,time_s,cost,reached,profiling,phase\n"
      "1,8,200,2,2400,16,2800.5,false,true,exploring\n"
      "1,16,100,8,6480,72,10440,true,false,sampling\n");
}

TEST(WriteReplay, JsonHasTheFieldsOfTheContract) {
  const JobTrace trace = trace_of_two();
  ReplayReport report = report_on(trace);
  report.settings.beta = std::numeric_limits<double>::infinity();
  const auto document = parse_json(written(report, Format::kJson));
  EXPECT_EQ(document["schema"], "scalelaw.replay/1");
  EXPECT_EQ(document["job"]["b0"], 16);
  EXPECT_EQ(document["settings"]["policy"], "zeus");
  EXPECT_TRUE(document["settings"]["beta"].is_null());
  EXPECT_EQ(document["recurrences"], 1);
  EXPECT_EQ(document["history"].size(), 2u);
  EXPECT_EQ(document["history"][1]["power_limit"], 100);
  EXPECT_EQ(document["totals"]["cost"], 13240.5);
  EXPECT_EQ(document["min_cost"], 13240.5);
  EXPECT_EQ(document["regret"], 4600.5);
  EXPECT_EQ(document["oracle"]["batch_size"], 16);
  EXPECT_TRUE(document["failure"].is_null());
}

TEST(WriteReplay, WhatIsUndefinedIsNull) {
  JobTrace trace = trace_of_two();
  ReplayReport report;
  report.trace = &trace;
  report.replay.failure = "it did not go well";
  const auto document = parse_json(written(report, Format::kJson));
  EXPECT_TRUE(document["min_cost"].is_null());
  EXPECT_TRUE(document["regret"].is_null());
  EXPECT_TRUE(document["oracle"]["batch_size"].is_null());
  EXPECT_TRUE(document["savings"]["energy"].is_null());
  EXPECT_EQ(document["failure"], "it did not go well");
  EXPECT_EQ(document["history"].size(), 0u);
}

TEST(WriteReplay, TheTableTellsUseSavingsAndRegret) {
  const JobTrace trace = trace_of_two();
  const std::string text = written(report_on(trace), Format::kTable);
  EXPECT_THAT(text, HasSubstr("8        200 W     1       1       2.4 kJ       16 s     2.8 kJ"));
  EXPECT_THAT(text, HasSubstr("2 runs took 8.88 kJ and 88 s, which is a cost of 13.24 kJ"));
  EXPECT_THAT(text, HasSubstr("15.6 % more energy, 83.3 % more time and 53.3 % more cost"));
  EXPECT_THAT(text, HasSubstr("the replay cost 4.601 kJ more than this would have (53.3 %)"));
}

ReplayStudyReport study_on(const JobTrace& trace) {
  ReplayStudyReport study;
  study.train = "train.csv";
  study.power = {"v100.csv", "a40.csv"};
  study.seeds = {1, 2, 3};
  StudyRow row;
  row.gpu = "v100";
  row.dataset = "d";
  row.trace = &trace;
  CaseSummary summary;
  summary.recurrences = 12;
  summary.seeds = 3;
  summary.runs = 13;
  summary.cost = {100, 4.0, Interval{90, 110}};
  summary.cost_saving = OverSeeds{0.25, 0.01, Interval{0.24, 0.26}};
  summary.converged_after = 7;
  summary.curve = {{.cost = {8, Interval{7, 9}},
                    .energy_j = {5, {}},
                    .time_s = {2, {}},
                    .regret = {},
                    .cost_ratio = {},
                    .energy_ratio = {},
                    .time_ratio = {},
                    .best_share = 0.5}};
  row.result = summary;
  study.rows.push_back(row);
  row.gpu = "a40";
  row.trace = nullptr;
  row.result = std::string("power.csv: no rows of (d, net, sgd)");
  study.rows.push_back(row);
  return study;
}

std::string written(const ReplayStudyReport& report, Format format) {
  std::string out;
  write_replay_study(report, {.format = format}, [&out](std::string_view text) { out += text; });
  return out;
}

TEST(WriteReplayStudy, ACaseThatCouldNotBeReplayedIsARowWithItsReason) {
  const JobTrace trace = trace_of_two();
  const auto document = parse_json(written(study_on(trace), Format::kJson));
  EXPECT_EQ(document["schema"], "scalelaw.replay-study/1");
  EXPECT_EQ(document["cases"][0]["cost"]["ci"][1], 110);
  EXPECT_TRUE(document["cases"][0]["regret"].is_null());
  EXPECT_EQ(document["cases"][0]["converged_after"], 7);
  EXPECT_FALSE(document["cases"][0].contains("curve"));
  EXPECT_EQ(document["cases"][1]["failure"], "power.csv: no rows of (d, net, sgd)");
}

TEST(WriteReplayStudy, CurvesAreThereWhenAskedFor) {
  const JobTrace trace = trace_of_two();
  ReplayStudyReport study = study_on(trace);
  study.curves = true;
  const auto document = parse_json(written(study, Format::kJson));
  EXPECT_EQ(document["cases"][0]["curve"][0]["cost"], 8);
  EXPECT_EQ(document["cases"][0]["curve"][0]["cost_ci"][1], 9);
  EXPECT_TRUE(document["cases"][0]["curve"][0]["regret"].is_null());
}

TEST(WriteReplayStudy, RowsOfCsvHaveAsManyFieldsAsTheHeader) {
  const JobTrace trace = trace_of_two();
  const std::string text = written(study_on(trace), Format::kTsv);
  std::vector<long> tabs;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    tabs.push_back(std::count(text.begin() + static_cast<long>(begin),
                              text.begin() + static_cast<long>(end), '\t'));
  }
  EXPECT_THAT(tabs, testing::ElementsAre(54, 54, 54));
}

TEST(WriteReplayStudy, CsvHasAnEmptyFieldForABetaWithoutEnd) {
  const JobTrace trace = trace_of_two();
  ReplayStudyReport study = study_on(trace);
  study.rows[1].settings.beta = std::numeric_limits<double>::infinity();
  const std::string csv = written(study, Format::kCsv);
  EXPECT_THAT(csv, HasSubstr("v100,d,zeus,zeus,,paper,0.5,2,0,16,0.5,"));
  EXPECT_THAT(csv, HasSubstr("a40,d,zeus,zeus,,paper,0.5,,0,,,"));
  EXPECT_THAT(written(study, Format::kTable), HasSubstr("a40   inf "));
}

TEST(WriteReplayStudy, WhatDoesNotVaryStandsInTheCaption) {
  const JobTrace trace = trace_of_two();
  const std::string text = written(study_on(trace), Format::kTable);
  EXPECT_THAT(text, HasSubstr("over 3 seeds (random numbers of scalelaw), dataset d, policy zeus"));
  EXPECT_THAT(text, HasSubstr("25.0 ± 1.0 %"));
  EXPECT_THAT(text, HasSubstr("no replay of GPU a40: power.csv: no rows"));
  EXPECT_THAT(text, Not(HasSubstr("-0.0")));
}

TEST(WriteReplayStudy, SeedsThatFailedAreMarkedInTheirRow) {
  const JobTrace trace = trace_of_two();
  ReplayStudyReport study = study_on(trace);
  EXPECT_THAT(written(study, Format::kTable), Not(HasSubstr("  seeds")));
  study.rows[1] = study.rows[0];
  study.rows[1].settings.policy.batch_size = BatchSizeRule::kThompson;
  study.rows[1].settings.beta = 1.5;
  auto& summary = std::get<CaseSummary>(study.rows[1].result);
  summary.failed = 1;
  summary.first_failure = "twenty tries";
  const std::string text = written(study, Format::kTable);
  EXPECT_THAT(text, HasSubstr("zeus      2     3 of 3"));
  EXPECT_THAT(text, HasSubstr("thompson  1.5   2 of 3"));
  EXPECT_THAT(text, HasSubstr("policy thompson, beta 1.5: 1 of 3 seeds ended early: twenty tries"));
}

TEST(WriteReplayStudy, AFixedLimitIsNamed) {
  const JobTrace trace = trace_of_two();
  ReplayStudyReport study = study_on(trace);
  for (StudyRow& row : study.rows) {
    row.settings.policy.power_limit = PowerLimitRule::kFixed;
    row.settings.policy.fixed_limit_w = 120;
  }
  EXPECT_THAT(written(study, Format::kTable), HasSubstr("limits fixed at 120 W, mode"));
  EXPECT_THAT(written(study, Format::kCsv), HasSubstr("v100,d,zeus,fixed,120,paper,0.5,2,0,16,0.5,"
                                                      "scalelaw,0.95,12,3,0,13"));
}

TEST(WriteReplayGroups, AFailedDatasetHasNoTotals) {
  ReplayGroupsReport report;
  report.gpu = "v100";
  DatasetTotals chess;
  chess.dataset = "chess";
  chess.groups = 2;
  chess.failed = 2;
  report.totals = {chess};
  std::string table;
  write_replay_groups(report, {.format = Format::kMarkdown},
                      [&table](std::string_view part) { table += part; });
  EXPECT_THAT(table,
              HasSubstr("| chess   |      2 |      2 |           0 |    0 |      - |    - |"));
  std::string text;
  write_replay_groups(report, {.format = Format::kJson},
                      [&text](std::string_view part) { text += part; });
  EXPECT_TRUE(parse_json(text)["datasets"][0]["totals"]["energy_j"].is_null());
}

TEST(WriteReplayGroups, RunsNameTheirGroupAndSubmission) {
  ReplayGroupsReport report;
  report.gpu = "v100";
  GroupReplay group;
  group.group = {"g7", "squad", {{0, 10, 2}}};
  group.replay.history = {{1, 0, 0, 2, 2400, 16, 2800.5, true, true, Phase::kExploring}};
  group.batch_sizes = {32};
  group.limits_w = {175};
  GroupReplay failed;
  failed.group = {"g8", "chess", {}};
  failed.replay.failure = "no job";
  report.groups = {group, failed};
  std::string csv;
  write_replay_groups(report, {.format = Format::kCsv},
                      [&csv](std::string_view text) { csv += text; });
  EXPECT_EQ(csv,
            "group,dataset,submission,batch_size,power_limit,epochs,energy_j,time_s,cost,reached,"
            "profiling,phase\n"
            "g7,squad,1,32,175,2,2400,16,2800.5,true,true,exploring\n");
  std::string text;
  write_replay_groups(report, {.format = Format::kJson},
                      [&text](std::string_view part) { text += part; });
  const auto document = parse_json(text);
  EXPECT_EQ(document["groups"][1]["failure"], "no job");
  EXPECT_TRUE(document["groups"][1]["totals"]["cost"].is_null());
  EXPECT_EQ(document["groups"][0]["history"][0]["batch_size"], 32);
}

}  // namespace
}  // namespace scalelaw
