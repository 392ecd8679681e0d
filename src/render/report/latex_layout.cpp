#include "render/report/latex_layout.hpp"

#include <algorithm>
#include <numeric>

#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

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

}  // namespace

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

}  // namespace scalelaw
