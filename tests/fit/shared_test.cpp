#include "scalelaw/fit/shared.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/cells_of.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/constraints.hpp"
#include "scalelaw/fit/surface.hpp"

namespace scalelaw {
namespace {

const std::vector<double> kN{1e8, 1e8, 1e8, 4e8, 4e8, 4e8, 1.6e9, 1.6e9, 1.6e9};
const std::vector<double> kD{2e9, 8e9, 3.2e10, 2e9, 8e9, 3.2e10, 2e9, 8e9, 3.2e10};

std::vector<SurfaceRuns> three_recipes() {
  return {{{"A"}, kN, kD, {3.46, 3.02, 2.78, 3.17, 2.77, 2.49, 3.04, 2.60, 2.35}},
          {{"B"}, kN, kD, {3.70, 3.26, 2.97, 3.43, 2.97, 2.70, 3.23, 2.80, 2.51}},
          {{"C"}, kN, kD, {3.31, 2.90, 2.66, 3.02, 2.65, 2.39, 2.90, 2.48, 2.25}}};
}

std::vector<CurveRuns> three_curves() {
  const std::vector<double> x{1, 2, 4, 8, 16, 32};
  return {{{"A"}, point_cells(x, std::vector<double>{102, 55, 29, 16, 9.5, 6.1})},
          {{"B"}, point_cells(x, std::vector<double>{210, 108, 60, 33, 20, 12.8})},
          {{"C"}, point_cells(x, std::vector<double>{51, 27, 15.2, 8.1, 5.3, 3.2})}};
}

FitOptions squares() {
  FitOptions options;
  options.law = find_law("chinchilla");
  options.se = StandardError::kSandwich;
  return options;
}

FitOptions floors() {
  FitOptions options;
  options.law = find_law("floor");
  return options;
}

const Fit& fit_at(const SharedFits& fits, std::size_t group) {
  return std::get<Fit>(fits.groups.at(group).result);
}

void expect_close(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

// tests/fit/oracle/make_shared_oracle.py: the dense problem of all parameters by scipy and numpy.
TEST(FitShared, FindsOneFloorOfThreeSurfaces) {
  const auto runs = three_recipes();
  const SharedFits fits = fit_shared(runs, {"E"}, squares());
  expect_close(fit_at(fits, 0).parameters[2].estimate, 1.7205554979501525, 1e-9);
  expect_close(fit_at(fits, 2).parameters[2].se.value(), 0.06235272119927201, 1e-8);
  EXPECT_TRUE(fit_at(fits, 1).parameters[2].shared);
  expect_close(fit_at(fits, 1).parameters[0].estimate, 270.0437044784712, 1e-7);
  expect_close(fit_at(fits, 2).parameters[3].estimate, 0.45224659866996997, 1e-9);
  expect_close(fit_at(fits, 2).parameters[3].se.value(), 0.06393495693430887, 1e-8);
  EXPECT_EQ(fit_at(fits, 0).dof, 14);
}

TEST(FitShared, TestsOneFloorAgainstThree) {
  const auto runs = three_recipes();
  const Sharing sharing = *fit_shared(runs, {"E"}, squares()).sharing;
  EXPECT_EQ(sharing.fitted, 13U);
  EXPECT_EQ(sharing.dof, 14);
  ASSERT_TRUE(sharing.test);
  expect_close(sharing.test->f, 0.5890362574325592, 1e-7);
  expect_close(sharing.test->p, 0.5701329199406338, 1e-7);
  EXPECT_FALSE(sharing.is_refuted());
}

TEST(FitShared, ProfilesWhatIsSharedOverAllGroups) {
  const auto runs = three_recipes();
  const Fit fit = fit_at(fit_shared(runs, {"E"}, squares()), 0);
  expect_close(fit.parameters[2].ci->lower, 1.5675391317570968, 1e-7);
  expect_close(fit.parameters[2].ci->upper, 1.8394209894147733, 1e-7);
}

TEST(FitShared, FindsOneExponentOfThreeCurves) {
  const auto runs = three_curves();
  const SharedFits fits = fit_shared(runs, {"beta"}, floors());
  const Fit& first = fit_at(fits, 0);
  expect_close(first.parameters[1].estimate, 0.9474662848409154, 1e-9);
  expect_close(first.parameters[1].se.value(), 0.014301808225913277, 1e-7);
  expect_close(first.parameters[2].estimate, 2.318002533581052, 1e-8);
  expect_close(first.parameters[2].se.value(), 0.2494364264513695, 1e-7);
  expect_close(first.sigma.value(), 0.02483800649802475, 1e-9);
  expect_close(first.parameters[1].ci->lower, 0.9159815942830566, 1e-7);
  expect_close(first.parameters[1].ci->upper, 0.9791949024291203, 1e-7);
  expect_close(fits.sharing->test->f, 0.5319423472347491, 1e-7);
}

// The others' quadratic stands for their profile: the exact one ends at 1.7605 and 2.8588.
TEST(FitShared, ProfilesAGroupsOwnParameterNearTheExactOne) {
  const auto runs = three_curves();
  const Fit fit = fit_at(fit_shared(runs, {"beta"}, floors()), 0);
  EXPECT_NEAR(fit.parameters[2].ci->lower, 1.7605153495610997, 0.003);
  EXPECT_NEAR(fit.parameters[2].ci->upper, 2.8588267709690762, 0.003);
}

TEST(FitShared, OfAllParametersIsTheFitOfPooledRuns) {
  const auto groups = three_curves();
  std::vector<double> x;
  std::vector<double> y;
  for (const double at : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
    for (const CurveRuns& group : groups) {
      for (const Cell& cell : group.cells) {
        if (cell.x != at) continue;
        x.push_back(cell.x);
        y.push_back(cell.mean);
      }
    }
  }
  const Fit pooled = fit_law(point_cells(x, y), floors());
  const Fit joint = fit_at(fit_shared(groups, {"alpha", "beta", "gamma"}, floors()), 0);
  EXPECT_EQ(joint.dof, pooled.dof);
  for (std::size_t k = 0; k < 3; ++k) {
    expect_close(joint.parameters[k].estimate, pooled.parameters[k].estimate, 1e-5);
    expect_close(joint.parameters[k].se.value(), pooled.parameters[k].se.value(), 1e-4);
  }
}

TEST(FitShared, TiesGoWithIt) {
  FitOptions options = squares();
  options.law =
      &constrained(*options.law, {.fixed = {}, .tied = {{"alpha", "beta"}}, .bounded = {}});
  const auto runs = three_recipes();
  const SharedFits fits = fit_shared(runs, {"alpha"}, options);
  EXPECT_EQ(fits.sharing->fitted, 10U);
  EXPECT_EQ(fit_at(fits, 0).parameters[3].estimate, fit_at(fits, 2).parameters[4].estimate);
}

TEST(FitShared, RefusesWhatIsHeld) {
  FitOptions options = squares();
  options.law = &constrained(*options.law, {.fixed = {{"E", 1.7}}, .tied = {}, .bounded = {}});
  const auto runs = three_recipes();
  EXPECT_THROW(fit_shared(runs, {"E"}, options), DataError);
  EXPECT_THROW(fit_shared(runs, {"gamma"}, squares()), DataError);
}

TEST(FitShared, LeavesOutAGroupThatDoesNotDetermineItsOwn) {
  std::vector<SurfaceRuns> runs = three_recipes();
  runs[1].n.assign(9, 1e8);
  runs[1].d.assign(9, 2e9);
  const SharedFits fits = fit_shared(runs, {"E"}, squares());
  EXPECT_TRUE(std::holds_alternative<NoFit>(fits.groups[1].result));
  EXPECT_EQ(fits.sharing->groups, 2U);
  EXPECT_TRUE(fits.sharing->test);
}

TEST(FitShared, KeepsAGroupThatSharingDetermines) {
  std::vector<CurveRuns> groups = three_curves();
  groups[2].cells.resize(2);  // Two runs: too few for three parameters, enough for alpha.
  FitOptions options = floors();
  const SharedFits fits = fit_shared(groups, {"beta", "gamma"}, options);
  EXPECT_TRUE(std::holds_alternative<Fit>(fits.groups[2].result));
  EXPECT_FALSE(fits.sharing->test);
  EXPECT_NE(fits.sharing->untested.find("no fit alone"), std::string::npos);
}

TEST(FitShared, FindsTheSameWithAHundredGroups) {
  std::vector<CurveRuns> groups;
  RandomStream stream(5);
  for (int g = 0; g < 100; ++g) {
    const std::vector<double> x{1, 2, 4, 8};
    std::vector<double> y;
    for (const double at : x)
      y.push_back(50 * std::pow(at, -0.8) * std::exp(0.03 * stream.normal()));
    groups.push_back({{std::to_string(g)}, point_cells(x, y)});
  }
  FitOptions options;
  const SharedFits fits = fit_shared(groups, {"beta"}, options);
  // The slope within groups of all runs, in closed form.
  double xy = 0;
  for (const CurveRuns& group : groups) {
    for (const Cell& cell : group.cells) {
      xy += (std::log(cell.x) - 1.5 * std::log(2.0)) * std::log(cell.mean);
    }
  }
  const double xx = 100 * 5 * std::log(2.0) * std::log(2.0);
  expect_close(fit_at(fits, 7).parameters[1].estimate, -xy / xx, 1e-9);
  EXPECT_EQ(fits.sharing->dof, 400 - 101);
}

TEST(FitShared, BootstrapDrawsInsideGroupsOnAnyThreads) {
  FitOptions options = squares();
  options.bootstrap.resamples = 100;
  std::vector<SurfaceRuns> runs = three_recipes();
  for (SurfaceRuns& group : runs) {
    for (std::size_t i = 0; i < 9; ++i) {
      group.n.push_back(1.3 * group.n[i]);
      group.d.push_back(1.7 * group.d[i]);
      group.y.push_back(0.97 * group.y[i]);
    }
  }
  const auto one = fit_at(fit_shared(runs, {"E"}, options, 1), 1).bootstrap;
  const auto two = fit_at(fit_shared(runs, {"E"}, options, 2), 1).bootstrap;
  ASSERT_FALSE(one->parameters.empty());
  EXPECT_EQ(one->parameters[2].se, two->parameters[2].se);
  EXPECT_GT(one->parameters[2].se, 0.005);
  EXPECT_LT(one->parameters[2].se, 0.5);
}

}  // namespace
}  // namespace scalelaw
