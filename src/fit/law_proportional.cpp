#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<ParameterSpec, 1> kParameters{{
    {.name = "b", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
}};

/// y = b x through the origin, on the original scale.
class ProportionalLaw final : public Law {
 public:
  std::string_view name() const override { return "proportional"; }
  std::string_view formula(Response /*response*/) const override { return "y = b * x"; }
  Scale scale() const override { return Scale::kOriginal; }
  std::span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return true; }
  bool logarithmic_x() const override { return false; }
  double predictor(std::span<const double> inputs, std::span<const double> theta,
                   Response /*response*/) const override {
    const double x = inputs[0];
    return theta[0] * x;
  }
  double gradient(std::span<const double> inputs, std::span<const double> theta,
                  Response /*response*/, std::span<double> out) const override {
    const double x = inputs[0];
    out[0] = x;
    return theta[0] * x;
  }
  std::vector<double> shapes(double /*x_min*/, double /*x_max*/) const override { return {1}; }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    theta[0] *= std::exp(log_factor);
    return true;
  }
};

}  // namespace

const Law& proportional_law() {
  static const ProportionalLaw law;
  return law;
}

}  // namespace scalelaw
