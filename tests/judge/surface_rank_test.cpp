#include "scalelaw/judge/surface_rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/runs/surface_runs.hpp"
#include "support/places.hpp"

// Literals: scipy 1.10 by oracle/make_surface_rank_oracle.py data/two_scales/runs.csv 8.

namespace scalelaw {
namespace {

SurfaceRuns runs_in(const std::filesystem::path& path, const SurfaceColumns& columns,
                    const std::string& y) {
  RunOptions rows;
  rows.y = y;
  rows.by_chosen = true;
  return read_surface_runs(std::array{path.string()}, columns, rows).groups.at(0);
}

SurfaceRuns two_scales() {
  return runs_in(source_folder() / "data/two_scales/runs.csv", {.n = "parameters", .d = "tokens"},
                 "loss");
}

const RankedSurfaceLaw& ranked_in(const SurfaceRanking& ranking, const std::string& law,
                                  LawScale over) {
  for (const RankedSurfaceLaw& ranked : ranking.laws) {
    if (ranked.law->name() == law && ranked.over == over) return ranked;
  }
  throw std::logic_error("no such law");
}

void expect_law(const RankedSurfaceLaw& ranked, double aicc, double rms, double mean) {
  ASSERT_TRUE(ranked.aicc);
  EXPECT_NEAR(*ranked.aicc, aicc, 1e-6);
  ASSERT_TRUE(ranked.held_out);
  EXPECT_NEAR(ranked.held_out->rms, rms, 1e-7);
  EXPECT_NEAR(ranked.held_out->mean, mean, 1e-7);
}

TEST(RankSurface, AgreesWithScipyOnLawsOfOneAndOfTwoScales) {
  const SurfaceRanking ranking = rank_surface(two_scales(), {});
  EXPECT_EQ(ranking.n, 80U);
  ASSERT_TRUE(ranking.held_out);
  EXPECT_EQ(ranking.held_out->n, 8U);
  EXPECT_EQ(ranking.held_out->least_hidden, 5.61e9);
  EXPECT_EQ(ranking.held_out->most_kept, 5.19e9);
  expect_law(ranked_in(ranking, "chinchilla", LawScale::kBoth), -655.1872635993599,
             0.0044371361833131584, 0.001066460937345401);
  expect_law(ranked_in(ranking, "power", LawScale::kFirst), -131.76196321766184, 0.1771097256048609,
             0.12002292504530958);
  expect_law(ranked_in(ranking, "floor", LawScale::kFirst), -136.12333574928735,
             0.15630309492696126, 0.07910019672436423);
  expect_law(ranked_in(ranking, "power", LawScale::kSecond), -131.45424068421136,
             0.12685449206055516, -0.12176021260947759);
  expect_law(ranked_in(ranking, "power", LawScale::kProduct), -314.96311834145007,
             0.05639507850257122, 0.04587281964422921);
  expect_law(ranked_in(ranking, "floor", LawScale::kProduct), -316.87321138369566,
             0.05792195935545126, 0.04202985836961745);
}

TEST(RankSurface, NamesTheLawThatMadeTheRuns) {
  // The runs are drawn with exponents of 0.34 and 0.35, so that one for both does as well.
  const SurfaceRanking ranking = rank_surface(two_scales(), {});
  EXPECT_EQ(ranking.laws[0].law->name(), "overtrain");
  EXPECT_EQ(ranking.laws[1].law->name(), "chinchilla");
  EXPECT_EQ(ranking.closest, 0U);
  EXPECT_EQ(ranking.laws[0].k, 5U);
  EXPECT_EQ(ranking.laws[1].k, 6U);
  EXPECT_NEAR(*ranking.laws[0].weight + *ranking.laws[1].weight, 1, 1e-12);
}

TEST(RankSurface, KnowsEveryLawOfTwoScales) {
  for (const std::string_view name : law_names(2)) {
    const auto laws = default_surface_laws();
    EXPECT_NE(std::find(laws.begin(), laws.end(), find_law(name)), laws.end()) << name;
  }
}

TEST(RankSurface, KeepsALawThatTheRunsDoNotDetermine) {
  SurfaceRuns few;
  few.n = {1e8, 2e8, 4e8, 8e8};
  few.d = {1e9, 8e9, 2e9, 4e9};
  few.y = {3.9, 3.3, 3.2, 2.9};
  const SurfaceRanking ranking = rank_surface(few, {});
  const RankedSurfaceLaw& surface = ranked_in(ranking, "chinchilla", LawScale::kBoth);
  ASSERT_TRUE(std::holds_alternative<NoFit>(surface.result));
  EXPECT_EQ(std::get<NoFit>(surface.result).code, FailureCode::kTooFewPoints);
  EXPECT_FALSE(surface.aicc);
}

TEST(WithoutLargest, HidesWholeLevels) {
  SurfaceRuns runs;
  runs.n = {100, 1, 99.5, 10, 10, 1};
  runs.d = {1, 1000, 1, 5, 20, 1};
  runs.y = {1, 2, 3, 4, 5, 6};
  const auto by_size = without_largest(runs, SizeMeasure::kFirst, 1);
  EXPECT_EQ(by_size->hidden.y, (std::vector<double>{1, 3}));
  EXPECT_EQ(by_size->most_kept, 10);
  EXPECT_EQ(without_largest(runs, SizeMeasure::kFirst, 2)->kept.y, (std::vector<double>{2, 6}));
  EXPECT_EQ(without_largest(runs, SizeMeasure::kProduct, 2)->hidden.y, (std::vector<double>{2, 5}));
  EXPECT_FALSE(without_largest(runs, SizeMeasure::kFirst, 3));
}

FitOptions huber() {
  FitOptions options;
  options.law = find_law("chinchilla");
  options.robust = Robust::kHuber;
  options.intervals = Intervals::kWald;
  return options;
}

TEST(BacktestSurface, ForecastsTheLargestRunsFromTheOthers) {
  FitOptions squares = huber();
  squares.robust = Robust::kNone;
  const SurfaceBacktest backtest = backtest_surface(two_scales(), squares, {});
  EXPECT_EQ(backtest.kept, 72U);
  ASSERT_EQ(backtest.runs.size(), 8U);
  EXPECT_NEAR(backtest.errors.rms, 0.0044371361833131584, 1e-7);
  EXPECT_NEAR(backtest.errors.mean, 0.001066460937345401, 1e-7);
  EXPECT_EQ(backtest.intervals, 8U);
  ASSERT_TRUE(backtest.coverage);
  EXPECT_GE(*backtest.coverage, 0.75);
  EXPECT_LE(backtest.errors.median, backtest.errors.rms);
  EXPECT_LE(backtest.errors.rms, backtest.errors.greatest);
}

TEST(BacktestSurface, OfAllRunsIsRefused) {
  EXPECT_THROW(backtest_surface(two_scales(), huber(), {.levels = 100}), FitError);
}

/// What a run ended with: the loss on C4, and bits per byte of eight benchmarks.
struct LadderRun {
  double n, d;
  std::array<double, 9> y;
};

/// Bhagia et al. (2024): the 16 runs that they fitted, from their repository (allenai/OLMo,
/// scripts/scaling/data/peteish-moreeval, Apache-2.0). As in their step 1, y is the mean of the
/// last five checkpoints, and that of MMLU weights its four parts by 0.215, 0.335, 0.219 and 0.231.
const std::vector<LadderRun>& ladder() {
  static const std::vector<LadderRun> runs{
      {190354176,
       3812622336,
       {3.605174, 1.518910, 0.982709, 1.210706, 1.379930, 1.565209, 1.814307, 1.272994, 1.397067}},
      {190354176,
       7619477504,
       {3.497489, 1.424200, 0.943295, 1.097184, 1.300704, 1.528389, 1.721342, 1.236559, 1.366540}},
      {190354176,
       19041091584,
       {3.390818, 1.337889, 0.911522, 1.017412, 1.223809, 1.413708, 1.662687, 1.198421, 1.272139}},
      {190354176,
       38076416000,
       {3.337846, 1.304043, 0.894562, 1.003788, 1.183354, 1.405668, 1.645986, 1.177446, 1.258648}},
      {371262464,
       7433355264,
       {3.397041, 1.360278, 0.916327, 1.015819, 1.210931, 1.423151, 1.678755, 1.192364, 1.281213}},
      {371262464,
       14858846208,
       {3.290667, 1.276595, 0.881774, 0.915448, 1.157722, 1.375368, 1.597340, 1.157218, 1.238197}},
      {371262464,
       37134532608,
       {3.188743, 1.204351, 0.852708, 0.876098, 1.097279, 1.280594, 1.551970, 1.114427, 1.196124}},
      {371262464,
       74260414464,
       {3.134005, 1.176291, 0.837393, 0.858286, 1.072557, 1.226253, 1.536495, 1.098760, 1.177911}},
      {758220288,
       15178137600,
       {3.205544, 1.222768, 0.857898, 0.907494, 1.111579, 1.308479, 1.572379, 1.124954, 1.190407}},
      {758220288,
       30343168000,
       {3.104798, 1.157182, 0.832963, 0.820797, 1.048821, 1.211898, 1.503253, 1.092911, 1.145782}},
      {758220288,
       75835637760,
       {3.006231, 1.098410, 0.802860, 0.778271, 1.005437, 1.146223, 1.459977, 1.048224, 1.117205}},
      {758220288,
       151658168320,
       {2.954874, 1.063421, 0.791494, 0.745618, 0.969892, 1.096651, 1.450468, 1.040606, 1.113286}},
      {1279395840,
       25604653056,
       {3.065172, 1.137898, 0.817839, 0.818421, 1.044817, 1.219554, 1.513194, 1.076986, 1.136336}},
      {1279395840,
       51192004608,
       {2.972130, 1.082937, 0.794648, 0.760787, 1.001132, 1.102508, 1.469455, 1.045947, 1.099558}},
      {1279395840,
       127955632128,
       {2.878523, 1.022333, 0.769640, 0.722995, 0.946840, 1.041375, 1.420860, 1.013751, 1.107467}},
      {1279395840,
       255895535616,
       {2.832060, 0.985615, 0.759760, 0.686463, 0.906504, 1.001118, 1.385303, 1.000038, 1.079880}},
  };
  return runs;
}

SurfaceRuns ladder_runs(std::size_t column) {
  SurfaceRuns runs;
  for (const LadderRun& run : ladder()) {
    runs.n.push_back(run.n);
    runs.d.push_back(run.d);
    runs.y.push_back(run.y[column]);
  }
  return runs;
}

/// The forecasts that Bhagia et al. (2024) print, from losses of at most 1.3B parameters, are those
/// of the last model of their configuration: 13B parameters and 5T tokens.
TEST(FitSurface, ForecastsWhatIsPrintedForTheOlmoLadder) {
  const std::array printed{std::pair{"C4", 2.3443873},
                           std::pair{"MMLU", 0.7501562},
                           std::pair{"HellaSwag", 0.6531766},
                           std::pair{"ARC-Easy", 0.5931046},
                           std::pair{"ARC-Challenge", 0.7833239},
                           std::pair{"CommonsenseQA", 0.6617283},
                           std::pair{"OpenBookQA", 1.2750065},
                           std::pair{"PIQA", 0.8747949},
                           std::pair{"Social IQa", 0.9915737}};
  for (std::size_t k = 0; k < printed.size(); ++k) {
    const Fit fit = fit_surface(ladder_runs(k), huber());
    const double forecast = surface_at(fit, 13202396160, 5000088518656, 0.95).median;
    EXPECT_NEAR(forecast / printed[k].second, 1, 5e-5) << printed[k].first;
  }
}

TEST(BacktestSurface, ForecastsTheLargestModelsOfTheOlmoLadder) {
  const SurfaceBacktest backtest = backtest_surface(ladder_runs(0), huber(), {.levels = 1});
  ASSERT_EQ(backtest.runs.size(), 4U);
  EXPECT_NEAR(backtest.errors.rms, 0.0059, 5e-5);
  EXPECT_EQ(backtest.coverage, 1);
}

/// The runs of 412M parameters, some of which saw a quarter of the tokens of Chinchilla.
TEST(BacktestSurface, ForecastsTheLargestOfTheSmallModelsOfGadreEtAl) {
  const auto path = source_folder() / "../shared/data/llm/gadre/runs.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  RunOptions rows;
  rows.y = "loss_c4_val_shard_0000000_0000010_tar";
  rows.by = {"dataset"};
  rows.by_chosen = true;
  const auto groups =
      read_surface_runs(std::array{path.string()}, {.n = "params", .d = "tokens"}, rows).groups;
  for (const SurfaceRuns& runs : groups) {
    EXPECT_LT(backtest_surface(runs, huber(), {.levels = 1}).errors.median, 0.05);
  }
}

}  // namespace
}  // namespace scalelaw
