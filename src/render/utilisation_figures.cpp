// Utilisation of GPUs over N.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "render/figure_labels.hpp"
#include "render/figure_parts.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/observations.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

/// The mean of the runs at each x, with their range if there are several.
FigurePoints means_over(const std::string& label, const std::string& x_name,
                        const std::vector<double>& x, const std::vector<double>& y,
                        const std::string& unit) {
  FigurePoints points;
  for (const MeanAt& at : means_at(x, y)) {
    points.add(at.x, at.mean,
               fmt::format("{}, {}: {:.3g}{}", label, place_on_scale(x_name, at.x), at.mean, unit),
               at.max > at.min ? std::optional<Interval>({at.min, at.max}) : std::nullopt);
  }
  return points;
}

/// Tells which group changes most from the least to the greatest x, in each panel.
std::string greatest_changes(const Figure& figure, const std::string& x, const std::string& unit) {
  const auto change = [](const FigureSeries& series) {
    return std::abs(series.points.y.back() - series.points.y.front());
  };
  std::string text;
  for (const FigurePanel& panel : figure.panels) {
    const FigureSeries* most = nullptr;
    for (const FigureSeries& series : panel.series) {
      if (series.points.y.size() < 2) continue;
      if (most == nullptr || change(series) > change(*most)) most = &series;
    }
    if (most == nullptr) continue;
    const FigurePoints& points = most->points;
    text += fmt::format(
        " Most change in {}: {}, from {}{} at {} to {}{} at {}.", panel.title, most->label,
        with_significant_digits(points.y.front(), 3), unit, place_on_scale(x, points.x.front()),
        with_significant_digits(points.y.back(), 3), unit, place_on_scale(x, points.x.back()));
  }
  return text;
}

/// A panel of multiprocessors and one of memory. The caption goes on with the greatest changes.
Figure over_scale(const StudyAxes& axes, std::span<const GroupUtilisation> all, const Axis& y,
                  const std::string& unit, std::string caption) {
  const std::vector<GroupUtilisation> groups = first_shown(all, kMostTogether);
  const GroupLabels names = labels_of(axes, groups);
  Figure figure{.title = names.shared(), .legend = names.columns(), .caption = std::move(caption)};
  for (const bool memory : {false, true}) {
    FigurePanel panel{.title = memory ? "memory" : "streaming multiprocessors",
                      .x = scale_axis(axes.x, true),
                      .y = y};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      FigureSeries series{.label = names.of(groups[i].group),
                          .style = style_of(axes, groups[i].group, i),
                          .connected = true};
      series.points = means_over(series.label, axes.x, groups[i].x,
                                 memory ? groups[i].memory : groups[i].sm, unit);
      panel.series.push_back(std::move(series));
    }
    figure.panels.push_back(std::move(panel));
  }
  figure.caption += greatest_changes(figure, axes.x, unit);
  tell_left_out(figure, all.size() - groups.size());
  return figure;
}

/// Tells which group's memory utilisation changes most between two panels.
std::string greatest_move(const Figure& figure) {
  const auto& from = figure.panels.front().series;
  const auto& to = figure.panels.back().series;
  std::optional<std::size_t> most;
  const auto change = [&](std::size_t i) {
    return std::abs(mean_of(to[i].points.y) - mean_of(from[i].points.y));
  };
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].points.y.empty() || to[i].points.y.empty()) continue;
    if (!most || change(i) > change(*most)) most = i;
  }
  if (!most) return "";
  const FigurePoints& first = from[*most].points;
  const FigurePoints& last = to[*most].points;
  const auto text = [](double percent) { return with_significant_digits(percent, 3) + " %"; };
  return fmt::format(
      " Memory changes most for {}: from {} to {}, with the multiprocessors at {} and {}.",
      from[*most].label, text(mean_of(first.y)), text(mean_of(last.y)), text(mean_of(first.x)),
      text(mean_of(last.x)));
}

}  // namespace

Figure utilisation_figure(const StudyAxes& axes, std::span<const GroupUtilisation> groups) {
  return over_scale(
      axes, groups, {.label = "mean utilisation [%]", .least = 0, .greatest = 105}, " %",
      fmt::format("Mean utilisation of multiprocessors and memory over {}, with the range of runs.",
                  axes.x));
}

Figure variation_figure(const StudyAxes& axes, std::span<const GroupUtilisation> groups) {
  return over_scale(axes, groups, {.label = "coefficient of variation", .least = 0}, "",
                    fmt::format("Variation of utilisation during training (standard deviation over "
                                "mean) over {}.",
                                axes.x));
}

Figure joint_figure(const StudyAxes& axes, std::span<const GroupUtilisation> all) {
  const std::vector<GroupUtilisation> groups = first_shown(all, kMostTogether);
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (const GroupUtilisation& group : groups) {
    for (const double x : group.x) {
      least = std::min(least, x);
      greatest = std::max(greatest, x);
    }
  }
  const GroupLabels names = labels_of(axes, groups);
  Figure figure{.title = names.shared(), .legend = names.columns()};
  for (const double x : {least, greatest}) {
    FigurePanel panel{.title = place_on_scale(axes.x, x),
                      .x = {.label = "SM utilisation [%]", .least = 0, .greatest = 105},
                      .y = {.label = "memory utilisation [%]", .least = 0, .greatest = 105}};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      FigureSeries series{.label = names.of(groups[i].group),
                          .style = style_of(axes, groups[i].group, i)};
      for (std::size_t k = 0; k < groups[i].x.size(); ++k) {
        if (groups[i].x[k] != x) continue;
        series.points.add(groups[i].sm[k], groups[i].memory[k],
                          fmt::format("{}: SM {:.3g} %, memory {:.3g} %", series.label,
                                      groups[i].sm[k], groups[i].memory[k]));
      }
      panel.series.push_back(std::move(series));
    }
    figure.panels.push_back(std::move(panel));
  }
  figure.caption = fmt::format(
      "Memory against multiprocessor utilisation of runs on {} and on {}. Multiprocessors wait "
      "where points lie further left, and memory is used less where they lie lower.{}",
      place_on_scale(axes.x, least), place_on_scale(axes.x, greatest), greatest_move(figure));
  tell_left_out(figure, all.size() - groups.size());
  return figure;
}

}  // namespace scalelaw
