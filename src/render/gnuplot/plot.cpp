#include "render/gnuplot/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

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

}  // namespace scalelaw
