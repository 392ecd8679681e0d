#include "scalelaw/runs/read_runs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/per_thread.hpp"
#include "group_store.hpp"
#include "input/folder_reader.hpp"
#include "input/same_files.hpp"
#include "run_scanner.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/ranks.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "statistics/quantiles.hpp"

namespace scalelaw {
namespace {

/// Returns the first key field, and sets `rest` to the text after it.
std::string_view next_field(std::string_view& rest) {
  const std::size_t end = rest.find(GroupStore::kKeyEnd);
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return field;
}

bool key_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view x = next_field(a);
    const std::string_view y = next_field(b);
    if (x != y) return natural_less(x, y);
  }
  return a.size() < b.size();
}

/// A number that sorts like natural_less on the first field, as far as 64 bits can: numbers by
/// value, then texts.
std::uint64_t order_prefix(std::string_view key) {
  if (key.empty()) return 0;
  const std::string_view field = next_field(key);
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if (const auto number = number_in_order(field)) {
    const auto bits = std::bit_cast<std::uint64_t>(*number + 0.0);
    return ((bits & kSign) != 0 ? ~bits : bits | kSign) >> 1;
  }
  std::uint64_t text = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    text = text << 8 | (i < field.size() ? static_cast<unsigned char>(field[i]) : 0);
  }
  return kSign | text >> 1;
}

/// A point with its x, independent of its store.
struct Point {
  double x;
  double y;
  double weight;
  std::string_view run;
};

bool canonical_less(const Point& a, const Point& b) {
  if (a.x != b.x) return a.x < b.x;
  if (a.run != b.run) return a.run < b.run;
  if (a.y != b.y) return a.y < b.y;
  return a.weight < b.weight;
}

Cell cell_of_point(double x, double y, bool logarithmic) {
  const double log = logarithmic ? static_cast<double>(fixed_log()(y)) * FixedLog::kUnit : 0;
  return {.x = x, .count = 1, .mean_log = log, .mean = y, .min = y, .max = y};
}

/// One point per (x, run): the mean of its rows' y and the mean of their weights.
std::vector<Point> fold_runs(const std::vector<Point>& points) {
  std::vector<Point> folded;
  for (std::size_t i = 0; i < points.size();) {
    std::size_t end = i;
    double y = 0;
    double weight = 0;
    for (; end < points.size() && points[end].x == points[i].x && points[end].run == points[i].run;
         ++end) {
      y += points[end].y;
      weight += points[end].weight;
    }
    const auto n = static_cast<double>(end - i);
    folded.push_back({points[i].x, y / n, weight / n, points[i].run});
    i = end;
  }
  return folded;
}

/// One point per x: the (weighted) mean or the median of y, and the sum of the weights.
std::vector<Point> fold_by_x(const std::vector<Point>& points, Points statistic) {
  std::vector<Point> folded;
  std::vector<double> values;
  for (std::size_t i = 0; i < points.size();) {
    values.clear();
    const double x = points[i].x;
    double weights = 0;
    double weighted = 0;
    for (; i < points.size() && points[i].x == x; ++i) {
      values.push_back(points[i].y);
      weights += points[i].weight;
      weighted += points[i].weight * points[i].y;
    }
    folded.push_back(
        {x, statistic == Points::kMedian ? median_of(values) : weighted / weights, weights, {}});
  }
  return folded;
}

/// Collects on the leader what all ranks have scanned. Other ranks do not return.
ScannedRuns gathered(ScannedRuns own, const RunOptions& options, Ranks& ranks) {
  const bool full = !options.run.empty() || !options.weights.empty();
  const auto new_merger = [&] {
    return StoreMerger(options.keep_points, options.logarithmic_y, full);
  };
  std::string rows;
  if (!ranks.leads()) {
    StoreMerger merger = new_merger();
    for (auto& store : own.stores) {
      merger.take(bytes_of(*store, full));
      store.reset();
    }
    rows = bytes_of(*merger.release(), full);
  }
  const auto tallies = ranks.gather(bytes_of(own.tally));
  const auto ids = ranks.gather(own.run_ids->bytes());
  auto all = ranks.gather(std::move(rows));
  if (!ranks.leads()) ranks.await_end();
  StoreMerger merger = new_merger();
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    own.tally.merge(row_tally_of(tallies[rank]));
    own.run_ids->take(ids[rank]);
    merger.take(all[rank]);
    all[rank] = {};
  }
  own.stores.push_back(merger.release());
  return own;
}

}  // namespace

struct GroupedCells::Storage {
  /// One worker's part of a group.
  struct GroupPart {
    std::uint64_t prefix;  ///< Orders most groups without reading their keys.
    std::uint32_t store;
    std::uint32_t group;
  };

  std::vector<std::unique_ptr<GroupStore>> stores;
  std::vector<GroupPart> parts;       ///< In group order; parts of one group stand together.
  std::vector<std::uint32_t> begins;  ///< First part of each group, and the end.
  ChosenColumns columns;
  std::string y_unit;
  std::vector<UngroupedColumn> ungrouped;
  std::string growing_work;
  std::optional<PartlyGrowingWork> partly_growing_work;
  std::optional<double> gpus_per_node;
  std::string choice;
  RowCounts rows;
  std::vector<std::string> bad_rows;
  RunOptions options;

  std::string_view key(const GroupPart& part) const {
    return stores[part.store]->groups()[part.group].key;
  }
  std::span<const GroupPart> parts_of(std::size_t group) const {
    return std::span(parts).subspan(begins[group], begins[group + 1] - begins[group]);
  }
  bool folds_points() const {
    return options.keep_points || !options.run.empty() || !options.weights.empty() ||
           options.points == Points::kMedian;
  }

  /// Puts the groups of all stores in order.
  void order_groups(int threads) {
    for (std::uint32_t store = 0; store < stores.size(); ++store) add_parts_of(store);
    const auto less = [&](const GroupPart& a, const GroupPart& b) {
      return a.prefix != b.prefix ? a.prefix < b.prefix : key_less(key(a), key(b));
    };
    if (!std::ranges::is_sorted(parts, less)) parallel_sort(parts, threads, less);
    begins.reserve(parts.size() + 1);
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      const bool same =
          i > 0 && parts[i].prefix == parts[i - 1].prefix && key(parts[i]) == key(parts[i - 1]);
      if (!same) begins.push_back(i);
    }
    begins.push_back(static_cast<std::uint32_t>(parts.size()));
  }

  /// Adds the groups of one store that have usable rows.
  void add_parts_of(std::uint32_t store) {
    const auto& groups = stores[store]->groups();
    parts.reserve(parts.size() + groups.size());
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      const bool empty = groups[g].points == nullptr && !groups[g].dense();
      if (!empty) parts.push_back({order_prefix(groups[g].key), store, g});
    }
  }

  /// Prefetches a group's points while another group is processed. Points of one group that came
  /// one after another are neighbours in memory.
  void prefetch_points(std::size_t group) const {
    if (group >= begins.size() - 1) return;
    for (const GroupPart& part : parts_of(group)) {
      const GroupStore::Group& stored = stores[part.store]->groups()[part.group];
      const auto* const last = reinterpret_cast<const char*>(stored.points);
      for (std::size_t line = 0; line < stored.point_count * sizeof(PointNode); line += 64) {
        __builtin_prefetch(last - line);
      }
    }
  }

  /// Makes the cells of a group with points only, no two at one x. Otherwise returns false and
  /// empties `out`.
  bool distinct_points(std::size_t group, std::vector<Cell>& out) const {
    bool ascending = true;
    double previous_x = -std::numeric_limits<double>::infinity();
    for (const GroupPart& part : parts_of(group)) {
      const GroupStore& store = *stores[part.store];
      const GroupStore::Group& stored = store.groups()[part.group];
      if (stored.dense()) {
        out.clear();
        return false;
      }
      std::array<const PointNode*, GroupStore::kMostPoints> nodes;
      std::size_t count = 0;
      for (const PointNode* node = stored.points; node != nullptr; node = node->next) {
        nodes[count++] = node;
      }
      std::size_t place = out.size();
      out.resize(place + count);
      while (count > 0) {  // In file order, which mostly is the order of x.
        const PointNode& node = *nodes[--count];
        const double x = store.x(node.x_index);
        ascending = ascending && x > previous_x;
        previous_x = x;
        Cell& cell = out[place++];  // Filled in place, because a copy would wait for its parts.
        cell.x = x;
        cell.count = 1;
        cell.mean = cell.min = cell.max = node.y;
      }
    }
    if (!ascending) {
      std::ranges::sort(out, {}, &Cell::x);
      for (std::size_t i = 1; i < out.size(); ++i) {
        if (out[i].x == out[i - 1].x) {
          out.clear();
          return false;
        }
      }
    }
    if (options.logarithmic_y) {
      const FixedLog& log = fixed_log();
      for (Cell& cell : out) cell.mean_log = static_cast<double>(log(cell.mean)) * FixedLog::kUnit;
    }
    return true;
  }

  /// Merges the cells and points of all parts by x, one cell per x.
  void merged_cells(std::size_t group, std::vector<Cell>& out) const {
    prefetch_points(group + 1);
    if (distinct_points(group, out)) return;
    struct Item {
      double x;
      const PointNode* point;
      const CellSums* sums;
      const std::vector<ScaledSums>* pool;
    };
    thread_local PerThread<std::vector<Item>> kept_items;
    std::vector<Item>& items = *kept_items;
    items.clear();
    for (const GroupPart& part : parts_of(group)) {
      const GroupStore& store = *stores[part.store];
      const GroupStore::Group& stored = store.groups()[part.group];
      for (const PointNode* node = stored.points; node != nullptr; node = node->next) {
        items.push_back({store.x(node->x_index), node, nullptr, nullptr});
      }
      std::reverse(items.end() - stored.point_count,
                   items.end());  // In file order, which mostly is the order of x.
      for (std::uint32_t c = store.first_cell(stored); c != GroupStore::kNone;
           c = store.cell(c).next) {
        items.push_back(
            {store.x(store.cell(c).x_index), nullptr, &store.cell(c).sums, &store.pool()});
      }
    }
    const auto less = [](const Item& a, const Item& b) { return a.x < b.x; };
    if (!std::ranges::is_sorted(items, less)) std::ranges::sort(items, less);
    thread_local PerThread<std::vector<ScaledSums>> kept_pool;
    std::vector<ScaledSums>& pool = *kept_pool;
    for (std::size_t i = 0; i < items.size();) {
      const double x = items[i].x;
      if (items[i].point != nullptr && (i + 1 == items.size() || items[i + 1].x != x)) {
        out.push_back(cell_of_point(x, items[i++].point->y, options.logarithmic_y));
        continue;
      }
      pool.clear();
      CellSums sums;
      for (; i < items.size() && items[i].x == x; ++i) {
        if (items[i].sums != nullptr) {
          sums.merge(*items[i].sums, *items[i].pool, pool);
        } else {
          const double y = items[i].point->y;
          sums.add(y, options.logarithmic_y ? fixed_log()(y) : 0, pool);
        }
      }
      out.push_back(sums.cell(x, pool));
    }
  }

  std::vector<Point> points_of(std::size_t group) const {
    std::vector<Point> points;
    const bool full = !options.run.empty() || !options.weights.empty();
    for (const GroupPart& part : parts_of(group)) {
      const GroupStore& store = *stores[part.store];
      for (const PointNode* node = store.groups()[part.group].points; node != nullptr;
           node = node->next) {
        Point point{store.x(node->x_index), node->y, 1, {}};
        if (full) {
          const auto& full_node = static_cast<const FullPointNode&>(*node);
          point.weight = full_node.weight;
          point.run = full_node.run;
        }
        points.push_back(point);
      }
    }
    std::ranges::sort(points, canonical_less);
    return points;
  }

  void cells_from_points(std::size_t group, std::vector<Cell>& out) const {
    std::vector<Point> points = points_of(group);
    const bool clusters = options.runs_are_clusters && !options.run.empty();
    if (!options.run.empty() && !clusters) points = fold_runs(points);
    if (options.points != Points::kEach) points = fold_by_x(points, options.points);
    if (options.weights.empty()) {
      for (Point& point : points) point.weight = 1;
    }
    std::vector<std::string_view> runs;
    if (clusters) {
      for (const Point& point : points) runs.push_back(point.run);
      std::ranges::sort(runs);
      runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
    }
    for (const Point& point : points) {
      out.push_back(cell_of_point(point.x, point.y, options.logarithmic_y));
      out.back().weight = point.weight;
      if (clusters) {
        const auto place = std::ranges::lower_bound(runs, point.run);
        out.back().cluster = static_cast<std::uint32_t>(place - runs.begin());
      }
    }
  }
};

GroupedCells::GroupedCells(std::shared_ptr<const Storage> storage) : storage_(std::move(storage)) {}
std::size_t GroupedCells::size() const { return storage_->begins.size() - 1; }
const std::string& GroupedCells::x() const { return storage_->columns.x; }
const std::string& GroupedCells::y() const { return storage_->columns.y; }
const std::string& GroupedCells::y_unit() const { return storage_->y_unit; }
const std::vector<std::string>& GroupedCells::by() const { return storage_->columns.by; }
std::span<const std::string> GroupedCells::factors() const {
  return std::span<const std::string>(by()).last(storage_->columns.factors);
}
const RowCounts& GroupedCells::rows() const { return storage_->rows; }
const std::vector<std::string>& GroupedCells::bad_rows() const { return storage_->bad_rows; }
const std::string& GroupedCells::unused_run_column() const { return storage_->columns.unused_run; }
const Quantity& GroupedCells::quantity() const { return storage_->columns.quantity; }
const std::vector<UngroupedColumn>& GroupedCells::ungrouped() const { return storage_->ungrouped; }
const std::string& GroupedCells::growing_work() const { return storage_->growing_work; }
const std::optional<PartlyGrowingWork>& GroupedCells::partly_growing_work() const {
  return storage_->partly_growing_work;
}
std::optional<double> GroupedCells::gpus_per_node() const { return storage_->gpus_per_node; }
const std::string& GroupedCells::choice() const { return storage_->choice; }

GroupKey GroupedCells::key(std::size_t group) const {
  GroupKey fields;
  std::string_view rest = storage_->key(storage_->parts_of(group).front());
  while (!rest.empty()) fields.emplace_back(next_field(rest));
  return fields;
}

std::optional<std::size_t> GroupedCells::find(const GroupKey& key) const {
  std::string wanted;
  for (const std::string& field : key) wanted.append(field) += GroupStore::kKeyEnd;
  const std::uint64_t prefix = order_prefix(wanted);
  const auto key_at = [&](std::uint32_t begin) { return storage_->key(storage_->parts[begin]); };
  const auto is_before = [&](std::uint32_t begin, const std::string& other) {
    const std::uint64_t own = storage_->parts[begin].prefix;
    return own != prefix ? own < prefix : key_less(key_at(begin), other);
  };
  const auto end = storage_->begins.end() - 1;
  const auto found = std::lower_bound(storage_->begins.begin(), end, wanted, is_before);
  if (found == end || key_at(*found) != wanted) return std::nullopt;
  return static_cast<std::size_t>(found - storage_->begins.begin());
}

void GroupedCells::cells(std::size_t group, std::vector<Cell>& out) const {
  out.clear();
  if (storage_->folds_points()) return storage_->cells_from_points(group, out);
  storage_->merged_cells(group, out);
  if (storage_->options.points == Points::kMean) {
    for (Cell& cell : out) {
      cell = cell_of_point(cell.x, cell.mean, storage_->options.logarithmic_y);
    }
  }
}

GroupedCells read_runs(std::span<const std::string> inputs, const RunOptions& options) {
  Ranks* ranks = options.ranks;
  const std::vector<std::string> paths =
      shared_paths(ranks, [&] { return tables_to_read(inputs); });
  if (ranks != nullptr) refuse_different_files(*ranks, paths);
  const int threads = thread_count(options.threads);
  // This precedes the reading of tables; results of followers are not reported.
  std::vector<std::string> unfinished;
  if (ranks == nullptr || ranks->leads()) unfinished = unfinished_inputs(paths);
  auto storage = std::make_shared<GroupedCells::Storage>();
  storage->options = options;
  // The mean at an x needs all rows of that x in one cell. Other folds need the rows themselves.
  if (options.points == Points::kMean) storage->options.keep_points = false;
  RunOptions scan_options = storage->options;
  scan_options.keep_points = storage->folds_points();
  ScannedRuns scanned = scan_runs(paths, scan_options, threads, ranks);
  if (ranks != nullptr) scanned = gathered(std::move(scanned), scan_options, *ranks);
  storage->columns = std::move(scanned.columns);
  storage->y_unit = std::move(scanned.y_unit);
  storage->ungrouped = std::move(scanned.ungrouped);
  storage->growing_work = std::move(scanned.growing_work);
  storage->partly_growing_work = std::move(scanned.partly_growing_work);
  storage->gpus_per_node = scanned.gpus_per_node;
  if (storage->columns.quantity.is_product()) storage->y_unit.clear();
  storage->columns.y = response_name(storage->columns.y, storage->columns.quantity);
  storage->choice = description_of(storage->columns);
  if (!storage->columns.unused_run.empty() && !scanned.run_ids->is_repeated(threads)) {
    storage->columns.unused_run.clear();
  }
  scanned.tally.tell(std::move(scanned.layouts), std::move(scanned.overlap));
  storage->rows = scanned.tally.counts;
  storage->rows.unfinished = std::move(unfinished);
  storage->bad_rows = messages_of(scanned.tally.bad_rows, paths, options.layout);
  refuse_nothing(storage->rows, paths, storage->options.where, storage->columns.x);
  storage->stores = std::move(scanned.stores);
  storage->order_groups(threads);
  return GroupedCells(storage);
}

GroupedCells cells_of_rows(std::span<const GroupRows> groups, const RunOptions& options) {
  auto storage = std::make_shared<GroupedCells::Storage>();
  storage->options = options;
  storage->options.run.clear();
  if (options.points == Points::kMean) storage->options.keep_points = false;
  storage->columns.x = options.x;
  storage->columns.y = options.y;
  storage->columns.quantity = quantity_of(options.y, {}, options.x);
  storage->columns.by = options.by;
  auto store = std::make_unique<GroupStore>(storage->folds_points(), options.logarithmic_y);
  StoreKeys keys(*store);
  for (const GroupRows& rows : groups) {
    std::string key;
    for (const std::string& field : rows.group) key.append(field) += GroupStore::kKeyEnd;
    const std::uint32_t group = keys.group_of(key);
    for (std::size_t i = 0; i < rows.x.size(); ++i) {
      const std::uint32_t x = keys.index_of_x(rows.x[i]);
      if (options.weights.empty()) {
        store->add(group, x, rows.y[i]);
      } else {
        store->add_full(group, x, {.y = rows.y[i], .weight = rows.weights[i], .run = {}});
      }
    }
  }
  storage->stores.push_back(std::move(store));
  storage->order_groups(thread_count(options.threads));
  return GroupedCells(storage);
}

}  // namespace scalelaw
