#include "energy/caps_parts.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

namespace scalelaw {
namespace {

/// A standard error of a logarithm below this is rounding, not scatter.
constexpr double kExactCell = 1e-13;

/// Rows of the additive model, one per cell, with an effect of each setting and of each N. The
/// weight of a cell is the root of its runs, so that its residual scatters as a run does.
struct BlockModel {
  Eigen::MatrixXd design;
  Eigen::VectorXd y;
};

/// @param scales  All N, ascending.
BlockModel block_model(std::span<const std::vector<Cell>> settings,
                       const std::vector<double>& scales) {
  std::size_t cells = 0;
  for (const auto& setting : settings) cells += setting.size();
  const auto rows = static_cast<Eigen::Index>(cells);
  BlockModel model{
      Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(settings.size() + scales.size())),
      Eigen::VectorXd(rows)};
  Eigen::Index row = 0;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    for (const Cell& cell : settings[s]) {
      const auto block = std::ranges::lower_bound(scales, cell.x) - scales.begin();
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
  const BlockModel model = block_model(settings, {scales.begin(), scales.end()});
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(model.design);
  scatter.blocks.dof = static_cast<double>(model.y.size() - qr.rank());
  if (scatter.blocks.dof <= 0) return;
  const Eigen::VectorXd residuals = model.y - model.design * qr.solve(model.y);
  scatter.blocks.variance = residuals.squaredNorm() / scatter.blocks.dof;
}

/// The sum of s^2 / n + s^4 / (2 (n - 1)), with Satterthwaite's degrees of freedom of s^2 / n.
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
  return std::ranges::all_of(cells, [](const WeightedCell& cell) { return cell.cell->count > 1; });
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
  if (evidence == RatioEvidence::kOwn) return own_spread(cells);
  const Spread& of_run = evidence == RatioEvidence::kShared   ? scatter.shared
                         : evidence == RatioEvidence::kPooled ? scatter.pooled
                         : evidence == RatioEvidence::kPaired ? scatter.paired
                                                              : scatter.blocks;
  return {of_run.variance * sum_of_squares_over_n(cells), of_run.dof};
}

/// Whether there is scatter beyond rounding.
bool shows_scatter(const Spread& spread) {
  return spread.dof > 0 && std::sqrt(spread.variance) > kExactCell;
}

/// What all groups share if they do. The runs themselves where all cells are repeated. Else the
/// group's repeated runs or its ratios over N, whichever has more degrees of freedom. Counts of
/// runs decide this, not their values. Copied rows show no scatter.
RatioEvidence evidence_for(std::span<const WeightedCell> cells, const GroupScatter& scatter) {
  if (scatter.shared.dof > 0) return RatioEvidence::kShared;
  if (all_have_scatter(cells) && shows_scatter(own_spread(cells))) return RatioEvidence::kOwn;
  const auto spread = [&](RatioEvidence evidence) { return spread_of(cells, scatter, evidence); };
  const RatioEvidence over_scales =
      scatter.paired.dof > 0 ? RatioEvidence::kPaired : RatioEvidence::kBlocks;
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
  bool has_single = false;
  for (const auto& setting : settings) {
    for (const Cell& cell : setting) {
      ss += cell.ss_log;
      scatter.pooled.dof += static_cast<double>(cell.count) - 1;
      has_single = has_single || cell.count == 1;
    }
  }
  if (scatter.pooled.dof > 0) scatter.pooled.variance = ss / scatter.pooled.dof;
  if (has_single || !(std::sqrt(scatter.pooled.variance) > kExactCell))
    add_blocks(settings, scatter);
  return scatter;
}

LogSum log_sum(std::span<const WeightedCell> cells, const GroupScatter& scatter,
               double confidence) {
  const RatioEvidence evidence = evidence_for(cells, scatter);
  const double estimate = estimate_of(cells, evidence == RatioEvidence::kOwn);
  const Spread spread =
      evidence == RatioEvidence::kNone ? Spread{} : spread_of(cells, scatter, evidence);
  return {student_estimate(estimate, std::sqrt(spread.variance), spread.dof, confidence), evidence};
}

}  // namespace scalelaw
