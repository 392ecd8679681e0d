// Laws that are linear in their working parameters.

#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array<ParameterSpec, 2> kPowerParameters{{
    {.name = "alpha", .transform = Transform::kExp, .lower = -kInfinity, .upper = kInfinity},
    {.name = "beta", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
}};

/// t = alpha N^(-beta), or y = alpha N^beta for a rate (Frey et al. 2022, eq. 1): theta = (ln
/// alpha, beta).
class PowerLaw final : public LogLaw {
 public:
  std::string_view name() const override { return "power"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime ? "t = alpha * N^(-beta)" : "y = alpha * N^beta";
  }
  std::span<const ParameterSpec> parameters() const override { return kPowerParameters; }
  bool linear() const override { return true; }
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

 private:
  static double signed_log(double x, Response response) {
    return response == Response::kTime ? -std::log(x) : std::log(x);
  }
};

constexpr std::array<ParameterSpec, 3> kLognormalParameters{{
    {.name = "a", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
    {.name = "b", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
    {.name = "c", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
}};

/// ln t = a - b ln N + c (ln N)^2, or ln y = a + b ln N + c (ln N)^2 for a rate: the curve of a
/// log-normal, a parabola in log-log (Frey et al. 2022, sec. III).
class LognormalLaw final : public LogLaw {
 public:
  std::string_view name() const override { return "lognormal"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime ? "t = exp(a - b * ln(N) + c * ln(N)^2)"
                                       : "y = exp(a + b * ln(N) + c * ln(N)^2)";
  }
  std::span<const ParameterSpec> parameters() const override { return kLognormalParameters; }
  bool linear() const override { return true; }
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
};

constexpr std::array<ParameterSpec, 2> kLinearParameters{{
    {.name = "a", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
    {.name = "b", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
}};

/// y = a + b x, on the original scale, whichever way y runs.
class LinearLaw final : public Law {
 public:
  std::string_view name() const override { return "linear"; }
  std::string_view formula(Response /*response*/) const override { return "y = a + b * x"; }
  Scale scale() const override { return Scale::kOriginal; }
  std::span<const ParameterSpec> parameters() const override { return kLinearParameters; }
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
      thetas.insert(thetas.end(), {1, tilt / x_max});                           // Rising,
      thetas.insert(thetas.end(), {1, -1 / (x_max + tilt * (x_max - x_min))});  // falling.
    }
    return thetas;
  }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    for (double& parameter : theta) parameter *= std::exp(log_factor);
    return true;
  }
};

constexpr std::array<ParameterSpec, 1> kProportionalParameters{{
    {.name = "b", .transform = Transform::kIdentity, .lower = -kInfinity, .upper = kInfinity},
}};

/// y = b x through the origin, on the original scale.
class ProportionalLaw final : public Law {
 public:
  std::string_view name() const override { return "proportional"; }
  std::string_view formula(Response /*response*/) const override { return "y = b * x"; }
  Scale scale() const override { return Scale::kOriginal; }
  std::span<const ParameterSpec> parameters() const override { return kProportionalParameters; }
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

const Law& power_law() {
  static const PowerLaw law;
  return law;
}

const Law& lognormal_law() {
  static const LognormalLaw law;
  return law;
}

const Law& linear_law() {
  static const LinearLaw law;
  return law;
}

const Law& proportional_law() {
  static const ProportionalLaw law;
  return law;
}

}  // namespace scalelaw
