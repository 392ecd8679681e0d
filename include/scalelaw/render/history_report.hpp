#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/judge/history.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// What all series of a history have in common.
struct HistoryReport {
  std::string store;
  std::string x;
  std::string y;
  std::vector<std::string> by;
  std::string_view law;
  std::string parameter;
  std::vector<std::string> labels;  ///< Of the series, in the order in which they were first kept.
  std::optional<double> level;      ///< Confidence of the intervals; empty if fits differ in it.
  double confidence = 0.95;         ///< A change is said to be one where p_holm is below 1 - this.
  ChangeOptions options;
  bool follows_curve = false;  ///< Whether the curve is followed beside the parameter.
  std::vector<NightApart> nights_apart = {};  ///< As those of History.
  std::vector<std::string> warnings = {};
};

/// Writes histories in any format: JSON is the schema scalelaw.history/1 of
/// docs/reference/history.md; CSV has one row per kept fit of each group.
void write_history(const HistoryReport& report, const std::vector<GroupHistory>& groups,
                   const TableStyle& style, const TextSink& sink);

/// The warning `night-apart` of a history; empty if no night stands apart.
std::string warning_of_nights_apart(const HistoryReport& report,
                                    const std::vector<GroupHistory>& groups);

}  // namespace scalelaw
