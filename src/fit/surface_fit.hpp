#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "fit/regression.hpp"
#include "fit/surface_form.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/surface_runs.hpp"

namespace scalelaw {

/// The x of runs, as many values of each.
struct SurfaceScales {
  std::span<const double> n;
  std::span<const double> d;
  std::span<const double> unique = {};  ///< Unique tokens, for laws of three x.

  std::size_t size() const { return n.size(); }
  std::array<double, 3> at(std::size_t i) const {
    return {n[i], d[i], unique.empty() ? d[i] : unique[i]};
  }
};

/// Runs over several scales in logarithms about a centre, so that exponents and shares of the terms
/// hardly depend on each other or on the units.
struct SurfacePoints {
  SurfaceForm form = {};
  std::vector<double> u;       ///< ln(f n^k) - centre[0], with f and k of the form.
  std::vector<double> v;       ///< ln(f d^k) - centre[1].
  std::vector<double> unique;  ///< ln of unique tokens - centre[1], if the form has repeats.
  std::vector<double> w;       ///< ln y - centre[2].
  std::vector<double> weight;  ///< How often the run counts.
  /// The cluster of each run, counted from 0; empty if all runs are independent.
  std::vector<std::uint32_t> cluster;
  std::array<double, 3> centre{};

  std::size_t size() const { return w.size(); }
  std::uint32_t clusters() const;
  /// The x of a run: n, d, and the unique tokens or d again.
  std::array<double, 3> scales_at(std::size_t i) const;
  LogScales log_scales(std::size_t i) const { return {u[i], v[i], unique[i]}; }
  /// An empty set with the same form and centre.
  SurfacePoints like() const;
  void add(const SurfacePoints& other, std::size_t i, double weight);
};

// Working parameters of a descent: ln A', ln B', ln E' of the terms at the centre, in units of
// exp(centre[2]), the exponents, ln R_D and ln R_N. ln E' = -infinity stands for E = 0. A law has
// the first SurfaceForm::parameters of them; the others are held.

inline constexpr std::size_t kSurfaceParameters = 7;
inline constexpr std::size_t kFloorPlace = 2;  ///< Index of ln E'.

/// How residuals r = prediction - measurement count: Huber's loss rho(r), or the square if delta is
/// infinite. Where r > 0 it counts over_penalty times.
struct ResidualLoss {
  double delta = 0;  ///< In the unit of the residuals.
  double over_penalty = 1;
  Scale scale = Scale::kLog;  ///< The residuals are those of ln y, or of y itself.

  /// Whether the least loss is that of least squares.
  bool is_square() const;
  /// The same for residuals in units of `unit`, if they are those of y.
  ResidualLoss in_units_of(double unit) const;
};

/// What one run adds to the loss: rho(r) and its first and second derivative.
struct LossTerm {
  double rho;
  double psi;
  double slope;
};
LossTerm term_of(double residual, const ResidualLoss& loss);

/// Shares of the terms in the surface at one run.
struct SurfaceShares {
  double first;
  double second;
  double floor;
  double log_sum;
};

using SurfaceRow = std::array<double, kSurfaceParameters>;

/// The sum of losses of the residuals, and its derivatives. Residuals of y are in units of
/// exp(centre[2]).
class SurfaceLoss {
 public:
  /// @param loss  In the unit of y.
  SurfaceLoss(const SurfacePoints& points, const ResidualLoss& loss);

  const SurfacePoints& points() const { return *points_; }
  std::vector<double> residuals(const SmallVector& theta) const;
  /// Returns the sum and writes its gradient to `gradient`.
  double value(const SmallVector& theta, SmallVector& gradient) const;
  /// Second derivatives. `size` gets the sum of absolute terms of the gradient, per parameter.
  void curvature(const SmallVector& theta, SmallMatrix& hessian, SmallVector& size) const;
  /// The derivative with respect to E at E = 0.
  double slope_of_floor(const SmallVector& theta) const;
  /// The squares of the measurements about their mean, on the scale of the residuals.
  double squares_about_mean() const;
  /// The largest share of E in the surface at any run.
  double share_of_floor(const SmallVector& theta) const;

 private:
  /// A run at some theta.
  struct Run {
    double residual;
    double slope;  ///< Of the residual over ln L.
  };
  Run run_at(const SurfaceShares& shares, std::size_t i) const {
    if (y_.empty()) return {shares.log_sum - points_->w[i], 1};
    const double sum = std::exp(shares.log_sum);
    return {sum - y_[i], sum};
  }

  void add_curvature_of_terms(const SmallVector& theta, const SurfaceShares& shares, double psi,
                              std::size_t i, SmallMatrix& hessian) const;

  const SurfacePoints* points_;
  ResidualLoss loss_;
  std::vector<double> y_;  ///< Measurements, if the residuals are those of y.
};

/// Which parameters a descent may move, and how the others follow from them.
///
/// A law's constraints hold for parameters as reported, with prefactors for n = 1 and d = 1; those
/// of a descent are for the centre. So a fixed A, for example, moves ln A' with alpha. All of that
/// is linear in the working parameters.
class SurfaceFrame {
 public:
  /// @param centre  Of the points of the descent.
  SurfaceFrame(const Law& law, const std::array<double, 3>& centre);

  /// Holds one more parameter where a descent has it: E, an exponent, or a prefactor for a scale
  /// of 1.
  SurfaceFrame holding(std::size_t parameter, double value) const;
  /// A parameter on the law's working scale as holding() takes it.
  double in_descent(std::size_t k, double value) const;
  bool is_free(std::size_t k) const { return !fixed_[k] && leader_[k] == k; }
  /// theta with the parameters that are not free as the others imply.
  SmallVector completed(SmallVector theta) const;
  /// How all parameters move with a free one.
  SmallVector direction(std::size_t parameter) const;

  /// The free parameter that lies farthest outside its range, and the end of that as holding()
  /// takes it.
  std::optional<std::pair<std::size_t, double>> farthest_outside(const SmallVector& theta) const;

 private:
  SmallVector completed(SmallVector theta, double offsets) const;

  std::array<double, 3> centre_;
  std::array<std::optional<double>, kSurfaceParameters> fixed_{};  ///< As holding() takes it.
  std::array<std::size_t, kSurfaceParameters> leader_{};           ///< Itself, or what it equals.
  std::array<Interval, kSurfaceParameters> range_{};               ///< On the law's working scale.
};

/// The end of a descent.
struct SurfaceMinimum {
  SmallVector theta{};
  double value = 0;
  double gradient = 0;  ///< Largest free component over the absolute sum of its terms.
  /// What one more step would change: the value, relatively, or the parameter that moves most.
  /// The lesser of both; infinite where the curvature is not positive.
  double change = 0;
  bool exact = false;                             ///< The residuals are rounding noise.
  std::array<bool, kSurfaceParameters> at_end{};  ///< Held at an end of its range; not E at 0.
  bool converged() const { return exact || gradient < 1e-7; }
  /// Whether it is the minimum to the digits that are printed.
  bool is_near() const { return converged() || change < 5e-7; }
};

/// Descends in the free parameters: by BFGS, then by Newton steps as long as they help. If E goes
/// to 0, also tries the edge and takes the lower minimum. Parameters that leave their ranges are
/// held at the ends.
/// @param is_near  Whether the start is near the minimum, where Newton steps alone may do.
SurfaceMinimum descend_in_frame(const SurfaceLoss& loss, const SmallVector& start,
                                const SurfaceFrame& frame, bool is_near = false);

/// The loss of a fit and its minimum.
struct SurfaceSolution {
  const Law* law = nullptr;
  SurfacePoints points;
  ResidualLoss loss;
  SurfaceMinimum minimum;

  /// The unit of the residuals of SurfaceLoss.
  double unit() const;
  bool has_floor() const;
  /// Whether the parameter was fitted and can have an error: it is not held, nor at an end.
  bool varies(std::size_t parameter) const;
};

/// Working parameters (ln A, ln B, E, alpha, beta, ...) in the units of the data.
SmallVector reported_theta(const SurfacePoints& points, const SmallVector& theta);

/// Logarithms about their means. @throws std::invalid_argument for values that are not positive.
SurfacePoints points_of(const Law& law, const SurfaceScales& scales, std::span<const double> y,
                        std::span<const std::uint32_t> cluster);

SurfaceScales scales_of(const SurfaceRuns& runs);
Interval range_of(std::span<const double> values);
/// The range of each scale of a law of that many x.
std::vector<Interval> ranges_of(const SurfaceScales& scales);
std::size_t different_places(const SurfaceScales& scales);

/// The fit of a surface without its parameters.
Fit surface_head(const SurfaceScales& scales, const FitOptions& options);

/// Fills the figures of a surface whose parameters are known, as part of a joint fit.
void fill_surface(Fit& fit, const SurfaceRuns& runs, double objective, const FitOptions& options);

/// How the residuals of a fit count.
ResidualLoss loss_of(const FitOptions& options);

/// Estimates of psi' for each run: those of the loss within delta if enough residuals lie there.
/// Otherwise they are spread over a wider window, the best one for estimating a density (Hall and
/// Sheather 1988, as Powell does for quantile regression).
std::vector<double> slopes_of_psi(std::span<const double> residuals, const ResidualLoss& loss,
                                  double inflation);

/// Fills figures of the curve in the unit of y.
/// @param tss  The squares of the measurements about their mean, on the scale of the residuals.
void fill_scatter(Fit& fit, std::span<const double> y, double tss,
                  std::span<const double> residuals);

/// Exponents of the scales along the least values of the surface. Their intervals are on the
/// log-odds scale and so stay between 0 and 1.
std::optional<std::array<Estimate, 2>> split_of(const Fit& fit);

/// Runs, or all runs of clusters, drawn with replacement, each listed once with its number of
/// draws.
void draw_runs(const SurfacePoints& points, RandomStream& stream, SurfacePoints& out);

/// Errors of the parameters (ln A, ln B, E, alpha, beta, ...), with zeros for those that do not
/// vary.
struct SurfaceErrors {
  Covariance bread;                      ///< The inverse curvature of the loss.
  std::optional<Covariance> covariance;  ///< Empty where clusters leave it undefined.
};
/// The sandwich of M-estimates; for clusters of the kind that options.se names.
/// @throws FitError not-identifiable if the runs do not separate the terms.
SurfaceErrors surface_errors(const SurfaceSolution& solution, const SurfaceScales& scales,
                             std::span<const double> residuals, const FitOptions& options);

/// The values of a parameter, on the law's working scale, for which twice the rise of the loss
/// times `factor` stays below the square of `reach`. Ends that the runs leave open are infinite.
/// @param step  Standard error of the parameter, or a guess.
Interval surface_profile(const SurfaceSolution& solution, std::size_t parameter, double factor,
                         double step, double reach);

/// Refits of runs, or whole clusters of them, drawn with replacement, with percentile intervals. No
/// parameters if more than one
/// in ten refits does not converge.
struct SurfaceBootstrap {
  std::uint32_t usable = 0;  ///< Refits that converged.
  std::vector<BootstrapEstimate> parameters;
  std::optional<std::array<BootstrapEstimate, 2>> split;
};
SurfaceBootstrap surface_bootstrap(const SurfaceSolution& solution, const FitOptions& options,
                                   double dof, std::uint64_t random_stream, int threads);

}  // namespace scalelaw
