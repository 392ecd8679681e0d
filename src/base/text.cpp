#include "scalelaw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/code_points.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

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

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

bool in_ranges(std::uint32_t code, std::span<const Range> ranges) {
  return std::ranges::any_of(
      ranges, [code](Range range) { return code >= range.first && code <= range.last; });
}

// The large blocks of Unicode's EastAsianWidth.txt (W and F) and of emoji; no single characters.
constexpr Range kWide[] = {{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0x33FF},  {0x3400, 0x4DBF},
                           {0x4E00, 0x9FFF}, {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},
                           {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0x1F300, 0x1FAFF}};
constexpr Range kZeroWidth[] = {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x200B, 0x200F},
                                {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

std::size_t width_of(std::uint32_t code) {
  if (code < 0x300) return 1;
  if (in_ranges(code, kZeroWidth)) return 0;
  return in_ranges(code, kWide) || (code >= 0x20000 && code <= 0x3FFFD) ? 2 : 1;
}

bool is_plain_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

bool is_plain_in_json(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

/// C0 and C1 controls, line and paragraph separators, marks that turn the direction of text, and
/// what XML forbids.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F || code == 0x061C ||
         code == 0xFFFE || code == 0xFFFF;
}

/// "\n" and the like; empty for a control that has no letter.
std::string_view letter_escape(std::uint32_t code) {
  return code == '\n' ? "\\n" : code == '\t' ? "\\t" : code == '\r' ? "\\r" : "";
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
  return joined_texts(words, separator, [](const std::string& word) { return word; });
}

std::string joined_with_and(std::span<const std::string> words) {
  if (words.size() < 2) return joined(words);
  return joined(words.first(words.size() - 1)) + " and " + words.back();
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string part_of(std::size_t part, std::size_t all, std::string_view noun, std::string_view one,
                    std::string_view several) {
  return fmt::format("{} of {} {}", part, counted(all, noun), part == 1 ? one : several);
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

std::string shell_word(std::string_view word) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 40;
  const bool cut = text.size() > kMost;
  if (cut) {
    text = text.substr(0, kMost);
    // Never cuts inside a UTF-8 sequence.
    while (!text.empty() && is_continuation(text.back())) text.remove_suffix(1);
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

bool is_plain_in_list(std::string_view text) {
  constexpr std::size_t kLongest = 20;
  if (text.empty() || text.size() > kLongest || printable(text) != text) return false;
  const bool has_blank_end = text.front() == ' ' || text.back() == ' ';
  return !has_blank_end && text.front() != '\'' &&
         text.find_first_of(",\"") == std::string_view::npos;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    if (!take_code_point(text).valid) return false;
  }
  return true;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::optional<double> number_in_order(std::string_view text) {
  if (const auto number = parse_number(text)) return number;
  const auto factor = text.empty() ? std::nullopt : magnitude(text.substr(text.size() - 1));
  const auto number = factor ? parse_number(text.substr(0, text.size() - 1)) : std::nullopt;
  return number ? std::optional(*number * *factor) : std::nullopt;
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto x = number_in_order(a);
  const auto y = number_in_order(b);
  if (x && y && *x != *y) return *x < *y;
  if (x.has_value() != y.has_value()) return x.has_value();
  return a < b;
}

bool GroupLess::operator()(std::span<const std::string> a, std::span<const std::string> b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), natural_less);
}

void append_delimited(std::string& out, std::string_view field, char separator) {
  const bool at_line_start = out.empty() || out.back() == '\n';
  const bool is_comment = at_line_start && !field.empty() && field.front() == '#';
  const auto is_special = [separator](char c) {
    return c == separator || c == '"' || c == '\r' || c == '\n';
  };
  if (!is_comment && std::ranges::none_of(field, is_special)) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_delimited_row(std::string& out, std::span<const std::string> fields, char separator) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += separator;
    append_delimited(out, fields[i], separator);
  }
  out += '\n';
}

std::size_t display_width(std::string_view text) {
  if (is_plain_ascii(text)) return text.size();
  std::size_t width = 0;
  while (!text.empty()) width += width_of(take_code_point(text).value);
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
      const std::string_view letter = letter_escape(code.value);
      out += !letter.empty()      ? std::string(letter)
             : code.value < 0x100 ? fmt::format("\\x{:02x}", code.value)
                                  : fmt::format("\\u{:04x}", code.value);
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
    // Names are nearly always plain, and documents of many groups are full of them.
    const auto plain = static_cast<std::size_t>(
        std::ranges::find_if_not(text, [](char c) { return is_plain_in_json(c); }) - text.begin());
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const CodePoint code = first_code_point(text);
    const char c = text.front();
    if (!code.valid) {
      out += kReplacement;
    } else if (code.value < 0x20) {
      const std::string_view letter = letter_escape(code.value);
      out += letter.empty() ? fmt::format("\\u{:04x}", code.value) : std::string(letter);
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
