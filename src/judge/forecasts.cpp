#include "scalelaw/judge/forecasts.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

Forecast forecast_at(const Fit& fit, double confidence) {
  Forecast forecast = forecast_of(fit);
  forecast.confidence = confidence;
  return forecast;
}

bool is_of_energy(const SavedFits& fits) {
  return in_base_units(unit_of(fits), Dimension::kEnergy) ||
         !unit_in_name(fits.y, Dimension::kEnergy).empty() ||
         fits.y.find("energy") != std::string::npos;
}

bool go_together(const SavedFits& times, const SavedFits& energy) {
  return is_of_energy(energy) && !is_of_energy(times) && times.x == energy.x &&
         times.by == energy.by;
}

}  // namespace

EnergySource energy_from_runs(const GroupedCells& runs, double joules,
                              const ForecastOptions& options) {
  ForecastOptions of_energy = options;
  of_energy.response = Response::kTime;
  const bool is_per_x = of_energy.law == nullptr || !can_rise(*of_energy.law);
  std::map<GroupKey, std::size_t> places;
  for (std::size_t i = 0; i < runs.size(); ++i) places[runs.key(i)] = i;
  return [=](const GroupKey& group, const Forecast& /*of_time*/) -> std::optional<EnergyForecast> {
    const auto found = places.find(group);
    if (found == places.end()) return std::nullopt;
    std::vector<Cell> cells;
    runs.cells(found->second, cells);
    if (is_per_x) cells = per_x(cells);
    return if_possible([&] {
      return EnergyForecast{make_forecast(cells, of_energy), is_per_x, joules};
    });
  };
}

EnergySource energy_from_fits(std::span<const GroupFit> fits, double joules) {
  std::map<GroupKey, Outcome<Fit>> laws;
  for (const GroupFit& group : fits) laws[group.group] = group.result;
  return [=](const GroupKey& group, const Forecast& of_time) -> std::optional<EnergyForecast> {
    const auto found = laws.find(group);
    const Fit* fit = found == laws.end() ? nullptr : std::get_if<Fit>(&found->second);
    if (fit == nullptr) return std::nullopt;
    return EnergyForecast{forecast_at(*fit, of_time.confidence), false, joules};
  };
}

EnergySource energy_from_power(double joules) {
  return [=](const GroupKey& /*group*/, const Forecast& of_time) {
    return EnergyForecast{of_time, true, joules};
  };
}

bool can_rise(const Law& law) {
  return law.name() == "power" || law.name() == "lognormal" || law.name() == "broken";
}

Outlook outlook_with(const EnergySource& source, const GroupKey& group, Forecast forecast,
                     const OutlookOptions& options) {
  auto energy = source ? source(group, forecast) : std::nullopt;
  if (!energy && options.budget_kwh) {
    throw FitError(FailureCode::kTooFewPoints, "its energy has no forecast");
  }
  return outlook_of(std::move(forecast), std::move(energy), options);
}

std::vector<GroupOutlook> outlooks_of(const GroupedCells& runs, const ForecastOptions& forecast,
                                      const OutlookOptions& outlook, const EnergySource& energy,
                                      int threads) {
  std::vector<GroupOutlook> outlooks(runs.size());
  parallel_for(thread_count(threads), runs.size(), [&](std::size_t i, int /*worker*/) {
    std::vector<Cell> cells;
    runs.cells(i, cells);
    GroupKey group = runs.key(i);
    auto result = outcome_of(
        [&] { return outlook_with(energy, group, make_forecast(cells, forecast), outlook); });
    outlooks[i] = {std::move(group), std::move(result)};
  });
  return outlooks;
}

std::vector<GroupOutlook> outlooks_of(std::span<const GroupFit> fits, double confidence,
                                      const OutlookOptions& outlook, const EnergySource& energy) {
  std::vector<GroupOutlook> outlooks;
  for (const GroupFit& fit : fits) {
    outlooks.push_back({fit.group, outcome_of(fit.result, [&](const Fit& law) {
                          return outlook_with(energy, fit.group, forecast_at(law, confidence),
                                              outlook);
                        })});
  }
  return outlooks;
}

SavedStudy saved_study(std::vector<SavedFits> documents) {
  std::vector<std::string> sources;
  for (const SavedFits& fits : documents) sources.push_back(fits.source);
  SavedStudy study{.fits = std::move(documents.front())};
  if (documents.size() == 1) return study;
  study.energy = std::move(documents.back());
  if (is_of_energy(study.fits)) std::swap(study.fits, *study.energy);
  if (!can_rise(*study.energy->law)) {
    throw DataError(fmt::format(
        "{}: energy rises with {}, and the {} law cannot: fit it with --law power or lognormal, or "
        "forecast from the runs",
        study.energy->source, study.energy->x, study.energy->law->name()));
  }
  if (documents.size() != 2 || !go_together(study.fits, *study.energy)) {
    throw DataError(fmt::format(
        "{}: several documents of fits: expected one of times and one of energy, of the same x and "
        "groups",
        joined(sources)));
  }
  return study;
}

}  // namespace scalelaw
