#include "scalelaw/judge/saved_study.hpp"

#include <fmt/format.h>

#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/judge/forecasts.hpp"

namespace scalelaw {
namespace {

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
