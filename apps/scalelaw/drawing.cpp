// Where figures go.

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "delivery.hpp"
#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw::cli {
namespace {

constexpr double kLeastTerminal = 40;  // Columns,
constexpr double kLeastRows = 12;
constexpr double kMostTerminal = 500;  // and the most of both.

FigureFormat format_of(const DrawingOptions& options, const GlobalOptions& global) {
  const std::string& path = options.output;
  // A program that asks for a figure has no terminal to draw in.
  if (global.host != nullptr && path.empty() && !options.terminal) return FigureFormat::kSvg;
  const auto ends_with = [&path](std::string_view ending) { return path.ends_with(ending); };
  if (options.terminal || path.empty()) return FigureFormat::kTerminal;
  if (ends_with(".svg")) return FigureFormat::kSvg;
  if (ends_with(".pdf")) return FigureFormat::kPdf;
  if (ends_with(".png")) return FigureFormat::kPng;
  if (ends_with(".gp")) return FigureFormat::kGnuplot;
  throw DataError(fmt::format("-o {}: the name of a figure ends in .svg, .pdf, .png or .gp", path));
}

/// Whether the terminal says that it shows UTF-8, or says nothing: few do not nowadays.
bool shows_all_characters() {
  for (const char* const variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const text = std::getenv(variable);
    if (text == nullptr || *text == '\0') continue;
    const std::string_view locale = text;
    return locale.find("UTF-8") != std::string_view::npos ||
           locale.find("utf8") != std::string_view::npos;
  }
  return true;
}

/// The window that stdout is, or a size that suits a page.
FigureStyle terminal_style(const GlobalOptions& global) {
  FigureStyle style{.braille = shows_all_characters()};
  if (global.host != nullptr) return style;
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col < 40) return style;
  style.columns = window.ws_col;
  // Room for the legend and the prompt below.
  style.rows = std::clamp(static_cast<int>(window.ws_row) - 2, 15, 45);
  return style;
}

/// "900x580". @throws DataError if it is no size.
std::optional<std::pair<double, double>> size_of(const std::string& text, bool is_terminal) {
  if (text.empty()) return std::nullopt;
  const std::vector<std::string> parts = split(text, 'x');
  const double least = is_terminal ? kLeastTerminal : kLeastPicture;
  const double lowest = is_terminal ? kLeastRows : kLeastPicture;
  const double most = is_terminal ? kMostTerminal : kMostPicture;
  if (parts.size() == 2) {
    const double width = parse_number(parts[0]).value_or(0);
    const double height = parse_number(parts[1]).value_or(0);
    if (width >= least && width <= most && height >= lowest && height <= most) {
      return std::pair(width, height);
    }
  }
  throw DataError(fmt::format(
      "--size: expected a width and a height in {}, such as {}, found {}",
      is_terminal ? "characters from 40x12 to 500x500" : "pixels from 300x300 to 4000x4000",
      is_terminal ? "120x40" : "900x580", scalelaw::quoted(text)));
}

/// The words that the user chose in place of ours.
void put_words(const DrawingOptions& options, Figure& figure) {
  if (!options.title.empty()) figure.title = options.title;
  for (FigurePanel& panel : figure.panels) {
    if (!options.x_label.empty()) panel.x.label = options.x_label;
    if (!options.y_label.empty()) panel.y.label = options.y_label;
  }
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
  command.text("--title", options.title, "TEXT", "Words above the figure");
  command.text("--xlabel", options.x_label, "TEXT",
               "Words at the horizontal axes, in place of ours");
  command.text("--ylabel", options.y_label, "TEXT", "Words at the vertical axes, in place of ours");
  command.text("--size", options.size, "WxH",
               "Width and height in pixels, such as 900x580; in the terminal in characters, such "
               "as 120x40");
}

int draw(const DrawingOptions& options, const GlobalOptions& global,
         const std::function<Figure()>& make) {
  return deliver({.formats = {}, .output = options.output}, global, [&](const Delivery& delivery) {
    const FigureFormat format = format_of(options, global);
    const bool is_terminal = format == FigureFormat::kTerminal;
    const auto size = size_of(options.size, is_terminal);
    Figure figure = make();
    put_words(options, figure);
    FigureStyle style = terminal_style(global);
    if (size && is_terminal) {
      style.columns = static_cast<int>(size->first);
      style.rows = static_cast<int>(size->second);
    } else {
      style.size = size;
    }
    style.theme = options.theme;
    style.colour = delivery.style.colour;
    delivery.sink(render_figure(figure, format, style));
    const std::size_t width = is_terminal ? static_cast<std::size_t>(style.columns) : 0;
    if (!figure.caption.empty()) delivery.console.note(wrapped(figure.caption, width, 0));
    return Lacks{};
  });
}

}  // namespace scalelaw::cli
