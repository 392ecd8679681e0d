#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <optional>

#include "histories.hpp"
#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/likelihood.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "scalelaw/render/study_figures.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::size_t kMostGroups = 200;  // Read for a figure; it says how many it draws.

constexpr const char* kExamples =
    R"(  scalelaw plot scaling data/demo/runs.csv --where power_cap_w=250 --where clock_mhz=1380
      Points and laws of six models, drawn in the terminal.
  scalelaw plot scaling data/demo/runs.csv --where model=BERT -o /tmp/bert.svg
      One model, a line a power cap, as a figure; .pdf, .png and .gp likewise.
  scalelaw plot settings data/demo/runs.csv -b model,power_cap_w --where clock_mhz=1380 -o /tmp/settings.svg
      A panel a model, in it a line a power cap.
  scalelaw plot efficiency data/demo/runs.csv -b model --where power_cap_w=250 --where clock_mhz=1380 -o /tmp/efficiency.pdf
      Speedup and parallel efficiency of each model beside the ideal.
  scalelaw plot caps data/demo/runs.csv --setting power_cap_w --where clock_mhz=1380 -o /tmp/caps.svg
      Speed and energy of each power cap relative to the greatest.
  scalelaw plot forecast data/demo/runs.csv --where model=BERT --at 4096 -o /tmp/forecast.png
      The forecast out to 4096 GPUs with both bands.
  scalelaw plot profile data/demo/runs.csv --law floor -b model --where power_cap_w=250 --where clock_mhz=1380 -o /tmp/profile.svg
      How likely other exponents are, with the limits of the profile and Wald's beside.
  scalelaw plot tail data/tail/durations.csv -y duration_s --where queue=batch -o /tmp/tail.svg
      The share of jobs that last longer, and the shapes that its tail may have.
  scalelaw plot surface data/two_scales/runs.csv -x parameters,tokens -y loss -o /tmp/surface.svg
      A loss against compute, and the least that each compute can reach.
)";

StudyAxes axes_of(const GroupedCells& runs, const FitOptions& fit) {
  return {.x = runs.x(),
          .y = runs.y(),
          .by = runs.by(),
          .logarithmic = fit.law->scale() == Scale::kLog};
}

/// The first groups with their laws; warns of those without one.
std::vector<DrawnGroup> drawn_groups(const GroupedCells& runs, const FitOptions& fit,
                                     const GlobalOptions& global) {
  std::vector<DrawnGroup> groups;
  std::size_t without_fit = 0;
  fit_each(runs, fit, global.threads, [&](GroupFit&& group) {
    if (groups.size() == kMostGroups) return;
    without_fit += std::holds_alternative<NoFit>(group.result) ? 1 : 0;
    DrawnGroup& drawn = groups.emplace_back(
        DrawnGroup{.group = group.group, .cells = {}, .fit = std::move(group.result)});
    runs.cells(groups.size() - 1, drawn.cells);
  });
  if (without_fit > 0) {
    global.console().warn(fmt::format("{} of {} groups have no fit: points without a law",
                                      without_fit, groups.size()));
  }
  return groups;
}

template <Figure (*figure)(const StudyAxes&, std::span<const DrawnGroup>)>
Figure of_laws(const PlotCommand&, const GroupedCells& runs, const FitOptions& fit,
               const GlobalOptions& global) {
  return figure(axes_of(runs, fit), drawn_groups(runs, fit, global));
}

Figure settings(const PlotCommand& options, const GroupedCells& runs, const FitOptions& fit,
                const GlobalOptions& global) {
  if (runs.by().size() < 2) {
    throw DataError(
        "plot settings: name a column of models and those of settings: -b model,power_cap_w");
  }
  return of_laws<settings_figure>(options, runs, fit, global);
}

Figure residuals(const PlotCommand&, const GroupedCells& runs, const FitOptions& fit,
                 const GlobalOptions& global) {
  const std::vector<DrawnGroup> groups = drawn_groups(runs, fit, global);
  if (std::none_of(groups.begin(), groups.end(), [](const DrawnGroup& group) {
        return std::holds_alternative<Fit>(group.fit);
      })) {
    throw DataError("no group has a law, and so none has residuals; scalelaw fit says why");
  }
  return residuals_figure(axes_of(runs, fit), groups);
}

Figure rank(const PlotCommand&, const GroupedCells& runs, const FitOptions& fit,
            const GlobalOptions& global) {
  if (runs.size() > 1) {
    global.console().warn(
        fmt::format("the first of {} groups is drawn; --where chooses", runs.size()));
  }
  std::vector<Cell> cells;
  runs.cells(0, cells);
  RankOptions options;
  options.response = fit.response;
  options.confidence = fit.confidence;
  options.resamples = 0;
  return rank_figure(axes_of(runs, fit), cells, {runs.key(0), rank_laws(cells, options)});
}

std::size_t drawable(const GroupedCells& runs) { return std::min(runs.size(), kMostGroups); }

/// What `make(key, cells)` returns for each of the first groups that can have it; threads share
/// them.
template <class Make>
auto drawn_where_possible(const GroupedCells& runs, const GlobalOptions& global, Make make) {
  using Drawn = std::invoke_result_t<Make, GroupKey, std::vector<Cell>>;
  std::vector<std::optional<Drawn>> made(drawable(runs));
  parallel_for(thread_count(global.threads), made.size(), [&](std::size_t i, int /*worker*/) {
    std::vector<Cell> cells;
    runs.cells(i, cells);
    made[i] = if_possible([&] { return make(runs.key(i), std::move(cells)); });
  });
  std::vector<Drawn> groups;
  for (std::optional<Drawn>& one : made) {
    if (one) groups.push_back(std::move(*one));
  }
  return groups;
}

Figure forecast(const PlotCommand& options, const GroupedCells& runs, const FitOptions& fit,
                const GlobalOptions& global) {
  const std::vector<double> at = places("--at", options.at);
  ForecastOptions forecasts;
  forecasts.response = fit.response;
  forecasts.confidence = fit.confidence;
  const std::vector<DrawnForecast> groups =
      drawn_where_possible(runs, global, [&](GroupKey key, std::vector<Cell> cells) {
        Forecast made = make_forecast(cells, forecasts);
        return DrawnForecast{std::move(key), std::move(cells), std::move(made)};
      });
  if (const std::size_t failed = drawable(runs) - groups.size(); failed > 0) {
    global.console().warn(fmt::format("{} groups have no forecast", failed));
  }
  if (groups.empty()) throw DataError("no group has a forecast to draw");
  const double last = at.empty() ? 0 : *std::max_element(at.begin(), at.end());
  return forecast_figure(axes_of(runs, fit), groups, last);
}

Figure profile(const PlotCommand& options, const GroupedCells& runs, const FitOptions& fit,
               const GlobalOptions& global) {
  const std::string parameter =
      options.parameter.empty() ? std::string(exponent_name(*fit.law)) : options.parameter;
  const std::vector<DrawnProfile> groups =
      drawn_where_possible(runs, global, [&](GroupKey key, const std::vector<Cell>& cells) {
        return DrawnProfile{std::move(key), likelihood_profile(cells, fit, parameter)};
      });
  if (groups.empty()) {
    throw DataError(
        "no group has a likelihood to draw: no fit, no degree of freedom, or no scatter");
  }
  if (const std::size_t failed = drawable(runs) - groups.size(); failed > 0) {
    global.console().warn(fmt::format("{} of {} groups have no profile", failed, drawable(runs)));
  }
  return profile_figure(axes_of(runs, fit), *fit.law, groups);
}

/// A figure of the laws of groups.
template <Figure (*make)(const PlotCommand&, const GroupedCells&, const FitOptions&,
                         const GlobalOptions&),
          bool keep_points = false>
Figure study_figure(const PlotCommand& options, const GlobalOptions& global) {
  StudyOptions study = options.study;
  study.keep_points = keep_points;
  const FitOptions fit = fit_options(study);
  return make(options, read_groups(study, fit, global), fit, global);
}

/// Of the fits kept in a store.
Figure figure_of_history(const PlotCommand& options, const GlobalOptions& global) {
  if (options.study.inputs.size() != 1) throw DataError("plot history: name one study store");
  HistoryOptions history;
  history.store = options.study.inputs.front();
  history.by = options.study.by;
  history.label = options.label;
  if (!options.parameter.empty()) history.parameter = options.parameter;
  history.confidence = options.study.confidence;
  history.change.seed = options.study.bootstrap.seed;
  const auto [report, groups] = read_history(history);
  for (const std::string& warning : report.warnings) global.console().warn(warning);
  return history_figure(report, groups);
}

constexpr KindOfFigure kKinds[] = {{"scaling", study_figure<of_laws<scaling_figure>>},
                                   {"settings", study_figure<settings>},
                                   {"efficiency", study_figure<of_laws<efficiency_figure>>},
                                   {"residuals", study_figure<residuals, true>},
                                   {"rank", study_figure<rank>},
                                   {"forecast", study_figure<forecast>},
                                   {"profile", study_figure<profile>},
                                   {"energy-speed", figure_of_energy_speed},
                                   {"gpu-hours", figure_of_gpu_hours},
                                   {"caps", figure_of_caps},
                                   {"pareto", figure_of_pareto},
                                   {"utilisation", figure_of_utilisation},
                                   {"variation", figure_of_variation},
                                   {"joint", figure_of_joint},
                                   {"surface", figure_of_surface},
                                   {"tail", figure_of_tail},
                                   {"history", figure_of_history},
                                   {"replay", nullptr}};  // A command of its own.

std::vector<Named<const KindOfFigure*>> kinds() {
  std::vector<Named<const KindOfFigure*>> choices;
  for (const KindOfFigure& kind : kKinds) choices.push_back({kind.name, &kind});
  return choices;
}

int run_plot(const PlotCommand& options, const GlobalOptions& global) {
  if (options.kind == nullptr) {
    throw DataError(fmt::format("plot: name a kind of figure: {}", joined(words_of(kinds()))));
  }
  const std::string_view name = options.kind->name;
  if (name == "replay") {
    throw DataError("plot: replay comes first, as it has options of its own: scalelaw plot replay");
  }
  const bool follows = name == "history";
  if (!options.parameter.empty() && name != "profile" && !follows) {
    throw DataError(fmt::format("--parameter is of plot profile and history, not of {}", name));
  }
  if (!options.label.empty() && !follows) {
    throw DataError(fmt::format("--label is of plot history, not of {}", name));
  }
  return draw(options.drawing, options.study.inputs, global,
              [&] { return options.kind->make(options, global); });
}

}  // namespace

Command add_plot_command(Program& program) {
  auto options = std::make_shared<PlotCommand>();
  Options plot = options->call =
      program.add_command("plot", "Draw measured points and the fitted laws", kExamples);
  plot.group("Figure");
  plot.choice("KIND", options->kind, kinds(), "Kind of figure");
  add_study_options(plot, options->study);
  add_drawing_options(plot, options->drawing);
  plot.text("--at", options->at, "LIST", "Of a forecast: out to the greatest of these scales");
  add_energy_columns(plot, options->measures);
  add_surface_options(plot, options->surface, options->study);
  plot.group("Figure");
  plot.text("--setting", options->setting, "COL", "Of caps: the column of the setting");
  plot.text("--reference", options->reference, "VALUE",
            "Of caps: the value that others are compared with; without it the greatest");
  plot.names("--knobs", options->knobs, "COL,COL", "Of pareto: columns of what can be set");
  plot.parsed("--eta", options->pareto.etas, etas_of, "ETA,ETA",
              "Of pareto: weights of energy in the cost", "0.5");
  plot.number("--max-power", options->pareto.max_power, positive(), "W",
              "Of pareto: W of one GPU in the cost; without it the greatest power limit");
  plot.text("--parameter", options->parameter, "NAME",
            "Of profile and history: the law's parameter; without it the exponent");
  plot.text("--label", options->label, "LABEL", "Of history: only fits kept under this label");
  add_tail_options(plot, options->tail, "Of tail");
  return {plot, [options](const GlobalOptions& global) { return run_plot(*options, global); }};
}

}  // namespace scalelaw::cli
