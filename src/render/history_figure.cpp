#include "scalelaw/render/history_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "scalelaw/render/study_report.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostSeries = 12;

/// The fits in order of time: their times, and where each stands on the axis.
std::map<std::string, double> places_of(const std::vector<GroupHistory>& groups) {
  std::map<std::string, double> places;
  for (const GroupHistory& group : groups) {
    for (const HistoryPoint& point : group.points) places.emplace(point.kept_at, 0);
  }
  double next = 0;
  for (auto& [time, place] : places) place = next++;
  return places;
}

FigureCurve level(double first, double last, double value) {
  return {.x = {first, last}, .y = {value, value}, .dashed = true};
}

FigureSeries series_of(const HistoryReport& report, const GroupHistory& group,
                       const std::map<std::string, double>& places) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  FigureSeries series{.label = group_name(report.by, group.group), .connected = true};
  for (const HistoryPoint& point : group.points) {
    series.points.x.push_back(places.at(point.kept_at));
    series.points.y.push_back(point.estimate);
    series.points.lower.push_back(point.ci ? point.ci->lower : kNone);
    series.points.upper.push_back(point.ci ? point.ci->upper : kNone);
    series.points.notes.push_back(fmt::format("{} of {}", point.label, point.kept_at));
  }
  if (has_changed(report, group)) {
    const ChangePoint& change = *group.change;
    const auto& x = series.points.x;
    series.curves.push_back(level(x.front(), x[change.first_after - 1], change.before));
    series.curves.push_back(level(x[change.first_after], x.back(), change.after));
  }
  return series;
}

}  // namespace

Figure history_figure(const HistoryReport& report, const std::vector<GroupHistory>& groups) {
  const std::map<std::string, double> places = places_of(groups);
  FigurePanel panel{.x = {.label = "kept at", .scale = AxisScale::kCategories},
                    .y = {.label = fmt::format("{} of {}", report.parameter, report.y)}};
  for (const auto& [time, place] : places) panel.x.categories.push_back(time.substr(0, 10));
  std::size_t changed = 0;
  for (const GroupHistory& group : groups) {
    changed += has_changed(report, group) ? 1 : 0;
    if (panel.series.size() == kMostSeries) continue;
    panel.series.push_back(series_of(report, group, places));
    panel.series.back().style = panel.series.size() - 1;
  }
  Figure figure;
  figure.panels.push_back(std::move(panel));
  figure.caption = fmt::format(
      "{} of {} groups changed (dashed: levels before and after){}", changed, groups.size(),
      groups.size() > kMostSeries ? fmt::format("; the first {} are drawn", kMostSeries) : "");
  return figure;
}

}  // namespace scalelaw
