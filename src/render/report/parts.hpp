#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/figure_parts.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/render/contrast_report.hpp"
#include "scalelaw/render/report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/study_figures.hpp"

namespace scalelaw {

/// Of a table on paper; a longer one is for other programs.
inline constexpr std::size_t kMostPrintedRows = 500;

/// The keys of some groups.
template <class Items, class Key>
std::vector<GroupKey> keys_of(const Items& items, Key key) {
  std::vector<GroupKey> keys;
  for (const auto& item : items) keys.push_back(item.*key);
  return keys;
}

/// Short names of groups: values of the columns that differ between them, with their units.
class GroupNames {
 public:
  GroupNames(const std::vector<std::string>& by, std::span<const GroupKey> groups);

  /// "BERT, 250 W, 1380 MHz"; "all runs" without group columns.
  std::string of(const GroupKey& group) const;
  /// The columns of the names: "model, power_cap_w".
  std::string columns() const;

 private:
  std::vector<bool> shown_;
  std::vector<std::string> columns_;
};

/// "A, B, C and 5 more".
std::string listed(const std::vector<std::string>& names, std::size_t most);

/// "BERT and VGG16"; of many the first ones. Names that have commas are kept apart by semicolons.
std::string named_groups(const std::vector<std::string>& names);

/// A row of the first table: a group at the settings to use, among those that differ in these
/// settings only.
struct AdvisedGroup {
  GroupKey key;       ///< Without the settings.
  std::size_t group;  ///< Its place in the study.
  std::string name = {};
};

/// What the sections of a report are made from.
struct ReportParts {
  ReportParts(const ReportOrigin& origin, const ReportFindings& findings);

  const ReportOrigin& origin;
  const ReportFindings& findings;
  GroupNames names;
  /// For each comparison of settings, its results by the values of the other columns.
  std::vector<std::map<GroupKey, const Caps*>> caps = {};
  std::vector<AdvisedGroup> advised = {};  ///< The rows of the first table,
  std::set<GroupKey> leaders = {};         ///< and their groups.

  const StudyAnalysis& analysis() const { return findings.analysis; }
  const std::vector<GroupStudy>& groups() const { return findings.analysis.groups; }
  const std::vector<std::string>& by() const { return origin.study.by; }
  Ideal ideal() const {
    return ideal_of(origin.study.x, origin.study.quantity.kind, origin.study.growing_work);
  }
  ResponseWords words() const { return words_of(origin.study, origin.fit.response); }
  bool has_speedup() const { return scalelaw::has_speedup(origin.study.quantity.kind); }
  /// Runs at larger scales do more work (weak scaling): times have no speedup.
  bool work_grows() const { return ideal() == Ideal::kAsLong; }
  bool shows_speedup() const { return !work_grows() && has_speedup(); }
  StudyAxes axes() const;
  /// The same where each group of figures that show few has the style of its row in the first
  /// table.
  StudyAxes leading_axes() const;
  /// The same for groups under their drawn_name().
  StudyAxes named_axes(std::size_t groups) const;
  DrawnGroup drawn(std::size_t group) const;
  /// The short names of the groups for which that holds.
  std::vector<std::string> names_where(
      const std::function<bool(const GroupStudy&)>& is_meant) const;
  /// How figures of leading_groups() name the rows of the first table; these are few.
  GroupNames leader_names() const;
  /// The name of one of `groups` groups in such a figure.
  std::string drawn_name(const GroupKey& group, std::size_t groups) const;
  /// A sentence for figures that leave out some of `groups` groups; empty where they show all.
  std::string choice_text(std::size_t shown, std::size_t groups) const;
};

/// Adds a list that has items.
void add_list(ReportSection& section, ReportList list);
void add_figure(ReportSection& section, std::string id, std::string title, Figure figure);

/// A caption as it is shown: words that stand out, and what follows them.
struct CaptionParts {
  std::string lead;
  std::string rest;
};

/// The title and the caption of a figure. A caption that begins with its title does not say it
/// twice.
CaptionParts caption_of(const ReportFigure& figure);

/// The places of groups in figures that show few: all where they are few, else the groups of the
/// first table, and where these are many the last of each value of the first group column. Only
/// those that `is_drawn`.
template <class Groups, class Predicate>
std::vector<std::size_t> leading_groups(const ReportParts& parts, const Groups& groups,
                                        Predicate is_drawn) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!is_drawn(groups[i])) continue;
    const GroupKey& key = groups[i].group;
    if (groups.size() > kMostTogether && !parts.leaders.contains(key)) continue;
    const bool replaces = parts.leaders.size() > kMostTogether && !key.empty() && !chosen.empty() &&
                          groups[chosen.back()].group.front() == key.front();
    if (replaces) {
      chosen.back() = i;
    } else {
      chosen.push_back(i);
    }
  }
  return chosen;
}
template <class Groups>
std::vector<std::size_t> leading_groups(const ReportParts& parts, const Groups& groups) {
  return leading_groups(parts, groups, [](const auto&) { return true; });
}

inline constexpr std::size_t kMostSentences = 40;  ///< Groups that a list puts into words.

/// What `sentence_on` says of the result of each group, or why there is none; of the first groups.
template <class Result, class SentenceOn>
ReportList said_of_each(std::span<const std::string> by, const std::vector<Grouped<Result>>& groups,
                        SentenceOn sentence_on) {
  ReportList said;
  for (const auto& [group, result] :
       std::span(groups).first(std::min(groups.size(), kMostSentences))) {
    const Result* const found = std::get_if<Result>(&result);
    said.items.push_back({group_name(by, group) + ":", found != nullptr
                                                           ? sentence_on(*found)
                                                           : std::get<NoFit>(result).message});
  }
  return said;
}

/// The law of a group; null where it has none.
const Fit* fit_of(const GroupStudy& group);
/// Its exponent.
const Parameter* exponent_of(const GroupStudy& group);

/// The head of the contrasts of one setting.
ContrastReport contrast_head(const ReportParts& parts, const SettingStudy& setting);

/// Whether the columns have cells so long that they may break into lines.
std::vector<bool> long_columns(const TextTable& table);

/// How far groups scale, in plain words; empty without an ideal.
ReportList scaling_list(const ReportParts& parts);
/// How many groups follow a power law.
ReportList verdict_list(const ReportParts& parts);
/// How energy grows, of few groups each, else of all of them.
ReportList energy_list(const ReportParts& parts, const ReportEnergy& energy);
/// What else not to believe, and why: of laws, settings and runs.
ReportList doubt_list(const ReportParts& parts);

/// The group columns whose values are compared in time and energy, by their places.
std::vector<std::size_t> advised_settings(const ReportParts& parts);

/// One group each for the values of the other columns, in the order of the study: the one at the
/// settings that the comparisons of settings recommend, else at the last ones.
std::vector<AdvisedGroup> advised_groups(const ReportParts& parts);

/// The setting that one comparison chooses for a group. Where its row in the first table has
/// another setting, that is the choice here, and the rival is what the comparison chooses.
struct SettingChoice : SettingAdvice {
  const ReportCaps* caps;
  const Caps* found;

  /// At the scale in question; else over all scales.
  const SettingComparison& comparison() const {
    return is_there() ? *comparison_at(*found, *x) : found->overall;
  }
  /// Compared with the reference there; null for the reference.
  const RelativeSetting* relative() const { return comparison().find(setting); }
  bool is_there() const { return x.has_value(); }
};

/// "8.5 to 14 % less energy and 2.8 to 9.3 % more time, 3 runs each".
std::string saving_text(const RelativeSetting& setting);

/// What the comparisons choose for a group at the scale that it is advised.
std::vector<SettingChoice> choices_for(const ReportParts& parts, const GroupStudy& group);

/// Why the setting of a group may be none to use: "250 W or 200 W: undecided by 3 runs each",
/// "faster at 100 W than 250 W"; empty where nothing speaks against it.
std::string setting_doubt(const ReportParts& parts, const GroupStudy& group);

/// "BERT with 200 W in place of 250 W at 424 GPUs: 21 % more time and 1.5 % more energy by 3 runs
/// each, 13 % more time and 5.6 % less energy by the curves": where runs and curves lie on two
/// sides.
std::vector<std::string> curve_doubts(const ReportParts& parts);

/// Why nothing of the report is to be trusted: nights of two levels, or a rate that is taken as a
/// time; else empty.
std::string doubt_in_all(const ReportOrigin& origin);

/// How far the advice for a group may be trusted: not at all if there is a doubt_in_all(), only
/// fairly where there is a setting_doubt(), and no more than what was asked of it.
Trust trust_in(const ReportParts& parts, const GroupStudy& group);

/// What limits that trust most, in one clause; of a group without a law why it has none.
std::string trust_reason(const ReportParts& parts, const GroupStudy& group);

/// The greatest measured scale at which a group keeps half of the ideal, by its curve; without one
/// by the means of its runs. Empty where neither tells.
std::optional<double> efficient_up_to(const GroupStudy& group);

/// The interval of the exponent of a power law of time, from which that of an efficiency follows;
/// empty for other laws, without an interval, and where times have no speedup.
std::optional<Interval> power_exponent_interval(const ReportParts& parts, const GroupStudy& group);

/// A table of rows by group, with the places of those that a printed page has where it cannot have
/// all: the rows of the groups and settings of the first table.
class GroupTable {
 public:
  GroupTable(const ReportParts& parts, const Columns& sheet) : parts_(parts), rows_(sheet) {}

  template <class Row>
  void add(const GroupKey& group, const Row& row) {
    if (parts_.leaders.contains(group)) on_paper_.push_back(rows_.table().size());
    rows_.add(group, row);
  }
  TextTable take() { return rows_.take(); }
  std::vector<std::size_t> on_paper() const { return on_paper_; }

 private:
  const ReportParts& parts_;
  SheetTable rows_;
  std::vector<std::size_t> on_paper_;
};

/// The key of a group, or the group columns, without those at `places`.
GroupKey key_without(const GroupKey& group, const std::vector<std::size_t>& places);

/// A group of a comparison of settings, and what is chosen for it.
struct AdvisedChoice {
  GroupKey group;  ///< Without the setting.
  std::string name;
  SettingChoice choice;
  std::optional<double> x = {};  ///< The scale of its row in the first table, where it has one.
  std::string measured = {};     ///< narrower_range() of that row.
};

/// What one comparison chooses: for the groups of the first table at their scale, for others over
/// all scales.
std::vector<AdvisedChoice> advised_choices(const ReportParts& parts, std::size_t comparison);

/// For each row of the first table, whether one value of a setting alone was tried with the other
/// columns of the row.
std::vector<bool> tried_alone(const ReportParts& parts, std::size_t setting);

/// "measured on 2 to 64 GPUs" where the same group was measured at more with other settings; else
/// empty.
std::string narrower_range(const ReportParts& parts, const GroupStudy& group);

/// Whether y is a rate by its name, but -y without --rate made it a time.
bool takes_rate_for_time(const ReportOrigin& origin);

/// What every time and energy of the report is of: "an epoch", "a run"; empty for rates.
std::string work_of(const ReportOrigin& origin);

/// Which settings to use; empty where the study has none.
std::optional<ReportList::Item> setting_advice(const ReportParts& parts);

/// A column of the first table: what was asked of every group.
struct AskedDemand {
  std::string name;
  std::string title;  ///< "GPUs for 30 s"
  std::optional<Demand> Outlook::*demand;
};
std::vector<AskedDemand> asked_demands(const ReportOrigin& origin);

/// "561 (483 .. 655)": by the median of new runs, and by the ends of their interval; "none",
/// "561 (483 may do, none is safe)".
std::string demanded_text(const GroupStudy& group, std::optional<Demand> Outlook::*demand);

/// How far an answer outside the data may be trusted at most, and why: "827 GPUs are beyond the
/// data".
struct DemandDoubt {
  Trust most;
  std::string why;
};
/// Of the deadline, or of the budget where none was given; empty inside the data, and where nothing
/// was asked or nothing meets it.
std::optional<DemandDoubt> doubt_in_demand(const ReportOrigin& origin, const GroupStudy& group);

/// Which scales meet the deadline, and a blank behind it; empty if none was asked for.
std::string deadline_sentence(const ReportParts& parts);

/// Draws the deadline across each panel, if one was asked for.
void add_deadline_line(const ReportOrigin& origin, Figure& figure);

/// What to use, and how far to trust it.
ReportAnswer answer_of(const ReportParts& parts);

/// Which model to train within the limits; without blocks where losses or limits are not known.
ReportSection budget_section(const ReportParts& parts);

/// Tables and figures of a paper with ours beside.
std::vector<ReportSection> published_sections(const ReportParts& parts);

/// What runs take in energy, what settings save, which are worth it, and how busy GPUs are; empty
/// where it was not measured.
std::vector<ReportSection> energy_sections(const ReportParts& parts);

/// The forecasts of all groups for the what-if panel, and which of them the answer recommends.
std::string forecasts_json(const ReportParts& parts);

struct Theme;

/// Variables and classes of a style sheet with the colours of figures, light and dark.
std::string figure_style();

/// The bytes as one gzip member, the same for the same bytes.
std::string gzip(std::string_view bytes);

/// Base64 of RFC 4648, with padding and without line ends.
std::string base64(std::string_view bytes);

/// A drawing of render_figure (SVG, light) made a part of a page: its ids under `prefix`, its
/// colours by figure_style().
std::string page_svg(std::string_view svg, const std::string& prefix, const std::string& title);

}  // namespace scalelaw
