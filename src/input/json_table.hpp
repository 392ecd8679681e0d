#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// Whether a text begins as JSON of objects: a list of them, JSON lines, or one object.
bool begins_as_json(std::string_view text);

/// The entries of a JSON document as the rows of a CSV table, whose columns are all their keys in
/// the order in which they first appear. Entries are the objects of a list, of JSON lines, or of
/// the only list of objects in an object. Keys of nested objects are joined by dots; null is an
/// empty cell, and a list is a cell with its text. Each entry is one row, so that row k + 1 of the
/// table (after the header) is entry k.
///
/// @param text  The whole document, which the stream keeps.
/// @param no_table  What is said of a document of saved fits.
/// @throws ParseError naming the line if it is no JSON, DataError if it holds no entries.
std::unique_ptr<ByteStream> csv_of_json(std::string text, std::string_view source,
                                        std::string_view no_table);

}  // namespace scalelaw
