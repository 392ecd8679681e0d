#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "command.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

constexpr std::size_t kUsualWidth = 100;

std::size_t width_of(int terminal) {
  constexpr std::size_t kLeast = 40;  // A narrower terminal breaks lines itself.
  winsize size{};
  const bool is_known = ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::max<std::size_t>(kLeast, size.ws_col) : kUsualWidth;
}

constexpr std::string_view kProgram = "scalelaw: ";

/// The lines of a message. A terminal gets them no longer than its lines; a log gets one line per
/// sentence, which is easy to search for.
std::string message_lines(std::string_view label, std::string_view sentence) {
  std::string begin = label.empty() ? "" : fmt::format("{}{} ", kProgram, label);
  std::string lines;
  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  // Names of files and groups may hold anything; the terminal gets text.
  for (const std::string& part : split(sentence, '\n')) {
    const std::string line = std::exchange(begin, "") + printable(part);
    lines += (is_terminal ? wrapped(line, width_of(STDERR_FILENO), 2) : line) + '\n';
  }
  return lines;
}

void print_line(std::string_view label, std::string_view ansi, bool colour,
                std::string_view sentence) {
  std::string line = message_lines(label, sentence);
  if (colour && !label.empty()) {
    line.insert(kProgram.size() + label.size(), "\x1b[0m");
    line.insert(kProgram.size(), ansi);
  }
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
  return is_terminal ? width_of(STDOUT_FILENO) : kUsualWidth;
}

Messages GlobalOptions::console() const {
  if (silent || (host == nullptr && !leads)) return {};
  if (host != nullptr) return Messages(host->say);
  const bool coloured = wants_colour(colour, ::isatty(STDERR_FILENO) == 1);
  return Messages([quiet = quiet, coloured](Said said, std::string_view sentence) {
    if (said == Said::kError) return print_line("error:", "\x1b[31m", coloured, sentence);
    if (said == Said::kWarning) return print_line("warning:", "\x1b[33m", coloured, sentence);
    if (!quiet) print_line("", "", false, sentence);
  });
}

CallConditions GlobalOptions::conditions() const {
  const bool talks = host == nullptr && leads && !silent && !quiet;
  return {.threads = threads,
          .shows_progress = talks && ::isatty(STDERR_FILENO) == 1,
          .ranks = ranks,
          .say = console()};
}

}  // namespace scalelaw::cli
