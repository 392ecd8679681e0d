#include "scalelaw/render/report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "fit/cells_of.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/error.hpp"
#include "support/json.hpp"

namespace scalelaw {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kHostile =
    R"text(</script><img src=x onerror="a('1')">{{body}}\textbf{%}_*[x](y)|`id`)text";

ReportDocument with_block(ReportBlock block) {
  return {"Title", "of tests", {{"one", "One", {std::move(block)}}}};
}

ReportTable hostile_table(std::size_t rows) {
  TextTable table({{.header = kHostile}, {.header = "y", .align = Align::kRight}});
  const TableCell cells[] = {{kHostile}, {"0.1", 0.10000000000000001}};
  for (std::size_t i = 0; i < rows; ++i) table.add_row(cells);
  return {.id = "t", .caption = kHostile, .table = std::move(table)};
}

/// The text between two places.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "";
  return text.substr(from + begin.size(),
                     text.find(end, from + begin.size()) - from - begin.size());
}

TEST(ReportHtml, NamesWithMarkupAreText) {
  const std::string page = report_html(with_block(hostile_table(2)));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;/script&gt;&lt;img src=x onerror=&quot;"));
  EXPECT_THAT(page, HasSubstr("{{body}}\\textbf{%}"));  // It is not filled in again.
}

TEST(ReportHtml, NamesTheProgramAndAsksForNothingElse) {
  const std::string page = report_html(with_block(ReportText{"words"}));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_THAT(page, HasSubstr("<meta name=\"generator\" content=\"scalelaw "));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* address : {"http:", "https:", "src=\"", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(address)));
  }
}

TEST(ReportHtml, ColumnsAreHeadersAndNumbersKeepTheirDigits) {
  const std::string page = report_html(with_block(hostile_table(1)));
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\" class=\"right\" data-cells=\"right\">y</th>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"right\" data-v=\"0.1\">0.1</td>"));
}

TEST(ReportHtml, LongTablesHaveTheirFirstPageAndAllRowsAsJson) {
  const std::string page = report_html(with_block(hostile_table(21)));
  const std::string payload = between(
      page, "<script type=\"application/json\" id=\"t-rows\" data-rows=\"21\">", "</script>");
  EXPECT_THAT(payload, Not(HasSubstr("<")));
  const auto columns = parse_json(payload);
  ASSERT_EQ(columns.size(), 2U);
  ASSERT_EQ(columns[0][0].size(), 21U);
  EXPECT_EQ(columns[0][0][20], kHostile);
  EXPECT_TRUE(columns[0][1].is_null());  // It has words only.
  EXPECT_EQ(columns[1][1][20], 0.1);
  std::size_t shown = 0;
  for (std::size_t at = page.find("data-v="); at != std::string::npos;
       at = page.find("data-v=", at + 1)) {
    ++shown;
  }
  EXPECT_EQ(shown, 20U);
}

TEST(ReportHtml, MuchDataIsGzippedAsBase64) {
  const std::string page = report_html(with_block(hostile_table(20000)));
  const std::string data = between(
      page, "<script type=\"application/gzip\" id=\"t-rows\" data-rows=\"20000\">", "</script>");
  EXPECT_TRUE(data.starts_with("H4sI")) << data.substr(0, 20);  // 1f 8b 08, without a name.
  EXPECT_LT(page.size(), 200000U);
}

// RFC 4648, section 10.
TEST(Base64, EncodesTheExamplesOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(ReportHtml, AFigureThatIsNotDrawnSaysWhy) {
  ReportDocument document = with_block(ReportFigure{.id = "f", .title = "A figure", .figure = {}});
  const std::size_t missing = draw_figures(
      document, ReportFormat::kHtml,
      [](const Figure&, FigureFormat) -> std::string { throw DataError("no <gnuplot>"); }, 2);
  EXPECT_EQ(missing, 1U);
  EXPECT_THAT(report_html(document), HasSubstr("Not drawn: no &lt;gnuplot&gt;."));
}

TEST(ReportHtml, ACaptionThatBeginsWithItsTitleSaysItOnce) {
  ReportFigure figure{.id = "f", .title = "Speed", .figure = {.caption = "Speed of A."}};
  EXPECT_THAT(report_html(with_block(figure)),
              HasSubstr("<figcaption><strong>Speed</strong> of A.</figcaption>"));
  EXPECT_THAT(report_markdown(with_block(figure), "r")[0].bytes, HasSubstr("\n**Speed** of A.\n"));
  EXPECT_THAT(report_latex(with_block(figure), "r")[0].bytes, HasSubstr("\\textbf{Speed} of A."));
  figure.figure.caption = "Means.";
  EXPECT_THAT(report_html(with_block(figure)), HasSubstr("<strong>Speed.</strong> Means.<"));
  figure.figure.caption = "";
  EXPECT_THAT(report_html(with_block(figure)), HasSubstr("<strong>Speed.</strong></figcaption>"));
}

TEST(ReportHtml, WideDrawingsTakeMoreOfThePage) {
  ReportFigure figure{.id = "f", .title = "Speed", .figure = {}};
  for (const auto& [width, opening] : {std::pair{"760", "<figure id=\"f\">"},
                                       {"1260", "<figure id=\"f\" class=\"wide\">"},
                                       {"1480", "<figure id=\"f\" class=\"widest\">"}}) {
    figure.drawing = fmt::format("<svg viewBox=\"0 0 {} 500\"></svg>", width);
    EXPECT_THAT(report_html(with_block(figure)), HasSubstr(opening));
  }
}

TEST(ReportLatex, FiguresSpellNamesThatNoFontHas) {
  ReportFigure block{.id = "f", .title = "A figure", .figure = {}};
  block.figure.panels.push_back({.title = "\u4e2d \u00df \u0394"});
  ReportDocument document = with_block(block);
  const DrawFigure draw = [](const Figure& figure, FigureFormat) {
    const std::string& title = figure.panels.front().title;
    if (title.find("\u4e2d") != std::string::npos) throw DataError("no font");
    return "drawn with " + title;
  };
  EXPECT_EQ(draw_figures(document, ReportFormat::kLatex, draw, 1), 0U);
  EXPECT_EQ(report_latex(document, "r").back().bytes, "drawn with [U+4E2D] \u00df \u0394");
}

// The form in which plain_svg() writes.
constexpr std::string_view kDrawing =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
    "xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 900 500\">\n"
    "<rect x=\"0\" y=\"0\" width=\"900\" height=\"500\" fill=\"#ffffff\"/>"
    "<g><defs><circle id=\"gpPt5\" r=\"1\"/><use xlink:href=\"#gpPt5\" id=\"gpPt6\"/>"
    "<path id=\"gpPt7\" d=\"M0,1\"/></defs>"
    "<g stroke-width=\"0.70\"><path stroke=\"#e4e4e4\" class=\"gridline\" d=\"M1,2 L1,9\"/></g>"
    "<g stroke-width=\"1.20\"><path stroke=\"rgb(  0, 114, 178)\" d=\"M92,396.2 L567.2,9.8  \"/>"
    "</g><g><use xlink:href=\"#gpPt6\" transform=\"translate(3,4.5) scale(5.62)\" "
    "color=\"rgb(213,94,0)\"/></g>"
    "<g class=\"point\"><title>a &lt;b&gt;</title><use xlink:href=\"#gpPt6\" "
    "transform=\"translate(3,4.5) scale(5.62)\" color=\"rgb(213,94,0)\"/></g>\n"
    "<g transform=\"translate(7,8)\" stroke=\"none\" fill=\"#1a1a1a\" text-anchor=\"end\">"
    "<text>a &lt;b&gt;</text></g></g>\n</svg>\n";

TEST(PageSvg, HasItsOwnIdsAndNoAddress) {
  const std::string svg = page_svg(kDrawing, "f1-", "Title \"x\"");
  for (const char* gone : {"xmlns", "http", "xlink", "id=\"gpPt", "#ffffff", "<?"}) {
    EXPECT_THAT(svg, Not(HasSubstr(gone)));
  }
  EXPECT_THAT(svg,
              HasSubstr("viewBox=\"0 0 900 500\" role=\"img\" aria-label=\"Title &quot;x&quot;\""));
  EXPECT_THAT(svg, HasSubstr("<use href=\"#f1-gpPt5\" id=\"f1-gpPt6\"/>"));
  EXPECT_THAT(
      svg, HasSubstr("<text class=\"t\" x=\"7\" y=\"8\" text-anchor=\"end\">a &lt;b&gt;</text>"));
}

TEST(PageSvg, SaysNothingTwice) {
  const std::string svg = page_svg(kDrawing, "f1-", "T");
  EXPECT_THAT(svg, Not(HasSubstr("gpPt7")));  // No point has it.
  EXPECT_THAT(svg, Not(HasSubstr("<g>")));
  EXPECT_THAT(svg, HasSubstr("<path class=\"gridline\" d=\"m1,2 0,7\"/>"));
  const std::string point = "<use href=\"#f1-s0\" x=\"3\" y=\"4.5\" class=\"c1\"/>";
  EXPECT_EQ(svg.find(point), svg.rfind(point));
  EXPECT_THAT(svg, HasSubstr("<use id=\"f1-s0\" href=\"#f1-gpPt6\" transform=\"scale(5.62)\"/>"));
}

TEST(PageSvg, DrawsStraightLinesFromBendToBend) {
  const std::string svg =
      page_svg("<svg viewBox=\"0 0 9 9\"><path d=\"M10,10 L11,12 L12,14.1 L20,30 L30,30\"/></svg>",
               "f-", "T");
  EXPECT_THAT(svg, HasSubstr("<path d=\"m10,10 10,20 10,0\"/>"));
}

TEST(PageSvg, KeepsNotesAndTakesTheColoursOfThePage) {
  const std::string svg = page_svg(kDrawing, "f1-", "T");
  EXPECT_THAT(svg, HasSubstr("<g class=\"point\"><title>a &lt;b&gt;</title><use "));
  EXPECT_THAT(svg, HasSubstr("<g stroke-width=\"1.20\"><path stroke=\"var(--fig-0)\" "
                             "d=\"m92,396.2 475.2,-386.4\"/></g>"));
  EXPECT_THAT(figure_style(), HasSubstr("--fig-0: #0072b2;"));
  EXPECT_THAT(figure_style(), HasSubstr(".c1 { color: var(--fig-1); }"));
}

TEST(PageSvg, BrokenDrawingsEndSomewhere) {
  for (std::size_t length = 0; length < kDrawing.size(); length += 7) {
    const std::string svg = page_svg(kDrawing.substr(0, length), "f-", "T");
    EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  }
}

TEST(ReportMarkdown, FiguresStandBesideIt) {
  ReportFigure figure{.id = "f", .title = "A [figure]", .figure = {}};
  figure.drawing = "<svg/>";
  const auto files = report_markdown(with_block(figure), "r");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "r.md");
  EXPECT_THAT(files[0].bytes, HasSubstr("![A \\[figure\\]](r-figures/f.svg)"));
  EXPECT_EQ(files[1].name, "r-figures/f.svg");
  EXPECT_EQ(files[1].bytes, "<svg/>");
}

TEST(ReportMarkdown, NamesWithMarkupAreText) {
  const std::string text = report_markdown(with_block(hostile_table(1)), "r")[0].bytes;
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, Not(HasSubstr("[x](y)")));
  EXPECT_THAT(text, HasSubstr("\\[x\\](y)\\|\\`id\\`"));
}

TEST(ReportLatex, NamesWithMarkupAreText) {
  const std::string text = report_latex(with_block(hostile_table(1)), "r")[0].bytes;
  EXPECT_THAT(text, Not(HasSubstr("\\textbf{%}")));
  EXPECT_THAT(text, HasSubstr("\\textbackslash{}textbf\\allowbreak{}\\{\\%\\}\\_"));
}

TEST(ReportLatex, CharactersWithoutAFontStandAsTheirNumber) {
  const std::string text = report_latex(with_block(ReportText{"β ± é 中"}), "r")[0].bytes;
  EXPECT_THAT(text, HasSubstr("\n$\\beta$ $\\pm$ é {[}U+4E2D]\n"));
}

TEST(ReportLatex, LongTablesEndWithACount) {
  const std::string text = report_latex(with_block(hostile_table(503)), "r")[0].bytes;
  EXPECT_THAT(text, HasSubstr("3 more rows are in the HTML report."));
}

/// The analysis of one exact group, t = 100 / N^0.9, and one group without a law.
StudyAnalysis two_studies() {
  StudyAnalysis analysis;
  for (const char* name : {"A<b>", "B"}) {
    GroupStudy& group = analysis.groups.emplace_back();
    group.group = {name};
    group.fit = NoFit{FailureCode::kTooFewX, "one x"};
    group.outlook = NoFit{FailureCode::kTooFewX, "one x"};
  }
  GroupStudy& first = analysis.groups.front();
  first.cells =
      point_cells(std::vector<double>{1, 2, 4, 8, 16}, std::vector<double>{100, 52, 29, 16, 8.2});
  first.fit = fit_law(first.cells, {});
  RankOptions rank;
  rank.resamples = 0;
  first.ranking = rank_laws(first.cells, rank);
  first.reach =
      scaling_reach(first.cells, {.response = Response::kTime}, &std::get<Fit>(first.fit));
  OutlookOptions outlook;
  outlook.at = {32, 64};
  first.outlook = outlook_of(make_forecast(first.cells, {}), std::nullopt, outlook);
  first.advice = advise(first.cells, std::get<Outlook>(first.outlook), first.ranking, outlook);
  analysis.groups[1].cells = point_cells(std::vector<double>{4, 4}, std::vector<double>{7, 8});
  return analysis;
}

ReportOrigin origin_of_test() {
  ReportOrigin origin;
  origin.study.x = "gpus";
  origin.study.y = "epoch_seconds";
  origin.study.by = {"model"};
  origin.inputs = {{.path = "runs.csv", .sha256 = "abc123", .bytes = 42}};
  origin.command = "scalelaw report runs.csv";
  return origin;
}

TEST(StudyDocument, SaysWhatScalesWhatToDoubtAndHowToMakeItAgain) {
  const ReportDocument document = study_document(origin_of_test(), {.analysis = two_studies()});
  const std::string text = report_markdown(document, "r")[0].bytes;
  EXPECT_THAT(text,
              HasSubstr("**How many GPUs.** Half of the ideal speedup is kept up to 16 GPUs by "
                        "A&lt;b&gt;. On average over what was measured, by the laws of these rows, "
                        "twice the GPUs take 46 % less time, "
                        "± 1.5 percentage points (95 %)."));
  EXPECT_THAT(text, HasSubstr("Trust is low for B (no law (too-few-x)). There are no runs above "
                              "16 GPUs"));
  EXPECT_THAT(text, HasSubstr("**What scales.** 1 of 2 groups keeps at least half of the ideal"));
  EXPECT_THAT(text, HasSubstr("up to 4 times that. More doubts below: no law"));
  EXPECT_THAT(text, HasSubstr("**No law.** 1 group: B."));
  EXPECT_THAT(text, HasSubstr("too-few-x"));
  EXPECT_THAT(text, HasSubstr("runs.csv: 42 bytes, SHA-256 abc123"));
  EXPECT_THAT(text, HasSubstr("scalelaw report runs.csv"));
}

TEST(StudyDocument, BeginsWithWhatToUseAndHowFarToTrustIt) {
  const ReportDocument document = study_document(origin_of_test(), {.analysis = two_studies()});
  ASSERT_EQ(document.sections.front().id, "answer");
  const auto& answer = std::get<ReportAnswer>(document.sections.front().blocks.front());
  EXPECT_LE(answer.advice.items.size(), 3U);
  std::vector<std::string> rows;
  answer.table.table.for_each_row([&rows](const TextTable::Row& row, bool) {
    rows.push_back(joined_texts(row, "|", [](const TableCell& cell) { return cell.text; }));
  });
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0],
              testing::MatchesRegex("A<b>.16.8[.][0-9]+.7[0-9] %.high: new runs within 18 %"));
  EXPECT_EQ(rows[1], "B|-|-|-|low: no law (too-few-x)");
}

// The rule of the first table, its column and the table of laws take one curve.
TEST(StudyDocument, HasOneEfficiency) {
  ReportFindings findings{.analysis = two_studies()};
  GroupStudy& first = findings.analysis.groups.front();
  first.at_greatest = first.advice->at.y;  // Half of the ideal is kept to the end.
  first.at_greatest->efficiency = 0.7654;
  const std::string text =
      report_markdown(study_document(origin_of_test(), findings), "r")[0].bytes;
  EXPECT_THAT(text, HasSubstr("|       77 % |"));
  EXPECT_THAT(text, HasSubstr("by the curve of the forecasts, as in the first table"));
  EXPECT_THAT(text, HasSubstr("curves of the forecasts and their intervals"));
}

TEST(StudyDocument, SaysThatUnlikeRunsArePooled) {
  ReportOrigin origin = origin_of_test();
  origin.ungrouped = {{"parameters", 12, true}, {"tokens", 9, true}};
  const std::string text =
      report_markdown(study_document(origin, {.analysis = two_studies()}), "r")[0].bytes;
  EXPECT_THAT(text, HasSubstr("More doubts below: unlike runs in one group, no law"));
  EXPECT_THAT(text, HasSubstr("Runs of one group at one gpus differ in parameters, tokens, and are "
                              "fitted together"));
}

TEST(StudyDocument, CarriesANoteBelowItsTitle) {
  ReportOrigin origin = origin_of_test();
  origin.note = "Synthetic <data>.";
  const ReportDocument document = study_document(origin, {.analysis = two_studies()});
  EXPECT_THAT(report_html(document), HasSubstr("<p class=\"note\">Synthetic &lt;data&gt;.</p>"));
  EXPECT_THAT(report_markdown(document, "r")[0].bytes,
              HasSubstr("\n**Synthetic &lt;data&gt;.**\n"));
  EXPECT_THAT(report_latex(document, "r")[0].bytes, HasSubstr("\\textbf{Synthetic"));
}

// AICc and forecasts weigh laws by different things.
TEST(StudyDocument, SaysWhyTwoKindsOfWeightsDiffer) {
  const ReportDocument document = study_document(origin_of_test(), {.analysis = two_studies()});
  const std::string text = report_markdown(document, "r")[0].bytes;
  EXPECT_THAT(text, HasSubstr("AICc takes each law at its best fit; forecasts weigh laws by all"));
  EXPECT_THAT(text, HasSubstr("These weights are not those of AICc"));
  EXPECT_THAT(text, Not(HasSubstr("(weight ")));
}

// Readers took the budget of an epoch for that of a whole training.
TEST(StudyDocument, SaysOnceWhichWorkItsTimesAreFor) {
  ReportOrigin origin = origin_of_test();
  EXPECT_THAT(study_document(origin, {.analysis = two_studies()}).subtitle,
              HasSubstr(". Times are for one epoch"));
  origin.energy = "energy_per_step_j";
  EXPECT_THAT(study_document(origin, {.analysis = two_studies()}).subtitle,
              HasSubstr(". Times are for one epoch, energies and costs for one step"));
  origin.energy = "energy_j";
  origin.study.y = "wall_seconds";
  EXPECT_THAT(study_document(origin, {.analysis = two_studies()}).subtitle,
              HasSubstr(". Times, energies and costs are for one run"));
  origin.fit.response = Response::kRate;
  EXPECT_THAT(study_document(origin, {.analysis = two_studies()}).subtitle,
              Not(HasSubstr("for one")));
}

// A steep curve is no fast one: words that praise it mislead.
TEST(StudyDocument, CallsNoGroupTheBestForItsExponent) {
  const ReportDocument document = study_document(origin_of_test(), {.analysis = two_studies()});
  EXPECT_THAT(report_markdown(document, "r")[0].bytes, Not(HasSubstr("Best")));
}

TEST(StudyDocument, FoldsWhatIsBehindTheAnswer) {
  const ReportDocument document = study_document(origin_of_test(), {.analysis = two_studies()});
  for (const ReportSection& section : document.sections) {
    const bool comes_first =
        section.id == "answer" || section.id == "what-if" || section.id == "doubts";
    EXPECT_NE(section.folded, comes_first) << section.id;
  }
  EXPECT_THAT(report_html(document),
              HasSubstr("<section id=\"laws\" aria-labelledby=\"laws-title\">\n"
                        "<details>\n<summary><h2 id=\"laws-title\">"));
}

TEST(ReportLatex, TablesHaveCaptionsLabelsAndHeadersThatRepeat) {
  const std::string text = report_latex(with_block(hostile_table(2)), "r")[0].bytes;
  EXPECT_THAT(text, HasSubstr("\\label{tab:t}"));
  EXPECT_THAT(text, HasSubstr("\\endfirsthead\n\\toprule\n"));
  EXPECT_THAT(text, Not(HasSubstr("\\usepackage[landscape")));
}

/// The LaTeX of a table of one row.
std::string latex_of_row(std::vector<TableColumn> columns, const std::vector<std::string>& cells) {
  TextTable table(std::move(columns));
  table.add_row(cells);
  ReportTable block{.id = "t", .caption = "c", .table = std::move(table)};
  return report_latex(with_block(std::move(block)), "r")[0].bytes;
}

TEST(ReportLatex, OnlyTablesThatAreTooWideLieOnTheirSide) {
  const TableColumn number{.header = "epoch_seconds", .align = Align::kRight};
  EXPECT_THAT(latex_of_row({number, number}, {"1", "2"}), Not(HasSubstr("\\begin{landscape}")));
  EXPECT_THAT(latex_of_row(std::vector(14, number), std::vector<std::string>(14, "1")),
              HasSubstr("\\begin{landscape}"));
}

TEST(ReportLatex, NarrowTablesHaveLargerLetters) {
  EXPECT_THAT(latex_of_row({{.header = "a"}}, {"1"}), HasSubstr("\\footnotesize"));
}

TEST(ReportLatex, HeadersBreakBeforeATableLiesOnItsSide) {
  const TableColumn number{.header = "a wide header", .align = Align::kRight};
  const std::string text =
      latex_of_row(std::vector(12, number), std::vector<std::string>(12, "1.234"));
  EXPECT_THAT(text, Not(HasSubstr("\\begin{landscape}")));
  EXPECT_THAT(text, HasSubstr("\\shortstack[r]{a wide\\\\header}"));
}

TEST(ReportLatex, LongNamesBreakInTheirColumn) {
  const std::string text = latex_of_row(
      {{.header = "model"}, {.header = "n", .align = Align::kRight}}, {std::string(300, 'x'), "1"});
  EXPECT_THAT(text, Not(HasSubstr("\\begin{landscape}")));
  EXPECT_THAT(text, HasSubstr("\\raggedright"));
  EXPECT_THAT(text, HasSubstr("xxxxxxxx\\allowbreak{}xxxxxxxx"));
}

TEST(ReportLatex, FiguresHaveCaptionsAndLabels) {
  ReportFigure figure{.id = "f", .title = "A figure", .figure = {}};
  figure.figure.caption = "Of it.";
  figure.drawing = "%PDF";
  const std::string text = report_latex(with_block(figure), "r")[0].bytes;
  EXPECT_THAT(text, HasSubstr("\\captionof{figure}{\\textbf{A figure.} Of it.}\\label{fig:f}"));
}

TEST(StudyDocument, CarriesItsForecastsForThePage) {
  const ReportDocument document = study_document(origin_of_test(), {.analysis = two_studies()});
  const std::string page = report_html(document);
  const auto payload = parse_json(
      between(page, "<script type=\"application/json\" id=\"what-if-data\">", "</script>"));
  EXPECT_EQ(payload["x"], "gpus");
  ASSERT_EQ(payload["groups"].size(), 1U);  // B has no forecast.
  const auto& group = payload["groups"][0];
  EXPECT_EQ(group["group"][0], "A<b>");
  EXPECT_EQ(group["time"]["to"], 16);
  EXPECT_GE(group["time"]["parts"].size(), 1U);
  EXPECT_FALSE(group.contains("energy"));
  EXPECT_EQ(group["points"].size(), 5U);
  EXPECT_EQ(group["points"][4][1], 8.2);
  EXPECT_EQ(payload["advised"][0][1], 16);
  EXPECT_EQ(payload["advised"][1][0], -1);  // B is recommended nothing.
}

TEST(StudyDocument, IdsAreUsedOnce) {
  const std::string page =
      report_html(study_document(origin_of_test(), {.analysis = two_studies()}));
  std::set<std::string> seen;
  for (std::size_t at = page.find(" id=\""); at != std::string::npos;
       at = page.find(" id=\"", at + 1)) {
    const std::string id = page.substr(at + 5, page.find('"', at + 5) - at - 5);
    EXPECT_TRUE(seen.insert(id).second) << id;
  }
}

}  // namespace
}  // namespace scalelaw
