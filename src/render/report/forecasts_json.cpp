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

void write_fit(JsonText& json, const WeightedFit& law, bool with_covariance) {
  json.open('{');
  json.key("law").text(law.fit.law->name());
  write_number(json.key("weight"), law.weight);
  json.key("theta").open('[');
  for (const Parameter& parameter : law.fit.parameters) write_number(json, parameter.estimate);
  json.close(']');
  if (with_covariance) {
    json.key("sigma").number(law.fit.sigma);
    json.key("covariance").open('[');
    for (const double value : law.fit.covariance) write_number(json, value);
    json.close(']');
  }
  json.close('}');
}

void write_forecast(JsonText& json, const Forecast& forecast) {
  json.open('{');
  json.key("laws").open('[');
  for (std::size_t i = 0; i < forecast.laws.size(); ++i) {
    write_fit(json, forecast.laws[i], i == 0);  // The first one's leverage is asked for.
  }
  json.close(']');
  json.key("misfits").open('[');
  for (const Misfit& misfit : forecast.misfits) {
    json.open('[');
    json.number(misfit.x);
    write_number(json, misfit.log_distance);
    json.close(']');
  }
  json.close(']');
  json.key("rate").boolean(forecast.response == Response::kRate);
  json.key("n").count(forecast.n);
  json.key("from").number(forecast.x_min);
  json.key("to").number(forecast.x_max);
  json.key("sigma").number(forecast.sigma);
  json.key("dof").number(forecast.dof);
  json.key("smearing").number(forecast.smearing);
  json.close('}');
}

void write_group(JsonText& json, const GroupKey& group, const Outlook& outlook) {
  json.open('{');
  json.key("group");
  write_strings(json, group);
  write_forecast(json.key("time"), outlook.forecast);
  if (outlook.energy) {
    write_forecast(json.key("energy"), outlook.energy->forecast);
    json.key("per_x").boolean(outlook.energy->per_x);
    json.key("joules").number(outlook.energy->joules);
  }
  json.close('}');
}

void write_grids(JsonText& json) {
  json.open('[');
  for (const GridIntensity& grid : grid_intensities()) {
    json.open('[');
    json.text(grid.name);
    json.number(grid.grams_per_kwh);
    json.close(']');
  }
  json.close(']');
}

}  // namespace

std::string forecasts_json(const ReportParts& parts) {
  const ReportOrigin& origin = parts.origin;
  std::string out;
  JsonText json(out);
  json.open('{');
  json.key("x").text(origin.study.x);
  json.key("y").text(origin.study.y);
  json.key("by");
  write_strings(json, origin.study.by);
  json.key("confidence").number(origin.fit.confidence);
  json.key("normal").number(parts.analysis().normal_factor);
  json.key("hours_per_unit").number(origin.hours_per_unit);
  json.key("pue").number(origin.footprint.pue);
  json.key("carbon_intensity").number(origin.footprint.carbon_intensity);
  json.key("price").number(origin.footprint.price);
  write_grids(json.key("grids"));
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
