#include "base/code_points.hpp"

namespace scalelaw {
namespace {

constexpr CodePoint kInvalid{0xFFFD, 1, false};

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

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  if (lead >= 0xC2 && lead < 0xE0) return decode_sequence(text, 2, lead & 0x1Fu, 0x80);
  if (lead >= 0xE0 && lead < 0xF0) return decode_sequence(text, 3, lead & 0x0Fu, 0x800);
  if (lead >= 0xF0 && lead < 0xF5) return decode_sequence(text, 4, lead & 0x07u, 0x10000);
  return kInvalid;
}

CodePoint take_code_point(std::string_view& text) {
  const CodePoint code = first_code_point(text);
  text.remove_prefix(code.bytes);
  return code;
}

}  // namespace scalelaw
