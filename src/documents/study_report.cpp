#include "scalelaw/documents/study_report.hpp"

#include <fmt/format.h>

#include "scalelaw/base/names.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {

StudyReport report_on(const GroupedCells& runs) {
  StudyReport report;
  report.x = runs.x();
  report.y = runs.y();
  report.y_unit = runs.y_unit();
  report.quantity = runs.quantity();
  report.by = runs.by();
  report.rows = runs.rows();
  return report;
}

FitReport report_on(const GroupedCells& runs, const FitOptions& options) {
  FitReport report{report_on(runs), options};
  report.growing_work = growing_work_of(runs, options.response);
  report.partly_growing_work = partly_growing_work_of(runs, options.response);
  return report;
}

namespace {

/// Whether a response is worse where a run or a step does more work: a time, or a rate of steps.
bool depends_on_work(const GroupedCells& runs, Response response) {
  const Quantity& quantity = runs.quantity();
  if (response == Response::kRate) return quantity.of == WorkUnit::kStep && !quantity.is_product();
  const ColumnRole role = meaning_of(runs.y()).role;
  return role == ColumnRole::kTime || role == ColumnRole::kOther;
}

}  // namespace

std::string growing_work_of(const GroupedCells& runs, Response response) {
  return depends_on_work(runs, response) ? runs.growing_work() : "";
}

std::optional<PartlyGrowingWork> partly_growing_work_of(const GroupedCells& runs,
                                                        Response response) {
  return depends_on_work(runs, response) ? runs.partly_growing_work() : std::nullopt;
}

std::string group_name(std::span<const std::string> by, const GroupKey& group) {
  if (by.empty()) return "all runs";
  std::string name;
  for (std::size_t i = 0; i < by.size(); ++i) {
    name += fmt::format("{}{} {}", i > 0 ? ", " : "", by[i], group.at(i));
  }
  return name;
}

std::string_view name_of(Points points) {
  using enum Points;
  return word_for(points, {{kEach, "each"}, {kMean, "mean"}, {kMedian, "median"}});
}

std::vector<std::string> names_of_groups(std::span<const std::string> by,
                                         std::span<const GroupKey> groups) {
  std::vector<std::string> names;
  for (const GroupKey& group : groups) names.push_back(group_name(by, group));
  return names;
}

}  // namespace scalelaw
