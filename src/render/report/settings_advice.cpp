// Which settings the first screen of a report recommends, and what the others would save.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

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

Staying staying_of(const std::string& name, const std::string& column,
                   const SettingComparison& overall, const CapsOptions& options) {
  constexpr double kNear = 2;  // Times the bound; what is slower tempts nobody.
  const RelativeSetting* const next = next_saving(overall);
  if (next == nullptr || next->time.ratio > 1 + kNear * options.max_slowdown) return {name};
  const bool is_undecided = next->time.ratio <= 1 + options.max_slowdown;
  return {name,
          fmt::format("{}: {}{}", value_with_unit(column, next->setting), saving_text(*next),
                      is_undecided && next->time.ci
                          ? fmt::format(", {}: {}", percent_text(options.confidence),
                                        change_in_percent(*next->time.ci))
                          : ""),
          is_undecided};
}

/// "BERT (200 W: 11 % less energy for 6.0 % more time) and A"; undecided groups first, and of many
/// groups the next setting of the first ones only.
std::string staying_text(std::vector<Staying> groups) {
  constexpr std::size_t kMostWithNext = 3;
  std::stable_partition(groups.begin(), groups.end(),
                        [](const Staying& one) { return one.is_undecided; });
  std::vector<std::string> names;
  for (const Staying& one : groups) {
    const bool tells = !one.next.empty() && names.size() < kMostWithNext;
    const std::string words =
        fmt::format("{}{}{}", one.is_undecided ? "undecided" : "",
                    one.is_undecided && tells ? ", " : "", tells ? one.next : "");
    names.push_back(words.empty() ? one.name : fmt::format("{} ({})", one.name, words));
  }
  return named_groups(names);
}

/// "735 MHz for A (5.0 % less energy for 2.0 % more time), stay at 1380 MHz for B".
std::string choices_text(const ReportCaps& caps) {
  std::vector<GroupKey> keys;
  for (const GroupCaps& group : caps.groups) keys.push_back(group.group);
  const GroupNames names(caps.head.study.by, keys);
  const std::string& column = caps.head.setting;
  struct Choice {
    std::vector<Staying> staying;     // Groups at their reference,
    std::vector<std::string> moving;  // and the others, with what they save.
  };
  std::map<std::string, Choice, decltype(&natural_less)> choices(natural_less);
  for (const GroupCaps& group : caps.groups) {
    const Caps* const found = std::get_if<Caps>(&group.result);
    if (found == nullptr) continue;
    const SettingComparison& overall = found->overall;
    const std::string name = names.of(group.group);
    Choice& choice = choices[overall.recommended.setting];
    if (const auto* setting = overall.find(overall.recommended.setting)) {
      choice.moving.push_back(fmt::format("{} ({})", name, saving_text(*setting)));
    } else {
      choice.staying.push_back(staying_of(name, column, overall, caps.head.options));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [value, choice] : choices) {
    const std::string said = value_with_unit(column, value);
    if (!choice.moving.empty()) {
      parts.push_back(fmt::format("{} for {}", said, named_groups(choice.moving)));
    }
    if (!choice.staying.empty()) {
      parts.push_back(fmt::format("stay at {} for {}", said, staying_text(choice.staying)));
    }
  }
  return joined(parts, ", ");
}

/// "clock_mhz: 735 MHz for A (5.0 % less energy for 2.0 % more time), stay at 1380 MHz for B."
std::string advice_on(const ReportCaps& caps) {
  const auto stays_plainly = [&caps](const GroupCaps& group) {
    const Caps* const first = std::get_if<Caps>(&caps.groups.front().result);
    const Caps* const found = std::get_if<Caps>(&group.result);
    return first != nullptr && found != nullptr && found->overall.recommended.is_reference &&
           found->reference == first->reference &&
           staying_of("", caps.head.setting, found->overall, caps.head.options).next.empty();
  };
  if (!std::all_of(caps.groups.begin(), caps.groups.end(), stays_plainly)) {
    return fmt::format("{}: {}.", caps.head.setting, choices_text(caps));
  }
  const Caps& first = std::get<Caps>(caps.groups.front().result);
  return fmt::format("{}: stay at {}{}.", caps.head.setting,
                     value_with_unit(caps.head.setting, first.reference),
                     caps.groups.size() > 1 ? " everywhere" : "");
}

/// "all numbers of GPUs"; else "all values of size".
std::string all_scales(const std::string& x) {
  return fmt::format("all {} of {}", unit_of_scale(x).empty() ? "values" : "numbers",
                     units_of_scale(x));
}

}  // namespace

std::optional<ReportList::Item> setting_advice(const ReportParts& parts) {
  if (parts.findings.caps.empty()) {
    if (parts.analysis().settings.empty()) return std::nullopt;
    return ReportList::Item{"Settings.",
                            "Not known: it takes a column of energy or power to weigh the time "
                            "that a setting costs."};
  }
  std::vector<std::string> sentences;
  for (const ReportCaps& caps : parts.findings.caps) sentences.push_back(advice_on(caps));
  return ReportList::Item{
      fmt::format("Settings, with at most {:.6g} % more time on average over {}.",
                  100 * parts.findings.caps.front().head.options.max_slowdown,
                  all_scales(parts.origin.study.x)),
      joined(sentences, " ")};
}

}  // namespace scalelaw
