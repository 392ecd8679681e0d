#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// Which laws a forecast rests on.
enum class ForecastKind {
  kLaw,      ///< One law, named or saved.
  kAuto,     ///< The law of the least AICc; those within 2 of it share the weight.
  kAverage,  ///< Power, floor and Amdahl: equal weights below six different x, Akaike weights then.
};

struct ForecastOptions {
  ForecastKind kind = ForecastKind::kAverage;
  const Law* law = nullptr;  ///< Of ForecastKind::kLaw.
  Response response = Response::kTime;
  double confidence = 0.95;
};

/// A law of a forecast.
struct WeightedFit {
  Fit fit;
  double weight;  ///< The weights of a forecast sum to 1.
};

/// By how much the runs at one x miss the mean curve.
struct Misfit {
  double x;
  double log_distance;  ///< Mean of ln y there less ln curve.
};

/// What is known of one group beyond its points: curves of laws and how runs scatter about their
/// weighted mean.
///
/// Model: ln y = sum_l w_l ln curve_l(x) + misfit(x) + normal scatter. Logarithms are averaged, so
/// that a forecast of times is one of rates too. The misfit is what several laws together leave of
/// the mean at each x, less the share that repeats there explain (1/F of the lack of fit) and
/// that two fitted parameters hide (2 / distinct_x); between and beyond the x it is carried as of
/// an Ornstein-Uhlenbeck process in ln x, whose correlation falls to 1/e over the range of the
/// data. A forecast by one law has none.
struct Forecast {
  std::vector<WeightedFit> laws;  ///< By weight, the greatest first.
  std::vector<Misfit> misfits;    ///< By x; empty for one law.
  Response response = Response::kTime;
  double confidence = 0.95;
  std::uint64_t n = 0;
  std::uint64_t distinct_x = 0;
  double x_min = 0;
  double x_max = 0;
  /// Of runs about the mean curve, in ln y, with n - 2 degrees of freedom (n - p for one law);
  /// empty where there are none.
  std::optional<double> sigma;
  double dof = 0;  ///< Behind sigma.
  /// Mean of y / curve (Duan 1983); empty if it is not known.
  std::optional<double> smearing;
};

/// A forecast at one x.
struct Prediction {
  double x;
  double median;               ///< Half of new runs lie below it.
  std::optional<double> mean;  ///< Median times smearing: what many runs average to.
  std::optional<Interval> ci;  ///< Of the curve.
  std::optional<Interval> pi;  ///< Of one new run, the uncertainty about the law included.
  /// 0 inside the range of x; beyond it ln distance in units of the observed ln range.
  double extrapolation;
  double speedup;     ///< Against the curve at x_min.
  double efficiency;  ///< Speedup over x / x_min.
};

/// What of the distribution of new runs a figure is of.
enum class Target { kMedian, kMean };

/// "median", "mean".
std::string_view name_of(Target target);

/// That figure of a forecast; a mean that is not known is empty.
std::optional<double> value_of(const Prediction& prediction, Target target);

/// The laws of ForecastKind::kAverage.
std::span<const Law* const> averaged_laws();

/// Fits the laws that the options ask for to the cells of one group and weighs them.
///
/// Evidence for the kind of average: docs/methods.md, "Forecasts".
///
/// @throws FitError if no law can be fitted.
Forecast make_forecast(std::span<const Cell> cells, const ForecastOptions& options);

/// A forecast from one finished fit, made now or read back: both give the same digits.
Forecast forecast_of(const Fit& fit);

/// The forecast at x > 0.
///
/// @throws FitError not-identifiable if the curve is not positive there, as a line may be.
///
/// Intervals: with a = (1 + 1/L) s^2, s^2 the unbiased weighted variance of the laws' ln curves and
/// L = 1 / sum w^2 their effective number, and b the variance of the curve's parameters (sigma^2
/// times the leverage of x for one law, times 2 / n where laws share the weight equally), ci is
/// +- t sqrt(a + b), pi +- t sqrt(a + b + sigma^2), t of Student with Satterthwaite's degrees of
/// freedom: those of sigma over the squared share of the variance that rests on it.
///
/// @param runs  pi is of the (geometric) mean of so many new runs.
Prediction predict(const Forecast& forecast, double x, double runs = 1);

/// A scale that a demand asks for.
struct DemandedScale {
  double x;
  bool open = false;  ///< The search ended there: greater ones may do as well.
};

/// The number of GPUs that meets a demand, with its interval; empty where nothing does.
struct Demand {
  std::optional<DemandedScale> x;      ///< Least x (deadline) or greatest (budget), by the target,
  std::optional<DemandedScale> lower;  ///< by the lower end of the prediction interval,
  std::optional<DemandedScale> upper;  ///< and by its upper end.
  double best;  ///< The best within reach, e.g. the floor of times; may be infinite.
};

/// The least whole x at which the time meets a deadline, up to 1000 times x_max. Of a rate, the
/// time of one unit of work.
Demand meet_deadline(const Forecast& forecast, double deadline, Target target = Target::kMedian);

/// The greatest whole x up to which x times time stays within a budget (both in the unit of y).
Demand meet_budget(const Forecast& forecast, double budget, Target target = Target::kMedian);

/// Energy by a forecast of something that it is proportional to: per joule of one GPU, which
/// scales as times do, or of all, or times the power of a GPU.
struct EnergyForecast {
  Forecast forecast;
  bool per_x = true;  ///< The forecast is of one GPU: energy is x times it.
  double joules = 1;  ///< Of one unit of the forecast.

  /// The factor from the forecast at x to joules.
  double factor(double x) const { return joules * (per_x ? x : 1); }
};

/// The energy at all GPUs, in J; extrapolation, speedup and efficiency are the forecast's.
/// @throws FitError as predict does.
Prediction predict_energy(const EnergyForecast& energy, double x);

/// The greatest whole x up to which the energy stays within a budget, in J.
Demand meet_energy_budget(const EnergyForecast& energy, double joules,
                          Target target = Target::kMedian);

/// Cells of y / x: of a quantity per GPU.
std::vector<Cell> per_x(std::span<const Cell> cells);

/// How one way of forecasting did on hidden points.
struct BacktestScore {
  std::string name;  ///< "average", "auto" or the law.
  std::size_t series = 0;
  double median_error = 0;         ///< Median |ln error|.
  double p90_error = 0;            ///< Its 90th percentile (type 7).
  double bias = 0;                 ///< Mean ln error: > 0 was slower (of a rate: more) than said.
  std::optional<double> coverage;  ///< Share of prediction intervals that held, where defined,
  std::optional<double> width;     ///< and their median width in ln y.
  std::size_t intervals = 0;       ///< How many there were.
};

/// One hidden point under one way of forecasting.
struct HiddenPoint {
  GroupKey group;
  double x;
  std::string name;
  double log_error;
  std::optional<bool> inside;
  std::optional<double> width;
};

struct Backtest {
  std::vector<HiddenPoint> points;
  std::vector<BacktestScore> scores;
  std::size_t skipped = 0;  ///< Groups with too few x to hide any.
};

/// Hides the `hidden` greatest x of every group that keeps three, forecasts the greatest of them
/// from the rest, and scores average, auto and each law on ln of the mean there.
Backtest backtest(const GroupedCells& runs, const ForecastOptions& options, std::size_t hidden,
                  int threads);

}  // namespace scalelaw
