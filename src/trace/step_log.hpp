#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/trace/format.hpp"
#include "trace/run_facts.hpp"

namespace scalelaw {

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
