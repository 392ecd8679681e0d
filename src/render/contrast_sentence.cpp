// What a contrast means, in plain words.

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/contrast_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// A sentence is made from these.
struct Words {
  const ContrastReport& report;
  const Contrast& contrast;
  const ContrastFindings& findings;

  ResponseWords response() const { return words_of(report.study, report.options.response); }
  std::string factor() const { return joined(report.factors, " and "); }
  std::string level(std::size_t index) const {
    return said_group(report.factors, contrast.levels[index].level);
  }
  std::string number() const { return number_of_units(report.study.x); }
  std::string percent() const { return percent_text(report.options.confidence); }
};

/// "runs with B take 1.9 times as long as with A". The larger value comes first.
std::string ratio_clause(const Words& words, std::size_t first, std::size_t second, double ratio) {
  if (ratio < 1) {
    std::swap(first, second);
    ratio = 1 / ratio;
  }
  return fmt::format(fmt::runtime(words.response().ratio), words.level(second),
                     with_significant_digits(ratio, 3), words.level(first), words.response().noun);
}

std::string offset_clause(const Words& words, const OffsetPair& pair) {
  std::string text = ratio_clause(words, pair.first, pair.second, *pair.ratio);
  if (!pair.ci) return text;
  const bool inverted = *pair.ratio < 1;
  const Interval ci =
      inverted ? Interval{1 / pair.ci->upper, 1 / pair.ci->lower} : Interval(*pair.ci);
  return text +
         fmt::format(" ({}: {})", words.percent(),
                     interval_text(
                         ci, [](double end) { return shown_text(end, significant(3)); }, " to "));
}

/// The ratios that the intervals of all pairs leave possible.
std::string possible_ratios(const Words& words) {
  const double factor = words.findings.possible_ratio;
  return fmt::format("{} may differ by {}", words.response().several,
                     std::isfinite(factor)
                         ? "a factor of up to " + with_significant_digits(factor, 3)
                         : "any factor");
}

std::string possible_slopes(const Words& words) {
  return fmt::format("the exponents may differ by up to {} (less than {} counts as equal)",
                     with_significant_digits(words.findings.possible_delta_beta, 2),
                     words.report.options.margin);
}

std::string common_slope(const Words& words) {
  const Estimate& beta = words.contrast.common_beta;
  return fmt::format("common beta {}", rounded(beta.estimate, beta.se).estimate);
}

std::string equivalent_slopes(const Words& words) {
  return fmt::format("The exponents {} {} ({})",
                     words.findings.slopes_significant ? "differ, but by less than the margin of"
                                                       : "are equal within",
                     words.report.options.margin, common_slope(words));
}

/// Compares the two levels at both ends of the range of x that they share.
std::string ends_clause(const Words& words, const SlopePair& pair) {
  if (words.findings.ends.empty()) return "";
  const auto at = [&](const ContrastFindings::RatioAt& end) {
    return fmt::format("at {}, {}", place_on_scale(words.report.study.x, end.x),
                       ratio_clause(words, pair.first, pair.second, end.ratio));
  };
  return fmt::format(": {}; {}", at(words.findings.ends.front()), at(words.findings.ends.back()));
}

std::string sentence_on_equivalent(const Words& words) {
  if (const SlopePair* pair = words.findings.largest_slope; pair && !words.findings.ends.empty()) {
    return fmt::format("{} changes the {} by nearly the same factor at every scale{}. {}",
                       words.factor(), words.response().noun, ends_clause(words, *pair),
                       equivalent_slopes(words));
  }
  if (const OffsetPair* offset = words.findings.largest_offset) {
    return fmt::format("{} changes the {} by the same factor at every scale: {}. {}",
                       words.factor(), words.response().noun, offset_clause(words, *offset),
                       equivalent_slopes(words));
  }
  return fmt::format("No effect of {} is shown, at any scale. {}; {}", words.factor(),
                     equivalent_slopes(words), possible_ratios(words));
}

std::string sentence_on_undecided(const Words& words) {
  const std::string what = words.response().noun;
  if (const OffsetPair* offset = words.findings.largest_offset) {
    return fmt::format(
        "{} changes the {}. These runs cannot tell whether it does so by the same factor at every "
        "scale: {}. If they are equal ({}), {}",
        words.factor(), what, possible_slopes(words), common_slope(words),
        offset_clause(words, *offset));
  }
  return fmt::format("Undecided: no effect of {} is shown, but {}, and {}", words.factor(),
                     possible_slopes(words), possible_ratios(words));
}

std::string sentence_on_difference(const Words& words) {
  const SlopePair& pair = *words.findings.largest_slope;
  const auto beta = [&](std::size_t level) {
    const Parameter& estimate = words.contrast.levels[level].fit.parameters.back();
    return rounded(estimate.estimate, estimate.se).estimate;
  };
  const Estimate& delta = pair.delta_beta;
  return fmt::format(
      "The effect of {} depends on {}{}. The exponent beta is {} with {} and {} with {} "
      "(difference {}, {}: {} to {})",
      words.factor(), words.number(), ends_clause(words, pair), beta(pair.first),
      words.level(pair.first), beta(pair.second), words.level(pair.second),
      rounded(delta.estimate, delta.se).estimate, words.percent(),
      rounded(delta.ci->lower, delta.se).estimate, rounded(delta.ci->upper, delta.se).estimate);
}

std::string sentence_on_joint_difference(const Words& words) {
  return fmt::format(
      "The exponents are not all equal by the joint test (p {}), though no pair of levels of {} "
      "shows "
      "it by itself",
      p_relation(*words.findings.joint_p), words.factor());
}

}  // namespace

std::string contrast_sentence(const ContrastReport& report, const Contrast& contrast) {
  const ContrastFindings findings = findings_of(contrast, report.options);
  const Words words{report, contrast, findings};
  switch (findings.slopes) {
    case SlopeFinding::kNoScatter:
      return "The lines fit exactly: without scatter nothing tells a real difference from chance";
    case SlopeFinding::kEquivalent:
      return sentence_on_equivalent(words);
    case SlopeFinding::kDiffer:
      return sentence_on_difference(words);
    case SlopeFinding::kDifferTogether:
      return sentence_on_joint_difference(words);
    case SlopeFinding::kUndecided:
      break;
  }
  return sentence_on_undecided(words);
}

}  // namespace scalelaw
