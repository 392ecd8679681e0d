#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<ParameterSpec, 2> kTimeParameters{{
    {.name = "t1", .transform = Transform::kExp, .lower = -kInfinity, .upper = kInfinity},
    {.name = "s", .transform = Transform::kIdentity, .lower = 0, .upper = 1},
}};

/// t = t1 (s + (1 - s) / N), where other GPUs do not help with a serial share s of the work on one
/// GPU (Amdahl 1967). A rate is t1 over that sum, and t1 is its value on one GPU.
class AmdahlLaw final : public Law {
 public:
  std::string_view name() const override { return "amdahl"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime ? "t = t1 * (s + (1 - s) / N)"
                                       : "y = t1 / (s + (1 - s) / N)";
  }
  Scale scale() const override { return Scale::kLog; }
  std::span<const ParameterSpec> parameters() const override { return kTimeParameters; }
  bool linear() const override { return false; }
  bool logarithmic_x() const override { return true; }
  double predictor(std::span<const double> inputs, std::span<const double> theta,
                   Response response) const override {
    const double x = inputs[0];
    const double time = std::log(relative_time(x, theta));
    return response == Response::kTime ? theta[0] + time : theta[0] - time;
  }
  double gradient(std::span<const double> inputs, std::span<const double> theta, Response response,
                  std::span<double> out) const override {
    const double x = inputs[0];
    const double time = relative_time(x, theta);
    const double sign = response == Response::kTime ? 1 : -1;
    out[0] = 1;
    out[1] = sign * (1 - 1 / x) / time;
    return theta[0] + sign * std::log(time);
  }
  std::vector<double> shapes(double /*x_min*/, double x_max) const override {
    std::vector<double> thetas{0, 0};
    for (double serial = 0.03; serial < 30 * x_max; serial *= 2) {
      thetas.insert(thetas.end(), {0, serial / (serial + x_max)});
    }
    thetas.insert(thetas.end(), {0, 1});
    return thetas;
  }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    theta[0] += log_factor;
    return true;
  }

 private:
  static double relative_time(double x, std::span<const double> theta) {
    return theta[1] + (1 - theta[1]) / x;
  }
};

}  // namespace

const Law& amdahl_law() {
  static const AmdahlLaw law;
  return law;
}

}  // namespace scalelaw
