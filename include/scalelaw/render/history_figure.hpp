#pragma once

#include <vector>

#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/history_report.hpp"

namespace scalelaw {

/// Estimates with their intervals over the kept fits, a line a group, with the levels of groups
/// that changed.
Figure history_figure(const HistoryReport& report, const std::vector<GroupHistory>& groups);

}  // namespace scalelaw
