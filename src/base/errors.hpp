#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "scalelaw/base/error.hpp"

namespace scalelaw {

// Errors whose messages are formatted.

template <class... Args>
DataError data_error(fmt::format_string<Args...> message, Args&&... args) {
  return DataError(fmt::format(message, std::forward<Args>(args)...));
}

template <class... Args>
FitError fit_error(FailureCode code, fmt::format_string<Args...> message, Args&&... args) {
  return FitError(code, fmt::format(message, std::forward<Args>(args)...));
}

template <class... Args>
ParseError parse_error(std::string_view source, std::uint64_t line,
                       fmt::format_string<Args...> message, Args&&... args) {
  return ParseError(source, line, fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace scalelaw
