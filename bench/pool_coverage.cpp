// How often 95 % intervals under `fit --pool` hold the true exponent, how wide they are beside
// those of groups fitted alone, and how often the warnings of pooling come. Prints the section
// "Pooling" of docs/explanation/coverage.md. The number of threads does not change the numbers.
//
//     pool_coverage [SIMULATIONS [SEED]]     default 2000 1

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "one_run.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit_groups.hpp"

namespace {

using namespace scalelaw;

constexpr std::size_t kSlice = 20;  ///< Studies that share a random stream.
constexpr double kMean = 0.7;       ///< Of the exponents.
constexpr double kSigma = 0.03;     ///< Standard deviation of ln t, of groups that are calm.

/// Groups with one run each at N = 1, 2, 4, ...
struct Design {
  int groups;
  int points;
  double spread = 0;    ///< tau over the standard error of one slope.
  double contrast = 1;  ///< How much more every second group scatters.
  double tail = 0;      ///< Share of runs that scatter five times as much.
  double shift = 0;     ///< Of the last exponent, in standard errors of one slope.

  std::string title() const {
    return fmt::format("{} {} {} {} {} {}", groups, points, spread, contrast, tail, shift);
  }
  double slope_error() const {
    const double n = points;
    return kSigma / (std::log(2.0) * std::sqrt(n * (n * n - 1) / 12));
  }
};

struct StudyOfGroups {
  std::vector<double> betas;
  std::vector<std::vector<Cell>> groups;
};

StudyOfGroups study_of(const Design& design, RandomStream& stream) {
  StudyOfGroups study;
  for (int group = 0; group < design.groups; ++group) {
    const bool last = group + 1 == design.groups;
    const double beta = kMean + design.slope_error() *
                                    (design.spread * stream.normal() + (last ? design.shift : 0));
    const double sigma = kSigma * (group % 2 == 1 ? design.contrast : 1);
    std::vector<Cell> cells;
    for (int i = 0; i < design.points; ++i) {
      const double x = std::ldexp(1.0, i);
      const double size = stream.uniform() < design.tail ? 5 * sigma : sigma;
      const double log_y = std::log(100.0) - beta * std::log(x) + size * stream.normal();
      cells.push_back(one_run(x, std::exp(log_y), log_y));
    }
    study.betas.push_back(beta);
    study.groups.push_back(std::move(cells));
  }
  return study;
}

/// Sums over the groups of many studies.
struct Tally {
  double groups = 0;
  double held = 0;
  double held_odd = 0;       ///< Of every second group.
  double outside = 0;        ///< Estimates outside their interval.
  double squares = 0;        ///< Of the errors of beta,
  double squares_alone = 0;  ///< and of those of the group's own line.
  std::vector<double> widths;
  double studies = 0;
  double held_mean = 0;  ///< Mean exponents, and tau, whose interval holds the truth.
  double held_tau = 0;
  double unequal = 0;   ///< Studies with the warning unequal-scatter.
  double outlying = 0;  ///< Studies in which some group has outlying-slope,
  double found = 0;     ///< and in which the last one has.

  void add(const Tally& other) {
    groups += other.groups;
    held += other.held;
    held_odd += other.held_odd;
    outside += other.outside;
    squares += other.squares;
    squares_alone += other.squares_alone;
    widths.insert(widths.end(), other.widths.begin(), other.widths.end());
    studies += other.studies;
    held_mean += other.held_mean;
    held_tau += other.held_tau;
    unequal += other.unequal;
    outlying += other.outlying;
    found += other.found;
  }
  double mean_square_width() const {
    double sum = 0;
    for (const double width : widths) sum += width * width;
    return sum / static_cast<double>(widths.size());
  }
  double median_width() {
    const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
    std::nth_element(widths.begin(), middle, widths.end());
    return *middle;
  }
};

bool holds(const Interval& interval, double value) {
  return interval.lower <= value && value <= interval.upper;
}

void judge_groups(const StudyOfGroups& study, const FitOptions& options, Tally& tally) {
  bool any_outlying = false;
  bool last_outlying = false;
  for (std::size_t i = 0; i < study.groups.size(); ++i) {
    const Fit fit = fit_law(study.groups[i], options);
    const Parameter& beta = fit.parameters[1];
    const double own = fit.own && fit.own->beta ? *fit.own->beta : beta.estimate;
    const bool held = holds(*beta.ci, study.betas[i]);
    tally.groups += 1;
    tally.held += held ? 1 : 0;
    tally.held_odd += i % 2 == 1 && held ? 1 : 0;
    tally.outside += holds(*beta.ci, beta.estimate) ? 0 : 1;
    tally.squares += std::pow(beta.estimate - study.betas[i], 2);
    tally.squares_alone += std::pow(own - study.betas[i], 2);
    tally.widths.push_back(beta.ci->upper - beta.ci->lower);
    last_outlying = warns(fit, WarningCode::kOutlyingSlope);
    any_outlying = any_outlying || last_outlying;
  }
  tally.outlying += any_outlying ? 1 : 0;
  tally.found += last_outlying ? 1 : 0;
}

void judge(const Design& design, const StudyOfGroups& study, Pool pool, Tally& tally) {
  FitOptions options{.pool = pool};
  if (pool != Pool::kNone) options.pooling = pool_groups(study.groups, options);
  judge_groups(study, options, tally);
  tally.studies += 1;
  if (!options.pooling) return;
  tally.unequal += options.pooling->has_unequal_scatter() ? 1 : 0;
  if (!options.pooling->slopes) return;
  const PooledSlopes& slopes = *options.pooling->slopes;
  tally.held_mean += holds(*slopes.beta.ci, kMean) ? 1 : 0;
  tally.held_tau += holds(slopes.tau_ci, design.spread * design.slope_error()) ? 1 : 0;
}

Tally simulate(const Design& design, Pool pool, std::size_t simulations, std::uint64_t seed) {
  std::vector<Tally> slices((simulations + kSlice - 1) / kSlice);
  parallel_for(thread_count(0), slices.size(), [&](std::size_t slice, int) {
    RandomStream stream(seed, stable_hash(design.title()), slice);
    for (std::size_t i = slice * kSlice; i < std::min(simulations, (slice + 1) * kSlice); ++i) {
      judge(design, study_of(design, stream), pool, slices[slice]);
    }
  });
  Tally sum;
  for (const Tally& slice : slices) sum.add(slice);
  return sum;
}

double percent(double part, double whole) { return 100 * part / whole; }

void print_scatter(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Pooling: one sigma for all groups\n\nIntervals of the groups' beta alone and under "
      "`--pool scatter`, and the width of the second over that of the first: of the root mean "
      "squares "
      "and of the medians.\n\n| groups | points in each | alone | pooled | width | median width |\n"
      "| --: | --: | --: | --: | --: | --: |\n");
  for (const int groups : {2, 5, 20}) {
    for (const int points : {3, 4, 5, 8}) {
      const Design design{groups, points};
      Tally alone = simulate(design, Pool::kNone, simulations, seed);
      Tally pooled = simulate(design, Pool::kScatter, simulations, seed);
      fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.2f} |\n", groups, points,
                 percent(alone.held, alone.groups), percent(pooled.held, pooled.groups),
                 std::sqrt(pooled.mean_square_width() / alone.mean_square_width()),
                 pooled.median_width() / alone.median_width());
      std::fflush(stdout);
    }
  }
}

void print_unequal(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Pooling: groups that scatter differently\n\nEvery second group scatters so many times "
      "as much. Coverage under `--pool scatter`, and how often `unequal-scatter` warns (its size "
      "is "
      "1 % at factor 1).\n\n| groups | points in each | factor | groups that scatter less | more | "
      "unequal-scatter |\n| --: | --: | --: | --: | --: | --: |\n");
  for (const int groups : {4, 20}) {
    for (const int points : {3, 4, 8}) {
      for (const double factor : {1.0, 1.5, 2.0, 3.0}) {
        const Tally tally = simulate({.groups = groups, .points = points, .contrast = factor},
                                     Pool::kScatter, simulations, seed);
        fmt::print("| {} | {} | {:g} | {:.1f} | {:.1f} | {:.1f} |\n", groups, points, factor,
                   percent(tally.held - tally.held_odd, tally.groups / 2),
                   percent(tally.held_odd, tally.groups / 2),
                   percent(tally.unequal, tally.studies));
        std::fflush(stdout);
      }
    }
  }
}

void print_tails(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Pooling: scatter with heavy tails\n\nOf all runs a share scatters five times as much. "
      "Bartlett's test takes that for different groups.\n\n| groups | points in each | share | "
      "alone "
      "| pooled | unequal-scatter |\n| --: | --: | --: | --: | --: | --: |\n");
  for (const int points : {4, 8}) {
    for (const double share : {0.02, 0.1}) {
      const Design design{.groups = 20, .points = points, .tail = share};
      const Tally alone = simulate(design, Pool::kNone, simulations, seed);
      const Tally pooled = simulate(design, Pool::kScatter, simulations, seed);
      fmt::print("| 20 | {} | {:g} % | {:.1f} | {:.1f} | {:.1f} |\n", points, 100 * share,
                 percent(alone.held, alone.groups), percent(pooled.held, pooled.groups),
                 percent(pooled.unequal, pooled.studies));
      std::fflush(stdout);
    }
  }
}

void print_slopes(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Pooling: exponents from one distribution\n\n`--pool slopes`: beta of each group is "
      "drawn "
      "from a normal distribution, whose standard deviation tau is given in standard errors of one "
      "slope. Coverage of the groups' beta, of the mean exponent and of tau; the median width of "
      "beta's interval over that of `--pool scatter`; the root mean square error of beta over that "
      "of the group's own line; groups whose estimate lies outside its interval; studies in which "
      "some group has `outlying-slope`.\n\n| groups | points in each | tau | beta | mean | tau "
      "holds "
      "| width | error | outside | outlying-slope |\n| --: | --: | --: | --: | --: | --: | --: | "
      "--: "
      "| --: | --: |\n");
  for (const int groups : {3, 4, 5, 6, 10, 20}) {
    for (const int points : {4, 8}) {
      for (const double spread : {0.0, 0.5, 1.0, 2.0, 5.0}) {
        const Design design{groups, points, spread};
        Tally slopes = simulate(design, Pool::kSlopes, simulations, seed);
        Tally scatter = simulate(design, Pool::kScatter, simulations / 10 + 1, seed);
        fmt::print(
            "| {} | {} | {:g} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.1f} | {:.1f} "
            "|\n",
            groups, points, spread, percent(slopes.held, slopes.groups),
            percent(slopes.held_mean, slopes.studies), percent(slopes.held_tau, slopes.studies),
            slopes.median_width() / scatter.median_width(),
            std::sqrt(slopes.squares / slopes.squares_alone),
            percent(slopes.outside, slopes.groups), percent(slopes.outlying, slopes.studies));
        std::fflush(stdout);
      }
    }
  }
}

void print_outlying(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Pooling: power against one exponent that is not one of theirs\n\nThe last exponent is "
      "moved by so many standard errors of one slope; tau is one of them.\n\n| groups | points in "
      "each | moved by | outlying-slope |\n| --: | --: | --: | --: |\n");
  for (const int groups : {4, 6, 10, 20}) {
    for (const double shift : {5.0, 10.0, 20.0}) {
      const Tally tally = simulate({.groups = groups, .points = 5, .spread = 1, .shift = shift},
                                   Pool::kSlopes, simulations, seed);
      fmt::print("| {} | 5 | {:g} | {:.1f} |\n", groups, shift,
                 percent(tally.found, tally.studies));
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print(
      "## Pooling\n\nCoverage in percent of 95 % intervals, simulated: t = 100 N^(-beta) at N = 1, "
      "2, 4, ..., one run each, log-normal scatter of {:g} %. {} studies a row (Monte Carlo error "
      "{:.1f} for studies, less for their groups). Made by `bench/pool_coverage {} {}`.\n",
      100 * kSigma, simulations, 100 * std::sqrt(0.95 * 0.05 / static_cast<double>(simulations)),
      simulations, seed);
  print_scatter(simulations, seed);
  print_unequal(simulations, seed);
  print_tails(simulations, seed);
  print_slopes(simulations, seed);
  print_outlying(simulations, seed);
}
