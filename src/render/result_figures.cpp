// Figures of laws over two scales and of tails.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "render/figure_parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/judge/surface_forecast.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "scalelaw/render/tail_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr int kLines = 5;       ///< Values of the first scale that have a line.
constexpr int kPlaces = 60;     ///< Points of each line.
constexpr double kBeyond = 10;  ///< How far the frontier reaches past the greatest compute.

/// A number with two digits, or all digits before the point up to 10,000.
std::string size_text(double value) {
  return value >= 10 && value < 1e4 ? fmt::format("{:.0f}", value) : fmt::format("{:.2g}", value);
}

/// The first scales that have a line: all of the runs, or of many the nearest to places that are
/// evenly spaced in logarithms.
std::vector<double> drawn_sizes(std::vector<double> sizes) {
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.size() <= kLines) return sizes;
  std::vector<double> drawn;
  for (const double place : spaced(sizes.front(), sizes.back(), kLines)) {
    const auto nearest = std::min_element(sizes.begin(), sizes.end(), [&](double a, double b) {
      return std::abs(std::log(a / place)) < std::abs(std::log(b / place));
    });
    if (drawn.empty() || drawn.back() != *nearest) drawn.push_back(*nearest);
  }
  return drawn;
}

/// The runs whose first scale is nearest, in logarithms, to values[which].
FigurePoints runs_near(const DrawnSurface& surface, const std::vector<double>& values,
                       std::size_t which, double factor) {
  FigurePoints points;
  for (std::size_t i = 0; i < surface.y.size(); ++i) {
    const auto distance = [&](double value) { return std::abs(std::log(surface.n[i] / value)); };
    const auto nearest = std::min_element(values.begin(), values.end(), [&](double a, double b) {
      return distance(a) < distance(b);
    });
    if (static_cast<std::size_t>(nearest - values.begin()) != which) continue;
    points.add(factor * surface.n[i] * surface.d[i], surface.y[i], "");
  }
  return points;
}

/// The law at one value of the first scale, over the range of the second.
FigureCurve line_of(const DrawnSurface& surface, double n, double factor) {
  FigureCurve curve;
  const Interval& range = surface.fit.surface->x_range[1];
  for (const double d : spaced(range.lower, range.upper, kPlaces)) {
    curve.add(factor * n * d, surface.fit.curve(std::array{n, d}));
  }
  return curve;
}

/// Least and greatest compute over the runs.
Interval computes_of(const DrawnSurface& surface, double factor) {
  std::vector<double> computes;
  for (std::size_t i = 0; i < surface.y.size(); ++i) {
    computes.push_back(factor * surface.n[i] * surface.d[i]);
  }
  const auto [least, greatest] = std::minmax_element(computes.begin(), computes.end());
  return {*least, *greatest};
}

FigureSeries frontier_of(const DrawnSurface& surface, const Interval& computes, double factor) {
  FigureSeries series{.label = factor == 1 ? "least for the product" : "least for the compute",
                      .style = kLines};
  FigureCurve curve{.dashed = true};
  FigureBand band;
  for (const double compute : spaced(computes.lower, kBeyond * computes.upper, kPlaces)) {
    const auto optimum = surface_optimum(surface.fit, compute / factor, surface.fit.confidence);
    if (!optimum) continue;
    curve.add(compute, optimum->point.median);
    if (optimum->point.ci) band.add(compute, *optimum->point.ci);
  }
  series.curves.push_back(std::move(curve));
  if (!band.x.empty()) series.bands.push_back(std::move(band));
  return series;
}

// A tail.

constexpr std::size_t kMostTails = 6;

FigureSeries series_of(std::string label, std::size_t style, const TailCurve& curve, bool dashed) {
  FigureSeries series{.label = std::move(label), .style = style};
  series.curves.push_back({.x = curve.x, .y = curve.share, .dashed = dashed});
  return series;
}

FigurePanel panel_of(const std::string& column, const DrawnTail& drawn) {
  FigurePanel panel{.title = joined(drawn.group),
                    .x = {.label = column, .scale = AxisScale::kLogarithmic}};
  // Shapes that fall faster than the sample must not stretch the axis.
  panel.y = {.label = "share of values >= " + column,
             .scale = AxisScale::kLogarithmic,
             .least = 0.5 / static_cast<double>(drawn.tail.n),
             .greatest = 1.5};
  FigureSeries sample{.label = "values", .style = 0};
  sample.points = {.x = drawn.sample.x, .y = drawn.sample.share};
  panel.series.push_back(std::move(sample));
  panel.series.push_back(series_of("power law", 1, drawn.power_law, false));
  for (std::size_t i = 0; i < drawn.alternatives.size(); ++i) {
    if (drawn.alternatives[i].x.empty()) continue;
    panel.series.push_back(series_of(std::string(words_of(drawn.tail.alternatives[i].model)), 2 + i,
                                     drawn.alternatives[i], true));
  }
  return panel;
}

std::string caption_of(const DrawnTail& drawn) {
  const Tail& tail = drawn.tail;
  return fmt::format("{}{} of {} values lie in the tail from {} on, alpha {}: {}.",
                     drawn.group.empty() ? "" : joined(drawn.group) + ": ", tail.tail_n, tail.n,
                     with_significant_digits(tail.x_min, 4),
                     rounded(tail.alpha, tail.alpha_se).estimate, tail_sentence(tail));
}

}  // namespace

Figure tail_figure(const std::string& column, std::span<const DrawnTail> tails) {
  Figure figure{.caption = caption_of(tails.front())};
  const std::size_t drawn = std::min(tails.size(), kMostTails);
  for (const DrawnTail& tail : tails.first(drawn)) figure.panels.push_back(panel_of(column, tail));
  figure.caption += not_drawn(tails.size() - drawn);
  return figure;
}

Figure surface_figure(const StudyReport& report, const DrawnSurface& surface) {
  const double factor = report.flops_per_parameter_token;
  FigurePanel panel;
  panel.x = {.label = (factor == 1 ? "" : fmt::format("{:.6g} * ", factor)) + report.scales[0] +
                      " * " + report.scales[1],
             .scale = AxisScale::kLogarithmic};
  panel.y = {.label = report.y, .scale = AxisScale::kLogarithmic};
  const std::vector<double> values = drawn_sizes(surface.n);
  for (std::size_t k = 0; k < values.size(); ++k) {
    FigureSeries series{.label = report.scales[0] + " = " + size_text(values[k]), .style = k};
    series.points = runs_near(surface, values, k, factor);
    series.curves.push_back(line_of(surface, values[k], factor));
    panel.series.push_back(std::move(series));
  }
  std::string caption =
      fmt::format("{}: {} runs", group_name(report.by, surface.group), surface.y.size());
  const auto is_drawn = [&values](double n) {
    return std::find(values.begin(), values.end(), n) != values.end();
  };
  if (!std::all_of(surface.n.begin(), surface.n.end(), is_drawn)) {
    caption += "; those without a line of their own have the colour of the nearest one";
  }
  if (surface.fit.surface->split) {
    panel.series.push_back(frontier_of(surface, computes_of(surface, factor), factor));
    const Estimate& split = (*surface.fit.surface->split)[0];
    caption += fmt::format("; the best {} grows as {}^{:.3f}", report.scales[0],
                           factor == 1 ? "product" : "compute", split.estimate);
    if (split.ci) caption += fmt::format(" ({:.3f} .. {:.3f})", split.ci->lower, split.ci->upper);
  }
  return {.caption = caption, .panels = {panel}};
}

}  // namespace scalelaw
