#include "trace/mllog_power.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "input/folder_reader.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/json_documents.hpp"
#include "trace/mllog_events.hpp"

namespace scalelaw::mllog {
namespace {

namespace fs = std::filesystem;

struct PowerEvent {
  std::int64_t time_ns;
  std::string_view key;
  double value;  ///< Watts of a reading or an estimate.
};

/// The log of a node or a switch, sorted by time. Events of one time keep their order.
using PowerLog = std::vector<PowerEvent>;

PowerLog read_power_log(const fs::path& path) {
  PowerLog log;
  if (!is_regular_file(path.string())) return log;
  for_each_event(path.string(), [&](const Event& event) {
    const bool bounds = event.key.starts_with("power_measurement_");
    const auto value = bounds ? 0.0 : json_number(event.value);
    if (is_of_power(event.key) && value) log.push_back({event.time_ns, event.key, *value});
  });
  std::stable_sort(log.begin(), log.end(),
                   [](const PowerEvent& a, const PowerEvent& b) { return a.time_ns < b.time_ns; });
  return log;
}

/// The logs of a folder whose names begin with `prefix`: "node_", "sw_".
std::vector<PowerLog> read_power_logs(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> paths;
  FolderReader reader(folder);
  while (const auto entry = reader.next()) {
    if (entry->path().filename().string().starts_with(prefix)) paths.push_back(entry->path());
  }
  std::sort(paths.begin(), paths.end());  // Sums must not depend on the folder's order.
  std::vector<PowerLog> logs;
  logs.reserve(paths.size());
  for (const fs::path& path : paths) {
    try {
      logs.push_back(read_power_log(path));
    } catch (const Error&) {
      logs.emplace_back();  // Without readings, so the run has no energy. The file gets its own
                            // message.
    }
  }
  return logs;
}

double conversion_efficiency(const PowerLog& log) {
  double efficiency = 1;
  for (const PowerEvent& event : log) {
    if (event.key == "conversion_eff") efficiency = event.value;
  }
  return efficiency;
}

/// Joules by the rule of MLPerf's result summarizer. Each reading holds from the one before it, and
/// the mean power of the measurement multiplies the time to train. Empty without a reading, or if
/// start and stop have the same time.
std::optional<double> published_energy(const PowerLog& log, double run_nanoseconds) {
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> stop;
  std::int64_t previous = 0;
  bool has_reading = false;
  double watt_nanoseconds = 0;
  for (const PowerEvent& event : log) {
    if (event.key == "power_measurement_start") start = previous = event.time_ns;
    if (event.key == "power_measurement_stop") stop = event.time_ns;
    if (event.key == "power_reading" && start && !stop) {
      watt_nanoseconds += event.value * static_cast<double>(event.time_ns - previous);
      previous = event.time_ns;
      has_reading = true;
    }
  }
  if (!stop) stop = previous;
  if (!has_reading || *stop <= *start) return std::nullopt;
  return conversion_efficiency(log) * watt_nanoseconds * (run_nanoseconds / 1e9) /
         static_cast<double>(*stop - *start);
}

/// Joules between two readings within a run, with linear power between them.
double joules_within(const PowerEvent& a, const PowerEvent& b, std::int64_t begin,
                     std::int64_t end) {
  const auto power_at = [&](std::int64_t time_ns) {
    return a.value + (b.value - a.value) * static_cast<double>(time_ns - a.time_ns) /
                         static_cast<double>(b.time_ns - a.time_ns);
  };
  return (power_at(begin) + power_at(end)) / 2 * static_cast<double>(end - begin) / 1e9;
}

/// Joules of a run by the trapezoid rule over a node's readings, interpolated at its start and end,
/// without conversion_eff. Empty if no two readings enclose a part of the run, as the clocks of
/// nodes may differ by hours.
std::optional<double> trapezoid_energy(const PowerLog& log, std::int64_t start_ns,
                                       std::int64_t stop_ns) {
  const PowerEvent* previous = nullptr;
  double joules = 0;
  bool covers = false;
  for (const PowerEvent& event : log) {
    if (event.key != "power_reading") continue;
    const std::int64_t begin = previous ? std::max(previous->time_ns, start_ns) : event.time_ns;
    const std::int64_t end = std::min(event.time_ns, stop_ns);
    if (begin < end) {
      joules += joules_within(*previous, event, begin, end);
      covers = true;
    }
    previous = &event;
  }
  return covers ? std::optional(joules) : std::nullopt;
}

/// Joules of a switch: its estimated power over the time to train, or as for a node.
std::optional<double> switch_energy(const PowerLog& log, double run_nanoseconds) {
  for (const PowerEvent& event : log) {
    if (event.key == "interconnect_power_est") {
      return conversion_efficiency(log) * event.value * run_nanoseconds / 1e9;
    }
  }
  return published_energy(log, run_nanoseconds);
}

/// The sum over logs. Empty if there are none or one has no energy, since a part is not the whole.
template <class Energy>
std::optional<double> sum_over(const std::vector<PowerLog>& logs, Energy energy_of) {
  if (logs.empty()) return std::nullopt;
  double joules = 0;
  for (const PowerLog& log : logs) {
    const std::optional<double> energy = energy_of(log);
    if (!energy) return std::nullopt;
    joules += *energy;
  }
  return joules;
}

}  // namespace

bool is_of_power(std::string_view key) {
  return key.starts_with("power_") || key == "conversion_eff" || key == "interconnect_power_est";
}

RunEnergy read_energy(const fs::path& folder, std::int64_t start_ns, std::int64_t stop_ns) {
  RunEnergy energy;
  const auto run_nanoseconds = static_cast<double>(stop_ns - start_ns);
  const std::vector<PowerLog> nodes = read_power_logs(folder, "node_");
  const std::vector<PowerLog> switches = read_power_logs(folder, "sw_");
  energy.node_logs = nodes.size();
  energy.nodes = sum_over(
      nodes, [&](const PowerLog& node) { return published_energy(node, run_nanoseconds); });
  energy.nodes_trapezoid = sum_over(
      nodes, [&](const PowerLog& node) { return trapezoid_energy(node, start_ns, stop_ns); });
  energy.switches =
      sum_over(switches, [&](const PowerLog& one) { return switch_energy(one, run_nanoseconds); });
  return energy;
}

}  // namespace scalelaw::mllog
