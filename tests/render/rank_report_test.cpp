#include "scalelaw/render/rank_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "render/hand_made_fit.hpp"
#include "render/rank_verdict.hpp"
#include "scalelaw/base/error.hpp"
#include "support/json.hpp"

namespace scalelaw {
namespace {

std::string render_rankings(const RankReport& report, std::span<const GroupRanking> rankings,
                            const TableStyle& style = {}) {
  std::string text;
  write_groups(*make_rank_writer(report, style, [&text](std::string_view piece) { text += piece; }),
               rankings);
  return text;
}

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

RankReport report_of_two_laws() {
  RankReport report;
  report.inputs = {"runs.csv"};
  report.x = "gpus";
  report.y = "seconds";
  report.by = {"model"};
  report.options.laws = {find_law("power"), find_law("floor")};
  return report;
}

/// Power leads floor, and every test is present.
Ranking hand_made_ranking() {
  Ranking ranking;
  ranking.n = 12;
  ranking.distinct_x = 6;
  ranking.x_min = 1;
  ranking.x_max = 32;
  Fit power = hand_made_fit();
  power.rss = 0.25;
  Fit floor = hand_made_fit();
  floor.law = find_law("floor");
  Parameter gamma;
  gamma.name = "gamma";
  gamma.estimate = 2.5;
  gamma.ci = Interval{0, std::numeric_limits<double>::infinity()};
  floor.parameters.push_back(gamma);
  ranking.laws = {
      {.law = find_law("power"), .result = power, .k = 3, .aicc = -10, .delta = 0, .weight = 0.75},
      {.law = find_law("floor"),
       .result = floor,
       .k = 4,
       .aicc = -7.5,
       .delta = 2.5,
       .weight = 0.25}};
  ranking.best = find_law("power");
  ranking.power_vs_lognormal = CurvatureTest{2, 1, 9, 0.19, 0.03125};
  ranking.errors = ErrorsTest{10, 15, Errors::kLognormal};
  ranking.power_vs_floor = NestedTest{0.5, 0.25, 80};
  ranking.power_vs_broken = NestedTest{6, 0.0625};
  ranking.power_vs_any = DepartureTest{0.125, 3};
  ranking.holdout = HoldOut{
      .x = 32,
      .n = 2,
      .laws = {{find_law("floor"), -0.125, std::nullopt}, {find_law("power"), 0.25, false}}};
  ranking.stability.leave_one_out = {{2, 32, 1.0, 0.5, 0.125}};
  ranking.stability.local = {{1, 2, std::nullopt, 0.75, std::nullopt}};
  ranking.sentence = "power it is.";
  return ranking;
}

/// No law could be fitted.
Ranking empty_ranking() {
  Ranking ranking;
  ranking.n = 3;
  ranking.distinct_x = 1;
  ranking.x_min = ranking.x_max = 4;
  const NoFit failure{FailureCode::kTooFewX, "all 3 points lie at 1 value of x"};
  ranking.laws = {{.law = find_law("power"), .result = failure, .k = 3},
                  {.law = find_law("floor"), .result = failure, .k = 4}};
  ranking.sentence = "No law.";
  return ranking;
}

std::string written_rank(Format format, std::vector<std::string> columns = {}) {
  const std::vector<GroupRanking> groups{{{"BERT"}, hand_made_ranking()},
                                         {{"VGG"}, empty_ranking()}};
  return render_rankings(report_of_two_laws(), groups,
                         {.format = format, .columns = std::move(columns)});
}

TEST(WriteRankings, JsonHasTheContractsKeys) {
  const json document = parse_json(written_rank(Format::kJson));
  EXPECT_EQ(document["schema"], "scalelaw.rank/1");
  EXPECT_EQ(document["laws"], json::array({"power", "floor"}));
  EXPECT_EQ(document["response"], "time");
  EXPECT_EQ(document["confidence"], 0.95);
  EXPECT_EQ(document["resamples"], 999);
  EXPECT_EQ(document["seed"], 1);
  const json& group = document["groups"].at(0);
  EXPECT_EQ(group["group"]["model"], "BERT");
  EXPECT_EQ(group["best"], "power");
  EXPECT_EQ(group["undecided"], json::array());
  const json& law = group["laws"].at(0);
  EXPECT_EQ(law["law"], "power");
  EXPECT_EQ(law["converged"], true);
  EXPECT_EQ(law["k"], 3);
  EXPECT_EQ(law["aicc"], -10);
  EXPECT_EQ(law["weight"], 0.75);
  EXPECT_EQ(law["rss"], 0.25);
  EXPECT_EQ(law["rmse"], 12.5);
  EXPECT_EQ(law["mape"], 0.04);
  EXPECT_EQ(law["parameters"]["beta"]["ci"], json::array({0.85, 0.9}));
  EXPECT_EQ(group["laws"].at(1)["parameters"]["gamma"]["ci"], json::array({0, nullptr}));
}

TEST(WriteRankings, JsonHasTestsHoldOutAndStability) {
  const json group = parse_json(written_rank(Format::kJson))["groups"].at(0);
  const json& tests = group["tests"];
  EXPECT_EQ(tests["power_vs_lognormal"],
            parse_json(R"({"f": 2, "df1": 1, "df2": 9, "p": 0.19, "curvature": 0.03125})"));
  EXPECT_EQ(tests["errors"], parse_json(R"({"aicc_lognormal": 10, "aicc_normal": 15,
                                             "verdict": "lognormal"})"));
  EXPECT_EQ(tests["power_vs_floor"], parse_json(R"({"statistic": 0.5, "p": 0.25,
                                     "method": "parametric-bootstrap", "resamples": 80})"));
  EXPECT_EQ(tests["power_vs_broken"],
            json::parse(R"({"statistic": 6, "p": 0.0625, "method": "tube", "resamples": 0})"));
  EXPECT_EQ(tests["power_vs_any"],
            json::parse(R"({"p": 0.125, "method": "harmonic-mean", "tests": 3})"));
  EXPECT_EQ(group["holdout"]["x"], 32);
  EXPECT_EQ(group["holdout"]["laws"].at(0),
            parse_json(R"({"law": "floor", "log_error": -0.125, "inside": null})"));
  EXPECT_EQ(group["holdout"]["laws"].at(1)["inside"], false);
  EXPECT_EQ(group["stability"]["leave_one_out"].at(0)["left_out"], 1);
  EXPECT_EQ(group["stability"]["local"].at(0),
            parse_json(R"({"x_min": 1, "x_max": 2, "beta": 0.75, "se": null})"));
  EXPECT_EQ(group["sentence"], "power it is.");
}

TEST(WriteRankings, WhatIsUndefinedIsNull) {
  const json group = parse_json(written_rank(Format::kJson))["groups"].at(1);
  EXPECT_TRUE(group["best"].is_null());
  EXPECT_EQ(group["laws"].at(0)["converged"], false);
  EXPECT_TRUE(group["laws"].at(0)["aicc"].is_null());
  EXPECT_EQ(group["laws"].at(0)["code"], "too-few-x");
  for (const auto& [name, test] : group["tests"].items()) EXPECT_TRUE(test.is_null()) << name;
  EXPECT_TRUE(group["holdout"].is_null());
}

TEST(WriteRankings, JsonLinesHaveAGroupEach) {
  const std::string text = written_rank(Format::kJsonl);
  const std::size_t end = text.find('\n');
  EXPECT_EQ(parse_json(text.substr(0, end))["group"]["model"], "BERT");
  EXPECT_EQ(parse_json(text.substr(end + 1))["group"]["model"], "VGG");
}

TEST(WriteRankings, CsvHasARowALaw) {
  const std::string text = written_rank(Format::kCsv);
  EXPECT_THAT(
      text,
      StartsWith("model,n,distinct_x,x_min,x_max,place,law,status,k,rss,aicc,delta,weight,"
                 "rmse,mape,best,undecided,curvature,curvature_p,floor_p,break_p,any_p,errors,"
                 "holdout_x,holdout_log_error,holdout_inside,code,message,sentence\n"));
  EXPECT_THAT(text,
              HasSubstr("\nBERT,12,6,1,32,1,power,ok,3,0.25,-10,0,0.75,12.5,0.04,power,,"
                        "0.03125,0.19,0.25,0.0625,0.125,lognormal,32,0.25,false,,,power it is.\n"));
  EXPECT_THAT(text, HasSubstr("\nVGG,3,1,4,4,2,floor,failed,4,,,,,,,,,,,,,,,,,,too-few-x,all 3 "
                              "points lie at 1 value of x,No law.\n"));
}

TEST(WriteRankings, CsvTakesChosenColumns) {
  EXPECT_EQ(written_rank(Format::kTsv, {"law", "model"}),
            "law\tmodel\npower\tBERT\nfloor\tBERT\npower\tVGG\nfloor\tVGG\n");
  EXPECT_EQ(written_rank(Format::kCsv, {"floor_p"}), "floor_p\n0.25\n0.25\n\"\"\n\"\"\n");
  try {
    written_rank(Format::kCsv, {"wieght"});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no column 'wieght' (did you mean 'weight'?)"));
  }
}

TEST(WriteRankings, TablesTakeChosenColumns) {
  EXPECT_THAT(written_rank(Format::kMarkdown, {"model", "best", "floor", "held_out"}),
              HasSubstr("\n\n| model | best  | floor |          held_out |\n"));
}

TEST(WriteRankings, AGroupColumnNamedLikeAFigureKeepsBoth) {
  RankReport report = report_of_two_laws();
  report.by = {"law"};
  const std::vector<GroupRanking> groups{{{"mine"}, hand_made_ranking()}};
  EXPECT_EQ(
      render_rankings(report, groups, {.format = Format::kCsv, .columns = {"group_law", "law"}}),
      "group_law,law\nmine,power\nmine,floor\n");
}

TEST(WriteRankings, TableHasARowAGroupAndItsSentence) {
  const std::string text = written_rank(Format::kTable);
  EXPECT_THAT(text,
              StartsWith("The runs of 1 of 2 groups follow a power law. 1 group has too few runs "
                         "to tell.\n\nx: gpus, y: seconds\n"));
  EXPECT_THAT(text, HasSubstr("BERT   12  power     follows      +28.4 % (power) !\n"));
  EXPECT_THAT(text, HasSubstr("VGG     3  -         -                            -\n"));
  EXPECT_THAT(text,
              HasSubstr("\nmodel BERT: The runs follow a power law. Fitted without 32 GPUs, the "
                        "power law misses the runs there by 28 %, more than was to be "
                        "expected.\nmodel VGG: No law."));
  EXPECT_THAT(written_rank(Format::kMarkdown), HasSubstr("power it is."));
}

TEST(WriteRankings, TableNeverPrintsEndlessOrNegativeZeroPercents) {
  Ranking ranking = hand_made_ranking();
  const auto table = [&](double log_error) {
    ranking.holdout->laws[1].log_error = log_error;
    return render_rankings(report_of_two_laws(), std::vector<GroupRanking>{{{"BERT"}, ranking}});
  };
  EXPECT_THAT(table(800), HasSubstr("> 1000 % (power) !"));
  EXPECT_THAT(table(-800), HasSubstr("-100.0 % (power) !"));
  EXPECT_THAT(table(-1e-16), HasSubstr("+0.0 % (power) !"));
}

TEST(WriteRankings, MoreThanTwentyFourSentencesAreCounted) {
  const std::vector<GroupRanking> groups(30, {{"BERT"}, hand_made_ranking()});
  EXPECT_THAT(render_rankings(report_of_two_laws(), groups),
              HasSubstr("6 more groups; --format csv or json has their sentences"));
}

TEST(WriteRankings, TheAnswerNamesGroupsThatContradictThePowerLaw) {
  Ranking bent = hand_made_ranking();
  bent.power_vs_any = DepartureTest{.p = 0.01, .tests = 3};
  bent.corrected.departure = CorrectedP{.p = 0.02, .tests = 2};
  const std::vector<GroupRanking> groups{{{"BERT"}, hand_made_ranking()}, {{"VGG"}, bent}};
  EXPECT_THAT(render_rankings(report_of_two_laws(), groups),
              StartsWith("The runs of 1 of 2 groups follow a power law. 1 group contradicts it: "
                         "VGG.\n"));
}

TEST(WriteRankings, TheAnswerCountsGroupsThatAnotherLawDescribesAsWell) {
  Ranking tied = hand_made_ranking();
  tied.best = nullptr;
  tied.undecided = {find_law("power"), find_law("floor")};
  const std::vector<GroupRanking> groups{{{"BERT"}, hand_made_ranking()}, {{"VGG"}, tied}};
  EXPECT_THAT(render_rankings(report_of_two_laws(), groups),
              StartsWith("The runs of 2 of 2 groups follow a power law, 1 of them another law as "
                         "well.\n"));
}

TEST(WriteRankings, TheAnswerTellsOfSmallPThatTheCorrectionTakesBack) {
  Ranking chance = hand_made_ranking();
  chance.power_vs_any = DepartureTest{.p = 0.03, .tests = 3};
  chance.corrected.departure = CorrectedP{.p = 0.06, .tests = 2};
  const std::vector<GroupRanking> groups{{{"BERT"}, hand_made_ranking()}, {{"VGG"}, chance}};
  EXPECT_THAT(render_rankings(report_of_two_laws(), groups),
              StartsWith("The runs of 2 of 2 groups follow a power law. The test against the "
                         "power law has p < 0.05 in 1 of 2 groups, but"));
}

TEST(WriteRankings, NoPowerLawIsFollowedWhereItsFitLacksOrTwoScalesCannotTell) {
  Ranking uneven = hand_made_ranking();
  uneven.corrected.lack_of_fit = CorrectedP{.p = 0.0096, .tests = 1};
  EXPECT_THAT(render_rankings(report_of_two_laws(), std::vector<GroupRanking>{{{"A"}, uneven}}),
              StartsWith("The runs do not follow a power law closely: their means lie further from "
                         "it than repeated runs scatter (p = 0.0096)."));
  uneven.corrected.lack_of_fit->p = 0.026;
  EXPECT_EQ(verdict_words(uneven), "power law");
  Ranking two = hand_made_ranking();
  two.distinct_x = 2;
  EXPECT_THAT(render_rankings(report_of_two_laws(), std::vector<GroupRanking>{{{"A"}, two}}),
              StartsWith("2 numbers of GPUs cannot tell whether the runs follow a power law"));
}

TEST(RankVerdict, HasTheSameWordsInTablesAndSentences) {
  Ranking ranking = hand_made_ranking();
  EXPECT_EQ(verdict_words(ranking), "power law");
  ranking.best = nullptr;
  ranking.undecided = {find_law("power"), find_law("floor")};
  EXPECT_EQ(verdict_words(ranking), "power law or floor");
  EXPECT_EQ(rank_verdict(ranking, "gpus").front(),
            "The runs follow a power law; a floor describes them as well.");
  ranking.undecided = {find_law("lognormal"), find_law("broken"), find_law("power")};
  EXPECT_EQ(verdict_words(ranking), "power law, lognormal or broken");
  ranking.undecided = {find_law("lognormal"), find_law("broken")};
  ranking.corrected.departure = CorrectedP{.p = 0.41, .tests = 16};
  EXPECT_EQ(verdict_words(ranking), "lognormal or broken; power law not excluded");
  EXPECT_EQ(rank_verdict(ranking, "gpus").front(),
            "The runs are described better by a bend (lognormal) or a break than by a plain power "
            "law, which the tests do not exclude (p = 0.41, corrected for 16 tests).");
  ranking.corrected.departure->p = 0.01;
  EXPECT_EQ(verdict_words(ranking), "no power law: lognormal or broken");
  ranking.distinct_x = 2;
  EXPECT_EQ(verdict_words(ranking), "too few runs to tell");
}

TEST(WriteRankings, EveryTableFormat) {
  EXPECT_THAT(written_rank(Format::kMarkdown), HasSubstr("| BERT  |"));
  EXPECT_THAT(written_rank(Format::kLatex), HasSubstr("\\begin{tabular}{lrllrrrrrrlr}"));
  EXPECT_THAT(written_rank(Format::kHtml),
              HasSubstr("<li>model BERT: The runs follow a power law."));
}

}  // namespace
}  // namespace scalelaw
