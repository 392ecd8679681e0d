#include "predict_options.hpp"

#include <fmt/format.h>

#include <array>

#include "scalelaw/base/error.hpp"
#include "scales.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::array<std::string_view, 2> kTargets{"median", "mean"};

std::vector<std::string_view> law_choices() {
  std::vector<std::string_view> names{"average", "auto"};
  const auto laws = all_law_names();
  names.insert(names.end(), laws.begin(), laws.end());
  return names;
}

void add_demand_options(CLI::App& predict, PredictCommand& options) {
  predict
      .add_option("--deadline", options.deadline,
                  "From which scale on y is at most this, in the unit of y")
      ->type_name("Y")
      ->check(positive())
      ->group("Forecast");
  predict
      .add_option("--budget-gpu-hours", options.budget_gpu_hours,
                  "Up to which scale GPUs times y stay within this")
      ->type_name("HOURS")
      ->check(positive())
      ->group("Forecast");
  predict
      .add_option("--budget-kwh", options.budget_kwh,
                  "Up to which scale the energy, PUE included, stays within this")
      ->type_name("KWH")
      ->check(positive())
      ->group("Forecast");
  add_choice(predict, "--target", options.target, kTargets,
             "What demands, GPU-hours, CO2 and cost are of: the median or the mean of new runs")
      ->group("Forecast");
}

void add_energy_options(CLI::App& predict, PredictCommand& options) {
  predict
      .add_option("--energy", options.energy,
                  "Column of the energy at all GPUs; without it the usual names are looked for")
      ->type_name("COL")
      ->group("Footprint");
  predict
      .add_option("--gpu-power", options.gpu_power,
                  "Energy is that of GPUs which draw so many watts, instead of a column")
      ->type_name("W")
      ->check(positive())
      ->group("Footprint");
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

void add_predict_options(CLI::App& predict, PredictCommand& options) {
  add_data_options(predict, options.study);
  add_choice(predict, "--law", options.law, law_choices(),
             "One law, the best by AICc with ties averaged, or the average of power, floor and "
             "Amdahl")
      ->group("Forecast");
  add_rate_option(predict, options.study)->group("Forecast");
  add_surface_options(predict, options.surface);
  predict
      .add_option("--at", options.at,
                  "Scales to forecast: 512,1024 or 64..1024, which doubles; without it twice the "
                  "greatest. Of chinchilla pairs, as 7e10:1.4e12,1e9:2e10")
      ->type_name("LIST")
      ->group("Forecast");
  predict
      .add_option("--at-compute", options.at_compute,
                  "Of chinchilla: the best split of so much compute, K * parameters * tokens")
      ->type_name("LIST")
      ->group("Forecast");
  add_demand_options(predict, options);
  add_energy_options(predict, options);
  predict
      .add_flag("--backtest", options.backtest,
                "Hide the greatest scales, forecast them, and say how far off that was")
      ->group("Forecast");
  add_count(predict, "--hide", options.hidden, 1, "How many scales a backtest hides")
      ->type_name("K")
      ->group("Forecast");
  add_confidence_option(predict, options.study);
  add_result_options(predict, options.result);
  add_columns_option(predict, options.result);
  predict.add_flag("--strict", options.strict, "Exit with 1 if a group has no forecast")
      ->group("Result");
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
  forecast.law = find_law(options.law);
  forecast.kind = forecast.law != nullptr ? ForecastKind::kLaw
                  : options.law == "auto" ? ForecastKind::kAuto
                                          : ForecastKind::kAverage;
  forecast.response = options.study.rate ? Response::kRate : Response::kTime;
  forecast.confidence = options.study.confidence;
  return forecast;
}

OutlookOptions outlook_options(const PredictCommand& options, Response response,
                               const std::string& x, const std::string& y,
                               const std::string& y_unit) {
  OutlookOptions outlook;
  outlook.at = places("--at", options.at);
  outlook.target = options.target == "mean" ? Target::kMean : Target::kMedian;
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
