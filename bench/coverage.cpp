// How often 95 % intervals of beta hold the true value with few points. Prints the tables of
// docs/explanation/coverage/beta.csv. Bootstrap intervals get a tenth of the simulations. The
// number of threads does not change the numbers.
//
//     coverage [SIMULATIONS [SEED [RESAMPLES]]]     default 20000 1 999

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "one_run.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit.hpp"

namespace {

using namespace scalelaw;

constexpr double kAlpha = 100;
constexpr double kBeta = 0.7;
constexpr int kFewestPoints = 3;
constexpr int kMostPoints = 12;
constexpr std::size_t kSlice = 250;  ///< Simulations that share a random stream.

/// The scatter of t about alpha N^-beta, and the likelihood that the fit assumes.
struct Scenario {
  std::string title;
  Errors errors;
  std::function<double(double curve, double x, RandomStream&)> draw;
};

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all{
      {"Log-normal scatter of 10 %, `--errors lognormal`", Errors::kLognormal,
       [](double curve, double, RandomStream& stream) {
         return curve * std::exp(0.1 * stream.normal());
       }},
      {"Normal scatter of 10 % of t, `--errors lognormal`", Errors::kLognormal,
       [](double curve, double, RandomStream& stream) {
         return curve * (1 + 0.1 * stream.normal());
       }},
      {"Normal scatter of constant size (2 % of the time at N = 1), `--errors normal`",
       Errors::kNormal,
       [](double curve, double, RandomStream& stream) {
         return curve + 0.02 * kAlpha * stream.normal();
       }},
      {"Log-normal scatter that grows from 2 % at N = 1 in proportion to N^0.4, `--errors "
       "lognormal`",
       Errors::kLognormal,
       [](double curve, double x, RandomStream& stream) {
         return curve * std::exp(0.02 * std::pow(x, 0.4) * stream.normal());
       }},
  };
  return all;
}

/// One kind of interval.
struct Method {
  std::string name;
  StandardError se = StandardError::kClassic;
  Robust robust = Robust::kNone;
  std::optional<BootstrapKind> bootstrap = std::nullopt;
  bool bca = false;
};

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"classic"},
      {"HC0", StandardError::kHc0},
      {"HC1", StandardError::kHc1},
      {"HC2", StandardError::kHc2},
      {"HC2-BM", StandardError::kHc2Bm},
      {"HC3", StandardError::kHc3},
      {"Huber", StandardError::kClassic, Robust::kHuber},
      {"Theil-Sen", StandardError::kClassic, Robust::kTheilSen},
      {"wild", StandardError::kClassic, Robust::kNone, BootstrapKind::kWild},
      {"wild BCa", StandardError::kClassic, Robust::kNone, BootstrapKind::kWild, true},
      {"Webb", StandardError::kClassic, Robust::kNone, BootstrapKind::kWebb},
      {"Webb BCa", StandardError::kClassic, Robust::kNone, BootstrapKind::kWebb, true},
      {"residual", StandardError::kClassic, Robust::kNone, BootstrapKind::kResidual},
      {"residual BCa", StandardError::kClassic, Robust::kNone, BootstrapKind::kResidual, true},
  };
  return all;
}

std::vector<Cell> simulated_points(const Scenario& scenario, int n, RandomStream& stream) {
  std::vector<Cell> cells;
  for (int i = 0; i < n; ++i) {
    const double x = std::pow(2.0, i);
    const double y = scenario.draw(kAlpha * std::pow(x, -kBeta), x, stream);
    cells.push_back(one_run(x, y, std::log(std::max(y, 1e-300))));
  }
  return cells;
}

std::optional<Interval> interval_of(const Fit& fit, const Method& method) {
  if (!method.bootstrap) return fit.parameters[1].ci;
  if (!fit.bootstrap) return std::nullopt;
  const BootstrapEstimate& beta = fit.bootstrap->parameters[1];
  return method.bca ? beta.ci_bca : std::optional(beta.ci);
}

/// How many simulations have an interval, and in how many it holds beta.
struct Tally {
  std::uint64_t defined = 0;
  std::uint64_t held = 0;
};

Tally simulate(const Scenario& scenario, const Method& method, int n, std::size_t simulations,
               std::uint64_t seed, std::uint32_t resamples) {
  FitOptions options;
  options.errors = scenario.errors;
  options.se = method.se;
  options.robust = method.robust;
  if (method.bootstrap) {
    options.bootstrap = {.resamples = resamples, .kind = *method.bootstrap, .seed = seed};
  }
  const std::size_t slices = (simulations + kSlice - 1) / kSlice;
  std::vector<Tally> tallies(slices);
  parallel_for(thread_count(0), slices, [&](std::size_t slice, int) {
    // Every method gets the same points.
    RandomStream stream(seed, stable_hash(scenario.title) + static_cast<std::uint64_t>(n), slice);
    for (std::size_t i = slice * kSlice; i < std::min(simulations, (slice + 1) * kSlice); ++i) {
      const std::vector<Cell> cells = simulated_points(scenario, n, stream);
      try {
        const auto interval = interval_of(fit_law(cells, options, i), method);
        if (!interval) continue;
        ++tallies[slice].defined;
        if (interval->lower <= kBeta && kBeta <= interval->upper) ++tallies[slice].held;
      } catch (const FitError&) {
        // There is no interval, so the tally does not count it.
      }
    }
  });
  Tally sum;
  for (const Tally& tally : tallies) {
    sum.defined += tally.defined;
    sum.held += tally.held;
  }
  return sum;
}

/// Theil-Sen and Huber take logarithms. The bootstrap of non-linear fits would take hours here.
bool applies(const Method& method, const Scenario& scenario) {
  return scenario.errors == Errors::kLognormal ||
         (method.robust == Robust::kNone && !method.bootstrap);
}

std::string cell_text(const Tally& tally, std::size_t simulations) {
  if (2 * tally.defined < simulations) return "-";
  return fmt::format("{:.1f}",
                     100.0 * static_cast<double>(tally.held) / static_cast<double>(tally.defined));
}

void print_table(const Scenario& scenario, std::size_t simulations, std::uint64_t seed,
                 std::uint32_t resamples) {
  std::string head = "| n |";
  std::string rule = "| --: |";
  for (const Method& method : methods()) {
    if (!applies(method, scenario)) continue;
    head += fmt::format(" {} |", method.name);
    rule += " --: |";
  }
  fmt::print("### {}\n\n{}\n{}\n", scenario.title, head, rule);
  for (int n = kFewestPoints; n <= kMostPoints; ++n) {
    std::string row = fmt::format("| {} |", n);
    for (const Method& method : methods()) {
      if (!applies(method, scenario)) continue;
      const std::size_t count = method.bootstrap ? simulations / 10 : simulations;
      const Tally tally = simulate(scenario, method, n, count, seed, resamples);
      row += fmt::format(" {} |", cell_text(tally, count));
    }
    fmt::print("{}\n", row);
    std::fflush(stdout);
  }
  fmt::print("\n");
}

double monte_carlo_error(std::size_t simulations) {
  return 100 * std::sqrt(0.95 * 0.05 / static_cast<double>(simulations));
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const auto resamples =
      static_cast<std::uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 999);
  fmt::print(
      "Coverage in percent of 95 % intervals of beta, simulated: t = {} N^(-{}) at N = 1, 2, 4, "
      "..., one run each, n "
      "points. {} simulations a figure (Monte Carlo error {:.2f}); bootstrap {} simulations of {} "
      "resamples "
      "({:.1f}). \"-\": undefined in most simulations. Made by `bench/coverage {} {} {}`.\n\n",
      kAlpha, kBeta, simulations, monte_carlo_error(simulations), simulations / 10, resamples,
      monte_carlo_error(simulations / 10), simulations, seed, resamples);
  for (const Scenario& scenario : scenarios()) print_table(scenario, simulations, seed, resamples);
}
