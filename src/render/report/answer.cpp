// The first screen of a report: what to use, what it takes, and how far to trust it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "render/fit_sentence.hpp"
#include "render/reader_words.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

using Places = std::vector<std::size_t>;

/// How many choices are the values of the group; -1 if one is another. What the runs at its scale
/// show counts more than an average.
int votes_for(const ReportParts& parts, const GroupStudy& group, bool is_over_all) {
  int votes = 0;
  for (const SettingChoice& choice : choices_for(parts, group)) {
    const auto found = std::ranges::find(parts.by(), choice.caps->head.setting);
    const auto place = static_cast<std::size_t>(found - parts.by().begin());
    const std::string& setting =
        is_over_all ? choice.found->overall.recommended.setting : choice.setting;
    if (setting != group.group[place]) return -1;
    const bool is_shown_there = choice.is_there() && choice.relative() != nullptr;
    votes += is_shown_there && !is_over_all ? 2 : 1;
  }
  return votes;
}

// The table.

struct AdviceRow {
  const ReportParts& parts;
  const GroupStudy& group;
  bool is_only_setting = false;  ///< No other value of the settings that are shown was tried.

  const Advice* advice() const { return pointer_to(group.advice); }
};

std::string limit_text(const ReportParts& parts, const GroupStudy& group) {
  const Advice& advice = *group.advice;
  const std::string& x = parts.origin.study.x;
  switch (advice.limit) {
    case TrustLimit::kNoInterval:
      return "too few runs for an interval";
    case TrustLimit::kFewScales:
      return fmt::format("only {} {}", group.ranking.distinct_x, several_scales(x));
    case TrustLimit::kMissed:
      return fmt::format("runs at {} do not forecast {}",
                         setting_of_scale(x).empty() ? "fewer" : "smaller ones",
                         place_on_scale(x, group.ranking.x_max));
    case TrustLimit::kBent:
      return "the curve bends away from a power law";
    case TrustLimit::kUneven:
      return "the means lie further from a power law than runs scatter";
    case TrustLimit::kWarned:
      return fmt::format("warning {} of its law", name_of(*advice.warning));
    case TrustLimit::kScatter:
      break;
  }
  const std::string_view how = advice.trust == Trust::kHigh ? "within" : "only within";
  if (*advice.reach > 1) {
    return fmt::format("new runs {} a factor of {}", how,
                       with_significant_digits(1 + *advice.reach, 2));
  }
  return fmt::format("new runs {} {}", how, shown_text(*advice.reach, percent(0)));
}

std::string failure_text(const GroupStudy& group) {
  const NoFit* const failure = std::get_if<NoFit>(&group.outlook);
  return fmt::format("no law ({})",
                     failure != nullptr ? name_of(failure->code) : "no value at these scales");
}

/// The same behind the word for it, and where else a setting is in doubt: "fair: 10 GPUs are beyond
/// the data; 400 or 200 W: undecided by 3 runs each".
std::string trust_text(const AdviceRow& row) {
  const std::string reason = trust_reason(row.parts, row.group);
  const std::string setting =
      row.advice() != nullptr ? setting_doubt(row.parts, row.group) : std::string();
  return fmt::format("{}: {}{}", name_of(trust_in(row.parts, row.group)), reason,
                     setting.empty() || setting == reason ? "" : "; " + setting);
}

Sheet<AdviceRow> advice_sheet(const ReportParts& parts, const Places& settings) {
  using Row = AdviceRow;
  const ReportOrigin& origin = parts.origin;
  Sheet<Row> sheet(key_without(parts.by(), advised_settings(parts)));
  const auto at = sheet.part(
      [](const Row& row) { return row.advice() != nullptr ? &row.advice()->at : nullptr; });
  const auto y = sheet.part(
      [](const Row& row) { return row.advice() != nullptr ? &row.advice()->at.y : nullptr; });
  y.add("x", &Prediction::x).as(scale_value()).titled(origin.study.x);
  if (!settings.empty()) {
    const auto values = [&parts, settings](const Row& row) {
      const std::string measured = narrower_range(parts, row.group);
      const std::string said = joined_texts(settings, ", ", [&](std::size_t place) {
        return value_with_unit(parts.by()[place], row.group.group[place]);
      });
      if (row.is_only_setting) return fmt::format("({})", said);
      return measured.empty() ? said : fmt::format("{} ({})", said, measured);
    };
    sheet.for_people("setting", values).titled("setting");
  }
  y.add("median", &Prediction::median).titled(label_with_unit(origin.study.y, origin.study.y_unit));
  if (!origin.energy.empty()) {
    const auto kwh = [](const Row& row) {
      return row.advice() != nullptr ? pointer_to(row.advice()->at.kwh) : nullptr;
    };
    sheet.part(kwh).add("kwh", &Prediction::median).titled("kWh");
  } else if (origin.hours_per_unit) {
    at.add("gpu_hours", &ScaleOutlook::gpu_hours).titled("GPU-hours");
  }
  if (parts.ideal() == Ideal::kFaster) {
    y.add("efficiency", &Prediction::efficiency).as(percent(0)).titled("efficiency");
  }
  for (const AskedDemand& asked : asked_demands(origin)) {
    sheet
        .for_people(asked.name, [demand = asked.demand](
                                    const Row& row) { return demanded_text(row.group, demand); })
        .titled(asked.title);
  }
  sheet.for_people("trust", trust_text).titled("trust");
  return sheet;
}

/// The settings that differ between the rows, and of the others what they are: "at 1380 MHz". All
/// of them where none differs.
std::pair<Places, std::string> shown_settings(const ReportParts& parts) {
  const std::vector<AdvisedGroup>& advised = parts.advised;
  const auto value = [&](const AdvisedGroup& one, std::size_t place) {
    return parts.groups()[one.group].group[place];
  };
  const Places all = advised_settings(parts);
  Places shown;
  std::string common;
  for (const std::size_t place : all) {
    const bool differs = std::ranges::any_of(advised, [&](const AdvisedGroup& one) {
      return value(one, place) != value(advised.front(), place);
    });
    if (differs) shown.push_back(place);
    if (!differs) {
      common += (common.empty() ? "at " : ", ") +
                value_with_unit(parts.by()[place], value(advised.front(), place));
    }
  }
  return shown.empty() ? std::pair(all, std::string()) : std::pair(shown, common);
}

/// "largest measured number of GPUs at which the curve keeps half of the ideal speedup".
std::string chosen_scale(const ReportParts& parts) {
  const StudyReport& study = parts.origin.study;
  const std::string noun = noun_of_scale(study.x);
  switch (parts.ideal()) {
    case Ideal::kFaster:
      return fmt::format(
          "largest measured {} at which the curve keeps half of the ideal speedup over the "
          "smallest",
          noun);
    case Ideal::kAsLong:
      return fmt::format(
          "largest measured {} at which a run takes, by the curve, at most twice as long as at the "
          "smallest",
          noun);
    case Ideal::kNone:
      break;
  }
  return fmt::format("measured {} with the {} {} by the curve", noun,
                     parts.origin.fit.response == Response::kRate ? "greatest" : "least", study.y);
}

/// How the first table was made.
/// @param settings, common  As shown_settings() gives them.
/// @param any_untried       Some row says that its setting is the only one that was tried.
std::string advice_caption(const ReportParts& parts, const Places& settings,
                           const std::string& common, bool any_untried) {
  const ReportOrigin& origin = parts.origin;
  std::string text = fmt::format("What to use. Each row takes the {}.", chosen_scale(parts));
  if (!settings.empty()) {
    text += fmt::format(
        " The setting is the greatest that was tried{}, unless the runs at that number or over all "
        "show that another saves energy for at most {:.6g} % more time{}.",
        any_untried ? " (in brackets: the only one)" : "",
        100 * parts.findings.caps.front().head.options.max_slowdown,
        common.empty() ? "" : fmt::format("; all {}", common));
  }
  text += fmt::format(" {}{} of new runs", origin.study.y,
                      origin.energy.empty() ? " is the median" : " and kWh are medians");
  if (!origin.energy.empty()) {
    text += fmt::format(", kWh at a PUE of {:.6g}", origin.footprint.pue);
  }
  if (parts.ideal() == Ideal::kFaster) text += ". Efficiency is that of the curve";
  if (origin.fit.rate_of_one) {
    text += fmt::format(" and of {} together, as '{}' is a rate of one",
                        "all " + units_of_scale(origin.study.x), origin.study.y);
  }
  const std::vector<AskedDemand> asked = asked_demands(origin);
  text += fmt::format(
      ". Trust is high where new runs come within {:g} % and {}, fair within {:g} %, else low{}.",
      100 * kCloseRuns,
      parts.findings.caps.empty() ? "the law is not in doubt"
                                  : "neither law nor setting is in doubt",
      100 * kFarRuns,
      asked.empty() ? "" : fmt::format("; it counts the answer in {}", asked.front().title));
  return text;
}

ReportTable advice_table(const ReportParts& parts) {
  const std::vector<AdvisedGroup>& advised = parts.advised;
  const auto [settings, common] = shown_settings(parts);
  SheetTable rows(advice_sheet(parts, settings));
  std::vector<bool> is_only(advised.size(), !settings.empty());
  for (const std::size_t place : settings) {
    const std::vector<bool> alone = tried_alone(parts, place);
    for (std::size_t i = 0; i < advised.size(); ++i) is_only[i] = is_only[i] && alone[i];
  }
  for (std::size_t i = 0; i < advised.size(); ++i) {
    rows.add(advised[i].key, AdviceRow{parts, parts.groups()[advised[i].group], is_only[i]});
  }
  ReportTable table{.id = "advice-table",
                    .caption = advice_caption(parts, settings, common, contains(is_only, true)),
                    .table = rows.take()};
  table.levels = table.table.columns().size() - 1;
  return table;
}

// Statements.

/// A factor from 1, and the group that has it.
struct Change {
  double ratio;
  std::string name;
  std::optional<Interval> ci;
};

/// "26 % (SchNet) to 45 % (BERT) less": the smaller change first; empty without changes.
std::string changes_text(const std::vector<Change>& changes) {
  if (changes.empty()) return "";
  const auto [least, greatest] = std::ranges::minmax_element(changes, {}, &Change::ratio);
  const auto direction = [](const Change& change) -> std::string_view {
    return change.ratio < 1 ? "less" : "more";
  };
  const auto amount = [&changes](const Change& change) {
    return fmt::format("{} %{}", change_in_percent(change.ratio),
                       changes.size() > 1 ? fmt::format(" ({})", change.name) : "");
  };
  if (changes.size() == 1) return fmt::format("{} {}", amount(*least), direction(*least));
  if (least->ratio < 1 && greatest->ratio >= 1) {
    return fmt::format("{} less to {} more", amount(*least), amount(*greatest));
  }
  if (change_in_percent(least->ratio) == change_in_percent(greatest->ratio) &&
      direction(*least) == direction(*greatest)) {
    return fmt::format("{} % {}", change_in_percent(least->ratio), direction(*least));
  }
  const bool falls = least->ratio < 1;
  return fmt::format("{} to {} {}", amount(falls ? *greatest : *least),
                     amount(falls ? *least : *greatest), direction(*least));
}

/// How far from a factor the ends of its interval lie, in percentage points.
double error_of(const Change& change) {
  return 100 * std::max(change.ci->upper - change.ratio, change.ratio - change.ci->lower);
}

/// ", each ± 0.8 percentage points at most (95 %)"; that of one change alone: ", ± 0.8 ...". Says
/// where some have no interval.
std::string certainty_of(const std::vector<Change>& changes, double confidence) {
  double greatest = 0;
  for (const Change& change : changes) {
    if (!change.ci) return ", too few runs for an interval";
    greatest = std::max(greatest, error_of(change));
  }
  if (changes.empty()) return "";
  return fmt::format(", {}± {} percentage points{} ({})", changes.size() > 1 ? "each " : "",
                     with_significant_digits(greatest, 2), changes.size() > 1 ? " at most" : "",
                     percent_text(confidence));
}

/// The groups whose laws are worth telling: those with some trust, or all if none has it.
std::vector<AdvisedGroup> trusted(const ReportParts& parts) {
  std::vector<AdvisedGroup> some;
  for (const AdvisedGroup& one : parts.advised) {
    const auto& advice = parts.groups()[one.group].advice;
    if (advice && advice->trust != Trust::kLow) some.push_back(one);
  }
  return some.empty() ? parts.advised : some;
}

std::vector<Change> time_changes(const ReportParts& parts, const std::vector<AdvisedGroup>& told) {
  std::vector<Change> changes;
  for (const AdvisedGroup& one : told) {
    const GroupStudy& group = parts.groups()[one.group];
    if (!group.reach || !group.reach->doubling) continue;
    const auto doubling = doubling_of(*fit_of(group));
    changes.push_back({*group.reach->doubling, one.name, doubling ? doubling->ci : std::nullopt});
  }
  return changes;
}

std::vector<Change> energy_changes(const ReportParts& parts,
                                   const std::vector<AdvisedGroup>& told) {
  std::vector<Change> changes;
  if (!parts.findings.energy) return changes;
  std::map<GroupKey, Doubling> twice;
  for (const auto& [group, scaling] : found_in(parts.findings.energy->groups)) {
    const auto* const exponents = std::get_if<EnergyExponents>(&scaling.exponents);
    if (exponents == nullptr || scaling.workload.is_per_sample()) continue;
    if (const auto doubling = doubling_of(exponents->energy)) twice[group] = *doubling;
  }
  for (const AdvisedGroup& one : told) {
    const auto found = twice.find(parts.groups()[one.group].group);
    if (found == twice.end()) continue;
    changes.push_back({found->second.ratio, one.name, found->second.ci});
  }
  return changes;
}

/// The share of the ideal speedup that a power law keeps between two scales, by the ends of its
/// exponent's interval; empty where that is not known.
std::optional<Interval> efficiency_interval(const ReportParts& parts, const GroupStudy& group) {
  const auto beta = power_exponent_interval(parts, group);
  if (!beta || !group.advice) return std::nullopt;
  const double ratio = group.advice->at.y.x / fit_of(group)->x_min;
  return Interval{std::pow(ratio, beta->lower - 1), std::pow(ratio, beta->upper - 1)};
}

/// "; narrowly by BERT (95 %: 48 to 55 %)": rows that by the interval of their exponents may as
/// well keep less.
std::string close_calls(const ReportParts& parts) {
  std::vector<std::string> close;
  for (const AdvisedGroup& one : parts.advised) {
    const GroupStudy& group = parts.groups()[one.group];
    const auto kept = efficiency_interval(parts, group);
    if (!kept || group.advice->trust == Trust::kLow || kept->lower >= kEfficient ||
        kept->upper <= kEfficient)
      continue;
    close.push_back(
        fmt::format("{} ({}{:.0f} to {:.0f} %)", one.name,
                    close.empty() ? percent_text(parts.origin.fit.confidence) + ": " : "",
                    100 * kept->lower, 100 * kept->upper));
  }
  return close.empty() ? "" : "; narrowly by " + named_groups(close);
}

/// "Half of the ideal speedup is kept up to 424 GPUs by BERT and DimeNet, 128 by ResNet50. ...": of
/// few rows; the table has them of many.
std::string numbers_sentence(const ReportParts& parts) {
  constexpr std::size_t kMostRows = 8;
  const std::size_t rows = parts.advised.size();
  if (rows < 2 || rows > kMostRows || parts.ideal() != Ideal::kFaster) return "";
  std::map<double, std::vector<std::string>, std::greater<>> by_scale;
  for (const AdvisedGroup& one : parts.advised) {
    const GroupStudy& group = parts.groups()[one.group];
    if (group.advice) by_scale[group.advice->at.y.x].push_back(one.name);
  }
  if (by_scale.empty()) return "";
  const std::string texts = joined_texts(by_scale, ", ", [&](const auto& entry) {
    const bool is_first = &entry == &*by_scale.begin();
    return fmt::format(
        "{} by {}",
        is_first ? place_on_scale(parts.origin.study.x, entry.first) : scale_text(entry.first),
        named_groups(entry.second));
  });
  return fmt::format("Half of the ideal speedup is kept up to {}{}. ", texts, close_calls(parts));
}

/// "twice the GPUs take 26 % less time"; of a loss "doubling flops means 3.2 % less loss".
std::string doubling_clause(const ReportParts& parts, const std::string& change) {
  const std::string& x = parts.origin.study.x;
  const std::string& y = parts.origin.study.y;
  if (!parts.has_speedup()) {
    return fmt::format("doubling {} means {} {}", the_scale(x), change, parts.words().noun);
  }
  const bool is_rate =
      parts.origin.fit.response == Response::kRate || takes_rate_for_time(parts.origin);
  return fmt::format("twice {} {}{} {} {}", the_scale(x), parts.words().have,
                     setting_of_scale(x).empty() ? "" : "s", change,
                     is_rate ? std::string_view(y) : parts.words().noun);
}

void add_scale_advice(const ReportParts& parts, ReportList& list) {
  const std::string& x = parts.origin.study.x;
  const std::string units = units_of_scale(x);
  const std::vector<AdvisedGroup> told = trusted(parts);
  const std::vector<Change> times = time_changes(parts, told);
  std::vector<Change> all = energy_changes(parts, told);
  const std::string time = changes_text(times);
  const std::string energy = changes_text(all);
  all.insert(all.end(), times.begin(), times.end());
  const std::string twice =
      time.empty() ? fmt::format("Nothing can be said: no group has a law over several {}.", units)
                   : fmt::format("On average over what was measured, by the {}, {}{}{}.",
                                 parts.advised.size() == 1 ? "law" : "laws of these rows",
                                 doubling_clause(parts, time),
                                 energy.empty() ? "" : fmt::format(" and {} energy", energy),
                                 certainty_of(all, parts.origin.fit.confidence));
  const std::string lead = !parts.has_speedup() ? "How it changes."
                           : setting_of_scale(x).empty()
                               ? fmt::format("How many {}.", units)
                               : fmt::format("Which {}.", noun_of_scale(x));
  list.items.push_back({lead, deadline_sentence(parts) + numbers_sentence(parts) + twice});
  if (!parts.work_grows()) return;
  list.items.push_back(
      {"Weak scaling.",
       growing_work_clause(parts.origin.study.x, parts.origin.study.growing_work) +
           ", so a time that stays the same is ideal, and nothing here is a speedup."});
}

/// Rows that are not trusted highly, with their reasons where they are few: " for BERT (a bend) and
/// VGG16 (an outlier)"; of the only row ": a bend".
std::string doubted_text(const ReportParts& parts, const std::vector<AdvisedGroup>& doubted) {
  constexpr std::size_t kMostNamed = 6;    // Of more the table has the names,
  constexpr std::size_t kMostReasons = 3;  // and the reasons.
  const auto reason = [&parts](const AdvisedGroup& one) {
    return trust_reason(parts, parts.groups()[one.group]);
  };
  const std::size_t rows = parts.advised.size();
  if (rows == 1) return ": " + reason(doubted.front());
  if (doubted.size() > kMostNamed) {
    return fmt::format(" for {} of {} rows of the table", doubted.size(), rows);
  }
  std::vector<std::string> texts;
  for (const AdvisedGroup& one : doubted) {
    texts.push_back(doubted.size() > kMostReasons ? one.name
                                                  : fmt::format("{} ({})", one.name, reason(one)));
  }
  return fmt::format(" for {}{}", named_groups(texts),
                     doubted.size() > kMostReasons ? " (the table says why)" : "");
}

/// "laws not told apart, warnings few-x and curved": the kinds of doubts of a list.
std::string kinds_of(const ReportList& doubts) {
  constexpr std::string_view kWarning = "Warning ";
  std::vector<std::string> kinds;
  std::vector<std::string> warnings;
  for (const ReportList::Item& doubt : doubts.items) {
    std::string words = doubt.lead.substr(0, doubt.lead.size() - 1);
    if (words.starts_with(kWarning)) {
      warnings.push_back(words.substr(kWarning.size()));
      continue;
    }
    if (words.front() >= 'A' && words.front() <= 'Z') words.front() += 'a' - 'A';
    kinds.push_back(std::move(words));
  }
  if (!warnings.empty()) {
    kinds.push_back(
        fmt::format("warning{} {}", warnings.size() > 1 ? "s" : "", named_groups(warnings)));
  }
  return joined(kinds);
}

void add_trust_advice(const ReportParts& parts, ReportList& list) {
  std::vector<AdvisedGroup> low;
  std::vector<AdvisedGroup> fair;
  double greatest = 0;
  for (const AdvisedGroup& one : parts.advised) {
    const GroupStudy& group = parts.groups()[one.group];
    if (group.reach) greatest = std::max(greatest, group.reach->x_max);
    const Trust trust = trust_in(parts, group);
    if (trust == Trust::kHigh) continue;
    (trust == Trust::kLow ? low : fair).push_back(one);
  }
  std::string text;
  const auto add = [&](std::string_view beginning, const std::vector<AdvisedGroup>& doubted) {
    if (doubted.empty()) return;
    text += fmt::format("{}{}. ", beginning, doubted_text(parts, doubted));
  };
  add("Trust is low", low);
  add("Trust is only fair", fair);
  if (greatest > 0) {
    text += fmt::format(
        "There are no runs above {}: forecasts there assume that the laws go on. In simulations "
        "their 95 % intervals held 85 % of new runs or more, whatever the law, up to {:g} times "
        "that.",
        place_on_scale(parts.origin.study.x, greatest), kCheckedReach);
  }
  if (const ReportList more = doubt_list(parts); !more.items.empty()) {
    text += fmt::format("{}More doubts below: {}.", text.empty() || text.ends_with(' ') ? "" : " ",
                        kinds_of(more));
  }
  if (!text.empty()) list.items.push_back({"What not to believe.", std::move(text)});
}

// Key figures.

ReportList::Item runs_figure(const ReportParts& parts) {
  double least = 0;
  double greatest = 0;
  for (const GroupStudy& group : parts.groups()) {
    if (group.cells.empty()) continue;
    least = least == 0 ? group.cells.front().x : std::min(least, group.cells.front().x);
    greatest = std::max(greatest, group.cells.back().x);
  }
  return {counted(parts.origin.study.rows.used, "run"),
          fmt::format("in {}, {}", counted(parts.groups().size(), "group"),
                      range_on_scale(parts.origin.study.x, least, greatest))};
}

/// The best mean of runs, and where they are.
std::optional<ReportList::Item> best_figure(const ReportParts& parts) {
  std::optional<ReportList::Item> figure;
  const bool less = parts.origin.fit.response == Response::kTime;
  double best = 0;
  for (const GroupStudy& group : parts.groups()) {
    for (const Cell& cell : group.cells) {
      if (figure && (less ? cell.mean >= best : cell.mean <= best)) continue;
      best = cell.mean;
      figure = ReportList::Item{
          with_significant_digits(cell.mean, 4),
          fmt::format("{} {} that was measured: {} at {}", parts.words().best, parts.words().noun,
                      parts.names.of(group.group), place_on_scale(parts.origin.study.x, cell.x))};
    }
  }
  return figure;
}

/// How far the groups scale; nothing where the only one was measured at one scale, and without an
/// ideal.
std::optional<ReportList::Item> reach_figure(const ReportParts& parts) {
  const std::vector<AdvisedGroup>& advised = parts.advised;
  const std::string& x = parts.origin.study.x;
  if (!parts.has_speedup()) return best_figure(parts);
  if (parts.ideal() == Ideal::kNone) return std::nullopt;
  if (advised.size() == 1) {
    const GroupStudy& group = parts.groups()[advised.front().group];
    const auto end = efficient_up_to(group);
    if (!group.reach || !end) return std::nullopt;
    const std::string_view s = is_one_place(x, *end) ? "s" : "";
    return ReportList::Item{
        place_on_scale(x, *end),
        parts.work_grows() ? fmt::format("take{} at most twice the time of the smallest scale", s)
                           : fmt::format("keep{} half of the ideal speedup", s)};
  }
  const auto able = std::ranges::count_if(advised, [&parts](const AdvisedGroup& one) {
    const GroupStudy& group = parts.groups()[one.group];
    return group.reach && efficient_up_to(group) == group.reach->x_max;
  });
  return ReportList::Item{
      fmt::format("{} of {}", able, advised.size()),
      fmt::format("rows {} at the largest {}",
                  parts.work_grows() ? "still take at most twice their time at the smallest"
                                     : "keep half of the ideal speedup",
                  noun_of_scale(x))};
}

/// The greatest saving of a setting that is chosen; nothing where settings are not compared.
std::optional<ReportList::Item> saving_figure(const ReportParts& parts) {
  if (parts.findings.caps.empty()) return std::nullopt;
  const RelativeSetting* best = nullptr;
  ReportList::Item figure{"0 %", "energy that a setting is shown to save in its time bound"};
  for (const AdvisedGroup& one : parts.advised) {
    for (const SettingChoice& choice : choices_for(parts, parts.groups()[one.group])) {
      const RelativeSetting* const setting = choice.relative();
      if (setting == nullptr || choice.undecided) continue;
      if (best != nullptr && best->energy.ratio <= setting->energy.ratio) continue;
      best = setting;
      figure = {
          fmt::format("{} %", change_in_percent(setting->energy.ratio)),
          fmt::format(
              "less energy at most: {} for {}{}{}",
              value_with_unit(choice.caps->head.setting, setting->setting), one.name,
              choice.is_there() ? " at " + place_on_scale(parts.origin.study.x, *choice.x) : "",
              setting->energy.ci
                  ? fmt::format(" ({}: {})", percent_text(choice.caps->head.options.confidence),
                                change_in_percent(*setting->energy.ci))
                  : "")};
    }
  }
  return figure;
}

ReportList::Item trust_figure(const ReportParts& parts) {
  const std::vector<AdvisedGroup>& advised = parts.advised;
  const auto trust = [&parts](const AdvisedGroup& one) {
    return trust_in(parts, parts.groups()[one.group]);
  };
  if (advised.size() == 1) {
    return {std::string(name_of(trust(advised.front()))), "trust in the answer"};
  }
  const auto high = std::ranges::count_if(
      advised, [&](const AdvisedGroup& one) { return trust(one) == Trust::kHigh; });
  return {fmt::format("{} of {}", high, advised.size()), "rows have high trust"};
}

ReportFigure chart_of(const ReportParts& parts) {
  constexpr std::size_t kMostCharted = 200;  // The figure says how many it draws.
  std::vector<DrawnGroup> drawn;
  for (const AdvisedGroup& one : parts.advised) {
    if (drawn.size() < kMostCharted) drawn.push_back(parts.drawn(one.group));
  }
  ReportFigure chart{.id = "figure-answer",
                     .title = "Measured and fitted",
                     .figure = scaling_figure(parts.leading_axes(), drawn)};
  add_deadline_line(parts.origin, chart.figure);
  return chart;
}

}  // namespace

std::vector<std::size_t> advised_settings(const ReportParts& parts) {
  Places places;
  for (const ReportCaps& caps : parts.findings.caps) {
    const auto found = std::ranges::find(parts.by(), caps.head.setting);
    places.push_back(static_cast<std::size_t>(found - parts.by().begin()));
  }
  return places;
}

std::string trust_reason(const ReportParts& parts, const GroupStudy& group) {
  if (!group.advice) return failure_text(group);
  if (std::string doubt = doubt_in_all(parts.origin); !doubt.empty()) return doubt;
  const Trust trust = trust_in(parts, group);
  if (group.advice->trust == trust) return limit_text(parts, group);
  const auto doubt = doubt_in_demand(parts.origin, group);
  if (doubt && doubt->most == trust) return doubt->why;
  return setting_doubt(parts, group);
}

std::vector<AdvisedGroup> advised_groups(const ReportParts& parts) {
  const Places settings = advised_settings(parts);
  std::vector<AdvisedGroup> advised;
  // Where each stands, and its votes: what is chosen at its own scale goes before the choice over
  // all scales, which decides where several settings are the choice at their scales, or none is.
  std::map<GroupKey, std::pair<std::size_t, std::pair<int, int>>> places;
  for (std::size_t i = 0; i < parts.groups().size(); ++i) {
    const GroupStudy& group = parts.groups()[i];
    const std::pair votes(votes_for(parts, group, false), votes_for(parts, group, true));
    GroupKey key = key_without(group.group, settings);
    const auto [place, is_new] = places.try_emplace(key, advised.size(), votes);
    if (is_new) {
      advised.push_back({std::move(key), i});
    } else if (votes >= place->second.second) {
      place->second.second = votes;
      advised[place->second.first].group = i;
    }
  }
  const GroupNames names(key_without(parts.by(), settings), keys_of(advised, &AdvisedGroup::key));
  for (AdvisedGroup& one : advised) one.name = names.of(one.key);
  return advised;
}

ReportAnswer answer_of(const ReportParts& parts) {
  ReportAnswer answer{.advice = {},
                      .figures = {{runs_figure(parts)}},
                      .table = advice_table(parts),
                      .chart = chart_of(parts)};
  if (auto advice = setting_advice(parts)) answer.advice.items.push_back(std::move(*advice));
  add_scale_advice(parts, answer.advice);
  add_trust_advice(parts, answer.advice);
  for (auto&& figure : {reach_figure(parts), saving_figure(parts)}) {
    if (figure) answer.figures.items.push_back(*figure);
  }
  answer.figures.items.push_back(trust_figure(parts));
  return answer;
}

}  // namespace scalelaw
