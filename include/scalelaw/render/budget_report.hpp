#pragma once

#include <span>
#include <string>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/budget.hpp"
#include "scalelaw/render/predict_report.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// What the groups of budget have in common.
struct BudgetReport {
  StudyReport study;
  BudgetOptions options;
  std::string time;   ///< Where the time of a token comes from, in words; empty if it is not known.
  std::string power;  ///< Likewise the power of a GPU.
  Currency currency;
};

/// Writes plans in any format: for people the plan and the frontier, in CSV one row for the plan
/// and each place of the frontier. JSON is the schema scalelaw.budget/1 of
/// docs/reference/budget.md.
/// @throws DataError if `style` names an unknown column.
void write_budgets(const BudgetReport& report, std::span<const GroupBudget> groups,
                   const TableStyle& style, const TextSink& sink);

/// The plan and the safe plan of each group, as people read them.
TextTable plan_table(const BudgetReport& report, std::span<const GroupBudget> groups);

/// What the answer says of one group, the main thing first.
std::vector<std::string> budget_sentences(const BudgetReport& report, const Budget& budget);

/// What to doubt of it, and what was assumed.
std::vector<std::string> budget_doubts(const BudgetReport& report, const Budget& budget);

}  // namespace scalelaw
