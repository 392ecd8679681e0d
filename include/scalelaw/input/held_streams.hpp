#pragma once

#include <deque>
#include <optional>
#include <string>

#include "scalelaw/base/call_context.hpp"
#include "scalelaw/input/memory_table.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// Whether a path is that of a pipe, or of standard input: what was read of it is gone.
bool is_stream(const std::string& path);

/// Pipes in memory, standard input among them, so that a call reads them as often as files. While
/// it lives, it belongs to a call, and to the threads that work for it. There may be one at a time
/// in a call.
class HeldStreams {
 public:
  explicit HeldStreams(CallContext& call);
  ~HeldStreams();
  HeldStreams(const HeldStreams&) = delete;
  HeldStreams& operator=(const HeldStreams&) = delete;

  /// Reads a pipe to its end, and keeps its bytes as they are, compressed or not. Of a pipe that
  /// has two names, both have all of it. Of a pattern, takes the pipes that fit it. A file behind
  /// standard input is kept by keep_standard_input(), for as long as the process lives. Does
  /// nothing with other files and folders.
  /// @throws DataError if one cannot be read, or a name fits no file.
  void hold(const std::string& name);

 private:
  void hold_stream(const std::string& path);

  struct Held {
    std::optional<FileIdentity> pipe;
    std::string bytes;
  };

  MemoryTables tables_;
  std::deque<Held> held_;
  CallContext& call_;
};

}  // namespace scalelaw
