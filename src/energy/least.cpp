// Where energy, energy-delay product and cost are least under each law of time.

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "energy/scaling_parts.hpp"
#include "fit/figures.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

constexpr std::array<std::string_view, 5> kLaws{"power", "floor", "amdahl", "usl", "lognormal"};
constexpr std::array kObjectives{Objective::kEnergy, Objective::kEnergyDelay, Objective::kCost};
constexpr double kHopelessDelta = 10;  ///< In AICc: essentially no support (Burnham and Anderson).
constexpr double kStep = 1e-4;         ///< Step in ln N for differences.
constexpr std::size_t kMostScales = 1000;  ///< Up to this many whole N are examined one by one.
constexpr int kMost = 3;                   ///< Most parameters of a law above.

using NormalVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost + 2, 1>;
using NormalMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost + 2, kMost + 2>;

/// Inverse of a positive definite matrix, on its correlation form. Empty if it is singular.
std::optional<NormalMatrix> inverse_of_normal(const NormalMatrix& matrix) {
  const NormalVector scale = matrix.diagonal().cwiseSqrt().cwiseInverse();
  const NormalMatrix correlations = scale.asDiagonal() * matrix * scale.asDiagonal();
  Eigen::FullPivLU<NormalMatrix> lu(correlations);
  lu.setThreshold(1e-12);
  if (!lu.isInvertible()) return std::nullopt;
  return scale.asDiagonal() * lu.inverse() * scale.asDiagonal();
}

/// An objective as a curve over x = ln N. Its logarithm is a constant + x + times * f(x) +
/// ln(energy_price e^(c + exponent x) + hour_price), where f is the law of ln t and a GPU has the
/// power e^c N^exponent. The + x stands for N t, and is missing where N is a setting.
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
        p_(static_cast<Eigen::Index>(time.parameters.size())),
        theta_(working_parameters(time)),
        level_(std::log(watts.parameters.front().estimate)),
        exponent_(watts.parameters.back().estimate),
        hours_(figures.runs.x_shares_work ? 1 : 0),
        dof_(static_cast<double>(time.dof)),
        covariance_(NormalMatrix::Zero(p_ + 2, p_ + 2)) {
    fill_covariance(time, watts, figures);
  }

  double dof() const { return dof_; }
  bool has_errors() const { return has_errors_; }

  double log_objective(double n, const Shape& shape) const {
    const double x = std::log(n);
    return hours_ * x + shape.times * log_time(n) +
           std::log(shape.energy_price * std::exp(level_ + exponent_ * x) + shape.hour_price);
  }

  /// d ln objective / d ln N.
  double slope(double n, const Shape& shape) const {
    return hours_ + shape.times * log_time_slope(n) + energy_share(n, shape) * exponent_;
  }

  /// Standard error of slope(), by the delta method.
  double slope_se(double n, const Shape& shape) const {
    const double share = energy_share(n, shape);
    const double by_level = exponent_ * share * (1 - share);
    NormalVector gradient(p_ + 2);
    gradient.head(p_) = shape.times *
                        (time_row(n * std::exp(kStep)) - time_row(n * std::exp(-kStep))) /
                        (2 * kStep);
    gradient.tail(2) << by_level, share + by_level * std::log(n);
    return std::sqrt(std::max(gradient.dot(covariance_ * gradient), 0.0));
  }

 private:
  std::span<const double> theta() const {
    return std::span(theta_).first(static_cast<std::size_t>(p_));
  }
  double log_time(double n) const { return law_.predictor(n, theta(), Response::kTime); }
  double log_time_slope(double n) const {
    return (log_time(n * std::exp(kStep)) - log_time(n * std::exp(-kStep))) / (2 * kStep);
  }
  NormalVector time_row(double n) const {
    NormalVector row(p_);
    law_.gradient(n, theta(), Response::kTime, {row.data(), theta().size()});
    return row;
  }

  /// The share of energy in the cost at n: 1 where GPU-hours cost nothing.
  double energy_share(double n, const Shape& shape) const {
    if (shape.hour_price == 0) return 1;
    const double energy = shape.energy_price * std::exp(level_ + exponent_ * std::log(n));
    return energy / (energy + shape.hour_price);
  }

  void fill_covariance(const Fit& time, const Fit& watts, const RunFigures& figures) {
    NormalMatrix time_squares = NormalMatrix::Zero(p_, p_);
    NormalMatrix power_squares = NormalMatrix::Zero(2, 2);
    NormalMatrix mixed = NormalMatrix::Zero(p_, 2);
    double together = 0;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const double n = figures.x()[i];
      const NormalVector row = time_row(n);
      const Eigen::Vector2d power_row(1, std::log(n));
      time_squares += row * row.transpose();
      power_squares += power_row * power_row.transpose();
      mixed += row * power_row.transpose();
      together += (std::log(figures.seconds()[i]) - log_time(n)) *
                  (std::log(figures.watts[i]) - level_ - exponent_ * power_row[1]);
    }
    const auto time_inverse = inverse_of_normal(time_squares);
    const auto power_inverse = inverse_of_normal(power_squares);
    if (!time_inverse || !power_inverse || !time.sigma || !watts.sigma) return;
    const double covariance =
        together / std::sqrt(static_cast<double>(time.dof) * static_cast<double>(watts.dof));
    const NormalMatrix cross = covariance * *time_inverse * mixed * *power_inverse;
    covariance_ << *time.sigma * *time.sigma * *time_inverse, cross, cross.transpose(),
        *watts.sigma * *watts.sigma * *power_inverse;
    has_errors_ = *time.sigma > 0 || *watts.sigma > 0;
  }

  const Law& law_;
  Eigen::Index p_;
  SmallVector theta_;
  double level_;
  double exponent_;
  double hours_;  ///< Exponent of N in the hours of all GPUs beside that of the time.
  double dof_;
  NormalMatrix covariance_;  ///< Of the working parameters, and the level and exponent of power.
  bool has_errors_ = false;
};

/// The whole N of the measured range: all of them if they are few, else a grid.
std::vector<double> whole_scales(double x_min, double x_max) {
  constexpr double kMostWhole = 0x1p52;  // Beyond 2^53 x + 1 may be x, and no search would end.
  const double first = std::min(std::ceil(x_min), kMostWhole);
  const double last = std::min(std::floor(x_max), kMostWhole);
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
/// leave it open, it reaches the end of the range. Empty if the objective does not fall, then rise.
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
  const auto middle = std::ranges::lower_bound(scales, least);
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

LeastPlace place_of(double x, double first, double last) {
  if (x == first) return LeastPlace::kSmallest;
  return x == last ? LeastPlace::kLargest : LeastPlace::kInside;
}

Least least_of(const Curves& curves, Objective objective, const Shape& shape,
               const std::vector<double>& scales, double confidence) {
  Least least{.objective = objective, .x = least_scale(curves, shape, scales)};
  least.place = place_of(least.x, scales.front(), scales.back());
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
  const FitOptions options{
      .law = find_law(law), .confidence = confidence, .intervals = Intervals::kWald};
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
        "means lie further from it than repeated runs scatter (lack of fit, p = {:.2g})", lack->p);
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

/// Marks the simplest law that goes through all points and rejects the others. False if none does.
bool keep_exact(std::vector<Trial>& trials) {
  const auto exact = std::ranges::find_if(trials, [](const Trial& trial) {
    return trial.result.rejected.empty() && trial.time->rss == 0;
  });
  if (exact == trials.end()) return false;
  exact->result.best = true;
  for (Trial& trial : trials) {
    if (!trial.result.rejected.empty() || trial.time->rss == 0) continue;
    trial.result.rejected = fmt::format("every run lies on {}, not on it", exact->result.law);
  }
  return true;
}

/// Marks the law with the least AICc, which exact fits do not have, and rejects laws far behind it.
void compare(std::vector<Trial>& trials) {
  if (keep_exact(trials)) return;
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
    const auto least = std::ranges::min_element(cells, {}, &Cell::mean_log);
    measured.least.push_back(
        {.objective = objective,
         .x = least->x,
         .place = place_of(least->x, cells.front().x, cells.back().x),
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
  if (!warns(*watts, WarningCode::kLackOfFit)) return "";
  return fmt::format(
      "means of the power lie further from a power law of N than repeated runs scatter (lack of "
      "fit, p = {:.2g})",
      watts->lack_of_fit->p);
}

std::vector<LeastUnderLaw> least_under_laws(const RunFigures& figures,
                                            const EnergyOptions& options) {
  const auto [first, last] = std::ranges::minmax_element(figures.x());
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
