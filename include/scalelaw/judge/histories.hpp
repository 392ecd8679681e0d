#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/judge/history.hpp"

namespace scalelaw {

/// Fits of a study that were kept under a label.
struct KeptStudy {
  std::string label;
  std::string kept_at;    ///< UTC: 2026-01-31T12:00:00Z.
  std::int64_t time = 0;  ///< The same in seconds since 1970.
  SavedFits fits{};
};

/// What is followed, and how a change is looked for.
struct HistoryQuestion {
  std::string store;               ///< Where the fits were kept, for messages.
  std::vector<std::string> by{};   ///< Group columns; empty: those of the newest fits.
  std::string parameter = "beta";  ///< Of the law.
  ChangeOptions change{};
};

/// The series of all groups and labels.
struct History {
  std::string x;
  std::string y;
  std::vector<std::string> by;
  std::string_view law;
  std::vector<std::string> labels;      ///< In the order in which they were first kept.
  std::vector<std::string> warnings{};  ///< What was left out, and why.
  std::vector<GroupHistory> groups{};   ///< By label, then in the order of the documents.
};

/// The series of every group of the fits that share columns and law with the newest one, one series
/// per label, with their change points. Fits that do not are counted in a warning. Those that
/// repeat the runs of earlier ones of their series (as many points, the same residual sum of
/// squares and parameters to the last digit) count once, which a warning says, too.
///
/// @param documents  In order of time; one at least.
/// @throws DataError if none has the group columns that were asked for, or the law has no such
/// parameter.
History follow_studies(std::span<const KeptStudy> documents, const HistoryQuestion& question);

}  // namespace scalelaw
