#pragma once

#include <cstddef>
#include <functional>

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

}  // namespace scalelaw
