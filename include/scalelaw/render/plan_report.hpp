#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/judge/plan.hpp"
#include "scalelaw/render/study_report.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of a report on plans.
struct PlanReport : StudyReport {
  const Law* law = nullptr;
  Response response = Response::kTime;
  double confidence = 0.95;
  PlanOptions options;
  std::optional<double> hours_per_unit;  ///< Of y, where its name tells the unit.
  std::size_t shown = 8;                 ///< Additions a group in tables for people.
};

using GroupPlan = Grouped<Plan>;

/// Writes plans in any format. JSON is the schema scalelaw.plan/1 of docs/cli.md; CSV and JSON have
/// every addition, tables the best of each group.
void write_plans(const PlanReport& report, std::span<const GroupPlan> plans, Format format,
                 bool colour, const TextSink& sink);

}  // namespace scalelaw
