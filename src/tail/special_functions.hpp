#pragma once

namespace scalelaw {

// Functions that normalise densities of tails, in forms that neither overflow nor cancel.

/// ln of the complementary error function, for any t.
double log_erfc(double t);

/// ln of exp(t^2) erfc(t), for t >= 0.
double log_scaled_erfc(double t);

/// Mean and mean square of y >= 0 with density proportional to exp(-2 t y - y^2).
struct HalfNormalMoments {
  double mean = 0;
  double square = 0;
};
HalfNormalMoments half_normal_moments(double t);

/// The integral from 1 to infinity of r^-s exp(-z (r - 1)) dr, for z > 0 and any s: an incomplete
/// gamma function, exp(z) z^(s-1) Gamma(1 - s, z). Infinite above e^550.
double cut_off_integral(double s, double z);

/// That integral, and moments of the density on r >= 1 that is proportional to its integrand.
struct CutOffMoments {
  double log_integral = 0;
  double mean_log = 0;         ///< Of ln r.
  double mean_excess = 0;      ///< Of r - 1.
  double log_variance = 0;     ///< Of ln r.
  double covariance = 0;       ///< Of ln r and r - 1.
  double excess_variance = 0;  ///< Of r - 1.
};
CutOffMoments cut_off_moments(double s, double z);

/// Sums over k >= 0 of r_k^-s (ln r_k)^j with r_k = (q + k) / q, for j = 0, 1, 2: the Hurwitz zeta
/// function zeta(s, q) = q^-s * value, and its derivatives by s without their signs.
struct ZetaSums {
  double value = 0;
  double log_moment = 0;
  double log_square_moment = 0;
};

/// For s > 1 and q > 0. Direct terms, then Euler and Maclaurin's formula.
///
/// Source: DLMF 25.11.5 and 2.10.1. Checked against mpmath and scipy.special.zeta to 1e-13.
ZetaSums zeta_sums(double s, double q);

/// The first of them alone, at a third of the cost.
double scaled_zeta(double s, double q);

/// The sum over k >= q of (k / q)^-s exp(-rate (k - q)) for whole q >= 1, any s, rate > 0.
double cut_off_sum(double s, double rate, double q);

}  // namespace scalelaw
