#include "predict_options.hpp"

#include <fmt/format.h>

#include <array>

#include "options.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::array kTargets{Target::kMedian, Target::kMean};

std::vector<Named<Model>> models() {
  std::vector<Model> models{{.kind = ForecastKind::kAverage}, {.kind = ForecastKind::kAuto}};
  for (const auto& law : all_laws()) models.push_back({ForecastKind::kLaw, law.value});
  std::vector<Named<Model>> choices;
  for (const Model& model : models) choices.push_back({name_of(model), model});
  return choices;
}

void add_demand_options(Options& predict, PredictCommand& options) {
  predict.number("--deadline", options.deadline, positive(), "Y",
                 "From which scale on y is at most this, in the unit of y");
  predict.number("--budget-gpu-hours", options.budget_gpu_hours, positive(), "HOURS",
                 "Up to which scale GPUs times y stay within this");
  predict.number("--budget-kwh", options.budget_kwh, positive(), "KWH",
                 "Up to which scale the energy, PUE included, stays within this");
  predict.choice(
      "--target", options.target, named(kTargets),
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
void need_hours(const OutlookOptions& outlook, std::string_view option, const std::string& x,
                const std::string& y) {
  if (outlook.hours_per_unit) return;
  throw DataError(
      fmt::format("{} needs a count of GPUs, and a time whose unit its header tells, such as "
                  "epoch_seconds or "
                  "'time [min]': not '{}' over '{}'",
                  option, y, x));
}

}  // namespace

std::string_view name_of(const Model& model) {
  return model.law != nullptr ? model.law->name() : scalelaw::name_of(model.kind);
}

void add_predict_options(Options& predict, PredictCommand& options) {
  add_data_options(predict, options.study);
  predict.group("Forecast");
  predict.choice("--law", options.model, models(),
                 "One law, the best by AICc with ties averaged, or the average of power, floor and "
                 "Amdahl");
  add_rate_option(predict, options.study);
  add_surface_options(predict, options.surface);
  predict.group("Forecast");
  predict.text("--at", options.at, "LIST",
               "Scales to forecast: 512,1024 or 64..1024, which doubles; without it twice the "
               "greatest. Of chinchilla pairs, as 7e10:1.4e12,1e9:2e10");
  predict.text("--at-compute", options.at_compute, "LIST",
               "Of chinchilla: the best split of so much compute, K * parameters * tokens");
  add_demand_options(predict, options);
  add_energy_options(predict, options);
  predict.group("Forecast");
  predict.flag("--backtest", options.backtest,
               "Hide the greatest scales, forecast them, and say how far off that was");
  predict.count("--hide", options.hidden, 1, "K", "How many scales a backtest hides");
  add_confidence_option(predict, options.study);
  add_result_options(predict, options.result);
  add_strict_option(predict, options.result, "Exit with 1 if a group has no forecast");
}

void check_combination(const PredictCommand& options) {
  const bool asks = !options.at.empty() || options.deadline > 0 || options.budget_gpu_hours > 0 ||
                    options.budget_kwh > 0;
  if (options.backtest && asks) {
    throw DataError(
        "--backtest forecasts scales that were measured: leave out --at, --deadline and the "
        "budgets");
  }
  if (!options.backtest && options.hidden != 1) {
    throw DataError("--hide says how many scales a backtest hides: add --backtest");
  }
  if (options.gpu_power > 0 && !options.energy.empty()) {
    throw DataError("--energy and --gpu-power both say what the energy is: leave one of them out");
  }
}

ForecastOptions forecast_options(const PredictCommand& options) {
  ForecastOptions forecast;
  forecast.kind = options.model.kind;
  forecast.law = options.model.law;
  forecast.response = options.study.rate ? Response::kRate : Response::kTime;
  forecast.confidence = options.study.confidence;
  return forecast;
}

OutlookOptions outlook_options(const PredictCommand& options, Response response,
                               const std::string& x, const std::string& y,
                               const std::string& y_unit) {
  OutlookOptions outlook;
  outlook.at = places("--at", options.at);
  outlook.target = options.target;
  outlook.footprint = footprint_of(options.footprint);
  outlook.hours_per_unit = hours_per_unit(x, y_unit, response);
  if (options.deadline > 0) outlook.deadline = options.deadline;
  if (outlook.deadline && response == Response::kRate) {
    throw DataError("--deadline is one of times: with --rate there is none to meet");
  }
  if (options.budget_gpu_hours > 0) outlook.budget_gpu_hours = options.budget_gpu_hours;
  if (outlook.budget_gpu_hours) need_hours(outlook, "--budget-gpu-hours", x, y);
  if (options.gpu_power > 0) need_hours(outlook, "--gpu-power", x, y);
  if (options.budget_kwh > 0) outlook.budget_kwh = options.budget_kwh;
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
