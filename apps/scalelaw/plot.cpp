#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "isoflop_options.hpp"
#include "level_changes.hpp"
#include "measure_options.hpp"
#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/fit/likelihood.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "scalelaw/render/study_figures.hpp"
#include "scalelaw/study/history_study.hpp"
#include "tail_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::size_t kMostGroups = 200;  // Read for a figure; it says how many it draws.

constexpr const char* kPlotExamples =
    R"(  scalelaw plot scaling data/demo/runs.csv --where power_cap_w=250 --where clock_mhz=1380
      Points and laws of six models, in the terminal.
  scalelaw plot data/demo/runs.csv --where model=BERT -o /tmp/bert.svg
      One model with one line per power cap, as an SVG file; .pdf, .png and .gp work, too.
  scalelaw plot settings data/demo/runs.csv -b model,power_cap_w --where clock_mhz=1380 -o /tmp/settings.svg
      One panel per model, with one line per power cap.
  scalelaw plot efficiency data/demo/runs.csv -b model --where power_cap_w=250 --where clock_mhz=1380 -o /tmp/efficiency.pdf
      Speedup and parallel efficiency of each model, compared with the ideal.
  scalelaw plot caps data/demo/runs.csv --setting power_cap_w --where clock_mhz=1380 -o /tmp/caps.svg
      Speed and energy at each power cap, relative to the greatest cap.
  scalelaw plot forecast data/demo/runs.csv --where model=BERT --at 4096 -o /tmp/forecast.png
      The forecast up to 4096 GPUs, with bands for the curve and for new runs.
  scalelaw plot profile data/demo/runs.csv --law floor -b model --where power_cap_w=250 --where clock_mhz=1380 -o /tmp/profile.svg
      How well other exponents fit, and the interval that follows.
  scalelaw plot tail data/tail/durations.csv -y duration_s --where queue=batch -o /tmp/tail.svg
      The share of jobs that last longer than a time, and the laws that its tail may follow.
  scalelaw plot surface data/two_scales/runs.csv -x parameters,tokens -y loss -o /tmp/surface.svg
      The loss of each run over its compute, and the least loss that each compute can reach.
  scalelaw plot isoflop data/isoflop/runs.csv -o /tmp/isoflop.svg
      The losses of each compute budget, their best sizes, and how these grow.
)";

struct PlotCommand;

/// A kind of figure: its name, and what reads the inputs and makes it.
struct KindOfFigure {
  std::string_view name;
  Figure (*make)(const PlotCommand& options, const GlobalOptions& global);
  bool takes_law = false;  ///< It draws the law that --law, --fix, --tie and --bound name.
};

/// What `scalelaw plot` was asked for.
struct PlotCommand {
  const KindOfFigure* kind = nullptr;  ///< Null: none was named.
  StudyOptions study;
  Options call;
  MeasureOptions measures;
  SurfaceOptions surface;
  std::string at;
  std::string setting;
  std::string reference;
  std::vector<std::string> knobs;
  ParetoOptions pareto{.etas = {}, .draws = 0};  ///< As far as the user gave them.
  std::string parameter;
  std::string label;
  TailChoice tail;
  IsoflopChoice isoflop;
  DrawingOptions drawing;
};

std::size_t drawable(const GroupedCells& runs) { return std::min(runs.size(), kMostGroups); }

StudyAxes axes_of(const GroupedCells& runs, const FitOptions& fit) {
  return {.x = runs.x(),
          .y = runs.y(),
          .by = runs.by(),
          .logarithmic = fit.law->scale() == Scale::kLog,
          .ideal = ideal_of(runs.x(), growing_work_of(runs, fit.response)),
          .y_unit = runs.y_unit(),
          .confidence = fit.confidence,
          .more_groups = runs.size() - drawable(runs)};
}

constexpr std::string_view kAdviceOnOneScale =
    ", because all runs have one scale. A law needs runs at others; of runs from night to night, "
    "scalelaw gate --night COL tells whether the last is slower, and scalelaw look names the "
    "column";

bool have_one_scale(const std::vector<DrawnGroup>& groups) {
  const auto& cells = groups.front().cells;
  return std::all_of(groups.begin(), groups.end(), [&](const DrawnGroup& group) {
    return !group.cells.empty() && group.cells.front().x == cells.front().x &&
           group.cells.back().x == cells.front().x;
  });
}

/// The first groups with their laws; warns of those without one.
std::vector<DrawnGroup> drawn_groups(const GroupedCells& runs, const FitOptions& fit,
                                     const GlobalOptions& global) {
  std::vector<DrawnGroup> groups;
  std::size_t without_fit = 0;
  fit_each(runs, fit, global.threads, [&](GroupFit&& group) {
    without_fit += std::holds_alternative<NoFit>(group.result) ? 1 : 0;
    if (groups.size() == drawable(runs)) return;
    DrawnGroup& drawn = groups.emplace_back(
        DrawnGroup{.group = group.group, .cells = {}, .fit = std::move(group.result)});
    runs.cells(groups.size() - 1, drawn.cells);
  });
  if (without_fit > 0) {
    global.console().warn(fmt::format("{} no fit: points without a law{}",
                                      part_of(without_fit, runs.size(), "group", "has", "have"),
                                      have_one_scale(groups) ? kAdviceOnOneScale : ""));
  }
  return groups;
}

template <Figure (*figure)(const StudyAxes&, std::span<const DrawnGroup>)>
Figure of_laws(const PlotCommand&, const GroupedCells& runs, const FitOptions& fit,
               const GlobalOptions& global) {
  return figure(axes_of(runs, fit), drawn_groups(runs, fit, global));
}

/// Groups of weak scaling beside others are left out: times of unlike work have no speedup.
Figure efficiency(const PlotCommand&, const GroupedCells& runs, const FitOptions& fit,
                  const GlobalOptions& global) {
  std::vector<DrawnGroup> groups = drawn_groups(runs, fit, global);
  if (const auto part = partly_growing_work_of(runs, fit.response)) {
    const std::size_t left_out = std::erase_if(groups, [&](const DrawnGroup& one) {
      return std::find(part->groups.begin(), part->groups.end(), one.group) != part->groups.end();
    });
    global.console().note(fmt::format("{} of weak scaling {} not drawn", counted(left_out, "group"),
                                      left_out == 1 ? "is" : "are"));
  }
  if (groups.empty()) throw DataError("no group of equal work is left to draw");
  return efficiency_figure(axes_of(runs, fit), groups);
}

Figure settings(const PlotCommand& options, const GroupedCells& runs, const FitOptions& fit,
                const GlobalOptions& global) {
  if (runs.by().size() < 2) {
    throw DataError(
        "plot settings: name the column of models and those of settings, such as -b "
        "model,power_cap_w");
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
    global.console().warn(fmt::format(
        "only the first of {} groups is drawn; choose another with --where", runs.size()));
  }
  std::vector<Cell> cells;
  runs.cells(0, cells);
  RankOptions options;
  options.response = fit.response;
  options.confidence = fit.confidence;
  return rank_figure(axes_of(runs, fit), cells,
                     {runs.key(0), rank_laws(cells, options, random_stream_of(runs.key(0)))});
}

/// "2 of 7 groups have", or "2 of the first 200 groups have" where a study has more.
std::string part_of_drawable(std::size_t part, const GroupedCells& runs) {
  if (drawable(runs) == runs.size()) return part_of(part, runs.size(), "group", "has", "have");
  return fmt::format("{} of the first {} {}", part, counted(drawable(runs), "group"),
                     part == 1 ? "has" : "have");
}

/// What `make(key, cells)` returns for each of the first groups that can have it, on all threads.
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
  forecasts.rate_of_one = fit.rate_of_one;
  forecasts.confidence = fit.confidence;
  const std::vector<DrawnForecast> groups =
      drawn_where_possible(runs, global, [&](GroupKey key, std::vector<Cell> cells) {
        Forecast made = make_forecast(cells, forecasts);
        return DrawnForecast{std::move(key), std::move(cells), std::move(made)};
      });
  if (const std::size_t failed = drawable(runs) - groups.size(); failed > 0) {
    global.console().warn(part_of_drawable(failed, runs) + " no forecast");
  }
  if (groups.empty()) throw DataError("no group has a forecast to draw");
  return forecast_figure(axes_of(runs, fit), groups, at);
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
        "no group has a likelihood to draw: each lacks a fit, a degree of freedom, or scatter");
  }
  if (const std::size_t failed = drawable(runs) - groups.size(); failed > 0) {
    global.console().warn(part_of_drawable(failed, runs) + " no profile");
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
  FitOptions fit = fit_options(study);
  const Study read = read_study_by_nights(options.call, study, fit, global);
  return make(options, read.runs, fit, global);
}

/// The axes of measured runs, without the settings that are compared.
StudyAxes axes_of(const StudyOptions& study, const MeasuredRuns& runs) {
  StudyReport report = measured_report(study, runs);
  report.by.resize(report.by.size() - runs.observations.factors().size());
  return {.x = report.x,
          .y = report.y,
          .by = std::move(report.by),
          .logarithmic = true,
          .y_unit = report.y_unit,
          .confidence = study.confidence};
}

template <Figure (*figure)(const StudyAxes&, std::span<const GroupEnergy>)>
Figure of_energy(const PlotCommand& options, const GlobalOptions& global) {
  const StudyOptions& study = options.study;
  const MeasuredRuns runs = read_measured(study, measure_options(study, options.measures), global);
  EnergyOptions energy;
  energy.confidence = study.confidence;
  return figure(axes_of(study, runs),
                energy_of_each(runs, {}, energy, thread_count(global.threads)));
}

Figure figure_of_caps(const PlotCommand& options, const GlobalOptions& global) {
  StudyOptions study = options.study;
  if (!options.setting.empty()) study.factors = {options.setting};
  study.usual_factors.option = "--setting";
  MeasureOptions measures = measure_options(study, options.measures);
  measures.x_optional = true;
  const MeasuredRuns runs = read_measured(study, measures, global);
  CapsOptions caps;
  caps.confidence = study.confidence;
  say_factors(study, runs.observations.factors(), global.console());
  const std::string setting = runs.observations.factors().front();
  caps.reference = reference_among(settings_of(runs.observations), options.reference, setting);
  return caps_figure(axes_of(study, runs), setting,
                     compare_settings_each(runs, caps, global.threads));
}

Figure figure_of_pareto(const PlotCommand& options, const GlobalOptions& global) {
  StudyOptions study = options.study;
  study.factors = options.knobs;
  study.usual_factors = {.option = "--knobs", .all = true};
  MeasureOptions measures = measure_options(study, options.measures);
  measures.has_x = false;
  measures.gpus_if_there = true;
  const MeasuredRuns runs = read_measured(study, measures, global);
  ParetoOptions pareto = options.pareto;
  say_factors(study, runs.observations.factors(), global.console());
  const MaxPower max_power = take_max_power(pareto, runs);
  if (!max_power.warning.empty()) global.console().warn(max_power.warning);
  if (pareto.etas.empty()) {
    global.console().warn("no cost is drawn: no column is a power limit; --max-power W names one");
  }
  const auto factors = runs.observations.factors();
  return pareto_figure(axes_of(study, runs), factors, pareto_each(runs, pareto, max_power.watts),
                       study.confidence);
}

template <const UtilisationColumns& columns,
          Figure (*figure)(const StudyAxes&, std::span<const GroupUtilisation>)>
Figure of_utilisation(const PlotCommand& options, const GlobalOptions& global) {
  refuse_no_input(options.study);
  const UtilisationRuns runs = read_utilisation(
      options.study.inputs, row_options(options.study, global.conditions()), columns);
  say_what_was_left_out(runs.rows, runs.bad_rows, global.console());
  return figure({.x = runs.x, .y = std::string(columns.sm), .by = runs.by, .logarithmic = true},
                runs.groups);
}

/// The law of two x: the one that the user named, else the only one.
StudyOptions with_law(const PlotCommand& options) {
  StudyOptions study = options.study;
  if (study.law->inputs() == 2) return study;
  if (options.call.given("--law")) {
    throw DataError(fmt::format("plot surface draws laws of two x, and {} takes {}: use {}",
                                study.law->name(), study.law->inputs() == 1 ? "one" : "three",
                                joined_texts(law_names(2), " or ", [](std::string_view name) {
                                  return std::string(name);
                                })));
  }
  study.law = find_law(law_names(2).front());
  return study;
}

/// The first group with a fit; warns of those before it.
DrawnSurface first_surface(const SurfaceStudy& study, const FitOptions& fit,
                           const Messages& console) {
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

Figure figure_of_surface(const PlotCommand& options, const GlobalOptions& global) {
  const StudyOptions study = with_law(options);
  FitOptions fit = surface_fit_options(options.call, study);
  const SurfaceStudy runs = read_surface(study, options.surface, global.conditions());
  note_epochs(runs.unused_run_column, fit, global.console());
  DrawnSurface drawn = first_surface(runs, fit, global.console());
  if (runs.groups.size() > 1) {
    global.console().warn(
        fmt::format("only one of {} groups is drawn, {}; choose another with --where",
                    runs.groups.size(), group_name(runs.report.by, drawn.group)));
  }
  return surface_figure(runs.report, drawn);
}

/// The first group with a best split; warns of those before it.
DrawnIsoflop first_isoflop(const IsoflopStudy& study, const Messages& console) {
  for (const SurfaceRuns& runs : study.runs.groups) {
    const auto result = outcome_of([&] { return judge_isoflop(runs, study.report.options); });
    if (const Isoflop* const found = std::get_if<Isoflop>(&result)) {
      return {.group = runs.group, .runs = runs, .isoflop = *found};
    }
    console.warn(fmt::format("no best split for {}: {}",
                             group_name(study.report.study.by, runs.group),
                             std::get<NoFit>(result).message));
  }
  throw DataError("no group has a best split to draw");
}

/// Computes along the axis of a figure: from the least budget to the greatest one asked for.
std::vector<double> computes_to_draw(const Isoflop& isoflop) {
  constexpr int kPlaces = 24;
  double greatest = isoflop.path().optima.back().compute;
  if (!isoflop.budgets.empty()) greatest = std::max(greatest, isoflop.budgets.back().compute);
  const double least = isoflop.budgets.empty() ? greatest / 1000 : isoflop.budgets.front().compute;
  std::vector<double> computes;
  for (int i = 0; i <= kPlaces; ++i) {
    computes.push_back(least * std::pow(greatest / least, static_cast<double>(i) / kPlaces));
  }
  return computes;
}

Figure figure_of_isoflop(const PlotCommand& options, const GlobalOptions& global) {
  IsoflopStudy study = read_isoflop(options.study, options.surface, options.isoflop, global);
  DrawnIsoflop drawn = first_isoflop(study, global.console());
  if (study.runs.groups.size() > 1) {
    global.console().warn(
        fmt::format("only one of {} groups is drawn, {}; choose another with --where",
                    study.runs.groups.size(), group_name(study.report.study.by, drawn.group)));
  }
  study.report.options.at_compute = computes_to_draw(drawn.isoflop);
  drawn.isoflop = judge_isoflop(drawn.runs, study.report.options);
  return isoflop_figure(study.report, drawn);
}

Figure figure_of_tail(const PlotCommand& options, const GlobalOptions& global) {
  constexpr std::size_t kMostPoints = 300;
  TailChoice choice = options.tail;
  if (options.call.given("--bootstrap")) choice.draws = options.study.bootstrap.resamples;
  const TailOptions tail = tail_options(options.study, choice, global);
  const Observations sample = read_sample(options.study, options.tail, global);
  std::vector<GroupTail> groups;
  judge_tails(sample, tail, [&](GroupTail&& group) { groups.push_back(std::move(group)); });
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

/// Of the fits kept in a store.
Figure figure_of_history(const PlotCommand& options, const GlobalOptions& global) {
  if (options.study.inputs.size() != 1) throw DataError("plot history: name one study store");
  HistoryOptions history;
  history.store = options.study.inputs.front();
  history.by = options.study.by;
  history.label = options.label;
  history.with_curve = options.parameter.empty();
  if (!options.parameter.empty()) history.parameter = options.parameter;
  history.confidence = options.study.confidence;
  history.change.seed = options.study.bootstrap.seed;
  const auto [report, groups] = read_history(history);
  for (const std::string& warning : report.warnings) global.console().warn(warning);
  return history_figure(report, groups);
}

constexpr KindOfFigure kKinds[] = {
    {"scaling", study_figure<of_laws<scaling_figure>>, true},
    {"settings", study_figure<settings>, true},
    {"efficiency", study_figure<efficiency>, true},
    {"residuals", study_figure<residuals, true>, true},
    {"rank", study_figure<rank>},
    {"forecast", study_figure<forecast>},
    {"profile", study_figure<profile>, true},
    {"energy-speed", of_energy<energy_speed_figure>},
    {"gpu-hours", of_energy<gpu_hours_figure>},
    {"caps", figure_of_caps},
    {"pareto", figure_of_pareto},
    {"utilisation", of_utilisation<kMeanUtilisation, utilisation_figure>},
    {"variation", of_utilisation<kUtilisationVariation, variation_figure>},
    {"joint", of_utilisation<kMeanUtilisation, joint_figure>},
    {"surface", figure_of_surface, true},
    {"isoflop", figure_of_isoflop},
    {"tail", figure_of_tail},
    {"history", figure_of_history},
    {"replay", nullptr},  // Commands of their own.
    {"budget", nullptr}};

std::vector<Named<const KindOfFigure*>> kinds() {
  std::vector<Named<const KindOfFigure*>> choices;
  for (const KindOfFigure& kind : kKinds) choices.push_back({kind.name, &kind});
  return choices;
}

bool names_a_kind(const std::string& word) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&word](const KindOfFigure& kind) { return kind.name == word; });
}

/// Whether a word that is no kind of figure is an input: it is there, or has the form of a path.
bool is_input(const std::string& word) {
  return word == "-" || input_exists(word) || word.find_first_of("./*") != std::string::npos;
}

/// Lets the first word be a table, of which scaling is drawn: it becomes the first of the inputs.
Check table_or_kind(Options plot) {
  return [plot](std::string& word) mutable {
    if (!names_a_kind(word) && is_input(word)) {
      plot.give_first("INPUT", std::exchange(word, "scaling"));
    }
    return std::string();
  };
}

int run_plot(PlotCommand options, const GlobalOptions& global) {
  if (options.kind == nullptr) {
    throw DataError(
        fmt::format("plot: name a table, or a kind of figure and its inputs; kinds are {}",
                    joined(words_of(kinds()))));
  }
  const std::string_view name = options.kind->name;
  if (options.kind->make == nullptr) {
    throw DataError(
        fmt::format("plot: {0} comes right after plot, because it has options of its own: scalelaw "
                    "plot {0}",
                    name));
  }
  return draw(options.drawing, global, [&] { return options.kind->make(options, global); });
}

}  // namespace

Command add_plot_command(Program& program) {
  auto options = std::make_shared<PlotCommand>();
  Options plot = options->call = program.add_command(
      "plot", "Draw measured points and the laws fitted to them", kPlotExamples);
  plot.group("Figure");
  plot.choice("KIND", options->kind, kinds(), "Kind of figure. Default: scaling");
  plot.before_check("KIND", table_or_kind(plot));
  add_study_options(plot, options->study);
  add_drawing_options(plot, options->drawing);
  plot.text("--at", options->at, "LIST",
            "For forecast: numbers of GPUs at which the figure says the value and its intervals; "
            "the largest is where it ends");
  add_energy_columns(plot, options->measures);
  add_surface_options(plot, options->surface, options->study);
  plot.group("Figure");
  plot.text("--setting", options->setting, "COL",
            "For caps: column of the setting whose values are compared");
  plot.text(
      "--reference", options->reference, "VALUE",
      "For caps: value of the setting with which the others are compared. Default: the greatest");
  plot.names("--knobs", options->knobs, "COL,COL",
             "For pareto: columns of all settings that you can choose, such as power_cap_w,gpus");
  plot.parsed("--eta", options->pareto.etas, etas_of, "ETA,ETA",
              "For pareto: weights of energy against time in the cost, from 0 to 1", "0.5");
  plot.number("--max-power", options->pareto.max_power, positive(), "W",
              "For pareto: watts of one GPU in the cost. Default: the greatest power limit");
  plot.text("--parameter", options->parameter, "NAME",
            "For profile and history: the parameter of the law. Default: the exponent")
      .only_for("KIND=profile|history",
                "{0} works only with plot profile and plot history, not with plot {2}");
  plot.text("--label", options->label, "LABEL",
            "For history: use only fits that were kept under this label")
      .only_for("KIND=history", "{0} works only with plot history, not with plot {2}");
  add_tail_options(plot, options->tail, "For tail");
  add_isoflop_options(plot, options->isoflop, "For isoflop");
  plot.rules({"--fix", "--tie", "--bound"})
      .only_for(
          CallKind{"figures of one law",
                   [options](const CallOptions& call) -> std::optional<KindFound> {
                     if (options->kind == nullptr) return std::nullopt;
                     return KindFound{options->kind->takes_law, call.value("KIND")};
                   }},
          "--fix, --tie and --bound are for figures of one law; plot {2} has laws of its own");
  plot.rules({"-x", "--law", "--rate", "--errors", "--se", "--robust", "--weights", "--points",
              "--bootstrap-kind", "--at", "--flops"})
      .excludes("KIND=tail", "{0} does not go with plot tail, which looks at one column");
  return command_of(plot, options, run_plot);
}

}  // namespace scalelaw::cli
