#include "trace/step_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "statistics/quantiles.hpp"

namespace scalelaw {
namespace {

/// The median; empty without values. Changes their order.
std::optional<double> median_if_any(std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median_of(values));
}

/// The values of quantities in the steps that count.
template <class... Quantities>
std::array<std::vector<double>, sizeof...(Quantities)> values_of(
    const std::vector<LoggedStep>& steps, const std::vector<bool>& apart,
    Quantities... quantities) {
  std::array<std::vector<double>, sizeof...(Quantities)> values;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (apart[i]) continue;
    const auto take = [&](double value, std::vector<double>& to) {
      if (std::isnan(value)) return;
      if (to.empty()) to.reserve(steps.size());
      to.push_back(value);
    };
    std::size_t place = 0;
    (take(steps[i].*quantities, values[place++]), ...);
  }
  return values;
}

/// Population standard deviation over the mean; empty for fewer than two values.
std::optional<double> variation_of(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value;
  mean /= count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  if (!(mean > 0)) return std::nullopt;
  return std::sqrt(squares / count) / mean;
}

/// The batch of the last step that tells one: the line of the last step may be cut before it.
double last_batch_of(const std::vector<LoggedStep>& steps) {
  const auto last = std::find_if(steps.rbegin(), steps.rend(),
                                 [](const LoggedStep& step) { return !std::isnan(step.samples); });
  return last == steps.rend() ? LoggedStep::kNone : last->samples;
}

/// The times within which a step shows the pace of the run.
struct Pace {
  double median;
  double reach;

  bool is_off(double seconds) const { return std::abs(seconds - median) > reach; }
  bool is_slow(double seconds) const { return seconds - median > reach; }
};

std::optional<Pace> pace_of(std::vector<double> seconds) {
  const auto median = median_if_any(seconds);
  if (!median) return std::nullopt;
  for (double& value : seconds) value = std::abs(value - *median);
  return Pace{*median, std::max(0.1 * *median, 5 * *median_if_any(seconds))};
}

/// Notes the steps without an energy, because of which their run has none, if others have one.
void note_steps_without_energy(const std::vector<LoggedStep>& steps, TraceNotes& notes) {
  const auto has_energy = [](const LoggedStep& step) { return !std::isnan(step.energy_j); };
  if (std::ranges::none_of(steps, has_energy)) return;
  for (const LoggedStep& step : steps) {
    if (has_energy(step)) continue;
    notes.note(TraceOddity::kBadCell, step.line,
               fmt::format("step {} without an energy", step.number));
  }
}

/// Joules of one GPU over all steps, and their seconds; empty if a line does not say both.
void add_step_energy(const std::vector<LoggedStep>& steps, const std::vector<std::size_t>& starts,
                     StepFigures& figures) {
  double joules = 0;
  double seconds = 0;
  double steps_spent = 0;
  auto start = starts.begin();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (std::isnan(steps[i].energy_j) || std::isnan(steps[i].seconds)) return;
    // A line stands for the steps since the line before. The first one stands for as many as the
    // second, or for all from the begin.
    const std::int64_t before = i > 0 ? steps[i - 1].number : 0;
    const bool is_first = start != starts.end() && *start == i;
    if (is_first) ++start;
    const std::int64_t usual =
        i + 1 < steps.size() ? steps[i + 1].number - steps[i].number : steps[i].number - before;
    const auto count = static_cast<double>(is_first ? std::min(usual, steps[i].number - before)
                                                    : steps[i].number - before);
    steps_spent += count;
    joules += count * steps[i].energy_j;
    seconds += count * steps[i].seconds;
  }
  figures.energy_j = joules;
  figures.energy_seconds = seconds;
  figures.energy_steps = steps_spent;
}

}  // namespace

bool StepSeries::add(const LoggedStep& step, TraceNotes& notes) {
  if (!restarted_ && !steps_.empty() && step.number <= steps_.back().number) {
    const std::size_t last_two = std::min<std::size_t>(steps_.size(), 2);
    if (step.number >= steps_[steps_.size() - last_two].number) {
      notes.note(TraceOddity::kRepeatedLine, step.line, fmt::format("step {}", step.number));
      return false;
    }
    restarted_ = true;
  }
  if (restarted_) drop_from(step.number, notes);
  if (restarted_ || steps_.empty()) starts_.push_back(steps_.size());
  restarted_ = false;
  steps_.push_back(step);
  return true;
}

/// Drops the steps that a restarted program does again.
void StepSeries::drop_from(std::int64_t number, TraceNotes& notes) {
  while (!steps_.empty() && steps_.back().number >= number) {
    notes.note(TraceOddity::kRepeatedLine, steps_.back().line,
               fmt::format("step {}, done again after a restart", steps_.back().number));
    steps_.pop_back();
  }
  while (!starts_.empty() && starts_.back() >= steps_.size()) starts_.pop_back();
}

std::vector<bool> StepSeries::steps_apart() const {
  std::vector<bool> apart(steps_.size(), false);
  const double last_batch = last_batch_of(steps_);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const double samples = steps_[i].samples;
    apart[i] = !std::isnan(samples) && samples != last_batch;
  }
  // Of two steps, the later one alone tells the pace if the first one, which holds what is done
  // once, took longer.
  constexpr double kSlower = 1.1;
  if (steps_.size() == 2 && steps_[0].seconds > kSlower * steps_[1].seconds) apart[0] = true;
  const auto pace = pace_of(std::move(values_of(steps_, apart, &LoggedStep::seconds)[0]));
  if (!pace) return apart;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    apart[i] = apart[i] || pace->is_slow(steps_[i].seconds);
  }
  for (std::size_t k = 0; k < starts_.size(); ++k) {
    const std::size_t end = k + 1 < starts_.size() ? starts_[k + 1] : steps_.size();
    const std::size_t most = std::max<std::size_t>(10, (end - starts_[k]) / 10);
    for (std::size_t i = starts_[k]; i < std::min(end, starts_[k] + most); ++i) {
      if (!apart[i] && !pace->is_off(steps_[i].seconds)) break;
      apart[i] = true;
    }
  }
  return apart;
}

StepFigures StepSeries::figures(TraceNotes& notes) const {
  StepFigures figures;
  if (steps_.empty()) return figures;
  const std::vector<bool> apart = steps_apart();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!apart[i]) continue;
    notes.note(TraceOddity::kOtherStep, steps_[i].line,
               fmt::format("step {} of {} s", steps_[i].number, steps_[i].seconds));
  }
  auto [seconds, samples, samples_per_s, tokens_per_s, tflops] =
      values_of(steps_, apart, &LoggedStep::seconds, &LoggedStep::samples,
                &LoggedStep::samples_per_s, &LoggedStep::tokens_per_s, &LoggedStep::tflops);
  figures.seconds_cv = variation_of(seconds);
  figures.seconds = median_if_any(seconds);
  figures.samples = median_if_any(samples);
  figures.samples_per_s = median_if_any(samples_per_s);
  figures.tokens_per_s = median_if_any(tokens_per_s);
  figures.tflops = median_if_any(tflops);
  note_steps_without_energy(steps_, notes);
  add_step_energy(steps_, starts_, figures);
  return figures;
}

}  // namespace scalelaw
