// Which settings the first screen of a report recommends, and what the others would save.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "render/reader_words.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// "17 % less energy for 2.1 % less time".
std::string saving_text(const RelativeSetting& setting) {
  const auto change = [](double ratio, std::string_view of) {
    return fmt::format("{} % {} {}", change_in_percent(ratio), ratio < 1 ? "less" : "more", of);
  };
  return fmt::format("{} for {}", change(setting.energy.ratio, "energy"),
                     change(setting.time.ratio, "time"));
}

/// What a reader of a group that stays at its reference asks next: the setting of least slowdown
/// among those that are shown to save energy. Null where there is none.
const RelativeSetting* next_saving(const SettingComparison& overall) {
  const RelativeSetting* best = nullptr;
  for (const RelativeSetting& one : overall.settings) {
    const bool saves = one.in_choice && one.energy.joint_ci && one.energy.joint_ci->upper < 1;
    if (saves && (best == nullptr || one.time.ratio < best->time.ratio)) best = &one;
  }
  return best;
}

/// A group that stays at its reference, and the next setting that saves energy.
struct Staying {
  std::string name;
  std::string next = {};  ///< "200 W: 11 % less energy for 6.0 % more time"; empty: none is near.
  bool is_undecided = false;  ///< The runs do not tell whether that setting keeps the bound.
};

Staying staying_of(const std::string& name, const SettingChoice& choice) {
  constexpr double kNear = 2;  // Times the bound; what is slower tempts nobody.
  const CapsOptions& options = choice.caps->head.options;
  const RelativeSetting* const rival = choice.comparison->find(choice.rival);
  const RelativeSetting* const next = rival != nullptr ? rival : next_saving(*choice.comparison);
  if (next == nullptr || next->time.ratio > 1 + kNear * options.max_slowdown) return {name};
  const bool is_undecided = next->time.ratio <= 1 + options.max_slowdown;
  return {name,
          fmt::format("{}: {}{}", value_with_unit(choice.caps->head.setting, next->setting),
                      saving_text(*next),
                      is_undecided && next->time.ci
                          ? fmt::format(", {}: {}", percent_text(options.confidence),
                                        change_in_percent(*next->time.ci))
                          : ""),
          is_undecided};
}

/// "A, BERT (200 W: 11 % less energy for 6.0 % more time)": those of which there is more to say
/// come last, undecided ones first, and of many groups only the first have their next setting.
std::string staying_text(std::vector<Staying> groups) {
  constexpr std::size_t kMostWithNext = 3;
  std::stable_partition(groups.begin(), groups.end(),
                        [](const Staying& one) { return one.is_undecided; });
  std::vector<std::string> plain;
  std::vector<std::string> told;
  for (const Staying& one : groups) {
    const bool tells = !one.next.empty() && plain.size() + told.size() < kMostWithNext;
    const std::string words =
        fmt::format("{}{}{}", one.is_undecided ? "undecided" : "",
                    one.is_undecided && tells ? ", " : "", tells ? one.next : "");
    if (words.empty()) {
      plain.push_back(one.name);
    } else {
      told.push_back(fmt::format("{} ({})", one.name, words));
    }
  }
  if (told.empty()) return named_groups(plain);
  return (plain.empty() ? "" : named_groups(plain) + ", ") + named_groups(told);
}

/// "DimeNet (at 424 GPUs 57 % less energy for 14 % less time, by 3 runs)", "X (undecided: at 8 GPUs
/// 20 % less energy for 2.0 % more time, 95 %: 1.0 % less to 7.0 % more, by 3 runs)".
/// @param names_average  Where others are compared at their scale.
std::string moving_text(const std::string& name, const SettingChoice& choice, const std::string& x,
                        bool names_average) {
  const RelativeSetting& setting = *choice.relative();
  const bool is_there = choice.is_there() && choice.comparison->x;
  std::string text =
      fmt::format("{} ({}{}{}", name, choice.is_shown ? "" : "undecided: ",
                  is_there        ? fmt::format("at {} ", place_on_scale(x, *choice.comparison->x))
                  : names_average ? "on average "
                                  : "",
                  saving_text(setting));
  if (!choice.is_shown && setting.time.ci) {
    text += fmt::format(", {}: {}", percent_text(choice.caps->head.options.confidence),
                        change_in_percent(*setting.time.ci));
  }
  if (!choice.rival.empty()) {
    text += fmt::format("; {} is the choice there",
                        value_with_unit(choice.caps->head.setting, choice.rival));
  }
  return text + (is_there ? fmt::format(", by {})", counted(setting.n, "run")) : ")");
}

/// A group of a comparison, and what is chosen for it.
struct NamedChoice {
  std::string name;
  SettingChoice choice;
};

constexpr std::size_t kMostChoices = 8;  // Of more groups a sentence has counts only.

/// "200 W for 47 of 67 groups (9.1 to 19 % less energy), stay at 250 W for 20 (12 undecided)".
std::string counted_choices_text(const std::vector<NamedChoice>& choices,
                                 const std::string& column) {
  struct Groups {
    std::size_t count = 0;
    std::size_t undecided = 0;
    std::optional<Interval> energy = {};
  };
  std::map<std::string, Groups, decltype(&natural_less)> by_setting(natural_less);
  bool is_first = true;
  for (const NamedChoice& one : choices) {
    Groups& groups = by_setting[one.choice.setting];
    ++groups.count;
    groups.undecided += one.choice.is_shown ? 0 : 1;
    const RelativeSetting* const setting = one.choice.relative();
    if (setting == nullptr) continue;
    const double ratio = setting->energy.ratio;
    if (!groups.energy) groups.energy = Interval{ratio, ratio};
    groups.energy =
        Interval{std::min(groups.energy->lower, ratio), std::max(groups.energy->upper, ratio)};
  }
  return joined_texts(by_setting, ", ", [&](const auto& entry) {
    const auto& [value, groups] = entry;
    std::vector<std::string> notes;
    if (groups.energy) {
      notes.push_back(fmt::format("{} to {} % less energy", change_in_percent(groups.energy->upper),
                                  change_in_percent(groups.energy->lower)));
    }
    if (groups.undecided > 0) notes.push_back(fmt::format("{} undecided", groups.undecided));
    return fmt::format(
        "{}{} for {}{}{}", groups.energy ? "" : "stay at ", value_with_unit(column, value),
        groups.count,
        std::exchange(is_first, false) ? fmt::format(" of {} groups", choices.size()) : "",
        notes.empty() ? "" : fmt::format(" ({})", joined(notes)));
  });
}

/// "735 MHz for A (5.0 % less energy for 2.0 % more time), stay at 1380 MHz for B".
std::string choices_text(const std::vector<NamedChoice>& choices, const std::string& column,
                         const std::string& x, bool names_average) {
  if (choices.size() > kMostChoices) return counted_choices_text(choices, column);
  struct Groups {
    std::vector<Staying> staying;     // Groups at their reference,
    std::vector<std::string> moving;  // and the others, with what they save.
  };
  std::map<std::string, Groups, decltype(&natural_less)> by_setting(natural_less);
  for (const auto& [name, choice] : choices) {
    Groups& groups = by_setting[choice.setting];
    if (choice.relative() != nullptr) {
      groups.moving.push_back(moving_text(name, choice, x, names_average));
    } else {
      groups.staying.push_back(staying_of(name, choice));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [value, groups] : by_setting) {
    const std::string said = value_with_unit(column, value);
    if (!groups.moving.empty()) {
      parts.push_back(fmt::format("{} for {}", said, named_groups(groups.moving)));
    }
    if (!groups.staying.empty()) {
      parts.push_back(fmt::format("stay at {} for {}", said, staying_text(groups.staying)));
    }
  }
  return joined(parts, ", ");
}

/// What one comparison chooses: for the groups of the first table at their scale, for others over
/// all scales.
std::vector<NamedChoice> choices_of(const ReportParts& parts, std::size_t comparison,
                                    const std::vector<AdvisedGroup>& advised) {
  const ReportCaps& caps = parts.findings.caps[comparison];
  const std::vector<std::size_t> place = {advised_settings(parts)[comparison]};
  std::map<GroupKey, const GroupStudy*> rows;
  for (const AdvisedGroup& one : advised) {
    const GroupStudy& group = parts.groups()[one.group];
    if (group.advice) rows[key_without(group.group, place)] = &group;
  }
  std::vector<GroupKey> keys;
  for (const GroupCaps& group : caps.groups) keys.push_back(group.group);
  const GroupNames names(caps.head.study.by, keys);
  std::vector<NamedChoice> choices;
  for (const GroupCaps& group : caps.groups) {
    const Caps* const found = std::get_if<Caps>(&group.result);
    if (found == nullptr) continue;
    const auto row = rows.find(group.group);
    const std::string name = names.of(group.group);
    if (row == rows.end()) {
      choices.push_back({name, choice_at(caps, *found, std::nullopt)});
      continue;
    }
    SettingChoice choice = choice_at(caps, *found, row->second->advice->at.y.x);
    const std::string& own = row->second->group[place.front()];
    if (own != choice.setting) choice.rival = std::exchange(choice.setting, own);
    choices.push_back({name, std::move(choice)});
  }
  return choices;
}

/// "clock_mhz: 735 MHz for A (5.0 % less energy for 2.0 % more time), stay at 1380 MHz for B."
std::string advice_on(const std::vector<NamedChoice>& choices, const std::string& column,
                      const std::string& x, bool names_average) {
  const auto stays_plainly = [&choices](const NamedChoice& one) {
    return one.choice.relative() == nullptr &&
           one.choice.found->reference == choices.front().choice.found->reference &&
           staying_of("", one.choice).next.empty();
  };
  if (!std::all_of(choices.begin(), choices.end(), stays_plainly)) {
    return fmt::format("{}: {}.", column, choices_text(choices, column, x, names_average));
  }
  return fmt::format("{}: stay at {}{}.", column,
                     value_with_unit(column, choices.front().choice.found->reference),
                     choices.size() > 1 ? " everywhere" : "");
}

/// The setting of least energy within the bound by the estimates; the reference if it is that.
std::string least_within(const SettingComparison& comparison, const std::string& reference,
                         double max_slowdown) {
  double least = 1;
  std::string setting = reference;
  for (const RelativeSetting& one : comparison.settings) {
    const bool is_within = one.in_choice && one.time.ratio <= 1 + max_slowdown;
    if (!is_within || !(one.energy.ratio < least)) continue;
    least = one.energy.ratio;
    setting = one.setting;
  }
  return setting;
}

/// Whether the runs of a comparison leave it possible that a setting keeps the time bound.
bool allows(const SettingComparison& comparison, const std::string& setting, double max_slowdown) {
  const RelativeSetting* const one = comparison.find(setting);
  if (one == nullptr) return true;
  return (one->time.ci ? one->time.ci->lower : one->time.ratio) <= 1 + max_slowdown;
}

/// The comparison at x, if all settings of the choice over all scales have runs there, else null.
const SettingComparison* comparison_at(const Caps& caps, double x) {
  const auto there = std::find_if(caps.scales.begin(), caps.scales.end(),
                                  [x](const SettingComparison& one) { return one.x == x; });
  if (there == caps.scales.end() || there->compared() < caps.overall.compared()) return nullptr;
  return &*there;
}

/// "all numbers of GPUs"; else "all values of size".
std::string all_scales(const std::string& x) {
  return fmt::format("all {} of {}", unit_of_scale(x).empty() ? "values" : "numbers",
                     units_of_scale(x));
}

/// The groups for which the runs at their scale have another choice than the average.
std::vector<NamedChoice> unlike_average(std::vector<NamedChoice> choices) {
  std::erase_if(choices, [](const NamedChoice& one) {
    const RecommendedSetting& overall = one.choice.found->overall.recommended;
    return !one.choice.is_there() || one.choice.setting == overall.setting || !is_shown(overall);
  });
  return choices;
}

/// "On average over all numbers of GPUs it is 200 W for DimeNet; where the runs at ... decide.".
std::string average_sentence(const std::vector<NamedChoice>& choices, const std::string& column,
                             const std::string& x) {
  if (choices.empty()) return "";
  std::map<std::string, std::vector<std::string>, decltype(&natural_less)> by_setting(natural_less);
  for (const NamedChoice& one : choices) {
    by_setting[one.choice.found->overall.recommended.setting].push_back(one.name);
  }
  const std::string settings = joined_texts(by_setting, ", ", [&](const auto& entry) {
    const auto& [value, names] = entry;
    return fmt::format(
        "{} for {}", value_with_unit(column, value),
        names.size() > kMostChoices ? counted(names.size(), "group") : named_groups(names));
  });
  return fmt::format(
      "On average over {} it is {}; where the runs at the {} of the table show another saving, "
      "they decide.",
      all_scales(x), settings, units_of_scale(x));
}

}  // namespace

std::optional<ReportList::Item> setting_advice(const ReportParts& parts) {
  if (parts.findings.caps.empty()) {
    if (parts.analysis().settings.empty()) return std::nullopt;
    return ReportList::Item{"Settings.",
                            "Not known: it takes a column of energy or power to weigh the time "
                            "that a setting costs."};
  }
  const std::vector<AdvisedGroup> advised = advised_groups(parts);
  std::vector<std::string> sentences;
  bool is_there = false;  // At the scales of the table.
  for (std::size_t i = 0; i < parts.findings.caps.size(); ++i) {
    const std::vector<NamedChoice> choices = choices_of(parts, i, advised);
    if (choices.empty()) continue;
    is_there = is_there || std::any_of(choices.begin(), choices.end(), [](const NamedChoice& one) {
                 return one.choice.is_there();
               });
    const std::string& column = parts.findings.caps[i].head.setting;
    sentences.push_back(advice_on(choices, column, parts.origin.study.x, is_there));
    std::string average = average_sentence(unlike_average(choices), column, parts.origin.study.x);
    if (!average.empty()) sentences.push_back(std::move(average));
  }
  if (sentences.empty()) return std::nullopt;
  return ReportList::Item{
      fmt::format("Settings, with at most {:.6g} % more time {}.",
                  100 * parts.findings.caps.front().head.options.max_slowdown,
                  is_there
                      ? fmt::format("at the {} of the table", units_of_scale(parts.origin.study.x))
                      : "on average over " + all_scales(parts.origin.study.x)),
      joined(sentences, " ")};
}

bool is_shown(const RecommendedSetting& one) {
  return one.is_reference || (one.by_interval && one.saving_shown.value_or(false));
}

SettingChoice choice_at(const ReportCaps& caps, const Caps& found, std::optional<double> x) {
  const double bound = caps.head.options.max_slowdown;
  const RecommendedSetting& overall = found.overall.recommended;
  const SettingComparison* const there = x ? comparison_at(found, *x) : nullptr;
  if (there != nullptr && !there->recommended.is_reference && is_shown(there->recommended)) {
    return {&caps, &found, there, there->recommended.setting, true};
  }
  if (!overall.is_reference && is_shown(overall) &&
      (there == nullptr || allows(*there, overall.setting, bound))) {
    return {&caps, &found, &found.overall, overall.setting, true};
  }
  const SettingComparison& comparison = there != nullptr ? *there : found.overall;
  std::string rival = least_within(comparison, found.reference, bound);
  if (rival == found.reference) rival.clear();
  const bool is_decided = rival.empty();
  return {&caps, &found, &comparison, found.reference, is_decided, std::move(rival)};
}

std::string choices_unlike_average(const ReportParts& parts, std::size_t comparison) {
  const ReportCaps& caps = parts.findings.caps[comparison];
  const std::string& x = parts.origin.study.x;
  const auto unlike = unlike_average(choices_of(parts, comparison, advised_groups(parts)));
  if (unlike.empty()) return "";
  std::vector<std::string> names;
  for (const NamedChoice& one : unlike) {
    names.push_back(fmt::format("{} for {} (at {})",
                                value_with_unit(caps.head.setting, one.choice.setting), one.name,
                                place_on_scale(x, *one.choice.comparison->x)));
  }
  return fmt::format("{}, by the runs there alone. Here are averages over {}.",
                     listed(names, kMostChoices), all_scales(x));
}

std::vector<SettingChoice> choices_for(const ReportParts& parts, const GroupStudy& group) {
  const std::vector<std::size_t> places = advised_settings(parts);
  std::vector<SettingChoice> choices;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto found = parts.caps[i].find(key_without(group.group, {places[i]}));
    if (found == parts.caps[i].end()) continue;
    choices.push_back(choice_at(parts.findings.caps[i], *found->second,
                                group.advice ? std::optional(group.advice->at.y.x) : std::nullopt));
  }
  return choices;
}

Trust trust_in(const ReportParts& parts, const GroupStudy& group) {
  if (!group.advice) return Trust::kLow;
  const std::vector<SettingChoice> choices = choices_for(parts, group);
  const bool shown = std::all_of(choices.begin(), choices.end(),
                                 [](const SettingChoice& one) { return one.is_shown; });
  const auto doubt = doubt_in_demand(parts.origin, group);
  return std::max({group.advice->trust, shown ? Trust::kHigh : Trust::kFair,
                   doubt ? doubt->most : Trust::kHigh});
}

}  // namespace scalelaw
