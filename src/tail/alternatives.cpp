#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <numbers>
#include <utility>

#include "scalelaw/statistics/distributions.hpp"
#include "tail/special_functions.hpp"
#include "tail/tail_parts.hpp"

namespace scalelaw {
namespace {

struct Fitted {
  std::vector<TailParameter> parameters;
  std::vector<double> log_density;  ///< ln of density (if discrete, probability) at each distinct
                                    ///< value.
  bool at_limit = false;
};

constexpr double kAtLimit = 1e-6;  ///< A smaller bend over the whole tail counts as none.

/// A root of a function that has different signs at the two ends.
template <class Function>
double root_between(Function function, double low, double high) {
  std::uintmax_t steps = 200;
  const auto [below, above] = boost::math::tools::toms748_solve(
      function, low, high, boost::math::tools::eps_tolerance<double>(50), steps);
  return 0.5 * (below + above);
}

/// ln(1 - exp(-d)) for d > 0.
double log_one_minus_exp(double d) {
  return d > std::numbers::ln2 ? std::log1p(-std::exp(-d)) : std::log(-std::expm1(-d));
}

template <class Density>
std::vector<double> at_each(const TailValues& tail, Density density) {
  std::vector<double> out(tail.x.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = density(i);
  return out;
}

double weighted_sum(const TailValues& tail, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += tail.count[i] * values[i];
  return sum;
}

/// Discrete values as rounded ones: k stands for [k - 1/2, k + 1/2], given as ln of its distance
/// from x_min - 1/2.
struct Cells {
  std::vector<double> low;
  std::vector<double> middle;
  std::vector<double> high;
  std::vector<double> width;  ///< high - low, exact to the last digit even if they are close.
};

Cells cells_of(const TailValues& tail) {
  const double origin = tail.x_min - 0.5;
  const auto log_of = [&](double shift) {
    return at_each(tail, [&](std::size_t i) { return std::log((tail.x[i] + shift) / origin); });
  };
  Cells cells{log_of(-0.5), {}, log_of(0.5), {}};
  cells.width = at_each(tail, [&](std::size_t i) { return std::log1p(1 / (tail.x[i] - 0.5)); });
  cells.middle = at_each(tail, [&](std::size_t i) {
    return std::log(tail.x[i] / origin) - 0.125 / (tail.x[i] * tail.x[i]);
  });
  return cells;
}

/// ln of a density with its first two derivatives.
struct LogDensity {
  double value = 0;
  double slope = 0;
  double bend = 0;
};

/// ln of the probabilities of rounded values under a shape of z: P(Z >= z) falls by this much over
/// the cell. That difference cancels in narrow cells. There it is the density in the middle times
/// the width, with the next term of its series (the one after is below 1e-13).
template <class Shape>
std::vector<double> rounded_density(const TailValues& tail, const Cells& cells,
                                    const Shape& shape) {
  constexpr double kNarrow = 3e-3;
  return at_each(tail, [&](std::size_t i) {
    const double width = cells.width[i];
    const LogDensity density = shape.log_density(cells.middle[i]);
    if (width * (1 + std::abs(density.slope)) < kNarrow) {
      const double second = density.bend + density.slope * density.slope;
      return density.value + std::log(width) + std::log1p(second * width * width / 24);
    }
    const double from = shape.log_share(cells.low[i]);
    const double drop = from - shape.log_share(cells.high[i]);
    return drop > 0 ? from + log_one_minus_exp(drop) : -1e9;
  });
}

/// The point at which shape_at(point) makes the rounded values most likely.
template <class ShapeAt>
Point2 most_likely(const TailValues& tail, const Cells& cells, ShapeAt shape_at,
                   const Point2& start, const Point2& step) {
  const auto lack = [&](const Point2& point) {
    return -weighted_sum(tail, rounded_density(tail, cells, shape_at(point))) / tail.n;
  };
  return minimise(lack, start, step).at;
}

/// A fit of continuous values by a shape of z.
template <class Shape>
Fitted continuous_fit(const TailValues& tail, const Shape& shape,
                      std::vector<TailParameter> parameters) {
  const double log_x_min = std::log(tail.x_min);
  return {std::move(parameters), at_each(tail, [&](std::size_t i) {
            return shape.log_density(tail.z[i]).value - tail.z[i] - log_x_min;
          })};
}

/// A fit of rounded values by a shape of z, which has no parameters at the limit.
template <class Shape>
Fitted discrete_fit(const TailValues& tail, const Cells& cells, const Shape& shape,
                    std::vector<TailParameter> parameters, bool at_limit) {
  if (at_limit) parameters.clear();
  return {std::move(parameters), rounded_density(tail, cells, shape), at_limit};
}

// Exponential.

Fitted exponential(const TailValues& tail) {
  // Rounded to whole numbers, it is geometric with a constant ratio between neighbours.
  const double mean = tail.mean_excess * tail.x_min;
  const double rate = tail.discrete ? std::log1p(1 / mean) : 1 / mean;
  const double log_scale = tail.discrete ? std::log(-std::expm1(-rate)) : std::log(rate);
  return {{{"lambda", rate}}, at_each(tail, [&](std::size_t i) {
            return log_scale - rate * (tail.x[i] - tail.x_min);
          })};
}

// Log-normal: in z = ln(x / x_min) the density is proportional to exp(-b z - c z^2), c > 0. This is
// an exponential family in (z, z^2). With c = 0 it is the power law with alpha = 1 + b.

struct Bend {
  double b = 0;
  double c = 0;
};

/// The b and c of continuous z with the given mean and mean square; empty if c > 0 does not help.
/// With y = z sqrt(c), the moments depend on t = b / (2 sqrt(c)) alone.
std::optional<Bend> bend_of(double mean, double mean_square) {
  const double target = mean_square / (mean * mean);
  const auto lack = [target](double t) {
    const HalfNormalMoments moments = half_normal_moments(t);
    return moments.square / (moments.mean * moments.mean) - target;
  };
  constexpr double kFarthest = 1e5;
  double high = 1;
  while (lack(high) < 0 && high < kFarthest) high *= 4;
  if (high >= kFarthest) return std::nullopt;
  double low = -1;
  while (lack(low) > 0 && low > -kFarthest) low *= 4;
  const double t = root_between(lack, low, high);
  const double root_c = half_normal_moments(t).mean / mean;
  return Bend{2 * t * root_c, root_c * root_c};
}

/// The log-normal beyond z = 0.
class BentShape {
 public:
  explicit BentShape(const Bend& bend)
      : bend_(bend),
        root_(std::sqrt(bend.c)),
        t_(bend.b / (2 * root_)),
        log_erfc_(t_ < 0 ? t_ * t_ + log_erfc(t_) : log_scaled_erfc(t_)) {}

  /// ln P(Z >= z).
  double log_share(double z) const {
    const double there = t_ + z * root_;
    if (t_ < 0) return log_erfc(there) - (log_erfc_ - t_ * t_);
    return log_scaled_erfc(there) - log_erfc_ - z * (bend_.b + bend_.c * z);
  }
  LogDensity log_density(double z) const {
    const double log_scale = std::log(2 * root_ / std::sqrt(std::numbers::pi)) - log_erfc_;
    return {log_scale - z * (bend_.b + bend_.c * z), -(bend_.b + 2 * bend_.c * z), -2 * bend_.c};
  }

 private:
  Bend bend_;
  double root_;
  double t_;
  double log_erfc_;  ///< ln of exp(t^2) erfc(t).
};

std::vector<TailParameter> lognormal_parameters(const Bend& bend, double origin) {
  const double variance = 0.5 / bend.c;
  return {{"mu", std::log(origin) - bend.b * variance}, {"sigma", std::sqrt(variance)}};
}

std::vector<double> power_law_density(const TailValues& tail) {
  const double log_scale = power_law_log_scale(tail.alpha, tail.discrete, tail.x_min);
  return at_each(tail, [&](std::size_t i) { return log_scale - tail.alpha * tail.z[i]; });
}

Fitted at_power_law(const TailValues& tail) { return {{}, power_law_density(tail), true}; }

Fitted continuous_lognormal(const TailValues& tail) {
  const auto bend = bend_of(tail.mean_z, tail.mean_square_z);
  if (!bend) return at_power_law(tail);
  return continuous_fit(tail, BentShape(*bend), lognormal_parameters(*bend, tail.x_min));
}

Fitted discrete_lognormal(const TailValues& tail) {
  const Cells cells = cells_of(tail);
  // An invisible bend ends the search, which would otherwise approach 0 for ever.
  const double most_z = cells.high.back();
  const double least = std::log(0.1 * kAtLimit / (most_z * most_z));
  const auto bend_at = [least](const Point2& point) {
    return Bend{point[0], std::exp(std::clamp(point[1], least, 30.0))};
  };
  const double shift = std::log(tail.x_min / (tail.x_min - 0.5));
  const double mean = tail.mean_z + shift;
  const double mean_square = tail.mean_square_z + shift * (2 * tail.mean_z + shift);
  const Bend start = bend_of(mean, mean_square).value_or(Bend{1 / mean, 1e-3 / (mean * mean)});
  const Bend best = bend_at(
      most_likely(tail, cells, [&](const Point2& point) { return BentShape(bend_at(point)); },
                  {start.b, std::log(start.c)}, {0.2 * (1 + std::abs(start.b)), 0.7}));
  const bool at_limit = best.c * most_z * most_z < kAtLimit;
  return discrete_fit(tail, cells, BentShape(best), lognormal_parameters(best, tail.x_min - 0.5),
                      at_limit);
}

// Stretched exponential: ln P(Z >= z) = -b expm1(beta z) / beta. It is the power law if beta is 0.

struct Stretch {
  double b = 0;
  double beta = 0;
};

class StretchedShape {
 public:
  explicit StretchedShape(const Stretch& stretch) : stretch_(stretch) {}

  /// ln P(Z >= z).
  double log_share(double z) const {
    return -stretch_.b * std::expm1(stretch_.beta * z) / stretch_.beta;
  }
  LogDensity log_density(double z) const {
    const auto [b, beta] = stretch_;
    const double rate = b * std::exp(beta * z);
    return {std::log(b) + beta * z + log_share(z), beta - rate, -beta * rate};
  }

 private:
  Stretch stretch_;
};

std::vector<TailParameter> stretched_parameters(const Stretch& stretch, double origin) {
  return {{"beta", stretch.beta},
          {"lambda", stretch.b / stretch.beta * std::pow(origin, -stretch.beta)}};
}

/// Means over the tail of expm1(beta z) and z exp(beta z). Both are divided by exp(beta z_max), so
/// that they do not overflow.
struct StretchMeans {
  double excess = 0;
  double slope = 0;
};

StretchMeans stretch_means(const TailValues& tail, double beta) {
  const double most = tail.z.back();
  const bool small = beta * most < 1;
  StretchMeans means;
  for (std::size_t i = 0; i < tail.z.size(); ++i) {
    const double power = std::exp(beta * (tail.z[i] - most));
    const double excess = small ? std::expm1(beta * tail.z[i]) * std::exp(-beta * most)
                                : power - std::exp(-beta * most);
    means.excess += tail.count[i] * excess;
    means.slope += tail.count[i] * tail.z[i] * power;
  }
  return {means.excess / tail.n, means.slope / tail.n};
}

/// The most likely beta, each with its best b; empty if beta falls to 0.
std::optional<Stretch> stretch_of(const TailValues& tail) {
  const auto gain = [&](double beta) {
    const StretchMeans means = stretch_means(tail, beta);
    return 1 / beta + tail.mean_z - means.slope / means.excess;
  };
  double low = 1e-5 / tail.z.back();
  if (tail.mean_square_z >= 2 * tail.mean_z * tail.mean_z || !(gain(low) > 0)) return std::nullopt;
  double high = 1 / tail.mean_z;
  while (gain(high) > 0) {
    low = high;
    high *= 2;
  }
  const double beta = root_between(gain, low, high);
  const double most = tail.z.back();
  return Stretch{beta / (stretch_means(tail, beta).excess * std::exp(beta * most)), beta};
}

Fitted continuous_stretched(const TailValues& tail) {
  const auto stretch = stretch_of(tail);
  if (!stretch) return at_power_law(tail);
  return continuous_fit(tail, StretchedShape(*stretch), stretched_parameters(*stretch, tail.x_min));
}

Fitted discrete_stretched(const TailValues& tail) {
  const Cells cells = cells_of(tail);
  const double most_z = cells.high.back();
  const double least = std::log(0.1 * kAtLimit / most_z);  // As for the log-normal.
  const auto stretch_at = [least](const Point2& point) {
    return Stretch{std::exp(point[0]), std::exp(std::clamp(point[1], least, 5.0))};
  };
  const double shift = std::log(tail.x_min / (tail.x_min - 0.5));
  const Stretch start =
      stretch_of(tail).value_or(Stretch{1 / (tail.mean_z + shift), 0.05 / most_z});
  const Stretch best = stretch_at(most_likely(
      tail, cells, [&](const Point2& point) { return StretchedShape(stretch_at(point)); },
      {std::log(start.b), std::log(start.beta)}, {0.3, 0.7}));
  const bool at_limit = best.beta * most_z < kAtLimit;
  return discrete_fit(tail, cells, StretchedShape(best),
                      stretched_parameters(best, tail.x_min - 0.5), at_limit);
}

// Truncated power law: its density is proportional to x^-alpha exp(-lambda x). This is an
// exponential family in ln x and x, and with lambda = 0 it is the power law.

Fitted truncated(const TailValues& tail) {
  const auto best = best_cut_off(tail);
  if (!best) return at_power_law(tail);
  const double alpha = best->at[0];
  const double z = std::exp(best->at[1]);
  const double log_scale = -log_cut_off(tail, alpha, z);
  const auto log_density = [&](std::size_t i) {
    return log_scale - alpha * tail.z[i] - z * (tail.x[i] / tail.x_min - 1);
  };
  return {{{"alpha", alpha}, {"lambda", z / tail.x_min}}, at_each(tail, log_density)};
}

Fitted fitted(const TailValues& tail, TailModel model) {
  switch (model) {
    case TailModel::kLognormal:
      return tail.discrete ? discrete_lognormal(tail) : continuous_lognormal(tail);
    case TailModel::kExponential:
      return exponential(tail);
    case TailModel::kStretched:
      return tail.discrete ? discrete_stretched(tail) : continuous_stretched(tail);
    case TailModel::kTruncated:
      break;
  }
  return truncated(tail);
}

TailComparison comparison_of(const TailAlternative& alternative) {
  if (!alternative.p || !(*alternative.p < kTailSignificance)) return TailComparison::kUndecided;
  return alternative.log_ratio > 0 ? TailComparison::kWorse : TailComparison::kBetter;
}

/// Vuong's statistic for likelihood ratios, one per value: their sum over its standard deviation.
void compare_by_vuong(const TailValues& tail, const std::vector<double>& ratios,
                      TailAlternative& out) {
  const double mean = out.log_ratio / tail.n;
  double squares = 0;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    squares += tail.count[i] * (ratios[i] - mean) * (ratios[i] - mean);
  }
  if (!(squares > 1e-16 * tail.n)) return;
  out.normalised = out.log_ratio / std::sqrt(squares);
  out.p = 2 * normal_cdf(-std::abs(*out.normalised));
}

TailAlternative compared(const TailValues& tail, const std::vector<double>& power_law,
                         TailModel model) {
  Fitted alternative = fitted(tail, model);
  std::vector<double> ratios = power_law;
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] -= alternative.log_density[i];
  TailAlternative out;
  out.model = model;
  out.parameters = std::move(alternative.parameters);
  out.log_likelihood = weighted_sum(tail, alternative.log_density);
  out.log_ratio = weighted_sum(tail, ratios);
  out.at_limit = alternative.at_limit;
  if (model == TailModel::kTruncated) {
    out.p = out.log_ratio < 0 ? 0.5 * chi_squared1_p(-2 * out.log_ratio) : 1;
  } else {
    compare_by_vuong(tail, ratios, out);
  }
  out.comparison = comparison_of(out);
  return out;
}

}  // namespace

TailValues tail_values(const TailSample& sample, const TailFit& fit, double x_min, bool discrete) {
  TailValues tail;
  tail.discrete = discrete;
  tail.x_min = x_min;
  tail.alpha = fit.alpha;
  for (std::size_t i = fit.first; i < sample.distinct(); ++i) {
    const double count = sample.count(i);
    const double z = sample.logs[i] - fit.log_x_min;
    tail.x.push_back(sample.values[i]);
    tail.z.push_back(z);
    tail.count.push_back(count);
    tail.n += count;
    tail.mean_z += count * z;
    tail.mean_square_z += count * z * z;
    tail.mean_excess += count * (sample.values[i] / x_min - 1);
  }
  tail.mean_z /= tail.n;
  tail.mean_square_z /= tail.n;
  tail.mean_excess /= tail.n;
  return tail;
}

std::vector<TailAlternative> compare_alternatives(const TailValues& tail) {
  const std::vector<double> power_law = power_law_density(tail);
  std::vector<TailAlternative> out;
  for (const TailModel model : {TailModel::kLognormal, TailModel::kExponential,
                                TailModel::kStretched, TailModel::kTruncated}) {
    out.push_back(compared(tail, power_law, model));
  }
  return out;
}

double log_share_from(const TailAlternative& alternative, double x_min, bool discrete, double x) {
  const double shift = discrete ? 0.5 : 0;
  const double first = alternative.parameters[0].value;
  const double second = alternative.parameters.back().value;
  switch (alternative.model) {
    case TailModel::kLognormal: {
      const auto at = [&](double edge) {
        return log_erfc((std::log(edge - shift) - first) / (second * std::numbers::sqrt2));
      };
      return at(x) - at(x_min);
    }
    case TailModel::kExponential:
      return -first * (x - x_min);
    case TailModel::kStretched:
      return -second * (std::pow(x - shift, first) - std::pow(x_min - shift, first));
    case TailModel::kTruncated:
      break;
  }
  const auto rest = [&](double from) {
    return discrete ? cut_off_sum(first, second, from)
                    : from * cut_off_integral(first, second * from);
  };
  return -first * std::log(x / x_min) - second * (x - x_min) + std::log(rest(x) / rest(x_min));
}

}  // namespace scalelaw
