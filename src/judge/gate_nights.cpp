// Which nights of a baseline count, and whether they are enough.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "judge/base_changes.hpp"
#include "judge/nights.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// From here on, Student's t of the scatter between nights is near that of many nights.
constexpr std::size_t kEnoughNights = 5;

/// A fit of one group in one of several nights.
struct NightFit {
  std::size_t night;
  const Fit* fit;
};

/// The nights whose runs of a group a later night or `current` has, too. One night is left.
/// @param fits  Of the group, the oldest first.
std::vector<std::size_t> repeats_in(const std::vector<NightFit>& fits, const Fit* current) {
  std::vector<std::size_t> repeats;
  std::vector<NightFit> kept;
  for (auto one = fits.rbegin(); one != fits.rend(); ++one) {
    const bool is_repeat = std::ranges::any_of(kept, [&](const NightFit& later) {
      return later.night != one->night && are_of_same_runs(*later.fit, *one->fit);
    });
    if (is_repeat) {
      repeats.push_back(one->night);
    } else {
      kept.push_back(*one);
    }
  }
  for (const NightFit& one : kept) {
    if (kept.size() > 1 && current != nullptr && are_of_same_runs(*one.fit, *current)) {
      repeats.push_back(one.night);
    }
  }
  return repeats;
}

using FitOfGroup = std::map<GroupKey, std::vector<NightFit>>;

void add_fits(FitOfGroup& all, const SavedFits& fits, std::size_t night) {
  for (const GroupFit& group : fits.groups) {
    if (const Fit* fit = std::get_if<Fit>(&group.result)) all[group.group].push_back({night, fit});
  }
}

/// Whether a group has a fit, or runs that may stand for one.
bool has_fits(const SavedFits& fits) {
  return std::ranges::any_of(fits.groups, [&fits](const GroupFit& group) {
    return std::holds_alternative<Fit>(group.result) || fits.runs_of;
  });
}

/// Takes fits out whose runs a later night or `current` has, too, and nights without a fit.
/// @returns How many fits.
std::size_t leave_out_repeats(std::vector<SavedFits>& nights, const SavedFits& current) {
  if (nights.size() == 1) return 0;
  FitOfGroup of_current;
  add_fits(of_current, current, 0);
  FitOfGroup all;
  for (std::size_t i = 0; i < nights.size(); ++i) add_fits(all, nights[i], i);
  std::set<std::pair<std::size_t, GroupKey>> repeats;
  for (const auto& [group, fits] : all) {
    const auto found = of_current.find(group);
    const Fit* after = found == of_current.end() ? nullptr : found->second.front().fit;
    for (const std::size_t night : repeats_in(fits, after)) repeats.emplace(night, group);
  }
  for (std::size_t i = 0; i < nights.size(); ++i) {
    std::erase_if(nights[i].groups, [&](const GroupFit& group) {
      return repeats.contains({i, group.group});
    });
  }
  if (std::ranges::any_of(nights, has_fits)) {
    std::erase_if(nights, [](const SavedFits& night) { return !has_fits(night); });
  }
  return repeats.size();
}

/// Takes nights out that cannot be compared with the newest. @returns How many.
std::size_t leave_out_others(std::vector<SavedFits>& nights) {
  std::vector<SavedFits> kept;
  for (SavedFits& night : nights) {
    if (are_comparable(night, nights.back())) kept.push_back(std::move(night));
  }
  const std::size_t others = nights.size() - kept.size();
  nights = std::move(kept);
  return others;
}

/// In the order of Code.
constexpr std::array kNightCodes{
    CodeHelp{"one-night", "a change cannot be told from the usual differences between nights",
             "BASE is taken as one night. Runs differ from night to night, by the machines and the "
             "load, and one night does not tell by how much.",
             "Keep the fits of several nights in a study store (scalelaw help store), or name the "
             "column of the night with --night."},
    CodeHelp{"few-nights", "nights may look alike only because there are so few",
             "BASE has fewer than five nights, so that nobody knows well how much nights differ.",
             "Keep five nights or more, better ten."},
    CodeHelp{
        "base-changed", "BASE has nights from before and after a change",
        "The nights of BASE show a change of level among themselves. The gate judges the level "
        "of NEW, all nights since the last change, against the level before.",
        "If the change is a regression, mend it: the gate fails until then. If the new level "
        "is meant, accept it: --nights K takes the last K nights alone, and so does a new "
        "label."},
    CodeHelp{
        "night-apart", "a night of BASE stands apart and may hide a change",
        "One night of BASE, or a few, lie apart from their level by more than the others differ. "
        "Nights would seem to differ more than they do, so that a slower NEW may pass. The gate "
        "judges without them.",
        "Look at what happened in that night. --without-night NIGHT leaves it out, and "
        "--all-nights lets it count."},
    CodeHelp{"level-changed", "runs from before and after a change are taken together",
             "A column of the table names nights, and the nights show a change of level, as a "
             "gate finds it among the nights of BASE. All of them together are neither the old "
             "nor the new level.",
             "Take the rows since the change alone: the warning has the command, with --where."}};

enum Code : std::uint8_t { kOneNight, kFewNights, kBaseChanged, kNightApart, kLevelChanged };

/// Whether some group, or all together, is worse.
bool shows_worse(const Gate& gate) {
  return gate.count(GateVerdict::kWorse) > 0 ||
         std::ranges::any_of(gate.shared, [](const SharedChange& shared) {
           return shared.comparison.verdict == GateVerdict::kWorse;
         });
}

/// How one comes to more nights than one.
std::string remedy_of_one_night(const Gate& gate, const NightColumns& columns) {
  if (gate.night_noun != "night") {
    return fmt::format("More {}s in BASE tell that; --nights 1 leaves them out", gate.night_noun);
  }
  if (!columns.unasked.empty()) {
    return fmt::format("If its column '{0}' names nights, add --night {0}", columns.unasked);
  }
  if (!columns.named.empty()) return "Runs of both on several nights tell that.";
  return std::string(kNightCodes[kOneNight].remedy);
}

std::string text_of_one_night(const Gate& gate, const NightColumns& columns) {
  const std::string remedy = remedy_of_one_night(gate, columns);
  if (shows_worse(gate)) {
    return fmt::format(
        "NEW is worse than BASE by more than runs scatter, but BASE may be one {0} only, and "
        "nothing tells by how much {0}s differ. {1}",
        gate.night_noun, remedy);
  }
  return fmt::format(
      "BASE is taken as one {0}: a change cannot be told from the usual differences between {0}s. "
      "{1}",
      gate.night_noun, remedy);
}

std::string text_of_few_nights(const Gate& gate) {
  const CodeHelp& help = kNightCodes[kFewNights];
  if (gate.night_noun != "night") {
    return fmt::format(
        "BASE has {}, which count as repeats of one level: so few hardly tell by how much they "
        "differ, and intervals and verdicts are unsure. --nights 1 compares with the last one "
        "alone",
        counted(gate.nights, gate.night_noun));
  }
  return fmt::format("BASE has {} nights, and {}: intervals and verdicts are unsure. {}",
                     gate.nights, help.brief, help.remedy);
}

/// How one accepts the new level.
std::string acceptance_of(const Gate& gate) {
  return fmt::format(
      "If it is meant, accept the new level: --nights {} takes the {}s since then alone, and a "
      "new label of a store does the same",
      gate.base_change->nights, gate.night_noun);
}

std::string text_of_change(const Gate& gate, const OtherNights& others) {
  const BaseChange& change = *gate.base_change;
  const std::string more =
      change.groups > 1 ? fmt::format("; {} groups changed", change.groups) : "";
  const std::string head =
      fmt::format("BASE itself changed {} ({}{})", place_of_change(gate), size_of(change), more);
  if (others.with.empty()) {
    return fmt::format(
        "{}: BASE mixes {}s from before and after a change. By their levels the gate says "
        "\"{}\". {}",
        head, gate.night_noun, others.without, acceptance_of(gate));
  }
  return fmt::format(
      "{}, and each level counts by itself; by all {}s as one the gate says \"{}\"{}", head,
      gate.night_noun, others.with, change.is_worse ? ". " + acceptance_of(gate) : "");
}

/// "2026-11-05 (seconds of all groups +32 %)".
std::string text_of_night(const NightApart& night, bool has_groups) {
  std::string of;
  if (!night.group.empty()) {
    of = " of " + joined(night.group);
    if (night.groups > 1) of += fmt::format(" and {} more", night.groups - 1);
  } else if (has_groups) {
    of = " of all groups";
  }
  return fmt::format("{} ({}{} {:+.2g} %)", night.night, night.y, of,
                     100 * std::expm1(night.change));
}

std::string text_of_nights_apart(const Gate& gate, const OtherNights& others) {
  const std::vector<NightApart>& nights = gate.nights_apart;
  const bool one = nights.size() == 1;
  const bool has_groups =
      std::ranges::any_of(gate.groups, [](const GateGroup& group) { return !group.group.empty(); });
  const std::string head = fmt::format(
      "{0} {1} from the level of the other {2}s of BASE by more than these differ among each other",
      joined_texts(nights, ", ",
                   [&](const auto& night) { return text_of_night(night, has_groups); }),
      one ? "differs" : "differ", gate.night_noun);
  const std::string them = one ? "it" : "them";
  const std::string happened =
      gate.night_noun == "night" ? "happened then" : "changed with " + them;
  if (others.with.empty()) {
    return fmt::format("{}. Without {} the gate says \"{}\". Look at what {}", head, them,
                       others.without, happened);
  }
  return fmt::format(
      "{}. {} left out: by all {}s as one level the gate says \"{}\". Look at what {}; "
      "--all-nights lets {} count",
      head, one ? "It is" : "They are", gate.night_noun, others.with, happened, them);
}

}  // namespace

std::vector<std::string> set_nights(GatePair& pair, std::vector<SavedFits> nights,
                                    std::size_t last) {
  std::vector<std::string> sentences;
  const std::string source = input_name(nights.back().source);
  const std::size_t others = leave_out_others(nights);
  if (others > 0) {
    sentences.push_back(
        fmt::format("{}: {} of other columns or another law than the newest left out", source,
                    counted(others, "night")));
  }
  const std::size_t repeats = leave_out_repeats(nights, pair.current);
  if (repeats > 0) {
    sentences.push_back(
        fmt::format("{}: {} of earlier nights left out: a later night or NEW has the same runs",
                    source, counted(repeats, "fit")));
  }
  if (last > 0 && nights.size() > last) {
    nights.erase(nights.begin(), nights.end() - static_cast<std::ptrdiff_t>(last));
  }
  pair.base = std::move(nights.back());
  nights.pop_back();
  pair.earlier = std::move(nights);
  return sentences;
}

std::span<const CodeHelp> night_codes() { return kNightCodes; }

std::vector<std::string> codes_of_nights(const Gate& gate) {
  std::vector<std::string> codes;
  const auto add = [&codes](Code code) { codes.emplace_back(kNightCodes[code].code); };
  const bool compares = std::ranges::any_of(
      gate.groups, [](const auto& group) { return !group.comparisons.empty(); });
  if (compares && gate.nights < kEnoughNights) add(gate.nights == 1 ? kOneNight : kFewNights);
  if (gate.base_change) add(kBaseChanged);
  if (!gate.nights_apart.empty()) add(kNightApart);
  return codes;
}

std::string place_of_change(const Gate& gate) {
  const std::string& since = gate.base_change->since;
  return gate.night_noun == "night" ? "on " + since
                                    : fmt::format("with {} {}", gate.night_noun, since);
}

std::string size_of(const BaseChange& change) {
  const bool is_curve = change.figure == "curve" || change.figure == "runs";
  std::string text = is_curve ? change.y : change.figure;
  if (!change.group.empty()) text += " of " + joined(change.group);
  if (!is_curve) return text + fmt::format(" {:+.2g}", change.change);
  text += fmt::format(" {:+.2g} %", 100 * std::expm1(change.change));
  if (change.figure == "runs") return text;
  return change.x ? text + fmt::format(" by the law at {} = {:.3g}", change.scale, *change.x)
                  : text;
}

std::vector<std::string> warnings_of_nights(const Gate& gate, const NightColumns& columns,
                                            const OtherNights& others) {
  const auto text_of = [&](const std::string& code) {
    if (code == kNightCodes[kOneNight].code) return text_of_one_night(gate, columns);
    if (code == kNightCodes[kFewNights].code) return text_of_few_nights(gate);
    if (code == kNightCodes[kNightApart].code) return text_of_nights_apart(gate, others);
    return text_of_change(gate, others);
  };
  std::vector<std::string> warnings;
  for (const std::string& code : codes_of_nights(gate)) {
    warnings.push_back(fmt::format("{}: {}", code, text_of(code)));
  }
  return warnings;
}

std::string warning_of_level_change(const BaseChange& change, const std::string& command) {
  const std::string more =
      change.groups > 1 ? fmt::format("; {} groups changed", change.groups) : "";
  return fmt::format(
      "{}: runs from before and after {} are taken together, and the level changed there ({}{}). "
      "For the runs since then{}",
      kNightCodes[kLevelChanged].code, change.since, size_of(change), more,
      command.empty() ? " name their nights with --where" : ": " + command);
}

std::optional<double> findable_loss(const GateComparison& comparison, std::size_t family,
                                    double confidence) {
  constexpr double kFound = 0.8;
  const GateChange& change = comparison.change;
  const bool has_errors = change.se && *change.se > 0 && change.dof;
  if (!comparison.nights || !has_errors) return std::nullopt;
  // What is worse alone is adjusted for the whole family.
  const double shown =
      student_t_factor(1 - (1 - confidence) / static_cast<double>(family), *change.dof);
  const double found = student_t_factor(2 * kFound - 1, *change.dof);
  return comparison.limit + (shown + found) * *change.se;
}

}  // namespace scalelaw
