// Frontiers as JSON (schema scalelaw.pareto/1) and as JSON lines.

#include "render/buffered_text.hpp"
#include "render/json_parts.hpp"
#include "render/pareto_writers.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

void write_place(JsonText& json, const TimeAndEnergy& place) {
  json.open('[');
  json.number(place.seconds);
  json.number(place.joules);
  json.close(']');
}

void write_saving(JsonText& json, const std::optional<Saving>& saving) {
  if (!saving) return json.null();
  json.open('{');
  json.key("estimate").number(saving->estimate);
  write_interval(json.key("ci"), saving->ci);
  json.close('}');
}

void write_cost(JsonText& json, double eta, const PointCost& cost) {
  json.open('{');
  json.key("eta").number(eta);
  json.key("cost_j").number(cost.joules);
  write_saving(json.key("saving"), cost.saving);
  json.key("optimum_share").number(cost.optimum_share);
  json.close('}');
}

void write_point(JsonText& json, const ParetoReport& report, const ParetoPoint& point) {
  json.open('{');
  write_group(json.key("knobs"), report.knobs, point.knobs);
  json.key("n").count(point.n);
  if (!report.study.x.empty()) json.key("gpus").number(point.gpus);
  json.key("time_s").number(point.seconds);
  json.key("energy_j").number(point.joules);
  json.key("max_power_w").number(point.max_power);
  json.key("on_frontier").boolean(point.on_frontier);
  json.key("frontier_share").number(point.frontier_share);
  if (point.surely_dominated) {
    json.key("surely_dominated").boolean(*point.surely_dominated);
  } else {
    json.key("surely_dominated").null();
  }
  write_saving(json.key("time_saving"), point.time_saving);
  write_saving(json.key("energy_saving"), point.energy_saving);
  json.key("costs").open('[');
  for (std::size_t e = 0; e < point.costs.size(); ++e) {
    write_cost(json, report.options.etas[e], point.costs[e]);
  }
  json.close(']');
  json.close('}');
}

void write_optimum(JsonText& json, const ParetoReport& report, const Pareto& pareto,
                   std::size_t e) {
  const EtaOptimum& optimum = pareto.optima[e];
  const ParetoPoint& point = pareto.points[optimum.point];
  json.open('{');
  json.key("eta").number(optimum.eta);
  json.key("point").count(std::uint64_t{optimum.point});
  write_group(json.key("knobs"), report.knobs, point.knobs);
  json.key("time_s").number(point.seconds);
  json.key("energy_j").number(point.joules);
  json.key("cost_j").number(point.costs[e].joules);
  write_saving(json.key("cost_saving"), point.costs[e].saving);
  write_saving(json.key("energy_saving"), point.energy_saving);
  write_saving(json.key("time_saving"), point.time_saving);
  json.key("optimum_share").number(point.costs[e].optimum_share);
  json.key("line").open('[');
  write_place(json, optimum.line.first);
  write_place(json, optimum.line.second);
  json.close(']');
  json.close('}');
}

void write_range(JsonText& json, const EtaRange& range) {
  json.open('{');
  json.key("point").count(std::uint64_t{range.point});
  json.key("from").number(range.from);
  json.key("to").number(range.to);
  json.close('}');
}

void write_area(JsonText& json, const Pareto& pareto) {
  json.key("reference");
  write_place(json, {pareto.reference.seconds, pareto.reference.joules});
  json.key("hypervolume").number(pareto.hypervolume);
  json.key("hypervolume_share").number(pareto.hypervolume_share);
  write_each(json.key("outline"), pareto.outline,
             [&](const TimeAndEnergy& place) { write_place(json, place); });
}

void write_scatter(JsonText& json, const Pareto& pareto) {
  json.key("dof").count(pareto.dof);
  json.key("sigma_time").number(pareto.sigma_time);
  json.key("sigma_energy").number(pareto.sigma_energy);
  json.key("correlation").number(pareto.correlation);
  if (!pareto.no_draws.empty()) json.key("no_draws").text(pareto.no_draws);
}

void write_pareto(JsonText& json, const ParetoReport& report, const GroupPareto& group) {
  const Pareto& pareto = group.result;
  json.open('{');
  write_group(json.key("group"), report.study.by, group.group);
  write_each(json.key("points"), pareto.points,
             [&](const ParetoPoint& point) { write_point(json, report, point); });
  write_each(json.key("frontier"), pareto.frontier,
             [&](std::size_t point) { json.count(std::uint64_t{point}); });
  if (pareto.default_point) {
    json.key("default").count(std::uint64_t{*pareto.default_point});
  } else {
    json.key("default").null();
    json.key("no_default").text(pareto.no_default);
  }
  json.key("optima").open('[');
  for (std::size_t e = 0; e < pareto.optima.size(); ++e) write_optimum(json, report, pareto, e);
  json.close(']');
  write_each(json.key("eta_ranges"), pareto.ranges,
             [&](const EtaRange& range) { write_range(json, range); });
  write_area(json, pareto);
  write_scatter(json, pareto);
  write_strings(json.key("sentences"), pareto_sentences(report, pareto));
  json.close('}');
}

void write_text_or_null(JsonText json, const std::string& text) {
  text.empty() ? json.null() : json.text(text);
}

void write_columns(JsonHead& head, const ParetoReport& report) {
  head.member("schema").text("scalelaw.pareto/1");
  head.member("version").text(kVersion);
  JsonText inputs = head.member("inputs");
  write_strings(inputs, report.study.inputs);
  head.member("time").text(report.study.y);
  write_text_or_null(head.member("energy"), report.energy);
  write_text_or_null(head.member("power"), report.power);
  head.member("total_power").boolean(report.total_power);
  write_text_or_null(head.member("gpus"), report.study.x);
  JsonText by = head.member("by");
  write_strings(by, report.study.by);
  JsonText knobs = head.member("knobs");
  write_strings(knobs, report.knobs);
  write_text_or_null(head.member("run"), report.study.run);
}

void write_head(std::string& out, const ParetoReport& report) {
  const ParetoOptions& options = report.options;
  JsonHead head(out);
  write_columns(head, report);
  JsonText etas = head.member("etas");
  write_each(etas, options.etas, [&](double eta) { etas.number(eta); });
  head.member("max_power_w").number(options.max_power);
  write_text_or_null(head.member("max_power_from"), report.max_power_from);
  head.member("time_cost").text(name_of(options.time_cost));
  JsonText defaults = head.member("default");
  defaults.open('{');
  for (const KnobValue& knob : options.default_knobs) defaults.key(knob.knob).text(knob.value);
  defaults.close('}');
  head.member("confidence").number(options.confidence);
  head.member("draws").count(std::uint64_t{options.draws});
  head.member("seed").count(options.seed);
  write_rows(head, report.study);
}

}  // namespace

void write_pareto_json(const ParetoReport& report, std::span<const GroupPareto> groups,
                       const TextSink& sink) {
  BufferedText out(sink);
  write_head(out.text(), report);
  out.text() += ",\n \"groups\": [";
  for (std::size_t i = 0; i < groups.size(); ++i) {
    out.text() += i > 0 ? ",\n  " : "\n  ";
    JsonText json(out.text());
    write_pareto(json, report, groups[i]);
    out.pass_on_if_full();
  }
  out.text() += groups.empty() ? "]}\n" : "\n ]}\n";
  out.pass_on();
}

void write_pareto_jsonl(const ParetoReport& report, std::span<const GroupPareto> groups,
                        const TextSink& sink) {
  BufferedText out(sink);
  for (const GroupPareto& group : groups) {
    JsonText json(out.text());
    write_pareto(json, report, group);
    out.text() += '\n';
    out.pass_on_if_full();
  }
  out.pass_on();
}

}  // namespace scalelaw
