#pragma once

#include "command.hpp"
#include "scalelaw/study/budget.hpp"

namespace scalelaw::cli {

/// Adds all but the options of the result. `request` must outlive the parsing.
void add_budget_options(Options& command, BudgetRequest& request);

}  // namespace scalelaw::cli
