#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace scalelaw {

/// The intervals between the samples of one GPU by length, and the energy of each length. The
/// memory does not grow with their number, so the longest interval to integrate may depend on all
/// of them. Up to kMost different lengths are exact; beyond that, as few last bits as necessary are
/// dropped.
class SampleIntervals {
 public:
  /// Adds an interval between two samples.
  void add(std::int64_t length_ns) {
    longest_ = length_ns > longest_ ? length_ns : longest_;
    ++entry(length_ns).samples;
  }
  /// Adds an interval between two samples that both have a power reading.
  void add_both(std::int64_t length_ns, double joules) {
    longest_ = length_ns > longest_ ? length_ns : longest_;
    Entry& one = entry(length_ns);
    ++one.samples;
    one.add_energy(length_ns, joules);
  }
  /// Adds an interval between two power readings, and the trapezoid over it.
  void add_energy(std::int64_t length_ns, double joules) {
    entry(length_ns).add_energy(length_ns, joules);
  }

  struct Energy {
    double joules = 0;           ///< Sum over the intervals that are not too long.
    std::uint64_t readings = 0;  ///< How many of these intervals there are.
    double gap_s = 0;            ///< Sum of the other intervals.
  };
  /// Intervals longer than the limit are gaps.
  Energy energy_within(std::int64_t limit_ns) const;
  /// The summed lengths of sample intervals that exceed the limit.
  double gap_within(std::int64_t limit_ns) const;
  /// Median length between samples (for an even number, the mean of the middle two). Empty if there
  /// are none.
  std::optional<double> median_ns() const;
  std::int64_t longest_ns() const { return longest_; }

  static constexpr std::size_t kMost = 16384;

 private:
  struct Entry {
    std::int64_t length = kFree;  ///< Without its last `shift_` bits.
    std::uint64_t samples = 0;
    std::uint64_t readings = 0;
    double joules = 0;
    std::int64_t lengths_ns = 0;

    void add_energy(std::int64_t length_ns, double trapezoid) {
      joules += trapezoid;
      lengths_ns += length_ns;
      ++readings;
    }
  };
  static constexpr std::int64_t kFree = -1;

  Entry& entry(std::int64_t length_ns) {
    const std::int64_t length = length_ns >> shift_;
    for (std::size_t place = first_place(length);; place = (place + 1) & (entries_.size() - 1)) {
      Entry& one = entries_[place];
      if (one.length == length) [[likely]]
        return one;
      if (one.length == kFree) return add_entry(length_ns);
    }
  }
  std::size_t first_place(std::int64_t length) const {
    const std::uint64_t mixed = static_cast<std::uint64_t>(length) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(mixed >> 32) & (entries_.size() - 1);
  }
  /// The length of an entry, or the middle of the lengths that it stands for.
  double length_of(const Entry& entry) const {
    const std::int64_t rounding = shift_ == 0 ? 0 : (std::int64_t{1} << shift_) - 1;
    return static_cast<double>(entry.length << shift_) + 0.5 * static_cast<double>(rounding);
  }
  Entry& add_entry(std::int64_t length_ns);
  Entry& entry_to_fill(std::int64_t length);
  void rebuild(std::size_t places);
  std::vector<Entry> sorted() const;

  std::vector<Entry> entries_ = std::vector<Entry>(16);
  std::size_t used_ = 0;
  int shift_ = 0;             ///< Bits that lengths drop.
  int shift_of_entries_ = 0;  ///< Bits that the present entries drop.
  std::int64_t longest_ = 0;
};

}  // namespace scalelaw
