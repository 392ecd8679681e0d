// The forecasts of all groups as page.js reads them: everything that predict() takes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>

#include "documents/json_parts.hpp"
#include "render/figure_parts.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

/// As few digits as do: six are promised, and thousands of groups must fit into a page.
void write_number(JsonText& json, double value, int digits = 10) {
  json.number(std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr));
}

/// A part of a mixture: number of the law, weight, a, b, level, scale, dof, mass, own, shared,
/// slope, spread. Widths need fewer digits than places.
void write_part(JsonText& json, const MixturePart& part) {
  json.open('[');
  json.count(static_cast<std::uint64_t>(part.law));
  for (const double place : {part.weight, part.a, part.b, part.level}) write_number(json, place, 9);
  for (const double width :
       {part.scale, part.dof, part.mass, part.own, part.shared, part.slope, part.spread}) {
    write_number(json, width, 8);
  }
  json.close(']');
}

/// The power law of a fit in logs as the one part of a mixture; empty where no scatter is known.
/// With z = ln(x / x_max) the variance of its curve is a parabola, which three places tell.
std::optional<MixturePart> part_of(const Fit& fit) {
  if (!fit.sigma || !(fit.sigma_dof() > 0)) return std::nullopt;
  const double sign = fit.response == Response::kTime ? 1 : -1;
  const auto log_time = [&](double z) {
    return sign * std::log(fit.curve(fit.x_max * std::exp(z)));
  };
  const auto variance = [&](double z) {
    const double se = fit.curve_se(fit.x_max * std::exp(z)).value_or(0);
    return se * se;
  };
  constexpr double kExact = 1e-13;  // A scale of 0 is no distribution.
  MixturePart part{.weight = 1, .a = log_time(-1) - log_time(0), .level = log_time(0)};
  part.scale = std::max(*fit.sigma, kExact);
  part.dof = fit.sigma_dof();
  const double curvature = 0.5 * (variance(1) + variance(-1)) - variance(0);
  const double tilt = 0.5 * (variance(1) - variance(-1));
  part.mass = 1;
  if (!(curvature > 0)) return part;
  part.slope = 0.5 * tilt / curvature;
  part.spread = part.scale * part.scale / curvature;
  part.mass = part.scale * part.scale / (variance(0) - 0.5 * tilt * part.slope);
  return part;
}

/// A power law, which is what remains where there are too few points for a mixture.
void write_curve(JsonText& json, const LawShare& share) {
  json.open('[');
  for (const double value : share.parameters) write_number(json, value);
  json.close(']');
}

void write_forecast(JsonText& json, const Forecast& forecast) {
  if (forecast.fit) write_curve(json.key("power"), forecast.laws.front());
  json.key("parts").open('[');
  if (forecast.mixture) {
    for (const MixturePart& part : forecast.mixture->parts) write_part(json, part);
  } else if (const auto part = forecast.fit ? part_of(*forecast.fit) : std::nullopt) {
    write_part(json, *part);
  }
  json.close(']');
  json.key("rate").boolean(forecast.response == Response::kRate);
  if (forecast.rate_of_one) json.key("of_one").boolean(true);
  json.key("n").count(forecast.n);
  json.key("from").number(forecast.x_min);
  json.key("to").number(forecast.x_max);
  json.key("first").number(forecast.log_first);
  json.key("smearing").number(forecast.smearing);
}

/// What the runs at each scale of a group take: their mean kWh.
using MeasuredKwh = std::map<double, double>;

std::map<GroupKey, MeasuredKwh> measured_kwh(const ReportFindings& findings) {
  std::map<GroupKey, MeasuredKwh> measured;
  if (!findings.energy) return measured;
  for (const auto& [group, scaling] : found_in(findings.energy->groups)) {
    for (const EnergyAtScale& at : scaling.scales) measured[group][at.x] = at.kwh;
  }
  return measured;
}

/// Mean of the runs at each x, with their mean energy where it is known.
void write_points(JsonText& json, const std::vector<Cell>& cells, const MeasuredKwh& kwh) {
  write_each(json, cells, [&](const Cell& cell) {
    json.open('[');
    write_number(json, cell.x);
    write_number(json, cell.mean, 6);
    if (const auto found = kwh.find(cell.x); found != kwh.end()) {
      write_number(json, found->second, 6);
    }
    json.close(']');
  });
}

void write_group(JsonText& json, const ReportParts& parts, const GroupStudy& study,
                 const Outlook& outlook, const MeasuredKwh& kwh) {
  json.open('{');
  GroupKey shown = study.group;
  for (std::string& name : shown) name = printable(name);
  write_strings(json.key("group"), shown);
  json.key("name").text(printable(parts.names.of(study.group)));
  write_points(json.key("points"), study.cells, kwh);
  if (const auto beta = power_exponent_interval(parts, study)) {
    json.key("beta").open('[');
    write_number(json, beta->lower);
    write_number(json, beta->upper);
    json.close(']');
  }
  write_object(json.key("time"), outlook.forecast, write_forecast);
  if (outlook.energy) {
    write_object(json.key("energy"), outlook.energy->forecast, write_forecast);
    json.key("per_x").boolean(outlook.energy->per_x);
    json.key("joules").number(outlook.energy->joules);
  }
  json.close('}');
}

/// The styles of the groups in the static figure of the first screen, which the chart has, too.
std::vector<std::size_t> chart_styles(const ReportParts& parts) {
  const std::vector<AdvisedGroup>& advised = parts.advised;
  std::vector<std::size_t> order(advised.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::size_t i) -> const GroupKey& {
    return parts.groups()[advised[i].group].group;
  };
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return shown_before(key(a), key(b)); });
  const StudyAxes axes = parts.leading_axes();
  std::vector<std::size_t> styles(advised.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    styles[order[place]] = style_of(axes, key(order[place]), place);
  }
  return styles;
}

}  // namespace

std::string forecasts_json(const ReportParts& parts) {
  const ReportOrigin& origin = parts.origin;
  std::string out;
  JsonText json(out);
  json.open('{');
  json.key("x").text(origin.study.x);
  json.key("y").text(origin.study.y);
  json.key("units").text(units_of_scale(origin.study.x));
  json.key("one").text(unit_of_scale(origin.study.x).empty() ? origin.study.x
                                                             : unit_of_scale(origin.study.x));
  json.key("setting").text(setting_of_scale(origin.study.x));
  json.key("noun").text(noun_of_scale(origin.study.x));
  json.key("work").text(work_of(origin));
  json.key("unit").text(origin.fit.response == Response::kTime ? origin.study.y_unit : "");
  json.key("has_speedup").boolean(parts.shows_speedup());
  json.key("has_efficiency").boolean(parts.ideal() == Ideal::kFaster);
  write_strings(json.key("by"), origin.study.by);
  write_numbers(json, {{"confidence", origin.fit.confidence},
                       {"normal", parts.analysis().normal_factor},
                       {"hours_per_unit", origin.hours_per_unit},
                       {"pue", origin.footprint.pue},
                       {"carbon_intensity", origin.footprint.carbon_intensity},
                       {"price", origin.footprint.price},
                       {"deadline", origin.job.empty() ? origin.deadline : std::nullopt},
                       {"budget", origin.job.empty() ? origin.budget_gpu_hours : std::nullopt}});
  write_each(json.key("grids"), grid_intensities(), [&](const GridIntensity& grid) {
    json.open('[');
    json.text(grid.name);
    json.number(grid.grams_per_kwh);
    json.close(']');
  });
  write_each(json.key("settings"), parts.analysis().settings, [&](const SettingStudy& one) {
    const auto found = std::ranges::find(parts.by(), one.setting);
    json.open('[');
    json.count(static_cast<std::uint64_t>(found - parts.by().begin()));
    json.text(column_label(one.setting).unit);
    json.close(']');
  });
  json.key("groups").open('[');
  const std::map<GroupKey, MeasuredKwh> measured = measured_kwh(parts.findings);
  std::map<std::size_t, std::size_t> places;  // Among the groups with a forecast.
  for (std::size_t i = 0; i < parts.groups().size(); ++i) {
    const Outlook* const outlook = std::get_if<Outlook>(&parts.groups()[i].outlook);
    if (outlook == nullptr) continue;
    places.try_emplace(i, places.size());
    const auto kwh = measured.find(parts.groups()[i].group);
    write_group(json, parts, parts.groups()[i], *outlook,
                kwh == measured.end() ? MeasuredKwh() : kwh->second);
  }
  json.close(']');
  const std::vector<std::size_t> styles = chart_styles(parts);
  write_each(json.key("advised"), parts.advised, [&](const AdvisedGroup& one) {
    const auto place = places.find(one.group);
    const auto& advice = parts.groups()[one.group].advice;
    json.open('[');
    json.number(place == places.end() ? -1.0 : static_cast<double>(place->second));
    json.number(advice ? std::optional(advice->at.y.x) : std::nullopt);
    json.text(printable(one.name));
    json.count(styles[&one - parts.advised.data()]);
    json.close(']');
  });
  json.close('}');
  return out;
}

}  // namespace scalelaw
