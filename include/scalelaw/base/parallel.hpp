#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
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
