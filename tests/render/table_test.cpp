#include "scalelaw/render/table.hpp"

#include <gtest/gtest.h>

#include <array>

namespace scalelaw {
namespace {

TextTable small_table() {
  TextTable table({{.header = "model"},
                   {.header = "beta", .align = Align::kRight},
                   {.header = "notes", .tone = Tone::kWarning}});
  table.add_row(std::array<std::string, 3>{"漢字", "0.8754", ""});
  table.add_row(std::array<std::string, 3>{"BERT", "-0.5", "curved"});
  return table;
}

std::string text_of(const TextTable& table, Format format, bool colour = false) {
  std::string text;
  table.write(
      format, [&text](std::string_view piece) { text += piece; }, colour);
  return text;
}

std::string one_cell(std::string cell, Format format) {
  TextTable table({{.header = "x"}});
  table.add_row(std::array<std::string, 1>{std::move(cell)});
  return text_of(table, format);
}

TEST(TextTable, AlignsByDisplayWidth) {
  EXPECT_EQ(text_of(small_table(), Format::kTable),
            "model    beta  notes\n"
            "─────  ──────  ──────\n"
            "漢字   0.8754\n"
            "BERT     -0.5  curved\n");
}

TEST(TextTable, ColoursOnlyWhereAsked) {
  EXPECT_EQ(text_of(small_table(), Format::kTable, true),
            "\x1b[1mmodel    beta  notes\x1b[0m\n"
            "─────  ──────  ──────\n"
            "漢字   0.8754\n"
            "BERT     -0.5  \x1b[33mcurved\x1b[0m\n");
}

TextTable wide_table() {
  TextTable table({{.header = "model", .is_key = true, .is_group = true},
                   {.header = "ratio of times", .align = Align::kRight},
                   {.header = "95 % interval", .align = Align::kRight}});
  table.add_row(std::array<std::string, 3>{"a_model_with_a_name", "0.85", "0.81 .. 0.90"});
  return table;
}

std::string text_of_width(std::size_t width) {
  std::string text;
  wide_table().write_text([&text](std::string_view piece) { text += piece; }, false, width);
  return text;
}

TEST(TextTable, BreaksHeadsBeforeItShortensKeys) {
  EXPECT_EQ(text_of_width(42),
            "                     ratio\n"
            "                        of          95 %\n"
            "model                times      interval\n"
            "───────────────────  ─────  ────────────\n"
            "a_model_with_a_name   0.85  0.81 .. 0.90\n");
}

TEST(TextTable, ShortensTheMiddleOfKeysBeforeItStacks) {
  EXPECT_EQ(text_of_width(36),
            "                 ratio\n"
            "                    of          95 %\n"
            "model            times      interval\n"
            "───────────────  ─────  ────────────\n"
            "a_model…_a_name   0.85  0.81 .. 0.90\n");
}

TEST(TextTable, ShortensKeysSoThatTheyStayDifferent) {
  TextTable table({{.header = "run", .is_key = true, .is_group = true},
                   {.header = "loss", .align = Align::kRight}});
  table.add_row(std::array<std::string, 2>{"base-long-kaplan-standard-val", "3.1"});
  table.add_row(std::array<std::string, 2>{"base-short-kaplan-standard-val", "3.2"});
  std::string text;
  table.write_text([&text](std::string_view piece) { text += piece; }, false, 18);
  EXPECT_EQ(text,
            "run           loss\n"
            "────────────  ────\n"
            "base-l…d-val   3.1\n"
            "base-s…d-val   3.2\n");
  TextTable ends({{.header = "run", .is_key = true, .is_group = true},
                  {.header = "loss", .align = Align::kRight}});
  ends.add_row(std::array<std::string, 2>{"base-long-kaplan-standard-val", "3.1"});
  ends.add_row(std::array<std::string, 2>{"base-long-chinchilla-standard-val", "3.2"});
  text.clear();
  ends.write_text([&text](std::string_view piece) { text += piece; }, false, 26);
  EXPECT_EQ(text,
            "run                   loss\n"
            "────────────────────  ────\n"
            "base-long-k…dard-val   3.1\n"
            "base-long-c…dard-val   3.2\n");
}

TEST(TextTable, StacksColumnsThatDoNotFitWithTheirKeys) {
  EXPECT_EQ(text_of_width(28),
            "                ratio\n"
            "                   of\n"
            "model           times\n"
            "──────────────  ─────\n"
            "a_model…a_name   0.85\n"
            "\n"
            "                        95 %\n"
            "model               interval\n"
            "──────────────  ────────────\n"
            "a_model…a_name  0.81 .. 0.90\n");
}

TEST(TextTable, WritesMarkdown) {
  EXPECT_EQ(text_of(small_table(), Format::kMarkdown),
            "| model |   beta | notes  |\n"
            "| ----- | -----: | ------ |\n"
            "| 漢字  | 0.8754 |        |\n"
            "| BERT  |   -0.5 | curved |\n");
}

TEST(TextTable, WritesLatexForBooktabs) {
  EXPECT_EQ(text_of(small_table(), Format::kLatex),
            "\\begin{tabular}{lrl}\n"
            "\\toprule\n"
            "model & beta & notes \\\\\n"
            "\\midrule\n"
            "漢字 & 0.8754 &  \\\\\n"
            "BERT & $-$0.5 & curved \\\\\n"
            "\\bottomrule\n"
            "\\end{tabular}\n");
}

TEST(TextTable, WritesHtmlThatNeedsNothingElse) {
  const std::string html = one_cell("<b>&\"'", Format::kHtml);
  EXPECT_EQ(
      html,
      "<table style=\"border-collapse:collapse\">\n"
      "<thead>\n"
      "<tr><th style=\"text-align:left;padding:0.1em 0.6em\">x</th></tr>\n"
      "</thead>\n"
      "<tbody>\n"
      "<tr><td style=\"text-align:left;padding:0.1em 0.6em\">&lt;b&gt;&amp;&quot;&#39;</td></tr>\n"
      "</tbody>\n"
      "</table>\n");
}

TEST(TextTable, SeparatesPartsOfTwoRowsOrMore) {
  TextTable table({{.header = "x"}});
  for (const char* cell : {"a1", "a2", "b1", "b2"}) {
    if (std::string_view(cell) == "b1") table.begin_part();
    table.add_row(std::array<std::string, 1>{cell});
  }
  EXPECT_EQ(text_of(table, Format::kTable), "x\n──\na1\na2\n\nb1\nb2\n");
  EXPECT_NE(text_of(table, Format::kLatex).find("\\addlinespace\nb1"), std::string::npos);
}

TEST(TextTable, DoesNotSeparateSingleRows) {
  TextTable table({{.header = "x"}});
  for (const char* cell : {"a", "b", "c"}) {
    table.begin_part();
    table.add_row(std::array<std::string, 1>{cell});
  }
  EXPECT_EQ(text_of(table, Format::kTable), "x\n─\na\nb\nc\n");
}

TEST(TextTable, ShowsLineEndsInCells) {
  EXPECT_EQ(one_cell("a\nb", Format::kTable), "x\n────\na\\nb\n");
  EXPECT_EQ(one_cell("a\nb", Format::kMarkdown), "| x     |\n| ----- |\n| a\\\\nb |\n");
}

TEST(TextTable, KeepsLongCellsAndManyRows) {
  TextTable table({{.header = "x"}});
  const std::string longer(1000, 'y');
  for (int i = 0; i < 1000; ++i) table.add_row(std::array<std::string, 1>{longer});
  EXPECT_EQ(text_of(table, Format::kTable).size(), 2 + 3 * 1000 + 1 + 1000 * 1001u);
}

TEST(TextTable, KeepsTheNumbersOfCellsBesideTheirTexts) {
  TextTable table({{.header = "x"}, {.header = "y"}});
  table.add_row(std::vector<std::string>{"a", "b"});
  const TableCell cells[] = {{"text"}, {"0.3", 0.1 + 0.2}};
  table.add_row(cells);
  std::vector<TextTable::Row> rows;
  table.for_each_row([&rows](const TextTable::Row& row, bool) { rows.push_back(row); });
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][1].text, "b");
  EXPECT_FALSE(rows[0][1].number);
  EXPECT_FALSE(rows[1][0].number);
  EXPECT_EQ(rows[1][1].text, "0.3");
  EXPECT_EQ(rows[1][1].number, 0.1 + 0.2);
}

TEST(TextTable, RefusesARowOfTheWrongLength) {
  TextTable table({{.header = "x"}});
  EXPECT_THROW(table.add_row(std::array<std::string, 2>{"1", "2"}), std::invalid_argument);
}

TEST(EscapedMarkdown, LeavesColumnNamesAlone) {
  EXPECT_EQ(escaped_markdown("power_cap_w"), "power_cap_w");
  EXPECT_EQ(escaped_markdown("_a_|`b`*[c](d)<e>$f$"),
            "\\_a\\_\\|\\`b\\`\\*\\[c\\](d)&lt;e&gt;\\$f\\$");
}

TEST(EscapedMarkdown, NamesNobodyAndNoIssueOnGithub) {
  EXPECT_EQ(escaped_markdown("@alice org@team a@ #12 #a GH-12 gh-x"),
            "@&#8203;alice org@&#8203;team a@ \\#&#8203;12 \\#a GH-&#8203;12 gh-x");
}

TEST(EscapedLatex, MakesEveryCommandCharacterText) {
  EXPECT_EQ(escaped_latex("a_b & 50% #1 $x$ {y} ~ ^ \\end"),
            "a\\_b \\& 50\\% \\#1 \\$x\\$ \\{y\\} \\textasciitilde{} \\textasciicircum{} "
            "\\textbackslash{}end");
  EXPECT_EQ(escaped_latex("[a] -- b-c ?`"), "{[}a] {-}{-} b-c ?{`}");
  EXPECT_EQ(escaped_latex("± SE"), "$\\pm$ SE");
}

}  // namespace
}  // namespace scalelaw
