#include "judge/repeat_scatter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fit/figures.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/hypothesis_tests.hpp"

namespace scalelaw {
namespace {

constexpr double kAlikeP = 0.05;  // Above it, differences are taken to lie on a power law.

/// The runs of one fit, and how they scatter at their scales and about the law.
struct RunsOfFit {
  std::vector<Cell> cells;
  double runs = 0;
  double squares = 0;  ///< Within scales.
  double dof = 0;

  /// Whether they tell how repeated runs scatter.
  bool can_tell() const { return dof > 0 && squares > 0; }
  /// Whether the points of a fit are these runs, and no means of them.
  bool are_points_of(const Fit& fit) const { return runs == static_cast<double>(fit.n); }
  /// Their variance within scales, over that about the law.
  double share_of(const Fit& fit) const { return squares / dof / (*fit.sigma * *fit.sigma); }
  bool misses(const Fit& fit) const {
    const double own_dof = static_cast<double>(fit.dof);
    const double rss = *fit.sigma * *fit.sigma * own_dof;
    return lack_of_fit_p(rss, own_dof, squares, dof).value_or(1) < kSmallP;
  }
};

bool is_plain(const Night& night) {
  const SavedFits& study = *night.study;
  const Fit& fit = *night.fit;
  return study.runs_of && fit.scale == Scale::kLog && fit.se == StandardError::kClassic &&
         !fit.pooling && study.robust == Robust::kNone && study.weights.empty() && fit.sigma &&
         *fit.sigma > 0 && fit.dof > 0;
}

/// Whether a scale has several runs, without which none tell how runs scatter.
bool has_repeats(const Fit& fit) { return fit.n > fit.distinct_x; }

RunsOfFit runs_of(const GroupKey& group, const Night& night) {
  RunsOfFit runs{.cells = one_per_x(night.study->runs_of(group))};
  for (const Cell& cell : runs.cells) {
    runs.runs += static_cast<double>(cell.count);
    runs.squares += cell.ss_log;
    runs.dof += static_cast<double>(cell.count) - 1;
  }
  return runs;
}

/// The chance of such distances of the differences of means from a power law, where what the law
/// misses is the same in both. Both have one design.
double p_of_alike(const RunsOfFit& a, const RunsOfFit& b) {
  double weights = 0;
  double mean_x = 0;
  double mean_d = 0;
  const auto each = [&](auto take) {
    for (std::size_t i = 0; i < a.cells.size(); ++i) {
      take(static_cast<double>(a.cells[i].count) / 2, std::log(a.cells[i].x),
           b.cells[i].mean_log - a.cells[i].mean_log);
    }
  };
  each([&](double weight, double x, double d) {
    weights += weight;
    mean_x += weight * x;
    mean_d += weight * d;
  });
  mean_x /= weights;
  mean_d /= weights;
  double xx = 0;
  double xd = 0;
  double dd = 0;
  each([&](double weight, double x, double d) {
    xx += weight * (x - mean_x) * (x - mean_x);
    xd += weight * (x - mean_x) * (d - mean_d);
    dd += weight * (d - mean_d) * (d - mean_d);
  });
  const double dof = static_cast<double>(a.cells.size()) - 2;
  if (!(dof > 0) || !(xx > 0)) return 0;
  const double about_line = std::max(0.0, dd - xd * xd / xx);
  const double scatter = (a.squares + b.squares) / (a.dof + b.dof);
  return f_p(about_line / dof / scatter, dof, a.dof + b.dof);
}

bool have_one_design(const RunsOfFit& a, const RunsOfFit& b) {
  return std::equal(a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end(),
                    [](const Cell& one, const Cell& other) {
                      return one.x == other.x && one.count == other.count;
                    });
}

}  // namespace

RepeatScatter::RepeatScatter(const GroupKey& group, std::span<const Night> nights,
                             const Night& current) {
  if (!is_plain(current)) return;
  const RunsOfFit now = runs_of(group, current);
  if (!now.are_points_of(*current.fit)) return;
  if (now.misses(*current.fit)) misfit_ = Misfit::kWidens;
  // The test of alikeness knows differences that follow a power law.
  bool cancels = now.can_tell() && current.fit->law->name() == "power";
  std::map<const Fit*, Scatter> scatters{{current.fit, {now.share_of(*current.fit), now.dof}}};
  for (const Night& night : nights) {
    const bool is_known = is_plain(night) && has_repeats(*night.fit);
    const RunsOfFit then = is_known ? runs_of(group, night) : RunsOfFit();
    if (!is_known || !then.are_points_of(*night.fit)) {
      cancels = false;
      continue;
    }
    if (then.misses(*night.fit)) misfit_ = Misfit::kWidens;
    cancels = cancels && then.can_tell() && have_one_design(then, now) &&
              p_of_alike(then, now) >= kAlikeP / static_cast<double>(nights.size());
    scatters[night.fit] = {then.share_of(*night.fit), then.dof};
  }
  if (misfit_ == Misfit::kNone || !cancels) return;
  misfit_ = Misfit::kCancels;
  scatters_ = std::move(scatters);
}

std::optional<Variance> RepeatScatter::in_change(const Fit& fit, const Variance& own) const {
  const auto scatter = scatters_.find(&fit);
  if (scatter == scatters_.end()) return std::nullopt;
  return Variance{own.value * scatter->second.share, scatter->second.dof};
}

}  // namespace scalelaw
