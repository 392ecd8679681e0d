#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scalelaw/judge/budget.hpp"
#include "scalelaw/render/report_findings.hpp"
#include "scalelaw/runs/work_columns.hpp"
#include "scalelaw/study/prices.hpp"
#include "scalelaw/study/surface_study.hpp"

namespace scalelaw {

/// What training may take, and what is served later with it; the time is that of training alone.
struct BudgetLimits {
  std::optional<double> seconds;
  std::optional<double> gpus;  ///< At one time; empty: the most that a run had.
  std::optional<double> gpu_hours;
  std::optional<double> kwh;  ///< Of the building.
  std::optional<Price> cost;
  std::optional<double> co2_kg;
  std::optional<double> flop;
};

/// What a plan of a training run is asked for.
struct BudgetRequest {
  StudyOptions study;
  SurfaceOptions surface;
  WorkOptions work;
  const Law* law = nullptr;  ///< Of the loss; null: chinchilla.
  BudgetLimits limits;
  std::optional<double> inference_tokens;  ///< That the model serves later.
  std::optional<double> unique_tokens;     ///< That differ; empty: all do.
  std::optional<double> gpu_flops;         ///< FLOP per second that one GPU sustains.
  std::optional<double> gpu_power;         ///< Watts that one GPU draws.
  std::optional<double> timed_parameters;  ///< Of the model that saved fits of times are of.
  std::optional<Price> gpu_price;          ///< Of one GPU for one hour.
  FootprintOptions footprint;
  std::uint64_t seed = 1;
  std::vector<double> frontier = {};  ///< As BudgetOptions::frontier; empty: the usual places.
};

/// Plans of all groups, with the head of a report on them.
using BudgetStudy = ReportBudget;

/// Reads the inputs, be they runs or saved fits, says what was chosen and what was left out, fits
/// the laws and plans.
/// @throws DataError if a limit lacks what it needs, or the inputs have no losses.
BudgetStudy plan_budget(const BudgetRequest& request, const CallConditions& conditions);

/// Multiples of the plan's time and energy that make a smooth line.
std::vector<double> line_of_budgets();

}  // namespace scalelaw
