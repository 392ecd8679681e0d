#include "night_columns.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw::cli {
namespace {

std::size_t digits_at_front(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

/// A run table that can be read twice; empty if the path is none.
std::optional<TableRows> run_table(const std::string& path) {
  if (path == "-" || !input_exists(path) || holds_saved_fits(path)) return std::nullopt;
  const std::string first = expand_inputs(std::vector{path}).front();
  return is_regular_file(first) ? std::optional<TableRows>(first) : std::nullopt;
}

/// Whether a column has more than one value among the first rows: a hint is not worth the time of
/// reading a large table twice.
bool has_several_values(TableRows& table, std::size_t column) {
  constexpr std::size_t kMostRows = 100000;
  if (!table.next()) return false;
  const std::string first = table.fields()[column];
  for (std::size_t row = 1; row < kMostRows && table.next(); ++row) {
    if (table.fields()[column] != first) return true;
  }
  return false;
}

}  // namespace

bool night_less(const std::string& a, const std::string& b) {
  if (parse_number(a) || parse_number(b)) return natural_less(a, b);
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    const std::size_t digits_x = digits_at_front(x);
    const std::size_t digits_y = digits_at_front(y);
    if (digits_x == 0 || digits_y == 0) {
      if (x.front() != y.front()) return x.front() < y.front();
      x.remove_prefix(1);
      y.remove_prefix(1);
      continue;
    }
    const std::string_view first = x.substr(0, digits_x);
    const std::string_view second = y.substr(0, digits_y);
    if (*parse_number(first) != *parse_number(second)) return natural_less(first, second);
    x.remove_prefix(digits_x);
    y.remove_prefix(digits_y);
  }
  return x.empty() != y.empty() ? x.empty() : a < b;
}

std::string night_column_of(const std::string& path) {
  static constexpr std::array kNames{"night", "date", "day", "run_date", "nightly"};
  std::optional<TableRows> table = run_table(path);
  if (!table) return "";
  for (const char* name : kNames) {
    const auto column = find_column(table->header(), name, path);
    if (!column) continue;
    return has_several_values(*table, *column) ? table->header().names[*column] : "";
  }
  return "";
}

bool has_night_column(const std::string& path, const std::string& night) {
  const auto table = run_table(path);
  return table && find_column(table->header(), night, path);
}

}  // namespace scalelaw::cli
