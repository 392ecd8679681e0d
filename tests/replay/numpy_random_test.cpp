#include "scalelaw/replay/random_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "support/places.hpp"

namespace scalelaw {
namespace {

// The literals are from NumPy 1.24.2. tests/replay/oracle/make_numpy_streams.py writes a file for a
// thousand seeds.

TEST(NumpyRandom, RawWordsAreThoseOfDefaultRng) {
  NumpyRandom random(1);
  EXPECT_EQ(random.next64(), 9441442522235856127u);
  EXPECT_EQ(random.next64(), 17532960557476522086u);
  EXPECT_EQ(random.next64(), 2659275481604167885u);
}

TEST(NumpyRandom, IntegersKeepTheHighHalfOfAWord) {
  NumpyRandom random(1);
  std::vector<std::uint32_t> digits(8);
  for (auto& digit : digits) digit = random.below(10);
  EXPECT_THAT(digits, testing::ElementsAre(4, 5, 7, 9, 0, 1, 8, 9));
}

// Words whose product with n ends below 2^32 mod n favour some integers, so that they are drawn
// again (Lemire 2019). Of the halves of the raw words above these are the first, third and last.
TEST(NumpyRandom, IntegersSkipTheWordsThatFavourSome) {
  NumpyRandom random(1);
  EXPECT_EQ(random.below(3'000'000'000), 1535464873u);
  EXPECT_EQ(random.below(3'000'000'000), 2851391088u);
  EXPECT_EQ(random.below(3'000'000'000), 104557657u);
}

TEST(NumpyRandom, OneChoiceTakesNothingFromTheStream) {
  NumpyRandom one(7);
  NumpyRandom other(7);
  EXPECT_EQ(one.below(1), 0u);
  EXPECT_EQ(one.next64(), other.next64());
}

TEST(NumpyRandom, TwoMillionNormalsAgree) {
  NumpyRandom random(3);
  double least = 0;
  double greatest = 0;
  double sum = 0;
  double last = 0;
  for (int i = 0; i < 2000000; ++i) {
    last = random.normal();
    least = std::min(least, last);
    greatest = std::max(greatest, last);
    sum += last;
  }
  EXPECT_NEAR(least, -5.615073074851655, 1e-12);
  EXPECT_NEAR(greatest, 4.9607762233742, 1e-12);
  EXPECT_NEAR(sum, -1743.4338768594537, 1e-8);
  EXPECT_NEAR(last, 1.4682406548835139, 1e-12);
}

TEST(RandomSource, AThousandSeedsAgreeWithNumpy) {
  TableRows rows((source_folder() / "tests/replay/oracle" / "numpy_streams.csv").string());
  int seeds = 0;
  while (rows.next()) {
    const auto source =
        make_random_source(RandomKind::kZeus, std::stoull(rows.fields()[0]), RandomUse::kPaths);
    std::uint64_t hash = 0xcbf29ce484222325u;
    const auto take = [&hash](std::uint32_t value) { hash = (hash ^ value) * 0x100000001b3u; };
    double sum = 0;
    double last = 0;
    for (std::uint32_t i = 0; i < 40; ++i) {
      for (std::uint32_t k = 0; k < 5; ++k) take(source->below(1 + (7 * i + k) % 29));
      for (const std::uint32_t place : source->permutation(2 + i % 14)) take(place);
      for (int k = 0; k < 10; ++k) sum += last = source->normal();
    }
    EXPECT_EQ(hash, std::stoull(rows.fields()[1], nullptr, 16)) << "seed " << rows.fields()[0];
    EXPECT_NEAR(sum, parse_number(rows.fields()[2]).value(), 1e-11);
    EXPECT_NEAR(last, parse_number(rows.fields()[3]).value(), 1e-13);
    ++seeds;
  }
  EXPECT_EQ(seeds, 1000);
}

TEST(RandomSource, OurStreamsDifferByUseAndSeedOnly) {
  const auto draw = [](std::uint64_t seed, RandomUse use) {
    return make_random_source(RandomKind::kScalelaw, seed, use)->uniform();
  };
  EXPECT_EQ(draw(1, RandomUse::kPaths), draw(1, RandomUse::kPaths));
  EXPECT_NE(draw(1, RandomUse::kPaths), draw(1, RandomUse::kPolicy));
  EXPECT_NE(draw(1, RandomUse::kPaths), draw(2, RandomUse::kPaths));
}

}  // namespace
}  // namespace scalelaw
