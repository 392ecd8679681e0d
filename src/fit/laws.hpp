#pragma once

#include <cmath>

#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// What a curve over one x says of itself.
struct CurveFacts {
  std::string_view name;
  std::string_view of_time;  ///< The formula of a time.
  std::string_view of_rate;  ///< The formula of a rate.
  std::span<const ParameterSpec> parameters;
  bool linear = false;
  /// kLog: ln y over ln x, where the first working parameter is ln of the unit of y. kOriginal: y
  /// over x, where every parameter is in that unit.
  Scale scale = Scale::kLog;
};

/// A law of one x. `Derived` has `kFacts`, and the functions `value` and `slopes` that predictor()
/// and gradient() of Law call.
template <class Derived>
class CurveLaw : public Law {
 public:
  std::string_view name() const final { return Derived::kFacts.name; }
  std::string_view formula(Response response) const final {
    return response == Response::kTime ? Derived::kFacts.of_time : Derived::kFacts.of_rate;
  }
  Scale scale() const final { return Derived::kFacts.scale; }
  std::span<const ParameterSpec> parameters() const final { return Derived::kFacts.parameters; }
  bool linear() const final { return Derived::kFacts.linear; }
  bool logarithmic_x() const final { return scale() == Scale::kLog; }
  double predictor(std::span<const double> x, std::span<const double> theta,
                   Response response) const final {
    return static_cast<const Derived&>(*this).value(x[0], theta, response);
  }
  double gradient(std::span<const double> x, std::span<const double> theta, Response response,
                  std::span<double> out) const final {
    return static_cast<const Derived&>(*this).slopes(x[0], theta, response, out);
  }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    if (scale() == Scale::kLog) {
      theta[0] += log_factor;
    } else {
      for (double& parameter : theta) parameter *= std::exp(log_factor);
    }
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

/// The only object of a law.
template <class OneLaw>
const Law& only() {
  static const OneLaw law;
  return law;
}

}  // namespace scalelaw
