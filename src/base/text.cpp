#include "scalelaw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// The number of edits (insert, delete, replace, swap of neighbours) that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

// The number of bytes in the UTF-8 sequence that begins with `lead`; 0 if none does.
int sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// The second byte reveals overlong forms, surrogates and values above U+10FFFF.
bool second_byte_fits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second <= 0x9F;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second <= 0x8F;
    default:
      return true;
  }
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> choices) {
  constexpr std::size_t kLongest = 64;  // Nobody mistypes a longer name; the table is quadratic.
  if (word.size() > kLongest) return std::nullopt;
  const std::string wanted = lower_case(word);
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const auto& choice : choices) {
    if (choice.size() > kLongest) continue;
    const std::size_t distance = edit_distance(wanted, lower_case(choice));
    if (best == nullptr || distance < best_distance) {
      best = &choice;
      best_distance = distance;
    }
  }
  if (best == nullptr || best_distance * 3 > std::max(word.size(), best->size()))
    return std::nullopt;
  return *best;
}

std::string joined(std::span<const std::string> words, std::string_view separator) {
  std::string out;
  for (const auto& word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  if (text.empty()) return pieces;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    pieces.emplace_back(trimmed(text.substr(start, end - start)));
    if (end == std::string_view::npos) return pieces;
    start = end + 1;
  }
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 40;
  const bool cut = text.size() > kMost;
  if (cut) {
    text = text.substr(0, kMost);
    // Never cuts inside a UTF-8 sequence.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
      text.remove_suffix(1);
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.remove_suffix(1);
  }
  const bool utf8 = is_utf8(text);
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !utf8)) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += cut ? "...\"" : "\"";
  return out;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const int length = sequence_length(lead);
    if (length == 0 || i + length > text.size()) return false;
    for (int k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    }
    if (length > 1 && !second_byte_fits(lead, static_cast<unsigned char>(text[i + 1])))
      return false;
    i += length;
  }
  return true;
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto x = parse_number(a);
  const auto y = parse_number(b);
  if (x && y && *x != *y) return *x < *y;
  if (x.has_value() != y.has_value()) return x.has_value();
  return a < b;
}

}  // namespace scalelaw
