#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scalelaw/fit/law.hpp"

namespace scalelaw::cli {

/// Scales as the user lists them: "512,1024", or "64..1024", which doubles from the first to the
/// last. Empty for an empty list.
/// @throws DataError naming `option` if one is not a number above 0.
std::vector<double> places(const std::string& option, const std::string& list);

/// Hours of one unit of a column y of times over a count x of GPUs; nothing where its name does not
/// tell, where x counts nodes or workers, or for a rate.
std::optional<double> hours_per_unit(const std::string& x, const std::string& y, Response response);

}  // namespace scalelaw::cli
