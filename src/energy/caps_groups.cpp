#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "fit/pooled_slopes.hpp"
#include "runs/deliver_in_order.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/energy/caps.hpp"
#include "scalelaw/energy/setting_number.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

/// Whether the name of the scale's column is a usual one for the number of GPUs.
bool scale_is_called_gpus(const MeasuredRuns& runs) {
  const auto& x = runs.columns.x;
  return x && is_usual_name(runs.observations.numbers()[*x].name, UsualColumn::kGpus);
}

/// The GPUs of each run, from a column of their own or from a scale with such a name; else empty.
std::vector<double> gpus_of(const MeasuredRuns& runs, std::size_t i) {
  const MeasureColumns& columns = runs.columns;
  const bool own = columns.gpus && columns.gpus != columns.x;
  if (!own && !scale_is_called_gpus(runs)) return {};
  const auto values = runs.observations.values(i, own ? *columns.gpus : *columns.x);
  return {values.begin(), values.end()};
}

SettingRuns setting_runs(const MeasuredRuns& runs, std::size_t i) {
  SettingRuns setting{runs.observations.key(i).back(), runs.measurements(i)};
  setting.gpus = gpus_of(runs, i);
  if (setting_is_scale(runs)) setting.runs.x.clear();
  return setting;
}

/// Adds the variance of the runs of one setting about the mean at each N, if some are repeated.
void add_variance(std::vector<SampleVariance>& variances, const std::vector<Cell>& cells) {
  double squares = 0;
  double dof = 0;
  for (const Cell& cell : cells) {
    squares += cell.ss_log;
    dof += static_cast<double>(cell.count) - 1;
  }
  if (dof > 0) variances.push_back({squares / dof, dof});
}

/// The geometric mean of ratios, with Student t over their logarithms.
RelativeMean mean_ratio(std::span<const double> log_ratios, double confidence) {
  const auto n = static_cast<double>(log_ratios.size());
  RelativeMean out;
  Estimate& mean = out.log_ratio;
  for (const double log_ratio : log_ratios) mean.estimate += log_ratio / n;
  double ss = 0;
  for (const double log_ratio : log_ratios) ss += std::pow(log_ratio - mean.estimate, 2);
  if (n > 1 && ss > 0) {
    mean.se = std::sqrt(ss / (n - 1) / n);
    mean.dof = n - 1;
    mean.ci = interval_at(mean, confidence);
    out.ci = exp_of(*mean.ci);
  }
  out.ratio = std::exp(mean.estimate);
  return out;
}

GroupRatios ratios_of(const GroupKey& group, const RelativeSetting& setting) {
  return {group, setting.time.ratio, setting.energy.ratio};
}

}  // namespace

void CapsTally::add(const GroupCaps& group) {
  const Caps* const caps = std::get_if<Caps>(&group.result);
  if (caps == nullptr) return;
  curves_ += caps->curves.size();
  too_fine_ += caps->too_fine;
  if (!reference_) reference_ = caps->reference;
  shares_reference_ = shares_reference_ && *reference_ == caps->reference;
  OfSetting& reference = settings_[caps->reference];
  ++reference.groups;
  ++reference.reference_in;
  add_choice(group.group, caps->overall);
  for (const RelativeSetting& setting : caps->overall.settings) {
    OfSetting& tally = settings_[setting.setting];
    ++tally.groups;
    tally.time.push_back(setting.time.log_ratio.estimate);
    if (!std::isnan(setting.energy.ratio)) {
      tally.energy.push_back(setting.energy.log_ratio.estimate);
    }
    if (tally.pair.size() < 2) tally.pair.push_back(ratios_of(group.group, setting));
  }
}

void CapsTally::add_choice(const GroupKey& group, const SettingComparison& overall) {
  const RecommendedSetting& recommended = overall.recommended;
  OfSetting& tally = settings_[recommended.setting];
  ++tally.recommended_in;
  GroupChoice choice{{.group = group}, recommended};
  if (const RelativeSetting* const setting = overall.find(recommended.setting)) {
    tally.chosen_time += setting->time.log_ratio.estimate;
    tally.chosen_energy += setting->energy.log_ratio.estimate;
    choice.ratios = ratios_of(group, *setting);
  } else {  // It is the reference.
    ++tally.kept_in;
  }
  if (choices_.size() <= kFewGroups) choices_.push_back(std::move(choice));
}

CapsSummary CapsTally::summary(const CapsOptions& options) const {
  CapsSummary summary;
  summary.curves = curves_;
  summary.too_fine = too_fine_;
  for (const auto& [setting, tally] : settings_) {
    summary.groups += tally.reference_in;
    SettingSummary one{setting, tally.groups, tally.reference_in, tally.recommended_in, {}, {}};
    one.kept_in = tally.kept_in;
    if (tally.time.size() == 2) one.pair = tally.pair;
    if (one.chosen_in() > 0) {
      const auto chosen = static_cast<double>(one.chosen_in());
      one.time_where_chosen = std::exp(tally.chosen_time / chosen);
      one.energy_where_chosen = std::exp(tally.chosen_energy / chosen);
    }
    if (!tally.time.empty()) one.time = mean_ratio(tally.time, options.confidence);
    if (!tally.energy.empty()) one.energy = mean_ratio(tally.energy, options.confidence);
    summary.settings.push_back(std::move(one));
  }
  std::ranges::sort(summary.settings, [](const SettingSummary& a, const SettingSummary& b) {
    return natural_less(a.setting, b.setting);
  });
  if (choices_.size() <= kFewGroups) summary.choices = choices_;
  summary.advice = advice_for_all(summary, options);
  return summary;
}

CapsTally tally_of(std::span<const GroupCaps> groups) {
  CapsTally tally;
  for (const GroupCaps& group : groups) tally.add(group);
  return tally;
}

std::vector<std::string> settings_of(const Observations& runs) {
  std::vector<std::string> settings;
  for (std::size_t i = 0; i < runs.size(); ++i) settings.push_back(runs.key(i).back());
  std::ranges::sort(settings, natural_less);
  settings.erase(std::unique(settings.begin(), settings.end()), settings.end());
  return settings;
}

std::string reference_among(const std::vector<std::string>& settings, const std::string& reference,
                            std::string_view column) {
  if (reference.empty()) {
    for (const std::string& setting : settings) {
      if (setting_number(setting)) continue;
      throw data_error(
          "'{}' is not a number everywhere ({}): name the setting to compare with by --reference; "
          "it has {}",
          column, quoted(setting), joined(settings));
    }
    return {};
  }
  for (const std::string& setting : settings) {
    if (setting == reference) return setting;
  }
  for (const std::string& setting : settings) {
    if (same_setting(setting, reference)) return setting;
  }
  throw data_error("--reference {}: '{}' has no such value; it has {}", quoted(reference), column,
                   joined(settings));
}

bool setting_is_scale(const MeasuredRuns& runs) {
  const auto factors = runs.observations.factors();
  if (!runs.columns.x || factors.empty()) return false;
  return runs.observations.numbers()[*runs.columns.x].name == factors.back();
}

std::optional<SharedScatter> shared_scatter(const MeasuredRuns& runs) {
  std::vector<SampleVariance> time;
  std::vector<SampleVariance> energy;
  for (std::size_t i = 0; i < runs.observations.size(); ++i) {
    const Measurements own = setting_runs(runs, i).runs;
    const std::vector<double> x =
        own.x.empty() ? std::vector<double>(own.seconds.size(), 1.0) : own.x;
    add_variance(time, cells_of(x, own.seconds));
    add_variance(energy, cells_of(x, own.joules));
  }
  if (time.empty()) return std::nullopt;
  SharedScatter shared{pooled_scatter(time), pooled_scatter(energy)};
  const bool varies = shared.time.sigma > 0 && shared.energy.sigma > 0;
  return varies ? std::optional(std::move(shared)) : std::nullopt;
}

void compare_settings_each(const MeasuredRuns& runs, const CapsOptions& options, int threads,
                           const std::function<void(GroupCaps&&)>& sink) {
  const std::vector<std::size_t> begins = judged_groups(runs.observations);
  const auto compare = [&](std::size_t group, int /*worker*/) {
    std::vector<SettingRuns> settings;
    for (std::size_t i = begins[group]; i < begins[group + 1]; ++i) {
      settings.push_back(setting_runs(runs, i));
    }
    GroupKey key = runs.observations.key(begins[group]);
    key.pop_back();
    return GroupCaps{std::move(key),
                     outcome_of([&] { return compare_settings(settings, options); })};
  };
  const int workers = thread_count(threads);
  const std::size_t groups = begins.size() - 1;
  deliver_in_order<GroupCaps>(groups, workers, slice_of_slow_groups(groups, workers), compare,
                              sink);
}

std::vector<GroupCaps> compare_settings_each(const MeasuredRuns& runs, const CapsOptions& options,
                                             int threads) {
  std::vector<GroupCaps> groups;
  compare_settings_each(runs, options, threads,
                        [&](GroupCaps&& group) { groups.push_back(std::move(group)); });
  return groups;
}

std::vector<GroupCaps> comparable_settings(const MeasuredRuns& runs, const CapsOptions& options,
                                           int threads) {
  std::vector<GroupCaps> groups = compare_settings_each(runs, options, threads);
  std::erase_if(groups,
                [](const GroupCaps& group) { return std::holds_alternative<NoFit>(group.result); });
  return groups;
}

namespace {

// Which setting is worth it.

/// The shortest time that the runs leave possible, over that of the reference.
double least_time(const RelativeSetting& one) {
  return one.time.ci ? one.time.ci->lower : one.time.ratio;
}

bool surely_saves(const RelativeSetting& one) { return one.energy.ci && one.energy.ci->upper < 1; }

/// The rival of advice_of(); null where there is none.
const RelativeSetting* rival_in(const SettingComparison& comparison, const CapsOptions& options) {
  constexpr double kNear = 2;  // Times the bound; what is slower tempts nobody.
  const RelativeSetting* least = nullptr;
  for (const RelativeSetting& one : comparison.settings) {
    const bool may_be_within = surely_saves(one) && options.allows(one.time.ratio, kNear) &&
                               options.allows(least_time(one));
    const bool is_open = options.allows(one.time.ratio) || may_be_within;
    if (!one.in_choice || !(one.energy.ratio < 1) || !is_open) continue;
    if (least == nullptr || one.energy.ratio < least->energy.ratio) least = &one;
  }
  return least;
}

SettingDoubt doubt_of_rival(const RelativeSetting& rival) {
  if (!rival.time.ci) return SettingDoubt::kNoInterval;
  return rival.within_bound ? SettingDoubt::kSaving : SettingDoubt::kSlowdown;
}

/// Whether the runs of a comparison leave it possible that a setting keeps the time bound.
bool may_keep_bound(const SettingComparison& comparison, const std::string& setting,
                    const CapsOptions& options) {
  const RelativeSetting* const one = comparison.find(setting);
  return one == nullptr || options.allows(least_time(*one));
}

/// Whether the runs over all N settle what those at one leave open: they show that the setting
/// breaks the time bound, by a slowdown that the runs there allow, too.
bool are_too_slow_over_all(const SettingComparison& overall, const RelativeSetting& there,
                           const CapsOptions& options) {
  const RelativeSetting* const one = overall.find(there.setting);
  return one != nullptr && one->time.ci && !options.allows(least_time(*one)) && there.time.ci &&
         there.time.ci->lower <= one->time.ratio && one->time.ratio <= there.time.ci->upper;
}

/// Whether a choice is a lower limit than the reference, and noticeably faster.
bool is_faster_under_limit(const RelativeSetting& chosen, const std::string& reference) {
  constexpr double kFaster = 0.95;
  const auto value = parse_number(chosen.setting);
  const auto greatest = parse_number(reference);
  return chosen.time.ratio <= kFaster && value && greatest && *value < *greatest;
}

void add_doubt(SettingAdvice& advice, SettingDoubt doubt) {
  advice.doubt = doubt;
  advice.trust = doubt == SettingDoubt::kNoEnergy ? Trust::kLow : Trust::kFair;
}

}  // namespace

std::string_view name_of(RatioEvidence evidence) {
  return word_for(evidence, {{RatioEvidence::kOwn, "runs"},
                             {RatioEvidence::kPooled, "pooled"},
                             {RatioEvidence::kPaired, "paired"},
                             {RatioEvidence::kBlocks, "blocks"},
                             {RatioEvidence::kShared, "shared"},
                             {RatioEvidence::kNone, "none"}});
}

std::string_view name_of(SettingDoubt doubt) {
  return word_for(doubt, {{SettingDoubt::kNone, "none"},
                          {SettingDoubt::kNoInterval, "no-interval"},
                          {SettingDoubt::kSlowdown, "slowdown"},
                          {SettingDoubt::kSaving, "saving"},
                          {SettingDoubt::kNoEnergy, "no-energy"},
                          {SettingDoubt::kFaster, "faster"}});
}

const SettingComparison* comparison_at(const Caps& caps, double x) {
  const auto there = std::ranges::find(caps.scales, x, &SettingComparison::x);
  if (there == caps.scales.end() || there->compared() < caps.overall.compared()) return nullptr;
  return &*there;
}

SettingAdvice advice_of(const SettingComparison& comparison, const CapsOptions& options,
                        const std::string& reference) {
  const RecommendedSetting& best = comparison.recommended;
  if (!best.is_reference && best.is_shown()) {
    SettingAdvice advice{.setting = best.setting, .x = comparison.x};
    const RelativeSetting& chosen = *comparison.find(best.setting);
    advice.evidence = chosen.evidence;
    if (is_faster_under_limit(chosen, reference)) add_doubt(advice, SettingDoubt::kFaster);
    return advice;
  }
  SettingAdvice stay{.setting = reference, .is_reference = true, .x = comparison.x};
  if (!comparison.settings.empty() && std::isnan(comparison.settings.front().energy.ratio)) {
    add_doubt(stay, SettingDoubt::kNoEnergy);
  } else if (const RelativeSetting* const rival = rival_in(comparison, options)) {
    stay.rival = rival->setting;
    stay.undecided = true;
    stay.evidence = rival->evidence;
    add_doubt(stay, doubt_of_rival(*rival));
  }
  return stay;
}

SettingAdvice advise_at(const Caps& caps, const CapsOptions& options, double x) {
  const SettingComparison* const there = comparison_at(caps, x);
  const SettingAdvice& overall = caps.overall.advice;
  if (there == nullptr) return overall;
  const SettingAdvice& at_x = there->advice;
  if (!at_x.is_reference) return at_x;
  if (!overall.is_reference && may_keep_bound(*there, overall.setting, options)) return overall;
  const RelativeSetting* const rival = there->find(at_x.rival);
  if (rival == nullptr || !are_too_slow_over_all(caps.overall, *rival, options)) return at_x;
  return {.setting = caps.reference, .is_reference = true};
}

std::optional<SettingAdvice> advice_for_all(const CapsSummary& summary,
                                            const CapsOptions& options) {
  const SettingSummary* best = nullptr;
  for (const SettingSummary& one : summary.settings) {
    const bool is_everywhere = one.groups == summary.groups && one.reference_in == 0;
    if (!is_everywhere || !one.time || !one.energy || !options.allows(one.time->ratio)) continue;
    if (one.energy->ratio < (best == nullptr ? 1 : best->energy->ratio)) best = &one;
  }
  if (best == nullptr || summary.groups < 2) return std::nullopt;
  SettingAdvice advice{.setting = best->setting, .of_all_groups = true};
  const bool is_within =
      best->pair.empty() ? best->time->ci && options.allows(best->time->ci->upper)
                         : options.allows(best->pair[0].time) && options.allows(best->pair[1].time);
  if (!is_within) add_doubt(advice, SettingDoubt::kSlowdown);
  return advice;
}

}  // namespace scalelaw
