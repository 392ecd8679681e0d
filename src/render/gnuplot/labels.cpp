#include "render/gnuplot/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "render/figure_words.hpp"
#include "render/gnuplot/run.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// A place of the canvas, as a share of it.
std::string at_screen(const Layout& layout, double x, double y) {
  return fmt::format("screen {:.6f}, screen {:.6f}", x / layout.width, y / layout.height);
}

/// A place of a panel, as a share of it.
std::string at_graph(double x, double y) { return fmt::format("graph {:.5f}, graph {:.5f}", x, y); }

/// A label whose text begins or ends at that place.
void set_label(const Pen& pen, std::string_view text, const std::string& place,
               std::string_view colour, std::string_view side = "left") {
  pen.script << fmt::format("set label {} at {} {} noenhanced front {}\n", gnuplot_text(text),
                            place, side, coloured(colour));
}

/// `text`, with something left out of its middle if it is too long: names often differ at the end.
std::string fitting(const Pen& pen, std::string_view text) {
  return middle_shortened(printable(text), pen.layout.label_columns);
}

/// The same of the title of a legend, which has no swatch before it.
std::string fitting_title(const Pen& pen, std::string_view text) {
  return middle_shortened(
      printable(text), pen.layout.label_columns + static_cast<std::size_t>(kSwatch / kGlyph) + 1);
}

/// The lengths of a pattern such as "(8,5)": a dash, a gap, and so on. Empty for a solid line.
std::vector<double> lengths_of(std::string_view dashes) {
  std::vector<double> lengths;
  if (!dashes.starts_with('(')) return lengths;
  for (const std::string& length : split(dashes.substr(1, dashes.size() - 2), ',')) {
    lengths.push_back(parse_number(length).value_or(1));
  }
  return lengths;
}

/// A level line of the legend or the key. gnuplot's SVG knows no dashed arrows, so that each dash
/// is an arrow there.
void set_line(const Pen& pen, double x, double end, double y, std::string_view dashes,
              std::string_view colour) {
  const auto set = [&](double from, double to, std::string_view type) {
    pen.script << fmt::format("set arrow from {} to {} nohead lw 2 dt {} lc rgb '{}'\n",
                              at_screen(pen.layout, from, y), at_screen(pen.layout, to, y), type,
                              colour);
  };
  const std::vector<double> lengths = lengths_of(dashes);
  if (pen.format != FigureFormat::kSvg || lengths.empty()) return set(x, end, dashes);
  for (std::size_t i = 0; x < end; x += lengths[i], i = (i + 1) % lengths.size()) {
    if (i % 2 == 0) set(x, std::min(x + lengths[i], end), "1");
  }
}

/// A mark, a line or both, left of a label.
void set_swatch(const Pen& pen, const LegendEntry& entry, double x, double y) {
  const std::string_view colour = series_colour(pen.theme, entry.style);
  if (entry.has_line) {
    set_line(pen, x, x + 0.8 * kSwatch, y, dashes_of(entry.pattern), colour);
  }
  if (!entry.has_mark) return;
  pen.script << fmt::format("set label \"\" at {} point pt {} ps {:.3g} lc rgb '{}'\n",
                            at_screen(pen.layout, x + (entry.has_line ? 0.4 : 0.5) * kSwatch, y),
                            entry.open ? 6 : mark_of(entry.style),
                            point_size(pen.format, entry.open ? kRing : 1), colour);
}

/// Where the label of a series goes: beside the end of its first curve that goes farthest, or of
/// its points.
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
        if (!is_shown(panel.x, x[k]) || !is_shown(panel.y, y[k]) || x[k] <= last_x) continue;
        last_x = x[k];
        place.x = std::clamp(place_on(panel.x, ranges.x, x[k]), 0.0, 1.0);
        place.y = std::clamp(place_on(panel.y, ranges.y, y[k]), 0.0, 1.0);
      }
    };
    for (const FigureCurve& curve : series.curves) look_at(curve.x, curve.y);
    look_at(series.points.x, series.points.y);
    place.label = place.y;
    if (std::isfinite(last_x) && !series.label.empty()) places.push_back(place);
  }
  return places;
}

/// Moves labels apart, as little as needed, and keeps them inside the panel.
void spread(std::vector<LabelPlace>& places, double gap) {
  std::ranges::stable_sort(places, {}, &LabelPlace::label);
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
void write_labels_besides(const Pen& pen, const Figure& figure, const PanelRanges& ranges) {
  const FigurePanel& panel = figure.panels.front();
  const PanelBox& box = pen.layout.panels.front();
  std::vector<LabelPlace> places = label_places(panel, ranges);
  const double height = box.top - box.bottom;
  const double width = box.right - box.left;
  spread(places, kLine / height);
  const double swatch_at = 1 + 1.2 * kGlyph / width;
  for (const LabelPlace& place : places) {
    const FigureSeries& series = panel.series[place.series];
    const std::string colour = series_colour(pen.theme, series);
    const double y = box.bottom + place.label * height;
    if (series.shade) {
      pen.script << fmt::format("set label \"\" at {} point pt 7 ps {:.3g} lc rgb '{}'\n",
                                at_screen(pen.layout, box.right + 1.2 * kGlyph + 0.5 * kSwatch, y),
                                point_size(pen.format), colour);
    } else {
      set_swatch(pen, legend_entry(series), box.right + 1.2 * kGlyph, y);
    }
    set_label(pen, fitting(pen, series.label),
              at_screen(pen.layout, box.right + 1.2 * kGlyph + kSwatch, y), pen.theme.text);
    pen.script << fmt::format("set arrow from {} to {} nohead lw 0.6 lc rgb '{}'\n",
                              at_graph(std::min(place.x + 0.6 * kGlyph / width, 1.0), place.y),
                              at_graph(swatch_at, place.label), colour);
  }
  if (figure.legend.empty() || places.empty()) return;
  const double above = std::max(1.0, places.back().label + kLine / height);
  set_label(pen, fitting_title(pen, figure.legend), at_graph(swatch_at, above), pen.theme.axis);
}

/// Labels in their own order, from the top of the panel down, without lines to the curves.
void write_ranked_labels(const Pen& pen, const Figure& figure) {
  const PanelBox& box = pen.layout.panels.front();
  const double x = box.right + 1.5 * kGlyph;
  double y = box.top - 0.5 * kLine;
  if (!figure.legend.empty()) {
    set_label(pen, fitting_title(pen, figure.legend), at_screen(pen.layout, x, y), pen.theme.axis);
    y -= (1 + kLegendGap) * kLine;
  }
  for (const LegendEntry& entry : pen.layout.legend) {
    set_swatch(pen, entry, x, y);
    set_label(pen, fitting(pen, entry.label), at_screen(pen.layout, x + kSwatch, y),
              pen.theme.text);
    y -= kLine;
  }
}

/// The legend of all panels, below them.
void write_legend_below(const Pen& pen, const Figure& figure, double top) {
  const Layout& layout = pen.layout;
  const double entry = (layout.width - 40) / static_cast<double>(layout.legend_columns);
  double y = top - 0.6 * kLine;
  if (!figure.legend.empty()) {
    set_label(pen, fitting_title(pen, figure.legend), at_screen(layout, 30, y), pen.theme.axis);
  }
  y -= kLegendGap * kLine;
  for (std::size_t i = 0; i < layout.legend.size(); ++i) {
    const std::size_t column = i % layout.legend_columns;
    if (column == 0) y -= kLine;
    const double x = 30 + entry * static_cast<double>(column);
    set_swatch(pen, layout.legend[i], x, y);
    set_label(pen, fitting(pen, layout.legend[i].label), at_screen(layout, x + kSwatch, y),
              pen.theme.text);
  }
}

/// The colour of the key: that of the series if all have one, else that of the axes.
std::string_view key_colour(const Figure& figure, const Theme& theme) {
  const FigureSeries* first = nullptr;
  for (const FigurePanel& panel : figure.panels) {
    for (const FigureSeries& series : panel.series) {
      if (first == nullptr) first = &series;
      if (series.style != first->style) return theme.axis;
    }
  }
  return first == nullptr ? theme.axis : series_colour(theme, first->style);
}

void write_key_entry(const Pen& pen, const KeyEntry& entry, std::string_view colour) {
  using Kind = KeyEntry::Kind;
  const Layout& layout = pen.layout;
  const double y = layout.key_top - kLine * static_cast<double>(entry.row);
  const double half = 0.32 * kLine;
  const double end = entry.x + kSwatch;
  const double centre = entry.x + kSwatch / 2;
  switch (entry.kind) {
    case Kind::kPoints:
      pen.script << fmt::format("set label \"\" at {} point pt {} ps {:.3g} lc rgb '{}'\n",
                                at_screen(layout, centre, y), entry.open ? 6 : mark_of(entry.style),
                                point_size(pen.format, entry.open ? kRing : 1), colour);
      break;
    case Kind::kBars:
      pen.script << fmt::format(
          "set arrow from {} to {} heads size screen {},90 lw 1.2 lc rgb '{}'\n",
          at_screen(layout, centre, y - half), at_screen(layout, centre, y + half), kBarEnd,
          colour);
      break;
    case Kind::kSolid:
    case Kind::kDashes:
      set_line(pen, entry.x, end, y, entry.kind == Kind::kDashes ? kBeyondDashes : "1", colour);
      break;
    case Kind::kBand:
    case Kind::kInnerBand:
      pen.script << fmt::format(
          "set object rectangle from {} to {} fillcolor rgb '{}' fillstyle transparent solid {} "
          "{}\n",
          at_screen(layout, entry.x, y - half), at_screen(layout, end, y + half), colour,
          entry.kind == Kind::kBand ? kBandOpacity : kInnerOpacity + kBandOpacity,
          entry.kind == Kind::kBand ? fmt::format("border lc rgb '{}'", colour) : "noborder");
  }
  set_label(pen, entry.label, at_screen(layout, entry.x + 1.3 * kSwatch, y), pen.theme.text);
}

void write_marks(const Pen& pen, const FigurePanel& panel, const PanelBox& box,
                 const PanelRanges& ranges) {
  for (const FigureMark& mark : panel.marks) {
    pen.script << fmt::format(
        "set arrow from first {0:.17g}, graph 0 to first {0:.17g}, graph 1 nohead dt 3 lw 1.2 lc "
        "rgb '{1}'\n",
        mark.x, pen.theme.axis);
    if (!mark.y) continue;
    pen.script << fmt::format(
        "set label \"\" at first {:.17g}, first {:.17g} point pt 6 ps {:.3g} lw 1.5 lc rgb '{}' "
        "front\n",
        mark.x, *mark.y, point_size(pen.format, kRing), pen.theme.text);
  }
  const double line = 0.9 * kLine / (box.top - box.bottom);
  for (const PlacedWords& words :
       place_words(panel, ranges, {kGlyph / (box.right - box.left), line})) {
    for (std::size_t i = 0; i < words.lines.size(); ++i) {
      set_label(pen, words.lines[i],
                at_graph(words.x, words.top - (static_cast<double>(i) + 0.5) * line),
                pen.theme.text, words.ends_at_x ? "right" : "left");
    }
    if (!words.leader) continue;
    pen.script << fmt::format("set arrow from {} to {} nohead lw 0.6 lc rgb '{}'\n",
                              at_graph(words.leader->from_x, words.leader->from_y),
                              at_graph(words.leader->to_x, words.leader->to_y), pen.theme.axis);
  }
}

void write_panel_title(const Pen& pen, const FigurePanel& panel, const PanelBox& box) {
  if (panel.title.empty()) return;
  const std::vector<std::string> lines =
      broken_lines(panel.title, title_columns(box), pen.layout.title_lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double above = 14 + kLine * static_cast<double>(lines.size() - 1 - i);
    set_label(pen, lines[i], at_screen(pen.layout, box.left, box.top + above), pen.theme.text);
  }
}

}  // namespace

std::string coloured(std::string_view colour) { return fmt::format("textcolor rgb '{}'", colour); }

void write_words(const Pen& pen, const Figure& figure, std::size_t panel,
                 const PanelRanges& ranges) {
  const PanelBox& box = pen.layout.panels[panel];
  write_panel_title(pen, figure.panels[panel], box);
  write_marks(pen, figure.panels[panel], box, ranges);
  if (pen.layout.besides && !figure.ranked) write_labels_besides(pen, figure, ranges);
  if (pen.layout.besides && figure.ranked) write_ranked_labels(pen, figure);
}

void write_surroundings(const Pen& pen, const Figure& figure) {
  const Layout& layout = pen.layout;
  if (!figure.title.empty()) {
    const auto columns = static_cast<std::size_t>((layout.width - 60) / kGlyph);
    set_label(pen, middle_shortened(printable(figure.title), columns),
              at_screen(layout, 30, layout.height - 1.2 * kLine), pen.theme.text);
  }
  if (!layout.besides && !layout.legend.empty()) {
    write_legend_below(pen, figure, layout.legend_top);
  }
  const std::string_view colour = key_colour(figure, pen.theme);
  for (const KeyEntry& entry : layout.key) write_key_entry(pen, entry, colour);
  if (!figure.note.empty()) {
    set_label(pen, figure.note, at_screen(layout, 30, layout.note_top), pen.theme.axis);
  }
}

}  // namespace scalelaw
