#pragma once

#include <memory>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/plan.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of a report on plans.
struct PlanReport : StudyReport {
  const Law* law = nullptr;  ///< Null for the mixture of laws.
  Response response = Response::kTime;
  double confidence = 0.95;
  PlanOptions options;
  std::size_t shown = 8;  ///< Additions per group in tables for people.
};

/// A writer of plans in any format. JSON is the schema scalelaw.plan/1 of docs/reference/plan.md.
/// CSV and JSON have every addition; tables for people have the best ones of each group.
/// @throws DataError if `style` names an unknown column.
std::unique_ptr<GroupWriter<Plan>> make_plan_writer(const PlanReport& report,
                                                    const TableStyle& style, TextSink sink);

}  // namespace scalelaw
