#include "scalelaw/fit/likelihood.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/cells_of.hpp"

// Expectations: scipy 1.10.1 through oracle/profile_oracle.py.

namespace scalelaw {
namespace {

std::vector<Cell> cells() {
  const std::vector<double> x{1, 2, 4, 8, 16, 32, 64, 1, 4, 16, 64};
  const std::vector<double> y{101, 55.5, 31.0, 18.1, 12.9, 9.3, 8.4, 97.0, 32.4, 12.1, 8.0};
  return point_cells(x, y);
}

LikelihoodProfile profile_of(const char* law, const char* parameter) {
  FitOptions options;
  options.law = find_law(law);
  return likelihood_profile(cells(), options, parameter);
}

struct Expected {
  const char* law;
  const char* parameter;
  std::size_t index;
  double value;
  double log_ratio;
};

TEST(LikelihoodProfile, AgreesWithScipyInSevenDigits) {
  for (const Expected& one : {Expected{"power", "beta", 10, 0.49602734910121, -3.56562676},
                              {"power", "beta", 67, 0.670844425663847, -1.12994006},
                              {"floor", "beta", 10, 0.899353506550175, -4.18685262},
                              {"floor", "beta", 87, 1.0631575413986, -4.12353634},
                              {"amdahl", "s", 10, 0.0577560676780427, -3.80440181},
                              {"amdahl", "s", 87, 0.0722974211975765, -3.65021869},
                              {"usl", "sigma", 10, 0.0475625136635013, -4.2513812},
                              {"usl", "sigma", 87, 0.0786312729532856, -7.72407763},
                              {"broken", "beta_high", 10, 0.218829901077177, -4.53681202},
                              {"broken", "beta_high", 87, 0.391332884930281, -4.6991328},
                              {"broken", "break", 10, 8.30347249690496, -4.46010419},
                              {"broken", "break", 87, 14.9592670400664, -4.62035329}}) {
    const LikelihoodProfile profile = profile_of(one.law, one.parameter);
    const LikelihoodPoint& point = profile.points.at(one.index);
    EXPECT_NEAR(point.value / one.value, 1, 1e-7) << one.law << " " << one.parameter;
    ASSERT_TRUE(point.log_ratio);
    EXPECT_NEAR(*point.log_ratio / one.log_ratio, 1, 2e-6) << one.law << " " << one.parameter;
  }
}

/// The log ratio at a value, interpolated between two points.
double log_ratio_at(const LikelihoodProfile& profile, double value) {
  for (std::size_t i = 1; i < profile.points.size(); ++i) {
    const LikelihoodPoint& a = profile.points[i - 1];
    const LikelihoodPoint& b = profile.points[i];
    if (value > b.value) continue;
    return *a.log_ratio + (*b.log_ratio - *a.log_ratio) * (value - a.value) / (b.value - a.value);
  }
  return 0;
}

TEST(LikelihoodProfile, PassesTheCutAtTheEndsOfTheInterval) {
  for (const auto& [law, parameter] :
       {std::pair("power", "beta"), std::pair("power", "alpha"), std::pair("lognormal", "c"),
        std::pair("floor", "beta"), std::pair("amdahl", "s"), std::pair("broken", "beta_low"),
        std::pair("broken", "break"), std::pair("linear", "b"), std::pair("proportional", "b")}) {
    const LikelihoodProfile profile = profile_of(law, parameter);
    const Interval ci = *profile.parameter.ci;
    EXPECT_NEAR(log_ratio_at(profile, ci.lower), profile.cut, 0.01) << law << " " << parameter;
    EXPECT_NEAR(log_ratio_at(profile, ci.upper), profile.cut, 0.01) << law << " " << parameter;
  }
}

// -n/2 ln(1 + t^2 / dof) with Student's t of 9 degrees of freedom, 2.262157, and n = 11.
TEST(LikelihoodProfile, CutsWhereStudentsTDoes) {
  EXPECT_NEAR(profile_of("power", "beta").cut, -2.475992, 1e-6);
}

TEST(LikelihoodProfile, OfALinearLawIsThatOfWald) {
  const LikelihoodProfile profile = profile_of("power", "beta");
  EXPECT_EQ(profile.parameter.ci->lower, profile.parameter.wald_ci->lower);
  for (const LikelihoodPoint& point : profile.points) {
    EXPECT_EQ(point.log_ratio, point.wald_log_ratio);
  }
}

TEST(LikelihoodProfile, EndsAtABound) {
  FitOptions options;
  options.law = find_law("floor");
  const std::vector<double> x{1, 2, 4, 8, 16, 32};
  const std::vector<double> y{100, 57, 33, 19, 11, 5.6};  // Steeper at the end: no floor.
  const LikelihoodProfile profile = likelihood_profile(point_cells(x, y), options, "gamma");
  EXPECT_EQ(profile.parameter.estimate, 0);
  EXPECT_EQ(profile.points.front().value, 0);
  EXPECT_EQ(profile.points.front().log_ratio, 0);
  EXPECT_LT(*profile.points.back().log_ratio, profile.cut);
}

TEST(LikelihoodProfile, NeedsScatterAndDegreesOfFreedom) {
  const std::vector<double> x{1, 2, 4};
  const std::vector<double> exact{100, 50, 25};
  const std::vector<double> scattered{100, 50, 26};
  EXPECT_THROW(likelihood_profile(point_cells(x, exact), {}, "beta"), FitError);
  EXPECT_THROW(
      likelihood_profile(point_cells(std::span(x).first(2), std::span(exact).first(2)), {}, "beta"),
      FitError);
  EXPECT_NO_THROW(likelihood_profile(point_cells(x, scattered), {}, "beta"));
}

TEST(LikelihoodProfile, RefusesWhatHasNoLikelihood) {
  FitOptions options;
  options.se = StandardError::kHc3;
  EXPECT_THROW(likelihood_profile(cells(), options, "beta"), DataError);
  EXPECT_THROW(likelihood_profile(cells(), {}, "gamma"), DataError);
}

TEST(ExponentName, IsBetaOrTheSecondParameter) {
  EXPECT_EQ(exponent_name(*find_law("floor")), "beta");
  EXPECT_EQ(exponent_name(*find_law("lognormal")), "b");
  EXPECT_EQ(exponent_name(*find_law("broken")), "beta_low");
  EXPECT_EQ(exponent_name(*find_law("proportional")), "b");
}

}  // namespace
}  // namespace scalelaw
