#pragma once

#include <optional>
#include <string>

#include "scalelaw/render/isoflop_report.hpp"

namespace scalelaw {

/// "FLOP" where the scales are parameters and tokens; else empty, because the product of both
/// scales is then no compute.
std::string compute_unit(const IsoflopReport& report);

/// "1e21", "3.162e18".
std::string compute_text(double compute);

/// "1e21 FLOP"; "a product of 1e21".
std::string compute_words(const IsoflopReport& report, double compute);

/// "number of parameters"; else the name of the column.
std::string number_words(const std::string& column);

/// The least and greatest exponent of several groups.
class ExponentRange {
 public:
  void add(double exponent, const std::string& group);
  /// "as the compute to a power between 0.500 (A) and 0.620 (B)"
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
