#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "input/block_buffer.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

// Plain files are cut into parts at any byte. A part begins with the first row behind its cut;
// if rows hold quotes, a scan finds which parts begin inside one.

inline const char* last_line_feed(const char* begin, const char* end) {
  return static_cast<const char*>(memrchr(begin, '\n', static_cast<std::size_t>(end - begin)));
}

inline const char* find_byte(const char* begin, const char* end, char byte) {
  return begin >= end ? nullptr
                      : static_cast<const char*>(
                            std::memchr(begin, byte, static_cast<std::size_t>(end - begin)));
}

/// A plain file that is read in parts.
struct Parts {
  explicit Parts(const std::string& path) : file(path), size(file.size()) {}

  InputFile file;
  std::uint64_t size;  ///< Its size when it was opened; it may grow.
  std::size_t index = 0;
  Header header;
  std::uint64_t part_bytes = 1;
  std::size_t count = 0;
  std::size_t next = 0;
  std::vector<char>
      begins_quoted;  ///< One per part once they were scanned; empty before a quote was met.

  std::uint64_t begin_of(std::size_t part) const {
    return std::min(header.end + part * part_bytes, std::max(size, header.end));
  }
};

/// The offset after the first line feed at or after `from` - 1: where a part that is cut at `from`
/// begins.
std::uint64_t aligned_begin(const Parts& parts, std::uint64_t from, BlockBuffer& buffer);

/// The end of the last whole row in [begin, end) that begins before `limit`; `begin` if there is
/// none.
const char* end_of_rows(const char* begin, const char* end, const char* limit);

/// Whether a part ends inside quotes, under both hypotheses on its begin.
struct QuoteOutcome {
  bool from_plain = false;
  bool from_quoted = true;
};

QuoteOutcome scan_part(const Parts& parts, std::size_t part);

/// Whether each part begins inside quotes.
std::vector<char> begins_of(std::span<const QuoteOutcome> outcomes);

}  // namespace scalelaw
