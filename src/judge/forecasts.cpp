#include "scalelaw/judge/forecasts.hpp"

#include <fmt/format.h>

#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

/// @throws FitError if a law has no value to give, or a demand has nothing to rest on.
Outlook outlook_with(const EnergySource& source, const GroupKey& group, Forecast forecast,
                     const OutlookOptions& options) {
  auto energy = source.forecast(group, forecast);
  if (!energy && options.budget_kwh) {
    throw FitError(FailureCode::kTooFewPoints, "its energy has no forecast");
  }
  return outlook_of(std::move(forecast), std::move(energy), options);
}

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

EnergySource EnergySource::of_runs(GroupedCells runs, double joules,
                                   const ForecastOptions& options) {
  EnergySource source;
  for (std::size_t i = 0; i < runs.size(); ++i) source.places_[runs.key(i)] = i;
  source.runs_ = std::move(runs);
  source.joules_ = joules;
  source.options_ = options;
  source.options_.response = Response::kTime;
  return source;
}

EnergySource EnergySource::of_fits(std::vector<GroupFit> fits, double joules) {
  EnergySource source;
  for (std::size_t i = 0; i < fits.size(); ++i) source.places_[fits[i].group] = i;
  source.fits_ = std::move(fits);
  source.joules_ = joules;
  return source;
}

EnergySource EnergySource::of_power(double joules) {
  EnergySource source;
  source.by_time_ = true;
  source.joules_ = joules;
  return source;
}

std::optional<EnergyForecast> EnergySource::forecast(const GroupKey& group,
                                                     const Forecast& of_time) const {
  if (by_time_) return EnergyForecast{of_time, true, joules_};
  const auto found = places_.find(group);
  if (found == places_.end()) return std::nullopt;
  const std::size_t place = found->second;
  if (runs_) return if_possible([&] { return forecast_of_runs(place); });
  const Fit* const fit = std::get_if<Fit>(&fits_[place].result);
  if (fit == nullptr) return std::nullopt;
  return EnergyForecast{forecast_at(*fit, of_time.confidence), false, joules_};
}

EnergyForecast EnergySource::forecast_of_runs(std::size_t place) const {
  std::vector<Cell> cells;
  runs_->cells(place, cells);
  if (options_.law != nullptr && can_rise(*options_.law)) {
    return {make_forecast(cells, options_), false, joules_};
  }
  return {make_forecast(per_x(cells), options_), true, joules_};
}

bool can_rise(const Law& law) {
  return law.name() == "power" || law.name() == "lognormal" || law.name() == "broken";
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
