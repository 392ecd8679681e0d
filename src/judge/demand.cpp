#include <cmath>
#include <limits>

#include "scalelaw/base/error.hpp"
#include "scalelaw/judge/predict.hpp"

namespace scalelaw {
namespace {

constexpr double kReach = 1000;  ///< How far beyond the greatest x an answer is looked for.

/// Whole numbers from 1 on, each about 2 % above the one before, up to `last`.
double next_place(double x) { return std::max(x + 1, std::floor(x * 1.02)); }

/// The first whole x in (below, above] for which `holds`, which it does from there on.
template <class Holds>
double first_between(double below, double above, Holds holds) {
  while (above - below > 1) {
    const double middle = std::floor(0.5 * (below + above));
    (holds(middle) ? above : below) = middle;
  }
  return above;
}

/// The least whole x for which `holds`.
template <class Holds>
std::optional<double> least_x(double last, Holds holds) {
  double previous = 0;
  for (double x = 1; x <= last; x = next_place(x)) {
    if (holds(x)) return first_between(previous, x, holds);
    previous = x;
  }
  return std::nullopt;
}

/// The greatest whole x for which `holds`.
template <class Holds>
std::optional<double> greatest_x(double last, Holds holds) {
  std::optional<double> inside;
  double outside = std::floor(last) + 1;
  for (double x = 1; x <= last; x = next_place(x)) {
    if (holds(x)) {
      inside = x;
      outside = std::floor(last) + 1;
    } else if (inside && outside > x) {
      outside = x;
    }
  }
  if (!inside) return std::nullopt;
  const auto is_over = [&](double x) { return !holds(x); };
  return first_between(*inside, outside, is_over) - 1;
}

/// Time at x; of a rate, the time of one unit of work.
double time_of(const Forecast& forecast, double y) {
  return forecast.response == Response::kTime ? y : 1 / y;
}

std::optional<double> target_time(const Forecast& forecast, const Prediction& at, Target target) {
  const auto value = value_of(at, target);
  return value ? std::optional(time_of(forecast, *value)) : std::nullopt;
}

std::optional<double> slowest_time(const Forecast& forecast, const Prediction& at) {
  if (!at.pi) return std::nullopt;
  return forecast.response == Response::kTime ? at.pi->upper : 1 / at.pi->lower;
}

/// The forecast at x, where the law has one.
std::optional<Prediction> prediction_at(const Forecast& forecast, double x) {
  try {
    return predict(forecast, x);
  } catch (const FitError&) {
    return std::nullopt;
  }
}

/// Both ends of a demand on some cost of x, found by the same search.
template <class Search, class Cost>
Demand demand_of(const Forecast& forecast, double limit, Target target, Search search, Cost cost) {
  const double last = kReach * forecast.x_max;
  const auto cost_at = [&](double x) {
    const auto at = prediction_at(forecast, x);
    const auto time = at ? target_time(forecast, *at, target) : std::nullopt;
    return time ? cost(x, *time) : std::numeric_limits<double>::infinity();
  };
  Demand out{
      .x = std::nullopt, .upper = std::nullopt, .best = std::numeric_limits<double>::infinity()};
  for (double x = 1; x <= last; x = next_place(x)) out.best = std::min(out.best, cost_at(x));
  out.x = search(last, [&](double x) { return cost_at(x) <= limit; });
  out.upper = search(last, [&](double x) {
    const auto at = prediction_at(forecast, x);
    const auto slowest = at ? slowest_time(forecast, *at) : std::nullopt;
    return slowest && cost(x, *slowest) <= limit;
  });
  return out;
}

template <class Cost>
Demand budget_of(const Forecast& forecast, double budget, Target target, Cost cost) {
  return demand_of(
      forecast, budget, target, [](double last, auto holds) { return greatest_x(last, holds); },
      cost);
}

}  // namespace

Demand meet_deadline(const Forecast& forecast, double deadline, Target target) {
  return demand_of(
      forecast, deadline, target, [](double last, auto holds) { return least_x(last, holds); },
      [](double /*x*/, double time) { return time; });
}

Demand meet_budget(const Forecast& forecast, double budget, Target target) {
  return budget_of(forecast, budget, target, [](double x, double time) { return x * time; });
}

Demand meet_energy_budget(const EnergyForecast& energy, double joules, Target target) {
  return budget_of(energy.forecast, joules, target,
                   [&](double x, double value) { return energy.factor(x) * value; });
}

}  // namespace scalelaw
