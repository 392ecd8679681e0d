#include "scalelaw/render/energy_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/ranges.hpp"
#include "render/figure_parts.hpp"
#include "render/labelled_range.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/observations.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

/// A group that has a result.
template <class Group, class Value>
struct Told {
  const Group* group;
  const Value* value;
  std::size_t place;  ///< Among all groups if these are few: one that failed keeps its colour free.
};

/// The first few groups that have a result.
template <class Value, class Group>
std::vector<Told<Group, Value>> with_result(std::span<const Group> groups, std::size_t most) {
  std::vector<Told<Group, Value>> out;
  const std::vector<const Group*> order = in_shown_order(groups);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Value* value = std::get_if<Value>(&order[i]->result);
    const std::size_t place = groups.size() <= kMostTogether ? i : out.size();
    if (value != nullptr && out.size() < most) out.push_back({order[i], value, place});
  }
  return out;
}

/// The names of those groups.
template <class Group, class Value>
GroupLabels labels_of(const StudyAxes& axes, const std::vector<Told<Group, Value>>& drawn) {
  std::vector<const GroupKey*> keys;
  for (const Told<Group, Value>& one : drawn) keys.push_back(&one.group->group);
  return GroupLabels(axes.by, keys);
}

/// How many groups have no settings to compare.
std::size_t not_compared(std::span<const GroupCaps> groups) {
  return count_if(groups, [](const GroupCaps& group) {
    const NoFit* const failure = std::get_if<NoFit>(&group.result);
    return failure != nullptr && failure->code == FailureCode::kTooFewLevels;
  });
}

/// Names the group whose energy grows most up to its greatest x.
std::string most_energy(const StudyAxes& axes, const GroupLabels& names,
                        std::span<const GroupEnergy> groups) {
  const GroupEnergy* most = nullptr;
  const EnergyAtScale* at = nullptr;
  for (const auto& [group, scaling, place] : with_result<EnergyScaling>(groups, groups.size())) {
    const EnergyAtScale& last = scaling->scales.back();
    if (at != nullptr && last.energy.value <= at->energy.value) continue;
    most = group;
    at = &last;
  }
  if (at == nullptr) return "";
  return fmt::format(" Most: {} takes {} times the energy at {} for {} times the speed.",
                     names.of(most->group), with_significant_digits(at->energy.value, 3),
                     place_on_scale(axes.x, at->x), with_significant_digits(at->speedup.value, 3));
}

/// A line of energy over GPU-hours, in kWh.
void add_line(const Outcome<Fit>& result, double last, bool dashed, FigureSeries& series) {
  const Fit* fit = std::get_if<Fit>(&result);
  if (fit == nullptr) return;
  series.curves.push_back(curve_over(
      spaced(fit->x_min, last, 65, false), [fit](double hours) { return fit->curve(hours) / 1000; },
      dashed));
  series.curves.back().label = dashed ? "line with an intercept" : "line through the origin";
}

/// "230 to 185 W/GPU": at the smallest scale and at the greatest one; "230 W/GPU" where they agree.
std::string watts_text(const StudyAxes& axes, const EnergyScaling& scaling) {
  const std::string first = with_significant_digits(scaling.scales.front().watts_per_gpu, 3);
  const std::string last = with_significant_digits(scaling.scales.back().watts_per_gpu, 3);
  const std::string unit = "W/" + worker_of_scale(axes.x);
  return first == last ? fmt::format("{} {}", first, unit)
                       : fmt::format("{} to {} {}", first, last, unit);
}

/// " A GPU takes from 78 W (A, 424 GPUs) to 230 W (B, 2 GPUs)."
std::string power_range(const StudyAxes& axes, const GroupLabels& names,
                        const std::vector<Told<GroupEnergy, EnergyScaling>>& drawn) {
  LabelledRange watts;
  for (const auto& [group, scaling, place] : drawn) {
    for (const EnergyAtScale& at : scaling->scales) {
      watts.add(at.watts_per_gpu,
                fmt::format("{}, {}", names.of(group->group), place_on_scale(axes.x, at.x)));
    }
  }
  if (watts.empty()) return "";
  const std::string taker = capitalised(with_article(worker_of_scale(axes.x)));
  return watts.is_one_value() ? fmt::format(" {} takes {:.3g} W.", taker, watts.least())
                              : fmt::format(" {} takes {}.", taker, watts.text("{:.3g} W"));
}

/// "58.7 %", "139 %", "99.0 %".
std::string three_digits(double share) { return with_significant_digits(100 * share, 3) + " %"; }

struct CapsPanel {
  std::string title;
  RelativeMean RelativeSetting::*value;
};

/// All settings of all groups and their references, in natural order.
std::vector<std::string> all_settings(std::span<const GroupCaps> groups) {
  std::vector<std::string> settings;
  for (const auto& [group, caps, place] : with_result<Caps>(groups, groups.size())) {
    settings.push_back(caps->reference);
    for (const RelativeSetting& setting : caps->overall.settings) {
      settings.push_back(setting.setting);
    }
  }
  std::sort(settings.begin(), settings.end(), natural_less);
  settings.erase(std::unique(settings.begin(), settings.end()), settings.end());
  return settings;
}

/// Where settings stand: at their values where all are numbers, else side by side in a band for
/// each.
class SettingPlaces {
 public:
  SettingPlaces(const std::string& setting, std::vector<std::string> settings, std::size_t groups)
      : settings_(std::move(settings)), groups_(groups) {
    for (const std::string& one : settings_) {
      if (const auto number = parse_number(one)) values_.push_back(*number);
    }
    if (values_.size() < settings_.size()) values_.clear();
    axis_ = is_number() ? response_axis(setting, false)
                        : Axis{.label = setting, .scale = AxisScale::kCategories};
    if (!is_number()) axis_.categories = settings_;
    constexpr std::size_t kMostTicks = 8;
    if (values_.size() <= kMostTicks) axis_.ticks = values_;
  }
  bool is_number() const { return !values_.empty(); }
  const Axis& axis() const { return axis_; }
  const std::vector<std::string>& settings() const { return settings_; }

  double of(std::size_t setting, std::size_t group) const {
    if (is_number()) return values_[setting];
    const double width = groups_ > 1 ? 0.5 / static_cast<double>(groups_ - 1) : 0;
    return static_cast<double>(setting) + (groups_ > 1 ? -0.25 : 0) +
           width * static_cast<double>(group);
  }
  /// The line of the reference, from end to end.
  FigureReference reference_line(std::string label) const {
    if (is_number()) return {{values_.front(), values_.back()}, {1, 1}, std::move(label)};
    return {{-0.5, static_cast<double>(settings_.size()) - 0.5}, {1, 1}, std::move(label)};
  }

 private:
  std::vector<std::string> settings_;
  std::vector<double> values_;  ///< Empty where some setting is no number.
  std::size_t groups_;
  Axis axis_;
};

/// Ends the axis so far above the reference that its words stand on its line, and not among the
/// curves below it.
void leave_room_for_words(FigurePanel& panel) {
  constexpr double kRoom = 1.2;
  double greatest = 1;
  for (const FigureSeries& series : panel.series) {
    for (const auto* const values : {&series.points.y, &series.points.upper}) {
      for (const double value : *values) greatest = std::fmax(greatest, value);  // No NaN.
    }
  }
  if (greatest < kRoom) panel.y.greatest = kRoom;
}

/// The points of a group in one panel.
FigureSeries caps_series(const CapsPanel& part, const std::string& setting,
                         const std::string& label, const Caps& caps, const SettingPlaces& places,
                         std::size_t group, double confidence) {
  FigureSeries series{.label = label, .connected = places.is_number()};
  const std::vector<std::string>& settings = places.settings();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (settings[i] == caps.reference) {
      series.points.add(places.of(i, group), 1, label + ": reference");
    }
    for (const RelativeSetting& one : caps.overall.settings) {
      if (one.setting != settings[i]) continue;
      const RelativeMean& mean = one.*part.value;
      if (mean.ci) series.points.bars = percent_text(confidence) + " interval";
      series.points.add(places.of(i, group), mean.ratio,
                        fmt::format("{}, {}: {} of the {} at {}", label,
                                    said_value(setting, one.setting), three_digits(mean.ratio),
                                    part.title, value_with_unit(setting, caps.reference)),
                        mean.ci);
    }
  }
  return series;
}

/// Tells the energy of every setting if they are few, else of the one that saves most.
std::string saving_of(const std::string& setting, const std::string& label, const Caps& caps) {
  const SettingComparison& found = caps.overall;
  const RecommendedSetting& best = found.recommended;
  const std::string& told = best.is_reference ? found.least_energy : best.setting;
  const bool few = found.settings.size() < 3;
  std::vector<std::string> takes;
  for (const RelativeSetting& one : found.settings) {
    if (!few && one.setting != told) continue;
    takes.push_back(fmt::format("{} takes {} of the energy and {} of the time",
                                said_value(setting, one.setting), three_digits(one.energy.ratio),
                                three_digits(one.time.ratio)));
  }
  return takes.empty() ? "" : fmt::format(" {}: {}.", label, joined(takes));
}

}  // namespace

Figure energy_speed_figure(const StudyAxes& axes, std::span<const GroupEnergy> groups) {
  const auto drawn = with_result<EnergyScaling>(groups, kMostTogether);
  const GroupLabels names = labels_of(axes, drawn);
  Figure figure{.title = names.shared(), .legend = names.columns()};
  figure.panels = {{.title = "speed", .x = scale_axis(axes.x, true)},
                   {.title = "energy", .x = scale_axis(axes.x, true)}};
  figure.panels[0].y = {.label = "relative speed", .scale = AxisScale::kPowersOfTwo};
  figure.panels[1].y = {.label = "relative energy", .scale = AxisScale::kLogarithmic};
  for (const auto& [group, scaling, place] : drawn) {
    FigureSeries speed{.label = names.of(group->group),
                       .style = style_of(axes, group->group, place),
                       .connected = true};
    FigureSeries energy = speed;
    for (const EnergyAtScale& at : scaling->scales) {
      const std::string where = fmt::format("{}, {}", speed.label, place_on_scale(axes.x, at.x));
      speed.points.add(at.x, at.speedup.value,
                       fmt::format("{}: speed {:.3g}", where, at.speedup.value), at.speedup.ci);
      energy.points.add(at.x, at.energy.value,
                        fmt::format("{}: energy {:.3g}", where, at.energy.value), at.energy.ci);
      if (at.speedup.ci || at.energy.ci) {
        speed.points.bars = percent_text(axes.confidence) + " interval of the ratio";
      }
    }
    figure.panels[0].series.push_back(std::move(speed));
    figure.panels[1].series.push_back(std::move(energy));
  }
  figure.caption = fmt::format(
      "Speed and energy relative to the smallest {} of each group{}.{}", axes.x,
      has_bars(figure) ? ", with intervals" : "",
      most_energy(axes, labels_of(axes, with_result<EnergyScaling>(groups, groups.size())),
                  groups));
  tell_left_out(figure, groups.size() - drawn.size());
  return figure;
}

Figure gpu_hours_figure(const StudyAxes& axes, std::span<const GroupEnergy> groups) {
  constexpr std::size_t kMostInOnePanel = 3;  // The lines of more cover each other.
  const auto drawn = with_result<EnergyScaling>(groups, kMostPanels);
  const GroupLabels names = labels_of(axes, drawn);
  const bool apart = drawn.size() > kMostInOnePanel;
  const std::string hours = hours_of_scale(axes.x);
  const FigurePanel empty{.x = {.label = hours, .scale = AxisScale::kLogarithmic},
                          .y = {.label = "energy [kWh]", .scale = AxisScale::kLogarithmic}};
  Figure figure{.title = names.shared(), .legend = apart ? "" : names.columns()};
  if (drawn.empty()) figure.panels.push_back(empty);
  for (const auto& [group, scaling, place] : drawn) {
    FigureSeries series{.label = names.of(group->group),
                        .style = style_of(axes, group->group, place)};
    double last = 0;
    for (const EnergyAtScale& at : scaling->scales) {
      last = std::max(last, at.gpu_hours);
      series.points.add(at.gpu_hours, at.kwh,
                        fmt::format("{}, {}: {:.4g} kWh in {:.4g} {}", series.label,
                                    place_on_scale(axes.x, at.x), at.kwh, at.gpu_hours, hours));
    }
    series.points.label = "one " + noun_of_scale(axes.x);
    series.label += ": " + watts_text(axes, *scaling);
    add_line(scaling->gpu_hours.origin, last, false, series);
    add_line(scaling->gpu_hours.intercept, last, true, series);
    if (apart || figure.panels.empty()) figure.panels.push_back(empty);
    if (apart) figure.panels.back().title = std::exchange(series.label, "");
    figure.panels.back().series.push_back(std::move(series));
  }
  figure.caption = fmt::format(
      "Energy against {0}, one point per {1}: lines through the origin, dashed with an intercept. "
      "W/{2} are those at the smallest and at the largest {1}, by the runs.{3}",
      hours, noun_of_scale(axes.x), worker_of_scale(axes.x), power_range(axes, names, drawn));
  tell_left_out(figure, groups.size() - drawn.size());
  return figure;
}

Figure caps_figure(const StudyAxes& axes, const std::string& setting,
                   std::span<const GroupCaps> groups, bool tells_values) {
  const auto drawn = with_result<Caps>(groups, kMostTogether);
  const GroupLabels names = labels_of(axes, drawn);
  const SettingPlaces places(setting, all_settings(groups), drawn.size());
  const auto common = tally_of(groups).common_reference();
  const std::string reference =
      common ? value_with_unit(setting, *common) : "each group's greatest";
  Figure figure{.title = names.shared(), .legend = names.columns()};
  const std::size_t alone = not_compared(groups);
  std::string saving;
  for (const CapsPanel& part : {CapsPanel{"speed", &RelativeSetting::speed},
                                CapsPanel{"energy", &RelativeSetting::energy}}) {
    FigurePanel panel{.title = part.title, .x = places.axis()};
    panel.y = {.label = fmt::format("{} relative to {}", part.title, reference), .least = 0};
    panel.references.push_back(places.reference_line("as at " + reference));
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const auto& [group, caps, place] = drawn[i];
      panel.series.push_back(
          caps_series(part, setting, names.of(group->group), *caps, places, i, axes.confidence));
      panel.series.back().style = style_of(axes, group->group, place);
    }
    leave_room_for_words(panel);
    figure.panels.push_back(std::move(panel));
  }
  for (const auto& [group, caps, place] : drawn) {
    if (tells_values) saving += saving_of(setting, names.of(group->group), *caps);
  }
  figure.caption = fmt::format("Speed and energy by {}, relative to {}: means over {}{}.{}",
                               setting, reference, axes.x.empty() ? "runs" : axes.x,
                               has_bars(figure) ? ", with intervals" : "", saving);
  tell_left_out(figure, groups.size() - drawn.size() - alone);
  if (alone == 0) return figure;
  const std::string words =
      fmt::format("{} one value of {} only", counted(alone, "group", "has", "have"), setting);
  figure.note += (figure.note.empty() ? "" : "; ") + words;
  figure.caption += fmt::format(" {}.", words);
  return figure;
}

namespace {

// Utilisation of GPUs over N.

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
