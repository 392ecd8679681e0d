#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/surface_report.hpp"
#include "scalelaw/runs/written_number.hpp"
#include "scalelaw/study/predict.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kPredictExamples =
    R"(  scalelaw predict data/demo/runs.csv --at 512,1024 -b model --where power_cap_w=250 --where clock_mhz=1380
      How long an epoch takes on more GPUs than were measured, and between which times new runs lie.
  scalelaw predict data/demo/runs.csv --where model=BERT --deadline 5min
      How many GPUs bring an epoch below five minutes.
  scalelaw predict data/demo/runs.csv --where model=BERT --at 512 --epochs 90 --gpu-price '2.5 EUR'
      How long a job of 90 epochs takes on 512 GPUs, and what it costs.
  scalelaw predict data/demo/runs.csv -b model --where power_cap_w=200 --budget-kwh 2 --carbon-intensity FR
      Up to how many GPUs an epoch takes at most 2 kWh, and how much CO2 that is in France.
  printf 'gpus,epoch_seconds,power_w\n1,800,251\n2,410,243\n4,215,236\n8,116,230\n' >/tmp/power.csv; scalelaw predict /tmp/power.csv --at 16
      Without a column of energy, kWh come from the mean power of one GPU, the number of GPUs and the time.
  scalelaw predict data/demo/runs.csv --backtest
      How far off such forecasts are: the largest N of each group is hidden and forecast.
  scalelaw predict data/two_scales/runs.csv --law chinchilla -x parameters,tokens -y loss --at-compute 1e21,1e22
      How to split compute between parameters and tokens, and which loss that reaches.
)";

struct PredictCall {
  Options call;
  PredictRequest request;
  std::string at;          ///< Scales, or pairs of them for a law of several x.
  std::size_t hidden = 1;  ///< Of --hide.
  ResultOptions result;
};

std::vector<Named<StandardError>> clusterings() {
  auto kinds = named<StandardError>();
  std::erase_if(kinds, [](const auto& kind) {
    return kind.value != StandardError::kCluster && kind.value != StandardError::kCr2;
  });
  return kinds;
}

void add_demand_options(Options& predict, PredictRequest& request) {
  OutlookOptions& outlook = request.outlook;
  predict.parsed("--deadline", request.deadline, time_limit_of, "TIME",
                 "Tell how many GPUs bring the time down to this: 90s, 2h, 1:30:00, or a number in "
                 "the unit of y. A column that names no unit is read as seconds");
  predict.number("--throughput", outlook.throughput, positive(), "Y",
                 "Tell how many GPUs bring the rate up to this, in the unit of y");
  add_job_options(predict, request,
                  "the time, deadline, budgets, GPU-hours, energy and costs are then those of the "
                  "whole job");
  predict.number("--budget-gpu-hours", outlook.budget_gpu_hours, positive(), "HOURS",
                 "Tell up to how many GPUs the GPU-hours stay within this number");
  predict.number("--budget-kwh", outlook.budget_kwh, positive(), "KWH",
                 "Tell up to how many GPUs the energy stays within this many kWh, PUE included");
  predict.choice("--target", outlook.target, named<Target>(),
                 "Whether deadlines, budgets, GPU-hours and costs are about the median of new runs "
                 "or their mean");
}

void add_energy_options(Options& predict, PredictRequest& request) {
  add_energy_columns(predict, request.measures, "Footprint");
  predict.number(
      "--gpu-power", request.gpu_power, positive(), "W",
      "Watts that one GPU draws: the energy is computed from them instead of read from a column");
  predict.parsed(
      "--gpu-price", request.gpu_price, price_of, "PRICE",
      "Price of one GPU for one hour, with or without a currency: 2.5, '$2.50', '2.5 EUR'");
  predict.parsed("--node-price", request.node_price, price_of, "PRICE",
                 "Price of one node for one hour, for tables over nodes; over GPUs with "
                 "--gpus-per-node");
  predict.text("--gpus-per-node", request.gpus_per_node, "N|COL",
               "How many GPUs a node has: a number, or a column that has one value");
  add_footprint_options(predict, request.footprint);
  predict.exclusive({"--energy", "--power", "--gpu-power"}, "both say what the energy is");
  predict.rules("--total-power")
      .excludes("--gpu-power",
                "{0} is about a column of power, and {1} takes none: leave one of them out");
  predict.rules("--gpu-price").excludes("--node-price", "both say what machines cost");
}

/// What forecasts by other laws or of other runs have no use for.
void add_forecast_rules(Options& predict) {
  predict.rules({"--fix", "--tie", "--bound"})
      .excludes("--law=average|auto",
                "--fix, --tie and --bound are for one law, and the forecast is by {2}: name it "
                "with --law");
  predict
      .rules({"--deadline", "--throughput", "--epochs", "--gpu-price", "--budget-gpu-hours",
              "--budget-kwh", "--tokens", "--node-price", "--gpus-per-node", "--target", "--energy",
              "--power", "--total-power", "--gpu-power", "--carbon-intensity", "--price", "--pue"})
      .excludes(several_x(), "ask with --at and --at-compute");
  predict.rules("--residual=raw")
      .only_for(several_x(), "{0}: forecasts by laws of one x take residuals of ln y (log)");
  predict.rules({"--hide", "--hide-by"})
      .needs("--backtest", "{0} says what a backtest hides: add --backtest");
  predict.rules("--backtest")
      .when(several_x())
      .excludes({"--at", "--at-compute", "--score"},
                "{0} forecasts runs that were made: leave out {1}");
  predict.rules("--backtest")
      .unless(several_x())
      .excludes({"--at", "--deadline", "--throughput", "--budget-gpu-hours", "--budget-kwh"},
                "{0} forecasts scales that were measured: leave out --at, --deadline, --throughput "
                "and the budgets");
  predict.rules("--pool!=none").excludes(several_x(), "it pools the scatter of laws of one x");
  predict.rules("--pool=laws")
      .only_for("--law=average|auto",
                "{0} is for forecasts that weigh several laws: leave out --law {2}");
  predict.rules("--pool=scatter")
      .only_for("--law=power|lognormal",
                "{0} works with one law: add --law power or --law lognormal; {2} weighs several "
                "laws, for which there is --pool laws")
      .excludes("--backtest", "{0} does not go with {1}, which forecasts each group by itself");
  add_saved_rules(predict);
  predict
      .rules({"--flops", "--flops-per-parameter-token", "--residual", "--huber-delta",
              "--over-penalty", "--se", "--score"})
      .excludes(saved_fits(),
                "{2}: it holds finished fits, which {0} cannot change; name the table of runs "
                "instead");
  predict.rules("--pool").excludes(
      saved_fits(),
      "{2}: it holds fits, and --pool needs runs; save the fits with 'scalelaw fit --pool scatter' "
      "instead");
  predict.rules("--energy")
      .excludes(saved_fits(),
                "{2}: {0} names a column of runs; save the fits of energy as well (fit -y COL) and "
                "name both "
                "files");
  predict.rules({"--power", "--total-power"})
      .excludes(saved_fits(),
                "{2}: it holds fits, and {0} is about a column of runs; name the table of runs "
                "instead, or say with --gpu-power how many watts a GPU draws");
}

void add_predict_options(Options& predict, PredictCall& call) {
  PredictRequest& request = call.request;
  add_data_options(predict, request.study);
  predict.group("Forecast");
  predict.choice("--law", request.model, models(all_laws()),
                 "The law of the forecast: one law, the likeliest one (auto), or a mixture of "
                 "power, lognormal, floor, amdahl and usl (average). With auto and average the "
                 "intervals allow for not knowing the law",
                 ForecastModel{});
  add_constraint_options(predict, request.study.constraints);
  predict.group("Forecast");
  add_rate_option(predict, request.study);
  add_surface_options(predict, request.surface, request.study);
  predict.group("Forecast");
  predict.text("--at", call.at, "LIST",
               "Numbers of GPUs to forecast: 512,1024, or 64..1024, which doubles each time. "
               "Default: those that answer a deadline or budget, otherwise twice the largest "
               "measured. For laws of two x they are pairs, such as 7e10:1.4e12,1e9:2e10, "
               "and data-constrained takes a third number, the unique tokens");
  predict
      .parsed("--at-compute", request.at_compute, places, "LIST",
              "For chinchilla: how to split this much compute, K * parameters * tokens")
      .only_for(several_x(), kTakesOne);
  predict
      .text("--score", request.score, "COL",
            "For chinchilla: column of a score, such as the accuracy of a benchmark, that follows "
            "from y. A sigmoid of y is fitted to it, and forecasts have the score, too")
      .only_for(several_x(),
                "{0} needs a law of several x: add --law chinchilla, which forecasts the loss that "
                "the score follows from");
  add_demand_options(predict, request);
  add_energy_options(predict, request);
  predict.group("Forecast");
  predict.flag(
      "--backtest", request.backtest,
      "Hide the runs at the largest N, forecast them from the others, and say how far off that is");
  predict.count(
      "--hide", call.hidden, 1, "K",
      "How many of the largest N a backtest hides. Default: 1; of laws of two x the sizes that "
      "a tenth of the runs have");
  predict
      .choice("--hide-by", request.hide_by, named<SizeMeasure>(),
              "For laws of two x: a backtest hides the runs of the largest size (the first x), or "
              "of the most compute",
              SizeMeasure::kFirst)
      .only_for(several_x(), kTakesOne);
  add_confidence_option(predict, request.study);
  add_pool_option(predict, request.study, {Pool::kNone, Pool::kScatter, Pool::kLaws});
  predict
      .choice("--se", request.study.se, clusterings(),
              "For laws of several x: standard errors that allow for rows of one --run that share "
              "errors")
      .only_for(several_x(),
                "{0} works only with laws of several x: other forecasts have standard errors of "
                "their own");
  add_method_rules(predict);
  add_forecast_rules(predict);
  add_result_options(predict, call.result, "Exit with status 1 if a group has no forecast");
}

/// "7e10:1.4e12,1e9:2e10" as places of a law of several x.
std::vector<std::vector<double>> places_of_several(const std::string& list) {
  std::vector<std::vector<double>> places;
  for (const std::string& word : split(list, ',')) {
    std::vector<double>& numbers = places.emplace_back();
    for (const std::string& part : split(word, ':')) {
      const auto number = number_as_written(part);
      if (!number || !(*number > 0)) {
        throw DataError(fmt::format("--at: expected numbers above 0, such as 7B:1.4T; found {}",
                                    scalelaw::quoted(word)));
      }
      numbers.push_back(*number);
    }
  }
  return places;
}

PredictRequest request_of(const PredictCall& options, bool is_of_several) {
  PredictRequest request = options.request;
  request.command = command_where(options.call, options.request.study);
  if (options.call.given("--hide")) request.hidden = options.hidden;
  if (options.call.given("--confidence")) request.confidence = request.study.confidence;
  if (is_of_several) {
    request.at_places = places_of_several(options.at);
  } else {
    request.outlook.at = places("--at", options.at);
  }
  return request;
}

Lacks deliver_surfaces(const PredictRequest& request, const CallConditions& conditions,
                       const Delivery& delivery) {
  if (request.backtest) {
    const SurfaceBacktests made = backtest_largest(request, conditions);
    write_surface_backtests(made.report, made.groups, delivery.style, delivery.sink);
    return groups_without("backtest", made.groups);
  }
  const SurfaceForecasts made = forecast_surfaces(request, conditions);
  write_surfaces(made.report, made.questions, made.groups, delivery.style, delivery.sink);
  return groups_without("forecast", made.groups);
}

Lacks deliver_backtest(const PredictStudy& study, std::size_t hidden, int threads,
                       const Delivery& delivery) {
  const Backtest scores = backtest(*study.runs, study.report.options, hidden, threads);
  write_backtest(study.report, scores, hidden, delivery.style, delivery.sink);
  if (scores.skipped == 0) return {};
  return {{part_of(scores.skipped, study.runs->size(), "group", "has", "have") +
           " too few scales to hide one"},
          scores.skipped == study.runs->size()};
}

/// Writes forecasts as they come, and tells the user of groups in doubt.
Lacks deliver_forecasts(const PredictStudy& study, const CallConditions& conditions,
                        const Delivery& delivery) {
  const auto writer = make_predict_writer(study.report, delivery.style, delivery.sink);
  ForecastTally tally;
  forecast_each(study, conditions, [&](GroupOutlook&& group) {
    tally.add(group);
    writer->write(group);
  });
  writer->finish();
  delivery.commit();
  for (const std::string& warning : tally.warnings(!study.report.energy.empty())) {
    delivery.console.warn(warning);
  }
  return groups_without("forecast", tally.without(), tally.groups());
}

int run_predict(const PredictCall& options, const GlobalOptions& global) {
  const bool is_of_several = is_of_several_x(options.request);
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const CallConditions conditions = global.conditions();
    const PredictRequest request = request_of(options, is_of_several);
    if (is_of_several) return deliver_surfaces(request, conditions, delivery);
    const PredictStudy study = read_forecasts(request, conditions);
    return request.backtest
               ? deliver_backtest(study, hidden_scales(request), global.threads, delivery)
               : deliver_forecasts(study, conditions, delivery);
  });
}

}  // namespace

Command add_predict_command(Program& program) {
  auto call = std::make_shared<PredictCall>();
  Options predict = call->call = program.add_command(
      "predict", "Forecast time, speedup and GPU-hours at numbers of GPUs that were not measured",
      kPredictExamples);
  add_predict_options(predict, *call);
  return command_of(predict, call, run_predict);
}

}  // namespace scalelaw::cli
