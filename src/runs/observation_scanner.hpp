#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runs/arena.hpp"
#include "runs/job_steps.hpp"
#include "runs/row_reading.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/observations.hpp"
#include "scalelaw/runs/row_filter.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {

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
class ObservationScanner : public RowConsumer {
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

}  // namespace scalelaw
