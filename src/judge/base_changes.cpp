#include "judge/base_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

BaseChange change_in(const SeriesNews& series, const NightNews& news) {
  return {.since = name_of_night(*series.pair, news.night),
          .nights = series.pair->nights() - news.night,
          .is_worse = (news.change > 0) == series.less_is_better,
          .y = series.pair->base.y,
          .group = series.group,
          .figure = series.figure,
          .scale = series.pair->base.x,
          .x = series.x,
          .change = news.change};
}

}  // namespace

std::string name_of_night(const GatePair& pair, std::size_t night) {
  const std::string& name = pair.night(night).night;
  if (name.empty()) return fmt::format("night {} of {}", night + 1, pair.nights());
  // A version, a date of digits and a hash of digits say what they are.
  constexpr std::size_t kMostDigits = 4;
  const bool is_count =
      name.size() <= kMostDigits && parse_number(name) && name.find('.') == std::string::npos;
  return is_count ? "night " + name : name;
}

std::optional<BaseChange> change_of_base(std::span<const SeriesNews> all, std::size_t series,
                                         double confidence) {
  std::optional<BaseChange> surest;
  double least = (1 - confidence) / static_cast<double>(series);
  const double shown = least;
  std::set<std::pair<const GatePair*, GroupKey>> groups;
  for (const SeriesNews& one : all) {
    for (const NightNews& news : one.news) {
      if (news.kind != NightNews::kChange || !(news.p < shown)) continue;
      groups.emplace(one.pair, one.group);
      if (surest && !(news.p < least)) continue;
      least = news.p;
      surest = change_in(one, news);
    }
  }
  if (surest) surest->groups = groups.size();
  return surest;
}

std::vector<NightApart> nights_apart(std::span<const SeriesNews> all, std::size_t series,
                                     double confidence) {
  std::map<std::size_t, NightApart> found;
  for (const SeriesNews& one : all) {
    if (!one.stands_for_group) continue;
    for (const NightNews& news : one.news) {
      const double p = news.p * static_cast<double>(series);
      if (news.kind != NightNews::kApart || !(p < 1 - confidence)) continue;
      const auto [place, is_new] = found.try_emplace(news.night);
      NightApart& apart = place->second;
      apart.groups += 1;
      if (!is_new && apart.p <= p) continue;
      apart.night = name_of_night(*one.pair, news.night);
      apart.name = one.pair->night(news.night).night;
      apart.place = news.night;
      apart.y = one.pair->base.y;
      apart.group = one.group;
      apart.change = news.change;
      apart.p = p;
    }
  }
  std::vector<NightApart> apart;
  for (auto& [place, night] : found) apart.push_back(std::move(night));
  return apart;
}

}  // namespace scalelaw
