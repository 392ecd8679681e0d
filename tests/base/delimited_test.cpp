#include "scalelaw/base/text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace scalelaw {
namespace {

std::string field(std::string_view text, char separator = ',', std::string line = "a,") {
  const std::size_t before = line.size();
  append_delimited(line, text, separator);
  return line.substr(before);
}

TEST(AppendDelimited, QuotesOnlyWhereItMust) {
  EXPECT_EQ(field("BERT large"), "BERT large");
  EXPECT_EQ(field("a,b"), "\"a,b\"");
  EXPECT_EQ(field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(field("a\tb", '\t'), "\"a\tb\"");
  EXPECT_EQ(field("a,b", '\t'), "a,b");
}

TEST(AppendDelimited, QuotesWhatWouldReadAsAComment) {
  EXPECT_EQ(field("#1"), "#1");
  EXPECT_EQ(field("#1", ',', ""), "\"#1\"");
  EXPECT_EQ(field("#1", ',', "header\n"), "\"#1\"");
}

TEST(AppendDelimited, RowsHaveSeparatorsBetweenAndALineFeedBehind) {
  std::string out = "a\n";
  append_delimited_row(out, std::vector<std::string>{"#1", "x\ty", ""}, '\t');
  append_delimited_row(out, std::vector<std::string>{"alone"}, ',');
  EXPECT_EQ(out, "a\n\"#1\"\t\"x\ty\"\t\nalone\n");
}

}  // namespace
}  // namespace scalelaw
