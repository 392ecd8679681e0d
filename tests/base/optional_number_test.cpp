#include "scalelaw/base/optional_number.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace scalelaw {
namespace {

TEST(OptionalNumber, IsAnOptionalNumberInHalfTheMemory) {
  EXPECT_EQ(sizeof(OptionalNumber), 8U);
  const OptionalNumber zero = 0.0;
  ASSERT_TRUE(zero);
  EXPECT_EQ(*zero, 0);
  EXPECT_EQ(std::optional<double>(zero), 0.0);
  EXPECT_EQ(std::optional<double>(OptionalNumber()), std::nullopt);
}

TEST(OptionalNumber, WhatIsNoNumberIsMissing) {
  EXPECT_FALSE(OptionalNumber());
  EXPECT_FALSE(OptionalNumber(std::nan("")));
  EXPECT_FALSE(OptionalNumber(std::optional<double>()));
  EXPECT_TRUE(OptionalNumber(INFINITY));
}

TEST(OptionalNumber, MissingNumbersAreEqualAndNoNumberIs) {
  EXPECT_EQ(OptionalNumber(), OptionalNumber());
  EXPECT_EQ(OptionalNumber(2), 2);
  EXPECT_FALSE(OptionalNumber() == 0);
}

}  // namespace
}  // namespace scalelaw
