#include "input/markup_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "input/text_frames.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;

constexpr const char* kListTable =
    "Scaling\n-------\n\n.. list-table:: Strong scaling\n   :header-rows: 1\n   :widths: 15 20 "
    "20\n\n"
    "   * - Cores\n     - Time (s)\n     - Note\n"
    "   * - 1\n     - 87.2\n     - a | b\n\n"
    "   * - 2\n     - 44.8\n     - runs\n       on\n"
    "   * - 4\n     - 23.1\n     -\n"
    "   * - 8\n     - 15.2\n     - last\n\nText goes on.\n";

TEST(BarsOfDirectives, KeepsEveryRowInItsLine) {
  const std::string bars = bars_of_directives(kListTable);
  const auto lines = lines_of(bars);
  EXPECT_EQ(lines.size(), lines_of(kListTable).size());
  EXPECT_EQ(lines[3], "Strong scaling");
  EXPECT_EQ(lines[7], "| Cores | Time (s) | Note |");
  EXPECT_EQ(lines[10], "| 1 | 87.2 | a \\| b |");
  EXPECT_EQ(lines[14], "| 2 | 44.8 | runs on |");
  EXPECT_EQ(lines[18], "| 4 | 23.1 |  |");
  EXPECT_EQ(lines.back(), "Text goes on.");
  const auto frames = frames_in(lines);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_THAT(frames[0].names, ElementsAre("Cores", "Time (s)", "Note"));
}

TEST(BarsOfDirectives, NeedNoTitleNorTextAbove) {
  const std::string bars = bars_of_directives(
      ".. list-table::\n\n   * - a\n     - b\n   * - 1\n     - 2\n   * - 2\n     - 4\n");
  ASSERT_EQ(frames_in(lines_of(bars)).size(), 1U);
}

TEST(BarsOfDirectives, ReadsTablesOfCommas) {
  const std::string bars = bars_of_directives(
      ".. csv-table:: Runs\n   :header: \"Cores\", \"Time (s)\"\n   :widths: 1, 2\n\n"
      "   1, 87.2\n   \"2\", 44.8\n   4, 23.1\n");
  const auto lines = lines_of(bars);
  EXPECT_EQ(lines[1], "| Cores | Time (s) |");
  EXPECT_EQ(lines[5], "| 2 | 44.8 |");
}

TEST(BarsOfDirectives, LeavesOtherTextsAlone) {
  for (const std::string text :
       {"a,b\n1,2\n", ".. list-table::\n", ".. list-table:: x\n\n   * - a\n     - b\n   * - 1\n",
        ".. note:: a-table::\n"}) {
    EXPECT_EQ(bars_of_directives(text).substr(0, 3), text.substr(0, 3)) << text;
  }
}

}  // namespace
}  // namespace scalelaw::test
