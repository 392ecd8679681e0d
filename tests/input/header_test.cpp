#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scalelaw/base/error.hpp"
#include "scalelaw/input/csv.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Header header_of(std::string_view text) {
  const auto header = parse_header(text, true, "runs.csv");
  EXPECT_TRUE(header.has_value());
  return *header;
}

std::string error_of(std::string_view text) {
  try {
    parse_header(text, true, "runs.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParseHeader, TellsNamesAndWhereTheRowsBegin) {
  const Header header = header_of("model,gpus\nBERT,2\n");
  EXPECT_THAT(header.names, ElementsAre("model", "gpus"));
  EXPECT_EQ(header.separator, ',');
  EXPECT_EQ(header.end, 11u);
  EXPECT_EQ(header.lines, 1u);
}

TEST(ParseHeader, TrimsAndUnquotesNames) {
  EXPECT_THAT(header_of(" model ,\"gp\"\"us\",\"a, b\" , \"c\",\r\n").names,
              ElementsAre("model", "gp\"us", "a, b", "c", ""));
}

TEST(ParseHeader, MayLackItsLineFeed) {
  EXPECT_THAT(header_of("model,gpus").names, ElementsAre("model", "gpus"));
  EXPECT_EQ(header_of("model,gpus").end, 10u);
}

TEST(ParseHeader, SkipsByteOrderMarkCommentsAndBlankLines) {
  const Header header = header_of("\xEF\xBB\xBF# it's 5\" wide\n\n\r\n#\nmodel,gpus\r\nBERT");
  EXPECT_THAT(header.names, ElementsAre("model", "gpus"));
  EXPECT_EQ(header.lines, 5u);
  EXPECT_EQ(header.end, 35u);
}

TEST(ParseHeader, TakesTheTabWhereItHoldsMoreTabsThanCommas) {
  EXPECT_EQ(header_of("a\tb\tc,d\n").separator, '\t');
  EXPECT_EQ(header_of("a\tb,c\n").separator, ',');  // There are as many of each.
  EXPECT_EQ(header_of("\"a\t\t\t\",b\n").separator, ',');
  EXPECT_THAT(header_of("a, b\tc\td\n").names, ElementsAre("a, b", "c", "d"));
}

TEST(ParseHeader, TakesWordsOfACommentAboveCommas) {
  const Header header = header_of("# size tput\n1, 9412.65\n2, 11632.78\n8,\n");
  EXPECT_EQ(header.separator, ',');
  EXPECT_THAT(header.names, ElementsAre("size", "tput"));
  // A decimal comma parts no cells.
  EXPECT_EQ(header_of("# gpus time\n1 9412,65\n2 11632,78\n").separator, kBlanks);
}

TEST(ParseHeader, NamesTheColumnsPerScaleByTheWordBeforeTheFirst) {
  EXPECT_THAT(header_of("# proc 1 2  4 Size\n0.5 0.3 0.2 100\n2 1.1 0.6 200\n").names,
              ElementsAre("proc 1", "proc 2", "proc 4", "Size"));
  EXPECT_THAT(header_of("#Size\tThread 1\t2\t\t4\n100 \t0.5\t0.3\t0.2\n200 \t2\t1.1\t0.6\n").names,
              ElementsAre("Size", "Thread 1", "Thread 2", "Thread 4"));
}

TEST(ParseHeader, ObeysTheSeparatorLineOfSpreadsheets) {
  const Header header = header_of("sep=;\r\nmodel;a,b\n");
  EXPECT_EQ(header.separator, ';');
  EXPECT_THAT(header.names, ElementsAre("model", "a,b"));
  EXPECT_EQ(header.lines, 2u);
}

TEST(ParseHeader, RefusesSeparatorsThatCannotSeparate) {
  EXPECT_EQ(error_of(std::string_view("sep=\0\na\0b\n", 10)),
            "runs.csv:1: sep=: NUL cannot separate fields");
  EXPECT_EQ(error_of("sep=\"\na\"b\n"), "runs.csv:1: field 1: quote inside an unquoted field");
}

TEST(ParseHeader, MayHoldALineFeedInQuotes) {
  const Header header = header_of("\"epoch\nseconds\",gpus\n1,2\n");
  EXPECT_THAT(header.names, ElementsAre("epoch\nseconds", "gpus"));
  EXPECT_EQ(header.lines, 2u);
}

TEST(ParseHeader, WaitsForItsEnd) {
  EXPECT_EQ(parse_header("", false, ""), std::nullopt);
  EXPECT_EQ(parse_header("# comment\n", false, ""), std::nullopt);
  EXPECT_EQ(parse_header("# comm", false, ""), std::nullopt);
  EXPECT_EQ(parse_header("model,gpus", false, ""), std::nullopt);
  EXPECT_EQ(parse_header("\"model\n", false, ""), std::nullopt);
}

TEST(ParseHeader, RefusesWhatIsNoHeader) {
  EXPECT_EQ(error_of(""), "runs.csv: empty: no header line");
  EXPECT_EQ(error_of("\xEF\xBB\xBF"), "runs.csv: empty: no header line");
  EXPECT_EQ(error_of("# only\n\n"), "runs.csv: empty: no header line");
  EXPECT_EQ(error_of("\n\"a\n"), "runs.csv:2: field 1: unclosed quote");
  EXPECT_EQ(error_of("a,b \"c\"\n"), "runs.csv:1: field 2: quote inside an unquoted field");
  EXPECT_EQ(error_of("a,\xFF\n"), "runs.csv:1: field 2 of the header: invalid UTF-8");
  EXPECT_THAT(error_of(std::string_view("a,b\0\n", 5)),
              HasSubstr("field 2 of the header: control character (NUL)"));
  EXPECT_THAT(error_of("a,b\rc,d\r"), HasSubstr("carriage returns without line feeds"));
}

TEST(ParseHeader, FindsSemicolonsAndBars) {
  EXPECT_EQ(header_of("a;b\n1;2,5\n").separator, ';');
  EXPECT_EQ(header_of("a|b\n").separator, '|');
  EXPECT_THAT(header_of("gpus;time, s\n1;12,5\n2;6\n").names, ElementsAre("gpus", "time, s"));
}

TEST(ParseHeader, TakesTheSeparatorThatDividesTheRowsAlike) {
  EXPECT_EQ(header_of("a|b,c;d\n1,2\n3,4\n").separator, ',');
  EXPECT_EQ(header_of("a|b,c\n1|2\n3|4\n").separator, '|');
  EXPECT_EQ(header_of("a|b,c\n1|2").separator, '|');
}

TEST(ParseHeader, FindsRunsOfBlanksOnlyAmongNumbers) {
  const Header header = header_of("  gpus   time\n 1 \t 12.5\n");
  EXPECT_EQ(header.separator, kBlanks);
  EXPECT_THAT(header.names, ElementsAre("gpus", "time"));
  EXPECT_EQ(header_of("wall time\n12.5 s\n13 s\n").separator, ',');  // One column of times.
  EXPECT_EQ(header_of("wall time\n12.5\n").separator, ',');
  EXPECT_EQ(header_of("model name\nBERT large\n").separator, ',');
  EXPECT_EQ(header_of("wall time\n12 5\n13\n14\n15 1\n16\n").separator, ',');  // Two of five.
}

TEST(ParseHeader, CallsTheColumnsOfATableOfNumbersByTheirPlaces) {
  const Header header = header_of("1,1,9.5\n2,1,5.1\n");
  EXPECT_TRUE(header.headerless);
  EXPECT_THAT(header.names, ElementsAre("c1", "c2", "c3"));
  EXPECT_EQ(header.end, 0);
  EXPECT_EQ(header.lines, 0);
  EXPECT_THAT(header_of("1 9.5\n2 5.1\n").names, ElementsAre("c1", "c2"));
  EXPECT_TRUE(header_of("1,2,100\n2,4,200\n").headerless);
  EXPECT_THAT(header_of("1,2,4\n9,5,3\n").names, ElementsAre("1", "2", "4"));  // Scales.
  EXPECT_FALSE(header_of("1,2\na,b\n").headerless);
  EXPECT_TRUE(header_of("1: 97ns\n2: 57ns\n4: 29ns\n").headerless);
  EXPECT_TRUE(header_of("1   77.7     sec\n2   40.1     sec\n4   20.2     sec\n").headerless);
  EXPECT_TRUE(header_of("lu,1,77.7\nlu,2,40.1\nlu,4,20.2\n").headerless);
  EXPECT_TRUE(header_of("lu,1,77.7\ncg,2,40.1\nlu,4,20.2\n").headerless);
  EXPECT_FALSE(header_of("lu,1,77.7\ncg,2,40.1\nft,4,20.2\n").headerless);
  EXPECT_FALSE(header_of("ms,1,2,4\nms,40.1,20.2,10.1\n").headerless);
  EXPECT_FALSE(header_of("lu,1,77.7\nlu,2,40.1 s\nlu,4,20.2 s\n").headerless);
  EXPECT_FALSE(header_of("gpu,1,2\ngpu,1\ngpu,2\n").headerless);
  EXPECT_FALSE(header_of("1,2\n").headerless);
}

TEST(ParseHeader, TakesUnitsInASecondRow) {
  const Header header = header_of("gpus,time,memory\n,(ms),[GB]\n1,9,2\n");
  EXPECT_THAT(header.names, ElementsAre("gpus", "time (ms)", "memory [GB]"));
  EXPECT_EQ(header.lines, 2);
  EXPECT_THAT(header_of("gpus;time\n-;s\n1;9\n").names, ElementsAre("gpus", "time (s)"));
  EXPECT_EQ(header_of("gpus,host\n1,(a)\n").lines, 1);
}

TEST(ParseHeader, TakesTheCommentAboveTheFirstRow) {
  const Header header = header_of("# made today\n#  gpus  time\n1 12.5\n2 6\n");
  EXPECT_TRUE(header.in_comment);
  EXPECT_EQ(header.separator, kBlanks);
  EXPECT_THAT(header.names, ElementsAre("gpus", "time"));
  EXPECT_EQ(header.lines, 2u);
  EXPECT_EQ(header.end, 27u);
  EXPECT_THAT(header_of("#gpus,time\n1,12.5\n").names, ElementsAre("gpus", "time"));
}

TEST(ParseHeader, TakesTheCommentAboveALineThatIsDrawn) {
  for (const char* const line : {"#", "# ---------", "#====#"}) {
    const std::string text =
        "# mesh  nproc  time(s)\n" + std::string(line) + "\n a  8  12.5\n a  16  6\n";
    EXPECT_THAT(header_of(text).names, ElementsAre("mesh", "nproc", "time(s)")) << line;
  }
}

TEST(ParseHeader, TakesUnitsBehindBlanksToTheNamesOfAComment) {
  EXPECT_THAT(header_of("# nodes  walltime (s)\n 1   100.0\n\n 2    52.0\n").names,
              ElementsAre("nodes", "walltime(s)"));
  EXPECT_THAT(header_of("# nodes  walltime [s] energy (kJ)\n1 100.0 5\n2 52.0 5\n").names,
              ElementsAre("nodes", "walltime[s]", "energy(kJ)"));
  EXPECT_THAT(header_of("# a b (s)\n1 2 3\n4 5 6\n").names, ElementsAre("a", "b", "(s)"))
      << "as many words as columns";
}

TEST(ParseHeader, LeavesOtherCommentsAlone) {
  EXPECT_THAT(header_of("# a, b\ngpus,time\n1,2\n").names, ElementsAre("gpus", "time"));
  EXPECT_THAT(header_of("# one, two, three\n1,2\n").names, ElementsAre("1", "2"));
  EXPECT_THAT(header_of("# seconds\n12.5\n").names, ElementsAre("value"));
}

TEST(ParseHeader, SkipsTheRuleUnderTheNames) {
  EXPECT_EQ(header_of("a|b\n---|---\n1|2\n").end, 12u);
  EXPECT_EQ(header_of("a,b\n---,---\n1,2\n").end, 4u);
}

TEST(ParseHeader, ObeysTheDelimiterThatIsNamed) {
  const auto header = parse_header("a;b,c\n", true, "runs.csv", {.delimiter = ';'});
  EXPECT_THAT(header->names, ElementsAre("a", "b,c"));
}

TEST(FindColumn, FindsByTheCellOrTheNameWithoutUnit) {
  const Header header = header_of("model,power.draw [W],gpus\n");
  EXPECT_EQ(find_column(header, "gpus", ""), 2u);
  EXPECT_EQ(find_column(header, "power.draw", ""), 1u);
  EXPECT_EQ(find_column(header, "power.draw [W]", ""), 1u);
  EXPECT_EQ(find_column(header, "GPUs", ""), std::nullopt);
  EXPECT_EQ(find_column(header, "power", ""), std::nullopt);
}

TEST(FindColumn, RefusesAColumnThatStandsTwice) {
  const Header header = header_of("a,b,a\n");
  EXPECT_EQ(find_column(header, "b", "runs.csv"), 1u);
  try {
    find_column(header, "a", "runs.csv");
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_STREQ(
        error.what(),
        "runs.csv:1: column 'a' appears twice in the header (fields 1 and 3): rename one of them");
  }
}

}  // namespace
}  // namespace scalelaw
