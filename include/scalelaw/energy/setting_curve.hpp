#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// Which end of a sweep.
enum class SweepEnd { kNone, kLower, kUpper };

/// "lower", "upper"; empty for none.
std::string_view name_of(SweepEnd end);

/// Where a smooth curve over a setting is least.
struct CurveMinimum {
  /// On the continuous curve; empty where it is least at an end of the sweep, beyond which it may
  /// fall on.
  std::optional<double> setting;
  SweepEnd at_edge = SweepEnd::kNone;
  double level = 0;  ///< The measured setting at which the curve is least.
  /// An end is infinite where more than (1 - confidence) / 2 of the draws are least at that end of
  /// the sweep: the minimum may lie beyond it.
  std::optional<Interval> ci;
};

/// A smooth curve through measurements over a setting, on the scale of their logarithms.
struct SmoothCurve {
  std::vector<double> at;                   ///< The distinct settings, ascending.
  std::vector<std::uint64_t> counts;        ///< Runs at each.
  std::vector<double> value;                ///< exp of the curve there: the median of a run.
  std::vector<std::optional<Interval>> ci;  ///< Of `value`, at each setting by itself.
  std::vector<double> relative_slope;       ///< Derivative of the curve there: d ln y / d setting.
  double sigma = 0;                         ///< Scatter of ln y about the curve.
  CurveMinimum minimum;
};

/// Settings that a curve needs at least.
inline constexpr std::size_t kLeastSettingsOfCurve = 4;

/// Fits ln y = g(setting) plus independent normal scatter of one variance, g a natural cubic
/// smoothing spline with a knot at every setting.
///
/// The roughness penalty is averaged over by its restricted likelihood (flat in ln penalty), and
/// the scatter integrated out: intervals come from `draws` joint posterior draws of the curve,
/// which are the same for the same points.
///
/// @param settings  n values, at least kLeastSettingsOfCurve of them distinct.
/// @param y         n values > 0.
/// @throws FitError too-few-x with fewer distinct settings.
///
/// Source: Green and Silverman (1994), ch. 2; Wahba (1983); docs/methods.md, "Caps". Checked
/// against an independent Gaussian-process form in NumPy.
SmoothCurve fit_smooth_curve(std::span<const double> settings, std::span<const double> y,
                             double confidence, std::uint32_t draws = 2000);

}  // namespace scalelaw
