#include "render/svg_reader.hpp"

#include <algorithm>

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
  SvgPiece piece{without_blanks(rest_.substr(0, begin)), std::nullopt};
  rest_.remove_prefix(begin);
  if (rest_.starts_with("<?") || rest_.starts_with("<!")) {
    skip_past(rest_.starts_with("<?") ? "?>" : rest_.starts_with("<!--") ? "-->" : ">");
    return piece;
  }
  const std::size_t end = rest_.find('>');
  if (end != std::string_view::npos) piece.tag = parse_tag(rest_.substr(1, end - 1));
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  return piece;
}

void SvgReader::skip_past(std::string_view text) {
  const std::size_t at = rest_.find(text);
  rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + text.size());
}

}  // namespace scalelaw
