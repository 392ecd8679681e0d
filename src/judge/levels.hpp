#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

/// What ln y is multiplied by to be ln time: 1 for times, -1 for rates, which are their inverses.
inline double sign_of(Response response) { return response == Response::kTime ? 1 : -1; }

// A level here is all cells of one x, which stand together.

/// Where the cells of each level begin; the last value is the end.
inline std::vector<std::size_t> level_begins(std::span<const Cell> cells) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i == 0 || cells[i].x != cells[i - 1].x) begins.push_back(i);
  }
  begins.push_back(cells.size());
  return begins;
}

/// The mean ln y over the rows of some cells.
struct LogMean {
  std::uint64_t n;  ///< Rows.
  double weight;    ///< Sum over the rows.
  double mean;
};

inline LogMean log_mean(std::span<const Cell> cells) {
  LogMean out{.n = 0, .weight = 0, .mean = 0};
  double sum = 0;
  for (const Cell& cell : cells) {
    const double mass = static_cast<double>(cell.count) * cell.weight;
    out.n += cell.count;
    out.weight += mass;
    sum += mass * cell.mean_log;
  }
  out.mean = sum / out.weight;
  return out;
}

}  // namespace scalelaw
