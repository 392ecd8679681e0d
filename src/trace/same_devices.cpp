#include "trace/same_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "trace/clock.hpp"

namespace scalelaw {
namespace {

constexpr Moments DeviceFigures::*kMoments[] = {&DeviceFigures::sm_util, &DeviceFigures::mem_util,
                                                &DeviceFigures::mem_used, &DeviceFigures::power};

bool is_same_device(const DeviceRow& a, const DeviceRow& b) {
  return !a.node.empty() && a.job == b.job && a.node == b.node && a.gpu == b.gpu;
}

bool is_copy(const DeviceFigures& a, const DeviceFigures& b) {
  return a.samples == b.samples && a.first_ns == b.first_ns && a.last_ns == b.last_ns &&
         a.energy_j == b.energy_j &&
         std::all_of(std::begin(kMoments), std::end(kMoments), [&](auto moments) {
           return (a.*moments).count() == (b.*moments).count() &&
                  (a.*moments).mean() == (b.*moments).mean();
         });
}

/// Whether each quantity was measured in one of them only.
bool complement(const DeviceFigures& a, const DeviceFigures& b) {
  return !(a.energy_j && b.energy_j) &&
         std::all_of(std::begin(kMoments), std::end(kMoments), [&](auto moments) {
           return (a.*moments).count() == 0 || (b.*moments).count() == 0;
         });
}

void merge_quantities(DeviceFigures& to, const DeviceFigures& from) {
  for (const auto moments : kMoments) (to.*moments).merge(from.*moments);
  to.dropped += from.dropped;
  to.trimmed += from.trimmed;
  to.longest_interval_s = std::max(to.longest_interval_s, from.longest_interval_s);
  if (!to.period_s) to.period_s = from.period_s;
}

void join_complement(DeviceFigures& to, const DeviceFigures& from) {
  const bool has_energy = from.energy_j.has_value() || from.power.count() > 0;
  merge_quantities(to, from);
  to.samples = std::max(to.samples, from.samples);
  to.first_ns = std::min(to.first_ns, from.first_ns);
  to.last_ns = std::max(to.last_ns, from.last_ns);
  if (has_energy) to.gap_s = from.gap_s;
  if (!to.energy_j) to.energy_j = from.energy_j;
}

/// Joins the part that follows in time. What lies between them is a gap.
void join_later(DeviceFigures& to, const DeviceFigures& later) {
  const double between_s = seconds_between(to.last_ns, later.first_ns);
  merge_quantities(to, later);
  to.longest_interval_s = std::max(to.longest_interval_s, between_s);
  to.samples += later.samples;
  to.last_ns = later.last_ns;
  to.gap_s += later.gap_s + between_s;
  if (later.energy_j) to.energy_j = to.energy_j.value_or(0) + *later.energy_j;
}

/// Joins `from` to `to` if that can be done.
bool join(DeviceRow& to, DeviceRow& from) {
  DeviceFigures& a = to.figures;
  DeviceFigures& b = from.figures;
  if (is_copy(a, b)) {
    a.dropped += b.samples;
  } else if (a.samples > 0 && b.samples > 0 && b.first_ns > a.last_ns) {
    join_later(a, b);
  } else if (a.samples > 0 && b.samples > 0 && a.first_ns > b.last_ns) {
    std::swap(a, b);
    join_later(a, b);
  } else if (complement(a, b)) {
    join_complement(a, b);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string join_same_devices(std::vector<DeviceRow>& devices) {
  std::vector<DeviceRow> kept;
  OddityCount overlapping;
  for (DeviceRow& device : devices) {
    const bool is_same = !kept.empty() && is_same_device(kept.back(), device);
    if (is_same && join(kept.back(), device)) continue;
    if (is_same) {
      overlapping.add(fmt::format("{}, GPU {} of {}", device.job, device.gpu, device.node));
    }
    kept.push_back(std::move(device));
  }
  devices = std::move(kept);
  if (overlapping.count == 0) return "";
  return fmt::format(
      "{} several times, from files that overlap in time and were not read together, and counts as "
      "several, the first: {}: name the files of one run only, or put them into one folder",
      overlapping.count == 1 ? "1 GPU stands" : fmt::format("{} GPUs stand", overlapping.count),
      overlapping.first);
}

}  // namespace scalelaw
