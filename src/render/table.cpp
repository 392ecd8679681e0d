#include "scalelaw/render/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/ranges.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} * 1024;
constexpr std::string_view kColumnGap = "  ";

void append_length(std::string& out, std::size_t length) {
  while (length >= 0x80) {
    out += static_cast<char>((length & 0x7F) | 0x80);
    length >>= 7;
  }
  out += static_cast<char>(length);
}

std::size_t take_length(std::string_view& packed) {
  std::size_t length = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(packed.front());
    packed.remove_prefix(1);
    length |= static_cast<std::size_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return length;
  }
}

// The first byte of a packed row.
constexpr char kBeginsPart = 1;
constexpr char kHasNumbers = 2;

void append_number(std::string& out, const std::optional<double>& number) {
  out += number ? '\1' : '\0';
  if (!number) return;
  char bytes[sizeof(double)];
  std::memcpy(bytes, &*number, sizeof bytes);
  out.append(bytes, sizeof bytes);
}

std::optional<double> take_number(std::string_view& packed) {
  const bool has_number = packed.front() != '\0';
  packed.remove_prefix(1);
  if (!has_number) return std::nullopt;
  double number = 0;
  std::memcpy(&number, packed.data(), sizeof number);
  packed.remove_prefix(sizeof number);
  return number;
}

std::string_view take_cell(std::string_view& packed) {
  const std::size_t length = take_length(packed);
  const std::string_view cell = packed.substr(0, length);
  packed.remove_prefix(length);
  return cell;
}

void append_padded(std::string& out, std::string_view text, std::size_t width, Align align) {
  const std::size_t padding = width - std::min(width, display_width(text));
  if (align == Align::kRight) out.append(padding, ' ');
  out += text;
  if (align == Align::kLeft) out.append(padding, ' ');
}

void trim_trailing_blanks(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

std::string_view ansi_start(Tone tone) {
  return word_for(tone,
                  {{Tone::kFaint, "\x1b[2m"}, {Tone::kWarning, "\x1b[33m"}, {Tone::kPlain, ""}});
}

constexpr std::string_view kAnsiBold = "\x1b[1m";
constexpr std::string_view kAnsiEnd = "\x1b[0m";

/// Where the columns of a text stand: how wide each is, and which are side by side.
struct RowLayout {
  std::vector<std::size_t> widths;
  std::vector<Shortening> cuts;  ///< Of keys that are shortened.
  std::vector<std::vector<std::size_t>> blocks;
};

std::size_t width_of_all(const std::vector<std::size_t>& widths,
                         std::span<const std::size_t> columns) {
  std::size_t sum = columns.empty() ? 0 : (columns.size() - 1) * kColumnGap.size();
  for (const std::size_t i : columns) sum += widths[i];
  return sum;
}

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (const std::string& word : split(text, ' ')) longest = std::max(longest, display_width(word));
  return longest;
}

/// Takes columns from the widest keys until `columns` fit, as far as keys stay legible.
void shorten_keys(std::vector<std::size_t>& widths, std::span<const std::size_t> keys,
                  std::span<const std::size_t> columns, std::size_t width,
                  std::size_t legible = 12) {
  while (!keys.empty() && width_of_all(widths, columns) > width) {
    const std::size_t widest =
        *std::max_element(keys.begin(), keys.end(),
                          [&](std::size_t a, std::size_t b) { return widths[a] < widths[b]; });
    if (widths[widest] <= legible) return;
    --widths[widest];
  }
}

/// Divides the columns over several tables that have the keys in common.
std::vector<std::vector<std::size_t>> stacked(std::vector<std::size_t>& widths,
                                              const std::vector<std::size_t>& keys,
                                              std::span<const std::size_t> columns,
                                              std::size_t width) {
  std::vector<std::vector<std::size_t>> blocks{keys};
  const std::size_t room = width - std::min(width, width_of_all(widths, keys) + kColumnGap.size());
  for (const std::size_t i : columns) {
    if (contains(keys, i)) continue;
    widths[i] = std::max<std::size_t>(1, std::min(widths[i], room));
    blocks.back().push_back(i);
    const bool is_alone = blocks.back().size() == keys.size() + 1;
    if (is_alone || width_of_all(widths, blocks.back()) <= width) continue;
    blocks.back().pop_back();
    blocks.push_back(keys);
    blocks.back().push_back(i);
  }
  return blocks;
}

RowLayout layout_of(const std::vector<TableColumn>& columns, const std::vector<std::size_t>& cells,
                    std::size_t width) {
  RowLayout layout;
  layout.cuts.resize(columns.size());
  std::vector<std::size_t> all;
  std::vector<std::size_t> keys;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    all.push_back(i);
    if (columns[i].is_key) keys.push_back(i);
    layout.widths.push_back(std::max(cells[i], display_width(columns[i].header)));
  }
  layout.blocks = {all};
  const auto fits = [&] { return width == 0 || width_of_all(layout.widths, all) <= width; };
  if (fits()) return layout;
  std::erase_if(all, [&](std::size_t i) { return cells[i] == 0 && !columns[i].is_key; });
  layout.blocks = {all};
  for (const std::size_t i : all) {
    layout.widths[i] = std::max({cells[i], longest_word(columns[i].header), std::size_t{1}});
  }
  const std::vector<std::size_t> widths = layout.widths;
  std::vector<std::size_t> groups = keys;
  std::erase_if(groups, [&](std::size_t i) { return !columns[i].is_group; });
  shorten_keys(layout.widths, groups, all, width);
  if (fits()) return layout;
  layout.widths = widths;  // Side by side they never fit, so the keys need not suffer.
  // Where no column is said to name the rows, the first one with words does.
  if (keys.empty() && columns[all.front()].align == Align::kLeft) keys.push_back(all.front());
  shorten_keys(layout.widths, keys, keys, width / 2, 4);
  layout.blocks = stacked(layout.widths, keys, all, width);
  return layout;
}

/// The heads of columns, in as many lines as the narrowest needs, and the rule below them.
std::string head_text(const std::vector<TableColumn>& columns, const RowLayout& layout,
                      std::span<const std::size_t> block, bool colour) {
  std::vector<std::vector<std::string>> heads;
  std::size_t height = 1;
  for (const std::size_t i : block) {
    heads.push_back(split(wrapped(columns[i].header, layout.widths[i], 0), '\n'));
    height = std::max(height, heads.back().size());
  }
  std::string text;
  for (std::size_t row = 0; row < height; ++row) {
    std::string line;
    for (std::size_t k = 0; k < block.size(); ++k) {
      const std::size_t above = height - heads[k].size();  // Heads stand on the rule.
      if (k > 0) line += kColumnGap;
      append_padded(line, row < above ? std::string_view() : heads[k][row - above],
                    layout.widths[block[k]], columns[block[k]].align);
    }
    trim_trailing_blanks(line);
    text.append(colour ? kAnsiBold : "").append(line).append(colour ? kAnsiEnd : "") += '\n';
  }
  for (const std::size_t i : block) {
    if (i != block.front()) text += kColumnGap;
    for (std::size_t k = 0; k < layout.widths[i]; ++k) text += "─";
  }
  return text += '\n';
}

void append_row_text(std::string& line, const std::vector<TableColumn>& columns,
                     const RowLayout& layout, std::span<const std::size_t> block,
                     const TextTable::Row& row, bool colour) {
  std::size_t last = block.size();  // Nothing is written behind the last cell with text.
  while (last > 0 && row[block[last - 1]].text.empty()) --last;
  for (std::size_t k = 0; k < last; ++k) {
    const std::size_t i = block[k];
    if (k > 0) line += kColumnGap;
    const bool toned = colour && columns[i].tone != Tone::kPlain && !row[i].text.empty();
    if (toned) line += ansi_start(columns[i].tone);
    const bool final_left = k + 1 == last && columns[i].align == Align::kLeft;
    const bool is_long = row[i].text.size() > layout.widths[i];
    const std::string text =
        is_long ? shortened_as(layout.cuts[i], row[i].text, layout.widths[i]) : "";
    append_padded(line, is_long ? text : row[i].text, final_left ? 0 : layout.widths[i],
                  columns[i].align);
    if (toned) line += kAnsiEnd;
  }
  line += '\n';
}

/// Whether a row has no more than its keys in some columns.
bool says_nothing(const std::vector<TableColumn>& columns, std::span<const std::size_t> block,
                  const TextTable::Row& row) {
  return all_of(block, [&](std::size_t i) { return columns[i].is_key || row[i].text.empty(); });
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// An underscore inside a word is no emphasis, so column names stay as they are.
bool is_inside_word(std::string_view text, std::size_t i) {
  return i > 0 && i + 1 < text.size() && is_word(text[i - 1]) && is_word(text[i + 1]);
}

/// What stands for a character in a format.
struct Escape {
  char character;
  std::string_view text;
};

constexpr Escape kLatexEscapes[] = {{'\\', "\\textbackslash{}"},
                                    {'{', "\\{"},
                                    {'}', "\\}"},
                                    {'$', "\\$"},
                                    {'&', "\\&"},
                                    {'#', "\\#"},
                                    {'_', "\\_"},
                                    {'%', "\\%"},
                                    {'^', "\\textasciicircum{}"},
                                    {'~', "\\textasciitilde{}"},
                                    {'<', "\\textless{}"},
                                    {'>', "\\textgreater{}"},
                                    {'|', "\\textbar{}"},
                                    {'"', "\\string\""},  // Active in some languages of babel.
                                    // Braces prevent ligatures (?` and --), and keep [ from being
                                    // an optional argument of the row before.
                                    {'`', "{`}"},
                                    {'[', "{[}"},
                                    {'-', "{-}"}};

constexpr Escape kHtmlEscapes[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

constexpr Escape kMarkdownEscapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\\', "\\\\"},
                                       {'`', "\\`"},   {'*', "\\*"},  {'[', "\\["},  {']', "\\]"},
                                       {'|', "\\|"},   {'~', "\\~"},  {'$', "\\$"},  {'#', "\\#"}};

/// Appends `c`, or what stands for it.
void append_escaped(std::string& out, std::span<const Escape> escapes, char c) {
  const auto escape = std::find_if(escapes.begin(), escapes.end(),
                                   [c](const Escape& one) { return one.character == c; });
  out += escape != escapes.end() ? escape->text : std::string_view(&c, 1);
}

bool is_number_like(std::string_view text) {
  return !text.empty() && text.front() == '-' && text.size() > 1 && std::isdigit(text[1]) != 0;
}

/// Whether GitHub may take what follows the character for a person, a team ("@name") or an issue
/// ("#12", "GH-12"). It looks at the text after Markdown was read, so that an escape does not keep
/// it from that; a blank of no width does.
bool names_someone(std::string_view text, std::size_t i) {
  if (i + 1 >= text.size()) return false;
  const auto next = static_cast<unsigned char>(text[i + 1]);
  if (text[i] == '@') return std::isalnum(next) != 0;
  if (std::isdigit(next) == 0) return false;
  const bool is_gh = text[i] == '-' && i >= 2 && std::tolower(text[i - 2]) == 'g' &&
                     std::tolower(text[i - 1]) == 'h';
  return text[i] == '#' || is_gh;
}

/// Escapes text, and gives numbers a true minus sign.
std::string latex_cell(std::string_view text) {
  if (is_number_like(text)) return fmt::format("$-${}", escaped_latex(text.substr(1)));
  return escaped_latex(text);
}

/// The widths of columns of escaped cells. Markdown is aligned for those who read its source.
std::string markdown_rule(std::size_t width, Align align) {
  std::string rule(std::max<std::size_t>(width, 3), '-');
  if (align == Align::kRight) rule.back() = ':';
  return rule;
}

}  // namespace

std::string_view name_of(Format format) {
  return word_for(format, {{Format::kTable, "table"},
                           {Format::kJson, "json"},
                           {Format::kJsonl, "jsonl"},
                           {Format::kCsv, "csv"},
                           {Format::kTsv, "tsv"},
                           {Format::kMarkdown, "markdown"},
                           {Format::kLatex, "latex"},
                           {Format::kHtml, "html"},
                           {Format::kJunit, "junit"},
                           {Format::kGithub, "github"},
                           {Format::kBenchmark, "benchmark"}});
}

TextTable::TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {
  for (TableColumn& column : columns_) {
    column.header = printable(column.header);
    widths_.push_back(0);
  }
}

void TextTable::begin_row(std::size_t cells, bool with_numbers) {
  if (cells != columns_.size()) throw std::invalid_argument("add_row: wrong number of cells");
  if (blocks_.empty() || blocks_.back().size() >= kBlockBytes) {
    blocks_.emplace_back().reserve(kBlockBytes + 4096);
  }
  blocks_.back() +=
      static_cast<char>((part_begins_ ? kBeginsPart : 0) | (with_numbers ? kHasNumbers : 0));
  part_begins_ = false;
  ++rows_;
}

void TextTable::append_text(std::size_t column, std::string_view text) {
  const std::string shown = printable(text);
  widths_[column] = std::max(widths_[column], display_width(shown));
  append_length(blocks_.back(), shown.size());
  blocks_.back() += shown;
}

void TextTable::add_row(std::span<const std::string> cells) {
  begin_row(cells.size(), false);
  for (std::size_t i = 0; i < cells.size(); ++i) append_text(i, cells[i]);
}

void TextTable::add_row(std::span<const TableCell> cells) {
  const bool with_numbers =
      any_of(cells, [](const TableCell& cell) { return cell.number.has_value(); });
  begin_row(cells.size(), with_numbers);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    append_text(i, cells[i].text);
    if (with_numbers) append_number(blocks_.back(), cells[i].number);
  }
}

void TextTable::begin_part() {
  if (rows_ == 0 || part_begins_) return;
  part_begins_ = true;
  ++parts_;
}

bool TextTable::draws_parts() const { return rows_ >= 2 * parts_; }

void TextTable::for_each_row(const std::function<void(const Row&, bool)>& visit,
                             std::size_t most) const {
  Row row(columns_.size());
  for (const std::string& block : blocks_) {
    std::string_view packed = block;
    for (; !packed.empty() && most > 0; --most) {
      const char flags = packed.front();
      packed.remove_prefix(1);
      for (TableCell& cell : row) {
        cell.text = take_cell(packed);
        cell.number = (flags & kHasNumbers) != 0 ? take_number(packed) : std::nullopt;
      }
      visit(row, (flags & kBeginsPart) != 0);
    }
  }
}

std::set<std::string> TextTable::texts_of(std::size_t column) const {
  constexpr std::size_t kMostRows = 1000;
  std::set<std::string> texts;
  for_each_row([&](const Row& row, bool) { texts.emplace(row[column].text); }, kMostRows);
  return texts;
}

bool TextTable::keys_tell_rows_apart() const {
  constexpr std::size_t kMostRows = 1000;
  if (rows_ > kMostRows) return false;
  std::set<std::vector<std::string>> seen;
  for_each_row(
      [&](const Row& row, bool) {
        std::vector<std::string> keys;
        for (std::size_t i = 0; i < row.size(); ++i) {
          if (columns_[i].is_key) keys.emplace_back(row[i].text);
        }
        seen.insert(std::move(keys));
      },
      kMostRows);
  return seen.size() == rows_;
}

void TextTable::write_text(const TextSink& sink, bool colour, std::size_t width) const {
  RowLayout layout = layout_of(columns_, widths_, width);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].is_key && layout.widths[i] < widths_[i]) {
      layout.cuts[i] = telling_shortening(texts_of(i), layout.widths[i]);
    }
  }
  const bool are_apart = layout.blocks.size() > 1 && keys_tell_rows_apart();
  for (const std::vector<std::size_t>& block : layout.blocks) {
    const bool is_first = &block == &layout.blocks.front();
    const bool leaves_out = !is_first && are_apart;
    if (!is_first) sink("\n");
    sink(head_text(columns_, layout, block, colour));
    std::string line;
    bool begins_part = false;
    for_each_row([&](const Row& row, bool begins) {
      begins_part = begins_part || begins;
      if (leaves_out && says_nothing(columns_, block, row)) return;
      line.clear();
      if (std::exchange(begins_part, false) && draws_parts()) line += '\n';
      append_row_text(line, columns_, layout, block, row, colour);
      sink(line);
    });
  }
}

void TextTable::write_markdown(const TextSink& sink, std::size_t most) const {
  std::vector<std::size_t> widths;
  for (const TableColumn& column : columns_) {
    widths.push_back(std::max<std::size_t>(3, display_width(escaped_markdown(column.header))));
  }
  const auto widen = [&](const Row& row, bool) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(escaped_markdown(row[i].text)));
    }
  };
  for_each_row(widen, most);
  std::string line;
  const auto write_line = [&](const auto& text_of) {
    line.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      line += i > 0 ? " | " : "| ";
      append_padded(line, text_of(i), widths[i], columns_[i].align);
    }
    line += " |\n";
    sink(line);
  };
  write_line([&](std::size_t i) { return escaped_markdown(columns_[i].header); });
  write_line([&](std::size_t i) { return markdown_rule(widths[i], columns_[i].align); });
  const auto write_row = [&](const Row& row, bool) {
    write_line([&row](std::size_t i) { return escaped_markdown(row[i].text); });
  };
  for_each_row(write_row, most);
}

void TextTable::write_latex(const TextSink& sink) const {
  std::string letters;
  for (const TableColumn& column : columns_) letters += column.align == Align::kRight ? 'r' : 'l';
  const auto header = [](const TableColumn& column) { return escaped_latex(column.header); };
  write_latex(sink,
              {.opening = fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n{} \\\\\n\\midrule\n",
                                      letters, joined_texts(columns_, " & ", header)),
               .closing = "\\end{tabular}\n",
               .cell = latex_cell});
}

void TextTable::write_latex(const TextSink& sink, const LatexFrame& frame, std::size_t most) const {
  const auto text = [&](const TableCell& cell) { return frame.cell(cell.text); };
  sink(frame.opening);
  const auto write_row = [&](const Row& row, bool begins) {
    const char* const gap = begins && draws_parts() ? "\\addlinespace\n" : "";
    sink(gap + joined_texts(row, " & ", text) + " \\\\\n");
  };
  for_each_row(write_row, most);
  sink("\\bottomrule\n" + frame.closing);
}

void TextTable::write_html(const TextSink& sink) const {
  const auto style = [this](std::size_t column) {
    return fmt::format(" style=\"text-align:{};padding:0.1em 0.6em\"",
                       columns_[column].align == Align::kRight ? "right" : "left");
  };
  write_html(sink,
             {.opening = "<table style=\"border-collapse:collapse\">\n<thead>\n",
              .header = style,
              .cell = [style](std::size_t column, const TableCell&) { return style(column); }});
}

void TextTable::write_html(const TextSink& sink, const HtmlFrame& frame, std::size_t most) const {
  std::string line = frame.opening + "<tr>";
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    line += fmt::format("<th{}>{}</th>", frame.header(i), escaped_html(columns_[i].header));
  }
  line += "</tr>\n</thead>\n<tbody>\n";
  sink(line);
  const auto write_row = [&](const Row& row, bool begins) {
    line = begins && draws_parts() ? "</tbody>\n<tbody>\n<tr>" : "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += fmt::format("<td{}>{}</td>", frame.cell(i, row[i]), escaped_html(row[i].text));
    }
    line += "</tr>\n";
    sink(line);
  };
  for_each_row(write_row, most);
  sink("</tbody>\n</table>\n");
}

void TextTable::write(Format format, const TextSink& sink, bool colour, std::size_t width) const {
  switch (format) {
    case Format::kTable:
      return write_text(sink, colour, width);
    case Format::kMarkdown:
      return write_markdown(sink);
    case Format::kLatex:
      return write_latex(sink);
    case Format::kHtml:
      return write_html(sink);
    default:
      throw std::invalid_argument("TextTable::write: not a format for tables");
  }
}

std::string escaped_markdown(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' && !is_inside_word(text, i)) out += '\\';
    append_escaped(out, kMarkdownEscapes, text[i]);
    if (names_someone(text, i)) out += "&#8203;";
  }
  return out;
}

std::string escaped_latex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // Plain TeX fonts lack this sign in text; our headers use no other sign outside ASCII.
    if (text.substr(i, 2) == "±") {
      out += "$\\pm$";
      ++i;
      continue;
    }
    const bool lone_hyphen = text[i] == '-' && (i + 1 == text.size() || text[i + 1] != '-') &&
                             (i == 0 || text[i - 1] != '-');
    append_escaped(out, lone_hyphen ? std::span<const Escape>() : kLatexEscapes, text[i]);
  }
  return out;
}

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) append_escaped(out, kHtmlEscapes, c);
  return out;
}

}  // namespace scalelaw
