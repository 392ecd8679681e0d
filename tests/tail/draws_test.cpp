#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tail/tail_parts.hpp"

namespace scalelaw {
namespace {

// With alpha = 1.3 a share of 4096^-0.3 = 8 % lies beyond the values whose shares stand in a table.
TEST(NullDraws, FollowTheLawBeyondTheTableOfShares) {
  const TailSample sample = tail_sample(std::vector<double>(20000, 1));
  const NullDraws draws(sample, true, 0, 1.3);
  RandomStream random(1);
  TailSample drawn;
  draws.draw(random, drawn);
  double beyond = 0;
  double far = 0;
  for (std::size_t i = 0; i < drawn.distinct(); ++i) {
    beyond += drawn.values[i] > 5000 ? drawn.count(i) : 0;
    far += drawn.values[i] > 7000 ? drawn.count(i) : 0;
  }
  EXPECT_GT(beyond, 1000);
  EXPECT_NEAR(far / beyond, std::pow(1.4, -0.3), 0.03);  // (7000 / 5000)^-0.3 = 0.904.
}

}  // namespace
}  // namespace scalelaw
