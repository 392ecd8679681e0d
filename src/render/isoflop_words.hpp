#pragma once

#include <string>

#include "scalelaw/render/isoflop_report.hpp"

namespace scalelaw {

/// What an approach is called: "best runs", "parabolas", "powers", "surface".
std::string_view short_name(IsoflopApproach approach);

/// "1e21", "3.162e18".
std::string compute_text(double compute);

/// "1e21 FLOP".
std::string compute_words(double compute);

}  // namespace scalelaw
