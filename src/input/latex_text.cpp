#include "input/latex_text.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Takes "\name" off the front of a text; the name, empty if there is no command.
std::string_view take_command(std::string_view& text) {
  if (text.size() < 2 || text[0] != '\\' || !is_letter(text[1])) return {};
  std::size_t end = 1;
  while (end < text.size() && is_letter(text[end])) ++end;
  const std::string_view name = text.substr(1, end - 1);
  text.remove_prefix(end);
  return name;
}

/// Takes "{...}", "[...]" or "(...)" off the front of a text; what stands inside.
std::optional<std::string_view> take_group(std::string_view& text, char open, char close) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos || text[begin] != open) return std::nullopt;
  std::size_t depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
      continue;
    }
    depth += text[at] == open ? 1 : 0;
    depth -= text[at] == close ? 1 : 0;
    if (depth > 0) continue;
    const std::string_view inside = text.substr(begin + 1, at - begin - 1);
    text.remove_prefix(at + 1);
    return inside;
  }
  return std::nullopt;
}

using Leading = std::pair<std::string_view, int>;
using Sign = std::pair<std::string_view, std::string_view>;

/// Commands whose groups before the shown one are no text, with the number of those.
constexpr Leading kLeading[] = {
    {"multicolumn", 2}, {"multirow", 2}, {"textcolor", 1}, {"colorbox", 1}};

/// Commands that show nothing of their group.
constexpr std::string_view kHidden[] = {
    "cite",     "citep",     "citet", "ref",    "label",  "footnote", "footnotemark", "tnote",
    "rowcolor", "cellcolor", "color", "vspace", "hspace", "cmidrule", "cline",        "cdashline"};

/// Signs in place of commands.
constexpr Sign kSigns[] = {{"pm", "\u00B1"}, {"times", "\u00D7"}, {"cdot", "\u00B7"},
                           {"approx", "~"},  {"sim", "~"},        {"quad", " "},
                           {"qquad", " "},   {"mu", "\u00B5"},    {"infty", "inf"}};

constexpr std::string_view kRules[] = {"hline",     "toprule",    "midrule",      "bottomrule",
                                       "cmidrule",  "cline",      "addlinespace", "hdashline",
                                       "cdashline", "specialrule"};

template <class List>
bool is_listed(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

/// Adds what a command shows.
/// @param text  Behind its name; its groups are taken.
void show_command(std::string_view name, std::string_view& text, std::string& shown) {
  const auto* const sign = std::ranges::find(kSigns, name, &Sign::first);
  if (sign != std::end(kSigns)) {
    shown += sign->second;
    return;
  }
  while (take_group(text, '[', ']')) continue;
  if (is_listed(kHidden, name)) {
    take_group(text, '(', ')');
    take_group(text, '{', '}');
    return;
  }
  const auto* const leading = std::ranges::find(kLeading, name, &Leading::first);
  for (int i = 0; leading != std::end(kLeading) && i < leading->second; ++i) {
    take_group(text, '{', '}');
    take_group(text, '[', ']');
  }
  if (leading != std::end(kLeading) && text.starts_with('*')) text.remove_prefix(1);
  if (const auto group = take_group(text, '{', '}')) shown += latex_text(*group);
}

/// Adds what a raised text shows: an exponent, but no mark of a footnote.
void show_raised(std::string_view& text, std::string& shown) {
  if (text.starts_with('\\')) {
    take_command(text);
    return;
  }
  const auto group = take_group(text, '{', '}');
  const std::string_view raised = trimmed(group ? *group : text.substr(0, 1));
  if (!group) text.remove_prefix(std::min<std::size_t>(1, text.size()));
  if (parse_number(raised)) shown.append("^").append(raised);
}

}  // namespace

std::string latex_text(std::string_view cell) {
  std::string shown;
  while (!cell.empty()) {
    if (const std::string_view name = take_command(cell); !name.empty()) {
      show_command(name, cell, shown);
      continue;
    }
    const char c = cell.front();
    cell.remove_prefix(1);
    if (c == '\\' && !cell.empty()) {
      constexpr std::string_view kSpaces = ",;:! /";
      shown += kSpaces.find(cell.front()) == std::string_view::npos ? cell.front() : ' ';
      cell.remove_prefix(1);
    } else if (c == '^') {
      show_raised(cell, shown);
    } else if (c == '~' || c == '\t') {
      shown += ' ';
    } else if (c != '{' && c != '}' && c != '$') {
      shown += c;
    }
  }
  return std::string(trimmed(shown));
}

std::size_t latex_columns(std::string_view cell) {
  constexpr std::string_view kMerged = "\\multicolumn";
  constexpr double kMost = 1000;
  const std::size_t at = cell.find(kMerged);
  if (at == std::string_view::npos) return 1;
  cell.remove_prefix(at + kMerged.size());
  const auto count = take_group(cell, '{', '}');
  const auto columns = count ? parse_number(trimmed(*count)) : std::nullopt;
  return columns && *columns >= 1 && *columns <= kMost ? static_cast<std::size_t>(*columns) : 1;
}

bool is_latex_rule(std::string_view line) {
  line = trimmed(line);
  if (line.empty()) return false;
  while (!line.empty()) {
    if (!is_listed(kRules, take_command(line))) return false;
    while (take_group(line, '[', ']') || take_group(line, '(', ')') || take_group(line, '{', '}')) {
    }
    line = trimmed(line);
  }
  return true;
}

}  // namespace scalelaw
