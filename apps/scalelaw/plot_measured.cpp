#include <fmt/format.h>

#include <algorithm>

#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/energy_figures.hpp"

namespace scalelaw::cli {
namespace {

StudyAxes axes_of(const StudyReport& report) {
  return {.x = report.x, .y = report.y, .by = report.by, .logarithmic = true};
}

Figure energy_figure(const PlotCommand& options, const GlobalOptions& global) {
  const MeasuredRuns runs =
      read_measured(options.study, measure_options(options.study, options.energy), global);
  EnergyOptions energy;
  energy.confidence = options.study.confidence;
  const std::vector<GroupEnergy> groups =
      energy_of_each(runs, {}, energy, thread_count(global.threads));
  const StudyAxes axes = axes_of(measured_report(options.study, runs));
  return options.kind == PlotKind::kGpuHours ? gpu_hours_figure(axes, groups)
                                             : energy_speed_figure(axes, groups);
}

Figure caps_figure_of(const PlotCommand& options, const GlobalOptions& global) {
  if (options.setting.empty()) {
    throw DataError("plot caps: name the setting with --setting COL, e.g. power_cap_w");
  }
  StudyOptions study = options.study;
  study.factors = {options.setting};
  MeasureOptions measures = measure_options(study, options.energy);
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

Figure pareto_figure_of(const PlotCommand& options, const GlobalOptions& global) {
  StudyOptions study = options.study;
  study.factors = split(options.knobs, ',');
  if (study.factors.empty()) {
    throw DataError(
        "plot pareto: name what can be set with --knobs COL,COL, e.g. power_cap_w,gpus");
  }
  MeasureOptions measures = measure_options(study, options.energy);
  measures.has_x = false;
  measures.gpus_if_there = true;
  const MeasuredRuns runs = read_measured(study, measures, global);
  ParetoOptions pareto;
  pareto.etas = etas_of(options.etas);
  pareto.draws = 0;
  if (options.max_power > 0) pareto.max_power = options.max_power;
  std::vector<double> max_power;  // By group, where the call names none.
  if (!pareto.max_power) {
    if (const auto limits = greatest_power_limits(runs.observations)) max_power = limits->watts;
  }
  if (!pareto.max_power && max_power.empty()) {
    global.console().warn("no cost is drawn: no column is a power limit; --max-power W names one");
    pareto.etas.clear();
  }
  StudyAxes axes = axes_of(measured_report(study, runs));
  axes.by.resize(axes.by.size() - study.factors.size());
  return pareto_figure(axes, study.factors, pareto_each(runs, pareto, max_power));
}

Figure utilisation_figure_of(const PlotCommand& options, const GlobalOptions& global) {
  const bool variation = options.kind == PlotKind::kVariation;
  const UtilisationColumns& columns = variation ? kUtilisationVariation : kMeanUtilisation;
  refuse_no_input(options.study);
  const UtilisationRuns runs =
      read_utilisation(options.study.inputs, row_options(options.study, global), columns);
  say_what_was_left_out(runs.rows, runs.bad_rows, global.console());
  const StudyAxes axes{
      .x = runs.x, .y = std::string(columns.sm), .by = runs.by, .logarithmic = true};
  if (variation) return variation_figure(axes, runs.groups);
  return options.kind == PlotKind::kJoint ? joint_figure(axes, runs.groups)
                                          : utilisation_figure(axes, runs.groups);
}

}  // namespace

Figure measured_figure(const PlotCommand& options, const GlobalOptions& global) {
  if (options.kind == PlotKind::kCaps) return caps_figure_of(options, global);
  if (options.kind == PlotKind::kPareto) return pareto_figure_of(options, global);
  if (options.kind == PlotKind::kEnergySpeed || options.kind == PlotKind::kGpuHours) {
    return energy_figure(options, global);
  }
  return utilisation_figure_of(options, global);
}

}  // namespace scalelaw::cli
