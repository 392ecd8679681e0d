#pragma once

#include <string>

#include "scalelaw/render/budget_report.hpp"

namespace scalelaw {

/// Whole where it is large, else three digits: "10752", "6.5".
std::string short_amount(double amount);

/// "6.5 days", "19.2 h"; "3.2 years".
std::string days_text(double seconds);

/// "10.8 kWh", "7.1 MWh".
std::string kwh_text(double kwh);

/// An amount of what a limit limits: "7 days", "64 GPUs", "500 kWh", "1e22 FLOP".
std::string limited_amount(const BudgetReport& report, BudgetLimit limit, double amount);

}  // namespace scalelaw
