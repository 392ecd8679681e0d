#pragma once

namespace scalelaw {

/// Sums over k >= 0 of r_k^-s (ln r_k)^j with r_k = (q + k) / q, for j = 0, 1, 2. The Hurwitz zeta
/// function is zeta(s, q) = q^-s * value; the others are its derivatives in s up to sign.
struct ZetaSums {
  double value = 0;
  double log_moment = 0;
  double log_square_moment = 0;
};

/// Sums for s > 1 and q > 0: direct terms first, then the formula of Euler and Maclaurin.
///
/// Source: DLMF 25.11.5 and 2.10.1. Checked against mpmath and scipy.special.zeta to 1e-13.
ZetaSums zeta_sums(double s, double q);

/// The first sum alone, at a third of the cost.
double scaled_zeta(double s, double q);

/// The sum over k >= q of (k / q)^-s exp(-rate (k - q)) for whole q >= 1, any s, rate > 0.
double cut_off_sum(double s, double rate, double q);

}  // namespace scalelaw
