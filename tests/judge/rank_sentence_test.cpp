#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/rank_parts.hpp"

namespace scalelaw {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

RankedLaw ranked(std::string_view name, std::optional<double> delta, double weight = 0.5) {
  RankedLaw law{.law = find_law(name), .result = Fit{}, .aicc = delta, .delta = delta};
  if (delta) law.weight = weight;
  return law;
}

/// Power leads floor by 2.5, with twelve points at six N and nothing else.
Ranking hand_made() {
  Ranking ranking;
  ranking.n = 12;
  ranking.distinct_x = 6;
  ranking.laws = {ranked("power", 0, 0.64), ranked("floor", 2.5, 0.18)};
  ranking.best = find_law("power");
  return ranking;
}

Ranking hand_made_tie() {
  Ranking ranking = hand_made();
  ranking.laws = {ranked("power", 0), ranked("floor", 0.5), ranked("usl", 1.9)};
  ranking.best = nullptr;
  ranking.undecided = {find_law("power"), find_law("floor"), find_law("usl")};
  return ranking;
}

Ranking hand_made_exact() {
  Ranking ranking = hand_made();
  ranking.laws = {ranked("power", std::nullopt), ranked("floor", std::nullopt)};
  return ranking;
}

CurvatureTest bend(double p, double curvature) {
  return {.f = 1, .df1 = 1, .df2 = 9, .p = p, .curvature = curvature};
}

ErrorsTest errors(std::optional<Errors> verdict) {
  return {.aicc_lognormal = 0, .aicc_normal = 0, .verdict = verdict};
}

HoldOut held_out(double log_error, std::optional<bool> inside) {
  return {.x = 424, .n = 2, .laws = {{find_law("power"), log_error, inside}}};
}

/// Of a group that is the only one of its study.
std::string sentence(Ranking ranking, Response response = Response::kTime) {
  RankOptions options;
  options.response = response;
  Ranking* const alone[] = {&ranking};
  correct_for_groups(alone, options);
  return ranking.sentence;
}

TEST(RankSentence, ABestLawHasItsFollower) {
  EXPECT_EQ(sentence(hand_made()),
            "power describes these points best (floor follows at AICc +2.5).");
}

TEST(RankSentence, LawsWithinTwoAreUndecided) {
  EXPECT_EQ(sentence(hand_made_tie()),
            "Undecided: power, floor and usl describe these points about equally well.");
}

TEST(RankSentence, ExactPointsSayNothingElse) {
  Ranking ranking = hand_made_exact();
  ranking.power_vs_lognormal = bend(0.001, 0.1);
  ranking.holdout = held_out(1e-16, std::nullopt);
  EXPECT_EQ(sentence(ranking),
            "The points lie exactly on the power law: there is no scatter to judge by.");
}

TEST(RankSentence, ALawAloneIsNoWinnerOfARace) {
  Ranking ranking = hand_made();
  ranking.laws.pop_back();
  ranking.best = nullptr;
  EXPECT_EQ(sentence(ranking), "Only the power law can be ranked, which says nothing for it.");
}

TEST(RankSentence, LawsForWantOfPointsMayBeTheTruthAllTheSame) {
  Ranking ranking = hand_made();
  ranking.laws.push_back(ranked("usl", std::nullopt));
  ranking.laws.push_back(ranked("broken", std::nullopt));
  ranking.laws.back().result = NoFit{FailureCode::kNotIdentifiable, "a break needs more"};
  EXPECT_THAT(sentence(ranking),
              HasSubstr("AICc +2.5). More points or N are needed to rank usl and broken."));
  ranking.laws.pop_back();
  ranking.laws.back().result = NoFit{FailureCode::kNotConverged, "found no solution"};
  EXPECT_THAT(sentence(ranking), Not(HasSubstr("More points")));
}

TEST(RankSentence, NoLawAtAll) {
  Ranking ranking;
  ranking.laws = {ranked("power", std::nullopt)};
  ranking.n = ranking.distinct_x = 1;
  EXPECT_EQ(sentence(ranking), "No law can be ranked with 1 point at 1 N.");
  ranking.n = 4;
  EXPECT_EQ(sentence(ranking), "No law can be ranked with 4 points at 1 N.");
}

// Of 16 tests at 5 % one is below it by chance.
TEST(RankSentence, TestsAreCorrectedForTheNumberOfGroups) {
  std::vector<Ranking> rankings(16, hand_made());
  std::vector<Ranking*> study;
  for (Ranking& ranking : rankings) {
    ranking.power_vs_lognormal = bend(0.5, 0.1);
    ranking.power_vs_any = DepartureTest{0.5, 1};
    study.push_back(&ranking);
  }
  rankings[3].power_vs_any = DepartureTest{0.02, 1};
  rankings[5].power_vs_any = DepartureTest{0.002, 1};
  correct_for_groups(study, {});
  EXPECT_FALSE(finds(rankings[3].corrected.departure));
  EXPECT_THAT(rankings[3].sentence,
              HasSubstr(" The test for a bend shows no departure from the power law (p = 0.02 "
                        "alone, p = 0.3 among 16 tests)."));
  EXPECT_TRUE(finds(rankings[5].corrected.departure));
  EXPECT_THAT(rankings[5].sentence, HasSubstr(" speaks against the power law (p = 0.002 alone, "
                                              "p = 0.032 among 16 tests)."));
}

TEST(RankSentence, MeansThatLieTooFarFromTheLawAreTold) {
  Ranking ranking = hand_made();
  ranking.lack_of_fit = LackOfFit{.f = 6, .p = 0.0096};
  EXPECT_THAT(sentence(ranking), HasSubstr(" Means lie further from the power law than repeated "
                                           "runs scatter (p = 0.0096)."));
  ranking.lack_of_fit->p = 0.026;  // As `fit`, which gives no warning there.
  EXPECT_THAT(sentence(ranking), Not(HasSubstr("Means lie further")));
}

TEST(RankSentence, TheTestsTogetherDecide) {
  Ranking ranking = hand_made();
  ranking.power_vs_lognormal = bend(0.03, 0.1);
  ranking.power_vs_floor = NestedTest{3, 0.2, 999};
  ranking.power_vs_broken = NestedTest{3, 0.4};
  ranking.power_vs_any = DepartureTest{0.076, 3};
  EXPECT_THAT(sentence(ranking), HasSubstr(" Tests for a bend, a floor and a break together show "
                                           "no departure from the power law (p = 0.076)."));
  EXPECT_THAT(sentence(ranking), Not(HasSubstr("curve away")));
  ranking.power_vs_floor.reset();
  ranking.power_vs_broken.reset();
  ranking.power_vs_any = DepartureTest{0.2, 1};
  EXPECT_THAT(sentence(ranking),
              HasSubstr(" The test for a bend shows no departure from the power law (p = 0.2)."));
  ranking.power_vs_any = DepartureTest{0.03, 1};
  EXPECT_THAT(sentence(ranking),
              HasSubstr(" The test for a bend speaks against the power law (p = 0.03). The points "
                        "curve away"));
}

TEST(RankSentence, ABendSaysWhereTheExponentGoes) {
  Ranking ranking = hand_made();
  ranking.power_vs_any = DepartureTest{0.012, 1};
  ranking.power_vs_lognormal = bend(0.012, 0.1);
  EXPECT_THAT(sentence(ranking),
              HasSubstr(" The points curve away from it (p = 0.012): its exponent falls "
                        "as N grows, so it promises too much beyond the data."));
  ranking.power_vs_lognormal = bend(0.0001, -0.1);
  EXPECT_THAT(sentence(ranking), HasSubstr("(p < 0.001): its exponent rises as N grows, so it "
                                           "promises too little beyond the data."));
}

TEST(RankSentence, ARateBendsTheOtherWay) {
  Ranking ranking = hand_made();
  ranking.power_vs_any = DepartureTest{0.012, 1};
  ranking.power_vs_lognormal = bend(0.012, -0.1);
  EXPECT_THAT(sentence(ranking, Response::kRate), HasSubstr("its exponent falls as N grows"));
}

TEST(RankSentence, FloorAndBreakAreToldWhereTheyAreShown) {
  Ranking ranking = hand_made();
  ranking.power_vs_any = DepartureTest{0.04, 2};
  ranking.power_vs_floor = NestedTest{3, 0.04, 999};
  ranking.power_vs_broken = NestedTest{3, 0.06};
  EXPECT_THAT(sentence(ranking),
              HasSubstr(" Tests for a floor and a break together speak against the power law (p = "
                        "0.04). A floor under it is shown (p = 0.04)."));
  ranking.power_vs_floor->p = 0.004;
  ranking.power_vs_broken->p = 0.049;
  EXPECT_THAT(sentence(ranking), HasSubstr(" A floor under it is shown (p = 0.004). A break of its "
                                           "exponent is shown (p = 0.049)."));
}

TEST(RankSentence, ScatterIsToldAboutAPowerLawThatHoldsOnly) {
  Ranking ranking = hand_made();
  ranking.errors = errors(std::nullopt);
  EXPECT_EQ(sentence(ranking), sentence(hand_made()));
  ranking.errors = errors(Errors::kLognormal);
  EXPECT_THAT(sentence(ranking),
              HasSubstr(" The scatter is relative, as least squares of logarithms takes it."));
  ranking.errors = errors(Errors::kNormal);
  EXPECT_THAT(sentence(ranking), HasSubstr(" The scatter looks absolute rather than relative: "
                                           "compare with fit --errors normal."));
  ranking.best = find_law("floor");
  EXPECT_THAT(sentence(ranking), Not(HasSubstr("scatter")));
  ranking.best = find_law("power");
  ranking.power_vs_lognormal = bend(0.01, 0.1);
  ranking.power_vs_any = DepartureTest{0.01, 1};
  EXPECT_THAT(sentence(ranking), Not(HasSubstr("scatter")));
}

TEST(RankSentence, FewPointsFavourFewParameters) {
  Ranking ranking = hand_made();
  ranking.n = 8;
  ranking.laws[1].k = 4;
  EXPECT_THAT(sentence(ranking), HasSubstr(" With 8 points AICc favours laws of few parameters."));
  ranking.laws[1].k = ranking.laws[0].k;
  EXPECT_EQ(sentence(ranking), sentence(hand_made()));
  ranking.n = 9;
  ranking.laws[1].k = 4;
  EXPECT_EQ(sentence(ranking), sentence(hand_made()));
}

TEST(RankSentence, FewPointsDoNotShowTheKindOfScatter) {
  Ranking ranking = hand_made();
  ranking.errors = errors(Errors::kNormal);
  ranking.n = 8;
  EXPECT_EQ(sentence(ranking), sentence(hand_made()));
  ranking.n = 9;
  EXPECT_THAT(sentence(ranking), HasSubstr("looks absolute"));
}

TEST(RankSentence, TheHoldOutSaysWhereTheValueLies) {
  Ranking ranking = hand_made();
  const auto with = [&](double log_error, std::optional<bool> inside) {
    ranking.holdout = held_out(log_error, inside);
    return sentence(ranking);
  };
  EXPECT_THAT(with(0.0296, true),
              HasSubstr(" Fitted without N = 424, power finds the value there "
                        "3.0 % above its curve, inside its prediction interval."));
  EXPECT_THAT(with(-0.3, false),
              HasSubstr("26 % below its curve, outside its prediction interval."));
  EXPECT_THAT(with(0.0001, std::nullopt), HasSubstr("finds the value there on its curve."));
  EXPECT_THAT(with(1.2, false), HasSubstr("3.3 times its curve, outside"));
  EXPECT_THAT(with(-1.2, true), HasSubstr("0.3 times its curve, inside"));
  EXPECT_THAT(with(800, false), HasSubstr("more than a thousand times its curve, outside"));
  EXPECT_THAT(with(-800, false), HasSubstr("below a thousandth of its curve, outside"));
}

}  // namespace
}  // namespace scalelaw
