// Which runs are one budget, and the minima of their profiles.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "judge/isoflop_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/budgets.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kFewSizes = 4;
constexpr double kOuterPart = 0.25;
constexpr std::size_t kMostOwnMinima = 20;  ///< Budgets; of more, minima lie on the line.
constexpr std::size_t kProfilePlaces = 40;  ///< Of a fitted profile.

using Rows = std::vector<std::size_t>;

/// Rows by the column of the budget.
std::vector<Rows> by_column(const SurfaceRuns& runs) {
  std::map<double, Rows> rows;
  for (std::size_t i = 0; i < runs.budget.size(); ++i) rows[runs.budget[i]].push_back(i);
  std::vector<Rows> found;
  for (auto& [value, of_budget] : rows) found.push_back(std::move(of_budget));
  return found;
}

/// Rows of about one compute.
std::vector<Rows> by_compute(const SurfaceRuns& runs) {
  std::vector<double> products;
  for (std::size_t i = 0; i < runs.n.size(); ++i) products.push_back(runs.n[i] * runs.d[i]);
  return rows_by_budget(runs.n, products);
}

/// The rows whose sizes lie within so many times of the one with the least loss.
Rows rows_within(const SurfaceRuns& runs, const Rows& rows, double within) {
  if (!(within > 0)) return rows;
  const std::size_t best =
      *std::min_element(rows.begin(), rows.end(),
                        [&](std::size_t a, std::size_t b) { return runs.y[a] < runs.y[b]; });
  Rows near;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(near), [&](std::size_t i) {
    return std::abs(std::log(runs.n[i] / runs.n[best])) <= std::log(within) + 1e-9;
  });
  return near;
}

IsoflopBudget budget_of(const SurfaceRuns& runs, const Rows& rows, double factor) {
  double logs = 0;
  for (const std::size_t i : rows) logs += std::log(factor * runs.n[i] * runs.d[i]);
  const auto [least, greatest] =
      std::minmax_element(rows.begin(), rows.end(),
                          [&](std::size_t a, std::size_t b) { return runs.n[a] < runs.n[b]; });
  IsoflopBudget budget{.compute = std::exp(logs / static_cast<double>(rows.size())),
                       .rows = rows,
                       .sizes = different_sizes(runs.n, rows),
                       .n_range = {runs.n[*least], runs.n[*greatest]},
                       .warnings = {}};
  if (budget.sizes < kFewSizes) budget.warnings.push_back(BudgetWarning::kFewSizes);
  return budget;
}

double mean_loss(const SurfaceRuns& runs, const Rows& rows) {
  double mean = 0;
  for (const std::size_t i : rows) mean += runs.y[i] / static_cast<double>(rows.size());
  return mean;
}

/// The runs of some budgets, as their profiles are fitted.
BudgetRuns profiles_of(const SurfaceRuns& runs, std::span<const IsoflopBudget> found,
                       const std::vector<std::size_t>& budgets) {
  BudgetRuns out;
  std::map<std::uint32_t, std::uint32_t> clusters;
  double count = 0;
  for (const std::size_t j : budgets) {
    for (const std::size_t i : found[j].rows) out.u_centre += std::log(runs.n[i]);
    count += static_cast<double>(found[j].rows.size());
  }
  out.u_centre /= count;
  for (const std::size_t j : budgets) {
    const Rows& rows = found[j].rows;
    const double mean = mean_loss(runs, rows);
    out.begin.push_back(out.u.size());
    out.c.push_back(std::log(found[j].compute));
    for (const std::size_t i : rows) {
      out.u.push_back(std::log(runs.n[i]) - out.u_centre);
      out.y.push_back(runs.y[i] / mean);
      if (runs.cluster.empty()) continue;
      const auto next = static_cast<std::uint32_t>(clusters.size());
      out.cluster.push_back(clusters.emplace(runs.cluster[i], next).first->second);
    }
  }
  out.begin.push_back(out.u.size());
  return out;
}

/// The minimum of the parabola through the runs of a budget, about the centre; nothing if it has
/// none.
std::optional<double> parabola_minimum(const BudgetRuns& runs, std::size_t budget) {
  double sums[5] = {};
  double products[3] = {};
  double centre = 0;
  const auto size = static_cast<double>(runs.begin[budget + 1] - runs.begin[budget]);
  for (std::size_t i = runs.begin[budget]; i < runs.begin[budget + 1]; ++i) {
    centre += runs.u[i] / size;
  }
  for (std::size_t i = runs.begin[budget]; i < runs.begin[budget + 1]; ++i) {
    double power = 1;
    for (std::size_t k = 0; k < 5; ++k, power *= runs.u[i] - centre) {
      sums[k] += power;
      if (k < 3) products[k] += power * (runs.y[i] - 1);
    }
  }
  // The normal equations of 1, t and t^2, by Cramer's rule; sums[1] is 0.
  const double bend =
      sums[0] * (sums[2] * products[2] - sums[3] * products[1]) - products[0] * sums[2] * sums[2];
  const double slope = sums[0] * (sums[4] * products[1] - sums[3] * products[2]) -
                       sums[2] * (sums[2] * products[1] - sums[3] * products[0]);
  if (!(bend > 0)) return std::nullopt;
  return centre - slope / bend / 2;
}

void mark(IsoflopBudget& budget, BudgetWarning warning) {
  const auto at = std::find(budget.warnings.begin(), budget.warnings.end(), warning);
  if (at == budget.warnings.end()) budget.warnings.push_back(warning);
}

/// Marks how the minimum lies among the sizes. @return Whether it lies inside.
bool lies_inside(IsoflopBudget& budget, std::optional<double> log_n) {
  if (!log_n) {
    mark(budget, BudgetWarning::kNoMinimum);
    return false;
  }
  const double least = std::log(budget.n_range.lower);
  const double share = (*log_n - least) / (std::log(budget.n_range.upper) - least);
  if (!(share >= 0 && share <= 1)) {
    mark(budget, BudgetWarning::kEdge);
    return false;
  }
  if (share < kOuterPart || share > 1 - kOuterPart) mark(budget, BudgetWarning::kAsymmetric);
  return true;
}

/// Intercept and slope of the line through the minima, at the origin of c.
std::vector<double> line_through(const std::vector<double>& minima, const std::vector<double>& c,
                                 double origin) {
  const auto n = static_cast<double>(c.size());
  double mean_c = 0;
  double mean_x = 0;
  for (std::size_t j = 0; j < c.size(); ++j) {
    mean_c += c[j] / n;
    mean_x += minima[j] / n;
  }
  double cc = 0;
  double cx = 0;
  for (std::size_t j = 0; j < c.size(); ++j) {
    cc += (c[j] - mean_c) * (c[j] - mean_c);
    cx += (c[j] - mean_c) * (minima[j] - mean_x);
  }
  const double slope = cx / cc;
  return {mean_x + slope * (origin - mean_c), slope};
}

Estimate shifted(Estimate estimate, double by) {
  estimate.estimate += by;
  if (estimate.ci) estimate.ci = Interval{estimate.ci->lower + by, estimate.ci->upper + by};
  return estimate;
}

/// The budgets with a minimum among their sizes, and these minima about the centre.
struct UsableBudgets {
  std::vector<std::size_t> budgets;
  std::vector<double> minima;
};

UsableBudgets usable_budgets(const SurfaceRuns& runs, std::vector<IsoflopBudget>& found) {
  UsableBudgets usable;
  for (std::size_t j = 0; j < found.size(); ++j) {
    const BudgetRuns alone = profiles_of(runs, found, {j});
    const auto minimum = parabola_minimum(alone, 0);
    const auto log_n = minimum ? std::optional(*minimum + alone.u_centre) : std::nullopt;
    if (!lies_inside(found[j], log_n)) continue;
    usable.budgets.push_back(j);
    usable.minima.push_back(*log_n);
  }
  return usable;
}

/// Fits of the profiles of several budgets.
struct FittedProfiles {
  const BudgetRuns& runs;
  ProfileFit line;                ///< Minima on a line,
  std::optional<ProfileFit> own;  ///< and free ones, where enough runs tell of few.

  /// The optimum of the budget in place k, without its loss.
  Estimate minimum(std::size_t k, double confidence) const {
    return own ? own->estimate(k, confidence) : line.vertex_at(runs.c[k], confidence);
  }
  const ProfileFit& fit() const { return own ? *own : line; }
};

/// The optimum of a budget with its profile, in the unit of the loss.
IsoflopOptimum budget_optimum(const FittedProfiles& fits, std::size_t k,
                              const IsoflopBudget& budget, double mean,
                              const IsoflopOptions& options) {
  const double centre = fits.runs.u_centre;
  IsoflopOptimum optimum =
      optimum_of(shifted(fits.minimum(k, options.confidence), centre), budget.compute, options);
  optimum.is_budget = true;
  optimum.loss = mean * fits.fit().at_minimum().level[k];
  const double width = std::log(budget.n_range.upper / budget.n_range.lower);
  for (std::size_t i = 0; i <= kProfilePlaces; ++i) {
    const double u = std::log(budget.n_range.lower) +
                     width * static_cast<double>(i) / static_cast<double>(kProfilePlaces);
    optimum.profile.emplace_back(std::exp(u), mean * fits.fit().value_at(k, u - centre));
  }
  return optimum;
}

}  // namespace

std::vector<IsoflopBudget> find_budgets(const SurfaceRuns& runs, const IsoflopOptions& options) {
  std::vector<IsoflopBudget> found;
  for (const Rows& of_budget : runs.budget.empty() ? by_compute(runs) : by_column(runs)) {
    const Rows rows = rows_within(runs, of_budget, options.within);
    if (different_sizes(runs.n, rows) < kLeastSizesOfBudget) continue;
    found.push_back(budget_of(runs, rows, options.flops_per_parameter_token));
  }
  std::sort(found.begin(), found.end(),
            [](const IsoflopBudget& a, const IsoflopBudget& b) { return a.compute < b.compute; });
  return found;
}

IsoflopPath path_of_profiles(ProfileShape shape, const SurfaceRuns& runs,
                             std::vector<IsoflopBudget>& found, const AskedComputes& asked,
                             const IsoflopOptions& options) {
  const UsableBudgets usable = usable_budgets(runs, found);
  if (usable.budgets.size() < 2) {
    throw FitError(
        FailureCode::kTooFewX,
        fmt::format("{} of 3 sizes or more, and {} of them with a minimum among the sizes; "
                    "exponents need two",
                    counted(found.size(), "budget"), usable.budgets.size()));
  }
  const BudgetRuns profiles = profiles_of(runs, found, usable.budgets);
  std::vector<double> minima;
  for (const double log_n : usable.minima) minima.push_back(log_n - profiles.u_centre);
  const double origin = std::accumulate(profiles.c.begin(), profiles.c.end(), 0.0) /
                        static_cast<double>(profiles.c.size());
  const FittedProfiles fits{
      .runs = profiles,
      .line = ProfileFit(ProfileModel(profiles, shape, ProfileTrack::kLine, origin),
                         line_through(minima, profiles.c, origin)),
      .own = profiles.budgets() > kMostOwnMinima ? std::nullopt : if_possible([&] {
        return ProfileFit(ProfileModel(profiles, shape, ProfileTrack::kFree), minima);
      })};
  IsoflopPath path = path_with(fits.line.estimate(1, options.confidence));
  path.runs = profiles.u.size();
  path.budgets = usable.budgets.size();
  for (std::size_t k = 0; k < usable.budgets.size(); ++k) {
    const IsoflopBudget& budget = found[usable.budgets[k]];
    path.optima.push_back(budget_optimum(fits, k, budget, mean_loss(runs, budget.rows), options));
  }
  for (const double compute : asked.targets) {
    const Estimate log_n = fits.line.vertex_at(std::log(compute), options.confidence);
    path.optima.push_back(optimum_of(shifted(log_n, profiles.u_centre), compute, options));
  }
  return path;
}

}  // namespace scalelaw
