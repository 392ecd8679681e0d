// What the answer of budget says: the plan, what it takes, what limits it, and what to doubt.

#include <fmt/format.h>

#include <algorithm>

#include "render/budget_words.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

std::string budget_level(const BudgetReport& report) {
  return percent_text(report.options.confidence);
}

/// " (95 %: 0.9B to 1.5B)"; empty without an interval.
template <class Text>
std::string plan_range(const BudgetReport& report, const std::optional<Interval>& ci, Text text) {
  if (!ci) return "";
  return fmt::format(" ({}: {} to {})", budget_level(report), text(ci->lower), text(ci->upper));
}

std::string plan_loss_text(double loss) { return with_significant_digits(loss, 4); }

std::string all_limits_text(const BudgetReport& report) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < kBudgetLimits; ++k) {
    const auto& limit = report.options.limits[k];
    if (limit) words.push_back(limited_amount(report, static_cast<BudgetLimit>(k), *limit));
  }
  if (const auto& unique = report.options.unique_tokens) {
    words.push_back(short_count(*unique) + " unique tokens");
  }
  return joined_with_and(words);
}

/// ", which are 3.6 epochs and worth 120B fresh ones"; empty if no token is seen again.
std::string repeats_text(const BudgetPlan& plan) {
  if (!(plan.epochs.value_or(1) > 1)) return "";
  return fmt::format(", which are {} epochs{}", with_significant_digits(*plan.epochs, 2),
                     plan.effective_d
                         ? fmt::format(" and worth {} fresh ones", short_count(*plan.effective_d))
                         : "");
}

std::string plan_sentence(const BudgetReport& report, const Budget& budget) {
  const std::string served = report.options.inference_tokens > 0
                                 ? fmt::format(" for training and {} tokens served",
                                               short_count(report.options.inference_tokens))
                                 : "";
  const std::string of_runs =
      budget.loss_pi ? fmt::format(" ({} of such runs: {} to {})", budget_level(report),
                                   plan_loss_text(budget.loss_pi->lower),
                                   plan_loss_text(budget.loss_pi->upper))
                     : "";
  return fmt::format(
      "Within {}{}, the best model has {} parameters{} and trains on {} tokens{}{}: the loss is "
      "{}{}.",
      all_limits_text(report), served, short_count(budget.plan.n),
      plan_range(report, budget.n_ci, short_count), short_count(budget.plan.d),
      plan_range(report, budget.d_ci, short_count), repeats_text(budget.plan),
      plan_loss_text(budget.plan.loss), of_runs);
}

/// Between which losses the best one lies if the law takes repeated tokens for fresh ones.
std::string one_epoch_sentence(const Budget& budget) {
  if (!budget.one_epoch) return "";
  const BudgetPlan& plan = *budget.one_epoch;
  return fmt::format(
      "That counts tokens that are seen again as fresh ones, so the loss will be higher. In one "
      "epoch the best model has {} parameters and trains on {} tokens, at a loss of {}: the least "
      "loss lies between the two.",
      short_count(plan.n), short_count(plan.d), plan_loss_text(plan.loss));
}

/// What the plan takes.
std::string plan_takes_sentence(const BudgetReport& report, const Budget& budget) {
  const BudgetPlan& plan = budget.plan;
  if (!plan.seconds)
    return fmt::format("That is {}.", limited_amount(report, BudgetLimit::kFlop, plan.flop));
  std::vector<std::string> takes{limited_amount(report, BudgetLimit::kGpuHours, *plan.gpu_hours)};
  if (plan.kwh) takes.push_back(kwh_text(*plan.kwh));
  if (plan.cost) takes.push_back(limited_amount(report, BudgetLimit::kCost, *plan.cost));
  if (plan.co2_kg) takes.push_back(limited_amount(report, BudgetLimit::kCo2, *plan.co2_kg));
  const std::string of_runs =
      budget.seconds_pi
          ? fmt::format(" ({} of such runs: {} to {})", budget_level(report),
                        days_text(budget.seconds_pi->lower), days_text(budget.seconds_pi->upper))
          : "";
  return fmt::format("On {} it trains for {}{}{}: {}.", place_on_scale("gpus", *plan.gpus),
                     days_text(*plan.seconds), of_runs,
                     report.options.inference_tokens > 0 ? ", and with what is served takes" : "",
                     joined_with_and(takes));
}

/// What a limit is called.
std::string_view words_of_limit(BudgetLimit limit) {
  static constexpr std::string_view kNames[] = {"time",  "GPUs", "GPU-hours", "energy",
                                                "money", "CO2",  "compute"};
  return kNames[static_cast<std::size_t>(limit)];
}

/// " by 0.0070", " by nothing".
std::string by_gain(double gain) {
  return gain > 0 ? " by " + with_significant_digits(gain, 2) : " by nothing";
}

/// "Half", "48 %".
std::string share_of_runs(double share) {
  return share > 0.475 && share < 0.525 ? "Half" : percent_text(share, 2);
}

/// How many runs of the plan miss a limit, and what to train so that few do.
std::string safe_plan_sentence(const BudgetReport& report, const Budget& budget) {
  if (!budget.over_limits || *budget.over_limits <= 1 - report.options.confidence) return "";
  const std::string share = share_of_runs(*budget.over_limits);
  std::vector<std::string> missed;
  for (const BudgetGain& gain : budget.gains) {
    const bool may_miss = gain.limit != BudgetLimit::kGpus && gain.limit != BudgetLimit::kFlop;
    if (may_miss) missed.push_back(limited_amount(report, gain.limit, gain.amount));
  }
  std::string text = missed.size() == 1
                         ? fmt::format("{} of such runs take more than {}", share, missed.front())
                         : fmt::format("{} of such runs exceed one of these limits", share);
  if (!budget.safe) return text + ".";
  return text +
         fmt::format(": {} stay within {} with {} parameters and {} tokens on {}, at a loss of {}.",
                     budget_level(report), missed.size() == 1 ? "it" : "them",
                     short_count(budget.safe->n), short_count(budget.safe->d),
                     place_on_scale("gpus", *budget.safe->gpus), plan_loss_text(budget.safe->loss));
}

/// What more of each limit buys alone, and of all that bind together.
std::string limit_gain_sentence(const Budget& budget) {
  std::vector<BudgetGain> binding;
  std::vector<std::string> idle;
  for (const BudgetGain& gain : budget.gains) {
    if (gain.binds) {
      binding.push_back(gain);
    } else {
      idle.emplace_back(words_of_limit(gain.limit));
    }
  }
  if (binding.empty()) return "";
  std::stable_sort(binding.begin(), binding.end(),
                   [](const BudgetGain& a, const BudgetGain& b) { return a.gain > b.gain; });
  std::vector<std::string> alone;
  std::vector<std::string> names;
  for (const BudgetGain& gain : binding) {
    names.emplace_back(words_of_limit(gain.limit));
    alone.push_back(fmt::format("10 % more {}{}{}", names.back(),
                                alone.empty() ? " lowers the loss" : "", by_gain(gain.gain)));
  }
  std::string text = joined_with_and(alone);
  if (budget.gain_together) {
    text = fmt::format("{} bind together: {}; 10 % more of {} lowers it by {}",
                       joined_with_and(names), text, names.size() == 2 ? "both" : "all",
                       with_significant_digits(*budget.gain_together, 2));
    text.front() = static_cast<char>(text.front() - (text.front() >= 'a' ? 'a' - 'A' : 0));
  }
  const bool are_several = idle.size() > 1 || (!idle.empty() && idle.front().ends_with('s'));
  if (!idle.empty()) {
    text += fmt::format("; more {} {} it no further", joined_with_and(idle),
                        are_several ? "lower" : "lowers");
  }
  return text + ".";
}

std::string beyond_measured(double times, std::string_view what) {
  return times > 1 ? fmt::format("{} times the most {} that were measured",
                                 with_significant_digits(times, 3), what)
                   : fmt::format("{} times the fewest {} that were measured",
                                 with_significant_digits(times, 3), what);
}

std::string plan_beyond_sentence(const Budget& budget) {
  std::vector<std::string> beyond;
  if (budget.n_beyond != 1) beyond.push_back(beyond_measured(budget.n_beyond, "parameters"));
  if (budget.d_beyond != 1) beyond.push_back(beyond_measured(budget.d_beyond, "tokens"));
  if (budget.gpus_beyond != 1) beyond.push_back(beyond_measured(budget.gpus_beyond, "GPUs"));
  if (beyond.empty()) return "";
  return fmt::format("The plan lies beyond the data, at {}: only the laws speak for it.",
                     joined_with_and(beyond));
}

/// Where the time is a mere power of the GPUs.
std::string time_beyond_sentence(const Budget& budget) {
  if (budget.gpus_beyond < 1 || budget.laws.gpu_seconds->beyond) return "";
  return fmt::format(
      "The time is taken to go on as a power of the GPUs beyond the {} that were measured. It may "
      "bend there, so that its interval is too narrow and no plan is called safe: plan from the "
      "table of times, which weighs other laws, or measure it on more GPUs.",
      place_on_scale("gpus", budget.laws.gpu_seconds->gpu_range.upper));
}

std::string lost_draws_sentence(const Budget& budget) {
  if (budget.lost_draws <= 0) {
    return "The runs leave a law without errors, so that the plan has no intervals.";
  }
  return fmt::format(
      "In {} of the draws from the laws no size is the best, because an exponent is not above 0: "
      "the runs hardly tell the plan, and its intervals leave these draws out.",
      percent_text(budget.lost_draws, 2));
}

std::string epochs_beyond_sentence(const Budget& budget) {
  const double most = *budget.laws.most_epochs;
  return fmt::format(
      "The plan sees its tokens {} times, and {}: only the law says what that is worth.",
      with_significant_digits(*budget.plan.epochs, 2),
      most > 1
          ? fmt::format("no run saw its own more than {} times", with_significant_digits(most, 2))
          : "no run saw a token again");
}

std::string missing_gpus_sentence(const BudgetLaws& laws) {
  const std::size_t rows =
      std::max(laws.gpu_seconds->left_out, laws.watts ? laws.watts->left_out : 0);
  return fmt::format("{} not say how many GPUs {} had: {} left out of the laws of time and power.",
                     counted(rows, "row", "does", "do"), rows == 1 ? "it" : "they",
                     rows == 1 ? "it is" : "they are");
}

std::string plan_warning_sentence(PlanWarning warning, const Budget& budget) {
  switch (warning) {
    case PlanWarning::kNoDeadline:
      return "Nothing limits the time. As few GPUs as possible are then best, unless more are just "
             "as efficient: add --days.";
    case PlanWarning::kAssumedParameters:
      return "The runs do not tell how the time of a token grows with the number of parameters: it "
             "is taken to be proportional to it.";
    case PlanWarning::kAssumedGpus:
      return "The runs do not tell how the time depends on the number of GPUs: twice the GPUs are "
             "taken to need half the time.";
    case PlanWarning::kTogether:
      return fmt::format(
          "Larger models ran on more GPUs (the correlation of their logarithms is {:.2f}), so that "
          "the runs hardly tell what each of them costs: measure one model on several numbers of "
          "GPUs.",
          *budget.laws.gpu_seconds->correlation);
    case PlanWarning::kConfounded:
      return fmt::format(
          "Each model size ran on one number of GPUs, so the runs cannot tell what more GPUs cost "
          "from what more parameters cost. The time of {} parameters on {} is a guess unless the "
          "sizes nearby ran on as many: measure one model on several numbers of GPUs.",
          short_count(budget.plan.n), place_on_scale("gpus", *budget.plan.gpus));
    case PlanWarning::kMisfit:
      return fmt::format(
          "The times of the runs bend away from their law c N^p G^q (p = {}), so the plan's time "
          "may "
          "be off by more than its interval: rows with about the GPUs and sizes of the plan alone "
          "(--where), or a run near it, tell it better.",
          with_significant_digits(*budget.laws.gpu_seconds->misfit_p, 2));
    case PlanWarning::kGpusMissing:
      return missing_gpus_sentence(budget.laws);
    case PlanWarning::kTokensRepeated:
      return "What repeated tokens are worth --law data-constrained tells, from runs that repeat "
             "them, or with constants that are known: --fix R_D=15.39,R_N=5.31 (Muennighoff et al. "
             "2023, of web text).";
    case PlanWarning::kEpochsBeyond:
      return epochs_beyond_sentence(budget);
    case PlanWarning::kNoIntervals:
      return lost_draws_sentence(budget);
    case PlanWarning::kGpusBeyond:
      return time_beyond_sentence(budget);
    case PlanWarning::kParametersBeyond:
    case PlanWarning::kTokensBeyond:
      return "";  // plan_beyond_sentence() tells of them and of the GPUs.
  }
  return "";
}

/// "$27000", "27000 EUR".
std::string budget_money(const BudgetReport& report, double amount) {
  return report.currency.of(short_amount(amount));
}

}  // namespace

std::string short_amount(double amount) {
  return amount >= 999.5 ? fmt::format("{:.0f}", amount) : fmt::format("{:.3g}", amount);
}

std::string days_text(double seconds) {
  constexpr double kYear = 365.25 * kSecondsPerDay;
  if (seconds >= 2 * kYear) return short_amount(seconds / kYear) + " years";
  if (seconds < 2 * kSecondsPerDay) return duration_text(seconds);
  return short_amount(seconds / kSecondsPerDay) + " days";
}

std::string kwh_text(double kwh) {
  return kwh >= 1e4 ? short_amount(kwh / 1000) + " MWh" : short_amount(kwh) + " kWh";
}

std::string limited_amount(const BudgetReport& report, BudgetLimit limit, double amount) {
  switch (limit) {
    case BudgetLimit::kDeadline:
      return days_text(amount);
    case BudgetLimit::kGpus:
      return place_on_scale("gpus", amount);
    case BudgetLimit::kGpuHours:
      return short_amount(amount) + " GPU-hours";
    case BudgetLimit::kKwh:
      return kwh_text(amount);
    case BudgetLimit::kCost:
      return report.currency.is_known() ? budget_money(report, amount)
                                        : "a cost of " + short_amount(amount);
    case BudgetLimit::kCo2:
      return amount >= 1e4 ? short_amount(amount / 1000) + " t of CO2"
                           : short_amount(amount) + " kg of CO2";
    case BudgetLimit::kFlop:
      return fmt::format("{} FLOP", compute_text(amount));
  }
  return "";
}

std::vector<std::string> budget_sentences(const BudgetReport& report, const Budget& budget) {
  return told({plan_sentence(report, budget), one_epoch_sentence(budget),
               plan_takes_sentence(report, budget), safe_plan_sentence(report, budget),
               limit_gain_sentence(budget)});
}

std::vector<std::string> budget_doubts(const BudgetReport&, const Budget& budget) {
  std::vector<std::string> sentences{plan_beyond_sentence(budget)};
  for (const PlanWarning warning : budget.warnings) {
    sentences.push_back(plan_warning_sentence(warning, budget));
  }
  return told(std::move(sentences));
}

}  // namespace scalelaw
