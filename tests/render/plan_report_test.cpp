#include "scalelaw/render/plan_report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalelaw {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

PlanReport hand_made_plan_report() {
  PlanReport report;
  report.x = "gpus";
  report.y = "epoch_s";
  report.by = {"model"};
  report.options.target = 16;
  return report;
}

/// A plan of one addition, 2 runs at 16 GPUs.
GroupPlan plan_of(const std::string& group, double se_now, double se_after) {
  Plan plan{.now = {.curve_se = se_now, .run_se = se_now}, .x_max = 8};
  plan.additions = {{.x = 16, .repeats = 2, .after = {.curve_se = se_after, .run_se = se_after}}};
  plan.additions[0].gain = 1 - se_after / se_now;
  return {{group}, plan};
}

std::string written(const std::vector<GroupPlan>& groups) {
  std::string out;
  const TextSink sink = [&out](std::string_view text) { out += text; };
  write_groups(*make_plan_writer(hand_made_plan_report(), {.format = Format::kTable}, sink),
               groups);
  return out;
}

TEST(PlanAnswer, IsOnTheGroupWhoseErrorFallsFurthestAndNotByTheGreatestShare) {
  EXPECT_THAT(
      written({plan_of("good", 0.025, 0.0002), plan_of("bad", 0.20, 0.10)}),
      StartsWith("2 more runs at 16 GPUs sharpen the forecast at 16 GPUs most: its standard error "
                 "falls from 22.1 % to 10.5 %. That is for bad, whose error falls furthest of the "
                 "2 groups.\n"));
}

TEST(PlanAnswer, IsNotOnAGroupThatStaysHopeless) {
  EXPECT_THAT(written({plan_of("hopeless", 6, 5), plan_of("bad", 0.20, 0.10)}),
              HasSubstr("That is for bad, whose error falls furthest of the 2 groups (errors above "
                        "100 % count as 100 %)."));
}

TEST(PlanAnswer, NeverCallsAStandardErrorZero) {
  const std::string text = written({plan_of("good", 0.025, 0.0002)});
  EXPECT_THAT(text, HasSubstr("falls from 2.5 % to less than 0.1 %."));
  EXPECT_THAT(text, HasSubstr("< 0.1 %"));
  EXPECT_THAT(text, Not(HasSubstr(" 0.0 %")));
}

TEST(PlanAnswer, NeverSaysThatAnErrorFallsByAllOfItself) {
  const std::string text = written({plan_of("good", 0.025, 0.000002)});
  EXPECT_THAT(text, HasSubstr("> 99.9 %"));
  EXPECT_THAT(text, Not(HasSubstr("100.0 %")));
}

TEST(PlanAnswer, SaysThatASmallErrorNeedsNoFurtherRun) {
  EXPECT_THAT(written({plan_of("good", 0.0004, 0.0002)}),
              StartsWith("The forecast at 16 GPUs needs no further run: its standard error is less "
                         "than 0.1 % now.\n"));
}

}  // namespace
}  // namespace scalelaw
