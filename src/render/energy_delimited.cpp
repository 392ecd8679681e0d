// Energy scaling as CSV or TSV: one row a group and N with the figures of its group, every digit of
// every number.

#include <algorithm>
#include <array>
#include <utility>

#include "render/delimited_rows.hpp"
#include "render/energy_writers.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

/// The fields of a row by name, in their order.
class Fields {
 public:
  void text(std::string name, std::string value) {
    fields_.emplace_back(std::move(name), std::move(value));
  }
  void number(std::string name, const std::optional<double>& value) {
    text(std::move(name), exact_text(value));
  }
  void interval(const std::string& name, const std::optional<Interval>& ci) {
    number(name + "_ci_lower", ci ? std::optional(ci->lower) : std::nullopt);
    number(name + "_ci_upper", ci ? std::optional(ci->upper) : std::nullopt);
  }
  void ratio(const std::string& name, const std::optional<Ratio>& ratio) {
    number(name, ratio ? std::optional(ratio->value) : std::nullopt);
    interval(name, ratio ? ratio->ci : std::nullopt);
  }
  void estimate(const std::string& name, const Estimate* estimate) {
    number(name, estimate != nullptr ? std::optional(estimate->estimate) : std::nullopt);
    number(name + "_se", estimate != nullptr ? estimate->se : std::nullopt);
    interval(name, estimate != nullptr ? estimate->ci : std::nullopt);
  }
  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

const Estimate* exponent_of(const Fit* fit) {
  return fit != nullptr && !fit->parameters.empty() ? &fit->parameters.back() : nullptr;
}

void add_scale(Fields& fields, const EnergyAtScale& scale) {
  fields.number("x", scale.x);
  fields.text("runs", std::to_string(scale.n));
  fields.number("seconds", scale.seconds);
  fields.number("joules", scale.joules);
  fields.number("w_per_gpu", scale.watts_per_gpu);
  fields.number("gpu_hours", scale.gpu_hours);
  fields.number("kwh", scale.kwh);
  fields.number("co2_kg", scale.co2_kg);
  fields.number("cost", scale.cost);
  fields.ratio("speedup", scale.speedup);
  fields.ratio("efficiency", scale.efficiency);
  fields.ratio("energy_ratio", scale.energy);
  fields.ratio("edp_ratio", scale.edp);
  fields.ratio("sample_speedup", scale.sample_speedup);
  fields.ratio("sample_efficiency", scale.sample_efficiency);
  fields.ratio("sample_energy_ratio", scale.sample_energy);
}

void add_exponents(Fields& fields, const EnergyScaling& scaling) {
  const auto* exponents = std::get_if<EnergyExponents>(&scaling.exponents);
  const bool known = exponents != nullptr;
  fields.estimate("beta", known ? exponent_of(&exponents->time) : nullptr);
  fields.estimate("power_exponent",
                  known ? exponent_of(std::get_if<Fit>(&exponents->power)) : nullptr);
  fields.estimate("energy_exponent", known ? exponent_of(&exponents->energy) : nullptr);
  fields.estimate("edp_exponent", known ? &exponents->edp : nullptr);
  const IdentityCheck& identity = scaling.identity;
  fields.estimate("identity_residual", identity.residual ? &*identity.residual : nullptr);
  fields.ratio("identity_level", identity.level);
  fields.text("identity", std::string(name_of(identity.verdict)));
}

void add_line(Fields& fields, const std::string& name, const Outcome<Fit>& result,
              bool with_intercept) {
  const Fit* fit = std::get_if<Fit>(&result);
  fields.estimate("k_" + name, exponent_of(fit));
  if (with_intercept) {
    const bool known = fit != nullptr && fit->parameters.size() > 1;
    fields.estimate("wh_" + name, known ? &fit->parameters.front() : nullptr);
  }
  fields.number("r2_" + name, fit != nullptr ? fit->r2 : std::nullopt);
}

void add_gpu_hours(Fields& fields, const GpuHoursFit& fit) {
  add_line(fields, "origin", fit.origin, false);
  add_line(fields, "intercept", fit.intercept, true);
  add_line(fields, "origin_least_squares", fit.origin_least, false);
  fields.number("r2_about_mean_origin_least_squares", fit.origin_least_r2_mean);
  add_line(fields, "intercept_least_squares", fit.intercept_least, true);
}

void add_drivers(Fields& fields, const EnergyScaling& scaling) {
  for (const std::string_view name :
       {"scale", "global_batch", "local_batch", "samples_per_gpu_hour", "updates_per_gpu_hour"}) {
    const auto driver = std::find_if(scaling.drivers.begin(), scaling.drivers.end(),
                                     [name](const PowerDriver& one) { return one.name == name; });
    const bool known = driver != scaling.drivers.end() && driver->slope;
    fields.estimate("k_by_" + std::string(name), known ? &*driver->slope : nullptr);
  }
}

/// The first law that a test holds for; null if none.
template <class Test>
const LeastUnderLaw* law_where(const EnergyScaling& scaling, Test test) {
  const auto found = std::find_if(scaling.least.begin(), scaling.least.end(), test);
  return found == scaling.least.end() ? nullptr : &*found;
}

const Least* least_of(const LeastUnderLaw* law, Objective objective) {
  if (law == nullptr) return nullptr;
  const auto found = std::find_if(law->least.begin(), law->least.end(),
                                  [&](const Least& least) { return least.objective == objective; });
  return found == law->least.end() ? nullptr : &*found;
}

/// Where the law with the least AICc puts the minima, and where the least was measured.
void add_least(Fields& fields, const EnergyScaling& scaling) {
  constexpr std::array kObjectives{Objective::kEnergy, Objective::kEnergyDelay, Objective::kCost};
  const auto place_of = [](const Least* least) {
    return least != nullptr ? std::string(name_of(least->place)) : std::string();
  };
  const auto x_of = [](const Least* least) {
    return least != nullptr ? std::optional(least->x) : std::nullopt;
  };
  const auto* best = law_where(scaling, [](const LeastUnderLaw& law) { return law.best; });
  fields.text("best_law", best != nullptr ? std::string(best->law) : std::string());
  for (const Objective objective : kObjectives) {
    const Least* least = least_of(best, objective);
    const std::string name = "least_" + std::string(name_of(objective));
    fields.number(name + "_x", x_of(least));
    fields.interval(name + "_x", least != nullptr ? least->ci : std::nullopt);
    fields.text(name + "_place", place_of(least));
  }
  fields.text("least_caveat", scaling.least_caveat);
  const auto* measured =
      law_where(scaling, [](const LeastUnderLaw& law) { return law.law == "measured"; });
  for (const Objective objective : kObjectives) {
    const Least* least = least_of(measured, objective);
    const std::string name = "measured_least_" + std::string(name_of(objective));
    fields.number(name + "_x", x_of(least));
    fields.text(name + "_place", place_of(least));
  }
}

void add_workload(Fields& fields, const Workload& workload) {
  fields.text("scaling",
              workload.scaling ? std::string(name_of(*workload.scaling)) : std::string());
  const auto& sample = workload.per_sample;
  fields.estimate("sample_beta", sample ? exponent_of(&sample->time) : nullptr);
  fields.estimate("sample_energy_exponent", sample ? exponent_of(&sample->energy) : nullptr);
}

std::string warnings_text(const EnergyScaling& scaling) {
  std::string text;
  for (const EnergyWarning& warning : energy_warnings(scaling)) {
    if (!text.empty()) text += ';';
    text.append(warning.of).append(": ").append(warning.code);
  }
  return text;
}

Fields fields_of(const EnergyScaling& scaling, const EnergyAtScale& scale) {
  Fields fields;
  add_scale(fields, scale);
  fields.text("n", std::to_string(scaling.n));
  add_exponents(fields, scaling);
  add_gpu_hours(fields, scaling.gpu_hours);
  add_drivers(fields, scaling);
  add_least(fields, scaling);
  add_workload(fields, scaling.workload);
  fields.text("warnings", warnings_text(scaling));
  const NoFit* reason = std::get_if<NoFit>(&scaling.exponents);
  fields.text("code", reason != nullptr ? std::string(name_of(reason->code)) : std::string());
  fields.text("message", reason != nullptr ? reason->message : std::string());
  return fields;
}

/// The names of the columns behind those of the group, with no values.
Fields no_fields() {
  static const EnergyScaling kNothing{};
  return fields_of(kNothing, {});
}

class Rows {
 public:
  Rows(char separator, const TextSink& sink) : rows_(separator, sink) {}

  void write_header(const EnergyReport& report) {
    const Fields names = no_fields();
    for (const std::string& by : report.study.by) {
      const bool is_taken =
          by == "status" || std::any_of(names.all().begin(), names.all().end(),
                                        [&by](const auto& field) { return field.first == by; });
      rows_.add(is_taken ? "group_" + by : by);
    }
    rows_.add("status");
    for (const auto& [name, value] : names.all()) rows_.add(name);
    rows_.end_row();
  }

  void write(const GroupKey& group, const EnergyScaling& scaling) {
    for (const EnergyAtScale& scale : scaling.scales) {
      begin_row(group, "ok");
      const Fields fields = fields_of(scaling, scale);
      for (const auto& [name, value] : fields.all()) rows_.add(value);
      rows_.end_row();
    }
  }

  void write(const GroupKey& group, const NoFit& failure) {
    begin_row(group, "failed");
    const Fields names = no_fields();
    for (const auto& [name, value] : names.all()) {
      rows_.add(name == "code"      ? name_of(failure.code)
                : name == "message" ? std::string_view(failure.message)
                                    : std::string_view());
    }
    rows_.end_row();
  }

  void finish() { rows_.finish(); }

 private:
  void begin_row(const GroupKey& group, std::string_view status) {
    for (const std::string& value : group) rows_.add(value);
    rows_.add(status);
  }

  DelimitedRows rows_;
};

}  // namespace

void write_energy_rows(const EnergyReport& report, std::span<const GroupEnergy> groups,
                       char separator, const TextSink& sink) {
  Rows rows(separator, sink);
  rows.write_header(report);
  for (const GroupEnergy& group : groups) {
    std::visit([&](const auto& result) { rows.write(group.group, result); }, group.result);
  }
  rows.finish();
}

}  // namespace scalelaw
