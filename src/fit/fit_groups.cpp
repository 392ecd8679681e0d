#include "scalelaw/fit/fit_groups.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <string>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kBlock = 2048;  ///< Groups held at once.
constexpr std::size_t kSlice = 32;    ///< Groups a thread claims at a time.

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

GroupFit fit_group(const GroupedCells& runs, std::size_t group, const FitOptions& options,
                   std::vector<Cell>& cells) {
  GroupKey key = runs.key(group);
  const std::uint64_t stream = options.bootstrap.resamples > 0 ? random_stream_of(key) : 0;
  runs.cells(group, cells);
  auto result = fit_or_reason(cells, options, stream);
  return {std::move(key), std::move(result)};
}

}  // namespace

void fit_each(const GroupedCells& runs, const FitOptions& options, int threads,
              const std::function<void(GroupFit&&)>& sink) {
  const int workers = thread_count(threads);
  // Resampling makes a group dear: then single groups are shared out, so that few groups use all
  // threads too.
  const std::size_t slice = options.bootstrap.resamples > 0 ? 1 : kSlice;
  std::vector<std::vector<Cell>> cells(static_cast<std::size_t>(workers));
  const auto fit_block = [&](std::size_t first, std::vector<GroupFit>& block) {
    block.resize(std::min(kBlock, runs.size() - first));
    parallel_for(workers, (block.size() + slice - 1) / slice, [&](std::size_t index, int worker) {
      const std::size_t end = std::min(block.size(), (index + 1) * slice);
      for (std::size_t i = index * slice; i < end; ++i) {
        block[i] = fit_group(runs, first + i, options, cells[static_cast<std::size_t>(worker)]);
      }
    });
  };
  // The next block is fitted while this one is written, unless there is but one thread.
  const auto policy = workers > 1 ? std::launch::async : std::launch::deferred;
  std::array<std::vector<GroupFit>, 2> blocks;
  std::future<void> ahead;
  const auto start = [&](std::size_t first) {
    if (first < runs.size()) {
      ahead = std::async(policy, fit_block, first, std::ref(blocks[first / kBlock % 2]));
    }
  };
  start(0);
  for (std::size_t first = 0; first < runs.size(); first += kBlock) {
    ahead.get();
    start(first + kBlock);
    for (GroupFit& fit : blocks[first / kBlock % 2]) sink(std::move(fit));
  }
}

std::vector<GroupFit> fit_groups(const GroupedCells& runs, const FitOptions& options, int threads) {
  std::vector<GroupFit> fits;
  fits.reserve(runs.size());
  fit_each(runs, options, threads, [&](GroupFit&& fit) { fits.push_back(std::move(fit)); });
  return fits;
}

}  // namespace scalelaw
