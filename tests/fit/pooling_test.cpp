#include "scalelaw/fit/fit_groups.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fit/cells_of.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/judge/predict.hpp"
#include "scalelaw/render/fit_report.hpp"
#include "support/fit_cases.hpp"

namespace scalelaw {
namespace {

/// The runs of tests/fit/oracle/pooling.R, whose output all literals below are: R 4.2.2 lm and
/// bartlett.test, lme4 1.1.31 lmer(log(t) ~ 0 + g + x + (0 + x | g)), and quadrature in R.
constexpr const char* kRuns = R"(model,gpus,seconds,w
a,1,100.4747,3
a,2,69.2636,0.5
a,4,41.7922,1
a,8,27.1898,0.5
b,1,39.9142,0.5
b,2,25.3612,0.5
b,4,13.8089,2
b,8,9.7017,2
b,16,5.8209,1
c,2,451.6464,1
c,4,265.3033,1
c,8,144.6561,3
c,16,69.5039,3
d,1,80.5449,0.5
d,8,16.3581,1
e,4,4.5156,0.5
e,8,2.5894,0.5
e,8,2.6683,0.5
e,32,0.8733,0.5
e,64,0.5689,2
e,128,0.3144,2
f,1,295.3513,0.5
f,4,143.7447,0.5
f,16,74.1294,3
f,64,28.0253,3
)";

class PoolGroups : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  GroupedCells read(const std::string& text, const std::string& weights = "") const {
    std::ofstream(path_) << text;
    RunOptions options;
    options.by = {"model"};
    options.weights = weights;
    options.threads = 1;
    return read_runs(std::vector{path_}, options);
  }

  const std::string path_ =
      testing::TempDir() + "scalelaw_pooling_" + std::to_string(::getpid()) + ".csv";
};

FitOptions pooled(const GroupedCells& runs, Pool pool, int threads = 1) {
  FitOptions options{.pool = pool};
  options.pooling = pool_groups(runs, options, threads);
  return options;
}

std::vector<Fit> fits_of(const GroupedCells& runs, const FitOptions& options) {
  std::vector<Fit> fits;
  for (const GroupFit& group : fit_groups(runs, options, 1)) {
    fits.push_back(std::get<Fit>(group.result));
  }
  return fits;
}

void expect_interval(const Estimate& estimate, Interval expected, double digits) {
  ASSERT_TRUE(estimate.ci);
  EXPECT_GE(correct_digits(estimate.ci->lower, expected.lower), digits);
  EXPECT_GE(correct_digits(estimate.ci->upper, expected.upper), digits);
}

// Every group has a line, whose n points scatter with sigma about an exponent of its own.
std::string simulated(int groups, int n, double sigma, double tau, RandomStream& stream) {
  std::string text = "model,gpus,seconds\n";
  for (int group = 0; group < groups; ++group) {
    const double beta = 0.7 + tau * stream.normal();
    for (int i = 0; i < n; ++i) {
      const double x = std::ldexp(1.0, i);
      text += "m" + std::to_string(group) + "," + std::to_string(x) + "," +
              std::to_string(100 * std::pow(x, -beta) * std::exp(sigma * stream.normal())) + "\n";
    }
  }
  return text;
}

TEST_F(PoolGroups, ScatterIsThatOfOneRegressionOfAllGroups) {
  const GroupedCells runs = read(kRuns);
  const FitOptions options = pooled(runs, Pool::kScatter);
  ASSERT_TRUE(options.pooling);
  EXPECT_GE(correct_digits(options.pooling->sigma, 0.06369870554295), 12);
  EXPECT_EQ(options.pooling->dof, 13);
  EXPECT_EQ(options.pooling->groups, 5);  // Group d has two points and no scatter.
  ASSERT_TRUE(options.pooling->equal_scatter);
  EXPECT_GE(correct_digits(options.pooling->equal_scatter->statistic, 3.3612747724035), 11);
  EXPECT_EQ(options.pooling->equal_scatter->dof, 4);
  EXPECT_GE(correct_digits(options.pooling->equal_scatter->p, 0.4992827106346), 11);
}

TEST_F(PoolGroups, IntervalsAgreeWithLmToElevenDigits) {
  const GroupedCells runs = read(kRuns);
  const std::vector<Fit> fits = fits_of(runs, pooled(runs, Pool::kScatter));
  const std::vector<Interval> betas{
      {0.5498080945769, 0.7273815341766}, {0.6313672534524, 0.7569306367520},
      {0.8087231876281, 0.9862966272278}, {0.6730065977617, 0.8601854381236},
      {0.7167935925167, 0.8070981439705}, {0.5130207273550, 0.6018074471548}};
  const std::vector<Interval> log_alphas{
      {4.5196695314772, 4.7499396000441}, {3.5715048246528, 3.7846934825080},
      {6.6141045571114, 6.9511854221798}, {4.2512021059949, 4.5264274798194},
      {2.4057776225682, 2.6993711259197}, {5.6177560229492, 5.8480260915161}};
  ASSERT_EQ(fits.size(), betas.size());
  for (std::size_t i = 0; i < fits.size(); ++i) {
    expect_interval(fits[i].parameters[1], betas[i], 11);
    expect_interval(*fits[i].log_alpha, log_alphas[i], 11);
    EXPECT_EQ(fits[i].parameters[1].dof, 13);
    EXPECT_EQ(fits[i].sigma_dof(), 13);
  }
}

TEST_F(PoolGroups, IntervalsOfWeightedRunsAgreeWithLmToElevenDigits) {
  const GroupedCells runs = read(kRuns, "w");
  const std::vector<Fit> fits = fits_of(runs, pooled(runs, Pool::kScatter));
  EXPECT_GE(correct_digits(*fits[0].sigma, 0.08754105672316), 12);
  expect_interval(fits[0].parameters[1], {0.5154254410757, 0.7420099372263}, 11);
  expect_interval(fits[3].parameters[1], {0.6090695395875, 0.9241224962978}, 11);
  expect_interval(fits[4].parameters[1], {0.6953585817365, 0.8259584673233}, 11);
}

TEST_F(PoolGroups, ScatterLeavesCurvesAndOwnFiguresAsTheyAre) {
  const GroupedCells runs = read(kRuns);
  const std::vector<Fit> alone = fits_of(runs, {});
  const std::vector<Fit> together = fits_of(runs, pooled(runs, Pool::kScatter));
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(together[i].parameters[1].estimate, alone[i].parameters[1].estimate);
    EXPECT_EQ(together[i].rss, alone[i].rss);
    EXPECT_EQ(together[i].r2, alone[i].r2);
    EXPECT_EQ(together[i].dof, alone[i].dof);
    EXPECT_EQ(together[i].own->sigma, alone[i].sigma);
  }
}

TEST_F(PoolGroups, DoesNotDependOnTheNumberOfThreads) {
  RandomStream stream(4, 1);
  const GroupedCells runs = read(simulated(500, 4, 0.05, 0.02, stream));
  for (const Pool pool : {Pool::kScatter, Pool::kSlopes}) {
    const FitOptions one = pooled(runs, pool, 1);
    const FitOptions four = pooled(runs, pool, 4);
    EXPECT_EQ(one.pooling->sigma, four.pooling->sigma);
    EXPECT_EQ(fits_of(runs, one)[7].parameters[1].ci->lower,
              fits_of(runs, four)[7].parameters[1].ci->lower);
  }
}

TEST_F(PoolGroups, WarnsWhereGroupsScatterDifferently) {
  std::string text = "model,gpus,seconds\n";
  RandomStream stream(4, 2);
  for (const auto& [model, sigma] : {std::pair{"calm", 0.005}, std::pair{"wild", 0.3}}) {
    for (const double x : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
      text += std::string(model) + "," + std::to_string(x) + "," +
              std::to_string(100 / x * std::exp(sigma * stream.normal())) + "\n";
    }
  }
  const GroupedCells runs = read(text);
  const FitOptions options = pooled(runs, Pool::kScatter);
  EXPECT_TRUE(options.pooling->has_unequal_scatter());
  for (const Fit& fit : fits_of(runs, options)) {
    EXPECT_TRUE(warns(fit, WarningCode::kUnequalScatter));
  }
  for (const Fit& fit : fits_of(runs, {})) EXPECT_FALSE(warns(fit, WarningCode::kUnequalScatter));
}

TEST_F(PoolGroups, HasNothingToPoolWithoutDegreesOfFreedom) {
  const GroupedCells runs = read("model,gpus,seconds\na,1,10\na,2,6\nb,1,9\nb,4,3\n");
  EXPECT_FALSE(pool_groups(runs, {.pool = Pool::kScatter}, 1));
  EXPECT_FALSE(pool_groups(runs, {.pool = Pool::kSlopes}, 1));
}

TEST_F(PoolGroups, RefusesWhatHasNoCommonSigma) {
  const GroupedCells runs = read(kRuns);
  const auto refuses = [&runs](FitOptions options) {
    EXPECT_THROW(pool_groups(runs, options, 1), std::invalid_argument);
  };
  refuses({.law = find_law("floor"), .pool = Pool::kScatter});
  refuses({.errors = Errors::kNormal, .pool = Pool::kScatter});
  refuses({.se = StandardError::kHc3, .pool = Pool::kScatter});
  refuses({.robust = Robust::kHuber, .pool = Pool::kScatter});
  refuses({.bootstrap = {.resamples = 100}, .pool = Pool::kScatter});
  refuses({.law = find_law("lognormal"), .pool = Pool::kSlopes});
}

TEST_F(PoolGroups, SlopesAgreeWithLme4) {
  const GroupedCells runs = read(kRuns);
  const FitOptions options = pooled(runs, Pool::kSlopes);
  ASSERT_TRUE(options.pooling && options.pooling->slopes);
  const PooledSlopes& slopes = *options.pooling->slopes;
  EXPECT_GE(correct_digits(options.pooling->sigma, 0.06368982940886), 7);
  EXPECT_GE(correct_digits(slopes.tau, 0.1126612882113), 7);
  EXPECT_GE(correct_digits(slopes.beta.estimate, 0.7171635550047), 8);
  EXPECT_GE(correct_digits(slopes.equal_slopes.f, 16.73382), 6);
  EXPECT_GE(correct_digits(slopes.equal_slopes.p, 2.9197e-05), 4.5);
  const std::vector<double> betas{0.6478200151555, 0.6955843526053, 0.8763344208729,
                                  0.7602300194752, 0.7604563404416, 0.5625561814779};
  const std::vector<Fit> fits = fits_of(runs, options);
  for (std::size_t i = 0; i < betas.size(); ++i) {
    EXPECT_GE(correct_digits(fits[i].parameters[1].estimate, betas[i]), 8);
  }
}

TEST_F(PoolGroups, IntervalsOfSlopesAgreeWithQuadratureToEightDigits) {
  const GroupedCells runs = read(kRuns);
  const std::vector<Fit> fits = fits_of(runs, pooled(runs, Pool::kSlopes));
  expect_interval(fits[0].parameters[1], {0.5634110073656, 0.7330294417532}, 8);
  expect_interval(fits[2].parameters[1], {0.7825546789937, 0.9636646070307}, 8);
  expect_interval(fits[3].parameters[1], {0.6711601922244, 0.8481294968742}, 8);
  expect_interval(fits[4].parameters[1], {0.7152608944633, 0.8046163089925}, 8);
  expect_interval(*fits[0].log_alpha, {4.533124697923, 4.757149657063}, 8);
  expect_interval(*fits[3].log_alpha, {4.247001129188, 4.515354454699}, 8);
  expect_interval(*fits[4].log_alpha, {2.40096401915, 2.69207989593}, 8);
}

TEST_F(PoolGroups, SlopesThatDifferNoMoreThanTheirErrorsAreOne) {
  RandomStream stream(9, 3);
  const GroupedCells runs = read(simulated(12, 5, 0.3, 0, stream));
  const FitOptions options = pooled(runs, Pool::kSlopes);
  ASSERT_EQ(options.pooling->slopes->tau, 0);
  EXPECT_EQ(options.pooling->slopes->tau_ci.lower, 0);
  for (const Fit& fit : fits_of(runs, options)) {
    EXPECT_NEAR(fit.parameters[1].estimate, options.pooling->slopes->beta.estimate, 1e-12);
    EXPECT_LT(fit.parameters[1].ci->lower, fit.parameters[1].estimate);
    EXPECT_GT(fit.parameters[1].ci->upper, fit.parameters[1].estimate);
  }
}

TEST_F(PoolGroups, NamesTheGroupWhoseSlopeIsNotOneOfTheirs) {
  RandomStream stream(9, 4);
  std::string text = simulated(15, 6, 0.02, 0.02, stream);
  for (const double x : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
    text += "odd," + std::to_string(x) + "," +
            std::to_string(100 * std::exp(0.02 * stream.normal())) + "\n";
  }
  const GroupedCells runs = read(text);
  const std::vector<Fit> fits = fits_of(runs, pooled(runs, Pool::kSlopes));
  EXPECT_TRUE(warns(fits.back(), WarningCode::kOutlyingSlope));
  EXPECT_EQ(std::count_if(fits.begin(), fits.end(),
                          [](const Fit& fit) { return warns(fit, WarningCode::kOutlyingSlope); }),
            1);
}

TEST_F(PoolGroups, SavedFitsKeepThePooledScatter) {
  const GroupedCells runs = read(kRuns);
  const FitOptions options = pooled(runs, Pool::kScatter);
  const std::vector<GroupFit> fits = fit_groups(runs, options, 1);
  const SavedFits saved =
      parse_fits(render_fits(report_on(runs, options), fits, {.format = Format::kJson}), "a.json");
  EXPECT_EQ(saved.pool, Pool::kScatter);
  const Fit& before = std::get<Fit>(fits[3].result);
  const Fit& after = std::get<Fit>(saved.groups[3].result);
  EXPECT_EQ(after.sigma, before.sigma);
  EXPECT_EQ(after.sigma_dof(), 13);
  EXPECT_EQ(after.curve_ci(4)->upper, before.curve_ci(4)->upper);
}

TEST_F(PoolGroups, ForecastsTakeThePooledScatter) {
  const GroupedCells runs = read(kRuns);
  ForecastOptions options{.kind = ForecastKind::kLaw, .law = find_law("power")};
  options.pooling = pooled(runs, Pool::kScatter).pooling;
  std::vector<Cell> cells;
  runs.cells(3, cells);  // Group d, whose two points alone have no interval.
  const Prediction at = predict(make_forecast(cells, options), 16);
  EXPECT_GE(correct_digits(at.median, 9.615335954014), 12);
  EXPECT_GE(correct_digits(at.ci->lower, 7.958406339375), 11);
  EXPECT_GE(correct_digits(at.ci->upper, 11.61723611059), 11);
  EXPECT_GE(correct_digits(at.pi->lower, 7.609996615154), 11);
  EXPECT_GE(correct_digits(at.pi->upper, 12.14910993843), 11);
}

TEST_F(PoolGroups, GatesTakeTheDegreesOfFreedomOfAllGroups) {
  const GroupedCells runs = read(kRuns);
  const FitOptions options = pooled(runs, Pool::kScatter);
  SavedFits fits{report_on(runs), options, "runs.csv", fit_groups(runs, options, 1)};
  const Gate gate = gate_fits(std::vector<GatePair>{{fits, fits}});
  const double se = *std::get<Fit>(fits.groups[3].result).parameters[1].se;
  for (const GateComparison& comparison : gate.groups[3].comparisons) {
    ASSERT_TRUE(comparison.change.dof);
    EXPECT_NEAR(*comparison.change.dof, 26, 1e-9);  // 13 on either side.
  }
  EXPECT_NEAR(*gate.groups[3].comparisons[0].change.se, std::sqrt(2) * se, 1e-15);
}

TEST_F(PoolGroups, SavedFitsOfPooledSlopesAreRefused) {
  const GroupedCells runs = read(kRuns);
  const FitOptions options = pooled(runs, Pool::kSlopes);
  const std::string document = render_fits(report_on(runs, options), fit_groups(runs, options, 1),
                                           {.format = Format::kJson});
  EXPECT_THROW(parse_fits(document, "a.json"), DataError);
}

}  // namespace
}  // namespace scalelaw
