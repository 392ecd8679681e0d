// Columns that tell unlike runs apart although nobody named them.

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "runs/group_columns.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {
namespace {

/// The column of x; nullptr if there is none, or all rows have one x.
const ColumnProfile* varying_scale(const TableProfile& profile, const std::string& x) {
  const ColumnProfile* const scale = x.empty() ? nullptr : profile.column(x);
  return scale == nullptr || scale->values.size() < 2 ? nullptr : scale;
}

/// Whether all sampled rows with a value of y have one value of the column: the other rows are left
/// out.
bool is_same_beside(const TableProfile& profile, const ColumnProfile& column,
                    const ChosenColumns& columns) {
  const ColumnProfile* const y = profile.column(columns.y);
  if (y == nullptr || y->missing == 0 || !profile.is_complete()) return false;
  std::optional<std::uint32_t> first;
  for (std::size_t row = 0; row < profile.rows(); ++row) {
    if (y->codes[row] == ColumnProfile::kMissing) continue;
    if (first && *first != column.codes[row]) return false;
    first = column.codes[row];
  }
  return true;
}

/// Whether the values of a column are settings that runs at several scales share. Numbers with
/// decimals may as well be measured: then hardly one of them is met at several scales.
bool tells_settings(const ColumnProfile& column, const ColumnProfile* scale) {
  if (scale == nullptr) return true;
  const bool may_be_measured = column.is_number() && !column.whole;
  return may_be_measured ? each_varies(*scale, column) : varies_within(*scale, std::array{&column});
}

/// Whether a column counts repeats or epochs from 0 or 1 on. A number of iterations that was chosen
/// for each size of a problem does not.
bool counts_repeats(const ColumnProfile& column) {
  const ColumnRole role = column.meaning.role;
  return (role == ColumnRole::kRepeat || role == ColumnRole::kEpoch) && column.is_number() &&
         column.whole && column.min <= 1 && column.values.size() > 1 && !column.has_many_values;
}

/// Whether a number that no word explains is the same in rows of one repeat or epoch of a group at
/// one x: then it was counted in it, such as the cells that a step updates.
bool repeats_tell(const TableProfile& profile, const ColumnProfile& column, ColumnProfiles fixed) {
  const ColumnRole role = column.meaning.role;
  const bool unexplained = role == ColumnRole::kOther || role == ColumnRole::kProblemSize;
  if (!unexplained || !column.is_number()) return false;
  const std::size_t before = fixed.size();
  for (const ColumnProfile& other : profile.columns()) {
    if (counts_repeats(other)) fixed.push_back(&other);
  }
  return fixed.size() > before && !varies_within(column, fixed);
}

/// Whether a column counts the devices that a model was trained on: its loss does not depend on
/// them.
bool is_apart_from_loss(const ColumnProfile& column, const ChosenColumns& columns) {
  return column.is_number() && column.meaning.role == ColumnRole::kScale &&
         meaning_of(columns.y).role == ColumnRole::kLoss;
}

/// Whether a column tells how long a model was trained: that does not change the time of a step,
/// nor a rate.
bool is_apart_from_step(const ColumnProfile& column, const ChosenColumns& columns) {
  const ColumnMeaning y = meaning_of(columns.y);
  const bool of_step = y.role == ColumnRole::kTime && y.rank < kRunRank && !y.per_epoch;
  return column.meaning.role == ColumnRole::kTokens && (of_step || y.role == ColumnRole::kRate);
}

constexpr std::size_t kFewValues = 5;

/// Whether groups by a column, too, keep enough scales for a law in most rows that had them before.
bool keeps_scales(const TableProfile& profile, const std::string& column,
                  std::vector<std::string> by, const std::string& x) {
  constexpr std::size_t kScalesOfLaw = 3;
  constexpr double kMost = 0.5;
  const double before = share_at_scales(profile, by, x, kScalesOfLaw);
  by.push_back(column);
  return share_at_scales(profile, by, x, kScalesOfLaw) >= kMost * before;
}

/// Whether a column names nights of one job. They are taken together, unless they show a change of
/// level, which is told with them.
bool names_nights(const ColumnProfile& column) {
  constexpr std::size_t kFewestNights = 4;
  return column.values.size() >= kFewestNights && is_night_name(column.name);
}

/// Whether a column of many values plainly names things: "node017", a cluster, a commit.
bool names_things(const ColumnProfile& column) {
  if (column.is_number()) return false;
  const ColumnRole role = column.meaning.role;
  if (role == ColumnRole::kScale || role == ColumnRole::kSystem || role == ColumnRole::kRun) {
    return true;
  }
  const auto numbered = std::ranges::count_if(column.values, [](const std::string& value) {
    return !value.empty() && value.back() >= '0' && value.back() <= '9';
  });
  return 2 * static_cast<std::size_t>(numbered) > column.values.size();
}

}  // namespace

double share_at_scales(const TableProfile& profile, const std::vector<std::string>& by,
                       const std::string& x, std::size_t fewest) {
  const ColumnProfile* const scale = profile.column(x);
  if (scale == nullptr || profile.rows() == 0) return 0;
  const ColumnProfiles keys = profile.columns(by);
  std::map<std::vector<std::uint32_t>, std::pair<std::set<std::uint32_t>, std::size_t>> groups;
  for (std::size_t row = 0; row < profile.rows(); ++row) {
    auto& [scales, rows] = groups[codes_at(keys, row)];
    scales.insert(scale->codes[row]);
    ++rows;
  }
  std::size_t enough = 0;
  for (const auto& [key, group] : groups) enough += group.first.size() >= fewest ? group.second : 0;
  return static_cast<double>(enough) / static_cast<double>(profile.rows());
}

std::vector<UngroupedColumn> told_ungrouped(const TableProfile& profile,
                                            std::span<const std::string> names,
                                            const std::vector<std::string>& by,
                                            const std::string& x) {
  std::vector<UngroupedColumn> told;
  for (const std::string& name : names) {
    const ColumnProfile& column = *profile.column(name);
    if (names_nights(column)) continue;
    const std::size_t values = column.values.size();
    const bool makes_groups =
        values <= kFewValues || (!x.empty() && keeps_scales(profile, name, by, x));
    if (makes_groups || !names_things(column)) told.push_back({name, values, makes_groups});
  }
  return told;
}

bool is_ungrouped(const TableProfile& profile, const ChosenColumns& columns,
                  const ColumnProfile& column) {
  ColumnProfiles fixed = profile.columns(columns.by);
  if (!columns.x.empty()) fixed.push_back(profile.column(columns.x));
  std::erase(fixed, nullptr);
  const bool many =
      std::ranges::any_of(fixed, [](const ColumnProfile* one) { return one->has_many_values; });
  if (many) return false;  // Their values are not told apart.
  const std::string name = column.label();
  const bool told = std::ranges::find(columns.pooled, name) != columns.pooled.end();
  if (told || is_used(columns, name) || !could_be_group(column)) return false;
  if (is_apart_from_loss(column, columns) || is_apart_from_step(column, columns)) return false;
  if (is_same_beside(profile, column, columns)) return false;
  if (!tells_settings(column, varying_scale(profile, columns.x))) return false;
  return varies_within(column, fixed) && !repeats_tell(profile, column, fixed);
}

std::vector<std::string> ungrouped_columns(const TableProfile& profile,
                                           const ChosenColumns& columns) {
  std::vector<std::string> found;
  for (const ColumnProfile& column : profile.columns()) {
    if (is_ungrouped(profile, columns, column)) found.push_back(column.label());
  }
  return found;
}

}  // namespace scalelaw
