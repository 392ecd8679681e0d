#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/code_help.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/fit/figure_levels.hpp"
#include "scalelaw/fit/law.hpp"
#include "scalelaw/fit/pooling.hpp"
#include "scalelaw/runs/cell.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

struct Sharing;

/// The distribution of the scatter around the curve.
enum class Errors {
  kLognormal,  ///< Multiplicative scatter: least squares of ln y.
  kNormal,     ///< Additive scatter: (non-linear) least squares of y.
};

/// How the covariance of the estimates is computed (docs/explanation/standard-errors.md).
enum class StandardError {
  kClassic,   ///< sigma^2 (X'X)^-1.
  kHc0,       ///< White (1980).
  kHc1,       ///< HC0 times n / (n - p).
  kHc2,       ///< Squared residuals over 1 - h; Student t with n - p degrees of freedom.
  kHc2Bm,     ///< HC2 with the Bell-McCaffrey degrees of freedom of each parameter.
  kHc3,       ///< Squared residuals over (1 - h)^2.
  kCluster,   ///< CR1: clustered by run, G/(G-1) (n-1)/(n-p); Student t with G - 1 degrees of
              ///< freedom.
  kCr2,       ///< CR2 (Bell and McCaffrey 2002), Satterthwaite degrees of freedom per parameter.
  kSandwich,  ///< Of M-estimates, for laws of several x.
};

/// Whether errors may be correlated inside runs.
inline bool is_clustered(StandardError kind) {
  return kind == StandardError::kCluster || kind == StandardError::kCr2;
}

enum class Robust { kNone, kHuber, kTheilSen };

enum class BootstrapKind {
  kWebb,      ///< Webb's six points on leverage-adjusted residuals: best coverage with few runs.
  kWild,      ///< Rademacher signs on these residuals.
  kResidual,  ///< Centred, leverage-adjusted residuals drawn with replacement.
  kCase,      ///< Points drawn with replacement inside each x.
};

/// The kind of intervals for laws that are not linear in their parameters.
enum class Intervals {
  kProfile,  ///< Profile likelihood: values that an F test keeps; Wald unless errors are classic.
  kWald,     ///< Estimate +- t standard errors, as for linear laws.
};

struct BootstrapOptions {
  std::uint32_t resamples = 0;  ///< The number B; 0: no bootstrap.
  BootstrapKind kind = BootstrapKind::kWebb;
  std::uint64_t seed = 1;
};

struct FitOptions {
  const Law* law = find_law("power");
  Response response = Response::kTime;
  bool rate_of_one = false;  ///< A rate of one unit of x: speedups are those of all units together.
  Errors errors = Errors::kLognormal;
  StandardError se = StandardError::kClassic;
  Robust robust = Robust::kNone;
  BootstrapOptions bootstrap = {};
  double confidence = 0.95;  ///< Level of every interval, in (0, 1).
  Intervals intervals = Intervals::kProfile;
  Figures figures = Figures::kAll;
  /// Also profiles of the curve, for forecasts, where a parameter is on or near a bound: at nine x,
  /// from the least to 1024 times the greatest one. They take as long as ten fits.
  bool bound_curves = false;
  /// Least squares of ln y for all laws, which then share a likelihood.
  bool in_logs = false;
  /// The residual, of ln y or of y as `errors` says, at which Huber's loss turns from quadratic to
  /// linear. It is for laws of several x under Robust::kHuber.
  double huber_delta = 1e-3;
  /// How much more a residual counts where the curve lies above the measurement. Above 1, the fit
  /// moves toward the lower edge of the runs. It is for laws of several x.
  double over_penalty = 1;
  bool epochs_as_runs = false;  ///< The table names runs that were not used, which adds a warning.
  Pool pool = Pool::kNone;
  /// What pool_groups found for `pool`; empty: every group is fitted alone.
  std::shared_ptr<const Pooling> pooling = {};
  /// What fit_shared found; empty: the groups share no parameter. For reports alone.
  std::shared_ptr<const Sharing> sharing = {};
};

struct Parameter : Estimate {
  std::string_view name;
  bool on_bound = false;          ///< At an end of its range, where others' errors hold it fixed.
  bool fixed = false;             ///< It was not fitted: the caller gave its value.
  bool shared = false;            ///< All groups of a joint fit have this value.
  std::string_view tied_to = {};  ///< The parameter that it was made equal to; else empty.
};

/// The uncertainty of one parameter by resampling.
///
/// Intervals take their quantiles at Phi(+-t) instead of +-z, with Student's t at n - p degrees of
/// freedom. Plain percentiles are too short for few points (Hesterberg 2015, expanded percentiles).
struct BootstrapEstimate {
  double se;                            ///< Standard deviation over the resamples.
  Interval ci;                          ///< Percentile interval.
  std::optional<Interval> ci_bca = {};  ///< Bias-corrected and accelerated (Efron 1987).
};

struct Bootstrap {
  BootstrapKind kind;
  std::uint32_t resamples;
  std::uint64_t seed;
  /// In the order of Fit::parameters. Empty if too few refits of a law of several x converged.
  std::vector<BootstrapEstimate> parameters = {};
  std::optional<std::uint32_t> usable = {};  ///< Resamples that converged, for a law of several x.
};

/// A minimum of the losses that is not the lowest one.
struct OtherMinimum {
  double objective;               ///< Sum of the losses.
  std::vector<double> estimates;  ///< In the order of Fit::parameters.
};

/// Further results for a law of several x.
struct SurfaceFigures {
  std::vector<Interval> x_range;           ///< Least and greatest value of each scale.
  double objective;                        ///< Sum of the losses.
  std::optional<double> huber_delta = {};  ///< Empty if the losses are squares.
  std::uint32_t starts;                    ///< Number of descents,
  std::uint32_t met;                       ///< and of those that ended in the lowest minimum.
  /// The largest component of the gradient there, over the sum of its absolute terms.
  double gradient;
  bool is_rough = false;  ///< The gradient there is not 0, but a step would change no digit.
  /// Exponents of n and d along the places of least surface for a given product: n ~ c^a. Empty if
  /// an exponent of the law is not positive.
  std::optional<std::array<Estimate, 2>> split = {};
  /// The same by resampling; empty without a bootstrap or a split.
  std::optional<std::array<BootstrapEstimate, 2>> split_bootstrap = {};
  /// Other minima of nearly the same height, elsewhere: lowest first, three at most.
  std::vector<OtherMinimum> others = {};
};

enum class WarningCode : std::uint8_t {
  kFewPoints,
  kFewX,
  kEpochsAsRuns,
  kCurved,
  kLackOfFit,
  kInfluential,
  kHeteroscedastic,
  kOverpredictsSpeedup,
  kShortRange,
  kOnBound,
  kLoneMinimum,
  kOpenInterval,
  kFailedRefits,
  kOutlier,
  kFlat,
  kFewClusters,
  kUnequalScatter,
  kOutlyingSlope,
  kNearMinimum,
  kRoughMinimum,
};

/// The name in JSON and tables: "few-points", ...
std::string_view name_of(WarningCode code);

/// Of all units of x together, where the response is the rate of one of them.
struct Speedup {
  double observed;  ///< Mean time at the smallest x over that at the largest (inverse for a rate).
  double implied;   ///< The same for the fitted curve.
};

struct Curvature {
  double estimate;  ///< Coefficient of (ln x)^2 (x^2 for linear laws), added to the law.
  std::optional<double> t = {};
  std::optional<double> p = {};
};

struct LackOfFit {
  double f;
  double p;
};

/// A law with fixed or tied parameters against the same law without them.
struct FreeLawTest {
  double f = 0;     ///< How much better the free law fits, in units of its scatter.
  double dof1 = 1;  ///< How many parameters are fixed or tied.
  double dof2 = 1;
  double p = 1;  ///< The chance of such an f if what was given is true.
  /// AICc of the law as given minus that of the free one; empty where one is not defined.
  std::optional<double> aicc_difference = {};
};

/// The run that lies furthest from the curve.
struct Outlier {
  double x;
  double y;
  double t;  ///< Externally studentised residual, Student t with n - p - 1 degrees of freedom.
  double p;  ///< Two-sided, times the number of runs (Bonferroni), at most 1.
  /// Whether y was rounded to a unit no less than its distance from the curve of the others.
  bool is_rounded = false;
};

/// What the points of a group say alone, where its fit shares with others.
struct OwnFigures {
  std::optional<double> sigma = {};
  // Of Pool::kSlopes:
  std::optional<double> beta = {};
  std::optional<double> share = {};   ///< Its weight in the pooled beta; the mean has the rest.
  std::optional<double> beta_p = {};  ///< The chance that a slope lies so far from the others.
};

/// Where the curve may lie at one x, by its profile likelihood (docs/explanation/coverage.md).
struct BoundCurve {
  double x;
  double lower;  ///< The least curve of the region, in the unit of y,
  double upper;  ///< and the greatest one.
};

/// A fitted law of one group with all its figures. Undefined scalars are empty.
struct Fit {
  const Law* law = nullptr;
  Scale scale = Scale::kLog;  ///< Scale of residuals, sigma, R2, likelihood and curvature.
  Response response = Response::kTime;
  bool rate_of_one = false;  ///< As FitOptions::rate_of_one.
  std::uint64_t n = 0;       ///< Points.
  std::uint64_t distinct_x = 0;
  double x_min = 0;
  double x_max = 0;
  std::int64_t dof = 0;  ///< n - p.
  double confidence = 0.95;
  std::vector<Parameter> parameters;  ///< In the law's order, on the reported scale.
  std::optional<Estimate> log_alpha;  ///< Of ln(alpha), if the first parameter is a prefactor.
  std::vector<double> covariance;     ///< Of the working parameters, p x p; empty if undefined.
  /// Of FitOptions::bound_curves, by x; empty where no parameter is on or near a bound.
  std::vector<BoundCurve> bound_curves;
  double rss = 0;               ///< Residual sum of squares, weighted; 0 for an exact fit.
  std::optional<double> sigma;  ///< Residual standard error, over all groups if pooled.
  std::optional<double> r2;     ///< About the mean; about zero for laws without intercept.
  std::optional<double> r2_adjusted;
  std::optional<double> f;  ///< Overall F statistic (classical).
  std::optional<double> f_p;
  std::optional<double> log_likelihood;  ///< Gaussian, at the maximum-likelihood variance.
  std::optional<double> aic;             ///< Counts sigma: k = p + 1.
  std::optional<double> aicc;
  std::optional<double> bic;
  std::optional<double> rmse;      ///< For y itself: root of the mean squared residual over points.
  std::optional<double> mape;      ///< Mean over points of |mean y at x - curve| / mean y at x.
  std::optional<double> smearing;  ///< Duan (1983), mean of exp(residual): mean y / curve.
  std::optional<Speedup> speedup;
  std::optional<Curvature> curvature;
  std::optional<LackOfFit> lack_of_fit;
  std::optional<FreeLawTest> free_law;  ///< Of a law with fixed or tied parameters.
  std::optional<double> cooks_distance_max;
  /// An upper bound of the chance that runs without fault reach cooks_distance_max: the sum over
  /// runs of the chance that this one does. Empty below two degrees of freedom.
  std::optional<double> cooks_distance_p;
  std::optional<Outlier> outlier;  ///< Empty below two degrees of freedom.
  /// An x whose only row has leverage 1, which makes Cook's distance undefined.
  std::optional<double> sole_support_x;
  std::optional<double> scatter_trend_p;  ///< Breusch-Pagan (1979) on ln x; empty below n = 10.
  StandardError se = StandardError::kClassic;  ///< The kind that was asked for.
  std::optional<std::uint64_t> clusters;       ///< Runs, where standard errors are clustered.
  std::vector<WarningCode> warnings;
  std::optional<Bootstrap> bootstrap;
  std::shared_ptr<const Pooling> pooling;  ///< What it shares with other groups; else empty.
  std::optional<OwnFigures> own;           ///< Of its points alone, if pooled.
  /// Results for laws of several x, which do not set x_min and x_max.
  std::shared_ptr<const SurfaceFigures> surface;

  /// The degrees of freedom of sigma: n - p, or the sum over groups if pooled.
  double sigma_dof() const;
  /// The degrees of freedom of figures that take several parameters: the least of theirs.
  double joint_dof() const;
  /// The fitted curve at x: the median of y on the log scale, its mean on the original scale. theta
  /// is computed from the reported parameters.
  double curve(double x) const { return curve({&x, 1}); }
  double curve(std::span<const double> x) const;  ///< For a law of several x.
  /// Standard error of the curve at x on the scale of the fit (of its logarithm on Scale::kLog), by
  /// the delta method. Empty if there is no covariance.
  std::optional<double> curve_se(double x) const { return curve_se({&x, 1}); }
  std::optional<double> curve_se(std::span<const double> x) const;
  /// The interval of the curve at x; empty without degrees of freedom or covariance.
  std::optional<Interval> curve_ci(double x) const;
  /// ln of the curve, with its standard error where there is a covariance.
  struct LogCurve {
    double value;
    std::optional<double> se;
  };
  /// Empty where the curve is not positive.
  std::optional<LogCurve> log_curve(double x) const;
  /// How far ln of the curve may lie too high (`lower`) and too low (`upper`), in standard errors:
  /// t times each is the distance to the ends of its interval. From `bound_curves` if there are
  /// any, smooth in ln x between them; else both are the standard error. Empty without either.
  std::optional<Interval> log_curve_errors(double x) const;
};

/// How one cell of a fit lies about the curve.
struct Residual {
  double x;
  double value;         ///< On the scale of the fit.
  double standardised;  ///< Over sigma sqrt(1 - leverage).
  double cook;          ///< Cook's distance; NaN at leverage 1.
  /// The normal quantile of the rank of `standardised` among all (Blom 1958).
  double normal_quantile = 0;
};

/// Of every cell that was fitted, in their order.
std::vector<Residual> residuals_of(const Fit& fit, std::span<const Cell> cells);

/// The names of options as the command line spells them.
std::string_view name_of(Response response);
std::string_view name_of(Errors errors);
std::string_view name_of(StandardError se);
std::string_view name_of(Robust robust);
std::string_view name_of(BootstrapKind kind);

/// What a warning means for this fit, and what to do about it, in one or two sentences.
std::string explain(WarningCode code, const Fit& fit);

/// A group with its law, or why it has none.
using GroupFit = Grouped<Fit>;

/// Fits one law to the cells of one group, sorted by x.
///
/// Model: eta(x; theta) plus independent scatter of equal variance over rows (if weighted: variance
/// / weight). The scale is the law's, or the original one under Errors::kNormal. Linear laws are
/// solved exactly by QR of the centred design. Other laws, and linear ones on another scale than
/// their own, take Levenberg-Marquardt steps within the law's bounds until the parameters hold to
/// 1e-12. They start from the best of the law's shapes, whose scale is solved exactly (variable
/// projection).
///
/// Intervals of such fits are profile likelihoods. They contain the values v for which the residual
/// sum of squares with the parameter held at v is below RSS (1 + t^2 / (n - p)), where t is
/// Student's with n - p degrees of freedom (Bates and Watts 1988, sec. 6.1).
///
/// Robust fits and the bootstrap need raw points: every cell must then have count 1.
///
/// Under FitOptions::pooling the variance and its degrees of freedom are those of all groups. The
/// figures of the fit itself (RSS, R2, F, likelihood, checks behind warnings) stay the group's own.
///
/// @throws FitError with a stable code if there is no solution.
/// @throws std::invalid_argument if cells are not sorted by x, or no points where these are needed,
/// or options do not go with pooling.
///
/// Source: docs/explanation/least-squares.md, "Least squares from cells". Checked against
/// statsmodels OLS and WLS (1e-9) and NIST StRD (Norris, NoInt1, NoInt2).
Fit fit_law(std::span<const Cell> cells, const FitOptions& options,
            std::uint64_t random_stream = 0);

/// The codes of the warnings of fits, in the order of WarningCode.
std::span<const CodeHelp> warning_codes();

/// Whether a fit has that warning.
inline bool warns(const Fit& fit, WarningCode code) {
  return std::ranges::find(fit.warnings, code) != fit.warnings.end();
}

}  // namespace scalelaw
