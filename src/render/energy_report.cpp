// Energy scaling in every format: its JSON (schema scalelaw.energy/1), and one row per group and N
// with the figures of its group.

#include "scalelaw/render/energy_report.hpp"

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "render/energy_answer.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

// JSON.

void write_energy_ratio(JsonText& json, const Ratio& ratio) {
  json << Members{{"ratio", ratio.value}, {"ci", ratio.ci}};
}

/// Writes an exponent with the other figures of its power law.
void write_power_law(JsonText& json, const Fit& fit) {
  const Parameter& exponent = fit.parameters.back();
  json.key(fit.response == Response::kTime ? "beta" : "exponent").number(exponent.estimate);
  json << Members{{"se", exponent.se}, {"ci", exponent.ci}, {"t", exponent.t}, {"p", exponent.p}};
  json.key("alpha").number(fit.parameters.front().estimate);
  json << Members{{"alpha_ci", fit.parameters.front().ci}, {"n", fit.n}, {"dof", fit.dof}};
  write_numbers(json, {{"sigma", fit.sigma}, {"r2", fit.r2}});
}

void write_exponents(JsonText& json, const EnergyExponents& exponents) {
  write_object(json.key("time"), exponents.time, write_power_law);
  write_object(json.key("power"), exponents.power, write_power_law);
  write_object(json.key("energy"), exponents.energy, write_power_law);
  write_estimate(json.key("edp"), exponents.edp, true);
}

void write_identity(JsonText& json, const IdentityCheck& identity) {
  json << Members{{"verdict", identity.verdict}, {"n", identity.n}};
  write_estimate(json.key("residual"), identity.residual);
  json.key("margin").number(kIdentityMargin);
  write_object(json.key("level"), identity.level, write_energy_ratio);
  json.key("reason").text_or_null(identity.reason);
}

void write_line(JsonText& json, const Fit& fit, const std::optional<double>* r2_mean) {
  write_estimate(json.key("k_w_per_gpu"), fit.parameters.back(), true);
  if (fit.parameters.size() > 1) {
    write_estimate(json.key("intercept_wh"), fit.parameters.front(), true);
  }
  json.key("r2").number(fit.r2);
  if (r2_mean != nullptr) json.key("r2_about_mean").number(*r2_mean);
  json << Members{{"sigma", fit.sigma}, {"n", fit.n}, {"dof", fit.dof}};
}

void write_gpu_hours(JsonText& json, const GpuHoursFit& fit) {
  const auto line = [&](std::string_view name, const Outcome<Fit>& result,
                        const std::optional<double>* r2_mean = nullptr) {
    write_object(json.key(name), result,
                 [=](JsonText& out, const Fit& one) { write_line(out, one, r2_mean); });
  };
  line("through_origin", fit.origin);
  line("with_intercept", fit.intercept);
  line("through_origin_least_squares", fit.origin_least, &fit.origin_least_r2_mean);
  line("with_intercept_least_squares", fit.intercept_least);
}

void write_driver(JsonText& json, const PowerDriver& driver) {
  json << Members{{"with", driver.name}, {"n", driver.n}};
  write_estimate(json.key("slope"), driver.slope);
  json << Members{{"r2", driver.r2}, {"reason", or_null(driver.reason)}};
}

void write_joint(JsonText& json, const JointDrivers& joint) {
  json << Members{{"n", joint.n}, {"dof", joint.dof}};
  write_estimate(json.key("samples_per_gpu_hour"), joint.samples, true);
  write_estimate(json.key("updates_per_gpu_hour"), joint.updates, true);
  json.key("r2").number(joint.r2);
}

void write_energy_scale(JsonText& json, const EnergyAtScale& scale) {
  json << Members{{"x", scale.x}, {"n", scale.n}};
  write_numbers(json, {{"seconds", scale.seconds},
                       {"joules", scale.joules},
                       {"w_per_gpu", scale.watts_per_gpu},
                       {"gpu_hours", scale.gpu_hours},
                       {"kwh", scale.kwh},
                       {"co2_kg", scale.co2_kg},
                       {"cost", scale.cost}});
  write_object(json.key("speedup"), scale.speedup, write_energy_ratio);
  write_object(json.key("efficiency"), scale.efficiency, write_energy_ratio);
  write_object(json.key("energy"), scale.energy, write_energy_ratio);
  write_object(json.key("edp"), scale.edp, write_energy_ratio);
  write_object(json.key("sample_speedup"), scale.sample_speedup, write_energy_ratio);
  write_object(json.key("sample_efficiency"), scale.sample_efficiency, write_energy_ratio);
  write_object(json.key("sample_energy"), scale.sample_energy, write_energy_ratio);
}

void write_minimum(JsonText& json, const Least& least) {
  json << Members{{"x", least.x}, {"place", least.place}, {"ci", least.ci}};
  json.key("against_smallest").number(least.against_smallest);
}

void write_least(JsonText& json, const LeastUnderLaw& law) {
  json << Members{{"law", law.law}, {"best", law.best}, {"rejected", or_null(law.rejected)}};
  write_object(json.key("minima"), law.least, [](JsonText& out, const std::vector<Least>& all) {
    for (const Least& one : all) write_object(out.key(name_of(one.objective)), one, write_minimum);
  });
}

void write_per_sample(JsonText& json, const PerSample& sample) {
  write_object(json.key("time"), sample.time, write_power_law);
  write_object(json.key("energy"), sample.energy, write_power_law);
}

void write_workload(JsonText& json, const Workload& work) {
  json.key("scaling").text_or_null(work.scaling ? name_of(*work.scaling) : "");
  json.key("samples_exponent").number(work.samples_exponent);
  json.key("batch_exponent").number(work.batch_exponent);
  write_object(json.key("per_sample"), work.per_sample, write_per_sample);
  json.key("reason").text_or_null(work.reason);
}

void write_totals(JsonText& json, const EnergyTotals& totals) {
  write_numbers(json, {{"gpu_hours", totals.gpu_hours},
                       {"joules", totals.joules},
                       {"kwh", totals.kwh},
                       {"co2_kg", totals.co2_kg},
                       {"cost", totals.cost}});
}

void write_warning(JsonText& json, const EnergyWarning& warning) {
  json << Members{{"of", warning.of}, {"code", warning.code}};
}

// Columns.

/// A row is made from these.
struct ScaleRow {
  const EnergyScaling& scaling;
  const EnergyAtScale& scale;
};
using EnergySheet = Sheet<ScaleRow>;

void add_scale(EnergySheet& sheet) {
  const auto scale = sheet.part([](const ScaleRow& row) { return &row.scale; });
  const auto ratio = [&scale](const char* name, auto member) {
    scale.part(member).bounded(name, &Ratio::value, &Ratio::ci);
  };
  scale.add("x", &EnergyAtScale::x).as(scale_value());
  scale.add("runs", &EnergyAtScale::n);
  scale.add("seconds", &EnergyAtScale::seconds);
  scale.add("joules", &EnergyAtScale::joules);
  scale.add("w_per_gpu", &EnergyAtScale::watts_per_gpu);
  scale.add("gpu_hours", &EnergyAtScale::gpu_hours);
  scale.add("kwh", &EnergyAtScale::kwh);
  scale.add("co2_kg", &EnergyAtScale::co2_kg);
  scale.add("cost", &EnergyAtScale::cost);
  ratio("speedup", &EnergyAtScale::speedup);
  ratio("efficiency", &EnergyAtScale::efficiency);
  ratio("energy_ratio", &EnergyAtScale::energy);
  ratio("edp_ratio", &EnergyAtScale::edp);
  ratio("sample_speedup", &EnergyAtScale::sample_speedup);
  ratio("sample_efficiency", &EnergyAtScale::sample_efficiency);
  ratio("sample_energy_ratio", &EnergyAtScale::sample_energy);
}

const Estimate* exponent_of(const Fit* fit) {
  return fit != nullptr && !fit->parameters.empty() ? &fit->parameters.back() : nullptr;
}

void add_exponents(EnergySheet& sheet) {
  const auto exponents_in = [](const ScaleRow& row) {
    return std::get_if<EnergyExponents>(&row.scaling.exponents);
  };
  const auto add = [&](const char* name, auto fit_in) {
    sheet.estimate(name, [=](const ScaleRow& row) -> const Estimate* {
      const EnergyExponents* const all = exponents_in(row);
      return all != nullptr ? exponent_of(fit_in(*all)) : nullptr;
    });
  };
  add("beta", [](const EnergyExponents& all) { return &all.time; });
  add("power_exponent", [](const EnergyExponents& all) { return std::get_if<Fit>(&all.power); });
  add("energy_exponent", [](const EnergyExponents& all) { return &all.energy; });
  sheet.part(exponents_in).estimate("edp_exponent", &EnergyExponents::edp);
  const auto identity = sheet.part([](const ScaleRow& row) { return &row.scaling.identity; });
  identity.estimate("identity_residual", &IdentityCheck::residual);
  identity.part(&IdentityCheck::level).bounded("identity_level", &Ratio::value, &Ratio::ci);
  identity.add("identity", &IdentityCheck::verdict);
}

/// Adds the figures of one line of energy over GPU-hours.
void add_line(EnergySheet& sheet, const std::string& name, Outcome<Fit> GpuHoursFit::*line) {
  const auto fit_of = [line](const ScaleRow& row) {
    return std::get_if<Fit>(&(row.scaling.gpu_hours.*line));
  };
  sheet.estimate("k_" + name, [=](const ScaleRow& row) { return exponent_of(fit_of(row)); });
  if (name.starts_with("intercept")) {
    sheet.estimate("wh_" + name, [=](const ScaleRow& row) -> const Estimate* {
      const Fit* const fit = fit_of(row);
      return fit != nullptr && fit->parameters.size() > 1 ? &fit->parameters.front() : nullptr;
    });
  }
  sheet.part(fit_of).add("r2_" + name, &Fit::r2);
}

void add_gpu_hours(EnergySheet& sheet) {
  add_line(sheet, "origin", &GpuHoursFit::origin);
  add_line(sheet, "intercept", &GpuHoursFit::intercept);
  add_line(sheet, "origin_least_squares", &GpuHoursFit::origin_least);
  sheet.add("r2_about_mean_origin_least_squares",
            [](const ScaleRow& row) { return row.scaling.gpu_hours.origin_least_r2_mean; });
  add_line(sheet, "intercept_least_squares", &GpuHoursFit::intercept_least);
}

void add_drivers(EnergySheet& sheet) {
  for (const std::string_view name :
       {"scale", "global_batch", "local_batch", "samples_per_gpu_hour", "updates_per_gpu_hour"}) {
    const auto driver_of = [name](const ScaleRow& row) {
      return first_where(row.scaling.drivers,
                         [name](const PowerDriver& one) { return one.name == name; });
    };
    sheet.part(driver_of).estimate(fmt::format("k_by_{}", name), &PowerDriver::slope);
  }
}

const LeastUnderLaw* best_law(const EnergyScaling& scaling) {
  return first_where(scaling.least, [](const LeastUnderLaw& law) { return law.best; });
}

const LeastUnderLaw* as_measured(const EnergyScaling& scaling) {
  return first_where(scaling.least, [](const LeastUnderLaw& law) { return law.law == "measured"; });
}

/// Adds the N at which each objective is least under the law that law_of(scaling) points to.
void add_minima(EnergySheet& sheet, const std::string& prefix,
                const LeastUnderLaw* (*law_of)(const EnergyScaling&), bool with_interval) {
  for (const Objective objective :
       {Objective::kEnergy, Objective::kEnergyDelay, Objective::kCost}) {
    const auto least_of = [=](const ScaleRow& row) -> const Least* {
      const LeastUnderLaw* const law = law_of(row.scaling);
      if (law == nullptr) return nullptr;
      return first_where(law->least,
                         [=](const Least& least) { return least.objective == objective; });
    };
    const auto least = sheet.part(least_of);
    const std::string name = fmt::format("{}_{}", prefix, name_of(objective));
    least.add(name + "_x", &Least::x).as(scale_value());
    if (with_interval) least.interval(name + "_x_ci", &Least::ci).as(scale_value());
    least.add(name + "_place", &Least::place);
  }
}

void add_least(EnergySheet& sheet) {
  sheet.part([](const ScaleRow& row) { return best_law(row.scaling); })
      .add("best_law", &LeastUnderLaw::law);
  add_minima(sheet, "least", best_law, true);
  sheet.add("least_caveat",
            [](const ScaleRow& row) -> std::string_view { return row.scaling.least_caveat; });
  add_minima(sheet, "measured_least", as_measured, false);
}

void add_workload(EnergySheet& sheet) {
  sheet.add("scaling", [](const ScaleRow& row) {
    const auto& scaling = row.scaling.workload.scaling;
    return scaling ? name_of(*scaling) : std::string_view();
  });
  const auto exponent = [&sheet](const char* name, Fit PerSample::*fit) {
    sheet.estimate(name, [fit](const ScaleRow& row) -> const Estimate* {
      const auto& sample = row.scaling.workload.per_sample;
      return sample ? exponent_of(&((*sample).*fit)) : nullptr;
    });
  };
  exponent("sample_beta", &PerSample::time);
  exponent("sample_energy_exponent", &PerSample::energy);
}

std::string warnings_text(const ScaleRow& row) {
  return joined_texts(energy_warnings(row.scaling), ";", [](const EnergyWarning& warning) {
    return fmt::format("{}: {}", warning.of, name_of(warning.code));
  });
}

/// Adds the ratios that people see: those of one sample if samples are known, else of a run.
void add_work(EnergySheet& sheet) {
  const auto add = [&sheet](const std::string& name, std::optional<Ratio> EnergyAtScale::*sample,
                            auto run, auto text_of) {
    const auto ratio = sheet.part([=](const ScaleRow& row) {
      const Ratio* const of_sample = pointer_to(row.scale.*sample);
      return of_sample != nullptr ? of_sample : pointer_to(row.scale.*run);
    });
    const auto ends = [](const Ratio& one) { return interval_text(one.ci, significant(3)); };
    ratio.for_people(name, [text_of](const Ratio& one) { return text_of(one.value); }).right();
    ratio.for_people(name + "_ci", ends).right();
  };
  const auto digits = [](double value) { return with_significant_digits(value, 4); };
  const auto share = [](double value) { return with_significant_digits(100 * value, 3) + " %"; };
  add("work_speedup", &EnergyAtScale::sample_speedup, &EnergyAtScale::speedup, digits);
  add("work_efficiency", &EnergyAtScale::sample_efficiency, &EnergyAtScale::efficiency, share);
  add("work_energy_ratio", &EnergyAtScale::sample_energy, &EnergyAtScale::energy, digits);
}

/// Chooses the columns that people see, and their titles.
void show_columns(EnergySheet& sheet, const EnergyReport& report) {
  const std::string interval = percent_text(report.options.confidence) + " interval";
  const Footprint& footprint = report.options.footprint;
  sheet.show("x", report.study.x);
  sheet.show("runs", "runs");
  sheet.show("seconds", "t [s]");
  sheet.show("work_speedup", "speedup");
  sheet.named("work_speedup_ci").detail().titled(interval);
  if (may_share_work(report.study.x)) sheet.show("work_efficiency", "efficiency");
  sheet.show("kwh", "E [kWh]");
  sheet.show("work_energy_ratio", "E rel.");
  sheet.named("work_energy_ratio_ci").detail().titled(interval);
  sheet.show("w_per_gpu", watts_title(report.study.x));
  if (footprint.carbon_intensity) sheet.show("co2_kg", "CO2 [kg]");
  if (footprint.price || report.options.gpu_price) sheet.show("cost", report.currency.cost_title());
}

class EnergyDescription final : public Description<EnergyReport, EnergyScaling, ScaleRow> {
 public:
  explicit EnergyDescription(const EnergyReport& report)
      : Description(report, {.noun = "energy scaling",
                             .schema = "scalelaw.energy/1",
                             .list = "energies",
                             .unexplained = "--format json explains them all"}),
        answer_(report) {}

  void write_head(JsonText& head) const override {
    write_data(head, report_.study);
    head << HeadMembers{{"energy", or_null(report_.energy)},   {"power", or_null(report_.power)},
                        {"total_power", report_.total_power},  {"batch", or_null(report_.batch)},
                        {"samples", or_null(report_.samples)}, {"run", or_null(report_.study.run)}};
    const EnergyOptions& options = report_.options;
    head << HeadMembers{{"confidence", options.confidence}, {"pue", options.footprint.pue}};
    head.member("carbon_intensity").number(options.footprint.carbon_intensity);
    head << HeadMembers{{"price", options.footprint.price}, {"gpu_price", options.gpu_price}};
    write_rows(head, report_.study);
  }

  void write_members(JsonText& json, const EnergyScaling& scaling) const override {
    json << Members{{"n", scaling.n}, {"distinct_x", scaling.scales.size()}};
    write_numbers(json, {{"x_min", scaling.x_min}, {"x_max", scaling.x_max}});
    json.key("power_source").text(name_of(scaling.power));
    write_object(json.key("exponents"), std::get_if<EnergyExponents>(&scaling.exponents),
                 write_exponents);
    if (const NoFit* reason = std::get_if<NoFit>(&scaling.exponents)) {
      write_object(json.key("no_exponents"), reason, write_reason);
    }
    write_object(json.key("identity"), scaling.identity, write_identity);
    write_object(json.key("gpu_hours"), scaling.gpu_hours, write_gpu_hours);
    write_objects(json.key("k_moves"), scaling.drivers, write_driver);
    write_object(json.key("k_moves_together"), scaling.joint, write_joint);
    write_objects(json.key("scales"), scaling.scales, write_energy_scale);
    write_objects(json.key("least"), scaling.least, write_least);
    json.key("least_caveat").text_or_null(scaling.least_caveat);
    write_object(json.key("workload"), scaling.workload, write_workload);
    write_object(json.key("totals"), scaling.totals, write_totals);
    write_objects(json.key("warnings"), energy_warnings(scaling), write_warning);
    write_strings(json.key("sentences"), energy_sentences(report_, scaling));
  }

  EnergySheet sheet(Format) const override {
    EnergySheet sheet(report_.study.by);
    sheet.add_status();
    add_scale(sheet);
    sheet.add("n", [](const ScaleRow& row) { return row.scaling.n; });
    add_exponents(sheet);
    add_gpu_hours(sheet);
    add_drivers(sheet);
    add_least(sheet);
    add_workload(sheet);
    sheet.add("warnings", warnings_text);
    sheet.add_failure(
        [](const ScaleRow& row) { return std::get_if<NoFit>(&row.scaling.exponents); });
    add_work(sheet);
    show_columns(sheet, report_);
    return sheet;
  }

  void add_rows(SheetWriter& rows, const GroupKey& group,
                const EnergyScaling& scaling) const override {
    rows.begin_part();
    for (const EnergyAtScale& scale : scaling.scales) rows.add(group, ScaleRow{scaling, scale});
  }

  std::vector<std::string> answer() const override {
    std::vector<std::string> sentences = answer_.sentences();
    if (answer_.tells_growth()) {
      sentences.push_back("Below the table stands what a doubling costs each group.");
    }
    return sentences;
  }

  void take_note_of(const GroupKey& group, const EnergyScaling& scaling) override {
    answer_.take_note_of(group, scaling);
    per_sample_ = per_sample_ || scaling.workload.is_per_sample();
  }

  std::string caption() const override {
    const std::string time(time_of_all(report_.study.x));
    std::string text = fmt::format(
        "Speedup and relative energy are against the smallest {0} of the group. Time: {1}, energy: "
        "{2}, power: {3}.",
        report_.study.x, report_.study.y,
        report_.energy.empty() ? "power times " + time : report_.energy,
        report_.power.empty() ? "energy over " + time : report_.power);
    if (per_sample_) {
      text += fmt::format(" Figures are per sample where {} varies with N.", report_.samples);
    }
    const Footprint& footprint = report_.options.footprint;
    if (footprint.pue != 1) text += fmt::format(" kWh are of the building, PUE {}.", footprint.pue);
    if (footprint.carbon_intensity) {
      text += fmt::format(" One kWh emits {} g CO2.", *footprint.carbon_intensity);
    }
    return text;
  }

  std::vector<std::string> answer_on(const GroupKey&, const EnergyScaling& scaling) const override {
    return energy_answer(report_, scaling);
  }

  void explain(Notes& lines, const GroupKey&, const EnergyScaling& scaling) override {
    for (const std::string& line : energy_doubts(report_, scaling)) lines.add("  " + line);
    for (const std::string& line : energy_sentences(report_, scaling)) lines.detail("  " + line);
  }

 private:
  EnergyAnswer answer_;
  bool per_sample_ = false;
};

}  // namespace

std::unique_ptr<GroupWriter<EnergyScaling>> make_energy_writer(const EnergyReport& report,
                                                               const TableStyle& style,
                                                               TextSink sink) {
  return make_result_writer(EnergyDescription(report), style, std::move(sink));
}

}  // namespace scalelaw
