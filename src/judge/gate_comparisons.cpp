// What a gate compares in one group, and by how much it changed.

#include "judge/gate_comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "judge/repeat_scatter.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/judge/predict.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// A change this small between exact fits is rounding.
constexpr double kRounding = 1e-12;
/// The role of curves there.
constexpr const char* kMiddle = "at the middle";

std::optional<Variance> uncertainty_of(const std::optional<double>& se, double dof) {
  if (!se || !std::isfinite(*se) || !(dof > 0)) return std::nullopt;
  return Variance{.value = *se * *se, .dof = dof};
}

/// The variance of a difference of independent estimates (Satterthwaite 1946).
Variance sum_of(const Variance& a, const Variance& b) {
  const double value = a.value + b.value;
  const double squares = a.value * a.value / a.dof + b.value * b.value / b.dof;
  return {.value = value, .dof = value * value / squares};
}

double dof_of(const Fit& fit, const Parameter& parameter) {
  return parameter.dof.value_or(static_cast<double>(fit.dof));
}

/// Degrees of freedom of the curve: the least of its parameters'.
double curve_dof(const Fit& fit) {
  double dof = fit.sigma_dof();
  for (const Parameter& parameter : fit.parameters) dof = std::min(dof, dof_of(fit, parameter));
  return dof;
}

std::string no_error(const Fit& fit, std::string_view side) {
  if (fit.dof <= 0) {
    return fmt::format("{} has no degrees of freedom: {} for {} parameters", side,
                       counted(static_cast<std::size_t>(fit.n), "point"), fit.parameters.size());
  }
  return fmt::format("{} has no standard error", side);
}

Side exponent_of(const Fit& fit, std::size_t index, std::string_view side) {
  const Parameter& parameter = fit.parameters[index];
  Side result{.value = parameter.estimate,
              .uncertainty = uncertainty_of(parameter.se, dof_of(fit, parameter)),
              .runs = static_cast<double>(fit.n)};
  if (parameter.on_bound) {
    result.uncertainty.reset();
    result.reason = fmt::format("{} of {} is at an end of its range", parameter.name, side);
  } else if (!result.uncertainty) {
    result.reason = no_error(fit, side);
  }
  return result;
}

/// ln of the curve; NaN where the curve is not positive.
Side log_curve_of(const Fit& fit, double x, std::string_view side) {
  const auto curve = fit.log_curve(x);
  if (!curve) {
    return {.value = std::nan(""),
            .reason = fmt::format("the curve of {} is not positive there", side)};
  }
  Side result{.value = curve->value,
              .uncertainty = uncertainty_of(curve->se, curve_dof(fit)),
              .runs = static_cast<double>(fit.n)};
  if (!result.uncertainty) result.reason = no_error(fit, side);
  return result;
}

// What is compared.

/// The fits of one group.
struct FitsOfGroup {
  std::span<const Night> nights;
  const Fit& current;
  const RepeatScatter& repeats;
};

/// @param figure_of  The side of a fit of BASE or NEW.
template <class FigureOf>
OpenComparison opened(GateComparison comparison, std::string role, const FitsOfGroup& fits,
                      FigureOf figure_of) {
  const auto side_of = [&](const Fit& fit, std::string_view name) {
    Side side = figure_of(fit, name);
    if (side.uncertainty) side.by_repeats = fits.repeats.in_change(fit, *side.uncertainty);
    return side;
  };
  OpenComparison open{.comparison = std::move(comparison),
                      .role = std::move(role),
                      .after = side_of(fits.current, "NEW")};
  for (const Night& night : fits.nights) {
    Side side = side_of(*night.fit, "BASE");
    if (side.uncertainty) {
      open.nights.push_back({night.number, side.value, side.in_change(), side.runs});
    }
    if (side.uncertainty || open.nights.empty()) open.before = std::move(side);
  }
  return open;
}

OpenComparison exponent_comparison(const FitsOfGroup& fits, std::size_t index,
                                   const GateOptions& options) {
  const std::string_view name = fits.current.parameters[index].name;
  return opened(
      {.figure = name, .limit = options.max_beta_drop}, std::string(name), fits,
      [index](const Fit& fit, std::string_view side) { return exponent_of(fit, index, side); });
}

/// The range of x that both measured.
struct Range {
  double least;
  double greatest;

  bool holds(double x) const { return least <= x && x <= greatest; }
};

/// Of an even number the smaller one of the two in the middle.
double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The range that most nights with a fit measured: one night that went wrong must not narrow it.
/// Holds nothing without any fit.
Range usual_range(std::span<const Night> nights) {
  std::vector<double> least;
  std::vector<double> greatest;
  for (const Night& night : nights) {
    if (night.fit == nullptr) continue;
    least.push_back(night.fit->x_min);
    greatest.push_back(night.fit->x_max);
  }
  if (least.empty()) return {1, 0};
  return {median_of(std::move(least)), median_of(std::move(greatest))};
}

GateComparison curve_at(std::optional<double> x, Response response, const GateOptions& options) {
  return {.figure = "curve",
          .x = x,
          .less_is_better = response == Response::kTime,
          .limit = std::log1p(options.max_slowdown)};
}

std::string no_common_range_text(const Range& base, const Fit& current) {
  return fmt::format("BASE was measured from {} to {}, NEW from {} to {}: no common range",
                     base.least, base.greatest, current.x_min, current.x_max);
}

/// Leaves an exponent open where BASE and NEW have no x in common: unless the law is true, the
/// slope of one range is not that of another.
void leave_open(OpenComparison& exponent, const std::string& reason) {
  exponent.nights.clear();
  for (Side* const side : {&exponent.before, &exponent.after}) {
    side->uncertainty.reset();
    side->reason =
        reason + ", and the slope of one is not that of the other unless the law is true";
  }
}

/// The comparison to report where the middle and the largest common x are wanted and there is none.
OpenComparison no_common_range(const Range& base, const Fit& current, const GateOptions& options) {
  const std::string reason = no_common_range_text(base, current);
  const Side nowhere{.value = std::nan(""), .reason = reason};
  return {.comparison = curve_at(std::nullopt, current.response, options),
          .role = reason,
          .before = nowhere,
          .after = nowhere};
}

/// The geometric middle. A law without ln x may have x <= 0; then it is the arithmetic middle.
double middle_of(const Range& range) {
  return range.least > 0 ? std::sqrt(range.least) * std::sqrt(range.greatest)
                         : (range.least + range.greatest) / 2;
}

/// An x where curves are compared, and what it is called in all groups.
using Place = std::pair<double, std::string>;

/// In order, none twice.
std::vector<Place> places_of(const Range& range, const GateOptions& options) {
  std::vector<Place> places;
  for (const double x : options.at) places.emplace_back(x, fmt::format("at {}", x));
  if (range.least <= range.greatest) {
    if (options.at_middle) places.emplace_back(middle_of(range), kMiddle);
    if (options.at_largest) places.emplace_back(range.greatest, "at the largest");
  }
  const auto same_x = [](const Place& a, const Place& b) { return a.first == b.first; };
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end(), same_x), places.end());
  return places;
}

// How much it changed.

/// Whether changes of a figure count only from some amount on.
bool ignores_small_changes(const GateComparison& comparison, const NightJudging& rules) {
  return comparison.is_of_response() && rules.ignore_below > 0;
}

/// Raises the limit to the least change that counts, where that is more.
void ignore_small_changes(GateComparison& comparison, double base, const NightJudging& rules) {
  if (!ignores_small_changes(comparison, rules) || !std::isfinite(base)) return;
  constexpr double kMost = 0.999;  // Of a rate: all but nothing.
  const double share = rules.ignore_below / std::exp(base);
  const double least =
      comparison.less_is_better ? std::log1p(share) : -std::log1p(-std::min(share, kMost));
  comparison.limit = std::max(comparison.limit, least);
}

/// From one night to NEW, each with its own scatter.
void set_change_from_one_night(OpenComparison& open, const NightJudging& rules) {
  GateComparison& comparison = open.comparison;
  const Side& base = open.before;
  ignore_small_changes(comparison, base.value, rules);
  const double difference = open.after.value - base.value;
  const std::string& reason = base.reason.empty() ? open.after.reason : base.reason;
  if (!reason.empty()) comparison.reason = reason;
  comparison.base = estimate_of(base.value, base.uncertainty);
  if (base.uncertainty && open.after.uncertainty) {
    const Variance variance =
        open.about_forecast.value_or(sum_of(base.in_change(), open.after.in_change()));
    comparison.change = change_of(difference, variance, rules.confidence);
  } else {
    comparison.change.estimate = difference;
  }
}

std::optional<double> root_of(const std::optional<double>& variance) {
  return variance ? std::optional(std::sqrt(*variance)) : std::nullopt;
}

/// Sets what a comparison says by that step.
void take(const NightStep& step, const NightEvidence& by, OpenComparison& open) {
  const NightFigure after{0, open.after.value, open.after.in_change(), open.after.runs};
  GateComparison& comparison = open.comparison;
  comparison.base =
      estimate_of(step.mean_before, variance_of_mean(by.nights, by.between, step.before));
  if (!step.is_of_new_alone()) {
    comparison.current =
        estimate_of(step.mean_after, variance_of_mean(by.nights, by.between, step.after));
  }
  open.first_of_new = step.first;
  comparison.change = change_of(step.change(), variance_of_step(by.nights, by.between, step, after),
                                by.rules.confidence);
  comparison.nights = NightScatter{
      .nights = step.before,
      .sd = std::sqrt(by.between.value),
      .dof = by.between.dof,
      .own_sd = root_of(by.between.own),
      .pooled_sd = root_of(by.between.pooled),
      .pooled = by.between.is_pooled,
      .of_new = step.after,
      .single_reach = single_reach(step, by.nights, by.between.value, comparison, by.rules)};
}

/// From the level before to that of NEW; or another step that shows the limit exceeded.
void set_change_from_nights(OpenComparison& open, const NightEvidence& by) {
  GateComparison& comparison = open.comparison;
  std::vector<NightStep> steps = by.nights.steps(comparison.signed_limit());
  if (ignores_small_changes(comparison, by.rules)) {
    ignore_small_changes(comparison, steps.front().mean_before, by.rules);
    steps = by.nights.steps(comparison.signed_limit());
  }
  const GateEstimate current = comparison.current;
  const auto is_shown_by = [&](const NightStep& step) {
    comparison.current = current;
    take(step, by, open);
    return comparison.exceeds_limit_for_sure();
  };
  const bool is_shown = std::ranges::any_of(steps, is_shown_by);
  if (!is_shown && steps.size() > 1) is_shown_by(steps.front());
}

// New runs against a forecast.

/// The law of a night, or the mixture of laws where the runs of the night are known.
Outcome<Forecast> forecast_of_night(const GroupKey& group, const Night& night) {
  if (!night.has_law()) {
    return NoFit{FailureCode::kTooFewX, "its runs have too few scales for a law"};
  }
  const Fit& fit = *night.fit;
  const std::vector<Cell> cells =
      night.study->runs_of ? night.study->runs_of(group) : std::vector<Cell>();
  return outcome_of([&] {
    if (night.study->errors == Errors::kNormal) {
      throw FitError(FailureCode::kNotIdentifiable, "fits with normal errors have no forecast");
    }
    return cells.empty() ? forecast_of(fit)
                         : make_forecast(cells, {.kind = ForecastKind::kAverage,
                                                 .response = fit.response,
                                                 .confidence = fit.confidence});
  });
}

/// The variance of ln y by the end of an interval on the side of `value`.
std::optional<Variance> variance_by(const std::optional<Interval>& interval, double median,
                                    double value, double confidence, double dof) {
  if (!interval || !(dof > 0)) return std::nullopt;
  const double end = value < std::log(median) ? interval->lower : interval->upper;
  const double se = std::abs(std::log(end / median)) / student_t_factor(confidence, dof);
  return uncertainty_of(se, dof);
}

/// What one night of BASE says of new runs at x.
struct NightPrediction {
  Side curve;
  std::optional<Variance> of_runs = {};  ///< Of their mean about the curve.
  std::optional<double> sigma = {};      ///< Of one run.
};

NightPrediction prediction_of(const Outcome<Forecast>& outcome, const Cell& cell) {
  const Forecast* const forecast = std::get_if<Forecast>(&outcome);
  const auto runs = static_cast<double>(cell.count);
  const auto at = forecast == nullptr
                      ? std::nullopt
                      : if_possible([&] { return predict(*forecast, cell.x, runs); });
  NightPrediction result{.curve = {.value = std::nan("")}};
  if (!at) {
    const NoFit* const failure = std::get_if<NoFit>(&outcome);
    result.curve.reason = failure != nullptr ? "BASE has no forecast: " + failure->message
                                             : "the curve of BASE is not positive there";
    return result;
  }
  const double dof = forecast->fit ? static_cast<double>(forecast->fit->dof)
                                   : static_cast<double>(forecast->n) - 2;
  const auto variance = [&](const std::optional<Interval>& interval) {
    return variance_by(interval, at->median, cell.mean_log, forecast->confidence, dof);
  };
  result.curve = {.value = std::log(at->median),
                  .uncertainty = variance(at->ci),
                  .runs = static_cast<double>(forecast->n)};
  if (!result.curve.uncertainty) result.curve.reason = "BASE has too few runs for an interval";
  result.of_runs = variance(at->pi);
  result.sigma = forecast->sigma;
  return result;
}

/// The mean of the runs of one x, which scatter as those of BASE do.
Side side_of(const Cell& cell, const NightPrediction& base) {
  const auto runs = static_cast<double>(cell.count);
  Side side{.value = cell.mean_log, .runs = runs};
  if (base.sigma && base.curve.uncertainty) {
    side.uncertainty = Variance{*base.sigma * *base.sigma / runs, base.curve.uncertainty->dof};
  } else {
    side.reason = "BASE has too few runs for an interval";
  }
  return side;
}

/// The runs of nights without a law at one x.
class RunsOfNights {
 public:
  RunsOfNights(const GroupKey& group, std::span<const Night> nights, double x) {
    double squares = 0;
    double dof = 0;
    double known = 0;
    for (const Night& night : nights) {
      cells_.push_back(night.has_law() ? std::nullopt : cell_of(group, night, x));
      if (!cells_.back()) continue;
      known += 1;
      squares += cells_.back()->ss_log;
      dof += static_cast<double>(cells_.back()->count) - 1;
    }
    if (known == 0) return;
    // Every night has its share of what all know of the scatter of runs. Nights of one run each
    // know nothing of it: it is then a part of what nights differ by.
    scatter_ = dof > 0 ? Variance{squares / dof, dof / known} : Variance{0, 1};
    can_tell_ = dof > 0 || known > 1;
  }

  bool has(std::size_t night) const { return cells_[night].has_value(); }
  /// The mean of the runs of one night.
  Side of(std::size_t night) const { return mean_of(*cells_[night]); }
  /// The mean of runs that scatter as those of these nights do.
  Side mean_of(const Cell& cell) const {
    const auto runs = static_cast<double>(cell.count);
    Side side{.value = cell.mean_log, .runs = runs};
    if (can_tell_) {
      side.uncertainty = Variance{scatter_.value / runs, scatter_.dof};
    } else {
      side.reason = "BASE has one run there, which does not tell how far runs scatter";
    }
    return side;
  }

 private:
  static std::optional<Cell> cell_of(const GroupKey& group, const Night& night, double x) {
    if (!night.study->runs_of) return std::nullopt;
    for (const Cell& cell : one_per_x(night.study->runs_of(group))) {
      if (cell.x == x) return cell;
    }
    return std::nullopt;
  }

  std::vector<std::optional<Cell>> cells_;  ///< By night.
  Variance scatter_{.value = 0, .dof = 1};
  bool can_tell_ = false;
};

/// Why the law of a night is not enough to judge runs at x by; empty if it is. Saved fits do not
/// keep what other laws say, and beyond the data laws that fit alike part.
std::string trust_in_law_at(double x, const Night& night, const Range& base,
                            const GateOptions& options) {
  if (base.holds(x) || options.law_is_chosen || night.study->runs_of) return "";
  return fmt::format(
      "{0} = {1} lies beyond the {2} of BASE, and saved fits do not keep what other laws say "
      "there. "
      "Give the table of runs as BASE, or --law {3} to take that law for true",
      night.study->x, x, x > base.greatest ? base.greatest : base.least, night.study->law->name());
}

bool is_by_mixture(const Outcome<Forecast>& outcome) {
  const Forecast* const forecast = std::get_if<Forecast>(&outcome);
  return forecast != nullptr && forecast->mixture.has_value();
}

/// What a night says of new runs at x: by its law, else by its own runs there.
NightPrediction said_by(const RunsOfNights& runs, std::size_t night,
                        const Outcome<Forecast>& forecast, const Cell& cell) {
  if (!runs.has(night)) return prediction_of(forecast, cell);
  return {.curve = runs.of(night)};
}

OpenComparison run_comparison(const GroupKey& group, std::span<const Night> nights,
                              std::span<const Outcome<Forecast>> forecasts, const Cell& cell,
                              const GateOptions& options) {
  const Range base = usual_range(nights);
  const RunsOfNights of_nights(group, nights, cell.x);
  OpenComparison open{.comparison = curve_at(cell.x, nights.back().study->response, options),
                      .role = fmt::format("runs at {}", cell.x),
                      .before = {.value = std::nan("")},
                      .after = {.value = cell.mean_log}};
  open.comparison.figure = "runs";
  open.comparison.runs = cell.count;
  open.comparison.extrapolated = !base.holds(cell.x);
  for (std::size_t i = 0; i < nights.size(); ++i) {
    NightPrediction night = said_by(of_nights, i, forecasts[i], cell);
    Side& side = night.curve;
    open.comparison.basis = of_nights.has(i)              ? GateBasis::kRuns
                            : is_by_mixture(forecasts[i]) ? GateBasis::kMixture
                                                          : GateBasis::kLaw;
    if (of_nights.has(i)) open.comparison.extrapolated = false;
    const std::string reason =
        of_nights.has(i) ? "" : trust_in_law_at(cell.x, nights[i], base, options);
    if (!reason.empty()) {
      side.uncertainty.reset();
      side.reason = reason;
    }
    if (side.uncertainty) {
      open.nights.push_back({nights[i].number, side.value, *side.uncertainty, side.runs});
    }
    if (!side.uncertainty && !open.nights.empty()) continue;
    open.after = of_nights.has(i) ? of_nights.mean_of(cell) : side_of(cell, night);
    open.about_forecast = night.of_runs;
    open.before = std::move(night.curve);
  }
  return open;
}

/// A place that the user named, where NEW has no runs.
OpenComparison not_measured(double x, Response response, const GateOptions& options) {
  const std::string reason = "NEW has too few scales for a curve, and no runs there";
  const Side nowhere{.value = std::nan(""), .reason = reason};
  return {.comparison = curve_at(x, response, options),
          .role = fmt::format("at {}", x),
          .before = nowhere,
          .after = nowhere};
}

/// How many of the unit of the response one `unit` is; empty if they measure different things.
std::optional<double> units_of(std::string_view unit, const SavedFits& fits) {
  const std::string own = unit_of(fits);
  if (unit.empty() || unit == own) return 1;
  for (const Dimension dimension : {Dimension::kTime, Dimension::kEnergy, Dimension::kPower}) {
    const auto one = in_base_units(unit, dimension);
    const auto of_response = in_base_units(own, dimension);
    if (one && of_response) return *one / *of_response;
  }
  return std::nullopt;
}

/// The change that counts for none, in the unit of the response.
double ignored_below(const SavedFits& fits, const GateOptions& options) {
  double least = 0;
  for (const ResponseLimit& limit : options.limits) {
    if (!limit.y.empty() && limit.y != fits.y) continue;
    const auto units = units_of(limit.unit, fits);
    if (!units && !limit.y.empty()) {
      throw DataError(fmt::format("--ignore-below {}={:g}{}: the unit of {} is {}", fits.y,
                                  limit.ignore_below, limit.unit, fits.y,
                                  unit_of(fits).empty() ? "not known" : unit_of(fits)));
    }
    if (units) least = std::max(least, limit.ignore_below * *units);
  }
  return least;
}

}  // namespace

GateEstimate estimate_of(double value, const std::optional<Variance>& uncertainty) {
  const double se = uncertainty ? std::sqrt(uncertainty->value) : std::nan("");
  if (se == 0) return {value, 0.0};
  const bool has_error = std::isfinite(se) && uncertainty->dof > 0;
  return has_error ? GateEstimate{value, se, uncertainty->dof} : GateEstimate{value};
}

GateChange change_of(double difference, const Variance& variance, double confidence) {
  const bool rounding = variance.value == 0 && std::abs(difference) < kRounding;
  const GateEstimate estimate = estimate_of(rounding ? 0 : difference, variance);
  return {estimate, estimate.reach_at(confidence)};
}

GateOptions options_for(const std::string& y, GateOptions options) {
  for (const ResponseLimit& limit : options.limits) {
    if (limit.y == y && limit.max_slowdown) options.max_slowdown = *limit.max_slowdown;
  }
  return options;
}

NightJudging judging_of(const GatePair& pair, const GateOptions& options) {
  NightJudging judging;
  judging.chance = options.one_level ? 0 : kChanceOfLevels * (1 - options.confidence);
  judging.baseline = options.baseline_nights;
  judging.since = pair.since;
  judging.confidence = options.confidence;
  judging.goes_on = pair.goes_on;
  judging.ignore_below = ignored_below(pair.base, options);
  return judging;
}

double single_reach(const NightStep& step, const NightSeries& nights, double between,
                    const GateComparison& comparison, const NightJudging& rules) {
  constexpr std::size_t kLasting = 3;
  constexpr double kManyNights = 8;
  constexpr double kFarther = 1.5;
  constexpr double kFirstApart = 15;  // Standard deviations.
  constexpr double kHalf = 0.5;
  if (!rules.goes_on || step.after > kLasting || nights.nights() < kManyNights) return 0;
  if (step.nearest < kHalf) return std::numeric_limits<double>::infinity();
  if (step.after == kLasting) return 0;
  const double farthest =
      comparison.less_is_better ? nights.farthest_above() : nights.farthest_below();
  const double sd = std::sqrt(between + nights.sampling().value);
  const double first = step.is_of_new_alone() ? comparison.limit + kFirstApart * sd : 0;
  return std::max(kFarther * farthest, first);
}

std::vector<Cell> one_per_x(const std::vector<Cell>& cells) {
  std::vector<Cell> merged;
  for (const Cell& cell : cells) {
    if (merged.empty() || merged.back().x != cell.x) merged.push_back({.x = cell.x, .count = 0});
    Cell& all = merged.back();
    const auto before = static_cast<double>(all.count);
    const auto added = static_cast<double>(cell.count);
    const double distance = cell.mean_log - all.mean_log;
    all.count += cell.count;
    all.mean_log += distance * added / (before + added);
    all.ss_log += cell.ss_log + distance * distance * before * added / (before + added);
  }
  return merged;
}

std::vector<OpenComparison> open_comparisons(std::span<const Night> nights, const Fit& current,
                                             const RepeatScatter& repeats,
                                             const GateOptions& options) {
  const FitsOfGroup fits{nights, current, repeats};
  std::vector<OpenComparison> comparisons;
  for (std::size_t i = 0; i < current.parameters.size(); ++i) {
    if (!current.parameters[i].name.starts_with("beta")) continue;
    comparisons.push_back(exponent_comparison(fits, i, options));
  }
  const Range base = usual_range(nights);
  const Range common{std::max(base.least, current.x_min), std::min(base.greatest, current.x_max)};
  const bool is_apart = !(common.least <= common.greatest);
  if (is_apart && !options.law_is_chosen) {
    const std::string reason = no_common_range_text(base, current);
    for (OpenComparison& exponent : comparisons) leave_open(exponent, reason);
  }
  for (const auto& [x, role] : places_of(common, options)) {
    comparisons.push_back(opened(
        curve_at(x, current.response, options), role, fits,
        [x = x](const Fit& fit, std::string_view side) { return log_curve_of(fit, x, side); }));
    comparisons.back().comparison.is_middle = role == kMiddle;
    comparisons.back().comparison.extrapolated = !common.holds(x);
  }
  const bool wanted = options.at_middle || options.at_largest;
  if (wanted && is_apart) {
    comparisons.push_back(no_common_range(base, current, options));
  }
  return comparisons;
}

std::vector<OpenComparison> open_predictions(const GroupKey& group, std::span<const Night> nights,
                                             std::span<const Cell> runs,
                                             const GateOptions& options) {
  std::vector<Outcome<Forecast>> forecasts;
  for (const Night& night : nights) forecasts.push_back(forecast_of_night(group, night));
  std::vector<OpenComparison> comparisons;
  for (const Cell& cell : runs) {
    comparisons.push_back(run_comparison(group, nights, forecasts, cell, options));
  }
  for (const double x : options.at) {
    const auto is_there = [x](const Cell& cell) { return cell.x == x; };
    if (std::ranges::any_of(runs, is_there)) continue;
    comparisons.push_back(not_measured(x, nights.back().study->response, options));
  }
  return comparisons;
}

void for_each_series(std::span<OpenComparison* const> comparisons, const NightJudging& rules,
                     const std::function<void(OpenComparison&, const NightEvidence&)>& take) {
  std::map<std::string, std::vector<OpenComparison*>> by_role;
  for (OpenComparison* open : comparisons) by_role[open->role].push_back(open);
  for (const auto& [role, alike] : by_role) {
    std::vector<std::vector<NightFigure>> figures;
    std::vector<double> currents;
    for (const OpenComparison* open : alike) {
      figures.push_back(open->nights);
      currents.push_back(open->after.uncertainty ? open->after.value : std::nan(""));
    }
    const std::vector<NightSeries> series = series_of(std::move(figures), currents, rules);
    const auto variances = night_variances(series);
    for (std::size_t i = 0; i < alike.size(); ++i) {
      if (variances[i] && alike[i]->after.uncertainty) {
        take(*alike[i], {series[i], *variances[i], rules});
      }
    }
  }
}

void set_changes(std::span<OpenComparison* const> comparisons, const NightJudging& rules) {
  for (OpenComparison* const open : comparisons) {
    open->comparison.current = estimate_of(open->after.value, open->after.uncertainty);
  }
  for_each_series(comparisons, rules, [](OpenComparison& open, const NightEvidence& by) {
    set_change_from_nights(open, by);
    open.news = news_of(by.nights, by.between);
  });
  for (OpenComparison* const open : comparisons) {
    if (!open->comparison.nights) set_change_from_one_night(*open, rules);
  }
}

}  // namespace scalelaw
