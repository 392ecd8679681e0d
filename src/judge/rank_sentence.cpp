#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/rank_parts.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// With fewer points, relative scatter is mistaken for absolute scatter in at least 13 % of studies
/// (docs/explanation/coverage.md, "Rank: the kind of scatter").
constexpr std::uint64_t kPointsThatShowScatter = 9;
/// With fewer points, the penalty for a third parameter is so large that a wrong simple law usually
/// wins (docs/explanation/coverage.md, "Rank").
constexpr std::uint64_t kPointsThatShowLaws = 9;

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.2g}", p); }

/// "p = 0.026 alone, p = 0.42 among 16 tests (Holm)"; of a p that is large or the only one, "p =
/// 0.3".
std::string p_text(double p, const CorrectedP& corrected) {
  if (p >= kSmallChance || corrected.tests == 1) return p_text(p);
  return fmt::format("{} alone, {} among {} tests", p_text(p), p_text(corrected.p),
                     corrected.tests);
}

std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string listed(std::span<const Law* const> laws) {
  std::vector<std::string_view> names;
  for (const Law* law : laws) names.push_back(law->name());
  return listed(names);
}

bool is_exact(const Ranking& ranking) {
  return ranking.best != nullptr && !ranking.laws.front().delta;
}

std::string on_the_best(const Ranking& ranking) {
  if (is_exact(ranking)) {
    return fmt::format("The points lie exactly on the {} law: there is no scatter to judge by.",
                       ranking.best->name());
  }
  if (!ranking.undecided.empty()) {
    return fmt::format("Undecided: {} describe these points about equally well.",
                       listed(ranking.undecided));
  }
  const bool alone = !ranking.laws.empty() && ranking.laws.front().aicc;
  if (ranking.best == nullptr && alone) {
    return fmt::format("Only the {} law can be ranked, which says nothing for it.",
                       ranking.laws.front().law->name());
  }
  if (ranking.best == nullptr) {
    return fmt::format("No law can be ranked with {} at {} N.", counted(ranking.n, "point"),
                       ranking.distinct_x);
  }
  return fmt::format("{} describes these points best ({} follows at AICc +{:.1f}).",
                     ranking.best->name(), ranking.laws[1].law->name(), *ranking.laws[1].delta);
}

/// Names the laws that have no aicc but may be the truth.
std::string on_the_unranked(const Ranking& ranking) {
  if (ranking.laws.empty() || !ranking.laws.front().aicc) return "";
  std::vector<const Law*> unranked;
  for (const RankedLaw& ranked : ranking.laws) {
    const NoFit* failure = std::get_if<NoFit>(&ranked.result);
    const bool diverged = failure != nullptr && failure->code == FailureCode::kNotConverged;
    if (!ranked.aicc && !diverged) unranked.push_back(ranked.law);
  }
  if (unranked.empty()) return "";
  return fmt::format(" More points or N are needed to rank {}.", listed(unranked));
}

std::string on_few_points(const Ranking& ranking) {
  if (ranking.n >= kPointsThatShowLaws || ranking.laws.empty() || !ranking.laws.front().aicc) {
    return "";
  }
  const std::size_t k = ranking.laws.front().k;
  const bool alike =
      std::ranges::all_of(ranking.laws, [k](const RankedLaw& ranked) { return ranked.k == k; });
  return alike ? ""
               : fmt::format(" With {} points AICc favours laws of few parameters.", ranking.n);
}

template <class Test>
bool shows(const std::optional<Test>& test) {
  return test && test->p < kSmallChance;
}

/// The tests of the power law, by what they look for.
std::vector<std::string_view> departures_tested(const Ranking& ranking) {
  std::vector<std::string_view> names;
  if (ranking.power_vs_lognormal) names.push_back("a bend");
  if (ranking.power_vs_floor) names.push_back("a floor");
  if (ranking.power_vs_broken) names.push_back("a break");
  return names;
}

/// The wording is neutral: a time may also grow with N, and then there are no gains.
std::string on_the_bend(const CurvatureTest& test, Response response) {
  const bool falls = (test.curvature > 0) == (response == Response::kTime);
  return fmt::format(
      " The points curve away from it ({}): its exponent {} as N grows, so it promises too {} "
      "beyond the data.",
      p_text(test.p), falls ? "falls" : "rises", falls ? "much" : "little");
}

std::string on_floor_and_break(const Ranking& ranking) {
  std::string text;
  if (shows(ranking.power_vs_floor)) {
    text += fmt::format(" A floor under it is shown ({}).", p_text(ranking.power_vs_floor->p));
  }
  if (shows(ranking.power_vs_broken)) {
    const Fit* broken = fit_of_law(ranking, "broken");
    const bool placed = broken == nullptr || !broken->parameters.back().on_bound;
    text +=
        fmt::format(" A break of its exponent is shown ({}){}.", p_text(ranking.power_vs_broken->p),
                    placed ? "" : ", so near an end of the data that its place is not");
  }
  return text;
}

/// All tests together decide; only then do the single ones say what was found.
std::string on_departures(const Ranking& ranking, Response response) {
  const auto& any = ranking.power_vs_any;
  if (!any) return "";
  const bool alone = any->tests == 1;
  const std::string subject =
      fmt::format("{} {}{}", alone ? "The test for" : "Tests for",
                  listed(departures_tested(ranking)), alone ? "" : " together");
  const CorrectedP corrected = ranking.corrected.departure.value_or(CorrectedP{any->p, 1});
  if (!finds(corrected)) {
    return fmt::format(" {} {} no departure from the power law ({}).", subject,
                       alone ? "shows" : "show", p_text(any->p, corrected));
  }
  return fmt::format(" {} {} against the power law ({}).", subject, alone ? "speaks" : "speak",
                     p_text(any->p, corrected)) +
         (shows(ranking.power_vs_lognormal) ? on_the_bend(*ranking.power_vs_lognormal, response)
                                            : "") +
         on_floor_and_break(ranking);
}

std::string on_the_lack_of_fit(const Ranking& ranking) {
  if (!finds_lack_of_fit(ranking.corrected)) return "";
  return fmt::format(" Means lie further from the power law than repeated runs scatter ({}).",
                     p_text(ranking.lack_of_fit->p, *ranking.corrected.lack_of_fit));
}

/// Whether the points contradict the power law, so that distances from it are not scatter.
bool denies_power(const Ranking& ranking) {
  const Law* power = find_law("power");
  const auto& tied = ranking.undecided;
  const bool leads = ranking.best == power || contains(tied, power);
  const bool unranked = ranking.best == nullptr && tied.empty();
  return finds(ranking.corrected.departure) || finds_lack_of_fit(ranking.corrected) ||
         !(leads || unranked);
}

std::string on_the_scatter(const Ranking& ranking) {
  if (!ranking.errors || !ranking.errors->verdict) return "";
  if (ranking.n < kPointsThatShowScatter || denies_power(ranking)) return "";
  return *ranking.errors->verdict == Errors::kLognormal
             ? " The scatter is relative, as least squares of logarithms takes it."
             : " The scatter looks absolute rather than relative: compare with fit --errors "
               "normal.";
}

/// Where a value lies, given the distance of its logarithm from the curve's.
std::string place_of(double log_error) {
  const double ratio = std::exp(log_error);
  if (ratio > 1000 || ratio < 0.001) {
    return ratio > 1 ? "more than a thousand times its curve" : "below a thousandth of its curve";
  }
  if (ratio > 2 || ratio < 0.5) return fmt::format("{:.2g} times its curve", ratio);
  const double percent = 100 * std::abs(ratio - 1);
  if (percent < 0.05) return "on its curve";
  return fmt::format("{:.{}f} % {} its curve", percent, percent < 9.95 ? 1 : 0,
                     ratio > 1 ? "above" : "below");
}

std::string on_the_hold_out(const Ranking& ranking) {
  const HeldOutLaw* held = telling_hold_out(ranking);
  if (held == nullptr) return "";
  const std::string interval = held->inside ? fmt::format(", {} its prediction interval",
                                                          *held->inside ? "inside" : "outside")
                                            : "";
  return fmt::format(" Fitted without N = {:.6g}, {} finds the value there {}{}.",
                     ranking.holdout->x, held->law->name(), place_of(held->log_error), interval);
}

}  // namespace

std::string sentence_on(const Ranking& ranking, const RankOptions& options) {
  if (is_exact(ranking)) return on_the_best(ranking);
  return on_the_best(ranking) + on_the_unranked(ranking) + on_few_points(ranking) +
         on_departures(ranking, options.response) + on_the_lack_of_fit(ranking) +
         on_the_scatter(ranking) + on_the_hold_out(ranking);
}

}  // namespace scalelaw
