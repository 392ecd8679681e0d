#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

namespace scalelaw {

struct Interval {
  double lower;
  double upper;
};

/// An interval of a logarithm as one of the quantity.
inline Interval exp_of(const Interval& logs) {
  return {std::exp(logs.lower), std::exp(logs.upper)};
}

/// An estimate with its uncertainty; what is undefined (no degrees of freedom, no test) is empty.
struct Estimate {
  double estimate = 0;
  std::optional<double> se;          ///< Standard error of the kind asked for.
  std::optional<double> classic_se;  ///< The classic one, where another kind was asked for.
  /// At FitOptions::confidence. An end that the data leave open is infinite.
  std::optional<Interval> ci;
  std::optional<Interval> wald_ci;  ///< Beside ci where that is of another kind.
  std::optional<double> t;          ///< estimate / se.
  std::optional<double> p;          ///< Two-sided, Student t.
  std::optional<double> dof;  ///< Degrees of freedom behind ci and p where they are not n - p.
};

/// An estimate with a Student t interval and the test that it is 0; only the estimate where there
/// are no degrees of freedom, and no test where the standard error is 0.
Estimate student_estimate(double estimate, double se, double dof, double confidence);

/// The Student t interval of an estimate that has degrees of freedom of its own.
std::optional<Interval> interval_at(const Estimate& estimate, double confidence);

/// p values adjusted for their number (Holm 1979), in the same order.
std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace scalelaw
