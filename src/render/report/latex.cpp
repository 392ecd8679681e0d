// A report as a LaTeX document for pdflatex, with its figures beside it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/code_points.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/table.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kPreamble = R"(\documentclass[10pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
\usepackage[margin=18mm]{geometry}
\usepackage{booktabs,longtable,array,graphicx,lscape}
\usepackage[font=small,labelfont=bf]{caption}
\usepackage[hidelinks]{hyperref}
\setlength{\parindent}{0pt}
\setlength{\parskip}{5pt}
\setlength{\tabcolsep}{4pt}
\setlength{\LTcapwidth}{\textwidth}
\sloppy
)";

/// Signs of our own texts that the fonts of pdflatex have in mathematics only.
constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
    {"±", "$\\pm$"}, {"²", "$^2$"},     {"β", "$\\beta$"}, {"Δ", "$\\Delta$"}, {"×", "$\\times$"},
    {"−", "$-$"},    {"…", "\\dots{}"}, {"→", "$\\to$"},   {"·", "$\\cdot$"}};

/// Text as LaTeX text. Characters without a font there stand as their number: [U+4E2D].
std::string latex_signs(std::string_view text) {
  std::string out;
  std::string ascii;  // Escaped in one go: hyphens depend on their neighbours.
  const auto flush = [&] {
    out += escaped_latex(ascii);
    ascii.clear();
  };
  while (!text.empty()) {
    const auto sign = std::ranges::find_if(
        kSigns, [&text](const auto& one) { return text.starts_with(one.first); });
    const CodePoint code = first_code_point(text);
    if (sign != std::end(kSigns)) {
      flush();
      out += sign->second;
      text.remove_prefix(sign->first.size());
      continue;
    }
    if (code.value < 0x80) {
      ascii += text.front();
    } else if (code.value >= 0xC0 &&
               code.value < 0x180) {  // Letters of Latin-1 and Latin Extended-A.
      flush();
      out += text.substr(0, code.bytes);
    } else {
      flush();
      out += fmt::format("{{[}}U+{:04X}]", code.value);
    }
    text.remove_prefix(code.bytes);
  }
  flush();
  return out;
}

/// A word in pieces of a few characters.
std::vector<std::string_view> pieces_of(std::string_view word) {
  constexpr int kPiece = 8;
  std::vector<std::string_view> pieces;
  while (!word.empty()) {
    std::size_t bytes = 0;
    for (int i = 0; i < kPiece && bytes < word.size(); ++i) {
      bytes += first_code_point(word.substr(bytes)).bytes;
    }
    pieces.push_back(word.substr(0, bytes));
    word.remove_prefix(bytes);
  }
  return pieces;
}

/// The same with places at which words may break that are too long for a line: paths and hashes.
std::string latex(std::string_view raw) {
  constexpr std::size_t kLongWord = 20;
  const std::string shown = printable(raw);
  const auto word = [](const std::string& text) {
    return text.size() <= kLongWord ? latex_signs(text)
                                    : joined_texts(pieces_of(text), "\\allowbreak{}", latex_signs);
  };
  return joined_texts(split(shown, ' '), " ", word);
}

/// How a table is laid out on an A4 page of a LaTeX report.
struct LatexLayout {
  enum class Column {
    kWhole,   ///< As wide as its widest cell.
    kBroken,  ///< Its cells break into lines.
  };

  bool lies = false;             ///< It is printed on its side.
  bool is_small = false;         ///< In \scriptsize, else in \footnotesize.
  std::vector<double> widths{};  ///< Of the columns in points, without the gaps between them.
  std::vector<Column> columns{};
  std::vector<std::string> headers{};  ///< With line ends where they break.
};

constexpr double kUprightWidth = 494;  // Points between the margins of 18 mm.
constexpr double kLyingWidth = 740;
constexpr double kGap = 8;       // Two \tabcolsep,
constexpr double kSmallGap = 6;  // and beside small letters.
constexpr double kSmall = 7.0;
constexpr double kLarge = 8.0;
constexpr double kLeastBroken = 90;  // Less breaks most words.

/// The width of a text in points, rather too wide than too narrow.
double printed_width(std::string_view text, double size) {
  constexpr std::string_view kNarrow = " iljft.,:;'|!()[]I";
  constexpr std::string_view kWide = "mwMWABCDEFGHKNOPQRSTUVXYZ%&@+<>=";
  constexpr double kOfNumber = 4.6;  // [U+4E2D]
  double ems = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      ems += byte >= 0xE0 ? kOfNumber : byte >= 0xC0 ? 0.7 : 0;
    } else if (kNarrow.find(c) != std::string_view::npos) {
      ems += 0.37;
    } else {
      ems += kWide.find(c) != std::string_view::npos ? 0.83 : 0.57;
    }
  }
  return ems * size;
}

double widest_word(std::string_view text, double size) {
  double widest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    widest = std::max(widest, printed_width(text.substr(0, end), size));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return widest;
}

/// A header in lines that are no wider than `width`, where words allow it.
std::string broken_header(std::string_view text, double width, double size) {
  std::string out;
  std::string line;
  for (const std::string& word : split(text, ' ')) {
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && printed_width(longer, size) > width) {
      out += line + "\n";
      line = word;
    } else {
      line = longer;
    }
  }
  return out + line;
}

/// Widths of the columns of a table in one size of letters.
struct Widths {
  std::vector<double> cells;
  std::vector<double> headers;
  std::vector<double> words;  ///< The widest word of each header.
};

Widths widths_of(const TextTable& table, std::size_t most_rows, double size) {
  Widths widths;
  for (const TableColumn& column : table.columns()) {
    widths.headers.push_back(printed_width(column.header, size));
    widths.words.push_back(widest_word(column.header, size));
    widths.cells.push_back(0);
  }
  const auto widen = [&](const TextTable::Row& row, bool) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths.cells[i] = std::max(widths.cells[i], printed_width(row[i].text, size));
    }
  };
  table.for_each_row(widen, most_rows);
  return widths;
}

std::vector<double> greater_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(std::max(a[i], b[i]));
  return out;
}

/// Width of a whole table.
double sum_of(const LatexLayout& layout) {
  return std::accumulate(layout.widths.begin(), layout.widths.end(), 0.0) +
         (layout.is_small ? kSmallGap : kGap) * static_cast<double>(layout.widths.size());
}

/// Breaks the widest columns of text until the table fits; returns whether it does.
bool break_cells(const TextTable& table, double room, LatexLayout& layout) {
  while (sum_of(layout) > room) {
    std::size_t widest = layout.widths.size();
    for (std::size_t i = 0; i < layout.widths.size(); ++i) {
      const bool is_text = table.columns()[i].align == Align::kLeft;
      if (!is_text || layout.widths[i] <= kLeastBroken) continue;
      if (widest == layout.widths.size() || layout.widths[i] > layout.widths[widest]) widest = i;
    }
    if (widest == layout.widths.size()) return false;
    const double excess = sum_of(layout) - room;
    // Step by step, so that columns of like width share what is missing.
    layout.widths[widest] =
        std::max(kLeastBroken, layout.widths[widest] - std::min(excess + 0.01, 20.0));
    layout.columns[widest] = LatexLayout::Column::kBroken;
  }
  return true;
}

/// Breaks headers that are wider than their cells.
void break_headers(const TextTable& table, const Widths& small, LatexLayout& layout) {
  layout.widths = greater_of(small.cells, small.words);
  for (std::size_t i = 0; i < layout.widths.size(); ++i) {
    layout.headers[i] = broken_header(table.columns()[i].header, layout.widths[i], kSmall);
  }
}

/// The calmest layout that fits, by the widths of letters in Computer Modern: upright before
/// lying, large before small, then headers in several lines, then cells in several lines. What
/// fits nowhere lies, with cells as narrow as can be.
LatexLayout latex_layout(const TextTable& table, std::size_t most_rows) {
  const Widths large = widths_of(table, most_rows, kLarge);
  const Widths small = widths_of(table, most_rows, kSmall);
  LatexLayout layout{.columns = std::vector(table.columns().size(), LatexLayout::Column::kWhole)};
  for (const TableColumn& column : table.columns()) layout.headers.push_back(column.header);
  layout.widths = greater_of(large.cells, large.headers);
  if (sum_of(layout) <= kUprightWidth) return layout;
  layout.is_small = true;
  layout.widths = greater_of(small.cells, small.headers);
  if (sum_of(layout) <= kUprightWidth) return layout;
  LatexLayout upright = layout;
  break_headers(table, small, upright);
  if (break_cells(table, kUprightWidth, upright)) return upright;
  layout.lies = true;
  if (sum_of(layout) <= kLyingWidth) return layout;
  break_headers(table, small, layout);
  break_cells(table, kLyingWidth, layout);
  return layout;
}

class Latex {
 public:
  explicit Latex(std::string folder) : folder_(std::move(folder)) {}

  std::vector<ReportFile> written(const ReportDocument& document, const std::string& name) {
    out_ = "% Run pdflatex twice: the first run measures the columns of the tables.\n";
    out_ += kPreamble;
    out_ += fmt::format(
        "\\title{{\\vspace{{-18mm}}{}}}\n\\author{{}}\n\\date{{\\vspace{{-12mm}}{}\\\\ {}made by "
        "scalelaw {}}}\n\\begin{{document}}\n\\maketitle\n",
        latex(document.title), latex(document.subtitle),
        document.note.empty() ? "" : fmt::format("\\textbf{{{}}}\\\\ ", latex(document.note)),
        latex(kVersion));
    for (const ReportSection& section : document.sections) {
      const bool shown = section.blocks.size() != 1 ||
                         !std::holds_alternative<ReportWhatIf>(section.blocks.front());
      if (!shown) continue;
      out_ += fmt::format("\n\\section{{{}}}\n", latex(section.title));
      for (const ReportBlock& block : section.blocks) {
        std::visit([this](const auto& one) { write(one); }, block);
      }
    }
    out_ += "\n\\end{document}\n";
    files_.insert(files_.begin(), {name + ".tex", std::move(out_)});
    return std::move(files_);
  }

 private:
  void write(const ReportText& text) { out_ += "\n" + latex(text.text) + "\n"; }

  void write(const ReportList& list) {
    if (list.items.empty()) return;
    out_ += "\n\\begin{itemize}\\setlength{\\itemsep}{0pt}\\setlength{\\parskip}{2pt}\n";
    for (const ReportList::Item& item : list.items) {
      out_ += "\\item{} ";  // Braces: a bracket that follows would be its label.
      if (!item.lead.empty()) out_ += fmt::format("\\textbf{{{}}} ", latex(item.lead));
      out_ += latex(item.text) + "\n";
    }
    out_ += "\\end{itemize}\n";
  }

  void write(const ReportAnswer& answer) {
    write(answer.advice);
    write(answer.figures);
    write(answer.table);
    write(answer.chart);
  }

  void write(const ReportWhatIf&) {}

  void write(const ReportFigure& figure) {
    const CaptionParts parts = caption_of(figure);
    const std::string caption =
        fmt::format("\\textbf{{{}}}{}", latex(parts.lead), latex(parts.rest));
    if (figure.drawing.empty()) {
      out_ += fmt::format("\n\\emph{{Not drawn: {}.}} {}\n", latex(figure.problem), caption);
      return;
    }
    const std::string file = fmt::format("{}/{}.pdf", folder_, figure.id);
    files_.push_back({file, figure.drawing});
    // No float: it stays in its section, and with its caption on one page.
    out_ += fmt::format(
        "\n\\begin{{minipage}}{{\\textwidth}}\n\\centering\n\\includegraphics["
        "width=0.9\\textwidth,height=0.6\\textheight,keepaspectratio]{{{}}}\n\\captionof{{figure}}{"
        "{{}}}"
        "\\label{{fig:{}}}\n\\end{{minipage}}\n",
        file, caption, figure.id);
  }

  static std::string column_letters(const ReportTable& table, const LatexLayout& layout) {
    std::string letters;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const bool is_right = table.table.columns()[i].align == Align::kRight;
      letters += layout.columns[i] == LatexLayout::Column::kBroken
                     ? fmt::format(">{{\\raggedright\\arraybackslash}}p{{{:.0f}pt}}",
                                   std::floor(layout.widths[i]))
                 : is_right ? "r"
                            : "l";
    }
    return letters;
  }

  /// The headers, some in several lines.
  static std::string header_row(const ReportTable& table, const LatexLayout& layout) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < layout.headers.size(); ++i) {
      const std::string& text = layout.headers[i];
      const bool is_right = table.table.columns()[i].align == Align::kRight;
      cells.push_back(text.find('\n') == std::string::npos
                          ? latex(text)
                          : fmt::format("\\shortstack[{}]{{{}}}", is_right ? "r" : "l",
                                        joined_texts(split(text, '\n'), "\\\\", latex)));
    }
    return joined(cells, " & ");
  }

  static std::string spans_row(const ReportTable& table) {
    std::vector<std::string> cells;
    for (const auto& [text, columns] : table.spans) {
      cells.push_back(fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", columns, latex(text)));
    }
    return cells.empty() ? "" : joined(cells, " & ") + " \\\\\n";
  }

  void write(const ReportTable& table) {
    const std::size_t rows = table.table.size();
    const LatexLayout layout = latex_layout(table.table, kMostPrintedRows);
    const std::string caption =
        fmt::format("\\caption{{{}}}\\label{{tab:{}}}\\\\\n", latex(table.caption), table.id);
    const std::string more =
        rows > kMostPrintedRows
            ? fmt::format("{} more rows are in the HTML report.\n", rows - kMostPrintedRows)
            : "";
    out_ +=
        fmt::format("\n{}{{\\{}\n", layout.lies ? "\\begin{landscape}\n" : "",
                    layout.is_small ? "scriptsize\\setlength{\\tabcolsep}{3pt}" : "footnotesize");
    const std::string head = fmt::format("\\toprule\n{}{} \\\\\n\\midrule\n", spans_row(table),
                                         header_row(table, layout));
    // Each further page of a table begins with its headers again.
    table.table.write_latex(
        [this](std::string_view piece) { out_ += piece; },
        {.opening = fmt::format("\\begin{{longtable}}{{{}}}\n{}{}\\endfirsthead\n"
                                "{}\\endhead\n",
                                column_letters(table, layout), caption, head, head),
         .closing = fmt::format("\\end{{longtable}}}}\n{}{}", more,
                                layout.lies ? "\\end{landscape}\n" : ""),
         .cell = latex},
        kMostPrintedRows);
  }

  std::string folder_;
  std::string out_;
  std::vector<ReportFile> files_;
};

}  // namespace

std::vector<ReportFile> report_latex(const ReportDocument& document, const std::string& name) {
  return Latex(name + "-figures").written(document, name);
}

}  // namespace scalelaw
