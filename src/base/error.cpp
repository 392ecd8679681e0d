#include "scalelaw/base/error.hpp"

#include <fmt/format.h>

#include "scalelaw/base/names.hpp"

namespace scalelaw {

ParseError::ParseError(std::string_view source, std::uint64_t line, std::string_view message)
    : Error(fmt::format("{}:{}: {}", source, line, message)) {}

ParseError::ParseError(std::string_view place, std::string_view message)
    : Error(fmt::format("{}: {}", place, message)) {}

std::string_view name_of(FailureCode code) {
  using enum FailureCode;
  return word_for(code, {{kTooFewPoints, "too-few-points"},
                         {kTooFewX, "too-few-x"},
                         {kNoSpread, "no-spread"},
                         {kNotConverged, "not-converged"},
                         {kNotIdentifiable, "not-identifiable"},
                         {kTooFewLevels, "too-few-levels"}});
}

}  // namespace scalelaw
