// Expectations: R's poweRlaw 0.70.6 (tests/tail/oracle/powerlaw_oracle.R) and SciPy 1.10.1
// (tests/tail/oracle/scipy_oracle.py) with the same formulas, and the table of Clauset, Shalizi and
// Newman (2009) for their own samples.

#include "scalelaw/tail/tail.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "support/places.hpp"

namespace scalelaw {
namespace {

constexpr TailOptions kNoDraws{.draws = 0};

double fraction(int i) { return std::fmod(i * 0.6180339887498949, 1.0); }

/// 200 values of a power law with alpha 2.4 from 1 on, and 100 uniform values below 1.
std::vector<double> continuous_sample() {
  std::vector<double> values;
  for (int i = 1; i <= 300; ++i) {
    const double u = fraction(i);
    values.push_back(i % 3 == 0 ? u : std::pow(u, -1 / 1.4));
  }
  return values;
}

/// The same on whole numbers from 5 on.
std::vector<double> whole_sample() {
  std::vector<double> values;
  for (int i = 1; i <= 300; ++i) {
    values.push_back(i % 3 == 0 ? 1 + i % 4
                                : std::floor(4.5 * std::pow(fraction(i), -1 / 1.4) + 0.5));
  }
  return values;
}

/// A stretched exponential with beta 1/2.
std::vector<double> bent_sample() {
  std::vector<double> values;
  for (int i = 1; i <= 300; ++i) values.push_back(std::pow(std::log(fraction(i)), 2));
  return values;
}

std::vector<double> bent_whole_sample() {
  std::vector<double> values = bent_sample();
  for (double& value : values) value = std::floor(20 * value) + 1;
  return values;
}

Tail judged(const std::vector<double>& values, bool discrete, std::optional<double> x_min = {}) {
  return judge_tail(values, {.discrete = discrete, .x_min = x_min, .draws = 0});
}

const TailAlternative& of(const Tail& tail, TailModel model) {
  return tail.alternatives[static_cast<std::size_t>(model)];
}

TEST(JudgeTail, FindsThePowerLawThatPoweRlawFinds) {
  const Tail tail = judged(continuous_sample(), false);
  EXPECT_NEAR(tail.x_min, 0.99378876, 1e-8);
  EXPECT_EQ(tail.tail_n, 202U);
  EXPECT_NEAR(tail.alpha, 2.3774734209424455, 1e-9);
  EXPECT_NEAR(tail.alpha_se, 0.0969189, 1e-6);  // (alpha - 1) / sqrt(202).
  EXPECT_NEAR(tail.distance, 0.009053368288129193, 1e-12);
  EXPECT_NEAR(tail.log_likelihood, -282.69601927819895, 1e-9);
}

TEST(JudgeTail, FindsTheDiscretePowerLawThatPoweRlawFinds) {
  const Tail tail = judged(whole_sample(), true);
  EXPECT_EQ(tail.x_min, 5);
  EXPECT_EQ(tail.tail_n, 200U);
  EXPECT_NEAR(tail.alpha, 2.379811763763429, 1e-7);
  EXPECT_NEAR(tail.distance, 0.008666917594, 1e-6);
  EXPECT_NEAR(tail.log_likelihood, -583.6422808514039, 1e-9);
}

// Cells from x - 1/2 to x + 1/2 of 1000 and more are so narrow that differences of the distribution
// function would cancel. With 50 digits they do not: its likelihood at this mu and sigma.
TEST(JudgeTail, LikelihoodsOfLargeWholeNumbersAreThoseOfTheirCells) {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(1000 + 40 * i);
  const Tail tail = judged(values, true, 1000);
  const TailAlternative& lognormal = of(tail, TailModel::kLognormal);
  EXPECT_NEAR(lognormal.parameters[0].value, 7.892229315, 1e-6);
  EXPECT_NEAR(lognormal.parameters[1].value, 0.461744575, 1e-6);
  EXPECT_NEAR(lognormal.log_likelihood, -849.661700319567, 1e-9);
}

TEST(JudgeTail, ComparesWithAlternativesAsPoweRlawAndScipyDo) {
  const Tail tail = judged(bent_sample(), false, 0.5);
  EXPECT_EQ(tail.tail_n, 148U);
  EXPECT_NEAR(tail.alpha, 1.6751044039269656, 1e-9);
  EXPECT_NEAR(tail.log_likelihood, -322.7869816893799, 1e-9);
  const TailAlternative& lognormal = of(tail, TailModel::kLognormal);
  EXPECT_NEAR(lognormal.log_likelihood, -306.8364889926335, 1e-8);
  EXPECT_NEAR(lognormal.normalised.value(), -3.497119345, 1e-5);
  EXPECT_NEAR(lognormal.p.value(), 0.00047030, 1e-7);
  EXPECT_NEAR(lognormal.parameters[0].value, 0.23514917, 1e-4);
  EXPECT_NEAR(lognormal.parameters[1].value, 1.33526028, 1e-5);
  EXPECT_EQ(lognormal.comparison, TailComparison::kBetter);
  const TailAlternative& exponential = of(tail, TailModel::kExponential);
  EXPECT_NEAR(exponential.log_likelihood, -324.06750211622636, 1e-9);
  EXPECT_NEAR(exponential.normalised.value(), 0.1113905244539994, 1e-9);
  EXPECT_NEAR(exponential.p.value(), 0.9113068168, 1e-6);
  EXPECT_NEAR(exponential.parameters[0].value, 0.30432919, 1e-8);
  EXPECT_EQ(exponential.comparison, TailComparison::kUndecided);
  const TailAlternative& stretched = of(tail, TailModel::kStretched);
  EXPECT_NEAR(stretched.log_likelihood, -306.196695773207, 1e-8);
  EXPECT_NEAR(stretched.normalised.value(), -3.6712161251, 1e-5);
  EXPECT_NEAR(stretched.parameters[0].value, 0.51147374, 1e-6);
  EXPECT_NEAR(stretched.parameters[1].value, 0.98666225, 1e-5);
  const TailAlternative& truncated = of(tail, TailModel::kTruncated);
  EXPECT_NEAR(truncated.log_likelihood, -306.3479026607056, 1e-8);
  EXPECT_NEAR(truncated.log_ratio, -16.4390790286743, 1e-8);
  EXPECT_NEAR(truncated.parameters[0].value, 1.01888578, 1e-5);
  EXPECT_NEAR(truncated.parameters[1].value, 0.09957982, 1e-6);
  // Half of chi-squared(1) beyond 2 * 16.439: scipy.stats.chi2.sf(32.878158, 1) / 2.
  EXPECT_NEAR(truncated.p.value(), 4.9e-9, 0.1e-9);
  EXPECT_FALSE(truncated.normalised);
}

TEST(JudgeTail, ComparesWithDiscreteAlternativesAsPoweRlawAndScipyDo) {
  const Tail tail = judged(bent_whole_sample(), true, 5);
  EXPECT_EQ(tail.tail_n, 192U);
  EXPECT_NEAR(tail.alpha, 1.5366167064756153, 1e-6);
  EXPECT_NEAR(tail.log_likelihood, -959.0133874046107, 1e-8);
  EXPECT_NEAR(tail.distance, 0.1425531758, 1e-6);
  EXPECT_NEAR(of(tail, TailModel::kLognormal).log_likelihood, -931.8210255596468, 1e-7);
  EXPECT_NEAR(of(tail, TailModel::kLognormal).normalised.value(), -4.553792, 1e-4);
  // poweRlaw stops 1e-4 short of the maximum, which has a closed form.
  EXPECT_NEAR(of(tail, TailModel::kExponential).log_likelihood, -964.4002169, 2e-4);
  EXPECT_NEAR(of(tail, TailModel::kExponential).normalised.value(), 0.3381065, 2e-4);
  EXPECT_NEAR(of(tail, TailModel::kStretched).log_likelihood, -930.4898348926977, 1e-7);
  EXPECT_NEAR(of(tail, TailModel::kStretched).normalised.value(), -4.797569, 1e-4);
  EXPECT_NEAR(of(tail, TailModel::kTruncated).log_likelihood, -930.8002720235927, 1e-7);
  EXPECT_NEAR(of(tail, TailModel::kTruncated).parameters[0].value, 0.95670977, 1e-4);
  EXPECT_NEAR(of(tail, TailModel::kTruncated).parameters[1].value, 0.00545265, 1e-6);
}

TEST(JudgeTail, FindsTheTruncatedPowerLawOfFewValues) {
  // By mpmath: a root of the gradient, with its incomplete gamma function, to 30 digits.
  const Tail tail = judged({1.0222, 17.213, 1.0459, 1.2222, 1.0589}, false, 1.0589);
  const TailAlternative& truncated = of(tail, TailModel::kTruncated);
  ASSERT_THAT(truncated.parameters, testing::SizeIs(2));
  EXPECT_NEAR(truncated.parameters[0].value, 1.99639646929533, 1e-8);
  EXPECT_NEAR(truncated.parameters[1].value, 0.00127629541515467, 1e-11);
  EXPECT_NEAR(truncated.log_ratio, -0.00299010600292973, 1e-12);
}

TEST(JudgeTail, HasNoCutOffWhereTheMeanIsAboveThatOfThePowerLaw) {
  // alpha is 1 + 4 / ln 16 = 2.44, so the power law's mean of x is 3.26; that of the sample
  // is 4.75.
  const Tail tail = judged({1, 1, 1, 16}, false, 1);
  EXPECT_TRUE(of(tail, TailModel::kTruncated).at_limit);
  EXPECT_EQ(of(tail, TailModel::kTruncated).p, 1);
}

TEST(JudgeTail, FindsTheFlatMaximumOfAShapeNextToThePowerLaw) {
  // SciPy's simplex stops early at mu -1862, where the likelihood is the same to 1e-6.
  const Tail tail = judged(continuous_sample(), false);
  EXPECT_NEAR(of(tail, TailModel::kLognormal).log_likelihood, -282.6960041487346, 1e-6);
  EXPECT_NEAR(of(tail, TailModel::kStretched).log_likelihood, -282.6960038916411, 1e-6);
  EXPECT_NEAR(of(tail, TailModel::kTruncated).log_likelihood, -282.67165452801714, 1e-8);
  EXPECT_NEAR(of(tail, TailModel::kExponential).normalised.value(), 2.6501083595402837, 1e-6);
}

TEST(JudgeTail, NoTailThatCouldBeGivenIsCloser) {
  for (const bool discrete : {false, true}) {
    std::vector<double> values = discrete ? whole_sample() : continuous_sample();
    // Repeated values and a body of another shape.
    for (int i = 0; i < 100; ++i) values.push_back(std::ceil(values[static_cast<std::size_t>(i)]));
    const Tail chosen = judged(values, discrete);
    std::vector<double> candidates = values;
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    candidates.pop_back();
    int equal = 0;
    for (const double x_min : candidates) {
      const Tail given = judged(values, discrete, x_min);
      EXPECT_GE(given.distance, chosen.distance) << x_min;
      equal += given.x_min == chosen.x_min && given.distance == chosen.distance ? 1 : 0;
    }
    EXPECT_EQ(equal, 1);
  }
}

TEST(JudgeTail, AUnitOfTheValuesChangesXMinOnly) {
  std::vector<double> values = continuous_sample();
  const Tail tail = judged(values, false);
  for (double& value : values) value *= 1e6;
  const Tail scaled = judged(values, false);
  EXPECT_NEAR(scaled.x_min / tail.x_min, 1e6, 1e-6);
  EXPECT_NEAR(scaled.alpha, tail.alpha, 1e-10);
  EXPECT_NEAR(of(scaled, TailModel::kTruncated).log_ratio,
              of(tail, TailModel::kTruncated).log_ratio, 1e-7);
}

TEST(JudgeTail, HasTheSameBytesForAnyThreadsAndOrder) {
  std::vector<double> values = continuous_sample();
  const Tail one = judge_tail(values, {.draws = 200, .threads = 1});
  std::reverse(values.begin(), values.end());
  const Tail many = judge_tail(values, {.draws = 200, .threads = 3});
  EXPECT_EQ(one.p, many.p);
  EXPECT_EQ(one.alpha_ci->lower, many.alpha_ci->lower);
  EXPECT_EQ(one.alpha_ci->upper, many.alpha_ci->upper);
  EXPECT_EQ(one.x_min_ci->upper, many.x_min_ci->upper);
  EXPECT_EQ(one.alpha_bootstrap_se, many.alpha_bootstrap_se);
}

TEST(JudgeTail, CallsAPowerLawPlausibleAndItsIntervalHoldsAlpha) {
  const Tail tail = judge_tail(continuous_sample(), {.draws = 500});
  EXPECT_GT(tail.p.value(), 0.5);  // Evenly spread values are closer than chance makes them.
  EXPECT_EQ(tail.verdict, TailVerdict::kPlausible);
  EXPECT_LT(tail.alpha_ci->lower, 2.4);
  EXPECT_GT(tail.alpha_ci->upper, 2.4);
  EXPECT_GT(tail.alpha_bootstrap_se.value(), tail.alpha_se);
  EXPECT_EQ(tail.usable, 500U);
}

TEST(JudgeTail, WhereNothingIsTheWorseAPowerLawIsPlausibleOnly) {
  std::vector<double> values;
  for (int i = 1; i <= 60; ++i) values.push_back(std::pow(fraction(i), -1 / 9.0));
  const Tail tail = judge_tail(values, {.x_min = 1, .draws = 100});
  for (const TailAlternative& one : tail.alternatives) {
    EXPECT_EQ(one.comparison, TailComparison::kUndecided);
  }
  EXPECT_EQ(tail.verdict, TailVerdict::kPlausible);
}

TEST(JudgeTail, RefusesAPowerLawWhereThereIsNone) {
  const Tail tail = judge_tail(bent_sample(), {.x_min = 0.5, .draws = 500});
  EXPECT_LT(tail.p.value(), 0.01);
  EXPECT_EQ(tail.verdict, TailVerdict::kImplausible);
  EXPECT_FALSE(tail.x_min_ci);
}

TEST(JudgeTail, ItsPIsNeverBelowWhatTheDrawsCanTell) {
  const Tail tail = judge_tail(bent_sample(), {.x_min = 0.5, .draws = 100});
  EXPECT_DOUBLE_EQ(tail.p.value(), 1.0 / 101);  // No draw is as far from its fit as the sample.
}

TEST(JudgeTail, TellsNothingFromFewValues) {
  const std::vector<double> values{1, 2, 3, 5, 9, 20};
  const Tail tail = judge_tail(values, {.draws = 200});
  EXPECT_EQ(tail.verdict, TailVerdict::kTooFewValues);
}

FailureCode code_of(const std::vector<double>& values, const TailOptions& options) {
  try {
    judge_tail(values, options);
  } catch (const FitError& error) {
    return error.code();
  }
  return FailureCode::kNotConverged;
}

TEST(JudgeTail, SaysWhyThereIsNone) {
  EXPECT_EQ(code_of({3}, kNoDraws), FailureCode::kTooFewPoints);
  EXPECT_EQ(code_of({3, 3, 3}, kNoDraws), FailureCode::kNoSpread);
  EXPECT_EQ(code_of({3, 3, 3}, {.discrete = true, .draws = 0}), FailureCode::kNoSpread);
  EXPECT_EQ(code_of({1, 2, 3}, {.x_min = 3.0, .draws = 0}), FailureCode::kTooFewPoints);
  EXPECT_EQ(code_of({1, 2, 3}, {.x_min = 4.0, .draws = 0}), FailureCode::kTooFewPoints);
}

TEST(JudgeTail, TwoDistinctValuesHaveOneCandidate) {
  const Tail tail = judge_tail(std::vector<double>{1, 1, 1, 2}, {.draws = 200});
  EXPECT_EQ(tail.x_min, 1);
  EXPECT_NEAR(tail.alpha, 6.770780, 1e-6);  // 1 + 4 / ln 2.
  EXPECT_LT(tail.usable, 200U);             // Some resamples have one value four times.
}

TEST(JudgeTail, TakesValuesOfAnySize) {
  const Tail small = judged({1e-300, 2e-300, 4e-300, 1e-299}, false);
  EXPECT_GT(small.alpha, 1);
  const Tail large = judged({1e300, 2e300, 4e300, 1e301}, false);
  EXPECT_GT(large.alpha, 1);
  const Tail wide = judged({3e-57, 2.6e-28, 5.5e167}, false);
  EXPECT_GT(wide.alpha, 1);
  const Tail whole = judged({1, 1e6, 1e12, 1e15}, true);
  EXPECT_GT(whole.alpha, 1);
}

/// A power law with alpha 2.5 on whole numbers from `least` on.
std::vector<double> large_whole_sample(double least) {
  std::vector<double> values;
  for (int i = 1; i <= 300; ++i) {
    values.push_back(std::floor(least * std::pow(fraction(i), -1 / 1.5)));
  }
  return values;
}

// A step between values is then below a millionth of them, so the zeta distribution equals the
// continuous power law.
TEST(JudgeTail, LargeWholeNumbersCompareAsContinuousOnesDo) {
  for (const double least : {1e6, 1e10, 1e12}) {
    const std::vector<double> values = large_whole_sample(least);
    const Tail whole = judged(values, true, least);
    const Tail any = judged(values, false, least);
    EXPECT_NEAR(whole.alpha, any.alpha, 3e-6) << least;
    for (const TailModel model : {TailModel::kLognormal, TailModel::kExponential,
                                  TailModel::kStretched, TailModel::kTruncated}) {
      EXPECT_NEAR(of(whole, model).log_ratio, of(any, model).log_ratio, 3e-3)
          << name_of(model) << " from " << least;
      EXPECT_EQ(of(whole, model).comparison, of(any, model).comparison) << name_of(model);
    }
  }
}

TEST(JudgeTail, RefusesWhatTheReaderWouldHaveRefused) {
  // 2^53: the next whole number is not a double.
  EXPECT_THROW(judge_tail(std::vector<double>{9007199254740992, 1}, {.discrete = true, .draws = 0}),
               std::invalid_argument);
  EXPECT_THROW(judge_tail(std::vector<double>{1, 0, 2}, kNoDraws), std::invalid_argument);
  EXPECT_THROW(judge_tail(std::vector<double>{1.5, 2}, {.discrete = true, .draws = 0}),
               std::invalid_argument);
}

/// The samples of Clauset, Shalizi and Newman (2009), which are not part of the project.
const std::filesystem::path kData = source_folder() / "../shared/data/heavy_tail";

struct Published {
  std::string name;
  bool discrete;
  double unit;
  double alpha;
  double x_min;
  double lognormal;
  double lognormal_p;
  double exponential;
  double exponential_p;
};

void PrintTo(const Published& sample, std::ostream* out) { *out << sample.name; }

class PublishedSample : public testing::TestWithParam<Published> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kData)) GTEST_SKIP() << "no samples beside the project";
    std::ifstream file(kData / (GetParam().name + ".txt"));
    std::vector<double> values;
    for (double value = 0; file >> value;) {
      if (value > 0) values.push_back(value * GetParam().unit);
    }
    tail = judged(values, GetParam().discrete);
  }
  Tail tail;
};

/// Within 10 % or 0.01, because the values have two or three digits.
testing::Matcher<double> about(double expected) {
  return testing::DoubleNear(expected, std::max(0.1 * std::abs(expected), 0.01));
}

TEST_P(PublishedSample, HasThePublishedPowerLaw) {
  EXPECT_NEAR(tail.alpha, GetParam().alpha, 0.04);
  EXPECT_NEAR(tail.x_min, GetParam().x_min, 0.005 * GetParam().unit + 0.01);
}

TEST_P(PublishedSample, HasThePublishedComparisons) {
  const TailAlternative& exponential = of(tail, TailModel::kExponential);
  EXPECT_THAT(exponential.normalised.value(), about(GetParam().exponential));
  EXPECT_THAT(exponential.p.value(), about(GetParam().exponential_p));
  const TailAlternative& lognormal = of(tail, TailModel::kLognormal);
  if (lognormal.at_limit) return;  // ThePublishedLognormalIsNotTheMostLikely.
  EXPECT_THAT(lognormal.normalised.value(), about(GetParam().lognormal));
  EXPECT_THAT(lognormal.p.value(), about(GetParam().lognormal_p));
}

const Published kWords{"words", true, 1, 1.95, 7, 0.395, 0.69, 9.09, 0};
const Published kQuakes{"quakes", false, 1e-3, 1.95, 10, -0.796, 0.43, 9.7, 0};

INSTANTIATE_TEST_SUITE_P(
    Clauset2009, PublishedSample,
    testing::Values(kWords, Published{"blackouts", false, 1e-3, 2.3, 230, -0.412, 0.68, 1.43, 0.15},
                    Published{"cities", false, 1e-3, 2.37, 52.46, -0.090, 0.93, 3.65, 0},
                    Published{"fires", false, 1, 2.2, 6324, -1.78, 0.08, 4.00, 0}, kQuakes),
    [](const auto& one) { return one.param.name; });

class PublishedLognormal : public PublishedSample {};

// For words and quakes, the likelihood rises up to the limit where the log-normal is a power law.
// For quakes, SciPy gives a mean of ln^2 over the squared mean of 2.36. A power law has 2, so no
// log-normal reaches its likelihood (best found -11703.12923 against -11703.12878). The published
// ratios are from points where an optimiser stopped.
TEST_P(PublishedLognormal, IsNotTheMostLikely) {
  const TailAlternative& lognormal = of(tail, TailModel::kLognormal);
  EXPECT_TRUE(lognormal.at_limit);
  EXPECT_EQ(lognormal.comparison, TailComparison::kUndecided);
  // No earlier stop is more likely: poweRlaw's on words has -11753.88996, and SciPy's on quakes
  // -11703.12923.
  const double stopped = GetParam().discrete ? -11753.88996 : -11703.12923;
  EXPECT_GE(lognormal.log_likelihood, stopped);
  EXPECT_NEAR(lognormal.log_ratio, 0, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Clauset2009, PublishedLognormal, testing::Values(kWords, kQuakes),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace scalelaw
