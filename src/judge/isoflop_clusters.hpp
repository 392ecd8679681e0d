#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace scalelaw {

/// What a fit of profiles explains of a change of the losses: per budget the change of its level
/// and along its shape, and what the parameters can follow. Together these are orthonormal columns
/// Z.
struct ProfileSpace {
  std::vector<std::size_t> begin;  ///< The first point of each budget, and the end.
  Eigen::VectorXd level;           ///< Of length 1 in each budget.
  Eigen::VectorXd shape;           ///< The same, or 0.
  Eigen::MatrixXd directions;      ///< Orthonormal, with no part along levels and shapes.
};

/// The variance of estimates whose points share errors inside clusters: CR2 with Satterthwaite's
/// degrees of freedom (Bell and McCaffrey 2002, Pustejovsky and Tipton 2018).
///
/// For the points of a cluster, I - Z Z' has its symmetric inverse root, through Z'Z where that is
/// the smaller matrix. Clusters of more than 300 points and as many columns have the root of two
/// steps: over budgets, then over directions. Both are unbiased for independent runs.
class ProfileClusters {
 public:
  ProfileClusters() = default;
  ProfileClusters(ProfileSpace space, std::span<const std::uint32_t> cluster);

  bool empty() const { return clusters_.empty(); }

  struct Error {
    double variance;
    double dof;
    /// Of each cluster; their squares add up to the variance. Those of a sum of estimates add.
    Eigen::VectorXd scores;
  };
  /// Of an estimate that moves by `weights` times a change of the losses.
  Error error_of(const Eigen::VectorXd& weights, const Eigen::VectorXd& residual) const;

 private:
  struct Cluster {
    std::vector<Eigen::Index> rows;
    std::vector<Eigen::Index> budgets;  ///< That have its rows, ascending.
    std::vector<Eigen::Index> place;    ///< Of each row among these budgets.
    Eigen::MatrixXd columns;            ///< Rows of Z; empty if there are too many.
    Eigen::MatrixXd root;               ///< Of I - Z Z', or K of I + Z K Z'.
    bool is_low_rank = false;
    std::vector<Eigen::Matrix2d> of_budgets;  ///< The K of the first of two steps,
    Eigen::MatrixXd stepped;                  ///< the directions after it, and the K of the second.
  };
  void add_root(Cluster& cluster) const;
  void add_root_in_steps(Cluster& cluster) const;
  Eigen::VectorXd stepped(const Cluster& cluster, const Eigen::VectorXd& values) const;
  Eigen::VectorXd adjusted(const Cluster& cluster, const Eigen::VectorXd& values) const;
  /// Z' times values of a cluster: those of its budgets, then of the directions.
  Eigen::VectorXd explained(const Cluster& cluster, const Eigen::VectorXd& values) const;

  ProfileSpace space_;
  std::vector<Cluster> clusters_;
};

}  // namespace scalelaw
