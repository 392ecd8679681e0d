#include "judge/base_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

/// Of ln y: what is less is rounding.
constexpr double kLeastError = 1e-12;

/// The series as one of a history. Where each night has one run, its error is a part of what nights
/// differ by, and counts as none of its own.
GroupHistory history_of(const BaseSeries& series, ChangeDraws& draws) {
  GroupHistory history{.group = series.group};
  for (const NightFigure& night : series.nights) {
    history.points.push_back({.estimate = night.value,
                              .se = std::max(kLeastError, std::sqrt(night.sampling.value)),
                              .dof = night.sampling.dof});
  }
  history.change = change_point(history.points, draws);
  return history;
}

BaseChange change_in(const BaseSeries& series, const ChangePoint& change) {
  const std::size_t first = series.nights[change.first_after].night;
  const std::size_t nights = series.pair->nights();
  const bool is_worse = (change.change > 0) == series.less_is_better;
  std::vector<std::string> worse_nights;
  for (std::size_t i = is_worse ? first : 0; i < (is_worse ? nights : first); ++i) {
    worse_nights.push_back(name_of_night(*series.pair, i));
  }
  return {.since = name_of_night(*series.pair, first),
          .nights = nights - first,
          .is_worse = is_worse,
          .worse_nights = std::move(worse_nights),
          .y = series.pair->base.y,
          .group = series.group,
          .figure = series.figure,
          .scale = series.pair->base.x,
          .x = series.x,
          .change = change.change};
}

/// Whether nothing but the spread of the nights tells how sure a change is.
bool has_no_errors(const BaseSeries& series) {
  return std::ranges::none_of(series.nights,
                              [](const NightFigure& night) { return night.sampling.value > 0; });
}

/// The p value below which a series has changed. One of a run per night is judged by few
/// comparisons, and a false change of it would make the gate fail too often.
double level_of(const BaseSeries& series, double confidence) {
  constexpr double kSurer = 5;
  return (1 - confidence) / (has_no_errors(series) ? kSurer : 1);
}

}  // namespace

std::string name_of_night(const GatePair& pair, std::size_t night) {
  const std::string& name = pair.night(night).night;
  if (name.empty()) return fmt::format("night {} of {}", night + 1, pair.nights());
  // A version, a date of digits and a hash of digits say what they are.
  constexpr std::size_t kMostDigits = 4;
  const bool is_count =
      name.size() <= kMostDigits && parse_number(name) && name.find('.') == std::string::npos;
  return is_count ? "night " + name : name;
}

std::optional<BaseChange> change_of_base(const std::vector<BaseSeries>& series,
                                         const GateOptions& options) {
  if (options.change.draws == 0) return std::nullopt;
  ChangeDraws draws(options.change);
  std::vector<GroupHistory> histories;
  for (const BaseSeries& one : series) histories.push_back(history_of(one, draws));
  adjust_for_groups(histories);
  std::optional<std::size_t> surest;
  std::set<std::pair<const GatePair*, GroupKey>> groups;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!has_changed(histories[i], 1 - level_of(series[i], options.confidence))) continue;
    groups.emplace(series[i].pair, series[i].group);
    const auto statistic = [&histories](std::size_t at) { return histories[at].change->statistic; };
    if (!surest || statistic(i) > statistic(*surest)) surest = i;
  }
  if (!surest) return std::nullopt;
  BaseChange change = change_in(series[*surest], *histories[*surest].change);
  change.groups = groups.size();
  return change;
}

}  // namespace scalelaw
