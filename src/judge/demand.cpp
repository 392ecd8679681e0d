#include <cmath>
#include <limits>

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

std::optional<double> slowest_time(const Forecast& forecast, const Prediction& at) {
  if (!at.pi) return std::nullopt;
  return forecast.response == Response::kTime ? at.pi->upper : 1 / at.pi->lower;
}

/// Both ends of a demand on some cost of x, found by the same search.
template <class Search, class Cost>
Demand demand_of(const Forecast& forecast, double limit, Search search, Cost cost) {
  const double last = kReach * forecast.x_max;
  Demand out{.median = std::nullopt,
             .upper = std::nullopt,
             .best = std::numeric_limits<double>::infinity()};
  for (double x = 1; x <= last; x = next_place(x)) {
    out.best = std::min(out.best, cost(x, time_of(forecast, predict(forecast, x).median)));
  }
  out.median = search(last, [&](double x) {
    return cost(x, time_of(forecast, predict(forecast, x).median)) <= limit;
  });
  out.upper = search(last, [&](double x) {
    const auto slowest = slowest_time(forecast, predict(forecast, x));
    return slowest && cost(x, *slowest) <= limit;
  });
  return out;
}

}  // namespace

Demand meet_deadline(const Forecast& forecast, double deadline) {
  return demand_of(
      forecast, deadline, [](double last, auto holds) { return least_x(last, holds); },
      [](double /*x*/, double time) { return time; });
}

Demand meet_budget(const Forecast& forecast, double budget) {
  return demand_of(
      forecast, budget, [](double last, auto holds) { return greatest_x(last, holds); },
      [](double x, double time) { return x * time; });
}

}  // namespace scalelaw
