#pragma once

#include <string_view>

namespace scalelaw::cli {

/// What --color asks for.
enum class Colour { kAuto, kAlways, kNever };

/// Whether text to a terminal may carry colours: never with TERM=dumb or NO_COLOR, unless always is
/// asked for.
bool wants_colour(Colour wish, bool is_terminal);

/// What the user is told on stderr while results go to stdout.
class Console {
 public:
  Console() = default;
  Console(bool quiet, Colour colour);
  /// Says nothing at all: what a rank that does not lead has.
  static Console silent();

  /// Something good to know, such as which columns were chosen; nothing under --quiet.
  void note(std::string_view sentence) const;
  /// Something that limits the result; always said.
  void warn(std::string_view sentence) const;
  /// Why there is no result.
  void error(std::string_view sentence) const;
  /// Whether a progress bar may be drawn.
  bool shows_progress() const;

 private:
  bool quiet_ = false;
  bool colour_ = false;
  bool silent_ = false;
};

}  // namespace scalelaw::cli
