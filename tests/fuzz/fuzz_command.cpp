// Bytes as a session of the whole command. The first line has the words of one to three calls, with
// tabs between the words and && between the calls; what follows are the files a.csv and b.csv,
// divided by a line of %%. Whatever they are, each call ends with a status of the contract and its
// sentence, leaves no file open, and leaves what standard input reads as it was.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "call.hpp"
#include "fuzz/reading.hpp"
#include "scalelaw/base/text.hpp"

extern "C" void __sanitizer_set_report_fd(void* descriptor);

namespace scalelaw::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCalls = 3;

struct Session {
  std::vector<std::vector<std::string>> calls;
  std::string_view a;
  std::string_view b;
};

/// What a call told.
struct Told {
  int status;
  std::string output;
  std::string errors;
};

/// The folder in which all calls run and which they cannot leave; it has nothing but their files.
class Room {
 public:
  Room() : home_(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    const bool has_memory = fs::is_directory("/dev/shm");
    std::string name =
        (has_memory ? fs::path("/dev/shm") : fs::temp_directory_path()) / "scalelaw-fuzz-XXXXXX";
    if (home_ < 0 || ::mkdtemp(name.data()) == nullptr) std::abort();
    outer_ = name;
  }
  ~Room() { fs::remove_all(outer_); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  void enter(const Session& session) {
    fs::remove_all(outer_ / "in");
    fs::create_directory(outer_ / "in");
    fs::current_path(outer_ / "in");
    std::ofstream("a.csv", std::ios::binary) << session.a;
    std::ofstream("b.csv", std::ios::binary) << session.b;
  }

  void leave() const {
    if (::fchdir(home_) != 0) std::abort();
  }

 private:
  int home_;
  fs::path outer_;
};

/// A standard stream of the process that goes elsewhere for a while.
class Elsewhere {
 public:
  Elsewhere(int stream, int other) : stream_(stream), kept_(::fcntl(stream, F_DUPFD_CLOEXEC, 3)) {
    if (kept_ < 0 || ::dup2(other, stream) < 0) std::abort();
  }
  ~Elsewhere() {
    ::dup2(kept_, stream_);
    ::close(kept_);
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  int stream_;
  int kept_;
};

std::size_t open_files() {
  std::error_code error;
  const fs::directory_iterator files("/proc/self/fd", error);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

std::string contents_of(int descriptor) {
  std::string text(static_cast<std::size_t>(std::max<off_t>(::lseek(descriptor, 0, SEEK_END), 0)),
                   '\0');
  if (::pread(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    std::abort();
  }
  return text;
}

int memory_file() {
  const int descriptor = ::memfd_create("stream", MFD_CLOEXEC);
  if (descriptor < 0) std::abort();
  return descriptor;
}

/// One call with b.csv as its standard input.
Told told(const std::vector<std::string>& words) {
  std::vector<std::string> call{"scalelaw"};
  call.insert(call.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& word : call) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int input = ::open("b.csv", O_RDONLY | O_CLOEXEC);
  const int output = memory_file();
  const int errors = memory_file();
  Told answer{};
  {
    const int nothing = input < 0 ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : input;
    const Elsewhere in(STDIN_FILENO, nothing);
    const Elsewhere out(STDOUT_FILENO, output);
    const Elsewhere err(STDERR_FILENO, errors);
    answer.status = cli::run_call({pointers.data(), call.size()});
    std::fflush(stdout);
    ::close(nothing);
  }
  answer.output = contents_of(output);
  answer.errors = contents_of(errors);
  ::close(output);
  ::close(errors);
  return answer;
}

void expect(bool holds, const char* claim, const std::vector<std::string>& call, const Told& got) {
  if (holds) return;
  std::fprintf(stderr, "%s\nscalelaw %s\nstatus %d\n%s\n", claim, joined(call, " ").c_str(),
               got.status, got.errors.c_str());
  std::abort();
}

Told checked(const std::vector<std::string>& call) {
  const std::size_t before = open_files();
  Told got = told(call);
  expect(got.status >= 0 && got.status <= 2, "a status outside the contract", call, got);
  expect(got.errors.find("internal error") == std::string::npos, "an internal error", call, got);
  const bool is_refused = got.errors.find("scalelaw: error: ") != std::string::npos;
  const bool is_warned = got.errors.find("scalelaw: warning: ") != std::string::npos;
  expect(!is_refused || got.status == 2, "an error without status 2", call, got);
  expect(is_refused || is_warned || got.status != 2, "no sentence says why", call, got);
  expect(open_files() == before, "a file stays open", call, got);
  return got;
}

// --- Words ---

/// Options whose numbers say how long a call takes.
bool costs_time(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kCostly{
      "--bootstrap",   "--draws",   "--epochs",     "--groups",    "--jobs",    "--max-epochs",
      "--recurrences", "--repeats", "--replicates", "--resamples", "--samples", "--threads"};
  return std::any_of(kCostly.begin(), kCostly.end(),
                     [word](std::string_view name) { return word.starts_with(name); });
}

/// At most two digits in a row, and no exponent.
std::string with_small_numbers(std::string_view word) {
  std::string out;
  std::size_t digits = 0;
  for (const char c : word) {
    const bool is_digit = c >= '0' && c <= '9';
    digits = is_digit ? digits + 1 : 0;
    if (digits > 2 || (!out.empty() && !is_digit && (c == 'e' || c == 'E') && digits == 0 &&
                       out.back() >= '0' && out.back() <= '9'))
      continue;
    out += c;
  }
  return out;
}

/// Calls stay in their room: no slashes. Limits of memory would hold for the whole process.
std::optional<std::vector<std::string>> harmless(std::vector<std::string> words) {
  bool costly = false;
  for (std::string& word : words) {
    if (word.starts_with("--max-memory") || word.find('\0') != std::string::npos) return {};
    std::replace(word.begin(), word.end(), '/', '_');
    if (costly || costs_time(word)) word = with_small_numbers(word);
    costly = costs_time(word);
  }
  return words;
}

/// A settings file names outputs, too.
bool may_be_settings(const Session& session) {
  const auto names_places = [](std::string_view text) {
    return text.find('/') != std::string_view::npos || text.find("max-memory") != text.npos;
  };
  return !names_places(session.a) && !names_places(session.b);
}

std::optional<Session> session_of(std::string_view bytes) {
  const std::size_t line = std::min(bytes.find('\n'), bytes.size());
  Session session;
  session.calls.emplace_back();
  for (std::string& word : split(bytes.substr(0, line), '\t')) {
    if (word == "&&") {
      session.calls.emplace_back();
    } else {
      session.calls.back().push_back(std::move(word));
    }
  }
  if (session.calls.size() > kMostCalls) return std::nullopt;
  const std::string_view files = bytes.substr(std::min(line + 1, bytes.size()));
  const std::size_t second = files.find("\n%%\n");
  session.a = files.substr(0, second);
  if (second != files.npos) session.b = files.substr(second + 4);
  for (std::vector<std::string>& call : session.calls) {
    auto words = harmless(std::move(call));
    if (!words) return std::nullopt;
    call = std::move(*words);
    const bool has_settings = std::any_of(call.begin(), call.end(), [](const std::string& word) {
      return word.starts_with("--config") || word.find("scalelaw.toml") != word.npos;
    });
    if (has_settings && !may_be_settings(session)) return std::nullopt;
  }
  return session;
}

// --- Sessions ---

/// Whether calls may change what stands in b.csv, which standard input reads: a store, a baseline,
/// and what a settings file may say.
bool may_change_input(const Session& session) {
  if (session.b.starts_with("SQLite format 3")) return true;
  return std::any_of(session.calls.begin(), session.calls.end(), [](const auto& call) {
    return std::any_of(call.begin(), call.end(), [](const std::string& word) {
      return word.starts_with("--update") || word.starts_with("--config") ||
             word.find("scalelaw.toml") != word.npos;
    });
  });
}

bool is_input_as_it_was(const Session& session) {
  std::ifstream file("b.csv", std::ios::binary);
  return session.b == std::string(std::istreambuf_iterator<char>(file), {});
}

/// Everything that the calls tell.
std::string told_by(Room& room, const Session& session, const char* threads) {
  ::setenv("SCALELAW_THREADS", threads, 1);
  room.enter(session);
  std::string all;
  for (const auto& call : session.calls) {
    const Told got = checked(call);
    expect(may_change_input(session) || is_input_as_it_was(session), "an input was changed", call,
           got);
    all += fmt::format("exit {}\n{}{}", got.status, got.output, got.errors);
  }
  room.leave();
  return all;
}

/// Whether a call tells of threads, time or the process itself.
bool tells_of_itself(const Session& session) {
  for (const auto& call : session.calls) {
    for (const std::string& word : call) {
      for (const std::string_view name :
           {"print-config", "threads", "store", "config", "help", "ingest"}) {
        if (word.find(name) != std::string::npos) return true;
      }
    }
  }
  return false;
}

void check(std::string_view bytes) {
  static Room room;
  const auto session = session_of(bytes);
  if (!session) return;
  const std::string one = told_by(room, *session, "1");
  if (bytes.size() % 8 != 3 || tells_of_itself(*session)) return;
  expect_same(one, told_by(room, *session, "2"), "one thread and two");
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // No program is started, and what a sanitizer finds is told although the command's words are not.
  ::setenv("PATH", "/nonexistent", 1);
  ::setenv("SCALELAW_MPI", "off", 1);
  const auto kept = static_cast<std::intptr_t>(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
  __sanitizer_set_report_fd(reinterpret_cast<void*>(kept));  // NOLINT: what its contract asks for.
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalelaw::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
