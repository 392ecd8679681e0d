// Figures as scripts of gnuplot.

#include "scalelaw/render/figure.hpp"

#include <fmt/format.h>
#include <gnuplot-iostream.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "base/code_points.hpp"
#include "render/figure_axes.hpp"
#include "render/gnuplot/labels.hpp"
#include "render/gnuplot/layout.hpp"
#include "render/gnuplot/run.hpp"
#include "render/gnuplot/theme.hpp"
#include "render/plain_svg.hpp"
#include "render/terminal_figure.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// Ends of a band or bar that the axis cannot show are drawn at its own end.
double shown_end(const Axis& axis, Range range, double value, double otherwise) {
  return is_shown(axis, value) ? std::clamp(value, range.least, range.greatest) : otherwise;
}

/// Parts of one plot command, and the data of each.
class Plot {
 public:
  Plot(const FigurePanel& panel, const PanelRanges& ranges, const Theme& theme, FigureFormat format)
      : panel_(panel), ranges_(ranges), theme_(theme), format_(format) {}

  void add_bands() {
    for (const FigureSeries& series : panel_.series) {
      for (std::size_t nested = 0; nested < series.bands.size(); ++nested) {
        const FigureBand& band = series.bands[nested];
        add(fmt::format("with filledcurves fs transparent solid {} noborder {}",
                        nested == 0 ? kBandOpacity : kInnerOpacity, colour_of(series)),
            rows_of(band));
        if (nested > 0 || series.bands.size() == 1) continue;
        // Edges tell an outer band from an inner one that is nearly as wide.
        for (const auto* end : {&band.lower, &band.upper}) {
          add("with lines lw 0.7 " + colour_of(series), pairs(band.x, *end));
        }
      }
    }
  }

  void add_references() {
    for (const FigureReference& reference : panel_.references) {
      add(fmt::format("with lines dt 3 lw 1.2 lc rgb '{}'", theme_.reference),
          pairs(reference.x, reference.y));
    }
  }

  void add_curves() {
    for (const FigureSeries& series : panel_.series) {
      for (const FigureCurve& curve : series.curves) {
        const std::string_view dashes =
            curve.dashed && series.pattern == 0 ? kBeyondDashes : dashes_of(series.pattern);
        add(fmt::format("with lines lw 2 {}{}", dashes == "1" ? "" : fmt::format("dt {} ", dashes),
                        colour_of(series)),
            pairs(curve.x, curve.y));
      }
      if (!series.connected && !series.stepped) continue;
      add(fmt::format("with {} lw 1.2 {}", series.stepped ? "steps" : "lines", colour_of(series)),
          pairs(series.points.x, series.points.y));
    }
  }

  void add_points() {
    for (const FigureSeries& series : panel_.series) add_series_points(series);
  }

  void send(std::ostream& script) const {
    script << "plot " << (parts_.empty() ? "NaN notitle" : joined(parts_, ", \\\n     ")) << "\n";
    for (const std::string& rows : data_) script << rows;
  }

 private:
  using Row = std::vector<double>;

  void add(const std::string& part, const std::vector<Row>& rows) {
    std::string text;
    for (const Row& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : " ", row[i]);
      }
      text += "\n";
    }
    add_rows(part, std::move(text));
  }

  void add_rows(const std::string& part, std::string rows) {
    if (rows.empty()) return;
    parts_.push_back("'-' " + part + " notitle");
    data_.push_back(std::move(rows) + "e\n");
  }

  void add_series_points(const FigureSeries& series) {
    const std::string look =
        series.open
            ? fmt::format("pt 6 ps {:.3g} lw 1.5 {}", point_size(format_, kRing), colour_of(series))
            : fmt::format("pt {} ps {:.3g} {}", series.shade ? mark_of(0) : mark_of(series.style),
                          point_size(format_), colour_of(series));
    // No error bars of gnuplot: it clears a disc around each point, and with it a part of the bar.
    const std::string bars =
        fmt::format("with vectors heads size screen {},90 lw 1.2 {}", kBarEnd, colour_of(series));
    add(bars, bars_of(series.points, false));
    add(bars, bars_of(series.points, true));
    if (series.stepped) return;
    // A point with a note is drawn with it; the others are drawn without.
    const bool with_notes = format_ == FigureFormat::kSvg;
    add("with points " + look, points_of(series.points, with_notes));
    if (with_notes) add_rows("with labels hypertext point " + look, notes_of(series.points));
  }

  bool shows(double x, double y) const { return is_shown(panel_.x, x) && is_shown(panel_.y, y); }

  std::string colour_of(const FigureSeries& series) const {
    return fmt::format("lc rgb '{}'", series_colour(theme_, series));
  }

  std::vector<Row> pairs(const std::vector<double>& x, const std::vector<double>& y) const {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (shows(x[i], y[i])) rows.push_back({x[i], y[i]});
    }
    return rows;
  }

  std::vector<Row> points_of(const FigurePoints& points, bool without_notes) const {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      const bool has_note = i < points.notes.size() && !points.notes[i].empty();
      if (!shows(points.x[i], points.y[i]) || (without_notes && has_note)) continue;
      rows.push_back({points.x[i], points.y[i]});
    }
    return rows;
  }

  std::vector<Row> rows_of(const FigureBand& band) const {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      if (!is_shown(panel_.x, band.x[i])) continue;
      rows.push_back({band.x[i], shown_end(panel_.y, ranges_.y, band.lower[i], ranges_.y.least),
                      shown_end(panel_.y, ranges_.y, band.upper[i], ranges_.y.greatest)});
    }
    return rows;
  }

  /// From end to end, along y or along x.
  std::vector<Row> bars_of(const FigurePoints& points, bool along_x) const {
    const Axis& axis = along_x ? panel_.x : panel_.y;
    const Range& range = along_x ? ranges_.x : ranges_.y;
    const std::vector<double>& lower = along_x ? points.x_lower : points.lower;
    const std::vector<double>& upper = along_x ? points.x_upper : points.upper;
    std::vector<Row> rows;
    for (std::size_t i = 0; i < lower.size(); ++i) {
      if (!shows(points.x[i], points.y[i]) || std::isnan(lower[i]) || std::isnan(upper[i]))
        continue;
      const double begin = shown_end(axis, range, lower[i], range.least);
      const double length = shown_end(axis, range, upper[i], range.greatest) - begin;
      rows.push_back(along_x ? Row{begin, points.y[i], length, 0}
                             : Row{points.x[i], begin, 0, length});
    }
    return rows;
  }

  std::string notes_of(const FigurePoints& points) const {
    std::string rows;
    for (std::size_t i = 0; i < points.notes.size(); ++i) {
      if (!shows(points.x[i], points.y[i]) || points.notes[i].empty()) continue;
      // Only "note 12" (plain_svg): no text of the study gets into gnuplot's calls of a script.
      rows += fmt::format("{} {} \"{}\"\n", points.x[i], points.y[i], points.notes[i]);
    }
    return rows;
  }

  const FigurePanel& panel_;
  const PanelRanges& ranges_;
  const Theme& theme_;
  FigureFormat format_;
  std::vector<std::string> parts_;
  std::vector<std::string> data_;
};

}  // namespace

void write_plot(std::ostream& script, const FigurePanel& panel, const PanelRanges& ranges,
                const Theme& theme, FigureFormat format) {
  Plot plot(panel, ranges, theme, format);
  plot.add_bands();
  plot.add_references();
  plot.add_curves();
  plot.add_points();
  plot.send(script);
}

namespace {

/// The characters of a text that fonts may lack.
std::map<std::uint32_t, std::string> characters_of_scripts(std::string_view text) {
  std::map<std::uint32_t, std::string> characters;
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      text.remove_prefix(1);
      continue;
    }
    const std::string_view rest = text;
    const CodePoint code = take_code_point(text);
    if (is_of_a_script(code.value)) characters.emplace(code.value, rest.substr(0, code.bytes));
  }
  return characters;
}

/// Takes out of `characters` those of a range as fontconfig writes it: "4e00-9fff", "20ac".
void remove_range(std::string_view range, std::map<std::uint32_t, std::string>& characters) {
  std::uint32_t first = 0;
  const char* const end = range.data() + range.size();
  const auto begin = std::from_chars(range.data(), end, first, 16);
  if (begin.ec != std::errc()) return;
  std::uint32_t last = first;
  if (begin.ptr != end) std::from_chars(begin.ptr + 1, end, last, 16);
  characters.erase(characters.lower_bound(first), characters.upper_bound(last));
}

std::string list_of(const std::map<std::uint32_t, std::string>& characters) {
  std::string list;
  for (const auto& [code, character] : characters) list += (list.empty() ? "" : " ") + character;
  return shortened(list, 60);
}

/// Refuses text of a figure with characters that no font of this machine has: cairo would draw each
/// as a box of its own size, over the whole figure, or leave all letters out. Where fontconfig's
/// fc-list is not found, nobody knows what fonts have, and characters beyond Latin and Greek are
/// refused.
/// @throws DataError with the characters and the ways out.
void refuse_what_no_font_has(std::string_view text) {
  std::map<std::uint32_t, std::string> missing = characters_of_scripts(text);
  if (missing.empty()) return;
  const std::optional<std::string> ranges = output_of({"fc-list", "--format", "%{charset} "});
  if (!ranges) {
    throw DataError(fmt::format(
        "PNG and PDF show {} only where a font has {}, which cannot be found out without fc-list. "
        "Write an SVG (-o FILE.svg), or install fontconfig; on Debian: apt install fontconfig",
        list_of(missing), missing.size() == 1 ? "it" : "them"));
  }
  for (const std::string& range : split(*ranges, ' ')) remove_range(range, missing);
  if (missing.empty()) return;
  throw DataError(fmt::format(
      "no font on this machine has {}, so that PNG and PDF cannot show names with {}. Write an SVG "
      "(-o FILE.svg), or install a font; on Debian: apt install fonts-noto-cjk for Chinese, "
      "Japanese "
      "and Korean, fonts-noto-color-emoji for emoji, fonts-noto for all others",
      list_of(missing), missing.size() == 1 ? "it" : "them"));
}

/// A point has the same radius, and a line the same width, in all formats.
std::string terminal_of(FigureFormat format, const FigureStyle& style, const Layout& layout) {
  const std::string_view background = theme_of(style.theme).background;
  switch (format) {
    case FigureFormat::kSvg:
      return fmt::format(
          "set terminal svg size {:.0f},{:.0f} dynamic mouse jsdir '' noenhanced background rgb "
          "'{}' font 'sans-serif,{:.0f}'\n",
          layout.width, layout.height, background, kFont);
    case FigureFormat::kPdf: {
      constexpr double kPointsOfPixel = 0.52;  // 900 pixels are 6.5 inches, the width of a page.
      return fmt::format(
          "set terminal pdfcairo size {:.3f}in,{:.3f}in noenhanced font 'sans,{:.2f}' linewidth "
          "0.7 fontscale 0.75 background rgb '{}'\n",
          layout.width * kPointsOfPixel / 72, layout.height * kPointsOfPixel / 72,
          kFont * kPointsOfPixel, background);
    }
    case FigureFormat::kPng:
      return fmt::format(
          "set terminal pngcairo size {:.0f},{:.0f} noenhanced font 'sans,{:.0f}' linewidth 2 "
          "pointscale 1.95 background rgb '{}'\n",
          2 * layout.width, 2 * layout.height, 1.5 * kFont, background);
    case FigureFormat::kTerminal:
    case FigureFormat::kGnuplot:
      break;
  }
  return "# gnuplot -p FILE draws this figure.\n";
}

void set_look(std::ostream& script, const Theme& theme) {
  script << "set encoding utf8\n"
         << "unset key\nset clip two\n"
         << fmt::format("set border 3 lc rgb '{}' lw 1\n", theme.axis)
         << fmt::format("set grid lc rgb '{}' lt 1 lw 0.7\n", theme.grid)
         << "set tics nomirror out scale 0.5 " << coloured(theme.text) << "\n";
}

/// gnuplot's SVG takes lines for too tall: what stands below an axis would leave the canvas.
constexpr std::string_view kSvgTickOffset = " offset 0, 0.4";
constexpr std::string_view kSvgLabelOffset = " offset 0, 1.1";

/// The text of a tick as gnuplot takes it. One with a % is a format for it, of which it keeps so
/// many bytes.
std::string text_of_tick(const std::string& text) {
  constexpr std::size_t kLongestFormatted = 49;
  if (text.find('%') == std::string::npos) return gnuplot_text(text);
  std::string shown = printable(text);
  for (std::size_t columns = kLongestFormatted; shown.size() > kLongestFormatted && columns > 0;) {
    shown = shortened(text, columns--);
  }
  std::string format;
  for (const char c : shown) format += c == '%' ? "%%" : std::string(1, c);
  return gnuplot_text(format);
}

/// The ticks as gnuplot takes them: "('1' 1, '2' 2)".
std::string ticks_text(const Axis& axis, Range range, TickRoom room) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks_of(axis, range, room)) {
    texts.push_back(fmt::format("{} {:.17g}", text_of_tick(tick.text), tick.value));
  }
  return fmt::format("({})", joined(texts));
}

void set_axes(const Pen& pen, const FigurePanel& panel, const PanelRanges& ranges,
              TickRoom x_room) {
  const auto set_axis = [&](char name, const Axis& axis, Range range, TickRoom room) {
    pen.script << fmt::format("{} logscale {}\n", is_logarithmic(axis) ? "set" : "unset", name)
               << fmt::format("set {}range [{:.17g}:{:.17g}]\n", name, range.least, range.greatest)
               << fmt::format("set {}tics {} noenhanced\n", name, ticks_text(axis, range, room))
               << fmt::format("set {}label {} noenhanced {}\n", name, gnuplot_text(axis.label),
                              coloured(pen.theme.text));
  };
  set_axis('x', panel.x, ranges.x, x_room);
  set_axis('y', panel.y, ranges.y, {is_logarithmic(panel.y) ? 12 : 7});
  if (pen.format != FigureFormat::kSvg) return;
  pen.script << "set xtics" << kSvgTickOffset << "\nset xlabel" << kSvgLabelOffset << "\n";
}

/// Long names of categories are turned, so that they do not overlap.
bool needs_turned_ticks(const FigurePanel& panel, const PanelBox& box) {
  if (panel.x.scale != AxisScale::kCategories) return false;
  double width = 0;
  for (const std::string& name : panel.x.categories) width += text_width(name) + 2 * kGlyph;
  return width > box.right - box.left;
}

/// Every second category stands on grey, so that what is drawn side by side belongs to its band.
void set_category_bands(const Pen& pen, const FigurePanel& panel) {
  if (panel.x.scale != AxisScale::kCategories || panel.series.size() < 2) return;
  for (std::size_t i = 0; i < panel.x.categories.size(); i += 2) {
    const auto place = static_cast<double>(i);
    pen.script << fmt::format(
        "set object rectangle from first {}, graph 0 to first {}, graph 1 behind fillcolor rgb "
        "'{}' fillstyle solid 0.5 noborder\n",
        place - 0.5, place + 0.5, pen.theme.grid);
  }
}

void place_panel(const Pen& pen, const FigurePanel& panel, const PanelBox& box) {
  const Layout& layout = pen.layout;
  pen.script << fmt::format("set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\n",
                            box.left / layout.width, box.right / layout.width)
             << fmt::format("set bmargin at screen {:.6f}\nset tmargin at screen {:.6f}\n",
                            box.bottom / layout.height, box.top / layout.height)
             << "unset label\nunset arrow\nunset object\n";
  if (needs_turned_ticks(panel, box)) pen.script << "set xtics rotate by -25 left\n";
  set_category_bands(pen, panel);
}

void write_panels(const Pen& pen, const Figure& figure) {
  pen.script << "set multiplot\n";
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const FigurePanel& panel = figure.panels[i];
    const PanelRanges ranges = ranges_of(panel);
    const PanelBox& box = pen.layout.panels[i];
    pen.script << "set xtics norotate\n";
    const double width = box.right - box.left;
    set_axes(pen, panel, ranges, {static_cast<int>(width / 52), width / kGlyph});
    place_panel(pen, panel, box);
    write_words(pen, figure, i, ranges);
    if (i == 0) write_surroundings(pen, figure);
    write_plot(pen.script, panel, ranges, pen.theme, pen.format);
  }
  pen.script << "unset multiplot\n";
}

/// Writes a script through a second handle of its file: Gnuplot closes its own.
File script_of(const Figure& figure, FigureFormat format, const FigureStyle& style) {
  const Layout layout = layout_of(figure, style);
  File script = temporary_file();
  Gnuplot gnuplot(second_handle(script.get()));
  const Pen pen{gnuplot, layout, theme_of(style.theme), format};
  pen.script << terminal_of(format, style, layout);
  set_look(pen.script, pen.theme);
  write_panels(pen, figure);
  if (!gnuplot.flush()) throw DataError("cannot write the script for gnuplot");
  return script;
}

constexpr FormatMarks kSvgMarks{"<?xml", "</svg>"};
constexpr FormatMarks kPdfMarks{"%PDF", "%%EOF"};
constexpr FormatMarks kPngMarks{"\x89PNG\r\n\x1A\n", {"\0\0\0\0IEND\xAE\x42\x60\x82", 12}};

}  // namespace

std::string render_figure(const Figure& figure, FigureFormat format, const FigureStyle& style) {
  const Figure alike = with_like_ticks(figure);
  if (format == FigureFormat::kTerminal) return terminal_figure(alike, style);
  if (format == FigureFormat::kSvg) {
    const NumberedNotes numbered = numbered_notes(alike);
    return plain_svg(drawn(script_of(numbered.figure, format, style).get(), kSvgMarks),
                     numbered.notes);
  }
  const File script = script_of(alike, format, style);
  if (format == FigureFormat::kGnuplot) return contents(script.get());
  refuse_what_no_font_has(contents(script.get()));
  return drawn(script.get(), format == FigureFormat::kPdf ? kPdfMarks : kPngMarks);
}

}  // namespace scalelaw
