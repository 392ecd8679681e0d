// Everything that is placed by hand (panels, labels beside curves, legend, key) is laid out here in
// pixels, because gnuplot's own layout lets long labels overlap.

#include "render/gnuplot/layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "render/figure_axes.hpp"
#include "render/gnuplot/run.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostBesides = 8;  // More labels stand in a legend below,
constexpr double kWidestBesides = 0.45;  // as do those that take more of the width.
constexpr std::size_t kTitleLines = 2;   // Of a panel.
constexpr double kRightMargin = 22;
constexpr double kLeftOfKey = 30;

std::size_t columns_for(std::size_t panels) {
  if (panels == 1) return 1;
  if (panels == 2 || panels == 4) return 2;
  return panels <= 9 ? 3 : 4;
}

std::vector<LegendEntry> legend_of(const Figure& figure) {
  std::vector<LegendEntry> legend;
  for (const FigurePanel& panel : figure.panels) {
    for (const FigureSeries& series : panel.series) {
      const bool known = std::ranges::any_of(legend, [&](const LegendEntry& entry) {
        return entry.label == series.label && entry.style == series.style;
      });
      if (series.label.empty() || known) continue;
      legend.push_back(legend_entry(series));
    }
  }
  // Rings around points come last, whichever panel has them first.
  std::stable_partition(legend.begin(), legend.end(),
                        [](const LegendEntry& entry) { return !entry.open; });
  return legend;
}

double widest(const std::vector<LegendEntry>& legend) {
  double width = 0;
  for (const LegendEntry& entry : legend) width = std::max(width, text_width(entry.label));
  return width;
}

/// The greatest height of the bands of a label, as a share of their panels.
double height_of_bands(const Figure& figure, const std::string& label) {
  double height = 0;
  for (const FigurePanel& panel : figure.panels) {
    const Range range = ranges_of(panel).y;
    for (const FigureSeries& series : panel.series) {
      for (const FigureBand& band : series.bands) {
        if (band.label != label) continue;
        for (std::size_t i = 0; i < band.x.size(); ++i) {
          if (!is_shown(panel.y, band.lower[i]) || !is_shown(panel.y, band.upper[i])) continue;
          height = std::fmax(height, place_on(panel.y, range, band.upper[i]) -
                                         place_on(panel.y, range, band.lower[i]));
        }
      }
    }
  }
  return height;
}

/// A band that its own line hides is no reason to search for it.
std::string band_label(const Figure& figure, const std::string& label) {
  constexpr double kThin = 0.015;  // Of panels of 200 pixels and more; lines have 2.
  return label.empty() || height_of_bands(figure, label) > kThin
             ? label
             : label + ": hardly wider than the line";
}

/// What the figure's points, lines and bands are, each once.
std::vector<KeyEntry> key_of(const Figure& figure) {
  using Kind = KeyEntry::Kind;
  std::vector<KeyEntry> key;
  std::size_t style = 0;
  bool open = false;
  const auto add = [&](Kind kind, const std::string& label) {
    const bool known = std::ranges::any_of(
        key, [&](const KeyEntry& entry) { return entry.kind == kind && entry.label == label; });
    if (!label.empty() && !known)
      key.push_back({.kind = kind, .label = label, .style = style, .open = open});
  };
  for (const FigurePanel& panel : figure.panels) {
    for (const FigureSeries& series : panel.series) {
      style = series.style;
      open = series.open;
      add(Kind::kPoints, series.points.label);
      add(Kind::kBars, series.points.bars);
      for (const FigureCurve& curve : series.curves) {
        add(curve.dashed ? Kind::kDashes : Kind::kSolid, curve.label);
      }
      for (std::size_t i = 0; i < series.bands.size(); ++i) {
        add(i == 0 ? Kind::kBand : Kind::kInnerBand, band_label(figure, series.bands[i].label));
      }
    }
  }
  return key;
}

/// Puts the entries into rows, from left to right. Returns the number of rows.
std::size_t place_key(std::vector<KeyEntry>& key, double width) {
  constexpr double kGap = 2.5 * kGlyph;
  double x = kLeftOfKey;
  std::size_t row = 0;
  for (KeyEntry& entry : key) {
    const double entry_width = 1.3 * kSwatch + text_width(entry.label);
    if (x > kLeftOfKey && x + entry_width > width - kLeftOfKey / 2) {
      x = kLeftOfKey;
      ++row;
    }
    entry.x = x;
    entry.row = row;
    x += entry_width + kGap;
  }
  return key.empty() ? 0 : row + 1;
}

/// Pixels below the panels that the legend takes.
double legend_height(const Layout& layout) {
  if (layout.legend.empty() || layout.besides) return 0;
  const std::size_t rows = (layout.legend.size() - 1) / layout.legend_columns + 1;
  return kLine * (static_cast<double>(rows) + 1.2 + kLegendGap);
}

/// Room left of a panel for its ticks and label.
double left_margin(const FigurePanel& panel, double cell_width) {
  if (panel.y.scale != AxisScale::kCategories) return std::min(92.0, 0.3 * cell_width);
  double width = 0;
  for (const std::string& name : panel.y.categories) width = std::max(width, text_width(name));
  return std::min(width + 50, 0.5 * cell_width);
}

std::size_t title_lines(const Figure& figure, double cell_width) {
  std::size_t lines = 0;
  for (const FigurePanel& panel : figure.panels) {
    if (panel.title.empty()) continue;
    const PanelBox box{left_margin(panel, cell_width), cell_width - kRightMargin, 0, 0};
    lines = std::max(lines, broken_lines(panel.title, title_columns(box), kTitleLines).size());
  }
  return lines;
}

/// Room right of the panel for labels beside it; too long ones make all stand below.
double place_labels(const Figure& figure, Layout& layout) {
  layout.legend = legend_of(figure);
  if (layout.legend.size() == 1) layout.legend.clear();  // One label tells nothing apart.
  const double label_width = std::max(widest(layout.legend) + kSwatch, text_width(figure.legend));
  layout.besides = figure.panels.size() == 1 && layout.legend.size() <= kMostBesides &&
                   layout.legend.size() > 1 && label_width <= kWidestBesides * layout.width &&
                   figure.panels.front().x.scale != AxisScale::kCategories;
  const double room = layout.width - 40;
  const double entry = std::min(widest(layout.legend) + 5 * kGlyph, room);
  layout.legend_columns = static_cast<std::size_t>(std::max(1.0, room / entry));
  layout.label_columns = static_cast<std::size_t>(
      (layout.besides ? label_width - kSwatch : room - 5 * kGlyph) / kGlyph + 0.5);
  return layout.besides ? label_width + 2.5 * kGlyph : 0;
}

/// Heights that all panels share.
struct Heights {
  double above;  ///< A panel, for its title,
  double cell;   ///< of a panel with its title and its axis.
};

/// Places the panels in rows, the first at the top.
void place_panels(const Figure& figure, std::size_t columns, double top_of_all, Heights heights,
                  double label_width, Layout& layout) {
  const double cell_width = layout.width / static_cast<double>(columns);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const auto column = static_cast<double>(i % columns);
    const auto row = static_cast<double>(i / columns);
    const double top = top_of_all - row * heights.cell;
    layout.panels.push_back({column * cell_width + left_margin(figure.panels[i], cell_width),
                             (column + 1) * cell_width - kRightMargin - label_width,
                             top - heights.cell + 62, top - heights.above});
  }
}

/// Of a row of panels with their titles and axes.
double height_of_row(std::size_t columns, bool is_only, const FigureStyle& style) {
  if (!style.compact) return is_only ? 500 : 360;
  if (!is_only) return 320;
  return columns == 1 ? 420 : 360;
}

}  // namespace

LegendEntry legend_entry(const FigureSeries& series) {
  const bool has_line = series.stepped || (series.points.x.size() < 2 && !series.curves.empty());
  const bool has_mark = !series.stepped && !series.points.x.empty();
  return {series.label, series.style, series.pattern, has_line, has_mark || !has_line, series.open};
}

double text_width(std::string_view text) {
  return kGlyph * static_cast<double>(display_width(printable(text)));
}

std::size_t title_columns(const PanelBox& box) {
  return static_cast<std::size_t>(std::max(kGlyph, box.right - box.left) / kGlyph);
}

Layout layout_of(const Figure& figure, const FigureStyle& style) {
  Layout layout;
  const std::size_t columns = columns_for(figure.panels.size());
  const auto rows = static_cast<double>((figure.panels.size() - 1) / columns + 1);
  constexpr std::array kWidths{900.0, 1040.0, 1260.0, 1480.0};
  constexpr std::array kCompactWidths{760.0, 760.0, 1260.0, 1480.0};
  const double as_needed = (style.compact ? kCompactWidths : kWidths)[columns - 1];
  layout.width = style.size ? style.size->first : as_needed;
  const double label_width = place_labels(figure, layout);
  const double title = figure.title.empty() ? 0 : 1.8 * kLine;
  layout.key = key_of(figure);
  const auto key_rows = static_cast<double>(place_key(layout.key, layout.width));
  const double note = figure.note.empty() ? 0 : 1.2 * kLine;
  const double key = key_rows > 0 ? (key_rows + 0.3) * kLine : 0;
  const double legend = legend_height(layout);
  const double below = legend + key + note;
  layout.title_lines = title_lines(figure, layout.width / static_cast<double>(columns));
  Heights heights{20.0 + (layout.title_lines == 0 ? 0 : 18) + (layout.title_lines > 1 ? kLine : 0),
                  height_of_row(columns, rows == 1, style) + (layout.title_lines > 1 ? kLine : 0)};
  if (style.size) {
    constexpr double kLowest = 140;  // Of a panel with its axis: less shows nothing.
    heights.cell = std::max(kLowest, (style.size->second - title - below) / rows);
  }
  layout.height = title + below + rows * heights.cell;
  layout.legend_top = below;
  layout.key_top = note + key - 0.5 * kLine;
  layout.note_top = note - 0.5 * kLine;
  place_panels(figure, columns, layout.height - title, heights, label_width, layout);
  return layout;
}

}  // namespace scalelaw
