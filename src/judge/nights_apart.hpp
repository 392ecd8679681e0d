#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "judge/base_changes.hpp"
#include "scalelaw/judge/gate.hpp"

namespace scalelaw {

/// With fewer, no night is judged to stand apart.
constexpr std::size_t kFewestNightsToJudge = 4;

/// How many of so many nights, one at least, may stand apart; the others are the level.
std::size_t most_nights_apart(std::size_t nights);

/// Whether the night at a place is of the level of fewer nights, two at least: such nights differ
/// from the others by a change of level, not by themselves.
/// @param first  The place of the first night after the change.
bool is_of_rarer_level(std::size_t place, std::size_t first, std::size_t nights);

/// Nights without a difference, which are drawn once for each number of nights.
class NightDraws {
 public:
  explicit NightDraws(const ChangeOptions& options) : options_(options) {}

  struct Drawn {
    std::vector<std::vector<double>> statistics;  ///< Sorted, for each number of nights apart.
    std::vector<double> least;                    ///< Sorted: the least p value of each draw.
  };
  const Drawn& of(std::size_t nights);

 private:
  Drawn draw(std::size_t nights) const;

  ChangeOptions options_;
  std::map<std::size_t, Drawn> drawn_;
};

/// The nights of one series that stand apart from the others.
struct ApartInSeries {
  std::vector<std::size_t> places;  ///< In the series, the farthest first; none: none does.
  double level;                     ///< The mean of the others.
  double p;                         ///< Adjusted for all series (Holm 1979).
};

/// Judges series together, each by the test that nights_apart() tells.
/// @param series  Each of kFewestNightsToJudge nights or more.
/// @param level  At most this share of calls names a night although none differs.
std::vector<ApartInSeries> apart_in_each(std::span<const std::vector<NightFigure>> series,
                                         double level, NightDraws& draws);

/// How many of the nights that stand apart are the last ones of all, two or more in a row and to
/// the same side: they are rather a new level than nights on which something went wrong. 0 if there
/// is no such row.
/// @param apart  The oldest first.
/// @param nights  How many there are.
std::size_t last_in_a_row(const std::vector<NightApart>& apart, std::size_t nights);

/// The nights of BASE that stand apart from the others, the oldest first.
///
/// Model: figures of nights are independent and normal about one level. The figure that stands for
/// a group is the response in the middle, else at the first place, and where several groups have
/// all nights, their mean is one more series. In each series the nights are ordered by their
/// distance from the median. With the m farthest ones set apart, the statistic is the distance of
/// the m-th from the mean of the rest over its standard error, for m = 1 up to a third of the
/// nights. Simulation with as many nights gives the p value of each, and of the least one. Those of
/// the groups are adjusted for their number (Holm 1979), and half of 1 - confidence is left to the
/// means where there are several groups: at most 1 - confidence of all gates name a night although
/// none differs.
///
/// @param series  Of all comparisons; those of a group follow one another. Those with fewer than
/// four nights are not judged.
/// @returns None if `options.change` has no draws. Nights of the rarer level of `change` are left
/// to it (is_of_rarer_level). Source: Davies and Gather, The identification of multiple outliers,
/// J. Am. Stat. Assoc. 88 (1993) 782; docs/explanation/gate.md.
std::vector<NightApart> nights_apart(const std::vector<BaseSeries>& series,
                                     const std::optional<BaseChange>& change,
                                     const GateOptions& options);

}  // namespace scalelaw
