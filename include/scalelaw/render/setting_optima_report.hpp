#pragma once

#include <span>
#include <string>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/setting_optima.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// What the groups of isoflop --over have in common.
struct SettingReport {
  StudyReport study;
  std::string setting;  ///< Its column.
  double confidence = 0.95;
};

/// Writes the best values of a setting in any format, one row per cell. JSON is the schema
/// scalelaw.optima/1 of docs/reference/isoflop.md.
/// @throws DataError if `style` names an unknown column.
void write_setting_optima(const SettingReport& report, std::span<const GroupSettingOptima> groups,
                          const TableStyle& style, const TextSink& sink);

}  // namespace scalelaw
