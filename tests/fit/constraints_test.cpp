#include "scalelaw/fit/constraints.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "fit/cells_of.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/fit/surface.hpp"

namespace scalelaw {
namespace {

const std::vector<double> kX{1, 2, 4, 8, 16};
const std::vector<double> kY{102, 55, 29, 16, 9.5};

Fit fitted(std::string_view law, const Constraints& constraints, FitOptions options = {}) {
  options.law = &constrained(*find_law(law), constraints);
  return fit_law(point_cells(kX, kY), options);
}

void expect_near(double value, double expected, double relative = 1e-12) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

void expect_same(const Parameter& a, const Parameter& b, double relative) {
  expect_near(a.estimate, b.estimate, relative);
  expect_near(a.se.value(), b.se.value(), relative);
  expect_near(a.ci->lower, b.ci->lower, relative);
  expect_near(a.ci->upper, b.ci->upper, relative);
}

TEST(Constraints, OfNoneAreTheLawItself) {
  EXPECT_EQ(&constrained(*find_law("usl"), {}), find_law("usl"));
  const Constraints fixed{.fixed = {{"kappa", 0}}, .tied = {}, .bounded = {}};
  EXPECT_EQ(&constrained(*find_law("usl"), fixed), &constrained(*find_law("usl"), fixed));
}

// ln alpha is the mean of ln y + beta ln x, with Student's interval at n - 1 degrees of freedom.
TEST(Constraints, AFixedExponentLeavesAMean) {
  const Fit fit = fitted("power", {.fixed = {{"beta", 0.85}}, .tied = {}, .bounded = {}});
  double mean = 0;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    mean += (std::log(kY[i]) + 0.85 * std::log(kX[i])) / 5;
  }
  double squares = 0;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    squares += std::pow(std::log(kY[i]) + 0.85 * std::log(kX[i]) - mean, 2);
  }
  EXPECT_EQ(fit.dof, 4);
  EXPECT_EQ(fit.parameters[1].estimate, 0.85);
  EXPECT_TRUE(fit.parameters[1].fixed);
  EXPECT_FALSE(fit.parameters[1].on_bound);
  EXPECT_FALSE(fit.parameters[1].se.has_value());
  EXPECT_FALSE(fit.parameters[1].ci.has_value());
  expect_near(fit.parameters[0].estimate, std::exp(mean));
  expect_near(fit.sigma.value(), std::sqrt(squares / 4));
  constexpr double kT = 2.7764451051977987;  // Student's 97.5 % point at 4, of tables.
  expect_near(fit.parameters[0].ci->upper, std::exp(mean + kT * std::sqrt(squares / 4 / 5)), 1e-9);
}

TEST(Constraints, UslWithoutCoherencyIsAmdahl) {
  const Fit usl = fitted("usl", {.fixed = {{"kappa", 0}}, .tied = {}, .bounded = {}});
  const Fit amdahl = fitted("amdahl", {});
  EXPECT_EQ(usl.dof, amdahl.dof);
  expect_same(usl.parameters[0], amdahl.parameters[0], 1e-7);
  expect_same(usl.parameters[1], amdahl.parameters[1], 1e-7);
  expect_near(usl.aicc.value(), amdahl.aicc.value(), 1e-10);
}

TEST(Constraints, ALogNormalWithoutBendIsAPowerLaw) {
  const Fit bent = fitted("lognormal", {.fixed = {{"c", 0}}, .tied = {}, .bounded = {}});
  const Fit power = fitted("power", {});
  expect_near(bent.parameters[0].estimate, power.log_alpha->estimate);
  expect_same(bent.parameters[1], power.parameters[1], 1e-9);
  expect_near(bent.curve(64), power.curve(64));
  expect_near(bent.curve_se(64).value(), power.curve_se(64).value(), 1e-9);
}

TEST(Constraints, BootstrapsFollow) {
  FitOptions options;
  options.bootstrap.resamples = 200;
  const Fit fit = fitted("floor", {.fixed = {{"beta", 1}}, .tied = {}, .bounded = {}}, options);
  ASSERT_EQ(fit.bootstrap->parameters.size(), 3);
  EXPECT_GT(fit.bootstrap->parameters[0].se, 0);
  EXPECT_EQ(fit.bootstrap->parameters[1].se, 0);
  EXPECT_GT(fit.bootstrap->parameters[2].se, 0);
}

TEST(Constraints, ABrokenLineTakesAFixedBreak) {
  const Fit fit = fitted("broken", {.fixed = {{"break", 4}}, .tied = {}, .bounded = {}});
  // Two lines that meet at ln 4: their slopes by numpy.linalg.lstsq over (1, min, max).
  expect_near(fit.parameters[1].estimate, 0.91676166115591684, 1e-9);
  expect_near(fit.parameters[2].estimate, 0.80930941296017611, 1e-9);
}

TEST(Constraints, AnEstimateAtTheEndOfItsRangeIsOnABound) {
  const Fit fit = fitted("power", {.fixed = {}, .tied = {}, .bounded = {{"beta", {0.9, 1}}}});
  EXPECT_EQ(fit.parameters[1].estimate, 0.9);
  EXPECT_TRUE(fit.parameters[1].on_bound);
  EXPECT_EQ(fit.dof, 3);  // It may have been another.
  const Fit inside = fitted("power", {.fixed = {}, .tied = {}, .bounded = {{"beta", {0.5, 1}}}});
  expect_same(inside.parameters[0], fitted("power", {}).parameters[0], 1e-8);
}

// With one restriction, F is the square of Student's t of the free estimate.
TEST(Constraints, AreHeldAgainstTheFreeLaw) {
  const Fit free = fitted("power", {});
  const Fit held = fitted("power", {.fixed = {{"beta", 0.85}}, .tied = {}, .bounded = {}});
  const Parameter& beta = free.parameters[1];
  ASSERT_TRUE(held.free_law);
  expect_near(held.free_law->f, std::pow((beta.estimate - 0.85) / *beta.se, 2), 1e-9);
  EXPECT_EQ(held.free_law->dof1, 1);
  EXPECT_EQ(held.free_law->dof2, 3);
  expect_near(*held.free_law->aicc_difference, *held.aicc - *free.aicc);
  EXPECT_FALSE(free.free_law);
  // A range takes no parameter away.
  const Fit bounded = fitted("power", {.fixed = {}, .tied = {}, .bounded = {{"beta", {0.5, 2}}}});
  EXPECT_FALSE(bounded.free_law);
}

// Nine runs over two scales. Expectations by make_constraints_oracle.py (mpmath).
const std::vector<double> kN{1e8, 1e8, 1e8, 4e8, 4e8, 4e8, 1.6e9, 1.6e9, 1.6e9};
const std::vector<double> kD{2e9, 8e9, 3.2e10, 2e9, 8e9, 3.2e10, 2e9, 8e9, 3.2e10};
const std::vector<double> kLoss{3.46, 3.02, 2.78, 3.17, 2.77, 2.49, 3.04, 2.60, 2.35};

Fit surface(const Constraints& constraints, std::uint32_t resamples = 0) {
  FitOptions options;
  options.law = &constrained(*find_law("chinchilla"), constraints);
  options.robust = Robust::kNone;
  options.bootstrap = {.resamples = resamples, .kind = BootstrapKind::kCase};
  return fit_surface(kN, kD, kLoss, options);
}

TEST(Constraints, OfASurfaceFixAndTie) {
  const Fit fit = surface({.fixed = {{"E", 1.7}}, .tied = {{"alpha", "beta"}}, .bounded = {}});
  const auto& p = fit.parameters;
  EXPECT_EQ(fit.dof, 6);
  expect_near(p[0].estimate, std::exp(6.26459492589432), 1e-9);
  expect_near(p[1].estimate, std::exp(7.823023140689593), 1e-9);
  EXPECT_EQ(p[2].estimate, 1.7);
  EXPECT_FALSE(p[2].se.has_value());
  expect_near(p[3].estimate, 0.3616256092656738, 1e-10);
  EXPECT_EQ(p[4].estimate, p[3].estimate);
  EXPECT_EQ(p[4].tied_to, "alpha");
  expect_near(p[0].se.value(), p[0].estimate * 0.1000532334994595, 1e-7);
  expect_near(p[3].se.value(), 0.00517684786204406, 1e-7);
  EXPECT_EQ(p[4].se, p[3].se);
  EXPECT_EQ(p[4].ci->lower, p[3].ci->lower);
  expect_near(fit.rss, 0.0001219957179523626, 1e-9);
  EXPECT_EQ((*fit.surface->split)[0].estimate, 0.5);
  EXPECT_FALSE((*fit.surface->split)[0].se.has_value());
}

TEST(Constraints, OfASurfaceFixAPrefactor) {
  const Fit fit = surface({.fixed = {{"A", 300}}, .tied = {}, .bounded = {}});
  const auto& p = fit.parameters;
  EXPECT_EQ(p[0].estimate, 300);
  expect_near(p[1].estimate, std::exp(7.875151393762462), 1e-8);
  expect_near(p[2].estimate, 1.665489620518058, 1e-9);
  expect_near(p[3].estimate, 0.3281974299597384, 1e-9);
  expect_near(p[4].estimate, 0.3643183117110466, 1e-9);
  expect_near(p[3].se.value(), 0.002081835085180382, 1e-6);
  expect_near(p[4].se.value(), 0.04745120004315171, 1e-6);
}

TEST(Constraints, OfASurfaceKeepARange) {
  const Fit free = surface({});
  ASSERT_LT(free.parameters[3].estimate, 0.6);
  const Fit held = surface({.fixed = {{"E", 1.7}, {"alpha", 0.4}}, .tied = {}, .bounded = {}});
  expect_near(held.parameters[0].estimate, std::exp(6.91374365218373), 1e-9);
  expect_near(held.parameters[4].estimate, 0.3411879165455306, 1e-9);
  const Constraints range{.fixed = {{"E", 1.7}}, .tied = {}, .bounded = {{"alpha", {0.2, 0.4}}}};
  const Fit fit = surface(range);
  const Fit inside = surface({.fixed = {{"E", 1.7}}, .tied = {}, .bounded = {}});
  if (inside.parameters[3].estimate > 0.4) {
    EXPECT_TRUE(fit.parameters[3].on_bound);
    expect_near(fit.parameters[3].estimate, 0.4, 1e-12);
    expect_near(fit.parameters[4].estimate, 0.3411879165455306, 1e-9);
  } else {
    expect_near(fit.parameters[3].estimate, inside.parameters[3].estimate, 1e-9);
  }
}

TEST(Constraints, OfASurfaceFollowIntoTheBootstrap) {
  const Fit fit = surface({.fixed = {{"E", 1.7}}, .tied = {{"alpha", "beta"}}, .bounded = {}}, 200);
  const auto& drawn = fit.bootstrap->parameters;
  ASSERT_EQ(drawn.size(), 5);
  EXPECT_EQ(drawn[2].se, 0);
  EXPECT_GT(drawn[3].se, 0);
  EXPECT_EQ(drawn[4].se, drawn[3].se);
}

TEST(Constraints, OfRobustFitsAreTestedByTheFreeCovariance) {
  const Constraints tied{.fixed = {}, .tied = {{"alpha", "beta"}}, .bounded = {}};
  FitOptions options;
  options.robust = Robust::kHuber;
  options.huber_delta = 0.01;
  options.law = find_law("chinchilla");
  const Fit free = fit_surface(kN, kD, kLoss, options);
  options.law = &constrained(*options.law, tied);
  const Fit held = fit_surface(kN, kD, kLoss, options);
  const auto& v = free.covariance;
  const double distance = free.parameters[3].estimate - free.parameters[4].estimate;
  const double variance = v[5 * 3 + 3] + v[5 * 4 + 4] - 2 * v[5 * 3 + 4];
  ASSERT_TRUE(held.free_law);
  expect_near(held.free_law->f, distance * distance / variance, 1e-6);
}

// With the truth held, 95 % intervals of the others hold the truth as often, also at eight runs.
TEST(Constraints, OfASurfaceCover) {
  RandomStream stream(7);
  int alpha_inside = 0;
  constexpr int kStudies = 400;
  FitOptions options;
  options.law = &constrained(*find_law("chinchilla"),
                             {.fixed = {{"E", 1.69}}, .tied = {{"alpha", "beta"}}, .bounded = {}});
  options.robust = Robust::kNone;
  options.figures = Figures::kEstimates;
  for (int i = 0; i < kStudies; ++i) {
    std::vector<double> loss;
    for (std::size_t k = 0; k < kN.size(); ++k) {
      const double truth = 1.69 + 400 * std::pow(kN[k], -0.34) + 1500 * std::pow(kD[k], -0.34);
      loss.push_back(truth * std::exp(0.01 * stream.normal()));
    }
    const Fit fit = fit_surface(kN, kD, loss, options);
    const Interval& ci = *fit.parameters[3].ci;
    alpha_inside += ci.lower <= 0.34 && 0.34 <= ci.upper ? 1 : 0;
  }
  EXPECT_GE(alpha_inside, kStudies * 90 / 100);
  EXPECT_LE(alpha_inside, kStudies * 99 / 100);
}

TEST(Constraints, AFixedParameterLeadsWhicheverWayItIsTied) {
  const Fit one = surface({.fixed = {{"alpha", 0.34}}, .tied = {{"alpha", "beta"}}, .bounded = {}});
  const Fit other =
      surface({.fixed = {{"alpha", 0.34}}, .tied = {{"beta", "alpha"}}, .bounded = {}});
  EXPECT_EQ(one.parameters[4].estimate, 0.34);
  EXPECT_EQ(one.rss, other.rss);
}

TEST(Constraints, AFloorAboveTheLossesIsTold) {
  try {
    surface({.fixed = {{"E", 3}}, .tied = {}, .bounded = {}});
    FAIL();
  } catch (const FitError& error) {
    EXPECT_STREQ(error.what(),
                 "E is 3 or more, as --fix or --bound says, and the least value is 2.35: E must be "
                 "below it");
  }
}

TEST(Constraints, ABoundOfTheUserIsNotTheLawsFault) {
  const Fit fit = fitted("power", {.fixed = {}, .tied = {}, .bounded = {{"beta", {0.9, 1}}}});
  ASSERT_EQ(fit.warnings.front(), WarningCode::kOnBound);
  EXPECT_NE(explain(WarningCode::kOnBound, fit).find("--bound gives that end"), std::string::npos);
}

std::string refusal(std::string_view law, const Constraints& constraints) {
  try {
    constrained(*find_law(law), constraints);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(Constraints, ThatMakeNoSenseAreRefused) {
  const auto fixed = [](const char* name, double value) {
    return Constraints{.fixed = {{name, value}}, .tied = {}, .bounded = {}};
  };
  const auto tied = [](const char* first, const char* second) {
    return Constraints{.fixed = {}, .tied = {{first, second}}, .bounded = {}};
  };
  EXPECT_NE(refusal("power", fixed("gamma", 1)).find("alpha, beta"), std::string::npos);
  EXPECT_NE(refusal("chinchilla", fixed("E", -1)).find("at 0 or above"), std::string::npos);
  EXPECT_NE(refusal("chinchilla", fixed("A", 0)).find("above 0"), std::string::npos);
  EXPECT_NE(refusal("amdahl", fixed("s", 2)).find("between 0 and 1"), std::string::npos);
  EXPECT_NE(refusal("chinchilla", tied("alpha", "E")).find("different meanings"),
            std::string::npos);
  EXPECT_NE(refusal("chinchilla", tied("alpha", "alpha")).find("itself"), std::string::npos);
  EXPECT_NE(refusal("broken", fixed("beta_low", 1)).find("fix break too"), std::string::npos);
  EXPECT_NE(refusal("proportional", fixed("b", 1)).find("nothing is left"), std::string::npos);
  EXPECT_NE(refusal("power", {.fixed = {}, .tied = {}, .bounded = {{"beta", {1, 0.5}}}})
                .find("lower end"),
            std::string::npos);
  EXPECT_NE(refusal("power", {.fixed = {{"beta", 1}}, .tied = {}, .bounded = {{"beta", {0, 1}}}})
                .find("held twice"),
            std::string::npos);
}

TEST(Constraints, AreTold) {
  const Constraints all{
      .fixed = {{"E", 1.69}}, .tied = {{"alpha", "beta"}}, .bounded = {{"A", {10, 1000}}}};
  EXPECT_EQ(constraints_of(constrained(*find_law("chinchilla"), all)),
            (std::vector<std::string>{"A in 10..1000", "E = 1.69", "beta = alpha"}));
  EXPECT_TRUE(constraints_of(*find_law("power")).empty());
}

}  // namespace
}  // namespace scalelaw
