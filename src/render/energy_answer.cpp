// What energy scaling answers, in three sentences.

#include "render/energy_answer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/ranges.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

/// The power laws that count: of one sample where the work varies with the scale.
struct Laws {
  const Fit* time = nullptr;
  const Fit* energy = nullptr;
  bool per_sample = false;
};

Laws laws_of(const EnergyScaling& scaling) {
  const auto& sample = scaling.workload.per_sample;
  if (scaling.workload.is_per_sample() && sample) return {&sample->time, &sample->energy, true};
  const auto* const exponents = std::get_if<EnergyExponents>(&scaling.exponents);
  return exponents != nullptr ? Laws{&exponents->time, &exponents->energy} : Laws{};
}

double twice_of(const Fit& fit) {
  const double exponent = fit.parameters.back().estimate;
  return std::exp2(fit.response == Response::kTime ? -exponent : exponent);
}

std::string with_interval(const EnergyReport& report, const Fit& energy) {
  const Estimate& exponent = energy.parameters.back();
  std::string text = change_in_percent(twice_of(energy)) + " %";
  if (!exponent.ci) return text;
  return text + fmt::format(" ({}: {})", percent_text(report.options.confidence),
                            change_in_percent(exp_of({std::log(2) * exponent.ci->lower,
                                                      std::log(2) * exponent.ci->upper})));
}

/// Whether the points of the time or the energy bend away from a power law.
bool bends(const EnergyScaling& scaling) {
  const std::vector<EnergyWarning> warnings = energy_warnings(scaling);
  return any_of(warnings,
                [](const EnergyWarning& warning) { return warning.code == WarningCode::kCurved; });
}

std::string_view verb_of_change(double ratio) { return ratio < 1 ? "cuts" : "raises"; }

std::string growth_sentence(const EnergyReport& report, const EnergyScaling& scaling) {
  const Laws laws = laws_of(scaling);
  if (laws.energy == nullptr) {
    const auto& reason = std::get<NoFit>(scaling.exponents);
    return fmt::format("How energy grows with {} cannot be told: {}.",
                       units_of_scale(report.study.x), reason.message);
  }
  const double time = twice_of(*laws.time);
  const double energy = twice_of(*laws.energy);
  const std::string noun =
      laws.per_sample ? "the time per sample" : measured_noun(report.study.y, Response::kTime);
  const bool same = (time < 1) == (energy < 1);
  return fmt::format("{} {} {} {} by {} % and {}{} by {}.",
                     bends(scaling) ? "On average, doubling" : "Doubling",
                     the_scale(report.study.x), verb_of_change(time), noun, change_in_percent(time),
                     same ? "" : fmt::format("{} ", verb_of_change(energy)),
                     laws.per_sample ? "the energy per sample" : "the energy",
                     with_interval(report, *laws.energy));
}

const LeastUnderLaw* told_law(const EnergyScaling& scaling) {
  const auto with = [&scaling](auto is_meant) { return first_where(scaling.least, is_meant); };
  // A power law is always least at an end, whatever was measured between.
  const auto* const best =
      scaling.least_caveat.empty()
          ? with([](const LeastUnderLaw& law) { return law.best && law.law != "power"; })
          : nullptr;
  return best != nullptr ? best
                         : with([](const LeastUnderLaw& law) { return law.law == "measured"; });
}

const Least* least_of(const LeastUnderLaw& law, Objective objective) {
  return first_where(law.least, [=](const Least& least) { return least.objective == objective; });
}

/// "fewest", "most"; "smallest", "largest" of what is no number of things.
std::string_view end_word(const std::string& x, LeastPlace place) {
  const bool is_smallest = place == LeastPlace::kSmallest;
  if (may_share_work(x)) return is_smallest ? "fewest" : "most";
  return is_smallest ? "smallest" : "largest";
}

/// "at the fewest GPUs that were measured", "at the largest batch size that was measured".
std::string end_words(const std::string& x, LeastPlace place) {
  return may_share_work(x)
             ? fmt::format("at the {} {} that were measured", end_word(x, place), units_of_scale(x))
             : fmt::format("at the {} {} that was measured", end_word(x, place), noun_of_scale(x));
}

std::string place_words(const EnergyReport& report, const Least& least) {
  const std::string place = "at " + place_on_scale(report.study.x, least.x);
  if (least.place != LeastPlace::kInside) {
    return fmt::format("{}, the {} measured", place, end_word(report.study.x, least.place));
  }
  if (!least.ci) return place;
  return place + fmt::format(" by the fitted laws ({}: {} to {})",
                             percent_text(report.options.confidence), scale_text(least.ci->lower),
                             scale_text(least.ci->upper));
}

std::string minima_sentence(const EnergyReport& report, const EnergyScaling& scaling) {
  const LeastUnderLaw* const law = told_law(scaling);
  if (law == nullptr) return "";
  std::vector<std::pair<std::string, std::vector<std::string>>> places;  // And what is least there.
  const auto add = [&](Objective objective, std::string_view name) {
    const Least* const least = least_of(*law, objective);
    if (least == nullptr) return;
    std::string place = place_words(report, *least);
    auto* same = first_where(places, [&place](const auto& known) { return known.first == place; });
    if (same == nullptr) same = &places.emplace_back(place, std::vector<std::string>());
    same->second.emplace_back(name);
  };
  add(Objective::kEnergy, "energy");
  add(Objective::kEnergyDelay, "energy times time");
  add(Objective::kCost, "cost");
  if (places.empty()) return "";
  return capitalised(joined_texts(places, "; ",
                                  [](const auto& least) {
                                    return fmt::format(
                                        "{} {} least {}", joined_with_and(least.second),
                                        least.second.size() == 1 ? "is" : "are", least.first);
                                  })) +
         ".";
}

/// Whether energy has a minimum below the largest scale, by the law of the answer.
bool rises_before_end(const EnergyScaling& scaling) {
  const LeastUnderLaw* const law = told_law(scaling);
  const Least* const least = law == nullptr ? nullptr : least_of(*law, Objective::kEnergy);
  return least != nullptr && least->x < scaling.scales.back().x;
}

/// "save 59 s", "take 0.12 kWh more".
std::string change_of(double amount, std::string_view unit) {
  return fmt::format("{} {} {}{}", amount < 0 ? "save" : "take",
                     with_significant_digits(std::abs(amount), 2), unit, amount < 0 ? "" : " more");
}

/// What a run at twice the largest scale would save and take, if the power laws went on; empty
/// where that of the energy falls, but the energy already rises, and where they are known not to.
std::string next_sentence(const EnergyReport& report, const EnergyScaling& scaling) {
  const auto* const exponents = std::get_if<EnergyExponents>(&scaling.exponents);
  if (exponents == nullptr || scaling.workload.is_per_sample()) return "";
  if (bends(scaling)) {
    return "What the next doubling would take is open, as the points bend away from the power "
           "laws.";
  }
  const EnergyAtScale& last = scaling.scales.back();
  const double time = twice_of(exponents->time);
  const double energy = twice_of(exponents->energy);
  const double kwh = last.kwh * (energy - 1);
  if (kwh < 0 && rises_before_end(scaling)) return "";
  const bool saves_both = time < 1 && kwh < 0;
  const bool takes_both = time >= 1 && kwh >= 0;
  const std::string energy_text = with_significant_digits(std::abs(kwh), 2) + " kWh";
  std::string text = fmt::format(
      "The next doubling, to {}, would {}{} {}", place_on_scale(report.study.x, 2 * last.x),
      change_of(last.seconds * (time - 1), "s"), last.cost ? "," : " and",
      saves_both   ? energy_text
      : takes_both ? energy_text + " more"
                   : change_of(kwh, "kWh"));
  const Footprint& footprint = report.options.footprint;
  if (last.cost) {
    const double more = footprint.price.value_or(0) * kwh +
                        report.options.gpu_price.value_or(0) * last.gpu_hours * (2 * time - 1);
    const std::string amount = with_significant_digits(std::abs(more), 2);
    text += fmt::format(" and cost {} {}", report.currency.of(amount), more < 0 ? "less" : "more");
  }
  return text + ", if the power laws hold there.";
}

}  // namespace

std::vector<std::string> energy_answer(const EnergyReport& report, const EnergyScaling& scaling) {
  return told({growth_sentence(report, scaling), minima_sentence(report, scaling),
               next_sentence(report, scaling)});
}

void EnergyAnswer::take_note_of(const GroupKey& group, const EnergyScaling& scaling) {
  ++groups_;
  if (const Fit* const energy = laws_of(scaling).energy) {
    const double twice = twice_of(*energy);
    if (!least_ || twice < least_->twice) least_ = Noted{group, twice};
    if (!greatest_ || twice > greatest_->twice) greatest_ = Noted{group, twice};
  }
  const LeastUnderLaw* const law = told_law(scaling);
  const Least* const least = law != nullptr ? least_of(*law, Objective::kEnergy) : nullptr;
  if (least != nullptr) ++least_at_[static_cast<std::size_t>(least->place)];
}

std::string EnergyAnswer::growth_of_several() const {
  if (!least_) {
    return fmt::format("How energy grows with {} cannot be told for any of {}.",
                       units_of_scale(report_.study.x), counted(groups_, "group"));
  }
  const auto change = [](double twice) {
    return fmt::format("{} % {}", change_in_percent(twice), twice < 1 ? "less" : "more");
  };
  const std::string_view s = setting_of_scale(report_.study.x).empty() ? "" : "s";
  if (change(least_->twice) == change(greatest_->twice)) {
    return fmt::format("Twice {} need{} {} energy in every group.", the_scale(report_.study.x), s,
                       change(least_->twice));
  }
  return fmt::format("Twice {} need{} between {} energy ({}) and {} ({}).",
                     the_scale(report_.study.x), s, change(least_->twice),
                     said_group(report_.study.by, least_->group), change(greatest_->twice),
                     said_group(report_.study.by, greatest_->group));
}

std::string EnergyAnswer::minima_of_several() const {
  std::vector<std::string> parts;
  std::size_t with_minimum = 0;
  for (const LeastPlace place :
       {LeastPlace::kSmallest, LeastPlace::kLargest, LeastPlace::kInside}) {
    const std::size_t groups = least_at_[static_cast<std::size_t>(place)];
    with_minimum += groups;
    if (groups == 0) continue;
    const std::string where =
        place == LeastPlace::kInside
            ? std::string(parts.empty() ? "between the ends of what was measured" : "in between")
            : end_words(report_.study.x, place);
    parts.push_back(fmt::format("{} in {}", where,
                                groups == groups_ ? "every group" : counted(groups, "group")));
  }
  if (with_minimum == 0) return "";
  return fmt::format("Energy is least {}.", joined(parts, ", and "));
}

std::vector<std::string> EnergyAnswer::sentences() const {
  return told({growth_of_several(), minima_of_several()});
}

}  // namespace scalelaw
