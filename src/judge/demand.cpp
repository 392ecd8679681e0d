#include <algorithm>
#include <cmath>
#include <limits>

#include "scalelaw/judge/predict.hpp"

namespace scalelaw {
namespace {

constexpr double kMostWhole = 0x1p53;      ///< Beyond it x + 1 may be x.
constexpr double kDemandRounding = 1e-12;  ///< A limit that is missed by rounding is met.
constexpr double kNever = std::numeric_limits<double>::infinity();

/// From x to the next number: 1, or of a scale such as FLOP what still tells numbers apart.
double step_at(double x) { return std::max(1.0, x * 0x1p-50); }

/// The next whole number to examine, about 5 % above x.
double next_place(double x) { return std::max(x + 1, std::floor(x * 1.05)); }

/// The time of a forecast y; for a rate, the time of one unit of work.
double time_of(const Forecast& forecast, double y) {
  return forecast.response == Response::kTime ? y : 1 / y;
}

/// The time of a forecast that has to meet the demand.
enum class By { kTarget, kFastest, kSlowest };

double time_by(const Forecast& forecast, const Prediction& at, Target target, By by) {
  if (by == By::kTarget) {
    const auto value = value_of(at, target);
    return value ? time_of(forecast, *value) : kNever;
  }
  if (!at.pi) return kNever;
  const double one = time_of(forecast, at.pi->lower);
  const double other = time_of(forecast, at.pi->upper);
  return by == By::kFastest ? std::min(one, other) : std::max(one, other);
}

/// The forecast at x; empty if the law has none.
std::optional<Prediction> prediction_at(const Forecast& forecast, double x) {
  return if_possible([&] { return predict(forecast, x); });
}

/// The first whole x in (below, above] for which `holds`. It must hold for all x beyond, too.
template <class Holds>
double first_between(double below, double above, Holds holds) {
  while (above - below > step_at(above)) {
    const double middle = std::floor(0.5 * (below + above));
    (holds(middle) ? above : below) = middle;
  }
  return above;
}

/// A cost that depends on x, such as time or GPU-hours, from x = 1 to far beyond the data.
template <class Cost>
class Survey {
 public:
  Survey(const Forecast& forecast, Target target, double limit, Cost cost)
      : forecast_(forecast), target_(target), limit_(limit * (1 + kDemandRounding)), cost_(cost) {
    const double reach = std::floor(kSearchReach * forecast.x_max);
    const double last = forecast.x_max > kMostWhole ? reach : std::min(reach, kMostWhole);
    for (double x = 1; x < last; x = next_place(x))
      places_.push_back({x, prediction_at(forecast, x)});
    places_.push_back({last, prediction_at(forecast, last)});
  }

  /// The place of the least cost by the target, and that cost.
  struct Best {
    std::optional<double> x;
    double cost;
  };
  Best best() const {
    std::size_t least = 0;
    for (std::size_t i = 1; i < places_.size(); ++i) {
      if (cost_at(places_[i], By::kTarget) < cost_at(places_[least], By::kTarget)) least = i;
    }
    const double cost = cost_at(places_[least], By::kTarget);
    if (least + 1 == places_.size() || !std::isfinite(cost)) return {std::nullopt, cost};
    const double x = least_between(least == 0 ? 1 : places_[least - 1].x, places_[least + 1].x);
    return {x, std::min(cost, cost_at({x, prediction_at(forecast_, x)}, By::kTarget))};
  }
  /// The least whole x at which the limit is met.
  std::optional<DemandedScale> least_x(By by) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (cost_at(places_[i], by) > limit_) continue;
      const double below = i == 0 ? 0 : places_[i - 1].x;
      return DemandedScale{first_between(below, places_[i].x, is_met(by)), false};
    }
    return std::nullopt;
  }
  /// The last whole x, from the least one that meets the limit by the target, up to which it is
  /// met without a gap; empty if that is where the search ends, or if none meets it.
  std::optional<double> met_until() const {
    const auto meets = [this](const Place& place) { return cost_at(place, By::kTarget) <= limit_; };
    const auto first = std::ranges::find_if(places_, meets);
    const auto over = std::find_if_not(first, places_.end(), meets);
    if (over == places_.end()) return std::nullopt;
    const auto is_over = [this](double x) { return !is_met(By::kTarget)(x); };
    return first_between((over - 1)->x, over->x, is_over) - 1;
  }
  /// The greatest whole x at which the limit is met.
  std::optional<DemandedScale> greatest_x(By by) const {
    for (std::size_t i = places_.size(); i-- > 0;) {
      if (cost_at(places_[i], by) > limit_) continue;
      if (i + 1 == places_.size()) return DemandedScale{places_[i].x, true};
      const auto is_over = [&](double x) { return !is_met(by)(x); };
      return DemandedScale{first_between(places_[i].x, places_[i + 1].x, is_over) - 1, false};
    }
    return std::nullopt;
  }

 private:
  struct Place {
    double x;
    std::optional<Prediction> at;
  };

  double cost_at(const Place& place, By by) const {
    if (!place.at) return kNever;
    const double time = time_by(forecast_, *place.at, target_, by) / units_at(forecast_, place.x);
    return std::isfinite(time) ? cost_(place.x, time) : kNever;
  }
  /// The whole x in [first, last] with the least cost, which falls before it and rises behind.
  double least_between(double first, double last) const {
    const auto rises = [this](double x) {
      const double next = x + step_at(x);
      return cost_at({x, prediction_at(forecast_, x)}, By::kTarget) <=
             cost_at({next, prediction_at(forecast_, next)}, By::kTarget);
    };
    return first_between(first - 1, last, rises);
  }
  auto is_met(By by) const {
    return [this, by](double x) { return cost_at({x, prediction_at(forecast_, x)}, by) <= limit_; };
  }

  const Forecast& forecast_;
  Target target_;
  double limit_;
  Cost cost_;
  std::vector<Place> places_;
};

template <class Cost>
Demand budget_of(const Forecast& forecast, double budget, Target target, Cost cost) {
  const Survey survey(forecast, target, budget, cost);
  const auto best = survey.best();
  return {.x = survey.greatest_x(By::kTarget),
          .lower = survey.greatest_x(By::kFastest),
          .upper = survey.greatest_x(By::kSlowest),
          .best = best.cost,
          .best_x = best.x,
          .checked = kCheckedReach * forecast.x_max};
}

}  // namespace

double units_at(const Forecast& forecast, double x) { return forecast.rate_of_one ? x : 1; }

bool is_far_beyond(double x, double x_max) { return x > kCheckedReach * x_max; }

Demand meet_deadline(const Forecast& forecast, double deadline, Target target) {
  const Survey survey(forecast, target, deadline, [](double /*x*/, double time) { return time; });
  const auto best = survey.best();
  return {.x = survey.least_x(By::kTarget),
          .lower = survey.least_x(By::kFastest),
          .upper = survey.least_x(By::kSlowest),
          .best = best.cost,
          .best_x = best.x,
          .until = survey.met_until(),
          .checked = kCheckedReach * forecast.x_max};
}

Demand meet_budget(const Forecast& forecast, double budget, Target target) {
  return budget_of(forecast, budget, target, [](double x, double time) { return x * time; });
}

Demand meet_energy_budget(const EnergyForecast& energy, double joules, Target target) {
  return budget_of(energy.forecast, joules, target,
                   [&](double x, double value) { return energy.factor(x) * value; });
}

}  // namespace scalelaw
