// Figures of laws over two scales and of tails.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "render/figure_parts.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/judge/surface_forecast.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "scalelaw/render/study_figures.hpp"
#include "scalelaw/render/tail_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr int kLines = 5;       ///< Values of the first scale that have a line.
constexpr int kPlaces = 60;     ///< Points of each line.
constexpr double kBeyond = 10;  ///< How far the frontier reaches past the greatest compute.

/// "35 M", "1.2 B".
std::string size_label(double value) {
  std::string text =
      value >= 1e3 && value < 1e6 ? short_count(value / 1e3) + "k" : short_count(value);
  if (const std::size_t letter = text.find_first_of("kMBT"); letter != std::string::npos) {
    text.insert(letter, " ");
  }
  return text;
}

/// Where a size lies between the smallest and the greatest, on a logarithmic scale.
double share_of(const DrawnSurface& surface, double n) {
  const Interval& range = surface.fit.surface->x_range[0];
  return range.upper > range.lower ? std::log(n / range.lower) / std::log(range.upper / range.lower)
                                   : 0;
}

/// Some sizes of the runs, about evenly spread from the smallest to the greatest.
std::vector<double> drawn_sizes(const DrawnSurface& surface) {
  const Interval& range = surface.fit.surface->x_range[0];
  std::vector<double> sizes;
  for (const double wanted : spaced(range.lower, range.upper, kLines)) {
    const auto distance = [&](double n) { return std::abs(std::log(n / wanted)); };
    const double nearest =
        *std::min_element(surface.n.begin(), surface.n.end(),
                          [&](double a, double b) { return distance(a) < distance(b); });
    if (sizes.empty() || sizes.back() != nearest) sizes.push_back(nearest);
  }
  return sizes;
}

/// The runs, each in the colour of its own size: sizes within a step of the scale share one.
std::vector<FigureSeries> runs_by_size(const DrawnSurface& surface, const StudyReport& report,
                                       double factor) {
  constexpr double kShades = 24;
  std::map<int, FigureSeries> series;
  for (std::size_t i = 0; i < surface.y.size(); ++i) {
    const double share = share_of(surface, surface.n[i]);
    FigureSeries& one = series[static_cast<int>(std::lround(kShades * share))];
    if (!one.shade) one.shade = share;
    one.points.label = "run, coloured by its " + report.scales[0];
    one.points.add(
        factor * surface.n[i] * surface.d[i], surface.y[i],
        fmt::format("{} {}, {} {}: {} {:.4g}", report.scales[0], size_label(surface.n[i]),
                    report.scales[1], size_label(surface.d[i]), report.y, surface.y[i]));
  }
  std::vector<FigureSeries> out;
  for (auto& [shade, one] : series) out.push_back(std::move(one));
  return out;
}

/// The law at one size, over the second scale as far as runs of about this size go.
FigureSeries law_at(const DrawnSurface& surface, const StudyReport& report, double n,
                    double factor) {
  const Interval& sizes = surface.fit.surface->x_range[0];
  const double about = std::pow(sizes.upper / sizes.lower, 0.5 / (kLines - 1));
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (std::size_t i = 0; i < surface.n.size(); ++i) {
    if (surface.n[i] > n * about || surface.n[i] * about < n) continue;
    least = std::min(least, surface.d[i]);
    greatest = std::max(greatest, surface.d[i]);
  }
  FigureSeries series{.label = fmt::format("{} {}", report.scales[0], size_label(n))};
  series.shade = share_of(surface, n);
  FigureCurve curve{.label = "law at one size"};
  for (const double d : spaced(least, greatest, kPlaces)) {
    curve.add(factor * n * d, surface.fit.curve(std::array{n, d}));
  }
  series.curves.push_back(std::move(curve));
  return series;
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
                      .style = 6,
                      .pattern = 2};
  FigureCurve curve;
  FigureBand band{.label = percent_text(surface.fit.confidence) + " interval of the least"};
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

FigureSeries tail_series(std::string label, std::size_t style, const TailCurve& curve) {
  FigureSeries series{.label = std::move(label), .style = style, .pattern = style - 1};
  series.curves.push_back({.x = curve.x, .y = curve.share});
  return series;
}

/// The other shapes, the likeliest first.
std::vector<std::size_t> alternatives_in_order(const Tail& tail, std::size_t drawn) {
  std::vector<std::size_t> order(drawn);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&tail](std::size_t a, std::size_t b) {
    return tail.alternatives[a].log_ratio < tail.alternatives[b].log_ratio;
  });
  return order;
}

FigurePanel panel_of(const std::string& column, const DrawnTail& drawn) {
  FigurePanel panel{
      .title = joined(drawn.group),
      .x = {.label = response_axis(column, true).label, .scale = AxisScale::kLogarithmic}};
  // Shapes that fall faster than the sample must not stretch the axis.
  panel.y = {.label = "share of values >= " + column,
             .scale = AxisScale::kLogarithmic,
             .least = 0.5 / static_cast<double>(drawn.tail.n),
             .greatest = 1.5};
  FigureSeries sample{.label = "values", .style = 0};
  sample.points = {.x = drawn.sample.x, .y = drawn.sample.share};
  panel.series.push_back(std::move(sample));
  panel.series.push_back(tail_series("power law", 1, drawn.power_law));
  for (const std::size_t i : alternatives_in_order(drawn.tail, drawn.alternatives.size())) {
    if (drawn.alternatives[i].x.empty()) continue;
    panel.series.push_back(tail_series(std::string(words_of(drawn.tail.alternatives[i].model)),
                                       2 + i, drawn.alternatives[i]));
  }
  panel.marks.push_back(
      {.x = drawn.tail.x_min,
       .words = {fmt::format("x_min {}", with_significant_digits(drawn.tail.x_min, 4))}});
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
  Figure figure{.caption = caption_of(tails.front()), .ranked = true};
  const std::size_t drawn = std::min(tails.size(), kMostTails);
  for (const DrawnTail& tail : tails.first(drawn)) figure.panels.push_back(panel_of(column, tail));
  tell_left_out(figure, tails.size() - drawn);
  return figure;
}

Figure surface_figure(const StudyReport& report, const DrawnSurface& surface) {
  const double factor = report.flops_per_parameter_token;
  FigurePanel panel;
  panel.x = {.label = factor == 1 ? fmt::format("{} \u00d7 {}", report.scales[0], report.scales[1])
                                  : "compute [FLOP]",
             .scale = AxisScale::kLogarithmic};
  panel.y = {.label = report.y, .scale = AxisScale::kLogarithmic};
  panel.series = runs_by_size(surface, report, factor);
  for (const double n : drawn_sizes(surface)) {
    panel.series.push_back(law_at(surface, report, n, factor));
  }
  std::string caption =
      fmt::format("{}: {} over {}, {} runs and the law at sizes of the table",
                  group_name(report.by, surface.group), report.y,
                  factor == 1 ? panel.x.label
                              : fmt::format("the compute {:g} \u00d7 {} \u00d7 {}", factor,
                                            report.scales[0], report.scales[1]),
                  surface.y.size());
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
