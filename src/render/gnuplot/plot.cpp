#include "render/gnuplot/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// Ends of a band or bar that the axis cannot show are drawn at its own end.
double shown_end(const Axis& axis, Range range, double value, double otherwise) {
  return is_shown(axis, value) ? std::clamp(value, range.least, range.greatest) : otherwise;
}

}  // namespace

void Plot::add_bands() {
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

void Plot::add_references() {
  for (const FigureReference& reference : panel_.references) {
    add(fmt::format("with lines dt 3 lw 1.2 lc rgb '{}'", theme_.reference),
        pairs(reference.x, reference.y));
  }
}

void Plot::add_curves() {
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

void Plot::add_points() {
  for (const FigureSeries& series : panel_.series) add_series_points(series);
}

void Plot::add_series_points(const FigureSeries& series) {
  const std::string look =
      series.open
          ? fmt::format("pt 6 ps {:.3g} lw 1.5 {}", point_size(format_, kRing), colour_of(series))
          : fmt::format("pt {} ps {:.3g} {}", series.shade ? mark_of(0) : mark_of(series.style),
                        point_size(format_), colour_of(series));
  // No error bars of gnuplot: it clears a disc around each point, and with it a part of the bar.
  const std::string bars =
      fmt::format("with vectors heads size screen {},90 lw 1.2 {}", kBarEnd, colour_of(series));
  add(bars, bars_of(series.points));
  add(bars, x_bars_of(series.points));
  if (series.stepped) return;
  // A point with a note is drawn with it; the others are drawn without.
  const bool with_notes = format_ == FigureFormat::kSvg;
  add("with points " + look, points_of(series.points, with_notes));
  if (with_notes) add_rows("with labels hypertext point " + look, notes_of(series.points));
}

void Plot::send(std::ostream& script) const {
  script << "plot " << (parts_.empty() ? "NaN notitle" : joined(parts_, ", \\\n     ")) << "\n";
  for (const std::string& rows : data_) script << rows;
}

void Plot::add(const std::string& part, const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : " ", row[i]);
    }
    text += "\n";
  }
  add_rows(part, std::move(text));
}

void Plot::add_rows(const std::string& part, std::string rows) {
  if (rows.empty()) return;
  parts_.push_back("'-' " + part + " notitle");
  data_.push_back(std::move(rows) + "e\n");
}

std::string Plot::colour_of(const FigureSeries& series) const {
  return fmt::format("lc rgb '{}'", series.shade
                                        ? shade_colour(*series.shade)
                                        : std::string(series_colour(theme_, series.style)));
}

std::vector<Plot::Row> Plot::pairs(const std::vector<double>& x,
                                   const std::vector<double>& y) const {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (shows(x[i], y[i])) rows.push_back({x[i], y[i]});
  }
  return rows;
}

std::vector<Plot::Row> Plot::points_of(const FigurePoints& points, bool without_notes) const {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const bool has_note = i < points.notes.size() && !points.notes[i].empty();
    if (!shows(points.x[i], points.y[i]) || (without_notes && has_note)) continue;
    rows.push_back({points.x[i], points.y[i]});
  }
  return rows;
}

std::vector<Plot::Row> Plot::rows_of(const FigureBand& band) const {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < band.x.size(); ++i) {
    if (!is_shown(panel_.x, band.x[i])) continue;
    rows.push_back({band.x[i], shown_end(panel_.y, ranges_.y, band.lower[i], ranges_.y.least),
                    shown_end(panel_.y, ranges_.y, band.upper[i], ranges_.y.greatest)});
  }
  return rows;
}

std::vector<Plot::Row> Plot::bars_of(const FigurePoints& points) const {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < points.lower.size(); ++i) {
    if (!shows(points.x[i], points.y[i])) continue;
    if (std::isnan(points.lower[i]) || std::isnan(points.upper[i])) continue;
    const double lower = shown_end(panel_.y, ranges_.y, points.lower[i], ranges_.y.least);
    const double upper = shown_end(panel_.y, ranges_.y, points.upper[i], ranges_.y.greatest);
    rows.push_back({points.x[i], lower, 0, upper - lower});
  }
  return rows;
}

std::vector<Plot::Row> Plot::x_bars_of(const FigurePoints& points) const {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < points.x_lower.size(); ++i) {
    if (!shows(points.x[i], points.y[i])) continue;
    if (std::isnan(points.x_lower[i]) || std::isnan(points.x_upper[i])) continue;
    const double lower = shown_end(panel_.x, ranges_.x, points.x_lower[i], ranges_.x.least);
    const double upper = shown_end(panel_.x, ranges_.x, points.x_upper[i], ranges_.x.greatest);
    rows.push_back({lower, points.y[i], upper - lower, 0});
  }
  return rows;
}

std::string Plot::notes_of(const FigurePoints& points) const {
  std::string rows;
  for (std::size_t i = 0; i < points.notes.size(); ++i) {
    if (!shows(points.x[i], points.y[i]) || points.notes[i].empty()) continue;
    // Only "note 12" (plain_svg): no text of the study gets into gnuplot's calls of a script.
    rows += fmt::format("{} {} \"{}\"\n", points.x[i], points.y[i], points.notes[i]);
  }
  return rows;
}

}  // namespace scalelaw
