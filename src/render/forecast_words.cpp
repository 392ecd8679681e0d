// What sentences and captions say of the laws behind forecasts.

#include "render/forecast_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/ranges.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {

std::vector<LawShare> laws_taking_part(const Forecast& forecast) {
  constexpr double kLeastSeen = 0.005;  // 1 % as weights are rounded.
  std::vector<LawShare> shares = forecast.laws;
  std::erase_if(shares, [](const LawShare& share) { return share.weight < kLeastSeen; });
  return shares;
}

std::string curve_words(std::span<const Forecast* const> forecasts) {
  std::vector<std::string> names;
  std::vector<std::string> shares;
  for (const Forecast* forecast : forecasts) {
    for (const LawShare& share : laws_taking_part(*forecast)) {
      const std::string name(share.law->name());
      if (!contains(names, name)) names.push_back(name);
      if (forecasts.size() == 1) shares.push_back(fmt::format("{:.0f} %", 100 * share.share));
    }
  }
  if (names.size() == 1) return fmt::format("the {} law", names.front());
  return fmt::format("an average of the {} laws{}", joined_with_and(names),
                     shares.empty() ? ", which each group weighs by itself"
                                    : fmt::format(" ({})", joined(shares)));
}

namespace {

// How sentences speak of the time, rate or number of GPUs that somebody asked about.

/// "an epoch" of "the time of an epoch".
std::string timed_subject(const std::string& noun) {
  constexpr std::string_view kTimeOf = "the time of ";
  return noun.starts_with(kTimeOf) ? noun.substr(kTimeOf.size()) : std::string();
}

/// "13 GPUs bring", "1 GPU brings".
std::string place_and_verb(const AskedResponse& response, double x) {
  return place_as_subject(response.x, x) + (is_one_place(response.x, x) ? " brings" : " bring");
}

/// "1 to 38 GPUs bring"; "Knoten = 1 to 38 brings", whatever number the name has.
std::string bring_range(const std::string& x) {
  const bool is_equation = unit_of_scale(x).empty() && setting_of_scale(x).empty();
  return is_equation ? " brings" : " bring";
}

/// "an epoch below 60 s", "samples_per_second to 5000".
std::string goal_text(const AskedResponse& response, const std::string& limit) {
  return fmt::format("{} {} {}{}", subject_of(response),
                     response.kind == Response::kTime ? "below" : "to", limit,
                     response.on_average ? " on average" : "");
}

/// A number as the user gave it, with the unit of y.
std::string plain_amount(const AskedResponse& response, double value) {
  return fmt::format("{:.10g}{}{}", value, response.unit.empty() ? "" : " ", response.unit);
}

std::string best_clause(const AskedResponse& response, const Demand& demand) {
  if (!std::isfinite(demand.best)) return "what could be reached is not known";
  const ResponseWords words = words_of(response.y, response.kind);
  const std::string best = amount_text(response, demand.best);
  if (!demand.best_x) {  // It still gets better there.
    return fmt::format("even {:g} times the largest number that was measured would {} {}",
                       kSearchReach, words.have, best);
  }
  return fmt::format("the {} is {}, with {}", words.best, best,
                     place_on_scale(response.x, *demand.best_x));
}

}  // namespace

std::string subject_of(const AskedResponse& response) {
  if (!response.job.empty()) return response.job;
  const std::string noun = measured_noun(response.y, response.kind);
  const std::string timed = timed_subject(noun);
  return timed.empty() ? noun : timed;
}

std::string amount_text(const AskedResponse& response, double value, int digits) {
  const auto seconds = in_base_units(response.unit, Dimension::kTime);
  if (!response.job.empty() && seconds) return duration_text(value * *seconds);
  const std::string number = with_significant_digits(value, digits);
  return response.unit.empty() ? number : fmt::format("{} {}", number, response.unit);
}

std::string value_clause(const AskedResponse& response, double value) {
  const bool takes =
      !response.job.empty() || (response.kind == Response::kTime &&
                                !timed_subject(measured_noun(response.y, response.kind)).empty());
  return fmt::format("{} {}{} {}", subject_of(response), takes ? "takes" : "is",
                     response.on_average ? " on average" : "", amount_text(response, value));
}

std::string range_text(const AskedResponse& response, const std::optional<Interval>& interval) {
  if (!interval) return "";
  const auto [low, high] = std::minmax(interval->lower, interval->upper);
  const std::string from = amount_text(response, low);
  const std::string unit = " " + response.unit;
  const bool is_plain = response.job.empty() && !response.unit.empty();
  return fmt::format("{} to {}", is_plain ? from.substr(0, from.size() - unit.size()) : from,
                     amount_text(response, high));
}

std::string certainty_text(const Demand& demand, bool is_budget, double confidence) {
  if (!demand.lower && !demand.upper) return "";  // Too few runs for an interval.
  const auto differs = [&demand](const std::optional<DemandedScale>& end) {
    return !end || end->x != demand.x->x || end->open != demand.x->open;
  };
  const auto end_text = [is_budget](const DemandedScale& end) {
    return end.open ? std::string("any number")
                    : fmt::format("{}{}", is_budget ? "up to " : "", scale_text(end.x));
  };
  const bool is_checked =
      !demand.upper || (!demand.upper->open && demand.upper->x <= demand.checked);
  const std::string by =
      fmt::format("{}by the {} interval of new runs",
                  is_checked ? "" : "if the laws hold that far, ", percent_text(confidence));
  if (!differs(demand.lower) && !differs(demand.upper)) return fmt::format(" (safe {})", by);
  std::vector<std::string> parts;
  if (demand.lower && differs(demand.lower)) {
    parts.push_back(end_text(*demand.lower) + (is_budget ? " may be possible" : " may be enough"));
  }
  if (!demand.upper) {
    parts.emplace_back("no number is safe (scalelaw plan says which further runs would help)");
  } else {
    const bool is_one = demand.upper->open || demand.upper->x == 1;
    parts.push_back(fmt::format("{} {} safe", end_text(*demand.upper), is_one ? "is" : "are"));
  }
  // Half of new runs are slower there than the forecast.
  return fmt::format("{}. {}, {}", differs(demand.upper) ? ", with even odds or better" : "",
                     capitalised(by), joined(parts, demand.upper ? ", and " : ", but "));
}

std::string far_beyond_sentence(const std::string& x, double scale, double x_max) {
  return fmt::format(
      "{} {} {} times the largest scale that was measured ({}): only the laws speak for {}. On "
      "other data such forecasts were checked up to {:g} times the largest scale, which is {} "
      "here.",
      place_as_subject(x, scale), is_one_place(x, scale) ? "is" : "are",
      with_significant_digits(scale / x_max, 2), place_on_scale(x, x_max),
      is_one_place(x, scale) ? "it" : "them", kCheckedReach,
      place_on_scale(x, kCheckedReach * x_max));
}

std::string goal_of(const AskedResponse& response, double limit, const std::string& limit_text) {
  return goal_text(response, limit_text.empty() ? plain_amount(response, limit) : limit_text);
}

std::string demand_sentence(const AskedResponse& response, const Demand& demand, double limit,
                            const std::string& limit_text, double confidence) {
  const std::string shown = limit_text.empty() ? plain_amount(response, limit) : limit_text;
  if (!demand.x) {
    const std::string none =
        fmt::format("No {} brings {}", noun_of_scale(response.x), goal_text(response, shown));
    const std::string best = best_clause(response, demand);
    if (!demand.lower || demand.lower->open) return fmt::format("{}: {}.", none, best);
    return fmt::format("{} with even odds: {}. By the {} interval of new runs, {} may be enough.",
                       none, best, percent_text(confidence), scale_text(demand.lower->x));
  }
  const std::string certainty = certainty_text(demand, false, confidence);
  if (!demand.until) {
    return fmt::format("{} {}{}.", place_and_verb(response, demand.x->x),
                       goal_text(response, shown), certainty);
  }
  const bool is_range = *demand.until > demand.x->x;
  const std::string places =
      is_range ? range_on_scale(response.x, demand.x->x, *demand.until) + bring_range(response.x)
               : place_and_verb(response, demand.x->x);
  return fmt::format("{} {}{}. With more it {} again: {}.", places, goal_text(response, shown),
                     certainty, words_of(response.y, response.kind).worsens,
                     best_clause(response, demand));
}

}  // namespace scalelaw
