// How often the verdicts of `scalelaw gate` err, and what they find. Prints the section "Gate" of
// docs/explanation/coverage.md. The number of threads does not change the numbers.
//
//     gate_rates [SIMULATIONS [SEED]]     default 4000 1

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/gate.hpp"

namespace {

using namespace scalelaw;

constexpr int kPoints = 9;           ///< N = 1, 2, 4, ..., 256.
constexpr std::size_t kSlice = 100;  ///< Simulations that share a random stream.

/// A study before and after a change. It has `groups` groups, of which the first `changed` take
/// `slowdown` more time at every N, or lose `beta_drop` of beta.
struct Setting {
  int groups;
  int changed = 0;
  double slowdown = 0;
  double beta_drop = 0;
  double base_noise = 0.03;
  double new_noise = 0.03;
  int repeats = 3;
  GateOptions options = {};
};

Cell simulated_cell(double x, double median, double noise, int repeats, RandomStream& stream) {
  std::vector<double> logs(static_cast<std::size_t>(repeats));
  Cell cell{.x = x, .count = static_cast<std::uint64_t>(repeats)};
  for (double& log : logs) {
    log = std::log(median) + noise * stream.normal();
    cell.mean_log += log / repeats;
  }
  for (const double log : logs) cell.ss_log += (log - cell.mean_log) * (log - cell.mean_log);
  cell.mean = cell.min = cell.max = std::exp(cell.mean_log);
  return cell;
}

GroupFit simulated_group(int group, double alpha, double beta, double noise, int repeats,
                         RandomStream& stream) {
  std::vector<Cell> cells;
  for (int i = 0; i < kPoints; ++i) {
    const double x = std::pow(2.0, i);
    cells.push_back(simulated_cell(x, alpha * std::pow(x, -beta), noise, repeats, stream));
  }
  return {{std::to_string(group)}, fit_law(cells, {.figures = Figures::kEstimates})};
}

SavedFits empty_study() {
  SavedFits fits;
  fits.x = "gpus";
  fits.y = "seconds";
  fits.by = {"group"};
  fits.law = find_law("power");
  return fits;
}

GatePair simulated_pair(const Setting& setting, RandomStream& stream) {
  GatePair pair{empty_study(), empty_study()};
  for (int group = 0; group < setting.groups; ++group) {
    const double beta = 0.5 + 0.01 * (group % 50);
    const bool changes = group < setting.changed;
    const double alpha = 100 * (changes ? 1 + setting.slowdown : 1);
    const double drop = changes ? setting.beta_drop : 0;
    pair.base.groups.push_back(
        simulated_group(group, 100, beta, setting.base_noise, setting.repeats, stream));
    pair.current.groups.push_back(
        simulated_group(group, alpha, beta - drop, setting.new_noise, setting.repeats, stream));
  }
  return pair;
}

/// Sums of shares over simulations.
struct Rates {
  double any_worse = 0;      ///< Some group is worse, so the check fails.
  double any_better = 0;     ///< Some group is better.
  double unchanged_bad = 0;  ///< Some unchanged group is worse.
  double worse = 0;          ///< Share of the changed groups (of all if none changed).
  double inconclusive = 0;
  double same = 0;
  double better = 0;

  void add(const Rates& other) {
    any_worse += other.any_worse;
    any_better += other.any_better;
    unchanged_bad += other.unchanged_bad;
    worse += other.worse;
    inconclusive += other.inconclusive;
    same += other.same;
    better += other.better;
  }
};

bool is_changed(const GateGroup& group, const Setting& setting) {
  return std::stoi(group.group.front()) < setting.changed;
}

Rates rates_of(const Gate& gate, const Setting& setting) {
  Rates rates;
  rates.any_worse = gate.count(GateVerdict::kWorse) > 0;
  rates.any_better = gate.count(GateVerdict::kBetter) > 0;
  const double share = 1.0 / (setting.changed > 0 ? setting.changed : setting.groups);
  for (const GateGroup& group : gate.groups) {
    const bool changed = is_changed(group, setting);
    if (!changed && group.verdict == GateVerdict::kWorse) rates.unchanged_bad = 1;
    if (setting.changed > 0 && !changed) continue;
    rates.worse += share * (group.verdict == GateVerdict::kWorse);
    rates.inconclusive += share * (group.verdict == GateVerdict::kInconclusive);
    rates.same += share * (group.verdict == GateVerdict::kSame);
    rates.better += share * (group.verdict == GateVerdict::kBetter);
  }
  return rates;
}

/// Shares of `simulations`.
class Simulation {
 public:
  Simulation(std::size_t simulations, std::uint64_t seed)
      : simulations_(simulations), seed_(seed) {}

  Rates operator()(const std::string& name, const Setting& setting) const {
    const std::size_t slices = (simulations_ + kSlice - 1) / kSlice;
    std::vector<Rates> parts(slices);
    parallel_for(thread_count(0), slices, [&](std::size_t slice, int) {
      RandomStream stream(seed_, stable_hash(name), slice);
      const std::size_t count = std::min(kSlice, simulations_ - slice * kSlice);
      for (std::size_t i = 0; i < count; ++i) {
        const std::vector pairs{simulated_pair(setting, stream)};
        parts[slice].add(rates_of(gate_fits(pairs, setting.options), setting));
      }
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

void print_row(const Simulation& simulate, const std::string& name, const Setting& setting) {
  const Rates rates = simulate(name, setting);
  std::string row = fmt::format("| {} | {} |", name, setting.groups);
  for (const double count : {rates.any_worse, rates.unchanged_bad, rates.any_better, rates.worse,
                             rates.inconclusive, rates.same, rates.better}) {
    row += simulate.percent(count);
  }
  fmt::print("{}\n", row);
  std::fflush(stdout);
}

void print_head(const std::string& title) {
  fmt::print(
      "### {}\n\n| change | groups | check fails | an unchanged group worse | any better | changed "
      "groups: worse | inconclusive | same | better |\n"
      "| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n",
      title);
}

void print_false_alarms(const Simulation& simulate) {
  print_head("Gate: nothing changed, or no more than the limit");
  print_row(simulate, "none", {.groups = 54});
  print_row(simulate, "none, a single group", {.groups = 1});
  print_row(simulate, "none, noise 1 %", {.groups = 54, .base_noise = 0.01, .new_noise = 0.01});
  print_row(simulate, "none, noise 3 % before, 9 % after", {.groups = 54, .new_noise = 0.09});
  print_row(simulate, "none, noise 9 % before, 3 % after", {.groups = 54, .base_noise = 0.09});
  print_row(simulate, "none, one run at each N", {.groups = 54, .repeats = 1});
  print_row(simulate, "all 5 % slower, the limit", {.groups = 54, .changed = 54, .slowdown = 0.05});
  print_row(simulate, "one 5 % slower", {.groups = 54, .changed = 1, .slowdown = 0.05});
  print_row(simulate, "a single group 5 % slower", {.groups = 1, .changed = 1, .slowdown = 0.05});
  print_row(simulate, "all 5 % slower, noise 3 % before, 9 % after",
            {.groups = 54, .changed = 54, .slowdown = 0.05, .new_noise = 0.09});
  print_row(simulate, "all 5 % slower, one run at each N",
            {.groups = 54, .changed = 54, .slowdown = 0.05, .repeats = 1});
  fmt::print("\n");
}

void print_power(const Simulation& simulate) {
  GateOptions largest;
  largest.at_middle = false;
  GateOptions middle;
  middle.at_largest = false;
  print_head("Gate: what is found");
  print_row(simulate, "one 10 % slower", {.groups = 54, .changed = 1, .slowdown = 0.1});
  print_row(simulate, "all 10 % slower", {.groups = 54, .changed = 54, .slowdown = 0.1});
  print_row(simulate, "a single group 10 % slower", {.groups = 1, .changed = 1, .slowdown = 0.1});
  print_row(simulate, "one 10 % slower, `--at middle`",
            {.groups = 54, .changed = 1, .slowdown = 0.1, .options = middle});
  print_row(simulate, "one 10 % slower, `--at largest`",
            {.groups = 54, .changed = 1, .slowdown = 0.1, .options = largest});
  print_row(simulate, "a single group 10 % slower, `--at largest`",
            {.groups = 1, .changed = 1, .slowdown = 0.1, .options = largest});
  print_row(simulate, "one 10 % slower, noise 3 % before, 9 % after",
            {.groups = 54, .changed = 1, .slowdown = 0.1, .new_noise = 0.09});
  print_row(simulate, "one 10 % slower, one run at each N",
            {.groups = 54, .changed = 1, .slowdown = 0.1, .repeats = 1});
  print_row(simulate, "one 20 % slower, one run at each N",
            {.groups = 54, .changed = 1, .slowdown = 0.2, .repeats = 1});
  print_row(simulate, "beta of one less by 0.1", {.groups = 54, .changed = 1, .beta_drop = 0.1});
  print_row(simulate, "one 10 % faster", {.groups = 54, .changed = 1, .slowdown = -0.1});
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const double error = 100 * std::sqrt(0.05 * 0.95 / static_cast<double>(simulations));
  fmt::print(
      "## Gate\n\nIn percent, simulated: t = 100 N^(-beta), beta from 0.5 to 0.99, at N = 1, 2, 4, "
      "..., 256, three runs each, log-normal noise of 3 % before and after the change, if not said "
      "otherwise; limits of 5 % and 0.05, confidence 0.95. {} gates a row (Monte Carlo error "
      "{:.2f} "
      "where 5 or 95 are expected). Made by `bench/gate_rates {} {}`.\n\n",
      simulations, error, simulations, seed);
  const Simulation simulate(simulations, seed);
  print_false_alarms(simulate);
  print_power(simulate);
}
