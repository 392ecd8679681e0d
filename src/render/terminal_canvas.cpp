#include "render/terminal_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/code_points.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr double kDotsAcross = 2;  // Of a character of Braille,
constexpr double kDotsDown = 4;

/// The bit of a dot in a character of Braille, by its row from the top and its column.
constexpr std::array<std::array<unsigned, 2>, 4> kDotBits{
    {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};

/// The Braille character U+2800 + bits.
std::string braille_text(unsigned bits) {
  return {static_cast<char>(0xE2), static_cast<char>(0xA0 + (bits >> 6)),
          static_cast<char>(0x80 + (bits & 0x3F))};
}

/// The number of a character that holds a share; the last one holds the end.
std::size_t place_of(double share, std::size_t count) {
  const auto place = static_cast<std::size_t>(share * static_cast<double>(count));
  return std::min(place, count - 1);
}

bool is_inside(double x, double y) {
  constexpr double kSlack = 1e-9;
  return x >= -kSlack && x <= 1 + kSlack && y >= -kSlack && y <= 1 + kSlack;
}

}  // namespace

TerminalCanvas::TerminalCanvas(std::size_t columns, std::size_t rows, bool braille, bool colours)
    : columns_(columns),
      rows_(rows),
      braille_(braille),
      colours_(colours),
      cells_(columns * rows) {}

void TerminalCanvas::dot(double x, double y, int colour) {
  if (!is_inside(x, y)) return;
  const auto across = static_cast<std::size_t>(kDotsAcross);
  const auto down = static_cast<std::size_t>(kDotsDown);
  const std::size_t column = place_of(std::max(x, 0.0), columns_ * across);
  const std::size_t row = place_of(std::clamp(1 - y, 0.0, 1.0), rows_ * down);
  Cell& cell = at(column / across, row / down);
  cell.dots |= kDotBits[row % down][column % across];
  cell.dot_colour = colour;
}

void TerminalCanvas::line(double x0, double y0, double x1, double y1, int colour, int on,
                          int period) {
  const double across = std::abs(x1 - x0) * static_cast<double>(columns_) * kDotsAcross;
  const double down = std::abs(y1 - y0) * static_cast<double>(rows_) * kDotsDown;
  constexpr double kMostSteps = 1e5;  // Of a line that runs far out of the canvas.
  const int steps = static_cast<int>(std::min(kMostSteps, std::ceil(std::max(across, down))));
  for (int i = 0; i <= steps; ++i) {
    const double part = steps == 0 ? 0 : static_cast<double>(i) / steps;
    if (period == 0 || drawn_dots_ % period < on) {
      dot(x0 + part * (x1 - x0), y0 + part * (y1 - y0), colour);
    }
    if (i < steps) ++drawn_dots_;
  }
}

void TerminalCanvas::shade(std::size_t column, double lower, double upper, int level, int colour) {
  if (!(upper >= 0 && lower <= 1)) return;
  const std::size_t first = place_of(std::clamp(1 - upper, 0.0, 1.0), rows_);
  const std::size_t last = place_of(std::clamp(1 - lower, 0.0, 1.0), rows_);
  for (std::size_t row = first; row <= last; ++row) {
    const double centre = 1 - (static_cast<double>(row) + 0.5) / static_cast<double>(rows_);
    if (last - first > 1 && (centre > upper || centre < lower)) continue;
    Cell& cell = at(column, row);
    if (cell.level > level) continue;
    cell.level = level;
    cell.shade_colour = colour;
  }
}

void TerminalCanvas::mark(double x, double y, std::string_view character, int colour) {
  if (!is_inside(x, y)) return;
  Cell& cell =
      at(place_of(std::max(x, 0.0), columns_), place_of(std::clamp(1 - y, 0.0, 1.0), rows_));
  cell.text = character;
  cell.text_colour = colour;
}

void TerminalCanvas::hint(std::size_t column, std::size_t row, std::string_view character) {
  Cell& cell = at(column, row);
  if (cell.dots == 0 && cell.level == 0 && cell.text.empty()) cell.text = character;
}

void TerminalCanvas::write(std::size_t column, std::size_t row, std::string_view words) {
  for (std::size_t begin = 0; begin < words.size() && column < columns_;) {
    std::size_t end = begin + 1;
    while (end < words.size() && is_continuation(words[end])) ++end;
    const std::string_view character = words.substr(begin, end - begin);
    const std::size_t width = display_width(character);
    begin = end;
    if (width == 0) continue;  // A mark on a letter: its own character would move the row.
    at(column, row).text = character;
    at(column, row).text_colour = kNoColour;
    if (width > 1 && column + 1 < columns_) at(column + 1, row).covered = true;
    column += width;
  }
}

std::string_view TerminalCanvas::shown(const Cell& cell, std::string& room) const {
  if (!cell.text.empty()) return cell.text;
  if (cell.dots != 0) return room = braille_ ? braille_text(cell.dots) : "*";
  if (cell.level == 0) return " ";
  if (!braille_) return cell.level == 1 ? "." : ":";
  return cell.level == 1 ? "\u2591" : "\u2592";
}

std::vector<std::string> TerminalCanvas::lines() const {
  std::vector<std::string> lines;
  std::string room;
  for (std::size_t row = 0; row < rows_; ++row) {
    std::string line;
    int colour = kNoColour;
    for (std::size_t column = 0; column < columns_; ++column) {
      const Cell& cell = cells_[row * columns_ + column];
      if (cell.covered) continue;
      const int wanted = !cell.text.empty() ? cell.text_colour
                         : cell.dots != 0   ? cell.dot_colour
                                            : cell.shade_colour;
      if (colours_ && wanted != colour) {
        line += wanted == kNoColour ? "\x1b[0m" : fmt::format("\x1b[38;5;{}m", wanted);
        colour = wanted;
      }
      line += shown(cell, room);
    }
    if (colour != kNoColour) line += "\x1b[0m";
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace scalelaw
