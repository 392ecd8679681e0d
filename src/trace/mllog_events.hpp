#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
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

}  // namespace scalelaw::mllog
