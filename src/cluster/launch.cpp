#include "scalelaw/cluster/launch.hpp"

#include <fmt/format.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cluster/mpi_library.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/cluster/transport.hpp"

namespace scalelaw {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::optional<int> whole_number_in(const char* name) {
  const auto number = parse_number(environment(name));
  if (!number || *number < 0 || *number > 1e9) return std::nullopt;
  return static_cast<int>(*number);
}

/// Tells the heap to keep freed memory. Ranks work in threads. Their heaps would otherwise return
/// it to the system at once and take it again, with a page fault per 4 KiB.
void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

}  // namespace

std::optional<Launch> launch() {
  if (environment("SCALELAW_MPI") == "off") return std::nullopt;
  // Open MPI; Hydra (MPICH, Intel MPI) and srun with pmi2; srun. The size of a Slurm job proves
  // nothing, because a batch script has it too.
  constexpr std::array kCounts{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
  const bool joins = !environment("OMPI_COMM_WORLD_SIZE").empty() ||
                     !environment("PMI_RANK").empty() || !environment("PMIX_RANK").empty();
  for (const char* const name : kCounts) {
    const auto count = whole_number_in(name);
    if (!count) continue;
    if (*count < 2) return std::nullopt;
    return Launch{.count = *count, .has_mpi = joins};
  }
  return std::nullopt;
}

std::unique_ptr<Ranks> join_ranks(const Launch& launch) {
  if (!launch.has_mpi) {
    throw DataError(
        fmt::format("srun started {} tasks without joining them: use srun --mpi=pmix (srun "
                    "--mpi=list has the choice){}",
                    launch.count, kOptOut));
  }
  std::unique_ptr<Transport> transport = mpi_transport();
  if (transport->count() != launch.count) {
    throw DataError(
        fmt::format("the launcher started {} processes, MPI sees {}: does the launcher belong to "
                    "the MPI that scalelaw was built with?{}",
                    launch.count, transport->count(), kOptOut));
  }
  keep_freed_memory();
  return make_team(std::move(transport));
}

}  // namespace scalelaw
