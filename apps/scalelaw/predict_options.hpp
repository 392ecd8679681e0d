#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "delivery.hpp"
#include "measure_options.hpp"
#include "scalelaw/judge/forecasts.hpp"
#include "scalelaw/judge/surface_backtest.hpp"
#include "scalelaw/render/predict_report.hpp"

namespace scalelaw::cli {

/// What makes forecasts: one law, or a choice or average of several.
struct Model {
  ForecastKind kind = ForecastKind::kAverage;
  const Law* law = nullptr;  ///< Of ForecastKind::kLaw.

  bool operator==(const Model&) const = default;
};

/// "power", "auto", "average".
std::string_view name_of(const Model& model);

/// The choices of --law, the usual one first.
std::vector<Named<Model>> models(const std::vector<Named<const Law*>>& laws);

/// @throws DataError if --law asks for another law than saved fits are of.
void refuse_other_law(const Options& call, const Model& model, const Law* saved,
                      const std::string& path);

/// A deadline: a number above 0, or a duration.
Check time_limit();

/// What `scalelaw predict` was asked.
struct PredictCommand {
  Options call;
  StudyOptions study;
  Model model;
  std::string at;  ///< Scales, or pairs of them for a law of several x.
  std::vector<double> at_compute;
  std::string score;  ///< Column; empty: none.
  SurfaceOptions surface;
  OutlookOptions outlook;  ///< As far as the user gave them.
  std::string deadline;    ///< A number in the unit of y, or a duration.
  std::string gpu_price;   ///< A number with a currency before or behind it.
  std::string node_price;
  std::string gpus_per_node;  ///< A number, or a column.
  std::string tokens;         ///< A count such as 1T, of what the rate y counts,
  std::string samples;        ///< or of samples,
  std::string steps;          ///< or of steps, whose time or rate y is.
  /// The option that says how large a job of a rate is; take_job() makes the others --tokens.
  std::string job_option = "--tokens";
  MeasureOptions measures;  ///< The columns that tell the energy.
  std::optional<double> gpu_power;
  FootprintOptions footprint;
  bool backtest = false;
  std::size_t hidden = 1;
  SizeMeasure hide_by = SizeMeasure::kFirst;
  ResultOptions result;
};

/// Adds the options of the command. `options` must outlive the parsing.
/// Puts --fix, --tie and --bound on the law of the forecast.
/// @throws DataError as constrained() does.
void constrain_law(PredictCommand& options);

void add_predict_options(Options& predict, PredictCommand& options);

/// The number of --gpus-per-node for saved fits; empty if it is not given.
/// @throws DataError for a column, which saved fits do not have.
std::optional<double> gpus_per_node_of_saved(const std::string& text);

/// Adds --epochs, --steps, --tokens and --samples.
/// @param effect  What they change: "the GPU-hours are then those of such runs".
void add_job_options(Options& command, PredictCommand& options, const std::string& effect);

/// The hours that one GPU is busy with a job whose time is 1 in the unit of y (or whose rate is 1);
/// empty if they are not known.
/// @throws DataError if y does not tell the time of such a job.
std::optional<double> hours_of_job(PredictCommand options, Response response,
                                   const StudyReport& study, std::optional<double> gpus_per_node);

/// Takes a y that the user named as a rate if its name says so and --tokens or another option asks
/// for a rate.
void take_rate(PredictCommand& options);

/// Makes --samples and --steps what --tokens and --epochs are.
/// @throws DataError if y is neither the time nor the rate of such things.
void take_job(Response response, const StudyReport& study, PredictCommand& options);

/// How forecasts of runs are to be made.
ForecastOptions forecast_options(const PredictCommand& options);

/// Takes over how the user writes prices and the deadline.
void take_words(const PredictCommand& options, PredictReport& report);

/// What to tell people of a deadline whose unit the column does not tell; empty otherwise.
std::optional<std::string> note_on_unit(const PredictCommand& options, const StudyReport& study);

/// What is asked of the responses of a study.
/// @throws DataError if they have no answer to a question.
/// @param gpus_per_node  Empty if it is not known.
OutlookOptions outlook_options(const PredictCommand& options, Response response,
                               const StudyReport& study, std::optional<double> gpus_per_node);

/// @throws DataError if the options ask for something that needs energy.
/// @param what_to_do  How the user can give one.
void refuse_without_energy(const OutlookOptions& options, std::string_view what_to_do);

/// Answers by a law of several x, from saved fits or from runs, and returns the exit status;
/// returns nothing if the law takes one x.
std::optional<int> predict_surface(const PredictCommand& options, const GlobalOptions& global);

}  // namespace scalelaw::cli
