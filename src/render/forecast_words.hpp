#pragma once

#include <span>
#include <string>
#include <vector>

#include "scalelaw/judge/predict.hpp"

namespace scalelaw {

/// The laws that take part in a forecast: those whose weight can be seen.
std::vector<LawShare> laws_taking_part(const Forecast& forecast);

/// What gives the curves of forecasts: "the power law", "an average of the power and floor laws",
/// with the weights of a single forecast behind it: "(61 %, 39 %)".
std::string curve_words(std::span<const Forecast* const> forecasts);

}  // namespace scalelaw
