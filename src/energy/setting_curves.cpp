#include "energy/setting_curves.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

/// Runs at one N.
struct SweepRuns {
  std::vector<double> settings;
  std::vector<double> seconds;
  std::vector<double> joules;

  std::size_t distinct() const {
    std::vector<double> sorted = settings;
    std::sort(sorted.begin(), sorted.end());
    return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  }
};

/// By N; without a scale all stand at 0. Empty where a setting is no number.
std::map<double, SweepRuns> sweeps_of(std::span<const SettingRuns> settings) {
  std::map<double, SweepRuns> sweeps;
  for (const SettingRuns& setting : settings) {
    const auto number = number_of_setting(setting.setting);
    if (!number) return {};
    for (std::size_t i = 0; i < setting.runs.seconds.size(); ++i) {
      SweepRuns& sweep = sweeps[setting.runs.x.empty() ? 0 : setting.runs.x[i]];
      sweep.settings.push_back(*number);
      sweep.seconds.push_back(setting.runs.seconds[i]);
      sweep.joules.push_back(setting.runs.joules[i]);
    }
  }
  return sweeps;
}

double greatest_power(const SweepRuns& sweep) {
  double power = 0;
  for (std::size_t i = 0; i < sweep.seconds.size(); ++i) {
    power = std::max(power, sweep.joules[i] / sweep.seconds[i]);
  }
  return power;
}

/// Where a criterion of every run, smoothed, is least.
template <class Cost>
SettingOptimum optimum_of(const SweepRuns& sweep, CurveCriterion criterion,
                          std::optional<double> trade, const CapsOptions& options, Cost cost) {
  std::vector<double> costs;
  for (std::size_t i = 0; i < sweep.seconds.size(); ++i) {
    costs.push_back(cost(sweep.joules[i], sweep.seconds[i]));
  }
  return {criterion,
          trade,
          fit_smooth_curve(sweep.settings, costs, options.confidence).minimum,
          {},
          {}};
}

SettingOptimum trade_optimum(const SweepRuns& sweep, CurveCriterion criterion, double trade,
                             const CapsOptions& options) {
  return optimum_of(sweep, criterion, trade, options,
                    [trade](double joules, double seconds) { return joules + trade * seconds; });
}

std::vector<SettingOptimum> optima_of(const SweepRuns& sweep, const SmoothCurve& energy,
                                      const CapsOptions& options) {
  std::vector<SettingOptimum> optima{{CurveCriterion::kEnergy, 0.0, energy.minimum, {}, {}}};
  optima.push_back(optimum_of(sweep, CurveCriterion::kEnergyDelay, {}, options,
                              [](double joules, double seconds) { return joules * seconds; }));
  for (const double trade : options.trades) {
    optima.push_back(trade_optimum(sweep, CurveCriterion::kTrade, trade, options));
  }
  if (options.eta) {
    const double power = options.max_power.value_or(greatest_power(sweep));
    optima.push_back(trade_optimum(sweep, CurveCriterion::kZeus,
                                   (1 - *options.eta) / *options.eta * power, options));
  }
  return optima;
}

std::optional<double> value_at(const SmoothCurve& curve, std::optional<double> setting) {
  const auto found = std::find(curve.at.begin(), curve.at.end(), setting);
  if (!setting || found == curve.at.end()) return std::nullopt;
  return curve.value[static_cast<std::size_t>(found - curve.at.begin())];
}

void add_ratios(SettingCurves& curves, std::optional<double> reference) {
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

SettingCurves curves_of(const SweepRuns& sweep, const CapsOptions& options) {
  SettingCurves curves;
  curves.time = fit_smooth_curve(sweep.settings, sweep.seconds, options.confidence);
  curves.energy = fit_smooth_curve(sweep.settings, sweep.joules, options.confidence);
  curves.joules_per_second = marginal_joules(curves);
  curves.optima = optima_of(sweep, curves.energy, options);
  add_ratios(curves, number_of_setting(options.reference));
  return curves;
}

}  // namespace

std::string_view name_of(CurveCriterion criterion) {
  switch (criterion) {
    case CurveCriterion::kEnergy:
      return "energy";
    case CurveCriterion::kEnergyDelay:
      return "energy-delay";
    case CurveCriterion::kTrade:
      return "trade";
    case CurveCriterion::kZeus:
      break;
  }
  return "zeus";
}

std::optional<double> number_of_setting(std::string_view setting) {
  const auto quantity = parse_quantity(setting);
  return quantity ? std::optional(quantity->value) : std::nullopt;
}

std::vector<SettingCurves> setting_curves(std::span<const SettingRuns> settings,
                                          const CapsOptions& options) {
  const std::size_t least =
      options.continuous == Continuous::kYes ? kLeastSettingsOfCurve : kManySettings;
  const bool has_x = !settings.empty() && !settings.front().runs.x.empty();
  std::vector<SettingCurves> curves;
  for (const auto& [x, sweep] : sweeps_of(settings)) {
    if (sweep.distinct() < least) continue;
    curves.push_back(curves_of(sweep, options));
    if (has_x) curves.back().x = x;
  }
  return curves;
}

}  // namespace scalelaw
