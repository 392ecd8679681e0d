#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scalelaw/judge/surface_forecast.hpp"
#include "scalelaw/render/surface_figure.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLines = 5;  ///< Values of the first scale whose line is drawn.
constexpr int kPlaces = 60;        ///< Of each line.
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

FigureSeries runs_series(const DrawnSurface& surface, double factor) {
  FigureSeries series{.label = "runs", .style = 0};
  for (std::size_t i = 0; i < surface.y.size(); ++i) {
    series.points.x.push_back(factor * surface.n[i] * surface.d[i]);
    series.points.y.push_back(surface.y[i]);
  }
  return series;
}

/// The law at one value of the first scale, over the range of the second.
FigureSeries line_of(const DrawnSurface& surface, double n, double factor, std::size_t style,
                     const std::string& scale) {
  FigureSeries series{.label = fmt::format("{} = {:.2g}", scale, n), .style = style};
  FigureCurve curve;
  const Interval& range = surface.fit.surface->x_range[1];
  for (const double d : spaced(range.lower, range.upper, kPlaces)) {
    curve.x.push_back(factor * n * d);
    curve.y.push_back(surface.fit.curve(std::array{n, d}));
  }
  series.curves.push_back(std::move(curve));
  return series;
}

FigureSeries frontier_of(const DrawnSurface& surface, double least, double greatest, double factor,
                         std::size_t style) {
  FigureSeries series{.label = "least for the compute", .style = style};
  FigureCurve curve{.dashed = true};
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
  panel.x = {.label = fmt::format("{:.6g} * {} * {}", factor, report.scales[0], report.scales[1]),
             .scale = AxisScale::kLogarithmic};
  panel.y = {.label = report.y, .scale = AxisScale::kLogarithmic};
  panel.series.push_back(runs_series(surface, factor));
  const Interval& range = surface.fit.surface->x_range[0];
  std::size_t style = 1;
  for (const double n : spaced(range.lower, range.upper, kLines)) {
    panel.series.push_back(line_of(surface, n, factor, style++, report.scales[0]));
  }
  const auto& compute = panel.series.front().points.x;
  const auto [least, greatest] = std::minmax_element(compute.begin(), compute.end());
  std::string caption =
      fmt::format("{}: {} runs", group_name(report.by, surface.group), surface.y.size());
  if (surface.fit.surface->split) {
    panel.series.push_back(frontier_of(surface, *least, *greatest, factor, style));
    const Estimate& split = (*surface.fit.surface->split)[0];
    caption +=
        fmt::format("; the best {} grows as compute^{:.3f}", report.scales[0], split.estimate);
    if (split.ci) caption += fmt::format(" ({:.3f} .. {:.3f})", split.ci->lower, split.ci->upper);
  }
  return {.caption = caption, .panels = {panel}};
}

}  // namespace scalelaw
