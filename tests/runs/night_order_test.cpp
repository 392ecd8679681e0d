#include "scalelaw/runs/night_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::Optional;
using Rows = std::vector<std::pair<std::string, std::string>>;

TEST(InOwnOrder, NumbersAreOrderedByValue) {
  EXPECT_THAT(in_own_order({"10", "2", "2", "1k"}, "run"), Optional(ElementsAre("2", "10", "1k")));
  EXPECT_THAT(in_own_order({"20260602", "20260531"}, "night"),
              Optional(ElementsAre("20260531", "20260602")));
}

TEST(InOwnOrder, VersionsAreOrderedByTheirParts) {
  EXPECT_THAT(in_own_order({"1.10", "2.1.0", "1.9", "2.1.0rc1"}, "torch_version"),
              Optional(ElementsAre("1.9", "1.10", "2.1.0rc1", "2.1.0")));
  EXPECT_THAT(in_own_order({"v1.10+cu118", "v1.9", "v1.10.1"}, "tag"),
              Optional(ElementsAre("v1.9", "v1.10+cu118", "v1.10.1")));
  EXPECT_THAT(in_own_order({"torch-2.1.0", "torch-2.1.0rc1"}, "release"),
              Optional(ElementsAre("torch-2.1.0rc1", "torch-2.1.0")));
}

TEST(InOwnOrder, DatesAreOrderedByTime) {
  EXPECT_THAT(in_own_order({"01.06.2026", "30.05.2026"}, "date"),
              Optional(ElementsAre("30.05.2026", "01.06.2026")));
  EXPECT_THAT(in_own_order({"2026-06-01T01:00+02:00", "2026-05-31T23:30Z"}, "date"),
              Optional(ElementsAre("2026-06-01T01:00+02:00", "2026-05-31T23:30Z")));
}

TEST(InOwnOrder, TextsThatDifferInNumbersAloneAreOrderedByThese) {
  EXPECT_THAT(in_own_order({"n10", "n2"}, "night"), Optional(ElementsAre("n2", "n10")));
  EXPECT_THAT(in_own_order({"2026-W10", "2026-W9"}, "week"),
              Optional(ElementsAre("2026-W9", "2026-W10")));
}

TEST(InOwnOrder, OnlyFourDigitsThatBeginWith19Or20AreAYear) {
  EXPECT_THAT(in_own_order({"n4x20", "n4x8"}, "night"), Optional(ElementsAre("n4x8", "n4x20")));
  EXPECT_THAT(in_own_order({"n4x1234", "n4x999"}, "night"),
              Optional(ElementsAre("n4x999", "n4x1234")));
  EXPECT_EQ(in_own_order({"n4x2026", "n5x2025"}, "night"), std::nullopt);
}

TEST(InOwnOrder, NamesAndHashesHaveNone) {
  EXPECT_EQ(in_own_order({"main", "fix"}, "version"), std::nullopt);
  EXPECT_EQ(in_own_order({"Mon", "Tue"}, "day"), std::nullopt);
  EXPECT_EQ(in_own_order({"faecbd3", "12bd4ac"}, "commit"), std::nullopt);
  EXPECT_EQ(in_own_order({"1.9", "nightly"}, "version"), std::nullopt);
}

TEST(InOwnOrder, HashesOfDigitsAreNoNumbersBesideHexadecimalOnes) {
  EXPECT_EQ(in_own_order({"7215837", "1200339", "faecbd3"}, "commit"), std::nullopt);
  EXPECT_EQ(in_own_order({"7215837", "12e4567"}, "commit"), std::nullopt);
  EXPECT_EQ(in_own_order({"12e4567", "7b45145"}, "run"), std::nullopt);
}

TEST(InOwnOrder, DatesThatMeanOtherDaysToOthersHaveNone) {
  EXPECT_EQ(in_own_order({"03/04/2026", "04/03/2026"}, "date"), std::nullopt);
  EXPECT_EQ(in_own_order({"03/04/26", "04/03/26"}, "date"), std::nullopt);
  EXPECT_EQ(in_own_order({"3 Apr 2026", "12 Mar 2026"}, "date"), std::nullopt);
}

TEST(InOwnOrder, OneValueHasAnOrder) {
  EXPECT_THAT(in_own_order({"main", "main"}, "branch"), Optional(ElementsAre("main")));
}

TEST(InOrderOfDates, ValuesFollowTheDatesBesideThem) {
  EXPECT_THAT(
      in_order_of_dates(Rows{{"fa", "2026-06-02"}, {"12", "2026-06-01"}, {"fa", "2026-06-03"}}),
      Optional(ElementsAre("12", "fa")));
}

TEST(InOrderOfDates, ValuesThatOverlapHaveNoOrder) {
  EXPECT_EQ(in_order_of_dates(Rows{{"a", "2026-06-01"}, {"b", "2026-06-02"}, {"a", "2026-06-03"}}),
            std::nullopt);
  EXPECT_EQ(in_order_of_dates(Rows{{"a", "2026-06-01"}, {"b", "2026-06-01"}}), std::nullopt);
  EXPECT_EQ(in_order_of_dates(Rows{{"a", "2026-06-01"}, {"b", "soon"}}), std::nullopt);
}

}  // namespace
}  // namespace scalelaw
