#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scalelaw/base/trust.hpp"

namespace scalelaw {

/// What an interval rests on.
enum class RatioEvidence {
  kNone,    ///< There are single runs only, so there is no interval.
  kOwn,     ///< The scatter among the runs of each setting and N by itself.
  kPooled,  ///< The scatter pooled over the group, because a setting has a single run there.
  kPaired,  ///< Few runs are repeated: the setting's log ratios scatter over four N or more.
  kBlocks,  ///< The same at two or three N: residuals of an additive model of setting and N.
  kShared,  ///< The scatter of repeated runs over all groups, as CapsOptions::shared says.
};

/// "none", "runs", "pooled", "paired", "blocks", "shared".
std::string_view name_of(RatioEvidence evidence);

/// Why a choice among settings may be wrong.
enum class SettingDoubt {
  kNone,
  kNoInterval,  ///< Of the rival: single runs, which nothing tells from chance.
  kSlowdown,    ///< Of the rival, or of some groups: the time may grow by more than the bound.
  kSaving,      ///< Of the rival: that it saves energy is not shown.
  kNoEnergy,    ///< Nothing tells the energy, so that no setting can save any.
  kFaster,      ///< The choice is a lower limit than the reference, and noticeably faster.
};

/// "none", "no-interval", "slowdown", "saving", "no-energy", "faster".
std::string_view name_of(SettingDoubt doubt);

/// Which setting is worth it: decided once, and said alike wherever it is said.
struct SettingAdvice {
  std::string setting;  ///< The choice: of least energy, shown to save some within the time bound.
  bool is_reference = false;     ///< No other setting is shown to do so.
  bool of_all_groups = false;    ///< Else of one group.
  std::optional<double> x = {};  ///< The N whose runs decide; empty: those at all N together.
  std::string rival = {};        ///< What the runs leave open; empty where there is none.
  bool undecided = false;        ///< More runs may choose the rival.
  RatioEvidence evidence = RatioEvidence::kNone;  ///< Of the choice or, where it stays, the rival.
  SettingDoubt doubt = SettingDoubt::kNone;
  Trust trust = Trust::kHigh;  ///< Fair where there is a doubt, low without an energy.
};

}  // namespace scalelaw
