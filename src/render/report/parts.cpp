#include "render/report/parts.hpp"

#include <fmt/format.h>

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

std::string ReportParts::drawn_name(const GroupKey& group, std::size_t groups) const {
  return groups > kMostTogether && !group.empty() ? group.front() : names.of(group);
}

std::string ReportParts::choice_text(std::size_t shown, std::size_t groups) const {
  return shown < groups ? fmt::format(" One group of each {}, the last.", by().front()) : "";
}

const Fit* fit_of(const GroupStudy& group) { return std::get_if<Fit>(&group.fit); }

const Parameter* exponent_of(const GroupStudy& group) {
  const Fit* const fit = fit_of(group);
  return fit != nullptr ? &fit->parameters[1] : nullptr;
}

ContrastReport contrast_head(const ReportParts& parts, const SettingStudy& setting) {
  ContrastReport report;
  report.study = parts.origin.study;
  report.study.by = setting.by;
  report.factors = {setting.setting};
  report.options = {.response = parts.origin.fit.response,
                    .confidence = parts.origin.fit.confidence,
                    .margin = parts.origin.margin};
  return report;
}

std::vector<bool> long_columns(const TextTable& table) {
  constexpr std::size_t kLongText = 60;
  std::vector<bool> is_long(table.columns().size());
  table.for_each_row([&](const TextTable::Row& row, bool) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].text.size() > kLongText) is_long[i] = true;
    }
  });
  return is_long;
}

std::string percent_text(double share) { return fmt::format("{:.6g} %", 100 * share); }

}  // namespace scalelaw
