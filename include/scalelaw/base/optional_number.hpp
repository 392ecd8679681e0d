#pragma once

#include <cmath>
#include <limits>
#include <optional>

namespace scalelaw {

/// A number that may be missing, in half the memory of a std::optional<double>: for results of
/// which a command keeps a million. NaN is no number, and stands for a missing one.
class OptionalNumber {
 public:
  OptionalNumber() = default;
  OptionalNumber(double value) : value_(value) {}     // NOLINT: a number is one.
  OptionalNumber(const std::optional<double>& value)  // NOLINT: as a number is.
      : value_(value.value_or(kMissing)) {}

  bool has_value() const { return !std::isnan(value_); }
  explicit operator bool() const { return has_value(); }
  /// There must be a number.
  double operator*() const { return value_; }
  operator std::optional<double>() const {  // NOLINT: it means the same.
    return has_value() ? std::optional(value_) : std::nullopt;
  }
  friend bool operator==(const OptionalNumber& a, const OptionalNumber& b) {
    return a.value_ == b.value_ || (!a && !b);
  }

 private:
  static constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  double value_ = kMissing;
};

}  // namespace scalelaw
