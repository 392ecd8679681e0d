#include "fit/broken_line.hpp"
#include "scalelaw/base/number.hpp"

#include <algorithm>
#include <cmath>

namespace scalelaw {
namespace {}  // namespace

double mean_of(std::span<const double> values, std::span<const double> mass) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += mass[i] * values[i];
    total += mass[i];
  }
  return sum / total;
}

double BrokenLine::Sums::rss() const {
  const double spread = xx - x * x / w;
  const double along = xy - x * y / w;
  const double total = yy - y * y / w;
  return std::max(0.0, total - (spread > 0 ? along * along / spread : 0));
}

BrokenLine::BrokenLine(std::span<const double> x, std::span<const double> mass)
    : x_(x.begin(), x.end()), mass_(mass.begin(), mass.end()), before_(x.size() + 1) {
  centre_ = mean_of(x_, mass_);
  for (double& value : x_) value -= centre_;
  std::vector<std::size_t> ends;  // End of the points at each x.
  for (std::size_t i = 1; i <= x_.size(); ++i) {
    if (i == x_.size() || x_[i] != x_[i - 1]) ends.push_back(i);
  }
  for (std::size_t level = kLevelsBesideBreak; level + kLevelsBesideBreak <= ends.size(); ++level) {
    const std::size_t count = ends[level - 1];
    splits_.push_back({count, x_[count - 1], x_[count]});
  }
}

/// The sums are about the mean of y, which keeps their digits.
void BrokenLine::sum_up(std::span<const double> y) {
  y_centre_ = mean_of(y, mass_);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double w = mass_[i];
    const double dy = y[i] - y_centre_;
    const Sums& last = before_[i];
    before_[i + 1] = {last.w + w,      last.x + w * x_[i],       last.xx + w * x_[i] * x_[i],
                      last.y + w * dy, last.xy + w * x_[i] * dy, last.yy + w * dy * dy};
  }
}

double BrokenLine::straight_rss(std::span<const double> y) {
  sum_up(y);
  return before_.back().rss();
}

/// Least squares on 1, min(x - knot, 0) and max(x - knot, 0), which share no point.
double BrokenLine::rss_with_knot(const Sums& left, const Sums& right, double knot) const {
  double weight = left.w + right.w;
  double level = left.y + right.y;
  double explained = 0;
  for (const Sums* part : {&left, &right}) {
    const double x = part->x - knot * part->w;
    const double xx = part->xx - knot * (2 * part->x - knot * part->w);
    const double xy = part->xy - knot * part->y;
    if (!(xx > 0)) continue;
    weight -= x * x / xx;
    level -= x * xy / xx;
    explained += xy * xy / xx;
  }
  explained += weight > 0 ? level * level / weight : 0;
  return std::max(0.0, left.yy + right.yy - explained);
}

/// The two free lines, if they meet in the gap; otherwise the better end of the gap.
BrokenLine::Break BrokenLine::break_in(const Split& split) const {
  const Sums& left = before_[split.count];
  const Sums right = before_.back() - left;
  const auto slope = [](const Sums& part) {
    return (part.xy - part.x * part.y / part.w) / (part.xx - part.x * part.x / part.w);
  };
  const double left_slope = slope(left);
  const double right_slope = slope(right);
  const double left_level = (left.y - left_slope * left.x) / left.w;
  const double right_level = (right.y - right_slope * right.x) / right.w;
  const double meeting = (right_level - left_level) / (left_slope - right_slope);
  if (meeting >= split.lower && meeting <= split.upper) return {meeting, left.rss() + right.rss()};
  const Break at_lower{split.lower, rss_with_knot(left, right, split.lower)};
  const Break at_upper{split.upper, rss_with_knot(left, right, split.upper)};
  return at_lower.rss <= at_upper.rss ? at_lower : at_upper;
}

BrokenLine::Break BrokenLine::best_break(std::span<const double> y) {
  sum_up(y);
  Break best{0, kInfinity};
  for (const Split& split : splits_) {
    const Break found = break_in(split);
    if (found.rss < best.rss) best = found;
  }
  best.place += centre_;
  return best;
}

/// What max(x - knot, 0) has beyond a line, times the roots of the masses, with length 1.
std::vector<double> BrokenLine::direction_at(double knot) const {
  const auto hinge = [knot](double x) { return std::max(x - knot, 0.0); };
  Sums sums;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double y = hinge(x_[i]);
    sums.w += mass_[i];
    sums.xx += mass_[i] * x_[i] * x_[i];
    sums.y += mass_[i] * y;
    sums.xy += mass_[i] * x_[i] * y;
  }
  std::vector<double> direction;
  double squares = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double beyond = hinge(x_[i]) - sums.y / sums.w - x_[i] * sums.xy / sums.xx;
    direction.push_back(std::sqrt(mass_[i]) * beyond);
    squares += direction.back() * direction.back();
  }
  for (double& component : direction) component /= std::sqrt(squares);
  return direction;
}

double BrokenLine::path_length() const {
  if (!possible()) return 0;
  double length = 0;
  std::vector<double> last = direction_at(splits_.front().lower);
  for (const Split& split : splits_) {
    std::vector<double> next = direction_at(split.upper);
    double chord2 = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      chord2 += (next[i] - last[i]) * (next[i] - last[i]);
    }
    length += 2 * std::asin(std::min(1.0, std::sqrt(chord2) / 2));
    last = std::move(next);
  }
  return length;
}

BrokenLine::Knot BrokenLine::at(double place) const {
  const double knot = place - centre_;
  const auto count = static_cast<std::size_t>(std::ranges::upper_bound(x_, knot) - x_.begin());
  /// The sums of one side about the knot.
  struct Side {
    double x;
    double xx;
    double xy;
  };
  const auto side_of = [knot](const Sums& part) {
    return Side{part.x - knot * part.w, part.xx - knot * (2 * part.x - knot * part.w),
                part.xy - knot * part.y};
  };
  const Sums& whole = before_.back();
  const Side left = side_of(before_[count]);
  const Side right = side_of(whole - before_[count]);
  const double weight = whole.w - left.x * left.x / left.xx - right.x * right.x / right.xx;
  Knot out{};
  out.level = (whole.y - left.x * left.xy / left.xx - right.x * right.xy / right.xx) / weight;
  out.left = (left.xy - left.x * out.level) / left.xx;
  out.right = (right.xy - right.x * out.level) / right.xx;
  out.level_variance = 1 / weight;
  out.left_variance = 1 / left.xx + (left.x / left.xx) * (left.x / left.xx) / weight;
  out.right_variance = 1 / right.xx + (right.x / right.xx) * (right.x / right.xx) / weight;
  out.level_left_covariance = -left.x / left.xx / weight;
  out.rss = std::max(0.0, whole.yy - left.xy * left.xy / left.xx - right.xy * right.xy / right.xx -
                              out.level * out.level * weight);
  out.level += y_centre_;
  return out;
}

}  // namespace scalelaw
