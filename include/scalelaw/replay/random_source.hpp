#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace scalelaw {

/// The random numbers of a simulation.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  /// Uniform on 0 .. n-1 for n > 0.
  virtual std::uint32_t below(std::uint32_t n) = 0;
  /// Uniform on [0, 1).
  virtual double uniform() = 0;
  /// Standard normal.
  virtual double normal() = 0;

  /// 0 .. n-1 in random order, by 2n - 2 calls of below(), as NumPy's `choice(n, n,
  /// replace=False)`: Floyd's sampling, then a Fisher-Yates pass from the end. Valid until the next
  /// call.
  const std::vector<std::uint32_t>& permutation(std::uint32_t n);

 private:
  std::vector<std::uint32_t> order_;
  std::vector<char> taken_;
};

/// kZeus is the stream of the published simulator (NumPy's); kScalelaw is our own: xoshiro256++
/// seeded by splitmix64, Box-Muller normals, Lemire's integers.
enum class RandomKind { kZeus, kScalelaw };

/// The use of a stream. The published simulator seeds both uses alike.
enum class RandomUse : std::uint8_t { kPaths, kPolicy };

std::unique_ptr<RandomSource> make_random_source(RandomKind kind, std::uint64_t seed,
                                                 RandomUse use);

/// "zeus", "scalelaw".
std::string_view name_of(RandomKind kind);

/// The stream of NumPy's `default_rng(seed)`: SeedSequence into PCG64 (XSL-RR, 128 bits of state).
///
/// Integers equal NumPy's bit for bit (checked against 1.24 for a thousand seeds). Normals come
/// from the same ziggurat, but its tables have extended precision here and double precision in
/// NumPy. A normal may therefore differ from NumPy's by a relative 1e-14.
///
/// Sources: O'Neill 2014, "PCG: a family of simple fast space-efficient statistically good
/// algorithms for random number generation"; NumPy's documentation of SeedSequence and PCG64.
class NumpyRandom final : public RandomSource {
 public:
  /// `default_rng(seed)` for an integer seed.
  explicit NumpyRandom(std::uint64_t seed);

  std::uint64_t next64();
  /// Half of a 64-bit output: first the low half, and the high half at the next call.
  std::uint32_t next32();
  /// `integers(0, n)` for 0 < n <= 2^32 - 1. With n = 1 it does not advance the stream (Lemire
  /// 2019).
  std::uint32_t below(std::uint32_t n) override;
  /// `random()`: uniform on [0, 1), 53 bits.
  double uniform() override;
  /// `standard_normal()`: ziggurat of 256 layers (Marsaglia and Tsang 2000).
  double normal() override;

 private:
  double normal_tail(bool negative);

  __extension__ using Wide = unsigned __int128;
  Wide state_ = 0;
  Wide increment_ = 0;
  std::optional<std::uint32_t> spare_;
};

}  // namespace scalelaw
