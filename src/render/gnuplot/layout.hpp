#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/render/figure.hpp"

namespace scalelaw {

constexpr double kFont = 15;              // Pixels of the layout.
constexpr double kGlyph = 0.56 * kFont;   // Mean width of a character.
constexpr double kLine = 1.35 * kFont;    // From one line of text to the next.
constexpr double kSwatch = 3.2 * kGlyph;  // Mark or line before a label, with the gap behind it.
constexpr double kLegendGap = 0.35;       // Lines between the title of the legend and its rows.

/// A rectangle of the canvas in pixels, y upwards.
struct PanelBox {
  double left;
  double right;
  double bottom;
  double top;
};

/// A label with what it is drawn by.
struct LegendEntry {
  std::string label;
  std::size_t style;
  std::size_t pattern;  ///< Of its line,
  bool has_line;        ///< which stands there if points are no more than its end,
  bool has_mark;        ///< as do these.
  bool open;            ///< Its points are rings.
};
LegendEntry legend_entry(const FigureSeries& series);

/// What a line, a band or a bar of any series is.
struct KeyEntry {
  enum class Kind { kPoints, kBars, kSolid, kDashes, kBand, kInnerBand };
  Kind kind;
  std::string label;
  std::size_t style;    ///< Of the first series that has it.
  bool open = false;    ///< Its points are rings.
  double x = 0;         ///< Where it begins, in pixels,
  std::size_t row = 0;  ///< and in which row.
};

struct Layout {
  double width = 900;
  double height = 580;
  std::vector<PanelBox> panels;   ///< Inside the axes.
  std::size_t title_lines = 0;    ///< Above the panels.
  bool besides = false;           ///< Labels stand beside the panel.
  std::size_t label_columns = 0;  ///< Characters that a label has room for.
  std::vector<LegendEntry> legend;
  std::size_t legend_columns = 1;
  std::vector<KeyEntry> key;
  double legend_top = 0;
  double key_top = 0;   ///< Centre of the key's first row,
  double note_top = 0;  ///< and of the note.
};

/// Pixels that a text takes, about.
double text_width(std::string_view text);

/// Characters of one line above a panel.
std::size_t title_columns(const PanelBox& box);

Layout layout_of(const Figure& figure, const FigureStyle& style);

}  // namespace scalelaw
