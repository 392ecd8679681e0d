// Runs that lie far from the losses of their budget.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "judge/isoflop_parts.hpp"
#include "scalelaw/runs/budgets.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

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

}  // namespace

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

}  // namespace scalelaw
