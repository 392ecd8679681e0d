// Which runs are one budget, and the minima of their profiles.

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "judge/isoflop_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/budgets.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

// Runs that lie far from the losses of their budget.

constexpr double kUnlikely = 0.001;  ///< Of the test, over all runs.
constexpr double kFar = 0.02;        ///< Of the loss; nearer runs harm no profile.
constexpr std::size_t kMostRemoved = 20;
constexpr std::size_t kSharePart = 10;  ///< One run in so many at most.
constexpr std::size_t kLeastSizes =
    5;  ///< Of a budget; fewer do not tell which run is the far one.

/// The degree of the polynomial that a profile of so many sizes can take.
Eigen::Index degree_for(std::size_t sizes) { return sizes < 7 ? 2 : sizes < 10 ? 3 : 4; }

/// A polynomial of the losses of a budget, in units of their mean, over ln n.
struct BudgetPolynomial {
  std::vector<std::size_t> rows;
  double mean = 1;
  Eigen::VectorXd residual;
  Eigen::VectorXd rest;  ///< 1 - leverage.
  Eigen::Index degree = 2;

  double rss() const { return residual.squaredNorm(); }
  double dof() const { return static_cast<double>(rows.size()) - static_cast<double>(degree) - 1; }
};

/// Orthonormal polynomials of t by Gram and Schmidt.
Eigen::MatrixXd orthonormal_powers(const Eigen::VectorXd& t, Eigen::Index degree) {
  Eigen::MatrixXd basis(t.size(), degree + 1);
  for (Eigen::Index k = 0; k <= degree; ++k) {
    Eigen::VectorXd column = k == 0 ? Eigen::VectorXd::Ones(t.size())
                                    : Eigen::VectorXd(t.cwiseProduct(basis.col(k - 1)));
    for (int pass = 0; pass < 2; ++pass) {  // The second one removes what rounding left.
      for (Eigen::Index l = 0; l < k; ++l) column -= basis.col(l) * basis.col(l).dot(column);
    }
    basis.col(k) = column.normalized();
  }
  return basis;
}

void fit_polynomial(BudgetPolynomial& fit, const SurfaceRuns& runs) {
  const auto size = static_cast<Eigen::Index>(fit.rows.size());
  Eigen::VectorXd t(size);
  Eigen::VectorXd y(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const std::size_t row = fit.rows[static_cast<std::size_t>(i)];
    t[i] = std::log(runs.n[row]);
    y[i] = runs.y[row] / fit.mean;
  }
  t.array() -= t.mean();
  const Eigen::MatrixXd basis = orthonormal_powers(t, fit.degree);
  fit.residual = y - basis * (basis.transpose() * y);
  fit.rest = Eigen::VectorXd::Ones(size) - basis.rowwise().squaredNorm();
}

std::vector<BudgetPolynomial> polynomials_of(const SurfaceRuns& runs,
                                             const std::vector<IsoflopBudget>& budgets) {
  std::vector<BudgetPolynomial> fits(budgets.size());
  for (std::size_t j = 0; j < budgets.size(); ++j) {
    if (budgets[j].sizes < kLeastSizes) continue;
    BudgetPolynomial& fit = fits[j];
    fit.rows = budgets[j].rows;
    // The median, which a run that diverged does not move.
    std::vector<double> losses;
    for (const std::size_t i : fit.rows) losses.push_back(runs.y[i]);
    std::nth_element(losses.begin(),
                     losses.begin() + static_cast<std::ptrdiff_t>(losses.size() / 2), losses.end());
    fit.mean = losses[losses.size() / 2];
    fit.degree = degree_for(budgets[j].sizes);
    fit_polynomial(fit, runs);
  }
  std::erase_if(fits, [](const BudgetPolynomial& fit) { return fit.rows.empty(); });
  return fits;
}

/// A run that may be an outlier: the one whose absence leaves the least scatter.
struct FarRun {
  BudgetPolynomial* fit = nullptr;
  std::size_t place = 0;
  double drop = 0;   ///< Of the sum of squares without it.
  double error = 0;  ///< Its distance from what the others predict, in units of the loss.
};

FarRun farthest_run(std::vector<BudgetPolynomial>& fits) {
  constexpr double kTied = 1e-6;  // A run that fixes its polynomial alone lies nowhere else.
  FarRun farthest;
  for (BudgetPolynomial& fit : fits) {
    if (fit.dof() < 2) continue;
    for (Eigen::Index i = 0; i < fit.residual.size(); ++i) {
      if (fit.rest[i] < kTied) continue;
      const double drop = fit.residual[i] * fit.residual[i] / fit.rest[i];
      if (drop > farthest.drop) {
        farthest = {&fit, static_cast<std::size_t>(i), drop, fit.residual[i] / fit.rest[i]};
      }
    }
  }
  return farthest;
}

/// Takes runs that lie far from the others of their budget out of it.
std::vector<IsoflopOutlier> take_outliers(const SurfaceRuns& runs,
                                          std::vector<IsoflopBudget>& budgets) {
  std::vector<BudgetPolynomial> fits = polynomials_of(runs, budgets);
  std::size_t left = 0;
  for (const BudgetPolynomial& fit : fits) left += fit.rows.size();
  const std::size_t most = std::min(kMostRemoved, std::max<std::size_t>(1, left / kSharePart));
  std::vector<IsoflopOutlier> taken;
  std::size_t outliers = 0;
  for (std::size_t step = 0; step < most; ++step, --left) {
    double rss = 0;
    double dof = -1;
    for (const BudgetPolynomial& fit : fits) {
      rss += fit.rss();
      dof += fit.dof();
    }
    const FarRun far = farthest_run(fits);
    if (far.fit == nullptr || !(dof >= 1)) break;
    const double t = std::sqrt(far.drop / (std::max(0.0, rss - far.drop) / dof));
    const std::size_t row = far.fit->rows[far.place];
    taken.push_back({.row = row,
                     .n = runs.n[row],
                     .loss = runs.y[row],
                     .expected = runs.y[row] - far.error * far.fit->mean});
    // Two that lie far hide each other, so the last one that is unlikely counts.
    const bool unlikely = student_t_p(t, dof) * static_cast<double>(left) < kUnlikely;
    if (unlikely && std::abs(far.error) > kFar) outliers = taken.size();
    far.fit->rows.erase(far.fit->rows.begin() + static_cast<std::ptrdiff_t>(far.place));
    fit_polynomial(*far.fit, runs);
  }
  taken.resize(outliers);
  std::ranges::sort(taken, {}, &IsoflopOutlier::row);
  for (IsoflopOutlier& outlier : taken) {
    for (IsoflopBudget& budget : budgets) {
      if (std::erase(budget.rows, outlier.row) == 0) continue;
      outlier.compute = budget.compute;
      const auto [least, greatest] = std::ranges::minmax_element(
          budget.rows, [&](std::size_t a, std::size_t b) { return runs.n[a] < runs.n[b]; });
      budget.n_range = {runs.n[*least], runs.n[*greatest]};
      budget.sizes = different_sizes(runs.n, budget.rows);
    }
  }
  return taken;
}

constexpr std::size_t kFewSizes = 4;
constexpr double kOuterPart = 0.25;
constexpr double kMixed = 2;   ///< Computes of one budget differ by less.
constexpr double kWide = 20;   ///< Sizes so many times away are too far for any profile:
constexpr double kNarrow = 8;  ///< then those up to so many times away are taken.
constexpr std::size_t kMostOwnMinima = 20;  ///< Budgets; of more, minima lie on a straight line.
constexpr double kBroken = 0.01;            ///< p of minima that lie on a line.
constexpr double kRounding = 1e-6;          ///< A change of the exponent that is none.
constexpr std::size_t kLeastOfLine = 3;     ///< Budgets of the last straight part.
constexpr std::size_t kMostBreaks = 64;     ///< Places at which the line may break.
constexpr std::size_t kProfilePlaces = 40;  ///< Of a fitted profile.

using BudgetRows = std::vector<std::size_t>;

/// BudgetRows by the column of the budget.
std::vector<BudgetRows> by_column(const SurfaceRuns& runs) {
  std::map<double, BudgetRows> rows;
  for (std::size_t i = 0; i < runs.budget.size(); ++i) rows[runs.budget[i]].push_back(i);
  std::vector<BudgetRows> found;
  for (auto& [value, of_budget] : rows) found.push_back(std::move(of_budget));
  return found;
}

/// BudgetRows of about one compute.
std::vector<BudgetRows> by_compute(const SurfaceRuns& runs) {
  std::vector<double> products;
  for (std::size_t i = 0; i < runs.n.size(); ++i) products.push_back(runs.n[i] * runs.d[i]);
  return rows_by_budget(runs.n, products);
}

std::size_t best_row(const SurfaceRuns& runs, const BudgetRows& rows) {
  return *std::ranges::min_element(
      rows, [&](std::size_t a, std::size_t b) { return runs.y[a] < runs.y[b]; });
}

/// How many times a size lies from that of the best run.
double farthest_size(const SurfaceRuns& runs, const BudgetRows& rows) {
  const double best = std::log(runs.n[best_row(runs, rows)]);
  double farthest = 0;
  for (const std::size_t i : rows)
    farthest = std::max(farthest, std::abs(std::log(runs.n[i]) - best));
  return std::exp(farthest);
}

/// The rows whose sizes lie within so many times of the one with the least loss; all if too few do.
BudgetRows rows_within(const SurfaceRuns& runs, const BudgetRows& rows, double within) {
  if (std::isinf(within)) return rows;
  const std::size_t best = best_row(runs, rows);
  BudgetRows near;
  std::ranges::copy_if(rows, std::back_inserter(near), [&](std::size_t i) {
    return std::abs(std::log(runs.n[i] / runs.n[best])) <= std::log(within) + 1e-9;
  });
  return different_sizes(runs.n, near) < kFewSizes ? rows : near;
}

/// Whether the computes of a budget fall into two heaps, with a gap of half their range between
/// them, or differ too much for one budget.
bool is_mixed(std::vector<double> log_computes) {
  constexpr double kLeastRange = 0.02;  // In ln compute; less is a difference of rounding.
  constexpr std::ptrdiff_t kHeap = 3;
  std::ranges::sort(log_computes);
  const double range = log_computes.back() - log_computes.front();
  if (range > std::log(kMixed)) return true;
  if (range < kLeastRange) return false;
  for (auto at = log_computes.begin() + kHeap; log_computes.end() - at >= kHeap; ++at) {
    if (*at - *(at - 1) > range / 2) return true;
  }
  return false;
}

IsoflopBudget budget_of(const SurfaceRuns& runs, const BudgetRows& rows, double factor) {
  std::vector<double> logs;
  for (const std::size_t i : rows) logs.push_back(std::log(factor * runs.n[i] * runs.d[i]));
  const double sum = std::accumulate(logs.begin(), logs.end(), 0.0);
  const auto [first, last] = std::ranges::minmax_element(logs);
  const auto [least, greatest] = std::ranges::minmax_element(
      rows, [&](std::size_t a, std::size_t b) { return runs.n[a] < runs.n[b]; });
  IsoflopBudget budget{.compute = std::exp(sum / static_cast<double>(rows.size())),
                       .rows = rows,
                       .sizes = different_sizes(runs.n, rows),
                       .n_range = {runs.n[*least], runs.n[*greatest]},
                       .computes = {std::exp(*first), std::exp(*last)}};
  if (budget.sizes < kFewSizes) budget.warnings.push_back(BudgetWarning::kFewSizes);
  if (is_mixed(std::move(logs))) budget.warnings.push_back(BudgetWarning::kMixed);
  return budget;
}

double mean_loss(const SurfaceRuns& runs, const BudgetRows& rows) {
  double mean = 0;
  for (const std::size_t i : rows) mean += runs.y[i] / static_cast<double>(rows.size());
  return mean;
}

/// Adds the points of a budget: its runs by size and cluster.
void add_points(BudgetRuns& out, const SurfaceRuns& runs, const BudgetRows& rows,
                std::map<std::uint32_t, std::uint32_t>& clusters) {
  const double mean = mean_loss(runs, rows);
  std::map<std::pair<double, std::uint32_t>, std::vector<double>> points;
  out.counts.push_back(static_cast<double>(rows.size()));
  out.inside.push_back(0);
  out.weight.push_back(1);
  for (const std::size_t i : rows) {
    std::uint32_t cluster = 0;
    if (!runs.cluster.empty()) {
      const auto next = static_cast<std::uint32_t>(clusters.size());
      cluster = clusters.emplace(runs.cluster[i], next).first->second;
    }
    points[{runs.n[i], cluster}].push_back(runs.y[i] / mean);
  }
  for (const auto& [place, losses] : points) {
    const auto count = static_cast<double>(losses.size());
    const double middle = std::accumulate(losses.begin(), losses.end(), 0.0) / count;
    out.u.push_back(std::log(place.first) - out.u_centre);
    out.y.push_back(middle);
    out.root.push_back(std::sqrt(count));
    if (!runs.cluster.empty()) out.cluster.push_back(place.second);
    out.runs += losses.size();
    for (const double loss : losses) out.inside.back() += (loss - middle) * (loss - middle);
  }
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
    out.begin.push_back(out.u.size());
    out.c.push_back(std::log(found[j].compute));
    add_points(out, runs, found[j].rows, clusters);
  }
  out.begin.push_back(out.u.size());
  return out;
}

/// The mean loss of a size.
struct SizeMean {
  double log_n;
  double loss;
};

std::vector<SizeMean> size_means(const SurfaceRuns& runs, const BudgetRows& rows) {
  std::map<double, std::pair<double, double>> sums;
  for (const std::size_t i : rows) {
    auto& [sum, count] = sums[runs.n[i]];
    sum += runs.y[i];
    ++count;
  }
  std::vector<SizeMean> means;
  for (const auto& [n, sum] : sums) means.push_back({std::log(n), sum.first / sum.second});
  return means;
}

/// The minimum of the parabola through three sizes, of which the middle one has the least loss.
double minimum_between(const SizeMean& left, const SizeMean& middle, const SizeMean& right) {
  const double down = (middle.loss - left.loss) / (middle.log_n - left.log_n);
  const double up = (right.loss - middle.loss) / (right.log_n - middle.log_n);
  const double bend = (up - down) / (right.log_n - left.log_n);
  if (!(bend > 0)) return middle.log_n;
  return (left.log_n + middle.log_n) / 2 - down / bend / 2;
}

/// The minimum of the parabola through all sizes of a budget; nothing if it has none.
std::optional<double> parabola_minimum(const std::vector<SizeMean>& sizes) {
  double sums[5] = {};
  double products[3] = {};
  double centre = 0;
  for (const SizeMean& size : sizes) centre += size.log_n / static_cast<double>(sizes.size());
  for (const SizeMean& size : sizes) {
    double power = 1;
    for (std::size_t k = 0; k < 5; ++k, power *= size.log_n - centre) {
      sums[k] += power;
      if (k < 3) products[k] += power * (size.loss - sizes.front().loss);
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

/// ln n of the minimum of a budget. Where the least loss lies between other sizes, it is near that
/// size, whatever the far ones do. At the first or last size only a parabola through all tells.
std::optional<double> start_of(const SurfaceRuns& runs, const BudgetRows& rows) {
  const std::vector<SizeMean> sizes = size_means(runs, rows);
  const auto best = std::ranges::min_element(sizes, {}, &SizeMean::loss);
  if (best == sizes.begin() || best + 1 == sizes.end()) return parabola_minimum(sizes);
  return minimum_between(*(best - 1), *best, *(best + 1));
}

void mark(IsoflopBudget& budget, BudgetWarning warning) {
  const auto at = std::ranges::find(budget.warnings, warning);
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

  UsableBudgets part(std::size_t begin, std::size_t end) const {
    const auto a = static_cast<std::ptrdiff_t>(begin);
    const auto b = static_cast<std::ptrdiff_t>(end);
    return {{budgets.begin() + a, budgets.begin() + b}, {minima.begin() + a, minima.begin() + b}};
  }
};

UsableBudgets usable_budgets(const SurfaceRuns& runs, std::vector<IsoflopBudget>& found) {
  UsableBudgets usable;
  for (std::size_t j = 0; j < found.size(); ++j) {
    const auto log_n = start_of(runs, found[j].rows);
    if (!lies_inside(found[j], log_n)) continue;
    usable.budgets.push_back(j);
    usable.minima.push_back(*log_n);
  }
  return usable;
}

/// Fits of the profiles of several budgets.
struct FittedProfiles {
  const BudgetRuns& runs;
  std::optional<ProfileFit> line;  ///< Minima on a line, of two budgets or more,
  std::optional<ProfileFit> own;   ///< and free ones, where enough runs tell of few, or the line
                                   ///< is broken.
  std::optional<IsoflopLine> test;

  /// The minima of all budgets.
  std::vector<Estimate> all_minima(double confidence) const {
    if (!own) return line->linear_vertices_at(runs.c, confidence);
    const bool few = runs.budgets() <= kMostOwnMinima;
    std::vector<Estimate> minima;
    for (std::size_t k = 0; k < runs.budgets(); ++k) {
      minima.push_back(few ? own->estimate(k, confidence) : own->linear_estimate(k, confidence));
    }
    return minima;
  }
  const ProfileFit& fit() const { return own ? *own : *line; }
  bool is_broken() const { return test && test->is_broken; }
};

/// A line of the minima with a bend.
ProfileModel bent_line(const ProfileModel& line, std::vector<double> bend) {
  return {line.runs(), line.shape(), ProfileTrack::kLine, line.origin(), std::move(bend)};
}

/// The vertices of a line as those of a bent one, from which its descent starts.
std::vector<double> bent_start(const ProfileFit& line) {
  return {line.theta()[0], line.theta()[1], 0};
}

/// Empty where the minima are too few, or the runs.
std::optional<IsoflopLine> line_test(const ProfileFit& line, double confidence) {
  const std::vector<double>& c = line.model().runs().c;
  if (c.size() < 3) return std::nullopt;
  std::vector<double> squares;
  for (const double at : c) squares.push_back(std::pow(at - line.model().origin(), 2));
  return if_possible([&] {
    const Estimate square = ProfileFit(bent_line(line.model(), squares), bent_start(line))
                                .linear_estimate(2, confidence);
    const double change = 2 * square.estimate * (c.back() - c.front());
    const double p = square.p.value_or(0);
    return IsoflopLine{.statistic = std::pow(square.t.value_or(0), 2),
                       .dof = square.dof.value_or(0),
                       .p = p,
                       .is_broken = p < kBroken && std::abs(change) > kRounding,
                       .range = {std::exp(c.front()), std::exp(c.back())},
                       .budgets = c.size()};
  });
}

/// The first budget behind the break of the broken line that fits best; 0 of too few budgets.
std::size_t first_after_break(const ProfileFit& line) {
  const std::vector<double>& c = line.model().runs().c;
  const std::size_t step = 1 + c.size() / kMostBreaks;
  double least = std::numeric_limits<double>::infinity();
  std::size_t first = 0;
  for (std::size_t k = 1; k + kLeastOfLine <= c.size(); k += step) {
    for (const double share : {0.0, 0.25, 0.5, 0.75}) {
      const double place = std::lerp(c[k], c[k - 1], share);
      std::vector<double> before;
      for (const double at : c) before.push_back(std::min(0.0, at - place));
      const double rss =
          ProfileFit(bent_line(line.model(), before), bent_start(line)).at_minimum().rss;
      if (rss >= least) continue;
      least = rss;
      first = k;
    }
  }
  return first;
}

/// @param minima  About the centre.
ProfileFit fit_minima(ProfileShape shape, const BudgetRuns& profiles,
                      const std::vector<double>& minima) {
  return ProfileFit(ProfileModel(profiles, shape, ProfileTrack::kFree), minima);
}

ProfileFit fit_line(ProfileShape shape, const BudgetRuns& profiles,
                    const std::vector<double>& minima) {
  const double origin = std::accumulate(profiles.c.begin(), profiles.c.end(), 0.0) /
                        static_cast<double>(profiles.c.size());
  return ProfileFit(ProfileModel(profiles, shape, ProfileTrack::kLine, origin),
                    line_through(minima, profiles.c, origin));
}

FittedProfiles fit_profiles(ProfileShape shape, const BudgetRuns& profiles,
                            const std::vector<double>& minima, double confidence) {
  FittedProfiles fits{.runs = profiles, .line = {}, .own = {}, .test = {}};
  if (profiles.budgets() == 1) {
    fits.own = fit_minima(shape, profiles, minima);
    return fits;
  }
  fits.line = fit_line(shape, profiles, minima);
  fits.test = line_test(*fits.line, confidence);
  if (fits.is_broken() || profiles.budgets() <= kMostOwnMinima) {
    fits.own = if_possible([&] { return fit_minima(shape, profiles, minima); });
  }
  return fits;
}

/// The fit whose residuals tell of the scatter: free minima, which no bend of the line disturbs,
/// where two runs per budget are left.
ProfileFit residual_fit(ProfileShape shape, const BudgetRuns& profiles,
                        const std::vector<double>& minima) {
  const bool is_free =
      profiles.budgets() <= kMostOwnMinima && profiles.runs >= 5 * profiles.budgets() + 2;
  return is_free ? fit_minima(shape, profiles, minima) : fit_line(shape, profiles, minima);
}

constexpr double kUnequal = 0.05;  ///< p of equal scatter.

/// Tests whether all budgets scatter alike. Where they do not, runs are weighed by the trend of the
/// scatter. Nothing where runs share errors, whose variance allows for it, and for exact runs.
std::optional<IsoflopScatter> weigh_by_scatter(ProfileShape shape, BudgetRuns& profiles,
                                               const std::vector<double>& minima) {
  constexpr double kExact = 1e-9;
  constexpr int kRounds = 5;
  if (!profiles.cluster.empty() || profiles.budgets() < 2) return std::nullopt;
  const auto fit = [&] { return residual_fit(shape, profiles, minima); };
  const auto equal = if_possible(fit);
  if (!equal || !(equal->sigma() > kExact)) return std::nullopt;
  ScatterTrend trend = equal->scatter_trend();
  IsoflopScatter scatter{.statistic = trend.statistic,
                         .p = trend.p,
                         .is_unequal = trend.p < kUnequal,
                         .exponent = trend.slope};
  for (int round = 0; scatter.is_unequal && round < kRounds; ++round) {
    profiles.weigh(std::move(trend));
    trend = fit().scatter_trend();
    scatter.exponent = trend.slope;
  }
  if (scatter.is_unequal) profiles.weigh(std::move(trend));
  return scatter;
}

/// The optimum of a budget with its profile, in the unit of the loss.
IsoflopOptimum budget_optimum(const FittedProfiles& fits, std::size_t k, const Estimate& minimum,
                              const IsoflopBudget& budget, double mean,
                              const IsoflopOptions& options) {
  const double centre = fits.runs.u_centre;
  IsoflopOptimum optimum = optimum_of(shifted(minimum, centre), budget.compute, options);
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

/// Adds the optima of budgets whose fitted minimum lies inside their sizes, and marks the others.
void add_budget_optima(IsoflopPath& path, ProfileShape shape, const FittedProfiles& fits,
                       const SurfaceRuns& runs, std::vector<IsoflopBudget>& found,
                       const UsableBudgets& usable, const IsoflopOptions& options) {
  const std::vector<Estimate> minima = fits.all_minima(options.confidence);
  for (std::size_t k = 0; k < usable.budgets.size(); ++k) {
    IsoflopBudget& budget = found[usable.budgets[k]];
    IsoflopOptimum optimum =
        budget_optimum(fits, k, minima[k], budget, mean_loss(runs, budget.rows), options);
    const bool inside = budget.n_range.lower <= optimum.n && optimum.n <= budget.n_range.upper;
    if (inside) path.optima.push_back(std::move(optimum));
    // Parabolas are biased, so they do not judge how budgets lie.
    if (!inside && shape == ProfileShape::kPowers) mark(budget, BudgetWarning::kEdge);
  }
}

/// Takes what the path of the last budgets tells of other computes, and below them that of the
/// first budgets.
void extend_along(IsoflopPath& path, const IsoflopPath& first, const IsoflopPath& last,
                  std::size_t targets) {
  path.n_exponent = last.n_exponent;
  path.d_exponent = last.d_exponent;
  path.line->range = last.line->range;
  path.line->budgets = last.line->budgets;
  for (std::size_t left = targets; left > 0; --left) {
    const IsoflopOptimum& optimum = *(last.optima.end() - static_cast<std::ptrdiff_t>(left));
    const bool is_below = optimum.compute < last.line->range.lower;
    path.optima.push_back(is_below ? *(first.optima.end() - static_cast<std::ptrdiff_t>(left))
                                   : optimum);
  }
}

/// The path through budgets that have a minimum. Where their minima lie on no line, it is extended
/// along that of the last ones.
IsoflopPath path_through(ProfileShape shape, const SurfaceRuns& runs,
                         std::vector<IsoflopBudget>& found, const UsableBudgets& usable,
                         const AskedComputes& asked, const IsoflopOptions& options) {
  BudgetRuns profiles = profiles_of(runs, found, usable.budgets);
  std::vector<double> minima;
  for (const double log_n : usable.minima) minima.push_back(log_n - profiles.u_centre);
  const auto scatter = weigh_by_scatter(shape, profiles, minima);
  const FittedProfiles fits = fit_profiles(shape, profiles, minima, options.confidence);
  IsoflopPath path = path_with(fits.line ? std::optional(fits.line->estimate(1, options.confidence))
                                         : std::nullopt);
  path.line = fits.test;
  path.scatter = scatter;
  path.runs = profiles.runs;
  path.budgets = usable.budgets.size();
  add_budget_optima(path, shape, fits, runs, found, usable, options);
  if (!fits.line && path.optima.empty()) {
    throw FitError(FailureCode::kTooFewX, "the only budget has its minimum outside the sizes");
  }
  if (!fits.line) return path;
  if (const std::size_t at = fits.is_broken() ? first_after_break(*fits.line) : 0; at > 0) {
    const auto part = [&](std::size_t begin, std::size_t end) {
      return if_possible([&] {
        return path_through(shape, runs, found, usable.part(begin, end), asked, options);
      });
    };
    const auto first = part(0, at + 1);
    const auto last = part(at, usable.budgets.size());
    if (first && last && last->line) {
      extend_along(path, *first, *last, asked.targets.size());
      return path;
    }
  }
  for (const double compute : asked.targets) {
    const Estimate log_n = fits.line->vertex_at(std::log(compute), options.confidence);
    path.optima.push_back(optimum_of(shifted(log_n, profiles.u_centre), compute, options));
  }
  return path;
}

}  // namespace

FoundBudgets find_budgets(const SurfaceRuns& runs, const IsoflopOptions& options) {
  FoundBudgets found;
  std::vector<BudgetRows> budgets = runs.budget.empty() ? by_compute(runs) : by_column(runs);
  std::erase_if(budgets, [&](const BudgetRows& rows) {
    return different_sizes(runs.n, rows) < kLeastSizesOfBudget;
  });
  for (const BudgetRows& rows : budgets) {
    found.runs += rows.size();
    found.farthest = std::max(found.farthest, farthest_size(runs, rows));
  }
  const double all = std::numeric_limits<double>::infinity();
  found.within = options.within.value_or(found.farthest > kWide ? kNarrow : all);
  for (const BudgetRows& of_budget : budgets) {
    const BudgetRows rows = rows_within(runs, of_budget, found.within);
    found.budgets.push_back(budget_of(runs, rows, options.flops_per_parameter_token));
    found.budgets.back().too_far = of_budget.size() - rows.size();
  }
  std::ranges::sort(found.budgets, {}, &IsoflopBudget::compute);
  found.outliers = take_outliers(runs, found.budgets);
  return found;
}

IsoflopPath path_of_profiles(ProfileShape shape, const SurfaceRuns& runs,
                             std::vector<IsoflopBudget>& found, const AskedComputes& asked,
                             const IsoflopOptions& options) {
  const UsableBudgets usable = usable_budgets(runs, found);
  if (usable.budgets.empty()) {
    throw FitError(FailureCode::kTooFewX,
                   fmt::format("{} of 3 sizes or more, and none with a minimum among the sizes",
                               counted(found.size(), "budget")));
  }
  return path_through(shape, runs, found, usable, asked, options);
}

}  // namespace scalelaw
