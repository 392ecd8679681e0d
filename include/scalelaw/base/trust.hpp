#pragma once

#include <string_view>

#include "scalelaw/base/names.hpp"

namespace scalelaw {

/// How far a forecast inside the measured range, or a choice among settings, may be trusted.
enum class Trust { kHigh, kFair, kLow };

/// "high", "fair", "low".
inline std::string_view name_of(Trust trust) {
  return word_for(trust, {{Trust::kHigh, "high"}, {Trust::kFair, "fair"}, {Trust::kLow, "low"}});
}

}  // namespace scalelaw
