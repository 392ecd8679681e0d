// The greatest power of a GPU, which the cost of Zeus takes.

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/energy/caps.hpp"
#include "scalelaw/energy/pareto.hpp"

namespace scalelaw {
namespace {

/// "the greatest power_limit of each gpu: a40 300 W, v100 250 W".
std::string text_of(const PowerLimits& limits) {
  std::string text = fmt::format("the greatest {}", limits.column);
  if (!limits.varies()) return text;
  constexpr std::size_t kMostKinds = 8;
  std::vector<std::string> kinds;
  for (const HardwareLimit& one : limits.kinds) {
    kinds.push_back(fmt::format("{} {} W", joined(one.kind, " "), one.watts));
  }
  if (kinds.size() > kMostKinds) {
    kinds.resize(kMostKinds);
    kinds.emplace_back("...");
  }
  return fmt::format("{} of each {}: {}", text, joined(limits.hardware, " and "), joined(kinds));
}

/// Groups whose greatest limits differ may be of different hardware, which no column tells.
std::string warning_on(const PowerLimits& limits) {
  const double greatest = limits.kinds.front().watts;
  if (!limits.hardware.empty() || limits.smallest_greatest.value_or(greatest) == greatest)
    return "";
  return fmt::format(
      "some groups have a greatest {} of {} W only: MaxPower is {} W, the greatest of the table, "
      "for all. If GPUs differ, add their column to -b under a name like gpu or accelerator, or "
      "name MaxPower with --max-power",
      limits.column, *limits.smallest_greatest, greatest);
}

}  // namespace

MaxPower take_max_power(ParetoOptions& options, const MeasuredRuns& runs) {
  MaxPower max_power{.from = options.max_power ? "--max-power" : "", .watts = {}, .warning = {}};
  if (const auto limits =
          options.max_power ? std::nullopt : greatest_power_limits(runs.observations)) {
    max_power = {text_of(*limits), limits->watts, warning_on(*limits)};
    if (!limits->varies()) options.max_power = limits->kinds.front().watts;
  }
  if (options.etas.empty() && !max_power.from.empty()) options.etas = {0.5};
  const bool needs_power = std::ranges::any_of(options.etas, [](double eta) { return eta < 1; });
  if (needs_power && max_power.from.empty()) {
    throw DataError(
        "--eta below 1 sets time against energy by the greatest power of a GPU: no knob or group "
        "column is a power limit, so name it with --max-power W");
  }
  return max_power;
}

std::string take_max_power(CapsOptions& options, const MeasuredRuns& runs) {
  if (options.etas.empty()) return "";
  if (options.max_power) return "--max-power";
  const auto limits = greatest_power_limits(runs.observations);
  if (!limits) return "the greatest mean power of a GPU measured";
  if (limits->varies()) {
    throw DataError(fmt::format(
        "--eta: the greatest {} differs among {}: name MaxPower with --max-power, or pick one with "
        "--where",
        limits->column, joined(limits->hardware)));
  }
  options.max_power = limits->kinds.front().watts;
  return text_of(*limits);
}

}  // namespace scalelaw
