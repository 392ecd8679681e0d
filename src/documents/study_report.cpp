#include "scalelaw/documents/study_report.hpp"

#include <fmt/format.h>

#include "scalelaw/base/names.hpp"
#include "scalelaw/documents/read_fits.hpp"

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

StudyReport report_on(const SavedFits& saved) {
  StudyReport report;
  report.inputs = {saved.source};
  report.x = saved.x;
  report.scales = saved.scales;
  report.flops_per_parameter_token = saved.flops_per_parameter_token;
  report.y = saved.y;
  report.y_unit = unit_of(saved);
  report.by = saved.by;
  report.points = saved.points;
  report.run = saved.run;
  report.weights = saved.weights;
  return report;
}

FitReport report_on(const GroupedCells& runs, const FitOptions& options) {
  return {report_on(runs), options};
}

std::string group_name(std::span<const std::string> by, const GroupKey& group) {
  if (by.empty()) return "all rows";
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
