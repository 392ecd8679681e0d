#include <csignal>
#include <cstddef>

#include "call.hpp"
#include "scalelaw/base/output.hpp"

namespace scalelaw::cli {
namespace {

/// Removes what is half-written, then ends as the signal would have ended it.
void end_by_signal(int signal_number) {
  remove_unfinished_outputs();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void set_signals() {
  std::signal(SIGPIPE, SIG_IGN);  // A closed pipe is seen at the write that fails.
  std::signal(SIGXFSZ, SIG_IGN);  // So is a limit on the size of files.
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    // What the parent chose to ignore (nohup) stays ignored.
    if (std::signal(signal_number, end_by_signal) == SIG_IGN) std::signal(signal_number, SIG_IGN);
  }
}

}  // namespace
}  // namespace scalelaw::cli

int main(int argc, char** argv) {
  scalelaw::cli::set_signals();
  return scalelaw::cli::run_call({argv, static_cast<std::size_t>(argc)});
}
