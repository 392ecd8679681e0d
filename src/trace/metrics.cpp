#include "trace/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"

namespace scalelaw {
namespace {

struct NamedChoice {
  std::string_view name;
  MetricChoice choice;
};
constexpr NamedChoice kChoices[] = {{"last", MetricChoice::kLast},
                                    {"min", MetricChoice::kMin},
                                    {"max", MetricChoice::kMax},
                                    {"mean", MetricChoice::kMean}};

/// The name in "NAME=HOW". A name may have an equals sign itself.
std::string_view name_in(std::string_view word) { return word.substr(0, word.rfind('=')); }

std::optional<MetricChoice> choice_in(std::string_view word) {
  const std::size_t equals = word.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  for (const auto& [name, choice] : kChoices) {
    if (word.substr(equals + 1) == name) return choice;
  }
  return std::nullopt;
}

}  // namespace

MetricChoices::MetricChoices(std::span<const std::string> words) {
  for (const std::string& word : words) {
    const auto choice = choice_in(word);
    if (!choice) {
      throw DataError(
          fmt::format("--metric {}: expected NAME=last, NAME=min, NAME=max or NAME=mean",
                      scalelaw::quoted(word)));
    }
    if (!choices_.try_emplace(std::string(name_in(word)), *choice).second) {
      throw DataError(fmt::format("--metric {}: the metric comes twice", scalelaw::quoted(word)));
    }
  }
}

MetricChoice MetricChoices::of(std::string_view name) const {
  const auto found = choices_.find(name);
  return found == choices_.end() ? MetricChoice::kLast : found->second;
}

void MetricSeries::add(double value, double least, double greatest) {
  ++count_;
  if (!std::isfinite(value)) ++lost_;
  last_ = value;
  sum_ += value;
  if (std::isfinite(least)) min_ = std::min(min_.value_or(least), least);
  if (std::isfinite(greatest)) max_ = std::max(max_.value_or(greatest), greatest);
}

std::optional<double> MetricSeries::value(MetricChoice choice) const {
  if (count_ == 0) return std::nullopt;
  switch (choice) {
    case MetricChoice::kMin:
      return min_;
    case MetricChoice::kMax:
      return max_;
    case MetricChoice::kMean:
      return sum_ / static_cast<double>(count_);
    case MetricChoice::kLast:
      break;
  }
  return last_;
}

MetricSeries& RunMetrics::of(std::string_view name) {
  const auto known = places_.find(name);
  if (known != places_.end()) return series_[known->second].second;
  places_.emplace(std::string(name), series_.size());
  return series_.emplace_back(std::string(name), MetricSeries()).second;
}

void RunMetrics::replace_chosen(const RunMetrics& others, const MetricChoices& choices) {
  for (const auto& [name, series] : others.series_) {
    if (!has(name) || choices.of(name) != MetricChoice::kLast) of(name) = series;
  }
}

std::vector<std::string> RunMetrics::chosen_otherwise(const MetricChoices& choices) const {
  std::vector<std::string> names;
  for (const auto& [name, series] : series_) {
    if (choices.of(name) != MetricChoice::kLast) names.push_back(name);
  }
  return names;
}

void RunMetrics::add_to(RunFacts& facts, const MetricChoices& choices, TraceNotes& notes) const {
  for (const auto& [name, series] : series_) {
    note_lost_losses(name, series.lost(), notes);
    facts.add(name, exact_text(series.value(choices.of(name))), "metric");
  }
}

bool names_loss(std::string_view metric) {
  const std::string name = lower_case(metric);
  return holds(name, "loss") && !holds(name, "scale");
}

void note_lost_losses(std::string_view metric, std::uint64_t lost, TraceNotes& notes) {
  if (lost == 0 || !names_loss(metric)) return;
  for (std::uint64_t i = 0; i < lost; ++i) notes.note(TraceOddity::kLostLoss, 0, metric);
}

std::vector<std::string> unlogged_metrics(std::span<const std::string> words,
                                          const std::vector<JobRecord>& records) {
  std::vector<std::string> sentences;
  for (const std::string& word : words) {
    const std::string_view name = name_in(word);
    std::set<std::string> others;
    bool is_logged = false;
    for (const JobRecord& record : records) {
      for (const auto& [known, text] : record.facts) {
        if (text.empty()) continue;
        if (known == name) is_logged = true;
        others.insert(known);
      }
    }
    if (is_logged) continue;
    const auto similar = nearest(name, std::vector(others.begin(), others.end()));
    sentences.push_back(fmt::format("--metric {}: no run logged {}{}", word, scalelaw::quoted(name),
                                    similar ? fmt::format("; did you mean {}?", *similar) : ""));
  }
  return sentences;
}

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
