#include "scalelaw/judge/advice.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "judge/levels.hpp"

namespace scalelaw {
namespace {

/// The warnings of a fit with which trust is not high: of a curve that does not describe its runs,
/// or that one run moves.
constexpr std::array kDoubts{WarningCode::kCurved, WarningCode::kLackOfFit,
                             WarningCode::kInfluential, WarningCode::kOutlier};

/// The measured scales, the greatest first.
std::vector<double> scales_from_greatest(std::span<const Cell> cells) {
  const std::vector<std::size_t> begins = level_begins(cells);
  std::vector<double> scales;
  for (std::size_t k = begins.size() - 1; k-- > 0;) scales.push_back(cells[begins[k]].x);
  return scales;
}

/// The forecast at the greatest of the scales at which the curve keeps enough, else at the last.
/// Without an ideal it is that at the scale of the best response by the curve.
ScaleOutlook advised_scale(std::span<const double> scales, const Outlook& outlook,
                           const OutlookOptions& options, Ideal ideal) {
  OutlookOptions asked;
  asked.hours_per_unit = options.hours_per_unit;
  asked.footprint = options.footprint;
  std::optional<ScaleOutlook> best;
  for (const double x : scales) {
    asked.at = {x};
    ScaleOutlook there = outlook_of(outlook.forecast, outlook.energy, asked).scales.front();
    if (ideal == Ideal::kNone) {
      if (!best || there.y.speedup > best->y.speedup) best = std::move(there);
      continue;
    }
    if (is_efficient(there.y.speedup, x / scales.back(), ideal) || x == scales.back()) return there;
  }
  if (best) return *best;
  throw std::invalid_argument("advise: there is no scale");
}

/// The greater distance of the ends of the interval from the median, as a share of it.
std::optional<double> reach_of(const Prediction& at) {
  if (!at.pi) return std::nullopt;
  return std::max(at.pi->upper / at.median - 1, 1 - at.pi->lower / at.median);
}

/// What the ranking says against a forecast.
std::optional<TrustLimit> doubt_in(const Ranking& ranking) {
  if (finds(ranking.corrected.held_out)) return TrustLimit::kMissed;
  if (finds(ranking.corrected.departure)) return TrustLimit::kBent;
  if (finds_lack_of_fit(ranking.corrected)) return TrustLimit::kUneven;
  return std::nullopt;
}

/// The first warning that speaks against a forecast.
std::optional<WarningCode> warning_in(std::span<const WarningCode> warnings) {
  const auto found = std::ranges::find_first_of(warnings, kDoubts);
  return found == warnings.end() ? std::nullopt : std::optional(*found);
}

void judge_trust(const Forecast& forecast, const Ranking& ranking,
                 std::span<const WarningCode> warnings, Advice& advice) {
  if (!advice.reach) {
    advice.limit = TrustLimit::kNoInterval;
    return;
  }
  if (forecast.distinct_x < kScalesOfBend) {
    advice.limit = TrustLimit::kFewScales;
    return;
  }
  auto doubt = doubt_in(ranking);
  const bool is_far = *advice.reach > kFarRuns;
  if (!doubt && !is_far) advice.warning = warning_in(warnings);
  if (advice.warning) doubt = TrustLimit::kWarned;
  if (doubt) advice.limit = *doubt;
  if (is_far) return;
  advice.trust = doubt || *advice.reach > kCloseRuns ? Trust::kFair : Trust::kHigh;
}

}  // namespace

Advice advise(std::span<const Cell> cells, const Outlook& outlook, const Ranking& ranking,
              const OutlookOptions& options, Ideal ideal, std::span<const WarningCode> warnings) {
  const std::vector<double> scales = scales_from_greatest(cells);
  Advice advice{.at = advised_scale(scales, outlook, options, ideal)};
  advice.reach = reach_of(advice.at.y);
  judge_trust(outlook.forecast, ranking, warnings, advice);
  return advice;
}

}  // namespace scalelaw
