// What fits say about scaling, in the words of a person who has the table.

#include "render/fit_sentence.hpp"

#include <fmt/format.h>

#include <cmath>

#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

bool is_power_law(const Fit& fit) { return fit.law->name() == "power"; }

/// 2 to the slope of ln y over ln x.
double at_twice(double exponent, Response response) {
  return std::exp2(response == Response::kTime ? -exponent : exponent);
}

std::string_view verb_of(double ratio) { return ratio <= 1 ? "cuts" : "raises"; }

std::string signed_change(double ratio) {
  return fmt::format("{} % {}", change_in_percent(ratio), ratio <= 1 ? "less" : "more");
}

}  // namespace

std::optional<Doubling> doubling_of(const Fit& fit) {
  if (fit.law->inputs() != 1) return std::nullopt;
  Doubling doubling;
  if (is_power_law(fit)) {
    const Estimate& exponent = fit.parameters.back();
    doubling.ratio = at_twice(exponent.estimate, fit.response);
    if (exponent.ci) {
      const double one = at_twice(exponent.ci->lower, fit.response);
      const double other = at_twice(exponent.ci->upper, fit.response);
      doubling.ci = Interval{std::min(one, other), std::max(one, other)};
    }
  } else {
    doubling.ratio = fit.curve(fit.x_max) / fit.curve(fit.x_max / 2);
  }
  if (!std::isfinite(doubling.ratio) || doubling.ratio <= 0) return std::nullopt;
  return doubling;
}

void FitAnswer::take_note_of(const GroupKey& group, const Fit& fit, bool warned) {
  ++fits_;
  warned_ += warned ? 1 : 0;
  if (fit.surface && !surface_) surface_ = fit;
  const auto doubling = doubling_of(fit);
  if (!doubling) return;
  const bool is_least = !least_ || doubling->ratio < least_->doubling.ratio;
  const bool is_greatest = !greatest_ || doubling->ratio > greatest_->doubling.ratio;
  if (!is_least && !is_greatest) return;
  const Noted noted{group, *doubling, fit.x_min, fit.x_max,
                    fit.speedup ? std::optional(fit.speedup->implied) : std::nullopt};
  if (is_least) least_ = noted;
  if (is_greatest) greatest_ = noted;
}

std::string FitAnswer::noun() const { return measured_noun(report_.y, report_.options.response); }

std::string FitAnswer::doubling_words() const {
  const bool is_last = report_.options.law->name() != "power";
  const std::string units = units_of_scale(report_.x);
  const bool is_plain = unit_of_scale(report_.x).empty();
  return fmt::format("{} {}{}", is_last ? "The last doubling of" : "Doubling",
                     is_plain ? "" : "the ", units);
}

std::string FitAnswer::with_interval(const Noted& noted) const {
  const std::string change = change_in_percent(noted.doubling.ratio) + " %";
  if (!noted.doubling.ci) return change;
  return fmt::format("{} ({}: {})", change, percent_text(report_.options.confidence),
                     change_in_percent(*noted.doubling.ci));
}

std::string FitAnswer::of_one() const {
  const Noted& noted = *least_;
  std::string text = fmt::format("{} {} {} by {}.", doubling_words(), verb_of(noted.doubling.ratio),
                                 noun(), with_interval(noted));
  const bool is_faster = noted.speedup && *noted.speedup > 1 && !unit_of_scale(report_.x).empty();
  if (!is_faster) return text;
  return text + fmt::format(" {} are {} times as fast as {}.",
                            place_on_scale(report_.x, noted.x_max),
                            with_significant_digits(*noted.speedup, 3), scale_text(noted.x_min));
}

std::string FitAnswer::of_several() const {
  const double least = least_->doubling.ratio;
  const double greatest = greatest_->doubling.ratio;
  const bool is_time = report_.options.response == Response::kTime;
  const Noted& best = is_time ? *least_ : *greatest_;
  const Noted& worst = is_time ? *greatest_ : *least_;
  const bool helps = is_time ? least < 1 : greatest > 1;
  const std::string best_name = said_group(report_.by, best.group);
  const std::string worst_name = said_group(report_.by, worst.group);
  const std::string best_change = signed_change(best.doubling.ratio);
  const std::string worst_change = signed_change(worst.doubling.ratio);
  const std::string names = helps ? fmt::format(" It helps {} most ({}) and {} least ({}).",
                                                best_name, best_change, worst_name, worst_change)
                                  : fmt::format(" It costs {} least ({}) and {} most ({}).",
                                                best_name, best_change, worst_name, worst_change);
  if (least < 1 && greatest > 1) {
    return fmt::format("{} changes {} by {} to {}, depending on the group.{}", doubling_words(),
                       noun(), signed_change(least), signed_change(greatest), names);
  }
  const bool falls = greatest <= 1;
  const std::string low = change_in_percent(falls ? greatest : least);
  const std::string high = change_in_percent(falls ? least : greatest);
  if (low == high) {
    return fmt::format("{} {} {} by {} % in every group.", doubling_words(), verb_of(least), noun(),
                       low);
  }
  return fmt::format("{} {} {} by {} to {} %, depending on the group.{}", doubling_words(),
                     verb_of(least), noun(), low, high, names);
}

/// How both scales share a given product of them.
std::string FitAnswer::of_surfaces() const {
  if (fits_ > 1 || !surface_->surface->split || report_.scales.size() != 2) {
    return fmt::format("The {} law was fitted to {} of runs.", report_.options.law->name(),
                       counted(fits_, "group"));
  }
  const auto part = [&](std::size_t k) {
    const Estimate& exponent = (*surface_->surface->split)[k];
    std::string text = fmt::format("{} as its power {}", report_.scales[k],
                                   rounded(exponent.estimate, exponent.se).estimate);
    if (exponent.ci) {
      text += fmt::format(
          " ({}: {})", percent_text(report_.options.confidence),
          interval_text(
              exponent.ci, [&](double end) { return rounded(end, exponent.se).estimate; }, " to "));
    }
    return text;
  };
  return fmt::format("As the product of {} and {} grows, the least {} needs {} and {}.",
                     report_.scales[0], report_.scales[1], report_.y, part(0), part(1));
}

std::vector<std::string> FitAnswer::sentences() const {
  std::vector<std::string> sentences;
  if (surface_) {
    sentences.push_back(of_surfaces());
  } else if (!least_) {
    sentences.push_back(fmt::format("The {} law was fitted to {} of runs.",
                                    report_.options.law->name(), counted(fits_, "group")));
  } else {
    sentences.push_back(fits_ == 1 ? of_one() : of_several());
  }
  if (warned_ > 0) {
    sentences.push_back(fits_ == 1 ? "The fit has warnings: see below the table."
                                   : fmt::format("{} of {} fits {} warnings: see below the table.",
                                                 warned_, fits_, warned_ == 1 ? "has" : "have"));
  }
  return sentences;
}

}  // namespace scalelaw
