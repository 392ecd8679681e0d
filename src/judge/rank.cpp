#include "scalelaw/judge/rank.hpp"

#include <algorithm>
#include <array>

#include "base/per_thread.hpp"
#include "fit/figures.hpp"
#include "judge/levels.hpp"
#include "judge/rank_parts.hpp"
#include "runs/deliver_in_order.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

bool finds_lack_of_fit(const CorrectedTests& tests) {
  return tests.lack_of_fit && tests.lack_of_fit->p < kSmallP;
}

namespace {

/// More groups are not kept until all are tested; Bonferroni's correction needs their number only.
constexpr std::size_t kMostKept = 10000;

const Fit* fit_in(const RankedLaw& ranked) { return std::get_if<Fit>(&ranked.result); }

RankedLaw ranked_law(std::span<const Cell> cells, const Law& law, const RankOptions& options) {
  // Only the power law needs all figures: the tests start from it and its checks.
  const Figures figures = law.name() == "power" ? Figures::kAll : Figures::kCurve;
  RankedLaw ranked{.law = &law,
                   .result = fit_or_reason(cells, ranking_fit_options(law, options, figures)),
                   .k = law.parameters().size() + 1};
  if (const Fit* fit = fit_in(ranked)) ranked.aicc = fit->aicc;
  return ranked;
}

/// Names the simplest law without scatter, since criteria cannot compare exact fits. A curve with
/// as many parameters as points does not count: it cannot miss them.
bool name_the_exact(Ranking& ranking) {
  const RankedLaw* simplest = nullptr;
  for (const RankedLaw& ranked : ranking.laws) {
    const Fit* fit = fit_in(ranked);
    if (fit == nullptr || fit->rss > 0 || fit->dof <= 0) continue;
    if (simplest == nullptr || ranked.k < simplest->k) simplest = &ranked;
  }
  if (simplest == nullptr) return false;
  ranking.best = simplest->law;
  for (RankedLaw& ranked : ranking.laws) ranked.delta = ranked.weight = std::nullopt;
  return true;
}

/// Whether another law has an aicc, and none without an aicc fits closer with as few parameters.
/// Otherwise the first law is no winner.
bool has_rivals(const Ranking& ranking) {
  const RankedLaw& first = ranking.laws.front();
  const auto is_rival = [&](const RankedLaw& ranked) {
    return &ranked != &first && ranked.aicc.has_value();
  };
  const auto is_closer = [&](const RankedLaw& ranked) {
    const Fit* fit = fit_in(ranked);
    return fit != nullptr && !ranked.aicc && ranked.k <= first.k &&
           fit->rss < std::get<Fit>(first.result).rss;
  };
  return std::ranges::any_of(ranking.laws, is_rival) &&
         std::ranges::none_of(ranking.laws, is_closer);
}

void name_the_best(Ranking& ranking) {
  if (name_the_exact(ranking)) return;
  if (ranking.laws.empty() || !ranking.laws.front().aicc || !has_rivals(ranking)) return;
  for (const RankedLaw& ranked : ranking.laws) {
    if (ranked.delta && *ranked.delta < kToldApart) ranking.undecided.push_back(ranked.law);
  }
  if (ranking.undecided.size() != 1) return;
  ranking.best = ranking.undecided.front();
  ranking.undecided.clear();
}

/// Tests the square of ln x as one more term of the power law, so that F is t squared.
std::optional<CurvatureTest> curvature_test(const Fit& power) {
  if (!power.curvature || !power.curvature->t || !power.curvature->p) return std::nullopt;
  const double t = *power.curvature->t;
  return CurvatureTest{.f = t * t,
                       .df1 = 1,
                       .df2 = static_cast<double>(power.dof - 1),
                       .p = *power.curvature->p,
                       .curvature = power.curvature->estimate};
}

std::optional<ErrorsTest> errors_test(std::span<const Cell> cells, const Fit& power,
                                      const RankOptions& options) {
  FitOptions additive = ranking_fit_options(*power.law, options, Figures::kCurve);
  additive.errors = Errors::kNormal;
  additive.in_logs = false;
  const auto normal = fit_or_reason(cells, additive);
  const Fit* fit = std::get_if<Fit>(&normal);
  if (fit == nullptr || !fit->aicc || !power.aicc) return std::nullopt;
  double log_jacobian = 0;  // The density of y is the density of ln y over y.
  for (const Cell& cell : cells) {
    log_jacobian -= static_cast<double>(cell.count) * cell.mean_log;
  }
  ErrorsTest test{.aicc_lognormal = *power.aicc - 2 * log_jacobian, .aicc_normal = *fit->aicc};
  if (test.aicc_normal - test.aicc_lognormal >= kToldApart) test.verdict = Errors::kLognormal;
  if (test.aicc_lognormal - test.aicc_normal >= kToldApart) test.verdict = Errors::kNormal;
  return test;
}

/// Empty if there is none of the tests.
std::optional<DepartureTest> departure_test(const Ranking& ranking) {
  double inverses = 0;
  std::size_t tests = 0;
  const auto take = [&](const auto& test) {
    if (!test) return;
    inverses += 1 / test->p;
    ++tests;
  };
  take(ranking.power_vs_lognormal);
  take(ranking.power_vs_floor);
  take(ranking.power_vs_broken);
  if (tests == 0) return std::nullopt;
  return DepartureTest{static_cast<double>(tests) / inverses, tests};
}

void fill_tests(std::span<const Cell> cells, const RankOptions& options,
                std::uint64_t random_stream, Ranking& ranking) {
  const Fit* power = fit_of_law(ranking, "power");
  Outcome<Fit> beside;  // Where it is not among the laws.
  if (power == nullptr) {
    beside = fit_or_reason(cells, ranking_fit_options(*find_law("power"), options, Figures::kAll));
    power = std::get_if<Fit>(&beside);
  }
  if (power == nullptr) return;
  ranking.power_vs_lognormal = curvature_test(*power);
  ranking.lack_of_fit = power->lack_of_fit;
  ranking.errors = errors_test(cells, *power, options);
  if (const Fit* floor = fit_of_law(ranking, "floor")) {
    ranking.power_vs_floor = test_floor(cells, *power, *floor, options, random_stream);
  }
  if (fit_of_law(ranking, "broken") != nullptr) {
    ranking.power_vs_broken = test_broken(cells, *power);
  }
  ranking.power_vs_any = departure_test(ranking);
}

/// The tests that are corrected, and where the corrected ones go.
struct TestOfStudy {
  std::optional<double> (*p)(const Ranking&);
  std::optional<CorrectedP> CorrectedTests::*corrected;
};

constexpr std::array<TestOfStudy, 3> kTestsOfStudy{
    {{[](const Ranking& ranking) {
        return ranking.power_vs_any ? std::optional(ranking.power_vs_any->p) : std::nullopt;
      },
      &CorrectedTests::departure},
     {[](const Ranking& ranking) {
        return ranking.lack_of_fit ? std::optional(ranking.lack_of_fit->p) : std::nullopt;
      },
      &CorrectedTests::lack_of_fit},
     {[](const Ranking& ranking) -> std::optional<double> {
        const HeldOutLaw* const held = telling_hold_out(ranking);
        return held == nullptr ? std::nullopt : held->p;
      },
      &CorrectedTests::held_out}}};

void correct(std::span<Ranking* const> rankings, const TestOfStudy& test) {
  std::vector<Ranking*> tested;
  std::vector<double> p;
  for (Ranking* const ranking : rankings) {
    ranking->corrected.*test.corrected = std::nullopt;
    const auto own = test.p(*ranking);
    if (!own) continue;
    tested.push_back(ranking);
    p.push_back(*own);
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->corrected.*test.corrected = CorrectedP{adjusted[i], tested.size()};
  }
}

/// For one of so many groups that the others are not known yet (Bonferroni).
void correct_for_many(std::size_t groups, const RankOptions& options, Ranking& ranking) {
  for (const TestOfStudy& test : kTestsOfStudy) {
    auto& one = ranking.corrected.*test.corrected;
    if (one) one = CorrectedP{std::min(1.0, one->p * static_cast<double>(groups)), groups};
  }
  ranking.sentence = sentence_on(ranking, options);
}

}  // namespace

void correct_for_groups(std::span<Ranking* const> rankings, const RankOptions& options) {
  for (const TestOfStudy& test : kTestsOfStudy) correct(rankings, test);
  for (Ranking* const ranking : rankings) ranking->sentence = sentence_on(*ranking, options);
}

std::span<const Law* const> default_ranked_laws() {
  static const std::array<const Law*, 6> laws{find_law("power"), find_law("lognormal"),
                                              find_law("floor"), find_law("amdahl"),
                                              find_law("usl"),   find_law("broken")};
  return laws;
}

std::optional<double> doubt_of_power_law(const Ranking& ranking) {
  std::optional<double> power;
  std::optional<double> rival;
  for (const RankedLaw& ranked : ranking.laws) {
    if (!ranked.delta) continue;
    if (ranked.law->name() == "power") {
      power = ranked.delta;
    } else if (!rival || *ranked.delta < *rival) {
      rival = ranked.delta;
    }
  }
  if (!power || !rival) return power;
  return *power > 0 ? *power : -*rival;
}

const HeldOutLaw* telling_hold_out(const Ranking& ranking) {
  if (!ranking.holdout) return nullptr;
  std::vector<const Law*> candidates = ranking.undecided;
  if (ranking.best != nullptr) candidates = {ranking.best};
  candidates.push_back(find_law("power"));
  for (const Law* law : candidates) {
    for (const HeldOutLaw& held : ranking.holdout->laws) {
      if (held.law == law) return &held;
    }
  }
  return nullptr;
}

bool can_rank(const Ranking& ranking) {
  return std::ranges::any_of(ranking.laws, [](const RankedLaw& ranked) {
    const Fit* fit = fit_in(ranked);
    return ranked.aicc || (fit != nullptr && fit->rss == 0 && fit->dof > 0);
  });
}

std::span<const Law* const> ranked_laws(const RankOptions& options) {
  return options.laws.empty() ? default_ranked_laws() : options.laws;
}

const Fit* fit_of_law(const Ranking& ranking, std::string_view name) {
  for (const RankedLaw& ranked : ranking.laws) {
    if (ranked.law->name() == name) return fit_in(ranked);
  }
  return nullptr;
}

FitOptions ranking_fit_options(const Law& law, const RankOptions& options, Figures figures) {
  return {.law = &law,
          .response = options.response,
          .confidence = options.confidence,
          .intervals = options.intervals,
          .figures = figures,
          .in_logs = true};
}

Ranking rank_laws(std::span<const Cell> cells, const RankOptions& options,
                  std::uint64_t random_stream) {
  const auto laws = ranked_laws(options);
  Ranking ranking;
  ranking.laws.reserve(laws.size());
  for (const Law* law : laws) ranking.laws.push_back(ranked_law(cells, *law, options));
  for (const Cell& cell : cells) ranking.n += cell.count;
  ranking.distinct_x = level_begins(cells).size() - 1;
  ranking.x_min = cells.empty() ? 0 : cells.front().x;
  ranking.x_max = cells.empty() ? 0 : cells.back().x;
  sort_and_weigh(ranking.laws);
  name_the_best(ranking);
  fill_tests(cells, options, random_stream, ranking);
  ranking.holdout = hold_out(cells, laws, options);
  ranking.stability = stability_of(cells, options);
  Ranking* const alone[] = {&ranking};
  correct_for_groups(alone, options);
  return ranking;
}

void rank_each(const GroupedCells& runs, const RankOptions& options, int threads,
               const std::function<void(GroupRanking&&)>& sink) {
  const int workers = thread_count(threads);
  const std::size_t slice = slice_of_slow_groups(runs.size(), workers);  // Bootstraps take long.
  const auto rank = [&](std::size_t group, int /*worker*/) {
    thread_local PerThread<std::vector<Cell>> kept;
    std::vector<Cell>& cells = *kept;
    runs.cells(group, cells);
    GroupKey key = runs.key(group);
    const std::uint64_t stream = random_stream_of(key);
    return GroupRanking{std::move(key), rank_laws(cells, options, stream)};
  };
  if (runs.size() > kMostKept) {
    deliver_in_order<GroupRanking>(runs.size(), workers, slice, rank, [&](GroupRanking&& group) {
      correct_for_many(runs.size(), options, std::get<Ranking>(group.result));
      sink(std::move(group));
    });
    return;
  }
  std::vector<GroupRanking> kept;
  kept.reserve(runs.size());
  deliver_in_order<GroupRanking>(runs.size(), workers, slice, rank, [&kept](GroupRanking&& group) {
    kept.push_back(std::move(group));
  });
  std::vector<Ranking*> rankings;
  for (GroupRanking& group : kept) rankings.push_back(&std::get<Ranking>(group.result));
  correct_for_groups(rankings, options);
  for (GroupRanking& group : kept) sink(std::move(group));
}

}  // namespace scalelaw
