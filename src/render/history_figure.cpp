#include "base/ranges.hpp"
#include "scalelaw/render/result_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "render/figure_parts.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/date.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
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

namespace {

/// The figure that stands for each group: the response at the middle, else its first one.
std::vector<const FigureHistory*> one_per_group(const std::vector<FigureHistory>& figures) {
  std::vector<const FigureHistory*> kept;
  for (const FigureHistory& figure : figures) {
    if (!figure.comparison.is_of_response()) continue;
    const bool is_same = !kept.empty() && kept.back()->group.y == figure.group.y &&
                         kept.back()->group.group == figure.group.group;
    if (!is_same) {
      kept.push_back(&figure);
    } else if (figure.comparison.is_middle) {
      kept.back() = &figure;
    }
  }
  std::ranges::stable_partition(kept, [](const auto* one) { return one->is_shown; });
  return kept;
}

/// Where nights stand on the axis: at their times, if all are dates, or one after another.
struct NightAxis {
  Axis axis = {};
  std::map<std::string, double> places = {};
};

NightAxis axis_of(const std::vector<const FigureHistory*>& drawn) {
  NightAxis nights{.axis = {.label = "night", .scale = AxisScale::kTime}};
  std::vector<std::string> names;
  for (const FigureHistory* const one : drawn) {
    for (const FigureNight& night : one->nights) {
      if (nights.places.try_emplace(night.night).second) names.push_back(night.night);
    }
  }
  bool has_times = true;
  for (const std::string& name : names) {
    const auto date = read_date(name);
    has_times = has_times && date;
    if (date) nights.places[name] = static_cast<double>(date->seconds);
  }
  if (!has_times) {
    nights.axis = {.label = "night, in their order"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      nights.places[names[i]] = static_cast<double>(i + 1);
    }
  }
  const auto by_place = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [first, last] =
      std::minmax_element(nights.places.begin(), nights.places.end(), by_place);
  const double room = std::max(0.05 * (last->second - first->second), 0.5);
  nights.axis.least = first->second - room;
  nights.axis.greatest = last->second + room;
  return nights;
}

FigureSeries series_of(const FigureHistory& history, std::string name, const NightAxis& nights) {
  FigureSeries series{.label = std::move(name)};
  for (const FigureNight& night : history.nights) {
    series.points.add(nights.places.at(night.night), std::exp(night.value),
                      night.apart ? night.night + ", apart" : night.night);
  }
  for (std::size_t i = 0; i < history.levels.size(); ++i) {
    const bool is_last = i + 1 == history.levels.size();
    const std::string& end = is_last ? history.nights.back().night : history.levels[i + 1].since;
    series.curves.push_back(level(nights.places.at(history.levels[i].since), nights.places.at(end),
                                  std::exp(history.levels[i].mean.estimate), nights.axis));
  }
  return series;
}

}  // namespace

Figure nights_figure(const GateReport& report, const std::vector<FigureHistory>& figures) {
  std::vector<const FigureHistory*> drawn = one_per_group(figures);
  const std::size_t all = drawn.size();
  const auto changed = count_if(drawn, [](const auto* one) { return one->is_shown; });
  drawn.resize(std::min(drawn.size(), kMostPanels));
  if (drawn.empty()) throw DataError("plot history: no night has a figure to draw");
  std::vector<const GroupKey*> keys;
  for (const FigureHistory* const one : drawn) keys.push_back(&one->group.group);
  const GroupLabels names(report.by, keys);
  const NightAxis nights = axis_of(drawn);
  Figure figure{.title = names.shared()};
  for (const FigureHistory* const one : drawn) {
    FigurePanel panel{.x = nights.axis, .y = response_axis(one->group.y, true)};
    if (one->comparison.x) {
      const double x = *one->comparison.x;
      panel.y.label += " at " + (one->comparison.is_middle ? middle_of_scale(report.x, x)
                                                           : place_on_scale(report.x, x));
    }
    panel.title = names.count() == 0 ? "" : names.of(one->group.group);
    panel.series.push_back(series_of(*one, "", nights));
    figure.panels.push_back(std::move(panel));
  }
  figure.caption = fmt::format("{} of {} changed over {} (dashed: levels)", changed,
                               counted(all, "figure"), counted(nights.places.size(), "night"));
  figure.note = drawn_note(all - drawn.size());
  return figure;
}

}  // namespace scalelaw
