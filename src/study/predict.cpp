#include "scalelaw/study/predict.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "render/reader_words.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/study/measures.hpp"
#include "scalelaw/study/notes.hpp"
#include "study/demands.hpp"

namespace scalelaw {
namespace {

ForecastOptions forecast_options(const PredictRequest& request, const FitOptions& reading) {
  const ForecastModel model = request.model.value_or(ForecastModel{});
  return {.kind = model.kind,
          .law = model.law,
          .response = reading.response,
          .rate_of_one = reading.rate_of_one,
          .confidence = request.study.confidence};
}

/// Energy from the power of one GPU that was given.
EnergySource energy_by_power(double watts, PredictReport& report) {
  report.energy = fmt::format("{:.6g} W per GPU", watts);
  return energy_from_power(watts * 3600 * *report.outlook.hours_per_unit);
}

/// The scatter that groups of runs share, as --pool asks; null without it.
std::shared_ptr<const Pooling> shared_scatter(const GroupedCells& runs, Pool pool,
                                              PredictReport& report,
                                              const CallConditions& conditions) {
  if (pool != Pool::kScatter) return nullptr;
  FitOptions fit{.pool = pool};
  if (report.options.law != nullptr) fit.law = report.options.law;
  pool_if_asked(runs, fit, report, conditions);
  return fit.pooling;
}

/// What groups tell about each other's laws, as --pool asks; null without it, or if they are too
/// few.
std::shared_ptr<const LearnedPriors> shared_laws(const GroupedCells& runs, Pool pool,
                                                 PredictReport& report,
                                                 const CallConditions& conditions) {
  if (pool != Pool::kLaws) return nullptr;
  auto learned = learn_priors(runs, report.options, conditions.threads);
  if (!learned) {
    report.warnings.push_back(fmt::format(
        "--pool laws: nothing is pooled, because it takes {} groups with {} scales each",
        kFewestToLearnFrom, kFewestScalesToLearnFrom));
    conditions.say.warn(report.warnings.back());
  }
  return learned;
}

/// How a table that tells no energy can tell it.
std::string way_to_energy(const StudyOptions& study) {
  if (study.inputs.size() == 1 && study.inputs.front() == "-") {
    return "read a file, which can be read twice";
  }
  if (study.rate) return "name its column with --energy";
  return "name its column with --energy, or that of the power with --power";
}

/// Energy of the runs, read as the times were.
EnergySource energy_of_runs(const GroupedCells& runs, const PredictRequest& request,
                            const CallConditions& conditions, PredictReport& report) {
  if (request.gpu_power) return energy_by_power(*request.gpu_power, report);
  refuse_power_of_rate(request.measures, request.study.rate, report.y);
  if (report.outlook.tokens) {  // The energy of runs is not that of a job.
    refuse_without_energy(report.outlook, "the energy of a run is not that of a job of tokens");
    return {};
  }
  const auto energy = read_energy(request.study, report, request.measures,
                                  needs_energy(report.outlook), conditions);
  if (!energy) {
    refuse_without_energy(report.outlook, way_to_energy(request.study));
    return {};
  }
  report.energy = energy->words;
  const std::string doubt = energy->power.empty()
                                ? implausible_power_warning(runs, energy->runs, energy->joules)
                                : energy->doubt;
  if (!doubt.empty() && report.options.response == Response::kTime) conditions.say.warn(doubt);
  ForecastOptions of_energy = report.options;
  of_energy.pooling = shared_scatter(energy->runs, request.study.pool, report, conditions);
  return energy_from_runs(energy->runs, energy->joules, of_energy);
}

SavedFits saved_fits(const std::string& path, const PredictRequest& request) {
  SavedFits saved = read_fits(path);
  if (saved.errors == Errors::kNormal) {
    throw DataError(fmt::format(
        "{}: fits with normal errors have no forecast yet; fit with log-normal errors", path));
  }
  refuse_other_law(request.model, saved.law, path);
  if (request.backtest) {
    throw DataError(fmt::format("{}: a backtest needs the runs themselves, not their fits", path));
  }
  if (saved.groups.empty()) throw DataError(fmt::format("{}: it holds no fit", path));
  return saved;
}

SavedStudy saved_study(const PredictRequest& request) {
  std::vector<SavedFits> documents;
  for (const std::string& path : request.study.inputs) {
    documents.push_back(saved_fits(path, request));
  }
  return saved_study(std::move(documents));
}

EnergySource energy_of_saved(std::optional<SavedFits> saved, const PredictRequest& request,
                             const Messages& say, PredictReport& report) {
  if (request.gpu_power) return energy_by_power(*request.gpu_power, report);
  if (!saved) {
    refuse_without_energy(report.outlook, "name the document of its fits too (fit -y COLUMN)");
    return {};
  }
  report.energy = saved->y;
  const double joules = joules_of(report.energy, unit_of(*saved), say);
  const auto kept = std::make_shared<const SavedFits>(*std::move(saved));
  return [kept, source = energy_from_fits(kept->groups, joules)](
             const GroupKey& group, const Forecast& of_time) { return source(group, of_time); };
}

PredictStudy forecasts_of_saved(PredictRequest& request, const Messages& say) {
  SavedStudy saved = saved_study(request);
  SavedFits& fits = saved.fits;
  say.note(
      "saved fits hold one law, and the intervals assume that it is true; forecasts from the "
      "runs themselves allow for other laws");
  PredictStudy study{{report_on(fits), {}, {}, {}}, std::nullopt};
  PredictReport& report = study.report;
  take_job(fits.response, report, request);
  report.inputs = request.study.inputs;
  report.options = {.kind = ForecastKind::kLaw,
                    .law = fits.law,
                    .response = fits.response,
                    .rate_of_one = fits.rate_of_one,
                    .confidence = request.confidence.value_or(fits.confidence),
                    .pooling = fits.pooling};
  take_demands(request, fits.response, gpus_per_node_of_saved(request.gpus_per_node), report, say);
  study.energy = energy_of_saved(std::move(saved.energy), request, say, report);
  study.fits = std::move(fits.groups);
  return study;
}

PredictStudy forecasts_of_runs(PredictRequest& request, const CallConditions& conditions) {
  request.study.told.work = work_of_job(request);
  FitOptions reading = fit_options(request.study);
  Study runs = read_study_by_nights(request.command, request.study, reading, conditions);
  request.study.rate = reading.response == Response::kRate;
  take_job(reading.response, runs.report, request);
  PredictStudy study{{std::move(runs.report), forecast_options(request, reading), {}, {}},
                     std::move(runs.runs)};
  PredictReport& report = study.report;
  report.options.priors = usual_priors(report.quantity.kind);
  report.options.learned = shared_laws(*study.runs, request.study.pool, report, conditions);
  if (request.backtest) return study;
  take_demands(request, reading.response,
               gpus_per_node(request.gpus_per_node, request.study, report, *study.runs, conditions),
               report, conditions.say);
  report.options.pooling = shared_scatter(*study.runs, request.study.pool, report, conditions);
  study.energy = energy_of_runs(*study.runs, request, conditions, report);
  return study;
}

/// Puts --fix, --tie and --bound on the law of the forecast.
/// @throws DataError if the forecast is not by one law, or as constrained() does.
void constrain_law(PredictRequest& request) {
  if (request.study.constraints.empty()) return;
  if (!request.model || request.model->law == nullptr) {
    throw DataError(fmt::format(
        "--fix, --tie and --bound are for one law, and the forecast is by {}: name it with --law",
        name_of(request.model.value_or(ForecastModel{}))));
  }
  request.model->law = &constrained(*request.model->law, request.study.constraints);
  request.study.constraints = {};
}

}  // namespace

std::string_view name_of(const ForecastModel& model) {
  return model.law != nullptr ? model.law->name() : name_of(model.kind);
}

void refuse_other_law(const std::optional<ForecastModel>& asked, const Law* saved,
                      const std::string& path) {
  if (!asked || asked->law == saved) return;
  throw DataError(fmt::format("{}: it holds fits of the {} law; --law {} needs the runs themselves",
                              path, saved->name(), name_of(*asked)));
}

PredictStudy read_forecasts(PredictRequest request, const CallConditions& conditions) {
  constrain_law(request);
  return are_saved_fits(request.study.inputs) ? forecasts_of_saved(request, conditions.say)
                                              : forecasts_of_runs(request, conditions);
}

void forecast_each(const PredictStudy& study, const CallConditions& conditions,
                   const std::function<void(GroupOutlook&&)>& sink) {
  const PredictReport& report = study.report;
  if (study.runs) {
    outlook_each(*study.runs, report.options, report.outlook, study.energy, conditions.threads,
                 sink);
  } else {
    outlook_each(study.fits, report.options.confidence, report.outlook, study.energy, sink);
  }
}

void ForecastTally::add(const GroupOutlook& group) {
  ++groups_;
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

std::vector<std::string> ForecastTally::warnings(bool has_energy) const {
  std::vector<std::string> warnings;
  const auto warn = [&](std::size_t count, std::string_view one, std::string_view more,
                        std::string_view what) {
    if (count == 0) return;
    warnings.push_back(part_of(count, groups_, "group", one, more) + std::string(what));
  };
  warn(few_, "has", "have",
       " too few runs for an interval: nobody knows how far their forecast is off");
  warn(blind_, "is", "are",
       " forecast beyond twice the largest measured scale from fewer than six scales. If scaling "
       "gets worse there, the intervals are too narrow");
  if (has_energy) warn(without_energy_, "has", "have", " no forecast of energy");
  return warnings;
}

namespace {

/// @throws DataError if a place has fewer or more numbers than the law takes x.
SurfacePlace place_of(const std::vector<double>& numbers, const Law& law) {
  if (numbers.size() < 2 || numbers.size() > law.inputs()) {
    throw DataError(fmt::format(
        "--at: the {} law takes {}; found {}", law.name(),
        law.inputs() == 2 ? "pairs of numbers above 0, such as 7B:1.4T"
                          : "parameters:tokens:unique tokens above 0, such as 7B:1.4T:350B",
        quoted(joined_texts(numbers, ":", short_count))));
  }
  SurfacePlace place{.n = numbers[0], .d = numbers[1]};
  if (numbers.size() == 3) place.unique = numbers[2];
  return place;
}

std::vector<SurfacePlace> places_of(const PredictRequest& request, const Law& law) {
  std::vector<SurfacePlace> places;
  for (const auto& numbers : request.at_places) places.push_back(place_of(numbers, law));
  return places;
}

/// Fits of both steps: the surface, and the score over its response where one was asked for.
struct SurfaceFits {
  SavedFits surfaces;
  std::vector<Grouped<ScoreCurve>> scores = {};  ///< One per group, or none.
};

/// The sigmoid of every group.
std::vector<Grouped<ScoreCurve>> fit_scores(std::span<const SurfaceRuns> groups,
                                            double confidence) {
  std::vector<Grouped<ScoreCurve>> scores;
  for (const SurfaceRuns& runs : groups) {
    scores.push_back(
        {runs.group, outcome_of([&] { return fit_score(runs.y, runs.more.front(), confidence); })});
  }
  return scores;
}

/// Reads the column of scores beside the others; runs may lack one.
void read_score(SurfaceOptions& surface, const std::string& column) {
  if (column.empty()) return;
  surface.more = [column](const Header&, std::string_view, const TableProfile&) {
    return std::vector{NumberColumn{.name = column, .needed = false, .positive = false}};
  };
}

/// How forecasts are made, as far as the request says it. Its study takes the law of the forecast.
FitOptions forecast_fit_options(PredictRequest& request) {
  request.study.law = request.model->law;
  FitOptions fit = surface_fit_options(request.study);
  fit.intervals = Intervals::kWald;  // Forecasts need no profiles.
  return fit;
}

bool is_saved(const PredictRequest& request) {
  return request.study.inputs.size() == 1 && holds_saved_fits(request.study.inputs.front());
}

SavedFits saved_surfaces(const PredictRequest& request) {
  SavedFits saved = read_fits(request.study.inputs.front());
  if (request.model && request.model->law != saved.law) {
    throw DataError(fmt::format("{}: it holds fits of the {} law, not {}", saved.source,
                                saved.law->name(), name_of(*request.model)));
  }
  static_cast<StudyReport&>(saved) = report_on(saved);
  saved.confidence = request.confidence.value_or(saved.confidence);
  return saved;
}

SurfaceFits fitted_surfaces(PredictRequest& request, const CallConditions& conditions) {
  FitOptions fit = forecast_fit_options(request);
  read_score(request.surface, request.score);
  const SurfaceStudy study = read_surface(request.study, request.surface, conditions);
  note_epochs(study.unused_run_column, fit, conditions.say);
  SurfaceFits fits{{study.report, fit, "", fit_surfaces(study.groups, fit, conditions.threads)}};
  if (!request.score.empty()) fits.scores = fit_scores(study.groups, fit.confidence);
  return fits;
}

}  // namespace

bool is_of_several_x(const PredictRequest& request) {
  if (is_saved(request)) return read_fits(request.study.inputs.front()).law->inputs() > 1;
  return request.model && request.model->law != nullptr && request.model->law->inputs() > 1;
}

SurfaceForecasts forecast_surfaces(PredictRequest request, const CallConditions& conditions) {
  constrain_law(request);
  const SurfaceFits fits = is_saved(request) ? SurfaceFits{saved_surfaces(request)}
                                             : fitted_surfaces(request, conditions);
  const SavedFits& surfaces = fits.surfaces;
  SurfaceForecasts forecasts{surfaces,
                             {.at = places_of(request, *surfaces.law),
                              .at_compute = request.at_compute,
                              .flops_per_parameter_token = surfaces.flops_per_parameter_token,
                              .confidence = surfaces.confidence,
                              .score = request.score},
                             {}};
  forecasts.groups = answers_of(surfaces.groups, forecasts.questions, fits.scores);
  return forecasts;
}

SurfaceBacktests backtest_largest(PredictRequest request, const CallConditions& conditions) {
  constrain_law(request);
  if (is_saved(request)) {
    throw DataError(fmt::format("{}: a backtest needs the runs themselves, not their fits",
                                request.study.inputs.front()));
  }
  FitOptions fit = forecast_fit_options(request);
  fit.figures = Figures::kCurve;
  const SurfaceStudy study = read_surface(request.study, request.surface, conditions);
  SurfaceBacktests backtests{{study.report,
                              {request.hide_by.value_or(SizeMeasure::kFirst), request.hidden},
                              request.study.law,
                              fit.confidence},
                             {}};
  backtests.groups =
      backtest_surfaces(study.groups, fit, backtests.report.options, conditions.threads);
  return backtests;
}

}  // namespace scalelaw
