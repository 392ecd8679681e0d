#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<ParameterSpec, 2> kParameters{{
    {.name = "alpha", .transform = Transform::kExp, .lower = -kInfinity, .upper = kInfinity},
    {.name = "beta", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
}};

/// t = alpha N^(-beta), or y = alpha N^beta for a rate (Frey et al. 2022, eq. 1), with theta = (ln
/// alpha, beta).
class PowerLaw final : public Law {
 public:
  std::string_view name() const override { return "power"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime ? "t = alpha * N^(-beta)" : "y = alpha * N^beta";
  }
  Scale scale() const override { return Scale::kLog; }
  std::span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return true; }
  bool logarithmic_x() const override { return true; }
  double predictor(std::span<const double> inputs, std::span<const double> theta,
                   Response response) const override {
    const double x = inputs[0];
    return theta[0] + theta[1] * signed_log(x, response);
  }
  double gradient(std::span<const double> inputs, std::span<const double> theta, Response response,
                  std::span<double> out) const override {
    const double x = inputs[0];
    out[0] = 1;
    out[1] = signed_log(x, response);
    return theta[0] + theta[1] * out[1];
  }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    theta[0] += log_factor;
    return true;
  }

 private:
  static double signed_log(double x, Response response) {
    return response == Response::kTime ? -std::log(x) : std::log(x);
  }
};

}  // namespace

const Law& power_law() {
  static const PowerLaw law;
  return law;
}

}  // namespace scalelaw
