#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// sigma and kappa are shares of the work on one GPU. Gunther's law keeps them below 1. Where times
/// only rise, the best fit makes that GPU count for nothing: without an end they would never
/// settle.
constexpr double kGreatest = 1000;
constexpr std::array<ParameterSpec, 3> kParameters{{
    {.name = "t1", .transform = Transform::kExp, .lower = -kInfinity, .upper = kInfinity},
    {.name = "sigma", .transform = Transform::kIdentity, .lower = 0, .upper = kGreatest},
    {.name = "kappa", .transform = Transform::kIdentity, .lower = 0, .upper = kGreatest},
}};

/// t = t1 (1 + sigma (N - 1) + kappa N (N - 1)) / N, the universal scalability law: contention
/// sigma and coherency kappa, the cost of keeping every pair of GPUs in step (Gunther 1993). A rate
/// is its inverse, t1 its value on one GPU.
class UslLaw final : public Law {
 public:
  std::string_view name() const override { return "usl"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime ? "t = t1 * (1 + sigma * (N - 1) + kappa * N * (N - 1)) / N"
                                       : "y = t1 * N / (1 + sigma * (N - 1) + kappa * N * (N - 1))";
  }
  Scale scale() const override { return Scale::kLog; }
  std::span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return false; }
  bool logarithmic_x() const override { return true; }
  double predictor(std::span<const double> inputs, std::span<const double> theta,
                   Response response) const override {
    const double x = inputs[0];
    const double time = std::log(overhead(x, theta) / x);
    return response == Response::kTime ? theta[0] + time : theta[0] - time;
  }
  double gradient(std::span<const double> inputs, std::span<const double> theta, Response response,
                  std::span<double> out) const override {
    const double x = inputs[0];
    const double total = overhead(x, theta);
    const double sign = response == Response::kTime ? 1 : -1;
    out[0] = 1;
    out[1] = sign * (x - 1) / total;
    out[2] = x * out[1];
    return theta[0] + sign * std::log(total / x);
  }
  std::vector<double> shapes(double /*x_min*/, double x_max) const override {
    std::vector<double> thetas;
    const double most_sigma = x_max;
    const double most_kappa = std::min(3 * x_max, x_max * x_max);
    for (double sigma = 0; sigma < most_sigma; sigma = sigma == 0 ? 0.03 : 4 * sigma) {
      for (double kappa = 0; kappa < most_kappa; kappa = kappa == 0 ? 0.03 : 4 * kappa) {
        thetas.insert(thetas.end(), {0, sigma / x_max, kappa / (x_max * x_max)});
      }
    }
    return thetas;
  }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    theta[0] += log_factor;
    return true;
  }

 private:
  static double overhead(double x, std::span<const double> theta) {
    return 1 + (x - 1) * (theta[1] + theta[2] * x);
  }
};

}  // namespace

const Law& usl_law() {
  static const UslLaw law;
  return law;
}

}  // namespace scalelaw
