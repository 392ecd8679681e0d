#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "judge/student_table.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/judge/mixture.hpp"
#include "scalelaw/statistics/distributions.hpp"

/// How probable the parameters of one law of a mixture are: priors, likelihood, and the nodes that
/// stand for the posterior (docs/explanation/forecasts.md).
namespace scalelaw::posterior {

inline constexpr double kUsualScatter =
    0.25;  ///< Greater scatter is less likely the greater it is.
inline constexpr double kCut = 2 * kUsualScatter * kUsualScatter;

/// ln of the density there over that at the mean.
inline double log_fall(const NormalPrior& prior, double value) {
  const double r = (value - prior.mean) / prior.sd;
  return -0.5 * r * r;
}
inline double log_top(const NormalPrior& prior) {
  return -std::log(prior.sd) - 0.5 * std::log(2 * std::numbers::pi);
}

/// ln shape and its derivatives at one level.
struct Point {
  double value;
  double a;
  double b;
};

/// The mean ln time at every x.
struct Levels {
  std::vector<double> z;         ///< ln(x / x_max).
  std::vector<double> scale;     ///< x / x_max.
  std::vector<double> parallel;  ///< Its inverse.
  std::vector<double> y;
  std::vector<double> rows;  ///< Weighted; their sum is the number of rows.
  double within = 0;         ///< Sum of squares of ln y about the levels' means.
  double row_sum = 0;
  double smearing_within = 0;         ///< Mean over rows of y / exp(mean ln y).
  mutable std::vector<Point> points;  ///< Room for one curve.
};

/// What the data are to a curve: all rows, or only the means of levels whose scatter is not that of
/// their rows.
struct Evidence {
  std::vector<double> weights;  ///< Of levels: inverse variances, in units of what scatters.
  double mass = 0;              ///< Their sum.
  double count = 0;             ///< Of what scatters: rows or levels.
  double within = 0;            ///< Sum of squares that no curve takes away.
  double log_offset = 0;        ///< Of the marginal likelihood.
  double prior_dof = 0;         ///< Degrees of freedom of the prior of what scatters; 0: cut.
  bool of_levels = true;        ///< As of MixturePart.
  /// Variance of one row inside its level; 0 where rows are what scatters.
  double row_variance = 0;
  double rows_per_level = 0;
  double reach = 0;  ///< As of MixturePart.
  /// How much of the residual of the level before is taken from that of each; 0 if independent.
  std::vector<double> carry = std::vector<double>(weights.size());
};

Levels levels_of(std::span<const Cell> cells, double sign);

/// Without repeats levels are rows. Two levels tell nothing of their scatter.
std::vector<Evidence> evidence_of(const Levels& levels, const LawPriors& priors);

/// Sums of the residuals about one curve, whose level is solved exactly, and of its derivatives.
struct Sums {
  double level = 0;
  double rss = 0;  ///< With the scatter inside levels, and rounding.
  double slope_a = 0, slope_b = 0;
  double ra = 0, rb = 0;
  double last = 0, slope_last = 0;  ///< As of MixturePart.
  double aa = 0, ab = 0, bb = 0;
};

template <MixedLaw kLaw>
class Shape {
 public:
  Shape(double a, double b) : a_(a), b_(b) {
    if constexpr (kLaw != MixedLaw::kPower && kLaw != MixedLaw::kLognormal) exp_b_ = std::exp(b);
    if constexpr (kLaw == MixedLaw::kUsl) exp_a_ = std::exp(a);
  }
  Point at(double z, double scale, double parallel) const {
    if constexpr (kLaw == MixedLaw::kPower) return {-a_ * z, -z, 0};
    if constexpr (kLaw == MixedLaw::kLognormal) return {(b_ * z - a_) * z, -z, z * z};
    if constexpr (kLaw == MixedLaw::kFloor) {
      const double power = std::exp(-a_ * z);
      const double time = power + exp_b_;
      const double inverse = 1 / time;
      return {std::log(time), -z * power * inverse, exp_b_ * inverse};
    }
    if constexpr (kLaw == MixedLaw::kAmdahl) {
      const double time = parallel + exp_b_;
      return {std::log(time), 0, exp_b_ / time};
    }
    const double coherency = exp_b_ * scale;
    const double time = parallel + exp_a_ + coherency;
    const double inverse = 1 / time;
    return {std::log(time), exp_a_ * inverse, coherency * inverse};
  }

 private:
  double a_;
  double b_;
  double exp_a_ = 0;
  double exp_b_ = 0;
};

/// A point of a law's posterior.
struct Node {
  double a = 0;
  double b = 0;
  double log_weight = 0;
  Sums sums{};
  double spread = 0;
};

/// Places of nodes on either side of the mode in standard deviations, sinh(0.75 i), and their
/// widths, 0.75 cosh(0.75 i).
inline constexpr std::array kPlaces{0.822317, 2.12928, 4.69117};
inline constexpr std::array kWidths{0.971012, 1.76431, 3.59743};
inline constexpr double kMiddleWidth = 0.75;

/// The posterior of one law.
template <MixedLaw kLaw>
class LawPosterior {
 public:
  static constexpr bool kHasA = kLaw != MixedLaw::kAmdahl;
  static constexpr bool kHasB = kLaw != MixedLaw::kPower;
  /// ln time is linear in a and b.
  static constexpr bool kIsStraight = kLaw == MixedLaw::kPower || kLaw == MixedLaw::kLognormal;

  LawPosterior(const Levels& levels, const Evidence& evidence, const LawPriors& priors)
      : levels_(levels),
        evidence_(evidence),
        priors_(priors),
        prior_a_(prior_a()),
        prior_b_(prior_b()),
        log_offset_(evidence.log_offset) {
    dof_ = evidence.count + evidence.prior_dof - (kHasA ? 2 : 1);
    // The integral over a: int (rss + q d^2)^(-k - 1/2) dd = rss^-k q^-1/2 B(1/2, k).
    if constexpr (kHasA) log_offset_ += log_top(prior_a_) + StudentTable::of(dof_).log_beta();
    if constexpr (kHasB) log_offset_ += log_top(prior_b_);
    if constexpr (kIsStraight) find_least();
  }

  /// The node of greatest weight.
  Node mode() const {
    if constexpr (kLaw == MixedLaw::kPower) {
      const Node least = settled(least_a_);
      const Node usual = settled(priors_.exponent.mean);
      return usual.log_weight > least.log_weight ? usual : least;
    } else {
      return mode_from(best_start());
    }
  }

  void add_around(const Node& mode, std::vector<MixturePart>& parts) const {
    if constexpr (kLaw == MixedLaw::kPower) {
      add(mode, 0, parts);
    } else {
      add_line(mode, parts);
    }
  }

 private:
  /// Of shares at the greatest x, where time has fallen by the range of x to the power of `steps`.
  NormalPrior later(const NormalPrior& first, double steps) const {
    return {first.mean - steps * levels_.z.front(), first.sd};
  }
  NormalPrior prior_a() const {
    if constexpr (kLaw == MixedLaw::kFloor) return priors_.exponent_above_floor;
    if constexpr (kLaw == MixedLaw::kUsl) return later(priors_.serial, 1);
    return priors_.exponent;
  }
  NormalPrior prior_b() const {
    if constexpr (kLaw == MixedLaw::kFloor)
      return later(priors_.floor, priors_.exponent_above_floor.mean);
    if constexpr (kLaw == MixedLaw::kAmdahl) return later(priors_.serial, 1);
    if constexpr (kLaw == MixedLaw::kUsl) return later(priors_.coherency, 2);
    return priors_.bend;
  }

  Sums sums_at(double a, double b) const {
    if constexpr (kIsStraight) {
      return sums_from_least(a - least_a_, b - least_b_);
    } else {
      return sums_over_levels(a, b);
    }
  }

  /// Sets the least-squares curve of a law that is linear in a and b.
  void find_least() {
    least_ = sums_over_levels(0, 0);
    const double determinant = least_.aa * least_.bb - least_.ab * least_.ab;
    if (kHasB && determinant > 1e-9 * least_.aa * least_.bb) {
      least_a_ = (least_.bb * least_.ra - least_.ab * least_.rb) / determinant;
      least_b_ = (least_.aa * least_.rb - least_.ab * least_.ra) / determinant;
    } else {
      least_a_ = least_.ra / least_.aa;
    }
    least_ = sums_over_levels(least_a_, least_b_);
  }

  /// The sums about every other curve of such a law follow, without a loop over the levels.
  Sums sums_from_least(double a, double b) const {
    Sums sums = least_;
    const double rise = a * least_.slope_a + b * least_.slope_b;
    sums.level -= rise;
    sums.last += rise;
    sums.ra = -a * least_.aa - b * least_.ab;
    sums.rb = -a * least_.ab - b * least_.bb;
    sums.rss -= a * sums.ra + b * sums.rb;
    return sums;
  }

  Sums sums_over_levels(double a, double b) const {
    const Shape<kLaw> shape(a, b);
    const std::size_t m = levels_.y.size();
    Point* const points = levels_.points.data();
    Sums sums;
    for (std::size_t k = 0; k < m; ++k) {
      points[k] = shape.at(levels_.z[k], levels_.scale[k], levels_.parallel[k]);
      points[k].value = levels_.y[k] - points[k].value;
    }
    sums.last = points[m - 1].value;
    sums.slope_last = points[m - 1].a;
    if (evidence_.reach > 0) make_independent(points);
    for (std::size_t k = 0; k < m; ++k) {
      const Point& point = points[k];
      const double weight = evidence_.weights[k] * (1 - evidence_.carry[k]);
      sums.level += weight * point.value;
      if constexpr (kHasA) sums.slope_a += weight * point.a;
      if constexpr (kHasB) sums.slope_b += weight * point.b;
    }
    sums.level /= evidence_.mass;
    sums.slope_a /= evidence_.mass;
    sums.slope_b /= evidence_.mass;
    sums.last -= sums.level;
    for (std::size_t k = 0; k < m; ++k) {
      const double weight = evidence_.weights[k];
      const double one = 1 - evidence_.carry[k];
      const double r = points[k].value - one * sums.level;
      sums.rss += weight * r * r;
      if constexpr (kHasA) {
        const double a_slope = points[k].a - one * sums.slope_a;
        sums.ra += weight * r * a_slope;
        sums.aa += weight * a_slope * a_slope;
      }
      if constexpr (kHasB) {
        const double b_slope = points[k].b - one * sums.slope_b;
        sums.rb += weight * r * b_slope;
        sums.bb += weight * b_slope * b_slope;
        if constexpr (kHasA) sums.ab += weight * b_slope * (points[k].a - one * sums.slope_a);
      }
    }
    sums.rss += evidence_.within;
    return sums;
  }

  /// Residuals and derivatives of levels that depend on each other, as those of independent ones.
  void make_independent(Point* points) const {
    for (std::size_t k = levels_.y.size(); k-- > 1;) {
      const double carry = evidence_.carry[k];
      points[k].value -= carry * points[k - 1].value;
      points[k].a -= carry * points[k - 1].a;
      points[k].b -= carry * points[k - 1].b;
    }
  }

  double variance(const Sums& sums) const {
    return sums.rss / (evidence_.count + evidence_.prior_dof - 1);
  }

  Node node_at(double a, double b) const { return weighed(a, b, sums_at(a, b)); }

  Node weighed(double a, double b, const Sums& sums) const {
    Node node{.a = a, .b = b, .log_weight = log_offset_, .sums = sums};
    if constexpr (kHasA) node.log_weight += log_fall(prior_a_, a);
    if constexpr (kHasB) node.log_weight += log_fall(prior_b_, b);
    if constexpr (kHasA) {
      node.spread = sums.aa + variance(sums) / (prior_a_.sd * prior_a_.sd);
      node.log_weight -= 0.5 * std::log(node.spread);
    }
    // rss^-k - (rss + cut)^-k: sigma is flat in its logarithm up to the usual scatter.
    const double k = 0.5 * dof_;
    const double log_rss = std::log(sums.rss);
    double of_scatter = -k * log_rss;
    if (evidence_.prior_dof == 0) {
      of_scatter += std::log(1 - std::exp(k * (log_rss - std::log(sums.rss + kCut))));
    }
    node.log_weight += of_scatter;
    return node;
  }

  /// Newton's step of a to the greatest weight with the same b.
  double step_of_a(double a, const Sums& sums) const {
    const double prior = variance(sums) / (prior_a_.sd * prior_a_.sd);
    return std::clamp((sums.ra + prior * (prior_a_.mean - a)) / (sums.aa + prior), -0.5, 0.5);
  }

  /// The node of greatest weight with that b, near a; the curve is taken as straight in a.
  Node given_b(double a, double b) const {
    Sums sums = sums_at(a, b);
    if constexpr (kHasA) {
      double step = step_of_a(a, sums);
      if (!kIsStraight && std::abs(step) > 0.1) {
        a += step;
        sums = sums_at(a, b);
        step = step_of_a(a, sums);
      }
      sums.rss = std::max(sums.rss - step * (2 * sums.ra - step * sums.aa), evidence_.within);
      sums.level -= step * sums.slope_a;
      sums.last += step * (sums.slope_a - sums.slope_last);
      a += step;
    }
    return weighed(a, b, sums);
  }

  /// Of the power law: follows the steps of a to their end.
  Node settled(double a) const {
    constexpr int kMostSteps = 60;
    for (int i = 0; i < kMostSteps; ++i) {
      const double step = step_of_a(a, sums_at(a, 0));
      a += step;
      if (std::abs(step) < 1e-12) break;
    }
    return node_at(a, 0);
  }

  Node best_start() const {
    Node best;
    best.log_weight = -HUGE_VAL;
    const auto offer = [&](double a, double b) {
      const Node node = node_at(a, b);
      if (node.log_weight > best.log_weight) best = node;
    };
    for (const double place : {-1.5, 0.0, 1.5}) {
      offer(prior_a_.mean, prior_b_.mean + place * prior_b_.sd);
    }
    if constexpr (kIsStraight) offer(least_a_, least_b_);
    return best;
  }

  struct Step {
    double a;
    double b;
  };
  struct Curvatures {
    double aa, ab, bb;
  };
  /// Of half the deviance, times the variance.
  Curvatures curvatures(const Sums& sums) const {
    const double s2 = variance(sums);
    const double aa = kHasA ? sums.aa + s2 / (prior_a_.sd * prior_a_.sd) : 1;
    return {aa, sums.ab, sums.bb + s2 / (prior_b_.sd * prior_b_.sd)};
  }
  Step step_from(const Node& node) const {
    const Sums& sums = node.sums;
    const double s2 = variance(sums);
    const auto [aa, ab, bb] = curvatures(sums);
    const double pull_a =
        kHasA ? sums.ra + s2 * (prior_a_.mean - node.a) / (prior_a_.sd * prior_a_.sd) : 0;
    const double pull_b = sums.rb + s2 * (prior_b_.mean - node.b) / (prior_b_.sd * prior_b_.sd);
    const double determinant = aa * bb - ab * ab;
    return {(bb * pull_a - ab * pull_b) / determinant, (aa * pull_b - ab * pull_a) / determinant};
  }

  Node mode_from(Node node) const {
    constexpr int kMostSteps = 40;
    double damping = 1;
    for (int i = 0; i < kMostSteps; ++i) {
      Step step = step_from(node);
      const double longest = std::max(std::abs(step.a) / 1.0, std::abs(step.b) / 2.0);
      const double factor = damping * (longest > 1 ? 1 / longest : 1);
      if (!(longest > 1e-15)) break;
      const Node next = node_at(node.a + factor * step.a, node.b + factor * step.b);
      const double gain = next.log_weight - node.log_weight;
      if (gain > -1e-9) {
        node = next;
        damping = std::min(1.0, 2 * damping);
        if (gain < 1e-3) break;
      } else {
        damping *= 0.25;
        if (damping < 1e-4) break;
      }
    }
    return node;
  }

  /// A node further along b, to which a follows.
  Node next_to(const Node& last, double b) const {
    const double follow = kHasA ? -last.sums.ab / curvatures(last.sums).aa : 0;
    return given_b(last.a + follow * (b - last.b), b);
  }

  /// How far the weight reaches on one side of the mode along b, while a follows: one standard
  /// deviation of a normal distribution that has fallen as much.
  double reach(const Node& mode, double size) const {
    const double drop = mode.log_weight - next_to(mode, mode.b + size).log_weight;
    return std::abs(size) * std::sqrt(0.5 / std::clamp(drop, 0.06, 4.0));
  }

  /// Nodes along b, which the points determine least.
  void add_line(const Node& mode, std::vector<MixturePart>& parts) const {
    const auto [aa, ab, bb] = curvatures(mode.sums);
    const double size = std::sqrt(variance(mode.sums) * aa / (aa * bb - ab * ab));
    double middle = 0;
    for (const double side : {-1.0, 1.0}) {
      const double unit = reach(mode, side * size);
      middle += 0.5 * unit;
      Node node = mode;
      for (std::size_t i = 0; i < kPlaces.size(); ++i) {
        node = next_to(node, mode.b + side * unit * kPlaces[i]);
        add(node, std::log(unit * kWidths[i]), parts);
      }
    }
    add(mode, std::log(middle * kMiddleWidth), parts);
  }

  void add(const Node& node, double log_width, std::vector<MixturePart>& parts) const {
    MixturePart part{.law = kLaw, .weight = node.log_weight + log_width, .a = node.a, .b = node.b};
    part.level = node.sums.level;
    part.scale = node.sums.rss;  // Until set_scatter() takes its root.
    part.dof = dof_;
    part.mass = evidence_.mass;
    part.reach = evidence_.reach;
    part.last = node.sums.last;
    part.slope_last = node.sums.slope_last;
    part.slope = node.sums.slope_a;
    part.spread = node.spread;
    part.of_levels = evidence_.of_levels;
    parts.push_back(part);
  }

  const Levels& levels_;
  const Evidence& evidence_;
  const LawPriors& priors_;
  NormalPrior prior_a_;
  NormalPrior prior_b_;
  double log_offset_;
  double dof_ = 0;
  double least_a_ = 0;  ///< Of the least-squares curve, where the law is linear.
  double least_b_ = 0;
  Sums least_;
};

}  // namespace scalelaw::posterior
