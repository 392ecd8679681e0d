#include "scalelaw/base/number.hpp"

#include <fast_float/fast_float.h>
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace scalelaw {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool equal_ignoring_case(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

}  // namespace

std::string exact_text(std::optional<double> number) {
  return number && std::isfinite(*number) ? fmt::format("{}", *number) : std::string();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
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
  return std::any_of(std::begin(kSpellings), std::end(kSpellings), [&](std::string_view spelling) {
    return equal_ignoring_case(text, spelling);
  });
}

void append_exact(std::string& out, double value) {
  if (value == 0) {
    out += std::signbit(value) ? "-0" : "0";
  } else if (!std::isfinite(value)) {
    out += std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  } else {
    constexpr std::size_t kLongest = 32;  // "-1.7976931348623157e+308" has 24 characters.
    const std::size_t size = out.size();
    out.resize(size + kLongest);
    char* const end = fmt::format_to(out.data() + size, FMT_COMPILE("{}"), value);
    out.resize(static_cast<std::size_t>(end - out.data()));
  }
}

}  // namespace scalelaw
