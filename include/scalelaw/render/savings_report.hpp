#pragma once

#include <span>
#include <string>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/savings.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of a report on savings.
struct SavingsReport : StudyReport {
  std::vector<std::string> factors;  ///< Columns that name the recipe.
  SavingsOptions options;
};

/// Writes what recipes save in any format. JSON is the schema scalelaw.savings/1 of
/// docs/reference/contrast.md.
/// @throws DataError if `style` names an unknown column.
void write_savings(const SavingsReport& report, std::span<const GroupSavings> groups,
                   const TableStyle& style, const TextSink& sink);

}  // namespace scalelaw
