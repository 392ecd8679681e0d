#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

struct SvgAttribute {
  std::string name;
  std::string value;  ///< As it stands between the quotes.
};

/// One tag, without its angle brackets.
struct SvgTag {
  std::string name;  ///< With a slash before it if it closes.
  std::vector<SvgAttribute> attributes;
  bool empty = false;  ///< Ends with a slash.

  /// The value of an attribute; empty where there is none.
  std::string_view value(std::string_view attribute) const;
};

/// Text, without blanks around it, and the tag behind it, which the last piece lacks.
struct SvgPiece {
  std::string_view text;
  std::optional<SvgTag> tag;
};

/// Reads the drawings that gnuplot writes and those made of them piece by piece: comments and
/// processing instructions are left out.
class SvgReader {
 public:
  explicit SvgReader(std::string_view svg) : rest_(svg) {}

  /// Nothing at the end.
  std::optional<SvgPiece> next();
  /// Goes on behind the next such text, at the end if there is none.
  void skip_past(std::string_view text);

 private:
  std::string_view rest_;
};

}  // namespace scalelaw
