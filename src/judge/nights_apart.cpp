#include "judge/nights_apart.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "scalelaw/base/random.hpp"
#include "statistics/holm.hpp"
#include "statistics/quantiles.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kFewestToJudge = 4;
constexpr std::uint64_t kStream = 0x61706172;  // Other draws than those of a change of level.

/// How many of so many nights may stand apart; the others are the level.
std::size_t most_apart(std::size_t nights) {
  constexpr std::size_t kMost = 10;
  return std::min(kMost, (nights - 1) / 3);
}

/// Places in the order of the distances from the median, the farthest first.
std::vector<std::size_t> farthest_first(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(values[a] - middle) > std::abs(values[b] - middle);
  });
  return order;
}

/// The distance of the m-th farthest night from the mean of the nearer ones over its standard
/// error, for m = 1, 2, ...; 0 where the others do not differ.
/// @param errors  Squared errors of the fits.
std::vector<double> distances_from_rest(const std::vector<double>& values,
                                        const std::vector<double>& errors,
                                        const std::vector<std::size_t>& order) {
  const double origin = values[order.back()];  // Near all others, so that no digits are lost.
  double sum = 0;
  double squares = 0;
  double error = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i] - origin;
    squares += (values[i] - origin) * (values[i] - origin);
    error += errors[i];
  }
  std::vector<double> found;
  for (std::size_t m = 1; m <= most_apart(values.size()); ++m) {
    const std::size_t place = order[m - 1];
    const double value = values[place] - origin;
    sum -= value;
    squares -= value * value;
    error -= errors[place];
    const auto rest = static_cast<double>(values.size() - m);
    const double spread = std::max({0.0, (squares - sum * sum / rest) / (rest - 1), error / rest});
    // A night of few runs errs more than the others.
    const double excess = std::max(0.0, errors[place] - error / rest);
    const double se = std::sqrt(spread * (1 + 1 / rest) + excess);
    found.push_back(se > 0 ? std::abs(value - sum / rest) / se : 0);
  }
  return found;
}

/// The share of sorted draws that are at least as great as a value, which counts as a draw.
double share_from(const std::vector<double>& sorted, double value) {
  const auto from = std::lower_bound(sorted.begin(), sorted.end(), value);
  return (1 + static_cast<double>(sorted.end() - from)) / (1 + static_cast<double>(sorted.size()));
}

/// The share of sorted draws that are at most as great.
double share_to(const std::vector<double>& sorted, double value) {
  const auto to = std::upper_bound(sorted.begin(), sorted.end(), value);
  return (1 + static_cast<double>(to - sorted.begin())) / (1 + static_cast<double>(sorted.size()));
}

/// Nights without a difference, which are drawn once for each number of nights.
class NightDraws {
 public:
  explicit NightDraws(const ChangeOptions& options) : options_(options) {}

  /// The p value of each m alone, and of the least of them.
  std::vector<double> p_values(std::size_t nights, const std::vector<double>& statistics) {
    const Drawn& drawn = drawn_for(nights);
    std::vector<double> p;
    for (std::size_t m = 0; m < statistics.size(); ++m) {
      p.push_back(share_to(drawn.least, share_from(drawn.statistics[m], statistics[m])));
    }
    return p;
  }

 private:
  struct Drawn {
    std::vector<std::vector<double>> statistics;  ///< Sorted, for each m.
    std::vector<double> least;                    ///< Sorted: the least p value of each draw.
  };

  const Drawn& drawn_for(std::size_t nights) {
    const auto [place, is_new] = drawn_.try_emplace(nights);
    if (is_new) place->second = draw(nights);
    return place->second;
  }

  Drawn draw(std::size_t nights) const {
    RandomStream random(options_.seed, kStream + nights);
    std::vector<double> values(nights);
    const std::vector<double> errors(nights, 0.0);
    std::vector<std::vector<double>> draws;
    Drawn drawn;
    drawn.statistics.resize(most_apart(nights));
    for (std::uint32_t i = 0; i < options_.draws; ++i) {
      for (double& value : values) value = random.normal();
      draws.push_back(distances_from_rest(values, errors, farthest_first(values)));
      for (std::size_t m = 0; m < draws.back().size(); ++m) {
        drawn.statistics[m].push_back(draws.back()[m]);
      }
    }
    for (std::vector<double>& one : drawn.statistics) std::sort(one.begin(), one.end());
    for (const std::vector<double>& one : draws) {
      double least = 1;
      for (std::size_t m = 0; m < one.size(); ++m) {
        least = std::min(least, share_from(drawn.statistics[m], one[m]));
      }
      drawn.least.push_back(least);
    }
    std::sort(drawn.least.begin(), drawn.least.end());
    return drawn;
  }

  ChangeOptions options_;
  std::map<std::size_t, Drawn> drawn_;
};

/// A series with the p value of each number of nights apart.
struct Judged {
  BaseSeries series;
  std::vector<std::size_t> order = {};  ///< Of its nights, the farthest first.
  std::vector<double> p_of = {};
  std::optional<double> p = {};  ///< The least of them.
  std::optional<double> p_holm = {};
};

Judged judge_series(BaseSeries series, NightDraws& draws) {
  std::vector<double> values;
  std::vector<double> errors;
  for (const NightFigure& night : series.nights) {
    values.push_back(night.value);
    errors.push_back(night.sampling.value);
  }
  Judged out{.series = std::move(series)};
  out.order = farthest_first(values);
  out.p_of = draws.p_values(values.size(), distances_from_rest(values, errors, out.order));
  out.p = *std::min_element(out.p_of.begin(), out.p_of.end());
  return out;
}

/// Of the series of each group the one that stands for it.
std::vector<BaseSeries> one_per_group(const std::vector<BaseSeries>& series) {
  std::vector<BaseSeries> kept;
  for (const BaseSeries& one : series) {
    const bool counts = one.is_of_response && one.nights.size() >= kFewestToJudge;
    if (!counts) continue;
    const bool begins =
        kept.empty() || kept.back().pair != one.pair || kept.back().group != one.group;
    if (begins) {
      kept.push_back(one);
    } else if (one.is_middle) {
      kept.back() = one;
    }
  }
  return kept;
}

/// The mean over the groups of a response in each night that all of them have.
std::vector<BaseSeries> means_over_groups(const std::vector<BaseSeries>& groups) {
  std::map<const GatePair*, std::map<std::size_t, std::vector<const NightFigure*>>> nights;
  std::map<const GatePair*, double> counts;
  std::vector<const GatePair*> pairs;  // In their order.
  for (const BaseSeries& one : groups) {
    if (counts[one.pair]++ == 0) pairs.push_back(one.pair);
    for (const NightFigure& night : one.nights) nights[one.pair][night.night].push_back(&night);
  }
  std::vector<BaseSeries> means;
  for (const GatePair* const pair : pairs) {
    const double count = counts[pair];
    BaseSeries mean{.pair = pair, .group = {}, .figure = "curve", .nights = {}};
    for (const auto& [night, figures] : nights[pair]) {
      if (static_cast<double>(figures.size()) < count) continue;
      NightFigure& sum = mean.nights.emplace_back(
          NightFigure{.night = night, .value = 0, .sampling = {.value = 0, .dof = 0}, .runs = 0});
      for (const NightFigure* const figure : figures) {
        sum.value += figure->value / count;
        sum.sampling.value += figure->sampling.value / (count * count);
      }
    }
    if (count > 1 && mean.nights.size() >= kFewestToJudge) means.push_back(std::move(mean));
  }
  return means;
}

/// How many nights of a series stand apart, by its p values with that adjustment.
std::size_t count_apart(const Judged& one, double level) {
  if (!(*one.p_holm < level)) return 0;
  const double factor = *one.p_holm / *one.p;
  std::size_t count = 0;
  for (std::size_t m = 0; m < one.p_of.size(); ++m) {
    if (factor * one.p_of[m] < level) count = m + 1;
  }
  return count;
}

/// Adds the nights of a series that stand apart. A night has the series in which it is surest.
void add_nights(const Judged& one, std::size_t count, std::map<std::string, NightApart>& found) {
  const std::vector<NightFigure>& nights = one.series.nights;
  double level = 0;
  for (std::size_t i = count; i < one.order.size(); ++i) level += nights[one.order[i]].value;
  level /= static_cast<double>(nights.size() - count);
  for (std::size_t m = 0; m < count; ++m) {
    const NightFigure& night = nights[one.order[m]];
    const std::string name = name_of_night(*one.series.pair, night.night);
    const auto [place, is_new] = found.try_emplace(name);
    NightApart& apart = place->second;
    apart.groups += one.series.group.empty() ? 0 : 1;
    if (!is_new && apart.p <= *one.p_holm) continue;
    const GatePair& pair = *one.series.pair;
    apart.night = name;
    apart.name = (night.night < pair.earlier.size() ? pair.earlier[night.night] : pair.base).night;
    apart.place = night.night;
    apart.y = one.series.pair->base.y;
    apart.group = one.series.group;
    apart.change = night.value - level;
    apart.p = *one.p_holm;
  }
}

/// Judges series together and adds the nights that stand apart in one of them.
void add_from(std::vector<BaseSeries> series, double level, NightDraws& draws,
              std::map<std::string, NightApart>& found) {
  std::vector<Judged> all;
  for (BaseSeries& one : series) all.push_back(judge_series(std::move(one), draws));
  adjust_by_holm(all, &Judged::p, &Judged::p_holm);
  for (const Judged& one : all) {
    if (const std::size_t count = count_apart(one, level)) add_nights(one, count, found);
  }
}

/// Whether the nights are all those before or after a change of level.
bool are_a_level(const std::vector<NightApart>& apart, const BaseChange& change,
                 std::size_t nights) {
  const std::size_t first = nights - change.nights;
  const auto is_after = [first](const NightApart& night) { return night.place >= first; };
  const auto after = static_cast<std::size_t>(std::count_if(apart.begin(), apart.end(), is_after));
  if (apart.size() < 2) return false;
  return after == 0 ? apart.size() == first
                    : after == apart.size() && apart.size() == change.nights;
}

}  // namespace

std::vector<NightApart> nights_apart(const std::vector<BaseSeries>& series,
                                     const std::optional<BaseChange>& change,
                                     const GateOptions& options) {
  std::vector<BaseSeries> groups = one_per_group(series);
  if (options.change.draws == 0 || groups.empty()) return {};
  const std::size_t nights = groups.front().pair->nights();
  NightDraws draws(options.change);
  std::map<std::string, NightApart> found;
  std::vector<BaseSeries> means = means_over_groups(groups);
  const double level = (1 - options.confidence) / (means.empty() ? 1 : 2);
  add_from(std::move(means), level, draws, found);
  add_from(std::move(groups), level, draws, found);
  std::vector<NightApart> apart;
  for (auto& [name, night] : found) apart.push_back(std::move(night));
  std::sort(apart.begin(), apart.end(),
            [](const NightApart& a, const NightApart& b) { return a.place < b.place; });
  return change && are_a_level(apart, *change, nights) ? std::vector<NightApart>() : apart;
}

}  // namespace scalelaw
