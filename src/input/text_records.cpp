#include "input/text_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "input/frame_cells.hpp"
#include "input/text_frames.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"

namespace scalelaw {
namespace {

using RecordLines = std::vector<std::string_view>;

constexpr std::size_t kFewestRecords = 2;
constexpr std::string_view kRecordDigits = "0123456789";

/// A value behind its name.
struct NamedValue {
  std::string name;
  std::string value;
};
using NamedValues = std::vector<NamedValue>;

bool is_record_digit(char c) { return c >= '0' && c <= '9'; }

bool is_record_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

bool is_record_number(std::string_view text) { return parse_number(trimmed(text)).has_value(); }

bool is_value_number(std::string_view value) {
  return !value.empty() && (is_record_digit(value.front()) || is_record_number(value));
}

/// A text without the quotes around it.
std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  for (const char quote : {'"', '\''}) {
    if (text.size() > 1 && text.front() == quote && text.back() == quote) {
      text = text.substr(1, text.size() - 2);
    }
  }
  return text;
}

/// Whether a text can name a value: it begins with a letter or a "#" and is no sentence.
bool can_be_name(std::string_view name) {
  constexpr std::size_t kMostWords = 6;
  if (name.empty() || (!is_record_letter(name.front()) && name.front() != '#')) return false;
  return blank_pieces(name, 1).size() <= kMostWords &&
         name.find_first_of("=[]{}\"") == std::string_view::npos;
}

/// "Name=value" or "Name: value"; empty if a text is no such pair.
std::optional<NamedValue> pair_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("- ")) text = trimmed(text.substr(2));  // An entry of a YAML list.
  const std::size_t equal = text.find('=');
  std::size_t mark = text.find(": ");
  if (mark == std::string_view::npos && text.ends_with(':')) return std::nullopt;
  mark = std::min(mark, equal);
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view name = unquoted(text.substr(0, mark));
  const std::string_view value = unquoted(text.substr(mark + 1));
  if (!can_be_name(name) || value.empty() || value.find('=') != std::string_view::npos) {
    return std::nullopt;
  }
  return NamedValue{std::string(name), std::string(value)};
}

/// The parts of a line between commas, semicolons, bars, tabs and double blanks. A comma within a
/// number divides nothing.
std::vector<std::string_view> parts_of_line(std::string_view line) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end, std::size_t next) {
    const std::string_view part = trimmed(line.substr(begin, end - begin));
    if (!part.empty()) parts.push_back(part);
    begin = next;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool blanks = line.substr(i).starts_with("  ");
    const bool comma = line[i] == ',' && (i + 1 >= line.size() || !is_record_digit(line[i + 1]));
    if (comma || blanks || line[i] == ';' || line[i] == '|' || line[i] == '\t') cut(i, i + 1);
  }
  cut(line.size(), line.size());
  return parts;
}

/// The pairs of a line, if it holds nothing else; with single blanks between them only those with
/// "=".
NamedValues pairs_in(std::string_view line) {
  const auto all_of = [](const auto& parts, auto text_of) {
    NamedValues pairs;
    for (const auto& part : parts) {
      auto pair = pair_in(text_of(part));
      if (!pair) return NamedValues();
      pairs.push_back(*std::move(pair));
    }
    return pairs;
  };
  line = trimmed(line);
  if (line.ends_with(',')) line.remove_suffix(1);
  if (line.starts_with('{') && line.ends_with('}')) line = line.substr(1, line.size() - 2);
  NamedValues pairs = all_of(parts_of_line(line), [](std::string_view part) { return part; });
  if (!pairs.empty()) return pairs;
  // "[rank 0] threads=4 time=1.2": words beside several pairs are a remark.
  for (const Piece& word : blank_pieces(line, 1)) {
    const bool is_pair = word.text.find('=') != std::string_view::npos;
    auto pair = is_pair ? pair_in(word.text) : std::nullopt;
    if (pair) pairs.push_back(*std::move(pair));
  }
  if (pairs.size() < 2) pairs.clear();
  return pairs;
}

/// The columns of records: the names that return, in their order.
std::vector<std::string> names_that_return(const std::vector<NamedValues>& records) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> counts;
  for (const NamedValues& record : records) {
    for (const NamedValue& pair : record) {
      if (++counts[pair.name] == 1) names.push_back(pair.name);
    }
  }
  std::erase_if(names, [&](const std::string& name) { return 2 * counts[name] < records.size(); });
  return names;
}

/// One value per name and record; empty where the record has none.
std::vector<std::vector<std::string>> rows_of(const std::vector<NamedValues>& records,
                                              const std::vector<std::string>& names) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
  std::vector<std::vector<std::string>> rows;
  for (const NamedValues& record : records) {
    std::vector<std::string>& row = rows.emplace_back(names.size());
    for (const NamedValue& pair : record) {
      const auto place = places.find(pair.name);
      if (place != places.end()) row[place->second] = pair.value;
    }
  }
  return rows;
}

std::optional<TextRecords> records_of_pairs(const RecordLines& lines) {
  std::vector<NamedValues> records(1);
  std::set<std::string> met;  // In the last record.
  for (const std::string_view line : lines) {
    for (NamedValue& pair : pairs_in(line)) {
      if (!met.insert(pair.name).second) {
        records.emplace_back();
        met = {pair.name};
      }
      records.back().push_back(std::move(pair));
    }
  }
  if (records.size() < kFewestRecords) return std::nullopt;
  TextRecords found;
  found.names = names_that_return(records);
  found.rows = rows_of(records, found.names);
  std::erase_if(found.rows, [](const std::vector<std::string>& row) {
    return std::ranges::count_if(row, [](auto& cell) { return !cell.empty(); }) < 2;
  });
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < found.names.size(); ++i) {
    numbers +=
        std::ranges::all_of(
            found.rows, [i](const auto& row) { return row[i].empty() || is_value_number(row[i]); })
            ? 1
            : 0;
  }
  constexpr std::size_t kFewestNumbers = 2;
  if (found.rows.size() < kFewestRecords || numbers < kFewestNumbers) return std::nullopt;
  found.told = "values stand behind their names: a name that returns begins a further row";
  return found;
}

/// The numbers of a list, "[1, 2, 4]", "(1, 2)", "c(1, 2)"; empty if a text begins with none.
/// @param after  Gets what follows the list.
std::vector<std::string> list_at(std::string_view text, std::string_view& after) {
  for (const std::string_view call : {"np.array(", "numpy.array(", "c(", "["}) {
    if (!text.starts_with(call)) continue;
    text.remove_prefix(call == "[" ? 0 : call.size() - (call == "c(" ? 1 : 0));
    break;
  }
  text = trimmed(text);
  if (text.empty() || (text.front() != '[' && text.front() != '(')) return {};
  const std::size_t end = text.find_first_of("[](){}", 1);
  if (end == std::string_view::npos || text[end] != (text.front() == '[' ? ']' : ')')) return {};
  std::vector<std::string> cells;
  for (std::string& cell : split(text.substr(1, end - 1), ',')) {
    const std::string_view value = unquoted(cell);
    if (!is_record_number(value)) return {};
    cells.emplace_back(value);
  }
  after = text.substr(end + 1);
  return cells;
}

/// The name before a list, "gpus" of "gpus = [" and "\"gpus\": [", from the beginning of a line.
std::optional<std::string> name_before(std::string_view line, std::size_t& list) {
  const std::size_t bracket = line.find_first_of("[(");
  if (bracket == std::string_view::npos) return std::nullopt;
  std::size_t mark = line.substr(0, bracket).find_last_of("=:");
  const std::size_t arrow = line.substr(0, bracket).find("<-");  // R.
  if (mark == std::string_view::npos) mark = arrow == std::string_view::npos ? mark : arrow + 1;
  if (mark == std::string_view::npos) return std::nullopt;
  std::string_view name = trimmed(line.substr(0, arrow == std::string_view::npos ? mark : arrow));
  while (!name.empty() && (name.front() == '{' || name.front() == ' ')) name.remove_prefix(1);
  name = unquoted(name);
  list = mark + 1;
  if (!can_be_name(name) || name.find_first_of("().,") != std::string_view::npos) {
    return std::nullopt;
  }
  return std::string(name);
}

/// A list with its name.
struct NamedList {
  std::string name;
  std::vector<std::string> values;
};

std::vector<NamedList> named_lists(const RecordLines& lines) {
  constexpr std::size_t kMostLines = 50;  // A list may go on in further lines.
  std::vector<NamedList> lists;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    std::size_t list = 0;
    const auto name = name_before(lines[at], list);
    if (!name) continue;
    std::string text(trimmed(lines[at].substr(list)));
    for (std::size_t more = 1; more < kMostLines && at + more < lines.size(); ++more) {
      if (text.find_first_of("])") != std::string::npos) break;
      text += lines[at + more];
    }
    std::string_view after;
    std::vector<std::string> values = list_at(text, after);
    if (!values.empty()) lists.push_back({*name, std::move(values)});
  }
  return lists;
}

/// Lists of one length as columns.
std::optional<TextRecords> records_of_named_lists(const RecordLines& lines) {
  std::vector<NamedList> lists = named_lists(lines);
  std::map<std::size_t, std::size_t> lengths;
  for (const NamedList& list : lists) ++lengths[list.values.size()];
  const auto usual =
      std::ranges::max_element(lengths, {}, &std::pair<const std::size_t, std::size_t>::second);
  constexpr std::size_t kFewestLists = 2;
  if (usual == lengths.end() || usual->second < kFewestLists || usual->first < kFewestRecords) {
    return std::nullopt;
  }
  TextRecords found;
  found.rows.resize(usual->first);
  for (const NamedList& list : lists) {
    const bool known = std::ranges::find(found.names, list.name) != found.names.end();
    if (list.values.size() != usual->first || known) continue;
    found.names.push_back(list.name);
    for (std::size_t i = 0; i < list.values.size(); ++i) found.rows[i].push_back(list.values[i]);
  }
  if (found.names.size() < kFewestLists) return std::nullopt;
  found.told =
      fmt::format("lists of {} numbers are the columns: {}", usual->first, joined(found.names));
  return found;
}

/// Lists without names as rows.
std::optional<TextRecords> records_of_lists(const RecordLines& lines) {
  TextRecords found;
  for (const std::string_view line : lines) {
    std::string_view after;
    auto values = list_at(trimmed(line), after);
    const bool alone = trimmed(after).empty() || trimmed(after) == ",";
    const bool fits = found.names.empty() || values.size() == found.names.size();
    if (values.size() < 2 || !alone || !fits) continue;
    if (found.names.empty()) {
      found.names = std::move(values);
    } else {
      found.rows.push_back(std::move(values));
    }
  }
  if (found.rows.empty()) return std::nullopt;
  found.told = "each list in brackets is one row";
  return found;
}

/// The part of a benchmark's name between slashes: "threads=4", "size-100", "512x512-4", "8".
void take_part_of_name(std::string_view part, NamedValues& record) {
  const std::size_t equal = part.find('=');
  if (equal != std::string_view::npos && equal > 0) {
    record.push_back({std::string(part.substr(0, equal)), std::string(part.substr(equal + 1))});
    return;
  }
  const std::size_t last = part.find_last_not_of(kRecordDigits);
  const std::string_view number = part.substr(last == std::string_view::npos ? 0 : last + 1);
  std::string_view words = part.substr(0, part.size() - number.size());
  while (words.ends_with('-') || words.ends_with('_') || words.ends_with(':')) {
    words.remove_suffix(1);
  }
  const bool names_number = !number.empty() && !words.empty() &&
                            words.find_first_of(kRecordDigits) == std::string_view::npos;
  if (names_number) return record.push_back({std::string(words), std::string(number)});
  if (!words.empty()) record.push_back({"case", std::string(words)});
  if (!number.empty()) record.push_back({"n", std::string(number)});
}

/// One line of Go's benchmarks, "BenchmarkX/threads=4-8  100  12345 ns/op  3 B/op"; empty if it is
/// none. The number behind the last hyphen is that of GOMAXPROCS.
NamedValues go_benchmark(std::string_view line) {
  constexpr std::string_view kGoPrefix = "Benchmark";
  const std::vector<Piece> words = blank_pieces(line, 1);
  const bool is_one = words.size() >= 4 && words.size() % 2 == 0 &&
                      words[0].text.starts_with(kGoPrefix) && is_record_number(words[1].text) &&
                      words[3].text.find('/') != std::string_view::npos;
  if (!is_one) return {};
  std::string_view name = words[0].text.substr(kGoPrefix.size());
  const std::size_t hyphen = name.rfind('-');
  const bool has_procs =
      hyphen != std::string_view::npos && is_record_number(name.substr(hyphen + 1));
  const std::string procs(has_procs ? name.substr(hyphen + 1) : "1");
  if (has_procs) name = name.substr(0, hyphen);
  NamedValues record;
  const std::vector<std::string> parts = split(name, '/');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == 0) record.push_back({"benchmark", parts[i]});
    if (i > 0) take_part_of_name(parts[i], record);
  }
  record.push_back({"procs", procs});
  for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
    record.push_back({std::string(words[i + 1].text), std::string(words[i].text)});
  }
  return record;
}

std::optional<TextRecords> records_of_go(const RecordLines& lines) {
  std::vector<NamedValues> records;
  for (const std::string_view line : lines) {
    NamedValues record = go_benchmark(line);
    if (!record.empty()) records.push_back(std::move(record));
  }
  if (records.size() < kFewestRecords) return std::nullopt;
  TextRecords found;
  found.names = names_that_return(records);
  found.rows = rows_of(records, found.names);
  found.told = "each line of Go's benchmarks is one row; procs is the number of GOMAXPROCS";
  return found;
}

using ListCells = std::vector<std::string_view>;

/// The cells of a line; separators in brackets and quotes divide nothing.
ListCells cells_outside_lists(std::string_view line, char separator) {
  ListCells cells;
  std::size_t begin = 0;
  int depth = 0;
  bool in_quotes = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : separator;
    const bool ends = i == line.size() || (c == separator && depth == 0 && !in_quotes);
    if (c == '"') in_quotes = !in_quotes;
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (!ends) continue;
    std::string_view cell = trimmed(line.substr(begin, i - begin));
    if (cell.size() > 1 && cell.starts_with('"') && cell.ends_with('"')) {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.push_back(cell);
    begin = i + 1;
  }
  return cells;
}

/// The numbers of a cell that holds a list, perhaps behind words: "times: [0.98, 0.97]". Empty if
/// it is none.
std::vector<std::string> numbers_of_list(std::string_view cell) {
  const std::size_t open = cell.find('[');
  if (open == std::string_view::npos || !cell.ends_with(']')) return {};
  std::vector<std::string> numbers;
  for (const std::string& part : split(cell.substr(open + 1, cell.size() - open - 2), ',')) {
    const std::string_view number = trimmed(part);
    if (!parse_number(number)) return {};
    numbers.emplace_back(number);
  }
  return numbers;
}

/// The separator that divides a header and the row below it alike; empty without one.
std::optional<char> separator_beside_lists(std::string_view header, std::string_view row) {
  for (const char separator : {',', ';', '\t', '|'}) {
    const std::size_t width = split(header, separator).size();
    if (width > 1 && cells_outside_lists(row, separator).size() == width) return separator;
  }
  return std::nullopt;
}

bool is_header_above_lists(std::string_view line) {
  return !trimmed(line).empty() && line.find_first_of("[]={}") == std::string_view::npos;
}

/// Adds one row for each number of the lists in a row. A row that does not fit stays as it is, so
/// that the reader says what is wrong.
void add_repeats(const ListCells& cells, TextRecords& table, std::vector<bool>& has_lists) {
  std::vector<std::vector<std::string>> lists;
  std::size_t repeats = 0;
  bool fits = cells.size() == table.names.size();
  for (const std::string_view cell : cells) {
    lists.push_back(numbers_of_list(cell));
    const std::size_t length = lists.back().size();
    fits = fits && (length == 0 || repeats == 0 || length == repeats);
    repeats = std::max(repeats, length);
  }
  if (!fits) {
    table.rows.emplace_back(cells.begin(), cells.end());
    return;
  }
  for (std::size_t i = 0; i < std::max<std::size_t>(repeats, 1); ++i) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const bool list = !lists[column].empty();
      if (list) has_lists[column] = true;
      row.push_back(list ? lists[column][i] : std::string(cells[column]));
    }
  }
}

/// Such a table with one row for each number, as they are repeats of their row; empty for any other
/// text. A row with more or fewer cells than the header, or lists of different lengths, stays as it
/// is.
std::optional<TextRecords> records_of_cell_lists(std::string_view text) {
  if (!begins_with_cell_lists(text)) return std::nullopt;
  const auto lines = lines_of(text);
  const char separator = *separator_beside_lists(lines[0], lines[1]);
  TextRecords table;
  for (const std::string_view name : cells_outside_lists(lines[0], separator)) {
    table.names.emplace_back(name);
  }
  std::vector<bool> has_lists(table.names.size());
  for (std::size_t at = 1; at < lines.size(); ++at) {
    const std::string_view line = trimmed(lines[at]);
    if (line.empty() || line.starts_with('#')) continue;
    add_repeats(cells_outside_lists(line, separator), table, has_lists);
  }
  std::vector<std::string> of_lists;
  for (std::size_t i = 0; i < has_lists.size(); ++i) {
    if (has_lists[i]) of_lists.push_back(printable(table.names[i]));
  }
  table.told = fmt::format("the lists in {} are repeats of their row: each number is a row",
                           joined(of_lists));
  return table;
}

}  // namespace

bool begins_as_records(std::string_view text) {
  constexpr std::size_t kMostBytes = 4096;
  constexpr std::size_t kPairLines = 2;
  std::size_t pairs = 0;
  for (const std::string_view line : lines_of(text.substr(0, kMostBytes))) {
    const std::string_view shown = trimmed(line);
    if (shown.empty() || shown.starts_with('#')) continue;
    std::string_view after;
    std::size_t list = 0;
    if (shown.starts_with("goos: ") || !go_benchmark(shown).empty()) return true;
    if (list_at(shown, after).size() > 1) return true;
    if (name_before(shown, list) && list_at(trimmed(shown.substr(list)), after).size() > 1) {
      return true;
    }
    if (pairs_in(shown).empty()) return false;
    if (++pairs == kPairLines) return true;
  }
  return false;
}

std::optional<TextRecords> records_in(std::string_view text) {
  const RecordLines lines = lines_of(text);
  if (auto records = records_of_cell_lists(text)) return records;
  if (auto records = records_of_go(lines)) return records;
  if (auto records = records_of_named_lists(lines)) return records;
  if (auto records = records_of_lists(lines)) return records;
  return records_of_pairs(lines);
}

bool begins_with_cell_lists(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !is_header_above_lists(text.substr(0, end))) return false;
  const std::string_view below = text.substr(end + 1);
  const std::string_view row = trimmed(below.substr(0, below.find('\n')));
  const auto separator = separator_beside_lists(text.substr(0, end), row);
  if (!separator) return false;
  const ListCells cells = cells_outside_lists(row, *separator);
  return std::ranges::any_of(cells,
                             [](std::string_view cell) { return !numbers_of_list(cell).empty(); });
}

}  // namespace scalelaw
