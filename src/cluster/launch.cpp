#include "scalelaw/cluster/launch.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/cluster/transport.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

constexpr const char* kOptOut =
    "; SCALELAW_MPI=off lets each process work for itself, as if it were alone";

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::optional<int> whole_number_in(const char* name) {
  const auto number = parse_number(environment(name));
  if (!number || *number < 0 || *number > 1e9) return std::nullopt;
  return static_cast<int>(*number);
}

/// The library for MPI stands beside the command, or where an installation puts it.
std::string mpi_library() {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"libscalelaw-mpi.so", SCALELAW_MPI_LIBRARY}) {
    const auto path = folder / place;
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return {};
}

std::unique_ptr<Transport> mpi_transport() {
  const std::string path = mpi_library();
  if (path.empty()) {
    throw DataError(
        fmt::format("started as one of several ranks, but this scalelaw has no libscalelaw-mpi.so: "
                    "it was built without MPI{}",
                    kOptOut));
  }
  // Global, because MPI loads parts of its own that need the symbols of the library.
  void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (library == nullptr) throw DataError(fmt::format("MPI cannot be loaded: {}", dlerror()));
  using Make = Transport* (*)(std::string_view version);
  auto* const make = reinterpret_cast<Make>(dlsym(library, "scalelaw_mpi_transport"));
  Transport* const transport = make == nullptr ? nullptr : make(kVersion);
  if (transport == nullptr) {
    throw DataError(fmt::format("{}: belongs to another version of scalelaw than {}", path,
                                std::string_view(kVersion)));
  }
  return std::unique_ptr<Transport>(transport);
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
