#pragma once

#include <memory>

#include "scalelaw/cluster/transport.hpp"

namespace scalelaw {

/// The way out that every message about ranks names.
inline constexpr const char* kOptOut =
    "; SCALELAW_MPI=off lets each process work for itself, as if it were alone";

/// The messages of MPI, by the library that stands beside the command. Throws DataError where there
/// is none or it cannot be loaded; the static command never has one.
std::unique_ptr<Transport> mpi_transport();

}  // namespace scalelaw
