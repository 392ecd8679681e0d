#pragma once

#include <optional>
#include <vector>

#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/study/budget.hpp"

namespace scalelaw {

/// The fits of the loss, from saved ones or from runs, and what the runs tell of the work.
struct LossStudy {
  StudyReport report;
  std::vector<GroupFit> fits;
  FitOptions options = {};             ///< Of fits from runs.
  std::vector<SurfaceRuns> runs = {};  ///< Empty of saved fits.
  /// Where no run sees a token again, but the user knows what that is worth.
  std::optional<RepeatConstants> repeats = {};
  std::optional<SavedFits> times = {};   ///< Of saved fits, where a document has times,
  std::optional<SavedFits> powers = {};  ///< and where one has energies or powers.
};

/// Reads saved fits of a loss and, where there are more documents, of times and energies.
LossStudy saved_losses(const BudgetRequest& request);

/// Reads runs and fits the loss. @param work  Finds its columns beside those of the loss.
LossStudy fitted_losses(const BudgetRequest& request, WorkColumns& work,
                        const CallConditions& conditions);

/// What saved fits of times are of.
/// @throws DataError if they tell no time of a token.
MeasuredModel timed_model(const BudgetRequest& request, const SavedFits& times);

/// What saved fits of energies or powers are of.
/// @throws DataError if they tell neither the energy of a token nor the power of a GPU.
MeasuredModel powered_model(const BudgetRequest& request, const SavedFits& powers);

/// The fit of a group: its own, or the only one.
/// @throws FitError if there is none.
const Fit& fit_of_group(const SavedFits& saved, const GroupKey& group);

}  // namespace scalelaw
