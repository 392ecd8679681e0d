#include "scalelaw/judge/rank.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/per_thread.hpp"
#include "fit/bound_curves.hpp"
#include "fit/broken_line.hpp"
#include "fit/figures.hpp"
#include "fit/nonlinear.hpp"
#include "judge/levels.hpp"
#include "judge/rank_parts.hpp"
#include "runs/deliver_in_order.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {
namespace {

constexpr std::uint32_t kEnoughExceedances = 20;

/// Draws statistics under the null until the p value is settled.
template <class Draw>
NestedTest sequential_test(double statistic, std::uint32_t resamples, Draw draw) {
  std::uint32_t exceedances = 0;
  for (std::uint32_t count = 1; count <= resamples; ++count) {
    if (draw() >= statistic) ++exceedances;
    if (exceedances == kEnoughExceedances) {
      return {statistic, static_cast<double>(exceedances) / count, count};
    }
  }
  return {statistic, (exceedances + 1.0) / (resamples + 1.0), resamples};
}

/// The chance that the best break leaves no more than this ratio of the squares about one line.
/// Under a straight line the residuals have a uniform direction, and a break explains those that
/// lie near the path of its own: within a tube about it, whose volume Hotelling gave.
/// @param dof  Dimensions of the residuals about one line.
double break_p(double ratio, std::int64_t dof, double path_length) {
  const auto d = static_cast<double>(dof);
  const double along = path_length * std::numbers::inv_pi * std::pow(ratio, d / 2 - 1);
  const double t = std::sqrt((d - 1) * (1 - ratio) / ratio);
  return std::min(1.0, along + student_t_p(t, d - 1));
}

double likelihood_ratio(double n, double rss_power, double rss_other) {
  return std::max(0.0, n * std::log(rss_power / rss_other));
}

/// The places of a group's points, and how many of its rows are repeats.
struct Design {
  std::vector<double> log_x;
  std::vector<double> mass;
  std::uint64_t repeats = 0;  ///< Degrees of freedom inside the cells.
};

Design design_of(std::span<const Cell> cells) {
  Design design;
  for (const Cell& cell : cells) {
    design.log_x.push_back(std::log(cell.x));
    design.mass.push_back(static_cast<double>(cell.count) * cell.weight);
    design.repeats += cell.count - 1;
  }
  return design;
}

/// Draws normal cell means about 0; returns the scatter within cells that belongs to them.
double draw_scatter(const Design& design, RandomStream& stream, std::vector<double>& y) {
  y.resize(design.mass.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = stream.normal() / std::sqrt(design.mass[i]);
  return design.repeats > 0 ? stream.chi_squared(static_cast<double>(design.repeats)) : 0;
}

/// Draws about a fitted power law, each judged by power and floor.
class FloorNull {
 public:
  FloorNull(std::span<const Cell> cells, const Fit& power, Response response)
      : sigma_(*power.sigma),
        response_(response),
        cells_(cells.begin(), cells.end()),
        design_(design_of(cells)) {
    for (const Cell& cell : cells) fitted_.push_back(std::log(power.curve(cell.x)));
    options_.law = find_law("floor");
    options_.response = response;
    observe(cells_, options_, points_);
    n_ = static_cast<double>(points_.n);
    mean_log_x_ = mean_of(design_.log_x, design_.mass);
    for (std::size_t i = 0; i < design_.mass.size(); ++i) {
      const double dx = design_.log_x[i] - mean_log_x_;
      spread_ += design_.mass[i] * dx * dx;
    }
  }

  /// A statistic under the null: 0 if no floor lowers the residual sum of squares. The floor
  /// descends from the drawn power law. In 400,000 draws it always ended where the descent from its
  /// best shape does.
  double draw(RandomStream& stream) {
    const double within = sigma_ * sigma_ * draw_scatter(design_, stream, points_.mean);
    for (std::size_t i = 0; i < fitted_.size(); ++i) {
      points_.mean[i] = fitted_[i] + sigma_ * points_.mean[i];
    }
    const double power_rss = solve_power();
    if (!floor_helps()) return 0;
    const auto floor = descend_near(points_, line_theta_, Precision::kRoughRss);
    return floor ? likelihood_ratio(n_, power_rss + within, floor->rss + within) : 0;
  }

 private:
  /// Fits the line to the drawn points; keeps its residuals and the logarithms of its curve.
  double solve_power() {
    const std::size_t m = fitted_.size();
    const double level = mean_of(points_.mean, design_.mass);
    double along = 0;
    for (std::size_t i = 0; i < m; ++i) {
      along += design_.mass[i] * (design_.log_x[i] - mean_log_x_) * (points_.mean[i] - level);
    }
    const double slope = along / spread_;
    line_theta_[1] = response_ == Response::kTime ? -slope : slope;
    line_theta_[0] = level - slope * mean_log_x_;
    line_.resize(m);
    residual_.resize(m);
    double rss = 0;
    for (std::size_t i = 0; i < m; ++i) {
      line_[i] = level + slope * (design_.log_x[i] - mean_log_x_);
      residual_[i] = points_.mean[i] - line_[i];
      rss += design_.mass[i] * residual_[i] * residual_[i];
    }
    return rss;
  }

  /// Whether the residual sum of squares falls as the floor rises from 0. The other parameters do
  /// not matter, since residuals are orthogonal to them; d eta / d gamma is 1 / curve for a time.
  bool floor_helps() const {
    const double sign = sign_of(response_);
    double downhill = 0;
    for (std::size_t i = 0; i < line_.size(); ++i) {
      downhill += sign * design_.mass[i] * residual_[i] * std::exp(-sign * (line_[i] - line_[0]));
    }
    return downhill > 0;
  }

  double sigma_;
  Response response_;
  std::vector<Cell> cells_;
  Design design_;
  std::vector<double> fitted_;
  FitOptions options_;
  FitPoints points_;
  double n_ = 0;
  double mean_log_x_ = 0;
  double spread_ = 0;
  std::vector<double> line_;
  SmallVector line_theta_{};  ///< The line as a floor law whose floor is 0.
  std::vector<double> residual_;
};

/// Power against floor. Draws follow the fitted power law with its sigma, because the likelihood
/// ratio depends on both. Empty if either law has no degrees of freedom or fits exactly. The first
/// 20 draws that exceed the statistic settle p (Besag and Clifford 1991).
std::optional<NestedTest> test_floor(std::span<const Cell> cells, const Fit& power,
                                     const Fit& floor, const RankOptions& options,
                                     std::uint64_t random_stream) {
  if (options.resamples == 0 || floor.dof <= 0 || !(power.rss > 0) || !(floor.rss > 0)) {
    return std::nullopt;
  }
  const double statistic = likelihood_ratio(static_cast<double>(power.n), power.rss, floor.rss);
  if (!(statistic > 1e-9)) return NestedTest{0, 1, 0};  // The floor is 0: no draw is less.
  FloorNull null(cells, power, options.response);
  // The statistic names the draws too. Otherwise all studies without groups would share them and
  // err alike. It is rounded, so that the unit of y does not matter.
  RandomStream stream(options.seed, random_stream,
                      static_cast<std::uint64_t>(std::llround(statistic * 1e6)));
  return sequential_test(statistic, options.resamples, [&] { return null.draw(stream); });
}

/// Power against broken. p is an upper bound, and nearly exact where it is small (Hotelling 1939,
/// Naiman 1986). Empty for exact fits, and if every break has fewer than three different x on one
/// side.
std::optional<NestedTest> test_broken(std::span<const Cell> cells, const Fit& power) {
  constexpr std::int64_t kMoreParameters = 2;  // More than the power law has.
  if (power.dof <= kMoreParameters || !(power.rss > 0)) return std::nullopt;
  const Design design = design_of(cells);
  BrokenLine line(design.log_x, design.mass);
  if (!line.possible()) return std::nullopt;
  double within = 0;
  std::vector<double> y;
  for (const Cell& cell : cells) {
    y.push_back(cell.mean_log);
    within += cell.weight * cell.ss_log;
  }
  const double straight = line.straight_rss(y) + within;
  const double broken = line.best_break(y).rss + within;
  const double statistic = likelihood_ratio(static_cast<double>(power.n), straight, broken);
  if (!std::isfinite(statistic)) return std::nullopt;  // Two lines fit exactly.
  return NestedTest{statistic,
                    break_p(std::min(1.0, broken / straight), power.dof, line.path_length())};
}

// Fits of parts of the points: what they foretell at the greatest x, and how the exponent moves.

constexpr std::size_t kFewestLevels = 3;  ///< Fewest x that tell an exponent.

void add_beta(std::vector<PartialBeta>& out, std::span<const Cell> cells,
              const RankOptions& options, std::optional<double> left_out = std::nullopt) {
  static const Law& power = *find_law("power");
  const auto result =
      fit_or_reason(cells, ranking_fit_options(power, options, Figures::kEstimates));
  const Fit* fit = std::get_if<Fit>(&result);
  if (fit == nullptr) return;
  out.push_back({.x_min = cells.front().x,
                 .x_max = cells.back().x,
                 .left_out = left_out,
                 .beta = fit->parameters[1].estimate,
                 .se = fit->parameters[1].se});
}

/// A mean of new rows scatters by sigma over the root of their weight, and the curve has its error.
HeldOutLaw held_out_law(const Fit& fit, double x, double weight, double log_error) {
  HeldOutLaw held{fit.law, log_error, {}};
  const auto errors = fit.log_curve_errors(x);
  if (!errors || !fit.sigma || !(*fit.sigma > 0)) return held;
  const double curve = log_error < 0 ? errors->lower : errors->upper;
  const double error = std::sqrt(*fit.sigma * *fit.sigma / weight + curve * curve);
  const auto dof = static_cast<double>(fit.dof);
  held.inside = std::abs(log_error) <= student_t_factor(fit.confidence, dof) * error;
  const double t = log_error / error;
  if (std::isfinite(t)) held.p = student_t_p(t, dof);  // Both may be beyond all numbers.
  return held;
}

/// Fits each law without the points at the greatest x and scores it there. Empty without a fit.
std::optional<HoldOut> hold_out(std::span<const Cell> cells, std::span<const Law* const> laws,
                                const RankOptions& options) {
  if (cells.empty()) return std::nullopt;
  const std::vector<std::size_t> begins = level_begins(cells);
  const auto kept = cells.first(begins[begins.size() - 2]);
  if (kept.empty()) return std::nullopt;
  const double x = cells.back().x;
  const LogMean held_out = log_mean(cells.subspan(kept.size()));
  RankOptions wald = options;
  wald.intervals = Intervals::kWald;
  HoldOut out{.x = x, .n = held_out.n};
  FitPoints points;
  for (const Law* law : laws) {
    auto result = fit_or_reason(kept, ranking_fit_options(*law, wald, Figures::kEstimates));
    Fit* const fit = std::get_if<Fit>(&result);
    if (fit == nullptr) continue;
    observe(kept, ranking_fit_options(*law, wald, Figures::kEstimates), points);
    fill_bound_curves(*fit, points, {&x, 1});
    const double curve = fit->curve(x);
    if (!(curve > 0) || !std::isfinite(curve)) continue;
    const double log_error = held_out.mean - std::log(curve);
    out.laws.push_back(held_out_law(*fit, x, held_out.weight, log_error));
  }
  if (out.laws.empty()) return std::nullopt;
  std::ranges::stable_sort(out.laws, [](const HeldOutLaw& a, const HeldOutLaw& b) {
    return std::abs(a.log_error) < std::abs(b.log_error);
  });
  return out;
}

/// The exponent of the power law on parts of the points.
Stability stability_of(std::span<const Cell> cells, const RankOptions& options) {
  Stability stability;
  const std::vector<std::size_t> begins = level_begins(cells);
  const std::size_t levels = begins.size() - 1;
  std::vector<Cell> rest;
  for (std::size_t k = 0; levels >= kFewestLevels && k < levels; ++k) {
    rest.assign(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(begins[k]));
    rest.insert(rest.end(), cells.begin() + static_cast<std::ptrdiff_t>(begins[k + 1]),
                cells.end());
    add_beta(stability.leave_one_out, rest, options, cells[begins[k]].x);
  }
  for (std::size_t k = kFewestLevels; k < levels; ++k) {
    add_beta(stability.prefixes, cells.first(begins[k]), options);
    add_beta(stability.suffixes, cells.subspan(begins[levels - k]), options);
  }
  for (std::size_t k = 0; k + 1 < levels; ++k) {
    add_beta(stability.local, cells.subspan(begins[k], begins[k + 2] - begins[k]), options);
  }
  return stability;
}

}  // namespace

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
