#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/judge/outlook.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// Where the energy of a group comes from: its runs, saved fits of its energy, or a power of each
/// GPU. A source that was made by default knows no energy.
class EnergySource {
 public:
  EnergySource() = default;

  /// The energy of one GPU is forecast as `options` say, or that of all GPUs if their law can rise
  /// with x.
  /// @param joules  Joules per unit of the runs.
  static EnergySource of_runs(GroupedCells runs, double joules, const ForecastOptions& options);
  /// @param fits    Laws of the energy at all GPUs.
  /// @param joules  Joules per unit of the fits.
  static EnergySource of_fits(std::vector<GroupFit> fits, double joules);
  /// @param joules  Joules of one GPU in one unit of y.
  static EnergySource of_power(double joules);

  /// Empty where a group's energy is not known or cannot be forecast. Safe to call from several
  /// threads at once.
  std::optional<EnergyForecast> forecast(const GroupKey& group, const Forecast& of_time) const;

 private:
  EnergyForecast forecast_of_runs(std::size_t place) const;

  std::map<GroupKey, std::size_t> places_;
  std::optional<GroupedCells> runs_;
  std::vector<GroupFit> fits_;
  bool by_time_ = false;
  double joules_ = 1;
  ForecastOptions options_;
};

/// Whether a law can rise with x as energy does. The other laws suit the energy of one GPU.
bool can_rise(const Law& law);

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
