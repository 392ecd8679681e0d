#include "scalelaw/judge/outlook.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

/// Converts a forecast of joules at the machines to kWh of the building.
Prediction in_kwh(Prediction joules, const Footprint& footprint) {
  joules.median = footprint.kwh(joules.median);
  if (joules.mean) joules.mean = footprint.kwh(*joules.mean);
  for (auto* interval : {&joules.ci, &joules.pi}) {
    if (!*interval) continue;
    *interval = Interval{footprint.kwh((*interval)->lower), footprint.kwh((*interval)->upper)};
  }
  return joules;
}

ScaleOutlook scale_outlook(const Outlook& outlook, const OutlookOptions& options, double x) {
  ScaleOutlook out{.y = predict(outlook.forecast, x)};
  const auto time = value_of(out.y, options.target);
  if (options.hours_per_unit && time) out.gpu_hours = x * *time * *options.hours_per_unit;
  if (!outlook.energy) return out;
  const Prediction joules = predict_energy(*outlook.energy, x);
  out.kwh = in_kwh(joules, options.footprint);
  if (const auto energy = value_of(joules, options.target)) {
    out.co2_kg = options.footprint.co2_kg(*energy);
    out.cost = options.footprint.cost(*energy);
  }
  return out;
}

Demand gpu_hour_demand(const Outlook& outlook, const OutlookOptions& options) {
  if (!options.hours_per_unit) throw std::invalid_argument("GPU-hours need the unit of y");
  Demand demand = meet_budget(outlook.forecast, *options.budget_gpu_hours / *options.hours_per_unit,
                              options.target);
  demand.best *= *options.hours_per_unit;
  return demand;
}

Demand kwh_demand(const Outlook& outlook, const OutlookOptions& options) {
  if (!outlook.energy) throw std::invalid_argument("a budget of kWh needs energy");
  const double kwh_of_joule = options.footprint.kwh(1);
  Demand demand =
      meet_energy_budget(*outlook.energy, *options.budget_kwh / kwh_of_joule, options.target);
  demand.best *= kwh_of_joule;
  return demand;
}

}  // namespace

bool needs_energy(const Footprint& footprint) {
  return footprint.carbon_intensity || footprint.price || footprint.pue != 1;
}

bool needs_energy(const OutlookOptions& options) {
  return options.budget_kwh || needs_energy(options.footprint);
}

std::optional<double> hours_per_unit(const std::string& x, const std::string& unit,
                                     Response response) {
  constexpr std::array<std::string_view, 4> kNoGpus{"node", "worker", "host", "rank"};
  const bool counts_others =
      std::any_of(kNoGpus.begin(), kNoGpus.end(),
                  [&x](std::string_view word) { return x.find(word) != std::string::npos; });
  const auto seconds = in_base_units(unit, Dimension::kTime);
  if (response == Response::kRate || counts_others || !seconds) return std::nullopt;
  return *seconds / 3600;
}

Outlook outlook_of(Forecast forecast, std::optional<EnergyForecast> energy,
                   const OutlookOptions& options) {
  Outlook out{.forecast = std::move(forecast), .energy = std::move(energy)};
  std::vector<double> at = options.at;
  if (at.empty()) at = {2 * out.forecast.x_max};
  for (const double x : at) out.scales.push_back(scale_outlook(out, options, x));
  if (options.deadline)
    out.deadline = meet_deadline(out.forecast, *options.deadline, options.target);
  if (options.budget_gpu_hours) out.budget_gpu_hours = gpu_hour_demand(out, options);
  if (options.budget_kwh) out.budget_kwh = kwh_demand(out, options);
  return out;
}

}  // namespace scalelaw
