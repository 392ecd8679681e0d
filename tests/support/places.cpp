#include "support/places.hpp"

namespace scalelaw {

std::filesystem::path source_folder() { return SCALELAW_SOURCE_DIR; }

#ifdef SCALELAW_HAS_COMMAND
std::filesystem::path command_binary() { return SCALELAW_BINARY; }
#endif

}  // namespace scalelaw
