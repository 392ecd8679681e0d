#include "render/report/parts.hpp"

#include <fmt/format.h>

#include "scalelaw/base/number.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {

StudyAxes ReportParts::axes() const {
  return {.x = origin.study.x,
          .y = origin.study.y,
          .by = origin.study.by,
          .logarithmic = origin.fit.law->scale() == Scale::kLog};
}

DrawnGroup ReportParts::drawn(std::size_t group) const {
  const GroupStudy& study = analysis().groups[group];
  return {.group = study.group, .cells = study.cells, .fit = {study.group, study.fit}};
}

ReportCell text_cell(std::string text) { return {std::move(text), std::nullopt}; }

ReportCell number_cell(double value, int digits) {
  return {with_significant_digits(value, digits), value};
}

ReportCell number_cell(const std::optional<double>& value, int digits) {
  return value ? number_cell(*value, digits) : text_cell("-");
}

ReportCell percent_cell(const std::optional<double>& share) {
  if (!share) return text_cell("-");
  return {fmt::format("{:.0f} %", 100 * *share), *share};
}

ReportCell interval_cell(const std::optional<Interval>& interval, int digits) {
  if (!interval) return text_cell("-");
  return {fmt::format("{} .. {}", with_significant_digits(interval->lower, digits),
                      with_significant_digits(interval->upper, digits)),
          std::nullopt};
}

std::vector<ReportCell> group_cells(const GroupKey& group) {
  std::vector<ReportCell> cells;
  for (const std::string& value : group) cells.push_back({value, parse_number(value)});
  return cells;
}

std::vector<ReportColumn> group_columns(const std::vector<std::string>& by) {
  std::vector<ReportColumn> columns;
  for (const std::string& name : by) columns.push_back({.header = name});
  return columns;
}

}  // namespace scalelaw
