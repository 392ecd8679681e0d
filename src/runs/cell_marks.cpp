#include "runs/cell_marks.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

#include "runs/column_words.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kPlainDigits = "0123456789";

bool is_plain_digit(char c) { return c >= '0' && c <= '9'; }

/// "12.3 ± 0.4 s", "(12.3 +/- 0.4) ms".
std::optional<UnmarkedCell> without_spread(std::string_view text) {
  for (const std::string_view mark : {"\u00B1", "+/-", "+-"}) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos || at == 0) continue;
    std::string_view value = trimmed(text.substr(0, at));
    std::string_view spread = trimmed(text.substr(at + mark.size()));
    const bool bracket = value.starts_with('(');
    if (bracket) value = trimmed(value.substr(1));
    spread.remove_prefix(numeric_length(spread));
    if (bracket && trimmed(spread).starts_with(')')) spread = trimmed(spread).substr(1);
    const bool has_unit = numeric_length(value) < value.size();
    std::string whole(value);
    if (!has_unit && !trimmed(spread).empty()) whole += " " + std::string(trimmed(spread));
    return UnmarkedCell{std::move(whole), CellForm::kSpread};
  }
  return std::nullopt;
}

/// "12.3(4)": digits of the spread directly behind the number.
std::optional<UnmarkedCell> without_digits_of_spread(std::string_view text) {
  const std::size_t length = numeric_length(text);
  if (length == 0 || length >= text.size() || text[length] != '(') return std::nullopt;
  const std::size_t close = text.find(')', length);
  if (close == std::string_view::npos || close == length + 1) return std::nullopt;
  const std::string_view digits = text.substr(length + 1, close - length - 1);
  if (!std::ranges::all_of(digits, is_plain_digit)) return std::nullopt;
  return UnmarkedCell{std::string(text.substr(0, length)) + std::string(text.substr(close + 1)),
                      CellForm::kSpread};
}

/// Where the bracket opens that the last character of a text closes; npos if none does.
std::size_t opening_bracket(std::string_view text) {
  const char close = text.empty() ? '\0' : text.back();
  if (close != ')' && close != ']') return std::string_view::npos;
  const char open = close == ')' ? '(' : '[';
  std::size_t depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    depth += text[at] == close;
    if (text[at] == open && --depth == 0) return at;
  }
  return std::string_view::npos;
}

bool is_time_energy_or_power(std::string_view unit) {
  using enum Dimension;
  return in_base_units(unit, kTime) || in_base_units(unit, kEnergy) || in_base_units(unit, kPower);
}

/// "3240 (7.2x)", "12.3 s [12.1, 12.6]"; the bracket of "12 (ms)" is the unit of the number.
std::optional<UnmarkedCell> without_remark(std::string_view text) {
  const std::size_t open = opening_bracket(text);
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  std::string before(trimmed(text.substr(0, open)));
  const auto unit = canonical_unit(trimmed(text.substr(open + 1, text.size() - open - 2)));
  if (unit && is_time_energy_or_power(*unit) && numeric_length(before) == before.size()) {
    return UnmarkedCell{before + " " + std::string(*unit), CellForm::kPlain};
  }
  return UnmarkedCell{std::move(before), CellForm::kRemark};
}

/// Takes raised digits, "\u207B\u00B3" for "-3", or what stands behind "^".
std::string take_exponent(std::string_view& rest) {
  static constexpr std::pair<std::string_view, char> kRaised[] = {
      {"\u2070", '0'}, {"\u00B9", '1'}, {"\u00B2", '2'}, {"\u00B3", '3'},
      {"\u2074", '4'}, {"\u2075", '5'}, {"\u2076", '6'}, {"\u2077", '7'},
      {"\u2078", '8'}, {"\u2079", '9'}, {"\u207A", '+'}, {"\u207B", '-'}};
  std::string exponent;
  if (rest.starts_with('^')) {
    const std::size_t sign = rest.size() > 1 && (rest[1] == '-' || rest[1] == '+') ? 2 : 1;
    const std::size_t end = std::min(rest.find_first_not_of("0123456789", sign), rest.size());
    exponent = rest.substr(1, end - 1);
    rest.remove_prefix(end);
    return exponent;
  }
  const auto next = [&] {
    return std::ranges::find_if(kRaised,
                                [&](const auto& raised) { return rest.starts_with(raised.first); });
  };
  for (const auto* raised = next(); raised != std::end(kRaised); raised = next()) {
    exponent += raised->second;
    rest.remove_prefix(raised->first.size());
  }
  return exponent;
}

/// "10\u00B3 s", "2.5 \u00D7 10^3 s": a power of ten, with 'e' for "10". Elsewhere raised digits
/// are no exponent.
std::optional<UnmarkedCell> without_power(std::string_view text) {
  std::string_view factor = text.substr(0, numeric_length(text));
  std::string_view rest = text.substr(factor.size());
  if (factor == "10" || factor == "+10" || factor == "-10") {
    factor.remove_suffix(1);
  } else {
    rest = trimmed(rest);
    for (const std::string_view times : {"\u00D7", "\u00B7", "\u22C5", "x", "*"}) {
      if (!factor.empty() && rest.starts_with(times)) {
        rest = trimmed(rest.substr(times.size()));
        break;
      }
    }
    if (factor.empty() || !rest.starts_with("10")) return std::nullopt;
    rest.remove_prefix(2);
  }
  const std::string exponent = take_exponent(rest);
  if (exponent.empty() || !is_plain_digit(exponent.back())) return std::nullopt;
  return UnmarkedCell{std::string(factor) + "e" + exponent + std::string(rest),
                      CellForm::kMagnitude};
}

std::optional<UnmarkedCell> without_footnote(std::string_view text) {
  for (const std::string_view mark : {"*", "\u2020", "\u2021", "\u00A7", "\u00B9", "\u00B2",
                                      "\u00B3", "\u2074", "\u1D43", "\u1D47", "\u1D9C"}) {
    if (text.size() <= mark.size() || !text.ends_with(mark)) continue;
    return UnmarkedCell{std::string(trimmed(text.substr(0, text.size() - mark.size()))),
                        CellForm::kFootnote};
  }
  return std::nullopt;
}

/// The length of what may part thousands: a blank, also one that breaks no line or is thin, or an
/// apostrophe; 0 for anything else.
std::size_t length_of_mark_of_thousands(std::string_view text) {
  for (const std::string_view mark : {" ", "'", "\u00A0", "\u202F", "\u2009", "\u2007", "\u2019"}) {
    if (text.starts_with(mark)) return mark.size();
  }
  return 0;
}

std::optional<UnmarkedCell> without_about(std::string_view text) {
  for (const std::string_view mark : {"~", "\u2248", "\u223C", "ca. ", "about "}) {
    if (text.starts_with(mark)) {
      return UnmarkedCell{std::string(trimmed(text.substr(mark.size()))), CellForm::kAbout};
    }
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 4> kTimesSigns = {"x", "X", "*", "\u00D7"};

/// Takes a whole number above 0 from the beginning of a text.
std::optional<double> take_whole(std::string_view& text) {
  const std::size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_number(text.substr(0, length));
  if (!number || !(*number > 0)) return std::nullopt;
  text = trimmed(text.substr(length));
  return number;
}

bool take_one_of(std::span<const std::string_view> words, std::string_view& text) {
  for (const std::string_view word : words) {
    if (!text.starts_with(word)) continue;
    text = trimmed(text.substr(word.size()));
    return true;
  }
  return false;
}

bool is_device(std::string_view thing) {
  constexpr std::array<std::string_view, 8> kNone = {"token", "param",  "step",      "epoch",
                                                     "image", "sample", "parameter", ""};
  return std::ranges::find(kNone, thing) == kNone.end();
}

/// Takes "8 GPUs" from the beginning of a text.
std::optional<ThingCount> take_count(std::string_view& text) {
  const auto number = take_whole(text);
  if (!number) return std::nullopt;
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const auto* const end = std::ranges::find_if_not(text, is_letter);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view thing = counted_thing(text.substr(0, length));
  if (!is_device(thing)) return std::nullopt;
  text = trimmed(text.substr(length));
  return ThingCount{*number, thing};
}

}  // namespace

std::size_t numeric_length(std::string_view text) {
  std::size_t length = std::min(text.find_first_not_of("0123456789.,+-"), text.size());
  const bool exponent =
      length + 1 < text.size() && length > 0 && (text[length] == 'e' || text[length] == 'E') &&
      (is_plain_digit(text[length + 1]) || text[length + 1] == '-' || text[length + 1] == '+');
  if (exponent) length = std::min(text.find_first_not_of("0123456789", length + 2), text.size());
  return length;
}

std::optional<std::string> without_marks_of_thousands(std::string_view text) {
  constexpr std::size_t kGroup = 3;
  const std::size_t sign = text.find_first_of("+-") == 0 ? 1 : 0;
  std::size_t at = std::min(text.find_first_not_of(kPlainDigits, sign), text.size());
  if (at == sign || at > sign + kGroup || text[sign] == '0') return std::nullopt;
  const std::size_t mark = length_of_mark_of_thousands(text.substr(at));
  const std::string_view written = text.substr(at, mark);
  std::string number(text.substr(0, at));
  const std::size_t whole = number.size();
  while (mark > 0 && text.substr(at).starts_with(written)) {
    const std::size_t begin = at + mark;
    const std::size_t end = std::min(text.find_first_not_of(kPlainDigits, begin), text.size());
    if (end != begin + kGroup) break;
    number += text.substr(begin, kGroup);
    at = end;
  }
  if (number.size() == whole) return std::nullopt;
  return number + std::string(text.substr(at));
}

std::optional<UnmarkedCell> cell_without_mark(std::string_view text) {
  // Most names and numbers have none.
  const auto is_plain = [](char c) {
    return is_plain_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '_' || c == '-';
  };
  if (std::ranges::all_of(text, is_plain)) return std::nullopt;
  if (auto cell = without_about(text)) return cell;
  if (auto cell = without_marks_of_thousands(text)) {
    return UnmarkedCell{*std::move(cell), CellForm::kThousands};
  }
  if (auto cell = without_power(text)) return cell;
  if (auto cell = without_spread(text)) return cell;
  if (auto cell = without_digits_of_spread(text)) return cell;
  if (auto cell = without_remark(text)) return cell;
  return without_footnote(text);
}

bool is_bound(std::string_view text) {
  for (const std::string_view mark : {">=", "<=", ">", "<", "\u2265", "\u2264"}) {
    if (text.starts_with(mark)) return numeric_length(trimmed(text.substr(mark.size()))) > 0;
  }
  return false;
}

std::string_view counted_thing(std::string_view word) {
  static constexpr std::string_view kThings[] = {
      "gpu",  "cpu",   "tpu",   "node",   "core",      "device", "chip",  "worker",     "rank",
      "task", "proc",  "host",  "server", "process",   "thread", "token", "machine",    "param",
      "step", "epoch", "image", "sample", "parameter", "socket", "card",  "accelerator"};
  const std::string lower = singular_word(lower_case(word));
  const auto* const found = std::ranges::find(kThings, lower);
  return found == std::end(kThings) ? std::string_view() : *found;
}

std::optional<ThingCount> count_in_words(std::string_view text) {
  constexpr std::array<std::string_view, 5> kPlaces = {"across ", "on ", "over ", "in ", "/ "};
  constexpr std::array<std::string_view, 4> kEach = {"each", "per node", "/ node", "/node"};
  const auto first = take_count(text);
  if (!first) return std::nullopt;
  const bool all = take_one_of(kPlaces, text);
  if (!all && !take_one_of(kTimesSigns, text)) return std::nullopt;
  auto second = take_count(text);
  if (!second) return std::nullopt;
  if (!all) take_one_of(kEach, text);
  if (!text.empty()) return std::nullopt;
  if (all) return first;
  return ThingCount{first->number * second->number, second->thing};
}

std::optional<ModelCount> count_of_model(std::string_view text) {
  auto product = take_whole(text);
  while (product && take_one_of(kTimesSigns, text)) {
    if (is_gpu_model(text)) return ModelCount{*product, text};
    const auto factor = take_whole(text);
    if (!factor) return std::nullopt;
    *product *= *factor;
  }
  return std::nullopt;
}

std::optional<double> product_of_tuple(std::string_view text) {
  const bool in_brackets = (text.starts_with('(') && text.ends_with(')')) ||
                           (text.starts_with('[') && text.ends_with(']'));
  if (!in_brackets || text.find(',') == text.npos) return std::nullopt;
  double product = 1;
  for (const std::string& part : split(text.substr(1, text.size() - 2), ',')) {
    std::string_view rest = trimmed(part);
    const auto number = take_whole(rest);
    if (!number || !rest.empty()) return std::nullopt;
    product *= *number;
  }
  return product;
}

std::optional<double> product_in(std::string_view text) {
  auto product = take_whole(text);
  if (!product || text.empty()) return std::nullopt;
  while (!text.empty()) {
    const bool times = take_one_of(kTimesSigns, text);
    const auto factor = times ? take_whole(text) : std::nullopt;
    if (!factor) return std::nullopt;
    *product *= *factor;
  }
  return product;
}

}  // namespace scalelaw
