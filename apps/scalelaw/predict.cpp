#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "command.hpp"
#include "measure_options.hpp"
#include "predict_surface.hpp"
#include "result_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/fit/read_fits.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/render/predict_report.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scales.hpp"
#include "study_options.hpp"

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

constexpr std::array kTargets{Target::kMedian, Target::kMean};

/// What forecasts are made by: one law, or a choice or average of several.
struct Model {
  ForecastKind kind = ForecastKind::kAverage;
  const Law* law = nullptr;  ///< Of ForecastKind::kLaw.

  bool operator==(const Model&) const = default;
};

struct PredictCommand {
  Options call;
  StudyOptions study;
  Model model;
  std::string at;
  std::string at_compute;
  SurfaceOptions surface;
  double deadline = 0;
  double budget_gpu_hours = 0;
  double budget_kwh = 0;
  Target target = Target::kMedian;
  std::string energy;
  double gpu_power = 0;
  FootprintOptions footprint;
  bool backtest = false;
  std::size_t hidden = 1;
  ResultOptions result;
  bool strict = false;
};

std::string_view name_of(const Model& model) {
  return model.law != nullptr ? model.law->name() : scalelaw::name_of(model.kind);
}

std::vector<Named<Model>> models() {
  std::vector<Model> models{{.kind = ForecastKind::kAverage}, {.kind = ForecastKind::kAuto}};
  for (const auto& [name, law] : all_laws()) models.push_back({ForecastKind::kLaw, law});
  std::vector<Named<Model>> choices;
  for (const Model& model : models) choices.push_back({name_of(model), model});
  return choices;
}

ForecastOptions forecast_options(const PredictCommand& options) {
  ForecastOptions forecast;
  forecast.kind = options.model.kind;
  forecast.law = options.model.law;
  forecast.response = options.study.rate ? Response::kRate : Response::kTime;
  forecast.confidence = options.study.confidence;
  return forecast;
}

/// The forecast of a group of saved fits.
Forecast forecast_of(const GroupFit& group, double confidence) {
  if (const NoFit* failure = std::get_if<NoFit>(&group.result)) {
    throw FitError(failure->code, failure->message);
  }
  Forecast forecast = forecast_of(std::get<Fit>(group.result));
  forecast.confidence = confidence;
  return forecast;
}

/// Whether a law can rise with x as energy does; the others are laws of the energy of one GPU.
bool can_rise(const Law& law) {
  return law.name() == "power" || law.name() == "lognormal" || law.name() == "broken";
}

/// Where the energy of a group comes from: runs, saved fits, or a power of each GPU.
class EnergySource {
 public:
  EnergySource() = default;

  static EnergySource of_runs(GroupedCells runs, double joules, const ForecastOptions& options) {
    EnergySource source;
    for (std::size_t i = 0; i < runs.size(); ++i) source.places_[runs.key(i)] = i;
    source.runs_ = std::move(runs);
    source.joules_ = joules;
    source.options_ = options;
    source.options_.response = Response::kTime;
    return source;
  }
  static EnergySource of_fits(SavedFits fits, double joules) {
    EnergySource source;
    for (std::size_t i = 0; i < fits.groups.size(); ++i) source.places_[fits.groups[i].group] = i;
    source.fits_ = std::move(fits);
    source.joules_ = joules;
    return source;
  }
  /// @param joules  Of one GPU in one unit of y.
  static EnergySource of_power(double joules) {
    EnergySource source;
    source.by_time_ = true;
    source.joules_ = joules;
    return source;
  }

  /// Empty where a group's energy is not known. Safe to call from several threads at once.
  std::optional<EnergyForecast> forecast(const GroupKey& group, const Forecast& of_time) const {
    if (by_time_) return EnergyForecast{of_time, true, joules_};
    const auto place = places_.find(group);
    if (place == places_.end()) return std::nullopt;
    try {
      if (fits_) {
        return EnergyForecast{forecast_of(fits_->groups[place->second], of_time.confidence), false,
                              joules_};
      }
      std::vector<Cell> cells;
      runs_->cells(place->second, cells);
      if (options_.law != nullptr && can_rise(*options_.law)) {
        return EnergyForecast{make_forecast(cells, options_), false, joules_};
      }
      return EnergyForecast{make_forecast(per_x(cells), options_), true, joules_};
    } catch (const FitError&) {
      return std::nullopt;
    }
  }

 private:
  std::map<GroupKey, std::size_t> places_;
  std::optional<GroupedCells> runs_;
  std::optional<SavedFits> fits_;
  bool by_time_ = false;
  double joules_ = 1;
  ForecastOptions options_;
};

/// @throws FitError where a law has no value to give, or a demand nothing to rest on.
Outlook outlook_of(const PredictReport& report, const EnergySource& source, const GroupKey& group,
                   Forecast forecast) {
  auto energy = source.forecast(group, forecast);
  if (!energy && report.outlook.budget_kwh) {
    throw FitError(FailureCode::kTooFewPoints, "its energy has no forecast");
  }
  return outlook_of(std::move(forecast), std::move(energy), report.outlook);
}

std::vector<GroupOutlook> outlooks_from(const GroupedCells& runs, const PredictReport& report,
                                        const EnergySource& energy, int threads) {
  std::vector<GroupOutlook> outlooks(runs.size());
  parallel_for(thread_count(threads), runs.size(), [&](std::size_t group, int /*worker*/) {
    std::vector<Cell> cells;
    runs.cells(group, cells);
    GroupOutlook& out = outlooks[group];
    out.group = runs.key(group);
    try {
      out.result = outlook_of(report, energy, out.group, make_forecast(cells, report.options));
    } catch (const FitError& error) {
      out.result = NoFit{error.code(), error.what()};
    }
  });
  return outlooks;
}

std::vector<GroupOutlook> outlooks_from(const SavedFits& saved, const PredictReport& report,
                                        const EnergySource& energy) {
  std::vector<GroupOutlook> outlooks;
  for (const GroupFit& group : saved.groups) {
    GroupOutlook& out = outlooks.emplace_back();
    out.group = group.group;
    try {
      out.result =
          outlook_of(report, energy, out.group, forecast_of(group, report.options.confidence));
    } catch (const FitError& error) {
      out.result = NoFit{error.code(), error.what()};
    }
  }
  return outlooks;
}

/// What is asked, once x, y and the response are known.
void add_questions(const PredictCommand& options, PredictReport& report) {
  OutlookOptions& outlook = report.outlook;
  outlook.at = places("--at", options.at);
  outlook.target = options.target;
  outlook.footprint = footprint_of(options.footprint);
  outlook.hours_per_unit = hours_per_unit(report.x, report.y_unit, report.options.response);
  if (options.deadline > 0) outlook.deadline = options.deadline;
  if (outlook.deadline && report.options.response == Response::kRate) {
    throw DataError("--deadline is one of times: with --rate there is none to meet");
  }
  if (options.budget_gpu_hours > 0) outlook.budget_gpu_hours = options.budget_gpu_hours;
  const auto need_hours = [&](std::string_view option) {
    if (outlook.hours_per_unit) return;
    throw DataError(
        fmt::format("{} needs a count of GPUs, and a time whose unit its header tells, such as "
                    "epoch_seconds or "
                    "'time [min]': not '{}' over '{}'",
                    option, report.y, report.x));
  };
  if (outlook.budget_gpu_hours) need_hours("--budget-gpu-hours");
  if (options.gpu_power > 0) need_hours("--gpu-power");
  if (options.budget_kwh > 0) outlook.budget_kwh = options.budget_kwh;
}

/// Whether something was asked that needs energy.
bool needs_energy(const PredictReport& report) {
  const Footprint& footprint = report.outlook.footprint;
  return report.outlook.budget_kwh || footprint.carbon_intensity || footprint.price ||
         footprint.pue != 1;
}

/// @throws DataError if something was asked that needs energy, and there is none.
void check_energy(const PredictReport& report, std::string_view what_to_do) {
  if (!report.energy.empty() || !needs_energy(report)) return;
  throw DataError(fmt::format(
      "--budget-kwh, --carbon-intensity, --price and --pue need energy: {}, or say with "
      "--gpu-power how many watts a GPU draws",
      what_to_do));
}

/// Energy by the power of a GPU that the user told.
EnergySource energy_by_power(const PredictCommand& options, PredictReport& report) {
  report.energy = fmt::format("{:.6g} W a GPU", options.gpu_power);
  return EnergySource::of_power(options.gpu_power * 3600 * *report.outlook.hours_per_unit);
}

/// Energy of the runs, read as the times were.
EnergySource energy_of_runs(const PredictCommand& options, const GlobalOptions& global,
                            PredictReport& report) {
  if (options.gpu_power > 0) return energy_by_power(options, report);
  auto energy = read_energy(options.study, report, options.energy, needs_energy(report), global);
  if (!energy) return {};
  report.energy = energy->column;
  return EnergySource::of_runs(std::move(energy->runs), energy->joules, report.options);
}

bool is_of_energy(const SavedFits& fits) {
  return in_base_units(unit_of(fits), Dimension::kEnergy) ||
         !unit_in_name(fits.y, Dimension::kEnergy).empty() ||
         fits.y.find("energy") != std::string::npos;
}

/// Saved fits of times, and of energy where the user gave both.
struct SavedStudy {
  SavedFits fits;
  std::optional<SavedFits> energy;
};

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
std::optional<SavedStudy> saved_study(const PredictCommand& options) {
  const std::vector<std::string>& inputs = options.study.inputs;
  const auto saved = std::count_if(inputs.begin(), inputs.end(), holds_saved_fits);
  if (saved == 0) return std::nullopt;
  if (static_cast<std::size_t>(saved) < inputs.size()) {
    throw DataError(
        fmt::format("{}: documents of fits and run tables do not go together", joined(inputs)));
  }
  SavedStudy study{saved_fits(inputs.front(), options), std::nullopt};
  if (inputs.size() == 1) return study;
  study.energy = saved_fits(inputs.back(), options);
  if (is_of_energy(study.fits)) std::swap(study.fits, *study.energy);
  if (!can_rise(*study.energy->law)) {
    throw DataError(fmt::format(
        "{}: energy rises with {}, and the {} law cannot: fit it with --law power or lognormal, or "
        "forecast from the runs",
        study.energy->source, study.energy->x, study.energy->law->name()));
  }
  const bool fit = inputs.size() == 2 && is_of_energy(*study.energy) && !is_of_energy(study.fits) &&
                   study.fits.x == study.energy->x && study.fits.by == study.energy->by;
  if (!fit) {
    throw DataError(fmt::format(
        "{}: several documents of fits: expected one of times and one of energy, of the same x and "
        "groups",
        joined(inputs)));
  }
  return study;
}

EnergySource energy_of_saved(const SavedStudy& study, const PredictCommand& options,
                             const Console& console, PredictReport& report) {
  if (options.gpu_power > 0) return energy_by_power(options, report);
  if (!study.energy) return {};
  report.energy = study.energy->y;
  return EnergySource::of_fits(*study.energy,
                               joules_of(report.energy, unit_of(*study.energy), console));
}

PredictReport report_on_saved(const SavedFits& saved, const PredictCommand& options) {
  PredictReport report;
  report.inputs = options.study.inputs;
  report.x = saved.x;
  report.y = saved.y;
  report.y_unit = unit_of(saved);
  report.points = saved.points;
  report.run = saved.run;
  report.weights = saved.weights;
  report.by = saved.by;
  report.options = {.kind = ForecastKind::kLaw,
                    .law = saved.law,
                    .response = saved.response,
                    .confidence = options.call.given("--confidence") ? options.study.confidence
                                                                     : saved.confidence};
  return report;
}

/// Warns of groups without a forecast; whether there are any.
bool say_what_failed(const PredictReport& report, const std::vector<GroupOutlook>& outlooks,
                     const Console& console) {
  std::size_t failed = 0;
  std::size_t without_energy = 0;
  for (const GroupOutlook& group : outlooks) {
    const Outlook* const outlook = std::get_if<Outlook>(&group.result);
    failed += outlook == nullptr ? 1 : 0;
    without_energy += outlook != nullptr && !outlook->energy ? 1 : 0;
  }
  if (!report.energy.empty() && without_energy > 0) {
    console.warn(
        fmt::format("{} of {} groups have no forecast of energy", without_energy, outlooks.size()));
  }
  if (failed == 0) return false;
  console.warn(fmt::format("{} of {} groups have no forecast", failed, outlooks.size()));
  return true;
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

/// Options that do not go together.
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

struct Forecasts {
  PredictReport report;
  std::vector<GroupOutlook> outlooks;
};

Forecasts forecasts_of_saved(const SavedStudy& study, const PredictCommand& options,
                             const GlobalOptions& global) {
  Forecasts out{report_on_saved(study.fits, options), {}};
  add_questions(options, out.report);
  const EnergySource energy = energy_of_saved(study, options, global.console(), out.report);
  check_energy(out.report, "name the document of its fits too (fit -y COLUMN)");
  out.outlooks = outlooks_from(study.fits, out.report, energy);
  return out;
}

Forecasts forecasts_of_runs(const GroupedCells& runs, PredictReport report,
                            const PredictCommand& options, const GlobalOptions& global) {
  add_questions(options, report);
  const EnergySource energy = energy_of_runs(options, global, report);
  const bool is_stream = options.study.inputs.size() == 1 && options.study.inputs.front() == "-";
  check_energy(
      report, is_stream ? "read a file, which can be read twice" : "name its column with --energy");
  Forecasts out{std::move(report), {}};
  out.outlooks = outlooks_from(runs, out.report, energy, global.threads);
  return out;
}

/// The runs, and the head of a report on them.
std::pair<GroupedCells, PredictReport> read_runs_to_forecast(const PredictCommand& options,
                                                             const GlobalOptions& global) {
  FitOptions reading = fit_options(options.study);
  std::pair<GroupedCells, PredictReport> out{read_study(options.study, reading, global), {}};
  static_cast<StudyReport&>(out.second) = study_report(options.study, out.first);
  out.second.options = forecast_options(options);
  const std::string epochs = note_epochs(out.first.unused_run_column(), reading, global.console());
  if (!epochs.empty()) out.second.warnings.push_back(epochs);
  return out;
}

/// Saved fits of a law of two x; nothing where the inputs are others.
std::optional<SavedFits> saved_surfaces(const PredictCommand& options) {
  const std::vector<std::string>& inputs = options.study.inputs;
  if (inputs.size() != 1 || !holds_saved_fits(inputs.front())) return std::nullopt;
  SavedFits saved = read_fits(inputs.front());
  if (saved.law->inputs() != 2) return std::nullopt;
  if (options.call.given("--law") && options.model.law != saved.law) {
    throw DataError(fmt::format("{}: holds fits of the {} law, not {}", inputs.front(),
                                saved.law->name(), name_of(options.model)));
  }
  return saved;
}

/// The exit status where the law takes two x; nothing where it takes one.
std::optional<int> predicted_surface(const PredictCommand& options, const GlobalOptions& global) {
  const Law* const law = options.model.law;
  const auto saved = saved_surfaces(options);
  if (!saved && (law == nullptr || law->inputs() != 2)) return std::nullopt;
  StudyOptions study = options.study;
  if (law != nullptr) study.law = law;
  return predict_surface({.call = options.call,
                          .study = &study,
                          .surface = &options.surface,
                          .result = &options.result,
                          .at = options.at,
                          .at_compute = options.at_compute,
                          .strict = options.strict},
                         saved, global);
}

int run_predict(const PredictCommand& options, const GlobalOptions& global) {
  if (const auto status = predicted_surface(options, global)) return *status;
  refuse_surface_options(options.call, options.study);
  const Console console = global.console();
  check_combination(options);
  refuse_to_replace_inputs(options.result.output, options.study);
  Output output(options.result.output);  // Before reading: a missing folder must not cost minutes.
  const TextSink sink = [&output](std::string_view text) { output.write(text); };
  const Format format = format_of(options.result);
  const bool colour = wants_colour(global.colour, output.is_terminal());
  Forecasts forecasts;
  if (const auto study = saved_study(options)) {
    forecasts = forecasts_of_saved(*study, options, global);
  } else {
    auto [runs, report] = read_runs_to_forecast(options, global);
    if (options.backtest) {
      const Backtest scores = backtest(runs, report.options, options.hidden, global.threads);
      write_backtest(report, scores, options.hidden, format, colour, sink);
      output.commit();
      const bool skipped = say_what_was_skipped(scores, runs.size(), console);
      return options.strict && skipped ? kCheckFailed : kDone;
    }
    forecasts = forecasts_of_runs(runs, std::move(report), options, global);
  }
  write_predictions(forecasts.report, forecasts.outlooks, format, colour, sink);
  output.commit();
  say_where_demands_are(forecasts.report, format, console);
  const bool failed = say_what_failed(forecasts.report, forecasts.outlooks, console);
  return options.strict && failed ? kCheckFailed : kDone;
}

}  // namespace

Command add_predict_command(Program& program) {
  auto options = std::make_shared<PredictCommand>();
  Options predict = options->call = program.add_command(
      "predict", "Forecast time, speedup and GPU-hours at other scales, from runs or saved fits",
      kExamples);
  add_data_options(predict, options->study);
  predict.group("Forecast");
  predict.choice("--law", options->model, models(),
                 "One law, the best by AICc with ties averaged, or the average of power, floor and "
                 "Amdahl");
  add_rate_option(predict, options->study);
  add_surface_options(predict, options->surface);
  predict.group("Forecast");
  predict.text("--at", options->at, "LIST",
               "Scales to forecast: 512,1024 or 64..1024, which doubles; without it twice the "
               "greatest. Of chinchilla pairs, as 7e10:1.4e12,1e9:2e10");
  predict.text("--at-compute", options->at_compute, "LIST",
               "Of chinchilla: the best split of so much compute, K * parameters * tokens");
  predict.number("--deadline", options->deadline, positive(), "Y",
                 "From which scale on y is at most this, in the unit of y");
  predict.number("--budget-gpu-hours", options->budget_gpu_hours, positive(), "HOURS",
                 "Up to which scale GPUs times y stay within this");
  predict.number("--budget-kwh", options->budget_kwh, positive(), "KWH",
                 "Up to which scale the energy, PUE included, stays within this");
  predict.choice(
      "--target", options->target, named(kTargets),
      "What demands, GPU-hours, CO2 and cost are of: the median or the mean of new runs");
  predict.group("Footprint");
  predict.text("--energy", options->energy, "COL",
               "Column of the energy at all GPUs; without it the usual names are looked for");
  predict.number("--gpu-power", options->gpu_power, positive(), "W",
                 "Energy is that of GPUs which draw so many watts, instead of a column");
  add_footprint_options(predict, options->footprint);
  predict.group("Forecast");
  predict.flag("--backtest", options->backtest,
               "Hide the greatest scales, forecast them, and say how far off that was");
  predict.count("--hide", options->hidden, 1, "K", "How many scales a backtest hides");
  add_confidence_option(predict, options->study);
  add_result_options(predict, options->result);
  predict.flag("--strict", options->strict, "Exit with 1 if a group has no forecast");
  return {predict,
          [options](const GlobalOptions& global) { return run_predict(*options, global); }};
}

}  // namespace scalelaw::cli
