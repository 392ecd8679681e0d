#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/judge/history.hpp"
#include "scalelaw/render/history_report.hpp"

namespace scalelaw::cli {

/// Which kept fits are followed, and how a change is looked for.
struct HistoryOptions {
  std::string store;
  std::string by;  ///< Comma separated; empty: as the newest fits have it.
  std::string label;
  std::string parameter = "beta";
  double confidence = 0.95;
  ChangeOptions change;
};

/// The series of every group of the fits that share columns and law with the newest one, with their
/// change points. Fits that do not are counted in a warning.
/// @throws DataError if the store keeps none, or the law has no such parameter.
std::pair<HistoryReport, std::vector<GroupHistory>> read_history(const HistoryOptions& options);

}  // namespace scalelaw::cli
