#include "energy/caps_parts.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// A standard error of a logarithm below this is rounding, not scatter.
constexpr double kRounding = 1e-13;

/// Rows of the additive model, one per cell, with an effect of each setting and of each N. The
/// weight of a cell is the root of its runs, so that its residual scatters as a run does.
struct BlockModel {
  Eigen::MatrixXd design;
  Eigen::VectorXd y;
};

BlockModel block_model(std::span<const std::vector<Cell>> settings) {
  std::vector<double> blocks;
  std::size_t cells = 0;
  for (const auto& setting : settings) {
    cells += setting.size();
    for (const Cell& cell : setting) blocks.push_back(cell.x);
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  const auto rows = static_cast<Eigen::Index>(cells);
  BlockModel model{
      Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(settings.size() + blocks.size())),
      Eigen::VectorXd(rows)};
  Eigen::Index row = 0;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    for (const Cell& cell : settings[s]) {
      const auto block = std::lower_bound(blocks.begin(), blocks.end(), cell.x) - blocks.begin();
      const double root = std::sqrt(static_cast<double>(cell.count));
      model.design(row, static_cast<Eigen::Index>(s)) = root;
      model.design(row, static_cast<Eigen::Index>(settings.size()) + block) = root;
      model.y(row++) = root * cell.mean_log;
    }
  }
  return model;
}

void add_blocks(std::span<const std::vector<Cell>> settings, GroupScatter& scatter) {
  std::set<double> scales;
  for (const auto& setting : settings) {
    for (const Cell& cell : setting) scales.insert(cell.x);
  }
  if (scales.size() < 2) return;  // Nothing would be left over, and a fine sweep would take long.
  const BlockModel model = block_model(settings);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(model.design);
  scatter.block_dof = static_cast<double>(model.y.size() - qr.rank());
  if (scatter.block_dof <= 0) return;
  const Eigen::VectorXd residuals = model.y - model.design * qr.solve(model.y);
  scatter.block_variance = residuals.squaredNorm() / scatter.block_dof;
}

/// A variance and its degrees of freedom.
struct Spread {
  double variance = 0;
  double dof = 0;
};

/// s^2 / n + s^4 / (2 (n - 1)) of each cell, with Satterthwaite's degrees of freedom for the first
/// term.
Spread own_spread(std::span<const WeightedCell> cells) {
  double means = 0;
  double squares = 0;
  double variances = 0;
  for (const auto& [cell, weight] : cells) {
    const auto n = static_cast<double>(cell->count);
    const double s2 = cell->ss_log / (n - 1);
    const double of_mean = weight * weight * s2 / n;
    means += of_mean;
    squares += of_mean * of_mean / (n - 1);
    variances += weight * weight * s2 * s2 / (2 * (n - 1));
  }
  if (!(squares > 0)) return {};
  return {means + variances, means * means / squares};
}

double sum_of_squares_over_n(std::span<const WeightedCell> cells) {
  double sum = 0;
  for (const auto& [cell, weight] : cells) {
    sum += weight * weight / static_cast<double>(cell->count);
  }
  return sum;
}

bool all_have_scatter(std::span<const WeightedCell> cells) {
  return std::all_of(cells.begin(), cells.end(),
                     [](const WeightedCell& cell) { return cell.cell->count > 1; });
}

double estimate_of(std::span<const WeightedCell> cells, bool own_variances) {
  double sum = 0;
  for (const auto& [cell, weight] : cells) {
    double theta = cell->mean_log;
    if (own_variances) theta += cell->ss_log / (static_cast<double>(cell->count) - 1) / 2;
    sum += weight * theta;
  }
  return sum;
}

Spread spread_of(std::span<const WeightedCell> cells, const GroupScatter& scatter,
                 RatioEvidence evidence) {
  switch (evidence) {
    case RatioEvidence::kOwn:
      return own_spread(cells);
    case RatioEvidence::kPooled:
      return {scatter.pooled_variance * sum_of_squares_over_n(cells), scatter.pooled_dof};
    case RatioEvidence::kPaired:
      return {scatter.paired_variance * sum_of_squares_over_n(cells), scatter.paired_dof};
    case RatioEvidence::kBlocks:
      return {scatter.block_variance * sum_of_squares_over_n(cells), scatter.block_dof};
    case RatioEvidence::kNone:
      break;
  }
  return {};
}

/// Whether there is scatter beyond rounding.
bool shows_scatter(const Spread& spread) {
  return spread.dof > 0 && std::sqrt(spread.variance) > kRounding;
}

/// The runs themselves where all cells are repeated. Else the group's repeated runs or its ratios
/// over N, whichever has more degrees of freedom. Counts of runs decide this, not their values.
/// Copied rows show no scatter.
RatioEvidence evidence_for(std::span<const WeightedCell> cells, const GroupScatter& scatter) {
  if (all_have_scatter(cells) && shows_scatter(own_spread(cells))) return RatioEvidence::kOwn;
  const auto spread = [&](RatioEvidence evidence) { return spread_of(cells, scatter, evidence); };
  const RatioEvidence over_scales =
      scatter.paired_dof > 0 ? RatioEvidence::kPaired : RatioEvidence::kBlocks;
  RatioEvidence best = RatioEvidence::kNone;
  for (const RatioEvidence evidence : {RatioEvidence::kPooled, over_scales}) {
    if (!shows_scatter(spread(evidence))) continue;
    if (best == RatioEvidence::kNone || spread(evidence).dof > spread(best).dof) best = evidence;
  }
  return best;
}

}  // namespace

GroupScatter scatter_of(std::span<const std::vector<Cell>> settings) {
  GroupScatter scatter;
  double ss = 0;
  for (const auto& setting : settings) {
    for (const Cell& cell : setting) {
      ss += cell.ss_log;
      scatter.pooled_dof += static_cast<double>(cell.count) - 1;
    }
  }
  if (scatter.pooled_dof > 0) scatter.pooled_variance = ss / scatter.pooled_dof;
  const bool has_single =
      std::any_of(settings.begin(), settings.end(), [](const std::vector<Cell>& cells) {
        return std::any_of(cells.begin(), cells.end(),
                           [](const Cell& cell) { return cell.count == 1; });
      });
  if (has_single || !(std::sqrt(scatter.pooled_variance) > kRounding))
    add_blocks(settings, scatter);
  return scatter;
}

LogSum log_sum(std::span<const WeightedCell> cells, const GroupScatter& scatter,
               double confidence) {
  LogSum sum;
  sum.evidence = evidence_for(cells, scatter);
  Estimate& estimate = sum.estimate;
  estimate.estimate = estimate_of(cells, sum.evidence == RatioEvidence::kOwn);
  if (sum.evidence == RatioEvidence::kNone) return sum;
  const Spread spread = spread_of(cells, scatter, sum.evidence);
  const double se = std::sqrt(spread.variance);
  estimate.se = se;
  estimate.dof = spread.dof;
  estimate.t = estimate.estimate / se;
  estimate.p = student_t_p(*estimate.t, spread.dof);
  estimate.ci = interval_at(estimate, confidence);
  return sum;
}

}  // namespace scalelaw
