#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "scalelaw/judge/contrast.hpp"

namespace scalelaw {

/// The covariate model of levels whose values are numbers > 0, or the reason why there is none.
/// Factors with a single value in these levels are left out.
std::variant<CovariateModel, std::string> covariate_model(std::span<const LevelCells* const> levels,
                                                          std::span<const std::string> factors,
                                                          const ContrastOptions& options);

}  // namespace scalelaw
