#pragma once

#include <cstddef>
#include <cstdint>

namespace scalelaw {

/// What index_separators saw.
struct SeparatorIndex {
  std::size_t count;       ///< Separators and line feeds written to the index.
  std::size_t line_feeds;  ///< Line feeds among them.
  bool quotes;             ///< A quote was seen: the index then says nothing about rows.
};

/// Writes the offsets of all separators and line feeds in [begin, begin + length) to `out`, which
/// has room for length + 64. Reads nothing beyond the end. Uses the widest vectors that the
/// processor has.
SeparatorIndex index_separators(const char* begin, std::size_t length, char separator,
                                std::uint32_t* out);

/// The same with the vectors that every processor has, and with 32-byte vectors: the latter only
/// where has_wide_separator_index() says that the processor has them.
SeparatorIndex index_separators_portable(const char* begin, std::size_t length, char separator,
                                         std::uint32_t* out);
SeparatorIndex index_separators_wide(const char* begin, std::size_t length, char separator,
                                     std::uint32_t* out);
bool has_wide_separator_index();

}  // namespace scalelaw
