#pragma once

#include <memory>
#include <optional>

#include "scalelaw/base/ranks.hpp"

namespace scalelaw {

/// How a launcher started this process.
struct Launch {
  int count = 1;        ///< Processes of the job step.
  bool has_mpi = true;  ///< Whether the launcher offers what MPI needs to connect them.
};

/// The launch that mpirun, mpiexec or srun describe in the environment. Empty if this process is
/// alone or SCALELAW_MPI is "off". It only reads a few variables.
std::optional<Launch> launch();

/// Joins the ranks of the job. Afterwards the heap of this process keeps up to 64 MiB of freed
/// memory (glibc's M_TRIM_THRESHOLD and M_MMAP_THRESHOLD).
/// @throws DataError if this scalelaw was built without MPI, or MPI sees other ranks than the
/// launcher.
std::unique_ptr<Ranks> join_ranks(const Launch& launch);

}  // namespace scalelaw
