// Expectations from mpmath with 40 digits: tests/tail/oracle/scipy_oracle.py.

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "tail/special_functions.hpp"

namespace scalelaw {
namespace {

double relative_error(double found, double expected) { return std::abs(found / expected - 1); }

struct ZetaCase {
  double s;
  double q;
  double value;
  double log_derivative;  ///< Derivative of ln zeta(s, q) with respect to s.
  double second_log_derivative;
};

void PrintTo(const ZetaCase& one, std::ostream* out) { *out << one.s << ", " << one.q; }

class HurwitzZeta : public testing::TestWithParam<ZetaCase> {};

TEST_P(HurwitzZeta, AgreesWithMpmathToThirteenDigits) {
  const auto [s, q, value, log_derivative, second] = GetParam();
  const ZetaSums sums = zeta_sums(s, q);
  EXPECT_LT(relative_error(std::pow(q, -s) * sums.value, value), 1e-13);
  EXPECT_LT(relative_error(std::pow(q, -s) * scaled_zeta(s, q), value), 1e-13);
  const double mean = sums.log_moment / sums.value;
  EXPECT_NEAR(-mean - std::log(q), log_derivative, 1e-13 * std::abs(log_derivative));
  // mpmath differentiates numerically; the variance of ln is a small difference for large s.
  EXPECT_NEAR(sums.log_square_moment / sums.value - mean * mean, second, 1e-11 * second + 1e-17);
}

INSTANTIATE_TEST_SUITE_P(
    Mpmath, HurwitzZeta,
    testing::Values(ZetaCase{1.05, 1, 20.580844302036985, -19.4320342412846, 399.817514210815},
                    ZetaCase{1.5, 1, 2.6123753486854883, -1.50523535578827, 3.85496291567604},
                    ZetaCase{2.5, 7, 0.040081757933660701, -2.54236620484887, 0.442517558584408},
                    ZetaCase{2.5, 1000, 2.1097669044166767e-5, -7.57392198744049, 0.4444443610278},
                    ZetaCase{3.5, 0.5, 11.620804663441894, 0.659957935169194, 0.0438196015775037},
                    ZetaCase{20, 3, 2.8771746654611315e-10, -1.09954098749402,
                             0.000270751927893527},
                    ZetaCase{2, 1e6, 1.0000005000001667e-6, -14.8155100579643, 0.999999999999917}));

TEST(CutOffIntegral, AgreesWithMpmathAlsoNearPoles) {
  EXPECT_LT(relative_error(cut_off_integral(2.5, 1e-6), 0.66666533569394083), 1e-12);
  EXPECT_LT(relative_error(cut_off_integral(2, 0.01), 0.95921488556543574), 1e-12);
  EXPECT_LT(relative_error(cut_off_integral(2.0001, 0.3), 0.6332055438159025), 1e-12);
  EXPECT_LT(relative_error(cut_off_integral(1, 1), 0.59634736232319407), 1e-12);
  EXPECT_LT(relative_error(cut_off_integral(0.5, 3), 0.29404397494230225), 1e-12);
  EXPECT_LT(relative_error(cut_off_integral(-2, 0.1), 2210), 1e-12);
  EXPECT_LT(relative_error(cut_off_integral(3, 50), 0.018887412643587957), 1e-12);
}

TEST(CutOffMoments, AgreeWithMpmath) {
  const CutOffMoments weak = cut_off_moments(1.5, 0.25);
  EXPECT_NEAR(weak.log_integral, -0.09572125796848037, 1e-12);
  EXPECT_NEAR(weak.mean_log, 0.6947276893184374, 1e-12);
  EXPECT_NEAR(weak.mean_excess, 1.401809115740797, 1e-12);
  EXPECT_NEAR(weak.log_variance, 0.3047913124351736, 1e-12);
  EXPECT_NEAR(weak.covariance, 0.9419413242005619, 1e-12);
  EXPECT_NEAR(weak.excess_variance, 3.436740318766802, 1e-11);
  const CutOffMoments strong = cut_off_moments(-3, 40);
  EXPECT_NEAR(strong.log_integral, -3.612989588333188, 1e-12);
  EXPECT_NEAR(strong.mean_log, 0.02623101156751264, 1e-14);
  EXPECT_NEAR(strong.mean_excess, 0.02691828635981809, 1e-14);
  EXPECT_NEAR(strong.log_variance, 0.0006522560555534816, 1e-15);
  EXPECT_NEAR(strong.covariance, 0.0006859957083566175, 1e-15);
  EXPECT_NEAR(strong.excess_variance, 0.0007219052946100005, 1e-15);
}

TEST(CutOffSum, AgreesWithTheSumOfAllTerms) {
  EXPECT_LT(relative_error(cut_off_sum(2.5, 1e-4, 7), 5.190044186005607), 1e-11);
  EXPECT_LT(relative_error(cut_off_sum(1, 0.01, 1), 4.656498958104865), 1e-11);
  EXPECT_LT(relative_error(cut_off_sum(2, 0.5, 3), 1.57686048690354), 1e-13);
  EXPECT_LT(relative_error(cut_off_sum(0.3, 0.05, 10), 15.89032541358477), 1e-9);
}

TEST(LogErfc, AgreesWithMpmathFarOut) {
  EXPECT_NEAR(log_erfc(-30), 0.693147180559945, 1e-14);
  EXPECT_NEAR(log_erfc(-1), 0.61123231767807, 1e-14);
  EXPECT_NEAR(log_erfc(1.5), -3.38449208955155, 1e-13);
  EXPECT_NEAR(log_erfc(2.5), -7.80681527272726, 1e-13);
  EXPECT_NEAR(log_erfc(30), -903.974117110644, 1e-11);
  EXPECT_NEAR(log_erfc(1e4), -100000009.782705, 1e-6);
}

TEST(LogScaledErfc, AgreesWithMpmathAtAnySize) {
  EXPECT_NEAR(log_scaled_erfc(2.5), -1.5568152727272644, 1e-14);
  EXPECT_NEAR(log_scaled_erfc(5), -2.2008895455374344, 1e-14);
  EXPECT_NEAR(log_scaled_erfc(12), -3.0607141779870095, 1e-14);
  EXPECT_NEAR(log_scaled_erfc(26), -3.8311997631942303, 1e-14);
  EXPECT_NEAR(log_scaled_erfc(1000), -7.4801207219062121, 1e-14);
  EXPECT_NEAR(log_scaled_erfc(1e9), -21.295630779871111, 1e-13);
}

TEST(CutOffSum, EndsWhereTheNextNumberIsTheSame) {
  // The sum of exp(-0.5 k) over k >= 0 is 1 / (1 - exp(-0.5)); the power is 1 to 1e-15 throughout.
  EXPECT_LT(relative_error(cut_off_sum(2, 0.5, 1e17), 2.5414940825367984), 1e-13);
}

TEST(HalfNormalMoments, GoOverSmoothlyFromOneFormulaToTheOther) {
  const HalfNormalMoments below = half_normal_moments(2 - 1e-9);
  const HalfNormalMoments above = half_normal_moments(2);
  EXPECT_NEAR(below.mean, above.mean, 1e-9);
  EXPECT_NEAR(below.square, above.square, 1e-9);
  // Far out the density is exponential: mean 1 / (2 t), mean square 1 / (2 t^2).
  EXPECT_NEAR(half_normal_moments(1e4).mean, 0.5e-4, 1e-12);
  EXPECT_NEAR(half_normal_moments(1e4).square, 0.5e-8, 1e-15);
}

}  // namespace
}  // namespace scalelaw
