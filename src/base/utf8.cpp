#include "scalelaw/base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace scalelaw {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// One code point at the start of a text, and the bytes it takes.
struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;
  bool valid;  ///< False: the first byte begins no UTF-8 sequence.
};

constexpr CodePoint kInvalid{0xFFFD, 1, false};

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

CodePoint decode_sequence(std::string_view text, std::size_t bytes, std::uint32_t value,
                          std::uint32_t least) {
  if (text.size() < bytes) return kInvalid;
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return kInvalid;
    value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  // Overlong forms, surrogates and what lies beyond Unicode are no UTF-8.
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return kInvalid;
  return {value, bytes, true};
}

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  if (lead >= 0xC2 && lead < 0xE0) return decode_sequence(text, 2, lead & 0x1Fu, 0x80);
  if (lead >= 0xE0 && lead < 0xF0) return decode_sequence(text, 3, lead & 0x0Fu, 0x800);
  if (lead >= 0xF0 && lead < 0xF5) return decode_sequence(text, 4, lead & 0x07u, 0x10000);
  return kInvalid;
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

bool in_ranges(std::uint32_t code, const auto& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](Range range) { return code >= range.first && code <= range.last; });
}

// The large blocks of Unicode's EastAsianWidth.txt (W and F) and of emoji; single characters are
// not worth a table.
constexpr std::array<Range, 11> kWide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0x33FF},
                                       {0x3400, 0x4DBF},
                                       {0x4E00, 0x9FFF},
                                       {0xA000, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0x1F300, 0x1FAFF}}};
constexpr std::array<Range, 6> kZeroWidth{{{0x0300, 0x036F},
                                           {0x1AB0, 0x1AFF},
                                           {0x200B, 0x200F},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE0F},
                                           {0xFE20, 0xFE2F}}};

std::size_t width_of(std::uint32_t code) {
  if (code < 0x300) return 1;
  if (in_ranges(code, kZeroWidth)) return 0;
  return in_ranges(code, kWide) || (code >= 0x20000 && code <= 0x3FFFD) ? 2 : 1;
}

bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

/// C0 and C1 controls, line and paragraph separators, and the marks that turn the direction of
/// text.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

void append_visible_control(std::string& out, std::uint32_t code) {
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\t') {
    out += "\\t";
  } else if (code == '\r') {
    out += "\\r";
  } else if (code < 0x100) {
    out += fmt::format("\\x{:02x}", code);
  } else {
    out += fmt::format("\\u{:04x}", code);
  }
}

void append_json_control(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
}
}  // namespace

std::size_t display_width(std::string_view text) {
  if (is_plain_ascii(text)) return text.size();
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint code = first_code_point(text);
    width += width_of(code.value);
    text.remove_prefix(code.bytes);
  }
  return width;
}

std::string printable(std::string_view text) {
  if (is_plain_ascii(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const CodePoint code = first_code_point(text);
    if (!code.valid) {
      out += kReplacement;
    } else if (is_control(code.value)) {
      append_visible_control(out, code.value);
    } else {
      out.append(text.substr(0, code.bytes));
    }
    text.remove_prefix(code.bytes);
  }
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const CodePoint code = first_code_point(text);
    const char c = text.front();
    if (!code.valid) {
      out += kReplacement;
    } else if (code.value < 0x20) {
      append_json_control(out, c);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      out.append(text.substr(0, code.bytes));
    }
    text.remove_prefix(code.bytes);
  }
  out += '"';
}
}  // namespace scalelaw
