#include "scalelaw/fit/fit_groups.hpp"

#include <cmath>
#include <string>

#include "base/per_thread.hpp"
#include "fit/pooled_slopes.hpp"
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

namespace {

/// The lines of groups that have one, in group order. Of laws other than lines, only their scatter
/// and degrees of freedom.
/// @param cells_of  The cells of a group by its place.
template <class CellsOf>
std::vector<GroupLine> own_lines(std::size_t groups, CellsOf cells_of, const FitOptions& options,
                                 int threads) {
  std::vector<std::optional<GroupLine>> found(groups);
  parallel_for(thread_count(threads), groups, [&](std::size_t group, int /*worker*/) {
    struct LineWorkspace {
      FitPoints points;
      Solution solution;
    };
    thread_local PerThread<LineWorkspace> kept;
    LineWorkspace& work = *kept;
    const std::span<const Cell> cells = cells_of(group);
    found[group] = if_possible([&] {
      observe(cells, options, work.points);
      solve(work.points, work.solution);
      return group_line(work.points, work.solution);
    });
  });
  std::vector<GroupLine> lines;
  for (const auto& line : found) {
    if (line) lines.push_back(*line);
  }
  return lines;
}

/// The residual variances of lines with degrees of freedom.
std::vector<SampleVariance> own_variances(std::span<const GroupLine> lines) {
  std::vector<SampleVariance> variances;
  for (const GroupLine& line : lines) {
    if (line.dof > 0) variances.push_back({line.rss / line.dof, line.dof});
  }
  return variances;
}

std::shared_ptr<const Pooling> pooling_of(std::span<const GroupLine> lines,
                                          const FitOptions& options) {
  const std::vector<SampleVariance> variances = own_variances(lines);
  if (variances.empty()) return nullptr;
  Pooling pooling = pooled_scatter(variances);
  if (options.pool == Pool::kSlopes) {
    if (lines.size() < kFewestSlopes || !(pooling.sigma > 0)) return nullptr;
    pooling.kind = Pool::kSlopes;
    pooling.groups = lines.size();
    pooling.slopes = pooled_slopes(lines, options.confidence);
    pooling.sigma = std::sqrt(pooling.slopes->best.variance);
  }
  return std::make_shared<const Pooling>(std::move(pooling));
}

}  // namespace

std::shared_ptr<const Pooling> pool_groups(const GroupedCells& runs, const FitOptions& options,
                                           int threads) {
  check_pooling(options);
  const auto cells_of = [&runs](std::size_t group) -> std::span<const Cell> {
    thread_local PerThread<std::vector<Cell>> kept;
    std::vector<Cell>& cells = *kept;
    runs.cells(group, cells);
    return cells;
  };
  return pooling_of(own_lines(runs.size(), cells_of, options, threads), options);
}

std::shared_ptr<const Pooling> pool_groups(std::span<const std::vector<Cell>> groups,
                                           const FitOptions& options) {
  check_pooling(options);
  const auto cells_of = [groups](std::size_t group) {
    return std::span<const Cell>(groups[group]);
  };
  return pooling_of(own_lines(groups.size(), cells_of, options, 1), options);
}

}  // namespace scalelaw
