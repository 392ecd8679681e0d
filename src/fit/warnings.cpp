#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "fit/figures.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {
namespace {

// The one table of the codes of warnings: their names, and what `scalelaw help CODE` says.

constexpr std::array kWarnings{
    CodeHelp{
        "few-points", "there are too few runs for narrow intervals or a check of the law",
        "The group has fewer than five runs (six with a bootstrap, two per parameter for a law "
        "of two scales). Intervals are wide, and the checks of the law find little.",
        "Measure more runs. scalelaw plan tells which ones help most."},
    CodeHelp{"few-x", "there are too few different scales to see a bend",
             "The runs were made at fewer than four different scales, so a bend of the curve would "
             "go unseen.",
             "Measure at more scales before you extrapolate."},
    CodeHelp{
        "epochs-as-runs", "rows may be epochs of one run: standard errors are then too small",
        "The table names runs, and some run has several rows, but every row counts as a run of "
        "its own. Epochs of one run are alike, so the intervals are too narrow.",
        "Name the column of the run: --run COL makes one point of each run."},
    CodeHelp{"curved", "the points bend away from the law: do not extrapolate it",
             "A curve with one more bend describes the points clearly better (p below 0.01). The "
             "exponent is only an average over the measured range.",
             "Do not extrapolate this law. scalelaw rank compares it with others, and scalelaw "
             "predict forecasts from several laws together."},
    CodeHelp{"lack-of-fit", "the means lie further from the law than repeated runs scatter",
             "Repeated runs at one scale agree better with one another than their means agree with "
             "the curve (p below 0.01).",
             "Look for another law with scalelaw rank, or for a scale at which something else "
             "changed, such as the batch size or the network."},
    CodeHelp{
        "influential", "one run alone moves the law: check that run",
        "The law would be clearly different without one of the runs, more than chance explains.",
        "Check that run, repeat it, or give it less weight with --robust huber."},
    CodeHelp{
        "heteroscedastic", "the scatter changes with the scale: standard errors are wrong",
        "Runs at some scales scatter more than at others, while the standard errors assume the "
        "same scatter everywhere (p below 0.01).",
        "Use standard errors that do not assume it: --se hc3, or --se hc2-bm for few runs."},
    CodeHelp{
        "overpredicts-speedup", "the law promises more speedup than was measured",
        "From the smallest to the largest scale the curve gains over 1.2 times the speedup that "
        "was measured, so the exponent is too good for the largest runs.",
        "Do not promise the exponent for large scales. Compare laws that flatten out: scalelaw "
        "rank, or --law floor, amdahl or usl."},
    CodeHelp{
        "short-range", "the scales span less than a factor of 10: the exponent holds only there",
        "The largest scale is less than ten times the smallest, so the exponent holds for this "
        "range and not beyond.",
        "Measure smaller and larger scales before you extrapolate."},
    CodeHelp{
        "on-bound", "a parameter is at the end of its range",
        "The best value of a parameter is the least or greatest one that the law allows. Often "
        "it is 0, and a simpler law describes the runs as well.",
        "Try a simpler law with --law power. The errors of the other parameters assume that this "
        "one is exact."},
    CodeHelp{"lone-minimum", "only one of many searches found the best fit: a better one may exist",
             "The search for a law of two scales started at many places, and only one of them led "
             "to the best fit, so there may be a better one.",
             "Look at the fit with scalelaw plot surface, leave odd runs out, or measure more."},
    CodeHelp{
        "open-interval", "an interval has no end: the runs do not bound that parameter",
        "The runs agree with values of this parameter that are as large, or as small, as you like.",
        "Measure more runs over wider ranges of both scales."},
    CodeHelp{"failed-refits", "too many bootstrap fits failed, so there are no intervals",
             "Fewer than nine in ten of the resampled tables could be fitted, so the bootstrap "
             "gives no intervals.",
             "Measure more runs, because these hardly determine the law."},
    CodeHelp{
        "outlier", "one run lies far from the law: check whether it failed",
        "One run is so far from the curve that chance would do it in fewer than 2 % of tables.",
        "Check whether the run failed. Leave it out with --where, repeat it, or give it less "
        "weight with --robust huber."},
    CodeHelp{
        "flat", "the interval of beta includes 0: no change with the scale is shown",
        "These runs do not show that what was measured changes with the scale at all.",
        "Measure more runs or a wider range, and check that -x and -y name the right columns."},
    CodeHelp{"few-clusters", "there are too few runs for clustered standard errors",
             "--se cluster and --se cr2 learn from how runs differ, and there are too few of them.",
             "Use --se cr2, which needs three runs and does not go with --share, or measure more "
             "runs."},
    CodeHelp{"unequal-scatter", "groups scatter differently: one scatter for all is wrong for some",
             "--pool assumes the same scatter for all groups, but some groups scatter clearly more "
             "than others (p below 0.01).",
             "Leave --pool out, or pool only groups that are alike."},
    CodeHelp{"outlying-slope", "the exponent lies far from those of the other groups",
             "--pool slopes moves exponents towards one another, and this group's own exponent is "
             "too far from the others to be one of them.",
             "Find out why this group differs, or leave it out with --where."},
    CodeHelp{"near-minimum", "another fit is nearly as good: the runs hardly choose between them",
             "The search from many places found another minimum, at other parameters, whose "
             "objective is within 1 % of the lowest one.",
             "Report both (they stand in the warning and as other_minima in JSON), or hold a "
             "parameter near one of them with --bound or --fix."},
    CodeHelp{
        "rough-minimum", "the search ended next to the best fit, not quite on it",
        "The gradient of the lowest place that was found is not 0, but one more step would change "
        "the sum of losses, or each parameter, by less than one part in two million: no digit "
        "that is shown. Valleys that are nearly flat end so.",
        "Nothing needs to be done. Wider ranges of both scales make the valley narrower."}};

}  // namespace

std::span<const CodeHelp> warning_codes() { return kWarnings; }

std::string_view name_of(WarningCode code) {
  const auto place = static_cast<std::size_t>(code);
  return place < kWarnings.size() ? kWarnings[place].code : "unknown";
}

namespace {

constexpr std::uint64_t kFewestPoints = 5;
/// With fewer, 95 % intervals of the bootstrap cover 92 % at best (docs/explanation/coverage.md).
constexpr std::uint64_t kFewestResampledPoints = 6;
constexpr std::uint64_t kFewestX = 4;
/// Influential is a run that moves the estimates by about half a standard error or more, where
/// runs without fault rarely do.
constexpr double kLargeCooksDistance = 0.25;
constexpr double kRareP = 0.02;  ///< For influence and outliers: false alarms in 2 % of tables.
constexpr std::uint64_t kFewestClusters =
    20;  ///< For CR1 (docs/explanation/coverage.md, "Warnings").
/// With fewer clusters, the curve of a law of several x follows their errors, whatever the kind.
constexpr std::uint64_t kFewestSurfaceClusters = 4;
constexpr double kLargeOverprediction = 1.2;
constexpr double kOneDecade = 10;

/// For a law of several x: two runs per parameter, and more places than parameters.
std::uint64_t fewest_points(const Fit& fit) {
  if (fit.surface) return 2 * fit.parameters.size();
  return fit.bootstrap ? kFewestResampledPoints : kFewestPoints;
}

std::uint64_t fewest_x(const Fit& fit) {
  return fit.surface ? fit.parameters.size() + 1 : kFewestX;
}

/// The scale that spans less than a decade; if both do, the narrower one.
std::optional<Interval> short_range(const Fit& fit) {
  Interval range{fit.x_min, fit.x_max};
  if (fit.surface) {
    const Interval& first = fit.surface->x_range[0];
    const Interval& second = fit.surface->x_range[1];
    range = first.upper / first.lower <= second.upper / second.lower ? first : second;
  }
  if (!(range.lower > 0) || !(range.upper < kOneDecade * range.lower)) return std::nullopt;
  return range;
}

bool has_open_end(const Parameter& parameter) {
  return parameter.ci &&
         !(std::isfinite(parameter.ci->lower) && std::isfinite(parameter.ci->upper));
}

bool is_small(std::optional<double> p) { return p && *p < kSmallP; }

bool overpredicts(const Fit& fit) {
  return fit.speedup && fit.speedup->observed > 0 &&
         fit.speedup->implied > kLargeOverprediction * fit.speedup->observed;
}

bool is_influential(const Fit& fit) {
  if (fit.outlier && fit.outlier->is_rounded) return fit.sole_support_x.has_value();
  return fit.sole_support_x || (fit.cooks_distance_max.value_or(0) > kLargeCooksDistance &&
                                fit.cooks_distance_p.value_or(1) < kRareP);
}

/// The exponent of the laws that have one; nullptr for others.
const Parameter* exponent_of(const Fit& fit) {
  for (const Parameter& parameter : fit.parameters) {
    if (parameter.name == "beta" && !fit.surface) return &parameter;
  }
  return nullptr;
}

bool is_flat(const Fit& fit) {
  const Parameter* const beta = exponent_of(fit);
  return beta != nullptr && beta->ci && beta->ci->lower <= 0 && beta->ci->upper >= 0;
}

bool has_few_clusters(const Fit& fit) {
  if (!fit.clusters) return false;
  if (fit.se == StandardError::kCluster) return *fit.clusters < kFewestClusters;
  return *fit.clusters < (fit.surface ? kFewestSurfaceClusters : 2);
}

/// At most `digits` significant digits, but every digit before the point: "4320", not "4.32e+03".
std::string plain(double value, int digits) {
  const double size = std::abs(value);
  if (value == 0 || !(size >= 1e-4 && size < 1e15)) return fmt::format("{:.{}g}", value, digits);
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(size)));
  std::string text = fmt::format("{:.{}f}", value, std::max(decimals, 0));
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

/// The text of a figure of the fit, or of a member of a part of it.
std::string about(std::optional<double> value) { return value ? plain(*value, 3) : "?"; }
template <class Part, class Figure>
std::string about(const std::optional<Part>& part, Figure Part::*figure) {
  return about(part ? std::optional<double>((*part).*figure) : std::nullopt);
}

/// The text of an x, exact enough to find it in the table.
std::string x_text(double x) { return plain(x, 6); }

std::string explain_influential(const Fit& fit) {
  if (fit.sole_support_x) {
    return fmt::format(
        "The point at x = {} alone fixes the curve (leverage 1): whatever its y, the curve goes "
        "through it. Repeat that run.",
        x_text(*fit.sole_support_x));
  }
  return fmt::format(
      "One point moves the curve by itself (Cook's distance {}; with {} points chance gives as "
      "much in {} % of tables). Check that run{}",
      about(fit.cooks_distance_max), fit.n,
      about(fit.cooks_distance_p ? std::optional(100 * *fit.cooks_distance_p) : std::nullopt),
      fit.law->linear() && fit.scale == fit.law->scale()
          ? ", repeat it, or compare with --robust huber."
          : ", or repeat it.");
}

std::string explain_outlier(const Fit& fit) {
  const Outlier outlier = fit.outlier.value_or(Outlier{});
  return fmt::format(
      "The run of y = {} at x = {} lies far from the curve (studentised residual {}, p = {} with "
      "Bonferroni's correction over {} points). Check whether it failed, and leave it out or "
      "repeat it{}",
      plain(outlier.y, 6), x_text(outlier.x), plain(outlier.t, 3), plain(outlier.p, 2), fit.n,
      fit.law->linear() && fit.scale == fit.law->scale() ? "; --robust huber gives it less weight."
                                                         : ".");
}

std::string explain_flat(const Fit& fit) {
  const Parameter* const beta = exponent_of(fit);
  const Interval ci = beta != nullptr && beta->ci ? *beta->ci : Interval{};
  return fmt::format(
      "The interval of beta, {} .. {}, includes 0: these runs do not show that y changes with x. "
      "Measure more runs or a wider range.",
      plain(ci.lower, 3), plain(ci.upper, 3));
}

std::string explain_few_clusters(const Fit& fit) {
  const std::uint64_t clusters = fit.clusters.value_or(0);
  if (clusters < 2) {
    return fmt::format(
        "All points belong to one run: nothing tells how much runs differ, so there are no "
        "clustered standard errors. Measure more runs, or {} if points are independent.",
        fit.surface ? "leave out --se" : "take --se hc3");
  }
  if (fit.surface && clusters < kFewestSurfaceClusters) {
    return fmt::format(
        "--run tells only {} runs apart (fewer than {}), for {} parameters: the curve follows "
        "their errors, so these "
        "standard errors are far too small. Measure more runs.",
        clusters, kFewestSurfaceClusters, fit.parameters.size());
  }
  // A joint fit knows no --se cr2.
  const bool is_joint = std::ranges::any_of(fit.parameters, &Parameter::shared);
  return fmt::format(
      "--run tells only {} runs apart{} (fewer than {}): these standard errors are too small, and "
      "intervals hold less than they promise. {}",
      clusters, is_joint ? " in all groups together" : "", kFewestClusters,
      is_joint ? "Measure more runs." : "Use --se cr2.");
}

std::string explain_few_x(const Fit& fit) {
  if (fit.surface) {
    return fmt::format(
        "Only {} different pairs of scales for {} parameters: whether the law holds between them "
        "cannot be seen. Measure other combinations.",
        fit.distinct_x, fit.parameters.size());
  }
  return fmt::format(
      "Only {} of x (fewer than {}): a bend of the curve would go unseen. Measure more scales.",
      counted(fit.distinct_x, "different value"), kFewestX);
}

std::string explain_open_interval(const Fit& fit) {
  std::string names;
  for (const Parameter& parameter : fit.parameters) {
    if (!has_open_end(parameter)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", parameter.name);
  }
  return fmt::format(
      "The runs leave an end of these intervals open: {}. They hardly determine that part of the "
      "{} law: measure more runs, over wider ranges of the scales.",
      names, fit.law->name());
}

std::string explain_failed_refits(const Fit& fit) {
  return fmt::format(
      "{} of {} refits of the bootstrap converged, fewer than nine in ten: it has no intervals. "
      "The runs hardly determine the {} law.",
      fit.bootstrap ? fit.bootstrap->usable.value_or(0) : 0,
      fit.bootstrap ? fit.bootstrap->resamples : 0, fit.law->name());
}

std::string explain_outermost_break(const Parameter& kink) {
  return fmt::format(
      "The best {}, {}, is the first or last place where one can be told: too few points lie "
      "beyond it to say that the curve bends there. Measure more scales on that side, or take a "
      "simpler law. Errors of the other parameters take it as fixed.",
      kink.name, x_text(kink.estimate));
}

/// Whether the user narrowed the range of a parameter.
bool has_range_of_the_user(const Law& law, std::size_t k) {
  const ParameterSpec& free = find_law(law.name())->parameters()[k];
  const ParameterSpec& spec = law.parameters()[k];
  return spec.lower != free.lower || spec.upper != free.upper;
}

/// What it means that parameters are on bounds.
std::string meaning_of_bounds(const Fit& fit) {
  bool at_zero = true;
  bool of_user = true;
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    if (!fit.parameters[k].on_bound) continue;
    at_zero = at_zero && fit.parameters[k].estimate == 0;
    of_user = of_user && has_range_of_the_user(*fit.law, k);
  }
  if (of_user) return "--bound gives that end, and beyond it the law would fit better";
  if (at_zero) {
    return fmt::format(
        "these points do not need that part of the {} law, and a simpler law describes them as "
        "well",
        fit.law->name());
  }
  return fmt::format(
      "the {} law cannot follow these points any further, so another law may suit them better",
      fit.law->name());
}

std::string explain_bound(const Fit& fit) {
  if (const auto kink = fit.law->kink(); kink && fit.parameters[*kink].on_bound) {
    return explain_outermost_break(fit.parameters[*kink]);
  }
  std::string names;
  for (const Parameter& parameter : fit.parameters) {
    if (!parameter.on_bound) continue;
    names += fmt::format("{}{} = {}", names.empty() ? "" : ", ", parameter.name,
                         plain(parameter.estimate, 3));
  }
  const char* const resampled =
      fit.bootstrap ? " Bootstrap intervals do not hold their level there: take the others." : "";
  return fmt::format(
      "At the end of its range: {}; {}. Errors of the other parameters take it as fixed.{}", names,
      meaning_of_bounds(fit), resampled);
}

std::string explain_near_minimum(const Fit& fit) {
  const OtherMinimum& other = fit.surface->others.front();
  std::vector<std::string> places;
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    if (!fit.law->is_fitted(k)) continue;
    places.push_back(fmt::format("{} = {:.4g}", fit.parameters[k].name, other.estimates[k]));
  }
  return fmt::format(
      "Another minimum is nearly as low: {} with the objective {:.6g}, against {:.6g} here. The "
      "runs hardly choose between them: report both, or hold a parameter to one of them with "
      "--bound or "
      "--fix.",
      joined(places), other.objective, fit.surface->objective);
}

}  // namespace

void fill_warnings(Fit& fit, const FitOptions& options) {
  const auto warn_if = [&](bool holds, WarningCode code) {
    if (holds) fit.warnings.push_back(code);
  };
  warn_if(fit.n < fewest_points(fit), WarningCode::kFewPoints);
  warn_if(fit.distinct_x < fewest_x(fit), WarningCode::kFewX);
  warn_if(options.epochs_as_runs, WarningCode::kEpochsAsRuns);
  warn_if(fit.curvature && is_small(fit.curvature->p), WarningCode::kCurved);
  warn_if(fit.lack_of_fit && is_small(fit.lack_of_fit->p), WarningCode::kLackOfFit);
  warn_if(is_influential(fit), WarningCode::kInfluential);
  warn_if(fit.outlier && fit.outlier->p < kRareP && !fit.outlier->is_rounded,
          WarningCode::kOutlier);
  warn_if(is_small(fit.scatter_trend_p), WarningCode::kHeteroscedastic);
  warn_if(overpredicts(fit), WarningCode::kOverpredictsSpeedup);
  warn_if(std::ranges::any_of(fit.parameters, &Parameter::on_bound), WarningCode::kOnBound);
  warn_if(short_range(fit).has_value(), WarningCode::kShortRange);
  warn_if(is_flat(fit), WarningCode::kFlat);
  warn_if(has_few_clusters(fit), WarningCode::kFewClusters);
  warn_if(fit.pooling && fit.pooling->has_unequal_scatter(), WarningCode::kUnequalScatter);
  warn_if(fit.own && fit.own->beta_p.value_or(1) < kRareP, WarningCode::kOutlyingSlope);
  if (!fit.surface) return;
  warn_if(fit.surface->met == 1, WarningCode::kLoneMinimum);
  warn_if(std::ranges::any_of(fit.parameters, has_open_end), WarningCode::kOpenInterval);
  warn_if(!fit.surface->others.empty(), WarningCode::kNearMinimum);
  warn_if(fit.surface->is_rough, WarningCode::kRoughMinimum);
  warn_if(fit.bootstrap && fit.bootstrap->parameters.empty(), WarningCode::kFailedRefits);
}

std::string explain(WarningCode code, const Fit& fit) {
  switch (code) {
    case WarningCode::kFewPoints:
      return fmt::format(
          "Only {} (fewer than {}): {}checks of the law have little power. Measure "
          "more runs.",
          counted(fit.n, "point"), fewest_points(fit),
          fit.pooling ? "" : "intervals are wide and ");
    case WarningCode::kFewX:
      return explain_few_x(fit);
    case WarningCode::kEpochsAsRuns:
      return "The table names runs, but every row counts as a point of its own. If rows are epochs "
             "of one run, they are not independent and standard errors are too small: use --run "
             "with that column.";
    case WarningCode::kCurved:
      return fmt::format(
          "The points bend away from the {} law (curvature {}, p = {}, below {}). Do not "
          "extrapolate beyond the measured range.",
          fit.law->name(), about(fit.curvature, &Curvature::estimate),
          about(fit.curvature, &Curvature::p), kSmallP);
    case WarningCode::kLackOfFit:
      return fmt::format(
          "Mean values lie further from the curve than repeated runs scatter (lack-of-fit F = {}, "
          "p = {}, below {}): the {} law is not the whole story.",
          about(fit.lack_of_fit, &LackOfFit::f), about(fit.lack_of_fit, &LackOfFit::p), kSmallP,
          fit.law->name());
    case WarningCode::kInfluential:
      return explain_influential(fit);
    case WarningCode::kHeteroscedastic:
      return fmt::format(
          "The scatter changes with x (Breusch-Pagan p = {}, below {}): standard errors that "
          "assume the same scatter at every x are off. Those of --se hc3 do not assume it; for few "
          "points take --se hc2-bm.",
          about(fit.scatter_trend_p), kSmallP);
    case WarningCode::kOverpredictsSpeedup:
      return fmt::format(
          "From x = {} to {} the curve promises a speedup of {}, measured is {} (more than {} "
          "times less). The exponent is too good for the largest runs.",
          x_text(fit.x_min), x_text(fit.x_max), about(fit.speedup, &Speedup::implied),
          about(fit.speedup, &Speedup::observed), kLargeOverprediction);
    case WarningCode::kShortRange:
      return fmt::format(
          "{} spans only {} to {}, less than a factor of {}: the exponent is local. Measure "
          "smaller and larger scales before extrapolating.",
          fit.surface ? "A scale" : "x", x_text(short_range(fit).value_or(Interval{}).lower),
          x_text(short_range(fit).value_or(Interval{}).upper), kOneDecade);
    case WarningCode::kOnBound:
      return explain_bound(fit);
    case WarningCode::kNearMinimum:
      return explain_near_minimum(fit);
    case WarningCode::kRoughMinimum:
      return fmt::format(
          "The best of {} descents ended next to its minimum: the gradient is {:.1e} of its terms, "
          "but "
          "one more step would change no digit that is shown.",
          fit.surface ? fit.surface->starts : 0, fit.surface ? fit.surface->gradient : 0);
    case WarningCode::kLoneMinimum:
      return fmt::format(
          "Only one of {} descents ended in the lowest minimum that was found: a lower one may "
          "exist. Look at the fit, leave out odd runs, or measure more.",
          fit.surface ? fit.surface->starts : 0);
    case WarningCode::kOpenInterval:
      return explain_open_interval(fit);
    case WarningCode::kFailedRefits:
      return explain_failed_refits(fit);
    case WarningCode::kOutlier:
      return explain_outlier(fit);
    case WarningCode::kFlat:
      return explain_flat(fit);
    case WarningCode::kFewClusters:
      return explain_few_clusters(fit);
    case WarningCode::kUnequalScatter:
      return fit.pooling ? unequal_scatter_sentence(*fit.pooling) : "";
    case WarningCode::kOutlyingSlope:
      return fmt::format(
          "The exponent of its own points, {}, lies far from those of the other groups (p = {} "
          "with "
          "Bonferroni's correction): it may not belong to their distribution, which pulls it to "
          "{}. "
          "Look at the group, or leave it out.",
          about(fit.own ? fit.own->beta : std::nullopt),
          about(fit.own ? fit.own->beta_p : std::nullopt),
          plain(fit.parameters.back().estimate, 3));
  }
  return "";
}

}  // namespace scalelaw
