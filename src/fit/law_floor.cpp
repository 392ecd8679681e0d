#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSteepest = 10;  ///< A steeper curve is a step for any data.
constexpr std::array<ParameterSpec, 3> kParameters{{
    {.name = "alpha", .transform = Transform::kExp, .lower = -kInfinity, .upper = kInfinity},
    {.name = "beta", .transform = Transform::kIdentity, .lower = -kSteepest, .upper = kSteepest},
    {.name = "gamma", .transform = Transform::kIdentity, .lower = 0, .upper = kInfinity},
}};

/// t = alpha N^(-beta) + gamma: a power law above a floor, below which no number of GPUs gets. A
/// rate is one over such a time. Its power law keeps alpha: 1/y = N^(-beta) / alpha + gamma.
class FloorLaw final : public Law {
 public:
  std::string_view name() const override { return "floor"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime ? "t = alpha * N^(-beta) + gamma"
                                       : "y = 1 / (N^(-beta) / alpha + gamma)";
  }
  Scale scale() const override { return Scale::kLog; }
  std::span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return false; }
  bool logarithmic_x() const override { return true; }
  double predictor(std::span<const double> inputs, std::span<const double> theta,
                   Response response) const override {
    const double x = inputs[0];
    const double time = std::log(power_part(std::log(x), theta, response) + theta[2]);
    return response == Response::kTime ? time : -time;
  }
  double gradient(std::span<const double> inputs, std::span<const double> theta, Response response,
                  std::span<double> out) const override {
    const double x = inputs[0];
    const double log_x = std::log(x);
    const double power = power_part(log_x, theta, response);
    const double time = power + theta[2];
    const double share = power / time;
    const double sign = response == Response::kTime ? 1 : -1;
    out[0] = share;  // For ln alpha, which divides the power part of a rate.
    out[1] = -sign * share * log_x;
    out[2] = sign / time;
    return sign * std::log(time);
  }
  std::vector<double> shapes(double x_min, double x_max) const override {
    std::vector<double> thetas;
    for (const double beta : {-10.0, -6.0, -4.0, -2.5, -1.5, -0.75, -0.25, 0.25, 0.5, 0.75, 1.0,
                              1.5, 2.5, 4.0, 6.0, 10.0}) {
      const double span = std::pow(x_max / x_min, std::abs(beta));
      const double least = std::pow(beta > 0 ? x_max : x_min, -beta);
      // About ten knees cover the range at most, because a steep curve changes less with its floor.
      const double factor = std::max(2.0, std::pow(span, 0.1));
      for (double floor = 0.05; floor < 3 * span; floor *= factor) {
        thetas.insert(thetas.end(), {0, beta, floor * least});
      }
      thetas.insert(thetas.end(), {0, beta, 0});
    }
    return thetas;
  }
  bool rescale(std::span<double> theta, double log_factor, Response response) const override {
    theta[0] += log_factor;
    theta[2] *= std::exp(response == Response::kTime ? log_factor : -log_factor);
    return true;
  }

 private:
  static double power_part(double log_x, std::span<const double> theta, Response response) {
    return std::exp((response == Response::kTime ? theta[0] : -theta[0]) - theta[1] * log_x);
  }
};

}  // namespace

const Law& floor_law() {
  static const FloorLaw law;
  return law;
}

}  // namespace scalelaw
