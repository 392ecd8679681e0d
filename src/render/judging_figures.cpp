// Figures that judge laws: speedup and efficiency, residuals, rankings.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/ranges.hpp"
#include "render/figure_parts.hpp"
#include "render/labelled_range.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/study.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/study_figures.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// A panel of speedups, or of efficiencies in percent.
struct JudgedScaling {
  bool efficiency = false;
  Ideal ideal = Ideal::kFaster;

  double shown(double speedup, double ratio) const {
    return efficiency ? 100 * efficiency_of(speedup, ratio, ideal).value() : speedup;
  }
  std::string_view noun() const {
    return ideal == Ideal::kAsLong ? "weak efficiency" : "efficiency";
  }
};

/// The value of a curve, and its interval where that is defined.
struct CurvePlace {
  double y;
  std::optional<Interval> ci;
};

/// Of the forecast of a group, which tables have; without one of its law.
CurvePlace curve_at(const DrawnGroup& group, double x) {
  if (group.forecast == nullptr) {
    const Fit& fit = std::get<Fit>(group.fit);
    return {fit.curve(x), fit.curve_ci(x)};
  }
  const Prediction at = predict(*group.forecast, x);
  return {at.median, at.ci};
}

/// Points, curve and band all over one number, the curve's value at the least x: a chance high or
/// low of the runs there moves none of them against the others. Without a curve it is their mean.
FigureSeries speedup_series(const DrawnGroup& group, const std::string& label,
                            const JudgedScaling& judged, double confidence) {
  FigureSeries series{.label = label};
  const std::vector<Level> levels = levels_of(group.cells);
  const Fit* const fit = std::get_if<Fit>(&group.fit);
  const bool has_curve = fit != nullptr || group.forecast != nullptr;
  const bool is_rate = fit != nullptr && fit->response == Response::kRate;
  const bool rate_of_one = fit != nullptr && fit->rate_of_one;
  const double first_x = levels.front().x;
  const double first_y = has_curve ? curve_at(group, first_x).y : std::exp(levels.front().log_mean);
  const auto shown = [&](double x, double y) {
    const double ratio = x / first_x;
    const double speedup = is_rate ? y / first_y : first_y / y;
    return judged.shown(speedup_of_all(speedup, ratio, rate_of_one), ratio);
  };
  const auto ends = [&](double x, double a, double b) {
    const auto [low, high] = std::minmax({shown(x, a), shown(x, b)});
    return Interval{low, high};
  };
  for (const Level& level : levels) {
    const double value = shown(level.x, std::exp(level.log_mean));
    const Interval range = ends(level.x, level.max, level.min);
    series.points.add(
        level.x, value,
        note_of(label, judged.efficiency ? fmt::format("{} [%] at", judged.noun()) : "speedup at",
                level.x, value),
        range_of(range.lower, range.upper));
    series.points.label = level.count > 1 ? "mean of runs" : series.points.label;
    if (level.max > level.min) series.points.bars = "range of runs";
  }
  if (series.points.label.empty()) series.points.label = "run";
  if (!has_curve) return series;
  FigureCurve& line = series.curves.emplace_back();
  line.label = group.forecast != nullptr ? "forecast" : fmt::format("{} law", fit->law->name());
  FigureBand band{.label = percent_text(confidence) + " interval of the curve"};
  for (const double x : spaced(first_x, levels.back().x, kCurvePoints)) {
    const CurvePlace at = curve_at(group, x);
    line.add(x, shown(x, at.y));
    if (at.ci) band.add(x, ends(x, at.ci->lower, at.ci->upper));
  }
  if (band.x.size() == line.x.size()) series.bands.push_back(std::move(band));
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

FigurePanel judged_panel(const StudyAxes& axes, std::span<const DrawnGroup> groups,
                         const GroupLabels& names, const JudgedScaling& judged) {
  FigurePanel panel{.title = !judged.efficiency               ? "speedup"
                             : judged.ideal == Ideal::kAsLong ? "weak efficiency"
                                                              : "parallel efficiency",
                    .x = scale_axis(axes.x, true)};
  panel.y = judged.efficiency ? Axis{.label = fmt::format("{} [%]", judged.noun()), .least = 0}
                              : Axis{.label = "speedup", .scale = AxisScale::kPowersOfTwo};
  if (judged.ideal != Ideal::kNone) {
    panel.references.push_back(ideal_line(groups, judged.efficiency));
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    FigureSeries series =
        speedup_series(groups[i], names.of(groups[i].group), judged, axes.confidence);
    series.style = style_of(axes, groups[i].group, i);
    panel.series.push_back(std::move(series));
  }
  return panel;
}

/// " By the laws, efficiency at the greatest gpus of each is from 9 % (A) to 50 % (B)."
std::string efficiency_range(const Figure& figure, const std::string& x, std::string_view curve) {
  LabelledRange last;
  for (const FigureSeries& series : figure.panels.back().series) {
    if (!series.curves.empty() && series.points.y.size() > 1) {
      last.add(series.curves.front().y.back(), series.label);
    }
  }
  if (last.empty()) return "";
  return last.is_one_value()
             ? fmt::format(" By the {}, efficiency at the greatest {} is {:.0f} %.", curve, x,
                           last.least())
             : fmt::format(" By the {}s, efficiency at the greatest {} of each is {}.", curve, x,
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

}  // namespace

std::string_view judged_words(Ideal ideal) {
  return word_for(ideal, {{Ideal::kFaster, "Speedup and parallel efficiency"},
                          {Ideal::kAsLong, "Weak efficiency"},
                          {Ideal::kNone, "Speedup"}});
}

Figure efficiency_figure(const StudyAxes& axes, std::span<const DrawnGroup> all) {
  const std::vector<DrawnGroup> groups = first_shown(all, kMostTogether);
  const GroupLabels names = labels_of(axes, groups);
  Figure figure{.title = names.shared(), .legend = names.columns()};
  if (axes.ideal != Ideal::kAsLong) {  // Times of growing work have no speedup.
    figure.panels.push_back(judged_panel(axes, groups, names, {false, axes.ideal}));
  }
  if (axes.ideal != Ideal::kNone) {
    figure.panels.push_back(judged_panel(axes, groups, names, {true, axes.ideal}));
  }
  const double least = groups.front().cells.front().x;
  const bool is_common =
      all_of(groups, [&](const DrawnGroup& group) { return group.cells.front().x == least; });
  const bool forecasts =
      any_of(groups, [](const DrawnGroup& group) { return group.forecast != nullptr; });
  figure.caption = fmt::format(
      "{}{}: {}, {} and their intervals, all against the {} at {}.{}{}", judged_words(axes.ideal),
      axes.ideal == Ideal::kAsLong
          ? " (the work of a run grows: the time at the smallest scale over that at each)"
          : "",
      points_words(figure), forecasts ? "curves of the forecasts" : "laws",
      forecasts ? "curve" : "law",
      is_common ? place_on_scale(axes.x, least)
                : fmt::format("the smallest {} of each group", axes.x),
      axes.ideal == Ideal::kNone ? fmt::format(" There is no efficiency: {} shares no work out.",
                                               with_article(noun_of_scale(axes.x)))
                                 : efficiency_range(figure, axes.x, forecasts ? "curve" : "law"),
      not_drawn(left_out(axes, all.size(), groups.size())));
  const bool of_one = any_of(groups, [](const DrawnGroup& group) {
    const Fit* const fit = std::get_if<Fit>(&group.fit);
    return fit != nullptr && fit->rate_of_one;
  });
  if (of_one) figure.caption += " " + rate_of_one_sentence(axes.y, axes.x);
  figure.note = drawn_note(left_out(axes, all.size(), groups.size()));
  return figure;
}

Figure residuals_figure(const StudyAxes& axes, std::span<const DrawnGroup> all) {
  const std::vector<DrawnGroup> groups = first_shown(all, kMostTogether);
  const GroupLabels names = labels_of(axes, groups);
  Figure figure{
      .title = names.shared(), .legend = names.columns(), .panels = residual_panels(axes)};
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
      at = fmt::format("{} at {}", names.of(groups[i].group), place_on_scale(axes.x, residual.x));
    }
    const FigurePoints drawn[] = {
        points_of(residuals, &Residual::x, &Residual::value),
        points_of(by_quantile(residuals), &Residual::normal_quantile, &Residual::standardised),
        points_of(residuals, &Residual::x, root_size),
        points_of(residuals, &Residual::x, &Residual::cook)};
    for (std::size_t panel = 0; panel < figure.panels.size(); ++panel) {
      figure.panels[panel].series.push_back({.label = names.of(groups[i].group),
                                             .style = style_of(axes, groups[i].group, i),
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
  tell_left_out(figure, left_out(axes, all.size(), groups.size()));
  return figure;
}

Figure rank_figure(const StudyAxes& axes, std::span<const Cell> cells,
                   const GroupRanking& ranking) {
  FigurePanel panel{.x = scale_axis(axes.x, true), .y = response_axis(axes.y, true, axes.y_unit)};
  const Ranking& laws = std::get<Ranking>(ranking.result);
  FigureSeries measured{.label = {}, .style = 6, .points = mean_points(axes, "", cells)};
  measured.label = std::exchange(measured.points.label, "");  // The legend has it, not the key.
  const std::vector<double> places = spaced(laws.x_min, 4 * laws.x_max, kCurvePoints);
  std::size_t style = 0;
  for (const RankedLaw& ranked : laws.laws) {
    const Fit* fit = std::get_if<Fit>(&ranked.result);
    if (fit == nullptr) continue;
    // The best law is a solid line; dashes of the others show where they lie on it.
    FigureSeries series{.label = std::string(ranked.law->name()), .style = style, .pattern = style};
    if (++style == 6) ++style;  // That of the measured points.
    if (ranked.delta) series.label += fmt::format("  \u0394 {:.1f}", *ranked.delta);
    series.curves = {curve_of(*fit, places)};
    panel.series.push_back(std::move(series));
  }
  panel.series.push_back(std::move(measured));
  panel.marks.push_back(
      {.x = laws.x_max, .words = {"measured up to", place_on_scale(axes.x, laws.x_max)}});
  return {.title = group_name(axes.by, ranking.group),
          .legend = "law, \u0394 AICc",
          .caption = laws.sentence,
          .panels = {std::move(panel)},
          .ranked = true};
}

}  // namespace scalelaw
