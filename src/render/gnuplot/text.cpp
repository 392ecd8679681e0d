#include "render/gnuplot/text.hpp"

#include <fmt/format.h>

#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kHarmless =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:_()=+/-";

bool is_harmless(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || kHarmless.find(c) != std::string_view::npos;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

std::string gnuplot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (is_harmless(c)) {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out + "\"";
}

std::string shortened(std::string_view text, std::size_t columns) {
  const std::string shown = printable(text);
  if (display_width(shown) <= columns) return shown;
  std::string out;
  for (std::size_t i = 0; i < shown.size();) {
    std::size_t end = i + 1;
    while (end < shown.size() && !begins_character(shown[end])) ++end;
    const std::string longer = out + shown.substr(i, end - i);
    if (display_width(longer) + 1 > columns) break;
    out = longer;
    i = end;
  }
  return out + "\u2026";
}

}  // namespace scalelaw
