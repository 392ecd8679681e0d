#include <algorithm>
#include <cmath>

#include "judge/levels.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/judge/predict.hpp"
#include "scalelaw/judge/rank.hpp"
#include "statistics/quantiles.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kFewestKept = 3;  ///< Fewest different x to forecast from.

struct Way {
  std::string name;
  ForecastOptions options;
};

/// Pooled forecasts come first if the options ask for them.
std::vector<Way> ways_of(const ForecastOptions& options, int threads, const GroupedCells& runs) {
  std::vector<Way> ways;
  const auto add = [&](std::string_view name, ForecastKind kind, const Law* law) {
    Way way{std::string(name), options};
    way.options.kind = kind;
    way.options.law = law;
    way.options.learned.reset();
    ways.push_back(std::move(way));
  };
  add("average", ForecastKind::kAverage, nullptr);
  auto learned = options.learned ? options.learned : learn_priors(runs, ways[0].options, threads);
  if (learned) {
    add("pooled", ForecastKind::kAverage, nullptr);
    ways.back().options.learned = std::move(learned);
    if (options.learned) std::swap(ways.front(), ways.back());
  }
  add("auto", ForecastKind::kAuto, nullptr);
  for (const Law* law : default_ranked_laws()) add(law->name(), ForecastKind::kLaw, law);
  return ways;
}

/// The cells below the hidden x, and those at the greatest x.
struct Split {
  std::span<const Cell> kept;
  std::span<const Cell> hidden;
};

std::optional<Split> split_of(std::span<const Cell> cells, std::size_t hidden) {
  const std::vector<std::size_t> begins = level_begins(cells);
  const std::size_t levels = begins.size() - 1;
  if (levels < hidden + kFewestKept) return std::nullopt;
  return Split{cells.first(begins[levels - hidden]), cells.subspan(begins[levels - 1])};
}

std::optional<HiddenPoint> score(const GroupKey& group, const Split& split, const std::string& name,
                                 const ForecastOptions& options) {
  const double y = log_mean(split.hidden).mean;
  const auto runs = static_cast<double>(log_mean(split.hidden).n);
  const auto at = if_possible(
      [&] { return predict(make_forecast(split.kept, options), split.hidden.front().x, runs); });
  if (!at) return std::nullopt;  // Too few points for this law.
  HiddenPoint point{
      .group = group, .x = at->x, .name = name, .log_error = y - std::log(at->median)};
  if (at->pi) {
    point.inside = y >= std::log(at->pi->lower) && y <= std::log(at->pi->upper);
    point.width = std::log(at->pi->upper / at->pi->lower);
    const double beyond = std::max({0.0, y - std::log(at->pi->upper), std::log(at->pi->lower) - y});
    point.interval_score = *point.width + 2 / (1 - options.confidence) * beyond;
  }
  return point;
}

double quantile_of(const std::vector<double>& values, double probability) {
  return quantiles_of(values, std::array{probability}).front();
}

std::optional<BacktestScore> score_of(const std::string& name,
                                      const std::vector<HiddenPoint>& points) {
  BacktestScore out;
  out.name = name;
  std::vector<double> errors;
  std::vector<double> widths;
  double held = 0;
  double scores = 0;
  for (const HiddenPoint& point : points) {
    if (point.name != name) continue;
    errors.push_back(std::abs(point.log_error));
    out.bias += point.log_error;
    if (!point.inside) continue;
    held += *point.inside ? 1 : 0;
    widths.push_back(*point.width);
    scores += *point.interval_score;
  }
  if (errors.empty()) return std::nullopt;
  out.series = errors.size();
  out.bias /= static_cast<double>(errors.size());
  out.median_error = quantile_of(errors, 0.5);
  out.p90_error = quantile_of(errors, 0.9);
  out.intervals = widths.size();
  if (!widths.empty()) {
    out.coverage = held / static_cast<double>(widths.size());
    out.width = quantile_of(widths, 0.5);
    out.interval_score = scores / static_cast<double>(widths.size());
  }
  return out;
}

}  // namespace

Backtest backtest(const GroupedCells& runs, const ForecastOptions& options, std::size_t hidden,
                  int threads) {
  const std::vector<Way> ways = ways_of(options, threads, runs);
  std::vector<std::vector<HiddenPoint>> points(runs.size());
  std::vector<char> skipped(runs.size(), 0);
  parallel_for(thread_count(threads), runs.size(), [&](std::size_t group, int /*worker*/) {
    std::vector<Cell> cells;
    runs.cells(group, cells);
    const auto split = split_of(cells, hidden);
    skipped[group] = split ? 0 : 1;
    for (const Way& way : ways) {
      if (!split) break;
      const auto point = score(runs.key(group), *split, way.name, way.options.of_group(group));
      if (point) points[group].push_back(*point);
    }
  });
  Backtest out;
  for (auto& of_group : points) {
    out.points.insert(out.points.end(), of_group.begin(), of_group.end());
  }
  out.skipped = static_cast<std::size_t>(std::ranges::count(skipped, 1));
  for (const Way& way : ways) {
    if (auto found = score_of(way.name, out.points)) out.scores.push_back(std::move(*found));
  }
  return out;
}

}  // namespace scalelaw
