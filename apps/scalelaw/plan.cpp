#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/judge/forecasts.hpp"
#include "scalelaw/render/plan_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kExamples =
    R"(  scalelaw plan data/demo/runs.csv --where model=BERT --where power_cap_w=250 --target 1024
      Which further runs sharpen the forecast at 1024 GPUs most, and what they cost.
  scalelaw plan data/demo/runs.csv -b model --where clock_mhz=1380 --target 512 --candidates 2..256 --repeats 1,3
      Only runs of up to 256 GPUs, once or three times.
)";

struct PlanCommand {
  Options call;
  StudyOptions study;
  double target = 0;
  std::string candidates;
  std::string repeats;
  double power = 0.8;
  ResultOptions result;
};

std::vector<std::uint32_t> counts(const std::string& list) {
  std::vector<std::uint32_t> out;
  for (const double count : places("--repeats", list)) {
    if (count != static_cast<std::uint32_t>(count)) {
      throw DataError(fmt::format("--repeats: expected whole numbers, found {}", count));
    }
    out.push_back(static_cast<std::uint32_t>(count));
  }
  return out;
}

PlanOptions plan_options(const PlanCommand& options) {
  if (!(options.target > 0)) {
    throw DataError("plan: name the scale of the forecast with --target, e.g. --target 1024");
  }
  return {.target = options.target,
          .candidates = places("--candidates", options.candidates),
          .repeats = counts(options.repeats),
          .power = options.power};
}

/// The fits to plan from, and the head of their report.
struct Basis {
  PlanReport report;
  std::vector<GroupFit> fits;
};

Basis saved_basis(const std::string& path, const PlanCommand& options) {
  refuse_row_options(options.call, path);
  SavedFits saved = read_fits(path);
  refuse_two_x(*saved.law, "plan");
  if (saved.groups.empty()) throw DataError(fmt::format("{}: holds no fit", path));
  if (options.call.given("--confidence")) {
    saved.confidence = options.study.confidence;
    for (GroupFit& group : saved.groups) {
      if (Fit* fit = std::get_if<Fit>(&group.result)) fit->confidence = saved.confidence;
    }
  }
  Basis basis;
  static_cast<StudyReport&>(basis.report) = report_on(saved);
  basis.report.law = saved.law;
  basis.report.response = saved.response;
  basis.report.confidence = saved.confidence;
  basis.fits = std::move(saved.groups);
  return basis;
}

Basis measured_basis(const PlanCommand& options, const GlobalOptions& global) {
  FitOptions fit = fit_options(options.study);
  auto [head, runs] = read_study(options.study, fit, global);
  Basis basis;
  static_cast<StudyReport&>(basis.report) = std::move(head);
  basis.report.law = fit.law;
  basis.report.response = fit.response;
  basis.report.confidence = fit.confidence;
  fit.figures = Figures::kEstimates;
  fit.intervals = Intervals::kWald;
  basis.fits = fit_groups(runs, fit, global.threads);
  return basis;
}

int run_plan(const PlanCommand& options, const GlobalOptions& global) {
  PlanOptions plan = plan_options(options);
  const auto& inputs = options.study.inputs;
  return deliver(options.result, inputs, global, [&](const Delivery& delivery) {
    const bool saved = inputs.size() == 1 && holds_saved_fits(inputs.front());
    Basis basis = saved ? saved_basis(inputs.front(), options) : measured_basis(options, global);
    PlanReport& report = basis.report;
    plan.hours_per_unit = hours_per_unit(report.x, report.y_unit, report.response);
    report.options = plan;
    const std::vector<GroupPlan> plans = plans_of(basis.fits, plan);
    write_plans(report, plans, delivery.style, delivery.sink);
    return groups_without("plan", plans);
  });
}

}  // namespace

Command add_plan_command(Program& program) {
  auto options = std::make_shared<PlanCommand>();
  Options plan = options->call = program.add_command(
      "plan", "Tell which further runs sharpen a forecast most, and what they cost", kExamples);
  add_data_options(plan, options->study);
  plan.group("Plan");
  plan.choice("--law", options->study.law, named_laws(1), "The law to plan with");
  add_rate_option(plan, options->study);
  plan.number("--target", options->target, positive(), "X", "Scale at which a forecast is wanted");
  plan.text("--candidates", options->candidates, "LIST",
            "Scales that could be measured: 2,4,8 or 2..256, which doubles; without it from the "
            "least measured to the target");
  plan.text("--repeats", options->repeats, "LIST", "How often each; without it 1,2,4");
  plan.number("--power", options->power, number_between(0.5, 1), "POWER",
              "With which a change is to be found, 0.5 to 1");
  add_confidence_option(plan, options->study);
  add_result_options(plan, options->result);
  return {plan, [options](const GlobalOptions& global) { return run_plan(*options, global); }};
}

}  // namespace scalelaw::cli
