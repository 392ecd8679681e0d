#pragma once

#include <string>
#include <vector>

#include "scalelaw/render/table.hpp"

namespace scalelaw {

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

/// The calmest layout that fits, by the widths of letters in Computer Modern: upright before
/// lying, large before small, then headers in several lines, then cells in several lines. What
/// fits nowhere lies, with cells as narrow as can be.
LatexLayout latex_layout(const TextTable& table, std::size_t most_rows);

}  // namespace scalelaw
