#include "tail/log_integrals.hpp"

#include <array>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace scalelaw {
namespace {

constexpr double kDirect = 2;  ///< For smaller t, exp(t^2) erfc(t) is computed directly.

/// Ratios I_1 / I_0 and I_2 / I_1 of the repeated integrals of erfc at t > 0, by backward
/// recurrence (DLMF 7.18.7). It is stable because they are the minimal solution.
std::array<double, 2> repeated_ratios(double t) {
  const int start = 8 + static_cast<int>(1600 / (t * t));  // Converged to 1e-16 for t >= 2.
  double ratio = 0;                                        // I_(n+1) / I_n.
  std::array<double, 2> out{};
  for (int n = start; n >= 1; --n) {
    ratio = 1 / (2 * (t + (n + 1) * ratio));
    if (n <= 2) out[static_cast<std::size_t>(n - 1)] = ratio;
  }
  return out;
}

}  // namespace

double log_scaled_erfc(double t) {
  if (t < kDirect) return t * t + std::log(std::erfc(t));
  // I_-1 = 2/sqrt(pi) exp(-t^2) and I_0 = erfc(t) satisfy 2 I_1 = -2 t I_0 + I_-1.
  const double first = repeated_ratios(t)[0];
  return -std::log(std::sqrt(std::numbers::pi) * (t + first));
}

double log_erfc(double t) {
  return t < kDirect ? std::log(std::erfc(t)) : log_scaled_erfc(t) - t * t;
}

HalfNormalMoments half_normal_moments(double t) {
  if (t >= kDirect) {
    const auto [first, second] = repeated_ratios(t);
    return {first, 2 * first * second};
  }
  const double mean = std::exp(-t * t - log_erfc(t)) / std::sqrt(std::numbers::pi) - t;
  return {mean, 0.5 - t * mean};
}

double cut_off_integral(double s, double z) {
  // In u = ln r the integrand is smooth and falls faster than exponentially for all s. No case is
  // near a pole, unlike the recurrence of incomplete gamma functions at whole s.
  thread_local boost::math::quadrature::exp_sinh<double> rule(9);
  const auto integrand = [&](double u) {
    const double exponent = (1 - s) * u - z * std::expm1(u);
    return exponent > -700 ? std::exp(exponent) : 0.0;
  };
  return rule.integrate(integrand, 1e-13);
}

}  // namespace scalelaw
