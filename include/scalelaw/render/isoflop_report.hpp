#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/isoflop.hpp"
#include "scalelaw/judge/setting_optima.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// What the groups of isoflop have in common.
struct IsoflopReport {
  StudyReport study;
  IsoflopOptions options;
};

/// Writes the best sizes in any format: for people a table of budgets and one of approaches, in CSV
/// one row per approach and compute. JSON is the schema scalelaw.isoflop/1 of
/// docs/reference/isoflop.md.
/// @throws DataError if `style` names an unknown column.
void write_isoflops(const IsoflopReport& report, std::span<const GroupIsoflop> groups,
                    const TableStyle& style, const TextSink& sink);

/// What the answer says of one group, the main thing first.
std::vector<std::string> isoflop_sentences(const IsoflopReport& report, const Isoflop& isoflop);

/// What an approach is called: "best runs", "parabolas", "powers", "surface".
std::string_view short_name(IsoflopApproach approach);

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
