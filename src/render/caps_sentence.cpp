// What a comparison of settings means, in plain words.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/caps_words.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/caps_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// A share in percent without the unit, to about two digits.
std::string in_percent(double share) {
  const double size = 100 * std::abs(share);
  return shown_text(100 * share, decimals(size < 0.95 ? 2 : size < 9.95 ? 1 : 0));
}

/// "9.1 to 13"; "3.0 less to 5.0 more" if the interval includes no change.
std::string ends_text(const Interval& ci, bool less) {
  if (ci.lower < 1 && ci.upper > 1) {
    return fmt::format("{} less to {} more", in_percent(1 - ci.lower), in_percent(ci.upper - 1));
  }
  const double sign = less ? -1 : 1;
  const double first = sign * (ci.lower - 1);
  const double last = sign * (ci.upper - 1);
  return fmt::format("{} to {}", in_percent(std::min(first, last)),
                     in_percent(std::max(first, last)));
}

/// "11 % less energy (95 % interval 9.1 to 13)", "1.2 % more time".
std::string change(double ratio, const std::optional<Interval>& ci, std::string_view of,
                   double confidence) {
  const bool less = ratio < 1;
  std::string text = fmt::format("{} % {}{}{}", in_percent(std::abs(ratio - 1)),
                                 less ? "less" : "more", of.empty() ? "" : " ", of);
  if (!ci) return text;
  return text + fmt::format(" ({:.6g} %: {})", 100 * confidence, ends_text(*ci, less));
}

std::string both_changes(const RelativeMean& energy, const RelativeMean& time, double confidence) {
  return fmt::format("{} for {}", change(energy.ratio, energy.ci, "energy", confidence),
                     change(time.ratio, time.ci, "time", confidence));
}

/// A mean over groups. Two groups have no interval to speak of: it says what each of them does.
std::string change_over_groups(const RelativeMean& mean, std::string_view of, double confidence) {
  const bool is_pair = mean.log_ratio.dof && *mean.log_ratio.dof == 1 && mean.log_ratio.se;
  if (!is_pair) return change(mean.ratio, mean.ci, of, confidence);
  const double apart = std::exp(*mean.log_ratio.se);
  return fmt::format("{} ({} and {} in the two groups)", change(mean.ratio, {}, of, confidence),
                     change(mean.ratio / apart, {}, "", confidence),
                     change(mean.ratio * apart, {}, "", confidence));
}

std::string changes_over_groups(const RelativeMean& energy, const RelativeMean& time,
                                double confidence) {
  return fmt::format("{} for {}", change_over_groups(energy, "energy", confidence),
                     change_over_groups(time, "time", confidence));
}

std::string evidence_clause(const CapsReport& report, const RelativeSetting& setting) {
  const std::string_view runs = setting.has_single_runs() ? "single runs" : "few repeated runs";
  switch (setting.evidence) {
    case RatioEvidence::kNone:
      return "; single runs, or runs without scatter: no interval, nothing tells this from chance";
    case RatioEvidence::kPooled:
      return "; the scatter is pooled, as some settings have a single run";
    case RatioEvidence::kPaired:
      return fmt::format("; {}: intervals from the scatter of the ratios over {}", runs,
                         report.study.x);
    case RatioEvidence::kBlocks:
      return fmt::format("; {}: intervals from what is left over effects of {} and {}", runs,
                         report.setting, report.study.x);
    case RatioEvidence::kOwn:
    case RatioEvidence::kShared:  // It holds for the whole study, which says so once.
      break;
  }
  return "";
}

/// Says whether the saving is shown although the setting was picked because it saves most.
std::string sureness_clause(const CapsReport& report, const SettingComparison& comparison,
                            const RelativeSetting& setting) {
  const auto& shown = comparison.recommended.saving_shown;
  if (!shown) return "";
  const std::size_t compared = comparison.compared();
  if (!*shown) {
    // An interval of its own that includes no saving needs no correction to say so.
    const bool by_choice = compared > 1 && setting.energy.ci && setting.energy.ci->upper < 1;
    const std::string choice =
        by_choice ? fmt::format(" once the choice among {} settings is allowed for ({:.6g} %: {})",
                                compared, 100 * report.options.confidence,
                                change_in_percent(*setting.energy.joint_ci))
                  : "";
    const bool may_share = by_choice && setting.evidence == RatioEvidence::kOwn;
    return fmt::format("; that it saves energy is not shown{}{}", choice,
                       may_share ? ", as few runs tell little of the scatter at each setting; "
                                   "--pool scatter takes one for all"
                                 : "");
  }
  return compared > 1
             ? fmt::format(", also after a correction for the choice among {} settings", compared)
             : "";
}

/// The setting of least energy that saves energy and is within the bound by its estimate, but not
/// by its interval; null without one.
const RelativeSetting* near_miss(const CapsReport& report, const SettingComparison& comparison) {
  const RelativeSetting* nearest = nullptr;
  for (const RelativeSetting& one : comparison.settings) {
    const bool misses = one.in_choice && !one.within_bound && one.time.ci &&
                        one.time.ratio <= 1 + report.options.max_slowdown;
    const bool saves = one.energy.ci && one.energy.ci->upper < 1;
    if (!misses || !saves) continue;
    if (nearest == nullptr || one.energy.ratio < nearest->energy.ratio) nearest = &one;
  }
  return nearest;
}

/// ". 250 W saves 7.6 % of energy for 3.3 % more time, but may take up to 5.2 % more: it is not
/// shown to stay within 5 %".
std::string near_miss_clause(const CapsReport& report, const RelativeSetting& nearest) {
  return fmt::format(
      ". {} saves {} % of energy for {}, but may take up to {} % more: it is not shown to stay "
      "within {:.6g} %",
      capitalised(said_value(report.setting, nearest.setting)),
      in_percent(1 - nearest.energy.ratio), change(nearest.time.ratio, {}, "time", 0),
      in_percent(nearest.time.ci->upper - 1), 100 * report.options.max_slowdown);
}

/// @param before  What parts it from the words before it.
std::string least_clause(const CapsReport& report, const SettingComparison& comparison,
                         std::string_view before = "; the") {
  if (comparison.least_energy == comparison.recommended.setting) return "";
  const RelativeSetting* least = comparison.find(comparison.least_energy);
  if (least == nullptr) return "";
  return fmt::format("{} least energy is at {}: {}", before,
                     said_value(report.setting, least->setting),
                     both_changes(least->energy, least->time, report.options.confidence));
}

std::string edge_text(SweepEnd end) {
  return fmt::format("at the {} edge of the sweep, beyond which it may be lower still",
                     name_of(end));
}

std::string setting_text(double value) { return with_significant_digits(value, 4); }

std::string edges_text(const CapsReport& report, const Interval& ci) {
  const auto end = [](double value, std::string_view open) {
    return std::isfinite(value) ? setting_text(value) : std::string(open);
  };
  return fmt::format(" ({:.6g} %: {} to {})", 100 * report.options.confidence,
                     end(ci.lower, "the lower edge"), end(ci.upper, "the upper edge"));
}

std::string optimum_name(const SettingOptimum& optimum) {
  if (optimum.criterion == CurveCriterion::kEnergy) return "least energy";
  if (optimum.criterion == CurveCriterion::kEnergyDelay) return "least energy x time";
  const std::string worth =
      optimum.trade ? fmt::format("a second worth {} J", with_significant_digits(*optimum.trade, 3))
                    : "";
  if (!optimum.eta) return worth;
  const std::string eta = fmt::format("eta {:.6g}", *optimum.eta);
  if (*optimum.eta == 0) return eta + " (time alone)";
  return worth.empty() ? eta : fmt::format("{} ({})", eta, worth);
}

std::string optimum_text(const CapsReport& report, const SettingOptimum& optimum) {
  const CurveMinimum& minimum = optimum.minimum;
  std::string text = optimum_name(optimum) + " ";
  if (!minimum.setting) return text + edge_text(minimum.at_edge);
  text += "at " + setting_text(*minimum.setting);
  if (minimum.ci) text += edges_text(report, *minimum.ci);
  if (optimum.energy_ratio && optimum.time_ratio) {
    text += fmt::format("; nearest on the curve {}: {} for {}", scale_text(minimum.level),
                        change(*optimum.energy_ratio, {}, "energy", 0),
                        change(*optimum.time_ratio, {}, "time", 0));
  }
  return text;
}

/// That no other setting is better than the reference.
/// @param nearest  The setting that just misses, if that is to be said; else null.
std::string stay_words(const CapsReport& report, const SettingComparison& comparison,
                       const RelativeSetting* nearest) {
  const bool is_least = nearest != nullptr && nearest->setting == comparison.least_energy;
  return fmt::format(
      "stay at {}: no other setting is shown to save energy for at most {:.6g} % more time{}{}",
      said_value(report.setting, comparison.recommended.setting), 100 * report.options.max_slowdown,
      nearest == nullptr ? "" : near_miss_clause(report, *nearest),
      is_least ? "" : least_clause(report, comparison, nearest == nullptr ? "; the" : ". The"));
}

}  // namespace

std::string comparison_words(const CapsReport& report, const SettingComparison& comparison) {
  const RecommendedSetting& recommended = comparison.recommended;
  if (recommended.is_reference) return stay_words(report, comparison, nullptr);
  const RelativeSetting& setting = *comparison.find(recommended.setting);
  return fmt::format("at {}, runs take {}{}{}{}", said_value(report.setting, recommended.setting),
                     both_changes(setting.energy, setting.time, report.options.confidence),
                     sureness_clause(report, comparison, setting), evidence_clause(report, setting),
                     least_clause(report, comparison));
}

std::string caps_sentence(const CapsReport& report, const Caps& caps) {
  if (!caps.overall.recommended.is_reference) {
    return capitalised(comparison_words(report, caps.overall));
  }
  return capitalised(stay_words(report, caps.overall, near_miss(report, caps.overall)));
}

std::string scales_compared(const std::string& x, const SettingComparison& comparison) {
  if (comparison.x) return place_on_scale(x, *comparison.x);
  if (comparison.over.empty()) return "";
  const auto [least, greatest] =
      std::minmax_element(comparison.over.begin(), comparison.over.end());
  return range_on_scale(x, *least, *greatest);
}

std::string caps_choice_sentence(const CapsReport& report, const Caps& caps) {
  std::vector<std::string> others;
  for (const RelativeSetting& setting : caps.overall.settings) {
    if (!setting.in_choice) others.push_back(setting.setting);
  }
  if (others.empty() && caps.averages_all()) return "";
  std::string text =
      fmt::format("means and choice over {} {}, where all that are chosen among have runs",
                  report.study.x, joined_texts(caps.overall.over, ", ", scale_text));
  if (others.empty()) return text;
  return text + fmt::format("; not chosen among, as they have no runs at all of these: {}",
                            joined(others));
}

std::string caps_trends_sentence(const CapsReport& report, const Caps& caps) {
  if (caps.trends.empty()) return "";
  const std::string trends = joined_texts(caps.trends, "; ", [](const SettingTrend& trend) {
    const auto& p = trend.time.p;
    return fmt::format("{}: {}{}", trend.setting, with_error(trend.time),
                       p ? fmt::format(" (p {})", p_relation(*p)) : "");
  });
  return fmt::format(
      "slowdown with more {0} (slope of ln time ratio over ln {0}; below 0: it shrinks): {1}",
      report.study.x, trends);
}

std::string caps_setting_sentence(const CapsReport& report, const SettingSummary& setting) {
  const std::string where = fmt::format("best in {} of {}", setting.recommended_in, setting.groups);
  if (!setting.energy || !setting.time)
    return fmt::format("{}: {}", said_value(report.setting, setting.setting), where);
  return fmt::format(
      "{}: {}; {}{}", said_value(report.setting, setting.setting),
      changes_over_groups(*setting.energy, *setting.time, report.options.confidence), where,
      setting.reference_in > 0 ? fmt::format(", reference of {}", setting.reference_in) : "");
}

std::string curve_sentence(const CapsReport& report, const SettingCurves& curves) {
  const std::string place =
      curves.x ? fmt::format("{} {}: ", report.study.x, scale_text(*curves.x)) : "";
  return place + joined_texts(curves.optima, ". ", [&report](const SettingOptimum& optimum) {
           return optimum_text(report, optimum);
         });
}

std::string caps_summary_sentence(const CapsReport& report) {
  const CapsSummary& summary = report.summary;
  const SettingSummary* best = summary.favourite();
  if (summary.groups < 2 || best == nullptr) return "";
  const std::string who = fmt::format(
      "{} best at {}", part_of(best->recommended_in, summary.groups, "group", "does", "do"),
      said_value(report.setting, best->setting));
  if (!best->energy || !best->time) {
    return fmt::format("{}, the reference, with at most {:.6g} % more time", who,
                       100 * report.options.max_slowdown);
  }
  const std::uint64_t groups = best->groups - best->reference_in;
  return fmt::format("{}: {}{}", who,
                     groups > 1 ? fmt::format("on average over {} groups ", groups) : "",
                     changes_over_groups(*best->energy, *best->time, report.options.confidence));
}

std::string caps_shared_sentence(const SharedScatter& shared) {
  const auto p_text = [](const Pooling& pooling) {
    return pooling.equal_scatter ? fmt::format("{:.2g}", pooling.equal_scatter->p) : "-";
  };
  return fmt::format(
      "Runs of all groups and settings share one scatter: sigma is {:.3g} of ln time and {:.3g} of "
      "ln "
      "energy, with {:.6g} degrees of freedom. Bartlett's test over settings: p = {} for time, {} "
      "for "
      "energy.",
      shared.time.sigma, shared.energy.sigma, shared.time.dof, p_text(shared.time),
      p_text(shared.energy));
}

}  // namespace scalelaw
