// How often the intervals of `scalelaw energy` hold what they claim, with few runs. Prints the
// section "Energy" of docs/explanation/coverage.md. The number of threads does not change the
// numbers.
//
//     energy_rates [SIMULATIONS [SEED]]     default 10000 1

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/energy/energy_scaling.hpp"

namespace {

using namespace scalelaw;

constexpr std::array kRuns{1, 3, 5, 10};  ///< Runs at each N.
constexpr std::array kScales{1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};
constexpr double kTimeScatter = 0.03;
constexpr double kPowerScatter = 0.02;
constexpr double kMinimaScatter = 4;  ///< Factor of both scatters where whole N would hide an
                                      ///< interval's width.
constexpr std::size_t kSlice = 100;   ///< Simulations that share a random stream.

/// The simulated truth: time and power of a GPU at N, and the energy of runs without power.
struct World {
  std::string title;
  std::function<double(double)> seconds;
  std::function<double(double)> watts;
  double fixed_joules = 0;
  double scatter = 1;  ///< As a multiple of the usual scatter.
};

/// Counts of events by column; NaN if a column does not apply.
using Counts = std::vector<double>;
using Judge = std::function<Counts(const EnergyScaling&)>;

EnergyRuns simulated_runs(const World& world, int runs, RandomStream& stream) {
  EnergyRuns out;
  out.power = PowerSource::kOwnColumn;
  for (const double n : kScales) {
    for (int i = 0; i < runs; ++i) {
      const double seconds =
          world.seconds(n) * std::exp(world.scatter * kTimeScatter * stream.normal());
      const double watts =
          world.watts(n) * std::exp(world.scatter * kPowerScatter * stream.normal());
      const double joules = n * seconds * watts + world.fixed_joules;
      out.measured.x.push_back(n);
      out.measured.seconds.push_back(seconds);
      out.measured.watts.push_back(n * watts * std::exp(0.005 * stream.normal()));
      out.measured.joules.push_back(joules);
    }
  }
  return out;
}

Counts simulate(const World& world, int runs, std::size_t simulations, std::uint64_t seed,
                const Judge& judge) {
  const std::size_t slices = (simulations + kSlice - 1) / kSlice;
  std::vector<Counts> parts(slices);
  parallel_for(thread_count(0), slices, [&](std::size_t slice, int) {
    RandomStream stream(seed, stable_hash(fmt::format("{} {}", world.title, runs)), slice);
    const std::size_t count = std::min(kSlice, simulations - slice * kSlice);
    for (std::size_t i = 0; i < count; ++i) {
      const Counts counts = judge(energy_scaling(simulated_runs(world, runs, stream)));
      parts[slice].resize(counts.size());
      for (std::size_t j = 0; j < counts.size(); ++j) parts[slice][j] += counts[j];
    }
  });
  Counts sum(parts.front().size());
  for (const Counts& part : parts) {
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += part[j];
  }
  return sum;
}

/// Whether an interval holds the value; NaN if there is no interval.
double holds(const std::optional<Interval>& ci, double value) {
  if (!ci) return std::numeric_limits<double>::quiet_NaN();
  return ci->lower <= value && value <= ci->upper ? 1 : 0;
}

void print_row(const std::string& head, const Counts& counts, std::size_t simulations) {
  fmt::print("| {} |", head);
  for (const double count : counts) {
    const double percent = 100 * count / static_cast<double>(simulations);
    fmt::print(" {} |", std::isnan(percent) ? std::string("-") : fmt::format("{:.1f}", percent));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

Counts judge_power_laws(const EnergyScaling& scaling) {
  const auto& exponents = std::get<EnergyExponents>(scaling.exponents);
  const auto& last = scaling.scales.back();
  const double ratio = std::log(64.0);
  return {holds(exponents.time.parameters.back().ci, 0.8),
          holds(std::get<Fit>(exponents.power).parameters.back().ci, -0.05),
          holds(exponents.energy.parameters.back().ci, 0.15),
          holds(scaling.identity.residual->ci, 0),
          holds(last.speedup.ci, std::exp(0.8 * ratio)),
          holds(last.energy.ci, std::exp(0.15 * ratio))};
}

void print_exponents(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "### Energy: exponents, identity, ratios to the smallest N\n\nt = 1000 N^(-0.8), P = 300 "
      "N^(-0.05). Ratios are of N = 64 to N = 1; without repeated runs they have no "
      "interval.\n\n| runs an N | beta | exponent of P | exponent of E | identity | speedup | "
      "relative energy |\n| --: | --: | --: | --: | --: | --: | --: |\n");
  const World world{"power", [](double n) { return 1000 * std::pow(n, -0.8); },
                    [](double n) { return 300 * std::pow(n, -0.05); }};
  for (const int runs : kRuns) {
    print_row(std::to_string(runs), simulate(world, runs, simulations, seed, judge_power_laws),
              simulations);
  }
}

/// Columns: k through the origin; k and intercept of the line; the same by ordinary least squares.
Judge judge_gpu_hours(double k, double watt_hours) {
  return [k, watt_hours](const EnergyScaling& scaling) {
    const GpuHoursFit& fit = scaling.gpu_hours;
    const Fit& line = std::get<Fit>(fit.intercept);
    const Fit& least = std::get<Fit>(fit.intercept_least);
    return Counts{holds(std::get<Fit>(fit.origin).parameters.back().ci, k),
                  holds(line.parameters.back().ci, k),
                  holds(line.parameters.front().ci, watt_hours),
                  holds(std::get<Fit>(fit.origin_least).parameters.back().ci, k),
                  holds(least.parameters.back().ci, k),
                  holds(least.parameters.front().ci, watt_hours)};
  };
}

void print_gpu_hours(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Energy: k of E = k GPU-hours, k = 300 W\n\nt = 1000 N^(-0.4). \"of E\": ordinary "
      "least squares of E. With 20 Wh a run that need no GPU, no line through the origin "
      "holds.\n\n| | runs an N | k, origin | k, line | intercept | k, origin, of E | k, line, of E "
      "| intercept, of E |\n| --- | --: | --: | --: | --: | --: | --: | --: |\n");
  const auto seconds = [](double n) { return 1000 * std::pow(n, -0.4); };
  for (const double watt_hours : {0.0, 20.0}) {
    const World world{.title = fmt::format("{} Wh a run", watt_hours),
                      .seconds = seconds,
                      .watts = [](double) { return 300; },
                      .fixed_joules = 3600 * watt_hours};
    for (const int runs : kRuns) {
      print_row(fmt::format("{} | {}", world.title, runs),
                simulate(world, runs, simulations, seed, judge_gpu_hours(300, watt_hours)),
                simulations);
    }
  }
}

/// Columns: not rejected; held; both ends excluded; inside.
Judge judge_least(const std::string& law, Objective objective, double truth) {
  return [law, objective, truth](const EnergyScaling& scaling) {
    for (const LeastUnderLaw& under : scaling.least) {
      if (under.law != law) continue;
      for (const Least& least : under.least) {
        if (least.objective != objective) continue;
        const bool is_closed =
            least.ci && least.ci->lower > kScales.front() && least.ci->upper < kScales.back();
        return Counts{1, holds(least.ci, truth), is_closed ? 1.0 : 0.0,
                      least.place == LeastPlace::kInside ? 1.0 : 0.0};
      }
    }
    return Counts{0, 0, 0, 0};
  };
}

struct Minimum {
  World world;
  std::string law;
  Objective objective;
};

double true_least(const Minimum& minimum) {
  double best = 1;
  const auto value = [&](double n) {
    const double t = minimum.world.seconds(n);
    const double energy = n * t * minimum.world.watts(n);
    return minimum.objective == Objective::kEnergy ? energy : energy * t;
  };
  for (double n = 1; n <= kScales.back(); ++n) best = value(n) < value(best) ? n : best;
  return best;
}

void print_least(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Energy: the N that minimises energy or energy-delay product\n\nUnder the law that "
      "holds, where it is not rejected: how often the interval holds the best whole N, how often "
      "it excludes both ends of the range 1 .. 64, how often the minimum is found inside. Scatter "
      "is "
      "4 times as large here. Whole N next to one that may be best count as held, so the interval "
      "holds more often than it claims; not so where the law has hardly been told from a simpler "
      "one (floor, one run an N).\n\n| law "
      "| objective | best N | runs an N | not rejected | held | closed | inside |\n| --- | --- | "
      "--: | --: | --: | --: | --: | --: |\n");
  const auto falling = [](double n) { return 300 * std::pow(n, -0.15); };
  const auto slightly = [](double n) { return 300 * std::pow(n, -0.05); };
  std::vector<Minimum> minima{
      {{"amdahl", [](double n) { return 1000 * (0.02 + 0.98 / n); }, falling},
       "amdahl",
       Objective::kEnergy},
      {{"amdahl edp", [](double n) { return 1000 * (0.1 + 0.9 / n); }, slightly},
       "amdahl",
       Objective::kEnergyDelay},
      {{"floor", [](double n) { return 1000 * std::pow(n, -0.9) + 50; }, slightly},
       "floor",
       Objective::kEnergyDelay},
      {{"usl", [](double n) { return 1000 * (1 + 0.02 * (n - 1) + 2e-3 * n * (n - 1)) / n; },
        slightly},
       "usl",
       Objective::kEnergyDelay},
      {{"lognormal",
        [](double n) { return 1000 * std::exp(-std::log(n) + 0.12 * std::log(n) * std::log(n)); },
        slightly},
       "lognormal",
       Objective::kEnergyDelay},
      {{"power", [](double n) { return 1000 * std::pow(n, -0.8); }, slightly},
       "power",
       Objective::kEnergy}};
  for (Minimum& minimum : minima) {
    minimum.world.scatter = kMinimaScatter;
    const double truth = true_least(minimum);
    for (const int runs : kRuns) {
      Counts counts = simulate(minimum.world, runs, simulations, seed,
                               judge_least(minimum.law, minimum.objective, truth));
      const double used = counts.front();
      for (std::size_t j = 1; j < counts.size(); ++j) {
        counts[j] *= static_cast<double>(simulations) / used;
      }
      print_row(
          fmt::format("{} | {} | {} | {}", minimum.law, name_of(minimum.objective), truth, runs),
          counts, simulations);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const double error = 100 * std::sqrt(0.05 * 0.95 / static_cast<double>(simulations));
  fmt::print(
      "## Energy\n\nCoverage in percent of 95 % intervals, simulated: N = 1, 2, 4, ..., 64, "
      "log-normal scatter of {:g} % of time and {:g} % of power, power read with another 0.5 %. {} "
      "simulations a figure (Monte Carlo error {:.2f}). Made by `bench/energy_rates {} {}`.\n\n",
      100 * kTimeScatter, 100 * kPowerScatter, simulations, error, simulations, seed);
  print_exponents(simulations, seed);
  print_gpu_hours(simulations, seed);
  print_least(simulations, seed);
}
