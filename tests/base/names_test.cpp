#include "scalelaw/base/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/judge/contrast.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/judge/predict.hpp"
#include "scalelaw/replay/policy.hpp"
#include "scalelaw/replay/random_source.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;

enum class Fruit { kApple, kNameless, kPear };
std::string_view name_of(Fruit fruit) {
  return word_for(fruit, {{Fruit::kApple, "apple"}, {Fruit::kPear, "pear"}});
}

enum class Side { kLeft, kRight };
std::string_view name_of(Side side) { return side == Side::kLeft ? "left" : "right"; }

TEST(AllEnumerators, PassOneWithoutAWord) {
  EXPECT_THAT(all_enumerators<Fruit>(), ElementsAre(Fruit::kApple, Fruit::kPear));
}

TEST(AllEnumerators, RefuseNamesThatNeverEnd) {
  EXPECT_THROW(all_enumerators<Side>(), std::logic_error);
}

template <class Enum>
std::vector<std::string_view> words() {
  std::vector<std::string_view> words;
  for (const Enum value : all_enumerators<Enum>()) words.push_back(name_of(value));
  return words;
}

/// Options offer these words, in this order.
TEST(AllEnumerators, AreTheChoicesOfOptions) {
  EXPECT_THAT(words<Errors>(), ElementsAre("lognormal", "normal"));
  EXPECT_THAT(words<Response>(), ElementsAre("time", "rate"));
  EXPECT_THAT(words<Robust>(), ElementsAre("none", "huber", "theil-sen"));
  EXPECT_THAT(words<StandardError>(), testing::SizeIs(9));
  EXPECT_THAT(words<BootstrapKind>(), ElementsAre("webb", "wild", "residual", "case"));
  EXPECT_THAT(words<Points>(), ElementsAre("each", "mean", "median"));
  EXPECT_THAT(words<TimeCost>(), ElementsAre("gpus", "wall"));
  EXPECT_THAT(words<Target>(), ElementsAre("median", "mean"));
  EXPECT_THAT(words<Variances>(), ElementsAre("unequal", "equal"));
  EXPECT_THAT(words<FailOn>(), ElementsAre("worse", "inconclusive"));
  EXPECT_THAT(words<ReplayMode>(), ElementsAre("paper", "corrected"));
  EXPECT_THAT(words<RandomKind>(), ElementsAre("zeus", "scalelaw"));
  EXPECT_THAT(words<BatchSizeRule>(),
              ElementsAre("zeus", "default", "grid", "oracle", "thompson", "ucb", "corrected"));
  EXPECT_THAT(words<PowerLimitRule>(), ElementsAre("zeus", "maximum", "fixed", "oracle"));
}

}  // namespace
}  // namespace scalelaw
