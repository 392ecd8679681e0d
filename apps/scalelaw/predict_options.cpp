#include "predict_options.hpp"

#include <fmt/format.h>

#include "scalelaw/base/error.hpp"

namespace scalelaw::cli {
namespace {

std::vector<Named<StandardError>> clusterings() {
  auto kinds = named<StandardError>();
  std::erase_if(kinds, [](const auto& kind) {
    return kind.value != StandardError::kCluster && kind.value != StandardError::kCr2;
  });
  return kinds;
}

void add_demand_options(Options& predict, OutlookOptions& options) {
  predict.number("--deadline", options.deadline, positive(), "Y",
                 "From which scale on y is at most this, in the unit of y");
  predict.number("--budget-gpu-hours", options.budget_gpu_hours, positive(), "HOURS",
                 "Up to which scale GPUs times y stay within this");
  predict.number("--budget-kwh", options.budget_kwh, positive(), "KWH",
                 "Up to which scale the energy, PUE included, stays within this");
  predict.choice(
      "--target", options.target, named<Target>(),
      "What demands, GPU-hours, CO2 and cost are of: the median or the mean of new runs");
}

void add_energy_options(Options& predict, PredictCommand& options) {
  predict.group("Footprint");
  predict.text("--energy", options.energy, "COL",
               "Column of the energy at all GPUs; without it the usual names are looked for");
  predict.number("--gpu-power", options.gpu_power, positive(), "W",
                 "Energy is that of GPUs which draw so many watts, instead of a column");
  add_footprint_options(predict, options.footprint);
}

/// @throws DataError if hours of GPUs are not known.
void need_hours(const OutlookOptions& outlook, std::string_view option, const StudyReport& study) {
  if (outlook.hours_per_unit) return;
  throw DataError(
      fmt::format("{} needs a count of GPUs, and a time whose unit its header tells, such as "
                  "epoch_seconds or 'time [min]': not '{}' over '{}'",
                  option, study.y, study.x));
}

/// @throws DataError if forecasts are asked for that have no scatter to share.
void check_pool(const PredictCommand& options) {
  if (options.study.pool == Pool::kNone) return;
  const Law* const law = options.model.law;
  if (law == nullptr || !law->linear() || law->scale() != Scale::kLog) {
    throw DataError(fmt::format(
        "--pool scatter is for one law that is a line of ln y: add --law power or --law lognormal; "
        "{} weighs laws by the scatter of each group",
        name_of(options.model)));
  }
  if (options.backtest) {
    throw DataError("--pool scatter: a backtest forecasts by every law, each group by itself");
  }
}

}  // namespace

std::string_view name_of(const Model& model) {
  return model.law != nullptr ? model.law->name() : scalelaw::name_of(model.kind);
}

std::vector<Named<Model>> models(const std::vector<Named<const Law*>>& laws) {
  std::vector<Model> models{{.kind = ForecastKind::kAverage}, {.kind = ForecastKind::kAuto}};
  for (const auto& [name, law] : laws) models.push_back({ForecastKind::kLaw, law});
  return named(models);
}

void refuse_other_law(const Options& call, const Model& model, const Law* saved,
                      const std::string& path) {
  if (!call.given("--law") || model.law == saved) return;
  throw DataError(fmt::format("{}: holds fits of the {} law; --law {} needs the runs themselves",
                              path, saved->name(), name_of(model)));
}

void add_predict_options(Options& predict, PredictCommand& options) {
  add_data_options(predict, options.study);
  predict.group("Forecast");
  predict.choice(
      "--law", options.model, models(all_laws()),
      "One law; auto: the likeliest one; average: the mixture of power, lognormal, floor, "
      "amdahl and usl. Intervals of auto and average hold the choice of the law");
  add_rate_option(predict, options.study);
  add_surface_options(predict, options.surface, options.study);
  predict.group("Forecast");
  predict.text("--at", options.at, "LIST",
               "Scales to forecast: 512,1024 or 64..1024, which doubles; without it twice the "
               "greatest. Of chinchilla pairs, as 7e10:1.4e12,1e9:2e10");
  predict.parsed("--at-compute", options.at_compute, places, "LIST",
                 "Of chinchilla: the best split of so much compute, K * parameters * tokens");
  add_demand_options(predict, options.outlook);
  add_energy_options(predict, options);
  predict.group("Forecast");
  predict.flag("--backtest", options.backtest,
               "Hide the greatest scales, forecast them, and say how far off that was");
  predict.count("--hide", options.hidden, 1, "K", "How many scales a backtest hides");
  add_confidence_option(predict, options.study);
  add_pool_option(predict, options.study, {Pool::kNone, Pool::kScatter});
  predict.choice("--se", options.study.se, clusterings(),
                 "Of laws of two x: errors that rows of one --run share");
  add_result_options(predict, options.result);
  predict.flag("--strict", options.result.strict, "Exit with 1 if a group has no forecast");
}

void check_combination(const PredictCommand& options) {
  check_pool(options);
  const OutlookOptions& outlook = options.outlook;
  const bool asks =
      !options.at.empty() || outlook.deadline || outlook.budget_gpu_hours || outlook.budget_kwh;
  if (options.backtest && asks) {
    throw DataError(
        "--backtest forecasts scales that were measured: leave out --at, --deadline and the "
        "budgets");
  }
  if (!options.backtest && options.hidden != 1) {
    throw DataError("--hide says how many scales a backtest hides: add --backtest");
  }
  if (options.gpu_power && !options.energy.empty()) {
    throw DataError("--energy and --gpu-power both say what the energy is: leave one of them out");
  }
}

ForecastOptions forecast_options(const PredictCommand& options) {
  return {.kind = options.model.kind,
          .law = options.model.law,
          .response = options.study.rate ? Response::kRate : Response::kTime,
          .confidence = options.study.confidence};
}

OutlookOptions outlook_options(const PredictCommand& options, Response response,
                               const StudyReport& study) {
  OutlookOptions outlook = options.outlook;
  outlook.at = places("--at", options.at);
  outlook.footprint = footprint_of(options.footprint);
  outlook.hours_per_unit = hours_per_unit(study.x, study.y_unit, response);
  if (outlook.deadline && response == Response::kRate) {
    throw DataError("--deadline is one of times: with --rate there is none to meet");
  }
  if (outlook.budget_gpu_hours) need_hours(outlook, "--budget-gpu-hours", study);
  if (options.gpu_power) need_hours(outlook, "--gpu-power", study);
  return outlook;
}

void refuse_without_energy(const OutlookOptions& options, std::string_view what_to_do) {
  if (!needs_energy(options)) return;
  throw DataError(fmt::format(
      "--budget-kwh, --carbon-intensity, --price and --pue need energy: {}, or say with "
      "--gpu-power how many watts a GPU draws",
      what_to_do));
}

}  // namespace scalelaw::cli
