#include "tail/special_functions.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/per_thread.hpp"

namespace scalelaw {
namespace {

constexpr double kDirect = 2;  ///< t below which exp(t^2) erfc(t) is taken as it stands.

/// Ratios I_1 / I_0 and I_2 / I_1 of the repeated integrals of erfc at t > 0, by backward
/// recurrence (DLMF 7.18.7), which is stable as they are the minimal solution.
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

/// Bernoulli numbers B_2j over (2j)!.
constexpr std::array<double, 10> kBernoulliTerms{1.0 / 12,
                                                 -1.0 / 720,
                                                 1.0 / 30240,
                                                 -1.0 / 1209600,
                                                 1.0 / 47900160,
                                                 -691.0 / 1307674368000,
                                                 1.0 / 74724249600,
                                                 -3617.0 / 10670622842880000,
                                                 43867.0 / 5109094217170944000,
                                                 -174611.0 / 802857662698291200000.0};
constexpr double kNegligible = 1e-18;

/// Where the direct terms end: there the asymptotic series converges for this s.
double direct_end(double s) { return 13 + s; }

/// A quantity with its first two derivatives with respect to s.
struct Jet {
  double value = 0;
  double first = 0;
  double second = 0;
};

/// The remainder from a on, in units of its first term: a / (s - 1) + 1/2 + sum of B_2j/(2j)! s (s
/// + 1) ... (s + 2j - 2) a^(1 - 2j).
Jet remainder(double s, double a) {
  const double gap = s - 1;
  Jet sum{a / gap + 0.5, -a / (gap * gap), 2 * a / (gap * gap * gap)};
  Jet rising{s / a, 1 / a, 0};  // s (s+1) ... / a^(2j-1).
  const auto multiply = [&](double shift) {
    const double factor = (s + shift) / a;
    rising = {rising.value * factor, rising.first * factor + rising.value / a,
              rising.second * factor + 2 * rising.first / a};
  };
  for (std::size_t j = 0; j < kBernoulliTerms.size(); ++j) {
    const double b = kBernoulliTerms[j];
    sum.value += b * rising.value;
    sum.first += b * rising.first;
    sum.second += b * rising.second;
    multiply(static_cast<double>(2 * j + 1));
    multiply(static_cast<double>(2 * j + 2));
  }
  return sum;
}

double remainder_value(double s, double a) {
  double sum = a / (s - 1) + 0.5;
  double rising = s / a;
  const double square = 1 / (a * a);
  for (std::size_t j = 0; j < kBernoulliTerms.size(); ++j) {
    const double term = kBernoulliTerms[j] * rising;
    sum += term;
    if (std::abs(term) < kNegligible * sum) break;
    const double shift = static_cast<double>(2 * j + 1);
    rising *= (s + shift) * (s + shift + 1) * square;
  }
  return sum;
}

double square(double value) { return value * value; }

struct QuadratureRule {
  boost::math::quadrature::exp_sinh<double> exp_sinh{9};
};

/// The integral from 1 to infinity of weight(ln r, r - 1) r^-s exp(-z (r - 1)) dr; infinite above
/// e^550, where the rule would meet numbers that overflow, which it refuses.
template <class Weight>
double weighted_cut_off_integral(double s, double z, Weight weight) {
  // In u = ln r the integrand is smooth and falls faster than exponentially, for all s: no case
  // is near a pole, as the recurrence of incomplete gamma functions is at whole s.
  thread_local PerThread<QuadratureRule> kept;
  const auto integrand = [&](double u) {
    const double excess = std::expm1(u);
    const double exponent = (1 - s) * u - z * excess;
    return exponent > -700 ? weight(u, excess) * std::exp(std::min(exponent, 600.0)) : 0.0;
  };
  const double integral = (*kept).exp_sinh.integrate(integrand, 1e-13);
  return integral < std::exp(550.0) ? integral : std::numeric_limits<double>::infinity();
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
  return weighted_cut_off_integral(s, z, [](double, double) { return 1.0; });
}

CutOffMoments cut_off_moments(double s, double z) {
  const double all = cut_off_integral(s, z);
  const auto mean_of = [=](double power, auto weight) {
    return weighted_cut_off_integral(s - power, z, weight) / all;
  };
  // A power of r is moved from the weight to s, so that no weight overflows.
  const auto over_r = [](double excess) { return excess / (1 + excess); };
  CutOffMoments moments;
  moments.log_integral = std::log(all);
  moments.mean_log = mean_of(0, [](double u, double) { return u; });
  moments.mean_excess = mean_of(1, [&](double, double excess) { return over_r(excess); });
  moments.log_variance = mean_of(0, [&](double u, double) { return square(u - moments.mean_log); });
  moments.covariance =
      mean_of(1, [&](double u, double excess) { return (u - moments.mean_log) * over_r(excess); });
  moments.excess_variance =
      mean_of(2, [&](double, double excess) { return square(over_r(excess)); }) -
      square(moments.mean_excess);
  return moments;
}

ZetaSums zeta_sums(double s, double q) {
  ZetaSums sums;
  double a = q;
  for (; a < direct_end(s); a += 1) {
    const double log_r = std::log(a / q);
    const double term = std::exp(-s * log_r);
    sums.value += term;
    sums.log_moment += term * log_r;
    sums.log_square_moment += term * log_r * log_r;
    if (term < kNegligible) return sums;
  }
  const double log_r = std::log(a / q);
  const double scale = std::exp(-s * log_r);
  const Jet rest = remainder(s, a);
  sums.value += scale * rest.value;
  sums.log_moment += scale * (log_r * rest.value - rest.first);
  sums.log_square_moment +=
      scale * (log_r * log_r * rest.value - 2 * log_r * rest.first + rest.second);
  return sums;
}

double scaled_zeta(double s, double q) {
  double sum = 0;
  double a = q;
  for (; a < direct_end(s); a += 1) {
    const double term = std::pow(a / q, -s);
    sum += term;
    if (term < kNegligible) return sum;
  }
  return sum + std::pow(a / q, -s) * remainder_value(s, a);
}

double cut_off_sum(double s, double rate, double q) {
  const auto term = [&](double i) { return std::exp(-s * std::log1p(i / q) - rate * i); };
  constexpr double kDirectTerms = 64;
  double sum = 0;
  double i = 0;
  for (; i < kDirectTerms || rate > 0.1; ++i) {  // By index, because k + 1 may equal k.
    const double next = term(i);
    sum += next;
    if (next < kNegligible * sum && s / (q + i) + rate > 0) return sum;
  }
  const double k = q + i;
  // Euler and Maclaurin: f = exp(-s ln k - rate k), f' = g f, f''' = (g^3 + 3 g g' + g'') f.
  const double g = -(s / k + rate);
  const double g1 = s / (k * k);
  const double g2 = -2 * s / (k * k * k);
  const double third = g * g * g + 3 * g * g1 + g2;
  const double corrections = 0.5 - g * kBernoulliTerms[0] - third * kBernoulliTerms[1];
  return sum + term(i) * (k * cut_off_integral(s, rate * k) + corrections);
}

}  // namespace scalelaw
