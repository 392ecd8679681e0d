#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/render/figure.hpp"

namespace scalelaw {

/// A figure whose notes are replaced by "note 0", "note 1", ..., and the notes themselves. No text
/// of the study then stands where gnuplot writes calls of a script.
struct NumberedNotes {
  Figure figure;
  std::vector<std::string> notes;
};
NumberedNotes numbered_notes(Figure figure);

/// Cleans a drawing of gnuplot (SVG with mouse and numbered notes): removes scripts, handlers and
/// empty groups, and rounds coordinates to a tenth of a pixel. A point with a note becomes a group
/// of class "point" with the note as its <title>, which browsers show and screen readers say. Every
/// text reads as gnuplot was told to write it, which gnuplot's own file does not ensure for ]]> and
/// &#x202e;.
std::string plain_svg(std::string_view svg, const std::vector<std::string>& notes);

struct SvgAttribute {
  std::string name;
  std::string value;  ///< The text between the quotes.
};

/// One tag, without its angle brackets.
struct SvgTag {
  std::string name;  ///< A closing tag has a slash before it.
  std::vector<SvgAttribute> attributes;
  bool empty = false;  ///< The tag ends with a slash.

  /// The value of an attribute; empty if there is none.
  std::string_view value(std::string_view attribute) const;
};

/// A text and the tag after it. The last piece has no tag. Only the text of a <text> has blanks
/// around it.
struct SvgPiece {
  std::string_view text;
  std::optional<SvgTag> tag;
};

/// Reads a drawing of gnuplot, or one that was made from it, piece by piece. It skips comments and
/// processing instructions.
class SvgReader {
 public:
  explicit SvgReader(std::string_view svg) : rest_(svg) {}

  /// The next piece; empty at the end.
  std::optional<SvgPiece> next();
  /// Moves behind the next occurrence of that text, or to the end if there is none.
  void skip_past(std::string_view text);

 private:
  std::string_view rest_;
  bool in_text_ = false;
};

}  // namespace scalelaw
