// Figures of laws over two scales and of tails.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "render/budget_words.hpp"
#include "render/figure_parts.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/duration.hpp"
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

namespace {

// The figure of plans: the least loss over the time and over the energy, and the plan among them.

/// What the axis of a panel shows.
double abscissa_of(BudgetLimit limit, const BudgetPlan& plan) {
  switch (limit) {
    case BudgetLimit::kDeadline:
      return *plan.seconds / kSecondsPerDay;
    case BudgetLimit::kKwh:
      return *plan.kwh;
    case BudgetLimit::kGpuHours:
      return *plan.gpu_hours;
    default:
      return plan.flop;
  }
}

std::string axis_of(BudgetLimit limit, const BudgetReport& report, const Budget& budget) {
  switch (limit) {
    case BudgetLimit::kDeadline:
      return "time of training [days], on up to " +
             place_on_scale("gpus", report.options.limit(BudgetLimit::kGpus)
                                        .value_or(budget.laws.gpu_seconds->gpu_range.upper));
    case BudgetLimit::kKwh:
      return "energy [kWh], whatever the time";
    case BudgetLimit::kGpuHours:
      return "GPU-hours, whatever the time";
    default:
      return "compute [FLOP]";
  }
}

std::string note_on_plan(const BudgetReport& report, const BudgetPlan& plan) {
  std::string note = fmt::format("{} {}, {} {}: {} {}", report.study.scales[0], short_count(plan.n),
                                 report.study.scales[1], short_count(plan.d), report.study.y,
                                 with_significant_digits(plan.loss, 4));
  if (plan.gpus) note += ", on " + place_on_scale("gpus", *plan.gpus);
  return note;
}

FigurePanel frontier_panel(const BudgetReport& report, const Budget& budget, BudgetLimit limit) {
  FigurePanel panel{
      .title = "Least loss",
      .x = {.label = axis_of(limit, report, budget), .scale = AxisScale::kLogarithmic},
      .y = {.label = report.study.y}};
  FigureSeries series{.label = "least loss"};
  FigureCurve curve;
  std::size_t number = 0;
  constexpr std::size_t kNoted = 8;  ///< Places with a model beside them are so many apart.
  for (const auto& [of, plan] : budget.frontier) {
    if (of != limit) continue;
    curve.add(abscissa_of(limit, plan), plan.loss);
    if (number++ % kNoted != 0) continue;
    series.points.add(abscissa_of(limit, plan), plan.loss, note_on_plan(report, plan));
    series.points.words.push_back(short_count(plan.n));
  }
  series.points.label = "best model, with its " + report.study.scales[0];
  series.curves.push_back(std::move(curve));
  FigureSeries chosen{.label = "the plan", .style = 1};
  chosen.points.bars = percent_text(report.options.confidence) + " interval";
  chosen.points.add(abscissa_of(limit, budget.plan), budget.plan.loss,
                    note_on_plan(report, budget.plan), budget.loss_ci);
  panel.series = {std::move(series), std::move(chosen)};
  return panel;
}

}  // namespace

Figure budget_figure(const BudgetReport& report, const GroupKey& group, const Budget& budget) {
  Figure figure;
  figure.caption = fmt::format("{}: {}", group_name(report.study.by, group),
                               budget_sentences(report, budget).front());
  std::optional<BudgetLimit> last;
  for (const auto& [limit, plan] : budget.frontier) {
    if (limit == last) continue;
    last = limit;
    figure.panels.push_back(frontier_panel(report, budget, limit));
  }
  return figure;
}

namespace {

// The figure of IsoFLOP profiles: losses over sizes per budget, and the best size over compute.

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
