#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "render/figure_axes.hpp"
#include "render/gnuplot/theme.hpp"

namespace scalelaw {

/// What is drawn in a panel: parts of one plot command, and the data of each.
class Plot {
 public:
  Plot(const FigurePanel& panel, const PanelRanges& ranges, const Theme& theme, FigureFormat format)
      : panel_(panel), ranges_(ranges), theme_(theme), format_(format) {}

  void add_bands();
  void add_references();
  void add_curves();
  void add_points();
  void send(std::ostream& script) const;

 private:
  using Row = std::vector<double>;

  void add(const std::string& part, const std::vector<Row>& rows);
  void add_rows(const std::string& part, std::string rows);
  void add_series_points(const FigureSeries& series);

  bool shows(double x, double y) const { return is_shown(panel_.x, x) && is_shown(panel_.y, y); }
  std::string colour_of(const FigureSeries& series) const;

  std::vector<Row> pairs(const std::vector<double>& x, const std::vector<double>& y) const;
  std::vector<Row> points_of(const FigurePoints& points, bool without_notes) const;
  std::vector<Row> rows_of(const FigureBand& band) const;
  std::vector<Row> bars_of(const FigurePoints& points) const;
  std::vector<Row> x_bars_of(const FigurePoints& points) const;
  std::string notes_of(const FigurePoints& points) const;

  const FigurePanel& panel_;
  const PanelRanges& ranges_;
  const Theme& theme_;
  FigureFormat format_;
  std::vector<std::string> parts_;
  std::vector<std::string> data_;
};

}  // namespace scalelaw
