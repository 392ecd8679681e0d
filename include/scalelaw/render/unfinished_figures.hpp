#pragma once

namespace scalelaw {

/// Stops the programs that draw figures at the moment, with all that they started. A signal from
/// the terminal does not reach them. Safe to call from a signal handler.
void stop_unfinished_figures() noexcept;

}  // namespace scalelaw
