#include "scalelaw/judge/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "judge/levels.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

constexpr double kMostWhole = 0x1p53;      ///< Beyond it x + 1 may be x.
constexpr double kDemandRounding = 1e-12;  ///< A limit that is missed by rounding is met.
constexpr double kNever = std::numeric_limits<double>::infinity();

/// From x to the next number: 1, or of a scale such as FLOP what still tells numbers apart.
double step_at(double x) { return std::max(1.0, x * 0x1p-50); }

/// The next whole number to examine, about 5 % above x.
double next_place(double x) { return std::max(x + 1, std::floor(x * 1.05)); }

/// The time of a forecast y; for a rate, the time of one unit of work.
double time_of(const Forecast& forecast, double y) {
  return forecast.response == Response::kTime ? y : 1 / y;
}

/// The time of a forecast that has to meet the demand.
enum class By { kTarget, kFastest, kSlowest };

double time_by(const Forecast& forecast, const Prediction& at, Target target, By by) {
  if (by == By::kTarget) {
    const auto value = value_of(at, target);
    return value ? time_of(forecast, *value) : kNever;
  }
  if (!at.pi) return kNever;
  const double one = time_of(forecast, at.pi->lower);
  const double other = time_of(forecast, at.pi->upper);
  return by == By::kFastest ? std::min(one, other) : std::max(one, other);
}

/// The forecast at x; empty if the law has none.
std::optional<Prediction> prediction_at(const Forecast& forecast, double x) {
  return if_possible([&] { return predict(forecast, x); });
}

/// The first whole x in (below, above] for which `holds`. It must hold for all x beyond, too.
template <class Holds>
double first_between(double below, double above, Holds holds) {
  while (above - below > step_at(above)) {
    const double middle = std::floor(0.5 * (below + above));
    (holds(middle) ? above : below) = middle;
  }
  return above;
}

/// A cost that depends on x, such as time or GPU-hours, from x = 1 to far beyond the data.
template <class Cost>
class Survey {
 public:
  Survey(const Forecast& forecast, Target target, double limit, Cost cost)
      : forecast_(forecast), target_(target), limit_(limit * (1 + kDemandRounding)), cost_(cost) {
    const double reach = std::floor(kSearchReach * forecast.x_max);
    const double last = forecast.x_max > kMostWhole ? reach : std::min(reach, kMostWhole);
    for (double x = 1; x < last; x = next_place(x))
      places_.push_back({x, prediction_at(forecast, x)});
    places_.push_back({last, prediction_at(forecast, last)});
  }

  /// The place of the least cost by the target, and that cost.
  struct Best {
    std::optional<double> x;
    double cost;
  };
  Best best() const {
    std::size_t least = 0;
    for (std::size_t i = 1; i < places_.size(); ++i) {
      if (cost_at(places_[i], By::kTarget) < cost_at(places_[least], By::kTarget)) least = i;
    }
    const double cost = cost_at(places_[least], By::kTarget);
    if (least + 1 == places_.size() || !std::isfinite(cost)) return {std::nullopt, cost};
    const double x = least_between(least == 0 ? 1 : places_[least - 1].x, places_[least + 1].x);
    return {x, std::min(cost, cost_at({x, prediction_at(forecast_, x)}, By::kTarget))};
  }
  /// The least whole x at which the limit is met.
  std::optional<DemandedScale> least_x(By by) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (cost_at(places_[i], by) > limit_) continue;
      const double below = i == 0 ? 0 : places_[i - 1].x;
      return DemandedScale{first_between(below, places_[i].x, is_met(by)), false};
    }
    return std::nullopt;
  }
  /// The last whole x, from the least one that meets the limit by the target, up to which it is
  /// met without a gap; empty if that is where the search ends, or if none meets it.
  std::optional<double> met_until() const {
    const auto meets = [this](const Place& place) { return cost_at(place, By::kTarget) <= limit_; };
    const auto first = std::ranges::find_if(places_, meets);
    const auto over = std::find_if_not(first, places_.end(), meets);
    if (over == places_.end()) return std::nullopt;
    const auto is_over = [this](double x) { return !is_met(By::kTarget)(x); };
    return first_between((over - 1)->x, over->x, is_over) - 1;
  }
  /// The greatest whole x at which the limit is met.
  std::optional<DemandedScale> greatest_x(By by) const {
    for (std::size_t i = places_.size(); i-- > 0;) {
      if (cost_at(places_[i], by) > limit_) continue;
      if (i + 1 == places_.size()) return DemandedScale{places_[i].x, true};
      const auto is_over = [&](double x) { return !is_met(by)(x); };
      return DemandedScale{first_between(places_[i].x, places_[i + 1].x, is_over) - 1, false};
    }
    return std::nullopt;
  }

 private:
  struct Place {
    double x;
    std::optional<Prediction> at;
  };

  double cost_at(const Place& place, By by) const {
    if (!place.at) return kNever;
    const double time = time_by(forecast_, *place.at, target_, by) / units_at(forecast_, place.x);
    return std::isfinite(time) ? cost_(place.x, time) : kNever;
  }
  /// The whole x in [first, last] with the least cost, which falls before it and rises behind.
  double least_between(double first, double last) const {
    const auto rises = [this](double x) {
      const double next = x + step_at(x);
      return cost_at({x, prediction_at(forecast_, x)}, By::kTarget) <=
             cost_at({next, prediction_at(forecast_, next)}, By::kTarget);
    };
    return first_between(first - 1, last, rises);
  }
  auto is_met(By by) const {
    return [this, by](double x) { return cost_at({x, prediction_at(forecast_, x)}, by) <= limit_; };
  }

  const Forecast& forecast_;
  Target target_;
  double limit_;
  Cost cost_;
  std::vector<Place> places_;
};

template <class Cost>
Demand budget_of(const Forecast& forecast, double budget, Target target, Cost cost) {
  const Survey survey(forecast, target, budget, cost);
  const auto best = survey.best();
  return {.x = survey.greatest_x(By::kTarget),
          .lower = survey.greatest_x(By::kFastest),
          .upper = survey.greatest_x(By::kSlowest),
          .best = best.cost,
          .best_x = best.x,
          .checked = kCheckedReach * forecast.x_max};
}

}  // namespace

double units_at(const Forecast& forecast, double x) { return forecast.rate_of_one ? x : 1; }

bool is_far_beyond(double x, double x_max) { return x > kCheckedReach * x_max; }

Demand meet_deadline(const Forecast& forecast, double deadline, Target target) {
  const Survey survey(forecast, target, deadline, [](double /*x*/, double time) { return time; });
  const auto best = survey.best();
  return {.x = survey.least_x(By::kTarget),
          .lower = survey.least_x(By::kFastest),
          .upper = survey.least_x(By::kSlowest),
          .best = best.cost,
          .best_x = best.x,
          .until = survey.met_until(),
          .checked = kCheckedReach * forecast.x_max};
}

Demand meet_budget(const Forecast& forecast, double budget, Target target) {
  return budget_of(forecast, budget, target, [](double x, double time) { return x * time; });
}

Demand meet_energy_budget(const EnergyForecast& energy, double joules, Target target) {
  return budget_of(energy.forecast, joules, target,
                   [&](double x, double value) { return energy.factor(x) * value; });
}

namespace {

FitOptions fit_options_of(const Law& law, const ForecastOptions& options) {
  return {.law = &law,
          .response = options.response,
          .rate_of_one = options.rate_of_one,
          .confidence = options.confidence,
          .intervals = Intervals::kWald,
          .figures = Figures::kCurve,
          .bound_curves = true,
          .in_logs = true,
          .pooling = options.pooling};
}

/// The laws of a mixture with their weights, each with the parameters of its likeliest part.
std::vector<LawShare> shares_of(const Mixture& mixture, double x_max, Response response) {
  std::array<const MixturePart*, kMixedLaws> likeliest{};
  std::array<double, kMixedLaws> in_curve{};
  for (const MixturePart& part : mixture.parts) {
    const auto law = static_cast<std::size_t>(part.law);
    in_curve[law] += part.share;
    const MixturePart*& best = likeliest[law];
    if (best == nullptr || part.weight > best->weight) best = &part;
  }
  std::vector<LawShare> shares;
  for (const MixturePart* const part : likeliest) {
    if (part == nullptr) continue;
    const auto law = static_cast<std::size_t>(part->law);
    shares.push_back({&law_of(part->law), mixture.weights[law], in_curve[law],
                      parameters_of(*part, x_max, sign_of(response))});
  }
  std::ranges::stable_sort(shares, std::ranges::greater(), &LawShare::weight);
  return shares;
}

Mixture only(const Mixture& mixture, MixedLaw law) {
  Mixture one = mixture;
  std::erase_if(one.parts, [law](const MixturePart& part) { return part.law != law; });
  double sum = 0;
  for (const MixturePart& part : one.parts) sum += part.share;
  for (MixturePart& part : one.parts) part.share /= sum;
  return one;
}

/// ln time of the curve of a forecast by a mixture.
double log_mixed_time(const Forecast& forecast, double x) {
  const Mixture& mixture = forecast.choice ? *forecast.choice : *forecast.mixture;
  return log_curve(mixture, std::log(x / forecast.x_max));
}

Forecast mixed_forecast(std::span<const Cell> cells, const ForecastOptions& options) {
  Forecast forecast;
  forecast.response = options.response;
  forecast.rate_of_one = options.rate_of_one;
  forecast.confidence = options.confidence;
  for (const Cell& cell : cells) forecast.n += cell.count;
  forecast.distinct_x = level_begins(cells).size() - 1;
  forecast.x_min = cells.front().x;
  forecast.x_max = cells.back().x;
  forecast.mixture = mixture_of(cells, sign_of(options.response), options.priors);
  forecast.laws = shares_of(*forecast.mixture, forecast.x_max, options.response);
  if (options.kind == ForecastKind::kAuto) {
    forecast.choice = only(*forecast.mixture, forecast.mixture->likeliest);
    forecast.chosen = &law_of(forecast.mixture->likeliest);
  }
  forecast.sigma = forecast.mixture->sigma;
  forecast.smearing = forecast.mixture->smearing;
  forecast.log_first = log_mixed_time(forecast, forecast.x_min);
  return forecast;
}

/// The fewest points that tell something about scatter.
bool has_mixture(std::span<const Cell> cells) {
  std::uint64_t rows = 0;
  bool positive = true;
  for (const Cell& cell : cells) {
    rows += cell.count;
    positive = positive && cell.x > 0 && cell.min > 0;
  }
  return positive && rows >= 3 && cells.front().x < cells.back().x;
}

/// Whether the laws of the mixture can be those of a group. Their times fall with x, by an exponent
/// of little more than 1, and may rise again. Points that surely rise from the first x on, or fall
/// faster, are of a power law alone.
bool suits_mixture(std::span<const Cell> cells, const ForecastOptions& options) {
  constexpr double kSteepest = 1.25;
  const std::vector<std::size_t> begins = level_begins(cells);
  std::vector<double> log_times;
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    const auto level = cells.subspan(begins[k], begins[k + 1] - begins[k]);
    log_times.push_back(sign_of(options.response) * log_mean(level).mean);
  }
  const double fall =
      (log_times.front() - log_times.back()) / std::log(cells.back().x / cells.front().x);
  const bool rises = std::ranges::min_element(log_times) == log_times.begin();
  if (!rises && fall <= kSteepest) return true;
  const Fit power = fit_law(cells, fit_options_of(*find_law("power"), options));
  const Parameter& beta = power.parameters[1];
  const Interval known = beta.ci.value_or(Interval{beta.estimate, beta.estimate});
  const bool is_exact = power.sigma && !(*power.sigma > 0);
  if (!beta.ci && !is_exact) return true;
  return known.upper >= 0 && known.lower <= kSteepest;
}

std::optional<Interval> interval_about(double centre, const Interval& reach) {
  const Interval interval{std::exp(centre - reach.lower), std::exp(centre + reach.upper)};
  const bool finite = std::isfinite(interval.lower) && std::isfinite(interval.upper);
  return finite ? std::optional(interval) : std::nullopt;
}

void fill_intervals(const Forecast& forecast, double runs, Prediction& out) {
  const Fit& fit = *forecast.fit;
  if (!fit.sigma || !(fit.sigma_dof() > 0)) return;
  const double factor = student_t_factor(forecast.confidence, fit.sigma_dof());
  const Interval curve = fit.log_curve_errors(out.x).value_or(Interval{0, 0});
  const auto of_runs = [&](double error) {
    return factor * std::sqrt(error * error + *fit.sigma * *fit.sigma / runs);
  };
  const double centre = std::log(out.median);
  out.ci = interval_about(centre, {factor * curve.lower, factor * curve.upper});
  out.pi = interval_about(centre, {of_runs(curve.lower), of_runs(curve.upper)});
}

/// From quantiles of ln time; the interval takes the median in, which may be that of one law.
Interval interval_of(const LogTimes& times, const Forecast& forecast, double log_median) {
  const double tail = 0.5 * (1 - forecast.confidence);
  const double low = std::exp(std::min(times.quantile(tail), log_median));
  const double high = std::exp(std::max(times.quantile(1 - tail), log_median));
  return forecast.response == Response::kTime ? Interval{low, high} : Interval{1 / high, 1 / low};
}

void fill_by_mixture(const Forecast& forecast, double log_median, double runs, Prediction& out) {
  LogTimes times(*forecast.mixture, std::log(out.x / forecast.x_max));
  const Interval curve = interval_of(times.of_curve(), forecast, log_median);
  const Interval run = interval_of(times.of_runs(runs), forecast, log_median);
  out.pi = run;
  // Where laws lie far apart, scatter can move a quantile inwards by a little.
  out.ci = Interval{std::max(curve.lower, run.lower), std::min(curve.upper, run.upper)};
}

double distance_outside(const Forecast& forecast, double x) {
  const double range = std::log(forecast.x_max / forecast.x_min);
  if (x > forecast.x_max) return std::log(x / forecast.x_max) / range;
  return x < forecast.x_min ? std::log(forecast.x_min / x) / range : 0;
}

/// A fit with its checks.
Fit checked_fit(std::span<const Cell> cells, const Law& law, Response response) {
  FitOptions options;
  options.law = &law;
  options.response = response;
  options.intervals = Intervals::kWald;
  return fit_law(cells, options);
}

std::string text_of_bend(const Forecast& forecast, const Fit& power) {
  const LawShare& main = forecast.laws.front();
  return fmt::format(
      "The points bend away from a power law (p = {:.2g}). The forecast averages laws that bend, "
      "above all {} (weight {:.2f}), and beyond the data it rests on their forms.",
      power.curvature->p.value_or(1), main.law->name(), main.weight);
}

std::string text_of_misfit(const Law& main, const Fit& fit) {
  return fmt::format(
      "Means of runs lie further from the {} law, which counts most here, than repeated runs "
      "scatter (p = {:.2g}): no law of the forecast follows these points.",
      main.name(), fit.lack_of_fit->p);
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

LawPriors usual_priors(Kind kind) {
  LawPriors priors;
  if (kind == Kind::kLoss) priors.weights = {1, 1, 1, 0, 0};
  return priors;
}

ForecastOptions ForecastOptions::of_group(std::size_t group) const {
  ForecastOptions own = *this;
  if (learned) own.priors = learned->of(group);
  return own;
}

bool weighs_laws(std::span<const Cell> cells, const ForecastOptions& options) {
  // The rate of one unit of the scale stays about the same, and the laws are of times that fall.
  return options.kind != ForecastKind::kLaw && !options.rate_of_one && has_mixture(cells) &&
         suits_mixture(cells, options);
}

std::shared_ptr<const LearnedPriors> learn_priors(const GroupedCells& runs,
                                                  const ForecastOptions& options, int threads) {
  const auto cells_of = [&](std::size_t group) {
    std::vector<Cell> cells;
    runs.cells(group, cells);
    const std::size_t scales = level_begins(cells).size() - 1;
    const bool tells = scales >= kFewestScalesToLearnFrom &&
                       if_possible([&] { return weighs_laws(cells, options); }).value_or(false);
    return tells ? cells : std::vector<Cell>{};
  };
  auto learned =
      learn_priors(runs.size(), cells_of, sign_of(options.response), threads, options.priors);
  return learned ? std::make_shared<const LearnedPriors>(*std::move(learned)) : nullptr;
}

Forecast forecast_of(const Fit& fit) {
  Forecast forecast;
  std::vector<double> parameters;
  for (const Parameter& one : fit.parameters) parameters.push_back(one.estimate);
  forecast.laws.push_back({fit.law, 1, 1, std::move(parameters)});
  forecast.fit = fit;
  forecast.chosen = fit.law;
  forecast.response = fit.response;
  forecast.rate_of_one = fit.rate_of_one;
  forecast.confidence = fit.confidence;
  forecast.n = fit.n;
  forecast.distinct_x = fit.distinct_x;
  forecast.x_min = fit.x_min;
  forecast.x_max = fit.x_max;
  forecast.sigma = fit.sigma;
  forecast.smearing = fit.smearing;
  forecast.log_first = sign_of(fit.response) * std::log(fit.curve(fit.x_min));
  return forecast;
}

Forecast make_forecast(std::span<const Cell> cells, const ForecastOptions& options) {
  if (weighs_laws(cells, options)) return mixed_forecast(cells, options);
  const Law& law = options.kind == ForecastKind::kLaw ? *options.law : *find_law("power");
  return forecast_of(fit_law(cells, fit_options_of(law, options)));
}

std::vector<ForecastDoubt> doubts_in(const Forecast& forecast) {
  const auto is_on_bound = [](const Parameter& one) { return one.on_bound; };
  if (!forecast.fit || std::ranges::none_of(forecast.fit->parameters, is_on_bound)) return {};
  std::string sentence = explain(WarningCode::kOnBound, *forecast.fit);
  if (!forecast.fit->bound_curves.empty()) {
    sentence += " Intervals of the forecast allow for other values.";
  }
  return {{WarningCode::kOnBound, std::move(sentence)}};
}

std::vector<ForecastDoubt> doubts_in(const Forecast& forecast, std::span<const Cell> cells) {
  const Fit plain =
      checked_fit(cells, forecast.fit ? *forecast.fit->law : *find_law("power"), forecast.response);
  std::vector<ForecastDoubt> doubts = doubts_in(forecast);
  const bool is_one_law = forecast.fit.has_value();
  if (warns(plain, WarningCode::kCurved)) {
    doubts.push_back({WarningCode::kCurved, is_one_law ? explain(WarningCode::kCurved, plain)
                                                       : text_of_bend(forecast, plain)});
  }
  if (!warns(plain, WarningCode::kLackOfFit)) return doubts;
  const Law& main = *forecast.laws.front().law;
  const auto fit = if_possible([&] { return checked_fit(cells, main, forecast.response); });
  if (!fit || !warns(*fit, WarningCode::kLackOfFit)) return doubts;
  doubts.push_back({WarningCode::kLackOfFit, is_one_law ? explain(WarningCode::kLackOfFit, plain)
                                                        : text_of_misfit(main, *fit)});
  return doubts;
}

Prediction predict(const Forecast& forecast, double x, double runs) {
  const double sign = sign_of(forecast.response);
  const double log_time =
      forecast.fit ? sign * std::log(forecast.fit->curve(x)) : log_mixed_time(forecast, x);
  if (!std::isfinite(log_time)) {
    throw FitError(FailureCode::kNotIdentifiable,
                   fmt::format("there is no positive, finite forecast at x = {:.6g}", x));
  }
  const double ratio = x / forecast.x_min;
  const double speedup =
      speedup_of_all(std::exp(forecast.log_first - log_time), ratio, forecast.rate_of_one);
  Prediction out{.x = x,
                 .median = std::exp(sign * log_time),
                 .extrapolation = distance_outside(forecast, x),
                 .speedup = speedup,
                 .efficiency = speedup / ratio};
  if (forecast.smearing) out.mean = out.median * *forecast.smearing;
  if (forecast.fit) {
    fill_intervals(forecast, runs, out);
  } else {
    fill_by_mixture(forecast, log_time, runs, out);
  }
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
