#include "scalelaw/base/error.hpp"

#include <fmt/format.h>

namespace scalelaw {

ParseError::ParseError(std::string_view source, std::uint64_t line, std::string_view message)
    : Error(fmt::format("{}:{}: {}", source, line, message)) {}

std::string_view name_of(FailureCode code) {
  switch (code) {
    case FailureCode::kTooFewPoints:
      return "too-few-points";
    case FailureCode::kTooFewX:
      return "too-few-x";
    case FailureCode::kNoSpread:
      return "no-spread";
    case FailureCode::kNotConverged:
      return "not-converged";
    case FailureCode::kNotIdentifiable:
      return "not-identifiable";
    case FailureCode::kTooFewLevels:
      return "too-few-levels";
  }
  return "unknown";
}

}  // namespace scalelaw
