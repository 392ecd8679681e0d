#include "judge/history_nights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "judge/nights_apart.hpp"

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

/// The figures of a group that have an error.
std::vector<NightFigure> series_of(const GroupHistory& group) {
  std::vector<NightFigure> series;
  const std::vector<HistoryPoint>& points = figures_of(group);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const HistoryPoint& point = points[i];
    if (!point.se || !(*point.se > 0)) continue;
    series.push_back({i, point.estimate, {*point.se * *point.se, point.dof.value_or(0)}, 0});
  }
  return series;
}

/// Takes out what is at an end of the label in a row.
void leave_levels_out(std::vector<NightApart>& apart, std::size_t nights) {
  apart.resize(apart.size() - last_in_a_row(apart, nights));
  std::vector<NightApart> backwards(apart.rbegin(), apart.rend());
  for (NightApart& night : backwards) night.place = nights - 1 - night.place;
  const auto first = static_cast<std::ptrdiff_t>(last_in_a_row(backwards, nights));
  apart.erase(apart.begin(), apart.begin() + first);
}

/// The nights of one label that stand apart in a series.
class NightsOfLabel {
 public:
  NightsOfLabel(const History& history, const std::string& label)
      : y_(history.y), nights_(nights_of(history, label)) {}

  /// Adds nights of a group but for those of the rarer level of a change that is shown.
  void add(const GroupHistory& group, const std::vector<NightFigure>& series,
           const ApartInSeries& apart, double confidence) {
    const auto& change = group.curve.points.empty() ? group.change : group.curve.change;
    const bool is_changed = is_shown(change, confidence);
    for (const std::size_t at : apart.places) {
      const std::size_t place = series[at].night;
      const bool is_of_level =
          is_changed && is_of_rarer_level(place, change->first_after, figures_of(group).size());
      if (is_of_level) continue;
      const HistoryPoint& point = figures_of(group)[place];
      const auto [entry, is_new] = found_.try_emplace(KeptNight{point.time, point.kept_at});
      NightApart& night = entry->second;
      ++night.groups;
      if (!is_new && night.p <= apart.p) continue;
      night.night = words_for(point);
      night.name = point.kept_at;
      night.place =
          static_cast<std::size_t>(std::ranges::find(nights_, entry->first) - nights_.begin());
      night.y = y_;
      night.group = group.group;
      night.change = series[at].value - apart.level;
      night.p = apart.p;
    }
  }

  std::vector<NightApart> apart() const {
    std::vector<NightApart> apart;
    for (const auto& [when, night] : found_) apart.push_back(night);
    leave_levels_out(apart, nights_.size());
    return apart;
  }

 private:
  std::string y_;
  std::vector<KeptNight> nights_;
  std::map<KeptNight, NightApart> found_;
};

}  // namespace

std::vector<NightApart> nights_apart(const History& history, const HistoryQuestion& question) {
  std::vector<const GroupHistory*> groups;
  std::vector<std::vector<NightFigure>> series;
  for (const GroupHistory& group : history.groups) {
    std::vector<NightFigure> one = series_of(group);
    if (one.size() < kFewestNightsToJudge) continue;
    groups.push_back(&group);
    series.push_back(std::move(one));
  }
  NightDraws draws(question.change);
  const auto apart = apart_in_each(series, 1 - question.confidence, draws);
  std::vector<NightApart> all;
  for (const std::string& label : history.labels) {
    NightsOfLabel nights(history, label);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i]->label == label)
        nights.add(*groups[i], series[i], apart[i], question.confidence);
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
