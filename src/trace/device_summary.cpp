#include "trace/device_summary.hpp"

#include <algorithm>
#include <limits>

namespace scalelaw {
namespace {

constexpr double kIntervalsInAGap = 10;  ///< Intervals longer than this many medians are gaps.
constexpr double kNsPerSecond = 1e9;     ///< In nanoseconds.

std::int64_t whole_nanoseconds(double nanoseconds) {
  constexpr double kLongest = 9e18;
  return nanoseconds < kLongest ? std::llround(nanoseconds)
                                : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

SampleIntervals::Entry& SampleIntervals::add_entry(std::int64_t length_ns) {
  if (used_ == kMost) {
    do {
      ++shift_;
      rebuild(entries_.size());
    } while (used_ > kMost / 2);
  } else if (2 * (used_ + 1) > entries_.size()) {
    rebuild(2 * entries_.size());
  }
  return entry_to_fill(length_ns >> shift_);
}

/// The entry of a length, which may be new.
SampleIntervals::Entry& SampleIntervals::entry_to_fill(std::int64_t length) {
  std::size_t place = first_place(length);
  while (entries_[place].length != kFree && entries_[place].length != length) {
    place = (place + 1) & (entries_.size() - 1);
  }
  if (entries_[place].length == kFree) ++used_;
  entries_[place].length = length;
  return entries_[place];
}

/// Places all entries anew. Entries that coincide under a new shift become one.
void SampleIntervals::rebuild(std::size_t places) {
  const std::vector<Entry> old = sorted();
  const int dropped = shift_ - shift_of_entries_;
  shift_of_entries_ = shift_;
  entries_.assign(places, Entry{});
  used_ = 0;
  for (const Entry& entry : old) {
    Entry& to = entry_to_fill(entry.length >> dropped);
    to.samples += entry.samples;
    to.readings += entry.readings;
    to.joules += entry.joules;
    to.lengths_ns += entry.lengths_ns;
  }
}

std::vector<SampleIntervals::Entry> SampleIntervals::sorted() const {
  std::vector<Entry> used;
  for (const Entry& entry : entries_) {
    if (entry.length != kFree) used.push_back(entry);
  }
  std::ranges::sort(used, {}, &Entry::length);
  return used;
}

SampleIntervals::Energy SampleIntervals::energy_within(std::int64_t limit_ns) const {
  Energy energy;
  std::int64_t gaps_ns = 0;
  for (const Entry& entry : sorted()) {
    if (entry.length <= limit_ns >> shift_) {
      energy.joules += entry.joules;
      energy.readings += entry.readings;
    } else {
      gaps_ns += entry.lengths_ns;
    }
  }
  energy.gap_s = static_cast<double>(gaps_ns) / kNsPerSecond;
  return energy;
}

double SampleIntervals::gap_within(std::int64_t limit_ns) const {
  double seconds = 0;
  for (const Entry& entry : sorted()) {
    if (entry.length <= limit_ns >> shift_) continue;
    seconds += static_cast<double>(entry.length << shift_) / kNsPerSecond *
               static_cast<double>(entry.samples);
  }
  return seconds;
}

std::optional<double> SampleIntervals::median_ns() const {
  const std::vector<Entry> lengths = sorted();
  std::uint64_t count = 0;
  for (const Entry& entry : lengths) count += entry.samples;
  if (count == 0) return std::nullopt;
  const auto at_rank = [&](std::uint64_t rank) {
    for (const Entry& entry : lengths) {
      if (rank < entry.samples) return length_of(entry);
      rank -= entry.samples;
    }
    return 0.0;
  };
  return 0.5 * (at_rank((count - 1) / 2) + at_rank(count / 2));
}

DeviceSummary::DeviceSummary(std::optional<double> max_gap_s) {
  if (max_gap_s) limit_ns_ = whole_nanoseconds(*max_gap_s * kNsPerSecond);
}

DeviceFigures DeviceSummary::figures() const {
  DeviceFigures out = figures_;
  out.sm_util = moments_.of(0);
  out.mem_util = moments_.of(1);
  out.mem_used = moments_.of(2);
  out.power = moments_.of(kPower);
  const auto median = intervals_.median_ns();
  if (!median) return out;  // There is one sample.
  out.period_s = *median / kNsPerSecond;
  out.longest_interval_s = static_cast<double>(intervals_.longest_ns()) / kNsPerSecond;
  const std::int64_t limit = limit_ns_.value_or(whole_nanoseconds(kIntervalsInAGap * *median));
  SampleIntervals::Energy energy{.joules = limited_j_,
                                 .readings = limited_readings_,
                                 .gap_s = static_cast<double>(limited_gap_ns_) / kNsPerSecond};
  if (!limit_ns_) energy = intervals_.energy_within(limit);
  const bool has_power = out.power.count() > 1;
  out.gap_s = has_power ? energy.gap_s : intervals_.gap_within(limit);
  if (energy.readings > 0) out.energy_j = energy.joules;
  if (counter_readings_ > 1) out.energy_j = counted_j_;
  return out;
}

}  // namespace scalelaw
