#include "input/file_parts.hpp"

namespace scalelaw {
namespace {

/// Where the row or comment line that begins at `row` ends (after its line feed), or nullptr if not
/// in [row, end).
const char* after_row(const char* row, const char* end) {
  if (*row == '#') {
    const char* const line_feed = find_byte(row, end, '\n');
    return line_feed == nullptr ? nullptr : line_feed + 1;
  }
  const std::size_t length = row_end({row, static_cast<std::size_t>(end - row)});
  return length == std::string_view::npos ? nullptr : row + length + 1;
}

/// Whether, begun with `quoted`, the text ends inside quotes. It begins and ends after a line feed
/// of any kind.
bool ends_quoted(const char* begin, const char* end, bool quoted) {
  for (const char* at = begin; at < end;) {
    if (quoted) {
      const char* const closing = find_byte(at, end, '"');
      if (closing == nullptr) return true;
      quoted = false;
      at = closing + 1;
      continue;
    }
    if (*at == '#' && (at == begin || at[-1] == '\n')) {
      const char* const line_feed = find_byte(at, end, '\n');
      at = line_feed == nullptr ? end : line_feed + 1;
      continue;
    }
    const char* const line_feed = find_byte(at, end, '\n');
    const char* const stop = line_feed == nullptr ? end : line_feed;
    const char* const quote = find_byte(at, stop, '"');
    quoted = quote != nullptr;
    at = quoted ? quote + 1 : std::min(stop + 1, end);
  }
  return quoted;
}

}  // namespace

std::uint64_t aligned_begin(const Parts& parts, std::uint64_t from, BlockBuffer& buffer) {
  if (from <= parts.header.end) return parts.header.end;
  for (std::uint64_t at = from - 1;;) {
    const std::size_t got = parts.file.read_at(buffer.read_target(), kPage, at);
    if (got == 0) return at;
    const char* const found = find_byte(buffer.read_target(), buffer.read_target() + got, '\n');
    if (found != nullptr) return at + static_cast<std::uint64_t>(found - buffer.read_target()) + 1;
    at += got;
  }
}

const char* end_of_rows(const char* begin, const char* end, const char* limit) {
  const char* at = begin;
  while (at < end && at < limit) {
    const char* const next = after_row(at, end);
    if (next == nullptr) break;
    at = next;
  }
  return at;
}

QuoteOutcome scan_part(const Parts& parts, std::size_t part) {
  BlockBuffer buffer;
  const std::uint64_t begin = aligned_begin(parts, parts.begin_of(part), buffer);
  const std::uint64_t end = aligned_begin(parts, parts.begin_of(part + 1), buffer);
  QuoteOutcome outcome;
  char* from = buffer.read_target();
  for (std::uint64_t at = begin; at < end;) {
    const std::size_t got = parts.file.read_at(
        buffer.read_target(), std::min<std::uint64_t>(buffer.read_bytes(), end - at), at);
    if (got == 0) break;
    at += got;
    const char* const stop = buffer.read_target() + got;
    const char* const line_feed = last_line_feed(from, stop);
    const char* const whole =
        line_feed == nullptr || at >= end ? (at >= end ? stop : from) : line_feed + 1;
    outcome.from_plain = ends_quoted(from, whole, outcome.from_plain);
    outcome.from_quoted = ends_quoted(from, whole, outcome.from_quoted);
    from = buffer.carry(whole, stop);
  }
  return outcome;
}

std::vector<char> begins_of(std::span<const QuoteOutcome> outcomes) {
  std::vector<char> begins;
  bool quoted = false;
  for (const QuoteOutcome& outcome : outcomes) {
    begins.push_back(quoted ? 1 : 0);
    quoted = quoted ? outcome.from_quoted : outcome.from_plain;
  }
  return begins;
}

}  // namespace scalelaw
