#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/clock.hpp"
#include "trace/formats.hpp"

// MLPerf Training logs, as in mlcommons' repositories training_results_<round>. Each run has a
// result file, <submitter>/results/<system>/<benchmark>/result_<n>.txt. <submitter>/systems
// describes the system, and power/result_<n> beside the result has power logs. There are three
// dialects:
//   :::MLPv0.5.0 resnet 1541720386.718659639 (<file>:49) run_start
//   :::MLL 1558570838.588 run_start: {"value": null, "metadata": {...}}
//   :::MLLOG {"time_ms": 1592968850012, "key": "run_start", "value": null, "metadata": {...}}

namespace scalelaw {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// --- JSON of logs and system files ---

constexpr int kDeepestJson = 64;

/// Python's words for numbers that JSON lacks.
constexpr std::string_view kNoNumbers[] = {"NaN", "Infinity", "-Infinity"};

/// The end of the string, comment, word of kNoNumbers or character at `at`.
std::size_t token_end(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const auto after = [&](std::size_t found, std::size_t length) {
    return found == std::string_view::npos ? text.size() : found + length;
  };
  if (rest.starts_with("//")) return after(text.find('\n', at), 0);
  if (rest.starts_with("/*")) return after(text.find("*/", at + 2), 2);
  for (const std::string_view word : kNoNumbers) {
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

/// The first JSON object of a text; null or discarded if it is malformed.
json parse_object(std::string_view text) {
  const std::optional<std::string> plain = object_text(text);
  return plain ? json::parse(*plain, nullptr, /*allow_exceptions=*/false) : json();
}

/// A member of an object; null if it is missing or this is no object.
const json& member(const json& object, const char* name) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? fmt::format("{}", value.get<double>()) : std::string();
}

/// A number, which may be in quotes.
std::optional<double> number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return parse_number(trimmed(value.get_ref<const std::string&>()));
  return std::nullopt;
}

std::string number_text(const json& value) { return exact_text(number_of(value)); }

// --- Lines ---

constexpr std::string_view kSystem = "system";  // Our key for :::SYSJSON, a whole system file.
constexpr std::array<std::string_view, 18> kKeys = {"run_start",
                                                    "run_stop",
                                                    "epoch_start",
                                                    "epoch_stop",
                                                    "block_start",
                                                    "block_stop",
                                                    "eval_accuracy",
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

/// The contents of a log line, in the words of the newest dialect.
struct Event {
  std::string_view key;  ///< One of kKeys, or kSystem.
  std::int64_t time_ns = 0;
  json value;
  json metadata;
};

/// The name if it is one of kKeys, else empty.
std::string_view known_key(std::string_view name) {
  const auto* const found = std::find(kKeys.begin(), kKeys.end(), name);
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
  const json& seconds = member(object, "time_s");
  if (!seconds.is_number()) return nanoseconds_of_milliseconds(member(object, "time_ms"));
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
  return Event{key, *time, member(object, "value"), member(object, "metadata")};
}

/// An event of v0.6, after ":::MLL".
std::optional<Event> mll_event(std::string_view text) {
  const auto time = unix_nanoseconds(take_word(text));
  const std::size_t colon = text.find(':');
  const std::string_view key = known_key(text.substr(0, colon));
  if (!time || key.empty() || colon == std::string_view::npos) return std::nullopt;
  const json object = parse_object(text.substr(colon + 1));
  if (!object.is_object()) return std::nullopt;
  return Event{key, *time, member(object, "value"), member(object, "metadata")};
}

/// v0.5 has no status, but some benchmarks log whether they were successful.
json status_of_v05(const json& logged) {
  const json& success = member(logged, "success");
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
  Event event{key, *time, member(object, "value"), object};
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

template <class Take>
void for_each_event(const std::string& path, Take take) {
  const InputFile file(path);
  const auto stream = open_stream(file);
  LineReader lines(*stream, file.name());
  while (const auto line = lines.next()) {
    if (const auto event = event_of(*line)) take(*event);
  }
}

// --- The system ---

struct Machine {
  std::string accelerator;
  std::optional<double> nodes;
  std::optional<double> accelerators;
  std::optional<double> processors = {};  ///< Of a system that has no accelerators.
};

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
    std::replace(plain.begin(), plain.end(), ' ', '_');
    if (plain == name) return value;
  }
  return none;
}

/// The machine of systems/<system>.json, since v0.7; also in the log as :::SYSJSON.
Machine machine_of_system(const json& system) {
  const auto nodes = number_of(system_member(system, "number_of_nodes"));
  const auto per_node = number_of(system_member(system, "accelerators_per_node"));
  Machine machine =
      machine_with(text_of(system_member(system, "accelerator_model_name")), nodes, per_node);
  const auto processors = number_of(system_member(system, "host_processors_per_node"));
  if (nodes && processors && *processors > 0 && per_node == 0.0) {
    machine.processors = *nodes * *processors;
  }
  return machine;
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
    const bool is_whole = at > 0 && kQuotes.find(dictionary[at - 1]) != std::string_view::npos &&
                          !rest.empty() && kQuotes.find(rest.front()) != std::string_view::npos;
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

/// The machine of v0.5 (entry.json) and v0.6 (submission_entry, and what systems call JSON). They
/// list kinds of nodes; v0.6 quotes a Python dictionary inside another one.
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

/// The text of a small file beside the log; empty if there is none.
std::string text_of_file(const fs::path& path) {
  constexpr std::size_t kMost = 1 << 20;
  if (!is_regular_file(path.string())) return {};
  const InputFile file(path.string());
  const auto stream = open_stream(file);
  std::string text;
  read_to(kMost, *stream, text);
  return text;
}

Machine machine_of_system_file(const fs::path& path) {
  const std::string text = text_of_file(path);
  const Machine machine = machine_of_system(parse_object(text));
  const bool is_told = machine.accelerators || machine.processors || !machine.accelerator.empty();
  return is_told ? machine : machine_of_entry(text);
}

/// v0.5 describes several benchmarks at once. Its number of nodes belongs to the largest run, so it
/// is not used for systems of several nodes.
Machine machine_of_entry_file(const fs::path& path) {
  Machine machine = machine_of_entry(text_of_file(path));
  if (machine.nodes && *machine.nodes > 1) {
    machine.nodes.reset();
    machine.accelerators.reset();
  }
  return machine;
}

// --- The result file ---

/// Parts of a run that a log opens and closes by a number: epochs, or blocks of epochs.
class Stretches {
 public:
  void open(const json& number, std::int64_t time_ns, std::optional<double> epochs) {
    if (epochs && *epochs > 0) open_[text_of(number)] = {time_ns, *epochs};
  }
  void close(const json& number, std::int64_t time_ns) {
    const auto found = open_.find(text_of(number));
    if (found == open_.end()) return;
    if (time_ns >= found->second.time_ns) {
      epochs_ += found->second.epochs;
      nanoseconds_ += static_cast<double>(time_ns - found->second.time_ns);
    }
    open_.erase(found);
  }
  bool empty() const { return epochs_ == 0; }
  double epochs() const { return epochs_; }
  double seconds_per_epoch() const { return nanoseconds_ / (1e9 * epochs_); }

 private:
  struct Open {
    std::int64_t time_ns;
    double epochs;
  };
  std::map<std::string, Open> open_;
  double epochs_ = 0;
  double nanoseconds_ = 0;
};

struct ResultLog {
  std::optional<std::int64_t> start_ns;  ///< Time of the first run_start.
  std::optional<std::int64_t> stop_ns;   ///< Time of the last run_stop.
  std::string status;
  std::map<std::string_view, std::string> facts;  ///< Texts and numbers by key.
  Machine entry;
  Machine system;
  Stretches epochs;
  Stretches blocks;
  bool says_something = false;  ///< The log describes a run.
  bool measures_power = false;

  bool is_power_log() const { return measures_power && !start_ns && !stop_ns; }
  bool has_run() const { return start_ns && stop_ns && *stop_ns >= *start_ns; }
  double run_nanoseconds() const { return static_cast<double>(*stop_ns - *start_ns); }
  std::string fact(std::string_view key) const {
    const auto found = facts.find(key);
    return found == facts.end() ? "" : found->second;
  }
};

void take_run(const Event& event, ResultLog& log) {
  if (event.key == "run_start" && !log.start_ns) log.start_ns = event.time_ns;
  if (event.key == "run_stop") {
    log.stop_ns = event.time_ns;
    log.status = text_of(member(event.metadata, "status"));
  }
}

void take_stretch(const Event& event, ResultLog& log) {
  const json& epoch = member(event.metadata, "epoch_num");
  const json& first_epoch = member(event.metadata, "first_epoch_num");
  if (event.key == "epoch_start") log.epochs.open(epoch, event.time_ns, 1);
  if (event.key == "epoch_stop") log.epochs.close(epoch, event.time_ns);
  if (event.key == "block_start") {
    log.blocks.open(first_epoch, event.time_ns, number_of(member(event.metadata, "epoch_count")));
  }
  if (event.key == "block_stop") log.blocks.close(first_epoch, event.time_ns);
}

void take_fact(const Event& event, ResultLog& log) {
  if (event.key == "submission_entry") log.entry = machine_of_entry(text_of(event.value));
  if (event.key == kSystem) log.system = machine_of_system(event.value);
  std::string& fact = log.facts[event.key];
  const bool is_text = event.key.starts_with("submission_");
  // The first value counts, but the accuracy is that of the last evaluation.
  if (fact.empty() || event.key == "eval_accuracy") {
    fact = is_text ? text_of(event.value) : number_text(event.value);
  }
}

bool is_of_power(std::string_view key) {
  return key.starts_with("power_") || key == "conversion_eff" || key == "interconnect_power_est";
}

ResultLog read_result_log(const std::string& path) {
  ResultLog log;
  for_each_event(path, [&](const Event& event) {
    (is_of_power(event.key) ? log.measures_power : log.says_something) = true;
    take_run(event, log);
    take_stretch(event, log);
    take_fact(event, log);
  });
  return log;
}

// --- Power ---

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
    const auto value = bounds ? 0.0 : number_of(event.value);
    if (is_of_power(event.key) && value) log.push_back({event.time_ns, event.key, *value});
  });
  std::stable_sort(log.begin(), log.end(),
                   [](const PowerEvent& a, const PowerEvent& b) { return a.time_ns < b.time_ns; });
  return log;
}

/// The logs of a folder whose names begin with `prefix`: "node_", "sw_".
std::vector<PowerLog> read_power_logs(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> paths;
  std::error_code error;
  auto entry = fs::directory_iterator(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
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

struct RunEnergy {
  std::size_t node_logs = 0;  ///< How many nodes have a power log.
  std::optional<double> nodes;
  std::optional<double> nodes_trapezoid;
  std::optional<double> switches;
};

RunEnergy read_energy(const fs::path& folder, const ResultLog& log) {
  RunEnergy energy;
  if (!log.has_run()) return energy;
  const double run_nanoseconds = log.run_nanoseconds();
  const std::vector<PowerLog> nodes = read_power_logs(folder, "node_");
  const std::vector<PowerLog> switches = read_power_logs(folder, "sw_");
  energy.node_logs = nodes.size();
  energy.nodes = sum_over(
      nodes, [&](const PowerLog& node) { return published_energy(node, run_nanoseconds); });
  energy.nodes_trapezoid = sum_over(nodes, [&](const PowerLog& node) {
    return trapezoid_energy(node, *log.start_ns, *log.stop_ns);
  });
  energy.switches =
      sum_over(switches, [&](const PowerLog& one) { return switch_energy(one, run_nanoseconds); });
  return energy;
}

// --- The place of a result file ---

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

struct Place {
  std::string job;
  std::string round;
  std::string submitter;
  std::string system;
  std::string benchmark;
  std::string run;
  std::string scaling;  ///< "strong" or "weak": MLPerf HPC keeps them apart.
  fs::path system_file;
  fs::path entry_file;
};

fs::path absolute_path(const std::string& path) {
  if (path == "-") return "/dev/stdin";  // Nothing stands beside it.
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return (error ? fs::path(path) : absolute).lexically_normal();
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

/// The first description that counts the accelerators, or else the first that names them.
Machine machine_of(const Place& place, const ResultLog& log) {
  const Machine told[] = {machine_of_system_file(place.system_file), log.entry,
                          machine_of_entry_file(place.entry_file), log.system};
  for (const Machine& machine : told) {
    if (machine.accelerators || machine.processors) return machine;
  }
  for (const Machine& machine : told) {
    if (!machine.accelerator.empty()) return machine;
  }
  return {};
}

// --- The record ---

std::string first_of(const std::string& place, const std::string& logged) {
  return place.empty() ? logged : place;
}

/// Whether some nodes of a run have a power log and others have none.
bool lacks_nodes(const RunEnergy& energy, const Machine& machine) {
  return energy.node_logs > 0 && machine.nodes &&
         static_cast<double>(energy.node_logs) < *machine.nodes;
}

/// A part of the nodes is not the whole: the energy of such a run is left empty, and the sum over
/// the nodes that are there goes by another name.
void add_energy(const RunEnergy& energy, bool is_part, JobRecord& record) {
  const auto add = [&](const char* name, std::optional<double> joules) {
    record.facts.emplace_back(name, exact_text(joules));
  };
  const std::optional<double> none;
  add("energy_j", is_part ? none : energy.nodes);
  add("energy_trapezoid_j", is_part ? none : energy.nodes_trapezoid);
  add("switch_energy_j", energy.switches);
  if (energy.node_logs == 0) return;
  record.facts.emplace_back("energy_nodes", std::to_string(energy.node_logs));
  if (is_part) add("energy_seen_j", energy.nodes);
}

JobRecord record_of(const std::string& path, const ResultLog& log, TraceNotes& notes) {
  const Place place = place_of(path);
  const fs::path folder = absolute_path(path).parent_path();
  const Machine machine = machine_of(place, log);
  const RunEnergy energy = read_energy(folder / "power" / origin_by_stem(path).job, log);
  const Stretches& epochs = log.epochs.empty() ? log.blocks : log.epochs;
  const json scaling = parse_object(text_of_file(folder / "scaling.json"));
  std::optional<double> minutes;
  if (log.has_run()) minutes = log.run_nanoseconds() / 60e9;
  JobRecord record{place.job,
                   {{"round", place.round},
                    {"submitter", first_of(place.submitter, log.fact("submission_org"))},
                    {"system", first_of(place.system, log.fact("submission_platform"))},
                    {"benchmark", first_of(place.benchmark, log.fact("submission_benchmark"))},
                    {"run", place.run},
                    {"status", log.stop_ns ? log.status : "incomplete"},
                    {"accelerator", machine.accelerator},
                    {"accelerators", exact_text(machine.accelerators)},
                    {"nodes", exact_text(machine.nodes)},
                    {"minutes", exact_text(minutes)},
                    {"global_batch_size", log.fact("global_batch_size")},
                    {"samples", log.fact("train_samples")},
                    {"epochs", epochs.empty() ? "" : exact_text(epochs.epochs())},
                    {"epoch_seconds", epochs.empty() ? "" : exact_text(epochs.seconds_per_epoch())},
                    {"eval_accuracy", log.fact("eval_accuracy")},
                    {"scaling_factor", number_text(member(scaling, "scaling_factor"))}}};
  const bool is_part = lacks_nodes(energy, machine);
  add_energy(energy, is_part, record);
  if (machine.processors) record.facts.emplace_back("processors", exact_text(machine.processors));
  if (!place.scaling.empty()) record.facts.emplace_back("scaling", place.scaling);
  if (is_part) {
    notes.note(TraceOddity::kPartOfNodes, 0,
               fmt::format("power logs of {} of {:g} nodes", energy.node_logs, *machine.nodes));
  }
  if (machine.processors) {
    notes.note(TraceOddity::kNoAccelerator, 0, fmt::format("{:g} processors", *machine.processors));
  }
  return record;
}

std::vector<JobRecord> read_records(const std::string& path, const TraceOptions&,
                                    TraceNotes& notes) {
  if (is_in_power_folder(path)) return {};
  const ResultLog log = read_result_log(path);
  if (log.is_power_log()) return {};
  if (!log.says_something) {
    throw DataError(fmt::format("{}: this MLPerf log says nothing about a run", input_name(path)));
  }
  return {record_of(path, log, notes)};
}

/// A log may begin with pages of other output; its first lines are then those of the harness.
bool recognises(std::string_view head) {
  constexpr std::string_view kBegins[] = {"MLLOG {", "MLPv0.", "SYSJSON {", "DLPAL "};
  for (std::size_t at = head.find(":::"); at != std::string_view::npos;
       at = head.find(":::", at + 1)) {
    const std::string_view rest = head.substr(at + 3);
    if (std::any_of(std::begin(kBegins), std::end(kBegins),
                    [&](std::string_view begin) { return rest.starts_with(begin); })) {
      return true;
    }
    if (rest.starts_with("MLL ") && rest.size() > 4 && is_digits(rest.substr(4, 1))) return true;
  }
  return false;
}

}  // namespace

const TraceFormat kMllog{.name = "mllog",
                         .title = "MLPerf Training log",
                         .recognises = recognises,
                         .read_records = read_records};

}  // namespace scalelaw
