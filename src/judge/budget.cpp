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

bool has_limit_of_time(const BudgetOptions& options) {
  for (std::size_t k = 0; k < kBudgetLimits; ++k) {
    if (options.limits[k] && needs_time(static_cast<BudgetLimit>(k))) return true;
  }
  return false;
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

/// Draws of all laws: their optima, and the laws as one run meets them.
struct DrawnPlans {
  std::vector<double> n;
  std::vector<double> d;
  std::vector<double> gpus;
  std::vector<LawValues> runs;
};

DrawnPlans draw_plans(const Planner& planner, const LawDraws& laws, const BudgetOptions& options,
                      std::uint64_t stream, int threads) {
  constexpr std::size_t kBlock = 50;  ///< Draws that share a random stream.
  DrawnPlans drawn;
  if (!laws.possible()) return drawn;
  std::vector<std::optional<BestPlace>> places(options.draws);
  drawn.runs.resize(options.draws);
  parallel_for(threads, (places.size() + kBlock - 1) / kBlock, [&](std::size_t block, int) {
    RandomStream random(options.seed, stream, block);
    for (std::size_t i = block * kBlock; i < std::min(places.size(), (block + 1) * kBlock); ++i) {
      const LawDraws::Drawn values = laws.draw(random);
      places[i] = planner.best(values.laws, options);
      drawn.runs[i] = values.run;
    }
  });
  for (const auto& place : places) {
    if (!place) continue;
    drawn.n.push_back(std::exp(place->log_n));
    drawn.d.push_back(std::exp(place->log_d));
    drawn.gpus.push_back(std::exp(place->log_gpus));
  }
  return drawn;
}

/// What runs of a plan take, one for each draw.
std::vector<BudgetPlan> runs_of(const BudgetPlan& plan, const DrawnPlans& drawn,
                                const BudgetLaws& laws, const BudgetOptions& options) {
  const BestPlace place{std::log(plan.n), std::log(plan.d), std::log(*plan.gpus), plan.loss};
  std::vector<BudgetPlan> runs;
  for (const LawValues& values : drawn.runs) {
    runs.push_back(plan_at(values, laws, options, place));
  }
  return runs;
}

Interval interval_of(const std::vector<double>& values, double confidence) {
  const std::array ends{(1 - confidence) / 2, (1 + confidence) / 2};
  const auto found = quantiles_of(values, ends);
  return {found[0], found[1]};
}

void fill_intervals(Budget& budget, const DrawnPlans& drawn, const BudgetOptions& options) {
  constexpr double kMostLost = 0.5;
  if (drawn.runs.empty()) return;
  const auto all = static_cast<double>(drawn.runs.size());
  budget.lost_draws = 1 - static_cast<double>(drawn.n.size()) / all;
  const auto& time = budget.laws.gpu_seconds;
  if (time && time->dof > 0) {
    std::vector<double> seconds;
    for (const BudgetPlan& run : runs_of(budget.plan, drawn, budget.laws, options)) {
      seconds.push_back(*run.seconds);
    }
    budget.seconds_pi = interval_of(seconds, options.confidence);
  }
  if (budget.lost_draws > kMostLost) return;
  budget.n_ci = interval_of(drawn.n, options.confidence);
  budget.d_ci = interval_of(drawn.d, options.confidence);
  if (budget.plan.gpus) budget.gpus_ci = interval_of(drawn.gpus, options.confidence);
}

/// By how much runs of a plan exceed the limits that they can miss: 1.1 of a run that takes 10 %
/// more than is allowed of one of them.
std::vector<double> excesses_of(const BudgetPlan& plan, const DrawnPlans& drawn,
                                const BudgetLaws& laws, const BudgetOptions& options) {
  std::vector<double> excesses;
  for (const BudgetPlan& run : runs_of(plan, drawn, laws, options)) {
    double excess = 0;
    for (std::size_t k = 0; k < kBudgetLimits; ++k) {
      const auto limit = static_cast<BudgetLimit>(k);
      if (!options.limits[k] || !needs_time(limit)) continue;
      excess = std::max(excess, *run.taken(limit) / *options.limits[k]);
    }
    excesses.push_back(excess);
  }
  return excesses;
}

/// How many runs of the plan miss a limit, and the plan whose runs rarely do. That takes less of
/// each such limit, by the factor that the quantile of its runs exceeds them; it is found in steps,
/// because runs of smaller plans scatter a little differently. Beyond the measured GPUs no plan is
/// safe if the law of the time is a mere power: the time may bend there, of which draws of it know
/// nothing.
void fill_safe_plan(Budget& budget, const Planner& planner, const LawValues& values,
                    const DrawnPlans& drawn, const BudgetOptions& options) {
  constexpr double kRounding = 1e-6;
  constexpr double kClose = 1e-4;
  constexpr int kMostSteps = 10;
  const auto& time = budget.laws.gpu_seconds;
  if (drawn.runs.empty() || !time || !(time->dof > 0) || !has_limit_of_time(options)) return;
  std::vector<double> excesses = excesses_of(budget.plan, drawn, budget.laws, options);
  const auto over =
      std::ranges::count_if(excesses, [](double excess) { return excess > 1 + kRounding; });
  budget.over_limits = static_cast<double>(over) / static_cast<double>(excesses.size());
  const bool may_bend = budget.gpus_beyond > 1 && !time->beyond;
  if (*budget.over_limits <= 1 - options.confidence || may_bend) return;
  BudgetOptions tighter = options;
  for (int step = 0; step < kMostSteps; ++step) {
    const double excess = quantiles_of(excesses, std::array{options.confidence}).front();
    if (budget.safe && excess <= 1 + kClose) return;
    for (std::size_t k = 0; k < kBudgetLimits; ++k) {
      if (tighter.limits[k] && needs_time(static_cast<BudgetLimit>(k))) {
        *tighter.limits[k] /= excess;
      }
    }
    const auto place = planner.best_whole(values, tighter);
    if (!place) break;
    budget.safe = plan_at(values, budget.laws, options, *place);
    excesses = excesses_of(*budget.safe, drawn, budget.laws, options);
  }
  budget.safe.reset();  // Steps of whole nodes, or laws that no plan can rest on.
}

/// The best plan without repeated tokens, where the plan repeats some and its law takes them for
/// fresh ones: the truth lies between both.
void fill_one_epoch(Budget& budget, const Planner& planner, const LawValues& values,
                    const BudgetOptions& options) {
  if (values.repeats || !(budget.plan.epochs.value_or(1) > 1)) return;
  BudgetOptions fresh = options;
  fresh.most_tokens = options.unique_tokens;
  const auto place = planner.best_whole(values, fresh);
  if (place) budget.one_epoch = plan_at(values, budget.laws, options, *place);
}

/// How the best place moves along the directions of each law, per standard error.
struct PlaceSlopes {
  std::array<std::vector<double>, LawDraws::kLaws> log_n;
  std::array<std::vector<double>, LawDraws::kLaws> loss;
};

/// Empty if a law nearby has no best place.
std::optional<PlaceSlopes> slopes_of(const Planner& planner, const LawDraws& draws,
                                     const BudgetOptions& options) {
  constexpr double kStep = 0.01;  ///< In standard errors.
  if (!draws.possible()) return std::nullopt;
  PlaceSlopes slopes;
  for (std::size_t law = 0; law < LawDraws::kLaws; ++law) {
    for (std::size_t i = 0; i < draws.directions(law); ++i) {
      const auto up = planner.best(draws.moved(law, i, kStep), options);
      const auto down = planner.best(draws.moved(law, i, -kStep), options);
      if (!up || !down) return std::nullopt;
      slopes.log_n.at(law).push_back((up->log_n - down->log_n) / (2 * kStep));
      slopes.loss.at(law).push_back((up->loss - down->loss) / (2 * kStep));
    }
  }
  return slopes;
}

/// Draws of time and power have the degrees of freedom of the plan's. Those of the loss lie between
/// these of the best n and the least of all parameters, at their geometric mean: the former take
/// errors inside a run for independent and are too many where these are shared, and the latter, as
/// of an exponent that few sizes tell, too few where they are not (docs/explanation/budget.md).
void take_dofs(LawDraws& draws, const PlaceSlopes& slopes, const BudgetLaws& laws,
               const BudgetPlan& plan) {
  draws.set_dof(0, std::sqrt(draws.dof(0) * draws.dof_along(0, slopes.log_n[0])));
  if (!plan.gpus) return;
  const double log_n = std::log(plan.n);
  const double log_gpus = std::log(*plan.gpus);
  if (laws.gpu_seconds) draws.set_dof(1, laws.gpu_seconds->dof_at(log_n, log_gpus));
  const auto& power = laws.energy_law();
  if (power) draws.set_dof(2, power->dof_at(log_n, log_gpus));
}

/// The variance of the least loss over the laws of the time beyond the most GPUs.
double variance_beyond(const Planner& planner, const LawDraws& draws, const BudgetLaws& laws,
                       const BudgetOptions& options) {
  if (!laws.gpu_seconds || !laws.gpu_seconds->beyond) return 0;
  double weight = 0;
  double sum = 0;
  double squares = 0;
  for (const MixturePart& law : laws.gpu_seconds->beyond->parts) {
    const auto place = planner.best(draws.with_one_beyond(law), options);
    if (!place) continue;
    weight += law.weight;
    sum += law.weight * place->loss;
    squares += law.weight * place->loss * place->loss;
  }
  return weight > 0 ? std::max(0.0, squares / weight - std::pow(sum / weight, 2)) : 0;
}

/// The least loss by the delta method: draws of a loss lie above it on average, because it is a
/// convex function of exponents, and the estimates do not. Student's t has Satterthwaite's degrees
/// of freedom.
void fill_loss_intervals(Budget& budget, const Planner& planner, const PlaceSlopes& slopes,
                         const LawDraws& draws, const BudgetOptions& options) {
  double variance = 0;
  double over_dof = 0;
  for (std::size_t law = 0; law < LawDraws::kLaws; ++law) {
    const std::vector<double>& along = slopes.loss.at(law);
    double of_law = 0;
    for (const double slope : along) of_law += slope * slope;
    if (of_law > 0) over_dof += of_law * of_law / draws.dof(law);
    variance += of_law;
  }
  if (!(over_dof > 0)) return;
  variance += variance_beyond(planner, draws, budget.laws, options);
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

/// What 10 % more of limits buy.
class Gains {
 public:
  Gains(const Planner& planner, const LawValues& values, const BudgetOptions& options,
        const BestPlace& plan)
      : planner_(planner), values_(values), options_(options), loss_(plan.loss) {}

  /// How much lower the loss is with these limits wider; 0 where only rounding is left.
  double of(const std::vector<BudgetLimit>& limits) const {
    BudgetOptions wider = options_;
    for (const BudgetLimit limit : limits) *wider.limit(limit) *= kWider;
    const auto better = planner_.best(values_, wider);
    const double gain = better ? loss_ - better->loss : 0;
    constexpr double kRounding = 1e-12;
    return gain > kRounding * loss_ ? gain : 0;
  }

 private:
  const Planner& planner_;
  const LawValues& values_;
  const BudgetOptions& options_;
  double loss_;
};

/// The limits of which a place takes all.
std::vector<BudgetLimit> limits_met(const BudgetPlan& plan, const BudgetOptions& options) {
  constexpr double kMet = 1 - 1e-6;
  std::vector<BudgetLimit> met;
  for (std::size_t k = 0; k < kBudgetLimits; ++k) {
    const auto limit = static_cast<BudgetLimit>(k);
    const auto taken = plan.taken(limit);
    if (options.limits[k] && taken && *taken >= kMet * *options.limits[k]) met.push_back(limit);
  }
  return met;
}

/// A limit binds if the plan takes all of it, and 10 % more of all such limits buys less without
/// it. So two limits that each hold the plan where it is both bind, though more of one buys
/// nothing.
void fill_gains(Budget& budget, const Planner& planner, const LawValues& values,
                const BudgetOptions& options) {
  const auto plan = planner.best(values, options);
  if (!plan) return;
  const Gains gains(planner, values, options, *plan);
  const std::vector<BudgetLimit> met =
      limits_met(plan_at(values, budget.laws, options, *plan), options);
  const double together = gains.of(met);
  std::size_t binding = 0;
  for (std::size_t k = 0; k < kBudgetLimits; ++k) {
    if (!options.limits[k]) continue;
    BudgetGain& gain = budget.gains.emplace_back(
        BudgetGain{static_cast<BudgetLimit>(k), *options.limits[k], 0, false});
    gain.gain = gains.of({gain.limit});
    std::vector<BudgetLimit> others = met;
    std::erase(others, gain.limit);
    constexpr double kLess = 1 - 1e-6;
    gain.binds = others.size() < met.size() && gains.of(others) < kLess * together;
    binding += gain.binds ? 1 : 0;
  }
  if (binding > 1) budget.gain_together = together;
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
  if (!has_limit_of_time(options)) return add(BudgetLimit::kFlop, plan.flop);
  if (plan.seconds) add(BudgetLimit::kDeadline, *plan.seconds);
  if (plan.kwh) return add(BudgetLimit::kKwh, *plan.kwh);
  if (plan.gpu_hours) return add(BudgetLimit::kGpuHours, *plan.gpu_hours);
}

double times_beyond(double value, const Interval& range) {
  constexpr double kRounding = 1e-9;
  if (!(range.upper > 0)) return 1;
  if (value > range.upper * (1 + kRounding)) return value / range.upper;
  return value < range.lower * (1 - kRounding) ? value / range.lower : 1;
}

void fill_warnings(Budget& budget, const BudgetOptions& options) {
  constexpr double kTogether = 0.9;
  constexpr double kMisfit = 0.01;
  const auto warn_if = [&](bool holds, PlanWarning warning) {
    if (holds) budget.warnings.push_back(warning);
  };
  const auto& ranges = budget.laws.loss.surface->x_range;
  const auto& watts = budget.laws.watts;
  budget.n_beyond = times_beyond(budget.plan.n, ranges[0]);
  budget.d_beyond = times_beyond(budget.plan.d, ranges[1]);
  warn_if(budget.n_beyond != 1, PlanWarning::kParametersBeyond);
  warn_if(budget.d_beyond != 1, PlanWarning::kTokensBeyond);
  warn_if(budget.one_epoch.has_value(), PlanWarning::kTokensRepeated);
  if (budget.laws.most_epochs && budget.plan.epochs) {
    budget.epochs_beyond = times_beyond(*budget.plan.epochs, {1, *budget.laws.most_epochs});
    warn_if(budget.epochs_beyond > 1, PlanWarning::kEpochsBeyond);
  }
  if (const auto& law = budget.laws.gpu_seconds) {
    warn_if(budget.gpus_beyond != 1, PlanWarning::kGpusBeyond);
    warn_if(has_limit_of_time(options) && !options.limit(BudgetLimit::kDeadline),
            PlanWarning::kNoDeadline);
    warn_if(law->points > 0 && !law->n_exponent.se, PlanWarning::kAssumedParameters);
    warn_if(law->points > 0 && !law->gpu_exponent.se, PlanWarning::kAssumedGpus);
    warn_if(!law->confounded && std::abs(law->correlation.value_or(0)) > kTogether,
            PlanWarning::kTogether);
    warn_if(law->confounded, PlanWarning::kConfounded);
    warn_if(law->misfit_p.value_or(1) < kMisfit, PlanWarning::kMisfit);
    warn_if(law->left_out + (watts ? watts->left_out : 0) > 0, PlanWarning::kGpusMissing);
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
  const bool has_energy = laws.has_energy();
  needs(BudgetLimit::kDeadline, has_time);
  needs(BudgetLimit::kGpuHours, has_time);
  needs(BudgetLimit::kKwh, has_energy);
  needs(BudgetLimit::kCo2, has_energy && options.footprint.carbon_intensity);
  needs(BudgetLimit::kCost, (has_time && options.gpu_price) || options.footprint.price);
  needs(BudgetLimit::kCost, has_energy || !options.footprint.price);
  const std::size_t parameters = laws.loss.law->inputs() == 3 ? 7 : 5;
  if (laws.loss.parameters.size() != parameters || !laws.loss.surface) {
    throw std::invalid_argument("plan_budget: the loss is no law of parameters and tokens");
  }
}

/// The options with a limit of GPUs in whole steps, where the time is known.
/// @throws FitError if a limit needs the time, and nothing tells how many GPUs there are.
BudgetOptions with_gpus(BudgetLaws& laws, BudgetOptions options) {
  auto& most_gpus = options.limit(BudgetLimit::kGpus);
  if (laws.gpu_seconds && !most_gpus && !(laws.gpu_seconds->gpu_range.upper > 0)) {
    if (has_limit_of_time(options)) {
      throw FitError(FailureCode::kTooFewPoints,
                     "nothing tells how many GPUs there are: say it with --gpus");
    }
    laws.gpu_seconds.reset();
  }
  if (laws.gpu_seconds && !most_gpus) most_gpus = laws.gpu_seconds->gpu_range.upper;
  // Plans inside the data need no law beyond it.
  if (laws.gpu_seconds && *most_gpus <= laws.gpu_seconds->gpu_range.upper) {
    laws.gpu_seconds->beyond.reset();
  }
  constexpr double kRounding = 1e-9;  // The most GPUs of runs come from logarithms.
  if (most_gpus && *most_gpus >= options.gpu_step * (1 - kRounding)) {  // Only whole nodes count.
    most_gpus = std::floor(*most_gpus / options.gpu_step * (1 + kRounding)) * options.gpu_step;
  }
  return options;
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

std::span<const CodeHelp> plan_codes() {
  static constexpr std::array kCodes{
      CodeHelp{"parameters-beyond", "the plan has more or fewer parameters than any run",
               "The law of the loss is asked beyond the sizes from which it was fitted.",
               "Run a model of a size in between before you spend the budget."},
      CodeHelp{"tokens-beyond", "the plan takes more or fewer tokens than any run",
               "The law of the loss is asked beyond the tokens from which it was fitted.",
               "Train one model for longer before you spend the budget."},
      CodeHelp{"gpus-beyond", "the plan takes more or fewer GPUs than any run",
               "The law of the time is asked beyond the GPUs from which it was fitted.",
               "Time a few steps at that number of GPUs."},
      CodeHelp{"no-deadline", "nothing limits the time",
               "Without a limit of time the fewest GPUs are best, because more of them waste more.",
               "--days or --deadline says when the model has to be ready."},
      CodeHelp{"assumed-parameters", "the time of a token is assumed to grow as the parameters",
               "All timed runs have one size, so that the law of the time lacks the effect of it.",
               "Time a step of another size."},
      CodeHelp{"assumed-gpus", "the time is assumed to fall in proportion to the GPUs",
               "All timed runs had one number of GPUs, so that nothing tells what more of them do.",
               "Time a step at another number of GPUs."},
      CodeHelp{"together", "larger models ran on more GPUs",
               "The effects of size and GPUs on the time can hardly be told apart.",
               "Time one size at several numbers of GPUs."},
      CodeHelp{"confounded", "every size ran on one number of GPUs",
               "The effects of size and GPUs on the time cannot be told apart without an "
               "assumption.",
               "Time one size at two numbers of GPUs."},
      CodeHelp{"misfit", "the times bend away from their law",
               "An F test of squares and products of the logarithms rejects the law of the time (p "
               "below 0.01), so that the time of the plan may be off by more than its interval.",
               "Keep the runs that are like the plan with --where."},
      CodeHelp{"gpus-missing", "rows without a number of GPUs are left out of a law",
               "Only runs with a number of GPUs tell what a number of GPUs does.",
               "Fill the column, or --gpus-column names another one."},
      CodeHelp{"tokens-repeated", "the plan sees tokens again, and its law counts them as fresh",
               "There are fewer different tokens than the plan takes, so that its loss will be "
               "higher than the law says.",
               "--law data-constrained knows what repeated tokens are worth."},
      CodeHelp{"epochs-beyond", "the plan sees its tokens more often than any run",
               "The law of repeated tokens is asked beyond the epochs from which it was fitted.",
               "Get more tokens, or run a small model for as many epochs."},
      CodeHelp{"no-intervals", "some numbers have no interval",
               "A law has no errors, or some draws of the laws have no best size.",
               "More runs, at more sizes and tokens, tell the laws apart from their errors."}};
  return kCodes;
}

std::string_view name_of(PlanWarning warning) {
  return plan_codes()[static_cast<std::size_t>(warning)].code;
}

std::optional<double> BudgetPlan::taken(BudgetLimit limit) const {
  const std::array<std::optional<double>, kBudgetLimits> all{seconds, gpus,   gpu_hours, kwh,
                                                             cost,    co2_kg, flop};
  return all[static_cast<std::size_t>(limit)];
}

Budget plan_budget(BudgetLaws laws, const BudgetOptions& asked, std::uint64_t stream, int threads) {
  check_limits(laws, asked);
  const BudgetOptions options = with_gpus(laws, asked);
  Budget budget{.laws = std::move(laws), .plan = {}, .gains = {}, .frontier = {}, .warnings = {}};
  const Planner planner(budget.laws, options);
  const LawValues values = estimates_of(budget.laws, options);
  budget.plan = planner.plan(values, options);
  if (const auto& law = budget.laws.gpu_seconds) {
    budget.gpus_beyond = times_beyond(*budget.plan.gpus, law->gpu_range);
  }
  LawDraws draws(budget.laws, values, has_limit_of_time(options));
  const auto slopes = slopes_of(planner, draws, options);
  if (slopes) fill_loss_intervals(budget, planner, *slopes, draws, options);
  if (slopes) take_dofs(draws, *slopes, budget.laws, budget.plan);
  const DrawnPlans drawn = draw_plans(planner, draws, options, stream, threads);
  fill_intervals(budget, drawn, options);
  fill_safe_plan(budget, planner, values, drawn, options);
  fill_one_epoch(budget, planner, values, options);
  fill_gains(budget, planner, values, options);
  fill_frontier(budget, planner, values, options);
  fill_warnings(budget, options);
  return budget;
}

}  // namespace scalelaw
