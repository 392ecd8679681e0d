#include "fit/bfgs.hpp"

#include <cmath>
#include <limits>

namespace scalelaw {
namespace {

constexpr int kMostDescentSteps = 500;
constexpr int kMostTrials = 40;        ///< Trials per line search.
constexpr double kDecrease = 1e-4;     ///< The first condition of Wolfe.
constexpr double kCurvature = 0.9;     ///< The second condition of Wolfe.
constexpr double kNoProgress = 1e-15;  ///< A smaller relative fall is rounding.

/// One descent.
class Bfgs {
 public:
  Bfgs(const SmoothFunction& function, std::size_t p, const SmallVector& start,
       const SmallMatrix& inverse, double enough)
      : function_(function), p_(p), inverse_(inverse), enough_(enough) {
    at_ = start;
    value_ = function_(at_, gradient_);
  }

  SmallVector descend() {
    int without_progress = 0;
    for (int steps = 0; steps < kMostDescentSteps && without_progress < 2; ++steps) {
      const double before = value_;
      if (enough_ > 0 && 0.5 * dot(gradient_, times_inverse(gradient_)) <= enough_) break;
      if (!step()) break;
      without_progress =
          before - value_ <= kNoProgress * std::abs(before) ? without_progress + 1 : 0;
    }
    return at_;
  }

 private:
  double dot(const SmallVector& a, const SmallVector& b) const {
    double sum = 0;
    for (std::size_t k = 0; k < p_; ++k) sum += a[k] * b[k];
    return sum;
  }

  SmallVector times_inverse(const SmallVector& vector) const {
    SmallVector out{};
    for (std::size_t k = 0; k < p_; ++k) out[k] = dot(inverse_[k], vector);
    return out;
  }

  void forget_curvature() {
    for (std::size_t k = 0; k < p_; ++k) {
      inverse_[k] = {};
      inverse_[k][k] = 1 / std::sqrt(1e-300 + dot(gradient_, gradient_));
    }
  }

  /// False if no point on the way is lower.
  bool step() {
    SmallVector way = times_inverse(gradient_);
    double slope = -dot(gradient_, way);
    if (!(slope < 0)) {
      forget_curvature();
      way = times_inverse(gradient_);
      slope = -dot(gradient_, way);
      if (!(slope < 0)) return false;
    }
    SmallVector next{};
    SmallVector next_gradient{};
    const double length = search(way, slope, next, next_gradient);
    if (!(length > 0)) return false;
    update(next, next_gradient);
    return true;
  }

  /// Bisection for the weak Wolfe conditions. If they cannot be met, the last lower point is taken.
  double search(const SmallVector& way, double slope, SmallVector& next, SmallVector& gradient) {
    double lower = 0;
    double upper = std::numeric_limits<double>::infinity();
    double length = 1;
    double found = 0;
    double found_value = value_;
    for (int trial = 0; trial < kMostTrials; ++trial) {
      SmallVector there = at_;
      SmallVector gradient_there{};
      for (std::size_t k = 0; k < p_; ++k) there[k] -= length * way[k];
      const double value = function_(there, gradient_there);
      if (!(value <= value_ + kDecrease * length * slope)) {
        upper = length;
      } else {
        found = length;
        found_value = value;
        next = there;
        gradient = gradient_there;
        if (-dot(gradient_there, way) >= kCurvature * slope) break;
        lower = length;
      }
      length = std::isfinite(upper) ? 0.5 * (lower + upper) : 2 * lower;
    }
    if (found > 0) next_value_ = found_value;
    return found;
  }

  void update(const SmallVector& next, const SmallVector& next_gradient) {
    SmallVector s{};
    SmallVector y{};
    for (std::size_t k = 0; k < p_; ++k) {
      s[k] = next[k] - at_[k];
      y[k] = next_gradient[k] - gradient_[k];
    }
    at_ = next;
    gradient_ = next_gradient;
    value_ = next_value_;
    const double sy = dot(s, y);
    if (!(sy > 0)) return;
    const SmallVector hy = times_inverse(y);
    const double factor = (1 + dot(y, hy) / sy) / sy;
    for (std::size_t j = 0; j < p_; ++j) {
      for (std::size_t k = 0; k < p_; ++k) {
        inverse_[j][k] += factor * s[j] * s[k] - (hy[j] * s[k] + s[j] * hy[k]) / sy;
      }
    }
  }

  const SmoothFunction& function_;
  std::size_t p_;
  SmallMatrix inverse_;
  double enough_;
  SmallVector at_{};
  SmallVector gradient_{};
  double value_ = 0;
  double next_value_ = 0;
};

}  // namespace

SmallVector bfgs(const SmoothFunction& function, std::size_t p, const SmallVector& start,
                 const SmallMatrix& inverse, double enough) {
  return Bfgs(function, p, start, inverse, enough).descend();
}

}  // namespace scalelaw
