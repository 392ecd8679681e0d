// What a contrast means, in plain words.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/noted_table.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/contrast_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// What a sentence is made from.
struct Words {
  const ContrastReport& report;
  const Contrast& contrast;

  double significance() const { return 1 - report.options.confidence; }
  bool is_time() const { return report.options.response == Response::kTime; }
  std::string factor() const { return joined(report.factors, " x "); }
  std::string level(std::size_t index) const {
    return group_name(report.factors, contrast.levels[index].level);
  }
  std::string percent() const { return fmt::format("{:.6g} %", 100 * report.options.confidence); }
};

enum class Slopes { kNoScatter, kEquivalent, kDiffer, kDifferTogether, kUndecided };

/// The p value of the joint test that goes with the pairs.
std::optional<double> joint_p(const Words& words) {
  const Contrast& contrast = words.contrast;
  if (words.report.options.variances == Variances::kEqual) {
    return contrast.equal_slopes ? std::optional(contrast.equal_slopes->p) : std::nullopt;
  }
  const auto& test = contrast.equal_slopes_own_variances;
  return test ? std::optional(test->p) : std::nullopt;
}

Slopes slopes_of(const Words& words) {
  const auto& pairs = words.contrast.slopes;
  const auto all = [&](auto holds) { return std::all_of(pairs.begin(), pairs.end(), holds); };
  const auto is = [](Verdict verdict) {
    return [verdict](const SlopePair& pair) { return pair.verdict == verdict; };
  };
  if (all([](const SlopePair& pair) { return !pair.delta_beta.p; })) return Slopes::kNoScatter;
  if (all(is(Verdict::kEquivalent))) return Slopes::kEquivalent;
  if (std::any_of(pairs.begin(), pairs.end(), is(Verdict::kDiffer))) return Slopes::kDiffer;
  // Two levels have one pair, which has answered already.
  const auto p = joint_p(words);
  const bool together = pairs.size() > 1 && p && *p < words.significance();
  return together ? Slopes::kDifferTogether : Slopes::kUndecided;
}

/// "runs with B take 1.9 times as long as with A": the larger one first.
std::string ratio_clause(const Words& words, std::size_t first, std::size_t second, double ratio) {
  if (ratio < 1) {
    std::swap(first, second);
    ratio = 1 / ratio;
  }
  const std::string times = with_significant_digits(ratio, 3);
  if (words.is_time()) {
    return fmt::format("runs with {} take {} times as long as with {}", words.level(second), times,
                       words.level(first));
  }
  return fmt::format("the rate with {} is {} times that with {}", words.level(second), times,
                     words.level(first));
}

std::string interval_text(const Interval& interval) {
  return fmt::format("{} .. {}", with_significant_digits(interval.lower, 3),
                     with_significant_digits(interval.upper, 3));
}

/// The largest difference of offsets that is significant.
const OffsetPair* largest_offset(const Words& words) {
  const OffsetPair* largest = nullptr;
  for (const OffsetPair& pair : words.contrast.offsets) {
    if (!pair.ratio || !pair.p_holm || !(*pair.p_holm < words.significance())) continue;
    const double size = std::abs(pair.log_ratio.estimate);
    if (largest == nullptr || size > std::abs(largest->log_ratio.estimate)) largest = &pair;
  }
  return largest;
}

std::string offset_clause(const Words& words, const OffsetPair& pair) {
  std::string text = ratio_clause(words, pair.first, pair.second, *pair.ratio);
  if (!pair.ci) return text;
  const bool inverted = *pair.ratio < 1;
  const Interval ci =
      inverted ? Interval{1 / pair.ci->upper, 1 / pair.ci->lower} : Interval(*pair.ci);
  return text + fmt::format(" ({} interval {})", words.percent(), interval_text(ci));
}

/// The ratios that the intervals of all pairs leave possible.
std::string possible_ratios(const Words& words) {
  double largest = 0;
  for (const OffsetPair& pair : words.contrast.offsets) {
    const auto& ci = pair.log_ratio.ci;
    if (ci) largest = std::max({largest, -ci->lower, ci->upper});
  }
  const double factor = std::exp(largest);
  return fmt::format("{} may differ by {}", words.is_time() ? "times" : "rates",
                     std::isfinite(factor)
                         ? "a factor of up to " + with_significant_digits(factor, 3)
                         : "any factor");
}

std::string possible_slopes(const Words& words) {
  double largest = 0;
  for (const SlopePair& pair : words.contrast.slopes) {
    const auto& ci = pair.delta_beta.ci;
    if (ci) largest = std::max({largest, -ci->lower, ci->upper});
  }
  return fmt::format("the slopes may differ by up to {}, more than the margin {}",
                     with_significant_digits(largest, 2), words.report.options.margin);
}

std::string common_slope(const Words& words) {
  const Estimate& beta = words.contrast.common_beta;
  return fmt::format("common beta {}", rounded(beta.estimate, beta.se).estimate);
}

std::string equivalent_slopes(const Words& words) {
  const auto& pairs = words.contrast.slopes;
  const bool significant = std::any_of(pairs.begin(), pairs.end(), [&](const SlopePair& pair) {
    return pair.p_holm && *pair.p_holm < words.significance();
  });
  return fmt::format("the slopes {} {} ({})",
                     significant ? "differ, but by less than the margin" : "are equivalent within",
                     words.report.options.margin, common_slope(words));
}

std::string sentence_on_equivalent(const Words& words) {
  if (const OffsetPair* offset = largest_offset(words)) {
    return fmt::format("{} moves the offset, not the slope: {}; {}", words.factor(),
                       equivalent_slopes(words), offset_clause(words, *offset));
  }
  return fmt::format("{} does not move the slope, and no move of the offset is shown: {}; {}",
                     words.factor(), equivalent_slopes(words), possible_ratios(words));
}

std::string sentence_on_undecided(const Words& words) {
  if (const OffsetPair* offset = largest_offset(words)) {
    return fmt::format(
        "{} moves the offset; whether it moves the slope too is undecided: {}; if they are equal "
        "({}), {}",
        words.factor(), possible_slopes(words), common_slope(words), offset_clause(words, *offset));
  }
  return fmt::format("undecided: neither slope nor offset is shown to move with {}, but {}, and {}",
                     words.factor(), possible_slopes(words), possible_ratios(words));
}

const SlopePair& largest_difference(const Words& words) {
  const SlopePair* largest = nullptr;
  for (const SlopePair& pair : words.contrast.slopes) {
    if (pair.verdict != Verdict::kDiffer) continue;
    const double size = std::abs(pair.delta_beta.estimate);
    if (largest == nullptr || size > std::abs(largest->delta_beta.estimate)) largest = &pair;
  }
  return *largest;
}

/// How the two levels compare at either end of the x that both were measured at.
std::string ends_clause(const Words& words, const SlopePair& pair) {
  const Fit& first = words.contrast.levels[pair.first].fit;
  const Fit& second = words.contrast.levels[pair.second].fit;
  const double least = std::max(first.x_min, second.x_min);
  const double greatest = std::min(first.x_max, second.x_max);
  if (!(least < greatest)) return "";
  const auto ratio = [&](double at) { return second.curve(at) / first.curve(at); };
  if (!std::isnormal(ratio(least)) || !std::isnormal(ratio(greatest))) return "";
  const auto at = [&](double end) {
    return ratio_clause(words, pair.first, pair.second, ratio(end));
  };
  const std::string& x = words.report.study.x;
  return fmt::format(", so its effect depends on {}: at {} {}, {}; at {} {}, {}", x, x,
                     scale_text(least), at(least), x, scale_text(greatest), at(greatest));
}

std::string sentence_on_difference(const Words& words) {
  const SlopePair& pair = largest_difference(words);
  const auto beta = [&](std::size_t level) {
    const Parameter& estimate = words.contrast.levels[level].fit.parameters.back();
    return rounded(estimate.estimate, estimate.se).estimate;
  };
  const Estimate& delta = pair.delta_beta;
  return fmt::format(
      "{} moves the slope: beta is {} with {} and {} with {} (difference {}, {} interval "
      "{} .. {}){}",
      words.factor(), beta(pair.first), words.level(pair.first), beta(pair.second),
      words.level(pair.second), rounded(delta.estimate, delta.se).estimate, words.percent(),
      rounded(delta.ci->lower, delta.se).estimate, rounded(delta.ci->upper, delta.se).estimate,
      ends_clause(words, pair));
}

std::string sentence_on_joint_difference(const Words& words) {
  return fmt::format(
      "the slopes are not all equal by the joint test (p {}), though no pair of levels of {} shows "
      "it by itself",
      p_relation(*joint_p(words)), words.factor());
}

}  // namespace

std::string contrast_sentence(const ContrastReport& report, const Contrast& contrast) {
  const Words words{report, contrast};
  switch (slopes_of(words)) {
    case Slopes::kNoScatter:
      return "the lines fit exactly: without scatter nothing tells a real difference from chance";
    case Slopes::kEquivalent:
      return sentence_on_equivalent(words);
    case Slopes::kDiffer:
      return sentence_on_difference(words);
    case Slopes::kDifferTogether:
      return sentence_on_joint_difference(words);
    case Slopes::kUndecided:
      break;
  }
  return sentence_on_undecided(words);
}

}  // namespace scalelaw
