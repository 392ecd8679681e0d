#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scalelaw/base/footprint.hpp"
#include "scalelaw/judge/predict.hpp"

namespace scalelaw {

/// What is asked of the forecast of a group.
struct OutlookOptions {
  std::vector<double> at;           ///< Scales; empty: twice the greatest that was measured.
  Target target = Target::kMedian;  ///< What demands, GPU-hours, CO2 and cost are of.
  std::optional<double> deadline;   ///< In the unit of y.
  std::optional<double> budget_gpu_hours;
  std::optional<double> budget_kwh;  ///< Of the building: PUE included.
  /// GPU-hours of one GPU for one unit of y; empty where y is no time or its unit is not known.
  std::optional<double> hours_per_unit;
  Footprint footprint;
};

/// What is said of one scale. Energy, CO2 and cost are of the building: PUE included.
struct ScaleOutlook {
  Prediction y;
  std::optional<double> gpu_hours;
  std::optional<Prediction> kwh;
  std::optional<double> co2_kg;
  std::optional<double> cost;
};

/// What is said of one group.
struct Outlook {
  Forecast forecast;
  std::optional<EnergyForecast> energy;
  std::vector<ScaleOutlook> scales;  ///< One for each x asked for.
  std::optional<Demand> deadline;
  std::optional<Demand> budget_gpu_hours;  ///< `best` in GPU-hours.
  std::optional<Demand> budget_kwh;        ///< `best` in kWh.
};

/// Looks at the scales asked for and at what demands allow.
/// @param energy  Where energy is known; a budget of kWh needs it.
/// @throws FitError where a law has no value to give.
/// @throws std::invalid_argument if there is a budget and not what it is of.
Outlook outlook_of(Forecast forecast, std::optional<EnergyForecast> energy,
                   const OutlookOptions& options);

}  // namespace scalelaw
