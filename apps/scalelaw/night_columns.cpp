#include "night_columns.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
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

/// The place of a column that is called as those of nights are.
std::optional<std::size_t> place_of_nights(const TableRows& table, const std::string& path) {
  for (const std::string_view name : kNightColumns) {
    if (const auto column = find_column(table.header(), name, path)) return column;
  }
  return std::nullopt;
}

/// Runs of digits by their value, the rest by its letters.
bool part_less(const std::string& a, const std::string& b) {
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

/// A version, and what stands behind its numbers: "2.1.0" and "rc1" of "v2.1.0rc1".
std::pair<std::string, std::string> split_version(const std::string& text) {
  const bool has_v = text.size() > 1 && text.front() == 'v' && digits_at_front(&text[1]) > 0;
  const std::string version = text.substr(has_v ? 1 : 0);
  const std::size_t end = std::min(version.find_first_not_of("0123456789."), version.size());
  return {version.substr(0, end), version.substr(end)};
}

/// Versions by their numbers. One that is not released yet, "2.1.0rc1", comes before its release.
bool version_less(const std::string& a, const std::string& b) {
  const auto [number_a, rest_a] = split_version(a);
  const auto [number_b, rest_b] = split_version(b);
  if (part_less(number_a, number_b)) return true;
  if (part_less(number_b, number_a)) return false;
  if (rest_a.empty() == rest_b.empty()) {
    if (part_less(rest_a, rest_b)) return true;
    return !part_less(rest_b, rest_a) && a < b;  // "v1.9" and "1.9" are two.
  }
  constexpr std::string_view kEarly[] = {"a",  "b",  "rc",  "dev",  "pre",
                                         "-a", "-b", "-rc", "-dev", "-pre"};
  const std::string& rest = rest_a.empty() ? rest_b : rest_a;
  const bool is_early = std::any_of(std::begin(kEarly), std::end(kEarly),
                                    [&](std::string_view word) { return rest.starts_with(word); });
  return rest_a.empty() != is_early;
}

bool night_less(const std::string& a, const std::string& b) {
  return parse_number(a) || parse_number(b) ? natural_less(a, b) : part_less(a, b);
}

}  // namespace

NightOrder order_of_nights(std::string_view column) {
  return names_version(column) ? version_less : night_less;
}

std::string night_column_of(const std::string& path) {
  std::optional<TableRows> table = run_table(path);
  const auto column = table ? place_of_nights(*table, path) : std::nullopt;
  return column && has_several_values(*table, *column) ? table->header().names[*column] : "";
}

std::string night_column_of(std::span<const std::string> paths) {
  const std::vector<std::string> files = expand_inputs({paths.begin(), paths.end()});
  if (files.size() == 1) return night_column_of(files.front());
  const std::optional<TableRows> table = run_table(files.front());
  const auto column = table ? place_of_nights(*table, files.front()) : std::nullopt;
  return column ? table->header().names[*column] : "";
}

bool has_night_column(const std::string& path, const std::string& night) {
  const auto table = run_table(path);
  return table && find_column(table->header(), night, path);
}

std::function<std::vector<Cell>(const GroupKey& group)> runs_in(const GroupedCells& runs) {
  return [runs](const GroupKey& group) {
    std::vector<Cell> cells;
    if (const auto place = runs.find(group)) runs.cells(*place, cells);
    return cells;
  };
}

std::vector<SavedFits> divided_by_night(SavedFits all) {
  std::map<std::string, SavedFits, NightOrder> nights(order_of_nights(all.by.back()));
  all.by.pop_back();
  for (GroupFit& group : std::exchange(all.groups, {})) {
    const std::string night = group.group.back();
    group.group.pop_back();
    SavedFits& study_of_night = nights.try_emplace(night, all).first->second;
    study_of_night.night = night;
    study_of_night.runs_of = [night, all_runs = all.runs_of](GroupKey of_group) {
      of_group.push_back(night);
      return all_runs(of_group);
    };
    study_of_night.groups.push_back(std::move(group));
  }
  std::vector<SavedFits> fits;
  for (auto& [night, study_of_night] : nights) fits.push_back(std::move(study_of_night));
  return fits;
}

}  // namespace scalelaw::cli
