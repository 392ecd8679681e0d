#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace scalelaw {

/// Anything the user can act on; what() is a full sentence without a final newline.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text of an input is malformed: "source:line: message".
class ParseError : public Error {
 public:
  ParseError(std::string_view source, std::uint64_t line, std::string_view message);
  /// The same for a place such as "runs.json: entry 7".
  ParseError(std::string_view place, std::string_view message);
};

/// The text is fine but the request is not: no such column, mixed units, nothing to read.
class DataError : public Error {
 public:
  using Error::Error;
};

/// Why a group has no fit. The codes are stable: scripts may compare them.
enum class FailureCode {
  kTooFewPoints,
  kTooFewX,
  kNoSpread,
  kNotConverged,
  kNotIdentifiable,
  kTooFewLevels,
};

/// The name in JSON and tables: "too-few-points", ...
std::string_view name_of(FailureCode code);

/// There is no solution: too few points, no spread in x, no convergence.
class FitError : public Error {
 public:
  FitError(FailureCode code, const std::string& message) : Error(message), code_(code) {}
  FailureCode code() const { return code_; }

 private:
  FailureCode code_;
};

}  // namespace scalelaw
