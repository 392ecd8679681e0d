#include "scalelaw/runs/budgets.hpp"

#include <gtest/gtest.h>

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
    chain.push_back(100 * (1 + 0.08 * i));
  }
  EXPECT_EQ(rows_by_budget(n, chain), Budgets{});
  EXPECT_EQ(
      rows_by_budget(std::vector<double>{1, 2, 4, nan, 5}, std::vector<double>{7, 7, 7, 7, 0}),
      (Budgets{{0, 1, 2}}));
}

}  // namespace
}  // namespace scalelaw
