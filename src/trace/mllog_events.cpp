#include "trace/mllog_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <vector>

#include "input/folder_reader.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"

// There are three dialects:
//   :::MLPv0.5.0 resnet 1541720386.718659639 (<file>:49) run_start
//   :::MLL 1558570838.588 run_start: {"value": null, "metadata": {...}}
//   :::MLLOG {"time_ms": 1592968850012, "key": "run_start", "value": null, "metadata": {...}}
namespace scalelaw::mllog {
namespace {

constexpr int kDeepestJson = 64;

/// Python's words for numbers that JSON lacks.
constexpr std::string_view kNoEventNumbers[] = {"NaN", "Infinity", "-Infinity"};

/// The end of the string, comment, word of kNoNumbers or character at `at`.
std::size_t token_end(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const auto after = [&](std::size_t found, std::size_t length) {
    return found == std::string_view::npos ? text.size() : found + length;
  };
  if (rest.starts_with("//")) return after(text.find('\n', at), 0);
  if (rest.starts_with("/*")) return after(text.find("*/", at + 2), 2);
  for (const std::string_view word : kNoEventNumbers) {
    if (rest.starts_with(word)) return at + word.size();
  }
  if (text[at] != '"') return at + 1;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

void drop_last_comma(std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last != std::string::npos && text[last] == ',') text.erase(last);
}

/// The first JSON object of a text, without comments and without commas before closing brackets,
/// and with null for NaN. Other output may follow it on a line and is ignored. Empty if it does not
/// end, or nests deeper than any log, so that no input can exhaust the stack.
std::optional<std::string> object_text(std::string_view text) {
  std::string out;
  int depth = 0;
  for (std::size_t at = std::min(text.find('{'), text.size()); at < text.size();) {
    const std::size_t end = token_end(text, at);
    const std::string_view token = text.substr(at, end - at);
    at = end;
    if (token.starts_with('/') && token.size() > 1) continue;
    if (token == "{" || token == "[") ++depth;
    if (depth > kDeepestJson) return std::nullopt;
    if (token == "}" || token == "]") {
      drop_last_comma(out);
      --depth;
    }
    const bool is_word = token.size() > 1 && !token.starts_with('"');  // One of kNoNumbers.
    out += is_word ? "null" : token;
    if (depth == 0) return out;
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 21> kKeys = {"run_start",
                                                    "run_stop",
                                                    "epoch_start",
                                                    "epoch_stop",
                                                    "block_start",
                                                    "block_stop",
                                                    "eval_accuracy",
                                                    "eval_error",
                                                    "number_of_nodes",
                                                    "accelerators_per_node",
                                                    "global_batch_size",
                                                    "train_samples",
                                                    "submission_org",
                                                    "submission_platform",
                                                    "submission_benchmark",
                                                    "submission_entry",
                                                    "power_measurement_start",
                                                    "power_measurement_stop",
                                                    "power_reading",
                                                    "conversion_eff",
                                                    "interconnect_power_est"};

/// The name if it is one of kKeys, else empty.
std::string_view known_key(std::string_view name) {
  const auto* const found = std::ranges::find(kKeys, name);
  return found == kKeys.end() ? std::string_view() : *found;
}

/// The key of an MLLOG object, found without parsing, because most lines do not matter.
std::string_view key_in(std::string_view object) {
  constexpr std::string_view kLabel = "\"key\"";
  const std::size_t label = object.find(kLabel);
  if (label == std::string_view::npos) return {};
  const std::size_t begin = object.find('"', label + kLabel.size());
  if (begin == std::string_view::npos) return {};
  return object.substr(begin + 1, object.find('"', begin + 1) - begin - 1);
}

std::optional<std::int64_t> nanoseconds_of_milliseconds(const json& value) {
  constexpr std::int64_t kMost = 9'000'000'000'000;  // The year 2255; still 64 bits of nanoseconds.
  if (!value.is_number()) return std::nullopt;
  const double milliseconds = value.get<double>();
  if (!(milliseconds >= 0 && milliseconds <= static_cast<double>(kMost))) return std::nullopt;
  if (value.is_number_integer()) return value.get<std::int64_t>() * 1'000'000;
  return nanoseconds_of_seconds(milliseconds / 1000);
}

/// The time of an MLLOG object. Alibaba's logs of v0.7 have seconds instead of milliseconds. They
/// have no more than six decimals, and a double keeps those of a time stamp.
std::optional<std::int64_t> time_of_event(const json& object) {
  const json& seconds = json_member(object, "time_s");
  if (!seconds.is_number()) return nanoseconds_of_milliseconds(json_member(object, "time_ms"));
  const auto time = nanoseconds_of_seconds(seconds.get<double>());
  return time && *time >= 0 ? std::optional((*time + 500) / 1000 * 1000) : std::nullopt;
}

std::optional<std::int64_t> unix_nanoseconds(std::string_view seconds) {
  const std::optional<std::int64_t> time = nanoseconds_of_seconds(seconds);
  return time && *time >= 0 ? time : std::nullopt;
}

/// Removes the next word from the text, with the blanks around it.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find(' '));
  text = trimmed(text.substr(word.size()));
  return word;
}

/// An event since v0.7, after ":::MLLOG".
std::optional<Event> mllog_event(std::string_view text) {
  const std::string_view key = known_key(key_in(text));
  if (key.empty()) return std::nullopt;
  const json object = parse_object(text);
  const auto time = time_of_event(object);
  if (!time) return std::nullopt;
  return Event{key, *time, json_member(object, "value"), json_member(object, "metadata")};
}

/// An event of v0.6, after ":::MLL".
std::optional<Event> mll_event(std::string_view text) {
  const auto time = unix_nanoseconds(take_word(text));
  const std::size_t colon = text.find(':');
  const std::string_view key = known_key(text.substr(0, colon));
  if (!time || key.empty() || colon == std::string_view::npos) return std::nullopt;
  const json object = parse_object(text.substr(colon + 1));
  if (!object.is_object()) return std::nullopt;
  return Event{key, *time, json_member(object, "value"), json_member(object, "metadata")};
}

/// v0.5 has no status, but some benchmarks log whether they were successful.
json status_of_v05(const json& logged) {
  const json& success = json_member(logged, "success");
  const bool failed = success.is_boolean() && !success.get<bool>();
  return {{"status", failed ? "aborted" : "success"}};
}

/// An event of v0.5, after ":::MLP": "v0.5.0 <benchmark> <seconds> (<file>:<line>) <key>[:
/// <value>]".
std::optional<Event> mlp_event(std::string_view text) {
  take_word(text);
  take_word(text);
  const auto time = unix_nanoseconds(take_word(text));
  if (text.starts_with('(')) text.remove_prefix(std::min(text.find(") "), text.size() - 1) + 1);
  text = trimmed(text);
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view key = known_key(text.substr(0, colon));
  if (!time || key.empty()) return std::nullopt;
  const std::string_view logged = trimmed(text.substr(std::min(colon + 1, text.size())));
  const json object = parse_object(logged);
  Event event{key, *time, json_member(object, "value"), object};
  if (const auto number = parse_number(logged)) event.value = *number;
  if (key == "run_stop") event.metadata = status_of_v05(object);
  return event;
}

/// An event from ":::SYSJSON", which some harnesses write first.
std::optional<Event> system_event(std::string_view text) {
  json system = parse_object(text);
  if (!system.is_object()) return std::nullopt;
  return Event{kSystem, 0, std::move(system), {}};
}

/// The event in a line; empty if there is none, or a malformed one. Schedulers and shells may write
/// before the marker: "12: :::MLLOG {...}".
std::optional<Event> event_of(std::string_view line) {
  for (std::size_t at = line.find(":::"); at != std::string_view::npos;
       at = line.find(":::", at + 1)) {
    const std::string_view rest = line.substr(at + 3);
    if (rest.starts_with("MLLOG")) return mllog_event(rest.substr(5));
    if (rest.starts_with("MLL ")) return mll_event(rest.substr(4));
    if (rest.starts_with("MLPv")) return mlp_event(rest.substr(3));
    if (rest.starts_with("SYSJSON")) return system_event(rest);
  }
  return std::nullopt;
}

}  // namespace

json parse_object(std::string_view text) {
  const std::optional<std::string> plain = object_text(text);
  return plain ? json::parse(*plain, nullptr, /*allow_exceptions=*/false) : json();
}

std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? fmt::format("{}", value.get<double>()) : std::string();
}

std::string number_text(const json& value) { return exact_text(json_number(value)); }

void for_each_event(const std::string& path, const std::function<void(const Event&)>& take) {
  NoNotes unused;
  NotedFile lines(path, unused);
  while (const auto line = lines.next()) {
    if (const auto event = event_of(*line)) take(*event);
  }
}

namespace {

namespace fs = std::filesystem;

/// v0.5 has a folder v0.5.0 above its submitters. Other rounds have no such folder.
bool is_v05_folder(std::string_view name) {
  return name.starts_with("v0.5.") && is_digits(name.substr(5));
}

/// "v4.0" for a folder v4.0 or training_results_v4.0, "v0.5" for v0.5.0; empty for other names.
std::string round_of(std::string_view name) {
  if (is_v05_folder(name)) return "v0.5";
  const std::size_t last = name.rfind('_');
  if (last != std::string_view::npos) name.remove_prefix(last + 1);
  const std::size_t point = std::min(name.find('.'), name.size() - 1);
  const bool is_round = name.starts_with('v') && point > 0 &&
                        is_digits(name.substr(1, point - 1)) && is_digits(name.substr(point + 1));
  return is_round ? std::string(name) : std::string();
}

/// The index of the submitter: above "results", or below the folder of v0.5.
std::size_t submitter_index(const std::vector<std::string>& parts, std::size_t results) {
  for (std::size_t i = 1; i < results; ++i) {
    if (is_v05_folder(parts[i - 1])) return i;
  }
  return results - 1;
}

/// The index of the folder "results" above a result file and its system; 0 if there is none.
std::size_t results_index(const std::vector<std::string>& parts) {
  constexpr std::size_t kDeepest = 6;  // results/<system>/weak/<benchmark>/pruned_results/<file>
  for (std::size_t up = 3; up <= std::min(kDeepest, parts.size()); ++up) {
    const std::size_t at = parts.size() - up;
    if (parts[at] == "results" && at >= 2) return at;
  }
  return 0;
}

/// What the folders between "results" and the file say: <system>[/<strong or weak>][/<benchmark>].
/// MLPerf HPC has the folder in the middle, and Alibaba's results of v0.7 have no benchmark.
void take_folders(const std::vector<std::string>& folders, Place& place) {
  place.system = folders.front();
  std::size_t at = 1;
  if (at < folders.size() && (folders[at] == "strong" || folders[at] == "weak")) {
    place.scaling = folders[at++];
  }
  if (at < folders.size()) place.benchmark = folders[at];
}

Machine machine_with(std::string_view accelerator, std::optional<double> nodes,
                     std::optional<double> per_node) {
  Machine machine{{}, nodes, {}};
  // A system may say that it has none.
  if (!is_missing(accelerator) && is_utf8(accelerator)) machine.accelerator = trimmed(accelerator);
  // 0 is no scale of a run: a system without accelerators has a number of processors instead.
  if (nodes && per_node && *per_node > 0) machine.accelerators = *nodes * *per_node;
  return machine;
}

/// A member of a system by its name, in which some submitters write blanks: "number of nodes".
const json& system_member(const json& system, std::string_view name) {
  static const json none;
  if (!system.is_object()) return none;
  for (const auto& [key, value] : system.items()) {
    std::string plain(trimmed(key));
    std::ranges::replace(plain, ' ', '_');
    if (plain == name) return value;
  }
  return none;
}

/// The value for 'key' in a dictionary as Python or JSON writes it, perhaps with escaped quotes.
/// Empty if the key is missing.
std::string_view entry_value(std::string_view dictionary, std::string_view key) {
  constexpr std::string_view kQuotes = "'\"\\";
  const auto skip = [](std::string_view& text, std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
  };
  for (std::size_t at = dictionary.find(key); at != std::string_view::npos;
       at = dictionary.find(key, at + 1)) {
    std::string_view rest = dictionary.substr(at + key.size());
    const bool is_whole = at > 0 && holds(kQuotes, dictionary[at - 1]) && !rest.empty() &&
                          holds(kQuotes, rest.front());
    if (!is_whole) continue;
    skip(rest, kQuotes);
    skip(rest, ": ");
    if (rest.starts_with('\\')) rest.remove_prefix(1);
    const bool is_quoted = rest.starts_with('\'') || rest.starts_with('"');
    if (is_quoted) rest.remove_prefix(1);
    return trimmed(rest.substr(0, rest.find_first_of(is_quoted ? kQuotes : ",}\r\n")));
  }
  return {};
}

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
  std::ranges::stable_sort(log, {}, &PowerEvent::time_ns);
  return log;
}

/// The logs of a folder whose names begin with `prefix`: "node_", "sw_".
std::vector<PowerLog> read_power_logs(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> paths;
  FolderReader reader(folder);
  while (const auto entry = reader.next()) {
    if (entry->path().filename().string().starts_with(prefix)) paths.push_back(entry->path());
  }
  std::ranges::sort(paths);  // Sums must not depend on the folder's order.
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

fs::path absolute_path(const std::string& path) {
  if (path == "-") return "/dev/stdin";  // Nothing stands beside it.
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return (error ? fs::path(path) : absolute).lexically_normal();
}

Place place_of(const std::string& path) {
  constexpr std::string_view kResult = "result_";
  const fs::path file = absolute_path(path);
  const std::vector<std::string> parts(file.begin(), file.end());
  Place place;
  place.job = origin_by_stem(path).job;
  if (place.job.starts_with(kResult)) place.run = place.job.substr(kResult.size());
  const std::size_t results = results_index(parts);
  if (place.run.empty() || results == 0) return place;

  const std::size_t submitter = submitter_index(parts, results);
  const auto at = [&](std::size_t i) { return parts.begin() + static_cast<std::ptrdiff_t>(i); };
  place.submitter = parts[submitter];
  take_folders({at(results + 1), parts.end() - 1}, place);
  const std::vector<std::string> folders(at(submitter), parts.end() - 1);
  for (std::size_t i = submitter; i > 0 && place.round.empty(); --i) {
    place.round = round_of(parts[i - 1]);
  }
  const std::string round = place.round.empty() ? "" : place.round + "/";
  place.job = round + joined(folders, "/") + "/" + place.job;
  fs::path submission;
  for (auto part = parts.begin(); part != at(results); ++part) submission /= *part;
  place.entry_file = submission / "results" / place.system / "entry.json";
  place.system_file = submission / "systems" / (place.system + ".json");
  return place;
}

bool is_in_power_folder(const std::string& path) {
  const fs::path file = absolute_path(path);
  const std::string name = file.filename().string();
  return (name.starts_with("node_") || name.starts_with("sw_")) &&
         file.parent_path().parent_path().filename() == "power";
}

Machine machine_of_system(const json& system) {
  const auto nodes = json_number(system_member(system, "number_of_nodes"));
  const auto per_node = json_number(system_member(system, "accelerators_per_node"));
  Machine machine =
      machine_with(text_of(system_member(system, "accelerator_model_name")), nodes, per_node);
  const auto processors = json_number(system_member(system, "host_processors_per_node"));
  if (nodes && processors && *processors > 0 && per_node == 0.0) {
    machine.processors = *nodes * *processors;
  }
  return machine;
}

Machine machine_of_entry(std::string_view entry) {
  constexpr std::string_view kNodes = "num_nodes";
  const std::size_t at = entry.find(kNodes);
  // There are several kinds of nodes, and nothing says which of them a run used.
  if (at == std::string_view::npos || entry.find(kNodes, at + 1) != std::string_view::npos)
    return {};
  const std::size_t begin = std::min(entry.rfind('{', at), at);
  const std::string_view node = entry.substr(begin, entry.find('}', at) - begin);
  return machine_with(entry_value(node, "accelerator"), parse_number(entry_value(node, kNodes)),
                      parse_number(entry_value(node, "num_accelerators")));
}

std::string small_text(const fs::path& path) {
  constexpr std::size_t kMost = 1 << 20;
  if (!is_regular_file(path.string())) return {};
  return rest_of(*OpenedFile(path.string()).stream, kMost);
}

Machine machine_of_system_file(const fs::path& path) {
  const std::string text = small_text(path);
  const Machine machine = machine_of_system(parse_object(text));
  const bool is_told = machine.accelerators || machine.processors || !machine.accelerator.empty();
  return is_told ? machine : machine_of_entry(text);
}

Machine machine_of_entry_file(const fs::path& path) {
  Machine machine = machine_of_entry(small_text(path));
  if (machine.nodes && *machine.nodes > 1) {
    machine.nodes.reset();
    machine.accelerators.reset();
  }
  return machine;
}

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
