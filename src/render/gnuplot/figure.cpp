// Figures as scripts of gnuplot. Everything that is placed by hand (panels, labels beside curves,
// the legend) is laid out here in pixels, because gnuplot's own layout lets long labels overlap.

#include "scalelaw/render/figure.hpp"

#include <fmt/format.h>
#include <gnuplot-iostream.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "render/gnuplot/axes.hpp"
#include "render/gnuplot/fonts.hpp"
#include "render/gnuplot/run.hpp"
#include "render/gnuplot/theme.hpp"
#include "render/plain_svg.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr double kFont = 15;             // Pixels of the layout.
constexpr double kGlyph = 0.56 * kFont;  // Mean width of a character.
constexpr double kLine = 1.35 * kFont;   // From one line of text to the next.
constexpr std::size_t kMostBesides = 8;  // More labels stand in a legend below,
constexpr double kWidestBesides = 0.45;  // as do those that take more of the width.
constexpr std::size_t kTitleLines = 2;   // Of a panel.
constexpr double kRightMargin = 22;
constexpr double kLegendGap = 0.35;  // Lines between the title of the legend and its rows.

std::string_view colour_of(const Theme& theme, std::size_t style) {
  return theme.series[style % theme.series.size()];
}

int mark_of(std::size_t style) { return kMarks[style % kMarks.size()]; }

/// The letter that stands for a series in a terminal.
char letter_of(std::size_t series) { return static_cast<char>('A' + series % 26); }

// Layout.

/// A rectangle of the canvas in pixels, y upwards.
struct Box {
  double left;
  double right;
  double bottom;
  double top;
};

struct LegendEntry {
  std::string label;
  std::size_t style;
};

struct Layout {
  double width = 900;
  double height = 580;
  std::vector<Box> panels;        ///< Inside the axes.
  std::size_t title_lines = 0;    ///< Above the panels.
  bool besides = false;           ///< Labels stand at the ends of curves.
  std::size_t label_columns = 0;  ///< Characters that a label has room for.
  std::vector<LegendEntry> legend;
  std::size_t legend_columns = 1;
};

std::size_t columns_for(std::size_t panels) {
  if (panels == 1) return 1;
  if (panels == 2 || panels == 4) return 2;
  return panels <= 9 ? 3 : 4;
}

double text_width(std::string_view text) {
  return kGlyph * static_cast<double>(display_width(printable(text)));
}

std::vector<LegendEntry> legend_of(const Figure& figure) {
  std::vector<LegendEntry> legend;
  for (const FigurePanel& panel : figure.panels) {
    for (const FigureSeries& series : panel.series) {
      const bool known = std::any_of(legend.begin(), legend.end(), [&](const LegendEntry& entry) {
        return entry.label == series.label && entry.style == series.style;
      });
      if (!series.label.empty() && !known) legend.push_back({series.label, series.style});
    }
  }
  return legend;
}

double widest(const std::vector<LegendEntry>& legend) {
  double width = 0;
  for (const LegendEntry& entry : legend) width = std::max(width, text_width(entry.label));
  return width;
}

/// Pixels below the panels that the legend takes.
double legend_height(const Layout& layout) {
  if (layout.legend.empty() || layout.besides) return 0;
  const std::size_t rows = (layout.legend.size() - 1) / layout.legend_columns + 1;
  return kLine * (static_cast<double>(rows) + 1.2 + kLegendGap);
}

/// Room left of a panel for its ticks and label.
double left_margin(const FigurePanel& panel, double cell_width) {
  if (panel.y.scale != AxisScale::kCategories) return 92;
  double width = 0;
  for (const std::string& name : panel.y.categories) width = std::max(width, text_width(name));
  return std::min(width + 50, 0.5 * cell_width);
}

/// Characters of one line above a panel.
std::size_t title_columns(const Box& box) {
  return static_cast<std::size_t>((box.right - box.left) / kGlyph);
}

std::size_t title_lines(const Figure& figure, double cell_width) {
  std::size_t lines = 0;
  for (const FigurePanel& panel : figure.panels) {
    if (panel.title.empty()) continue;
    const Box box{left_margin(panel, cell_width), cell_width - kRightMargin, 0, 0};
    lines = std::max(lines, broken_lines(panel.title, title_columns(box), kTitleLines).size());
  }
  return lines;
}

/// Room right of the panel for labels beside it; too long ones make all stand below.
double place_labels(const Figure& figure, Layout& layout) {
  layout.legend = legend_of(figure);
  if (layout.legend.size() == 1) layout.legend.clear();  // One label tells nothing apart.
  const double label_width = std::max(widest(layout.legend), text_width(figure.legend));
  layout.besides = figure.panels.size() == 1 && layout.legend.size() <= kMostBesides &&
                   layout.legend.size() > 1 && label_width <= kWidestBesides * layout.width &&
                   figure.panels.front().x.scale != AxisScale::kCategories;
  const double room = layout.width - 40;
  const double entry = std::min(widest(layout.legend) + 5 * kGlyph, room);
  layout.legend_columns = static_cast<std::size_t>(std::max(1.0, room / entry));
  layout.label_columns =
      static_cast<std::size_t>((layout.besides ? label_width : room - 5 * kGlyph) / kGlyph + 0.5);
  return layout.besides ? label_width + 3 * kGlyph : 0;
}

Layout layout_of(const Figure& figure) {
  Layout layout;
  const std::size_t columns = columns_for(figure.panels.size());
  const std::size_t rows = (figure.panels.size() - 1) / columns + 1;
  constexpr std::array kWidths{900.0, 1040.0, 1260.0, 1480.0};
  layout.width = kWidths[columns - 1];
  const double label_width = place_labels(figure, layout);
  const double title = figure.title.empty() ? 0 : 1.8 * kLine;
  const double below = legend_height(layout);
  const double cell_width = layout.width / static_cast<double>(columns);
  layout.title_lines = title_lines(figure, cell_width);
  const double above = 20 + (layout.title_lines == 0 ? 0 : 18) +
                       (layout.title_lines > 1 ? kLine : 0);  // A panel, for its title.
  const double cell_height = (rows == 1 ? 500 : 360) + (layout.title_lines > 1 ? kLine : 0);
  layout.height = title + below + static_cast<double>(rows) * cell_height;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const auto column = static_cast<double>(i % columns);
    const auto row = static_cast<double>(i / columns);
    const double top = layout.height - title - row * cell_height;
    layout.panels.push_back({column * cell_width + left_margin(figure.panels[i], cell_width),
                             (column + 1) * cell_width - kRightMargin - label_width,
                             top - cell_height + 62, top - above});
  }
  return layout;
}

// Script.

std::string terminal_of(FigureFormat format, const FigureStyle& style, const Layout& layout) {
  const std::string_view background = theme_of(style.theme).background;
  switch (format) {
    case FigureFormat::kTerminal:
      return fmt::format("set terminal dumb size {},{} {} noenhanced\n", style.columns, style.rows,
                         style.colour ? "ansi256" : "mono");
    case FigureFormat::kSvg:
      return fmt::format(
          "set terminal svg size {:.0f},{:.0f} dynamic mouse jsdir '' noenhanced background rgb "
          "'{}' font 'sans-serif,{:.0f}'\nset pointsize 0.55\n",
          layout.width, layout.height, background, kFont);
    case FigureFormat::kPdf: {
      constexpr double kPointsOfPixel = 0.52;  // 900 pixels are 6.5 inches, the width of a page.
      return fmt::format(
          "set terminal pdfcairo size {:.3f}in,{:.3f}in noenhanced font 'sans,{:.2f}' linewidth "
          "0.7 fontscale 0.75 background rgb '{}'\nset pointsize 0.35\n",
          layout.width * kPointsOfPixel / 72, layout.height * kPointsOfPixel / 72,
          kFont * kPointsOfPixel, background);
    }
    case FigureFormat::kPng:
      return fmt::format(
          "set terminal pngcairo size {:.0f},{:.0f} noenhanced font 'sans,{:.0f}' linewidth 2 "
          "pointscale 1.7 background rgb '{}'\n",
          2 * layout.width, 2 * layout.height, 1.5 * kFont, background);
    case FigureFormat::kGnuplot:
      break;
  }
  return "# gnuplot -p FILE draws this figure.\n";
}

std::string coloured(std::string_view colour) { return fmt::format("textcolor rgb '{}'", colour); }

void set_look(Gnuplot& gnuplot, const Theme& theme) {
  gnuplot << "set encoding utf8\n"
          << "unset key\nset clip two\n"
          << fmt::format("set border 3 lc rgb '{}' lw 1\n", theme.axis)
          << fmt::format("set grid lc rgb '{}' lt 1 lw 0.7\n", theme.grid)
          << "set tics nomirror out scale 0.5 " << coloured(theme.text) << "\n";
}

/// A place of the canvas, as a share of it.
std::string at_screen(const Layout& layout, double x, double y) {
  return fmt::format("screen {:.6f}, screen {:.6f}", x / layout.width, y / layout.height);
}

/// A place of a panel, as a share of it.
std::string at_graph(double x, double y) { return fmt::format("graph {:.5f}, graph {:.5f}", x, y); }

/// A label whose text begins at that place.
void set_label(Gnuplot& gnuplot, std::string_view text, const std::string& place,
               std::string_view colour) {
  gnuplot << fmt::format("set label {} at {} left noenhanced {}\n", gnuplot_text(text), place,
                         coloured(colour));
}

/// gnuplot's SVG takes lines for too tall: what stands below an axis would leave the canvas.
constexpr std::string_view kSvgTickOffset = " offset 0, 0.4";
constexpr std::string_view kSvgLabelOffset = " offset 0, 1.1";

void set_panel(Gnuplot& gnuplot, const FigurePanel& panel, const PanelRanges& ranges,
               const Theme& theme, TickRoom x_room, FigureFormat format) {
  const auto set_axis = [&](char name, const Axis& axis, Range range, TickRoom room) {
    gnuplot << fmt::format("{} logscale {}\n", is_logarithmic(axis) ? "set" : "unset", name)
            << fmt::format("set {}range [{:.17g}:{:.17g}]\n", name, range.least, range.greatest)
            << fmt::format("set {}tics {} noenhanced\n", name, ticks_text(axis, range, room))
            << fmt::format("set {}label {} noenhanced {}\n", name, gnuplot_text(axis.label),
                           coloured(theme.text));
  };
  set_axis('x', panel.x, ranges.x, x_room);
  set_axis('y', panel.y, ranges.y, {panel.y.scale == AxisScale::kLogarithmic ? 12 : 7});
  if (format != FigureFormat::kSvg) return;
  gnuplot << "set xtics" << kSvgTickOffset << "\nset xlabel" << kSvgLabelOffset << "\n";
}

/// Long names of categories are turned, so that they do not overlap.
bool needs_turned_ticks(const FigurePanel& panel, const Box& box) {
  if (panel.x.scale != AxisScale::kCategories) return false;
  double width = 0;
  for (const std::string& name : panel.x.categories) width += text_width(name) + 2 * kGlyph;
  return width > box.right - box.left;
}

void place_panel(Gnuplot& gnuplot, const FigurePanel& panel, const Layout& layout, const Box& box,
                 const Theme& theme) {
  gnuplot << fmt::format("set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\n",
                         box.left / layout.width, box.right / layout.width)
          << fmt::format("set bmargin at screen {:.6f}\nset tmargin at screen {:.6f}\n",
                         box.bottom / layout.height, box.top / layout.height)
          << "unset label\nunset arrow\n";
  if (needs_turned_ticks(panel, box)) gnuplot << "set xtics rotate by -25 left\n";
  if (panel.title.empty()) return;
  const std::vector<std::string> lines =
      broken_lines(panel.title, title_columns(box), layout.title_lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double above = 14 + kLine * static_cast<double>(lines.size() - 1 - i);
    set_label(gnuplot, lines[i], at_screen(layout, box.left, box.top + above), theme.text);
  }
}

/// Where the label of a series goes: beside the last of its curve, or of its points.
struct LabelPlace {
  std::size_t series;
  double x;      ///< Of the end of the curve, as a share of the panel.
  double y;      ///< The same.
  double label;  ///< Height of the label.
};

std::vector<LabelPlace> label_places(const FigurePanel& panel, const PanelRanges& ranges) {
  std::vector<LabelPlace> places;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const FigureSeries& series = panel.series[i];
    double last_x = -std::numeric_limits<double>::infinity();
    LabelPlace place{i, 0, 0, 0};
    const auto look_at = [&](const std::vector<double>& x, const std::vector<double>& y) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (!is_shown(panel.x, x[k]) || !is_shown(panel.y, y[k]) || x[k] < last_x) continue;
        last_x = x[k];
        place.x = std::clamp(place_on(panel.x, ranges.x, x[k]), 0.0, 1.0);
        place.y = std::clamp(place_on(panel.y, ranges.y, y[k]), 0.0, 1.0);
      }
    };
    look_at(series.points.x, series.points.y);
    for (const FigureCurve& curve : series.curves) look_at(curve.x, curve.y);
    place.label = place.y;
    if (std::isfinite(last_x) && !series.label.empty()) places.push_back(place);
  }
  return places;
}

/// Moves labels apart, as little as needed, and keeps them inside the panel.
void spread(std::vector<LabelPlace>& places, double gap) {
  std::stable_sort(places.begin(), places.end(),
                   [](const LabelPlace& a, const LabelPlace& b) { return a.label < b.label; });
  for (int round = 0; round < 100; ++round) {
    for (std::size_t i = 1; i < places.size(); ++i) {
      const double missing = gap - (places[i].label - places[i - 1].label);
      if (missing <= 0) continue;
      places[i - 1].label -= missing / 2;
      places[i].label += missing / 2;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double below = gap * static_cast<double>(i);
      const double above = gap * static_cast<double>(places.size() - 1 - i);
      places[i].label = std::clamp(places[i].label, below, std::max(below, 1 - above));
    }
  }
}

/// Labels at the ends of curves, with a thin line to those that had to move.
void write_labels_besides(Gnuplot& gnuplot, const Figure& figure, const Layout& layout,
                          const PanelRanges& ranges, const Theme& theme) {
  const FigurePanel& panel = figure.panels.front();
  const Box& box = layout.panels.front();
  std::vector<LabelPlace> places = label_places(panel, ranges);
  const double height = box.top - box.bottom;
  const double width = box.right - box.left;
  spread(places, kLine / height);
  const double text_at = 1 + 2 * kGlyph / width;
  for (const LabelPlace& place : places) {
    const FigureSeries& series = panel.series[place.series];
    const std::string_view colour = colour_of(theme, series.style);
    set_label(gnuplot, shortened(series.label, layout.label_columns),
              at_graph(text_at, place.label), colour);
    gnuplot << fmt::format("set arrow from {} to {} nohead lw 0.6 lc rgb '{}'\n",
                           at_graph(std::min(place.x + 0.6 * kGlyph / width, 1.0), place.y),
                           at_graph(text_at - 0.5 * kGlyph / width, place.label), colour);
  }
  if (figure.legend.empty() || places.empty()) return;
  const double above = std::max(1.0, places.back().label + kLine / height);
  set_label(gnuplot, shortened(figure.legend, layout.label_columns), at_graph(text_at, above),
            theme.axis);
}

/// The legend of all panels, below them.
void write_legend_below(Gnuplot& gnuplot, const Figure& figure, const Layout& layout,
                        const Theme& theme, FigureFormat format) {
  if (layout.besides || layout.legend.empty()) return;
  const double entry = (layout.width - 40) / static_cast<double>(layout.legend_columns);
  double y = legend_height(layout) - 0.6 * kLine;
  if (!figure.legend.empty()) {
    set_label(gnuplot, shortened(figure.legend, layout.label_columns), at_screen(layout, 30, y),
              theme.axis);
  }
  y -= kLegendGap * kLine;
  for (std::size_t i = 0; i < layout.legend.size(); ++i) {
    const std::size_t column = i % layout.legend_columns;
    if (column == 0) y -= kLine;
    const double x = 40 + entry * static_cast<double>(column);
    const std::string_view colour = colour_of(theme, layout.legend[i].style);
    gnuplot << fmt::format(
        "set label {} at {} left noenhanced point pt {} ps 1 lc rgb '{}' offset 1.2, {} {}\n",
        gnuplot_text(shortened(layout.legend[i].label, layout.label_columns)),
        at_screen(layout, x, y), mark_of(layout.legend[i].style), colour,
        // gnuplot sets text beside a mark too high, and more so where it takes lines for taller.
        format == FigureFormat::kSvg ? -0.24 : -0.18, coloured(theme.text));
  }
}

void write_title(Gnuplot& gnuplot, const Figure& figure, const Layout& layout, const Theme& theme) {
  if (figure.title.empty()) return;
  set_label(gnuplot, shortened(figure.title, 100),
            at_screen(layout, 30, layout.height - 1.2 * kLine), theme.text);
}

using Pairs = std::vector<std::pair<double, double>>;
using Triples = std::vector<std::tuple<double, double, double>>;
using Quadruples = std::vector<std::tuple<double, double, double, double>>;
using Notes = std::vector<std::tuple<double, double, std::string>>;

/// What is drawn in a panel: parts of one plot command, and the data of each.
class Plot {
 public:
  Plot(const FigurePanel& panel, const PanelRanges& ranges, const Theme& theme)
      : panel_(panel), ranges_(ranges), theme_(theme) {}

  void add_bands() {
    for (const FigureSeries& series : panel_.series) {
      for (std::size_t nested = 0; nested < series.bands.size(); ++nested) {
        const double opacity = nested == 0 ? 0.16 : 0.34;  // A band inside another stands out.
        add(fmt::format("with filledcurves fs transparent solid {} noborder {}", opacity,
                        colour_of(series)),
            rows_of(series.bands[nested]));
      }
    }
  }
  void add_references(const std::string& look) {
    for (const FigureReference& reference : panel_.references) {
      add("with " + look, pairs(reference.x, reference.y));
    }
  }
  void add_curves() {
    for (const FigureSeries& series : panel_.series) {
      for (const FigureCurve& curve : series.curves) {
        add(fmt::format("with lines lw 2 {}{}", curve.dashed ? "dt 2 " : "", colour_of(series)),
            pairs(curve.x, curve.y));
      }
      if (!series.connected) continue;
      add("with lines lw 1.2 " + colour_of(series), pairs(series.points.x, series.points.y));
    }
  }
  void add_points(bool with_notes) {
    for (const FigureSeries& series : panel_.series) {
      const std::string look =
          fmt::format("pt {} ps 1 {}", mark_of(series.style), colour_of(series));
      add("with yerrorbars lw 1.2 ps 0 " + colour_of(series), bars_of(series.points));
      add("with points " + look, pairs(series.points.x, series.points.y));
      if (with_notes) add("with labels hypertext point " + look, notes_of(series.points));
    }
  }
  /// In a terminal a curve is a row of dots and a point a letter: what gnuplot chooses for several
  /// lines cannot be told apart there.
  void add_letters() {
    for (const FigureSeries& series : panel_.series) {
      for (const FigureCurve& curve : series.curves) {
        add("with points pt '.' " + colour_of(series), pairs(curve.x, curve.y));
      }
    }
    for (std::size_t i = 0; i < panel_.series.size(); ++i) {
      const FigureSeries& series = panel_.series[i];
      add(fmt::format("with points pt '{}' {}", letter_of(i), colour_of(series)),
          pairs(series.points.x, series.points.y));
    }
  }
  void send(Gnuplot& gnuplot) const {
    gnuplot << "plot " << (parts_.empty() ? "NaN notitle" : joined(parts_, ", \\\n     ")) << "\n";
    for (const auto& send_rows : data_) send_rows(gnuplot);
  }

 private:
  template <class Rows>
  void add(const std::string& part, Rows rows) {
    if (rows.empty()) return;
    parts_.push_back("'-' " + part + " notitle");
    data_.emplace_back([rows = std::move(rows)](Gnuplot& gnuplot) { gnuplot.send1d(rows); });
  }
  bool shows(double x, double y) const { return is_shown(panel_.x, x) && is_shown(panel_.y, y); }
  std::string colour_of(const FigureSeries& series) const {
    return fmt::format("lc rgb '{}'", scalelaw::colour_of(theme_, series.style));
  }
  /// Ends of a band or bar that the axis cannot show are drawn at its own end.
  double shown_end(double y, double otherwise) const {
    return is_shown(panel_.y, y) ? std::clamp(y, ranges_.y.least, ranges_.y.greatest) : otherwise;
  }

  Pairs pairs(const std::vector<double>& x, const std::vector<double>& y) const {
    Pairs rows;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (shows(x[i], y[i])) rows.emplace_back(x[i], y[i]);
    }
    return rows;
  }
  Triples rows_of(const FigureBand& band) const {
    Triples rows;
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      if (!is_shown(panel_.x, band.x[i])) continue;
      rows.emplace_back(band.x[i], shown_end(band.lower[i], ranges_.y.least),
                        shown_end(band.upper[i], ranges_.y.greatest));
    }
    return rows;
  }
  Quadruples bars_of(const FigurePoints& points) const {
    Quadruples rows;
    for (std::size_t i = 0; i < points.lower.size(); ++i) {
      if (!shows(points.x[i], points.y[i])) continue;
      if (std::isnan(points.lower[i]) || std::isnan(points.upper[i])) continue;
      rows.emplace_back(points.x[i], points.y[i], shown_end(points.lower[i], ranges_.y.least),
                        shown_end(points.upper[i], ranges_.y.greatest));
    }
    return rows;
  }
  Notes notes_of(const FigurePoints& points) const {
    Notes rows;
    for (std::size_t i = 0; i < points.notes.size(); ++i) {
      if (!shows(points.x[i], points.y[i]) || points.notes[i].empty()) continue;
      // Only "note 12" (plain_svg): no text of the study gets into gnuplot's calls of a script.
      rows.emplace_back(points.x[i], points.y[i], fmt::format("\"{}\"", points.notes[i]));
    }
    return rows;
  }

  const FigurePanel& panel_;
  const PanelRanges& ranges_;
  const Theme& theme_;
  std::vector<std::string> parts_;
  std::vector<std::function<void(Gnuplot&)>> data_;
};

void label_references(Gnuplot& gnuplot, const FigurePanel& panel, const PanelRanges& ranges,
                      const Theme& theme) {
  for (const FigureReference& reference : panel.references) {
    if (reference.label.empty() || reference.x.empty()) continue;
    std::size_t last = reference.x.size();
    const auto is_inside = [&](double x, double y) {
      return is_shown(panel.x, x) && is_shown(panel.y, y) && x <= ranges.x.greatest &&
             y <= ranges.y.greatest && y >= ranges.y.least;
    };
    while (last > 0 && !is_inside(reference.x[last - 1], reference.y[last - 1])) --last;
    if (last == 0) continue;
    gnuplot << fmt::format(
        "set label {} at first {:.17g}, first {:.17g} right noenhanced offset -0.4, 0.6 {}\n",
        gnuplot_text(reference.label), reference.x[last - 1], reference.y[last - 1],
        coloured(theme.reference));
  }
}

void write_panels(Gnuplot& gnuplot, const Figure& figure, const Layout& layout, FigureFormat format,
                  const Theme& theme) {
  gnuplot << "set multiplot\n";
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const FigurePanel& panel = figure.panels[i];
    const PanelRanges ranges = ranges_of(panel);
    const Box& box = layout.panels[i];
    gnuplot << "set xtics norotate\n";
    const double width = box.right - box.left;
    const TickRoom room{static_cast<int>(width / 52), width / kGlyph};
    set_panel(gnuplot, panel, ranges, theme, room, format);
    place_panel(gnuplot, panel, layout, box, theme);
    if (layout.besides) write_labels_besides(gnuplot, figure, layout, ranges, theme);
    label_references(gnuplot, panel, ranges, theme);
    if (i == 0) {
      write_title(gnuplot, figure, layout, theme);
      write_legend_below(gnuplot, figure, layout, theme, format);
    }
    Plot plot(panel, ranges, theme);
    plot.add_bands();
    plot.add_references(fmt::format("lines dt 3 lw 1.2 lc rgb '{}'", theme.reference));
    plot.add_curves();
    plot.add_points(format == FigureFormat::kSvg);
    plot.send(gnuplot);
  }
  gnuplot << "unset multiplot\n";
}

void write_terminal_panel(Gnuplot& gnuplot, const FigurePanel& panel, const Theme& theme,
                          int columns) {
  constexpr int kMargins = 14;  // Columns left and right of the axes, at most.
  const PanelRanges ranges = ranges_of(panel);
  gnuplot << "set encoding utf8\nunset key\n";
  const TickRoom room{12, static_cast<double>(columns - kMargins)};
  set_panel(gnuplot, panel, ranges, theme, room, FigureFormat::kTerminal);
  Plot plot(panel, ranges, theme);
  plot.add_references("points pt '-'");
  plot.add_letters();
  plot.send(gnuplot);
}

/// Writes a script through a second handle of its file: Gnuplot closes its own.
template <class Write>
File script_by(Write write) {
  File script = temporary_file();
  Gnuplot gnuplot(second_handle(script.get()));
  write(gnuplot);
  if (!gnuplot.flush()) throw DataError("cannot write the script for gnuplot");
  return script;
}

File script_of(const Figure& figure, FigureFormat format, const FigureStyle& style) {
  const Layout layout = layout_of(figure);
  const Theme& theme = theme_of(style.theme);
  return script_by([&](Gnuplot& gnuplot) {
    gnuplot << terminal_of(format, style, layout);
    set_look(gnuplot, theme);
    write_panels(gnuplot, figure, layout, format, theme);
  });
}

/// Removes gnuplot's form feed, empty lines around the drawing, and blanks at the end of lines.
std::string without_margins(const std::string& drawing) {
  std::string out;
  std::size_t empty_lines = 0;
  for (std::size_t begin = 0; begin < drawing.size();) {
    const std::size_t end = std::min(drawing.find('\n', begin), drawing.size());
    const std::string_view line = std::string_view(drawing).substr(begin, end - begin);
    const std::size_t length = line.find_last_not_of(" \f") + 1;  // npos + 1 is 0.
    begin = end + 1;
    if (length == 0) {
      ++empty_lines;
      continue;
    }
    if (!out.empty()) out.append(empty_lines, '\n');
    empty_lines = 0;
    out += line.substr(line.find_first_not_of('\f'), length);
    out += '\n';
  }
  return out;
}

/// Terminals that know only ASCII show our own signs, too; names of groups stay as they are.
std::string with_plain_signs(std::string text) {
  for (const auto& [sign, plain] : {std::pair("\u00b1", "+-"), std::pair("\u0394", "delta")}) {
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign)) {
      text.replace(at, std::string_view(sign).size(), plain);
    }
  }
  return text;
}

std::string terminal_legend(const Figure& figure, const FigurePanel& panel) {
  std::string out;
  if (!figure.legend.empty()) {
    out += fmt::format("     {}\n", with_plain_signs(printable(figure.legend)));
  }
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    if (panel.series[i].label.empty()) continue;
    out +=
        fmt::format("  {}  {}\n", letter_of(i), with_plain_signs(printable(panel.series[i].label)));
  }
  return out;
}

std::string in_terminal(const Figure& figure, const FigureStyle& style) {
  std::string out;
  if (!figure.title.empty()) out += printable(figure.title) + "\n";
  for (const FigurePanel& panel : figure.panels) {
    const File script = script_by([&](Gnuplot& gnuplot) {
      gnuplot << terminal_of(FigureFormat::kTerminal, style, {});
      write_terminal_panel(gnuplot, panel, theme_of(style.theme), style.columns);
    });
    if (!out.empty()) out += "\n";
    if (!panel.title.empty()) out += fmt::format("  {}\n", printable(panel.title));
    // gnuplot leaves out the label of the second axis, which it would have to write upwards.
    out += fmt::format("  {}\n{}\n{}", printable(panel.y.label),
                       without_margins(drawn(script.get())), terminal_legend(figure, panel));
  }
  return out;
}

}  // namespace

std::string render_figure(const Figure& figure, FigureFormat format, const FigureStyle& style) {
  if (format == FigureFormat::kTerminal) return in_terminal(figure, style);
  if (format == FigureFormat::kSvg) {
    const NumberedNotes numbered = numbered_notes(figure);
    return plain_svg(drawn(script_of(numbered.figure, format, style).get(), "<?xml"),
                     numbered.notes);
  }
  const File script = script_of(figure, format, style);
  if (format == FigureFormat::kGnuplot) return contents(script.get());
  refuse_what_no_font_has(contents(script.get()));
  return drawn(script.get(), format == FigureFormat::kPdf ? "%PDF" : "\x89PNG");
}

}  // namespace scalelaw
