#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/bootstrap.hpp"
#include "fit/surface_fit.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/quantiles.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kBlock = 50;                        ///< Resamples that share a random stream.
constexpr std::size_t kFigures = kSurfaceParameters + 1;  ///< The parameters and the split of n.
constexpr double kMostFailures = 0.1;

/// Runs drawn with replacement, each listed once with its number of draws.
void draw_runs(const SurfacePoints& points, RandomStream& stream, SurfacePoints& out) {
  const auto n = static_cast<std::uint32_t>(points.size());
  std::vector<double> times(n);
  for (std::uint32_t i = 0; i < n; ++i) times[stream.below(n)] += 1;
  out.u.clear();
  out.v.clear();
  out.w.clear();
  out.weight.clear();
  out.centre = points.centre;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (times[i] == 0) continue;
    out.u.push_back(points.u[i]);
    out.v.push_back(points.v[i]);
    out.w.push_back(points.w[i]);
    out.weight.push_back(times[i]);
  }
}

/// Reported parameters and the split of a refit; NaN if it did not converge.
std::array<double, kFigures> refit(const SurfaceSolution& solution, const SurfacePoints& drawn) {
  std::array<double, kFigures> out{};
  const SurfaceMinimum found =
      descend_with_edge(SurfaceLoss(drawn, solution.delta), solution.minimum.theta);
  if (!found.converged()) {
    out.fill(std::numeric_limits<double>::quiet_NaN());
    return out;
  }
  const SmallVector theta = reported_theta(drawn, found.theta);
  out = {std::exp(theta[0]), std::exp(theta[1]), theta[2],
         theta[3],           theta[4],           theta[4] / (theta[3] + theta[4])};
  return out;
}

/// Expanded percentiles, like those of bootstrap_of.
BootstrapEstimate estimate_of(std::vector<double>& draws, double reach) {
  const auto count = static_cast<double>(draws.size());
  double mean = 0;
  for (const double draw : draws) mean += draw / count;
  double squares = 0;
  for (const double draw : draws) squares += (draw - mean) * (draw - mean);
  std::sort(draws.begin(), draws.end());
  const auto ends = quantiles_of(draws, std::array{normal_cdf(-reach), normal_cdf(reach)});
  return {.se = std::sqrt(squares / (count - 1)), .ci = {ends[0], ends[1]}};
}

}  // namespace

SurfaceBootstrap surface_bootstrap(const SurfaceSolution& solution, const FitOptions& options,
                                   double dof, std::uint64_t random_stream, int threads) {
  const std::size_t resamples = options.bootstrap.resamples;
  std::vector<std::array<double, kFigures>> refits(resamples);
  parallel_for(threads, (resamples + kBlock - 1) / kBlock, [&](std::size_t block, int /*worker*/) {
    RandomStream stream(options.bootstrap.seed, random_stream, block);
    SurfacePoints drawn;
    for (std::size_t r = block * kBlock; r < std::min(resamples, (block + 1) * kBlock); ++r) {
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
    return estimate_of(draws, reach);
  };
  for (std::size_t k = 0; k < kSurfaceParameters; ++k) out.parameters.push_back(figure(k, false));
  const bool has_split = std::all_of(refits.begin(), refits.end(), [](const auto& figures) {
    return figures[3] > 0 && figures[4] > 0;
  });
  if (has_split) {
    out.split = {figure(kSurfaceParameters, false), figure(kSurfaceParameters, true)};
  }
  return out;
}

}  // namespace scalelaw
