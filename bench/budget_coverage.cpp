// Coverage of the intervals of budget, by simulation, as the table in docs/explanation/coverage.md:
// budget_coverage [simulations] [seed] [part of a design's name].

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/direction_dof.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/judge/budget.hpp"

namespace {

using namespace scalelaw;

constexpr double kDay = 86400;

struct Design {
  const char* name;
  std::size_t sizes;
  std::size_t tokens;  ///< Numbers of tokens per size.
  double scatter;      ///< Of ln loss of a run,
  double shared = 0;   ///< and what runs of one size share.
  double time_scatter = 0.05;
  double days = 1;
  bool by_size = false;    ///< Whether --run names the sizes.
  double time_shared = 0;  ///< What times of one size share.
  double gpus = 64;        ///< The most of a plan.
  double serial = 0;       ///< Of a token's work on one GPU: Amdahl's law, instead of a power.
};

constexpr std::array kDesigns{
    Design{"20 runs: 5 sizes of 4", 5, 4, 0.003},
    Design{"30 runs: 6 sizes of 5", 6, 5, 0.003},
    Design{"56 runs: 8 sizes of 7", 8, 7, 0.003},
    Design{"56 runs, three times the scatter", 8, 7, 0.009},
    Design{"56 runs, 30 days", 8, 7, 0.003, 0, 0.05, 30},
    Design{"100 runs: 10 sizes of 10", 10, 10, 0.005},
    Design{"200 runs: 10 sizes of 20", 10, 20, 0.005},
    Design{"6 sizes of 7, --run", 6, 7, 0.003, 0, 0.05, 1, true},
    Design{"8 sizes of 7, --run", 8, 7, 0.003, 0, 0.05, 1, true},
    Design{"12 sizes of 7, --run", 12, 7, 0.003, 0, 0.05, 1, true},
    Design{"20 sizes of 7, --run", 20, 7, 0.003, 0, 0.05, 1, true},
    Design{"6 sizes of 7, shared errors", 6, 7, 0.001, 0.002, 0.03, 1, true, 0.04},
    Design{"8 sizes of 7, shared errors", 8, 7, 0.001, 0.002, 0.03, 1, true, 0.04},
    Design{"12 sizes of 7, shared errors", 12, 7, 0.001, 0.002, 0.03, 1, true, 0.04},
    Design{"20 sizes of 7, shared errors", 20, 7, 0.001, 0.002, 0.03, 1, true, 0.04},
    Design{"56 runs, 256 GPUs", 8, 7, 0.003, 0, 0.02, 1, false, 0, 256},
    Design{"56 runs, 256 GPUs, Amdahl", 8, 7, 0.003, 0, 0.02, 1, false, 0, 256, 0.002},
    Design{"56 runs, 1024 GPUs", 8, 7, 0.003, 0, 0.02, 1, false, 0, 1024},
    Design{"56 runs, 1024 GPUs, Amdahl", 8, 7, 0.003, 0, 0.02, 1, false, 0, 1024, 0.002},
    Design{"30 runs, 256 GPUs, Amdahl", 6, 5, 0.003, 0, 0.05, 1, false, 0, 256, 0.002},
};

constexpr std::array kGpus{8.0, 16.0, 32.0, 64.0};

double loss_at(double n, double d) {
  return 1.69 + 406.4 * std::pow(n, -0.34) + 410.7 * std::pow(d, -0.28);
}

/// What a token takes: 7.5e-14 n^0.95 gpus^0.08 GPU-seconds, and in proportion to n beyond the
/// runs. With serial work s the last factor is (1 + s gpus) / (1 + s).
ResourceLaw true_time(const Design& design) {
  ResourceLaw law = known_resource(Resource::kTime, 7.5e-14, 0.95);
  law.n_range = {7e7, 2.8e9};
  law.gpu_range = {8, 64};
  law.gpu_exponent.estimate = 0.08;
  if (design.serial > 0) {
    law.gpu_range = {1, 1};
    law.gpu_exponent.estimate = 0;
    MixturePart amdahl{.law = MixedLaw::kAmdahl, .weight = 1, .b = std::log(design.serial)};
    law.beyond = std::make_shared<Mixture>(Mixture{.parts = {amdahl}});
  }
  return law;
}

double work_at(const Design& design, double n, double gpus) {
  return std::exp(true_time(design).log_at(std::log(n), std::log(gpus)));
}

BudgetOptions options_of(const Design& design) {
  BudgetOptions options;
  options.limit(BudgetLimit::kDeadline) = design.days * kDay;
  options.limit(BudgetLimit::kGpus) = design.gpus;
  return options;
}

struct Runs {
  SurfaceRuns losses;
  std::vector<double> gpus;
  std::vector<double> gpu_seconds;
};

Runs draw_runs(const Design& design, RandomStream& stream) {
  Runs runs;
  for (std::size_t i = 0; i < design.sizes; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(design.sizes - 1);
    const double n = 7e7 * std::pow(40, place);
    const double shared = design.shared * stream.normal();
    const double time_shared = design.time_shared * stream.normal();
    for (std::size_t j = 0; j < design.tokens; ++j) {
      const double along = static_cast<double>(j) / static_cast<double>(design.tokens - 1);
      const double d = 2e9 * std::pow(50, along);
      const double gpus = kGpus[(i + j) % kGpus.size()];
      runs.losses.n.push_back(n);
      runs.losses.d.push_back(d);
      runs.losses.y.push_back(loss_at(n, d) * std::exp(shared + design.scatter * stream.normal()));
      if (design.by_size) runs.losses.cluster.push_back(static_cast<std::uint32_t>(i));
      runs.gpus.push_back(gpus);
      runs.gpu_seconds.push_back(work_at(design, n, gpus) *
                                 std::exp(time_shared + design.time_scatter * stream.normal()));
    }
  }
  return runs;
}

Budget plan_of(const Runs& runs, const Design& design) {
  FitOptions options;
  options.law = find_law("chinchilla");
  options.robust = Robust::kHuber;
  options.intervals = Intervals::kWald;
  options.se = design.by_size ? StandardError::kCr2 : StandardError::kSandwich;
  BudgetLaws laws{fit_surface(runs.losses, options),
                  fit_resource(Resource::kTime, runs.losses.n, runs.gpus, runs.gpu_seconds,
                               runs.losses.cluster, 0.95),
                  {}};
  laws.loss_dof = surface_direction_dof(laws.loss, runs.losses, options);
  return plan_budget(std::move(laws), options_of(design));
}

/// The plan by the laws that the runs were drawn from.
Budget true_plan(const Design& design) {
  BudgetLaws laws;
  laws.loss.law = find_law("chinchilla");
  for (const double value : {406.4, 410.7, 1.69, 0.34, 0.28}) {
    laws.loss.parameters.emplace_back().estimate = value;
  }
  laws.loss.surface = std::make_shared<SurfaceFigures>(
      SurfaceFigures{.x_range = {Interval{7e7, 2.8e9}, Interval{2e9, 1e11}},
                     .objective = 0,
                     .starts = 1,
                     .met = 1,
                     .gradient = 0});
  laws.gpu_seconds = true_time(design);
  return plan_budget(std::move(laws), options_of(design));
}

bool holds(const std::optional<Interval>& ci, double truth) {
  return ci && ci->lower <= truth && truth <= ci->upper;
}

void simulate(const Design& design, std::size_t simulations, std::uint64_t seed) {
  std::vector<std::optional<Budget>> plans(simulations);
  std::vector<double> times(simulations);
  std::vector<double> safe_times(simulations);
  parallel_for(thread_count(0), simulations, [&](std::size_t i, int /*worker*/) {
    RandomStream stream(seed, i);
    const Runs runs = draw_runs(design, stream);
    plans[i] = if_possible([&] { return plan_of(runs, design); });
    if (!plans[i]) return;
    // What the plan takes in truth, in one run.
    const double scatter =
        std::exp(std::hypot(design.time_scatter, design.time_shared) * stream.normal());
    const auto time_of = [&](const BudgetPlan& plan) {
      return work_at(design, plan.n, *plan.gpus) * plan.d / *plan.gpus * scatter;
    };
    times[i] = time_of(plans[i]->plan);
    safe_times[i] = time_of(plans[i]->safe.value_or(plans[i]->plan));
  });
  const BudgetPlan truth = true_plan(design).plan;
  int count = 0;
  std::array<int, 4> held{};
  int called_safe = 0;
  int safe = 0;  // Of these, those whose run is in time.
  double width = 0;
  double lost = 0;
  for (std::size_t i = 0; i < simulations; ++i) {
    if (!plans[i]) continue;
    ++count;
    const Budget& plan = *plans[i];
    held[0] += holds(plan.n_ci, truth.n) ? 1 : 0;
    held[1] += holds(plan.d_ci, truth.d) ? 1 : 0;
    held[2] += holds(plan.loss_ci, truth.loss) ? 1 : 0;
    held[3] += holds(plan.seconds_pi, times[i]) ? 1 : 0;
    const double deadline = design.days * kDay;
    if (plan.safe || *plan.over_limits <= 1 - 0.95) {
      ++called_safe;
      safe += safe_times[i] <= deadline ? 1 : 0;
    }
    if (plan.n_ci) width += std::log(plan.n_ci->upper / plan.n_ci->lower) / 2;
    lost += plan.lost_draws;
  }
  const auto percent = [&](int part) { return 100.0 * part / std::max(1, count); };
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.1f} |\n",
             design.name, count, percent(held[0]), percent(held[1]), percent(held[2]),
             percent(held[3]), 100.0 * safe / std::max(1, called_safe), width / std::max(1, count),
             100 * lost / std::max(1, count));
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print(
      "### Budgets\n\n| design | plans | parameters | tokens | loss | time of the run | safe plan "
      "in "
      "time | half width of ln N | draws lost, % |\n| --- | ---: | ---: | ---: | ---: | ---: | "
      "---: | "
      "---: | ---: |\n");
  const std::string_view words = argc > 3 ? argv[3] : "";
  for (const Design& design : kDesigns) {
    if (std::string_view(design.name).find(words) == std::string_view::npos) continue;
    simulate(design, simulations, seed);
  }
}
