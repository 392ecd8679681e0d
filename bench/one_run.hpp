#pragma once

#include <cstdint>

#include "scalelaw/runs/cell.hpp"

/// The cell of a single run.
///
/// @param log_y  ln y, which a caller may know better than the rounded y.
inline scalelaw::Cell one_run(double x, double y, double log_y, std::uint32_t cluster = 0) {
  return {.x = x,
          .count = 1,
          .mean_log = log_y,
          .ss_log = 0,
          .mean = y,
          .ss = 0,
          .min = y,
          .max = y,
          .weight = 1,
          .cluster = cluster};
}
