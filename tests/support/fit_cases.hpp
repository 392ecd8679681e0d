#pragma once

#include <cstdint>
#include <vector>

#include "fit/cells_of.hpp"
#include "scalelaw/fit/fit.hpp"
#include "support/json.hpp"

namespace scalelaw {

/// The points of a study in tests/fit/oracle: x and y, and weights and clusters where it has them.
inline std::vector<Cell> points_of(const nlohmann::json& study) {
  const auto w = study.value("w", std::vector<double>());
  const auto clusters = study.value("cluster", std::vector<std::uint32_t>());
  return point_cells(study["x"].get<std::vector<double>>(), study["y"].get<std::vector<double>>(),
                     w, clusters);
}

}  // namespace scalelaw
