#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<ParameterSpec, 4> kParameters{{
    {.name = "alpha", .transform = Transform::kExp, .lower = -kInfinity, .upper = kInfinity},
    {.name = "beta_low",
     .transform = Transform::kIdentity,
     .lower = -kInfinity,
     .upper = kInfinity},
    {.name = "beta_high",
     .transform = Transform::kIdentity,
     .lower = -kInfinity,
     .upper = kInfinity},
    {.name = "break", .transform = Transform::kExp, .lower = -kInfinity, .upper = kInfinity},
}};

/// t = alpha N^(-beta_low) up to the break and proportional to N^(-beta_high) beyond it: two lines
/// in log-log that meet. A rate rises by the same exponents.
class BrokenLaw final : public LogLaw {
 public:
  std::string_view name() const override { return "broken"; }
  std::string_view formula(Response response) const override {
    return response == Response::kTime
               ? "t = alpha * min(N, break)^(-beta_low) * max(N / break, 1)^(-beta_high)"
               : "y = alpha * min(N, break)^beta_low * max(N / break, 1)^beta_high";
  }
  std::span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return false; }
  std::optional<std::size_t> kink() const override { return 3; }
  double predictor(std::span<const double> inputs, std::span<const double> theta,
                   Response response) const override {
    const double x = inputs[0];
    const double log_x = std::log(x);
    const double rise =
        theta[1] * std::min(log_x, theta[3]) + theta[2] * std::max(log_x - theta[3], 0.0);
    return response == Response::kTime ? theta[0] - rise : theta[0] + rise;
  }
  double gradient(std::span<const double> inputs, std::span<const double> theta, Response response,
                  std::span<double> out) const override {
    const double x = inputs[0];
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

const Law& broken_law() {
  static const BrokenLaw law;
  return law;
}

}  // namespace scalelaw
