#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// Tells whether some run has several rows, by a hash of each run's name. It stops when it has
/// found one, or after kMost rows. The answer does not depend on who read which row.
class RunIds {
 public:
  explicit RunIds(int workers) : workers_(static_cast<std::size_t>(workers)) {}

  /// Whether further calls of `add` have no effect.
  bool is_decided() const { return is_decided_.load(std::memory_order_relaxed); }
  /// Adds a row of the run `name`. Workers may call this at the same time.
  void add(int worker, std::string_view name);

  /// Writes the state as bytes for another process, and reads it back.
  std::string bytes() const;
  void take(std::string_view bytes);

  /// Whether some run has several rows; true if there are too many rows to tell.
  bool is_repeated(int threads) const;

 private:
  static constexpr std::uint64_t kMost = 1'000'000;  // 8 MB, 35 ms.
  static constexpr std::size_t kRecent = 4096;
  static constexpr unsigned kPartBits = 6;

  /// Hashes by their first bits, so that each part fits a cache.
  using Parts = std::array<std::vector<std::uint64_t>, std::size_t{1} << kPartBits>;
  struct Worker {
    Parts parts;
    std::array<std::uint64_t, kRecent> recent{};  ///< By the last bits: finds recent repeats.
    std::uint64_t rows = 0;
  };
  bool has_twice(std::size_t part) const;
  void put(Worker& worker, std::uint64_t hash);

  std::vector<Worker> workers_;
  std::atomic<bool> is_decided_ = false;
  std::atomic<std::uint64_t> rows_ = 0;
};

}  // namespace scalelaw
