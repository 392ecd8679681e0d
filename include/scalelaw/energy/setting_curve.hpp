#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// Which end of a sweep.
enum class SweepEnd { kNone, kLower, kUpper };

/// "lower", "upper"; empty for none.
std::string_view name_of(SweepEnd end);

/// Where a smooth curve over a setting is least.
struct CurveMinimum {
  /// The minimum of the continuous curve. Empty if the curve is least at an end of the sweep,
  /// because it may fall further beyond.
  std::optional<double> setting;
  SweepEnd at_edge = SweepEnd::kNone;
  double level = 0;  ///< The measured setting that is nearest to it.
  /// An end is infinite where more than (1 - confidence) / 2 of the draws are least at that end of
  /// the sweep, because the minimum may lie beyond it.
  std::optional<Interval> ci;
};

/// A smooth curve through measurements over a setting, fitted to their logarithms.
struct SmoothCurve {
  std::vector<double> at;                   ///< The distinct settings, ascending.
  std::vector<std::uint64_t> counts;        ///< Runs at each setting.
  std::vector<double> value;                ///< exp of the curve there: the median of a run.
  std::vector<std::optional<Interval>> ci;  ///< Interval of each `value` by itself.
  std::vector<double> relative_slope;       ///< Derivative of the curve there: d ln y / d setting.
  double sigma = 0;                         ///< Scatter of ln y about the curve.
  CurveMinimum minimum;
};

/// The fewest distinct settings that a curve needs.
inline constexpr std::size_t kLeastSettingsOfCurve = 4;

/// Fits ln y = g(setting) plus independent normal scatter of one variance, where g is a natural
/// cubic smoothing spline with a knot at every setting. Settings whose greatest is more than 20
/// times the least, such as batch sizes, stand at their logarithms.
///
/// The fit averages over the roughness penalty by its restricted likelihood (flat in ln penalty)
/// and integrates the scatter out. Intervals come from `draws` joint posterior draws of the curve,
/// which are the same for the same points.
///
/// @param settings  n values, at least kLeastSettingsOfCurve of them distinct.
/// @param y  n values > 0.
/// @throws FitError too-few-x if fewer settings are distinct.
///
/// Source: Green and Silverman (1994), ch. 2; Wahba (1983); docs/explanation/caps.md. Checked
/// against an independent Gaussian-process form in NumPy.
SmoothCurve fit_smooth_curve(std::span<const double> settings, std::span<const double> y,
                             double confidence, std::uint32_t draws = 2000);

}  // namespace scalelaw
