#include <fmt/format.h>

#include <algorithm>

#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/runs/columns.hpp"

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
  return options.kind == "gpu-hours" ? gpu_hours_figure(axes, groups)
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

/// Columns of utilisation as ingest writes them.
struct UtilisationColumns {
  std::string sm;
  std::string memory;
};

Figure utilisation_figure_of(const PlotCommand& options, const GlobalOptions& global) {
  const bool variation = options.kind == "variation";
  const UtilisationColumns names =
      variation ? UtilisationColumns{"sm_util_cv", "mem_util_cv"}
                : UtilisationColumns{"sm_util_mean_pct", "mem_util_mean_pct"};
  refuse_no_input(options.study);
  StudyAxes axes;
  const ChooseColumns choose = [&](const Header& header, std::string_view source) {
    RunOptions wanted;
    wanted.x = options.study.x;
    wanted.y = names.sm;
    wanted.by = split(options.study.by, ',');
    wanted.by_chosen = options.study.by_given;
    wanted.where = options.study.where;
    const ChosenColumns chosen = choose_columns(header, wanted, source);
    axes = {.x = chosen.x, .y = names.sm, .by = chosen.by, .logarithmic = true};
    const auto share = [](const std::string& name) {
      return NumberColumn{.name = name, .needed = true, .positive = false};
    };
    return ObservationColumns{
        .by = chosen.by,
        .numbers = {{.name = chosen.x, .setting = true}, share(names.sm), share(names.memory)}};
  };
  const Console console = global.console();
  const Observations runs = read_observations(options.study.inputs, choose,
                                              {.where = options.study.where,
                                               .skip_bad_rows = options.study.skip_bad_rows,
                                               .threads = global.threads,
                                               .progress = console.shows_progress()});
  say_what_was_left_out(runs.rows(), runs.bad_rows(), console);
  std::vector<GroupUtilisation> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto column = [&](std::size_t number) {
      const auto values = runs.values(i, number);
      return std::vector<double>(values.begin(), values.end());
    };
    groups.push_back({runs.key(i), column(0), column(1), column(2)});
  }
  if (variation) return variation_figure(axes, groups);
  return options.kind == "joint" ? joint_figure(axes, groups) : utilisation_figure(axes, groups);
}

}  // namespace

Figure measured_figure(const PlotCommand& options, const GlobalOptions& global) {
  if (options.kind == "caps") return caps_figure_of(options, global);
  if (options.kind == "pareto") return pareto_figure_of(options, global);
  if (options.kind == "energy-speed" || options.kind == "gpu-hours") {
    return energy_figure(options, global);
  }
  return utilisation_figure_of(options, global);
}

}  // namespace scalelaw::cli
