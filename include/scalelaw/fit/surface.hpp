#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/surface_runs.hpp"

namespace scalelaw {

/// Fits L = E + A N^(-alpha) + B D^(-beta), the law "chinchilla", with A, B > 0 and E >= 0, or the
/// same in other parameters ("overtrain").
///
/// Model: ln y = ln L(N, D) plus independent scatter of equal spread and median 0; under
/// Errors::kNormal y = L(N, D) plus such scatter. The fit minimises a sum over runs. It is Huber's
/// loss of the residuals, which turns from quadratic to linear at options.huber_delta
/// (Robust::kHuber), or their squares (Robust::kNone). Where L lies above y, a run counts
/// options.over_penalty times.
/// Exponents may have either sign. Descents by BFGS and then Newton steps start from the best
/// places of a grid of exponents and shares of the terms, so the result does not depend on the
/// units. Fit::surface tells how many descents end in the lowest minimum, and how flat it is there.
///
/// The covariance is the sandwich of M-estimates. Intervals are profiles of the loss in units of
/// the scatter (docs/explanation/two-scales.md). The bootstrap draws runs with replacement.
///
/// Rows of one cluster may share errors. With options.se kCluster or kCr2 the covariance allows for
/// that, and the bootstrap draws whole clusters.
///
/// @param n,  d, y As many values each, all > 0.
/// @param threads  For the bootstrap; the result does not depend on it.
/// @param cluster  Which cluster each row is of; empty if all are independent.
/// @throws FitError too-few-points below 6 runs, too-few-x below 3 different values of a scale,
/// not-identifiable if the scales move together or the runs do not separate the terms,
/// not-converged.
/// @throws std::invalid_argument if the law does not have two x, or sizes differ.
///
/// Source: Hoffmann et al. (2022), approach 3; Huber and Ronchetti (2009), ch. 7. Checked against
/// the replication of Besiroglu et al. (2024) and mpmath (tests/fit/oracle/make_surface_oracle.py).
Fit fit_surface(std::span<const double> n, std::span<const double> d, std::span<const double> y,
                const FitOptions& options, std::uint64_t random_stream = 0, int threads = 1,
                std::span<const std::uint32_t> cluster = {});

/// The same for the rows of one group, whose name names the random numbers. For a law of three x
/// ("data-constrained") runs.unique has the unique tokens of each row. That law needs positive
/// exponents, and its starts have constants R_D and R_N of a grid, too.
/// @throws FitError not-identifiable also if R_D is to be fitted and no run sees a token twice.
Fit fit_surface(const SurfaceRuns& runs, const FitOptions& options, int threads = 1);

/// What tokens are worth that are seen several times, for a law of three x.
struct RepeatedTokens {
  double unique;        ///< Tokens that differ.
  double effective_n;   ///< As many parameters with fresh tokens give the same loss,
  double effective_d;   ///< and so many fresh tokens.
  double fresh_median;  ///< The surface if all tokens were fresh.
};

/// A value of a surface with its uncertainty.
struct SurfacePoint {
  double n;
  double d;
  double median;                    ///< The surface: the median of y at (n, d).
  std::optional<Interval> ci = {};  ///< For the surface, by the delta method on the fit's scale.
  std::optional<Interval> pi = {};  ///< For one new run.
  /// How far the logarithm of a scale, the farthest one, lies beyond the runs, in units of its
  /// range; 0 inside.
  double extrapolation = 0;
  std::optional<RepeatedTokens> repeats = {};  ///< For a law of three x.
};

/// The fitted surface at (n, d), both > 0, from the reported figures alone. A fit that was saved
/// and read again therefore gives the same bits.
/// @param unique  Tokens of d that differ, for a law of three x; empty: all.
SurfacePoint surface_at(const Fit& fit, double n, double d, double confidence,
                        std::optional<double> unique = {});

/// The n and d with product n * d = c at which the surface is least.
struct SurfaceOptimum {
  SurfacePoint point;
  std::optional<Interval> n_ci = {};  ///< By the delta method on ln n.
  std::optional<Interval> d_ci = {};
};

/// For a law of three x all tokens are fresh. Empty if an exponent is not positive, because the
/// surface then has no least value.
/// Source: Hoffmann et al. (2022), eq. 4.
std::optional<SurfaceOptimum> surface_optimum(const Fit& fit, double product, double confidence);

/// The fits of all groups in their order. A group without one has the reason.
/// @param threads  0: all processors. The result does not depend on it.
std::vector<GroupFit> fit_surfaces(std::span<const SurfaceRuns> groups, const FitOptions& options,
                                   int threads);

}  // namespace scalelaw
