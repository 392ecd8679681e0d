#include "fit/figures.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "fit/broken_line.hpp"
#include "fit/nonlinear.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/likelihood.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// Profiles of a break in logarithms, where everything is linear once the break is held. With the
/// break at l, an F test does not reject the values est(l) -+ sqrt(excess(l) var(l)) of another
/// parameter. Its interval covers those of all l.
class BrokenProfile {
 public:
  BrokenProfile(const FitPoints& points, const Solution& solution, double confidence)
      : points_(points) {
    std::vector<double> log_x;
    for (const Cell& cell : points.cells) log_x.push_back(std::log(cell.x));
    line_ = BrokenLine(log_x, points.mass);
    line_.best_break(points.mean);
    const double dof = static_cast<double>(points.n) - static_cast<double>(solution.fitted);
    const double reach = student_t_factor(confidence, dof);
    limit_ = solution.rss * (1 + reach * reach / dof) - points.within;
    fill_boxes(points, boxes_);
    best_place_ = solution.theta[*points.law->kink()];
  }

  Interval interval(std::size_t parameter) const { return {end(parameter, -1), end(parameter, 1)}; }

  /// How far the residual sum of squares stays below the limit with the break at a place.
  double slack(double place) const { return limit_ - line_.at(place).rss; }

  /// The least residual sum of squares with a parameter held at a value.
  double rss_with(std::size_t parameter, double value) const {
    if (parameter == *points_.law->kink()) return line_.at(value).rss + points_.within;
    return points_.within - greatest([&](double place) {
             const BrokenLine::Knot knot = line_.at(place);
             const Linear linear = parameter_at(parameter, place, knot);
             const double distance = value - linear.estimate;
             return -(knot.rss + distance * distance / linear.variance);
           });
  }

 private:
  struct Linear {
    double estimate;
    double variance;
  };

  /// ln alpha or an exponent, by its order in the law.
  Linear parameter_at(std::size_t parameter, double place, const BrokenLine::Knot& knot) const {
    const double sign = points_.response == Response::kTime ? -1 : 1;
    if (parameter == 1) return {sign * knot.left, knot.left_variance};
    if (parameter == 2) return {sign * knot.right, knot.right_variance};
    return {knot.level - place * knot.left,
            knot.level_variance +
                place * (place * knot.left_variance - 2 * knot.level_left_covariance)};
  }

  /// The end of the parameter's values with the break at a place. If none is left, far below any
  /// value, and less the further the place is off, which leads a search to narrow ranges of places.
  double reach_at(std::size_t parameter, double place, int direction) const {
    const BrokenLine::Knot knot = line_.at(place);
    const double excess = limit_ - knot.rss;
    if (!(excess >= 0)) return excess < 0 ? kFarBelow * -excess : -kInfinity;
    const Linear linear = parameter_at(parameter, place, knot);
    return direction * linear.estimate + std::sqrt(excess * std::max(0.0, linear.variance));
  }

  double end(std::size_t parameter, int direction) const {
    return direction *
           greatest([&](double place) { return reach_at(parameter, place, direction); });
  }

  /// The greatest height over all places of the break.
  template <class Height>
  double greatest(Height height) const {
    const std::size_t kink = *points_.law->kink();
    double best = height(best_place_);
    for (const Box& box : boxes_) {
      for (int i = 0; i <= kPlaces; ++i) {
        const double place = box.lower[kink] + i * step_in(box);
        const double here = height(place);
        if (here < best) continue;
        best = std::max(here, greatest_about(height, box, place));
      }
    }
    // The estimate may lie between the places, or on an x, where a piece ends just before it.
    const double slack = 1e-9 * std::max(1.0, std::abs(best_place_));
    for (const Box& box : boxes_) {
      if (best_place_ < box.lower[kink] - slack || best_place_ > box.upper[kink] + slack) continue;
      best = std::max(best, greatest_about(height, box, best_place_));
    }
    return best;
  }

  static constexpr double kFarBelow = -1e200;
  static constexpr int kPlaces = 12;  ///< Per piece.
  double step_in(const Box& box) const {
    const std::size_t kink = *points_.law->kink();
    return (box.upper[kink] - box.lower[kink]) / kPlaces;
  }
  template <class Height>
  double greatest_about(Height height, const Box& box, double place) const {
    const std::size_t kink = *points_.law->kink();
    return greatest_between(height, std::max(box.lower[kink], place - step_in(box)),
                            std::min(box.upper[kink], place + step_in(box)));
  }

  /// Golden section. The maximum is flat, so half of the digits of its place suffice.
  template <class Height>
  static double greatest_between(Height height, double lower, double upper) {
    constexpr double kGolden = 0.6180339887498949;
    double a = upper - kGolden * (upper - lower);
    double b = lower + kGolden * (upper - lower);
    double at_a = height(a);
    double at_b = height(b);
    for (int i = 0; i < 40; ++i) {
      if (at_a >= at_b) {
        upper = b;
        b = a;
        at_b = at_a;
        a = upper - kGolden * (upper - lower);
        at_a = height(a);
      } else {
        lower = a;
        a = b;
        at_a = at_b;
        b = lower + kGolden * (upper - lower);
        at_b = height(b);
      }
    }
    return std::max(at_a, at_b);
  }

  const FitPoints& points_;
  BrokenLine line_;
  std::vector<Box> boxes_;
  double limit_ = 0;
  double best_place_ = 0;
};

/// The profile of one parameter: how much worse the best fit is with the parameter at a value.
class Profile {
 public:
  /// @param exact  For a kink in logarithms, where the other parameters are then known exactly.
  Profile(const FitPoints& points, const Solution& solution, std::size_t parameter,
          double confidence, const BrokenProfile* exact)
      : points_(points),
        solution_(solution),
        parameter_(parameter),
        dof_(static_cast<double>(points.n) - static_cast<double>(solution.fitted)),
        reach_(student_t_factor(confidence, dof_)),
        outer_(outer_box(points)),
        exact_(exact) {
    fill_boxes(points, boxes_);
    for (std::size_t j = 0; j < solution.p; ++j) {
      for (std::size_t l = 0; l < solution.p; ++l) {
        covariances_[j] += solution.back[j][l] * solution.back[parameter][l];
      }
    }
  }

  Interval interval() const { return {end(-1), end(1)}; }

  /// The least residual sum of squares at values that move away from the estimate; empty where no
  /// fit converges.
  std::vector<std::optional<double>> rss_at(std::span<const double> values) const {
    std::vector<std::optional<double>> out;
    SmallVector near = solution_.theta;
    for (const double value : values) {
      out.push_back(exact_ != nullptr  ? exact_->rss_with(parameter_, value)
                    : solution_.linear ? wald_rss(value)
                                       : fitted_rss(value, near));
    }
    return out;
  }

  /// RSS (1 + t^2 / (n - p)). This is the residual sum of squares of a linear law; for other laws
  /// it is extrapolated along the tangent. Empty if the parameter is held on a bound.
  std::optional<double> wald_rss(double value) const {
    const double variance = covariances_[parameter_];
    if (!(variance > 0)) return std::nullopt;
    const double distance = value - estimate();
    return solution_.rss + distance * distance / variance;
  }

  /// The range of a profile's curve: beyond the interval, but within the bounds.
  Interval range(const Interval& interval) const {
    constexpr double kBeyond = 1.6;  // Times the distance of the end from the estimate.
    const double usual = first_step();
    const auto reach = [&](double end) {
      const double distance = std::abs(end - estimate());
      return kBeyond * (std::isfinite(distance) ? std::max(distance, usual) : 3 * usual);
    };
    return {std::max(estimate() - reach(interval.lower), bound(-1)),
            std::min(estimate() + reach(interval.upper), bound(1))};
  }

 private:
  double estimate() const { return solution_.theta[parameter_]; }
  double bound(int direction) const {
    return direction < 0 ? outer_.lower[parameter_] : outer_.upper[parameter_];
  }

  /// A value of the parameter with the best fit there.
  struct Place {
    double value;
    /// The root of the excess residual sum of squares, in units of the variance, minus the reach of
    /// the interval: below 0 inside, and nearly linear in the value. Infinite if there is no curve,
    /// not a number if no fit converges.
    double beyond;
    SmallVector theta;
  };

  Place place_of(double value, const std::optional<Descent>& found) const {
    if (!found) return {value, kInfinity, solution_.theta};
    const double excess = std::max(found->rss + points_.within - solution_.rss, 0.0);
    return {value, std::sqrt(excess * dof_ / solution_.rss) - reach_, found->theta};
  }
  Place look_at(double value, const SmallVector& near) const {
    Place place = place_of(value, held_at(value, near));
    if (place.beyond == kInfinity && has_curve(value, near)) place.beyond = std::nan("");
    return place;
  }
  bool has_curve(double value, SmallVector theta) const {
    theta[parameter_] = value;
    return std::isfinite(scalelaw::rss_at(points_, theta));
  }
  Place search_at(double value) const {
    std::optional<Descent> best;
    for (Box box : boxes_) {
      box.lower[parameter_] = box.upper[parameter_] = value;
      const auto found = descend_from_shapes(points_, box);
      if (found && (!best || found->rss < best->rss)) best = found;
    }
    return place_of(value, best);
  }

  /// The best fit at a value, started near another one.
  std::optional<Descent> held_at(double value, const SmallVector& near) const {
    SmallVector start = near;
    const double variance = covariances_[parameter_];
    for (std::size_t j = 0; j < solution_.p && variance > 0; ++j) {
      start[j] += covariances_[j] / variance * (value - near[parameter_]);
    }
    std::optional<Descent> best;
    for (Box box : boxes_) {
      if (value < box.lower[parameter_] || value > box.upper[parameter_]) {
        if (points_.law->kink() != parameter_) continue;
        if (value - box.upper[parameter_] > 1e-9 || box.lower[parameter_] - value > 1e-9) continue;
      }
      box.lower[parameter_] = box.upper[parameter_] = value;
      start[parameter_] = value;
      const auto found = descend_piece(points_, start, box);
      if (found && (!best || found->rss < best->rss)) best = found;
    }
    return best;
  }

  /// The residual sum of squares of the best fit at a value, started from `near`, which becomes its
  /// parameters.
  std::optional<double> fitted_rss(double value, SmallVector& near) const {
    const auto found = held_at(value, near);
    if (!found) return std::nullopt;
    near = found->theta;
    return found->rss + points_.within;
  }

  /// A first guess of the interval's reach, from the column alone if a bound held the parameter.
  double first_step() const {
    const double sigma = std::sqrt(solution_.rss / dof_);
    if (covariances_[parameter_] > 0) return reach_ * sigma * std::sqrt(covariances_[parameter_]);
    double square = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double entry = solution_.design[i * solution_.p + parameter_];
      square += points_.mass[i] * entry * entry;
    }
    return square > 0 ? reach_ * sigma / std::sqrt(square) : 1e-3;
  }

  double end(int direction) const {
    return points_.law->kink() == parameter_ ? kink_end(direction) : smooth_end(direction);
  }

  /// Steps outward until the value is rejected, with lengths that earlier steps suggest. Returns
  /// the place between the last two.
  double smooth_end(int direction) const {
    constexpr int kMostSteps = 60;
    constexpr int kMostSearches = 2;
    int searches = 0;
    Place inside{estimate(), -reach_, solution_.theta};
    double step = first_step();
    for (int count = 0; count < kMostSteps; ++count) {
      double value = estimate() + direction * step;
      const bool on_bound = direction < 0 ? value <= bound(-1) : value >= bound(1);
      if (on_bound) value = bound(direction);
      const Place there = look_at(value, inside.theta);
      if (std::isnan(there.beyond)) return direction * kInfinity;
      if (there.beyond >= 0) {
        const Place root = root_between(inside, there);
        if (!(root.beyond > kRootTolerance * reach_)) return root.value;
        // The profile has no jumps: near the root, the descents lost the best curve.
        if (++searches > kMostSearches) return root.value;
        inside = search_at(root.value);
        if (inside.beyond > 0) return root.value;
        continue;
      }
      if (on_bound) return value;
      inside = there;
      step *= std::clamp(1.02 * reach_ / (there.beyond + reach_), 1.1, 4.0);
    }
    return direction * kInfinity;
  }

  static constexpr double kRootTolerance = 1e-9;  ///< In reaches.

  /// The first place that is rejected. Regula falsi with the improvement of Anderson and Bjorck
  /// (1973), halving while the far end has no fit. Every descent starts from the inner end: far out
  /// a curve may have become a constant, from which no descent leads back.
  Place root_between(Place inside, Place outside) const {
    double at_inside = inside.beyond;
    double at_outside = outside.beyond;
    bool was_inside = false;
    for (int count = 0; count < 100; ++count) {
      const double width = outside.value - inside.value;
      if (std::abs(width) <= 1e-12 * std::abs(outside.value)) break;
      const double share = std::isfinite(at_outside) ? -at_inside / (at_outside - at_inside) : 0.5;
      const Place middle = look_at(inside.value + share * width, inside.theta);
      if (!(std::abs(middle.beyond) >= kRootTolerance * reach_)) return middle;
      const bool is_inside = middle.beyond < 0;
      if (is_inside == was_inside) {
        const double factor = 1 - middle.beyond / (is_inside ? inside.beyond : outside.beyond);
        double& kept = is_inside ? at_outside : at_inside;
        if (std::isfinite(kept)) kept *= factor > 0.1 ? factor : 0.5;
      }
      was_inside = is_inside;
      (is_inside ? at_inside : at_outside) = middle.beyond;
      (is_inside ? inside : outside) = middle;
    }
    return outside;
  }

  /// The profile of a kink may fall and rise again, so the whole range is examined.
  double kink_end(int direction) const {
    constexpr int kPlaces = 8;  ///< Per piece.
    SmallVector near = solution_.theta;
    const auto is_inside = [&](double value) {
      if (exact_ != nullptr) return exact_->slack(value) >= 0;
      const Place there = look_at(value, near);
      near = there.theta;
      return there.beyond <= 0;
    };
    double inside = estimate();
    double outside = bound(direction);
    bool previous_inside = true;
    const auto look_at = [&](double value) {
      if (direction * (value - estimate()) <= 0) return;
      const bool here_inside = is_inside(value);
      if (here_inside) inside = value;
      if (previous_inside && !here_inside) outside = value;
      previous_inside = here_inside;
    };
    const auto look_through = [&](const Box& box) {
      for (int place = 0; place <= kPlaces; ++place) {
        const int step = direction > 0 ? place : kPlaces - place;
        look_at(box.lower[parameter_] +
                (box.upper[parameter_] - box.lower[parameter_]) * step / kPlaces);
      }
    };
    if (direction > 0) {
      std::ranges::for_each(boxes_, look_through);
    } else {
      std::for_each(boxes_.rbegin(), boxes_.rend(), look_through);
    }
    if (previous_inside) return direction * kInfinity;  // As far as a kink can be told.
    while (std::abs(outside - inside) > 1e-10 * std::max(1.0, std::abs(outside))) {
      const double middle = 0.5 * (inside + outside);
      (is_inside(middle) ? inside : outside) = middle;
    }
    return inside;
  }

  const FitPoints& points_;
  const Solution& solution_;
  std::size_t parameter_;
  double dof_;
  double reach_;
  Box outer_;
  const BrokenProfile* exact_;
  std::vector<Box> boxes_;
  SmallVector covariances_{};  ///< Covariance with each parameter, over the variance.
};

/// The exact profiles of a break in logarithms; empty for other laws.
std::optional<BrokenProfile> broken_profile(const FitPoints& points, const Solution& solution,
                                            double confidence) {
  std::optional<BrokenProfile> broken;
  if (points.law->kink() && points.scale == Scale::kLog) {
    broken.emplace(points, solution, confidence);
  }
  return broken;
}

void replace_interval(Estimate& estimate, const Interval& interval) {
  estimate.wald_ci = estimate.ci;
  estimate.ci = interval;
}

/// Converts an interval to the working parameter.
Interval working_interval(const Interval& reported, bool exponential) {
  if (!exponential) return reported;
  // An open end is infinite on either scale.
  return {std::isfinite(reported.lower) ? std::log(reported.lower) : reported.lower,
          std::log(reported.upper)};
}

void check_profile(const FitOptions& options) {
  if (options.robust == Robust::kNone && options.se == StandardError::kClassic) return;
  throw DataError(
      "a profile of the likelihood takes the scatter as even and without outliers: it goes with "
      "classic standard errors and no robust fit");
}

void check_likelihood(const Fit& fit, const Solution& solution) {
  if (fit.dof <= 0) {
    throw FitError(FailureCode::kTooFewPoints,
                   "no more points than parameters: nothing tells how likely other values are");
  }
  if (!(solution.rss > 0)) {
    throw FitError(FailureCode::kNoSpread, "the fit is exact: its likelihood has no bound");
  }
}

/// Places from `from`, without it, to `to`.
std::vector<double> steps_between(double from, double to) {
  constexpr int kSteps = 48;
  std::vector<double> values;
  for (int i = 1; i <= kSteps && from != to; ++i) {
    values.push_back(i == kSteps ? to : from + (to - from) * i / kSteps);
  }
  return values;
}

/// The points of a profile on the working scale, from the estimate in one direction.
std::vector<LikelihoodPoint> points_towards(Profile& profile, double estimate, double end, double n,
                                            double rss) {
  const std::vector<double> values = steps_between(estimate, end);
  const auto held = profile.rss_at(values);
  const auto log_ratio = [&](const std::optional<double>& at) {
    return at ? std::optional(std::min(0.0, -0.5 * n * std::log(*at / rss))) : std::nullopt;
  };
  std::vector<LikelihoodPoint> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    points.push_back({values[i], log_ratio(held[i]), log_ratio(profile.wald_rss(values[i]))});
  }
  return points;
}

}  // namespace

void fill_profile_intervals(Fit& fit, const FitPoints& points, const Solution& solution) {
  if (fit.dof <= 0 || !(solution.rss > 0)) return;
  const auto broken = broken_profile(points, solution, fit.confidence);
  for (std::size_t k = 0; k < solution.p; ++k) {
    if (!fit.law->is_fitted(k)) continue;
    const Interval working =
        broken && k != *fit.law->kink()
            ? broken->interval(k)
            : Profile(points, solution, k, fit.confidence, broken ? &*broken : nullptr).interval();
    if (k == 0 && fit.log_alpha) replace_interval(*fit.log_alpha, working);
    replace_interval(fit.parameters[k], reported_interval(fit.law->parameters()[k], working));
  }
}

std::string_view exponent_name(const Law& law) {
  const auto parameters = law.parameters();
  for (const ParameterSpec& parameter : parameters) {
    if (parameter.name == "beta") return parameter.name;
  }
  return parameters[parameters.size() > 1 ? 1 : 0].name;
}

LikelihoodProfile likelihood_profile(std::span<const Cell> cells, const FitOptions& options,
                                     std::string_view parameter) {
  check_profile(options);
  const std::size_t k = parameter_named(*options.law, parameter);
  if (!options.law->is_fitted(k)) {
    throw data_error("{} is held, so that its likelihood has no profile", parameter);
  }
  FitOptions plain = options;
  plain.bootstrap = {};
  plain.intervals = Intervals::kProfile;
  plain.figures = Figures::kEstimates;
  const Fit fit = fit_law(cells, plain);
  FitPoints points;
  Solution solution;
  observe(cells, plain, points);
  solve(points, solution);
  check_likelihood(fit, solution);

  LikelihoodProfile out{.parameter = fit.parameters[k], .confidence = fit.confidence, .points = {}};
  if (solution.linear) out.parameter.wald_ci = out.parameter.ci;
  const auto broken = broken_profile(points, solution, fit.confidence);
  Profile profile(points, solution, k, fit.confidence, broken ? &*broken : nullptr);
  const ParameterSpec& spec = fit.law->parameters()[k];
  const Interval range = profile.range(working_interval(*out.parameter.ci, spec.is_exponential()));
  const auto n = static_cast<double>(points.n);
  const auto dof = static_cast<double>(fit.dof);
  const double reach = student_t_factor(fit.confidence, dof);
  out.cut = -0.5 * n * std::log1p(reach * reach / dof);
  const double estimate = solution.theta[k];
  out.points = points_towards(profile, estimate, range.lower, n, solution.rss);
  std::ranges::reverse(out.points);
  out.points.push_back({estimate, 0, 0});
  for (const auto& point : points_towards(profile, estimate, range.upper, n, solution.rss)) {
    out.points.push_back(point);
  }
  for (LikelihoodPoint& point : out.points) point.value = spec.reported(point.value);
  return out;
}

}  // namespace scalelaw
