#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace scalelaw {

/// Upper tail and density of Student's distribution, for sums over many of them: cubic pieces in
/// t / (t + 2), right to 1e-9.
class StudentTable {
 public:
  explicit StudentTable(double dof);

  struct Value {
    double cdf;
    double density;
  };
  Value at(double t) const {
    const double rest = 2 / (std::abs(t) + 2);  // 1 - v; without branches, which are not foreseen.
    const double place = std::min(kPieces - 1e-6, (1 - rest) * kPieces);  // Also of no number.
    const auto i = static_cast<std::size_t>(place);
    const double u = place - static_cast<double>(i);
    const Knot& one = knots_[i];
    const Knot& two = knots_[i + 1];
    const double rise = two.tail - one.tail;
    const double bend = u * (u - 1) * ((one.slope - rise) * (u - 1) + (two.slope - rise) * u);
    const double tail = one.tail + u * rise + bend;
    const double slope = one.slope + u * (two.slope - one.slope);
    return {0.5 + std::copysign(0.5 - tail, t), -slope * kPieces * 0.5 * rest * rest};
  }
  /// What a scale is multiplied by so that its 97.5 % quantile is that of a scatter which is cut
  /// off: the distribution of t with density rss^-k - (rss + cut)^-k instead of rss^-k, where
  /// k = dof / 2 and `ratio` is cut / rss.
  double cut_scale(double ratio) const;

  double dof() const { return dof_; }
  /// ln B(1/2, dof/2).
  double log_beta() const { return log_beta_; }

  /// Each thread keeps the tables that it needed.
  static const StudentTable& of(double dof);

 private:
  static constexpr std::size_t kPieces = 256;
  static constexpr std::size_t kRatios = 64;  ///< ln ratio from -8 to 24, by 0.5.
  struct Knot {
    double tail;
    double slope;  ///< Of the tail, over one piece.
  };
  double solve_cut(double ratio) const;

  double dof_;
  double log_beta_;
  std::array<Knot, kPieces + 1> knots_;
  std::array<double, kRatios + 1> cut_scales_;
};

}  // namespace scalelaw
