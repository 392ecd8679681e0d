#pragma once

#include <string>
#include <string_view>

namespace scalelaw {

/// The bytes as one gzip member, the same for the same bytes.
std::string gzip(std::string_view bytes);

/// Base64 of RFC 4648, with padding and without line ends.
std::string base64(std::string_view bytes);

}  // namespace scalelaw
