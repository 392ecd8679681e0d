// What a study says of all its groups, in plain words.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/caps_words.hpp"
#include "render/energy_answer.hpp"
#include "render/rank_verdict.hpp"
#include "render/reader_words.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostNamed = 6;  // Groups that a sentence names.

/// ": A; B"; of more groups than a sentence names, that the table has them.
std::string named_or_in_table(const std::vector<std::string>& names) {
  return names.size() <= kMostNamed ? ": " + listed(names, kMostNamed)
                                    : ": the table has how far, as 50 % up to";
}

using Item = ReportList::Item;

/// Columns in which runs of one group differ at one scale: their curves are those of no run.
void add_ungrouped(const ReportParts& parts, std::vector<Item>& items) {
  const std::vector<UngroupedColumn>& columns = parts.origin.ungrouped;
  if (columns.empty()) return;
  const bool makes_groups = std::ranges::any_of(columns, &UngroupedColumn::makes_groups);
  items.push_back(
      {"Unlike runs in one group.",
       fmt::format("Runs of one group at one {} differ in {}, and are fitted together: "
                   "their law is a mean of unlike work. {}--where picks one value.",
                   parts.origin.study.x,
                   joined_texts(columns, ", ", [](const auto& one) { return one.name; }),
                   makes_groups ? "-b keeps them apart, " : "")});
}

/// Nights from before and after a change of level are no runs of one law.
void add_level_change(const ReportParts& parts, std::vector<Item>& items) {
  const std::string& warning = parts.origin.level_change;
  if (warning.empty()) return;
  items.push_back(
      {"Nights of two levels.", capitalised(warning.substr(warning.find(": ") + 2)) + "."});
}

/// Its speedups and efficiencies are upside down.
void add_rate_as_time(const ReportParts& parts, std::vector<Item>& items) {
  if (!takes_rate_for_time(parts.origin)) return;
  items.push_back({"A rate as a time.",
                   fmt::format("The name of '{}' says that it is a rate, but -y made it a time, so "
                               "that speedups and efficiencies are upside down: add --rate.",
                               parts.origin.study.y)});
}

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
      return fit != nullptr && warns(*fit, code);
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
    if (finds(ranking.corrected.held_out)) {
      outside.push_back(fmt::format("{} by {}", parts.names.of(group.group),
                                    shown_text(std::expm1(held->log_error), signed_percent(0))));
    }
  }
  const std::string all = counted(parts.groups().size(), "group");
  if (undecided > 0) {
    items.push_back({"Laws not told apart.",
                     fmt::format("For {} of {} the runs do not tell laws apart (AICc within 2). "
                                 "Inside the data that hardly matters; beyond it they part, which "
                                 "is why forecasts average laws, all but the broken one, and their "
                                 "intervals widen.",
                                 undecided, all)});
  }
  if (!outside.empty()) {
    items.push_back({"Missed when held out.",
                     fmt::format("The runs at the greatest {} lie further from the curve fitted "
                                 "without them than chance explains: {}.",
                                 parts.origin.study.x, listed(outside, kMostNamed))});
  }
}

/// Settings of the first table that run faster than their reference, which limits less.
void add_faster_under_a_limit(const ReportParts& parts, std::vector<Item>& items) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parts.findings.caps.size(); ++i) {
    const std::string& column = parts.findings.caps[i].head.setting;
    for (const AdvisedChoice& one : advised_choices(parts, i)) {
      if (one.choice.doubt != SettingDoubt::kFaster) continue;
      const RelativeSetting* const chosen = one.choice.relative();
      const std::string place = scales_compared(parts.origin.study.x, one.choice.comparison());
      names.push_back(fmt::format("{} with {} takes {} % less time than with {}{}", one.name,
                                  value_with_unit(column, chosen->setting),
                                  change_in_percent(chosen->time.ratio),
                                  value_with_unit(column, one.choice.found->reference),
                                  place.empty() ? "" : " at " + place));
    }
  }
  if (names.empty()) return;
  items.push_back(
      {"Faster under a lower limit.",
       fmt::format("{}, by the means of the runs. A lower limit should slow runs, or "
                   "change nothing: before you rely on it, ask whether these runs differ "
                   "in something else, such as their nodes or data.",
                   listed(names, kMostNamed))});
}

/// Settings of which few runs at one scale say another thing than the curves.
void add_curve_doubts(const ReportParts& parts, std::vector<Item>& items) {
  const std::vector<std::string> doubts = curve_doubts(parts);
  if (doubts.empty()) return;
  items.push_back({"Runs and curves apart.",
                   fmt::format("{}. The curves take the runs at {}. Few runs may mislead, and so "
                               "may a law: measure there again before you choose.",
                               listed(doubts, kMostNamed), all_scales(parts.origin.study.x))});
}

void add_left_out(const ReportParts& parts, std::vector<Item>& items) {
  const RowCounts& rows = parts.origin.study.rows;
  if (rows.failed > 0) items.push_back({"Failed runs.", rows.failures + "."});
  if (rows.missing + rows.bad > 0) {
    items.push_back({"Rows left out.", fmt::format("{} without a value, {} malformed, of {}.",
                                                   rows.missing, rows.bad, rows.read)});
  }
}

/// "11 groups keep", "1 group takes".
std::string with_verb_of(std::size_t groups, bool work_grows) {
  const std::string verb = work_grows ? "take" : "keep";
  return fmt::format("{} {}{}", counted(groups, "group"), verb, groups == 1 ? "s" : "");
}

}  // namespace

ReportList scaling_list(const ReportParts& parts) {
  if (parts.ideal() == Ideal::kNone) return {};
  std::vector<std::string> efficient;
  std::vector<std::string> wasteful;
  for (const GroupStudy& group : parts.groups()) {
    if (!group.reach) continue;
    const double end = efficient_up_to(group).value_or(group.reach->x_min);
    if (end == group.reach->x_max) {
      efficient.push_back(parts.names.of(group.group));
    } else {
      wasteful.push_back(fmt::format("{} up to {}", parts.names.of(group.group), scale_text(end)));
    }
  }
  ReportList list;
  if (!efficient.empty()) {
    list.items.push_back(
        {"What scales.",
         fmt::format("{} over the whole measured range{}.",
                     parts.work_grows()
                         ? part_of(efficient.size(), parts.groups().size(), "group",
                                   "takes at most twice its time at the smallest scale",
                                   "take at most twice their time at the smallest scale")
                         : part_of(efficient.size(), parts.groups().size(), "group",
                                   "keeps at least half of the ideal speedup",
                                   "keep at least half of the ideal speedup"),
                     named_or_in_table(efficient))});
  }
  if (!wasteful.empty()) {
    list.items.push_back(
        {"What does not.",
         fmt::format("{} {} only so far{}.", with_verb_of(wasteful.size(), parts.work_grows()),
                     parts.work_grows() ? "at most twice the time of the smallest scale"
                                        : "half of the ideal speedup",
                     named_or_in_table(wasteful))});
  }
  return list;
}

ReportList verdict_list(const ReportParts& parts) {
  RankAnswer answer;
  for (const GroupStudy& group : parts.groups()) {
    answer.take_note_of(group.ranking, parts.names.of(group.group));
  }
  // Of a single group the sentences below say it.
  if (parts.groups().size() < 2) return {};
  return {{{"Which law.", joined(answer.sentences(), " ")}}};
}

ReportList energy_list(const ReportParts& parts, const ReportEnergy& energy) {
  EnergyAnswer answer(energy.head);
  ReportList single;
  for (const auto& [group, scaling] : found_in(energy.groups)) {
    answer.take_note_of(group, scaling);
    const std::string name =
        energy.groups.size() == 1 ? "" : fmt::format(" of {}", parts.names.of(group));
    single.items.push_back(
        {fmt::format("Energy{}.", name), joined(energy_answer(energy.head, scaling), " ")});
  }
  if (single.items.size() <= kMostNamed) return single;
  return {{{"Energy.", joined(answer.sentences(), " ")}}};
}

ReportList doubt_list(const ReportParts& parts) {
  ReportList doubts;
  add_level_change(parts, doubts.items);
  add_rate_as_time(parts, doubts.items);
  add_ungrouped(parts, doubts.items);
  add_without_law(parts, doubts.items);
  add_warnings(parts, doubts.items);
  add_undecided(parts, doubts.items);
  add_faster_under_a_limit(parts, doubts.items);
  add_curve_doubts(parts, doubts.items);
  add_left_out(parts, doubts.items);
  return doubts;
}

}  // namespace scalelaw
