#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

// A level here is all cells of one x, which stand together.

/// Where the cells of each level begin; the last value is the end.
std::vector<std::size_t> level_begins(std::span<const Cell> cells);

/// The mean ln y over the rows of some cells.
struct LogMean {
  std::uint64_t n;  ///< Rows.
  double weight;    ///< Sum over the rows.
  double mean;
};

LogMean log_mean(std::span<const Cell> cells);

}  // namespace scalelaw
