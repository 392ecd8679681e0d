// Which model to train within the limits, where a study has losses beside its times.

#include "render/report/parts.hpp"
#include "scalelaw/render/budget_report.hpp"
#include "scalelaw/render/result_figures.hpp"

namespace scalelaw {
namespace {

void add_plan(ReportSection& section, const BudgetReport& report, const GroupKey& group,
              const Budget& budget, bool is_first) {
  ReportList list;
  const std::string name = report.study.by.empty() ? "" : group_name(report.study.by, group) + ":";
  for (const std::string& sentence : budget_sentences(report, budget)) {
    list.items.push_back({list.items.empty() ? name : "", sentence});
  }
  for (const std::string& doubt : budget_doubts(report, budget)) {
    list.items.push_back({"", doubt});
  }
  add_list(section, std::move(list));
  if (is_first) {
    add_figure(section, "figure-budget", "Least loss over time and energy",
               budget_figure(report, group, budget));
  }
}

}  // namespace

ReportSection budget_section(const ReportParts& parts) {
  ReportSection section{"budget", "Which model to train", {}};
  const auto& found = parts.findings.budget;
  if (!found) return section;
  for (const auto& [group, budget] : found_in(found->groups)) {
    add_plan(section, found->head, group, budget, section.blocks.empty());
  }
  section.blocks.emplace_back(ReportTable{
      .id = "budget-table",
      .caption = "The plan that takes the limits by the median of runs, and the safe plan, which "
                 "rarely exceeds them.",
      .table = plan_table(found->head, found->groups)});
  return section;
}

}  // namespace scalelaw
