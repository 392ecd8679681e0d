#include "replay/bandit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace scalelaw {
namespace {

/// Costs, bounds of stopped runs, the relative variance of the prior, and the 5, 50 and 95 %
/// quantiles of the mean from oracle/censored_posterior.py.
struct Known {
  std::vector<double> costs;
  std::vector<double> bounds;
  double relative_variance;
  std::array<double, 3> quantiles;
};

const std::vector<Known> kKnown{
    {{90}, {150, 150, 150}, 0.01, {125.8, 160.3, 237.4}},
    {{90}, {180, 180, 180, 180, 180}, 0.0025, {168.8, 219.1, 354.6}},
    {{90, 95, 92}, {180, 180, 180, 180, 180, 180}, 0.0025, {147.4, 190.0, 270.9}},
    {{90, 95, 100, 92, 97, 99, 94, 93, 91, 96},
     std::vector<double>(40, 190),
     0.0025,
     {231.3, 279.6, 365.4}},
    {{90}, {100, 150, 180}, 0.01, {124.1, 165.2, 249.9}}};

/// The observations behind a posterior.
struct Seen {
  explicit Seen(const Known& known) : arm(0) {
    for (const double cost : known.costs) arm.add({cost, true, cost});
    for (const double bound : known.bounds) arm.add({bound, false, bound});
    const double mean = arm.reached().mean;
    prior_squares = kPriorDof * known.relative_variance * mean * mean;
  }
  double draw(CensoredNormal& posterior, RandomSource& random) const {
    return posterior.draw(random, arm.reached(), arm.stopped(), prior_squares).mean;
  }
  Arm arm;
  double prior_squares = 0;
};

void expect_quantiles(const Known& known, const std::vector<double>& draws) {
  constexpr std::array kShares{0.05, 0.5, 0.95};
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    const auto below =
        std::count_if(draws.begin(), draws.end(), [&](double x) { return x < known.quantiles[i]; });
    EXPECT_NEAR(static_cast<double>(below) / static_cast<double>(draws.size()), kShares[i], 0.015)
        << known.bounds.size() << " stopped at " << known.bounds.back();
  }
}

TEST(CensoredNormal, TheFirstDrawIsFromThePosterior) {
  const auto random = make_random_source(RandomKind::kScalelaw, 1, RandomUse::kPolicy);
  for (const Known& known : kKnown) {
    const Seen seen(known);
    std::vector<double> draws;
    for (int i = 0; i < 10000; ++i) {
      CensoredNormal posterior;
      draws.push_back(seen.draw(posterior, *random));
    }
    expect_quantiles(known, draws);
  }
}

TEST(CensoredNormal, DrawsWithoutNewsGoThroughThePosterior) {
  const auto random = make_random_source(RandomKind::kScalelaw, 1, RandomUse::kPolicy);
  for (const Known& known : kKnown) {
    const Seen seen(known);
    CensoredNormal posterior;
    std::vector<double> draws;
    for (int i = 0; i < 10000; ++i) draws.push_back(seen.draw(posterior, *random));
    expect_quantiles(known, draws);
  }
}

TEST(CensoredNormal, AStoppedRunMoreMovesTheDrawAtOnce) {
  const auto random = make_random_source(RandomKind::kScalelaw, 1, RandomUse::kPolicy);
  Known before = kKnown[1];
  before.bounds.pop_back();
  const Seen fewer(before);
  const Seen all(kKnown[1]);
  std::vector<double> draws;
  for (int i = 0; i < 10000; ++i) {
    CensoredNormal posterior;
    fewer.draw(posterior, *random);
    draws.push_back(all.draw(posterior, *random));
  }
  expect_quantiles(kKnown[1], draws);
}

TEST(CensoredNormal, WithoutStoppedRunsTheMeanIsStudents) {
  // Costs 90 and 110 and a prior variance of 0: 4 + 1 degrees of freedom, scale sqrt(200 / 5 / 2) =
  // 4.47. The 95 % quantile of t with 5 degrees of freedom is 2.015 (any table).
  const auto random = make_random_source(RandomKind::kScalelaw, 1, RandomUse::kPolicy);
  const Seen seen({{90, 110}, {}, 0, {}});
  CensoredNormal posterior;
  int below = 0;
  for (int i = 0; i < 10000; ++i) below += seen.draw(posterior, *random) < 109.01 ? 1 : 0;
  EXPECT_NEAR(below / 1e4, 0.95, 0.008);
}

TEST(CensoredNormal, CostsWithoutSpreadAndStoppedRunsBelowThemAreTheirMean) {
  const auto random = make_random_source(RandomKind::kScalelaw, 1, RandomUse::kPolicy);
  const Seen seen({{90, 90}, {80, 90}, 0, {}});
  CensoredNormal posterior;
  EXPECT_EQ(seen.draw(posterior, *random), 90);
}

/// Counts the draws.
class Counting final : public RandomSource {
 public:
  std::uint32_t below(std::uint32_t n) override { return source_->below(n); }
  double uniform() override {
    ++drawn;
    return source_->uniform();
  }
  double normal() override { return source_->normal(); }

  int drawn = 0;

 private:
  std::unique_ptr<RandomSource> source_ =
      make_random_source(RandomKind::kScalelaw, 1, RandomUse::kPolicy);
};

TEST(CensoredNormal, TheEffortDoesNotGrowWithStoppedRuns) {
  const auto drawn_for = [](std::size_t stopped) {
    const Seen seen({{90, 95, 92}, std::vector<double>(stopped, 180), 0.0025, {}});
    EXPECT_EQ(seen.arm.stopped().size(), 1u);
    Counting random;
    CensoredNormal posterior;
    for (int i = 0; i < 100; ++i) seen.draw(posterior, random);
    return random.drawn;
  };
  EXPECT_LT(drawn_for(10'000), 2 * drawn_for(10));
}

}  // namespace
}  // namespace scalelaw
