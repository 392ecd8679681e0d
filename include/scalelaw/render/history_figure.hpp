#pragma once

#include <vector>

#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/history_report.hpp"

namespace scalelaw {

/// The estimates of kept fits with their intervals, one line per group. Groups that changed have
/// their levels drawn.
Figure history_figure(const HistoryReport& report, const std::vector<GroupHistory>& groups);

}  // namespace scalelaw
