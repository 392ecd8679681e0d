// IsoFLOP profiles: separable least squares of the losses of all budgets.

#include "judge/isoflop_profiles.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kLeastPower = 0.005;
constexpr double kMostPower = 5;
constexpr double kFarthestVertex = 60;  ///< In ln n from the centre: beyond all sizes.

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// (e^(pt) - 1) / p with its derivatives in t and in p.
struct PowerTerm {
  double value;
  double slope;
  double by_power;
};

PowerTerm power_term(double t, double p) {
  const double rise = std::expm1(p * t);
  return {rise / p, rise + 1, (t * (rise + 1) - rise / p) / p};
}

/// g(t) with its derivatives in t, ln alpha and ln beta.
std::array<double, 4> shape_at(ProfileShape shape, double t, double alpha, double beta) {
  if (shape == ProfileShape::kParabola) return {t * t / 2, t, 0, 0};
  const PowerTerm rise = power_term(t, beta);
  const PowerTerm fall = power_term(-t, alpha);
  return {rise.value + fall.value, rise.slope - fall.slope, alpha * fall.by_power,
          beta * rise.by_power};
}

}  // namespace

double BudgetRuns::all_inside() const {
  double sum = 0;
  for (std::size_t j = 0; j < budgets(); ++j) sum += weight[j] * inside[j];
  return sum;
}

void BudgetRuns::weigh(ScatterTrend by) {
  for (std::size_t j = 0; j < budgets(); ++j) {
    const double old = weight[j];
    weight[j] = std::exp(-2 * by.slope * by.z[j]);
    for (std::size_t i = begin[j]; i < begin[j + 1]; ++i) root[i] *= std::sqrt(weight[j] / old);
  }
  trend = std::move(by);
}

ProfileModel::ProfileModel(const BudgetRuns& runs, ProfileShape shape, ProfileTrack track,
                           double origin, std::vector<double> bend)
    : runs_(&runs), shape_(shape), track_(track), origin_(origin), bend_(std::move(bend)) {}

double ProfileModel::vertex(const Vector& theta, std::size_t budget) const {
  if (track_ == ProfileTrack::kFree) return theta[index(budget)];
  const double bent = bend_.empty() ? 0 : theta[2] * bend_[budget];
  return theta[0] + theta[1] * (runs_->c[budget] - origin_) + bent;
}

std::array<double, 2> ProfileModel::powers(const Vector& theta) const {
  if (shape_ == ProfileShape::kParabola) return {0, 0};
  return {std::exp(theta[index(vertices())]), std::exp(theta[index(vertices() + 1)])};
}

std::array<std::size_t, 5> ProfileModel::columns_of(std::size_t budget) const {
  if (track_ == ProfileTrack::kLine) return {0, 1, 2, 3, 4};
  return {budget, vertices(), vertices() + 1};
}

Eigen::Index ProfileModel::columns() const {
  return (track_ == ProfileTrack::kLine ? index(vertices()) : 1) +
         (shape_ == ProfileShape::kPowers ? 2 : 0);
}

ProfileModel::Projection ProfileModel::project(const Vector& theta) const {
  const auto n = index(runs_->u.size());
  Projection out{.residual = Vector::Zero(n),
                 .jacobian = Matrix::Zero(n, index(parameters())),
                 .shape = Vector::Zero(n),
                 .rss = runs_->all_inside()};
  for (std::size_t j = 0; j < runs_->budgets(); ++j) {
    const auto begin = index(runs_->begin[j]);
    const Block block = block_of(j, theta);
    const Eigen::Index size = block.residual.size();
    out.residual.segment(begin, size) = block.residual;
    out.shape.segment(begin, size) = block.shape;
    const auto at = columns_of(j);
    for (Eigen::Index k = 0; k < columns(); ++k) {
      out.jacobian.col(index(at[static_cast<std::size_t>(k)])).segment(begin, size) =
          block.gradients.col(k);
    }
    out.level.push_back(block.level);
    out.scale.push_back(block.scale);
  }
  out.rss += out.residual.squaredNorm();
  return out;
}

ProfileModel::Normal ProfileModel::normal(const Vector& theta) const {
  const auto p = index(parameters());
  Normal out{.curvature = Matrix::Zero(p, p), .pull = Vector::Zero(p), .rss = runs_->all_inside()};
  for (std::size_t j = 0; j < runs_->budgets(); ++j) {
    const Block block = block_of(j, theta);
    out.rss += block.residual.squaredNorm();
    const auto at = columns_of(j);
    for (Eigen::Index k = 0; k < columns(); ++k) {
      const auto row = index(at[static_cast<std::size_t>(k)]);
      out.pull[row] += block.gradients.col(k).dot(block.residual);
      for (Eigen::Index l = 0; l <= k; ++l) {
        const auto column = index(at[static_cast<std::size_t>(l)]);
        const double product = block.gradients.col(k).dot(block.gradients.col(l));
        out.curvature(row, column) += product;
        if (row != column) out.curvature(column, row) += product;
      }
    }
  }
  return out;
}

ProfileModel::Block ProfileModel::block_of(std::size_t budget, const Vector& theta) const {
  const auto begin = index(runs_->begin[budget]);
  const auto size = index(runs_->begin[budget + 1]) - begin;
  const auto [alpha, beta] = powers(theta);
  const double x = vertex(theta, budget);
  Eigen::Matrix<double, Eigen::Dynamic, 4> g(size, 4);
  for (Eigen::Index i = 0; i < size; ++i) {
    const double u = runs_->u[static_cast<std::size_t>(begin + i)];
    const auto terms = shape_at(shape_, u - x, alpha, beta);
    for (std::size_t k = 0; k < 4; ++k) g(i, index(k)) = terms[k];
  }
  const Eigen::Map<const Vector> y(runs_->y.data() + begin, size);
  const Eigen::Map<const Vector> root(runs_->root.data() + begin, size);
  const double weight = root.squaredNorm();
  const auto mean = [&](const auto& values) {
    return (root.array().square() * values.array()).sum() / weight;
  };
  const auto centred = [&](const auto& values) -> Vector {
    return root.array() * (values.array() - mean(values));
  };
  Block out{.residual = centred(y),
            .shape = centred(g.col(0)),
            .gradients = Eigen::Matrix<double, Eigen::Dynamic, 5>::Zero(size, 5)};
  const double length = out.shape.norm();
  if (length > 0) out.shape /= length;
  const double along = std::max(0.0, out.shape.dot(out.residual));
  out.scale = length > 0 ? along / length : 0;
  out.level = mean(y) - out.scale * mean(g.col(0));
  if (!(out.scale > 0)) {
    out.shape.setZero();
    return out;
  }
  out.residual -= along * out.shape;
  Eigen::Index column = 0;
  const auto add = [&](const Vector& values) {
    const Vector own = centred(values);
    out.gradients.col(column++) = own - out.shape * out.shape.dot(own);
  };
  const Vector by_vertex = -out.scale * g.col(1);
  add(by_vertex);
  if (track_ == ProfileTrack::kLine) add(by_vertex * (runs_->c[budget] - origin_));
  if (!bend_.empty()) add(by_vertex * bend_[budget]);
  if (shape_ == ProfileShape::kParabola) return out;
  add(out.scale * g.col(2));
  add(out.scale * g.col(3));
  return out;
}

double ProfileModel::form(const Vector& theta, double t) const {
  const auto [alpha, beta] = powers(theta);
  return shape_at(shape_, t, alpha, beta)[0];
}

double ProfileModel::rss(const Vector& theta) const {
  const bool is_parabola = shape_ == ProfileShape::kParabola;
  const auto [alpha, beta] = powers(theta);
  double sum = runs_->all_inside();
  for (std::size_t j = 0; j < runs_->budgets(); ++j) {
    const double x = vertex(theta, j);
    double count = 0;
    double mean_g = 0;
    double mean_y = 0;
    double gg = 0;
    double gy = 0;
    double yy = 0;
    for (std::size_t i = runs_->begin[j]; i < runs_->begin[j + 1]; ++i) {
      const double t = runs_->u[i] - x;
      const double g =
          is_parabola ? t * t / 2 : std::expm1(beta * t) / beta + std::expm1(-alpha * t) / alpha;
      // Updated about the running means, so that nothing cancels.
      const double weight = runs_->root[i] * runs_->root[i];
      count += weight;
      const double dg = g - mean_g;
      const double dy = runs_->y[i] - mean_y;
      mean_g += dg * weight / count;
      mean_y += dy * weight / count;
      gg += weight * dg * (g - mean_g);
      gy += weight * dg * (runs_->y[i] - mean_y);
      yy += weight * dy * (runs_->y[i] - mean_y);
    }
    sum += gy > 0 ? std::max(0.0, yy - gy * gy / gg) : yy;
  }
  return sum;
}

void ProfileModel::keep_in_range(Vector& theta) const {
  for (std::size_t k = 0; k < parameters(); ++k) {
    double& value = theta[index(k)];
    if (k >= vertices()) {
      value = std::clamp(value, std::log(kLeastPower), std::log(kMostPower));
    } else if (track_ == ProfileTrack::kFree) {
      value = std::clamp(value, -kFarthestVertex, kFarthestVertex);
    }
  }
}

double descend(const ProfileModel& model, Vector& theta, std::optional<std::size_t> held) {
  constexpr int kMostSteps = 200;
  // A profile needs only the sum of squares, in which an error of a parameter enters squared.
  const double converged = held ? 1e-6 : 1e-12;
  double damping = 1e-4;
  ProfileModel::Normal now = model.normal(theta);
  for (int step = 0; step < kMostSteps && now.rss > 0; ++step) {
    if (held) {
      now.pull[index(*held)] = 0;
      now.curvature.row(index(*held)).setZero();
      now.curvature.col(index(*held)).setZero();
    }
    const Vector& pull = now.pull;
    const Matrix& curvature = now.curvature;
    const double floor = 1e-12 * curvature.diagonal().maxCoeff();
    bool moved = false;
    double change = 0;
    for (int attempt = 0; attempt < 30 && !moved; ++attempt) {
      Matrix damped = curvature;
      damped.diagonal() += damping * curvature.diagonal();
      damped.diagonal().array() += floor + 1e-300;
      Vector next = theta + damped.ldlt().solve(pull);
      if (held) next[index(*held)] = theta[index(*held)];
      model.keep_in_range(next);
      const double rss = model.rss(next);
      if (rss <= now.rss) {
        change = (next - theta).cwiseAbs().maxCoeff();
        moved = rss < now.rss;
        theta = next;
        damping = std::max(1e-12, damping / 10);
        break;
      }
      damping *= 10;
    }
    if (!moved && change == 0) break;
    now = model.normal(theta);
    if (change < converged) break;
  }
  return now.rss;
}

namespace {

/// Places of ln alpha and ln beta from which the descents of powers start.
std::vector<std::array<double, 2>> starts_of_powers(ProfileShape shape) {
  if (shape == ProfileShape::kParabola) return {{0, 0}};
  return {{std::log(0.3), std::log(0.3)},
          {std::log(0.6), std::log(0.2)},
          {std::log(0.2), std::log(0.6)}};
}

}  // namespace

ProfileFit::ProfileFit(ProfileModel model, const std::vector<double>& start) : model_(model) {
  const std::size_t n = model_.runs().runs;
  const std::size_t parameters = 2 * model_.runs().budgets() + model_.parameters();
  dof_ = static_cast<double>(n) - static_cast<double>(parameters);
  if (dof_ < 1) {
    throw FitError(FailureCode::kTooFewPoints,
                   "the budgets have too few sizes: their profiles have as many parameters as "
                   "there are runs");
  }
  double least = std::numeric_limits<double>::infinity();
  for (const auto& powers : starts_of_powers(model_.shape())) {
    Vector theta(index(model_.parameters()));
    for (std::size_t k = 0; k < start.size(); ++k) theta[index(k)] = start[k];
    for (std::size_t k = start.size(); k < model_.parameters(); ++k) {
      theta[index(k)] = powers[k - start.size()];
    }
    const double rss = descend(model_, theta);
    if (rss < least * (1 - 1e-9)) {
      least = rss;
      theta_ = theta;
    }
  }
  refresh();
}

void ProfileFit::refresh() {
  projection_ = model_.project(theta_);
  Matrix curvature = projection_.jacobian.transpose() * projection_.jacobian;
  curvature.diagonal().array() += 1e-14 * curvature.diagonal().maxCoeff() + 1e-300;
  const Eigen::LLT<Matrix> factor(curvature);
  inverse_ = factor.solve(Matrix::Identity(curvature.rows(), curvature.cols()));
  const BudgetRuns& runs = model_.runs();
  if (runs.cluster.empty()) return;
  ProfileSpace space{
      .begin = runs.begin,
      .level = Vector(index(runs.u.size())),
      .shape = projection_.shape,
      .directions = factor.matrixL().solve(projection_.jacobian.transpose()).transpose()};
  for (std::size_t j = 0; j < runs.budgets(); ++j) {
    const auto begin = index(runs.begin[j]);
    const auto size = index(runs.begin[j + 1]) - begin;
    const Eigen::Map<const Vector> root(runs.root.data() + begin, size);
    space.level.segment(begin, size) = root / root.norm();
  }
  clusters_ = ProfileClusters(std::move(space), runs.cluster);
}

double ProfileFit::value_at(std::size_t budget, double u) const {
  const double t = u - model_.vertex(theta_, budget);
  return projection_.level[budget] + projection_.scale[budget] * model_.form(theta_, t);
}

double ProfileFit::sigma() const { return std::sqrt(projection_.rss / dof_); }

namespace {

/// The slope of ln scatter over z, by Newton steps of the likelihood, which is convex.
double slope_of_scatter(const std::vector<double>& squares, const std::vector<double>& z,
                        double dof) {
  constexpr double kSteepest = 2;
  double slope = 0;
  for (int step = 0; step < 50; ++step) {
    double sum = 0;
    double first = 0;
    double second = 0;
    for (std::size_t j = 0; j < z.size(); ++j) {
      const double scaled = squares[j] * std::exp(-2 * slope * z[j]);
      sum += scaled;
      first += z[j] * scaled / dof;
      second += z[j] * z[j] * scaled / dof;
    }
    const double mean = sum / dof;
    const double curvature = 2 * (second / mean - first * first / mean / mean);
    const double change = curvature > 0 ? first / mean / curvature : 0;
    slope = std::clamp(slope + std::clamp(change, -0.3, 0.3), -kSteepest, kSteepest);
    if (std::abs(change) < 1e-10) break;
  }
  return slope;
}

}  // namespace

ScatterTrend ProfileFit::scatter_trend() const {
  const BudgetRuns& runs = model_.runs();
  std::vector<double> squares;
  std::vector<double> nu;
  double all_squares = 0;
  double all_nu = 0;
  double centre = 0;
  for (std::size_t j = 0; j < runs.budgets(); ++j) {
    const auto begin = index(runs.begin[j]);
    const auto size = index(runs.begin[j + 1]) - begin;
    const Matrix rows = projection_.jacobian.middleRows(begin, size);
    const double leverage = (rows * inverse_).cwiseProduct(rows).sum();
    nu.push_back(std::max(0.0, runs.counts[j] - 2 - leverage));
    squares.push_back(projection_.residual.segment(begin, size).squaredNorm() / runs.weight[j] +
                      runs.inside[j]);
    all_squares += squares.back();
    all_nu += nu.back();
    centre += nu.back() * runs.c[j];
  }
  ScatterTrend trend;
  double score = 0;
  for (std::size_t j = 0; j < runs.budgets(); ++j) {
    trend.z.push_back(runs.c[j] - centre / all_nu);
    trend.information += nu[j] * trend.z[j] * trend.z[j] / 2;
    score += trend.z[j] * (squares[j] * all_nu / all_squares - nu[j]) / 2;
  }
  trend.statistic = score * score / trend.information;
  trend.p = chi_squared1_p(trend.statistic);
  trend.slope = slope_of_scatter(squares, trend.z, all_nu);
  return trend;
}

ProfileFit::Error ProfileFit::error_along(const Vector& direction) const {
  const Vector moved = inverse_ * direction;
  const double variance = sigma() * sigma() * direction.dot(moved);
  if (clusters_.empty() && !model_.runs().trend) return {variance, dof_, 1};
  if (clusters_.empty()) return weighted_error(projection_.jacobian * moved, variance);
  const ProfileClusters::Error error =
      clusters_.error_of(projection_.jacobian * moved, projection_.residual);
  return {error.variance, error.dof, variance > 0 ? error.variance / variance : 1};
}

/// With weights that were estimated: the variance of Kackar and Harville (1984), twice whose growth
/// Kenward and Roger (1997) take, and the degrees of freedom of Satterthwaite.
/// @param weights  The estimate moves by these times a change of the weighted losses.
ProfileFit::Error ProfileFit::weighted_error(const Vector& weights, double variance) const {
  const BudgetRuns& runs = model_.runs();
  Vector tilted = weights;
  for (std::size_t j = 0; j < runs.budgets(); ++j) {
    const auto begin = index(runs.begin[j]);
    tilted.segment(begin, index(runs.begin[j + 1]) - begin) *= runs.trend->z[j];
  }
  const double squares = weights.squaredNorm();
  const double place = squares > 0 ? weights.dot(tilted) / squares : 0;
  const Vector along = projection_.jacobian.transpose() * tilted;
  const double left = tilted.squaredNorm() - along.dot(inverse_ * along);
  const double information = 2 * runs.trend->information;
  const double whole = variance + 4 * sigma() * sigma() * std::max(0.0, left) / information;
  const double dof = 1 / (1 / dof_ + place * place / information);
  return {whole, dof, variance > 0 ? whole / variance : 1};
}

Vector ProfileFit::towards(double c) const {
  Vector direction = Vector::Unit(index(model_.parameters()), 0);
  direction[1] = c - model_.origin();
  return direction;
}

/// The value on one side at which the sum of squares has risen as far as the interval allows.
double ProfileFit::profile_end(std::size_t parameter, double side, const Error& error,
                               double reach) const {
  constexpr int kMostDoublings = 7;
  const double allowed = reach * reach * sigma() * sigma() * error.inflation;
  const double estimate = theta_[index(parameter)];
  Vector inside = theta_;
  const auto rise = [&](double value, Vector& theta) {
    theta[index(parameter)] = value;
    return descend(model_, theta, parameter) - projection_.rss - allowed;
  };
  double low = 0;
  double at_low = -allowed;
  double high = reach * std::sqrt(error.variance);
  Vector outside = inside;
  double at_high = rise(estimate + side * high, outside);
  for (int k = 0; at_high < 0; ++k) {
    if (k == kMostDoublings) return side * std::numeric_limits<double>::infinity();
    low = high;
    at_low = at_high;
    inside = outside;
    high *= 1.6;
    at_high = rise(estimate + side * high, outside);
  }
  // Secants of the root of the rise, which is nearly linear, kept inside the bracket.
  const auto root = [&](double value) { return std::sqrt(std::max(0.0, value + allowed)); };
  for (int k = 0; k < 40 && high - low > 1e-7 * high; ++k) {
    const double slope = root(at_high) - root(at_low);
    double middle = slope > 0 ? low + (high - low) * (root(0) - root(at_low)) / slope : low;
    const double margin = 0.02 * (high - low);
    middle = std::clamp(middle, low + margin, high - margin);
    Vector theta = inside;
    const double at = rise(estimate + side * middle, theta);
    if (at < 0) {
      low = middle;
      at_low = at;
      inside = theta;
    } else {
      high = middle;
      at_high = at;
    }
    if (std::abs(at) < 1e-6 * allowed) return estimate + side * middle;
  }
  return estimate + side * (low + high) / 2;
}

Estimate ProfileFit::linear_estimate(std::size_t parameter, double confidence) const {
  const Error error = error_along(Vector::Unit(index(model_.parameters()), index(parameter)));
  return student_estimate(theta_[index(parameter)], std::sqrt(error.variance), error.dof,
                          confidence);
}

Estimate ProfileFit::estimate(std::size_t parameter, double confidence) const {
  return profiled(parameter,
                  error_along(Vector::Unit(index(model_.parameters()), index(parameter))),
                  confidence);
}

Estimate ProfileFit::profiled(std::size_t parameter, const Error& error, double confidence) const {
  Estimate out;
  out.estimate = theta_[index(parameter)];
  out.se = std::sqrt(error.variance);
  out.dof = error.dof;
  const double reach = student_t_factor(confidence, error.dof);
  const double farthest = reach * *out.se;
  const double estimate = out.estimate;
  // Rounding alone: the sum of squares says nothing any more.
  if (!(farthest > 1e-7 * std::max(1.0, std::abs(estimate)))) {
    out.ci = Interval{estimate - farthest, estimate + farthest};
    return out;
  }
  out.ci =
      Interval{profile_end(parameter, -1, error, reach), profile_end(parameter, 1, error, reach)};
  return out;
}

Estimate ProfileFit::vertex_at(double c, double confidence) const {
  const Error error = error_along(towards(c));
  ProfileFit moved = *this;
  moved.theta_[0] += moved.theta_[1] * (c - model_.origin());
  moved.model_ = ProfileModel(model_.runs(), model_.shape(), ProfileTrack::kLine, c);
  return moved.profiled(0, error, confidence);
}

std::vector<Estimate> ProfileFit::linear_vertices_at(std::span<const double> c,
                                                     double confidence) const {
  std::array<ProfileClusters::Error, 2> of_line;
  for (std::size_t k = 0; k < 2 && !clusters_.empty(); ++k) {
    of_line[k] =
        clusters_.error_of(projection_.jacobian * inverse_.col(index(k)), projection_.residual);
  }
  std::vector<Estimate> vertices;
  for (const double place : c) {
    const double away = place - model_.origin();
    Error error{};
    if (clusters_.empty()) {
      error = error_along(towards(place));
    } else {
      error.variance = (of_line[0].scores + away * of_line[1].scores).squaredNorm();
      error.dof = std::min(of_line[0].dof, of_line[1].dof);
    }
    vertices.push_back(student_estimate(theta_[0] + away * theta_[1], std::sqrt(error.variance),
                                        error.dof, confidence));
  }
  return vertices;
}

}  // namespace scalelaw
