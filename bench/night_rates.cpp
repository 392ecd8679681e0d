// How often `scalelaw gate` and `scalelaw history` err where one night differs from another, and
// what they find. Prints the section "Nights" of docs/explanation/coverage.md. The number of
// threads does not change the numbers.
//
//     night_rates [SIMULATIONS [SEED]]     default 2000 1

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "one_run.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/judge/history.hpp"

namespace {

using namespace scalelaw;

constexpr std::size_t kSlice = 50;  ///< Simulations that share a random stream.
constexpr double kNoise = 0.03;     ///< Standard deviation of ln t of a run.

/// What the runs of one night have in common.
enum class Effect {
  kFactor,  ///< All times of the night are multiplied.
  kEachN,   ///< Those at each N are multiplied by a factor of their own.
  kBeta,    ///< The night has another exponent.
};

struct Design {
  int groups = 1;
  int nights = 10;
  int scales = 9;  ///< N = 1, 2, 4, ...
  int runs = 3;    ///< At each N.
  double noise = kNoise;
  Effect effect = Effect::kFactor;
  double night_sd = 0;
  bool shared = true;     ///< Whether all groups have the same effect in a night.
  bool restless = false;  ///< The first group has five times the standard deviation.
};

/// The effects of one night on one group.
struct NightEffects {
  double log_factor = 0;
  double beta = 0;
  std::vector<double> at_n;
};

NightEffects effects_of(const Design& design, RandomStream& stream) {
  NightEffects effects;
  effects.at_n.assign(static_cast<std::size_t>(design.scales), 0);
  switch (design.effect) {
    case Effect::kFactor:
      effects.log_factor = design.night_sd * stream.normal();
      break;
    case Effect::kBeta:
      effects.beta = design.night_sd * stream.normal();
      break;
    case Effect::kEachN:
      for (double& factor : effects.at_n) factor = design.night_sd * stream.normal();
  }
  return effects;
}

std::vector<Cell> simulated_runs(const Design& design, const NightEffects& effects, double slowdown,
                                 double beta, RandomStream& stream) {
  std::vector<Cell> cells;
  for (int i = 0; i < design.scales; ++i) {
    const double x = std::ldexp(1.0, i);
    const double median = std::log(100 * slowdown) - (beta + effects.beta) * std::log(x) +
                          effects.log_factor + effects.at_n[static_cast<std::size_t>(i)];
    for (int run = 0; run < design.runs; ++run) {
      const double log_y = median + design.noise * stream.normal();
      cells.push_back(one_run(x, std::exp(log_y), log_y));
    }
  }
  return cells;
}

Fit simulated_fit(const Design& design, const NightEffects& effects, double slowdown, double beta,
                  RandomStream& stream) {
  return fit_law(simulated_runs(design, effects, slowdown, beta, stream),
                 {.figures = Figures::kEstimates});
}

/// The night of a job that runs at one N: its runs, and no fit.
void keep_runs(SavedFits& night, std::map<GroupKey, std::vector<Cell>> runs) {
  for (const auto& [group, cells] : runs) {
    night.groups.push_back({group, NoFit{FailureCode::kTooFewX, "one N"}});
  }
  night.runs_of = [runs = std::move(runs)](const GroupKey& group) { return runs.at(group); };
}

SavedFits simulated_night(const Design& design, double slowdown, RandomStream& stream) {
  SavedFits fits;
  fits.x = "gpus";
  fits.y = "seconds";
  fits.by = {"group"};
  fits.law = find_law("power");
  const NightEffects shared = effects_of(design, stream);
  std::map<GroupKey, std::vector<Cell>> runs;
  for (int group = 0; group < design.groups; ++group) {
    Design of_group = design;
    if (design.restless && group == 0) of_group.night_sd *= 5;
    const NightEffects effects = design.shared ? shared : effects_of(of_group, stream);
    const double beta = 0.5 + 0.01 * (group % 50);
    const GroupKey key{std::to_string(group)};
    if (design.scales == 1) {
      runs[key] = simulated_runs(design, effects, slowdown, beta, stream);
    } else {
      fits.groups.push_back({key, simulated_fit(design, effects, slowdown, beta, stream)});
    }
  }
  if (design.scales == 1) keep_runs(fits, std::move(runs));
  return fits;
}

Gate simulated_gate(const Design& design, double slowdown, RandomStream& stream) {
  GatePair pair;
  for (int night = 1; night < design.nights; ++night) {
    pair.earlier.push_back(simulated_night(design, 1, stream));
  }
  pair.base = simulated_night(design, 1, stream);
  pair.current = simulated_night(design, slowdown, stream);
  return gate_fits(std::vector{pair});
}

/// The mean of `share` over simulations, in percent.
double percent(std::size_t simulations, std::uint64_t seed, const std::string& name,
               const std::function<double(RandomStream&)>& share) {
  std::vector<double> sums((simulations + kSlice - 1) / kSlice);
  parallel_for(thread_count(0), sums.size(), [&](std::size_t slice, int) {
    RandomStream stream(seed, stable_hash(name), slice);
    const std::size_t end = std::min(simulations, (slice + 1) * kSlice);
    for (std::size_t i = slice * kSlice; i < end; ++i) sums[slice] += share(stream);
  });
  double sum = 0;
  for (const double part : sums) sum += part;
  return 100 * sum / static_cast<double>(simulations);
}

std::string text_of(const Design& design) {
  const char* const effect = design.effect == Effect::kFactor  ? "time"
                             : design.effect == Effect::kEachN ? "time at each N"
                                                               : "beta";
  const char* const groups = design.groups == 1 ? ""
                             : design.restless  ? " each, one restless"
                             : design.shared    ? " alike"
                                                : " each";
  return fmt::format("{} | {}{} | {} x {} | {} | {:g}", design.nights, design.groups, groups,
                     design.scales, design.runs, effect, design.night_sd);
}

void print_gate_row(const Design& design, std::size_t simulations, std::uint64_t seed) {
  const std::string name = text_of(design);
  const auto rate = [&](const char* what, double slowdown, const auto& share) {
    return percent(simulations, seed, name + what, [&](RandomStream& stream) {
      return static_cast<double>(share(simulated_gate(design, slowdown, stream)));
    });
  };
  const auto any = [](GateVerdict verdict) {
    return [verdict](const Gate& gate) { return gate.count(verdict) > 0; };
  };
  const auto same = [&design](const Gate& gate) {
    return static_cast<double>(gate.count(GateVerdict::kSame)) / design.groups;
  };
  fmt::print("| {} |", name);
  fmt::print(" {:.1f} |", rate("limit", 1.05, any(GateVerdict::kWorse)));
  fmt::print(" {:.1f} |", rate("better", 1, any(GateVerdict::kBetter)));
  fmt::print(" {:.0f} |", rate("same", 1, same));
  for (const double slowdown : {1.1, 1.15, 1.2}) {
    fmt::print(" {:.0f} |", rate("power", slowdown, any(GateVerdict::kWorse)));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_gates(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "### Nights: gate\n\nAll groups have the same change. `alike`: a night has one effect on all "
      "groups; `each`: one of its own on each; `one restless`: five times as great on one "
      "of them.\n\n| nights | groups | N x runs | what differs | sd "
      "between nights | fails, 5 % slower (the limit) | better, no change | same, no change | "
      "fails, 10 % slower | 15 % | 20 % |\n| --: | --: | --: | --- | --: | --: | --: | --: | --: | "
      "--: | --: |\n");
  const auto print = [&](const Design& design) { print_gate_row(design, simulations, seed); };
  for (const double sd : {0.0, 0.01, 0.02, 0.03}) print({.nights = 1, .night_sd = sd});
  for (const int scales : {9, 5}) {
    for (const double sd : {0.0, 0.01, 0.02, 0.03}) {
      print({.scales = scales, .runs = scales == 9 ? 3 : 1, .night_sd = sd});
    }
  }
  for (const bool shared : {true, false}) {
    for (const double sd : {0.0, 0.01, 0.02, 0.03}) {
      print({.groups = 9, .night_sd = sd, .shared = shared});
    }
  }
  for (const bool shared : {true, false}) {
    print({.groups = 54, .night_sd = 0.02, .shared = shared});
  }
  print({.groups = 9, .night_sd = 0.01, .shared = false, .restless = true});
  print({.effect = Effect::kEachN, .night_sd = 0.02});
  print({.runs = 1, .effect = Effect::kEachN, .night_sd = 0.02});
  print({.effect = Effect::kBeta, .night_sd = 0.01});
  for (const int nights : {2, 3, 5, 20}) {
    print({.nights = nights, .night_sd = 0.02});
    print({.groups = 9, .nights = nights, .night_sd = 0.02, .shared = true});
    print({.groups = 9, .nights = nights, .night_sd = 0.02, .shared = false});
  }
}

/// Whether history finds a change where beta falls by `drop` after half of the nights.
double finds_change(const Design& design, double drop, RandomStream& stream) {
  std::vector<HistoryPoint> points;
  for (int night = 0; night < design.nights; ++night) {
    const double beta = night < design.nights / 2 ? 0.8 : 0.8 - drop;
    const Fit fit = simulated_fit(design, effects_of(design, stream), 1, beta, stream);
    HistoryPoint& point = points.emplace_back();
    point.estimate = fit.parameters[1].estimate;
    point.se = fit.parameters[1].se;
    point.dof = static_cast<double>(fit.dof);
  }
  const auto change = change_point(points, {.draws = 399}, stream());
  return change->p < 0.05 ? 1 : 0;
}

/// The slowdown that a gate says it finds in four of five cases.
double findable_slowdown(const Gate& gate) {
  std::vector<double> losses;
  for (const GateGroup& group : gate.groups) {
    for (const GateComparison& comparison : group.comparisons) {
      if (comparison.figure != "curve") continue;
      losses.push_back(*findable_loss(comparison, gate.family, 0.95));
    }
  }
  std::sort(losses.begin(), losses.end());
  return std::exp(losses[losses.size() / 2]);
}

/// Whether a gate fails where one group has the slowdown that a gate like it names.
double fails_where_it_says(const Design& design, RandomStream& stream) {
  const double slowdown = findable_slowdown(simulated_gate(design, 1, stream));
  return simulated_gate(design, slowdown, stream).count(GateVerdict::kWorse) > 0 ? 1 : 0;
}

/// A job that runs at one N every night.
void print_gates_at_one_n(std::size_t simulations, std::uint64_t seed) {
  const auto print = [&](const Design& design) { print_gate_row(design, simulations, seed); };
  for (const int runs : {1, 3}) {
    for (const double sd : {0.0, 0.01, 0.02, 0.03}) {
      print({.scales = 1, .runs = runs, .night_sd = sd});
    }
  }
  for (const int nights : {1, 2, 3, 5, 20}) {
    print({.nights = nights, .scales = 1, .night_sd = 0.01});
  }
  for (const bool shared : {true, false}) {
    print({.groups = 9, .scales = 1, .night_sd = 0.01, .shared = shared});
  }
}

void print_findable(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Nights: what a gate says it finds\n\nNEW has the slowdown that a gate like it says it "
      "finds in four of five cases.\n\n| nights | groups | N x runs | what differs | sd between "
      "nights | fails where it says |\n| --: | --: | --: | --- | --: | --: |\n");
  for (const int groups : {1, 9}) {
    for (const double sd : {0.01, 0.02, 0.03}) {
      const Design design{.groups = groups, .nights = 12, .night_sd = sd};
      const std::string name = text_of(design);
      fmt::print("| {} | {:.0f} |\n", name,
                 percent(simulations, seed, name + " says", [&](RandomStream& stream) {
                   return fails_where_it_says(design, stream);
                 }));
      std::fflush(stdout);
    }
  }
}

void print_histories(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Nights: history\n\nOne group, 399 draws; with a change, beta falls after half of the "
      "nights.\n\n| nights | N x runs | sd of beta between nights | finds one, no change | beta "
      "falls by 0.02 | 0.05 | 0.1 |\n| --: | --: | --: | --: | --: | --: | --: |\n");
  for (const int scales : {9, 5}) {
    for (const int nights : {4, 6, 10, 20, 40}) {
      for (const double sd : {0.0, 0.01, 0.02}) {
        const Design design{.nights = nights,
                            .scales = scales,
                            .runs = scales == 9 ? 3 : 1,
                            .effect = Effect::kBeta,
                            .night_sd = sd};
        fmt::print("| {} | {} x {} | {:g} |", nights, design.scales, design.runs, sd);
        for (const double drop : {0.0, 0.02, 0.05, 0.1}) {
          const double found =
              percent(simulations, seed, text_of(design) + fmt::format("{}", drop),
                      [&](RandomStream& stream) { return finds_change(design, drop, stream); });
          fmt::print(" {:.1f} |", found);
        }
        fmt::print("\n");
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print(
      "## Nights\n\nIn percent, simulated: t = 100 N^(-beta) at N = 1, 2, 4, ..., log-normal noise "
      "of 3 % a run, and effects of the night; limits of 5 % and 0.05, confidence 0.95. {} "
      "simulations a figure (Monte Carlo error {:.2f} where 2.5 are expected). Made by "
      "`bench/night_rates {} {}`.\n\n",
      simulations, 100 * std::sqrt(0.025 * 0.975 / static_cast<double>(simulations)), simulations,
      seed);
  print_gates(simulations, seed);
  print_gates_at_one_n(simulations, seed);
  print_findable(simulations, seed);
  print_histories(simulations, seed);
}
