#include "scalelaw/render/look_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/ranges.hpp"
#include "render/json_document.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// The width that each of some texts may have so that all fit into `room` columns: short ones leave
/// theirs to the others.
std::size_t fair_width(std::vector<std::size_t> widths, std::size_t room) {
  std::sort(widths.begin(), widths.end());
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::size_t share = room / (widths.size() - i);
    if (widths[i] > share) return share;
    room -= widths[i];
  }
  return widths.back();
}

constexpr std::string_view kMoreValues = ", ...";

/// A value in a list, in at most `width` columns. What is cut stands in quotes, too. Between
/// quotes, backslashes and quotes of that kind have a backslash before them.
std::string value_shown(const std::string& value, std::size_t width, const Shortening& how = {}) {
  if (is_plain_in_list(value) && display_width(value) <= width) return value;
  const char mark = value.find('"') == std::string::npos ? '"' : '\'';
  std::string text;
  for (const char c : value) {
    if (c == mark || c == '\\') text += '\\';
    text += c;
  }
  return fmt::format("{0}{1}{0}", mark, shortened_as(how, printable(text), width - 2));
}

std::string values_shown(const std::vector<std::string>& values, bool more, std::size_t width) {
  const Shortening how = telling_shortening({values.begin(), values.end()}, width - 2);
  const std::string shown = joined_texts(
      values, ", ", [&](const std::string& value) { return value_shown(value, width, how); });
  return shown + std::string(more ? kMoreValues : "");
}

bool has_more(const LookColumn& column) { return column.values > column.first_values.size(); }

/// The first values of texts, for programs.
std::string examples(const LookColumn& column) {
  constexpr std::size_t kWidest = 42;
  if (column.first_values.empty()) return "";
  return values_shown(column.first_values, has_more(column), kWidest);
}

/// The first of some values, each one cut by itself, and as many as can be seen well.
std::string values_in_room(std::vector<std::string> values, bool more) {
  constexpr std::size_t kWidest = 56;
  constexpr std::size_t kWellSeen = 20;
  std::vector<std::size_t> widths;
  for (const std::string& value : values)
    widths.push_back(display_width(value_shown(value, kWidest)));
  const std::size_t between = 2 * (values.size() - 1) + (more ? kMoreValues.size() : 0);
  const std::size_t width = fair_width(widths, kWidest - between);
  const bool is_cut = width < *std::max_element(widths.begin(), widths.end());
  if (is_cut && width < kWellSeen && values.size() > 1) {
    values.pop_back();
    return values_in_room(std::move(values), true);
  }
  return values_shown(values, more, width);
}

void write_look_column(JsonText& json, const LookColumn& column) {
  json << Members{
      {"name", column.name},     {"kind", column.kind},        {"unit", or_null(column.unit)},
      {"role", column.role},     {"use", or_null(column.use)}, {"why", or_null(column.why)},
      {"values", column.values}, {"more_values", column.many}, {"missing", column.missing},
      {"min", column.min},       {"max", column.max}};
  json.key("examples").text_or_null(examples(column));
}

void write_finding(JsonText& json, const LookFinding& finding) {
  json << Members{{"code", finding.code}, {"sentence", finding.sentence}};
}

void write_next(JsonText& json, const NextCommand& next) {
  json << Members{{"command", next.command}, {"purpose", next.purpose}};
}

void write_look_json(const TableLook& look, const TextSink& sink) {
  JsonDocument document(sink, "scalelaw.look/1");
  JsonText& head = document.head();
  head << HeadMembers{{"inputs", look.inputs},
                      {"answer", look.answer},
                      {"rows", look.rows},
                      {"counted", look.counted},
                      {"sampled", look.sampled}};
  head << HeadMembers{{"x", or_null(look.x)},          {"scales", look.scales},
                      {"y", or_null(look.y)},          {"x_candidates", look.equal_xs},
                      {"y_candidates", look.equal_ys}, {"response", or_null(look.response)}};
  write_object(head.member("quantity"), look.quantity, write_quantity);
  head << HeadMembers{{"by", look.by},
                      {"run", or_null(look.run)},
                      {"energy", or_null(look.energy)},
                      {"power", or_null(look.power)},
                      {"settings", look.settings},
                      {"scaling", or_null(look.scaling)}};
  document.list("columns", look.columns, write_look_column);
  document.list("findings", look.findings, write_finding);
  document.list("next", look.next, write_next);
  document.finish();
}

/// Whether values are lists, as of a JSON array: a text such as "[beta] new, slow" is none.
bool hold_lists(const std::vector<std::string>& values) {
  const auto is_in_brackets = [](const std::string& value) {
    return value.starts_with('[') && value.ends_with(']');
  };
  const auto has_comma = [](const std::string& value) { return value.find(',') < value.size(); };
  return all_of(values, is_in_brackets) && any_of(values, has_comma);
}

std::string range_shown(const LookColumn& column) {
  if (column.undecided) return "undecided (commas)";
  if (hold_lists(column.first_values)) return "lists";
  if (!column.first_values.empty()) return values_in_room(column.first_values, has_more(column));
  if (!column.min) return "";
  if (*column.min == *column.max) return fmt::format("{:.6g}", *column.min);
  return fmt::format("{:.6g} to {:.6g}", *column.min, *column.max);
}

Sheet<LookColumn> look_sheet() {
  Sheet<LookColumn> sheet(std::vector<std::string>{});
  sheet.add("name", &LookColumn::name).titled("column");
  sheet.add("use", &LookColumn::use).titled("taken for");
  sheet.add("kind", &LookColumn::kind).titled("kind");
  sheet.add("unit", &LookColumn::unit).titled("unit");
  sheet.add("values", &LookColumn::values)
      .seen_as([](const LookColumn& column) {
        return fmt::format("{}{}", column.values, column.many ? "+" : "");
      })
      .titled("values");
  sheet.add("missing", &LookColumn::missing).titled("missing");
  sheet.for_people("range", range_shown).titled("range");
  sheet.add("min", &LookColumn::min);
  sheet.add("max", &LookColumn::max);
  sheet.add("examples", examples);
  sheet.add("role", &LookColumn::role);
  sheet.add("why", &LookColumn::why).titled("why").detail();
  return sheet;
}

/// A reason of one column as that of several: "their names say time".
std::string reason_of_several(const std::string& why) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kForms{
      {{"its name says", "their names say"},
       {"its cells", "their cells"},
       {"its values", "their values"},
       {"its rows", "their rows"},
       {"it holds", "they hold"}}};
  for (const auto& [one, several] : kForms) {
    if (why.starts_with(one)) return std::string(several) + why.substr(one.size());
  }
  return why;
}

/// "gpus is taken for x: its name says how many a run had.", one line for columns of one reason.
std::vector<std::string> reasons(const TableLook& look) {
  std::vector<std::string> lines;
  using Told = std::pair<std::string, std::string>;  // For what a column is taken, and why.
  std::vector<std::pair<Told, std::vector<std::string>>> columns;
  for (const LookColumn& column : look.columns) {
    if (column.use.empty() || column.why.empty()) continue;
    const Told told{column.use, column.why};
    auto* const same = first_where(columns, [&](const auto& one) { return one.first == told; });
    if (same != nullptr) {
      same->second.push_back(column.name);
    } else {
      columns.push_back({told, {column.name}});
    }
  }
  for (const auto& [told, names] : columns) {
    const auto& [use, why] = told;
    const bool maybe = use.starts_with("maybe ");
    const bool one = names.size() == 1;
    lines.push_back(fmt::format("{} {} {} {}: {}.", joined(names), one ? "is" : "are",
                                maybe ? "equally good for" : "taken for",
                                maybe ? use.substr(6) : use, one ? why : reason_of_several(why)));
  }
  return lines;
}

std::vector<std::string> look_lines(const TableLook& look, Format format) {
  std::vector<std::string> lines = reasons(look);
  for (const LookFinding& finding : look.findings) lines.push_back(finding.sentence);
  if (look.next.empty()) return lines;
  const bool is_text = format == Format::kTable;
  if (is_text && !lines.empty()) lines.emplace_back();
  if (is_text) lines.emplace_back("Next:");
  for (const NextCommand& next : look.next) {
    if (is_text) {
      lines.push_back("  " + next.command);
      lines.push_back("      " + next.purpose);
    } else {
      lines.push_back(fmt::format("{}: {}", next.command, next.purpose));
    }
  }
  return lines;
}

}  // namespace

void write_look(const TableLook& look, const TableStyle& style, const TextSink& sink) {
  const Sheet<LookColumn> sheet = look_sheet();
  sheet.refuse_unknown(style);
  if (style.format == Format::kJson) return write_look_json(look, sink);
  if (style.format == Format::kJsonl) return write_lines(sink, look.columns, write_look_column);
  SheetWriter rows(sheet, style, sink);
  for (const LookColumn& column : look.columns) rows.add(column);
  rows.finish({.answer = {look.answer}, .lines = look_lines(look, style.format)});
}

}  // namespace scalelaw
