#include "input/frame_cells.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"

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

namespace {

/// The length of the bar at the beginning of a text: '|', "│", "┃" or "║"; 0 without one.
std::size_t bar_length(std::string_view text) {
  if (text.starts_with('|')) return 1;
  for (const std::string_view bar : {"\u2502", "\u2503", "\u2551"}) {
    if (text.starts_with(bar)) return bar.size();
  }
  return 0;
}

/// The length of a character of the block "box drawing" (U+2500 to U+257F); 0 for any other.
std::size_t box_length(std::string_view text) {
  const bool box =
      text.size() >= 3 && text[0] == '\xE2' && (text[1] == '\x94' || text[1] == '\x95');
  return box ? 3 : 0;
}

/// The length of a character that is drawn from left to right: "-", "=", "─", "━", "═".
std::size_t dash_length(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('=')) return 1;
  for (const std::string_view dash : {"\u2500", "\u2501", "\u2550", "\u254C", "\u2504"}) {
    if (text.starts_with(dash)) return dash.size();
  }
  return 0;
}

/// The place of the next bar that no backslash escapes; npos without one.
std::size_t next_bar(std::string_view line, std::size_t from) {
  for (std::size_t at = from; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (bar_length(line.substr(at)) > 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

/// A sign that is looked for in the rest of a text again and again. One that is far away or missing
/// is looked for once.
class NextSign {
 public:
  explicit NextSign(std::string_view sign) : sign_(sign) {}

  /// The part of `text` up to the sign, and `text` without it and the sign; empty if there is none.
  std::optional<std::string_view> take_up_to(std::string_view& text) {
    const char* const begin = text.data();
    if (from_ == nullptr || begin < from_ || begin > found_) {
      from_ = begin;
      found_ = begin + std::min(text.find(sign_), text.size());
    }
    const std::string_view part = text.substr(0, static_cast<std::size_t>(found_ - begin));
    if (part.size() == text.size()) return std::nullopt;
    text.remove_prefix(part.size() + sign_.size());
    return part;
  }

 private:
  std::string_view sign_;
  const char* from_ = nullptr;   ///< Where the search began.
  const char* found_ = nullptr;  ///< The end of the text without a sign.
};

/// What ends parts of a cell.
struct EndSigns {
  NextSign bracket{"]"};
  NextSign parenthesis{")"};
  NextSign dollar{"$"};
  NextSign tag{">"};
  NextSign raised{"</sup>"};
};

struct Entity {
  std::string_view written;
  std::string_view shown;
};
constexpr Entity kEntities[] = {
    {"&nbsp;", " "},       {"&amp;", "&"},        {"&lt;", "<"},          {"&gt;", ">"},
    {"&quot;", "\""},      {"&times;", "\u00D7"}, {"&plusmn;", "\u00B1"}, {"&mdash;", "\u2014"},
    {"&ndash;", "\u2013"}, {"&thinsp;", " "},     {"&#124;", "|"},        {"&vert;", "|"},
    {"\u00A0", " "},       {"\u202F", " "},       {"\u2009", " "}};

/// Takes what stands in place of a character, such as "&nbsp;"; false if there is nothing.
bool take_entity(std::string_view& rest, std::string& shown) {
  for (const Entity& entity : kEntities) {
    if (!rest.starts_with(entity.written)) continue;
    shown += entity.shown;
    rest.remove_prefix(entity.written.size());
    return true;
  }
  return false;
}

/// Whether a text ends with a 10 that may have an exponent: "5x10", but not "110" and "1.10".
bool ends_with_ten(std::string_view shown) {
  if (!shown.ends_with("10")) return false;
  shown.remove_suffix(2);
  return shown.empty() || std::string_view("0123456789.,").find(shown.back()) == shown.npos;
}

/// Takes a tag of HTML; false if there is none. A note in <sup> is left out, an exponent is not.
bool take_tag(std::string_view& rest, EndSigns& ends, std::string& shown) {
  const bool tag = rest.size() > 2 && rest[0] == '<' &&
                   (rest[1] == '/' || ((rest[1] | 0x20) >= 'a' && (rest[1] | 0x20) <= 'z'));
  const auto inside = tag ? ends.tag.take_up_to(rest) : std::nullopt;
  if (!inside) return false;
  const std::string_view name = inside->substr(1);
  if (name.starts_with("br") || name.starts_with("BR")) shown += ' ';
  if (name != "sup") return true;
  std::string_view after = rest;
  const auto raised = ends.raised.take_up_to(after);
  if (!raised) return true;
  std::string exponent(trimmed(*raised));
  for (const std::string_view minus : {"\u2212", "\u2013"}) {
    if (exponent.starts_with(minus)) exponent.replace(0, minus.size(), "-");
  }
  if (ends_with_ten(shown) && parse_number(exponent)) shown += "^" + exponent;
  rest = after;
  return true;
}

/// Takes a link, an image or a mark of a footnote; false if there is none.
bool take_link(std::string_view& rest, EndSigns& ends, std::string& shown) {
  std::string_view after = rest.substr(rest.starts_with('!') ? 1 : 0);
  if (!after.starts_with('[')) return false;
  after.remove_prefix(1);
  const bool footnote = after.starts_with('^');
  const auto text = ends.bracket.take_up_to(after);
  if (!text) return false;
  if (!footnote) {
    if (!after.starts_with('(') || !ends.parenthesis.take_up_to(after)) return false;
    shown += markdown_text(*text);
  }
  rest = after;
  return true;
}

/// Takes a formula between dollar signs, "$3,786$ ms", which are no part of it; false if there is
/// none. Prices are none: "$3 to $5", "$3/$5".
bool take_formula(std::string_view& rest, EndSigns& ends, std::string& shown) {
  std::string_view after = rest;
  if (!after.starts_with('$')) return false;
  after.remove_prefix(1);
  const auto formula = ends.dollar.take_up_to(after);
  if (!formula || formula->empty() || formula->front() == ' ' || formula->back() == ' ' ||
      (!after.empty() && after.front() >= '0' && after.front() <= '9')) {
    return false;
  }
  shown += *formula;
  rest = after;
  return true;
}

/// The marks of emphasis around a whole text or at the ends of its words are no part of it.
void leave_marks_out(std::string& text) {
  for (const std::string_view mark : {"**", "__", "~~", "`"}) {
    std::string without;
    std::size_t from = 0;
    for (;;) {
      const std::size_t at = text.find(mark, from);
      const std::size_t inside = at + mark.size();
      const std::size_t closing = at == text.npos ? text.npos : text.find(mark, inside);
      if (closing == text.npos) break;
      without.append(text, from, at - from).append(text, inside, closing - inside);
      from = closing + mark.size();
    }
    text = without.append(text, from);
  }
  for (const char mark : {'*', '_'}) {
    const bool around = text.size() > 2 && text.front() == mark && text.back() == mark;
    if (around) text = text.substr(1, text.size() - 2);
  }
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

std::vector<std::string> texts_of(const std::vector<Piece>& pieces) {
  std::vector<std::string> texts;
  for (const Piece& piece : pieces) {
    std::string_view text = piece.text;
    const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
    texts.emplace_back(quoted ? text.substr(1, text.size() - 2) : text);
  }
  return texts;
}

/// The words of a line, joined by the columns in which they stand.
std::vector<std::string> cells_by_place(const std::vector<Piece>& words, const Division& division) {
  std::vector<std::string> cells(division.width);
  for (const Piece& word : words) {
    // A word belongs to the last column that begins before its end: numbers may stand at the right.
    const auto after = std::ranges::lower_bound(division.begins, word.end);
    const auto place =
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - division.begins.begin(), 1) - 1);
    if (!cells[place].empty()) cells[place] += ' ';
    cells[place] += word.text;
  }
  return cells;
}

std::vector<std::string> column_cells(std::string_view line, const Division& division) {
  for (const std::size_t gap : {2, 1}) {
    const std::vector<Piece> pieces = blank_pieces(line, gap);
    if (pieces.size() == division.width) return texts_of(pieces);
    if (gap == 1 && !division.begins.empty()) return cells_by_place(pieces, division);
  }
  return texts_of(blank_pieces(line, 2));
}

/// The cells of a row of LaTeX, "8 & 1.5 & $2$ \\". A merged one leaves those behind it empty.
std::vector<std::string> latex_cells(std::string_view line) {
  line = line.substr(0, line.find("\\\\"));
  std::vector<std::string> cells;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= line.size(); ++at) {
    const bool ends = at == line.size() || (line[at] == '&' && (at == 0 || line[at - 1] != '\\'));
    if (!ends) continue;
    const std::string_view cell = line.substr(begin, at - begin);
    cells.push_back(latex_text(cell));
    cells.resize(cells.size() + latex_columns(cell) - 1);
    begin = at + 1;
  }
  return cells;
}

std::vector<std::string> separated_cells(std::string_view line, char separator) {
  if (separator == '&') return latex_cells(line);
  std::vector<std::string_view> fields;
  tokenize(line, separator, fields);
  std::vector<std::string> cells;
  std::string scratch;
  for (const std::string_view field : fields) {
    const std::string_view text = trimmed(field);
    cells.emplace_back(field_defect(text) ? text : trimmed(field_text(text, scratch)));
  }
  return cells;
}

/// Markdown fills rows that are too short; a bar too many at an end encloses an empty cell.
std::vector<std::string> cells_between_bars(std::string_view line, std::size_t width) {
  std::vector<std::string> cells;
  for (const std::string_view cell : bar_cells(line)) cells.push_back(markdown_text(cell));
  while (cells.size() > width && width > 0 && cells.back().empty()) cells.pop_back();
  if (cells.size() < width) cells.resize(width);
  return cells;
}

}  // namespace

std::string markdown_text(std::string_view cell) {
  std::string shown;
  std::string_view rest = trimmed(cell);
  EndSigns ends;
  constexpr std::string_view kEscaped = "\\`*_{}[]()#+-.!|<>~$&";
  while (!rest.empty()) {
    if (rest.size() > 1 && rest[0] == '\\' && kEscaped.find(rest[1]) != std::string_view::npos) {
      shown += rest[1];
      rest.remove_prefix(2);
    } else if (!take_entity(rest, shown) && !take_tag(rest, ends, shown) &&
               !take_link(rest, ends, shown) && !take_formula(rest, ends, shown)) {
      shown += rest.front() == '\t' ? ' ' : rest.front();
      rest.remove_prefix(1);
    }
  }
  leave_marks_out(shown);
  return std::string(trimmed(shown));
}

bool has_bar(std::string_view line) { return next_bar(line, 0) != std::string_view::npos; }

bool has_box_character(std::string_view line) {
  for (std::size_t at = line.find('\xE2'); at < line.size(); at = line.find('\xE2', at + 1)) {
    if (box_length(line.substr(at)) > 0) return true;
  }
  return false;
}

std::vector<std::string_view> bar_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  line = trimmed(line);
  line.remove_prefix(bar_length(line));
  for (std::size_t bar = next_bar(line, 0); bar != std::string_view::npos;
       bar = next_bar(line, 0)) {
    cells.push_back(trimmed(line.substr(0, bar)));
    line.remove_prefix(bar + bar_length(line.substr(bar)));
    if (trimmed(line).empty()) return cells;
  }
  cells.push_back(trimmed(line));
  return cells;
}

bool is_table_rule(std::string_view line, std::size_t least) {
  constexpr std::string_view kOthers = "+:|_ \t";
  std::size_t dashes = 0;
  std::size_t shortest = std::string_view::npos;
  line = trimmed(line);
  if (is_latex_rule(line)) return true;
  while (!line.empty()) {
    const std::size_t dash = dash_length(line);
    std::size_t length = std::max(dash, box_length(line));
    if (length == 0 && kOthers.find(line.front()) != std::string_view::npos) length = 1;
    if (length == 0) return false;
    const bool ends = dash == 0 && dashes > 0;
    if (ends) shortest = std::min(shortest, std::exchange(dashes, 0));
    dashes += dash > 0 ? 1 : 0;
    line.remove_prefix(length);
  }
  if (dashes > 0) shortest = std::min(shortest, dashes);
  return shortest != std::string_view::npos && shortest >= least;
}

std::vector<Piece> blank_pieces(std::string_view line, std::size_t gap) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  std::size_t counted = 0;
  std::size_t begin = 0;
  while ((at = line.find_first_not_of(" \t", at)) != std::string_view::npos) {
    std::size_t end = at;
    if (line[at] == '"' && line.find('"', at + 1) != std::string_view::npos) {
      end = line.find('"', at + 1) + 1;
    }
    for (; end < line.size(); ++end) {
      if (line[end] == '\t') break;
      if (line[end] != ' ') continue;
      const std::size_t next = line.find_first_not_of(' ', end);
      if (next == std::string_view::npos || next - end >= gap || line[next] == '\t') break;
      end = next - 1;
    }
    begin += characters(line.substr(counted, at - counted));
    counted = at;
    const std::string_view text = line.substr(at, end - at);
    pieces.push_back({text, begin, begin + characters(text)});
    at = end;
  }
  return pieces;
}

std::vector<std::string> cells_of(std::string_view line, const Division& division) {
  switch (division.kind) {
    case Division::Kind::kBars:
      return cells_between_bars(line, division.width);
    case Division::Kind::kSeparator:
      return separated_cells(line, division.separator);
    case Division::Kind::kColumns:
      return column_cells(line, division);
    case Division::Kind::kWords:
      break;
  }
  return texts_of(blank_pieces(line, 1));
}

}  // namespace scalelaw
