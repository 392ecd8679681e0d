#include "scalelaw/fit/surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/direction_dof.hpp"
#include "scalelaw/runs/observations.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "support/fit_cases.hpp"
#include "support/places.hpp"

namespace scalelaw {
namespace {

struct Runs {
  std::vector<double> n;
  std::vector<double> d;
  std::vector<double> y;
};

FitOptions options_of(Robust robust = Robust::kHuber) {
  FitOptions options;
  options.law = find_law("chinchilla");
  options.robust = robust;
  return options;
}

Fit fit_of(const Runs& runs, const FitOptions& options = options_of(), int threads = 1) {
  return fit_surface(runs.n, runs.d, runs.y, options, 0, threads);
}

/// E + 400 n^-0.34 + 1500 d^-0.35 over 2.5 decades of each scale.
Runs drawn(std::size_t count, double floor, double scatter, std::uint64_t seed) {
  RandomStream stream(seed);
  Runs runs;
  for (std::size_t i = 0; i < count; ++i) {
    const double n = 3e7 * std::pow(10, 2.5 * stream.uniform());
    const double d = 1e9 * std::pow(10, 2.5 * stream.uniform());
    const double loss = floor + 400 * std::pow(n, -0.34) + 1500 * std::pow(d, -0.35);
    runs.n.push_back(n);
    runs.d.push_back(d);
    runs.y.push_back(loss * std::exp(scatter * stream.normal()));
  }
  return runs;
}

FailureCode failure_of(const Runs& runs) {
  const auto result = outcome_of([&] { return fit_surface(runs.n, runs.d, runs.y, options_of()); });
  const NoFit* failure = std::get_if<NoFit>(&result);
  EXPECT_NE(failure, nullptr);
  return failure != nullptr ? failure->code : FailureCode::kNotConverged;
}

/// The points of Besiroglu et al. (2024) without the five of highest loss, as in their paper.
std::optional<Runs> published_runs() {
  const auto path = source_folder() / "../shared/data/scaling_laws/chinchilla_epoch.csv";
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::vector<std::string> inputs{path.string()};
  const Observations table = read_observations(
      inputs,
      [](const Header&, std::string_view, const TableProfile&) {
        return ObservationColumns{
            .numbers = {{.name = "loss"}, {.name = "Model Size"}, {.name = "Training FLOP"}}};
      },
      {});
  Runs runs;  // Sorted by loss.
  for (std::size_t i = 0; i + 5 < table.count(0); ++i) {
    runs.y.push_back(table.values(0, 0)[i]);
    runs.n.push_back(table.values(0, 1)[i]);
    runs.d.push_back(table.values(0, 2)[i] / (6 * table.values(0, 1)[i]));
  }
  return runs;
}

void expect_estimates(const Fit& fit, const std::array<double, 5>& expected, double relative) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(fit.parameters[k].estimate, expected[k], relative * expected[k])
        << fit.parameters[k].name;
  }
}

// tests/fit/oracle/make_surface_oracle.py: SciPy, then Newton steps in mpmath at 50 digits.
TEST(FitSurface, FindsTheMinimumOfTheReplicationToTenDigits) {
  const auto runs = published_runs();
  if (!runs) GTEST_SKIP() << "no shared data";
  ASSERT_EQ(runs->y.size(), 240U);
  const Fit fit = fit_of(*runs);
  expect_estimates(fit,
                   {477.825868233905484, 2143.41736336045842, 1.81721809901007675,
                    0.347310498881754573, 0.367172432627762205},
                   1e-10);
  EXPECT_NEAR(fit.surface->objective, 0.00101827401780060317, 1e-15);
  EXPECT_LE(fit.surface->objective, 0.0010182740346);  // Published.
  EXPECT_GT(fit.surface->met, 1U);
  EXPECT_LT(fit.surface->gradient, 1e-9);
}

TEST(FitSurface, FindsTheLeastSquaresOfTheReplicationToTenDigits) {
  const auto runs = published_runs();
  if (!runs) GTEST_SKIP() << "no shared data";
  const Fit fit = fit_of(*runs, options_of(Robust::kNone));
  expect_estimates(fit,
                   {593.322101586485, 4875.63780756956886, 1.86455009526060873,
                    0.360252798170038454, 0.405883361852094935},
                   1e-10);
  EXPECT_NEAR(fit.surface->objective, 0.00573094349584932349, 1e-13);
}

// Besiroglu et al. (2024) made 4,000 refits: standard errors 124.52, 1293.28, 0.0257, 0.0154,
// 0.0206 and 95 % intervals. B has no sharp standard deviation, because its draws are heavy-tailed.
TEST(FitSurface, BootstrapAgreesWithThePublishedOne) {
  const auto runs = published_runs();
  if (!runs) GTEST_SKIP() << "no shared data";
  FitOptions options = options_of();
  options.bootstrap.resamples = 2000;
  const Fit fit = fit_of(*runs, options);
  ASSERT_TRUE(fit.bootstrap);
  const auto& parameters = fit.bootstrap->parameters;
  EXPECT_NEAR(parameters[0].se, 124.52, 12);
  EXPECT_NEAR(parameters[1].se, 1293, 400);
  EXPECT_NEAR(parameters[2].se, 0.0257, 0.0015);
  EXPECT_NEAR(parameters[3].se, 0.0154, 0.001);
  EXPECT_NEAR(parameters[4].se, 0.0206, 0.0015);
  EXPECT_NEAR(parameters[2].ci.lower, 1.769, 0.008);
  EXPECT_NEAR(parameters[2].ci.upper, 1.871, 0.008);
  EXPECT_NEAR(parameters[3].ci.lower, 0.317, 0.005);
  EXPECT_NEAR(parameters[3].ci.upper, 0.373, 0.005);
}

/// The sums of squares are 1e-24 to 1e-9 here, and rounding moves their gradients.
TEST(FitSurface, FitsRunsThatAreNearlyExact) {
  for (const double scatter : {1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5}) {
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      for (const Robust robust : {Robust::kHuber, Robust::kNone}) {
        const Fit fit = fit_of(drawn(12, 1.7, scatter, seed), options_of(robust));
        EXPECT_NEAR(fit.parameters[3].estimate, 0.34, 1e-5 + 300 * scatter) << scatter << seed;
        EXPECT_NEAR(fit.parameters[2].estimate, 1.7, 1e-4 + 3000 * scatter) << scatter << seed;
      }
    }
  }
}

TEST(FitSurface, RecoversExactRuns) {
  for (const Robust robust : {Robust::kHuber, Robust::kNone}) {
    const Fit fit = fit_of(drawn(40, 1.8, 0, 3), options_of(robust));
    expect_estimates(fit, {400, 1500, 1.8, 0.34, 0.35}, 1e-7);
    EXPECT_EQ(fit.rss, 0);
  }
}

/// The search for the minimum sees some of so many runs; the minimum is that of all.
TEST(FitSurface, ManyRunsHaveTheMinimumOfAll) {
  FitOptions options = options_of();
  options.intervals = Intervals::kWald;
  const Runs runs = drawn(12000, 1.8, 0.01, 5);
  const Fit fit = fit_of(runs, options);
  EXPECT_LT(fit.surface->gradient, 1e-8);
  EXPECT_GT(fit.surface->met, 1U);
  EXPECT_NEAR(fit.parameters[3].estimate, 0.34, 4 * *fit.parameters[3].se);
  Runs half = runs;
  for (auto* values : {&half.n, &half.d, &half.y}) values->resize(6000);
  EXPECT_LT(*fit.parameters[3].se, 0.9 * *fit_of(half, options).parameters[3].se);
}

TEST(FitSurface, UnitsMoveOnlyPrefactors) {
  const Runs runs = drawn(100, 1.8, 0.01, 4);
  Runs other = runs;
  for (double& value : other.n) value /= 1e6;
  for (double& value : other.y) value *= 1000;
  const Fit fit = fit_of(runs);
  const Fit scaled = fit_of(other);
  EXPECT_NEAR(scaled.parameters[2].estimate, 1000 * fit.parameters[2].estimate, 1e-4);
  EXPECT_NEAR(scaled.parameters[3].estimate, fit.parameters[3].estimate, 1e-8);
  EXPECT_NEAR(scaled.parameters[4].estimate, fit.parameters[4].estimate, 1e-8);
  EXPECT_NEAR(*scaled.parameters[3].se, *fit.parameters[3].se, 1e-8);
  EXPECT_NEAR(scaled.parameters[3].ci->lower, fit.parameters[3].ci->lower, 1e-6);
}

TEST(FitSurface, HoldsEAtZeroWhereTheRunsNeedNone) {
  std::size_t on_bound = 0;
  std::size_t reach_zero = 0;  // Out of ten 95 % intervals.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Fit fit = fit_of(drawn(60, 0, 0.01, seed));
    const Parameter& floor = fit.parameters[2];
    ASSERT_TRUE(floor.ci);
    reach_zero += floor.ci->lower == 0 ? 1 : 0;
    if (!floor.on_bound) continue;
    ++on_bound;
    EXPECT_EQ(floor.estimate, 0);
    EXPECT_FALSE(floor.se);
    EXPECT_EQ(fit.warnings, std::vector{WarningCode::kOnBound});
    EXPECT_TRUE(std::isfinite(surface_at(fit, 1e9, 1e10, 0.95).ci->upper));
  }
  EXPECT_GE(reach_zero, 9U);
  EXPECT_GT(on_bound, 1U);
  EXPECT_LT(on_bound, 10U);
}

TEST(FitSurface, CutsTheIntervalOfEAtZeroAndNotAbove) {
  FitOptions options = options_of(Robust::kNone);
  options.intervals = Intervals::kWald;
  const auto floor_of = [&](double scatter) {
    return *fit_of(drawn(40, 1.8, scatter, 5), options).parameters[2].ci;
  };
  const Interval close = floor_of(0.001);
  EXPECT_GT(close.lower, 1.5);  // The runs are drawn with E = 1.8.
  EXPECT_LT(close.lower, 1.8);
  EXPECT_EQ(floor_of(1).lower, 0);
}

TEST(FitSurface, SaysWhatIsNotIdentified) {
  Runs together = drawn(40, 1.8, 0.01, 5);
  for (std::size_t i = 0; i < together.n.size(); ++i) together.d[i] = 20 * together.n[i];
  EXPECT_EQ(failure_of(together), FailureCode::kNotIdentifiable);
  EXPECT_EQ(failure_of(drawn(5, 1.8, 0.01, 6)), FailureCode::kTooFewPoints);
  Runs few = drawn(40, 1.8, 0.01, 7);
  for (std::size_t i = 0; i < few.n.size(); ++i) few.n[i] = i % 2 == 0 ? 1e8 : 1e9;
  EXPECT_EQ(failure_of(few), FailureCode::kTooFewX);
}

TEST(FitSurface, BootstrapIsTheSameForAnyNumberOfThreads) {
  const Runs runs = drawn(50, 1.8, 0.01, 8);
  FitOptions options = options_of();
  options.bootstrap.resamples = 120;
  const Fit one = fit_of(runs, options, 1);
  const Fit three = fit_of(runs, options, 3);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(one.bootstrap->parameters[k].se, three.bootstrap->parameters[k].se);
    EXPECT_EQ(one.bootstrap->parameters[k].ci.upper, three.bootstrap->parameters[k].ci.upper);
  }
}

TEST(FitSurface, WarnsOfRunsThatHardlyDetermineIt) {
  EXPECT_TRUE(warns(fit_of(drawn(9, 1.8, 0.001, 12)), WarningCode::kFewPoints));
  const Fit enough = fit_of(drawn(60, 1.8, 0.001, 12));
  EXPECT_FALSE(warns(enough, WarningCode::kFewPoints));
  EXPECT_FALSE(warns(enough, WarningCode::kFewX));
  EXPECT_FALSE(warns(enough, WarningCode::kShortRange));
  EXPECT_FALSE(warns(enough, WarningCode::kOpenInterval));
  Runs narrow = drawn(60, 1.8, 0.001, 12);  // Below, n shrinks from 2.5 to 0.75 decades.
  for (double& n : narrow.n) n = std::pow(n, 0.3);
  EXPECT_TRUE(warns(fit_of(narrow), WarningCode::kShortRange));
}

/// data/two_scales/runs.csv. Its clusters are quarters of a decade of the parameters.
struct ClusteredRuns : Runs {
  std::vector<std::uint32_t> cluster;
};

ClusteredRuns stored_runs() {
  const std::vector<std::string> inputs{(source_folder() / "data/two_scales/runs.csv").string()};
  const Observations table = read_observations(
      inputs,
      [](const Header&, std::string_view, const TableProfile&) {
        return ObservationColumns{.numbers = {{"parameters"}, {"tokens"}, {"loss"}}};
      },
      {});
  const auto column = [&](std::size_t number) {
    const auto values = table.values(0, number);
    return std::vector<double>(values.begin(), values.end());
  };
  ClusteredRuns runs{{column(0), column(1), column(2)}, {}};
  for (const double n : runs.n) {
    runs.cluster.push_back(static_cast<std::uint32_t>(std::floor(4 * std::log10(n))));
  }
  return runs;
}

Fit fit_of(const ClusteredRuns& runs, const FitOptions& options, int threads = 1) {
  return fit_surface(runs.n, runs.d, runs.y, options, 0, threads, runs.cluster);
}

/// Expected errors of (ln A, ln B, E, alpha, beta).
void expect_errors(const Fit& fit, const std::array<double, 5>& expected, double relative) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double se = std::sqrt(fit.covariance.at(6 * k));
    EXPECT_NEAR(se, expected[k], relative * expected[k]) << fit.parameters[k].name;
  }
}

FitOptions clustered(StandardError se, Robust robust = Robust::kHuber) {
  FitOptions options = options_of(robust);
  options.se = se;
  return options;
}

// statsmodels 0.13.5, OLS of the linearised law at scipy's minimum, cov_type "cluster", through
// tests/fit/oracle/surface_clusters.py.
TEST(FitSurface, ClusteredErrorsOfLeastSquaresAgreeWithStatsmodelsToNineDigits) {
  const Fit fit = fit_of(stored_runs(), clustered(StandardError::kCluster, Robust::kNone));
  EXPECT_EQ(fit.clusters, 10U);
  expect_errors(fit,
                {0.0728811419640136, 0.203328201535339, 0.00922822730389882, 0.00438224694222175,
                 0.0100567865371766},
                1e-9);
  for (const Parameter& parameter : fit.parameters) EXPECT_EQ(parameter.dof, 9);
}

// numpy 1.24.2: CR2 and its degrees of freedom from the n x n matrices of their definition, through
// the same script.
TEST(FitSurface, BiasReducedErrorsAgreeWithTheirDefinitionToNineDigits) {
  const Fit fit = fit_of(stored_runs(), clustered(StandardError::kCr2, Robust::kNone));
  expect_errors(fit,
                {0.0758417541311699, 0.204943614542956, 0.00898292148744317, 0.00457012114067545,
                 0.0101301216886219},
                1e-9);
  const std::array dof{4.70903527626248, 7.41010700542761, 5.39591336148198, 4.88519259543029,
                       7.49208325859875};
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(*fit.parameters[k].dof, dof[k], 1e-8);
}

TEST(FitSurface, ClusteredErrorsOfHubersLossAgreeWithTheirDefinitionToElevenDigits) {
  expect_errors(fit_of(stored_runs(), clustered(StandardError::kCluster)),
                {0.0935397332896014, 0.221314907658, 0.0135691783086732, 0.00551452012576404,
                 0.0109218060175844},
                1e-11);
  const Fit fit = fit_of(stored_runs(), clustered(StandardError::kCr2));
  expect_errors(fit,
                {0.097246376555736, 0.223625753624299, 0.0134540077793404, 0.0057456986251251,
                 0.0110295374568204},
                1e-11);
  EXPECT_NEAR(*fit.parameters[3].dof, 3.86030992387624, 1e-10);
  FitOptions wide = clustered(StandardError::kCr2);
  wide.huber_delta = 1e-2;
  expect_errors(fit_of(stored_runs(), wide),
                {0.0742265694667818, 0.20440730593626, 0.00903105936354441, 0.00446783103025592,
                 0.010102359415011},
                1e-9);
}

TEST(FitSurface, ClustersOfOneRunAreTheSandwich) {
  ClusteredRuns runs = stored_runs();
  for (std::size_t i = 0; i < runs.cluster.size(); ++i) {
    runs.cluster[i] = static_cast<std::uint32_t>(1000 - i);
  }
  const Fit fit = fit_of(runs, clustered(StandardError::kCluster));
  const Fit independent = fit_of(static_cast<const Runs&>(runs));
  for (std::size_t k = 0; k < 25; ++k) {
    EXPECT_NEAR(fit.covariance[k], independent.covariance[k],
                1e-10 * std::abs(independent.covariance[k]));
  }
}

TEST(SurfaceDirectionDof, HasTheDegreesOfFreedomOfEachParameterAndOfOthers) {
  const ClusteredRuns runs = stored_runs();
  const FitOptions options = clustered(StandardError::kCr2);
  const Fit fit = fit_of(runs, options);
  SurfaceRuns rows;
  rows.n = runs.n;
  rows.d = runs.d;
  rows.y = runs.y;
  rows.cluster = runs.cluster;
  const auto dof = surface_direction_dof(fit, rows, options);
  ASSERT_NE(dof, nullptr);
  for (std::size_t k = 0; k < 5; ++k) {
    std::array<double, 5> direction{};
    direction.at(k) = 2;
    EXPECT_NEAR(*dof->of(direction) / *fit.parameters[k].dof, 1, 1e-9) << k;
  }
  EXPECT_FALSE(dof->of(std::array<double, 5>{}));
  EXPECT_EQ(surface_direction_dof(fit_of(runs, clustered(StandardError::kCluster)), rows, options),
            nullptr);
}

TEST(FitSurface, ForecastsTakeTheLeastDegreesOfFreedomOfClusteredErrors) {
  const Fit fit = fit_of(stored_runs(), clustered(StandardError::kCr2));
  double least = 1e9;
  for (const Parameter& parameter : fit.parameters) least = std::min(least, *parameter.dof);
  const SurfacePoint point = surface_at(fit, 1e9, 2e10, 0.95);
  const double reach = student_t_factor(0.95, least) * *fit.curve_se(std::array{1e9, 2e10});
  EXPECT_NEAR(std::log(point.ci->upper / point.median), reach, 1e-12);
}

// Every run twice, as a cluster of its own: the same refits as those of single runs.
TEST(FitSurface, TheBootstrapOfClustersDrawsThemWhole) {
  ClusteredRuns twice;
  for (int copy = 0; copy < 2; ++copy) {
    const ClusteredRuns runs = stored_runs();
    twice.n.insert(twice.n.end(), runs.n.begin(), runs.n.end());
    twice.d.insert(twice.d.end(), runs.d.begin(), runs.d.end());
    twice.y.insert(twice.y.end(), runs.y.begin(), runs.y.end());
    for (std::uint32_t i = 0; i < runs.n.size(); ++i) twice.cluster.push_back(i);
  }
  FitOptions options = clustered(StandardError::kCluster);
  options.bootstrap.resamples = 100;
  const Fit whole = fit_of(twice, options);
  options.se = StandardError::kSandwich;
  const Fit single = fit_of(static_cast<const Runs&>(stored_runs()), options);
  for (std::size_t k = 0; k < 5; ++k) {
    const double se = single.bootstrap->parameters[k].se;
    EXPECT_NEAR(whole.bootstrap->parameters[k].se, se, 1e-5 * se);
  }
  EXPECT_EQ(fit_of(twice, clustered(StandardError::kCluster), 3).covariance, whole.covariance);
}

TEST(FitSurface, HasClusteredErrorsBesideAnEOfZero) {
  int at_zero = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ClusteredRuns runs{drawn(60, 0, 0.01, seed), {}};
    for (std::uint32_t i = 0; i < 60; ++i) runs.cluster.push_back(i % 15);
    const Fit fit = fit_of(runs, clustered(StandardError::kCr2));
    if (!fit.parameters[2].on_bound) continue;
    ++at_zero;
    EXPECT_FALSE(fit.parameters[2].se);
    for (const std::size_t k : {0, 1, 3, 4}) {
      EXPECT_TRUE(fit.parameters[k].se);
      EXPECT_TRUE(fit.parameters[k].ci);
    }
  }
  EXPECT_GT(at_zero, 0);
}

TEST(FitSurface, WarnsOfFewClusters) {
  ClusteredRuns runs = stored_runs();
  EXPECT_TRUE(warns(fit_of(runs, clustered(StandardError::kCluster)), WarningCode::kFewClusters));
  EXPECT_FALSE(warns(fit_of(runs, clustered(StandardError::kCr2)), WarningCode::kFewClusters));
  for (std::size_t i = 0; i < runs.cluster.size(); ++i) {
    runs.cluster[i] = static_cast<std::uint32_t>(i % 3);
  }
  const Fit three = fit_of(runs, clustered(StandardError::kCr2));
  EXPECT_TRUE(warns(three, WarningCode::kFewClusters));
  EXPECT_NE(explain(WarningCode::kFewClusters, three).find("far too small"), std::string::npos);
  runs.cluster.assign(runs.cluster.size(), 7);
  const Fit one = fit_of(runs, clustered(StandardError::kCr2));
  EXPECT_FALSE(one.parameters[3].se);
  EXPECT_FALSE(one.parameters[3].ci);
  EXPECT_TRUE(warns(one, WarningCode::kFewClusters));
}

TEST(FitSurface, RefusesClustersThatAreNotOnePerRow) {
  ClusteredRuns runs = stored_runs();
  runs.cluster.pop_back();
  EXPECT_THROW(fit_of(runs, clustered(StandardError::kCr2)), std::invalid_argument);
  runs.cluster.clear();
  EXPECT_THROW(fit_of(runs, clustered(StandardError::kCr2)), std::invalid_argument);
}

TEST(FitSurface, CountsPlacesAndNotRuns) {
  Runs runs = drawn(5, 1.8, 0, 13);
  const auto repeat = [](std::vector<double>& values, std::size_t count) {
    const std::vector<double> once(values.begin(),
                                   values.begin() + static_cast<std::ptrdiff_t>(count));
    values.assign(once.begin(), once.end());
    for (int i = 0; i < 3; ++i) values.insert(values.end(), once.begin(), once.end());
  };
  Runs four = runs;
  for (auto* values : {&four.n, &four.d, &four.y}) repeat(*values, 4);
  EXPECT_EQ(failure_of(four), FailureCode::kTooFewX);
  for (auto* values : {&runs.n, &runs.d, &runs.y}) repeat(*values, 5);
  const auto result = outcome_of([&] { return fit_surface(runs.n, runs.d, runs.y, options_of()); });
  if (const Fit* fit = std::get_if<Fit>(&result)) {
    EXPECT_TRUE(warns(*fit, WarningCode::kFewX));
  } else {
    EXPECT_EQ(std::get<NoFit>(result).code, FailureCode::kNotIdentifiable);
  }
}

/// Runs whose y does not depend on d.
Runs of_one_scale(std::uint64_t seed) {
  RandomStream stream(seed);
  Runs runs = drawn(40, 1.8, 0, seed);
  for (std::size_t i = 0; i < runs.n.size(); ++i) {
    runs.y[i] = (1.8 + 400 * std::pow(runs.n[i], -0.34)) * std::exp(0.005 * stream.normal());
  }
  return runs;
}

TEST(FitSurface, SaysThatABootstrapFailedAndThatIntervalsAreOpen) {
  FitOptions options = options_of();
  options.bootstrap.resamples = 100;
  int failed = 0;
  int open = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Runs runs = of_one_scale(seed);
    const auto result = outcome_of([&] { return fit_surface(runs.n, runs.d, runs.y, options); });
    const Fit* const fit = std::get_if<Fit>(&result);
    if (fit == nullptr) continue;
    ASSERT_TRUE(fit->bootstrap);
    EXPECT_EQ(fit->bootstrap->parameters.empty(), *fit->bootstrap->usable < 90);
    EXPECT_EQ(warns(*fit, WarningCode::kFailedRefits), fit->bootstrap->parameters.empty());
    failed += fit->bootstrap->parameters.empty() ? 1 : 0;
    open += warns(*fit, WarningCode::kOpenInterval) ? 1 : 0;
  }
  EXPECT_GT(failed, 0);
  EXPECT_GT(open, 0);
}

std::string reason_of(const Runs& runs) {
  const auto result = outcome_of([&] { return fit_surface(runs.n, runs.d, runs.y, options_of()); });
  const NoFit* failure = std::get_if<NoFit>(&result);
  return failure != nullptr ? failure->message : "";
}

TEST(FitSurface, SaysThatAUnitIsTooLargeOrTooSmall) {
  for (const double unit : {1e300, 1e-300}) {
    Runs runs = drawn(40, 1.8, 0.01, 14);
    for (double& value : runs.y) value *= unit;
    EXPECT_NE(reason_of(runs).find("take another unit"), std::string::npos) << reason_of(runs);
  }
}

// Hoffmann et al. (2022), eq. 4: at the optimal split, n and d change the surface equally.
TEST(SurfaceOptimum, NoOtherSplitIsLower) {
  const Fit fit = fit_of(drawn(100, 1.8, 0.004, 9));
  const auto best = surface_optimum(fit, 1e20, 0.95);
  ASSERT_TRUE(best);
  EXPECT_NEAR(best->point.n * best->point.d, 1e20, 1e6);
  for (const double factor : {0.9, 0.99, 1.01, 1.1}) {
    EXPECT_GT(fit.curve(std::array{best->point.n * factor, best->point.d / factor}),
              best->point.median);
  }
  EXPECT_LT(best->n_ci->lower, best->point.n);
  EXPECT_LT(best->point.pi->lower, best->point.ci->lower);
}

TEST(ChinchillaLaw, GradientIsThatOfThePredictor) {
  const Law& law = *find_law("chinchilla");
  ASSERT_EQ(law.inputs(), 2U);
  const std::array x{1e9, 2e10};
  const std::array theta{6.2, 7.6, 1.8, 0.35, 0.37};
  std::array<double, 5> gradient{};
  const double eta = law.gradient(x, theta, Response::kTime, gradient);
  // From Python: log(1.8 + exp(6.2) * 1e9**-0.35 + exp(7.6) * 2e10**-0.37).
  EXPECT_NEAR(eta, 0.89907982301814, 1e-14);
  EXPECT_EQ(eta, law.predictor(x, theta, Response::kTime));
  for (std::size_t k = 0; k < theta.size(); ++k) {
    auto above = theta;
    auto below = theta;
    above[k] += 1e-6;
    below[k] -= 1e-6;
    const double slope =
        (law.predictor(x, above, Response::kTime) - law.predictor(x, below, Response::kTime)) /
        2e-6;
    EXPECT_NEAR(gradient[k], slope, 1e-8);
  }
}

// Steps that crept stopped at 0.134. scipy 1.10, least_squares from 80 random starts with alpha
// held: the sum of squares rises by 1.19566e-3 at both ends.
TEST(FitSurface, HasProfileIntervalsWhoseEndsRiseAlike) {
  const Runs runs{
      .n = {155e6, 333e6, 511e6, 744e6, 1395e6, 1091e6, 284e6, 102e6, 1196e6, 1359e6},
      .d = {1.3e9, 12e9, 27.9e9, 12.1e9, 2e9, 25.4e9, 17.5e9, 3.2e9, 1.3e9, 7.3e9},
      .y = {3.3708, 2.7477, 2.5208, 2.596, 2.9106, 2.4525, 2.6848, 3.2038, 3.0421, 2.5965}};
  FitOptions options = options_of(Robust::kNone);
  options.se = StandardError::kSandwich;
  const Fit fit = fit_of(runs, options);
  EXPECT_NEAR(fit.parameters[3].ci->lower, 0.0544390, 1e-5);
  EXPECT_NEAR(fit.parameters[3].ci->upper, 0.9458506, 1e-5);
}

/// Nine runs of the oracles.
const Runs kNine{{1e8, 1e8, 1e8, 4e8, 4e8, 4e8, 1.6e9, 1.6e9, 1.6e9},
                 {2e9, 8e9, 3.2e10, 2e9, 8e9, 3.2e10, 2e9, 8e9, 3.2e10},
                 {3.46, 3.02, 2.78, 3.17, 2.77, 2.49, 3.04, 2.60, 2.35}};

// tests/fit/oracle/make_residual_oracle.py: Newton steps in mpmath at 40 digits.
TEST(FitSurface, OfRawResidualsFindsTheLeastSquaresOfY) {
  FitOptions options = options_of(Robust::kNone);
  options.errors = Errors::kNormal;
  const Fit fit = fit_of(kNine, options);
  expect_estimates(fit,
                   {2706.459756989658, 2751.368099540151, 1.797013574660633, 0.4578039063548138,
                    0.3666067296525493},
                   1e-7);
  EXPECT_NEAR(fit.surface->objective, 0.0003333333333333333, 1e-15);
  EXPECT_NEAR(fit.rss, 0.0006666666666666667, 1e-14);
  EXPECT_NEAR(fit.parameters[2].se.value(), 0.1758933589490589, 1e-7);
  EXPECT_NEAR(fit.parameters[3].se.value(), 0.1235106209531792, 1e-7);
  EXPECT_EQ(fit.scale, Scale::kOriginal);
}

TEST(FitSurface, OfRawResidualsHasIntervalsThatAreEvenAboutIt) {
  FitOptions options = options_of(Robust::kNone);
  options.errors = Errors::kNormal;
  const SurfacePoint point = surface_at(fit_of(kNine, options), 4e8, 8e9, 0.95);
  EXPECT_NEAR(point.ci->upper - point.median, point.median - point.ci->lower, 1e-12);
}

TEST(FitSurface, CountsRunsBelowTheLawAsOftenAsAsked) {
  FitOptions options = options_of(Robust::kNone);
  options.over_penalty = 10;
  const Fit fit = fit_of(kNine, options);
  expect_estimates(fit,
                   {4267.327033497686, 3739.020661738198, 1.838667960848149, 0.4843039652816425,
                    0.3821993702972679},
                   1e-7);
  EXPECT_NEAR(fit.surface->objective, 6.904755549391565e-5, 1e-16);
  EXPECT_NEAR(fit.parameters[2].se.value(), 0.1232877329791448, 1e-7);
  EXPECT_FALSE(fit.aicc);  // No likelihood has this loss.
}

TEST(FitSurface, CountsThemSoForRawResidualsToo) {
  FitOptions options = options_of(Robust::kNone);
  options.errors = Errors::kNormal;
  options.over_penalty = 3;
  const Fit fit = fit_of(kNine, options);
  EXPECT_NEAR(fit.parameters[2].estimate, 1.831338623489351, 1e-7);
  EXPECT_NEAR(fit.surface->objective, 0.0004715789473684211, 1e-15);
  EXPECT_NEAR(fit.parameters[4].se.value(), 0.0479264417156645, 1e-7);
}

TEST(FitSurface, TakesHubersDeltaInTheUnitOfRawResiduals) {
  FitOptions options = options_of();
  options.errors = Errors::kNormal;
  options.huber_delta = 0.01;
  const Fit fit = fit_of(kNine, options);
  EXPECT_NEAR(fit.parameters[2].estimate, 1.856446208112875, 1e-7);
  EXPECT_NEAR(fit.surface->objective, 0.0002833333333333333, 1e-14);
}

TEST(FitSurface, OfRawResidualsDoesNotDependOnTheUnitOfY) {
  FitOptions options = options_of(Robust::kNone);
  options.errors = Errors::kNormal;
  Runs thousandths = kNine;
  for (double& y : thousandths.y) y *= 1000;
  const Fit one = fit_of(kNine, options);
  const Fit other = fit_of(thousandths, options);
  EXPECT_NEAR(other.parameters[2].estimate, 1000 * one.parameters[2].estimate, 1e-4);
  EXPECT_NEAR(other.parameters[3].ci->lower, one.parameters[3].ci->lower, 1e-5);
  EXPECT_NEAR(other.sigma.value(), 1000 * one.sigma.value(), 1e-8);
}

// -n/2 (ln(2 pi rss / n) + 1), with six parameters of nine runs.
TEST(FitSurface, OfSquaresHasAnInformationCriterion) {
  const Fit fit = fit_of(kNine, options_of(Robust::kNone));
  const double log_likelihood = -4.5 * (std::log(2 * 3.141592653589793 * fit.rss / 9) + 1);
  EXPECT_NEAR(fit.aicc.value(), 12 - 2 * log_likelihood + 2 * 6 * 7 / 2.0, 1e-9);
  EXPECT_FALSE(fit_of(kNine).aicc);
}

}  // namespace
}  // namespace scalelaw
