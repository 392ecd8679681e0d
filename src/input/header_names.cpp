#include "input/header_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

bool has_digit_first(std::string_view cell) {
  return !cell.empty() && (parse_number(cell.substr(0, 1)) || parse_number(cell));
}

bool are_different(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

/// Whether a comma between two fields belongs to a number in thousands: "N=10" and "000 tasks".
bool is_cut_in_thousands(std::string_view left, std::string_view right) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !left.empty() && is_digit(left.back()) && right.size() >= 3 &&
         std::all_of(right.begin(), right.begin() + 3, is_digit) &&
         (right.size() == 3 || !is_digit(right[3]));
}

/// Whether a text has an open bracket that nothing closes.
bool has_open_bracket(std::string_view text) {
  return std::ranges::count(text, '(') > std::ranges::count(text, ')') ||
         std::ranges::count(text, '[') > std::ranges::count(text, ']');
}

/// Whether names and numbers alternate: "threads,4,time,1.2". A word behind a number may be its
/// unit.
bool are_pairs(std::span<const std::string> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool behind_number = i > 0 && has_digit_first(cells[i - 1]);
    const bool before_number = i + 1 < cells.size() && has_digit_first(cells[i + 1]);
    const bool in_place =
        has_digit_first(cells[i]) ? i > 0 && !behind_number : before_number || behind_number;
    if (!in_place) return false;
  }
  return true;
}

/// The numbers of a row that holds nothing else; empty for any other.
std::vector<double> numbers_alone(const FieldTexts& fields) {
  std::vector<double> numbers;
  for (const std::string& field : fields) {
    const auto number = parse_number(field);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

/// Whether numbers could be the scales of a wide table: "1,2,4,8".
bool could_be_scales_of_columns(const std::vector<double>& numbers) {
  constexpr std::size_t kFewestColumns = 3;
  const bool whole =
      std::ranges::all_of(numbers, [](double one) { return one > 0 && std::floor(one) == one; });
  const bool rise = std::ranges::adjacent_find(numbers, std::greater_equal<>()) == numbers.end();
  return whole && rise && numbers.size() >= kFewestColumns;
}

bool is_row_of_numbers(const FieldTexts& first, const std::vector<FieldTexts>& rows) {
  const std::vector<double> numbers = numbers_alone(first);
  if (numbers.empty()) return false;
  if (numbers.size() == 1 || rows.empty()) return numbers.size() == 1;
  const std::vector<double> next = numbers_alone(rows.front());
  if (next.size() != numbers.size()) return false;
  return !could_be_scales_of_columns(numbers) || could_be_scales_of_columns(next);
}

bool is_row_with_words(const FieldTexts& first, const std::vector<FieldTexts>& rows) {
  std::vector<bool> is_number;
  std::vector<double> numbers;
  for (const std::string& field : first) {
    const auto number = parse_number(field);
    is_number.push_back(number.has_value());
    if (number) numbers.push_back(*number);
  }
  if (numbers.empty() || could_be_scales_of_columns(numbers)) return false;
  bool returns = false;
  for (const FieldTexts& row : rows) {
    if (row.size() != first.size()) return false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (parse_number(row[i]).has_value() != is_number[i]) return false;
      returns = returns || (!is_number[i] && !row[i].empty() && row[i] == first[i]);
    }
  }
  return returns;
}

/// Whether names repeat or are empty, as those of merged cells are: they need another line to tell
/// the columns apart.
bool are_merged_names(std::span<const std::string> names) {
  std::set<std::string_view> met;
  return std::ranges::any_of(
      names, [&met](const std::string& name) { return name.empty() || !met.insert(name).second; });
}

}  // namespace

bool is_row_of_units(std::span<const std::string> cells) {
  bool any = false;
  for (const std::string& written : cells) {
    const std::string_view cell = trimmed(written);
    if (cell.empty() || cell == "-") continue;
    const bool round = cell.size() > 2 && cell.front() == '(' && cell.back() == ')';
    const bool square = cell.size() > 2 && cell.front() == '[' && cell.back() == ']';
    if (!round && !square && !canonical_unit(cell)) return false;
    any = true;
  }
  return any;
}

void add_units_to_names(std::span<const std::string> units, std::vector<std::string>& names) {
  for (std::size_t i = 0; i < std::min(names.size(), units.size()); ++i) {
    const std::string_view unit = trimmed(units[i]);
    if (unit.empty() || unit == "-") continue;
    const bool bracketed = unit.front() == '(' || unit.front() == '[';
    names[i] += fmt::format("{}{}{}{}", names[i].empty() ? "" : " ", bracketed ? "" : "(", unit,
                            bracketed ? "" : ")");
  }
}

bool is_row_of_sub_names(std::span<const std::string> names, std::span<const std::string> cells,
                         std::span<const std::string> next_row) {
  constexpr std::size_t kFewest = 2;
  if (cells.size() != names.size() || next_row.size() != names.size()) return false;
  if (!are_merged_names(names)) return false;
  std::size_t words = 0;
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (has_digit_first(cells[i])) return false;
    const bool is_word = !cells[i].empty() && !is_missing(cells[i]);
    words += is_word ? 1 : 0;
    numbers += is_word && has_digit_first(next_row[i]) ? 1 : 0;
  }
  // A text in the rows would stand under most of the words.
  return words >= kFewest && 2 * numbers > words;
}

void join_sub_names(std::span<const std::string> sub_names, std::vector<std::string>& names) {
  std::string merged;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) merged = names[i];
    if (names[i].empty()) names[i] = merged;
    if (i >= sub_names.size() || sub_names[i].empty()) continue;
    names[i] += fmt::format("{}{}", names[i].empty() ? "" : " ", sub_names[i]);
  }
}

void join_words_above(std::span<const std::string> words, std::vector<std::string>& names) {
  const bool suits = words.size() == names.size() || words.size() + 1 == names.size();
  if (!suits || !are_merged_names(names)) return;
  std::vector<std::string> joined = names;
  const std::size_t first = names.size() - words.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    joined[first + i] = fmt::format("{} {}", words[i], names[first + i]);
  }
  if (are_different(joined)) names = std::move(joined);
}

std::vector<std::string> names_of_matrix(std::span<const std::string_view> words,
                                         std::size_t width) {
  constexpr std::size_t kFewestScales = 3;
  if (words.size() != width + 1) return {};
  const auto first =
      std::ranges::find_if(words, [](auto word) { return parse_number(word).has_value(); });
  const auto last = std::find_if(first, words.end(), [](auto word) { return !parse_number(word); });
  if (first == words.begin() || last - first < static_cast<std::ptrdiff_t>(kFewestScales) ||
      std::any_of(last, words.end(), has_digit_first)) {
    return {};
  }
  std::vector<std::string> names(words.begin(), first - 1);
  double before = 0;
  for (auto word = first; word != last; ++word) {
    const double scale = *parse_number(*word);
    if (!(scale > before) || scale != std::floor(scale)) return {};
    before = scale;
    names.push_back(fmt::format("{} {}", *(first - 1), *word));
  }
  names.insert(names.end(), last, words.end());
  return names;
}

std::optional<std::vector<std::string>> names_of_width(std::span<const std::string> fields,
                                                       char separator, std::size_t width) {
  if (fields.size() <= width || width < 2) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& field : fields) {
    const bool goes_on = !names.empty() && (is_cut_in_thousands(names.back(), field) ||
                                            has_open_bracket(names.back()));
    if (goes_on) {
      names.back() += fmt::format("{}{}", separator, field);
    } else {
      names.push_back(field);
    }
  }
  return names.size() == width ? std::optional(std::move(names)) : std::nullopt;
}

std::string form_of_cell(std::string_view cell) {
  cell = trimmed(cell);
  if (parse_number(cell)) return "#";
  const std::size_t end = std::min(cell.find_first_not_of("0123456789.,+-"), cell.size());
  if (cell.substr(0, end).find_first_of("0123456789") == std::string_view::npos) {
    return std::string(cell);
  }
  const std::string_view rest = trimmed(cell.substr(end));
  if (rest == ":") return "#:";
  const auto unit = canonical_unit(rest);
  return unit ? fmt::format("# {}", *unit) : std::string(cell);
}

std::optional<std::vector<std::string>> names_in_row(std::span<const std::string> cells) {
  constexpr std::size_t kFewest = 2;
  if (!are_pairs(cells)) return std::nullopt;
  std::vector<std::string> names;
  std::size_t named = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    names.push_back(fmt::format("c{}", i + 1));
    if (i == 0 || !has_digit_first(cells[i]) || has_digit_first(cells[i - 1])) continue;
    std::string_view name = trimmed(cells[i - 1]);
    while (name.ends_with(':') || name.ends_with('=')) name.remove_suffix(1);
    name = trimmed(name);
    if (name.empty()) continue;
    names.back() = name;
    ++named;
  }
  const bool tells = named >= kFewest && are_different(names);
  return tells ? std::optional(std::move(names)) : std::nullopt;
}

bool is_row_of_values(const FieldTexts& first, const std::vector<FieldTexts>& rows) {
  return is_row_of_numbers(first, rows) || is_row_with_words(first, rows);
}

}  // namespace scalelaw
