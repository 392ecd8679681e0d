#include "scalelaw/study/constraint_options.hpp"

#include <fmt/format.h>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// NAME=REST of each part of the texts, which commas divide.
std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<std::string>& texts,
                                                          std::string_view option,
                                                          std::string_view example) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : texts) {
    for (const std::string& part : split(text, ',')) {
      const std::size_t sign = part.find('=');
      const std::string_view name = trimmed(std::string_view(part).substr(0, sign));
      if (sign == std::string::npos || name.empty()) {
        throw DataError(fmt::format("{}: expected {}, found '{}'", option, example, part));
      }
      pairs.emplace_back(name, trimmed(std::string_view(part).substr(sign + 1)));
    }
  }
  return pairs;
}

double number_in(const std::string& text, std::string_view option, std::string_view example) {
  if (const auto number = parse_number(text)) return *number;
  throw DataError(fmt::format("{}: expected a number as in {}, found '{}'", option, example, text));
}

Interval range_in(const std::string& text) {
  constexpr std::string_view kExample = "alpha=0.2..0.5";
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    throw DataError(fmt::format("--bound: expected two ends as in {}, found '{}'", kExample, text));
  }
  return {number_in(text.substr(0, dots), "--bound", kExample),
          number_in(text.substr(dots + 2), "--bound", kExample)};
}

}  // namespace

const Law& constrained(const Law& law, const ConstraintOptions& options) {
  Constraints constraints;
  constexpr std::string_view kValue = "NAME=VALUE such as E=1.69";
  for (const auto& [name, value] : pairs_of(options.fix, "--fix", kValue)) {
    constraints.fixed.emplace_back(name, number_in(value, "--fix", "E=1.69"));
  }
  for (auto& names : pairs_of(options.tie, "--tie", "NAME=NAME such as alpha=beta")) {
    constraints.tied.push_back(std::move(names));
  }
  for (const auto& [name, range] :
       pairs_of(options.bound, "--bound", "NAME=FROM..TO such as alpha=0.2..0.5")) {
    constraints.bounded.emplace_back(name, range_in(range));
  }
  return constrained(law, constraints);
}

}  // namespace scalelaw
