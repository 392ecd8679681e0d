#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace scalelaw {

/// The time of samples without time stamps. A monitor visits its devices once per tick, so a device
/// that comes again begins the next tick.
class TickClock {
 public:
  /// Nanoseconds since the first tick.
  std::int64_t time_of(std::uint32_t device, double period_s) {
    if (device >= last_tick_.size()) last_tick_.resize(std::size_t{device} + 1, -1);
    if (last_tick_[device] == tick_) ++tick_;
    last_tick_[device] = tick_;
    return std::llround(static_cast<double>(tick_) * period_s * 1e9);
  }

 private:
  std::int64_t tick_ = 0;
  std::vector<std::int64_t> last_tick_;  ///< Last tick of each device.
};

}  // namespace scalelaw
