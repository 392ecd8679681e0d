#include "input/json_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

using JsonCells = std::vector<std::string>;

/// The cell of a text, a number, a truth value or null; empty for lists and objects.
std::optional<std::string> scalar_cell(JsonCursor& cursor) {
  const char first = cursor.peek();
  if (first == '{' || first == '[') return std::nullopt;
  if (first == '"') return cursor.string();
  const std::string_view value = cursor.scalar();
  return std::string(value == "null" ? "" : value);
}

/// The cells of a list of scalars; empty for everything else.
std::optional<JsonCells> cells_of_list(JsonCursor& cursor) {
  if (cursor.peek() != '[') return std::nullopt;
  cursor.take('[');
  JsonCells cells;
  if (cursor.take(']')) return cells;
  do {
    auto cell = scalar_cell(cursor);
    if (!cell) return std::nullopt;
    cells.push_back(*std::move(cell));
  } while (cursor.take(','));
  cursor.need(']', "or a comma between the values of a list");
  return cells;
}

struct KeyedCells {
  JsonCells keys;
  JsonCells cells;
};

/// The members of an object of scalars; empty for everything else.
std::optional<KeyedCells> cells_of_object(JsonCursor cursor) {
  if (cursor.peek() != '{') return std::nullopt;
  KeyedCells keyed;
  bool plain = true;
  cursor.members([&](const std::string& key) {
    auto cell = scalar_cell(cursor);
    plain = plain && cell.has_value();
    if (!cell) cursor.skip_value();
    keyed.keys.push_back(key);
    keyed.cells.push_back(cell.value_or(""));
  });
  return plain ? std::optional(std::move(keyed)) : std::nullopt;
}

bool is_whole(std::string_view key) {
  return !key.empty() && key.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether keys only number the rows: "0", "1", ...
bool numbers_rows(const JsonCells& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] != fmt::to_string(i)) return false;
  }
  return true;
}

/// A table by columns.
struct JsonColumns {
  JsonCells names;
  std::vector<JsonCells> cells;  ///< By column, then row.

  void add(std::string name, JsonCells own) {
    names.push_back(std::move(name));
    cells.push_back(std::move(own));
  }
  std::string csv() const {
    std::string out;
    append_delimited_row(out, names, ',');
    for (std::size_t row = 0; row < cells.front().size(); ++row) {
      JsonCells fields;
      for (const JsonCells& column : cells) fields.push_back(column[row]);
      const bool is_blank = fields.size() == 1 && fields.front().empty();
      if (is_blank) out += "\"\"\n";  // An empty line is no row.
      if (!is_blank) append_delimited_row(out, fields, ',');
    }
    return out;
  }
};

[[noreturn]] void refuse_lengths(std::string_view source, const std::string& first,
                                 std::size_t length, const std::string& other,
                                 std::size_t other_length) {
  throw DataError(
      fmt::format("{}: a table by columns has lists of one length, but '{}' has {} and '{}' has {}",
                  source, first, counted(length, "value"), other, counted(other_length, "value")));
}

/// {"gpus": [1, 2], "seconds": [30, 16], "model": "BERT"}
std::optional<std::string> csv_of_lists(std::span<const JsonMember> members,
                                        std::string_view source) {
  std::vector<std::pair<const JsonMember*, JsonCells>> lists;
  bool only_lists = true;
  for (const JsonMember& member : members) {
    JsonCursor cursor(member.value, source);
    only_lists = only_lists && member.value.front() == '[';
    if (member.value.front() == '{') return std::nullopt;
    if (member.value.front() != '[') continue;
    auto cells = cells_of_list(cursor);
    if (!cells) return std::nullopt;
    lists.emplace_back(&member, *std::move(cells));
  }
  if (lists.empty() || lists.front().second.size() < 2) return std::nullopt;
  const std::size_t rows = lists.front().second.size();
  for (const auto& [member, cells] : lists) {
    if (cells.size() == rows) continue;
    if (!only_lists) return std::nullopt;
    refuse_lengths(source, lists.front().first->name, rows, member->name, cells.size());
  }
  JsonColumns table;
  auto list = lists.begin();
  for (const JsonMember& member : members) {
    JsonCursor cursor(member.value, source);
    const bool is_list = list != lists.end() && list->first == &member;
    table.add(member.name, is_list ? std::move((list++)->second)
                                   : JsonCells(rows, scalar_cell(cursor).value_or("")));
  }
  return table.csv();
}

/// {"gpus": {"0": 1, "1": 2}, "seconds": {"0": 30, "1": 16}}, or {"0": {"gpus": 1, ...}, ...}
std::optional<std::string> csv_of_objects(std::span<const JsonMember> members,
                                          std::string_view source) {
  JsonCells outer;
  std::vector<KeyedCells> inner;
  for (const JsonMember& member : members) {
    auto keyed = cells_of_object(JsonCursor(member.value, source));
    if (!keyed || (!inner.empty() && keyed->keys != inner.front().keys)) return std::nullopt;
    outer.push_back(member.name);
    inner.push_back(*std::move(keyed));
  }
  if (inner.empty() || inner.front().keys.empty()) return std::nullopt;
  const JsonCells& keys = inner.front().keys;
  JsonColumns table;
  if (keys.size() > 1 && std::ranges::all_of(keys, is_whole)) {
    if (!numbers_rows(keys)) table.add("index", keys);
    for (std::size_t i = 0; i < outer.size(); ++i) table.add(outer[i], std::move(inner[i].cells));
    return table.csv();
  }
  if (outer.size() < 2 || !std::ranges::all_of(outer, is_whole)) return std::nullopt;
  if (!numbers_rows(outer)) table.add("index", outer);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    JsonCells column;
    for (const KeyedCells& row : inner) column.push_back(row.cells[i]);
    table.add(keys[i], std::move(column));
  }
  return table.csv();
}

/// Adds the rows of a list of lists; false if it is none, or a row has another length.
bool add_rows(JsonCursor& cursor, JsonColumns& table) {
  if (!cursor.take('[')) return false;
  if (cursor.take(']')) return true;
  do {
    auto row = cells_of_list(cursor);
    if (!row || row->size() != table.cells.size()) return false;
    for (std::size_t i = 0; i < row->size(); ++i) table.cells[i].push_back(std::move((*row)[i]));
  } while (cursor.take(','));
  return true;
}

/// {"columns": ["gpus", "seconds"], "index": [0, 1], "data": [[1, 30], [2, 16]]}
std::optional<std::string> csv_of_split(std::span<const JsonMember> members,
                                        std::string_view source) {
  const auto member_named = [&](std::string_view name) {
    return std::ranges::find(members, name, &JsonMember::name);
  };
  const auto names = member_named("columns");
  const auto data = member_named("data");
  if (names == members.end() || data == members.end()) return std::nullopt;
  JsonCursor of_names(names->value, source);
  auto columns = cells_of_list(of_names);
  if (!columns || columns->empty()) return std::nullopt;
  JsonColumns table{*std::move(columns), {}};
  table.cells.resize(table.names.size());
  JsonCursor rows(data->value, source);
  if (!add_rows(rows, table)) return std::nullopt;
  const auto index = member_named("index");
  if (index != members.end()) {
    JsonCursor cursor(index->value, source);
    auto keys = cells_of_list(cursor);
    const bool fits = keys && keys->size() == table.cells.front().size();
    if (fits && !numbers_rows(*keys)) table.add("index", *std::move(keys));
  }
  return table.csv();
}

}  // namespace

std::optional<std::string> csv_of_json_columns(std::span<const JsonMember> members,
                                               std::string_view source) {
  if (members.empty()) return std::nullopt;
  if (auto csv = csv_of_split(members, source)) return csv;
  if (auto csv = csv_of_objects(members, source)) return csv;
  return csv_of_lists(members, source);
}

std::optional<std::string> csv_of_json_rows(std::string_view list, std::string_view source) {
  JsonCursor cursor(list, source);
  cursor.take('[');
  const bool of_texts =
      cursor.peek() == '[' && JsonMember{{}, {}, list.substr(cursor.at())}.inside() == '"';
  auto names = of_texts ? cells_of_list(cursor) : std::nullopt;
  if (!names) return std::nullopt;
  JsonColumns table{*std::move(names), {}};
  table.cells.resize(table.names.size());
  while (cursor.take(',')) {
    auto row = cells_of_list(cursor);
    if (!row || row->size() != table.names.size()) {
      cursor.refuse(fmt::format("a list of {} for each row", counted(table.names.size(), "value")));
    }
    for (std::size_t i = 0; i < row->size(); ++i) table.cells[i].push_back(std::move((*row)[i]));
  }
  cursor.need(']', "or a comma after a row");
  if (!cursor.at_end()) cursor.refuse("the end of the file after the list");
  return table.csv();
}

}  // namespace scalelaw
