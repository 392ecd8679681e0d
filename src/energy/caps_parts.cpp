#include "energy/caps_parts.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "scalelaw/base/names.hpp"
#include "scalelaw/energy/setting_number.hpp"
#include "statistics/projection.hpp"

namespace scalelaw {
namespace {

/// A standard error of a logarithm below this is rounding, not scatter.
constexpr double kScatterOfRounding = 1e-13;

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
  const Projection beside = project(model.y, model.design);
  scatter.blocks.dof = static_cast<double>(model.y.size() - beside.rank);
  if (scatter.blocks.dof <= 0) return;
  scatter.blocks.variance = beside.residual.squaredNorm() / scatter.blocks.dof;
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
  return spread.dof > 0 && std::sqrt(spread.variance) > kScatterOfRounding;
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
  if (has_single || !(std::sqrt(scatter.pooled.variance) > kScatterOfRounding))
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

namespace {

struct SweepRuns {
  std::vector<double> settings;
  std::vector<double> seconds;
  std::vector<double> joules;
  std::vector<double> gpus;

  std::size_t distinct() const { return std::set<double>(settings.begin(), settings.end()).size(); }
};

/// Runs by N; without a scale all stand at 0. Empty if a setting is no number.
std::map<double, SweepRuns> sweeps_of(std::span<const SettingRuns> settings) {
  std::map<double, SweepRuns> sweeps;
  for (const SettingRuns& setting : settings) {
    const auto number = setting_number(setting.setting);
    if (!number) return {};
    for (std::size_t i = 0; i < setting.runs.seconds.size(); ++i) {
      SweepRuns& sweep = sweeps[setting.runs.x.empty() ? 0 : setting.runs.x[i]];
      sweep.settings.push_back(number->value);
      sweep.seconds.push_back(setting.runs.seconds[i]);
      sweep.joules.push_back(setting.runs.joules[i]);
      sweep.gpus.push_back(setting.gpus.empty() ? 1 : setting.gpus[i]);
    }
  }
  return sweeps;
}

/// The greatest mean power of one GPU.
double greatest_power(const SweepRuns& sweep) {
  double power = 0;
  for (std::size_t i = 0; i < sweep.seconds.size(); ++i) {
    power = std::max(power, sweep.joules[i] / sweep.seconds[i] / sweep.gpus[i]);
  }
  return power;
}

/// Where the smooth curve through a criterion is least. `cost` takes the number of a run.
template <class Cost>
SettingOptimum optimum_of(const SweepRuns& sweep, CurveCriterion criterion,
                          std::optional<double> trade, const CapsOptions& options, Cost cost) {
  std::vector<double> costs;
  for (std::size_t i = 0; i < sweep.seconds.size(); ++i) costs.push_back(cost(i));
  return {.criterion = criterion,
          .trade = trade,
          .minimum = fit_smooth_curve(sweep.settings, costs, options.confidence).minimum};
}

/// The optimum of Zeus's cost eta E + (1 - eta) P g t, divided by eta where eta is above 0.
SettingOptimum zeus_optimum(const SweepRuns& sweep, double eta, const CapsOptions& options) {
  const double power = options.max_power.value_or(greatest_power(sweep));
  const double per_gpu = eta > 0 ? (1 - eta) / eta * power : 1;
  const double of_energy = eta > 0 ? 1 : 0;
  const bool same_gpus = std::equal(sweep.gpus.begin() + 1, sweep.gpus.end(), sweep.gpus.begin());
  std::optional<double> trade;
  if (eta > 0 && (same_gpus || per_gpu == 0)) trade = per_gpu * sweep.gpus[0];
  SettingOptimum optimum =
      optimum_of(sweep, CurveCriterion::kZeus, trade, options, [&](std::size_t i) {
        return of_energy * sweep.joules[i] + per_gpu * sweep.gpus[i] * sweep.seconds[i];
      });
  optimum.eta = eta;
  return optimum;
}

std::vector<SettingOptimum> optima_of(const SweepRuns& sweep, const SmoothCurve& energy,
                                      const CapsOptions& options) {
  std::vector<SettingOptimum> optima{
      {.criterion = CurveCriterion::kEnergy, .trade = 0.0, .minimum = energy.minimum}};
  const std::vector<double>& joules = sweep.joules;
  const std::vector<double>& seconds = sweep.seconds;
  optima.push_back(optimum_of(sweep, CurveCriterion::kEnergyDelay, {}, options,
                              [&](std::size_t i) { return joules[i] * seconds[i]; }));
  for (const double trade : options.trades) {
    optima.push_back(optimum_of(sweep, CurveCriterion::kTrade, trade, options,
                                [&](std::size_t i) { return joules[i] + trade * seconds[i]; }));
  }
  for (const double eta : options.etas) optima.push_back(zeus_optimum(sweep, eta, options));
  return optima;
}

std::optional<double> value_at(const SmoothCurve& curve, std::optional<double> setting) {
  const auto found = std::ranges::find(curve.at, setting);
  if (!setting || found == curve.at.end()) return std::nullopt;
  return curve.value[static_cast<std::size_t>(found - curve.at.begin())];
}

void add_ratios(SettingCurves& curves, double reference) {
  for (SettingOptimum& optimum : curves.optima) {
    const auto ratio = [&](const SmoothCurve& curve) -> std::optional<double> {
      const auto base = value_at(curve, reference);
      const auto value = value_at(curve, optimum.minimum.level);
      return base && value ? std::optional(*value / *base) : std::nullopt;
    };
    optimum.time_ratio = ratio(curves.time);
    optimum.energy_ratio = ratio(curves.energy);
  }
}

/// -dE/dt = -(E g_E') / (t g_t').
std::vector<std::optional<double>> marginal_joules(const SettingCurves& curves) {
  std::vector<std::optional<double>> out;
  for (std::size_t i = 0; i < curves.time.at.size(); ++i) {
    const double power = curves.energy.value[i] / curves.time.value[i];
    const double slope = curves.time.relative_slope[i];
    const double marginal = -power * curves.energy.relative_slope[i] / slope;
    out.push_back(std::isfinite(marginal) ? std::optional(marginal) : std::nullopt);
  }
  return out;
}

SettingCurves curves_of(const SweepRuns& sweep, const CapsOptions& options,
                        const std::string& reference) {
  SettingCurves curves;
  curves.time = fit_smooth_curve(sweep.settings, sweep.seconds, options.confidence);
  curves.energy = fit_smooth_curve(sweep.settings, sweep.joules, options.confidence);
  curves.joules_per_second = marginal_joules(curves);
  curves.optima = optima_of(sweep, curves.energy, options);
  if (const auto number = setting_number(reference)) add_ratios(curves, number->value);
  return curves;
}

}  // namespace

std::string_view name_of(CurveCriterion criterion) {
  return word_for(criterion, {{CurveCriterion::kEnergy, "energy"},
                              {CurveCriterion::kEnergyDelay, "energy-delay"},
                              {CurveCriterion::kTrade, "trade"},
                              {CurveCriterion::kZeus, "zeus"}});
}

void add_curves(std::span<const SettingRuns> settings, const CapsOptions& options, Caps& caps) {
  const bool is_auto = options.continuous == Continuous::kAuto;
  if (std::isnan(caps.overall.settings.front().energy.ratio)) return;  // No energy is known.
  const bool has_x = !settings.empty() && !settings.front().runs.x.empty();
  for (const auto& [x, sweep] : sweeps_of(settings)) {
    const std::size_t distinct = sweep.distinct();
    if (distinct < (is_auto ? kManySettings : kLeastSettingsOfCurve)) continue;
    if (is_auto && distinct > kMostSettings) {
      ++caps.too_fine;
      continue;
    }
    caps.curves.push_back(curves_of(sweep, options, caps.reference));
    if (has_x) caps.curves.back().x = x;
  }
}

}  // namespace scalelaw
