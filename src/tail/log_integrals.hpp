#pragma once

namespace scalelaw {

// Functions that normalise the densities of tails, in forms that neither overflow nor cancel.

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
/// gamma function, exp(z) z^(s-1) Gamma(1 - s, z).
double cut_off_integral(double s, double z);

}  // namespace scalelaw
