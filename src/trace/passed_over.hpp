#pragma once

#include <optional>
#include <span>
#include <string>

namespace scalelaw {

/// A sentence on files of folders that are not looked at, by their endings; nothing without any.
/// Values of MLflow do not count, as their run reads them.
std::optional<std::string> note_on_passed_over(std::span<const std::string> files);

}  // namespace scalelaw
