// What the first lines of forecasts say.

#include "render/predict_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/ranges.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/constraints.hpp"
#include "scalelaw/judge/study.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

/// "32.5 EUR (95 %: 30.1 to 35.2 EUR)".
std::string cost_text(const PredictReport& report, const MachineCost& cost) {
  const std::string amount = money_text(report, cost.amount);
  if (!cost.pi) return amount;
  return fmt::format("{} ({}: {}{} to {})", amount, percent_text(report.options.confidence),
                     report.currency.before, with_significant_digits(cost.pi->lower, 3),
                     money_text(report, cost.pi->upper));
}

/// "At 512 GPUs an epoch takes 71 s (95 % of new runs: 66 to 77 s)."
std::string forecast_sentence(const PredictReport& report, const ScaleOutlook& at) {
  const AskedResponse response = response_of(report, at.job.has_value());
  const Prediction& prediction = at.job ? *at.job : at.y;
  const auto value = value_of(prediction, report.outlook.target);
  if (!value) return "";
  const std::string range = range_text(response, prediction.pi);
  std::string text = fmt::format(
      "At {} {}{}.", place_on_scale(report.x, at.y.x), value_clause(response, *value),
      range.empty() ? "" : fmt::format(" ({}: {})", percent_of_new_runs(report), range));
  if (at.gpu_cost) text += fmt::format(" The GPUs cost {}.", cost_text(report, *at.gpu_cost));
  if (at.node_cost) text += fmt::format(" The nodes cost {}.", cost_text(report, *at.node_cost));
  return text;
}

/// "13 GPUs cost 32.5 EUR (95 %: 30.1 to 35.2 EUR), the safe 15 cost 33 EUR (95 %: 30.4 to 35.9
/// EUR)."; of nodes, of which a part counts whole, "The nodes of 13 GPUs cost ...".
std::string deadline_cost_sentence(const PredictReport& report, const Outlook& outlook) {
  const bool of_nodes = report.outlook.node_price && !counts_nodes(report.x);
  std::string text = fmt::format("{}{} {} {}", of_nodes ? "The nodes of " : "",
                                 place_on_scale(report.x, outlook.deadline->x->x),
                                 outlook.deadline->x->x == 1 && !of_nodes ? "costs" : "cost",
                                 cost_text(report, *outlook.deadline_cost));
  if (outlook.safe_deadline_cost) {
    text += fmt::format(", {}the safe {} cost {}", of_nodes ? "those of " : "",
                        scale_text(outlook.deadline->upper->x),
                        cost_text(report, *outlook.safe_deadline_cost));
  }
  return text + ".";
}

/// "20 GPU-hours", "1 GPU-hour".
std::string budget_text(double budget, std::string_view unit) {
  const bool is_one = budget == 1 && unit.ends_with('s');
  return fmt::format("{:.6g} {}", budget, is_one ? unit.substr(0, unit.size() - 1) : unit);
}

/// @param x_max  The greatest scale that was measured.
std::string budget_sentence(const PredictReport& report, const Demand& demand, double budget,
                            std::string_view unit, double x_max) {
  const bool is_one = budget == 1 && unit.ends_with('s');
  const std::string limit = budget_text(budget, unit);
  const AskedResponse response = response_of(report, true);
  if (!demand.x) {
    const std::string best =
        std::isfinite(demand.best)
            ? fmt::format("the least is {}", with_significant_digits(demand.best, 4))
            : "the least is not known";
    return fmt::format("{} {} too few for {} on any {}: {}.", limit, is_one ? "is" : "are",
                       subject_of(response), noun_of_scale(report.x), best);
  }
  if (demand.x->open) {
    return fmt::format(
        "{} for {} {} no limit to {} that the data can tell{}. The largest that was measured is "
        "{}.",
        limit, subject_of(response), is_one ? "sets" : "set", number_of_units(report.x),
        certainty_text(demand, true, report.options.confidence), scale_text(x_max));
  }
  return fmt::format("{} {} for {} on up to {}{}.", limit, is_one ? "suffices" : "suffice",
                     subject_of(response), place_on_scale(report.x, demand.x->x),
                     certainty_text(demand, true, report.options.confidence));
}

/// "91 to 97 GPUs".
std::string scales_text(const PredictReport& report, const ScalesWithin& all) {
  if (!all.greatest) return fmt::format("{} or more", place_on_scale(report.x, all.least));
  return range_on_scale(report.x, all.least, *all.greatest);
}

std::string limits_word(std::size_t limits) {
  return limits == 2 ? "both limits" : fmt::format("all {} limits", limits);
}

/// Which scales meet all limits of a group; empty where there are fewer than two.
std::string sentence_on_all(const PredictReport& report, const ScalesWithin& all) {
  if (all.limits < 2) return "";
  const std::string noun = noun_of_scale(report.x);
  if (all.one_is_out) return fmt::format("No {} meets {}.", noun, limits_word(all.limits));
  if (all.has_none) {
    return fmt::format(
        "No {} meets {}: the time needs {} or more, and at most {} {} "
        "allowed.",
        noun, limits_word(all.limits), scale_text(all.least), scale_text(*all.greatest),
        *all.greatest == 1 ? "is" : "are");
  }
  return fmt::format("{} {} {}.", scales_text(report, all),
                     all.greatest == all.least && all.least == 1 ? "meets" : "meet",
                     limits_word(all.limits));
}

/// On the greatest scale that an answer names, if only the laws speak for it; else empty.
std::string reach_sentence(const PredictReport& report, const Outlook& outlook) {
  double greatest = 0;
  for (const auto& demand :
       {outlook.deadline, outlook.throughput, outlook.budget_gpu_hours, outlook.budget_kwh}) {
    if (!demand || !demand->x) continue;
    const auto& named = demand->x->open ? demand->upper : demand->x;
    if (named && !named->open) greatest = std::max(greatest, named->x);
  }
  if (!asks_for_scales(report.outlook)) greatest = outlook.scales.back().y.x;
  const double x_max = outlook.forecast.x_max;
  return is_far_beyond(greatest, x_max) ? far_beyond_sentence(report.x, greatest, x_max) : "";
}

/// The answers to the demands of a group, a sentence each.
std::vector<std::string> demand_sentences(const PredictReport& report, const Outlook& outlook) {
  const OutlookOptions& asked = report.outlook;
  const double confidence = report.options.confidence;
  std::vector<std::string> sentences{sentence_on_all(report, scales_within_all(outlook))};
  if (outlook.deadline) {
    sentences.push_back(demand_sentence(response_of(report, true), *outlook.deadline,
                                        *asked.deadline, report.deadline, confidence));
    if (outlook.deadline_cost) sentences.push_back(deadline_cost_sentence(report, outlook));
  }
  if (outlook.throughput) {
    sentences.push_back(demand_sentence(response_of(report, false), *outlook.throughput,
                                        *asked.throughput, "", confidence));
    if (report.options.rate_of_one) {
      sentences.push_back(fmt::format(
          "That is the rate of one {}, and not of all.",
          unit_of_scale(report.x).empty() ? "of " + report.x : unit_of_scale(report.x)));
    }
  }
  const double x_max = outlook.forecast.x_max;
  if (outlook.budget_gpu_hours) {
    sentences.push_back(budget_sentence(report, *outlook.budget_gpu_hours, *asked.budget_gpu_hours,
                                        "GPU-hours", x_max));
  }
  if (outlook.budget_kwh) {
    sentences.push_back(
        budget_sentence(report, *outlook.budget_kwh, *asked.budget_kwh, "kWh", x_max));
  }
  sentences.push_back(reach_sentence(report, outlook));
  return told(std::move(sentences));
}

}  // namespace

std::string percent_of_new_runs(const PredictReport& report) {
  return percent_text(report.options.confidence) + " of new runs";
}

std::string money_text(const PredictReport& report, double amount) {
  return report.currency.of(with_significant_digits(amount, 3));
}

AskedResponse response_of(const PredictReport& report, bool of_job) {
  const bool is_rate = report.options.response == Response::kRate;
  const bool is_job_of_rate = of_job && report.outlook.tokens;
  return {.y = report.y,
          // The unit of "images_per_second" is no second.
          .unit = is_job_of_rate ? "s"
                  : is_rate      ? ""
                                 : report.y_unit,
          .kind = is_job_of_rate ? Response::kTime : report.options.response,
          .x = report.x,
          .job = of_job ? report.job : "",
          .on_average = report.outlook.target == Target::kMean};
}

void PredictAnswer::take_note_of(const PredictReport& report, const GroupKey& group,
                                 const Outlook& outlook) {
  ++groups_;
  constexpr double kFlat = 1.1;
  const Prediction& last = outlook.scales.back().y;
  flat_ += last.x > outlook.forecast.x_min && last.speedup < kFlat ? 1 : 0;
  note_demands(report, group, outlook);
  note_energy(report, group, outlook);
  note_last(report, group, outlook.scales.back());
  if (groups_ > kMostGroups) return;
  const std::vector<std::string> demands = demand_sentences(report, outlook);
  const std::string reach = reach_sentence(report, outlook);
  is_far_ |= !reach.empty();
  is_one_reach_ &= groups_ == 1 || reach == reach_;
  if (reach_.empty() && !reach.empty()) {
    reach_ = reach;
    reach_of_ = said_group(report.by, group);
  }
  if (asks_for_scales(report.outlook)) {
    answers_.push_back(fmt::format("{}: {}", said_group(report.by, group), joined(demands, " ")));
  }
  if (groups_ == 1) note_only(report, outlook, demands);
}

std::vector<std::string> PredictAnswer::sentences(const PredictReport& report) const {
  std::vector<std::string> sentences = groups_ == 1 ? only_ : of_several(report);
  for (std::string& sentence : on_the_work(report)) sentences.push_back(std::move(sentence));
  const Law* const law = report.options.law;
  if (law == nullptr) return sentences;
  if (const auto given = constraints_of(*law); !given.empty()) {
    sentences.push_back(fmt::format("The forecast takes {} as given.", joined(given, " and ")));
  }
  return sentences;
}

std::vector<std::string> PredictAnswer::of_several(const PredictReport& report) const {
  if (asks_for_scales(report.outlook)) {
    return told({limits_ > 1 ? all_limits_sentence(report) : met_sentence(report),
                 frugal_sentence(report),
                 is_far_ ? "Some of these numbers lie far beyond the data, where only the laws "
                           "speak for them: see below the table."
                         : ""});
  }
  std::vector<std::string> sentences{extremes_sentence(report)};
  if (!reach_.empty()) {
    sentences.push_back(is_one_reach_ ? reach_ : fmt::format("{}: {}", reach_of_, reach_));
  }
  return sentences;
}

std::vector<std::string> PredictAnswer::on_the_work(const PredictReport& report) const {
  if (const auto& part = report.partly_growing_work) {
    return {partly_growing_work_sentence(report.by, report.x, *part)};
  }
  if (!report.growing_work.empty()) {
    return {growing_work_clause(report.x, report.growing_work) +
            ": each time is that of the work at its scale (weak scaling)."};
  }
  const bool is_time =
      report.options.response == Response::kTime && report.quantity.kind == Kind::kTime;
  if (!is_time || groups_ == 0 || flat_ < groups_) return {};
  return {flat_times_sentence(report.x)};
}

std::vector<std::string> PredictAnswer::lines(const PredictReport& report) const {
  std::vector<std::string> lines = groups_ > 1 ? answers_ : std::vector<std::string>();
  if (asks_for_scales(report.outlook) && !report.outlook.at.empty()) {
    lines.push_back(fmt::format("{}{} in the rows are those at the {} of --at.",
                                capitalised(words_of(report, report.options.response).several),
                                report.outlook.hours_per_unit ? " and GPU-hours" : "",
                                units_of_scale(report.x)));
  }
  if (is_beside_) {
    lines.push_back(fmt::format(
        "A group for which no {} is the answer has a row all the same: it is the "
        "forecast at the {} that comes nearest, or at twice the largest measured one.",
        noun_of_scale(report.x), setting_of_scale(report.x).empty() ? "number" : "one"));
  }
  return lines;
}

void PredictAnswer::note_only(const PredictReport& report, const Outlook& outlook,
                              const std::vector<std::string>& demands) {
  if (asks_for_scales(report.outlook)) {
    only_ = demands;
    return;
  }
  const std::size_t shown = std::min<std::size_t>(outlook.scales.size(), 2);
  for (std::size_t i = 0; i < shown; ++i) {
    only_.push_back(forecast_sentence(report, outlook.scales[i]));
  }
  only_.push_back(reach_sentence(report, outlook));
  only_ = told(std::move(only_));
}

void PredictAnswer::widen(std::optional<Extreme>& least, std::optional<Extreme>& most, double value,
                          const PredictReport& report, const GroupKey& group) {
  if (!least || value < least->value) least = {said_group(report.by, group), value};
  if (!most || value > most->value) most = {said_group(report.by, group), value};
}

void PredictAnswer::note_demands(const PredictReport& report, const GroupKey& group,
                                 const Outlook& outlook) {
  const auto is_answer = [](const std::optional<Demand>& demand) {
    return demand && demand->x && !demand->x->open;
  };
  is_beside_ |= asks_for_scales(report.outlook) && report.outlook.at.empty() &&
                !is_answer(outlook.deadline) && !is_answer(outlook.throughput) &&
                !is_answer(outlook.budget_gpu_hours) && !is_answer(outlook.budget_kwh);
  const auto& first = outlook.deadline ? outlook.deadline : outlook.throughput;
  const auto& budget = outlook.budget_gpu_hours ? outlook.budget_gpu_hours : outlook.budget_kwh;
  const auto& shown = first ? first : budget;
  if (is_answer(shown)) widen(least_x_, most_x_, shown->x->x, report, group);
  const ScalesWithin all = scales_within_all(outlook);
  limits_ = all.limits;
  if (all.limits > 1) {
    ++(all.has_none ? without_all_ : with_all_);
    std::vector<std::string>& named = all.has_none ? named_without_all_ : named_with_all_;
    if (named.size() < kMostNamed) {
      named.push_back(all.has_none
                          ? said_group(report.by, group)
                          : fmt::format("{} meet {} for {}", scales_text(report, all),
                                        limits_word(limits_), said_group(report.by, group)));
    }
  }
  unlimited_ += shown && shown->x && shown->x->open ? 1 : 0;
  const bool lacks_budget = lacks(outlook.budget_gpu_hours) || lacks(outlook.budget_kwh);
  without_ += (first ? lacks(first) : lacks_budget) ? 1 : 0;
}

void PredictAnswer::note_energy(const PredictReport& report, const GroupKey& group,
                                const Outlook& outlook) {
  const auto kwh = kwh_at_deadline(outlook);
  if (!kwh) return;
  const std::vector<std::string> settings = usual_settings(report.by);
  if (settings.empty()) return;
  GroupKey others;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const bool chosen = contains(settings, report.by[i]);
    if (!chosen) others.push_back(group[i]);
  }
  if (meetings_.size() == kMostGroups && !meetings_.contains(others)) return;
  const Meeting here{group, outlook.deadline->x->x, *kwh};
  auto& [fewest, frugal] = meetings_.try_emplace(std::move(others), here, here).first->second;
  if (here.x < fewest.x || (here.x == fewest.x && here.kwh < fewest.kwh)) fewest = here;
  if (here.kwh < frugal.kwh) frugal = here;
}

std::string PredictAnswer::frugal_sentence(const PredictReport& report) const {
  std::vector<std::string> texts;
  for (const auto& [others, met] : meetings_) {
    const auto& [fewest, frugal] = met;
    if (!is_frugal(frugal.kwh, fewest.kwh) || texts.size() == kMostNamed) continue;
    const auto settings = [&, &fewest = fewest, &frugal = frugal](const Meeting& one) {
      std::vector<std::string> values;
      for (std::size_t i = 0; i < report.by.size(); ++i) {
        if (fewest.group[i] == frugal.group[i]) continue;
        values.push_back(value_with_unit(report.by[i], one.group[i]));
      }
      return joined(values);
    };
    const bool is_one = frugal.x == 1;
    texts.push_back(fmt::format(
        "{} at {} take{} {} % less energy than {} at {}{}", place_on_scale(report.x, frugal.x),
        settings(frugal), is_one ? "s" : "", change_in_percent(frugal.kwh / fewest.kwh),
        scale_text(fewest.x), settings(fewest),
        meetings_.size() > 1 ? fmt::format(" for {}", joined(others)) : ""));
  }
  return texts.empty() ? "" : fmt::format("For the same deadline, {}.", joined(texts, "; "));
}

void PredictAnswer::note_last(const PredictReport& report, const GroupKey& group,
                              const ScaleOutlook& at) {
  const Prediction& prediction = at.job ? *at.job : at.y;
  const auto value = value_of(prediction, report.outlook.target);
  is_one_place_ &= !place_ || *place_ == at.y.x;
  place_ = at.y.x;
  is_job_ = at.job.has_value();
  if (value) widen(least_, most_, *value, report, group);
}

std::string PredictAnswer::extremes_sentence(const PredictReport& report) const {
  if (!least_ || !most_) return "";
  const AskedResponse response = response_of(report, is_job_);
  const std::string place = is_one_place_ ? place_on_scale(report.x, *place_)
                                          : std::string("the largest forecast scale of each group");
  return fmt::format("At {} {} ({}) and {} ({}).", place, between_clause(response), least_->group,
                     amount_text(response, most_->value), most_->group);
}

std::string PredictAnswer::between_clause(const AskedResponse& response) const {
  const std::string amount = amount_text(response, least_->value);
  std::string clause = value_clause(response, least_->value);
  clause.insert(clause.size() - amount.size(), "between ");
  return clause;
}

std::string PredictAnswer::all_limits_sentence(const PredictReport& report) const {
  const std::string none = "no " + noun_of_scale(report.x);
  if (with_all_ == 0) {
    return fmt::format("N{} meets {} in any of {}.", none.substr(1), limits_word(limits_),
                       counted(groups_, "group"));
  }
  if (with_all_ > kMostNamed || without_all_ > kMostNamed) {
    return fmt::format("{} of {} can meet {}.", with_all_, counted(groups_, "group"),
                       limits_word(limits_));
  }
  const std::string others =
      without_all_ == 0
          ? ""
          : fmt::format("; for {} {} does", joined(named_without_all_, " and "), none);
  return fmt::format("{}{}.", joined(named_with_all_, ", "), others);
}

std::string PredictAnswer::met_sentence(const PredictReport& report) const {
  const std::string cannot =
      without_ == 0 ? ""
                    : fmt::format("; {} of {} {} not forecast to reach that", without_,
                                  counted(groups_, "group"), without_ == 1 ? "is" : "are");
  const OutlookOptions& asked = report.outlook;
  if (!asked.deadline && !asked.throughput &&
      asked.budget_gpu_hours.has_value() != asked.budget_kwh.has_value()) {
    return budgets_sentence(report);
  }
  const bool has_goal = asked.deadline || asked.throughput;
  if (!has_goal) {
    return fmt::format("{} of {} can meet what was asked for.", groups_ - without_,
                       counted(groups_, "group"));
  }
  const std::string goal =
      asked.deadline ? goal_of(response_of(report, true), *asked.deadline, report.deadline)
                     : goal_of(response_of(report, false), *asked.throughput, "");
  if (!least_x_) {
    return fmt::format("No {} brings {} in any of {}.", noun_of_scale(report.x), goal,
                       counted(groups_, "group"));
  }
  const std::string least = place_on_scale(report.x, least_x_->value);
  if (least_x_->value == most_x_->value) {
    const bool is_one = groups_ - without_ == 1;
    return fmt::format("It takes {}{} to bring {}{}.", least,
                       is_one ? fmt::format(" ({})", least_x_->group) : "", goal, cannot);
  }
  return fmt::format("It takes {} ({}) to {} ({}) to bring {}{}.", least, least_x_->group,
                     place_on_scale(report.x, most_x_->value), most_x_->group, goal, cannot);
}

std::string PredictAnswer::budgets_sentence(const PredictReport& report) const {
  const OutlookOptions& asked = report.outlook;
  const std::string limit = asked.budget_kwh ? budget_text(*asked.budget_kwh, "kWh")
                                             : budget_text(*asked.budget_gpu_hours, "GPU-hours");
  const std::string subject = subject_of(response_of(report, true));
  std::vector<std::string> parts;
  if (least_x_) {
    const std::string most = place_on_scale(report.x, most_x_->value);
    parts.push_back(least_x_->value == most_x_->value
                        ? fmt::format("on up to {} ({})", most, most_x_->group)
                        : fmt::format("on up to {} ({}) to {} ({})", scale_text(least_x_->value),
                                      least_x_->group, most, most_x_->group));
  }
  if (unlimited_ > 0) {
    parts.push_back(fmt::format("on any {} for {} of {}", noun_of_scale(report.x), unlimited_,
                                counted(groups_, "group")));
  }
  if (without_ > 0) {
    parts.push_back(fmt::format("on none for {} of {}", without_, counted(groups_, "group")));
  }
  return fmt::format("{} suffice for {} {}.", limit, subject, joined(parts, ", and "));
}

}  // namespace scalelaw
