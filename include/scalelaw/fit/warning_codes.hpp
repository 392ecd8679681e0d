#pragma once

#include <span>

#include "scalelaw/base/code_help.hpp"

namespace scalelaw {

/// The codes of the warnings of fits, in the order of WarningCode.
std::span<const CodeHelp> warning_codes();

}  // namespace scalelaw
