#include "scalelaw/render/look_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalelaw {
namespace {

using testing::HasSubstr;

/// What a format shows of a column with these values, of which it has `count`.
std::string shown(const std::vector<std::string>& values, std::uint64_t count,
                  Format format = Format::kTable) {
  LookColumn column;
  column.name = "c";
  column.kind = "text";
  column.values = count;
  column.first_values = values;
  TableLook look;
  look.columns = {column};
  std::string out;
  write_look(look, {.format = format}, [&out](std::string_view text) { out += text; });
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

TEST(RangeOfTexts, IsListsWhereBracketsAreAroundEachValue) {
  EXPECT_THAT(shown({"[1,2,3]", "[4]"}, 2), HasSubstr("  lists\n"));
  EXPECT_THAT(shown({"[beta] new, slow", "[1,2]"}, 2),
              HasSubstr("  \"[beta] new, slow\", \"[1,2]\"\n"));
  EXPECT_THAT(shown({"[2x2]", "[4x4]"}, 2), HasSubstr("  [2x2], [4x4]\n"));
}

TEST(ExamplesOfTexts, AreQuotedAsPeopleSeeThem) {
  const std::vector<std::string> values{"\"b\"", "'c'", "it's \"d\""};
  const std::string all = R"('"b"', "'c'", 'it\'s "d"', ...)";
  EXPECT_THAT(shown(values, 4), HasSubstr("  " + all + "\n"));
  EXPECT_THAT(shown(values, 4, Format::kCsv),
              HasSubstr(R"(,"'""b""', ""'c'"", 'it\'s ""d""', ...",)"));
  EXPECT_THAT(shown(values, 4, Format::kJsonl),
              HasSubstr(R"("examples": "'\"b\"', \"'c'\", 'it\\'s \"d\"', ..."})"));
}

TEST(ExamplesOfTexts, TellABackslashFromWhatItAnnounces) {
  EXPECT_THAT(shown({"C:\\new", "a,\\n", "a,\n"}, 3), HasSubstr(R"(C:\new, "a,\\n", "a,\n")"));
}

TEST(ExamplesOfTexts, AreCutOneByOne) {
  const std::string value = "a value, of more than fifty letters, which has an end";
  EXPECT_THAT(shown({value + " 1", value + " 2"}, 2, Format::kCsv),
              HasSubstr("\"\"\"a value, of more tha… which has an end 1\"\", "
                        "\"\"a value, of more tha… which has an end 2\"\"\""));
}

}  // namespace
}  // namespace scalelaw
