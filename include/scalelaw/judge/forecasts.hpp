#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/base/footprint.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/judge/predict.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// What to forecast for a group.
struct OutlookOptions {
  /// Scales; if empty, those that answer the demands, or twice the greatest measured one.
  std::vector<double> at;
  Target target = Target::kMedian;   ///< The figure behind demands, GPU-hours, CO2 and cost.
  std::optional<double> deadline;    ///< In the unit of y.
  std::optional<double> throughput;  ///< Of rates, in the unit of y.
  std::optional<double> budget_gpu_hours;
  std::optional<double> budget_kwh;  ///< Energy of the building, PUE included.
  /// How many epochs a job has, where y is the time of one. GPU-hours, energy, CO2, costs, the
  /// deadline and the budgets are then those of the whole job.
  std::optional<double> epochs;
  /// How many tokens (or what the rate y counts) a job has. What is said of a job of epochs is then
  /// said of this one, whose times are in seconds.
  std::optional<double> tokens;
  double seconds_of_rate = 1;        ///< How long the time is that a rate y is per.
  std::optional<double> gpu_price;   ///< Of one GPU for one hour; needs hours_per_unit.
  std::optional<double> node_price;  ///< Of one node for one hour; needs x_per_node.
  /// How many x one node has, of which a part counts whole: 1 if x counts nodes. Empty if unknown.
  std::optional<double> x_per_node;
  /// GPU-hours that one x takes for one unit of y (of the time of a job of tokens). Empty if y is
  /// no time, has no known unit, or if the number of GPUs is not known.
  std::optional<double> hours_per_unit;
  std::optional<double> node_hours_per_unit;  ///< The same of one node.
  Footprint footprint;
};

/// Whether a number of GPUs is asked for: by a deadline, a throughput or a budget.
bool asks_for_scales(const OutlookOptions& options);

/// Whether CO2, cost, the effect of a PUE or a budget of kWh is asked for, which needs an energy.
bool needs_energy(const Footprint& footprint);
bool needs_energy(const OutlookOptions& options);

/// Hours per unit of y, if x counts GPUs. Empty if the unit is not one of time, if the name of x
/// says that it counts nodes, processes, cores or the like, or for a rate.
std::optional<double> hours_per_unit(const std::string& x, const std::string& unit,
                                     Response response);

/// Hours in one unit of y; empty if it is no unit of time, or for a rate.
std::optional<double> hours_of(const std::string& unit, Response response);

/// Hours of GPUs and nodes that take part for one unit of time.
struct MachineHours {
  std::optional<double> per_x = {};       ///< GPU-hours of one x; empty if x is not known in GPUs.
  std::optional<double> per_node = {};    ///< Node-hours of one node,
  std::optional<double> x_per_node = {};  ///< and how many x it has; empty if that is not known.
};

/// What x takes, by what its name says that it counts.
/// @param hours  Of one unit of time; empty if it is not known.
/// @throws DataError if x counts neither GPUs nor nodes, but `gpus_per_node` is given.
MachineHours machine_hours(const std::string& x, std::optional<double> hours,
                           std::optional<double> gpus_per_node);

/// What machines cost until they are done, with the interval of one new run.
struct MachineCost {
  double amount;                    ///< By OutlookOptions::target.
  std::optional<Interval> pi = {};  ///< Empty where the forecast has none.
};

/// The forecast at one scale. Energy, CO2 and cost are the building's, PUE included.
struct ScaleOutlook {
  Prediction y;
  std::optional<Prediction> job = {};  ///< Time of all epochs or tokens, where they are known.
  std::optional<double> gpu_hours = {};
  std::optional<MachineCost> gpu_cost = {};
  std::optional<double> node_hours = {};
  std::optional<MachineCost> node_cost = {};
  std::optional<Prediction> kwh = {};
  std::optional<double> co2_kg = {};
  std::optional<double> cost = {};
};

/// The forecasts for one group.
struct Outlook {
  Forecast forecast;
  std::optional<EnergyForecast> energy;
  std::vector<ForecastDoubt> doubts = {};  ///< Of forecasts from runs.
  std::vector<ScaleOutlook> scales = {};   ///< One per requested x.
  std::optional<Demand> deadline = {};     ///< `best` as y, or as that of the job.
  /// Of the machines that meet it, by their price: at deadline->x,
  std::optional<MachineCost> deadline_cost = {};
  /// and at deadline->upper, where that is another scale.
  std::optional<MachineCost> safe_deadline_cost = {};
  /// Energy in kWh at deadline->x, as that of ScaleOutlook; empty where it has no forecast.
  std::optional<Prediction> deadline_kwh = {};
  std::optional<Demand> throughput = {};        ///< `best` as a rate.
  std::optional<Demand> budget_gpu_hours = {};  ///< `best` in GPU-hours.
  std::optional<Demand> budget_kwh = {};        ///< `best` in kWh.
};

using GroupOutlook = Grouped<Outlook>;

/// Energy in kWh with which a group meets the deadline. Empty where it does not, where nothing
/// tells the energy, and far beyond the data.
std::optional<double> kwh_at_deadline(const Outlook& outlook);

/// Whether a setting that takes the first energy is worth a sentence beside one of the other.
inline bool is_frugal(double kwh, double other) { return kwh <= 0.95 * other; }

/// What all limits of a group allow together: each is met from `least` on or up to `greatest`.
struct ScalesWithin {
  std::size_t limits = 0;               ///< How many there are.
  double least = 1;                     ///< That the time and the throughput need.
  std::optional<double> greatest = {};  ///< That all allow; empty: no limit that the data tell.
  bool has_none = false;                ///< No scale meets one of them, or none meets all.

  /// Whether one limit alone cannot be met.
  bool one_is_out = false;
};

/// By the target of the forecast. Of a limit that the search ends before, nothing is known, and it
/// limits nothing.
ScalesWithin scales_within_all(const Outlook& outlook);

/// Whether a mixture forecasts beyond twice the greatest of fewer than six scales. Intervals there
/// hold in less than they say if scaling turns back (docs/explanation/coverage.md, "Forecasts").
bool is_blind_to_turns(const Outlook& outlook);

/// Forecasts the requested scales and what demands allow.
/// @param energy  Empty if unknown; a budget of kWh needs it.
/// @throws FitError if a law has no value at a scale.
/// @throws std::invalid_argument if a budget lacks the quantity that it limits.
Outlook outlook_of(Forecast forecast, std::optional<EnergyForecast> energy,
                   const OutlookOptions& options);

/// The energy of a group, whose times have that forecast. Empty where it is not known or cannot be
/// forecast. Safe to call from several threads at once. An empty function knows no energy.
using EnergySource =
    std::function<std::optional<EnergyForecast>(const GroupKey& group, const Forecast& of_time)>;

/// Forecasts the energy of one GPU as `options` say, or that of all if their law can rise with x.
/// @param joules  Joules per unit of the runs.
EnergySource energy_from_runs(const GroupedCells& runs, double joules,
                              const ForecastOptions& options);
/// @param fits    Laws of the energy at all GPUs. They must outlive the source.
/// @param joules  Joules per unit of the fits.
EnergySource energy_from_fits(std::span<const GroupFit> fits, double joules);
/// @param joules  Joules of one GPU in one unit of y.
EnergySource energy_from_power(double joules);

/// Whether a law can rise with x as energy does. The other laws suit the energy of one GPU.
bool can_rise(const Law& law);

/// The outlook of one group with its energy.
/// @throws FitError if a law has no value to give, or a budget of kWh has no energy to rest on.
Outlook outlook_with(const EnergySource& source, const GroupKey& group, Forecast forecast,
                     const OutlookOptions& options);

/// Hands the forecasts for every group of runs to `sink`, in group order and one call at a time. A
/// group without one has the reason. Memory does not grow with the number of groups.
/// @param threads  0: all processors. The result does not depend on it.
void outlook_each(const GroupedCells& runs, const ForecastOptions& forecast,
                  const OutlookOptions& outlook, const EnergySource& energy, int threads,
                  const std::function<void(GroupOutlook&&)>& sink);

/// The same from finished fits, with intervals at that level of confidence.
void outlook_each(std::span<const GroupFit> fits, double confidence, const OutlookOptions& outlook,
                  const EnergySource& energy, const std::function<void(GroupOutlook&&)>& sink);

/// Saved fits of times, and of energy where there was a second document.
struct SavedStudy {
  SavedFits fits;
  std::optional<SavedFits> energy = {};
};

/// Tells which document is of times and which of energy, whatever their order.
/// @param documents  One, or two of the same x and groups.
/// @throws DataError if two documents do not go together, or the law of energy cannot rise with x.
SavedStudy saved_study(std::vector<SavedFits> documents);

}  // namespace scalelaw
