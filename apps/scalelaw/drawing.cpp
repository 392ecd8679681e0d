// Where figures go.

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "delivery.hpp"
#include "plot.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw::cli {
namespace {

FigureFormat format_of(const DrawingOptions& options) {
  const std::string& path = options.output;
  const auto ends_with = [&path](std::string_view ending) { return path.ends_with(ending); };
  if (options.terminal || path.empty()) return FigureFormat::kTerminal;
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

}  // namespace

void add_drawing_options(Options& command, DrawingOptions& options) {
  command.group("Figure");
  command.text("-o,--output", options.output, "FILE",
               "Write the figure to this file. Its ending says the format: .svg, .pdf, .png, or "
               ".gp for a gnuplot script with its data");
  const std::vector<Named<FigureTheme>> themes{{"light", FigureTheme::kLight},
                                               {"dark", FigureTheme::kDark}};
  command.choice("--theme", options.theme, themes, "Colours for a white page or for a black one");
  command.flag("--terminal", options.terminal, "Draw in the terminal, as is done without -o");
}

int draw(const DrawingOptions& options, const GlobalOptions& global,
         const std::function<Figure()>& make) {
  return deliver({.formats = {}, .output = options.output}, global, [&](const Delivery& delivery) {
    const FigureFormat format = format_of(options);
    const Figure figure = make();
    FigureStyle style = terminal_style();
    style.theme = options.theme;
    style.colour = delivery.style.colour;
    delivery.sink(render_figure(figure, format, style));
    if (!figure.caption.empty()) delivery.console.note(figure.caption);
    return Lacks{};
  });
}

}  // namespace scalelaw::cli
