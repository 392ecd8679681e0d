#include "scalelaw/study/figure_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/fit/likelihood.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "scalelaw/render/study_figures.hpp"
#include "scalelaw/study/energy_studies.hpp"
#include "scalelaw/study/gate_study.hpp"
#include "scalelaw/study/history_study.hpp"
#include "scalelaw/study/notes.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kDrawableGroups = 200;  // Read for a figure; it says how many it draws.

std::size_t drawable(const GroupedCells& runs) { return std::min(runs.size(), kDrawableGroups); }

StudyAxes axes_of(const GroupedCells& runs, const FitOptions& fit) {
  return {.x = runs.x(),
          .y = runs.y(),
          .by = runs.by(),
          .logarithmic = fit.law->scale() == Scale::kLog,
          .ideal = ideal_of(runs.x(), runs.quantity().kind, growing_work_of(runs, fit.response)),
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
  return std::ranges::all_of(groups, [&](const DrawnGroup& group) {
    return !group.cells.empty() && group.cells.front().x == cells.front().x &&
           group.cells.back().x == cells.front().x;
  });
}

/// The first groups with their laws; warns of those without one.
std::vector<DrawnGroup> drawn_groups(const GroupedCells& runs, const FitOptions& fit,
                                     const CallConditions& conditions) {
  std::vector<DrawnGroup> groups;
  std::size_t without_fit = 0;
  fit_each(runs, fit, conditions.threads, [&](GroupFit&& group) {
    without_fit += std::holds_alternative<NoFit>(group.result) ? 1 : 0;
    if (groups.size() == drawable(runs)) return;
    DrawnGroup& drawn = groups.emplace_back(
        DrawnGroup{.group = group.group, .cells = {}, .fit = std::move(group.result)});
    runs.cells(groups.size() - 1, drawn.cells);
  });
  if (without_fit > 0) {
    conditions.say.warn(fmt::format("{} no fit: points without a law{}",
                                    part_of(without_fit, runs.size(), "group", "has", "have"),
                                    have_one_scale(groups) ? kAdviceOnOneScale : ""));
  }
  return groups;
}

template <Figure (*figure)(const StudyAxes&, std::span<const DrawnGroup>)>
Figure of_laws(const FigureRequest&, const GroupedCells& runs, const FitOptions& fit,
               const CallConditions& conditions) {
  return figure(axes_of(runs, fit), drawn_groups(runs, fit, conditions));
}

/// Groups of weak scaling beside others are left out: times of unlike work have no speedup.
Figure efficiency(const FigureRequest&, const GroupedCells& runs, const FitOptions& fit,
                  const CallConditions& conditions) {
  if (!has_speedup(runs.quantity().kind)) {
    throw DataError(fmt::format(
        "'{}' is {}, which has no speedup or efficiency: draw it with scalelaw plot scaling",
        runs.y(), description_of(runs.quantity())));
  }
  std::vector<DrawnGroup> groups = drawn_groups(runs, fit, conditions);
  if (const auto part = partly_growing_work_of(runs, fit.response)) {
    const std::size_t left_out = std::erase_if(
        groups, [&](const DrawnGroup& one) { return contains(part->groups, one.group); });
    conditions.say.note(fmt::format("{} of weak scaling {} not drawn", counted(left_out, "group"),
                                    left_out == 1 ? "is" : "are"));
  }
  if (groups.empty()) throw DataError("no group of equal work is left to draw");
  return efficiency_figure(axes_of(runs, fit), groups);
}

Figure settings(const FigureRequest& request, const GroupedCells& runs, const FitOptions& fit,
                const CallConditions& conditions) {
  if (runs.by().size() < 2) {
    throw DataError(
        "plot settings: name the column of models and those of settings, such as -b "
        "model,power_cap_w");
  }
  return of_laws<settings_figure>(request, runs, fit, conditions);
}

Figure residuals(const FigureRequest&, const GroupedCells& runs, const FitOptions& fit,
                 const CallConditions& conditions) {
  const std::vector<DrawnGroup> groups = drawn_groups(runs, fit, conditions);
  if (std::ranges::none_of(
          groups, [](const DrawnGroup& group) { return std::holds_alternative<Fit>(group.fit); })) {
    throw DataError("no group has a law, and so none has residuals; scalelaw fit says why");
  }
  return residuals_figure(axes_of(runs, fit), groups);
}

Figure rank(const FigureRequest&, const GroupedCells& runs, const FitOptions& fit,
            const CallConditions& conditions) {
  if (runs.size() > 1) {
    conditions.say.warn(fmt::format(
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
auto drawn_where_possible(const GroupedCells& runs, const CallConditions& conditions, Make make) {
  using Drawn = std::invoke_result_t<Make, GroupKey, std::vector<Cell>>;
  std::vector<std::optional<Drawn>> made(drawable(runs));
  parallel_for(thread_count(conditions.threads), made.size(), [&](std::size_t i, int /*worker*/) {
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

Figure forecast(const FigureRequest& request, const GroupedCells& runs, const FitOptions& fit,
                const CallConditions& conditions) {
  ForecastOptions forecasts;
  forecasts.response = fit.response;
  forecasts.rate_of_one = fit.rate_of_one;
  forecasts.confidence = fit.confidence;
  forecasts.priors = usual_priors(runs.quantity().kind);
  const std::vector<DrawnForecast> groups =
      drawn_where_possible(runs, conditions, [&](GroupKey key, std::vector<Cell> cells) {
        Forecast made = make_forecast(cells, forecasts);
        return DrawnForecast{std::move(key), std::move(cells), std::move(made)};
      });
  if (const std::size_t failed = drawable(runs) - groups.size(); failed > 0) {
    conditions.say.warn(part_of_drawable(failed, runs) + " no forecast");
  }
  if (groups.empty()) throw DataError("no group has a forecast to draw");
  return forecast_figure(axes_of(runs, fit), groups, request.at);
}

Figure profile(const FigureRequest& request, const GroupedCells& runs, const FitOptions& fit,
               const CallConditions& conditions) {
  const std::string parameter =
      request.parameter.empty() ? std::string(exponent_name(*fit.law)) : request.parameter;
  const std::vector<DrawnProfile> groups =
      drawn_where_possible(runs, conditions, [&](GroupKey key, const std::vector<Cell>& cells) {
        return DrawnProfile{std::move(key), likelihood_profile(cells, fit, parameter)};
      });
  if (groups.empty()) {
    throw DataError(
        "no group has a likelihood to draw: each lacks a fit, a degree of freedom, or scatter");
  }
  if (const std::size_t failed = drawable(runs) - groups.size(); failed > 0) {
    conditions.say.warn(part_of_drawable(failed, runs) + " no profile");
  }
  return profile_figure(axes_of(runs, fit), *fit.law, groups);
}

/// A figure of the laws of groups.
template <Figure (*make)(const FigureRequest&, const GroupedCells&, const FitOptions&,
                         const CallConditions&),
          bool keep_points = false>
Figure study_figure(const FigureRequest& request, const CallConditions& conditions) {
  StudyOptions study = request.study;
  study.keep_points = keep_points;
  FitOptions fit = fit_options(study);
  const Study read = read_study_by_nights(request.command, study, fit, conditions);
  return make(request, read.runs, fit, conditions);
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
Figure of_energy(const FigureRequest& request, const CallConditions& conditions) {
  const StudyOptions& study = request.study;
  const MeasuredRuns runs =
      read_measured(study, measure_options(study, request.measures), conditions);
  if (!runs.columns.work.empty()) conditions.say.warn(runs.work_note());
  EnergyOptions energy;
  energy.confidence = study.confidence;
  return figure(axes_of(study, runs),
                energy_of_each(runs, {}, energy, thread_count(conditions.threads)));
}

Figure figure_of_caps(const FigureRequest& request, const CallConditions& conditions) {
  CapsRequest caps{.study = request.study, .measures = request.measures, .caps = {}};
  if (!request.setting.empty()) caps.study.factors = {request.setting};
  caps.measures.x_optional = true;
  caps.caps.reference = request.reference;
  const CapsStudy study = read_caps(caps, conditions);
  return caps_figure(axes_of(request.study, study.runs), study.report.setting,
                     compare_settings_each(study.runs, study.options, conditions.threads));
}

Figure figure_of_pareto(const FigureRequest& request, const CallConditions& conditions) {
  ParetoRequest pareto{request.study, request.measures, request.pareto};
  pareto.study.factors = request.knobs;
  pareto.measures.has_x = false;
  pareto.measures.gpus_if_there = true;
  const auto [report, runs, max_power] = read_pareto(pareto, conditions);
  if (report.options.etas.empty()) {
    conditions.say.warn("no cost is drawn: no column is a power limit; --max-power W names one");
  }
  return pareto_figure(axes_of(request.study, runs), report.knobs,
                       pareto_each(runs, report.options, max_power.watts),
                       request.study.confidence);
}

template <const UtilisationColumns& columns,
          Figure (*figure)(const StudyAxes&, std::span<const GroupUtilisation>)>
Figure of_utilisation(const FigureRequest& request, const CallConditions& conditions) {
  refuse_no_input(request.study);
  const UtilisationRuns runs =
      read_utilisation(request.study.inputs, row_options(request.study, conditions), columns);
  say_what_was_left_out(runs.rows, runs.bad_rows, conditions.say);
  return figure({.x = runs.x, .y = std::string(columns.sm), .by = runs.by, .logarithmic = true},
                runs.groups);
}

/// The first group that has a result, with its place; warns of those before it and of others.
/// @param make  The outcome of a group. @param noun  What it lacks: "fit", "best split".
/// @throws DataError if none has one.
template <class Make>
auto first_drawn(const SurfaceStudy& study, std::string_view noun, const Messages& say, Make make) {
  for (const SurfaceRuns& runs : study.groups) {
    auto result = outcome_of([&] { return make(runs); });
    const std::string name = group_name(study.report.by, runs.group);
    if (const NoFit* const failure = std::get_if<NoFit>(&result)) {
      say.warn(fmt::format("no {} for {}: {} ({})", noun, name, failure->message,
                           name_of(failure->code)));
      continue;
    }
    if (study.groups.size() > 1) {
      say.warn(fmt::format("only one of {} groups is drawn, {}; choose another with --where",
                           study.groups.size(), name));
    }
    return std::pair<const SurfaceRuns&, std::invoke_result_t<Make, const SurfaceRuns&>>(
        runs, std::get<0>(std::move(result)));
  }
  throw DataError(fmt::format("no group has a {} to draw", noun));
}

Figure figure_of_surface(const FigureRequest& request, const CallConditions& conditions) {
  StudyOptions study = request.study;
  if (study.law->inputs() != 2) study.law = find_law(law_names(2).front());
  FitOptions fit = surface_fit_options(study, request.least_squares);
  const SurfaceStudy runs = read_surface(study, request.surface, conditions);
  note_epochs(runs.unused_run_column, fit, conditions.say);
  const auto [drawn, law] = first_drawn(
      runs, "fit", conditions.say, [&](const SurfaceRuns& one) { return fit_surface(one, fit); });
  return surface_figure(
      runs.report, {.group = drawn.group, .n = drawn.n, .d = drawn.d, .y = drawn.y, .fit = law});
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

Figure figure_of_isoflop(const FigureRequest& request, const CallConditions& conditions) {
  IsoflopStudy study = read_isoflop(request.study, request.surface, request.isoflop, conditions);
  const auto [runs, isoflop] =
      first_drawn(study.runs, "best split", conditions.say,
                  [&](const SurfaceRuns& one) { return judge_isoflop(one, study.report.options); });
  study.report.options.at_compute = computes_to_draw(isoflop);
  return isoflop_figure(
      study.report,
      {.group = runs.group, .runs = runs, .isoflop = judge_isoflop(runs, study.report.options)});
}

Figure figure_of_tail(const FigureRequest& request, const CallConditions& conditions) {
  constexpr std::size_t kMostPoints = 300;
  const TailStudy study = read_tails(request.study, request.tail, conditions);
  const auto& [report, sample] = study;
  const TailOptions& tail = report.options;
  std::vector<GroupTail> groups;
  judge_tails(sample, tail, [&](GroupTail&& group) { groups.push_back(std::move(group)); });
  std::vector<DrawnTail> drawn;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (const NoFit* failure = std::get_if<NoFit>(&groups[i].result)) {
      conditions.say.warn(fmt::format("no tail of {}: {} ({})",
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
Figure figure_of_history(const FigureRequest& request, const CallConditions& conditions) {
  if (request.study.inputs.size() != 1)
    throw DataError("plot history: name one study store or table of nights");
  if (is_table_of_nights(request.study.inputs.front())) {
    GateRequest table{.base = request.study.inputs.front(), .current = {}, .study = request.study};
    table.study.inputs.clear();
    const NightsStudy study = follow_table(table, conditions);
    for (const std::string& warning : study.report.warnings) conditions.say.warn(warning);
    return nights_figure(study.report, study.figures);
  }
  HistoryOptions history;
  history.store = request.study.inputs.front();
  history.by = request.study.by;
  history.label = request.label;
  history.with_curve = request.parameter.empty();
  if (!request.parameter.empty()) history.parameter = request.parameter;
  history.confidence = request.study.confidence;
  history.change.seed = request.study.bootstrap.seed;
  const auto [report, groups] = read_history(history);
  for (const std::string& warning : report.warnings) conditions.say.warn(warning);
  return history_figure(report, groups);
}

constexpr FigureKind kKinds[] = {
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
    {"history", figure_of_history}};

}  // namespace

std::span<const FigureKind> figure_kinds() { return kKinds; }

}  // namespace scalelaw
