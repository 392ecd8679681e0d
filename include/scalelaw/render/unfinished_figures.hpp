#pragma once

namespace scalelaw {

/// Stops the programs that draw figures at the moment, with all that they started, before the
/// process ends: none is started any more. A signal from the terminal does not reach them. Safe to
/// call from a signal handler of SIGINT, SIGTERM, SIGHUP and SIGQUIT, which are kept from a thread
/// that is starting such a program.
void stop_unfinished_figures() noexcept;

}  // namespace scalelaw
