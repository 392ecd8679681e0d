#include "render/gnuplot/fonts.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/code_points.hpp"
#include "render/gnuplot/run.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// The characters of a text that fonts may lack.
std::map<std::uint32_t, std::string> characters_of_scripts(std::string_view text) {
  std::map<std::uint32_t, std::string> characters;
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      text.remove_prefix(1);
      continue;
    }
    const std::string_view rest = text;
    const CodePoint code = take_code_point(text);
    if (is_of_a_script(code.value)) characters.emplace(code.value, rest.substr(0, code.bytes));
  }
  return characters;
}

/// Takes out of `characters` those of a range as fontconfig writes it: "4e00-9fff", "20ac".
void remove_range(std::string_view range, std::map<std::uint32_t, std::string>& characters) {
  std::uint32_t first = 0;
  const char* const end = range.data() + range.size();
  const auto begin = std::from_chars(range.data(), end, first, 16);
  if (begin.ec != std::errc()) return;
  std::uint32_t last = first;
  if (begin.ptr != end) std::from_chars(begin.ptr + 1, end, last, 16);
  characters.erase(characters.lower_bound(first), characters.upper_bound(last));
}

std::string list_of(const std::map<std::uint32_t, std::string>& characters) {
  std::string list;
  for (const auto& [code, character] : characters) list += (list.empty() ? "" : " ") + character;
  return shortened(list, 60);
}

}  // namespace

void refuse_what_no_font_has(std::string_view text) {
  std::map<std::uint32_t, std::string> missing = characters_of_scripts(text);
  if (missing.empty()) return;
  const std::optional<std::string> ranges = output_of({"fc-list", "--format", "%{charset} "});
  if (!ranges) {
    throw DataError(fmt::format(
        "PNG and PDF show {} only where a font has {}, which cannot be found out without fc-list. "
        "Write an SVG (-o FILE.svg), or install fontconfig; on Debian: apt install fontconfig",
        list_of(missing), missing.size() == 1 ? "it" : "them"));
  }
  for (const std::string& range : split(*ranges, ' ')) remove_range(range, missing);
  if (missing.empty()) return;
  throw DataError(fmt::format(
      "no font on this machine has {}, so that PNG and PDF cannot show names with {}. Write an SVG "
      "(-o FILE.svg), or install a font; on Debian: apt install fonts-noto-cjk for Chinese, "
      "Japanese "
      "and Korean, fonts-noto-color-emoji for emoji, fonts-noto for all others",
      list_of(missing), missing.size() == 1 ? "it" : "them"));
}

}  // namespace scalelaw
