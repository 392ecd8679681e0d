#include <algorithm>

#include "scalelaw/judge/contrast.hpp"

namespace scalelaw {
namespace {

using Column = GroupKey::difference_type;

/// The levels of the group that begins at `begin`, which then moves to the next group.
std::vector<LevelCells> levels_from(const GroupedCells& runs, const GroupKey& group,
                                    std::size_t& begin) {
  std::vector<LevelCells> levels;
  for (; begin < runs.size(); ++begin) {
    const GroupKey key = runs.key(begin);
    if (!std::equal(group.begin(), group.end(), key.begin())) break;
    levels.push_back({GroupKey(key.begin() + static_cast<Column>(group.size()), key.end()), {}});
    runs.cells(begin, levels.back().cells);
  }
  return levels;
}

}  // namespace

void contrast_each(const GroupedCells& runs, const ContrastOptions& options,
                   const std::function<void(GroupContrast&&)>& sink) {
  const std::span<const std::string> factors = runs.factors();
  const auto outer = static_cast<Column>(runs.by().size() - factors.size());
  for (std::size_t next = 0; next < runs.size();) {
    GroupKey group = runs.key(next);
    group.erase(group.begin() + outer, group.end());
    const std::vector<LevelCells> levels = levels_from(runs, group, next);
    auto result = outcome_of([&] { return contrast_levels(levels, factors, options); });
    sink({std::move(group), std::move(result)});
  }
}

}  // namespace scalelaw
