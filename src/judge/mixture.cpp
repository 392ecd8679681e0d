#include "scalelaw/judge/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "judge/levels.hpp"
#include "judge/student_table.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// A normal prior of a shape's parameter.
struct Prior {
  double mean;
  double sd;

  /// ln of the density there over that at the mean.
  double log_fall(double value) const {
    const double r = (value - mean) / sd;
    return -0.5 * r * r;
  }
  double log_top() const { return -std::log(sd) - 0.5 * std::log(2 * std::numbers::pi); }
};

// Priors of shares: parts of the time at the least x, where studies begin.
constexpr Prior kExponent{0.75, 0.25};
constexpr Prior kExponentAboveFloor{0.8, 0.2};
constexpr Prior kFloor{-3.5, 1.5};      ///< Of ln of the floor's share: 3 %.
constexpr Prior kSerial{-3.5, 1.5};     ///< Of ln of the serial work's share.
constexpr Prior kCoherency{-7.0, 1.5};  ///< Of ln of the share of coherency: 0.09 %.
constexpr Prior kBend{0.0, 0.04};  ///< The exponent changes by twice this over one unit of ln x.
/// By MixedLaw. Amdahl's law, a special case of two others, weighs less; laws with a shape of their
/// own that slow down at great x weigh more.
constexpr std::array<double, kMixedLaws> kLawPriors{1, 1, 1.5, 0.5, 1.5};
constexpr double kUsualScatter = 0.25;  ///< Greater scatter is less likely the greater it is.
constexpr double kCut = 2 * kUsualScatter * kUsualScatter;
/// The evidence between laws counts as that of n - 1 levels among n - 1 + this: none is quite true.
constexpr double kNoneIsTrue = 4;
constexpr double kLeastSquare = 1e-26;  ///< Square of the least relative scatter.
/// The same where a law of three parameters goes through all points and tells nothing of scatter.
constexpr double kHidden = 1e-6;
constexpr double kNegligible = 5e-4;  ///< Parts of less weight are left out.

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
  /// Variance of one row inside its level; 0 where rows are what scatters.
  double row_variance = 0;
  double rows_per_level = 0;
};

Levels levels_of(std::span<const Cell> cells, double sign) {
  Levels levels;
  double mass = 0;
  for (const Cell& cell : cells) {
    levels.row_sum += static_cast<double>(cell.count);
    mass += static_cast<double>(cell.count) * cell.weight;
  }
  const double share = levels.row_sum / mass;
  const std::vector<std::size_t> begins = level_begins(cells);
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    const auto level = cells.subspan(begins[k], begins[k + 1] - begins[k]);
    const LogMean mean = log_mean(level);
    const double z = std::log(level.front().x) - std::log(cells.back().x);
    levels.z.push_back(z);
    levels.scale.push_back(std::exp(z));
    levels.parallel.push_back(std::exp(-z));
    levels.y.push_back(sign * mean.mean);
    levels.rows.push_back(mean.weight * share);
    for (const Cell& cell : level) {
      const double from_mean = cell.mean_log - mean.mean;
      const auto count = static_cast<double>(cell.count);
      levels.within += cell.weight * share * (cell.ss_log + count * from_mean * from_mean);
      levels.smearing_within += count * cell.mean * std::exp(-mean.mean) / levels.row_sum;
    }
  }
  levels.points.resize(levels.y.size());
  return levels;
}

double least_square(const Levels& levels) { return levels.y.size() > 3 ? kLeastSquare : kHidden; }

/// ln of the integral over sigma of prod N(r; 0, sigma^2) / sigma but for the sum of squares, and
/// over the level.
double log_constant(double count) {
  return log_gamma(0.5 * (count - 1)) - 0.5 * (count - 1) * std::log(std::numbers::pi);
}

/// Rows scatter about the curve independently.
Evidence of_rows(const Levels& levels) {
  Evidence out{.weights = levels.rows, .mass = levels.row_sum, .count = levels.row_sum};
  out.within = levels.within + least_square(levels) * levels.row_sum;
  out.log_offset = log_constant(out.count) - 0.5 * std::log(out.mass);
  return out;
}

/// The means of levels scatter about the curve by a variance of their own, whatever that of rows.
Evidence of_levels(const Levels& levels) {
  const auto count = static_cast<double>(levels.y.size());
  Evidence out{.weights = std::vector(levels.y.size(), 1.0), .mass = count, .count = count};
  const double dof = levels.row_sum - count;
  const double within = levels.within + least_square(levels) * levels.row_sum;
  out.within = least_square(levels) * count;
  out.row_variance = within / dof;
  out.rows_per_level = levels.row_sum / count;
  out.log_offset = log_constant(count) - 0.5 * std::log(count);
  // The scatter of rows about their levels' means has a sigma of its own.
  out.log_offset += log_constant(dof + 1) - 0.5 * dof * std::log(within);
  for (const double rows : levels.rows) out.log_offset -= 0.5 * std::log(rows);
  // The ratio of the two sigmas may be anything within thirty units of its logarithm.
  out.log_offset -= std::log(2.0 * 30);
  return out;
}

/// Without repeats levels are rows. Two levels tell nothing of their scatter.
std::vector<Evidence> evidence_of(const Levels& levels) {
  std::vector<Evidence> out{of_rows(levels)};
  const auto count = static_cast<double>(levels.y.size());
  if (count > 2 && levels.row_sum > count) out.push_back(of_levels(levels));
  return out;
}

/// Sums of the residuals about one curve, whose level is solved exactly, and of its derivatives.
struct Sums {
  double level = 0;
  double rss = 0;  ///< With the scatter inside levels, and rounding.
  double slope_a = 0, slope_b = 0;
  double ra = 0, rb = 0;
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
constexpr std::array kPlaces{0.822317, 2.12928, 4.69117};
constexpr std::array kWidths{0.971012, 1.76431, 3.59743};
constexpr double kMiddleWidth = 0.75;

/// The posterior of one law.
template <MixedLaw kLaw>
class LawPosterior {
 public:
  static constexpr bool kHasA = kLaw != MixedLaw::kAmdahl;
  static constexpr bool kHasB = kLaw != MixedLaw::kPower;
  /// ln time is linear in a and b.
  static constexpr bool kIsStraight = kLaw == MixedLaw::kPower || kLaw == MixedLaw::kLognormal;

  LawPosterior(const Levels& levels, const Evidence& evidence)
      : levels_(levels),
        evidence_(evidence),
        prior_a_(prior_a()),
        prior_b_(prior_b()),
        log_offset_(evidence.log_offset) {
    dof_ = evidence.count - (kHasA ? 2 : 1);
    // The integral over a: int (rss + q d^2)^(-k - 1/2) dd = rss^-k q^-1/2 B(1/2, k).
    if constexpr (kHasA) log_offset_ += prior_a_.log_top() + StudentTable::of(dof_).log_beta();
    if constexpr (kHasB) log_offset_ += prior_b_.log_top();
    if constexpr (kIsStraight) find_least();
  }

  /// The node of greatest weight.
  Node mode() const {
    if constexpr (kLaw == MixedLaw::kPower) {
      const Node least = settled(least_a_);
      const Node usual = settled(kExponent.mean);
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
  Prior later(const Prior& first, double steps) const {
    return {first.mean - steps * levels_.z.front(), first.sd};
  }
  Prior prior_a() const {
    if constexpr (kLaw == MixedLaw::kFloor) return kExponentAboveFloor;
    if constexpr (kLaw == MixedLaw::kUsl) return later(kSerial, 1);
    return kExponent;
  }
  Prior prior_b() const {
    if constexpr (kLaw == MixedLaw::kFloor) return later(kFloor, kExponentAboveFloor.mean);
    if constexpr (kLaw == MixedLaw::kAmdahl) return later(kSerial, 1);
    if constexpr (kLaw == MixedLaw::kUsl) return later(kCoherency, 2);
    return kBend;
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
    sums.level -= a * least_.slope_a + b * least_.slope_b;
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
      Point& point = points[k];
      point = shape.at(levels_.z[k], levels_.scale[k], levels_.parallel[k]);
      const double weight = evidence_.weights[k];
      point.value = levels_.y[k] - point.value;
      sums.level += weight * point.value;
      if constexpr (kHasA) sums.slope_a += weight * point.a;
      if constexpr (kHasB) sums.slope_b += weight * point.b;
    }
    sums.level /= evidence_.mass;
    sums.slope_a /= evidence_.mass;
    sums.slope_b /= evidence_.mass;
    for (std::size_t k = 0; k < m; ++k) {
      const double weight = evidence_.weights[k];
      const double r = points[k].value - sums.level;
      sums.rss += weight * r * r;
      if constexpr (kHasA) {
        const double a_slope = points[k].a - sums.slope_a;
        sums.ra += weight * r * a_slope;
        sums.aa += weight * a_slope * a_slope;
      }
      if constexpr (kHasB) {
        const double b_slope = points[k].b - sums.slope_b;
        sums.rb += weight * r * b_slope;
        sums.bb += weight * b_slope * b_slope;
        if constexpr (kHasA) sums.ab += weight * b_slope * (points[k].a - sums.slope_a);
      }
    }
    sums.rss += evidence_.within;
    return sums;
  }

  double variance(const Sums& sums) const { return sums.rss / (evidence_.count - 1); }

  Node node_at(double a, double b) const { return weighed(a, b, sums_at(a, b)); }

  Node weighed(double a, double b, const Sums& sums) const {
    Node node{.a = a, .b = b, .log_weight = log_offset_, .sums = sums};
    if constexpr (kHasA) node.log_weight += prior_a_.log_fall(a);
    if constexpr (kHasB) node.log_weight += prior_b_.log_fall(b);
    if constexpr (kHasA) {
      node.spread = sums.aa + variance(sums) / (prior_a_.sd * prior_a_.sd);
      node.log_weight -= 0.5 * std::log(node.spread);
    }
    // rss^-k - (rss + cut)^-k: sigma is flat in its logarithm up to the usual scatter.
    const double k = 0.5 * dof_;
    const double log_rss = std::log(sums.rss);
    const double cut = k * (log_rss - std::log(sums.rss + kCut));
    node.log_weight += -k * log_rss + std::log(1 - std::exp(cut));
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
    part.slope = node.sums.slope_a;
    part.spread = node.spread;
    parts.push_back(part);
  }

  const Levels& levels_;
  const Evidence& evidence_;
  Prior prior_a_;
  Prior prior_b_;
  double log_offset_;
  double dof_ = 0;
  double least_a_ = 0;  ///< Of the least-squares curve, where the law is linear.
  double least_b_ = 0;
  Sums least_;
};

/// Turns the residual sum of squares into the scale of what scatters, and tells what of it runs at
/// one x have in common.
void set_scatter(MixturePart& part, const Evidence& evidence) {
  const double rss = part.scale;
  part.misfit = (rss - evidence.within) / evidence.count;
  part.scale = std::sqrt(rss / part.dof) * StudentTable::of(part.dof).cut_scale(kCut / rss);
  if (!(evidence.row_variance > 0)) return;
  part.own = std::min(evidence.row_variance / (part.scale * part.scale), evidence.rows_per_level);
  part.shared = 1 - part.own / evidence.rows_per_level;
}

template <MixedLaw kLaw>
void add_law(const Levels& levels, std::span<const Evidence> evidence,
             std::vector<MixturePart>& parts) {
  for (const Evidence& one : evidence) {
    const std::size_t first = parts.size();
    const LawPosterior<kLaw> posterior(levels, one);
    posterior.add_around(posterior.mode(), parts);
    for (MixturePart& part : std::span(parts).subspan(first)) set_scatter(part, one);
  }
}

double total(const std::vector<MixturePart>& parts) {
  double sum = 0;
  for (const MixturePart& part : parts) sum += part.weight;
  return sum;
}

/// From logarithms of weights to weights, with the evidence between laws tempered.
void weigh(Mixture& mixture, std::size_t levels) {
  double greatest = -HUGE_VAL;
  for (const MixturePart& part : mixture.parts) greatest = std::max(greatest, part.weight);
  std::array<double, kMixedLaws> sums{};
  for (MixturePart& part : mixture.parts) {
    part.weight = std::exp(part.weight - greatest);
    sums[static_cast<std::size_t>(part.law)] += part.weight;
  }
  mixture.likeliest =
      static_cast<MixedLaw>(std::max_element(sums.begin(), sums.end()) - sums.begin());
  const double steps = static_cast<double>(levels) - 1;
  const double temper = steps / (steps + kNoneIsTrue);
  double sum = 0;
  for (std::size_t law = 0; law < kMixedLaws; ++law) {
    mixture.weights[law] = sums[law] > 0 ? kLawPriors[law] * std::pow(sums[law], temper) : 0;
    sum += mixture.weights[law];
  }
  for (double& weight : mixture.weights) weight /= sum;
  for (MixturePart& part : mixture.parts) {
    const auto law = static_cast<std::size_t>(part.law);
    part.weight *= mixture.weights[law] / sums[law];
  }
}

/// Leaves out negligible parts.
void finish(Mixture& mixture, const Levels& levels) {
  std::vector<MixturePart>& parts = mixture.parts;
  std::erase_if(parts, [](const MixturePart& part) { return !(part.weight > kNegligible); });
  if (parts.empty()) {
    throw FitError(FailureCode::kNotIdentifiable, "no law has a weight: x or y range too far");
  }
  const double sum = total(parts);
  double variance = 0;
  double misfit = 0;
  mixture.weights = {};
  for (MixturePart& part : parts) {
    part.weight /= sum;
    mixture.weights[static_cast<std::size_t>(part.law)] += part.weight;
    misfit += part.weight * part.misfit;
    variance += part.weight * part.scale * part.scale * (part.own + part.shared);
  }
  mixture.sigma = std::sqrt(variance);
  mixture.smearing = levels.smearing_within * (1 + 0.5 * misfit);
}

}  // namespace

const Law& law_of(MixedLaw law) {
  static const std::array<const Law*, kMixedLaws> laws{find_law("power"), find_law("lognormal"),
                                                       find_law("floor"), find_law("amdahl"),
                                                       find_law("usl")};
  return *laws[static_cast<std::size_t>(law)];
}

Mixture mixture_of(std::span<const Cell> cells, double sign) {
  const Levels levels = levels_of(cells, sign);
  const std::vector<Evidence> evidence = evidence_of(levels);
  Mixture mixture;
  std::vector<MixturePart>& parts = mixture.parts;
  parts.reserve(evidence.size() * kMixedLaws * (2 * kPlaces.size() + 1));
  add_law<MixedLaw::kPower>(levels, evidence, parts);
  add_law<MixedLaw::kLognormal>(levels, evidence, parts);
  add_law<MixedLaw::kFloor>(levels, evidence, parts);
  add_law<MixedLaw::kAmdahl>(levels, evidence, parts);
  add_law<MixedLaw::kUsl>(levels, evidence, parts);
  weigh(mixture, levels.y.size());
  finish(mixture, levels);
  return mixture;
}

double log_shape(const MixturePart& part, double z) {
  switch (part.law) {
    case MixedLaw::kPower:
      return -part.a * z;
    case MixedLaw::kLognormal:
      return (part.b * z - part.a) * z;
    case MixedLaw::kFloor:
      return std::log(std::exp(-part.a * z) + std::exp(part.b));
    case MixedLaw::kAmdahl:
      return std::log(std::exp(-z) + std::exp(part.b));
    case MixedLaw::kUsl:
      return std::log(std::exp(-z) + std::exp(part.a) + std::exp(part.b + z));
  }
  return 0;
}

std::vector<double> parameters_of(const MixturePart& part, double x_max, double sign) {
  const double last = std::log(x_max);
  const auto alpha = [&](double log_time) { return std::exp(sign * log_time); };
  switch (part.law) {
    case MixedLaw::kPower:
      return {alpha(part.level + part.a * last), part.a};
    case MixedLaw::kLognormal:
      return {sign * (part.level + (part.a + part.b * last) * last), part.a + 2 * part.b * last,
              sign * part.b};
    case MixedLaw::kFloor:
      return {alpha(part.level + part.a * last), part.a, std::exp(part.level + part.b)};
    case MixedLaw::kAmdahl: {
      const double serial = std::exp(part.b);
      return {alpha(part.level + std::log(x_max + serial)), serial / (x_max + serial)};
    }
    case MixedLaw::kUsl: {
      const double coherency = std::exp(part.b) / x_max;
      const double first = x_max + std::exp(part.a) + coherency;
      return {alpha(part.level + std::log(first)), (std::exp(part.a) + coherency) / first,
              coherency / first};
    }
  }
  return {};
}

LogTimes::LogTimes(const Mixture& mixture, double z) {
  parts_.reserve(mixture.parts.size());
  for (const MixturePart& part : mixture.parts) {
    const double shape = log_shape(part, z);
    double leverage = 1 / part.mass;
    if (part.spread > 0) {
      double slope = -z;
      if (part.law == MixedLaw::kFloor) slope *= 1 - std::exp(part.b - shape);
      if (part.law == MixedLaw::kUsl) slope = std::exp(part.a - shape);
      leverage += (slope - part.slope) * (slope - part.slope) / part.spread;
    }
    const bool same = !parts_.empty() && parts_.back().known->dof == part.dof;
    const StudentTable* const table = same ? parts_.back().table : &StudentTable::of(part.dof);
    parts_.push_back(
        {&part, part.weight, part.level + shape, leverage, part.scale, 1 / part.scale, table});
  }
}

LogTimes& LogTimes::of_runs(double runs) {
  for (Part& part : parts_) {
    part.scale =
        part.known->scale * std::sqrt(part.leverage + part.known->own / runs + part.known->shared);
    part.inverse_scale = 1 / part.scale;
  }
  return *this;
}

LogTimes& LogTimes::of_curve() {
  for (Part& part : parts_) {
    part.scale = part.known->scale * std::sqrt(part.leverage);
    part.inverse_scale = 1 / part.scale;
  }
  return *this;
}

double LogTimes::scatter_at(double at) const {
  double sum = 0;
  double mass = 0;
  for (const Part& part : parts_) {
    const double t = (at - part.centre) * part.inverse_scale;
    const double density = part.weight * part.table->at(t).density * part.inverse_scale;
    sum += density * part.known->scale;
    mass += density;
  }
  return sum / mass;
}

double LogTimes::quantile(double probability) const {
  const double confidence = std::abs(2 * probability - 1);
  const double side = probability < 0.5 ? -1 : 1;
  double low = HUGE_VAL;  // The quantile lies between those of the parts.
  double high = -HUGE_VAL;
  double mean = 0;
  double square = 0;
  double dof = 0;
  double reach = 0;
  const double first = parts_.front().centre;
  for (const Part& part : parts_) {
    if (confidence > 0 && part.known->dof != dof) {
      dof = part.known->dof;
      reach = side * student_t_factor(confidence, dof);
    }
    const double end = part.centre + part.scale * reach;
    low = std::min(low, end);
    high = std::max(high, end);
    const double from_first = part.centre - first;
    mean += part.weight * from_first;
    square += part.weight * (from_first * from_first + part.scale * part.scale);
  }
  const double sd = std::sqrt(std::max(square - mean * mean, 0.0));
  const double start = first + mean + (confidence > 0 ? side * 2 * sd : 0);
  double at = std::clamp(start, low, high);
  // Newton's steps in ln of the tail, which is nearly straight where the density is not.
  const double tail = std::min(probability, 1 - probability);
  constexpr double kClose = 1e-4;  // Of ln tail; one more step squares it.
  for (int i = 0; i < 100; ++i) {
    double below = 0;
    double density = 0;
    for (const Part& part : parts_) {
      const StudentTable::Value value = part.table->at((at - part.centre) * part.inverse_scale);
      below += part.weight * value.cdf;
      density += part.weight * value.density * part.inverse_scale;
    }
    (below > probability ? high : low) = at;
    const double beyond = side < 0 ? below : 1 - below;
    const double excess = std::log(beyond / tail);
    const double next = at + side * excess * beyond / density;
    if (next > low && next < high) {
      at = next;
      if (std::abs(excess) < kClose) break;
    } else {
      const double middle = 0.5 * (low + high);
      if (!(middle > low && middle < high)) break;
      at = middle;
    }
  }
  return at;
}

}  // namespace scalelaw
