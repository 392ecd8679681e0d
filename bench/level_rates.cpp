// How often `scalelaw gate` errs on a year of nights, and what it finds there: levels, drift,
// nights that depend on each other and nights that stand apart. Prints the section "Levels" of
// docs/explanation/coverage.md. The number of threads does not change the numbers.
//
//     level_rates [SIMULATIONS [YEARS [SEED]]]     default 2000 200 1

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <ranges>
#include <string>
#include <vector>

#include "one_run.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/gate.hpp"

namespace {

using namespace scalelaw;

constexpr double kSd = 0.02;  ///< Standard deviation of ln t of a night.
const double kLimit = std::log(1.05);

/// What nights differ by.
struct Noise {
  const char* name;
  double rho = 0;        ///< Correlation with the night before.
  double drift = 0;      ///< Of ln t in 365 nights.
  double apart = 0;      ///< Share of nights that stand apart,
  double apart_sd = 0;   ///< by a normal distance with that standard deviation,
  bool is_slow = false;  ///< or slower by 10 to 30 %.
};

const std::vector<Noise> kNoises{{"independent"},
                                 {"correlation 0.5", 0.5},
                                 {"correlation 0.8", 0.8},
                                 {"drift of +10 % a year", 0, 0.0953},
                                 {"drift of -10 % a year", 0, -0.0953},
                                 {"3 % of nights apart, sd 10 %", 0, 0, 0.03, 0.1},
                                 {"3 % of nights slower by 10 to 30 %", 0, 0, 0.03, 0, true}};

std::vector<double> series_of(const Noise& noise, std::size_t nights, RandomStream& random) {
  std::vector<double> values;
  double effect = kSd * random.normal();
  for (std::size_t i = 0; i < nights; ++i) {
    double value = effect + noise.drift * static_cast<double>(i) / 365;
    if (random.uniform() < noise.apart) {
      value +=
          noise.is_slow ? std::log(1.1 + 0.2 * random.uniform()) : noise.apart_sd * random.normal();
    }
    values.push_back(value);
    effect = noise.rho * effect + std::sqrt(1 - noise.rho * noise.rho) * kSd * random.normal();
  }
  return values;
}

/// One run at 8 nodes, as fits that know their runs.
SavedFits night_of(double log_seconds) {
  SavedFits fits;
  fits.source = "nightly.csv";
  fits.x = "nodes";
  fits.y = "seconds";
  fits.law = find_law("power");
  fits.groups = {{{}, NoFit{FailureCode::kTooFewX, "one x"}}};
  fits.runs_of = [log_seconds](const GroupKey& /*group*/) {
    const double seconds = 100 * std::exp(log_seconds);
    return std::vector{Cell{.x = 8, .count = 1, .mean_log = std::log(seconds), .mean = seconds}};
  };
  return fits;
}

/// The gate of the newest of these nights, which belong to one table.
class Nights {
 public:
  void add(double log_seconds) {
    if (count_++ > 1) pair_.earlier.push_back(std::move(pair_.base));
    if (count_ > 1) pair_.base = std::move(pair_.current);
    pair_.current = night_of(log_seconds);
    pair_.goes_on = true;
  }
  Gate gate() const { return gate_fits(std::vector{pair_}); }

 private:
  std::size_t count_ = 0;
  GatePair pair_;
};

bool fails_worse(const Gate& gate) { return fails(gate, FailOn::kWorse); }

Gate gate_of(const std::vector<double>& values) {
  Nights nights;
  for (const double value : values) nights.add(value);
  return nights.gate();
}

/// The share of simulations in percent. Each has a random stream of its own.
double percent(std::size_t simulations, std::uint64_t seed, const std::string& name,
               const std::function<bool(RandomStream&)>& holds) {
  std::vector<char> held(simulations);
  parallel_for(thread_count(0), simulations, [&](std::size_t i, int /*worker*/) {
    RandomStream random(seed, stable_hash(name) + i);
    held[i] = holds(random) ? 1 : 0;
  });
  return 100.0 * static_cast<double>(std::count(held.begin(), held.end(), 1)) /
         static_cast<double>(simulations);
}

/// From the tenth night on, every night is judged by those before it.
bool fails_in_a_year(const Noise& noise, RandomStream& random) {
  constexpr std::size_t kFirst = 10;
  const std::vector<double> values = series_of(noise, 365, random);
  Nights nights;
  for (std::size_t i = 0; i < values.size(); ++i) {
    nights.add(values[i]);
    if (i >= kFirst && fails_worse(nights.gate())) return true;
  }
  return false;
}

void print_years(std::size_t years, std::uint64_t seed) {
  fmt::print(
      "\n### Levels: a year without a change\n\nPercent of years in which a gate fails, and of "
      "histories in which a change is found.\n\n| nights | years with a false alarm | change in 10 "
      "nights | in 20 | in 40 | in 100 |\n| --- | --: | --: | --: | --: | --: |\n");
  for (const Noise& noise : kNoises) {
    fmt::print("| {} | {:.1f} |", noise.name,
               percent(years, seed, std::string("year ") + noise.name,
                       [&](RandomStream& random) { return fails_in_a_year(noise, random); }));
    for (const std::size_t nights : {10, 20, 40, 100}) {
      fmt::print(" {:.1f} |",
                 percent(10 * years, seed, fmt::format("{} {}", noise.name, nights),
                         [&](RandomStream& random) {
                           return gate_of(series_of(noise, nights, random)).base_change.has_value();
                         }));
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

/// Nights of which the last ones are slower. `levels` change before by 5 to 20 % each.
struct Slower {
  std::size_t before;
  std::size_t since;
  double log_change;
  std::size_t levels = 0;
};

std::vector<double> slower_nights(const Noise& noise, const Slower& slower, RandomStream& random) {
  std::vector<double> values = series_of(noise, slower.before + slower.since, random);
  for (std::size_t level = 1; level <= slower.levels; ++level) {
    const double size = 0.05 + 0.15 * random.uniform();
    const double change = random.uniform() < 0.5 ? size : -size;
    for (std::size_t i = slower.before * level / (slower.levels + 1); i < values.size(); ++i) {
      values[i] += change;
    }
  }
  for (std::size_t i = slower.before; i < values.size(); ++i) values[i] += slower.log_change;
  return values;
}

/// Whether a gate fails in one of the last three nights.
bool fails_by_third(const std::vector<double>& values) {
  return std::ranges::any_of(std::views::iota(0, 3), [&values](int left) {
    return fails_worse(gate_of({values.begin(), values.end() - left}));
  });
}

void print_changes(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n### Levels: a change that lasts\n\nPercent of gates that fail so many nights after a "
      "change by the limit (5 %) or by 10 %; `by 3`: in one of the first three; the last column: "
      "the "
      "change is dated within one night, ten nights after it.\n\n| nights | before | change (%) | "
      "1 "
      "| 2 | 3 | by 3 | 5 | 10 | 20 | date |\n| --- | --: | --: | --: | --: | --: | --: | --: | "
      "--: "
      "| --: | --: |\n");
  const auto print = [&](const Noise& noise, Slower slower) {
    fmt::print("| {} | {}{} | {:.0f} |", noise.name, slower.before,
               slower.levels > 0 ? fmt::format(" of {} levels", slower.levels + 1) : "",
               100 * std::expm1(slower.log_change));
    const auto name = [&] {
      return fmt::format("{} {} {} {} {}", noise.name, slower.before, slower.since,
                         slower.log_change, slower.levels);
    };
    for (const std::size_t since : {1, 2, 3, 5, 10, 20}) {
      slower.since = since;
      fmt::print(" {:.1f} |", percent(simulations, seed, name(), [&](RandomStream& random) {
                   return fails_worse(gate_of(slower_nights(noise, slower, random)));
                 }));
      if (since != 3) continue;
      fmt::print(" {:.1f} |", percent(simulations, seed, name(), [&](RandomStream& random) {
                   return fails_by_third(slower_nights(noise, slower, random));
                 }));
    }
    slower.since = 10;
    fmt::print(" {:.0f} |\n", percent(simulations, seed, name(), [&](RandomStream& random) {
                 const Gate gate = gate_of(slower_nights(noise, slower, random));
                 return gate.base_change && gate.base_change->nights >= 8 &&
                        gate.base_change->nights <= 10;
               }));
    std::fflush(stdout);
  };
  for (const Noise& noise : kNoises) {
    for (const std::size_t before : {10, 30, 60, 200}) print(noise, {before, 0, kLimit});
    for (const std::size_t before : {10, 30, 60, 200}) print(noise, {before, 0, std::log(1.1)});
    print(noise, {80, 0, std::log(1.1), 3});
  }
}

/// A night of one metric in several groups, each with one run at 8 nodes.
SavedFits night_of_groups(const std::string& metric, const std::vector<double>& log_seconds) {
  SavedFits fits = night_of(0);
  fits.y = metric;
  fits.by = {"group"};
  fits.groups.clear();
  for (std::size_t group = 0; group < log_seconds.size(); ++group) {
    fits.groups.push_back({{std::to_string(group)}, NoFit{FailureCode::kTooFewX, "one x"}});
  }
  fits.runs_of = [log_seconds](const GroupKey& group) {
    const double mean = log_seconds[std::stoul(group.front())];
    return std::vector{Cell{.x = 8, .count = 1, .mean_log = mean, .mean = std::exp(mean)}};
  };
  return fits;
}

/// The newest night of one metric of all groups beside those before.
GatePair pair_of_groups(const std::string& metric, const Noise& noise, std::size_t groups,
                        std::size_t before, RandomStream& random) {
  std::vector<std::vector<double>> nights(before + 1, std::vector<double>(groups));
  for (std::size_t group = 0; group < groups; ++group) {
    const std::vector<double> values = series_of(noise, before + 1, random);
    for (std::size_t night = 0; night <= before; ++night) nights[night][group] = values[night];
  }
  GatePair pair{.base = night_of_groups(metric, nights[before - 1]),
                .current = night_of_groups(metric, nights[before])};
  for (std::size_t night = 0; night + 1 < before; ++night) {
    pair.earlier.push_back(night_of_groups(metric, nights[night]));
  }
  pair.goes_on = true;
  return pair;
}

void print_families(std::size_t simulations, std::uint64_t seed) {
  constexpr std::size_t kMetrics = 20;
  constexpr std::size_t kGroups = 50;
  fmt::print(
      "\n### Levels: many figures at once\n\nPercent of gates of {} metrics in {} groups that "
      "fail, "
      "where nothing changed: {} figures, each with noise of its own.\n\n| nights | 10 nights "
      "before "
      "| 30 | 60 |\n| --- | --: | --: | --: |\n",
      kMetrics, kGroups, kMetrics * kGroups);
  for (const Noise& noise : kNoises) {
    fmt::print("| {} |", noise.name);
    for (const std::size_t before : {10, 30, 60}) {
      fmt::print(" {:.1f} |",
                 percent(simulations, seed, fmt::format("all {} {}", noise.name, before),
                         [&](RandomStream& random) {
                           std::vector<GatePair> pairs;
                           for (std::size_t metric = 0; metric < kMetrics; ++metric) {
                             pairs.push_back(pair_of_groups(fmt::format("y{}", metric), noise,
                                                            kGroups, before, random));
                           }
                           return fails_worse(gate_fits(pairs));
                         }));
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int place, std::uint64_t usual) {
    return argc > place ? std::strtoull(argv[place], nullptr, 10) : usual;
  };
  const std::size_t simulations = argument(1, 2000);
  const std::size_t years = argument(2, 200);
  const std::uint64_t seed = argument(3, 1);
  fmt::print(
      "## Levels\n\nIn percent, simulated: one group with one run at one N every night, whose ln t "
      "has a standard deviation of 2 %; limit 5 %, confidence 0.95. {} simulations a figure, {} "
      "years. Made by `bench/level_rates {} {} {}`.\n",
      simulations, years, simulations, years, seed);
  print_years(years, seed);
  print_changes(simulations, seed);
  print_families(years, seed);
}
