#pragma once

#include <span>
#include <string>

#include "scalelaw/base/ranks.hpp"

namespace scalelaw {

/// Makes sure that all ranks see the same tables. Ranks on several hosts read parts of one table;
/// where a path leads to two versions, they would mix both without a word.
///
/// Compared are size, time stamp, and a hash of the first and the last bytes of each regular file:
/// 128 KiB of each of up to 512 files, and less of more files, down to 4 KiB. A study store, which
/// another process may be filling, is left out. All ranks call it at once.
///
/// @throws DataError on the leader, naming the path, both hosts, and what differs.
void refuse_different_files(Ranks& ranks, std::span<const std::string> paths);

/// The same for traces, each of which one rank reads as a whole. One rank of each host looks at up
/// to 1024 of them, and none where all ranks share a host. A trace that was changed in the last
/// ten minutes may be longer for one than for another, if it begins alike.
void refuse_different_traces(Ranks& ranks, std::span<const std::string> all, int threads);

}  // namespace scalelaw
