#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

/// One raw point as a cell of count 1. The logarithm of y <= 0 stays 0, as in the reader.
inline Cell point_cell(double x, double y, double weight = 1, std::uint32_t cluster = 0) {
  return {.x = x,
          .count = 1,
          .mean_log = y > 0 ? std::log(y) : 0,
          .ss_log = 0,
          .mean = y,
          .ss = 0,
          .min = y,
          .max = y,
          .weight = weight,
          .cluster = cluster};
}

/// Raw points as cells of count 1, sorted by x. `weights` and `clusters` may be empty.
inline std::vector<Cell> point_cells(std::span<const double> x, std::span<const double> y,
                                     std::span<const double> weights = {},
                                     std::span<const std::uint32_t> clusters = {}) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < x.size(); ++i) {
    cells.push_back(point_cell(x[i], y[i], weights.empty() ? 1 : weights[i],
                               clusters.empty() ? 0 : clusters[i]));
  }
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.x < b.x; });
  return cells;
}

/// Merges points with the same x, weight and cluster; centred sums take two passes of long double.
inline std::vector<Cell> merged_cells(std::span<const Cell> points) {
  std::map<std::tuple<double, std::uint32_t, double>, std::vector<Cell>> groups;
  for (const Cell& point : points) {
    groups[{point.x, point.cluster, point.weight}].push_back(point);
  }
  std::vector<Cell> cells;
  for (const auto& [key, members] : groups) {
    Cell cell = members.front();
    cell.count = members.size();
    long double log_sum = 0;
    long double sum = 0;
    for (const Cell& member : members) {
      log_sum += member.mean_log;
      sum += member.mean;
      cell.min = std::min(cell.min, member.mean);
      cell.max = std::max(cell.max, member.mean);
    }
    const long double log_mean = log_sum / static_cast<long double>(cell.count);
    const long double mean = sum / static_cast<long double>(cell.count);
    long double ss_log = 0;
    long double ss = 0;
    for (const Cell& member : members) {
      ss_log += (member.mean_log - log_mean) * (member.mean_log - log_mean);
      ss += (member.mean - mean) * (member.mean - mean);
    }
    cell.mean_log = static_cast<double>(log_mean);
    cell.mean = static_cast<double>(mean);
    cell.ss_log = static_cast<double>(ss_log);
    cell.ss = static_cast<double>(ss);
    cells.push_back(cell);
  }
  return cells;
}

/// Correct significant digits of a figure, at most 15: -log10 of its relative error (of the
/// absolute error if 0 is certified).
inline double correct_digits(double figure, double certified) {
  const double error =
      certified == 0 ? std::abs(figure) : std::abs(figure - certified) / std::abs(certified);
  if (std::isnan(error)) return 0;
  return error < 1e-15 ? 15 : -std::log10(error);
}

}  // namespace scalelaw
