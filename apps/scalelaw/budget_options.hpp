#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure_options.hpp"
#include "scalelaw/judge/budget.hpp"
#include "scalelaw/render/budget_report.hpp"
#include "scalelaw/runs/work_columns.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// What `scalelaw budget` was asked.
struct BudgetCommand {
  Options call;
  StudyOptions study;
  SurfaceOptions surface;
  WorkOptions work;
  std::string deadline;
  std::string gpu_price;  ///< With or without a currency.
  std::string cost;       ///< Likewise.
  BudgetOptions options;  ///< Limits, as far as they are numbers.
  std::optional<double> days;
  std::optional<double> inference_tokens;
  const Law* law = find_law("chinchilla");  ///< Of the loss.
  std::optional<double> gpu_flops;          ///< FLOP per second that one GPU sustains.
  std::optional<double> gpu_power;
  /// Of the model that saved fits of times and energies are of.
  std::optional<double> timed_parameters;
  FootprintOptions footprint;
};

/// Adds all but the options of the result. `options` must outlive the parsing.
void add_budget_options(Options& command, BudgetCommand& options);

/// Plans of all groups, and what they have in common.
struct BudgetStudy {
  BudgetReport report;
  std::vector<GroupBudget> groups;
};

/// Multiples of the plan's time and energy that make a smooth line.
std::vector<double> line_of_budgets();

/// Reads the inputs, fits the laws and plans.
/// @param frontier  Multiples of the plan's time and energy; empty: the usual ones.
/// @throws DataError if a limit lacks what it needs, or the inputs have no losses.
BudgetStudy plan_budgets(const BudgetCommand& command, const GlobalOptions& global,
                         const std::vector<double>& frontier = {});

}  // namespace scalelaw::cli
