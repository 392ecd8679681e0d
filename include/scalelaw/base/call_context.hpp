#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "scalelaw/base/file_identity.hpp"

namespace scalelaw {

class KeptSheet;
class MemoryTables;

/// Thrown where a call notices that it was cancelled. It is not an Error: nothing is wrong.
struct Cancelled {};

/// What belongs to one call of a program that makes many, several at once: the tables that it hands
/// over in memory, the sheet that it gets back, and its wish to go on; also the pipes that the call
/// holds as texts, and the files that its outputs will replace. Threads that work for the call
/// share it.
class CallContext {
 public:
  /// Whether the call is to go on; asked on the thread that made the call, at most ten times per
  /// second.
  using GoesOn = std::function<bool()>;

  explicit CallContext(const MemoryTables* tables = nullptr, GoesOn goes_on = {},
                       KeptSheet* sheet = nullptr);

  /// Makes this thread the one that makes the call.
  void begin();
  const MemoryTables* tables() const { return tables_; }
  /// Pipes that the call has read, and holds as texts; null: none.
  const MemoryTables* held() const { return held_; }
  /// Before threads work for the call.
  void hold(const MemoryTables* held) { held_ = held; }
  /// Tells of a file that an output will replace, before threads work for the call.
  void expect_replaced(const FileIdentity& file) { replaced_.push_back(file); }
  bool will_replace(const FileIdentity& file) const {
    return std::ranges::find(replaced_, file) != replaced_.end();
  }
  /// Tells of an input that is another one by a second name.
  void note_repeated(const std::string& again, const std::string& first) {
    const std::lock_guard lock(mutex_);
    repeated_.emplace(again, first);
  }
  /// Tells of a link that leads out of a folder of inputs, and is not followed.
  void note_link_out(const std::string& path) {
    const std::lock_guard lock(mutex_);
    links_out_.insert(path);
  }
  /// Such inputs, each with its first name, and such links; after the work of the call.
  const std::map<std::string, std::string>& repeated() const { return repeated_; }
  const std::set<std::string>& links_out() const { return links_out_; }
  /// Keeps the sheet that the call writes as CSV; null if nobody asks for it.
  KeptSheet* sheet() const { return sheet_; }
  /// Ends the call at the next place where it looks; from any thread. It cannot be taken back.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  /// @throws Cancelled if the call is to end.
  void refuse_cancelled();
  /// Counts bytes that were read of files.
  void note_read(std::uint64_t bytes) { bytes_read_.fetch_add(bytes, std::memory_order_relaxed); }
  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }

 private:
  bool asks_now();

  const MemoryTables* tables_;
  const MemoryTables* held_ = nullptr;
  std::vector<FileIdentity> replaced_;
  std::mutex mutex_;  ///< Of the two below.
  std::map<std::string, std::string> repeated_;
  std::set<std::string> links_out_;
  GoesOn goes_on_;
  KeptSheet* sheet_;
  std::atomic<bool> cancelled_{false};
  std::atomic<std::uint64_t> bytes_read_{0};        ///< Since begin().
  std::chrono::steady_clock::time_point asked_at_;  ///< Of the thread that makes the call alone.
  const void* thread_ = nullptr;                    ///< Stands for that thread.
};

/// The call that this thread works for; null in a program that uses the library by itself.
CallContext* current_call();

/// Lets this thread work for a call, as long as the scope lasts.
class CallScope {
 public:
  explicit CallScope(CallContext* call);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  CallContext* before_;
};

/// Ends the work of a call that was cancelled. Costs little: long loops ask it in every turn.
/// @throws Cancelled
inline void refuse_cancelled() {
  if (CallContext* const call = current_call()) call->refuse_cancelled();
}

}  // namespace scalelaw
