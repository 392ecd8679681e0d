#include "runs/group_store.hpp"

#include <array>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "base/bytes.hpp"
#include "group_store.hpp"

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

namespace {

// All ranks run this program, so sums travel as they lie in memory.

template <class Sums>
void write(ByteWriter& out, const Sums& sums) {
  static_assert(std::is_trivially_copyable_v<Sums>);
  out.text({reinterpret_cast<const char*>(&sums), sizeof sums});
}

template <class Sums>
void read(ByteReader& in, Sums& sums) {
  const std::string_view bytes = in.text();
  if (bytes.size() != sizeof sums) in.refuse();
  std::memcpy(&sums, bytes.data(), sizeof sums);
}

void write_sums(ByteWriter& out, const CellSums& sums, const std::vector<ScaledSums>& pool) {
  write(out, sums);
  std::uint64_t further = 0;
  for (std::int32_t i = sums.values.next; i >= 0; i = pool[i].next) ++further;
  out.number(further);
  for (std::int32_t i = sums.values.next; i >= 0; i = pool[i].next) write(out, pool[i]);
}

/// @param pool  Overwritten with the cell's further sums.
CellSums read_sums(ByteReader& in, std::vector<ScaledSums>& pool) {
  CellSums sums;
  read(in, sums);
  pool.resize(in.count());
  std::int32_t* next = &sums.values.next;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    *next = static_cast<std::int32_t>(i);
    read(in, pool[i]);
    next = &pool[i].next;
  }
  *next = -1;
  return sums;
}

void write_points(ByteWriter& out, const GroupStore& store, const GroupStore::Group& group,
                  bool full) {
  out.number(group.point_count);
  for (const PointNode* node = group.points; node != nullptr; node = node->next) {
    out.real(store.x(node->x_index));
    out.real(node->y);
    if (!full) continue;
    const auto& full_node = static_cast<const FullPointNode&>(*node);
    out.real(full_node.weight);
    out.text(full_node.run);
  }
}

void write_cells(ByteWriter& out, const GroupStore& store, const GroupStore::Group& group) {
  std::uint64_t count = 0;
  const std::uint32_t first = store.first_cell(group);
  for (std::uint32_t c = first; c != GroupStore::kNone; c = store.cell(c).next) ++count;
  out.number(count);
  for (std::uint32_t c = first; c != GroupStore::kNone; c = store.cell(c).next) {
    out.real(store.x(store.cell(c).x_index));
    write_sums(out, store.cell(c).sums, store.pool());
  }
}

}  // namespace

std::string bytes_of(const GroupStore& store, bool full) {
  ByteWriter out;
  for (const GroupStore::Group& group : store.groups()) {
    out.text(group.key);
    write_points(out, store, group, full);
    write_cells(out, store, group);
  }
  return out.finish();
}

void StoreMerger::take(std::string_view bytes) {
  std::vector<ScaledSums> pool;
  for (ByteReader in(bytes); !in.at_end();) {
    const std::uint32_t group = keys_.group_of(in.text());
    for (std::uint64_t points = in.number(); points > 0; --points) {
      const std::uint32_t x = keys_.index_of_x(in.real());
      RowValues values{.y = in.real(), .weight = 1, .run = {}};
      if (full_) {
        values.weight = in.real();
        values.run = keys_.kept_run(in.text());
        store_->add_full(group, x, values);
      } else {
        store_->add(group, x, values.y);
      }
    }
    for (std::uint64_t cells = in.number(); cells > 0; --cells) {
      const std::uint32_t x = keys_.index_of_x(in.real());
      const CellSums sums = read_sums(in, pool);
      store_->add_cell_sums(group, x, sums, pool);
    }
  }
}

static void put(ByteWriter& out, CellForm form) { out.number(static_cast<std::uint64_t>(form)); }
static void take(ByteReader& in, CellForm& form) { form = static_cast<CellForm>(in.number()); }

/// The parts of a tally, its counts or a bad row.
template <class Record>
static auto parts_of(Record& of) {
  using Bare = std::remove_const_t<Record>;
  if constexpr (std::is_same_v<Bare, RowTally>) {
    return std::tie(of.counts, of.bad_rows, of.readings, of.failures, of.commented);
  } else if constexpr (std::is_same_v<Bare, RowCounts>) {
    return std::tie(of.read, of.used, of.missing, of.missing_in, of.bad, of.filtered, of.failed,
                    of.commented);
  } else if constexpr (std::is_same_v<Bare, CellReading>) {
    return std::tie(of.column, of.form, of.counted, of.example, of.value, of.unit);
  } else if constexpr (std::is_same_v<Bare, RowCounts::Missing>) {
    return std::tie(of.column, of.rows);
  } else if constexpr (std::is_same_v<Bare, Failure>) {
    return std::tie(of.column, of.value);
  } else {
    return std::tie(of.file, of.offset, of.line, of.message);
  }
}

std::string bytes_of(const RowTally& tally) { return written(tally); }

RowTally row_tally_of(std::string_view bytes) { return read_from<RowTally>(bytes); }

}  // namespace scalelaw
