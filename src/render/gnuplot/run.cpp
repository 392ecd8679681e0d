#include "render/gnuplot/run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <mutex>
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
  throw DataError(
      fmt::format("SCALELAW_GNUPLOT_SECONDS: expected a number of seconds above 0, found {}",
                  quoted(std::string_view(text))));
}

/// The groups of processes that run, for the signal handler, which may neither allocate nor lock. 0
/// is none. If there are more programs than slots, only their time limit stops the others.
std::array<std::atomic<pid_t>, 64> running{};

/// How many threads start a program at the moment, and whether none may any more.
std::atomic<int> starting{0};
std::atomic<bool> is_ending{false};

void exchange_running(pid_t expected, pid_t wanted) {
  for (auto& slot : running) {
    pid_t found = expected;
    if (slot.compare_exchange_strong(found, wanted)) return;
  }
}

/// Keeps the signals that end the call from this thread while it starts a program: glibc lets them
/// in before the caller knows which process there is to stop.
class StartOfProgram {
 public:
  StartOfProgram() {
    sigset_t ending;
    ::sigemptyset(&ending);
    for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      ::sigaddset(&ending, signal_number);
    }
    ::pthread_sigmask(SIG_BLOCK, &ending, &mask_before_);
    ++starting;
    if (!is_ending) return;
    --starting;
    for (;;) ::pause();  // Another thread ends the process.
  }
  StartOfProgram(const StartOfProgram&) = delete;
  StartOfProgram& operator=(const StartOfProgram&) = delete;
  ~StartOfProgram() {
    --starting;
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  const sigset_t& mask_before() const { return mask_before_; }

 private:
  sigset_t mask_before_{};
};

/// A program with all that it starts, which form a group of processes.
class RunningProgram {
 public:
  /// @param process  Is in `running` until this object ends.
  explicit RunningProgram(pid_t process) : process_(process) {}
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  /// Stops what is left of the group. Until then its first process is not waited for, so that the
  /// group's number belongs to no other one.
  ~RunningProgram() {
    if (!is_gone_) ::kill(-process_, SIGKILL);
    exchange_running(process_, 0);
    if (!is_gone_) ::waitpid(process_, nullptr, 0);
  }
  bool has_ended() {
    siginfo_t facts{};
    const int found =
        ::waitid(P_PID, static_cast<id_t>(process_), &facts, WEXITED | WNOHANG | WNOWAIT);
    // Where the signal of ended children is ignored, the system waits for them itself.
    is_gone_ = found != 0;
    succeeded_ = is_gone_ || (facts.si_code == CLD_EXITED && facts.si_status == 0);
    return is_gone_ || facts.si_pid != 0;
  }
  /// Whether a program that has ended reports no failure.
  bool succeeded() const { return succeeded_; }

 private:
  pid_t process_;
  bool is_gone_ = false;
  bool succeeded_ = false;
};

/// Waits for a program. One that does not end is stopped. Returns whether it succeeded.
bool succeeds(RunningProgram& program, std::string_view name) {
  using Clock = std::chrono::steady_clock;
  const double limit = seconds_for_a_figure();
  const auto begin = Clock::now();
  auto pause = std::chrono::microseconds(200);
  while (!program.has_ended()) {
    if (std::chrono::duration<double>(Clock::now() - begin).count() > limit) {
      throw DataError(fmt::format(
          "{} did not end within {:g} s and was stopped; SCALELAW_GNUPLOT_SECONDS allows more",
          name, limit));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(5000));
  }
  return program.succeeded();
}

struct NotStarted {
  int error_number;
};

constexpr rlim_t kStandardFiles = 3;
/// What a program needs beside them: with two, gnuplot found all fonts, others may have more nested
/// files of settings.
constexpr int kNeededDescriptors = 5;
constexpr rlim_t kMoreDescriptors = 64;

/// How many descriptors below a limit a new program finds free, beside its standard files; no more
/// are counted than it needs.
int free_descriptors(rlim_t limit) {
  int free = 0;
  const auto end = std::min<rlim_t>(limit, std::numeric_limits<int>::max());
  for (rlim_t i = kStandardFiles; i < end && free < kNeededDescriptors; ++i) {
    const int flags = ::fcntl(static_cast<int>(i), F_GETFD);
    if (flags < 0 || (flags & FD_CLOEXEC) != 0) ++free;
  }
  return free;
}

/// Lets a program that is started have the descriptors it needs, if the system allows them. With
/// fewer, gnuplot takes whatever font it can still open.
class EnoughDescriptors {
 public:
  explicit EnoughDescriptors(std::string_view program) : lock_(mutex()) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    if (free_descriptors(before_.rlim_cur) >= kNeededDescriptors) return;
    rlimit raised = before_;
    raised.rlim_cur = std::min(before_.rlim_cur + kMoreDescriptors, before_.rlim_max);
    const int free = free_descriptors(raised.rlim_cur);
    if (free < kNeededDescriptors) {
      throw DataError(fmt::format(
          "{} needs {} free file descriptors, and the limit of {} leaves it {}; ulimit -n sets it",
          program, kNeededDescriptors, raised.rlim_cur, free));
    }
    is_raised_ = ::setrlimit(RLIMIT_NOFILE, &raised) == 0;
  }
  EnoughDescriptors(const EnoughDescriptors&) = delete;
  EnoughDescriptors& operator=(const EnoughDescriptors&) = delete;
  ~EnoughDescriptors() {
    if (is_raised_) ::setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }

  std::lock_guard<std::mutex> lock_;  ///< The limit is that of all threads.
  rlimit before_{};
  bool is_raised_ = false;
};

/// Starts a program and notes it in `running`. As another thread's signal handler waits for it, it
/// takes no memory, for which it might have to wait for that thread.
/// @return 0, or why it does not start.
int spawn(pid_t& process, const posix_spawn_file_actions_t& actions, posix_spawnattr_t& attributes,
          char* const* words) {
  const StartOfProgram start;
  posix_spawnattr_setsigmask(&attributes, &start.mask_before());
  const int error = ::posix_spawnp(&process, words[0], &actions, &attributes, words, environ);
  if (error == 0) exchange_running(0, process);
  return error;
}

/// Starts a program from file to file: no shell, no pipe that both ends could wait for.
/// @return its process, which is in `running`.
/// @throws NotStarted
pid_t started(std::vector<std::string>& words, std::FILE* input, std::FILE* result,
              std::FILE* complaints) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int descriptor = 0;
  for (std::FILE* file : {input, result, complaints}) {
    posix_spawn_file_actions_adddup2(&actions, ::fileno(file), descriptor++);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  const int error = spawn(process, actions, attributes, pointers.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw NotStarted{error};
  return process;
}

/// Runs a program to its end. Returns whether it succeeded. @throws NotStarted
bool run_program(std::vector<std::string> words, std::FILE* input, std::FILE* result,
                 std::FILE* complaints) {
  ::lseek(::fileno(input), 0, SEEK_SET);
  std::optional<EnoughDescriptors> descriptors(words.front());
  RunningProgram program(started(words, input, result, complaints));
  descriptors.reset();
  return succeeds(program, words.front());
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

/// Whether bytes end as a file does, but for line feeds.
bool ends_as(std::string_view bytes, std::string_view end) {
  while (bytes.ends_with('\n') && !end.ends_with('\n')) bytes.remove_suffix(1);
  return bytes.ends_with(end);
}

}  // namespace

void stop_unfinished_figures() noexcept {
  is_ending = true;
  // Another thread may know in a moment which process it has started.
  constexpr int kMostWaits = 1000;
  for (int i = 0; i < kMostWaits && starting != 0; ++i) {
    const timespec millisecond{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::nanosleep(&millisecond, nullptr);
  }
  for (const auto& slot : running) {
    if (const pid_t process = slot.load()) ::kill(-process, SIGKILL);
  }
}

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
  // Programs that are started get their files as the standard ones.
  ::fcntl(::fileno(file.get()), F_SETFD, FD_CLOEXEC);
  return file;
}

std::FILE* second_handle(std::FILE* file) {
  const int descriptor = ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 0);
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

std::string drawn(std::FILE* script, const FormatMarks& marks) {
  const File result = temporary_file();
  const File complaints = temporary_file();
  const bool done = run_gnuplot(script, result.get(), complaints.get());
  std::string bytes = contents(result.get());
  const bool begins = bytes.starts_with(marks.begins);
  if (done && begins && ends_as(bytes, marks.ends)) return bytes;
  if (done && begins) {
    throw DataError(
        "gnuplot wrote a figure without its end: the folder of temporary files may be full");
  }
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
