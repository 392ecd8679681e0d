#include "scalelaw/render/energy_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "render/figure_parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/observations.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

/// The first few groups that have a result.
template <class Value, class Group>
std::vector<std::pair<const Group*, const Value*>> told(std::span<const Group> groups,
                                                        std::size_t most) {
  std::vector<std::pair<const Group*, const Value*>> out;
  for (const Group& group : groups) {
    const Value* value = std::get_if<Value>(&group.result);
    if (value != nullptr && out.size() < most) out.emplace_back(&group, value);
  }
  return out;
}

/// Names the group whose energy grows most up to its greatest x.
std::string most_energy(const StudyAxes& axes, std::span<const GroupEnergy> groups) {
  const GroupEnergy* most = nullptr;
  const EnergyAtScale* at = nullptr;
  for (const auto& [group, scaling] : told<EnergyScaling>(groups, groups.size())) {
    const EnergyAtScale& last = scaling->scales.back();
    if (at != nullptr && last.energy.value <= at->energy.value) continue;
    most = group;
    at = &last;
  }
  if (at == nullptr) return "";
  return fmt::format(" Most: {} takes {:.3g} times the energy at {} {} for {:.3g} times the speed.",
                     label_of(most->group, "all runs"), at->energy.value, axes.x, scale_text(at->x),
                     at->speedup.value);
}

/// A line of energy over GPU-hours, in kWh.
void add_line(const Outcome<Fit>& result, double last, bool dashed, FigureSeries& series) {
  const Fit* fit = std::get_if<Fit>(&result);
  if (fit == nullptr) return;
  series.curves.push_back(curve_over(
      spaced(fit->x_min, last, 65, false), [fit](double hours) { return fit->curve(hours) / 1000; },
      dashed));
}

/// " A GPU takes from 98 W (A) to 230 W (B)."
std::string power_range(
    const std::vector<std::pair<const GroupEnergy*, const EnergyScaling*>>& drawn) {
  LabelledRange watts;
  for (const auto& [group, scaling] : drawn) {
    const Fit* const origin = std::get_if<Fit>(&scaling->gpu_hours.origin);
    if (origin == nullptr) continue;
    watts.add(origin->parameters.front().estimate, label_of(group->group, "all runs"));
  }
  if (watts.empty()) return "";
  return watts.is_one_value() ? fmt::format(" A GPU takes {:.3g} W.", watts.least())
                              : fmt::format(" A GPU takes {}.", watts.text("{:.3g} W"));
}

struct CapsPanel {
  std::string title;
  RelativeMean RelativeSetting::*value;
};

/// All settings of all groups and their references, in natural order.
std::vector<std::string> all_settings(std::span<const GroupCaps> groups) {
  std::vector<std::string> settings;
  for (const auto& [group, caps] : told<Caps>(groups, groups.size())) {
    settings.push_back(caps->reference);
    for (const RelativeSetting& setting : caps->overall.settings) {
      settings.push_back(setting.setting);
    }
  }
  std::sort(settings.begin(), settings.end(), natural_less);
  settings.erase(std::unique(settings.begin(), settings.end()), settings.end());
  return settings;
}

/// The place of a group at a setting, moved so that groups stand side by side.
double shifted(std::size_t place, std::size_t group, std::size_t groups) {
  const double width = groups > 1 ? 0.5 / static_cast<double>(groups - 1) : 0;
  return static_cast<double>(place) + (groups > 1 ? -0.25 : 0) + width * static_cast<double>(group);
}

/// The points of a group in one panel.
FigureSeries caps_series(const CapsPanel& part, const std::string& setting, const GroupKey& group,
                         const Caps& caps, const std::vector<std::string>& settings,
                         const std::function<double(std::size_t)>& place_of) {
  FigureSeries series{.label = label_of(group, "all runs")};
  for (std::size_t place = 0; place < settings.size(); ++place) {
    if (settings[place] == caps.reference) {
      series.points.add(place_of(place), 1, series.label + ": reference");
    }
    for (const RelativeSetting& one : caps.overall.settings) {
      if (one.setting != settings[place]) continue;
      const RelativeMean& mean = one.*part.value;
      series.points.add(
          place_of(place), mean.ratio,
          fmt::format("{}, {} {}: {} of the {} at {}", series.label, setting, one.setting,
                      percent_text(mean.ratio, 3), part.title, caps.reference),
          mean.ci);
    }
  }
  return series;
}

/// Tells the energy of every setting if they are few, else of the one that saves most.
std::string saving_of(const std::string& setting, const GroupKey& group, const Caps& caps) {
  const SettingComparison& found = caps.overall;
  const RecommendedSetting& best = found.recommended;
  const std::string& told = best.is_reference ? found.least_energy : best.setting;
  const bool few = found.settings.size() < 3;
  std::vector<std::string> takes;
  for (const RelativeSetting& one : found.settings) {
    if (!few && one.setting != told) continue;
    takes.push_back(fmt::format("{} {} takes {} of the energy and {} of the time", setting,
                                one.setting, percent_text(one.energy.ratio, 3),
                                percent_text(one.time.ratio, 3)));
  }
  return takes.empty() ? "" : fmt::format(" {}: {}.", label_of(group, "all runs"), joined(takes));
}

/// "250, 16".
std::string knobs_text(std::span<const std::string> knobs, const GroupKey& values) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    texts.push_back(fmt::format("{} {}", knobs[i], values[i]));
  }
  return joined(texts);
}

FigurePanel pareto_panel(std::span<const std::string> knobs, const GroupKey& group,
                         const Pareto& pareto, std::string& caption) {
  FigurePanel panel{.title = joined(group),
                    .x = {.label = "time [s]", .scale = AxisScale::kLogarithmic},
                    .y = {.label = "energy [kJ]", .scale = AxisScale::kLogarithmic}};
  const auto add = [&](FigureSeries& series, const ParetoPoint& point) {
    series.points.add(point.seconds, point.joules / 1000,
                      fmt::format("{}: {:.4g} s, {:.4g} kJ", knobs_text(knobs, point.knobs),
                                  point.seconds, point.joules / 1000));
  };
  FigureSeries others{.label = "dominated", .style = 7};
  FigureSeries frontier{.label = "frontier", .style = 0, .connected = true};
  for (const ParetoPoint& point : pareto.points) {
    if (!point.on_frontier) add(others, point);
  }
  for (const std::size_t i : pareto.frontier) add(frontier, pareto.points[i]);
  panel.series = {std::move(others), std::move(frontier)};
  if (pareto.default_point) {
    FigureSeries series{.label = "default", .style = 1};
    add(series, pareto.points[*pareto.default_point]);
    panel.series.push_back(std::move(series));
  }
  std::size_t style = 2;
  for (const EtaOptimum& optimum : pareto.optima) {
    FigureSeries series{.label = fmt::format("least cost at eta {:g}", optimum.eta),
                        .style = style++};
    add(series, pareto.points[optimum.point]);
    caption += fmt::format(" {}: least cost at eta {:g} with {}.", label_of(group, "all runs"),
                           optimum.eta, knobs_text(knobs, pareto.points[optimum.point].knobs));
    panel.series.push_back(std::move(series));
  }
  return panel;
}

/// The mean of the runs at each x, with their range if there are several.
FigurePoints means_over(const std::string& label, const std::string& x_name,
                        const std::vector<double>& x, const std::vector<double>& y,
                        const std::string& unit) {
  FigurePoints points;
  for (const MeanAt& at : means_at(x, y)) {
    points.add(at.x, at.mean,
               fmt::format("{}, {} {}: {:.3g}{}", label, x_name, scale_text(at.x), at.mean, unit),
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
    text += fmt::format(" Most change in {}: {}, from {:.3g}{} at {} {} to {:.3g}{} at {}.",
                        panel.title, most->label, points.y.front(), unit, x,
                        scale_text(points.x.front()), points.y.back(), unit,
                        scale_text(points.x.back()));
  }
  return text;
}

/// A panel of multiprocessors and one of memory. The caption goes on with the greatest changes.
Figure over_scale(const StudyAxes& axes, std::span<const GroupUtilisation> all, const Axis& y,
                  const std::string& unit, std::string caption) {
  const auto groups = all.first(std::min(all.size(), kMostTogether));
  Figure figure{.legend = joined(axes.by), .caption = std::move(caption)};
  for (const bool memory : {false, true}) {
    FigurePanel panel{.title = memory ? "memory" : "streaming multiprocessors",
                      .x = scale_axis(axes.x, true),
                      .y = y};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      FigureSeries series{
          .label = label_of(groups[i].group, "all runs"), .style = i, .connected = true};
      series.points = means_over(series.label, axes.x, groups[i].x,
                                 memory ? groups[i].memory : groups[i].sm, unit);
      panel.series.push_back(std::move(series));
    }
    figure.panels.push_back(std::move(panel));
  }
  figure.caption += greatest_changes(figure, axes.x, unit) + not_drawn(all.size() - groups.size());
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
  return fmt::format(
      " Most change: {}, from SM {:.3g} %, memory {:.3g} % to SM {:.3g} %, memory {:.3g} %.",
      from[*most].label, mean_of(first.x), mean_of(first.y), mean_of(last.x), mean_of(last.y));
}

}  // namespace

Figure energy_speed_figure(const StudyAxes& axes, std::span<const GroupEnergy> groups) {
  Figure figure{.legend = joined(axes.by)};
  figure.panels = {{.title = "speed", .x = scale_axis(axes.x, true)},
                   {.title = "energy", .x = scale_axis(axes.x, true)}};
  figure.panels[0].y = {.label = "relative speed", .scale = AxisScale::kPowersOfTwo};
  figure.panels[1].y = {.label = "relative energy", .scale = AxisScale::kLogarithmic};
  const auto drawn = told<EnergyScaling>(groups, kMostTogether);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto& [group, scaling] = drawn[i];
    FigureSeries speed{.label = label_of(group->group, "all runs"), .style = i, .connected = true};
    FigureSeries energy = speed;
    for (const EnergyAtScale& at : scaling->scales) {
      const std::string place =
          fmt::format("{}, {} {}", label_of(group->group, "all runs"), axes.x, scale_text(at.x));
      speed.points.add(at.x, at.speedup.value,
                       fmt::format("{}: speed {:.3g}", place, at.speedup.value), at.speedup.ci);
      energy.points.add(at.x, at.energy.value,
                        fmt::format("{}: energy {:.3g}", place, at.energy.value), at.energy.ci);
    }
    figure.panels[0].series.push_back(std::move(speed));
    figure.panels[1].series.push_back(std::move(energy));
  }
  figure.caption =
      fmt::format("Speed and energy relative to the smallest {} of each group, with intervals.{}{}",
                  axes.x, most_energy(axes, groups), not_drawn(groups.size() - drawn.size()));
  return figure;
}

Figure gpu_hours_figure(const StudyAxes& axes, std::span<const GroupEnergy> groups) {
  FigurePanel panel{.x = {.label = "GPU-hours", .scale = AxisScale::kLogarithmic},
                    .y = {.label = "energy [kWh]", .scale = AxisScale::kLogarithmic}};
  const auto drawn = told<EnergyScaling>(groups, kMostTogether);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto& [group, scaling] = drawn[i];
    FigureSeries series{.label = label_of(group->group, "all runs"), .style = i};
    double last = 0;
    for (const EnergyAtScale& at : scaling->scales) {
      last = std::max(last, at.gpu_hours);
      series.points.add(at.gpu_hours, at.kwh,
                        fmt::format("{}, {} {}: {:.4g} kWh in {:.4g} GPU-hours", series.label,
                                    axes.x, scale_text(at.x), at.kwh, at.gpu_hours));
    }
    if (const Fit* origin = std::get_if<Fit>(&scaling->gpu_hours.origin)) {
      series.label += fmt::format("  {:.3g} W per GPU", origin->parameters.front().estimate);
    }
    add_line(scaling->gpu_hours.origin, last, false, series);
    add_line(scaling->gpu_hours.intercept, last, true, series);
    panel.series.push_back(std::move(series));
  }
  return {
      .legend = fmt::format("{}{}k", joined(axes.by), axes.by.empty() ? "" : ", "),
      .caption = fmt::format(
          "Energy against GPU-hours, one point per number of {}: lines through the origin, dashed "
          "with an intercept.{}{}",
          axes.x, power_range(told<EnergyScaling>(groups, groups.size())),
          not_drawn(groups.size() - drawn.size())),
      .panels = {std::move(panel)}};
}

Figure caps_figure(const StudyAxes& axes, const std::string& setting,
                   std::span<const GroupCaps> groups) {
  const std::vector<std::string> settings = all_settings(groups);
  const auto drawn = told<Caps>(groups, kMostTogether);
  const std::string reference =
      tally_of(groups).common_reference().value_or("each group's greatest");
  Figure figure{.legend = joined(axes.by)};
  std::string saving;
  for (const CapsPanel& part : {CapsPanel{"speed", &RelativeSetting::speed},
                                CapsPanel{"energy", &RelativeSetting::energy}}) {
    FigurePanel panel{.title = part.title};
    panel.x = {.label = setting, .scale = AxisScale::kCategories, .categories = settings};
    panel.y = {.label = fmt::format("{} relative to {}", part.title, reference), .least = 0};
    const auto end = static_cast<double>(settings.size()) - 0.5;
    panel.references.push_back({{-0.5, end}, {1, 1}, reference});
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const auto& [group, caps] = drawn[i];
      FigureSeries series =
          caps_series(part, setting, group->group, *caps, settings,
                      [&](std::size_t place) { return shifted(place, i, drawn.size()); });
      series.style = i;
      panel.series.push_back(std::move(series));
    }
    figure.panels.push_back(std::move(panel));
  }
  for (const auto& [group, caps] : drawn) saving += saving_of(setting, group->group, *caps);
  figure.caption = fmt::format(
      "Speed and energy relative to {} {}, means over {}, with intervals.{}{}", setting, reference,
      axes.x.empty() ? "runs" : axes.x, saving, not_drawn(groups.size() - drawn.size()));
  return figure;
}

Figure pareto_figure(const StudyAxes& axes, std::span<const std::string> knobs,
                     std::span<const GroupPareto> groups) {
  Figure figure{.title = joined(axes.by)};
  std::string optima;
  const std::size_t drawn = std::min(groups.size(), kMostPanels);
  for (std::size_t i = 0; i < drawn; ++i) {
    if (const Pareto* const pareto = std::get_if<Pareto>(&groups[i].result)) {
      figure.panels.push_back(pareto_panel(knobs, groups[i].group, *pareto, optima));
    }
  }
  figure.caption = fmt::format(
      "Time against energy of {}: no point takes less of both than one on the frontier. Cost is "
      "eta energy + (1 - eta) MaxPower time, of all GPUs together.{}{}",
      joined(knobs), optima, not_drawn(groups.size() - drawn));
  return figure;
}

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
  const auto groups = all.first(std::min(all.size(), kMostTogether));
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (const GroupUtilisation& group : groups) {
    for (const double x : group.x) {
      least = std::min(least, x);
      greatest = std::max(greatest, x);
    }
  }
  Figure figure{.legend = joined(axes.by)};
  for (const double x : {least, greatest}) {
    FigurePanel panel{.title = fmt::format("{} {}", axes.x, scale_text(x)),
                      .x = {.label = "SM utilisation [%]", .least = 0, .greatest = 105},
                      .y = {.label = "memory utilisation [%]", .least = 0, .greatest = 105}};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      FigureSeries series{.label = label_of(groups[i].group, "all runs"), .style = i};
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
      "Memory against multiprocessor utilisation of runs on {} and on {} {}: towards the lower "
      "left GPUs wait.{}{}",
      scale_text(least), scale_text(greatest), axes.x, greatest_move(figure),
      not_drawn(all.size() - groups.size()));
  return figure;
}

}  // namespace scalelaw
