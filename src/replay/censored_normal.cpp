#include "replay/censored_normal.hpp"

#include <algorithm>
#include <cmath>

#include "scalelaw/base/random.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

// Measured (docs/explanation/replay.md): with these sweeps a draw after news is practically
// independent of its starting point, and so are two draws in a row without news.
constexpr int kSweeps = 1;
constexpr int kSweepsAfterNews = 12;
constexpr int kMostWidenings = 60;

/// Of the costs, with stopped runs as if they had cost their bound.
CostSpread rough_spread(const CostMoments& costs, std::span<const StoppedRuns> stopped,
                        double prior_squares) {
  double n = costs.n;
  double sum = 0;
  double squares = prior_squares + costs.squares;
  for (const StoppedRuns& one : stopped) {
    const double above = std::max(one.bound - costs.mean, 0.0);
    n += one.n;
    sum += one.n * above;
    squares += one.n * above * above;
  }
  return {costs.mean + sum / n, std::sqrt(squares / (kPriorDof + n - 1))};
}

/// The posterior in theta = (mean - mean of the costs seen) / deviation, and in log_deviation.
struct Posterior {
  const CostMoments& costs;
  std::span<const StoppedRuns> stopped;
  double squares;  ///< Sums of squares of the prior and the costs.

  /// ln density up to a constant.
  double log_density(double theta, double log_deviation) const {
    const double per_deviation = std::exp(-log_deviation);
    double log = -(kPriorDof + costs.n - 1) * log_deviation -
                 0.5 * squares * per_deviation * per_deviation - 0.5 * costs.n * theta * theta;
    for (const StoppedRuns& one : stopped) {
      log += one.n * log_normal_cdf(theta - (one.bound - costs.mean) * per_deviation);
    }
    return log;
  }
};

/// One step of a slice sampler: stepping out, then shrinkage.
template <class LogDensity>
double slice_step(RandomSource& random, double x, double width, LogDensity log_density) {
  const double level = log_density(x) + std::log1p(-random.uniform());
  double left = x - width * random.uniform();
  double right = left + width;
  for (int i = 0; i < kMostWidenings && log_density(left) > level; ++i) left -= width;
  for (int i = 0; i < kMostWidenings && log_density(right) > level; ++i) right += width;
  for (;;) {
    const double next = left + (right - left) * random.uniform();
    if (log_density(next) >= level || !(right - left > 0)) return next;
    (next < x ? left : right) = next;
  }
}

CostSpread swept(RandomSource& random, const Posterior& posterior, const CostSpread& from) {
  const double n = posterior.costs.n;
  double theta = (from.mean - posterior.costs.mean) / from.deviation;
  double log_deviation = std::log(from.deviation);
  theta = slice_step(random, theta, 2 / std::sqrt(n),
                     [&](double x) { return posterior.log_density(x, log_deviation); });
  log_deviation = slice_step(random, log_deviation, 2 / std::sqrt(kPriorDof + n),
                             [&](double x) { return posterior.log_density(theta, x); });
  const double deviation = std::exp(log_deviation);
  return {posterior.costs.mean + deviation * theta, deviation};
}

CostSpread uncensored_draw(RandomSource& random, const CostMoments& costs, double squares) {
  if (!(squares > 0)) return {costs.mean, 0};
  const double deviation = std::sqrt(squares / chi_squared_draw(random, kPriorDof + costs.n - 1));
  return {costs.mean + deviation / std::sqrt(costs.n) * random.normal(), deviation};
}

}  // namespace

CostSpread CensoredNormal::draw(RandomSource& random, const CostMoments& costs,
                                std::span<const StoppedRuns> stopped, double prior_squares) {
  if (stopped.empty()) return uncensored_draw(random, costs, prior_squares + costs.squares);
  const CostSpread rough = rough_spread(costs, stopped, prior_squares);
  if (!(rough.deviation > 0)) return {costs.mean, 0};
  if (!state_ || !(state_->deviation > 0)) state_ = rough;
  double runs = costs.n;
  for (const StoppedRuns& one : stopped) runs += one.n;
  const Posterior posterior{costs, stopped, prior_squares + costs.squares};
  const int sweeps = runs == seen_ ? kSweeps : kSweepsAfterNews;
  for (int i = 0; i < sweeps; ++i) state_ = swept(random, posterior, *state_);
  seen_ = runs;
  return *state_;
}

}  // namespace scalelaw
