#include "scalelaw/base/units.hpp"

#include <gtest/gtest.h>

namespace scalelaw {
namespace {

void expect_quantity(std::string_view text, double value, std::string_view unit) {
  const auto quantity = parse_measure(text);
  ASSERT_TRUE(quantity.has_value()) << text;
  EXPECT_EQ(quantity->value, value) << text;
  EXPECT_EQ(quantity->unit, unit) << text;
}

TEST(ParseQuantity, ReadsANumberWithItsUnit) {
  expect_quantity("153.20 W", 153.2, "W");
  expect_quantity("87 %", 87, "%");
  expect_quantity("1380MHz", 1380, "MHz");
  expect_quantity("  12 seconds\t", 12, "s");
  expect_quantity("-3.5e2 min", -350, "min");
  expect_quantity("16160 MiB", 16160, "MiB");
}

TEST(ParseQuantity, ReadsAPlainNumberWithoutUnit) {
  expect_quantity("12", 12, "");
  expect_quantity(" 1e3 ", 1000, "");
}

TEST(ParseQuantity, TakesTheLongestNumberBeforeTheUnit) {
  expect_quantity("1e3W", 1000, "W");
  expect_quantity("5.h", 5, "h");
}

TEST(ParseQuantity, TellsUnitsApartByCase) {
  expect_quantity("5 mW", 5, "mW");
  expect_quantity("5 MW", 5, "MW");
  expect_quantity("5 mJ", 5, "mJ");
  expect_quantity("5 MJ", 5, "MJ");
}

TEST(ParseQuantity, RefusesUnknownUnitsAndTextWithoutNumber) {
  for (const char* text : {"", "W", "12 eggs", "12 W W", "12 ms s", "1,5 W", "abc", "12:30", "12 e",
                           "inf W", "1e999 W"}) {
    EXPECT_FALSE(parse_measure(text).has_value()) << text;
  }
}

TEST(CanonicalUnit, BringsSpellingsTogether) {
  EXPECT_EQ(canonical_unit("seconds"), "s");
  EXPECT_EQ(canonical_unit("sec"), "s");
  EXPECT_EQ(canonical_unit("watts"), "W");
  EXPECT_EQ(canonical_unit("mhz"), "MHz");
  EXPECT_EQ(canonical_unit("percent"), "%");
  EXPECT_EQ(canonical_unit(""), std::nullopt);
  EXPECT_EQ(canonical_unit("parsec"), std::nullopt);
}

void expect_label(std::string_view header, std::string_view name, std::string_view unit) {
  const ColumnLabel label = column_label(header);
  EXPECT_EQ(label.name, name) << header;
  EXPECT_EQ(label.unit, unit) << header;
}

TEST(ColumnLabel, HasTheUnitOfATimePerThing) {
  EXPECT_EQ(column_label("seconds_per_step").unit, "s");
  EXPECT_EQ(column_label("ms per iteration").unit, "ms");
  EXPECT_EQ(column_label("seconds_per_step").name, "seconds_per_step");
  EXPECT_EQ(column_label("samples_per_second").unit, "");
  EXPECT_EQ(column_label("W_per_gpu").unit, "");
  EXPECT_EQ(column_label("s/it").unit, "s");
  EXPECT_EQ(column_label("ms/step").unit, "ms");
  EXPECT_EQ(column_label("s_per_step").unit, "s");
  EXPECT_EQ(column_label("Seconds per epoch").unit, "s");
  EXPECT_EQ(column_label("s/s").unit, "");
  EXPECT_EQ(column_label("images/s").unit, "");
}

TEST(ColumnLabel, TakesTheUnitFromBrackets) {
  expect_label("power.draw [W]", "power.draw", "W");
  expect_label(" utilization.gpu [%] ", "utilization.gpu", "%");
  expect_label("memory.used [MiB]", "memory.used", "MiB");
}

TEST(ColumnLabel, KeepsBracketsThatHoldNoUnit) {
  expect_label("run [first]", "run [first]", "");
  expect_label("[W]", "[W]", "");
  expect_label("x]", "x]", "");
}

TEST(ColumnLabel, TakesTheUnitFromTheLastWord) {
  expect_label("power_cap_w", "power_cap_w", "W");
  expect_label("clock_mhz", "clock_mhz", "MHz");
  expect_label("epoch_seconds", "epoch_seconds", "s");
  expect_label("time_s", "time_s", "s");
  expect_label("minutes", "minutes", "min");
}

TEST(ColumnLabel, ShortNamesAreNoUnits) {
  expect_label("s", "s", "");
  expect_label("h", "h", "");
  expect_label("ms", "ms", "");
  expect_label("gpus", "gpus", "");
  expect_label("", "", "");
}

TEST(ColumnLabel, TakesAUnitInRoundBracketsToo) {
  EXPECT_EQ(column_label("Time(s)").name, "Time");
  EXPECT_EQ(column_label("Time(s)").unit, "s");
  EXPECT_EQ(column_label("World Size (GPUs)").name, "World Size (GPUs)");
}

TEST(ColumnLabel, ARateIsNotInSeconds) {
  EXPECT_EQ(column_label("tokens_per_second").unit, "");
  EXPECT_EQ(column_label("throughput_mcells_s").unit, "");
  EXPECT_EQ(column_label("images_s").unit, "");
  EXPECT_EQ(column_label("all_steps_s").unit, "s");
  EXPECT_EQ(column_label("time_microseconds").unit, "us");
  EXPECT_EQ(column_label("Time (milliseconds)").unit, "ms");
  EXPECT_EQ(column_label("step_seconds").unit, "s");
}

}  // namespace
TEST(UnitInName, StandsBeforeWhatItIsOf) {
  EXPECT_EQ(unit_in_name("avg_power_w_per_gpu", Dimension::kPower), "W");
  EXPECT_EQ(unit_in_name("energy_kwh_per_epoch", Dimension::kEnergy), "kWh");
  EXPECT_EQ(unit_in_name("power_per_gpu", Dimension::kPower), "");
  EXPECT_EQ(unit_in_name("power_per_gpu_kw_mean", Dimension::kPower), "kW");
}

}  // namespace scalelaw
