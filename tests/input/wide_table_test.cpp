#include "input/wide_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;

std::string as_long(std::string_view wide, const std::string& scale, std::size_t step = 7) {
  WideTable table(stream_of(wide), "wide.csv", {.wide = scale});
  std::string text;
  std::string block(step, '\0');
  while (const std::size_t got = table.read(block.data(), step)) text.append(block, 0, got);
  return text;
}

TEST(WideColumns, ShareAllButANumber) {
  const auto gpus = wide_columns({"model", "1 GPU", "2 GPUs", "4 GPUs", "seed"}, "gpus");
  ASSERT_TRUE(gpus);
  EXPECT_THAT(gpus->scales, ElementsAre("1", "2", "4"));
  EXPECT_THAT(gpus->names, ElementsAre("value"));
  EXPECT_THAT(gpus->places, ElementsAre(ElementsAre(1, 2, 3)));
  const auto np = wide_columns({"np=1", "np=2", "Scaling (np=1)"}, "processes");
  ASSERT_TRUE(np);
  EXPECT_THAT(np->places, ElementsAre(ElementsAre(0, 1)));
  EXPECT_FALSE(wide_columns({"gpus", "seconds", "p50"}, "gpus"));
}

TEST(WideColumns, OfNodesTimesGpusAreTheirProduct) {
  const auto wide = wide_columns({"model", "1*1", "1*8", "4*8"}, "");
  ASSERT_TRUE(wide);
  EXPECT_THAT(wide->scales, ElementsAre("1", "8", "32"));
}

TEST(WideColumns, OfTheSameScalesAreSeveralMeasurements) {
  const auto both = wide_columns({"time_1", "time_2", "energy_1", "energy_2", "loss_9"}, "gpus");
  ASSERT_TRUE(both);
  EXPECT_THAT(both->names, ElementsAre("time", "energy"));
}

TEST(WideTable, HasARowPerScale) {
  const char* const wide = "model;1 GPU;2 GPUs\n# told\nA;10;\"5;2\"\n\n\"B;b\";8;4,5\n";
  const char* const expected =
      "model;gpus;value\nA;1;10\nA;2;\"5;2\"\n\"B;b\";1;8\n\"B;b\";2;4,5\n";
  for (const std::size_t step : {1, 7, 1000}) EXPECT_EQ(as_long(wide, "gpus", step), expected);
}

TEST(WideTable, CallsAColumnRowThatBearsTheNameOfTheScale) {
  EXPECT_EQ(as_long("GPUs,1,2\nms,9,5\n", "GPUs"), "row,GPUs,value\nms,1,9\nms,2,5\n");
}

TEST(WideTable, KnowsTheLinesOfTheWideTable) {
  const std::string wide = "model,1,2\n# told\nA,10,5\n\nB,8,4\n";
  const std::string text = as_long(wide, "n");
  const auto line_of = [&](std::string_view row) {
    WideTable table(stream_of(wide), "wide.csv", {.wide = "n"});
    return table.line_at(text.find(row));
  };
  EXPECT_EQ(line_of("A,1,10"), 3);
  EXPECT_EQ(line_of("A,2,5"), 3);
  EXPECT_EQ(line_of("B,1,8"), 5);
}

TEST(WideTable, NeedsColumnsThatAreNamedByScales) {
  EXPECT_THROW(as_long("gpus,seconds\n1,2\n", "gpus"), DataError);
  EXPECT_THROW(as_long("model,1,2\nA,10\n", "gpus"), ParseError);
}

}  // namespace
}  // namespace scalelaw
