#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace scalelaw {

/// The number of threads to use: `requested` if positive (at most 1024), else the number of
/// processors that this process may use.
int thread_count(int requested);

/// Calls work(index, worker) once for every index in [0, count), on up to `threads` threads; 0 <=
/// worker < threads. Indices are claimed in increasing order.
///
/// If calls throw, the exception of the lowest such index is rethrown after every thread has ended.
/// The error therefore does not depend on the number of threads.
void parallel_for(int threads, std::size_t count,
                  const std::function<void(std::size_t index, int worker)>& work);

/// Takes pieces through three steps, on up to `threads` threads. read(piece) makes the next piece
/// out of the room of an earlier one, and is false at the end: one call at a time. work(piece) runs
/// on several threads. use(piece) sees the pieces in their order, one call at a time.
///
/// The first piece of which a step throws ends it, after those before it were used: its exception
/// is rethrown, for any number of threads.
template <class Piece, class Read, class Work, class Use>
void for_each_piece(int threads, Read read, Work work, Use use) {
  std::mutex reading;
  std::size_t begun = 0;  ///< Pieces that were read; guarded by `reading`, as `ended` is.
  bool ended = false;
  std::mutex taking_turns;
  std::condition_variable was_used;
  std::size_t used = 0;  ///< Guarded by `taking_turns`, as `failed` is.
  bool failed = false;

  /// Takes the next piece through the three steps; false if there is none, or one before has
  /// failed.
  const auto do_next = [&](Piece& piece) {
    std::size_t place = 0;
    std::exception_ptr error;
    const auto guarded = [&](auto&& step) {
      try {
        if (!error) step();
      } catch (...) {
        error = std::current_exception();
      }
    };
    {
      const std::lock_guard lock(reading);
      if (ended) return false;
      place = begun;
      guarded([&] { ended = !read(piece); });
      if (ended) return false;
      ++begun;
      ended = error != nullptr;
    }
    guarded([&] { work(piece); });
    std::unique_lock lock(taking_turns);
    was_used.wait(lock, [&] { return used == place || failed; });
    if (failed) return false;
    guarded([&] { use(piece); });
    ++used;
    failed = error != nullptr;
    was_used.notify_all();
    if (error) std::rethrow_exception(error);
    return true;
  };
  const int takers = std::max(threads, 1);
  parallel_for(takers, static_cast<std::size_t>(takers), [&](std::size_t, int) {
    Piece piece;
    while (do_next(piece)) {
    }
  });
}

/// Sorts parts in parallel, then merges them pair by pair. If the order is total, the result is the
/// same for any number of threads.
template <class Item, class Less = std::less<Item>>
void parallel_sort(std::vector<Item>& items, int threads, Less less = {}) {
  constexpr std::size_t kWorthAThread = 1 << 15;
  const std::size_t parts =
      std::min(static_cast<std::size_t>(std::max(threads, 1)), items.size() / kWorthAThread + 1);
  const auto place = [&](std::size_t part) {
    const std::size_t begin = items.size() * std::min(part, parts) / parts;
    return items.begin() + static_cast<std::ptrdiff_t>(begin);
  };
  parallel_for(threads, parts,
               [&](std::size_t part, int) { std::sort(place(part), place(part + 1), less); });
  for (std::size_t step = 1; step < parts; step *= 2) {
    parallel_for(threads, (parts - 1) / (2 * step) + 1, [&](std::size_t pair, int) {
      const std::size_t left = 2 * step * pair;
      std::inplace_merge(place(left), place(left + step), place(left + 2 * step), less);
    });
  }
}

}  // namespace scalelaw
