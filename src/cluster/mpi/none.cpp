#include <fmt/format.h>

#include "cluster/mpi_library.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {

std::unique_ptr<Transport> mpi_transport() {
  throw DataError(
      fmt::format("started as one of several ranks, but this is the static scalelaw, which has no "
                  "MPI: build scalelaw on the cluster{}",
                  kOptOut));
}

}  // namespace scalelaw
