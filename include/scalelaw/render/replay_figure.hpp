#pragma once

#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/replay_report.hpp"

namespace scalelaw {

/// Four panels over recurrences: what was spent so far in cost, energy and time, over what the
/// default knobs are expected to take, and the regret against the oracle; a line a case with the
/// interval of its mean over seeds. Cases without a result are left out.
/// @throws DataError if no case has a result.
Figure replay_figure(const ReplayStudyReport& study);

}  // namespace scalelaw
