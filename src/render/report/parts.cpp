#include "render/report/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) return joined(names, "; ");
  return fmt::format("{}; and {} more", joined(std::span(names).first(most), "; "),
                     names.size() - most);
}

GroupNames::GroupNames(const std::vector<std::string>& by, std::span<const GroupKey> groups)
    : shown_(by.size(), groups.size() < 2), columns_(by) {
  for (const GroupKey& group : groups) {
    for (std::size_t i = 0; i < by.size(); ++i) {
      if (group[i] != groups.front()[i]) shown_[i] = true;
    }
  }
}

std::string GroupNames::of(const GroupKey& group) const {
  constexpr std::size_t kMostLetters = 40;  // Tables have the whole value.
  std::string name;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!shown_[i]) continue;
    name += name.empty() ? "" : ", ";
    name += middle_shortened(said_value(columns_[i], group[i]), kMostLetters);
  }
  return name.empty() ? "all runs" : name;
}

std::string GroupNames::columns() const {
  std::vector<std::string> named;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (shown_[i]) named.push_back(columns_[i]);
  }
  return joined(named);
}

ReportParts::ReportParts(const ReportOrigin& of, const ReportFindings& found)
    : origin(of), findings(found), names(by(), keys_of(groups(), &GroupStudy::group)) {
  for (const ReportCaps& compared : findings.caps) {
    auto& by_group = caps.emplace_back();
    for (const auto& [group, result] : found_in(compared.groups)) by_group[group] = &result;
  }
  advised = advised_groups(*this);
  for (const AdvisedGroup& one : advised) leaders.insert(groups()[one.group].group);
}

StudyAxes ReportParts::axes() const {
  return {.x = origin.study.x,
          .y = origin.study.y,
          .by = origin.study.by,
          .logarithmic = origin.fit.law->scale() == Scale::kLog,
          .ideal = ideal(),
          .y_unit = origin.study.y_unit,
          .groups = keys_of(groups(), &GroupStudy::group),
          .confidence = origin.fit.confidence};
}

DrawnGroup ReportParts::drawn(std::size_t group) const {
  const GroupStudy& study = groups()[group];
  const Outlook* const outlook = std::get_if<Outlook>(&study.outlook);
  return {.group = study.group,
          .cells = study.cells,
          .fit = study.fit,
          .forecast = outlook != nullptr ? &outlook->forecast : nullptr};
}

std::vector<std::string> ReportParts::names_where(
    const std::function<bool(const GroupStudy&)>& is_meant) const {
  std::vector<std::string> found;
  for (const GroupStudy& group : groups()) {
    if (is_meant(group)) found.push_back(names.of(group.group));
  }
  return found;
}

StudyAxes ReportParts::leading_axes() const {
  StudyAxes axes = this->axes();
  if (axes.groups.size() > kMostTogether) axes.groups.assign(leaders.begin(), leaders.end());
  std::ranges::stable_sort(axes.groups, shown_before);
  return axes;
}

StudyAxes ReportParts::named_axes(std::size_t groups) const {
  StudyAxes axes = leading_axes();
  for (GroupKey& key : axes.groups) key = {drawn_name(key, groups)};
  if (groups > kMostTogether) {
    axes.by = {leaders.size() > kMostTogether ? by().front() : leader_names().columns()};
  }
  return axes;
}

std::string ReportParts::drawn_name(const GroupKey& group, std::size_t groups) const {
  if (groups <= kMostTogether || group.empty()) return names.of(group);
  return leaders.size() > kMostTogether ? group.front() : leader_names().of(group);
}

GroupNames ReportParts::leader_names() const {
  const std::vector<GroupKey> keys(leaders.begin(), leaders.end());
  return {by(), keys};
}

std::string ReportParts::choice_text(std::size_t shown, std::size_t groups) const {
  if (shown == groups) return "";
  return leaders.size() <= kMostTogether
             ? " Shown are the groups of the first table."
             : fmt::format(" Shown is one group of each {}, the last of the first table.",
                           by().front());
}

void add_list(ReportSection& section, ReportList list) {
  if (!list.items.empty()) section.blocks.emplace_back(std::move(list));
}

void add_figure(ReportSection& section, std::string id, std::string title, Figure figure) {
  section.blocks.emplace_back(
      ReportFigure{.id = std::move(id), .title = std::move(title), .figure = std::move(figure)});
}

CaptionParts caption_of(const ReportFigure& figure) {
  const std::string& caption = figure.figure.caption;
  if (caption.starts_with(figure.title)) {
    return {figure.title, caption.substr(figure.title.size())};
  }
  return {figure.title + ".", caption.empty() ? "" : " " + caption};
}

const Fit* fit_of(const GroupStudy& group) { return std::get_if<Fit>(&group.fit); }

const Parameter* exponent_of(const GroupStudy& group) {
  const Fit* const fit = fit_of(group);
  return fit != nullptr ? &fit->parameters[1] : nullptr;
}

ContrastReport contrast_head(const ReportParts& parts, const SettingStudy& setting) {
  ContrastReport report;
  report.study = parts.origin.study;
  report.study.by = setting.by;
  report.factors = {setting.setting};
  report.options = {.response = parts.origin.fit.response,
                    .confidence = parts.origin.fit.confidence,
                    .margin = parts.origin.margin};
  return report;
}

std::string named_groups(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 6;
  const bool has_comma = std::ranges::any_of(
      names, [](const std::string& name) { return name.find(',') != std::string::npos; });
  if (has_comma || names.size() > kMostNamed || names.size() < 2) {
    return listed(names, kMostNamed);
  }
  return fmt::format("{} and {}", joined(std::span(names).first(names.size() - 1)), names.back());
}

std::vector<bool> long_columns(const TextTable& table) {
  constexpr std::size_t kLongText = 60;
  std::vector<bool> is_long(table.columns().size());
  table.for_each_row([&](const TextTable::Row& row, bool) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].text.size() > kLongText) is_long[i] = true;
    }
  });
  return is_long;
}

GroupKey key_without(const GroupKey& group, const std::vector<std::size_t>& places) {
  GroupKey rest;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!contains(places, i)) rest.push_back(group[i]);
  }
  return rest;
}

bool takes_rate_for_time(const ReportOrigin& origin) {
  return origin.fit.response == Response::kTime && origin.study.quantity.kind == Kind::kRate;
}

std::string work_of(const ReportOrigin& origin) {
  if (origin.fit.response != Response::kTime || !has_speedup(origin.study.quantity.kind)) return "";
  const std::string work = work_in(origin.study.y);
  return with_article(work.empty() ? "run" : work);
}

std::optional<Interval> power_exponent_interval(const ReportParts& parts, const GroupStudy& group) {
  const Fit* const fit = fit_of(group);
  if (parts.ideal() != Ideal::kFaster || fit == nullptr || fit->law->name() != "power" ||
      fit->response != Response::kTime) {
    return std::nullopt;
  }
  return exponent_of(group)->ci;
}

std::optional<double> efficient_up_to(const GroupStudy& group) {
  if (group.advice) return group.advice->at.y.x;
  return group.reach ? std::optional(group.reach->efficient_to) : std::nullopt;
}

}  // namespace scalelaw
