#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string_view>

namespace scalelaw {

// Apart from the tests, because the parser takes the compiler a second in each of them.

/// @throws nlohmann::json::parse_error if it is no JSON document.
nlohmann::json parse_json(std::string_view text);
nlohmann::json parse_json(std::istream& in);

}  // namespace scalelaw
