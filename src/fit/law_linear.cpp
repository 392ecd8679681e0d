#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<ParameterSpec, 2> kParameters{{
    {.name = "a", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
    {.name = "b", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
}};

/// y = a + b x on the original scale, for rising and falling y.
class LinearLaw final : public Law {
 public:
  std::string_view name() const override { return "linear"; }
  std::string_view formula(Response /*response*/) const override { return "y = a + b * x"; }
  Scale scale() const override { return Scale::kOriginal; }
  std::span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return true; }
  bool logarithmic_x() const override { return false; }
  double predictor(std::span<const double> inputs, std::span<const double> theta,
                   Response /*response*/) const override {
    const double x = inputs[0];
    return theta[0] + theta[1] * x;
  }
  double gradient(std::span<const double> inputs, std::span<const double> theta,
                  Response /*response*/, std::span<double> out) const override {
    const double x = inputs[0];
    out[0] = 1;
    out[1] = x;
    return theta[0] + theta[1] * x;
  }
  std::vector<double> shapes(double x_min, double x_max) const override {
    std::vector<double> thetas;
    for (const double tilt : {0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0}) {
      thetas.insert(thetas.end(), {1, tilt / x_max});                           // Rising.
      thetas.insert(thetas.end(), {1, -1 / (x_max + tilt * (x_max - x_min))});  // Falling.
    }
    return thetas;
  }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    for (double& parameter : theta) parameter *= std::exp(log_factor);
    return true;
  }
};

}  // namespace

const Law& linear_law() {
  static const LinearLaw law;
  return law;
}

}  // namespace scalelaw
