#include "scalelaw/render/look_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalelaw {
namespace {

using testing::HasSubstr;

/// What the table for people shows of a column with these values, of which it has `count`.
std::string shown(const std::vector<std::string>& values, std::uint64_t count) {
  LookColumn column;
  column.name = "c";
  column.kind = "text";
  column.values = count;
  column.first_values = values;
  TableLook look;
  look.columns = {column};
  std::string out;
  write_look(look, {.format = Format::kTable}, [&out](std::string_view text) { out += text; });
  return out;
}

TEST(RangeOfTexts, CutsEachValueByItself) {
  EXPECT_THAT(shown({"billing=8,gres/gpu=16,node=2", "billing=8,gres/gpu=4,node=1"}, 4),
              HasSubstr("\"billing=8,g…=16,node=2\", \"billing=8,g…u=4,node=1\", ..."));
}

TEST(RangeOfTexts, LeavesValuesOutRatherThanCutAllOfThemShort) {
  const std::string value = "billing=8,gres/gpu=16,node=";
  EXPECT_THAT(shown({value + "1", value + "2", value + "4"}, 3),
              HasSubstr("\"billing=8,g…=16,node=1\", \"billing=8,g…=16,node=2\", ..."));
}

TEST(RangeOfTexts, GivesTheRoomOfShortValuesToLongOnes) {
  EXPECT_THAT(shown({"fp16", "a value of more than twenty letters"}, 2),
              HasSubstr("  fp16, \"a value of more than twenty letters\""));
}

TEST(RangeOfTexts, QuotesWhatWouldNotReadAsOneValue) {
  EXPECT_THAT(shown({"com,ma", " blank", "in between"}, 3),
              HasSubstr("\"com,ma\", \" blank\", in between"));
  EXPECT_THAT(shown({"a, \"b\""}, 1), HasSubstr("'a, \"b\"'"));
}

}  // namespace
}  // namespace scalelaw
