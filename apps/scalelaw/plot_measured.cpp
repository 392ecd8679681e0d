#include <fmt/format.h>

#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw::cli {
namespace {

StudyAxes axes_of(const StudyReport& report) {
  return {.x = report.x, .y = report.y, .by = report.by, .logarithmic = true};
}

template <class Draw>
Figure energy_figure(const PlotCommand& options, const GlobalOptions& global, const Draw& draw) {
  const MeasuredRuns runs =
      read_measured(options.study, measure_options(options.study, options.measures), global);
  EnergyOptions energy;
  energy.confidence = options.study.confidence;
  const std::vector<GroupEnergy> groups =
      energy_of_each(runs, {}, energy, thread_count(global.threads));
  const StudyAxes axes = axes_of(measured_report(options.study, runs));
  return draw(axes, groups);
}

template <class Draw>
Figure utilisation_figure_of(const PlotCommand& options, const GlobalOptions& global,
                             const UtilisationColumns& columns, const Draw& draw) {
  refuse_no_input(options.study);
  const UtilisationRuns runs =
      read_utilisation(options.study.inputs, row_options(options.study, global), columns);
  say_what_was_left_out(runs.rows, runs.bad_rows, global.console());
  const StudyAxes axes{
      .x = runs.x, .y = std::string(columns.sm), .by = runs.by, .logarithmic = true};
  return draw(axes, runs.groups);
}

/// The law of two x: the one that the user named, else the only one.
StudyOptions with_law(const PlotCommand& options) {
  StudyOptions study = options.study;
  if (takes_two_x(study)) return study;
  if (options.call.given("--law")) {
    throw DataError(fmt::format("plot surface draws laws of two x, and {} takes one: {}",
                                study.law->name(), law_names(2).front()));
  }
  study.law = find_law(law_names(2).front());
  return study;
}

/// The first group with a fit; warns of those before it.
DrawnSurface first_surface(const SurfaceStudy& study, const FitOptions& fit,
                           const Console& console) {
  for (const SurfaceRuns& runs : study.groups) {
    const auto result = outcome_of([&] { return fit_surface(runs, fit); });
    if (const Fit* const found = std::get_if<Fit>(&result)) {
      return {.group = runs.group, .n = runs.n, .d = runs.d, .y = runs.y, .fit = *found};
    }
    const NoFit& failure = std::get<NoFit>(result);
    console.warn(fmt::format("no fit for {}: {} ({})", group_name(study.report.by, runs.group),
                             failure.message, name_of(failure.code)));
  }
  throw DataError("no group has a fit to draw");
}

/// Options of laws over x, of which a sample has none.
void refuse_options_of_laws(const Options& command) {
  if (const auto name =
          command.first_given({"-x", "--law", "--rate", "--errors", "--se", "--robust", "--weights",
                               "--points", "--bootstrap-kind", "--at", "--flops"})) {
    throw DataError(fmt::format("{} does not go with plot tail, which is of one column", *name));
  }
}

}  // namespace

Figure figure_of_energy_speed(const PlotCommand& options, const GlobalOptions& global) {
  return energy_figure(options, global, energy_speed_figure);
}

Figure figure_of_gpu_hours(const PlotCommand& options, const GlobalOptions& global) {
  return energy_figure(options, global, gpu_hours_figure);
}

Figure figure_of_caps(const PlotCommand& options, const GlobalOptions& global) {
  if (options.setting.empty()) {
    throw DataError("plot caps: name the setting with --setting COL, e.g. power_cap_w");
  }
  StudyOptions study = options.study;
  study.factors = {options.setting};
  MeasureOptions measures = measure_options(study, options.measures);
  measures.x_optional = true;
  const MeasuredRuns runs = read_measured(study, measures, global);
  CapsOptions caps;
  caps.confidence = study.confidence;
  caps.reference =
      reference_among(settings_of(runs.observations), options.reference, options.setting);
  StudyAxes axes = axes_of(measured_report(study, runs));
  axes.by.pop_back();  // The setting.
  return caps_figure(axes, options.setting, compare_settings_each(runs, caps, global.threads));
}

Figure figure_of_pareto(const PlotCommand& options, const GlobalOptions& global) {
  StudyOptions study = options.study;
  study.factors = options.knobs;
  if (study.factors.empty()) {
    throw DataError(
        "plot pareto: name what can be set with --knobs COL,COL, e.g. power_cap_w,gpus");
  }
  MeasureOptions measures = measure_options(study, options.measures);
  measures.has_x = false;
  measures.gpus_if_there = true;
  const MeasuredRuns runs = read_measured(study, measures, global);
  ParetoOptions pareto = options.pareto;
  const MaxPower max_power = take_max_power(pareto, runs);
  if (!max_power.warning.empty()) global.console().warn(max_power.warning);
  if (pareto.etas.empty()) {
    global.console().warn("no cost is drawn: no column is a power limit; --max-power W names one");
  }
  StudyAxes axes = axes_of(measured_report(study, runs));
  axes.by.resize(axes.by.size() - study.factors.size());
  return pareto_figure(axes, study.factors, pareto_each(runs, pareto, max_power.watts));
}

Figure figure_of_utilisation(const PlotCommand& options, const GlobalOptions& global) {
  return utilisation_figure_of(options, global, kMeanUtilisation, utilisation_figure);
}

Figure figure_of_variation(const PlotCommand& options, const GlobalOptions& global) {
  return utilisation_figure_of(options, global, kUtilisationVariation, variation_figure);
}

Figure figure_of_joint(const PlotCommand& options, const GlobalOptions& global) {
  return utilisation_figure_of(options, global, kMeanUtilisation, joint_figure);
}

Figure figure_of_surface(const PlotCommand& options, const GlobalOptions& global) {
  const StudyOptions study = with_law(options);
  FitOptions fit = surface_fit_options(options.call, study);
  const SurfaceStudy runs = read_surface(study, options.surface, global);
  note_epochs(runs.unused_run_column, fit, global.console());
  DrawnSurface drawn = first_surface(runs, fit, global.console());
  if (runs.groups.size() > 1) {
    global.console().warn(fmt::format("of {} groups one is drawn, {}; --where chooses",
                                      runs.groups.size(), group_name(runs.report.by, drawn.group)));
  }
  return surface_figure(runs.report, drawn);
}

Figure figure_of_tail(const PlotCommand& options, const GlobalOptions& global) {
  constexpr std::size_t kMostPoints = 300;
  refuse_options_of_laws(options.call);
  TailChoice choice = options.tail;
  if (options.call.given("--bootstrap")) choice.draws = options.study.bootstrap.resamples;
  const TailOptions tail = tail_options(options.study, choice, global);
  const Observations sample = read_sample(options.study, options.tail, global);
  const std::vector<GroupTail> groups = judge_tails(sample, tail);
  std::vector<DrawnTail> drawn;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (const NoFit* failure = std::get_if<NoFit>(&groups[i].result)) {
      global.console().warn(fmt::format("no tail of {}: {} ({})",
                                        group_name(sample.by(), groups[i].group), failure->message,
                                        name_of(failure->code)));
      continue;
    }
    const Tail* found = std::get_if<Tail>(&groups[i].result);
    DrawnTail& one = drawn.emplace_back(DrawnTail{groups[i].group, *found, {}, {}, {}});
    one.sample = sample_curve(sample.values(i, kSampleColumn), kMostPoints);
    one.power_law = power_law_curve(*found, tail.discrete);
    for (const TailAlternative& alternative : found->alternatives) {
      one.alternatives.push_back(alternative_curve(*found, alternative, tail.discrete));
    }
  }
  if (drawn.empty()) throw DataError("no group has a tail to draw");
  return tail_figure(sample.numbers()[kSampleColumn].name, drawn);
}

}  // namespace scalelaw::cli
