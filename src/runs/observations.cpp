#include "scalelaw/runs/observations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "runs/arena.hpp"
#include "runs/job_steps.hpp"
#include "runs/row_reading.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {
namespace {

/// The texts of one column, each once.
class Dictionary {
 public:
  std::uint32_t index_of(std::string_view text) {
    if (last_ < texts_.size() && texts_[last_] == text) return last_;
    const auto found = indices_.find(text);
    if (found != indices_.end()) return last_ = found->second;
    last_ = static_cast<std::uint32_t>(texts_.size());
    texts_.push_back(arena_.copy(text));
    indices_.emplace(texts_.back(), last_);
    return last_;
  }
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  Arena arena_;
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, std::uint32_t> indices_;
  std::uint32_t last_ = 0;  ///< Neighbouring rows often agree.
};

/// The places of the fields in one table.
struct ObservedColumns {
  char separator = ',';
  std::vector<std::string> names;
  std::vector<std::size_t> labels;
  std::vector<std::size_t> numbers;
  std::vector<std::size_t> filters;
  std::vector<StateColumn> states;
  std::optional<JobColumns> job;      ///< Where rows are of jobs and of their steps.
  std::vector<NumberFormat> formats;  ///< By number.

  char decimal() const { return formats.empty() ? '.' : formats.front().decimal; }
};

/// The labels and numbers that one worker has read, row by row.
struct ObservationWorker {
  std::vector<Dictionary> dictionaries;  ///< One per label column.
  std::vector<std::uint32_t> labels;     ///< Row-major.
  std::vector<double> numbers;           ///< Row-major.
  std::vector<std::uint32_t> row_labels;
  RowTally tally;
  JobSteps steps;
  RowFields fields;
};

/// Reads labels and numbers of all rows, one worker per thread.
class ObservationScanner final : public RowConsumer {
 public:
  ObservationScanner(std::vector<std::string> paths, const ChooseColumns& choose,
                     const RowOptions& options, int workers, const Reading& reading)
      : paths_(std::move(paths)),
        choose_(choose),
        options_(options),
        reading_(reading),
        plans_(paths_.size()),
        workers_(static_cast<std::size_t>(workers)) {
    for (const auto& condition : options.where) filters_.emplace_back(condition);
    RunOptions rows;
    static_cast<RowOptions&>(rows) = options;
    profile_ = TableProfile(rows, ColumnProfile::kFewValues);
  }

  void open_table(std::size_t file, const Header& header, std::string_view sample) override {
    const std::string source = input_name(paths_[file]);
    profile_.take_sample(paths_, file, header, sample);
    if (!columns_) choose(header, source);
    ObservedColumns& plan = plans_[file] = plan_for(header, source);
    plan.formats = number_formats(header, sample, plan.numbers, options_, reading_, paths_[file]);
    if (formats_.empty()) formats_ = plan.formats;
    for (std::size_t i = 0; i < formats_.size(); ++i) {
      refuse_other_unit(name_with_unit(header, plan.numbers[i]), formats_[i].unit, source);
      plan.formats[i].unit = formats_[i].unit;
      plan.formats[i].unit_in_cells = formats_[i].unit_in_cells;
    }
    if (!plan.formats.empty()) tell_layout(header, plan.formats.front(), source, paths_, layouts_);
  }
  const char* take_plain(const RowBlock& block, int worker) override {
    take_quoted(block, worker);
    return block.end;
  }
  void take_quoted(const RowBlock& block, int index) override {
    ObservationWorker& worker = workers_[static_cast<std::size_t>(index)];
    take_lines(plans_[block.file], block, worker);
  }
  void take_lines(const ObservedColumns& plan, const RowBlock& block, ObservationWorker& worker) {
    if (worker.dictionaries.empty()) worker.dictionaries.resize(label_names_.size());
    const auto take = [&](const char* begin, const char* end) {
      worker.tally.take(options_.skip_bad_rows, worker.fields, [&] {
        worker.fields.read(block, begin, end, plan.separator, plan.names);
        take_row(plan, worker, block, begin, end);
      });
    };
    for_each_row(block.begin, block.end, take, [&](const char* begin, const char* end) {
      worker.tally.note_comment(begin, end, plan.separator, plan.names.size());
    });
  }
  void restart() override {
    for (ObservationWorker& worker : workers_) worker = ObservationWorker();
  }

  /// Takes the job steps whose jobs have no rows, when all rows were read.
  void settle_steps() {
    JobStepRows steps;
    for (ObservationWorker& worker : workers_) steps.add(worker.steps);
    steps.settle(workers_.front().tally, paths_, options_.layout, [&](const RowBlock& block) {
      ObservedColumns plan = plans_[block.file];
      plan.job.reset();
      take_lines(plan, block, workers_.front());
    });
  }

  ObservationColumns& columns() { return *columns_; }
  std::vector<std::string> units() const {
    std::vector<std::string> units;
    for (const NumberFormat& format : formats_) units.push_back(format.unit);
    return units;
  }
  const std::vector<std::string>& layouts() const { return layouts_; }
  TableProfile& profile() { return profile_; }
  std::vector<ObservationWorker>& workers() { return workers_; }

 private:
  void choose(const Header& header, std::string_view source) {
    columns_ = choose_(header, source, profile_);
    std::erase_if(columns_->by, [&](const std::string& name) {
      return std::ranges::find(columns_->factors, name) != columns_->factors.end();
    });
    columns_->by.insert(columns_->by.end(), columns_->factors.begin(), columns_->factors.end());
    label_names_ = columns_->by;
    if (!columns_->run.empty()) label_names_.push_back(columns_->run);
  }

  ObservedColumns plan_for(const Header& header, std::string_view source) const {
    ObservedColumns plan;
    plan.separator = header.separator;
    plan.names = header.names;
    const auto place = [&](const std::string& name) {
      return required_column(header, name, source);
    };
    for (const auto& name : label_names_) plan.labels.push_back(place(name));
    for (const auto& number : columns_->numbers) plan.numbers.push_back(place(number.name));
    for (const auto& filter : filters_) plan.filters.push_back(place(filter.column()));
    std::vector<std::size_t> used = plan.labels;
    used.insert(used.end(), plan.numbers.begin(), plan.numbers.end());
    used.insert(used.end(), plan.filters.begin(), plan.filters.end());
    if (!options_.keep_failed) plan.states = state_columns(header, used);
    const bool may_repeat = paths_.size() > 1 && is_of_slurm(header);
    if (profile_.has_job_steps() || may_repeat) plan.job = job_columns(header, used);
    return plan;
  }

  void take_row(const ObservedColumns& plan, ObservationWorker& worker, const RowBlock& block,
                const char* begin, const char* end) const {
    RowFields& row = worker.fields;
    if (!row.fulfils(filters_, plan.filters, plan.decimal())) {
      ++worker.tally.counts.filtered;
      return;
    }
    if (plan.job && worker.steps.set_aside(row, *plan.job, block, begin, end, paths_.size() > 1)) {
      --worker.tally.counts.read;
      return;
    }
    take_job(plan, worker);
  }

  void take_job(const ObservedColumns& plan, ObservationWorker& worker) const {
    RowFields& row = worker.fields;
    if (row.failed(plan.states, worker.tally) || failed_in_number(plan, worker)) return;
    if (const auto column = column_without_value(plan, worker)) {
      ++worker.tally.counts.missing;
      worker.tally.note_missing(plan.names[*column]);
      return;
    }
    worker.row_labels.clear();
    for (std::size_t i = 0; i < plan.labels.size(); ++i) {
      worker.row_labels.push_back(worker.dictionaries[i].index_of(row.name(plan.labels[i])));
    }
    const std::size_t first = worker.numbers.size();
    try {
      for (std::size_t i = 0; i < plan.numbers.size(); ++i) {
        const NumberColumn& column = columns_->numbers[i];
        const bool missing = !column.needed && row.lacks_number(plan.numbers[i], worker.tally);
        worker.numbers.push_back(missing ? std::numeric_limits<double>::quiet_NaN()
                                         : number_in(column, plan, i, worker));
      }
    } catch (const RowDefect&) {
      worker.numbers.resize(first);
      throw;
    }
    worker.labels.insert(worker.labels.end(), worker.row_labels.begin(), worker.row_labels.end());
    ++worker.tally.counts.used;
  }

  static double number_in(const NumberColumn& column, const ObservedColumns& plan, std::size_t i,
                          ObservationWorker& worker) {
    RowFields& row = worker.fields;
    return column.whole
               ? row.whole_number(plan.numbers[i], plan.formats[i], column.positive, worker.tally)
               : row.number(plan.numbers[i], plan.formats[i], column.positive, worker.tally);
  }

  bool failed_in_number(const ObservedColumns& plan, ObservationWorker& worker) const {
    if (options_.keep_failed) return false;
    for (std::size_t i = 0; i < plan.numbers.size(); ++i) {
      const bool needed = columns_->numbers[i].needed;
      if (needed && worker.fields.failed_in_place_of(plan.numbers[i], worker.tally)) return true;
    }
    return false;
  }

  /// The first needed column without a value in the row.
  std::optional<std::size_t> column_without_value(const ObservedColumns& plan,
                                                  ObservationWorker& worker) const {
    RowFields& row = worker.fields;
    for (std::size_t i = 0; i < plan.numbers.size(); ++i) {
      if (columns_->numbers[i].needed && row.lacks_number(plan.numbers[i], worker.tally)) {
        return plan.numbers[i];
      }
    }
    const auto label =
        std::ranges::find_if(plan.labels, [&](std::size_t column) { return row.missing(column); });
    return label == plan.labels.end() ? std::nullopt : std::optional(*label);
  }

  std::vector<std::string> paths_;
  const ChooseColumns& choose_;
  RowOptions options_;
  Reading reading_;
  std::vector<RowFilter> filters_;
  TableProfile profile_;
  std::optional<ObservationColumns> columns_;
  std::vector<std::string> label_names_;  ///< Group columns, then the run.
  std::vector<NumberFormat> formats_;     ///< Of the first table, by number.
  std::vector<std::string> layouts_;      ///< What is told of the first unusual layout.
  std::vector<ObservedColumns> plans_;
  std::vector<ObservationWorker> workers_;
};

/// A row while it is sorted, with its labels as one number.
struct RowKey {
  std::uint64_t labels = 0;
  double first = 0;  ///< The first number.
  std::uint32_t row = 0;
};

/// The texts of one label column in order. `ranks` translates each worker's own index of a text
/// into its place there.
struct RankedTexts {
  std::vector<std::string> texts;
  std::vector<std::vector<std::uint32_t>> ranks;  ///< By worker and index.
};

RankedTexts ranked_texts(const std::vector<ObservationWorker>& workers, std::size_t label) {
  RankedTexts out;
  std::vector<std::string_view> sorted;
  for (const ObservationWorker& worker : workers) {
    if (worker.dictionaries.empty()) continue;
    const auto& texts = worker.dictionaries[label].texts();
    sorted.insert(sorted.end(), texts.begin(), texts.end());
  }
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::uint32_t> rank(sorted.size());
  std::vector<std::uint32_t> order(sorted.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return natural_less(sorted[a], sorted[b]); });
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    out.texts.emplace_back(sorted[order[i]]);
  }
  for (const ObservationWorker& worker : workers) {
    auto& ranks = out.ranks.emplace_back();
    if (worker.dictionaries.empty()) continue;
    for (const std::string_view text : worker.dictionaries[label].texts()) {
      const auto place = std::ranges::lower_bound(sorted, text);
      ranks.push_back(rank[static_cast<std::size_t>(place - sorted.begin())]);
    }
  }
  return out;
}

/// Makes the keys as small as their order allows, so that they have room for another label.
void make_dense(std::vector<RowKey>& keys) {
  std::vector<std::uint64_t> values;
  values.reserve(keys.size());
  for (const RowKey& key : keys) values.push_back(key.labels);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (RowKey& key : keys) {
    const auto place = std::ranges::lower_bound(values, key.labels);
    key.labels = static_cast<std::uint64_t>(place - values.begin());
  }
}

/// Puts NaN first, so that the order is total.
int compare(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return static_cast<int>(std::isnan(b)) - static_cast<int>(std::isnan(a));
  return a < b ? -1 : a > b ? 1 : 0;
}

/// All numbers, row-major, as read.
std::vector<double> row_major_values(std::vector<ObservationWorker>& workers) {
  std::vector<double> values;
  for (ObservationWorker& worker : workers) {
    values.insert(values.end(), worker.numbers.begin(), worker.numbers.end());
    worker.numbers = {};
    worker.labels = {};
  }
  return values;
}

}  // namespace

struct Observations::Storage {
  ObservationColumns columns;
  TableProfile profile;
  std::vector<std::string> units;
  RowCounts rows;
  std::vector<std::string> bad_rows;
  std::vector<std::vector<std::string>> texts;     ///< Texts of each label column, in order.
  std::vector<std::vector<std::uint32_t>> labels;  ///< By group column, then group.
  std::vector<std::vector<double>> numbers;        ///< By column, then observation.
  std::vector<std::size_t> begins;                 ///< Begins of the groups, then the end.
  std::vector<std::uint32_t> run_of_row;           ///< By observation; empty if it is not kept.

  /// Puts the workers' rows in order, in steps that free memory early.
  void take(std::vector<ObservationWorker>& workers, int threads) {
    std::vector<RowKey> keys(rows.used);
    rank_labels(workers, keys);
    const std::vector<double> values = row_major_values(workers);
    sort_rows(values, threads, keys);
    for (std::size_t column = 0; column < columns.numbers.size(); ++column) {
      auto& out = numbers.emplace_back();
      out.reserve(keys.size());
      for (const RowKey& key : keys)
        out.push_back(values[key.row * columns.numbers.size() + column]);
    }
    find_groups(keys);
    if (!columns.run.empty()) columns.runs_are_clusters ? keep_runs(keys) : fold_runs(keys);
    row_ranks = {};
  }

 private:
  std::vector<std::vector<std::uint32_t>> row_ranks;  ///< By label column, then row as read.

  /// Fills texts, row_ranks and the labels of `keys`, whose order is that of the rows' texts.
  void rank_labels(const std::vector<ObservationWorker>& workers, std::vector<RowKey>& keys) {
    const std::size_t count = columns.by.size() + (columns.run.empty() ? 0 : 1);
    std::uint64_t range = 1;
    for (std::size_t label = 0; label < count; ++label) {
      RankedTexts ranked = ranked_texts(workers, label);
      const std::uint64_t size = std::max<std::size_t>(1, ranked.texts.size());
      if (range > std::numeric_limits<std::uint64_t>::max() / size) {
        make_dense(keys);
        range = keys.size();
      }
      range *= size;
      std::vector<std::uint32_t>& ranks = row_ranks.emplace_back();
      ranks.reserve(keys.size());
      for (std::size_t w = 0; w < workers.size(); ++w) {
        for (std::size_t i = label; i < workers[w].labels.size(); i += count) {
          ranks.push_back(ranked.ranks[w][workers[w].labels[i]]);
        }
      }
      for (std::size_t row = 0; row < keys.size(); ++row) {
        keys[row].labels = keys[row].labels * size + ranks[row];
      }
      texts.push_back(std::move(ranked.texts));
    }
    for (std::size_t row = 0; row < keys.size(); ++row) {
      keys[row].row = static_cast<std::uint32_t>(row);
    }
  }

  /// Sorts by labels, then by numbers.
  void sort_rows(const std::vector<double>& values, int threads, std::vector<RowKey>& keys) const {
    const std::size_t width = columns.numbers.size();
    if (width > 0) {
      for (RowKey& key : keys) key.first = values[key.row * width];
    }
    parallel_sort(keys, threads, [&](const RowKey& a, const RowKey& b) {
      if (a.labels != b.labels) return a.labels < b.labels;
      if (const int order = compare(a.first, b.first); order != 0) return order < 0;
      for (std::size_t i = 1; i < width; ++i) {
        const int order = compare(values[a.row * width + i], values[b.row * width + i]);
        if (order != 0) return order < 0;
      }
      return false;
    });
  }

  /// A group begins where a group column differs from the row before.
  void find_groups(const std::vector<RowKey>& keys) {
    labels.resize(columns.by.size());
    const auto is_of_same_group = [&](std::uint32_t a, std::uint32_t b) {
      for (std::size_t label = 0; label < labels.size(); ++label) {
        if (row_ranks[label][a] != row_ranks[label][b]) return false;
      }
      return true;
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0 && is_of_same_group(keys[i - 1].row, keys[i].row)) continue;
      begins.push_back(i);
      for (std::size_t label = 0; label < labels.size(); ++label) {
        labels[label].push_back(row_ranks[label][keys[i].row]);
      }
    }
    begins.push_back(keys.size());
  }

  /// Puts the rows of each group in the order of their numbers, as they are without runs, and keeps
  /// the run of each.
  void keep_runs(const std::vector<RowKey>& keys) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto run_of = [&](std::size_t place) { return row_ranks.back()[keys[place].row]; };
    const auto is_before = [&](std::size_t a, std::size_t b) {
      for (const std::vector<double>& column : numbers) {
        if (const int found = compare(column[a], column[b]); found != 0) return found < 0;
      }
      return run_of(a) < run_of(b);
    };
    for (std::size_t group = 0; group + 1 < begins.size(); ++group) {
      const auto first = order.begin();
      std::sort(first + static_cast<std::ptrdiff_t>(begins[group]),
                first + static_cast<std::ptrdiff_t>(begins[group + 1]), is_before);
    }
    for (const std::size_t place : order) run_of_row.push_back(run_of(place));
    for (std::vector<double>& column : numbers) {
      std::vector<double> sorted;
      for (const std::size_t place : order) sorted.push_back(column[place]);
      column = std::move(sorted);
    }
  }

  /// Averages the rows of one group and run that agree in their settings: each number over the rows
  /// that have it.
  void fold_runs(const std::vector<RowKey>& keys) {
    const std::size_t width = columns.numbers.size();
    const std::vector<std::uint32_t>& runs = row_ranks.back();
    std::vector<std::vector<double>> folded(width);
    std::vector<std::size_t> folded_begins{0};
    const auto compare_runs = [&](std::size_t a, std::size_t b) {
      const std::uint32_t first = runs[keys[a].row];
      const std::uint32_t second = runs[keys[b].row];
      int order = first < second ? -1 : first > second ? 1 : 0;
      for (std::size_t c = 0; c < width && order == 0; ++c) {
        if (columns.numbers[c].setting) order = compare(numbers[c][a], numbers[c][b]);
      }
      return order;
    };
    for (std::size_t group = 0; group + 1 < begins.size(); ++group) {
      std::vector<std::size_t> order(begins[group + 1] - begins[group]);
      std::iota(order.begin(), order.end(), begins[group]);
      std::ranges::stable_sort(
          order, [&](std::size_t a, std::size_t b) { return compare_runs(a, b) < 0; });
      std::vector<std::vector<double>> means;  // One per run.
      for (std::size_t i = 0, end = 0; i < order.size(); i = end) {
        while (end < order.size() && compare_runs(order[i], order[end]) == 0) ++end;
        means.push_back(mean_of_rows(std::span(order).subspan(i, end - i)));
      }
      std::ranges::sort(means, [](const auto& a, const auto& b) {
        for (std::size_t c = 0; c < a.size(); ++c) {
          if (const int found = compare(a[c], b[c]); found != 0) return found < 0;
        }
        return false;
      });
      for (std::size_t c = 0; c < width; ++c) {
        for (const auto& mean : means) folded[c].push_back(mean[c]);
      }
      folded_begins.push_back(folded_begins.back() + means.size());
    }
    numbers = std::move(folded);
    begins = std::move(folded_begins);
  }

  std::vector<double> mean_of_rows(std::span<const std::size_t> places) const {
    std::vector<double> mean;
    for (std::size_t c = 0; c < columns.numbers.size(); ++c) {
      double sum = 0;
      double known = 0;
      for (const std::size_t place : places) {
        const double value = numbers[c][place];
        if (std::isnan(value)) continue;
        sum += value;
        known += 1;
      }
      const double none = std::numeric_limits<double>::quiet_NaN();
      const bool exact = columns.numbers[c].setting;  // All are equal, so it keeps its digits.
      mean.push_back(exact ? numbers[c][places.front()] : known > 0 ? sum / known : none);
    }
    return mean;
  }
};

Observations::Observations(std::shared_ptr<const Storage> storage) : storage_(std::move(storage)) {}
std::size_t Observations::size() const { return storage_->begins.size() - 1; }
std::size_t Observations::count(std::size_t group) const {
  return storage_->begins[group + 1] - storage_->begins[group];
}
std::span<const double> Observations::values(std::size_t group, std::size_t number) const {
  return std::span(storage_->numbers[number]).subspan(storage_->begins[group], count(group));
}
std::span<const std::uint32_t> Observations::runs(std::size_t group) const {
  if (storage_->run_of_row.empty()) return {};
  return std::span(storage_->run_of_row).subspan(storage_->begins[group], count(group));
}
const std::vector<std::string>& Observations::by() const { return storage_->columns.by; }
std::span<const std::string> Observations::factors() const {
  return std::span<const std::string>(by()).last(storage_->columns.factors.size());
}
const std::vector<NumberColumn>& Observations::numbers() const { return storage_->columns.numbers; }
const std::string& Observations::unit(std::size_t number) const { return storage_->units[number]; }
const RowCounts& Observations::rows() const { return storage_->rows; }
const std::vector<std::string>& Observations::bad_rows() const { return storage_->bad_rows; }

std::vector<UngroupedColumn> Observations::ungrouped() const {
  ChosenColumns chosen;
  chosen.by = by();
  chosen.run = storage_->columns.run;
  chosen.pooled = storage_->columns.pooled;
  std::string scale;
  for (const NumberColumn& number : numbers()) {
    if (number.setting && scale.empty()) scale = number.name;
    if (number.setting) chosen.by.push_back(number.name);
    const bool is_loss = !number.setting && meaning_of(number.name).role == ColumnRole::kLoss;
    if (is_loss && chosen.y.empty()) chosen.y = number.name;
  }
  std::vector<std::string> found = ungrouped_columns(storage_->profile, chosen);
  std::erase_if(found, [&](const std::string& name) {
    return std::ranges::any_of(numbers(),
                               [&name](const NumberColumn& number) { return number.name == name; });
  });
  return told_ungrouped(storage_->profile, found, by(), scale);
}

namespace {

/// The scale, the time and the groups of observations.
ChosenColumns axes_of(const Observations& observations, std::size_t x, std::size_t y) {
  ChosenColumns chosen;
  chosen.x = observations.numbers().at(x).name;
  chosen.y = observations.numbers().at(y).name;
  chosen.by = observations.by();
  std::erase(chosen.by, chosen.x);
  return chosen;
}

}  // namespace

std::string Observations::growing_work(std::size_t x, std::size_t y) const {
  return scalelaw::growing_work(storage_->profile, axes_of(*this, x, y)).value_or("");
}

bool Observations::has_several_rows_of_a_run(const std::string& run) const {
  const TableProfile& profile = storage_->profile;
  std::vector<std::string> names = by();
  names.push_back(run);
  for (const NumberColumn& number : numbers()) {
    if (number.setting) names.push_back(number.name);
  }
  return !profile.is_complete() || have_equal_rows(profile.columns(names));
}

GroupKey Observations::key(std::size_t group) const {
  GroupKey key;
  for (std::size_t i = 0; i < by().size(); ++i) {
    key.push_back(storage_->texts[i][storage_->labels[i][group]]);
  }
  return key;
}

bool Observations::same_but_for_factors(std::size_t group, std::size_t other) const {
  for (std::size_t i = 0; i + factors().size() < by().size(); ++i) {
    if (storage_->labels[i][group] != storage_->labels[i][other]) return false;
  }
  return true;
}

Observations read_observations(std::span<const std::string> inputs, const ChooseColumns& choose,
                               const RowOptions& options) {
  const std::vector<std::string> paths = tables_to_read(inputs);
  const int threads = thread_count(options.threads);
  auto unfinished = unfinished_inputs(paths);
  const auto scanned = scan_as_written(paths, nullptr, [&](const Reading& reading) {
    auto scan = std::make_unique<ObservationScanner>(paths, choose, options, threads, reading);
    scan_tables(paths, threads, options, *scan);
    scan->settle_steps();
    return scan;
  });
  ObservationScanner& scanner = *scanned;
  RowTally tally;
  for (const ObservationWorker& worker : scanner.workers()) tally.merge(worker.tally);
  tally.tell(scanner.layouts(), scanner.profile().overlap());
  auto storage = std::make_shared<Observations::Storage>();
  storage->rows = tally.counts;
  storage->rows.unfinished = std::move(unfinished);
  storage->bad_rows = messages_of(tally.bad_rows, paths, options.layout);
  refuse_nothing(storage->rows, paths, options.where, "");
  storage->columns = std::move(scanner.columns());
  storage->profile = std::move(scanner.profile());
  storage->units = scanner.units();
  storage->take(scanner.workers(), threads);
  return Observations(storage);
}

std::vector<Cell> cells_of(std::span<const double> x, std::span<const double> y) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(x[a], y[a]) < std::pair(x[b], y[b]);
  });
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    Cell cell{.x = x[order[i]], .min = y[order[i]]};
    for (; end < order.size() && x[order[end]] == cell.x; ++end) {
      cell.mean_log += std::log(y[order[end]]);
      cell.mean += y[order[end]];
      cell.max = y[order[end]];
    }
    cell.count = end - i;
    cell.mean_log /= static_cast<double>(cell.count);
    cell.mean /= static_cast<double>(cell.count);
    for (; i < end; ++i) {
      const double log_distance = std::log(y[order[i]]) - cell.mean_log;
      const double distance = y[order[i]] - cell.mean;
      cell.ss_log += log_distance * log_distance;
      cell.ss += distance * distance;
    }
    cells.push_back(cell);
  }
  return cells;
}

std::vector<MeanAt> means_at(std::span<const double> x, std::span<const double> y) {
  std::map<double, std::vector<double>> values;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isnan(y[i])) values[x[i]].push_back(y[i]);
  }
  std::vector<MeanAt> means;
  for (const auto& [at, own] : values) {
    const double sum = std::accumulate(own.begin(), own.end(), 0.0);
    const auto [least, greatest] = std::ranges::minmax_element(own);
    means.push_back({at, sum / static_cast<double>(own.size()), *least, *greatest});
  }
  return means;
}

}  // namespace scalelaw
