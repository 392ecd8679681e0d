// How often the tests and intervals of `scalelaw contrast` err with few points. Prints the section
// "Contrast" of docs/explanation/coverage.md. The number of threads does not change the numbers.
//
//     contrast_rates [SIMULATIONS [SEED]]     default 20000 1

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/contrast.hpp"

namespace {

using namespace scalelaw;

constexpr double kBeta = 0.8;
constexpr double kSigma = 0.02;
constexpr std::array kPoints{5, 7, 9, 12};
constexpr std::size_t kSlice = 250;  ///< Simulations that share a random stream.

/// The scatter of the levels: kSigma times `last` for the last level, kSigma times `others` for the
/// other levels.
struct Scatter {
  std::string title;
  double others;
  double last;
};

const std::array<Scatter, 3> kScatters{Scatter{"equal", 1, 1}, Scatter{"one level 3 times", 1, 3},
                                       Scatter{"all but one 3 times", 3, 1}};

/// A study: `levels` lines of `points` runs at N = 1, 2, 4, ..., of which the last has beta +
/// delta.
struct Setting {
  int levels;
  int points;
  Scatter scatter;
  double delta = 0;
};

LevelCells simulated_level(const Setting& setting, int level, RandomStream& stream) {
  const bool is_last = level + 1 == setting.levels;
  const double sigma = kSigma * (is_last ? setting.scatter.last : setting.scatter.others);
  LevelCells cells{{fmt::format("level {}", level)}, {}};
  for (int i = 0; i < setting.points; ++i) {
    const double x = std::pow(2.0, i);
    const double beta = kBeta + (is_last ? setting.delta : 0);
    const double y = 100 * std::pow(x, -beta) * std::exp(sigma * stream.normal());
    cells.cells.push_back({.x = x,
                           .count = 1,
                           .mean_log = std::log(y),
                           .ss_log = 0,
                           .mean = y,
                           .ss = 0,
                           .min = y,
                           .max = y});
  }
  return cells;
}

/// Counts as shares of the simulations.
struct Rates {
  double f = 0;            ///< The classical test of equal slopes rejects.
  double own = 0;          ///< Alexander-Govern rejects.
  double slopes_held = 0;  ///< Intervals of delta beta that hold the truth.
  double ratios_held = 0;  ///< Intervals of ratios that hold 1 (delta = 0).
  double common_held = 0;
  double any_slope = 0;   ///< Some pair differs, adjusted by Holm.
  double any_ratio = 0;   ///< Some ratio differs from 1, adjusted by Holm.
  double either = 0;      ///< A pair or the joint test for the pairs rejects.
  double equivalent = 0;  ///< Pairs with the last level that are declared equivalent.
  double differ = 0;      ///< ... that are declared different.

  void add(const Rates& other) {
    f += other.f;
    own += other.own;
    slopes_held += other.slopes_held;
    ratios_held += other.ratios_held;
    common_held += other.common_held;
    any_slope += other.any_slope;
    any_ratio += other.any_ratio;
    either += other.either;
    equivalent += other.equivalent;
    differ += other.differ;
  }
};

bool holds(const std::optional<Interval>& ci, double value) {
  return ci && ci->lower <= value && value <= ci->upper;
}

void count_pairs(Rates& rates, const Contrast& contrast, const Setting& setting) {
  const auto pairs = static_cast<double>(contrast.slopes.size());
  const std::size_t last = contrast.levels.size() - 1;
  for (const SlopePair& pair : contrast.slopes) {
    const double truth = pair.second == last ? setting.delta : 0;
    rates.slopes_held += holds(pair.delta_beta.ci, truth) / pairs;
    if (pair.second != last) continue;
    rates.equivalent += *pair.equivalent / static_cast<double>(last);
    rates.differ += (*pair.p_holm < 0.05) / static_cast<double>(last);
  }
  for (const OffsetPair& pair : contrast.offsets) rates.ratios_held += holds(pair.ci, 1) / pairs;
}

Rates rates_of(const Contrast& contrast, const Setting& setting, Variances variances) {
  Rates rates;
  rates.f = contrast.equal_slopes->p < 0.05;
  rates.own = contrast.equal_slopes_own_variances->p < 0.05;
  rates.common_held = holds(contrast.common_beta.ci, kBeta);
  rates.any_slope = std::any_of(contrast.slopes.begin(), contrast.slopes.end(),
                                [](const SlopePair& pair) { return *pair.p_holm < 0.05; });
  rates.any_ratio = std::any_of(contrast.offsets.begin(), contrast.offsets.end(),
                                [](const OffsetPair& pair) { return *pair.p_holm < 0.05; });
  rates.either = std::max(rates.any_slope, variances == Variances::kEqual ? rates.f : rates.own);
  count_pairs(rates, contrast, setting);
  return rates;
}

Rates simulate_slice(const Setting& setting, Variances variances, std::size_t count,
                     RandomStream& stream) {
  ContrastOptions options;
  options.variances = variances;
  const std::vector<std::string> factors{"level"};
  Rates sum;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<LevelCells> levels;
    for (int level = 0; level < setting.levels; ++level) {
      levels.push_back(simulated_level(setting, level, stream));
    }
    sum.add(rates_of(contrast_levels(levels, factors, options), setting, variances));
  }
  return sum;
}

/// Shares of `simulations`. Every method gets the same points.
class Simulation {
 public:
  Simulation(std::size_t simulations, std::uint64_t seed)
      : simulations_(simulations), seed_(seed) {}

  Rates operator()(const Setting& setting, Variances variances) const {
    const std::size_t slices = (simulations_ + kSlice - 1) / kSlice;
    std::vector<Rates> parts(slices);
    const auto name = fmt::format("{} {} {} {}", setting.levels, setting.points,
                                  setting.scatter.title, setting.delta);
    parallel_for(thread_count(0), slices, [&](std::size_t slice, int) {
      RandomStream stream(seed_, stable_hash(name), slice);
      const std::size_t count = std::min(kSlice, simulations_ - slice * kSlice);
      parts[slice] = simulate_slice(setting, variances, count, stream);
    });
    Rates sum;
    for (const Rates& part : parts) sum.add(part);
    return sum;
  }
  std::string percent(double count) const {
    return fmt::format(" {:.1f} |", 100 * count / static_cast<double>(simulations_));
  }

 private:
  std::size_t simulations_;
  std::uint64_t seed_;
};

/// A table with one row per number of levels, scatter and number of points.
template <class Row>
void print_table(const std::string& title, const std::string& head, int columns,
                 const std::vector<int>& level_counts, Row row) {
  fmt::print("### {}\n\n| levels | scatter | n |{}\n| --: | --- | --: |", title, head);
  for (int i = 0; i < columns; ++i) fmt::print(" --: |");
  fmt::print("\n");
  for (const int levels : level_counts) {
    for (const Scatter& scatter : kScatters) {
      if (levels == 2 && scatter.title.starts_with("all")) continue;  // The same as one level.
      for (const int points : kPoints) {
        fmt::print("| {} | {} | {} |{}\n", levels, scatter.title, points,
                   row(Setting{levels, points, scatter}));
        std::fflush(stdout);
      }
    }
  }
  fmt::print("\n");
}

void print_errors(const Simulation& simulate) {
  print_table(
      "Contrast: false alarms when all slopes and offsets are equal",
      " F | Alexander-Govern | slopes, equal | unequal | slopes or joint, equal | unequal | "
      "ratios, equal | unequal |",
      8, {2, 3, 6}, [&](const Setting& setting) {
        const Rates equal = simulate(setting, Variances::kEqual);
        const Rates unequal = simulate(setting, Variances::kUnequal);
        std::string row;
        for (const double count :
             {equal.f, equal.own, equal.any_slope, unequal.any_slope, equal.either, unequal.either,
              equal.any_ratio, unequal.any_ratio}) {
          row += simulate.percent(count);
        }
        return row;
      });
}

void print_coverage(const Simulation& simulate) {
  print_table(
      "Contrast: coverage of 95 % intervals",
      " difference of slopes, equal | unequal | ratio, equal | unequal | common beta |", 5,
      {2, 3, 6}, [&](const Setting& setting) {
        const Rates equal = simulate(setting, Variances::kEqual);
        const Rates unequal = simulate(setting, Variances::kUnequal);
        std::string row;
        for (const double count : {equal.slopes_held, unequal.slopes_held, equal.ratios_held,
                                   unequal.ratios_held, equal.common_held}) {
          row += simulate.percent(count);
        }
        return row;
      });
}

void print_equivalence(const Simulation& simulate) {
  print_table(
      "Contrast: verdicts on two levels, margin 0.05",
      " equivalent at difference 0.05, equal | unequal | equivalent at 0, unequal | "
      "different at 0.05 | at 0.1 |",
      5, {2}, [&](Setting setting) {
        const auto at = [&](double delta, Variances variances) {
          setting.delta = delta;
          return simulate(setting, variances);
        };
        std::string row;
        for (const double count :
             {at(0.05, Variances::kEqual).equivalent, at(0.05, Variances::kUnequal).equivalent,
              at(0, Variances::kUnequal).equivalent, at(0.05, Variances::kUnequal).differ,
              at(0.1, Variances::kUnequal).differ}) {
          row += simulate.percent(count);
        }
        return row;
      });
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const double error = 100 * std::sqrt(0.05 * 0.95 / static_cast<double>(simulations));
  fmt::print(
      "## Contrast\n\nIn percent, simulated: levels of t = 100 N^(-{}) at N = 1, 2, 4, ..., one "
      "run "
      "each, n points a level, log-normal scatter of {} % (\"3 times\": of {} %). \"equal\" and "
      "\"unequal\" are `--variances`. {} simulations a figure (Monte Carlo error {:.2f} where 5 or "
      "95 are expected). Made by `bench/contrast_rates {} {}`.\n\n",
      kBeta, 100 * kSigma, 300 * kSigma, simulations, error, simulations, seed);
  const Simulation simulate(simulations, seed);
  print_errors(simulate);
  print_coverage(simulate);
  print_equivalence(simulate);
}
