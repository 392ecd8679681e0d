#include "scalelaw/fit/fit_groups.hpp"

#include <string>

#include "base/per_thread.hpp"
#include "runs/deliver_in_order.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {

Outcome<Fit> fit_or_reason(std::span<const Cell> cells, const FitOptions& options,
                           std::uint64_t stream) {
  return outcome_of([&] { return fit_law(cells, options, stream); });
}

std::uint64_t random_stream_of(const GroupKey& key) {
  std::string joined;
  for (const std::string& value : key) {
    joined += value;
    joined += '\x1f';
  }
  return stable_hash(joined);
}

void fit_each(const GroupedCells& runs, const FitOptions& options, int threads,
              const std::function<void(GroupFit&&)>& sink) {
  const int workers = thread_count(threads);
  // Resampling takes long, so each slice is a single group. Few groups then use all threads, too.
  const std::size_t slice =
      options.bootstrap.resamples > 0 ? 1 : slice_of_groups(runs.size(), workers);
  const auto fit = [&](std::size_t group, int /*worker*/) {
    thread_local PerThread<std::vector<Cell>> kept;
    std::vector<Cell>& cells = *kept;
    GroupKey key = runs.key(group);
    const std::uint64_t stream = options.bootstrap.resamples > 0 ? random_stream_of(key) : 0;
    runs.cells(group, cells);
    return GroupFit{std::move(key), fit_or_reason(cells, options, stream)};
  };
  deliver_in_order<GroupFit>(runs.size(), workers, slice, fit, sink);
}

std::vector<GroupFit> fit_groups(const GroupedCells& runs, const FitOptions& options, int threads) {
  std::vector<GroupFit> fits;
  fits.reserve(runs.size());
  fit_each(runs, options, threads, [&](GroupFit&& fit) { fits.push_back(std::move(fit)); });
  return fits;
}

}  // namespace scalelaw
