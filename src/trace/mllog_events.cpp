#include "trace/mllog_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scalelaw/base/number.hpp"
#include "trace/clock.hpp"
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

}  // namespace scalelaw::mllog
