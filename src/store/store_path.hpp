#pragma once

#include <string>

namespace scalelaw {

/// Tells apart what SQLite would only call a file that cannot be opened: a folder, a pipe or a
/// device, and a file that the system does not open, for one of its reasons.
/// @throws DataError with a sentence on it. A missing file is no error.
void refuse_unreadable(const std::string& path);

/// Refuses to write a store, which may be missing if it is to be made, where its disk is read-only,
/// its folder is missing, or the user may not write. A link leads to the store's place, also if
/// nothing is there yet.
/// @throws DataError with a sentence on it.
void refuse_unwritable(const std::string& path);

}  // namespace scalelaw
