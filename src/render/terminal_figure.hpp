#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/render/figure.hpp"

namespace scalelaw {

/// A drawing of characters. Lines are Braille dots, two by four in each character; a terminal that
/// has ASCII alone shows a star where dots are.
class TerminalCanvas {
 public:
  static constexpr int kNoColour = -1;

  /// @param colours  Whether lines() has escape sequences for the colours of xterm.
  TerminalCanvas(std::size_t columns, std::size_t rows, bool braille, bool colours);

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return rows_; }

  /// A line between two places, as shares of the canvas with y upwards; what lies outside is left
  /// out. Of `period` dots only the first `on` are drawn; 0: all.
  void line(double x0, double y0, double x1, double y1, int colour, int on = 0, int period = 0);
  /// Begins the dashes of the next line anew.
  void lift() { drawn_dots_ = 0; }
  /// Shades every character of a column whose centre, or some part if the band is narrower, lies in
  /// between. `level` is 1 or 2; 2 is darker and lies over 1.
  void shade(std::size_t column, double lower, double upper, int level, int colour);
  /// A character at a place; it covers dots and shades.
  void mark(double x, double y, std::string_view character, int colour);
  /// A character where nothing else is.
  void hint(std::size_t column, std::size_t row, std::string_view character);
  /// Words that begin in a column; they cover everything.
  void write(std::size_t column, std::size_t row, std::string_view words);

  /// The rows from the top, each as wide as the canvas.
  std::vector<std::string> lines() const;

 private:
  struct Cell {
    unsigned dots = 0;  ///< Bits of the Braille pattern.
    int dot_colour = kNoColour;
    int level = 0;
    int shade_colour = kNoColour;
    std::string text = {};  ///< Covers the rest.
    int text_colour = kNoColour;
    bool covered = false;  ///< By the right half of a wide character.
  };

  void dot(double x, double y, int colour);
  Cell& at(std::size_t column, std::size_t row) { return cells_[row * columns_ + column]; }
  std::string_view shown(const Cell& cell, std::string& room) const;

  std::size_t columns_;
  std::size_t rows_;
  bool braille_;
  bool colours_;
  int drawn_dots_ = 0;
  std::vector<Cell> cells_;
};

/// A figure in the characters of a terminal: curves as Braille dots, bands as shades, and points as
/// the letters of the legend below. Panels stand side by side where the window is wide.
std::string terminal_figure(const Figure& figure, const FigureStyle& style);

}  // namespace scalelaw
