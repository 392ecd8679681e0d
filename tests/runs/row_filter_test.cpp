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
            "--where 'gpus<many': expected a number after the comparison, found \"many\"");
  EXPECT_EQ(error_of("gpus<"),
            "--where 'gpus<': expected a number after the comparison, found \"\"");
}

}  // namespace
}  // namespace scalelaw
