#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/judge/learned_priors.hpp"
#include "scalelaw/judge/mixture.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// The laws behind a forecast.
enum class ForecastKind {
  kLaw,      ///< One law, named or saved.
  kAuto,     ///< The likeliest law of the mixture, with the mixture's intervals.
  kAverage,  ///< The mixture of power, log-normal, floor, Amdahl and USL.
};

/// "law", "auto", "average".
std::string_view name_of(ForecastKind kind);

struct ForecastOptions {
  ForecastKind kind = ForecastKind::kAverage;
  const Law* law = nullptr;  ///< The law of ForecastKind::kLaw.
  Response response = Response::kTime;
  bool rate_of_one = false;  ///< As FitOptions::rate_of_one.
  double confidence = 0.95;
  /// The scatter that groups share, of ForecastKind::kLaw and a law that is linear in ln y.
  std::shared_ptr<const Pooling> pooling = {};
  LawPriors priors = {};  ///< Of the laws of a mixture, before the points of the group.
  /// Of Pool::kLaws: what takes the place of `priors` in each group of a study; null otherwise.
  std::shared_ptr<const LearnedPriors> learned = {};

  /// For one group of a study.
  ForecastOptions of_group(std::size_t group) const;
};

/// What is known beforehand of the laws of such a quantity. A loss is not shared out among workers:
/// it has no serial work and no coherency, so Amdahl's law and USL have no weight.
LawPriors usual_priors(Kind kind);

/// A law of a forecast.
struct LawShare {
  const Law* law;
  double weight;  ///< In intervals. The weights of a forecast sum to 1, and so do the shares.
  double share;   ///< In the mean of the laws' curves that is forecast.
  /// As fits report them; of a mixture, those of the law's likeliest shape.
  std::vector<double> parameters;
};

/// What a group tells beyond its points: one fitted law, or a mixture of laws.
struct Forecast {
  std::vector<LawShare> laws;  ///< The greatest weight first.
  std::optional<Fit> fit;      ///< Of a forecast by one law; the mixture is empty then.
  std::optional<Mixture> mixture;
  std::optional<Mixture> choice;  ///< The part of the mixture that gives the median of kAuto.
  const Law* chosen = nullptr;    ///< Its law; null if several laws give the median.
  Response response = Response::kTime;
  bool rate_of_one = false;  ///< As FitOptions::rate_of_one.
  double confidence = 0.95;
  std::uint64_t n = 0;
  std::uint64_t distinct_x = 0;
  double x_min = 0;
  double x_max = 0;
  std::optional<double> sigma;  ///< Scatter of ln y of one run about the curve.
  /// Mean of new runs over their median (Duan 1983); empty if unknown.
  std::optional<double> smearing;
  double log_first = 0;  ///< ln of the time at x_min.
};

/// What the runs say against the form of a forecast, as a fit warns of it.
struct ForecastDoubt {
  WarningCode code;      ///< curved: away from a power law, or the one law; lack-of-fit; on-bound.
  std::string sentence;  ///< What it means for the forecast.
};

/// A forecast at one x.
struct Prediction {
  double x;
  double median;                    ///< Of the law, or the mean of the laws' curves in ln y.
  std::optional<double> mean = {};  ///< Median times smearing: the average of many runs.
  std::optional<Interval> ci = {};  ///< For the curve.
  std::optional<Interval> pi = {};  ///< For one new run, including the uncertainty about the law.
  /// 0 within the range of x. Beyond it, the ln distance in units of the observed ln range.
  double extrapolation;
  double speedup;     ///< Against the curve at x_min; of all units of x, also if y is of one.
  double efficiency;  ///< Speedup over x / x_min.
};

/// The figure of the distribution of new runs that is wanted.
enum class Target { kMedian, kMean };

/// "median", "mean".
std::string_view name_of(Target target);

/// That figure of a forecast; empty if it is an unknown mean.
std::optional<double> value_of(const Prediction& prediction, Target target);

/// Fits the law that the options name to the cells of one group, sorted by x, or weighs all laws of
/// the mixture. Below three rows or two x there is a power law alone, and so it is where times
/// surely rise with x, or fall by an exponent above 1.25, which no law of the mixture does.
/// docs/explanation/forecasts.md, has the evidence.
///
/// @throws FitError if no law can be fitted.
Forecast make_forecast(std::span<const Cell> cells, const ForecastOptions& options);

/// Whether make_forecast weighs all laws of the mixture for these cells.
bool weighs_laws(std::span<const Cell> cells, const ForecastOptions& options);

/// What the groups of a study tell about each other's laws; null if too few have a mixture.
/// @param threads  0: all processors. The result does not depend on it.
std::shared_ptr<const LearnedPriors> learn_priors(const GroupedCells& runs,
                                                  const ForecastOptions& options, int threads);

/// Whether the runs bend away from a power law, and whether their means lie further from the law
/// that the forecast weighs most than repeated runs scatter; of a forecast by one law both of that
/// law. By the tests of fit_law. Those of the forecast alone come first.
std::vector<ForecastDoubt> doubts_in(const Forecast& forecast, std::span<const Cell> cells);

/// Of one law alone: whether a parameter is on a bound.
std::vector<ForecastDoubt> doubts_in(const Forecast& forecast);

/// A forecast from one finished fit. A fit that was read back gives the same digits as a new one.
Forecast forecast_of(const Fit& fit);

/// The forecast at x > 0.
///
/// Of a mixture, the median is the curve (log_curve) and the ends of intervals are quantiles. Of
/// one law, ci is +- t times the standard error of ln curve, and pi adds the variance of ln y; t is
/// Student's with n - p degrees of freedom. With a parameter on or near a bound,
/// Fit::log_curve_errors has an error for either side.
///
/// @param runs  pi holds for the (geometric) mean of this many new runs.
/// @throws FitError not-identifiable if the curve is not positive there, as a line may be.
Prediction predict(const Forecast& forecast, double x, double runs = 1);

/// A scale that meets a demand.
struct DemandedScale {
  double x;
  bool open = false;  ///< The search ended there; greater ones may do as well.
};

/// Up to so many times the greatest measured scale forecasts were checked
/// (docs/explanation/coverage.md).
inline constexpr double kCheckedReach = 4;

/// Whether only the laws speak for a scale: forecasts were not checked so far beyond `x_max`.
bool is_far_beyond(double x, double x_max);

/// The number of GPUs that meets a demand, with its interval; empty if none does.
struct Demand {
  std::optional<DemandedScale> x;      ///< Least x (deadline) or greatest x (budget) by the target,
  std::optional<DemandedScale> lower;  ///< by the lower end of the prediction interval,
  std::optional<DemandedScale> upper;  ///< and by its upper end.
  double best;  ///< Best value within reach, such as the floor of times; may be infinite.
  /// Where it is reached, by whole numbers; empty if the value still falls where the search ends.
  std::optional<double> best_x = {};
  /// Of deadlines, where scaling turns back: the greatest x that meets them. Empty if all greater
  /// ones do, as far as the search goes.
  std::optional<double> until = {};
  /// The greatest scale at which forecasts were checked, kCheckedReach times the measured ones.
  double checked = std::numeric_limits<double>::infinity();
};

/// The search for scales that meet a demand ends at so many times the greatest measured one.
inline constexpr double kSearchReach = 1000;

/// The least whole x at which the time meets a deadline, up to kSearchReach times x_max, and to
/// 2^53 where that is more than x_max. For a rate, the time is that of one unit of work.
Demand meet_deadline(const Forecast& forecast, double deadline, Target target = Target::kMedian);

/// The greatest whole x up to which x times the time stays within a budget, both in the unit of y.
Demand meet_budget(const Forecast& forecast, double budget, Target target = Target::kMedian);

/// How many times as much as its y all units at x do: x of the rate of one of them, else 1.
double units_at(const Forecast& forecast, double x);

/// An energy that is proportional to a forecast. The forecast is the energy of one GPU, the energy
/// of all, or a time that the power of a GPU multiplies.
struct EnergyForecast {
  Forecast forecast;
  bool per_x = true;  ///< The forecast is for one GPU, so energy is x times it.
  double joules = 1;  ///< Joules per unit of the forecast.

  /// The factor from the forecast at x to joules.
  double factor(double x) const { return joules * (per_x ? x : 1); }
};

/// The energy at all GPUs, in J. Extrapolation, speedup and efficiency are those of the forecast.
/// @throws FitError as predict does.
Prediction predict_energy(const EnergyForecast& energy, double x);

/// The greatest whole x up to which the energy stays within a budget, in J.
Demand meet_energy_budget(const EnergyForecast& energy, double joules,
                          Target target = Target::kMedian);

/// Cells of y / x, a quantity per GPU.
std::vector<Cell> per_x(std::span<const Cell> cells);

/// How well one way of forecasting predicted hidden points.
struct BacktestScore {
  std::string name;  ///< "average", "pooled" (with Pool::kLaws), "auto" or the law.
  std::size_t series = 0;
  double median_error = 0;         ///< Median |ln error|.
  double p90_error = 0;            ///< Its 90th percentile (type 7).
  double bias = 0;                 ///< Mean ln error; > 0: slower (of a rate: more) than forecast.
  std::optional<double> coverage;  ///< Share of prediction intervals that held, where defined.
  std::optional<double> width;     ///< Their median width in ln y.
  std::size_t intervals = 0;       ///< How many there were.
  /// Mean interval score (Winkler 1972): width, and 2 / (1 - confidence) times the distance by
  /// which a value lies outside, in ln y. Smaller is better.
  std::optional<double> interval_score;
};

/// One hidden point under one way of forecasting.
struct HiddenPoint {
  GroupKey group;
  double x;
  std::string name;
  double log_error;
  std::optional<bool> inside = {};
  std::optional<double> width = {};
  std::optional<double> interval_score = {};  ///< As of BacktestScore.
};

struct Backtest {
  std::vector<HiddenPoint> points;
  std::vector<BacktestScore> scores;
  std::size_t skipped = 0;  ///< Groups with too few x to hide any.
};

/// Hides the `hidden` greatest x of every group that keeps three, and forecasts the greatest of
/// them from the rest. Scores average, auto and each law by ln of the mean there, and also
/// forecasts by priors that other groups tell in full (learn_priors), where there are enough of
/// them.
Backtest backtest(const GroupedCells& runs, const ForecastOptions& options, std::size_t hidden,
                  int threads);

}  // namespace scalelaw
