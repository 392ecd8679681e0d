#include "runs/group_columns.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "runs/column_words.hpp"
#include "runs/usual_columns.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {
namespace {

/// Whether the values of a column come back, as those of groups do. Values that come once or twice
/// name rows.
bool has_values_that_return(const ColumnProfile& column) {
  constexpr double kFewestRows = 2.5;
  const auto told = std::ranges::count_if(
      column.codes, [&](std::uint32_t code) { return code < column.values.size(); });
  return static_cast<double>(told) >= kFewestRows * static_cast<double>(column.values.size());
}

/// Whether the sampled rows say that a column by whose words rows are grouped tells no groups apart
/// that could be fitted: it has one value, nearly as many as rows, or each of them at one scale
/// only.
bool tells_nothing_apart(const TableProfile* profile, const std::string& column,
                         const std::string& x) {
  constexpr std::size_t kFewGroups = 50;
  const ColumnProfile* const found = profile == nullptr ? nullptr : profile->column(column);
  if (found == nullptr) return false;
  const bool many = found->has_many_values || found->values.size() > kFewGroups;
  if (is_constant(profile, column)) return true;
  if (many && profile->is_complete() && !has_values_that_return(*found)) return true;
  const ColumnProfile* const scale = x.empty() ? nullptr : profile->column(x);
  if (scale == nullptr || scale->values.size() < 2 || !profile->is_complete()) return false;
  return !varies_within(*scale, std::array{found});
}

/// Whether most sampled rows with a value of x and y have none of the column: these rows could not
/// be used if it told groups apart.
bool is_rare_beside(const TableProfile* profile, const std::string& column,
                    const ChosenColumns& columns) {
  const ColumnProfile* const found = profile == nullptr ? nullptr : profile->column(column);
  const ColumnProfile* const y = profile == nullptr ? nullptr : profile->column(columns.y);
  if (found == nullptr || y == nullptr || !profile->is_complete()) return false;
  const ColumnProfile* const x = columns.x.empty() ? y : profile->column(columns.x);
  const auto has = [](const ColumnProfile& one, std::size_t row) {
    return one.codes[row] != ColumnProfile::kMissing;
  };
  std::size_t usable = 0;
  std::size_t told = 0;
  for (std::size_t row = 0; x != nullptr && row < profile->rows(); ++row) {
    if (!has(*x, row) || !has(*y, row)) continue;
    ++usable;
    if (has(*found, row)) ++told;
  }
  return 2 * told < usable;
}

bool is_filtered(const Header& header, const std::string& column,
                 const std::vector<std::string>& where, std::string_view source) {
  return std::ranges::any_of(where, [&](const std::string& text) {
    return spelled_column(header, RowFilter(text).column(), source) == column;
  });
}

/// The codes of a row in some columns; empty if one of its values is not told apart from others,
/// because there are many.
std::vector<std::uint32_t> sure_codes(std::span<const ColumnProfile* const> columns,
                                      std::size_t row) {
  std::vector<std::uint32_t> codes;
  for (const ColumnProfile* column : columns) {
    if (column->codes[row] >= ColumnProfile::kMostValues) return {};
    codes.push_back(column->codes[row]);
  }
  return codes;
}

/// Whether a column surely differs between rows that agree in others.
bool surely_varies_within(const ColumnProfile& column,
                          std::span<const ColumnProfile* const> fixed) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> first;
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    std::vector<std::uint32_t> key = sure_codes(fixed, row);
    const bool known = key.size() == fixed.size();
    if (!known || column.codes[row] == ColumnProfile::kMissing) continue;
    const auto [place, is_new] = first.try_emplace(std::move(key), column.codes[row]);
    if (!is_new && place->second != column.codes[row]) return true;
  }
  return false;
}

/// Whether two rows surely agree in all of some columns.
bool surely_have_equal_rows(std::span<const ColumnProfile* const> columns) {
  std::set<std::vector<std::uint32_t>> met;
  for (std::size_t row = 0; row < columns.front()->codes.size(); ++row) {
    std::vector<std::uint32_t> key = sure_codes(columns, row);
    if (!key.empty() && !met.insert(std::move(key)).second) return true;
  }
  return false;
}

/// "weak" of "Weak scaling".
std::string first_word(const std::string& value) {
  return lower_case(value).substr(0, value.find_first_of(" _-"));
}

/// Whether names differ in a number or a date at their end alone: "run1", "nightly-2026-06-01".
bool are_numbered(const std::vector<std::string>& names) {
  std::set<std::string> stems;
  for (const std::string& name : names) {
    stems.insert(name.substr(0, name.find_last_not_of("0123456789-_.:/ ") + 1));
  }
  return stems.size() < 2;
}

/// Whether a column names jobs of which most ran at several scales, as "JobName" of sacct may: runs
/// of one name are a study of their own.
bool names_jobs(const TableProfile* profile, const std::string& name, const std::string& x) {
  constexpr std::size_t kScalesOfLaw = 3;
  if (meaning_of(name).role != ColumnRole::kRun || !Name(name).has("name")) return false;
  const ColumnProfile* const seen = profile == nullptr ? nullptr : profile->column(name);
  return seen != nullptr && !seen->is_number() && !seen->has_many_values && !x.empty() &&
         !are_numbered(seen->values) && share_at_scales(*profile, {name}, x, kScalesOfLaw) > 0.5;
}

}  // namespace

bool is_weak_scaling(const std::string& value) { return first_word(value) == "weak"; }

bool tells_kinds_of_scaling(const ColumnProfile* column) {
  if (column == nullptr || column->values.size() < 2 || column->has_many_values) return false;
  return std::ranges::all_of(column->values, [](const std::string& value) {
    return is_weak_scaling(value) || first_word(value) == "strong";
  });
}

bool is_constant(const TableProfile* profile, const std::string& cell) {
  const ColumnProfile* const column = profile == nullptr ? nullptr : profile->column(cell);
  return column != nullptr && profile->is_complete() && column->values.size() < 2;
}

std::vector<std::string> usual_groups(const Header& header, const ChosenColumns& columns,
                                      const TableProfile* profile) {
  std::vector<std::string> groups;
  const auto is_free = [&](const std::string& column) {
    return column != columns.x && column != columns.y && column != columns.run &&
           std::ranges::find(groups, column) == groups.end() &&
           !is_rare_beside(profile, column, columns);
  };
  for (const std::string& name : first_names_of(UsualColumn::kGroup)) {
    const auto column = column_called(header, name);
    if (column && is_free(*column)) groups.push_back(*column);
  }
  const auto is_hardware = [](const std::string& column) {
    return is_usual_name(column, UsualColumn::kHardware);
  };
  for (const bool systems : {false, true}) {
    if (systems && std::ranges::any_of(groups, is_hardware)) break;
    for (const std::string& cell : header.names) {
      const std::string name = label_of(cell);
      const ColumnMeaning meaning = meaning_of(cell);
      const ColumnProfile* const seen = profile == nullptr ? nullptr : profile->column(cell);
      const bool kind = is_meant(meaning, UsualColumn::kGroup) || is_hardware(cell) ||
                        tells_kinds_of_scaling(seen) || names_jobs(profile, name, columns.x);
      if (!kind || (meaning.role == ColumnRole::kSystem) != systems || !is_free(name)) continue;
      // A kind of GPU is a text; a number in such a column is a count.
      if (meaning.role == ColumnRole::kScale && (seen == nullptr || seen->is_number())) continue;
      // What has decimals was measured, as the "system" time beside that of the user, unless it was
      // set, as a clock.
      const bool is_set =
          meaning.role == ColumnRole::kPowerLimit || meaning.role == ColumnRole::kClock;
      if (seen != nullptr && seen->is_number() && !seen->whole && !is_set) continue;
      if (!tells_nothing_apart(profile, name, columns.x)) groups.push_back(name);
    }
  }
  return groups;
}

std::vector<std::string> pooled_columns(const Header& header, const ChosenColumns& columns,
                                        const std::vector<std::string>& where,
                                        std::string_view source) {
  std::vector<std::string> pooled;
  for (const std::string& name : first_names_of(UsualColumn::kGroup)) {
    const auto column = column_called(header, name);
    if (!column || is_used(columns, *column)) continue;
    if (!is_filtered(header, *column, where, source)) pooled.push_back(*column);
  }
  return pooled;
}

bool restarts_in_each_system(const TableProfile* profile, const ChosenColumns& columns,
                             const std::string& run) {
  if (profile == nullptr) return false;
  std::vector<std::string> names = columns.by;
  names.insert(names.end(), {run, columns.x});
  const ColumnProfiles fixed = profile->columns(names);
  for (const ColumnProfile& column : profile->columns()) {
    const ColumnRole role = column.meaning.role;
    const std::string name = label_of(column.name);
    const bool names_a_run = role == ColumnRole::kSystem || role == ColumnRole::kRun;
    if (!names_a_run || name == run || is_used(columns, name)) continue;
    if (surely_varies_within(column, fixed)) return true;
    const ColumnProfile* const numbers = profile->column(run);
    ColumnProfiles place = fixed;
    place.push_back(&column);
    if (numbers != nullptr && surely_varies_within(column, std::array{numbers}) &&
        !surely_have_equal_rows(place)) {
      return true;
    }
  }
  return false;
}

}  // namespace scalelaw
