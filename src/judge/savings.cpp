#include "scalelaw/judge/savings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fit/figures.hpp"
#include "fit/regression.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/fit/surface.hpp"

namespace scalelaw {
namespace {

/// ln of the least product of both scales at which the surface of (ln A, ln B, E, alpha, beta) has
/// the value y. Along the best splits L = E + K c^-s (Hoffmann et al. 2022, eq. 4).
std::optional<double> log_product_for(std::span<const double> theta, double y) {
  const double alpha = theta[3];
  const double beta = theta[4];
  if (!(alpha > 0 && beta > 0) || !(y > theta[2])) return std::nullopt;
  const double log_g = (std::log(alpha) + theta[0] - std::log(beta) - theta[1]) / (alpha + beta);
  const double first = theta[0] - alpha * log_g;
  const double second = theta[1] + beta * log_g;
  const double log_k = std::max(first, second) + std::log1p(std::exp(-std::abs(first - second)));
  return (log_k - std::log(y - theta[2])) * (alpha + beta) / (alpha * beta);
}

/// ln of the x, or of the product of both, at which the law has the value y; empty if it never has.
std::optional<double> log_scale_for(const Law& law, std::span<const double> theta, double y) {
  if (law.inputs() == 2) return log_product_for(theta, y);
  const double floor = law.name() == "floor" ? theta[2] : 0;
  if (!(theta[1] > 0) || !(y > floor)) return std::nullopt;
  return (theta[0] - std::log(y - floor)) / theta[1];
}

/// The same with its gradient in the working parameters. A tied parameter moves with its leader.
struct ScaleFor {
  double log_scale;
  std::vector<double> gradient;
};

std::optional<ScaleFor> scale_for(const Fit& fit, double y) {
  const Law& law = *fit.law;
  const std::size_t p = law.parameters().size();
  const SmallVector theta = working_parameters(fit);
  const auto at = [&](const SmallVector& place) {
    return log_scale_for(law, std::span(place).first(p), y);
  };
  const auto value = at(theta);
  if (!value) return std::nullopt;
  ScaleFor out{*value, std::vector<double>(p)};
  for (std::size_t k = 0; k < p; ++k) {
    if (!law.is_fitted(k)) continue;
    const double step = 1e-5 * std::max(1e-2, std::abs(theta[k]));
    SmallVector up = theta;
    SmallVector down = theta;
    for (std::size_t j = 0; j < p; ++j) {
      if (j != k && law.constraint(j).equal_to != k) continue;
      up[j] += step;
      down[j] -= step;
    }
    const auto above = at(up);
    const auto below = at(down);
    if (!above || !below) return std::nullopt;
    out.gradient[k] = (*above - *below) / (2 * step);
  }
  return out;
}

double product(const std::vector<double>& a, std::span<const double> matrix,
               const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    for (std::size_t k = 0; k < b.size(); ++k) sum += a[j] * matrix[j * b.size() + k] * b[k];
  }
  return sum;
}

std::optional<Estimate> difference(const ScaleFor& first, const ScaleFor& second, double variance,
                                   double dof, double confidence) {
  if (!(variance >= 0)) return std::nullopt;
  return student_estimate(second.log_scale - first.log_scale, std::sqrt(variance), dof, confidence);
}

std::optional<Estimate> common_difference(const Fit& first, const Fit& second,
                                          const JointCovariance& covariance, SavingPair pair,
                                          double y) {
  const auto one = scale_for(first, y);
  const auto other = scale_for(second, y);
  if (!one || !other) return std::nullopt;
  const auto part = [&](std::size_t i, std::size_t j, const auto& a, const auto& b) {
    return product(a.gradient, covariance.between(i, j), b.gradient);
  };
  const double variance = part(pair.first, pair.first, *one, *one) +
                          part(pair.second, pair.second, *other, *other) -
                          2 * part(pair.first, pair.second, *one, *other);
  const double dof =
      first.clusters ? static_cast<double>(*first.clusters - 1) : static_cast<double>(first.dof);
  return difference(*one, *other, variance, dof, first.confidence);
}

std::optional<Estimate> separate_difference(const Fit& first, const Fit& second, double y) {
  const auto one = scale_for(first, y);
  const auto other = scale_for(second, y);
  if (!one || !other || first.covariance.empty() || second.covariance.empty()) return std::nullopt;
  const double a = product(one->gradient, first.covariance, one->gradient);
  const double b = product(other->gradient, second.covariance, other->gradient);
  const auto dof_of = [](const Fit& fit) {
    return fit.clusters ? static_cast<double>(*fit.clusters - 1) : static_cast<double>(fit.dof);
  };
  const double dof = (a + b) * (a + b) / (a * a / dof_of(first) + b * b / dof_of(second));
  return difference(*one, *other, a + b, dof, first.confidence);
}

/// @throws DataError if no x can be computed for a value of the law.
void check_law(const Law& law) {
  for (const std::string_view name : {"power", "floor", "chinchilla"}) {
    if (law.name() == name) return;
  }
  throw DataError(fmt::format(
      "--law {}: recipes are compared by the power, floor and chinchilla laws", law.name()));
}

double least_of(const CurveRuns& runs) {
  double least = runs.cells.front().min;
  for (const Cell& cell : runs.cells) least = std::min(least, cell.min);
  return least;
}
double least_of(const SurfaceRuns& runs) { return *std::ranges::min_element(runs.y); }

Outcome<Fit> fit_of_one(const CurveRuns& runs, const FitOptions& options) {
  return fit_or_reason(runs.cells, options);
}
Outcome<Fit> fit_of_one(const SurfaceRuns& runs, const FitOptions& options) {
  return outcome_of([&] { return fit_surface(runs, options); });
}

template <class Runs>
Savings savings_by(std::span<const Runs> recipes, const SavingsOptions& options) {
  check_law(*options.fit.law);
  FitOptions fit = options.fit;
  fit.intervals = Intervals::kWald;
  fit.bootstrap.resamples = 0;
  fit.figures = Figures::kEstimates;
  const SharedFits joint =
      fit_shared(recipes, options.shared.empty() ? shape_of(*fit.law) : options.shared, fit);
  Savings savings{.recipes = {}, .omitted = {}, .at = 0, .sharing = joint.sharing, .pairs = {}};
  std::vector<const Fit*> fits;
  std::vector<Outcome<Fit>> alone;
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    if (const NoFit* const failure = std::get_if<NoFit>(&joint.groups[i].result)) {
      savings.omitted.push_back({recipes[i].group, failure->code, failure->message});
      continue;
    }
    fits.push_back(&std::get<Fit>(joint.groups[i].result));
    alone.push_back(fit_of_one(recipes[i], fit));
    savings.recipes.push_back(recipes[i].group);
    savings.at = std::max(savings.at, least_of(recipes[i]));
  }
  if (options.at) savings.at = *options.at;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    for (std::size_t j = i + 1; j < fits.size(); ++j) {
      SavingPair pair{.first = i, .second = j};
      pair.common = common_difference(*fits[i], *fits[j], joint.covariance, pair, savings.at);
      const Fit* const one = std::get_if<Fit>(&alone[i]);
      const Fit* const other = std::get_if<Fit>(&alone[j]);
      if (one != nullptr && other != nullptr) {
        pair.separate = separate_difference(*one, *other, savings.at);
      }
      savings.pairs.push_back(std::move(pair));
    }
  }
  return savings;
}

}  // namespace

std::vector<std::string> shape_of(const Law& law) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < law.parameters().size(); ++k) {
    const ParameterSpec& spec = law.parameters()[k];
    if (spec.transform != Transform::kExp && law.is_fitted(k)) names.emplace_back(spec.name);
  }
  return names;
}

Savings savings_of(std::span<const CurveRuns> recipes, const SavingsOptions& options) {
  return savings_by(recipes, options);
}

Savings savings_of(std::span<const SurfaceRuns> recipes, const SavingsOptions& options) {
  return savings_by(recipes, options);
}

template <class Runs>
std::vector<GroupSavings> savings_by_group(std::vector<Runs> runs, std::size_t factors,
                                           const SavingsOptions& options) {
  std::vector<GroupSavings> groups;
  for (std::size_t begin = 0; begin < runs.size();) {
    const auto group_of = [&](std::size_t i) {
      GroupKey key = runs[i].group;
      key.resize(key.size() - factors);
      return key;
    };
    GroupKey group = group_of(begin);
    std::size_t end = begin;
    while (end < runs.size() && group_of(end) == group) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      runs[i].group.erase(runs[i].group.begin(),
                          runs[i].group.end() - static_cast<std::ptrdiff_t>(factors));
    }
    const auto recipes = std::span<const Runs>(runs).subspan(begin, end - begin);
    groups.push_back({std::move(group), outcome_of([&] { return savings_of(recipes, options); })});
    begin = end;
  }
  return groups;
}

template std::vector<GroupSavings> savings_by_group(std::vector<CurveRuns>, std::size_t,
                                                    const SavingsOptions&);
template std::vector<GroupSavings> savings_by_group(std::vector<SurfaceRuns>, std::size_t,
                                                    const SavingsOptions&);

}  // namespace scalelaw
