#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/judge/outlook.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// The energy of a group, whose times have that forecast. Empty where it is not known or cannot be
/// forecast. Safe to call from several threads at once. An empty function knows no energy.
using EnergySource =
    std::function<std::optional<EnergyForecast>(const GroupKey& group, const Forecast& of_time)>;

/// The energy of one GPU is forecast from its runs as `options` say, or that of all GPUs if their
/// law can rise with x.
/// @param joules  Joules per unit of the runs.
EnergySource energy_from_runs(const GroupedCells& runs, double joules,
                              const ForecastOptions& options);
/// @param fits    Laws of the energy at all GPUs.
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

/// The forecasts for every group of runs. A group without one has the reason.
/// @param threads  0: all processors. The result does not depend on it.
std::vector<GroupOutlook> outlooks_of(const GroupedCells& runs, const ForecastOptions& forecast,
                                      const OutlookOptions& outlook, const EnergySource& energy,
                                      int threads);

/// The same from finished fits, with intervals at that level of confidence.
std::vector<GroupOutlook> outlooks_of(std::span<const GroupFit> fits, double confidence,
                                      const OutlookOptions& outlook, const EnergySource& energy);

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
