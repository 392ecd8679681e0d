// The drawings of a report, and how they become parts of a page.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "assets.hpp"
#include "base/code_points.hpp"
#include "render/gnuplot/theme.hpp"
#include "render/plain_svg.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {
namespace {

// A drawing of gnuplot as a part of a page: with its colours, its own ids, and as few bytes as do.

/// "rgb(  0, 114, 178)" or "#0072B2" as "#0072b2"; other values as they are.
std::string plain_colour(std::string_view value) {
  std::string out;
  if (!value.starts_with("rgb(")) {
    for (const char c : value)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  }
  out = "#";
  value = value.substr(4, value.size() - 5);
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(','), value.size());
    const auto part = parse_number(trimmed(value.substr(0, end)));
    out += fmt::format("{:02x}", static_cast<unsigned>(part.value_or(0)) & 0xFFU);
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return out;
}

/// A number in tenths; nothing if it has further decimals.
std::optional<long> tenths(std::string_view text) {
  const auto value = parse_number(text);
  if (!value || std::abs(*value) > 1e6) return std::nullopt;
  const double tenfold = 10 * *value;
  const double whole = std::round(tenfold);
  return std::abs(tenfold - whole) < 1e-6 ? std::optional(static_cast<long>(whole)) : std::nullopt;
}

std::string tenths_text(long value) {
  std::string text = fmt::format("{}{}", value < 0 ? "-" : "", std::abs(value) / 10);
  if (value % 10 != 0) text += fmt::format(".{}", std::abs(value) % 10);
  return text;
}

/// A place in tenths.
struct Place {
  long x;
  long y;
};

/// Whether all places between two of a line lie on the way from one to the other, to a tenth.
bool is_straight(const std::vector<Place>& line, std::size_t from, std::size_t to) {
  const auto across = static_cast<double>(line[to].x - line[from].x);
  const auto along = static_cast<double>(line[to].y - line[from].y);
  const double length = std::hypot(across, along);
  for (std::size_t i = from + 1; i < to; ++i) {
    const auto x = static_cast<double>(line[i].x - line[from].x);
    const auto y = static_cast<double>(line[i].y - line[from].y);
    const double way = x * across + y * along;
    if (std::abs(x * along - y * across) > length || way < 0 || way > length * length) return false;
  }
  return true;
}

/// The places at which a line bends, and its ends.
std::vector<Place> bends_of(const std::vector<Place>& line) {
  constexpr std::size_t kMostLeftOut = 200;
  std::vector<Place> bends;
  std::size_t from = 0;
  while (from + 1 < line.size()) {
    bends.push_back(line[from]);
    std::size_t to = from + 1;
    while (to + 1 < std::min(line.size(), from + kMostLeftOut) && is_straight(line, from, to + 1)) {
      ++to;
    }
    from = to;
  }
  if (!line.empty()) bends.push_back(line.back());
  return bends;
}

/// The lines of a path of moves and lines; nothing for any other path.
std::optional<std::vector<std::vector<Place>>> lines_of(std::string path) {
  std::ranges::replace_if(
      path, [](char c) { return c == '\t' || c == '\n'; }, ' ');
  std::vector<std::vector<Place>> lines;
  for (const std::string& word : split(path, ' ')) {
    if (word.empty()) continue;
    const bool moves = word.front() == 'M';
    const std::string_view place =
        std::string_view(word).substr(moves || word.front() == 'L' ? 1 : 0);
    const std::size_t comma = place.find(',');
    if (comma == std::string_view::npos || (lines.empty() && !moves)) return std::nullopt;
    const auto x = tenths(place.substr(0, comma));
    const auto y = tenths(place.substr(comma + 1));
    if (!x || !y) return std::nullopt;
    if (moves) lines.emplace_back();
    lines.back().push_back({*x, *y});
  }
  return lines;
}

/// A path of moves and lines as steps from bend to bend, which are shorter: "M10,20 L13,24" is
/// "m10,20 3,4". Any other path stays as it is.
std::string short_path(const std::string& path) {
  const auto lines = lines_of(path);
  if (!lines) return path;
  std::string out;
  Place last{0, 0};
  for (const std::vector<Place>& line : *lines) {
    char before = 'm';
    for (const Place& place : bends_of(line)) {
      out += before + tenths_text(place.x - last.x) + ',' + tenths_text(place.y - last.y);
      before = ' ';
      last = place;
    }
  }
  return out;
}

/// Place and size of a point, from "translate(1,2) scale(3)".
struct PointPlace {
  std::string_view x;
  std::string_view y;
  std::string_view size;
};

std::optional<PointPlace> point_place(std::string_view transform) {
  constexpr std::string_view kTranslate = "translate(";
  constexpr std::string_view kScale = ") scale(";
  const std::size_t comma = transform.find(',');
  const std::size_t scale = transform.find(kScale);
  if (!transform.starts_with(kTranslate) || comma > scale || scale == std::string_view::npos ||
      !transform.ends_with(')')) {
    return std::nullopt;
  }
  const std::size_t size = scale + kScale.size();
  return PointPlace{.x = transform.substr(kTranslate.size(), comma - kTranslate.size()),
                    .y = transform.substr(comma + 1, scale - comma - 1),
                    .size = transform.substr(size, transform.size() - size - 1)};
}

/// Follows the groups of a drawing and tells which are points with a note.
class PointGroups {
 public:
  void take(const SvgTag& tag) {
    if (tag.name == "g" && !tag.empty) {
      inside_.push_back(is_inside() || tag.value("class") == "point");
    } else if (tag.name == "/g" && !inside_.empty()) {
      inside_.pop_back();
    }
  }
  bool is_inside() const { return !inside_.empty() && inside_.back(); }

 private:
  std::vector<bool> inside_;
};

std::string key_of(const SvgTag& use) {
  return fmt::format("{} {} {}", use.value("xlink:href"), use.value("transform"),
                     use.value("color"));
}

/// The symbols that a drawing uses, themselves or by way of others. Gnuplot defines all it has.
std::set<std::string> used_symbols(std::string_view svg) {
  std::map<std::string, std::string> bases;  // What symbols are made from.
  std::set<std::string> used;
  SvgReader reader(svg);
  while (const auto piece = reader.next()) {
    if (!piece->tag || piece->tag->name != "use") continue;
    const std::string_view href = piece->tag->value("xlink:href");
    if (href.empty()) continue;
    const std::string_view id = piece->tag->value("id");
    if (id.empty()) {
      used.emplace(href.substr(1));
    } else {
      bases.emplace(id, href.substr(1));
    }
  }
  std::set<std::string> all;
  for (std::string symbol : used) {
    while (all.insert(symbol).second && bases.contains(symbol)) symbol = bases.at(symbol);
  }
  return all;
}

/// The points that are drawn with their notes. Gnuplot draws them without notes first.
std::set<std::string> noted_points(std::string_view svg) {
  std::set<std::string> points;
  PointGroups groups;
  SvgReader reader(svg);
  while (const auto piece = reader.next()) {
    if (!piece->tag) continue;
    groups.take(*piece->tag);
    if (groups.is_inside() && piece->tag->name == "use") points.insert(key_of(*piece->tag));
  }
  return points;
}

/// The variables of the page's style that stand for the colours of a theme.
std::vector<std::pair<std::string, std::string_view>> figure_variables(const Theme& theme) {
  std::vector<std::pair<std::string, std::string_view>> variables{
      {"--fig-background", theme.background},
      {"--fig-text", theme.text},
      {"--fig-axis", theme.axis},
      {"--fig-grid", theme.grid},
      {"--fig-reference", theme.reference}};
  for (std::size_t i = 0; i < theme.series.size(); ++i) {
    variables.emplace_back(fmt::format("--fig-{}", i), theme.series[i]);
  }
  return variables;
}

/// Rewrites the drawing tag by tag.
class PageSvg {
 public:
  PageSvg(std::string_view svg, std::string prefix)
      : reader_(svg),
        prefix_(std::move(prefix)),
        noted_(noted_points(svg)),
        used_(used_symbols(svg)) {
    for (const auto& [name, colour] : figure_variables(theme_of(FigureTheme::kLight))) {
      colours_.emplace_back(std::string(colour), "var(" + name + ")");
    }
  }

  std::string rewritten(const std::string& title) {
    while (const auto piece = reader_.next()) {
      out_ += piece->text;
      if (piece->tag) write_tag(*piece->tag);
    }
    return fmt::format(
        "<svg viewBox=\"{}\" role=\"img\" aria-label=\"{}\" fill=\"none\" color=\"black\" "
        "stroke=\"currentColor\" stroke-width=\"1\" font-family=\"sans-serif\" "
        "font-size=\"15\">\n{}{}</svg>\n",
        view_box_, escaped_html(printable(title)), out_, symbols_text());
  }

 private:
  struct OpenGroup {
    std::string text;
    std::string placed;       ///< As attributes of the text that it holds, where it holds one.
    bool is_done;             ///< It says nothing, or is written.
    bool is_written = false;  ///< So that its end is, too.
  };

  void write_tag(const SvgTag& tag) {
    groups_.take(tag);
    if (tag.name == "svg") view_box_ = std::string(tag.value("viewBox"));
    if (tag.name == "svg" || tag.name == "/svg") return;
    if (tag.name == "rect" && !background_gone_) {
      background_gone_ = true;  // The page's own shows through.
      return;
    }
    if (tag.name == "/g") return close_group();
    if (tag.name == "use" && write_point(tag)) return;
    if (tag.empty && is_spare(tag.value("id"))) return;
    const std::string attributes = attributes_of(tag);
    if (tag.name == "g" && !tag.empty) return open_group(tag, attributes);
    if (tag.name == "text" && !open_.empty() && !open_.back().placed.empty()) {
      out_ += "<text" + std::exchange(open_.back().placed, "") + ">";
      open_.back().is_done = true;
      return;
    }
    if (tag.value("class") != "gridline") open_groups();  // The style has its width.
    out_ += "<" + tag.name + attributes + (tag.empty ? "/>" : ">");
  }

  void open_group(const SvgTag& tag, const std::string& attributes) {
    const std::string placed = placed_text(tag, attributes);
    const bool is_width = tag.attributes.size() == 1 && !tag.value("stroke-width").empty();
    if (!placed.empty()) open_groups();
    open_.push_back({"<g" + attributes + ">", placed, tag.attributes.empty()});
    if (placed.empty() && !is_width && !tag.attributes.empty()) open_groups();
  }

  /// The attributes of a text that a group places and holds alone; empty for other groups.
  static std::string placed_text(const SvgTag& tag, std::string attributes) {
    const std::string_view transform = tag.value("transform");
    constexpr std::string_view kTranslate = "translate(";
    const std::size_t comma = transform.find(',');
    if (tag.value("stroke") != "none" || !transform.starts_with(kTranslate) ||
        transform.find(')') + 1 != transform.size() || comma == std::string_view::npos) {
      return "";
    }
    const std::string whole = fmt::format(" transform=\"{}\"", transform);
    attributes.replace(attributes.find(whole), whole.size(),
                       fmt::format(" x=\"{}\" y=\"{}\"",
                                   transform.substr(kTranslate.size(), comma - kTranslate.size()),
                                   transform.substr(comma + 1, transform.size() - comma - 2)));
    return attributes;
  }

  /// Writes the groups that are still to be opened: those of a width alone wait for a line.
  void open_groups() {
    for (OpenGroup& group : open_) {
      if (group.is_done) continue;
      group.is_done = true;
      group.is_written = true;
      out_ += group.text;
    }
  }

  void close_group() {
    if (open_.empty()) return;
    if (open_.back().is_written) out_ += "</g>\n";
    open_.pop_back();
  }

  bool is_spare(std::string_view id) const {
    return !id.empty() && !used_.contains(std::string(id));
  }

  /// A point of a figure: a symbol of its size, which is defined once. False if it is none.
  bool write_point(const SvgTag& tag) {
    const auto place = point_place(tag.value("transform"));
    if (!place) return false;
    if (!groups_.is_inside() && noted_.contains(key_of(tag))) return true;
    const std::string symbol = fmt::format("{} {}", tag.value("xlink:href"), place->size);
    const auto [found, is_new] = symbols_.try_emplace(symbol, symbols_.size());
    out_ += fmt::format("<use href=\"#{}s{}\" x=\"{}\" y=\"{}\"{}/>", prefix_, found->second,
                        place->x, place->y, colour_text(tag.value("color")));
    return true;
  }

  std::string symbols_text() const {
    std::string text;
    for (const auto& [symbol, number] : symbols_) {
      const std::size_t blank = symbol.find(' ');
      text += fmt::format(
          "<defs><use id=\"{0}s{1}\" href=\"#{0}{2}\" transform=\"scale({3})\"/></defs>", prefix_,
          number, std::string_view(symbol).substr(1, blank - 1),
          std::string_view(symbol).substr(blank + 1));
    }
    return text;
  }

  std::string attributes_of(const SvgTag& tag) const {
    const bool is_grid = tag.value("class") == "gridline";
    const bool is_text = tag.value("stroke") == "none" && themed(tag.value("fill")) == kText;
    const bool is_axis = tag.name == "path" && themed(tag.value("stroke")) == "var(--fig-axis)";
    std::string out = is_text ? " class=\"t\"" : is_axis ? " class=\"a\"" : "";
    for (const SvgAttribute& attribute : tag.attributes) {
      const std::string& name = attribute.name;
      if (is_text && (name == "stroke" || name == "fill")) continue;
      if ((is_grid || is_axis) && name == "stroke") continue;
      if (name == "text-anchor" && attribute.value == "start") continue;
      out += attribute_text(attribute);
    }
    return out;
  }

  std::string attribute_text(const SvgAttribute& attribute) const {
    const std::string& name = attribute.name;
    if (name == "id") return fmt::format(" id=\"{}{}\"", prefix_, attribute.value);
    if (name == "xlink:href") {
      return fmt::format(" href=\"#{}{}\"", prefix_, attribute.value.substr(1));
    }
    if (name == "color") return colour_text(attribute.value);
    if (name == "d") return fmt::format(" d=\"{}\"", short_path(attribute.value));
    const bool is_colour = name == "fill" || name == "stroke";
    return fmt::format(" {}=\"{}\"", name, is_colour ? themed(attribute.value) : attribute.value);
  }

  /// The attribute for a current colour: a class where the theme has it.
  std::string colour_text(std::string_view value) const {
    const std::string colour = themed(value);
    if (colour == "var(--fig-background)") return " class=\"cb\"";
    if (const auto place = std::ranges::find(kSeries, colour); place != kSeries.end()) {
      return fmt::format(" class=\"c{}\"", place - kSeries.begin());
    }
    return colour.empty() ? "" : fmt::format(" color=\"{}\"", colour);
  }

  std::string themed(std::string_view value) const {
    const std::string colour = plain_colour(value);
    for (const auto& [known, variable] : colours_) {
      if (colour == known) return variable;
    }
    return std::string(value);
  }

  static constexpr std::string_view kText = "var(--fig-text)";
  static constexpr std::array<std::string_view, 8> kSeries{
      "var(--fig-0)", "var(--fig-1)", "var(--fig-2)", "var(--fig-3)",
      "var(--fig-4)", "var(--fig-5)", "var(--fig-6)", "var(--fig-7)"};

  SvgReader reader_;
  std::string prefix_;
  std::set<std::string> noted_;
  std::set<std::string> used_;
  PointGroups groups_;
  std::vector<OpenGroup> open_;
  std::map<std::string, std::size_t> symbols_;  ///< Symbols with their sizes, and their numbers.
  std::vector<std::pair<std::string, std::string>> colours_;
  std::string out_;
  std::string view_box_;
  bool background_gone_ = false;
};

}  // namespace

std::string page_svg(std::string_view svg, const std::string& prefix, const std::string& title) {
  return PageSvg(svg, prefix).rewritten(title);
}

namespace {

std::string style_of(const Theme& theme) {
  std::string style;
  for (const auto& [name, colour] : figure_variables(theme)) {
    style += fmt::format("{}: {}; ", name, colour);
  }
  return style;
}

/// Short names for what drawings say most often.
std::string colour_classes() {
  std::string style =
      ".t { fill: var(--fig-text); stroke: none; }\n"
      ".gridline { stroke: var(--fig-grid); stroke-width: 0.7; }\n"
      ".a { stroke: var(--fig-axis); }\n"
      ".cb { color: var(--fig-background); }\n";
  for (std::size_t i = 0; i < theme_of(FigureTheme::kLight).series.size(); ++i) {
    style += fmt::format(".c{0} {{ color: var(--fig-{0}); }}\n", i);
  }
  return style;
}

/// A text with the characters that fonts may lack as their numbers: "[U+4E2D]".
std::string spelled_out(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view rest = text;
    const CodePoint code = take_code_point(text);
    out += is_of_a_script(code.value) ? fmt::format("[U+{:04X}]", code.value)
                                      : std::string(rest.substr(0, code.bytes));
  }
  return out;
}

/// The figure with names spelled out that fonts may lack, as the LaTeX around it spells them.
Figure spelled_figure(Figure figure) {
  const auto spell = [](std::string& text) { text = spelled_out(text); };
  for (std::string* const text : {&figure.title, &figure.legend, &figure.note}) spell(*text);
  for (FigurePanel& panel : figure.panels) {
    for (std::string* const text : {&panel.title, &panel.x.label, &panel.y.label}) spell(*text);
    for (std::string& name : panel.x.categories) spell(name);
    for (FigureReference& reference : panel.references) spell(reference.label);
    for (FigureMark& mark : panel.marks) {
      for (std::string& words : mark.words) spell(words);
    }
    for (FigureSeries& series : panel.series) {
      spell(series.label);
      for (std::string& words : series.points.words) spell(words);
    }
  }
  return figure;
}

/// A PDF, with names spelled out where no font has them.
std::string drawn_pdf(const Figure& figure, const DrawFigure& draw) {
  try {
    return draw(figure, FigureFormat::kPdf);
  } catch (const DataError&) {
    return draw(spelled_figure(figure), FigureFormat::kPdf);
  }
}

/// @param prefix  Of the ids in the drawing: no other figure of the page has it.
std::string drawn(const ReportFigure& figure, ReportFormat format, const DrawFigure& draw,
                  const std::string& prefix) {
  switch (format) {
    case ReportFormat::kHtml: {
      const CaptionParts caption = caption_of(figure);
      return page_svg(draw(figure.figure, FigureFormat::kSvg), prefix, caption.lead + caption.rest);
    }
    case ReportFormat::kMarkdown:
      return draw(figure.figure, FigureFormat::kSvg);
    case ReportFormat::kLatex:
      return drawn_pdf(figure.figure, draw);
    case ReportFormat::kJson:  // It has no figures.
      break;
  }
  return "";
}

}  // namespace

std::string figure_style() {
  const std::string light = style_of(theme_of(FigureTheme::kLight));
  return fmt::format(
      ":root {{ {} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {} }} }}\n"
      "@media print {{ :root {{ {} }} }}\n{}",
      light, style_of(theme_of(FigureTheme::kDark)), light, colour_classes());
}

std::string_view published_frey2022() { return kPublishedFrey2022; }

std::size_t draw_figures(ReportDocument& document, ReportFormat format, const DrawFigure& draw,
                         int threads) {
  std::vector<ReportFigure*> figures;
  for (ReportSection& section : document.sections) {
    for (ReportBlock& block : section.blocks) {
      if (auto* figure = std::get_if<ReportFigure>(&block)) figures.push_back(figure);
      if (auto* answer = std::get_if<ReportAnswer>(&block)) figures.push_back(&answer->chart);
    }
  }
  parallel_for(thread_count(threads), figures.size(), [&](std::size_t i, int /*worker*/) {
    try {
      figures[i]->drawing = drawn(*figures[i], format, draw, fmt::format("f{}-", i));
    } catch (const DataError& error) {
      figures[i]->problem = error.what();
    }
  });
  return static_cast<std::size_t>(std::ranges::count_if(
      figures, [](const ReportFigure* figure) { return figure->drawing.empty(); }));
}

}  // namespace scalelaw
