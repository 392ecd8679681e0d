#include "scalelaw/base/group_results.hpp"

#include <gtest/gtest.h>

#include <string>

namespace scalelaw {
namespace {

/// How often the results of so many groups are made for two visits, which must see them in order.
int makes_for_two_visits(std::size_t groups) {
  int makes = 0;
  const GroupResults<std::size_t> results(groups, [&](const GroupResults<std::size_t>::Sink& sink) {
    ++makes;
    for (std::size_t i = 0; i < groups; ++i) sink({{}, i});
  });
  for (int visit = 0; visit < 2; ++visit) {
    std::size_t next = 0;
    results.for_each([&next](const Grouped<std::size_t>& group) {
      EXPECT_EQ(std::get<std::size_t>(group.result), next++);
    });
    EXPECT_EQ(next, groups);
  }
  return makes;
}

TEST(GroupResults, OfFewGroupsAreKept) {
  EXPECT_EQ(makes_for_two_visits(GroupResults<std::size_t>::kMostKept), 1);
}

TEST(GroupResults, OfManyGroupsAreMadeAtEachVisit) {
  EXPECT_EQ(makes_for_two_visits(GroupResults<std::size_t>::kMostKept + 1), 2);
}

}  // namespace
}  // namespace scalelaw
