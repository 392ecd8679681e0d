#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "fit/cells_of.hpp"

namespace scalelaw {

/// Compares figures with the oracle's and records the worst agreement.
class Comparison {
 public:
  explicit Comparison(std::string place, double digits)
      : place_(std::move(place)), digits_(digits) {}

  void expect(const std::string& what, std::optional<double> figure, double expected) {
    ASSERT_TRUE(figure.has_value()) << place_ << " " << what << " is empty, expected " << expected;
    const double digits = correct_digits(*figure, expected);
    EXPECT_GE(digits, digits_) << place_ << " " << what << ": " << *figure << ", expected "
                               << expected;
    if (digits < worst_) {
      worst_ = digits;
      worst_at_ = place_ + " " + what;
    }
  }
  void at(std::string place) { place_ = std::move(place); }
  double worst() const { return worst_; }
  const std::string& worst_at() const { return worst_at_; }

 private:
  std::string place_;
  double digits_;
  double worst_ = 15;
  std::string worst_at_;
};

inline void report(const Comparison& compare) {
  testing::Test::RecordProperty("worst_digits", std::to_string(compare.worst()));
  std::cout << "worst agreement " << compare.worst() << " digits (" << compare.worst_at() << ")\n";
}

}  // namespace scalelaw
