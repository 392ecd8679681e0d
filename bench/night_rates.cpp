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
  return gate_fits(std::vector{pair}, {.change = {.draws = 0}});
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

/// The gate where the last `kept` nights of BASE have the slowdown of NEW, too.
Gate gate_with_kept(const Design& design, int kept, double slowdown, RandomStream& stream) {
  GatePair pair;
  for (int night = 1; night <= design.nights; ++night) {
    const double factor = night > design.nights - kept ? slowdown : 1;
    pair.earlier.push_back(simulated_night(design, factor, stream));
  }
  pair.base = std::move(pair.earlier.back());
  pair.earlier.pop_back();
  pair.current = simulated_night(design, slowdown, stream);
  return gate_fits(std::vector{pair}, {.change = {.draws = 1999}});
}

/// A gate as the command tells it: without the nights of BASE that hide what the others show.
struct Told {
  Gate gate;  ///< By all nights.
  GateOutcome outcome;
};

/// @param pair  With the oldest nights of BASE first, and without its newest one.
Told told_by(GatePair pair) {
  pair.base = std::move(pair.earlier.back());
  pair.earlier.pop_back();
  Gate gate = gate_fits(std::vector{pair}, {.change = {.draws = 999}});
  GateOutcome outcome = outcome_of(gate, FailOn::kWorse);
  const std::vector<std::string> nights = nights_to_leave_out(gate);
  if (!nights.empty()) {
    const Gate without =
        gate_fits(std::vector{without_nights(pair, nights)}, {.change = {.draws = 0}});
    if (counts_instead(without, gate)) outcome = outcome_of(without, FailOn::kWorse);
  }
  return {std::move(gate), outcome};
}

SavedFits named_night(const Design& design, int night, double slowdown, RandomStream& stream) {
  SavedFits fits = simulated_night(design, slowdown, stream);
  fits.night = fmt::format("2026-11-{:02}", night);
  return fits;
}

/// What the command says of a gate with one slow night in BASE.
/// @param slow  How much slower one night of BASE is: 1.4 by 40 %.
GateOutcome told_with_slow_night(const Design& design, double slow, double slowdown,
                                 RandomStream& stream) {
  GatePair pair;
  for (int night = 1; night <= design.nights; ++night) {
    const double factor = night == design.nights / 2 ? slow : 1;
    pair.earlier.push_back(named_night(design, night, factor, stream));
  }
  pair.current = simulated_night(design, slowdown, stream);
  return told_by(std::move(pair)).outcome;
}

/// What it says where the last `kept` nights of BASE are slower by `slow`.
Told told_with_slow_level(const Design& design, int kept, double slow, double slowdown,
                          RandomStream& stream) {
  GatePair pair;
  for (int night = 1; night <= design.nights; ++night) {
    const double factor = night > design.nights - kept ? slow : 1;
    pair.earlier.push_back(named_night(design, night, factor, stream));
  }
  pair.current = simulated_night(design, slowdown, stream);
  return told_by(std::move(pair));
}

/// Whether a night of the slow level is named as one that stands apart.
bool names_night_of_level(const Gate& gate, const Design& design, int kept) {
  return std::any_of(gate.nights_apart.begin(), gate.nights_apart.end(), [&](const auto& night) {
    return night.place + static_cast<std::size_t>(kept) >= static_cast<std::size_t>(design.nights);
  });
}

void print_slow_nights(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Nights: one slow night in BASE\n\nOne group, N x runs 4 x 1 with 1.5 % of noise. One "
      "night of BASE is slower by so much, and the gate judges without it where it stands apart. A "
      "gate that passes is wrong where NEW is slower by the limit.\n\n| nights | sd between nights "
      "| slow night | fails, 5 % slower (the limit) | passes, 5 % slower | passes, no change | "
      "fails, 12 % slower | undecided, 12 % slower |\n| --: | --: | --: | --: | --: | --: | --: | "
      "--: |\n");
  for (const int nights : {10, 15, 25}) {
    for (const double sd : {0.0, 0.01, 0.02, 0.03}) {
      for (const double slow : {1.0, 1.4}) {
        const Design design{
            .nights = nights, .scales = 4, .runs = 1, .noise = 0.015, .night_sd = sd};
        const auto rate = [&](double slowdown, GateOutcome outcome) {
          return percent(
              simulations, seed, fmt::format("{} {} {}", text_of(design), slow, slowdown),
              [&](RandomStream& stream) {
                const bool is = told_with_slow_night(design, slow, slowdown, stream) == outcome;
                return is ? 1.0 : 0.0;
              });
        };
        fmt::print("| {} | {:g} | {:g} | {:.1f} | {:.1f} | {:.0f} | {:.0f} | {:.0f} |\n", nights,
                   sd, slow, rate(1.05, GateOutcome::kFailed), rate(1.05, GateOutcome::kPassed),
                   rate(1, GateOutcome::kPassed), rate(1.12, GateOutcome::kFailed),
                   rate(1.12, GateOutcome::kUndecided));
        std::fflush(stdout);
      }
    }
  }
}

/// A job with one run at one N every night, of which the last ones are slower by a lasting change.
void print_slow_levels(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Nights: a slow level of one run per night\n\nOne group, one run at one N every night. "
      "The last nights of BASE are slower by so much, and NEW by the limit (5 %), by nothing or as "
      "much as they. Last column: a night of the slow level is named as one that stands apart.\n\n"
      "| nights | slow nights | slower by (%) | sd between nights | NEW at the limit fails | NEW "
      "at the "
      "limit passes | no change fails | NEW of the slow level fails | NEW of the slow level passes "
      "| "
      "base-changed | night-apart |\n"
      "| --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n");
  const auto print = [&](const Design& design, int kept, double slow) {
    const auto rate = [&](double slowdown, const auto& share) {
      return percent(
          simulations, seed, fmt::format("{} {} {} {}", text_of(design), kept, slow, slowdown),
          [&](RandomStream& stream) {
            return share(told_with_slow_level(design, kept, slow, slowdown, stream)) ? 1.0 : 0.0;
          });
    };
    const auto is = [](GateOutcome outcome) {
      return [outcome](const Told& told) { return told.outcome == outcome; };
    };
    const auto changed = [](const Told& told) { return told.gate.base_change.has_value(); };
    const auto names = [&](const Told& told) {
      return names_night_of_level(told.gate, design, kept);
    };
    fmt::print("| {} | {} | {:.0f} | {:g} |", design.nights, kept, 100 * (slow - 1),
               design.night_sd);
    fmt::print(" {:.1f} | {:.1f} |", rate(1.05, is(GateOutcome::kFailed)),
               rate(1.05, is(GateOutcome::kPassed)));
    fmt::print(" {:.1f} |", rate(1, is(GateOutcome::kFailed)));
    fmt::print(" {:.0f} | {:.0f} |", rate(slow, is(GateOutcome::kFailed)),
               rate(slow, is(GateOutcome::kPassed)));
    fmt::print(" {:.1f} | {:.0f} |\n", rate(slow, changed), rate(slow, names));
    std::fflush(stdout);
  };
  const auto design = [](int nights, double sd) {
    return Design{.nights = nights, .scales = 1, .runs = 1, .noise = 0.001, .night_sd = sd};
  };
  for (const int nights : {10, 59}) {
    for (const double sd : {0.0, 0.01, 0.02, 0.03}) print(design(nights, sd), 0, 1);
  }
  for (const double slow : {1.07, 1.12, 1.2}) {
    for (const int kept : {1, 4, 14}) print(design(45 + kept, 0.012), kept, slow);
  }
  for (const double sd : {0.0, 0.01, 0.02, 0.03}) print(design(59, sd), 14, 1.12);
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

void print_base_changes(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Nights: slow nights that were kept\n\nNEW and the last nights of BASE are 15 % "
      "slower, all groups alike. Last column: the gate fails where NEW has the slowdown that the "
      "gate says it finds in four of five cases.\n\n| nights | groups | N x runs | what differs | "
      "sd between nights | base-changed, no change | 1 slow night kept: fails | base-changed | 3 "
      "kept: fails | base-changed | fails where it says |\n| --: | --: | --: | --- | --: | --: | "
      "--: | --: | --: | --: | --: |\n");
  for (const int groups : {1, 9}) {
    for (const double sd : {0.01, 0.02, 0.03}) {
      const Design design{.groups = groups, .nights = 12, .night_sd = sd};
      const std::string name = text_of(design);
      const auto rate = [&](int kept, double slowdown, const auto& share) {
        return percent(simulations, seed, fmt::format("{} {} kept", name, kept),
                       [&](RandomStream& stream) {
                         const Gate gate = gate_with_kept(design, kept, slowdown, stream);
                         return share(gate) ? 1.0 : 0.0;
                       });
      };
      const auto changed = [](const Gate& gate) { return gate.base_change.has_value(); };
      const auto worse = [](const Gate& gate) { return gate.count(GateVerdict::kWorse) > 0; };
      fmt::print("| {} | {:.1f} |", name, rate(0, 1, changed));
      for (const int kept : {1, 3}) {
        fmt::print(" {:.0f} | {:.0f} |", rate(kept, 1.15, worse), rate(kept, 1.15, changed));
      }
      const double found = percent(simulations, seed, name + " says", [&](RandomStream& stream) {
        return fails_where_it_says(design, stream);
      });
      fmt::print(" {:.0f} |\n", found);
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
  print_base_changes(simulations, seed);
  print_slow_nights(simulations, seed);
  print_slow_levels(simulations, seed);
  print_histories(simulations, seed);
}
