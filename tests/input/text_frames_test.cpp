#include "input/text_frames.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <utility>
#include <vector>

#include "input/frame_cells.hpp"
#include "input/table_text.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "support/command.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Reads a file with that text: its names, then its rows, "1: a|b", each with its line.
std::vector<std::string> table_in(const std::string& text, const TextLayout& layout = {}) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "t.md").string();
  write_bytes(path, text);
  const auto joined_by_bars = [](const std::vector<std::string>& cells) {
    std::string out;
    for (const std::string& cell : cells) out += (out.empty() ? "" : "|") + cell;
    return out;
  };
  TableRows rows(path, layout);
  std::vector<std::string> found{joined_by_bars(rows.header().names)};
  while (rows.next()) {
    found.push_back(std::to_string(rows.line()) + ": " + joined_by_bars(rows.fields()));
  }
  return found;
}

std::string told_in(const std::string& text) {
  const auto lines = lines_of(text);
  const auto frames = frames_in(lines);
  return frames.empty() ? "no table" : told_of_frame(lines, frames, 0);
}

TEST(TextFrames, OfBarsWithARuleWinOverCommas) {
  EXPECT_THAT(table_in("Times, of one day\n\n| n | size | time |\n|---|---|---|\n"
                       "| 1 | 33.055 | 0,030 ms |\n| 2 | 66.110 | 0,016 ms |\n"),
              ElementsAre("n|size|time", "5: 1|33.055|0,030 ms", "6: 2|66.110|0,016 ms"));
  EXPECT_THAT(table_in("a,b\n1,x | y\n2,---\n3,z\n"),
              ElementsAre("a|b", "2: 1|x | y", "3: 2|---", "4: 3|z"));
}

TEST(TextFrames, FillTheNamesOfBlocksDown) {
  const std::string text =
      "| Model | n | t |\n|---|---|---|\n| A | 1 | 9 |\n| | 2 | 5 |\n| B | 1 | 8 |\n| | 2 | 4 |\n";
  EXPECT_THAT(table_in(text),
              ElementsAre("Model|n|t", "3: A|1|9", "4: A|2|5", "5: B|1|8", "6: B|2|4"));
  EXPECT_THAT(told_in(text), HasSubstr("empty cells of 'Model' are filled from the row above"));
  const std::string head = "| Model | n | t |\n|---|---|---|\n";
  for (const char* rows : {"| 1 | 1 | 9 |\n| | 2 | 5 |\n",     // A measurement is missing.
                           "| | 1 | 9 |\n| A | 2 | 5 |\n",     // Nothing stands above.
                           "| A | 1 | 9 |\n| | or | so |\n",   // The cell goes on.
                           "| A | 1 | |\n| B | 2 | 5 |\n"}) {  // Another column.
    EXPECT_THAT(told_in(head + rows), testing::Not(HasSubstr("filled"))) << rows;
  }
}

TEST(TextFrames, StandBetweenProse) {
  const std::string text =
      "# Results\n\nMeasured today.\n\n| GPUs | Time (s) |\n|---|---:|\n| 1 | 9 |\n| 2 | 5 |\n\n"
      "All of them | none.\n";
  EXPECT_THAT(table_in(text), ElementsAre("GPUs|Time (s)", "7: 1|9", "8: 2|5"));
  EXPECT_EQ(told_in(text),
            "bars separate the columns; the table is in lines 5 to 8; lines without a table are "
            "left out: 1, 3, 10");
  EXPECT_EQ(told_in("| a | b |\n|---|---|\n| 1 | 2 |\n"), "bars separate the columns");
}

TEST(TextFrames, HaveRulesOfManyForms) {
  for (const char* const rule : {"|---|---|", "|:-:|--:|", "|-|-|", "---|---", "|----+----|",
                                 " :--- | ---: ", "+---+---+", "+===+===+"}) {
    const std::string text = std::string("| n | t |\n") + rule + "\n| 1 | 9 |\n| 2 | 5 |\n";
    EXPECT_THAT(table_in(text), ElementsAre("n|t", "3: 1|9", "4: 2|5")) << rule;
  }
  EXPECT_THAT(table_in("+---+---+\n| n | t |\n|   | (s) |\n+===+===+\n| 1 | 9 |\n+---+---+\n"
                       "| 2 | 5 |\n+---+---+\n"),
              ElementsAre("n|t (s)", "5: 1|9", "7: 2|5"));
  EXPECT_THAT(table_in("┌───┬───┐\n│ n │ t │\n├───┼───┤\n│ 1 │ 9 │\n│ 2 │ 5 │\n└───┴───┘\n"),
              ElementsAre("n|t", "4: 1|9", "5: 2|5"));
  EXPECT_THAT(table_in(" n | t \n---+---\n 1 | 9 \n 2 | 5 \n(2 rows)\n"),
              ElementsAre("n|t", "3: 1|9", "4: 2|5"));
  EXPECT_THAT(table_in("====== =====\nNo. of time\nthe n  (s)\n====== =====\n1      9\n2      5\n"
                       "====== =====\n"),
              ElementsAre("No. of the n|time (s)", "5: 1|9", "6: 2|5"));
  EXPECT_THAT(table_in("Number of tasks  Time\n---------------  ----\n              1    9\n"
                       "              2    5\n"),
              ElementsAre("Number of tasks|Time", "3: 1|9", "4: 2|5"));
}

TEST(TextFrames, NeedNoBarsAtTheEndsOfRows) {
  EXPECT_THAT(table_in("| a | n | t |\n| --- | ---: | --- |\nx | 1 | 0,5 |\ny | 2 | |\n"),
              ElementsAre("a|n|t", "3: x|1|0,5", "4: y|2|"));
  EXPECT_THAT(table_in("n | t\n:--: | --:\n1 | 9\n2 | 5\n"),
              ElementsAre("n|t", "3: 1|9", "4: 2|5"));
  EXPECT_THAT(table_in("| n | t |\n| 1 | 9 |\n| 2 | 5 |\n"),
              ElementsAre("n|t", "2: 1|9", "3: 2|5"));
}

TEST(TextFrames, FillShortRowsAndRefuseLongOnes) {
  EXPECT_THAT(table_in("| n | t | s |\n|---|---|---|\n| 1 | 9 |\n| 2 | 5 | 1 |\n"),
              ElementsAre("n|t|s", "3: 1|9|", "4: 2|5|1"));
  try {
    table_in("| n | t |\n|---|---|\n| 1 | 9 |\n| 2 | 5 | 7 |\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("t.md:4: expected 2 fields, found 3"));
  }
}

TEST(TextFrames, OfSeveralTablesOneIsRead) {
  const std::string text =
      "## A\n| n | t |\n|---|---|\n| 1 | 9 |\n\n## B\n| n | t |\n|---|---|\n| 1 | 8 |\n| 2 | 4 |\n";
  EXPECT_THAT(table_in(text), ElementsAre("n|t", "4: 1|9"));
  EXPECT_THAT(told_in(text), HasSubstr("further tables are not read, in lines 7 to 10: --table 2"));
  TextLayout layout;
  layout.table = 2;
  EXPECT_THAT(table_in(text, layout), ElementsAre("n|t", "9: 1|8", "10: 2|4"));
  layout.table = 3;
  try {
    table_in(text, layout);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("t.md: --table 3: the file holds 2 tables"));
  }
  layout.table = 2;
  EXPECT_THROW(table_in("n,t\n1,9\n", layout), DataError);
}

TEST(TextFrames, OfTheSameTableMayHaveABlankLine) {
  EXPECT_THAT(table_in("| n | t |\n|---|---|\n| 1 | 9 |\n\n| 2 | 5 |\n"),
              ElementsAre("n|t", "3: 1|9", "5: 2|5"));
  EXPECT_THAT(table_in("| n | t | note |\n|---|---|---|\n| 1 | 9 | a |\n\n| 2 | 5 | |\n"),
              ElementsAre("n|t|note", "3: 1|9|a", "5: 2|5|"));
  EXPECT_THAT(told_in("| n | t |\n|---|---|\n| 1 | 9 |\n| m | s |\n|---|---|\n| 2 | 5 |\n"),
              HasSubstr("lines 4 to 6: --table 2"));
}

/// Processor time of finding the one frame above so many lines; the least of three.
double ticks_to_find(const char* line, int count) {
  std::string text = "| n | t |\n|---|---|\n| 1 | 9 |\n| 2 | 5 |\n\n";
  for (int i = 0; i < count; ++i) text += line;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    EXPECT_EQ(frames_in(lines_of(text)).size(), 1) << line;
    least = std::min(least, static_cast<double>(std::clock() - start));
  }
  return least;
}

// A search whose time grows with the square of the lines takes 64 times as long for eight times as
// many, on any machine.
TEST(TextFrames, AreFoundAboveLongLogsInTimeThatGrowsWithTheirLines) {
  const std::vector<std::pair<const char*, int>> logs{{"INFO all is well\n", 6000},
                                                      {"12 | INFO | step 5 | all is well\n", 600}};
  for (const auto& [line, count] : logs) {
    EXPECT_LT(ticks_to_find(line, 8 * count), 24 * ticks_to_find(line, count)) << line;
  }
}

TEST(TextFrames, ShowMarkdownAsAPageDoes) {
  EXPECT_EQ(markdown_text(" **7.4 s** "), "7.4 s");
  EXPECT_EQ(markdown_text("Wall<br>Clock<br/>Time"), "Wall Clock Time");
  EXPECT_EQ(markdown_text("[8 GPUs](https://a.b/c(d)"), "8 GPUs");
  EXPECT_EQ(markdown_text("`a\\|b` &nbsp;&lt;5[^1]"), "a|b  <5");
  EXPECT_EQ(markdown_text("12.3<sup>a</sup>"), "12.3");
  EXPECT_EQ(markdown_text("10<sup>6</sup>"), "10^6");
  EXPECT_EQ(markdown_text("5x10<sup>\u22123</sup> s"), "5x10^-3 s");
  EXPECT_EQ(markdown_text("110<sup>2</sup>"), "110");
  EXPECT_EQ(markdown_text("![plot](x.png) my_name \\* a < b"), "plot my_name * a < b");
  EXPECT_EQ(markdown_text("*7.4 s*"), "7.4 s");
  EXPECT_EQ(markdown_text("_16_"), "16");
  EXPECT_EQ(markdown_text("*16"), "*16");  // A footnote's star, and no emphasis.
  EXPECT_THAT(bar_cells("| a \\| b | c |"), ElementsAre("a \\| b", "c"));
}

TEST(TextFrames, LeaveTheSignsOfFormulasOut) {
  EXPECT_EQ(markdown_text("$3,786$ ms"), "3,786 ms");
  EXPECT_EQ(markdown_text("$3 to $5"), "$3 to $5");
  EXPECT_EQ(markdown_text("$3/$5"), "$3/$5");
  EXPECT_EQ(markdown_text("$3"), "$3");
}

TEST(TextFrames, MayBeRowsOfLatex) {
  EXPECT_THAT(table_in("&1&2&4\\\\\n8&0.5&0.3&0.2\\\\\n16&2&1.1&0.6\\\\\n"),
              ElementsAre("row|1|2|4", "2: 8|0.5|0.3|0.2", "3: 16|2|1.1|0.6"));
  EXPECT_THAT(
      table_in("\\begin{tabular}{rr}\n\\toprule\nThreads & Time \\\\\n\\midrule\n1 & $9.5$ \\\\\n"
               "2 & 5 \\\\\n\\bottomrule\n\\end{tabular}\n"),
      ElementsAre("Threads|Time", "5: 1|9.5", "6: 2|5"));
}

TEST(TextFrames, HaveColumnsBetweenBlanks) {
  EXPECT_THAT(table_in("Number of Tasks   Time (s)\n1                 9\n2                 5\n"),
              ElementsAre("Number of Tasks|Time (s)", "2: 1|9", "3: 2|5"));
  EXPECT_THAT(table_in("#  threads   wall time (s)\n1 9\n2 5\n"),
              ElementsAre("threads|wall time (s)", "2: 1|9", "3: 2|5"));
  EXPECT_THAT(table_in("Results:\n\nn  time\n--------\n1  9 s\n2  5 s\n"),
              ElementsAre("n|time", "5: 1|9 s", "6: 2|5 s"));
  EXPECT_THAT(table_in("Tasks   Wall  time\n1       9.5\n2       5.5\n"),
              ElementsAre("Tasks|Wall time", "2: 1|9.5", "3: 2|5.5"));
  EXPECT_THAT(table_in("n  time  memory\n   (ms)  [MB]\n1  9     4\n2  5     4\n"),
              ElementsAre("n|time (ms)|memory [MB]", "3: 1|9|4", "4: 2|5|4"));
}

TEST(TextFrames, HaveColumnsWithRemarksAndSentencesBelow) {
  EXPECT_THAT(
      table_in("  Version        n   time\n  ---------------------\n"
               "  serial build   1   9.5\n  with threads   2   5.5  <- best\n"
               "This is a sentence of some words.\n"),
      ElementsAre("Version|n|time", "3: serial build|1|9.5", "4: with threads|2|5.5 <- best"));
}

TEST(TextFrames, MayHaveAHeaderWithAnotherDelimiter) {
  EXPECT_THAT(table_in("\"MPI ranks\",\"cycles/s\"\n1 6e7\n2 1e8\n"),
              ElementsAre("MPI ranks|cycles/s", "2: 1|6e7", "3: 2|1e8"));
  EXPECT_THAT(table_in("n,t\n1;9\n2;5\n"), ElementsAre("n|t", "2: 1|9", "3: 2|5"));
  EXPECT_THAT(table_in("Today's results\n\nn,t\n1,9\n2,5\n"),
              ElementsAre("n|t", "4: 1|9", "5: 2|5"));
}

TEST(TextFrames, AreNotSoughtInPlainTables) {
  EXPECT_EQ(told_in("Run one took long.\nRun two did not.\nRun three either.\n"), "no table");
  EXPECT_THAT(table_in("a|n\nx|1\ny|2\n"), ElementsAre("a|n", "2: x|1", "3: y|2"));
  EXPECT_THROW(table_in("n,t\n\"1,9\n2,5\n3,4\n"), Error);
  EXPECT_THROW(table_in("n,t\n1,9,3\n2,5\n3,4\n"), Error);
}

TEST(TextFrames, LatexLeavesItsCommandsOut) {
  EXPECT_THAT(table_in("\\begin{tabular}{lrr}\n\\toprule\n\\textbf{Nodes} & \\textbf{GPUs} & "
                       "$t$~[s] & \\textit{Eff.} \\\\\n\\midrule\n16 & 1\\,024 & 51.4 $\\pm$ 0.2 & "
                       "100\\,\\% \\\\\n32 & 2\\,048 & $26^{\\dagger}$ & 98\\,\\% \\\\\n"
                       "\\bottomrule\n\\end{tabular}\n"),
              ElementsAre("Nodes|GPUs|t [s]|Eff.", "5: 16|1 024|51.4 \u00B1 0.2|100 %",
                          "6: 32|2 048|26|98 %"));
}

TEST(TextFrames, LatexHasMergedCells) {
  EXPECT_THAT(table_in("\\begin{tabular}{c|cc|cc}\n\\hline\n& \\multicolumn{2}{c|}{ResNet-50} & "
                       "\\multicolumn{2}{c}{BERT} \\\\\n\\cmidrule(lr){2-3} \\cmidrule(lr){4-5}\n"
                       "GPUs & Time (s) & Speedup & Time (s) & Speedup \\\\ \\hline\n"
                       "1 & 100.0 & 1.0 & 400 & 1.0 \\\\\n2 & 52.0 & 1.92 & 208 & 1.92 \\\\ "
                       "\\hline\n\\end{tabular}\n"),
              ElementsAre("GPUs|ResNet-50 Time (s)|ResNet-50 Speedup|BERT Time (s)|BERT Speedup",
                          "6: 1|100.0|1.0|400|1.0", "7: 2|52.0|1.92|208|1.92"));
}

// \multicolumn{2} is followed by one empty cell. A count that no page has is taken for 1.
TEST(TextFrames, LatexMergesNoImpossibleCountOfCells) {
  EXPECT_EQ(latex_columns("\\multicolumn{2}{c|}{BERT}"), 2U);
  for (const char* count : {"0", "-3", "1001", "1e300"}) {
    const std::string cell = std::string("\\multicolumn{") + count + "}{c}{BERT}";
    EXPECT_EQ(latex_columns(cell), 1U) << cell;
  }
}

// For a sanitizer: what would be its header stands behind the end of the text.
TEST(TextFrames, ARuleAtTheEndHasNoTableBelow) {
  EXPECT_TRUE(frames_in(lines_of("All is well.\n=====  =====")).empty());
}

TEST(TextFrames, TablesOfHtmlAreRead) {
  const auto rows = table_in(
      "<html><body><p>A page, with commas</p>\n<table class='t'>\n<tr><th "
      "rowspan=\"2\">Nodes</th><th colspan=2>CPU</th></tr>\n<tr><th>time (s)</th><th>energy "
      "(kJ)</th></tr>\n<tr><td>1</td><td><b>1,024.5</b></td><td>5&nbsp;0</td></tr>\n"
      "<tr><td>2</td><td>520.1</td><td>51</td></tr></table></body></html>\n");
  EXPECT_THAT(rows, ElementsAre("Nodes|CPU time (s)|CPU energy (kJ)", HasSubstr("1|1,024.5|5 0"),
                                HasSubstr("2|520.1|51")));
  const auto blocks = table_in(
      "<table><tr><th>Model</th><th>GPUs</th><th>s</th></tr><tr><td rowspan=2>A</td><td>1</td>"
      "<td>9</td></tr><tr><td>2</td><td>5</td></tr></table>");
  EXPECT_THAT(blocks, ElementsAre("Model|GPUs|s", HasSubstr("A|1|9"), HasSubstr("A|2|5")));
}

TEST(TextFrames, NamesOfBlocksInCsvAreFilledWhereAScaleBeginsAnew) {
  EXPECT_THAT(table_in("Model,GPUs,Time (s)\nA,1,100\n,2,52\n,4,27\nB,1,180\n,2,95\n"),
              ElementsAre("Model|GPUs|Time (s)", "2: A|1|100", "3: A|2|52", "4: A|4|27",
                          "5: B|1|180", "6: B|2|95"));
  // A note beside some rows names no block.
  EXPECT_THAT(
      table_in("note,GPUs,s\nslow,1,100\n,2,52\n,4,27\nok,8,14\n,16,9\n"),
      ElementsAre("note|GPUs|s", "2: slow|1|100", "3: 2|52", "4: 4|27", "5: ok|8|14", "6: 16|9"));
}

TEST(TextFrames, RowNumbersOfPandasHaveAName) {
  EXPECT_THAT(
      table_in("   gpus model  seconds\n0     1     a    100.1\n1     2     a     52.2\n"
               "2     1     b    200.1\n"),
      ElementsAre("index|gpus|model|seconds", "2: 0|1|a|100.1", "3: 1|2|a|52.2", "4: 2|1|b|200.1"));
}

}  // namespace
}  // namespace scalelaw::test
