#include "scalelaw/fit/law.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "fit/surface_form.hpp"

namespace scalelaw {
namespace {

using Theta = std::span<const double>;

/// What a curve over one x says of itself.
struct CurveFacts {
  std::string_view name;
  std::string_view of_time;  ///< The formula of a time.
  std::string_view of_rate;  ///< The formula of a rate.
  std::span<const ParameterSpec> parameters;
  bool linear = false;
  /// kLog: ln y over ln x, where the first working parameter is ln of the unit of y. kOriginal: y
  /// over x, where every parameter is in that unit.
  Scale scale = Scale::kLog;
};

/// A law of one x. `Derived` has `kFacts`, and the functions `value` and `slopes` that predictor()
/// and gradient() of Law call.
template <class Derived>
class CurveLaw : public Law {
 public:
  std::string_view name() const final { return Derived::kFacts.name; }
  std::string_view formula(Response response) const final {
    return response == Response::kTime ? Derived::kFacts.of_time : Derived::kFacts.of_rate;
  }
  Scale scale() const final { return Derived::kFacts.scale; }
  std::span<const ParameterSpec> parameters() const final { return Derived::kFacts.parameters; }
  bool linear() const final { return Derived::kFacts.linear; }
  bool logarithmic_x() const final { return scale() == Scale::kLog; }
  double predictor(std::span<const double> x, std::span<const double> theta,
                   Response response) const final {
    return static_cast<const Derived&>(*this).value(x[0], theta, response);
  }
  double gradient(std::span<const double> x, std::span<const double> theta, Response response,
                  std::span<double> out) const final {
    return static_cast<const Derived&>(*this).slopes(x[0], theta, response, out);
  }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    if (scale() == Scale::kLog) {
      theta[0] += log_factor;
    } else {
      for (double& parameter : theta) parameter *= std::exp(log_factor);
    }
    return true;
  }
};

// Laws that are linear in their working parameters.

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

// Laws that are fitted step by step.

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
/// only rise, the best fit makes that GPU count for nothing: without an end they never settle.
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

constexpr std::array kSigmoidParameters{ParameterSpec{.name = "low"},
                                        ParameterSpec{.name = "k", .lower = 0},
                                        ParameterSpec{.name = "x0"}, ParameterSpec{.name = "high"}};

/// A score that goes from `high` at small x to `low` at great x, half of the way at x0: that of a
/// benchmark over the loss of a model (Bhagia et al. 2024, eq. 3).
class SigmoidLaw final : public CurveLaw<SigmoidLaw> {
 public:
  static constexpr CurveFacts kFacts{.name = "sigmoid",
                                     .of_time = "y = low + (high - low) / (1 + exp(k * (x - x0)))",
                                     .of_rate = "y = low + (high - low) / (1 + exp(k * (x - x0)))",
                                     .parameters = kSigmoidParameters,
                                     .scale = Scale::kOriginal};

  double value(double x, Theta theta, Response /*response*/) const {
    return theta[0] + (theta[3] - theta[0]) * share(x, theta);
  }
  double slopes(double x, Theta theta, Response response, std::span<double> out) const {
    const double high = share(x, theta);
    const double change = (theta[3] - theta[0]) * high * (1 - high);
    out[0] = 1 - high;
    out[1] = -change * (x - theta[2]);
    out[2] = change * theta[1];
    out[3] = high;
    return value(x, theta, response);
  }
  std::vector<double> shapes(double x_min, double x_max) const override {
    const double range = x_max - x_min;
    std::vector<double> thetas;
    for (const double steepness : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
      for (const double place : {-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0}) {
        for (const double part : {0.0, 0.25, 0.5, 0.8}) {
          const double middle = x_min + place * range;
          thetas.insert(thetas.end(), {part, steepness / range, middle, 1});  // Falling,
          thetas.insert(thetas.end(), {1, steepness / range, middle, part});  // rising.
        }
      }
    }
    return thetas;
  }
  bool rescale(std::span<double> theta, double log_factor, Response /*response*/) const override {
    theta[0] *= std::exp(log_factor);
    theta[3] *= std::exp(log_factor);
    return true;
  }

 private:
  /// How much of the way to `high` is done at x.
  static double share(double x, Theta theta) {
    return 1 / (1 + std::exp(theta[1] * (x - theta[2])));
  }
};

// Laws of several x.

/// The terms of E + exp(log_first) + exp(log_second), divided by exp(largest), so that none of them
/// overflows.
struct SurfaceTerms {
  double largest;
  double first;
  double second;
  double sum;

  double log_value() const { return largest + std::log(sum); }
  double share_of_one() const { return std::exp(-largest) / sum; }  ///< The derivative by E.
};

SurfaceTerms terms_of(double log_first, double log_second, double floor) {
  const double log_floor = floor > 0 ? std::log(floor) : -std::numeric_limits<double>::infinity();
  const double largest = std::max({log_first, log_second, log_floor});
  const double first = std::exp(log_first - largest);
  const double second = std::exp(log_second - largest);
  return {largest, first, second, first + second + std::exp(log_floor - largest)};
}

/// What laws of several x have in common: curves of ln y that are not linear.
class SurfaceLaw : public Law {
 public:
  Scale scale() const final { return Scale::kLog; }
  bool linear() const final { return false; }
  bool logarithmic_x() const final { return true; }
};

constexpr std::array kChinchillaParameters{ParameterSpec{.name = "A", .transform = Transform::kExp},
                                           ParameterSpec{.name = "B", .transform = Transform::kExp},
                                           ParameterSpec{.name = "E", .lower = 0},
                                           ParameterSpec{.name = "alpha"},
                                           ParameterSpec{.name = "beta"}};

/// L = E + A N^(-alpha) + B D^(-beta) over x = (N, D) (Hoffmann et al. 2022, eq. 2): theta = (ln A,
/// ln B, E, alpha, beta). It has the same form for every response; a rate does not invert it.
class ChinchillaLaw final : public SurfaceLaw {
 public:
  std::string_view name() const override { return "chinchilla"; }
  std::string_view formula(Response /*response*/) const override {
    return "L = E + A * N^(-alpha) + B * D^(-beta)";
  }
  std::span<const ParameterSpec> parameters() const override { return kChinchillaParameters; }
  std::size_t inputs() const override { return 2; }
  double predictor(std::span<const double> x, std::span<const double> theta,
                   Response /*response*/) const override {
    return terms_at(x, theta).log_value();
  }
  double gradient(std::span<const double> x, std::span<const double> theta, Response /*response*/,
                  std::span<double> out) const override {
    const SurfaceTerms terms = terms_at(x, theta);
    out[0] = terms.first / terms.sum;
    out[1] = terms.second / terms.sum;
    out[2] = terms.share_of_one();
    out[3] = -out[0] * std::log(x[0]);
    out[4] = -out[1] * std::log(x[1]);
    return terms.log_value();
  }

 private:
  static SurfaceTerms terms_at(std::span<const double> x, std::span<const double> theta) {
    return terms_of(theta[0] - theta[3] * std::log(x[0]), theta[1] - theta[4] * std::log(x[1]),
                    theta[2]);
  }
};

constexpr std::array kOvertrainParameters{ParameterSpec{.name = "a", .transform = Transform::kExp},
                                          ParameterSpec{.name = "b", .transform = Transform::kExp},
                                          ParameterSpec{.name = "E", .lower = 0},
                                          ParameterSpec{.name = "eta"}};

/// L = E + (a M^eta + b M^-eta) C^-eta over x = (N, D), with M = D/N and C = 6ND (Gadre et al.
/// 2024, eq. 4): theta = (ln a, ln b, E, eta). C/M = 6N^2 and CM = 6D^2, so this is the law
/// chinchilla with one exponent, alpha = beta = 2 eta, A = a 6^-eta and B = b 6^-eta.
class OvertrainLaw final : public SurfaceLaw {
 public:
  std::string_view name() const override { return "overtrain"; }
  std::string_view formula(Response /*response*/) const override {
    return "L = E + (a * M^eta + b * M^(-eta)) * C^(-eta), M = D / N, C = 6 * N * D";
  }
  std::span<const ParameterSpec> parameters() const override { return kOvertrainParameters; }
  std::size_t inputs() const override { return 2; }
  double predictor(std::span<const double> x, std::span<const double> theta,
                   Response /*response*/) const override {
    return terms_of(theta[0] - theta[3] * log_square(x[0]), theta[1] - theta[3] * log_square(x[1]),
                    theta[2])
        .log_value();
  }
  double gradient(std::span<const double> x, std::span<const double> theta, Response /*response*/,
                  std::span<double> out) const override {
    const double first = log_square(x[0]);
    const double second = log_square(x[1]);
    const SurfaceTerms terms =
        terms_of(theta[0] - theta[3] * first, theta[1] - theta[3] * second, theta[2]);
    out[0] = terms.first / terms.sum;
    out[1] = terms.second / terms.sum;
    out[2] = terms.share_of_one();
    out[3] = -out[0] * first - out[1] * second;
    return terms.log_value();
  }

 private:
  static double log_square(double x) { return kOvertrainForm.log_factor + 2 * std::log(x); }
};

/// Repetitions are worth nothing below the least of these constants, and as much as fresh data
/// above the greatest.
constexpr double kLeastRepeats = -6.907755278982137;     // ln 0.001
constexpr double kGreatestRepeats = 13.815510557964274;  // ln 1e6
constexpr double kLeastExponent = 1e-3;  ///< The best size for given tokens needs positive ones.
constexpr std::array kDataConstrainedParameters{
    ParameterSpec{.name = "A", .transform = Transform::kExp},
    ParameterSpec{.name = "B", .transform = Transform::kExp},
    ParameterSpec{.name = "E", .lower = 0},
    ParameterSpec{.name = "alpha", .lower = kLeastExponent},
    ParameterSpec{.name = "beta", .lower = kLeastExponent},
    ParameterSpec{.name = "R_D",
                  .transform = Transform::kExp,
                  .lower = kLeastRepeats,
                  .upper = kGreatestRepeats},
    ParameterSpec{.name = "R_N",
                  .transform = Transform::kExp,
                  .lower = kLeastRepeats,
                  .upper = kGreatestRepeats}};

/// The law chinchilla at effective parameters N' and tokens D', over x = (N, D, U) with U unique
/// tokens (Muennighoff et al. 2023): theta = (ln A, ln B, E, alpha, beta, ln R_D, ln R_N).
class DataConstrainedLaw final : public SurfaceLaw {
 public:
  std::string_view name() const override { return "data-constrained"; }
  std::string_view formula(Response /*response*/) const override {
    return "L = E + A * N'^(-alpha) + B * D'^(-beta), D' = U * (1 + R_D * (1 - exp(-(D/U - 1) / "
           "R_D))), N' likewise of the best size for U tokens and R_N";
  }
  std::span<const ParameterSpec> parameters() const override { return kDataConstrainedParameters; }
  std::size_t inputs() const override { return 3; }
  double predictor(std::span<const double> x, std::span<const double> theta,
                   Response /*response*/) const override {
    return terms_at(repeated_data(logs_of(x), theta), theta).log_value();
  }
  double gradient(std::span<const double> x, std::span<const double> theta, Response /*response*/,
                  std::span<double> out) const override {
    const LogScales scales = logs_of(x);
    const RepeatedData at = repeated_data(scales, theta);
    const SurfaceTerms terms = terms_at(at, theta);
    fill_gradient(scales, at, terms.first / terms.sum, terms.second / terms.sum, theta, out);
    out[2] = terms.share_of_one();
    return terms.log_value();
  }

 private:
  static LogScales logs_of(std::span<const double> x) {
    return {std::log(x[0]), std::log(x[1]), std::log(x[2])};
  }
  static SurfaceTerms terms_at(const RepeatedData& at, std::span<const double> theta) {
    return terms_of(theta[0] - theta[3] * at.log_n, theta[1] - theta[4] * at.log_d, theta[2]);
  }
};

// All laws, in the order of the documentation.

constexpr std::array kLawNames{
    PowerLaw::kFacts.name,  LognormalLaw::kFacts.name,    FloorLaw::kFacts.name,
    AmdahlLaw::kFacts.name, UslLaw::kFacts.name,          BrokenLaw::kFacts.name,
    LinearLaw::kFacts.name, ProportionalLaw::kFacts.name, SigmoidLaw::kFacts.name};
constexpr std::array kSurfaceNames{std::string_view("chinchilla"), std::string_view("overtrain")};
constexpr std::array kRepeatedNames{std::string_view("data-constrained")};

/// The only object of a law.
template <class OneLaw>
const Law& only() {
  static const OneLaw law;
  return law;
}

}  // namespace

Law::Law() {
  static std::atomic<std::uint64_t> last{0};
  id_ = ++last;
}

bool Law::is_fitted(std::size_t parameter) const {
  const Constraint held = constraint(parameter);
  return !held.value && !held.equal_to;
}

const Law* find_law(std::string_view name) {
  static const std::array<const Law*, 12> laws{
      &only<PowerLaw>(),      &only<LognormalLaw>(),    &only<FloorLaw>(),
      &only<AmdahlLaw>(),     &only<UslLaw>(),          &only<BrokenLaw>(),
      &only<LinearLaw>(),     &only<ProportionalLaw>(), &only<SigmoidLaw>(),
      &only<ChinchillaLaw>(), &only<OvertrainLaw>(),    &only<DataConstrainedLaw>()};
  for (const Law* law : laws) {
    if (law->name() == name) return law;
  }
  return nullptr;
}

std::span<const std::string_view> law_names(std::size_t inputs) {
  if (inputs == 1) return kLawNames;
  if (inputs == 2) return kSurfaceNames;
  if (inputs == 3) return kRepeatedNames;
  return {};
}

const SurfaceForm& form_of(const Law& law) {
  static constexpr SurfaceForm kPlain{};
  static constexpr SurfaceForm kRepeated{.parameters = 7, .repeats = true};
  if (law.name() == only<OvertrainLaw>().name()) return kOvertrainForm;
  return law.name() == only<DataConstrainedLaw>().name() ? kRepeated : kPlain;
}

std::vector<double> Law::shapes(double /*x_min*/, double /*x_max*/) const { return {}; }

bool Law::rescale(std::span<double> /*theta*/, double /*log_factor*/, Response /*response*/) const {
  return false;
}

}  // namespace scalelaw
