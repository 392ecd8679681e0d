#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scalelaw {

/// One code point at the start of a text, and how many bytes it takes.
struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;
  bool valid;  ///< False: the first byte begins no UTF-8 sequence.
};

/// Whether a byte is one behind the first of a UTF-8 sequence.
inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u;
}

/// The first code point of a text that is not empty.
CodePoint first_code_point(std::string_view text);

/// Removes the first code point from a text that is not empty.
CodePoint take_code_point(std::string_view& text);

/// Whether fonts may lack it: scripts other than Latin and Greek, and emoji. Punctuation, arrows
/// and signs are what figures themselves write; variation selectors have no shape.
constexpr bool is_of_a_script(std::uint32_t code) {
  return (code >= 0x0400 && code < 0x2000) ||
         (code >= 0x2E80 && !(code >= 0xFE00 && code <= 0xFE0F));
}

}  // namespace scalelaw
