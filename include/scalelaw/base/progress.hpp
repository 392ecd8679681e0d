#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace scalelaw {

/// A line on stderr that shows the progress of reading. It is drawn five times per second after the
/// first second of work, and wiped at the end. Several threads may advance it.
class Progress {
 public:
  /// @param total_bytes  Bytes to read; 0 if unknown (a pipe).
  /// @param total_files  Files to read; 0: the line does not mention files.
  explicit Progress(std::string what, std::uint64_t total_bytes, std::uint64_t total_files = 0);
  /// Counts and draws nothing, for a rank that reports its progress to the leader.
  Progress() : Progress("", 0) { shown_ = false; }
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::uint64_t bytes, std::uint64_t files = 0);

  struct Done {
    std::uint64_t bytes = 0;
    std::uint64_t files = 0;
  };
  Done done() const { return {done_.load(), done_files_.load()}; }

 private:
  void draw(std::uint64_t done, double seconds);

  std::string what_;
  std::uint64_t total_;
  std::uint64_t total_files_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> done_files_{0};
  std::mutex mutex_;
  double drawn_at_ = 0;
  bool drawn_ = false;
  bool shown_ = true;
};

}  // namespace scalelaw
