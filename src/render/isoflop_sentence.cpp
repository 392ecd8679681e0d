// The sentences on the best split of a compute.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/ranges.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/isoflop_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

bool is_finite(const std::optional<Interval>& interval) {
  return interval && std::isfinite(interval->upper) && interval->lower > 0;
}

/// " (95 %: 5.8B to 8.3B parameters)".
std::string sizes_clause(const IsoflopReport& report, const IsoflopOptimum& optimum) {
  if (!optimum.n_ci) return "";
  if (!is_finite(optimum.n_ci)) return " (the runs leave an end of the interval open)";
  return fmt::format(" ({}: {} to {} parameters)", percent_text(report.options.confidence),
                     short_count(optimum.n_ci->lower), short_count(optimum.n_ci->upper));
}

/// "At 1e21 FLOP a model of 6.9B parameters on 21B tokens is best (95 %: 5.8B to 8.3B
/// parameters)."
std::string best_sentence(const IsoflopReport& report, const IsoflopOptimum& optimum) {
  const bool is_asked = optimum.is_budget || !report.options.at_compute.empty();
  return fmt::format(
      "At {} a model of {} parameters on {} tokens is best{}.",
      compute_words(optimum.compute) + (is_asked ? "" : ", 10 times the most that was used,"),
      short_count(optimum.n), short_count(optimum.d), sizes_clause(report, optimum));
}

std::string exponent_words(const IsoflopReport& report, const Estimate& exponent) {
  const RoundedEstimate seen = rounded(exponent.estimate, exponent.se);
  if (!exponent.ci || !std::isfinite(exponent.ci->lower + exponent.ci->upper)) return seen.estimate;
  const int decimals = decimals_for(exponent.estimate, exponent.se);
  return fmt::format("{} ({}: {} to {})", seen.estimate, percent_text(report.options.confidence),
                     fixed_text(exponent.ci->lower, decimals),
                     fixed_text(exponent.ci->upper, decimals));
}

std::string growth_sentence(const IsoflopReport& report, const IsoflopPath& path) {
  if (!path.n_exponent) {
    return "One budget tells neither exponents nor what is best at another compute: run a second "
           "one.";
  }
  return fmt::format(
      "The best number of parameters grows as the compute to the power {}, that of tokens to the "
      "power {}.",
      exponent_words(report, *path.n_exponent),
      rounded(path.d_exponent->estimate, path.n_exponent->se).estimate);
}

/// "< 0.001", "= 0.004": more digits tell nothing here.
std::string relation(double p) { return p < 0.001 ? "< 0.001" : p_relation(p); }

/// That the best sizes lie on no line, which line is extended instead, and how far it was seen.
std::string line_sentence(const IsoflopPath& path) {
  if (!path.line || !path.line->is_broken) return "";
  const IsoflopLine& line = *path.line;
  const std::string broken =
      fmt::format("The best sizes do not lie on one line over the compute (F = {:.1f}, p {}).",
                  line.statistic, relation(line.p));
  if (line.budgets == path.budgets) {
    return broken +
           " The budgets are too few to tell where it bends, so these numbers may be far off.";
  }
  const double times = line.range.upper / line.range.lower;
  return fmt::format(
      "{} So both exponents and the best models beyond are those of the last {}, from {} on. Over "
      "{} times of the compute their line is straight: extend it no further than as far again, to "
      "{}.",
      broken, counted(line.budgets, "budget"), compute_words(line.range.lower),
      with_significant_digits(times, 2), compute_words(line.range.upper * times));
}

/// That budgets scatter unlike each other, so that some runs count more.
std::string scatter_sentence(const Isoflop& isoflop) {
  const IsoflopPath& path = isoflop.path();
  if (!path.scatter || !path.scatter->is_unequal) return "";
  const double times = std::pow(isoflop.budgets.back().compute / isoflop.budgets.front().compute,
                                std::abs(path.scatter->exponent));
  const bool falls = path.scatter->exponent < 0;
  return fmt::format(
      "The losses scatter {} times as much at the {} budget as at the {} one (p {}), so runs of "
      "budgets with less scatter count more.",
      with_significant_digits(times, 2), falls ? "least" : "greatest", falls ? "greatest" : "least",
      relation(path.scatter->p));
}

/// What an approach is called in a sentence.
std::string said_approach(IsoflopApproach approach) {
  if (approach == IsoflopApproach::kPowers) return "powers within budgets";
  if (approach == IsoflopApproach::kParabolas) return "parabolas";
  return fmt::format("the {}", short_name(approach));
}

/// Which approach the answer takes, and why.
std::string approach_sentence(const Isoflop& isoflop) {
  const std::string_view why =
      word_for(isoflop.reason,
               {{IsoflopReason::kAsked, "as --approach says"},
                {IsoflopReason::kMostRuns,
                 "because most runs belong to budgets of four sizes or more with a minimum"},
                {IsoflopReason::kFewRuns,
                 "because few runs belong to budgets of four sizes or more with a minimum"},
                {IsoflopReason::kGrid,
                 "because the runs are a grid, in which sizes share their numbers of tokens"},
                {IsoflopReason::kNoProfiles, "because no two budgets have a minimum"},
                {IsoflopReason::kOnlyPossible, "because the runs do not allow the others"}});
  return fmt::format("These numbers are by {}, {}.", said_approach(isoflop.chosen), why);
}

/// The optimum at which approaches are compared: the last compute asked for.
const IsoflopOptimum& last_of(const IsoflopPath& path) { return path.optima.back(); }

std::string disagreement_sentence(const Isoflop& isoflop) {
  if (isoflop.disagreeing.empty()) return "";
  std::vector<std::string> others;
  for (const IsoflopApproach approach : isoflop.disagreeing) {
    others.push_back(fmt::format("{} by {}", short_count(last_of(isoflop.path_of(approach)).n),
                                 said_approach(approach)));
  }
  return fmt::format(
      "The approaches disagree: at {} the best number of parameters is {} by {}, but {}.",
      compute_words(last_of(isoflop.path()).compute), short_count(last_of(isoflop.path()).n),
      said_approach(isoflop.chosen), joined(others, " and "));
}

bool has_warning(const IsoflopBudget& budget, BudgetWarning warning) {
  return contains(budget.warnings, warning);
}

std::size_t count_with(const Isoflop& isoflop, BudgetWarning warning) {
  return count_if(isoflop.budgets,
                  [&](const IsoflopBudget& budget) { return has_warning(budget, warning); });
}

std::vector<std::string> budget_sentences(const Isoflop& isoflop) {
  std::vector<std::string> sentences;
  const std::size_t all = isoflop.budgets.size();
  const auto say = [&](BudgetWarning warning, std::string_view one, std::string_view several,
                       std::string_view meaning) {
    const std::size_t count = count_with(isoflop, warning);
    if (count == 0) return;
    sentences.push_back(
        fmt::format("{} {}", scalelaw::part_of(count, all, "budget", one, several), meaning));
  };
  say(BudgetWarning::kEdge, "has its minimum", "have their minimum",
      "outside the sizes that were run. Such a budget tells nothing of the exponents: run sizes "
      "beyond the minimum.");
  say(BudgetWarning::kNoMinimum, "has", "have",
      "no minimum, because the losses do not rise on both sides.");
  say(BudgetWarning::kFewSizes, "has", "have", "fewer than four sizes.");
  if (isoflop.chosen == IsoflopApproach::kParabolas) {
    say(BudgetWarning::kAsymmetric, "has its minimum", "have their minimum",
        "in the outer quarter of the sizes: parabolas are biased there.");
  }
  return sentences;
}

bool is_of_profiles(const Isoflop& isoflop) {
  return isoflop.chosen == IsoflopApproach::kPowers ||
         isoflop.chosen == IsoflopApproach::kParabolas;
}

/// That sizes lie far from the best one, where no form of a profile fits.
std::string width_sentence(const IsoflopReport& report, const Isoflop& isoflop) {
  constexpr double kWide = 20;
  if (!(isoflop.farthest > kWide) || !is_of_profiles(isoflop)) return "";
  const std::string far = fmt::format(
      "Sizes lie up to {} times from the best one of their budget, where no profile "
      "fits",
      with_significant_digits(isoflop.farthest, 2));
  if (!report.options.within) {
    return fmt::format("{}: those up to {:g} times away are taken (--within all takes all).", far,
                       isoflop.within);
  }
  return isoflop.within > kWide ? far + ": see what --within 8 gives." : "";
}

/// Runs that lie far from their budget, the first few by name.
std::string outlier_sentence(const Isoflop& isoflop) {
  constexpr std::size_t kMostNamed = 3;
  const std::size_t count = isoflop.outliers.size();
  if (count == 0) return "";
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(count, kMostNamed); ++i) {
    const IsoflopOutlier& outlier = isoflop.outliers[i];
    named.push_back(fmt::format("{} parameters at {}, with a loss of {:.4g} where {:.4g} is likely",
                                short_count(outlier.n), compute_words(outlier.compute),
                                outlier.loss, outlier.expected));
  }
  if (count > kMostNamed) named.push_back(fmt::format("{} more", count - kMostNamed));
  return fmt::format("{} far from the losses of {} budget, and profiles leave {} out: {}.",
                     count == 1 ? "1 run lies" : fmt::format("{} runs lie", count),
                     count == 1 ? "its" : "their", count == 1 ? "it" : "them", joined(named, "; "));
}

/// Runs of no budget, which profiles do not see.
std::string loose_sentence(const Isoflop& isoflop) {
  const std::size_t loose = isoflop.runs - isoflop.in_budgets;
  if (loose == 0 || isoflop.in_budgets == 0) return "";
  return scalelaw::part_of(loose, isoflop.runs, "run", "belongs", "belong") + " to no budget.";
}

/// That runs taken as one budget are several, or none.
std::string mixed_sentence(const Isoflop& isoflop) {
  double ratio = 1;
  for (const IsoflopBudget& budget : isoflop.budgets) {
    if (!has_warning(budget, BudgetWarning::kMixed)) continue;
    ratio = std::max(ratio, budget.computes.upper / budget.computes.lower);
  }
  const std::size_t count = count_with(isoflop, BudgetWarning::kMixed);
  if (count == 0) return "";
  const std::size_t all = isoflop.budgets.size();
  if (ratio < 2) {
    return fmt::format(
        "{} to be two, up to {} apart: name a column that tells them apart with --budget.",
        scalelaw::part_of(count, all, "budget", "seems", "seem"), percent_text(ratio - 1, 2));
  }
  return fmt::format(
      "{} computes that differ by up to {} times: does the column of --budget tell the compute?",
      scalelaw::part_of(count, all, "budget", "has", "have"), short_count(ratio));
}

/// How far a compute lies beyond the greatest budget.
std::string reach_sentence(const Isoflop& isoflop) {
  constexpr double kFar = 30;
  if (isoflop.budgets.empty()) return "";
  const double target = last_of(isoflop.path()).compute;
  const double times = target / isoflop.budgets.back().compute;
  if (!(times > kFar)) return "";
  const double unit = std::pow(10, std::floor(std::log10(times)) - 1);
  return fmt::format("{} is {:.0f} times the greatest budget that was run.", compute_words(target),
                     unit * std::round(times / unit));
}

}  // namespace

std::string_view short_name(IsoflopApproach approach) {
  static constexpr std::string_view kNames[] = {"best runs", "parabolas", "powers", "surface"};
  return kNames[static_cast<std::size_t>(approach)];
}

std::vector<std::string> isoflop_sentences(const IsoflopReport& report, const Isoflop& isoflop) {
  constexpr std::size_t kMostSentences = 3;
  const IsoflopPath& path = isoflop.path();
  std::vector<std::string> sentences;
  for (const IsoflopOptimum& optimum : path.optima) {
    const bool is_told = !optimum.is_budget || !path.n_exponent;
    if (!is_told || sentences.size() == kMostSentences) continue;
    sentences.push_back(best_sentence(report, optimum));
  }
  sentences.insert(sentences.end(),
                   {growth_sentence(report, path), line_sentence(path), scatter_sentence(isoflop),
                    approach_sentence(isoflop), disagreement_sentence(isoflop),
                    reach_sentence(isoflop), width_sentence(report, isoflop),
                    outlier_sentence(isoflop), loose_sentence(isoflop), mixed_sentence(isoflop)});
  for (std::string& sentence : budget_sentences(isoflop)) sentences.push_back(std::move(sentence));
  return told(std::move(sentences));
}

}  // namespace scalelaw
