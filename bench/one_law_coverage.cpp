// How often 95 % intervals of `predict --law L` hold where law L is true, inside its bounds and on
// them: those of the curve and those of a new run. Prints a table of the section "Forecasts" of
// docs/explanation/coverage.md.
// The number of threads does not change the numbers.
//
//     one_law_coverage [SIMULATIONS [SEED]]     default 2000 1

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "one_run.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/predict.hpp"

namespace {

using namespace scalelaw;

constexpr std::size_t kSlice = 50;  ///< Simulations that share a random stream.
constexpr std::array<double, 2> kReaches{2, 4};

struct Truth {
  const char* law;
  std::vector<double> theta;  ///< The first is ln of the time at N = 1.
  const char* title;
};

const std::vector<Truth>& truths() {
  static const double log_first = std::log(100.0);
  static const std::vector<Truth> all{
      {"floor", {log_first, 0.8, 2}, "beta 0.8 and gamma 2"},
      {"floor", {log_first, 0.5, 10}, "beta 0.5 and gamma 10"},
      {"floor", {log_first, 0.8, 0}, "beta 0.8 and gamma 0"},
      {"amdahl", {log_first, 0.1}, "s 0.1"},
      {"amdahl", {log_first, 0.01}, "s 0.01"},
      {"amdahl", {log_first, 0}, "s 0"},
      {"usl", {log_first, 0.05, 5e-4}, "sigma 0.05 and kappa 0.0005"},
      {"usl", {log_first, 0.02, 1e-4}, "sigma 0.02 and kappa 0.0001"},
      {"usl", {log_first, 0.02, 0}, "sigma 0.02 and kappa 0"},
      {"usl", {log_first, 0, 1e-4}, "sigma 0 and kappa 0.0001"},
      {"usl", {log_first, 0, 0}, "sigma 0 and kappa 0"}};
  return all;
}

/// How many intervals hold, at one reach.
struct Tally {
  std::uint64_t curve = 0;
  std::uint64_t run = 0;
  double log_width = 0;  ///< Summed, of the interval of a run.
};

struct Tallies {
  std::uint64_t sets = 0;
  std::uint64_t on_bound = 0;
  std::array<Tally, kReaches.size()> at{};

  void add(const Tallies& other) {
    sets += other.sets;
    on_bound += other.on_bound;
    for (std::size_t k = 0; k < at.size(); ++k) {
      at[k].curve += other.at[k].curve;
      at[k].run += other.at[k].run;
      at[k].log_width += other.at[k].log_width;
    }
  }
};

bool holds(const std::optional<Interval>& interval, double value) {
  return interval && interval->lower <= value && value <= interval->upper;
}

double log_curve(const Truth& truth, double x) {
  return find_law(truth.law)->predictor(x, truth.theta, Response::kTime);
}

std::vector<Cell> simulated_points(const Truth& truth, int n, double scatter,
                                   RandomStream& stream) {
  std::vector<Cell> cells;
  for (int i = 0; i < n; ++i) {
    const double x = std::ldexp(1.0, i);
    const double log_y = log_curve(truth, x) + scatter * stream.normal();
    cells.push_back(one_run(x, std::exp(log_y), log_y));
  }
  return cells;
}

void judge(const Forecast& forecast, const Truth& truth, double scatter, RandomStream& stream,
           Tallies& tallies) {
  ++tallies.sets;
  const auto is_on_bound = [](const Parameter& one) { return one.on_bound; };
  if (std::ranges::any_of(forecast.fit->parameters, is_on_bound)) ++tallies.on_bound;
  for (std::size_t k = 0; k < kReaches.size(); ++k) {
    const double x = kReaches[k] * forecast.x_max;
    const Prediction there = predict(forecast, x);
    const double truth_there = log_curve(truth, x);
    Tally& tally = tallies.at[k];
    tally.curve += holds(there.ci, std::exp(truth_there)) ? 1 : 0;
    tally.run += holds(there.pi, std::exp(truth_there + scatter * stream.normal())) ? 1 : 0;
    if (there.pi) tally.log_width += std::log(there.pi->upper / there.pi->lower);
  }
}

Tallies simulate(const Truth& truth, int n, double scatter, std::size_t simulations,
                 std::uint64_t seed) {
  ForecastOptions options;
  options.kind = ForecastKind::kLaw;
  options.law = find_law(truth.law);
  std::vector<Tallies> slices((simulations + kSlice - 1) / kSlice);
  parallel_for(thread_count(0), slices.size(), [&](std::size_t slice, int) {
    const std::string name = fmt::format("{} {} {} {}", truth.law, truth.title, n, scatter);
    RandomStream stream(seed, stable_hash(name), slice);
    for (std::size_t i = slice * kSlice; i < std::min(simulations, (slice + 1) * kSlice); ++i) {
      const std::vector<Cell> cells = simulated_points(truth, n, scatter, stream);
      try {
        judge(make_forecast(cells, options), truth, scatter, stream, slices[slice]);
      } catch (const FitError&) {
        // There is no forecast, so the tally does not count it.
      }
    }
  });
  Tallies sum;
  for (const Tallies& slice : slices) sum.add(slice);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print(
      "## One law\n\n| law | truth | scatter | n | distance | forecasts | "
      "estimate on "
      "a bound | holds, curve | holds, new run | width |\n"
      "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n");
  for (const Truth& truth : truths()) {
    for (const double scatter : {0.01, 0.05}) {
      for (int n = 4; n <= 8; ++n) {
        const Tallies all = simulate(truth, n, scatter, simulations, seed);
        const double sets = std::max(1.0, static_cast<double>(all.sets));
        const auto percent = [&](std::uint64_t part) {
          return 100 * static_cast<double>(part) / sets;
        };
        for (std::size_t k = 0; k < kReaches.size(); ++k) {
          fmt::print("| {} | {} | {:g} % | {} | {:g}x | {} | {:.1f} | {:.1f} | {:.1f} | {:.3g} |\n",
                     truth.law, truth.title, 100 * scatter, n, kReaches[k], all.sets,
                     percent(all.on_bound), percent(all.at[k].curve), percent(all.at[k].run),
                     all.at[k].log_width / sets);
        }
        std::fflush(stdout);
      }
    }
  }
}
