#include "group_store.hpp"

#include <array>

namespace scalelaw {

void GroupStore::add_pairs(const std::uint32_t* pairs, const double* ys, std::size_t count) {
  std::array<std::uint32_t, kMostBatch> cells;
  std::array<double, kMostBatch> values;
  std::size_t dense = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Pair& pair = pairs_[pairs[i]];
    if (pair.cell == kNone) [[unlikely]] {
      Group& group = groups_[pair.group];
      if (!group.dense()) {
        add_point(group, pair.x_index, ys[i]);
        continue;
      }
      pair.cell = cell_index(group.cells, pair.x_index);
    }
    values[dense] = ys[i];
    cells[dense++] = pair.cell;
  }
  add_to_cells(cells.data(), values.data(), dense);
}

void GroupStore::add_batch(const std::uint32_t* group_indices, const std::uint32_t* x_indices,
                           const double* ys, std::size_t count) {
  std::array<std::uint32_t, kMostBatch> cells;
  std::array<double, kMostBatch> values;
  std::size_t dense = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Group& group = groups_[group_indices[i]];
    if (!group.dense()) {
      add_point(group, x_indices[i], ys[i]);
      continue;
    }
    values[dense] = ys[i];
    cells[dense++] = cell_index(group.cells, x_indices[i]);
  }
  add_to_cells(cells.data(), values.data(), dense);
}

void GroupStore::add_to_cells(const std::uint32_t* cells, const double* ys, std::size_t count) {
  std::array<std::int64_t, kMostBatch> logs;
  if (logarithmic_) {
    log_.take(ys, count, logs.data());
  } else {
    logs.fill(0);
  }
  StoredCell* const stored = cells_.data();
  for (std::size_t i = 0; i < count; ++i) stored[cells[i]].sums.add(ys[i], logs[i], pool_);
}

}  // namespace scalelaw
