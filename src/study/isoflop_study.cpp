#include "scalelaw/study/isoflop_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "scalelaw/base/error.hpp"
#include "scalelaw/runs/budgets.hpp"

namespace scalelaw {
namespace {

/// Whether a value of the column of budgets has runs of three sizes or more.
bool has_budget(const SurfaceRuns& runs) {
  std::map<double, std::set<double>> sizes;
  for (std::size_t i = 0; i < runs.budget.size(); ++i) sizes[runs.budget[i]].insert(runs.n[i]);
  return std::ranges::any_of(
      sizes, [](const auto& one) { return one.second.size() >= kLeastSizesOfBudget; });
}

void refuse_column_without_budgets(const std::string& column, std::span<const SurfaceRuns> groups) {
  if (column.empty() || std::ranges::any_of(groups, has_budget)) return;
  throw DataError(fmt::format(
      "--budget {}: no value of this column has runs of three sizes or more; it must be the same "
      "for all runs of a budget. Without --budget runs of nearly one compute are taken together",
      column));
}

}  // namespace

IsoflopStudy read_isoflop(const StudyOptions& asked, const SurfaceOptions& surface,
                          const IsoflopChoice& choice, const CallConditions& conditions) {
  StudyOptions study = asked;
  study.law = find_law("chinchilla");
  study.se = study.run.empty() ? StandardError::kSandwich : StandardError::kCr2;
  IsoflopStudy out;
  out.report.options.surface = study;
  out.report.options.surface.robust = Robust::kHuber;
  out.report.options.surface.intervals = Intervals::kWald;  // Optima need no profiles of the law.
  out.report.options.surface.bootstrap.resamples = 0;
  SurfaceOptions columns = surface;
  columns.budget = choice.budget;
  columns.sharing = "--run";
  columns.in_ones = true;
  if (!columns.flops_per_parameter_token) columns.flops_per_parameter_token = 6;
  out.runs = read_surface(study, columns, conditions);
  refuse_column_without_budgets(choice.budget, out.runs.groups);
  out.report.study = out.runs.report;
  out.report.options.confidence = study.confidence;
  out.report.options.flops_per_parameter_token = out.runs.report.flops_per_parameter_token;
  out.report.options.at_compute = choice.at_compute;
  std::ranges::sort(out.report.options.at_compute);
  out.report.options.approach = choice.approach;
  out.report.options.within = choice.within;
  return out;
}

SettingOptimaStudy read_setting_optima(StudyOptions study, const SurfaceOptions& surface,
                                       const std::string& setting,
                                       const CallConditions& conditions) {
  study.law = find_law("chinchilla");
  SurfaceOptions columns = surface;
  columns.sharing.clear();
  columns.in_ones = true;
  columns.one_will_do = true;
  columns.more = [setting](const Header&, std::string_view, const TableProfile&) {
    return std::vector{NumberColumn{.name = setting, .setting = true}};
  };
  const SurfaceStudy runs = read_surface(study, columns, conditions);
  return {{runs.report, setting, study.confidence},
          setting_optima(std::span<const SurfaceRuns>(runs.groups), study.confidence)};
}

}  // namespace scalelaw
