#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fit/regression.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/shared.hpp"

namespace scalelaw {

/// Working parameters that a descent does not move.
using Held = std::array<std::optional<double>, kMaxParameters>;

/// The loss of one group about its place, by the gradients g of the fitted values in the law's
/// working parameters.
struct SharedMoments {
  SmallVector gradient{};   ///< The sum of psi g.
  SmallMatrix curvature{};  ///< The sum of psi' g g'.
  SmallMatrix filling{};    ///< The sum of psi^2 g g', or of the squares of the sums of clusters.
  double psi_slopes = 0;    ///< The sum of psi',
  double psi_squares = 0;   ///< and of psi^2.
};

/// One group of a joint fit, at a place of its parameters.
class SharedGroup {
 public:
  virtual ~SharedGroup() = default;

  virtual std::uint64_t runs() const = 0;
  virtual std::size_t clusters() const = 0;
  /// In the law's working parameters.
  virtual SmallVector theta() const = 0;
  virtual void move_to(const SmallVector& theta) = 0;
  /// Descends from its place with some parameters held. False if it finds no minimum.
  virtual bool descend(const Held& held) = 0;
  virtual double loss() const = 0;
  virtual double rss() const = 0;
  /// Whether the parameter was left at no end of its range by the last descent.
  virtual bool is_inside(std::size_t parameter) const = 0;
  /// @param inflation  n / (n - p) of the joint fit.
  virtual SharedMoments moments(double inflation) const = 0;
  /// The same group with runs drawn with replacement, at the same place.
  virtual std::unique_ptr<SharedGroup> drawn(RandomStream& stream) const = 0;
};

/// Where a joint fit ended.
struct JointMinimum {
  std::vector<double> shared;
  double loss = 0;
  bool converged = false;
  std::vector<bool> at_end;  ///< Shared parameters that an end of their range holds.
};

/// Groups that share parameters.
class JointProblem {
 public:
  JointProblem(const Law& law, std::vector<std::size_t> shared,
               std::vector<std::unique_ptr<SharedGroup>> groups)
      : law_(&law), shared_(std::move(shared)), groups_(std::move(groups)) {}

  const Law& law() const { return *law_; }
  const std::vector<std::size_t>& shared() const { return shared_; }
  const std::vector<std::unique_ptr<SharedGroup>>& groups() const { return groups_; }
  bool is_shared(std::size_t parameter) const;
  /// Whether the fit finds this parameter of the group by itself.
  bool is_own(std::size_t group, std::size_t parameter) const;

  /// Descends from these shared values and the places of the groups, which end at the minimum.
  /// @param held  Shared parameters, in the order of shared(), that keep their values.
  JointMinimum minimise(const std::vector<double>& start,
                        const std::vector<std::optional<double>>& held) const;
  /// Whether the runs of a group determine its own parameters where the shared ones have these
  /// values. The group descends from its place.
  bool determines(std::size_t group, const std::vector<double>& shared) const;
  std::vector<std::unique_ptr<SharedGroup>> release() && { return std::move(groups_); }
  std::vector<SmallVector> places() const;
  void move_to(const std::vector<SmallVector>& places) const;
  JointProblem drawn(RandomStream& stream) const;

 private:
  double loss_at(const std::vector<double>& values, const std::vector<SmallVector>& from) const;
  JointMinimum descend(std::vector<double> start,
                       const std::vector<std::optional<double>>& held) const;
  std::vector<double> gradient() const;

  const Law* law_;
  std::vector<std::size_t> shared_;
  std::vector<std::unique_ptr<SharedGroup>> groups_;
};

/// The Schur complements of the groups about a minimum.
struct JointCurvature {
  std::vector<double> shared_inverse;  ///< m x m: inverse of the curvature of the joint loss.
  JointCovariance bread;               ///< The inverse curvature of all parameters.
  JointCovariance covariance;
};

/// @param variance  Of the runs, for classic errors; empty: the sandwich.
/// @throws FitError not-identifiable if the curvature is singular.
JointCurvature curvature_of(const JointProblem& problem, const std::vector<bool>& at_end,
                            double inflation, std::optional<double> variance);

/// The intervals by profiles of the joint loss, on the law's working scale.
class JointProfiles {
 public:
  JointProfiles(const JointProblem& problem, const JointMinimum& minimum,
                const JointCurvature& curvature);
  /// Of the shared parameter at this place of shared().
  Interval of_shared(std::size_t place, double reach) const;
  /// Of a group's own parameter. The other groups enter by the quadratic of their losses.
  Interval of_own(std::size_t group, std::size_t parameter, double reach) const;

 private:
  class OwnRise;
  double variance_of(std::size_t group, std::size_t parameter) const;
  /// What twice a rise of the loss is multiplied by to be chi-squared with one degree of freedom.
  double factor_of(std::size_t group, std::size_t parameter) const;

  const JointProblem& problem_;
  const JointMinimum& minimum_;
  const JointCurvature& curvature_;
  std::vector<SmallVector> places_;
  std::vector<SharedMoments> moments_;
  std::vector<std::vector<double>> complements_;  ///< m x m each: curvature in what is shared.
  std::vector<double> total_;                     ///< Their sum.
};

std::unique_ptr<SharedGroup> shared_curve(const std::vector<Cell>& cells,
                                          const FitOptions& options);
std::unique_ptr<SharedGroup> shared_surface(const SurfaceRuns& runs, const FitOptions& options);

}  // namespace scalelaw
