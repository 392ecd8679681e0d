// The forecasts of all groups as page.js reads them: everything that predict() takes.

#include <fmt/format.h>

#include <cstdlib>

#include "documents/json_parts.hpp"
#include "render/report/parts.hpp"

namespace scalelaw {
namespace {

/// Ten digits: six are promised, and thousands of groups must fit into a page.
void write_number(JsonText& json, double value) {
  json.number(std::strtod(fmt::format("{:.10g}", value).c_str(), nullptr));
}

void write_law(JsonText& json, const WeightedFit& law, bool with_covariance) {
  json.key("law").text(law.fit.law->name());
  write_number(json.key("weight"), law.weight);
  write_each(json.key("theta"), law.fit.parameters,
             [&](const Parameter& parameter) { write_number(json, parameter.estimate); });
  if (!with_covariance) return;
  json.key("sigma").number(law.fit.sigma);
  write_each(json.key("covariance"), law.fit.covariance, write_number);
}

void write_forecast(JsonText& json, const Forecast& forecast) {
  write_objects(json.key("laws"), forecast.laws, [&](const WeightedFit& law) {
    write_law(json, law, &law == &forecast.laws.front());  // Its leverage is asked for.
  });
  write_each(json.key("misfits"), forecast.misfits, [&](const Misfit& misfit) {
    json.open('[');
    json.number(misfit.x);
    write_number(json, misfit.log_distance);
    json.close(']');
  });
  json.key("rate").boolean(forecast.response == Response::kRate);
  json.key("n").count(forecast.n);
  write_numbers(json, {{"from", forecast.x_min},
                       {"to", forecast.x_max},
                       {"sigma", forecast.sigma},
                       {"dof", forecast.dof},
                       {"smearing", forecast.smearing}});
}

void write_group(JsonText& json, const GroupKey& group, const Outlook& outlook) {
  json.open('{');
  write_strings(json.key("group"), group);
  write_object(json.key("time"), outlook.forecast, write_forecast);
  if (outlook.energy) {
    write_object(json.key("energy"), outlook.energy->forecast, write_forecast);
    json.key("per_x").boolean(outlook.energy->per_x);
    json.key("joules").number(outlook.energy->joules);
  }
  json.close('}');
}

}  // namespace

std::string forecasts_json(const ReportParts& parts) {
  const ReportOrigin& origin = parts.origin;
  std::string out;
  JsonText json(out);
  json.open('{');
  json.key("x").text(origin.study.x);
  json.key("y").text(origin.study.y);
  write_strings(json.key("by"), origin.study.by);
  write_numbers(json, {{"confidence", origin.fit.confidence},
                       {"normal", parts.analysis().normal_factor},
                       {"hours_per_unit", origin.hours_per_unit},
                       {"pue", origin.footprint.pue},
                       {"carbon_intensity", origin.footprint.carbon_intensity},
                       {"price", origin.footprint.price}});
  write_each(json.key("grids"), grid_intensities(), [&](const GridIntensity& grid) {
    json.open('[');
    json.text(grid.name);
    json.number(grid.grams_per_kwh);
    json.close(']');
  });
  json.key("groups").open('[');
  for (const GroupStudy& group : parts.groups()) {
    const Outlook* const outlook = std::get_if<Outlook>(&group.outlook);
    if (outlook != nullptr) write_group(json, group.group, *outlook);
  }
  json.close(']');
  json.close('}');
  return out;
}

}  // namespace scalelaw
