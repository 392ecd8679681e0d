#include "judge/rank_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fit/broken_line.hpp"
#include "fit/nonlinear.hpp"
#include "judge/levels.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

constexpr std::uint32_t kEnoughExceedances = 20;

/// Draws statistics under the null until the p value is settled.
template <class Draw>
NestedTest sequential_test(double statistic, std::uint32_t resamples, Draw draw) {
  std::uint32_t exceedances = 0;
  for (std::uint32_t count = 1; count <= resamples; ++count) {
    if (draw() >= statistic) ++exceedances;
    if (exceedances == kEnoughExceedances) {
      return {statistic, static_cast<double>(exceedances) / count, count};
    }
  }
  return {statistic, (exceedances + 1.0) / (resamples + 1.0), resamples};
}

/// The chance that the best break leaves no more than this ratio of the squares about one line.
/// Under a straight line the residuals have a uniform direction, and a break explains those that
/// lie near the path of its own: within a tube about it, whose volume Hotelling gave.
/// @param dof  Dimensions of the residuals about one line.
double break_p(double ratio, std::int64_t dof, double path_length) {
  const auto d = static_cast<double>(dof);
  const double along = path_length * std::numbers::inv_pi * std::pow(ratio, d / 2 - 1);
  const double t = std::sqrt((d - 1) * (1 - ratio) / ratio);
  return std::min(1.0, along + student_t_p(t, d - 1));
}

double likelihood_ratio(double n, double rss_power, double rss_other) {
  return std::max(0.0, n * std::log(rss_power / rss_other));
}

/// The places of a group's points, and how many of its rows are repeats.
struct Design {
  std::vector<double> log_x;
  std::vector<double> mass;
  std::uint64_t repeats = 0;  ///< Degrees of freedom inside the cells.
};

Design design_of(std::span<const Cell> cells) {
  Design design;
  for (const Cell& cell : cells) {
    design.log_x.push_back(std::log(cell.x));
    design.mass.push_back(static_cast<double>(cell.count) * cell.weight);
    design.repeats += cell.count - 1;
  }
  return design;
}

/// Draws normal cell means about 0; returns the scatter within cells that belongs to them.
double draw_scatter(const Design& design, RandomStream& stream, std::vector<double>& y) {
  y.resize(design.mass.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = stream.normal() / std::sqrt(design.mass[i]);
  return design.repeats > 0 ? stream.chi_squared(static_cast<double>(design.repeats)) : 0;
}

/// Draws about a fitted power law, each judged by power and floor.
class FloorNull {
 public:
  FloorNull(std::span<const Cell> cells, const Fit& power, Response response)
      : sigma_(*power.sigma),
        response_(response),
        cells_(cells.begin(), cells.end()),
        design_(design_of(cells)) {
    for (const Cell& cell : cells) fitted_.push_back(std::log(power.curve(cell.x)));
    options_.law = find_law("floor");
    options_.response = response;
    observe(cells_, options_, points_);
    n_ = static_cast<double>(points_.n);
    mean_log_x_ = mean_of(design_.log_x, design_.mass);
    for (std::size_t i = 0; i < design_.mass.size(); ++i) {
      const double dx = design_.log_x[i] - mean_log_x_;
      spread_ += design_.mass[i] * dx * dx;
    }
  }

  /// A statistic under the null: 0 if no floor lowers the residual sum of squares. The floor
  /// descends from the drawn power law. In 400,000 draws it always ended where the descent from its
  /// best shape does.
  double draw(RandomStream& stream) {
    const double within = sigma_ * sigma_ * draw_scatter(design_, stream, points_.mean);
    for (std::size_t i = 0; i < fitted_.size(); ++i) {
      points_.mean[i] = fitted_[i] + sigma_ * points_.mean[i];
    }
    const double power_rss = solve_power();
    if (!floor_helps()) return 0;
    const auto floor = descend_near(points_, line_theta_, Precision::kRoughRss);
    return floor ? likelihood_ratio(n_, power_rss + within, floor->rss + within) : 0;
  }

 private:
  /// Fits the line to the drawn points; keeps its residuals and the logarithms of its curve.
  double solve_power() {
    const std::size_t m = fitted_.size();
    const double level = mean_of(points_.mean, design_.mass);
    double along = 0;
    for (std::size_t i = 0; i < m; ++i) {
      along += design_.mass[i] * (design_.log_x[i] - mean_log_x_) * (points_.mean[i] - level);
    }
    const double slope = along / spread_;
    line_theta_[1] = response_ == Response::kTime ? -slope : slope;
    line_theta_[0] = level - slope * mean_log_x_;
    line_.resize(m);
    residual_.resize(m);
    double rss = 0;
    for (std::size_t i = 0; i < m; ++i) {
      line_[i] = level + slope * (design_.log_x[i] - mean_log_x_);
      residual_[i] = points_.mean[i] - line_[i];
      rss += design_.mass[i] * residual_[i] * residual_[i];
    }
    return rss;
  }

  /// Whether the residual sum of squares falls as the floor rises from 0. The other parameters do
  /// not matter, since residuals are orthogonal to them; d eta / d gamma is 1 / curve for a time.
  bool floor_helps() const {
    const double sign = sign_of(response_);
    double downhill = 0;
    for (std::size_t i = 0; i < line_.size(); ++i) {
      downhill += sign * design_.mass[i] * residual_[i] * std::exp(-sign * (line_[i] - line_[0]));
    }
    return downhill > 0;
  }

  double sigma_;
  Response response_;
  std::vector<Cell> cells_;
  Design design_;
  std::vector<double> fitted_;
  FitOptions options_;
  FitPoints points_;
  double n_ = 0;
  double mean_log_x_ = 0;
  double spread_ = 0;
  std::vector<double> line_;
  SmallVector line_theta_{};  ///< The line as a floor law whose floor is 0.
  std::vector<double> residual_;
};

}  // namespace

std::optional<NestedTest> test_floor(std::span<const Cell> cells, const Fit& power,
                                     const Fit& floor, const RankOptions& options,
                                     std::uint64_t random_stream) {
  if (options.resamples == 0 || floor.dof <= 0 || !(power.rss > 0) || !(floor.rss > 0)) {
    return std::nullopt;
  }
  const double statistic = likelihood_ratio(static_cast<double>(power.n), power.rss, floor.rss);
  if (!(statistic > 1e-9)) return NestedTest{0, 1, 0};  // The floor is 0: no draw is less.
  FloorNull null(cells, power, options.response);
  // The statistic names the draws too. Otherwise all studies without groups would share them and
  // err alike. It is rounded, so that the unit of y does not matter.
  RandomStream stream(options.seed, random_stream,
                      static_cast<std::uint64_t>(std::llround(statistic * 1e6)));
  return sequential_test(statistic, options.resamples, [&] { return null.draw(stream); });
}

std::optional<NestedTest> test_broken(std::span<const Cell> cells, const Fit& power) {
  constexpr std::int64_t kMoreParameters = 2;  // More than the power law has.
  if (power.dof <= kMoreParameters || !(power.rss > 0)) return std::nullopt;
  const Design design = design_of(cells);
  BrokenLine line(design.log_x, design.mass);
  if (!line.possible()) return std::nullopt;
  double within = 0;
  std::vector<double> y;
  for (const Cell& cell : cells) {
    y.push_back(cell.mean_log);
    within += cell.weight * cell.ss_log;
  }
  const double straight = line.straight_rss(y) + within;
  const double broken = line.best_break(y).rss + within;
  const double statistic = likelihood_ratio(static_cast<double>(power.n), straight, broken);
  if (!std::isfinite(statistic)) return std::nullopt;  // Two lines fit exactly.
  return NestedTest{statistic,
                    break_p(std::min(1.0, broken / straight), power.dof, line.path_length())};
}

}  // namespace scalelaw
