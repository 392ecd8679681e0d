#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalelaw {

/// A unit of work per time, or of time per work, as cells have it: "tok/s", "GB/s", "ms/step".
struct RateUnit {
  std::string unit;   ///< "tok/s", with the usual spelling of the time.
  std::string base;   ///< What units of the same kind convert to: "token/s", "B/s", "s/step".
  double factor = 1;  ///< So many of `base` are one `unit`.
};

/// The unit that words behind a number tell; empty if they are none.
std::optional<RateUnit> rate_unit(std::string_view words);

}  // namespace scalelaw
