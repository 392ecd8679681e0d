#include "trace/device_summary.hpp"

#include <limits>

namespace scalelaw {
namespace {

constexpr double kIntervalsInAGap = 10;  ///< Intervals longer than this many medians are gaps.
constexpr double kSecond = 1e9;          ///< In nanoseconds.

std::int64_t whole_nanoseconds(double nanoseconds) {
  constexpr double kMost = 9e18;
  return nanoseconds < kMost ? std::llround(nanoseconds) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

DeviceSummary::DeviceSummary(std::optional<double> max_gap_s) {
  if (max_gap_s) limit_ns_ = whole_nanoseconds(*max_gap_s * kSecond);
}

DeviceFigures DeviceSummary::figures() const {
  DeviceFigures out = figures_;
  const auto median = intervals_.median_ns();
  if (!median) return out;  // There is one sample.
  out.period_s = *median / kSecond;
  out.longest_interval_s = static_cast<double>(intervals_.longest_ns()) / kSecond;
  const std::int64_t limit = limit_ns_.value_or(whole_nanoseconds(kIntervalsInAGap * *median));
  SampleIntervals::Energy energy{.joules = limited_j_,
                                 .readings = limited_readings_,
                                 .gap_s = static_cast<double>(limited_gap_ns_) / kSecond};
  if (!limit_ns_) energy = intervals_.energy_within(limit);
  const bool has_power = out.power.count() > 1;
  out.gap_s = has_power ? energy.gap_s : intervals_.gap_within(limit);
  if (energy.readings > 0) out.energy_j = energy.joules;
  if (counter_readings_ > 1) out.energy_j = counted_j_;
  return out;
}

}  // namespace scalelaw
