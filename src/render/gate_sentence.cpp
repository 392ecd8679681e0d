// Texts that several formats of gates share.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/ranges.hpp"
#include "render/gate_parts.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

constexpr int kDigits = 3;

std::string signed_number(double value, int decimals) {
  return fmt::format("{:+.{}f}", value == 0 ? 0.0 : value, decimals);
}

/// A ratio as a change in percent, or as a factor if it is large.
std::string ratio_text(double ratio) {
  if (!std::isfinite(ratio) || ratio >= 10) {
    return fmt::format("x {}", with_significant_digits(ratio, kDigits));
  }
  return signed_number(100 * (ratio - 1), 2) + " %";
}

bool is_curve(const GateComparison& comparison) { return comparison.is_of_response(); }

/// What gates show of figures of one kind, exponents or curves.
struct Reach {
  std::vector<double> losses = {};  ///< findable_loss of each comparison.
  std::vector<double> nights = {};  ///< Standard deviations between nights.
  std::vector<double> shares = {};  ///< Of nights in the variances of the changes.
  bool is_open = false;             ///< Whether a comparison is inconclusive.

  void add(const GateComparison& comparison, const GateReport& report, const Gate& gate) {
    const auto loss = findable_loss(comparison, gate.family, report.options.confidence);
    if (!loss) return;
    const NightScatter& scatter = *comparison.nights;
    const double both = 1 + 1 / static_cast<double>(scatter.nights);
    losses.push_back(*loss);
    nights.push_back(scatter.sd);
    shares.push_back(both * std::pow(scatter.sd / *comparison.change.se, 2));
    is_open |= comparison.verdict == GateVerdict::kInconclusive;
  }
};

/// Of an even number the greater one of the two in the middle.
double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// "32 GPUs", "the middle (5.7 GPUs)" of a comparison at one x.
std::string place_text(const GateReport& report, const GateComparison& comparison) {
  const double x = *comparison.x;
  return comparison.is_middle ? middle_of_scale(report.x, x) : place_on_scale(report.x, x);
}

/// "slowdowns from about 14 % on", with that of the worst comparison where it is much greater.
std::string reach_text(const GateReport& report, const Reach& reach, bool is_curve) {
  constexpr double kMuch = 1.25;
  const auto text = [is_curve](double loss) {
    if (is_curve && std::expm1(loss) > 1) return std::string("more than 100 %");
    return "about " + (is_curve ? relative_error_text(loss) : with_significant_digits(loss, 2));
  };
  const double usual = median_of(reach.losses);
  const double worst = *std::max_element(reach.losses.begin(), reach.losses.end());
  const std::string most =
      worst > kMuch * usual ? fmt::format(" (the least sure figure: {})", text(worst)) : "";
  return fmt::format("{} from {} on{}",
                     !is_curve                                                 ? "drops of beta"
                     : has_speedup(quantity_of(report, report.y.front()).kind) ? "slowdowns"
                                                                               : "rises",
                     text(usual), most);
}

/// The verdict in a sentence on groups: "1 is worse".
std::string_view predicate_of(GateVerdict verdict) {
  return word_for(verdict, {{GateVerdict::kNew, "new"},
                            {GateVerdict::kBetter, "better"},
                            {GateVerdict::kSame, "the same within the limit"},
                            {GateVerdict::kInconclusive, "inconclusive"},
                            {GateVerdict::kWorse, "worse"},
                            {GateVerdict::kNoFit, "without a fit in NEW"},
                            {GateVerdict::kMissing, "missing in NEW"}});
}

using Groups = std::span<const GateGroup>;

std::size_t count_in(Groups groups, GateVerdict verdict) {
  return count_if(groups, [verdict](const GateGroup& group) { return group.verdict == verdict; });
}

/// The names of the groups that fail, if they are few: "(model BERT, model VGG16)".
std::string named_groups(const GateReport& report, Groups groups, GateVerdict verdict) {
  constexpr std::size_t kMostNamed = 3;
  const bool is_named = verdict >= GateVerdict::kWorse && count_in(groups, verdict) <= kMostNamed;
  if (!is_named || report.by.empty()) return "";
  std::vector<std::string> names;
  for (const GateGroup& group : groups) {
    if (group.verdict == verdict) names.push_back(group_name(report.by, group.group));
  }
  return fmt::format(" ({})", joined(names, "; "));
}

std::string_view verb_of(std::size_t count) { return count == 1 ? "is" : "are"; }

/// "2 are worse (model BERT; model VGG16)"; empty if no group has that verdict.
std::string part_of(const GateReport& report, Groups groups, std::size_t nights,
                    GateVerdict verdict) {
  const std::size_t count = count_in(groups, verdict);
  if (count == 0) return "";
  const bool is_unsure = verdict == GateVerdict::kBetter && nights == 1;
  return fmt::format(
      "{} {} {}{}{}", count, verb_of(count), predicate_of(verdict),
      is_unsure ? fmt::format(" (or NEW merely had a {} night)",
                              words_of(groups.front().y, quantity_of(report, groups.front().y).kind,
                                       Response::kTime)
                                  .good)
                : "",
      named_groups(report, groups, verdict));
}

/// How many inconclusive groups are shown not to be worse.
std::size_t count_within_limits(Groups groups) {
  return count_if(groups, [](const GateGroup& group) {
    return group.verdict == GateVerdict::kInconclusive && group.is_within_limits();
  });
}

/// Of inconclusive groups, those that are shown not to be worse come first: who asks whether NEW is
/// worse has an answer. Where inconclusive groups fail the check, they have one name.
std::vector<std::string> inconclusive_parts(const GateReport& report, Groups groups) {
  const std::size_t within = count_within_limits(groups);
  const std::size_t all = count_in(groups, GateVerdict::kInconclusive);
  const bool is_one_name = report.fail_on == FailOn::kInconclusive;
  const std::size_t open = is_one_name ? all : all - within;
  std::vector<std::string> parts;
  if (open > 0) {
    parts.push_back(fmt::format("{} {} inconclusive", open, verb_of(open)));
    if (is_one_name && within > 0) {
      parts.back() += fmt::format(" ({} of them not worse by more than the limit)", within);
    }
  }
  if (!is_one_name && within > 0) {
    parts.push_back(fmt::format("{} {} not worse by more than the limit", within, verb_of(within)));
  }
  return parts;
}

/// "2 of 6 groups are worse" of "2 are worse".
std::string of_all(const std::string& part, std::size_t groups) {
  const std::size_t blank = part.find(' ');
  return fmt::format("{} of {}{}", part.substr(0, blank), counted(groups, "group"),
                     part.substr(blank));
}

/// "2 of 6 groups are worse (model BERT; model VGG16), 4 are inconclusive".
std::string verdicts_of(const GateReport& report, Groups groups, std::size_t nights) {
  std::vector<std::string> parts;
  for (const GateVerdict verdict : all_gate_verdicts()) {
    if (verdict == GateVerdict::kInconclusive) {
      for (std::string& part : inconclusive_parts(report, groups)) parts.push_back(std::move(part));
    } else {
      parts.push_back(part_of(report, groups, nights, verdict));
    }
  }
  parts = told(std::move(parts));
  if (!parts.empty()) parts.front() = of_all(parts.front(), groups.size());
  return joined(parts);
}

/// The groups of one response, which stand together.
Groups groups_of(const Gate& gate, const std::string& y) {
  const auto is_of_other = [&y](const GateGroup& group) { return group.y != y; };
  const auto begin = std::find_if_not(gate.groups.begin(), gate.groups.end(), is_of_other);
  return {begin, std::find_if(begin, gate.groups.end(), is_of_other)};
}

/// The responses, those first in which a group fails the check.
std::vector<std::string> responses_by_weight(const GateReport& report, const Gate& gate) {
  std::vector<std::string> responses = report.y;
  std::stable_partition(responses.begin(), responses.end(), [&gate](const std::string& y) {
    const Groups groups = groups_of(gate, y);
    return any_of(groups,
                  [](const GateGroup& group) { return group.verdict >= GateVerdict::kWorse; });
  });
  return responses;
}

/// The verdicts of each response; responses of the same verdicts share a clause: "by joules, 1 of 6
/// groups is worse (model A), 5 are inconclusive; by seconds, 6 of 6 groups are inconclusive".
std::string verdicts_by_response(const GateReport& report, const Gate& gate) {
  if (report.y.size() < 2) return verdicts_of(report, gate.groups, gate.nights);
  std::vector<std::pair<std::string, std::string>> clauses;  // Names and verdicts.
  for (const std::string& y : responses_by_weight(report, gate)) {
    const std::string verdicts = verdicts_of(report, groups_of(gate, y), gate.nights);
    auto* const same =
        first_where(clauses, [&](const auto& clause) { return clause.second == verdicts; });
    if (same != nullptr) {
      same->first += " and by " + y;
    } else {
      clauses.emplace_back("by " + y, verdicts);
    }
  }
  return joined_texts(clauses, "; ", [](const auto& clause) {
    return fmt::format("{}, {}", clause.first, clause.second);
  });
}

/// "the mean of all groups is worse" if it is, or what is shown of it where no single group tells
/// anything: a gate may pass by this alone. Else empty.
std::string mean_verdict(const GateReport& report, const Gate& gate, const SharedChange& shared) {
  const GateVerdict verdict = shared.comparison.verdict;
  const bool is_only = gate.count(GateVerdict::kInconclusive) == gate.groups.size();
  const bool is_shown = verdict != GateVerdict::kInconclusive && !shared.comparison.has_loss();
  if (verdict != GateVerdict::kWorse && !(is_only && is_shown)) return "";
  return fmt::format("{}the mean of all groups is {}",
                     report.y.size() > 1 ? fmt::format("by {}, ", shared.y) : "",
                     predicate_of(verdict));
}

/// Why nothing could be compared at all; empty if anything was.
std::string reason_of_nothing(const Gate& gate) {
  std::string reason;
  for (const GateGroup& group : gate.groups) {
    if (group.verdict == GateVerdict::kInconclusive && reason.empty()) {
      reason = group.reason.value_or("");
    }
    for (const GateComparison& comparison : group.comparisons) {
      if (comparison.change.reach) return "";
      if (reason.empty()) reason = comparison.reason.value_or("");
    }
  }
  return reason;
}

/// A change for the worse of a response, in percent.
double loss_in_percent(const GateComparison& comparison, double loss) {
  return 100 * (comparison.less_is_better ? std::expm1(loss) : -std::expm1(-loss));
}

/// "by 3.4 % at 32 GPUs (95 %: 2.3 to 4.6), within the limit of 5 %" of a change for the worse.
std::string loss_text(const GateReport& report, const Gate& gate,
                      const GateComparison& comparison) {
  const auto percent = [&](double loss) { return loss_in_percent(comparison, loss); };
  const Interval loss = comparison.loss_interval();
  const std::string limit = fmt::format("the limit of {:.4g} %", percent(comparison.limit));
  const std::string place = comparison.is_within_limit() ? "within " + limit
                            : comparison.may_stand_apart()
                                ? "as far as single nights may stand apart"
                            : comparison.is_beyond_limit()
                                ? fmt::format("beyond {}, but of {} one may lie there by chance",
                                              limit, counted(gate.family, "comparison"))
                                : "and " + limit + " lies in this interval";
  return fmt::format("by {:.1f} %{} ({}: {:.1f} to {:.1f}), {}", percent(comparison.loss()),
                     comparison.x ? " at " + place_on_scale(report.x, *comparison.x) : "",
                     percent_text(report.options.confidence), percent(loss.lower),
                     percent(loss.upper), place);
}

/// "the mean of all 6 groups".
std::string mean_text(std::size_t groups) {
  return groups == 2 ? "the mean of both groups" : fmt::format("the mean of all {} groups", groups);
}

bool is_timed(const GateReport& report, const std::string& y) {
  return quantity_of(report, y).kind == Kind::kTime;
}

/// Whose response got worse, and how: "model BERT is slower", "the rate of all groups is lower".
std::string loser_text(const GateReport& report, const std::string& who, const std::string& y,
                       const GateComparison& comparison) {
  if (comparison.less_is_better && is_timed(report, y)) return who + " is slower";
  return fmt::format("{} of {} is {}", y, who, comparison.less_is_better ? "higher" : "lower");
}

/// A change for the worse of all groups that is shown, though not that it exceeds the limit; empty
/// if none is.
std::string shared_loss_sentence(const GateReport& report, const Gate& gate) {
  for (const SharedChange& shared : gate.shared) {
    const GateComparison& comparison = shared.comparison;
    if (comparison.verdict == GateVerdict::kWorse || !comparison.has_loss()) continue;
    const std::string mean = mean_text(shared.groups);
    return fmt::format("{} {}",
                       loser_text(report, is_timed(report, shared.y) ? capitalised(mean) : mean,
                                  shared.y, comparison),
                       loss_text(report, gate, comparison));
  }
  return "";
}

/// The same of one group. Where all together are told of, one is, too, if it may exceed its limit.
std::string loss_sentence(const GateReport& report, const Gate& gate) {
  const std::string shared = shared_loss_sentence(report, gate);
  if (!gate.shown_loss) return shared;
  const GateGroup& group = gate.groups[gate.shown_loss->group];
  const GateComparison& comparison = group.comparisons[gate.shown_loss->comparison];
  if (!shared.empty() && comparison.is_within_limit()) return shared;
  const std::string who = report.by.empty() ? "NEW" : group_name(report.by, group.group);
  const std::string alone =
      fmt::format("Still, {} {}", loser_text(report, who, group.y, comparison),
                  loss_text(report, gate, comparison));
  return shared.empty() ? alone : fmt::format("{}. {}", alone, shared);
}

/// On groups whose runs the law misses; empty if there are none.
std::string misfit_sentence(const GateReport& report, const Gate& gate, Misfit misfit) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> names;
  for (const GateGroup& group : gate.groups) {
    if (group.misfit == misfit) names.push_back(group_name(report.by, group.group));
  }
  if (names.empty()) return "";
  const std::string who =
      names.size() > kMostNamed ? counted(names.size(), "group") : joined(names, "; ");
  const std::string misses = fmt::format(
      "lack-of-fit ({}): means of runs lie further from the {} law than repeated runs "
      "scatter",
      who, report.law);
  if (misfit == Misfit::kCancels) {
    return misses +
           ", and what it misses is alike in BASE and NEW by a test, so the change is "
           "judged by the scatter of repeated runs. BASE and NEW are values of that law.";
  }
  return misses +
         ", so changes there may be off by more than their intervals say. scalelaw rank tells "
         "whether another law fits such a group better, and --law takes it. Where rank finds none, "
         "runs at one N may share a disturbance: measure that N again.";
}

/// "2026-05-19", "version 2.0.0".
std::string with_noun(const Gate& gate, const std::string& night) {
  return gate.night_noun == "night" ? night : gate.night_noun + " " + night;
}

/// Since when and by how much BASE is another one, as far as the figure is a response:
/// "step_time_ms is higher by 7 % since 2025-04-15 (14 nights of BASE)".
std::string level_text(const GateReport& report, const Gate& gate) {
  const BaseChange& change = *gate.base_change;
  const bool is_of_response = change.figure == "curve" || change.figure == "runs";
  const std::string nights = fmt::format("{} of BASE", counted(change.nights, gate.night_noun));
  if (!is_of_response) {
    return fmt::format("BASE itself changed {} ({}; {})", place_of_change(gate), size_of(change),
                       nights);
  }
  const bool is_time = is_timed(report, change.y);
  const bool is_more = change.change > 0;
  const std::string by = with_significant_digits(100 * std::abs(std::expm1(change.change)), 2);
  std::string who = change.group.empty() ? "" : " of " + joined(change.group);
  if (change.groups > 1)
    who += fmt::format(" (and of {} more)", counted(change.groups - 1, "group"));
  return fmt::format("{}{} {} {} by about {} % since {} ({})", is_time ? "runs" : change.y, who,
                     is_time ? "are" : "is",
                     is_time ? (is_more ? "slower" : "faster") : (is_more ? "higher" : "lower"), by,
                     with_noun(gate, change.since), nights);
}

/// The comparison that is surest beyond its limit and was judged by nights; empty if none is worse.
struct WorstByNights {
  const GateGroup* group = nullptr;
  const GateComparison* comparison = nullptr;
};

WorstByNights worst_by_nights(const Gate& gate) {
  WorstByNights worst;
  double most = 0;
  for (const GateGroup& group : gate.groups) {
    for (const GateComparison& one : group.comparisons) {
      if (one.verdict != GateVerdict::kWorse || !one.nights) continue;
      const double excess = one.loss_interval().lower / one.limit;
      if (!(excess > most)) continue;
      most = excess;
      worst = {&group, &one};
    }
  }
  return worst;
}

/// "step_ms is 8.7 % slower since 2026-05-19 (95 %: 7.8 to 9.7; limit 5 %)", of NEW alone "than in
/// the 30 nights before".
std::string text_of_worst(const GateReport& report, const Gate& gate, const WorstByNights& worst) {
  const auto& [group, comparison] = worst;
  const bool is_share = comparison->is_of_response();
  const auto size = [&](double loss) {
    return is_share ? fmt::format("{:.1f}", loss_in_percent(*comparison, loss))
                    : fmt::format("{:.2g}", loss);
  };
  const double limit =
      is_share ? loss_in_percent(*comparison, comparison->limit) : comparison->limit;
  const std::string percent = is_share ? " %" : "";
  const std::string who = is_share ? group->y : std::string(comparison->figure);
  const std::string of = report.by.empty() ? "" : " of " + group_name(report.by, group->group);
  const NightScatter& nights = *comparison->nights;
  const std::string since =
      nights.since.empty()
          ? fmt::format("than in the {} before", counted(nights.nights, gate.night_noun))
          : "since " + with_noun(gate, nights.since);
  const Interval loss = comparison->loss_interval();
  return fmt::format("{}{} is {}{} {} {} ({}: {} to {}; limit {:.4g}{})", who, of,
                     size(comparison->loss()), percent,
                     is_share && comparison->less_is_better
                         ? (is_timed(report, group->y) ? "slower" : "higher")
                         : "lower",
                     since, percent_text(report.options.confidence), size(loss.lower),
                     size(loss.upper), limit, percent);
}

/// What changed among the nights of BASE, and which do not count; empty if nothing did.
std::string sentence_on_nights(const GateReport& report, const Gate& gate,
                               const WorstByNights& worst) {
  std::string text;
  const bool is_told = worst.comparison != nullptr && gate.base_change &&
                       worst.comparison->nights->since == gate.base_change->since;
  if (gate.base_change && !is_told) text += ". " + capitalised(level_text(report, gate));
  if (!gate.nights_apart.empty() && !report.others.with.empty()) {
    text += ". That is without " +
            joined_texts(gate.nights_apart, ", ", [](const NightApart& one) { return one.night; });
  }
  return text;
}

/// Whether NEW lies beyond a limit, though no farther than a single night may.
bool may_be_single_night(const Gate& gate) {
  return any_of(gate.groups, [](const GateGroup& group) {
    return any_of(group.comparisons, [](const GateComparison& one) {
      return one.is_beyond_limit() && one.may_stand_apart();
    });
  });
}

/// Why no more is found, and what helps.
std::string advice_on(const Reach& reach, bool is_curve, const Gate& gate) {
  constexpr std::size_t kManyNights = 10;
  const std::string& noun = gate.night_noun;
  if (median_of(reach.shares) < 0.5) {
    return fmt::format("the few runs of a {0} scatter; more runs in each {0} help", noun);
  }
  const double sd = median_of(reach.nights);
  return fmt::format("{0}s differ by {1}; more runs in one {0} hardly help, {2}{3} do", noun,
                     is_curve ? relative_error_text(sd) : with_significant_digits(sd, 2),
                     gate.nights < kManyNights ? fmt::format("more {}s or ", noun) : "",
                     noun == "night" ? "calmer nights" : "versions that differ less");
}

}  // namespace

Quantity quantity_of(const GateReport& report, std::string_view y) {
  const auto place = static_cast<std::size_t>(std::ranges::find(report.y, y) - report.y.begin());
  return place < report.quantities.size() ? report.quantities[place] : quantity_of(y);
}

std::string gate_verdict(const GateReport& report, const Gate& gate) {
  return fmt::format("{}: {}", name_of(outcome_of(gate, report.fail_on)),
                     verdicts_by_response(report, gate));
}

std::string gate_sentence(const GateReport& report, const Gate& gate) {
  const GateOutcome outcome = outcome_of(gate, report.fail_on);
  const WorstByNights worst = worst_by_nights(gate);
  std::string text = gate_verdict(report, gate);
  if (worst.comparison != nullptr) {
    const std::string told = text_of_worst(report, gate, worst);
    text = gate.groups.size() == 1 ? fmt::format("{}: {}", name_of(outcome), told)
                                   : fmt::format("{}: {}", text, told);
  }
  if (!report.pooled.empty()) text += "; scatter pooled over groups";
  if (!report.mixed_nights.empty()) {
    text += fmt::format("; all nights of NEW ('{}') were judged as one", report.mixed_nights);
  }
  for (const SharedChange& shared : gate.shared) {
    const std::string mean = mean_verdict(report, gate, shared);
    if (!mean.empty()) text += "; " + mean;
  }
  text += sentence_on_nights(report, gate, worst);
  if (outcome == GateOutcome::kFailed) return text;
  const std::string loss = loss_sentence(report, gate);
  if (!loss.empty()) text += ". " + loss;
  if (outcome == GateOutcome::kPassed) {
    const std::size_t open =
        gate.count(GateVerdict::kInconclusive) - count_within_limits(gate.groups);
    const bool is_open =
        open > 0 && open < gate.groups.size() && report.fail_on != FailOn::kInconclusive;
    if (!is_open) return text;
    return text +
           ". Of an inconclusive group the runs show for sure neither that it is worse nor that it "
           "is not; --fail-on inconclusive fails it";
  }
  if (may_be_single_night(gate)) return text;
  if (!loss.empty()) {
    return fmt::format("{}: more runs, more {}s of BASE or a wider limit (--max-slowdown) help",
                       text, gate.night_noun);
  }
  if (const std::string reason = reason_of_nothing(gate); !reason.empty()) {
    return text + ". Nothing could be judged: " + reason;
  }
  return fmt::format(
      "{0}. Nothing is shown, neither that {1} worse nor that {1} not: more runs, more {2}s of "
      "BASE "
      "or a wider limit (--max-slowdown) help",
      text, gate.groups.size() == 1 ? "it is" : "they are", gate.night_noun);
}

std::string shared_sentence(const GateReport& report, const SharedChange& shared) {
  const GateComparison& comparison = shared.comparison;
  return fmt::format("{}: {} changed by {} ({} interval {}; limit {}): {}.",
                     capitalised(mean_text(shared.groups)), shared.y, change_text(comparison),
                     percent_text(report.options.confidence), change_interval(comparison),
                     limit_text(comparison), name_of(comparison.verdict));
}

std::string figure_name(const GateReport& report, const GateGroup& group,
                        const GateComparison& comparison) {
  const bool several = report.y.size() > 1;
  if (!is_curve(comparison)) {
    return several ? fmt::format("{} of {}", comparison.figure, group.y)
                   : std::string(comparison.figure);
  }
  if (!comparison.x) return group.y;
  const std::string place = place_text(report, comparison);
  if (comparison.figure == "runs") {
    return fmt::format("{} of {} at {}", group.y, counted(comparison.runs, "new run"), place);
  }
  return fmt::format("{} at {}", group.y, place);
}

std::string figure_key(const GateReport& report, const GateGroup& group,
                       const GateComparison& comparison) {
  if (!is_curve(comparison) || !comparison.x) return figure_name(report, group, comparison);
  return fmt::format("{} at {} {}", group.y, report.x, scale_text(*comparison.x));
}

std::string change_text(const GateComparison& comparison) {
  if (!std::isfinite(comparison.change.estimate)) return "-";
  if (const auto ratio = comparison.ratio()) return ratio_text(*ratio);
  return signed_number(comparison.change.estimate,
                       decimals_for(comparison.change.estimate, comparison.change.se));
}

std::string change_interval(const GateComparison& comparison) {
  const auto ci = is_curve(comparison) ? comparison.ratio_ci() : comparison.change.ci();
  if (!ci) return "-";
  const GateChange& change = comparison.change;
  const auto end = [&](double value) {
    return is_curve(comparison) ? ratio_text(value)
                                : signed_number(value, decimals_for(change.estimate, change.se));
  };
  return fmt::format("{} .. {}", end(ci->lower), end(ci->upper));
}

std::string limit_text(const GateComparison& comparison) {
  if (!is_curve(comparison)) return fmt::format("-{:.4g}", comparison.limit);
  const double sign = comparison.less_is_better ? 1 : -1;
  return fmt::format("{:+.4g} %", 100 * std::expm1(sign * comparison.limit));
}

std::string night_text(const GateComparison& comparison) {
  if (!comparison.nights) return "-";
  const double sd = comparison.nights->sd;
  return is_curve(comparison) ? fmt::format("{:.2g} %", 100 * std::expm1(sd))
                              : fmt::format("{:.2g}", sd);
}

std::string nights_sentence(const Gate& gate) {
  std::size_t pooled = 0;
  std::size_t own = 0;
  for (const GateGroup& group : gate.groups) {
    for (const GateComparison& comparison : group.comparisons) {
      if (!comparison.nights) continue;
      pooled += comparison.nights->pooled ? 1 : 0;
      own += !comparison.nights->pooled && comparison.nights->pooled_sd ? 1 : 0;
    }
  }
  std::string text = fmt::format(
      "BASE is {0} {1}s, and a change has to stand out from what {1}s differ by. \"between "
      "{1}s\" is their standard deviation{2}",
      gate.nights, gate.night_noun, pooled > 0 ? ", pooled over groups" : "");
  if (own > 0) {
    text += fmt::format("; in {} that of the group alone, whose {}s differ more",
                        counted(own, "comparison"), gate.night_noun);
  }
  return text;
}

/// Whether the interval lies beyond the limit, but not surely enough among all comparisons.
bool is_beyond_alone(const GateComparison& comparison) {
  return comparison.verdict != GateVerdict::kWorse && comparison.exceeds_limit_for_sure();
}

/// Why one night beyond the limit is not yet worse; empty if there is none.
std::string single_night_sentence(const Gate& gate) {
  if (!may_be_single_night(gate)) return "";
  return fmt::format(
      "NEW lies beyond a limit, but single {0}s stand apart as far: that is \"worse\" if it lasts "
      "three {0}s.",
      gate.night_noun);
}

/// Why an interval beyond the limit is not yet worse; empty if there is none.
std::string beyond_alone_sentence(const Gate& gate) {
  const bool has_one = any_of(gate.groups, [](const GateGroup& group) {
    return any_of(group.comparisons, is_beyond_alone);
  });
  if (!has_one) return "";
  return fmt::format(
      "An interval that lies beyond its limit is not \"worse\" yet: each stands alone, and of {} "
      "one may lie there by chance. \"worse\" takes all of them into account (Holm).",
      counted(gate.family, "comparison"));
}

std::string reach_sentence(const GateReport& report, const Gate& gate) {
  Reach curves;
  Reach exponents;
  for (const GateGroup& group : gate.groups) {
    for (const GateComparison& comparison : group.comparisons) {
      (is_curve(comparison) ? curves : exponents).add(comparison, report, gate);
    }
  }
  std::vector<std::string> found;
  if (curves.is_open) found.push_back(reach_text(report, curves, true));
  if (exponents.is_open) found.push_back(reach_text(report, exponents, false));
  if (found.empty()) return "";
  const Reach& main = curves.is_open ? curves : exponents;
  return fmt::format("This gate finds {} in four of five cases, as {}", joined(found, " and "),
                     advice_on(main, curves.is_open, gate));
}

std::vector<std::string> common_sentences(const GateReport& report, const Gate& gate) {
  std::vector<std::string> sentences;
  for (const SharedChange& shared : gate.shared) {
    sentences.push_back(shared_sentence(report, shared));
  }
  sentences.insert(sentences.end(), report.warnings.begin(), report.warnings.end());
  sentences.insert(sentences.end(),
                   {misfit_sentence(report, gate, Misfit::kCancels),
                    misfit_sentence(report, gate, Misfit::kWidens), beyond_alone_sentence(gate),
                    single_night_sentence(gate), reach_sentence(report, gate)});
  return told(std::move(sentences));
}

std::vector<std::string> method_sentences(const GateReport& report, const Gate& gate) {
  std::vector<std::string> sentences;
  if (gate.nights > 1) sentences.push_back(nights_sentence(gate));
  sentences.push_back(multiplicity_sentence(report, gate));
  return sentences;
}

std::string comparison_sentence(const GateReport& report, const GateComparison& comparison) {
  if (!comparison.change.reach) return comparison.reason.value_or("");
  std::string text = fmt::format("{} ({:.6g} % interval {}; limit {}", change_text(comparison),
                                 100 * report.options.confidence, change_interval(comparison),
                                 limit_text(comparison));
  if (comparison.nights) text += "; between nights " + night_text(comparison);
  text += ")";
  if (comparison.p_worse_holm && comparison.exceeds_limit()) {
    text += fmt::format(", p {} after Holm", p_relation(*comparison.p_worse_holm));
  }
  const bool is_open = comparison.verdict == GateVerdict::kInconclusive;
  if (is_open && comparison.is_within_limit()) {
    text += ", not worse by more than the limit";
  }
  if (comparison.extrapolated) text += ", beyond the data";
  return text;
}

std::string multiplicity_sentence(const GateReport& report, const Gate& gate) {
  const std::string_view doubt = gate.nights == 1 ? ", or another night" : "";
  return fmt::format(
      "worse: shown to exceed the limit{0}; better: shown to have changed for the better{0}; at "
      "most {1:.3g} % of gates say either of them by chance (Holm's adjustment for {2}); same: the "
      "{3:.6g} % interval lies within the limit",
      doubt, 100 * (1 - report.options.confidence), counted(gate.family, "comparison"),
      100 * report.options.confidence);
}

}  // namespace scalelaw
