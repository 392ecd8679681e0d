#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "cluster/mpi_library.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

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

}  // namespace

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

}  // namespace scalelaw
