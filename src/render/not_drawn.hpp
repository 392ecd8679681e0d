#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace scalelaw {

/// The end of a caption that tells which groups are left out; empty if none is.
inline std::string not_drawn(std::size_t groups) {
  if (groups == 0) return "";
  return groups == 1 ? " 1 more group is not drawn."
                     : fmt::format(" {} more groups are not drawn.", groups);
}

}  // namespace scalelaw
