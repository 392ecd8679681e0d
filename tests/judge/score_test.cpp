#include "scalelaw/judge/score.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/judge/surface_forecast.hpp"

// Literals: scipy 1.10 by oracle/make_score_oracle.py, for 7e9 parameters and 1.4e12 tokens.

namespace scalelaw {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> kParameters{20150000,  40290000,  80580000,   161200000,  322300000,
                                      56990000,  114000000, 228000000,  455900000,  911800000,
                                      161200000, 322400000, 644900000,  1290000000, 2579000000,
                                      456100000, 912100000, 1824000000, 3648000000, 7297000000};
const std::vector<double> kTokens{
    8271300000, 4136680000,   2068340000,   1033910000,   517117000,   29244900000, 14619900000,
    7309940000, 3655770000,   1827890000,   103391000000, 51695600000, 25843800000, 12919900000,
    6462450000, 365417000000, 182729000000, 91374300000,  45687100000, 22840400000};
const std::vector<double> kLosses{3.70776, 3.58837, 3.53306, 3.57215, 3.71048, 3.1097,  3.00984,
                                  2.99065, 3.01201, 3.11028, 2.68996, 2.61908, 2.60507, 2.6211,
                                  2.68044, 2.38689, 2.34346, 2.32903, 2.34027, 2.38121};
/// 0.25 + 0.6 / (1 + exp(3 (loss - 2.7))) with a scatter of 0.0005,
const std::vector<double> kQuiet{0.2772, 0.2885, 0.2959, kNone,  0.2775, 0.3847, 0.4204,
                                 0.4270, 0.4197, 0.3854, 0.5547, kNone,  0.5921, 0.5854,
                                 0.5582, 0.6812, 0.6971, 0.7016, 0.6976, 0.6845};
/// and of 0.006.
const std::vector<double> kNoisy{0.2708, 0.2821, 0.2996, kNone,  0.2768, 0.3723, 0.4264,
                                 0.4281, 0.4272, 0.3826, 0.5569, kNone,  0.5880, 0.5862,
                                 0.5513, 0.6793, 0.7009, 0.7019, 0.6953, 0.6966};

/// 0.25 + 0.6 / (1 + exp(4 (loss - 1.7))) with a scatter of 0.0045: the onset of a curve.
const std::vector<double> kOnset{0.2532, 0.2462, 0.2569, 0.2489, 0.2507, 0.2462, 0.2555,
                                 0.2616, 0.2492, 0.2503, 0.2660, 0.2575, 0.2668, 0.2685,
                                 0.2589, 0.2868, 0.2872, 0.2991, 0.2921, 0.2886};

Fit surface() {
  FitOptions options;
  options.law = find_law("chinchilla");
  options.robust = Robust::kHuber;
  return fit_surface(kParameters, kTokens, kLosses, options);
}

ScorePoint scored(const std::vector<double>& scores) {
  const Fit fit = surface();
  return score_at(fit, surface_at(fit, 7e9, 1.4e12, 0.95), fit_score(kLosses, scores, 0.95), 0.95);
}

void expect_interval(const std::optional<Interval>& interval, double lower, double upper) {
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->lower, lower, 2e-9);
  EXPECT_NEAR(interval->upper, upper, 2e-9);
}

TEST(Score, CarriesTheErrorsOfBothCurves) {
  const ScorePoint score = scored(kQuiet);
  EXPECT_NEAR(score.value, 0.7795901343, 1e-9);
  expect_interval(score.ci, 0.7760416227265133, 0.783174638227327);
  expect_interval(score.pi, 0.7756119252422218, 0.7835852367714846);
  EXPECT_NEAR(score.extrapolation, (2.32903 - 2.0316097671) / (3.71048 - 2.32903), 1e-9);
  EXPECT_FALSE(score.is_wide);
}

TEST(Score, HasAnIntervalThatLeansToWhereTheEndIsOpen) {
  const ScorePoint score = scored(kNoisy);
  EXPECT_NEAR(score.value, 0.7881573711593177, 1e-8);
  expect_interval(score.ci, 0.7623220887204474, 0.8212402014572792);
  expect_interval(score.pi, 0.7582354344615334, 0.8239672291863626);
}

TEST(Score, SaysThatTheOnsetOfACurveTellsLittle) {
  const ScorePoint score = scored(kOnset);
  EXPECT_NEAR(score.value, 0.3805927569678676, 1e-6);
  expect_interval(score.ci, 0.2913984140326774, 0.45867377583489266);
  expect_interval(score.pi, 0.2885870746684449, 0.45926186007530384);
  EXPECT_TRUE(score.is_wide);
}

TEST(Score, OfAnErrorRateIsMirrored) {
  std::vector<double> error_rate = kOnset;
  for (double& score : error_rate) score = 1 - score;
  const ScorePoint score = scored(error_rate);
  EXPECT_NEAR(score.value, 1 - 0.3805927569678676, 1e-6);
  expect_interval(score.ci, 1 - 0.45867377583489266, 1 - 0.2913984140326774);
  expect_interval(score.pi, 1 - 0.45926186007530384, 1 - 0.2885870746684449);
}

TEST(Score, KeepsToTheScaleOfPercent) {
  std::vector<double> percent = kNoisy;
  for (double& score : percent) score *= 100;
  const ScorePoint score = scored(percent);
  EXPECT_NEAR(score.value, 78.81573711593177, 1e-6);
  EXPECT_NEAR(score.ci->upper, 82.12402014572792, 1e-6);
}

TEST(Score, ThatDoesNotFollowTheLossIsToldFromNothing) {
  const ScorePoint score =
      scored({0.2640, 0.2460, 0.2524, 0.2509, 0.2550, 0.2416, 0.2475, 0.2455, 0.2436, 0.2449,
              0.2469, 0.2483, 0.2446, 0.2525, 0.2467, 0.2308, 0.2571, 0.2476, 0.2455, 0.2516});
  ASSERT_TRUE(score.ci);
  EXPECT_TRUE(score.is_wide);
  EXPECT_LT(score.ci->lower, 0.01);  // A sigmoid may still turn either way beyond the runs.
  EXPECT_GT(score.ci->upper, 0.99);
}

TEST(Score, OfAsManyRunsAsParametersHasNoInterval) {
  std::vector<double> few(kLosses.size(), kNone);
  few[0] = 0.2772;
  few[5] = 0.3847;
  few[10] = 0.5547;
  few[15] = 0.6812;
  const ScorePoint score = scored(few);
  EXPECT_FALSE(score.ci);
  EXPECT_TRUE(score.is_wide);
}

TEST(Score, NeedsRunsThatHaveOne) {
  EXPECT_THROW(fit_score(kLosses, std::vector<double>(kLosses.size(), kNone), 0.95), FitError);
}

TEST(SurfaceAnswers, TellHowFarBelowAndAboveTheRunsTheyLie) {
  const Fit fit = surface();
  const auto& range = fit.surface->x_range;
  const SurfaceQuestions questions{
      .at = {{range[0].lower / 4, 3 * range[1].upper}, {range[0].lower, range[1].upper}},
      .at_compute = {}};
  const auto answers = answers_of(fit, questions);
  EXPECT_NEAR(answers[0].n_beyond, 0.25, 1e-12);
  EXPECT_NEAR(answers[0].d_beyond, 3, 1e-12);
  EXPECT_EQ(answers[1].n_beyond, 1);
  EXPECT_EQ(answers[1].d_beyond, 1);
}

TEST(Score, OfAGroupWithoutACurveIsAReason) {
  const GroupFit group{{}, surface()};
  const Grouped<ScoreCurve> none{{}, NoFit{FailureCode::kTooFewPoints, "no run has a score"}};
  const auto answers =
      answers_of({&group, 1}, {.at = {{7e9, 1.4e12}}, .at_compute = {}}, {&none, 1});
  EXPECT_EQ(std::get<NoFit>(answers[0].result).message,
            "the score has no curve: no run has a score");
}

}  // namespace
}  // namespace scalelaw
