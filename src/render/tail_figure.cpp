#include "scalelaw/render/result_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/text.hpp"
#include "scalelaw/render/tail_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostPanels = 6;

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
  const std::size_t drawn = std::min(tails.size(), kMostPanels);
  for (const DrawnTail& tail : tails.first(drawn)) figure.panels.push_back(panel_of(column, tail));
  if (tails.size() > drawn) {
    figure.caption += fmt::format(" {} more groups are not drawn.", tails.size() - drawn);
  }
  return figure;
}

}  // namespace scalelaw
