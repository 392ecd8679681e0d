#pragma once

#include <string>
#include <vector>

#include "fit/cells_of.hpp"
#include "scalelaw/judge/contrast.hpp"

namespace scalelaw {

/// One level of raw points.
inline LevelCells level_of(const std::string& name, const std::vector<double>& x,
                           const std::vector<double>& y, const std::vector<double>& weights = {}) {
  return {{name}, point_cells(x, y, weights)};
}

inline const std::vector<std::string> kCap{"cap"};

}  // namespace scalelaw
