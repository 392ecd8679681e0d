#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/surface_runs.hpp"

namespace scalelaw {

/// Tests one value of the shared parameters for all groups against a value per group.
struct SharingTest {
  double f;
  double df1;  ///< Shared parameters times groups less one.
  double df2;  ///< Degrees of freedom of the separate fits.
  double p;
};

/// The joint fit of groups that share parameters.
struct Sharing {
  std::vector<Parameter> parameters;  ///< Those that are shared, in the law's order.
  std::size_t groups = 0;
  std::uint64_t n = 0;
  std::size_t fitted = 0;  ///< Parameters of all groups; a shared one counts once.
  std::int64_t dof = 0;    ///< n - fitted.
  double objective = 0;    ///< Sum of the losses of all groups; half the squares for least squares.
  std::optional<double> sigma;           ///< Residual standard error over all groups.
  std::optional<double> log_likelihood;  ///< Gaussian; empty unless the loss is a square.
  std::optional<double> aic;
  std::optional<double> aicc;
  std::optional<double> bic;
  std::optional<SharingTest> test;
  std::string untested;  ///< Why there is no test.

  /// Whether the runs speak against one value for all groups, at the 5 % level.
  bool is_refuted() const { return test && test->p < 0.05; }
};

/// What was shared, its value, and whether the runs allow it, in sentences for people.
std::vector<std::string> sharing_sentences(const Sharing& sharing, double confidence);

/// The covariance of the working parameters of all groups. Groups depend on each other only
/// through the shared parameters, so its size grows with the number of groups and not its square.
class JointCovariance {
 public:
  /// One group's part: how its parameters follow its own runs and the shared parameters.
  struct Part {
    std::vector<double> own;     ///< p x p: from its own runs, the shared parameters held.
    std::vector<double> follow;  ///< p x m: derivatives with respect to the shared parameters.
    std::vector<double> mixed;   ///< p x m: covariance of the former with the shared parameters.
  };

  JointCovariance() = default;
  /// @param shared  m x m, of the shared parameters.
  JointCovariance(std::size_t p, std::vector<double> shared, std::vector<Part> parts);

  /// p x p: of the parameters of one group with those of another, or the same.
  std::vector<double> between(std::size_t one, std::size_t other) const;

 private:
  std::size_t p_ = 0;
  std::size_t m_ = 0;
  std::vector<double> shared_;
  std::vector<Part> parts_;
};

/// Fits of groups that share parameters.
struct SharedFits {
  std::vector<GroupFit> groups;            ///< In the order given.
  std::shared_ptr<const Sharing> sharing;  ///< Null if no group could be fitted.
  JointCovariance covariance;              ///< Of the groups that have a fit, in their order.
};

/// The cells of one group, sorted by x.
struct CurveRuns {
  GroupKey group;
  std::vector<Cell> cells;
};

/// Fits a law to all groups at once: the named parameters have one value, the others a value per
/// group.
///
/// Model: that of fit_law or fit_surface, with the same scatter in all groups. The sum of the
/// losses is minimised over the shared parameters by BFGS; for each of their values every group
/// descends in its own parameters (variable projection). The covariance follows from the Schur
/// complements of the groups: classic with the pooled variance for laws of one x, the sandwich for
/// laws of two. Intervals are profiles of the joint loss. For a parameter of one group, the other
/// groups enter by the quadratic of their losses in the shared parameters. Fit::dof is that of the
/// joint fit.
///
/// The bootstrap draws runs with replacement inside each group. Cells must then have count 1.
///
/// @param names  Parameters to share, at least one.
/// @param threads  For the bootstrap; the result does not depend on it.
/// @throws DataError if a name is none of the law's, or is held by a constraint, or options do not
/// go with sharing.
/// @throws FitError if the joint loss has no minimum, or the runs do not determine it.
///
/// Source: docs/explanation/shared-parameters.md. Checked against scipy, and R's nls with one
/// parameter per group.
SharedFits fit_shared(std::span<const CurveRuns> groups, const std::vector<std::string>& names,
                      const FitOptions& options, int threads = 1);
SharedFits fit_shared(std::span<const SurfaceRuns> groups, const std::vector<std::string>& names,
                      const FitOptions& options, int threads = 1);

}  // namespace scalelaw
