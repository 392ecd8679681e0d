#include "scalelaw/render/contrast_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.hpp"

namespace scalelaw {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ContrastReport hand_made_contrast_report() {
  ContrastReport report;
  report.study.x = "gpus";
  report.study.y = "seconds";
  report.study.by = {"model"};
  report.factors = {"cap"};
  return report;
}

Fit line(double alpha, double beta) {
  Fit fit;
  fit.law = find_law("power");
  fit.n = 9;
  fit.dof = 7;
  fit.x_min = 1;
  fit.x_max = 16;
  fit.parameters.resize(2);
  fit.parameters[0].estimate = alpha;
  fit.parameters[1].estimate = beta;
  fit.parameters[1].se = 0.011;
  return fit;
}

/// 250 against 100, with equivalent slopes and different offsets.
Contrast hand_made_contrast() {
  Contrast contrast;
  contrast.levels = {{{"250"}, line(100, 0.8)}, {{"100"}, line(190, 0.81)}};
  contrast.n = 18;
  contrast.equal_slopes = FTest{.f = 0.5, .df1 = 1, .df2 = 14, .p = 0.49};
  contrast.equal_slopes_own_variances = ChiSquaredTest{.statistic = 0.5, .df = 1, .p = 0.48};
  contrast.common_beta.estimate = 0.8051;
  contrast.common_beta.se = 0.0062;
  SlopePair slope{.first = 0, .second = 1};
  slope.delta_beta.estimate = 0.01;
  slope.delta_beta.se = 0.012;
  slope.delta_beta.ci = Interval{-0.016, 0.036};
  slope.delta_beta.p = 0.4;
  slope.delta_beta.dof = 13.5;
  slope.p_holm = 0.4;
  slope.p_tost = 0.002;
  slope.equivalent = true;
  slope.verdict = Verdict::kEquivalent;
  contrast.slopes = {slope};
  OffsetPair offset{.first = 0, .second = 1, .ratio = 1.9};
  offset.log_ratio.estimate = 0.642;
  offset.log_ratio.se = 0.02;
  offset.log_ratio.ci = Interval{0.6, 0.68};
  offset.ci = Interval{1.82, 1.97};
  offset.log_ratio.p = 1e-9;
  offset.p_holm = 1e-9;
  contrast.offsets = {offset};
  contrast.no_covariates = "not asked for";
  return contrast;
}

Contrast with_equal_offsets(Contrast contrast) {
  contrast.offsets[0].p_holm = 0.3;
  contrast.offsets[0].log_ratio.ci = Interval{-0.03, 0.05};
  return contrast;
}

Contrast with_undecided_slopes(Contrast contrast) {
  contrast.slopes[0].verdict = Verdict::kUndecided;
  contrast.slopes[0].equivalent = false;
  contrast.slopes[0].delta_beta.ci = Interval{-0.021, 0.073};
  return contrast;
}

Contrast with_different_slopes(Contrast contrast) {
  contrast.slopes[0].verdict = Verdict::kDiffer;
  contrast.slopes[0].delta_beta.estimate = -0.2;
  contrast.slopes[0].delta_beta.ci = Interval{-0.226, -0.174};
  contrast.levels[1].fit = line(200, 0.6);
  return contrast;
}

std::string sentence_of(const Contrast& contrast) {
  return contrast_sentence(hand_made_contrast_report(), contrast);
}

TEST(ContrastSentence, AnOffsetThatMovesAlone) {
  EXPECT_EQ(sentence_of(hand_made_contrast()),
            "cap changes the time by the same factor at every scale: runs with cap 100 take 1.90 "
            "times as long as with cap 250 (95 %: 1.82 to 1.97). The exponents are equal within "
            "0.05 (common beta 0.8051)");
}

TEST(ContrastSentence, TheLargerTimeStandsFirst) {
  Contrast contrast = hand_made_contrast();
  contrast.offsets[0].ratio = 0.5;
  contrast.offsets[0].ci = Interval{0.4, 0.625};
  EXPECT_THAT(sentence_of(contrast),
              HasSubstr("runs with cap 250 take 2.00 times as long as with cap 100 (95 %: "
                        "1.60 to 2.50)"));
}

TEST(ContrastSentence, ARateIsNoTime) {
  ContrastReport report = hand_made_contrast_report();
  report.options.response = Response::kRate;
  EXPECT_THAT(contrast_sentence(report, hand_made_contrast()),
              HasSubstr("the rate with cap 100 is 1.90 times that with cap 250"));
}

TEST(ContrastSentence, NothingShownIsNotNothing) {
  EXPECT_EQ(sentence_of(with_equal_offsets(hand_made_contrast())),
            "No effect of cap is shown, at any scale. The exponents are equal within 0.05 (common "
            "beta 0.8051); times may differ by a factor of up to 1.05");
}

TEST(ContrastSentence, ASureDifferenceWithinTheMargin) {
  Contrast contrast = hand_made_contrast();
  contrast.slopes[0].p_holm = 0.01;
  EXPECT_THAT(
      sentence_of(contrast),
      HasSubstr("The exponents differ, but by less than the margin of 0.05 (common beta 0.8051)"));
}

TEST(ContrastSentence, UndecidedSlopes) {
  EXPECT_EQ(
      sentence_of(with_undecided_slopes(hand_made_contrast())),
      "cap changes the time. These runs cannot tell whether it does so by the same factor at "
      "every scale: the exponents may differ by up to 0.073 (less than 0.05 counts as equal). "
      "If they are equal (common beta 0.8051), runs with cap 100 take 1.90 times as long as with "
      "cap 250 "
      "(95 %: 1.82 to 1.97)");
  EXPECT_EQ(sentence_of(with_undecided_slopes(with_equal_offsets(hand_made_contrast()))),
            "Undecided: no effect of cap is shown, but the exponents may differ by up to 0.073 "
            "(less than 0.05 counts as equal), and times may differ by a factor of up to 1.05");
}

TEST(ContrastSentence, ADifferentSlopeMakesTheEffectDependOnX) {
  EXPECT_EQ(sentence_of(with_different_slopes(hand_made_contrast())),
            "The effect of cap depends on the number of GPUs: at 1 GPU, runs with cap 100 take "
            "2.00 times as long as with cap 250; at 16 GPUs, runs with cap 100 take 3.48 times as "
            "long as with cap 250. The exponent beta is 0.800 with cap 250 and 0.600 with cap 100 "
            "(difference -0.200, 95 %: -0.226 to -0.174)");
}

TEST(ContrastSentence, LevelsWithoutACommonXAreNotComparedAtOne) {
  Contrast contrast = with_different_slopes(hand_made_contrast());
  contrast.levels[1].fit.x_min = 32;
  EXPECT_THAT(sentence_of(contrast), Not(HasSubstr("at 1 GPU")));
}

/// Three levels whose pairs are undecided.
Contrast three_levels(double joint_p) {
  Contrast contrast = with_undecided_slopes(hand_made_contrast());
  contrast.levels.push_back(contrast.levels[1]);
  contrast.slopes.push_back(contrast.slopes[0]);
  contrast.equal_slopes_own_variances = ChiSquaredTest{.statistic = 9, .df = 2, .p = joint_p};
  return contrast;
}

TEST(ContrastSentence, SlopesMayDifferTogetherOnly) {
  EXPECT_EQ(sentence_of(three_levels(0.011)),
            "The exponents are not all equal by the joint test (p = 0.011), though no pair of "
            "levels of cap shows it by itself");
  EXPECT_THAT(sentence_of(three_levels(1e-7)), HasSubstr("(p < 0.0001)"));
  EXPECT_THAT(sentence_of(three_levels(0.2)), HasSubstr("cannot tell"));
  // The joint test that belongs to the pairs counts.
  ContrastReport report = hand_made_contrast_report();
  report.options.variances = Variances::kEqual;
  EXPECT_THAT(contrast_sentence(report, three_levels(0.011)), HasSubstr("cannot tell"));
}

TEST(ContrastSentence, RatiosBeyondTheRangeOfDoubleAreNotPrinted) {
  Contrast contrast = with_undecided_slopes(with_equal_offsets(hand_made_contrast()));
  contrast.offsets[0].log_ratio.ci = Interval{-900, 900};
  EXPECT_THAT(sentence_of(contrast), HasSubstr("and times may differ by any factor"));
  contrast = with_different_slopes(hand_made_contrast());
  contrast.levels[0].fit = line(1e-300, 0.8);
  contrast.levels[1].fit = line(1e300, 0.6);
  EXPECT_THAT(sentence_of(contrast), Not(HasSubstr("at 1 GPU")));
}

TEST(ContrastSentence, ExactLinesSayNothing) {
  Contrast contrast = with_undecided_slopes(hand_made_contrast());
  contrast.slopes[0].delta_beta.p.reset();
  EXPECT_EQ(sentence_of(contrast),
            "The lines fit exactly: without scatter nothing tells a real difference from chance");
}

std::string written_contrast(Format format, bool details = false) {
  const std::vector<GroupContrast> groups{
      {{"BERT"}, hand_made_contrast()},
      {{"VGG"}, NoFit{FailureCode::kTooFewLevels, "1 level of cap"}}};
  std::string text;
  write_groups(
      *make_contrast_writer(hand_made_contrast_report(), {.format = format, .details = details},
                            [&text](std::string_view piece) { text += piece; }),
      groups);
  return text;
}

TEST(WriteContrasts, JsonHasTheContractsKeys) {
  const json document = parse_json(written_contrast(Format::kJson));
  EXPECT_EQ(document["schema"], "scalelaw.contrast/1");
  EXPECT_EQ(document["factors"], json::array({"cap"}));
  EXPECT_EQ(document["variances"], "unequal");
  const json& contrast = document["contrasts"].at(0);
  EXPECT_EQ(contrast["group"]["model"], "BERT");
  EXPECT_EQ(contrast["equal_slopes"]["df2"], 14);
  EXPECT_TRUE(contrast["equal_offsets_given_slope"].is_null());
  EXPECT_EQ(contrast["common_beta"]["estimate"], 0.8051);
  EXPECT_TRUE(contrast["common_beta"]["ci"].is_null());
  const json& pair = contrast["pairs"].at(0);
  EXPECT_EQ(pair["levels"], (json::array({{{"cap", "250"}}, {{"cap", "100"}}})));
  EXPECT_EQ(pair["delta_beta"], 0.01);
  EXPECT_EQ(pair["equivalent"], true);
  EXPECT_EQ(pair["verdict"], "equivalent");
  EXPECT_EQ(contrast["offset_pairs"].at(0)["alpha_ratio"], 1.9);
  EXPECT_TRUE(contrast["covariates"].is_null());
  EXPECT_EQ(contrast["no_covariates"], "not asked for");
  EXPECT_THAT(contrast["sentence"].get<std::string>(), StartsWith("cap changes the time"));
  EXPECT_EQ(document["failed"].at(0)["code"], "too-few-levels");
}

TEST(WriteContrasts, JsonLinesHaveAGroupEach) {
  const std::string text = written_contrast(Format::kJsonl);
  const std::size_t end = text.find('\n');
  EXPECT_EQ(parse_json(text.substr(0, end))["group"]["model"], "BERT");
  EXPECT_EQ(parse_json(text.substr(end + 1))["code"], "too-few-levels");
}

TEST(WriteContrasts, CsvHasARowAPair) {
  const std::string text = written_contrast(Format::kCsv);
  EXPECT_THAT(text, StartsWith("model,status,level_1,level_2,beta_1,beta_2,delta_beta,se,ci_lower,"
                               "ci_upper,t,dof,p,p_holm,p_tost,equivalent,verdict,alpha_ratio,"));
  EXPECT_THAT(text, HasSubstr("\nBERT,ok,250,100,0.8,0.81,0.01,0.012,-0.016,0.036,,13.5,0.4,0.4,"
                              "0.002,true,equivalent,1.9,1.82,1.97,"));
  EXPECT_THAT(text, HasSubstr("\nVGG,failed,,"));
  EXPECT_THAT(text, HasSubstr(",too-few-levels,1 level of cap\n"));
}

TEST(WriteContrasts, TableShowsPairsAndSaysWhatTheyMean) {
  const std::string text = written_contrast(Format::kTable);
  EXPECT_THAT(text,
              StartsWith("model BERT: cap changes the time by the same factor at every scale: "
                         "runs with cap 100 take 1.90 times as long"));
  EXPECT_THAT(text, HasSubstr("\n\nt = alpha * N^(-beta) at each cap, x: gpus, y: seconds; "
                              "exponents whose difference is surely below 0.05 count as equal\n"));
  EXPECT_THAT(text, HasSubstr("BERT        250  100           +0.010  equivalent           1.900  "
                              "1.820 .. 1.970\n"));
  EXPECT_THAT(text, Not(HasSubstr("F(1, 14)")));
  const std::string details = written_contrast(Format::kTable, true);
  EXPECT_THAT(details,
              HasSubstr("BERT        250  100           +0.010  0.012  -0.016 .. 0.036    0.40  "
                        "equivalent           1.900  1.820 .. 1.970  < 0.0001\n"));
  EXPECT_THAT(details, HasSubstr("equal slopes: F(1, 14) = 0.500, p = 0.49; with own variances: "
                                 "chi-squared(1) = 0.500, p = 0.48; common beta 0.8051 ± 0.0062"));
  EXPECT_THAT(text, HasSubstr("model VGG has no contrast: 1 level of cap (too-few-levels)"));
}

TEST(WriteContrasts, EveryTableFormat) {
  EXPECT_THAT(written_contrast(Format::kMarkdown), HasSubstr("| BERT  |"));
  EXPECT_THAT(written_contrast(Format::kLatex), HasSubstr("\\begin{tabular}{lrrrrrrlrrr}"));
  EXPECT_THAT(written_contrast(Format::kHtml), HasSubstr("<p>model BERT: cap changes the time"));
  EXPECT_THAT(written_contrast(Format::kTsv), StartsWith("model\tstatus\tlevel_1"));
}

}  // namespace
}  // namespace scalelaw
