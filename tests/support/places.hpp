#pragma once

#include <filesystem>

namespace scalelaw {

/// The root of the project's sources.
std::filesystem::path source_folder();

/// The built command; declared if SCALELAW_HAS_COMMAND is defined.
std::filesystem::path command_binary();

}  // namespace scalelaw
