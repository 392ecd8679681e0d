#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "input/wide_table.hpp"
#include "runs/look_parts.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// Numbers that could be scales: three or more, all different, above 0, and no years.
bool could_be_scales(const std::vector<std::string>& numbers) {
  constexpr std::size_t kFewest = 3;
  std::set<double> values;
  for (const std::string& number : numbers) values.insert(parse_number(number).value_or(0));
  const bool years = *values.begin() >= 1900 && *values.rbegin() <= 2100;
  return values.size() >= kFewest && values.size() == numbers.size() && *values.begin() > 0 &&
         !years;
}

/// The name of a column whose header cell names the scale above the names of the rows:
/// "GPUs,1,2,4".
std::string corner_of(const TableProfile& profile) {
  for (const ColumnProfile& column : profile.columns()) {
    if (column.name.empty()) continue;
    const bool is_corner = column.meaning.role == ColumnRole::kScale && column.texts > 0;
    return is_corner ? column.name : "";
  }
  return "";
}

/// What the numbers in the names of columns count; empty if they are no scales.
/// @param rest  What the names share beside the number.
std::string scale_in_names(const TableProfile& profile, const std::string& rest) {
  if (rest == kUnnamedValue) {
    const std::string corner = corner_of(profile);
    return corner.empty() ? "scale" : corner;
  }
  for (const std::string& word : split(rest, '_')) {
    if (meaning_of(word).role == ColumnRole::kScale)
      return word + (word.ends_with('s') ? "es" : "s");
  }
  const ColumnRole role = meaning_of(rest).role;
  const bool measured = role == ColumnRole::kTime || role == ColumnRole::kRate;
  return measured || rest.size() == 1 ? "scale" : "";
}

}  // namespace

std::optional<WideReading> wide_reading(const LookState& state, const TableLook& look) {
  if (!look.scales.empty() || (!look.x.empty() && !look.y.empty())) return std::nullopt;
  const auto wide = wide_columns(state.header.names, "");
  if (!wide || !could_be_scales(wide->scales)) return std::nullopt;
  WideReading reading;
  for (const std::size_t place : wide->places.front()) {
    const ColumnProfile* const column = state.profile.column(state.header.names[place]);
    if (column == nullptr || column->numbers == 0) return std::nullopt;
    reading.columns.push_back(column->name);
  }
  const std::string& rest = wide->names.front();
  // Beside a scale the numbers tell repeats: "gpus,run1,run2,run3".
  reading.scale = look.x.empty()          ? scale_in_names(state.profile, rest)
                  : rest == kUnnamedValue ? "repeat"
                                          : rest;
  return reading.scale.empty() ? std::nullopt : std::optional(std::move(reading));
}

void find_rows_of_measures(LookState& state, TableLook& look) {
  const ColumnProfile* const rows = state.profile.column(kNamesOfRows);
  if (state.options.layout.wide.empty() || rows == nullptr || look.y != kUnnamedValue) return;
  std::vector<std::string> derived;
  std::size_t rates = 0;
  for (const std::string& name : rows->values) {
    const ColumnRole role = meaning_of(name).role;
    if (role == ColumnRole::kDerived && name.find(',') == name.npos) derived.push_back(name);
    rates += role == ColumnRole::kRate ? 1 : 0;
  }
  const std::size_t measured = rows->values.size() - derived.size();
  if (rates > 0 && rates == measured) look.response = "rate";
  if (derived.empty() || measured == 0) return;
  look.findings.push_back(
      {"derived_rows", fmt::format("Computed from other rows, and left out by the commands: {}.",
                                   joined(derived))});
  state.where.push_back(fmt::format("{}!={}", kNamesOfRows, joined(derived, ",")));
}

}  // namespace scalelaw
