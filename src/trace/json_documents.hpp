#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "trace/run_facts.hpp"

// JSON that trackers and benchmarks write.
namespace scalelaw {

/// The text of a file, decompressed. @throws DataError if it cannot be read.
std::string text_of_file(const std::string& path);

/// The value of a text. NaN and Infinity, which Python writes, count as null.
/// @throws ParseError naming the line if it is no JSON, nests deeper than 64 levels or has a number
/// that no double holds.
nlohmann::json parse_json(std::string_view text, std::string_view source);

/// The same, or a value that is_discarded() where parse_json throws.
nlohmann::json parse_json_if_any(std::string_view text);

/// A member of an object; null if it is missing or this is no object.
const nlohmann::json& json_member(const nlohmann::json& object, const char* name);

/// The text of a value as a cell: numbers in their shortest form, lists as JSON, null as "".
std::string json_cell(const nlohmann::json& value);
/// A number, also one in quotes.
std::optional<double> json_number(const nlohmann::json& value);

/// Adds the values of an object, with the names of nested ones joined by dots.
/// @param kind  RunFacts::add.
void add_json_facts(const nlohmann::json& object, const std::string& name, RunFacts& facts,
                    std::string_view kind);

/// Adds what describes a run: the members of an object that are texts, numbers or booleans. Lists
/// of libraries and other long texts are left out.
/// @param but         A member that is no description.
/// @param long_names  Gets the names of what is left out.
void add_description(const nlohmann::json& object, std::string_view but, RunFacts& facts,
                     std::set<std::string>& long_names);

/// Whether a text is one JSON object with members of these names in its beginning, which may be
/// cut. Names are looked for where keys stand, at any depth.
bool has_json_keys(std::string_view head, std::initializer_list<std::string_view> keys);

}  // namespace scalelaw
