// Laws over two scales, over one of them, and over their product, ranked against each other.

#include "scalelaw/judge/surface_rank.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "judge/rank_parts.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/runs/observations.hpp"

namespace scalelaw {
namespace {

/// The only x of a law over one scale.
double scale_of(LawScale over, double n, double d, double factor) {
  if (over == LawScale::kFirst) return n;
  return over == LawScale::kSecond ? d : factor * n * d;
}

Fit fit_to(const SurfaceRuns& runs, const RankedSurfaceLaw& ranked,
           const SurfaceRankOptions& options, Figures figures) {
  RankOptions ranking{.laws = {}, .confidence = options.confidence};
  ranking.intervals = Intervals::kWald;
  FitOptions fit = ranking_fit_options(*ranked.law, ranking, figures);
  if (ranked.over == LawScale::kBoth) {
    fit.se = StandardError::kSandwich;
    return fit_surface(runs.n, runs.d, runs.y, fit);
  }
  std::vector<double> x;
  for (std::size_t i = 0; i < runs.y.size(); ++i) {
    x.push_back(scale_of(ranked.over, runs.n[i], runs.d[i], options.flops_per_parameter_token));
  }
  return fit_law(cells_of(x, runs.y), fit);
}

double ranked_curve(const Fit& fit, LawScale over, double n, double d, double factor) {
  return over == LawScale::kBoth ? fit.curve(std::array{n, d})
                                 : fit.curve(scale_of(over, n, d, factor));
}

/// Empty if the runs that are left have no such law, or its curve is not positive there.
std::optional<LogErrors> held_out_errors(const SplitRuns& split, const RankedSurfaceLaw& ranked,
                                         const SurfaceRankOptions& options) {
  const auto fit =
      if_possible([&] { return fit_to(split.kept, ranked, options, Figures::kEstimates); });
  if (!fit) return std::nullopt;
  std::vector<double> errors;
  for (std::size_t i = 0; i < split.hidden.y.size(); ++i) {
    const double curve = ranked_curve(*fit, ranked.over, split.hidden.n[i], split.hidden.d[i],
                                      options.flops_per_parameter_token);
    if (!(curve > 0) || !std::isfinite(curve)) return std::nullopt;
    errors.push_back(std::log(split.hidden.y[i] / curve));
  }
  return log_errors_of(errors);
}

std::vector<RankedSurfaceLaw> surface_candidates(const SurfaceRankOptions& options) {
  std::vector<RankedSurfaceLaw> out;
  const auto add = [&out](const Law* law, LawScale over) {
    RankedSurfaceLaw& ranked = out.emplace_back();
    ranked.law = law;
    ranked.over = over;
    ranked.k = law->fitted_parameters() + 1;
  };
  for (const Law* law : options.laws.empty() ? default_surface_laws() : options.laws) {
    if (law->inputs() == 2) {
      add(law, LawScale::kBoth);
      continue;
    }
    for (const LawScale over : {LawScale::kFirst, LawScale::kSecond, LawScale::kProduct}) {
      add(law, over);
    }
  }
  return out;
}

/// How many of the first laws lie so near the best one that nothing is decided.
std::size_t tied_laws(std::span<const RankedSurfaceLaw> laws) {
  return static_cast<std::size_t>(std::ranges::count_if(
      laws, [](const auto& ranked) { return ranked.delta && *ranked.delta < kToldApart; }));
}

void find_closest(SurfaceRanking& ranking) {
  for (std::size_t i = 0; i < ranking.laws.size(); ++i) {
    const auto& errors = ranking.laws[i].held_out;
    if (!errors) continue;
    if (!ranking.closest || errors->rms < ranking.laws[*ranking.closest].held_out->rms) {
      ranking.closest = i;
    }
  }
}

}  // namespace

std::span<const Law* const> default_surface_laws() {
  static const std::vector<const Law*> laws = [] {
    std::vector<const Law*> found;
    for (const std::string_view name : law_names(2)) found.push_back(find_law(name));
    found.push_back(find_law("power"));
    found.push_back(find_law("floor"));
    return found;
  }();
  return laws;
}

SurfaceRanking rank_surface(const SurfaceRuns& runs, const SurfaceRankOptions& options) {
  SurfaceRanking ranking;
  ranking.n = runs.y.size();
  ranking.laws = surface_candidates(options);
  const auto split = without_largest(runs, SizeMeasure::kFirst, options.levels);
  if (split) {
    ranking.held_out = HeldOutRuns{split->hidden.y.size(), split->least_hidden, split->most_kept};
  }
  for (RankedSurfaceLaw& ranked : ranking.laws) {
    ranked.result = outcome_of([&] { return fit_to(runs, ranked, options, Figures::kCurve); });
    const Fit* const fit = std::get_if<Fit>(&ranked.result);
    if (fit != nullptr && fit->rss > 0) ranked.aicc = fit->aicc;
    if (split) ranked.held_out = held_out_errors(*split, ranked, options);
  }
  sort_and_weigh(ranking.laws);
  ranking.tied = tied_laws(ranking.laws);
  find_closest(ranking);
  return ranking;
}

std::vector<Grouped<SurfaceRanking>> rank_surfaces(std::span<const SurfaceRuns> groups,
                                                   const SurfaceRankOptions& options, int threads) {
  std::vector<Grouped<SurfaceRanking>> out(groups.size());
  parallel_for(thread_count(threads), groups.size(), [&](std::size_t i, int /*worker*/) {
    out[i] = {groups[i].group, rank_surface(groups[i], options)};
  });
  return out;
}

}  // namespace scalelaw
