#pragma once

#include <cstdint>

namespace scalelaw {

/// The moments of the response y over the rows of one group that share one x (and one cluster, one
/// weight).
///
/// Every least-squares fit whose rows share a fitted value at each x follows exactly from cells.
/// Its residual sum of squares is the scatter inside the cells plus the weighted squared distance
/// of the cell means from the curve. A single raw point is a cell with count 1.
struct Cell {
  double x = 0;               ///< The scale, e.g. number of GPUs; > 0 if a law takes its logarithm.
  std::uint64_t count = 0;    ///< Rows, n >= 1.
  double mean_log = 0;        ///< Mean of ln y; 0 if the law takes no logarithm of y.
  double ss_log = 0;          ///< Sum of (ln y - mean_log)^2.
  double mean = 0;            ///< Mean of y.
  double ss = 0;              ///< Sum of (y - mean)^2.
  double min = 0;             ///< Least y.
  double max = 0;             ///< Greatest y.
  double weight = 1;          ///< Weight of each row (inverse variance up to a factor), > 0.
  std::uint32_t cluster = 0;  ///< Index of the rows' cluster (run); 0 if not requested.
};

}  // namespace scalelaw
