// The figure of IsoFLOP profiles: losses over sizes per budget, and the best size over compute.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/figure_parts.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// Where a budget lies between the first and the last.
double shade_of(std::size_t budget, std::size_t budgets) {
  return budgets > 1 ? static_cast<double>(budget) / static_cast<double>(budgets - 1) : 0;
}

/// The runs of a budget with the fitted profile.
FigureSeries profile_series(const IsoflopReport& report, const DrawnIsoflop& drawn,
                            std::size_t place) {
  const IsoflopBudget& budget = drawn.isoflop.budgets[place];
  FigureSeries series;
  series.shade = shade_of(place, drawn.isoflop.budgets.size());
  series.points.label = "run, coloured by its compute";
  for (const std::size_t i : budget.rows) {
    series.points.add(
        drawn.runs.n[i], drawn.runs.y[i],
        fmt::format("{}: {} {}, {} {}: {:.4g}", compute_words(budget.compute),
                    report.study.scales[0], short_count(drawn.runs.n[i]), report.study.scales[1],
                    short_count(drawn.runs.d[i]), drawn.runs.y[i]));
  }
  // The compute stands at the right end of the curve, beside the largest run.
  series.points.words.resize(budget.rows.size());
  series.points.words_at_end = true;
  const auto largest = std::max_element(
      budget.rows.begin(), budget.rows.end(),
      [&](std::size_t a, std::size_t b) { return drawn.runs.n[a] < drawn.runs.n[b]; });
  series.points.words[static_cast<std::size_t>(largest - budget.rows.begin())] =
      compute_text(budget.compute);
  const IsoflopOptimum* const optimum = drawn.isoflop.path().optimum_of_budget(budget.compute);
  if (optimum == nullptr || optimum->profile.empty()) return series;
  FigureCurve curve{.label = "fitted profile"};
  for (const auto& [n, loss] : optimum->profile) curve.add(n, loss);
  series.curves.push_back(std::move(curve));
  return series;
}

/// The minima of all budgets as rings.
FigureSeries minima_series(const IsoflopReport& report, const Isoflop& isoflop) {
  FigureSeries series{.label = "", .style = 6, .open = true};
  series.points.label = "minimum";
  for (const IsoflopOptimum& optimum : isoflop.path().optima) {
    if (!optimum.is_budget || !optimum.loss) continue;
    series.points.add(optimum.n, *optimum.loss,
                      fmt::format("{}: best {} {}", compute_words(optimum.compute),
                                  report.study.scales[0], short_count(optimum.n)));
  }
  return series;
}

FigurePanel profiles_panel(const IsoflopReport& report, const DrawnIsoflop& drawn) {
  FigurePanel panel{
      .title = "Losses of each budget",
      .x = {.label = report.study.scales[0], .scale = AxisScale::kLogarithmic, .counts = true},
      .y = {.label = report.study.y, .scale = AxisScale::kLogarithmic}};
  for (std::size_t j = 0; j < drawn.isoflop.budgets.size(); ++j) {
    panel.series.push_back(profile_series(report, drawn, j));
  }
  panel.series.push_back(minima_series(report, drawn.isoflop));
  return panel;
}

/// An open interval has no end to draw.
std::optional<Interval> closed(const std::optional<Interval>& interval) {
  const bool is_closed =
      interval && interval->lower > 0 && std::isfinite(interval->lower + interval->upper);
  return is_closed ? interval : std::nullopt;
}

/// The best size over the compute by one approach, and its interval if it is the answer.
FigureSeries path_series(const IsoflopReport& report, const IsoflopPath& path,
                         IsoflopApproach approach, bool is_answer) {
  const std::string power =
      path.n_exponent ? fmt::format(" c^{:.3f}", path.n_exponent->estimate) : "";
  FigureSeries series{.label = fmt::format("{}{}", short_name(approach), power),
                      .style = is_answer ? 0U : 1U + static_cast<std::size_t>(approach),
                      .pattern = is_answer ? 0U : 1U + static_cast<std::size_t>(approach)};
  FigureCurve curve;
  FigureBand band{.label = percent_text(report.options.confidence) + " interval of the best size"};
  for (const IsoflopOptimum& optimum : path.optima) {
    if (optimum.is_budget) continue;
    curve.add(optimum.compute, optimum.n);
    if (is_answer && optimum.n_ci) band.add(optimum.compute, *optimum.n_ci);
  }
  series.curves.push_back(std::move(curve));
  if (!band.x.empty()) series.bands.push_back(std::move(band));
  return series;
}

/// The best sizes of the budgets by the answer; a series of their own, so that the legend shows the
/// line of the answer.
FigureSeries budgets_series(const IsoflopReport& report, const IsoflopPath& path) {
  FigureSeries series;
  series.points.label = "best size of a budget";
  series.points.bars = percent_text(report.options.confidence) + " interval";
  for (const IsoflopOptimum& optimum : path.optima) {
    if (!optimum.is_budget) continue;
    series.points.add(optimum.compute, optimum.n,
                      fmt::format("{}: {} {}", compute_words(optimum.compute),
                                  report.study.scales[0], short_count(optimum.n)),
                      closed(optimum.n_ci));
  }
  return series;
}

FigurePanel paths_panel(const IsoflopReport& report, const Isoflop& isoflop) {
  FigurePanel panel{.title = "Best size",
                    .x = {.label = "compute [FLOP]", .scale = AxisScale::kLogarithmic},
                    .y = {.label = "best " + report.study.scales[0],
                          .scale = AxisScale::kLogarithmic,
                          .counts = true}};
  panel.series.push_back(path_series(report, isoflop.path(), isoflop.chosen, true));
  panel.series.push_back(budgets_series(report, isoflop.path()));
  for (std::size_t k = 0; k < isoflop.paths.size(); ++k) {
    const auto approach = static_cast<IsoflopApproach>(k);
    const auto* const path = std::get_if<IsoflopPath>(&isoflop.paths[k]);
    if (path == nullptr || approach == isoflop.chosen) continue;
    panel.series.push_back(path_series(report, *path, approach, false));
  }
  return panel;
}

}  // namespace

Figure isoflop_figure(const IsoflopReport& report, const DrawnIsoflop& drawn) {
  Figure figure;
  const std::optional<Estimate>& exponent = drawn.isoflop.path().n_exponent;
  figure.caption =
      fmt::format("{}: {} over {} at {}, and the best {}", group_name(report.study.by, drawn.group),
                  report.study.y, report.study.scales[0],
                  counted(drawn.isoflop.budgets.size(), "budget"), report.study.scales[0]);
  if (exponent) figure.caption += fmt::format(", which grows as c^{:.3f}", exponent->estimate);
  if (exponent && exponent->ci) {
    figure.caption += fmt::format(" ({:.3f} .. {:.3f})", exponent->ci->lower, exponent->ci->upper);
  }
  if (!drawn.isoflop.budgets.empty()) figure.panels.push_back(profiles_panel(report, drawn));
  figure.panels.push_back(paths_panel(report, drawn.isoflop));
  return figure;
}

}  // namespace scalelaw
