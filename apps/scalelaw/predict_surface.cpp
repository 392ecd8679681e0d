#include "predict_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/render/surface_backtest_report.hpp"
#include "scalelaw/render/surface_report.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw::cli {
namespace {

/// "7e10:1.4e12,1e9:2e10" as places. A third number is that of unique tokens.
std::vector<SurfacePlace> places_in(const std::string& list, const Law& law) {
  std::vector<SurfacePlace> places;
  for (const std::string& word : split(list, ',')) {
    std::vector<double> numbers;
    for (const std::string& part : split(word, ':')) {
      const auto number = number_as_written(part);
      numbers.push_back(number && *number > 0 ? *number : 0);
    }
    const bool wrong = std::count(numbers.begin(), numbers.end(), 0.0) > 0;
    if (wrong || numbers.size() < 2 || numbers.size() > law.inputs()) {
      throw DataError(fmt::format(
          "--at: the {} law takes {}; found {}", law.name(),
          law.inputs() == 2 ? "pairs of numbers above 0, such as 7B:1.4T"
                            : "parameters:tokens:unique tokens above 0, such as 7B:1.4T:350B",
          scalelaw::quoted(word)));
    }
    SurfacePlace place{.n = numbers[0], .d = numbers[1]};
    if (numbers.size() == 3) place.unique = numbers[2];
    places.push_back(place);
  }
  return places;
}

/// Refuses options of the fit, because saved fits cannot be made anew.
void refuse_fit_options(const Options& command, const std::string& document) {
  if (const auto name =
          command.first_given({"--flops", "--flops-per-parameter-token", "--residual",
                               "--huber-delta", "--over-penalty", "--se", "--score"})) {
    throw DataError(fmt::format(
        "{}: it holds finished fits, which {} cannot change; name the table of runs instead",
        document, *name));
  }
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

/// How forecasts are made, as far as options say it.
FitOptions forecast_fit_options(const PredictCommand& options, const StudyOptions& asked) {
  FitOptions fit = surface_fit_options(options.call, asked);
  fit.intervals = Intervals::kWald;  // Forecasts need no profiles.
  return fit;
}

/// The options of the study, with the law of the forecast.
StudyOptions study_asked(const PredictCommand& options) {
  StudyOptions asked = options.study;
  if (options.model.law != nullptr) asked.law = options.model.law;
  return asked;
}

/// The saved fits, or those that are made here, with the head of a report on them.
SurfaceFits fitted(const PredictCommand& options, std::optional<SavedFits> saved,
                   const GlobalOptions& global) {
  if (saved) {
    refuse_row_options(options.call, saved->source);
    refuse_fit_options(options.call, saved->source);
    static_cast<StudyReport&>(*saved) = report_on(*saved);
    if (options.call.given("--confidence")) saved->confidence = options.study.confidence;
    return {*std::move(saved)};
  }
  const StudyOptions asked = study_asked(options);
  FitOptions fit = forecast_fit_options(options, asked);
  SurfaceOptions surface = options.surface;
  read_score(surface, options.score);
  const SurfaceStudy study = read_surface(asked, surface, global.conditions());
  note_epochs(study.unused_run_column, fit, global.console());
  SurfaceFits fits{{study.report, fit, "", fit_surfaces(study.groups, fit, global.threads)}};
  if (!options.score.empty()) fits.scores = fit_scores(study.groups, asked.confidence);
  return fits;
}

/// Saved fits of a law of several x; nothing where the inputs are others.
std::optional<SavedFits> saved_surfaces(const PredictCommand& options) {
  const std::vector<std::string>& inputs = options.study.inputs;
  if (inputs.size() != 1 || !holds_saved_fits(inputs.front())) return std::nullopt;
  SavedFits saved = read_fits(inputs.front());
  if (saved.law->inputs() == 1) return std::nullopt;
  if (options.call.given("--law") && options.model.law != saved.law) {
    throw DataError(fmt::format("{}: it holds fits of the {} law, not {}", inputs.front(),
                                saved.law->name(), name_of(options.model)));
  }
  return saved;
}

int answer(const PredictCommand& options, const std::optional<SavedFits>& saved,
           const GlobalOptions& global) {
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const SurfaceFits fits = fitted(options, saved, global);
    const SavedFits& surfaces = fits.surfaces;
    const SurfaceQuestions questions{
        .at = places_in(options.at, *surfaces.law),
        .at_compute = options.at_compute,
        .flops_per_parameter_token = surfaces.flops_per_parameter_token,
        .confidence = surfaces.confidence,
        .score = options.score};
    const std::vector<GroupSurface> groups = answers_of(surfaces.groups, questions, fits.scores);
    write_surfaces(surfaces, questions, groups, delivery.style, delivery.sink);
    return groups_without("forecast", groups);
  });
}

int backtest_largest(const PredictCommand& options, const GlobalOptions& global) {
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const StudyOptions asked = study_asked(options);
    FitOptions fit = forecast_fit_options(options, asked);
    fit.figures = Figures::kCurve;
    const SurfaceStudy study = read_surface(asked, options.surface, global.conditions());
    const SurfaceBacktestReport report{
        study.report,
        {options.hide_by, options.call.given("--hide") ? options.hidden : 0},
        asked.law,
        asked.confidence};
    const auto groups = backtest_surfaces(study.groups, fit, report.options, global.threads);
    write_surface_backtests(report, groups, delivery.style, delivery.sink);
    return groups_without("backtest", groups);
  });
}

}  // namespace

std::optional<int> predict_surface(const PredictCommand& options, const GlobalOptions& global) {
  const Law* const law = options.model.law;
  const auto saved = saved_surfaces(options);
  if (!saved && (law == nullptr || law->inputs() == 1)) return std::nullopt;
  if (options.backtest && saved) {
    throw DataError(fmt::format("{}: a backtest needs the runs themselves, not their fits",
                                options.study.inputs.front()));
  }
  if (options.backtest) return backtest_largest(options, global);
  return answer(options, saved, global);
}

}  // namespace scalelaw::cli
