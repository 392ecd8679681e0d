#include "predict_options.hpp"

#include "call_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw::cli {
namespace {

std::vector<Named<StandardError>> clusterings() {
  auto kinds = named<StandardError>();
  std::erase_if(kinds, [](const auto& kind) {
    return kind.value != StandardError::kCluster && kind.value != StandardError::kCr2;
  });
  return kinds;
}

/// What the times of a column are of: "epoch", "step", "iteration"; empty if its name does not
/// tell.
std::string timed_thing(std::string_view y) {
  const std::vector<std::string> words = words_as_written(y);
  for (const auto& [word, thing] : {std::pair{"epoch", "epoch"},
                                    {"step", "step"},
                                    {"iteration", "iteration"},
                                    {"iter", "iteration"},
                                    {"it", "iteration"}}) {
    if (std::find(words.begin(), words.end(), word) != words.end()) return thing;
  }
  return "";
}

Check count() {
  return [](const std::string& word) -> std::string {
    const auto number = number_as_written(word);
    if (number && *number > 0) return "";
    return fmt::format("expected a number above 0 such as 1e12, 300B or 1.2T, found \"{}\"", word);
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
  add_job_options(predict, options,
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

void add_energy_options(Options& predict, PredictCommand& options) {
  add_energy_columns(predict, options.measures, "Footprint");
  predict.number(
      "--gpu-power", options.gpu_power, positive(), "W",
      "Watts that one GPU draws: the energy is computed from them instead of read from a column");
  predict.text("--gpu-price", options.gpu_price, "PRICE",
               "Price of one GPU for one hour, with or without a currency: 2.5, '$2.50', '2.5 EUR'",
               price());
  predict.text("--node-price", options.node_price, "PRICE",
               "Price of one node for one hour, for tables over nodes; over GPUs with "
               "--gpus-per-node",
               price());
  predict.text("--gpus-per-node", options.gpus_per_node, "N|COL",
               "How many GPUs a node has: a number, or a column that has one value");
  add_footprint_options(predict, options.footprint);
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
}

/// How to tell the unit of a time that names none: "-y 'time[s]' if it is in seconds".
std::string unit_advice(const StudyReport& study) {
  return fmt::format(
      "'{0}' names no unit: say -y '{0}[s]' if it is in seconds, -y '{0}[min]' if in minutes",
      study.y);
}

bool is_time_without_unit(const StudyReport& study) {
  return study.y_unit.empty() && meaning_of(study.y).role == ColumnRole::kTime;
}

/// @throws DataError if hours of GPUs are not known.
void need_hours(const OutlookOptions& outlook, std::string_view option, const StudyReport& study) {
  if (outlook.hours_per_unit) return;
  if (counts_nodes(study.x) && outlook.node_hours_per_unit) {
    throw DataError(fmt::format(
        "{} needs the number of GPUs, and '{}' counts nodes: say with --gpus-per-node how many one "
        "has, or price nodes with --node-price",
        option, study.x));
  }
  refuse_without_gpus(study.x, option);
  if (is_time_without_unit(study)) {
    throw DataError(fmt::format("{} needs the unit of y: {}", option, unit_advice(study)));
  }
  throw DataError(
      fmt::format("{} needs the number of GPUs as x, and a time as y whose header tells its unit, "
                  "such as epoch_seconds or 'time [min]'; x is '{}' and y is '{}'",
                  option, study.x, study.y));
}

/// Whether the deadline is a duration and y a time by its name, whose unit nothing tells.
bool takes_seconds(const std::string& deadline, const StudyReport& study) {
  return !deadline.empty() && !parse_number(deadline) && is_time_without_unit(study);
}

/// The deadline in the unit of y, which is seconds where nothing tells it, and of a job of tokens.
/// @throws DataError for a duration if that unit is no unit of time.
double deadline_in_unit(const std::string& text, const StudyReport& study, bool of_tokens) {
  if (const auto number = parse_number(text)) return *number;
  if (of_tokens || takes_seconds(text, study)) return *parse_duration(text);
  const auto unit_seconds = in_base_units(study.y_unit, Dimension::kTime);
  if (!unit_seconds) {
    throw DataError(fmt::format(
        "--deadline {}: the unit of '{}' is {}; give a number in the unit of that column, "
        "or tell its unit in the header, such as 'time [s]'",
        text, study.y, study.y_unit.empty() ? "not known" : study.y_unit + ", which is no time"));
  }
  return *parse_duration(text) / *unit_seconds;
}

/// @throws DataError if a job of tokens cannot be told from the response.
void check_tokens(const PredictCommand& options, Response response, const StudyReport& study) {
  const auto refuse = [](std::string sentence) { throw DataError(std::move(sentence)); };
  if (response != Response::kRate) {
    refuse(
        fmt::format("{} needs a rate, such as tokens per second, and '{}' is read as a "
                    "time: name a rate with -y, or add --rate if it is one",
                    options.job_option, study.y));
  }
  if (rate_name(study.y).of_one_device) {
    refuse(
        fmt::format("{} needs the rate of all of '{}' together, and '{}' is that of one: "
                    "add a column that is multiplied by it",
                    options.job_option, study.x, study.y));
  }
  if (options.outlook.target == Target::kMean) {
    refuse(options.job_option +
           ": the mean of a time is not known from that of a rate; leave out --target mean");
  }
  if (!options.measures.energy.empty()) {
    refuse(options.job_option +
           ": the energy of a run is not that of a job; give the watts of a GPU with --gpu-power");
  }
}

/// @throws DataError if a question does not fit the kind of response.
void check_questions(const PredictCommand& options, Response response, const StudyReport& study) {
  const bool is_rate = response == Response::kRate;
  if (!options.tokens.empty()) return check_tokens(options, response, study);
  if (!options.deadline.empty() && is_rate) {
    const std::string things = rate_name(study.y).things;
    throw DataError(fmt::format(
        "--deadline limits a time, and '{}' is a rate: say with --tokens how many {} the job has "
        "that the deadline is for (--tokens 1e9), or ask for a rate with --throughput",
        study.y, things.empty() ? "units of work" : things));
  }
  if (options.outlook.throughput && !is_rate) {
    throw DataError(
        fmt::format("--throughput asks for a rate, and '{}' is read as a time: add --rate if it "
                    "is a rate, or ask for a time with --deadline",
                    study.y));
  }
  if (options.outlook.epochs && is_rate) {
    throw DataError(fmt::format(
        "--epochs needs the time of one epoch, and '{}' is a rate: name such a column with -y, or "
        "say with --tokens how much work a job has",
        study.y));
  }
}

}  // namespace

void take_job(Response response, const StudyReport& study, PredictCommand& options) {
  const auto refuse = [&study](std::string_view option, std::string_view what) {
    throw DataError(
        fmt::format("{} needs {}, and '{}' is something else: name such a column with "
                    "-y",
                    option, what, study.y));
  };
  if (!options.samples.empty()) {
    if (response != Response::kRate) refuse("--samples", "a rate, such as samples per second");
    options.tokens = options.samples;
    options.job_option = "--samples";
  }
  if (options.steps.empty()) return;
  if (response == Response::kRate) {
    options.tokens = options.steps;
    options.job_option = "--steps";
    return;
  }
  const std::string thing = timed_thing(study.y);
  if (thing == "epoch") refuse("--steps", "the time of one step");
  options.outlook.epochs = number_as_written(options.steps);
}

void take_rate(PredictCommand& options) {
  const bool asks = !options.tokens.empty() || !options.samples.empty() || !options.steps.empty() ||
                    options.outlook.throughput.has_value();
  if (asks && meaning_of(options.study.y).role == ColumnRole::kRate) options.study.rate = true;
}

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

void constrain_law(PredictCommand& options) {
  if (options.study.constraints.empty()) return;
  options.model.law = &constrained(*options.model.law, options.study.constraints);
  options.study.constraints = {};
}

void add_job_options(Options& command, PredictCommand& options, const std::string& effect) {
  command.number("--epochs", options.outlook.epochs, positive(), "N",
                 "The job has N epochs, and y is the time of one: " + effect);
  command.text("--steps", options.steps, "N",
               "The same for N steps (iterations, batches), of which y is the time or the rate",
               count());
  command.text("--tokens", options.tokens, "N",
               "The job has N tokens, or N of what the rate y counts: 1T, 300B, 1e12; " + effect,
               count());
  command.text("--samples", options.samples, "N", "The same for N samples, of a rate of samples",
               count());
  command.exclusive({"--epochs", "--steps", "--samples", "--tokens"},
                    "{0} and {1} all say what a job is: leave all but one of them out");
}

void add_predict_options(Options& predict, PredictCommand& options) {
  add_data_options(predict, options.study);
  predict.group("Forecast");
  predict.choice("--law", options.model, models(all_laws()),
                 "The law of the forecast: one law, the likeliest one (auto), or a mixture of "
                 "power, lognormal, floor, amdahl and usl (average). With auto and average the "
                 "intervals allow for not knowing the law");
  add_constraint_options(predict, options.study.constraints);
  predict.group("Forecast");
  add_rate_option(predict, options.study);
  add_surface_options(predict, options.surface, options.study);
  predict.group("Forecast");
  predict.text("--at", options.at, "LIST",
               "Numbers of GPUs to forecast: 512,1024, or 64..1024, which doubles each time. "
               "Default: those that answer a deadline or budget, otherwise twice the largest "
               "measured. For laws of two x they are pairs, such as 7e10:1.4e12,1e9:2e10, "
               "and data-constrained takes a third number, the unique tokens");
  predict
      .parsed("--at-compute", options.at_compute, places, "LIST",
              "For chinchilla: how to split this much compute, K * parameters * tokens")
      .only_for(several_x(), kTakesOne);
  predict
      .text("--score", options.score, "COL",
            "For chinchilla: column of a score, such as the accuracy of a benchmark, that follows "
            "from y. A sigmoid of y is fitted to it, and forecasts have the score, too")
      .only_for(several_x(),
                "{0} needs a law of several x: add --law chinchilla, which forecasts the loss that "
                "the score follows from");
  add_demand_options(predict, options);
  add_energy_options(predict, options);
  predict.group("Forecast");
  predict.flag(
      "--backtest", options.backtest,
      "Hide the runs at the largest N, forecast them from the others, and say how far off that is");
  predict.count(
      "--hide", options.hidden, 1, "K",
      "How many of the largest N a backtest hides. Default: 1; of laws of two x the sizes that "
      "a tenth of the runs have");
  predict
      .choice("--hide-by", options.hide_by, named<SizeMeasure>(),
              "For laws of two x: a backtest hides the runs of the largest size (the first x), or "
              "of the most compute")
      .only_for(several_x(), kTakesOne);
  add_confidence_option(predict, options.study);
  add_pool_option(predict, options.study, {Pool::kNone, Pool::kScatter, Pool::kLaws});
  predict
      .choice("--se", options.study.se, clusterings(),
              "For laws of several x: standard errors that allow for rows of one --run that share "
              "errors")
      .only_for(several_x(),
                "{0} works only with laws of several x: other forecasts have standard errors of "
                "their own");
  add_method_rules(predict);
  add_forecast_rules(predict);
  add_result_options(predict, options.result);
  predict.flag("--strict", options.result.strict, "Exit with status 1 if a group has no forecast");
}

std::optional<double> gpus_per_node_of_saved(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto number = number_as_written(text);
  if (number && *number > 0) return number;
  throw DataError(fmt::format(
      "--gpus-per-node: saved fits have no columns, so that it takes a number above 0, such as 8; "
      "found {}",
      scalelaw::quoted(text)));
}

ForecastOptions forecast_options(const PredictCommand& options) {
  return {.kind = options.model.kind,
          .law = options.model.law,
          .response = options.study.rate ? Response::kRate : Response::kTime,
          .confidence = options.study.confidence};
}

void take_words(const PredictCommand& options, PredictReport& report) {
  report.currency = currency_of({{"--gpu-price", options.gpu_price},
                                 {"--node-price", options.node_price},
                                 {"--price", options.footprint.price}});
  if (const auto& epochs = options.outlook.epochs) {
    const bool of_steps = !options.steps.empty();
    std::string thing = timed_thing(report.y);
    if (thing.empty()) thing = of_steps ? "step" : "epoch";
    report.job =
        fmt::format("the job of {} {}{}", scale_text(*epochs), thing, *epochs == 1 ? "" : "s");
    report.job_member = of_steps ? "steps" : "epochs";
  }
  if (!options.tokens.empty()) {
    std::string things = rate_name(report.y).things;
    const bool is_one = number_as_written(options.tokens) == 1;
    if (things.empty()) things = is_one ? "unit of work" : "units of work";
    if (is_one && things.ends_with('s')) things.pop_back();
    report.job = fmt::format("the job of {} {}", options.tokens, things);
    report.job_member = options.job_option.substr(2);
  }
  if (parse_number(options.deadline) && options.tokens.empty()) return;
  if (const auto seconds = parse_number(options.deadline)) {
    report.deadline = duration_text(*seconds);
  }
  if (const auto seconds = parse_duration(options.deadline)) {
    report.deadline = duration_text(*seconds);
  }
}

std::optional<std::string> note_on_unit(const PredictCommand& options, const StudyReport& study) {
  if (!options.tokens.empty() && !rate_name(study.y).seconds) {
    return fmt::format(
        "'{}' does not say per which time it is, and is taken as a rate per second; if it is not, "
        "say so in the header, such as tokens_per_minute",
        study.y);
  }
  if (!takes_seconds(options.deadline, study)) return std::nullopt;
  return fmt::format(
      "'{0}' names no unit and is taken as seconds; if it is in minutes, say so with -y "
      "'{0}[min]'",
      study.y);
}

/// What machines take for one unit of y, or for a second of a job of tokens.
void take_machines(const PredictCommand& options, const StudyReport& study, Response response,
                   std::optional<double> gpus_per_node, OutlookOptions& outlook) {
  const bool in_seconds = takes_seconds(options.deadline, study);
  const auto hours = outlook.tokens ? hours_of("s", Response::kTime)
                                    : hours_of(in_seconds ? "s" : study.y_unit, response);
  const MachineHours machines = machine_hours(study.x, hours, gpus_per_node);
  outlook.hours_per_unit = machines.per_x;
  outlook.node_hours_per_unit = machines.per_node;
  outlook.x_per_node = machines.x_per_node;
}

/// @throws DataError if hours of nodes are not known.
void need_nodes(const OutlookOptions& outlook, const StudyReport& study) {
  if (!outlook.x_per_node) {
    throw DataError(fmt::format(
        "--node-price needs the number of nodes, and '{}' does not count nodes: {}", study.x,
        may_count_gpus(study.x) ? "say with --gpus-per-node how many GPUs one has"
                                : "name a column of nodes with -x"));
  }
  if (outlook.node_hours_per_unit) return;
  if (!outlook.tokens && is_time_without_unit(study)) {
    throw DataError(fmt::format("--node-price needs the unit of y: {}", unit_advice(study)));
  }
  throw DataError(fmt::format(
      "--node-price needs a time as y whose header tells its unit, such as epoch_seconds or 'time "
      "[min]', or --tokens with a rate; y is '{}'",
      study.y));
}

/// What the tokens of a job are in the outlook; nothing without any.
void take_tokens(const PredictCommand& options, const StudyReport& study, OutlookOptions& outlook) {
  if (options.tokens.empty()) return;
  outlook.tokens = number_as_written(options.tokens);
  outlook.seconds_of_rate = rate_name(study.y).seconds.value_or(1);
}

std::optional<double> hours_of_job(PredictCommand options, Response response,
                                   const StudyReport& study, std::optional<double> gpus_per_node) {
  take_job(response, study, options);
  check_questions(options, response, study);
  OutlookOptions outlook = options.outlook;
  take_tokens(options, study, outlook);
  take_machines(options, study, response, gpus_per_node, outlook);
  if (!outlook.hours_per_unit) return std::nullopt;
  const double times =
      outlook.tokens ? *outlook.tokens * outlook.seconds_of_rate : outlook.epochs.value_or(1);
  return *outlook.hours_per_unit * times;
}

OutlookOptions outlook_options(const PredictCommand& options, Response response,
                               const StudyReport& study, std::optional<double> gpus_per_node) {
  OutlookOptions outlook = options.outlook;
  outlook.at = places("--at", options.at);
  check_questions(options, response, study);
  take_tokens(options, study, outlook);
  if (!options.deadline.empty()) {
    outlook.deadline = deadline_in_unit(options.deadline, study, outlook.tokens.has_value());
  }
  if (!options.gpu_price.empty()) outlook.gpu_price = price_in(options.gpu_price)->number;
  if (!options.node_price.empty()) outlook.node_price = price_in(options.node_price)->number;
  outlook.footprint = footprint_of(options.footprint);
  take_machines(options, study, response, gpus_per_node, outlook);
  if (outlook.budget_gpu_hours) need_hours(outlook, "--budget-gpu-hours", study);
  if (options.gpu_power) need_hours(outlook, "--gpu-power", study);
  if (outlook.gpu_price) need_hours(outlook, "--gpu-price", study);
  if (outlook.node_price) need_nodes(outlook, study);
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
