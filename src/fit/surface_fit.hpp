#pragma once

#include "fit/surface_loss.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// The loss of a fit and its minimum.
struct SurfaceSolution {
  SurfacePoints points;
  double delta = 0;
  SurfaceMinimum minimum;

  bool has_floor() const;
};

/// Parameters (ln A, ln B, E, alpha, beta) in the units of the data.
SmallVector reported_theta(const SurfacePoints& points, const SmallVector& theta);

/// The values of a parameter, on the law's working scale, for which twice the rise of the loss
/// times `factor` stays below the square of `reach`. Ends that the runs leave open are infinite.
/// @param step  Standard error of the parameter, or a guess.
Interval surface_profile(const SurfaceSolution& solution, std::size_t parameter, double factor,
                         double step, double reach);

/// Refits of runs drawn with replacement, with percentile intervals. No parameters if more than one
/// in ten refits does not converge.
struct SurfaceBootstrap {
  std::uint32_t usable = 0;  ///< Refits that converged.
  std::vector<BootstrapEstimate> parameters;
  std::optional<std::array<BootstrapEstimate, 2>> split;
};
SurfaceBootstrap surface_bootstrap(const SurfaceSolution& solution, const FitOptions& options,
                                   double dof, std::uint64_t random_stream, int threads);

}  // namespace scalelaw
