#include "trace/csv_sample_layout.hpp"

#include <fmt/format.h>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {

using enum SampleColumn;

std::string plain_name(std::string_view cell) {
  const std::string_view name = trimmed(cell.substr(0, cell.find('[')));
  return lower_case(name);
}

SampleLayout sample_layout_of(std::span<const std::string_view> cells,
                              std::span<const SampleColumnName> names,
                              std::string_view job_column) {
  SampleLayout layout;
  layout.columns = cells.size();
  layout.place.fill(kNowhere);
  layout.factor.fill(1);
  std::vector<std::string> header;
  header.reserve(cells.size());
  for (const std::string_view cell : cells) header.push_back(plain_name(cell));
  for (const SampleColumnName& known : names) {
    std::size_t& place = layout.place[index_of(known.column)];
    if (place == kNowhere) place = place_of(header, known.name);
  }
  layout.name = place_of(header, "name");
  for (const std::string_view name : {"power.limit", "enforced.power.limit"}) {
    if (layout.limit == kNowhere) layout.limit = place_of(header, name);
  }
  if (!job_column.empty()) layout.job = place_of(header, plain_name(job_column));
  return layout;
}

std::vector<std::string_view> unquoted_fields(std::string_view line) {
  std::vector<std::string_view> fields = trimmed_fields(line);
  for (std::string_view& field : fields) {
    // R and pandas write quotes around cells. No cell of a sample has a quote of its own.
    if (field.size() > 1 && field.starts_with('"') && field.ends_with('"')) {
      field = trimmed(field.substr(1, field.size() - 2));
    }
  }
  return fields;
}

std::optional<double> factor_of(std::string_view unit, SampleColumn column) {
  static constexpr std::pair<SampleColumn, double Sample::*> kQuantities[] = {
      {kPower, &Sample::power_w}, {kEnergy, &Sample::energy_j}, {kMemUsed, &Sample::mem_used_mib}};
  if (column == kSmUtil || column == kMemUtil)
    return unit == "%" ? std::optional(1.0) : std::nullopt;
  const UnitFactor* const known = unit_factor(unit);
  for (const auto& [of, quantity] : kQuantities) {
    if (of == column && known != nullptr && known->quantity == quantity) return known->factor;
  }
  return std::nullopt;
}

void take_units(SampleLayout& layout, std::span<const std::string_view> cells,
                std::string_view where) {
  for (const SampleColumn column : {kSmUtil, kMemUtil, kMemUsed, kPower, kEnergy}) {
    if (!layout.has(column)) continue;
    const std::string_view cell = cells[layout.at(column)];
    const std::string_view unit = column_label(cell).unit;
    if (unit.empty()) continue;
    const auto factor = factor_of(unit, column);
    if (!factor) {
      throw DataError(fmt::format(
          "{}: column '{}': the unit {} does not fit what this column holds", where, cell, unit));
    }
    layout.factor[index_of(column)] = *factor;
  }
}

double greatest_power(std::string_view name) {
  struct Product {
    std::string_view word;
    double watts;
  };
  static constexpr Product kProducts[] = {
      {"T4", 70},    {"P4", 75},    {"L4", 72},    {"A2", 60},    {"A10", 150},
      {"A30", 165},  {"A40", 300},  {"L40", 300},  {"L40S", 350}, {"P100", 300},
      {"V100", 450}, {"A100", 500}, {"H100", 700}, {"H200", 700}, {"B200", 1200}};
  while (!name.empty()) {
    const std::string_view word = name.substr(0, name.find_first_of(" -_"));
    for (const Product& product : kProducts) {
      if (product.word == word) return product.watts;
    }
    name.remove_prefix(std::min(word.size() + 1, name.size()));
  }
  return Sample::kNone;
}

}  // namespace scalelaw
