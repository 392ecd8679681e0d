#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scalelaw/statistics/estimate.hpp"

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

/// How the scatter of the losses follows the compute: as e^(slope z), with z = ln c about a mean.
struct ScatterTrend {
  double slope = 0;
  double statistic = 0;        ///< The score test of slope 0 (Cook and Weisberg 1983),
  double p = 1;                ///< chi-squared with one degree of freedom.
  std::vector<double> z = {};  ///< Of each budget.
  double information = 0;      ///< Of 2 slope: the sum of nu z^2 over 2, with nu as below.
};

/// The losses of budgets over ln n. Points of one budget stand together. A point is all runs of one
/// size, budget and cluster: no model tells these apart, so their mean says all.
struct BudgetRuns {
  std::vector<double> u;               ///< ln n - u_centre.
  std::vector<double> y;               ///< The mean loss in units of its budget's mean.
  std::vector<double> root;            ///< The root of the number of runs, times that of a weight.
  std::vector<std::uint32_t> cluster;  ///< Counted from 0; empty if all runs are independent.
  std::vector<std::size_t> begin;      ///< The first point of each budget, and the end.
  std::vector<double> c;               ///< ln compute of each budget.
  double u_centre = 0;
  std::size_t runs = 0;
  /// Per budget: its runs, the sum of squares of these about the means of their points, and the
  /// weight of each.
  std::vector<double> counts;
  std::vector<double> inside;
  std::vector<double> weight;
  std::optional<ScatterTrend> trend = {};  ///< Behind the weights, if they are not 1.

  std::size_t budgets() const { return c.size(); }
  double all_inside() const;
  /// Weighs runs by the scatter of their budgets.
  void weigh(ScatterTrend by);
};

/// The form of the loss around a minimum at t = 0.
enum class ProfileShape {
  kParabola,  ///< t^2 / 2
  kPowers     ///< (e^(-alpha t) - 1) / alpha + (e^(beta t) - 1) / beta
};

/// Where the minima of the budgets may lie.
enum class ProfileTrack {
  kFree,  ///< Anywhere. Parameters: the minimum of each budget.
  kLine   ///< On a line over ln c. Parameters: the minimum at the origin of c, the slope, and
          ///< the coefficient of a bend, if there is one.
};

/// The model y = m_j + k_j g(u - x_j) with k_j >= 0. Parameters are those of the track, then for
/// powers ln alpha and ln beta. m_j and k_j follow from them by linear least squares.
class ProfileModel {
 public:
  /// @param origin  The ln c at which the first parameter of a line holds.
  /// @param bend  How far each budget lies from a line; empty of straight ones.
  ProfileModel(const BudgetRuns& runs, ProfileShape shape, ProfileTrack track, double origin = 0,
               std::vector<double> bend = {});

  std::size_t parameters() const { return vertices() + (shape_ == ProfileShape::kPowers ? 2 : 0); }
  std::size_t vertices() const {
    if (track_ == ProfileTrack::kFree) return runs_->budgets();
    return bend_.empty() ? 2 : 3;
  }
  double vertex(const Eigen::VectorXd& theta, std::size_t budget) const;
  const BudgetRuns& runs() const { return *runs_; }
  ProfileShape shape() const { return shape_; }
  double origin() const { return origin_; }

  /// The best m and k for theta, with what they leave. Rows are times the roots of their numbers of
  /// runs.
  struct Projection {
    Eigen::VectorXd residual;
    /// Gradients of the fitted values, without what m and k could do as well.
    Eigen::MatrixXd jacobian;
    Eigen::VectorXd shape;  ///< g about its mean, of length 1 in each budget; 0 where k is 0.
    std::vector<double> level = {};  ///< m: the loss at the minimum.
    std::vector<double> scale = {};  ///< k.
    double rss = 0;
  };
  Projection project(const Eigen::VectorXd& theta) const;
  /// The normal equations of a step from theta: J'J and J' times the residual.
  struct Normal {
    Eigen::MatrixXd curvature;
    Eigen::VectorXd pull;
    double rss = 0;
  };
  Normal normal(const Eigen::VectorXd& theta) const;
  double rss(const Eigen::VectorXd& theta) const;
  /// Keeps theta where the model is defined.
  void keep_in_range(Eigen::VectorXd& theta) const;
  /// g at a distance t of the minimum.
  double form(const Eigen::VectorXd& theta, double t) const;

 private:
  /// alpha and beta; 0 for parabolas.
  std::array<double, 2> powers(const Eigen::VectorXd& theta) const;
  /// One budget of a projection; gradients only of the parameters that it has.
  struct Block {
    Eigen::VectorXd residual;
    Eigen::VectorXd shape;
    Eigen::Matrix<double, Eigen::Dynamic, 5> gradients;
    double level = 0;
    double scale = 0;
  };
  Block block_of(std::size_t budget, const Eigen::VectorXd& theta) const;
  /// The parameters of a budget's gradients, and how many they are.
  std::array<std::size_t, 5> columns_of(std::size_t budget) const;
  Eigen::Index columns() const;

  const BudgetRuns* runs_;
  ProfileShape shape_;
  ProfileTrack track_;
  double origin_;
  std::vector<double> bend_;
};

/// Descends to the least sum of squares by Levenberg-Marquardt steps from `theta`, which gets it.
/// @param held  A parameter that does not move.
/// @return The sum of squares.
double descend(const ProfileModel& model, Eigen::VectorXd& theta,
               std::optional<std::size_t> held = {});

/// A fitted model with the errors of its parameters.
class ProfileFit {
 public:
  /// @param start  Of the vertices: n of budgets, or the line's two.
  /// @throws FitError too-few-points without degrees of freedom.
  ProfileFit(ProfileModel model, const std::vector<double>& start);

  const Eigen::VectorXd& theta() const { return theta_; }
  const ProfileModel::Projection& at_minimum() const { return projection_; }
  double dof() const { return dof_; }
  const ProfileModel& model() const { return model_; }
  /// The fitted loss of a budget at u, in units of its mean.
  double value_at(std::size_t budget, double u) const;
  double sigma() const;
  /// The trend of the scatter, from the squares of each budget and their degrees of freedom nu.
  ScatterTrend scatter_trend() const;

  /// The parameter with the error of the linearised fit.
  Estimate linear_estimate(std::size_t parameter, double confidence) const;
  /// The parameter with its standard error and the profile's interval.
  Estimate estimate(std::size_t parameter, double confidence) const;
  /// The same for the minimum of a line at another ln c.
  Estimate vertex_at(double c, double confidence) const;
  /// The same at many ln c, with the intervals of the linearised fit, which cost nothing. In
  /// clusters they take the smaller degrees of freedom of both parameters of the line.
  std::vector<Estimate> linear_vertices_at(std::span<const double> c, double confidence) const;

 private:
  /// What follows from theta.
  void refresh();

  struct Error {
    double variance;
    double dof;
    double inflation;  ///< The variance over that of independent runs.
  };
  /// Of the sum of all parameters times `direction`.
  Error error_along(const Eigen::VectorXd& direction) const;
  Error weighted_error(const Eigen::VectorXd& weights, double variance) const;
  /// The direction of the minimum at an ln c.
  Eigen::VectorXd towards(double c) const;
  Estimate profiled(std::size_t parameter, const Error& error, double confidence) const;
  double profile_end(std::size_t parameter, double side, const Error& error, double reach) const;

  ProfileModel model_;
  Eigen::VectorXd theta_;
  ProfileModel::Projection projection_;
  Eigen::MatrixXd inverse_;   ///< Of J'J.
  ProfileClusters clusters_;  ///< Empty if all runs are independent.
  double dof_ = 0;
};

}  // namespace scalelaw
