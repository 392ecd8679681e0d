#include "judge/gate_shared.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scalelaw {
namespace {

/// Groups with these degrees of freedom, of which each is slower by `loss` standard errors.
SharedChange change_of_groups(const std::vector<double>& dofs, double loss) {
  constexpr double kSe = 0.01;
  std::vector<GateGroup> groups;
  for (const double dof : dofs) {
    const GateComparison curve{.figure = "curve",
                               .less_is_better = true,
                               .change = {{.estimate = loss * kSe, .se = kSe, .dof = dof}},
                               .limit = kSe};
    groups.push_back({.y = "seconds", .group = {}, .comparisons = {curve}});
  }
  return *shared_change(groups, {}, NightJudging{});
}

struct Case {
  std::vector<double> dofs;
  double p;           ///< Two-sided, of a mean of three standard errors beyond the limit.
  double half_width;  ///< Of the 95 % interval, in standard errors.
};

// scipy: 2 quad(t.pdf(t, a) t.sf(2 m - t, b)) for the p of a mean m of two; its root at 0.05.
TEST(SharedChange, AgreesWithTheConvolutionOfTwoStudentDistributions) {
  const std::vector<Case> cases{{{4, 4}, 0.01103215321425507, 1.9704149740811936},
                                {{3, 9}, 0.011954751770524524, 1.9344195036262253},
                                {{2, 2}, 0.059287615398415566, 3.269632988627772}};
  for (const Case& one : cases) {
    const SharedChange shared = change_of_groups(one.dofs, 4);
    EXPECT_NEAR(*shared.p_worse / one.p, 1, 0.06);
    EXPECT_NEAR(*shared.comparison.change.reach / 0.01 / one.half_width, 1, 0.02);
    EXPECT_EQ(*shared.p_better, 1);
  }
}

// The mean of 1,000 values: Gil-Pelaez' inversion of their characteristic functions by scipy.
TEST(SharedChange, AgreesWithTheCharacteristicFunctionOfManyGroups) {
  const double loss = 1 + 2.04 / std::sqrt(1000);
  const SharedChange shared = change_of_groups(std::vector<double>(1000, 4), loss);
  EXPECT_EQ(shared.groups, 1000U);
  EXPECT_NEAR(*shared.p_worse, 0.1488235508693887, 0.002);
}

}  // namespace
}  // namespace scalelaw
