#include "scalelaw/render/caps_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/json.hpp"

namespace scalelaw {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

RelativeMean ratio_of(double ratio, double lower, double upper) {
  RelativeMean out;
  out.ratio = ratio;
  out.ci = Interval{lower, upper};
  out.joint_ci = Interval{lower - 0.01, upper + 0.01};
  out.log_ratio.se = 0.01;
  out.log_ratio.dof = 12.5;
  return out;
}

RelativeSetting setting_200() {
  RelativeSetting setting;
  setting.setting = "200";
  setting.n = 6;
  setting.reference_n = 6;
  setting.scales = 2;
  setting.time = ratio_of(1.012, 1.008, 1.016);
  setting.speed = ratio_of(0.988, 0.984, 0.992);
  setting.energy = ratio_of(0.89, 0.87, 0.91);
  setting.evidence = RatioEvidence::kOwn;
  setting.within_bound = true;
  return setting;
}

Caps hand_made_caps() {
  RelativeSetting slow = setting_200();
  slow.setting = "100";
  slow.time = ratio_of(1.4, 1.35, 1.45);
  slow.energy = ratio_of(0.6, 0.58, 0.62);
  slow.within_bound = false;
  Caps caps;
  caps.n = 18;
  caps.reference = "250";
  caps.overall.over = {2, 4};
  caps.overall.settings = {slow, setting_200()};
  caps.overall.least_energy = "100";
  caps.overall.recommended = {"200", false, true, true};
  caps.overall.reference_n = 6;
  caps.overall.advice = advice_of(caps.overall, {}, "250");
  SettingComparison at_two = caps.overall;
  at_two.x = 2;
  at_two.over = {2};
  at_two.reference_seconds = 100;
  at_two.reference_joules = 24000;
  caps.scales = {at_two, at_two};
  SettingTrend trend{"100", 3, {}, {}};
  trend.time.estimate = -0.031;
  trend.time.se = 0.004;
  trend.time.p = 0.002;
  caps.trends = {trend};
  return caps;
}

CapsReport hand_made_caps_report() {
  CapsReport report;
  report.study.x = "gpus";
  report.study.y = "seconds";
  report.study.by = {"model"};
  report.setting = "cap";
  report.energy = "energy_j";
  report.options.reference = "250";
  report.summary.groups = 5;
  report.summary.settings = {
      {"200", 5, 0, 3, ratio_of(1.012, 1.008, 1.016), ratio_of(0.89, 0.87, 0.91)},
      {"250", 5, 5, 2, {}, {}}};
  report.summary.settings[0].time_where_chosen = 1.011;
  report.summary.settings[0].energy_where_chosen = 0.85;
  report.summary.settings[1].kept_in = 2;
  return report;
}

SettingCurves hand_made_curves() {
  SettingCurves curves;
  curves.x = 4;
  curves.time.at = {100, 150};
  curves.time.counts = {1, 1};
  curves.time.value = {1.5, 1.25};
  curves.time.ci = {Interval{1.4, 1.6}, std::nullopt};
  curves.energy = curves.time;
  curves.joules_per_second = {12.5, std::nullopt};
  SettingOptimum least;
  least.trade = 0;
  least.minimum = {.setting = 122.5,
                   .at_edge = SweepEnd::kNone,
                   .level = 125,
                   .ci = Interval{-std::numeric_limits<double>::infinity(), 138}};
  least.time_ratio = 1.24;
  least.energy_ratio = 0.73;
  SettingOptimum edge;
  edge.criterion = CurveCriterion::kZeus;
  edge.trade = 250;
  edge.minimum = {.setting = {}, .at_edge = SweepEnd::kUpper, .level = 250, .ci = {}};
  curves.optima = {least, edge};
  return curves;
}

std::string written_caps(const CapsReport& report, const std::vector<GroupCaps>& groups,
                         Format format) {
  std::string out;
  write_groups(
      *make_caps_writer(report, {.format = format}, [&out](std::string_view text) { out += text; }),
      groups);
  return out;
}

std::vector<GroupCaps> two_groups() {
  Caps caps = hand_made_caps();
  caps.curves = {hand_made_curves()};
  return {{{"BERT"}, caps}, {{"VGG"}, NoFit{FailureCode::kTooFewLevels, "only one setting, 250"}}};
}

TEST(CapsSentence, SaysWhatIsSavedAndWhatItCosts) {
  EXPECT_EQ(
      caps_sentence(hand_made_caps_report(), hand_made_caps()),
      "At cap 200, runs take 11 % less energy (95 %: 9.0 to 13) for 1.2 % more time (95 %: "
      "0.80 to 1.6), also after a correction for the choice among 2 settings; the least energy is "
      "at cap 100: 40 % less energy (95 %: 38 to 42) for 40 % more time (95 %: 35 to 45)");
}

/// vit should run at 200, llama stays at 250.
CapsReport report_of_two_groups() {
  CapsReport report = hand_made_caps_report();
  report.summary.groups = 2;
  SettingSummary& chosen = report.summary.settings[0];
  chosen.groups = 2;
  chosen.recommended_in = 1;
  chosen.pair = {{{"llama"}, 1.30, 0.49}, {{"vit"}, 1.031, 0.57}};
  chosen.time_where_chosen = 1.031;
  chosen.energy_where_chosen = 0.57;
  SettingSummary& kept = report.summary.settings[1];
  kept.groups = kept.reference_in = 2;
  kept.recommended_in = kept.kept_in = 1;
  report.summary.choices = {{{{"llama"}}, {"250", true, false, {}}},
                            {{{"vit"}, 1.031, 0.57}, {"200", false, true, true}}};
  return report;
}

TEST(CapsSummarySentence, OfFewGroupsNamesEachWithItsSetting) {
  CapsReport report = report_of_two_groups();
  EXPECT_EQ(caps_summary_sentence(report),
            "llama: stay at cap 250; vit: cap 200, 43 % less energy for 3.1 % more time");
  report.summary.choices[1].recommended.saving_shown = false;
  EXPECT_THAT(caps_summary_sentence(report), HasSubstr("more time (the saving is not shown)"));
}

TEST(CapsSettingSentence, OfTwoGroupsSaysWhichOneHasWhat) {
  const CapsReport report = report_of_two_groups();
  EXPECT_EQ(caps_setting_sentence(report, report.summary.settings[0]),
            "cap 200: 11 % less energy (llama: 51 % less, vit: 43 % less) for 1.2 % more time "
            "(llama: 30 % more, vit: 3.1 % more); best in 1 of 2");
}

TEST(CapsSentence, SaysWhenNothingIsRecommendedOrShown) {
  Caps caps = hand_made_caps();
  caps.overall.recommended = {"250", true, true, {}};
  EXPECT_THAT(caps_sentence(hand_made_caps_report(), caps),
              StartsWith("Stay at cap 250: no other setting is shown to save energy for "
                         "at most 5 % more time; the least energy is at cap 100"));
  caps.overall.settings[1].time = ratio_of(1.033, 1.02, 1.052);
  caps.overall.settings[1].within_bound = false;
  caps.overall.advice = advice_of(caps.overall, {}, "250");
  EXPECT_THAT(caps_sentence(hand_made_caps_report(), caps),
              HasSubstr("at most 5 % more time. Cap 200 saves 11 % of energy for 3.3 % more time, "
                        "but may take up to 5.2 % more: it is not shown to stay within 5 %. The "
                        "least energy is at cap 100"));
  caps = hand_made_caps();
  caps.overall.recommended.saving_shown = false;
  caps.overall.settings[1].energy = ratio_of(0.98, 0.94, 1.01);
  EXPECT_THAT(caps_sentence(hand_made_caps_report(), caps),
              HasSubstr("; that it saves energy is not shown;"));
}

TEST(CapsSentence, SaysWhatTheChoiceAmongSettingsCosts) {
  Caps caps = hand_made_caps();
  caps.overall.recommended.saving_shown = false;
  RelativeSetting& setting = caps.overall.settings[1];
  setting.evidence = RatioEvidence::kOwn;
  setting.energy = ratio_of(0.95, 0.92, 0.99);
  setting.energy.joint_ci = Interval{0.90, 1.02};
  EXPECT_THAT(caps_sentence(hand_made_caps_report(), caps),
              HasSubstr("; that it saves energy is not shown once the choice among 2 settings is "
                        "allowed for (95 %: 10 % less to 2.0 % more), as few runs tell little of "
                        "the scatter at each setting; --pool scatter takes one for all"));
}

TEST(CapsSentence, SaysWhatSingleRunsRestOn) {
  Caps caps = hand_made_caps();
  RelativeSetting& setting = caps.overall.settings[1];
  setting.evidence = RatioEvidence::kPaired;
  EXPECT_THAT(caps_sentence(hand_made_caps_report(), caps),
              HasSubstr("; few repeated runs: intervals from the scatter of the ratios over gpus"));
  setting.n = setting.reference_n = setting.scales;
  EXPECT_THAT(caps_sentence(hand_made_caps_report(), caps),
              HasSubstr("; single runs: intervals from the scatter of the ratios over gpus"));
  setting.evidence = RatioEvidence::kNone;
  setting.energy.ci.reset();
  setting.time.ci.reset();
  caps.overall.recommended = {"200", false, false, {}};
  EXPECT_THAT(caps_sentence(hand_made_caps_report(), caps),
              StartsWith("At cap 200, runs take 11 % less energy for 1.2 % more time; single runs, "
                         "or runs without "
                         "scatter: no interval"));
}

TEST(CapsSummarySentence, OfManyGroupsAveragesOverThoseThatShouldChange) {
  CapsReport report = hand_made_caps_report();
  EXPECT_EQ(caps_summary_sentence(report),
            "3 of 5 groups do best at cap 200: on average over these 3 groups 15 % less energy for "
            "1.1 % more time; 2 stay at cap 250, the reference");
  report.summary.settings.push_back(
      {"100", 5, 0, 1, ratio_of(1.4, 1.35, 1.45), ratio_of(0.6, 0.58, 0.62)});
  report.summary.settings[1].recommended_in = report.summary.settings[1].kept_in = 1;
  EXPECT_THAT(caps_summary_sentence(report),
              EndsWith("; 1 does best at cap 100; 1 stays at cap 250, the reference"));
}

TEST(CapsSummarySentence, OfManyGroupsThatMostlyStaySaysWhy) {
  CapsReport report = hand_made_caps_report();
  report.summary.settings[0].recommended_in = 1;
  report.summary.settings[1].recommended_in = report.summary.settings[1].kept_in = 4;
  EXPECT_EQ(caps_summary_sentence(report),
            "4 of 5 groups stay at cap 250, the reference, as no other setting is shown to save "
            "energy for at most 5 % more time; 1 does best at cap 200: 15 % less energy for 1.1 % "
            "more time");
}

TEST(CapsSummarySentence, OfGroupsThatAllStaySaysSo) {
  CapsReport report = hand_made_caps_report();
  report.summary.settings[0].recommended_in = 0;
  report.summary.settings[1].recommended_in = report.summary.settings[1].kept_in = 5;
  EXPECT_EQ(caps_summary_sentence(report),
            "All 5 groups stay at cap 250, the reference: no other setting is shown to save energy "
            "for at most 5 % more time");
  report.options.reference.clear();
  EXPECT_THAT(caps_summary_sentence(report),
              StartsWith("All 5 groups stay at their own references (cap 250 in 5): no other"));
}

TEST(CapsSummarySentence, OfOneGroupIsEmpty) {
  CapsReport report = hand_made_caps_report();
  report.summary.groups = 1;
  EXPECT_EQ(caps_summary_sentence(report), "");
}

TEST(CurveSentence, InventsNothingAtAnEdge) {
  EXPECT_EQ(curve_sentence(hand_made_caps_report(), hand_made_curves()),
            "gpus 4: least energy at 122.5 (95 %: the lower edge to 138.0); nearest on the curve "
            "125: 27 % less energy for 24 % more time. a second worth 250 J at the upper edge of "
            "the sweep, beyond which it may be lower still");
}

TEST(WriteCaps, JsonHasEverythingAndNullForWhatIsUndefined) {
  const json parsed =
      parse_json(written_caps(hand_made_caps_report(), two_groups(), Format::kJson));
  EXPECT_EQ(parsed["schema"], "scalelaw.caps/1");
  EXPECT_EQ(parsed["setting"], "cap");
  EXPECT_EQ(parsed["reference"], "250");
  EXPECT_EQ(parsed["power"], nullptr);
  EXPECT_EQ(parsed["summary"]["settings"][0]["recommended_in"], 3);
  EXPECT_EQ(parsed["summary"]["settings"][1]["energy_ratio"], nullptr);
  const json& caps = parsed["caps"][0];
  EXPECT_EQ(caps["group"]["model"], "BERT");
  EXPECT_EQ(caps["overall"]["x"], nullptr);
  EXPECT_EQ(caps["overall"]["settings"][1]["energy_ratio"]["ci"], json({0.87, 0.91}));
  EXPECT_EQ(caps["overall"]["settings"][1]["seconds"], nullptr);
  EXPECT_EQ(caps["overall"]["recommended"]["saving_shown"], true);
  EXPECT_EQ(caps["scales"][0]["reference_joules"], 24000);
  const json& curves = caps["curves"][0];
  EXPECT_EQ(curves["optima"][0]["ci"], json({nullptr, 138}));
  EXPECT_EQ(curves["optima"][1]["setting"], nullptr);
  EXPECT_EQ(curves["optima"][1]["at_edge"], "upper");
  EXPECT_EQ(curves["points"][1]["seconds_ci"], nullptr);
  EXPECT_EQ(curves["points"][0]["joules_saved_per_second_lost"], 12.5);
  EXPECT_EQ(parsed["failed"][0]["code"], "too-few-levels");
}

TEST(WriteCaps, CsvHasRowsOfEveryPartOfOneWidth) {
  const std::string csv = written_caps(hand_made_caps_report(), two_groups(), Format::kCsv);
  std::size_t commas = 0;
  std::size_t rows = 0;
  std::size_t begin = 0;
  for (std::size_t end = csv.find('\n'); end != std::string::npos; end = csv.find('\n', begin)) {
    // The one quoted field has a comma.
    const std::string row = csv.substr(begin, end - begin);
    const auto count = static_cast<std::size_t>(std::count(row.begin(), row.end(), ',')) -
                       (row.find('"') == std::string::npos ? 0 : 1);
    if (rows++ == 0) commas = count;
    EXPECT_EQ(count, commas) << row;
    begin = end + 1;
  }
  // Header, 3 overall, 6 at one N, 2 of curves, 2 optima, 1 failure, 2 of the summary.
  EXPECT_EQ(rows, 17U);
  EXPECT_THAT(csv, StartsWith("model,status,part,x,setting,n,reference_n,scales,time_ratio,"));
  EXPECT_THAT(csv, HasSubstr("\nBERT,ok,scale,2,200,6,6,2,1.012,1.008,1.016,0.988,"));
  EXPECT_THAT(csv, HasSubstr("\nBERT,ok,curve,4,100,1,"));
  EXPECT_THAT(csv, HasSubstr(",recommended_in,is_reference,in_choice,by_interval,saving_shown,eta,"
                             "reference_in,advised,undecided,doubt,trust,code,message\n"));
  EXPECT_THAT(
      csv,
      HasSubstr(",false,true,true,true,,,true,false,none,high,,\n"));  // The recommended setting.
  EXPECT_THAT(csv, HasSubstr("\nBERT,ok,scale,2,250,6,,,"));
  EXPECT_THAT(csv, HasSubstr(",too-few-levels,\"only one setting, 250\"\n"));
}

TEST(WriteCaps, CsvSaysWhereTheReferenceIsRecommended) {
  Caps caps = hand_made_caps();
  caps.overall.recommended = {"250", true, true, {}};
  caps.overall.advice = advice_of(caps.overall, {}, "250");
  const std::string csv =
      written_caps(hand_made_caps_report(), std::vector<GroupCaps>{{{"BERT"}, caps}}, Format::kCsv);
  const std::size_t begin = csv.find("\nBERT,ok,overall,,250,6,") + 1;
  const std::string row = csv.substr(begin, csv.find('\n', begin) - begin);
  EXPECT_THAT(row, HasSubstr(",true,false,"));  // It is recommended, but not of least energy.
  EXPECT_THAT(row, testing::EndsWith(",true,true,true,,,,true,false,saving,fair,,"));
}

TEST(WriteCaps, SaysOverWhichNSettingsWereCompared) {
  EXPECT_EQ(caps_choice_sentence(hand_made_caps_report(), hand_made_caps()), "");
  Caps without_scale = hand_made_caps();
  without_scale.overall.over.clear();
  without_scale.scales.resize(1);
  EXPECT_EQ(caps_choice_sentence(hand_made_caps_report(), without_scale), "");
  Caps caps = hand_made_caps();
  caps.overall.over = {2};
  caps.overall.settings[0].in_choice = false;
  EXPECT_EQ(caps_choice_sentence(hand_made_caps_report(), caps),
            "means and choice over gpus 2, where all that are chosen among have runs; not chosen "
            "among, as they have no runs at all of these: 100");
}

TEST(WriteCaps, AnExampleOfTheHintIsAnNOfTheTable) {
  Caps caps = hand_made_caps();
  for (SettingComparison& scale : caps.scales) scale.x = 128;
  EXPECT_THAT(written_caps(hand_made_caps_report(), {{{"BERT"}, caps}}, Format::kTable),
              HasSubstr("--where gpus=128 picks one"));
}

TEST(WriteCaps, GroupsMayHaveTheirOwnReferences) {
  CapsReport report = hand_made_caps_report();
  report.options.reference = "";
  const std::string table = written_caps(report, two_groups(), Format::kTable);
  EXPECT_THAT(table, HasSubstr("Speed and energy are relative to each group's greatest cap."));
  EXPECT_THAT(table, HasSubstr("The reference is cap 250."));
  const json parsed = parse_json(written_caps(report, two_groups(), Format::kJson));
  EXPECT_EQ(parsed["reference"], nullptr);
  EXPECT_EQ(parsed["caps"][0]["reference"], "250");
}

TEST(WriteCaps, TheHeadOfJsonHasEveryOptionOfTheCost) {
  CapsReport report = hand_made_caps_report();
  report.total_power = true;
  report.max_power_from = "the greatest cap";
  report.options.max_power = 300;
  report.options.etas = {0, 0.5};
  report.options.trades = {20};
  report.options.continuous = Continuous::kYes;
  const json parsed = parse_json(written_caps(report, two_groups(), Format::kJson));
  EXPECT_EQ(parsed["total_power"], true);
  EXPECT_EQ(parsed["continuous"], true);
  EXPECT_EQ(parsed["trades"], json({20}));
  EXPECT_EQ(parsed["etas"], json({0, 0.5}));
  EXPECT_EQ(parsed["max_power"], 300);
  EXPECT_EQ(parsed["max_power_from"], "the greatest cap");
}

TEST(WriteCaps, TablesShowMeansAndWhatTheyMean) {
  const std::string table = written_caps(hand_made_caps_report(), two_groups(), Format::kTable);
  EXPECT_THAT(table, StartsWith("model BERT: At cap 200, runs take 11 % less energy"));
  EXPECT_THAT(table, HasSubstr("0.988  0.984 .. 0.992   0.890  0.870 .. 0.910  recommended"));
  EXPECT_THAT(table,
              HasSubstr("Speed and energy are relative to cap 250. Recommended settings take "
                        "at most 5 % more time. Time: seconds, energy: energy_j.\n"));
  EXPECT_THAT(table, Not(HasSubstr("p = 0.0020")));
  EXPECT_THAT(table, HasSubstr("model VGG has no comparison: only one setting, 250"));
  EXPECT_THAT(written_caps(hand_made_caps_report(), two_groups(), Format::kMarkdown),
              AllOf(HasSubstr("\n| model |"), HasSubstr("100: -0.0310 ± 0.0040 (p = 0.0020)")));
  EXPECT_THAT(written_caps(hand_made_caps_report(), two_groups(), Format::kHtml),
              StartsWith("<p>model BERT: At cap 200, runs take"));
  EXPECT_THAT(written_caps(hand_made_caps_report(), two_groups(), Format::kLatex),
              HasSubstr("\n% Speed and energy are relative"));
  EXPECT_THAT(written_caps(hand_made_caps_report(), two_groups(), Format::kJsonl),
              StartsWith("{\"group\": {\"model\": \"BERT\"}, \"n\": 18"));
  for (const Format format : {Format::kTable, Format::kCsv, Format::kJson}) {
    EXPECT_THAT(written_caps(hand_made_caps_report(), two_groups(), format), Not(HasSubstr("nan")));
    EXPECT_THAT(written_caps(hand_made_caps_report(), two_groups(), format), Not(HasSubstr("inf")));
  }
}

TEST(WriteCaps, AFineSweepShowsSomeSettings) {
  Caps caps = hand_made_caps();
  for (int i = 300; i < 360; ++i) {
    RelativeSetting setting = setting_200();
    setting.setting = std::to_string(i);
    caps.overall.settings.push_back(setting);
  }
  const std::string table = written_caps(hand_made_caps_report(),
                                         std::vector<GroupCaps>{{{"BERT"}, caps}}, Format::kTable);
  EXPECT_THAT(table, HasSubstr("recommended"));
  EXPECT_THAT(table, HasSubstr("some settings only; --format csv has every one"));
  EXPECT_THAT(table, Not(HasSubstr(" 301 ")));
}

}  // namespace
}  // namespace scalelaw
