// Laws that are linear in their working parameters.

#include <array>
#include <cmath>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

using Theta = std::span<const double>;

constexpr std::array kPowerParameters{ParameterSpec{.name = "alpha", .transform = Transform::kExp},
                                      ParameterSpec{.name = "beta"}};

/// (Frey et al. 2022, eq. 1): theta = (ln alpha, beta).
class PowerLaw final : public CurveLaw<PowerLaw> {
 public:
  static constexpr CurveFacts kFacts{.name = "power",
                                     .of_time = "t = alpha * N^(-beta)",
                                     .of_rate = "y = alpha * N^beta",
                                     .parameters = kPowerParameters,
                                     .linear = true};

  double value(double x, Theta theta, Response response) const {
    return theta[0] + theta[1] * signed_log(x, response);
  }
  double slopes(double x, Theta theta, Response response, std::span<double> out) const {
    out[0] = 1;
    out[1] = signed_log(x, response);
    return theta[0] + theta[1] * out[1];
  }

 private:
  static double signed_log(double x, Response response) {
    return response == Response::kTime ? -std::log(x) : std::log(x);
  }
};

constexpr std::array kLognormalParameters{ParameterSpec{.name = "a"}, ParameterSpec{.name = "b"},
                                          ParameterSpec{.name = "c"}};

/// The curve of a log-normal, a parabola in log-log (Frey et al. 2022, sec. III).
class LognormalLaw final : public CurveLaw<LognormalLaw> {
 public:
  static constexpr CurveFacts kFacts{.name = "lognormal",
                                     .of_time = "t = exp(a - b * ln(N) + c * ln(N)^2)",
                                     .of_rate = "y = exp(a + b * ln(N) + c * ln(N)^2)",
                                     .parameters = kLognormalParameters,
                                     .linear = true};

  double value(double x, Theta theta, Response response) const {
    const double log_x = std::log(x);
    const double slope = response == Response::kTime ? -theta[1] : theta[1];
    return theta[0] + log_x * (slope + theta[2] * log_x);
  }
  double slopes(double x, Theta theta, Response response, std::span<double> out) const {
    const double log_x = std::log(x);
    out[0] = 1;
    out[1] = response == Response::kTime ? -log_x : log_x;
    out[2] = log_x * log_x;
    return theta[0] + theta[1] * out[1] + theta[2] * out[2];
  }
};

constexpr std::array kLinearParameters{ParameterSpec{.name = "a"}, ParameterSpec{.name = "b"}};

/// A line on the original scale, whichever way y runs.
class LinearLaw final : public CurveLaw<LinearLaw> {
 public:
  static constexpr CurveFacts kFacts{.name = "linear",
                                     .of_time = "y = a + b * x",
                                     .of_rate = "y = a + b * x",
                                     .parameters = kLinearParameters,
                                     .linear = true,
                                     .scale = Scale::kOriginal};

  double value(double x, Theta theta, Response /*response*/) const {
    return theta[0] + theta[1] * x;
  }
  double slopes(double x, Theta theta, Response /*response*/, std::span<double> out) const {
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
};

constexpr std::array kProportionalParameters{ParameterSpec{.name = "b"}};

/// A line through the origin, on the original scale.
class ProportionalLaw final : public CurveLaw<ProportionalLaw> {
 public:
  static constexpr CurveFacts kFacts{.name = "proportional",
                                     .of_time = "y = b * x",
                                     .of_rate = "y = b * x",
                                     .parameters = kProportionalParameters,
                                     .linear = true,
                                     .scale = Scale::kOriginal};

  double value(double x, Theta theta, Response /*response*/) const { return theta[0] * x; }
  double slopes(double x, Theta theta, Response /*response*/, std::span<double> out) const {
    out[0] = x;
    return theta[0] * x;
  }
  std::vector<double> shapes(double /*x_min*/, double /*x_max*/) const override { return {1}; }
};

}  // namespace

const Law& power_law() { return only<PowerLaw>(); }
const Law& lognormal_law() { return only<LognormalLaw>(); }
const Law& linear_law() { return only<LinearLaw>(); }
const Law& proportional_law() { return only<ProportionalLaw>(); }

}  // namespace scalelaw
