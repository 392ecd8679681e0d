#include "scalelaw/documents/study_report.hpp"

#include <fmt/format.h>

#include "scalelaw/base/names.hpp"

namespace scalelaw {

StudyReport report_on(const GroupedCells& runs) {
  StudyReport report;
  report.x = runs.x();
  report.y = runs.y();
  report.y_unit = runs.y_unit();
  report.by = runs.by();
  report.rows = runs.rows();
  return report;
}

FitReport report_on(const GroupedCells& runs, const FitOptions& options) {
  return {report_on(runs), options};
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

}  // namespace scalelaw
