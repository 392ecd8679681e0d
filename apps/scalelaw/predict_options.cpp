#include "predict_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw::cli {
namespace {

std::vector<Named<StandardError>> clusterings() {
  auto kinds = named<StandardError>();
  std::erase_if(kinds, [](const auto& kind) {
    return kind.value != StandardError::kCluster && kind.value != StandardError::kCr2;
  });
  return kinds;
}

/// A number above 0, or a duration.
Check time_limit() {
  return [](const std::string& word) -> std::string {
    const auto number = parse_number(word);
    const auto seconds = parse_duration(word);
    if ((number && *number > 0) || (seconds && *seconds > 0)) return "";
    return fmt::format(
        "expected a duration such as 90s, 2h or 1:30:00, or a number in the unit of y, found "
        "\"{}\"",
        word);
  };
}

/// The number in a price, with the words around it; nothing where it has none above 0.
struct Price {
  double number;
  Currency currency;
};

std::optional<Price> price_in(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789.";
  const std::size_t first = std::min(text.find_first_of(kDigits), text.size());
  const std::size_t last = std::min(text.find_first_not_of(kDigits, first), text.size());
  const auto number = parse_number(text.substr(first, last - first));
  const std::string_view behind = text.substr(last);
  const std::string_view before = text.substr(0, first);
  const bool has_more = behind.find_first_of("0123456789,") != std::string_view::npos ||
                        before.find_first_of("-+,") != std::string_view::npos;
  if (!number || !(*number > 0) || has_more) return std::nullopt;
  return Price{*number, {std::string(before), std::string(behind)}};
}

Check price() {
  return [](const std::string& word) -> std::string {
    if (price_in(word)) return "";
    return fmt::format(
        "expected a price above 0 with or without a currency, such as 2.5, '$2.50' or '2.5 EUR', "
        "found \"{}\"",
        word);
  };
}

void add_demand_options(Options& predict, PredictCommand& options) {
  OutlookOptions& outlook = options.outlook;
  predict.text("--deadline", options.deadline, "TIME",
               "Tell how many GPUs bring the time down to this: 90s, 2h, 1:30:00, or a number in "
               "the unit of y. A column that names no unit is read as seconds",
               time_limit());
  predict.number("--throughput", outlook.throughput, positive(), "Y",
                 "Tell how many GPUs bring the rate up to this, in the unit of y");
  predict.number("--epochs", outlook.epochs, positive(), "N",
                 "The job has N epochs, and y is the time of one: the deadline, budgets, "
                 "GPU-hours, energy and costs are then those of the whole job");
  predict.number("--budget-gpu-hours", outlook.budget_gpu_hours, positive(), "HOURS",
                 "Tell up to how many GPUs the GPU-hours stay within this number");
  predict.number("--budget-kwh", outlook.budget_kwh, positive(), "KWH",
                 "Tell up to how many GPUs the energy stays within this many kWh, PUE included");
  predict.choice("--target", outlook.target, named<Target>(),
                 "Whether deadlines, budgets, GPU-hours and costs are about the median of new runs "
                 "or their mean");
}

void add_energy_options(Options& predict, PredictCommand& options) {
  predict.group("Footprint");
  predict.text(
      "--energy", options.energy, "COL",
      "Column of the energy that all GPUs of a run take together. Default: found by its name");
  predict.number(
      "--gpu-power", options.gpu_power, positive(), "W",
      "Watts that one GPU draws: the energy is computed from them instead of read from a column");
  predict.text("--gpu-price", options.gpu_price, "PRICE",
               "Price of one GPU for one hour, with or without a currency: 2.5, '$2.50', '2.5 EUR'",
               price());
  add_footprint_options(predict, options.footprint);
}

/// @throws DataError if hours of GPUs are not known.
void need_hours(const OutlookOptions& outlook, std::string_view option, const StudyReport& study) {
  if (outlook.hours_per_unit) return;
  refuse_without_gpus(study.x, option);
  throw DataError(
      fmt::format("{} needs the number of GPUs as x, and a time as y whose header tells its unit, "
                  "such as epoch_seconds or 'time [min]'; x is '{}' and y is '{}'",
                  option, study.x, study.y));
}

/// Whether the deadline is a duration and y a time by its name, whose unit nothing tells.
bool takes_seconds(const std::string& deadline, const StudyReport& study) {
  return !deadline.empty() && !parse_number(deadline) && study.y_unit.empty() &&
         meaning_of(study.y).role == ColumnRole::kTime;
}

/// The deadline in the unit of y, which is seconds where nothing tells it.
/// @throws DataError for a duration if that unit is no unit of time.
double deadline_in_unit(const std::string& text, const StudyReport& study) {
  if (const auto number = parse_number(text)) return *number;
  if (takes_seconds(text, study)) return *parse_duration(text);
  const auto unit_seconds = in_base_units(study.y_unit, Dimension::kTime);
  if (!unit_seconds) {
    throw DataError(fmt::format(
        "--deadline {}: the unit of '{}' is {}; give a number in the unit of that column, "
        "or tell its unit in the header, such as 'time [s]'",
        text, study.y, study.y_unit.empty() ? "not known" : study.y_unit + ", which is no time"));
  }
  return *parse_duration(text) / *unit_seconds;
}

/// @throws DataError if a question does not fit the kind of response.
void check_questions(const PredictCommand& options, Response response, const StudyReport& study) {
  const bool is_rate = response == Response::kRate;
  if (!options.deadline.empty() && is_rate) {
    throw DataError(fmt::format(
        "--deadline limits a time, and '{}' is a rate: ask for a rate with --throughput", study.y));
  }
  if (options.outlook.throughput && !is_rate) {
    throw DataError(
        fmt::format("--throughput asks for a rate, and '{}' is read as a time: add --rate if it "
                    "is a rate, or ask for a time with --deadline",
                    study.y));
  }
  if (options.outlook.epochs && is_rate) {
    throw DataError(fmt::format(
        "--epochs needs the time of one epoch, and '{}' is a rate: name such a column with -y",
        study.y));
  }
}

/// @throws DataError if forecasts are asked for that have no scatter to share.
void check_pool(const PredictCommand& options) {
  if (options.study.pool == Pool::kNone) return;
  const Law* const law = options.model.law;
  if (law == nullptr || !law->linear() || law->scale() != Scale::kLog) {
    throw DataError(
        fmt::format("--pool scatter works with one law: add --law power or --law lognormal; {} "
                    "weighs laws by the scatter of each group",
                    name_of(options.model)));
  }
  if (options.backtest) {
    throw DataError(
        "--pool scatter does not go with --backtest, which forecasts each group by itself");
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
  throw DataError(fmt::format("{}: it holds fits of the {} law; --law {} needs the runs themselves",
                              path, saved->name(), name_of(model)));
}

void add_predict_options(Options& predict, PredictCommand& options) {
  add_data_options(predict, options.study);
  predict.group("Forecast");
  predict.choice("--law", options.model, models(all_laws()),
                 "The law of the forecast: one law, the likeliest one (auto), or a mixture of "
                 "power, lognormal, floor, amdahl and usl (average). With auto and average the "
                 "intervals allow for not knowing the law");
  add_rate_option(predict, options.study);
  add_surface_options(predict, options.surface, options.study);
  predict.group("Forecast");
  predict.text("--at", options.at, "LIST",
               "Numbers of GPUs to forecast: 512,1024, or 64..1024, which doubles each time. "
               "Default: those that answer a deadline or budget, otherwise twice the largest "
               "measured. For chinchilla they are pairs, such as 7e10:1.4e12,1e9:2e10");
  predict.parsed("--at-compute", options.at_compute, places, "LIST",
                 "For chinchilla: how to split this much compute, K * parameters * tokens");
  add_demand_options(predict, options);
  add_energy_options(predict, options);
  predict.group("Forecast");
  predict.flag(
      "--backtest", options.backtest,
      "Hide the runs at the largest N, forecast them from the others, and say how far off that is");
  predict.count("--hide", options.hidden, 1, "K", "How many of the largest N a backtest hides");
  add_confidence_option(predict, options.study);
  add_pool_option(predict, options.study, {Pool::kNone, Pool::kScatter});
  predict.choice(
      "--se", options.study.se, clusterings(),
      "For laws of two x: standard errors that allow for rows of one --run that share errors");
  add_result_options(predict, options.result);
  predict.flag("--strict", options.result.strict, "Exit with status 1 if a group has no forecast");
}

void check_combination(const PredictCommand& options) {
  check_pool(options);
  const OutlookOptions& outlook = options.outlook;
  const bool asks = !options.at.empty() || !options.deadline.empty() || asks_for_scales(outlook);
  if (options.backtest && asks) {
    throw DataError(
        "--backtest forecasts scales that were measured: leave out --at, --deadline, --throughput "
        "and the budgets");
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

void take_words(const PredictCommand& options, PredictReport& report) {
  if (const auto price = price_in(options.gpu_price)) report.currency = price->currency;
  if (parse_number(options.deadline)) return;
  if (const auto seconds = parse_duration(options.deadline)) {
    report.deadline = duration_text(*seconds);
  }
}

std::optional<std::string> note_on_unit(const PredictCommand& options, const StudyReport& study) {
  if (!takes_seconds(options.deadline, study)) return std::nullopt;
  return fmt::format(
      "'{0}' names no unit and is taken as seconds; if it is not, tell its unit in the header, "
      "such "
      "as '{0} [min]', or give --deadline as a number in that unit",
      study.y);
}

OutlookOptions outlook_options(const PredictCommand& options, Response response,
                               const StudyReport& study) {
  OutlookOptions outlook = options.outlook;
  outlook.at = places("--at", options.at);
  check_questions(options, response, study);
  if (!options.deadline.empty()) outlook.deadline = deadline_in_unit(options.deadline, study);
  if (!options.gpu_price.empty()) outlook.gpu_price = price_in(options.gpu_price)->number;
  outlook.footprint = footprint_of(options.footprint);
  outlook.hours_per_unit = hours_per_unit(study.x, study.y_unit, response);
  if (outlook.budget_gpu_hours) need_hours(outlook, "--budget-gpu-hours", study);
  if (options.gpu_power) need_hours(outlook, "--gpu-power", study);
  if (outlook.gpu_price) need_hours(outlook, "--gpu-price", study);
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
