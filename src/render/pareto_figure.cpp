// Time against energy.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/ranges.hpp"
#include "render/figure_parts.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kFrontierStyle = 6;
constexpr std::size_t kGreyStyle = 7;
constexpr std::size_t kMostWithWords = 40;  // Points of a panel.

std::string knob_words(std::span<const std::string> knobs, const GroupKey& values) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) texts.push_back(said_value(knobs[i], values[i]));
  return joined(texts);
}

/// Four digits, or all before the point: "12.5", "500", "12024".
std::string whole_text(double value) {
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

/// The points of all groups by what was set: the knobs but the number of GPUs, which is written at
/// each point.
class KnobStyles {
 public:
  KnobStyles(std::span<const std::string> knobs, std::span<const GroupPareto> groups)
      : knobs_(knobs.begin(), knobs.end()) {
    for (std::size_t i = 0; i < knobs_.size(); ++i) {
      if (is_number_of_gpus(i, groups)) scale_ = i;
    }
    std::set<GroupKey, GroupLess> settings;
    for (const GroupPareto& group : groups) {
      const Pareto* const pareto = std::get_if<Pareto>(&group.result);
      if (pareto == nullptr) continue;
      for (const ParetoPoint& point : pareto->points) settings.insert(setting_of(point));
      is_crowded_ = is_crowded_ || pareto->points.size() > kMostWithWords;
    }
    all_told_apart_ = settings.size() < kFrontierStyle;
    for (const GroupKey& setting : settings) styles_.emplace(setting, styles_.size());
  }

  /// Whether every setting has a colour of its own.
  bool all_told_apart() const { return all_told_apart_; }
  /// Whether some panel has so many points that words at all of them would lie on each other.
  bool is_crowded() const { return is_crowded_; }
  const std::map<GroupKey, std::size_t, GroupLess>& styles() const { return styles_; }

  /// The values but that of the scale.
  GroupKey setting_of(const ParetoPoint& point) const {
    GroupKey setting = point.knobs;
    if (scale_) setting.erase(setting.begin() + static_cast<std::ptrdiff_t>(*scale_));
    return setting;
  }
  std::vector<std::string> setting_knobs() const {
    std::vector<std::string> names = knobs_;
    if (scale_) names.erase(names.begin() + static_cast<std::ptrdiff_t>(*scale_));
    return names;
  }
  /// What stands at a point: its number of GPUs where its colour says the rest.
  std::string words_at(const ParetoPoint& point) const {
    if (all_told_apart_) return scale_ ? point.knobs[*scale_] : "";
    return point.on_frontier ? all_of(point) : "";
  }
  std::string all_of(const ParetoPoint& point) const { return knob_words(knobs_, point.knobs); }
  /// "power_cap_w; at points: gpus"; where words stand at some alone "at points of the frontier".
  std::string legend() const {
    if (!all_told_apart_) return "";
    const std::string settings = joined(setting_knobs());
    if (!scale_) return settings;
    return fmt::format("{}{}at points{}: {}", settings, settings.empty() ? "" : "; ",
                       is_crowded_ ? " of the frontier" : "", knobs_[*scale_]);
  }

 private:
  bool is_number_of_gpus(std::size_t knob, std::span<const GroupPareto> groups) const {
    bool any = false;
    for (const GroupPareto& group : groups) {
      const Pareto* const pareto = std::get_if<Pareto>(&group.result);
      if (pareto == nullptr) continue;
      for (const ParetoPoint& point : pareto->points) {
        if (parse_number(point.knobs[knob]) != point.gpus) return false;
        any = true;
      }
    }
    return any;
  }

  std::vector<std::string> knobs_;
  std::optional<std::size_t> scale_;
  bool all_told_apart_ = false;
  bool is_crowded_ = false;
  std::map<GroupKey, std::size_t, GroupLess> styles_;
};

/// One group's panel, and what the caption says of it.
class ParetoPanel {
 public:
  ParetoPanel(const KnobStyles& styles, const Pareto& pareto, double confidence)
      : styles_(styles), pareto_(pareto), confidence_(confidence) {}

  FigurePanel panel(std::string title) {
    panel_ = {.title = std::move(title),
              .x = {.label = "time [s]", .scale = AxisScale::kLogarithmic},
              .y = {.label = "energy [kJ]", .scale = AxisScale::kLogarithmic}};
    add_frontier();
    add_settings();
    if (pareto_.default_point) {
      add_ring("default", pareto_.points[*pareto_.default_point], kGreyStyle);
    }
    for (const EtaOptimum& optimum : pareto_.optima) add_optimum(optimum);
    leave_room();
    return std::move(panel_);
  }

  /// "least cost at eta 0.5 with 200 W, 2 GPUs: 0.5 x 4606 kJ + 0.5 x 2 GPUs x 250 W x 12123 s =
  /// 5334 kJ" of each optimum.
  std::vector<std::string> optima() const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < pareto_.optima.size(); ++i) texts.push_back(optimum_words(i));
    return texts;
  }

 private:
  void add(FigureSeries& series, const ParetoPoint& point, std::string words) const {
    FigurePoints& points = series.points;
    const PointIntervals intervals = intervals_of(pareto_, point, confidence_);
    std::optional<Interval> joules = intervals.joules;
    if (joules) joules = Interval{joules->lower / 1000, joules->upper / 1000};
    points.add(point.seconds, point.joules / 1000,
               fmt::format("{}: {:.4g} s, {:.4g} kJ", styles_.all_of(point), point.seconds,
                           point.joules / 1000),
               joules);
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const Interval none{kNone, kNone};
    points.x_lower.push_back(intervals.seconds.value_or(none).lower);
    points.x_upper.push_back(intervals.seconds.value_or(none).upper);
    points.words.push_back(std::move(words));
    if (joules) points.bars = percent_text(confidence_) + " intervals of time and energy";
  }

  void add_frontier() {
    FigureSeries frontier{.label = "frontier", .style = kFrontierStyle, .stepped = true};
    for (const std::size_t i : pareto_.frontier) {
      frontier.points.x.push_back(pareto_.points[i].seconds);
      frontier.points.y.push_back(pareto_.points[i].joules / 1000);
    }
    panel_.series.push_back(std::move(frontier));
  }

  void add_settings() {
    std::map<std::size_t, FigureSeries> series;
    for (const ParetoPoint& point : pareto_.points) {
      const GroupKey setting = styles_.setting_of(point);
      const std::size_t style =
          styles_.all_told_apart() ? styles_.styles().at(setting) : kGreyStyle;
      FigureSeries& one = series[style];
      one.style = style;
      one.label = styles_.all_told_apart() ? knob_words(styles_.setting_knobs(), setting) : "";
      if (one.label.empty()) one.label = "measured";
      add(one, point, has_words(point) ? styles_.words_at(point) : "");
    }
    for (auto& [style, one] : series) panel_.series.push_back(std::move(one));
  }

  /// In a crowd, words stand only at points on the frontier and at those of least cost.
  bool has_words(const ParetoPoint& point) const {
    return !styles_.is_crowded() || point.on_frontier ||
           any_of(pareto_.optima,
                  [&](const EtaOptimum& one) { return &pareto_.points[one.point] == &point; });
  }

  void add_ring(std::string label, const ParetoPoint& point, std::size_t style) {
    FigureSeries ring{.label = std::move(label), .style = style, .open = true};
    ring.points.x = {point.seconds};
    ring.points.y = {point.joules / 1000};
    panel_.series.push_back(std::move(ring));
  }

  /// Ends the axes beyond the bars, so that the words of the outermost points lie inside.
  void leave_room() {
    constexpr double kOfLength = 0.08;
    const auto widen = [](Axis& axis, const std::vector<const std::vector<double>*>& all) {
      double least = std::numeric_limits<double>::infinity();
      double greatest = 0;
      for (const std::vector<double>* const values : all) {
        for (const double value : *values) {
          if (!(value > 0)) continue;  // A bar that is not known.
          least = std::min(least, value);
          greatest = std::max(greatest, value);
        }
      }
      if (greatest == 0) return;
      const double factor = std::pow(greatest / least, kOfLength) * (1 + kOfLength);
      axis.least = least / factor;
      axis.greatest = greatest * factor;
    };
    std::vector<const std::vector<double>*> x;
    std::vector<const std::vector<double>*> y;
    for (const FigureSeries& series : panel_.series) {
      const FigurePoints& points = series.points;
      x.insert(x.end(), {&points.x, &points.x_lower, &points.x_upper});
      y.insert(y.end(), {&points.y, &points.lower, &points.upper});
    }
    widen(panel_.x, x);
    widen(panel_.y, y);
  }

  /// Of its line of equal cost nothing is drawn: it holds for one number of GPUs, and all points of
  /// others would seem cheaper than the cheapest.
  void add_optimum(const EtaOptimum& optimum) {
    add_ring(fmt::format("least cost, eta {:g}", optimum.eta), pareto_.points[optimum.point],
             kFrontierStyle);
  }

  std::string optimum_words(std::size_t which) const {
    const EtaOptimum& optimum = pareto_.optima[which];
    const ParetoPoint& point = pareto_.points[optimum.point];
    std::string words =
        fmt::format("least cost at eta {:g} with {}", optimum.eta, styles_.all_of(point));
    if (which >= point.costs.size()) return words;
    const double cost = point.costs[which].joules;
    words += fmt::format(": {:g} \u00d7 {} kJ", optimum.eta, whole_text(point.joules / 1000));
    if (optimum.eta < 1) {
      const double watts =
          (cost - optimum.eta * point.joules) / ((1 - optimum.eta) * point.seconds);
      words += fmt::format(" + {:g} \u00d7 {} W \u00d7 {} s", 1 - optimum.eta, whole_text(watts),
                           whole_text(point.seconds));
    }
    return words + fmt::format(" = {} kJ", whole_text(cost / 1000));
  }

  const KnobStyles& styles_;
  const Pareto& pareto_;
  double confidence_;
  FigurePanel panel_;
};

}  // namespace

Figure pareto_figure(const StudyAxes& axes, std::span<const std::string> knobs,
                     std::span<const GroupPareto> groups, double confidence, bool tells_costs) {
  const std::vector<GroupPareto> drawn = first_shown(groups, kMostPanels);
  const GroupLabels names = labels_of(axes, drawn);
  const KnobStyles styles(knobs, drawn);
  Figure figure{.title = names.shared(), .legend = styles.legend(), .ranked = true};
  std::string optima;
  for (const GroupPareto& group : drawn) {
    const Pareto* const pareto = std::get_if<Pareto>(&group.result);
    if (pareto == nullptr) continue;
    const std::string label = names.of(group.group);
    ParetoPanel panel(styles, *pareto, confidence);
    figure.panels.push_back(panel.panel(group.group.empty() ? "" : label));
    for (const std::string& text : panel.optima()) {
      optima += fmt::format(" {}: {}.", label, text);
      figure.note = text;
    }
  }
  if (figure.panels.empty()) throw DataError("no group has a frontier to draw");
  figure.caption = fmt::format(
      "Time against energy of {}: no point takes less of both than one on the frontier.{}{}{}",
      joined(knobs),
      optima.empty() || !tells_costs
          ? ""
          : " Cost is eta energy + (1 - eta) MaxPower time, of all GPUs together.",
      tells_costs ? optima : "", not_drawn(groups.size() - drawn.size()));
  // The cost of the only optimum is explained inside the figure, those of several in the caption.
  const bool one_optimum = figure.panels.size() == 1 && figure.panels.front().series.back().open &&
                           optima.find("eta") == optima.rfind("eta");
  if (!one_optimum) figure.note = drawn_note(groups.size() - drawn.size());
  return figure;
}

}  // namespace scalelaw
