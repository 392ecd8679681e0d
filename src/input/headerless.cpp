#include "input/headerless.hpp"

#include <algorithm>
#include <cmath>

#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

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

}  // namespace

bool is_row_of_values(const FieldTexts& first, const std::vector<FieldTexts>& rows) {
  return is_row_of_numbers(first, rows) || is_row_with_words(first, rows);
}

}  // namespace scalelaw
