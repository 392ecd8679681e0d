// The laws behind a plan: what a token takes, and draws of all laws together.

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "judge/budget_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/fit/least_squares.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/moments.hpp"
#include "statistics/projection.hpp"
#include "statistics/spectra.hpp"

namespace scalelaw {
namespace {

/// Points of a resource law, in logarithms.
struct ResourcePoints {
  std::vector<double> n;
  std::vector<double> gpus;  ///< NaN where no column tells it.
  std::vector<double> y;
  std::vector<std::uint32_t> cluster;  ///< Empty where each run is one point.
  std::size_t left_out = 0;            ///< Rows without GPUs.

  std::size_t clusters() const {
    return std::set<std::uint32_t>(cluster.begin(), cluster.end()).size();
  }
};

ResourcePoints points_of_runs(std::span<const double> n, std::span<const double> gpus,
                              std::span<const double> y, std::span<const std::uint32_t> run) {
  struct Sum {
    double logs = 0;
    double count = 0;
  };
  constexpr double kEqual = 1e9;  // Values of y that differ less are those of one run.
  const auto is_told = [&](std::size_t i) { return y[i] > 0 && std::isfinite(y[i]); };
  bool knows_gpus = false;
  for (std::size_t i = 0; i < n.size(); ++i) knows_gpus = knows_gpus || (is_told(i) && gpus[i] > 0);
  ResourcePoints points;
  std::map<std::tuple<std::int64_t, double, double>, Sum> sums;
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (!is_told(i)) continue;
    if (knows_gpus && !(gpus[i] > 0)) {
      ++points.left_out;
      continue;
    }
    const double g = knows_gpus ? gpus[i] : 0;  // NaN has no place in an order.
    const double log_y = std::log(y[i]);
    Sum& sum = sums[{run.empty() ? std::llround(log_y * kEqual) : run[i], n[i], g}];
    sum.logs += log_y;
    sum.count += 1;
  }
  for (const auto& [key, sum] : sums) {
    points.n.push_back(std::log(std::get<1>(key)));
    points.gpus.push_back(std::log(std::get<2>(key)));
    points.y.push_back(sum.logs / sum.count);
    if (!run.empty()) points.cluster.push_back(static_cast<std::uint32_t>(std::get<0>(key)));
  }
  if (points.clusters() == points.y.size()) points.cluster.clear();
  return points;
}

std::size_t different_logs(const std::vector<double>& values) {
  return std::set<double>(values.begin(), values.end()).size();
}

Interval range_of_exps(const std::vector<double>& logs) {
  const auto [least, greatest] = std::ranges::minmax_element(logs);
  return {std::exp(*least), std::exp(*greatest)};
}

/// Which exponents a fit finds.
struct FittedExponents {
  bool n;
  bool gpus;
  std::size_t count() const { return (n ? 1U : 0U) + (gpus ? 1U : 0U); }
};

/// A row-major design of (level, p, q) with zeros for what is not fitted.
using ResourceDesign = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

ResourceDesign design_of(const ResourcePoints& points, const ResourceLaw& law,
                         FittedExponents terms) {
  ResourceDesign design(static_cast<Eigen::Index>(points.y.size()), 3);
  for (std::size_t i = 0; i < points.y.size(); ++i) {
    design.row(static_cast<Eigen::Index>(i)) << 1, terms.n ? points.n[i] - law.centre[0] : 0,
        terms.gpus ? points.gpus[i] - law.centre[1] : 0;
  }
  return design;
}

/// What is left of ln y once exponents that are assumed have their share.
std::vector<double> responses_of(const ResourcePoints& points, const ResourceLaw& law,
                                 FittedExponents terms) {
  std::vector<double> y = points.y;
  for (std::size_t i = 0; !terms.n && i < y.size(); ++i) {
    y[i] -= law.n_exponent.estimate * (points.n[i] - law.centre[0]);
  }
  return y;
}

/// The law without any exponent to fit: the mean, and the scatter about it.
LeastSquares solve_level(const std::vector<double>& y) {
  LeastSquares out;
  out.estimates = {mean_of(y)};
  out.dof = static_cast<std::int64_t>(y.size()) - 1;
  for (const double value : y) out.residuals.push_back(value - out.estimates[0]);
  if (out.dof == 0) return out;
  for (const double value : out.residuals) out.rss += value * value;
  const double variance = out.rss / static_cast<double>(out.dof);
  out.sigma = std::sqrt(variance);
  out.covariance = {variance / static_cast<double>(y.size())};
  out.standard_errors = {std::sqrt(out.covariance[0])};
  return out;
}

LeastSquares solve_resource(const ResourcePoints& points, const ResourceLaw& law,
                            FittedExponents terms) {
  const std::vector<double> y = responses_of(points, law, terms);
  if (terms.count() == 0) return solve_level(y);
  const ResourceDesign whole = design_of(points, law, terms);
  std::vector<double> design;
  for (Eigen::Index i = 0; i < whole.rows(); ++i) {
    if (terms.n) design.push_back(whole(i, 1));
    if (terms.gpus) design.push_back(whole(i, 2));
  }
  return least_squares(y, design, terms.count());
}

/// The places of (level, p, q) that a solution has.
std::vector<std::size_t> places_of(FittedExponents terms) {
  std::vector<std::size_t> places{0};
  if (terms.n) places.push_back(1);
  if (terms.gpus) places.push_back(2);
  return places;
}

/// Takes over what a solution says of (level, p, q), with errors of independent points.
void take_solution(const LeastSquares& solution, FittedExponents terms, ResourceLaw& law) {
  const std::vector<std::size_t> places = places_of(terms);
  law.level = solution.estimates[0];
  if (terms.n) law.n_exponent.estimate = solution.estimates[1];
  if (terms.gpus) law.gpu_exponent.estimate = solution.estimates.back();
  law.dof = static_cast<double>(solution.dof);
  law.sigma = solution.sigma.value_or(0);
  for (std::size_t i = 0; solution.dof > 0 && i < places.size(); ++i) {
    for (std::size_t j = 0; j < places.size(); ++j) {
      law.covariance[places[i] * 3 + places[j]] = solution.covariance[i * places.size() + j];
    }
  }
}

/// Columns about their means inside clusters, or about their means where there are no clusters.
Eigen::MatrixXd about_clusters(Eigen::MatrixXd columns, const std::vector<std::uint32_t>& cluster) {
  std::map<std::uint32_t, std::vector<Eigen::Index>> rows;
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    rows[cluster.empty() ? 0 : cluster[static_cast<std::size_t>(i)]].push_back(i);
  }
  for (const auto& [key, places] : rows) {
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(columns.cols());
    for (const Eigen::Index i : places) mean += columns.row(i);
    mean /= static_cast<double>(places.size());
    for (const Eigen::Index i : places) columns.row(i) -= mean;
  }
  return columns;
}

/// The scatter of a run of a new cluster: what points of one cluster share, and the rest, by the
/// moments of residuals about clusters and about the law. Empty where clusters do not tell.
std::optional<double> total_scatter(const ResourcePoints& points, const ResourceDesign& design,
                                    const std::vector<double>& y, const LeastSquares& solution) {
  const auto n = static_cast<Eigen::Index>(y.size());
  const Projection inside =
      project(about_clusters(Eigen::Map<const Eigen::VectorXd>(y.data(), n), points.cluster),
              about_clusters(design, points.cluster));
  const auto dof = static_cast<double>(n) - static_cast<double>(points.clusters()) -
                   static_cast<double>(inside.rank);
  if (!(dof > 0)) return std::nullopt;
  const double own = inside.residual.squaredNorm() / dof;
  // The hat matrix Q Q' takes sum |Q'z|^2 of what clusters share, with the indicators z.
  const Eigen::MatrixXd q = basis_of(design);
  std::map<std::uint32_t, Eigen::RowVectorXd> sums;
  for (Eigen::Index i = 0; i < n; ++i) {
    auto& sum = sums[points.cluster[static_cast<std::size_t>(i)]];
    if (sum.size() == 0) sum = Eigen::RowVectorXd::Zero(q.cols());
    sum += q.row(i);
  }
  double seen = static_cast<double>(n);
  for (const auto& [key, sum] : sums) seen -= sum.squaredNorm();
  if (!(seen > 1e-9 * static_cast<double>(n))) return std::nullopt;
  const double shared = (solution.rss - own * static_cast<double>(solution.dof)) / seen;
  return std::sqrt(shared > 0 ? own + shared : solution.rss / static_cast<double>(solution.dof));
}

/// Errors where points of one run share theirs.
void take_clusters(const ResourcePoints& points, const LeastSquares& solution,
                   FittedExponents terms, ResourceLaw& law) {
  const ResourceDesign design = design_of(points, law, terms);
  law.clusters = points.clusters();
  constexpr double kExact = 1e-9;
  if (law.sigma < kExact) return;  // All points lie on the law, as those of a constant power do.
  const auto errors = clustered_errors({design.data(), static_cast<std::size_t>(design.size())}, 3,
                                       solution.residuals, points.cluster);
  if (!errors) {  // One cluster.
    law.dof = 0;
    return;
  }
  std::ranges::copy(errors->covariance, law.covariance.begin());
  law.direction_dof = errors->direction_dof;
  for (const std::size_t place : places_of(terms)) {
    std::array<double, 3> direction{};
    direction.at(place) = 1;
    law.dof = std::min(law.dof, law.direction_dof->of(direction).value_or(law.dof));
  }
  const auto sigma = total_scatter(points, design, responses_of(points, law, terms), solution);
  law.sigma = sigma.value_or(law.sigma);
}

/// Squares and products of the logarithms whose exponents are fitted.
Eigen::MatrixXd curved_terms(const ResourceDesign& design, FittedExponents terms) {
  Eigen::MatrixXd curved = Eigen::MatrixXd::Zero(design.rows(), 3);
  if (terms.n) curved.col(0) = design.col(1).cwiseAbs2();
  if (terms.gpus) curved.col(1) = design.col(2).cwiseAbs2();
  if (terms.n && terms.gpus) curved.col(2) = design.col(1).cwiseProduct(design.col(2));
  return curved;
}

/// The p value of the F test of the law against one that is curved in logarithms, inside clusters
/// where points share errors. Empty where the points leave no degrees of freedom.
std::optional<double> misfit_p_of(const ResourcePoints& points, const ResourceLaw& law,
                                  FittedExponents terms) {
  const ResourceDesign design = design_of(points, law, terms);
  Eigen::MatrixXd columns(design.rows(), 6);
  columns << Eigen::MatrixXd(design), curved_terms(design, terms);
  const std::vector<double> responses = responses_of(points, law, terms);
  const Eigen::VectorXd y = about_clusters(
      Eigen::Map<const Eigen::VectorXd>(responses.data(), design.rows()), points.cluster);
  columns = about_clusters(columns, points.cluster);
  constexpr double kDependent = 1e-9;
  const Projection line = project(y, columns.leftCols(3), kDependent);
  const Projection curve = project(y, columns, kDependent);
  const auto more = static_cast<double>(curve.rank - line.rank);
  const auto levels = static_cast<double>(std::max<std::size_t>(points.clusters(), 1));
  const double dof = static_cast<double>(y.size()) - levels - static_cast<double>(curve.rank);
  if (!(more > 0) || !(dof > 0) || !(curve.residual.squaredNorm() > 0)) return std::nullopt;
  const double gained =
      std::max(0.0, line.residual.squaredNorm() - curve.residual.squaredNorm()) / more;
  return f_p(gained / (curve.residual.squaredNorm() / dof), more, dof);
}

/// Gives a fitted exponent its standard error and interval.
void take_interval(Estimate& exponent, std::size_t place, double confidence,
                   const ResourceLaw& law) {
  if (!(law.dof > 0)) return;
  std::array<double, 3> direction{};
  direction.at(place) = 1;
  const double dof =
      law.direction_dof ? law.direction_dof->of(direction).value_or(law.dof) : law.dof;
  exponent =
      student_estimate(exponent.estimate, std::sqrt(law.covariance.at(4 * place)), dof, confidence);
}

/// Tells the laws of the time over GPUs from points whose n are made equal by the law's p.
void take_laws_beyond(const ResourcePoints& points, ResourceLaw& law) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < points.y.size(); ++i) {
    const double log_time =
        points.y[i] - points.gpus[i] - law.n_exponent.estimate * (points.n[i] - law.centre[0]);
    const double time = std::exp(log_time);
    cells.push_back({.x = std::exp(points.gpus[i]),
                     .count = 1,
                     .mean_log = log_time,
                     .mean = time,
                     .min = time,
                     .max = time});
  }
  std::ranges::stable_sort(cells, {}, &Cell::x);
  const auto laws = if_possible([&] { return mixture_of(cells, 1); });
  if (laws) law.beyond = std::make_shared<Mixture>(*laws);
}

void take_fit(const ResourcePoints& points, const LeastSquares& solution, FittedExponents terms,
              double confidence, ResourceLaw& law) {
  take_solution(solution, terms, law);
  if (!points.cluster.empty() && law.dof > 0) take_clusters(points, solution, terms, law);
  constexpr double kExact = 1e-9;
  if (law.sigma > kExact) law.misfit_p = misfit_p_of(points, law, terms);
  if (terms.n) take_interval(law.n_exponent, 1, confidence, law);
  if (terms.gpus) take_interval(law.gpu_exponent, 2, confidence, law);
  if (terms.gpus && law.kind == Resource::kTime) take_laws_beyond(points, law);
}

/// Whether the runs have several sizes and numbers of GPUs, but each size one number of its own.
bool is_confounded(const ResourcePoints& points) {
  std::map<double, std::set<double>> gpus_of;
  std::set<double> all;
  for (std::size_t i = 0; i < points.n.size(); ++i) {
    gpus_of[points.n[i]].insert(points.gpus[i]);
    all.insert(points.gpus[i]);
  }
  return gpus_of.size() > 1 && all.size() > 1 &&
         std::ranges::all_of(gpus_of, [](const auto& size) { return size.second.size() == 1; });
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
  if (law.gpu_range.upper > 0) line.gpus_end = std::log(law.gpu_range.upper);
  return line;
}

/// How much more ln GPU-seconds are so far beyond the most GPUs, by a law of the time.
double growth_of(const MixturePart& law, double log_times) {
  return log_times + log_shape(law, log_times) - log_shape(law, 0);
}

/// The law of which the time so far beyond the most GPUs is the median.
MixturePart median_law(const Mixture& laws, double log_times) {
  std::vector<std::pair<double, const MixturePart*>> growths;
  for (const MixturePart& law : laws.parts) growths.emplace_back(growth_of(law, log_times), &law);
  std::ranges::stable_sort(growths, [](const auto& a, const auto& b) { return a.first < b.first; });
  double below = 0;
  for (const auto& [growth, law] : growths) {
    below += law->share;
    if (below >= 0.5) return *law;
  }
  return *growths.back().second;
}

/// One of the laws by its weight, with a draw of its a.
MixturePart draw_law_beyond(const Mixture& laws, RandomStream& stream) {
  double left = stream.uniform();
  auto chosen = laws.parts.begin();
  while (chosen + 1 != laws.parts.end() && left > chosen->weight) {
    left -= chosen->weight;
    ++chosen;
  }
  MixturePart law = *chosen;
  if (law.spread > 0) {
    const double scale = law.scale * std::sqrt(law.dof / stream.chi_squared(law.dof) / law.spread);
    law.a += scale * stream.normal();
  }
  return law;
}

std::array<double, 3> values_of(const ResourceLaw& law) {
  return {law.level, law.n_exponent.estimate, law.gpu_exponent.estimate};
}

/// The law's own line, which goes on beyond its GPUs as is best for so many.
ResourceLine line_of(const ResourceLaw& law, double log_most_gpus) {
  ResourceLine line = line_with(law, values_of(law));
  if (law.beyond && log_most_gpus > line.gpus_end) {
    line.beyond = median_law(*law.beyond, log_most_gpus - line.gpus_end);
  }
  return line;
}

}  // namespace

double ResourceLine::growth(double log_times) const {
  return std::max(0.0, beyond ? growth_of(*beyond, log_times) : gpus * log_times);
}

double ResourceLaw::log_at(double log_n, double log_gpus) const {
  return line_of(*this, log_gpus).at(log_n, log_gpus);
}

double ResourceLaw::dof_at(double log_n, double log_gpus) const {
  if (!direction_dof) return dof;
  const std::array direction{1.0, n_exponent.se ? log_n - centre[0] : 0,
                             gpu_exponent.se ? log_gpus - centre[1] : 0};
  return direction_dof->of(direction).value_or(dof);
}

ResourceLaw known_resource(Resource kind, double level, double n_exponent) {
  ResourceLaw law;
  law.kind = kind;
  law.level = std::log(level);
  law.n_exponent.estimate = n_exponent;
  return law;
}

ResourceLaw resource_of(const Fit& fit, const MeasuredModel& model) {
  if (fit.law->name() != "power") {
    throw FitError(
        FailureCode::kNotIdentifiable,
        fmt::format("a plan takes times, energies and powers by the power law, and these "
                    "are by the {} law",
                    fit.law->name()));
  }
  const bool is_rate = fit.response == Response::kRate;
  const double beta = fit.parameters[1].estimate;
  const double log_alpha = std::log(fit.parameters[0].estimate);
  const double log_gpus = std::log(model.gpus_per_x);
  // A time of all GPUs is multiplied by their number, a power of all is divided by it.
  double gpu_power = 0;
  if (model.kind == Resource::kTime) gpu_power = model.of_one_gpu ? 0 : 1;
  if (model.kind == Resource::kPower) gpu_power = model.of_one_gpu ? 0 : -1;
  if (model.kind == Resource::kEnergy) gpu_power = model.of_one_gpu ? 1 : 0;
  ResourceLaw law;
  law.kind = model.kind;
  law.points = fit.n;
  law.centre = {std::log(model.n), log_gpus};
  law.level = std::log(model.unit) - std::log(model.tokens) + gpu_power * log_gpus +
              (is_rate ? -log_alpha : log_alpha);
  law.n_exponent.estimate = model.kind == Resource::kPower ? 0 : 1;
  law.gpu_exponent = fit.parameters[1];
  law.gpu_exponent.estimate = gpu_power - beta;
  if (auto& ci = law.gpu_exponent.ci) {
    ci = Interval{gpu_power - ci->upper, gpu_power - ci->lower};
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
  const bool knows_gpus = std::isfinite(points.gpus.front());
  const bool is_time = kind == Resource::kTime;
  ResourceLaw law;
  law.kind = kind;
  law.points = points.y.size();
  law.left_out = points.left_out;
  law.n_exponent.estimate = is_time ? 1 : 0;
  law.n_range = range_of_exps(points.n);
  if (knows_gpus) law.gpu_range = range_of_exps(points.gpus);
  if (knows_gpus && is_time) law.confounded = is_confounded(points);
  law.centre = {mean_of(points.n), knows_gpus ? mean_of(points.gpus) : 0};
  const bool over_n = is_time && different_logs(points.n) >= kFewestSizes;
  const bool over_gpus = knows_gpus && different_logs(points.gpus) >= kFewestGpus;
  for (const FittedExponents terms :
       {FittedExponents{true, true}, FittedExponents{false, true}, FittedExponents{true, false}}) {
    if ((terms.n && !over_n) || (terms.gpus && !over_gpus)) continue;
    if (points.y.size() < terms.count() + 2) continue;
    const bool both = terms.n && terms.gpus;
    // Larger models ran on more GPUs in one ratio.
    if (both && std::abs(correlation_of(points.n, points.gpus)) > kOneScale) continue;
    const auto solution = if_possible([&] { return solve_resource(points, law, terms); });
    if (!solution) continue;
    take_fit(points, *solution, terms, confidence, law);
    if (both) law.correlation = correlation_of(points.n, points.gpus);
    return law;
  }
  const FittedExponents none{false, false};
  take_fit(points, solve_resource(points, law, none), none, confidence, law);
  return law;
}

RepeatedData LawValues::effective(double log_n, double log_d) const {
  const std::array theta{log_a, log_b, floor, alpha, beta, repeats->log_r_d, repeats->log_r_n};
  return repeated_data({log_n, log_d, std::min(repeats->log_unique, log_d)}, theta);
}

double LawValues::loss(double log_n, double log_d) const {
  if (repeats) {
    const RepeatedData at = effective(log_n, log_d);
    log_n = at.log_n;
    log_d = at.log_d;
  }
  return floor + std::exp(log_a - alpha * log_n) + std::exp(log_b - beta * log_d);
}

LawValues estimates_of(const BudgetLaws& laws, const BudgetOptions& options) {
  constexpr double kAllFresh = std::numeric_limits<double>::infinity();
  const double most_gpus = options.limit(BudgetLimit::kGpus).value_or(1);
  const auto& parameters = laws.loss.parameters;
  LawValues values{.log_a = std::log(parameters[0].estimate),
                   .log_b = std::log(parameters[1].estimate),
                   .floor = parameters[2].estimate,
                   .alpha = parameters[3].estimate,
                   .beta = parameters[4].estimate,
                   .of_tokens = laws.joules.has_value()};
  if (laws.knows_repeats()) {
    const RepeatConstants known =
        laws.repeats ? *laws.repeats
                     : RepeatConstants{parameters[5].estimate, parameters[6].estimate};
    values.repeats = RepeatLaw{.log_unique = std::log(options.unique_tokens.value_or(kAllFresh)),
                               .log_r_d = std::log(known.r_d),
                               .log_r_n = std::log(known.r_n)};
  }
  if (const auto& law = laws.gpu_seconds) values.gpu_seconds = line_of(*law, std::log(most_gpus));
  if (const auto& law = laws.energy_law()) values.power = line_with(*law, values_of(*law));
  return values;
}

LawDraws::Spread LawDraws::spread_of(std::span<const double> covariance, double dof) {
  const auto size =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(covariance.size()))));
  // The two triangles differ by rounding: this one is read.
  std::vector<double> lower(covariance.begin(), covariance.end());
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t k = 0; k < j; ++k) lower[k * size + j] = covariance[j * size + k];
  }
  const SymmetricEigen parts = symmetric_eigen(lower, size);
  std::vector<double> root(covariance.size());
  for (std::size_t k = 0; k < size; ++k) {
    // Rounding may leave eigenvalues of tied or nearly collinear parameters below 0.
    const double length = std::sqrt(std::max(parts.values[k], 0.0));
    for (std::size_t j = 0; j < size; ++j)
      root[j * size + k] = parts.vectors[k * size + j] * length;
  }
  return {size, std::move(root), dof};
}

LawDraws::Spread LawDraws::spread_of(const std::optional<ResourceLaw>& law) {
  if (!law || !(law->dof > 0)) return {};
  Spread spread = spread_of(law->covariance, law->dof);
  spread.direction_dof = law->direction_dof;
  spread.sigma = law->sigma;
  return spread;
}

LawDraws::LawDraws(const BudgetLaws& laws, const LawValues& estimates, bool by_time)
    : laws_(laws),
      estimates_(estimates),
      spreads_{Spread{}, spread_of(laws.gpu_seconds), spread_of(laws.energy_law())} {
  const double dof = laws.loss.joint_dof();
  const auto lacks_errors = [by_time](const std::optional<ResourceLaw>& law) {
    return by_time && law && law->points > 0 && !(law->dof > 0);
  };
  possible_ = !laws.loss.covariance.empty() && dof > 0 && !lacks_errors(laws.gpu_seconds) &&
              !lacks_errors(laws.energy_law());
  if (!possible_) return;
  spreads_[0] = spread_of(laws.loss.covariance, dof);
  spreads_[0].direction_dof = laws.loss_dof;
}

std::size_t LawDraws::directions(std::size_t law) const { return spreads_[law].size; }

/// With the covariance V D V', a step z moves numbers by V D^(1/2) z, so that a quantity with
/// slopes s in z has the slopes V D^(-1/2) s in the numbers.
double LawDraws::dof_along(std::size_t law, std::span<const double> slopes) const {
  const Spread& spread = spreads_[law];
  if (!spread.direction_dof) return spread.dof;
  std::vector<double> direction(spread.size, 0);
  for (std::size_t j = 0; j < spread.size; ++j) {
    double variance = 0;
    for (std::size_t i = 0; i < spread.size; ++i) {
      variance += std::pow(spread.root[i * spread.size + j], 2);
    }
    for (std::size_t i = 0; variance > 0 && i < spread.size; ++i) {
      direction[i] += spread.root[i * spread.size + j] / variance * slopes[j];
    }
  }
  return spread.direction_dof->of(direction).value_or(spread.dof);
}

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
  if (out.repeats && !laws_.repeats) {
    const auto moved = [&](std::size_t place, double& value) {
      const ParameterSpec& range = laws_.loss.law->parameters()[place];
      value = std::clamp(value + loss.at(place), range.lower, range.upper);
    };
    moved(5, out.repeats->log_r_d);
    moved(6, out.repeats->log_r_n);
  }
  const auto moved_line = [&](const ResourceLaw& law, std::size_t place) {
    std::array values = values_of(law);
    const auto more = added(place, steps);
    for (std::size_t i = 0; i < values.size(); ++i) values.at(i) += more.at(i);
    return line_with(law, values);
  };
  if (laws_.gpu_seconds) {
    out.gpu_seconds = moved_line(*laws_.gpu_seconds, 1);
    out.gpu_seconds.beyond = estimates_.gpu_seconds.beyond;
  }
  if (const auto& law = laws_.energy_law()) out.power = moved_line(*law, 2);
  return out;
}

LawDraws::Drawn LawDraws::draw(RandomStream& stream) const {
  Steps steps{};
  std::array<double, kLaws> scatter{};
  for (std::size_t law = 0; law < kLaws; ++law) {
    const Spread& spread = spreads_[law];
    if (spread.size == 0) continue;
    for (std::size_t i = 0; i < spread.size; ++i) steps[law].at(i) = stream.normal();
    // All numbers of a law share the factor, so that they are a multivariate t.
    const double factor = std::sqrt(spread.dof / stream.chi_squared(spread.dof));
    for (double& step : steps[law]) step *= factor;
    if (law > 0) scatter.at(law) = spread.sigma * factor * stream.normal();
  }
  Drawn drawn{values_at(steps), {}};
  auto& beyond = drawn.laws.gpu_seconds.beyond;
  if (beyond) beyond = draw_law_beyond(*laws_.gpu_seconds->beyond, stream);
  drawn.run = drawn.laws;
  drawn.run.gpu_seconds.scale += scatter[1];
  drawn.run.power.scale += scatter[2];
  return drawn;
}

LawValues LawDraws::with_one_beyond(const MixturePart& law) const {
  LawValues out = estimates_;
  out.gpu_seconds.beyond = law;
  return out;
}

LawValues LawDraws::moved(std::size_t law, std::size_t direction, double step) const {
  Steps steps{};
  steps.at(law).at(direction) = step;
  return values_at(steps);
}

}  // namespace scalelaw
