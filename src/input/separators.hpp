#pragma once

#include <cstddef>
#include <cstdint>

namespace scalelaw {

/// The findings of index_separators.
struct SeparatorIndex {
  std::size_t count;       ///< Separators and line feeds written to the index.
  std::size_t line_feeds;  ///< Line feeds among them.
  bool quotes;             ///< There is a quote, so the index says nothing about rows.
};

/// Writes the offsets of all separators and line feeds in [begin, begin + length) to `out`, which
/// has room for length + 64. Reads nothing beyond the end. Uses the widest vectors there are.
SeparatorIndex index_separators(const char* begin, std::size_t length, char separator,
                                std::uint32_t* out);

/// The same with vectors that every processor has, with 32-byte vectors, and with 64-byte vectors.
/// Use the latter only if the processor has them, which the functions below tell.
SeparatorIndex index_separators_portable(const char* begin, std::size_t length, char separator,
                                         std::uint32_t* out);
SeparatorIndex index_separators_wide(const char* begin, std::size_t length, char separator,
                                     std::uint32_t* out);
SeparatorIndex index_separators_widest(const char* begin, std::size_t length, char separator,
                                       std::uint32_t* out);
bool has_wide_separator_index();
bool has_widest_separator_index();

}  // namespace scalelaw
