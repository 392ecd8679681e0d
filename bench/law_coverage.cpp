// How often 95 % intervals of the laws hold the true parameters with few points. Prints the section
// "Other laws" of docs/explanation/coverage.md. Bootstrap intervals get a tenth of the simulations.
// The number of threads does not change the numbers.
//
//     law_coverage [SIMULATIONS [SEED [RESAMPLES]]]     default 4000 1 399

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "one_run.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit.hpp"

namespace {

using namespace scalelaw;

constexpr std::size_t kSlice = 100;  ///< Simulations that share a random stream.
constexpr double kLargestScale = 512;

/// The scales at which a curve is measured.
enum class Scales {
  kTo512,     ///< Evenly spaced in ln N from 1 to 512.
  kDoubling,  ///< N = 1, 2, 4, ...
};

/// A curve, measured at n scales.
struct Truth {
  std::string title;
  const char* law;
  std::vector<double> theta;
  double scatter;  ///< Standard deviation of ln t.
  int fewest;      ///< Fewest points.
  Scales scales = Scales::kTo512;
};

const std::vector<Truth>& truths() {
  static const std::vector<Truth> all{
      {"floor: t = 100 N^(-0.8) + 2, scatter 2 %", "floor", {std::log(100), 0.8, 2}, 0.02, 5},
      {"floor: t = 100 N^(-0.8) + 2, scatter 10 %", "floor", {std::log(100), 0.8, 2}, 0.1, 5},
      {"floor: t = 100 N^(-0.8), scatter 2 %", "floor", {std::log(100), 0.8, 0}, 0.02, 5},
      {"floor: t = 100 N^(-0.5) + 2, scatter 10 %", "floor", {std::log(100), 0.5, 2}, 0.1, 5},
      {"amdahl: s = 0.02, scatter 2 %", "amdahl", {std::log(100), 0.02}, 0.02, 5},
      {"amdahl: s = 0.02, scatter 10 %", "amdahl", {std::log(100), 0.02}, 0.1, 5},
      {"usl: sigma = 0.02, kappa = 0.0001, scatter 2 %",
       "usl",
       {std::log(100), 0.02, 1e-4},
       0.02,
       5},
      {"usl: sigma = 0.02, kappa = 0.0001, scatter 10 %",
       "usl",
       {std::log(100), 0.02, 1e-4},
       0.1,
       5},
      {"usl: sigma = 0.02, kappa = 0, scatter 10 %", "usl", {std::log(100), 0.02, 0}, 0.1, 5},
      {"broken: beta 0.9 up to N = 22.6, then 0.4, scatter 2 %",
       "broken",
       {std::log(100), 0.9, 0.4, 0.5 * std::log(kLargestScale)},
       0.02,
       7},
      {"broken: beta 0.9 up to N = 22.6, then 0.4, scatter 10 %",
       "broken",
       {std::log(100), 0.9, 0.4, 0.5 * std::log(kLargestScale)},
       0.1,
       7},
  };
  return all;
}

/// Curves of every law at N = 1, 2, 4, ...: floors of 2, 5 and 10 % of the first time, and serial
/// shares as large.
std::vector<Truth> doubling_truths() {
  std::vector<Truth> all;
  const auto add = [&](const std::string& title, const char* law, std::vector<double> theta,
                       int fewest) {
    for (const double scatter : {0.01, 0.03, 0.1}) {
      all.push_back({fmt::format("{}, scatter {:g} %", title, 100 * scatter), law, theta, scatter,
                     fewest, Scales::kDoubling});
    }
  };
  const double log_first = std::log(100.0);
  for (const double beta : {0.5, 0.8}) {
    for (const double floor : {2.0, 5.0, 10.0}) {
      add(fmt::format("floor: t = 100 N^(-{:g}) + {:g}", beta, floor), "floor",
          {log_first, beta, floor}, 4);
    }
  }
  for (const double share : {0.02, 0.05, 0.1}) {
    add(fmt::format("amdahl: s = {:g}", share), "amdahl", {log_first, share}, 4);
    add(fmt::format("usl: sigma = {:g}, kappa = {:g}", share, 0.01 * share), "usl",
        {log_first, share, 0.01 * share}, 4);
  }
  add("power: t = 100 N^(-0.7)", "power", {log_first, 0.7}, 4);
  add("lognormal: bend 0.02", "lognormal", {log_first, -0.9, 0.02}, 4);
  add("broken: beta 0.9 up to N = 11, then 0.4", "broken", {log_first, 0.9, 0.4, std::log(11.0)},
      8);
  return all;
}

std::vector<Cell> simulated_points(const Truth& truth, int n, RandomStream& stream) {
  const Law& law = *find_law(truth.law);
  std::vector<Cell> cells;
  for (int i = 0; i < n; ++i) {
    const double x = truth.scales == Scales::kDoubling
                         ? std::ldexp(1.0, i)
                         : std::pow(kLargestScale, static_cast<double>(i) / (n - 1));
    const double eta = law.predictor(x, truth.theta, Response::kTime);
    const double log_y =
        (law.scale() == Scale::kLog ? eta : std::log(eta)) + truth.scatter * stream.normal();
    const double y = std::exp(log_y);
    cells.push_back(one_run(x, y, log_y));
  }
  return cells;
}

/// Simulations of one parameter, and how many intervals hold it.
struct Tally {
  std::uint64_t sets = 0;
  std::uint64_t profile = 0;
  std::uint64_t wald = 0;
  std::uint64_t wald_defined = 0;  ///< A parameter on its bound has none.
  std::uint64_t on_bound = 0;
  std::uint64_t open = 0;
  std::uint64_t bootstrap = 0;

  void add(const Tally& other) {
    sets += other.sets;
    profile += other.profile;
    wald += other.wald;
    wald_defined += other.wald_defined;
    on_bound += other.on_bound;
    open += other.open;
    bootstrap += other.bootstrap;
  }
};

bool holds(const Interval& interval, double value) {
  // An interval that ends on a bound holds it.
  return interval.lower <= value && value <= interval.upper;
}

void judge(const Fit& fit, const Truth& truth, std::vector<Tally>& tallies) {
  for (std::size_t k = 0; k < tallies.size(); ++k) {
    const Parameter& parameter = fit.parameters[k];
    const bool exponential = fit.law->parameters()[k].transform == Transform::kExp;
    const double value = exponential ? std::exp(truth.theta[k]) : truth.theta[k];
    Tally& tally = tallies[k];
    ++tally.sets;
    if (fit.bootstrap) {
      tally.bootstrap += holds(fit.bootstrap->parameters[k].ci, value) ? 1 : 0;
      continue;
    }
    tally.on_bound += parameter.on_bound ? 1 : 0;
    if (parameter.ci) {
      tally.profile += holds(*parameter.ci, value) ? 1 : 0;
      tally.open += !std::isfinite(parameter.ci->lower) || !std::isfinite(parameter.ci->upper);
    }
    if (parameter.wald_ci) {
      ++tally.wald_defined;
      tally.wald += holds(*parameter.wald_ci, value) ? 1 : 0;
    }
  }
}

std::vector<Tally> simulate(const Truth& truth, int n, std::size_t simulations, std::uint64_t seed,
                            std::uint32_t resamples) {
  FitOptions options;
  options.law = find_law(truth.law);
  options.figures = Figures::kEstimates;
  if (resamples > 0) {
    options.intervals = Intervals::kWald;
    options.bootstrap = {.resamples = resamples, .kind = BootstrapKind::kWebb, .seed = seed};
  }
  const std::vector<Tally> none(truth.theta.size());
  std::vector<std::vector<Tally>> slices((simulations + kSlice - 1) / kSlice, none);
  parallel_for(thread_count(0), slices.size(), [&](std::size_t slice, int) {
    RandomStream stream(seed, stable_hash(truth.title) + static_cast<std::uint64_t>(n), slice);
    for (std::size_t i = slice * kSlice; i < std::min(simulations, (slice + 1) * kSlice); ++i) {
      const std::vector<Cell> cells = simulated_points(truth, n, stream);
      try {
        judge(fit_law(cells, options, i), truth, slices[slice]);
      } catch (const FitError&) {
        // There is no interval, so the tally does not count it.
      }
    }
  });
  std::vector<Tally> sum = none;
  for (const auto& slice : slices) {
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k].add(slice[k]);
  }
  return sum;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

double monte_carlo_error(std::size_t simulations) {
  return 100 * std::sqrt(0.95 * 0.05 / static_cast<double>(simulations));
}

/// One row per curve and n, with the coverage of each parameter's interval.
void print_doubling(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Every law at N = 1, 2, 4, ...\n\n| curve | n | intervals that hold the parameter |\n"
      "| --- | --: | --- |\n");
  for (const Truth& truth : doubling_truths()) {
    for (const int n : {4, 5, 6, 8, 12}) {
      if (n < truth.fewest) continue;
      const auto tallies = simulate(truth, n, simulations, seed, 0);
      std::string held;
      for (std::size_t k = 0; k < tallies.size(); ++k) {
        held += fmt::format("{}{} {}", held.empty() ? "" : ", ",
                            find_law(truth.law)->parameters()[k].name,
                            percent(tallies[k].profile, tallies[k].sets));
      }
      fmt::print("| {} | {} | {} |\n", truth.title, n, held);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const auto resamples =
      static_cast<std::uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 399);
  fmt::print(
      "## Other laws\n\nCoverage in percent of 95 % intervals, simulated: log-normal scatter, n "
      "scales evenly spaced in ln N from 1 to {}, one run each. {} simulations a figure (Monte "
      "Carlo error {:.2f}); bootstrap (Webb, percentile) {} simulations of {} resamples ({:.1f}). "
      "`wald`: of the fits that have one, none being given on a bound; `on bound`, `open`: fits "
      "whose estimate lies on a bound, whose profile interval has an open end. Made by "
      "`bench/law_coverage {} {} {}`.\n",
      kLargestScale, simulations, monte_carlo_error(simulations), simulations / 10, resamples,
      monte_carlo_error(std::max<std::size_t>(simulations / 10, 1)), simulations, seed, resamples);
  print_doubling(simulations, seed);
  for (const Truth& truth : truths()) {
    fmt::print(
        "\n### {}\n\n| n | parameter | profile | Wald | Webb | on bound | open |\n| --: | --- | "
        "--: | --: | --: | --: | --: |\n",
        truth.title);
    for (const int n : {5, 7, 9, 12}) {
      if (n < truth.fewest) continue;
      const auto tallies = simulate(truth, n, simulations, seed, 0);
      const auto resampled = resamples > 0 ? simulate(truth, n, simulations / 10, seed, resamples)
                                           : std::vector<Tally>(tallies.size());
      for (std::size_t k = 0; k < tallies.size(); ++k) {
        const Tally& tally = tallies[k];
        fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", n,
                   find_law(truth.law)->parameters()[k].name, percent(tally.profile, tally.sets),
                   percent(tally.wald, tally.wald_defined),
                   percent(resampled[k].bootstrap, resampled[k].sets),
                   percent(tally.on_bound, tally.sets), percent(tally.open, tally.sets));
      }
      std::fflush(stdout);
    }
  }
}
