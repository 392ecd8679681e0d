#include "scalelaw/input/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scalelaw/base/error.hpp"
#include "scalelaw/input/table_rows.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;

std::vector<std::string> fields_of(std::string_view row, char separator = ',') {
  std::vector<std::string_view> fields;
  tokenize(row, separator, fields);
  return {fields.begin(), fields.end()};
}

TEST(Tokenize, CutsAtSeparators) {
  EXPECT_THAT(fields_of("a,bc,def"), ElementsAre("a", "bc", "def"));
  EXPECT_THAT(fields_of("a\tb,c", '\t'), ElementsAre("a", "b,c"));
  EXPECT_THAT(fields_of("single"), ElementsAre("single"));
}

TEST(Tokenize, KeepsEmptyFieldsAtBothEnds) {
  EXPECT_THAT(fields_of(","), ElementsAre("", ""));
  EXPECT_THAT(fields_of(",a"), ElementsAre("", "a"));
  EXPECT_THAT(fields_of("a,"), ElementsAre("a", ""));
  EXPECT_THAT(fields_of(",,a,,"), ElementsAre("", "", "a", "", ""));
}

TEST(Tokenize, FindsNoFieldInAnEmptyRow) { EXPECT_THAT(fields_of(""), ElementsAre()); }

TEST(Tokenize, KeepsBlanks) { EXPECT_THAT(fields_of(" a , b "), ElementsAre(" a ", " b ")); }

TEST(Tokenize, KeepsSeparatorsAndLineEndsInsideQuotes) {
  EXPECT_THAT(fields_of("\"a,b\",c"), ElementsAre("\"a,b\"", "c"));
  EXPECT_THAT(fields_of("x,\"a\n,b\r\n\",c"), ElementsAre("x", "\"a\n,b\r\n\"", "c"));
  EXPECT_THAT(fields_of("\"\",\"\""), ElementsAre("\"\"", "\"\""));
}

TEST(Tokenize, KnowsDoubledQuotes) {
  EXPECT_THAT(fields_of(R"("a "",b"" c",d)"), ElementsAre(R"("a "",b"" c")", "d"));
  EXPECT_THAT(fields_of(R"("""",x)"), ElementsAre(R"("""")", "x"));
  EXPECT_THAT(fields_of(R"(""",",x)"), ElementsAre(R"(""",")", "x"));
}

TEST(Tokenize, GivesDefectiveFieldsAsTheyStand) {
  EXPECT_THAT(fields_of(R"("a,b)"), ElementsAre(R"("a,b)"));
  EXPECT_THAT(fields_of(R"("a"b,c)"), ElementsAre(R"("a"b)", "c"));
  EXPECT_THAT(fields_of(R"(a"b,c"d)"), ElementsAre(R"(a"b)", R"(c"d)"));
  EXPECT_THAT(fields_of(R"(,")"), ElementsAre("", "\""));
}

TEST(Tokenize, ForgetsWhatWasThere) {
  std::vector<std::string_view> fields;
  tokenize("a,b,c", ',', fields);
  tokenize("d", ',', fields);
  EXPECT_THAT(fields, ElementsAre("d"));
}

TEST(FieldDefect, IsNoneForPlainAndWellQuotedFields) {
  for (const char* field :
       {"", "a", " a b ", "''", R"("")", R"("a")", R"("a""b")", R"("""")", "\"a\nb\""}) {
    EXPECT_EQ(field_defect(field), std::nullopt) << field;
  }
}

TEST(FieldDefect, NamesWhatIsWrongWithTheQuotes) {
  for (const char* field : {"\"", "\"a", R"("a"")", R"(""")", R"("a""b)"}) {
    EXPECT_EQ(field_defect(field), FieldDefect::kUnclosedQuote) << field;
  }
  for (const char* field : {R"("a"b)", R"("a" )", R"(""a)", R"("a" "b")"}) {
    EXPECT_EQ(field_defect(field), FieldDefect::kTextAfterQuote) << field;
  }
  for (const char* field : {R"(a"b)", R"( "a")", R"(a"")"}) {
    EXPECT_EQ(field_defect(field), FieldDefect::kStrayQuote) << field;
  }
}

TEST(FieldText, RemovesOuterQuotesAndMakesDoubledOnesSingle) {
  std::string scratch;
  EXPECT_EQ(field_text("a b", scratch), "a b");
  EXPECT_EQ(field_text("", scratch), "");
  EXPECT_EQ(field_text(R"("")", scratch), "");
  EXPECT_EQ(field_text(R"("a,b")", scratch), "a,b");
  EXPECT_EQ(field_text(R"("a ""b"" c")", scratch), R"(a "b" c)");
  EXPECT_EQ(field_text(R"("""")", scratch), "\"");
  EXPECT_EQ(field_text(R"("""""")", scratch), "\"\"");
}

TEST(RowEnd, IsTheFirstLineFeedOutsideQuotes) {
  EXPECT_EQ(row_end("a,b\nc"), 3u);
  EXPECT_EQ(row_end("\n"), 0u);
  EXPECT_EQ(row_end("\"a\nb\",c\nd"), 7u);
  EXPECT_EQ(row_end("\"a\"\"\n\",c\nd"), 8u);
  EXPECT_EQ(row_end("a,\"\n\n\n\"\r\nx"), 8u);
}

TEST(RowEnd, IsNowhereInARowThatIsCut) {
  EXPECT_EQ(row_end(""), std::string_view::npos);
  EXPECT_EQ(row_end("a,b"), std::string_view::npos);
  EXPECT_EQ(row_end("a,\"b\nc\n"), std::string_view::npos);
  EXPECT_EQ(row_end("\"a\n\"\"\n"), std::string_view::npos);
}

bool is_skipped(std::string_view line) {
  return is_skipped_line(line.data(), line.data() + line.size());
}

TEST(IsSkippedLine, IsTrueOfBlankLinesAndComments) {
  EXPECT_TRUE(is_skipped(""));
  EXPECT_TRUE(is_skipped("\r"));
  EXPECT_TRUE(is_skipped("# comment, with commas"));
  EXPECT_TRUE(is_skipped("#"));
  EXPECT_FALSE(is_skipped(" "));
  EXPECT_FALSE(is_skipped(" # no comment"));
  EXPECT_FALSE(is_skipped("\"#\""));
  EXPECT_FALSE(is_skipped("\r\r"));
}

TEST(TableRows, MayHaveLineFeedsInQuotes) {
  TableRows rows("gpus,note\n1,\"a\n\nb\"\n2,c\n", "t.csv");
  ASSERT_TRUE(rows.next());
  EXPECT_THAT(rows.fields(), ElementsAre("1", "a\n\nb"));
  ASSERT_TRUE(rows.next());
  EXPECT_THAT(rows.fields(), ElementsAre("2", "c"));
  EXPECT_EQ(rows.line(), 5U);
  EXPECT_FALSE(rows.next());
}

TEST(TableRows, ThatEndInAQuoteAreRefusedWithTheLineWhereItOpens) {
  TableRows rows("gpus,note\n1,\"a\nb\n2,c\n", "t.csv");
  try {
    rows.next();
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_STREQ(error.what(), "t.csv:2: unclosed quote");
  }
}

}  // namespace
}  // namespace scalelaw
