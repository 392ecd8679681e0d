#pragma once

#include <memory>

#include "scalelaw/base/ranks.hpp"
#include "scalelaw/cluster/transport.hpp"

namespace scalelaw {

/// Ranks that talk over a transport; rank 0 leads.
std::unique_ptr<Ranks> make_team(std::unique_ptr<Transport> transport);

}  // namespace scalelaw
