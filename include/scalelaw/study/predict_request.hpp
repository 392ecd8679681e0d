#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/judge/forecasts.hpp"
#include "scalelaw/judge/surface_forecast.hpp"
#include "scalelaw/study/level_changes.hpp"
#include "scalelaw/study/prices.hpp"
#include "scalelaw/study/surface_study.hpp"

namespace scalelaw {

/// What makes forecasts: one law, or a choice or average of several.
struct ForecastModel {
  ForecastKind kind = ForecastKind::kAverage;
  const Law* law = nullptr;  ///< Of ForecastKind::kLaw.

  bool operator==(const ForecastModel&) const = default;
};

/// "power", "auto", "average".
std::string_view name_of(const ForecastModel& model);

/// @throws DataError if a model is asked for that is not the law of saved fits.
void refuse_other_law(const std::optional<ForecastModel>& asked, const Law* saved,
                      const std::string& path);

/// A time that must not be exceeded.
struct TimeLimit {
  double time = 0;
  bool in_seconds = true;  ///< Else in the unit of the response.
};

/// What forecasts are asked for.
struct PredictRequest {
  StudyOptions study;
  std::optional<ForecastModel> model;          ///< Empty: the average of laws.
  SurfaceOptions surface;                      ///< For laws of several x, with the places that
  std::vector<std::vector<double>> at_places;  ///< these name: n, d and perhaps unique tokens;
  std::vector<double> at_compute;              ///< and the computes to split best.
  std::string score;                           ///< Column of a score to forecast; empty: none.
  OutlookOptions outlook;                      ///< Scales, target, throughput, budgets and epochs.
  std::optional<TimeLimit> deadline;           ///< Of a run, or of the whole job.
  std::string tokens;                          ///< A count such as 1T, of what the rate y counts,
  std::string samples;                         ///< or of samples,
  std::string steps;                           ///< or of steps, whose time or rate y is.
  /// The option that says how large a job of a rate is; take_job() makes the others --tokens.
  std::string job_option = "--tokens";
  std::optional<Price> gpu_price;   ///< Of one GPU for one hour,
  std::optional<Price> node_price;  ///< or of one node.
  std::string gpus_per_node;        ///< A number, or a column that has one value.
  MeasureOptions measures;          ///< The columns that tell the energy,
  std::optional<double> gpu_power;  ///< or the watts of one GPU.
  FootprintOptions footprint;
  std::size_t hidden = 0;  ///< Scales that a backtest hides; 0: one, of several x a tenth of them.
  std::optional<SizeMeasure> hide_by;  ///< By what a backtest of several x tells large runs.
  bool backtest = false;               ///< Runs at the largest scales are to be forecast.
  std::optional<double> confidence;    ///< Of intervals of saved fits, in place of their own.
  CommandWhere command = {};           ///< How warnings name the command for some of the rows.
};

}  // namespace scalelaw
