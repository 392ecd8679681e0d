#pragma once

#include <string>
#include <vector>

namespace scalelaw::cli {

/// Scales as the user lists them: "512,1024", or "64..1024", which doubles from the first to the
/// last. Empty for an empty list.
/// @throws DataError naming `option` if one is not a number above 0.
std::vector<double> places(const std::string& option, const std::string& list);

}  // namespace scalelaw::cli
