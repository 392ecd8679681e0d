#include <fmt/format.h>

#include "render/reader_words.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/study/notes.hpp"
#include "scalelaw/study/predict.hpp"

namespace scalelaw {
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
