// Coverage of the exponents of isoflop --over, by simulation, as the table in
// docs/explanation/coverage.md: setting_coverage [simulations] [seed].

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/setting_optima.hpp"

namespace {

using namespace scalelaw;

constexpr double kOfN = -0.3;
constexpr double kOfD = -0.1;

struct Design {
  const char* name;
  std::size_t cells;   ///< Sizes from 3e7 on and tokens from 1e9 on, five sizes in turn.
  std::size_t values;  ///< Learning rates of a cell, over a factor of 16.
  double scatter;      ///< Of ln y.
  double shift;        ///< Of the best ln s, which the runs of a cell share.
};

constexpr std::array kDesigns{
    Design{"20 runs: 4 cells of 5", 4, 5, 0.002, 0},
    Design{"25 runs: 5 cells of 5, shared errors", 5, 5, 0.002, 0.1},
    Design{"40 runs: 8 cells of 5, shared errors", 8, 5, 0.002, 0.1},
    Design{"48 runs: 8 cells of 6, twice the scatter", 8, 6, 0.004, 0},
    Design{"100 runs: 20 cells of 5, shared errors", 20, 5, 0.002, 0.1},
    Design{"200 runs: 40 cells of 5, shared errors", 40, 5, 0.002, 0.1},
    Design{"200 runs: 25 cells of 8, twice the scatter", 25, 8, 0.004, 0.1},
};

struct Study {
  SurfaceRuns runs;
  std::vector<double> setting;
};

Study draw(const Design& design, RandomStream& stream) {
  Study study;
  for (std::size_t j = 0; j < design.cells; ++j) {
    const double n = 3e7 * std::pow(3.2, static_cast<double>(j % 5));
    const double d = 1e9 * std::pow(2.0, static_cast<double>(j % 5)) *
                     std::pow(3.3, static_cast<double>(j / 5)) * (j % 2 == 1 ? 2.5 : 1);
    const double middle = std::log(2e-3) + kOfN * std::log(n / 3e8) + kOfD * std::log(d / 1e10);
    const double best = middle + design.shift * stream.normal();
    const double grid = std::round(middle / std::log(2)) * std::log(2);
    for (std::size_t k = 0; k < design.values; ++k) {
      const double place = static_cast<double>(k) / static_cast<double>(design.values - 1) - 0.5;
      const double value = grid + place * std::log(16);
      study.runs.n.push_back(n);
      study.runs.d.push_back(d);
      study.runs.y.push_back(
          3 * std::exp(0.02 * (value - best) * (value - best) + design.scatter * stream.normal()));
      study.setting.push_back(std::exp(value));
    }
  }
  return study;
}

template <class Spread>
bool holds(const std::optional<Spread>& estimate, double truth) {
  if constexpr (requires { estimate->dof; }) {
    return estimate && estimate->ci && estimate->ci->lower <= truth && truth <= estimate->ci->upper;
  } else {
    return estimate && estimate->ci.lower <= truth && truth <= estimate->ci.upper;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print(
      "### Settings\n\n| design | studies | cells used | exponent of n | exponent of d | "
      "bootstrap n "
      "| bootstrap d |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Design& design : kDesigns) {
    std::vector<std::optional<SettingOptima>> results(simulations);
    parallel_for(thread_count(0), simulations, [&](std::size_t i, int /*worker*/) {
      RandomStream stream(seed, i);
      const Study study = draw(design, stream);
      results[i] = if_possible([&] { return setting_optima(study.runs, study.setting, 0.95); });
    });
    std::array<double, 6> sums{};
    for (const auto& result : results) {
      if (!result || !result->d_exponent) continue;
      ++sums[0];
      sums[1] += static_cast<double>(result->used);
      sums[2] += holds(result->n_exponent, kOfN) ? 1 : 0;
      sums[3] += holds(result->d_exponent, kOfD) ? 1 : 0;
      sums[4] += holds(result->n_bootstrap, kOfN) ? 1 : 0;
      sums[5] += holds(result->d_bootstrap, kOfD) ? 1 : 0;
    }
    // None, where no study has the interval.
    const auto percent = [&](std::size_t k) {
      return sums[k] > 0 ? fmt::format("{:.1f}", 100 * sums[k] / sums[0]) : std::string("-");
    };
    fmt::print("| {} | {} | {:.1f} | {} | {} | {} | {} |\n", design.name, sums[0],
               sums[1] / sums[0], percent(2), percent(3), percent(4), percent(5));
  }
}
