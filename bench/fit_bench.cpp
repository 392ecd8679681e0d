// Time per group for fits from cells, robust fits and bootstraps, by Google Benchmark.

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "one_run.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit.hpp"

namespace {

using namespace scalelaw;

/// Ten points of 100 N^-0.7 with 5 % scatter, two at each N, for each group.
std::vector<std::vector<Cell>> groups_of(std::size_t count) {
  RandomStream stream(1);
  std::vector<std::vector<Cell>> groups(count);
  for (auto& cells : groups) {
    for (int i = 0; i < 10; ++i) {
      const double x = std::pow(2.0, i / 2);
      const double y = 100 * std::pow(x, -0.7) * std::exp(0.05 * stream.normal());
      cells.push_back(one_run(x, y, std::log(y), static_cast<std::uint32_t>(i % 5)));
    }
  }
  return groups;
}

void fit_all(benchmark::State& state, const FitOptions& options, std::size_t count) {
  const auto groups = groups_of(count);
  for (auto _ : state) {
    for (const auto& cells : groups) benchmark::DoNotOptimize(fit_law(cells, options));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

void fit_with_errors(benchmark::State& state) {
  FitOptions options;
  options.se = static_cast<StandardError>(state.range(0));
  fit_all(state, options, 1000);
}
BENCHMARK(fit_with_errors)->ArgName("se")->DenseRange(0, 7);

void fit_normal_errors(benchmark::State& state) {
  FitOptions options;
  options.errors = Errors::kNormal;
  fit_all(state, options, 100);
}
BENCHMARK(fit_normal_errors);

void fit_robust(benchmark::State& state) {
  FitOptions options;
  options.robust = static_cast<Robust>(state.range(0));
  fit_all(state, options, 100);
}
BENCHMARK(fit_robust)->ArgName("kind")->DenseRange(1, 2);

/// The bootstrap of bench/compare: 54 groups of 10 points, 10,000 resamples each.
void bootstrap_54_groups(benchmark::State& state) {
  FitOptions options;
  options.bootstrap = {
      .resamples = 10000, .kind = static_cast<BootstrapKind>(state.range(0)), .seed = 1};
  fit_all(state, options, 54);
}
BENCHMARK(bootstrap_54_groups)->ArgName("kind")->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
