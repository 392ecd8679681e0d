#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scalelaw/base/footprint.hpp"
#include "scalelaw/judge/predict.hpp"

namespace scalelaw {

/// What to forecast for a group.
struct OutlookOptions {
  std::vector<double> at;           ///< Scales; if empty, twice the greatest measured one.
  Target target = Target::kMedian;  ///< The figure behind demands, GPU-hours, CO2 and cost.
  std::optional<double> deadline;   ///< In the unit of y.
  std::optional<double> budget_gpu_hours;
  std::optional<double> budget_kwh;  ///< Energy of the building, PUE included.
  /// GPU-hours that one GPU takes for one unit of y. Empty if y is no time or has no known unit.
  std::optional<double> hours_per_unit;
  Footprint footprint;
};

/// Whether something is asked for that only an energy can answer: CO2, cost or the effect of a PUE,
/// or a budget of kWh.
bool needs_energy(const Footprint& footprint);
bool needs_energy(const OutlookOptions& options);

/// Hours of one unit of times over a count x of GPUs. Empty if the unit is not one of time, if x
/// counts nodes, workers or the like by its name, or for a rate.
std::optional<double> hours_per_unit(const std::string& x, const std::string& unit,
                                     Response response);

/// The forecast at one scale. Energy, CO2 and cost are the building's, PUE included.
struct ScaleOutlook {
  Prediction y;
  std::optional<double> gpu_hours = {};
  std::optional<Prediction> kwh = {};
  std::optional<double> co2_kg = {};
  std::optional<double> cost = {};
};

/// The forecasts for one group.
struct Outlook {
  Forecast forecast;
  std::optional<EnergyForecast> energy;
  std::vector<ScaleOutlook> scales = {};  ///< One per requested x.
  std::optional<Demand> deadline = {};
  std::optional<Demand> budget_gpu_hours = {};  ///< `best` in GPU-hours.
  std::optional<Demand> budget_kwh = {};        ///< `best` in kWh.
};

using GroupOutlook = Grouped<Outlook>;

/// Forecasts the requested scales and what demands allow.
/// @param energy  Empty if unknown; a budget of kWh needs it.
/// @throws FitError if a law has no value at a scale.
/// @throws std::invalid_argument if a budget lacks the quantity that it limits.
Outlook outlook_of(Forecast forecast, std::optional<EnergyForecast> energy,
                   const OutlookOptions& options);

}  // namespace scalelaw
