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
/// and of 0.006, which leaves open where scores end.
const std::vector<double> kNoisy{0.2708, 0.2821, 0.2996, kNone,  0.2768, 0.3723, 0.4264,
                                 0.4281, 0.4272, 0.3826, 0.5569, kNone,  0.5880, 0.5862,
                                 0.5513, 0.6793, 0.7009, 0.7019, 0.6953, 0.6966};

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
  EXPECT_NEAR(interval->lower, lower, 1e-9);
  EXPECT_NEAR(interval->upper, upper, 1e-9);
}

TEST(Score, CarriesTheErrorsOfBothCurves) {
  const ScorePoint score = scored(kQuiet);
  EXPECT_NEAR(score.value, 0.7795901341197758, 1e-9);
  expect_interval(score.ci, 0.7760255060958204, 0.7831547621437313);
  expect_interval(score.pi, 0.7756056804428713, 0.7835745877966804);
  EXPECT_NEAR(score.extrapolation, (2.32903 - 2.0316097671) / (3.71048 - 2.32903), 1e-9);
  EXPECT_TRUE(fit_score(kLosses, kQuiet, 0.95).held.empty());
}

TEST(Score, IsAMixtureWhereItsEndIsOpen) {
  const ScorePoint score = scored(kNoisy);
  EXPECT_NEAR(score.value, 0.7918311936438406, 1e-9);
  expect_interval(score.ci, 0.7661073595464476, 0.818801218396741);
  expect_interval(score.pi, 0.7621578382926731, 0.8226619772037509);
}

TEST(Score, KeepsToTheScaleOfPercent) {
  std::vector<double> percent = kNoisy;
  for (double& score : percent) score *= 100;
  const ScorePoint score = scored(percent);
  EXPECT_NEAR(score.value, 79.18311936438406, 1e-6);
  EXPECT_NEAR(score.ci->upper, 81.8801218396741, 1e-6);
}

TEST(Score, NeedsRunsThatHaveOne) {
  EXPECT_THROW(fit_score(kLosses, std::vector<double>(kLosses.size(), kNone), 0.95), FitError);
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
