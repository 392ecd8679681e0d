#include "scalelaw/runs/row_filter.hpp"

#include <gtest/gtest.h>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

bool holds(std::string_view condition, std::string_view cell) {
  return RowFilter(condition).holds(cell);
}

TEST(RowFilter, NamesItsColumn) {
  EXPECT_EQ(RowFilter("model=BERT").column(), "model");
  EXPECT_EQ(RowFilter(" power.draw [W] >= 5").column(), "power.draw [W]");
}

TEST(RowFilter, EqualMeansAnyOfTheValues) {
  EXPECT_TRUE(holds("model=BERT", "BERT"));
  EXPECT_TRUE(holds("model = BERT , ResNet50", " ResNet50 "));
  EXPECT_FALSE(holds("model=BERT,ResNet50", "DimeNet"));
  EXPECT_FALSE(holds("model=BERT", "bert"));
  EXPECT_FALSE(holds("model=BERT", "BERT large"));
  EXPECT_TRUE(holds("model=", ""));
  EXPECT_FALSE(holds("model=", "BERT"));
  EXPECT_TRUE(holds("model==BERT", "BERT"));
}

TEST(RowFilter, NotEqualMeansNoneOfTheValues) {
  EXPECT_TRUE(holds("model!=BERT,ResNet50", "DimeNet"));
  EXPECT_FALSE(holds("model!=BERT,ResNet50", "BERT"));
  EXPECT_TRUE(holds("model!=BERT", ""));
}

TEST(RowFilter, NumbersAreEqualHoweverTheyAreWritten) {
  EXPECT_TRUE(holds("gpus=64", "64.0"));
  EXPECT_TRUE(holds("gpus=6.4e1", "64"));
  EXPECT_FALSE(holds("gpus!=64", "+64"));
  EXPECT_TRUE(holds("power=250 W", "250.0 W"));
  EXPECT_FALSE(holds("gpus=64", "640"));
}

TEST(RowFilter, ComparesOrderOfNumbers) {
  EXPECT_TRUE(holds("gpus<64", "8"));
  EXPECT_FALSE(holds("gpus<64", "64"));
  EXPECT_TRUE(holds("gpus<=64", "64.0"));
  EXPECT_FALSE(holds("gpus<=64", "64.5"));
  EXPECT_TRUE(holds("gpus>64", "128"));
  EXPECT_FALSE(holds("gpus>64", "64"));
  EXPECT_TRUE(holds("gpus>=64", "64"));
  EXPECT_FALSE(holds("gpus>=64", "63"));
  EXPECT_TRUE(holds("t>-1e3", "-999.5"));
  EXPECT_FALSE(holds("gpus<9", "10 W"));
}

TEST(RowFilter, NoOrderComparisonHoldsForWhatIsNoNumber) {
  for (const char* condition : {"gpus<64", "gpus<=64", "gpus>64", "gpus>=64"}) {
    for (const char* cell : {"", "NA", "many", "1e999", "inf", "nan"})
      EXPECT_FALSE(holds(condition, cell)) << cell;
  }
}

std::string error_of(std::string_view condition) {
  try {
    const RowFilter filter(condition);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RowFilter, QuantitiesCompareInOneUnit) {
  EXPECT_TRUE(RowFilter("t<20 ms").holds("0.015 s"));
  EXPECT_FALSE(RowFilter("t<20 ms").holds("15 s"));
  EXPECT_TRUE(RowFilter("t=30 min").holds("30:00"));
  EXPECT_TRUE(RowFilter("t<2h").holds("1:30:00"));
  EXPECT_TRUE(RowFilter("f=1380 MHz").holds("1380 MHz"));
}

TEST(RowFilter, ColumnsTellTheUnitOfTheirCells) {
  EXPECT_FALSE(RowFilter("time_s<20 ms").holds("15", '.', "time_s"));
  EXPECT_TRUE(RowFilter("time_ms<30s").holds("29000", '.', "time_ms"));
  EXPECT_FALSE(RowFilter("train_minutes<1:00:00").holds("100", '.', "train_minutes"));
  EXPECT_TRUE(RowFilter("time_s=90").holds("1:30", '.', "time_s"));
}

TEST(RowFilter, ABareCellIsNoQuantity) {
  EXPECT_FALSE(RowFilter("t<2h").holds("1"));
  EXPECT_FALSE(RowFilter("t>2h").holds("3"));
  EXPECT_TRUE(RowFilter("t!=2h").holds("2"));
}

TEST(RowFilter, DatesCompareAsDates) {
  EXPECT_TRUE(holds("date>=2026-06-01", "2026-06-01"));
  EXPECT_TRUE(holds("date>=2026-06-01", "2026-10-01 08:00"));
  EXPECT_FALSE(holds("date>=2026-06-01", "2026-05-31T23:59:59"));
  EXPECT_TRUE(holds("date<2026-06-01", "2025/12/31"));
  EXPECT_TRUE(holds("date<2026-06-01", "31.05.2026"));
  EXPECT_FALSE(holds("date<2026-06-01", "2026-06-01"));
  EXPECT_TRUE(holds("date=2026/06/01", "2026-06-01"));
  EXPECT_TRUE(holds("date!=2026-06-02", "2026-06-01"));
}

TEST(RowFilter, ADayHasAllOfItsTimes) {
  EXPECT_TRUE(holds("date<=2026-06-01", "2026-06-01 23:59:59.5"));
  EXPECT_FALSE(holds("date>2026-06-01", "2026-06-01T12:00"));
  EXPECT_TRUE(holds("date=2026-06-01", "2026-06-01T12:00"));
  EXPECT_TRUE(holds("date>2026-06-01T11:59", "2026-06-01T12:00"));
  EXPECT_FALSE(holds("date>2026-06-01T12:00", "2026-06-01T12:00:30"));
  EXPECT_TRUE(holds("date>2026-06-01T12:00:00", "2026-06-01T12:00:30"));
}

TEST(RowFilter, ZonesCountWhereBothHaveOne) {
  EXPECT_TRUE(holds("t<2026-06-01T12:00Z", "2026-06-01T12:30+02:00"));
  EXPECT_FALSE(holds("t<2026-06-01T12:00", "2026-06-01T12:30+02:00"));
}

TEST(RowFilter, RefusesTheOrderOfWhatIsNoDate) {
  EXPECT_TRUE(RowFilter("date>=2026-06-01").refuses("yesterday"));
  EXPECT_TRUE(RowFilter("date>=2026-06-01").refuses("20260601"));
  EXPECT_TRUE(RowFilter("date>=2026-06-01").refuses("2026-02-30"));
  EXPECT_FALSE(RowFilter("date>=2026-06-01").refuses("2026-06-02"));
  EXPECT_FALSE(RowFilter("date>=2026-06-01").refuses(""));
  EXPECT_FALSE(RowFilter("date=2026-06-01").refuses("yesterday"));
  EXPECT_FALSE(RowFilter("gpus>=8").refuses("many"));
}

TEST(RowFilter, RefusesWhatIsNoCondition) {
  EXPECT_EQ(error_of("gpus"),
            "--where 'gpus': expected COLUMN=VALUE or another comparison (!= < <= > >=)");
  EXPECT_EQ(error_of(""), "--where '': expected COLUMN=VALUE or another comparison (!= < <= > >=)");
  EXPECT_EQ(error_of("=5"),
            "--where '=5': expected COLUMN=VALUE or another comparison (!= < <= > >=)");
  EXPECT_EQ(error_of("gpus!5"), "--where 'gpus!5': expected != after the column");
  EXPECT_EQ(error_of("gpus=<5"), "--where 'gpus=<5': expected <=, found =<");
  EXPECT_EQ(error_of("gpus=>5"), "--where 'gpus=>5': expected >=, found =>");
  EXPECT_EQ(error_of("gpus<many"),
            "--where 'gpus<many': expected a number or a date such as 2026-06-01 after the "
            "comparison, found \"many\"");
  EXPECT_EQ(error_of("gpus<="),
            "--where 'gpus<=': expected a number or a date such as 2026-06-01 after the "
            "comparison, found \"\"");
  EXPECT_EQ(error_of("gpus<"),
            "--where 'gpus<': expected a number or a date such as 2026-06-01 after the "
            "comparison, found \"\"");
}

}  // namespace
}  // namespace scalelaw
