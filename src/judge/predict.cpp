#include "scalelaw/judge/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "judge/levels.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/judge/rank.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

constexpr double kToldApart = 2;           ///< Least difference in aicc that tells laws apart.
constexpr double kShapes = 2;              ///< Parameters that every law fits: prefactor and slope.
constexpr std::size_t kFewestWeighed = 6;  ///< Fewest different x at which evidence weighs laws.

/// One point per level, because evidence about a law comes from different x, not from repeats.
std::vector<Cell> level_means(std::span<const Cell> cells) {
  const std::vector<std::size_t> begins = level_begins(cells);
  std::vector<Cell> levels;
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    const auto rows = cells.subspan(begins[k], begins[k + 1] - begins[k]);
    Cell level{.x = rows.front().x, .count = 1, .mean_log = log_mean(rows).mean};
    level.mean = level.min = level.max = std::exp(level.mean_log);
    levels.push_back(level);
  }
  return levels;
}

FitOptions fit_options_of(const Law& law, const ForecastOptions& options) {
  return {.law = &law,
          .response = options.response,
          .confidence = options.confidence,
          .intervals = Intervals::kWald,
          .figures = Figures::kCurve,
          .in_logs = true,
          .pooling = options.pooling};
}

std::optional<Fit> fit_if_possible(std::span<const Cell> cells, const Law& law,
                                   const ForecastOptions& options) {
  return if_possible([&] { return fit_law(cells, fit_options_of(law, options)); });
}

/// AICc of laws, fitted to level means; empty if one of them is undefined.
std::optional<std::vector<double>> criteria(std::span<const Cell> levels,
                                            const std::vector<WeightedFit>& laws,
                                            const ForecastOptions& options) {
  std::vector<double> values;
  for (const WeightedFit& law : laws) {
    const auto fit = fit_if_possible(levels, *law.fit.law, options);
    if (!fit || !fit->aicc) return std::nullopt;
    values.push_back(*fit->aicc);
  }
  return values;
}

/// Sets Akaike weights, or equal weights without criteria.
void weigh(std::vector<WeightedFit>& laws, const std::optional<std::vector<double>>& values) {
  double sum = 0;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const double least = values ? *std::min_element(values->begin(), values->end()) : 0;
    laws[i].weight = values ? std::exp(-0.5 * ((*values)[i] - least)) : 1;
    sum += laws[i].weight;
  }
  for (WeightedFit& law : laws) law.weight /= sum;
}

/// Gives equal weights to the laws that cannot be told from the best one.
void keep_ties(std::vector<WeightedFit>& laws, const std::vector<double>& values) {
  const double least = *std::min_element(values.begin(), values.end());
  std::vector<WeightedFit> kept;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    if (values[i] - least < kToldApart) kept.push_back(std::move(laws[i]));
  }
  laws = std::move(kept);
  for (WeightedFit& law : laws) law.weight = 1 / static_cast<double>(laws.size());
}

std::vector<WeightedFit> fitted_laws(std::span<const Cell> cells, std::span<const Law* const> laws,
                                     const ForecastOptions& options) {
  std::vector<WeightedFit> fits;
  for (const Law* law : laws) {
    if (auto fit = fit_if_possible(cells, *law, options)) fits.push_back({std::move(*fit), 0});
  }
  return fits;
}

const Fit* fit_of(const std::vector<WeightedFit>& laws, std::string_view name) {
  for (const WeightedFit& law : laws) {
    if (law.fit.law->name() == name) return &law.fit;
  }
  return nullptr;
}

/// Few points above a floor often suggest an exponent above 1, but scaling does not stay better
/// than ideal. With an exponent of at most 1, the best floor law is Amdahl's.
void hold_floor_to_ideal_scaling(std::vector<WeightedFit>& laws) {
  const Fit* const amdahl = fit_of(laws, "amdahl");
  for (WeightedFit& law : laws) {
    const bool is_floor = law.fit.law->name() == "floor";
    if (is_floor && amdahl != nullptr && law.fit.parameters[1].estimate > 1) law.fit = Fit(*amdahl);
  }
}

std::vector<WeightedFit> averaged(std::span<const Cell> cells, const ForecastOptions& options) {
  static const std::array<const Law*, 3> averaged_laws{find_law("power"), find_law("floor"),
                                                       find_law("amdahl")};
  std::vector<WeightedFit> laws = fitted_laws(cells, averaged_laws, options);
  if (laws.empty()) return laws;
  hold_floor_to_ideal_scaling(laws);
  const std::vector<Cell> levels = level_means(cells);
  weigh(laws, levels.size() < kFewestWeighed ? std::nullopt : criteria(levels, laws, options));
  return laws;
}

/// The laws that have a criterion; the power law alone if none has.
std::vector<WeightedFit> chosen(std::span<const Cell> cells, const ForecastOptions& options) {
  std::vector<WeightedFit> laws;
  std::vector<double> values;
  for (WeightedFit& law : fitted_laws(cells, default_ranked_laws(), options)) {
    if (!law.fit.aicc) continue;
    values.push_back(*law.fit.aicc);
    laws.push_back(std::move(law));
  }
  if (laws.empty()) {
    const Law* const power = find_law("power");
    laws = fitted_laws(cells, std::span(&power, 1), options);
    weigh(laws, std::nullopt);
  } else {
    keep_ties(laws, values);
  }
  return laws;
}

double log_curve(const Forecast& forecast, double x) {
  double sum = 0;
  for (const WeightedFit& law : forecast.laws) sum += law.weight * std::log(law.fit.curve(x));
  return sum;
}

/// The share of the misfits beyond the scatter of repeats: 1 - 1/F of the lack of fit, from 0 to 1.
double share_beyond_scatter(std::span<const Cell> cells, std::span<const Cell> levels,
                            std::span<const Misfit> misfits) {
  double within = 0;
  double between = 0;
  double rows = 0;
  std::size_t level = 0;
  for (const Cell& cell : cells) {
    while (levels[level].x < cell.x) ++level;
    const auto count = static_cast<double>(cell.count);
    const double from_mean = cell.mean_log - levels[level].mean_log;
    within += cell.ss_log + count * from_mean * from_mean;
    between += count * misfits[level].log_distance * misfits[level].log_distance;
    rows += count;
  }
  const auto distinct = static_cast<double>(levels.size());
  if (!(rows > distinct) || !(distinct > kShapes) || !(between > 0)) return 1;
  const double inverse_f = (within / (rows - distinct)) / (between / (distinct - kShapes));
  return std::max(0.0, 1 - inverse_f);
}

/// The distance at each x between the mean and the mean of several curves.
std::vector<Misfit> misfits_of(std::span<const Cell> cells, const Forecast& forecast) {
  const std::vector<Cell> levels = level_means(cells);
  std::vector<Misfit> misfits;
  for (const Cell& level : levels) {
    misfits.push_back({level.x, level.mean_log - log_curve(forecast, level.x)});
  }
  const double share = (1 - kShapes / static_cast<double>(levels.size())) *
                       share_beyond_scatter(cells, levels, misfits);
  for (Misfit& misfit : misfits) misfit.log_distance *= share;
  return misfits;
}

/// The expected misfit at x: the conditional mean of an Ornstein-Uhlenbeck process, which depends
/// only on the nearest x on either side.
double misfit_at(const Forecast& forecast, double x) {
  const std::vector<Misfit>& known = forecast.misfits;
  if (known.size() < 2) return 0;
  const double length = std::log(forecast.x_max / forecast.x_min);
  const auto distance = [&](double from, double to) { return std::log(to / from) / length; };
  if (x >= known.back().x) {
    return known.back().log_distance * std::exp(-distance(known.back().x, x));
  }
  if (x <= known.front().x) {
    return known.front().log_distance * std::exp(-distance(x, known.front().x));
  }
  const auto right = std::upper_bound(known.begin(), known.end(), x,
                                      [](double at, const Misfit& other) { return at < other.x; });
  const Misfit& a = *(right - 1);
  const Misfit& b = *right;
  return (a.log_distance * std::sinh(distance(x, b.x)) +
          b.log_distance * std::sinh(distance(a.x, x))) /
         std::sinh(distance(a.x, b.x));
}

/// Fills in how runs scatter about the weighted mean of several curves.
void fill_scatter(std::span<const Cell> cells, Forecast& forecast) {
  double squares = 0;
  double mass = 0;
  double rows = 0;
  for (const Cell& cell : cells) {
    const double curve = log_curve(forecast, cell.x);
    const double residual = cell.mean_log - curve;
    const auto count = static_cast<double>(cell.count);
    squares += cell.weight * (cell.ss_log + count * residual * residual);
    mass += cell.weight * count;
    rows += count;
  }
  forecast.dof = rows - kShapes;
  if (forecast.dof > 0) forecast.sigma = std::sqrt(squares / mass * rows / forecast.dof);
}

/// Mean of y over the median there (Duan 1983).
double smearing_of(std::span<const Cell> cells, const Forecast& forecast) {
  double sum = 0;
  double rows = 0;
  for (const Cell& cell : cells) {
    const auto count = static_cast<double>(cell.count);
    const double log_median = log_curve(forecast, cell.x) + misfit_at(forecast, cell.x);
    sum += count * cell.mean / std::exp(log_median);
    rows += count;
  }
  return sum / rows;
}

/// Variances of ln y: the spread between laws, and the error of the curve's parameters.
struct CurveVariance {
  double laws;
  double parameters;
};

/// Leverage of x under a law; 0 if the law has no error of its own.
double leverage(const Fit& fit, double x) {
  const auto se = fit.curve_se(x);
  if (!se || !fit.sigma || !(*fit.sigma > 0)) return 0;
  return (*se / *fit.sigma) * (*se / *fit.sigma);
}

/// If laws share the weight, their spread covers the extrapolation, and the mean curve errs as with
/// two parameters within the data. If one law has all the weight, its leverage counts.
CurveVariance curve_variance(const Forecast& forecast, double x) {
  const double mean = log_curve(forecast, x);
  double spread = 0;
  double squares = 0;
  for (const WeightedFit& law : forecast.laws) {
    const double distance = std::log(law.fit.curve(x)) - mean;
    spread += law.weight * distance * distance;
    squares += law.weight * law.weight;
  }
  const double variance = forecast.sigma.value_or(0) * forecast.sigma.value_or(0);
  const double own = leverage(forecast.laws.front().fit, x);
  if (forecast.laws.size() < 2 || squares > 1 - 1e-9) return {0, variance * own};
  const double equal = 1 / static_cast<double>(forecast.laws.size());
  // 0 if all laws have equal weights, 1 if one law has all the weight.
  const double concentration = (squares - equal) / (1 - equal);
  const double shared = kShapes / static_cast<double>(forecast.n);
  return {(1 + squares) * spread / (1 - squares),
          variance * (concentration * own + (1 - concentration) * shared)};
}

std::optional<Interval> interval_about(double centre, double reach) {
  const Interval interval{std::exp(centre - reach), std::exp(centre + reach)};
  const bool finite = std::isfinite(interval.lower) && std::isfinite(interval.upper);
  return finite ? std::optional(interval) : std::nullopt;
}

/// Student's factor for a variance of which the part `estimated` has `dof` degrees of freedom.
double reach_factor(const Forecast& forecast, const CurveVariance& curve, double estimated) {
  const double share = estimated / (curve.laws + estimated);
  const double divisor = share * share;
  if (!(divisor > 1e-6)) return normal_factor(forecast.confidence);
  return student_t_factor(forecast.confidence, forecast.dof / divisor);
}

void fill_intervals(const Forecast& forecast, double log_median, double runs, Prediction& out) {
  if (!forecast.sigma || !(forecast.dof > 0)) return;
  const CurveVariance curve = curve_variance(forecast, out.x);
  const double scatter = *forecast.sigma * *forecast.sigma / runs;
  const auto reach = [&](double estimated) {
    return reach_factor(forecast, curve, estimated) * std::sqrt(curve.laws + estimated);
  };
  out.ci = interval_about(log_median, reach(curve.parameters));
  out.pi = interval_about(log_median, reach(curve.parameters + scatter));
}

double distance_outside(const Forecast& forecast, double x) {
  const double range = std::log(forecast.x_max / forecast.x_min);
  if (x > forecast.x_max) return std::log(x / forecast.x_max) / range;
  return x < forecast.x_min ? std::log(forecast.x_min / x) / range : 0;
}

}  // namespace

std::string_view name_of(ForecastKind kind) {
  return word_for(kind, {{ForecastKind::kLaw, "law"},
                         {ForecastKind::kAuto, "auto"},
                         {ForecastKind::kAverage, "average"}});
}

std::string_view name_of(Target target) {
  return word_for(target, {{Target::kMedian, "median"}, {Target::kMean, "mean"}});
}

std::optional<double> value_of(const Prediction& prediction, Target target) {
  return target == Target::kMean ? prediction.mean : std::optional(prediction.median);
}

std::vector<WeightedFit> different_laws(const Forecast& forecast) {
  std::vector<WeightedFit> laws;
  for (const WeightedFit& law : forecast.laws) {
    const auto same = std::find_if(laws.begin(), laws.end(), [&law](const WeightedFit& other) {
      return other.fit.law == law.fit.law;
    });
    if (same == laws.end()) {
      laws.push_back(law);
    } else {
      same->weight += law.weight;
    }
  }
  return laws;
}

Forecast forecast_of(const Fit& fit) {
  Forecast forecast;
  forecast.laws.push_back({fit, 1});
  forecast.response = fit.response;
  forecast.confidence = fit.confidence;
  forecast.n = fit.n;
  forecast.distinct_x = fit.distinct_x;
  forecast.x_min = fit.x_min;
  forecast.x_max = fit.x_max;
  forecast.sigma = fit.sigma;
  forecast.dof = fit.sigma_dof();
  forecast.smearing = fit.smearing;
  return forecast;
}

Forecast make_forecast(std::span<const Cell> cells, const ForecastOptions& options) {
  if (options.kind == ForecastKind::kLaw) {
    return forecast_of(fit_law(cells, fit_options_of(*options.law, options)));
  }
  auto laws =
      options.kind == ForecastKind::kAuto ? chosen(cells, options) : averaged(cells, options);
  if (laws.empty()) fit_law(cells, fit_options_of(*find_law("power"), options));  // Throws why.
  std::stable_sort(laws.begin(), laws.end(),
                   [](const WeightedFit& a, const WeightedFit& b) { return a.weight > b.weight; });
  if (laws.size() == 1) return forecast_of(laws.front().fit);
  Forecast forecast = forecast_of(laws.front().fit);
  forecast.laws = std::move(laws);
  forecast.sigma.reset();
  fill_scatter(cells, forecast);
  forecast.misfits = misfits_of(cells, forecast);
  forecast.smearing = smearing_of(cells, forecast);
  return forecast;
}

Prediction predict(const Forecast& forecast, double x, double runs) {
  const double log_median = log_curve(forecast, x) + misfit_at(forecast, x);
  if (!std::isfinite(log_median)) {
    throw FitError(FailureCode::kNotIdentifiable,
                   fmt::format("the {} law gives no positive value at x = {:.6g}",
                               forecast.laws.front().fit.law->name(), x));
  }
  const double log_first =
      log_curve(forecast, forecast.x_min) + misfit_at(forecast, forecast.x_min);
  const double gain = log_first - log_median;
  const double speedup = std::exp(forecast.response == Response::kTime ? gain : -gain);
  Prediction out{.x = x,
                 .median = std::exp(log_median),
                 .extrapolation = distance_outside(forecast, x),
                 .speedup = speedup,
                 .efficiency = speedup / (x / forecast.x_min)};
  if (forecast.smearing) out.mean = out.median * *forecast.smearing;
  fill_intervals(forecast, log_median, runs, out);
  return out;
}

std::vector<Cell> per_x(std::span<const Cell> cells) {
  std::vector<Cell> out(cells.begin(), cells.end());
  for (Cell& cell : out) {
    cell.mean_log -= std::log(cell.x);
    cell.mean /= cell.x;
    cell.ss /= cell.x * cell.x;
    cell.min /= cell.x;
    cell.max /= cell.x;
  }
  return out;
}

}  // namespace scalelaw
