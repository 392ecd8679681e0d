#include "scalelaw/statistics/estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;

// Quantiles and tails as tables print them; closed forms where there are any: F with 2 and n
// degrees of freedom, chi-squared with 2.
TEST(Distributions, AgreeWithTables) {
  EXPECT_NEAR(student_t_factor(0.95, 10), 2.228138852, 1e-9);
  EXPECT_NEAR(student_t_p(-2.228138852, 10), 0.05, 1e-10);
  EXPECT_NEAR(f_p(4.2, 2, 9), 0.051477764080395706, 1e-15);
  EXPECT_NEAR(chi_squared_p(7.814727903, 3), 0.05, 1e-10);
  EXPECT_NEAR(chi_squared_p(5, 2), 0.0820849986238988, 1e-15);
  EXPECT_NEAR(chi_squared1_p(3.841458821), 0.05, 1e-10);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_factor(0.95), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_cdf(1.959963984540054), 0.975, 1e-15);
}

TEST(LogNormalCdf, HoldsWhereTheDistributionFunctionUnderflows) {
  EXPECT_NEAR(log_normal_cdf(-40), -804.608442, 1e-6);
  // By the continued fraction of Mills' ratio in 60 digits, on both sides of the series' begin.
  EXPECT_NEAR(log_normal_cdf(-29.9), -451.322912458528678, 1e-12 * 451);
  EXPECT_NEAR(log_normal_cdf(-30.5), -469.462737322912114, 5e-11 * 469);
  EXPECT_NEAR(log_normal_cdf(0), -0.693147180559945, 1e-15);
  EXPECT_EQ(log_normal_cdf(10), 0);
}

TEST(StudentEstimate, HasAnIntervalAndATest) {
  const Estimate estimate = student_estimate(2.228138852, 1, 10, 0.95);
  EXPECT_NEAR(estimate.ci->lower, 0, 1e-9);
  EXPECT_NEAR(estimate.ci->upper, 2 * 2.228138852, 1e-9);
  EXPECT_NEAR(*estimate.p, 0.05, 1e-10);
  EXPECT_LT(interval_at(estimate, 0.99)->lower, 0);
}

TEST(StudentEstimate, LeavesOutWhatIsUndefined) {
  EXPECT_FALSE(student_estimate(1, 0.1, 0, 0.95).ci);
  EXPECT_FALSE(student_estimate(1, std::numeric_limits<double>::quiet_NaN(), 3, 0.95).se);
  const Estimate exact = student_estimate(1, 0, 3, 0.95);
  EXPECT_FALSE(exact.p);
  EXPECT_EQ(exact.ci->lower, 1);
}

TEST(HolmAdjusted, StepsDownAndNeverFalls) {
  EXPECT_THAT(holm_adjusted(std::vector{0.01, 0.04, 0.03}), ElementsAre(0.03, 0.06, 0.06));
  EXPECT_THAT(holm_adjusted(std::vector{0.5, 0.9}), ElementsAre(1, 1));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

}  // namespace
}  // namespace scalelaw
