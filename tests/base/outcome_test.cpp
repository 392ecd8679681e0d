#include "scalelaw/base/outcome.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace scalelaw {
namespace {

int fails() { throw FitError(FailureCode::kTooFewX, "one x only"); }

TEST(OutcomeOf, IsWhatWasMade) {
  EXPECT_EQ(std::get<int>(outcome_of([] { return 7; })), 7);
  EXPECT_EQ(if_possible([] { return 7; }), 7);
}

TEST(OutcomeOf, KeepsTheReasonOfAFitError) {
  const Outcome<int> outcome = outcome_of(fails);
  const NoFit& failure = std::get<NoFit>(outcome);
  EXPECT_EQ(failure.code, FailureCode::kTooFewX);
  EXPECT_EQ(failure.message, "one x only");
  EXPECT_EQ(if_possible(fails), std::nullopt);
}

TEST(OutcomeOf, LetsOtherErrorsPass) {
  EXPECT_THROW(outcome_of([]() -> int { throw DataError("no such column"); }), DataError);
  EXPECT_THROW(outcome_of([]() -> int { throw std::invalid_argument("n"); }),
               std::invalid_argument);
}

TEST(OutcomeOf, HandsOnTheFailureOfAnEarlierStage) {
  const auto half = [](int value) { return value / 2.0; };
  EXPECT_EQ(std::get<double>(outcome_of(Outcome<int>(7), half)), 3.5);
  EXPECT_EQ(std::get<NoFit>(outcome_of(outcome_of(fails), half)).message, "one x only");
}

}  // namespace
}  // namespace scalelaw
