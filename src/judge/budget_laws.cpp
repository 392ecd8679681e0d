// The laws behind a plan: what a token takes, and draws of all laws together.

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "judge/budget_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/fit/least_squares.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

/// Points of a resource law, in logarithms.
struct ResourcePoints {
  std::vector<double> n;
  std::vector<double> gpus;  ///< NaN where no column tells it.
  std::vector<double> y;
};

ResourcePoints points_of_runs(std::span<const double> n, std::span<const double> gpus,
                              std::span<const double> y, std::span<const std::uint32_t> run) {
  struct Sum {
    double logs = 0;
    double count = 0;
  };
  constexpr double kEqual = 1e9;  // Values of y that differ less are those of one run.
  std::map<std::tuple<std::int64_t, double, double>, Sum> sums;
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (!(y[i] > 0) || !std::isfinite(y[i])) continue;
    const double g = gpus[i] > 0 ? gpus[i] : 0;  // NaN has no place in an order.
    const double log_y = std::log(y[i]);
    Sum& sum = sums[{run.empty() ? std::llround(log_y * kEqual) : run[i], n[i], g}];
    sum.logs += log_y;
    sum.count += 1;
  }
  ResourcePoints points;
  for (const auto& [key, sum] : sums) {
    points.n.push_back(std::log(std::get<1>(key)));
    points.gpus.push_back(std::log(std::get<2>(key)));
    points.y.push_back(sum.logs / sum.count);
  }
  return points;
}

std::size_t different_logs(const std::vector<double>& values) {
  return std::set<double>(values.begin(), values.end()).size();
}

Interval range_of_exps(const std::vector<double>& logs) {
  const auto [least, greatest] = std::minmax_element(logs.begin(), logs.end());
  return {std::exp(*least), std::exp(*greatest)};
}

double log_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double aa = 0;
  double bb = 0;
  double ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

/// Which exponents a fit finds.
struct FittedExponents {
  bool n;
  bool gpus;
  std::size_t count() const { return (n ? 1U : 0U) + (gpus ? 1U : 0U); }
};

LeastSquares solve_resource(const ResourcePoints& points, const ResourceLaw& law,
                            FittedExponents terms) {
  std::vector<double> design;
  std::vector<double> y = points.y;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double u = points.n[i] - law.centre[0];
    const double v = points.gpus[i] - law.centre[1];
    if (!terms.n) y[i] -= law.n_exponent.estimate * u;
    if (terms.n) design.push_back(u);
    if (terms.gpus) design.push_back(v);
  }
  return least_squares(y, design, terms.count());
}

/// The law without any exponent to fit: the mean, and the scatter about it.
LeastSquares solve_level(const ResourcePoints& points, const ResourceLaw& law) {
  std::vector<double> y = points.y;
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] -= law.n_exponent.estimate * (points.n[i] - law.centre[0]);
  }
  LeastSquares out;
  out.estimates = {mean_of(y)};
  out.dof = static_cast<std::int64_t>(y.size()) - 1;
  if (out.dof == 0) return out;
  for (const double value : y) out.rss += std::pow(value - out.estimates[0], 2);
  const double variance = out.rss / static_cast<double>(out.dof);
  out.sigma = std::sqrt(variance);
  out.covariance = {variance / static_cast<double>(y.size())};
  out.standard_errors = {std::sqrt(out.covariance[0])};
  return out;
}

/// Takes over what a solution says of (level, p, q).
void take_solution(const LeastSquares& solution, FittedExponents terms, double confidence,
                   ResourceLaw& law) {
  const std::vector<std::size_t> places = terms.n && terms.gpus ? std::vector<std::size_t>{0, 1, 2}
                                          : terms.n             ? std::vector<std::size_t>{0, 1}
                                          : terms.gpus          ? std::vector<std::size_t>{0, 2}
                                                                : std::vector<std::size_t>{0};
  law.level = solution.estimates[0];
  law.dof = static_cast<double>(solution.dof);
  law.sigma = solution.sigma.value_or(0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != 0) {
      Estimate& exponent = places[i] == 1 ? law.n_exponent : law.gpu_exponent;
      exponent = {};
      exponent.estimate = solution.estimates[i];
      if (solution.dof > 0) {
        exponent = student_estimate(solution.estimates[i], solution.standard_errors[i], law.dof,
                                    confidence);
      }
    }
    for (std::size_t j = 0; solution.dof > 0 && j < places.size(); ++j) {
      law.covariance[places[i] * 3 + places[j]] = solution.covariance[i * places.size() + j];
    }
  }
}

/// The line of a law with these (level, p, q).
ResourceLine line_with(const ResourceLaw& law, const std::array<double, 3>& values) {
  ResourceLine line{.scale = values[0] - values[1] * law.centre[0] - values[2] * law.centre[1],
                    .n = values[1],
                    .gpus = values[2]};
  if (law.kind != Resource::kTime) return line;
  if (law.n_range.upper > 0) {
    line.n_end = std::log(law.n_range.upper);
    line.n_more = std::max(0.0, 1 - line.n);
  }
  if (law.gpu_range.upper > 0) {
    line.gpus_end = std::log(law.gpu_range.upper);
    line.gpus_more = std::max(0.0, -line.gpus);
  }
  return line;
}

std::array<double, 3> values_of(const ResourceLaw& law) {
  return {law.level, law.n_exponent.estimate, law.gpu_exponent.estimate};
}

}  // namespace

double ResourceLaw::log_at(double log_n, double log_gpus) const {
  return line_with(*this, values_of(*this)).at(log_n, log_gpus);
}

ResourceLaw known_resource(Resource kind, double level, double n_exponent) {
  ResourceLaw law;
  law.kind = kind;
  law.level = std::log(level);
  law.n_exponent.estimate = n_exponent;
  return law;
}

ResourceLaw resource_of(const Fit& fit, const TimedModel& model) {
  if (fit.law->name() != "power") {
    throw FitError(FailureCode::kNotIdentifiable,
                   fmt::format("a plan takes times by the power law, and these are by the {} law",
                               fit.law->name()));
  }
  const bool is_rate = !model.tokens_per_step;
  const double beta = fit.parameters[1].estimate;
  const double log_alpha = std::log(fit.parameters[0].estimate);
  const double log_gpus = std::log(model.gpus_per_x);
  ResourceLaw law;
  law.points = fit.n;
  law.centre = {std::log(model.n), log_gpus};
  law.level = std::log(model.seconds) + (model.of_one_gpu ? 0 : log_gpus) +
              (is_rate ? -log_alpha : log_alpha - std::log(*model.tokens_per_step));
  law.n_exponent.estimate = 1;
  law.gpu_exponent = fit.parameters[1];
  law.gpu_exponent.estimate = (model.of_one_gpu ? 0 : 1) - beta;
  if (auto& ci = law.gpu_exponent.ci) {
    const double whole = model.of_one_gpu ? 0 : 1;
    ci = Interval{whole - ci->upper, whole - ci->lower};
  }
  law.n_range = {model.n, model.n};
  law.gpu_range = {fit.x_min * model.gpus_per_x, fit.x_max * model.gpus_per_x};
  law.dof = fit.covariance.empty() ? 0 : fit.sigma_dof();
  law.sigma = fit.sigma.value_or(0);
  if (fit.covariance.empty()) return law;
  const double sign = is_rate ? 1 : -1;  // Of the level and the exponent together.
  law.covariance = {fit.covariance[0],        0, sign * fit.covariance[1], 0, 0, 0,
                    sign * fit.covariance[2], 0, fit.covariance[3]};
  return law;
}

ResourceLaw fit_resource(Resource kind, std::span<const double> n, std::span<const double> gpus,
                         std::span<const double> y, std::span<const std::uint32_t> run,
                         double confidence) {
  constexpr std::size_t kFewestSizes = 3;
  constexpr std::size_t kFewestGpus = 2;
  constexpr double kOneScale = 1 - 1e-9;
  const ResourcePoints points = points_of_runs(n, gpus, y, run);
  if (points.y.empty()) {
    throw FitError(FailureCode::kTooFewPoints, "no row tells what training took");
  }
  const bool knows_gpus = std::all_of(points.gpus.begin(), points.gpus.end(),
                                      [](double value) { return std::isfinite(value); });
  const bool is_time = kind == Resource::kTime;
  ResourceLaw law;
  law.kind = kind;
  law.points = points.y.size();
  law.n_exponent.estimate = is_time ? 1 : 0;
  law.n_range = range_of_exps(points.n);
  if (knows_gpus) law.gpu_range = range_of_exps(points.gpus);
  law.centre = {mean_of(points.n), knows_gpus ? mean_of(points.gpus) : 0};
  const bool over_n = is_time && different_logs(points.n) >= kFewestSizes;
  const bool over_gpus = knows_gpus && different_logs(points.gpus) >= kFewestGpus;
  for (const FittedExponents terms :
       {FittedExponents{true, true}, FittedExponents{false, true}, FittedExponents{true, false}}) {
    if ((terms.n && !over_n) || (terms.gpus && !over_gpus)) continue;
    if (points.y.size() < terms.count() + 2) continue;
    const bool both = terms.n && terms.gpus;
    // Larger models ran on more GPUs in one ratio.
    if (both && std::abs(log_correlation(points.n, points.gpus)) > kOneScale) continue;
    const auto solution = if_possible([&] { return solve_resource(points, law, terms); });
    if (!solution) continue;
    take_solution(*solution, terms, confidence, law);
    if (both) law.correlation = log_correlation(points.n, points.gpus);
    return law;
  }
  take_solution(solve_level(points, law), {false, false}, confidence, law);
  return law;
}

double LawValues::loss(double log_n, double log_d) const {
  return floor + std::exp(log_a - alpha * log_n) + std::exp(log_b - beta * log_d);
}

LawValues estimates_of(const BudgetLaws& laws) {
  const auto& parameters = laws.loss.parameters;
  LawValues values{.log_a = std::log(parameters[0].estimate),
                   .log_b = std::log(parameters[1].estimate),
                   .floor = parameters[2].estimate,
                   .alpha = parameters[3].estimate,
                   .beta = parameters[4].estimate,
                   .gpu_seconds = {},
                   .watts = {}};
  if (const auto& law = laws.gpu_seconds) values.gpu_seconds = line_with(*law, values_of(*law));
  if (const auto& law = laws.watts) values.watts = line_with(*law, values_of(*law));
  return values;
}

LawDraws::Spread LawDraws::spread_of(std::span<const double> covariance, double dof) {
  const auto size =
      static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(covariance.size()))));
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::SelfAdjointEigenSolver<Matrix> parts(
      Eigen::Map<const Matrix>(covariance.data(), size, size));
  // Rounding may leave eigenvalues of tied or nearly collinear parameters below 0.
  const Matrix root =
      parts.eigenvectors() * parts.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  return {static_cast<std::size_t>(size), {root.data(), root.data() + root.size()}, dof};
}

LawDraws::Spread LawDraws::spread_of(const std::optional<ResourceLaw>& law) {
  if (!law || !(law->dof > 0)) return {};
  return spread_of(law->covariance, law->dof);
}

LawDraws::LawDraws(const BudgetLaws& laws)
    : laws_(laws),
      estimates_(estimates_of(laws)),
      spreads_{Spread{}, spread_of(laws.gpu_seconds), spread_of(laws.watts)} {
  const double dof = laws.loss.joint_dof();
  const auto lacks_errors = [](const std::optional<ResourceLaw>& law) {
    return law && law->points > 0 && !(law->dof > 0);
  };
  possible_ = !laws.loss.covariance.empty() && dof > 0 && !lacks_errors(laws.gpu_seconds) &&
              !lacks_errors(laws.watts);
  if (possible_) spreads_[0] = spread_of(laws.loss.covariance, dof);
}

std::size_t LawDraws::directions(std::size_t law) const { return spreads_[law].size; }

std::array<double, LawDraws::kMostNumbers> LawDraws::added(std::size_t law,
                                                           const Steps& steps) const {
  const Spread& spread = spreads_[law];
  std::array<double, kMostNumbers> sums{};
  for (std::size_t i = 0; i < spread.size; ++i) {
    for (std::size_t j = 0; j < spread.size; ++j) {
      sums.at(i) += spread.root[i * spread.size + j] * steps[law].at(j);
    }
  }
  return sums;
}

LawValues LawDraws::values_at(const Steps& steps) const {
  LawValues out = estimates_;
  const auto loss = added(0, steps);
  out.log_a += loss[0];
  out.log_b += loss[1];
  out.floor = std::max(0.0, out.floor + loss[2]);
  out.alpha += loss[3];
  out.beta += loss[4];
  const auto line_of = [&](const ResourceLaw& law, std::size_t place) {
    std::array values = values_of(law);
    const auto more = added(place, steps);
    for (std::size_t i = 0; i < values.size(); ++i) values.at(i) += more.at(i);
    return line_with(law, values);
  };
  if (laws_.gpu_seconds) out.gpu_seconds = line_of(*laws_.gpu_seconds, 1);
  if (laws_.watts) out.watts = line_of(*laws_.watts, 2);
  return out;
}

LawValues LawDraws::draw(RandomStream& stream) const {
  Steps steps{};
  double run = 0;
  for (std::size_t law = 0; law < kLaws; ++law) {
    const Spread& spread = spreads_[law];
    if (spread.size == 0) continue;
    for (std::size_t i = 0; i < spread.size; ++i) steps[law].at(i) = stream.normal();
    // All numbers of a law share the factor, so that they are a multivariate t.
    const double factor = std::sqrt(spread.dof / stream.chi_squared(spread.dof));
    for (double& step : steps[law]) step *= factor;
    if (law == 1) run = laws_.gpu_seconds->sigma * factor * stream.normal();
  }
  LawValues out = values_at(steps);
  out.run = run;
  return out;
}

LawValues LawDraws::moved(std::size_t law, std::size_t direction, double step) const {
  Steps steps{};
  steps.at(law).at(direction) = step;
  return values_at(steps);
}

}  // namespace scalelaw
