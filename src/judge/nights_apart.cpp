#include "judge/nights_apart.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scalelaw/base/random.hpp"
#include "statistics/hypothesis_tests.hpp"
#include "statistics/quantiles.hpp"

namespace scalelaw {
namespace {

constexpr std::uint64_t kStream = 0x61706172;  // Other draws than those of a change of level.

/// Places in the order of the distances from the median, the farthest first.
std::vector<std::size_t> farthest_first(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
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
  for (std::size_t m = 1; m <= most_nights_apart(values.size()); ++m) {
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
  const auto from = std::ranges::lower_bound(sorted, value);
  return (1 + static_cast<double>(sorted.end() - from)) / (1 + static_cast<double>(sorted.size()));
}

/// The share of sorted draws that are at most as great.
double share_to(const std::vector<double>& sorted, double value) {
  const auto to = std::ranges::upper_bound(sorted, value);
  return (1 + static_cast<double>(to - sorted.begin())) / (1 + static_cast<double>(sorted.size()));
}

/// The p value of each number of nights apart, and of the least of them.
std::vector<double> p_values(const NightDraws::Drawn& drawn,
                             const std::vector<double>& statistics) {
  std::vector<double> p;
  for (std::size_t m = 0; m < statistics.size(); ++m) {
    p.push_back(share_to(drawn.least, share_from(drawn.statistics[m], statistics[m])));
  }
  return p;
}

/// A series with the p value of each number of nights apart.
struct Judged {
  std::vector<std::size_t> order;  ///< Of its nights, the farthest first.
  std::vector<double> p_of;
  std::optional<double> p;  ///< The least of them.
  std::optional<double> p_holm = {};
};

Judged judge_series(const std::vector<NightFigure>& series, NightDraws& draws) {
  std::vector<double> values;
  std::vector<double> errors;
  for (const NightFigure& night : series) {
    values.push_back(night.value);
    errors.push_back(night.sampling.value);
  }
  std::vector<std::size_t> order = farthest_first(values);
  std::vector<double> p_of =
      p_values(draws.of(values.size()), distances_from_rest(values, errors, order));
  const double p = *std::ranges::min_element(p_of);
  return {std::move(order), std::move(p_of), p};
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

ApartInSeries apart_in(const std::vector<NightFigure>& series, const Judged& one, double level) {
  const std::size_t count = count_apart(one, level);
  double mean = 0;
  for (std::size_t i = count; i < one.order.size(); ++i) mean += series[one.order[i]].value;
  mean /= static_cast<double>(series.size() - count);
  return {.places = {one.order.begin(), one.order.begin() + static_cast<std::ptrdiff_t>(count)},
          .level = mean,
          .p = *one.p_holm};
}

/// Of the series of each group the one that stands for it.
std::vector<BaseSeries> one_per_group(const std::vector<BaseSeries>& series) {
  std::vector<BaseSeries> kept;
  for (const BaseSeries& one : series) {
    const bool counts = one.is_of_response && one.nights.size() >= kFewestNightsToJudge;
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
    if (count > 1 && mean.nights.size() >= kFewestNightsToJudge) means.push_back(std::move(mean));
  }
  return means;
}

/// Adds the nights of a series that stand apart. A night has the series in which it is surest.
void add_nights(const BaseSeries& series, const ApartInSeries& one,
                std::map<std::string, NightApart>& found) {
  for (const std::size_t at : one.places) {
    const NightFigure& night = series.nights[at];
    const std::string name = name_of_night(*series.pair, night.night);
    const auto [place, is_new] = found.try_emplace(name);
    NightApart& apart = place->second;
    apart.groups += series.group.empty() ? 0 : 1;
    if (!is_new && apart.p <= one.p) continue;
    apart.night = name;
    apart.name = series.pair->night(night.night).night;
    apart.place = night.night;
    apart.y = series.pair->base.y;
    apart.group = series.group;
    apart.change = night.value - one.level;
    apart.p = one.p;
  }
}

/// Judges series together and adds the nights that stand apart in one of them.
void add_from(const std::vector<BaseSeries>& series, double level, NightDraws& draws,
              std::map<std::string, NightApart>& found) {
  std::vector<std::vector<NightFigure>> nights;
  for (const BaseSeries& one : series) nights.push_back(one.nights);
  const std::vector<ApartInSeries> apart = apart_in_each(nights, level, draws);
  for (std::size_t i = 0; i < series.size(); ++i) add_nights(series[i], apart[i], found);
}

}  // namespace

std::size_t most_nights_apart(std::size_t nights) {
  constexpr std::size_t kMost = 10;
  return std::min(kMost, (nights - 1) / 3);
}

bool is_of_rarer_level(std::size_t place, std::size_t first, std::size_t nights) {
  const bool is_after_rarer = nights - first < first;
  const std::size_t rarer = is_after_rarer ? nights - first : first;
  return rarer > 1 && (place >= first) == is_after_rarer;
}

const NightDraws::Drawn& NightDraws::of(std::size_t nights) {
  const auto [place, is_new] = drawn_.try_emplace(nights);
  if (is_new) place->second = draw(nights);
  return place->second;
}

NightDraws::Drawn NightDraws::draw(std::size_t nights) const {
  RandomStream random(options_.seed, kStream + nights);
  std::vector<double> values(nights);
  const std::vector<double> errors(nights, 0.0);
  std::vector<std::vector<double>> draws;
  Drawn drawn;
  drawn.statistics.resize(most_nights_apart(nights));
  for (std::uint32_t i = 0; i < options_.draws; ++i) {
    for (double& value : values) value = random.normal();
    draws.push_back(distances_from_rest(values, errors, farthest_first(values)));
    for (std::size_t m = 0; m < draws.back().size(); ++m) {
      drawn.statistics[m].push_back(draws.back()[m]);
    }
  }
  for (std::vector<double>& one : drawn.statistics) std::ranges::sort(one);
  for (const std::vector<double>& one : draws) {
    double least = 1;
    for (std::size_t m = 0; m < one.size(); ++m) {
      least = std::min(least, share_from(drawn.statistics[m], one[m]));
    }
    drawn.least.push_back(least);
  }
  std::ranges::sort(drawn.least);
  return drawn;
}

std::vector<ApartInSeries> apart_in_each(std::span<const std::vector<NightFigure>> series,
                                         double level, NightDraws& draws) {
  std::vector<Judged> all;
  for (const std::vector<NightFigure>& one : series) all.push_back(judge_series(one, draws));
  adjust_by_holm(all, &Judged::p, &Judged::p_holm);
  std::vector<ApartInSeries> apart;
  for (std::size_t i = 0; i < series.size(); ++i) {
    apart.push_back(apart_in(series[i], all[i], level));
  }
  return apart;
}

std::size_t last_in_a_row(const std::vector<NightApart>& apart, std::size_t nights) {
  std::size_t count = 0;
  for (auto night = apart.rbegin(); night != apart.rend(); ++night) {
    const bool goes_on =
        night->place + count + 1 == nights && (night->change > 0) == (apart.back().change > 0);
    if (!goes_on) break;
    ++count;
  }
  return count < 2 ? 0 : count;
}

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
  std::ranges::sort(apart, {}, &NightApart::place);
  if (change) {
    std::erase_if(apart, [&](const NightApart& night) {
      return is_of_rarer_level(night.place, nights - change->nights, nights);
    });
  }
  return apart;
}

}  // namespace scalelaw
