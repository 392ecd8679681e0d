#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "fit/cells_of.hpp"
#include "scalelaw/fit/fit.hpp"
#include "support/fit_cases.hpp"

namespace scalelaw {
namespace {

FailureCode failure_of(const std::vector<double>& x, const std::vector<double>& y,
                       FitOptions options = {}) {
  try {
    fit_law(point_cells(x, y), options);
  } catch (const FitError& error) {
    return error.code();
  }
  throw std::logic_error("there is a fit");
}

FitOptions with_law(const char* name) {
  FitOptions options;
  options.law = find_law(name);
  return options;
}

// y = 100 N^-0.7 times factors that are symmetric in ln N, so that alpha and beta do not change.
const std::vector<double> kNodes{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

std::vector<double> times(double alpha, double beta, const std::vector<double>& factors) {
  std::vector<double> y;
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    y.push_back(alpha * std::pow(kNodes[i], -beta) * factors[i % factors.size()]);
  }
  return y;
}

TEST(FitLaw, ThrowsWithACodeWhereThereIsNoSolution) {
  EXPECT_EQ(failure_of({}, {}), FailureCode::kTooFewPoints);
  EXPECT_EQ(failure_of({2}, {1}), FailureCode::kTooFewPoints);
  EXPECT_EQ(failure_of({2, 2, 2}, {1, 2, 3}), FailureCode::kTooFewX);
  EXPECT_EQ(failure_of({1e8, std::nextafter(1e8, 2e8)}, {1, 2}, with_law("linear")),
            FailureCode::kNoSpread);
  EXPECT_EQ(failure_of({0, 0}, {1, 2}, with_law("proportional")), FailureCode::kNoSpread);
  FitOptions normal;
  normal.errors = Errors::kNormal;
  EXPECT_EQ(failure_of({1, 2, 3}, {-1, -2, -3}, normal), FailureCode::kNotConverged);
}

TEST(FitLaw, HasNoIntervalWhereAnEndLeavesTheRangeOfNumbers) {
  // The standard error of beta is 234, ln alpha lies 7 times as far, and Student has the
  // factor 12.7.
  const Fit fit =
      fit_law(point_cells(std::vector{1000.0, 1001.0, 1002.0}, std::vector{1.0, 1.5, 1.0}), {});
  EXPECT_FALSE(fit.parameters[0].ci);
  EXPECT_TRUE(fit.parameters[1].ci);
}

TEST(FitLaw, TakesAnyUnitOfXForALine) {
  const Fit fit =
      fit_law(point_cells(std::vector{1e-13, 2e-13, 4e-13}, std::vector{5.0, 8.0, 14.0}),
              with_law("linear"));
  EXPECT_NEAR(fit.parameters[0].estimate, 2, 1e-12);
  EXPECT_NEAR(fit.parameters[1].estimate, 3e13, 1e1);
}

/// ln y as a polynomial of ln x.
class LawOfManyTerms final : public Law {
 public:
  explicit LawOfManyTerms(std::size_t terms) {
    static constexpr std::array<std::string_view, 10> kNames{"a", "b", "c", "d", "e",
                                                             "f", "g", "h", "i", "j"};
    for (std::size_t k = 0; k < terms; ++k) parameters_.push_back({.name = kNames[k]});
  }
  std::string_view name() const override { return "polynomial"; }
  std::string_view formula(Response /*response*/) const override { return "y = exp(a + ...)"; }
  Scale scale() const override { return Scale::kLog; }
  std::span<const ParameterSpec> parameters() const override { return parameters_; }
  bool linear() const override { return true; }
  bool logarithmic_x() const override { return true; }
  double predictor(std::span<const double> x, std::span<const double> theta,
                   Response /*response*/) const override {
    double sum = 0;
    for (std::size_t k = theta.size(); k-- > 0;) sum = sum * std::log(x[0]) + theta[k];
    return sum;
  }
  double gradient(std::span<const double> x, std::span<const double> theta, Response response,
                  std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = std::pow(std::log(x[0]), static_cast<double>(k));
    return predictor(x, theta, response);
  }

 private:
  std::vector<ParameterSpec> parameters_;
};

TEST(FitLaw, TakesLawsOfNineParameters) {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i <= 20; ++i) {
    const double log_x = 0.1 * i - 1;
    x.push_back(std::exp(log_x));
    y.push_back(std::exp(2 + 3 * std::pow(log_x, 8)));
  }
  const LawOfManyTerms nine(9);
  FitOptions options;
  options.law = &nine;
  const Fit fit = fit_law(point_cells(x, y), options);
  EXPECT_NEAR(fit.parameters[0].estimate, 2, 1e-9);
  EXPECT_NEAR(fit.parameters[8].estimate, 3, 1e-9);
  const LawOfManyTerms ten(10);
  options.law = &ten;
  EXPECT_THROW(fit_law(point_cells(x, y), options), std::invalid_argument);
}

TEST(FitLaw, RefusesCellsThatAreNoCells) {
  std::vector<Cell> unsorted{point_cell(4, 1), point_cell(2, 1), point_cell(1, 1)};
  EXPECT_THROW(fit_law(unsorted, {}), std::invalid_argument);
  EXPECT_THROW(fit_law(point_cells(std::vector{0.0, 1.0}, std::vector{1.0, 2.0}), {}),
               std::invalid_argument);
  std::vector<Cell> weightless{point_cell(1, 1), point_cell(2, 1)};
  weightless[0].weight = 0;
  EXPECT_THROW(fit_law(weightless, {}), std::invalid_argument);
  EXPECT_THROW(fit_law(point_cells(std::vector{1.0, 2.0}, std::vector{1.0, 2.0}), {.law = nullptr}),
               std::invalid_argument);
}

TEST(FitLaw, LeavesUncertaintyEmptyWithTwoPoints) {
  const Fit fit = fit_law(point_cells(std::vector{2.0, 8.0}, std::vector{40.0, 10.0}), {});
  EXPECT_NEAR(fit.parameters[0].estimate, 80, 1e-11);
  EXPECT_NEAR(fit.parameters[1].estimate, 1, 1e-14);
  EXPECT_EQ(fit.dof, 0);
  for (const Parameter& parameter : fit.parameters) {
    EXPECT_FALSE(parameter.se || parameter.ci || parameter.t || parameter.p);
  }
  EXPECT_TRUE(fit.covariance.empty());
  EXPECT_FALSE(fit.sigma || fit.r2_adjusted || fit.f || fit.f_p || fit.log_likelihood || fit.aic ||
               fit.aicc || fit.bic || fit.curvature || fit.lack_of_fit || fit.cooks_distance_max);
  EXPECT_DOUBLE_EQ(*fit.r2, 1);
  EXPECT_NEAR(fit.speedup->observed, 4, 1e-13);
  EXPECT_NEAR(fit.speedup->implied, 4, 1e-13);
  EXPECT_TRUE(warns(fit, WarningCode::kFewPoints));
  EXPECT_TRUE(warns(fit, WarningCode::kFewX));
  EXPECT_TRUE(warns(fit, WarningCode::kShortRange));
}

TEST(FitLaw, FindsAnExactLawWithoutInfiniteFigures) {
  const Fit fit = fit_law(point_cells(kNodes, times(3e-7, 0.84, {1})), {});
  EXPECT_NEAR(fit.parameters[0].estimate, 3e-7, 1e-20);
  EXPECT_NEAR(fit.parameters[1].estimate, 0.84, 1e-14);
  EXPECT_EQ(*fit.sigma, 0);
  EXPECT_EQ(*fit.parameters[1].se, 0);
  EXPECT_FALSE(fit.parameters[1].t || fit.parameters[1].p);
  EXPECT_EQ(*fit.r2, 1);
  EXPECT_FALSE(fit.f || fit.log_likelihood || fit.aic || fit.cooks_distance_max ||
               fit.scatter_trend_p || fit.curvature->t);
  EXPECT_NEAR(*fit.smearing, 1, 1e-14);
  EXPECT_TRUE(fit.warnings.empty());
}

TEST(FitLaw, SaysNothingIsExplainedWhereYIsConstant) {
  const Fit fit = fit_law(point_cells(kNodes, std::vector<double>(10, 7.25)), {});
  EXPECT_NEAR(fit.parameters[0].estimate, 7.25, 1e-14);
  EXPECT_NEAR(fit.parameters[1].estimate, 0, 1e-15);
  EXPECT_FALSE(fit.r2 || fit.r2_adjusted || fit.f || fit.log_likelihood || fit.parameters[1].t);
}

TEST(FitLaw, MeansFasterByAPositiveBetaForTimesAndRates) {
  const std::vector<double> y = times(100, 0.5, {1.1, 0.9, 0.95, 1.05});
  std::vector<double> rates;
  for (const double time : y) rates.push_back(1 / time);
  FitOptions rate;
  rate.response = Response::kRate;
  const Fit by_time = fit_law(point_cells(kNodes, y), {});
  const Fit by_rate = fit_law(point_cells(kNodes, rates), rate);
  EXPECT_GT(by_time.parameters[1].estimate, 0);
  EXPECT_NEAR(by_rate.parameters[1].estimate, by_time.parameters[1].estimate, 1e-14);
  EXPECT_NEAR(by_rate.parameters[0].estimate, 1 / by_time.parameters[0].estimate, 1e-15);
  EXPECT_NEAR(by_rate.curve(64), 1 / by_time.curve(64), 1e-15);
  EXPECT_NEAR(by_rate.speedup->implied, by_time.speedup->implied, 1e-12);
}

// 100 per second of one unit at x = 2, 50 at x = 16: 200 and 800 of all.
TEST(FitLaw, TheSpeedupOfTheRateOfOneUnitIsThatOfAll) {
  const Fit fit = fit_law(point_cells(std::vector<double>{2, 16}, std::vector<double>{100, 50}),
                          {.response = Response::kRate, .rate_of_one = true});
  EXPECT_NEAR(fit.speedup->observed, 4, 1e-12);
  EXPECT_NEAR(fit.speedup->implied, 4, 1e-12);
  EXPECT_NEAR(fit.parameters[1].estimate, -1.0 / 3, 1e-12);  // The law is that of the column.
}

TEST(FitLaw, ScalesAlphaOnlyWhenTheUnitOfYChanges) {
  const std::vector<double> y = times(100, 0.5, {1.1, 0.9, 0.95, 1.05});
  for (const double unit : {1e-12, 1e-3, 1e9}) {
    std::vector<double> other;
    for (const double time : y) other.push_back(time * unit);
    const Fit here = fit_law(point_cells(kNodes, y), {});
    const Fit there = fit_law(point_cells(kNodes, other), {});
    EXPECT_NEAR(there.parameters[0].estimate / unit, here.parameters[0].estimate, 1e-11);
    EXPECT_NEAR(there.parameters[1].estimate, here.parameters[1].estimate, 1e-13);
    EXPECT_NEAR(*there.parameters[1].se, *here.parameters[1].se, 1e-14);
    EXPECT_NEAR(*there.rmse / unit, *here.rmse, 1e-11);
    EXPECT_NEAR(*there.mape, *here.mape, 1e-13);
  }
}

TEST(FitLaw, ReportsAlphaByTheDeltaMethodAndExponentsOfItsLogarithm) {
  const Fit fit = fit_law(point_cells(kNodes, times(100, 0.5, {1.1, 0.9, 0.95, 1.05})), {});
  const Parameter& alpha = fit.parameters[0];
  EXPECT_NEAR(*alpha.se, alpha.estimate * *fit.log_alpha->se, 1e-13);
  EXPECT_NEAR(std::log(alpha.ci->upper), fit.log_alpha->ci->upper, 1e-14);
  EXPECT_NEAR(fit.covariance[0], *fit.log_alpha->se * *fit.log_alpha->se, 1e-16);
  EXPECT_NEAR(fit.covariance[3], *fit.parameters[1].se * *fit.parameters[1].se, 1e-16);
  EXPECT_FALSE(alpha.t || alpha.p);
  EXPECT_NEAR(std::log(fit.curve(32)),
              fit.log_alpha->estimate - fit.parameters[1].estimate * std::log(32.0), 1e-14);
}

TEST(FitLaw, FitsLinearLawsOnTheOriginalScaleWhateverTheErrors) {
  const std::vector<double> x{0, 1, 2, 3};
  const std::vector<double> y{-1, 1, 2.5, 5.5};  // By hand: slope 2.1, intercept -1.15.
  for (const Errors errors : {Errors::kLognormal, Errors::kNormal}) {
    FitOptions options = with_law("linear");
    options.errors = errors;
    const Fit fit = fit_law(point_cells(x, y), options);
    EXPECT_EQ(fit.scale, Scale::kOriginal);
    EXPECT_NEAR(fit.parameters[0].estimate, -1.15, 1e-14);
    EXPECT_NEAR(fit.parameters[1].estimate, 2.1, 1e-14);
    EXPECT_FALSE(fit.smearing);
    EXPECT_FALSE(fit.log_alpha);
  }
}

TEST(FitLaw, NeedsOnlyOneXForTheProportionalLaw) {
  const Fit fit =
      fit_law(point_cells(std::vector{2.0, 2.0}, std::vector{3.0, 5.0}), with_law("proportional"));
  EXPECT_DOUBLE_EQ(fit.parameters[0].estimate, 2);
  EXPECT_EQ(fit.dof, 1);
  EXPECT_FALSE(fit.curvature || fit.lack_of_fit);
}

TEST(FitLaw, LeavesRobustErrorsEmptyWhereAPointHasLeverageOne) {
  const auto cells =
      point_cells(std::vector{1.0, 1.0, 1.0, 64.0}, std::vector{10.0, 11.0, 9.0, 2.0});
  FitOptions hc3;
  hc3.se = StandardError::kHc3;
  const Fit fit = fit_law(cells, hc3);
  EXPECT_FALSE(fit.parameters[1].se);
  EXPECT_TRUE(fit.parameters[1].classic_se);
  EXPECT_FALSE(fit.cooks_distance_max);
  EXPECT_EQ(fit.sole_support_x, 64);
  EXPECT_TRUE(warns(fit, WarningCode::kInfluential));
  EXPECT_NE(explain(WarningCode::kInfluential, fit).find("64"), std::string::npos);
}

// R: clubSandwich 0.5 refuses a single cluster; statsmodels 0.13 divides by zero.
TEST(FitLaw, LeavesClusterErrorsEmptyWithOneClusterAndSaysSo) {
  for (const StandardError se : {StandardError::kCluster, StandardError::kCr2}) {
    const Fit fit =
        fit_law(point_cells(kNodes, times(100, 0.5, {1.1, 0.9, 0.95, 1.05})), {.se = se});
    EXPECT_FALSE(fit.parameters[1].se);
    EXPECT_TRUE(fit.parameters[1].classic_se);
    EXPECT_TRUE(warns(fit, WarningCode::kFewClusters));
    EXPECT_NE(explain(WarningCode::kFewClusters, fit).find("one run"), std::string::npos);
  }
}

// Two runs whose times differ by the same factor everywhere: their scores of the slope cancel, and
// what is left, 1e-16, is rounding and no standard error.
TEST(FitLaw, LeavesClusterErrorsEmptyWhereTheScoresOfRunsCancel) {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::uint32_t> runs;
  for (const std::uint32_t run : {0U, 1U}) {
    for (const double n : {1.0, 2.0, 4.0, 8.0}) {
      x.push_back(n);
      y.push_back(100 / std::sqrt(n) * (run == 0 ? 1 : 1.1));
      runs.push_back(run);
    }
  }
  const Fit fit = fit_law(point_cells(x, y, {}, runs), {.se = StandardError::kCluster});
  EXPECT_FALSE(fit.parameters[1].se);
  EXPECT_FALSE(fit.parameters[1].p);
}

// With the floor held at 0 the law is a power law, also to the errors of clusters.
TEST(FitLaw, HasClusterErrorsBesideAParameterOnItsBound) {
  const std::vector<double> x{1, 1, 2, 2, 4, 4, 8, 8, 16, 16};
  const std::vector<double> y{100, 99, 48, 47, 23, 23.5, 11, 11.2, 5, 5.2};
  const std::vector<std::uint32_t> runs{0, 1, 0, 1, 2, 3, 2, 3, 4, 5};
  const std::vector<Cell> cells = point_cells(x, y, {}, runs);
  for (const StandardError se : {StandardError::kCluster, StandardError::kCr2}) {
    const Fit floor = fit_law(cells, {.law = find_law("floor"), .se = se});
    const Fit power = fit_law(cells, {.se = se});
    ASSERT_TRUE(floor.parameters[2].on_bound);
    EXPECT_FALSE(floor.parameters[2].se);
    ASSERT_TRUE(floor.parameters[1].se);
    if (se == StandardError::kCr2) {
      EXPECT_NEAR(*floor.parameters[1].se, *power.parameters[1].se, 1e-9);
      EXPECT_NEAR(*floor.parameters[1].dof, *power.parameters[1].dof, 1e-6);
    }
  }
}

TEST(FitLaw, AdvisesCr2ForFewClusters) {
  std::vector<double> y = times(100, 0.5, {1.1, 0.9, 0.95, 1.05, 1.02});
  std::vector<std::uint32_t> runs{0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
  const Fit fit = fit_law(point_cells(kNodes, y, {}, runs), {.se = StandardError::kCluster});
  EXPECT_TRUE(warns(fit, WarningCode::kFewClusters));
  EXPECT_NE(explain(WarningCode::kFewClusters, fit).find("--se cr2"), std::string::npos);
}

// statsmodels 0.13, OLS of ln y: get_influence().resid_studentized_external.
// Without it, the other three lie on a line.
/// In whole seconds the last one can be no nearer to 12.5.
TEST(FitLaw, RoundingIsNoOutlier) {
  const std::vector<double> x{1, 2, 4, 8};
  const Fit fit = fit_law(point_cells(x, std::vector<double>{100, 50, 25, 12}), {});
  ASSERT_TRUE(fit.outlier);
  EXPECT_EQ(fit.outlier->y, 12);
  EXPECT_LT(fit.outlier->p, 1e-6);
  EXPECT_TRUE(fit.outlier->is_rounded);
  EXPECT_FALSE(warns(fit, WarningCode::kOutlier));
  EXPECT_FALSE(warns(fit, WarningCode::kInfluential));
  const Fit finer =
      fit_law(point_cells(x, std::vector<double>{100, 50, 25, 12.01}), {});  // In hundredths.
  EXPECT_TRUE(warns(finer, WarningCode::kOutlier));
}

TEST(FitLaw, OfExactRunsAParameterThatIsRoundingIsZero) {
  FitOptions options;
  options.law = find_law("usl");
  const std::vector<double> x{1, 2, 4, 8, 16, 32};
  std::vector<double> y;
  for (const double n : x) y.push_back(100 * (1 + 0.02 * (n - 1)) / n);
  const Fit fit = fit_law(point_cells(x, y), options);
  EXPECT_EQ(fit.parameters[2].estimate, 0);
  EXPECT_TRUE(fit.parameters[2].on_bound);
  EXPECT_NEAR(fit.parameters[1].estimate, 0.02, 1e-12);
  for (double& value : y) value *= 1e200;
  EXPECT_THROW(fit_law(point_cells(x, y), options), FitError);
}

TEST(FitLaw, TheOnlyRunOffTheLawIsAnOutlier) {
  const Fit fit =
      fit_law(point_cells(std::vector<double>{1, 1, 4, 4}, std::vector<double>{1, 1, 1, 4}), {});
  ASSERT_TRUE(fit.outlier);
  EXPECT_LT(fit.outlier->p, 1e-6);
}

TEST(FitLaw, WarnsOfARunThatFailed) {
  const std::vector<double> x{1, 1, 2, 2, 4, 4, 8, 8};
  const std::vector<double> y{950, 948, 480, 478, 30, 242, 121, 122};
  const Fit fit = fit_law(point_cells(x, y), {});
  ASSERT_TRUE(fit.outlier);
  EXPECT_EQ(fit.outlier->x, 4);
  EXPECT_EQ(fit.outlier->y, 30);
  EXPECT_NEAR(fit.outlier->t, -567.658033, 1e-4);
  EXPECT_TRUE(warns(fit, WarningCode::kOutlier));
  EXPECT_NE(explain(WarningCode::kOutlier, fit).find("y = 30 at x = 4"), std::string::npos);
  const Fit merged = fit_law(merged_cells(point_cells(x, y)), {});
  EXPECT_EQ(merged.outlier->y, 30);
  EXPECT_NEAR(merged.outlier->t, -567.658033, 1e-4);
}

TEST(FitLaw, WarnsOfNoInfluenceWhereChanceGivesAsMuch) {
  const std::vector<double> x{1, 2, 4, 8};
  const std::vector<double> y{100, 52, 26, 15};  // Cook's distance 1.8, of an ordinary table.
  const Fit fit = fit_law(point_cells(x, y), {});
  EXPECT_GT(*fit.cooks_distance_max, 1);
  EXPECT_FALSE(warns(fit, WarningCode::kInfluential));
  EXPECT_FALSE(warns(fit, WarningCode::kOutlier));
}

TEST(FitLaw, SaysWhereTheExponentMayBeZero) {
  const std::vector<double> x{1, 2, 4, 8};
  EXPECT_TRUE(
      warns(fit_law(point_cells(x, std::vector{100.0, 70.0, 95.0, 80.0}), {}), WarningCode::kFlat));
  EXPECT_FALSE(
      warns(fit_law(point_cells(x, std::vector{100.0, 52.0, 26.0, 14.0}), {}), WarningCode::kFlat));
}

TEST(FitLaw, HandlesHugeAndTinyTimes) {
  for (const double alpha : {1e-300, 1e-9, 1e9, 1e290}) {
    const Fit fit = fit_law(point_cells(kNodes, times(alpha, 0.5, {1.1, 0.9, 0.95, 1.05})), {});
    EXPECT_NEAR(fit.parameters[0].estimate / alpha, 1.0026, 1e-2);
    EXPECT_TRUE(std::isfinite(*fit.sigma));
    EXPECT_TRUE(std::isfinite(fit.speedup->observed));
  }
}

TEST(FitLaw, TellsTheCurvatureOverANarrowRangeOfX) {
  std::vector<double> x;
  for (int i = 0; i < 6; ++i) x.push_back(1 + 1e-6 * i);
  const Fit fit = fit_law(point_cells(x, times(100, 0.5, {1.1, 0.9, 0.95, 1.05, 1, 1.02})), {});
  ASSERT_TRUE(fit.curvature);
  EXPECT_TRUE(fit.curvature->t);
}

TEST(FitLaw, WarnsOfCurvature) {
  std::vector<double> y;
  for (const double n : kNodes) y.push_back(100 / n + 5);
  const Fit fit = fit_law(point_cells(kNodes, y), {});
  EXPECT_TRUE(warns(fit, WarningCode::kCurved));
  EXPECT_GT(fit.curvature->estimate, 0);
  EXPECT_NE(explain(WarningCode::kCurved, fit).find("curvature"), std::string::npos);
}

TEST(FitLaw, WarnsOfLackOfFitAgainstReplicates) {
  std::vector<double> x;
  std::vector<double> y;
  for (const double n : kNodes) {
    for (const double factor : {0.999, 1.0, 1.001}) {
      x.push_back(n);
      y.push_back((100 / n + 5) * factor);
    }
  }
  const Fit fit = fit_law(point_cells(x, y), {});
  EXPECT_TRUE(warns(fit, WarningCode::kLackOfFit));
}

TEST(FitLaw, WarnsOfAPointThatBendsTheCurveAndOfTheSpeedupItSpoils) {
  std::vector<double> y = times(100, 0.7, {1.01, 0.99});
  y[9] *= 4;
  const Fit fit = fit_law(point_cells(kNodes, y), {});
  EXPECT_GT(*fit.cooks_distance_max, 1);
  EXPECT_TRUE(warns(fit, WarningCode::kInfluential));
  EXPECT_TRUE(warns(fit, WarningCode::kOverpredictsSpeedup));
}

TEST(FitLaw, WarnsOfScatterThatGrowsWithX) {
  std::vector<double> x;
  std::vector<double> y;
  for (const double n : kNodes) {
    for (const double sign : {-1.0, 1.0}) {
      x.push_back(n);
      y.push_back(100 / n * std::exp(sign * 0.001 * n));
    }
  }
  const Fit fit = fit_law(point_cells(x, y), {});
  EXPECT_LT(*fit.scatter_trend_p, 0.01);
  EXPECT_TRUE(warns(fit, WarningCode::kHeteroscedastic));
}

TEST(FitLaw, WarnsOfEpochsAsRunsWhereToldSo) {
  const auto cells = point_cells(kNodes, times(100, 0.5, {1.1, 0.9, 0.95, 1.05}));
  EXPECT_TRUE(warns(fit_law(cells, {.epochs_as_runs = true}), WarningCode::kEpochsAsRuns));
  EXPECT_FALSE(warns(fit_law(cells, {}), WarningCode::kEpochsAsRuns));
}

TEST(Explain, SaysInASentenceWhatEveryWarningMeans) {
  const Fit fit = fit_law(point_cells(kNodes, times(100, 0.5, {1.1, 0.9, 0.95, 1.05})), {});
  for (int code = 0; code <= static_cast<int>(WarningCode::kShortRange); ++code) {
    const std::string sentence = explain(static_cast<WarningCode>(code), fit);
    EXPECT_GT(sentence.size(), 40u);
    EXPECT_EQ(sentence.back(), '.');
    EXPECT_NE(name_of(static_cast<WarningCode>(code)), "unknown");
  }
}

TEST(Explain, WritesNumbersOfOrdinarySizeWithoutExponents) {
  Fit fit;
  fit.law = find_law("power");
  fit.x_min = 8;
  fit.x_max = 1048576;
  fit.speedup = Speedup{.observed = 1234.56, .implied = 10000.4};
  EXPECT_EQ(explain(WarningCode::kOverpredictsSpeedup, fit),
            "From x = 8 to 1048576 the curve promises a speedup of 10000, measured is 1235 (more "
            "than 1.2 times less). The exponent is too good for the largest runs.");
  fit.x_max = 12.3456;
  EXPECT_NE(explain(WarningCode::kShortRange, fit).find("only 8 to 12.3456, less"),
            std::string::npos);
  fit.curvature = Curvature{.estimate = -0.031415, .t = -9, .p = 7.19e-21};
  EXPECT_NE(
      explain(WarningCode::kCurved, fit).find("(curvature -0.0314, p = 7.19e-21, below 0.01)"),
      std::string::npos);
}

TEST(Law, IsFoundByItsNameOnly) {
  for (const std::string_view name : law_names()) EXPECT_EQ(find_law(name)->name(), name);
  EXPECT_EQ(find_law("Power"), nullptr);
  EXPECT_EQ(find_law("power")->formula(Response::kTime), "t = alpha * N^(-beta)");
  EXPECT_EQ(find_law("power")->formula(Response::kRate), "y = alpha * N^beta");
}

}  // namespace
}  // namespace scalelaw
