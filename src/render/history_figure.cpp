#include "base/ranges.hpp"
#include "scalelaw/render/result_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "render/figure_parts.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

using Drawn = std::vector<const GroupHistory*>;

/// The groups that changed, then the others; both keep their order.
Drawn in_order_of_drawing(const HistoryReport& report, const std::vector<GroupHistory>& groups) {
  Drawn drawn;
  for (const GroupHistory& group : groups) drawn.push_back(&group);
  std::stable_partition(drawn.begin(), drawn.end(), [&](const GroupHistory* group) {
    return has_changed(*group, report.confidence) ||
           is_shown(group->curve.change, report.confidence);
  });
  return drawn;
}

/// The axis from the first fit to the last one; its label names what they have in common.
Axis time_axis(std::span<const GroupHistory* const> drawn) {
  constexpr double kAlone = 86400;  // The length of an axis with one time.
  const HistoryPoint* first = nullptr;
  const HistoryPoint* last = nullptr;
  for (const GroupHistory* group : drawn) {
    for (const HistoryPoint& point : group->points) {
      if (first == nullptr || point.time < first->time) first = &point;
      if (last == nullptr || point.time > last->time) last = &point;
    }
  }
  Axis axis{.label = "kept at (UTC)", .scale = AxisScale::kTime};
  if (first == nullptr) return axis;
  const auto begin = static_cast<double>(first->time);
  const auto end = static_cast<double>(last->time);
  const double room = end > begin ? 0.05 * (end - begin) : kAlone / 2;
  axis.least = begin - room;
  axis.greatest = end + room;
  constexpr double kDated = 5 * kAlone;       // Ticks of longer axes have the year.
  for (const std::size_t common : {10, 4}) {  // The day, or else the year.
    if (end - begin > kDated) break;
    if (first->kept_at.compare(0, common, last->kept_at, 0, common) != 0) continue;
    axis.label = fmt::format("kept at, {} (UTC)", first->kept_at.substr(0, common));
    break;
  }
  return axis;
}

/// A dashed level. The level of a single fit is one dash, long enough to be seen. A terminal draws
/// points and no lines, so there are as many points as a row of dots needs.
FigureCurve level(double first, double last, double value, const Axis& x) {
  const double length = *x.greatest - *x.least;
  const double missing = std::max(0.0, 0.04 * length - (last - first));
  const double begin = first - missing / 2;
  const double end = last + missing / 2;
  const auto steps = static_cast<int>(std::ceil(100 * (end - begin) / length));
  FigureCurve curve{.dashed = last > first};
  if (curve.dashed) curve.label = "level before or after a change";
  for (int i = 0; i <= steps; ++i) curve.add(begin + (end - begin) * i / steps, value);
  return curve;
}

/// What a series is called: its group by what tells it from the others, and its label where there
/// are several.
std::string name_of(const HistoryReport& report, const GroupLabels& names,
                    const GroupHistory& group) {
  if (report.labels.size() < 2) return names.of(group.group);
  return names.count() == 0 ? fmt::format("'{}'", group.label)
                            : fmt::format("{} ('{}')", names.of(group.group), group.label);
}

/// @param points  Of the group: its parameter or its curve.
FigureSeries series_of(const HistoryReport& report, std::string name,
                       const std::vector<HistoryPoint>& points,
                       const std::optional<ChangePoint>& found, const Axis& x_axis) {
  FigureSeries series{.label = std::move(name), .connected = true};
  if (report.level) series.points.bars = percent_text(*report.level) + " interval";
  for (const HistoryPoint& point : points) {
    series.points.add(static_cast<double>(point.time), point.estimate,
                      fmt::format("{} of {}", point.label, point.kept_at), point.ci);
  }
  if (is_shown(found, report.confidence)) {
    const ChangePoint& change = *found;
    const auto& x = series.points.x;
    series.curves.push_back(level(x.front(), x[change.first_after - 1], change.before, x_axis));
    series.curves.push_back(level(x[change.first_after], x.back(), change.after, x_axis));
  }
  return series;
}

/// The axis of curves: "epoch_seconds [s] at the middle (29 GPUs)", without the place where groups
/// differ in it.
Axis curve_axis(const HistoryReport& report, const Drawn& drawn) {
  std::set<std::string> places;
  for (const GroupHistory* group : drawn) {
    if (!group->curve.points.empty()) places.insert(middle_of_scale(report.x, group->curve.x));
  }
  Axis axis = response_axis(report.y, true);
  axis.label +=
      " at " + (places.size() == 1 ? *places.begin() : "the middle of " + units_of_scale(report.x));
  return axis;
}

/// The curves of the groups, in their styles; no panel where none is followed.
void add_curves(const HistoryReport& report, const GroupLabels& names, const Drawn& drawn,
                Figure& figure) {
  FigurePanel panel{.x = figure.panels.front().x, .y = curve_axis(report, drawn)};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const CurveHistory& curve = drawn[i]->curve;
    if (curve.points.empty()) continue;
    panel.series.push_back(
        series_of(report, name_of(report, names, *drawn[i]), curve.points, curve.change, panel.x));
    panel.series.back().style = i;
  }
  if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
}

/// How many of some groups changed in the parameter, and how many in the curve.
struct Changes {
  std::size_t parameter = 0;
  std::size_t curve = 0;
};

template <class Groups>
Changes changes_of(const HistoryReport& report, const Groups& groups) {
  Changes changes;
  for (const GroupHistory& group : groups) {
    changes.parameter += has_changed(group, report.confidence) ? 1 : 0;
    changes.curve += is_shown(group.curve.change, report.confidence) ? 1 : 0;
  }
  return changes;
}

std::string caption_of(const HistoryReport& report, const std::vector<GroupHistory>& groups,
                       std::size_t drawn) {
  const char* const kind = report.labels.size() > 1 ? "series" : "groups";
  const auto changed = count_if(groups, [&](const GroupHistory& group) {
    return has_changed(group, report.confidence) || is_shown(group.curve.change, report.confidence);
  });
  const Changes in = changes_of(report, groups);
  std::string text = fmt::format("{} of {} {} changed{}", changed, groups.size(), kind,
                                 report.follows_curve && changed > 0
                                     ? fmt::format(", {} in {} and {} in {}", in.parameter,
                                                   report.parameter, in.curve, report.y)
                                     : "");
  if (changed > 0) text += " (dashed: levels before and after)";
  if (drawn == groups.size()) return text;
  const char* const whom = changed == 0       ? "the first"
                           : changed >= drawn ? "the first that changed"
                                              : "those that changed and the first others";
  return text + fmt::format("; {} are drawn: {} of {}", whom, drawn, groups.size());
}

}  // namespace

Figure history_figure(const HistoryReport& report, const std::vector<GroupHistory>& groups) {
  Drawn drawn = in_order_of_drawing(report, groups);
  const bool together = drawn.size() <= kMostTogether;
  if (!together) drawn.resize(std::min(drawn.size(), kMostPanels));
  std::vector<const GroupKey*> keys;
  for (const GroupHistory* group : drawn) keys.push_back(&group->group);
  const GroupLabels names(report.by, keys);
  // A panel of its own shows of a group what changed in most of them.
  const Changes changes = changes_of(report, groups);
  const bool is_curve = !together && changes.curve > changes.parameter;
  FigurePanel frame{.x = time_axis(drawn),
                    .y = {.label = fmt::format("{} of {}", report.parameter, report.y)}};
  if (is_curve) frame.y = curve_axis(report, drawn);
  Figure figure{.title = names.shared()};
  if (together) {
    figure.legend = names.columns();
    figure.panels.push_back(frame);
  }
  for (const GroupHistory* group : drawn) {
    if (!together) figure.panels.push_back(frame);
    FigurePanel& panel = figure.panels.back();
    const std::string name = name_of(report, names, *group);
    panel.series.push_back(
        is_curve ? series_of(report, name, group->curve.points, group->curve.change, frame.x)
                 : series_of(report, name, group->points, group->change, frame.x));
    panel.series.back().style = panel.series.size() - 1;
    if (!together) panel.title = std::exchange(panel.series.back().label, "");
  }
  if (together) add_curves(report, names, drawn, figure);
  figure.caption = caption_of(report, groups, drawn.size());
  if (is_curve) figure.caption += fmt::format("; drawn is {}", report.y);
  figure.note = drawn_note(groups.size() - drawn.size());
  return figure;
}

}  // namespace scalelaw
