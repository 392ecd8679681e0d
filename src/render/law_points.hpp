#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/study_figures.hpp"

namespace scalelaw {

constexpr int kCurvePoints = 97;

/// The runs at one x, summarised.
struct Level {
  double x = 0;
  double count = 0;
  double log_mean = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
};
std::vector<Level> levels_of(std::span<const Cell> cells);

/// The range of values; empty where it is none.
std::optional<Interval> range_of(double least, double greatest);

/// "BERT, gpus 4: 27.00".
std::string note_of(const std::string& label, const std::string& x, double at, double y);

/// The centre of the runs at each x on the scale of the fit, in the unit of y, with their range.
FigurePoints mean_points(const StudyAxes& axes, const std::string& label,
                         std::span<const Cell> cells);

/// What the points of such figures are, for captions: "means of runs with their range", or "runs"
/// where no x has several.
std::string points_words(const Figure& figure);

FigureCurve curve_of(const Fit& fit, const std::vector<double>& x, bool dashed = false);

/// The interval of the curve; empty where it is not defined.
std::optional<FigureBand> band_of(const Fit& fit, const std::vector<double>& x);

}  // namespace scalelaw
