// A report as a LaTeX document for pdflatex, with its figures beside it.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kPreamble = R"(\documentclass[10pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
\usepackage[landscape,margin=15mm]{geometry}
\usepackage{booktabs,longtable,array,graphicx}
\usepackage[hidelinks]{hyperref}
\setlength{\parindent}{0pt}
\setlength{\parskip}{5pt}
\setlength{\tabcolsep}{4pt}
\setlength{\LTleft}{0pt}
\sloppy
)";

/// Signs of our own texts that the fonts of pdflatex have in mathematics only.
constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
    {"±", "$\\pm$"}, {"²", "$^2$"},     {"β", "$\\beta$"}, {"Δ", "$\\Delta$"}, {"×", "$\\times$"},
    {"−", "$-$"},    {"…", "\\dots{}"}, {"→", "$\\to$"},   {"·", "$\\cdot$"}};

/// Code point and length of the character at the beginning of well-formed UTF-8.
std::pair<unsigned, std::size_t> first_character(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  unsigned code = length == 1 ? first : first & (0x7FU >> length);
  for (std::size_t i = 1; i < length && i < text.size(); ++i) code = code << 6 | (byte(i) & 0x3FU);
  return {code, std::min(length, text.size())};
}

/// Text as LaTeX text. Characters without a font there stand as their number: [U+4E2D].
std::string latex(std::string_view raw) {
  const std::string shown = printable(raw);
  std::string out;
  std::string ascii;  // Escaped in one go: hyphens depend on their neighbours.
  const auto flush = [&] {
    out += escaped_latex(ascii);
    ascii.clear();
  };
  for (std::string_view text = shown; !text.empty();) {
    const auto sign = std::find_if(std::begin(kSigns), std::end(kSigns), [&text](const auto& one) {
      return text.starts_with(one.first);
    });
    const auto [code, length] = first_character(text);
    if (sign != std::end(kSigns)) {
      flush();
      out += sign->second;
      text.remove_prefix(sign->first.size());
      continue;
    }
    if (code < 0x80) {
      ascii += text.front();
    } else if (code >= 0xC0 && code < 0x180) {  // Letters of Latin-1 and Latin Extended-A.
      flush();
      out += text.substr(0, length);
    } else {
      flush();
      out += fmt::format("{{[}}U+{:04X}]", code);
    }
    text.remove_prefix(length);
  }
  flush();
  return out;
}

class Latex {
 public:
  explicit Latex(std::string folder) : folder_(std::move(folder)) {}

  std::vector<ReportFile> written(const ReportDocument& document, const std::string& name) {
    out_ = std::string(kPreamble);
    out_ += fmt::format(
        "\\title{{{}}}\n\\date{{{}\\\\ made by scalelaw {}}}\n\\begin{{document}}\n\\maketitle\n",
        latex(document.title), latex(document.subtitle), latex(kVersion));
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
    out_ += "\n\\begin{itemize}\n";
    for (const ReportList::Item& item : list.items) {
      out_ += "\\item{} ";  // Braces: a bracket that follows would be its label.
      if (!item.lead.empty()) out_ += fmt::format("\\textbf{{{}}} ", latex(item.lead));
      out_ += latex(item.text) + "\n";
    }
    out_ += "\\end{itemize}\n";
  }

  void write(const ReportWhatIf&) {}

  void write(const ReportFigure& figure) {
    const std::string caption =
        fmt::format("\\textbf{{{}.}} {}", latex(figure.title), latex(figure.figure.caption));
    if (figure.drawing.empty()) {
      out_ += fmt::format("\n\\emph{{Not drawn: {}.}} {}\n", latex(figure.problem), caption);
      return;
    }
    const std::string file = fmt::format("{}/{}.pdf", folder_, figure.id);
    files_.push_back({file, figure.drawing});
    out_ += fmt::format(
        "\n\\begin{{center}}\n\\includegraphics[width=0.8\\textwidth,height=0.75\\textheight,"
        "keepaspectratio]{{{}}}\n\\end{{center}}\n{}\n",
        file, caption);
  }

  static std::string column_letters(const ReportTable& table) {
    const std::vector<bool> is_long = long_columns(table.table);
    std::string letters;
    for (std::size_t i = 0; i < is_long.size(); ++i) {
      letters += table.table.columns()[i].align == Align::kRight ? "r"
                 : is_long[i]                                    ? "p{0.6\\textwidth}"
                                                                 : "l";
    }
    return letters;
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
    out_ += fmt::format("\n{}\n\n{{\\scriptsize\n", latex(table.caption));
    table.table.write_latex([this](std::string_view piece) { out_ += piece; },
                            {.opening = fmt::format("\\begin{{longtable}}{{{}}}\n\\toprule\n{}",
                                                    column_letters(table), spans_row(table)),
                             .behind_header = "\\endhead\n",
                             .closing = "\\end{longtable}}\n",
                             .header = latex,
                             .cell = latex},
                            kMostPrintedRows);
    if (rows > kMostPrintedRows) {
      out_ += fmt::format("{} more rows are in the HTML report.\n", rows - kMostPrintedRows);
    }
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
