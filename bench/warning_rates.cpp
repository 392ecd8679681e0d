// How often the warnings of `fit` come: false alarms on tables without fault, and their power
// against one run that failed. Then coverage of clustered intervals by the number of runs. Prints
// the section "Warnings" of docs/explanation/coverage.md. The number of threads does not change the
// numbers.
//
//     warning_rates [SIMULATIONS [SEED]]     default 4000 1

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
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit.hpp"

namespace {

using namespace scalelaw;

constexpr std::size_t kSlice = 100;  ///< Simulations that share a random stream.

/// A curve over N = 1, 2, 4, ... with several runs at each N.
struct Design {
  const char* law;
  std::vector<double> theta;
  int scales;
  int runs;
  double scatter;  ///< Standard deviation of ln t.

  std::string title() const {
    return fmt::format("{} | {} | {} | {:g} %", law, scales, runs, 100 * scatter);
  }
};

/// What happens to one run of a table.
struct Fault {
  double factor = 1;     ///< Its time over what it should be.
  bool at_last = false;  ///< At the largest N, else at one in the middle.
};

Cell point(double x, double log_y, std::uint32_t cluster = 0) {
  const double y = std::exp(log_y);
  return one_run(x, y, log_y, cluster);
}

std::vector<Cell> table_of(const Design& design, const Fault& fault, RandomStream& stream) {
  const Law& law = *find_law(design.law);
  const int faulty = fault.at_last ? design.scales - 1 : design.scales / 2;
  std::vector<Cell> cells;
  for (int i = 0; i < design.scales; ++i) {
    const double x = std::ldexp(1.0, i);
    for (int run = 0; run < design.runs; ++run) {
      const double shift = i == faulty && run == 0 ? std::log(fault.factor) : 0;
      cells.push_back(point(x, law.predictor(x, design.theta, Response::kTime) +
                                   design.scatter * stream.normal() + shift));
    }
  }
  return cells;
}

constexpr std::array kCodes{WarningCode::kCurved,          WarningCode::kLackOfFit,
                            WarningCode::kInfluential,     WarningCode::kOutlier,
                            WarningCode::kHeteroscedastic, WarningCode::kOverpredictsSpeedup,
                            WarningCode::kOnBound,         WarningCode::kFlat};

using Rates = std::array<double, kCodes.size()>;

/// In percent of the tables that have a fit.
Rates rates_of(const Design& design, const Fault& fault, std::size_t simulations,
               std::uint64_t seed) {
  struct Tally {
    double fits = 0;
    Rates warned{};
  };
  std::vector<Tally> slices((simulations + kSlice - 1) / kSlice);
  const FitOptions options{.law = find_law(design.law)};
  const std::uint64_t kind =
      stable_hash(design.title() + fmt::format("{} {}", fault.factor, fault.at_last));
  parallel_for(thread_count(0), slices.size(), [&](std::size_t slice, int) {
    RandomStream stream(seed, kind, slice);
    for (std::size_t i = slice * kSlice; i < std::min(simulations, (slice + 1) * kSlice); ++i) {
      const std::vector<Cell> cells = table_of(design, fault, stream);
      try {
        const Fit fit = fit_law(cells, options);
        slices[slice].fits += 1;
        for (std::size_t k = 0; k < kCodes.size(); ++k) {
          slices[slice].warned[k] +=
              static_cast<double>(std::count(fit.warnings.begin(), fit.warnings.end(), kCodes[k]));
        }
      } catch (const FitError&) {
        // There is no fit, so there is no warning.
      }
    }
  });
  Tally sum;
  for (const Tally& tally : slices) {
    sum.fits += tally.fits;
    for (std::size_t k = 0; k < kCodes.size(); ++k) sum.warned[k] += tally.warned[k];
  }
  for (double& rate : sum.warned) rate *= 100 / sum.fits;
  return sum.warned;
}

std::vector<Design> designs() {
  struct Size {
    int scales;
    int runs;
  };
  std::vector<Design> all;
  for (const double scatter : {0.01, 0.1}) {
    for (const Size size :
         {Size{4, 1}, Size{5, 1}, Size{6, 1}, Size{8, 1}, Size{12, 1}, Size{5, 3}, Size{8, 20}}) {
      all.push_back({"power", {std::log(100.0), 0.7}, size.scales, size.runs, scatter});
      all.push_back({"floor", {std::log(100.0), 0.7, 5}, size.scales, size.runs, scatter});
    }
  }
  return all;
}

void print_false_alarms(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Warnings: false alarms\n\nTables without fault, fitted by the law that made them: "
      "t = 100 N^(-0.7), and the same above a floor of 5. `few-points`, `few-x` and `short-range` "
      "follow from the N alone, and `on-bound` and `overpredicts-speedup` tell what is so: they "
      "have no level.\n\n| law | N | runs at each | scatter |");
  for (const WarningCode code : kCodes) fmt::print(" {} |", name_of(code));
  fmt::print("\n| --- | --: | --: | --: |");
  for (std::size_t k = 0; k < kCodes.size(); ++k) fmt::print(" --: |");
  fmt::print("\n");
  for (const Design& design : designs()) {
    fmt::print("| {} |", design.title());
    for (const double rate : rates_of(design, {}, simulations, seed)) fmt::print(" {:.1f} |", rate);
    fmt::print("\n");
    std::fflush(stdout);
  }
}

void print_power(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Warnings: power against one run that failed\n\nA power law with 3 % of scatter, where "
      "one run took another time: in the middle or at the largest N.\n\n| N | runs at each | time "
      "of that run | influential, middle | outlier, middle | influential, last | outlier, last "
      "|\n| --: | --: | --- | --: | --: | --: | --: |\n");
  struct Size {
    int scales;
    int runs;
  };
  for (const Size size :
       {Size{4, 1}, Size{5, 1}, Size{6, 1}, Size{8, 1}, Size{12, 1}, Size{5, 3}}) {
    for (const double factor : {0.03, 0.5, 1.25, 2.0}) {
      const Design design{"power", {std::log(100.0), 0.7}, size.scales, size.runs, 0.03};
      fmt::print("| {} | {} | times {:g} |", size.scales, size.runs, factor);
      for (const bool at_last : {false, true}) {
        const Rates rates = rates_of(design, {factor, at_last}, simulations, seed);
        fmt::print(" {:.1f} | {:.1f} |", rates[2], rates[3]);
      }
      fmt::print("\n");
      std::fflush(stdout);
    }
  }
}

/// Runs of three epochs each at one N, in turn 1, 2, 4, 8, 16: 3 % of scatter from run to run and
/// 1 % inside.
std::vector<Cell> runs_of_epochs(int runs, RandomStream& stream) {
  std::vector<Cell> cells;
  for (int run = 0; run < runs; ++run) {
    const double x = std::ldexp(1.0, run % 5);
    const double level = std::log(100.0) - 0.7 * std::log(x) + 0.03 * stream.normal();
    for (int epoch = 0; epoch < 3; ++epoch) {
      cells.push_back(point(x, level + 0.01 * stream.normal(), static_cast<std::uint32_t>(run)));
    }
  }
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.x < b.x; });
  return cells;
}

double clustered_coverage(int runs, StandardError se, std::size_t simulations, std::uint64_t seed) {
  RandomStream stream(seed, 31, static_cast<std::uint64_t>(runs));
  double held = 0;
  for (std::size_t i = 0; i < simulations; ++i) {
    const Fit fit = fit_law(runs_of_epochs(runs, stream), {.se = se});
    const auto& ci = fit.parameters[1].ci;
    held += ci && ci->lower <= 0.7 && 0.7 <= ci->upper ? 1 : 0;
  }
  return 100 * held / static_cast<double>(simulations);
}

void print_clusters(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Warnings: clustered standard errors by the number of runs\n\nCoverage of 95 % "
      "intervals "
      "of beta: runs of three epochs each at N = 1, 2, 4, 8, 16 in turn, 3 % of scatter from run "
      "to "
      "run and 1 % inside. `few-clusters` comes below 20 runs with `cluster`.\n\n| runs | classic "
      "| cluster | cr2 |\n| --: | --: | --: | --: |\n");
  for (const int runs : {3, 4, 5, 6, 8, 10, 15, 20, 30}) {
    fmt::print("| {} |", runs);
    for (const StandardError se :
         {StandardError::kClassic, StandardError::kCluster, StandardError::kCr2}) {
      fmt::print(" {:.1f} |", clustered_coverage(runs, se, simulations, seed));
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print(
      "## Warnings\n\nHow often, in percent of simulated tables, `fit` gives each warning: N = 1, "
      "2, "
      "4, ..., log-normal scatter. {} simulations a row (Monte Carlo error of 2 %: {:.2f}). Made "
      "by "
      "`bench/warning_rates {} {}`.\n",
      simulations, 100 * std::sqrt(0.02 * 0.98 / static_cast<double>(simulations)), simulations,
      seed);
  print_false_alarms(simulations, seed);
  print_power(simulations, seed);
  print_clusters(simulations, seed);
}
