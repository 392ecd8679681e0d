// A report for programs: what the page decides, and the documents behind it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>

#include "documents/json_parts.hpp"
#include "render/caps_words.hpp"
#include "render/figure_parts.hpp"
#include "render/rank_verdict.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

/// The document that `write` writes as a command does: `write(style, sink)`.
template <class Write>
void write_document(JsonText& json, Write write) {
  std::string text;
  write(TableStyle{.format = Format::kJson}, [&text](std::string_view more) { text += more; });
  json.document(trimmed(text));
}

/// The same of results that go to a writer.
template <class Part, class Make>
void write_part(JsonText& json, const Part& part, Make make_writer) {
  write_document(json, [&](const TableStyle& style, const TextSink& sink) {
    write_groups(*make_writer(part.head, style, sink), part.groups);
  });
}

void write_choices(JsonText& json, const ReportParts& parts, const GroupStudy& group) {
  write_objects(json, choices_for(parts, group), [&](const SettingChoice& choice) {
    json.key("column").text(choice.caps->head.setting);
    write_advice(json, choice);
  });
}

void write_demand(JsonText& json, const std::optional<Demand>& demand) {
  json.number(demand && demand->x && !demand->x->open ? std::optional(demand->x->x) : std::nullopt);
}

/// The answer for one group, at its scale.
void write_answer(JsonText& json, const ReportParts& parts, const GroupStudy& group) {
  const ScaleOutlook& at = group.advice->at;
  const Outlook& outlook = std::get<Outlook>(group.outlook);
  write_numbers(json,
                {{"x", at.y.x},
                 {"median", at.y.median},
                 {"speedup", at.y.speedup},
                 {"efficiency",
                  parts.ideal() == Ideal::kFaster ? std::optional(at.y.efficiency) : std::nullopt},
                 {"gpu_hours", at.gpu_hours},
                 {"kwh", at.kwh ? std::optional(at.kwh->median) : std::nullopt}});
  write_demand(json.key("deadline_x"), outlook.deadline);
  json.key("deadline_kwh").number(kwh_at_deadline(outlook));
  write_demand(json.key("budget_x"), outlook.budget_gpu_hours);
}

void write_study(JsonText& json, const ReportParts& parts, const GroupStudy& group) {
  write_group(json.key("group"), parts.by(), group.group);
  json.key("name").text(parts.names.of(group.group));
  json.key("in_first_table").boolean(parts.leaders.contains(group.group));
  json.key("verdict").text(verdict_words(group.ranking));
  json.key("efficient_to").number(efficient_up_to(group));
  const GroupStudy* const answered = group.advice ? &group : nullptr;
  write_object(json.key("answer"), answered,
               [&](const GroupStudy&) { write_answer(json, parts, group); });
  write_choices(json.key("settings"), parts, group);
  json.key("trust").text(name_of(trust_in(parts, group)));
  json.key("reason").text(trust_reason(parts, group));
}

void write_statements(JsonText& json, const ReportList& list) {
  write_objects(json, list.items, [&json](const ReportList::Item& item) {
    json.key("on").text(item.lead);
    json.key("text").text(item.text);
  });
}

}  // namespace

std::string report_json(const ReportOrigin& origin, const ReportFindings& findings) {
  const ReportParts parts(origin, findings);
  std::string out;
  JsonText json(out);
  begin_document(json, "scalelaw.report/1");
  write_data(json, origin.study);
  write_points(json, origin.study);
  write_rows(json, origin.study);
  json.member("command").text(origin.command);
  json.member("note").text_or_null(origin.note);
  write_statements(json.member("answers"), answer_of(parts).advice);
  write_statements(json.member("doubts"), doubt_list(parts));
  write_objects(json.member("groups"), parts.groups(),
                [&](const GroupStudy& group) { write_study(json, parts, group); });
  write_each(json.member("caps"), findings.caps,
             [&](const ReportCaps& caps) { write_part(json, caps, make_caps_writer); });
  if (findings.energy) {
    write_part(json.member("energy"), *findings.energy, make_energy_writer);
  }
  if (const auto& pareto = findings.pareto) {
    const ParetoSurvey survey = survey_of(pareto->groups);
    write_document(json.member("pareto"), [&](const TableStyle& style, const TextSink& sink) {
      write_groups(*make_pareto_writer(pareto->head, survey, style, sink), pareto->groups);
    });
  }
  if (const auto& budget = findings.budget) {
    write_document(json.member("budget"), [&](const TableStyle& style, const TextSink& sink) {
      write_budgets(budget->head, budget->groups, style, sink);
    });
  }
  return out + "}\n";
}

namespace {

// The forecasts of all groups as page.js reads them: everything that predict() takes.

/// As few digits as do: six are promised, and thousands of groups must fit into a page.
void write_number(JsonText& json, double value, int digits = 10) {
  json.number(std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr));
}

/// A part of a mixture: number of the law, weight, a, b, level, scale, dof, mass, own, shared,
/// slope, spread, share over weight; of departures that last also reach, last, slope_last. Widths
/// need fewer digits than places.
void write_part(JsonText& json, const MixturePart& part) {
  json.open('[');
  json.count(static_cast<std::uint64_t>(part.law));
  write_number(json, part.weight, 8);
  for (const double place : {part.a, part.b, part.level}) write_number(json, place, 9);
  for (const double width :
       {part.scale, part.dof, part.mass, part.own, part.shared, part.slope, part.spread}) {
    write_number(json, width, 7);
  }
  write_number(json, part.share / part.weight, 9);
  if (part.reach > 0) {
    for (const double last : {part.reach, part.last, part.slope_last}) write_number(json, last, 7);
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
  MixturePart part{.weight = 1, .share = 1, .a = log_time(-1) - log_time(0), .level = log_time(0)};
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
