#pragma once

#include "scalelaw/base/messages.hpp"

namespace scalelaw {

class Ranks;

/// How a study is made, whatever it asks: with what threads, and who is told.
struct CallConditions {
  int threads = 0;              ///< 0: all processors.
  bool shows_progress = false;  ///< Draw a progress bar on stderr if reading takes over a second.
  Ranks* ranks = nullptr;       ///< Those that share the reading; null without any.
  Messages say = {};            ///< Takes notes and warnings; nothing is said without it.

  /// The same for what was told before.
  CallConditions silent() const { return {threads, false, ranks}; }
};

}  // namespace scalelaw
