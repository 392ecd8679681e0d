// What training took: the columns of a table of losses that tell time, GPUs and power.

#include "scalelaw/runs/work_columns.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/errors.hpp"
#include "runs/column_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool is_of_step(std::string_view name) { return Name(name).has_any({"step", "iteration"}); }

/// Whether a column counts the steps of a run.
bool counts_steps(const ColumnProfile& column) {
  const bool counts = column.meaning.role == ColumnRole::kEpoch ||
                      Name(column.name).has_any({"num", "total", "train"}) ||
                      Name(column.name).words().size() == 1;
  return counts && is_of_step(column.name) && !Name(column.name).has("per") && column.is_number() &&
         column.whole && column.min > 0;
}

bool is_of_node(std::string_view name) { return Name(name).has_any({"node", "host"}); }

/// GPU-hours and GPU-seconds of a run.
bool is_gpu_time(std::string_view name) {
  return Name(name).has("gpu") && Name(name).has_any({"hour", "second", "minute"}) &&
         !Name(name).has_any({"per", "token"});
}

bool is_rate_of_tokens(std::string_view name) {
  return meaning_of(name).role == ColumnRole::kRate && rate_name(name).things.starts_with("tok");
}

/// How well a column tells the time of training: 0 not at all, less is better.
int rank_of_time(const ColumnProfile& column) {
  if (column.numbers == 0) return 0;  // The reader says what is wrong with other values.
  if (is_rate_of_tokens(column.name)) return rate_name(column.name).of_one_device ? 2 : 1;
  if (is_gpu_time(column.name)) return 4;
  const ColumnMeaning& meaning = column.meaning;
  if (meaning.role != ColumnRole::kTime || meaning.per_epoch) return 0;
  if (is_of_step(column.name)) return 3;
  const bool is_part = Name(column.name).has_any({"epoch", "token", "sample", "per"});
  return is_part || meaning.rank >= kLatencyRank ? 0 : 5;
}

double factor_in(const std::string& name, const std::string& unit, Dimension dimension,
                 std::string_view what) {
  if (const auto factor = in_base_units(unit, dimension)) return *factor;
  if (const auto factor = in_base_units(unit_in_name(name, dimension), dimension)) return *factor;
  if (unit.empty()) return 1;
  throw data_error("'{}' is in {}, which is no unit of {}: name another column", name, unit, what);
}

}  // namespace

WorkMeaning work_meaning(std::string_view name, std::string_view unit) {
  using WorkKind = WorkMeaning::Kind;
  if (is_rate_of_tokens(name)) {
    const RateName rate = rate_name(name);
    return {.kind = WorkKind::kTokenRate,
            .of_one_gpu = rate.of_one_device,
            .unit = rate.seconds.value_or(1) / multiple_of_work(name)};
  }
  WorkMeaning meaning{.of_step = is_of_step(name),
                      .of_token = Name(name).has_any({"token", "tokens"}),
                      .of_one_gpu = Name(name).has("gpu")};
  for (const auto& [kind, dimension] : {std::pair{WorkKind::kTime, Dimension::kTime},
                                        std::pair{WorkKind::kEnergy, Dimension::kEnergy},
                                        std::pair{WorkKind::kPower, Dimension::kPower}}) {
    auto factor = in_base_units(unit, dimension);
    if (!factor) factor = in_base_units(unit_in_name(name, dimension), dimension);
    if (!factor) continue;
    meaning.kind = kind;
    meaning.unit = *factor / (meaning.of_step || meaning.of_token ? multiple_of_work(name) : 1);
    return meaning;
  }
  return meaning;
}

std::string work_time_column(const TableProfile& profile) {
  std::string name;
  int best = 0;
  for (const ColumnProfile& column : profile.columns()) {
    const int rank = rank_of_time(column);
    if (rank == 0 || (best != 0 && rank >= best)) continue;
    best = rank;
    name = column.label();
  }
  return name;
}

std::size_t WorkColumns::add(std::string name) {
  columns_.push_back({.name = std::move(name), .needed = false});
  return columns_.size() - 1;
}

std::vector<NumberColumn> WorkColumns::choose(const Header& header, std::string_view source,
                                              const TableProfile& profile) {
  columns_.clear();
  gpus_ = time_ = steps_ = tokens_per_step_ = energy_ = power_ = std::nullopt;
  if (!asked_.wants_time) return {};
  if (asked_.needs_time) return needed_columns(header, source, profile);
  try {
    return needed_columns(header, source, profile);
  } catch (const DataError&) {  // Columns that nobody asked for.
    columns_.clear();
    gpus_ = time_ = steps_ = energy_ = power_ = std::nullopt;
    return {};
  }
}

std::vector<NumberColumn> WorkColumns::needed_columns(const Header& header, std::string_view source,
                                                      const TableProfile& profile) {
  choose_time(header, source, profile);
  if (!time_) return {};
  choose_gpus(header, source, profile);
  choose_steps(header, source, profile);
  choose_power(header, source, profile);
  check();
  return columns_;
}

void WorkColumns::choose_time(const Header& header, std::string_view source,
                              const TableProfile& profile) {
  const std::string name =
      asked_.time.empty() ? work_time_column(profile) : spelled_column(header, asked_.time, source);
  if (name.empty()) return;
  required_column(header, name, source);
  const RateName rate = rate_name(name);
  if (is_rate_of_tokens(name)) {
    kind_ = rate.of_one_device ? Time::kRateOfOne : Time::kRate;
    seconds_ = rate.seconds.value_or(1) / multiple_of_work(name);
  } else if (meaning_of(name).role == ColumnRole::kRate) {
    throw data_error(
        "--time {}: a rate of {}, and training is counted in tokens: name a rate of tokens, such "
        "as tokens_per_second, a time per step, or the time of the run",
        name, rate.things.empty() ? "something else" : rate.things);
  } else if (meaning_of(name).role != ColumnRole::kTime && !is_gpu_time(name) &&
             column_label(name).unit.empty()) {
    throw data_error(
        "--time: '{0}' is no time by its name; if it is one, tell its unit: --time '{0}[s]'", name);
  } else {
    kind_ = is_gpu_time(name) ? Time::kGpuTime : is_of_step(name) ? Time::kStep : Time::kRun;
  }
  time_ = add(name);
}

void WorkColumns::choose_gpus(const Header& header, std::string_view source,
                              const TableProfile& profile) {
  std::string name = asked_.gpus.empty() ? "" : spelled_column(header, asked_.gpus, source);
  if (name.empty()) {
    std::vector<std::string> columns = scale_columns(header, name_at(*time_), &profile);
    std::erase_if(columns, [](const std::string& column) {
      return meaning_of(column).role != ColumnRole::kScale ||
             !(may_count_gpus(column) || counts_nodes(column));
    });
    if (columns.empty()) return;
    name = only_column(columns, "--gpus-column", source);
  }
  required_column(header, name, source);
  gpus_ = add(name);
  devices_ = counts_nodes(name) ? asked_.gpus_per_node.value_or(kUnknown) : 1;
}

void WorkColumns::choose_steps(const Header& header, std::string_view source,
                               const TableProfile& profile) {
  if (kind_ != Time::kStep || asked_.tokens_per_step) return;
  if (asked_.steps.empty() && choose_tokens_per_step(profile)) return;
  std::string name = asked_.steps.empty() ? "" : spelled_column(header, asked_.steps, source);
  if (name.empty()) {
    std::vector<std::string> columns;
    for (const ColumnProfile& column : profile.columns()) {
      if (counts_steps(column)) columns.emplace_back(column.label());
    }
    if (columns.empty()) return;
    name = only_column(columns, "--steps", source);
  }
  required_column(header, name, source);
  steps_ = add(name);
}

bool WorkColumns::choose_tokens_per_step(const TableProfile& profile) {
  std::vector<std::string> columns;
  for (const ColumnProfile& column : profile.columns()) {
    if (is_tokens_per_step(column.name) && column.is_number() && column.min > 0) {
      columns.emplace_back(column.label());
    }
  }
  if (columns.size() != 1) return false;
  tokens_per_step_ = add(columns.front());
  return true;
}

void WorkColumns::choose_power(const Header& header, std::string_view source,
                               const TableProfile& profile) {
  if (!asked_.wants_power) return;
  const auto only = [&](const std::string& asked, UsualColumn what) -> std::string {
    if (!asked.empty()) return spelled_column(header, asked, source);
    if (!asked_.energy.empty() || !asked_.power.empty()) return "";
    const std::vector<std::string> found = measured_columns(header, what, profile);
    return found.size() == 1 ? found.front() : "";
  };
  if (const std::string name = only(asked_.energy, UsualColumn::kEnergy); !name.empty()) {
    required_column(header, name, source);
    energy_ = add(name);
    return;
  }
  if (const std::string name = only(asked_.power, UsualColumn::kPower); !name.empty()) {
    required_column(header, name, source);
    power_ = add(name);
  }
}

void WorkColumns::check() const {
  const std::string& time = name_at(*time_);
  if (gpus_ && !(devices_ > 0)) {
    throw data_error(
        "'{}' counts nodes: say with --gpus-per-node how many GPUs a node has, or name a column of "
        "GPUs with --gpus-column",
        name_at(*gpus_));
  }
  if (kind_ == Time::kRateOfOne && is_of_node(time) && !asked_.gpus_per_node) {
    throw data_error(
        "'{}' is the rate of a node: say with --gpus-per-node how many GPUs a node has", time);
  }
  const bool of_all = kind_ != Time::kRateOfOne && kind_ != Time::kGpuTime;
  if (of_all && !gpus_) {
    throw data_error(
        "'{}' is the time of all GPUs of a run, and no column says how many these are: name it "
        "with --gpus-column",
        time);
  }
  if (kind_ == Time::kStep && !steps_ && !tokens_per_step_ && !asked_.tokens_per_step) {
    throw data_error(
        "'{}' is the time of a step, and nothing says how many tokens a step has: name a column of "
        "steps with --steps, or give --tokens-per-step",
        time);
  }
  if (power_ && asked_.total_power && !gpus_) {
    throw DataError("--total-power needs the number of GPUs: name its column with --gpus-column");
  }
}

void WorkColumns::take_units(const std::vector<std::string>& units) {
  if (!time_) return;
  const bool is_rate = kind_ == Time::kRate || kind_ == Time::kRateOfOne;
  if (!is_rate) {
    const std::string& name = name_at(*time_);
    seconds_ = factor_in(name, units.at(*time_), Dimension::kTime, "time") /
               (kind_ == Time::kStep ? multiple_of_work(name) : 1);
  }
  if (energy_) {
    joules_ = factor_in(name_at(*energy_), units.at(*energy_), Dimension::kEnergy, "energy");
  }
  if (power_) watts_ = factor_in(name_at(*power_), units.at(*power_), Dimension::kPower, "power");
}

double WorkColumns::gpu_seconds_at(const SurfaceRuns& runs, std::size_t row, double gpus) const {
  const double time = runs.more[*time_][row];
  switch (kind_) {
    case Time::kRate:
      return gpus * seconds_ / time;
    case Time::kRateOfOne:
      return (is_of_node(name_at(*time_)) ? *asked_.gpus_per_node : 1) * seconds_ / time;
    case Time::kStep:
      return time * seconds_ * gpus /
             (asked_.tokens_per_step ? *asked_.tokens_per_step
              : tokens_per_step_     ? runs.more[*tokens_per_step_][row]
                                     : runs.d[row] / runs.more[*steps_][row]);
    case Time::kRun:
      return time * seconds_ * gpus / runs.d[row];
    case Time::kGpuTime:
      return time * seconds_ / runs.d[row];
  }
  return kUnknown;
}

Work WorkColumns::work_of(const SurfaceRuns& runs) const {
  Work work;
  if (!time_) return work;
  if (power_ && !energy_) work.power = name_at(*power_);
  for (std::size_t row = 0; row < runs.n.size(); ++row) {
    const double gpus = gpus_ ? runs.more[*gpus_][row] * devices_ : kUnknown;
    const double gpu_seconds = gpu_seconds_at(runs, row, gpus);
    double watts = kUnknown;
    if (power_) watts = runs.more[*power_][row] * watts_ / (asked_.total_power ? gpus : 1);
    if (energy_) watts = runs.more[*energy_][row] * joules_ / (gpu_seconds * runs.d[row]);
    if (gpus_ && runs.more[*time_][row] > 0 && !(gpus > 0)) ++work.without_gpus;
    work.gpus.push_back(gpus);
    work.gpu_seconds.push_back(gpu_seconds);
    work.watts.push_back(watts);
  }
  return work;
}

std::string WorkColumns::choice() const {
  if (!time_) return "";
  std::string text = "time: " + name_at(*time_);
  if (steps_) text += ", steps: " + name_at(*steps_);
  if (tokens_per_step_) text += ", tokens of a step: " + name_at(*tokens_per_step_);
  if (gpus_) {
    text += fmt::format(", GPUs: {}{}", name_at(*gpus_),
                        devices_ == 1 ? "" : fmt::format(" times {:g}", devices_));
  }
  if (energy_) text += ", energy: " + name_at(*energy_);
  if (power_) {
    text += fmt::format(", power of {}: {}", asked_.total_power ? "all GPUs" : "one GPU",
                        name_at(*power_));
  }
  return text;
}

}  // namespace scalelaw
