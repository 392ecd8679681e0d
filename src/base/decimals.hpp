#pragma once

#include <cstddef>
#include <cstdint>

namespace scalelaw {

/// A column of rows whose separators are indexed, by index_separators or alike.
struct IndexedColumn {
  const char* text;           ///< Offsets count from here.
  const std::uint32_t* ends;  ///< Where the field of the first row ends; ends[-1]: the one before.
  std::size_t stride;         ///< Fields per row.
  std::uint32_t gap = 1;      ///< Bytes between the field before and this one.
};

/// What plain_decimal says of the fields of the first `count` rows: numbers, or NaN for fields that
/// it leaves to parse_number. Eight fields at a time where the processor has AVX-512.
///
/// kDecimalLead bytes must be readable before the end of each field.
/// @return Whether all are numbers.
bool plain_decimals(const IndexedColumn& column, std::size_t count, double* out);

/// The same field by field, from row `first` on.
bool plain_decimals_by_field(const IndexedColumn& column, std::size_t first, std::size_t count,
                             double* out);

/// What plain_decimals_wide did.
struct WideDecimals {
  std::size_t rows = 0;
  bool all = true;  ///< They are all numbers.
};
/// The same by vectors, for as many rows as fill them. Call it only if has_wide_decimals().
WideDecimals plain_decimals_wide(const IndexedColumn& column, std::size_t count, double* out);
bool has_wide_decimals();

}  // namespace scalelaw
