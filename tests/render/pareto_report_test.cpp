#include "scalelaw/render/pareto_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.hpp"

namespace scalelaw {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ParetoReport hand_made_pareto_report() {
  ParetoReport report;
  report.study.x = "gpus";
  report.study.y = "epoch_seconds";
  report.study.by = {"model"};
  report.knobs = {"cap", "n"};
  report.energy = "joules";
  report.max_power_from = "the greatest cap";
  report.options.max_power = 250;
  return report;
}

ParetoPoint point(const std::string& cap, double seconds, double joules) {
  ParetoPoint out{.knobs = {cap, "8"}, .n = 3, .gpus = 8, .seconds = seconds, .joules = joules};
  out.max_power = 250;
  out.frontier_share = 0.97;
  out.surely_dominated = false;
  out.time_saving = Saving{.estimate = 0, .ci = {}};
  out.energy_saving = Saving{.estimate = 0, .ci = {}};
  out.costs = {{.joules = 2e6, .saving = Saving{.estimate = 0, .ci = {}}, .optimum_share = 0.25}};
  return out;
}

/// 150 W is the optimum, 200 W is dominated, 250 W is the default.
Pareto hand_made_pareto() {
  Pareto pareto;
  pareto.points = {point("150", 1100, 1.5e6), point("200", 1200, 1.8e6), point("250", 1000, 2e6)};
  pareto.points[0].on_frontier = true;
  pareto.points[0].time_saving = Saving{.estimate = -0.1, .ci = Interval{-0.15, -0.05}};
  pareto.points[0].energy_saving = Saving{.estimate = 0.25, .ci = Interval{0.2, 0.3}};
  pareto.points[0].costs[0] = {.joules = 1.85e6,
                               .saving = Saving{.estimate = 0.075, .ci = Interval{0.01, 0.14}},
                               .optimum_share = 0.75};
  pareto.points[1].frontier_share = 0.004;
  pareto.points[1].surely_dominated = true;
  pareto.points[2].on_frontier = true;
  pareto.frontier = {2, 0};
  pareto.optima = {{0.5, 0, {{1000, 1.7e6}, {1200, 1.3e6}}}};
  pareto.ranges = {{2, 0, 0.25}, {0, 0.25, 1}};
  pareto.default_point = 2;
  pareto.reference = {1200, 2e6};
  pareto.hypervolume = 5e7;
  pareto.hypervolume_share = 0.5;
  pareto.outline = {{1100, 2e6}, {1100, 1.5e6}, {1200, 1.5e6}};
  pareto.dof = 6;
  pareto.sigma_time = 0.02;
  pareto.sigma_energy = 0.03;
  pareto.correlation = 0.9;
  return pareto;
}

/// The same runs without repetition and default.
Pareto without_replicates() {
  Pareto pareto = hand_made_pareto();
  for (ParetoPoint& one : pareto.points) {
    one.n = 1;
    one.frontier_share.reset();
    one.surely_dominated.reset();
    one.time_saving.reset();
    one.energy_saving.reset();
    one.costs[0].saving.reset();
    one.costs[0].optimum_share.reset();
  }
  pareto.default_point.reset();
  pareto.no_default = "no default was named";
  pareto.dof = 0;
  pareto.sigma_time.reset();
  pareto.sigma_energy.reset();
  pareto.correlation.reset();
  pareto.no_draws = "no point has a second run";
  return pareto;
}

std::string written_pareto(Format format, Pareto pareto = hand_made_pareto()) {
  const std::vector<GroupPareto> groups{{{"BERT"}, std::move(pareto)}};
  std::string text;
  write_groups(*make_pareto_writer(hand_made_pareto_report(), survey_of(groups), {.format = format},
                                   [&text](std::string_view piece) { text += piece; }),
               groups);
  return text;
}

TEST(ParetoSentences, SayHowManyAndWhatIsBest) {
  EXPECT_THAT(pareto_sentences(hand_made_pareto_report(), hand_made_pareto()),
              ElementsAre("2 of 3 points are on the frontier of time and energy",
                          "At eta 0.5, the weight of energy against time, the cost is least with "
                          "cap 150, n 8: 25.0 % less energy and "
                          "10.0 % more time than with cap 250, n 8; the cost falls by 7.50 % (95 % "
                          "interval of the saving: 1.00 to 14.0 %). It is the optimum in 75 % of "
                          "draws from the scatter of runs"));
  EXPECT_THAT(
      pareto_sentences(hand_made_pareto_report(), without_replicates()),
      ElementsAre(
          "2 of 3 points are on the frontier of time and energy",
          "At eta 0.5, the weight of energy against time, the cost is least with cap 150, n 8"));
}

TEST(ParetoSentences, AnOptimumThatIsTheDefault) {
  Pareto pareto = hand_made_pareto();
  pareto.optima[0].point = 2;
  EXPECT_EQ(pareto_sentences(hand_made_pareto_report(), pareto)[1],
            "At eta 0.5, the weight of energy against time, the cost is least with cap 250, n 8, "
            "the default. It is the optimum in "
            "25 % of draws from the scatter of runs");
}

TEST(WriteParetos, JsonHasTheContractsKeys) {
  const json document = parse_json(written_pareto(Format::kJson));
  EXPECT_EQ(document["schema"], "scalelaw.pareto/1");
  EXPECT_EQ(document["knobs"], json::array({"cap", "n"}));
  EXPECT_EQ(document["max_power_w"], 250);
  EXPECT_TRUE(document["power"].is_null());
  EXPECT_EQ(document["total_power"], false);
  const json& group = document["groups"].at(0);
  EXPECT_EQ(group["group"]["model"], "BERT");
  EXPECT_EQ(group["points"].at(0)["knobs"]["cap"], "150");
  EXPECT_EQ(group["points"].at(0)["max_power_w"], 250);
  EXPECT_EQ(group["points"].at(0)["energy_saving"]["ci"], json::array({0.2, 0.3}));
  EXPECT_EQ(group["points"].at(1)["surely_dominated"], true);
  EXPECT_EQ(group["points"].at(0)["costs"].at(0)["optimum_share"], 0.75);
  EXPECT_EQ(group["frontier"], json::array({2, 0}));
  EXPECT_EQ(group["default"], 2);
  EXPECT_EQ(group["optima"].at(0)["cost_saving"]["estimate"], 0.075);
  EXPECT_EQ(group["optima"].at(0)["line"].at(1), json::array({1200, 1.3e6}));
  EXPECT_EQ(group["eta_ranges"].at(1)["from"], 0.25);
  EXPECT_EQ(group["outline"].size(), 3U);
  EXPECT_EQ(group["reference"], json::array({1200, 2e6}));
  EXPECT_EQ(group["hypervolume_share"], 0.5);
  EXPECT_EQ(group["dof"], 6);
}

TEST(ParetoSentences, SayWhyAnOptimumLiesOffTheFrontier) {
  Pareto pareto = without_replicates();
  pareto.points[pareto.optima[0].point].on_frontier = false;
  EXPECT_THAT(
      pareto_sentences(hand_made_pareto_report(), pareto).back(),
      HasSubstr(". Points with more GPUs take less time and energy, yet cost more, because the "
                "cost counts every GPU for as long as it is held"));
}

TEST(WriteParetos, AGroupWithoutAFrontierHasARowItsReasonAndNoKnobs) {
  const std::vector<GroupPareto> groups{
      {{"BERT"}, hand_made_pareto()},
      {{"VGG"}, NoFit{FailureCode::kTooFewPoints, "no run has a time"}}};
  const auto write = [&groups](const TableStyle& style) {
    std::string text;
    write_groups(*make_pareto_writer(hand_made_pareto_report(), survey_of(groups), style,
                                     [&text](std::string_view piece) { text += piece; }),
                 groups);
    return text;
  };
  EXPECT_EQ(write({.format = Format::kCsv,
                   .columns = {"model", "cap", "status", "n", "code", "message"}}),
            "model,cap,status,n,code,message\n"
            "BERT,150,ok,3,,\n"
            "BERT,200,ok,3,,\n"
            "BERT,250,ok,3,,\n"
            "VGG,,failed,,too-few-points,no run has a time\n");
  EXPECT_THAT(write({.format = Format::kTable}),
              HasSubstr("model VGG has no frontier: no run has a time (too-few-points)"));
  const json document = parse_json(write({.format = Format::kJson}));
  EXPECT_EQ(document["groups"].size(), 1U);
  EXPECT_EQ(document["failed"].at(0)["code"], "too-few-points");
}

TEST(WriteParetos, WhatIsNotKnownIsNull) {
  const json group = parse_json(written_pareto(Format::kJsonl, without_replicates()));
  EXPECT_TRUE(group["points"].at(0)["frontier_share"].is_null());
  EXPECT_TRUE(group["points"].at(0)["surely_dominated"].is_null());
  EXPECT_TRUE(group["points"].at(0)["time_saving"].is_null());
  EXPECT_TRUE(group["default"].is_null());
  EXPECT_EQ(group["no_default"], "no default was named");
  EXPECT_EQ(group["no_draws"], "no point has a second run");
  EXPECT_TRUE(group["sigma_time"].is_null());
}

TEST(WriteParetos, CsvHasARowAPointAndEta) {
  const std::string text = written_pareto(Format::kCsv);
  EXPECT_THAT(text, StartsWith("model,cap,knob_n,status,n,gpus_of_run,time_s,energy_j,on_frontier,"
                               "frontier_share,surely_dominated,is_default,time_saving,"));
  EXPECT_THAT(text,
              HasSubstr("\nBERT,150,8,ok,3,8,1100,1500000,true,0.97,false,false,-0.1,-0.15,"
                        "-0.05,0.25,0.2,0.3,0.25,1,0.5,1850000,true,0.75,0.075,0.01,0.14,250,,\n"));
  EXPECT_THAT(
      written_pareto(Format::kCsv, without_replicates()),
      HasSubstr("\nBERT,200,8,ok,1,8,1200,1800000,false,,,,,,,,,,,,0.5,2000000,false,,,,,250,,\n"));
}

TEST(WriteParetos, TableShowsTheFrontierAndTheDefault) {
  const std::string text = written_pareto(Format::kTable);
  EXPECT_THAT(text, StartsWith("At eta 0.5, the weight of energy against time, the cost is least "
                               "with cap 150, n 8: 25.0 % less energy"));
  EXPECT_THAT(text, HasSubstr("\n\ntime: epoch_seconds, energy: joules, knobs: cap, n; cost = eta "
                              "energy + (1 - eta) 250 W x gpus time (MaxPower: the greatest cap)"
                              "\n"));
  EXPECT_THAT(text, HasSubstr("BERT   150       8     3  1100.0   1500000  +10.0 %  -25.0 %  "
                              "frontier                      0.5\n"));
  EXPECT_THAT(text, Not(HasSubstr("1200.0   1800000")));  // Dominated points get no row.
  const std::string full = written_pareto(Format::kMarkdown);
  EXPECT_THAT(full, HasSubstr("| frontier, default | 97.0 % |   0 .. 0.250 |"));
  EXPECT_THAT(full, HasSubstr("50.0 % of what one point with the least of both would have"));
  EXPECT_THAT(full, HasSubstr("scatter by 2.0 % in time and 3.0 % in energy (6 degrees"));
}

TEST(WriteParetos, TableWithoutReplicatesSaysSo) {
  const std::string text = written_pareto(Format::kTable, without_replicates());
  EXPECT_THAT(text, HasSubstr("cannot be told: no point has a second run"));
  EXPECT_THAT(text, Not(HasSubstr("share")));
  EXPECT_THAT(text, Not(HasSubstr("default")));
}

TEST(WriteParetos, EveryTableFormat) {
  EXPECT_THAT(written_pareto(Format::kMarkdown), HasSubstr("| BERT  |"));
  EXPECT_THAT(written_pareto(Format::kLatex), HasSubstr("\\begin{tabular}{l"));
  EXPECT_THAT(
      written_pareto(Format::kHtml),
      StartsWith(
          "<p>At eta 0.5, the weight of energy against time, the cost is least with cap 150, n 8"));
  EXPECT_THAT(written_pareto(Format::kTsv), StartsWith("model\tcap\tknob_n"));
}

}  // namespace
}  // namespace scalelaw
