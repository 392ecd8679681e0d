// What a comparison of settings means, in plain words.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/ranges.hpp"
#include "render/caps_words.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/caps_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// "9.1 to 13"; "3.0 less to 5.0 more" if the interval includes no change.
std::string ends_text(const Interval& ci, bool less) {
  if (ci.lower < 1 && ci.upper > 1) {
    return fmt::format("{} less to {} more", change_in_percent(ci.lower),
                       change_in_percent(ci.upper));
  }
  return fmt::format("{} to {}", change_in_percent(less ? ci.upper : ci.lower),
                     change_in_percent(less ? ci.lower : ci.upper));
}

/// "11 % less energy (95 % interval 9.1 to 13)", "1.2 % more time".
std::string change(double ratio, const std::optional<Interval>& ci, std::string_view of,
                   double confidence) {
  const bool less = ratio < 1;
  std::string text = fmt::format("{} % {}{}{}", change_in_percent(ratio), less ? "less" : "more",
                                 of.empty() ? "" : " ", of);
  if (!ci) return text;
  return text + fmt::format(" ({:.6g} %: {})", 100 * confidence, ends_text(*ci, less));
}

std::string ratios_words(double energy, double time) {
  return fmt::format("{} for {}", change(energy, {}, "energy", 0), change(time, {}, "time", 0));
}

std::string both_changes(const RelativeMean& energy, const RelativeMean& time, double confidence) {
  return fmt::format("{} for {}", change(energy.ratio, energy.ci, "energy", confidence),
                     change(time.ratio, time.ci, "time", confidence));
}

/// A mean over groups. Two groups have no interval to speak of: it says what each of them does.
std::string change_over_groups(const CapsReport& report, const SettingSummary& setting,
                               const RelativeMean& mean, double GroupRatios::*ratio,
                               std::string_view of) {
  if (setting.pair.empty()) return change(mean.ratio, mean.ci, of, report.options.confidence);
  const auto of_group = [&](const GroupRatios& one) {
    return fmt::format("{}: {}", said_group(report.study.by, one.group),
                       change(one.*ratio, {}, "", 0));
  };
  return fmt::format("{} ({})", change(mean.ratio, {}, of, 0),
                     joined_texts(setting.pair, ", ", of_group));
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

/// ". 250 W saves 7.6 % of energy for 3.3 % more time, but may take up to 5.2 % more: it is not
/// shown to stay within 5 %": of a rival whose time may break the bound.
std::string rival_clause(const CapsReport& report, const RelativeSetting& rival) {
  const std::string name = capitalised(said_value(report.setting, rival.setting));
  const std::string may_take =
      fmt::format("may take up to {} % more: it is not shown to stay within {:.6g} %",
                  change_in_percent(rival.time.ci->upper), 100 * report.options.max_slowdown);
  if (rival.energy.ci && rival.energy.ci->upper < 1) {
    return fmt::format(". {} saves {} % of energy for {}, but {}", name,
                       change_in_percent(rival.energy.ratio),
                       change(rival.time.ratio, {}, "time", 0), may_take);
  }
  return fmt::format(". {} takes {}, and {}", name,
                     both_changes(rival.energy, rival.time, report.options.confidence), may_take);
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
    text += fmt::format("; nearest on the curve {}: {}", scale_text(minimum.level),
                        ratios_words(*optimum.energy_ratio, *optimum.time_ratio));
  }
  return text;
}

/// "no other setting is shown to save energy for at most 5 % more time".
std::string nothing_saves(const CapsReport& report) {
  return fmt::format("no other setting is shown to save energy for at most {:.6g} % more time",
                     100 * report.options.max_slowdown);
}

/// That no other setting is better than the reference.
/// @param rival  The setting that the runs leave open, if that is to be said; else null.
std::string stay_words(const CapsReport& report, const SettingComparison& comparison,
                       const RelativeSetting* rival) {
  const bool is_least = rival != nullptr && rival->setting == comparison.least_energy;
  return fmt::format(
      "stay at {}: {}{}{}", said_value(report.setting, comparison.recommended.setting),
      nothing_saves(report), rival == nullptr ? "" : rival_clause(report, *rival),
      is_least ? "" : least_clause(report, comparison, rival == nullptr ? "; the" : ". The"));
}

std::uint64_t groups_that_stay(const CapsSummary& summary) {
  std::uint64_t kept = 0;
  for (const SettingSummary& setting : summary.settings) kept += setting.kept_in;
  return kept;
}

/// The references at which groups stay: "1400 MHz in 4, 1300 MHz in 1".
std::string references_kept(const CapsReport& report) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> kept;
  for (const SettingSummary& one : report.summary.settings) {
    if (one.kept_in == 0) continue;
    kept.push_back(fmt::format("{} in {}", said_value(report.setting, one.setting), one.kept_in));
  }
  if (kept.size() > kMost) {
    kept.resize(kMost);
    kept.emplace_back("...");
  }
  return joined(kept);
}

/// Where groups stay: "250 W, the reference", "their own references (4 GPUs in 2, 8 GPUs in 1)".
std::string reference_words(const CapsReport& report, std::uint64_t groups) {
  const std::string& reference = report.options.reference;
  if (!reference.empty()) return said_value(report.setting, reference) + ", the reference";
  return fmt::format("{} ({})", groups == 1 ? "its own reference" : "their own references",
                     references_kept(report));
}

std::string all_stay_words(const CapsReport& report) {
  const std::uint64_t groups = report.summary.groups;
  return fmt::format("{} groups stay at {}: {}",
                     groups == 2 ? "Both" : fmt::format("All {}", groups),
                     reference_words(report, groups), nothing_saves(report));
}

/// "BERT: stay at 250 W", "BERT: 200 W, 11 % less energy for 1.2 % more time".
std::string choice_words(const CapsReport& report, const GroupChoice& choice) {
  const std::string group = said_group(report.study.by, choice.ratios.group);
  const std::string setting = said_value(report.setting, choice.recommended.setting);
  if (choice.recommended.is_reference) return fmt::format("{}: stay at {}", group, setting);
  const bool is_open = choice.recommended.saving_shown && !*choice.recommended.saving_shown;
  return fmt::format("{}: {}, {}{}", group, setting,
                     ratios_words(choice.ratios.energy, choice.ratios.time),
                     is_open ? " (the saving is not shown)" : "");
}

/// The settings to which groups should change: first that of most groups, of equals the one that
/// saves most.
std::vector<const SettingSummary*> chosen_settings(const CapsSummary& summary) {
  std::vector<const SettingSummary*> chosen;
  for (const SettingSummary& one : summary.settings) {
    if (one.chosen_in() > 0) chosen.push_back(&one);
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const auto* a, const auto* b) {
    if (a->chosen_in() != b->chosen_in()) return a->chosen_in() > b->chosen_in();
    return *a->energy_where_chosen < *b->energy_where_chosen;
  });
  return chosen;
}

/// "7 of 12 groups do", after that "1 does".
std::string groups_that(std::uint64_t part, std::uint64_t all, bool is_first, std::string_view one,
                        std::string_view several) {
  if (is_first) return part_of(part, all, "group", one, several);
  return fmt::format("{} {}", part, part == 1 ? one : several);
}

/// ". At 424 GPUs alone the choice is 100 W: 57 % less energy for 14 % less time": where the runs
/// at the greatest N choose another setting than those at all N; else empty.
std::string greatest_scale_clause(const CapsReport& report, const Caps& caps,
                                  const SettingAdvice& overall) {
  if (caps.scales.size() < 2 || !caps.scales.back().x) return "";
  const SettingAdvice there = advise_at(caps, report.options, *caps.scales.back().x);
  if (!there.x || there.setting == overall.setting) return "";
  const RelativeSetting* const one = caps.scales.back().find(there.setting);
  return fmt::format(". At {} alone the choice is {}{}", place_on_scale(report.study.x, *there.x),
                     said_value(report.setting, there.setting),
                     one == nullptr ? "" : ": " + ratios_words(one->energy.ratio, one->time.ratio));
}

/// How many groups should change to which settings, and what the first of these saves.
std::vector<std::string> change_clauses(const CapsReport& report, bool is_first) {
  constexpr std::size_t kMost = 3;
  const std::uint64_t groups = report.summary.groups;
  const std::vector<const SettingSummary*> chosen = chosen_settings(report.summary);
  std::vector<std::string> clauses;
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const SettingSummary& one = *chosen[i];
    if (i >= kMost) {
      others += one.chosen_in();
      continue;
    }
    clauses.push_back(fmt::format(
        "{} best at {}", groups_that(one.chosen_in(), groups, is_first && i == 0, "does", "do"),
        said_value(report.setting, one.setting)));
    if (i > 0) continue;
    clauses.back() += fmt::format(
        ": {}{}",
        one.chosen_in() > 1 ? fmt::format("on average over these {} groups ", one.chosen_in()) : "",
        ratios_words(*one.energy_where_chosen, *one.time_where_chosen));
  }
  if (others > 0)
    clauses.push_back(groups_that(others, groups, false, "does", "do") + " best at other settings");
  return clauses;
}

/// What many groups recommend: most of them first.
/// @param kept  Groups that stay at their reference.
std::string counts_words(const CapsReport& report, std::uint64_t kept) {
  const std::uint64_t most = chosen_settings(report.summary).front()->chosen_in();
  const bool stay_first = kept >= most;
  std::vector<std::string> clauses = change_clauses(report, !stay_first);
  const std::string stay =
      fmt::format("{} at {}", groups_that(kept, report.summary.groups, stay_first, "stays", "stay"),
                  reference_words(report, kept));
  if (stay_first) {
    clauses.insert(clauses.begin(), fmt::format("{}, as {}", stay, nothing_saves(report)));
  } else if (kept > 0) {
    clauses.push_back(stay);
  }
  return joined(clauses, "; ");
}

}  // namespace

std::string comparison_words(const CapsReport& report, const SettingComparison& comparison,
                             const std::string& reference) {
  const RecommendedSetting& recommended = comparison.recommended;
  if (recommended.is_reference) return stay_words(report, comparison, nullptr);
  const RelativeSetting& setting = *comparison.find(recommended.setting);
  const SettingAdvice& advice = comparison.advice;
  return fmt::format("at {}, runs take {}{}{}{}{}", said_value(report.setting, recommended.setting),
                     both_changes(setting.energy, setting.time, report.options.confidence),
                     sureness_clause(report, comparison, setting), evidence_clause(report, setting),
                     least_clause(report, comparison),
                     advice.undecided
                         ? fmt::format(". {} is undecided: stay at {} until more runs tell",
                                       capitalised(said_value(report.setting, advice.rival)),
                                       said_value(report.setting, reference))
                         : "");
}

namespace {

/// "No energy is known, so only times are compared with those at 200 W: at 150 W, runs take 4.0 %
/// more time".
std::string times_words(const CapsReport& report, const Caps& caps) {
  return fmt::format("No energy is known, so only times are compared with those at {}: {}",
                     said_value(report.setting, caps.reference),
                     joined_texts(caps.overall.settings, ", ", [&](const RelativeSetting& one) {
                       return fmt::format(
                           "at {}, runs take {}", said_value(report.setting, one.setting),
                           change(one.time.ratio, one.time.ci, "time", report.options.confidence));
                     }));
}

}  // namespace

std::string caps_sentence(const CapsReport& report, const Caps& caps) {
  if (!report.has_energy()) return times_words(report, caps);
  const SettingAdvice& advice = caps.overall.advice;
  const std::string words = caps.overall.recommended.is_reference
                                ? stay_words(report, caps.overall, caps.overall.find(advice.rival))
                                : comparison_words(report, caps.overall, caps.reference);
  return capitalised(words) + greatest_scale_clause(report, caps, advice);
}

std::string caps_common_sentence(const CapsReport& report) {
  const CapsSummary& summary = report.summary;
  const auto& advice = summary.advice;
  if (!advice) return "";
  const auto* const one = first_where(summary.settings, [&](const SettingSummary& setting) {
    return setting.setting == advice->setting;
  });
  if (one->recommended_in == summary.groups) return "";
  return fmt::format(
      "One {} for {}: {}, on average {}{}", report.setting,
      summary.groups == 2 ? "both" : fmt::format("all {} groups", summary.groups),
      value_with_unit(report.setting, one->setting),
      ratios_words(one->energy->ratio, one->time->ratio),
      advice->doubt == SettingDoubt::kNone
          ? ""
          : fmt::format("; more than {:.6g} % in some", 100 * report.options.max_slowdown));
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
  if (!report.has_energy() && setting.time) {
    return fmt::format(
        "{}: {}", said_value(report.setting, setting.setting),
        change_over_groups(report, setting, *setting.time, &GroupRatios::time, "time"));
  }
  if (!setting.energy || !setting.time)
    return fmt::format("{}: {}", said_value(report.setting, setting.setting), where);
  return fmt::format(
      "{}: {} for {}; {}{}", said_value(report.setting, setting.setting),
      change_over_groups(report, setting, *setting.energy, &GroupRatios::energy, "energy"),
      change_over_groups(report, setting, *setting.time, &GroupRatios::time, "time"), where,
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
  if (summary.groups < 2) return "";
  if (!report.has_energy()) return "No energy is known, so only times are compared";
  const std::uint64_t kept = groups_that_stay(summary);
  if (kept == summary.groups) return all_stay_words(report);
  if (!summary.choices.empty()) {
    return joined_texts(summary.choices, "; ", [&report](const GroupChoice& choice) {
      return choice_words(report, choice);
    });
  }
  return counts_words(report, kept);
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
