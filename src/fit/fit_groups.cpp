#include "scalelaw/fit/fit_groups.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

/// Groups that a thread claims at a time: many, since threads meet at every slice, but so few that
/// all threads have work.
constexpr std::size_t kLargestSlice = 512;
constexpr std::size_t kSmallestSlice = 16;
constexpr std::size_t kSlicesAhead = 2;  ///< Slices a thread may be ahead of the writing.

/// Names the random stream of a group by its key, so that adding a group does not change the draws
/// of the others.
std::uint64_t random_stream_of(const GroupKey& key) {
  std::string joined;
  for (const std::string& value : key) {
    joined += value;
    joined += '\x1f';
  }
  return stable_hash(joined);
}

std::variant<Fit, NoFit> fit_or_reason(const std::vector<Cell>& cells, const FitOptions& options,
                                       std::uint64_t stream) {
  try {
    return fit_law(cells, options, stream);
  } catch (const FitError& error) {
    return NoFit{error.code(), error.what()};
  }
}

/// One worker's cells; on cache lines of its own, for every cell moves the vector's end.
struct alignas(64) Scratch {
  std::vector<Cell> cells;
};

GroupFit fit_group(const GroupedCells& runs, std::size_t group, const FitOptions& options,
                   std::vector<Cell>& cells) {
  GroupKey key = runs.key(group);
  const std::uint64_t stream = options.bootstrap.resamples > 0 ? random_stream_of(key) : 0;
  runs.cells(group, cells);
  return {std::move(key), fit_or_reason(cells, options, stream)};
}

/// Hands slices of fits to a sink in their order, whichever thread has made them. The thread that
/// brings the next slice writes it, and those after it that wait already.
class OrderedSink {
 public:
  /// @param ahead  Slices that may be made before their turn; bounds what waits in memory.
  OrderedSink(const std::function<void(GroupFit&&)>& sink, std::size_t ahead, std::size_t workers)
      : sink_(sink), ahead_(ahead), written_(workers) {}

  /// Makes the slice of that index, by adding to an empty vector, and sees to it that it is
  /// written.
  template <class Make>
  void deliver(std::size_t index, std::size_t worker, Make make) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return failed_ || index < next_ + ahead_; });
    if (failed_) return;
    std::vector<GroupFit> fits = written_slice(worker);
    lock.unlock();
    try {
      fits.clear();
      make(fits);
      lock.lock();
      waiting_.emplace(index, Slice{worker, std::move(fits)});
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
    std::vector<GroupFit> fits;
  };

  /// A slice of this worker's that is written. Its fits are freed by the thread that made them: two
  /// threads at the memory of one would wait for each other.
  std::vector<GroupFit> written_slice(std::size_t worker) {
    if (written_[worker].empty()) return {};
    std::vector<GroupFit> slice = std::move(written_[worker].back());
    written_[worker].pop_back();
    return slice;
  }

  void write_what_is_due(std::unique_lock<std::mutex>& lock) {
    if (writing_) return;
    writing_ = true;
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      auto slice = waiting_.extract(waiting_.begin());
      lock.unlock();
      for (GroupFit& fit : slice.mapped().fits) sink_(std::move(fit));
      lock.lock();
      written_[slice.mapped().maker].push_back(std::move(slice.mapped().fits));
      ++next_;
      room_.notify_all();
    }
    writing_ = false;
  }

  const std::function<void(GroupFit&&)>& sink_;
  const std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::map<std::size_t, Slice> waiting_;
  std::vector<std::vector<std::vector<GroupFit>>> written_;  ///< Of each worker.
  std::size_t next_ = 0;
  bool writing_ = false;
  bool failed_ = false;
};

}  // namespace

void fit_each(const GroupedCells& runs, const FitOptions& options, int threads,
              const std::function<void(GroupFit&&)>& sink) {
  const int workers = thread_count(threads);
  // Resampling makes a group dear: then single groups are shared out, so that few groups use all
  // threads too.
  const std::size_t share = runs.size() / (4 * static_cast<std::size_t>(workers));
  const std::size_t slice =
      options.bootstrap.resamples > 0 ? 1 : std::clamp(share, kSmallestSlice, kLargestSlice);
  std::vector<Scratch> scratch(static_cast<std::size_t>(workers));
  OrderedSink ordered(sink, kSlicesAhead * static_cast<std::size_t>(workers), scratch.size());
  parallel_for(workers, (runs.size() + slice - 1) / slice, [&](std::size_t index, int worker) {
    const auto own = static_cast<std::size_t>(worker);
    ordered.deliver(index, own, [&](std::vector<GroupFit>& fits) {
      fits.reserve(slice);
      const std::size_t end = std::min(runs.size(), (index + 1) * slice);
      for (std::size_t group = index * slice; group < end; ++group) {
        fits.push_back(fit_group(runs, group, options, scratch[own].cells));
      }
    });
  });
}

std::vector<GroupFit> fit_groups(const GroupedCells& runs, const FitOptions& options, int threads) {
  std::vector<GroupFit> fits;
  fits.reserve(runs.size());
  fit_each(runs, options, threads, [&](GroupFit&& fit) { fits.push_back(std::move(fit)); });
  return fits;
}

}  // namespace scalelaw
