#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "fit/cells_of.hpp"
#include "judge/level_cells.hpp"
#include "support/comparison.hpp"
#include "support/json.hpp"
#include "support/places.hpp"

// Expectations: statsmodels 0.13.5, scipy 1.10.1 and R with emmeans 1.8.4, through
// oracle/make_oracle.py.

namespace scalelaw {
namespace {

using nlohmann::json;

json law_studies() {
  std::ifstream in(source_folder().string() + "/tests/judge/oracle/contrast.json");
  return parse_json(in);
}

ContrastOptions options_of(const json& study, Variances variances) {
  const bool is_rate = study["response"] == "rate";
  return {.response = is_rate ? Response::kRate : Response::kTime,
          .confidence = 0.95,
          .margin = 0.05,
          .variances = variances};
}

std::vector<LevelCells> levels_of(const json& study, bool merged) {
  std::vector<LevelCells> levels;
  for (const json& level : study["levels"]) {
    auto cells =
        point_cells(level["x"].get<std::vector<double>>(), level["y"].get<std::vector<double>>(),
                    level["w"].get<std::vector<double>>());
    levels.push_back({{level["value"].dump()}, merged ? merged_cells(cells) : std::move(cells)});
  }
  return levels;
}

void expect_f(Comparison& compare, const std::string& what, const std::optional<FTest>& test,
              const json& expected) {
  ASSERT_TRUE(test) << what;
  compare.expect(what + ".f", test->f, expected[0]);
  compare.expect(what + ".df1", test->df1, expected[1]);
  compare.expect(what + ".df2", test->df2, expected[2]);
  compare.expect(what + ".p", test->p, expected[3]);
}

void expect_chi(Comparison& compare, const std::string& what,
                const std::optional<ChiSquaredTest>& test, const json& expected) {
  ASSERT_TRUE(test) << what;
  compare.expect(what, test->statistic, expected[0]);
  compare.expect(what + ".p", test->p, expected[1]);
}

/// Differences near 0 have few digits of their own, so the standard error is their measure.
void expect_difference(Comparison& compare, const std::string& what, const Estimate& figure,
                       const json& expected) {
  const double se = expected["se"];
  compare.expect(what, figure.estimate / se + 10, expected["estimate"].get<double>() / se + 10);
  compare.expect(what + ".se", figure.se, se);
  compare.expect(what + ".dof", figure.dof, expected["dof"]);
  compare.expect(what + ".p", figure.p, expected["p"]);
  const double centre = expected["estimate"];
  compare.expect(what + ".lower", figure.ci->lower - figure.estimate,
                 expected["ci"][0].get<double>() - centre);
  compare.expect(what + ".upper", figure.ci->upper - figure.estimate,
                 expected["ci"][1].get<double>() - centre);
}

void expect_pairs(Comparison& compare, const Contrast& contrast, const json& expected,
                  const std::string& variances) {
  const json& slopes = expected["slopes"][variances];
  const json& offsets = expected["offsets"][variances];
  ASSERT_EQ(contrast.slopes.size(), slopes.size());
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    expect_difference(compare, "slope", contrast.slopes[i].delta_beta, slopes[i]);
    compare.expect("slope.p_holm", contrast.slopes[i].p_holm, slopes[i]["p_holm"]);
    compare.expect("slope.p_tost", contrast.slopes[i].p_tost, slopes[i]["p_tost"]);
    EXPECT_EQ(contrast.slopes[i].equivalent, slopes[i]["p_tost"] < 0.05);
    expect_difference(compare, "offset", contrast.offsets[i].log_ratio, offsets[i]);
    compare.expect("offset.p_holm", contrast.offsets[i].p_holm, offsets[i]["p_holm"]);
  }
}

void expect_covariates(Comparison& compare, const CovariateModel& model, const json& expected) {
  compare.expect("x_centre", model.x_centre, expected["x_centre"]);
  compare.expect("centre", model.covariates.at(0).centre, expected["centre"]);
  ASSERT_EQ(model.terms.size(), 4);
  for (std::size_t k = 0; k < 4; ++k) {
    const json& term = expected["terms"][k];
    const double se = term["se"];
    compare.expect(model.terms[k].name, model.terms[k].estimate / se + 10,
                   term["estimate"].get<double>() / se + 10);
    compare.expect(model.terms[k].name + ".se", model.terms[k].se, se);
    compare.expect(model.terms[k].name + ".p", model.terms[k].p, term["p"]);
  }
  compare.expect("model.sigma", model.sigma, expected["sigma"]);
  compare.expect("model.r2", model.r2, expected["r2"]);
  expect_f(compare, "interactions", model.interactions, expected["interactions"]);
  expect_f(compare, "covariates", model.covariates_given_no_interactions, expected["covariates"]);
}

void expect_study(Comparison& compare, const json& study, bool merged) {
  const json& expected = study["expected"];
  const auto levels = levels_of(study, merged);
  for (const Variances variances : {Variances::kEqual, Variances::kUnequal}) {
    const Contrast contrast = contrast_levels(levels, kCap, options_of(study, variances));
    EXPECT_EQ(contrast.n, expected["n"]);
    expect_f(compare, "equal_slopes", contrast.equal_slopes, expected["equal_slopes"]);
    expect_f(compare, "equal_offsets", contrast.equal_offsets_given_slope,
             expected["equal_offsets"]);
    expect_chi(compare, "own_variances", contrast.equal_slopes_own_variances,
               expected["own_variances"]);
    expect_chi(compare, "equal_variances", contrast.equal_variances, expected["equal_variances"]);
    compare.expect("common_beta", contrast.common_beta.estimate,
                   expected["common_beta"]["estimate"]);
    compare.expect("common_beta.se", contrast.common_beta.se, expected["common_beta"]["se"]);
    expect_pairs(compare, contrast, expected, std::string(name_of(variances)));
    ASSERT_TRUE(contrast.covariates) << contrast.no_covariates;
    expect_covariates(compare, *contrast.covariates, expected["covariates"]);
  }
}

TEST(ContrastLevels, AgreesWithStatsmodelsAndScipyToNineDigitsFromPointsAndFromCells) {
  for (const bool merged : {false, true}) {
    Comparison compare("", 9);
    int number = 0;
    for (const json& study : law_studies()) {
      compare.at("study " + std::to_string(number++));
      expect_study(compare, study, merged);
    }
    EXPECT_EQ(number, 20);
    report(compare);
  }
}

TEST(ContrastLevels, AgreesWithAnovaAndEmmeansOfRToNineDigits) {
  Comparison compare("", 9);
  int number = 0;
  for (const json& study : law_studies()) {
    compare.at("study " + std::to_string(number++));
    const Contrast contrast =
        contrast_levels(levels_of(study, true), kCap, options_of(study, Variances::kEqual));
    const json& r = study["r"];
    expect_f(compare, "equal_slopes", contrast.equal_slopes, r["equal_slopes"]);
    expect_f(compare, "equal_offsets", contrast.equal_offsets_given_slope, r["equal_offsets"]);
    for (std::size_t i = 0; i < contrast.slopes.size(); ++i) {
      const SlopePair& slope = contrast.slopes[i];
      const double se = r["slope"][i][1];
      compare.expect("slope", slope.delta_beta.estimate / se + 10,
                     r["slope"][i][0].get<double>() / se + 10);
      compare.expect("slope.se", slope.delta_beta.se, se);
      compare.expect("slope.dof", slope.delta_beta.dof, r["slope"][i][2]);
      compare.expect("slope.p_holm", slope.p_holm, r["slope"][i][3]);
      compare.expect("offset.se", contrast.offsets[i].log_ratio.se, r["offset"][i][1]);
      compare.expect("offset.p_holm", contrast.offsets[i].p_holm, r["offset"][i][3]);
    }
  }
  report(compare);
}

}  // namespace
}  // namespace scalelaw
