#pragma once

#include <optional>

#include "predict_options.hpp"

namespace scalelaw::cli {

/// Answers by a law of two x, from saved fits or from runs, and returns the exit status; returns
/// nothing if the law takes one x.
std::optional<int> predict_surface(const PredictCommand& options, const GlobalOptions& global);

}  // namespace scalelaw::cli
