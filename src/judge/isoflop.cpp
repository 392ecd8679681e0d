// The best split of a compute by three approaches, and how they agree.

#include "scalelaw/judge/isoflop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "judge/isoflop_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/fit/surface.hpp"

namespace scalelaw {
namespace {

// Approach 1: the run of least loss at each compute, over training curves.

constexpr std::size_t kLeastOfCurve = 4;  ///< Rows of a run that are a curve.
constexpr std::size_t kLeastCurves = 4;
constexpr std::size_t kLeastBest = 3;         ///< Sizes that are the best one somewhere.
constexpr std::size_t kComparedPlaces = 400;  ///< Computes at which runs are compared.

/// A training curve: ln loss over ln compute, ascending.
struct TrainingCurve {
  double log_n;
  std::vector<std::pair<double, double>> points;

  /// NaN outside the curve.
  double at(double log_compute) const {
    if (log_compute < points.front().first || log_compute > points.back().first) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    auto above = std::ranges::lower_bound(points, std::pair(log_compute, -1e300));
    if (above == points.begin()) ++above;
    const auto& [x1, y1] = *above;
    const auto& [x0, y0] = *(above - 1);
    return x1 > x0 ? y0 + (y1 - y0) * (log_compute - x0) / (x1 - x0) : y1;
  }
};

std::vector<TrainingCurve> curves_of(const SurfaceRuns& runs, double factor) {
  // Rows of a run, or of a size where no column tells runs.
  std::map<std::pair<double, std::uint32_t>, TrainingCurve> by_run;
  for (std::size_t i = 0; i < runs.n.size(); ++i) {
    const std::uint32_t run = runs.cluster.empty() ? 0 : runs.cluster[i];
    TrainingCurve& curve = by_run[{runs.n[i], run}];
    curve.log_n = std::log(runs.n[i]);
    curve.points.emplace_back(std::log(factor * runs.n[i] * runs.d[i]), std::log(runs.y[i]));
  }
  std::vector<TrainingCurve> curves;
  for (auto& [key, curve] : by_run) {
    std::ranges::sort(curve.points);
    std::set<double> places;
    for (const auto& point : curve.points) places.insert(point.first);
    if (places.size() >= kLeastOfCurve) curves.push_back(std::move(curve));
  }
  return curves;
}

/// The losses of all curves at the same places.
struct CurveTable {
  std::vector<double> places;
  std::vector<double> log_n;
  std::vector<std::vector<double>> losses;
};

CurveTable table_of(const std::vector<TrainingCurve>& curves) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (const TrainingCurve& curve : curves) {
    least = std::min(least, curve.points.front().first);
    greatest = std::max(greatest, curve.points.back().first);
  }
  CurveTable table;
  for (std::size_t k = 0; k < kComparedPlaces; ++k) {
    table.places.push_back(least +
                           (greatest - least) * static_cast<double>(k) / (kComparedPlaces - 1));
  }
  for (const TrainingCurve& curve : curves) {
    table.log_n.push_back(curve.log_n);
    auto& losses = table.losses.emplace_back();
    for (const double place : table.places) losses.push_back(curve.at(place));
  }
  return table;
}

/// The line of ln n of the best curve over ln compute: its middle and slope. NaN where fewer than
/// two places tell.
struct CurveLine {
  std::size_t sizes;  ///< That are the best one somewhere.
  double centre;
  double middle;
  double slope;
};

/// @param without  A size that is left out.
CurveLine line_of(const CurveTable& table, std::optional<double> without) {
  std::vector<double> c;
  std::vector<double> u;
  for (std::size_t k = 0; k < table.places.size(); ++k) {
    std::size_t best = table.losses.size();
    double least_n = std::numeric_limits<double>::infinity();
    double greatest_n = -least_n;
    for (std::size_t i = 0; i < table.losses.size(); ++i) {
      if (std::isnan(table.losses[i][k]) || table.log_n[i] == without) continue;
      least_n = std::min(least_n, table.log_n[i]);
      greatest_n = std::max(greatest_n, table.log_n[i]);
      if (best == table.losses.size() || table.losses[i][k] < table.losses[best][k]) best = i;
    }
    // The least or greatest size may win only because others were not run.
    if (best == table.losses.size() || table.log_n[best] == least_n ||
        table.log_n[best] == greatest_n) {
      continue;
    }
    c.push_back(table.places[k]);
    u.push_back(table.log_n[best]);
  }
  const auto n = static_cast<double>(c.size());
  CurveLine line{
      .sizes = std::set<double>(u.begin(), u.end()).size(), .centre = 0, .middle = 0, .slope = 0};
  for (std::size_t k = 0; k < c.size(); ++k) {
    line.centre += c[k] / n;
    line.middle += u[k] / n;
  }
  double cc = 0;
  double cu = 0;
  for (std::size_t k = 0; k < c.size(); ++k) {
    cc += (c[k] - line.centre) * (c[k] - line.centre);
    cu += (c[k] - line.centre) * (u[k] - line.middle);
  }
  line.slope = cu / cc;
  return line;
}

/// The line with those that leave out one size each.
struct Jackknife {
  CurveLine all;
  std::vector<CurveLine> without;
};

/// An estimate with the jackknife's error of sizes.
template <class Value>
Estimate jackknifed(const Jackknife& lines, double confidence, Value value_of) {
  const auto groups = static_cast<double>(lines.without.size());
  double mean = 0;
  for (const CurveLine& line : lines.without) mean += value_of(line) / groups;
  double squares = 0;
  for (const CurveLine& line : lines.without) squares += std::pow(value_of(line) - mean, 2);
  const double se = std::sqrt(squares * (groups - 1) / groups);
  return student_estimate(value_of(lines.all), se, groups - 1, confidence);
}

[[noreturn]] void refuse_curves() {
  throw FitError(FailureCode::kTooFewPoints,
                 "the runs are no training curves: 4 sizes or more need 4 rows each, over computes "
                 "that overlap, and three of them must be the best one somewhere between others");
}

/// Approach 1: the run of least loss at each compute.
/// @throws FitError too-few-points if the runs are no training curves that overlap.
IsoflopPath path_of_curves(const SurfaceRuns& runs, const AskedComputes& asked,
                           const IsoflopOptions& options) {
  const std::vector<TrainingCurve> curves = curves_of(runs, options.flops_per_parameter_token);
  std::set<double> sizes;
  for (const TrainingCurve& curve : curves) sizes.insert(curve.log_n);
  if (sizes.size() < kLeastCurves) refuse_curves();
  const CurveTable table = table_of(curves);
  Jackknife lines{line_of(table, {}), {}};
  for (const double size : sizes) lines.without.push_back(line_of(table, size));
  const auto is_usable = [](const CurveLine& line) {
    return line.sizes >= kLeastBest && std::isfinite(line.slope);
  };
  if (!is_usable(lines.all)) refuse_curves();
  std::erase_if(lines.without, [&](const CurveLine& line) { return !is_usable(line); });
  if (lines.without.size() < kLeastCurves) refuse_curves();
  const auto slope = [](const CurveLine& line) { return line.slope; };
  IsoflopPath path = path_with(jackknifed(lines, options.confidence, slope));
  path.runs = runs.n.size();
  path.budgets = curves.size();
  const auto add = [&](double compute, bool is_budget) {
    const double c = std::log(compute);
    const auto log_n = [c](const CurveLine& line) {
      return line.middle + line.slope * (c - line.centre);
    };
    path.optima.push_back(
        optimum_of(jackknifed(lines, options.confidence, log_n), compute, options));
    path.optima.back().is_budget = is_budget;
  };
  for (const double compute : asked.budgets) add(compute, true);
  for (const double compute : asked.targets) add(compute, false);
  return path;
}

/// From the most to the least trusted: powers assume nothing of the loss over the compute,
/// parabolas are biased, and curves know only the sizes that were run.
constexpr IsoflopApproach kPreferred[] = {IsoflopApproach::kPowers, IsoflopApproach::kSurface,
                                          IsoflopApproach::kParabolas, IsoflopApproach::kCurves};

const IsoflopPath* path_in(const Isoflop& isoflop, IsoflopApproach approach) {
  return std::get_if<IsoflopPath>(&isoflop.paths[static_cast<std::size_t>(approach)]);
}

bool is_inside(const std::optional<Interval>& interval, double value) {
  return interval && interval->lower <= value && value <= interval->upper;
}

/// Whether neither interval holds the other best size.
bool contradict(const IsoflopOptimum& one, const IsoflopOptimum& other) {
  if (!one.n_ci || !other.n_ci) return false;
  return !is_inside(one.n_ci, other.n) && !is_inside(other.n_ci, one.n);
}

/// Whether a budget has a minimum inside four sizes or more; runs that happen to lie at one compute
/// have fewer.
bool tells(const IsoflopBudget& budget) {
  return std::ranges::none_of(budget.warnings, [](BudgetWarning warning) {
    return warning == BudgetWarning::kEdge || warning == BudgetWarning::kNoMinimum ||
           warning == BudgetWarning::kFewSizes;
  });
}

/// The optimum at the greatest budget, or else at the greatest compute asked for.
const IsoflopOptimum* greatest_optimum(const IsoflopPath& path, bool budgets) {
  const IsoflopOptimum* greatest = nullptr;
  for (const IsoflopOptimum& optimum : path.optima) {
    if (optimum.is_budget != budgets) continue;
    if (greatest == nullptr || optimum.compute > greatest->compute) greatest = &optimum;
  }
  return greatest;
}

bool contradict(const IsoflopPath& one, const IsoflopPath& other) {
  for (const bool budgets : {true, false}) {
    const IsoflopOptimum* const a = greatest_optimum(one, budgets);
    const IsoflopOptimum* const b = greatest_optimum(other, budgets);
    if (a != nullptr && b != nullptr && a->compute == b->compute && contradict(*a, *b)) return true;
  }
  return false;
}

bool has_exponents(const IsoflopPath* path) { return path != nullptr && path->n_exponent; }

/// Whether most pairs of a size and a number of tokens were run, of three or more each.
bool is_grid(const SurfaceRuns& runs) {
  constexpr double kMost = 0.75;
  constexpr std::size_t kFewest = 3;
  const std::set<double> sizes(runs.n.begin(), runs.n.end());
  const std::set<double> tokens(runs.d.begin(), runs.d.end());
  std::set<std::pair<double, double>> pairs;
  for (std::size_t i = 0; i < runs.n.size(); ++i) pairs.emplace(runs.n[i], runs.d[i]);
  const auto all = static_cast<double>(sizes.size() * tokens.size());
  return std::min(sizes.size(), tokens.size()) >= kFewest &&
         static_cast<double>(pairs.size()) >= kMost * all;
}

/// Which approach the answer takes, and why.
std::pair<IsoflopApproach, IsoflopReason> choice_of(const Isoflop& isoflop, const SurfaceRuns& runs,
                                                    const std::vector<IsoflopBudget>& budgets) {
  const IsoflopPath* const powers = path_in(isoflop, IsoflopApproach::kPowers);
  const IsoflopPath* const surface = path_in(isoflop, IsoflopApproach::kSurface);
  if (surface != nullptr && has_exponents(powers) && is_grid(runs)) {
    return {IsoflopApproach::kSurface, IsoflopReason::kGrid};
  }
  if (has_exponents(powers)) {
    std::size_t telling = 0;
    for (const IsoflopBudget& budget : budgets) {
      if (tells(budget)) telling += budget.rows.size() + budget.too_far;
    }
    if (2 * telling >= isoflop.runs) return {IsoflopApproach::kPowers, IsoflopReason::kMostRuns};
    if (surface != nullptr) return {IsoflopApproach::kSurface, IsoflopReason::kFewRuns};
    return {IsoflopApproach::kPowers, IsoflopReason::kOnlyPossible};
  }
  const bool no_profiles = !has_exponents(path_in(isoflop, IsoflopApproach::kParabolas));
  const IsoflopReason reason =
      no_profiles ? IsoflopReason::kNoProfiles : IsoflopReason::kOnlyPossible;
  for (const bool with_exponents : {true, false}) {
    for (const IsoflopApproach approach : kPreferred) {
      const IsoflopPath* const path = path_in(isoflop, approach);
      if (path == nullptr || (with_exponents && !path->n_exponent)) continue;
      return {approach, with_exponents ? reason : IsoflopReason::kOnlyPossible};
    }
  }
  return {IsoflopApproach::kSurface, reason};
}

/// @throws FitError with the reasons why there is no path.
void refuse_without_path(const Isoflop& isoflop, bool asked) {
  if (path_in(isoflop, isoflop.chosen) != nullptr) return;
  const auto failure = [&](IsoflopApproach approach) -> const NoFit& {
    return std::get<NoFit>(isoflop.paths[static_cast<std::size_t>(approach)]);
  };
  const NoFit& chosen = failure(isoflop.chosen);
  if (asked || isoflop.chosen != IsoflopApproach::kSurface) {
    throw FitError(chosen.code, chosen.message);
  }
  throw FitError(chosen.code,
                 fmt::format("budgets tell none: {}; nor does the surface: {}",
                             failure(IsoflopApproach::kPowers).message, chosen.message));
}

AskedComputes asked_computes(std::span<const IsoflopBudget> found, const SurfaceRuns& runs,
                             const IsoflopOptions& options) {
  AskedComputes asked;
  for (const IsoflopBudget& budget : found) asked.budgets.push_back(budget.compute);
  asked.targets = options.at_compute;
  if (!asked.targets.empty()) return asked;
  double greatest = 0;
  for (std::size_t i = 0; i < runs.n.size(); ++i) {
    greatest = std::max(greatest, options.flops_per_parameter_token * runs.n[i] * runs.d[i]);
  }
  asked.targets = {10 * (asked.budgets.empty() ? greatest : asked.budgets.back())};
  return asked;
}

/// The surface along the sizes of a budget.
std::vector<std::pair<double, double>> section_of(const Fit& fit, const IsoflopBudget& budget,
                                                  const IsoflopOptions& options) {
  constexpr int kPlaces = 40;
  std::vector<std::pair<double, double>> section;
  for (int i = 0; i <= kPlaces; ++i) {
    const double n = budget.n_range.lower * std::pow(budget.n_range.upper / budget.n_range.lower,
                                                     static_cast<double>(i) / kPlaces);
    const double d = budget.compute / options.flops_per_parameter_token / n;
    section.emplace_back(n, fit.curve(std::array{n, d}));
  }
  return section;
}

/// Approach 3.
/// @throws FitError as fit_surface, and not-identifiable if an exponent is not positive.
IsoflopPath path_of_surface(const SurfaceRuns& runs, std::span<const IsoflopBudget> found,
                            const AskedComputes& asked, const IsoflopOptions& options) {
  const Fit fit = fit_surface(runs, options.surface);
  if (!fit.surface->split) {
    throw FitError(FailureCode::kNotIdentifiable,
                   "an exponent is not positive, so that no place is the best for a compute");
  }
  IsoflopPath path = path_with((*fit.surface->split)[0]);
  path.runs = runs.n.size();
  path.budgets = found.size();
  const auto add = [&](double compute, bool is_budget) {
    const double product = compute / options.flops_per_parameter_token;
    const auto best = surface_optimum(fit, product, options.confidence);
    path.optima.push_back({.compute = compute,
                           .is_budget = is_budget,
                           .n = best->point.n,
                           .d = best->point.d,
                           .n_ci = best->n_ci,
                           .d_ci = best->d_ci,
                           .loss = best->point.median});
  };
  for (const IsoflopBudget& budget : found) {
    add(budget.compute, true);
    path.optima.back().profile = section_of(fit, budget, options);
  }
  for (const double compute : asked.targets) add(compute, false);
  return path;
}

}  // namespace

const IsoflopOptimum* IsoflopPath::optimum_of_budget(double compute) const {
  for (const IsoflopOptimum& optimum : optima) {
    if (optimum.is_budget && optimum.compute == compute) return &optimum;
  }
  return nullptr;
}

std::string_view name_of(IsoflopApproach approach) {
  return word_for(approach, {{IsoflopApproach::kCurves, "curves"},
                             {IsoflopApproach::kParabolas, "parabolas"},
                             {IsoflopApproach::kPowers, "powers"},
                             {IsoflopApproach::kSurface, "surface"}});
}

std::span<const CodeHelp> profile_codes() {
  static constexpr std::array kCodes{
      CodeHelp{"edge", "the least loss lies outside the sizes that were run",
               "The profile of this compute falls, or rises, up to its last size, so that its best "
               "size is not among those that were run. It tells nothing of the exponent.",
               "Run sizes beyond the end at which the loss is least."},
      CodeHelp{"no-minimum", "the losses do not rise on both sides",
               "The curve through the losses of this compute has no lowest point.",
               "Run more sizes, or repeat some: scatter may hide the minimum."},
      CodeHelp{"few-sizes", "fewer than four sizes",
               "Three losses fit a parabola exactly, so that nothing tells how well it fits.",
               "Run four sizes or more at each compute."},
      CodeHelp{"asymmetric", "the best size lies near an end of those that were run",
               "The minimum lies in the outer quarter of the sizes, where a parabola puts it in a "
               "wrong place, because the true profile is no parabola.",
               "--approach powers takes the form that is not biased; sizes on both sides of the "
               "minimum help every approach."},
      CodeHelp{"mixed", "runs of different computes are taken as one budget",
               "The computes of these runs fall into two heaps, or differ by more than two times.",
               "--budget COL names a column that tells the runs of one budget."}};
  return kCodes;
}

std::string_view name_of(BudgetWarning warning) {
  return profile_codes()[static_cast<std::size_t>(warning)].code;
}

IsoflopOptimum optimum_of(const Estimate& log_n, double compute, const IsoflopOptions& options) {
  const double tokens = compute / options.flops_per_parameter_token;
  const double n = std::exp(log_n.estimate);
  IsoflopOptimum optimum{.compute = compute, .is_budget = false, .n = n, .d = tokens / n};
  if (log_n.ci) {
    optimum.n_ci = exp_of(*log_n.ci);
    optimum.d_ci = Interval{tokens / optimum.n_ci->upper, tokens / optimum.n_ci->lower};
  }
  return optimum;
}

IsoflopPath path_with(const std::optional<Estimate>& n_exponent) {
  IsoflopPath path{
      .n_exponent = n_exponent, .d_exponent = n_exponent, .optima = {}, .runs = 0, .budgets = 0};
  if (!n_exponent) return path;
  path.d_exponent->estimate = 1 - n_exponent->estimate;
  if (n_exponent->ci)
    path.d_exponent->ci = Interval{1 - n_exponent->ci->upper, 1 - n_exponent->ci->lower};
  return path;
}

Isoflop judge_isoflop(const SurfaceRuns& runs, const IsoflopOptions& options) {
  FoundBudgets found = find_budgets(runs, options);
  const AskedComputes asked = asked_computes(found.budgets, runs, options);
  Isoflop isoflop{.outliers = std::move(found.outliers),
                  .runs = runs.n.size(),
                  .in_budgets = found.runs,
                  .within = found.within,
                  .farthest = found.farthest};
  isoflop.paths.push_back(outcome_of([&] { return path_of_curves(runs, asked, options); }));
  for (const ProfileShape shape : {ProfileShape::kParabola, ProfileShape::kPowers}) {
    isoflop.paths.push_back(
        outcome_of([&] { return path_of_profiles(shape, runs, found.budgets, asked, options); }));
  }
  isoflop.paths.push_back(
      outcome_of([&] { return path_of_surface(runs, found.budgets, asked, options); }));
  std::tie(isoflop.chosen, isoflop.reason) =
      options.approach ? std::pair(*options.approach, IsoflopReason::kAsked)
                       : choice_of(isoflop, runs, found.budgets);
  isoflop.budgets = std::move(found.budgets);
  refuse_without_path(isoflop, options.approach.has_value());
  for (const IsoflopApproach approach : kPreferred) {
    const IsoflopPath* const other = path_in(isoflop, approach);
    if (other == nullptr || approach == isoflop.chosen) continue;
    if (contradict(isoflop.path(), *other)) isoflop.disagreeing.push_back(approach);
  }
  return isoflop;
}

std::vector<GroupIsoflop> judge_isoflops(std::span<const SurfaceRuns> groups,
                                         const IsoflopOptions& options, int threads) {
  std::vector<GroupIsoflop> judged(groups.size());
  parallel_for(thread_count(threads), judged.size(), [&](std::size_t i, int /*worker*/) {
    judged[i] = {groups[i].group, outcome_of([&] { return judge_isoflop(groups[i], options); })};
  });
  return judged;
}

}  // namespace scalelaw
