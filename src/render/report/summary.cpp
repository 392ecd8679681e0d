// What a study says, in plain words.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/energy_answer.hpp"
#include "render/rank_verdict.hpp"
#include "render/reader_words.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/warning_codes.hpp"
#include "scalelaw/render/contrast_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostNamed = 6;      // Groups that a sentence names.
constexpr std::size_t kMostContrasts = 8;  // Comparisons of settings that the summary tells.

using Item = ReportList::Item;

/// The group whose law has the greatest (or least) exponent.
const GroupStudy* extreme(const StudyAnalysis& analysis, bool greatest) {
  const GroupStudy* found = nullptr;
  for (const GroupStudy& group : analysis.groups) {
    if (fit_of(group) == nullptr || !group.reach) continue;
    if (found == nullptr) found = &group;
    const double beta = exponent_of(group)->estimate;
    const double other = exponent_of(*found)->estimate;
    if (greatest ? beta > other : beta < other) found = &group;
  }
  return found;
}

std::string reach_sentence(const ReportParts& parts, const GroupStudy& group) {
  const ScalingReach& reach = *group.reach;
  const std::string& x = parts.origin.study.x;
  return fmt::format("{}: {} times as fast with {} as with {}, {} of the ideal speedup ({})",
                     parts.names.of(group.group), with_significant_digits(reach.speedup, 3),
                     place_on_scale(x, reach.x_max), scale_text(reach.x_min),
                     shown_text(reach.efficiency, percent(0)),
                     "beta " + with_error(*exponent_of(group)));
}

/// "; doubling the GPUs cuts the time of an epoch by 45 %".
std::string doubling_sentence(const ReportParts& parts, const ScalingReach& reach) {
  const StudyReport& study = parts.origin.study;
  if (!reach.doubling) return "";
  return fmt::format("; doubling the {} {} {} by {} %", units_of_scale(study.x),
                     *reach.doubling < 1 ? "cuts" : "raises",
                     measured_noun(study.y, parts.origin.fit.response),
                     change_in_percent(*reach.doubling));
}

void add_scaling(const ReportParts& parts, std::vector<Item>& items) {
  std::vector<std::string> efficient;
  std::vector<std::string> wasteful;
  for (const GroupStudy& group : parts.groups()) {
    if (!group.reach) continue;
    const ScalingReach& reach = *group.reach;
    if (reach.efficient_to == reach.x_max) {
      efficient.push_back(parts.names.of(group.group));
    } else {
      wasteful.push_back(
          fmt::format("{} up to {}", parts.names.of(group.group), scale_text(reach.efficient_to)));
    }
  }
  const GroupStudy* const best = extreme(parts.analysis(), true);
  const GroupStudy* const worst = extreme(parts.analysis(), false);
  if (best == nullptr) {
    items.push_back({"What scales.", "Nothing can be said: no group has a law over several " +
                                         units_of_scale(parts.origin.study.x) + "."});
    return;
  }
  std::string scales = fmt::format("Best: {}{}.", reach_sentence(parts, *best),
                                   doubling_sentence(parts, *best->reach));
  scales += efficient.empty()
                ? " No group keeps half of the ideal speedup over its whole range."
                : fmt::format(
                      " {} of {} keep at least half of the ideal speedup over the whole "
                      "measured range: {}.",
                      efficient.size(), counted(parts.groups().size(), "group"),
                      listed(efficient, kMostNamed));
  items.push_back({"What scales.", std::move(scales)});
  std::string does_not;
  if (worst != best) {
    does_not = fmt::format("Least: {}{}.", reach_sentence(parts, *worst),
                           doubling_sentence(parts, *worst->reach));
  }
  if (!wasteful.empty()) {
    does_not += fmt::format("{}Half of the ideal speedup is kept only so far: {}.",
                            does_not.empty() ? "" : " ", listed(wasteful, kMostNamed));
  }
  if (!does_not.empty()) items.push_back({"What does not.", std::move(does_not)});
}

/// "BERT, 1380 MHz".
std::string values_of(const std::vector<std::string>& by, const GroupKey& group) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < group.size(); ++i) {
    values.push_back(value_with_unit(by[i], group[i]));
  }
  return values.empty() ? "all runs" : joined(values);
}

/// Columns keep their names: only words that are none begin with a capital.
std::string sentence_case(std::string text) {
  for (const std::string_view word : {"undecided", "the "}) {
    if (text.starts_with(word)) text.front() = word.front() == 'u' ? 'U' : 'T';
  }
  return text;
}

void add_settings(const ReportParts& parts, std::vector<Item>& items) {
  for (const SettingStudy& setting : parts.analysis().settings) {
    const ContrastReport head = contrast_head(parts, setting);
    std::size_t told = 0;
    for (const GroupContrast& group : setting.contrasts) {
      const Contrast* const contrast = std::get_if<Contrast>(&group.result);
      if (contrast == nullptr || ++told > kMostContrasts) continue;
      items.push_back(
          {fmt::format("{} in {}.", setting.setting, values_of(setting.by, group.group)),
           sentence_case(contrast_sentence(head, *contrast)) + "."});
    }
    if (told > kMostContrasts) {
      items.push_back({setting.setting + ".",
                       told - kMostContrasts == 1
                           ? "1 more group stands below."
                           : fmt::format("{} more groups stand below.", told - kMostContrasts)});
    }
  }
}

void add_caps(const ReportParts& parts, std::vector<Item>& items) {
  for (const ReportCaps& caps : parts.findings.caps) {
    const std::string lead = fmt::format("Which {} to use with at most {:.6g} % more time.",
                                         caps.head.setting, 100 * caps.head.options.max_slowdown);
    const std::string summary = caps_summary_sentence(caps.head);
    // Of few groups a mean over them says little, and each can be named.
    if (!summary.empty() && caps.head.summary.groups > kMostNamed) {
      std::string text = summary + ".";
      for (const SettingSummary& setting : caps.head.summary.settings) {
        if (setting.setting == caps.head.options.reference) continue;
        text += " " + caps_setting_sentence(caps.head, setting) + ".";
      }
      items.push_back({lead, std::move(text)});
      continue;
    }
    for (const GroupCaps& group : caps.groups) {
      const Caps* const found = std::get_if<Caps>(&group.result);
      if (found == nullptr) continue;
      items.push_back({fmt::format("{} for {} with at most {:.6g} % more time.", caps.head.setting,
                                   values_of(caps.head.study.by, group.group),
                                   100 * caps.head.options.max_slowdown),
                       fmt::format("{}.", caps_sentence(caps.head, *found))});
    }
  }
  if (parts.findings.caps.empty() && !parts.analysis().settings.empty()) {
    items.push_back({"Which setting to use.",
                     "Not known: it takes a column of energy or power to weigh the time that a "
                     "setting costs."});
  }
}

/// What `rank` says.
void add_verdict(const ReportParts& parts, std::vector<Item>& items) {
  if (parts.groups().size() == 1) {
    const auto sentences = rank_verdict(parts.groups().front().ranking, parts.origin.study.x);
    if (!sentences.empty()) items.push_back({"Which law.", joined(sentences, " ")});
    return;
  }
  RankAnswer answer;
  for (const GroupStudy& group : parts.groups()) {
    answer.take_note_of(group.ranking, parts.names.of(group.group));
  }
  if (!parts.groups().empty()) items.push_back({"Which law.", joined(answer.sentences(), " ")});
}

/// What `energy` says: three sentences on each of few groups, else on all of them.
void add_energy_answer(const ReportParts& parts, std::vector<Item>& items) {
  if (!parts.findings.energy) return;
  const ReportEnergy& energy = *parts.findings.energy;
  EnergyAnswer answer(energy.head);
  std::vector<Item> single;
  for (const GroupEnergy& group : energy.groups) {
    const auto* const scaling = std::get_if<EnergyScaling>(&group.result);
    if (scaling == nullptr) continue;
    answer.take_note_of(group.group, *scaling);
    const std::string name =
        energy.groups.size() == 1 ? "" : fmt::format(" of {}", parts.names.of(group.group));
    single.push_back(
        {fmt::format("Energy{}.", name), joined(energy_answer(energy.head, *scaling), " ")});
  }
  if (single.empty()) return;
  if (single.size() > kMostNamed) single = {{"Energy.", joined(answer.sentences(), " ")}};
  items.insert(items.end(), single.begin(), single.end());
}

// What not to believe.

void add_without_law(const ReportParts& parts, std::vector<Item>& items) {
  const auto names =
      parts.names_where([](const GroupStudy& group) { return fit_of(group) == nullptr; });
  if (names.empty()) return;
  items.push_back({"No law.", fmt::format("{}: {}.", counted(names.size(), "group"),
                                          listed(names, kMostNamed))});
}

void add_warnings(const ReportParts& parts, std::vector<Item>& items) {
  for (const WarningCode code : all_enumerators<WarningCode>()) {
    const auto names = parts.names_where([code](const GroupStudy& group) {
      const Fit* const fit = fit_of(group);
      return fit != nullptr &&
             std::find(fit->warnings.begin(), fit->warnings.end(), code) != fit->warnings.end();
    });
    if (names.empty()) continue;
    items.push_back({fmt::format("Warning {}.", name_of(code)),
                     fmt::format("{}: {} ({}).", counted(names.size(), "group"),
                                 warning_codes()[static_cast<std::size_t>(code)].brief,
                                 listed(names, kMostNamed))});
  }
}

void add_undecided(const ReportParts& parts, std::vector<Item>& items) {
  std::size_t undecided = 0;
  std::vector<std::string> outside;
  for (const GroupStudy& group : parts.groups()) {
    const Ranking& ranking = group.ranking;
    undecided += ranking.undecided.empty() ? 0 : 1;
    const HeldOutLaw* const held = telling_hold_out(ranking);
    if (held != nullptr && !held->inside.value_or(true)) {
      outside.push_back(fmt::format("{} by {}", parts.names.of(group.group),
                                    shown_text(std::expm1(held->log_error), signed_percent(0))));
    }
  }
  const std::string all = counted(parts.groups().size(), "group");
  if (undecided > 0) {
    items.push_back({"Laws that agree.",
                     fmt::format("For {} of {} the runs do not tell laws apart (AICc within 2). "
                                 "Inside the data that hardly matters; beyond it they part, which "
                                 "is why forecasts average laws and their intervals widen.",
                                 undecided, all)});
  }
  if (!outside.empty()) {
    items.push_back({"Missed when held out.",
                     fmt::format("The greatest {} lay outside the prediction interval of the curve "
                                 "fitted without it: {}.",
                                 parts.origin.study.x, listed(outside, kMostNamed))});
  }
}

void add_limits(const ReportParts& parts, std::vector<Item>& items) {
  double greatest = 0;
  for (const GroupStudy& group : parts.groups()) {
    if (group.reach) greatest = std::max(greatest, group.reach->x_max);
  }
  if (greatest > 0) {
    items.push_back({"Beyond the data.",
                     fmt::format("Nothing was measured above {}. A forecast there holds only if "
                                 "the law goes on; take its interval, not its middle.",
                                 place_on_scale(parts.origin.study.x, greatest))});
  }
  const RowCounts& rows = parts.origin.study.rows;
  if (rows.failed > 0) items.push_back({"Failed runs.", rows.failures + "."});
  if (rows.missing + rows.bad > 0) {
    items.push_back({"Rows left out.", fmt::format("{} without a value, {} malformed, of {}.",
                                                   rows.missing, rows.bad, rows.read)});
  }
}

}  // namespace

std::vector<ReportBlock> summary_blocks(const ReportParts& parts) {
  ReportList findings;
  add_scaling(parts, findings.items);
  add_verdict(parts, findings.items);
  add_energy_answer(parts, findings.items);
  add_settings(parts, findings.items);
  add_caps(parts, findings.items);
  ReportList doubts;
  add_without_law(parts, doubts.items);
  add_warnings(parts, doubts.items);
  add_undecided(parts, doubts.items);
  add_limits(parts, doubts.items);
  std::vector<ReportBlock> blocks;
  blocks.emplace_back(std::move(findings));
  if (doubts.items.empty()) return blocks;
  blocks.emplace_back(ReportText{"What not to believe, and why:"});
  blocks.emplace_back(std::move(doubts));
  return blocks;
}

}  // namespace scalelaw
