#include "scalelaw/base/boxed.hpp"

#include <gtest/gtest.h>

#include <string>

namespace scalelaw {
namespace {

TEST(Boxed, TakesAPointerWhereTheValueIsMissing) {
  EXPECT_EQ(sizeof(Boxed<std::string>), sizeof(void*));
  const Boxed<std::string> missing;
  EXPECT_FALSE(missing);
  EXPECT_EQ(missing.get(), nullptr);
  EXPECT_EQ(missing.value_or("none"), "none");
}

TEST(Boxed, HoldsWhatAValueIsMadeOf) {
  Boxed<std::string> reason = "one x";
  EXPECT_EQ(*reason, "one x");
  EXPECT_EQ(reason->size(), 5U);
  EXPECT_EQ(reason.value_or("none"), "one x");
  reason.reset();
  EXPECT_FALSE(reason);
}

TEST(Boxed, ACopyHasItsOwnValue) {
  Boxed<std::string> first = "one";
  const Boxed<std::string> second = first;
  first = "two";
  EXPECT_EQ(*second, "one");
  first = Boxed<std::string>();
  const Boxed<std::string> third = first;
  EXPECT_FALSE(third);
}

}  // namespace
}  // namespace scalelaw
