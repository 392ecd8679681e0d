#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/surface_runs.hpp"

namespace scalelaw {

/// Degrees of freedom of linear functions of parameters whose errors are those of CR2. They differ
/// from function to function, because few clusters tell some of them.
///
/// Source: Pustejovsky and Tipton (2018), Satterthwaite degrees of freedom.
class DirectionDof {
 public:
  /// @param p  How many parameters there are.
  /// @param means  p x p: the mean of a function's variance estimate is its quadratic form.
  /// @param squares  p^2 x p^2: half the variance of that estimate, a form in products of pairs.
  DirectionDof(std::size_t p, std::vector<double> means, std::vector<double> squares);

  /// @param direction  p weights of the working parameters.
  /// @return  Empty if the function has no variance.
  std::optional<double> of(std::span<const double> direction) const;

 private:
  std::size_t p_;
  std::vector<double> means_;
  std::vector<double> squares_;
};

/// Errors of a least-squares solution whose rows share errors inside clusters.
struct ClusteredErrors {
  std::vector<double> covariance;  ///< columns x columns, row-major.
  std::shared_ptr<const DirectionDof> direction_dof;
};

/// CR2 of Bell and McCaffrey (2002).
///
/// @param design  n x columns, row-major, with the column of ones; columns of zeros are held.
/// @param residuals  n values, about the solution.
/// @return  Empty if clusters leave it undefined: fewer than two, or scores that cancel.
/// @throws std::invalid_argument if sizes differ.
std::optional<ClusteredErrors> clustered_errors(std::span<const double> design, std::size_t columns,
                                                std::span<const double> residuals,
                                                std::span<const std::uint32_t> cluster);

/// How many degrees of freedom a function of (ln A, ln B, E, alpha, beta) has in a fitted surface.
///
/// @param fit  By fit_surface() from these runs and options.
/// @return  Null if its errors are not CR2.
std::shared_ptr<const DirectionDof> surface_direction_dof(const Fit& fit, const SurfaceRuns& runs,
                                                          const FitOptions& options);

}  // namespace scalelaw
