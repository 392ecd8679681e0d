#pragma once

#include <optional>
#include <string>

#include "scalelaw/render/isoflop_report.hpp"

namespace scalelaw {

/// What an approach is called: "best runs", "parabolas", "powers", "surface".
std::string_view short_name(IsoflopApproach approach);

/// "1e21", "3.162e18".
std::string compute_text(double compute);

/// "1e21 FLOP".
std::string compute_words(double compute);

/// The least and greatest exponent of several groups.
class ExponentRange {
 public:
  void add(double exponent, const std::string& group);
  /// "as the compute to a power between 0.500 (A) and 0.620 (B)"; empty without exponents.
  std::string text() const;

 private:
  struct Place {
    double exponent;
    std::string group;
  };
  std::optional<Place> least_;
  std::optional<Place> most_;
};

}  // namespace scalelaw
