#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// The laws behind a forecast.
enum class ForecastKind {
  kLaw,      ///< One law, named or saved.
  kAuto,     ///< The law of least AICc; laws within 2 of it share the weight.
  kAverage,  ///< Power, floor and Amdahl, by Akaike weights; equal below six x.
};

/// "law", "auto", "average".
std::string_view name_of(ForecastKind kind);

struct ForecastOptions {
  ForecastKind kind = ForecastKind::kAverage;
  const Law* law = nullptr;  ///< The law of ForecastKind::kLaw.
  Response response = Response::kTime;
  double confidence = 0.95;
  /// The scatter that groups share, of ForecastKind::kLaw and a law that is linear in ln y.
  std::shared_ptr<const Pooling> pooling = {};
};

/// A law of a forecast.
struct WeightedFit {
  Fit fit;
  double weight;  ///< The weights of a forecast sum to 1.
};

/// How far the mean of the runs at one x lies from the forecast's mean curve.
struct Misfit {
  double x;
  double log_distance;  ///< Mean ln y minus ln curve there.
};

/// What a group tells beyond its points: the curves of laws, and the scatter of runs about the
/// weighted mean of these curves.
///
/// Model: ln y = sum_l w_l ln curve_l(x) + misfit(x) + normal scatter. Logarithms are averaged, so
/// that forecasts of times and of rates agree. The misfit is the distance that remains between the
/// mean at each x and several laws together. The share that repeats explain (1/F of the lack of
/// fit) and the share that two fitted parameters hide (2 / distinct_x) are removed. Elsewhere the
/// misfit follows an Ornstein-Uhlenbeck process in ln x, whose correlation falls to 1/e over the
/// range of the data. A forecast by one law has no misfit.
struct Forecast {
  std::vector<WeightedFit> laws;  ///< The greatest weight first.
  std::vector<Misfit> misfits;    ///< By x; empty for a single law.
  Response response = Response::kTime;
  double confidence = 0.95;
  std::uint64_t n = 0;
  std::uint64_t distinct_x = 0;
  double x_min = 0;
  double x_max = 0;
  /// Scatter of ln y about the mean curve, with n - 2 degrees of freedom (n - p for one law, those
  /// of all groups if pooled). Empty if there are none.
  std::optional<double> sigma;
  double dof = 0;  ///< Degrees of freedom of sigma.
  /// Mean of y / curve (Duan 1983); empty if unknown.
  std::optional<double> smearing;
};

/// The laws of a forecast without repetition: a law that stands for two has the weight of both.
std::vector<WeightedFit> different_laws(const Forecast& forecast);

/// A forecast at one x.
struct Prediction {
  double x;
  double median;                    ///< Half of new runs lie below it.
  std::optional<double> mean = {};  ///< Median times smearing: the average of many runs.
  std::optional<Interval> ci = {};  ///< For the curve.
  std::optional<Interval> pi = {};  ///< For one new run, including the uncertainty about the law.
  /// 0 within the range of x. Beyond it, the ln distance in units of the observed ln range.
  double extrapolation;
  double speedup;     ///< Against the curve at x_min.
  double efficiency;  ///< Speedup over x / x_min.
};

/// The figure of the distribution of new runs that is wanted.
enum class Target { kMedian, kMean };

/// "median", "mean".
std::string_view name_of(Target target);

/// That figure of a forecast; empty if it is an unknown mean.
std::optional<double> value_of(const Prediction& prediction, Target target);

/// Fits the laws that the options name to the cells of one group, and weighs them. docs/methods.md,
/// "Forecasts", has the evidence for each kind of average.
///
/// @throws FitError if no law can be fitted.
Forecast make_forecast(std::span<const Cell> cells, const ForecastOptions& options);

/// A forecast from one finished fit. A fit that was read back gives the same digits as a new one.
Forecast forecast_of(const Fit& fit);

/// The forecast at x > 0.
///
/// Intervals: ci is +- t sqrt(a + b) and pi is +- t sqrt(a + b + sigma^2). The spread between laws
/// is a = (1 + 1/L) s^2, where s^2 is the unbiased weighted variance of their ln curves and L = 1 /
/// sum w^2 is their effective number. The variance of the curve's parameters is b: sigma^2 times
/// the leverage of x for one law, or times 2 / n where laws share the weight equally. t is
/// Student's, with Satterthwaite's degrees of freedom: those of sigma over the squared share of the
/// variance that sigma determines.
///
/// @param runs  pi holds for the (geometric) mean of this many new runs.
/// @throws FitError not-identifiable if the curve is not positive there, as a line may be.
Prediction predict(const Forecast& forecast, double x, double runs = 1);

/// A scale that meets a demand.
struct DemandedScale {
  double x;
  bool open = false;  ///< The search ended there; greater ones may do as well.
};

/// Whether only the law speaks for a scale: it is over four times the greatest measured one.
bool is_far_beyond(const Forecast& forecast, const DemandedScale& scale);

/// The number of GPUs that meets a demand, with its interval; empty if none does.
struct Demand {
  std::optional<DemandedScale> x;      ///< Least x (deadline) or greatest x (budget) by the target,
  std::optional<DemandedScale> lower;  ///< by the lower end of the prediction interval,
  std::optional<DemandedScale> upper;  ///< and by its upper end.
  double best;  ///< Best value within reach, such as the floor of times; may be infinite.
};

/// The least whole x at which the time meets a deadline, up to 1000 times x_max. For a rate, the
/// time is that of one unit of work.
Demand meet_deadline(const Forecast& forecast, double deadline, Target target = Target::kMedian);

/// The greatest whole x up to which x times the time stays within a budget, both in the unit of y.
Demand meet_budget(const Forecast& forecast, double budget, Target target = Target::kMedian);

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
  std::string name;  ///< "average", "auto" or the law.
  std::size_t series = 0;
  double median_error = 0;         ///< Median |ln error|.
  double p90_error = 0;            ///< Its 90th percentile (type 7).
  double bias = 0;                 ///< Mean ln error; > 0: slower (of a rate: more) than forecast.
  std::optional<double> coverage;  ///< Share of prediction intervals that held, where defined.
  std::optional<double> width;     ///< Their median width in ln y.
  std::size_t intervals = 0;       ///< How many there were.
};

/// One hidden point under one way of forecasting.
struct HiddenPoint {
  GroupKey group;
  double x;
  std::string name;
  double log_error;
  std::optional<bool> inside = {};
  std::optional<double> width = {};
};

struct Backtest {
  std::vector<HiddenPoint> points;
  std::vector<BacktestScore> scores;
  std::size_t skipped = 0;  ///< Groups with too few x to hide any.
};

/// Hides the `hidden` greatest x of every group that keeps three, and forecasts the greatest of
/// them from the rest. Scores average, auto and each law by ln of the mean there.
Backtest backtest(const GroupedCells& runs, const ForecastOptions& options, std::size_t hidden,
                  int threads);

}  // namespace scalelaw
