#include "trace/job_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "statistics/quantiles.hpp"
#include "trace/formats.hpp"

namespace scalelaw {
namespace {

using Devices = std::span<const DeviceRow>;

/// The existing values of a figure over devices.
std::vector<double> values_of(Devices devices,
                              std::optional<double> (*figure)(const DeviceFigures&)) {
  std::vector<double> values;
  for (const DeviceRow& device : devices) {
    if (const auto value = figure(device.figures)) values.push_back(*value);
  }
  return values;
}

/// How many devices are GPUs. A MIG instance ("GPU-I 3") does not count if its GPU is there.
std::size_t gpu_count(Devices devices) {
  const auto is_part = [](const DeviceRow& device) { return device.gpu.starts_with("GPU-I "); };
  const auto parts = std::ranges::count_if(devices, is_part);
  const std::size_t whole = devices.size() - static_cast<std::size_t>(parts);
  return whole > 0 ? whole : devices.size();
}

std::optional<double> mean_sm(const DeviceFigures& figures) { return figures.sm_util.mean(); }
std::optional<double> mean_power(const DeviceFigures& figures) { return figures.power.mean(); }

/// Which devices lie more than three robust standard deviations (1.4826 times the median absolute
/// deviation) and more than 5 % from the median of all. The 5 % prevent flags for a last digit if
/// all others agree. Needs five devices.
std::vector<bool> deviant_by(Devices devices,
                             std::optional<double> (*figure)(const DeviceFigures&)) {
  constexpr std::size_t kFewest = 5;
  std::vector<bool> flags(devices.size(), false);
  const std::vector<double> values = values_of(devices, figure);
  if (values.size() < kFewest) return flags;
  const double centre = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - centre));
  const double limit = std::max(3 * 1.4826 * median(distances), 0.05 * std::abs(centre));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto value = figure(devices[i].figures);
    flags[i] = value && std::abs(*value - centre) > limit;
  }
  return flags;
}

/// Runs of consecutive devices that belong together according to `same`.
template <class Same>
std::vector<Devices> table_parts(Devices devices, const Same& same) {
  std::vector<Devices> parts;
  for (std::size_t begin = 0; begin < devices.size();) {
    std::size_t end = begin + 1;
    while (end < devices.size() && same(devices[begin], devices[end])) ++end;
    parts.push_back(devices.subspan(begin, end - begin));
    begin = end;
  }
  return parts;
}

bool same_job(const DeviceRow& a, const DeviceRow& b) { return a.job == b.job; }
bool same_node(const DeviceRow& a, const DeviceRow& b) {
  return a.job == b.job && a.node == b.node;
}

std::vector<Devices> nodes_of(Devices devices) { return table_parts(devices, same_node); }

Moments merged(Devices devices, Moments DeviceFigures::*moments) {
  Moments all;
  for (const DeviceRow& device : devices) all.merge(device.figures.*moments);
  return all;
}

/// Greatest difference between the mean utilisations of two nodes.
std::optional<double> node_range(Devices devices) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  const std::vector<Devices> nodes = nodes_of(devices);
  for (const Devices node : nodes) {
    const auto mean = merged(node, &DeviceFigures::sm_util).mean();
    if (!mean) continue;
    least = std::min(least, *mean);
    most = std::max(most, *mean);
  }
  if (nodes.size() < 2 || !(most >= least)) return std::nullopt;
  return most - least;
}

struct Totals {
  std::uint64_t samples = 0;
  std::uint64_t dropped = 0;
  std::uint64_t trimmed = 0;
  double expected = 0;  ///< Samples if none had been missed.
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  std::optional<double> energy_j;
  double gap_s = 0;
  double longest_s = 0;
};

Totals totals_of(Devices devices) {
  Totals totals;
  for (const DeviceRow& device : devices) {
    const DeviceFigures& figures = device.figures;
    totals.dropped += figures.dropped;
    totals.trimmed += figures.trimmed;
    if (figures.samples == 0) continue;
    totals.samples += figures.samples;
    totals.first_ns = std::min(totals.first_ns, figures.first_ns);
    totals.last_ns = std::max(totals.last_ns, figures.last_ns);
    const double span_s = seconds_between(figures.first_ns, figures.last_ns);
    const double steps = figures.period_s ? std::round(span_s / *figures.period_s) : 0;
    totals.expected += std::max(1 + steps, static_cast<double>(figures.samples));
    if (figures.energy_j) totals.energy_j = totals.energy_j.value_or(0) + *figures.energy_j;
    totals.gap_s += figures.gap_s;
    totals.longest_s = std::max(totals.longest_s, figures.longest_interval_s);
  }
  return totals;
}

/// How much of a job has traces, "traces of 6 of 16 GPUs", by what the table of jobs says; empty if
/// nothing shows that some are missing.
std::string missing_part(Devices devices, const JobFacts& facts) {
  const std::string& job = devices.front().job;
  const std::size_t nodes = nodes_of(devices).size();
  const std::size_t gpus = gpu_count(devices);
  const auto all_nodes = stated_nodes(facts, job);
  if (all_nodes && static_cast<double>(nodes) < *all_nodes) {
    return fmt::format("traces of {} of {:g} nodes", nodes, *all_nodes);
  }
  const auto all_gpus = stated_gpus(facts, job);
  if (all_gpus && static_cast<double>(gpus) < *all_gpus) {
    return fmt::format("traces of {} of {:g} GPUs", gpus, *all_gpus);
  }
  return "";
}

/// How many GPUs with traces have neither a power nor a counter of energy in them. Instances of a
/// GPU that was divided have none of their own.
std::size_t without_power(Devices devices) {
  const auto silent = std::ranges::count_if(devices, [](const DeviceRow& device) {
    return !device.gpu.starts_with("GPU-I ") && !device.figures.energy_j &&
           device.figures.power.count() == 0;
  });
  return static_cast<std::size_t>(silent);
}

double missing_share(const Totals& totals) {
  return 1 - static_cast<double>(totals.samples) / totals.expected;
}

std::optional<double> duration_of(const Totals& totals) {
  if (totals.samples == 0) return std::nullopt;
  return seconds_between(totals.first_ns, totals.last_ns);
}

/// Columns by name, with their text for a row.
using Figures = std::vector<std::pair<std::string_view, std::string>>;

std::string period_text(Devices devices) {
  const std::vector<double> periods =
      values_of(devices, [](const DeviceFigures& figures) { return figures.period_s; });
  return periods.empty() ? std::string() : exact_text(median(periods));
}

Figures figures_of(Devices devices, const Totals& totals) {
  const Moments sm_util = merged(devices, &DeviceFigures::sm_util);
  const Moments mem_util = merged(devices, &DeviceFigures::mem_util);
  const Moments power = merged(devices, &DeviceFigures::power);
  return {{"nodes_seen", std::to_string(nodes_of(devices).size())},
          {"gpus_seen", std::to_string(gpu_count(devices))},
          {"samples", std::to_string(totals.samples)},
          {"duration_s", exact_text(duration_of(totals))},
          {"sm_util_mean_pct", exact_text(sm_util.mean())},
          {"sm_util_cv", exact_text(sm_util.variation())},
          {"mem_util_mean_pct", exact_text(mem_util.mean())},
          {"mem_util_cv", exact_text(mem_util.variation())},
          {"mem_used_mean_mib", exact_text(merged(devices, &DeviceFigures::mem_used).mean())},
          {"power_mean_w", exact_text(power.mean())},
          {"power_max_w", exact_text(power.largest())},
          {"energy_j", exact_text(totals.energy_j)},
          {"gap_s", exact_text(totals.gap_s)},
          {"samples_dropped", std::to_string(totals.dropped)}};
}

/// Columns after those of the contract, which tell good data from bad.
Figures quality_of(Devices devices, const Totals& totals) {
  const auto deviants = std::ranges::count_if(devices, &DeviceRow::deviant);
  const bool empty = totals.samples == 0;
  return {{"samples_missing_share", empty ? "" : exact_text(missing_share(totals))},
          {"longest_interval_s", empty ? "" : exact_text(totals.longest_s)},
          {"sampling_period_s", period_text(devices)},
          {"deviant_gpus", std::to_string(deviants)},
          {"node_util_range_pct", exact_text(node_range(devices))}};
}

/// A table whose rows name their columns. Columns stand in the order of their first mention.
class TableBuilder {
 public:
  void begin_row() { table_.rows.emplace_back(table_.names.size()); }
  void set(const Figures& figures) {
    for (const auto& [name, text] : figures) set(name, text);
  }
  /// The last row becomes the cells that the steps of a run share.
  void make_curve(StepTable steps) {
    RunCurve curve{
        .shared = std::move(table_.rows.back()), .places = {}, .steps = std::move(steps)};
    table_.rows.pop_back();
    for (const std::string& name : curve.steps.names) curve.places.push_back(place_of(name));
    table_.curves.push_back(std::move(curve));
  }
  void set(std::string_view name, std::string text) {
    const std::size_t place = place_of(name);
    std::vector<std::string>& row = table_.rows.back();
    row.resize(table_.names.size());
    row[place] = std::move(text);
  }
  RunTable finish() {
    for (auto& row : table_.rows) row.resize(table_.names.size());
    for (RunCurve& curve : table_.curves) curve.shared.resize(table_.names.size());
    return std::move(table_);
  }
  std::size_t place_of(std::string_view name) {
    const auto known = places_.find(name);
    if (known != places_.end()) return known->second;
    table_.names.emplace_back(name);
    places_.emplace(std::string(name), table_.names.size() - 1);
    return table_.names.size() - 1;
  }

 private:
  RunTable table_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

bool names_gpus(const JobFacts& facts) { return std::ranges::any_of(facts.names, is_gpu_count); }

/// The names of columns of facts. One that a figure or a record's fact has, too, becomes job_NAME.
std::vector<std::string> fact_columns(const JobFacts& facts, bool has_devices,
                                      const std::vector<JobRecord>& records) {
  std::set<std::string, std::less<>> taken{"job_id", "node", "gpu", "samples_trimmed"};
  for (const Figures& figures : {figures_of({}, {}), quality_of({}, {})}) {
    for (const auto& [name, text] : figures) taken.insert(std::string(name));
  }
  for (const JobRecord& record : records) {
    for (const auto& [name, text] : record.facts) {
      if (!facts.of_records.contains(name)) taken.insert(name);
    }
    taken.insert(record.steps.names.begin(), record.steps.names.end());
  }
  if (has_devices && facts.column("epochs")) {
    taken.insert("epoch_seconds");
    taken.insert("energy_per_epoch_j");
  }
  std::vector<std::string> columns;
  for (std::string name : facts.names) {
    while (taken.contains(name)) name = "job_" + name;
    taken.insert(name);
    columns.push_back(std::move(name));
  }
  return columns;
}

void add_facts(TableBuilder& table, const JobFacts& facts, const std::vector<std::string>& columns,
               std::string_view job) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    table.set(columns[i], std::string(facts.fact(job, facts.names[i])));
  }
}

/// Adds the time and energy of an epoch, which follow from the tables of jobs.
void add_epochs(TableBuilder& table, const JobFacts& facts, std::string_view job,
                const Totals& totals, bool whole_job) {
  if (!facts.column("epochs")) return;
  const auto epochs = epochs_of(facts, job);
  auto seconds = run_seconds(facts, job);
  if (!seconds) seconds = duration_of(totals);
  const auto per_epoch = [&](std::optional<double> value) {
    return epochs && value ? exact_text(*value / *epochs) : std::string();
  };
  if (whole_job) table.set("epoch_seconds", per_epoch(seconds));
  table.set("energy_per_epoch_j", per_epoch(totals.energy_j));
}

void add_device_row(TableBuilder& table, Devices devices, const JobFacts& facts,
                    const std::vector<std::string>& columns, IngestRows rows, bool trimmed) {
  const std::string& job = devices.front().job;
  table.begin_row();
  table.set("job_id", job);
  if (rows != IngestRows::kJob) table.set("node", devices.front().node);
  if (rows == IngestRows::kGpu) table.set("gpu", devices.front().gpu);
  add_facts(table, facts, columns, job);
  Totals totals = totals_of(devices);
  const std::optional<double> seen_j = totals.energy_j;
  const bool is_part = rows == IngestRows::kJob && seen_j && !missing_part(devices, facts).empty();
  if (is_part) totals.energy_j.reset();  // A part is not the whole.
  table.set(figures_of(devices, totals));
  if (!names_gpus(facts)) table.set("gpus", std::to_string(gpu_count(devices)));
  add_epochs(table, facts, job, totals, rows == IngestRows::kJob);
  table.set(quality_of(devices, totals));
  if (trimmed) table.set("samples_trimmed", std::to_string(totals.trimmed));
  if (is_part) table.set("energy_seen_j", exact_text(seen_j));
}

/// Adds a record. A table of jobs may supply what the record lacks.
void add_record(TableBuilder& table, const JobRecord& record, const JobFacts& facts,
                const std::vector<std::string>& columns) {
  table.begin_row();
  table.set("job_id", record.job);
  add_facts(table, facts, columns, record.job);
  for (const auto& [name, text] : record.facts) {
    table.set(name, text.empty() ? std::string(facts.fact(record.job, name)) : text);
  }
}

std::vector<Devices> row_parts(Devices devices, IngestRows rows) {
  switch (rows) {
    case IngestRows::kJob:
      return table_parts(devices, same_job);
    case IngestRows::kNode:
      return table_parts(devices, same_node);
    case IngestRows::kGpu:
    case IngestRows::kStep:  // No sample has one.
      break;
  }
  return table_parts(devices, [](const DeviceRow&, const DeviceRow&) { return false; });
}

/// Jobs of which something has to be told: how many there are, and words on the first one.
struct OddJobs {
  std::string_view what;
  std::size_t count = 0;
  std::string first = {};

  void add(std::string words) {
    if (count++ == 0) first = std::move(words);
  }
};

/// The name of a column without its unit: "runtime_s" is "runtime".
std::string_view name_without_unit(std::string_view name) {
  const std::size_t mark = name.rfind('_');
  const bool has_unit = mark != std::string_view::npos && canonical_unit(name.substr(mark + 1));
  return has_unit ? name.substr(0, mark) : name;
}

/// A column of numbers.
struct MeasureColumn {
  std::size_t place = kNowhere;
  double factor = 1;  ///< To seconds, joules or watts.
};

/// The columns of a run table that tell the power of a GPU, by the names that programs and users
/// give them.
class MeasureColumns {
 public:
  explicit MeasureColumns(const std::vector<std::string>& names) {
    static constexpr std::string_view kTimes[] = {
        "duration",     "runtime",    "run_time",     "time",          "elapsed",
        "elapsed_time", "wall_time",  "walltime",     "training_time", "minutes",
        "seconds",      "total_time", "train_runtime"};
    static constexpr std::string_view kEnergies[] = {"energy", "total_energy", "energy_total",
                                                     "energy_consumed", "gpu_energy"};
    static constexpr std::string_view kJobTime[] = {"job_duration"};
    static constexpr std::string_view kJobEnergy[] = {"job_energy"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == "gpus_seen") gpus_.insert(gpus_.begin(), i);
      if (is_gpu_count(names[i]) || names[i] == "world_size") gpus_.push_back(i);
    }
    power_ = named(names, std::array{std::string_view("power_mean")}, Dimension::kPower);
    pairs_[0] = {named(names, kEnergies, Dimension::kEnergy),
                 named(names, kTimes, Dimension::kTime)};
    pairs_[1] = {named(names, kJobEnergy, Dimension::kEnergy),
                 named(names, kJobTime, Dimension::kTime)};
  }

  std::vector<double> watts_per_gpu(const std::vector<std::string>& row) const {
    std::vector<double> watts;
    if (const auto power = value_in(power_, row)) watts.push_back(*power);
    const auto gpus = gpus_in(row);
    for (const auto& [energy, time] : pairs_) {
      const auto joules = value_in(energy, row);
      const auto seconds = value_in(time, row);
      if (gpus && joules && seconds && *seconds > 0) watts.push_back(*joules / *seconds / *gpus);
    }
    return watts;
  }

 private:
  using Column = MeasureColumn;

  /// The first column of these names. Times without a unit are in seconds, and an energy without
  /// one may be in any.
  static Column named(const std::vector<std::string>& names,
                      std::span<const std::string_view> known, Dimension dimension) {
    for (const std::string_view one : known) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (name_without_unit(names[i]) != one) continue;
        const std::string_view unit = unit_in_name(names[i], dimension);
        if (const auto factor = in_base_units(unit, dimension)) return {i, *factor};
        if (unit.empty() && dimension == Dimension::kTime) return {i, 1};
      }
    }
    return {};
  }

  static std::optional<double> value_in(const Column& column, const std::vector<std::string>& row) {
    const auto value = column.place < row.size() ? parse_number(row[column.place]) : std::nullopt;
    return value ? std::optional(*value * column.factor) : std::nullopt;
  }

  std::optional<double> gpus_in(const std::vector<std::string>& row) const {
    for (const std::size_t place : gpus_) {
      const auto gpus = parse_number(row[place]);
      if (gpus && *gpus > 0) return gpus;
    }
    return std::nullopt;
  }

  std::vector<std::size_t> gpus_;  ///< The best one first.
  Column power_;
  std::array<std::pair<Column, Column>, 2> pairs_;  ///< Energies and the times that they are of.
};

}  // namespace

void RunTable::for_each_row(
    const std::function<void(const std::vector<std::string>&)>& take) const {
  for (const std::vector<std::string>& row : rows) take(row);
  for (const auto& [shared, places, steps] : curves) {
    std::vector<std::string> row = shared;
    for (std::size_t at = 0; at < steps.cells.size(); at += places.size()) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        const double value = steps.cells[at + i];
        row[places[i]].clear();
        if (std::isfinite(value)) append_exact(row[places[i]], value);
      }
      take(row);
    }
  }
}

std::size_t RunTable::row_count() const {
  std::size_t count = rows.size();
  for (const RunCurve& curve : curves) count += curve.steps.rows();
  return count;
}

RunTable run_table(const std::vector<DeviceRow>& devices, const std::vector<JobRecord>& records,
                   const JobFacts& facts, IngestRows rows, bool trimmed) {
  TableBuilder table;
  const std::vector<std::string> columns = fact_columns(facts, !devices.empty(), records);
  for (const Devices part : row_parts(devices, rows)) {
    add_device_row(table, part, facts, columns, rows, trimmed);
  }
  for (const JobRecord& record : records) {
    add_record(table, record, facts, columns);
    if (rows == IngestRows::kStep) table.make_curve(record.steps);
  }
  return table.finish();
}

void mark_deviants(std::vector<DeviceRow>& devices) {
  std::size_t begin = 0;
  for (const Devices job : table_parts(Devices(devices), same_job)) {
    const std::vector<bool> by_use = deviant_by(job, mean_sm);
    const std::vector<bool> by_power = deviant_by(job, mean_power);
    for (std::size_t i = 0; i < job.size(); ++i) {
      devices[begin + i].deviant = by_use[i] || by_power[i];
    }
    begin += job.size();
  }
}

std::vector<std::string> quality_warnings(const std::vector<DeviceRow>& devices,
                                          const JobFacts& facts) {
  constexpr double kLargeRange = 10;
  constexpr double kLargeShare = 0.05;
  OddJobs odd{"with GPUs unlike the others (3 robust standard deviations)"};
  OddJobs disagree{"whose nodes differ by more than 10 points of utilisation"};
  OddJobs missing{"with more than 5 % of the samples missing"};
  OddJobs partial{
      "measured in part, so that the energy is left empty, and energy_seen_j is that of the part"};
  OddJobs silent{"whose energy lacks the GPUs that logged no power"};
  for (const Devices job : table_parts(Devices(devices), same_job)) {
    const std::string& id = job.front().job;
    const auto deviant = std::ranges::find_if(job, &DeviceRow::deviant);
    if (deviant != job.end()) {
      odd.add(fmt::format("{}, GPU {}{}{}", id, deviant->gpu, deviant->node.empty() ? "" : " of ",
                          deviant->node));
    }
    const auto range = node_range(job);
    if (range && *range > kLargeRange) disagree.add(fmt::format("{}, {:.0f} points", id, *range));
    const Totals totals = totals_of(job);
    const std::string part = totals.energy_j ? missing_part(job, facts) : std::string();
    if (!part.empty()) partial.add(fmt::format("{}, {}", id, part));
    const std::size_t without = totals.energy_j ? without_power(job) : 0;
    if (without > 0) silent.add(fmt::format("{}, {} of {} GPUs", id, without, gpu_count(job)));
    if (totals.samples == 0) continue;
    const double share = missing_share(totals);
    if (share > kLargeShare) {
      missing.add(fmt::format("{}, {:.0f} % missing, longest interval {:.3g} s", id, 100 * share,
                              totals.longest_s));
    }
  }
  std::vector<std::string> warnings;
  for (const OddJobs& jobs : {partial, silent, odd, disagree, missing}) {
    if (jobs.count == 0) continue;
    warnings.push_back(
        fmt::format("{} {}, the first: {}", counted(jobs.count, "job"), jobs.what, jobs.first));
  }
  return warnings;
}

std::string implausible_power_warning(const RunTable& table) {
  constexpr double kLeast = 5;
  constexpr double kMost = 2000;
  const MeasureColumns columns(table.names);
  OddJobs odd{"with less than 5 W or more than 2,000 W per GPU"};
  for (const std::vector<std::string>& row : table.rows) {
    for (const double watts : columns.watts_per_gpu(row)) {
      if (watts >= kLeast && watts <= kMost) continue;
      odd.add(fmt::format("{}, {:.3g} W", row.front(), watts));
      break;
    }
  }
  if (odd.count == 0) return "";
  return fmt::format("{} {}: check units and the number of GPUs, the first: {}",
                     counted(odd.count, "row"), odd.what, odd.first);
}

}  // namespace scalelaw
