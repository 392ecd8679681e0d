// Approach 1: the run of least loss at each compute, over training curves.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "judge/isoflop_parts.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLeastOfCurve = 4;  ///< Rows of a run that are a curve.
constexpr std::size_t kLeastCurves = 4;
constexpr std::size_t kLeastBest = 3;  ///< Sizes that are the best one somewhere.
constexpr std::size_t kPlaces = 400;   ///< Computes at which runs are compared.

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
  for (std::size_t k = 0; k < kPlaces; ++k) {
    table.places.push_back(least + (greatest - least) * static_cast<double>(k) / (kPlaces - 1));
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

}  // namespace

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

}  // namespace scalelaw
