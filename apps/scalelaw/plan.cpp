#include <fmt/format.h>

#include <functional>
#include <memory>

#include "level_changes.hpp"
#include "predict_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/judge/forecasts.hpp"
#include "scalelaw/render/plan_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kPlanExamples =
    R"(  scalelaw plan data/demo/runs.csv --where model=BERT --where power_cap_w=250 --target 1024
      Which further runs would sharpen the forecast for 1024 GPUs most, and their GPU-hours.
  scalelaw plan data/demo/runs.csv -b model --where clock_mhz=1380 --target 512 --candidates 2..256 --repeats 1,3
      The same with runs of up to 256 GPUs only, once or three times each.
)";

struct PlanCommand {
  Options call;
  StudyOptions study;
  Model model;
  std::optional<double> target;
  PlanOptions plan;    ///< As far as the user gave them.
  PredictCommand job;  ///< How large a run is.
  std::string gpus_per_node;
  ResultOptions result;
};

std::vector<std::uint32_t> counts(const std::string& option, const std::string& list) {
  std::vector<std::uint32_t> out;
  for (const double count : places(option, list)) {
    if (count != static_cast<std::uint32_t>(count)) {
      throw DataError(fmt::format("{}: expected whole numbers, found {}", option, count));
    }
    out.push_back(static_cast<std::uint32_t>(count));
  }
  return out;
}

/// Saved fits to plan from, with the head of a report on them.
SavedFits saved_basis(const std::string& path, const PlanCommand& options) {
  refuse_row_options(options.call, path);
  SavedFits saved = read_fits(path);
  refuse_several_x(*saved.law, "plan");
  refuse_other_law(options.call, options.model, saved.law, path);
  if (saved.groups.empty()) throw DataError(fmt::format("{}: it holds no fit", path));
  if (options.call.given("--confidence")) {
    saved.confidence = options.study.confidence;
    for (GroupFit& group : saved.groups) {
      if (Fit* fit = std::get_if<Fit>(&group.result)) fit->confidence = saved.confidence;
    }
  }
  static_cast<StudyReport&>(saved) = report_on(saved);
  return saved;
}

/// Writes plans as they come. Returns groups without one.
class PlanSink {
 public:
  PlanSink(const PlanReport& report, const Delivery& delivery)
      : writer_(make_plan_writer(report, delivery.style, delivery.sink)) {}

  void operator()(const GroupPlan& group) {
    ++groups_;
    lacking_ += std::holds_alternative<NoFit>(group.result) ? 1 : 0;
    writer_->write(group);
  }

  Lacks finish() {
    writer_->finish();
    return groups_without("plan", lacking_, groups_);
  }

 private:
  std::unique_ptr<GroupWriter<Plan>> writer_;
  std::size_t groups_ = 0;
  std::size_t lacking_ = 0;
};

Lacks deliver_plans_of_saved(const PlanCommand& options, PlanOptions plan,
                             const Delivery& delivery) {
  const SavedFits basis = saved_basis(options.study.inputs.front(), options);
  plan.hours_per_unit = hours_of_job(options.job, basis.response, basis,
                                     gpus_per_node_of_saved(options.gpus_per_node));
  PlanSink sink({basis, basis.law, basis.response, basis.confidence, plan}, delivery);
  for (const GroupFit& fit : basis.groups) sink(plan_for(fit, plan));
  return sink.finish();
}

/// Refuses groups of which the mixture of laws would take hours: it answers for hundreds of
/// imagined outcomes of each.
void refuse_hours_of_work(const GroupedCells& runs) {
  constexpr std::size_t kMost = 100'000;
  if (runs.size() <= kMost) return;
  throw DataError(
      fmt::format("plan: {} groups would take hours without a law, which is for at most {}: name "
                  "one with --law power, keep some groups with --where, or name fewer columns with "
                  "-b (now {})",
                  runs.size(), kMost, joined(runs.by(), ",")));
}

Lacks deliver_plans_of_runs(const PlanCommand& options, PlanOptions plan, const Delivery& delivery,
                            const GlobalOptions& global) {
  FitOptions fit = fit_options(options.study);
  if (options.model.law != nullptr) fit.law = options.model.law;
  auto [head, runs] = read_study_by_nights(options.call, options.study, fit, global);
  plan.hours_per_unit =
      hours_of_job(options.job, fit.response, head,
                   gpus_per_node(options.gpus_per_node, options.study, head, global.conditions()));
  PlanSink sink({std::move(head), options.model.law, fit.response, fit.confidence, plan}, delivery);
  if (options.model.kind != ForecastKind::kLaw) {
    refuse_hours_of_work(runs);
    const ForecastOptions how{.kind = options.model.kind,
                              .law = nullptr,
                              .response = fit.response,
                              .rate_of_one = fit.rate_of_one,
                              .confidence = fit.confidence};
    plan_each(runs, how, plan, global.threads, std::ref(sink));
    return sink.finish();
  }
  fit.figures = Figures::kEstimates;
  fit.intervals = Intervals::kWald;
  fit_each(runs, fit, global.threads, [&](GroupFit&& group) { sink(plan_for(group, plan)); });
  return sink.finish();
}

int run_plan(const PlanCommand& options, const GlobalOptions& global) {
  if (!options.target) {
    throw DataError("plan: name the scale that you want to forecast, such as --target 1024");
  }
  PlanOptions plan = options.plan;
  plan.target = *options.target;
  const auto& inputs = options.study.inputs;
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const bool saved = inputs.size() == 1 && holds_saved_fits(inputs.front());
    return saved ? deliver_plans_of_saved(options, plan, delivery)
                 : deliver_plans_of_runs(options, plan, delivery, global);
  });
}

}  // namespace

Command add_plan_command(Program& program) {
  auto options = std::make_shared<PlanCommand>();
  Options plan = options->call = program.add_command(
      "plan", "Tell which further runs would sharpen a forecast most, and what they cost",
      kPlanExamples);
  add_data_options(plan, options->study);
  plan.group("Plan");
  plan.choice(
      "--law", options->model, models(named_laws(1)),
      "The law of the forecast. auto and average both use the mixture of laws that predict uses");
  add_rate_option(plan, options->study);
  plan.number("--target", options->target, positive(), "X",
              "Number of GPUs that you want to forecast, such as 1024");
  plan.parsed("--candidates", options->plan.candidates, places, "LIST",
              "Numbers of GPUs that you could measure: 2,4,8, or 2..256, which doubles each time. "
              "Default: from the smallest measured one to the target");
  plan.parsed("--repeats", options->plan.repeats, counts, "LIST",
              "How many runs you could make at each of them. Default: 1,2,4");
  plan.text(
      "--gpus-per-node", options->gpus_per_node, "N|COL",
      "How many GPUs a node has, for the GPU-hours of tables over nodes: a number, or a column "
      "that has one value");
  add_job_options(plan, options->job, "the GPU-hours are then those of such a run");
  plan.number("--power", options->plan.power, number_between(0.5, 1), "POWER",
              "Probability, from 0.5 to 1, with which a real change should be found");
  add_confidence_option(plan, options->study);
  add_result_options(plan, options->result);
  return command_of(plan, options, run_plan);
}

}  // namespace scalelaw::cli
