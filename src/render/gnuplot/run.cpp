#include "render/gnuplot/run.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "base/code_points.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
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

/// How many bytes of `text` fit into so many columns, whole characters.
std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t fitting = 0;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    if (end < text.size() && is_continuation(text[end])) continue;
    if (display_width(text.substr(0, end)) > columns) break;
    fitting = end;
  }
  return fitting;
}

struct NoGnuplot : DataError {
  NoGnuplot() : DataError("gnuplot is not installed; on Debian: apt install gnuplot-nox") {}
};

[[noreturn]] void throw_not_started(int error_number) {
  if (error_number == ENOENT) throw NoGnuplot();
  throw DataError(
      fmt::format("cannot start gnuplot: {}", std::generic_category().message(error_number)));
}

[[noreturn]] void throw_no_file(int error_number) {
  throw DataError(fmt::format("cannot make a temporary file for gnuplot: {}",
                              std::generic_category().message(error_number)));
}

/// How long one figure may take, or a look at the fonts. The greatest that was seen took three
/// seconds.
double seconds_for_a_figure() {
  const char* const text = std::getenv("SCALELAW_GNUPLOT_SECONDS");
  if (text == nullptr) return 60;
  const auto seconds = parse_number(text);
  if (seconds && *seconds > 0) return *seconds;
  throw DataError(fmt::format(
      "SCALELAW_GNUPLOT_SECONDS: expected a number of seconds above 0, found {}", quoted(text)));
}

/// The status of a child that has ended. One that does not end is killed.
int status_of(pid_t process, std::string_view program) {
  using Clock = std::chrono::steady_clock;
  const double limit = seconds_for_a_figure();
  const auto begin = Clock::now();
  auto pause = std::chrono::microseconds(200);
  int status = 0;
  while (::waitpid(process, &status, WNOHANG) == 0) {
    if (std::chrono::duration<double>(Clock::now() - begin).count() > limit) {
      ::kill(process, SIGKILL);
      ::waitpid(process, &status, 0);
      throw DataError(fmt::format(
          "{} did not end within {:g} s and was stopped; SCALELAW_GNUPLOT_SECONDS allows more",
          program, limit));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(5000));
  }
  return status;
}

struct NotStarted {
  int error_number;
};

/// Runs a program from file to file: no shell, no pipe that both ends could wait for. Returns
/// whether it succeeded. @throws NotStarted
bool run_program(std::vector<std::string> words, std::FILE* input, std::FILE* result,
                 std::FILE* complaints) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int descriptor = 0;
  for (std::FILE* file : {input, result, complaints}) {
    posix_spawn_file_actions_adddup2(&actions, ::fileno(file), descriptor++);
  }
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::lseek(::fileno(input), 0, SEEK_SET);
  pid_t process = 0;
  const int error =
      ::posix_spawnp(&process, pointers.front(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw NotStarted{error};
  const int status = status_of(process, words.front());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool run_gnuplot(std::FILE* script, std::FILE* result, std::FILE* complaints) try {
  // Without the user's own start-up file: the same figure everywhere.
  return run_program({"gnuplot", "--default-settings"}, script, result, complaints);
} catch (const NotStarted& failure) {
  throw_not_started(failure.error_number);
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
  bool escaped = false;
  for (const char c : printable(text)) {
    // gnuplot takes a digit behind an escape for part of it.
    escaped = !is_harmless(c) || (escaped && c >= '0' && c <= '7');
    if (escaped) {
      out += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
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
  if (!file) throw_no_file(errno);
  return file;
}

std::FILE* second_handle(std::FILE* file) {
  const int descriptor = ::dup(::fileno(file));
  std::FILE* const handle = descriptor < 0 ? nullptr : ::fdopen(descriptor, "w");
  if (handle != nullptr) return handle;
  const int error_number = errno;
  if (descriptor >= 0) ::close(descriptor);
  throw_no_file(error_number);
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

std::string drawn(std::FILE* script, std::string_view begins) {
  const File result = temporary_file();
  const File complaints = temporary_file();
  const bool done = run_gnuplot(script, result.get(), complaints.get());
  std::string bytes = contents(result.get());
  if (done && !bytes.empty() && bytes.starts_with(begins)) return bytes;
  if (done && !bytes.empty()) {
    throw DataError(fmt::format("the gnuplot that was found wrote no figure but \"{}\"",
                                shortened(bytes.substr(0, bytes.find('\n')), 60)));
  }
  throw DataError(
      fmt::format("gnuplot cannot draw this: {}", last_line_with_text(contents(complaints.get()))));
}

std::optional<std::string> output_of(std::vector<std::string> words) try {
  const File nothing = temporary_file();
  const File result = temporary_file();
  const File complaints = temporary_file();
  if (!run_program(std::move(words), nothing.get(), result.get(), complaints.get())) {
    return std::nullopt;
  }
  return contents(result.get());
} catch (const NotStarted&) {
  return std::nullopt;
}

bool has_gnuplot() {
  const File script = temporary_file();
  const File result = temporary_file();
  const File complaints = temporary_file();
  try {
    run_gnuplot(script.get(), result.get(), complaints.get());
    return true;
  } catch (const NoGnuplot&) {
    return false;
  }
}

}  // namespace scalelaw
