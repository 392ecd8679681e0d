#include "scalelaw/fit/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>

#include "base/errors.hpp"
#include "fit/figures.hpp"
#include "fit/free_law.hpp"
#include "fit/surface_fit.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kFewestValues = 3;
/// Responses outside have squares beyond the range of double.
constexpr Interval kResponses{1e-120, 1e120};
constexpr double kTogether = 1e-8;     ///< For a smaller 1 - r^2, ln n and ln d are one scale.
constexpr double kSameMinimum = 1e-8;  ///< Relative difference of minima that are the same.
constexpr std::size_t kDescents = 24;
/// Constants of repeated data of which each pair is a start, and the descents from each.
constexpr std::array kRepeatConstants{1.0, 8.0, 60.0};
constexpr std::size_t kDescentsPerConstants = 4;
/// Of more than twice as many runs, the search sees so many; the last descent sees all.
constexpr std::size_t kMostSearched = 5000;
constexpr std::array kExponents{-2.0, -1.5, -1.0, -0.6, -0.3, -0.1, 0.1, 0.3, 0.6, 1.0, 1.5, 2.0};
/// Shares of the terms A, B and E at the centre of the runs.
constexpr std::array<std::array<double, 3>, 13> kShares{{{0.6, 0.2, 0.2},
                                                         {0.2, 0.6, 0.2},
                                                         {0.2, 0.2, 0.6},
                                                         {0.4, 0.4, 0.2},
                                                         {0.4, 0.2, 0.4},
                                                         {0.2, 0.4, 0.4},
                                                         {0.05, 0.05, 0.9},
                                                         {0.05, 0.9, 0.05},
                                                         {0.9, 0.05, 0.05},
                                                         {0.5, 0.45, 0.05},
                                                         {0.2, 0.05, 0.75},
                                                         {0.05, 0.2, 0.75},
                                                         {0.1, 0.1, 0.8}}};

double sum_of_squares(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

std::size_t different(std::span<const double> values) {
  return std::set<double>(values.begin(), values.end()).size();
}

/// The squared correlation of the two scales.
double squared_correlation(const SurfacePoints& points) {
  double uu = 0;
  double vv = 0;
  double uv = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    uu += points.u[i] * points.u[i];
    vv += points.v[i] * points.v[i];
    uv += points.u[i] * points.v[i];
  }
  return uv * uv / (uu * vv);
}

void check_responses(std::span<const double> y) {
  const Interval range = range_of(y);
  if (range.lower >= kResponses.lower && range.upper <= kResponses.upper) return;
  throw fit_error(FailureCode::kNotIdentifiable,
                  "values from {:.3g} to {:.3g}: below {:g} and above {:g} the squares of errors "
                  "are no numbers any more; take another unit",
                  range.lower, range.upper, kResponses.lower, kResponses.upper);
}

/// An E at or above every loss leaves nothing for the other terms.
void check_floor(std::span<const double> y, const Law& law) {
  const double floor = law.parameters()[kFloorPlace].lower;
  const double least = range_of(y).lower;
  if (floor < least) return;
  throw fit_error(FailureCode::kNotIdentifiable,
                  "E is {:.6g} or more, as --fix or --bound says, and the least value is {:.6g}: E "
                  "must be below it",
                  floor, least);
}

/// What repeated tokens are worth needs some.
void check_repeats(const SurfaceScales& scales, const Law& law) {
  constexpr double kRounding = 1e-9;
  constexpr std::size_t kConstant = 5;
  if (law.parameters().size() <= kConstant || !law.is_fitted(kConstant)) return;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (scales.d[i] > scales.unique[i] * (1 + kRounding)) return;
  }
  throw FitError(FailureCode::kNotIdentifiable,
                 "no run sees a token twice, so that nothing tells what repetitions are worth: fit "
                 "--law chinchilla, or hold R_D and R_N with --fix");
}

void check_design(const SurfaceScales& scales, const SurfacePoints& points, std::size_t fitted) {
  if (scales.size() < fitted + 1) {
    throw fit_error(FailureCode::kTooFewPoints,
                    "{} runs, and the law has {}: at least {} are needed", scales.size(),
                    counted(fitted, "parameter"), fitted + 1);
  }
  for (const auto& [values, which] :
       {std::pair(scales.n, "first"), std::pair(scales.d, "second")}) {
    const std::size_t count = different(values);
    if (count >= kFewestValues) continue;
    throw fit_error(FailureCode::kTooFewX, "{} of the {} scale: its term needs at least {}",
                    counted(count, "different value"), which, kFewestValues);
  }
  if (const std::size_t count = different_places(scales); count < fitted) {
    throw fit_error(FailureCode::kTooFewX, "{} different {} of scales, and the law has {}", count,
                    scales.unique.empty() ? "pairs" : "triples", counted(fitted, "parameter"));
  }
  if (1 - squared_correlation(points) < kTogether) {
    throw FitError(
        FailureCode::kNotIdentifiable,
        "the two scales move together (one is a power of the other in all runs), so that "
        "their terms cannot be told apart: vary one while the other stays");
  }
}

/// The powers of both scales at all runs, or where data are repeated those of effective scales.
struct Powers {
  std::vector<double> first;
  std::vector<double> second;
};

void fill_powers(const SurfacePoints& points, const SmallVector& theta, Powers& powers) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    double u = points.u[i];
    double v = points.v[i];
    if (points.form.repeats) {
      const RepeatedData at = repeated_data(points.log_scales(i), theta);
      u = at.log_n;
      v = at.log_d;
    }
    powers.first[i] = std::exp(-theta[3] * u);
    powers.second[i] = std::exp(-theta[4] * v);
  }
}

/// Starts for one choice of exponents (and of what repetitions are worth), which `theta` has: all
/// shares, shifted to the mean of the responses, and their losses.
using Start = std::pair<double, SmallVector>;
std::vector<Start> starts_with(const SurfacePoints& points, const ResidualLoss& loss,
                               SmallVector theta) {
  const std::size_t n = points.size();
  Powers powers{std::vector<double>(n), std::vector<double>(n)};
  const auto& [first, second] = powers;
  if (!points.form.repeats) fill_powers(points, theta, powers);
  std::vector<Start> starts;
  std::vector<double> residual(n);
  for (const auto& share : kShares) {
    for (std::size_t k = 0; k < share.size(); ++k) theta[k] = std::log(share[k]);
    if (points.form.repeats)
      fill_powers(points, theta, powers);  // The best sizes move with shares.
    for (std::size_t i = 0; i < n; ++i) {
      residual[i] = std::log(share[0] * first[i] + share[1] * second[i] + share[2]) - points.w[i];
    }
    const double shift = mean_of(residual);
    double sum = 0;
    for (const double r : residual) sum += term_of(r - shift, loss).rho;
    SmallVector start = theta;
    for (std::size_t k = 0; k < share.size(); ++k) start[k] -= shift;
    starts.emplace_back(sum, start);
  }
  return starts;
}

/// The exponents of the grid that a parameter may have.
std::vector<double> exponents_of(const ParameterSpec& exponent) {
  std::vector<double> values;
  for (const double value : kExponents) {
    values.push_back(std::clamp(value, exponent.lower, exponent.upper));
  }
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// The most promising places of the grid of exponents, best first: one for each pair of them, or
/// all if the law leaves few pairs.
/// @param repeats  Has the constants of repeated data; nothing else of it is used.
std::vector<Start> starts_of(const SurfacePoints& points, const ResidualLoss& loss, const Law& law,
                             const SmallVector& repeats, std::size_t most) {
  const bool one = points.form.one_exponent;
  const bool follows = !one && law.constraint(4).equal_to;
  const bool tied = one || law.constraint(3).equal_to || follows;
  const std::vector<double> alphas =
      exponents_of(law.parameters()[law.constraint(3).equal_to ? 4 : 3]);
  const std::vector<double> betas = exponents_of(law.parameters()[one || follows ? 3 : 4]);
  const bool few = (tied ? 1 : betas.size()) * alphas.size() < kDescents;
  const auto better = [](const Start& a, const Start& b) { return a.first < b.first; };
  std::vector<Start> found;
  for (const double alpha : alphas) {
    for (const double beta : betas) {
      if (tied && alpha != beta) continue;
      SmallVector theta = repeats;
      theta[3] = alpha;
      theta[4] = beta;
      const std::vector<Start> shares = starts_with(points, loss, theta);
      const auto best = std::ranges::min_element(shares, better);
      found.insert(found.end(), few ? shares.begin() : best, few ? shares.end() : best + 1);
    }
  }
  std::ranges::stable_sort(found, better);
  found.resize(std::min(most, found.size()));
  return found;
}

/// Where descents start: at the best places of the grid, for a law of repeated data at the best
/// ones for each pair of its constants.
std::vector<SmallVector> starts_of(const SurfacePoints& points, const ResidualLoss& loss,
                                   const Law& law) {
  std::vector<SmallVector> starts;
  const auto add = [&](const SmallVector& repeats, std::size_t most) {
    for (const Start& start : starts_of(points, loss, law, repeats, most)) {
      starts.push_back(start.second);
    }
  };
  if (!points.form.repeats) {
    add({}, kDescents);
    return starts;
  }
  for (const double tokens : kRepeatConstants) {
    for (const double parameters : kRepeatConstants) {
      add({0, 0, 0, 0, 0, std::log(tokens), std::log(parameters)}, kDescentsPerConstants);
    }
  }
  return starts;
}

/// The lowest minimum of all starts, and how many ended there.
struct Search {
  SurfaceMinimum best;
  std::vector<SurfaceMinimum> others;  ///< Converged ones that are nearly as low, lowest first.
  std::uint32_t starts = 0;
  std::uint32_t met = 0;
};

/// Why descents may find no minimum, as the end of a sentence; empty if there is no sign of it.
std::string likely_cause(const SurfaceLoss& loss, const SurfaceMinimum& lowest) {
  constexpr double kNearlyTogether = 1e-3;  // As 1 - r^2.
  constexpr double kLittleExplained = 0.1;  // As a share of the squares about the mean of ln y.
  const SurfacePoints& points = loss.points();
  const double apart = 1 - squared_correlation(points);
  if (apart < kNearlyTogether) {
    return fmt::format(
        "; the two scales are nearly one (1 - r2 of their logarithms is {:.1e}): vary one while "
        "the other stays",
        apart);
  }
  const double left = sum_of_squares(loss.residuals(lowest.theta));
  if (!(left > (1 - kLittleExplained) * loss.squares_about_mean())) return "";
  return "; no change with the scales is seen above the scatter";
}

/// Some thousand of many runs, drawn at random: enough to see where the minima lie.
SurfacePoints thinned(const SurfacePoints& points) {
  SurfacePoints thin = points.like();
  RandomStream stream(points.size());
  const double share = static_cast<double>(kMostSearched) / static_cast<double>(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (stream.uniform() >= share) continue;
    thin.add(points, i, points.weight[i]);
  }
  return thin;
}

bool is_lower(const SurfaceMinimum& a, const SurfaceMinimum& b) {
  if (a.exact != b.exact) return a.exact;
  return a.value < b.value;
}

/// The lowest end. Rounding may make one lower that is not yet quite at the same minimum as others.
SurfaceMinimum lowest_of(const std::vector<SurfaceMinimum>& found) {
  const SurfaceMinimum& lowest = *std::ranges::min_element(found, is_lower);
  if (lowest.converged()) return lowest;
  const auto same = std::ranges::find_if(found, [&](const SurfaceMinimum& end) {
    return end.converged() && end.value <= lowest.value * (1 + kSameMinimum);
  });
  return same == found.end() ? lowest : *same;
}

/// Where descents from all starts end.
std::vector<SurfaceMinimum> minima_from_grid(const SurfacePoints& points,
                                             const ResidualLoss& residual_loss, const Law& law) {
  const SurfaceLoss loss(points, residual_loss);
  // Residuals of ln y, with which the places are compared, are those of y in units of its centre.
  const ResidualLoss relative = residual_loss.in_units_of(std::exp(points.centre[2]));
  const SurfaceFrame frame(law, points.centre);
  std::vector<SurfaceMinimum> found;
  for (const SmallVector& start : starts_of(points, relative, law)) {
    found.push_back(descend_in_frame(loss, start, frame));
  }
  return found;
}

/// How many ends are the lowest one.
std::uint32_t met_by(const std::vector<SurfaceMinimum>& found, const SurfaceMinimum& best) {
  return static_cast<std::uint32_t>(std::ranges::count_if(found, [&](const SurfaceMinimum& end) {
    return end.value <= best.value * (1 + kSameMinimum) || (end.exact && best.exact);
  }));
}

/// Converged ends above the lowest one, but by little, each once.
std::vector<SurfaceMinimum> others_near(std::vector<SurfaceMinimum> found,
                                        const SurfaceMinimum& best) {
  constexpr double kNear = 0.01;  // Of the height of the lowest one.
  if (best.exact) return {};
  std::ranges::stable_sort(found, is_lower);
  std::vector<SurfaceMinimum> others;
  for (const SurfaceMinimum& end : found) {
    const double floor = others.empty() ? best.value : others.back().value;
    const bool is_other = end.value > floor * (1 + kSameMinimum);
    if (!is_other || !end.converged() || !(end.value <= best.value * (1 + kNear))) continue;
    others.push_back(end);
  }
  return others;
}

Search search_minimum(const SurfacePoints& points, const ResidualLoss& residual_loss,
                      const Law& law) {
  const SurfaceLoss loss(points, residual_loss);
  const bool many = points.size() > 2 * kMostSearched;
  const std::vector<SurfaceMinimum> found =
      minima_from_grid(many ? thinned(points) : points, residual_loss, law);
  Search search{lowest_of(found), {}, static_cast<std::uint32_t>(found.size()), 0};
  search.met = met_by(found, search.best);
  if (!many) search.others = others_near(found, search.best);
  if (many) {
    const SurfaceFrame frame(law, points.centre);
    search.best = descend_in_frame(loss, search.best.theta, frame);
  }
  if (!std::isfinite(search.best.value) || !search.best.is_near()) {
    throw fit_error(FailureCode::kNotConverged,
                    "none of {} descents found a minimum: the gradient is {:.1e} of its terms at "
                    "the lowest point{}",
                    search.starts, search.best.gradient, likely_cause(loss, search.best));
  }
  return search;
}

/// Removes the standard errors of parameters at an end of their range.
void mark_ends(Fit& fit, const SurfaceSolution& solution) {
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    if (solution.varies(k) || !fit.law->is_fitted(k)) continue;
    Parameter& parameter = fit.parameters[k];
    const double estimate = parameter.estimate;
    static_cast<Estimate&>(parameter) = {};
    parameter.estimate = k == kFloorPlace && !solution.has_floor() ? 0 : estimate;
    parameter.on_bound = true;
  }
}

/// Cuts the intervals at the ends of the ranges of their parameters.
void cut_intervals(Fit& fit) {
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    if (!fit.parameters[k].ci || !fit.law->is_fitted(k)) continue;
    const ParameterSpec& spec = fit.law->parameters()[k];
    Interval& ci = *fit.parameters[k].ci;
    if (std::isfinite(spec.lower)) ci.lower = std::max(ci.lower, spec.reported(spec.lower));
    if (std::isfinite(spec.upper)) ci.upper = std::min(ci.upper, spec.reported(spec.upper));
  }
}

/// Fills intervals by profiles of the loss. Twice a rise of the loss, divided by the variance over
/// the inverse curvature, is chi-squared with one degree of freedom (Kent 1982).
void fill_profiles(Fit& fit, const SurfaceSolution& solution, const Covariance& covariance,
                   const Covariance& bread) {
  const bool floor = solution.has_floor();
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    // An E at 0 has no variance, so it takes the factor of an exponent.
    const bool held = k == kFloorPlace && !floor;
    const std::size_t like = held ? (solution.varies(3) ? 3 : solution.points.form.exponent(1)) : k;
    if (!fit.law->is_fitted(k) || !solution.varies(like)) continue;
    const double reach = student_t_factor(
        fit.confidence, covariance.dof[like].value_or(static_cast<double>(fit.dof)));
    const double squared_unit = solution.unit() * solution.unit();
    const double factor = squared_unit * bread.matrix[like][like] / covariance.matrix[like][like];
    const double step =
        held ? 0.05 * std::exp(solution.points.centre[2]) : std::sqrt(covariance.matrix[k][k]);
    Parameter& parameter = fit.parameters[k];
    const Interval ends = surface_profile(solution, k, factor, step, reach);
    parameter.wald_ci = parameter.ci;
    parameter.ci = reported_interval(fit.law->parameters()[k], ends);
  }
}

void check_call(const SurfaceScales& scales, std::span<const double> y, const FitOptions& options,
                std::span<const std::uint32_t> cluster) {
  if (options.law == nullptr || options.law->inputs() < 2) {
    throw std::invalid_argument("fit_surface: no law of several x");
  }
  const bool misses_clusters = is_clustered(options.se) || !cluster.empty();
  const std::size_t unique = options.law->inputs() == 3 ? y.size() : 0;
  if (scales.n.size() != y.size() || scales.d.size() != y.size() ||
      scales.unique.size() != unique || (misses_clusters && cluster.size() != y.size())) {
    throw std::invalid_argument("fit_surface: sizes differ");
  }
  if (options.robust == Robust::kTheilSen) {
    throw std::invalid_argument("fit_surface: Theil-Sen is for lines");
  }
}

/// Fills the estimates of a solution and their errors.
void fill_estimates(Fit& fit, SurfaceSolution& solution, const SurfaceScales& scales,
                    std::span<const double> residuals, const FitOptions& options) {
  const SurfaceErrors errors = surface_errors(solution, scales, residuals, options);
  const Covariance* covariance = errors.covariance ? &*errors.covariance : nullptr;
  const SmallVector theta = reported_theta(solution.points, solution.minimum.theta);
  fill_parameters(fit, std::span(theta).first(options.law->parameters().size()), covariance,
                  nullptr);
  fit.log_alpha.reset();
  mark_ends(fit, solution);
  cut_intervals(fit);
  if (covariance != nullptr && !solution.minimum.exact &&
      options.intervals == Intervals::kProfile) {
    fill_profiles(fit, solution, *covariance, errors.bread);
  }
  cut_intervals(fit);
}

/// How many standard errors the parameter lies away that lies farthest.
double distance_of(const Fit& fit, std::span<const double> estimates) {
  const SmallVector best = working_parameters(fit);
  const std::size_t p = fit.parameters.size();
  double farthest = 0;
  for (std::size_t k = 0; k < p; ++k) {
    const double there = fit.law->parameters()[k].working(estimates[k]);
    const double variance = fit.covariance.empty() ? 0 : fit.covariance[k * p + k];
    if (variance > 0)
      farthest = std::max(farthest, std::abs(there - best[k]) / std::sqrt(variance));
  }
  return farthest;
}

/// The other minima, as far as they are elsewhere: a loss of many corners has several at one place.
std::vector<OtherMinimum> others_of(const Fit& fit, const Search& search,
                                    const SurfaceSolution& solution) {
  constexpr std::size_t kMost = 3;
  constexpr double kElsewhere = 1;  // In standard errors.
  std::vector<OtherMinimum> others;
  for (const SurfaceMinimum& minimum : search.others) {
    const SmallVector theta = reported_theta(solution.points, minimum.theta);
    OtherMinimum other{.objective = solution.unit() * solution.unit() * minimum.value,
                       .estimates = {}};
    for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
      other.estimates.push_back(fit.law->parameters()[k].reported(theta[k]));
    }
    if (distance_of(fit, other.estimates) > kElsewhere) others.push_back(std::move(other));
    if (others.size() == kMost) break;
  }
  return others;
}

/// @param scales  Those of the law, as many as it takes.
Fit fit_scales(const SurfaceScales& scales, std::span<const double> y, const FitOptions& options,
               std::uint64_t random_stream, int threads, std::span<const std::uint32_t> cluster) {
  check_call(scales, y, options, cluster);
  Fit fit = surface_head(scales, options);
  SurfaceSolution solution{.law = options.law,
                           .points = points_of(*options.law, scales, y, cluster),
                           .loss = loss_of(options),
                           .minimum = {}};
  if (is_clustered(options.se)) {
    fit.se = options.se;
    fit.clusters = solution.points.clusters();
  }
  check_design(scales, solution.points, options.law->fitted_parameters());
  check_repeats(scales, *options.law);
  check_responses(y);
  check_floor(y, *options.law);
  const Search search = search_minimum(solution.points, solution.loss, *options.law);
  solution.minimum = search.best;
  const double unit = solution.unit();
  const SurfaceLoss loss(solution.points, solution.loss);
  std::vector<double> residuals = loss.residuals(solution.minimum.theta);
  for (double& residual : residuals) residual *= unit;
  fit.rss = solution.minimum.exact ? 0 : sum_of_squares(residuals);
  fill_estimates(fit, solution, scales, residuals, options);
  fill_scatter(fit, y, unit * unit * loss.squares_about_mean(), residuals);
  if (solution.loss.is_square()) fill_likelihood(fit, options.law->fitted_parameters());
  std::optional<std::array<BootstrapEstimate, 2>> split_bootstrap;
  if (options.bootstrap.resamples > 0) {
    const double dof = static_cast<double>(fit.clusters ? *fit.clusters - 1 : fit.dof);
    auto resampled = surface_bootstrap(solution, options, dof, random_stream, threads);
    fit.bootstrap =
        Bootstrap{BootstrapKind::kCase, options.bootstrap.resamples, options.bootstrap.seed,
                  std::move(resampled.parameters), resampled.usable};
    split_bootstrap = resampled.split;
  }
  fill_held(fit);
  SurfaceFigures figures{.x_range = ranges_of(scales),
                         .objective = unit * unit * solution.minimum.value,
                         .starts = search.starts,
                         .met = search.met,
                         .gradient = solution.minimum.exact ? 0 : solution.minimum.gradient,
                         .is_rough = !solution.minimum.converged(),
                         .split = split_of(fit),
                         .split_bootstrap = {},
                         .others = others_of(fit, search, solution)};
  if (std::isfinite(solution.loss.delta)) figures.huber_delta = solution.loss.delta;
  if (figures.split) figures.split_bootstrap = split_bootstrap;
  fit.surface = std::make_shared<const SurfaceFigures>(std::move(figures));
  if (options.figures != Figures::kAll) return fit;
  fill_warnings(fit, options);
  fit.free_law = test_against_free_law(fit, options, [&](const FitOptions& freely) {
    return fit_scales(scales, y, freely, random_stream, threads, cluster);
  });
  return fit;
}

}  // namespace

std::uint32_t SurfacePoints::clusters() const {
  return cluster.empty() ? 0 : *std::ranges::max_element(cluster) + 1;
}

double SurfaceSolution::unit() const {
  return loss.scale == Scale::kLog ? 1 : std::exp(points.centre[2]);
}

bool SurfaceSolution::has_floor() const { return minimum.theta[kFloorPlace] != -kInfinity; }

bool SurfaceSolution::varies(std::size_t parameter) const {
  return law->is_fitted(parameter) && !minimum.at_end[parameter] &&
         (parameter != kFloorPlace || has_floor());
}

ResidualLoss loss_of(const FitOptions& options) {
  return {options.robust == Robust::kNone ? kInfinity : options.huber_delta, options.over_penalty,
          options.errors == Errors::kNormal ? Scale::kOriginal : options.law->scale()};
}

SmallVector reported_theta(const SurfacePoints& points, const SmallVector& theta) {
  const auto& centre = points.centre;
  return {theta[0] + theta[3] * centre[0] + centre[2],
          theta[1] + theta[4] * centre[1] + centre[2],
          std::exp(theta[2] + centre[2]),
          theta[3],
          theta[4],
          theta[5],
          theta[6]};
}

Fit fit_surface(std::span<const double> n, std::span<const double> d, std::span<const double> y,
                const FitOptions& options, std::uint64_t random_stream, int threads,
                std::span<const std::uint32_t> cluster) {
  return fit_scales({n, d}, y, options, random_stream, threads, cluster);
}

Fit fit_surface(const SurfaceRuns& runs, const FitOptions& options, int threads) {
  const bool repeats = options.law != nullptr && options.law->inputs() == 3;
  return fit_scales(repeats ? scales_of(runs) : SurfaceScales{runs.n, runs.d}, runs.y, options,
                    random_stream_of(runs.group), threads, runs.cluster);
}

std::vector<GroupFit> fit_surfaces(std::span<const SurfaceRuns> groups, const FitOptions& options,
                                   int threads) {
  std::vector<GroupFit> fits(groups.size());
  threads = thread_count(threads);
  // The refits of one group fill all threads; without them groups are shared out.
  const bool resampled = options.bootstrap.resamples > 0;
  parallel_for(resampled ? 1 : threads, fits.size(), [&](std::size_t i, int /*worker*/) {
    fits[i] = {groups[i].group, outcome_of([&] {
                 return fit_surface(groups[i], options, resampled ? threads : 1);
               })};
  });
  return fits;
}

}  // namespace scalelaw
