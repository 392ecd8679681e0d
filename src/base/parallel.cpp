#include "scalelaw/base/parallel.hpp"

#include <sched.h>

#include <atomic>
#include <thread>

#include "scalelaw/base/call_context.hpp"

namespace scalelaw {

int thread_count(int requested) {
  constexpr int kMostThreads = 1024;
  if (requested > 0) return std::min(requested, kMostThreads);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(int threads, std::size_t count,
                  const std::function<void(std::size_t, int)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t error_index = count;
  const auto run = [&](int worker) {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        refuse_cancelled();
        work(i, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < error_index) {
          error_index = i;
          error = std::current_exception();
        }
        next.store(count);  // Lower indices are already claimed and will be finished.
      }
    }
  };
  const int extra = static_cast<int>(std::min<std::size_t>(std::max(threads, 1), count)) - 1;
  std::vector<std::thread> pool;
  pool.reserve(std::max(extra, 0));
  try {
    for (int worker = 1; worker <= extra; ++worker) {
      pool.emplace_back([&run, worker, call = current_call()] {
        const CallScope scope(call);
        run(worker);
      });
    }
  } catch (const std::exception&) {
    // The system gives no more threads, or no memory for one, so the existing ones do the work.
  }
  run(0);
  for (auto& thread : pool) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace scalelaw
