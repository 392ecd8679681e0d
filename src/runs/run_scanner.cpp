#include "run_scanner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/decimals.hpp"
#include "base/errors.hpp"
#include "column_keys.hpp"
#include "input/column_rows.hpp"
#include "input/separators.hpp"
#include "raw_table.hpp"
#include "runs/job_steps.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/input/row_blocks.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kScanBytes =
    16 << 10;  // Indexed at a time: the index stays in the first-level cache.
constexpr std::size_t kMostPairs = 4096;      // Above it, group and x are looked up separately.
constexpr std::size_t kLongestKeyField = 40;  // Longer group fields go through the tokenizer.

// Special indices in place of a group or x: ...
constexpr std::uint32_t kFiltered = RawTable::kAbsent - 1;  // ... a condition does not hold,
constexpr std::uint32_t kUnusual =
    RawTable::kAbsent - 2;  // ... or every such row needs the tokenizer.

/// The places of the fields in one table.
struct TablePlan {
  char separator = ',';
  std::vector<std::string> names;
  std::size_t x = 0;
  std::size_t y = 0;
  std::vector<std::size_t> by;
  std::optional<std::size_t> run;
  std::optional<std::size_t> unused_run;
  std::optional<std::size_t> weights;
  std::vector<std::size_t> factors;      ///< Columns by which y is multiplied,
  std::vector<std::size_t> divisors;     ///< or divided.
  bool inverse = false;                  ///< y itself is a divisor.
  std::vector<std::size_t> filters;      ///< The column of each filter.
  std::vector<std::size_t> row_filters;  ///< Filters on other columns than group columns and x.
  std::vector<StateColumn> states;
  std::optional<JobColumns> job;  ///< Where rows are of jobs and of their steps.
  NumberFormat x_format;
  NumberFormat y_format;

  std::size_t width() const { return names.size(); }
  bool is_product() const { return inverse || !factors.empty() || !divisors.empty(); }

  /// The columns that were asked for.
  std::vector<std::size_t> asked_for() const {
    std::vector<std::size_t> columns = by;
    columns.insert(columns.end(), filters.begin(), filters.end());
    columns.insert(columns.end(), {x, y});
    columns.insert(columns.end(), factors.begin(), factors.end());
    for (const auto& column : {run, weights}) {
      if (column) columns.push_back(*column);
    }
    return columns;
  }
  /// Every column that is looked at.
  std::vector<std::size_t> used() const {
    std::vector<std::size_t> columns = asked_for();
    if (unused_run) columns.push_back(*unused_run);
    if (job) job->add_to(columns);
    for (const StateColumn& state : states) columns.push_back(state.place);
    return columns;
  }
};

/// The first needed column without a value in the row.
std::optional<std::size_t> column_without_value(const TablePlan& plan, RowFields& row,
                                                RowTally& tally) {
  for (const std::size_t column : {plan.x, plan.y}) {
    if (row.lacks_number(column, tally)) return column;
  }
  if (plan.run && row.missing(*plan.run)) return plan.run;
  if (plan.weights && row.lacks_number(*plan.weights, tally)) return plan.weights;
  for (const std::size_t column : plan.factors) {
    if (row.lacks_number(column, tally)) return column;
  }
  const auto group =
      std::ranges::find_if(plan.by, [&row](std::size_t column) { return row.missing(column); });
  return group == plan.by.end() ? std::nullopt : std::optional(*group);
}
/// The rows that one thread has read.
struct Worker {
  Worker(int number_of_worker, bool keep_points, bool logarithmic)
      : number(number_of_worker), store(std::make_unique<GroupStore>(keep_points, logarithmic)) {}

  int number;
  const TablePlan* plan = nullptr;  ///< Table of the current block.
  std::unique_ptr<GroupStore> store;
  StoreKeys keys{*store};
  bool joint = true;                 ///< Raw keys join group columns and x, and stand for pairs.
  RawTable raw_keys;                 ///< Keys of groups, or of pairs.
  RawTable raw_xs;                   ///< Keys of x, if the others are of groups only.
  std::vector<KeySpan> spans;        ///< Layout of raw_keys in the current table.
  std::vector<std::size_t> longest;  ///< Longest field by place in `by`, in bytes; the last is x.
  bool keys_too_short = false;       ///< A longer field appeared: make room before the next block.
  std::vector<const std::uint32_t*> not_scanned;  ///< Current rows that the scan left out.
  std::vector<double> ys;  ///< Of the current rows; NaN where they are no plain decimals.
  RowTally tally;
  JobSteps steps;
  std::vector<std::uint32_t> index;  ///< Separator offsets, after one place for "row begin - 1".
  RowFields fields;                  ///< Scratch memory of the tokenizer.
  std::string key;
  ColumnKeys column_keys;  ///< Of tables in memory,
  RawTable column_pairs;   ///< and what they stand for: a pair, kFiltered or kUnusual;
  KeyGrid column_grid;     ///< those that few codes and numbers of x tell.
  std::string column_row;  ///< The text of a row of theirs that needs the tokenizer.
  std::vector<std::string> good_states;  ///< The last ones that tell no failure, by state column.

  /// Scanned rows that wait to be stored.
  struct Batch {
    std::array<std::uint32_t, GroupStore::kMostBatch> keys;
    std::array<std::uint32_t, GroupStore::kMostBatch> xs;
    std::array<double, GroupStore::kMostBatch> ys;
  };
  Batch batch;

  void store_batch(bool pairs, std::size_t count) {
    if (pairs) {
      store->add_pairs(batch.keys.data(), batch.ys.data(), count);
    } else {
      store->add_batch(batch.keys.data(), batch.xs.data(), batch.ys.data(), count);
    }
  }
  /// Notes key fields that are longer than expected. Overlong ones are for the tokenizer.
  template <class Length>
  void make_room(Length length_of) {
    for (std::size_t i = 0; i < longest.size(); ++i) {
      const std::size_t length = length_of(i + 1 < longest.size() ? plan->by[i] : plan->x);
      if (length <= longest[i] || length > kLongestKeyField) continue;
      longest[i] = length;
      keys_too_short = true;
    }
  }
  /// Lays out the raw keys for the current table. A change in their size clears them.
  void lay_out_keys() {
    spans = key_spans(joint);
    std::size_t vectors = 0;
    for (const KeySpan& span : spans) vectors += span.vectors;
    if (joint && vectors > kMostKeyVectors) {
      joint = false;
      return lay_out_keys();
    }
    raw_keys.reset(vectors);
    keys_too_short = false;
  }
  /// Prepares for a block: raw keys must fit the table and the fields met so far.
  void use_table(const TablePlan* table) {
    const bool too_many = joint && raw_keys.size() > kMostPairs;
    if (plan == table && !keys_too_short && !too_many) return;
    if (too_many) joint = false;
    const bool same = plan != nullptr && plan->by == table->by && plan->x == table->x &&
                      plan->x_format == table->x_format;
    if (!same) raw_xs.reset(1);
    plan = table;
    if (!same || keys_too_short || too_many) lay_out_keys();
  }

 private:
  /// The group columns, and x if requested, as stretches of neighbouring columns.
  std::vector<KeySpan> key_spans(bool with_x) const {
    std::vector<std::pair<std::size_t, std::size_t>> columns;  // Place and longest field.
    for (std::size_t i = 0; i < plan->by.size(); ++i) columns.emplace_back(plan->by[i], longest[i]);
    if (with_x || columns.empty()) columns.emplace_back(plan->x, longest.back());
    std::ranges::sort(columns);
    std::vector<KeySpan> result;
    std::size_t bytes = 0;
    for (const auto& [column, length] : columns) {
      const bool adjoins = !result.empty() && result.back().last + 1 >= column;
      if (!adjoins) result.push_back({column, column, 0});
      bytes = adjoins ? bytes + 1 + length : length;
      result.back().last = column;
      result.back().vectors = std::max<std::size_t>(1, (bytes + 15) / 16);
    }
    return result;
  }
};

/// Rows without quotes, by their separators. Field c of a row is between ends[c - 1] and ends[c].
struct IndexedRows {
  const RowBlock& block;
  const char* begin;          ///< Offsets count from here.
  const std::uint32_t* ends;  ///< Offsets of the first row; ends[-1] exists too.
  std::size_t count;          ///< Rows.
  std::size_t width;          ///< Fields per row.
  std::uint32_t line_end;     ///< Bytes of a line end: 1, or 2 if every line has a carriage return.

  /// Bytes between the end of the previous field and the begin of field `column`.
  std::uint32_t gap(std::size_t column) const { return column == 0 ? line_end : 1; }
  const char* field_begin(const std::uint32_t* row, std::size_t column) const {
    return begin +
           static_cast<std::uint32_t>(row[static_cast<std::ptrdiff_t>(column) - 1] + gap(column));
  }
  std::string_view field(const std::uint32_t* row, std::size_t column) const {
    return trimmed(std::string_view(field_begin(row, column), begin + row[column]));
  }

  /// Whether every line is a row: each width-th separator is a line feed, no other separator is one
  /// (by their number), and no line is a comment or empty. If the first line ends in a carriage
  /// return, all must; it is then cut from the last fields.
  bool make_regular(std::uint32_t* offsets) {
    const std::size_t last = width - 1;
    offsets[-1] = ~std::uint32_t{0};
    for (std::size_t row = 0; row < count; ++row) {
      const std::uint32_t* const of_row = offsets + row * width;
      const char first = begin[static_cast<std::uint32_t>(of_row[-1] + 1)];
      if (begin[of_row[last]] != '\n' || first == '#' || first == '\n' || first == '\r')
        return false;
    }
    const auto has_carriage_return = [&](std::size_t row) {
      return begin[offsets[row * width + last] - 1] == '\r';
    };
    if (count == 0 || !has_carriage_return(0)) return true;
    for (std::size_t row = 0; row < count; ++row) {
      if (!has_carriage_return(row)) return false;
    }
    line_end = 2;
    offsets[-1] = ~std::uint32_t{0} - 1;
    for (std::size_t row = 0; row < count; ++row) --offsets[row * width + last];
    return true;
  }
};

/// The end of a stretch of whole rows, of a size that is worth indexing at once.
const char* end_of_stretch(const char* begin, const char* end) {
  if (static_cast<std::size_t>(end - begin) <= kScanBytes) return end;
  const void* line_feed = memrchr(begin, '\n', kScanBytes);
  if (line_feed == nullptr) {
    line_feed =
        std::memchr(begin + kScanBytes, '\n', static_cast<std::size_t>(end - begin) - kScanBytes);
  }
  return static_cast<const char*>(line_feed) + 1;
}

/// Rows without quotes go through a scan of separator positions. All others, and rows with anything
/// unusual, go through the tokenizer. There is one definition of a row: the scan takes only rows
/// for which the tokenizer would do the same.
class RunScanner final : public RowConsumer, public ColumnConsumer {
 public:
  RunScanner(std::vector<std::string> paths, const RunOptions& options, int workers,
             const Reading& reading)
      : paths_(std::move(paths)),
        options_(options),
        reading_(reading),
        plain_values_(options.run.empty() && options.weights.empty()),
        plans_(paths_.size()),
        workers_(static_cast<std::size_t>(workers)) {
    for (const auto& condition : options.where) filters_.emplace_back(condition);
    profile_ = TableProfile(options, ColumnProfile::kFewValues);
    restart();
  }

  std::vector<std::size_t> columns_used(std::size_t file) const override {
    return plans_[file].used();
  }

  void open_table(std::size_t file, const Header& header, std::string_view sample) override {
    const std::string source = paths_[file] == "-" ? "standard input" : paths_[file];
    profile_.take_sample(paths_, file, header, sample);
    if (!columns_) choose(header, sample, source);
    TablePlan& plan = plans_[file] = plan_for(header, source);
    const auto formats = number_formats(header, sample, std::array{plan.x, plan.y}, options_,
                                        reading_, paths_[file]);
    if (!formats_) formats_ = {formats[0], formats[1]};
    if (!options_.told.unit.empty()) formats_->second.unit = columns_->quantity.unit;
    plan.x_format = with_unit_of(formats[0], formats_->first);
    plan.y_format = with_unit_of(formats[1], formats_->second);
    tell_layout(header, plan.y_format, source, paths_, layouts_);
    if (options_.has_x) {
      refuse_other_unit(name_with_unit(header, plan.x), plan.x_format.unit, source);
    }
    refuse_other_unit(name_with_unit(header, plan.y), plan.y_format.unit, source);
  }

  const char* take_plain(const RowBlock& block, int worker_index) override {
    Worker& worker = *workers_[static_cast<std::size_t>(worker_index)];
    worker.use_table(&plans_[block.file]);
    for (const char* at = block.begin; at < block.end;) {
      const char* const end = end_of_stretch(at, block.end);
      const auto length = static_cast<std::size_t>(end - at);
      if (worker.index.size() < length + 65) worker.index.resize(length + 65);
      std::uint32_t* const ends = worker.index.data() + 1;
      const SeparatorIndex seen = index_separators(at, length, worker.plan->separator, ends);
      if (seen.quotes) return at;
      IndexedRows rows{block, at, ends, seen.line_feeds, worker.plan->width(), 1};
      const bool plain = plain_values_ && worker.plan->y_format.decimal == '.' &&
                         !worker.plan->job && !worker.plan->is_product();
      if (plain && worker.raw_keys.vectors() <= kMostKeyVectors &&
          seen.count == rows.count * rows.width && rows.make_regular(ends)) {
        scan_rows(rows, worker);
        if (worker.plan->unused_run && !run_ids_->is_decided()) note_runs(rows, worker);
      } else {
        take_lines(block, at, end, worker);
      }
      at = end;
    }
    return block.end;
  }

  void take_quoted(const RowBlock& block, int worker_index) override {
    Worker& worker = *workers_[static_cast<std::size_t>(worker_index)];
    worker.plan = &plans_[block.file];
    take_lines(block, block.begin, block.end, worker);
  }

  bool takes_columns(std::size_t file, const MemoryTable& table) const override {
    const TablePlan& plan = plans_[file];
    const bool is_plain = plain_values_ && plan.y_format.decimal == '.' && !plan.job &&
                          !plan.unused_run && plan.states.empty() && plan.row_filters.empty() &&
                          !plan.is_product();
    const auto has = [&table](std::size_t column, auto takes) {
      const auto& chunks = table.columns[column].chunks;
      return std::ranges::all_of(chunks, takes);
    };
    const auto is_double = [](const MemoryChunk& chunk) {
      return chunk.kind == MemoryChunk::Kind::kDouble;
    };
    const std::vector<std::size_t> keys = key_columns(plan);
    return is_plain && keys.size() <= ColumnKeys::kMostColumns && has(plan.y, is_double) &&
           std::ranges::all_of(keys,
                               [&](std::size_t column) { return has(column, ColumnKeys::takes); });
  }

  void take_columns(const ColumnRows& rows, int worker_index) override {
    Worker& worker = *workers_[static_cast<std::size_t>(worker_index)];
    worker.plan = &plans_[rows.file];
    const std::vector<std::size_t> keys = key_columns(*worker.plan);
    const bool same = worker.column_keys.begin(rows, keys);
    const std::size_t vectors = (worker.column_keys.count() + 1) / 2;
    if (!same || worker.column_pairs.vectors() != vectors) {
      worker.column_pairs.reset(vectors);
      worker.column_grid.reset(worker.column_keys);
    }
    switch (vectors) {
      case 1:
        return take_columns_of<1>(rows, worker);
      case 2:
        return take_columns_of<2>(rows, worker);
      case 3:
        return take_columns_of<3>(rows, worker);
      default:
        return take_columns_of<4>(rows, worker);
    }
  }

  void restart() override {
    const auto count = static_cast<int>(workers_.size());
    for (int i = 0; i < count; ++i) {
      auto& worker = workers_[static_cast<std::size_t>(i)];
      worker = std::make_unique<Worker>(i, options_.keep_points, options_.logarithmic_y);
      worker->longest = longest_;
    }
    run_ids_ = std::make_unique<RunIds>(count);
  }

  /// Hands over what was read; nothing can be read afterwards.
  ScannedRuns finish() {
    settle_steps();
    ScannedRuns out{.columns = *columns_,
                    .y_unit = formats_->second.unit,
                    .layouts = layouts_,
                    .run_ids = std::move(run_ids_)};
    out.ungrouped =
        told_ungrouped(profile_, ungrouped_columns(profile_, *columns_), columns_->by, columns_->x);
    out.gpus_per_node = gpus_of_node(profile_);
    if (!columns_->quantity.is_product()) {
      out.growing_work = growing_work(profile_, *columns_).value_or("");
      out.partly_growing_work = partly_growing_work(profile_, *columns_);
    }
    if (!may_have_several_rows_of_a_run()) out.columns.unused_run.clear();
    for (auto& worker : workers_) {
      out.tally.merge(worker->tally);
      out.stores.push_back(std::move(worker->store));
    }
    if (columns_->run.empty()) out.overlap = profile_.overlap();  // Rows of one run count once.
    return out;
  }

 private:
  /// Takes the job steps whose jobs have no rows.
  void settle_steps() {
    JobStepRows steps;
    for (auto& worker : workers_) steps.add(worker->steps);
    Worker& first = *workers_.front();
    steps.settle(first.tally, paths_, options_.layout, [&](const RowBlock& block) {
      TablePlan plan = plans_[block.file];
      plan.job.reset();
      first.plan = &plan;
      take_row(block, block.begin, block.end, first);
    });
    first.plan = nullptr;
  }

  // ---- columns

  /// Whether some run has several rows of one group at one x; true if that is not known.
  bool may_have_several_rows_of_a_run() const {
    std::vector<std::string> names = columns_->by;
    names.push_back(columns_->unused_run);
    if (options_.has_x) names.push_back(columns_->x);
    return !profile_.is_complete() || have_equal_rows(profile_.columns(names));
  }

  void choose(const Header& header, std::string_view sample, std::string_view source) {
    columns_ = choose_columns(header, options_, source, &profile_);
    const TablePlan plan = plan_for(header, source);
    look_at_sample(plan, sample);
    for (auto& worker : workers_) worker->longest = longest_;
  }

  TablePlan plan_for(const Header& header, std::string_view source) const {
    TablePlan plan;
    plan.separator = header.separator;
    plan.names = header.names;
    const std::string& scale = options_.has_x ? columns_->x : columns_->y;
    plan.x = required_column(header, scale, source);
    plan.y = required_column(header, columns_->y, source);
    for (const auto& name : columns_->by) plan.by.push_back(required_column(header, name, source));
    if (!columns_->run.empty()) plan.run = required_column(header, columns_->run, source);
    if (!columns_->unused_run.empty()) {
      plan.unused_run = find_column(header, columns_->unused_run, source);
    }
    if (!columns_->weights.empty())
      plan.weights = required_column(header, columns_->weights, source);
    const auto places = [&](const std::vector<std::string>& names) {
      std::vector<std::size_t> found;
      for (const auto& name : names) found.push_back(required_column(header, name, source));
      return found;
    };
    plan.factors = places(columns_->quantity.factors);
    plan.divisors = places(columns_->quantity.divisors);
    plan.inverse = columns_->quantity.inverse;
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      const std::size_t column = required_column(header, filters_[i].column(), source);
      plan.filters.push_back(column);
      const bool of_key = column == plan.x || std::ranges::find(plan.by, column) != plan.by.end();
      if (!of_key) plan.row_filters.push_back(i);
    }
    const std::vector<std::size_t> used = plan.asked_for();
    if (!options_.keep_failed) plan.states = state_columns(header, used);
    const bool may_repeat = paths_.size() > 1 && is_of_slurm(header);
    if (profile_.has_job_steps() || may_repeat) plan.job = job_columns(header, used);
    refuse_shared_steps(plan, source);
    return plan;
  }

  /// Ranks do not know of the jobs that others met.
  void refuse_shared_steps(const TablePlan& plan, std::string_view source) const {
    if (!plan.job || options_.ranks == nullptr) return;
    throw data_error(
        "{}: holds jobs and their steps, or is one of several exports that may have the same jobs: "
        "only one process can tell them apart. Write one table with sacct -X, or run one process",
        source);
  }

  /// All tables have the unit of the first one.
  static NumberFormat with_unit_of(NumberFormat format, const NumberFormat& first) {
    format.unit = first.unit;
    format.unit_in_cells = first.unit_in_cells;
    return format;
  }

  /// Takes the lengths of group fields from the first rows.
  void look_at_sample(const TablePlan& plan, std::string_view sample) {
    longest_.assign(plan.by.size() + 1, 0);
    for_each_sample_row(sample, plan.separator, plan.width(), [&](auto fields) {
      for (std::size_t i = 0; i < plan.by.size(); ++i)
        longest_[i] = std::max(longest_[i], fields[plan.by[i]].size());
      longest_.back() = std::max(longest_.back(), fields[plan.x].size());
    });
  }

  // ---- plain rows

  /// Notes the runs of the scanned rows. The tokenizer notes the runs of its rows itself.
  void note_runs(const IndexedRows& rows, Worker& worker) const {
    auto skipped = worker.not_scanned.begin();
    const std::uint32_t* const stop = rows.ends + rows.count * rows.width;
    for (const std::uint32_t* ends = rows.ends; ends < stop; ends += rows.width) {
      if (skipped != worker.not_scanned.end() && *skipped == ends) {
        ++skipped;
        continue;
      }
      const std::string_view name = rows.field(ends, *worker.plan->unused_run);
      if (!is_missing(name)) run_ids_->add(worker.number, name);
    }
  }

  void scan_rows(const IndexedRows& rows, Worker& worker) const {
    const auto call = [&]<std::size_t kVectors>(std::integral_constant<std::size_t, kVectors>) {
      const bool one = worker.spans.size() == 1;
      if (worker.joint)
        return one ? scan_rows_of<kVectors, true, true>(rows, worker)
                   : scan_rows_of<kVectors, false, true>(rows, worker);
      return one ? scan_rows_of<kVectors, true, false>(rows, worker)
                 : scan_rows_of<kVectors, false, false>(rows, worker);
    };
    switch (worker.raw_keys.vectors()) {
      case 1:
        return call(std::integral_constant<std::size_t, 1>{});
      case 2:
        return call(std::integral_constant<std::size_t, 2>{});
      case 3:
        return call(std::integral_constant<std::size_t, 3>{});
      default:
        return call(std::integral_constant<std::size_t, 4>{});
    }
  }

  /// The hot loop. Branches do not depend on the width of a field or on its value. Any unusual row
  /// goes to take_indexed_row.
  template <std::size_t kVectors, bool kOneSpan, bool kJoint>
  void scan_rows_of(const IndexedRows& rows, Worker& worker) const {
    const TablePlan& plan = *worker.plan;
    const char* const begin = rows.begin;
    const std::size_t width = rows.width;
    const KeySpan* const spans = worker.spans.data();
    const std::size_t span_count = worker.spans.size();
    const auto span_first = static_cast<std::ptrdiff_t>(spans->first);
    const std::size_t span_last = spans->last;
    const std::uint32_t span_gap = rows.gap(spans->first);
    const auto x_column = static_cast<std::ptrdiff_t>(plan.x);
    const std::uint32_t x_gap = rows.gap(plan.x);
    const bool has_row_filters = !plan.row_filters.empty();
    const bool has_states = !plan.states.empty();
    const double least_y = least_plain_y(plan);
    RawTable::View keys = worker.raw_keys.view();
    RawTable::View xs = worker.raw_xs.view();
    Worker::Batch& batch = worker.batch;
    std::size_t batched = 0;
    std::uint64_t filtered = 0;
    std::uint64_t unusual = 0;
    worker.not_scanned.clear();
    worker.ys.resize(rows.count);
    plain_decimals({begin, rows.ends + plan.y, width, rows.gap(plan.y)}, rows.count,
                   worker.ys.data());

    const std::uint32_t* ends = rows.ends;
    const std::uint32_t* const stop = ends + rows.count * width;
    const double* next_y = worker.ys.data();
    for (; ends < stop; ends += width) {
      const double y = *next_y++;
      if (has_row_filters) [[unlikely]] {
        const std::uint32_t out = row_filters_of(rows, ends, plan);
        if (out != 0) {
          filtered += out == kFiltered ? 1 : 0;
          unusual += out == kFiltered ? 0 : 1;
          worker.not_scanned.push_back(ends);
          if (out != kFiltered) take_indexed_row(rows, ends, worker);
          continue;
        }
      }
      if (has_states && run_may_have_failed(rows, ends, worker)) [[unlikely]] {
        ++unusual;
        worker.not_scanned.push_back(ends);
        take_indexed_row(rows, ends, worker);
        continue;
      }
      RawKey<kVectors> raw;
      bool fits;
      if constexpr (kOneSpan) {
        const std::uint32_t from = ends[span_first - 1] + span_gap;
        fits = raw.take(begin + from, ends[span_last] - from, 0, kVectors);
      } else {
        fits = true;
        std::size_t at = 0;
        for (std::size_t i = 0; i < span_count; ++i) {
          const std::uint32_t from =
              ends[static_cast<std::ptrdiff_t>(spans[i].first) - 1] + rows.gap(spans[i].first);
          fits &= raw.take(begin + from, ends[spans[i].last] - from, at, spans[i].vectors);
          at += spans[i].vectors;
        }
      }
      std::uint32_t key = kUnusual;
      if (fits) [[likely]] {
        key = keys.find(raw);
        if (key == RawTable::kAbsent) [[unlikely]] {
          const auto text_of = [&](std::size_t column) { return rows.field(ends, column); };
          key = kJoint ? learn_pair(text_of, worker) : learn_group(text_of, worker);
          worker.raw_keys.insert(raw, key);
          keys = worker.raw_keys.view();
        }
      }
      std::uint32_t x = 0;
      if constexpr (!kJoint) {
        const std::uint32_t from = ends[x_column - 1] + x_gap;
        RawKey<1> raw_x;
        x = kUnusual;
        if (raw_x.take(begin + from, ends[x_column] - from, 0, 1)) [[likely]] {
          x = xs.find(raw_x);
          if (x == RawTable::kAbsent && key >= kUnusual) [[unlikely]] {
            x = key;  // How its x is written matters to nobody.
          } else if (x == RawTable::kAbsent) [[unlikely]] {
            x = learn_x(rows.field(ends, plan.x), worker);
            worker.raw_xs.insert(raw_x, x);
            xs = worker.raw_xs.view();
          }
        }
      }
      // Filtered and unusual indices are the largest ones. A y that is no plain decimal is NaN.
      if (key >= kUnusual || (!kJoint && x >= kUnusual) || !(y >= least_y)) [[unlikely]] {
        const bool out = key == kFiltered || x == kFiltered;
        filtered += out ? 1 : 0;
        unusual += out ? 0 : 1;
        worker.not_scanned.push_back(ends);
        if (!out) take_indexed_row(rows, ends, worker);
        continue;
      }
      batch.keys[batched] = key;
      if constexpr (!kJoint) batch.xs[batched] = x;
      batch.ys[batched] = y;
      if (++batched == GroupStore::kMostBatch) {
        worker.store_batch(kJoint, batched);
        batched = 0;
      }
    }
    worker.store_batch(kJoint, batched);
    worker.tally.counts.read += rows.count - unusual;  // take_indexed_row counts its own.
    worker.tally.counts.used += rows.count - unusual - filtered;
    worker.tally.counts.filtered += filtered;
  }

  // What follows is rare, and inside the hot loop it would take registers from it.

  /// Takes a row that the scan leaves to the tokenizer. Makes room for overlong fields.
  [[gnu::noinline]] void take_indexed_row(const IndexedRows& rows, const std::uint32_t* ends,
                                          Worker& worker) const {
    worker.make_room([&](std::size_t column) { return rows.field(ends, column).size(); });
    take_row(rows.block, rows.field_begin(ends, 0), rows.begin + ends[rows.width - 1], worker);
  }

  /// What the filters on other columns than group columns and x say of a row: 0 if all hold, else
  /// kFiltered or kUnusual.
  [[gnu::noinline]] std::uint32_t row_filters_of(const IndexedRows& rows, const std::uint32_t* ends,
                                                 const TablePlan& plan) const {
    std::uint32_t out = 0;
    for (const std::size_t i : plan.row_filters) {
      out = std::max(out, filter_of(i, rows.field(ends, plan.filters[i])));
    }
    return out;
  }

  /// What a filter says of a cell: 0 if it holds, else kFiltered or kUnusual.
  std::uint32_t filter_of(std::size_t filter, std::string_view cell) const {
    if (filters_[filter].refuses(cell)) return kUnusual;
    return filters_[filter].holds(cell) ? 0 : kFiltered;
  }

  /// The least y that needs no second look: zero only if no logarithm is taken, and none if bare
  /// numbers lack the unit that other cells have.
  double least_plain_y(const TablePlan& plan) const {
    if (plan.y_format.unit_in_cells) return kInfinity;
    return options_.logarithmic_y ? std::numeric_limits<double>::denorm_min() : 0.0;
  }

  /// Whether the tokenizer has to look at the states of a row. The last good states are known.
  [[gnu::noinline]] static bool run_may_have_failed(const IndexedRows& rows,
                                                    const std::uint32_t* ends, Worker& worker) {
    const auto& states = worker.plan->states;
    worker.good_states.resize(states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      const std::string_view state = rows.field(ends, states[i].place);
      if (state == worker.good_states[i]) continue;
      if (tells_failure(states[i].kind, state)) return true;
      worker.good_states[i] = state;
    }
    return false;
  }

  /// Finds what a raw key of group columns and x means: a pair, kFiltered or kUnusual.
  /// @param text_of  The text of the row in a column.
  template <class TextOf>
  [[gnu::noinline]] std::uint32_t learn_pair(const TextOf& text_of, Worker& worker) const {
    const std::uint32_t group = learn_group(text_of, worker);
    if (group >= kUnusual) return group;  // How its x is written matters to nobody.
    const std::uint32_t x = learn_x(text_of(worker.plan->x), worker);
    if (x >= kUnusual) return x;
    return worker.store->add_pair(group, x);
  }

  /// Finds what the group columns of a row mean: a group, kFiltered or kUnusual.
  template <class TextOf>
  [[gnu::noinline]] std::uint32_t learn_group(const TextOf& text_of, Worker& worker) const {
    const TablePlan& plan = *worker.plan;
    std::uint32_t group = 0;
    worker.key.clear();
    for (const std::size_t column : plan.by) {
      const std::string_view text = text_of(column);
      if (is_missing(text) || !text_defect(text).empty() || text.ends_with('\r'))
        group = std::max(group, kUnusual);
      for (std::size_t i = 0; i < filters_.size(); ++i) {
        if (plan.filters[i] == column) group = std::max(group, filter_of(i, text));
      }
      worker.key += text;
      worker.key += GroupStore::kKeyEnd;
    }
    if (group != 0) return group;
    // A worker meets many groups only once, so their keys are not kept twice. A group that was
    // found twice, with and without quotes, is merged in the end.
    return worker.joint ? worker.keys.group_of(worker.key) : worker.store->add_group(worker.key);
  }

  /// Finds what the x of a row means: an x, kFiltered or kUnusual.
  [[gnu::noinline]] std::uint32_t learn_x(std::string_view text, Worker& worker) const {
    const TablePlan& plan = *worker.plan;
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      if (plan.filters[i] == plan.x) out = std::max(out, filter_of(i, text));
    }
    if (out != 0) return out;
    if (!options_.has_x) return worker.keys.index_of_x(1);
    const CellNumber number = number_in_cell(text, plan.x_format, options_.logarithmic_x);
    if (!number.defect.empty() || number.mixed) return kUnusual;
    if (number.form != CellForm::kPlain) {
      worker.tally.note_reading(plan.names[plan.x], text, number, plan.x_format);
    }
    return worker.keys.index_of_x(number.value);
  }

  // ---- tables in memory

  /// The group columns, and x at the end.
  static std::vector<std::size_t> key_columns(const TablePlan& plan) {
    std::vector<std::size_t> columns = plan.by;
    columns.push_back(plan.x);
    return columns;
  }

  /// Finds what a batch of rows stands for, in `worker.batch.keys`: pairs, kFiltered or kUnusual.
  /// Returns whether all are pairs.
  template <std::size_t kVectors>
  bool find_column_pairs(const ColumnRows& rows, std::int64_t first, std::size_t count,
                         Worker& worker) const {
    ColumnKeys& keys = worker.column_keys;
    keys.take(first, count);
    const std::size_t key_count = keys.count();
    RawTable::View known = worker.column_pairs.view();
    const bool has_grid = worker.column_grid.is_used();
    const std::size_t code = keys.code_place();
    std::uint32_t greatest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t key = kUnusual;
      std::uint32_t* kept = nullptr;
      if (has_grid && !keys.lacks(i)) [[likely]] {
        kept = worker.column_grid.find(keys.at(code, i), keys.at(1 - code, i));
      }
      if (kept != nullptr && *kept != KeyGrid::kUnknown) [[likely]] {
        key = *kept;
      } else if (!keys.lacks(i)) {
        RawKey<kVectors> raw;
        for (std::size_t v = 0; v < kVectors; ++v) {
          raw.bytes[v] =
              KeyBytes{keys.at(2 * v, i), 2 * v + 1 < key_count ? keys.at(2 * v + 1, i) : 0};
        }
        key = known.find(raw);
        if (key == RawTable::kAbsent) [[unlikely]] {
          key = learn_column_pair(rows, first + static_cast<std::int64_t>(i), worker);
          worker.column_pairs.insert(raw, key);
          known = worker.column_pairs.view();
        }
        if (kept != nullptr) *kept = key;
      }
      worker.batch.keys[i] = key;
      greatest = std::max(greatest, key);
    }
    return greatest < kUnusual;
  }

  /// Whether all responses of a batch are there and can be taken as they are.
  static bool are_plain(const ColumnPlace& place, std::int64_t first, std::span<const double> ys,
                        double least_y) {
    std::size_t plain = 0;  // Counted, and not asked one by one: that takes several at a time.
    for (const double y : ys) {
      plain += static_cast<std::size_t>(static_cast<unsigned>(y >= least_y) &
                                        static_cast<unsigned>(y < kInfinity));
    }
    bool all = plain == ys.size();
    if (!all || place.chunk->valid.bits == nullptr) return all;
    for (std::size_t i = 0; i < ys.size(); ++i) {
      all &= place.chunk->valid[place.row + first + static_cast<std::int64_t>(i)];
    }
    return all;
  }

  /// As scan_rows_of: rows whose group and x were met before need no text.
  template <std::size_t kVectors>
  void take_columns_of(const ColumnRows& rows, Worker& worker) const {
    const TablePlan& plan = *worker.plan;
    const ColumnPlace& y_place = rows.columns[plan.y];
    const double* const ys =
        static_cast<const double*>(y_place.chunk->values) + y_place.chunk->offset + y_place.row;
    const double least_y = least_plain_y(plan);
    std::uint64_t filtered = 0;
    std::uint64_t missing = 0;
    std::uint64_t unusual = 0;
    for (std::int64_t first = 0; first < rows.count; first += ColumnKeys::kMostRows) {
      const auto count = static_cast<std::size_t>(
          std::min<std::int64_t>(ColumnKeys::kMostRows, rows.count - first));
      const bool all_are_pairs = find_column_pairs<kVectors>(rows, first, count, worker);
      if (all_are_pairs && are_plain(y_place, first, {ys + first, count}, least_y)) [[likely]] {
        worker.store->add_pairs(worker.batch.keys.data(), ys + first, count);
        continue;
      }
      std::size_t batched = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t row = first + static_cast<std::int64_t>(i);
        const std::uint32_t key = worker.batch.keys[i];
        const double y = ys[row];
        const bool has_y = y_place.chunk->valid[y_place.row + row] && !std::isnan(y);
        if (key < kUnusual && has_y && y >= least_y && y < kInfinity) [[likely]] {
          worker.batch.keys[batched] = key;
          worker.batch.ys[batched] = y;
          ++batched;
        } else if (key == kFiltered) {
          ++filtered;
        } else if (key < kUnusual && !has_y) {
          ++missing;
        } else {
          ++unusual;
          take_column_row(rows, row, worker);
        }
      }
      worker.store_batch(true, batched);
    }
    const auto count = static_cast<std::uint64_t>(rows.count);
    worker.tally.counts.read += count - unusual;  // take_column_row counts its own.
    worker.tally.counts.used += count - unusual - filtered - missing;
    worker.tally.counts.filtered += filtered;
    worker.tally.counts.missing += missing;
    if (missing > 0) worker.tally.note_missing(plan.names[plan.y], missing);
  }

  [[gnu::noinline]] std::uint32_t learn_column_pair(const ColumnRows& rows, std::int64_t row,
                                                    Worker& worker) const {
    std::string scratch;
    const auto text_of = [&](std::size_t column) {
      const ColumnPlace& place = rows.columns[column];
      return trimmed(place.chunk->text(place.row + row, scratch));
    };
    return learn_pair(text_of, worker);
  }

  /// Hands the text of a row to the tokenizer.
  [[gnu::noinline]] void take_column_row(const ColumnRows& rows, std::int64_t row,
                                         Worker& worker) const {
    const TablePlan& plan = *worker.plan;
    std::vector<ColumnPlace> places = rows.columns;
    for (ColumnPlace& place : places) place.row += row;
    std::vector<bool> kept(places.size(), false);
    for (const std::size_t column : plan.used()) kept[column] = true;
    std::string scratch;
    std::string& text = worker.column_row;
    text.clear();
    append_csv_row(places, kept, scratch, text);
    const std::uint64_t number = rows.first + static_cast<std::uint64_t>(row);
    const char* const end = text.data() + text.size() - 1;  // The row is without its line feed.
    const RowBlock block{text.data(), end, rows.file, number, number + 2};
    take_row(block, block.begin, end, worker);
  }

  // ---- rows of any form

  void take_lines(const RowBlock& block, const char* begin, const char* end, Worker& worker) const {
    for_each_row(
        begin, end, [&](const char* row, const char* stop) { take_row(block, row, stop, worker); },
        [&](const char* line, const char* stop) {
          worker.tally.note_comment(line, stop, worker.plan->separator, worker.plan->width());
        });
  }

  void take_row(const RowBlock& block, const char* begin, const char* end, Worker& worker) const {
    worker.tally.take(options_.skip_bad_rows, worker.fields,
                      [&] { read_row(block, begin, end, worker); });
  }

  void read_row(const RowBlock& block, const char* begin, const char* end, Worker& worker) const {
    const TablePlan& plan = *worker.plan;
    RowFields& row = worker.fields;
    row.read(block, begin, end, plan.separator, plan.names);
    if (!row.fulfils(filters_, plan.filters, plan.y_format.decimal)) {
      ++worker.tally.counts.filtered;
      return;
    }
    if (plan.job && worker.steps.set_aside(row, *plan.job, block, begin, end, paths_.size() > 1)) {
      --worker.tally.counts.read;
      return;
    }
    if (row.failed(plan.states, worker.tally)) return;
    if (!options_.keep_failed && row.failed_in_place_of(plan.y, worker.tally)) return;
    if (const auto column = column_without_value(plan, row, worker.tally)) {
      ++worker.tally.counts.missing;
      worker.tally.note_missing(plan.names[*column]);
      return;
    }
    worker.key.clear();
    for (const std::size_t column : plan.by) {
      worker.key += row.name(column);
      worker.key += GroupStore::kKeyEnd;
    }
    const double x = options_.has_x
                         ? row.number(plan.x, plan.x_format, options_.logarithmic_x, worker.tally)
                         : 1;
    RowValues values;
    values.y = row.number(plan.y, plan.y_format, options_.logarithmic_y, worker.tally);
    NumberFormat bare = plan.y_format;
    bare.unit.clear();
    bare.unit_in_cells = false;
    if (plan.weights) values.weight = row.number(*plan.weights, bare, true, worker.tally);
    if (plan.is_product()) {
      const auto value = [&](std::size_t column) {
        return column == plan.x ? x : row.number(column, bare, true, worker.tally);
      };
      if (plan.inverse) values.y = 1 / values.y;
      for (const std::size_t column : plan.factors) values.y *= value(column);
      for (const std::size_t column : plan.divisors) values.y /= value(column);
    }
    if (plan.run) values.run = worker.keys.kept_run(row.name(*plan.run));
    const std::uint32_t group = worker.keys.group_of(worker.key);
    const std::uint32_t x_index = worker.keys.index_of_x(x);
    if (plain_values_) {
      worker.store->add(group, x_index, values.y);
    } else {
      worker.store->add_full(group, x_index, values);
    }
    if (plan.unused_run && !row.missing(*plan.unused_run)) {
      run_ids_->add(worker.number, row.text(*plan.unused_run));
    }
    ++worker.tally.counts.used;
  }

  std::vector<std::string> paths_;
  RunOptions options_;
  Reading reading_;
  std::vector<RowFilter> filters_;
  TableProfile profile_;
  bool plain_values_;  ///< There are no runs or weights: a row is (group, x, y).
  std::optional<ChosenColumns> columns_;
  std::optional<std::pair<NumberFormat, NumberFormat>> formats_;  ///< Of the first table, x and y.
  std::vector<std::string> layouts_;  ///< What is told of unusual layouts.
  std::vector<std::size_t> longest_;  ///< Longest field of each column in a sample; sizes raw keys.
  std::vector<TablePlan> plans_;      ///< One per path.
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<RunIds> run_ids_;
};

}  // namespace

ScannedRuns scan_runs(const std::vector<std::string>& paths, const RunOptions& options, int threads,
                      Ranks* ranks) {
  return scan_as_written(paths, ranks, [&](const Reading& reading) {
    RunScanner scanner(paths, options, threads, reading);
    scan_tables(paths, threads, options, scanner, ranks);
    return scanner.finish();
  });
}

}  // namespace scalelaw
