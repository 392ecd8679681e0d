#include "scalelaw/judge/setting_optima.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "scalelaw/base/random.hpp"
#include "scalelaw/runs/observations.hpp"
#include "support/places.hpp"

namespace scalelaw {
namespace {

struct Sweep {
  SurfaceRuns runs;
  std::vector<double> setting;
};

Sweep published_sweep() {
  const std::vector<std::string> inputs{(source_folder() / "data/sweeps/runs.csv").string()};
  const Observations table = read_observations(
      inputs,
      [](const Header&, std::string_view, const TableProfile&) {
        return ObservationColumns{
            .numbers = {
                {.name = "parameters"}, {.name = "tokens"}, {.name = "loss"}, {.name = "lr"}}};
      },
      {});
  const auto column = [&](std::size_t k) {
    const auto values = table.values(0, k);
    return std::vector<double>(values.begin(), values.end());
  };
  Sweep sweep;
  sweep.runs.n = column(0);
  sweep.runs.d = column(1);
  sweep.runs.y = column(2);
  sweep.setting = column(3);
  return sweep;
}

/// Five values about `middle` in each cell, whose loss is least at 0.002 (n / 1e9)^-0.25.
Sweep swept(std::size_t cells, double middle, double step = 2) {
  Sweep sweep;
  for (std::size_t j = 0; j < cells; ++j) {
    const double n = 1e8 * std::pow(3, static_cast<double>(j));
    const double best = 0.002 * std::pow(n / 1e9, -0.25);
    for (int k = -2; k <= 2; ++k) {
      const double value = middle * std::pow(step, k);
      sweep.runs.n.push_back(n);
      sweep.runs.d.push_back(20 * n);
      sweep.runs.y.push_back(3 * std::exp(0.02 * std::pow(std::log(value / best), 2)));
      sweep.setting.push_back(value);
    }
  }
  return sweep;
}

// tests/judge/oracle/setting_optima_oracle.py: NumPy and the matrices of the definition of CR2.
TEST(SettingOptima, AgreeWithNumpyAndTheDefinitionOfCr2) {
  const Sweep sweep = published_sweep();
  const SettingOptima optima = setting_optima(sweep.runs, sweep.setting, 0.95);
  EXPECT_EQ(optima.used, 12U);
  ASSERT_EQ(optima.cells.size(), 12U);
  EXPECT_NEAR(std::exp(optima.cells[0].log_best->estimate), 0.004529421476, 1e-11);
  EXPECT_NEAR(std::exp(optima.cells[11].log_best->estimate), 0.000636442201, 1e-12);
  EXPECT_NEAR(optima.log_at_centre.estimate, -6.36299210465, 1e-9);
  EXPECT_NEAR(*optima.log_at_centre.se, 0.01041062398, 1e-9);
  EXPECT_NEAR(optima.n_exponent->estimate, -0.292020201083, 1e-9);
  EXPECT_NEAR(*optima.n_exponent->se, 0.01642839841, 1e-9);
  EXPECT_NEAR(*optima.n_exponent->dof, 4.36802389, 1e-6);
  EXPECT_NEAR(optima.n_exponent->ci->lower, -0.336156378, 1e-7);
  EXPECT_NEAR(optima.n_exponent->ci->upper, -0.247884024, 1e-7);
  EXPECT_NEAR(optima.d_exponent->estimate, -0.106265998256, 1e-9);
  EXPECT_NEAR(*optima.d_exponent->se, 0.009505358459, 1e-9);
  ASSERT_TRUE(optima.n_bootstrap);
  EXPECT_LT(optima.n_bootstrap->ci.lower, -0.3);
  EXPECT_GT(optima.n_bootstrap->ci.upper, -0.292);
}

TEST(SettingOptima, AreExactWithoutScatter) {
  const Sweep sweep = swept(5, 0.002);
  const SettingOptima optima = setting_optima(sweep.runs, sweep.setting, 0.95);
  EXPECT_NEAR(optima.n_exponent->estimate, -0.25, 1e-9);
  EXPECT_FALSE(optima.d_exponent);
  EXPECT_TRUE(optima.together);
  EXPECT_FALSE(optima.n_bootstrap) << "fewer than eight cells";
  EXPECT_NEAR(*optima.cells[2].loss, 3, 1e-9);
}

TEST(SettingOptima, LeaveOutMinimaOutsideTheSweep) {
  // The best values fall from 0.00356 to 0.000395, and the sweep ends at 0.0005.
  const Sweep sweep = swept(9, 0.002);
  const SettingOptima optima = setting_optima(sweep.runs, sweep.setting, 0.95);
  EXPECT_EQ(optima.cells[8].fault, CellFault::kEdge);
  EXPECT_EQ(optima.used, 8U);
  EXPECT_NEAR(optima.n_exponent->estimate, -0.25, 1e-9);
  EXPECT_FALSE(optima.cells[8].log_best);
}

TEST(SettingOptima, SayWhyThereAreTooFewCells) {
  Sweep sweep = swept(6, 1);
  const auto result = outcome_of([&] { return setting_optima(sweep.runs, sweep.setting, 0.95); });
  const NoFit& failure = std::get<NoFit>(result);
  EXPECT_EQ(failure.code, FailureCode::kTooFewPoints);
  EXPECT_EQ(
      failure.message,
      "0 cells tell an optimum of the setting, and at least 3 of different sizes or tokens are "
      "needed; there are 6 cells with the minimum outside the sweep");
}

TEST(SettingOptima, OfTwoSizesAreNoLaw) {
  const Sweep sweep = swept(2, 0.0036);
  const auto result = outcome_of([&] { return setting_optima(sweep.runs, sweep.setting, 0.95); });
  const NoFit& failure = std::get<NoFit>(result);
  EXPECT_EQ(failure.code, FailureCode::kTooFewPoints);
  EXPECT_EQ(failure.message,
            "2 cells tell an optimum of the setting, and at least 3 of different sizes or tokens "
            "are needed");
}

TEST(SettingOptima, RefuseCellsOfThreeValues) {
  Sweep sweep = swept(4, 0.002);
  Sweep few;
  for (std::size_t i = 0; i < sweep.setting.size(); ++i) {
    if (i % 5 > 2) continue;
    few.runs.n.push_back(sweep.runs.n[i]);
    few.runs.d.push_back(sweep.runs.d[i]);
    few.runs.y.push_back(sweep.runs.y[i]);
    few.setting.push_back(sweep.setting[i]);
  }
  const auto result = outcome_of([&] { return setting_optima(few.runs, few.setting, 0.95); });
  EXPECT_NE(std::get<NoFit>(result).message.find("4 cells with fewer than four values"),
            std::string::npos);
  sweep.setting.pop_back();
  EXPECT_THROW(setting_optima(sweep.runs, sweep.setting, 0.95), std::invalid_argument);
}

}  // namespace
}  // namespace scalelaw
