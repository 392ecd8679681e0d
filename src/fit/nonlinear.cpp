#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "fit/regression.hpp"

namespace scalelaw {
namespace {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr int kMaxSteps = 2000;
constexpr double kStepTolerance = 1e-13;  ///< Relative to the parameters; their promise is 1e-12.

/// The fitted value of a cell on the scale of the fit, which need not be the scale of the law.
double fitted_value(const Observations& points, double x, std::span<const double> theta) {
  const double eta = points.law->predictor(x, theta, points.response);
  return points.law->scale() == points.scale ? eta : std::exp(eta);
}

/// One state of the iteration: theta, residuals and the design (Jacobian) times the roots of the
/// masses.
struct State {
  std::vector<double> theta;
  Vector residual;
  double rss = std::numeric_limits<double>::infinity();
};

State state_at(const Observations& points, std::vector<double> theta) {
  State state{.theta = std::move(theta), .residual = Vector(static_cast<Index>(points.size()))};
  for (std::size_t i = 0; i < points.size(); ++i) {
    state.residual[static_cast<Index>(i)] =
        std::sqrt(points.mass[i]) *
        (points.mean[i] - fitted_value(points, points.cells[i].x, state.theta));
  }
  state.rss = state.residual.squaredNorm();
  return state;
}

Matrix jacobian_at(const Observations& points, std::span<const double> theta) {
  const std::size_t p = theta.size();
  Matrix jacobian(static_cast<Index>(points.size()), static_cast<Index>(p));
  SmallVector gradient{};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = points.cells[i].x;
    points.law->gradient(x, theta, points.response, std::span(gradient).first(p));
    const double chain = points.law->scale() == points.scale ? 1.0 : fitted_value(points, x, theta);
    for (std::size_t j = 0; j < p; ++j) {
      jacobian(static_cast<Index>(i), static_cast<Index>(j)) =
          std::sqrt(points.mass[i]) * chain * gradient[j];
    }
  }
  return jacobian;
}

/// The Levenberg-Marquardt step: least squares of the residuals on the Jacobian, with rows that
/// hold it back.
Vector damped_step(const Matrix& jacobian, const Vector& residual, double damping) {
  const Index m = jacobian.rows();
  const Index p = jacobian.cols();
  const Vector lengths = jacobian.colwise().norm().transpose();
  Matrix augmented(m + p, p);
  augmented.topRows(m) = jacobian;
  augmented.bottomRows(p) = Matrix((std::sqrt(damping) * lengths).asDiagonal());
  Vector target(m + p);
  target << residual, Vector::Zero(p);
  return augmented.colPivHouseholderQr().solve(target);
}

std::vector<double> moved(const Law& law, std::span<const double> theta, const Vector& step) {
  std::vector<double> next(theta.size());
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const ParameterSpec& bounds = law.parameters()[j];
    next[j] = std::clamp(theta[j] + step[static_cast<Index>(j)], bounds.lower, bounds.upper);
  }
  return next;
}

/// Greatest step relative to its parameter; absolute below 1e-3, as a working parameter such as
/// ln(alpha) may be 0.
double relative_size(const Vector& step, std::span<const double> theta) {
  double size = 0;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    size =
        std::max(size, std::abs(step[static_cast<Index>(j)]) / std::max(std::abs(theta[j]), 1e-3));
  }
  return size;
}

/// Tells when steps have shrunk to nothing, or to the rounding noise of an ill-conditioned problem.
class StepWatch {
 public:
  bool has_settled(double size) {
    if (size < 0.5 * least_) {
      least_ = size;
      idle_steps_ = 0;
    } else {
      ++idle_steps_;
    }
    return size <= kStepTolerance || (idle_steps_ >= kPatience && least_ < kNoisyTolerance);
  }

 private:
  static constexpr int kPatience = 25;
  static constexpr double kNoisyTolerance = 1e-9;
  double least_ = std::numeric_limits<double>::infinity();
  int idle_steps_ = 0;
};

/// Rounding error of a residual sum of squares whose terms are differences of numbers as large as
/// the response.
double rounding_of_rss(const Observations& points, double rss) {
  return 16 * std::numeric_limits<double>::epsilon() *
         (points.largest * std::sqrt(points.total_mass * rss) + rss);
}

/// Where a start leads, or nothing if it does not converge.
std::optional<State> descend(const Observations& points, std::vector<double> start) {
  State state = state_at(points, std::move(start));
  if (!std::isfinite(state.rss)) return std::nullopt;
  double damping = 1e-3;
  StepWatch watch;
  for (int step_count = 0; step_count < kMaxSteps; ++step_count) {
    const Matrix jacobian = jacobian_at(points, state.theta);
    if (!jacobian.allFinite()) return std::nullopt;
    const Vector step = damped_step(jacobian, state.residual, damping);
    if (!step.allFinite()) return std::nullopt;
    const bool settled = damping < 1e-6 && watch.has_settled(relative_size(step, state.theta));
    State next = state_at(points, moved(*points.law, state.theta, step));
    // Near the end rss is flat to rounding: a step that does not raise it beyond that is taken.
    const bool accepted = next.rss <= state.rss + rounding_of_rss(points, state.rss);
    if (accepted) state = std::move(next);
    if (settled || state.rss == 0) return state;
    damping = accepted ? std::max(damping / 10, 1e-20) : damping * 10;
    // No downhill step left: at a minimum to rounding if the undamped step is tiny, stuck
    // otherwise.
    if (damping > 1e12) {
      const Vector newton = damped_step(jacobian, state.residual, 0);
      const bool at_minimum =
          newton.allFinite() && (jacobian * newton).squaredNorm() <= 1e-24 * state.rss;
      return at_minimum ? std::optional(state) : std::nullopt;
    }
  }
  return std::nullopt;
}

void fill_design(const Observations& points, Solution& out) {
  const Matrix jacobian = jacobian_at(points, std::span(out.theta).first(out.p));
  out.design.resize(points.size() * out.p);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < out.p; ++j) {
      out.design[i * out.p + j] =
          jacobian(static_cast<Index>(i), static_cast<Index>(j)) / std::sqrt(points.mass[i]);
    }
  }
}

}  // namespace

bool descend_from(const Observations& points, std::span<const double> start, SmallVector& theta) {
  const auto end = descend(points, {start.begin(), start.end()});
  if (!end) return false;
  std::copy(end->theta.begin(), end->theta.end(), theta.begin());
  return true;
}

void solve_nonlinear(const Observations& points, Solution& out) {
  std::optional<State> best;
  for (auto& start : points.law->starts(points.cells, points.response)) {
    auto end = descend(points, std::move(start));
    if (end && (!best || end->rss < best->rss)) best = std::move(end);
  }
  if (!best) {
    throw FitError(
        FailureCode::kNotConverged,
        fmt::format("the {} law found no least-squares solution within {} steps; try the default "
                    "log-normal errors",
                    points.law->name(), kMaxSteps));
  }
  std::copy(best->theta.begin(), best->theta.end(), out.theta.begin());
  fill_design(points, out);
  if (!orthonormalise(points, out)) {
    throw FitError(FailureCode::kNotIdentifiable,
                   fmt::format("the parameters of the {} law cannot be told apart at these x",
                               points.law->name()));
  }
  out.residual.resize(points.size());
  double rss = points.within;
  for (std::size_t i = 0; i < points.size(); ++i) {
    out.residual[i] =
        points.mean[i] - fitted_value(points, points.cells[i].x, std::span(out.theta).first(out.p));
    rss += points.mass[i] * out.residual[i] * out.residual[i];
  }
  out.rss = rss > noise_floor(points, 0) ? rss : 0;
  out.explained = 0;
}

}  // namespace scalelaw
