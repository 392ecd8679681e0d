#include "study/report_demands.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/study/budget.hpp"
#include "scalelaw/study/read_study.hpp"
#include "study/demands.hpp"

namespace scalelaw {
namespace {

/// A time in the unit of y as people say it: as a duration where that unit is known.
std::string time_text(double time, const StudyReport& study) {
  const auto seconds = in_base_units(study.y_unit, Dimension::kTime);
  return seconds ? duration_text(time * *seconds) : fmt::format("{:.6g}", time);
}

/// Takes what is asked of a job of epochs as what is asked of one of them.
void divide_by_epochs(double epochs, const std::string& job, ReportOrigin& origin) {
  const auto of_job = [&](const std::string& whole) {
    return fmt::format(" ({} for {})", whole, job);
  };
  if (origin.deadline) {
    const std::string whole = origin.deadline_words.empty()
                                  ? time_text(*origin.deadline, origin.study)
                                  : origin.deadline_words;
    *origin.deadline /= epochs;
    origin.deadline_words = time_text(*origin.deadline, origin.study) + of_job(whole);
  }
  if (origin.budget_gpu_hours) {
    origin.budget_words = of_job(fmt::format("{:.6g}", *origin.budget_gpu_hours));
    *origin.budget_gpu_hours /= epochs;
  }
}

/// @throws DataError if there is no question about the job, or no answer.
void check_demands(const PredictRequest& asked, bool of_job, const ReportOrigin& origin) {
  if (of_job && !asked.deadline && !asked.outlook.budget_gpu_hours) {
    throw DataError(
        "--epochs, --steps, --tokens and --samples say what a deadline or budget is of: add "
        "--deadline or --budget-gpu-hours");
  }
  if (asked.deadline && origin.fit.response == Response::kRate && !of_job) {
    throw DataError(
        fmt::format("--deadline limits a time, and '{}' is a rate: say with --tokens how much "
                    "work the job has that it is for, leave it out, or name a column of times "
                    "with -y",
                    origin.study.y));
  }
}

}  // namespace

void take_report_demands(const ReportRequest& request, ReportOrigin& origin, const Messages& say) {
  const Response response = origin.fit.response;
  PredictRequest asked = request.demands;
  take_job(response, origin.study, asked);
  const bool of_job = asked.outlook.epochs || !asked.tokens.empty();
  const bool timeless = !has_speedup(origin.study.quantity.kind);
  const bool of_losses =
      (timeless || response == Response::kRate) && loss_columns_of(request.study);
  if (of_losses && !of_job) return;  // Limits of a training run, and not of rates or losses.
  if (timeless && (asked.deadline || asked.outlook.budget_gpu_hours)) {
    throw DataError(
        fmt::format("--deadline and --budget-gpu-hours limit a time, and '{}' is {}: "
                    "leave them out, or name a column of times with -y",
                    origin.study.y, description_of(origin.study.quantity)));
  }
  check_demands(asked, of_job, origin);
  PredictReport taken{origin.study, {}, {}, {}};
  take_demands(asked, response, std::nullopt, taken, say);
  origin.deadline = taken.outlook.deadline;
  origin.deadline_words = taken.deadline;
  origin.budget_gpu_hours = taken.outlook.budget_gpu_hours;
  if (taken.outlook.epochs) divide_by_epochs(*taken.outlook.epochs, taken.job, origin);
  if (!taken.outlook.tokens) return;
  origin.job = taken.job;
  origin.job_outlook = taken.outlook;
}

std::optional<ReportBudget> training_plan(const ReportRequest& request, const ReportOrigin& origin,
                                          const CallConditions& conditions) {
  const PredictRequest& demands = request.demands;
  BudgetRequest budget;
  if (demands.deadline) {
    budget.limits.seconds = seconds_of(*demands.deadline, origin.study.y_unit);
  }
  budget.limits.gpu_hours = demands.outlook.budget_gpu_hours;
  const bool of_known_job = !demands.tokens.empty() || !demands.samples.empty();
  const bool is_limited = budget.limits.seconds || budget.limits.gpu_hours;
  if (!is_limited || of_known_job || !loss_columns_of(request.study)) return std::nullopt;
  budget.study = request.study;
  budget.study.x.clear();
  budget.study.y.clear();
  budget.study.rate = false;
  budget.seed = request.study.bootstrap.seed;
  budget.work.energy = request.measures.energy;
  budget.work.power = request.measures.power;
  budget.work.total_power = request.measures.total_power;
  budget.footprint = request.footprint;
  budget.frontier = line_of_budgets();
  try {
    return plan_budget(budget, conditions);
  } catch (const Error& error) {
    // Columns that were recognised by their names must not cost the report.
    conditions.say.warn(fmt::format("no section on which model to train: {}", error.what()));
    return std::nullopt;
  }
}

}  // namespace scalelaw
