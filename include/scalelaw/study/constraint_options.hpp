#pragma once

#include <string>
#include <vector>

#include "scalelaw/fit/constraints.hpp"

namespace scalelaw {

/// The texts of --fix, --tie and --bound.
struct ConstraintOptions {
  std::vector<std::string> fix;
  std::vector<std::string> tie;
  std::vector<std::string> bound;

  bool empty() const { return fix.empty() && tie.empty() && bound.empty(); }
};

/// The law under the constraints that were asked for.
/// @throws DataError for texts that are none, with the option, and as constrained() does.
const Law& constrained(const Law& law, const ConstraintOptions& options);

}  // namespace scalelaw
