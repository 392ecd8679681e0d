#pragma once

#include <cstdint>
#include <memory>
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

}  // namespace scalelaw
