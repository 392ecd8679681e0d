#include "scalelaw/render/energy_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scalelaw/render/study_figures.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void add_point(FigurePoints& points, double x, double y, const std::optional<Interval>& ci,
               std::string note) {
  points.x.push_back(x);
  points.y.push_back(y);
  points.lower.push_back(ci ? ci->lower : kNone);
  points.upper.push_back(ci ? ci->upper : kNone);
  points.notes.push_back(std::move(note));
}

/// "0.893 (0.87 .. 0.91)".
std::string ratio_text(double ratio, const std::optional<Interval>& ci) {
  const std::string text = with_significant_digits(ratio, 3);
  if (!ci) return text;
  return fmt::format("{} ({} .. {})", text, with_significant_digits(ci->lower, 3),
                     with_significant_digits(ci->upper, 3));
}

FigureSeries ratio_series(const std::string& x, const NamedEnergy& group, std::size_t style,
                          Ratio EnergyAtScale::*ratio, std::string_view what) {
  FigureSeries series{.label = group.name, .style = style, .connected = true};
  for (const EnergyAtScale& at : group.scaling->scales) {
    const Ratio& value = at.*ratio;
    add_point(series.points, at.x, value.value, value.ci,
              fmt::format("{}, {} {}: {} {}", group.name, x, scale_text(at.x), what,
                          ratio_text(value.value, value.ci)));
  }
  return series;
}

/// The group whose energy grows most, in words.
std::string most_energy(const std::string& x, const std::vector<NamedEnergy>& groups) {
  const NamedEnergy* most = nullptr;
  for (const NamedEnergy& group : groups) {
    if (group.scaling->scales.empty()) continue;
    if (most == nullptr ||
        group.scaling->scales.back().energy.value > most->scaling->scales.back().energy.value) {
      most = &group;
    }
  }
  if (most == nullptr) return "";
  const EnergyAtScale& last = most->scaling->scales.back();
  return fmt::format(" Most: {}, {} times the energy for {} times the speed at {} {}.", most->name,
                     with_significant_digits(last.energy.value, 3),
                     with_significant_digits(last.speedup.value, 3), x, scale_text(last.x));
}

}  // namespace

Figure energy_speed_figure(const std::string& x, const std::string& legend,
                           const std::vector<NamedEnergy>& groups) {
  Figure figure;
  figure.legend = legend;
  FigurePanel energy{.title = "energy", .x = scale_axis(x, true)};
  energy.y = {.label = "energy / that at the smallest"};
  FigurePanel speed{.title = "speed", .x = scale_axis(x, true)};
  speed.y = {.label = "speed / that at the smallest", .scale = AxisScale::kPowersOfTwo};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    energy.series.push_back(ratio_series(x, groups[i], i, &EnergyAtScale::energy, "energy"));
    speed.series.push_back(ratio_series(x, groups[i], i, &EnergyAtScale::speedup, "speed"));
  }
  figure.panels = {std::move(energy), std::move(speed)};
  figure.caption = fmt::format(
      "Energy at all GPUs and speed over those at the smallest {}, geometric means with their "
      "intervals.{}",
      x, most_energy(x, groups));
  return figure;
}

namespace {

/// The settings that any group was measured at, the reference among them.
std::vector<std::string> settings_in(const std::string& reference,
                                     const std::vector<NamedComparison>& groups) {
  std::vector<std::string> settings;
  const auto add = [&settings](const std::string& setting) {
    if (std::find(settings.begin(), settings.end(), setting) == settings.end()) {
      settings.push_back(setting);
    }
  };
  for (const NamedComparison& group : groups) {
    for (const RelativeSetting& one : group.comparison->settings) add(one.setting);
  }
  add(reference);
  return settings;
}

/// Values beside one another where several settings stand at one group.
double beside(std::size_t group, std::size_t setting, std::size_t settings) {
  constexpr double kWidth = 0.5;
  if (settings < 2) return static_cast<double>(group);
  const double part = static_cast<double>(setting) / static_cast<double>(settings - 1);
  return static_cast<double>(group) + kWidth * (part - 0.5);
}

FigureSeries setting_series(const std::vector<std::string>& settings, std::size_t index,
                            const std::string& column, const std::vector<NamedComparison>& groups,
                            RelativeMean RelativeSetting::*mean, std::string_view what) {
  const std::string& setting = settings[index];
  FigureSeries series{.label = setting, .style = index};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const RelativeSetting& one : groups[g].comparison->settings) {
      if (one.setting != setting) continue;
      const RelativeMean& value = one.*mean;
      add_point(series.points, beside(g, index, settings.size()), value.ratio, value.ci,
                fmt::format("{}, {} {}: {} {}", groups[g].name, column, setting, what,
                            ratio_text(value.ratio, value.ci)));
    }
  }
  return series;
}

FigurePanel settings_panel(const std::string& column, const std::string& reference,
                           const std::vector<NamedComparison>& groups,
                           RelativeMean RelativeSetting::*mean, std::string_view what) {
  FigurePanel panel{.title = std::string(what)};
  panel.x = {.label = "", .scale = AxisScale::kCategories};
  for (const NamedComparison& group : groups) panel.x.categories.push_back(group.name);
  panel.y = {.label = fmt::format("{} / that at {}", what, reference)};
  const std::vector<std::string> settings = settings_in(reference, groups);
  for (std::size_t i = 0; i + 1 < settings.size(); ++i) {
    panel.series.push_back(setting_series(settings, i, column, groups, mean, what));
  }
  panel.references.push_back({{-0.5, static_cast<double>(groups.size()) - 0.5}, {1, 1}, reference});
  return panel;
}

/// The setting of least energy, in words.
std::string least_energy(const std::string& column, const std::vector<NamedComparison>& groups) {
  const RelativeSetting* least = nullptr;
  std::string name;
  for (const NamedComparison& group : groups) {
    for (const RelativeSetting& one : group.comparison->settings) {
      if (least != nullptr && one.energy.ratio >= least->energy.ratio) continue;
      least = &one;
      name = group.name;
    }
  }
  if (least == nullptr) return "";
  return fmt::format(" Least energy: {} at {} {}, {} times the energy at {} times the speed.", name,
                     column, least->setting, with_significant_digits(least->energy.ratio, 3),
                     with_significant_digits(least->speed.ratio, 3));
}

}  // namespace

Figure settings_figure(const std::string& setting, const std::string& reference,
                       const std::vector<NamedComparison>& groups) {
  Figure figure;
  figure.legend = setting;
  figure.panels = {settings_panel(setting, reference, groups, &RelativeSetting::speed, "speed"),
                   settings_panel(setting, reference, groups, &RelativeSetting::energy, "energy")};
  figure.caption = fmt::format(
      "Speed and energy of each {} over those at {}, means with their intervals; the dotted line "
      "is "
      "{} itself.{}",
      setting, reference, reference, least_energy(setting, groups));
  return figure;
}

}  // namespace scalelaw
