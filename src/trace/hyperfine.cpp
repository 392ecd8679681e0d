#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"

// The JSON of hyperfine --export-json (src/benchmark/benchmark_result.rs): a result per command,
// with the times of all its runs:
//   {"results": [{"command": "sleep 1", "mean": 1.0, "times": [1.0, ...], "exit_codes": [0, ...],
//                 "parameters": {"threads": "4"}}]}
// Version 2 has a list of measurements instead:
//   "measurements": [{"time_wall_clock": {"value": 1.0, "unit": "second"}, "exit_code": 0}, ...]

namespace scalelaw {
namespace {

using nlohmann::json;

bool recognises_hyperfine(std::string_view head) {
  return has_json_keys(head, {"results", "command", "mean", "stddev"}) ||
         has_json_keys(head, {"results", "command", "measurements", "time_wall_clock"});
}

/// A run of a command.
struct Timing {
  std::optional<double> seconds;
  std::optional<double> user;
  std::optional<double> system;
  std::string memory;
  bool is_failed = false;  ///< It ended with another status than 0, and was measured all the same.
};

/// A member of a list; null beyond its end.
const json& item(const json& list, std::size_t place) {
  static const json none;
  return list.is_array() && place < list.size() ? list[place] : none;
}

bool is_failed(const json& exit_code) { return exit_code.is_number() && exit_code != 0; }

std::optional<double> value_of(const json& measurement, const char* name) {
  return json_number(json_member(json_member(measurement, name), "value"));
}

/// The runs of a command. User and system times of version 1 are means, and so is the only time of
/// a result without a list.
std::vector<Timing> timings_of(const json& result) {
  std::vector<Timing> timings;
  for (const json& measurement : json_member(result, "measurements")) {
    timings.push_back({value_of(measurement, "time_wall_clock"), value_of(measurement, "time_user"),
                       value_of(measurement, "time_system"),
                       exact_text(value_of(measurement, "memory_peak_resident")),
                       is_failed(json_member(measurement, "exit_code"))});
  }
  if (!timings.empty()) return timings;
  const json& times = json_member(result, "times");
  const json& codes = json_member(result, "exit_codes");
  const json& memory = json_member(result, "memory_usage_byte");
  const std::size_t count = times.is_array() && !times.empty() ? times.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const json& time = times.is_array() && !times.empty() ? times[i] : json_member(result, "mean");
    timings.push_back({json_number(time), json_number(json_member(result, "user")),
                       json_number(json_member(result, "system")), json_cell(item(memory, i)),
                       is_failed(item(codes, i))});
  }
  return timings;
}

/// Adds a row per run of a command.
void add_result(const json& result, const std::string& path, int number, TraceNotes& notes,
                std::vector<JobRecord>& records) {
  const std::string command = json_cell(json_member(result, "command"));
  const json& parameters = json_member(result, "parameters");
  std::size_t repeat = 0;
  for (const Timing& timing : timings_of(result)) {
    ++repeat;
    if (timing.is_failed) {
      notes.note(TraceOddity::kFailedRun, 0, command);
      continue;
    }
    RunFacts facts;
    facts.add("command", command);
    if (parameters.is_object()) add_json_facts(parameters, "", facts, "parameter");
    facts.add("repeat", std::to_string(repeat));
    facts.add("duration_s", exact_text(timing.seconds));
    facts.add("user_s", exact_text(timing.user));
    facts.add("system_s", exact_text(timing.system));
    facts.add("memory_bytes", timing.memory);
    records.push_back(
        {fmt::format("{}-{}-{}", origin_by_stem(path).job, number, repeat), facts.take(), path});
  }
}

std::string missing_in_hyperfine(std::string_view head) {
  return has_json_keys(head, {"results", "command"}) ? "no result has mean and stddev" : "";
}

std::vector<JobRecord> read_hyperfine(const std::string& path, const TraceOptions&,
                                      TraceNotes& notes) {
  const json document = parse_json(text_of_file(path), path);
  std::vector<JobRecord> records;
  int count = 0;
  for (const json& result : json_member(document, "results")) {
    add_result(result, path, ++count, notes, records);
  }
  return records;
}

}  // namespace

const TraceFormat kHyperfine{.name = "hyperfine",
                             .title = "hyperfine result",
                             .recognises = recognises_hyperfine,
                             .read_records = read_hyperfine,
                             .missing = missing_in_hyperfine};

}  // namespace scalelaw
