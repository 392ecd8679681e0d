#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "level_changes.hpp"
#include "predict_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/judge/forecasts.hpp"
#include "scalelaw/render/predict_report.hpp"

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

/// Writes forecasts as they come and counts what the user should know of them.
class ForecastWriter {
 public:
  ForecastWriter(const PredictReport& report, const Delivery& delivery)
      : has_energy_(!report.energy.empty()),
        writer_(make_predict_writer(report, delivery.style, delivery.sink)) {}

  void write(const GroupOutlook& group) {
    ++groups_;
    writer_->write(group);
    const Outlook* const outlook = std::get_if<Outlook>(&group.result);
    if (outlook == nullptr) {
      ++without_;
      return;
    }
    // Two points tell a power law and nothing of how far it may be off.
    few_ += outlook->forecast.fit && !outlook->forecast.sigma ? 1 : 0;
    blind_ += is_blind_to_turns(*outlook) ? 1 : 0;
    without_energy_ += outlook->energy ? 0 : 1;
  }

  /// Ends the result and tells the user of groups in doubt. Returns those without a forecast; a
  /// group that lacks only one of energy gets a warning.
  Lacks finish(const Delivery& delivery) {
    writer_->finish();
    delivery.commit();
    const auto warn = [&](std::size_t count, std::string_view one, std::string_view more,
                          std::string_view what) {
      if (count == 0) return;
      delivery.console.warn(part_of(count, groups_, "group", one, more) + std::string(what));
    };
    warn(few_, "has", "have",
         " too few runs for an interval: nobody knows how far their forecast is off");
    warn(blind_, "is", "are",
         " forecast beyond twice the largest measured scale from fewer than six scales. If scaling "
         "gets worse there, the intervals are too narrow");
    if (has_energy_) warn(without_energy_, "has", "have", " no forecast of energy");
    return groups_without("forecast", without_, groups_);
  }

 private:
  bool has_energy_;
  std::unique_ptr<GroupWriter<Outlook>> writer_;
  std::size_t groups_ = 0;
  std::size_t without_ = 0;
  std::size_t few_ = 0;
  std::size_t blind_ = 0;
  std::size_t without_energy_ = 0;
};

/// Energy from the power of one GPU that the user gave.
EnergySource energy_by_power(const PredictCommand& options, PredictReport& report) {
  report.energy = fmt::format("{:.6g} W per GPU", *options.gpu_power);
  return energy_from_power(*options.gpu_power * 3600 * *report.outlook.hours_per_unit);
}

/// The scatter that groups of runs share, as --pool asks; null without it.
std::shared_ptr<const Pooling> shared_scatter(const GroupedCells& runs,
                                              const PredictCommand& options, StudyReport& report,
                                              const GlobalOptions& global) {
  if (options.study.pool != Pool::kScatter) return nullptr;
  FitOptions fit{.pool = Pool::kScatter};
  if (options.model.law != nullptr) fit.law = options.model.law;
  pool_if_asked(runs, fit, report, global.conditions());
  return fit.pooling;
}

/// What groups tell about each other's laws, as --pool asks; null without it, or if they are too
/// few.
std::shared_ptr<const LearnedPriors> shared_laws(const GroupedCells& runs,
                                                 const PredictCommand& options,
                                                 PredictReport& report,
                                                 const GlobalOptions& global) {
  if (options.study.pool != Pool::kLaws) return nullptr;
  auto learned = learn_priors(runs, report.options, global.threads);
  if (!learned) {
    report.warnings.push_back(fmt::format(
        "--pool laws: nothing is pooled, because it takes {} groups with {} scales each",
        kFewestToLearnFrom, kFewestScalesToLearnFrom));
    global.console().warn(report.warnings.back());
  }
  return learned;
}

/// How a table that tells no energy can tell it.
std::string way_to_energy(const PredictCommand& options) {
  const std::vector<std::string>& inputs = options.study.inputs;
  if (inputs.size() == 1 && inputs.front() == "-") return "read a file, which can be read twice";
  if (options.study.rate) return "name its column with --energy";
  return "name its column with --energy, or that of the power with --power";
}

/// Energy of the runs, read as the times were.
EnergySource energy_of_runs(const GroupedCells& runs, const PredictCommand& options,
                            const GlobalOptions& global, PredictReport& report) {
  if (options.gpu_power) return energy_by_power(options, report);
  const MeasureOptions& measures = options.measures;
  refuse_power_of_rate(measures, options.study.rate, report.y);
  const bool required = needs_energy(report.outlook);
  if (report.outlook.tokens) {  // The energy of runs is not that of a job.
    refuse_without_energy(report.outlook, "the energy of a run is not that of a job of tokens");
    return {};
  }
  auto energy = read_energy(options.study, report, measures, required, global.conditions());
  if (energy) {
    report.energy = energy->words;
    const std::string doubt = energy->power.empty()
                                  ? implausible_power_warning(runs, energy->runs, energy->joules)
                                  : energy->doubt;
    if (!doubt.empty() && report.options.response == Response::kTime) {
      global.console().warn(doubt);
    }
    ForecastOptions of_energy = report.options;
    of_energy.pooling = shared_scatter(energy->runs, options, report, global);
    return energy_from_runs(energy->runs, energy->joules, of_energy);
  }
  refuse_without_energy(report.outlook, way_to_energy(options));
  return {};
}

SavedFits saved_fits(const std::string& path, const PredictCommand& options) {
  SavedFits saved = read_fits(path);
  if (saved.errors == Errors::kNormal) {
    throw DataError(fmt::format(
        "{}: fits with normal errors have no forecast yet; fit with log-normal errors", path));
  }
  refuse_other_law(options.call, options.model, saved.law, path);
  if (options.backtest) {
    throw DataError(fmt::format("{}: a backtest needs the runs themselves, not their fits", path));
  }
  refuse_row_options(options.call, path);
  if (options.call.given("--pool")) {
    throw DataError(
        fmt::format("{}: it holds fits, and --pool needs runs; save the fits with 'scalelaw fit "
                    "--pool scatter' instead",
                    path));
  }
  if (saved.groups.empty()) throw DataError(fmt::format("{}: it holds no fit", path));
  if (const std::string& energy = options.measures.energy; !energy.empty()) {
    throw DataError(
        fmt::format("{}: --energy names a column of runs; save the fits of energy as well (fit -y "
                    "{}) and name both files",
                    path, energy));
  }
  if (const auto power = options.call.first_given({"--power", "--total-power"})) {
    throw DataError(fmt::format(
        "{}: it holds fits, and {} is about a column of runs; name the table of runs instead, or "
        "say with --gpu-power how many watts a GPU draws",
        path, *power));
  }
  return saved;
}

/// The saved documents among the inputs; nothing where they are tables.
std::optional<SavedStudy> saved_inputs(const PredictCommand& options) {
  const std::vector<std::string>& inputs = options.study.inputs;
  const auto saved = std::count_if(inputs.begin(), inputs.end(), holds_saved_fits);
  if (saved == 0) return std::nullopt;
  if (static_cast<std::size_t>(saved) < inputs.size()) {
    throw DataError(fmt::format("{}: saved fits and run tables cannot be mixed: name only one kind",
                                joined(inputs)));
  }
  std::vector<SavedFits> documents;
  for (const std::string& path : inputs) documents.push_back(saved_fits(path, options));
  return saved_study(std::move(documents));
}

EnergySource energy_of_saved(const SavedStudy& study, const PredictCommand& options,
                             const Messages& console, PredictReport& report) {
  if (options.gpu_power) return energy_by_power(options, report);
  if (!study.energy) {
    refuse_without_energy(report.outlook, "name the document of its fits too (fit -y COLUMN)");
    return {};
  }
  report.energy = study.energy->y;
  const double joules = joules_of(report.energy, unit_of(*study.energy), console);
  return energy_from_fits(study.energy->groups, joules);
}

Lacks deliver_saved(const SavedStudy& study, const PredictCommand& options,
                    const GlobalOptions& global, const Delivery& delivery) {
  const SavedFits& fits = study.fits;
  const bool level_given = options.call.given("--confidence");
  PredictReport report;
  static_cast<StudyReport&>(report) = report_on(fits);
  take_words(options, report);
  report.inputs = options.study.inputs;
  report.options = {.kind = ForecastKind::kLaw,
                    .law = fits.law,
                    .response = fits.response,
                    .rate_of_one = fits.rate_of_one,
                    .confidence = level_given ? options.study.confidence : fits.confidence,
                    .pooling = fits.pooling};
  report.outlook = outlook_options(options, fits.response, report,
                                   gpus_per_node_of_saved(options.gpus_per_node));
  if (const auto note = note_on_unit(options, report)) global.console().note(*note);
  const EnergySource energy = energy_of_saved(study, options, global.console(), report);
  ForecastWriter writer(report, delivery);
  outlook_each(fits.groups, report.options.confidence, report.outlook, energy,
               [&](GroupOutlook&& group) { writer.write(group); });
  return writer.finish(delivery);
}

Lacks deliver_forecasts(const GroupedCells& runs, PredictReport report,
                        const PredictCommand& options, const GlobalOptions& global,
                        const Delivery& delivery) {
  report.outlook = outlook_options(
      options, report.options.response, report,
      gpus_per_node(options.gpus_per_node, options.study, report, global.conditions()));
  if (const auto note = note_on_unit(options, report)) global.console().note(*note);
  report.options.pooling = shared_scatter(runs, options, report, global);
  const EnergySource energy = energy_of_runs(runs, options, global, report);
  ForecastWriter writer(report, delivery);
  outlook_each(runs, report.options, report.outlook, energy, global.threads,
               [&](GroupOutlook&& group) { writer.write(group); });
  return writer.finish(delivery);
}

Lacks deliver_backtest(const GroupedCells& runs, const PredictReport& report,
                       const PredictCommand& options, const Delivery& delivery, int threads) {
  const Backtest scores = backtest(runs, report.options, options.hidden, threads);
  write_backtest(report, scores, options.hidden, delivery.style, delivery.sink);
  if (scores.skipped == 0) return {};
  return {part_of(scores.skipped, runs.size(), "group", "has", "have") +
          " too few scales to hide one"};
}

int run_predict(PredictCommand options, const GlobalOptions& global) {
  constrain_law(options);
  if (const auto status = predict_surface(options, global)) return *status;
  return deliver(options.result, global, [&](const Delivery& delivery) {
    if (const auto saved = saved_inputs(options)) {
      global.console().note(
          "saved fits hold one law, and the intervals assume that it is true; forecasts from the "
          "runs themselves allow for other laws");
      take_job(saved->fits.response, report_on(saved->fits), options);
      return deliver_saved(*saved, options, global, delivery);
    }
    take_rate(options);
    FitOptions reading = fit_options(options.study);
    auto [head, runs] = read_study_by_nights(options.call, options.study, reading, global);
    options.study.rate = reading.response == Response::kRate;
    take_job(reading.response, head, options);
    PredictReport report{std::move(head), forecast_options(options), {}, {}};
    report.options.rate_of_one = reading.rate_of_one;
    report.options.learned = shared_laws(runs, options, report, global);
    take_words(options, report);
    if (options.backtest) return deliver_backtest(runs, report, options, delivery, global.threads);
    return deliver_forecasts(runs, std::move(report), options, global, delivery);
  });
}

}  // namespace

Command add_predict_command(Program& program) {
  auto options = std::make_shared<PredictCommand>();
  Options predict = options->call = program.add_command(
      "predict", "Forecast time, speedup and GPU-hours at numbers of GPUs that were not measured",
      kPredictExamples);
  add_predict_options(predict, *options);
  return command_of(predict, options, run_predict);
}

}  // namespace scalelaw::cli
