#include "scalelaw/render/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

int decimal_exponent(double value) {
  return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
}

/// The words between blanks; "95 %" is one.
std::vector<std::string> unbroken_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!words.empty() && word.front() == '%') {
      words.back() += " " + word;
    } else {
      words.push_back(std::move(word));
    }
  }
  return words;
}

constexpr int kMostDecimals = 8;  // A table is for reading; JSON and CSV have every digit.

}  // namespace

std::string fixed_text(double value, int decimals, bool with_plus) {
  std::string text = with_plus ? fmt::format("{:+.{}f}", value, decimals)
                               : fmt::format("{:.{}f}", value, decimals);
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  if (text.front() == '-' && is_zero) return fixed_text(0, decimals, with_plus);
  return text;
}

std::string with_significant_digits(double value, int digits) {
  if (value == 0) return "0";
  const int exponent = decimal_exponent(value);
  if (exponent < -5 || exponent >= 15) return fmt::format("{:.{}e}", value, digits - 1);
  return fixed_text(value, std::max(0, digits - 1 - exponent));
}

std::string p_text(double p) { return p < 1e-4 ? "< 0.0001" : with_significant_digits(p, 2); }

std::string p_relation(double p) { return p < 1e-4 ? p_text(p) : "= " + p_text(p); }

std::string percent_text(double share, int digits) {
  return fmt::format("{:.{}g} %", 100 * share, digits);
}

std::string scale_text(double value) {
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

std::string middle_shortened(std::string_view text, std::size_t width,
                             std::optional<std::size_t> head_columns) {
  if (display_width(text) <= width) return std::string(text);
  const auto is_inside = [&text](std::size_t i) {  // Not the first byte of a character.
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  const std::size_t room = width > 0 ? width - 1 : 0;
  const std::size_t most = std::min(room, head_columns.value_or((room + 1) / 2));
  std::size_t head = 0;
  std::size_t shown = 0;
  for (std::size_t next = 1; next < text.size(); ++next) {
    if (is_inside(next)) continue;
    shown += display_width(text.substr(head, next - head));
    if (shown > most) break;
    head = next;
  }
  std::size_t tail = text.size();
  shown = 0;
  for (std::size_t before = tail; before-- > head;) {
    if (is_inside(before)) continue;
    shown += display_width(text.substr(before, tail - before));
    if (shown > room - most) break;
    tail = before;
  }
  return std::string(text.substr(0, head)).append("…").append(text.substr(tail));
}

namespace {

constexpr std::string_view kBetweenWords = " _-/.,:";

/// The words of a name, each with what stands before it.
std::vector<std::string_view> words_in_order(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kBetweenWords, 1), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

/// Which words, by their places, all texts have.
std::vector<bool> common_words(const std::set<std::string>& texts) {
  const auto first = words_in_order(*texts.begin());
  std::vector<bool> common(first.size(), true);
  for (const std::string& text : texts) {
    const auto words = words_in_order(text);
    for (std::size_t i = 0; i < common.size(); ++i) {
      common[i] = common[i] && i < words.size() && words[i] == first[i];
    }
  }
  return common;
}

/// "…large…alpha…" of a text, without the common words.
std::string without_words(const std::vector<bool>& common, std::string_view text) {
  constexpr std::string_view kCut = "…";
  std::string out;
  const auto words = words_in_order(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool after_cut = out.ends_with(kCut);
    if (i < common.size() && common[i]) {
      if (!after_cut) out += kCut;
    } else {
      const bool bare = after_cut && kBetweenWords.find(words[i].front()) != words[i].npos;
      out += words[i].substr(bare ? 1 : 0);
    }
  }
  return out;
}

/// How the texts stay different without those words, if they do.
std::optional<Shortening> shortening_without(const std::vector<bool>& common,
                                             const std::set<std::string>& texts,
                                             std::size_t width) {
  const std::size_t half = width / 2;
  for (std::size_t away = 0; away <= half; ++away) {
    for (const std::size_t head : {half - away, half + away}) {
      if (head >= width) continue;
      const Shortening how{common, head};
      std::set<std::string> shown;
      for (const std::string& text : texts) shown.insert(shortened_as(how, text, width));
      if (shown.size() == texts.size()) return how;
    }
  }
  return std::nullopt;
}

}  // namespace

Shortening telling_shortening(const std::set<std::string>& texts, std::size_t width) {
  if (texts.size() < 2) return {};
  if (const auto how = shortening_without({}, texts, width)) return *how;
  return shortening_without(common_words(texts), texts, width).value_or(Shortening{});
}

std::string shortened_as(const Shortening& how, std::string_view text, std::size_t width) {
  if (how.common.empty() || display_width(text) <= width) {
    return middle_shortened(text, width, how.head);
  }
  return middle_shortened(without_words(how.common, text), width, how.head);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  if (width == 0 || display_width(text) <= width) return std::string(text);
  const std::size_t least = std::max(width, indent + 1);
  std::string out(text.substr(0, std::min(text.find_first_not_of(' '), text.size())));
  std::size_t column = out.size();
  bool is_first = true;
  for (const std::string& word : unbroken_words(text)) {
    const std::string shown = middle_shortened(word, least - indent);
    const std::size_t columns = display_width(shown);
    if (!is_first && column + 1 + columns > least) {
      out.append(1, '\n').append(indent, ' ');
      column = indent;
    } else if (!is_first) {
      out += ' ';
      ++column;
    }
    out += shown;
    column += columns;
    is_first = false;
  }
  return out;
}

int decimals_for(double estimate, std::optional<double> se) {
  const bool has_error = se && *se > 0;
  const int wanted = has_error ? 1 - decimal_exponent(*se) : 3 - decimal_exponent(estimate);
  return std::clamp(wanted, 0, kMostDecimals);
}

RoundedEstimate rounded(double estimate, std::optional<double> se) {
  const int decimals = decimals_for(estimate, se);
  const bool too_small = estimate != 0 && decimal_exponent(estimate) < -kMostDecimals;
  const bool too_large = decimal_exponent(estimate) >= 15;
  RoundedEstimate text;
  text.estimate =
      too_small || too_large ? fmt::format("{:.3e}", estimate) : fixed_text(estimate, decimals);
  if (!se) return text;
  const bool vanishes = *se > 0 && (decimal_exponent(*se) < 1 - kMostDecimals || too_large);
  text.se = vanishes ? fmt::format("{:.1e}", *se) : fixed_text(*se, decimals);
  return text;
}

std::string replaced(
    std::string text,
    std::initializer_list<std::pair<std::string_view, std::string_view>> replacements) {
  for (const auto& [from, to] : replacements) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

}  // namespace scalelaw
