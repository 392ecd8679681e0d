#include "scalelaw/render/study_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "render/not_drawn.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr int kCurvePoints = 96;
constexpr std::size_t kMostTogether = 8;  ///< Series of one panel.
constexpr std::size_t kMostPanels = 12;

/// Places from the least to the greatest x, evenly spaced on a logarithmic or linear axis.
std::vector<double> places(double least, double greatest, bool logarithmic) {
  std::vector<double> x;
  for (int i = 0; i <= kCurvePoints; ++i) {
    const double part = static_cast<double>(i) / kCurvePoints;
    x.push_back(logarithmic ? least * std::pow(greatest / least, part)
                            : least + part * (greatest - least));
  }
  return x;
}

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

/// The centre of the runs at one x on the scale of the fit, in the unit of y.
double centre(const Level& level, bool logarithmic) {
  return logarithmic ? std::exp(level.log_mean) : level.mean;
}

std::string note_of(const std::string& label, const std::string& x, double at, double y) {
  return fmt::format("{}{}{} {}: {}", label, label.empty() ? "" : ", ", x, scale_text(at),
                     with_significant_digits(y, 4));
}

FigurePoints mean_points(const StudyAxes& axes, const std::string& label,
                         std::span<const Cell> cells) {
  FigurePoints points;
  bool any_range = false;
  for (const Level& level : levels_of(cells)) {
    const double y = centre(level, axes.logarithmic);
    points.x.push_back(level.x);
    points.y.push_back(y);
    const bool has_range = level.max > level.min;
    any_range = any_range || has_range;
    const double none = std::numeric_limits<double>::quiet_NaN();
    points.lower.push_back(has_range ? level.min : none);
    points.upper.push_back(has_range ? level.max : none);
    points.notes.push_back(note_of(label, axes.x, level.x, y));
  }
  if (!any_range) {
    points.lower.clear();
    points.upper.clear();
  }
  return points;
}

FigureCurve curve_of(const Fit& fit, const std::vector<double>& x) {
  FigureCurve curve;
  for (const double at : x) {
    curve.x.push_back(at);
    curve.y.push_back(fit.curve(at));
  }
  return curve;
}

/// The interval of the curve; empty where it is not defined.
std::optional<FigureBand> band_of(const Fit& fit, const std::vector<double>& x) {
  FigureBand band;
  for (const double at : x) {
    const auto ci = fit.curve_ci(at);
    if (!ci) return std::nullopt;
    band.x.push_back(at);
    band.lower.push_back(ci->lower);
    band.upper.push_back(ci->upper);
  }
  return band;
}

/// "beta 0.820 ± 0.012", of the last parameter, or why there is no law.
std::string law_text(const GroupFit& group) {
  const Fit* fit = std::get_if<Fit>(&group.result);
  if (fit == nullptr) return fmt::format("no fit: {}", name_of(std::get<NoFit>(group.result).code));
  const Parameter* shown = &fit->parameters.back();
  for (const Parameter& parameter : fit->parameters) {
    if (parameter.name == "beta") shown = &parameter;
  }
  const RoundedEstimate text = rounded(shown->estimate, shown->se);
  if (text.se.empty()) return fmt::format("{} {}", shown->name, text.estimate);
  return fmt::format("{} {} \u00b1 {}", shown->name, text.estimate, text.se);
}

std::vector<GroupKey> keys_of(const auto& groups) {
  std::vector<GroupKey> keys;
  for (const auto& group : groups) keys.push_back(group.group);
  return keys;
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

std::string left_out_text(const GroupedPanels& grouped) {
  return not_drawn(grouped.left_out.size());
}

/// Tells the least and the greatest exponent of the fits.
std::string exponent_range(std::span<const DrawnGroup> groups) {
  const Parameter* least = nullptr;
  const Parameter* greatest = nullptr;
  std::string least_name;
  std::string greatest_name;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Fit* fit = std::get_if<Fit>(&groups[i].fit.result);
    if (fit == nullptr) continue;
    for (const Parameter& parameter : fit->parameters) {
      if (parameter.name != "beta") continue;
      if (least == nullptr || parameter.estimate < least->estimate) {
        least = &parameter;
        least_name = joined(groups[i].group, " ");
      }
      if (greatest == nullptr || parameter.estimate > greatest->estimate) {
        greatest = &parameter;
        greatest_name = joined(groups[i].group, " ");
      }
    }
  }
  if (least == nullptr) return "";
  if (least == greatest) return fmt::format(" The exponent is {:.3g}.", least->estimate);
  return fmt::format(" Exponents range from {:.3g} ({}) to {:.3g} ({}).", least->estimate,
                     least_name, greatest->estimate, greatest_name);
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

GroupedPanels panels_of(const std::vector<std::string>& by, std::span<const GroupKey> groups,
                        bool split) {
  GroupedPanels out;
  const bool facets = (split || groups.size() > kMostTogether) && by.size() > 1;
  out.legend = joined(facets ? std::vector(by.begin() + 1, by.end()) : by);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupKey& key = groups[i];
    const std::string title = facets ? fmt::format("{} {}", by.front(), key.front()) : "";
    out.labels.push_back(facets ? joined(GroupKey(key.begin() + 1, key.end()), ", ")
                                : joined(key, ", "));
    if (out.titles.empty() || out.titles.back() != title) {
      if (out.titles.size() == kMostPanels) {
        out.left_out.push_back(joined(key, " "));
        continue;
      }
      out.titles.push_back(title);
      out.groups.emplace_back();
    }
    if (out.groups.back().size() < kMostTogether) {
      out.groups.back().push_back(i);
    } else {
      out.left_out.push_back(joined(key, " "));
    }
  }
  return out;
}

namespace {

/// Panels of measured means and laws with the intervals of their curves.
std::vector<FigurePanel> law_panels(const StudyAxes& axes, std::span<const DrawnGroup> groups,
                                    const GroupedPanels& grouped) {
  const FigurePanel frame{.x = scale_axis(axes.x, axes.logarithmic),
                          .y = response_axis(axes.y, axes.logarithmic)};
  return make_panels(grouped, frame, [&](std::size_t i) {
    const DrawnGroup& group = groups[i];
    FigureSeries series{.label = fmt::format("{}  {}", grouped.labels[i], law_text(group.fit))};
    series.points = mean_points(axes, joined(group.group, ", "), group.cells);
    if (const Fit* fit = std::get_if<Fit>(&group.fit.result)) {
      const auto x = places(fit->x_min, fit->x_max, axes.logarithmic);
      series.curves.push_back(curve_of(*fit, x));
      if (auto band = band_of(*fit, x)) series.bands.push_back(std::move(*band));
    }
    return series;
  });
}

/// "BERT 0.856 (200) to 0.907 (100)" of each panel.
std::string exponents_by_panel(std::span<const DrawnGroup> groups, const GroupedPanels& grouped) {
  std::vector<std::string> panels;
  for (std::size_t i = 0; i < grouped.titles.size(); ++i) {
    std::map<double, std::string> exponents;
    for (const std::size_t group : grouped.groups[i]) {
      const Fit* fit = std::get_if<Fit>(&groups[group].fit.result);
      if (fit == nullptr) continue;
      for (const Parameter& parameter : fit->parameters) {
        if (parameter.name == "beta") exponents[parameter.estimate] = grouped.labels[group];
      }
    }
    if (exponents.size() < 2) continue;
    panels.push_back(fmt::format("{} from {:.3g} ({}) to {:.3g} ({})", grouped.titles[i],
                                 exponents.begin()->first, exponents.begin()->second,
                                 exponents.rbegin()->first, exponents.rbegin()->second));
  }
  return panels.empty() ? "" : fmt::format(" Exponents: {}.", joined(panels, "; "));
}

}  // namespace

Figure scaling_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups) {
  const std::vector<GroupKey> keys = keys_of(groups);
  const GroupedPanels grouped = panels_of(axes.by, keys);
  Figure figure{.legend = grouped.legend, .panels = law_panels(axes, groups, grouped)};
  figure.caption = fmt::format(
      "{} over {}: means of runs with their range, fitted laws with the interval of the curve.{}{}",
      axes.y, axes.x, exponent_range(groups), left_out_text(grouped));
  return figure;
}

Figure settings_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups) {
  const std::vector<GroupKey> keys = keys_of(groups);
  const GroupedPanels grouped = panels_of(axes.by, keys, true);
  Figure figure{.legend = grouped.legend, .panels = law_panels(axes, groups, grouped)};
  figure.caption = fmt::format(
      "{} over {}, a panel a {} and a line a setting ({}): means of runs with their range, fitted "
      "laws with the interval of the curve.{}{}",
      axes.y, axes.x, axes.by.front(), grouped.legend, exponents_by_panel(groups, grouped),
      left_out_text(grouped));
  return figure;
}

namespace {

/// How much faster than at the least x.
double speedup_by(double first, double y, Response response) {
  return response == Response::kTime ? first / y : y / first;
}

FigureSeries speedup_series(const DrawnGroup& group, bool efficiency) {
  FigureSeries series;
  const std::vector<Level> levels = levels_of(group.cells);
  const Fit* fit = std::get_if<Fit>(&group.fit.result);
  const Response response = fit != nullptr ? fit->response : Response::kTime;
  const double first_x = levels.front().x;
  const auto shown = [&](double x, double speedup) {
    return efficiency ? 100 * speedup / (x / first_x) : speedup;
  };
  for (const Level& level : levels) {
    const double first = std::exp(levels.front().log_mean);
    const double value = shown(level.x, speedup_by(first, std::exp(level.log_mean), response));
    series.points.x.push_back(level.x);
    series.points.y.push_back(value);
    const auto [low, high] = std::minmax({shown(level.x, speedup_by(first, level.max, response)),
                                          shown(level.x, speedup_by(first, level.min, response))});
    const double none = std::numeric_limits<double>::quiet_NaN();
    series.points.lower.push_back(high > low ? low : none);
    series.points.upper.push_back(high > low ? high : none);
    series.points.notes.push_back(note_of(joined(group.group, ", "),
                                          efficiency ? "efficiency [%] at" : "speedup at", level.x,
                                          value));
  }
  if (fit == nullptr) return series;
  FigureCurve curve;
  for (const double x : places(fit->x_min, fit->x_max, true)) {
    curve.x.push_back(x);
    curve.y.push_back(shown(x, speedup_by(fit->curve(first_x), fit->curve(x), response)));
  }
  series.curves.push_back(std::move(curve));
  return series;
}

FigureReference ideal_line(std::span<const DrawnGroup> groups, bool efficiency) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (const DrawnGroup& group : groups) {
    least = std::min(least, group.cells.front().x);
    greatest = std::max(greatest, group.cells.back().x);
  }
  FigureReference line{places(least, greatest, true), {}, "ideal"};
  for (const double x : line.x) line.y.push_back(efficiency ? 100 : x / least);
  return line;
}

}  // namespace

namespace {

/// " At the greatest gpus efficiency is from 9 % (A) to 50 % (B)."
std::string efficiency_range(const Figure& figure, const std::string& x) {
  std::vector<std::pair<double, std::string>> last;
  for (const FigureSeries& series : figure.panels.back().series) {
    if (series.points.y.size() > 1) last.emplace_back(series.points.y.back(), series.label);
  }
  if (last.empty()) return "";
  const auto [least, most] = std::minmax_element(last.begin(), last.end());
  if (least == most) {
    return fmt::format(" At its greatest {} efficiency is {:.0f} %.", x, least->first);
  }
  return fmt::format(
      " At the greatest {} of each, efficiency is from {:.0f} % ({}) to {:.0f} % ({}).", x,
      least->first, least->second, most->first, most->second);
}

}  // namespace

Figure efficiency_figure(const StudyAxes& axes, std::span<const DrawnGroup> all) {
  const auto groups = all.first(std::min(all.size(), kMostTogether));
  Figure figure;
  figure.legend = joined(axes.by);
  for (const bool efficiency : {false, true}) {
    FigurePanel panel{.title = efficiency ? "parallel efficiency" : "speedup",
                      .x = scale_axis(axes.x, true)};
    panel.y = efficiency ? Axis{.label = "efficiency [%]", .least = 0}
                         : Axis{.label = "speedup", .scale = AxisScale::kPowersOfTwo};
    panel.references.push_back(ideal_line(groups, efficiency));
    for (std::size_t i = 0; i < groups.size(); ++i) {
      FigureSeries series = speedup_series(groups[i], efficiency);
      series.label = groups[i].group.empty() ? "all rows" : joined(groups[i].group, ", ");
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
      "by "
      "the law (lines).{}{}",
      is_common ? fmt::format("{} {}", axes.x, scale_text(least))
                : fmt::format("the smallest {} of each group", axes.x),
      efficiency_range(figure, axes.x), not_drawn(all.size() - groups.size()));
  return figure;
}

namespace {

/// Residuals against the normal quantiles of their ranks.
FigurePoints quantile_points(std::vector<Residual> residuals) {
  std::sort(residuals.begin(), residuals.end(), [](const Residual& a, const Residual& b) {
    return a.normal_quantile < b.normal_quantile;
  });
  FigurePoints points;
  for (const Residual& residual : residuals) {
    points.x.push_back(residual.normal_quantile);
    points.y.push_back(residual.standardised);
  }
  return points;
}

FigurePoints points_by(const std::vector<Residual>& residuals, double (*value)(const Residual&)) {
  FigurePoints points;
  for (const Residual& residual : residuals) {
    points.x.push_back(residual.x);
    points.y.push_back(value(residual));
  }
  return points;
}

FigureReference level_line(const std::vector<double>& x, double y, std::string label) {
  if (x.empty()) return {};
  const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
  return {{*least, *greatest}, {y, y}, std::move(label)};
}

}  // namespace

Figure residuals_figure(const StudyAxes& axes, std::span<const DrawnGroup> all) {
  const auto groups = all.first(std::min(all.size(), kMostTogether));
  const Axis x = scale_axis(axes.x, axes.logarithmic);
  const std::string unit = axes.logarithmic ? fmt::format("residual of ln {}", axes.y)
                                            : fmt::format("residual of {}", axes.y);
  Figure figure;
  figure.legend = joined(axes.by);
  figure.panels = {{.title = "residuals: no trend wanted", .x = x, .y = {.label = unit}},
                   {.title = "normal quantiles: on the line wanted",
                    .x = {.label = "normal quantile"},
                    .y = {.label = "standardised residual"}},
                   {.title = "size of scatter: no trend wanted",
                    .x = x,
                    .y = {.label = "root of |standardised residual|", .least = 0}},
                   {.title = "influence: below 1 wanted",
                    .x = x,
                    .y = {.label = "Cook's distance", .least = 0}}};
  std::vector<double> all_x;
  double largest = 0;
  std::string at;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Fit* fit = std::get_if<Fit>(&groups[i].fit.result);
    if (fit == nullptr || !fit->sigma || !(*fit->sigma > 0)) continue;
    const std::vector<Residual> residuals = residuals_of(*fit, groups[i].cells);
    for (const Residual& residual : residuals) {
      all_x.push_back(residual.x);
      if (std::abs(residual.standardised) <= largest) continue;
      largest = std::abs(residual.standardised);
      at = fmt::format("{} at {} {}", joined(groups[i].group, " "), axes.x, scale_text(residual.x));
    }
    const FigurePoints drawn[] = {
        points_by(residuals, [](const Residual& r) { return r.value; }), quantile_points(residuals),
        points_by(residuals, [](const Residual& r) { return std::sqrt(std::abs(r.standardised)); }),
        points_by(residuals, [](const Residual& r) { return r.cook; })};
    for (std::size_t panel = 0; panel < 4; ++panel) {
      figure.panels[panel].series.push_back(
          {.label = groups[i].group.empty() ? "all rows" : joined(groups[i].group, ", "),
           .style = i,
           .points = drawn[panel]});
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
  const std::vector<double> inside = places(laws.x_min, laws.x_max, true);
  const std::vector<double> beyond = places(laws.x_max, 4 * laws.x_max, true);
  std::size_t style = 0;
  for (const RankedLaw& ranked : laws.laws) {
    const Fit* fit = std::get_if<Fit>(&ranked.result);
    if (fit == nullptr) continue;
    FigureSeries series{.label = std::string(ranked.law->name()), .style = style++};
    if (style == 6) ++style;  // That of the measured points.
    if (ranked.delta) series.label += fmt::format("  \u0394 {:.1f}", *ranked.delta);
    series.curves.push_back(curve_of(*fit, inside));
    series.curves.push_back(curve_of(*fit, beyond));
    series.curves.back().dashed = true;
    panel.series.push_back(std::move(series));
  }
  panel.series.push_back(std::move(measured));
  Figure figure;
  figure.title = group_name(axes.by, ranking.group);
  figure.legend = "law, \u0394 AICc";
  figure.caption = laws.sentence;
  figure.panels.push_back(std::move(panel));
  return figure;
}

namespace {

/// A forecast over many x: the curve, its band and the band of new runs, split where the data end.
FigureSeries forecast_series(const StudyAxes& axes, const DrawnForecast& group, double last) {
  FigureSeries series;
  series.points = mean_points(axes, joined(group.group, ", "), group.cells);
  const Forecast& forecast = group.forecast;
  FigureBand runs;
  FigureBand curve_band;
  const auto add = [&](double from, double to, bool dashed) {
    FigureCurve curve{.x = {}, .y = {}, .dashed = dashed};
    for (const double x : places(from, to, true)) {
      const Prediction at = predict(forecast, x);
      curve.x.push_back(x);
      curve.y.push_back(at.median);
      if (!at.pi || !at.ci) continue;
      runs.x.push_back(x);
      runs.lower.push_back(at.pi->lower);
      runs.upper.push_back(at.pi->upper);
      curve_band.x.push_back(x);
      curve_band.lower.push_back(at.ci->lower);
      curve_band.upper.push_back(at.ci->upper);
    }
    series.curves.push_back(std::move(curve));
  };
  add(forecast.x_min, forecast.x_max, false);
  if (last > forecast.x_max) add(forecast.x_max, last, true);
  if (!runs.x.empty()) series.bands = {std::move(runs), std::move(curve_band)};
  return series;
}

}  // namespace

Figure forecast_figure(const StudyAxes& axes, std::span<const DrawnForecast> all, double last) {
  const auto groups = all.first(std::min(all.size(), kMostPanels));
  Figure figure;
  figure.title = groups.size() > 1 ? joined(axes.by) : "";
  std::string widest;
  double width = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double end = last > 0 ? last : 4 * groups[i].forecast.x_max;
    FigurePanel panel{.title = joined(groups[i].group, ", "),
                      .x = scale_axis(axes.x, true),
                      .y = response_axis(axes.y, true)};
    panel.series.push_back(forecast_series(axes, groups[i], end));
    panel.series.back().style = 0;
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
      "{:g} "
      "%; dashed beyond the data.{}",
      axes.y, groups.empty() ? 95.0 : 100 * groups.front().forecast.confidence, widest);
  figure.caption += not_drawn(all.size() - groups.size());
  return figure;
}

}  // namespace scalelaw
