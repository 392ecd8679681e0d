// Which setting is worth it.

#include "scalelaw/energy/setting_advice.hpp"

#include <algorithm>
#include <cmath>

#include "scalelaw/base/names.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/energy/caps.hpp"

namespace scalelaw {
namespace {

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
