#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "scalelaw/judge/rank.hpp"

namespace scalelaw {

inline constexpr double kToldApart = 2;  ///< Least difference in aicc that names a winner.

/// Sorts by aicc, and fills delta and weight; laws without an aicc stay last in their order.
template <class Ranked>
void sort_and_weigh(std::vector<Ranked>& laws) {
  std::ranges::stable_sort(laws, [](const Ranked& a, const Ranked& b) {
    return a.aicc && (!b.aicc || *a.aicc < *b.aicc);
  });
  if (laws.empty() || !laws.front().aicc) return;
  double sum = 0;
  for (Ranked& ranked : laws) {
    if (!ranked.aicc) break;
    ranked.delta = *ranked.aicc - *laws.front().aicc;
    ranked.weight = std::exp(-0.5 * *ranked.delta);
    sum += *ranked.weight;
  }
  for (Ranked& ranked : laws) {
    if (ranked.weight) *ranked.weight /= sum;
  }
}

/// The options by which rank fits a law: least squares of ln y, with those figures.
FitOptions ranking_fit_options(const Law& law, const RankOptions& options, Figures figures);

/// The fit of the law with that name; nullptr if it is not ranked or has no fit.
const Fit* fit_of_law(const Ranking& ranking, std::string_view name);

/// What a ranking means, in plain words.
std::string sentence_on(const Ranking& ranking, const RankOptions& options);

}  // namespace scalelaw
