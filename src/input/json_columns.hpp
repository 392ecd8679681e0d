#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "input/json_cursor.hpp"

namespace scalelaw {

/// The CSV of a document that holds a table by columns, or with keys beside it; empty if it holds
/// none. These are known: an object of lists of one length, where other values hold for every row;
/// an object of objects with the same keys, of which the outer or the inner ones are whole numbers
/// (to_json() of pandas, also with orient="index"); and columns beside data (orient="split").
/// @throws DataError if lists, and nothing else, have different lengths.
std::optional<std::string> csv_of_json_columns(std::span<const JsonMember> members,
                                               std::string_view source);

/// The CSV of a list of lists, of which the first one holds names; empty if it is none.
std::optional<std::string> csv_of_json_rows(std::string_view list, std::string_view source);

}  // namespace scalelaw
