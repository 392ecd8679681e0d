#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// The lines of MLPerf's logs, and the JSON in them and in the files beside them.
namespace scalelaw::mllog {

using nlohmann::json;

/// The first JSON object of a text, without comments and without commas before closing brackets;
/// other output may follow it. Null or discarded if it is malformed.
json parse_object(std::string_view text);
/// A text, or a number as text; empty for other values.
std::string text_of(const json& value);
/// A number, which may be in quotes.
std::string number_text(const json& value);

/// The key of :::SYSJSON, a whole system file; ours.
inline constexpr std::string_view kSystem = "system";

/// The contents of a log line, in the words of the newest dialect.
struct Event {
  std::string_view key;  ///< A known key such as run_start, or kSystem.
  std::int64_t time_ns = 0;
  json value;
  json metadata;
};

/// Calls take(event) for each event of a log whose key matters here.
/// @throws DataError if the file cannot be read.
void for_each_event(const std::string& path, const std::function<void(const Event&)>& take);

struct Place {
  std::string job;
  std::string round;
  std::string submitter;
  std::string system;
  std::string benchmark;
  std::string run;
  std::string scaling;  ///< "strong" or "weak": MLPerf HPC keeps them apart.
  std::filesystem::path system_file;
  std::filesystem::path entry_file;
};

/// The place of a result file. Of a file elsewhere only the job is known: its name.
Place place_of(const std::string& path);

/// The path from the root; that of standard input has no folder.
std::filesystem::path absolute_path(const std::string& path);

/// Whether a file is a power log beside a result.
bool is_in_power_folder(const std::string& path);

struct Machine {
  std::string accelerator;
  std::optional<double> nodes;
  std::optional<double> accelerators;
  std::optional<double> processors = {};  ///< Of a system that has no accelerators.
};

/// The machine of systems/<system>.json, since v0.7; also in the log as :::SYSJSON.
Machine machine_of_system(const json& system);

/// The machine of v0.5 (entry.json) and v0.6 (submission_entry, and what systems call JSON). They
/// list kinds of nodes; v0.6 quotes a Python dictionary inside another one.
Machine machine_of_entry(std::string_view entry);

/// The machine of a system file, in either form; nothing if there is none.
Machine machine_of_system_file(const std::filesystem::path& path);

/// v0.5 describes several benchmarks at once. Its number of nodes belongs to the largest run, so it
/// is not used for systems of several nodes.
Machine machine_of_entry_file(const std::filesystem::path& path);

/// The text of a small file beside the log; empty if there is none.
std::string small_text(const std::filesystem::path& path);

/// Whether a key is one of power logs.
bool is_of_power(std::string_view key);

/// Joules of a run, by the rule of MLPerf and by the trapezoid rule; empty without readings.
struct RunEnergy {
  std::size_t node_logs = 0;  ///< How many nodes have a power log.
  std::optional<double> nodes;
  std::optional<double> nodes_trapezoid;
  std::optional<double> switches;
};

/// Reads the power logs in a folder, of nodes and switches, over a run.
RunEnergy read_energy(const std::filesystem::path& folder, std::int64_t start_ns,
                      std::int64_t stop_ns);

}  // namespace scalelaw::mllog
