#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace scalelaw {

/// The pieces from `begin` up to, but without, `end`.
struct PieceRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool empty() const { return begin == end; }
};

/// Hands out pieces in increasing order. While many are left, a rank gets many at a time and seldom
/// has to ask. Near the end it gets few, so that nobody waits long for the last one (guided
/// self-scheduling by bytes; Polychronopoulos and Kuck 1987).
class Dispenser {
 public:
  /// @param ranks  How many ranks take pieces.
  Dispenser(std::span<const std::uint64_t> sizes, int ranks)
      : sizes_(sizes), ranks_(static_cast<std::uint64_t>(ranks)) {
    for (const std::uint64_t size : sizes) left_ += cost_of(size);
  }

  /// A share of the remaining pieces, at least one; empty if none is left.
  PieceRange take_share() {
    const std::uint64_t goal = left_ / (kSharesLeft * ranks_);
    PieceRange range{next_, next_};
    for (std::uint64_t taken = 0; next_ < sizes_.size(); ++next_) {
      const std::uint64_t cost = cost_of(sizes_[next_]);
      if (next_ > range.begin && taken + cost > goal) break;
      taken += cost;
    }
    range.end = next_;
    for (std::size_t i = range.begin; i < range.end; ++i) left_ -= cost_of(sizes_[i]);
    return range;
  }
  PieceRange take_one() {
    if (empty()) return {next_, next_};
    left_ -= cost_of(sizes_[next_]);
    ++next_;
    return {next_ - 1, next_};
  }
  bool empty() const { return next_ >= sizes_.size(); }
  /// From now on nothing is handed out.
  void stop() { next_ = std::max(next_, sizes_.size()); }

 private:
  static constexpr std::uint64_t kSharesLeft = 8;  ///< A rank gets an eighth of its fair share.
  /// Opening a file takes as long as reading this many bytes of it.
  static constexpr std::uint64_t kPieceCost = 64 << 10;

  static std::uint64_t cost_of(std::uint64_t size) { return size + kPieceCost; }

  std::span<const std::uint64_t> sizes_;
  std::uint64_t ranks_;
  std::uint64_t left_ = 0;
  std::size_t next_ = 0;
};

}  // namespace scalelaw
