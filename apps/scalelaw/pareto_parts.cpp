#include "pareto_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "measure_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
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

MaxPower complete(ParetoOptions& pareto, const MeasuredRuns& runs) {
  MaxPower max_power{.from = pareto.max_power ? "--max-power" : "", .watts = {}, .warning = {}};
  if (const auto limits =
          pareto.max_power ? std::nullopt : greatest_power_limits(runs.observations)) {
    max_power = {text_of(*limits), limits->watts, warning_on(*limits)};
    if (!limits->varies()) pareto.max_power = limits->kinds.front().watts;
  }
  if (pareto.etas.empty() && !max_power.from.empty()) pareto.etas = {0.5};
  const bool needs_power =
      std::any_of(pareto.etas.begin(), pareto.etas.end(), [](double eta) { return eta < 1; });
  if (needs_power && max_power.from.empty()) {
    throw DataError(
        "--eta below 1 sets time against energy by the greatest power of a GPU: no knob or group "
        "column is a power limit, so name it with --max-power W");
  }
  return max_power;
}

ParetoReport pareto_report(const StudyOptions& study, const MeasuredRuns& runs,
                           const ParetoOptions& options) {
  const auto knobs = runs.observations.factors();
  const auto& numbers = runs.observations.numbers();
  ParetoReport report;
  report.study = measured_report(study, runs);
  report.study.by.resize(report.study.by.size() - knobs.size());
  report.knobs.assign(knobs.begin(), knobs.end());
  if (runs.columns.energy) report.energy = numbers[*runs.columns.energy].name;
  if (runs.columns.power) report.power = numbers[*runs.columns.power].name;
  report.total_power = runs.columns.total_power;
  report.options = options;
  return report;
}

}  // namespace scalelaw::cli
