#include "scalelaw/judge/contrast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/some_of.hpp"
#include "judge/contrast_parts.hpp"
#include "runs/deliver_in_order.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/hypothesis_tests.hpp"

namespace scalelaw {
namespace {

void check_options(const ContrastOptions& options, std::span<const LevelCells> levels,
                   std::size_t factors) {
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw std::invalid_argument("contrast_levels: confidence is not between 0 and 1");
  }
  if (!(options.margin > 0)) throw std::invalid_argument("contrast_levels: margin is not positive");
  for (const LevelCells& level : levels) {
    if (level.level.size() != factors) {
      throw std::invalid_argument("contrast_levels: a level has not one value per factor");
    }
  }
}

/// The line of the level by itself.
/// @throws FitError if it has none or has no degrees of freedom.
Fit line_of(const LevelCells& level, const ContrastOptions& options) {
  Fit line = fit_law(level.cells, {.response = options.response,
                                   .confidence = options.confidence,
                                   .figures = Figures::kEstimates});
  if (line.dof > 0) return line;
  throw FitError(FailureCode::kTooFewPoints,
                 fmt::format("{} points leave no degree of freedom to judge a slope by; measure "
                             "more runs",
                             line.n));
}

/// Whether the means of repeated runs lie further from the line than these scatter.
std::optional<double> misfit_p_of(const LevelCells& level, const Fit& line) {
  double runs = 0;
  double within = 0;
  for (const Cell& cell : level.cells) {
    runs += static_cast<double>(cell.count);
    within += cell.ss_log;
  }
  if (runs != static_cast<double>(line.n)) return std::nullopt;
  const double within_dof = runs - static_cast<double>(level.cells.size());
  return lack_of_fit_p(line.rss, static_cast<double>(line.dof), within, within_dof);
}

/// The levels that have lines, with the sums that their comparison needs; and the other levels.
struct Lines {
  std::vector<ContrastLevel> levels;
  std::vector<const LevelCells*> cells;
  std::vector<LevelLine> sums;
  std::vector<OmittedLevel> omitted;
};

Lines lines_of(std::span<const LevelCells> levels, const ContrastOptions& options) {
  Lines lines;
  for (const LevelCells& level : levels) {
    auto line = outcome_of([&] { return line_of(level, options); });
    if (const NoFit* failure = std::get_if<NoFit>(&line)) {
      lines.omitted.push_back({level.level, failure->code, failure->message});
      continue;
    }
    Fit& fit = std::get<Fit>(line);
    lines.sums.push_back(level_line(level.cells, fit));
    const std::optional<double> misfit_p = misfit_p_of(level, fit);
    lines.levels.push_back({level.level, std::move(fit), misfit_p});
    lines.cells.push_back(&level);
  }
  return lines;
}

/// "2 levels of cap, of which 1 has a line; a contrast needs two; 100: why".
std::string too_few_levels(const Lines& lines, std::span<const std::string> factors) {
  const std::size_t found = lines.levels.size() + lines.omitted.size();
  std::string text = fmt::format("{} of {}", counted(found, "level"), joined(factors));
  if (!lines.omitted.empty()) {
    text += lines.levels.empty() ? ", of which none has a line" : ", of which 1 has a line";
  }
  text += "; a contrast needs two";
  const auto is_as_first = [&lines](const OmittedLevel& level) {
    return level.message == lines.omitted.front().message;
  };
  if (lines.omitted.size() > 1 && std::ranges::all_of(lines.omitted, is_as_first)) {
    const OmittedLevel& first = lines.omitted.front();
    return text + fmt::format("; of each: {} ({})", first.message, name_of(first.code));
  }
  for (const OmittedLevel& level : lines.omitted) {
    text += fmt::format("; {}: {} ({})", joined(level.level), level.message, name_of(level.code));
  }
  return text;
}

bool all_scatter(std::span<const LevelLine> lines) {
  return std::ranges::all_of(lines, [](const LevelLine& line) { return line.variance > 0; });
}

/// The square of a Student t statistic's standard normal equivalent (Hill 1970).
double squared_normal_of(double t, double dof) {
  const double a = dof - 0.5;
  const double b = 48 * a * a;
  const double c = std::sqrt(a * std::log1p(t * t / dof));
  const double c3 = c * c * c;
  const double c5 = c3 * c * c;
  const double c7 = c5 * c * c;
  const double z =
      c + (c3 + 3 * c) / b -
      (4 * c7 + 33 * c5 + 240 * c3 + 855 * c) / (10 * b * b + 8 * b * c3 * c + 1000 * b);
  return z * z;
}

/// Alexander and Govern (1994) for slopes: the sum of squared normal scores, which measure how far
/// each slope lies from their mean, weighted by inverse variance.
std::optional<ChiSquaredTest> alexander_govern(std::span<const LevelLine> lines) {
  if (!all_scatter(lines)) return std::nullopt;
  double weights = 0;
  double sum = 0;
  for (const LevelLine& line : lines) {
    const double weight = line.g_spread / line.variance;
    weights += weight;
    sum += weight * line.slope;
  }
  double statistic = 0;
  for (const LevelLine& line : lines) {
    const double se = std::sqrt(line.variance / line.g_spread);
    statistic += squared_normal_of((line.slope - sum / weights) / se, line.dof);
  }
  const double df = static_cast<double>(lines.size()) - 1;
  return ChiSquaredTest{.statistic = statistic, .df = df, .p = chi_squared_p(statistic, df)};
}

/// Bartlett's test (1937) of equal residual variances.
std::optional<ChiSquaredTest> bartlett(std::span<const LevelLine> lines) {
  if (!all_scatter(lines)) return std::nullopt;
  std::vector<SampleVariance> variances;
  for (const LevelLine& line : lines) variances.push_back({line.variance, line.dof});
  const double statistic = bartlett_statistic(variances);
  const double df = static_cast<double>(lines.size()) - 1;
  return ChiSquaredTest{.statistic = statistic, .df = df, .p = chi_squared_p(statistic, df)};
}

/// The variances that comparisons use.
struct Scatter {
  std::span<const LevelLine> lines;
  LineSums sums;
  Variance separate;  ///< Pooled over separate lines.
  Variance parallel;  ///< About parallel lines.
  bool pooled;        ///< Variances::kEqual.

  Variance of(std::span<const double> coefficients, const Variance& common) const {
    return pooled ? pooled_variance(coefficients, common) : own_variance(coefficients, lines);
  }
};

Scatter scatter_of(std::span<const LevelLine> lines, const ContrastOptions& options) {
  const LineSums sums = sums_of(lines);
  const double parallel_dof = sums.dof + static_cast<double>(lines.size()) - 1;
  return {
      .lines = lines,
      .sums = sums,
      .separate = {.value = sums.rss / sums.dof, .dof = sums.dof},
      .parallel = {.value = (sums.rss + sums.slope_scatter) / parallel_dof, .dof = parallel_dof},
      .pooled = options.variances == Variances::kEqual};
}

/// P(T > t).
double upper_tail(double t, double dof) {
  const double half = 0.5 * student_t_p(t, dof);
  return t >= 0 ? half : 1 - half;
}

/// Adds two one-sided tests that the difference lies within the margin (Schuirmann 1987).
void add_equivalence(SlopePair& pair, const ContrastOptions& options) {
  const Estimate& delta = pair.delta_beta;
  if (!delta.dof) return;
  pair.p_tost = std::max(upper_tail((delta.estimate + options.margin) / *delta.se, *delta.dof),
                         upper_tail((options.margin - delta.estimate) / *delta.se, *delta.dof));
  pair.equivalent = *pair.p_tost < 1 - options.confidence;
  if (options.confidence <= 0.5) return;
  const double reach = student_t_factor(2 * options.confidence - 1, *delta.dof) * *delta.se;
  pair.tost_ci = Interval{delta.estimate - reach, delta.estimate + reach};
}

SlopePair slope_pair(const Scatter& scatter, std::size_t first, std::size_t second,
                     const ContrastOptions& options) {
  std::vector<double> coefficients(scatter.lines.size());
  for (const std::size_t l : {first, second}) coefficients[l] = 1 / scatter.lines[l].g_spread;
  const double delta = scatter.lines[second].slope - scatter.lines[first].slope;
  SlopePair pair{.first = first, .second = second};
  pair.delta_beta =
      estimate_of(delta, scatter.of(coefficients, scatter.separate), options.confidence);
  add_equivalence(pair, options);
  return pair;
}

/// ln alpha_j - ln alpha_i of parallel lines. Both means contribute to its variance; so does the
/// common slope where the levels have different x.
Estimate log_ratio(const Scatter& scatter, std::size_t first, std::size_t second,
                   double confidence) {
  const LevelLine& i = scatter.lines[first];
  const LevelLine& j = scatter.lines[second];
  const double lever = (j.g_mean - i.g_mean) / scatter.sums.g_spread;
  std::vector<double> coefficients;
  for (const LevelLine& line : scatter.lines) {
    coefficients.push_back(lever * lever * line.g_spread);
  }
  for (const std::size_t l : {first, second}) coefficients[l] += 1 / scatter.lines[l].mass;
  const double difference =
      (j.y_mean - i.y_mean) - scatter.sums.common_slope * (j.g_mean - i.g_mean);
  return estimate_of(difference, scatter.of(coefficients, scatter.parallel), confidence);
}

std::optional<double> exp_in_range(double logarithm) {
  const double value = std::exp(logarithm);
  return std::isnormal(value) ? std::optional(value) : std::nullopt;
}

OffsetPair offset_pair(const Scatter& scatter, std::size_t first, std::size_t second,
                       const ContrastOptions& options) {
  OffsetPair pair{.first = first, .second = second};
  pair.log_ratio = log_ratio(scatter, first, second, options.confidence);
  pair.ratio = exp_in_range(pair.log_ratio.estimate);
  const auto& ci = pair.log_ratio.ci;
  const auto lower = ci ? exp_in_range(ci->lower) : std::nullopt;
  const auto upper = ci ? exp_in_range(ci->upper) : std::nullopt;
  if (lower && upper) pair.ci = Interval{*lower, *upper};
  return pair;
}

Verdict verdict_of(const SlopePair& pair, double confidence) {
  if (pair.equivalent && *pair.equivalent) return Verdict::kEquivalent;
  return pair.p_holm && *pair.p_holm < 1 - confidence ? Verdict::kDiffer : Verdict::kUndecided;
}

void add_pairs(Contrast& contrast, const Scatter& scatter, const ContrastOptions& options) {
  const std::size_t levels = scatter.lines.size();
  for (std::size_t first = 0; first < levels; ++first) {
    for (std::size_t second = first + 1; second < levels; ++second) {
      contrast.slopes.push_back(slope_pair(scatter, first, second, options));
      contrast.offsets.push_back(offset_pair(scatter, first, second, options));
    }
  }
  adjust_by_holm(
      contrast.slopes, [](const SlopePair& pair) { return pair.delta_beta.p; }, &SlopePair::p_holm);
  adjust_by_holm(
      contrast.offsets, [](const OffsetPair& pair) { return pair.log_ratio.p; },
      &OffsetPair::p_holm);
  for (SlopePair& pair : contrast.slopes) pair.verdict = verdict_of(pair, options.confidence);
}

void add_tests(Contrast& contrast, const Scatter& scatter) {
  const LineSums& sums = scatter.sums;
  const double df1 = static_cast<double>(scatter.lines.size()) - 1;
  contrast.equal_slopes = f_test(sums.slope_scatter, df1, sums.rss, sums.dof);
  contrast.equal_slopes_own_variances = alexander_govern(scatter.lines);
  contrast.equal_offsets_given_slope = f_test(
      sums.offset_scatter, df1, scatter.parallel.value * scatter.parallel.dof, sums.dof + df1);
  contrast.equal_variances = bartlett(scatter.lines);
}

Estimate common_beta(const Scatter& scatter, double confidence) {
  return estimate_of(
      scatter.sums.common_slope,
      {.value = scatter.parallel.value / scatter.sums.g_spread, .dof = scatter.parallel.dof},
      confidence);
}

/// Whether separate lines describe the levels better than the covariate model.
std::optional<FTest> test_against_levels(const Contrast& contrast, const CovariateModel& model) {
  if (!model.sigma) return std::nullopt;
  double separate_rss = 0;
  for (const ContrastLevel& level : contrast.levels) separate_rss += level.fit.rss;
  const auto terms = static_cast<double>(model.terms.size());
  const double line_terms = 2 * static_cast<double>(contrast.levels.size());
  const double df2 = static_cast<double>(model.n) - line_terms;
  if (!(line_terms > terms) || !(df2 > 0)) return std::nullopt;
  const double model_rss = *model.sigma * *model.sigma * static_cast<double>(model.dof);
  return f_test(std::max(0.0, model_rss - separate_rss), line_terms - terms, separate_rss, df2);
}

void add_covariates(Contrast& contrast, const Lines& lines, std::span<const std::string> factors,
                    const ContrastOptions& options) {
  auto model = covariate_model(lines.cells, factors, options);
  if (auto* found = std::get_if<CovariateModel>(&model)) {
    contrast.covariates = std::move(*found);
    contrast.covariates->levels_given_model = test_against_levels(contrast, *contrast.covariates);
  } else {
    contrast.no_covariates = std::get<std::string>(std::move(model));
  }
}

constexpr std::uint64_t kFewPoints =
    5;                          ///< With fewer, the joint test errs (docs/explanation/coverage.md).
constexpr double kSure = 0.01;  ///< As in the checks of a fit.

/// The levels that the power law misses, by a test of each, adjusted for their number (Bonferroni).
std::vector<std::string> missed_levels(const Contrast& contrast) {
  const auto tested = std::ranges::count_if(
      contrast.levels, [](const ContrastLevel& level) { return level.misfit_p.has_value(); });
  std::vector<std::string> missed;
  for (const ContrastLevel& level : contrast.levels) {
    const bool is_missed = level.misfit_p && *level.misfit_p * static_cast<double>(tested) < kSure;
    if (is_missed) missed.push_back(joined(level.level));
  }
  return missed;
}

void add_warnings(Contrast& contrast, const ContrastOptions& options) {
  const auto is_small = [](const ContrastLevel& level) { return level.fit.n < kFewPoints; };
  if (std::ranges::any_of(contrast.levels, is_small)) {
    contrast.warnings.push_back(WarningCode::kFewPoints);
  }
  const auto& variances = contrast.equal_variances;
  if (options.variances == Variances::kEqual && variances && variances->p < kSure) {
    contrast.warnings.push_back(WarningCode::kHeteroscedastic);
  }
  if (!missed_levels(contrast).empty()) contrast.warnings.push_back(WarningCode::kLackOfFit);
}

using Column = GroupKey::difference_type;

/// Where the groups of levels begin that are one but for their factors; the last value is the end.
std::vector<std::size_t> group_begins(const GroupedCells& runs) {
  const auto outer = static_cast<Column>(runs.by().size() - runs.factors().size());
  std::vector<std::size_t> begins;
  GroupKey previous;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    GroupKey key = runs.key(i);
    const bool same = i > 0 && std::equal(key.begin(), key.begin() + outer, previous.begin());
    if (!same) begins.push_back(i);
    previous = std::move(key);
  }
  begins.push_back(runs.size());
  return begins;
}

void refuse_many_levels(const GroupedCells& runs, const std::vector<std::size_t>& begins) {
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const std::size_t levels = begins[i + 1] - begins[i];
    if (levels <= kMostLevels) continue;
    GroupKey group = runs.key(begins[i]);
    group.resize(group.size() - runs.factors().size());
    throw DataError(fmt::format(
        "{} has {} levels{}, which make {} pairs, and a contrast compares at most {} levels: keep "
        "some with --where, add a column to -b so that fewer are compared with one another, or fit "
        "one law to each with 'scalelaw fit -b {}'",
        joined(runs.factors(), " x "), levels, group.empty() ? "" : " in " + joined(group),
        levels * (levels - 1) / 2, kMostLevels, joined(runs.by(), ",")));
  }
}

/// The levels from one place to another.
std::vector<LevelCells> levels_between(const GroupedCells& runs, std::size_t begin,
                                       std::size_t end) {
  const auto factors = static_cast<Column>(runs.factors().size());
  std::vector<LevelCells> levels;
  for (std::size_t i = begin; i < end; ++i) {
    const GroupKey key = runs.key(i);
    levels.push_back({GroupKey(key.end() - factors, key.end()), {}});
    runs.cells(i, levels.back().cells);
  }
  return levels;
}

}  // namespace

std::string explain(WarningCode code, const Contrast& contrast) {
  if (code == WarningCode::kHeteroscedastic) {
    return fmt::format(
        "the scatter differs between levels (Bartlett, p = {:.2g}); --variances unequal takes each "
        "level's own",
        contrast.equal_variances ? contrast.equal_variances->p : 0);
  }
  if (code == WarningCode::kLackOfFit) {
    return fmt::format(
        "means of runs of {} lie further from their power law than repeated runs scatter, so that "
        "ratios at single scales may be off by more than their intervals say; scalelaw rank names "
        "laws that fit",
        some_of(missed_levels(contrast), 3));
  }
  const auto smaller = [](const ContrastLevel& a, const ContrastLevel& b) {
    return a.fit.n < b.fit.n;
  };
  const auto least = std::ranges::min_element(contrast.levels, smaller);
  return fmt::format(
      "a level has {} points: little can be shown, and with several such levels the joint test "
      "with "
      "own variances rejects too often; measure at least {} per level",
      least->fit.n, kFewPoints);
}

std::string_view name_of(Verdict verdict) {
  return word_for(verdict, {{Verdict::kDiffer, "differ"},
                            {Verdict::kEquivalent, "equivalent"},
                            {Verdict::kUndecided, "undecided"}});
}

std::string_view name_of(Variances variances) {
  return word_for(variances, {{Variances::kUnequal, "unequal"}, {Variances::kEqual, "equal"}});
}

Contrast contrast_levels(std::span<const LevelCells> levels, std::span<const std::string> factors,
                         const ContrastOptions& options) {
  check_options(options, levels, factors.size());
  Lines lines = lines_of(levels, options);
  if (lines.levels.size() < 2) {
    throw FitError(FailureCode::kTooFewLevels, too_few_levels(lines, factors));
  }
  const Scatter scatter = scatter_of(lines.sums, options);
  Contrast contrast;
  for (const ContrastLevel& level : lines.levels) contrast.n += level.fit.n;
  add_tests(contrast, scatter);
  contrast.common_beta = common_beta(scatter, options.confidence);
  add_pairs(contrast, scatter, options);
  contrast.levels = std::move(lines.levels);
  add_covariates(contrast, lines, factors, options);
  contrast.omitted = std::move(lines.omitted);
  add_warnings(contrast, options);
  return contrast;
}

void contrast_each(const GroupedCells& runs, const ContrastOptions& options, int threads,
                   const std::function<void(GroupContrast&&)>& sink) {
  const std::vector<std::size_t> begins = group_begins(runs);
  refuse_many_levels(runs, begins);
  const auto contrast = [&](std::size_t i, int /*worker*/) {
    GroupKey group = runs.key(begins[i]);
    group.resize(group.size() - runs.factors().size());
    const std::vector<LevelCells> levels = levels_between(runs, begins[i], begins[i + 1]);
    return GroupContrast{std::move(group), outcome_of([&] {
                           return contrast_levels(levels, runs.factors(), options);
                         })};
  };
  const int workers = thread_count(threads);
  const std::size_t groups = begins.size() - 1;
  deliver_in_order<GroupContrast>(groups, workers, slice_of_slow_groups(groups, workers), contrast,
                                  sink);
}

namespace {

/// The p value of the joint test that goes with the pairs.
std::optional<double> joint_p(const Contrast& contrast, Variances variances) {
  if (variances == Variances::kEqual) {
    return contrast.equal_slopes ? std::optional(contrast.equal_slopes->p) : std::nullopt;
  }
  const auto& test = contrast.equal_slopes_own_variances;
  return test ? std::optional(test->p) : std::nullopt;
}

SlopeFinding finding_on(const std::vector<SlopePair>& pairs, std::optional<double> joint_p,
                        double significance) {
  const auto all = [&](auto holds) { return std::ranges::all_of(pairs, holds); };
  const auto is = [](Verdict verdict) {
    return [verdict](const SlopePair& pair) { return pair.verdict == verdict; };
  };
  if (all([](const SlopePair& pair) { return !pair.delta_beta.p; })) {
    return SlopeFinding::kNoScatter;
  }
  if (all(is(Verdict::kEquivalent))) return SlopeFinding::kEquivalent;
  if (std::ranges::any_of(pairs, is(Verdict::kDiffer))) return SlopeFinding::kDiffer;
  // Two levels have one pair, which has answered already.
  const bool together = pairs.size() > 1 && joint_p && *joint_p < significance;
  return together ? SlopeFinding::kDifferTogether : SlopeFinding::kUndecided;
}

/// The pair that holds and whose estimate is furthest from 0; nullptr if none holds.
template <class Pair, class Holds>
const Pair* largest_of(const std::vector<Pair>& pairs, Estimate Pair::*estimate, Holds holds) {
  const Pair* largest = nullptr;
  for (const Pair& pair : pairs) {
    if (!holds(pair)) continue;
    const double size = std::abs((pair.*estimate).estimate);
    if (largest == nullptr || size > std::abs((largest->*estimate).estimate)) largest = &pair;
  }
  return largest;
}

/// The furthest from 0 that any interval of the pairs reaches.
template <class Pair>
double possible(const std::vector<Pair>& pairs, Estimate Pair::*estimate) {
  double largest = 0;
  for (const Pair& pair : pairs) {
    const auto& ci = (pair.*estimate).ci;
    if (ci) largest = std::max({largest, -ci->lower, ci->upper});
  }
  return largest;
}

std::vector<ContrastFindings::RatioAt> ends_of(const Contrast& contrast, const SlopePair& pair) {
  const Fit& first = contrast.levels[pair.first].fit;
  const Fit& second = contrast.levels[pair.second].fit;
  const double least = std::max(first.x_min, second.x_min);
  const double greatest = std::min(first.x_max, second.x_max);
  if (!(least < greatest)) return {};
  const auto ratio = [&](double at) { return second.curve(at) / first.curve(at); };
  if (!std::isnormal(ratio(least)) || !std::isnormal(ratio(greatest))) return {};
  return {{least, ratio(least)}, {greatest, ratio(greatest)}};
}

}  // namespace

ContrastFindings findings_of(const Contrast& contrast, const ContrastOptions& options) {
  const double significance = 1 - options.confidence;
  const auto is_significant = [&](const auto& pair) {
    return pair.p_holm && *pair.p_holm < significance;
  };
  ContrastFindings findings;
  findings.joint_p = joint_p(contrast, options.variances);
  findings.slopes = finding_on(contrast.slopes, findings.joint_p, significance);
  findings.slopes_significant = std::ranges::any_of(contrast.slopes, is_significant);
  findings.largest_slope =
      largest_of(contrast.slopes, &SlopePair::delta_beta,
                 [](const SlopePair& pair) { return pair.verdict == Verdict::kDiffer; });
  if (findings.largest_slope == nullptr) {
    findings.largest_slope = largest_of(contrast.slopes, &SlopePair::delta_beta, is_significant);
  }
  findings.largest_offset =
      largest_of(contrast.offsets, &OffsetPair::log_ratio,
                 [&](const OffsetPair& pair) { return pair.ratio && is_significant(pair); });
  findings.possible_delta_beta = possible(contrast.slopes, &SlopePair::delta_beta);
  findings.possible_ratio = std::exp(possible(contrast.offsets, &OffsetPair::log_ratio));
  if (findings.largest_slope != nullptr) findings.ends = ends_of(contrast, *findings.largest_slope);
  return findings;
}

}  // namespace scalelaw
