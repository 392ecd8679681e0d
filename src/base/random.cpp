#include "scalelaw/base/random.hpp"

#include <cmath>
#include <numbers>

namespace scalelaw {

std::uint64_t stable_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, mixed at the end.
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  return mix64(hash);
}

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

double RandomStream::chi_squared(double dof) {
  if (dof < 2) return chi_squared(dof + 2) * std::pow(uniform(), 2 / dof);
  const double d = dof / 2 - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double z = normal();
    const double v = std::pow(1 + c * z, 3);
    if (v > 0 && std::log(uniform()) < z * z / 2 + d - d * v + d * std::log(v)) return 2 * d * v;
  }
}

}  // namespace scalelaw
