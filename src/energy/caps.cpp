#include "scalelaw/energy/caps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "base/errors.hpp"
#include "energy/caps_parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/energy/setting_number.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLeastScalesOfTrend = 3;
constexpr std::size_t kLeastScalesOfPairs = 4;  ///< With fewer N the interval would be useless.

/// The place of the setting with the greatest number; the first of equal ones.
std::size_t greatest_setting(const std::vector<std::string>& names) {
  std::size_t greatest = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto number = setting_number(names[i]);
    if (!number) {
      throw fit_error(FailureCode::kTooFewLevels, "no reference is named and {} is no number",
                      quoted(names[i]));
    }
    if (number->value <= most) continue;
    most = number->value;
    greatest = i;
  }
  return greatest;
}

std::size_t reference_in(const std::vector<std::string>& names, const std::string& reference) {
  if (names.size() == 1 && (reference.empty() || same_setting(names[0], reference))) {
    throw fit_error(FailureCode::kTooFewLevels,
                    "all runs have one setting, {}: there is nothing to compare", names[0]);
  }
  if (reference.empty()) return greatest_setting(names);
  auto found = std::ranges::find(names, reference);
  if (found == names.end()) {
    found = std::ranges::find_if(
        names, [&](const std::string& name) { return same_setting(name, reference); });
  }
  if (found == names.end()) {
    throw fit_error(FailureCode::kTooFewLevels, "there are no runs at the reference {}, only at {}",
                    reference, joined(names));
  }
  return static_cast<std::size_t>(found - names.begin());
}

/// Time or energy of a group: the cells of every setting, each at another N, and their scatter.
struct ResponseCells {
  std::vector<std::vector<Cell>> settings;
  std::size_t reference;
  GroupScatter scatter = {};
};

struct GroupCells {
  std::vector<std::string> settings;
  std::size_t reference;
  bool has_x;
  ResponseCells time;
  ResponseCells energy;
};

Spread spread_of_run(const Pooling& pooling) {
  return {.variance = pooling.sigma * pooling.sigma, .dof = pooling.dof};
}

GroupCells cells_of_group(std::span<const SettingRuns> settings, const CapsOptions& options) {
  std::vector<std::string> names;
  for (const SettingRuns& setting : settings) names.push_back(setting.setting);
  const std::size_t reference = reference_in(names, options.reference);
  GroupCells cells{std::move(names), reference, false, {{}, reference}, {{}, reference}};
  for (const SettingRuns& setting : settings) {
    const Measurements& runs = setting.runs;
    cells.has_x = !runs.x.empty();
    const std::vector<double> x =
        cells.has_x ? runs.x : std::vector<double>(runs.seconds.size(), 1.0);
    cells.time.settings.push_back(cells_of(x, runs.seconds));
    cells.energy.settings.push_back(cells_of(x, runs.joules));
  }
  for (ResponseCells* response : {&cells.time, &cells.energy}) {
    response->scatter = scatter_of(response->settings);
  }
  if (options.shared) {
    cells.time.scatter.shared = spread_of_run(options.shared->time);
    cells.energy.scatter.shared = spread_of_run(options.shared->energy);
  }
  return cells;
}

const Cell* cell_at(const std::vector<Cell>& cells, double x) {
  const auto found = std::ranges::lower_bound(cells, x, {}, &Cell::x);
  return found != cells.end() && found->x == x ? &*found : nullptr;
}

/// The N at which both a setting and the reference have runs.
std::vector<double> shared_scales(const GroupCells& cells, std::size_t setting) {
  std::vector<double> shared;
  for (const Cell& cell : cells.time.settings[setting]) {
    if (cell_at(cells.time.settings[cells.reference], cell.x) != nullptr) shared.push_back(cell.x);
  }
  return shared;
}

/// Weights with which a weighted sum of values is their least-squares slope over ln x.
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

/// The sum of squares of values about their mean, or about their line over ln x.
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

/// The variance of a log ratio over the variance of a run, averaged over N: 2 for single runs.
double runs_in_ratio(const ResponseCells& of, std::size_t setting, std::span<const double> scales) {
  double sum = 0;
  for (const double x : scales) {
    sum += 1 / static_cast<double>(cell_at(of.settings[setting], x)->count) +
           1 / static_cast<double>(cell_at(of.settings[of.reference], x)->count);
  }
  return sum / static_cast<double>(scales.size());
}

/// The scatter of the group, with the scatter of this setting's own log ratios over N. The ratios
/// stay valid whatever the setting does to its runs.
GroupScatter with_pairs(const ResponseCells& of, std::size_t setting,
                        std::span<const double> scales, bool about_line) {
  GroupScatter scatter = of.scatter;
  if (scales.size() < kLeastScalesOfPairs) return scatter;
  const double ss = ss_of(log_ratios(of, setting, scales), scales, about_line);
  scatter.paired.dof = static_cast<double>(scales.size()) - (about_line ? 2 : 1);
  scatter.paired.variance = ss / scatter.paired.dof / runs_in_ratio(of, setting, scales);
  return scatter;
}

/// The sum over N of weight * (ln mean at the setting - ln mean at the reference).
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

/// Compares one setting with the reference, averaged over `scales` with equal weights.
RelativeSetting relative_setting(const GroupCells& cells, std::size_t setting,
                                 std::span<const double> scales, std::size_t compared,
                                 const CapsOptions& options) {
  const std::vector<double> weights(scales.size(), 1 / static_cast<double>(scales.size()));
  const std::vector<double> all = shared_scales(cells, setting);
  const auto over_reference = [&](const ResponseCells& of) {
    return difference(of, with_pairs(of, setting, all, false), setting, scales, weights,
                      options.confidence);
  };
  const LogSum time = over_reference(cells.time);
  const LogSum energy = over_reference(cells.energy);
  RelativeSetting out;
  out.setting = cells.settings[setting];
  out.n = runs_at(cells.time.settings[setting], scales);
  out.reference_n = runs_at(cells.time.settings[cells.reference], scales);
  out.scales = scales.size();
  out.time = ratio_of(time.estimate, options.confidence, compared);
  out.speed = inverse(out.time);
  out.energy = ratio_of(energy.estimate, options.confidence, compared);
  out.evidence = time.evidence == RatioEvidence::kNone ? energy.evidence : time.evidence;
  const double slowest = out.time.ci ? out.time.ci->upper : out.time.ratio;
  out.within_bound = options.allows(slowest);
  if (std::isnan(out.energy.ratio)) out.energy = {.ratio = out.energy.ratio};
  if (scales.size() == 1) {
    out.seconds = cell_at(cells.time.settings[setting], scales[0])->mean;
    out.joules = cell_at(cells.energy.settings[setting], scales[0])->mean;
  }
  return out;
}

std::string least_energy_of(const SettingComparison& comparison, const std::string& reference) {
  double least = 1;
  std::string setting = reference;
  for (const RelativeSetting& one : comparison.settings) {
    if (!one.in_choice || !(one.energy.ratio < least)) continue;
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
    if (!one.in_choice || !one.within_bound || !(one.energy.ratio < least)) continue;
    least = one.energy.ratio;
    out = {.setting = one.setting,
           .is_reference = false,
           .by_interval = one.time.ci.has_value(),
           .saving_shown = {}};
    if (one.energy.joint_ci) out.saving_shown = one.energy.joint_ci->upper < 1;
  }
  return out;
}

/// A setting, and the N in question that it shares with the reference.
struct SharedScales {
  std::size_t setting;
  std::vector<double> scales;
};

std::vector<SharedScales> shared_among(const GroupCells& cells, const std::vector<double>& scales) {
  std::vector<SharedScales> shared;
  for (std::size_t setting = 0; setting < cells.settings.size(); ++setting) {
    if (setting == cells.reference) continue;
    std::vector<double> own = shared_scales(cells, setting);
    std::erase_if(own, [&](double x) { return !std::ranges::binary_search(scales, x); });
    if (!own.empty()) shared.push_back({setting, std::move(own)});
  }
  return shared;
}

/// The N of the largest complete table: the settings with the most N, as many as make settings
/// times shared N greatest. Of equally large tables, the one with more settings.
std::vector<double> complete_scales(std::vector<SharedScales> settings) {
  if (settings.empty()) return {};
  std::ranges::stable_sort(settings, [](const SharedScales& a, const SharedScales& b) {
    return a.scales.size() > b.scales.size();
  });
  std::vector<double> common = settings.front().scales;
  std::vector<double> best;
  std::size_t size = 0;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    std::erase_if(common,
                  [&](double x) { return !std::ranges::binary_search(settings[i].scales, x); });
    if ((i + 1) * common.size() < size || common.empty()) continue;
    size = (i + 1) * common.size();
    best = common;
  }
  return best;
}

void add_reference(const GroupCells& cells, SettingComparison& comparison,
                   const std::vector<double>& scales) {
  comparison.reference_n = runs_at(cells.time.settings[cells.reference], scales);
  if (cells.has_x) comparison.over = scales;
  if (scales.size() != 1) return;
  if (cells.has_x) comparison.x = scales[0];
  comparison.reference_seconds = cell_at(cells.time.settings[cells.reference], scales[0])->mean;
  comparison.reference_joules = cell_at(cells.energy.settings[cells.reference], scales[0])->mean;
}

/// Compares every setting with the reference, over those of `scales` that the settings share.
SettingComparison comparison_over(const GroupCells& cells, const std::vector<double>& scales,
                                  const CapsOptions& options) {
  const std::vector<SharedScales> shared = shared_among(cells, scales);
  const std::vector<double> over = complete_scales(shared);
  const auto has_all = [&](const SharedScales& one) {
    return std::includes(one.scales.begin(), one.scales.end(), over.begin(), over.end());
  };
  const auto compared = static_cast<std::size_t>(std::ranges::count_if(shared, has_all));
  SettingComparison out;
  add_reference(cells, out, over);
  for (const SharedScales& one : shared) {
    const bool in_choice = has_all(one);
    out.settings.push_back(
        relative_setting(cells, one.setting, in_choice ? over : one.scales, compared, options));
    out.settings.back().in_choice = in_choice;
  }
  const std::string& reference = cells.settings[cells.reference];
  out.least_energy = least_energy_of(out, reference);
  out.recommended = recommended_of(out, reference);
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
        {cells.settings[setting], scales.size(), slope(cells.time), slope(cells.energy)});
  }
  return trends;
}

/// The N at which settings have runs but the reference has none.
std::vector<double> scales_without_reference(const GroupCells& cells) {
  std::set<double> out;
  for (const auto& setting : cells.time.settings) {
    for (const Cell& cell : setting) {
      if (cell_at(cells.time.settings[cells.reference], cell.x) == nullptr) out.insert(cell.x);
    }
  }
  return {out.begin(), out.end()};
}

void check(const CapsOptions& options) {
  const bool is_share = options.confidence > 0 && options.confidence < 1;
  if (!is_share || !(options.max_slowdown > 0)) {
    throw std::invalid_argument("confidence in (0, 1) and a bound above 0 are needed");
  }
  for (const double eta : options.etas) {
    if (!(eta >= 0 && eta <= 1)) throw std::invalid_argument("eta not in [0, 1]");
  }
}

}  // namespace

const RelativeSetting* SettingComparison::find(std::string_view setting) const {
  const auto found = std::ranges::find(settings, setting, &RelativeSetting::setting);
  return found == settings.end() ? nullptr : &*found;
}

std::size_t SettingComparison::compared() const {
  return static_cast<std::size_t>(std::ranges::count_if(settings, &RelativeSetting::in_choice));
}

const SettingTrend* Caps::trend_of(std::string_view setting) const {
  const auto found = std::ranges::find(trends, setting, &SettingTrend::setting);
  return found == trends.end() ? nullptr : &*found;
}

bool Caps::averages_all() const {
  return overall.over.empty() || overall.over.size() >= scales.size();
}

Caps compare_settings(std::span<const SettingRuns> settings, const CapsOptions& options) {
  check(options);
  if (settings.empty()) throw std::invalid_argument("no settings");
  const GroupCells cells = cells_of_group(settings, options);
  Caps caps;
  caps.reference = cells.settings[cells.reference];
  for (const SettingRuns& setting : settings) caps.n += setting.runs.seconds.size();
  std::vector<double> shared;
  for (const Cell& cell : cells.time.settings[cells.reference]) {
    SettingComparison comparison = comparison_over(cells, {cell.x}, options);
    if (comparison.settings.empty()) continue;
    shared.push_back(cell.x);
    comparison.advice = advice_of(comparison, options, caps.reference);
    caps.scales.push_back(std::move(comparison));
  }
  if (shared.empty()) {
    throw fit_error(FailureCode::kTooFewLevels,
                    "no other setting has runs at an N at which the reference {} has some",
                    caps.reference);
  }
  caps.without_reference = scales_without_reference(cells);
  caps.overall = comparison_over(cells, shared, options);
  caps.overall.x.reset();
  caps.overall.advice = advice_of(caps.overall, options, caps.reference);
  if (cells.has_x) caps.trends = trends_of(cells, options);
  add_curves(settings, options, caps);
  return caps;
}

}  // namespace scalelaw
