#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// The scale of an axis.
enum class AxisScale {
  kLinear,
  kLogarithmic,  ///< Ticks at 1, 2, 5, 10, ...
  kPowersOfTwo,  ///< Logarithmic, ticks at powers of two: counts of GPUs.
  kTime,         ///< Seconds since 1970, UTC; ticks at round times.
  kCategories,   ///< Value i stands for Axis::categories[i].
};

struct Axis {
  std::string label;  ///< With its unit.
  AxisScale scale = AxisScale::kLinear;
  std::optional<double> least = {};  ///< Ends of the axis; if empty, they follow the data.
  std::optional<double> greatest = {};
  std::vector<std::string> categories = {};
  std::vector<double> ticks = {};  ///< Where ticks stand; if empty, they follow the range.
  bool counts = false;             ///< Numbers of parameters or tokens: 1e9 is 1B, not 1G.
  double beside = 0;  ///< The greatest value of like axes: with these its ticks are of one kind.
};

/// Measured values.
struct FigurePoints {
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> lower = {};  ///< Ends of bars; empty: none. NaN: none at that point.
  std::vector<double> upper = {};
  std::vector<std::string> notes = {};  ///< Shown by a pointer over the point.
  std::vector<double> x_lower = {};     ///< Ends of bars along x; empty: none.
  std::vector<double> x_upper = {};
  std::vector<std::string> words = {};  ///< Written beside each point; empty: none.
  bool words_at_end = false;            ///< They end a curve, and are left out without room there.
  std::string label = {};               ///< In the key: what the points are; empty: not there.
  std::string bars = {};                ///< In the key: what the bars are.

  /// Adds a point with its bar, if it has one, and its note.
  void add(double at, double value, std::string note, const std::optional<Interval>& bar = {}) {
    constexpr Interval kNone{std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::quiet_NaN()};
    x.push_back(at);
    y.push_back(value);
    lower.push_back(bar.value_or(kNone).lower);
    upper.push_back(bar.value_or(kNone).upper);
    notes.push_back(std::move(note));
  }
};

struct FigureCurve {
  std::vector<double> x = {};
  std::vector<double> y = {};
  bool dashed = false;     ///< Beyond the data, or a second kind.
  std::string label = {};  ///< In the key: what the curve is; empty: not there.

  void add(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
};

/// The first band of a series is light and has edges; one inside it is darker.
struct FigureBand {
  std::vector<double> x = {};
  std::vector<double> lower = {};
  std::vector<double> upper = {};
  std::string label = {};  ///< In the key: what the band is; empty: not there.

  void add(double at, const Interval& ends) {
    x.push_back(at);
    lower.push_back(ends.lower);
    upper.push_back(ends.upper);
  }
};

/// The data of one label in a panel. Series of one style have one colour and one mark.
struct FigureSeries {
  std::string label;
  std::size_t style = 0;
  FigurePoints points = {};
  std::vector<FigureCurve> curves = {};
  std::vector<FigureBand> bands = {};
  bool connected = false;   ///< Points are joined by a thin line,
  bool stepped = false;     ///< or are the corners of a staircase, to the right first.
  std::size_t pattern = 0;  ///< Of curves: 0 is a solid line, others are dashes that differ.
  std::optional<double> shade = {};  ///< From 0 to 1: a colour of a scale, in place of the style's.
  bool open = false;                 ///< Points are rings.
};

/// A thin grey line that values are compared with.
struct FigureReference {
  std::vector<double> x;
  std::vector<double> y;
  std::string label;  ///< At its upper end; empty: none.
};

/// A dotted line across the panel at x, with words beside it.
struct FigureMark {
  double x = 0;
  std::vector<std::string> words = {};
  std::optional<double> y = {};  ///< A ring around the value that the words are about.
};

struct FigurePanel {
  std::string title = {};
  Axis x = {};
  Axis y = {};
  std::vector<FigureSeries> series = {};
  std::vector<FigureReference> references = {};
  std::vector<FigureMark> marks = {};
};

/// One or several panels.
struct Figure {
  std::string title = {};    ///< Empty: none.
  std::string legend = {};   ///< What the labels are values of.
  std::string caption = {};  ///< What the figure shows, with its main number.
  std::vector<FigurePanel> panels = {};
  std::string note = {};  ///< Written below: what is not drawn.
  bool ranked = false;    ///< The legend keeps the order of the series and shows their lines.
};

enum class FigureFormat {
  kTerminal,  ///< Characters, the legend below; drawn without gnuplot.
  kSvg,
  kPdf,
  kPng,
  kGnuplot,  ///< The script with its data, for gnuplot -p.
};

enum class FigureTheme { kLight, kDark };

/// How a figure is drawn.
struct FigureStyle {
  FigureTheme theme = FigureTheme::kLight;
  int columns = 100;                                   ///< Of a terminal,
  int rows = 30;                                       ///< its lines.
  bool colour = false;                                 ///< Whether the terminal shows colours,
  bool braille = true;                                 ///< and characters beyond ASCII.
  std::optional<std::pair<double, double>> size = {};  ///< Pixels of a picture; empty: as needed.
  bool compact = false;  ///< Narrower, so that letters are large where a picture is made small.
};

/// The size of a picture that a user may ask for, in pixels.
inline constexpr double kLeastPicture = 300;
inline constexpr double kMostPicture = 4000;

/// Draws the figure and returns the bytes of the file. Labels are drawn as they are: gnuplot takes
/// nothing in them as a command, and in an SVG they are only text.
///
/// Labels of few series stand beside the ends of their curves, others in a legend below. A key says
/// what bands, lines and bars are. Text has at least 4.5 times the contrast of its background.
/// Values that an axis cannot show (not positive on a logarithmic one, not finite) are left out.
///
/// Part of the library scalelaw_figure, which the programs link: the others need neither
/// gnuplot-iostream nor Boost's compiled libraries.
/// @throws DataError if gnuplot is not installed or refuses.
std::string render_figure(const Figure& figure, FigureFormat format, const FigureStyle& style = {});

/// Whether gnuplot can be started.
bool has_gnuplot();

/// Stops the programs that draw figures at the moment, with all that they started, before the
/// process ends: none is started any more. A signal from the terminal does not reach them. Safe to
/// call from a signal handler of SIGINT, SIGTERM, SIGHUP and SIGQUIT, which are kept from a thread
/// that is starting such a program.
void stop_unfinished_figures() noexcept;

}  // namespace scalelaw
