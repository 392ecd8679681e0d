#include <fmt/format.h>

#include <memory>
#include <utility>

#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/study/figure_requests.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

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

const std::vector<FigureKind>& all_kinds() {
  static const auto kinds = [] {
    std::vector<FigureKind> all(figure_kinds().begin(), figure_kinds().end());
    for (const char* const own : {"replay", "budget"}) all.push_back({own, nullptr});
    return all;
  }();
  return kinds;
}

/// What `scalelaw plot` was asked for.
struct PlotCommand {
  const FigureKind* kind = nullptr;  ///< Null: none was named.
  FigureRequest figure;              ///< As far as its values are no words.
  Options call;
  std::string at;
  TailChoice tail;
  DrawingOptions drawing;
};

std::vector<Named<const FigureKind*>> kinds() {
  std::vector<Named<const FigureKind*>> choices;
  for (const FigureKind& kind : all_kinds()) choices.push_back({kind.name, &kind});
  return choices;
}

/// @throws DataError if the law that the user named is none of two x.
void check_surface(const PlotCommand& options) {
  const StudyOptions& study = options.figure.study;
  if (study.law->inputs() != 2 && options.call.given("--law")) {
    throw DataError(fmt::format("plot surface draws laws of two x, and {} takes {}: use {}",
                                study.law->name(), study.law->inputs() == 1 ? "one" : "three",
                                joined_texts(law_names(2), " or ", [](std::string_view name) {
                                  return std::string(name);
                                })));
  }
}

/// What the figure shows, once every option is read.
FigureRequest request_of(const PlotCommand& options) {
  const std::string_view kind = options.kind->name;
  FigureRequest request = options.figure;
  request.command = command_where(options.call, options.figure.study);
  request.least_squares = options.call.given("--robust") && request.study.robust == Robust::kNone;
  if (kind == "forecast") request.at = places("--at", options.at);
  if (kind == "surface") check_surface(options);
  if (kind == "tail") {
    TailChoice choice = options.tail;
    if (options.call.given("--bootstrap")) choice.draws = request.study.bootstrap.resamples;
    request.tail = tail_options(choice);
  }
  return request;
}

bool names_a_kind(const std::string& word) {
  return contains(all_kinds(), word, &FigureKind::name);
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

int run_plot(const PlotCommand& options, const GlobalOptions& global) {
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
  return draw(options.drawing, global,
              [&] { return options.kind->make(request_of(options), global.conditions()); });
}

}  // namespace

Command add_plot_command(Program& program) {
  auto options = std::make_shared<PlotCommand>();
  Options plot = options->call = program.add_command(
      "plot", "Draw measured points and the laws fitted to them", kPlotExamples);
  plot.group("Figure");
  plot.choice("KIND", options->kind, kinds(), "Kind of figure. Default: scaling");
  plot.before_check("KIND", table_or_kind(plot));
  add_study_options(plot, options->figure.study);
  add_drawing_options(plot, options->drawing);
  plot.text("--at", options->at, "LIST",
            "For forecast: numbers of GPUs at which the figure says the value and its intervals; "
            "the largest is where it ends");
  add_energy_columns(plot, options->figure.measures);
  add_surface_options(plot, options->figure.surface, options->figure.study);
  plot.group("Figure");
  plot.text("--setting", options->figure.setting, "COL",
            "For caps: column of the setting whose values are compared");
  plot.text(
      "--reference", options->figure.reference, "VALUE",
      "For caps: value of the setting with which the others are compared. Default: the greatest");
  plot.names("--knobs", options->figure.knobs, "COL,COL",
             "For pareto: columns of all settings that you can choose, such as power_cap_w,gpus");
  plot.parsed("--eta", options->figure.pareto.etas, etas_of, "ETA,ETA",
              "For pareto: weights of energy against time in the cost, from 0 to 1", "0.5");
  plot.number("--max-power", options->figure.pareto.max_power, positive(), "W",
              "For pareto: watts of one GPU in the cost. Default: the greatest power limit");
  plot.text("--parameter", options->figure.parameter, "NAME",
            "For profile and history: the parameter of the law. Default: the exponent")
      .only_for("KIND=profile|history",
                "{0} works only with plot profile and plot history, not with plot {2}");
  plot.text("--label", options->figure.label, "LABEL",
            "For history: use only fits that were kept under this label")
      .only_for("KIND=history", "{0} works only with plot history, not with plot {2}");
  add_tail_options(plot, options->tail, "For tail");
  add_isoflop_options(plot, options->figure.isoflop, "For isoflop");
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
