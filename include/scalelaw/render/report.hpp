#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/report_findings.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// A table with what stands beside it.
struct ReportTable {
  std::string id;  ///< Letters, digits and hyphens.
  std::string caption;
  /// A row above the header: its texts and how many columns each spans. Empty if there is none.
  std::vector<std::pair<std::string, std::size_t>> spans = {};
  TextTable table;
  bool sortable = true;
  /// The column whose cells begin with "high", "fair" or "low", which the page marks.
  std::optional<std::size_t> levels = {};
  /// The rows that a printed page has where it cannot have all; empty: the first ones.
  std::vector<std::size_t> on_paper = {};
};

/// A figure and its drawing.
struct ReportFigure {
  std::string id;
  std::string title;
  Figure figure;             ///< Its caption stands below it.
  std::string drawing = {};  ///< The bytes of the drawing; empty if not drawn.
  std::string problem = {};  ///< Why it is not drawn.
};

struct ReportText {
  std::string text;
};

/// Short statements. The words before each one stand out; they may be empty.
struct ReportList {
  struct Item {
    std::string lead;
    std::string text;
  };
  std::vector<Item> items;
};

/// What a reader needs first: on the page, the table stands beside the chart.
struct ReportAnswer {
  ReportList advice;   ///< Three statements at most.
  ReportList figures;  ///< Numbers that stand out, each with what it is of.
  ReportTable table;
  ReportFigure chart;  ///< Where the page computes, a chart that answers stands in its place.
};

/// The what-if panel, in which readers of the page ask for forecasts of every group.
struct ReportWhatIf {
  std::string json;  ///< The forecasts, as page.js reads them.
};

using ReportBlock =
    std::variant<ReportText, ReportList, ReportTable, ReportFigure, ReportAnswer, ReportWhatIf>;

struct ReportSection {
  std::string id;
  std::string title;
  std::vector<ReportBlock> blocks;
  bool folded = false;  ///< The page shows its title alone until a reader opens it.
};

/// A report before it has a format: finished texts and numbers in their reading order.
struct ReportDocument {
  std::string title;
  std::string subtitle;
  std::vector<ReportSection> sections;
  std::string note = {};  ///< What its maker says of the study; empty: nothing.
};

/// The report on a study.
ReportDocument study_document(const ReportOrigin& origin, const ReportFindings& findings);

/// The text of data/published/frey2022.csv at build time.
std::string_view published_frey2022();

/// Draws a figure in a format; throws DataError if it cannot.
using DrawFigure = std::function<std::string(const Figure& figure, FigureFormat format)>;

enum class ReportFormat { kHtml, kMarkdown, kLatex, kJson };

/// Draws all figures of a document for a format, `threads` at a time. Returns how many failed.
std::size_t draw_figures(ReportDocument& document, ReportFormat format, const DrawFigure& draw,
                         int threads);

/// What the page decides, for programs: the schema scalelaw.report/1 of docs/reference/report.md.
std::string report_json(const ReportOrigin& origin, const ReportFindings& findings);

/// Writes one self-contained page. Figures are inline, nothing is loaded from elsewhere, and text
/// of the study is never markup.
std::string report_html(const ReportDocument& document);

/// A file of a report.
struct ReportFile {
  std::string name;  ///< Within the folder.
  std::string bytes;
};

/// Writes GitHub's Markdown `name`.md, with figures beside it.
std::vector<ReportFile> report_markdown(const ReportDocument& document, const std::string& name);

/// Writes a LaTeX document for pdflatex with booktabs tables, and figures beside it.
std::vector<ReportFile> report_latex(const ReportDocument& document, const std::string& name);

}  // namespace scalelaw
