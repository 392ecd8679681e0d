#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/rank_parts.hpp"

namespace scalelaw {
namespace {

constexpr double kSmallP = 0.05;

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.2g}", p); }

std::string listed(std::span<const Law* const> laws) {
  std::string text;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    if (i > 0) text += i + 1 == laws.size() ? " and " : ", ";
    text += laws[i]->name();
  }
  return text;
}

std::string on_the_best(const Ranking& ranking) {
  if (ranking.best != nullptr) {
    const RankedLaw& first = ranking.laws.front();
    if (!first.delta) {
      return fmt::format("The points lie exactly on the {} law: there is no scatter to judge by.",
                         ranking.best->name());
    }
    const bool alone = ranking.laws.size() < 2 || !ranking.laws[1].delta;
    return alone ? fmt::format("Only the {} law can be ranked.", first.law->name())
                 : fmt::format(
                       "{} describes these points best (weight {:.2f}; {} follows at delta "
                       "{:.1f}).",
                       first.law->name(), *first.weight, ranking.laws[1].law->name(),
                       *ranking.laws[1].delta);
  }
  if (!ranking.undecided.empty()) {
    return fmt::format("Undecided: {} describe these points about equally well.",
                       listed(ranking.undecided));
  }
  return fmt::format("{} point{} are too few to rank laws.", ranking.n, ranking.n == 1 ? "" : "s");
}

std::string on_the_bend(const Ranking& ranking, Response response) {
  const auto& test = ranking.power_vs_lognormal;
  if (!test) return "";
  if (test->p >= kSmallP) {
    return fmt::format(" No bend away from the power law is seen ({}).", p_text(test->p));
  }
  const bool fades = (test->curvature > 0) == (response == Response::kTime);
  return fmt::format(" The points bend away from the power law ({}): {}", p_text(test->p),
                     fades ? "gains fade as N grows, so it promises too much beyond the data."
                           : "gains increase as N grows, as they do where small N are hampered.");
}

std::string on_floor_and_break(const Ranking& ranking) {
  std::string text;
  if (const auto& test = ranking.power_vs_floor; test && test->p < kSmallP) {
    text += fmt::format(" A floor under the power law shows ({}).", p_text(test->p));
  }
  if (const auto& test = ranking.power_vs_broken; test && test->p < kSmallP) {
    text += fmt::format(" The exponent changes within the data ({}).", p_text(test->p));
  }
  return text;
}

std::string on_the_scatter(const Ranking& ranking) {
  if (!ranking.errors) return "";
  if (!ranking.errors->verdict) return "";
  return *ranking.errors->verdict == Errors::kLognormal
             ? " The scatter is relative, as least squares of logarithms takes it."
             : " The scatter is absolute rather than relative: compare with --errors normal.";
}

/// The power law where it is among the laws, the first one otherwise.
std::string on_the_hold_out(const Ranking& ranking) {
  if (!ranking.holdout || ranking.holdout->laws.empty()) return "";
  const auto& laws = ranking.holdout->laws;
  const Law* judged = ranking.best != nullptr ? ranking.best : find_law("power");
  auto held = std::find_if(laws.begin(), laws.end(),
                           [judged](const HeldOutLaw& law) { return law.law == judged; });
  if (held == laws.end()) held = laws.begin();
  const double percent = 100 * std::expm1(held->log_error);
  const std::string place = !held->inside   ? ""
                            : *held->inside ? ", inside its prediction interval"
                                            : ", outside its prediction interval";
  return fmt::format(" Fitted without N = {:.6g}, {} finds the value there {:.2g} % {}{}.",
                     ranking.holdout->x, held->law->name(), std::abs(percent),
                     percent >= 0 ? "above its curve" : "below its curve", place);
}

}  // namespace

std::string sentence_on(const Ranking& ranking, const RankOptions& options) {
  return on_the_best(ranking) + on_the_bend(ranking, options.response) +
         on_floor_and_break(ranking) + on_the_scatter(ranking) + on_the_hold_out(ranking);
}

}  // namespace scalelaw
