#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/trainer_run.hpp"

// What the readers of trainers' lines share.
namespace scalelaw {

/// What begins with a brace and a quote, as dictionaries of Python and JSON do; empty without one.
inline std::string_view dictionary_in(std::string_view line) {
  for (std::size_t at = line.find('{'); at != std::string_view::npos; at = line.find('{', at + 1)) {
    const std::string_view rest = line.substr(at);
    if (rest.starts_with("{'") || rest.starts_with("{\"")) return rest;
  }
  return {};
}

/// The text behind a label; empty without it.
inline std::string_view behind(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + label.size());
}

/// The number behind a label; empty without it.
inline std::optional<double> number_behind(std::string_view line, std::string_view label) {
  return leading_number(behind(line, label));
}

/// The loss behind a label; empty without it. See leading_loss().
inline std::optional<double> loss_behind(std::string_view line, std::string_view label) {
  return leading_loss(behind(line, label));
}

/// A count with commas between thousands: "1,310,720".
inline std::optional<double> count_behind(std::string_view line, std::string_view label) {
  std::string digits;
  for (const char c : trimmed(behind(line, label))) {
    if (c != ',' && (c < '0' || c > '9')) break;
    if (c != ',') digits += c;
  }
  return parse_number(digits);
}

/// What a launcher puts before the lines of a rank, without a blank behind it: "3:", "[default7]:".
inline std::string_view rank_prefix(std::string_view line) {
  constexpr std::size_t kLongest = 32;
  const std::size_t colon = line.substr(0, kLongest).find(':');
  return colon == std::string_view::npos ? std::string_view() : line.substr(0, colon + 1);
}

}  // namespace scalelaw
