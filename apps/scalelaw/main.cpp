#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>

#include "call.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/render/figure.hpp"

namespace scalelaw::cli {
namespace {

/// Removes what is half-written, stops what draws it, then ends as the signal would have ended it.
void end_by_signal(int signal_number) {
  stop_unfinished_figures();
  remove_unfinished_outputs();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void set_signals() {
  std::signal(SIGPIPE, SIG_IGN);  // A closed pipe is seen at the write that fails.
  std::signal(SIGXFSZ, SIG_IGN);  // So is a limit on the size of files.
  // SIGABRT comes from libraries that find no other way out.
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT}) {
    // What the parent chose to ignore (nohup) stays ignored.
    if (std::signal(signal_number, end_by_signal) == SIG_IGN) std::signal(signal_number, SIG_IGN);
  }
}

/// Takes the standard descriptors that the caller closed. Else the next file that is opened would
/// get one of them, and what is said to people would stand in it. Whoever reads or writes them is
/// told that they are closed, as before.
void hold_closed_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    if (::open("/", O_PATH) < 0) ::_exit(2);  // Nothing can be said, and nothing is done.
  }
}

bool main_has_begun = false;

/// What std::terminate calls else: it says which exception there was, and aborts.
std::terminate_handler end_by_default = nullptr;

bool small_allocation_fails() {
  constexpr std::size_t kLikeAnException = 256;
  // As it is volatile, the compiler does not leave out the allocation.
  void* volatile block = std::malloc(kLikeAnException);
  std::free(block);
  return block == nullptr;
}

/// Whether std::terminate was called for want of memory. Without memory for an exception there is
/// none to look at. Nor is there with some bugs, such as a thread that is destroyed while it runs.
bool lacks_memory() {
  if (std::current_exception() == nullptr) return !main_has_begun || small_allocation_fails();
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// Says what is wrong where memory runs out and nothing can be caught: before main begins, and in
/// functions of libraries that may throw nothing. All else is a bug.
[[noreturn]] void end_uncaught() {
  stop_unfinished_figures();
  remove_unfinished_outputs();
  if (lacks_memory()) ::_exit(say_no_memory());
  if (end_by_default != nullptr) end_by_default();
  std::abort();
}

/// Comes before all initialisers of the program, which need memory already.
[[gnu::constructor(101)]] void set_end_of_uncaught() {
  end_by_default = std::set_terminate(end_uncaught);
}

}  // namespace
}  // namespace scalelaw::cli

int main(int argc, char** argv) {
  scalelaw::cli::main_has_begun = true;
  scalelaw::cli::hold_closed_descriptors();
  scalelaw::cli::set_signals();
  return scalelaw::cli::run_call({argv, static_cast<std::size_t>(argc)});
}
