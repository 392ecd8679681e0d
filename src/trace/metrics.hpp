#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/trace/format.hpp"
#include "trace/run_facts.hpp"

namespace scalelaw {

/// Which value stands for a metric that was logged over time.
enum class MetricChoice { kLast, kMin, kMax, kMean };

/// What --metric says.
class MetricChoices {
 public:
  /// @param words  "loss=min", "acc=last": TraceOptions::metrics.
  /// @throws DataError if one is not NAME=last, min, max or mean, or a name comes twice.
  explicit MetricChoices(std::span<const std::string> words);

  /// The choice for a metric; the last value unless the user says otherwise.
  MetricChoice of(std::string_view name) const;

 private:
  std::map<std::string, MetricChoice, std::less<>> choices_;
};

/// The values of one metric in the order in which they were logged.
class MetricSeries {
 public:
  void add(double value) { add(value, value, value); }
  bool empty() const { return count_ == 0; }
  /// A value that stands for several, of which the least and the greatest are known.
  void add(double value, double least, double greatest);
  /// Empty if there is none or it is not finite. The least and the greatest are those of the finite
  /// values, and a mean is of all values.
  std::optional<double> value(MetricChoice choice) const;
  /// How many values are not finite.
  std::uint64_t lost() const { return lost_; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t lost_ = 0;
  double last_ = 0;
  double sum_ = 0;
  std::optional<double> min_;
  std::optional<double> max_;
};

/// The metrics of one run by their names, in the order of their first values.
class RunMetrics {
 public:
  MetricSeries& of(std::string_view name);
  bool has(std::string_view name) const { return places_.find(name) != places_.end(); }
  /// Takes metrics from others: those of which another value than the last one is asked for, and
  /// those that are missing here.
  void replace_chosen(const RunMetrics& others, const MetricChoices& choices);
  /// The metrics of which another value than the last one is asked for.
  std::vector<std::string> chosen_otherwise(const MetricChoices& choices) const;
  /// Adds the chosen value of each metric, and notes losses that are not finite.
  void add_to(RunFacts& facts, const MetricChoices& choices, TraceNotes& notes) const;

 private:
  std::vector<std::pair<std::string, MetricSeries>> series_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

/// Whether a metric is a loss by its name, and not the scale of one ("loss_scale").
bool names_loss(std::string_view metric);

/// Notes the values of a metric that are not finite, if it is a loss.
void note_lost_losses(std::string_view metric, std::uint64_t lost, TraceNotes& notes);

/// Passes notes on, but counts lost losses: other files may tell of their run, too.
class LostLosses final : public TraceNotes {
 public:
  explicit LostLosses(TraceNotes& notes) : notes_(notes) {}
  void note(TraceOddity oddity, std::uint64_t line, std::string_view what) override {
    if (oddity == TraceOddity::kLostLoss) {
      ++count_;
    } else {
      notes_.note(oddity, line, what);
    }
  }
  std::uint64_t count() const { return count_; }

 private:
  TraceNotes& notes_;
  std::uint64_t count_ = 0;
};

/// A sentence per metric that was asked for and that no run has a value of.
std::vector<std::string> unlogged_metrics(std::span<const std::string> words,
                                          const std::vector<JobRecord>& records);

/// What a tracker logged over the steps of one run, metric by metric in any order. A metric that
/// has several values at one step gets a row for each, so that nothing is lost where a program does
/// not say its step.
class StepLog {
 public:
  /// Adds a value. A step whose values are all NaN is a row without values.
  /// @param elapsed_s  Seconds since the begin of the run; NaN if the tracker does not say.
  void add(double step, std::string_view metric, double value, double elapsed_s = Sample::kNone);
  /// Adds a value that what was logged at one step has in common, such as the epoch.
  void share(double step, std::string_view name, double value);
  /// A row per step, with the columns step, elapsed_s and a column per metric. Metrics whose name a
  /// fact has are called metric_NAME. Notes losses that are not finite, and values without a step.
  StepTable table(const RunFacts& facts, TraceNotes& notes) const;

 private:
  /// A step, and how many values of a metric came before at that step.
  using Place = std::pair<double, std::uint64_t>;
  struct Row {
    double elapsed_s = Sample::kNone;
    std::vector<double> values = {};  ///< By number of the metric; shorter if the last ones lack.
  };
  struct Metric {
    std::string name;
    Place last = {Sample::kNone, 0};
    std::uint64_t lost = 0;     ///< Values that are not finite.
    std::uint64_t without = 0;  ///< Values without a step.
  };

  std::size_t number_of(std::string_view metric);
  bool set(Row& row, std::size_t metric, double value);

  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::vector<Metric> metrics_;
  std::map<Place, Row> rows_;
};

}  // namespace scalelaw
