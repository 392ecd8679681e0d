#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalelaw {

/// Different x that a break needs on either side.
inline constexpr std::size_t kLevelsBesideBreak = 3;

/// Two lines that meet, by least squares over all breaks with three different x on either side:
/// exact, from sums of parts (Hudson 1966).
class BrokenLine {
 public:
  BrokenLine() = default;
  /// `x` ascending, as the lines take it (ln N); `mass` of each.
  BrokenLine(std::span<const double> x, std::span<const double> mass);

  /// Whether there is a break at all.
  bool possible() const { return !splits_.empty(); }
  /// The best break and its residual sum of squares; +infinity where there is none.
  struct Break {
    double place;  ///< In the unit of x.
    double rss;
  };
  Break best_break(std::span<const double> y);
  /// The residual sum of squares of y on one line.
  double straight_rss(std::span<const double> y);

  /// Least squares on two lines that meet at a given place. Variances are those of the estimates
  /// over that of a point.
  struct Knot {
    double rss;
    double level;  ///< At the place.
    double left;   ///< Slopes.
    double right;
    double level_variance;
    double left_variance;
    double right_variance;
    double level_left_covariance;
  };
  /// Of the y that came last.
  Knot at(double place) const;

 private:
  /// Sums over a part of the points, about x = y = 0.
  struct Sums {
    double w = 0, x = 0, xx = 0, y = 0, xy = 0, yy = 0;

    Sums operator-(const Sums& other) const {
      return {w - other.w, x - other.x, xx - other.xx, y - other.y, xy - other.xy, yy - other.yy};
    }
    /// Of the line through them.
    double rss() const;
  };
  /// Between point count - 1 and count, at neighbouring x.
  struct Split {
    std::size_t count;
    double lower;
    double upper;
  };

  void sum_up(std::span<const double> y);
  double rss_with_knot(const Sums& left, const Sums& right, double knot) const;
  Break break_in(const Split& split) const;

  double centre_ = 0;
  double y_centre_ = 0;
  std::vector<double> x_;  ///< About the centre.
  std::vector<double> mass_;
  std::vector<Split> splits_;
  std::vector<Sums> before_;  ///< Sums over the points before each, and over all.
};

}  // namespace scalelaw
