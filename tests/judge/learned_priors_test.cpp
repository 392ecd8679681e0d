#include "scalelaw/judge/learned_priors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "fit/cells_of.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/predict.hpp"

namespace scalelaw {
namespace {

using Study = std::vector<std::vector<Cell>>;

/// Groups of one run at each of N = 1, 2, 4, 8, with times of that law and log-normal scatter.
Study study_of(std::size_t groups, double scatter,
               const std::function<double(double n, RandomStream&)>& time) {
  RandomStream stream(5, 1);
  Study study;
  for (std::size_t i = 0; i < groups; ++i) {
    std::vector<double> x;
    std::vector<double> y;
    for (const double n : {1.0, 2.0, 4.0, 8.0}) {
      x.push_back(n);
      y.push_back(time(n, stream) * std::exp(scatter * stream.normal()));
    }
    study.push_back(point_cells(x, y));
  }
  return study;
}

double floor_time(double n, RandomStream& /*stream*/) { return 100 * std::pow(n, -0.9) + 5; }

std::optional<LearnedPriors> learned_from(const Study& study, int threads = 1) {
  return learn_priors(
      study.size(), [&](std::size_t i) { return study[i]; }, 1, threads);
}

double width_at(const std::vector<Cell>& cells, const LawPriors& priors, double x) {
  ForecastOptions options;
  options.priors = priors;
  const Prediction at = predict(make_forecast(cells, options), x);
  return std::log(at.pi->upper / at.pi->lower);
}

TEST(LearnPriors, FourGroupsTellNothing) {
  EXPECT_FALSE(learned_from(study_of(4, 0.02, floor_time)));
  EXPECT_TRUE(learned_from(study_of(5, 0.02, floor_time)));
}

TEST(LearnPriors, GroupsThatHaveNothingToTellDoNotCount) {
  Study study = study_of(8, 0.02, floor_time);
  for (std::size_t i = 0; i < 4; ++i) study[i].clear();
  EXPECT_FALSE(learned_from(study));
  study[0] = study[7];
  EXPECT_EQ(learned_from(study)->groups, 5U);
}

TEST(LearnPriors, FindsTheLawTheFloorAndTheScatterThatGroupsShare) {
  const auto learned = learned_from(study_of(40, 0.02, floor_time));
  const LawPriors& all = learned->of_all();
  EXPECT_GT(all.weights[static_cast<std::size_t>(MixedLaw::kFloor)], 0.5);
  EXPECT_NEAR(all.exponent_above_floor.mean, 0.9, 0.03);
  EXPECT_NEAR(std::exp(all.floor.mean), 5.0 / 105, 0.015);
  EXPECT_LT(all.floor.sd, 0.6);
  EXPECT_NEAR(std::sqrt(all.scatter_variance), 0.02, 0.01);
  EXPECT_GE(all.scatter_dof, 3);
}

TEST(LearnPriors, AGroupHasNoPartInItsOwnPriors) {
  Study study = study_of(12, 0.02, floor_time);
  const LawPriors before = learned_from(study)->of(3);
  study[3] = study_of(1, 0.3, [](double n, RandomStream&) { return 1 / n; })[0];
  const LawPriors after = learned_from(study)->of(3);
  EXPECT_EQ(before.weights, after.weights);
  EXPECT_EQ(before.floor.mean, after.floor.mean);
  EXPECT_EQ(before.scatter_variance, after.scatter_variance);
}

TEST(LearnPriors, AreTheSameForAnyNumberOfThreads) {
  const Study study = study_of(30, 0.05, floor_time);
  const auto one = learned_from(study, 1);
  const auto four = learned_from(study, 4);
  for (std::size_t i = 0; i < study.size(); ++i) {
    EXPECT_EQ(one->of(i).weights, four->of(i).weights);
    EXPECT_EQ(one->of(i).coherency.sd, four->of(i).coherency.sd);
  }
}

TEST(LearnPriors, LeaveTheScatterOfRepeatedRunsAside) {
  Study study = study_of(10, 0.05, floor_time);
  for (std::vector<Cell>& cells : study) {
    for (Cell& cell : cells) {
      cell.count = 10;
      cell.ss_log = 9 * 1e-8;  // Runs at one N differ by 0.01 %, their means by 5 % from the curve.
    }
  }
  EXPECT_NEAR(std::sqrt(learned_from(study)->of_all().scatter_variance), 0.05, 0.02);
}

TEST(LearnPriors, DoNotLetOneExactGroupSpeakForTheOthers) {
  Study study = study_of(9, 0.02, floor_time);
  study[4] = study_of(1, 0, floor_time)[0];
  const LawPriors all = learned_from(study)->of_all();
  const double typical = std::sqrt(all.scatter_variance) / std::sqrt(all.scatter_dof);
  EXPECT_GT(typical, 1e-5);
}

TEST(LearnPriors, TellTheShareOfAFloorWhateverTheExponent) {
  const auto flat = [](double n, RandomStream&) { return 100 * std::pow(n, -0.5) + 5; };
  const LawPriors all = learned_from(study_of(40, 0.005, flat))->of_all();
  EXPECT_NEAR(std::exp(all.floor.mean), 5.0 / 100, 0.03);
}

TEST(LearnPriors, OfGroupsThatTellNothingAreThoseOfAllOthers) {
  Study study = study_of(8, 0.02, floor_time);
  study[2].clear();
  const auto learned = learned_from(study);
  EXPECT_EQ(&learned->of(2), &learned->of_all());
}

TEST(MakeForecast, IsSurerWhereOtherGroupsAreAlike) {
  const Study study = study_of(30, 0.02, floor_time);
  const auto learned = learned_from(study);
  double pooled = 0;
  double alone = 0;
  for (std::size_t i = 0; i < study.size(); ++i) {
    pooled += width_at(study[i], learned->of(i), 32);
    alone += width_at(study[i], {}, 32);
  }
  EXPECT_LT(pooled, 0.7 * alone);
}

TEST(MakeForecast, TakesThePriorsOfItsGroup) {
  const Study study = study_of(6, 0.02, floor_time);
  ForecastOptions options;
  options.learned = std::make_shared<const LearnedPriors>(*learned_from(study));
  EXPECT_EQ(options.of_group(2).priors.floor.mean, options.learned->of(2).floor.mean);
  options.learned = nullptr;
  EXPECT_EQ(options.of_group(2).priors.floor.mean, LawPriors{}.floor.mean);
}

}  // namespace
}  // namespace scalelaw
