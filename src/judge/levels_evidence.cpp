// The means of a group at every x, and what they and their rows are to a curve.

#include <cmath>
#include <numbers>
#include <utility>

#include "judge/law_posterior.hpp"
#include "judge/levels.hpp"

namespace scalelaw::posterior {
namespace {

constexpr double kLeastSquare = 1e-26;  ///< Square of the least relative scatter.
/// The same where a law of three parameters goes through all points and tells nothing of scatter.
constexpr double kHidden = 1e-6;
constexpr double kReach = 3;  ///< A departure is half of itself eight times further.
/// ln of how far the ratio of the two sigmas may lie: within thirty units of its logarithm.
const double kLogRatios = std::log(2.0 * 30);

double least_square(const Levels& levels) { return levels.y.size() > 3 ? kLeastSquare : kHidden; }

/// ln of the integral over sigma of prod N(r; 0, sigma^2) / sigma but for the sum of squares, and
/// over the level.
double log_constant(double count) {
  return log_gamma(0.5 * (count - 1)) - 0.5 * (count - 1) * std::log(std::numbers::pi);
}

/// Rows scatter about the curve independently.
Evidence of_rows(const Levels& levels) {
  Evidence out{.weights = levels.rows, .mass = levels.row_sum, .count = levels.row_sum};
  out.within = levels.within + least_square(levels) * levels.row_sum;
  out.log_offset = log_constant(out.count) - 0.5 * std::log(out.mass);
  return out;
}

/// The means of levels scatter about the curve by a variance of their own, whatever that of rows.
Evidence of_levels(const Levels& levels) {
  const auto count = static_cast<double>(levels.y.size());
  Evidence out{.weights = std::vector(levels.y.size(), 1.0), .mass = count, .count = count};
  const double dof = levels.row_sum - count;
  const double within = levels.within + least_square(levels) * levels.row_sum;
  out.within = least_square(levels) * count;
  out.row_variance = within / dof;
  out.rows_per_level = levels.row_sum / count;
  out.log_offset = log_constant(count) - 0.5 * std::log(count);
  // The scatter of rows about their levels' means has a sigma of its own.
  out.log_offset += log_constant(dof + 1) - 0.5 * dof * std::log(within);
  for (const double rows : levels.rows) out.log_offset -= 0.5 * std::log(rows);
  out.log_offset -= kLogRatios;
  return out;
}

/// The same, but levels lie alike from the curve where their x are near: no law is quite true, and
/// what it lacks lasts. An Ornstein-Uhlenbeck process over ln x.
Evidence of_lasting(Evidence levels_alone, const Levels& levels) {
  Evidence out = std::move(levels_alone);
  out.reach = kReach;
  out.log_offset += 0.5 * std::log(out.mass);
  const std::vector<double> weights = out.weights;
  out.mass = weights.front();
  for (std::size_t k = 1; k < weights.size(); ++k) {
    const double alike = std::exp((levels.z[k - 1] - levels.z[k]) / kReach);
    out.carry[k] = alike * std::sqrt(weights[k - 1] / weights[k]);
    out.weights[k] /= 1 - alike * alike;
    out.mass += out.weights[k] * (1 - out.carry[k]) * (1 - out.carry[k]);
    out.log_offset -= 0.5 * std::log(1 - alike * alike);
  }
  out.log_offset -= 0.5 * std::log(out.mass);
  return out;
}

/// The scatter of levels that other groups tell, as if it were so many more points. It takes the
/// place of a prior without a form, so nothing is left to say of its ratio to the scatter of rows.
void add_prior(Evidence& evidence, const LawPriors& priors) {
  const double dof = priors.scatter_dof;
  const double sum = dof * priors.scatter_variance;
  evidence.prior_dof = dof;
  evidence.within += sum;
  evidence.log_offset += log_gamma(0.5 * (evidence.count - 1 + dof)) -
                         log_gamma(0.5 * (evidence.count - 1)) - log_gamma(0.5 * dof) +
                         0.5 * dof * std::log(sum) + (evidence.row_variance > 0 ? kLogRatios : 0);
}

}  // namespace

Levels levels_of(std::span<const Cell> cells, double sign) {
  Levels levels;
  double mass = 0;
  for (const Cell& cell : cells) {
    levels.row_sum += static_cast<double>(cell.count);
    mass += static_cast<double>(cell.count) * cell.weight;
  }
  const double share = levels.row_sum / mass;
  const std::vector<std::size_t> begins = level_begins(cells);
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    const auto level = cells.subspan(begins[k], begins[k + 1] - begins[k]);
    const LogMean mean = log_mean(level);
    const double z = std::log(level.front().x) - std::log(cells.back().x);
    levels.z.push_back(z);
    levels.scale.push_back(std::exp(z));
    levels.parallel.push_back(std::exp(-z));
    levels.y.push_back(sign * mean.mean);
    levels.rows.push_back(mean.weight * share);
    for (const Cell& cell : level) {
      const double from_mean = cell.mean_log - mean.mean;
      const auto count = static_cast<double>(cell.count);
      levels.within += cell.weight * share * (cell.ss_log + count * from_mean * from_mean);
      levels.smearing_within += count * cell.mean * std::exp(-mean.mean) / levels.row_sum;
    }
  }
  levels.points.resize(levels.y.size());
  return levels;
}

std::vector<Evidence> evidence_of(const Levels& levels, const LawPriors& priors) {
  std::vector<Evidence> out{of_rows(levels)};
  const auto count = static_cast<double>(levels.y.size());
  out.front().of_levels = !(levels.row_sum > count);
  if (count > 2 && !out.front().of_levels) out.push_back(of_levels(levels));
  if (count > 2) out.push_back(of_lasting(out.back(), levels));
  // Other groups tell the scatter of levels, not that of repeated runs.
  for (Evidence& one : out) {
    if (priors.scatter_dof > 0 && one.of_levels) add_prior(one, priors);
  }
  return out;
}

}  // namespace scalelaw::posterior
