#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "scalelaw/trace/sample.hpp"
#include "statistics/moment_lanes.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {

/// The intervals between the samples of one GPU by length, and the energy of each length. The
/// memory does not grow with their number, so the longest interval to integrate may depend on all
/// of them. Up to kMost different lengths are exact; beyond that, the fewest last bits are dropped.
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
  /// Median length between samples (for an even number, the mean of the middle two). Empty if none.
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

  [[gnu::always_inline]] Entry& entry(std::int64_t length_ns) {
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

/// The figures of one GPU over a series.
struct DeviceFigures {
  std::uint64_t samples = 0;  ///< Samples that count.
  std::uint64_t dropped = 0;  ///< Samples with a repeated time stamp.
  std::uint64_t trimmed = 0;  ///< Idle samples before or after the work of the job.
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  Moments sm_util;
  Moments mem_util;
  Moments mem_used;
  Moments power;
  /// From the GPU's own counter, else the trapezoid integral of its power. It takes two readings.
  std::optional<double> energy_j;
  double gap_s = 0;                ///< Time during which the power was not integrated.
  double longest_interval_s = 0;   ///< The longest interval between two samples.
  std::optional<double> period_s;  ///< Median interval between samples.
};

/// Takes the samples of one GPU in order of time.
class DeviceSummary {
 public:
  /// @param max_gap_s  Longer intervals are not integrated; by default, ten times the median.
  explicit DeviceSummary(std::optional<double> max_gap_s = {});

  enum class Order {
    kTaken,
    kRepeated,  ///< Not counted: its time equals that of the sample before.
    kEarlier,   ///< Not counted: it lies before the last sample.
  };

  [[gnu::always_inline]] Order add(const Sample& sample) {
    const bool has_power = !std::isnan(sample.power_w);
    if (figures_.samples > 0) [[likely]] {
      if (sample.time_ns <= figures_.last_ns) [[unlikely]] {
        return refused(sample);
      }
      add_interval(sample, has_power);
    } else {
      figures_.first_ns = sample.time_ns;
    }
    figures_.last_ns = sample.time_ns;
    ++figures_.samples;
    moments_.add(sample.sm_util_pct, sample.mem_util_pct, sample.mem_used_mib, sample.power_w);
    if (has_power) {
      power_time_ns_ = sample.time_ns;
      power_w_ = sample.power_w;
    }
    if (!std::isnan(sample.energy_j)) add_counter(sample.energy_j);
    return Order::kTaken;
  }

  DeviceFigures figures() const;
  /// How often the counter of energy began anew.
  std::uint64_t counter_resets() const { return counter_resets_; }

  void trim() { ++figures_.trimmed; }
  /// Adds the count of samples that another summary of the GPU trimmed.
  void take_trimmed(const DeviceSummary& other) { figures_.trimmed += other.figures_.trimmed; }

 private:
  Order refused(const Sample& sample) {
    if (sample.time_ns < figures_.last_ns) return Order::kEarlier;
    ++figures_.dropped;
    return Order::kRepeated;
  }
  /// Adds the intervals since the last sample and since the last power reading, mostly the same.
  void add_interval(const Sample& sample, bool has_power) {
    const std::int64_t length = sample.time_ns - figures_.last_ns;
    if (!has_power || moments_.count(kPower) == 0) return intervals_.add(length);
    const std::int64_t since_reading = sample.time_ns - power_time_ns_;
    const double joules =
        0.5 * (power_w_ + sample.power_w) * (static_cast<double>(since_reading) / 1e9);
    if (limit_ns_) {
      intervals_.add(length);
      add_limited(since_reading, joules);
    } else if (since_reading == length) [[likely]] {
      intervals_.add_both(length, joules);
    } else {
      intervals_.add(length);
      intervals_.add_energy(since_reading, joules);
    }
  }
  void add_limited(std::int64_t length, double joules) {
    if (length > *limit_ns_) {
      limited_gap_ns_ += length;
      return;
    }
    limited_j_ += joules;
    ++limited_readings_;
  }
  /// Adds a reading. A counter that falls far has restarted: its value is the energy since then.
  /// A small step back is an ordinary reading.
  void add_counter(double joules) {
    if (counter_readings_++ > 0) {
      const bool anew = joules < 0.5 * counter_j_;
      counter_resets_ += anew ? 1 : 0;
      counted_j_ += anew ? joules : joules - counter_j_;
    }
    counter_j_ = joules;
  }

  static constexpr std::size_t kPower = 3;  ///< Its place among the moments.

  DeviceFigures figures_;  ///< Without what figures() adds.
  MomentLanes moments_;    ///< Of both utilisations, the memory in use, the power.
  SampleIntervals intervals_;
  std::int64_t power_time_ns_ = 0;
  double power_w_ = 0;
  std::optional<std::int64_t> limit_ns_;  ///< Set if it was given, not derived from intervals.
  double limited_j_ = 0;
  std::uint64_t limited_readings_ = 0;
  std::int64_t limited_gap_ns_ = 0;
  std::uint64_t counter_readings_ = 0;
  std::uint64_t counter_resets_ = 0;
  double counter_j_ = 0;
  double counted_j_ = 0;
};

}  // namespace scalelaw
