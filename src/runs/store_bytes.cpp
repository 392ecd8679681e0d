#include "runs/store_bytes.hpp"

#include <vector>

#include "base/bytes.hpp"

namespace scalelaw {
namespace {

void write(ByteWriter& out, Uint128 value) {
  out.number(static_cast<std::uint64_t>(value));
  out.number(static_cast<std::uint64_t>(value >> 64));
}

Uint128 read_wide(ByteReader& in) {
  const Uint128 low = in.number();
  return static_cast<Uint128>(in.number()) << 64 | low;
}

void write(ByteWriter& out, const SquareSum& sum) {
  write(out, sum.low);
  out.number(sum.high);
}

SquareSum read_squares(ByteReader& in) {
  SquareSum sum;
  sum.low = read_wide(in);
  sum.high = in.number();
  return sum;
}

void write(ByteWriter& out, const ScaledSums& sums) {
  out.time(sums.scale_class);
  write(out, static_cast<Uint128>(sums.sum));
  write(out, sums.squares);
}

ScaledSums read_scaled(ByteReader& in) {
  ScaledSums sums;
  sums.scale_class = static_cast<std::int32_t>(in.time());
  sums.sum = static_cast<Int128>(read_wide(in));
  sums.squares = read_squares(in);
  return sums;
}

void write(ByteWriter& out, const CellSums& sums, const std::vector<ScaledSums>& pool) {
  out.number(sums.count);
  out.real(sums.min);
  out.real(sums.max);
  write(out, static_cast<Uint128>(sums.log_sum));
  write(out, sums.log_squares);
  std::uint64_t further = 0;
  for (std::int32_t i = sums.values.next; i >= 0; i = pool[i].next) ++further;
  out.number(further);
  write(out, sums.values);
  for (std::int32_t i = sums.values.next; i >= 0; i = pool[i].next) write(out, pool[i]);
}

/// @param pool  Overwritten with the cell's further sums.
CellSums read_sums(ByteReader& in, std::vector<ScaledSums>& pool) {
  CellSums sums;
  sums.count = in.number();
  sums.min = in.real();
  sums.max = in.real();
  sums.log_sum = static_cast<Int128>(read_wide(in));
  sums.log_squares = read_squares(in);
  const std::uint64_t further = in.number();
  sums.values = read_scaled(in);
  pool.clear();
  std::int32_t* next = &sums.values.next;
  for (std::uint64_t i = 0; i < further; ++i) {
    *next = static_cast<std::int32_t>(i);
    pool.push_back(read_scaled(in));
    next = &pool.back().next;
    *next = -1;
  }
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
    write(out, store.cell(c).sums, store.pool());
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

std::uint32_t StoreMerger::group_of(std::string_view key) {
  const auto known = groups_.find(key);
  if (known != groups_.end()) return known->second;
  const std::uint32_t group = store_->add_group(key);
  groups_.emplace(store_->groups()[group].key, group);
  return group;
}

std::uint32_t StoreMerger::index_of_x(double x) {
  const auto [place, is_new] = xs_.try_emplace(x, 0);
  if (is_new) place->second = store_->add_x(x);
  return place->second;
}

std::string_view StoreMerger::kept_run(std::string_view run) {
  const auto known = runs_.find(run);
  return known != runs_.end() ? *known : *runs_.insert(store_->keep(run)).first;
}

void StoreMerger::take(std::string_view bytes) {
  std::vector<ScaledSums> pool;
  for (ByteReader in(bytes); !in.at_end();) {
    const std::uint32_t group = group_of(in.text());
    for (std::uint64_t points = in.number(); points > 0; --points) {
      const std::uint32_t x = index_of_x(in.real());
      RowValues values{.y = in.real(), .weight = 1, .run = {}};
      if (full_) {
        values.weight = in.real();
        values.run = kept_run(in.text());
        store_->add_full(group, x, values);
      } else {
        store_->add(group, x, values.y);
      }
    }
    for (std::uint64_t cells = in.number(); cells > 0; --cells) {
      const std::uint32_t x = index_of_x(in.real());
      const CellSums sums = read_sums(in, pool);
      store_->add_cell_sums(group, x, sums, pool);
    }
  }
}

std::string bytes_of(const RowTally& tally) {
  ByteWriter out;
  for (const std::uint64_t count : {tally.counts.read, tally.counts.used, tally.counts.missing,
                                    tally.counts.bad, tally.counts.filtered}) {
    out.number(count);
  }
  for (const BadRow& row : tally.bad_rows) {
    out.number(row.file);
    out.number(row.offset);
    out.number(row.line);
    out.text(row.message);
  }
  return out.finish();
}

RowTally row_tally_of(std::string_view bytes) {
  ByteReader in(bytes);
  RowTally tally;
  for (std::uint64_t* count : {&tally.counts.read, &tally.counts.used, &tally.counts.missing,
                               &tally.counts.bad, &tally.counts.filtered}) {
    *count = in.number();
  }
  while (!in.at_end()) {
    BadRow row{in.number(), in.number(), in.number(), {}};
    row.message = in.text();
    tally.bad_rows.push_back(std::move(row));
  }
  return tally;
}

}  // namespace scalelaw
