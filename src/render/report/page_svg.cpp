// gnuplot's SVG as a part of a page.

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <utility>

#include "render/gnuplot/theme.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {
namespace {

/// The variables of the page's style that stand for the colours of a theme.
std::vector<std::pair<std::string, std::string_view>> variables_of(const Theme& theme) {
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

std::string style_of(const Theme& theme) {
  std::string style;
  for (const auto& [name, colour] : variables_of(theme)) {
    style += fmt::format("{}: {}; ", name, colour);
  }
  return style;
}

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

struct Attribute {
  std::string name;
  std::string value;
};

/// One tag, without its angle brackets.
struct Tag {
  std::string name;  ///< With a slash before it if it closes.
  std::vector<Attribute> attributes;
  bool empty = false;  ///< Ends with a slash.
};

Tag parse_tag(std::string_view text) {
  Tag tag;
  if (text.ends_with('/')) {
    tag.empty = true;
    text.remove_suffix(1);
  }
  std::size_t at = text.find_first_of(" \t\r\n");
  tag.name = std::string(text.substr(0, at));
  while (at < text.size()) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
    const std::size_t equals = text.find('=', begin);
    if (begin == std::string_view::npos || equals == std::string_view::npos) break;
    const std::size_t open = text.find_first_of("'\"", equals);
    if (open == std::string_view::npos) break;
    const std::size_t close = std::min(text.find(text[open], open + 1), text.size());
    tag.attributes.push_back({std::string(trimmed(text.substr(begin, equals - begin))),
                              std::string(text.substr(open + 1, close - open - 1))});
    at = close + 1;
  }
  return tag;
}

/// The number of the note that a handler of gnuplot shows: "...showHypertext(evt,'note 12')".
std::optional<std::size_t> note_number(const Tag& tag) {
  for (const Attribute& attribute : tag.attributes) {
    if (attribute.name != "onmousemove") continue;
    const std::size_t begin = attribute.value.find("'note ");
    if (begin == std::string::npos) return std::nullopt;
    const std::size_t end = attribute.value.find('\'', begin + 1);
    const auto number = parse_number(attribute.value.substr(begin + 6, end - begin - 6));
    if (number && *number >= 0) return static_cast<std::size_t>(*number);
  }
  return std::nullopt;
}

/// Rewrites the drawing tag by tag.
class PageSvg {
 public:
  PageSvg(std::string_view svg, std::string prefix, const std::vector<std::string>& notes)
      : rest_(svg), prefix_(std::move(prefix)), notes_(notes) {
    for (const auto& [name, colour] : variables_of(theme_of(FigureTheme::kLight))) {
      colours_.emplace_back(std::string(colour), "var(" + name + ")");
    }
  }

  std::string rewritten(const std::string& title) {
    while (!rest_.empty()) {
      const std::size_t tag = rest_.find('<');
      take_text(rest_.substr(0, tag));
      if (tag == std::string_view::npos) break;
      rest_.remove_prefix(tag);
      take_tag();
    }
    return fmt::format(
        "<svg viewBox=\"{}\" role=\"img\" aria-label=\"{}\" fill=\"none\" color=\"black\" "
        "stroke=\"currentColor\" stroke-width=\"1\" font-family=\"sans-serif\" "
        "font-size=\"15\">\n{}</svg>\n",
        escaped_html(view_box_), escaped_html(title), out_);
  }

 private:
  void take_text(std::string_view text) {
    text = trimmed(text);
    while (text.starts_with('\n')) text = trimmed(text.substr(1));
    while (text.ends_with('\n')) text = trimmed(text.substr(0, text.size() - 1));
    out_ += text;
  }

  void skip_past(std::string_view end) {
    const std::size_t at = rest_.find(end);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
  }

  void take_tag() {
    if (rest_.starts_with("<?")) return skip_past("?>");
    if (rest_.starts_with("<!--")) return skip_past("-->");
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos) {
      rest_ = {};
      return;
    }
    const Tag tag = parse_tag(rest_.substr(1, end - 1));
    if (tag.name == "script") return skip_past("</script>");
    if (tag.name == "title") return skip_past("</title>");
    if (tag.name == "desc") return skip_past("</desc>");
    if (tag.name == "filter") return skip_past("</filter>");
    if (is_of_gnuplot_mousing(tag)) {
      rest_ = {};
      return;
    }
    rest_.remove_prefix(end + 1);
    write_tag(tag);
  }

  /// What follows the canvas: boxes that gnuplot's own script fills.
  static bool is_of_gnuplot_mousing(const Tag& tag) {
    for (const Attribute& attribute : tag.attributes) {
      if (attribute.name == "id" && attribute.value == "coord_text") return true;
    }
    return tag.name == "image";
  }

  /// gnuplot draws points of size 0 where it knocks out what is below the next one.
  static bool is_without_size(const Tag& tag) {
    return tag.name == "use" &&
           std::any_of(tag.attributes.begin(), tag.attributes.end(), [](const Attribute& one) {
             return one.name == "transform" && one.value.ends_with(" scale(0.00)");
           });
  }

  void write_tag(const Tag& tag) {
    if (tag.name == "svg") {
      for (const Attribute& one : tag.attributes) {
        if (one.name == "viewBox") view_box_ = one.value;
      }
      return;
    }
    if (tag.name == "/svg" || is_without_size(tag)) return;
    if (tag.name == "rect" && !background_gone_) {
      background_gone_ = true;  // The page's own shows through.
      return;
    }
    if (tag.name == "/g") return close_group();
    if (tag.name == "g") groups_.push_back({out_.size(), out_.size()});
    out_ += "<" + tag.name;
    const auto note = note_number(tag);
    if (note) out_ += " class=\"point\"";
    for (const Attribute& attribute : tag.attributes) write_attribute(tag, attribute);
    out_ += tag.empty ? "/>" : ">";
    if (note && *note < notes_.size()) {
      out_ += "<title>" + escaped_html(notes_[*note]) + "</title>";
    }
    if (tag.name == "g") groups_.back().second = out_.size();
  }

  /// A group without content is left out.
  void close_group() {
    if (groups_.empty()) return;
    const auto [begin, content] = groups_.back();
    groups_.pop_back();
    if (out_.size() == content) {
      out_.resize(begin);
    } else {
      out_ += "</g>\n";
    }
  }

  void write_attribute(const Tag& tag, const Attribute& attribute) {
    const std::string& name = attribute.name;
    if (name.starts_with("on") || name.starts_with("xmlns") || name == "class") return;
    if (name == "stroke-linecap" || name == "stroke-linejoin" || name == "font-family") return;
    if (name == "font-size" && attribute.value == "15.00") return;
    if (tag.name == "g" && name == "stroke-width" && attribute.value == "1.00") return;
    const bool inherited =
        tag.name == "g" && ((name == "fill" && attribute.value == "none") ||
                            (name == "color" && attribute.value == "black") ||
                            (name == "stroke" && attribute.value == "currentColor"));
    if (inherited) return;
    if (name == "id") {
      if (attribute.value.starts_with("gpPt") || attribute.value.starts_with("gpDot")) {
        out_ += fmt::format(" id=\"{}{}\"", prefix_, attribute.value);
      }
      return;
    }
    if (name == "xlink:href" || name == "href") {
      if (attribute.value.starts_with('#')) {
        out_ += fmt::format(" href=\"#{}{}\"", prefix_, attribute.value.substr(1));
      }
      return;
    }
    out_ += fmt::format(" {}=\"{}\"", name, value_of(attribute));
  }

  std::string value_of(const Attribute& attribute) const {
    const std::string& name = attribute.name;
    if (name == "fill" || name == "stroke" || name == "color") {
      const std::string colour = plain_colour(attribute.value);
      for (const auto& [known, variable] : colours_) {
        if (colour == known) return variable;
      }
      return escaped_html(attribute.value);
    }
    if (name == "d" || name == "transform" || name == "points") return shorter(attribute.value);
    return escaped_html(attribute.value);
  }

  /// Coordinates with one decimal: a tenth of a pixel is not seen.
  static std::string shorter(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() &&
             (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.')) {
        ++end;
      }
      const auto number = end > i ? parse_number(text.substr(i, end - i)) : std::nullopt;
      if (number && *number >= 10 && text.substr(i, end - i).find('.') != std::string_view::npos) {
        out += fmt::format("{:g}", std::round(10 * *number) / 10);
        i = end;
      } else {
        const std::size_t length = std::max<std::size_t>(end - i, 1);
        out += escaped_html(text.substr(i, length));
        i += length;
      }
    }
    return out;
  }

  std::string_view rest_;
  std::string prefix_;
  const std::vector<std::string>& notes_;
  std::vector<std::pair<std::string, std::string>> colours_;
  std::string out_;
  std::string view_box_;
  bool background_gone_ = false;
  std::vector<std::pair<std::size_t, std::size_t>>
      groups_;  ///< Where each begins, and its content.
};

}  // namespace

std::string figure_style() {
  const std::string light = style_of(theme_of(FigureTheme::kLight));
  return fmt::format(
      ":root {{ {} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {} }} }}\n"
      "@media print {{ :root {{ {} }} }}\n",
      light, style_of(theme_of(FigureTheme::kDark)), light);
}

NumberedNotes numbered_notes(Figure figure) {
  NumberedNotes out{std::move(figure), {}};
  for (FigurePanel& panel : out.figure.panels) {
    for (FigureSeries& series : panel.series) {
      for (std::string& note : series.points.notes) {
        if (note.empty()) continue;
        out.notes.push_back(std::exchange(note, fmt::format("note {}", out.notes.size())));
      }
    }
  }
  return out;
}

std::string page_svg(std::string_view svg, const std::string& prefix, const std::string& title,
                     const std::vector<std::string>& notes) {
  return PageSvg(svg, prefix, notes).rewritten(title);
}

}  // namespace scalelaw
