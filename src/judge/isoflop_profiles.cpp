// IsoFLOP profiles: separable least squares of the losses of all budgets.

#include "judge/isoflop_profiles.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scalelaw/base/error.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/spectra.hpp"

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

ProfileModel::ProfileModel(const BudgetRuns& runs, ProfileShape shape, ProfileTrack track,
                           double origin)
    : runs_(&runs), shape_(shape), track_(track), origin_(origin) {}

double ProfileModel::vertex(const Vector& theta, std::size_t budget) const {
  if (track_ == ProfileTrack::kFree) return theta[index(budget)];
  return theta[0] + theta[1] * (runs_->c[budget] - origin_);
}

std::array<double, 2> ProfileModel::powers(const Vector& theta) const {
  if (shape_ == ProfileShape::kParabola) return {0, 0};
  return {std::exp(theta[index(vertices())]), std::exp(theta[index(vertices() + 1)])};
}

ProfileModel::Projection ProfileModel::project(const Vector& theta) const {
  const auto n = index(runs_->u.size());
  Projection out{.residual = Vector::Zero(n),
                 .jacobian = Matrix::Zero(n, index(parameters())),
                 .shape = Vector::Zero(n),
                 .level = {},
                 .scale = {}};
  for (std::size_t j = 0; j < runs_->budgets(); ++j) project_budget(j, theta, out);
  out.rss = out.residual.squaredNorm();
  return out;
}

void ProfileModel::project_budget(std::size_t budget, const Vector& theta, Projection& out) const {
  const auto begin = index(runs_->begin[budget]);
  const auto size = index(runs_->begin[budget + 1]) - begin;
  const auto [alpha, beta] = powers(theta);
  const double x = vertex(theta, budget);
  Matrix g(size, 4);
  for (Eigen::Index i = 0; i < size; ++i) {
    const double u = runs_->u[static_cast<std::size_t>(begin + i)];
    const auto terms = shape_at(shape_, u - x, alpha, beta);
    for (std::size_t k = 0; k < 4; ++k) g(i, index(k)) = terms[k];
  }
  const Eigen::Map<const Vector> y(runs_->y.data() + begin, size);
  const auto centred = [](const Vector& values) -> Vector {
    return values.array() - values.mean();
  };
  Vector form = centred(g.col(0));
  const double length = form.norm();
  if (length > 0) form /= length;
  const double along = std::max(0.0, form.dot(y));
  const double scale = length > 0 ? along / length : 0;
  out.scale.push_back(scale);
  out.level.push_back(y.mean() - scale * g.col(0).mean());
  out.residual.segment(begin, size) = centred(y) - along * form;
  if (!(scale > 0)) return;
  out.shape.segment(begin, size) = form;
  const auto add = [&](std::size_t column, const Vector& values) {
    const Vector own = centred(values);
    out.jacobian.col(index(column)).segment(begin, size) = own - form * form.dot(own);
  };
  const Vector by_vertex = -scale * g.col(1);
  const bool is_line = track_ == ProfileTrack::kLine;
  add(is_line ? 0 : budget, by_vertex);
  if (is_line) add(1, by_vertex * (runs_->c[budget] - origin_));
  if (shape_ == ProfileShape::kParabola) return;
  add(vertices(), scale * g.col(2));
  add(vertices() + 1, scale * g.col(3));
}

double ProfileModel::form(const Vector& theta, double t) const {
  const auto [alpha, beta] = powers(theta);
  return shape_at(shape_, t, alpha, beta)[0];
}

double ProfileModel::rss(const Vector& theta) const {
  const bool is_parabola = shape_ == ProfileShape::kParabola;
  const auto [alpha, beta] = powers(theta);
  double sum = 0;
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
      ++count;
      const double dg = g - mean_g;
      const double dy = runs_->y[i] - mean_y;
      mean_g += dg / count;
      mean_y += dy / count;
      gg += dg * (g - mean_g);
      gy += dg * (runs_->y[i] - mean_y);
      yy += dy * (runs_->y[i] - mean_y);
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
  ProfileModel::Projection now = model.project(theta);
  for (int step = 0; step < kMostSteps && now.rss > 0; ++step) {
    if (held) now.jacobian.col(index(*held)).setZero();
    const Vector pull = now.jacobian.transpose() * now.residual;
    const Matrix curvature = now.jacobian.transpose() * now.jacobian;
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
    now = model.project(theta);
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
  const std::size_t n = model_.runs().u.size();
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
  directions_ = factor.matrixL().solve(projection_.jacobian.transpose()).transpose();
}

double ProfileFit::value_at(std::size_t budget, double u) const {
  const double t = u - model_.vertex(theta_, budget);
  return projection_.level[budget] + projection_.scale[budget] * model_.form(theta_, t);
}

double ProfileFit::sigma() const { return std::sqrt(projection_.rss / dof_); }

/// What the model cannot follow of a change of the losses.
Vector ProfileFit::unexplained(const Vector& change) const {
  Vector left = change;
  const BudgetRuns& runs = model_.runs();
  for (std::size_t j = 0; j < runs.budgets(); ++j) {
    const auto begin = index(runs.begin[j]);
    const auto size = index(runs.begin[j + 1]) - begin;
    auto part = left.segment(begin, size);
    part.array() -= part.mean();
    const auto form = projection_.shape.segment(begin, size);
    part -= form * form.dot(part);
  }
  return left - directions_ * (directions_.transpose() * left);
}

/// CR2 with Satterthwaite's degrees of freedom (Bell and McCaffrey 2002, Pustejovsky and Tipton
/// 2018) of an estimate that moves by `weights` times a change of the losses.
ProfileFit::Error ProfileFit::clustered_error(const Vector& weights, double independent) const {
  const std::vector<std::uint32_t>& cluster = model_.runs().cluster;
  const std::uint32_t clusters = *std::max_element(cluster.begin(), cluster.end()) + 1;
  std::vector<std::vector<Eigen::Index>> members(clusters);
  for (std::size_t i = 0; i < cluster.size(); ++i) members[cluster[i]].push_back(index(i));
  double variance = 0;
  Matrix spread(weights.size(), index(clusters));
  for (std::uint32_t g = 0; g < clusters; ++g) {
    const std::vector<Eigen::Index>& rows = members[g];
    const std::size_t size = rows.size();
    std::vector<double> left(size * size);
    for (std::size_t k = 0; k < size; ++k) {
      const Vector column = unexplained(Vector::Unit(weights.size(), rows[k]));
      for (std::size_t i = 0; i < size; ++i) left[k * size + i] = column[rows[i]];
    }
    const SymmetricEigen eigen = symmetric_eigen(left, size);
    Vector adjusted = Vector::Zero(weights.size());
    for (std::size_t k = 0; k < size; ++k) {
      if (eigen.values[k] < 1e-8) continue;
      double along = 0;
      for (std::size_t i = 0; i < size; ++i) {
        along += eigen.vectors[k * size + i] * weights[rows[i]];
      }
      for (std::size_t i = 0; i < size; ++i) {
        adjusted[rows[i]] += along * eigen.vectors[k * size + i] / std::sqrt(eigen.values[k]);
      }
    }
    const double score = adjusted.dot(projection_.residual);
    variance += score * score;
    spread.col(index(g)) = unexplained(adjusted);
  }
  const Matrix products = spread.transpose().lazyProduct(spread);
  const double trace = products.trace();
  const double squares = products.squaredNorm();
  const double dof = squares > 0 ? std::max(1.0, trace * trace / squares) : 1;
  return {variance, dof, independent > 0 ? variance / independent : 1};
}

ProfileFit::Error ProfileFit::error_of(std::size_t parameter) const {
  const double variance = sigma() * sigma() * inverse_(index(parameter), index(parameter));
  if (model_.runs().cluster.empty()) return {variance, dof_, 1};
  const Vector weights = projection_.jacobian * inverse_.col(index(parameter));
  return clustered_error(weights, variance);
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

Estimate ProfileFit::estimate(std::size_t parameter, double confidence) const {
  Estimate out;
  out.estimate = theta_[index(parameter)];
  const Error error = error_of(parameter);
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
  const ProfileModel there(model_.runs(), model_.shape(), ProfileTrack::kLine, c);
  ProfileFit moved = *this;
  moved.theta_[0] += moved.theta_[1] * (c - model_.origin());
  moved.model_ = there;
  moved.refresh();
  return moved.estimate(0, confidence);
}

}  // namespace scalelaw
