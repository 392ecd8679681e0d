#include "scalelaw/statistics/distributions.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "base/per_thread.hpp"

namespace scalelaw {
namespace {

// Overflow gives infinity and underflow 0, without exceptions. double stays double for speed.
using Policy = boost::math::policies::policy<
    boost::math::policies::promote_double<false>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>>;
using StudentT = boost::math::students_t_distribution<double, Policy>;
using FisherF = boost::math::fisher_f_distribution<double, Policy>;
using Normal = boost::math::normal_distribution<double, Policy>;

constexpr int kSeriesDofs = 256;

/// 1 / B(dof/2, 1/2) for whole dof, from 1/B(1/2, 1/2) = 1/pi and 1/B(1, 1/2) = 1/2.
const std::array<double, kSeriesDofs>& inverse_betas() {
  static const auto table = [] {
    std::array<double, kSeriesDofs> inverse{};
    inverse[1] = std::numbers::inv_pi;
    inverse[2] = 0.5;
    for (std::size_t dof = 3; dof < kSeriesDofs; ++dof) {
      const auto n = static_cast<double>(dof);
      inverse[dof] = inverse[dof - 2] * ((n - 1) / (n - 2));
    }
    return inverse;
  }();
  return table;
}

/// x^(dof/2).
double half_integer_power(double x, int dof) {
  double power = dof % 2 == 0 ? 1.0 : std::sqrt(x);
  double base = x;
  for (int exponent = dof / 2; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) power *= base;
    base *= base;
  }
  return power;
}

/// (k - 1/2) / k.
constexpr auto kStepRatios = [] {
  std::array<double, 128> ratios{};
  for (std::size_t k = 1; k < ratios.size(); ++k) {
    ratios[k] = (static_cast<double>(k) - 0.5) / static_cast<double>(k);
  }
  return ratios;
}();

constexpr double kCentre = 3;        ///< For smaller t squared, p is a difference from 1.
constexpr double kSeriesEnd = 0.75;  ///< Above this x, the power series has too many terms.

/// I_x(a, 1/2) for x <= kSeriesEnd by its power series (DLMF 8.17.7 with 15.2.1). All terms are
/// positive, so small p values keep their digits.
double tail_series(double x, int dof) {
  const double a = 0.5 * dof;
  double term = 1;
  double sum = 1 / a;
  for (std::size_t k = 1; k < kStepRatios.size() && term > 1e-17; ++k) {
    term *= x * kStepRatios[k];
    sum += term / (a + static_cast<double>(k));
  }
  return sum * half_integer_power(x, dof) * inverse_betas()[static_cast<std::size_t>(dof)];
}

/// P(|T| > t) by the finite sum of Abramowitz & Stegun 26.7.3 and 26.7.4. It is a difference from
/// 1, which keeps its digits if p is not small.
double centre_sum(double t, int dof) {
  const double cos_squared = dof / (dof + t * t);
  const double tangent = t / std::sqrt(static_cast<double>(dof));
  double term = 1;
  double sum = dof == 1 ? 0 : 1;
  for (int k = dof % 2 == 0 ? 1 : 2; k <= dof - 3; k += 2) {
    term *= cos_squared * k / (k + 1);
    sum += term;
  }
  const double sine = tangent * std::sqrt(cos_squared);
  if (dof % 2 == 0) return 1 - sine * sum;
  return 1 - 2 * std::numbers::inv_pi * (std::atan(tangent) + tangent * cos_squared * sum);
}

double student_t_quantile(double confidence, double dof) {
  // The complement keeps the digits of a confidence close to 1.
  return boost::math::quantile(boost::math::complement(StudentT(dof), 0.5 * (1 - confidence)));
}

}  // namespace

double student_t_p(double t, double dof) {
  const double square = t * t;
  if (dof < kSeriesDofs && dof == std::floor(dof) && dof >= 1 && std::isfinite(square)) {
    const int whole = static_cast<int>(dof);
    if (square < kCentre) return centre_sum(std::abs(t), whole);
    const double x = dof / (dof + square);
    if (x <= kSeriesEnd) return tail_series(x, whole);
  }
  return 2 * boost::math::cdf(boost::math::complement(StudentT(dof), std::abs(t)));
}

double student_t_factor(double confidence, double dof) {
  // Factors of the few confidences that a command asks for in turn.
  constexpr double kMostDofs = 4096;
  struct Cache {
    double confidence = 0;
    std::vector<double> factors = {};  // By degrees of freedom; 0 where it was not asked for.
  };
  thread_local PerThread<std::array<Cache, 4>> kept;
  thread_local std::size_t oldest = 0;
  if (!(dof >= 0 && dof < kMostDofs) || dof != std::floor(dof)) {
    return student_t_quantile(confidence, dof);
  }
  std::array<Cache, 4>& caches = *kept;
  auto cache = std::ranges::find(caches, confidence, &Cache::confidence);
  if (cache == caches.end()) {
    cache = caches.begin() + static_cast<std::ptrdiff_t>(oldest++ % caches.size());
    *cache = {.confidence = confidence};
  }
  const auto place = static_cast<std::size_t>(dof);
  if (place >= cache->factors.size()) cache->factors.resize(place + 1);
  double& factor = cache->factors[place];
  if (factor == 0) factor = student_t_quantile(confidence, dof);
  return factor;
}

double f_p(double f, double dof1, double dof2) {
  return boost::math::cdf(boost::math::complement(FisherF(dof1, dof2), f));
}

double f_limit(double probability, double dof1, double dof2) {
  return boost::math::quantile(boost::math::complement(FisherF(dof1, dof2), probability));
}

double chi_squared1_p(double statistic) { return std::erfc(std::sqrt(0.5 * statistic)); }

double chi_squared_p(double statistic, double dof) {
  return boost::math::gamma_q(0.5 * dof, 0.5 * statistic, Policy());
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double normal_quantile(double probability) {
  return boost::math::quantile(Normal(0, 1), probability);
}

double log_normal_cdf(double z) {
  if (z > 9) return 0;  // Within 1e-18.
  if (z > -30) return std::log(0.5 * std::erfc(-z / std::numbers::sqrt2));
  const double square = z * z;
  return -square / 2 - std::log(-z * std::sqrt(2 * std::numbers::pi)) +
         std::log1p(-1 / square + 3 / (square * square));
}

double normal_factor(double confidence) { return normal_quantile(0.5 + 0.5 * confidence); }

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace scalelaw
