#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "arena.hpp"
#include "cell_sums.hpp"
#include "fixed_log.hpp"
#include "runs/row_reading.hpp"

namespace scalelaw {

/// One row's numbers.
struct RowValues {
  double y = 0;
  double weight = 1;
  std::string_view run;  ///< Lives as long as the store; empty without a run column.
};

/// A row that is kept: in groups with few rows, and where raw points are needed.
struct PointNode {
  PointNode* next;
  double y;
  std::uint32_t x_index;
};

/// A point with the additional values of raw-point methods.
struct FullPointNode : PointNode {
  double weight;
  std::string_view run;
};

/// The rows of the groups that one worker has seen. A group begins as a short list of points, and
/// becomes cells when the list is long. So 100,000 groups of ten rows stay as small as their rows,
/// and a billion rows as small as their cells. Cells are exact, so the result does not show which
/// form a row had.
class GroupStore {
 public:
  static constexpr char kKeyEnd = '\x1f';
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kMostBatch = 256;
  /// A group with more points becomes cells, unless points are kept.
  static constexpr std::uint32_t kMostPoints = 32;

  struct Group {
    std::string_view key;  ///< Key fields, each followed by kKeyEnd.
    PointNode* points = nullptr;
    std::uint32_t point_count = 0;
    std::uint32_t cells = kNone;  ///< Index of its cells, which take its rows once it is dense.

    bool dense() const { return cells != kNone; }
  };
  using Groups = std::vector<Group, LargePageAllocator<Group>>;
  struct Pair {
    std::uint32_t group;
    std::uint32_t x_index;
    std::uint32_t cell;  ///< kNone until the group is dense.
  };
  /// The cells of a dense group.
  struct GroupCells {
    std::uint32_t first = kNone;
    std::vector<std::uint32_t> of_x;  ///< Cell for each x index; kNone if there is none yet.
  };
  struct StoredCell {
    std::uint32_t x_index;
    std::uint32_t next;  ///< Another cell of the same group, or kNone.
    CellSums sums;
  };

  /// @param keep_points  Never turn points into cells.
  /// @param logarithmic  Take logarithms of y.
  GroupStore(bool keep_points, bool logarithmic)
      : keep_points_(keep_points), logarithmic_(logarithmic) {}

  std::uint32_t add_group(std::string_view key) {
    groups_.emplace_back().key = arena_.copy(key);
    return static_cast<std::uint32_t>(groups_.size() - 1);
  }
  std::uint32_t add_x(double x) {
    xs_.push_back(x);
    return static_cast<std::uint32_t>(xs_.size() - 1);
  }
  std::string_view keep(std::string_view text) { return arena_.copy(text); }

  /// Adds one row without weight and run.
  void add(std::uint32_t group_index, std::uint32_t x_index, double y) {
    Group& group = groups_[group_index];
    if (group.dense()) [[likely]] {
      add_to_cell(group, x_index, y);
    } else {
      add_point(group, x_index, y);
    }
  }
  /// Adds a pair of a group and an x. Rows of the pair then find their cell without a search.
  std::uint32_t add_pair(std::uint32_t group_index, std::uint32_t x_index) {
    pairs_.push_back({group_index, x_index, kNone});
    return static_cast<std::uint32_t>(pairs_.size() - 1);
  }
  /// Adds `count` <= kMostBatch rows, each one of a pair.
  void add_pairs(const std::uint32_t* pairs, const double* ys, std::size_t count);
  /// Adds `count` <= kMostBatch rows, each one of a group and an x.
  void add_batch(const std::uint32_t* group_indices, const std::uint32_t* x_indices,
                 const double* ys, std::size_t count);
  /// Adds one row with weight and run; it stays a point.
  void add_full(std::uint32_t group_index, std::uint32_t x_index, const RowValues& values) {
    Group& group = groups_[group_index];
    auto* const node = new (arena_.allocate(sizeof(FullPointNode))) FullPointNode;
    *node = {{group.points, values.y, x_index}, values.weight, values.run};
    group.points = node;
    ++group.point_count;
  }

  /// Adds the rows of a cell from another store, whose further sums are in `pool`.
  void add_cell_sums(std::uint32_t group_index, std::uint32_t x_index, const CellSums& sums,
                     const std::vector<ScaledSums>& pool) {
    Group& group = groups_[group_index];
    if (!group.dense()) make_dense(group);
    cells_[cell_index(group.cells, x_index)].sums.merge(sums, pool, pool_);
  }

  const Groups& groups() const { return groups_; }
  /// The first cell of a group, or kNone.
  std::uint32_t first_cell(const Group& group) const {
    return group.dense() ? group_cells_[group.cells].first : kNone;
  }
  const StoredCell& cell(std::uint32_t index) const { return cells_[index]; }
  double x(std::size_t x_index) const { return xs_[x_index]; }
  const std::vector<ScaledSums>& pool() const { return pool_; }

 private:
  static constexpr std::uint32_t kIndexedXs =
      1024;  ///< Number of x values whose cells are found by index; others by hash.

  void add_point(Group& group, std::uint32_t x_index, double y) {
    auto* const node = new (arena_.allocate(sizeof(PointNode))) PointNode{group.points, y, x_index};
    group.points = node;
    if (++group.point_count >= kMostPoints && !keep_points_) make_dense(group);
  }
  void make_dense(Group& group) {
    group.cells = static_cast<std::uint32_t>(group_cells_.size());
    group_cells_.emplace_back();
    for (const PointNode* node = group.points; node != nullptr; node = node->next) {
      add_to_cell(group, node->x_index, node->y);
    }
    group.points = nullptr;
    group.point_count = 0;
  }
  void add_to_cell(const Group& group, std::uint32_t x_index, double y) {
    cells_[cell_index(group.cells, x_index)].sums.add(y, logarithmic_ ? log_(y) : 0, pool_);
  }
  void add_to_cells(const std::uint32_t* cells, const double* ys, std::size_t count);
  std::uint32_t cell_index(std::uint32_t group_cells, std::uint32_t x_index) {
    const std::vector<std::uint32_t>& of_x = group_cells_[group_cells].of_x;
    if (x_index < of_x.size()) [[likely]] {
      const std::uint32_t cell = of_x[x_index];
      if (cell != kNone) [[likely]]
        return cell;
    }
    return new_cell_index(group_cells, x_index);
  }
  std::uint32_t new_cell_index(std::uint32_t group_cells, std::uint32_t x_index) {
    GroupCells& group = group_cells_[group_cells];
    if (x_index < kIndexedXs) {
      if (x_index >= group.of_x.size()) {
        group.of_x.resize(std::min<std::size_t>(xs_.size(), kIndexedXs), kNone);
      }
      return group.of_x[x_index] = add_cell(group, x_index);
    }
    const std::uint64_t place_of_x = std::uint64_t{group_cells} << 32 | x_index;
    const auto [place, is_new] = sparse_cells_.try_emplace(place_of_x, 0);
    if (is_new) place->second = add_cell(group, x_index);
    return place->second;
  }
  std::uint32_t add_cell(GroupCells& group, std::uint32_t x_index) {
    cells_.push_back({x_index, group.first, {}});
    group.first = static_cast<std::uint32_t>(cells_.size() - 1);
    return group.first;
  }

  bool keep_points_;
  bool logarithmic_;
  const FixedLog& log_ = fixed_log();
  Arena arena_;
  Groups groups_;
  std::vector<GroupCells> group_cells_;
  std::vector<StoredCell> cells_;
  std::vector<Pair> pairs_;
  std::vector<ScaledSums> pool_;
  std::vector<double> xs_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_cells_;
};

/// Finds the groups, x values and runs of a store, and adds those that it lacks.
class StoreKeys {
 public:
  /// @param store  Must outlive this object.
  explicit StoreKeys(GroupStore& store) : store_(store) {}

  std::uint32_t group_of(std::string_view key) {
    const auto known = groups_.find(key);
    if (known != groups_.end()) return known->second;
    const std::uint32_t group = store_.add_group(key);
    groups_.emplace(store_.groups()[group].key, group);
    return group;
  }
  std::uint32_t index_of_x(double x) {
    const auto [place, is_new] = xs_.try_emplace(x, 0);
    if (is_new) place->second = store_.add_x(x);
    return place->second;
  }
  std::string_view kept_run(std::string_view run) {
    const auto known = runs_.find(run);
    return known != runs_.end() ? *known : *runs_.insert(store_.keep(run)).first;
  }

 private:
  GroupStore& store_;
  std::unordered_map<std::string_view, std::uint32_t> groups_;  ///< Texts live in the store.
  std::unordered_map<double, std::uint32_t> xs_;
  std::unordered_set<std::string_view> runs_;
};

/// The rows of a store as bytes, exact to the last bit.
/// @param full  Whether its points have a weight and a run.
std::string bytes_of(const GroupStore& store, bool full);

/// Merges the rows of several stores. Sums are exact, so their order has no effect.
class StoreMerger {
 public:
  StoreMerger(bool keep_points, bool logarithmic, bool full)
      : store_(std::make_unique<GroupStore>(keep_points, logarithmic)), full_(full) {}

  /// Adds the rows from bytes that bytes_of wrote.
  void take(std::string_view bytes);
  std::unique_ptr<GroupStore> release() { return std::move(store_); }

 private:
  std::unique_ptr<GroupStore> store_;
  bool full_;
  StoreKeys keys_{*store_};
};

/// A tally as bytes.
std::string bytes_of(const RowTally& tally);
RowTally row_tally_of(std::string_view bytes);

}  // namespace scalelaw
