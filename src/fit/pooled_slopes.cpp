#include "fit/pooled_slopes.hpp"

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>

#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// Sums over groups at a ratio tau^2 / sigma^2. Groups have weights w = S / (1 + ratio S), where S
/// is the spread of a group: sigma^2 / w is the variance of its own slope about the mean exponent.
struct SlopeSums {
  double weights = 0;           ///< Sum of w.
  double squared_weights = 0;   ///< Sum of w^2.
  double beta = 0;              ///< Weighted mean of the slopes.
  double squares = 0;           ///< Sum of w (slope - beta)^2.
  double weighted_squares = 0;  ///< Sum of w^2 (slope - beta)^2.
  double log_inflation = 0;     ///< Sum of ln(1 + ratio S).
};

class SlopeModel {
 public:
  explicit SlopeModel(std::span<const GroupLine> lines) : lines_(lines) {
    double spread = 0;
    for (const GroupLine& line : lines) {
      rss_ += line.rss;
      dof_ += line.dof;
      spread += line.spread;
    }
    log_scale_ = 0.5 * std::log(static_cast<double>(lines.size()) / spread);
  }

  double between_dof() const { return static_cast<double>(lines_.size()) - 1; }
  double within_dof() const { return dof_; }
  double within_variance() const { return rss_ / dof_; }
  /// Degrees of freedom of all residuals under one ratio.
  double dof() const { return dof_ + between_dof(); }
  double variance(const SlopeSums& sums, double dof) const { return (rss_ + sums.squares) / dof; }

  SlopeSums sums_at(double ratio) const {
    SlopeSums sums;
    double product = 0;
    for (const GroupLine& line : lines_) {
      const double w = line.spread / (1 + ratio * line.spread);
      sums.weights += w;
      sums.squared_weights += w * w;
      sums.log_inflation += std::log1p(ratio * line.spread);
      product += w * line.beta;
    }
    sums.beta = product / sums.weights;
    for (const GroupLine& line : lines_) {
      const double w = line.spread / (1 + ratio * line.spread);
      const double square = w * (line.beta - sums.beta) * (line.beta - sums.beta);
      sums.squares += square;
      sums.weighted_squares += w * square;
    }
    return sums;
  }

  /// The restricted likelihood with sigma at its best (its power is `dof`), up to a constant.
  double log_likelihood(const SlopeSums& sums, double dof) const {
    return -0.5 *
           (sums.log_inflation + std::log(sums.weights) + dof * std::log(rss_ + sums.squares));
  }

  /// The slope of -2 ln(restricted likelihood) over the ratio.
  double gradient(double ratio) const {
    const SlopeSums sums = sums_at(ratio);
    return sums.weights - sums.squared_weights / sums.weights -
           dof() * sums.weighted_squares / (rss_ + sums.squares);
  }

  /// Places u = ln(tau / sigma) between which the ratio is looked for.
  std::vector<double> places() const {
    std::vector<double> places;
    for (int i = -48; i <= 160; ++i) places.push_back(log_scale_ + 0.25 * i);
    return places;
  }

 private:
  std::span<const GroupLine> lines_;
  double rss_ = 0;
  double dof_ = 0;
  double log_scale_ = 0;  ///< Where tau is about the standard error of one slope.
};

double ratio_at(double u) { return std::exp(2 * u); }

/// Where a function of falling sign turns, between two places.
template <class IsBelow>
double turning_place(double below, double above, IsBelow is_below) {
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (below + above);
    (is_below(middle) ? below : above) = middle;
  }
  return 0.5 * (below + above);
}

/// The ratio of restricted maximum likelihood; 0 if the slopes differ no more than their errors.
double reml_ratio(const SlopeModel& model) {
  const std::vector<double> places = model.places();
  double best = model.log_likelihood(model.sums_at(0), model.dof());
  std::size_t at = places.size();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double value = model.log_likelihood(model.sums_at(ratio_at(places[i])), model.dof());
    if (!(value > best)) continue;
    best = value;
    at = i;
  }
  if (at == places.size()) return 0;
  const double below = places[at > 0 ? at - 1 : at];
  const double above = places[std::min(at + 1, places.size() - 1)];
  return ratio_at(
      turning_place(below, above, [&](double u) { return model.gradient(ratio_at(u)) < 0; }));
}

/// ln of the density of u = ln(tau / sigma) under a flat prior of tau, up to a constant. The prior
/// takes one of the degrees of freedom of sigma.
double log_density(const SlopeModel& model, double u) {
  return u + model.log_likelihood(model.sums_at(ratio_at(u)), model.dof() - 1);
}

/// The interval of u outside which the density is below e^-20 of its peak.
Interval range_of_density(const SlopeModel& model) {
  constexpr double kDrop = 20;
  const std::vector<double> places = model.places();
  std::vector<double> values;
  for (const double u : places) values.push_back(log_density(model, u));
  const auto at = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  double low = places[at > 0 ? at - 1 : at];
  double high = places[std::min(at + 1, places.size() - 1)];
  for (int step = 0; step < 60; ++step) {  // With many groups the peak is narrower than a step.
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    (log_density(model, a) < log_density(model, b) ? low : high) =
        log_density(model, a) < log_density(model, b) ? a : b;
  }
  const double peak = 0.5 * (low + high);
  const double floor = log_density(model, peak) - kDrop;
  const auto is_low = [&](double u) { return log_density(model, u) < floor; };
  return {turning_place(places.front(), peak, is_low),
          turning_place(peak, places.back(), [&](double u) { return !is_low(u); })};
}

/// The distribution of the ratio on places at equal distances, which is exact to many digits since
/// the density vanishes at both ends.
std::vector<SlopeSpread> spreads_of(const SlopeModel& model) {
  constexpr double kStep = 0.2;   // Enough for few groups, whose density has long tails.
  constexpr double kFewest = 20;  // Enough for many, whose density is normal.
  const Interval range = range_of_density(model);
  const auto places =
      static_cast<int>(std::max(kFewest, std::ceil((range.upper - range.lower) / kStep)));
  std::vector<SlopeSpread> spreads;
  double sum = 0;
  const double top = log_density(model, 0.5 * (range.lower + range.upper));
  for (int i = 0; i < places; ++i) {
    const double u = range.lower + (range.upper - range.lower) * i / (places - 1);
    const SlopeSums sums = model.sums_at(ratio_at(u));
    const double probability = std::exp(log_density(model, u) - top);
    sum += probability;
    spreads.push_back({.ratio = ratio_at(u),
                       .probability = probability,
                       .beta = sums.beta,
                       .precision = sums.weights,
                       .variance = model.variance(sums, model.dof() - 1)});
  }
  for (SlopeSpread& spread : spreads) spread.probability /= sum;
  return spreads;
}

/// p of F for the slopes about their mean, if the ratio is the true one. It is exact.
EqualSlopes f_test_at(const SlopeModel& model, double ratio) {
  const double df1 = model.between_dof();
  const double f = model.sums_at(ratio).squares / df1 / model.within_variance();
  return {.f = f, .df1 = df1, .df2 = model.within_dof(), .p = f_p(f, df1, model.within_dof())};
}

/// The ratios that the exact F test keeps; an end is 0 where it keeps all smaller ones.
Interval ratio_interval(const SlopeModel& model, double confidence) {
  const std::vector<double> places = model.places();
  const auto end = [&](double p) {
    const auto is_below = [&](double u) { return f_test_at(model, ratio_at(u)).p < p; };
    if (!is_below(places.front())) return 0.0;
    return ratio_at(turning_place(places.front(), places.back(), is_below));
  };
  return {end(0.5 * (1 - confidence)), end(0.5 * (1 + confidence))};
}

/// The mean exponent with the interval of Hartung and Knapp, which takes the scatter of the slopes
/// as it is.
Estimate mean_exponent(const SlopeModel& model, const SlopeSums& sums, double confidence) {
  const double variance = sums.squares / model.between_dof() / sums.weights;
  Estimate beta = student_estimate(sums.beta, std::sqrt(variance), model.between_dof(), confidence);
  beta.dof = model.between_dof();
  return beta;
}

/// Student t distributions with probabilities.
class StudentMixture {
 public:
  explicit StudentMixture(double dof) : dof_(dof) {}

  void add(double probability, double location, double variance) {
    parts_.push_back({probability, location, std::sqrt(variance)});
  }

  double cdf(double x) const {
    double sum = 0;
    for (const Part& part : parts_) {
      const double t = (x - part.location) / part.scale;
      const double tail = 0.5 * student_t_p(t, dof_);
      sum += part.probability * (t < 0 ? tail : 1 - tail);
    }
    return sum;
  }

  /// The mean of (X - centre)^2.
  double mean_square_about(double centre) const {
    double sum = 0;
    for (const Part& part : parts_) {
      const double variance = part.scale * part.scale * dof_ / (dof_ - 2);
      const double distance = part.location - centre;
      sum += part.probability * (variance + distance * distance);
    }
    return sum;
  }

  Interval interval(double confidence) const {
    return {quantile(0.5 * (1 - confidence)), quantile(0.5 * (1 + confidence))};
  }

 private:
  struct Part {
    double probability;
    double location;
    double scale;
  };

  double quantile(double p) const {
    double low = parts_.front().location;
    double high = low;
    for (const Part& part : parts_) {
      low = std::min(low, part.location - part.scale);
      high = std::max(high, part.location + part.scale);
    }
    for (double step = high - low; cdf(low) > p; step *= 2) low -= step;
    for (double step = high - low; cdf(high) < p; step *= 2) high += step;
    std::uintmax_t steps = 100;
    const auto [below, above] =
        boost::math::tools::toms748_solve([&](double x) { return cdf(x) - p; }, low, high,
                                          boost::math::tools::eps_tolerance<double>(42), steps);
    return 0.5 * (below + above);
  }

  double dof_;
  std::vector<Part> parts_;
};

/// The share of the group's own slope in its pooled one.
double own_share(const GroupLine& line, double ratio) {
  return ratio * line.spread / (1 + ratio * line.spread);
}

/// The pooled line at g, less the mean of the group's y: the distribution of beta (g - g_mean) plus
/// the error of the mean of y. The exponent itself is at distance 1 without that error.
StudentMixture line_at(const GroupLine& line, const PooledSlopes& slopes, double distance,
                       bool with_mean) {
  StudentMixture mixture(slopes.dof);
  for (const SlopeSpread& spread : slopes.spreads) {
    const double own = own_share(line, spread.ratio);
    const double beta = spread.beta + own * (line.beta - spread.beta);
    const double error = own / line.spread + (1 - own) * (1 - own) / spread.precision;
    const double variance = distance * distance * error + (with_mean ? 1 / line.mass : 0);
    mixture.add(spread.probability, distance * beta, spread.variance * variance);
  }
  return mixture;
}

/// The chance that any slope lies as far from the others (Bonferroni), by its externally
/// studentised distance.
double p_of_distance(const GroupLine& line, const Pooling& pooling) {
  const SlopeSpread& best = pooling.slopes->best;
  const double inverse_weight = best.ratio + 1 / line.spread;
  const double distance = line.beta - best.beta;
  const double square =
      distance * distance / (best.variance * (inverse_weight - 1 / best.precision));
  const auto groups = static_cast<double>(pooling.groups);
  const double rest = groups - 1 - square;
  if (!(rest > 0)) return 0;
  return std::min(1.0, groups * student_t_p(std::sqrt(square * (groups - 2) / rest), groups - 2));
}

/// Sets the standard error, interval and, where asked, the test that it is 0.
void fill_uncertainty(Estimate& estimate, const StudentMixture& error, double confidence) {
  estimate.dof.reset();
  estimate.se = std::sqrt(error.mean_square_about(estimate.estimate));
  estimate.ci = error.interval(confidence);
}

void fill_exponent(Estimate& beta, const StudentMixture& error, double confidence) {
  fill_uncertainty(beta, error, confidence);
  beta.t = beta.estimate / *beta.se;
  const double below = error.cdf(0);
  beta.p = 2 * std::min(below, 1 - below);
}

void fill_prefactor(Fit& fit, const GroupLine& line, double y_mean) {
  const PooledSlopes& slopes = *fit.pooling->slopes;
  Estimate& log_alpha = *fit.log_alpha;
  log_alpha.estimate = -line.g_mean * fit.parameters[1].estimate;
  fill_uncertainty(log_alpha, line_at(line, slopes, -line.g_mean, true), fit.confidence);
  log_alpha.estimate += y_mean;
  log_alpha.ci = Interval{log_alpha.ci->lower + y_mean, log_alpha.ci->upper + y_mean};
  Parameter& alpha = fit.parameters[0];
  alpha.dof.reset();
  alpha.estimate = std::exp(log_alpha.estimate);
  alpha.se = alpha.estimate * *log_alpha.se;
  alpha.ci = exp_of(*log_alpha.ci);
}

/// What the points that the line no longer fits best say of it.
void fill_misfit(Fit& fit, const GroupLine& line, double shift) {
  const double tss = fit.r2 ? line.rss / (1 - *fit.r2) : 0;
  fit.rss = line.rss + line.spread * shift * shift;
  if (fit.r2 && tss > 0) fit.r2 = 1 - fit.rss / tss;
  fit.r2_adjusted.reset();
  fit.f.reset();
  fit.f_p.reset();
  fit.log_likelihood.reset();
  fit.aic.reset();
  fit.aicc.reset();
  fit.bic.reset();
}

}  // namespace

GroupLine group_line(const FitPoints& points, const Solution& solution) {
  const double root = solution.back[1][1];
  return {.beta = solution.theta[1],
          .spread = 1 / (root * root),
          .mass = points.total_mass,
          .g_mean = -solution.back[0][1] / root,
          .rss = solution.rss,
          .dof = static_cast<double>(points.n) - static_cast<double>(solution.p)};
}

PooledSlopes pooled_slopes(std::span<const GroupLine> lines, double confidence) {
  const SlopeModel model(lines);
  const double ratio = reml_ratio(model);
  const SlopeSums sums = model.sums_at(ratio);
  const double variance = model.variance(sums, model.dof());
  const Interval ratios = ratio_interval(model, confidence);
  PooledSlopes slopes;
  slopes.beta = mean_exponent(model, sums, confidence);
  slopes.tau = std::sqrt(ratio * variance);
  slopes.tau_ci = {std::sqrt(ratios.lower * variance), std::sqrt(ratios.upper * variance)};
  slopes.equal_slopes = f_test_at(model, 0);
  slopes.best = {.ratio = ratio,
                 .probability = 1,
                 .beta = sums.beta,
                 .precision = sums.weights,
                 .variance = variance};
  slopes.dof = model.dof() - 1;
  slopes.spreads = spreads_of(model);
  return slopes;
}

void take_pooled_slope(Fit& fit, const FitPoints& points, const Solution& solution,
                       std::vector<double>& residuals) {
  const GroupLine line = group_line(points, solution);
  const PooledSlopes& slopes = *fit.pooling->slopes;
  Parameter& beta = fit.parameters[1];
  fit.own->beta = line.beta;
  fit.own->share = own_share(line, slopes.best.ratio);
  fit.own->beta_p = p_of_distance(line, *fit.pooling);
  beta.estimate = slopes.best.beta + *fit.own->share * (line.beta - slopes.best.beta);
  fill_exponent(beta, line_at(line, slopes, 1, false), fit.confidence);
  fill_prefactor(fit, line, solution.theta[0] + line.g_mean * line.beta);
  const double slope_variance = *beta.se * *beta.se;
  const double cross = -line.g_mean * slope_variance;
  fit.covariance = {*fit.log_alpha->se * *fit.log_alpha->se, cross, cross, slope_variance};
  const double shift = beta.estimate - line.beta;
  fill_misfit(fit, line, shift);
  for (std::size_t i = 0; i < points.size(); ++i) {
    residuals[i] -= shift * (solution.design[2 * i + 1] - line.g_mean);
  }
}

}  // namespace scalelaw
