#include "scalelaw/render/gate_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/json.hpp"

namespace scalelaw {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

GateReport hand_made_gate_report() {
  GateReport report;
  report.base = "base.json";
  report.current = "new.csv";
  report.x = "gpus";
  report.y = {"seconds"};
  report.by = {"model"};
  return report;
}

constexpr double kDof = 50;

/// A change with an interval from `lower` to `upper`.
GateChange change_between(double lower, double upper, double se) {
  return {{.estimate = (lower + upper) / 2, .se = se, .dof = kDof}, (upper - lower) / 2};
}

GateComparison slower_curve() {
  GateComparison curve{.figure = "curve", .x = 64};
  curve.base = {std::log(100), 0.01, kDof};
  curve.current = {std::log(112.5), 0.018, kDof};
  curve.change = change_between(0.0776, 0.158, 0.02);
  curve.less_is_better = true;
  curve.limit = std::log(1.05);
  curve.p_worse_holm = 0.0022;
  curve.p_better_holm = 1;
  curve.verdict = GateVerdict::kWorse;
  return curve;
}

GateComparison same_beta() {
  GateComparison beta{.figure = "beta"};
  beta.base = {0.8, 0.01, kDof};
  beta.current = {0.79, 0.01, kDof};
  beta.change = change_between(-0.038, 0.018, 0.014);
  beta.limit = 0.05;
  beta.p_worse_holm = 1;
  beta.p_better_holm = 1;
  beta.verdict = GateVerdict::kSame;
  return beta;
}

GateComparison undefined_curve() {
  GateComparison curve{.figure = "curve", .x = 64};
  curve.base.estimate = std::log(100);
  curve.current.estimate = std::log(90);
  curve.change.estimate = std::log(0.9);
  curve.less_is_better = true;
  curve.limit = std::log(1.05);
  curve.reason = "BASE has no degrees of freedom: 2 points for 2 parameters";
  return curve;
}

/// One worse group, one inconclusive, one missing and one new.
Gate hand_made_gate() {
  Gate gate;
  gate.family = 2;
  gate.groups = {{.y = "seconds",
                  .group = {"A"},
                  .verdict = GateVerdict::kWorse,
                  .comparisons = {same_beta(), slower_curve()}},
                 {.y = "seconds",
                  .group = {"B <\"&'>\n,"},
                  .verdict = GateVerdict::kInconclusive,
                  .comparisons = {undefined_curve()}},
                 {.y = "seconds",
                  .group = {"C"},
                  .verdict = GateVerdict::kMissing,
                  .reason = "NEW has no such group"},
                 {.y = "seconds",
                  .group = {"D"},
                  .verdict = GateVerdict::kNew,
                  .reason = "BASE has no such group"}};
  return gate;
}

std::string text_of(Format format, const GateReport& report = hand_made_gate_report(),
                    const Gate& gate = hand_made_gate()) {
  std::string text;
  write_gate(report, gate, {.format = format}, [&text](std::string_view piece) { text += piece; });
  return text;
}

TEST(WriteGate, TheSentenceCountsVerdicts) {
  EXPECT_EQ(gate_sentence(hand_made_gate_report(), hand_made_gate()),
            "failed: 1 of 4 groups is missing in NEW (model C), 1 is worse (model A), 1 is "
            "inconclusive, 1 is new");
}

TEST(WriteGate, ATableShowsChangeIntervalLimitAndVerdict) {
  const std::string text = text_of(Format::kTable);
  EXPECT_THAT(text, HasSubstr("A           beta      0.8000  0.7900    -0.010     -0.038 .. "
                              "+0.018  -0.05  same"));
  EXPECT_THAT(text, HasSubstr("64 GPUs    100.0   112.5  +12.50 %  +8.07 % .. +17.12 %   "
                              "+5 %  worse"));
  EXPECT_THAT(text, StartsWith("failed: 1 of 4 groups is missing"));
  EXPECT_THAT(text, HasSubstr("model C: missing: NEW has no such group"));
  EXPECT_THAT(text, Not(HasSubstr("Holm's adjustment")));
}

TEST(WriteGate, DetailsSayWhatVerdictsMean) {
  std::string text;
  write_gate(hand_made_gate_report(), hand_made_gate(), {.details = true},
             [&text](std::string_view piece) { text += piece; });
  EXPECT_THAT(text, HasSubstr("Holm's adjustment for 2 comparisons"));
}

TEST(WriteGate, SaysThatNothingIsShown) {
  Gate gate = hand_made_gate();
  gate.groups = {gate.groups[1]};
  EXPECT_THAT(
      gate_sentence(hand_made_gate_report(), gate),
      StartsWith("undecided: 1 of 1 group is inconclusive. Nothing could be judged: BASE has "
                 "no degrees of freedom"));
  GateComparison& curve = gate.groups[0].comparisons[0];
  curve.reason.reset();
  curve.change = {{.estimate = 0}, 0.1};
  EXPECT_THAT(gate_sentence(hand_made_gate_report(), gate),
              StartsWith("undecided: 1 of 1 group is inconclusive. Nothing is shown"));
  EXPECT_EQ(parse_json(text_of(Format::kJson, hand_made_gate_report(), gate))["outcome"],
            "undecided");
}

TEST(WriteGate, SaysWhatIsShownOfInconclusiveGroups) {
  Gate gate = hand_made_gate();
  gate.groups = {gate.groups[1], gate.groups[1]};
  for (GateGroup& group : gate.groups) {
    group.comparisons[0].change = change_between(-0.0527, 0.0074, 0.015);
    group.comparisons[0].reason.reset();
  }
  const GateReport report = hand_made_gate_report();
  EXPECT_EQ(gate_sentence(report, gate),
            "passed: 2 of 2 groups are not worse by more than the limit");
  EXPECT_THAT(text_of(Format::kTable, report, gate),
              AllOf(HasSubstr("not worse"), Not(HasSubstr("inconclusive"))));
  EXPECT_THAT(text_of(Format::kCsv, report, gate), Not(HasSubstr("not worse")));
  EXPECT_THAT(text_of(Format::kGithub, report, gate),
              HasSubstr(", not worse by more than the limit"));
  EXPECT_THAT(text_of(Format::kJson, report, gate), HasSubstr("\"within_limit\": true"));
  gate.groups[1].comparisons[0].change = {{.estimate = 0}, 0.1};
  EXPECT_EQ(
      gate_sentence(report, gate),
      "passed: 1 of 2 groups is inconclusive, 1 is not worse by more than the limit. Of an "
      "inconclusive group the runs show for sure neither that it is worse nor that it is not; "
      "--fail-on inconclusive fails it");
  GateReport strict = report;
  strict.fail_on = FailOn::kInconclusive;
  EXPECT_EQ(gate_sentence(strict, gate),
            "failed: 2 of 2 groups are inconclusive (1 of them not worse by more than the limit)");
}

TEST(WriteGate, SaysWhenOnlyAllGroupsTogetherTell) {
  Gate gate = hand_made_gate();
  gate.groups = {gate.groups[1]};
  SharedChange& shared = gate.shared.emplace_back(SharedChange{"seconds", 2, {}});
  shared.comparison = undefined_curve();
  shared.comparison.verdict = GateVerdict::kSame;
  EXPECT_EQ(
      gate_sentence(hand_made_gate_report(), gate),
      "passed: 1 of 1 group is inconclusive; the mean of all groups is the same within the limit");
}

/// The hand-made gate, and beside it a response of which one group is worse, or none.
Gate gate_of_two_responses(GateVerdict of_joules) {
  Gate gate = hand_made_gate();
  gate.groups = {gate.groups[1], gate.groups[0]};
  gate.groups[1].verdict = GateVerdict::kSame;
  for (GateGroup group : std::vector(gate.groups)) {
    group.y = "joules";
    if (group.verdict == GateVerdict::kSame) group.verdict = of_joules;
    gate.groups.push_back(std::move(group));
  }
  return gate;
}

GateReport report_of_two_responses() {
  GateReport report = hand_made_gate_report();
  report.y = {"seconds", "joules"};
  return report;
}

TEST(WriteGate, CountsTheGroupsOfEachResponse) {
  const GateReport report = report_of_two_responses();
  EXPECT_EQ(gate_sentence(report, gate_of_two_responses(GateVerdict::kWorse)),
            "failed: by joules, 1 of 2 groups is worse (model A), 1 is inconclusive; by seconds, "
            "1 of 2 groups is inconclusive, 1 is the same within the limit");
  EXPECT_THAT(gate_verdict(report, gate_of_two_responses(GateVerdict::kSame)),
              "passed: by seconds and by joules, 1 of 2 groups is inconclusive, 1 is the same "
              "within the limit");
}

TEST(WriteGate, NamesTheResponseOfAMean) {
  Gate gate = gate_of_two_responses(GateVerdict::kWorse);
  for (const auto& [y, verdict] :
       {std::pair("seconds", GateVerdict::kSame), std::pair("joules", GateVerdict::kWorse)}) {
    SharedChange& shared = gate.shared.emplace_back(SharedChange{y, 2, slower_curve()});
    shared.comparison.verdict = verdict;
  }
  EXPECT_THAT(gate_sentence(report_of_two_responses(), gate),
              AllOf(EndsWith("; by joules, the mean of all groups is worse"),
                    Not(HasSubstr("by seconds, the mean"))));
  for (GateGroup& group : gate.groups) group.verdict = GateVerdict::kInconclusive;
  for (SharedChange& shared : gate.shared) {
    shared.comparison = undefined_curve();
    shared.comparison.verdict = GateVerdict::kSame;
  }
  EXPECT_THAT(gate_sentence(report_of_two_responses(), gate),
              HasSubstr("; by seconds, the mean of all groups is the same within the limit; by "
                        "joules, the mean of all groups is the same within the limit"));
}

TEST(WriteGate, SeveralResponsesHaveATableEach) {
  std::string text;
  write_gate(report_of_two_responses(), gate_of_two_responses(GateVerdict::kWorse), {.width = 80},
             [&text](std::string_view piece) { text += piece; });
  const std::size_t seconds = text.find("\nBy seconds:\n\nmodel");
  const std::size_t joules = text.find("\nBy joules:\n\nmodel");
  ASSERT_LT(seconds, joules);
  ASSERT_LT(joules, text.size());
  EXPECT_THAT(text.substr(seconds, joules - seconds), HasSubstr("  64 GPUs  "));
  EXPECT_THAT(text.substr(joules), HasSubstr("  64 GPUs  "));
  EXPECT_THAT(text, Not(HasSubstr("beta of")));
  EXPECT_THAT(text_of(Format::kMarkdown, report_of_two_responses(),
                      gate_of_two_responses(GateVerdict::kWorse)),
              HasSubstr("| seconds at 64 GPUs |"));
}

TEST(WriteGate, CallsStandardInputByItsName) {
  GateReport report = hand_made_gate_report();
  report.current = "-";
  EXPECT_THAT(text_of(Format::kTable, report),
              HasSubstr("BASE is base.json, NEW is standard input."));
  EXPECT_EQ(parse_json(text_of(Format::kJson, report))["new"], "-");
}

TEST(WriteGate, SaysASlowdownThatIsShownWithinTheLimit) {
  Gate gate = hand_made_gate();
  gate.groups = {gate.groups[0]};
  gate.groups[0].verdict = GateVerdict::kSame;
  GateComparison& curve = gate.groups[0].comparisons[1];
  curve.verdict = GateVerdict::kSame;
  curve.change = change_between(std::log(1.008), std::log(1.034), 0.006);
  gate.shown_loss = ShownLoss{0, 1};
  GateReport report = hand_made_gate_report();
  EXPECT_EQ(
      gate_sentence(report, gate),
      "passed: 1 of 1 group is the same within the limit. Still, model A is slower by 2.1 % at "
      "64 GPUs (95 %: 0.8 to 3.4), within the limit of 5 %");
  gate.groups[0].y = "joules";
  EXPECT_THAT(gate_sentence(report, gate), HasSubstr("joules of model A is higher by 2.1 %"));
  gate.groups[0].verdict = curve.verdict = GateVerdict::kInconclusive;
  curve.change = change_between(std::log(1.008), std::log(1.06), 0.012);
  gate.groups[0].y = "seconds";
  report.by = {};
  EXPECT_THAT(gate_sentence(report, gate),
              AllOf(HasSubstr("NEW is slower by 3.4 % at 64 GPUs (95 %: 0.8 to 6.0), and the limit "
                              "of 5 % lies in this interval: more runs"),
                    Not(HasSubstr("Nothing is shown"))));
}

TEST(WriteGate, SaysByHowMuchARateIsLower) {
  Gate gate = hand_made_gate();
  gate.groups = {gate.groups[0]};
  gate.groups[0].verdict = GateVerdict::kSame;
  SharedChange& shared = gate.shared.emplace_back(SharedChange{"images_per_second", 3, {}});
  shared.comparison = slower_curve();
  shared.comparison.x = {};
  shared.comparison.verdict = GateVerdict::kSame;
  shared.comparison.less_is_better = false;
  shared.comparison.change = change_between(std::log(0.97), std::log(0.99), 0.005);
  EXPECT_THAT(
      gate_sentence(hand_made_gate_report(), gate),
      HasSubstr("images_per_second of the mean of all 3 groups is lower by 2.0 % (95 %: 1.0 "
                "to 3.0), within the limit of 4.762 %"));
}

TEST(WriteGate, MarksWhatLiesBeyondTheData) {
  Gate gate = hand_made_gate();
  gate.groups[0].comparisons[1].extrapolated = true;
  EXPECT_THAT(text_of(Format::kTable, hand_made_gate_report(), gate),
              HasSubstr("  64 GPUs (beyond data)"));
}

TEST(WriteGate, TellsTheLimitOfARateInBothWays) {
  Gate gate = hand_made_gate();
  EXPECT_THAT(text_of(Format::kMarkdown), HasSubstr("a group may be 5 % slower"));
  gate.groups[0].comparisons[1].less_is_better = false;
  EXPECT_THAT(text_of(Format::kMarkdown, hand_made_gate_report(), gate),
              HasSubstr("a group may take 5 % more time, so its rate may be 4.762 % lower"));
}

TEST(WriteGate, EveryFormatHasWhatAllGroupsShare) {
  Gate gate = hand_made_gate();
  SharedChange& shared = gate.shared.emplace_back(SharedChange{"seconds", 4, {}});
  shared.comparison = gate.groups[0].comparisons[1];
  EXPECT_THAT(gate_sentence(hand_made_gate_report(), gate),
              HasSubstr("; the mean of all groups is worse"));
  const std::string sentence =
      "The mean of all 4 groups: seconds changed by +12.50 % (95 % interval +8.07 % .. +17.12 %; "
      "limit "
      "+5 %): worse.";
  for (const Format format : {Format::kTable, Format::kMarkdown, Format::kJunit}) {
    EXPECT_THAT(text_of(format, hand_made_gate_report(), gate), HasSubstr(sentence));
  }
  EXPECT_THAT(text_of(Format::kJunit, hand_made_gate_report(), gate),
              HasSubstr("classname=\"all groups together\" name=\"seconds\""));
  const json document = parse_json(text_of(Format::kJson, hand_made_gate_report(), gate));
  EXPECT_EQ(document["shared"][0]["groups"], 4);
  EXPECT_EQ(document["shared"][0]["verdict"], "worse");
}

TEST(WriteGate, JsonHasEveryFigureAndNullForWhatIsUndefined) {
  const json document = parse_json(text_of(Format::kJson));
  EXPECT_EQ(document["schema"], "scalelaw.gate/1");
  EXPECT_EQ(document["failed"], true);
  EXPECT_EQ(document["counts"]["worse"], 1);
  EXPECT_EQ(document["multiplicity"], parse_json(R"({"method": "holm", "family": 2})"));
  const json& worse = document["groups"][0]["comparisons"][1];
  EXPECT_EQ(worse["x"], 64);
  EXPECT_NEAR(worse["ratio"]["ci"][0], 1.0807, 1e-4);
  EXPECT_NEAR(worse["ratio"]["ci"][1], 1.1712, 1e-4);
  EXPECT_EQ(worse["p_worse_holm"], 0.0022);
  EXPECT_EQ(worse["verdict"], "worse");
  const json& open = document["groups"][1]["comparisons"][0];
  EXPECT_TRUE(open["change"]["se"].is_null());
  EXPECT_TRUE(open["p_worse"].is_null());
  EXPECT_EQ(open["reason"], "BASE has no degrees of freedom: 2 points for 2 parameters");
  EXPECT_EQ(document["groups"][2]["verdict"], "missing");
}

TEST(WriteGate, CsvHasARowAComparisonAndOneForAGroupWithout) {
  const std::string text = text_of(Format::kCsv);
  EXPECT_THAT(text, StartsWith("model,y,figure,x,base,base_se,new,new_se,change,se,dof,ci_lower,"));
  EXPECT_THAT(text, HasSubstr("A,seconds,beta,,0.8,0.01,0.79,0.01,-0.01,0.014,50,"));
  EXPECT_THAT(text, HasSubstr(",missing,missing,NEW has no such group,,,,,,,,one-night\n"));
}

/// The gate with ten nights, whose scatter is known in one comparison.
Gate gate_of_nights() {
  Gate gate = hand_made_gate();
  gate.nights = 10;
  gate.groups[0].comparisons[1].nights = NightScatter{
      .nights = 10, .sd = 0.0191, .dof = 15.5, .own_sd = 0.02, .pooled_sd = 0.0191, .pooled = true};
  return gate;
}

TEST(WriteGate, SaysWhatNightsDifferBy) {
  const Gate gate = gate_of_nights();
  const std::string table = text_of(Format::kTable, hand_made_gate_report(), gate);
  EXPECT_THAT(table, HasSubstr("between nights"));
  EXPECT_THAT(table, ContainsRegex("\\+5 %  worse +1.9 %"));
  EXPECT_THAT(
      text_of(Format::kMarkdown, hand_made_gate_report(), gate),
      HasSubstr("BASE is 10 nights, and a change has to stand out from what nights differ"));
  EXPECT_THAT(text_of(Format::kCsv, hand_made_gate_report(), gate),
              HasSubstr(",worse,worse,,10,0.0191,15.5,0.02,0.0191,1,,\n"));
  EXPECT_THAT(text_of(Format::kJunit, hand_made_gate_report(), gate),
              HasSubstr("limit +5 %; between nights 1.9 %), p = 0.0022 after Holm"));
  const json document = json::parse(text_of(Format::kJson, hand_made_gate_report(), gate));
  EXPECT_EQ(document["nights"], 10);
  EXPECT_TRUE(document["groups"][0]["comparisons"][0]["nights"].is_null());
  EXPECT_EQ(document["groups"][0]["comparisons"][1]["nights"],
            json::parse(R"({"count": 10, "sd": 0.0191, "dof": 15.5, "own_sd": 0.02,
                            "pooled_sd": 0.0191, "pooled": true, "of_new": 1, "since": null})"));
}

TEST(WriteGate, SaysWhichChangeAnInconclusiveGateFinds) {
  Gate gate = gate_of_nights();
  GateComparison& curve = gate.groups[0].comparisons[1];
  const std::string all_shown = text_of(Format::kTable, hand_made_gate_report(), gate);
  EXPECT_THAT(all_shown, Not(HasSubstr("in four of five cases")));
  curve.verdict = GateVerdict::kInconclusive;
  const std::string sentence =
      "This gate finds slowdowns from about 12 % on in four of five cases, as nights "
      "differ by 1.9 %; more runs in one night hardly help, calmer nights do";
  EXPECT_THAT(text_of(Format::kTable, hand_made_gate_report(), gate), HasSubstr(sentence));
  EXPECT_THAT(text_of(Format::kJunit, hand_made_gate_report(), gate), HasSubstr(sentence));
  EXPECT_THAT(text_of(Format::kGithub, hand_made_gate_report(), gate),
              HasSubstr("::notice title=scalelaw gate::This gate finds slowdowns"));
  curve.change.se = 1;
  EXPECT_THAT(text_of(Format::kTable, hand_made_gate_report(), gate),
              HasSubstr("finds slowdowns from more than 100 % on in four of five cases"));
  curve.change.se = 0.02;
  NightScatter calm = *curve.nights;
  calm.sd = 0.005;
  curve.nights = calm;
  EXPECT_THAT(text_of(Format::kTable, hand_made_gate_report(), gate),
              HasSubstr("; more runs in each night help"));
}

TEST(WriteGate, ByOneNightBetterMayBeAnotherNight) {
  Gate gate = hand_made_gate();
  gate.groups[1].verdict = GateVerdict::kBetter;
  EXPECT_THAT(gate_sentence(hand_made_gate_report(), gate),
              HasSubstr("1 is better (or NEW merely had a fast night)"));
  EXPECT_THAT(text_of(Format::kMarkdown, hand_made_gate_report(), gate),
              HasSubstr("better: shown to have changed for the better, or another night"));
  gate.nights = 10;
  EXPECT_THAT(text_of(Format::kMarkdown, hand_made_gate_report(), gate),
              Not(HasSubstr("another night")));
}

TEST(WriteGate, NobodyRunsAtTheMiddle) {
  Gate gate = hand_made_gate();
  gate.groups[0].comparisons[1].x = std::sqrt(32.0);
  gate.groups[0].comparisons[1].is_middle = true;
  EXPECT_THAT(text_of(Format::kTable, hand_made_gate_report(), gate),
              AllOf(HasSubstr("  ~5.7 GPUs  "), HasSubstr("~ marks the middle of what both")));
  EXPECT_THAT(text_of(Format::kMarkdown, hand_made_gate_report(), gate),
              AllOf(HasSubstr("| at the middle (5.7 GPUs) |"), Not(HasSubstr("~"))));
  EXPECT_THAT(text_of(Format::kBenchmark, hand_made_gate_report(), gate),
              HasSubstr("seconds at gpus 5.65685"));
}

TEST(WriteGate, CsvHasTheCodesOfNights) {
  Gate gate = gate_of_nights();
  gate.nights = 4;
  gate.base_change =
      BaseChange{.since = "2026-11-09", .nights = 3, .y = {}, .group = {}, .figure = {}};
  EXPECT_THAT(text_of(Format::kCsv, hand_made_gate_report(), gate),
              HasSubstr(",few-nights;base-changed\n"));
}

TEST(WriteGate, EveryFormatHasTheWarningsOfTheGate) {
  GateReport report = hand_made_gate_report();
  report.warnings = {"one-night: BASE is one night"};
  for (const Format format :
       {Format::kTable, Format::kJson, Format::kMarkdown, Format::kJunit, Format::kGithub}) {
    EXPECT_THAT(text_of(format, report), HasSubstr("one-night: BASE is one night"));
  }
  EXPECT_THAT(text_of(Format::kCsv, report), HasSubstr(",warnings\n"));
}

TEST(WriteGate, AGroupColumnNeverBearsTheNameOfAResult) {
  GateReport report = hand_made_gate_report();
  report.by = {"verdict"};
  EXPECT_THAT(text_of(Format::kCsv, report), StartsWith("group_group_verdict,y,figure,"));
  EXPECT_THAT(text_of(Format::kTable, report), HasSubstr("\ngroup_group_verdict  compared "));
}

TEST(WriteGate, TakesChosenColumns) {
  std::string text;
  write_gate(hand_made_gate_report(), hand_made_gate(),
             {.format = Format::kCsv, .columns = {"model", "figure", "p_worse", "group_verdict"}},
             [&text](std::string_view piece) { text += piece; });
  EXPECT_THAT(text, StartsWith("model,figure,p_worse,group_verdict\nA,beta,1,worse\n"));
}

TEST(WriteGate, MarkdownShowsOnlyWhatIsNotTheSame) {
  const std::string text = text_of(Format::kMarkdown);
  EXPECT_THAT(text, StartsWith("**scalelaw gate failed: 1 of 4 groups is missing"));
  EXPECT_THAT(text, HasSubstr("| A "));
  EXPECT_THAT(text, HasSubstr("| worse "));
  EXPECT_THAT(text, Not(HasSubstr("| same ")));
}

TEST(WriteGate, JunitHasACaseAComparison) {
  const std::string text = text_of(Format::kJunit);
  EXPECT_THAT(text, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "));
  EXPECT_THAT(text, HasSubstr("tests=\"5\" failures=\"2\" errors=\"0\" skipped=\"2\" time=\"0\""));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"model A\" name=\"seconds at 64 GPUs\" "
                              "time=\"0\">\n      <failure type=\"worse\" message=\"worse: +12.50 "
                              "% (95 % interval +8.07 % .. +17.12 %; limit +5 %), p = 0.0022 "
                              "after Holm\">"));
  EXPECT_THAT(text, HasSubstr("classname=\"model B &lt;&quot;&amp;&apos;&gt;\\n,\""));
  EXPECT_THAT(text, HasSubstr("<skipped message=\"inconclusive: BASE has no degrees"));
  EXPECT_THAT(text, HasSubstr("<failure type=\"missing\" message=\"missing: NEW has no such"));
}

TEST(WriteGate, JunitFailsOnInconclusiveIfAsked) {
  GateReport report = hand_made_gate_report();
  report.fail_on = FailOn::kInconclusive;
  EXPECT_THAT(text_of(Format::kJunit, report), HasSubstr("failures=\"3\" errors=\"0\" "
                                                         "skipped=\"1\""));
}

TEST(WriteGate, NamesThatXmlForbidsAreMadeVisible) {
  Gate gate = hand_made_gate();
  gate.groups[0].group = {"\x01\xEF\xBF\xBF\xFF"};
  const std::string text = text_of(Format::kJunit, hand_made_gate_report(), gate);
  EXPECT_THAT(text, HasSubstr("classname=\"model \\x01\\uffff\xEF\xBF\xBD\""));
}

TEST(WriteGate, GithubAnnotationsAreEscaped) {
  const std::string text = text_of(Format::kGithub);
  EXPECT_THAT(text, StartsWith("::error title=scalelaw gate::failed: 1 of 4 groups is missing"));
  EXPECT_THAT(text, HasSubstr("::error title=scalelaw gate%3A worse::model A: seconds at 64 GPUs: "
                              "+12.50 %25 (95 %25 interval"));
  EXPECT_THAT(text,
              HasSubstr("::warning title=scalelaw gate%3A inconclusive::model B <\"&'>\\n,: "));
  EXPECT_THAT(text, HasSubstr("::error title=scalelaw gate%3A missing::model C: fit of seconds: "));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

TEST(WriteGate, BenchmarkJsonHasWhatTheActionReads) {
  const json entries = parse_json(text_of(Format::kBenchmark));
  ASSERT_EQ(entries.size(), 2);
  EXPECT_EQ(entries[0]["name"], "model A: seconds at gpus 64");
  EXPECT_EQ(entries[0]["unit"], "seconds");
  EXPECT_DOUBLE_EQ(entries[0]["value"], 112.5);
  EXPECT_EQ(entries[0]["range"], "± 4.07");
  EXPECT_THAT(entries[0]["extra"].get<std::string>(), StartsWith("worse: +12.50 %"));
  EXPECT_FALSE(entries[1].contains("range"));
}

}  // namespace
}  // namespace scalelaw
