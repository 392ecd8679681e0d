// Laws that are fitted step by step.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr double kSteepest = 10;  ///< A curve that falls faster is a step to any data.
constexpr std::array<ParameterSpec, 3> kFloorParameters{{
    {.name = "alpha", .transform = Transform::kExp, .lower = -kInfinity, .upper = kInfinity},
    {.name = "beta", .transform = Transform::kIdentity, .lower = -kSteepest, .upper = kSteepest},
    {.name = "gamma", .transform = Transform::kIdentity, .lower = 0, .upper = kInfinity},
}};

/// t = alpha N^(-beta) + gamma: a power law above a floor that no number of GPUs gets below. A rate
/// is one over such a time, so that its power law keeps alpha: 1/y = N^(-beta) / alpha + gamma.
class FloorLaw final : public LogLaw {
 public:
  std::string_view name() const override { return "floor"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime ? "t = alpha * N^(-beta) + gamma"
                                       : "y = 1 / (N^(-beta) / alpha + gamma)";
  }
  std::span<const ParameterSpec> parameters() const override { return kFloorParameters; }
  bool linear() const override { return false; }
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
    out[0] = share;  // Of ln alpha, which divides the power part of a rate.
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
      // Knees stand in ten places of the range or more: a steep curve changes less with its floor.
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

constexpr std::array<ParameterSpec, 2> kAmdahlParameters{{
    {.name = "t1", .transform = Transform::kExp, .lower = -kInfinity, .upper = kInfinity},
    {.name = "s", .transform = Transform::kIdentity, .lower = 0, .upper = 1},
}};

/// t = t1 (s + (1 - s) / N): a serial share s of the work on one GPU that others do not help with
/// (Amdahl 1967). A rate is t1 over that sum, t1 its value on one GPU.
class AmdahlLaw final : public LogLaw {
 public:
  std::string_view name() const override { return "amdahl"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime ? "t = t1 * (s + (1 - s) / N)"
                                       : "y = t1 / (s + (1 - s) / N)";
  }
  std::span<const ParameterSpec> parameters() const override { return kAmdahlParameters; }
  bool linear() const override { return false; }
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

 private:
  static double relative_time(double x, std::span<const double> theta) {
    return theta[1] + (1 - theta[1]) / x;
  }
};

/// sigma and kappa are shares of the work on one GPU. Gunther's law keeps them below 1. Where times
/// only rise, the best fit makes that GPU count for nothing: without an end they would never
/// settle.
constexpr double kGreatest = 1000;
constexpr std::array<ParameterSpec, 3> kUslParameters{{
    {.name = "t1", .transform = Transform::kExp, .lower = -kInfinity, .upper = kInfinity},
    {.name = "sigma", .transform = Transform::kIdentity, .lower = 0, .upper = kGreatest},
    {.name = "kappa", .transform = Transform::kIdentity, .lower = 0, .upper = kGreatest},
}};

/// t = t1 (1 + sigma (N - 1) + kappa N (N - 1)) / N, the universal scalability law: contention
/// sigma and coherency kappa, the cost of keeping every pair of GPUs in step (Gunther 1993). A rate
/// is its inverse, t1 its value on one GPU.
class UslLaw final : public LogLaw {
 public:
  std::string_view name() const override { return "usl"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime ? "t = t1 * (1 + sigma * (N - 1) + kappa * N * (N - 1)) / N"
                                       : "y = t1 * N / (1 + sigma * (N - 1) + kappa * N * (N - 1))";
  }
  std::span<const ParameterSpec> parameters() const override { return kUslParameters; }
  bool linear() const override { return false; }
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

 private:
  static double overhead(double x, std::span<const double> theta) {
    return 1 + (x - 1) * (theta[1] + theta[2] * x);
  }
};

}  // namespace

const Law& floor_law() {
  static const FloorLaw law;
  return law;
}

const Law& amdahl_law() {
  static const AmdahlLaw law;
  return law;
}

const Law& usl_law() {
  static const UslLaw law;
  return law;
}

}  // namespace scalelaw
