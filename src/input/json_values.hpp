#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// The values of a JSON document that is held as a tree.
namespace scalelaw {

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

/// Whether a text is one JSON object with members of these names in its beginning, which may be
/// cut. Names are looked for where keys stand, at any depth.
bool has_json_keys(std::string_view head, std::initializer_list<std::string_view> keys);

}  // namespace scalelaw
