#include "scalelaw/runs/budgets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace scalelaw {
namespace {

using Budgets = std::vector<std::vector<std::size_t>>;

TEST(RowsByBudget, FindsRunsOfAboutOneCompute) {
  const std::vector<double> n{1, 2, 4, 1, 2, 4, 8};
  const std::vector<double> product{100, 103, 97, 1000, 1080, 990, 1000};
  EXPECT_EQ(rows_by_budget(n, product), (Budgets{{2, 0, 1}, {5, 3, 6, 4}}));
}

TEST(RowsByBudget, LeavesOutFewSizesChainsAndWhatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> two_sizes{1, 2, 2};
  EXPECT_EQ(rows_by_budget(two_sizes, std::vector<double>{100, 100, 100}), Budgets{});
  std::vector<double> n;
  std::vector<double> chain;
  for (int i = 0; i < 10; ++i) {
    n.push_back(i + 1);
    chain.push_back(100 * std::pow(1.05, i));
  }
  EXPECT_EQ(rows_by_budget(n, chain), Budgets{});
  EXPECT_EQ(
      rows_by_budget(std::vector<double>{1, 2, 4, nan, 5}, std::vector<double>{7, 7, 7, 7, 0}),
      (Budgets{{0, 1, 2}}));
}

TEST(RowsByBudget, LeavesOutRunsThatHappenToLieBetween) {
  std::vector<double> n;
  std::vector<double> product;
  for (int i = 0; i < 13; ++i) {
    n.insert(n.end(), {1.0 + i, 1.0 + i});
    product.insert(product.end(), {100.0 + 0.5 * i, 1000.0 + 5 * i});
  }
  for (const double between : {118.0, 120.0, 122.0, 200.0, 300.0, 400.0}) {
    n.push_back(between);
    product.push_back(between);
  }
  const Budgets budgets = rows_by_budget(n, product);
  ASSERT_EQ(budgets.size(), 2U);
  EXPECT_EQ(budgets[0].size(), 13U);
  EXPECT_EQ(budgets[1].size(), 13U);
}

}  // namespace
}  // namespace scalelaw
