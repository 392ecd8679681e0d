#include "scalelaw/render/study_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "render/figure_parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr int kCurvePoints = 97;

/// The runs at one x, summarised.
struct Level {
  double x = 0;
  double count = 0;
  double log_mean = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
};

std::vector<Level> levels_of(std::span<const Cell> cells) {
  std::vector<Level> levels;
  for (const Cell& cell : cells) {
    if (levels.empty() || levels.back().x != cell.x) {
      levels.push_back({cell.x, 0, 0, 0, cell.min, cell.max});
    }
    Level& level = levels.back();
    const auto count = static_cast<double>(cell.count);
    level.count += count;
    level.log_mean += (cell.mean_log - level.log_mean) * count / level.count;
    level.mean += (cell.mean - level.mean) * count / level.count;
    level.min = std::min(level.min, cell.min);
    level.max = std::max(level.max, cell.max);
  }
  return levels;
}

/// The range of values; empty where it is none.
std::optional<Interval> range_of(double least, double greatest) {
  return greatest > least ? std::optional(Interval{least, greatest}) : std::nullopt;
}

std::string note_of(const std::string& label, const std::string& x, double at, double y) {
  return fmt::format("{}{}{} {}: {}", label, label.empty() ? "" : ", ", x, scale_text(at),
                     with_significant_digits(y, 4));
}

/// The centre of the runs at each x on the scale of the fit, in the unit of y, with their range.
FigurePoints mean_points(const StudyAxes& axes, const std::string& label,
                         std::span<const Cell> cells) {
  FigurePoints points;
  for (const Level& level : levels_of(cells)) {
    const double y = axes.logarithmic ? std::exp(level.log_mean) : level.mean;
    points.add(level.x, y, note_of(label, axes.x, level.x, y), range_of(level.min, level.max));
  }
  return points;
}

FigureCurve curve_of(const Fit& fit, const std::vector<double>& x, bool dashed = false) {
  return curve_over(
      x, [&fit](double at) { return fit.curve(at); }, dashed);
}

/// The interval of the curve; empty where it is not defined.
std::optional<FigureBand> band_of(const Fit& fit, const std::vector<double>& x) {
  FigureBand band;
  for (const double at : x) {
    const auto ci = fit.curve_ci(at);
    if (!ci) return std::nullopt;
    band.add(at, *ci);
  }
  return band;
}

/// The exponent of a group's law; null where it has none.
const Parameter* beta_of(const DrawnGroup& group) {
  const Fit* const fit = std::get_if<Fit>(&group.fit);
  if (fit == nullptr) return nullptr;
  const auto found = std::find_if(fit->parameters.begin(), fit->parameters.end(),
                                  [](const Parameter& one) { return one.name == "beta"; });
  return found != fit->parameters.end() ? &*found : nullptr;
}

/// "beta 0.820 ± 0.012", or the last parameter of a law without beta, or why there is no law.
std::string law_text(const DrawnGroup& group) {
  if (const auto* const failure = std::get_if<NoFit>(&group.fit)) {
    return fmt::format("no fit: {}", name_of(failure->code));
  }
  const Parameter* const beta = beta_of(group);
  const Parameter& shown = beta != nullptr ? *beta : std::get<Fit>(group.fit).parameters.back();
  return fmt::format("{} {}", shown.name, with_error(shown));
}

/// The groups that one figure can tell apart. If there are many, each value of the first group
/// column has a panel, and labels tell the other columns.
struct GroupedPanels {
  std::vector<std::string> titles;               ///< Of panels; one empty title for one panel.
  std::vector<std::vector<std::size_t>> groups;  ///< Indices of the groups in each.
  std::vector<std::string> labels;               ///< Of each group, by index.
  std::string legend;                            ///< What labels are values of.
  std::size_t left_out = 0;                      ///< How many groups are in no panel.
};

/// @param split  Makes panels even if there are few groups.
GroupedPanels panels_of(const std::vector<std::string>& by, std::span<const DrawnGroup> groups,
                        bool split) {
  GroupedPanels out;
  const bool facets = (split || groups.size() > kMostTogether) && by.size() > 1;
  out.legend = joined(std::span(by).subspan(facets ? 1 : 0));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupKey& key = groups[i].group;
    const std::string title = facets ? fmt::format("{} {}", by.front(), key.front()) : "";
    out.labels.push_back(joined(std::span(key).subspan(facets ? 1 : 0)));
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

/// Makes a panel for each title, from its groups.
template <class Series>
std::vector<FigurePanel> make_panels(const GroupedPanels& grouped, const FigurePanel& frame,
                                     Series series_of) {
  std::vector<FigurePanel> panels;
  std::map<std::string, std::size_t> styles;  // One label has one style in all panels.
  for (std::size_t i = 0; i < grouped.titles.size(); ++i) {
    FigurePanel panel = frame;
    panel.title = grouped.titles[i];
    for (const std::size_t group : grouped.groups[i]) {
      const std::string& label = grouped.labels[group];
      FigureSeries series = series_of(group);
      series.style = styles.try_emplace(label, styles.size()).first->second;
      series.label = grouped.titles.size() == 1 ? series.label : label;
      panel.series.push_back(std::move(series));
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

/// Tells the least and the greatest exponent of the fits.
std::string exponent_range(std::span<const DrawnGroup> groups) {
  LabelledRange range;
  for (const DrawnGroup& group : groups) {
    if (const auto* beta = beta_of(group)) range.add(beta->estimate, joined(group.group, " "));
  }
  if (range.empty()) return "";
  return range.is_one_value() ? fmt::format(" The exponent is {:.3g}.", range.least())
                              : fmt::format(" Exponents range {}.", range.text("{:.3g}"));
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

/// Panels of measured means and laws with the intervals of their curves.
std::vector<FigurePanel> law_panels(const StudyAxes& axes, std::span<const DrawnGroup> groups,
                                    const GroupedPanels& grouped) {
  const FigurePanel frame{.x = scale_axis(axes.x, axes.logarithmic),
                          .y = response_axis(axes.y, axes.logarithmic)};
  return make_panels(grouped, frame, [&](std::size_t i) {
    const DrawnGroup& group = groups[i];
    FigureSeries series{.label = fmt::format("{}  {}", grouped.labels[i], law_text(group))};
    series.points = mean_points(axes, joined(group.group), group.cells);
    if (const Fit* fit = std::get_if<Fit>(&group.fit)) {
      const auto x = spaced(fit->x_min, fit->x_max, kCurvePoints, axes.logarithmic);
      series.curves.push_back(curve_of(*fit, x));
      if (auto band = band_of(*fit, x)) series.bands.push_back(std::move(*band));
    }
    return series;
  });
}

/// How much faster than at the least x.
double speedup_by(double first, double y, Response response) {
  return response == Response::kTime ? first / y : y / first;
}

FigureSeries speedup_series(const DrawnGroup& group, bool efficiency) {
  FigureSeries series;
  const std::vector<Level> levels = levels_of(group.cells);
  const Fit* fit = std::get_if<Fit>(&group.fit);
  const Response response = fit != nullptr ? fit->response : Response::kTime;
  const double first_x = levels.front().x;
  const double first_y = std::exp(levels.front().log_mean);
  const auto shown = [&](double x, double from, double y) {
    const double speedup = speedup_by(from, y, response);
    return efficiency ? 100 * speedup / (x / first_x) : speedup;
  };
  for (const Level& level : levels) {
    const double value = shown(level.x, first_y, std::exp(level.log_mean));
    const auto [low, high] =
        std::minmax({shown(level.x, first_y, level.max), shown(level.x, first_y, level.min)});
    series.points.add(level.x, value,
                      note_of(joined(group.group), efficiency ? "efficiency [%] at" : "speedup at",
                              level.x, value),
                      range_of(low, high));
  }
  if (fit == nullptr) return series;
  series.curves.push_back(curve_over(spaced(fit->x_min, fit->x_max, kCurvePoints), [&](double x) {
    return shown(x, fit->curve(first_x), fit->curve(x));
  }));
  return series;
}

FigureReference ideal_line(std::span<const DrawnGroup> groups, bool efficiency) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (const DrawnGroup& group : groups) {
    least = std::min(least, group.cells.front().x);
    greatest = std::max(greatest, group.cells.back().x);
  }
  FigureReference line{spaced(least, greatest, kCurvePoints), {}, "ideal"};
  for (const double x : line.x) line.y.push_back(efficiency ? 100 : x / least);
  return line;
}

/// " At the greatest gpus efficiency is from 9 % (A) to 50 % (B)."
std::string efficiency_range(const Figure& figure, const std::string& x) {
  LabelledRange last;
  for (const FigureSeries& series : figure.panels.back().series) {
    if (series.points.y.size() > 1) last.add(series.points.y.back(), series.label);
  }
  if (last.empty()) return "";
  return last.is_one_value()
             ? fmt::format(" At its greatest {} efficiency is {:.0f} %.", x, last.least())
             : fmt::format(" At the greatest {} of each, efficiency is {}.", x,
                           last.text("{:.0f} %"));
}

/// Two quantities of residuals against each other: members of Residual, or functions of it.
template <class X, class Y>
FigurePoints points_of(const std::vector<Residual>& residuals, X x, Y y) {
  FigurePoints points;
  for (const Residual& residual : residuals) {
    points.add(std::invoke(x, residual), std::invoke(y, residual), "");
  }
  return points;
}

std::vector<Residual> by_quantile(std::vector<Residual> residuals) {
  std::sort(residuals.begin(), residuals.end(), [](const Residual& a, const Residual& b) {
    return a.normal_quantile < b.normal_quantile;
  });
  return residuals;
}

double root_size(const Residual& residual) { return std::sqrt(std::abs(residual.standardised)); }

FigureReference level_line(const std::vector<double>& x, double y, std::string label) {
  if (x.empty()) return {};
  const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
  return {{*least, *greatest}, {y, y}, std::move(label)};
}

std::vector<FigurePanel> residual_panels(const StudyAxes& axes) {
  const Axis x = scale_axis(axes.x, axes.logarithmic);
  const std::string unit = axes.logarithmic ? fmt::format("residual of ln {}", axes.y)
                                            : fmt::format("residual of {}", axes.y);
  return {{.title = "residuals: no trend wanted", .x = x, .y = {.label = unit}},
          {.title = "normal quantiles: on the line wanted",
           .x = {.label = "normal quantile"},
           .y = {.label = "standardised residual"}},
          {.title = "size of scatter: no trend wanted",
           .x = x,
           .y = {.label = "root of |standardised residual|", .least = 0}},
          {.title = "influence: below 1 wanted",
           .x = x,
           .y = {.label = "Cook's distance", .least = 0}}};
}

/// A forecast over many x: the curve, its band and the band of new runs, split where the data end.
FigureSeries forecast_series(const StudyAxes& axes, const DrawnForecast& group, double last) {
  FigureSeries series;
  series.points = mean_points(axes, joined(group.group), group.cells);
  const Forecast& forecast = group.forecast;
  FigureBand runs;
  FigureBand curve_band;
  const auto add = [&](double from, double to, bool dashed) {
    FigureCurve curve{.dashed = dashed};
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

}  // namespace

Axis scale_axis(const std::string& column, bool logarithmic) {
  return {.label = column, .scale = logarithmic ? AxisScale::kPowersOfTwo : AxisScale::kLinear};
}

Axis response_axis(const std::string& column, bool logarithmic) {
  const ColumnLabel label = column_label(column);
  // "seconds" needs no unit beside it, nor does "time [s]".
  const bool names_unit =
      label.unit.empty() || label.name != column || canonical_unit(column).has_value();
  return {.label = names_unit ? column : fmt::format("{} [{}]", column, label.unit),
          .scale = logarithmic ? AxisScale::kLogarithmic : AxisScale::kLinear};
}

Figure scaling_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups) {
  const GroupedPanels grouped = panels_of(axes.by, groups, false);
  Figure figure{.legend = grouped.legend, .panels = law_panels(axes, groups, grouped)};
  figure.caption = fmt::format(
      "{} over {}: means of runs with their range, fitted laws with the interval of the curve.{}{}",
      axes.y, axes.x, exponent_range(groups), not_drawn(grouped.left_out));
  return figure;
}

Figure settings_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups) {
  const GroupedPanels grouped = panels_of(axes.by, groups, true);
  Figure figure{.legend = grouped.legend, .panels = law_panels(axes, groups, grouped)};
  figure.caption = fmt::format(
      "{} over {}, one panel per {} and one line per setting ({}): means of runs with their range, "
      "fitted laws with the interval of the curve.{}{}",
      axes.y, axes.x, axes.by.front(), grouped.legend, exponents_by_panel(groups, grouped),
      not_drawn(grouped.left_out));
  return figure;
}

Figure efficiency_figure(const StudyAxes& axes, std::span<const DrawnGroup> all) {
  const auto groups = all.first(std::min(all.size(), kMostTogether));
  Figure figure{.legend = joined(axes.by)};
  for (const bool efficiency : {false, true}) {
    FigurePanel panel{.title = efficiency ? "parallel efficiency" : "speedup",
                      .x = scale_axis(axes.x, true)};
    panel.y = efficiency ? Axis{.label = "efficiency [%]", .least = 0}
                         : Axis{.label = "speedup", .scale = AxisScale::kPowersOfTwo};
    panel.references.push_back(ideal_line(groups, efficiency));
    for (std::size_t i = 0; i < groups.size(); ++i) {
      FigureSeries series = speedup_series(groups[i], efficiency);
      series.label = label_of(groups[i].group, "all runs");
      series.style = i;
      panel.series.push_back(std::move(series));
    }
    figure.panels.push_back(std::move(panel));
  }
  const double least = groups.front().cells.front().x;
  const bool is_common = std::all_of(groups.begin(), groups.end(), [&](const DrawnGroup& group) {
    return group.cells.front().x == least;
  });
  figure.caption = fmt::format(
      "Speedup and parallel efficiency against {}, measured (means of runs with their range) and "
      "by the law (lines).{}{}",
      is_common ? fmt::format("{} {}", axes.x, scale_text(least))
                : fmt::format("the smallest {} of each group", axes.x),
      efficiency_range(figure, axes.x), not_drawn(all.size() - groups.size()));
  return figure;
}

Figure residuals_figure(const StudyAxes& axes, std::span<const DrawnGroup> all) {
  const auto groups = all.first(std::min(all.size(), kMostTogether));
  Figure figure{.legend = joined(axes.by), .panels = residual_panels(axes)};
  std::vector<double> all_x;
  double largest = 0;
  std::string at;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Fit* fit = std::get_if<Fit>(&groups[i].fit);
    if (fit == nullptr || !fit->sigma || !(*fit->sigma > 0)) continue;
    const std::vector<Residual> residuals = residuals_of(*fit, groups[i].cells);
    for (const Residual& residual : residuals) {
      all_x.push_back(residual.x);
      if (std::abs(residual.standardised) <= largest) continue;
      largest = std::abs(residual.standardised);
      at = fmt::format("{} at {} {}", joined(groups[i].group, " "), axes.x, scale_text(residual.x));
    }
    const FigurePoints drawn[] = {
        points_of(residuals, &Residual::x, &Residual::value),
        points_of(by_quantile(residuals), &Residual::normal_quantile, &Residual::standardised),
        points_of(residuals, &Residual::x, root_size),
        points_of(residuals, &Residual::x, &Residual::cook)};
    for (std::size_t panel = 0; panel < figure.panels.size(); ++panel) {
      figure.panels[panel].series.push_back(
          {.label = label_of(groups[i].group, "all runs"), .style = i, .points = drawn[panel]});
    }
  }
  figure.panels[0].references.push_back(level_line(all_x, 0, ""));
  figure.panels[1].references.push_back({{-2.5, 2.5}, {-2.5, 2.5}, ""});
  figure.panels[3].references.push_back(level_line(all_x, 1, "1"));
  figure.caption = at.empty() ? "No group has residuals: its fit is exact, or there is none."
                              : fmt::format(
                                    "Residuals of the fitted laws. The largest is {:.2g} "
                                    "standard deviations, {}.",
                                    largest, at);
  figure.caption += not_drawn(all.size() - groups.size());
  return figure;
}

Figure rank_figure(const StudyAxes& axes, std::span<const Cell> cells,
                   const GroupRanking& ranking) {
  FigurePanel panel{.x = scale_axis(axes.x, true), .y = response_axis(axes.y, true)};
  const Ranking& laws = std::get<Ranking>(ranking.result);
  FigureSeries measured{.label = "measured", .style = 6};
  measured.points = mean_points(axes, "", cells);
  const std::vector<double> inside = spaced(laws.x_min, laws.x_max, kCurvePoints);
  const std::vector<double> beyond = spaced(laws.x_max, 4 * laws.x_max, kCurvePoints);
  std::size_t style = 0;
  for (const RankedLaw& ranked : laws.laws) {
    const Fit* fit = std::get_if<Fit>(&ranked.result);
    if (fit == nullptr) continue;
    FigureSeries series{.label = std::string(ranked.law->name()), .style = style++};
    if (style == 6) ++style;  // That of the measured points.
    if (ranked.delta) series.label += fmt::format("  \u0394 {:.1f}", *ranked.delta);
    series.curves = {curve_of(*fit, inside), curve_of(*fit, beyond, true)};
    panel.series.push_back(std::move(series));
  }
  panel.series.push_back(std::move(measured));
  return {.title = group_name(axes.by, ranking.group),
          .legend = "law, \u0394 AICc",
          .caption = laws.sentence,
          .panels = {std::move(panel)}};
}

Figure forecast_figure(const StudyAxes& axes, std::span<const DrawnForecast> all, double last) {
  const auto groups = all.first(std::min(all.size(), kMostPanels));
  Figure figure{.title = groups.size() > 1 ? joined(axes.by) : ""};
  std::string widest;
  double width = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double end = last > 0 ? last : 4 * groups[i].forecast.x_max;
    FigurePanel panel{.title = joined(groups[i].group),
                      .x = scale_axis(axes.x, true),
                      .y = response_axis(axes.y, true)};
    panel.series.push_back(forecast_series(axes, groups[i], end));
    const Prediction at = predict(groups[i].forecast, end);
    if (at.pi && at.pi->upper / at.pi->lower > width) {
      width = at.pi->upper / at.pi->lower;
      widest = fmt::format(" Widest: {} at {} {}, {} to {}.", joined(groups[i].group, " "), axes.x,
                           scale_text(end), with_significant_digits(at.pi->lower, 3),
                           with_significant_digits(at.pi->upper, 3));
    }
    figure.panels.push_back(std::move(panel));
  }
  figure.caption = fmt::format(
      "Forecast of {}: the curve with its interval (darker) and that of one new run (lighter), "
      "{:g} %; dashed beyond the data.{}",
      axes.y, groups.empty() ? 95.0 : 100 * groups.front().forecast.confidence, widest);
  figure.caption += not_drawn(all.size() - groups.size());
  return figure;
}

}  // namespace scalelaw
