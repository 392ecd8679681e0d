// Groups of a run table, and what all of them have in common, for pareto.

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

/// Watts of "250", "250 W", "0.25 kW"; nothing for other words.
std::optional<double> watts_of(const std::string& text) {
  const auto quantity = parse_quantity(text);
  if (!quantity || !(quantity->value > 0)) return std::nullopt;
  const auto factor = in_base_units(quantity->unit, Dimension::kPower);
  if (!factor && !quantity->unit.empty()) return std::nullopt;
  return quantity->value * factor.value_or(1);
}

std::optional<double> greatest_in(const Observations& observations, std::size_t column) {
  std::optional<double> greatest;
  for (std::size_t group = 0; group < observations.size(); ++group) {
    const auto watts = watts_of(observations.key(group)[column]);
    if (watts && (!greatest || *watts > *greatest)) greatest = watts;
  }
  return greatest;
}

/// GPUs of a run: GPU-seconds over seconds.
double gpus_of(const Measurements& runs) {
  if (runs.x.empty()) return 1;
  if (std::all_of(runs.x.begin(), runs.x.end(), [&](double x) { return x == runs.x[0]; })) {
    return runs.x[0];  // Exactly.
  }
  double gpu_seconds = 0;
  double seconds = 0;
  for (std::size_t i = 0; i < runs.x.size(); ++i) {
    gpu_seconds += runs.x[i] * runs.seconds[i];
    seconds += runs.seconds[i];
  }
  return gpu_seconds / seconds;
}

/// Products with units and powers may leave the range of double.
void refuse_extremes(const std::vector<double>& values, std::string_view what,
                     const GroupKey& key) {
  for (const double value : values) {
    if (value > 0 && value < 1e200) continue;
    throw DataError(fmt::format("{} of {} is {} in s or J: beyond what can be compared", what,
                                joined(key), value));
  }
}

KnobRuns runs_of(const MeasuredRuns& runs, std::size_t group) {
  Measurements measured = runs.measurements(group);
  const GroupKey key = runs.observations.key(group);
  refuse_extremes(measured.seconds, "the time", key);
  refuse_extremes(measured.joules, "the energy", key);
  const auto knobs = static_cast<std::ptrdiff_t>(runs.observations.factors().size());
  return {.knobs = GroupKey(key.end() - knobs, key.end()),
          .gpus = gpus_of(measured),
          .seconds = std::move(measured.seconds),
          .joules = std::move(measured.joules)};
}

void check_defaults(std::span<const std::string> knobs, const std::vector<KnobValue>& wanted) {
  const std::vector<std::string> names(knobs.begin(), knobs.end());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& knob = wanted[i].knob;
    if (std::find(names.begin(), names.end(), knob) == names.end()) {
      const auto near = nearest(knob, names);
      throw DataError(fmt::format("the default names {}, which is no knob{}; knobs are: {}",
                                  quoted(knob), near ? fmt::format("; nearest is '{}'", *near) : "",
                                  joined(names)));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (wanted[j].knob == knob) {
        throw DataError(fmt::format("the default names the knob '{}' twice", knob));
      }
    }
  }
  if (wanted.empty()) return;
  for (const std::string& name : names) {
    const bool named = std::any_of(wanted.begin(), wanted.end(),
                                   [&](const KnobValue& knob) { return knob.knob == name; });
    if (!named && !is_usual_power_limit(name)) {
      throw DataError(fmt::format(
          "the default leaves out the knob '{0}': add {0}=VALUE (only a power limit may be left "
          "out: its greatest value is meant)",
          name));
    }
  }
}

/// A default that no group has is a mistake of the user's.
void refuse_unknown_default(const std::vector<GroupPareto>& groups,
                            const std::vector<KnobValue>& wanted) {
  if (wanted.empty() || groups.empty()) return;
  if (std::any_of(groups.begin(), groups.end(),
                  [](const GroupPareto& group) { return group.result.default_point; })) {
    return;
  }
  std::vector<std::string> some;
  constexpr std::size_t kMost = 12;
  const auto& points = groups.front().result.points;
  for (std::size_t i = 0; i < points.size() && i < kMost; ++i) {
    some.push_back(joined(points[i].knobs, " x "));
  }
  throw DataError(fmt::format("{}; points are: {}{}", groups.front().result.no_default,
                              joined(some), points.size() > kMost ? ", ..." : ""));
}

}  // namespace

std::optional<PowerLimit> greatest_power_limit(const Observations& observations) {
  const std::vector<std::string>& by = observations.by();
  for (std::size_t i = by.size(); i-- > 0;) {  // Knobs stand last and count first.
    if (!is_usual_power_limit(by[i])) continue;
    if (const auto watts = greatest_in(observations, i)) return PowerLimit{by[i], *watts};
  }
  return std::nullopt;
}

std::size_t points_of_mixed_gpus(const MeasuredRuns& runs) {
  std::size_t points = 0;
  for (std::size_t group = 0; runs.columns.x && group < runs.observations.size(); ++group) {
    const auto x = runs.observations.values(group, *runs.columns.x);
    points += std::any_of(x.begin(), x.end(), [&](double gpus) { return gpus != x[0]; }) ? 1 : 0;
  }
  return points;
}

std::vector<GroupPareto> pareto_each(const MeasuredRuns& runs, const ParetoOptions& options) {
  const Observations& observations = runs.observations;
  const auto knobs = observations.factors();
  check_defaults(knobs, options.default_knobs);
  std::vector<GroupPareto> groups;
  for (std::size_t begin = 0, end = 0; begin < observations.size(); begin = end) {
    std::vector<KnobRuns> points;
    for (; end < observations.size() && observations.same_but_for_factors(end, begin); ++end) {
      points.push_back(runs_of(runs, end));
    }
    GroupKey key = observations.key(begin);
    key.resize(key.size() - knobs.size());
    // A length before each value: "a", "bc" is not "ab", "c".
    std::string name;
    for (const std::string& value : key) name += fmt::format("{}:{}", value.size(), value);
    Pareto result = judge_trade_off(points, knobs, options, stable_hash(name));
    groups.push_back({std::move(key), std::move(result)});
  }
  refuse_unknown_default(groups, options.default_knobs);
  return groups;
}

}  // namespace scalelaw
