#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "command.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/text.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::array<std::string_view, 1> kKinds{"scaling"};
constexpr std::size_t kMostSeries = 8;  // More cannot be told apart.
constexpr std::size_t kMostNamed = 5;

constexpr const char* kExamples =
    R"(  scalelaw plot scaling data/demo/runs.csv --where power_cap_w=250 --where clock_mhz=1380
      Points and laws of six models, drawn in the terminal.
  scalelaw plot scaling data/demo/runs.csv --where model=BERT -o /tmp/bert.svg
      One model, a line a power cap, as a figure; .pdf, .png and .gp likewise.
)";

struct PlotCommand {
  std::string kind;
  StudyOptions study;
  std::string output;
  bool terminal = false;
};

FigureFormat format_of(const std::string& path) {
  const auto ends_with = [&path](std::string_view ending) { return path.ends_with(ending); };
  if (ends_with(".svg")) return FigureFormat::kSvg;
  if (ends_with(".pdf")) return FigureFormat::kPdf;
  if (ends_with(".png")) return FigureFormat::kPng;
  if (ends_with(".gp")) return FigureFormat::kGnuplot;
  throw DataError(fmt::format("-o {}: the name of a figure ends in .svg, .pdf, .png or .gp", path));
}

/// The window that stdout is, or a size that suits a page.
TerminalSize terminal_size() {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col < 40) return {};
  // Room for the legend and the prompt below.
  return {.columns = window.ws_col,
          .rows = std::clamp(static_cast<int>(window.ws_row) - 2, 15, 45)};
}

std::string axis_label(const std::string& column) {
  const ColumnLabel label = column_label(column);
  if (label.unit.empty() || label.name != column) return column;
  return fmt::format("{} [{}]", column, label.unit);
}

/// The exponent, or why there is no law.
std::string law_text(const GroupFit& group) {
  const Fit* fit = std::get_if<Fit>(&group.result);
  if (fit == nullptr)
    return fmt::format("no fit: {}", scalelaw::name_of(std::get<NoFit>(group.result).code));
  const Parameter& last = fit->parameters.back();
  const RoundedEstimate text = rounded(last.estimate, last.se);
  if (text.se.empty()) return fmt::format("{} {}", last.name, text.estimate);
  return fmt::format("{} {} +- {}", last.name, text.estimate, text.se);
}

std::string label_of(const GroupFit& group) {
  const std::string name = group.group.empty() ? "all rows" : joined(group.group);
  return fmt::format("{}  ({})", name, law_text(group));
}

/// The first groups as series, and the names of the others.
struct DrawnGroups {
  std::vector<FigureSeries> series;
  std::size_t without_fit = 0;  ///< Of those drawn.
  std::vector<std::string> left_out;
};

DrawnGroups draw_groups(const GroupedCells& runs, const FitOptions& fit, int threads) {
  DrawnGroups groups;
  std::vector<Cell> cells;
  std::size_t index = 0;
  fit_each(runs, fit, threads, [&](GroupFit&& group) {
    if (groups.series.size() < kMostSeries) {
      runs.cells(index, cells);
      groups.series.push_back(figure_series(label_of(group), cells, group));
      if (std::holds_alternative<NoFit>(group.result)) ++groups.without_fit;
    } else if (groups.left_out.size() < kMostNamed) {
      groups.left_out.push_back(joined(group.group, " "));
    }
    ++index;
  });
  return groups;
}

void say_what_was_left_out(const DrawnGroups& groups, std::size_t total, const Console& console) {
  if (groups.without_fit > 0) {
    console.warn(fmt::format("{} of the {} groups drawn have no fit: points without a law",
                             groups.without_fit, groups.series.size()));
  }
  if (groups.left_out.empty()) return;
  const std::size_t others = total - groups.series.size() - groups.left_out.size();
  console.warn(fmt::format("{} of {} groups drawn; left out: {}{}; --where chooses",
                           groups.series.size(), total, joined(groups.left_out),
                           others > 0 ? fmt::format(" and {} more", others) : ""));
}

int run_plot(const PlotCommand& options, const GlobalOptions& global) {
  if (options.kind.empty()) throw DataError("plot: name a kind of figure: scaling");
  const FigureFormat format = options.terminal || options.output.empty()
                                  ? FigureFormat::kTerminal
                                  : format_of(options.output);
  const FitOptions fit = fit_options(options.study);
  refuse_to_replace_inputs(options.output, options.study);
  Output output(options.output);
  const GroupedCells runs = read_study(options.study, fit, global);
  DrawnGroups groups = draw_groups(runs, fit, global.threads);
  say_what_was_left_out(groups, runs.size(), global.console());
  const ScalingFigure figure{.x_label = axis_label(runs.x()),
                             .y_label = axis_label(runs.y()),
                             .legend = joined(runs.by()),
                             .log_axes = fit.law->scale() == Scale::kLog,
                             .series = std::move(groups.series)};
  output.write(render_figure(figure, format, terminal_size(),
                             wants_colour(global.colour, output.is_terminal())));
  output.commit();
  return kDone;
}

}  // namespace

Command add_plot_command(CLI::App& program) {
  auto options = std::make_shared<PlotCommand>();
  CLI::App* plot = program.add_subcommand("plot", "Draw measured points and the fitted laws");
  plot->footer(kExamples);
  add_choice(*plot, "KIND", options->kind, kKinds, "Kind of figure")->group("Figure");
  add_study_options(*plot, options->study);
  plot->add_option("-o,--output", options->output,
                   "File of the figure; its ending says what: .svg, .pdf, .png, or .gp for the "
                   "gnuplot script with its data")
      ->type_name("FILE")
      ->group("Figure");
  plot->add_flag("--terminal", options->terminal,
                 "Draw with characters; also what is done without -o")
      ->group("Figure");
  return {plot, [options](const GlobalOptions& global) { return run_plot(*options, global); }};
}

}  // namespace scalelaw::cli
