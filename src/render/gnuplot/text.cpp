#include "render/gnuplot/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kHarmless =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:_()=+/-";

bool is_harmless(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || kHarmless.find(c) != std::string_view::npos;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// How many bytes of `text` fit into so many columns, whole characters.
std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t fitting = 0;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    if (end < text.size() && !begins_character(text[end])) continue;
    if (display_width(text.substr(0, end)) > columns) break;
    fitting = end;
  }
  return fitting;
}

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
  return shown.substr(0, bytes_within(shown, std::max<std::size_t>(columns, 1) - 1)) + "\u2026";
}

std::vector<std::string> broken_lines(std::string_view text, std::size_t columns,
                                      std::size_t lines) {
  std::string rest = printable(text);
  std::vector<std::string> out;
  while (out.size() + 1 < lines && display_width(rest) > columns) {
    const std::size_t most = bytes_within(rest, columns);
    const std::size_t blank = rest.rfind(' ', most);
    const bool at_blank = blank != std::string::npos && blank > 0;
    out.push_back(rest.substr(0, at_blank ? blank : most));
    rest.erase(0, at_blank ? blank + 1 : most);
    if (most == 0) break;
  }
  out.push_back(shortened(rest, columns));
  return out;
}

}  // namespace scalelaw
