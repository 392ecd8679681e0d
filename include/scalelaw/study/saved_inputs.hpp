#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/study/study_options.hpp"

namespace scalelaw {

/// Whether the inputs are saved fits and not run tables.
/// @throws DataError if they are both.
bool are_saved_fits(const std::vector<std::string>& inputs);

/// The first option that is asked for; nothing where none is.
std::optional<std::string> first_asked(std::initializer_list<std::pair<const char*, bool>> options);

/// Saved fits were made of rows and columns that nothing can change any more.
/// @throws DataError naming the first option of rows or columns that is asked for.
void refuse_row_options(const StudyOptions& options, const std::string& document);

/// The number of --gpus-per-node for saved fits; empty if it is not given.
/// @throws DataError for a column, which saved fits do not have.
std::optional<double> gpus_per_node_of_saved(const std::string& text);

}  // namespace scalelaw
