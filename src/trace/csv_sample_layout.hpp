#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/csv_samples.hpp"
#include "trace/formats.hpp"

// What the columns of sampled series hold: names, units, limits.
namespace scalelaw {

constexpr std::size_t index_of(SampleColumn column) { return static_cast<std::size_t>(column); }

/// A header cell in lower case, without unit and brackets: "power.draw [W]" -> "power.draw",
/// "memory_used_MiB" -> "memory_used_mib".
std::string plain_name(std::string_view cell);

/// What each column of a table holds.
struct SampleLayout {
  std::size_t columns = 0;
  std::array<std::size_t, kSampleColumns> place{};
  std::array<double, kSampleColumns> factor{};  ///< Unit of bare numbers, from the header.
  std::size_t job = kNowhere;
  std::size_t name = kNowhere;   ///< The product's name, which may contain a comma.
  std::size_t limit = kNowhere;  ///< The power that the GPU may draw.

  std::size_t at(SampleColumn column) const { return place[index_of(column)]; }
  bool has(SampleColumn column) const { return at(column) != kNowhere; }
  bool has_units() const {
    return std::ranges::any_of(factor, [](double one) { return one != 1; });
  }
  bool measures() const {
    return has(SampleColumn::kSmUtil) || has(SampleColumn::kPower) || has(SampleColumn::kEnergy) ||
           has(SampleColumn::kMemUtil);
  }
};

/// The layout that a header tells. If it measures() nothing, it is none.
SampleLayout sample_layout_of(std::span<const std::string_view> cells,
                              std::span<const SampleColumnName> names, std::string_view job_column);

/// The fields of a row, without blanks or quotes around them.
std::vector<std::string_view> unquoted_fields(std::string_view line);

/// How many units of `column` are one `unit`; empty if they measure different things.
std::optional<double> factor_of(std::string_view unit, SampleColumn column);

/// Reads the units in the header's cells into the layout.
/// @throws DataError if a column's unit does not measure what the column holds.
void take_units(SampleLayout& layout, std::span<const std::string_view> cells,
                std::string_view where);

/// The greatest power in watts that a product may draw in any of its forms; NaN if the name is not
/// known. (The vendor's data sheets; V100 as in DGX-2H, A100 and B200 with raised limits.)
double greatest_power(std::string_view name);

}  // namespace scalelaw
