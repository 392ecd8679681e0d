#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "fit/broken_line.hpp"
#include "fit/cells_of.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/rank.hpp"
#include "support/comparison.hpp"
#include "support/json.hpp"
#include "support/places.hpp"

// Expectations: scipy 1.10.1, statsmodels 0.13.5 and numpy, through oracle/make_rank_oracle.py.

namespace scalelaw {
namespace {

using nlohmann::json;

json rank_studies() {
  std::ifstream in(source_folder().string() + "/tests/judge/oracle/rank.json");
  return parse_json(in);
}

std::vector<Cell> cells_of(const json& study, bool merged) {
  auto cells =
      point_cells(study["x"].get<std::vector<double>>(), study["y"].get<std::vector<double>>(),
                  study["w"].get<std::vector<double>>());
  return merged ? merged_cells(cells) : cells;
}

RankOptions options_of(const json& study) {
  RankOptions options;
  for (const std::string_view name : law_names()) {
    if (name != "sigmoid") options.laws.push_back(find_law(name));  // The oracle is older.
  }
  options.response = study["response"] == "rate" ? Response::kRate : Response::kTime;
  options.intervals = Intervals::kWald;
  options.resamples = 0;
  return options;
}

Ranking ranking_of(const json& study, bool merged) {
  return rank_laws(cells_of(study, merged), options_of(study));
}

/// Calls `check` for every study, once from points and once from merged cells.
template <class Check>
void for_each_study(double digits, Check check) {
  for (const bool merged : {false, true}) {
    Comparison compare("", digits);
    int number = 0;
    for (const json& study : rank_studies()) {
      compare.at("study " + std::to_string(number++));
      check(compare, study, ranking_of(study, merged));
    }
    EXPECT_EQ(number, 24);
    report(compare);
  }
}

const RankedLaw& ranked(const Ranking& ranking, const std::string& law) {
  for (const RankedLaw& candidate : ranking.laws) {
    if (candidate.law->name() == law) return candidate;
  }
  throw std::out_of_range(law);
}

TEST(RankLaws, AgreesWithScipyOnCriteriaAndWeightsOfEightLaws) {
  for_each_study(9, [](Comparison& compare, const json& study, const Ranking& ranking) {
    for (const json& expected : study["expected"]["laws"]) {
      const std::string law = expected["law"];
      const RankedLaw& found = ranked(ranking, law);
      ASSERT_TRUE(std::holds_alternative<Fit>(found.result)) << law;
      EXPECT_EQ(found.k, expected["k"]);
      compare.expect(law + ".rss", std::get<Fit>(found.result).rss, expected["rss"]);
      EXPECT_EQ(found.aicc.has_value(), !expected["aicc"].is_null()) << law;
      if (!found.aicc) continue;
      // Criteria may be near 0, so an error in the logarithm of RSS is their measure.
      compare.expect(law + ".aicc", *found.aicc + 100, expected["aicc"].get<double>() + 100);
      compare.expect(law + ".delta", *found.delta + 1, expected["delta"].get<double>() + 1);
      compare.expect(law + ".weight", *found.weight + 1e-6,
                     expected["weight"].get<double>() + 1e-6);
    }
  });
}

TEST(RankLaws, NamesWhatScipysCriteriaName) {
  for_each_study(9, [](Comparison&, const json& study, const Ranking& ranking) {
    const json& expected = study["expected"];
    const json best = ranking.best == nullptr ? json() : json(std::string(ranking.best->name()));
    EXPECT_EQ(best, expected["best"]);
    json undecided = json::array();
    for (const Law* law : ranking.undecided) undecided.push_back(std::string(law->name()));
    EXPECT_EQ(undecided, expected["undecided"]);
  });
}

TEST(RankLaws, AgreesWithTheNestedTestOfStatsmodels) {
  for_each_study(9, [](Comparison& compare, const json& study, const Ranking& ranking) {
    const json& expected = study["expected"]["curvature"];
    ASSERT_TRUE(ranking.power_vs_lognormal);
    compare.expect("f", ranking.power_vs_lognormal->f, expected["f"]);
    EXPECT_EQ(ranking.power_vs_lognormal->df1, expected["df1"]);
    EXPECT_EQ(ranking.power_vs_lognormal->df2, expected["df2"]);
    compare.expect("p", ranking.power_vs_lognormal->p, expected["p"]);
    compare.expect("curvature", ranking.power_vs_lognormal->curvature, expected["curvature"]);
  });
}

TEST(RankLaws, AgreesWithScipyOnTheKindOfScatter) {
  for_each_study(9, [](Comparison& compare, const json& study, const Ranking& ranking) {
    const json& expected = study["expected"]["errors"];
    ASSERT_EQ(ranking.errors.has_value(), !expected["aicc_normal"].is_null());
    if (!ranking.errors) return;
    compare.expect("lognormal", ranking.errors->aicc_lognormal, expected["aicc_lognormal"]);
    compare.expect("normal", ranking.errors->aicc_normal, expected["aicc_normal"]);
    EXPECT_EQ(ranking.errors->verdict ? name_of(*ranking.errors->verdict) : "undecided",
              expected["verdict"].get<std::string>());
  });
}

// The oracle's search finds a break to eight digits only, because its sum of squares is flat there.
// All other laws agree to nine.
TEST(RankLaws, AgreesWithScipyOnWhatIsHeldOut) {
  for_each_study(8, [](Comparison& compare, const json& study, const Ranking& ranking) {
    const json& expected = study["expected"]["holdout"];
    ASSERT_TRUE(ranking.holdout);
    EXPECT_EQ(ranking.holdout->x, expected["x"]);
    EXPECT_EQ(ranking.holdout->n, expected["n"]);
    EXPECT_EQ(ranking.holdout->laws.size(), expected["laws"].size());
    for (const json& law : expected["laws"]) {
      const auto found =
          std::find_if(ranking.holdout->laws.begin(), ranking.holdout->laws.end(),
                       [&](const HeldOutLaw& held) { return held.law->name() == law["law"]; });
      ASSERT_NE(found, ranking.holdout->laws.end()) << law;
      compare.expect(law["law"].get<std::string>() + ".log_error", found->log_error + 1,
                     law["log_error"].get<double>() + 1);
      const json inside = found->inside ? json(*found->inside) : json();
      EXPECT_EQ(inside, law["inside"]) << law;
    }
  });
}

void expect_betas(Comparison& compare, const std::string& what,
                  const std::vector<PartialBeta>& found, const json& expected) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].x_min, expected[i]["x_min"]) << what;
    EXPECT_EQ(found[i].x_max, expected[i]["x_max"]) << what;
    EXPECT_EQ(found[i].left_out.has_value(), expected[i].contains("left_out")) << what;
    if (found[i].left_out) {
      EXPECT_EQ(*found[i].left_out, expected[i]["left_out"]);
    }
    compare.expect(what, found[i].beta + 1, expected[i]["beta"].get<double>() + 1);
    ASSERT_EQ(found[i].se.has_value(), !expected[i]["se"].is_null()) << what;
    if (found[i].se) compare.expect(what + ".se", found[i].se, expected[i]["se"]);
  }
}

TEST(RankLaws, AgreesWithStatsmodelsOnPartsOfThePoints) {
  for_each_study(9, [](Comparison& compare, const json& study, const Ranking& ranking) {
    const json& expected = study["expected"]["stability"];
    expect_betas(compare, "leave_one_out", ranking.stability.leave_one_out,
                 expected["leave_one_out"]);
    expect_betas(compare, "prefixes", ranking.stability.prefixes, expected["prefixes"]);
    expect_betas(compare, "suffixes", ranking.stability.suffixes, expected["suffixes"]);
    expect_betas(compare, "local", ranking.stability.local, expected["local"]);
  });
}

TEST(BrokenLine, AgreesWithASearchOverAllBreaks) {
  Comparison compare("", 9);
  int number = 0;
  for (const json& study : rank_studies()) {
    compare.at("study " + std::to_string(number++));
    for (const json& law : study["expected"]["laws"]) {
      if (law["law"] != "broken") continue;
      std::vector<double> x;
      std::vector<double> y;
      for (const double value : study["x"]) x.push_back(std::log(value));
      for (const double value : study["y"]) y.push_back(std::log(value));
      BrokenLine line(x, study["w"].get<std::vector<double>>());
      compare.expect("rss", line.best_break(y).rss, law["rss"]);
    }
  }
  report(compare);
}

// The formula is an upper bound: exact but for the corners of the path, so within 6 % below 0.1.
TEST(RankLaws, TheBreakTestAgreesWithASimulationOfTwoHundredThousandDraws) {
  int tested = 0;
  for (const json& study : rank_studies()) {
    const json& expected = study["expected"]["break"];
    const Ranking ranking = rank_laws(cells_of(study, true), options_of(study));
    ASSERT_EQ(ranking.power_vs_broken.has_value(), !expected.is_null());
    if (!ranking.power_vs_broken) continue;
    const NestedTest& test = *ranking.power_vs_broken;
    const double p = expected["p"];
    const double error = 3.3 * std::sqrt(std::max(p, 5e-6) * (1 - p) / 2e5);
    EXPECT_GE(correct_digits(test.statistic, expected["statistic"]), 8);
    EXPECT_GE(test.p, p - error);
    EXPECT_LE(test.p, (p < 0.1 ? 1.06 : 1.1) * p + error);
    ++tested;
  }
  EXPECT_EQ(tested, 23);
}

}  // namespace
}  // namespace scalelaw
