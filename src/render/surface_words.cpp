// What people call the scales and values of laws of two x.

#include "render/surface_words.hpp"

#include <fmt/format.h>

#include <cmath>

#include "render/reader_words.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {

std::string scale_digits(double value) { return fmt::format("{:.3g}", value); }

std::string size_text(const std::string& column, double value) {
  const ColumnRole role = meaning_of(column).role;
  if (role == ColumnRole::kParameters) return short_count(value) + " parameters";
  const bool is_tokens = column.find("oken") != std::string::npos;
  if (role == ColumnRole::kTokens && is_tokens) return short_count(value) + " tokens";
  return unit_of_scale(column).empty() ? fmt::format("{} = {}", column, scale_digits(value))
                                       : place_on_scale(column, value);
}

std::string response_noun(const std::string& y) { return measured_noun(y, Response::kTime); }

std::string relative_error_text(double log_error) {
  return with_significant_digits(100 * std::expm1(log_error), 2) + " %";
}

}  // namespace scalelaw
