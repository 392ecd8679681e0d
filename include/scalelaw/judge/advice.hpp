#pragma once

#include <optional>
#include <span>

#include "scalelaw/base/trust.hpp"
#include "scalelaw/judge/forecasts.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/judge/rank.hpp"

namespace scalelaw {

/// What limits the trust most.
enum class TrustLimit {
  kScatter,     ///< Nothing but the scatter of new runs.
  kNoInterval,  ///< There are too few runs for an interval.
  kFewScales,   ///< There are fewer than kScalesOfBend scales, so a bend would go unseen.
  kMissed,      ///< The runs at the greatest scale lie outside what the others forecast.
  kBent,        ///< The runs contradict the power law, so its exponent is only an average.
  kUneven,      ///< The means lie further from the power law than repeated runs scatter.
  kWarned,      ///< The fit warns of its curve, or of one run that moves it.
};

/// Fewer scales cannot show a bend of the curve.
inline constexpr std::uint64_t kScalesOfBend = 4;
/// New runs come this close to the median, as a share of it, where trust is high,
inline constexpr double kCloseRuns = 0.2;
/// and where it is not low.
inline constexpr double kFarRuns = 0.5;

/// The scale to use: the greatest measured one at which the curve of the forecast keeps kEfficient
/// of the ideal speedup over the least one, else that least one. Where there is no
/// ideal, that of the best response by the curve.
struct Advice {
  ScaleOutlook at;                   ///< The forecast there, as predict() gives it.
  std::optional<double> reach = {};  ///< How far new runs lie from the median, as a share.
  Trust trust = Trust::kLow;
  TrustLimit limit = TrustLimit::kScatter;
  std::optional<WarningCode> warning = {};  ///< Of kWarned, the first one.
};

/// @param cells    By x, at least one; the forecast was made from them.
/// @param ranking  Of the same cells.
/// @param warnings  Of the fit that is reported of them.
/// @param options  Of GPU-hours, energy, CO2 and cost. Its scales and demands are not looked at.
/// @throws FitError if the law has no value at a scale.
Advice advise(std::span<const Cell> cells, const Outlook& outlook, const Ranking& ranking,
              const OutlookOptions& options, Ideal ideal = Ideal::kFaster,
              std::span<const WarningCode> warnings = {});

}  // namespace scalelaw
