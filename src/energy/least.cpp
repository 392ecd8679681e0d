// Where energy, energy-delay product and cost are least under each law of time.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "energy/scaling_parts.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

constexpr std::array<std::string_view, 5> kLaws{"power", "floor", "amdahl", "usl", "lognormal"};
constexpr std::array kObjectives{Objective::kEnergy, Objective::kEnergyDelay, Objective::kCost};
constexpr double kHopelessDelta = 10;  ///< In AICc: essentially no support (Burnham and Anderson).
constexpr double kStep = 1e-4;         ///< Step in ln N for differences.
constexpr std::size_t kMostScales = 1000;  ///< Up to this many whole N are examined one by one.
constexpr std::size_t kMost = 3;           ///< Most parameters of a law above.

using Vector = std::array<double, kMost>;
using Matrix = std::array<Vector, kMost>;

/// Inverse of a positive definite p x p matrix, by Gauss-Jordan steps on its correlation form.
/// Empty if it is singular.
std::optional<Matrix> inverse_of(Matrix matrix, std::size_t p) {
  Vector scale{};
  for (std::size_t i = 0; i < p; ++i) {
    if (!(matrix[i][i] > 0)) return std::nullopt;
    scale[i] = 1 / std::sqrt(matrix[i][i]);
  }
  Matrix inverse{};
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j < p; ++j) matrix[i][j] *= scale[i] * scale[j];
    inverse[i][i] = 1;
  }
  for (std::size_t k = 0; k < p; ++k) {
    const double pivot = matrix[k][k];
    if (!(pivot > 1e-12)) return std::nullopt;  // The Schur complement of the earlier pivots.
    for (std::size_t j = 0; j < p; ++j) {
      matrix[k][j] /= pivot;
      inverse[k][j] /= pivot;
    }
    for (std::size_t i = 0; i < p; ++i) {
      const double factor = matrix[i][k];
      for (std::size_t j = 0; i != k && j < p; ++j) {
        matrix[i][j] -= factor * matrix[k][j];
        inverse[i][j] -= factor * inverse[k][j];
      }
    }
  }
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j < p; ++j) inverse[i][j] *= scale[i] * scale[j];
  }
  return inverse;
}

Vector working_parameters_of(const Fit& fit) {
  Vector theta{};
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const double value = fit.parameters[i].estimate;
    const bool is_log = fit.law->parameters()[i].transform == Transform::kExp;
    theta[i] = is_log ? std::log(value) : value;
  }
  return theta;
}

/// An objective as a curve over x = ln N. Its logarithm is a constant + x + times * f(x) +
/// ln(energy_price e^(c + exponent x) + hour_price), where f is the law of ln t and a GPU has the
/// power e^c N^exponent.
struct Shape {
  double times = 1;  ///< Exponent of t: 2 for the energy-delay product.
  double energy_price = 1;
  double hour_price = 0;  ///< Price of N t.
};

std::optional<Shape> shape_of(Objective objective, const EnergyOptions& options) {
  if (objective == Objective::kEnergy) return Shape{};
  if (objective == Objective::kEnergyDelay) return Shape{.times = 2};
  const auto per_joule = options.footprint.cost(1);
  if (!(total_cost(options, 1, 1).value_or(0) > 0)) return std::nullopt;
  return Shape{.times = 1,
               .energy_price = per_joule.value_or(0),
               .hour_price = options.gpu_price.value_or(0) / 3600};
}

/// A law of time and the power law of a GPU's power, both fitted to the same runs.
class Curves {
 public:
  Curves(const Fit& time, const Fit& watts, const RunFigures& figures)
      : law_(*time.law),
        p_(time.parameters.size()),
        theta_(working_parameters_of(time)),
        level_(std::log(watts.parameters.front().estimate)),
        exponent_(watts.parameters.back().estimate),
        dof_(static_cast<double>(time.dof)) {
    fill_covariance(time, watts, figures);
  }

  double dof() const { return dof_; }
  bool has_errors() const { return has_errors_; }

  double log_objective(double n, const Shape& shape) const {
    const double x = std::log(n);
    return x + shape.times * log_time(n) +
           std::log(shape.energy_price * std::exp(level_ + exponent_ * x) + shape.hour_price);
  }

  /// d ln objective / d ln N.
  double slope(double n, const Shape& shape) const {
    return 1 + shape.times * log_time_slope(n) + energy_share(n, shape) * exponent_;
  }

  /// Standard error of slope(), by the delta method.
  double slope_se(double n, const Shape& shape) const {
    const Vector a = time_gradient(n, shape);
    const std::array<double, 2> b = power_gradient(n, shape);
    double variance = 0;
    for (std::size_t i = 0; i < p_; ++i) {
      for (std::size_t j = 0; j < p_; ++j) variance += a[i] * time_covariance_[i][j] * a[j];
      for (std::size_t j = 0; j < 2; ++j) variance += 2 * a[i] * cross_covariance_[i][j] * b[j];
    }
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) variance += b[i] * power_covariance_[i][j] * b[j];
    }
    return std::sqrt(std::max(variance, 0.0));
  }

 private:
  std::span<const double> theta() const { return {theta_.data(), p_}; }
  double log_time(double n) const { return law_.predictor(n, theta(), Response::kTime); }
  double log_time_slope(double n) const {
    return (log_time(n * std::exp(kStep)) - log_time(n * std::exp(-kStep))) / (2 * kStep);
  }
  Vector time_row(double n) const {
    Vector row{};
    law_.gradient(n, theta(), Response::kTime, {row.data(), p_});
    return row;
  }

  /// The share of energy in the cost at n: 1 where GPU-hours cost nothing.
  double energy_share(double n, const Shape& shape) const {
    if (shape.hour_price == 0) return 1;
    const double energy = shape.energy_price * std::exp(level_ + exponent_ * std::log(n));
    return energy / (energy + shape.hour_price);
  }

  /// Gradient of slope() over theta.
  Vector time_gradient(double n, const Shape& shape) const {
    const Vector above = time_row(n * std::exp(kStep));
    const Vector below = time_row(n * std::exp(-kStep));
    Vector out{};
    for (std::size_t i = 0; i < p_; ++i) {
      out[i] = shape.times * (above[i] - below[i]) / (2 * kStep);
    }
    return out;
  }

  /// Gradient of slope() over the level and exponent of power.
  std::array<double, 2> power_gradient(double n, const Shape& shape) const {
    const double share = energy_share(n, shape);
    const double by_level = exponent_ * share * (1 - share);
    return {by_level, share + by_level * std::log(n)};
  }

  void fill_covariance(const Fit& time, const Fit& watts, const RunFigures& figures) {
    Matrix time_squares{};
    Matrix power_squares{};
    Matrix mixed{};
    double together = 0;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const double n = figures.x()[i];
      const Vector row = time_row(n);
      const std::array<double, 2> power_row{1, std::log(n)};
      for (std::size_t j = 0; j < p_; ++j) {
        for (std::size_t k = 0; k < p_; ++k) time_squares[j][k] += row[j] * row[k];
        for (std::size_t k = 0; k < 2; ++k) mixed[j][k] += row[j] * power_row[k];
      }
      for (std::size_t j = 0; j < 2; ++j) {
        for (std::size_t k = 0; k < 2; ++k) power_squares[j][k] += power_row[j] * power_row[k];
      }
      together += (std::log(figures.seconds()[i]) - log_time(n)) *
                  (std::log(figures.watts[i]) - level_ - exponent_ * power_row[1]);
    }
    const auto time_inverse = inverse_of(time_squares, p_);
    const auto power_inverse = inverse_of(power_squares, 2);
    if (!time_inverse || !power_inverse || !time.sigma || !watts.sigma) return;
    const double covariance =
        together / std::sqrt(static_cast<double>(time.dof) * static_cast<double>(watts.dof));
    for (std::size_t i = 0; i < p_; ++i) {
      for (std::size_t j = 0; j < p_; ++j) {
        time_covariance_[i][j] = *time.sigma * *time.sigma * (*time_inverse)[i][j];
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        power_covariance_[i][j] = *watts.sigma * *watts.sigma * (*power_inverse)[i][j];
      }
    }
    for (std::size_t i = 0; i < p_; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < p_; ++k) {
          for (std::size_t l = 0; l < 2; ++l) {
            sum += (*time_inverse)[i][k] * mixed[k][l] * (*power_inverse)[l][j];
          }
        }
        cross_covariance_[i][j] = covariance * sum;
      }
    }
    has_errors_ = *time.sigma > 0 || *watts.sigma > 0;
  }

  const Law& law_;
  std::size_t p_;
  Vector theta_;
  double level_;
  double exponent_;
  double dof_;
  bool has_errors_ = false;
  Matrix time_covariance_{};
  Matrix power_covariance_{};
  Matrix cross_covariance_{};
};

/// The whole N of the measured range: all of them if they are few, else a grid.
std::vector<double> whole_scales(double x_min, double x_max) {
  const double first = std::ceil(x_min);
  const double last = std::floor(x_max);
  std::vector<double> scales;
  if (last - first < static_cast<double>(kMostScales)) {
    for (double n = first; n <= last; ++n) scales.push_back(n);
    return scales;
  }
  const double step = std::log(last / first) / static_cast<double>(kMostScales);
  for (std::size_t i = 0; i <= kMostScales; ++i) {
    const double n = std::round(first * std::exp(static_cast<double>(i) * step));
    if (scales.empty() || n > scales.back()) scales.push_back(std::min(n, last));
  }
  return scales;
}

/// The whole N with the least objective, found by thirds between the neighbours of the grid's best.
double least_scale(const Curves& curves, const Shape& shape, const std::vector<double>& scales) {
  const auto value = [&](double n) { return curves.log_objective(n, shape); };
  std::size_t best = 0;
  for (std::size_t i = 1; i < scales.size(); ++i) {
    if (value(scales[i]) < value(scales[best])) best = i;
  }
  double lower = scales[best == 0 ? 0 : best - 1];
  double upper = scales[std::min(best + 1, scales.size() - 1)];
  while (upper - lower > 2) {
    const double third = std::floor((upper - lower) / 3);
    const bool is_lower = value(lower + third) <= value(upper - third);
    (is_lower ? upper : lower) = is_lower ? upper - third : lower + third;
  }
  double least = scales[best];
  for (double n = lower; n <= upper; ++n) {
    if (value(n) < value(least)) least = n;
  }
  return least;
}

/// The whole N between which the minimum may lie: to their left the objective surely falls, to
/// their right it surely rises.
///
/// Inverts the t test that the slope at N is 0, as Fieller (1954) does for a ratio. If the runs
/// leave the interval open, it reaches the end of the range. Empty if the objective does not first
/// fall and then rise.
std::optional<Interval> interval_of(const Curves& curves, const Shape& shape, double least,
                                    const std::vector<double>& scales, double confidence) {
  if (!curves.has_errors() || curves.dof() < 1) return std::nullopt;
  const double first = scales.front();
  const double last = scales.back();
  if (curves.slope(last, shape) < curves.slope(first, shape) - 1e-9) return std::nullopt;
  const double factor = student_t_factor(confidence, curves.dof());
  const auto surely = [&](double n, int sign) {
    return sign * curves.slope(n, shape) > factor * curves.slope_se(n, shape);
  };
  // Walks outwards from the least N to the first excluded one. Beyond an N where the objective
  // surely rises it keeps rising, even where the runs say little about the slope.
  const auto middle = std::lower_bound(scales.begin(), scales.end(), least);
  Interval interval{least, least};
  for (auto n = middle; n != scales.end() && !(*n > first && surely(*n - 1, 1)); ++n) {
    interval.upper = std::max(least, *n);
  }
  for (auto n = std::make_reverse_iterator(middle);
       n != scales.rend() && !(*n < last && surely(*n + 1, -1)); ++n) {
    interval.lower = *n;
  }
  return interval;
}

Least least_of(const Curves& curves, Objective objective, const Shape& shape,
               const std::vector<double>& scales, double confidence) {
  Least least{.objective = objective, .x = least_scale(curves, shape, scales)};
  least.place = least.x == scales.front()  ? LeastPlace::kSmallest
                : least.x == scales.back() ? LeastPlace::kLargest
                                           : LeastPlace::kInside;
  least.ci = interval_of(curves, shape, least.x, scales, confidence);
  least.against_smallest =
      std::exp(curves.log_objective(least.x, shape) - curves.log_objective(scales.front(), shape));
  return least;
}

/// A law of time and its fit, if it has one.
struct Trial {
  LeastUnderLaw result;
  std::optional<Fit> time;
};

Trial trial_of(std::string_view law, std::span<const Cell> cells, double confidence) {
  Trial trial{.result = {.law = law}, .time = {}};
  FitOptions options;
  options.law = find_law(law);
  options.confidence = confidence;
  options.intervals = Intervals::kWald;
  auto fit = outcome_of([&] { return fit_law(cells, options); });
  if (const NoFit* failure = std::get_if<NoFit>(&fit)) {
    trial.result.rejected =
        failure->code == FailureCode::kTooFewX ? "too few different N" : failure->message;
    return trial;
  }
  trial.time = std::get<Fit>(std::move(fit));
  if (cells.size() <= trial.time->parameters.size()) {
    trial.result.rejected =
        fmt::format("{} parameters for {} different N: no run can contradict it",
                    trial.time->parameters.size(), cells.size());
    return trial;
  }
  const auto& lack = trial.time->lack_of_fit;
  if (lack && lack->p < 1 - confidence) {
    trial.result.rejected = fmt::format(
        "means lie further from it than runs scatter (lack of fit, p = {:.2g})", lack->p);
  }
  return trial;
}

std::vector<Trial> trials_of(const RunFigures& figures) {
  const std::vector<Cell> cells = cells_of(figures.x(), figures.seconds());
  std::vector<Trial> trials;
  for (const std::string_view law : kLaws)
    trials.push_back(trial_of(law, cells, figures.confidence));
  return trials;
}

/// Marks the law with the least AICc, and rejects laws far behind it.
void compare(std::vector<Trial>& trials) {
  Trial* best = nullptr;
  for (Trial& trial : trials) {
    if (!trial.result.rejected.empty() || !trial.time->aicc) continue;
    if (best == nullptr || *trial.time->aicc < *best->time->aicc) best = &trial;
  }
  if (best == nullptr) return;
  best->result.best = true;
  for (Trial& trial : trials) {
    if (!trial.result.rejected.empty() || !trial.time->aicc) continue;
    const double delta = *trial.time->aicc - *best->time->aicc;
    if (delta <= kHopelessDelta) continue;
    trial.result.rejected = fmt::format("AICc {:.1f} above that of {}", delta, best->result.law);
  }
}

/// @throws FitError if the power of a GPU does not follow a power law.
void add_minima(Trial& trial, const RunFigures& figures, const EnergyOptions& options,
                const std::vector<double>& scales) {
  const Fit watts = power_fit(figures.x(), figures.watts, Response::kRate, figures.confidence);
  const Curves curves(*trial.time, watts, figures);
  for (const Objective objective : kObjectives) {
    const auto shape = shape_of(objective, options);
    if (!shape) continue;
    trial.result.least.push_back(least_of(curves, objective, *shape, scales, figures.confidence));
  }
}

/// The objective of every run.
std::vector<double> objective_of_runs(const RunFigures& figures, Objective objective,
                                      const EnergyOptions& options) {
  if (objective == Objective::kEnergyDelay) return products(figures.joules(), figures.seconds());
  std::vector<double> values(figures.joules().begin(), figures.joules().end());
  if (objective == Objective::kEnergy) return values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = *total_cost(options, values[i], figures.gpu_hours[i]);
  }
  return values;
}

/// The measured N with the least geometric mean, found without a law.
LeastUnderLaw measured_least(const RunFigures& figures, const EnergyOptions& options) {
  LeastUnderLaw measured{.law = "measured"};
  for (const Objective objective : kObjectives) {
    if (!shape_of(objective, options)) continue;
    const auto cells = cells_of(figures.x(), objective_of_runs(figures, objective, options));
    const auto least =
        std::min_element(cells.begin(), cells.end(),
                         [](const Cell& a, const Cell& b) { return a.mean_log < b.mean_log; });
    measured.least.push_back(
        {.objective = objective,
         .x = least->x,
         .place = least == cells.begin()     ? LeastPlace::kSmallest
                  : least + 1 == cells.end() ? LeastPlace::kLargest
                                             : LeastPlace::kInside,
         .against_smallest = std::exp(least->mean_log - cells.front().mean_log)});
  }
  return measured;
}

}  // namespace

std::string least_caveat(const RunFigures& figures) {
  const auto watts = if_possible([&] {
    return power_fit(figures.x(), figures.watts, Response::kRate, figures.confidence,
                     Figures::kAll);
  });
  if (!watts) return "";  // Then there are no minima either.
  const auto& lack = watts->lack_of_fit;
  if (!lack || lack->p >= 1 - figures.confidence) return "";
  return fmt::format("power is no power law of N (lack of fit, p = {:.2g})", lack->p);
}

std::vector<LeastUnderLaw> least_under_laws(const RunFigures& figures,
                                            const EnergyOptions& options) {
  const auto [first, last] = std::minmax_element(figures.x().begin(), figures.x().end());
  const std::vector<double> scales = whole_scales(*first, *last);
  if (scales.size() < 2) return {};
  std::vector<LeastUnderLaw> out{measured_least(figures, options)};
  std::vector<Trial> trials = trials_of(figures);
  compare(trials);
  for (Trial& trial : trials) {
    if (trial.result.rejected.empty()) add_minima(trial, figures, options, scales);
    out.push_back(std::move(trial.result));
  }
  return out;
}

}  // namespace scalelaw
