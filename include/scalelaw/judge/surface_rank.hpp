#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scalelaw/fit/surface.hpp"
#include "scalelaw/judge/surface_forecast.hpp"

namespace scalelaw {

/// What a law is a function of, where runs have two scales.
enum class LawScale {
  kBoth,
  kFirst,
  kSecond,
  kProduct,  ///< K * n * d, the compute.
};

struct SurfaceRankOptions {
  /// Laws of one or two x. A law of one x is tried over each scale and over the compute. Empty:
  /// default_surface_laws().
  std::vector<const Law*> laws;
  double flops_per_parameter_token = 6;  ///< K.
  double confidence = 0.95;
  std::size_t levels =
      0;  ///< How many of the largest sizes are held out, as for without_largest().
};

/// All laws of two x, then power and floor.
std::span<const Law* const> default_surface_laws();

/// A law over some of the scales, fitted by least squares of ln y.
struct RankedSurfaceLaw {
  const Law* law = nullptr;
  LawScale over = LawScale::kBoth;
  Outcome<Fit> result;
  std::size_t k = 0;                ///< Parameters that the fit finds, sigma counted.
  std::optional<double> aicc = {};  ///< Of ln y; empty at n <= k + 1 and for exact fits.
  std::optional<double> delta = {};
  std::optional<double> weight = {};       ///< Akaike weight; they sum to 1.
  std::optional<LogErrors> held_out = {};  ///< Of the largest runs by the law fitted to the others.
};

/// The runs that were held out of all laws.
struct HeldOutRuns {
  std::uint64_t n;      ///< Runs,
  double least_hidden;  ///< the least of their sizes,
  double most_kept;     ///< and the greatest size of the others.
};

/// The judgement on laws of one group over two scales.
struct SurfaceRanking {
  std::uint64_t n = 0;
  std::vector<RankedSurfaceLaw> laws;  ///< By aicc; those without one come last, in their order.
  std::size_t tied = 0;  ///< How many of the first lie within 2 of the least aicc: 1 is a winner.
  std::optional<HeldOutRuns> held_out = {};
  std::optional<std::size_t> closest = {};  ///< The law with the least error of what was held out.
};

/// Ranks laws of several scales by the corrected Akaike criterion, and by how well they foretell
/// the largest sizes from the others.
///
/// Model: ln y = eta(x) + independent normal scatter of equal variance, so that all laws share one
/// likelihood. Rows that share errors make differences in aicc too large; what is held out does not
/// suffer from that. A law without a fit stays there, with the reason.
///
/// Source: Burnham and Anderson (2002), sec. 2.6.
SurfaceRanking rank_surface(const SurfaceRuns& runs, const SurfaceRankOptions& options);

/// The same for every group. @param threads  0: all processors. The result does not depend on it.
std::vector<Grouped<SurfaceRanking>> rank_surfaces(std::span<const SurfaceRuns> groups,
                                                   const SurfaceRankOptions& options, int threads);

}  // namespace scalelaw
