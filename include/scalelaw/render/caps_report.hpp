#pragma once

#include <span>
#include <string>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/energy/caps.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// What all comparisons of one study have in common: the head of its report.
struct CapsReport {
  StudyReport study;           ///< Its `by` are the group columns without the setting.
  std::string setting;         ///< Column of the setting.
  std::string energy;          ///< Column of the energy; empty: it is power times time.
  std::string power;           ///< Column of the power; empty: not used.
  bool total_power = false;    ///< The power is of all GPUs of a run together.
  std::string max_power_from;  ///< Where MaxPower of the cost is from; empty without a cost.
  CapsOptions options;
  CapsSummary summary;
};

/// Writes comparisons in any format. JSON is the schema scalelaw.caps/1 of docs/cli.md; CSV and TSV
/// have rows of several parts, which the column `part` tells apart; tables for people show the
/// means over N, and below them what they mean.
void write_caps(const CapsReport& report, std::span<const GroupCaps> groups,
                const TableStyle& style, const TextSink& sink);

/// What is recommended for one group, in plain words.
std::string caps_sentence(const CapsReport& report, const Caps& caps);

/// Over which N settings were compared and which were left out of the choice, in plain words; empty
/// where all have runs at all N.
std::string caps_choice_sentence(const CapsReport& report, const Caps& caps);

/// How the slowdown of each setting changes with N, in plain words; empty where nothing is known of
/// that.
std::string caps_trends_sentence(const CapsReport& report, const Caps& caps);

/// What is recommended over all groups; empty for fewer than two.
std::string caps_summary_sentence(const CapsReport& report);

/// One setting over all groups, in plain words.
std::string caps_setting_sentence(const CapsReport& report, const SettingSummary& setting);

/// Where the curves of one N are least, in plain words.
std::string curve_sentence(const CapsReport& report, const SettingCurves& curves);

}  // namespace scalelaw
