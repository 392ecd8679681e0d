#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kParameters{ParameterSpec{.name = "A", .transform = Transform::kExp},
                                 ParameterSpec{.name = "B", .transform = Transform::kExp},
                                 ParameterSpec{.name = "E", .lower = 0},
                                 ParameterSpec{.name = "alpha"}, ParameterSpec{.name = "beta"}};

/// L = E + A N^(-alpha) + B D^(-beta) over x = (N, D) (Hoffmann et al. 2022, eq. 2): theta = (ln A,
/// ln B, E, alpha, beta). It has the same form for every response; a rate does not invert it.
class ChinchillaLaw final : public Law {
 public:
  std::string_view name() const override { return "chinchilla"; }
  std::string_view formula(Response /*response*/) const override {
    return "L = E + A * N^(-alpha) + B * D^(-beta)";
  }
  Scale scale() const override { return Scale::kLog; }
  std::span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return false; }
  bool logarithmic_x() const override { return true; }
  std::size_t inputs() const override { return 2; }
  double predictor(std::span<const double> x, std::span<const double> theta,
                   Response /*response*/) const override {
    const Terms terms = terms_at(x, theta);
    return terms.largest + std::log(terms.sum);
  }
  double gradient(std::span<const double> x, std::span<const double> theta, Response /*response*/,
                  std::span<double> out) const override {
    const Terms terms = terms_at(x, theta);
    out[0] = terms.first / terms.sum;
    out[1] = terms.second / terms.sum;
    out[2] = std::exp(-terms.largest) / terms.sum;
    out[3] = -out[0] * std::log(x[0]);
    out[4] = -out[1] * std::log(x[1]);
    return terms.largest + std::log(terms.sum);
  }

 private:
  /// The three terms divided by exp(largest), so that none of them overflows.
  struct Terms {
    double largest;
    double first;
    double second;
    double sum;
  };
  static Terms terms_at(std::span<const double> x, std::span<const double> theta) {
    const double log_first = theta[0] - theta[3] * std::log(x[0]);
    const double log_second = theta[1] - theta[4] * std::log(x[1]);
    const double log_floor = theta[2] > 0 ? std::log(theta[2]) : -kInfinity;
    Terms terms{
        .largest = std::max({log_first, log_second, log_floor}), .first = 0, .second = 0, .sum = 0};
    terms.first = std::exp(log_first - terms.largest);
    terms.second = std::exp(log_second - terms.largest);
    terms.sum = terms.first + terms.second + std::exp(log_floor - terms.largest);
    return terms;
  }
};

}  // namespace

const Law& chinchilla_law() { return only<ChinchillaLaw>(); }

}  // namespace scalelaw
