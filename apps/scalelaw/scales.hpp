#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scalelaw/fit/read_fits.hpp"

namespace scalelaw::cli {

/// Scales as the user lists them: "512,1024", or "64..1024", which doubles from the first to the
/// last. Empty for an empty list.
/// @throws DataError naming `option` if one is not a number above 0.
std::vector<double> places(const std::string& option, const std::string& list);

/// Hours of one unit of times over a count x of GPUs; nothing where the unit is not one of time,
/// where x counts nodes, workers or the like, or for a rate.
std::optional<double> hours_per_unit(const std::string& x, const std::string& unit,
                                     Response response);

/// The unit of the response of saved fits: as saved, else as its name tells.
std::string unit_of(const SavedFits& fits);

}  // namespace scalelaw::cli
