#include "input/json_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "input/container.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kJsonBlanks = " \t\r\n";
constexpr int kDeepestObject = 64;
constexpr std::size_t kMostKeys = 100'000;

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
  JsonCursor(std::string_view text, std::string_view source) : text_(text), source_(source) {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

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
      need(':', "after the key " + quoted(name));
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
    const bool known = std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
    if (!known && !parse_number(word) && !is_infinite(word)) refuse("a value");
    at_ = end;
    return word;
  }

  [[noreturn]] void refuse(const std::string& expected) {
    peek();
    const auto line = static_cast<std::uint64_t>(
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
    throw ParseError(
        source_, line + 1,
        fmt::format("JSON: expected {}, found {}", expected,
                    at_ == text_.size() ? "the end of the file" : quoted(text_.substr(at_, 20))));
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

/// Where the entries of a document stand.
struct EntryPlace {
  std::size_t begin = 0;
  bool in_list = false;  ///< Behind the bracket of a list; otherwise one object after another.
};

[[noreturn]] void refuse_saved_fits(std::string_view source, std::string_view no_table) {
  throw DataError(fmt::format("{}: {}", source, no_table));
}

/// The only list of objects in the object at the begin, if nothing stands behind the object.
std::optional<EntryPlace> list_within(JsonCursor cursor, std::string_view source,
                                      std::string_view no_table) {
  std::vector<std::pair<std::string, std::size_t>> lists;
  cursor.members([&](const std::string& name) {
    const char first = cursor.peek();
    const std::size_t begin = cursor.at();
    const std::string_view value = cursor.skip_value();
    if (name == "schema" && value.starts_with("\"scalelaw.")) refuse_saved_fits(source, no_table);
    if (name == "nbformat") {
      throw DataError(fmt::format("{} is a Jupyter notebook: save the table in it as CSV", source));
    }
    const std::size_t inside = value.find_first_not_of(kJsonBlanks, 1);
    if (first == '[' && value[inside] == '{') lists.emplace_back(name, begin + 1);
  });
  if (!cursor.at_end() || lists.empty()) return std::nullopt;
  if (lists.size() > 1) {
    std::vector<std::string> names;
    for (const auto& [name, place] : lists) names.push_back(name);
    throw DataError(fmt::format(
        "{}: it holds several lists of entries ({}): save one of them as a file of its own", source,
        joined(names)));
  }
  return EntryPlace{lists.front().second, true};
}

/// The document's entries, one after another.
class JsonEntries {
 public:
  JsonEntries(std::string_view text, std::string_view source, std::string_view no_table)
      : cursor_(text, source) {
    const char first = cursor_.peek();
    place_ = {cursor_.at() + (first == '[' ? 1 : 0), first == '['};
    if (first == '{') {
      if (const auto list = list_within(cursor_, source, no_table)) place_ = *list;
    }
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
  bool move_to_entry() {
    const bool first = std::exchange(first_, false);
    if (!place_.in_list) {
      if (cursor_.at_end()) return false;
      if (!first) cursor_.take(',');  // Some write a comma after each line.
    } else {
      if (cursor_.take(']')) return false;
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

/// Whether CSV has to quote a cell.
bool needs_quotes(std::string_view cell) {
  return cell.find_first_of("\",\r\n") != std::string_view::npos || cell.starts_with('#');
}

void append_cell(std::string& out, std::string_view cell) {
  if (!needs_quotes(cell)) {
    out += cell;
    return;
  }
  out += '"';
  for (const char c : cell) {
    out += c;
    if (c == '"') out += c;
  }
  out += '"';
}

class JsonTable final : public ByteStream {
 public:
  JsonTable(std::string text, std::string_view source, std::string_view no_table)
      : text_(std::move(text)), source_(source), entries_(text_, source_, no_table) {
    find_columns();
    if (names_.empty()) throw DataError(fmt::format("{}: it has no entries with values", source_));
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
        throw DataError(
            fmt::format("{}: the entries have more than {} different keys", source_, kMostKeys));
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
        throw DataError(
            fmt::format("{}: entry {}: the key '{}' has two values", source_, entry_, key));
      }
      seen_[place] = true;
      cells_[place] = std::move(cell);
    });
    if (found) write_row(cells_);
    return found;
  }

  void write_row(const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) ready_ += ',';
      append_cell(ready_, cells[i]);
    }
    if (cells.size() == 1 && cells.front().empty()) ready_ += "\"\"";  // An empty line is no row.
    ready_ += '\n';
  }

  std::string text_;
  std::string source_;
  JsonEntries entries_;
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
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
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
  return std::make_unique<JsonTable>(std::move(text), source, no_table);
}

}  // namespace scalelaw
