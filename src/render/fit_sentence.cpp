// What fits say about scaling, in the words of a person who has the table.

#include "render/fit_sentence.hpp"

#include <fmt/format.h>

#include <cmath>

#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/constraints.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

bool is_power_law(const Fit& fit) { return fit.law->name() == "power"; }

/// 2 to the slope of ln y over ln x.
double at_twice(double exponent, Response response) {
  return std::exp2(response == Response::kTime ? -exponent : exponent);
}

std::string_view verb_of(double ratio) { return ratio <= 1 ? "cuts" : "raises"; }

/// Twice the scale leaves at least this share of the time, where times are said not to fall.
constexpr double kFlat = 0.97;

/// Below it runs are said to speak against what was given.
constexpr double kContradicts = 0.05;

std::string signed_change(double ratio) {
  return fmt::format("{} % {}", change_in_percent(ratio), ratio <= 1 ? "less" : "more");
}

}  // namespace

std::string free_law_text(const FreeLawTest& test) {
  std::string text =
      fmt::format("F = {} with {:g} and {:g} degrees of freedom, p {}",
                  with_significant_digits(test.f, 3), test.dof1, test.dof2, p_relation(test.p));
  if (!test.aicc_difference) return text;
  return text + fmt::format("; its AICc is {} {} than with free parameters",
                            with_significant_digits(std::abs(*test.aicc_difference), 2),
                            *test.aicc_difference > 0 ? "higher" : "lower");
}

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
  if (fit.free_law) {
    ++tested_;
    contradicted_ += fit.free_law->p < kContradicts ? 1 : 0;
    given_p_ = "p " + p_relation(fit.free_law->p);
  }
  const auto doubling = doubling_of(fit);
  if (!doubling) return;
  const bool is_least = !least_ || doubling->ratio < least_->doubling.ratio;
  const bool is_greatest = !greatest_ || doubling->ratio > greatest_->doubling.ratio;
  if (!is_least && !is_greatest) return;
  const Noted noted{group,
                    *doubling,
                    fit.x_min,
                    fit.x_max,
                    fit.speedup ? std::optional(fit.speedup->implied) : std::nullopt,
                    warns(fit, WarningCode::kCurved)};
  if (is_least) least_ = noted;
  if (is_greatest) greatest_ = noted;
}

std::string FitAnswer::noun() const { return measured_noun(report_.y, report_.options.response); }

std::string FitAnswer::doubling_words() const {
  const bool is_last = report_.options.law->name() != "power";
  return fmt::format("{} {}", is_last ? "The last doubling of" : "Doubling", the_scale(report_.x));
}

std::string FitAnswer::average_words(const Noted& noted) const {
  const bool is_average = noted.bends && report_.options.law->name() == "power";
  return is_average ? " on average, as its points bend away from the law" : "";
}

std::string FitAnswer::with_interval(const Noted& noted) const {
  const std::string change = change_in_percent(noted.doubling.ratio) + " %";
  if (!noted.doubling.ci) return change;
  return fmt::format("{} ({}: {})", change, percent_text(report_.options.confidence),
                     change_in_percent(*noted.doubling.ci));
}

std::string FitAnswer::of_one() const {
  const Noted& noted = *least_;
  std::string text =
      fmt::format("{} {} {} by {}{}.", doubling_words(), verb_of(noted.doubling.ratio), noun(),
                  with_interval(noted), average_words(noted));
  if (!report_.growing_work.empty()) return text;
  const bool is_faster = noted.speedup && *noted.speedup > 1 &&
                         has_speedup(report_.quantity.kind) && !unit_of_scale(report_.x).empty();
  if (!is_faster) return text;
  text += fmt::format(" {} are {} times as fast as {}.", place_on_scale(report_.x, noted.x_max),
                      with_significant_digits(*noted.speedup, 3), scale_text(noted.x_min));
  return report_.options.rate_of_one ? text + " " + rate_of_one_sentence(report_.y, report_.x)
                                     : text;
}

bool FitAnswer::may_be_equal(const Noted& a, const Noted& b) {
  const auto& x = a.doubling.ci;
  const auto& y = b.doubling.ci;
  return x && y && x->lower <= y->upper && y->lower <= x->upper;
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
  const std::string best_change = signed_change(best.doubling.ratio) + average_words(best);
  const std::string worst_change = signed_change(worst.doubling.ratio) + average_words(worst);
  const bool grows = !report_.growing_work.empty() || report_.partly_growing_work;
  const std::string names = grows || may_be_equal(best, worst) ? ""
                            : helps ? fmt::format(" It helps {} most ({}) and {} least ({}).",
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
  if (fits_ > 1 || !surface_->surface->split || report_.scales.size() < 2) {
    return fmt::format("The {} law was fitted to {} of runs.", report_.options.law->name(),
                       counted(fits_, "group"));
  }
  const auto times = [](double exponent) {
    return with_significant_digits(std::pow(10, exponent), 3);
  };
  // "Params (M)" is no noun of a sentence.
  const auto noun = [&](std::size_t k) {
    const ColumnRole role = meaning_of(report_.scales[k]).role;
    if (role == ColumnRole::kParameters) return std::string("parameters");
    return role == ColumnRole::kTokens ? std::string("tokens") : report_.scales[k];
  };
  const auto part = [&](std::size_t k) {
    const Estimate& exponent = (*surface_->surface->split)[k];
    std::string text = fmt::format("{} times the {}", times(exponent.estimate), noun(k));
    if (exponent.ci) {
      text += fmt::format(" ({}: {})", percent_text(report_.options.confidence),
                          interval_text(exponent.ci, times, " to "));
    }
    return text;
  };
  return fmt::format("10 times the compute ({} times {}) is best spent on {} and {}{}.", noun(0),
                     noun(1), part(0), part(1),
                     report_.scales.size() > 2 ? ", as long as tokens are fresh" : "");
}

/// "beta = 1 was held as you gave it: the runs do not speak against it (p = 0.31)."
std::string FitAnswer::given_sentence(const std::vector<std::string>& given) const {
  const std::string_view them = given.size() == 1 ? "it" : "them";
  std::string text = fmt::format("{} {} held as you gave {}", joined(given, " and "),
                                 given.size() == 1 ? "was" : "were", them);
  if (tested_ == 0) return text + ".";
  if (tested_ > 1) {
    return text + fmt::format(": the runs of {} speak against {} (p below {}).",
                              contradicted_ == 0 ? "no group"
                                                 : fmt::format("{} of {}", contradicted_,
                                                               counted(tested_, "group")),
                              them, kContradicts);
  }
  return text + fmt::format(": the runs {} against {} ({}).",
                            contradicted_ > 0 ? "speak" : "do not speak", them, given_p_);
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
  if (const auto& part = report_.partly_growing_work) {
    sentences.push_back(partly_growing_work_sentence(report_.by, report_.x, *part));
  } else if (!report_.growing_work.empty()) {
    sentences.push_back(growing_work_clause(report_.x, report_.growing_work) +
                        ", so a time that stays the same is ideal (weak scaling).");
  }
  const bool is_time =
      report_.options.response == Response::kTime && report_.quantity.kind == Kind::kTime;
  if (is_time && report_.growing_work.empty() && !report_.partly_growing_work && least_ &&
      least_->doubling.ratio > kFlat) {
    sentences.push_back(flat_times_sentence(report_.x));
  }
  if (const auto given = constraints_of(*report_.options.law); !given.empty()) {
    sentences.push_back(given_sentence(given));
  }
  if (warned_ > 0) {
    sentences.push_back(fits_ == 1 ? "The fit has warnings: see below the table."
                                   : fmt::format("{} of {} fits {} warnings: see below the table.",
                                                 warned_, fits_, warned_ == 1 ? "has" : "have"));
  }
  return sentences;
}

}  // namespace scalelaw
