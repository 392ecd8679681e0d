// The sentences on the best split of a compute.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/isoflop_words.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

/// "parameters", "tokens"; else the name of the column.
std::string unit_of_column(const std::string& column) {
  const ColumnRole role = meaning_of(column).role;
  if (role == ColumnRole::kParameters) return "parameters";
  return role == ColumnRole::kTokens || column.find("oken") != std::string::npos ? "tokens"
                                                                                 : column;
}

std::string amount_words(const std::string& column, double value) {
  return short_count(value) + " " + unit_of_column(column);
}

bool is_finite(const std::optional<Interval>& interval) {
  return interval && std::isfinite(interval->upper) && interval->lower > 0;
}

/// " (95 %: 5.8B to 8.3B parameters)".
std::string sizes_clause(const IsoflopReport& report, const IsoflopOptimum& optimum) {
  if (!optimum.n_ci) return "";
  if (!is_finite(optimum.n_ci)) return " (the runs leave an end of the interval open)";
  return fmt::format(" ({}: {} to {} {})", percent_text(report.options.confidence),
                     short_count(optimum.n_ci->lower), short_count(optimum.n_ci->upper),
                     unit_of_column(report.study.scales[0]));
}

/// "At 1e21 FLOP a model of 6.9B parameters on 21B tokens is best (95 %: 5.8B to 8.3B
/// parameters)."
std::string best_sentence(const IsoflopReport& report, const IsoflopOptimum& optimum) {
  const bool is_model = meaning_of(report.study.scales[0]).role == ColumnRole::kParameters;
  const std::string sizes =
      is_model ? fmt::format("a model of {} on {} is best",
                             amount_words(report.study.scales[0], optimum.n),
                             amount_words(report.study.scales[1], optimum.d))
               : fmt::format("{} and {} are best", amount_words(report.study.scales[0], optimum.n),
                             amount_words(report.study.scales[1], optimum.d));
  return fmt::format("At {} {}{}.", compute_words(report, optimum.compute), sizes,
                     sizes_clause(report, optimum));
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
  const std::string of = compute_unit(report).empty() ? "the product" : "the compute";
  return fmt::format("The best {} grows as {} to the power {}, that of {} to the power {}.",
                     number_words(report.study.scales[0]), of,
                     exponent_words(report, path.n_exponent),
                     unit_of_column(report.study.scales[1]),
                     rounded(path.d_exponent.estimate, path.n_exponent.se).estimate);
}

/// What an approach is called in a sentence.
std::string_view said_approach(IsoflopApproach approach) {
  static constexpr std::string_view kNames[] = {"training curves", "parabolas",
                                                "powers within budgets", "the surface"};
  return kNames[static_cast<std::size_t>(approach)];
}

std::string disagreement_sentence(const IsoflopReport& report, const Isoflop& isoflop) {
  if (isoflop.disagreeing.empty()) return "";
  const auto best = [](const IsoflopPath& path) -> const IsoflopOptimum& {
    return path.optima.back();
  };
  std::vector<std::string> others;
  for (const IsoflopApproach approach : isoflop.disagreeing) {
    others.push_back(fmt::format("{} by {}", short_count(best(isoflop.path_of(approach)).n),
                                 said_approach(approach)));
  }
  return fmt::format("The approaches disagree: at {} the best {} is {} by {}, but {}.",
                     compute_words(report, best(isoflop.path()).compute),
                     number_words(report.study.scales[0]), short_count(best(isoflop.path()).n),
                     said_approach(isoflop.chosen), joined(others, " and "));
}

bool has_warning(const IsoflopBudget& budget, BudgetWarning warning) {
  return std::find(budget.warnings.begin(), budget.warnings.end(), warning) !=
         budget.warnings.end();
}

std::size_t count_with(const Isoflop& isoflop, BudgetWarning warning) {
  return static_cast<std::size_t>(
      std::count_if(isoflop.budgets.begin(), isoflop.budgets.end(),
                    [&](const IsoflopBudget& budget) { return has_warning(budget, warning); }));
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
  say(BudgetWarning::kAsymmetric, "has its minimum", "have their minimum",
      "in the outer quarter of the sizes: parabolas are biased there.");
  return sentences;
}

/// That sizes lie far from the best one, where no form of a profile fits.
std::string width_sentence(const IsoflopReport& report, const Isoflop& isoflop) {
  constexpr double kWide = 20;
  const bool is_of_profiles =
      isoflop.chosen == IsoflopApproach::kPowers || isoflop.chosen == IsoflopApproach::kParabolas;
  if (report.options.within > 0 || !is_of_profiles) return "";
  double farthest = 0;
  for (const IsoflopOptimum& optimum : isoflop.path().optima) {
    for (const IsoflopBudget& budget : isoflop.budgets) {
      if (!optimum.is_budget || budget.compute != optimum.compute) continue;
      farthest =
          std::max({farthest, budget.n_range.upper / optimum.n, optimum.n / budget.n_range.lower});
    }
  }
  if (!(farthest > kWide)) return "";
  return fmt::format(
      "Sizes lie up to {} times from the best one of their budget, where profiles fit badly: see "
      "what --within 8 gives.",
      with_significant_digits(farthest, 2));
}

/// How far a compute lies beyond the greatest budget.
std::string reach_sentence(const IsoflopReport& report, const Isoflop& isoflop) {
  constexpr double kFar = 30;
  if (isoflop.budgets.empty()) return "";
  const double target = isoflop.path().optima.back().compute;
  const double times = target / isoflop.budgets.back().compute;
  if (!(times > kFar)) return "";
  return fmt::format("{} is {} times the greatest budget that was run.",
                     compute_words(report, target), with_significant_digits(times, 2));
}

}  // namespace

std::string number_words(const std::string& column) {
  const std::string unit = unit_of_column(column);
  return unit == "parameters" || unit == "tokens" ? "number of " + unit : unit;
}

std::string compute_unit(const IsoflopReport& report) {
  return report.options.flops_per_parameter_token == 1 ? "" : "FLOP";
}

std::string compute_text(double compute) {
  std::string text = fmt::format("{:.4g}", compute);
  std::erase(text, '+');
  return text;
}

std::string compute_words(const IsoflopReport& report, double compute) {
  const std::string unit = compute_unit(report);
  return unit.empty() ? "a product of " + compute_text(compute)
                      : fmt::format("{} {}", compute_text(compute), unit);
}

void ExponentRange::add(double exponent, const std::string& group) {
  if (!least_ || exponent < least_->exponent) least_ = {exponent, group};
  if (!most_ || exponent > most_->exponent) most_ = {exponent, group};
}

std::string ExponentRange::text() const {
  return fmt::format("as the compute to a power between {:.3f} ({}) and {:.3f} ({})",
                     least_->exponent, least_->group, most_->exponent, most_->group);
}

std::vector<std::string> isoflop_sentences(const IsoflopReport& report, const Isoflop& isoflop) {
  constexpr std::size_t kMostSentences = 3;
  const IsoflopPath& path = isoflop.path();
  std::vector<std::string> sentences;
  for (const IsoflopOptimum& optimum : path.optima) {
    if (optimum.is_budget || sentences.size() == kMostSentences) continue;
    sentences.push_back(best_sentence(report, optimum));
  }
  sentences.push_back(growth_sentence(report, path));
  sentences.push_back(disagreement_sentence(report, isoflop));
  sentences.push_back(reach_sentence(report, isoflop));
  sentences.push_back(width_sentence(report, isoflop));
  for (std::string& sentence : budget_sentences(isoflop)) sentences.push_back(std::move(sentence));
  std::erase(sentences, "");
  return sentences;
}

}  // namespace scalelaw
