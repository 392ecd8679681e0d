#include "run_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "base/decimal.hpp"
#include "input/separators.hpp"
#include "raw_table.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kScanBytes = 16 << 10;    // Rows indexed at a time: the index stays in the first-level cache.
constexpr std::size_t kMostKeyWords = 8;
constexpr std::size_t kMostFieldWords = 4;      // Longer group fields go through the tokenizer.
constexpr std::size_t kSampleRows = 200;
constexpr std::size_t kMostBadRowsShown = 5;
constexpr std::size_t kBatchRows = 256;

// In place of a group or x index: ...
constexpr std::uint32_t kFiltered = RawTable::kAbsent - 1;  // ... a condition does not hold,
constexpr std::uint32_t kUnusual = RawTable::kAbsent - 2;   // ... or the tokenizer has to look at it each time.

std::string_view view(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

/// A field that is no valid text for a name, as the message says it; empty if it is valid.
std::string text_defect(std::string_view text) {
  if (!is_utf8(text)) return "invalid UTF-8";
  if (text.find('\0') != std::string_view::npos) return "control character (NUL)";
  if (text.find(GroupStore::kKeyEnd) != std::string_view::npos) return "control character (0x1f)";
  return {};
}

/// The number in a cell, or why it cannot be used.
struct CellNumber {
  double value = 0;
  std::string defect;
};

CellNumber number_in_cell(std::string_view text, std::string_view unit, bool positive) {
  text = trimmed(text);
  auto value = parse_number(text);
  if (!value) {
    const auto quantity = parse_quantity(text);
    if (quantity && quantity->unit != unit) {
      const std::string expected = unit.empty() ? "a number without unit" : fmt::format("the unit {}", unit);
      return {0, fmt::format("expected {}, found {}", expected, quoted(text))};
    }
    if (quantity) value = quantity->value;
  }
  if (!value) {
    return {0, fmt::format("expected a {}number, found {}", is_infinite(text) ? "finite " : "", quoted(text))};
  }
  if (positive && !(*value > 0)) return {0, fmt::format("expected a number > 0, found {}", quoted(text))};
  return {*value, {}};
}

}  // namespace

/// What one thread has read.
struct RunScanner::Worker {
  Worker(bool keep_points, bool logarithmic) : store(std::make_unique<GroupStore>(keep_points, logarithmic)) {
    raw_xs.reset(1);
  }

  const TablePlan* plan = nullptr;  ///< Of the block at hand.
  std::unique_ptr<GroupStore> store;
  RawTable raw_groups;
  RawTable raw_xs;
  std::vector<std::size_t> key_words;    ///< Of raw_groups.
  std::vector<std::size_t> wanted_words; ///< As fields met since need them.
  std::unordered_map<std::string, std::uint32_t> groups;  ///< By key text: what the tokenizer found.
  std::unordered_map<double, std::uint32_t> xs;
  std::unordered_set<std::string_view> runs;
  RowCounts counts;
  std::vector<BadRow> bad_rows;
  std::vector<std::uint32_t> index;      ///< Separator offsets; one place before the first for "row begin - 1".
  std::vector<std::string_view> fields;  ///< Scratch of the tokenizer path.
  std::string scratch;
  std::string key;

  std::uint32_t group_of_key(const std::string& text) {
    const auto [place, is_new] = groups.try_emplace(text, 0);
    if (is_new) place->second = store->add_group(text);
    return place->second;
  }
  std::uint32_t index_of_x(double x) {
    const auto [place, is_new] = xs.try_emplace(x, 0);
    if (is_new) place->second = store->add_x(x);
    return place->second;
  }
  std::string_view kept_run(std::string_view text) {
    const auto found = runs.find(text);
    return found != runs.end() ? *found : *runs.insert(store->keep(text)).first;
  }
  void use_key_words(const std::vector<std::size_t>& words) {
    key_words = words;
    wanted_words = words;
    std::size_t sum = 0;
    for (const std::size_t n : words) sum += n;
    raw_groups.reset(std::max<std::size_t>(sum, 1));
  }
};

RunScanner::RunScanner(std::vector<std::string> paths, const RunOptions& options, int workers)
    : paths_(std::move(paths)),
      options_(options),
      plain_values_(options.run.empty() && options.weights.empty()),
      plans_(paths_.size()),
      workers_(static_cast<std::size_t>(workers)) {
  for (const auto& condition : options.where) filters_.emplace_back(condition);
  restart();
}

RunScanner::~RunScanner() = default;

void RunScanner::restart() {
  for (auto& worker : workers_) {
    worker = std::make_unique<Worker>(options_.keep_points, options_.logarithmic_y);
    worker->use_key_words(key_words_);
  }
}

// ---- columns

void RunScanner::open_table(std::size_t file, const Header& header, std::string_view sample) {
  const std::string source = paths_[file] == "-" ? "standard input" : paths_[file];
  if (!columns_) choose(header, sample, source);
  plans_[file] = plan_for(header, source);
}

void RunScanner::choose(const Header& header, std::string_view sample, std::string_view source) {
  columns_ = choose_columns(header, options_, source);
  const TablePlan plan = plan_for(header, source);
  x_unit_ = column_label(plan.names[plan.x]).unit;
  y_unit_ = column_label(plan.names[plan.y]).unit;
  size_keys(plan, sample);
  for (auto& worker : workers_) worker->use_key_words(key_words_);
}

RunScanner::TablePlan RunScanner::plan_for(const Header& header, std::string_view source) const {
  TablePlan plan;
  plan.separator = header.separator;
  plan.names = header.names;
  plan.x = required_column(header, columns_->x, source);
  plan.y = required_column(header, columns_->y, source);
  for (const auto& name : columns_->by) plan.by.push_back(required_column(header, name, source));
  if (!columns_->run.empty()) plan.run = required_column(header, columns_->run, source);
  if (!columns_->weights.empty()) plan.weights = required_column(header, columns_->weights, source);
  for (const auto& filter : filters_) plan.filters.push_back(required_column(header, filter.column(), source));
  return plan;
}

/// Looks at the first rows: how long group fields are, and which unit stands in cells of columns that name none.
void RunScanner::size_keys(const TablePlan& plan, std::string_view sample) {
  std::vector<std::size_t> longest(plan.by.size(), 0);
  std::vector<std::string_view> fields;
  bool first = true;
  for (std::size_t row = 0, at = 0; row < kSampleRows && at < sample.size(); ++row) {
    const std::size_t length = row_end(sample.substr(at));
    if (length == std::string_view::npos) break;
    const std::string_view line = sample.substr(at, length);
    at += length + 1;
    if (is_skipped_line(line.data(), line.data() + line.size())) continue;
    tokenize(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line, plan.separator, fields);
    if (fields.size() != plan.width()) continue;
    for (std::size_t i = 0; i < plan.by.size(); ++i) longest[i] = std::max(longest[i], fields[plan.by[i]].size());
    const auto adopt_unit = [&](std::string& unit, std::string_view cell) {
      if (const auto quantity = parse_quantity(cell); quantity && unit.empty()) unit = quantity->unit;
    };
    if (first) {
      adopt_unit(x_unit_, fields[plan.x]);
      adopt_unit(y_unit_, fields[plan.y]);
    }
    first = false;
  }
  key_words_.clear();
  for (const std::size_t length : longest) key_words_.push_back(std::min(length / 8 + 1, kMostFieldWords));
}

// ---- plain rows

const char* RunScanner::take_plain(const RowBlock& block, int worker_index) {
  Worker& worker = *workers_[static_cast<std::size_t>(worker_index)];
  worker.plan = &plans_[block.file];
  if (worker.wanted_words != worker.key_words) worker.use_key_words(std::vector(worker.wanted_words));
  for (const char* at = block.begin; at < block.end;) {
    const char* end = block.end;
    if (static_cast<std::size_t>(end - at) > kScanBytes) {
      const void* line_feed = memrchr(at, '\n', kScanBytes);
      if (line_feed == nullptr) line_feed = std::memchr(at + kScanBytes, '\n', static_cast<std::size_t>(end - at) - kScanBytes);
      end = static_cast<const char*>(line_feed) + 1;
    }
    const auto length = static_cast<std::size_t>(end - at);
    if (worker.index.size() < length + 65) worker.index.resize(length + 65);
    worker.index[0] = ~std::uint32_t{0};
    const SeparatorIndex seen = index_separators(at, length, worker.plan->separator, worker.index.data() + 1);
    if (seen.quotes) return at;
    const std::size_t width = worker.plan->width();
    bool regular = seen.count == seen.line_feeds * width && worker.raw_groups.words() <= kMostKeyWords;
    // Every width-th separator is a line feed, so no other one is; no line is a comment; none is empty.
    for (std::size_t row = 0; regular && row < seen.line_feeds; ++row) {
      const std::uint32_t* const ends = worker.index.data() + 1 + row * width;
      const char* const begin = at + (ends[-1] + 1);
      regular = at[ends[width - 1]] == '\n' && *begin != '#' && *begin != '\n' && *begin != '\r';
    }
    if (regular) {
      scan_rows(block, at, seen.line_feeds, worker);
    } else {
      take_lines(block, at, end, worker);
    }
    at = end;
  }
  return block.end;
}

void RunScanner::scan_rows(const RowBlock& block, const char* begin, std::size_t rows, Worker& worker) const {
  switch (worker.raw_groups.words()) {
    case 1:
      return scan_rows_of<1>(block, begin, rows, worker);
    case 2:
      return scan_rows_of<2>(block, begin, rows, worker);
    case 3:
      return scan_rows_of<3>(block, begin, rows, worker);
    case 4:
      return scan_rows_of<4>(block, begin, rows, worker);
    case 5:
      return scan_rows_of<5>(block, begin, rows, worker);
    case 6:
      return scan_rows_of<6>(block, begin, rows, worker);
    case 7:
      return scan_rows_of<7>(block, begin, rows, worker);
    default:
      return scan_rows_of<8>(block, begin, rows, worker);
  }
}

/// Rows whose separators are indexed. No branch depends on the width of a field, none on its value: what is unusual
/// about a row goes to take_row.
template <std::size_t kWords>
void RunScanner::scan_rows_of(const RowBlock& block, const char* begin, std::size_t rows, Worker& worker) const {
  const TablePlan& plan = *worker.plan;
  const std::size_t width = plan.width();
  const std::size_t last = width - 1;
  const std::size_t group_fields = plan.by.size();
  const std::size_t* const by = plan.by.data();
  const std::size_t* const field_words = worker.key_words.data();
  const bool positive = options_.logarithmic_y;
  std::array<std::uint32_t, kBatchRows> groups;
  std::array<std::uint32_t, kBatchRows> xs;
  std::array<double, kBatchRows> ys;
  std::size_t batch = 0;
  std::uint64_t filtered = 0;
  std::uint64_t taken = 0;
  const auto flush = [&] {
    for (std::size_t i = 0; i < batch; ++i) worker.store->add(groups[i], xs[i], ys[i]);
    taken += batch;
    batch = 0;
  };
  // Conditions on group columns and x are looked at once a value, the others once a row.
  std::vector<std::size_t> row_filters;
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const std::size_t column = plan.filters[i];
    if (column != plan.x && std::find(by, by + group_fields, column) == by + group_fields) row_filters.push_back(i);
  }

  const std::uint32_t* ends = worker.index.data() + 1;
  for (std::size_t row = 0; row < rows; ++row, ends += width) {
    const auto field_begin = [&](std::size_t column) { return begin + (ends[column - 1] + 1); };
    const auto field_end = [&](std::size_t column) {
      const char* const end = begin + ends[column];
      return column == last && end[-1] == '\r' && end > field_begin(column) ? end - 1 : end;
    };
    const char* const row_begin = field_begin(0);
    const auto take_carefully = [&] { take_row(block, row_begin, begin + ends[last], worker); };

    if (!row_filters.empty()) [[unlikely]] {
      const auto holds = [&](std::size_t i) {
        return filters_[i].holds(view(field_begin(plan.filters[i]), field_end(plan.filters[i])));
      };
      if (!std::all_of(row_filters.begin(), row_filters.end(), holds)) {
        ++filtered;
        continue;
      }
    }

    std::array<std::uint64_t, kWords> key{};
    std::size_t word = 0;
    bool too_long = false;
    for (std::size_t i = 0; i < group_fields; ++i) {
      const char* const field = field_begin(by[i]);
      const std::int64_t length = field_end(by[i]) - field;
      const std::size_t words = field_words[i];
      for (std::size_t w = 0; w < words; ++w) key[word + w] = field_word(field + 8 * w, length - static_cast<std::int64_t>(8 * w));
      word += words;
      key[word - 1] |= static_cast<std::uint64_t>(length) << 56;
      too_long |= length >= static_cast<std::int64_t>(8 * words);
    }
    const char* const x_field = field_begin(plan.x);
    const std::int64_t x_length = field_end(plan.x) - x_field;
    const std::uint64_t x_word = field_word(x_field, x_length) | static_cast<std::uint64_t>(x_length) << 56;
    if (too_long || x_length >= 8) [[unlikely]] {
      for (std::size_t i = 0; i < group_fields; ++i) {
        const auto needed = static_cast<std::size_t>(field_end(by[i]) - field_begin(by[i])) / 8 + 1;
        if (needed <= kMostFieldWords) worker.wanted_words[i] = std::max(worker.wanted_words[i], needed);
      }
      take_carefully();
      continue;
    }
    std::uint32_t x = worker.raw_xs.find<1>(&x_word);
    if (x == RawTable::kAbsent) [[unlikely]] x = learn_x(x_word, view(x_field, x_field + x_length), worker, plan);
    std::uint32_t group = worker.raw_groups.find<kWords>(key.data());
    if (group == RawTable::kAbsent) [[unlikely]] group = learn_group<kWords>(key.data(), begin, ends, worker, plan);

    const double y = plain_decimal(field_begin(plan.y), field_end(plan.y));
    // Filtered and unusual indices are the largest ones.
    if (std::max(x, group) >= kUnusual || !plain_values_ || !(positive ? y > 0 : y >= 0)) [[unlikely]] {
      if (x == kFiltered || group == kFiltered) {
        ++filtered;
      } else {
        take_carefully();
      }
      continue;
    }
    groups[batch] = group;
    xs[batch] = x;
    ys[batch] = y;
    if (++batch == kBatchRows) flush();
  }
  flush();
  worker.counts.read += taken + filtered;
  worker.counts.used += taken;
  worker.counts.filtered += filtered;
}

/// Stores what a group's raw key stands for: a group, kFiltered or kUnusual.
template <std::size_t kWords>
std::uint32_t RunScanner::learn_group(const std::uint64_t* key, const char* begin, const std::uint32_t* ends,
                                      Worker& worker, const TablePlan& plan) const {
  const auto text_of = [&](std::size_t column) {
    const char* const end = begin + ends[column];
    const std::string_view text = view(begin + (ends[column - 1] + 1), end);
    return trimmed(column + 1 == plan.width() && text.ends_with('\r') ? text.substr(0, text.size() - 1) : text);
  };
  std::uint32_t group = 0;
  worker.key.clear();
  for (const std::size_t column : plan.by) {
    const std::string_view text = text_of(column);
    if (is_missing(text) || !text_defect(text).empty()) group = kUnusual;
    worker.key += text;
    worker.key += GroupStore::kKeyEnd;
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      if (plan.filters[i] == column && !filters_[i].holds(text)) group = std::max(group, kFiltered);
    }
  }
  if (group == 0) group = worker.groups.empty() ? worker.store->add_group(worker.key) : worker.group_of_key(worker.key);
  worker.raw_groups.insert<kWords>(key, group);
  return group;
}

std::uint32_t RunScanner::learn_x(std::uint64_t word, std::string_view text, Worker& worker,
                                  const TablePlan& plan) const {
  std::uint32_t index = kUnusual;
  const CellNumber number = number_in_cell(text, x_unit_, options_.logarithmic_x);
  if (number.defect.empty()) index = worker.index_of_x(number.value);
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if (plan.filters[i] == plan.x && !filters_[i].holds(text)) index = kFiltered;
  }
  worker.raw_xs.insert<1>(&word, index);
  return index;
}

// ---- rows of any form

void RunScanner::take_quoted(const RowBlock& block, int worker_index) {
  Worker& worker = *workers_[static_cast<std::size_t>(worker_index)];
  worker.plan = &plans_[block.file];
  take_lines(block, block.begin, block.end, worker);
}

void RunScanner::take_lines(const RowBlock& block, const char* begin, const char* end, Worker& worker) const {
  while (begin < end) {
    const std::string_view rest = view(begin, end);
    const std::size_t found = *begin == '#' ? rest.find('\n') : row_end(rest);
    const char* const stop = found == std::string_view::npos ? end : begin + found;
    if (!is_skipped_line(begin, stop)) take_row(block, begin, stop, worker);
    begin = stop + 1;
  }
}

void RunScanner::take_row(const RowBlock& block, const char* begin, const char* end, Worker& worker) const {
  ++worker.counts.read;
  if (!options_.skip_bad_rows) return read_row(block, begin, end, worker);
  try {
    read_row(block, begin, end, worker);
  } catch (const RowDefect& defect) {
    ++worker.counts.bad;
    auto& rows = worker.bad_rows;
    rows.push_back({defect.file, defect.offset, defect.line, defect.what()});
    std::sort(rows.begin(), rows.end(), [](const BadRow& a, const BadRow& b) {
      return std::pair(a.file, a.offset) < std::pair(b.file, b.offset);
    });
    if (rows.size() > kMostBadRowsShown) rows.pop_back();
  }
}

void RunScanner::read_row(const RowBlock& block, const char* begin, const char* end, Worker& worker) const {
  const TablePlan& plan = *worker.plan;
  if (end > begin && end[-1] == '\r') --end;
  auto& fields = worker.fields;
  tokenize(view(begin, end), plan.separator, fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (const auto defect = field_defect(fields[i])) {
      throw RowDefect(block, begin, fmt::format("field {}: {}", i + 1, description_of(*defect)));
    }
  }
  if (fields.size() != plan.width()) {
    throw RowDefect(block, begin, fmt::format("expected {} fields, found {}", plan.width(), fields.size()));
  }
  const auto text_of = [&](std::size_t column) { return trimmed(field_text(fields[column], worker.scratch)); };
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if (!filters_[i].holds(text_of(plan.filters[i]))) {
      ++worker.counts.filtered;
      return;
    }
  }
  const auto missing = [&](std::size_t column) { return is_missing(text_of(column)); };
  if (missing(plan.x) || missing(plan.y) || (plan.run && missing(*plan.run)) ||
      (plan.weights && missing(*plan.weights)) || std::any_of(plan.by.begin(), plan.by.end(), missing)) {
    ++worker.counts.missing;
    return;
  }
  const auto refuse = [&](std::size_t column, const std::string& defect) {
    throw RowDefect(block, begin, fmt::format("field {} '{}': {}", column + 1, plan.names[column], defect));
  };
  const auto number = [&](std::size_t column, std::string_view unit, bool positive) {
    const CellNumber cell = number_in_cell(text_of(column), unit, positive);
    if (!cell.defect.empty()) refuse(column, cell.defect);
    return cell.value;
  };
  const auto name = [&](std::size_t column) {
    const std::string_view text = text_of(column);
    const std::string defect = text_defect(text);
    if (!defect.empty()) refuse(column, defect);
    return text;
  };
  worker.key.clear();
  for (const std::size_t column : plan.by) {
    worker.key += name(column);
    worker.key += GroupStore::kKeyEnd;
  }
  const double x = number(plan.x, x_unit_, options_.logarithmic_x);
  RowValues values;
  values.y = number(plan.y, y_unit_, options_.logarithmic_y);
  if (plan.weights) values.weight = number(*plan.weights, {}, true);
  if (plan.run) values.run = worker.kept_run(name(*plan.run));
  const std::uint32_t group = worker.group_of_key(worker.key);
  const std::uint32_t x_index = worker.index_of_x(x);
  if (plain_values_) {
    worker.store->add(group, x_index, values.y);
  } else {
    worker.store->add_full(group, x_index, values);
  }
  ++worker.counts.used;
}

// ---- results

RowCounts RunScanner::counts() const {
  RowCounts sum;
  for (const auto& worker : workers_) {
    sum.read += worker->counts.read;
    sum.used += worker->counts.used;
    sum.missing += worker->counts.missing;
    sum.bad += worker->counts.bad;
    sum.filtered += worker->counts.filtered;
  }
  return sum;
}

std::vector<BadRow> RunScanner::first_bad_rows() const {
  std::vector<BadRow> rows;
  for (const auto& worker : workers_) rows.insert(rows.end(), worker->bad_rows.begin(), worker->bad_rows.end());
  std::sort(rows.begin(), rows.end(), [](const BadRow& a, const BadRow& b) {
    return std::pair(a.file, a.offset) < std::pair(b.file, b.offset);
  });
  if (rows.size() > kMostBadRowsShown) rows.resize(kMostBadRowsShown);
  return rows;
}

std::vector<std::unique_ptr<GroupStore>> RunScanner::release_stores() {
  std::vector<std::unique_ptr<GroupStore>> stores;
  for (auto& worker : workers_) stores.push_back(std::move(worker->store));
  workers_.clear();
  return stores;
}

}  // namespace scalelaw
