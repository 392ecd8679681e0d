#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scalelaw/judge/surface_forecast.hpp"
#include "scalelaw/render/surface_figure.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLines = 5;  ///< Values of the first scale that have a line.
constexpr int kPlaces = 60;        ///< Points of each line.
constexpr double kBeyond = 10;     ///< How far the frontier reaches past the greatest compute.

/// `count` values from one end to the other, evenly spaced in logarithms.
std::vector<double> spaced(double least, double greatest, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    values.push_back(least * std::pow(greatest / least, share));
  }
  return values;
}

/// A number with two digits, or all digits before the point up to 10,000.
std::string size_text(double value) {
  return value >= 10 && value < 1e4 ? fmt::format("{:.0f}", value) : fmt::format("{:.2g}", value);
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
    points.x.push_back(factor * surface.n[i] * surface.d[i]);
    points.y.push_back(surface.y[i]);
  }
  return points;
}

/// The law at one value of the first scale, over the range of the second.
FigureCurve line_of(const DrawnSurface& surface, double n, double factor) {
  FigureCurve curve;
  const Interval& range = surface.fit.surface->x_range[1];
  for (const double d : spaced(range.lower, range.upper, kPlaces)) {
    curve.x.push_back(factor * n * d);
    curve.y.push_back(surface.fit.curve(std::array{n, d}));
  }
  return curve;
}

/// Least and greatest product of the scales over the runs.
Interval computes_of(const DrawnSurface& surface, double factor) {
  Interval range{factor * surface.n[0] * surface.d[0], factor * surface.n[0] * surface.d[0]};
  for (std::size_t i = 0; i < surface.y.size(); ++i) {
    const double compute = factor * surface.n[i] * surface.d[i];
    range = {std::min(range.lower, compute), std::max(range.upper, compute)};
  }
  return range;
}

FigureSeries frontier_of(const DrawnSurface& surface, double least, double greatest, double factor,
                         std::size_t style) {
  FigureSeries series{.label = factor == 1 ? "least for the product" : "least for the compute",
                      .style = style};
  FigureCurve curve;
  curve.dashed = true;
  FigureBand band;
  for (const double compute : spaced(least, kBeyond * greatest, kPlaces)) {
    const auto optimum = surface_optimum(surface.fit, compute / factor, surface.fit.confidence);
    if (!optimum) continue;
    curve.x.push_back(compute);
    curve.y.push_back(optimum->point.median);
    if (!optimum->point.ci) continue;
    band.x.push_back(compute);
    band.lower.push_back(optimum->point.ci->lower);
    band.upper.push_back(optimum->point.ci->upper);
  }
  series.curves.push_back(std::move(curve));
  if (!band.x.empty()) series.bands.push_back(std::move(band));
  return series;
}

}  // namespace

Figure surface_figure(const StudyReport& report, const DrawnSurface& surface) {
  const double factor = report.flops_per_parameter_token;
  FigurePanel panel;
  panel.x = {.label = (factor == 1 ? "" : fmt::format("{:.6g} * ", factor)) + report.scales[0] +
                      " * " + report.scales[1],
             .scale = AxisScale::kLogarithmic};
  panel.y = {.label = report.y, .scale = AxisScale::kLogarithmic};
  const Interval& range = surface.fit.surface->x_range[0];
  const std::vector<double> values = spaced(range.lower, range.upper, kLines);
  for (std::size_t k = 0; k < values.size(); ++k) {
    FigureSeries series{.label = report.scales[0] + " = " + size_text(values[k]), .style = k};
    series.points = runs_near(surface, values, k, factor);
    series.curves.push_back(line_of(surface, values[k], factor));
    panel.series.push_back(std::move(series));
  }
  const Interval compute = computes_of(surface, factor);
  std::string caption =
      fmt::format("{}: {} runs", group_name(report.by, surface.group), surface.y.size());
  if (surface.fit.surface->split) {
    panel.series.push_back(frontier_of(surface, compute.lower, compute.upper, factor, kLines));
    const Estimate& split = (*surface.fit.surface->split)[0];
    caption += fmt::format("; the best {} grows as {}^{:.3f}", report.scales[0],
                           factor == 1 ? "product" : "compute", split.estimate);
    if (split.ci) caption += fmt::format(" ({:.3f} .. {:.3f})", split.ci->lower, split.ci->upper);
  }
  return {.caption = caption, .panels = {panel}};
}

}  // namespace scalelaw
