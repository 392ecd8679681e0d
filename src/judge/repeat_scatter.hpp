#pragma once

#include <map>
#include <optional>
#include <span>

#include "judge/gate_comparisons.hpp"
#include "scalelaw/judge/gate.hpp"

namespace scalelaw {

/// The scatter of repeated runs in place of that about the laws of BASE and NEW.
///
/// Where both measured the same scales equally often, what a power law misses may be the same in
/// both: it widens the intervals of the fits, and is no part of their difference. If the means of
/// some runs lie further from the law than repeated runs scatter (F test of the lack of fit, p <
/// 0.01), and the differences of the means of each night and NEW lie on a power law by the same
/// test (p >= 0.05, over the number of nights), the change is judged by the scatter of repeated
/// runs alone. Differences that do not are no misfit of the law: one scale alone changed, or runs
/// of one scale share errors. Needs the runs of all nights, three scales, one of them repeated, and
/// fits of least squares to ln y with classic errors.
class RepeatScatter {
 public:
  /// @param nights   Of BASE; each with a fit.
  /// @param current  Those of NEW.
  RepeatScatter(const GroupKey& group, std::span<const Night> nights, const Night& current);

  Misfit misfit() const { return misfit_; }
  /// The variance of a figure of that fit in a difference, by repeated runs; empty if its own
  /// holds.
  std::optional<Variance> in_change(const Fit& fit, const Variance& own) const;

 private:
  struct Scatter {
    double share;  ///< Of the squared sigma of the fit.
    double dof;
  };

  Misfit misfit_ = Misfit::kNone;
  std::map<const Fit*, Scatter> scatters_;  ///< Empty unless the misfit cancels.
};

}  // namespace scalelaw
