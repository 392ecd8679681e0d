// Which settings the first screen of a report recommends, and what the others would save.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "render/caps_words.hpp"
#include "render/reader_words.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// "15 to 20 % less energy"; where the interval includes no change "-4.9 to +0.8 % time"; without
/// an interval "17 % less energy".
std::string change_text(const RelativeMean& mean, std::string_view of) {
  const bool is_open = mean.ci && mean.ci->lower < 1 && mean.ci->upper > 1;
  if (is_open) {
    return fmt::format("-{} to +{} % {}", change_in_percent(mean.ci->lower),
                       change_in_percent(mean.ci->upper), of);
  }
  const std::string_view direction = mean.ratio < 1 ? "less" : "more";
  return mean.ci ? fmt::format("{} {} {}", change_in_percent(*mean.ci), direction, of)
                 : fmt::format("{} % {} {}", change_in_percent(mean.ratio), direction, of);
}

/// "at 424 GPUs", "on average over 2 to 64 GPUs"; empty where there is no scale.
std::string place_text(const SettingComparison& comparison, const std::string& x) {
  const std::string scales = scales_compared(x, comparison);
  if (scales.empty()) return "";
  return (comparison.x || comparison.over.size() == 1 ? "at " : "on average over ") + scales;
}

/// "3 runs each", "3 runs against 6", "1 run each, so no interval".
std::string runs_text(const RelativeSetting& setting) {
  const std::string runs = counted(setting.n, "run");
  return (setting.n == setting.reference_n
              ? runs + " each"
              : fmt::format("{} against {}", runs, setting.reference_n)) +
         (setting.energy.ci ? "" : ", so no interval");
}

/// Whether the interval of the energy, corrected for the choice, shows a saving.
bool saves(const RelativeSetting& one) {
  return one.in_choice && one.energy.joint_ci && one.energy.joint_ci->upper < 1;
}

/// What a reader of a group that stays at its reference asks next: the setting of least slowdown
/// among those that are shown to save energy. Null where there is none.
const RelativeSetting* next_saving(const SettingComparison& overall) {
  const RelativeSetting* best = nullptr;
  for (const RelativeSetting& one : overall.settings) {
    if (saves(one) && (best == nullptr || one.time.ratio < best->time.ratio)) best = &one;
  }
  return best;
}

/// Of a group that stays at its reference, the next setting that saves energy, in a sentence.
struct NextSetting {
  std::string name;  ///< Of the group.
  /// "Undecided for A is 200 W: at 8 GPUs 4.3 to 23 % less energy and -8.4 to +11 % time, 3 runs
  /// each."; of one that is too slow "For A, 200 W takes ..."; empty: none is near.
  std::string sentence = {};
  bool is_undecided = false;  ///< The runs do not tell whether that setting keeps the bound.
};

/// Of a choice at one scale: the setting that the runs over all scales choose or leave undecided,
/// as they compare it. Null where there is none.
const RelativeSetting* choice_on_average(const SettingChoice& choice) {
  if (!choice.is_there()) return nullptr;
  const SettingAdvice& average = choice.found->overall.advice;
  return choice.found->overall.find(average.is_reference ? average.rival : average.setting);
}

/// "For A, 200 W is undecided on average (8.5 to 14 % less energy, 2.8 to 9.3 % more time),
/// rejected at 424 GPUs (-6.6 to +10 % energy, 12 to 31 % more time).": of a setting that is the
/// choice over all scales, or undecided there, and neither at the scale of the row; empty where
/// there is none.
std::string on_average(const std::string& name, const SettingChoice& choice, const std::string& x) {
  const RelativeSetting* const average = choice_on_average(choice);
  if (average == nullptr) return "";
  const RelativeSetting* const there = choice.comparison().find(average->setting);
  if (there == nullptr) return "";
  const bool is_choice = !choice.found->overall.advice.is_reference;
  const auto takes = [](const RelativeSetting& one) {
    return fmt::format("{}, {}", change_text(one.energy, "energy"), change_text(one.time, "time"));
  };
  return fmt::format("For {}, {} is {} on average ({}), rejected {} ({}).", name,
                     value_with_unit(choice.caps->head.setting, average->setting),
                     is_choice ? "the choice" : "undecided", takes(*average),
                     place_text(choice.comparison(), x), takes(*there));
}

NextSetting next_of(const std::string& name, const SettingChoice& choice, const std::string& x) {
  constexpr double kNear = 2;  // Times the bound; what is slower tempts nobody.
  const RelativeSetting* const rival = choice.comparison().find(choice.rival);
  const RelativeSetting* const next = rival != nullptr ? rival : next_saving(choice.comparison());
  if (next == nullptr || !choice.caps->head.options.allows(next->time.ratio, kNear)) {
    return {name, on_average(name, choice, x)};
  }
  const std::string said = value_with_unit(choice.caps->head.setting, next->setting);
  const std::string place = place_text(choice.comparison(), x);
  const std::string saving = place + (place.empty() ? "" : " ") + saving_text(*next);
  return {name,
          choice.undecided ? fmt::format("Undecided for {} is {}: {}.", name, said, saving)
                           : fmt::format("For {}, {} takes {}.", name, said, saving),
          choice.undecided};
}

/// The sentences on the next settings, undecided ones first; of many groups only the first have
/// theirs.
std::string next_sentences(std::vector<NextSetting> groups) {
  constexpr std::size_t kMost = 3;
  std::erase_if(groups, [](const NextSetting& one) { return one.sentence.empty(); });
  const auto rest = std::stable_partition(groups.begin(), groups.end(),
                                          [](const NextSetting& one) { return one.is_undecided; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, groups.size()); ++i) text += " " + groups[i].sentence;
  std::vector<std::string> others;
  for (auto one = groups.begin(); one != rest; ++one) {
    if (one - groups.begin() >= static_cast<std::ptrdiff_t>(kMost)) others.push_back(one->name);
  }
  return text + (others.empty() ? "" : fmt::format(" Undecided, too: {}.", named_groups(others)));
}

/// "; on average over 2 to 424 GPUs the choice is 200 W: 100 W takes 11 to 18 % more time"; empty
/// where the runs over all scales choose the same.
std::string average_text(const SettingChoice& choice, const std::string& x) {
  if (!choice.is_there()) return "";
  const SettingComparison& overall = choice.found->overall;
  const SettingAdvice& average = choice.found->overall.advice;
  if (average.setting == choice.setting) return "";
  const RelativeSetting* const same = overall.find(choice.setting);
  const std::string& column = choice.caps->head.setting;
  return fmt::format(
      "; {} the choice is {}{}", place_text(overall, x), value_with_unit(column, average.setting),
      same == nullptr ? ""
                      : fmt::format(": {} takes {}", value_with_unit(column, choice.setting),
                                    change_text(same->time, "time")));
}

/// "DimeNet at 424 GPUs (52 to 61 % less energy and 9.3 to 19 % less time, 3 runs each)", "X at 8
/// GPUs (undecided: ...)".
std::string moving_text(const AdvisedChoice& one, const std::string& x) {
  const SettingChoice& choice = one.choice;
  const std::string place = place_text(choice.comparison(), x);
  std::string text = fmt::format("{}{}{} ({}{}{}", one.name, place.empty() ? "" : " ", place,
                                 choice.undecided ? "undecided: " : "",
                                 saving_text(*choice.relative()), average_text(choice, x));
  if (!one.measured.empty()) text += "; " + one.measured;
  if (!choice.rival.empty()) {
    text += fmt::format("; {} is the choice there",
                        value_with_unit(choice.caps->head.setting, choice.rival));
  }
  return text + ")";
}

constexpr std::size_t kMostChoices = 8;  // Of more groups a sentence has counts only.

/// "200 W for 47 of 67 groups (9.1 to 19 % less energy), stay at 250 W for 20 (12 undecided)".
std::string counted_choices_text(const std::vector<AdvisedChoice>& choices,
                                 const std::string& column) {
  struct Groups {
    std::size_t count = 0;
    std::size_t undecided = 0;
    std::optional<Interval> energy = {};
  };
  std::map<std::string, Groups, decltype(&natural_less)> by_setting(natural_less);
  bool is_first = true;
  for (const AdvisedChoice& one : choices) {
    Groups& groups = by_setting[one.choice.setting];
    ++groups.count;
    groups.undecided += one.choice.undecided ? 1 : 0;
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

/// "stay at 1380 MHz everywhere" where each of the `rows` of the first table was compared, else
/// "stay at 1380 MHz for A and B, the only ones compared".
std::string all_staying_text(const std::vector<AdvisedChoice>& choices, const std::string& said,
                             std::size_t rows) {
  const bool is_row_each =
      choices.size() == rows &&
      std::ranges::all_of(choices, [](const AdvisedChoice& one) { return one.x.has_value(); });
  if (is_row_each && rows > 1) return fmt::format("stay at {} everywhere", said);
  std::vector<std::string> names;
  for (const AdvisedChoice& one : choices) names.push_back(one.name);
  return fmt::format("stay at {} for {}{}", said, named_groups(names),
                     choices.size() >= rows ? ""
                     : names.size() == 1    ? ", the only one compared"
                                            : ", the only ones compared");
}

/// "735 MHz for A at 8 GPUs (4.0 to 6.0 % less energy ...), stay at 1380 MHz for B", and what there
/// is to say of the next settings.
/// @param rows   How many the first table has.
/// @param alone  untried_sentence() of the setting.
std::string choices_text(const std::vector<AdvisedChoice>& choices, const std::string& column,
                         const std::string& x, std::size_t rows, const std::string& alone) {
  if (choices.size() > kMostChoices) return counted_choices_text(choices, column) + ".";
  struct Groups {
    std::vector<std::string> staying;  // Groups at their reference,
    std::vector<std::string> moving;   // and the others, with what they save.
  };
  std::map<std::string, Groups, decltype(&natural_less)> by_setting(natural_less);
  std::vector<NextSetting> next;
  for (const AdvisedChoice& one : choices) {
    Groups& groups = by_setting[one.choice.setting];
    if (one.choice.relative() != nullptr) {
      groups.moving.push_back(moving_text(one, x));
    } else {
      groups.staying.push_back(one.name);
      next.push_back(next_of(one.name, one.choice, x));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [value, groups] : by_setting) {
    const std::string said = value_with_unit(column, value);
    if (!groups.moving.empty()) {
      parts.push_back(fmt::format("{} for {}", said, named_groups(groups.moving)));
    }
    if (!groups.staying.empty()) {
      parts.push_back(groups.staying.size() == choices.size()
                          ? all_staying_text(choices, said, rows)
                          : fmt::format("stay at {} for {}", said, named_groups(groups.staying)));
    }
  }
  const bool names_compared =
      by_setting.size() == 1 && parts.size() == 1 && by_setting.begin()->second.moving.empty();
  return joined(parts, ", ") + "." + (names_compared ? "" : alone) +
         next_sentences(std::move(next));
}

/// " Only 250 W was tried for A and B."; empty where each row of the first table has a rival.
std::string untried_sentence(const ReportParts& parts, std::size_t setting) {
  const std::vector<AdvisedGroup>& rows = parts.advised;
  const std::vector<bool> alone = tried_alone(parts, setting);
  std::vector<std::string> names;
  std::set<std::string> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!alone[i]) continue;
    names.push_back(rows[i].name);
    values.insert(parts.groups()[rows[i].group].group[setting]);
  }
  if (names.empty()) return "";
  return fmt::format(
      " Only {} was tried for {}.",
      values.size() == 1 ? value_with_unit(parts.by()[setting], *values.begin()) : "one",
      named_groups(names));
}

/// " (compared at 250 W only)": the values of other settings that all groups of a comparison share
/// and rows of the first table do not; empty where the rows are like the groups.
std::string compared_at(const ReportParts& parts, const std::vector<AdvisedChoice>& choices,
                        const std::vector<std::string>& by) {
  std::vector<std::string> shared;
  const std::vector<AdvisedGroup>& rows = parts.advised;
  for (const std::size_t setting : advised_settings(parts)) {
    const std::string& column = parts.by()[setting];
    const auto found = std::ranges::find(by, column);
    if (found == by.end()) continue;  // The setting that is compared.
    const auto place = static_cast<std::size_t>(found - by.begin());
    const std::string& value = choices.front().group[place];
    const bool is_shared = std::ranges::all_of(
        choices, [&](const AdvisedChoice& one) { return one.group[place] == value; });
    const bool is_of_rows = std::ranges::all_of(rows, [&](const AdvisedGroup& row) {
      return parts.groups()[row.group].group[setting] == value;
    });
    if (is_shared && !is_of_rows) shared.push_back(said_value(column, value));
  }
  return shared.empty() ? "" : fmt::format(" (compared at {} only)", joined(shared));
}

/// Whether a group is at the setting that a comparison chooses for it.
bool has_setting(const ReportParts& parts, const GroupStudy& group, const SettingChoice& choice) {
  const auto column = std::ranges::find(parts.by(), choice.caps->head.setting);
  return group.group[static_cast<std::size_t>(column - parts.by().begin())] == choice.setting;
}

/// "13 % more time and 5.6 % less energy".
std::string changes_of(double time, std::optional<double> energy) {
  const auto text = [](double ratio, std::string_view of) {
    return fmt::format("{} % {} {}", change_in_percent(ratio), ratio < 1 ? "less" : "more", of);
  };
  return text(time, "time") + (energy ? " and " + text(*energy, "energy") : "");
}

/// Of a setting that was rejected or left undecided by the runs at one scale: what the runs say,
/// and the curves, which take the runs at all scales.
struct CurveDoubt {
  const RelativeSetting* runs;
  double time;  ///< By the curves, over that of the reference.
  std::optional<double> energy = {};
};

/// What the curves say at x of a setting in place of that of `group`; empty where one of the two
/// has no curve.
std::optional<CurveDoubt> by_curves(const ReportParts& parts, const GroupStudy& group,
                                    const std::string& column, const RelativeSetting& runs,
                                    double x) {
  const auto place = std::ranges::find(parts.by(), column) - parts.by().begin();
  GroupKey key = group.group;
  key[static_cast<std::size_t>(place)] = runs.setting;
  const auto other = std::ranges::find(parts.groups(), key, &GroupStudy::group);
  if (other == parts.groups().end()) return std::nullopt;
  const auto* const mine = std::get_if<Outlook>(&group.outlook);
  const auto* const its = std::get_if<Outlook>(&other->outlook);
  if (mine == nullptr || its == nullptr) return std::nullopt;
  CurveDoubt found{&runs, predict(its->forecast, x).median / predict(mine->forecast, x).median};
  if (mine->energy && its->energy) {
    found.energy = predict_energy(*its->energy, x).median / predict_energy(*mine->energy, x).median;
  }
  return found;
}

/// Where runs at the scale of the choice and curves lie on two sides: one has the time within the
/// bound and the other not, or one has less energy and the other more. The setting is the rival of
/// the choice, or the one that all scales together choose or leave undecided.
std::optional<CurveDoubt> curve_doubt(const ReportParts& parts, const GroupStudy& group,
                                      const SettingChoice& choice) {
  const bool stays = choice.is_there() && choice.relative() == nullptr &&
                     has_setting(parts, group, choice) &&
                     parts.origin.fit.response == Response::kTime;
  if (!stays) return std::nullopt;
  const RelativeSetting* const average = choice_on_average(choice);
  const std::string tempting =
      choice.rival.empty() && average != nullptr ? average->setting : choice.rival;
  const RelativeSetting* const runs = choice.comparison().find(tempting);
  if (runs == nullptr) return std::nullopt;
  const auto curves = by_curves(parts, group, choice.caps->head.setting, *runs, *choice.x);
  if (!curves) return std::nullopt;
  const CapsOptions& options = choice.caps->head.options;
  const bool is_doubt = options.allows(runs->time.ratio) != options.allows(curves->time) ||
                        (curves->energy && (runs->energy.ratio < 1) != (*curves->energy < 1));
  return is_doubt ? curves : std::nullopt;
}

}  // namespace

std::string saving_text(const RelativeSetting& setting) {
  return fmt::format("{} and {}, {}", change_text(setting.energy, "energy"),
                     change_text(setting.time, "time"), runs_text(setting));
}

std::optional<ReportList::Item> setting_advice(const ReportParts& parts) {
  if (parts.findings.caps.empty()) {
    if (parts.analysis().settings.empty()) return std::nullopt;
    const std::string& untold = parts.origin.untold_energy;
    return ReportList::Item{"Settings.",
                            "Not known: it takes a column of energy or power to weigh the time "
                            "that a setting costs." +
                                (untold.empty() ? "" : fmt::format(" {}.", untold))};
  }
  std::vector<std::string> sentences;
  bool is_there = false;  // At the scales of the table.
  for (std::size_t i = 0; i < parts.findings.caps.size(); ++i) {
    const std::vector<AdvisedChoice> choices = advised_choices(parts, i);
    if (choices.empty()) continue;
    is_there = is_there || std::ranges::any_of(choices, [](const AdvisedChoice& one) {
                 return one.choice.is_there();
               });
    const CapsReport& head = parts.findings.caps[i].head;
    sentences.push_back(
        fmt::format("{}{}: {}", head.setting, compared_at(parts, choices, head.study.by),
                    choices_text(choices, head.setting, parts.origin.study.x, parts.advised.size(),
                                 untried_sentence(parts, advised_settings(parts)[i]))));
    if (const std::string one = caps_common_sentence(head); !one.empty()) {
      sentences.push_back(one + ".");
    }
  }
  if (sentences.empty()) return std::nullopt;
  const CapsOptions& options = parts.findings.caps.front().head.options;
  return ReportList::Item{
      fmt::format("Settings {}, for at most {:.6g} % more time ({} intervals).",
                  is_there
                      ? fmt::format("at the {} in the table", noun_of_scale(parts.origin.study.x))
                      : "on average over " + all_scales(parts.origin.study.x),
                  100 * options.max_slowdown, percent_text(options.confidence)),
      joined(sentences, " ")};
}

std::vector<AdvisedChoice> advised_choices(const ReportParts& parts, std::size_t comparison) {
  const ReportCaps& caps = parts.findings.caps[comparison];
  const std::vector<std::size_t> place = {advised_settings(parts)[comparison]};
  std::map<GroupKey, const GroupStudy*> rows;
  for (const AdvisedGroup& one : parts.advised) {
    const GroupStudy& group = parts.groups()[one.group];
    if (group.advice) rows[key_without(group.group, place)] = &group;
  }
  const GroupNames names(caps.head.study.by, keys_of(caps.groups, &GroupCaps::group));
  std::vector<AdvisedChoice> choices;
  for (const auto& [group, found] : found_in(caps.groups)) {
    const auto row = rows.find(group);
    const std::string name = names.of(group);
    if (row == rows.end()) {
      choices.push_back({group, name, {found.overall.advice, &caps, &found}});
      continue;
    }
    const double x = row->second->advice->at.y.x;
    SettingChoice choice{caps.advice_for(row->second->group, found), &caps, &found};
    const std::string& own = row->second->group[place.front()];
    if (own != choice.setting) {
      choice.rival = std::exchange(choice.setting, own);
      choice.doubt = SettingDoubt::kNone;
    }
    choices.push_back({group, name, std::move(choice), x, narrower_range(parts, *row->second)});
  }
  return choices;
}

std::vector<bool> tried_alone(const ReportParts& parts, std::size_t setting) {
  std::map<GroupKey, std::set<std::string>> tried;
  for (const GroupStudy& group : parts.groups()) {
    tried[key_without(group.group, {setting})].insert(group.group[setting]);
  }
  std::vector<bool> alone;
  for (const AdvisedGroup& row : parts.advised) {
    alone.push_back(tried.at(key_without(parts.groups()[row.group].group, {setting})).size() == 1);
  }
  return alone;
}

std::string narrower_range(const ReportParts& parts, const GroupStudy& group) {
  const std::vector<std::size_t> settings = advised_settings(parts);
  if (settings.empty() || group.cells.empty()) return "";
  const GroupKey key = key_without(group.group, settings);
  const double least = group.cells.front().x;
  const double greatest = group.cells.back().x;
  const bool is_narrower = std::ranges::any_of(parts.groups(), [&](const GroupStudy& other) {
    return !other.cells.empty() && key_without(other.group, settings) == key &&
           (other.cells.front().x < least || other.cells.back().x > greatest);
  });
  if (!is_narrower) return "";
  const std::string& x = parts.origin.study.x;
  return (setting_of_scale(x).empty() ? "measured on " : "measured at ") +
         range_on_scale(x, least, greatest);
}

std::vector<SettingChoice> choices_for(const ReportParts& parts, const GroupStudy& group) {
  const std::vector<std::size_t> places = advised_settings(parts);
  std::vector<SettingChoice> choices;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto found = parts.caps[i].find(key_without(group.group, {places[i]}));
    if (found == parts.caps[i].end()) continue;
    const ReportCaps& caps = parts.findings.caps[i];
    choices.push_back({caps.advice_for(group.group, *found->second), &caps, found->second});
  }
  return choices;
}

std::string setting_doubt(const ReportParts& parts, const GroupStudy& group) {
  for (const SettingChoice& choice : choices_for(parts, group)) {
    const auto said = [&choice](const std::string& value) {
      return value_with_unit(choice.caps->head.setting, value);
    };
    if (choice.doubt == SettingDoubt::kFaster && has_setting(parts, group, choice)) {
      return fmt::format("faster at {} than {}", said(choice.setting),
                         said(choice.found->reference));
    }
    if (!choice.undecided) continue;
    const RelativeSetting* const rival = choice.comparison().find(choice.rival);
    const std::uint64_t runs = rival != nullptr ? rival->n : choice.comparison().reference_n;
    return fmt::format("{} or {}: undecided by {} each", said(choice.setting), said(choice.rival),
                       counted(runs, "run"));
  }
  for (const SettingChoice& choice : choices_for(parts, group)) {
    const auto doubt = curve_doubt(parts, group, choice);
    if (!doubt) continue;
    const std::string& column = choice.caps->head.setting;
    return fmt::format("{} or {}: runs and curves differ", value_with_unit(column, choice.setting),
                       value_with_unit(column, doubt->runs->setting));
  }
  return "";
}

std::vector<std::string> curve_doubts(const ReportParts& parts) {
  std::vector<std::string> texts;
  for (const AdvisedGroup& row : parts.advised) {
    const GroupStudy& group = parts.groups()[row.group];
    for (const SettingChoice& choice : choices_for(parts, group)) {
      const auto doubt = curve_doubt(parts, group, choice);
      if (!doubt) continue;
      const std::string& column = choice.caps->head.setting;
      texts.push_back(fmt::format("{} with {} in place of {} {}: {} by {}; {} by the curves",
                                  row.name, value_with_unit(column, doubt->runs->setting),
                                  value_with_unit(column, choice.setting),
                                  place_text(choice.comparison(), parts.origin.study.x),
                                  changes_of(doubt->runs->time.ratio, doubt->runs->energy.ratio),
                                  runs_text(*doubt->runs), changes_of(doubt->time, doubt->energy)));
    }
  }
  return texts;
}

std::string doubt_in_all(const ReportOrigin& origin) {
  if (!origin.level_change.empty()) return "nights of two levels are taken together";
  return takes_rate_for_time(origin) ? fmt::format("the rate {} is taken as a time", origin.study.y)
                                     : "";
}

Trust trust_in(const ReportParts& parts, const GroupStudy& group) {
  if (!group.advice || !doubt_in_all(parts.origin).empty()) return Trust::kLow;
  const auto doubt = doubt_in_demand(parts.origin, group);
  return std::max({group.advice->trust,
                   setting_doubt(parts, group).empty() ? Trust::kHigh : Trust::kFair,
                   doubt ? doubt->most : Trust::kHigh});
}

}  // namespace scalelaw
