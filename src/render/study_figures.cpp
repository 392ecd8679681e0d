#include "scalelaw/render/study_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/ranges.hpp"
#include "render/figure_parts.hpp"
#include "render/forecast_words.hpp"
#include "render/labelled_range.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// The exponent of a group's law; null where it has none.
const Parameter* beta_of(const DrawnGroup& group) {
  const Fit* const fit = std::get_if<Fit>(&group.fit);
  if (fit == nullptr) return nullptr;
  return first_where(fit->parameters, [](const Parameter& one) { return one.name == "beta"; });
}

/// "beta 0.820 ± 0.012 (SE)", or the last parameter of a law without beta, or why there is no law.
std::string law_text(const DrawnGroup& group) {
  if (const auto* const failure = std::get_if<NoFit>(&group.fit)) {
    return fmt::format("no fit: {}", name_of(failure->code));
  }
  const Parameter* const beta = beta_of(group);
  const Parameter& shown = beta != nullptr ? *beta : std::get<Fit>(group.fit).parameters.back();
  return fmt::format("{} {}{}", shown.name, with_error(shown), shown.se ? " (SE)" : "");
}

/// The groups that one figure can tell apart. If there are many, each value of the first column in
/// which groups differ has a panel, and labels tell the others.
struct GroupedPanels {
  std::vector<std::string> titles;               ///< Of panels; one empty title for one panel.
  std::vector<std::vector<std::size_t>> groups;  ///< Indices of the groups in each.
  std::vector<std::string> labels;               ///< Of each group, by index.
  std::string legend;                            ///< What labels are values of.
  std::string shared;                            ///< What all groups have in common.
  std::size_t left_out = 0;                      ///< How many groups of the study are in no panel.
};

/// @param split  Makes a panel per value of the first column even if there are few groups.
GroupedPanels panels_of(const StudyAxes& axes, std::span<const DrawnGroup> groups, bool split) {
  const GroupLabels names = labels_of(axes, groups, split ? 1 : 0);
  const bool facets = split || groups.size() > kMostTogether;
  GroupedPanels out;
  out.shared = names.shared();
  out.left_out = axes.more_groups;
  out.legend = facets ? names.rest_columns() : names.columns();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupKey& key = groups[i].group;
    const std::string title = facets ? names.first_of(key) : "";
    out.labels.push_back(facets ? names.rest_of(key) : names.of(key));
    const bool is_new = out.titles.empty() || out.titles.back() != title;
    if (is_new ? out.titles.size() == kMostPanels : out.groups.back().size() == kMostTogether) {
      ++out.left_out;
      continue;
    }
    if (is_new) out.titles.push_back(title);
    if (is_new) out.groups.emplace_back();
    out.groups.back().push_back(i);
  }
  return out;
}

/// One style for each label in all panels, by their natural order, which other figures have, too.
std::map<std::string, std::size_t> styles_of(const GroupedPanels& grouped) {
  std::vector<std::string> labels;
  for (const auto& groups : grouped.groups) {
    for (const std::size_t group : groups) labels.push_back(grouped.labels[group]);
  }
  if (grouped.titles.size() > 1) {
    std::stable_sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
      return shown_before({a}, {b});
    });
  }
  std::map<std::string, std::size_t> styles;
  for (const std::string& label : labels) styles.try_emplace(label, styles.size());
  return styles;
}

/// Makes a panel for each title, from its groups.
template <class Series>
std::vector<FigurePanel> make_panels(const StudyAxes& axes, std::span<const DrawnGroup> keys,
                                     const GroupedPanels& grouped, const FigurePanel& frame,
                                     Series series_of) {
  std::vector<FigurePanel> panels;
  const std::map<std::string, std::size_t> styles = styles_of(grouped);
  for (std::size_t i = 0; i < grouped.titles.size(); ++i) {
    FigurePanel panel = frame;
    panel.title = grouped.titles[i];
    for (const std::size_t group : grouped.groups[i]) {
      const std::string& label = grouped.labels[group];
      FigureSeries series = series_of(group);
      series.style = style_of(axes, keys[group].group, styles.at(label));
      // A panel with one group alone says its law in the title.
      if (grouped.titles.size() > 1 && label.empty()) panel.title += series.label;
      series.label = grouped.titles.size() == 1 ? series.label : label;
      panel.series.push_back(std::move(series));
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

/// The groups that are in some panel.
std::vector<const DrawnGroup*> groups_in(const GroupedPanels& grouped,
                                         std::span<const DrawnGroup> groups) {
  std::vector<const DrawnGroup*> drawn;
  for (const auto& panel : grouped.groups) {
    for (const std::size_t group : panel) drawn.push_back(&groups[group]);
  }
  return drawn;
}

/// Tells the least and the greatest exponent of the fits.
std::string exponent_range(const GroupLabels& names, std::span<const DrawnGroup* const> groups) {
  LabelledRange range;
  for (const DrawnGroup* const group : groups) {
    if (const auto* beta = beta_of(*group)) range.add(beta->estimate, names.of(group->group));
  }
  if (range.empty()) return "";
  return range.is_one_value() ? fmt::format(" The exponent is {:.3g}.", range.least())
                              : fmt::format(" Exponents range {}.", range.text("{:.3g}"));
}

/// Which groups the drawn law does not follow; empty if there are none.
std::string bent_groups(const GroupLabels& names, std::span<const DrawnGroup* const> groups) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> bent;
  for (const DrawnGroup* const group : groups) {
    const Fit* const fit = std::get_if<Fit>(&group->fit);
    const bool bends = fit != nullptr && warns(*fit, WarningCode::kCurved);
    if (bends) bent.push_back(names.of(group->group));
  }
  if (bent.empty()) return "";
  const std::string who = bent.size() > kMostNamed ? counted(bent.size(), "group") : joined(bent);
  return fmt::format(" The points{} bend away from the law.",
                     groups.size() == 1 ? "" : " of " + who);
}

/// What labels and titles say behind "±", where some do.
std::string error_words(const Figure& figure) {
  const auto has_error = [](const std::string& text) {
    return text.find("±") != std::string::npos;
  };
  const bool any =
      any_of(figure.panels, [&](const FigurePanel& panel) { return has_error(panel.title); }) ||
      any_series(figure, [&](const FigureSeries& series) { return has_error(series.label); });
  return any ? " ± is one standard error." : "";
}

/// "BERT from 0.856 (200) to 0.907 (100)" of each panel.
std::string exponents_by_panel(std::span<const DrawnGroup> groups, const GroupedPanels& grouped) {
  std::vector<std::string> panels;
  for (std::size_t i = 0; i < grouped.titles.size(); ++i) {
    LabelledRange range;
    for (const std::size_t group : grouped.groups[i]) {
      const Parameter* const beta = beta_of(groups[group]);
      if (beta != nullptr) range.add(beta->estimate, grouped.labels[group]);
    }
    if (range.is_one_value()) continue;
    panels.push_back(fmt::format("{} {}", grouped.titles[i], range.text("{:.3g}")));
  }
  return panels.empty() ? "" : fmt::format(" Exponents: {}.", joined(panels, "; "));
}

std::string interval_label(const Fit& fit) {
  return percent_text(fit.confidence) + " interval of the curve";
}

/// "means of runs with their range, and fitted laws with the interval of the curve", as far as they
/// are drawn.
std::string drawn_words(const Figure& figure) {
  const bool laws =
      any_series(figure, [](const FigureSeries& series) { return !series.curves.empty(); });
  return points_words(figure) + (laws ? ", fitted laws" : "") +
         (has_bands(figure) ? " with the interval of the curve" : "");
}

/// The slope that others printed, through the middle of the fitted curve: they print no alpha.
FigureCurve published_curve(const Fit& fit, double beta, const std::vector<double>& x) {
  const double middle = std::sqrt(fit.x_min * fit.x_max);
  const double sign = fit.response == Response::kTime ? -1 : 1;
  FigureCurve curve = curve_over(
      x, [&](double at) { return fit.curve(middle) * std::pow(at / middle, sign * beta); }, true);
  curve.label = "published exponent";
  return curve;
}

/// Panels of measured means and laws with the intervals of their curves.
std::vector<FigurePanel> law_panels(const StudyAxes& axes, std::span<const DrawnGroup> groups,
                                    const GroupedPanels& grouped) {
  const FigurePanel frame{.x = scale_axis(axes.x, axes.logarithmic),
                          .y = response_axis(axes.y, axes.logarithmic, axes.y_unit)};
  const GroupLabels names = labels_of(axes, groups);
  return make_panels(axes, groups, grouped, frame, [&](std::size_t i) {
    const DrawnGroup& group = groups[i];
    FigureSeries series{.label = fmt::format("{}  {}", grouped.labels[i], law_text(group))};
    series.points = mean_points(axes, names.of(group.group), group.cells);
    if (const Fit* fit = std::get_if<Fit>(&group.fit)) {
      const auto x = spaced(fit->x_min, fit->x_max, kCurvePoints, axes.logarithmic);
      series.curves.push_back(curve_of(*fit, x));
      series.curves.back().label = fmt::format("{} law", fit->law->name());
      if (group.published_beta) {
        series.curves.push_back(published_curve(*fit, *group.published_beta, x));
      }
      if (auto band = band_of(*fit, x)) {
        band->label = interval_label(*fit);
        series.bands.push_back(std::move(*band));
      }
    }
    return series;
  });
}

/// @param split  As that of panels_of().
Figure law_figure(const StudyAxes& axes, std::span<const DrawnGroup> all, bool split) {
  const std::vector<DrawnGroup> groups = first_shown(all, all.size());
  const GroupedPanels grouped = panels_of(axes, groups, split);
  Figure figure{.title = grouped.shared, .legend = grouped.legend};
  figure.panels = law_panels(axes, groups, grouped);
  const GroupLabels names = labels_of(axes, groups);
  const std::vector<const DrawnGroup*> drawn = groups_in(grouped, groups);
  figure.caption =
      fmt::format("{} over {}{}: {}.{}{}{}", axes.y, axes.x,
                  split ? fmt::format(", one panel per {} and one line per setting ({})",
                                      axes.by.front(), grouped.legend)
                        : "",
                  drawn_words(figure),
                  split ? exponents_by_panel(groups, grouped) : exponent_range(names, drawn),
                  bent_groups(names, drawn), split ? "" : error_words(figure));
  tell_left_out(figure, grouped.left_out);
  return figure;
}

}  // namespace

Axis scale_axis(const std::string& column, bool logarithmic) {
  return {.label = column, .scale = logarithmic ? AxisScale::kPowersOfTwo : AxisScale::kLinear};
}

Axis response_axis(const std::string& column, bool logarithmic, const std::string& unit) {
  return {.label = axis_label(column, unit),
          .scale = logarithmic ? AxisScale::kLogarithmic : AxisScale::kLinear};
}

Figure scaling_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups) {
  return law_figure(axes, groups, false);
}

Figure settings_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups) {
  return law_figure(axes, groups, true);
}

namespace {

// Forecasts with both bands, and what they say at the scales that were asked for.

/// Whether all panels are wide enough for whole sentences.
constexpr std::size_t kMostWithSentences = 2;

/// Curve and bands over many x, split where the data end.
FigureSeries forecast_series(const StudyAxes& axes, const DrawnForecast& group,
                             const std::string& label, double last) {
  FigureSeries series;
  series.points = mean_points(axes, label, group.cells);
  const Forecast& forecast = group.forecast;
  const std::string level = percent_text(forecast.confidence);
  FigureBand runs{.label = level + " of new runs"};
  FigureBand curve_band{.label = level + " interval of the curve"};
  const auto add = [&](double from, double to, bool dashed) {
    FigureCurve curve{.dashed = dashed, .label = dashed ? "beyond the data" : "forecast"};
    for (const double x : spaced(from, to, kCurvePoints)) {
      const Prediction at = predict(forecast, x);
      curve.add(x, at.median);
      if (!at.pi || !at.ci) continue;
      runs.add(x, *at.pi);
      curve_band.add(x, *at.ci);
    }
    series.curves.push_back(std::move(curve));
  };
  add(forecast.x_min, forecast.x_max, false);
  if (last > forecast.x_max) add(forecast.x_max, last, true);
  if (!runs.x.empty()) series.bands = {std::move(runs), std::move(curve_band)};
  return series;
}

std::string unit_of(const StudyAxes& axes) {
  const std::string named(column_label(axes.y).unit);
  return named.empty() ? axes.y_unit : named;
}

/// The value at x with its intervals, in words beside it.
FigureMark value_at(const StudyAxes& axes, const Forecast& forecast, double x, bool sentences) {
  const Prediction at = predict(forecast, x);
  const AskedResponse response{.y = axes.y, .unit = unit_of(axes), .kind = forecast.response};
  FigureMark mark{.x = x, .words = {}, .y = at.median};
  mark.words.push_back(
      fmt::format("{}: {}", place_on_scale(axes.x, x), amount_text(response, at.median)));
  const std::string of_curve = range_text(response, at.ci);
  const std::string of_runs = range_text(response, at.pi);
  const bool is_alike = of_curve == of_runs;
  if (sentences && at.ci && !is_alike) mark.words.push_back("curve " + of_curve);
  if (at.pi) {
    mark.words.push_back((!sentences ? ""
                          : is_alike ? "curve and new runs "
                                     : "new runs ") +
                         of_runs);
  }
  return mark;
}

/// How much a curve may rise by rounding.
constexpr double kRises = 1.001;

/// What to know of a curve that turns for the worse: "slower from 208 GPUs on". Empty if it does
/// not, up to `last`.
std::string turn_text(const StudyAxes& axes, const FigureSeries& series, const Forecast& forecast) {
  const bool is_time = forecast.response == Response::kTime;
  double best = 0;
  double best_x = 0;
  double first_x = 0;
  double last_y = 0;
  for (const FigureCurve& curve : series.curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const bool better = is_time ? curve.y[i] < best : curve.y[i] > best;
      if (best_x == 0) first_x = curve.x[i];
      if (best_x == 0 || better) std::tie(best, best_x) = std::pair(curve.y[i], curve.x[i]);
      last_y = curve.y[i];
    }
  }
  if (is_time ? last_y <= kRises * best : kRises * last_y >= best) return "";
  const std::string worse = !is_time ? "falls" : unit_of(axes) == "s" ? "slower" : "rises";
  if (best_x == first_x) return fmt::format("{} with more {}", worse, units_of_scale(axes.x));
  return fmt::format("{} beyond {}", worse, place_on_scale(axes.x, std::round(best_x)));
}

/// " The curve is the median of new runs by an average of the power and floor laws."
std::string curve_sentence(std::span<const DrawnForecast> groups) {
  std::vector<const Forecast*> forecasts;
  for (const DrawnForecast& group : groups) forecasts.push_back(&group.forecast);
  const bool is_one_law = groups.front().forecast.laws.size() == 1;
  return fmt::format(" The curve is {}{}.", is_one_law ? "" : "the median of new runs by ",
                     curve_words(forecasts));
}

/// " Widest at 4096 GPUs: BERT, 11.5 to 18.5 s for a new run."
class Widest {
 public:
  void add(const StudyAxes& axes, const std::string& label, const Prediction& at) {
    if (!at.pi || at.pi->upper / at.pi->lower <= width_) return;
    width_ = at.pi->upper / at.pi->lower;
    text_ = fmt::format(" Widest: {} at {}, {} to {}.", label, place_on_scale(axes.x, at.x),
                        with_significant_digits(at.pi->lower, 3),
                        with_significant_digits(at.pi->upper, 3));
  }
  const std::string& text() const { return text_; }

 private:
  double width_ = 0;
  std::string text_;
};

}  // namespace

Figure forecast_figure(const StudyAxes& axes, std::span<const DrawnForecast> all,
                       std::span<const double> asked) {
  const std::vector<DrawnForecast> groups = first_shown(all, kMostPanels);
  const GroupLabels names = labels_of(axes, groups);
  Figure figure{.title = names.shared()};
  Widest widest;
  std::string turns;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Forecast& forecast = groups[i].forecast;
    const std::string label = names.of(groups[i].group);
    const double end =
        asked.empty() ? 4 * forecast.x_max : *std::max_element(asked.begin(), asked.end());
    FigurePanel panel{.title = groups[i].group.empty() ? "" : label,
                      .x = scale_axis(axes.x, true),
                      .y = response_axis(axes.y, true, axes.y_unit)};
    FigureSeries series = forecast_series(axes, groups[i], label, end);
    series.style = style_of(axes, groups[i].group, i);
    const std::string turn = turn_text(axes, series, forecast);
    if (!turn.empty()) {
      panel.title += (panel.title.empty() ? "" : ": ") + turn;
      turns += fmt::format(" {}: {}.", label, turn);
    }
    for (const double x : asked) {
      panel.marks.push_back(value_at(axes, forecast, x, groups.size() <= kMostWithSentences));
    }
    widest.add(axes, label, predict(forecast, end));
    panel.series.push_back(std::move(series));
    figure.panels.push_back(std::move(panel));
  }
  figure.caption = fmt::format(
      "Forecast of {}: {} and the curve{}; dashed beyond the data.{}{}{}", axes.y,
      points_words(figure),
      has_bands(figure)
          ? fmt::format(" with its {} interval (darker) and that of one new run (lighter)",
                        percent_text(groups.front().forecast.confidence))
          : "",
      groups.empty() ? "" : curve_sentence(groups), turns, widest.text());
  tell_left_out(figure, left_out(axes, all.size(), groups.size()));
  return figure;
}

namespace {

// The figure of the likelihood of a parameter.

constexpr double kCutsShown = 2.2;  ///< How far down the panels reach.

std::string ends_text(const Parameter& parameter, const std::optional<Interval>& interval) {
  const Shown shown = decimals(decimals_for(parameter.estimate, parameter.se));
  return interval_text(
      interval, [shown](double end) { return shown_text(end, shown); }, " to ");
}

/// "beta 0.820 (0.795 to 0.845)".
std::string estimate_text(const Parameter& parameter) {
  return fmt::format("{} {} ({})", parameter.name,
                     rounded(parameter.estimate, parameter.se).estimate,
                     ends_text(parameter, parameter.ci));
}

/// The height at which an end of an interval is drawn: the cut, or the profile itself if the range
/// of the parameter ends before the cut.
double height_of(const LikelihoodProfile& profile, double end) {
  for (const LikelihoodPoint* last : {&profile.points.front(), &profile.points.back()}) {
    if (last->value == end) return last->log_ratio.value_or(profile.cut);
  }
  return profile.cut;
}

FigurePoints ends_of(const std::string& kind, const LikelihoodProfile& profile,
                     const std::optional<Interval>& interval) {
  FigurePoints points;
  if (!interval) return points;
  for (const double end : {interval->lower, interval->upper}) {
    if (!std::isfinite(end)) continue;
    points.add(end, height_of(profile, end),
               fmt::format("{} {:g} %: {}", kind, 100 * profile.confidence,
                           with_significant_digits(end, 5)));
  }
  return points;
}

FigureCurve curve_of(const LikelihoodProfile& profile,
                     std::optional<double> LikelihoodPoint::*height, bool dashed) {
  FigureCurve curve{.dashed = dashed};
  for (const LikelihoodPoint& point : profile.points) {
    const std::optional<double>& log_ratio = point.*height;
    if (log_ratio && *log_ratio >= kCutsShown * profile.cut) curve.add(point.value, *log_ratio);
  }
  return curve;
}

FigurePanel panel_of(const GroupLabels& names, const DrawnProfile& drawn) {
  const LikelihoodProfile& profile = drawn.profile;
  const Parameter& parameter = profile.parameter;
  FigureSeries wald{.label = "Wald", .style = 1};
  wald.points = ends_of("Wald", profile, parameter.wald_ci);
  wald.curves = {curve_of(profile, &LikelihoodPoint::wald_log_ratio, true)};
  FigureSeries held{.label = "profile", .style = 0};
  held.points = ends_of("profile", profile, parameter.ci);
  held.curves = {curve_of(profile, &LikelihoodPoint::log_ratio, false)};

  FigurePanel panel{
      .title = drawn.group.empty() ? "" : names.of(drawn.group),
      .x = {.label = estimate_text(parameter)},
      .y = {.label = "log-likelihood less its maximum", .greatest = -0.1 * profile.cut}};
  panel.series = {std::move(wald), std::move(held)};
  const double first = profile.points.front().value;
  const double last = profile.points.back().value;
  panel.references = {
      {{first, last}, {profile.cut, profile.cut}, fmt::format("{:g} %", 100 * profile.confidence)},
      {{parameter.estimate, parameter.estimate}, {kCutsShown * profile.cut, 0}, ""}};
  return panel;
}

double width_of(const DrawnProfile& drawn) {
  const auto& ci = drawn.profile.parameter.ci;
  return ci ? ci->upper - ci->lower : 0;
}

/// Tells the widest interval, and what Wald's is there.
std::string widest_text(std::span<const DrawnProfile> groups) {
  const auto widest = std::max_element(
      groups.begin(), groups.end(),
      [](const DrawnProfile& a, const DrawnProfile& b) { return width_of(a) < width_of(b); });
  const Parameter& parameter = widest->profile.parameter;
  return fmt::format(
      " {}{}, Wald's {}.",
      groups.size() == 1 ? "" : fmt::format("Widest: {} ", joined(widest->group, " ")),
      estimate_text(parameter), ends_text(parameter, parameter.wald_ci));
}

}  // namespace

Figure profile_figure(const StudyAxes& axes, const Law& law, std::span<const DrawnProfile> all) {
  const std::vector<DrawnProfile> groups = first_shown(all, kMostPanels);
  const GroupLabels names = labels_of(axes, groups);
  Figure figure{.title = names.shared()};
  for (const DrawnProfile& drawn : groups) figure.panels.push_back(panel_of(names, drawn));
  figure.caption = fmt::format(
      "How likely values of {} are under the {} law, relative to the estimate: the {:g} % interval "
      "holds those above the line. Dashed: as Wald's interval takes it.{}",
      groups.front().profile.parameter.name, law.name(), 100 * groups.front().profile.confidence,
      widest_text(groups));
  tell_left_out(figure, left_out(axes, all.size(), groups.size()));
  return figure;
}

}  // namespace scalelaw
