#include "scalelaw/energy/caps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "energy/relative_cells.hpp"
#include "energy/setting_curves.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLeastScalesOfTrend = 3;
constexpr std::size_t kLeastScalesOfPairs = 4;  ///< Fewer degrees of freedom help nobody.

/// What one of the two responses of a group is judged by.
struct ResponseCells {
  std::span<const std::vector<Cell>> settings;
  const GroupScatter& scatter;
  std::size_t reference;
};

/// The cells of every setting, one a different N.
struct GroupCells {
  std::vector<std::string> settings;
  std::vector<std::vector<Cell>> time;
  std::vector<std::vector<Cell>> energy;
  GroupScatter time_scatter;
  GroupScatter energy_scatter;
  std::size_t reference = 0;
  bool has_x = false;

  ResponseCells of_time() const { return {time, time_scatter, reference}; }
  ResponseCells of_energy() const { return {energy, energy_scatter, reference}; }
};

GroupCells cells_of_group(std::span<const SettingRuns> settings, const CapsOptions& options) {
  GroupCells cells;
  for (const SettingRuns& setting : settings) {
    const Measurements& runs = setting.runs;
    cells.has_x = !runs.x.empty();
    const std::vector<double> x =
        cells.has_x ? runs.x : std::vector<double>(runs.seconds.size(), 1.0);
    if (setting.setting == options.reference) cells.reference = cells.settings.size();
    cells.settings.push_back(setting.setting);
    cells.time.push_back(cells_of(x, runs.seconds));
    cells.energy.push_back(cells_of(x, runs.joules));
  }
  cells.time_scatter = scatter_of(cells.time);
  cells.energy_scatter = scatter_of(cells.energy);
  return cells;
}

const Cell* cell_at(const std::vector<Cell>& cells, double x) {
  const auto found = std::lower_bound(cells.begin(), cells.end(), x,
                                      [](const Cell& cell, double at) { return cell.x < at; });
  return found != cells.end() && found->x == x ? &*found : nullptr;
}

/// The N at which both a setting and the reference have runs.
std::vector<double> shared_scales(const GroupCells& cells, std::size_t setting) {
  std::vector<double> shared;
  for (const Cell& cell : cells.time[setting]) {
    if (cell_at(cells.time[cells.reference], cell.x) != nullptr) shared.push_back(cell.x);
  }
  return shared;
}

/// Weights whose sum with values is their least-squares slope over ln x.
std::vector<double> slope_weights(std::span<const double> scales) {
  double mean = 0;
  for (const double x : scales) mean += std::log(x) / static_cast<double>(scales.size());
  double ss = 0;
  for (const double x : scales) ss += std::pow(std::log(x) - mean, 2);
  std::vector<double> weights;
  for (const double x : scales) weights.push_back((std::log(x) - mean) / ss);
  return weights;
}

/// ln ratio of a setting to the reference at each N.
std::vector<double> log_ratios(const ResponseCells& of, std::size_t setting,
                               std::span<const double> scales) {
  std::vector<double> ratios;
  for (const double x : scales) {
    ratios.push_back(cell_at(of.settings[setting], x)->mean_log -
                     cell_at(of.settings[of.reference], x)->mean_log);
  }
  return ratios;
}

/// Sum of squares of values about their mean, or about their line over ln x.
double ss_of(std::span<const double> values, std::span<const double> scales, bool about_line) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double ss = 0;
  for (const double value : values) ss += (value - mean) * (value - mean);
  if (!about_line) return ss;
  const std::vector<double> weights = slope_weights(scales);
  double slope = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    slope += weights[i] * values[i];
    squares += weights[i] * weights[i];
  }
  return std::max(ss - slope * slope / squares, 0.0);
}

/// The scatter with that of the setting's own ratios, which what a setting does to its runs cannot
/// falsify. A ratio has the scatter of two runs.
GroupScatter with_pairs(const ResponseCells& of, std::size_t setting,
                        std::span<const double> scales, bool about_line) {
  GroupScatter scatter = of.scatter;
  if (scatter.pooled_dof > 0 || scales.size() < kLeastScalesOfPairs) return scatter;
  const double ss = ss_of(log_ratios(of, setting, scales), scales, about_line);
  scatter.paired_dof = static_cast<double>(scales.size()) - (about_line ? 2 : 1);
  scatter.paired_variance = ss / scatter.paired_dof / 2;
  return scatter;
}

/// Sum over N of weight * (ln mean at the setting - ln mean at the reference).
LogSum difference(const ResponseCells& of, const GroupScatter& scatter, std::size_t setting,
                  std::span<const double> scales, std::span<const double> weights,
                  double confidence) {
  std::vector<WeightedCell> terms;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    terms.push_back({cell_at(of.settings[setting], scales[i]), weights[i]});
    terms.push_back({cell_at(of.settings[of.reference], scales[i]), -weights[i]});
  }
  return log_sum(terms, scatter, confidence);
}

Interval exp_of(const Interval& ci) { return {std::exp(ci.lower), std::exp(ci.upper)}; }

RelativeMean ratio_of(const Estimate& log_ratio, double confidence, std::size_t compared) {
  RelativeMean ratio;
  ratio.ratio = std::exp(log_ratio.estimate);
  ratio.log_ratio = log_ratio;
  if (log_ratio.ci) ratio.ci = exp_of(*log_ratio.ci);
  const double joint = 1 - (1 - confidence) / static_cast<double>(compared);
  if (const auto ci = interval_at(log_ratio, joint)) ratio.joint_ci = exp_of(*ci);
  return ratio;
}

RelativeMean inverse(const RelativeMean& ratio) {
  const auto turned = [](const std::optional<Interval>& ci, auto end) -> std::optional<Interval> {
    if (!ci) return std::nullopt;
    return Interval{end(ci->upper), end(ci->lower)};
  };
  const auto reciprocal = [](double value) { return 1 / value; };
  RelativeMean out = ratio;
  out.ratio = 1 / ratio.ratio;
  out.ci = turned(ratio.ci, reciprocal);
  out.joint_ci = turned(ratio.joint_ci, reciprocal);
  out.log_ratio.estimate = -ratio.log_ratio.estimate;
  if (out.log_ratio.t) out.log_ratio.t = -*out.log_ratio.t;
  out.log_ratio.ci = turned(ratio.log_ratio.ci, [](double value) { return -value; });
  return out;
}

std::uint64_t runs_at(const std::vector<Cell>& cells, std::span<const double> scales) {
  std::uint64_t runs = 0;
  for (const double x : scales) runs += cell_at(cells, x)->count;
  return runs;
}

/// One setting against the reference, averaged over `scales`, each alike.
RelativeSetting relative_setting(const GroupCells& cells, std::size_t setting,
                                 std::span<const double> scales, std::size_t compared,
                                 const CapsOptions& options) {
  const std::vector<double> weights(scales.size(), 1 / static_cast<double>(scales.size()));
  const std::vector<double> all = shared_scales(cells, setting);
  const auto over_reference = [&](const ResponseCells& of) {
    return difference(of, with_pairs(of, setting, all, false), setting, scales, weights,
                      options.confidence);
  };
  const LogSum time = over_reference(cells.of_time());
  const LogSum energy = over_reference(cells.of_energy());
  RelativeSetting out;
  out.setting = cells.settings[setting];
  out.n = runs_at(cells.time[setting], scales);
  out.reference_n = runs_at(cells.time[cells.reference], scales);
  out.scales = scales.size();
  out.time = ratio_of(time.estimate, options.confidence, compared);
  out.speed = inverse(out.time);
  out.energy = ratio_of(energy.estimate, options.confidence, compared);
  out.evidence = time.evidence == RatioEvidence::kNone ? energy.evidence : time.evidence;
  const double slowest = out.time.ci ? out.time.ci->upper : out.time.ratio;
  out.within_bound = slowest <= 1 + options.max_slowdown;
  if (scales.size() == 1) {
    out.seconds = cell_at(cells.time[setting], scales[0])->mean;
    out.joules = cell_at(cells.energy[setting], scales[0])->mean;
  }
  return out;
}

std::string least_energy_of(const SettingComparison& comparison, const std::string& reference) {
  double least = 1;
  std::string setting = reference;
  for (const RelativeSetting& one : comparison.settings) {
    if (!(one.energy.ratio < least)) continue;
    least = one.energy.ratio;
    setting = one.setting;
  }
  return setting;
}

RecommendedSetting recommended_of(const SettingComparison& comparison,
                                  const std::string& reference) {
  RecommendedSetting out{
      .setting = reference, .is_reference = true, .by_interval = true, .saving_shown = {}};
  double least = 1;
  for (const RelativeSetting& one : comparison.settings) {
    if (!one.within_bound || !(one.energy.ratio < least)) continue;
    least = one.energy.ratio;
    out = {.setting = one.setting,
           .is_reference = false,
           .by_interval = one.time.ci.has_value(),
           .saving_shown = {}};
    if (one.energy.joint_ci) out.saving_shown = one.energy.joint_ci->upper < 1;
  }
  return out;
}

/// Every setting but the reference at those of `scales` that it shares.
SettingComparison comparison_over(const GroupCells& cells, const std::vector<double>& scales,
                                  const CapsOptions& options) {
  std::vector<std::pair<std::size_t, std::vector<double>>> compared;
  for (std::size_t setting = 0; setting < cells.settings.size(); ++setting) {
    if (setting == cells.reference) continue;
    std::vector<double> shared = shared_scales(cells, setting);
    std::erase_if(shared, [&](double x) {
      return std::find(scales.begin(), scales.end(), x) == scales.end();
    });
    if (!shared.empty()) compared.emplace_back(setting, std::move(shared));
  }
  SettingComparison out;
  out.reference_n = runs_at(cells.time[cells.reference], scales);
  if (scales.size() == 1) {
    if (cells.has_x) out.x = scales[0];
    out.reference_seconds = cell_at(cells.time[cells.reference], scales[0])->mean;
    out.reference_joules = cell_at(cells.energy[cells.reference], scales[0])->mean;
  }
  for (const auto& [setting, shared] : compared) {
    out.settings.push_back(relative_setting(cells, setting, shared, compared.size(), options));
  }
  out.least_energy = least_energy_of(out, options.reference);
  out.recommended = recommended_of(out, options.reference);
  return out;
}

std::vector<SettingTrend> trends_of(const GroupCells& cells, const CapsOptions& options) {
  std::vector<SettingTrend> trends;
  for (std::size_t setting = 0; setting < cells.settings.size(); ++setting) {
    const std::vector<double> scales = shared_scales(cells, setting);
    if (setting == cells.reference || scales.size() < kLeastScalesOfTrend) continue;
    const std::vector<double> weights = slope_weights(scales);
    const auto slope = [&](const ResponseCells& of) {
      return difference(of, with_pairs(of, setting, scales, true), setting, scales, weights,
                        options.confidence)
          .estimate;
    };
    trends.push_back(
        {cells.settings[setting], scales.size(), slope(cells.of_time()), slope(cells.of_energy())});
  }
  return trends;
}

/// Settings elsewhere than at the reference's N.
std::vector<double> scales_without_reference(const GroupCells& cells) {
  std::vector<double> out;
  for (const auto& setting : cells.time) {
    for (const Cell& cell : setting) {
      if (cell_at(cells.time[cells.reference], cell.x) == nullptr) out.push_back(cell.x);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void check(std::span<const SettingRuns> settings, const CapsOptions& options) {
  const bool is_share = options.confidence > 0 && options.confidence < 1;
  if (!is_share || !(options.max_slowdown > 0)) {
    throw std::invalid_argument("confidence in (0, 1) and a bound above 0 are needed");
  }
  std::vector<std::string> names;
  for (const SettingRuns& setting : settings) names.push_back(setting.setting);
  if (std::find(names.begin(), names.end(), options.reference) == names.end()) {
    throw FitError(
        FailureCode::kTooFewLevels,
        fmt::format("no runs at the reference {}, only at {}", options.reference, joined(names)));
  }
  if (names.size() < 2) {
    throw FitError(FailureCode::kTooFewLevels,
                   fmt::format("only one setting, {}: nothing to compare", names[0]));
  }
}

}  // namespace

std::string_view name_of(RatioEvidence evidence) {
  switch (evidence) {
    case RatioEvidence::kOwn:
      return "runs";
    case RatioEvidence::kPooled:
      return "pooled";
    case RatioEvidence::kPaired:
      return "paired";
    case RatioEvidence::kBlocks:
      return "blocks";
    case RatioEvidence::kNone:
      break;
  }
  return "none";
}

Caps compare_settings(std::span<const SettingRuns> settings, const CapsOptions& options) {
  check(settings, options);
  const GroupCells cells = cells_of_group(settings, options);
  Caps caps;
  for (const SettingRuns& setting : settings) caps.n += setting.runs.seconds.size();
  std::vector<double> shared;
  for (const Cell& cell : cells.time[cells.reference]) {
    SettingComparison comparison = comparison_over(cells, {cell.x}, options);
    if (comparison.settings.empty()) continue;
    shared.push_back(cell.x);
    caps.scales.push_back(std::move(comparison));
  }
  if (shared.empty()) {
    throw FitError(
        FailureCode::kTooFewLevels,
        fmt::format("no setting has runs at an N where the reference {} has", options.reference));
  }
  caps.without_reference = scales_without_reference(cells);
  caps.overall = comparison_over(cells, shared, options);
  caps.overall.x.reset();
  if (cells.has_x) caps.trends = trends_of(cells, options);
  caps.curves = setting_curves(settings, options);
  return caps;
}

}  // namespace scalelaw
