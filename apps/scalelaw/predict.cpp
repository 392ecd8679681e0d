#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "predict_options.hpp"
#include "predict_surface.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/judge/forecasts.hpp"
#include "scalelaw/render/predict_report.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kExamples =
    R"(  scalelaw predict data/demo/runs.csv --at 512,1024 -b model --where power_cap_w=250 --where clock_mhz=1380
      Time, speedup and GPU-hours an epoch beyond the data, with the interval of a new run.
  scalelaw predict data/demo/runs.csv --where model=BERT --deadline 300
      From how many GPUs on an epoch takes less than 300 seconds.
  scalelaw predict data/demo/runs.csv -b model --where power_cap_w=200 --budget-kwh 2 --carbon-intensity FR
      How many GPUs two kWh an epoch allow, and how much CO2 that is on the French grid.
  scalelaw predict data/demo/runs.csv --backtest
      How far off such forecasts were: the greatest N of each group hidden and forecast.
  scalelaw predict data/two_scales/runs.csv --law chinchilla -x parameters,tokens -y loss --at-compute 1e21,1e22
      The best split of a compute between parameters and tokens, and the loss that it reaches.
)";

struct Forecasts {
  PredictReport report;
  std::vector<GroupOutlook> outlooks;
};

/// Energy by the power of a GPU that the user told.
EnergySource energy_by_power(const PredictCommand& options, PredictReport& report) {
  report.energy = fmt::format("{:.6g} W a GPU", options.gpu_power);
  return EnergySource::of_power(options.gpu_power * 3600 * *report.outlook.hours_per_unit);
}

/// Energy of the runs, read as the times were.
EnergySource energy_of_runs(const PredictCommand& options, const GlobalOptions& global,
                            PredictReport& report) {
  if (options.gpu_power > 0) return energy_by_power(options, report);
  const bool required = needs_energy(report.outlook);
  auto energy = read_energy(options.study, report, options.energy, required, global);
  if (energy) {
    report.energy = energy->column;
    return EnergySource::of_runs(std::move(energy->runs), energy->joules, report.options);
  }
  const bool is_stream = options.study.inputs.size() == 1 && options.study.inputs.front() == "-";
  refuse_without_energy(report.outlook, is_stream ? "read a file, which can be read twice"
                                                  : "name its column with --energy");
  return {};
}

SavedFits saved_fits(const std::string& path, const PredictCommand& options) {
  SavedFits saved = read_fits(path);
  if (saved.errors == Errors::kNormal) {
    throw DataError(fmt::format(
        "{}: fits with normal errors have no forecast yet; fit with log-normal errors", path));
  }
  if (options.model.kind != ForecastKind::kAverage && options.model.law != saved.law) {
    throw DataError(fmt::format("{}: holds fits of the {} law; --law {} needs the runs themselves",
                                path, saved.law->name(), name_of(options.model)));
  }
  if (options.backtest) {
    throw DataError(fmt::format("{}: a backtest needs the runs themselves, not their fits", path));
  }
  refuse_row_options(options.call, path);
  if (saved.groups.empty()) throw DataError(fmt::format("{}: holds no fit", path));
  if (!options.energy.empty()) {
    throw DataError(fmt::format(
        "{}: --energy names a column of runs; save the fits of energy as well (fit -y {}) and name "
        "both documents",
        path, options.energy));
  }
  return saved;
}

/// The saved documents among the inputs; nothing where they are tables.
std::optional<SavedStudy> saved_inputs(const PredictCommand& options) {
  const std::vector<std::string>& inputs = options.study.inputs;
  const auto saved = std::count_if(inputs.begin(), inputs.end(), holds_saved_fits);
  if (saved == 0) return std::nullopt;
  if (static_cast<std::size_t>(saved) < inputs.size()) {
    throw DataError(
        fmt::format("{}: documents of fits and run tables do not go together", joined(inputs)));
  }
  std::vector<SavedFits> documents;
  for (const std::string& path : inputs) documents.push_back(saved_fits(path, options));
  return saved_study(std::move(documents));
}

EnergySource energy_of_saved(const SavedStudy& study, const PredictCommand& options,
                             const Console& console, PredictReport& report) {
  if (options.gpu_power > 0) return energy_by_power(options, report);
  if (!study.energy) {
    refuse_without_energy(report.outlook, "name the document of its fits too (fit -y COLUMN)");
    return {};
  }
  report.energy = study.energy->y;
  const double joules = joules_of(report.energy, unit_of(*study.energy), console);
  return EnergySource::of_fits(study.energy->groups, joules);
}

Forecasts forecasts_of_saved(const SavedStudy& study, const PredictCommand& options,
                             const GlobalOptions& global) {
  const SavedFits& fits = study.fits;
  const bool level_given = options.call.given("--confidence");
  PredictReport report{report_on(fits), {}, {}, {}};
  report.inputs = options.study.inputs;
  report.options = {.kind = ForecastKind::kLaw,
                    .law = fits.law,
                    .response = fits.response,
                    .confidence = level_given ? options.study.confidence : fits.confidence};
  report.outlook = outlook_options(options, fits.response, report.x, report.y, report.y_unit);
  const EnergySource energy = energy_of_saved(study, options, global.console(), report);
  auto outlooks = outlooks_of(fits.groups, report.options.confidence, report.outlook, energy);
  return {std::move(report), std::move(outlooks)};
}

/// The runs, and the head of a report on them.
std::pair<GroupedCells, PredictReport> read_runs_to_forecast(const PredictCommand& options,
                                                             const GlobalOptions& global) {
  FitOptions reading = fit_options(options.study);
  GroupedCells runs = read_study(options.study, reading, global);
  PredictReport report{study_report(options.study, runs), forecast_options(options), {}, {}};
  const std::string epochs = note_epochs(runs.unused_run_column(), reading, global.console());
  if (!epochs.empty()) report.warnings.push_back(epochs);
  return {std::move(runs), std::move(report)};
}

Forecasts forecasts_of_runs(const GroupedCells& runs, PredictReport report,
                            const PredictCommand& options, const GlobalOptions& global) {
  report.outlook =
      outlook_options(options, report.options.response, report.x, report.y, report.y_unit);
  const EnergySource energy = energy_of_runs(options, global, report);
  auto outlooks = outlooks_of(runs, report.options, report.outlook, energy, global.threads);
  return {std::move(report), std::move(outlooks)};
}

/// Warns of groups without a forecast; whether there are any.
bool say_what_failed(const PredictReport& report, const std::vector<GroupOutlook>& outlooks,
                     const Console& console) {
  const auto without_energy =
      std::count_if(outlooks.begin(), outlooks.end(), [](const GroupOutlook& group) {
        const Outlook* const outlook = std::get_if<Outlook>(&group.result);
        return outlook != nullptr && !outlook->energy;
      });
  if (!report.energy.empty() && without_energy > 0) {
    console.warn(
        fmt::format("{} of {} groups have no forecast of energy", without_energy, outlooks.size()));
  }
  return warn_of_failures(outlooks, "forecast", console);
}

/// Warns of groups that a backtest could not use; whether there are any.
bool say_what_was_skipped(const Backtest& scores, std::size_t groups, const Console& console) {
  if (scores.skipped == 0) return false;
  console.warn(
      fmt::format("{} of {} groups have too few scales to hide one", scores.skipped, groups));
  return true;
}

/// Demands have an answer a group, and these formats a row a scale.
void say_where_demands_are(const PredictReport& report, Format format, const Console& console) {
  const OutlookOptions& outlook = report.outlook;
  const bool asked = outlook.deadline || outlook.budget_gpu_hours || outlook.budget_kwh;
  if (asked && (format == Format::kCsv || format == Format::kTsv)) {
    console.warn("what --deadline and the budgets ask for stands in tables and JSON, not in CSV");
  }
}

int run_backtest(const GroupedCells& runs, const PredictReport& report,
                 const PredictCommand& options, Output& output, const GlobalOptions& global) {
  const Backtest scores = backtest(runs, report.options, options.hidden, global.threads);
  write_backtest(report, scores, options.hidden, style_of(options.result, global, output),
                 [&output](std::string_view text) { output.write(text); });
  output.commit();
  const bool skipped = say_what_was_skipped(scores, runs.size(), global.console());
  return options.strict && skipped ? kCheckFailed : kDone;
}

int run_predict(const PredictCommand& options, const GlobalOptions& global) {
  if (const auto status = predict_surface(options, global)) return *status;
  refuse_surface_options(options.call, options.study);
  check_combination(options);
  refuse_to_replace_inputs(options.result.output, options.study);
  Output output(options.result.output);  // Before reading: a missing folder must not cost minutes.
  Forecasts forecasts;
  if (const auto study = saved_inputs(options)) {
    forecasts = forecasts_of_saved(*study, options, global);
  } else {
    auto [runs, report] = read_runs_to_forecast(options, global);
    if (options.backtest) return run_backtest(runs, report, options, output, global);
    forecasts = forecasts_of_runs(runs, std::move(report), options, global);
  }
  const TableStyle style = style_of(options.result, global, output);
  write_predictions(forecasts.report, forecasts.outlooks, style,
                    [&output](std::string_view text) { output.write(text); });
  output.commit();
  say_where_demands_are(forecasts.report, style.format, global.console());
  const bool failed = say_what_failed(forecasts.report, forecasts.outlooks, global.console());
  return options.strict && failed ? kCheckFailed : kDone;
}

}  // namespace

Command add_predict_command(Program& program) {
  auto options = std::make_shared<PredictCommand>();
  Options predict = options->call = program.add_command(
      "predict", "Forecast time, speedup and GPU-hours at other scales, from runs or saved fits",
      kExamples);
  add_predict_options(predict, *options);
  return {predict,
          [options](const GlobalOptions& global) { return run_predict(*options, global); }};
}

}  // namespace scalelaw::cli
