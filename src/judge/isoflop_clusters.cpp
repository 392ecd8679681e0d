// Errors that runs share inside clusters, for fits of IsoFLOP profiles.

#include "judge/isoflop_profiles.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "statistics/spectra.hpp"

namespace scalelaw {
namespace {

constexpr Eigen::Index kMostDense = 300;  ///< Points of a cluster with a symmetric root.
constexpr double kExplained = 1e-8;  ///< Of a direction whose rest is no more, nothing is left.
constexpr std::size_t kMostPairs = 2000;  ///< Clusters whose products in pairs are summed.

/// The eigenvalues and vectors of a symmetric matrix.
std::pair<Eigen::VectorXd, Eigen::MatrixXd> spectrum_of(const Eigen::MatrixXd& matrix) {
  const auto size = static_cast<std::size_t>(matrix.rows());
  const SymmetricEigen eigen = symmetric_eigen({matrix.data(), size * size}, size);
  return {Eigen::Map<const Eigen::VectorXd>(eigen.values.data(), matrix.rows()),
          Eigen::Map<const Eigen::MatrixXd>(eigen.vectors.data(), matrix.rows(), matrix.rows())};
}

double inverse_root(double value) { return value < kExplained ? 0 : 1 / std::sqrt(value); }

/// The K for which I + Z K Z' is the inverse root of I - Z Z', from Z'Z.
Eigen::MatrixXd low_rank_root(const Eigen::MatrixXd& products) {
  const auto [values, vectors] = spectrum_of(products);
  Eigen::VectorXd factors(values.size());
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    factors[k] =
        values[k] < 1e-6 ? 0.5 + 0.375 * values[k] : (inverse_root(1 - values[k]) - 1) / values[k];
  }
  return vectors * factors.asDiagonal() * vectors.transpose();
}

}  // namespace

ProfileClusters::ProfileClusters(ProfileSpace space, std::span<const std::uint32_t> cluster)
    : space_(std::move(space)) {
  if (cluster.empty()) return;
  clusters_.resize(*std::ranges::max_element(cluster) + std::size_t{1});
  for (std::size_t j = 0; j + 1 < space_.begin.size(); ++j) {
    for (std::size_t i = space_.begin[j]; i < space_.begin[j + 1]; ++i) {
      Cluster& own = clusters_[cluster[i]];
      const auto budget = static_cast<Eigen::Index>(j);
      if (own.budgets.empty() || own.budgets.back() != budget) own.budgets.push_back(budget);
      own.rows.push_back(static_cast<Eigen::Index>(i));
      own.place.push_back(static_cast<Eigen::Index>(own.budgets.size()) - 1);
    }
  }
  for (Cluster& own : clusters_) add_root(own);
}

void ProfileClusters::add_root(Cluster& cluster) const {
  const auto size = static_cast<Eigen::Index>(cluster.rows.size());
  const auto budgets = static_cast<Eigen::Index>(cluster.budgets.size());
  const Eigen::Index columns = 2 * budgets + space_.directions.cols();
  if (std::min(size, columns) > kMostDense) return add_root_in_steps(cluster);
  cluster.columns = Eigen::MatrixXd::Zero(size, columns);
  for (Eigen::Index i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    cluster.columns(i, 2 * cluster.place[at]) = space_.level[cluster.rows[at]];
    cluster.columns(i, 2 * cluster.place[at] + 1) = space_.shape[cluster.rows[at]];
    cluster.columns.row(i).tail(space_.directions.cols()) = space_.directions.row(cluster.rows[at]);
  }
  cluster.is_low_rank = columns < size;
  if (cluster.is_low_rank) {
    cluster.root = low_rank_root(cluster.columns.transpose() * cluster.columns);
    return;
  }
  const auto [values, vectors] = spectrum_of(Eigen::MatrixXd::Identity(size, size) -
                                             cluster.columns * cluster.columns.transpose());
  Eigen::VectorXd roots(size);
  for (Eigen::Index k = 0; k < size; ++k) roots[k] = inverse_root(values[k]);
  cluster.root = vectors * roots.asDiagonal() * vectors.transpose();
}

void ProfileClusters::add_root_in_steps(Cluster& cluster) const {
  std::vector<Eigen::Matrix2d> products(cluster.budgets.size(), Eigen::Matrix2d::Zero());
  for (std::size_t i = 0; i < cluster.rows.size(); ++i) {
    const Eigen::Vector2d row(space_.level[cluster.rows[i]], space_.shape[cluster.rows[i]]);
    products[static_cast<std::size_t>(cluster.place[i])] += row * row.transpose();
  }
  for (const Eigen::Matrix2d& product : products) {
    cluster.of_budgets.emplace_back(low_rank_root(product));
  }
  const auto size = static_cast<Eigen::Index>(cluster.rows.size());
  cluster.stepped.resize(size, space_.directions.cols());
  for (Eigen::Index k = 0; k < space_.directions.cols(); ++k) {
    Eigen::VectorXd own(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      own[i] = space_.directions(cluster.rows[static_cast<std::size_t>(i)], k);
    }
    cluster.stepped.col(k) = stepped(cluster, own);
  }
  cluster.root = low_rank_root(cluster.stepped.transpose() * cluster.stepped);
}

/// The first step: the inverse root without the directions.
Eigen::VectorXd ProfileClusters::stepped(const Cluster& cluster,
                                         const Eigen::VectorXd& values) const {
  std::vector<Eigen::Vector2d> along(cluster.budgets.size(), Eigen::Vector2d::Zero());
  const auto row_of = [&](std::size_t i) {
    return Eigen::Vector2d(space_.level[cluster.rows[i]], space_.shape[cluster.rows[i]]);
  };
  for (std::size_t i = 0; i < cluster.rows.size(); ++i) {
    along[static_cast<std::size_t>(cluster.place[i])] +=
        row_of(i) * values[static_cast<Eigen::Index>(i)];
  }
  for (std::size_t j = 0; j < along.size(); ++j) along[j] = cluster.of_budgets[j] * along[j];
  Eigen::VectorXd out = values;
  for (std::size_t i = 0; i < cluster.rows.size(); ++i) {
    out[static_cast<Eigen::Index>(i)] +=
        row_of(i).dot(along[static_cast<std::size_t>(cluster.place[i])]);
  }
  return out;
}

/// The transposed root times values of the cluster.
Eigen::VectorXd ProfileClusters::adjusted(const Cluster& cluster,
                                          const Eigen::VectorXd& values) const {
  if (cluster.columns.size() == 0) {
    const Eigen::VectorXd along = cluster.root * (cluster.stepped.transpose() * values);
    return stepped(cluster, values + cluster.stepped * along);
  }
  if (!cluster.is_low_rank) return cluster.root * values;
  return values + cluster.columns * (cluster.root * (cluster.columns.transpose() * values));
}

Eigen::VectorXd ProfileClusters::explained(const Cluster& cluster,
                                           const Eigen::VectorXd& values) const {
  const auto budgets = static_cast<Eigen::Index>(cluster.budgets.size());
  Eigen::VectorXd out = Eigen::VectorXd::Zero(2 * budgets + space_.directions.cols());
  for (std::size_t i = 0; i < cluster.rows.size(); ++i) {
    const double value = values[static_cast<Eigen::Index>(i)];
    out[2 * cluster.place[i]] += space_.level[cluster.rows[i]] * value;
    out[2 * cluster.place[i] + 1] += space_.shape[cluster.rows[i]] * value;
    out.tail(space_.directions.cols()) += space_.directions.row(cluster.rows[i]) * value;
  }
  return out;
}

namespace {

/// The product of two vectors of which each has the columns of its own budgets and of directions.
double product_of(const Eigen::VectorXd& a, const std::vector<Eigen::Index>& of_a,
                  const Eigen::VectorXd& b, const std::vector<Eigen::Index>& of_b,
                  Eigen::Index directions) {
  double sum = a.tail(directions).dot(b.tail(directions));
  for (std::size_t i = 0, k = 0; i < of_a.size() && k < of_b.size();) {
    if (of_a[i] == of_b[k]) {
      sum += a.segment<2>(2 * static_cast<Eigen::Index>(i))
                 .dot(b.segment<2>(2 * static_cast<Eigen::Index>(k)));
    }
    const bool next_a = of_a[i] <= of_b[k];
    const bool next_b = of_b[k] <= of_a[i];
    i += next_a ? 1 : 0;
    k += next_b ? 1 : 0;
  }
  return sum;
}

}  // namespace

ProfileClusters::Error ProfileClusters::error_of(const Eigen::VectorXd& weights,
                                                 const Eigen::VectorXd& residual) const {
  Eigen::VectorXd scores(static_cast<Eigen::Index>(clusters_.size()));
  double trace = 0;
  double squares = 0;
  std::vector<Eigen::VectorXd> seen;
  for (const Cluster& cluster : clusters_) {
    const auto size = static_cast<Eigen::Index>(cluster.rows.size());
    Eigen::VectorXd own(size);
    Eigen::VectorXd left(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      own[i] = weights[cluster.rows[static_cast<std::size_t>(i)]];
      left[i] = residual[cluster.rows[static_cast<std::size_t>(i)]];
    }
    const Eigen::VectorXd moved = adjusted(cluster, own);
    scores[static_cast<Eigen::Index>(seen.size())] = moved.dot(left);
    seen.push_back(explained(cluster, moved));
    const double own_square = moved.squaredNorm() - seen.back().squaredNorm();
    trace += own_square;
    squares += own_square * own_square;
  }
  // Of so many clusters the pairs are a small share of the sum.
  const std::size_t pairs = clusters_.size() > kMostPairs ? 0 : clusters_.size();
  for (std::size_t g = 0; g < pairs; ++g) {
    for (std::size_t h = 0; h < g; ++h) {
      const double product = product_of(seen[g], clusters_[g].budgets, seen[h],
                                        clusters_[h].budgets, space_.directions.cols());
      squares += 2 * product * product;
    }
  }
  const double dof = squares > 0 ? std::max(1.0, trace * trace / squares) : 1;
  return {scores.squaredNorm(), dof, scores};
}

}  // namespace scalelaw
