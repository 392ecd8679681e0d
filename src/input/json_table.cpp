#include "input/json_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "input/benchmark_tables.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kJsonBlanks = " \t\r\n";
constexpr int kDeepestObject = 64;

/// Appends a character by its code.
void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

/// Goes through a JSON text, one value after another.
class JsonCursor {
 public:
  JsonCursor(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  std::size_t at() const { return at_; }
  void move_to(std::size_t at) { at_ = at; }
  /// The next character behind blanks; NUL at the end.
  char peek() {
    at_ = std::min(text_.find_first_not_of(kJsonBlanks, at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool at_end() { return peek() == '\0' && at_ == text_.size(); }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void need(char wanted, std::string_view where) {
    if (!take(wanted)) refuse(fmt::format("'{}' {}", wanted, where));
  }

  /// Calls take_member(name) for each member; it has to move behind the member's value.
  template <class Take>
  void members(Take take_member) {
    need('{', "at the begin of an object");
    if (take('}')) return;
    do {
      if (peek() != '"') refuse("a key in quotes");
      const std::string name = string();
      need(':', "after the key " + scalelaw::quoted(name));
      take_member(name);
    } while (take(','));
    need('}', "or a comma between the members of an object");
  }

  /// The text of a string.
  std::string string() {
    std::string out;
    need('"', "at the begin of a text");
    for (;;) {
      const std::size_t plain = text_.find_first_of("\"\\\n", at_);
      if (plain == std::string_view::npos || text_[plain] == '\n') {
        at_ = std::min(plain, text_.size());
        refuse("the closing quote of a text");
      }
      out += text_.substr(at_, plain - at_);
      at_ = plain + 1;
      if (text_[plain] == '"') return out;
      unescape(out);
    }
  }

  /// Moves behind a value and returns its text.
  std::string_view skip_value(int depth = 0) {
    if (depth > kDeepestObject) refuse("at most 64 levels of lists and objects");
    const char first = peek();
    const std::size_t begin = at_;
    if (first == '{') {
      members([&](const std::string& /*name*/) { skip_value(depth + 1); });
    } else if (first == '[') {
      skip_list(depth);
    } else if (first == '"') {
      string();
    } else {
      return scalar();
    }
    return text_.substr(begin, at_ - begin);
  }

  /// A number, true, false or null; also NaN and Infinity, which Python writes.
  std::string_view scalar() {
    peek();
    const std::size_t end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    static constexpr std::string_view kWords[] = {"true", "false",    "null",
                                                  "NaN",  "Infinity", "-Infinity"};
    const bool known = std::ranges::find(kWords, word) != std::end(kWords);
    if (!known && !parse_number(word) && !is_infinite(word)) refuse("a value");
    at_ = end;
    return word;
  }

  [[noreturn]] void refuse(const std::string& expected) {
    peek();
    const auto line = static_cast<std::uint64_t>(
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
    throw parse_error(
        source_, line + 1, "JSON: expected {}, found {}", expected,
        at_ == text_.size() ? "the end of the file" : scalelaw::quoted(text_.substr(at_, 20)));
  }

 private:
  void skip_list(int depth) {
    need('[', "at the begin of a list");
    if (take(']')) return;
    do {
      skip_value(depth + 1);
    } while (take(','));
    need(']', "or a comma between the values of a list");
  }

  void unescape(std::string& out) {
    static constexpr std::string_view kNames = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char name = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t known = kNames.find(name);
    if (known != std::string_view::npos && name != '\0') {
      ++at_;
      out += kMeanings[known];
      return;
    }
    if (name != 'u') refuse("an escape such as \\n or \\u00e9");
    ++at_;
    std::uint32_t code = four_digits();
    const bool pair = code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u";
    if (pair) {
      at_ += 2;
      const std::uint32_t low = four_digits();
      if (low < 0xDC00 || low > 0xDFFF) refuse("the second half of a character");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xD800 && code < 0xE000) {
      refuse("the other half of a character");
    }
    append_utf8(out, code);
  }

  std::uint32_t four_digits() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      static constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
      const std::size_t digit =
          at_ < text_.size() ? kDigits.find(text_[at_]) : std::string_view::npos;
      if (digit == std::string_view::npos) refuse("four hexadecimal digits");
      code = code * 16 + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
    }
    return code;
  }

  std::string_view text_;
  std::string_view source_;
  std::size_t at_ = 0;
};

/// A member of the object at the begin of a document.
struct JsonMember {
  std::string name;
  std::size_t begin = 0;  ///< Where its value begins.
  std::string_view value;

  /// The first character inside a list or an object.
  char inside() const { return value[value.find_first_not_of(kJsonBlanks, 1)]; }
};

// Documents that hold a table by columns.

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
  throw data_error(
      "{}: a table by columns has lists of one length, but '{}' has {} and '{}' has {}", source,
      first, counted(length, "value"), other, counted(other_length, "value"));
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

/// The CSV of a document that holds a table by columns, or with keys beside it; empty if it holds
/// none. These are known: an object of lists of one length, where other values hold for every row;
/// an object of objects with the same keys, of which the outer or the inner ones are whole numbers
/// (to_json() of pandas, also with orient="index"); and columns beside data (orient="split").
/// @throws DataError if lists, and nothing else, have different lengths.
std::optional<std::string> csv_of_json_columns(std::span<const JsonMember> members,
                                               std::string_view source) {
  if (members.empty()) return std::nullopt;
  if (auto csv = csv_of_split(members, source)) return csv;
  if (auto csv = csv_of_objects(members, source)) return csv;
  return csv_of_lists(members, source);
}

/// The CSV of a list of lists, of which the first one holds names; empty if it is none.
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

// Documents of entries.

constexpr std::size_t kMostKeys = 100'000;

/// Where the entries of a document stand.
struct EntryPlace {
  std::size_t begin = 0;
  bool in_list = false;      ///< Behind the bracket of a list; otherwise one object after another.
  bool is_document = false;  ///< The list is the whole document.
};

[[noreturn]] void refuse_saved_fits(std::string_view source, std::string_view no_table) {
  throw data_error("{}: {}", source, no_table);
}

/// The members of the object at the begin, if nothing stands behind the object; else none.
std::vector<JsonMember> members_of_document(JsonCursor cursor, std::string_view source,
                                            std::string_view no_table) {
  std::vector<JsonMember> found;
  cursor.members([&](const std::string& name) {
    cursor.peek();
    const std::size_t begin = cursor.at();
    const std::string_view value = cursor.skip_value();
    if (name == "schema" && value.starts_with("\"scalelaw.")) refuse_saved_fits(source, no_table);
    if (name == "nbformat") {
      throw data_error("{} is a Jupyter notebook: save the table in it as CSV", source);
    }
    const bool again =
        std::ranges::any_of(found, [&](const JsonMember& member) { return member.name == name; });
    // In lines of objects this is the first of many, and its entry says so.
    if (again && value.starts_with('[')) {
      throw data_error("{}: the key '{}' has two lists: rename one of them", source, name);
    }
    found.push_back({name, begin, value});
  });
  if (!cursor.at_end()) found.clear();
  return found;
}

std::vector<std::string> names_of(const std::vector<JsonMember>& members) {
  std::vector<std::string> names;
  for (const JsonMember& member : members) names.push_back(member.name);
  return names;
}

/// The only list of objects among the members.
std::optional<EntryPlace> list_within(const std::vector<JsonMember>& members,
                                      std::string_view source) {
  std::vector<const JsonMember*> lists;
  for (const JsonMember& member : members) {
    if (member.value.front() == '[' && member.inside() == '{') lists.push_back(&member);
  }
  if (lists.empty()) return std::nullopt;
  if (lists.size() > 1) {
    throw data_error(
        "{}: it holds several lists of entries ({}): save one of them as a file of its own", source,
        joined_texts(lists, ", ", [](const JsonMember* member) { return member->name; }));
  }
  return EntryPlace{lists.front()->begin + 1, true};
}

/// What stands beside the only list of entries and holds for each of them: texts, numbers and truth
/// values, such as the date and the commit of a benchmark.
JsonColumns values_beside(const std::vector<JsonMember>& members, std::string_view source) {
  JsonColumns beside;
  for (const JsonMember& member : members) {
    JsonCursor cursor(member.value, source);
    if (auto cell = scalar_cell(cursor)) beside.add(member.name, {*std::move(cell)});
  }
  return beside;
}

/// The document's entries, one after another.
class JsonEntries {
 public:
  JsonEntries(std::string_view text, std::string_view source, EntryPlace place)
      : cursor_(text, source), place_(place) {
    rewind();
  }

  void rewind() {
    cursor_.move_to(place_.begin);
    first_ = true;
  }

  /// Calls take(key, cell) for each value of the next entry; false if there is none.
  template <class Take>
  bool next(Take take) {
    if (!move_to_entry()) return false;
    std::string path;
    take_object(path, 0, take);
    return true;
  }

 private:
  /// Another list behind the only one would be lost.
  bool end_list() {
    if (place_.is_document && !cursor_.at_end())
      cursor_.refuse("the end of the file after the list");
    return false;
  }

  bool move_to_entry() {
    const bool first = std::exchange(first_, false);
    if (!place_.in_list) {
      if (cursor_.at_end()) return false;
      if (!first) cursor_.take(',');  // Some write a comma after each line.
    } else {
      if (cursor_.take(']')) return end_list();
      if (!first) cursor_.need(',', "or ] after an entry");
    }
    if (cursor_.peek() != '{') cursor_.refuse("an object for each entry");
    return true;
  }

  template <class Take>
  void take_object(std::string& path, int depth, Take& take) {
    if (depth > kDeepestObject) cursor_.refuse("at most 64 levels of objects");
    cursor_.members([&](const std::string& name) {
      const std::size_t length = path.size();
      if (length > 0) path += '.';
      path += name;
      take_value(path, depth, take);
      path.resize(length);
    });
  }

  template <class Take>
  void take_value(std::string& path, int depth, Take& take) {
    const char first = cursor_.peek();
    if (first == '{') return take_object(path, depth + 1, take);
    if (first == '"') return take(path, cursor_.string());
    const std::string_view value = cursor_.skip_value();
    take(path, std::string(value == "null" ? "" : value));
  }

  JsonCursor cursor_;
  EntryPlace place_;
  bool first_ = true;
};

class OwnedText final : public ByteStream {
 public:
  explicit OwnedText(std::string text) : text_(std::move(text)) {}

  std::size_t read(char* out, std::size_t count) override {
    const std::size_t part = std::string_view(text_).substr(at_).copy(out, count);
    at_ += part;
    return part;
  }
  std::uint64_t consumed() const override { return at_; }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

class JsonTable final : public ByteStream {
 public:
  /// @param beside  Columns of one cell, which holds for each entry that has no other.
  JsonTable(std::string text, std::string_view source, EntryPlace place, JsonColumns beside)
      : text_(std::move(text)),
        source_(source),
        entries_(text_, source_, place),
        beside_(std::move(beside)) {
    find_columns();
    if (names_.empty()) throw data_error("{}: it has no entries with values", source_);
    for (const std::string& name : beside_.names) {
      if (places_.try_emplace(name, names_.size()).second) names_.push_back(name);
    }
    write_row(names_);
    entries_.rewind();
  }

  std::size_t read(char* out, std::size_t count) override {
    while (!ended_ && ready_.size() - begin_ < count) ended_ = !next_row();
    const std::size_t part = std::string_view(ready_).substr(begin_).copy(out, count);
    begin_ += part;
    if (begin_ == ready_.size()) {
      ready_.clear();
      begin_ = 0;
    }
    consumed_ += part;
    return part;
  }
  /// The document was read before its first row: the progress of it is known no better.
  std::uint64_t consumed() const override { return std::min(consumed_, text_.size()); }

 private:
  void find_columns() {
    while (entries_.next([&](const std::string& key, const std::string& /*cell*/) {
      if (!places_.try_emplace(key, names_.size()).second) return;
      if (names_.size() == kMostKeys) {
        throw data_error("{}: the entries have more than {} different keys", source_, kMostKeys);
      }
      names_.push_back(key);
    })) {
    }
  }

  bool next_row() {
    cells_.assign(names_.size(), {});
    seen_.assign(names_.size(), false);
    ++entry_;
    const bool found = entries_.next([&](const std::string& key, std::string cell) {
      const std::size_t place = places_.at(key);
      if (seen_[place]) {
        throw data_error("{}: entry {}: the key '{}' has two values", source_, entry_, key);
      }
      seen_[place] = true;
      cells_[place] = std::move(cell);
    });
    for (std::size_t i = 0; i < beside_.names.size(); ++i) {
      const std::size_t place = places_.at(beside_.names[i]);
      if (!seen_[place]) cells_[place] = beside_.cells[i].front();
    }
    if (found) write_row(cells_);
    return found;
  }

  void write_row(const std::vector<std::string>& cells) {
    const bool is_blank = cells.size() == 1 && cells.front().empty();
    if (is_blank) ready_ += "\"\"\n";  // An empty line is no row.
    if (!is_blank) append_delimited_row(ready_, cells, ',');
  }

  std::string text_;
  std::string source_;
  JsonEntries entries_;
  JsonColumns beside_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::string> cells_;
  std::vector<bool> seen_;
  std::uint64_t entry_ = 0;
  bool ended_ = false;
  std::string ready_;  ///< Written and not yet read.
  std::size_t begin_ = 0;
  std::size_t consumed_ = 0;
};

}  // namespace

bool begins_as_json(std::string_view text) {
  text = without_assignment(text);
  const auto next = [&text] {
    text.remove_prefix(std::min(text.find_first_not_of(kJsonBlanks), text.size()));
    const char first = text.empty() ? '\0' : text.front();
    if (!text.empty()) text.remove_prefix(1);
    return first;
  };
  const char first = next();
  const char second = next();
  if (first == '{') return second == '"' || second == '}' || second == '\0';
  return first == '[' && (second == '{' || second == ']' || second == '[');
}

std::unique_ptr<ByteStream> csv_of_json(std::string text, std::string_view source,
                                        std::string_view no_table) {
  const std::string_view document = without_assignment(text);
  if (document.size() < text.size()) text = std::string(document);
  JsonCursor cursor(text, source);
  const bool in_list = cursor.peek() == '[';
  EntryPlace place{cursor.at() + (in_list ? 1 : 0), in_list, in_list};
  std::optional<std::string> csv;
  JsonColumns beside;
  if (in_list) {
    csv = csv_of_json_rows(std::string_view(text).substr(cursor.at()), source);
  } else {
    const auto members = members_of_document(cursor, source, no_table);
    csv = csv_of_benchmarks(names_of(members), text, source);
    if (!csv) csv = csv_of_json_columns(members, source);
    if (const auto list = csv ? std::nullopt : list_within(members, source)) {
      place = *list;
      beside = values_beside(members, source);
    }
  }
  if (csv) return std::make_unique<OwnedText>(*std::move(csv));
  return std::make_unique<JsonTable>(std::move(text), source, place, std::move(beside));
}

}  // namespace scalelaw
