#include "judge/history_nights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "judge/nights.hpp"

namespace scalelaw {
namespace {

/// A night, by the time at which its fits were kept.
using KeptNight = std::pair<std::int64_t, std::string>;

const std::vector<HistoryPoint>& figures_of(const GroupHistory& group) {
  return group.curve.points.empty() ? group.points : group.curve.points;
}

std::string words_for(const HistoryPoint& point) {
  return fmt::format("'{}' of {}", point.label, point.kept_at);
}

/// The nights of a label, the oldest first.
std::vector<KeptNight> nights_of(const History& history, const std::string& label) {
  std::set<KeptNight> nights;
  for (const GroupHistory& group : history.groups) {
    if (group.label != label) continue;
    for (const HistoryPoint& point : group.points) nights.emplace(point.time, point.kept_at);
  }
  return {nights.begin(), nights.end()};
}

/// The figures of a group that have an error, each with its place among its points.
std::vector<NightFigure> series_of(const GroupHistory& group) {
  std::vector<NightFigure> series;
  const std::vector<HistoryPoint>& points = figures_of(group);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const HistoryPoint& point = points[i];
    if (!point.se || !(*point.se > 0)) continue;
    series.push_back({i, point.estimate, {*point.se * *point.se, point.dof.value_or(1)}, 1});
  }
  return series;
}

/// The nights of one label that stand apart. One has the series in which it is surest.
class NightsOfLabel {
 public:
  NightsOfLabel(const History& history, const std::string& label)
      : y_(history.y), nights_(nights_of(history, label)) {}

  void add(const GroupHistory& group, const HistoryPoint& point, double change, double p) {
    const auto [entry, is_new] = found_.try_emplace(KeptNight{point.time, point.kept_at});
    NightApart& night = entry->second;
    ++night.groups;
    if (!is_new && night.p <= p) return;
    night.night = words_for(point);
    night.name = point.kept_at;
    night.place =
        static_cast<std::size_t>(std::ranges::find(nights_, entry->first) - nights_.begin());
    night.y = y_;
    night.group = group.group;
    night.change = change;
    night.p = p;
  }

  std::vector<NightApart> apart() const {
    std::vector<NightApart> apart;
    for (const auto& [when, night] : found_) apart.push_back(night);
    return apart;
  }

 private:
  std::string y_;
  std::vector<KeptNight> nights_;
  std::map<KeptNight, NightApart> found_;
};

/// The groups of a label and what each of them measured.
struct LabelSeries {
  std::vector<const GroupHistory*> groups = {};
  std::vector<std::vector<NightFigure>> figures = {};
};

LabelSeries series_of_label(const History& history, const std::string& label) {
  LabelSeries all;
  for (const GroupHistory& group : history.groups) {
    std::vector<NightFigure> figures = series_of(group);
    if (group.label != label || figures.size() < 2) continue;
    all.groups.push_back(&group);
    all.figures.push_back(std::move(figures));
  }
  return all;
}

}  // namespace

std::vector<NightApart> nights_apart(const History& history, const HistoryQuestion& question) {
  std::vector<NightApart> all;
  const double level = 1 - question.confidence;
  for (const std::string& label : history.labels) {
    LabelSeries of_label = series_of_label(history, label);
    const std::vector<double> no_new(of_label.groups.size(), std::nan(""));
    const std::vector<NightSeries> series =
        series_of(std::move(of_label.figures), no_new, {.chance = kChanceOfLevels * level});
    const auto variances = night_variances(series);
    NightsOfLabel nights(history, label);
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (!variances[i]) continue;
      for (const NightNews& news : news_of(series[i], *variances[i])) {
        const double p = news.p * static_cast<double>(history.groups.size());
        if (news.kind != NightNews::kApart || !(p < level)) continue;
        const std::size_t place = series[i].figures()[news.night].night;
        const GroupHistory& group = *of_label.groups[i];
        nights.add(group, figures_of(group)[place], news.change, p);
      }
    }
    const std::vector<NightApart> found = nights.apart();
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::vector<GroupHistory> without_figures_of(std::span<const NightApart> nights,
                                             std::vector<GroupHistory> groups) {
  const auto leave_out = [&](std::vector<HistoryPoint>& points) {
    for (HistoryPoint& point : points) {
      const bool is_apart = std::ranges::any_of(
          nights, [name = words_for(point)](const auto& night) { return night.night == name; });
      if (is_apart) point.se.reset();
    }
  };
  for (GroupHistory& group : groups) {
    leave_out(group.points);
    leave_out(group.curve.points);
  }
  return groups;
}

}  // namespace scalelaw
