#include "judge/rank_parts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fit/broken_line.hpp"
#include "fit/nonlinear.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

constexpr std::uint32_t kEnoughExceedances = 20;

/// Chi-squared with `dof` degrees of freedom, from a gamma variate (Marsaglia and Tsang 2000).
double chi_squared(std::uint64_t dof, RandomStream& stream) {
  if (dof == 0) return 0;
  const double z = dof % 2 == 1 ? stream.normal() : 0;
  if (dof == 1) return z * z;
  const double shape = static_cast<double>(dof / 2);
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double normal = stream.normal();
    const double v = std::pow(1 + c * normal, 3);
    if (v > 0 && std::log(stream.uniform()) < 0.5 * normal * normal + d - d * v + d * std::log(v)) {
      return 2 * d * v + z * z;
    }
  }
}

/// Draws statistics under the null until the p value is settled.
template <class Draw>
BootstrapTest sequential_test(double statistic, std::uint32_t resamples, Draw draw) {
  std::uint32_t exceedances = 0;
  for (std::uint32_t count = 1; count <= resamples; ++count) {
    if (draw(count - 1) >= statistic) ++exceedances;
    if (exceedances == kEnoughExceedances) {
      return {statistic, static_cast<double>(exceedances) / count, count};
    }
  }
  return {statistic, (exceedances + 1.0) / (resamples + 1.0), resamples};
}

double likelihood_ratio(double n, double rss_power, double rss_other) {
  return std::max(0.0, n * std::log(rss_power / rss_other));
}

/// The places of a group's points, and how many of its rows are repeats.
struct Design {
  std::vector<double> log_x;
  std::vector<double> mass;
  std::uint64_t repeats = 0;  ///< Degrees of freedom inside the cells.

  bool operator==(const Design& other) const = default;
};

void fill_design(std::span<const Cell> cells, Design& out) {
  out.log_x.clear();
  out.mass.clear();
  out.repeats = 0;
  for (const Cell& cell : cells) {
    out.log_x.push_back(std::log(cell.x));
    out.mass.push_back(static_cast<double>(cell.count) * cell.weight);
    out.repeats += cell.count - 1;
  }
}

std::uint64_t hash_of(const Design& design) {
  std::uint64_t hash = mix64(design.repeats);
  for (const auto* values : {&design.log_x, &design.mass}) {
    for (const double value : *values) hash = mix64(hash ^ std::bit_cast<std::uint64_t>(value));
  }
  return hash;
}

/// Draws normal cell means about 0; returns the scatter within cells that belongs to them.
double draw_scatter(const Design& design, RandomStream& stream, std::vector<double>& y) {
  y.resize(design.mass.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = stream.normal() / std::sqrt(design.mass[i]);
  return chi_squared(design.repeats, stream);
}

/// The statistics of one design under the null, drawn on demand.
class BrokenNull {
 public:
  BrokenNull(const Design& design, std::uint64_t seed)
      : design_(design),
        seed_(seed),
        line_(design_.log_x, design_.mass),
        stream_(seed, hash_of(design)) {
    n_ = static_cast<double>(design_.repeats + design_.mass.size());
  }
  bool is_of(const Design& design, std::uint64_t seed) const {
    return seed == seed_ && design == design_;
  }
  bool possible() const { return line_.possible(); }
  double statistic_of(std::span<const double> y, double within) {
    return likelihood_ratio(n_, line_.straight_rss(y) + within, line_.best_break(y).rss + within);
  }
  double draw(std::uint32_t index) {
    while (drawn_.size() <= index) {
      const double within = draw_scatter(design_, stream_, y_);
      drawn_.push_back(statistic_of(y_, within));
    }
    return drawn_[index];
  }

 private:
  Design design_;
  std::uint64_t seed_;
  BrokenLine line_;
  RandomStream stream_;
  double n_ = 0;
  std::vector<double> y_;
  std::vector<double> drawn_;
};

/// The null of the design that this thread used last, or of a new one.
BrokenNull& broken_null(const Design& design, std::uint64_t seed) {
  thread_local std::optional<BrokenNull> null;
  if (!null || !null->is_of(design, seed)) null.emplace(design, seed);
  return *null;
}

/// Draws about a fitted power law, each judged by power and floor.
class FloorNull {
 public:
  FloorNull(std::span<const Cell> cells, const Fit& power, Response response)
      : sigma_(*power.sigma), response_(response), cells_(cells.begin(), cells.end()) {
    fill_design(cells, design_);
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
    const double sign = response_ == Response::kTime ? 1 : -1;
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

std::optional<BootstrapTest> test_floor(std::span<const Cell> cells, const Fit& power,
                                        const Fit& floor, const RankOptions& options,
                                        std::uint64_t random_stream) {
  if (options.resamples == 0 || floor.dof <= 0 || !(power.rss > 0) || !(floor.rss > 0)) {
    return std::nullopt;
  }
  const double statistic = likelihood_ratio(static_cast<double>(power.n), power.rss, floor.rss);
  if (!(statistic > 1e-9)) return BootstrapTest{0, 1, 0};  // The floor is 0: no draw is less.
  FloorNull null(cells, power, options.response);
  RandomStream stream(options.seed, random_stream, 1);
  return sequential_test(statistic, options.resamples,
                         [&](std::uint32_t /*index*/) { return null.draw(stream); });
}

std::optional<BootstrapTest> test_broken(std::span<const Cell> cells, const Fit& power,
                                         const RankOptions& options) {
  constexpr std::int64_t kMoreParameters = 2;  // More than the power law has.
  if (options.resamples == 0 || power.dof <= kMoreParameters || !(power.rss > 0)) {
    return std::nullopt;
  }
  thread_local Design design;
  fill_design(cells, design);
  BrokenNull& null = broken_null(design, options.seed);
  if (!null.possible()) return std::nullopt;
  double within = 0;
  std::vector<double> y;
  for (const Cell& cell : cells) {
    y.push_back(cell.mean_log);
    within += cell.weight * cell.ss_log;
  }
  const double statistic = null.statistic_of(y, within);
  if (!std::isfinite(statistic)) return std::nullopt;  // Two lines fit exactly.
  return sequential_test(statistic, options.resamples,
                         [&](std::uint32_t index) { return null.draw(index); });
}

}  // namespace scalelaw
