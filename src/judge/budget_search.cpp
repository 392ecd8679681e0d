// The place of least loss that limits allow.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "judge/budget_parts.hpp"
#include "scalelaw/base/duration.hpp"

namespace scalelaw {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();
constexpr double kServedFlop = 2;  ///< Per parameter and token that is served.

/// What a limited quantity is proportional to.
enum class Drained { kTime, kEnergy, kNeither };

/// A part of what a token takes of a limited quantity: a factor times powers of n and g, times its
/// GPU-seconds or joules.
struct DrainTerm {
  double factor = 1;
  Drained of = Drained::kTime;
  double n = 0;
  double gpus = 0;
};

/// What a token takes of a limited quantity: the sum of its terms.
struct Drain {
  double log_limit;
  bool with_served = true;  ///< What is served later counts, too.
  std::vector<DrainTerm> terms = {};
};

std::vector<DrainTerm> terms_of(BudgetLimit limit, const BudgetOptions& options) {
  const double kwh = options.footprint.kwh(1);
  std::vector<DrainTerm> cost;
  switch (limit) {
    case BudgetLimit::kDeadline:
      return {{.gpus = -1}};  // GPU-seconds are spread over the GPUs.
    case BudgetLimit::kGpuHours:
      return {{.factor = 1 / kSecondsPerHour}};
    case BudgetLimit::kKwh:
      return {{.factor = kwh, .of = Drained::kEnergy}};
    case BudgetLimit::kCo2:
      return {{.factor = kwh * *options.footprint.carbon_intensity / 1000, .of = Drained::kEnergy}};
    case BudgetLimit::kCost:
      if (options.gpu_price) cost.push_back({.factor = *options.gpu_price / kSecondsPerHour});
      if (options.footprint.price) {
        cost.push_back({.factor = kwh * *options.footprint.price, .of = Drained::kEnergy});
      }
      return cost;
    case BudgetLimit::kFlop:
      return {{.factor = options.flops_per_parameter_token, .of = Drained::kNeither, .n = 1}};
    case BudgetLimit::kGpus:
      break;
  }
  return {};
}

/// Tokens of training that take as much as what is served.
double served_tokens(const BudgetOptions& options) {
  return kServedFlop * options.inference_tokens / options.flops_per_parameter_token;
}

/// The most tokens that limits allow, as ln d.
class MostTokens {
 public:
  MostTokens(const LawValues& values, const BudgetOptions& options)
      : values_(values), served_(served_tokens(options)) {
    if (options.most_tokens) log_most_ = std::log(*options.most_tokens);
    for (std::size_t k = 0; k < kBudgetLimits; ++k) {
      const auto limit = static_cast<BudgetLimit>(k);
      if (limit == BudgetLimit::kGpus || !options.limits[k]) continue;
      drains_.push_back({.log_limit = std::log(*options.limits[k]),
                         .with_served = limit != BudgetLimit::kDeadline,
                         .terms = terms_of(limit, options)});
    }
  }

  double at(double log_n, double log_gpus) const {
    const double gpu_seconds = values_.gpu_seconds.at(log_n, log_gpus);
    const double joules = values_.log_joules(log_n, log_gpus);
    double least = log_most_;
    for (const Drain& drain : drains_) {
      double sum = 0;
      for (const DrainTerm& term : drain.terms) {
        const double of_token = term.of == Drained::kTime     ? gpu_seconds
                                : term.of == Drained::kEnergy ? joules
                                                              : 0;
        sum += term.factor * std::exp(of_token + term.n * log_n + term.gpus * log_gpus);
      }
      double log_d = drain.log_limit - std::log(sum);
      if (drain.with_served && served_ > 0) {
        const double left = std::exp(log_d) - served_;
        log_d = left > 0 ? std::log(left) : kNothing;
      }
      least = std::min(least, log_d);
    }
    return least;
  }

 private:
  const LawValues& values_;
  double served_;
  double log_most_ = std::numeric_limits<double>::infinity();
  std::vector<Drain> drains_;
};

/// Where a convex function is least in an interval, by golden sections. Ends count as well, because
/// a function that falls to an end is least at that end exactly.
template <class Function>
double least_place(Function value, Interval range) {
  constexpr double kShare = 0.6180339887498949;
  constexpr int kSteps = 44;
  if (!(range.upper > range.lower)) return range.lower;
  const Interval whole = range;
  double left = range.upper - kShare * (range.upper - range.lower);
  double right = range.lower + kShare * (range.upper - range.lower);
  double at_left = value(left);
  double at_right = value(right);
  for (int i = 0; i < kSteps; ++i) {
    // Where both are beyond every limit, less is nearer to what they allow.
    if (at_left <= at_right) {
      range.upper = right;
      right = left;
      at_right = at_left;
      left = range.upper - kShare * (range.upper - range.lower);
      at_left = value(left);
    } else {
      range.lower = left;
      left = right;
      at_left = at_right;
      right = range.lower + kShare * (range.upper - range.lower);
      at_right = value(right);
    }
  }
  const double inner = at_left <= at_right ? left : right;
  const double at_inner = std::min(at_left, at_right);
  // Of equally good places the upper end comes first: as many GPUs as allowed are the fastest.
  if (value(whole.upper) <= at_inner) return whole.upper;
  return value(whole.lower) <= at_inner ? whole.lower : inner;
}

/// A number of GPUs as a whole one, where only rounding keeps it from that.
double without_rounding(double gpus) {
  constexpr double kRounding = 1e-9;
  const double whole = std::round(gpus);
  return std::abs(gpus - whole) <= kRounding * whole ? whole : gpus;
}

}  // namespace

bool needs_time(BudgetLimit limit) {
  return limit != BudgetLimit::kFlop && limit != BudgetLimit::kGpus;
}

std::optional<BestPlace> best_place(const LawValues& values, const BudgetOptions& options,
                                    const Interval& log_n, const Interval& log_gpus) {
  if (!(values.alpha > 0 && values.beta > 0)) return std::nullopt;
  const MostTokens most(values, options);
  const auto gpus_at = [&](double n) {
    return least_place([&](double gpus) { return -most.at(n, gpus); }, log_gpus);
  };
  const double n = least_place(
      [&](double place) { return values.loss(place, most.at(place, gpus_at(place))); }, log_n);
  if (n == log_n.lower || n == log_n.upper) return std::nullopt;
  const double gpus = gpus_at(n);
  const double d = most.at(n, gpus);
  const double loss = values.loss(n, d);
  if (!std::isfinite(loss)) return std::nullopt;
  return BestPlace{n, d, gpus, loss};
}

BudgetPlan plan_at(const LawValues& values, const BudgetLaws& laws, const BudgetOptions& options,
                   const BestPlace& place) {
  const double n = std::exp(place.log_n);
  const double d = std::exp(place.log_d);
  const double lifetime = d + served_tokens(options);
  BudgetPlan plan{
      .n = n, .d = d, .loss = place.loss, .flop = options.flops_per_parameter_token * n * lifetime};
  if (options.unique_tokens) plan.epochs = std::max(1.0, d / *options.unique_tokens);
  if (values.repeats) plan.effective_d = std::exp(values.effective(place.log_n, place.log_d).log_d);
  if (!laws.gpu_seconds) return plan;
  const double gpu_seconds = std::exp(values.gpu_seconds.at(place.log_n, place.log_gpus));
  plan.gpus = without_rounding(std::exp(place.log_gpus));
  plan.seconds = gpu_seconds * d / *plan.gpus;
  plan.gpu_hours = gpu_seconds * lifetime / kSecondsPerHour;
  if (options.gpu_price) plan.cost = *plan.gpu_hours * *options.gpu_price;
  if (!laws.has_energy()) return plan;
  const double joules = lifetime * std::exp(values.log_joules(place.log_n, place.log_gpus));
  plan.kwh = options.footprint.kwh(joules);
  plan.co2_kg = options.footprint.co2_kg(joules);
  if (const auto energy = options.footprint.cost(joules)) {
    plan.cost = plan.cost.value_or(0) + *energy;
  }
  return plan;
}

}  // namespace scalelaw
