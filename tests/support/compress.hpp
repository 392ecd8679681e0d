#pragma once

#include <string>
#include <string_view>

namespace scalelaw::test {

/// One gzip member that holds `bytes`.
std::string gzip(std::string_view bytes);

/// One zstd frame, with a checksum, that holds `bytes`.
std::string zstd(std::string_view bytes);

}  // namespace scalelaw::test
