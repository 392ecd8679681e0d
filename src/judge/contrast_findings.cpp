#include <algorithm>
#include <cmath>

#include "scalelaw/judge/contrast.hpp"

namespace scalelaw {
namespace {

/// The p value of the joint test that goes with the pairs.
std::optional<double> joint_p(const Contrast& contrast, Variances variances) {
  if (variances == Variances::kEqual) {
    return contrast.equal_slopes ? std::optional(contrast.equal_slopes->p) : std::nullopt;
  }
  const auto& test = contrast.equal_slopes_own_variances;
  return test ? std::optional(test->p) : std::nullopt;
}

SlopeFinding finding_on(const std::vector<SlopePair>& pairs, std::optional<double> joint_p,
                        double significance) {
  const auto all = [&](auto holds) { return std::ranges::all_of(pairs, holds); };
  const auto is = [](Verdict verdict) {
    return [verdict](const SlopePair& pair) { return pair.verdict == verdict; };
  };
  if (all([](const SlopePair& pair) { return !pair.delta_beta.p; })) {
    return SlopeFinding::kNoScatter;
  }
  if (all(is(Verdict::kEquivalent))) return SlopeFinding::kEquivalent;
  if (std::ranges::any_of(pairs, is(Verdict::kDiffer))) return SlopeFinding::kDiffer;
  // Two levels have one pair, which has answered already.
  const bool together = pairs.size() > 1 && joint_p && *joint_p < significance;
  return together ? SlopeFinding::kDifferTogether : SlopeFinding::kUndecided;
}

/// The pair that holds and whose estimate is furthest from 0; nullptr if none holds.
template <class Pair, class Holds>
const Pair* largest_of(const std::vector<Pair>& pairs, Estimate Pair::*estimate, Holds holds) {
  const Pair* largest = nullptr;
  for (const Pair& pair : pairs) {
    if (!holds(pair)) continue;
    const double size = std::abs((pair.*estimate).estimate);
    if (largest == nullptr || size > std::abs((largest->*estimate).estimate)) largest = &pair;
  }
  return largest;
}

/// The furthest from 0 that any interval of the pairs reaches.
template <class Pair>
double possible(const std::vector<Pair>& pairs, Estimate Pair::*estimate) {
  double largest = 0;
  for (const Pair& pair : pairs) {
    const auto& ci = (pair.*estimate).ci;
    if (ci) largest = std::max({largest, -ci->lower, ci->upper});
  }
  return largest;
}

std::vector<ContrastFindings::RatioAt> ends_of(const Contrast& contrast, const SlopePair& pair) {
  const Fit& first = contrast.levels[pair.first].fit;
  const Fit& second = contrast.levels[pair.second].fit;
  const double least = std::max(first.x_min, second.x_min);
  const double greatest = std::min(first.x_max, second.x_max);
  if (!(least < greatest)) return {};
  const auto ratio = [&](double at) { return second.curve(at) / first.curve(at); };
  if (!std::isnormal(ratio(least)) || !std::isnormal(ratio(greatest))) return {};
  return {{least, ratio(least)}, {greatest, ratio(greatest)}};
}

}  // namespace

ContrastFindings findings_of(const Contrast& contrast, const ContrastOptions& options) {
  const double significance = 1 - options.confidence;
  const auto is_significant = [&](const auto& pair) {
    return pair.p_holm && *pair.p_holm < significance;
  };
  ContrastFindings findings;
  findings.joint_p = joint_p(contrast, options.variances);
  findings.slopes = finding_on(contrast.slopes, findings.joint_p, significance);
  findings.slopes_significant = std::ranges::any_of(contrast.slopes, is_significant);
  findings.largest_slope =
      largest_of(contrast.slopes, &SlopePair::delta_beta,
                 [](const SlopePair& pair) { return pair.verdict == Verdict::kDiffer; });
  if (findings.largest_slope == nullptr) {
    findings.largest_slope = largest_of(contrast.slopes, &SlopePair::delta_beta, is_significant);
  }
  findings.largest_offset =
      largest_of(contrast.offsets, &OffsetPair::log_ratio,
                 [&](const OffsetPair& pair) { return pair.ratio && is_significant(pair); });
  findings.possible_delta_beta = possible(contrast.slopes, &SlopePair::delta_beta);
  findings.possible_ratio = std::exp(possible(contrast.offsets, &OffsetPair::log_ratio));
  if (findings.largest_slope != nullptr) findings.ends = ends_of(contrast, *findings.largest_slope);
  return findings;
}

}  // namespace scalelaw
