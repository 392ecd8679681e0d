#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "fit/cells_of.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/fit/robust.hpp"
#include "support/fit_cases.hpp"
#include "support/json.hpp"
#include "support/places.hpp"

// Expectations: statsmodels 0.13.5 RLM and scipy 1.10.1 theilslopes, through oracle/make_oracle.py.

namespace scalelaw {
namespace {

using nlohmann::json;

json robust_cases() {
  std::ifstream in(source_folder().string() + "/tests/fit/oracle/robust.json");
  return parse_json(in);
}

FitOptions options_of(const json& study, Robust robust) {
  const std::string name = study["law"];
  FitOptions options;
  options.law = find_law(name == "rate" ? "power" : name);
  options.response = name == "rate" ? Response::kRate : Response::kTime;
  options.robust = robust;
  return options;
}

double robust_working(const Fit& fit, std::size_t k) {
  return k == 0 && fit.log_alpha ? fit.log_alpha->estimate : fit.parameters[k].estimate;
}

TEST(Huber, AgreesWithStatsmodelsRlmToSevenDigits) {
  double worst = 15;
  for (const json& study : robust_cases()) {
    const json& expected = study["huber"];
    const Fit fit = fit_law(points_of(study), options_of(study, Robust::kHuber));
    worst = std::min(worst, correct_digits(*fit.sigma, expected["scale"]));
    for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
      worst = std::min(worst, correct_digits(robust_working(fit, k), expected["estimates"][k]));
    }
    for (std::size_t i = 0; i < fit.covariance.size(); ++i) {
      worst = std::min(worst, correct_digits(fit.covariance[i], expected["covariance"][i]));
    }
    EXPECT_GE(worst, 7) << study["law"];
    EXPECT_FALSE(fit.r2 || fit.f || fit.log_likelihood || fit.aic || fit.curvature ||
                 fit.lack_of_fit || fit.cooks_distance_max);
    EXPECT_TRUE(fit.rmse && fit.mape && fit.speedup);
  }
  std::cout << "worst agreement " << worst << " digits\n";
}

TEST(TheilSen, AgreesWithScipyTheilslopes) {
  double worst = 15;
  for (const json& study : robust_cases()) {
    if (!study.contains("theil_sen")) continue;
    const json& expected = study["theil_sen"];
    const Fit fit = fit_law(points_of(study), options_of(study, Robust::kTheilSen));
    const Parameter& slope = fit.parameters[1];
    worst = std::min({worst, correct_digits(robust_working(fit, 0), expected["estimates"][0]),
                      correct_digits(slope.estimate, expected["estimates"][1]),
                      correct_digits(slope.ci->lower, expected["interval"][0]),
                      correct_digits(slope.ci->upper, expected["interval"][1])});
    EXPECT_GE(worst, 12) << study["law"];
    EXPECT_FALSE(slope.se || slope.p || fit.log_likelihood || fit.r2);
    EXPECT_TRUE(fit.covariance.empty());
  }
  std::cout << "worst agreement " << worst << " digits\n";
}

TEST(TheilSen, SelectsTheSameSlopesBySearchAsByListing) {
  RandomStream stream(11);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 1500; ++i) {
    x.push_back(std::floor(200 * stream.uniform()));
    y.push_back(3 - 0.25 * x.back() + stream.normal());
  }
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (x[j] > x[i]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
    }
  }
  std::sort(slopes.begin(), slopes.end());
  const std::size_t middle = slopes.size() / 2;
  const double median =
      slopes.size() % 2 == 1 ? slopes[middle] : 0.5 * (slopes[middle - 1] + slopes[middle]);
  const TheilSen line = theil_sen(x, y);
  EXPECT_NEAR(line.slope, median, 1e-12);
  EXPECT_LT(line.slope_ci->lower, median);
  EXPECT_GT(line.slope_ci->upper, median);
  const auto is_a_slope = [&](double value) {
    const auto next = std::lower_bound(slopes.begin(), slopes.end(), value - 1e-12);
    return next != slopes.end() && *next < value + 1e-12;
  };
  EXPECT_TRUE(is_a_slope(line.slope_ci->lower));
  EXPECT_TRUE(is_a_slope(line.slope_ci->upper));
}

TEST(TheilSen, KeepsItsDigitsWhereTwoXNearlyAgree) {
  RandomStream stream(5);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 1200; ++i) {
    x.push_back(i % 2 == 0 ? i : x.back() + 1e-12);
    y.push_back(0.25 * x.back() + stream.normal());
  }
  std::vector<double> slopes;
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
  }
  std::sort(slopes.begin(), slopes.end());
  const std::size_t middle = slopes.size() / 2;
  EXPECT_NEAR(theil_sen(x, y).slope, 0.5 * (slopes[middle - 1] + slopes[middle]), 1e-15);
}

TEST(TheilSen, NeedsTwoDifferentX) {
  EXPECT_THROW(theil_sen(std::vector{1.0}, std::vector{1.0}), FitError);
  EXPECT_THROW(theil_sen(std::vector{1.0, 1.0}, std::vector{1.0, 2.0}), FitError);
  EXPECT_THROW(theil_sen(std::vector{1.0, 1.0}, std::vector{1.0}), std::invalid_argument);
}

TEST(TheilSen, IgnoresAFewWildPoints) {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 1; i <= 20; ++i) {
    x.push_back(i);
    y.push_back(i % 7 == 0 ? 1e6 : 2.0 * i + 1);
  }
  const TheilSen line = theil_sen(x, y);
  EXPECT_NEAR(line.slope, 2, 1e-9);
}

TEST(RobustFit, LeavesErrorsEmptyWhereHalfThePointsFitExactly) {
  const std::vector<double> x{1, 2, 4, 8, 16, 32};
  const std::vector<double> y{64, 32, 16, 8, 4, 2};
  FitOptions options;
  options.robust = Robust::kHuber;
  const Fit fit = fit_law(point_cells(x, y), options);
  EXPECT_NEAR(fit.parameters[1].estimate, 1, 1e-14);
  EXPECT_FALSE(fit.parameters[1].se);
}

TEST(RobustFit, DoesNotDependOnTheUnitOfWeights) {
  const std::vector<double> x{1, 2, 4, 8, 16, 32, 64};
  const std::vector<double> y{64, 33, 15, 8.3, 3.9, 6, 1.02};
  FitOptions options;
  options.robust = Robust::kHuber;
  const Fit plain = fit_law(point_cells(x, y, std::vector<double>(7, 1)), options);
  const Fit heavy = fit_law(point_cells(x, y, std::vector<double>(7, 0x1p100)), options);
  EXPECT_DOUBLE_EQ(heavy.parameters[1].estimate, plain.parameters[1].estimate);
  EXPECT_GT(*heavy.parameters[1].se, 0);
}

TEST(RobustFit, RefusesWhatIsNoLineOnItsOwnScale) {
  const auto cells = point_cells(std::vector{1.0, 2.0, 4.0, 8.0}, std::vector{8.0, 4.1, 2.2, 1.0});
  FitOptions normal;
  normal.robust = Robust::kHuber;
  normal.errors = Errors::kNormal;
  EXPECT_THROW(fit_law(cells, normal), DataError);
  FitOptions through_origin;
  through_origin.law = find_law("proportional");
  through_origin.robust = Robust::kTheilSen;
  EXPECT_THROW(fit_law(cells, through_origin), DataError);
}

}  // namespace
}  // namespace scalelaw
