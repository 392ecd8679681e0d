#include "render/terminal_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/code_points.hpp"
#include "base/ranges.hpp"
#include "render/figure_axes.hpp"
#include "render/figure_words.hpp"
#include "render/gnuplot/theme.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

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

namespace {

/// A label of the legend, and the letter of its points.
struct TerminalLabel {
  std::string text;
  std::size_t style;
  int colour;
};

struct Characters {
  std::string_view vertical;
  std::string_view corner;
  std::string_view horizontal;
  std::string_view y_tick;
  std::string_view x_tick;
  std::string_view mark;
  std::string_view value;
  std::string_view point;
};

const Characters& characters_of(const FigureStyle& style) {
  static constexpr Characters kAscii{"|", "+", "-", "+", "+", ":", "O", "o"};
  static constexpr Characters kAll{"\u2502", "\u2514", "\u2500", "\u2524",
                                   "\u252c", "\u2506", "\u25c9", "\u25cf"};
  return style.braille ? kAll : kAscii;
}

/// Terminals that know only ASCII show our own signs, too; names of groups stay as they are.
std::string shown_text(std::string text, const FigureStyle& style) {
  text = printable(text);
  if (style.braille) return text;
  return replaced(std::move(text),
                  {{"\u00b1", "+-"}, {"\u0394", "delta"}, {"\u00d7", "x"}, {"\u2026", "..."}});
}

/// The nearest colour of xterm's cube of 6 by 6 by 6.
int xterm_colour(std::string_view hex) {
  const auto part = [&](std::size_t i) {
    const int value = std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16);
    return static_cast<int>(std::lround(value / 51.0));
  };
  return 16 + 36 * part(0) + 6 * part(1) + part(2);
}

/// The labels of all panels, each once.
std::vector<TerminalLabel> labels_of(const Figure& figure, const Theme& theme) {
  std::vector<TerminalLabel> labels;
  for (const FigurePanel& panel : figure.panels) {
    for (const FigureSeries& series : panel.series) {
      const bool known = any_of(labels, [&](const TerminalLabel& one) {
        return one.text == series.label && one.style == series.style;
      });
      if (series.label.empty() || known) continue;
      const std::string colour = series.shade ? shade_colour(*series.shade)
                                              : std::string(series_colour(theme, series.style));
      labels.push_back({series.label, series.style, xterm_colour(colour)});
    }
  }
  return labels;
}

char letter_of(std::size_t label) {
  return label < 26 ? static_cast<char>('A' + label) : static_cast<char>('a' + (label - 26) % 26);
}

/// One panel on a canvas.
class TerminalPanel {
 public:
  TerminalPanel(const FigurePanel& panel, const std::vector<TerminalLabel>& labels,
                const FigureStyle& style, std::size_t columns, std::size_t rows)
      : panel_(panel),
        labels_(labels),
        style_(style),
        ranges_(ranges_of(panel)),
        y_ticks_(ticks_of(panel.y, ranges_.y, {std::max(2, static_cast<int>(rows) / 3)})),
        left_(widest_tick() + 2),
        canvas_(std::max<std::size_t>(columns - std::min(columns, left_ + 1), 8), rows,
                style.braille, style.colour) {
    for (const FigureSeries& series : panel_.series) add_bands(series);
    for (const FigureReference& reference : panel_.references) add_reference(reference);
    for (const FigureSeries& series : panel_.series) add_curves(series);
    for (const FigureSeries& series : panel_.series) add_points(series);
    add_curve_letters();
    add_words();
  }

  /// Title, second axis, drawing and first axis, each line as wide as the panel.
  std::vector<std::string> lines(bool has_titles) const {
    const Characters& signs = characters_of(style_);
    std::vector<std::string> out;
    if (has_titles) out.push_back(padded("  " + shown_text(panel_.title, style_)));
    // Terminals cannot write upwards.
    out.push_back(padded("  " + shown_text(panel_.y.label, style_)));
    const std::vector<std::string> drawing = canvas_.lines();
    for (std::size_t row = 0; row < drawing.size(); ++row) {
      const std::string tick = tick_at(row);
      out.push_back(fmt::format("{:>{}} {}{} ", tick, left_ - 2,
                                tick.empty() ? signs.vertical : signs.y_tick, drawing[row]));
    }
    add_x_axis(out);
    return out;
  }

 private:
  std::size_t width() const { return left_ + canvas_.columns() + 1; }

  std::string padded(std::string text) const {
    text = middle_shortened(text, width());
    return text + std::string(width() - std::min(width(), display_width(text)), ' ');
  }

  std::size_t widest_tick() const {
    std::size_t most = 1;
    for (const Tick& tick : y_ticks_) most = std::max(most, display_width(tick.text));
    return std::min<std::size_t>(most, 24);
  }

  double x_of(double x) const { return place_on(panel_.x, ranges_.x, x); }
  double y_of(double y) const { return place_on(panel_.y, ranges_.y, y); }
  bool shows(double x, double y) const { return is_shown(panel_.x, x) && is_shown(panel_.y, y); }

  std::string tick_at(std::size_t row) const {
    for (const Tick& tick : y_ticks_) {
      const double share = y_of(tick.value);
      if (share < 0 || share > 1) continue;
      const auto rows = static_cast<double>(canvas_.rows());
      if (std::min(static_cast<std::size_t>((1 - share) * rows), canvas_.rows() - 1) != row) {
        continue;
      }
      return middle_shortened(shown_text(tick.text, style_), left_ - 2);
    }
    return "";
  }

  /// The place of a series in the legend; empty if it has no label.
  std::optional<std::size_t> label_of(const FigureSeries& series) const {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (labels_[i].text == series.label && labels_[i].style == series.style) return i;
    }
    return std::nullopt;
  }
  int colour_of(const FigureSeries& series) const {
    const std::string_view colour = series_colour(theme_of(style_.theme), series.style);
    return xterm_colour(series.shade ? shade_colour(*series.shade) : std::string(colour));
  }

  /// Bands are shaded column by column, between the places where they are known.
  void add_bands(const FigureSeries& series) {
    for (std::size_t nested = 0; nested < series.bands.size(); ++nested) {
      const FigureBand& band = series.bands[nested];
      for (std::size_t i = 1; i < band.x.size(); ++i) {
        if (!is_shown(panel_.x, band.x[i - 1]) || !is_shown(panel_.x, band.x[i])) continue;
        add_band_part(band, i, nested == 0 ? 1 : 2, colour_of(series));
      }
    }
  }
  void add_band_part(const FigureBand& band, std::size_t i, int level, int colour) {
    const auto end = [&](double y, double otherwise) {
      return is_shown(panel_.y, y) ? y_of(y) : otherwise;
    };
    const double x0 = x_of(band.x[i - 1]);
    const double x1 = x_of(band.x[i]);
    if (x1 < x0 || x1 < 0 || x0 > 1) return;
    const auto columns = static_cast<double>(canvas_.columns());
    for (double column = std::max(0.0, std::floor(x0 * columns));
         column < columns && column <= x1 * columns; column += 1) {
      const double x = std::clamp((column + 0.5) / columns, x0, x1);
      const double part = x1 > x0 ? (x - x0) / (x1 - x0) : 0;
      const double lower =
          end(band.lower[i - 1], 0) + part * (end(band.lower[i], 0) - end(band.lower[i - 1], 0));
      const double upper =
          end(band.upper[i - 1], 1) + part * (end(band.upper[i], 1) - end(band.upper[i - 1], 1));
      canvas_.shade(static_cast<std::size_t>(column), lower, upper, level, colour);
    }
  }

  void add_path(const std::vector<double>& x, const std::vector<double>& y, int colour, int on,
                int period, bool stepped = false) {
    canvas_.lift();
    std::optional<std::pair<double, double>> last;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      if (!shows(x[i], y[i])) continue;
      const std::pair here{x_of(x[i]), y_of(y[i])};
      if (last && stepped) {
        canvas_.line(last->first, last->second, here.first, last->second, colour, on, period);
        canvas_.line(here.first, last->second, here.first, here.second, colour, on, period);
      } else if (last) {
        canvas_.line(last->first, last->second, here.first, here.second, colour, on, period);
      }
      last = here;
    }
  }
  void add_reference(const FigureReference& reference) {
    add_path(reference.x, reference.y, TerminalCanvas::kNoColour, 1, 4);
  }
  void add_curves(const FigureSeries& series) {
    const int colour = colour_of(series);
    for (const FigureCurve& curve : series.curves) {
      const bool broken = curve.dashed || series.pattern > 0;
      add_path(curve.x, curve.y, colour, broken ? 4 : 0, broken ? 8 : 0);
    }
    if (series.connected || series.stepped) {
      add_path(series.points.x, series.points.y, colour, 0, 0, series.stepped);
    }
  }

  void add_points(const FigureSeries& series) {
    const FigurePoints& points = series.points;
    const int colour = colour_of(series);
    const auto bars = [&](const std::vector<double>& lower, const std::vector<double>& upper,
                          bool along_x) {
      for (std::size_t i = 0; i < lower.size(); ++i) {
        if (!std::isfinite(lower[i]) || !std::isfinite(upper[i])) continue;
        const std::vector<double> ends{lower[i], upper[i]};
        const std::vector<double> still{along_x ? points.y[i] : points.x[i],
                                        along_x ? points.y[i] : points.x[i]};
        add_path(along_x ? ends : still, along_x ? still : ends, colour, 0, 0);
      }
    };
    bars(points.lower, points.upper, false);
    bars(points.x_lower, points.x_upper, true);
    if (series.stepped) return;
    const auto label = label_of(series);
    const Characters& signs = characters_of(style_);
    const std::string mark = series.open ? std::string(signs.value)
                             : label     ? std::string(1, letter_of(*label))
                                         : std::string(signs.point);
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      if (shows(points.x[i], points.y[i])) {
        canvas_.mark(x_of(points.x[i]), y_of(points.y[i]), mark, colour);
      }
    }
  }

  /// The letters of curves without points stand near their ends, each a little further from it, so
  /// that curves with a common end are told apart without colour.
  void add_curve_letters() {
    constexpr std::size_t kApart = 3;
    std::size_t columns_back = 0;
    for (const FigureSeries& series : panel_.series) {
      const auto label = label_of(series);
      if (!label || !series.points.x.empty() || series.curves.empty()) continue;
      const FigureCurve& curve = series.curves.back();
      std::optional<std::pair<double, double>> place;
      for (std::size_t i = curve.x.size(); i > 0; --i) {
        const double x = curve.x[i - 1];
        const double y = curve.y[i - 1];
        if (!shows(x, y) || x_of(x) > 1 || y_of(y) < 0 || y_of(y) > 1) continue;
        if (!place) place = std::pair(x_of(x), y_of(y));
        const double back = (place->first - x_of(x)) * static_cast<double>(canvas_.columns());
        if (back < static_cast<double>(columns_back)) continue;
        place = std::pair(x_of(x), y_of(y));
        break;
      }
      if (!place) continue;
      canvas_.mark(place->first, place->second, std::string(1, letter_of(*label)),
                   colour_of(series));
      columns_back += kApart;
    }
  }

  void add_words() {
    const auto columns = static_cast<double>(canvas_.columns());
    const auto rows = static_cast<double>(canvas_.rows());
    const Characters& signs = characters_of(style_);
    for (const FigureMark& mark : panel_.marks) {
      const double x = x_of(mark.x);
      if (!(x >= 0 && x <= 1)) continue;
      const auto column = std::min(static_cast<std::size_t>(x * columns), canvas_.columns() - 1);
      for (std::size_t row = 0; row < canvas_.rows(); ++row) canvas_.hint(column, row, signs.mark);
      if (mark.y) canvas_.mark(x, y_of(*mark.y), signs.value, TerminalCanvas::kNoColour);
    }
    for (const PlacedWords& words : place_words(panel_, ranges_, {1 / columns, 1 / rows})) {
      if (words.leader) continue;  // Letters are too coarse for thin lines.
      for (std::size_t i = 0; i < words.lines.size(); ++i) {
        const std::string text = shown_text(words.lines[i], style_);
        const double wide = words.ends_at_x ? static_cast<double>(display_width(text)) : 0;
        const double column = std::clamp(std::round(words.x * columns - wide), 0.0, columns - 1);
        const double row =
            std::clamp(std::round((1 - words.top) * rows + static_cast<double>(i)), 0.0, rows - 1);
        canvas_.write(static_cast<std::size_t>(column), static_cast<std::size_t>(row), text);
      }
    }
  }

  /// The line of the axis, its numbers, and what they are.
  void add_x_axis(std::vector<std::string>& out) const {
    const Characters& signs = characters_of(style_);
    const std::size_t columns = canvas_.columns();
    std::vector<std::string_view> line(columns, signs.horizontal);
    std::string numbers(left_, ' ');
    const TickRoom room{static_cast<int>(columns / 7), static_cast<double>(columns)};
    const std::vector<Tick> ticks = ticks_of(panel_.x, ranges_.x, room);
    for (const Tick& tick : ticks) {
      const double share = x_of(tick.value);
      if (share < 0 || share > 1) continue;
      const std::size_t at =
          std::min(static_cast<std::size_t>(share * static_cast<double>(columns)), columns - 1);
      line[at] = signs.x_tick;
      const std::size_t most = std::max<std::size_t>(columns / ticks.size(), 6) - 1;
      const std::string text = middle_shortened(shown_text(tick.text, style_), most);
      const std::size_t half = display_width(text) / 2;
      const std::size_t begin = left_ + at - std::min(half, left_ + at);
      const std::size_t length = display_width(numbers);
      if (begin < length + (length > left_ ? 1 : 0) && length > left_) continue;
      if (begin > length) numbers += std::string(begin - length, ' ');
      numbers += text;
    }
    std::string axis(left_ - 1, ' ');
    axis += signs.corner;
    for (const std::string_view sign : line) axis += sign;
    out.push_back(axis + " ");
    out.push_back(padded(numbers));
    const std::string label = shown_text(panel_.x.label, style_);
    const std::size_t wide = std::min(display_width(label), columns);
    out.push_back(padded(std::string(left_ + (columns - wide) / 2, ' ') + label));
  }

  const FigurePanel& panel_;
  const std::vector<TerminalLabel>& labels_;
  const FigureStyle& style_;
  PanelRanges ranges_;
  std::vector<Tick> y_ticks_;
  std::size_t left_;  ///< Columns left of the drawing, with the axis.
  TerminalCanvas canvas_;
};

/// What the kinds of lines and bands are, each once.
std::string key_text(const Figure& figure, const FigureStyle& style) {
  std::vector<std::string> key;
  const auto add = [&key](std::string_view sign, const std::string& label) {
    std::string text = fmt::format("{} {}", sign, label);
    if (label.empty() || contains(key, text)) return;
    key.push_back(std::move(text));
  };
  const bool all = style.braille;
  for (const FigurePanel& panel : figure.panels) {
    for (const FigureSeries& series : panel.series) {
      for (const FigureCurve& curve : series.curves) {
        add(curve.dashed ? (all ? "\u2824 \u2824" : "* *") : (all ? "\u2824\u2824\u2824" : "***"),
            curve.label);
      }
      for (std::size_t i = 0; i < series.bands.size(); ++i) {
        add(i == 0 ? (all ? "\u2591\u2591\u2591" : "...") : (all ? "\u2592\u2592\u2592" : ":::"),
            series.bands[i].label);
      }
    }
  }
  if (key.empty()) return "";
  return wrapped("  " + joined(key, "   "), static_cast<std::size_t>(style.columns), 2) + "\n";
}

std::string legend_text(const Figure& figure, const std::vector<TerminalLabel>& labels,
                        const FigureStyle& style) {
  std::string out;
  if (!figure.legend.empty() && !labels.empty()) {
    out += fmt::format("     {}\n", shown_text(figure.legend, style));
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string letter(1, letter_of(i));
    out += fmt::format(
        "  {}  {}\n",
        style.colour ? fmt::format("\x1b[38;5;{}m{}\x1b[0m", labels[i].colour, letter) : letter,
        shown_text(labels[i].text, style));
  }
  return out;
}

void append_without_blanks(std::string& out, std::string_view line) {
  out += line.substr(0, line.find_last_not_of(' ') + 1);
  out += '\n';
}

}  // namespace

std::string terminal_figure(const Figure& figure, const FigureStyle& style) {
  constexpr std::size_t kNarrowest = 48;  // Columns of panels that stand side by side,
  constexpr std::size_t kLowest = 16;     // and the rows that they are drawn on.
  constexpr std::size_t kAround = 5;      // Rows of title and axes.
  const auto all_columns = static_cast<std::size_t>(style.columns);
  const std::size_t per_row = std::clamp<std::size_t>(
      all_columns / kNarrowest, 1, std::min<std::size_t>(figure.panels.size(), 3));
  const auto all_rows = static_cast<std::size_t>(style.rows);
  const std::size_t rows =
      per_row > 1 ? std::min(kLowest, all_rows) : std::max<std::size_t>(all_rows, 12) - kAround;
  const std::vector<TerminalLabel> labels = labels_of(figure, theme_of(style.theme));
  const bool has_titles =
      any_of(figure.panels, [](const FigurePanel& panel) { return !panel.title.empty(); });
  std::string out;
  if (!figure.title.empty()) out += shown_text(figure.title, style) + "\n";
  for (std::size_t first = 0; first < figure.panels.size(); first += per_row) {
    std::vector<std::string> lines;
    for (std::size_t i = first; i < std::min(first + per_row, figure.panels.size()); ++i) {
      const auto panel = TerminalPanel(figure.panels[i], labels, style, all_columns / per_row, rows)
                             .lines(has_titles);
      lines.resize(panel.size());
      for (std::size_t row = 0; row < panel.size(); ++row) lines[row] += panel[row];
    }
    if (first > 0) out += "\n";
    for (const std::string& line : lines) append_without_blanks(out, line);
  }
  out += legend_text(figure, labels, style) + key_text(figure, style);
  if (!figure.note.empty()) out += fmt::format("  {}\n", shown_text(figure.note, style));
  return out;
}

}  // namespace scalelaw
