#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "command.hpp"
#include "histories.hpp"
#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/history_figure.hpp"
#include "scalelaw/render/study_figures.hpp"
#include "scales.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::array<std::string_view, 5> kStudyKinds{"scaling", "efficiency", "residuals", "rank",
                                                      "forecast"};
constexpr std::string_view kHistory = "history";
constexpr std::array<std::string_view, 2> kThemes{"light", "dark"};
constexpr std::size_t kMostGroups = 200;  // Read for a figure; it says how many it draws.

constexpr const char* kExamples =
    R"(  scalelaw plot scaling data/demo/runs.csv --where power_cap_w=250 --where clock_mhz=1380
      Points and laws of six models, drawn in the terminal.
  scalelaw plot scaling data/demo/runs.csv --where model=BERT -o /tmp/bert.svg
      One model, a line a power cap, as a figure; .pdf, .png and .gp likewise.
  scalelaw plot efficiency data/demo/runs.csv -b model --where power_cap_w=250 --where clock_mhz=1380 -o /tmp/efficiency.pdf
      Speedup and parallel efficiency of each model beside the ideal.
  scalelaw plot caps data/demo/runs.csv --setting power_cap_w --where clock_mhz=1380 -o /tmp/caps.svg
      Speed and energy of each power cap relative to the greatest.
  scalelaw plot forecast data/demo/runs.csv --where model=BERT --at 4096 -o /tmp/forecast.png
      The forecast out to 4096 GPUs with both bands.
)";

/// All kinds of figures.
std::vector<std::string_view> kinds() {
  std::vector<std::string_view> all(kStudyKinds.begin(), kStudyKinds.end());
  all.insert(all.end(), kMeasuredKinds.begin(), kMeasuredKinds.end());
  all.push_back(kHistory);
  return all;
}

FigureFormat format_of(const std::string& path) {
  const auto ends_with = [&path](std::string_view ending) { return path.ends_with(ending); };
  if (ends_with(".svg")) return FigureFormat::kSvg;
  if (ends_with(".pdf")) return FigureFormat::kPdf;
  if (ends_with(".png")) return FigureFormat::kPng;
  if (ends_with(".gp")) return FigureFormat::kGnuplot;
  throw DataError(fmt::format("-o {}: the name of a figure ends in .svg, .pdf, .png or .gp", path));
}

/// The window that stdout is, or a size that suits a page.
FigureStyle terminal_style() {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col < 40) return {};
  // Room for the legend and the prompt below.
  return {.columns = window.ws_col,
          .rows = std::clamp(static_cast<int>(window.ws_row) - 2, 15, 45)};
}

/// A kind of figure: what it needs, and how it is made.
using MakeFigure = Figure (*)(const PlotCommand& options, const GroupedCells& runs,
                              const FitOptions& fit, const GlobalOptions& global);

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
    DrawnGroup& drawn = groups.emplace_back();
    runs.cells(groups.size() - 1, drawn.cells);
    without_fit += std::holds_alternative<NoFit>(group.result) ? 1 : 0;
    drawn.group = group.group;
    drawn.fit = std::move(group);
  });
  if (without_fit > 0) {
    global.console().warn(fmt::format("{} of {} groups have no fit: points without a law",
                                      without_fit, groups.size()));
  }
  return groups;
}

Figure scaling(const PlotCommand&, const GroupedCells& runs, const FitOptions& fit,
               const GlobalOptions& global) {
  return scaling_figure(axes_of(runs, fit), drawn_groups(runs, fit, global));
}

Figure efficiency(const PlotCommand&, const GroupedCells& runs, const FitOptions& fit,
                  const GlobalOptions& global) {
  return efficiency_figure(axes_of(runs, fit), drawn_groups(runs, fit, global));
}

Figure residuals(const PlotCommand&, const GroupedCells& runs, const FitOptions& fit,
                 const GlobalOptions& global) {
  return residuals_figure(axes_of(runs, fit), drawn_groups(runs, fit, global));
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

Figure forecast(const PlotCommand& options, const GroupedCells& runs, const FitOptions& fit,
                const GlobalOptions& global) {
  const std::vector<double> at = places("--at", options.at);
  ForecastOptions forecasts;
  forecasts.response = fit.response;
  forecasts.confidence = fit.confidence;
  std::vector<DrawnForecast> groups;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < std::min(runs.size(), kMostGroups); ++i) {
    DrawnForecast group{.group = runs.key(i), .cells = {}, .forecast = {}};
    runs.cells(i, group.cells);
    try {
      group.forecast = make_forecast(group.cells, forecasts);
      groups.push_back(std::move(group));
    } catch (const FitError&) {
      ++failed;
    }
  }
  if (failed > 0) global.console().warn(fmt::format("{} groups have no forecast", failed));
  if (groups.empty()) throw DataError("no group has a forecast to draw");
  const double last = at.empty() ? 0 : *std::max_element(at.begin(), at.end());
  return forecast_figure(axes_of(runs, fit), groups, last);
}

MakeFigure maker_of(std::string_view kind) {
  constexpr std::array<MakeFigure, kStudyKinds.size()> kMakers{scaling, efficiency, residuals, rank,
                                                               forecast};
  const auto place = std::find(kStudyKinds.begin(), kStudyKinds.end(), kind) - kStudyKinds.begin();
  return kMakers[static_cast<std::size_t>(place)];
}

Figure study_figure(const PlotCommand& options, const GlobalOptions& global) {
  StudyOptions study = options.study;
  study.keep_points = options.kind == "residuals";
  const FitOptions fit = fit_options(study);
  return maker_of(options.kind)(options, read_study(study, fit, global), fit, global);
}

/// Of the fits kept in a store.
Figure followed_figure(const PlotCommand& options, const GlobalOptions& global) {
  if (options.study.inputs.size() != 1) throw DataError("plot history: name one study store");
  HistoryOptions history;
  history.store = options.study.inputs.front();
  history.by = options.study.by;
  history.confidence = options.study.confidence;
  history.change.seed = options.study.seed;
  const auto [report, groups] = read_history(history);
  for (const std::string& warning : report.warnings) global.console().warn(warning);
  return history_figure(report, groups);
}

Figure figure_of(const PlotCommand& options, const GlobalOptions& global) {
  if (options.kind == kHistory) return followed_figure(options, global);
  const bool is_measured =
      std::find(kMeasuredKinds.begin(), kMeasuredKinds.end(), options.kind) != kMeasuredKinds.end();
  return is_measured ? measured_figure(options, global) : study_figure(options, global);
}

int run_plot(const PlotCommand& options, const GlobalOptions& global) {
  const std::vector<std::string_view> all = kinds();
  if (options.kind.empty()) {
    throw DataError(fmt::format("plot: name a kind of figure: {}",
                                joined(std::vector<std::string>(all.begin(), all.end()))));
  }
  const FigureFormat format = options.terminal || options.output.empty()
                                  ? FigureFormat::kTerminal
                                  : format_of(options.output);
  refuse_to_replace_inputs(options.output, options.study);
  Output output(options.output);
  const Figure figure = figure_of(options, global);
  FigureStyle style = terminal_style();
  style.theme = options.theme == "dark" ? FigureTheme::kDark : FigureTheme::kLight;
  style.colour = wants_colour(global.colour, output.is_terminal());
  output.write(render_figure(figure, format, style));
  if (!figure.caption.empty()) global.console().note(figure.caption);
  output.commit();
  return kDone;
}

}  // namespace

Command add_plot_command(CLI::App& program) {
  auto options = std::make_shared<PlotCommand>();
  CLI::App* plot = program.add_subcommand("plot", "Draw measured points and the fitted laws");
  plot->footer(kExamples);
  add_choice(*plot, "KIND", options->kind, kinds(), "Kind of figure")->group("Figure");
  add_study_options(*plot, options->study);
  plot->add_option("-o,--output", options->output,
                   "File of the figure; its ending says what: .svg, .pdf, .png, or .gp for the "
                   "gnuplot script with its data")
      ->type_name("FILE")
      ->group("Figure");
  plot->add_option("--at", options->at, "Of a forecast: out to the greatest of these scales")
      ->type_name("LIST")
      ->group("Figure");
  add_energy_columns(*plot, options->energy);
  plot->add_option("--setting", options->setting, "Of caps: the column of the setting")
      ->type_name("COL")
      ->group("Figure");
  plot->add_option("--reference", options->reference,
                   "Of caps: the value that others are compared with; without it the greatest")
      ->type_name("VALUE")
      ->group("Figure");
  plot->add_option("--knobs", options->knobs, "Of pareto: columns of what can be set")
      ->type_name("COL,COL")
      ->group("Figure");
  plot->add_option("--eta", options->etas, "Of pareto: weights of energy in the cost")
      ->type_name("ETA,ETA")
      ->capture_default_str()
      ->group("Figure");
  plot->add_option("--max-power", options->max_power,
                   "Of pareto: W of one GPU in the cost; without it the greatest power limit")
      ->type_name("W")
      ->check(positive())
      ->group("Figure");
  add_choice(*plot, "--theme", options->theme, kThemes, "Colours on white or on black")
      ->group("Figure");
  plot->add_flag("--terminal", options->terminal,
                 "Draw with characters; also what is done without -o")
      ->group("Figure");
  return {plot, [options](const GlobalOptions& global) { return run_plot(*options, global); }};
}

}  // namespace scalelaw::cli
