// The laws of a mixture: their shapes and their parameters.

#include <array>
#include <cmath>

#include "scalelaw/judge/mixture.hpp"

namespace scalelaw {

const Law& law_of(MixedLaw law) {
  static const std::array<const Law*, kMixedLaws> laws{find_law("power"), find_law("lognormal"),
                                                       find_law("floor"), find_law("amdahl"),
                                                       find_law("usl")};
  return *laws[static_cast<std::size_t>(law)];
}

double log_shape(const MixturePart& part, double z) {
  switch (part.law) {
    case MixedLaw::kPower:
      return -part.a * z;
    case MixedLaw::kLognormal:
      return (part.b * z - part.a) * z;
    case MixedLaw::kFloor:
      return std::log(std::exp(-part.a * z) + std::exp(part.b));
    case MixedLaw::kAmdahl:
      return std::log(std::exp(-z) + std::exp(part.b));
    case MixedLaw::kUsl:
      return std::log(std::exp(-z) + std::exp(part.a) + std::exp(part.b + z));
  }
  return 0;
}

std::vector<double> parameters_of(const MixturePart& part, double x_max, double sign) {
  const double last = std::log(x_max);
  const auto alpha = [&](double log_time) { return std::exp(sign * log_time); };
  switch (part.law) {
    case MixedLaw::kPower:
      return {alpha(part.level + part.a * last), part.a};
    case MixedLaw::kLognormal:
      return {sign * (part.level + (part.a + part.b * last) * last), part.a + 2 * part.b * last,
              sign * part.b};
    case MixedLaw::kFloor:
      return {alpha(part.level + part.a * last), part.a, std::exp(part.level + part.b)};
    case MixedLaw::kAmdahl: {
      const double serial = std::exp(part.b);
      return {alpha(part.level + std::log(x_max + serial)), serial / (x_max + serial)};
    }
    case MixedLaw::kUsl: {
      const double coherency = std::exp(part.b) / x_max;
      const double first = x_max + std::exp(part.a) + coherency;
      return {alpha(part.level + std::log(first)), (std::exp(part.a) + coherency) / first,
              coherency / first};
    }
  }
  return {};
}

}  // namespace scalelaw
