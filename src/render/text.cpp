#include "scalelaw/render/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace scalelaw {
namespace {

int decimal_exponent(double value) {
  return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
}

constexpr int kMostDecimals = 8;  // A table is for reading; JSON and CSV have every digit.

}  // namespace

std::string fixed_text(double value, int decimals, bool with_plus) {
  std::string text = with_plus ? fmt::format("{:+.{}f}", value, decimals)
                               : fmt::format("{:.{}f}", value, decimals);
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  if (text.front() == '-' && is_zero) return fixed_text(0, decimals, with_plus);
  return text;
}

std::string with_significant_digits(double value, int digits) {
  if (value == 0) return "0";
  const int exponent = decimal_exponent(value);
  if (exponent < -5 || exponent >= 15) return fmt::format("{:.{}e}", value, digits - 1);
  return fixed_text(value, std::max(0, digits - 1 - exponent));
}

std::string p_text(double p) { return p < 1e-4 ? "< 0.0001" : with_significant_digits(p, 2); }

std::string p_relation(double p) { return p < 1e-4 ? p_text(p) : "= " + p_text(p); }

std::string percent_text(double share, int digits) {
  return fmt::format("{:.{}g} %", 100 * share, digits);
}

std::string scale_text(double value) {
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

int decimals_for(double estimate, std::optional<double> se) {
  const bool has_error = se && *se > 0;
  const int wanted = has_error ? 1 - decimal_exponent(*se) : 3 - decimal_exponent(estimate);
  return std::clamp(wanted, 0, kMostDecimals);
}

RoundedEstimate rounded(double estimate, std::optional<double> se) {
  const int decimals = decimals_for(estimate, se);
  const bool too_small = estimate != 0 && decimal_exponent(estimate) < -kMostDecimals;
  const bool too_large = decimal_exponent(estimate) >= 15;
  RoundedEstimate text;
  text.estimate =
      too_small || too_large ? fmt::format("{:.3e}", estimate) : fixed_text(estimate, decimals);
  if (!se) return text;
  const bool vanishes = *se > 0 && (decimal_exponent(*se) < 1 - kMostDecimals || too_large);
  text.se = vanishes ? fmt::format("{:.1e}", *se) : fixed_text(*se, decimals);
  return text;
}

}  // namespace scalelaw
