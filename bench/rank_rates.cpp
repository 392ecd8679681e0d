// How often the tests and verdicts of `scalelaw rank` err with few points. Prints the section
// "Rank" of docs/explanation/coverage.md. The number of threads does not change the numbers.
//
//     rank_rates [SIMULATIONS [SEED [RESAMPLES]]]     default 4000 1 999

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
#include "scalelaw/judge/rank.hpp"

namespace {

using namespace scalelaw;

constexpr double kSigma = 0.05;
constexpr std::size_t kSlice = 50;  ///< Simulations that share a random stream.

/// The true curve of times: a function of N and of the greatest N.
struct Truth {
  std::string title;
  std::string_view law;  ///< Name of the right law.
  double (*time)(double x, double x_max);
};

// Effects that matter for extrapolation. At the largest N, half the time is floor or serial part.
// Beyond the middle, a doubling brings a third less than before it.
const std::array<Truth, 5> kTruths{
    Truth{"power: N^-0.8", "power", [](double x, double) { return std::pow(x, -0.8); }},
    Truth{"floor: N^-0.8, half of the last time is floor", "floor",
          [](double x, double x_max) { return std::pow(x, -0.8) + std::pow(x_max, -0.8); }},
    Truth{"amdahl: half of the last time is serial", "amdahl",
          [](double x, double x_max) {
            const double serial = 1 / (x_max + 1);
            return serial + (1 - serial) / x;
          }},
    Truth{"broken: 0.9 below the middle N, 0.5 beyond", "broken",
          [](double x, double x_max) {
            const double middle = std::sqrt(x_max);
            return std::pow(std::min(x, middle), -0.9) * std::pow(std::max(x / middle, 1.0), -0.5);
          }},
    Truth{"lognormal: local exponent from 1 to 0.5", "lognormal", [](double x, double x_max) {
            const double u = std::log(x);
            return std::exp(-u + 0.25 * u * u / std::log(x_max));
          }}};

/// Points at N = 1, 2, 4, ..., each of them repeated.
struct Design {
  int levels;
  int repeats;
};

constexpr std::array kDesigns{Design{5, 1}, Design{7, 1}, Design{9, 1}, Design{12, 1},
                              Design{9, 3}};

std::string name_of(const Design& design) {
  return design.repeats == 1 ? fmt::to_string(design.levels)
                             : fmt::format("{} x {}", design.levels, design.repeats);
}

enum class Scatter { kRelative, kAbsolute };

/// One row as a cell. Absolute scatter is as large as the relative scatter of the least time.
std::vector<Cell> simulated(const Truth& truth, const Design& design, Scatter scatter, double sigma,
                            RandomStream& stream) {
  std::vector<Cell> cells;
  const double x_max = std::pow(2.0, design.levels - 1);
  for (int i = 0; i < design.levels * design.repeats; ++i) {
    const double x = std::pow(2.0, i / design.repeats);
    const double time = 100 * truth.time(x, x_max);
    double y = 0;
    while (!(y > 0)) {
      const double z = sigma * stream.normal();
      y = scatter == Scatter::kRelative ? time * std::exp(z)
                                        : time + z * 100 * truth.time(x_max, x_max);
    }
    cells.push_back(one_run(x, y, std::log(y)));
  }
  return cells;
}

/// Numbers of simulations.
struct Rates {
  double bend = 0, floor = 0, breaks = 0;                           ///< Tests that reject at 5 %,
  double together = 0, one_of_them = 0;                             ///< all as one, at least one.
  double undecided = 0, none = 0, right = 0, wrong = 0, power = 0;  ///< Verdicts on the law.
  double within = 0;  ///< The true law is best or among the undecided ones.
  double relative = 0, absolute = 0, said_relative = 0, said_absolute = 0;  ///< About the scatter.
  double inside = 0;  ///< The held-out value lies in the interval of the true law.

  void add(const Rates& other) {
    bend += other.bend;
    floor += other.floor;
    breaks += other.breaks;
    together += other.together;
    one_of_them += other.one_of_them;
    undecided += other.undecided;
    none += other.none;
    right += other.right;
    wrong += other.wrong;
    power += other.power;
    within += other.within;
    relative += other.relative;
    absolute += other.absolute;
    said_relative += other.said_relative;
    said_absolute += other.said_absolute;
    inside += other.inside;
  }
};

void count_verdict(Rates& rates, const Ranking& ranking, std::string_view truth) {
  const auto is_true = [&](const Law* law) { return law->name() == truth; };
  if (ranking.best != nullptr) {
    (is_true(ranking.best) ? rates.right : rates.wrong) = 1;
    rates.power = ranking.best->name() == "power";
  } else {
    (ranking.undecided.empty() ? rates.none : rates.undecided) = 1;
  }
  rates.within =
      rates.right > 0 || std::any_of(ranking.undecided.begin(), ranking.undecided.end(), is_true);
}

void count_scatter(Rates& rates, const Ranking& ranking) {
  if (!ranking.errors || !ranking.errors->verdict) return;
  const bool relative = *ranking.errors->verdict == Errors::kLognormal;
  (relative ? rates.relative : rates.absolute) = 1;
  if (ranking.sentence.find("The scatter") == std::string::npos) return;
  (relative ? rates.said_relative : rates.said_absolute) = 1;
}

void count_hold_out(Rates& rates, const Ranking& ranking, std::string_view truth) {
  if (!ranking.holdout) return;
  for (const HeldOutLaw& held : ranking.holdout->laws) {
    if (held.law->name() == truth) rates.inside = held.inside.value_or(false);
  }
}

template <class Test>
bool rejects(const std::optional<Test>& test) {
  return test && test->p < 0.05;
}

Rates rates_of(const Ranking& ranking, const Truth& truth) {
  Rates rates;
  rates.bend = rejects(ranking.power_vs_lognormal);
  rates.floor = rejects(ranking.power_vs_floor);
  rates.breaks = rejects(ranking.power_vs_broken);
  rates.together = rejects(ranking.power_vs_any);
  rates.one_of_them = std::max({rates.bend, rates.floor, rates.breaks});
  count_verdict(rates, ranking, truth.law);
  count_scatter(rates, ranking);
  count_hold_out(rates, ranking, truth.law);
  return rates;
}

class Simulation {
 public:
  Simulation(std::size_t simulations, std::uint64_t seed, std::uint32_t resamples)
      : simulations_(simulations), seed_(seed), resamples_(resamples) {}

  Rates operator()(const Truth& truth, const Design& design, Scatter scatter,
                   double sigma = kSigma) const {
    const std::size_t slices = (simulations_ + kSlice - 1) / kSlice;
    std::vector<Rates> parts(slices);
    const auto name = fmt::format("{} {} {} {}", truth.title, name_of(design), int(scatter), sigma);
    parallel_for(thread_count(0), slices, [&](std::size_t slice, int) {
      RandomStream stream(seed_, stable_hash(name), slice);
      const std::size_t count = std::min(kSlice, simulations_ - slice * kSlice);
      for (std::size_t i = 0; i < count; ++i) {
        RankOptions options;
        options.intervals = Intervals::kWald;
        options.resamples = resamples_;
        const auto cells = simulated(truth, design, scatter, sigma, stream);
        parts[slice].add(rates_of(rank_laws(cells, options), truth));
      }
    });
    Rates sum;
    for (const Rates& part : parts) sum.add(part);
    return sum;
  }
  /// How many simulations `count` leaves.
  double rest(double count) const { return static_cast<double>(simulations_) - count; }
  std::string percent(double count) const {
    return fmt::format(" {:.1f} |", 100 * count / static_cast<double>(simulations_));
  }

 private:
  std::size_t simulations_;
  std::uint64_t seed_;
  std::uint32_t resamples_;
};

/// The figures of a row, with "-" for a test that is not possible.
std::string row(const Simulation& simulate, std::initializer_list<double> counts) {
  std::string text;
  for (const double count : counts) text += count < 0 ? " - |" : simulate.percent(count);
  return text;
}

void print_verdicts(const Simulation& simulate) {
  fmt::print(
      "### Rank: tests at 5 % and verdicts\n\n| truth | points | bend | floor | break | all as "
      "one | undecided | names the truth | names power | names another | truth is best or tied | "
      "held out inside |\n| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: "
      "|\n");
  for (const Truth& truth : kTruths) {
    for (const Design& design : kDesigns) {
      const Rates r = simulate(truth, design, Scatter::kRelative);
      const bool is_power = truth.law == "power";
      const bool breakable = design.levels >= 6;
      fmt::print("| {} | {} |{}\n", truth.title, name_of(design),
                 row(simulate, {r.bend, r.floor, breakable ? r.breaks : -1, r.together, r.undecided,
                                r.right, r.power, r.wrong - (is_power ? 0 : r.power), r.within,
                                is_power ? r.inside : -1}));
      std::fflush(stdout);
    }
  }
}

/// With the default seed and without group names, as most users have it.
void print_sizes(const Simulation& simulate) {
  fmt::print(
      "\n### Rank: sizes of the tests\n\nHow often the tests reject a true power law at 5 %, all "
      "studies with the default seed.\n\n| points | scatter | bend | floor | break | one of them "
      "at "
      "least | all as one |\n| --- | --: | --: | --: | --: | --: | --: |\n");
  for (const Design& design :
       {Design{4, 1}, Design{5, 1}, Design{6, 1}, Design{7, 1}, Design{8, 1}, Design{9, 1},
        Design{10, 1}, Design{11, 1}, Design{12, 1}, Design{9, 3}}) {
    for (const double sigma : {0.01, 0.05, 0.2}) {
      const Rates r = simulate(kTruths[0], design, Scatter::kRelative, sigma);
      fmt::print("| {} | {:g} % |{}\n", name_of(design), 100 * sigma,
                 row(simulate, {r.bend, r.floor, design.levels >= 6 ? r.breaks : -1, r.one_of_them,
                                r.together}));
      std::fflush(stdout);
    }
  }
}

void print_scatter(const Simulation& simulate) {
  fmt::print(
      "\n### Rank: the kind of scatter\n\n| truth | scatter | points | relative | undecided | "
      "absolute | sentence: relative | absolute |\n| --- | --- | --: | --: | --: | --: | --: | --: "
      "|\n");
  for (const std::size_t which : {0, 1}) {
    for (const Scatter scatter : {Scatter::kRelative, Scatter::kAbsolute}) {
      for (const Design& design : kDesigns) {
        const Truth& truth = kTruths[which];
        const Rates r = simulate(truth, design, scatter);
        fmt::print("| {} | {} | {} |{}\n", truth.law,
                   scatter == Scatter::kRelative ? "relative" : "absolute", name_of(design),
                   row(simulate, {r.relative, simulate.rest(r.relative + r.absolute), r.absolute,
                                  r.said_relative, r.said_absolute}));
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const auto resamples =
      static_cast<std::uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 999);
  const double error = 100 * std::sqrt(0.05 * 0.95 / static_cast<double>(simulations));
  fmt::print(
      "## Rank\n\nIn percent, simulated: points at N = 1, 2, 4, ..., one run each (\"9 x 3\": "
      "three "
      "runs at each of nine), scatter of {} % (relative: log-normal; absolute: normal, {} % of the "
      "time at the largest N). The six laws that are ranked by default, at most {} draws "
      "for the test of a floor. {} simulations a figure (Monte Carlo error {:.2f} where 5 or 95 "
      "are expected). "
      "Made by `bench/rank_rates {} {} {}`.\n\n",
      100 * kSigma, 100 * kSigma, resamples, simulations, error, simulations, seed, resamples);
  const Simulation simulate(simulations, seed, resamples);
  print_verdicts(simulate);
  print_sizes(simulate);
  print_scatter(simulate);
}
