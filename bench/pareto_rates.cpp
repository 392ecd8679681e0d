// How reliable the shares and intervals of `scalelaw pareto` are with few runs per point. Prints
// the section "Pareto" of docs/explanation/coverage.md. The number of threads does not change the
// numbers.
//
//     pareto_rates [SIMULATIONS [SEED]]     default 2000 1

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
#include "scalelaw/energy/pareto.hpp"

namespace {

using namespace scalelaw;

constexpr double kSigma = 0.03;       ///< Scatter of ln time and of ln energy among runs.
constexpr double kCorrelation = 0.7;  ///< Correlation of the two.
constexpr double kMaxPower = 250;
constexpr std::uint32_t kDraws = 1000;
constexpr std::array kBins{0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0 + 1e-9};

/// The true time and energy of a study's caps.
enum class Truth {
  kCurve,  ///< Lower caps take less energy and more time, with a best cap in between.
  kEqual,  ///< All points are equal.
  kCloud,  ///< Points about a common centre, three standard deviations of a run wide.
};

/// The scatter of runs.
enum class Noise {
  kOne,      ///< All points alike.
  kUnequal,  ///< Half of the points have three times the scatter of the others.
  kHeavy,    ///< t with 4 degrees of freedom and the same variance.
};

struct Setting {
  std::string name;
  Truth truth;
  Noise noise;
  std::vector<int> runs;  ///< Of each point.
};

struct TruePoint {
  double seconds;
  double joules;
};

std::vector<TruePoint> truth_of(const Setting& setting, RandomStream& stream) {
  std::vector<TruePoint> points;
  const auto count = static_cast<int>(setting.runs.size());
  for (int i = 0; i < count; ++i) {
    const double cap = 1 - 0.6 * (count - 1 - i) / (count - 1);
    if (setting.truth == Truth::kCurve) {
      const double seconds = 100 * (1 + 0.05 / cap / cap);
      points.push_back({seconds, 180 * seconds * (0.25 + 0.75 * cap)});
    } else {
      const double width = setting.truth == Truth::kEqual ? 0 : 3 * kSigma;
      points.push_back(
          {100 * std::exp(width * stream.normal()), 18000 * std::exp(width * stream.normal())});
    }
  }
  return points;
}

double noise_of(const Setting& setting, std::size_t point, RandomStream& stream) {
  const double z = stream.normal();
  if (setting.noise == Noise::kUnequal) return point % 2 == 0 ? z : 3 * z;
  if (setting.noise == Noise::kOne) return z;
  double chi = 0;
  for (int i = 0; i < 4; ++i) chi += std::pow(stream.normal(), 2);
  return z / std::sqrt(chi / 4) / std::sqrt(2.0);
}

std::vector<KnobRuns> runs_of(const Setting& setting, const std::vector<TruePoint>& truth,
                              RandomStream& stream) {
  std::vector<KnobRuns> points;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    KnobRuns point{.knobs = {fmt::to_string(i)}, .gpus = 1, .seconds = {}, .joules = {}};
    for (int run = 0; run < setting.runs[i]; ++run) {
      const double z1 = noise_of(setting, i, stream);
      const double z2 = noise_of(setting, i, stream);
      const double of_energy = kCorrelation * z1 + std::sqrt(1 - kCorrelation * kCorrelation) * z2;
      point.seconds.push_back(truth[i].seconds * std::exp(kSigma * z1));
      point.joules.push_back(truth[i].joules * std::exp(kSigma * of_energy));
    }
    points.push_back(std::move(point));
  }
  return points;
}

/// Points whose share is in a bin, and how many of them have the property that it estimates.
struct Bin {
  double points = 0;
  double shares = 0;
  double true_ones = 0;
};

struct Rates {
  double studies = 0;
  double optimum_held = 0;    ///< Intervals of the optimum's cost saving that hold the truth.
  double optimum_judged = 0;  ///< Studies whose optimum is not the default.
  double all_held = 0;        ///< Studies in which all points' intervals hold.
  double on_frontier = 0;     ///< Points that are on the frontier,
  double wrongly_sure = 0;    ///< and are surely dominated by the verdict.
  double dominated = 0;       ///< Points that are dominated,
  double rightly_sure = 0;    ///< and are surely dominated by the verdict.
  std::array<Bin, kBins.size() - 1> frontier = {};
  std::array<Bin, kBins.size() - 1> optimum = {};

  void add(const Rates& other) {
    studies += other.studies;
    optimum_held += other.optimum_held;
    optimum_judged += other.optimum_judged;
    all_held += other.all_held;
    on_frontier += other.on_frontier;
    wrongly_sure += other.wrongly_sure;
    dominated += other.dominated;
    rightly_sure += other.rightly_sure;
    for (std::size_t i = 0; i < frontier.size(); ++i) {
      for (const auto member : {&Rates::frontier, &Rates::optimum}) {
        (this->*member)[i].points += (other.*member)[i].points;
        (this->*member)[i].shares += (other.*member)[i].shares;
        (this->*member)[i].true_ones += (other.*member)[i].true_ones;
      }
    }
  }
};

void count(std::array<Bin, kBins.size() - 1>& bins, double share, bool is_true) {
  const auto above = std::upper_bound(kBins.begin(), kBins.end(), share);
  Bin& bin = bins[static_cast<std::size_t>(above - kBins.begin() - 1)];
  bin.points += 1;
  bin.shares += share;
  bin.true_ones += is_true;
}

double true_cost(const TruePoint& point) { return (point.joules + kMaxPower * point.seconds) / 2; }

bool is_dominated(const std::vector<TruePoint>& truth, std::size_t i) {
  return std::any_of(truth.begin(), truth.end(), [&](const TruePoint& other) {
    return other.seconds <= truth[i].seconds && other.joules <= truth[i].joules &&
           (other.seconds < truth[i].seconds || other.joules < truth[i].joules);
  });
}

bool holds(const Saving& saving, double value) {
  return !saving.ci || (saving.ci->lower <= value && value <= saving.ci->upper);
}

void judge(Rates& rates, const Pareto& pareto, const std::vector<TruePoint>& truth) {
  const std::size_t base = *pareto.default_point;
  const std::size_t chosen = pareto.optima[0].point;
  double least = true_cost(truth[0]);
  for (const TruePoint& point : truth) least = std::min(least, true_cost(point));
  bool all = true;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const ParetoPoint& point = pareto.points[i];
    const bool held =
        holds(*point.costs[0].saving, 1 - true_cost(truth[i]) / true_cost(truth[base]));
    all = all && held;
    if (i == chosen && i != base) {
      rates.optimum_judged += 1;
      rates.optimum_held += held;
    }
    const bool dominated = is_dominated(truth, i);
    (dominated ? rates.dominated : rates.on_frontier) += 1;
    (dominated ? rates.rightly_sure : rates.wrongly_sure) += *point.surely_dominated;
    count(rates.frontier, *point.frontier_share, !dominated);
    count(rates.optimum, *point.costs[0].optimum_share, true_cost(truth[i]) == least);
  }
  rates.all_held += all;
  rates.studies += 1;
}

Rates simulate(const Setting& setting, std::size_t simulations, std::uint64_t seed) {
  std::vector<Rates> parts(simulations);
  parallel_for(thread_count(0), simulations, [&](std::size_t i, int) {
    RandomStream stream(seed, stable_hash(setting.name), i);
    const std::vector<TruePoint> truth = truth_of(setting, stream);
    ParetoOptions options;
    options.max_power = kMaxPower;
    options.draws = kDraws;
    options.seed = i + 1;
    options.threads = 1;
    options.default_knobs = {{"cap", fmt::to_string(truth.size() - 1)}};
    const std::vector<std::string> knobs{"cap"};
    judge(parts[i], judge_trade_off(runs_of(setting, truth, stream), knobs, options), truth);
  });
  Rates sum;
  for (const Rates& part : parts) sum.add(part);
  return sum;
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}", 100 * part / whole) : "-";
}

void print_rates(const std::vector<Setting>& settings, std::size_t simulations,
                 std::uint64_t seed) {
  fmt::print(
      "### Pareto: 95 % intervals of the saving against the default, and what is surely "
      "dominated\n\n"
      "| study | optimum's interval holds | all intervals hold | on the frontier, yet surely "
      "dominated | dominated, and surely |\n| --- | --: | --: | --: | --: |\n");
  for (const Setting& setting : settings) {
    const Rates rates = simulate(setting, simulations, seed);
    fmt::print("| {} | {} | {} | {} | {} |\n", setting.name,
               percent(rates.optimum_held, rates.optimum_judged),
               percent(rates.all_held, rates.studies),
               percent(rates.wrongly_sure, rates.on_frontier),
               percent(rates.rightly_sure, rates.dominated));
    std::fflush(stdout);
  }
}

void print_bins(const Setting& setting, std::size_t simulations, std::uint64_t seed) {
  const Rates rates = simulate(setting, simulations, seed);
  fmt::print(
      "\n### Pareto: are shares probabilities? {}\n\n| share | points | mean frontier share "
      "| truly on the frontier | points | mean optimum share | truly the optimum |\n"
      "| --- | --: | --: | --: | --: | --: | --: |\n",
      setting.name);
  for (std::size_t i = 0; i + 1 < kBins.size(); ++i) {
    const Bin& frontier = rates.frontier[i];
    const Bin& optimum = rates.optimum[i];
    fmt::print("| {:.2f} .. {:.2f} | {} | {} | {} | {} | {} | {} |\n", kBins[i],
               std::min(kBins[i + 1], 1.0), frontier.points,
               percent(frontier.shares, frontier.points),
               percent(frontier.true_ones, frontier.points), optimum.points,
               percent(optimum.shares, optimum.points), percent(optimum.true_ones, optimum.points));
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::vector<int> once_twice{1, 1, 1, 2, 1, 1, 1};
  const auto all = [](int points, int runs) {
    return std::vector<int>(static_cast<std::size_t>(points), runs);
  };
  fmt::print(
      "## Pareto\n\nIn percent, simulated: seven or thirty points, runs with a scatter of 3 % in "
      "time and in energy, correlation 0.7, eta 0.5. \"Curve\": time and energy of caps from 40 to "
      "100 %, all of them on the frontier. \"Cloud\": points about one centre, scattered by 9 % in "
      "time and in energy. \"Equal\": no difference at all. The default is the last point. {0} "
      "studies a row, 1000 draws each. Made by `bench/pareto_rates {0} {1}`.\n\n",
      simulations, seed);
  print_rates(
      {{"curve of 7 caps, 3 runs each", Truth::kCurve, Noise::kOne, all(7, 3)},
       {"curve of 7 caps, 10 runs each", Truth::kCurve, Noise::kOne, all(7, 10)},
       {"curve of 7 caps, 2 runs each", Truth::kCurve, Noise::kOne, all(7, 2)},
       {"curve of 7 caps, one of them with a second run", Truth::kCurve, Noise::kOne, once_twice},
       {"7 equal points, 3 runs each", Truth::kEqual, Noise::kOne, all(7, 3)},
       {"30 equal points, 3 runs each", Truth::kEqual, Noise::kOne, all(30, 3)},
       {"cloud of 7, 3 runs each", Truth::kCloud, Noise::kOne, all(7, 3)},
       {"cloud of 30, 3 runs each", Truth::kCloud, Noise::kOne, all(30, 3)},
       {"curve of 7, 3 runs each, half scatter 3 times as much", Truth::kCurve, Noise::kUnequal,
        all(7, 3)},
       {"cloud of 7, 3 runs each, half scatter 3 times as much", Truth::kCloud, Noise::kUnequal,
        all(7, 3)},
       {"cloud of 7, 3 runs each, heavy tails (t with 4)", Truth::kCloud, Noise::kHeavy,
        all(7, 3)}},
      simulations, seed);
  print_bins({"cloud of 7, 3 runs each", Truth::kCloud, Noise::kOne, all(7, 3)}, simulations, seed);
  print_bins({"cloud of 7, 10 runs each", Truth::kCloud, Noise::kOne, all(7, 10)}, simulations,
             seed);
}
