#include "trace/step_log.hpp"

#include <algorithm>
#include <cmath>

#include "trace/metrics.hpp"

namespace scalelaw {

std::size_t StepLog::number_of(std::string_view metric) {
  const auto known = numbers_.find(metric);
  if (known != numbers_.end()) return known->second;
  metrics_.push_back({std::string(metric)});
  numbers_.emplace(metric, metrics_.size() - 1);
  return metrics_.size() - 1;
}

/// Sets a value that a row does not have yet. False if it has one.
bool StepLog::set(Row& row, std::size_t metric, double value) {
  if (row.values.size() <= metric) row.values.resize(metric + 1, Sample::kNone);
  if (!std::isnan(row.values[metric])) return false;
  row.values[metric] = value;
  return true;
}

void StepLog::add(double step, std::string_view metric, double value, double elapsed_s) {
  const std::size_t number = number_of(metric);
  if (std::isnan(step)) {
    ++metrics_[number].without;
    return;
  }
  if (!std::isfinite(value)) ++metrics_[number].lost;
  Place place{step, 0};
  if (std::isnan(value)) {
    double& elapsed = rows_[place].elapsed_s;
    if (std::isnan(elapsed)) elapsed = elapsed_s;
    return;
  }
  Place& last = metrics_[number].last;
  if (last.first == step) place.second = last.second + 1;
  while (!set(rows_[place], number, value)) ++place.second;
  last = place;
  double& elapsed = rows_[place].elapsed_s;
  if (std::isnan(elapsed)) elapsed = elapsed_s;
}

void StepLog::share(double step, std::string_view name, double value) {
  if (!std::isnan(value) && !std::isnan(step)) set(rows_[{step, 0}], number_of(name), value);
}

StepTable StepLog::table(const RunFacts& facts, TraceNotes& notes) const {
  for (const Metric& metric : metrics_) {
    note_lost_losses(metric.name, metric.lost, notes);
    for (std::uint64_t i = 0; i < metric.without; ++i) {
      notes.note(TraceOddity::kWithoutStep, 0, metric.name);
    }
  }
  const bool has_time =
      std::ranges::any_of(rows_, [](const auto& row) { return !std::isnan(row.second.elapsed_s); });
  StepTable table;
  if (rows_.empty()) return table;
  RunFacts names = facts;
  table.names.push_back(names.add("step", "", "logged"));
  if (has_time) table.names.push_back(names.add("elapsed_s", "", "logged"));
  for (const Metric& metric : metrics_) table.names.push_back(names.add(metric.name, "", "metric"));
  table.cells.reserve(rows_.size() * table.names.size());
  for (const auto& [place, row] : rows_) {
    table.cells.push_back(place.first);
    if (has_time) table.cells.push_back(row.elapsed_s);
    table.cells.insert(table.cells.end(), row.values.begin(), row.values.end());
    table.cells.insert(table.cells.end(), metrics_.size() - row.values.size(), Sample::kNone);
  }
  return table;
}

}  // namespace scalelaw
