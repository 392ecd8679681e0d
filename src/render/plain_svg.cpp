#include "render/plain_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

SvgTag parse_tag(std::string_view text) {
  SvgTag tag;
  if (text.ends_with('/')) {
    tag.empty = true;
    text.remove_suffix(1);
  }
  std::size_t at = std::min(text.find_first_of(kBlanks), text.size());
  tag.name = std::string(text.substr(0, at));
  while (at < text.size()) {
    const std::size_t begin = text.find_first_not_of(kBlanks, at);
    const std::size_t equals = text.find('=', begin);
    if (begin == std::string_view::npos || equals == std::string_view::npos) break;
    const std::size_t open = text.find_first_of("'\"", equals);
    if (open == std::string_view::npos) break;
    const std::size_t close = std::min(text.find(text[open], open + 1), text.size());
    tag.attributes.push_back({std::string(without_blanks(text.substr(begin, equals - begin))),
                              std::string(text.substr(open + 1, close - open - 1))});
    at = close + 1;
  }
  return tag;
}

/// What gnuplot was told to write. It writes & and < as entities, but lets > pass, and also the
/// beginning of a character's number, &#x.
std::string told_text(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 3> kEntities{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}}};
  std::string out;
  while (!text.empty()) {
    const auto* const entity =
        std::find_if(kEntities.begin(), kEntities.end(),
                     [text](const auto& one) { return text.starts_with(one.first); });
    const bool is_entity = entity != kEntities.end();
    out += is_entity ? entity->second : text.front();
    text.remove_prefix(is_entity ? entity->first.size() : 1);
  }
  return out;
}

/// The number of the note that a handler of gnuplot shows: "...showHypertext(evt,'note 12')".
std::optional<std::size_t> note_number(const SvgTag& tag) {
  const std::string_view handler = tag.value("onmousemove");
  const std::size_t begin = handler.find("'note ");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = handler.find('\'', begin + 1);
  const auto number = parse_number(handler.substr(begin + 6, end - begin - 6));
  return number && *number >= 0 ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

/// Whether a tag begins the boxes behind the canvas, which only gnuplot's own script fills.
bool is_of_mousing(const SvgTag& tag) {
  return tag.value("id") == "coord_text" || tag.name == "image";
}

bool is_left_out(const SvgTag& tag) {
  return tag.name == "script" || tag.name == "title" || tag.name == "desc" || tag.name == "filter";
}

/// Whether the root says the same for everything inside.
bool is_inherited(const SvgTag& tag, const SvgAttribute& attribute) {
  if (attribute.name == "font-family") return true;
  if (attribute.name == "font-size") return attribute.value == "15.00";
  if (attribute.name == "stroke-linecap") return attribute.value == "butt";
  if (attribute.name == "stroke-linejoin") return attribute.value == "miter";
  if (tag.name != "g") return false;
  return (attribute.name == "stroke-width" && attribute.value == "1.00") ||
         (attribute.name == "fill" && attribute.value == "none") ||
         (attribute.name == "color" && attribute.value == "black") ||
         (attribute.name == "stroke" && attribute.value == "currentColor");
}

/// gnuplot draws points of size 0 to clear the ground below the next point.
bool is_without_size(const SvgTag& tag) {
  return tag.name == "use" && tag.value("transform").ends_with(" scale(0.00)");
}

/// Rounds coordinates to one decimal, since nobody sees a tenth of a pixel.
std::string shorter(std::string_view text) {
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
      out += text.substr(i, length);
      i += length;
    }
  }
  return out;
}

class PlainSvg {
 public:
  PlainSvg(std::string_view svg, const std::vector<std::string>& notes)
      : reader_(svg), notes_(notes) {}

  std::string text() {
    while (const auto piece = reader_.next()) {
      out_ += escaped_html(printable(told_text(piece->text)));
      if (!piece->tag) continue;
      if (is_of_mousing(*piece->tag)) break;
      write(*piece->tag);
    }
    while (!groups_.empty()) close_group();
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
        "xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"{}\" fill=\"none\" "
        "color=\"black\" stroke=\"currentColor\" stroke-width=\"1\" font-family=\"sans-serif\" "
        "font-size=\"15\">\n{}</svg>\n",
        view_box_, out_);
  }

 private:
  void write(const SvgTag& tag) {
    if (is_left_out(tag)) {
      if (!tag.empty) reader_.skip_past("</" + tag.name + ">");
      return;
    }
    if (tag.name == "svg") view_box_ = std::string(tag.value("viewBox"));
    if (tag.name == "svg" || tag.name == "/svg" || is_without_size(tag)) return;
    if (tag.name == "/g") return close_group();
    if (tag.name == "g") groups_.push_back({out_.size(), 0});
    const auto note = note_number(tag);
    out_ += "<" + tag.name;
    if (note) out_ += " class=\"point\"";
    for (const SvgAttribute& attribute : tag.attributes) write_attribute(tag, attribute);
    out_ += tag.empty ? "/>" : ">";
    if (note && *note < notes_.size()) {
      out_ += "<title>" + escaped_html(printable(notes_[*note])) + "</title>";
    }
    if (tag.name == "g") groups_.back().content = out_.size();
  }

  /// Leaves out groups without content.
  void close_group() {
    if (groups_.empty()) return;
    const Group group = groups_.back();
    groups_.pop_back();
    if (out_.size() == group.content) {
      out_.resize(group.begin);
    } else {
      out_ += "</g>\n";
    }
  }

  void write_attribute(const SvgTag& tag, const SvgAttribute& attribute) {
    const std::string& name = attribute.name;
    if (name.starts_with("on") || is_inherited(tag, attribute)) return;
    if (name == "stroke" && groups_.empty()) {  // gnuplot frames the background.
      out_ += " stroke=\"none\"";
      return;
    }
    // Other elements refer to the ids of shapes; the remaining ids are for gnuplot's script.
    if (name == "id" && !attribute.value.starts_with("gp")) return;
    const bool coordinates = name == "d" || name == "transform" || name == "points";
    out_ +=
        fmt::format(" {}=\"{}\"", name, coordinates ? shorter(attribute.value) : attribute.value);
  }

  struct Group {
    std::size_t begin;
    std::size_t content;
  };

  SvgReader reader_;
  const std::vector<std::string>& notes_;
  std::string out_;
  std::string view_box_;
  std::vector<Group> groups_;  ///< Groups that are not closed yet.
};

}  // namespace

std::string_view SvgTag::value(std::string_view attribute) const {
  for (const SvgAttribute& one : attributes) {
    if (one.name == attribute) return one.value;
  }
  return {};
}

std::optional<SvgPiece> SvgReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::size_t begin = std::min(rest_.find('<'), rest_.size());
  const std::string_view text = rest_.substr(0, begin);
  SvgPiece piece{in_text_ ? text : without_blanks(text), std::nullopt};
  rest_.remove_prefix(begin);
  if (rest_.starts_with("<?") || rest_.starts_with("<!")) {
    skip_past(rest_.starts_with("<?") ? "?>" : rest_.starts_with("<!--") ? "-->" : ">");
    return piece;
  }
  const std::size_t end = rest_.find('>');
  if (end != std::string_view::npos) piece.tag = parse_tag(rest_.substr(1, end - 1));
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  in_text_ = piece.tag && piece.tag->name == "text";
  return piece;
}

void SvgReader::skip_past(std::string_view text) {
  const std::size_t at = rest_.find(text);
  rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + text.size());
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

std::string plain_svg(std::string_view svg, const std::vector<std::string>& notes) {
  return PlainSvg(svg, notes).text();
}

}  // namespace scalelaw
