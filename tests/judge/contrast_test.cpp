#include "scalelaw/judge/contrast.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "judge/level_cells.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/runs/observations.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "support/command.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<double> kContrastGpus{1, 2, 4, 8, 16};
const std::vector<double> kFast{100, 60, 37, 21, 13};
const std::vector<double> kSlow{150, 91, 53, 33, 19};

std::vector<LevelCells> two_caps() {
  return {level_of("250", kContrastGpus, kFast), level_of("100", kContrastGpus, kSlow)};
}

ContrastOptions equal_variances() {
  ContrastOptions options;
  options.variances = Variances::kEqual;
  return options;
}

TEST(ContrastEach, TellsOfTooManyLevelsHowManyPairsTheyMake) {
  std::string table = "cap,gpus,seconds\n";
  for (int cap = 0; cap < 1001; ++cap) table += std::to_string(cap) + ",1,9\n";
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "caps.csv").string();
  test::write_bytes(path, table);
  RunOptions options;
  options.factors = {"cap"};
  const GroupedCells runs = read_runs(std::vector{path}, options);
  const auto contrast = [&runs] { contrast_each(runs, {}, 1, [](GroupContrast&&) {}); };
  EXPECT_THAT(contrast, testing::ThrowsMessage<DataError>(HasSubstr(
                            "cap has 1001 levels, which make 500500 pairs, and a contrast compares "
                            "at most 1000 levels")));
}

// Expectations: R 4.2, anova and summary of lm(y ~ g * level), lm(y ~ g + level), lm(y ~ g).
TEST(ContrastLevels, ComparesTwoLinesAsRDoes) {
  const Contrast contrast = contrast_levels(two_caps(), kCap, equal_variances());
  EXPECT_EQ(contrast.n, 10);
  EXPECT_NEAR(contrast.equal_slopes->f, 0.03064760026, 1e-12);  // The square of R's t.
  EXPECT_EQ(contrast.equal_slopes->df1, 1);
  EXPECT_EQ(contrast.equal_slopes->df2, 6);
  EXPECT_NEAR(contrast.equal_slopes->p, 0.866787216234, 1e-11);
  EXPECT_NEAR(contrast.equal_offsets_given_slope->f, 1061.25074, 1e-5);
  EXPECT_EQ(contrast.equal_offsets_given_slope->df2, 7);
  EXPECT_NEAR(contrast.equal_offsets_given_slope->p, 6.64551676931e-09, 1e-19);
  EXPECT_NEAR(contrast.common_beta.estimate, 0.741329449552093, 1e-14);
  EXPECT_NEAR(*contrast.common_beta.se, 0.00630314613012153, 1e-14);
  EXPECT_NEAR(contrast.common_beta.ci->lower, 0.726424877351474, 1e-11);
  EXPECT_NEAR(contrast.common_beta.ci->upper, 0.756234021752711, 1e-11);
  const SlopePair& slope = contrast.slopes.at(0);
  EXPECT_NEAR(slope.delta_beta.estimate, 0.00237767588478124, 1e-14);
  EXPECT_NEAR(*slope.delta_beta.se, 0.01358170883481149, 1e-14);
  EXPECT_NEAR(slope.delta_beta.ci->lower, -0.0308555684219193, 1e-11);
  EXPECT_NEAR(slope.delta_beta.ci->upper, 0.0356109201914818, 1e-11);
  EXPECT_EQ(slope.verdict, Verdict::kEquivalent);
  const OffsetPair& offset = contrast.offsets.at(0);
  EXPECT_NEAR(*offset.ratio, 1.4956573, 1e-7);
  EXPECT_NEAR(*offset.log_ratio.se, 0.01235742064704778, 1e-14);
  EXPECT_NEAR(offset.log_ratio.ci->lower, 0.373345103202612, 1e-11);
}

// statsmodels 0.13: anova_lm of lm(log t ~ log g) within lm(log t ~ C(g)).
TEST(ContrastLevels, AMisfitOfALevelIsAWarning) {
  const std::vector<double> gpus{1, 1, 4, 4, 16, 16};
  const std::vector<double> bent{100, 102, 40, 41, 30, 29.5};
  const std::vector<double> straight{100, 102, 51, 50, 25, 25.5};
  const std::vector<LevelCells> levels{{{"bends"}, cells_of(gpus, bent)},
                                       {{"follows"}, cells_of(gpus, straight)}};
  const Contrast contrast = contrast_levels(levels, kCap);
  EXPECT_NEAR(*contrast.levels.at(0).misfit_p, 0.00016071653599348233, 1e-14);
  EXPECT_GT(*contrast.levels.at(1).misfit_p, 0.05);
  EXPECT_THAT(contrast.warnings, testing::Contains(WarningCode::kLackOfFit));
  EXPECT_THAT(explain(WarningCode::kLackOfFit, contrast),
              HasSubstr("means of runs of bends lie further from their power law"));
  EXPECT_FALSE(contrast_levels(two_caps(), kCap).levels.at(0).misfit_p);
}

TEST(ContrastLevels, AMisfitIsAdjustedForTheNumberOfLevels) {
  const std::vector<double> gpus{1, 1, 4, 4, 16, 16};
  const std::vector<double> bent{100, 102, 40, 41, 30, 29.5};
  const std::vector<double> straight{100, 102, 51, 50, 25, 25.5};
  std::vector<LevelCells> levels{{{"bends"}, cells_of(gpus, bent)}};
  const auto warns = [&levels] {
    const std::vector<WarningCode> warnings = contrast_levels(levels, kCap).warnings;
    return std::find(warnings.begin(), warnings.end(), WarningCode::kLackOfFit) != warnings.end();
  };
  while (levels.size() < 62) {  // 0.00016071653599348233 * 62 < 0.01
    levels.push_back({{std::to_string(levels.size())}, cells_of(gpus, straight)});
  }
  EXPECT_TRUE(warns());
  levels.push_back({{"one more"}, cells_of(gpus, straight)});
  EXPECT_FALSE(warns());
}

TEST(ContrastLevels, UnequalVariancesTakeEachLevelsOwnScatter) {
  const Contrast contrast = contrast_levels(two_caps(), kCap);
  // sqrt(0.0102160011236354^2 + 0.00894964445748959^2) from R's two summaries, with 3 degrees each.
  EXPECT_NEAR(*contrast.slopes[0].delta_beta.se, 0.0135817088348115, 1e-14);
  EXPECT_NEAR(*contrast.slopes[0].delta_beta.dof, 5.8979, 1e-4);
}

TEST(ContrastLevels, ARateHasTheSameExponentsAndInverseRatio) {
  std::vector<double> fast;
  std::vector<double> slow;
  for (const double y : kFast) fast.push_back(1 / y);
  for (const double y : kSlow) slow.push_back(1 / y);
  ContrastOptions options;
  options.response = Response::kRate;
  const Contrast rate = contrast_levels(
      std::vector{level_of("250", kContrastGpus, fast), level_of("100", kContrastGpus, slow)}, kCap,
      options);
  const Contrast time = contrast_levels(two_caps(), kCap);
  EXPECT_NEAR(rate.common_beta.estimate, time.common_beta.estimate, 1e-13);
  EXPECT_NEAR(*rate.slopes[0].p_holm, *time.slopes[0].p_holm, 1e-11);
  EXPECT_NEAR(*rate.offsets[0].ratio, 1 / *time.offsets[0].ratio, 1e-13);
  EXPECT_NEAR(rate.covariates->terms[3].estimate, time.covariates->terms[3].estimate, 1e-13);
  EXPECT_NEAR(rate.covariates->terms[2].estimate, -time.covariates->terms[2].estimate, 1e-13);
}

TEST(ContrastLevels, LevelsWithoutALineAreLeftOutByName) {
  auto levels = two_caps();
  levels.push_back(level_of("one-x", {4, 4, 4}, {30, 31, 32}));
  levels.push_back(level_of("one-point", {4}, {30}));
  levels.push_back(level_of("no-dof", {4, 8}, {30, 16}));
  levels.push_back(level_of("no-spread", {1e6, 1e6 * (1 + 1e-14), 1e6 * (1 + 1e-14)}, {3, 2, 1}));
  const Contrast contrast = contrast_levels(levels, kCap);
  EXPECT_EQ(contrast.levels.size(), 2);
  EXPECT_EQ(contrast.slopes.size(), 1);
  ASSERT_EQ(contrast.omitted.size(), 4);
  EXPECT_EQ(contrast.omitted[0].level, GroupKey{"one-x"});
  EXPECT_EQ(contrast.omitted[0].code, FailureCode::kTooFewX);
  EXPECT_EQ(contrast.omitted[1].code, FailureCode::kTooFewPoints);
  EXPECT_EQ(contrast.omitted[2].code, FailureCode::kTooFewPoints);
  EXPECT_THAT(contrast.omitted[2].message, HasSubstr("no degree of freedom"));
  EXPECT_EQ(contrast.omitted[3].code, FailureCode::kNoSpread);
  EXPECT_EQ(contrast.equal_slopes->f, contrast_levels(two_caps(), kCap).equal_slopes->f);
}

TEST(ContrastLevels, OneLevelIsNoContrastAndSaysWhatBecameOfTheOthers) {
  const std::vector levels{level_of("250", kContrastGpus, kFast),
                           level_of("100", {4, 4}, {30, 31})};
  try {
    contrast_levels(levels, kCap);
    FAIL();
  } catch (const FitError& error) {
    EXPECT_EQ(error.code(), FailureCode::kTooFewLevels);
    EXPECT_THAT(error.what(),
                HasSubstr("2 levels of cap, of which 1 has a line; a contrast needs two; 100:"));
    EXPECT_THAT(error.what(), HasSubstr("(too-few-x)"));
  }
}

TEST(ContrastLevels, ExactLinesHaveNoTests) {
  const std::vector<double> other{400, 200, 100, 50, 25};
  const Contrast contrast =
      contrast_levels(std::vector{level_of("250", kContrastGpus, {100, 50, 25, 12.5, 6.25}),
                                  level_of("100", kContrastGpus, other)},
                      kCap);
  EXPECT_FALSE(contrast.equal_slopes);
  EXPECT_FALSE(contrast.equal_slopes_own_variances);
  EXPECT_FALSE(contrast.equal_offsets_given_slope);
  EXPECT_FALSE(contrast.equal_variances);
  EXPECT_FALSE(contrast.slopes[0].delta_beta.p);
  EXPECT_FALSE(contrast.slopes[0].equivalent);
  EXPECT_EQ(contrast.slopes[0].verdict, Verdict::kUndecided);
  EXPECT_NEAR(*contrast.offsets[0].ratio, 4, 1e-12);
  EXPECT_FALSE(contrast.covariates->interactions);
}

TEST(ContrastLevels, VerdictsNeedEvidence) {
  const std::vector<double> steeper{100, 50, 24, 12, 6.1};
  const auto verdict = [&](const std::vector<double>& other, double margin) {
    ContrastOptions options;
    options.margin = margin;
    const std::vector levels{level_of("250", kContrastGpus, kFast),
                             level_of("100", kContrastGpus, other)};
    return contrast_levels(levels, kCap, options).slopes[0].verdict;
  };
  EXPECT_EQ(verdict(steeper, 0.05), Verdict::kDiffer);
  EXPECT_EQ(verdict(kSlow, 0.05), Verdict::kEquivalent);
  EXPECT_EQ(verdict(kSlow, 0.01), Verdict::kUndecided);
  // The difference is certain, and certainly within the margin.
  EXPECT_EQ(verdict(steeper, 0.5), Verdict::kEquivalent);
}

TEST(ContrastLevels, LevelsThatAreNoNumbersHaveNoCovariateModel) {
  const Contrast contrast = contrast_levels(
      std::vector{level_of("low", kContrastGpus, kFast), level_of("high", kContrastGpus, kSlow)},
      kCap);
  EXPECT_FALSE(contrast.covariates);
  EXPECT_EQ(contrast.no_covariates, "not all levels of cap are numbers above 0");
}

TEST(ContrastLevels, FactorsThatDoNotVaryStayOutOfTheCovariateModel) {
  const std::vector<std::string> factors{"cap", "clock"};
  const std::vector<LevelCells> levels{{{"250", "1380"}, point_cells(kContrastGpus, kFast)},
                                       {{"100", "1380"}, point_cells(kContrastGpus, kSlow)}};
  const Contrast contrast = contrast_levels(levels, factors);
  ASSERT_EQ(contrast.covariates->covariates.size(), 1);
  EXPECT_EQ(contrast.covariates->covariates[0].name, "cap");
  EXPECT_EQ(contrast.covariates->terms[3].name, "beta:ln cap");
}

TEST(ContrastLevels, SaysHowManyFactorsACovariateModelTakes) {
  const std::vector<std::string> factors{"cap", "clock", "batch", "workers"};
  const std::vector<LevelCells> levels{
      {{"250", "1380", "8", "1"}, point_cells(kContrastGpus, kFast)},
      {{"100", "690", "16", "2"}, point_cells(kContrastGpus, kSlow)}};
  EXPECT_EQ(contrast_levels(levels, factors).no_covariates,
            "4 numeric factors are more than the 3 it can take");
}

TEST(ContrastLevels, RefusesWhatMakesNoSense) {
  ContrastOptions options;
  options.margin = 0;
  EXPECT_THROW(contrast_levels(two_caps(), kCap, options), std::invalid_argument);
  options = {};
  options.confidence = 1;
  EXPECT_THROW(contrast_levels(two_caps(), kCap, options), std::invalid_argument);
  const std::vector<std::string> two_factors{"cap", "clock"};
  EXPECT_THROW(contrast_levels(two_caps(), two_factors), std::invalid_argument);
}

TEST(ContrastLevels, WarnsOfFewPointsAndOfUnequalScatterThatIsTakenForEqual) {
  EXPECT_TRUE(contrast_levels(two_caps(), kCap).warnings.empty());
  const std::vector few{level_of("250", {1, 2, 4, 8}, {100, 60, 37, 21}),
                        level_of("100", kContrastGpus, kSlow)};
  const Contrast short_levels = contrast_levels(few, kCap);
  EXPECT_THAT(short_levels.warnings, ElementsAre(WarningCode::kFewPoints));
  EXPECT_THAT(explain(WarningCode::kFewPoints, short_levels), HasSubstr("a level has 4 points"));
  const std::vector noisy{level_of("250", kContrastGpus, {100, 50.01, 25, 12.5, 6.25}),
                          level_of("100", kContrastGpus, {150, 60, 60, 20, 19})};
  EXPECT_TRUE(contrast_levels(noisy, kCap).warnings.empty());
  const Contrast pooled = contrast_levels(noisy, kCap, equal_variances());
  EXPECT_THAT(pooled.warnings, ElementsAre(WarningCode::kHeteroscedastic));
  EXPECT_THAT(explain(WarningCode::kHeteroscedastic, pooled), HasSubstr("--variances unequal"));
}

}  // namespace
}  // namespace scalelaw
