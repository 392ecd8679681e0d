#include "scalelaw/judge/study.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "fit/cells_of.hpp"

namespace scalelaw {
namespace {

Advice advice_on(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<Cell> cells = point_cells(x, y);
  RankOptions rank;
  rank.resamples = 0;
  OutlookOptions outlook;
  outlook.at = {2 * x.back()};
  return advise(cells, outlook_of(make_forecast(cells, {}), std::nullopt, outlook),
                rank_laws(cells, rank), {});
}

TEST(Advise, TakesTheGreatestScaleThatKeepsHalfOfTheIdealSpeedup) {
  // Efficiency 1, 0.9, 0.75, 0.55, 0.4, 0.22.
  const Advice advice = advice_on({1, 2, 4, 8, 16, 32}, {100, 55.6, 33.3, 22.7, 15.6, 14.2});
  EXPECT_EQ(advice.at.y.x, 8);
  EXPECT_GE(advice.at.y.efficiency, 0.5);
}

TEST(Advise, StaysAtTheLeastScaleWhereMoreTakeLonger) {
  EXPECT_EQ(advice_on({1, 2, 4, 8, 16}, {20, 33, 54, 89, 147}).at.y.x, 1);
}

TEST(Ideal, OfFasterRunsIsTheRatioOfGrowingWorkTheSameTimeAndOfASettingNothing) {
  EXPECT_DOUBLE_EQ(*efficiency_of(3, 4, Ideal::kFaster), 0.75);
  EXPECT_DOUBLE_EQ(*efficiency_of(0.9, 4, Ideal::kAsLong), 0.9);
  EXPECT_EQ(efficiency_of(3, 4, Ideal::kNone), std::nullopt);
  EXPECT_TRUE(is_efficient(1.2, 2, Ideal::kFaster));
  EXPECT_FALSE(is_efficient(1.2, 4, Ideal::kFaster));
  EXPECT_TRUE(is_efficient(1.2, 4, Ideal::kNone));
}

TEST(Advise, TakesTheFastestBatchSizeWhateverItsSpeedup) {
  const std::vector<Cell> cells = point_cells(std::vector<double>{32, 64, 128, 256, 512},
                                              std::vector<double>{100, 90, 82, 74, 67});
  RankOptions rank;
  rank.resamples = 0;
  OutlookOptions outlook;
  outlook.at = {1024};
  const Outlook ahead = outlook_of(make_forecast(cells, {}), std::nullopt, outlook);
  const Ranking ranking = rank_laws(cells, rank);
  EXPECT_EQ(advise(cells, ahead, ranking, {}, Ideal::kNone).at.y.x, 512);
  const std::vector<Cell> slower = point_cells(std::vector<double>{32, 64, 128, 256, 512},
                                               std::vector<double>{67, 74, 82, 90, 100});
  EXPECT_EQ(advise(slower, outlook_of(make_forecast(slower, {}), std::nullopt, outlook),
                   rank_laws(slower, rank), {}, Ideal::kNone)
                .at.y.x,
            32);
  EXPECT_LT(advise(cells, ahead, ranking, {}, Ideal::kFaster).at.y.x, 512);
}

TEST(Advise, TrustsManyScalesThatScatterLittle) {
  const Advice advice =
      advice_on({1, 2, 4, 8, 16, 32, 64}, {100, 52.5, 26.9, 14.2, 7.4, 3.82, 2.01});
  EXPECT_EQ(advice.trust, Trust::kHigh);
  EXPECT_EQ(advice.limit, TrustLimit::kScatter);
  EXPECT_LT(*advice.reach, 0.2);
}

TEST(Advise, TrustsRunsThatScatterWidelyLess) {
  const Advice advice =
      advice_on({1, 1, 2, 2, 4, 4, 8, 8, 16, 16}, {96, 106, 55, 49, 25, 28, 14.6, 13.2, 7, 7.7});
  EXPECT_EQ(advice.trust, Trust::kFair);
  EXPECT_GT(*advice.reach, 0.2);
}

TEST(Advise, DoesNotTrustFewScales) {
  const Advice advice = advice_on({1, 1, 2, 2, 4, 4}, {100, 101, 51, 50.5, 26, 25.8});
  EXPECT_EQ(advice.trust, Trust::kLow);
  EXPECT_EQ(advice.limit, TrustLimit::kFewScales);
}

TEST(Advise, DoesNotTrustAnAnswerWithoutAnInterval) {
  const Advice advice = advice_on({1, 2}, {100, 51});
  EXPECT_EQ(advice.trust, Trust::kLow);
  EXPECT_EQ(advice.limit, TrustLimit::kNoInterval);
}

TEST(Advise, TellsOfRunsThatTheOthersDoNotForecast) {
  const Advice advice = advice_on({1, 2, 4, 8, 16, 32}, {100, 50.4, 24.9, 12.55, 6.22, 4.4});
  EXPECT_EQ(advice.limit, TrustLimit::kMissed);
  EXPECT_NE(advice.trust, Trust::kHigh);
}

TEST(Advise, TellsOfMeansThatLieTooFarFromTheCurve) {
  const Advice advice = advice_on({1, 1, 2, 2, 4, 4, 8, 8, 16, 16},
                                  {100, 100.5, 54, 54.2, 25, 25.1, 13.6, 13.5, 6.3, 6.32});
  EXPECT_EQ(advice.limit, TrustLimit::kUneven);
  EXPECT_NE(advice.trust, Trust::kHigh);
}

// The page lists these warnings: a row of high trust would contradict it.
TEST(Advise, DoesNotTrustHighlyWhereTheFitWarns) {
  const std::vector<Cell> cells =
      point_cells(std::vector<double>{1, 2, 4, 8, 16, 32, 64},
                  std::vector<double>{100, 52.5, 26.9, 14.2, 7.4, 3.82, 2.01});
  OutlookOptions asked;
  asked.at = {128};
  const Outlook outlook = outlook_of(make_forecast(cells, {}), std::nullopt, asked);
  const auto advice_with = [&](WarningCode code) {
    const WarningCode warnings[] = {WarningCode::kShortRange, code};
    return advise(cells, outlook, rank_laws(cells, {}), {}, Ideal::kFaster, warnings);
  };
  for (const WarningCode code : {WarningCode::kCurved, WarningCode::kLackOfFit,
                                 WarningCode::kInfluential, WarningCode::kOutlier}) {
    const Advice advice = advice_with(code);
    EXPECT_EQ(advice.trust, Trust::kFair) << name_of(code);
    EXPECT_EQ(advice.limit, TrustLimit::kWarned);
    EXPECT_EQ(advice.warning, code);
  }
  EXPECT_EQ(advice_with(WarningCode::kFlat).trust, Trust::kHigh);
}

TEST(Advise, TellsOfCurvesThatBend) {
  const Advice advice =
      advice_on({1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64},
                {100, 101, 60, 60.5, 40.1, 39.8, 30, 30.2, 25, 25.1, 22.4, 22.5, 21.2, 21.3});
  EXPECT_EQ(advice.limit, TrustLimit::kBent);
  EXPECT_NE(advice.trust, Trust::kHigh);
}

}  // namespace
}  // namespace scalelaw
