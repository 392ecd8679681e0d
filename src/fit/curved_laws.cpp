// Laws that are fitted step by step.

#include <algorithm>
#include <array>
#include <cmath>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

using Theta = std::span<const double>;

constexpr double kSteepest = 10;  ///< A curve that falls faster is a step to any data.
constexpr std::array kFloorParameters{
    ParameterSpec{.name = "alpha", .transform = Transform::kExp},
    ParameterSpec{.name = "beta", .lower = -kSteepest, .upper = kSteepest},
    ParameterSpec{.name = "gamma", .lower = 0}};

/// t = alpha N^(-beta) + gamma: a power law above a floor that no number of GPUs gets below. A rate
/// is one over such a time, so that its power law keeps alpha: 1/y = N^(-beta) / alpha + gamma.
class FloorLaw final : public CurveLaw<FloorLaw> {
 public:
  static constexpr CurveFacts kFacts{.name = "floor",
                                     .of_time = "t = alpha * N^(-beta) + gamma",
                                     .of_rate = "y = 1 / (N^(-beta) / alpha + gamma)",
                                     .parameters = kFloorParameters};

  double value(double x, Theta theta, Response response) const {
    const double time = std::log(power_part(std::log(x), theta, response) + theta[2]);
    return response == Response::kTime ? time : -time;
  }
  double slopes(double x, Theta theta, Response response, std::span<double> out) const {
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
  static double power_part(double log_x, Theta theta, Response response) {
    return std::exp((response == Response::kTime ? theta[0] : -theta[0]) - theta[1] * log_x);
  }
};

constexpr std::array kAmdahlParameters{ParameterSpec{.name = "t1", .transform = Transform::kExp},
                                       ParameterSpec{.name = "s", .lower = 0, .upper = 1}};

/// t = t1 (s + (1 - s) / N): a serial share s of the work on one GPU that others do not help with
/// (Amdahl 1967). A rate is t1 over that sum, t1 its value on one GPU.
class AmdahlLaw final : public CurveLaw<AmdahlLaw> {
 public:
  static constexpr CurveFacts kFacts{.name = "amdahl",
                                     .of_time = "t = t1 * (s + (1 - s) / N)",
                                     .of_rate = "y = t1 / (s + (1 - s) / N)",
                                     .parameters = kAmdahlParameters};

  double value(double x, Theta theta, Response response) const {
    const double time = std::log(relative_time(x, theta));
    return response == Response::kTime ? theta[0] + time : theta[0] - time;
  }
  double slopes(double x, Theta theta, Response response, std::span<double> out) const {
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
  static double relative_time(double x, Theta theta) { return theta[1] + (1 - theta[1]) / x; }
};

/// sigma and kappa are shares of the work on one GPU. Gunther's law keeps them below 1. Where times
/// only rise, the best fit makes that GPU count for nothing: without an end they would never
/// settle.
constexpr double kGreatest = 1000;
constexpr std::array kUslParameters{ParameterSpec{.name = "t1", .transform = Transform::kExp},
                                    ParameterSpec{.name = "sigma", .lower = 0, .upper = kGreatest},
                                    ParameterSpec{.name = "kappa", .lower = 0, .upper = kGreatest}};

/// t = t1 (1 + sigma (N - 1) + kappa N (N - 1)) / N, the universal scalability law: contention
/// sigma and coherency kappa, the cost of keeping every pair of GPUs in step (Gunther 1993). A rate
/// is its inverse, t1 its value on one GPU.
class UslLaw final : public CurveLaw<UslLaw> {
 public:
  static constexpr CurveFacts kFacts{
      .name = "usl",
      .of_time = "t = t1 * (1 + sigma * (N - 1) + kappa * N * (N - 1)) / N",
      .of_rate = "y = t1 * N / (1 + sigma * (N - 1) + kappa * N * (N - 1))",
      .parameters = kUslParameters};

  double value(double x, Theta theta, Response response) const {
    const double time = std::log(overhead(x, theta) / x);
    return response == Response::kTime ? theta[0] + time : theta[0] - time;
  }
  double slopes(double x, Theta theta, Response response, std::span<double> out) const {
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
  static double overhead(double x, Theta theta) { return 1 + (x - 1) * (theta[1] + theta[2] * x); }
};

constexpr std::array kBrokenParameters{
    ParameterSpec{.name = "alpha", .transform = Transform::kExp}, ParameterSpec{.name = "beta_low"},
    ParameterSpec{.name = "beta_high"},
    ParameterSpec{.name = "break", .transform = Transform::kExp}};

/// t = alpha N^(-beta_low) up to the break and proportional to N^(-beta_high) beyond it: two lines
/// in log-log that meet. A rate rises by the same exponents.
class BrokenLaw final : public CurveLaw<BrokenLaw> {
 public:
  static constexpr CurveFacts kFacts{
      .name = "broken",
      .of_time = "t = alpha * min(N, break)^(-beta_low) * max(N / break, 1)^(-beta_high)",
      .of_rate = "y = alpha * min(N, break)^beta_low * max(N / break, 1)^beta_high",
      .parameters = kBrokenParameters};

  std::optional<std::size_t> kink() const override { return 3; }
  double value(double x, Theta theta, Response response) const {
    const double log_x = std::log(x);
    const double rise =
        theta[1] * std::min(log_x, theta[3]) + theta[2] * std::max(log_x - theta[3], 0.0);
    return response == Response::kTime ? theta[0] - rise : theta[0] + rise;
  }
  double slopes(double x, Theta theta, Response response, std::span<double> out) const {
    const double log_x = std::log(x);
    const double sign = response == Response::kTime ? -1 : 1;
    out[0] = 1;
    out[1] = sign * std::min(log_x, theta[3]);
    out[2] = sign * std::max(log_x - theta[3], 0.0);
    out[3] = log_x > theta[3] ? sign * (theta[1] - theta[2]) : 0;
    return theta[0] + theta[1] * out[1] + theta[2] * out[2];
  }
};

}  // namespace

const Law& floor_law() { return only<FloorLaw>(); }
const Law& amdahl_law() { return only<AmdahlLaw>(); }
const Law& usl_law() { return only<UslLaw>(); }
const Law& broken_law() { return only<BrokenLaw>(); }

}  // namespace scalelaw
