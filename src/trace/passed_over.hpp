#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

namespace scalelaw {

/// A sentence on the files below the folders among `inputs` that are not in `read`, by their
/// endings; nothing if there are none. Hidden files and folders do not count.
/// @param leave_out  Real paths of files that are known for what they are.
std::optional<std::string> files_passed_over(std::span<const std::string> inputs,
                                             std::span<const std::string> read,
                                             const std::set<std::string>& leave_out);

}  // namespace scalelaw
