#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/study/plan.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kPlanExamples =
    R"(  scalelaw plan data/demo/runs.csv --where model=BERT --where power_cap_w=250 --target 1024
      Which further runs would sharpen the forecast for 1024 GPUs most, and their GPU-hours.
  scalelaw plan data/demo/runs.csv -b model --where clock_mhz=1380 --target 512 --candidates 2..256 --repeats 1,3
      The same with runs of up to 256 GPUs only, once or three times each.
)";

struct PlanCall {
  Options call;
  PlanRequest request;
  std::optional<double> target;
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

PlanRequest request_of(const PlanCall& options) {
  PlanRequest request = options.request;
  PredictRequest& forecast = request.forecast;
  request.plan.target = options.target.value_or(0);
  forecast.command = command_where(options.call, options.request.forecast.study);
  if (options.call.given("--confidence")) forecast.confidence = forecast.study.confidence;
  return request;
}

int run_plan(const PlanCall& options, const GlobalOptions& global) {
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const CallConditions conditions = global.conditions();
    const PlanStudy study = read_plan(request_of(options), conditions);
    const auto writer = make_plan_writer(study.report, delivery.style, delivery.sink);
    return write_each("plan", *writer,
                      [&](const auto& write) { plan_each(study, conditions, write); });
  });
}

}  // namespace

Command add_plan_command(Program& program) {
  auto options = std::make_shared<PlanCall>();
  Options plan = options->call = program.add_command(
      "plan", "Tell which further runs would sharpen a forecast most, and what they cost",
      kPlanExamples);
  PredictRequest& forecast = options->request.forecast;
  PlanOptions& planned = options->request.plan;
  add_data_options(plan, forecast.study);
  plan.group("Plan");
  plan.choice(
      "--law", forecast.model, models(named_laws(1)),
      "The law of the forecast. auto and average both use the mixture of laws that predict uses",
      ForecastModel{});
  add_rate_option(plan, forecast.study);
  plan.number("--target", options->target, positive(), "X",
              "Number of GPUs that you want to forecast, such as 1024");
  plan.parsed("--candidates", planned.candidates, places, "LIST",
              "Numbers of GPUs that you could measure: 2,4,8, or 2..256, which doubles each time. "
              "Default: from the smallest measured one to the target");
  plan.parsed("--repeats", planned.repeats, counts, "LIST",
              "How many runs you could make at each of them. Default: 1,2,4");
  plan.text(
      "--gpus-per-node", forecast.gpus_per_node, "N|COL",
      "How many GPUs a node has, for the GPU-hours of tables over nodes: a number, or a column "
      "that has one value");
  add_job_options(plan, forecast, "the GPU-hours are then those of such a run");
  plan.number("--power", planned.power, number_between(0.5, 1), "POWER",
              "Probability, from 0.5 to 1, with which a real change should be found");
  add_confidence_option(plan, forecast.study);
  add_saved_rules(plan);
  add_result_options(plan, options->result);
  return command_of(plan, options, run_plan);
}

}  // namespace scalelaw::cli
