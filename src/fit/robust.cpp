#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "base/per_thread.hpp"
#include "fit/robust_fit.hpp"
#include "scalelaw/fit/robust.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/quantiles.hpp"

namespace scalelaw {
namespace {

// Huber's M estimate.

constexpr double kTuning = 1.345;                  ///< 95 % efficiency under normal errors.
constexpr double kNormalMad = 0.6744897501960817;  ///< Third quartile of the standard normal.
constexpr int kMaxRounds = 5000;

/// The residual of point i in units in which all points scatter alike.
double whitened(const FitPoints& points, std::span<const double> residuals, std::size_t i) {
  return std::sqrt(points.cells[i].weight) * residuals[i];
}

double scale_of(const FitPoints& points, std::span<const double> residuals,
                std::vector<double>& sizes) {
  sizes.resize(residuals.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = std::abs(whitened(points, residuals, i));
  }
  const double scale = median_of(sizes) / kNormalMad;
  const double noise = std::sqrt(noise_floor(points, 0) / points.total_mass);
  return scale > noise ? scale : 0;
}

/// Sets the masses to the weights of the points, times what factor(i) says of each.
template <class Factor>
void set_masses(FitPoints& points, Factor factor) {
  points.total_mass = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points.mass[i] = points.cells[i].weight * factor(i);
    points.total_mass += points.mass[i];
  }
}

double relative_change(const SmallVector& before, const SmallVector& after, std::size_t p) {
  double change = 0;
  for (std::size_t k = 0; k < p; ++k) {
    const double size = std::max(std::abs(after[k]), 1e-6);
    change = std::max(change, std::abs(after[k] - before[k]) / size);
  }
  return change;
}

// The line of Theil and Sen.

struct Point {
  double x;
  double y;
};

std::vector<Point> sorted_points(std::span<const double> x, std::span<const double> y) {
  std::vector<Point> points(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) points[i] = {x[i], y[i]};
  std::ranges::sort(points, [](const Point& a, const Point& b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
  });
  return points;
}

/// The sum of k (k - 1) (2k + 5) over groups of k equal values, and the pairs within them.
struct Ties {
  double correction = 0;
  double pairs = 0;
};

Ties ties_of(std::vector<double> values) {
  std::ranges::sort(values);
  Ties ties;
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin;
    while (end < values.size() && values[end] == values[begin]) ++end;
    const auto k = static_cast<double>(end - begin);
    ties.correction += k * (k - 1) * (2 * k + 5);
    ties.pairs += k * (k - 1) / 2;
    begin = end;
  }
  return ties;
}

/// The slopes of all pairs with different x, found by rank, and not stored if there are many.
class SlopeRanks {
 public:
  explicit SlopeRanks(std::span<const Point> points) : points_(points) {
    if (points.size() <= kFewPoints) {
      list_slopes();
      return;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i == 0 || points[i - 1].x < points[i].x) run_begins_.push_back(i);
    }
    run_begins_.push_back(points.size());
  }

  double at(std::size_t rank) {
    if (slopes_.empty()) return by_search(rank);
    const auto nth = slopes_.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(slopes_.begin(), nth, slopes_.end());
    return *nth;
  }

 private:
  static constexpr std::size_t kFewPoints = 1000;  ///< Half a million slopes: 4 MB.

  struct Count {
    double slope;
    std::size_t below;  ///< So many slopes are smaller.
  };

  void list_slopes() {
    for (std::size_t j = 1; j < points_.size(); ++j) {
      for (std::size_t i = 0; i < j && points_[i].x < points_[j].x; ++i) {
        slopes_.push_back((points_[j].y - points_[i].y) / (points_[j].x - points_[i].x));
      }
    }
  }

  /// How many slopes are below s: the inversions of y - s x among points sorted by x. Points of
  /// equal x are sorted by y, so they add none, and merging starts from them.
  std::size_t count_below(double s) {
    keys_.resize(points_.size());
    buffer_.resize(points_.size());
    for (std::size_t i = 0; i < points_.size(); ++i) keys_[i] = points_[i].y - s * points_[i].x;
    std::size_t inversions = 0;
    const std::size_t runs = run_begins_.size() - 1;
    const auto begin_of = [&](std::size_t run) { return run_begins_[std::min(run, runs)]; };
    for (std::size_t width = 1; width < runs; width *= 2) {
      for (std::size_t run = 0; run < runs; run += 2 * width) {
        inversions += merge(begin_of(run), begin_of(run + width), begin_of(run + 2 * width));
      }
      keys_.swap(buffer_);
    }
    return inversions;
  }

  std::size_t merge(std::size_t begin, std::size_t middle, std::size_t end) {
    std::size_t inversions = 0;
    std::size_t left = begin;
    std::size_t right = middle;
    for (std::size_t out = begin; out < end; ++out) {
      if (left < middle && (right == end || keys_[left] <= keys_[right])) {
        buffer_[out] = keys_[left++];
      } else {
        inversions += middle - left;
        buffer_[out] = keys_[right++];
      }
    }
    return inversions;
  }

  /// A slope that is steeper than all, and one that changes no fitted value's last digit.
  struct Bounds {
    double steepest;
    double least;
  };
  Bounds bounds() const {
    const auto [low, high] = std::ranges::minmax_element(points_, {}, &Point::y);
    const double range = points_.back().x - points_.front().x;
    double narrowest = range;
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const double step = points_[i].x - points_[i - 1].x;
      if (step > 0) narrowest = std::min(narrowest, step);
    }
    const double rise = high->y - low->y;
    return {rise / narrowest, 1e-17 * rise / range};
  }

  /// The greatest s with at most `rank` slopes below it. Every count narrows the search for all
  /// ranks. Steps follow the straight line between two counts, and halve where it does not help.
  double by_search(std::size_t rank) {
    if (counts_.empty()) count_at_bounds();
    auto high = std::ranges::upper_bound(counts_, rank, {}, &Count::below);
    Count above = *high;
    Count under = *std::prev(high);
    bool halve = false;
    while (true) {
      const double width = above.slope - under.slope;
      const double middle = under.slope + 0.5 * width;
      const double size = std::max(std::abs(under.slope), std::abs(above.slope));
      if (width <= std::max(least_, 1e-15 * size) || middle <= under.slope ||
          middle >= above.slope) {
        return middle;
      }
      const Count next = count_at(halve ? middle : between(under, above, rank));
      (next.below <= rank ? under : above) = next;
      halve = above.slope - under.slope > 0.5 * width;
    }
  }

  /// Where a straight line from one count to the other meets the rank, a little inside both.
  static double between(const Count& under, const Count& above, std::size_t rank) {
    const double share = (static_cast<double>(rank - under.below) + 0.5) /
                         static_cast<double>(above.below - under.below);
    // The margin lets both ends close in on the rank.
    const double inside =
        std::clamp(share < 0.5 ? 1.01 * share : 1.01 * share - 0.01, 0.001, 0.999);
    const double slope = under.slope + inside * (above.slope - under.slope);
    return std::clamp(slope, std::nextafter(under.slope, above.slope),
                      std::nextafter(above.slope, under.slope));
  }

  Count count_at(double slope) {
    const Count count{slope, count_below(slope)};
    const auto place = std::ranges::lower_bound(counts_, slope, {}, &Count::slope);
    return *counts_.insert(place, count);
  }

  void count_at_bounds() {
    const auto [steepest, least] = bounds();
    least_ = least;
    const double beyond = std::nextafter(steepest, 2 * steepest + 1);
    counts_ = {{-steepest, 0}, {beyond, count_below(beyond)}};
  }

  std::span<const Point> points_;
  std::vector<std::size_t> run_begins_;  ///< Of points of equal x, and the end.
  std::vector<double> slopes_;           ///< All, of few points.
  std::vector<Count> counts_;            ///< By slope.
  double least_ = 0;                     ///< Slopes that differ by less are one.
  std::vector<double> keys_;
  std::vector<double> buffer_;
};

/// All slopes enclose the true one with probability 1 - 2 / n!, more than any interval can.
bool can_reach(double confidence, double n) {
  return n >= 10 || 2 / std::tgamma(n + 1) <= 1 - confidence + 1e-12;
}

/// Sen (1968), eq. 2.6, with ranks rounded as in scipy (half to even).
std::optional<Interval> sen_interval(SlopeRanks& slopes, std::size_t pairs, double n,
                                     double tie_corrections, double confidence) {
  const double variance = (n * (n - 1) * (2 * n + 5) - tie_corrections) / 18;
  if (!(variance > 0) || !can_reach(confidence, n)) return std::nullopt;
  const double reach = normal_quantile(0.5 * (1 + confidence)) * std::sqrt(variance);
  const auto count = static_cast<double>(pairs);
  const double upper = std::min(std::nearbyint((count + reach) / 2), count - 1);
  const double lower = std::max(std::nearbyint((count - reach) / 2) - 1, 0.0);
  return Interval{slopes.at(static_cast<std::size_t>(lower)),
                  slopes.at(static_cast<std::size_t>(upper))};
}

}  // namespace

TheilSen theil_sen(std::span<const double> x, std::span<const double> y, double confidence) {
  if (x.size() != y.size()) throw std::invalid_argument("theil_sen: x and y differ in size");
  if (x.size() < 2) {
    throw fit_error(FailureCode::kTooFewPoints, "{} points are too few for a Theil-Sen line",
                    x.size());
  }
  const std::vector<Point> points = sorted_points(x, y);
  const Ties x_ties = ties_of({x.begin(), x.end()});
  const Ties y_ties = ties_of({y.begin(), y.end()});
  const auto n = static_cast<double>(x.size());
  const auto pairs = static_cast<std::size_t>(n * (n - 1) / 2 - x_ties.pairs);
  if (pairs == 0) {
    throw FitError(FailureCode::kTooFewX,
                   "all x are equal, a Theil-Sen line needs two different ones");
  }
  SlopeRanks slopes(points);
  const double upper_middle = slopes.at(pairs / 2);
  const double slope =
      pairs % 2 == 1 ? upper_middle : 0.5 * (slopes.at(pairs / 2 - 1) + upper_middle);
  return {.intercept = median({y.begin(), y.end()}) - slope * median({x.begin(), x.end()}),
          .slope = slope,
          .slope_ci =
              sen_interval(slopes, pairs, n, x_ties.correction + y_ties.correction, confidence)};
}

void residuals_about(const FitPoints& points, const Solution& solution, const SmallVector& theta,
                     std::vector<double>& residuals) {
  residuals.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    double fitted = 0;
    for (std::size_t k = 0; k < solution.p; ++k) {
      fitted += theta[k] * solution.design[i * solution.p + k];
    }
    residuals[i] = points.mean[i] - fitted;
  }
}

RobustSolution huber_fit(FitPoints& points, Solution& work) {
  thread_local PerThread<std::vector<double>> kept;
  std::vector<double>& sizes = *kept;
  const auto full = [](std::size_t /*i*/) { return 1.0; };
  set_masses(points, full);
  solve_linear(points, work);
  RobustSolution fit{.theta = work.theta, .scale = scale_of(points, work.residual, sizes)};
  double change = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMaxRounds && fit.scale > 0 && change > 1e-13; ++step) {
    set_masses(points, [&](std::size_t i) {
      const double size = std::abs(whitened(points, work.residual, i)) / fit.scale;
      return size <= kTuning ? 1 : kTuning / size;
    });
    solve_linear(points, work);
    change = relative_change(fit.theta, work.theta, work.p);
    fit.theta = work.theta;
    fit.scale = scale_of(points, work.residual, sizes);
  }
  set_masses(points, full);
  if (fit.scale > 0 && change > 1e-8) {
    throw FitError(
        FailureCode::kNotConverged,
        "Huber's estimate keeps jumping between two sets of outliers; use --robust theil-sen");
  }
  return fit;
}

RobustSolution theil_sen_fit(const FitPoints& points, const Solution& solution, double confidence) {
  struct Workspace {
    std::vector<double> slopes;
    std::vector<double> residuals;
    std::vector<double> sizes;
  };
  thread_local PerThread<Workspace> kept;
  auto& [slopes, residuals, sizes] = *kept;
  slopes.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) slopes[i] = solution.design[2 * i + 1];
  const TheilSen line = theil_sen(slopes, points.mean, confidence);
  RobustSolution fit{.theta = {line.intercept, line.slope}, .scale = 0, .slope_ci = line.slope_ci};
  residuals_about(points, solution, fit.theta, residuals);
  fit.scale = scale_of(points, residuals, sizes);
  return fit;
}

std::optional<Covariance> huber_covariance(const FitPoints& points, const Solution& ordinary,
                                           const RobustSolution& fit) {
  const auto n = static_cast<double>(points.n);
  const auto p = static_cast<double>(ordinary.p);
  // With fewer than 2p points, a fit can hit over half of them exactly, and the scale falls to 0.
  if (!(n > p) || n < 2 * p || !(fit.scale > 0)) return std::nullopt;
  std::vector<double> residuals;
  residuals_about(points, ordinary, fit.theta, residuals);
  double inside = 0;  // Sum of psi', which is 1 inside and 0 outside.
  double psi_squares = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double size = std::abs(whitened(points, residuals, i)) / fit.scale;
    if (size <= kTuning) inside += 1;
    psi_squares += std::min(size, kTuning) * std::min(size, kTuning);
  }
  const double m = inside / n;
  if (!(m > 0)) return std::nullopt;
  const double correction = 1 + p / n * (m * (1 - m)) / (m * m);
  return Covariance{.matrix = ordinary.even_covariance(correction * correction * psi_squares /
                                                       (n - p) * fit.scale * fit.scale / (m * m))};
}

}  // namespace scalelaw
