#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "command.hpp"
#include "result_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/read_fits.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/render/predict_report.hpp"
#include "scales.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kExamples =
    R"(  scalelaw predict data/demo/runs.csv --at 512,1024 -b model --where power_cap_w=250
      Time, speedup and GPU-hours an epoch beyond the data, with the interval of a new run.
  scalelaw predict data/demo/runs.csv --where model=BERT --deadline 300
      From how many GPUs on an epoch takes less than 300 seconds.
  scalelaw predict data/demo/runs.csv --backtest
      How far off such forecasts were: the greatest N of each group hidden and forecast.
)";

struct PredictCommand {
  StudyOptions study;
  std::string law = "average";
  std::string at;
  double deadline = 0;
  double budget_gpu_hours = 0;
  bool backtest = false;
  std::size_t hidden = 1;
  ResultOptions result;
  bool strict = false;
};

std::vector<std::string_view> law_choices() {
  std::vector<std::string_view> names{"average", "auto"};
  const auto laws = law_names();
  names.insert(names.end(), laws.begin(), laws.end());
  return names;
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

/// What to say of a group, once its forecast is made.
/// @throws FitError where a law has no value to give.
Outlook outlook_of(const PredictReport& report, Forecast forecast, std::vector<double> at) {
  if (at.empty()) at = {2 * forecast.x_max};
  Outlook outlook{.forecast = std::move(forecast),
                  .predictions = {},
                  .deadline = std::nullopt,
                  .budget = std::nullopt};
  for (const double x : at) outlook.predictions.push_back(predict(outlook.forecast, x));
  if (report.deadline) outlook.deadline = meet_deadline(outlook.forecast, *report.deadline);
  if (report.budget_gpu_hours) {
    outlook.budget =
        meet_budget(outlook.forecast, *report.budget_gpu_hours / *report.hours_per_unit);
    outlook.budget->best *= *report.hours_per_unit;
  }
  return outlook;
}

std::vector<GroupOutlook> outlooks_from(const GroupedCells& runs, const PredictReport& report,
                                        const std::vector<double>& at, int threads) {
  std::vector<GroupOutlook> outlooks(runs.size());
  parallel_for(thread_count(threads), runs.size(), [&](std::size_t group, int /*worker*/) {
    std::vector<Cell> cells;
    runs.cells(group, cells);
    outlooks[group].group = runs.key(group);
    try {
      outlooks[group].result = outlook_of(report, make_forecast(cells, report.options), at);
    } catch (const FitError& error) {
      outlooks[group].result = NoFit{error.code(), error.what()};
    }
  });
  return outlooks;
}

std::vector<GroupOutlook> outlooks_from(const SavedFits& saved, const PredictReport& report,
                                        const std::vector<double>& at) {
  std::vector<GroupOutlook> outlooks;
  for (const GroupFit& group : saved.groups) {
    const Fit* const fit = std::get_if<Fit>(&group.result);
    GroupOutlook& outlook = outlooks.emplace_back();
    outlook.group = group.group;
    try {
      if (fit == nullptr) {
        outlook.result = std::get<NoFit>(group.result);
      } else {
        outlook.result = outlook_of(report, forecast_of(*fit), at);
      }
    } catch (const FitError& error) {
      outlook.result = NoFit{error.code(), error.what()};
    }
  }
  return outlooks;
}

void add_demands(const PredictCommand& options, PredictReport& report) {
  report.hours_per_unit = hours_per_unit(report.x, report.y, report.options.response);
  if (options.deadline > 0) report.deadline = options.deadline;
  if (report.deadline && report.options.response == Response::kRate) {
    throw DataError("--deadline is one of times: with --rate there is none to meet");
  }
  if (options.budget_gpu_hours > 0) report.budget_gpu_hours = options.budget_gpu_hours;
  if (report.budget_gpu_hours && !report.hours_per_unit) {
    throw DataError(fmt::format(
        "--budget-gpu-hours needs a count of GPUs, and a time whose unit its name tells, such as "
        "epoch_seconds or 'time [min]': not '{}' over '{}'",
        report.y, report.x));
  }
}

/// The one saved document among the inputs; nothing where they are tables.
std::optional<SavedFits> saved_fits(const PredictCommand& options) {
  if (options.study.inputs.size() != 1) return std::nullopt;
  const std::string& path = options.study.inputs.front();
  if (!holds_saved_fits(path)) return std::nullopt;
  SavedFits saved = read_fits(path);
  if (saved.errors == Errors::kNormal) {
    throw DataError(fmt::format(
        "{}: fits with normal errors have no forecast yet; fit with log-normal errors", path));
  }
  if (options.law != "average" && options.law != saved.law->name()) {
    throw DataError(fmt::format("{}: holds fits of the {} law; --law {} needs the runs themselves",
                                path, saved.law->name(), options.law));
  }
  if (options.backtest) {
    throw DataError(fmt::format("{}: a backtest needs the runs themselves, not their fits", path));
  }
  return saved;
}

PredictReport report_on_saved(const SavedFits& saved, const PredictCommand& options) {
  PredictReport report;
  report.inputs = options.study.inputs;
  report.x = saved.x;
  report.y = saved.y;
  report.by = saved.by;
  report.options = {.kind = ForecastKind::kLaw,
                    .law = saved.law,
                    .response = saved.response,
                    .confidence = saved.confidence};
  return report;
}

/// Warns of groups without a forecast; whether there are any.
bool say_what_failed(const std::vector<GroupOutlook>& outlooks, const Console& console) {
  std::size_t failed = 0;
  for (const GroupOutlook& group : outlooks) {
    failed += std::holds_alternative<NoFit>(group.result) ? 1 : 0;
  }
  if (failed == 0) return false;
  console.warn(fmt::format("{} of {} groups have no forecast", failed, outlooks.size()));
  return true;
}

int run_predict(const PredictCommand& options, const GlobalOptions& global) {
  const Console console = global.console();
  const std::vector<double> at = places("--at", options.at);
  if (options.backtest && (!at.empty() || options.deadline > 0 || options.budget_gpu_hours > 0)) {
    throw DataError(
        "--backtest forecasts scales that were measured: leave out --at, --deadline and "
        "--budget-gpu-hours");
  }
  if (!options.backtest && options.hidden != 1) {
    throw DataError("--hide says how many scales a backtest hides: add --backtest");
  }
  const auto colour = [&](const Output& output) {
    return wants_colour(global.colour, output.is_terminal());
  };
  refuse_to_replace_inputs(options.result.output, options.study);
  Output output(options.result.output);  // Before reading: a missing folder must not cost minutes.
  const TextSink sink = [&output](std::string_view text) { output.write(text); };
  const Format format = format_of(options.result);
  std::vector<GroupOutlook> outlooks;
  PredictReport report;
  if (const auto saved = saved_fits(options)) {
    report = report_on_saved(*saved, options);
    add_demands(options, report);
    outlooks = outlooks_from(*saved, report, at);
  } else {
    FitOptions reading = fit_options(options.study);
    const GroupedCells runs = read_study(options.study, reading, global);
    static_cast<StudyReport&>(report) = study_report(options.study, runs);
    report.options = forecast_options(options);
    if (const std::string epochs = note_epochs(runs, reading, console); !epochs.empty()) {
      report.warnings.push_back(epochs);
    }
    if (options.backtest) {
      const Backtest scores = backtest(runs, report.options, options.hidden, global.threads);
      write_backtest(report, scores, options.hidden, format, colour(output), sink);
      output.commit();
      return kDone;
    }
    add_demands(options, report);
    outlooks = outlooks_from(runs, report, at, global.threads);
  }
  write_predictions(report, outlooks, format, colour(output), sink);
  output.commit();
  const bool failed = say_what_failed(outlooks, console);
  return options.strict && failed ? kCheckFailed : kDone;
}

}  // namespace

Command add_predict_command(CLI::App& program) {
  auto options = std::make_shared<PredictCommand>();
  CLI::App* predict = program.add_subcommand(
      "predict", "Forecast time, speedup and GPU-hours at other scales, from runs or saved fits");
  predict->footer(kExamples);
  add_data_options(*predict, options->study);
  add_choice(*predict, "--law", options->law, law_choices(),
             "One law, the best by AICc with ties averaged, or the average of power, floor and "
             "Amdahl")
      ->group("Forecast");
  add_rate_option(*predict, options->study)->group("Forecast");
  predict
      ->add_option("--at", options->at,
                   "Scales to forecast: 512,1024 or 64..1024, which doubles; without it twice the "
                   "greatest")
      ->type_name("LIST")
      ->group("Forecast");
  predict
      ->add_option("--deadline", options->deadline,
                   "From which scale on y is at most this, in the unit of y")
      ->type_name("Y")
      ->check(positive())
      ->group("Forecast");
  predict
      ->add_option("--budget-gpu-hours", options->budget_gpu_hours,
                   "Up to which scale GPUs times y stay within this")
      ->type_name("HOURS")
      ->check(positive())
      ->group("Forecast");
  predict
      ->add_flag("--backtest", options->backtest,
                 "Hide the greatest scales, forecast them, and say how far off that was")
      ->group("Forecast");
  add_count(*predict, "--hide", options->hidden, 1, "How many scales a backtest hides")
      ->type_name("K")
      ->group("Forecast");
  add_confidence_option(*predict, options->study);
  add_result_options(*predict, options->result);
  predict->add_flag("--strict", options->strict, "Exit with 1 if a group has no forecast")
      ->group("Result");
  return {predict,
          [options](const GlobalOptions& global) { return run_predict(*options, global); }};
}

}  // namespace scalelaw::cli
