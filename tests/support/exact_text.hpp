#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw::test {

/// The bits of a number, so that only equal numbers have equal texts.
inline std::string bits_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(number)));
  return text;
}

/// All figures of a reading, with numbers as bits.
inline std::string exact_text(const GroupedCells& runs) {
  const RowCounts& rows = runs.rows();
  std::string out = runs.choice() + '\n';
  for (const std::uint64_t count : {rows.read, rows.used, rows.missing, rows.bad, rows.filtered}) {
    out += std::to_string(count) + ' ';
  }
  std::vector<Cell> cells;
  for (std::size_t group = 0; group < runs.size(); ++group) {
    out += "\ngroup";
    for (const auto& field : runs.key(group)) out += " [" + field + ']';
    runs.cells(group, cells);
    for (const Cell& cell : cells) {
      out += "\n " + std::to_string(cell.count) + ' ' + std::to_string(cell.cluster);
      for (const double number : {cell.x, cell.mean_log, cell.ss_log, cell.mean, cell.ss, cell.min,
                                  cell.max, cell.weight}) {
        out += ' ' + bits_of(number);
      }
    }
  }
  return out;
}

}  // namespace scalelaw::test
