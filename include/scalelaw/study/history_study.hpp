#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scalelaw/judge/history.hpp"
#include "scalelaw/render/history_report.hpp"

namespace scalelaw {

/// Which kept fits are followed, and how a change is looked for.
struct HistoryOptions : HistoryQuestion {
  std::string label;  ///< Empty: every label, each of them apart.
};

/// Whether a run table has a column that is called as those of nights are, with several values.
bool is_table_of_nights(const std::string& path);

/// The time under which fits are kept, as --kept-at says; now where it says nothing.
/// @throws DataError if it is no time.
std::string time_to_keep(const std::string& kept_at);

/// Follows the kept fits of a store, as follow_studies does.
/// @throws DataError if the store keeps none, or the law has no such parameter.
std::pair<HistoryReport, std::vector<GroupHistory>> read_history(const HistoryOptions& options);

}  // namespace scalelaw
