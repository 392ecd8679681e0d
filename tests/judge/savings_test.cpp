#include "scalelaw/judge/savings.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/cells_of.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

const std::vector<double> kRecipeScales{1, 2, 4, 8, 16, 32};

CurveRuns recipe(const std::string& name, const std::vector<double>& y) {
  return {{name}, point_cells(kRecipeScales, y)};
}

std::vector<CurveRuns> three_recipes() {
  return {recipe("A", {102, 55, 29, 16, 9.5, 6.1}), recipe("B", {210, 108, 60, 33, 20, 12.8}),
          recipe("C", {51, 27, 15.2, 8.1, 5.3, 3.2})};
}

SavingsOptions savings_by_law(std::string_view law) {
  SavingsOptions options;
  options.fit.law = find_law(law);
  if (law == "chinchilla") options.fit.se = StandardError::kSandwich;
  return options;
}

void expect_digits(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

// tests/fit/oracle/make_shared_oracle.py, numpy: the delta method on dense normal equations.
TEST(Savings, OfPowerLawsAreTheRatioOfPrefactorsToTheExponent) {
  const auto recipes = three_recipes();
  const Savings savings = savings_of(recipes, savings_by_law("power"));
  ASSERT_EQ(savings.pairs.size(), 3U);
  const SavingPair& pair = savings.pairs.front();
  expect_digits(pair.common->estimate, 0.8917171415516262, 1e-8);
  expect_digits(pair.common->se.value(), 0.05457837785268434, 1e-6);
  EXPECT_EQ(savings.at, 12.8);  // What the worst recipe reached.
  expect_digits(pair.separate->estimate, 0.9028863795252953, 1e-8);
  expect_digits(pair.separate->se.value(), 0.08156079296621707, 1e-6);
  expect_digits(pair.separate->dof.value(), 6.8970383407451115, 1e-6);
}

TEST(Savings, OfSurfacesAreOfTheirBestSplits) {
  const std::vector<double> n{1e8, 1e8, 1e8, 4e8, 4e8, 4e8, 1.6e9, 1.6e9, 1.6e9};
  const std::vector<double> d{2e9, 8e9, 3.2e10, 2e9, 8e9, 3.2e10, 2e9, 8e9, 3.2e10};
  const std::vector<SurfaceRuns> recipes{
      {{"A"}, n, d, {3.46, 3.02, 2.78, 3.17, 2.77, 2.49, 3.04, 2.60, 2.35}},
      {{"B"}, n, d, {3.70, 3.26, 2.97, 3.43, 2.97, 2.70, 3.23, 2.80, 2.51}},
      {{"C"}, n, d, {3.31, 2.90, 2.66, 3.02, 2.65, 2.39, 2.90, 2.48, 2.25}}};
  const Savings savings = savings_of(recipes, savings_by_law("chinchilla"));
  expect_digits(savings.pairs.front().common->estimate, 1.0750202303543759, 1e-7);
  expect_digits(savings.pairs.front().common->se.value(), 0.09026495266205684, 1e-5);
}

TEST(Savings, UnderACommonShapeDoNotDependOnTheLoss) {
  const auto recipes = three_recipes();
  SavingsOptions options = savings_by_law("floor");
  options.at = 20;
  const double here = savings_of(recipes, options).pairs[1].common->estimate;
  options.at = 60;
  EXPECT_NEAR(savings_of(recipes, options).pairs[1].common->estimate, here, 1e-9);
}

TEST(Savings, OfARecipeThatNeverReachesTheLossAreEmpty) {
  const auto recipes = three_recipes();
  SavingsOptions options = savings_by_law("floor");
  options.shared = {"beta"};
  options.at = 0.01;
  const Savings savings = savings_of(recipes, options);
  EXPECT_FALSE(savings.pairs[0].common);
  EXPECT_FALSE(savings.pairs[0].separate);
}

TEST(Savings, RefuseLawsWithoutAnInverse) {
  const auto recipes = three_recipes();
  EXPECT_THROW(savings_of(recipes, savings_by_law("usl")), DataError);
}

TEST(Savings, AreRefutedWhereExponentsDiffer) {
  const std::vector<CurveRuns> recipes{recipe("A", {102, 71, 50.5, 35.6, 25.1, 17.9}),
                                       recipe("B", {100, 50.5, 24.9, 12.4, 6.3, 3.1})};
  EXPECT_TRUE(savings_of(recipes, savings_by_law("power")).sharing->is_refuted());
}

}  // namespace
}  // namespace scalelaw
