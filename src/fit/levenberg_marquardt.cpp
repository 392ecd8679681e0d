#include "fit/nonlinear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/per_thread.hpp"

namespace scalelaw {
namespace {

constexpr int kMaxSteps = 2000;
constexpr int kPatience = 12;  ///< Steps of a descent before Newton's steps try to finish it.
constexpr int kNewtonSteps = 12;
constexpr double kStepTolerance = 1e-13;  ///< Relative to the parameters, which promise 1e-12.
constexpr double kGreatestDamping = 1e16;

/// Residuals and Jacobian at one theta, both times the roots of the masses, by columns.
struct Linearisation {
  std::vector<double> residual;
  std::vector<double> jacobian;
  double rss = 0;

  void reserve(std::size_t m, std::size_t p) {
    residual.resize(m);
    jacobian.resize(m * p);
  }
  std::span<const double> column(std::size_t k) const {
    return std::span(jacobian).subspan(k * residual.size(), residual.size());
  }
};

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The memory for one thread's descents.
class Descender {
 public:
  std::optional<Descent> descend(const FitPoints& points, const SmallVector& start, const Box& box,
                                 Precision precision);

 private:
  /// How a descent is held back. Attempts differ in it, because one start needs what harms another.
  struct Brake {
    double damping;         ///< Damping of the first step.
    bool remembers_length;  ///< Columns count with their greatest length so far (More 1978).
  };

  /// Whether the last decomposition separates the free columns, and no column vanished on the way.
  /// A vanished column means that the descent ran off to where the curve no longer changes.
  bool has_full_rank() const;
  std::optional<Descent> attempt(const SmallVector& start, const Box& box, Precision precision,
                                 Brake brake);

  struct Step {
    SmallVector delta{};
    double size = 0;       ///< Greatest change relative to its parameter.
    double predicted = 0;  ///< Fall of the rss that the linearised problem predicts.
    bool finite = true;
  };

  /// The minimum that Newton steps lead down to; empty if there is none. With large residuals,
  /// steps without their second derivatives creep or circle.
  std::optional<Descent> polish(SmallVector theta, const Box& box);
  Step newton_step(const SmallVector& theta, const Box& box);

  void linearise(const SmallVector& theta, Linearisation& out) const;
  void choose_free(const SmallVector& theta, const Box& box);
  void note_lengths(bool remembers_length);
  bool factorise_gram(double damping, SmallMatrix& r) const;
  void decompose(bool remembers_length);
  void decompose_by_reflections();
  SmallVector reflect_damped(double damping, SmallMatrix& r) const;
  SmallVector solve_damped(double damping) const;
  Step damped_step(const SmallVector& theta, double damping) const;

  const FitPoints* points_ = nullptr;
  std::size_t p_ = 0;
  std::vector<double> root_mass_;
  Linearisation now_;
  Linearisation next_;
  Linearisation aside_;     ///< State of a descent while Newton steps are tried.
  std::vector<double> qr_;  ///< Columns of the free parameters, m each.
  std::array<std::size_t, kMaxParameters> free_;  ///< Parameters that move.
  std::size_t free_count_ = 0;
  SmallMatrix gram_{};      ///< Products of the free columns, upper triangle.
  SmallVector downhill_{};  ///< Their products with the residual.
  bool well_apart_ = false;
  SmallMatrix r_{};         ///< Triangle of the QR.
  SmallVector turned_{};    ///< First rows of Q' residual.
  SmallVector lengths_{};   ///< Lengths of the columns, which scale the damping.
  SmallVector greatest_{};  ///< Greatest lengths in this descent.
};

void Descender::linearise(const SmallVector& theta, Linearisation& out) const {
  const FitPoints& points = *points_;
  const std::size_t m = points.size();
  SmallVector gradient;
  out.rss = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const double eta = points.law->gradient(points.cells[i].x, std::span(theta).first(p_),
                                            points.response, std::span(gradient).first(p_));
    const LinkedValue link = linked_value(points.law->scale(), points.scale, eta);
    const double scale = root_mass_[i] * link.slope;
    for (std::size_t k = 0; k < p_; ++k) out.jacobian[k * m + i] = scale * gradient[k];
    out.residual[i] = root_mass_[i] * (points.mean[i] - link.value);
    out.rss += out.residual[i] * out.residual[i];
  }
}

/// Parameters on a bound stay there if the way down would cross it.
void Descender::choose_free(const SmallVector& theta, const Box& box) {
  free_count_ = 0;
  for (std::size_t k = 0; k < p_; ++k) {
    if (!(box.lower[k] < box.upper[k])) continue;
    const bool at_lower = theta[k] <= box.lower[k];
    const bool at_upper = theta[k] >= box.upper[k];
    if (at_lower || at_upper) {
      const double along = dot(now_.column(k), now_.residual);
      if ((at_lower && !(along > 0)) || (at_upper && !(along < 0))) continue;
    }
    free_[free_count_++] = k;
  }
}

/// Reflects one column so that its first `from + 1` rows remain, and with it `count` later columns,
/// from `others` on.
void reflect(double* column, std::size_t from, std::size_t m, double* others, std::size_t stride,
             std::size_t count) {
  double norm = 0;
  for (std::size_t i = from; i < m; ++i) norm += column[i] * column[i];
  norm = std::sqrt(norm);
  if (!(norm > 0)) return;
  if (column[from] < 0) norm = -norm;
  const double head = column[from] + norm;
  for (std::size_t c = 0; c < count; ++c) {
    double* const other = others + c * stride;
    double product = head * other[from];
    for (std::size_t i = from + 1; i < m; ++i) product += column[i] * other[i];
    const double share = product / (norm * head);
    other[from] -= share * head;
    for (std::size_t i = from + 1; i < m; ++i) other[i] -= share * column[i];
  }
  column[from] = -norm;
}

/// Sets the lengths of the free columns, whose squares are in gram.
void Descender::note_lengths(bool remembers_length) {
  for (std::size_t c = 0; c < free_count_; ++c) {
    double& length = lengths_[free_[c]];
    const double now = std::sqrt(gram_[c][c]);
    length = std::max(remembers_length ? length : 0, now);
    greatest_[free_[c]] = std::max(greatest_[free_[c]], now);
  }
}

/// The upper triangle R of R'R = gram + damping lengths^2. False if a column nearly lies in the
/// span of earlier ones.
bool Descender::factorise_gram(double damping, SmallMatrix& r) const {
  constexpr double kNearlyCollinear = 1e-8;  // For squared lengths: half the digits of a step stay.
  for (std::size_t c = 0; c < free_count_; ++c) {
    for (std::size_t j = 0; j <= c; ++j) {
      double sum = gram_[j][c];
      if (j == c) sum += damping * lengths_[free_[c]] * lengths_[free_[c]];
      const double whole = sum;
      for (std::size_t l = 0; l < j; ++l) sum -= r[l][j] * r[l][c];
      if (j < c) {
        r[j][c] = sum / r[j][j];
      } else if (sum > kNearlyCollinear * whole) {
        r[c][c] = std::sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}

/// Computes R and Q'residual of the free columns. If the columns are well separated, as they mostly
/// are, their products suffice, which is fast. Otherwise Householder reflections are used.
void Descender::decompose(bool remembers_length) {
  for (std::size_t c = 0; c < free_count_; ++c) {
    const auto column = now_.column(free_[c]);
    for (std::size_t j = 0; j <= c; ++j) gram_[j][c] = dot(now_.column(free_[j]), column);
    downhill_[c] = dot(column, now_.residual);
  }
  note_lengths(remembers_length);
  well_apart_ = factorise_gram(0, r_);
  if (well_apart_) {
    turned_ = downhill_;
    for (std::size_t j = 0; j < free_count_; ++j) {
      for (std::size_t l = 0; l < j; ++l) turned_[j] -= r_[l][j] * turned_[l];
      turned_[j] /= r_[j][j];
    }
  } else {
    decompose_by_reflections();
  }
}

void Descender::decompose_by_reflections() {
  const std::size_t m = points_->size();
  qr_.resize((p_ + 1) * m);
  for (std::size_t c = 0; c < free_count_; ++c) {
    const auto column = now_.column(free_[c]);
    std::ranges::copy(column, qr_.begin() + static_cast<std::ptrdiff_t>(c * m));
  }
  double* const target = qr_.data() + free_count_ * m;  // The last column to reflect.
  std::ranges::copy(now_.residual, target);
  const std::size_t rows = std::min(free_count_, m);
  for (std::size_t c = 0; c < rows; ++c) {
    reflect(qr_.data() + c * m, c, m, qr_.data() + (c + 1) * m, m, free_count_ - c);
  }
  for (std::size_t j = 0; j < free_count_; ++j) {
    for (std::size_t c = j; c < free_count_; ++c) r_[j][c] = j < rows ? qr_[c * m + j] : 0;
    turned_[j] = j < rows ? target[j] : 0;
  }
}

/// Least squares of the turned residuals on R, with sqrt(damping) times the columns' lengths below
/// it. Returns one value per free parameter.
SmallVector Descender::solve_damped(double damping) const {
  SmallMatrix r;
  SmallVector out;
  if (well_apart_ && factorise_gram(damping, r)) {
    out = downhill_;
    for (std::size_t j = 0; j < free_count_; ++j) {
      for (std::size_t l = 0; l < j; ++l) out[j] -= r[l][j] * out[l];
      out[j] /= r[j][j];
    }
  } else {
    out = reflect_damped(damping, r);
  }
  for (std::size_t c = free_count_; c-- > 0;) {
    for (std::size_t k = c + 1; k < free_count_; ++k) out[c] -= r[c][k] * out[k];
    out[c] = r[c][c] != 0 ? out[c] / r[c][c] : 0;
  }
  return out;
}

/// Reflects the damped problem into a triangle, and its residuals with it.
SmallVector Descender::reflect_damped(double damping, SmallMatrix& r) const {
  const std::size_t p = free_count_;
  const std::size_t m = 2 * p;
  std::array<double, 2 * kMaxParameters*(kMaxParameters + 1)> columns;
  for (std::size_t c = 0; c < p; ++c) {
    double* const column = columns.data() + c * m;
    std::fill(column, column + m, 0.0);
    for (std::size_t j = 0; j <= c; ++j) column[j] = r_[j][c];
    const double length = lengths_[free_[c]];
    column[p + c] = std::sqrt(damping) * (length > 0 ? length : 1);
  }
  double* const target = columns.data() + p * m;
  std::fill(target, target + m, 0.0);
  std::copy_n(turned_.begin(), p, target);
  for (std::size_t c = 0; c < p; ++c) {
    reflect(columns.data() + c * m, c, m, columns.data() + (c + 1) * m, m, p - c);
  }
  SmallVector turned;
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t c = j; c < p; ++c) r[j][c] = columns[c * m + j];
    turned[j] = target[j];
  }
  return turned;
}

Descender::Step Descender::damped_step(const SmallVector& theta, double damping) const {
  const SmallVector delta = solve_damped(damping);
  Step step;
  for (std::size_t c = 0; c < free_count_; ++c) {
    const std::size_t parameter = free_[c];
    step.delta[parameter] = delta[c];
    step.finite = step.finite && std::isfinite(delta[c]);
    // Absolute below 1e-3, because a working parameter such as ln(alpha) may be 0.
    const double scale = std::max(std::abs(theta[parameter]), 1e-3);
    step.size = std::max(step.size, std::abs(delta[c]) / scale);
  }
  for (std::size_t j = 0; j < free_count_; ++j) {
    double along = 0;
    for (std::size_t c = j; c < free_count_; ++c) along += r_[j][c] * delta[c];
    step.predicted += along * (2 * turned_[j] - along);
  }
  return step;
}

/// Half the downhill gradient of the residual sum of squares.
double downhill(const Linearisation& at, std::size_t parameter) {
  return dot(at.column(parameter), at.residual);
}

/// Solves a symmetric positive definite system of the first p rows, by Cholesky's factors in place.
/// False if it is not positive definite.
bool solve_definite(SmallMatrix& a, SmallVector& b, std::size_t p) {
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < p; ++i) a[i][j] -= a[i][k] * a[j][k];
    }
    if (!(a[j][j] > 0)) return false;
    const double root = std::sqrt(a[j][j]);
    for (std::size_t i = j; i < p; ++i) a[i][j] /= root;
  }
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = 0; k < j; ++k) b[j] -= a[j][k] * b[k];
    b[j] /= a[j][j];
  }
  for (std::size_t j = p; j-- > 0;) {
    for (std::size_t i = j + 1; i < p; ++i) b[j] -= a[i][j] * b[i];
    b[j] /= a[j][j];
  }
  return true;
}

/// Detects when steps have become negligible, or are rounding noise of an ill-conditioned problem.
class StepWatch {
 public:
  bool has_settled(double size) {
    if (size < 0.5 * least_) {
      least_ = size;
      idle_steps_ = 0;
    } else {
      ++idle_steps_;
    }
    return size <= kStepTolerance || (idle_steps_ >= kIdleSteps && least_ < kNoisyTolerance);
  }

 private:
  static constexpr int kIdleSteps = 25;
  static constexpr double kNoisyTolerance = 1e-9;
  double least_ = std::numeric_limits<double>::infinity();
  int idle_steps_ = 0;
};

/// Rounding error of a residual sum of squares if its terms are differences of numbers as large as
/// the response.
double rounding_of_rss(const FitPoints& points, double rss) {
  return 16 * std::numeric_limits<double>::epsilon() *
         (points.largest * std::sqrt(points.total_mass * rss) + rss);
}

SmallVector moved(const SmallVector& theta, const SmallVector& delta, const Box& box,
                  std::size_t p) {
  SmallVector next = theta;
  for (std::size_t k = 0; k < p; ++k) {
    next[k] = std::clamp(theta[k] + delta[k], box.lower[k], box.upper[k]);
  }
  return next;
}

std::optional<Descent> Descender::descend(const FitPoints& points, const SmallVector& start,
                                          const Box& box, Precision precision) {
  points_ = &points;
  p_ = points.law->parameters().size();
  const std::size_t m = points.size();
  root_mass_.resize(m);
  for (std::size_t i = 0; i < m; ++i) root_mass_[i] = std::sqrt(points.mass[i]);
  now_.reserve(m, p_);
  next_.reserve(m, p_);
  aside_.reserve(m, p_);
  for (const Brake brake :
       {Brake{1e-3, true}, Brake{1e-3, false}, Brake{1, true}, Brake{100, true}}) {
    const auto end = attempt(start, box, precision, brake);
    if (end && (precision != Precision::kParameters || has_full_rank())) return end;
  }
  return std::nullopt;
}

/// Second derivatives are differences of the analytic gradient, away from a bound.
Descender::Step Descender::newton_step(const SmallVector& theta, const Box& box) {
  constexpr double kRelativeShift = 1e-6;
  Step step;
  SmallMatrix hessian{};
  SmallVector delta{};
  for (std::size_t c = 0; c < free_count_; ++c) {
    const std::size_t k = free_[c];
    const double length = std::sqrt(dot(now_.column(k), now_.column(k)));
    const double reach = length > 0 ? std::sqrt(now_.rss) / length : 0;
    double shift = kRelativeShift * std::max(std::abs(theta[k]), reach);
    if (theta[k] + shift > box.upper[k]) shift = -shift;
    SmallVector aside = theta;
    aside[k] += shift;
    shift = aside[k] - theta[k];
    linearise(aside, next_);
    for (std::size_t j = 0; j < free_count_; ++j) {
      hessian[j][c] = (downhill(now_, free_[j]) - downhill(next_, free_[j])) / shift;
    }
    delta[c] = downhill(now_, k);
  }
  for (std::size_t j = 0; j < free_count_; ++j) {
    for (std::size_t c = 0; c < j; ++c) {
      hessian[j][c] = hessian[c][j] = 0.5 * (hessian[j][c] + hessian[c][j]);
    }
  }
  step.finite = solve_definite(hessian, delta, free_count_);
  for (std::size_t c = 0; c < free_count_; ++c) {
    const std::size_t k = free_[c];
    step.delta[k] = delta[c];
    step.finite = step.finite && std::isfinite(delta[c]);
    step.size = std::max(step.size, std::abs(delta[c]) / std::max(std::abs(theta[k]), 1e-3));
  }
  return step;
}

std::optional<Descent> Descender::polish(SmallVector theta, const Box& box) {
  constexpr double kNoisyTolerance = 1e-9;  ///< Below it, steps that no longer shrink are rounding.
  double last_size = std::numeric_limits<double>::infinity();
  for (int count = 0; count < kNewtonSteps; ++count) {
    choose_free(theta, box);
    decompose(false);
    if (free_count_ == 0) return Descent{theta, now_.rss};
    const Step step = newton_step(theta, box);
    if (!step.finite) return std::nullopt;
    if (step.size < kNoisyTolerance && step.size > 0.5 * last_size) return Descent{theta, now_.rss};
    last_size = step.size;
    const SmallVector trial = moved(theta, step.delta, box, p_);
    linearise(trial, next_);
    if (!(next_.rss <= now_.rss + rounding_of_rss(*points_, now_.rss))) return std::nullopt;
    theta = trial;
    std::swap(now_, next_);
    if (step.size <= kStepTolerance) return Descent{theta, now_.rss};
  }
  return std::nullopt;
}

bool Descender::has_full_rank() const {
  constexpr double kCollinear = 1e-13;
  for (std::size_t c = 0; c < free_count_; ++c) {
    if (!(std::abs(r_[c][c]) > kCollinear * greatest_[free_[c]])) return false;
  }
  return true;
}

std::optional<Descent> Descender::attempt(const SmallVector& start, const Box& box,
                                          Precision precision, Brake brake) {
  const FitPoints& points = *points_;
  lengths_ = greatest_ = {};
  SmallVector theta = moved(start, {}, box, p_);
  linearise(theta, now_);
  if (!std::isfinite(now_.rss)) return std::nullopt;

  const bool only_rss = precision != Precision::kParameters;
  const double least_gain = precision == Precision::kRss ? 1e-10 : 1e-6;
  const double exact = 0.01 * noise_floor(points, 0);  // Further descent would be rounding.
  double damping = brake.damping;
  StepWatch watch;
  bool decomposed = false;
  for (int count = 0; count < kMaxSteps; ++count) {
    if (!decomposed) {
      choose_free(theta, box);
      if (free_count_ == 0) return Descent{theta, now_.rss};
      decompose(brake.remembers_length);
      decomposed = true;
    }
    const Step step = damped_step(theta, damping);
    if (!step.finite) return std::nullopt;
    const double rounding = rounding_of_rss(points, now_.rss);
    if (only_rss && damping < 1e-2 && step.predicted <= std::max(least_gain * now_.rss, rounding)) {
      return Descent{theta, now_.rss};
    }
    const bool settled = !only_rss && damping < 1e-6 && watch.has_settled(step.size);
    const SmallVector trial = moved(theta, step.delta, box, p_);
    linearise(trial, next_);
    // Near the end, rss is flat to rounding. A step is taken if it raises rss by no more than that,
    // and a gain below rounding does not speak against the next step.
    const bool accepted = next_.rss <= now_.rss + rounding;
    const double gain = step.predicted > rounding ? (now_.rss - next_.rss) / step.predicted : 1;
    if (accepted) {
      theta = trial;
      std::swap(now_, next_);
      decomposed = false;
    }
    if (settled || now_.rss <= exact) return Descent{theta, now_.rss};
    // If residuals are rounding noise, so are their second derivatives.
    const bool noise = now_.rss < 1e3 * rounding_of_rss(points, now_.rss);
    if (count % kPatience == kPatience - 1 && !noise) {
      aside_ = now_;
      if (const auto end = polish(theta, box)) return end;
      now_ = aside_;
      decomposed = false;
    }
    damping = !accepted     ? damping * 8
              : gain > 0.75 ? std::max(damping / 30, 1e-20)
              : gain > 0.25 ? std::max(damping / 4, 1e-20)
                            : damping * 2;
    // No step leads down. If the undamped step promises nothing, this is a minimum to rounding;
    // otherwise the descent is stuck.
    if (damping > kGreatestDamping) {
      const Step newton = damped_step(theta, 0);
      const bool at_minimum = newton.finite && newton.predicted <= 1e-20 * now_.rss;
      return at_minimum ? std::optional(Descent{theta, now_.rss}) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Descent> descend(const FitPoints& points, const SmallVector& start, const Box& box,
                               Precision precision) {
  thread_local PerThread<Descender> kept;
  return (*kept).descend(points, start, box, precision);
}

LinkedValue linked_value(Scale law_scale, Scale fit_scale, double eta) {
  if (law_scale == fit_scale) return {eta, 1};
  if (fit_scale == Scale::kLog) return {std::log(eta), 1 / eta};
  const double value = std::exp(eta);
  return {value, value};
}

double fitted_value(const FitPoints& points, double x, std::span<const double> theta) {
  return linked_value(points.law->scale(), points.scale,
                      points.law->predictor(x, theta, points.response))
      .value;
}

double rss_at(const FitPoints& points, const SmallVector& theta) {
  const auto used = std::span(theta).first(points.law->parameters().size());
  double rss = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double residual = points.mean[i] - fitted_value(points, points.cells[i].x, used);
    rss += points.mass[i] * residual * residual;
  }
  return rss;
}

void fill_gradients(const FitPoints& points, const SmallVector& theta, std::vector<double>& out) {
  const std::size_t p = points.law->parameters().size();
  out.resize(points.size() * p);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto row = std::span(out).subspan(i * p, p);
    const double eta =
        points.law->gradient(points.cells[i].x, std::span(theta).first(p), points.response, row);
    const double slope = linked_value(points.law->scale(), points.scale, eta).slope;
    for (double& value : row) value *= slope;
  }
}

}  // namespace scalelaw
