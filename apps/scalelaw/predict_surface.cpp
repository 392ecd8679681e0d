#include "predict_surface.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/surface_report.hpp"
#include "scales.hpp"

namespace scalelaw::cli {
namespace {

/// "7e10:1.4e12,1e9:2e10" as pairs.
std::vector<std::pair<double, double>> pairs_in(const std::string& list) {
  std::vector<std::pair<double, double>> pairs;
  for (const std::string& word : split(list, ',')) {
    const std::vector<std::string> ends = split(word, ':');
    const auto n = ends.size() == 2 ? parse_number(ends[0]) : std::nullopt;
    const auto d = ends.size() == 2 ? parse_number(ends[1]) : std::nullopt;
    if (!n || !d || !(*n > 0) || !(*d > 0)) {
      throw DataError(fmt::format(
          "--at: a law of two x takes pairs of numbers above 0, as 7e10:1.4e12; found {}",
          scalelaw::quoted(word)));
    }
    pairs.emplace_back(*n, *d);
  }
  return pairs;
}

/// Options that ask for what a law of two x has no answer to.
void refuse_others(const Options& command) {
  if (const auto name = command.first_given(
          {"--deadline", "--budget-gpu-hours", "--budget-kwh", "--target", "--energy",
           "--gpu-power", "--carbon-intensity", "--price", "--pue", "--backtest", "--hide"})) {
    throw DataError(
        fmt::format("{} does not go with a law of two x: ask with --at and --at-compute", *name));
  }
}

StudyReport report_on(const SavedFits& saved) {
  StudyReport report;
  report.inputs = {saved.source};
  report.x = saved.x;
  report.scales = saved.scales;
  report.flops_per_parameter_token = saved.flops_per_parameter_token;
  report.y = saved.y;
  report.y_unit = saved.y_unit;
  report.by = saved.by;
  report.run = saved.run;
  return report;
}

/// Fits and the head of the report on them.
struct Fitted {
  StudyReport report;
  std::vector<GroupFit> fits;
  double confidence;
};

/// Options of the fit, which a document of fits has behind it.
void refuse_fit_options(const Options& command, const std::string& document) {
  if (const auto name =
          command.first_given({"--flops", "--flops-per-parameter-token", "--huber-delta"})) {
    throw DataError(fmt::format("{}: holds fits, which {} cannot change any more; name the runs",
                                document, *name));
  }
}

Fitted fitted(const SurfacePrediction& asked, const std::optional<SavedFits>& saved,
              const GlobalOptions& global) {
  const bool level_given = asked.call.given("--confidence");
  if (saved) {
    refuse_row_options(asked.call, saved->source);
    refuse_fit_options(asked.call, saved->source);
    return {report_on(*saved), saved->groups,
            level_given ? asked.study->confidence : saved->confidence};
  }
  FitOptions fit = surface_fit_options(asked.call, *asked.study, *asked.surface);
  fit.intervals = Intervals::kWald;  // Of which forecasts need no profiles.
  const SurfaceStudy study = read_surface(*asked.study, *asked.surface, global);
  note_epochs(study.unused_run_column, fit, global.console());
  return {study.report, fit_surfaces(study, fit, global), fit.confidence};
}

}  // namespace

int predict_surface(const SurfacePrediction& asked, const std::optional<SavedFits>& saved,
                    const GlobalOptions& global) {
  refuse_others(asked.call);
  refuse_to_replace_inputs(asked.result->output, *asked.study);
  Output output(asked.result->output);
  const Fitted fits = fitted(asked, saved, global);
  const SurfaceQuestions questions{
      .at = pairs_in(asked.at),
      .at_compute = places("--at-compute", asked.at_compute),
      .flops_per_parameter_token = fits.report.flops_per_parameter_token,
      .confidence = fits.confidence};
  const std::vector<GroupSurface> groups = answers_of(fits.fits, questions);
  write_surfaces(fits.report, questions, groups, format_of(*asked.result),
                 wants_colour(global.colour, output.is_terminal()),
                 [&output](std::string_view text) { output.write(text); });
  output.commit();
  const auto failed = std::count_if(groups.begin(), groups.end(), [](const GroupSurface& group) {
    return std::holds_alternative<NoFit>(group.result);
  });
  if (failed > 0) {
    global.console().warn(fmt::format("{} of {} groups have no forecast", failed, groups.size()));
  }
  return asked.strict && failed > 0 ? kCheckFailed : kDone;
}

}  // namespace scalelaw::cli
