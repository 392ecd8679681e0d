#pragma once

#include <span>
#include <string>

#include "scalelaw/base/ranks.hpp"

namespace scalelaw {

/// Makes sure that all ranks see the same files. Ranks on several hosts read parts of one table, or
/// some of many traces; where a path leads to two versions, they would mix both without a word.
///
/// Compared are size, time stamp, and a hash of the first and the last bytes of each regular file:
/// 128 KiB of each of 500 files, and less of more files, down to 4 KiB. A study store, which
/// another process may be filling, is left out. All ranks call it at once.
///
/// @throws DataError on the leader, naming the path, both hosts, and what differs.
void refuse_different_files(Ranks& ranks, std::span<const std::string> paths);

}  // namespace scalelaw
