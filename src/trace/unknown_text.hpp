#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalelaw {

/// Why the beginning of a file is of no known format: the one that it resembles most, what that
/// has and the file lacks, and what to do.
/// @param path  As messages name it.
std::string why_unknown(std::string_view path, std::string_view head);

/// A sentence on the first line of a trainer behind the part of a file that is looked at; empty if
/// there is none within kLookedFor bytes.
std::string late_log(const std::string& path);
inline constexpr std::size_t kLookedFor = std::size_t{64} << 20;

}  // namespace scalelaw
