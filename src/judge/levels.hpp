#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

// Levels: the cells of one x, which stand together.

/// Where the cells of each level begin, and the end.
std::vector<std::size_t> level_begins(std::span<const Cell> cells);

/// The rows of some cells as one mean of ln y.
struct LogMean {
  std::uint64_t n;  ///< Rows.
  double weight;    ///< Sum over them.
  double mean;
};

LogMean log_mean(std::span<const Cell> cells);

}  // namespace scalelaw
