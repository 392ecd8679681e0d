#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scalelaw/fit/surface.hpp"

namespace scalelaw {

/// By what runs over two scales count as large.
enum class SizeMeasure {
  kFirst,    ///< The first scale, such as the parameters of a model.
  kProduct,  ///< The product of both, which is proportional to the compute.
};

/// "size", "compute".
std::string_view name_of(SizeMeasure measure);

/// Runs over two scales without the largest ones, and these.
struct SplitRuns {
  SurfaceRuns kept;
  SurfaceRuns hidden;
  double most_kept;     ///< Their greatest measure,
  double least_hidden;  ///< and the least one of those hidden.
};

/// Hides the runs of the `levels` largest measures. Values within 1 % of the greatest one of a
/// level are one level. Nothing if no run would be left, or `levels` is 0.
std::optional<SplitRuns> without_largest(const SurfaceRuns& runs, SizeMeasure measure,
                                         std::size_t levels);

/// A run that was hidden, and what the others say of it.
struct HiddenRun {
  double n;
  double d;
  double y;
  double median;                    ///< Of y, by the law fitted to the others.
  std::optional<Interval> pi = {};  ///< Of one new run there.
  double log_error;                 ///< ln y - ln median: > 0 was larger than forecast.
  std::optional<bool> inside = {};  ///< Whether y lies in pi.
};

/// Sizes of errors in ln y.
struct LogErrors {
  double rms = 0;       ///< Root of their mean square.
  double median = 0;    ///< Of their sizes.
  double greatest = 0;  ///< Of their sizes.
  double mean = 0;      ///< With their sign.
};
/// @param errors  At least one.
LogErrors log_errors_of(std::span<const double> errors);

/// How forecasts of the largest runs from the others turned out.
struct SurfaceBacktest {
  std::uint64_t kept = 0;  ///< Runs behind the forecasts.
  double most_kept;        ///< As in SplitRuns.
  double least_hidden;
  std::vector<HiddenRun> runs = {};  ///< In the order of the table.
  LogErrors errors = {};
  std::uint64_t intervals = 0;          ///< Hidden runs with an interval,
  std::optional<double> coverage = {};  ///< and the share of these that it holds.
};

struct SurfaceBacktestOptions {
  SizeMeasure measure = SizeMeasure::kFirst;
  std::size_t levels = 0;  ///< As for without_largest().
};

/// Fits the runs but the largest ones, and forecasts these.
/// @throws FitError as fit_surface() of the runs that are left; too-few-x if none is left.
SurfaceBacktest backtest_surface(const SurfaceRuns& runs, const FitOptions& fit,
                                 const SurfaceBacktestOptions& options);

/// The same for every group. @param threads  0: all processors. The result does not depend on it.
std::vector<Grouped<SurfaceBacktest>> backtest_surfaces(std::span<const SurfaceRuns> groups,
                                                        const FitOptions& fit,
                                                        const SurfaceBacktestOptions& options,
                                                        int threads);

}  // namespace scalelaw
