#include "statistics/quantiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

double quantile_by_sorting(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double position = q * (static_cast<double>(values.size()) - 1);
  const auto rank = static_cast<std::size_t>(position);
  const double next = values[std::min(rank + 1, values.size() - 1)];
  return values[rank] + (position - static_cast<double>(rank)) * (next - values[rank]);
}

TEST(QuantilesOf, AgreesWithSortingForAnySizeAndTies) {
  RandomStream stream(5);
  const std::vector<double> probabilities{0.001, 0.025, 0.3, 0.5, 0.6, 0.975, 0.9999};
  for (const std::size_t n : {1u, 2u, 3u, 999u, 1024u, 10000u}) {
    for (const bool tied : {false, true}) {
      std::vector<double> values(n);
      for (double& value : values) value = tied ? std::round(stream.normal()) : stream.normal();
      const std::vector<double> quantiles = quantiles_of(values, probabilities);
      for (std::size_t i = 0; i < probabilities.size(); ++i) {
        EXPECT_NEAR(quantiles[i], quantile_by_sorting(values, probabilities[i]), 1e-12);
      }
    }
  }
}

TEST(QuantilesOf, FindsTheTailOfSortedValuesWhereTheSampleMisleads) {
  std::vector<double> values(10000, 0.0);
  for (std::size_t i = 0; i < 400; ++i) values[i * 25 + 1] = -1.0 - static_cast<double>(i);
  EXPECT_NEAR(quantiles_of(values, std::vector{0.025})[0], quantile_by_sorting(values, 0.025),
              1e-12);
}

TEST(MedianOf, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

}  // namespace
}  // namespace scalelaw
