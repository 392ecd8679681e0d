#include "runs/cell_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/per_thread.hpp"
#include "runs/cell_marks.hpp"
#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw {
namespace {

/// A number, and what stands with it.
struct WrittenNumber {
  double value = 0;
  std::string unit = {};  ///< Canonical; empty without one.
  CellForm form = CellForm::kPlain;
  std::string_view counted = {};
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// A duration, "1:23:45" or "3m20s". A single number with a unit is none, but for days and the
/// like, which have no unit in columns.
std::optional<WrittenNumber> duration(std::string_view text) {
  static constexpr std::string_view kNoUnits[] = {"d",  "day", "days", "week", "weeks",
                                                  "wk", "wks", "hr",   "hrs",  "\xC2\xB5s"};
  static constexpr std::pair<DurationForm, CellForm> kForms[] = {
      {DurationForm::kClock, CellForm::kClock},
      {DurationForm::kShortClock, CellForm::kShortClock},
      {DurationForm::kDayClock, CellForm::kDayClock},
      {DurationForm::kUnits, CellForm::kDuration}};
  const auto read = read_duration(text);
  if (!read) return std::nullopt;
  const bool single = !read->only_unit.empty();
  const auto* const known = std::ranges::find(kNoUnits, read->only_unit);
  if (single && known == std::end(kNoUnits)) return std::nullopt;
  const auto* const form =
      std::ranges::find_if(kForms, [&](const auto& one) { return one.first == read->form; });
  return WrittenNumber{read->seconds, "s", form->second};
}

/// Whether digits stand in groups of three: "1,024", "12,345,678".
bool is_grouped(std::string_view digits, char mark) {
  std::size_t group = digits.find(mark);
  if (group == 0 || group > 3 || digits.front() == '0') return false;
  if (!all_digits(digits.substr(0, group))) return false;
  for (; group < digits.size(); group += 4) {
    const std::string_view three = digits.substr(group + 1, 3);
    if (digits[group] != mark || three.size() != 3 || !all_digits(three)) return false;
  }
  return true;
}

std::string without(std::string_view text, char mark) {
  std::string out(text);
  std::erase(out, mark);
  return out;
}

struct LocalNumber {
  std::optional<double> value;
  CellForm form = CellForm::kPlain;
  std::string defect = {};
  bool comma_is_open = false;
};

/// Whether a number can only have a decimal comma: "12,5", but not "1,024".
bool has_decimal_comma(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  const std::string_view whole = text.substr(0, comma);
  const std::string_view decimals = text.substr(comma + 1);
  if (!all_digits(decimals)) return false;
  if (whole.find('.') != std::string_view::npos) return is_grouped(whole, '.');
  if (!whole.empty() && !all_digits(whole)) return false;
  return decimals.size() != 3 || whole.empty() || whole.size() > 3 || whole.front() == '0';
}

/// A number with a comma among its digits, where the point is the decimal point.
LocalNumber with_commas(std::string_view text, const NumberFormat& format) {
  const std::size_t sign = text.find_first_of("+-") == 0 ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(sign, point - sign);
  if (whole.empty() || !is_grouped(whole, ',')) {
    const bool decimal = has_decimal_comma(text);
    return {std::nullopt, CellForm::kPlain,
            decimal ? "expected a number, found {} (if that is a decimal comma: --decimal ,)" : ""};
  }
  const bool told = point < text.size() || std::ranges::count(whole, ',') > 1;
  if (format.comma != CommaState::kTold && !told) {
    return {std::nullopt, CellForm::kPlain,
            "found {}, which may be a whole number in thousands or have a decimal comma: tell with "
            "--decimal . or --decimal ,",
            true};
  }
  return {parse_number(without(text, ',')), CellForm::kThousands};
}

/// A number where the comma is the decimal point.
LocalNumber with_decimal_comma(std::string_view text, const NumberFormat& format) {
  const std::size_t comma = text.find(',');
  const std::size_t sign = text.find_first_of("+-") == 0 ? 1 : 0;
  const std::string_view whole = text.substr(sign, std::min(comma, text.size()) - sign);
  const bool grouped = whole.find('.') != std::string_view::npos;
  const bool points_alone = grouped && comma == std::string_view::npos;
  if (points_alone && !format.decimal_chosen && !is_grouped(whole, '.')) {
    return {std::nullopt, CellForm::kPlain,
            "found {} in a table with decimal commas: tell with --decimal . or --decimal ,"};
  }
  if (grouped && !is_grouped(whole, '.')) return {};
  std::string plain = without(text, '.');
  if (points_alone) return {parse_number(plain), CellForm::kThousands};
  std::ranges::replace(plain, ',', '.');
  return {parse_number(plain), CellForm::kDecimalComma};
}

LocalNumber local_number(std::string_view text, const NumberFormat& format) {
  const bool has_comma = text.find(',') != std::string_view::npos;
  if (format.decimal == ',') {
    if (has_comma || text.find('.') != std::string_view::npos) {
      return with_decimal_comma(text, format);
    }
  } else if (has_comma) {
    return with_commas(text, format);
  }
  return {parse_number(text)};
}

bool is_byte_unit(std::string_view unit) { return unit.ends_with('B'); }

/// What is counted behind a sign of "times": "" in "8x", "A100" in "8x A100". Empty without one.
std::optional<std::string_view> thing_after_times(std::string_view words) {
  for (const std::string_view times : {"x", "X", "\u00D7"}) {
    if (!words.starts_with(times)) continue;
    const std::string_view thing = trimmed(words.substr(times.size()));
    const bool named =
        !thing.empty() && std::isalpha(static_cast<unsigned char>(thing.front())) != 0;
    // A word may begin with an x.
    const bool divided = times.size() > 1 || words.size() == times.size() ||
                         words[times.size()] == ' ' ||
                         std::isupper(static_cast<unsigned char>(thing.front())) != 0;
    if (thing.empty() || (named && divided)) return thing;
  }
  return std::nullopt;
}

/// The last words of a rate that a thread met, as most cells of a column have the same.
struct RateWords {
  std::string words;
  std::string unit;
};
thread_local PerThread<RateWords> last_rate_of_thread;

/// What the words behind a number make of it; false if they mean nothing.
bool take_words(std::string_view words, const NumberFormat& format, WrittenNumber& number) {
  if (words.empty()) return true;
  RateWords& last_rate = *last_rate_of_thread;
  if (words == last_rate.words) {
    number.unit = last_rate.unit;
    return true;
  }
  if (const auto thing = thing_after_times(words)) {
    number.form = CellForm::kTimes;
    number.counted = *thing;
    return true;
  }
  const bool bytes = words == "B" && is_byte_unit(format.unit);
  const auto unit = canonical_unit(words);
  if (unit && (bytes || words != "B")) {
    number.unit = *unit;
    return true;
  }
  if (words == "\u20AC" || words == "$") {
    number.unit = words;
    return true;
  }
  // "m" is a minute where times are wanted, and nothing elsewhere: a million is "M".
  if (words == "m" && in_base_units(format.unit, Dimension::kTime) && !format.unit_in_cells) {
    number.unit = "min";
    return true;
  }
  const std::size_t blank = std::min(words.find(' '), words.size());
  const auto factor = magnitude(words.substr(0, blank));
  const std::string_view thing = factor ? trimmed(words.substr(blank)) : words;
  if (auto rate = thing.empty() ? std::nullopt : rate_unit(thing)) {
    number.unit = std::move(rate->unit);
    number.value *= factor.value_or(1);
    if (factor) number.form = CellForm::kMagnitude;
    if (!factor) last_rate = {std::string(words), number.unit};
    return true;
  }
  number.counted = counted_thing(thing);
  if (!thing.empty() && number.counted.empty()) return false;
  number.value *= factor.value_or(1);
  if (factor || number.form == CellForm::kPlain) {
    number.form = factor ? CellForm::kMagnitude : CellForm::kCounted;
  }
  return true;
}

/// A cell without the marks of Markdown around it: "**7.4 s**", "`12`".
std::string_view without_marks(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view mark : {"**", "__", "`", "*"}) {
    if (text.size() <= 2 * mark.size() || text.front() != mark.front()) continue;
    if (!text.starts_with(mark) || !text.ends_with(mark)) continue;
    return trimmed(text.substr(mark.size(), text.size() - 2 * mark.size()));
  }
  // "8:" before the time of 8 threads.
  const bool label = text.size() > 1 && text.find(':') == text.size() - 1 &&
                     numeric_length(text) == text.size() - 1;
  return label ? text.substr(0, text.size() - 1) : text;
}

struct Understood {
  std::optional<WrittenNumber> number;
  std::string defect = {};  ///< With {} for the cell; empty: no number at all.
  bool comma_is_open = false;
};

Understood understand_bare(std::string_view text, const NumberFormat& format) {
  if (text.find(':') != std::string_view::npos) return {duration(text)};
  const std::size_t length = numeric_length(text);
  if (length == 0) return {};
  const std::string_view words = trimmed(text.substr(length));
  const LocalNumber local = local_number(text.substr(0, length), format);
  if (local.value) {
    WrittenNumber number{*local.value, {}, local.form};
    if (take_words(words, format, number)) return {number};
  }
  if (auto time = duration(text)) return {time};
  return {std::nullopt, local.defect, local.comma_is_open};
}

/// Whether a form says less of a cell than that something stood around its number.
bool is_quiet(CellForm form) {
  return form == CellForm::kPlain || form == CellForm::kTimes || form == CellForm::kConverted;
}

/// Several numbers that make one count: "2x4" in a column of a scale, "8 GPUs on 2 nodes".
std::optional<WrittenNumber> count_of_several(std::string_view text, const NumberFormat& format) {
  for (const auto product_of : {product_in, product_of_tuple}) {
    if (const auto product = format.products ? product_of(text) : std::nullopt) {
      return WrittenNumber{*product, {}, CellForm::kProduct};
    }
  }
  if (const auto count = count_of_model(text)) {
    return WrittenNumber{count->number, {}, CellForm::kProduct};
  }
  const auto count = count_in_words(text);
  if (!count) return std::nullopt;
  return WrittenNumber{count->number, {}, CellForm::kProduct, count->thing};
}

/// A number, without what people write around it if it is none otherwise.
Understood understand(std::string_view text, const NumberFormat& format) {
  constexpr int kMostMarks = 3;
  Understood bare = understand_bare(text, format);
  if (bare.number) return bare;
  if (auto count = count_of_several(text, format)) return {std::move(count)};
  UnmarkedCell cell{std::string(text)};
  std::optional<CellForm> form;
  for (int marks = 0; marks < kMostMarks; ++marks) {
    auto next = cell_without_mark(without_marks(cell.text));
    if (!next) break;
    cell = *std::move(next);
    if (!form) form = cell.form;
    Understood found = understand_bare(without_marks(cell.text), format);
    if (!found.number) continue;
    // What is counted must not point into the text of this function.
    found.number->counted =
        found.number->counted.empty() ? "" : counted_thing(found.number->counted);
    if (is_quiet(found.number->form)) found.number->form = *form;
    return found;
  }
  return bare;
}

/// The dimension in which a unit can be converted; empty if there is none.
std::optional<Dimension> dimension_of(std::string_view unit) {
  for (const Dimension dimension : {Dimension::kTime, Dimension::kEnergy, Dimension::kPower}) {
    if (in_base_units(unit, dimension)) return dimension;
  }
  return std::nullopt;
}

std::string base_unit(std::string_view unit) {
  if (auto rate = rate_unit(unit)) return rate->base;
  const auto dimension = dimension_of(unit);
  if (!dimension) return std::string(unit);
  return *dimension == Dimension::kTime ? "s" : *dimension == Dimension::kEnergy ? "J" : "W";
}

std::string expected_unit(const NumberFormat& format, std::string_view text) {
  if (format.unit.empty()) {
    return fmt::format("expected a number without unit, found {}", scalelaw::quoted(text));
  }
  if (format.unit_in_cells) {
    return fmt::format(
        "expected a number with a unit such as {}, which other cells of this column "
        "have, found {}",
        format.unit, scalelaw::quoted(text));
  }
  return fmt::format("expected the unit {}, found {}", format.unit, scalelaw::quoted(text));
}

/// Brings a number to the unit of its column.
CellNumber in_unit_of_column(std::string_view text, const WrittenNumber& number,
                             const NumberFormat& format) {
  CellNumber cell{.value = number.value, .form = number.form, .counted = number.counted};
  if (number.unit.empty() && !format.unit_in_cells) return cell;
  if (number.form == CellForm::kShortClock && format.unit == "h" && !format.unit_in_cells) {
    cell.defect = fmt::format(
        "found {}, which may be hours:minutes or minutes:seconds: write hours:minutes:seconds",
        scalelaw::quoted(text));
    return cell;
  }
  if (number.unit == format.unit) return cell;
  const auto value = converted(number.value, number.unit, format.unit);
  if (!value) {
    cell.defect = expected_unit(format, text);
    return cell;
  }
  cell.value = *value;
  if (cell.form == CellForm::kPlain) cell.form = CellForm::kConverted;
  cell.mixed = format.unit_in_cells && format.unit != base_unit(format.unit);
  return cell;
}

/// The unit that a cell has by itself; nothing if it is no number.
std::optional<std::string> unit_of_cell(std::string_view text, const NumberFormat& format) {
  auto number = understand(text, format).number;
  return number ? std::optional(std::move(number->unit)) : std::nullopt;
}

}  // namespace

std::optional<double> converted(double value, std::string_view from, std::string_view to) {
  if (const auto rate = rate_unit(from)) {
    const auto other = rate_unit(to);
    if (!other || other->base != rate->base) return std::nullopt;
    return value * (rate->factor / other->factor);
  }
  const auto dimension = dimension_of(from);
  if (!dimension || dimension != dimension_of(to)) return std::nullopt;
  // One rounding where one unit is a whole number of the other.
  const double a = *in_base_units(from, *dimension);
  const double b = *in_base_units(to, *dimension);
  return a >= b ? value * std::round(a / b) : value / std::round(b / a);
}

CellNumber number_in_cell(std::string_view text, const NumberFormat& format, bool positive) {
  text = without_marks(text);
  CellNumber cell;
  const bool bare = format.decimal == '.' && !format.unit_in_cells;
  if (const auto plain = bare ? parse_number(text) : std::nullopt) {
    cell.value = *plain;
  } else {
    const Understood understood = understand(text, format);
    if (!understood.number) {
      cell.defect = understood.defect.empty()
                        ? fmt::format("expected a {}number, found {}",
                                      is_infinite(text) ? "finite " : "", scalelaw::quoted(text))
                        : fmt::format(fmt::runtime(understood.defect), scalelaw::quoted(text));
      cell.comma_is_open = understood.comma_is_open;
      return cell;
    }
    cell = in_unit_of_column(text, *understood.number, format);
    if (!cell.defect.empty()) return cell;
  }
  if (positive && !(cell.value > 0)) {
    cell.defect = fmt::format("expected a number > 0, found {}", scalelaw::quoted(text));
  }
  cell.value += 0.0;  // -0 becomes 0, so that it does not matter which of them came first.
  return cell;
}

std::optional<CellNumber> number_if_any(std::string_view text, const NumberFormat& format) {
  text = without_marks(text);
  const bool bare = format.decimal == '.' && !format.unit_in_cells;
  if (const auto plain = bare ? parse_number(text) : std::nullopt) return CellNumber{*plain};
  const Understood understood = understand(text, format);
  if (!understood.number) return std::nullopt;
  CellNumber cell = in_unit_of_column(text, *understood.number, format);
  return cell.defect.empty() ? std::optional(std::move(cell)) : std::nullopt;
}

std::optional<LooseNumber> loose_number(std::string_view text, char decimal) {
  text = trimmed(text);
  if (const auto plain = decimal == '.' ? parse_number(text) : std::nullopt) {
    return LooseNumber{*plain};
  }
  NumberFormat format;
  format.decimal = decimal;
  format.decimal_chosen = true;
  const auto number = understand_bare(text, format).number;
  const bool names_hardware =
      number && number->form == CellForm::kTimes && !number->counted.empty();
  if (!number || names_hardware) return std::nullopt;
  return LooseNumber{number->value, number->unit};
}

std::optional<double> number_as_written(std::string_view text) {
  text = trimmed(text);
  if (const auto plain = parse_number(text)) return plain;
  NumberFormat format;
  format.comma = CommaState::kOpen;
  if (has_decimal_comma(text.substr(0, numeric_length(text)))) format.decimal = ',';
  const auto number = understand(text, format).number;
  const bool is_count =
      number && (number->form == CellForm::kPlain || number->form == CellForm::kThousands ||
                 number->form == CellForm::kDecimalComma || number->form == CellForm::kMagnitude ||
                 number->form == CellForm::kCounted);
  return is_count && number->unit.empty() ? std::optional(number->value) : std::nullopt;
}

NumberFormat number_format(std::string_view header, std::span<const std::string> cells,
                           NumberFormat table, bool base_units) {
  NumberFormat format = std::move(table);
  format.unit = column_label(header).unit;
  format.unit_in_cells = false;
  format.products = meaning_of(header).role == ColumnRole::kScale;
  if (!format.unit.empty()) return format;
  bool first = true;
  for (const std::string& cell : cells) {
    if (is_no_number(cell)) continue;
    const auto unit = unit_of_cell(without_marks(cell), format);
    if (!unit) continue;
    if (std::exchange(first, false)) {
      format.unit = base_units ? base_unit(*unit) : *unit;
      format.unit_in_cells = !unit->empty();
    } else if (*unit != format.unit && converted(1, *unit, format.unit)) {
      format.unit = base_unit(format.unit);
    }
  }
  return format;
}

bool is_no_number(std::string_view text) {
  static constexpr std::string_view kNothing[] = {
      "-",       "--",   "---",    "?",      "...",    "tbd",    "n.a.",  "not run",
      "pending", "todo", "\u2013", "\u2014", "\u2026", "\u2717", "\u274C"};
  text = without_marks(text);
  if (!text.empty() && is_plain_digit(text.front())) return false;
  if (is_missing(text) || is_bound(text)) return true;
  const bool short_text = !text.empty() && text.size() <= 8;
  if (short_text && std::ranges::find(kNothing, lower_case(text)) != std::end(kNothing)) {
    return true;
  }
  // "N/A (baseline)".
  const std::size_t remark = text.ends_with(')') ? text.find(" (") : std::string_view::npos;
  return remark != std::string_view::npos && remark > 0 && is_no_number(text.substr(0, remark));
}

void CommaEvidence::add(std::string_view cell, bool counts) {
  if (is_no_number(cell)) return;
  cell = without_marks(cell);
  if (cell.find(':') != std::string_view::npos) return;
  const auto unparted = without_marks_of_thousands(cell);
  if (unparted) cell = *unparted;
  cell = cell.substr(0, numeric_length(cell));
  const std::string_view digits = cell.substr(cell.find_first_of("+-") == 0 ? 1 : 0);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const bool has_comma = digits.find(',') != std::string_view::npos;
  if (!has_comma) {
    if (point < digits.size() && is_grouped(digits, '.')) {
      points = true;
    } else if (!parse_number(digits)) {
      texts = true;
    } else if (point < digits.size()) {
      thousands = true;
    } else {
      hundreds = hundreds || (digits.size() == 3 && digits.front() != '0');
    }
  } else if (has_decimal_comma(digits)) {
    decimals = true;
  } else if (is_grouped(digits.substr(0, point), ',')) {
    const bool told = counts || point < digits.size() || std::ranges::count(digits, ',') > 1;
    (told ? thousands : open) = true;
  } else {
    texts = true;
  }
}

CommaEvidence evidence_of_table(std::span<const CommaEvidence> columns) {
  CommaEvidence all;
  for (const CommaEvidence& column : columns) {
    if (column.texts) continue;
    all.decimals = all.decimals || column.decimals;
    all.thousands = all.thousands || column.thousands;
    all.points = all.points || column.points;
  }
  all.thousands = all.thousands || (all.points && !all.decimals);
  if (all.decimals && all.thousands) all.decimals = all.thousands = false;
  return all;
}

CommaEvidence evidence_of_columns(std::span<const CommaEvidence> columns,
                                  std::span<const std::size_t> used, const CommaEvidence& table) {
  CommaEvidence own;
  bool whole = false;
  for (const std::size_t place : used) {
    const CommaEvidence& column = columns[place];
    own.decimals = own.decimals || column.decimals;
    own.thousands = own.thousands || column.thousands;
    own.open = own.open || column.open;
    own.points = own.points || column.points;
    whole = whole || (column.open && column.hundreds);
  }
  if (own.is_told()) return own;
  own.decimals = table.decimals;
  own.thousands = table.thousands || (!table.decimals && (own.points || whole));
  return own;
}

void add_reading(std::vector<CellReading>& readings, CellReading reading) {
  const auto key = [](const CellReading& one) {
    return std::tie(one.column, one.form, one.counted);
  };
  const auto place = std::ranges::lower_bound(readings, key(reading), {}, key);
  if (place == readings.end() || key(*place) != key(reading)) {
    readings.insert(place, std::move(reading));
  } else if (std::pair(reading.example.size(), std::string_view(reading.example)) <
             std::pair(place->example.size(), std::string_view(place->example))) {
    *place = std::move(reading);
  }
}

std::vector<std::string> sentences_of(std::span<const CellReading> readings) {
  static constexpr std::pair<CellForm, std::string_view> kWords[] = {
      {CellForm::kClock, "hours:minutes:seconds, "},
      {CellForm::kShortClock, "minutes:seconds, "},
      {CellForm::kDayClock, "days and hours:minutes:seconds, "}};
  static constexpr std::pair<CellForm, std::string_view> kEnds[] = {
      {CellForm::kAbout, ", although it is said to be about that"},
      {CellForm::kSpread, ", without the spread"},
      {CellForm::kRemark, ", without the remark in brackets"},
      {CellForm::kFootnote, ", without the mark of the footnote"},
      {CellForm::kProduct, ", the count of all"}};
  std::vector<std::string> sentences;
  for (const CellReading& reading : readings) {
    if (reading.form == CellForm::kBound) {
      sentences.push_back(fmt::format("{}: '{}' is a bound and no value: such rows are left out",
                                      reading.column, printable(reading.example)));
      continue;
    }
    std::string_view end;
    for (const auto& [form, of_form] : kEnds) {
      if (form == reading.form) end = of_form;
    }
    std::string_view words;
    for (const auto& [form, of_form] : kWords) {
      if (form == reading.form) words = of_form;
    }
    sentences.push_back(fmt::format("{}: '{}' is read as {}{}{}{}{}", reading.column,
                                    printable(reading.example), words, exact_text(reading.value),
                                    reading.unit.empty() ? "" : " ", reading.unit, end));
  }
  return sentences;
}

void refuse_different_counts(std::span<const CellReading> readings) {
  const CellReading* last = nullptr;
  for (const CellReading& reading : readings) {
    if (reading.counted.empty()) continue;
    if (last != nullptr && last->column == reading.column && last->counted != reading.counted) {
      throw DataError(
          fmt::format("the column '{}' counts different things: '{}' and '{}'; put them in columns "
                      "of their own",
                      reading.column, last->example, reading.example));
    }
    last = &reading;
  }
}

}  // namespace scalelaw
