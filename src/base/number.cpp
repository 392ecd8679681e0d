#include "scalelaw/base/number.hpp"

#include <dragonbox/dragonbox.h>
#include <fast_float/fast_float.h>
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace scalelaw {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool equal_ignoring_case(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

/// Appends digits * 10^exponent as fmt's "{}" writes it: with an exponent below 1e-4 and from 1e16.
void append_decimal(std::string& out, const fmt::format_int& digits, int exponent) {
  const char* const text = digits.data();
  const int count = static_cast<int>(digits.size());
  const int point = count + exponent;  // How many digits stand before the decimal point.
  std::array<char, 32> room;           // The longest are "0.0001234..." and "1.234...e-308".
  char* end = room.data();
  const auto put = [&end](const char* begin, int length) { end = std::copy_n(begin, length, end); };
  if (point < -3 || point > 16) {
    *end++ = *text;
    if (count > 1) *end++ = '.';
    put(text + 1, count - 1);
    end = fmt::format_to(end, FMT_COMPILE("e{:+03}"), point - 1);
  } else if (point <= 0) {
    put("0.0000", 2 - point);
    put(text, count);
  } else if (point < count) {
    put(text, point);
    *end++ = '.';
    put(text + point, count - point);
  } else {
    put(text, count);
    end = std::fill_n(end, exponent, '0');
  }
  out.append(room.data(), static_cast<std::size_t>(end - room.data()));
}

}  // namespace

std::string exact_text(std::optional<double> number) {
  return number && std::isfinite(*number) ? fmt::format("{}", *number) : std::string();
}

std::string_view trimmed(std::string_view text) {
  // Not find_first_not_of: it searches its set anew for every character.
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  // fast_float also accepts "inf" and "nan". A number has a digit or a point after its sign.
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (first >= text.size()) return std::nullopt;
  const char c = text[first];
  if (c != '.' && (c < '0' || c > '9')) return std::nullopt;
  double value = 0;
  const auto result = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ptr != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> magnitude(std::string_view word) {
  if (word.empty()) return std::nullopt;
  if (word.size() > 1) {
    static constexpr std::pair<std::string_view, double> kWords[] = {
        {"bn", 1e9}, {"thousand", 1e3}, {"million", 1e6}, {"billion", 1e9}, {"trillion", 1e12}};
    for (const auto& [name, factor] : kWords) {
      if (name.size() == word.size() && name == word) return factor;
    }
    return std::nullopt;
  }
  switch (word.front()) {
    case 'k':
    case 'K':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
    case 'B':
    case 'b':
      return 1e9;
    case 'T':
      return 1e12;
    default:
      return std::nullopt;
  }
}

bool is_infinite(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.starts_with('+') || text.starts_with('-')) return false;
  double value = 0;
  const auto result = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  return result.ptr == text.data() + text.size() && std::isinf(value);
}

bool is_missing(std::string_view text) {
  text = trimmed(text);
  static constexpr std::string_view kSpellings[] = {"",    "na",  "n/a", "[n/a]", "[not supported]",
                                                    "nan", "null"};
  return std::ranges::any_of(
      kSpellings, [&](std::string_view spelling) { return equal_ignoring_case(text, spelling); });
}

void append_exact(std::string& out, double value) {
  if (value == 0) {
    out += std::signbit(value) ? "-0" : "0";
  } else if (!std::isfinite(value)) {
    out += std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  } else {
    if (value < 0) out += '-';
    const auto decimal = jkj::dragonbox::to_decimal(std::abs(value));
    append_decimal(out, fmt::format_int(decimal.significand), decimal.exponent);
  }
}

}  // namespace scalelaw
