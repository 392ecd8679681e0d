// Pareto for each group of a run table, and what the groups have in common.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/errors.hpp"
#include "runs/deliver_in_order.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/energy/caps.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/energy/setting_number.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

void raise(std::optional<double>& greatest, std::optional<double> watts) {
  if (watts && (!greatest || *watts > *greatest)) greatest = watts;
}

/// The greatest power limit of each kind of hardware, from a column of limits.
class LimitsByKind {
 public:
  LimitsByKind(const Observations& observations, std::size_t column) {
    const std::vector<std::string>& by = observations.by();
    for (std::size_t i = 0; i < by.size(); ++i) {
      if (i != column && is_usual_name(by[i], UsualColumn::kHardware)) hardware_.push_back(i);
    }
    for (std::size_t group = 0; group < observations.size(); ++group) {
      const GroupKey key = observations.key(group);
      kinds_.push_back(kind_of(key));
      const auto watts = watts_of_setting(key[column]);
      raise(greatest_[kinds_.back()], watts);
      if (group == 0 || !observations.same_but_for_factors(group, group - 1))
        judged_.emplace_back();
      raise(judged_.back(), watts);
    }
  }

  bool is_empty() const {
    return std::ranges::none_of(greatest_,
                                [](const auto& kind) { return kind.second.has_value(); });
  }

  PowerLimits limits(const Observations& observations, std::size_t column) const {
    PowerLimits limits{
        .column = observations.by()[column], .hardware = {}, .kinds = {}, .watts = {}};
    for (const std::size_t i : hardware_) limits.hardware.push_back(observations.by()[i]);
    for (const auto& [kind, watts] : greatest_) {
      if (!watts) {
        throw data_error("no {} of {} {} is a number: name MaxPower with --max-power W",
                         limits.column, joined(limits.hardware), joined(kind));
      }
      limits.kinds.push_back({kind, *watts});
    }
    for (const GroupKey& kind : kinds_) limits.watts.push_back(*greatest_.at(kind));
    const bool is_knob = column + observations.factors().size() >= observations.by().size();
    for (const auto& watts : judged_) {
      if (!is_knob || !watts) continue;
      limits.smallest_greatest = std::min(limits.smallest_greatest.value_or(*watts), *watts);
    }
    return limits;
  }

 private:
  GroupKey kind_of(const GroupKey& key) const {
    GroupKey kind;
    for (const std::size_t i : hardware_) kind.push_back(key[i]);
    return kind;
  }

  std::vector<std::size_t> hardware_;  ///< Places of the hardware columns.
  std::vector<GroupKey> kinds_;        ///< Kind of each group of the observations.
  std::map<GroupKey, std::optional<double>, GroupLess> greatest_;
  std::vector<std::optional<double>> judged_;  ///< Greatest limit of each judged group.
};

/// GPUs of a run: GPU-seconds over seconds.
double gpus_of(const Measurements& runs) {
  if (runs.x.empty()) return 1;
  if (std::ranges::all_of(runs.x, [&](double x) { return x == runs.x[0]; })) {
    return runs.x[0];  // Exact, where the quotient would round.
  }
  double gpu_seconds = 0;
  double seconds = 0;
  for (std::size_t i = 0; i < runs.x.size(); ++i) {
    gpu_seconds += runs.x[i] * runs.seconds[i];
    seconds += runs.seconds[i];
  }
  return gpu_seconds / seconds;
}

/// Refuses values beyond the range of double, as units and powers may produce.
void refuse_extremes(const std::vector<double>& values, std::string_view what,
                     const GroupKey& key) {
  for (const double value : values) {
    if (value > 0 && value < 1e200) continue;
    throw data_error("{} of {} is {} in s or J: beyond what can be compared", what, joined(key),
                     value);
  }
}

KnobRuns runs_of(const MeasuredRuns& runs, std::size_t group, std::optional<double> max_power) {
  Measurements measured = runs.measurements(group);
  const GroupKey key = runs.observations.key(group);
  refuse_extremes(measured.seconds, "the time", key);
  refuse_extremes(measured.joules, "the energy", key);
  const auto knobs = static_cast<std::ptrdiff_t>(runs.observations.factors().size());
  return {.knobs = GroupKey(key.end() - knobs, key.end()),
          .gpus = gpus_of(measured),
          .seconds = std::move(measured.seconds),
          .joules = std::move(measured.joules),
          .max_power = max_power};
}

/// Names the random numbers of a group, independent of its place.
std::uint64_t stream_of(const GroupKey& key) {
  // The length precedes each value, so that "a", "bc" differs from "ab", "c".
  std::string name;
  for (const std::string& value : key) name += fmt::format("{}:{}", value.size(), value);
  return stable_hash(name);
}

void check_defaults(std::span<const std::string> knobs, const std::vector<KnobValue>& wanted) {
  const std::vector<std::string> names(knobs.begin(), knobs.end());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& knob = wanted[i].knob;
    if (std::ranges::find(names, knob) == names.end()) {
      const auto near = nearest(knob, names);
      throw data_error("--default names {}, which is no knob{}; knobs are: {}", quoted(knob),
                       near ? fmt::format(" (did you mean '{}'?)", *near) : "", joined(names));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (wanted[j].knob == knob) {
        throw data_error("--default names the knob '{}' twice", knob);
      }
    }
  }
  if (wanted.empty()) return;
  for (const std::string& name : names) {
    const bool named =
        std::ranges::any_of(wanted, [&](const KnobValue& knob) { return knob.knob == name; });
    if (!named && !is_usual_name(name, UsualColumn::kPowerLimit)) {
      throw data_error(
          "--default leaves out the knob '{0}': add {0}=VALUE (only a power limit may be left out; "
          "its greatest value is then used)",
          name);
    }
  }
}

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

bool PowerLimits::varies() const {
  return std::ranges::any_of(
      kinds, [&](const HardwareLimit& one) { return one.watts != kinds.front().watts; });
}

std::optional<PowerLimits> greatest_power_limits(const Observations& observations) {
  const std::vector<std::string>& by = observations.by();
  for (std::size_t i = by.size(); i-- > 0;) {  // Knobs stand last but count first.
    if (!is_usual_name(by[i], UsualColumn::kPowerLimit)) continue;
    const LimitsByKind found(observations, i);
    if (!found.is_empty()) return found.limits(observations, i);
  }
  return std::nullopt;
}

std::size_t points_of_mixed_gpus(const MeasuredRuns& runs) {
  std::size_t points = 0;
  for (std::size_t group = 0; runs.columns.x && group < runs.observations.size(); ++group) {
    const auto x = runs.observations.values(group, *runs.columns.x);
    points += std::ranges::any_of(x, [&](double gpus) { return gpus != x[0]; }) ? 1 : 0;
  }
  return points;
}

void ParetoSurvey::add(const GroupPareto& group) {
  constexpr std::size_t kMostNamed = 12;
  const Pareto* const pareto = std::get_if<Pareto>(&group.result);
  if (pareto == nullptr) return;
  has_draws = has_draws || pareto->no_draws.empty();
  if (no_draws.empty()) no_draws = pareto->no_draws;
  has_default = has_default || pareto->default_point;
  if (!some_points_.empty()) return;
  const auto& points = pareto->points;
  for (std::size_t i = 0; i < points.size() && i < kMostNamed; ++i) {
    some_points_ += (i > 0 ? ", " : "") + joined(points[i].knobs, " x ");
  }
  if (points.size() > kMostNamed) some_points_ += ", ...";
  no_default_ = pareto->no_default;
}

void ParetoSurvey::refuse_unknown_default(const std::vector<KnobValue>& wanted) const {
  if (wanted.empty() || has_default || some_points_.empty()) return;
  throw data_error("{}; points are: {}", no_default_, some_points_);
}

ParetoSurvey survey_of(std::span<const GroupPareto> groups) {
  ParetoSurvey survey;
  for (const GroupPareto& group : groups) survey.add(group);
  return survey;
}

void pareto_each(const MeasuredRuns& runs, const ParetoOptions& options,
                 std::span<const double> max_power,
                 const std::function<void(GroupPareto&&)>& sink) {
  const Observations& observations = runs.observations;
  const auto knobs = observations.factors();
  check_defaults(knobs, options.default_knobs);
  const std::vector<std::size_t> begins = judged_groups(observations);
  const std::size_t groups = begins.size() - 1;
  const int threads = thread_count(options.threads);
  // If there are many groups, they run side by side; else each one uses all threads.
  const bool many = groups > 2 * static_cast<std::size_t>(threads);
  ParetoOptions of_one = options;
  of_one.threads = many ? 1 : threads;
  const auto judge = [&](std::size_t group, int /*worker*/) {
    std::vector<KnobRuns> points;
    for (std::size_t i = begins[group]; i < begins[group + 1]; ++i) {
      points.push_back(
          runs_of(runs, i, max_power.empty() ? options.max_power : std::optional(max_power[i])));
    }
    GroupKey key = observations.key(begins[group]);
    key.resize(key.size() - knobs.size());
    auto result =
        outcome_of([&] { return judge_trade_off(points, knobs, of_one, stream_of(key)); });
    return GroupPareto{std::move(key), std::move(result)};
  };
  const int workers = many ? threads : 1;
  deliver_in_order<GroupPareto>(groups, workers, slice_of_slow_groups(groups, workers), judge,
                                sink);
}

std::vector<GroupPareto> pareto_each(const MeasuredRuns& runs, const ParetoOptions& options,
                                     std::span<const double> max_power) {
  std::vector<GroupPareto> groups;
  pareto_each(runs, options, max_power,
              [&](GroupPareto&& group) { groups.push_back(std::move(group)); });
  survey_of(groups).refuse_unknown_default(options.default_knobs);
  return groups;
}

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
    throw data_error(
        "--eta: the greatest {} differs among {}: name MaxPower with --max-power, or pick one with "
        "--where",
        limits->column, joined(limits->hardware));
  }
  options.max_power = limits->kinds.front().watts;
  return text_of(*limits);
}

}  // namespace scalelaw
