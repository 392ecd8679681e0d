#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "fit/cells_of.hpp"
#include "scalelaw/fit/fit.hpp"
#include "support/comparison.hpp"
#include "support/fit_cases.hpp"
#include "support/json.hpp"
#include "support/places.hpp"

// Expectations: statsmodels 0.13.5, scipy 1.10.1 and R clubSandwich 0.5.8, through
// oracle/make_oracle.py.

namespace scalelaw {
namespace {

using nlohmann::json;

json cases_of(const std::string& file) {
  std::ifstream in(source_folder().string() + "/tests/fit/oracle/" + file);
  return parse_json(in);
}

FitOptions options_of(const json& study) {
  const std::string name = study["law"];
  FitOptions options;
  options.law = find_law(name == "rate" ? "power" : name);
  options.response = name == "rate" ? Response::kRate : Response::kTime;
  return options;
}

/// The working estimate of parameter k: ln(alpha) for a prefactor.
const Estimate& working(const Fit& fit, std::size_t k) {
  return k == 0 && fit.log_alpha ? *fit.log_alpha : fit.parameters[k];
}

void expect_estimates(Comparison& compare, const Fit& fit, const json& expected, bool slope_only) {
  for (std::size_t k = slope_only ? 1 : 0; k < fit.parameters.size(); ++k) {
    const std::string name = std::string(fit.parameters[k].name) + ".";
    const Estimate& estimate = working(fit, k);
    compare.expect(name + "se", estimate.se, expected["se"][k]);
    if (expected.contains("lower")) {
      // An end near 0 has few digits of its own, so its distance from the estimate counts.
      const double centre = estimate.estimate;
      compare.expect(name + "lower", estimate.ci->lower - centre,
                     expected["lower"][k].get<double>() - centre);
      compare.expect(name + "upper", estimate.ci->upper - centre,
                     expected["upper"][k].get<double>() - centre);
    }
    if (expected.contains("dof")) compare.expect(name + "dof", estimate.dof, expected["dof"][k]);
    if (k == 0 && fit.log_alpha) continue;  // alpha has no test, because its unit would decide it.
    compare.expect(name + "p", estimate.p, expected["p"][k]);
    if (expected.contains("t")) compare.expect(name + "t", estimate.t, expected["t"][k]);
  }
}

void expect_figures(Comparison& compare, const Fit& fit, const json& expected) {
  compare.expect("sigma", fit.sigma, expected["sigma"]);
  compare.expect("r2", fit.r2, expected["r2"]);
  compare.expect("r2_adjusted", fit.r2_adjusted, expected["r2_adjusted"]);
  compare.expect("f", fit.f, expected["f"]);
  compare.expect("f_p", fit.f_p, expected["f_p"]);
  compare.expect("log_likelihood", fit.log_likelihood, expected["log_likelihood"]);
  compare.expect("aic", fit.aic, expected["aic"]);
  EXPECT_EQ(fit.aicc.has_value(), !expected["aicc"].is_null());
  if (fit.aicc) compare.expect("aicc", fit.aicc, expected["aicc"]);
  compare.expect("bic", fit.bic, expected["bic"]);
  compare.expect("rmse", fit.rmse, expected["rmse"]);
  compare.expect("mape", fit.mape, expected["mape"]);
  compare.expect("cooks_distance_max", fit.cooks_distance_max, expected["cooks_distance_max"]);
  compare.expect("curvature", fit.curvature->estimate, expected["curvature"][0]);
  compare.expect("curvature.t", fit.curvature->t, expected["curvature"][1]);
  compare.expect("curvature.p", fit.curvature->p, expected["curvature"][2]);
  compare.expect("speedup.observed", fit.speedup->observed, expected["speedup"][0]);
  compare.expect("speedup.implied", fit.speedup->implied, expected["speedup"][1]);
  EXPECT_EQ(fit.smearing.has_value(), expected.contains("smearing"));
  if (fit.smearing) compare.expect("smearing", fit.smearing, expected["smearing"]);
  EXPECT_EQ(fit.lack_of_fit.has_value(), expected.contains("lack_of_fit"));
  if (fit.lack_of_fit) {
    compare.expect("lack_of_fit.f", fit.lack_of_fit->f, expected["lack_of_fit"][0]);
    compare.expect("lack_of_fit.p", fit.lack_of_fit->p, expected["lack_of_fit"][1]);
  }
  EXPECT_EQ(fit.scatter_trend_p.has_value(), expected.contains("scatter_trend_p"));
  if (fit.scatter_trend_p) {
    compare.expect("scatter_trend_p", fit.scatter_trend_p, expected["scatter_trend_p"]);
  }
}

const std::vector<std::pair<StandardError, std::string>> kStandardErrors{
    {StandardError::kClassic, "classic"}, {StandardError::kHc0, "hc0"},
    {StandardError::kHc1, "hc1"},         {StandardError::kHc2, "hc2"},
    {StandardError::kHc3, "hc3"},         {StandardError::kCluster, "cluster"},
    {StandardError::kCr2, "cr2"},         {StandardError::kHc2Bm, "hc2bm"}};

void expect_study(Comparison& compare, const std::string& place, std::span<const Cell> cells,
                  const json& study) {
  const json& expected = study["expected"];
  // The oracle subtracted the shift from x. Slopes and figures of the curve stay the same, the
  // intercept does not.
  const bool shifted = study["shift"] != 0.0;
  FitOptions options = options_of(study);
  for (const auto& [kind, name] : kStandardErrors) {
    compare.at(place + " " + name);
    options.se = kind;
    const Fit fit = fit_law(cells, options);
    EXPECT_EQ(fit.n, expected["n"]);
    EXPECT_EQ(fit.dof, expected["dof"]);
    const std::size_t p = fit.parameters.size();
    for (std::size_t k = shifted ? 1 : 0; k < p; ++k) {
      compare.expect("estimate", working(fit, k).estimate, expected["estimates"][k]);
      if (kind == StandardError::kClassic) {
        EXPECT_FALSE(fit.parameters[k].classic_se);
      } else {
        compare.expect("classic_se", working(fit, k).classic_se, expected["classic"]["se"][k]);
      }
    }
    expect_estimates(compare, fit, expected[name], shifted);
    expect_figures(compare, fit, expected);
    if (kind != StandardError::kClassic || shifted) continue;
    for (std::size_t i = 0; i < p * p; ++i) {
      compare.expect("covariance", fit.covariance[i], expected["covariance"][i]);
    }
  }
}

TEST(FitLaw, AgreesWithStatsmodelsToNineDigitsFromRawPoints) {
  Comparison compare("", 9);
  int number = 0;
  for (const json& study : cases_of("least_squares.json")) {
    const std::string law = study["law"];
    expect_study(compare, law + " " + std::to_string(number++), points_of(study), study);
  }
  EXPECT_EQ(number, 54);
  report(compare);
}

TEST(FitLaw, AgreesWithStatsmodelsToNineDigitsFromMergedCells) {
  Comparison compare("", 9);
  int number = 0;
  for (const json& study : cases_of("least_squares.json")) {
    const std::string law = study["law"];
    expect_study(compare, law + " " + std::to_string(number++), merged_cells(points_of(study)),
                 study);
  }
  report(compare);
}

TEST(FitLaw, AgreesWithScipyCurveFitUnderNormalErrors) {
  Comparison compare("", 9);
  int number = 0;
  for (const json& study : cases_of("nonlinear.json")) {
    FitOptions options = options_of(study);
    options.errors = Errors::kNormal;
    const json& expected = study["expected"];
    for (const auto& cells : {points_of(study), merged_cells(points_of(study))}) {
      compare.at(std::string(study["law"]) + " " + std::to_string(number));
      const Fit fit = fit_law(cells, options);
      compare.expect("ln alpha", fit.log_alpha->estimate, expected["estimates"][0]);
      compare.expect("beta", fit.parameters[1].estimate, expected["estimates"][1]);
      compare.expect("sigma", fit.sigma, expected["sigma"]);
      compare.expect("log_likelihood", fit.log_likelihood, expected["log_likelihood"]);
      for (std::size_t i = 0; i < 4; ++i) {
        compare.expect("covariance", fit.covariance[i], expected["covariance"][i]);
      }
    }
    ++number;
  }
  report(compare);
}

}  // namespace
}  // namespace scalelaw
