// The plan of least loss within limits: its intervals, what the limits cost, and the frontier.

#include "scalelaw/judge/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "judge/budget_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/quantiles.hpp"

namespace scalelaw {
namespace {

constexpr double kWider = 1.1;          ///< A limit that is relaxed by 10 %.
constexpr double kSearchedSizes = 1e6;  ///< Times the least and the greatest n of the runs.

BudgetOptions limited_only(const BudgetOptions& options, BudgetLimit limit, double amount) {
  BudgetOptions out = options;
  out.limits = {};
  out.limit(limit) = amount;
  out.limit(BudgetLimit::kGpus) = options.limit(BudgetLimit::kGpus);
  return out;
}

/// What searches have in common.
class Planner {
 public:
  Planner(const BudgetLaws& laws, const BudgetOptions& options) : laws_(laws), options_(options) {
    const Interval& sizes = laws.loss.surface->x_range[0];
    log_n_ = {std::log(sizes.lower / kSearchedSizes), std::log(sizes.upper * kSearchedSizes)};
  }

  /// ln of the fewest and the most GPUs.
  Interval log_gpus(const BudgetOptions& options) const {
    if (!laws_.gpu_seconds) return {0, 0};
    const Interval& measured = laws_.gpu_seconds->gpu_range;
    const double most = *options.limit(BudgetLimit::kGpus);
    const double fewest = measured.lower > 0 ? measured.lower : options.gpu_step;
    return {std::log(std::min(fewest, most)), std::log(most)};
  }

  std::optional<BestPlace> best(const LawValues& values, const BudgetOptions& options) const {
    return best_place(values, options, log_n_, log_gpus(options));
  }

  /// The same with whole GPUs: of both neighbours of the best number, the better one.
  std::optional<BestPlace> best_whole(const LawValues& values, const BudgetOptions& options) const {
    const auto best = this->best(values, options);
    if (!best || !laws_.gpu_seconds) return best;
    const double step = options.gpu_step;
    const Interval range = log_gpus(options);
    const double steps = std::exp(best->log_gpus) / step;
    constexpr double kRounding = 1e-6;
    std::optional<BestPlace> out;
    for (const double whole : {std::floor(steps + kRounding), std::ceil(steps - kRounding)}) {
      const double gpus = std::log(std::max(1.0, whole) * step);
      if (whole > steps && gpus > range.upper + kRounding) continue;
      const auto place = best_place(values, options, log_n_, {gpus, gpus});
      if (place && (!out || place->loss < out->loss)) out = place;
    }
    return out;
  }

  /// @throws FitError if there is none.
  BudgetPlan plan(const LawValues& values, const BudgetOptions& options) const {
    const auto place = best_whole(values, options);
    if (!place) throw FitError(FailureCode::kNotIdentifiable, why_none(values));
    return plan_at(values, laws_, options, *place);
  }

 private:
  std::string why_none(const LawValues& values) const {
    if (!(values.alpha > 0 && values.beta > 0)) {
      return "an exponent of the loss is not positive, so that no size is the best";
    }
    if (laws_.gpu_seconds && !(laws_.gpu_seconds->n_exponent.estimate > 0)) {
      return fmt::format(
          "no size is the best: by these runs the time of a token does not grow with the number "
          "of parameters (exponent {:.3g})",
          laws_.gpu_seconds->n_exponent.estimate);
    }
    return "no size is the best within the limits";
  }

  const BudgetLaws& laws_;
  const BudgetOptions& options_;
  Interval log_n_{};
};

/// The optima of all draws, and the time of the plan in them.
struct DrawnPlans {
  std::vector<double> n;
  std::vector<double> d;
  std::vector<double> gpus;
  std::vector<double> seconds;
};

DrawnPlans draw_plans(const Planner& planner, const BudgetLaws& laws, const LawDraws& laws_of_draws,
                      const BudgetPlan& plan, const BudgetOptions& options, std::uint64_t stream,
                      int threads) {
  constexpr std::size_t kBlock = 50;  ///< Draws that share a random stream.
  DrawnPlans drawn;
  if (!laws_of_draws.possible()) return drawn;
  struct One {
    std::optional<BestPlace> place;
    double seconds = 0;
  };
  std::vector<One> all(options.draws);
  parallel_for(threads, (all.size() + kBlock - 1) / kBlock, [&](std::size_t block, int) {
    RandomStream random(options.seed, stream, block);
    for (std::size_t i = block * kBlock; i < std::min(all.size(), (block + 1) * kBlock); ++i) {
      const LawValues values = laws_of_draws.draw(random);
      all[i].place = planner.best(values, options);
      if (!plan.gpus) continue;
      const BestPlace same{std::log(plan.n), std::log(plan.d), std::log(*plan.gpus), plan.loss};
      all[i].seconds = *plan_at(values, laws, options, same).seconds * std::exp(values.run);
    }
  });
  for (const One& one : all) {
    drawn.seconds.push_back(one.seconds);
    if (!one.place) continue;
    drawn.n.push_back(std::exp(one.place->log_n));
    drawn.d.push_back(std::exp(one.place->log_d));
    drawn.gpus.push_back(std::exp(one.place->log_gpus));
  }
  return drawn;
}

void fill_intervals(Budget& budget, const DrawnPlans& drawn, const BudgetOptions& options) {
  constexpr double kMostLost = 0.5;
  if (drawn.seconds.empty()) return;
  const std::array ends{(1 - options.confidence) / 2, (1 + options.confidence) / 2};
  const auto interval_of = [&](const std::vector<double>& values) {
    const auto found = quantiles_of(values, ends);
    return Interval{found[0], found[1]};
  };
  const auto all = static_cast<double>(drawn.seconds.size());
  budget.lost_draws = 1 - static_cast<double>(drawn.n.size()) / all;
  const auto& time = budget.laws.gpu_seconds;
  if (time && time->points > 0) budget.seconds_pi = interval_of(drawn.seconds);
  if (budget.lost_draws > kMostLost) return;
  budget.n_ci = interval_of(drawn.n);
  budget.d_ci = interval_of(drawn.d);
  if (budget.plan.gpus) budget.gpus_ci = interval_of(drawn.gpus);
}

/// The least loss by the delta method: draws of a loss lie above it on average, because it is a
/// convex function of exponents, and the estimates do not. Student's t has Satterthwaite's degrees
/// of freedom.
void fill_loss_intervals(Budget& budget, const Planner& planner, const LawDraws& draws,
                         const BudgetOptions& options) {
  constexpr double kStep = 0.01;  ///< In standard errors.
  if (!draws.possible()) return;
  double variance = 0;
  double over_dof = 0;
  for (std::size_t law = 0; law < LawDraws::kLaws; ++law) {
    double of_law = 0;
    for (std::size_t i = 0; i < draws.directions(law); ++i) {
      const auto up = planner.best(draws.moved(law, i, kStep), options);
      const auto down = planner.best(draws.moved(law, i, -kStep), options);
      if (!up || !down) return;
      of_law += std::pow((up->loss - down->loss) / (2 * kStep), 2);
    }
    if (of_law > 0) over_dof += of_law * of_law / draws.dof(law);
    variance += of_law;
  }
  if (!(over_dof > 0)) return;
  const double factor = student_t_factor(options.confidence, variance * variance / over_dof);
  const double loss = budget.plan.loss;
  const double reach = factor * std::sqrt(variance);
  budget.loss_ci = Interval{loss - reach, loss + reach};
  const Fit& law = budget.laws.loss;
  if (!law.sigma) return;
  const double scatter = *law.sigma * (law.scale == Scale::kLog ? loss : 1);
  const double of_run = factor * std::hypot(std::sqrt(variance), scatter);
  budget.loss_pi = Interval{loss - of_run, loss + of_run};
}

void fill_gains(Budget& budget, const Planner& planner, const LawValues& values,
                const BudgetOptions& options) {
  const auto plan = planner.best(values, options);
  for (std::size_t k = 0; k < kBudgetLimits; ++k) {
    if (!options.limits[k] || !plan) continue;
    BudgetOptions wider = options;
    *wider.limits[k] *= kWider;
    const auto better = planner.best(values, wider);
    const double gain = better ? plan->loss - better->loss : 0;
    constexpr double kRounding = 1e-12;
    budget.gains.push_back({static_cast<BudgetLimit>(k), *options.limits[k],
                            gain > kRounding * plan->loss ? gain : 0});
  }
}

/// Least losses as one quantity grows and no other is limited but the GPUs.
void add_frontier(Budget& budget, const Planner& planner, const LawValues& values,
                  const BudgetOptions& options, BudgetLimit limit, double amount) {
  for (const double factor : options.frontier) {
    const BudgetOptions along = limited_only(options, limit, factor * amount);
    const auto place = planner.best_whole(values, along);
    if (place) budget.frontier.emplace_back(limit, plan_at(values, budget.laws, along, *place));
  }
}

void fill_frontier(Budget& budget, const Planner& planner, const LawValues& values,
                   const BudgetOptions& options) {
  const BudgetPlan& plan = budget.plan;
  const auto add = [&](BudgetLimit limit, double amount) {
    add_frontier(budget, planner, values, options, limit, amount);
  };
  if (plan.seconds) add(BudgetLimit::kDeadline, *plan.seconds);
  if (plan.kwh) return add(BudgetLimit::kKwh, *plan.kwh);
  if (plan.gpu_hours) return add(BudgetLimit::kGpuHours, *plan.gpu_hours);
  add(BudgetLimit::kFlop, plan.flop);
}

double times_beyond(double value, const Interval& range) {
  constexpr double kRounding = 1e-9;
  if (!(range.upper > 0)) return 1;
  if (value > range.upper * (1 + kRounding)) return value / range.upper;
  return value < range.lower * (1 - kRounding) ? value / range.lower : 1;
}

void fill_warnings(Budget& budget, const BudgetOptions& options) {
  constexpr double kTogether = 0.9;
  const auto warn_if = [&](bool holds, PlanWarning warning) {
    if (holds) budget.warnings.push_back(warning);
  };
  const auto& ranges = budget.laws.loss.surface->x_range;
  budget.n_beyond = times_beyond(budget.plan.n, ranges[0]);
  budget.d_beyond = times_beyond(budget.plan.d, ranges[1]);
  warn_if(budget.n_beyond != 1, PlanWarning::kParametersBeyond);
  warn_if(budget.d_beyond != 1, PlanWarning::kTokensBeyond);
  if (const auto& law = budget.laws.gpu_seconds) {
    budget.gpus_beyond = times_beyond(*budget.plan.gpus, law->gpu_range);
    warn_if(budget.gpus_beyond != 1, PlanWarning::kGpusBeyond);
    warn_if(!options.limit(BudgetLimit::kDeadline), PlanWarning::kNoDeadline);
    warn_if(law->points > 0 && !law->n_exponent.se, PlanWarning::kAssumedParameters);
    warn_if(law->points > 0 && !law->gpu_exponent.se, PlanWarning::kAssumedGpus);
    warn_if(std::abs(law->correlation.value_or(0)) > kTogether, PlanWarning::kTogether);
  }
  warn_if(!budget.n_ci || budget.lost_draws > (1 - options.confidence) / 2,
          PlanWarning::kNoIntervals);
}

void check_limits(const BudgetLaws& laws, const BudgetOptions& options) {
  const auto needs = [&](BudgetLimit limit, bool known) {
    if (options.limit(limit) && !known) {
      throw std::invalid_argument(
          fmt::format("plan_budget: no law or price for {}", name_of(limit)));
    }
  };
  const bool has_time = laws.gpu_seconds.has_value();
  const bool has_energy = has_time && laws.watts.has_value();
  if (has_time && !options.limit(BudgetLimit::kGpus) && !(laws.gpu_seconds->gpu_range.upper > 0)) {
    throw std::invalid_argument("plan_budget: nothing tells how many GPUs there are");
  }
  needs(BudgetLimit::kDeadline, has_time);
  needs(BudgetLimit::kGpuHours, has_time);
  needs(BudgetLimit::kKwh, has_energy);
  needs(BudgetLimit::kCo2, has_energy && options.footprint.carbon_intensity);
  needs(BudgetLimit::kCost, (has_time && options.gpu_price) || options.footprint.price);
  needs(BudgetLimit::kCost, has_energy || !options.footprint.price);
  if (laws.loss.parameters.size() != 5 || !laws.loss.surface) {
    throw std::invalid_argument("plan_budget: the loss is no law of two x");
  }
}

}  // namespace

std::string_view name_of(BudgetLimit limit) {
  return word_for(limit, {{BudgetLimit::kDeadline, "deadline"},
                          {BudgetLimit::kGpus, "gpus"},
                          {BudgetLimit::kGpuHours, "gpu_hours"},
                          {BudgetLimit::kKwh, "kwh"},
                          {BudgetLimit::kCost, "cost"},
                          {BudgetLimit::kCo2, "co2_kg"},
                          {BudgetLimit::kFlop, "flop"}});
}

std::string_view name_of(PlanWarning warning) {
  return word_for(warning, {{PlanWarning::kParametersBeyond, "parameters-beyond"},
                            {PlanWarning::kTokensBeyond, "tokens-beyond"},
                            {PlanWarning::kGpusBeyond, "gpus-beyond"},
                            {PlanWarning::kNoDeadline, "no-deadline"},
                            {PlanWarning::kAssumedParameters, "assumed-parameters"},
                            {PlanWarning::kAssumedGpus, "assumed-gpus"},
                            {PlanWarning::kTogether, "together"},
                            {PlanWarning::kNoIntervals, "no-intervals"}});
}

const BudgetGain* Budget::binding() const {
  const auto most =
      std::max_element(gains.begin(), gains.end(),
                       [](const BudgetGain& a, const BudgetGain& b) { return a.gain < b.gain; });
  return most == gains.end() || !(most->gain > 0) ? nullptr : &*most;
}

Budget plan_budget(BudgetLaws laws, const BudgetOptions& asked, std::uint64_t stream, int threads) {
  check_limits(laws, asked);
  BudgetOptions options = asked;
  auto& most_gpus = options.limit(BudgetLimit::kGpus);
  if (laws.gpu_seconds && !most_gpus) most_gpus = laws.gpu_seconds->gpu_range.upper;
  if (most_gpus && *most_gpus >= options.gpu_step) {  // Only whole nodes are of use.
    most_gpus = std::floor(*most_gpus / options.gpu_step) * options.gpu_step;
  }
  Budget budget{.laws = std::move(laws), .plan = {}, .gains = {}, .frontier = {}, .warnings = {}};
  const Planner planner(budget.laws, options);
  const LawValues values = estimates_of(budget.laws);
  budget.plan = planner.plan(values, options);
  const LawDraws draws(budget.laws);
  fill_intervals(budget,
                 draw_plans(planner, budget.laws, draws, budget.plan, options, stream, threads),
                 options);
  fill_loss_intervals(budget, planner, draws, options);
  fill_gains(budget, planner, values, options);
  fill_frontier(budget, planner, values, options);
  fill_warnings(budget, options);
  return budget;
}

}  // namespace scalelaw
