// Texts that several formats of gates share.

#include <fmt/format.h>

#include <cmath>

#include "render/gate_parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr int kDigits = 3;

std::string signed_number(double value, int decimals) {
  return fmt::format("{:+.{}f}", value == 0 ? 0.0 : value, decimals);
}

/// A ratio as a change in percent, or as a factor if it is large.
std::string ratio_text(double ratio) {
  if (!std::isfinite(ratio) || ratio >= 10) {
    return fmt::format("x {}", with_significant_digits(ratio, kDigits));
  }
  return signed_number(100 * (ratio - 1), 2) + " %";
}

bool is_curve(const GateComparison& comparison) { return comparison.figure == "curve"; }

}  // namespace

std::string gate_sentence(const GateReport& report, const Gate& gate) {
  std::vector<std::string> parts;
  for (const GateVerdict verdict : all_gate_verdicts()) {
    const std::size_t count = gate.count(verdict);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  }
  return fmt::format("{}: of {}: {}", fails(gate, report.fail_on) ? "failed" : "passed",
                     counted(gate.groups.size(), "group"), joined(parts));
}

std::string figure_name(const GateReport& report, const GateGroup& group,
                        const GateComparison& comparison) {
  const bool several = report.y.size() > 1;
  if (!is_curve(comparison)) {
    return several ? fmt::format("{} of {}", comparison.figure, group.y) : comparison.figure;
  }
  if (!comparison.x) return group.y;
  return fmt::format("{} at {} {}", group.y, report.x, scale_text(*comparison.x));
}

std::string change_text(const GateComparison& comparison) {
  if (!std::isfinite(comparison.change.estimate)) return "-";
  if (comparison.ratio) return ratio_text(*comparison.ratio);
  return signed_number(comparison.change.estimate,
                       decimals_for(comparison.change.estimate, comparison.change.se));
}

std::string change_interval(const GateComparison& comparison) {
  const auto& ci = is_curve(comparison) ? comparison.ratio_ci : comparison.change.ci;
  if (!ci) return "-";
  const Estimate& change = comparison.change;
  const auto end = [&](double value) {
    return is_curve(comparison) ? ratio_text(value)
                                : signed_number(value, decimals_for(change.estimate, change.se));
  };
  return fmt::format("{} .. {}", end(ci->lower), end(ci->upper));
}

std::string limit_text(const GateComparison& comparison) {
  if (!is_curve(comparison)) return fmt::format("-{:.4g}", comparison.limit);
  const double sign = comparison.less_is_better ? 1 : -1;
  return fmt::format("{:+.4g} %", 100 * std::expm1(sign * comparison.limit));
}

std::string night_text(const GateComparison& comparison) {
  if (!comparison.nights) return "-";
  const double sd = comparison.nights->sd;
  return is_curve(comparison) ? fmt::format("{:.2g} %", 100 * std::expm1(sd))
                              : fmt::format("{:.2g}", sd);
}

std::string nights_sentence(const Gate& gate) {
  std::size_t pooled = 0;
  std::size_t own = 0;
  for (const GateGroup& group : gate.groups) {
    for (const GateComparison& comparison : group.comparisons) {
      if (!comparison.nights) continue;
      pooled += comparison.nights->pooled ? 1 : 0;
      own += !comparison.nights->pooled && comparison.nights->pooled_sd ? 1 : 0;
    }
  }
  std::string text = fmt::format(
      "BASE is {} nights: a change counts where it exceeds what one night differs from another "
      "(between nights: the standard deviation{})",
      gate.nights, pooled > 0 ? ", pooled over groups" : "");
  if (own > 0) {
    text += fmt::format("; in {} that of the group alone, whose nights differ more",
                        counted(own, "comparison"));
  }
  return text;
}

std::string comparison_sentence(const GateReport& report, const GateComparison& comparison) {
  if (!comparison.change.ci) return comparison.reason;
  std::string text = fmt::format("{} ({:.6g} % interval {}; limit {}", change_text(comparison),
                                 100 * report.options.confidence, change_interval(comparison),
                                 limit_text(comparison));
  if (comparison.nights) text += "; between nights " + night_text(comparison);
  text += ")";
  if (comparison.p_worse_holm && comparison.exceeds_limit()) {
    text += fmt::format(", p {} after Holm", p_relation(*comparison.p_worse_holm));
  }
  if (comparison.extrapolated) text += ", extrapolated";
  return text;
}

std::string multiplicity_sentence(const GateReport& report, const Gate& gate) {
  return fmt::format(
      "worse: shown to exceed the limit; better: shown to have changed for the better; both after "
      "Holm's adjustment for {}, which together err in at most {:.3g} % of gates; "
      "same: the {:.6g} % interval lies within the limit",
      counted(gate.family, "comparison"), 100 * (1 - report.options.confidence),
      100 * report.options.confidence);
}

}  // namespace scalelaw
