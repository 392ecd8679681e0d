#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "command.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

void print_line(std::string_view label, std::string_view ansi, bool colour,
                std::string_view sentence) {
  std::string line;
  if (!label.empty()) {
    line += "scalelaw: ";
    if (colour) line += ansi;
    line += label;
    if (colour) line += "\x1b[0m";
    line += ' ';
  }
  // Names of files and groups may hold anything; the terminal gets text.
  for (const std::string& part : split(sentence, '\n')) line += printable(part) + '\n';
  // Each line is one call, so that lines of several processes do not mix. Nobody can be told if it
  // fails.
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

}  // namespace

bool wants_colour(Colour wish, bool is_terminal) {
  if (wish == Colour::kAlways) return true;
  if (wish == Colour::kNever) return false;
  return is_terminal && environment("TERM") != "dumb" && environment("NO_COLOR").empty();
}

std::size_t line_width(bool is_terminal) {
  constexpr std::size_t kUsual = 100;
  constexpr std::size_t kLeast = 40;  // A narrower terminal breaks lines itself.
  winsize size{};
  const bool is_known = is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return is_known && size.ws_col > 0 ? std::max<std::size_t>(kLeast, size.ws_col) : kUsual;
}

Console::Console(bool quiet, Colour colour)
    : quiet_(quiet), colour_(wants_colour(colour, ::isatty(STDERR_FILENO) == 1)) {}

Console Console::silent() {
  Console console;
  console.quiet_ = console.silent_ = true;
  return console;
}

void Console::note(std::string_view sentence) const {
  if (!quiet_) print_line("", "", false, sentence);
}

void Console::warn(std::string_view sentence) const {
  if (!silent_) print_line("warning:", "\x1b[33m", colour_, sentence);
}

void Console::error(std::string_view sentence) const {
  if (!silent_) print_line("error:", "\x1b[31m", colour_, sentence);
}

bool Console::shows_progress() const { return !quiet_ && ::isatty(STDERR_FILENO) == 1; }

}  // namespace scalelaw::cli
