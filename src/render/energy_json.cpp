// Energy scaling as JSON (schema scalelaw.energy/1) and as JSON lines.

#include "render/energy_writers.hpp"
#include "render/group_json.hpp"

namespace scalelaw {
namespace {

void write_ratio(JsonText& json, const Ratio& ratio) {
  json.open('{');
  json.key("ratio").number(ratio.value);
  write_interval(json.key("ci"), ratio.ci);
  json.close('}');
}

void write_ratio(JsonText& json, const std::optional<Ratio>& ratio) {
  ratio ? write_ratio(json, *ratio) : json.null();
}

void write_optional_estimate(JsonText& json, const std::optional<Estimate>& estimate) {
  estimate ? write_estimate(json, *estimate, true) : json.null();
}

void write_text_or_null(JsonText& json, std::string_view text) {
  text.empty() ? json.null() : json.text(text);
}

/// An exponent with what goes with its power law.
void write_power_law(JsonText& json, const Fit& fit) {
  json.open('{');
  const Parameter& exponent = fit.parameters.back();
  json.key(fit.response == Response::kTime ? "beta" : "exponent").number(exponent.estimate);
  json.key("se").number(exponent.se);
  write_interval(json.key("ci"), exponent.ci);
  json.key("t").number(exponent.t);
  json.key("p").number(exponent.p);
  json.key("alpha").number(fit.parameters.front().estimate);
  write_interval(json.key("alpha_ci"), fit.parameters.front().ci);
  json.key("n").count(fit.n);
  json.key("dof").count(fit.dof);
  json.key("sigma").number(fit.sigma);
  json.key("r2").number(fit.r2);
  json.close('}');
}

void write_exponents(JsonText& json, const EnergyScaling& scaling) {
  const auto* exponents = std::get_if<EnergyExponents>(&scaling.exponents);
  if (exponents == nullptr) return json.null();
  json.open('{');
  write_power_law(json.key("time"), exponents->time);
  const Fit* power = std::get_if<Fit>(&exponents->power);
  json.key("power");
  power != nullptr ? write_power_law(json, *power)
                   : write_reason(json, std::get<NoFit>(exponents->power));
  write_power_law(json.key("energy"), exponents->energy);
  write_estimate(json.key("edp"), exponents->edp, true);
  json.close('}');
}

void write_identity(JsonText& json, const IdentityCheck& identity) {
  json.open('{');
  json.key("verdict").text(name_of(identity.verdict));
  json.key("n").count(identity.n);
  write_optional_estimate(json.key("residual"), identity.residual);
  json.key("margin").number(kIdentityMargin);
  write_ratio(json.key("level"), identity.level);
  write_text_or_null(json.key("reason"), identity.reason);
  json.close('}');
}

void write_line(JsonText& json, const Outcome<Fit>& result,
                const std::optional<double>* r2_mean = nullptr) {
  const Fit* fit = std::get_if<Fit>(&result);
  if (fit == nullptr) return write_reason(json, std::get<NoFit>(result));
  json.open('{');
  write_estimate(json.key("k_w_per_gpu"), fit->parameters.back(), true);
  if (fit->parameters.size() > 1) {
    write_estimate(json.key("intercept_wh"), fit->parameters.front(), true);
  }
  json.key("r2").number(fit->r2);
  if (r2_mean != nullptr) json.key("r2_about_mean").number(*r2_mean);
  json.key("sigma").number(fit->sigma);
  json.key("n").count(fit->n);
  json.key("dof").count(fit->dof);
  json.close('}');
}

void write_gpu_hours(JsonText& json, const GpuHoursFit& fit) {
  json.open('{');
  write_line(json.key("through_origin"), fit.origin);
  write_line(json.key("with_intercept"), fit.intercept);
  write_line(json.key("through_origin_least_squares"), fit.origin_least, &fit.origin_least_r2_mean);
  write_line(json.key("with_intercept_least_squares"), fit.intercept_least);
  json.close('}');
}

void write_driver(JsonText& json, const PowerDriver& driver) {
  json.open('{');
  json.key("with").text(driver.name);
  json.key("n").count(driver.n);
  write_optional_estimate(json.key("slope"), driver.slope);
  json.key("r2").number(driver.r2);
  write_text_or_null(json.key("reason"), driver.reason);
  json.close('}');
}

void write_joint(JsonText& json, const std::optional<JointDrivers>& joint) {
  if (!joint) return json.null();
  json.open('{');
  json.key("n").count(joint->n);
  json.key("dof").count(joint->dof);
  write_estimate(json.key("samples_per_gpu_hour"), joint->samples, true);
  write_estimate(json.key("updates_per_gpu_hour"), joint->updates, true);
  json.key("r2").number(joint->r2);
  json.close('}');
}

void write_scale(JsonText& json, const EnergyAtScale& scale) {
  json.open('{');
  json.key("x").number(scale.x);
  json.key("n").count(scale.n);
  json.key("seconds").number(scale.seconds);
  json.key("joules").number(scale.joules);
  json.key("w_per_gpu").number(scale.watts_per_gpu);
  json.key("gpu_hours").number(scale.gpu_hours);
  json.key("kwh").number(scale.kwh);
  json.key("co2_kg").number(scale.co2_kg);
  json.key("cost").number(scale.cost);
  write_ratio(json.key("speedup"), scale.speedup);
  write_ratio(json.key("efficiency"), scale.efficiency);
  write_ratio(json.key("energy"), scale.energy);
  write_ratio(json.key("edp"), scale.edp);
  write_ratio(json.key("sample_speedup"), scale.sample_speedup);
  write_ratio(json.key("sample_efficiency"), scale.sample_efficiency);
  write_ratio(json.key("sample_energy"), scale.sample_energy);
  json.close('}');
}

void write_least(JsonText& json, const LeastUnderLaw& law) {
  json.open('{');
  json.key("law").text(law.law);
  json.key("best").boolean(law.best);
  write_text_or_null(json.key("rejected"), law.rejected);
  json.key("minima").open('{');
  for (const Least& least : law.least) {
    json.key(name_of(least.objective)).open('{');
    json.key("x").number(least.x);
    json.key("place").text(name_of(least.place));
    write_interval(json.key("ci"), least.ci);
    json.key("against_smallest").number(least.against_smallest);
    json.close('}');
  }
  json.close('}');
  json.close('}');
}

void write_workload(JsonText& json, const Workload& workload) {
  json.open('{');
  json.key("scaling");
  workload.scaling ? json.text(name_of(*workload.scaling)) : json.null();
  json.key("samples_exponent").number(workload.samples_exponent);
  json.key("batch_exponent").number(workload.batch_exponent);
  json.key("per_sample");
  if (workload.per_sample) {
    json.open('{');
    write_power_law(json.key("time"), workload.per_sample->time);
    write_power_law(json.key("energy"), workload.per_sample->energy);
    json.close('}');
  } else {
    json.null();
  }
  write_text_or_null(json.key("reason"), workload.reason);
  json.close('}');
}

void write_totals(JsonText& json, const EnergyTotals& totals) {
  json.open('{');
  json.key("gpu_hours").number(totals.gpu_hours);
  json.key("joules").number(totals.joules);
  json.key("kwh").number(totals.kwh);
  json.key("co2_kg").number(totals.co2_kg);
  json.key("cost").number(totals.cost);
  json.close('}');
}

void write_scaling(JsonText& json, const EnergyReport& report, const GroupKey& group,
                   const EnergyScaling& scaling) {
  json.open('{');
  write_group(json.key("group"), report.study.by, group);
  json.key("n").count(scaling.n);
  json.key("distinct_x").count(std::uint64_t{scaling.scales.size()});
  json.key("x_min").number(scaling.x_min);
  json.key("x_max").number(scaling.x_max);
  json.key("power_source").text(name_of(scaling.power));
  write_exponents(json.key("exponents"), scaling);
  if (const NoFit* reason = std::get_if<NoFit>(&scaling.exponents)) {
    write_reason(json.key("no_exponents"), *reason);
  }
  write_identity(json.key("identity"), scaling.identity);
  write_gpu_hours(json.key("gpu_hours"), scaling.gpu_hours);
  write_each(json.key("k_moves"), scaling.drivers, write_driver);
  write_joint(json.key("k_moves_together"), scaling.joint);
  write_each(json.key("scales"), scaling.scales, write_scale);
  write_each(json.key("least"), scaling.least, write_least);
  write_text_or_null(json.key("least_caveat"), scaling.least_caveat);
  write_workload(json.key("workload"), scaling.workload);
  write_totals(json.key("totals"), scaling.totals);
  write_each(json.key("warnings"), energy_warnings(scaling),
             [](JsonText& out, const EnergyWarning& warning) {
               out.open('{');
               out.key("of").text(warning.of);
               out.key("code").text(warning.code);
               out.close('}');
             });
  json.key("sentences");
  write_strings(json, energy_sentences(report, scaling));
  json.close('}');
}

void write_head(std::string& out, const EnergyReport& report) {
  JsonHead head(out);
  write_data(head, "scalelaw.energy/1", report.study);
  const auto column = [&](std::string_view name, const std::string& text) {
    JsonText json = head.member(name);
    write_text_or_null(json, text);
  };
  column("energy", report.energy);
  column("power", report.power);
  head.member("total_power").boolean(report.total_power);
  column("batch", report.batch);
  column("samples", report.samples);
  column("run", report.study.run);
  const EnergyOptions& options = report.options;
  head.member("confidence").number(options.confidence);
  head.member("pue").number(options.footprint.pue);
  head.member("carbon_intensity").number(options.footprint.carbon_intensity);
  head.member("price").number(options.footprint.price);
  head.member("gpu_price").number(options.gpu_price);
  write_rows(head, report.study);
}

}  // namespace

void write_energy_json(const EnergyReport& report, std::span<const GroupEnergy> groups,
                       const TextSink& sink) {
  BufferedText out(sink);
  write_head(out.text(), report);
  write_groups<EnergyScaling>(out, "energies", report.study.by, groups,
                              [&](JsonText& json, const GroupKey& group, const EnergyScaling& one) {
                                write_scaling(json, report, group, one);
                              });
}

void write_energy_jsonl(const EnergyReport& report, std::span<const GroupEnergy> groups,
                        const TextSink& sink) {
  write_group_lines<EnergyScaling>(
      report.study.by, groups, sink,
      [&](JsonText& json, const GroupKey& group, const EnergyScaling& one) {
        write_scaling(json, report, group, one);
      });
}

}  // namespace scalelaw
