#include "fit/free_law.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "fit/figures.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

/// What fixed and tied parameters say of the working parameters: rows * theta = values.
struct Restrictions {
  Matrix rows;
  Vector values;
};

Restrictions restrictions_of(const Law& law, Index count) {
  const auto p = static_cast<Index>(law.parameters().size());
  Restrictions restrictions{Matrix::Zero(count, p), Vector::Zero(count)};
  Index row = 0;
  for (Index k = 0; k < p; ++k) {
    const auto place = static_cast<std::size_t>(k);
    const Constraint held = law.constraint(place);
    if (!held.value && !held.equal_to) continue;
    restrictions.rows(row, k) = 1;
    if (held.equal_to) restrictions.rows(row, static_cast<Index>(*held.equal_to)) = -1;
    if (held.value) restrictions.values(row) = law.parameters()[place].working(*held.value);
    ++row;
  }
  return restrictions;
}

/// Wald's statistic over its degrees of freedom; empty where the covariance does not tell it.
std::optional<double> wald_f(const Fit& free, const Law& held, Index count) {
  const auto p = static_cast<Index>(free.parameters.size());
  if (free.covariance.size() != static_cast<std::size_t>(p * p)) return std::nullopt;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrix covariance = Eigen::Map<const RowMajor>(free.covariance.data(), p, p);
  const SmallVector working = working_parameters(free);
  const Vector theta = Eigen::Map<const Vector>(working.data(), p);
  const Restrictions restrictions = restrictions_of(held, count);
  const Vector distance = restrictions.rows * theta - restrictions.values;
  const Matrix spread = restrictions.rows * covariance * restrictions.rows.transpose();
  const Eigen::LDLT<Matrix> solver(spread);
  if (solver.info() != Eigen::Success || !(solver.vectorD().minCoeff() > 0)) return std::nullopt;
  return distance.dot(solver.solve(distance)) / static_cast<double>(count);
}

/// Whether the fits minimise sums of squares of rows that are independent.
bool is_least_squares(const Fit& fit, const FitOptions& options) {
  return options.robust == Robust::kNone && options.over_penalty == 1 && !fit.clusters &&
         (!fit.surface || !fit.surface->huber_delta);
}

}  // namespace

std::optional<FreeLawTest> test_against_free_law(
    const Fit& held, const FitOptions& options,
    const std::function<Fit(const FitOptions&)>& fit_freely) {
  const Law* const law = find_law(held.law->name());
  const auto dof1 = static_cast<double>(held.law->parameters().size()) -
                    static_cast<double>(held.law->fitted_parameters());
  if (law == nullptr || dof1 == 0 || held.pooling) return std::nullopt;
  FitOptions freely = options;
  freely.law = law;
  freely.figures = Figures::kCurve;
  freely.intervals = Intervals::kWald;
  freely.bootstrap.resamples = 0;
  const auto free = if_possible([&] { return fit_freely(freely); });
  if (!free || free->dof <= 0 || !(free->rss > 0)) return std::nullopt;
  FreeLawTest test{.dof1 = dof1, .dof2 = static_cast<double>(free->dof)};
  if (free->clusters) test.dof2 = static_cast<double>(*free->clusters) - 1;
  const auto f = is_least_squares(*free, options)
                     ? std::optional((held.rss - free->rss) / dof1 / (free->rss / test.dof2))
                     : wald_f(*free, *held.law, static_cast<Index>(dof1));
  if (!f || !(test.dof2 > 0)) return std::nullopt;
  test.f = std::max(0.0, *f);  // Rounding may leave the free fit a little worse.
  test.p = f_p(test.f, test.dof1, test.dof2);
  if (held.aicc && free->aicc) test.aicc_difference = *held.aicc - *free->aicc;
  return test;
}

}  // namespace scalelaw
