#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fit/bootstrap.hpp"
#include "fit/cells_of.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {
namespace {

// Ten points of t = 100 N^-0.7 with 5 % scatter, drawn once and fixed.
const std::vector<double> kResampledNodes{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
const std::vector<double> kTimes{103.1, 58.2, 39.9, 22.4, 14.6, 8.31, 5.72, 3.24, 2.16, 1.22};
// Two runs at each of five N.
const std::vector<double> kPairNodes{1, 1, 4, 4, 16, 16, 64, 64, 256, 256};
const std::vector<double> kPairTimes{103.1, 95.2, 39.9, 37.1, 14.6, 13.9, 5.72, 5.31, 2.16, 1.97};

FitOptions with_bootstrap(BootstrapKind kind, std::uint32_t resamples, std::uint64_t seed = 7) {
  FitOptions options;
  options.bootstrap = {.resamples = resamples, .kind = kind, .seed = seed};
  return options;
}

TEST(Bootstrap, OfWildKindHasTheStandardErrorHc3) {
  // With factors of mean 0 and variance 1, Var(theta*) = sum of a_i^2 r_i^2 / (1 - h_i)^2, which is
  // HC3.
  FitOptions hc3;
  hc3.se = StandardError::kHc3;
  const Fit fit = fit_law(point_cells(kResampledNodes, kTimes), hc3);
  for (const BootstrapKind kind : {BootstrapKind::kWild, BootstrapKind::kWebb}) {
    const Fit resampled =
        fit_law(point_cells(kResampledNodes, kTimes), with_bootstrap(kind, 100000));
    const auto& parameters = resampled.bootstrap->parameters;
    EXPECT_NEAR(parameters[1].se / *fit.parameters[1].se, 1, 0.01);
    // exp is not linear, so the value for alpha differs a little.
    EXPECT_NEAR(parameters[0].se / *fit.parameters[0].se, 1, 0.03);
  }
}

TEST(Bootstrap, OfALinearLawOfThreeParametersHasTheStandardErrorHc3Too) {
  FitOptions hc3;
  hc3.law = find_law("lognormal");
  hc3.se = StandardError::kHc3;
  const Fit fit = fit_law(point_cells(kResampledNodes, kTimes), hc3);
  FitOptions options = with_bootstrap(BootstrapKind::kWild, 100000);
  options.law = hc3.law;
  const Fit resampled = fit_law(point_cells(kResampledNodes, kTimes), options);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(resampled.bootstrap->parameters[k].se / *fit.parameters[k].se, 1, 0.01) << k;
  }
}

TEST(Bootstrap, OfResidualsHasAVarianceInClosedForm) {
  // Residuals / sqrt(1 - h), centred, have variance s^2; Var(beta*) = s^2 / Sxx. For these points,
  // by NumPy 1.24: sqrt(s^2 / Sxx).
  const Fit fit = fit_law(point_cells(kResampledNodes, kTimes),
                          with_bootstrap(BootstrapKind::kResidual, 100000));
  EXPECT_NEAR(fit.bootstrap->parameters[1].se / 0.007849827906, 1, 0.01);
}

TEST(Bootstrap, OfCasesHasAVarianceInClosedForm) {
  // Only scatter within each x counts: Var(beta*) = sum of c^2 ss / Sxx^2. From NumPy 1.24.
  const Fit fit =
      fit_law(point_cells(kPairNodes, kPairTimes), with_bootstrap(BootstrapKind::kCase, 100000));
  EXPECT_NEAR(fit.bootstrap->parameters[1].se / 0.006755180055, 1, 0.01);
}

TEST(Bootstrap, OfCasesNeedsTwoPointsAtOneX) {
  try {
    fit_law(point_cells(kResampledNodes, kTimes), with_bootstrap(BootstrapKind::kCase, 100));
    FAIL();
  } catch (const FitError& error) {
    EXPECT_EQ(error.code(), FailureCode::kNotIdentifiable);
    EXPECT_NE(std::string(error.what()).find("wild"), std::string::npos);
  }
}

TEST(Bootstrap, IsTheSameForTheSameSeedAndStreamOnly) {
  const auto cells = point_cells(kPairNodes, kPairTimes);
  for (const BootstrapKind kind : {BootstrapKind::kWild, BootstrapKind::kWebb,
                                   BootstrapKind::kResidual, BootstrapKind::kCase}) {
    const Bootstrap first = *fit_law(cells, with_bootstrap(kind, 2500), 3).bootstrap;
    const Bootstrap again = *fit_law(cells, with_bootstrap(kind, 2500), 3).bootstrap;
    const Bootstrap other_stream = *fit_law(cells, with_bootstrap(kind, 2500), 4).bootstrap;
    const Bootstrap other_seed = *fit_law(cells, with_bootstrap(kind, 2500, 8), 3).bootstrap;
    EXPECT_EQ(first.parameters[1].se, again.parameters[1].se);
    EXPECT_EQ(first.parameters[0].ci.lower, again.parameters[0].ci.lower);
    EXPECT_NE(first.parameters[1].se, other_stream.parameters[1].se);
    EXPECT_NE(first.parameters[1].se, other_seed.parameters[1].se);
    EXPECT_EQ(first.resamples, 2500u);
    EXPECT_EQ(first.kind, kind);
  }
}

TEST(Bootstrap, HasIntervalsAroundTheEstimate) {
  const Fit fit =
      fit_law(point_cells(kResampledNodes, kTimes), with_bootstrap(BootstrapKind::kWild, 4000));
  for (std::size_t k = 0; k < 2; ++k) {
    const BootstrapEstimate& estimate = fit.bootstrap->parameters[k];
    EXPECT_LT(estimate.ci.lower, fit.parameters[k].estimate);
    EXPECT_GT(estimate.ci.upper, fit.parameters[k].estimate);
    ASSERT_TRUE(estimate.ci_bca);
    EXPECT_NEAR(estimate.ci_bca->lower, estimate.ci.lower, estimate.se);
    EXPECT_NEAR(estimate.ci_bca->upper, estimate.ci.upper, estimate.se);
  }
}

TEST(Bootstrap, OfRefitsAgreesWithItsLinearisationWhereScatterIsSmall) {
  FitOptions options = with_bootstrap(BootstrapKind::kWild, 2000);
  options.errors = Errors::kNormal;
  const Fit fit = fit_law(point_cells(kResampledNodes, kTimes), options);
  options.se = StandardError::kHc3;
  options.bootstrap.resamples = 0;
  const Fit hc3 = fit_law(point_cells(kResampledNodes, kTimes), options);
  EXPECT_EQ(fit.bootstrap->resamples, 2000u);
  EXPECT_NEAR(fit.bootstrap->parameters[1].se / *hc3.parameters[1].se, 1, 0.06);
}

TEST(Bootstrap, OfWeightedCasesRefitsWithTheWeightsOfTheDrawnPoints) {
  std::vector<double> weights(10, 2.0);
  const auto cells = point_cells(kPairNodes, kPairTimes, weights);
  const auto unweighted = point_cells(kPairNodes, kPairTimes);
  const FitOptions options = with_bootstrap(BootstrapKind::kCase, 20000);
  const double with = fit_law(cells, options).bootstrap->parameters[1].se;
  const double without = fit_law(unweighted, options).bootstrap->parameters[1].se;
  EXPECT_NEAR(with / without, 1, 0.03);
}

TEST(Bootstrap, OfRobustFitsResistsAnOutlier) {
  std::vector<double> times = kTimes;
  times[9] *= 3;
  for (const Robust robust : {Robust::kHuber, Robust::kTheilSen}) {
    FitOptions options = with_bootstrap(BootstrapKind::kWild, 1000);
    options.robust = robust;
    const Fit fit = fit_law(point_cells(kResampledNodes, times), options);
    ASSERT_TRUE(fit.bootstrap);
    EXPECT_GE(fit.bootstrap->resamples, 990u);
    EXPECT_LT(fit.bootstrap->parameters[1].ci.lower, 0.71);
    EXPECT_GT(fit.bootstrap->parameters[1].ci.upper, 0.69);
  }
}

TEST(Bootstrap, IsLeftOutWithoutDegreesOfFreedomAndExactForAnExactLaw) {
  const FitOptions options = with_bootstrap(BootstrapKind::kWild, 2000);
  EXPECT_FALSE(
      fit_law(point_cells(std::vector{1.0, 2.0}, std::vector{4.0, 2.0}), options).bootstrap);
  const Fit exact =
      fit_law(point_cells(std::vector{1.0, 2.0, 4.0}, std::vector{8.0, 4.0, 2.0}), options);
  EXPECT_NEAR(exact.bootstrap->parameters[1].se, 0, 1e-14);
  EXPECT_NEAR(exact.bootstrap->parameters[1].ci.lower, 1, 1e-14);
}

TEST(Bootstrap, NeedsRawPoints) {
  const auto merged = merged_cells(point_cells(kPairNodes, kPairTimes));
  EXPECT_THROW(fit_law(merged, with_bootstrap(BootstrapKind::kWild, 100)), std::invalid_argument);
  FitOptions robust;
  robust.robust = Robust::kHuber;
  EXPECT_THROW(fit_law(merged, robust), std::invalid_argument);
}

TEST(BcaProbabilities, AgreesWithTheFormula) {
  // By scipy.stats.norm: Phi(z0 + (z0 + z) / (1 - a (z0 + z))).
  const auto first = bca_probabilities(0.47, 0.03, 1.959963984540054);
  EXPECT_NEAR(first->lower, 0.02310942965561764, 1e-14);
  EXPECT_NEAR(first->upper, 0.9727205553325996, 1e-14);
  const auto second = bca_probabilities(0.62, -0.05, 1.6448536269514722);
  EXPECT_NEAR(second->lower, 0.1292326365619757, 1e-14);
  EXPECT_NEAR(second->upper, 0.9813526741915484, 1e-14);
  EXPECT_FALSE(bca_probabilities(0, 0.1, 2));
  EXPECT_FALSE(bca_probabilities(1, 0.1, 2));
}

TEST(Bootstrap, ReachesAsFarAsStudentsTForFewPoints) {
  // With many Webb resamples the deviations are nearly normal: half the width is t(8) = 2.306
  // standard errors.
  const Fit fit =
      fit_law(point_cells(kResampledNodes, kTimes), with_bootstrap(BootstrapKind::kWebb, 100000));
  const BootstrapEstimate& beta = fit.bootstrap->parameters[1];
  EXPECT_NEAR((beta.ci.upper - beta.ci.lower) / 2 / beta.se, 2.306, 0.15);
}

// Draws d of ln alpha are proportional to the scatter. If they are normal with deviation s, exp(d)
// has the variance s^2 (1 + 3/2 s^2) + O(s^6), which the mean over both signs of the scatter shows.
// Draws from ten residuals have shorter tails.
TEST(Bootstrap, OfAPrefactorIsThatOfExpOfItsDraws) {
  const auto relative_se = [](double scatter) {
    std::vector<double> y;
    for (std::size_t i = 0; i < kTimes.size(); ++i) {
      const double exact = 100 * std::pow(kResampledNodes[i], -0.7);
      y.push_back(exact * std::pow(kTimes[i] / exact, scatter));
    }
    const Fit fit =
        fit_law(point_cells(kResampledNodes, y), with_bootstrap(BootstrapKind::kResidual, 5000));
    return fit.bootstrap->parameters[0].se / fit.parameters[0].estimate;
  };
  const double s = 1e4 * relative_se(1e-4);
  const double up = relative_se(2.5);
  const double down = relative_se(-2.5);
  const double excess = 0.5 * (up * up + down * down) / (6.25 * s * s) - 1;
  EXPECT_NEAR(excess / (6.25 * s * s), 1.4, 0.2);
}

TEST(JackknifeAcceleration, AgreesWithTheFormula) {
  EXPECT_NEAR(jackknife_acceleration(std::vector{1.0, 2.5, 3.0, 7.0, 11.0}), -0.04834527063474046,
              1e-15);
  EXPECT_EQ(jackknife_acceleration(std::vector{2.0, 2.0, 2.0}), 0);
}

}  // namespace
}  // namespace scalelaw
