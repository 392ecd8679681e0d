#include "scalelaw/energy/setting_curve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace scalelaw {
namespace {

using testing::ElementsAre;

const std::vector<double> kSettings{100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 200, 210};
const std::vector<double> kJoules{105.1, 103.8, 103.2, 101.9, 101.2, 100.1,
                                  101.5, 104.6, 107.0, 110.9, 114.1, 118.8};

// Expectations: tests/energy/oracle/make_caps_oracle.py, the spline as a Gaussian process.
TEST(FitSmoothCurve, AgreesWithTheGaussianProcess) {
  const std::vector<double> expected{105.0407539, 103.9444479, 103.0291171, 101.998944,
                                     101.0950276, 100.2437447, 101.4947475, 104.3737551,
                                     107.2831276, 110.721877,  114.3637634, 118.6024441};
  const SmoothCurve curve = fit_smooth_curve(kSettings, kJoules, 0.95);
  EXPECT_EQ(curve.at, kSettings);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(curve.value[i], expected[i], 1e-7) << kSettings[i];
  }
  EXPECT_NEAR(curve.sigma, 0.002981070214, 1e-11);
  EXPECT_NEAR(*curve.minimum.setting, 155, 0.5);
  EXPECT_EQ(curve.minimum.level, 150);
  EXPECT_EQ(curve.minimum.at_edge, SweepEnd::kNone);
  EXPECT_GT(curve.minimum.ci->lower, 140);
  EXPECT_LT(curve.minimum.ci->upper, 162);
  EXPECT_LT(curve.relative_slope.front(), 0);
  EXPECT_GT(curve.relative_slope.back(), 0);
}

TEST(FitSmoothCurve, DoesNotDependOnTheOrderOrTheUnits) {
  const SmoothCurve curve = fit_smooth_curve(kSettings, kJoules, 0.95);
  std::vector<double> settings(kSettings.rbegin(), kSettings.rend());
  std::vector<double> joules(kJoules.rbegin(), kJoules.rend());
  const SmoothCurve turned = fit_smooth_curve(settings, joules, 0.95);
  EXPECT_EQ(turned.value, curve.value);
  EXPECT_EQ(turned.minimum.ci->lower, curve.minimum.ci->lower);
  for (double& joule : joules) joule *= 1e6;
  for (double& setting : settings) setting *= 1000;
  const SmoothCurve scaled = fit_smooth_curve(settings, joules, 0.95);
  EXPECT_NEAR(*scaled.minimum.setting, 1000 * *curve.minimum.setting, 1e-3);
  EXPECT_NEAR(scaled.value[3], 1e6 * curve.value[3], 1);
}

// ln t = ln(40 / b + 0.05 + 2.3e-4 b) over batch sizes b is least at sqrt(40 / 2.3e-4) = 417.
TEST(FitSmoothCurve, TakesBatchSizesAtTheirLogarithms) {
  std::vector<double> batches;
  std::vector<double> hours;
  for (int k = 6; k <= 14; ++k) {
    for (const double scatter : {-0.02, 0.01, 0.01}) {
      const double b = std::ldexp(1.0, k);
      batches.push_back(b);
      hours.push_back((40 / b + 0.05 + 2.3e-4 * b) * std::exp(k % 2 == 0 ? scatter : -scatter));
    }
  }
  const CurveMinimum minimum = fit_smooth_curve(batches, hours, 0.95).minimum;
  EXPECT_NEAR(*minimum.setting, 417, 80);
  EXPECT_LT(minimum.ci->lower, 417);
  EXPECT_GT(minimum.ci->upper, 417);
  EXPECT_GT(minimum.ci->lower, 200);
  EXPECT_LT(minimum.ci->upper, 800);
}

TEST(FitSmoothCurve, InventsNoMinimumAtAnEdge) {
  std::vector<double> falling;
  for (std::size_t i = 0; i < kSettings.size(); ++i) {
    falling.push_back(std::exp(0.004 * kSettings[i]) * (i % 2 == 0 ? 1.002 : 0.998));
  }
  const SmoothCurve curve = fit_smooth_curve(kSettings, falling, 0.95);
  EXPECT_FALSE(curve.minimum.setting);
  EXPECT_EQ(curve.minimum.at_edge, SweepEnd::kLower);
  EXPECT_EQ(curve.minimum.level, 100);
  EXPECT_EQ(curve.minimum.ci->lower, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(name_of(curve.minimum.at_edge), "lower");
}

TEST(FitSmoothCurve, PointsWithoutScatterHaveNoIntervals) {
  std::vector<double> exact;
  for (const double setting : kSettings) exact.push_back(std::exp(-0.004 * setting));
  const SmoothCurve curve = fit_smooth_curve(kSettings, exact, 0.95);
  EXPECT_FALSE(curve.minimum.ci);
  EXPECT_FALSE(curve.ci[0]);
  EXPECT_EQ(curve.minimum.at_edge, SweepEnd::kUpper);
  EXPECT_NEAR(curve.relative_slope[4], -0.004, 1e-9);
  const std::vector<double> constant(kSettings.size(), 7.0);
  EXPECT_NEAR(fit_smooth_curve(kSettings, constant, 0.95).value[5], 7, 1e-9);
}

TEST(FitSmoothCurve, CountsRepeatedRuns) {
  std::vector<double> settings = kSettings;
  std::vector<double> joules = kJoules;
  settings.push_back(150);
  joules.push_back(100.4);
  const SmoothCurve curve = fit_smooth_curve(settings, joules, 0.95);
  EXPECT_THAT(curve.counts, ElementsAre(1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1));
}

TEST(FitSmoothCurve, NeedsFourSettings) {
  const std::vector<double> settings{1, 2, 3, 3, 3};
  try {
    fit_smooth_curve(settings, std::vector<double>{5, 4, 3, 3, 4}, 0.95);
    FAIL();
  } catch (const FitError& error) {
    EXPECT_EQ(error.code(), FailureCode::kTooFewX);
    EXPECT_STREQ(error.what(), "a curve over the setting needs 4 different ones, found 3");
  }
  EXPECT_THROW(fit_smooth_curve(settings, std::vector<double>{1, 2}, 0.95), std::invalid_argument);
}

}  // namespace
}  // namespace scalelaw
