#pragma once

#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// A law of the logarithms of x and y whose first working parameter is ln of the unit of y.
class LogLaw : public Law {
 public:
  Scale scale() const override { return Scale::kLog; }
  bool logarithmic_x() const override { return true; }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    theta[0] += log_factor;
    return true;
  }
};

/// The laws of the registry in law.cpp.
const Law& power_law();
const Law& lognormal_law();
const Law& floor_law();
const Law& amdahl_law();
const Law& usl_law();
const Law& broken_law();
const Law& linear_law();
const Law& proportional_law();
const Law& chinchilla_law();  ///< Of two x.

}  // namespace scalelaw
