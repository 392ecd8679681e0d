#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<ParameterSpec, 3> kParameters{{
    {.name = "a", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
    {.name = "b", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
    {.name = "c", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
}};

/// ln t = a - b ln N + c (ln N)^2, or ln y = a + b ln N + c (ln N)^2 for a rate. This is the curve
/// of a log-normal, a parabola in log-log (Frey et al. 2022, sec. III).
class LognormalLaw final : public Law {
 public:
  std::string_view name() const override { return "lognormal"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime ? "t = exp(a - b * ln(N) + c * ln(N)^2)"
                                       : "y = exp(a + b * ln(N) + c * ln(N)^2)";
  }
  Scale scale() const override { return Scale::kLog; }
  std::span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return true; }
  bool logarithmic_x() const override { return true; }
  double predictor(std::span<const double> inputs, std::span<const double> theta,
                   Response response) const override {
    const double x = inputs[0];
    const double log_x = std::log(x);
    const double slope = response == Response::kTime ? -theta[1] : theta[1];
    return theta[0] + log_x * (slope + theta[2] * log_x);
  }
  double gradient(std::span<const double> inputs, std::span<const double> theta, Response response,
                  std::span<double> out) const override {
    const double x = inputs[0];
    const double log_x = std::log(x);
    out[0] = 1;
    out[1] = response == Response::kTime ? -log_x : log_x;
    out[2] = log_x * log_x;
    return theta[0] + theta[1] * out[1] + theta[2] * out[2];
  }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    theta[0] += log_factor;
    return true;
  }
};

}  // namespace

const Law& lognormal_law() {
  static const LognormalLaw law;
  return law;
}

}  // namespace scalelaw
