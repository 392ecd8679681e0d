#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "scalelaw/base/parallel.hpp"

namespace scalelaw {

/// Hands slices of results to a sink in order, whichever thread made them. The thread that brings
/// the next slice writes it, together with the slices after it that already wait.
template <class Result>
class OrderedSink {
 public:
  /// @param ahead  Slices that may be made before their turn, which bounds the waiting memory.
  OrderedSink(const std::function<void(Result&&)>& sink, std::size_t ahead, std::size_t workers)
      : sink_(sink), ahead_(ahead), written_(workers) {}

  /// Makes the slice of that index by adding to an empty vector, and has it written.
  template <class Make>
  void deliver(std::size_t index, std::size_t worker, Make make) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return failed_ || index < next_ + ahead_; });
    if (failed_) return;
    std::vector<Result> results = written_slice(worker);
    lock.unlock();
    try {
      results.clear();
      make(results);
      lock.lock();
      waiting_.emplace(index, Slice{worker, std::move(results)});
      write_what_is_due(lock);
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      failed_ = true;
      room_.notify_all();
      throw;
    }
  }

 private:
  struct Slice {
    std::size_t maker;
    std::vector<Result> results;
  };

  /// A slice of this worker that was written. The thread that made its results frees them, since
  /// two threads would slow each other down in one heap.
  std::vector<Result> written_slice(std::size_t worker) {
    if (written_[worker].empty()) return {};
    std::vector<Result> slice = std::move(written_[worker].back());
    written_[worker].pop_back();
    return slice;
  }

  void write_what_is_due(std::unique_lock<std::mutex>& lock) {
    if (writing_) return;
    writing_ = true;
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      auto slice = waiting_.extract(waiting_.begin());
      lock.unlock();
      for (Result& result : slice.mapped().results) sink_(std::move(result));
      lock.lock();
      written_[slice.mapped().maker].push_back(std::move(slice.mapped().results));
      ++next_;
      room_.notify_all();
    }
    writing_ = false;
  }

  const std::function<void(Result&&)>& sink_;
  const std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::map<std::size_t, Slice> waiting_;
  std::vector<std::vector<std::vector<Result>>> written_;  ///< Slices of each worker.
  std::size_t next_ = 0;
  bool writing_ = false;
  bool failed_ = false;
};

/// How many groups a thread claims at a time. Threads meet at every slice, so there are many groups
/// in it, but so few that all threads have work.
inline std::size_t slice_of_groups(std::size_t groups, int workers) {
  constexpr std::size_t kLargestSlice = 512;
  constexpr std::size_t kSmallestSlice = 16;
  return std::clamp(groups / (4 * static_cast<std::size_t>(workers)), kSmallestSlice,
                    kLargestSlice);
}

/// The same where a group takes so long that few of them are worth a thread.
inline std::size_t slice_of_slow_groups(std::size_t groups, int workers) {
  constexpr std::size_t kLargestSlice = 32;
  return std::clamp(groups / (4 * static_cast<std::size_t>(workers)), std::size_t{1},
                    kLargestSlice);
}

/// Calls make(index, worker) for every index below `count` on `workers` threads, `slice` of them at
/// a time. Hands the results to `sink` in order, one call at a time, from any thread. Memory grows
/// with workers and slice, not with the count.
template <class Result, class Make>
void deliver_in_order(std::size_t count, int workers, std::size_t slice, Make make,
                      const std::function<void(Result&&)>& sink) {
  constexpr std::size_t kSlicesAhead = 2;  // Slices that a thread may be ahead of the writing.
  const auto threads = static_cast<std::size_t>(workers);
  OrderedSink<Result> ordered(sink, kSlicesAhead * threads, threads);
  parallel_for(workers, (count + slice - 1) / slice, [&](std::size_t index, int worker) {
    ordered.deliver(index, static_cast<std::size_t>(worker), [&](std::vector<Result>& results) {
      results.reserve(slice);
      const std::size_t end = std::min(count, (index + 1) * slice);
      for (std::size_t i = index * slice; i < end; ++i) results.push_back(make(i, worker));
    });
  });
}

}  // namespace scalelaw
