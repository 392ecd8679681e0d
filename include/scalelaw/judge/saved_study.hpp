#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scalelaw/documents/read_fits.hpp"

namespace scalelaw {

/// Saved fits of times, and of energy where there was a second document.
struct SavedStudy {
  SavedFits fits;
  std::optional<SavedFits> energy = {};
};

/// Tells which document is of times and which of energy, whatever their order.
/// @param documents  One, or two of the same x and groups.
/// @throws DataError if two documents do not go together, or the law of energy cannot rise with x.
SavedStudy saved_study(std::vector<SavedFits> documents);

}  // namespace scalelaw
