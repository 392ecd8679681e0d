#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalelaw {

/// The mean of values that count `mass` each.
double mean_of(std::span<const double> values, std::span<const double> mass);

/// A break needs this many different x on either side.
inline constexpr std::size_t kLevelsBesideBreak = 3;

/// Fits two lines that meet: least squares over all breaks with three different x on either side.
/// The result is exact, because it comes from sums over parts (Hudson 1966).
class BrokenLine {
 public:
  BrokenLine() = default;
  /// `x` ascending, as the lines use it (ln N), and the `mass` of each.
  BrokenLine(std::span<const double> x, std::span<const double> mass);

  /// Whether any break is possible.
  bool possible() const { return !splits_.empty(); }
  /// The best break and its residual sum of squares, which is +infinity if there is none.
  struct Break {
    double place;  ///< In the unit of x.
    double rss;
  };
  Break best_break(std::span<const double> y);
  /// The residual sum of squares of y about one line.
  double straight_rss(std::span<const double> y);

  /// The length of the way of a break's direction as its place moves through all gaps. That
  /// direction is the unit vector, among residuals about one line, in which the break bends it.
  /// Within a gap it moves along a great circle.
  double path_length() const;

  /// Least squares on two lines that meet at a place. Variances are in units of a point's.
  struct Knot {
    double rss;
    double level;  ///< Value at the place.
    double left;   ///< Slope on the left.
    double right;
    double level_variance;
    double left_variance;
    double right_variance;
    double level_left_covariance;
  };
  /// For the y of the last call.
  Knot at(double place) const;

 private:
  /// Sums over some of the points, about x = y = 0.
  struct Sums {
    double w = 0, x = 0, xx = 0, y = 0, xy = 0, yy = 0;

    Sums operator-(const Sums& other) const {
      return {w - other.w, x - other.x, xx - other.xx, y - other.y, xy - other.xy, yy - other.yy};
    }
    /// Residual sum of squares about the line through them.
    double rss() const;
  };
  /// The gap between the points count - 1 and count, at neighbouring x.
  struct Split {
    std::size_t count;
    double lower;
    double upper;
  };

  void sum_up(std::span<const double> y);
  double rss_with_knot(const Sums& left, const Sums& right, double knot) const;
  Break break_in(const Split& split) const;
  std::vector<double> direction_at(double knot) const;

  double centre_ = 0;
  double y_centre_ = 0;
  std::vector<double> x_;  ///< Relative to the centre.
  std::vector<double> mass_;
  std::vector<Split> splits_;
  std::vector<Sums> before_;  ///< Sums over the points before each one, and over all points.
};

}  // namespace scalelaw
