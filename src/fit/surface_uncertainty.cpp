// How sure the parameters of a surface are: profiles of the loss, and refits of drawn runs.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/bootstrap.hpp"
#include "fit/surface_fit.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kSurfaceBlock = 50;                 ///< Resamples that share a random stream.
constexpr std::size_t kFigures = kSurfaceParameters + 1;  ///< Those of a descent, the split of n.
constexpr double kMostFailures = 0.1;

/// How often each of `count` was drawn.
std::vector<double> draw_times(std::uint32_t count, RandomStream& stream) {
  std::vector<double> times(count);
  for (std::uint32_t i = 0; i < count; ++i) times[stream.below(count)] += 1;
  return times;
}

/// Reported parameters and the split of a refit; NaN if it did not converge.
std::array<double, kFigures> refit(const SurfaceSolution& solution, const SurfacePoints& drawn) {
  std::array<double, kFigures> out{};
  const SurfaceMinimum found =
      descend_in_frame(SurfaceLoss(drawn, solution.loss), solution.minimum.theta,
                       SurfaceFrame(*solution.law, drawn.centre));
  if (!found.converged()) {
    out.fill(std::numeric_limits<double>::quiet_NaN());
    return out;
  }
  const SmallVector theta = reported_theta(drawn, found.theta);
  for (std::size_t k = 0; k < kSurfaceParameters; ++k) {
    const bool exponential = k < kFloorPlace || k > 4;
    out[k] = exponential ? std::exp(theta[k]) : theta[k];
  }
  out[kSurfaceParameters] = theta[4] / (theta[3] + theta[4]);
  return out;
}

/// The same runs about another centre, which makes a prefactor a working parameter itself.
SurfacePoints recentred(const SurfacePoints& points, std::size_t scale) {
  SurfacePoints out = points;
  for (double& value : scale == 0 ? out.u : out.v) value += points.centre[scale];
  if (scale == 1) {
    for (double& value : out.unique) value += points.centre[1];
  }
  out.centre[scale] = 0;
  return out;
}

/// Profile of one working parameter. A and B are held at their reported values, for n = 1 and d =
/// 1.
class SurfaceProfile {
 public:
  SurfaceProfile(const SurfaceSolution& solution, std::size_t parameter, double factor,
                 double reach)
      : points_(parameter < 2 ? recentred(solution.points, parameter) : solution.points),
        loss_(points_, solution.loss),
        frame_(*solution.law, points_.centre),
        parameter_(parameter),
        factor_(factor),
        reach_(reach),
        least_(solution.minimum.value),
        best_(solution.minimum.theta) {
    if (parameter >= kFloorPlace) return;
    best_[parameter] += best_[3 + parameter] * solution.points.centre[parameter];
  }

  Interval interval(double step) { return {end(-1, step), end(1, step)}; }

 private:
  /// The value that is held. For the floor it is E itself, whose logarithm has no lower end.
  double estimate() const {
    return parameter_ == kFloorPlace ? std::exp(best_[kFloorPlace]) : best_[parameter_];
  }

  /// The root of twice the rise of the deviance, minus the reach: below 0 inside.
  double beyond(double value) {
    SmallVector start = at_;
    start[parameter_] = parameter_ == kFloorPlace ? std::log(value) : value;
    const SurfaceMinimum found =
        descend_in_frame(loss_, start, frame_.holding(parameter_, start[parameter_]));
    if (!std::isfinite(found.value)) return kInfinity;
    at_ = found.theta;
    return std::sqrt(2 * std::max(0.0, found.value - least_) * factor_) - reach_;
  }

  /// A value, how far it lies beyond the limit, and the descent that ended there.
  struct Place {
    double value;
    double beyond;
    SmallVector theta;
  };
  Place look_at(double value) {
    const double excess = beyond(value);
    return {value, excess, at_};
  }

  /// Steps outward until the value is rejected, with lengths that earlier steps suggest. Returns
  /// the place between the last two.
  double end(int direction, double step) {
    constexpr int kMostSteps = 40;
    constexpr double kFurthest = 50;  ///< In first steps; an end beyond it is open.
    at_ = best_;
    Place inside{estimate(), -reach_, best_};
    const double furthest = kFurthest * step;
    step *= 0.5;
    for (int count = 0; count < kMostSteps; ++count) {
      double value = inside.value + direction * step;
      const bool at_zero = parameter_ == kFloorPlace && value <= 0;
      if (at_zero) value = 0;
      at_ = inside.theta;
      const Place there = look_at(value);
      if (there.beyond >= 0) return root_between(inside, there);
      if (at_zero) return 0;
      if (std::abs(value - estimate()) > furthest) break;
      step *= std::clamp(reach_ / std::max(there.beyond - inside.beyond, 1e-9), 0.5, 2.0);
      inside = there;
    }
    return direction * kInfinity;
  }

  /// Regula falsi with the improvement of Anderson and Bjorck (1973); halves while the far end has
  /// no value. Descents start from the inner end, where they are most reliable.
  double root_between(Place inside, Place outside) {
    double at_inside = inside.beyond;
    double at_outside = outside.beyond;
    bool was_inside = false;
    for (int count = 0; count < 80; ++count) {
      const double width = outside.value - inside.value;
      if (std::abs(width) <= 1e-8 * std::abs(inside.value)) break;
      const double share = std::isfinite(at_outside) ? -at_inside / (at_outside - at_inside) : 0.5;
      at_ = inside.theta;
      const Place middle = look_at(inside.value + share * width);
      if (std::abs(middle.beyond) < 1e-6 * reach_) return middle.value;
      const bool is_inside = middle.beyond < 0;
      // Only where the same end moves twice; at every step, the ends would creep and never meet.
      if (is_inside == was_inside) {
        const double factor =
            is_inside ? 1 - middle.beyond / inside.beyond : 1 - middle.beyond / outside.beyond;
        double& kept = is_inside ? at_outside : at_inside;
        if (std::isfinite(kept)) kept *= factor > 0.1 ? factor : 0.5;
      }
      was_inside = is_inside;
      (is_inside ? inside : outside) = middle;
      (is_inside ? at_inside : at_outside) = middle.beyond;
    }
    return inside.value;
  }

  SurfacePoints points_;
  SurfaceLoss loss_;
  SurfaceFrame frame_;
  std::size_t parameter_;
  double factor_;
  double reach_;
  double least_;
  SmallVector best_;
  SmallVector at_{};  ///< The end of the last descent.
};

}  // namespace

void draw_runs(const SurfacePoints& points, RandomStream& stream, SurfacePoints& out) {
  const auto n = static_cast<std::uint32_t>(points.size());
  const bool whole = !points.cluster.empty();
  const std::vector<double> times = draw_times(whole ? points.clusters() : n, stream);
  out = points.like();
  for (std::uint32_t i = 0; i < n; ++i) {
    const double drawn = times[whole ? points.cluster[i] : i];
    if (drawn == 0) continue;
    out.add(points, i, drawn);
  }
}

Interval surface_profile(const SurfaceSolution& solution, std::size_t parameter, double factor,
                         double step, double reach) {
  const double unit = parameter == kFloorPlace ? std::exp(solution.points.centre[2]) : 1;
  const double shift = parameter < 2 ? solution.points.centre[2] : 0;
  const Interval ends =
      SurfaceProfile(solution, parameter, factor, reach).interval(reach * step / unit);
  return {ends.lower * unit + shift, ends.upper * unit + shift};
}

SurfaceBootstrap surface_bootstrap(const SurfaceSolution& solution, const FitOptions& options,
                                   double dof, std::uint64_t random_stream, int threads) {
  const std::size_t resamples = options.bootstrap.resamples;
  std::vector<std::array<double, kFigures>> refits(resamples);
  parallel_for(threads, (resamples + kSurfaceBlock - 1) / kSurfaceBlock,
               [&](std::size_t block, int /*worker*/) {
                 RandomStream stream(options.bootstrap.seed, random_stream, block);
                 SurfacePoints drawn;
                 for (std::size_t r = block * kSurfaceBlock;
                      r < std::min(resamples, (block + 1) * kSurfaceBlock); ++r) {
                   draw_runs(solution.points, stream, drawn);
                   refits[r] = refit(solution, drawn);
                 }
               });
  std::erase_if(refits, [](const auto& figures) { return !std::isfinite(figures[0]); });
  SurfaceBootstrap out;
  out.usable = static_cast<std::uint32_t>(refits.size());
  if (refits.size() < 2 ||
      static_cast<double>(refits.size()) < (1 - kMostFailures) * static_cast<double>(resamples)) {
    return out;
  }
  const double reach = student_t_factor(options.confidence, dof);
  const auto figure = [&](std::size_t k, bool complement) {
    std::vector<double> draws;
    for (const auto& figures : refits) draws.push_back(complement ? 1 - figures[k] : figures[k]);
    return percentile_estimate(draws, reach);
  };
  for (std::size_t k = 0; k < solution.points.form.parameters; ++k) {
    out.parameters.push_back(figure(k, false));
  }
  const bool has_split = std::ranges::all_of(
      refits, [](const auto& figures) { return figures[3] > 0 && figures[4] > 0; });
  if (has_split) {
    out.split = {figure(kSurfaceParameters, false), figure(kSurfaceParameters, true)};
  }
  return out;
}

}  // namespace scalelaw
