#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "fit/regression.hpp"
#include "statistics/spectra.hpp"

namespace scalelaw {
namespace {

using DesignMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                                   kMaxParameters, kMaxParameters>;
using DesignVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxParameters, 1>;
using Index = Eigen::Index;
// Matrices this small are multiplied by lazyProduct: Eigen's kernels for large ones would only be
// compiled.

/// A SmallMatrix as Eigen sees it.
using Stored = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<kMaxParameters>;

Index dimension(const Solution& solution) { return static_cast<Index>(solution.p); }

double degrees_of_freedom(const FitPoints& points, const Solution& solution) {
  return static_cast<double>(points.n) - static_cast<double>(solution.fitted);
}

DesignVector row_of(const Solution& solution, std::size_t i) {
  return Eigen::Map<const Eigen::VectorXd>(solution.row(i).data(), dimension(solution));
}

/// Row k computes parameter k from the coefficients of the orthonormal rows.
DesignMatrix back_of(const Solution& solution) {
  return Eigen::Map<const Stored, 0, Stride>(solution.back[0].data(), dimension(solution),
                                             dimension(solution));
}

Covariance sandwich(const Solution& solution, const DesignMatrix& meat) {
  const DesignMatrix back = back_of(solution);
  const DesignMatrix product = DesignMatrix(back.lazyProduct(meat)).lazyProduct(back.transpose());
  Covariance covariance;
  Eigen::Map<Stored, 0, Stride>(covariance.matrix[0].data(), back.rows(), back.rows()) = product;
  return covariance;
}

/// tr(P)^2 / tr(P^2) of a quadratic form (Satterthwaite 1946); empty if its mean is 0.
std::optional<double> satterthwaite(double trace, double trace_of_square) {
  if (!(trace > 0) || !(trace_of_square > 0)) return std::nullopt;
  return trace * trace / trace_of_square;
}

/// The factor of a squared residual, from its row's leverage h.
double inflation(StandardError kind, double h) {
  switch (kind) {
    case StandardError::kHc2:
    case StandardError::kHc2Bm:
      return 1 / (1 - h);
    case StandardError::kHc3:
      return 1 / ((1 - h) * (1 - h));
    default:
      return 1;
  }
}

/// For each matrix, the sum of all others, without the digits that subtraction would cost.
std::vector<DesignMatrix> sums_of_others(std::span<const DesignMatrix> matrices) {
  std::vector<DesignMatrix> others(matrices.size());
  DesignMatrix sum = DesignMatrix::Zero(matrices[0].rows(), matrices[0].cols());
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    others[i] = sum;
    sum += matrices[i];
  }
  sum.setZero();
  for (std::size_t i = matrices.size(); i-- > 0;) {
    others[i] += sum;
    sum += matrices[i];
  }
  return others;
}

/// The sum over pairs i != j of <M_i, M_j>.
double inner_products_of_pairs(std::span<const DesignMatrix> matrices) {
  const std::vector<DesignMatrix> others = sums_of_others(matrices);
  double sum = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i)
    sum += matrices[i].cwiseProduct(others[i]).sum();
  return sum;
}

/// Bell-McCaffrey degrees of freedom of one parameter, with rows as clusters. If g_i is the weight
/// of residual i in the estimate over sqrt(1 - h_i): P_ii = g_i^2 (1 - h_i) and P_ij = -g_i g_j
/// q_i'q_j, because the hat matrix is Q Q'.
std::optional<double> bell_mccaffrey_dof(const FitPoints& points, const Solution& solution,
                                         const DesignVector& direction) {
  double trace = 0;
  double trace_of_square = 0;
  std::vector<DesignMatrix> crosses(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Cell& cell = points.cells[i];
    const auto count = static_cast<double>(cell.count);
    const DesignVector q = std::sqrt(cell.weight) * row_of(solution, i);
    const double h = q.squaredNorm();
    const double diagonal = direction.dot(q) * direction.dot(q);
    const double g2 = diagonal / (1 - h);
    trace += count * diagonal;
    trace_of_square += count * diagonal * diagonal;
    trace_of_square += count * (count - 1) * (g2 * h) * (g2 * h);  // Pairs within the cell.
    crosses[i] = count * g2 * q * q.transpose();
  }
  return satterthwaite(trace, trace_of_square + inner_products_of_pairs(crosses));
}

std::optional<Covariance> heteroscedastic_covariance(const FitPoints& points,
                                                     const Solution& solution, StandardError kind) {
  DesignMatrix meat = DesignMatrix::Zero(dimension(solution), dimension(solution));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Cell& cell = points.cells[i];
    const DesignVector q = row_of(solution, i);
    const double h = cell.weight * q.squaredNorm();
    const bool divides = kind != StandardError::kHc0 && kind != StandardError::kHc1;
    if (divides && h > kFullLeverage) return std::nullopt;
    const double squares = points.scatter(i) + static_cast<double>(cell.count) *
                                                   solution.residual[i] * solution.residual[i];
    meat += cell.weight * cell.weight * squares * inflation(kind, h) * q * q.transpose();
  }
  if (kind == StandardError::kHc1) {
    meat *= static_cast<double>(points.n) / degrees_of_freedom(points, solution);
  }
  Covariance covariance = sandwich(solution, meat);
  if (kind == StandardError::kHc2Bm) {
    const DesignMatrix back = back_of(solution);
    for (std::size_t k = 0; k < solution.p; ++k) {
      covariance.dof[k] =
          bell_mccaffrey_dof(points, solution, back.row(static_cast<Index>(k)).transpose());
    }
  }
  return covariance;
}

/// The share G of a cluster g in X'X and its score s, in coordinates of the orthonormal rows.
struct Cluster {
  std::uint32_t index;
  DesignMatrix share;
  DesignVector score;
};

std::vector<Cluster> clusters_of(const FitPoints& points, const Solution& solution) {
  const Index p = dimension(solution);
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return points.cells[a].cluster < points.cells[b].cluster;
  });
  std::vector<Cluster> clusters;
  for (const std::size_t i : order) {
    if (clusters.empty() || clusters.back().index != points.cells[i].cluster) {
      clusters.push_back(
          {points.cells[i].cluster, DesignMatrix::Zero(p, p), DesignVector::Zero(p)});
    }
    const DesignVector q = row_of(solution, i);
    clusters.back().share += points.mass[i] * q * q.transpose();
    clusters.back().score += points.mass[i] * solution.residual[i] * q;
  }
  return clusters;
}

/// Whether a variance is rounding noise: the scores of few clusters may cancel.
bool has_cancelled(const Covariance& covariance, const Solution& solution) {
  constexpr double kRounding = 1e-20;
  const SmallMatrix even = solution.even_covariance(solution.rss);
  for (std::size_t k = 0; k < solution.p; ++k) {
    if (!(covariance.matrix[k][k] > kRounding * even[k][k]) && even[k][k] > 0) return true;
  }
  return false;
}

std::optional<Covariance> cr1_covariance(const FitPoints& points, const Solution& solution) {
  const std::vector<Cluster> clusters = clusters_of(points, solution);
  if (clusters.size() < 2) return std::nullopt;
  DesignMatrix meat = DesignMatrix::Zero(dimension(solution), dimension(solution));
  for (const Cluster& cluster : clusters) meat += cluster.score * cluster.score.transpose();
  const auto groups = static_cast<double>(clusters.size());
  const auto n = static_cast<double>(points.n);
  meat *= groups / (groups - 1) * (n - 1) / degrees_of_freedom(points, solution);
  Covariance covariance = sandwich(solution, meat);
  if (has_cancelled(covariance, solution)) return std::nullopt;
  for (std::size_t k = 0; k < solution.p; ++k) covariance.dof[k] = groups - 1;
  return covariance;
}

/// Eigenvectors and eigenvalues of I - G, the share of X'X from the other clusters.
struct Rest {
  DesignMatrix vectors;
  DesignVector values;

  /// Whether other clusters determine the direction, too; if not, it is left out (Moore-Penrose).
  bool holds(Index k) const { return values[k] > 1 - kFullLeverage; }

  /// (I - G)^(-1/2).
  DesignMatrix inverse_root() const {
    DesignVector roots(values.size());
    for (Index k = 0; k < roots.size(); ++k) roots[k] = holds(k) ? 1 / std::sqrt(values[k]) : 0.0;
    return DesignMatrix(vectors * roots.asDiagonal()).lazyProduct(vectors.transpose());
  }

  /// t'G t over the directions that are kept.
  double own_share(const DesignVector& direction) const {
    const DesignVector along = vectors.transpose().lazyProduct(direction);
    double sum = 0;
    for (Index k = 0; k < along.size(); ++k) {
      if (holds(k)) sum += along[k] * along[k] * (1 - values[k]);
    }
    return sum;
  }

  /// The matrix of that form.
  DesignMatrix own_shares() const {
    DesignVector shares(values.size());
    for (Index k = 0; k < shares.size(); ++k) shares[k] = holds(k) ? 1 - values[k] : 0.0;
    return DesignMatrix(vectors * shares.asDiagonal()).lazyProduct(vectors.transpose());
  }
};

std::vector<Rest> rests_of(std::span<const Cluster> clusters) {
  std::vector<DesignMatrix> shares;
  for (const Cluster& cluster : clusters) shares.push_back(cluster.share);
  std::vector<Rest> rests;
  for (const DesignMatrix& rest : sums_of_others(shares)) {
    const Index p = rest.rows();
    const SymmetricEigen eigen = symmetric_eigen(
        {rest.data(), static_cast<std::size_t>(rest.size())}, static_cast<std::size_t>(p));
    rests.push_back({Eigen::Map<const Eigen::MatrixXd>(eigen.vectors.data(), p, p),
                     Eigen::Map<const Eigen::VectorXd>(eigen.values.data(), p)});
  }
  return rests;
}

/// With B = (I - G)^(-1/2), a parameter's direction t and v = G B t: P_gg = t'G t, P_gh = -v_g'v_h.
std::optional<double> cr2_dof(std::span<const Cluster> clusters, std::span<const Rest> rests,
                              const DesignVector& direction) {
  double trace = 0;
  double trace_of_square = 0;
  std::vector<DesignMatrix> crosses;
  for (std::size_t g = 0; g < clusters.size(); ++g) {
    const DesignVector v =
        clusters[g].share.lazyProduct(DesignVector(rests[g].inverse_root().lazyProduct(direction)));
    const double diagonal = rests[g].own_share(direction);
    trace += diagonal;
    trace_of_square += diagonal * diagonal;
    crosses.push_back(v * v.transpose());
  }
  return satterthwaite(trace, trace_of_square + inner_products_of_pairs(crosses));
}

/// For a cluster's rows W, W'(I - W W')^(-1/2) e = (I - W'W)^(-1/2) W'e: p x p matrices do.
std::optional<Covariance> cr2_covariance(const FitPoints& points, const Solution& solution) {
  const std::vector<Cluster> clusters = clusters_of(points, solution);
  if (clusters.size() < 2) return std::nullopt;
  const std::vector<Rest> rests = rests_of(clusters);
  DesignMatrix meat = DesignMatrix::Zero(dimension(solution), dimension(solution));
  for (std::size_t g = 0; g < clusters.size(); ++g) {
    const DesignVector score = rests[g].inverse_root().lazyProduct(clusters[g].score);
    meat += score * score.transpose();
  }
  Covariance covariance = sandwich(solution, meat);
  if (has_cancelled(covariance, solution)) return std::nullopt;
  const DesignMatrix back = back_of(solution);
  for (std::size_t k = 0; k < solution.p; ++k) {
    if (solution.on_bound[k]) continue;  // Its direction is 0, and it has no error.
    covariance.dof[k] = cr2_dof(clusters, rests, back.row(static_cast<Index>(k)).transpose());
    if (!covariance.dof[k]) return std::nullopt;
  }
  return covariance;
}

/// M (x) M, as a form in products of pairs: row (i, k) and column (j, l) have a_ij b_kl.
Eigen::MatrixXd kronecker(const Eigen::MatrixXd& matrix) {
  const Index p = matrix.rows();
  Eigen::MatrixXd out(p * p, p * p);
  for (Index i = 0; i < p; ++i) {
    for (Index j = 0; j < p; ++j) out.block(i * p, j * p, p, p) = matrix(i, j) * matrix;
  }
  return out;
}

std::vector<double> numbers_of(const Eigen::MatrixXd& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

}  // namespace

/// cr2_dof() for every direction t = back' c at once. With v_g = N_g c, the sum of v_g v_g' is
/// linear in the products c_i c_j, and the sum of (v_g'v_h)^2 over all pairs is its squared length.
DirectionDof cr2_directions(const FitPoints& points, const Solution& solution) {
  const std::vector<Cluster> clusters = clusters_of(points, solution);
  const std::vector<Rest> rests = rests_of(clusters);
  const Index p = dimension(solution);
  const DesignMatrix to_rows = back_of(solution).transpose();
  Eigen::MatrixXd means = Eigen::MatrixXd::Zero(p, p);
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(p * p, p * p);
  Eigen::MatrixXd own_squares = Eigen::MatrixXd::Zero(p * p, p * p);
  for (std::size_t g = 0; g < clusters.size(); ++g) {
    const Eigen::MatrixXd weights =
        clusters[g].share.lazyProduct(DesignMatrix(rests[g].inverse_root().lazyProduct(to_rows)));
    const Eigen::MatrixXd lengths = weights.transpose().lazyProduct(weights);
    const Eigen::MatrixXd own =
        to_rows.transpose().lazyProduct(DesignMatrix(rests[g].own_shares().lazyProduct(to_rows)));
    means += own;
    sums += kronecker(weights);
    own_squares += kronecker(own) - kronecker(lengths);
  }
  const Eigen::MatrixXd squares = sums.transpose().lazyProduct(sums) + own_squares;
  return {solution.p, numbers_of(means), numbers_of(squares)};
}

DirectionDof::DirectionDof(std::size_t p, std::vector<double> means, std::vector<double> squares)
    : p_(p), means_(std::move(means)), squares_(std::move(squares)) {}

std::optional<double> DirectionDof::of(std::span<const double> direction) const {
  std::vector<double> pairs;
  for (const double a : direction) {
    for (const double b : direction) pairs.push_back(a * b);
  }
  double mean = 0;
  double square = 0;
  for (std::size_t i = 0; i < p_ * p_; ++i) {
    mean += means_[i] * pairs[i];
    for (std::size_t j = 0; j < p_ * p_; ++j) {
      square += pairs[i] * squares_[i * p_ * p_ + j] * pairs[j];
    }
  }
  return satterthwaite(mean, square);
}

std::optional<ClusteredErrors> clustered_errors(std::span<const double> design, std::size_t columns,
                                                std::span<const double> residuals,
                                                std::span<const std::uint32_t> cluster) {
  const std::size_t n = residuals.size();
  if (design.size() != n * columns || cluster.size() != n || columns > kMaxParameters) {
    throw std::invalid_argument("clustered_errors: sizes differ");
  }
  std::vector<Cell> cells(n);
  for (std::size_t i = 0; i < n; ++i) cells[i] = {.count = 1, .cluster = cluster[i]};
  FitPoints points;
  points.cells = cells;
  points.n = n;
  points.mass.assign(n, 1);
  Solution solution;
  solution.p = columns;
  solution.on_bound.fill(true);
  for (std::size_t i = 0; i < design.size(); ++i) {
    if (design[i] != 0) solution.on_bound.at(i % columns) = false;
  }
  for (std::size_t k = 0; k < columns; ++k) solution.fitted += solution.on_bound.at(k) ? 0 : 1;
  solution.design.assign(design.begin(), design.end());
  solution.residual.assign(residuals.begin(), residuals.end());
  for (const double value : residuals) solution.rss += value * value;
  if (!(solution.rss > 0) || !orthonormalise(points, solution)) return std::nullopt;
  const auto covariance = covariance_of(points, solution, StandardError::kCr2);
  if (!covariance) return std::nullopt;
  ClusteredErrors errors;
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t k = 0; k < columns; ++k) {
      errors.covariance.push_back(covariance->matrix.at(j).at(k));
    }
  }
  errors.direction_dof = std::make_shared<const DirectionDof>(cr2_directions(points, solution));
  return errors;
}

std::size_t cluster_count(const FitPoints& points) {
  std::vector<std::uint32_t> clusters;
  for (const Cell& cell : points.cells) clusters.push_back(cell.cluster);
  std::ranges::sort(clusters);
  return static_cast<std::size_t>(std::unique(clusters.begin(), clusters.end()) - clusters.begin());
}

SmallMatrix Solution::even_covariance(double variance) const {
  SmallMatrix covariance{};
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = 0; k < p; ++k) {
      double sum = 0;
      for (std::size_t l = 0; l < p; ++l) sum += back[j][l] * back[k][l];
      covariance[j][k] = variance * sum;
    }
  }
  return covariance;
}

std::optional<Covariance> classic_covariance(const FitPoints& points, const Solution& solution) {
  const double dof = degrees_of_freedom(points, solution);
  if (!(dof > 0)) return std::nullopt;
  return Covariance{.matrix = solution.even_covariance(solution.rss / dof)};
}

Covariance pooled_covariance(const Solution& solution, const Pooling& pooling) {
  Covariance covariance{.matrix = solution.even_covariance(pooling.sigma * pooling.sigma)};
  covariance.dof.fill(pooling.dof);
  return covariance;
}

std::optional<Covariance> covariance_of(const FitPoints& points, const Solution& solution,
                                        StandardError kind) {
  if (!(degrees_of_freedom(points, solution) > 0)) return std::nullopt;
  if (solution.rss == 0) return classic_covariance(points, solution);  // Exact: every kind is 0.
  switch (kind) {
    case StandardError::kClassic:
      return classic_covariance(points, solution);
    case StandardError::kCluster:
      return cr1_covariance(points, solution);
    case StandardError::kCr2:
      return cr2_covariance(points, solution);
    default:
      return heteroscedastic_covariance(points, solution, kind);
  }
}

}  // namespace scalelaw
