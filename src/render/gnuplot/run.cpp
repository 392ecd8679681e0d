#include "render/gnuplot/run.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/figure.hpp"

extern char** environ;

namespace scalelaw {
namespace {

constexpr std::string_view kHarmless =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:_()=+/-";

bool is_harmless(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || kHarmless.find(c) != std::string_view::npos;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// How many bytes of `text` fit into so many columns, whole characters.
std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t fitting = 0;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    if (end < text.size() && !begins_character(text[end])) continue;
    if (display_width(text.substr(0, end)) > columns) break;
    fitting = end;
  }
  return fitting;
}

[[noreturn]] void throw_not_started(int error_number) {
  if (error_number == ENOENT) {
    throw DataError("gnuplot is not installed; on Debian: apt install gnuplot-nox");
  }
  throw DataError(
      fmt::format("cannot start gnuplot: {}", std::generic_category().message(error_number)));
}

/// Runs gnuplot from file to file: no shell, no pipe that both ends could wait for. Returns whether
/// it succeeded.
bool run_gnuplot(std::FILE* script, std::FILE* result, std::FILE* complaints) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int descriptor = 0;
  for (std::FILE* file : {script, result, complaints}) {
    posix_spawn_file_actions_adddup2(&actions, ::fileno(file), descriptor++);
  }
  // Without the user's own start-up file: the same figure everywhere.
  std::string name = "gnuplot";
  std::string option = "--default-settings";
  char* const words[] = {name.data(), option.data(), nullptr};
  ::lseek(::fileno(script), 0, SEEK_SET);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, "gnuplot", &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw_not_started(error);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// gnuplot repeats the command and points at a place before it says what is wrong.
std::string last_line_with_text(const std::string& text) {
  std::string last = "no reason given";
  for (const std::string& line : split(text, '\n')) {
    if (line.find_first_not_of(" ^") != std::string::npos) last = printable(line);
  }
  return last;
}

}  // namespace

std::string gnuplot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (is_harmless(c)) {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out + "\"";
}

std::string shortened(std::string_view text, std::size_t columns) {
  const std::string shown = printable(text);
  if (display_width(shown) <= columns) return shown;
  return shown.substr(0, bytes_within(shown, std::max<std::size_t>(columns, 1) - 1)) + "\u2026";
}

std::vector<std::string> broken_lines(std::string_view text, std::size_t columns,
                                      std::size_t lines) {
  std::string rest = printable(text);
  std::vector<std::string> out;
  while (out.size() + 1 < lines && display_width(rest) > columns) {
    const std::size_t most = bytes_within(rest, columns);
    const std::size_t blank = rest.rfind(' ', most);
    const bool at_blank = blank != std::string::npos && blank > 0;
    out.push_back(rest.substr(0, at_blank ? blank : most));
    rest.erase(0, at_blank ? blank + 1 : most);
    if (most == 0) break;
  }
  out.push_back(shortened(rest, columns));
  return out;
}

File temporary_file() {
  File file(std::tmpfile(), &std::fclose);
  if (!file) throw DataError("cannot make a temporary file for gnuplot");
  return file;
}

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char block[16 * 1024];
  while (const std::size_t count = std::fread(block, 1, sizeof block, file)) {
    text.append(block, count);
  }
  return text;
}

std::string drawn(std::FILE* script) {
  const File result = temporary_file();
  const File complaints = temporary_file();
  const bool done = run_gnuplot(script, result.get(), complaints.get());
  std::string bytes = contents(result.get());
  if (done && !bytes.empty()) return bytes;
  throw DataError(
      fmt::format("gnuplot cannot draw this: {}", last_line_with_text(contents(complaints.get()))));
}

bool has_gnuplot() {
  const File script = temporary_file();
  const File result = temporary_file();
  const File complaints = temporary_file();
  try {
    return run_gnuplot(script.get(), result.get(), complaints.get());
  } catch (const DataError&) {
    return false;
  }
}

}  // namespace scalelaw
