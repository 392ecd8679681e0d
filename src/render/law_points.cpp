#include "render/law_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/figure_parts.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {

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

std::optional<Interval> range_of(double least, double greatest) {
  return greatest > least ? std::optional(Interval{least, greatest}) : std::nullopt;
}

std::string note_of(const std::string& label, const std::string& x, double at, double y) {
  return fmt::format("{}{}{} {}: {}", label, label.empty() ? "" : ", ", x, scale_text(at),
                     with_significant_digits(y, 4));
}

FigurePoints mean_points(const StudyAxes& axes, const std::string& label,
                         std::span<const Cell> cells) {
  FigurePoints points{.label = "run"};
  for (const Level& level : levels_of(cells)) {
    if (level.count > 1) points.label = "mean of runs";
    if (level.max > level.min) points.bars = "range of runs";
    const double y = axes.logarithmic ? std::exp(level.log_mean) : level.mean;
    points.add(level.x, y, note_of(label, axes.x, level.x, y), range_of(level.min, level.max));
  }
  return points;
}

FigureCurve curve_of(const Fit& fit, const std::vector<double>& x, bool dashed) {
  return curve_over(
      x, [&fit](double at) { return fit.curve(at); }, dashed);
}

std::optional<FigureBand> band_of(const Fit& fit, const std::vector<double>& x) {
  FigureBand band;
  for (const double at : x) {
    const auto ci = fit.curve_ci(at);
    if (!ci) return std::nullopt;
    band.add(at, *ci);
  }
  return band;
}

std::string points_words(const Figure& figure) {
  const bool means = any_series(
      figure, [](const FigureSeries& series) { return series.points.label == "mean of runs"; });
  if (!means) return "runs";
  return has_bars(figure) ? "means of runs with their range" : "means of runs";
}

}  // namespace scalelaw
