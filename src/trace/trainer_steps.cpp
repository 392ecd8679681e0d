#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trace/trainer_run.hpp"

// The curve of a trainer's run: what it logged at each step.

namespace scalelaw {
namespace {

/// A row of the curve. What was not logged is NaN.
struct CurveRow {
  double step = LoggedStep::kNone;
  double epoch = LoggedStep::kNone;
  double samples = LoggedStep::kNone;
  double tokens = LoggedStep::kNone;
  double elapsed_s = LoggedStep::kNone;
  double seconds_per_step = LoggedStep::kNone;
  double loss = LoggedStep::kNone;
  double validation_loss = LoggedStep::kNone;
};

struct CurveColumn {
  const char* name;
  double CurveRow::*value;
};

constexpr std::array<CurveColumn, 8> kColumns{{{"step", &CurveRow::step},
                                               {"epoch", &CurveRow::epoch},
                                               {"samples", &CurveRow::samples},
                                               {"tokens", &CurveRow::tokens},
                                               {"elapsed_s", &CurveRow::elapsed_s},
                                               {"seconds_per_step", &CurveRow::seconds_per_step},
                                               {"loss", &CurveRow::loss},
                                               {"validation_loss", &CurveRow::validation_loss}}};

double finite(double loss) { return std::isinf(loss) ? LoggedStep::kNone : loss; }

/// How many steps a line stands for: those since the line before; the first one for as many as the
/// second, and nobody knows for how many one line alone. NaN where `tells_one`, if there are more.
double steps_of_line(const std::vector<LoggedStep>& steps, std::size_t i, bool tells_one) {
  if (steps.size() == 1) return steps[0].number > 1 ? LoggedStep::kNone : 1;
  const std::int64_t since =
      i > 0 ? steps[i].number - steps[i - 1].number : steps[1].number - steps[0].number;
  if (tells_one) return since == 1 ? 1 : LoggedStep::kNone;
  return static_cast<double>(i > 0 ? since : std::min(steps[0].number, since));
}

/// The rows of the steps' own lines.
/// @param tells_one  A line tells the time of its last step, not the mean of several.
std::vector<CurveRow> rows_of_steps(const StepSeries& series, double sequence, bool tells_one) {
  const std::vector<LoggedStep>& steps = series.steps();
  std::vector<CurveRow> rows;
  rows.reserve(steps.size());
  double elapsed_s = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const LoggedStep& step = steps[i];
    elapsed_s += steps_of_line(steps, i, tells_one) * step.seconds;
    const double counted = step.consumed_samples * sequence;
    rows.push_back(
        {.step = static_cast<double>(step.number),
         .samples = step.consumed_samples,
         .tokens = std::isnan(step.consumed_tokens) ? counted : step.consumed_tokens,
         .elapsed_s = std::round(elapsed_s * 1e9) / 1e9,  // A sum shows digits of its own.
         .seconds_per_step = step.seconds,
         .loss = finite(step.loss)});
  }
  return rows;
}

/// Whether two rows tell of one step: both name it or its epoch, and no column has two values.
bool is_one_step(const CurveRow& a, const CurveRow& b) {
  const bool same =
      std::isnan(a.step) ? std::isnan(b.step) && a.epoch == b.epoch : a.step == b.step;
  return same && std::ranges::all_of(kColumns, [&](const CurveColumn& column) {
           const double one = a.*column.value;
           const double other = b.*column.value;
           return std::isnan(one) || std::isnan(other) || one == other;
         });
}

/// Joins neighbours that tell of one step, as a loss and an evaluation do.
void join_rows(std::vector<CurveRow>& rows) {
  std::size_t kept = 0;
  for (const CurveRow& row : rows) {
    if (kept == 0 || !is_one_step(rows[kept - 1], row)) {
      rows[kept++] = row;
      continue;
    }
    for (const CurveColumn& column : kColumns) {
      double& value = rows[kept - 1].*column.value;
      if (std::isnan(value)) value = row.*column.value;
    }
  }
  rows.resize(kept);
}

std::vector<CurveRow> step_rows(const TrainerRun& run) {
  std::vector<CurveRow> rows;
  if (const StepSeries* const series = series_of(run)) {
    rows = rows_of_steps(*series, run.said.get(Stated::kSequence).value_or(LoggedStep::kNone),
                         run.by_nanogpt);
  }
  for (const LoggedLoss& logged : run.losses) {
    rows.push_back({.step = logged.step,
                    .epoch = logged.epoch,
                    .tokens = logged.tokens,
                    .loss = finite(logged.loss),
                    .validation_loss = finite(logged.validation_loss)});
  }
  // What tells no step keeps its order, behind the others.
  const auto comes_first = [](const CurveRow& a, const CurveRow& b) {
    return std::isnan(b.step) ? !std::isnan(a.step) : a.step < b.step;
  };
  if (!std::ranges::is_sorted(rows, comes_first)) {
    std::ranges::stable_sort(rows, comes_first);
  }
  join_rows(rows);
  return rows;
}

}  // namespace

JobRecord steps_record_of(const TrainerRun& run, std::string job, TraceNotes& notes) {
  note_lost_losses(run, notes);
  JobRecord record{std::move(job), settings_of(run)};
  const std::vector<CurveRow> rows = step_rows(run);
  std::vector<double CurveRow::*> values;
  for (const auto& [name, value] : kColumns) {
    const auto member = value;
    const bool is_logged =
        std::ranges::any_of(rows, [&](const CurveRow& row) { return !std::isnan(row.*member); });
    if (!is_logged) continue;
    record.steps.names.emplace_back(name);
    values.push_back(member);
  }
  record.steps.cells.reserve(rows.size() * values.size());
  for (const CurveRow& row : rows) {
    for (const auto value : values) record.steps.cells.push_back(row.*value);
  }
  return record;
}

}  // namespace scalelaw
