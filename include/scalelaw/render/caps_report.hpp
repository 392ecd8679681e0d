#pragma once

#include <memory>
#include <string>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/energy/caps.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of the report: it holds for all comparisons of one study.
struct CapsReport {
  StudyReport study;           ///< Its `by` are the group columns without the setting.
  std::string setting;         ///< Column of the setting.
  std::string energy;          ///< Column of the energy; empty: it is power times time.
  std::string power;           ///< Column of the power; empty: not used.
  std::string work = {};       ///< Column of the work whose unit both are of; empty: of runs.
  bool total_power = false;    ///< The power is of all GPUs of a run together.
  std::string max_power_from;  ///< Where MaxPower of the cost is from; empty without a cost.
  CapsOptions options;
  CapsSummary summary;

  bool has_energy() const { return !energy.empty() || !power.empty(); }
};

/// A writer of comparisons in any format. JSON is the schema scalelaw.caps/1 of
/// docs/reference/caps.md; CSV and TSV have rows of several parts, which the column `part` tells
/// apart. Tables for people show the means over N, and sentences on them below.
std::unique_ptr<GroupWriter<Caps>> make_caps_writer(const CapsReport& report,
                                                    const TableStyle& style, TextSink sink);

/// A sentence on the recommendation for one group.
std::string caps_sentence(const CapsReport& report, const Caps& caps);

/// A sentence on the N over which settings were compared, and on the settings outside the choice;
/// empty if all settings have runs at all N.
std::string caps_choice_sentence(const CapsReport& report, const Caps& caps);

/// A sentence on how the slowdown of each setting changes with N; empty if that is not known.
std::string caps_trends_sentence(const CapsReport& report, const Caps& caps);

/// A sentence on the recommendation over all groups; empty for fewer than two groups.
std::string caps_summary_sentence(const CapsReport& report);

/// A sentence on the one setting for all groups, without its stop; empty if there is none, or if
/// every group chooses it by itself.
std::string caps_common_sentence(const CapsReport& report);

/// What all groups share (caps --pool scatter), in two sentences.
std::string caps_shared_sentence(const SharedScatter& shared);

/// A sentence on one setting over all groups.
std::string caps_setting_sentence(const CapsReport& report, const SettingSummary& setting);

/// A sentence on where the curves of one N are least.
std::string curve_sentence(const CapsReport& report, const SettingCurves& curves);

}  // namespace scalelaw
