#include "scalelaw/runs/night_order.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "runs/column_words.hpp"
#include "scalelaw/base/date.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

using Texts = std::vector<std::string>;

bool is_night_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::size_t digits_at_front(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

/// Runs of digits by their value, the rest by its letters.
bool part_less(const std::string& a, const std::string& b) {
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    const std::size_t digits_x = digits_at_front(x);
    const std::size_t digits_y = digits_at_front(y);
    if (digits_x == 0 || digits_y == 0) {
      if (x.front() != y.front()) return x.front() < y.front();
      x.remove_prefix(1);
      y.remove_prefix(1);
      continue;
    }
    const auto first = parse_number(x.substr(0, digits_x));
    const auto second = parse_number(y.substr(0, digits_y));
    if (first != second) return first < second;
    x.remove_prefix(digits_x);
    y.remove_prefix(digits_y);
  }
  return x.empty() != y.empty() ? x.empty() : a < b;
}

/// A version, and what stands behind its numbers: "2.1.0" and "rc1" of "v2.1.0rc1".
std::pair<std::string, std::string> split_version(const std::string& text) {
  const bool has_v = text.size() > 1 && text.front() == 'v' && is_night_digit(text[1]);
  const std::string version = text.substr(has_v ? 1 : 0);
  const std::size_t end = std::min(version.find_first_not_of("0123456789."), version.size());
  return {version.substr(0, end), version.substr(end)};
}

/// Versions by their numbers. One that is not released yet, "2.1.0rc1", comes before its release.
bool version_less(const std::string& a, const std::string& b) {
  const auto [number_a, rest_a] = split_version(a);
  const auto [number_b, rest_b] = split_version(b);
  if (part_less(number_a, number_b)) return true;
  if (part_less(number_b, number_a)) return false;
  if (rest_a.empty() == rest_b.empty()) {
    if (part_less(rest_a, rest_b)) return true;
    return !part_less(rest_b, rest_a) && a < b;  // "v1.9" and "1.9" are two.
  }
  constexpr std::string_view kEarly[] = {"a",  "b",  "rc",  "dev",  "pre",
                                         "-a", "-b", "-rc", "-dev", "-pre"};
  const std::string& rest = rest_a.empty() ? rest_b : rest_a;
  const bool is_early =
      std::ranges::any_of(kEarly, [&](std::string_view word) { return rest.starts_with(word); });
  return rest_a.empty() != is_early;
}

template <typename Holds>
bool all_of(const Texts& values, Holds holds) {
  return std::ranges::all_of(values, holds);
}

bool looks_like_hash(std::string_view text) {
  constexpr std::size_t kFewest = 7;
  return text.size() >= kFewest && std::ranges::any_of(text, is_letter) &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

/// Seconds and nanoseconds, in UTC where a zone is told.
std::optional<std::pair<std::int64_t, std::int64_t>> time_of(std::string_view text) {
  const auto date = read_date(text);
  if (!date) return std::nullopt;
  return std::pair{date->seconds - date->ahead.value_or(0), date->nanoseconds};
}

bool date_less(const std::string& a, const std::string& b) {
  const auto x = time_of(a);
  const auto y = time_of(b);
  return x != y ? x < y : a < b;
}

/// The letters and signs before the first digit that all values have in common.
std::string common_front(const Texts& values) {
  const std::string& first = values.front();
  const std::string front = first.substr(0, first.find_first_of("0123456789"));
  const bool is_common = all_of(values, [&front](const std::string& value) {
    return value.starts_with(front) && value.size() > front.size() &&
           is_night_digit(value[front.size()]);
  });
  return is_common ? front : "";
}

/// "#-W#" of "2026-W03".
std::string without_digits(std::string_view text) {
  std::string shape;
  for (const char c : text) {
    if (!is_night_digit(c)) {
      shape += c;
    } else if (!shape.ends_with('#')) {
      shape += '#';
    }
  }
  return shape;
}

/// Whether a year stands behind other numbers, as in 03/04/2026: the numbers are then not in the
/// order of time.
bool has_late_year(std::string_view text) {
  constexpr std::size_t kDigitsOfYear = 4;
  bool is_first = true;
  while (!text.empty()) {
    const std::size_t digits = digits_at_front(text);
    const bool is_year =
        digits == kDigitsOfYear && (text.starts_with("19") || text.starts_with("20"));
    if (is_year && !is_first) return true;
    if (digits > 0) is_first = false;
    text.remove_prefix(std::max<std::size_t>(digits, 1));
  }
  return false;
}

/// Whether a text has two slashes, as 03/04/26 has, which means other days to other people.
bool has_slashes(std::string_view text) { return std::ranges::count(text, '/') > 1; }

/// A number and what may stand behind it: "2.1.0", "2.1.0rc1", "1.13+cu118".
bool is_version(const std::string& text, bool needs_point) {
  const auto [number, rest] = split_version(text);
  if (number.empty() || number.back() == '.' || number.find("..") != std::string::npos)
    return false;
  if (needs_point && number.find('.') == std::string::npos) return false;
  return std::ranges::all_of(rest, [](char c) {
    return is_night_digit(c) || is_letter(c) || c == '.' || c == '+' || c == '-' || c == '_';
  });
}

/// What orders the values; null if nothing does.
/// @param rests  The values without what all have in front.
bool (*order_of(const Texts& values, const Texts& rests, bool names_versions))(const std::string&,
                                                                               const std::string&) {
  if (all_of(values, [](const auto& value) { return time_of(value).has_value(); }))
    return date_less;
  if (std::ranges::any_of(values, looks_like_hash)) return nullptr;
  if (!names_versions &&
      all_of(values, [](const auto& value) { return number_in_order(value).has_value(); })) {
    return [](const std::string& a, const std::string& b) { return natural_less(a, b); };
  }
  const auto could_be = [&](const std::string& rest) { return is_version(rest, !names_versions); };
  if (all_of(rests, could_be)) return version_less;
  const std::string shape = without_digits(rests.front());
  const bool differ_in_numbers = all_of(rests, [&shape](const std::string& rest) {
    return is_night_digit(rest.front()) && without_digits(rest) == shape && !has_late_year(rest) &&
           !has_slashes(rest);
  });
  return differ_in_numbers ? part_less : nullptr;
}

}  // namespace

std::optional<Texts> in_own_order(Texts values, std::string_view header) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() < 2) return values;
  if (std::ranges::any_of(values, [](const auto& one) { return one.empty(); })) {
    return std::nullopt;
  }
  const std::size_t front = common_front(values).size();
  Texts rests;
  for (const std::string& value : values) rests.push_back(value.substr(front));
  // What hashes begin with may look like a version: "0b6a5" behind a common "c".
  const bool names_commits = Name(header).has_any({"commit", "sha", "hash"});
  auto* const less = order_of(values, rests, names_version(header) && !names_commits);
  if (less == nullptr) return std::nullopt;
  std::ranges::sort(values, [less, front](const auto& a, const auto& b) {
    return less == date_less ? date_less(a, b) : less(a.substr(front), b.substr(front));
  });
  return values;
}

std::optional<Texts> in_order_of_dates(std::span<const std::pair<std::string, std::string>> rows) {
  using Time = std::pair<std::int64_t, std::int64_t>;
  std::map<std::string, std::pair<Time, Time>> spans;  // From the first to the last row.
  for (const auto& [value, date] : rows) {
    const auto time = time_of(date);
    if (!time) return std::nullopt;
    const auto [place, is_new] = spans.try_emplace(value, *time, *time);
    auto& [first, last] = place->second;
    first = std::min(first, *time);
    last = std::max(last, *time);
  }
  std::vector<std::pair<std::pair<Time, Time>, std::string>> order;
  for (const auto& [value, span] : spans) order.emplace_back(span, value);
  std::ranges::sort(order);
  Texts values;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && !(order[i - 1].first.second < order[i].first.first)) return std::nullopt;
    values.push_back(order[i].second);
  }
  return values;
}

}  // namespace scalelaw
