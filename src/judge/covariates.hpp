#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "scalelaw/judge/contrast.hpp"

namespace scalelaw {

/// The covariate model of levels whose values are numbers > 0, or why there is none. Factors with
/// one value in these levels are left out of it.
std::variant<CovariateModel, std::string> covariate_model(std::span<const LevelCells* const> levels,
                                                          std::span<const std::string> factors,
                                                          const ContrastOptions& options);

}  // namespace scalelaw
