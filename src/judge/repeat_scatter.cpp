#include "judge/repeat_scatter.hpp"

#include <algorithm>
#include <vector>

#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

constexpr double kSmallP = 0.01;  // That of the warning lack-of-fit.

/// The runs of one fit, and how they scatter at their scales and about the law.
struct RunsOfFit {
  std::vector<Cell> cells;
  double runs = 0;
  double squares = 0;  ///< Within scales.
  double dof = 0;

  bool misses(const Fit& fit) const {
    const double own_dof = static_cast<double>(fit.dof);
    const double about_law = *fit.sigma * *fit.sigma * own_dof - squares;
    if (!(dof > 0) || !(own_dof > dof) || !(squares > 0)) return false;
    const double f = about_law / (own_dof - dof) / (squares / dof);
    return f > 0 && f_p(f, own_dof - dof, dof) < kSmallP;
  }
};

bool is_plain(const Night& night) {
  const SavedFits& study = *night.study;
  const Fit& fit = *night.fit;
  return study.runs_of && fit.scale == Scale::kLog && fit.se == StandardError::kClassic &&
         !fit.pooling && study.robust == Robust::kNone && study.weights.empty() && fit.sigma &&
         *fit.sigma > 0 && fit.dof > 0;
}

RunsOfFit runs_of(const GroupKey& group, const Night& night) {
  RunsOfFit runs{.cells = one_per_x(night.study->runs_of(group))};
  for (const Cell& cell : runs.cells) {
    runs.runs += static_cast<double>(cell.count);
    runs.squares += cell.ss_log;
    runs.dof += static_cast<double>(cell.count) - 1;
  }
  return runs;
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
  std::vector<Night> all(nights.begin(), nights.end());
  all.push_back(current);
  std::optional<RunsOfFit> first;
  bool cancels = true;
  for (const Night& night : all) {
    if (!is_plain(night)) {
      cancels = false;
      continue;
    }
    RunsOfFit runs = runs_of(group, night);
    if (runs.runs != static_cast<double>(night.fit->n)) {  // Points are no single runs.
      cancels = false;
      continue;
    }
    if (runs.misses(*night.fit)) misfit_ = Misfit::kWidens;
    cancels =
        cancels && runs.dof > 0 && runs.squares > 0 && (!first || have_one_design(*first, runs));
    if (cancels) {
      const double sigma = *night.fit->sigma;
      scatters_[night.fit] = {runs.squares / runs.dof / (sigma * sigma), runs.dof};
    }
    if (!first) first = std::move(runs);
  }
  if (misfit_ == Misfit::kWidens && cancels) misfit_ = Misfit::kCancels;
  if (misfit_ != Misfit::kCancels) scatters_.clear();
}

std::optional<Variance> RepeatScatter::in_change(const Fit& fit, const Variance& own) const {
  const auto scatter = scatters_.find(&fit);
  if (scatter == scatters_.end()) return std::nullopt;
  return Variance{own.value * scatter->second.share, scatter->second.dof};
}

}  // namespace scalelaw
