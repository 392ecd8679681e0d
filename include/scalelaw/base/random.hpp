#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace scalelaw {

/// Chi-squared with `dof` > 0 degrees of freedom, whole or not, at a cost that does not depend on
/// it (Marsaglia and Tsang 2000).
/// @param random  Has uniform() and normal().
template <class Random>
double chi_squared_draw(Random& random, double dof) {
  if (dof < 2) return chi_squared_draw(random, dof + 2) * std::pow(random.uniform(), 2 / dof);
  const double d = dof / 2 - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double z = random.normal();
    const double v = std::pow(1 + c * z, 3);
    if (!(v > 0)) continue;
    const double u = random.uniform();
    // Theirs, too: a bound below the one with logarithms, which are then seldom needed.
    const bool is_surely_in = u < 1 - 0.0331 * (z * z) * (z * z);
    if (is_surely_in || std::log(u) < z * z / 2 + d - d * v + d * std::log(v)) return 2 * d * v;
  }
}

/// One step of splitmix64 (Steele, Lea and Flood 2014): turns a counter into well mixed bits.
constexpr std::uint64_t mix64(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A hash of bytes that is the same on every machine. It names random streams by group.
std::uint64_t stable_hash(std::string_view bytes);

/// xoshiro256++ (Blackman and Vigna 2019). A seed and up to two indices name a stream, so that work
/// shared among threads draws the same numbers on any thread. Satisfies UniformRandomBitGenerator.
class RandomStream {
 public:
  using result_type = std::uint64_t;

  explicit RandomStream(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t block = 0) {
    std::uint64_t z = mix64(seed) ^ mix64(mix64(stream) + block);
    for (auto& word : state_) word = z = mix64(z);
  }
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// Uniform on (0, 1), 53 bits.
  double uniform() { return (static_cast<double>(operator()() >> 11) + 0.5) * 0x1p-53; }
  /// Standard normal (Box-Muller, both values used).
  double normal();
  double chi_squared(double dof) { return chi_squared_draw(*this, dof); }
  /// Uniform on 0 .. n-1 for 0 < n < 2^32 (Lemire's multiplication; bias below 2^-32).
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((operator()() >> 32) * n) >> 32);
  }

 private:
  std::array<std::uint64_t, 4> state_{};
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace scalelaw
