#include "scalelaw/judge/history.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fit/cells_of.hpp"
#include "judge/history_nights.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

GroupFit fitted(const std::string& group, double last) {
  const std::vector<double> nodes{1, 2, 4, 8, 16};
  const std::vector<double> seconds{100, 52, 27, 14.5, last};
  return {{group}, fit_law(point_cells(nodes, seconds), {})};
}

/// Fits of one group, which were kept on a day of March 2026.
KeptStudy kept(const std::string& label, int day, double last) {
  KeptStudy study{.label = label, .kept_at = "2026-03-0" + std::to_string(day), .time = day};
  study.fits.x = "nodes";
  study.fits.y = "seconds";
  study.fits.by = {"model"};
  study.fits.law = find_law("power");
  study.fits.groups = {fitted("BERT", last)};
  return study;
}

/// Twelve nights, of which the eleventh is slow.
std::vector<HistoryPoint> nights_with_a_slow_one() {
  constexpr double kSlow = 0.3;
  std::vector<HistoryPoint> points;
  for (int i = 0; i < 12; ++i) {
    points.push_back({.label = "main",
                      .kept_at = "night " + std::to_string(i),
                      .time = i,
                      .estimate = (i % 3) * 0.002 + (i == 10 ? kSlow : 0),
                      .se = 0.002,
                      .ci = {},
                      .dof = 20});
  }
  return points;
}

// Of the curve, where it is followed, and else of the parameter.
TEST(NightsOfHistory, ASlowNightStandsApart) {
  History history;
  history.labels = {"main"};
  history.groups = {{.group = {"BERT"}, .label = "main", .points = {}, .change = {}}};
  GroupHistory& group = history.groups[0];
  group.points = nights_with_a_slow_one();
  const std::vector<NightApart> apart = nights_apart(history, {.store = ""});
  ASSERT_EQ(apart.size(), 1U);
  EXPECT_EQ(apart[0].name, "night 10");
  EXPECT_NEAR(apart[0].change, 0.3, 0.005);
  group.curve.points = group.points;
  for (HistoryPoint& point : group.curve.points) point.estimate = 0;
  EXPECT_THAT(nights_apart(history, {.store = ""}), IsEmpty());
}

TEST(FollowStudies, HasOneSeriesPerLabelAndGroup) {
  std::vector<KeptStudy> documents{kept("a", 1, 7.5), kept("b", 2, 7.6), kept("a", 3, 7.7)};
  documents[2].fits.groups.push_back(fitted("VGG", 8));
  const History history = follow_studies(documents, {.store = "kept.db"});
  EXPECT_THAT(history.labels, ElementsAre("a", "b"));
  EXPECT_THAT(history.warnings, IsEmpty());
  ASSERT_EQ(history.groups.size(), 3u);
  EXPECT_EQ(history.groups[0].points.size(), 2u);
  EXPECT_EQ(history.groups[0].points[1].time, 3);
  EXPECT_THAT(history.groups[1].group, ElementsAre("VGG"));
  EXPECT_EQ(history.groups[2].label, "b");
}

/// By hand: the curve of seconds is followed at the middle of 1 and 16, which is 4, and the third
/// night is twice as slow at every scale.
TEST(FollowStudies, FollowsTheCurveAtTheMiddle) {
  std::vector<KeptStudy> documents{kept("a", 1, 7.5), kept("a", 2, 7.6), kept("a", 3, 7.7)};
  const std::vector<double> nodes{1, 2, 4, 8, 16};
  const std::vector<double> slow{200, 104, 54, 29, 15.2};
  documents[2].fits.groups = {{{"BERT"}, fit_law(point_cells(nodes, slow), {})}};
  EXPECT_TRUE(follow_studies(documents, {.store = "kept.db"}).groups.at(0).curve.points.empty());
  const History history = follow_studies(documents, {.store = "kept.db", .with_curve = true});
  const CurveHistory& curve = history.groups.at(0).curve;
  EXPECT_DOUBLE_EQ(curve.x, 4);
  ASSERT_EQ(curve.points.size(), 3u);
  EXPECT_NEAR(curve.points[2].estimate / curve.points[1].estimate, 2, 0.02);
  ASSERT_TRUE(curve.change);
  EXPECT_EQ(curve.change->first_after, 2u);
  EXPECT_NEAR(curve.change->after / curve.change->before, 2, 0.02);
  EXPECT_TRUE(curve.change->p_holm);
}

TEST(FollowStudies, FitsOfTheSameRunsCountOnce) {
  const std::vector<KeptStudy> documents{kept("a", 1, 7.5), kept("a", 2, 7.5), kept("a", 3, 7.6)};
  const History history = follow_studies(documents, {.store = "kept.db"});
  EXPECT_EQ(history.groups.at(0).points.size(), 2u);
  EXPECT_THAT(history.warnings,
              ElementsAre("1 of the kept fits repeats runs of earlier ones, which "
                          "count once: 'a' of 2026-03-02"));
}

TEST(FollowStudies, AGroupThatAloneRepeatsIsNamedAndNoFitCountsAsARepeat) {
  std::vector<KeptStudy> documents{kept("a", 1, 7.5), kept("a", 2, 7.6), kept("a", 3, 7.7)};
  for (KeptStudy& document : documents) document.fits.groups.push_back(fitted("VGG", 8));
  const History history = follow_studies(documents, {.store = "kept.db"});
  EXPECT_EQ(history.groups.at(0).points.size(), 3u);
  EXPECT_EQ(history.groups.at(1).points.size(), 1u);
  EXPECT_THAT(history.warnings,
              ElementsAre("runs of some groups were kept again beside new runs of others; they "
                          "count once: model VGG ('a', 2 fits)"));
}

TEST(FollowStudies, TellsTheLevelOfIntervalsThatAllHaveInCommon) {
  std::vector<KeptStudy> documents{kept("a", 1, 7.5), kept("a", 2, 7.6)};
  EXPECT_EQ(follow_studies(documents, {.store = "kept.db"}).level, 0.95);
  documents[0].fits.confidence = 0.9;
  EXPECT_EQ(follow_studies(documents, {.store = "kept.db"}).level, std::nullopt);
}

TEST(FollowStudies, FitsWithOtherColumnsThanTheNewestAreLeftOut) {
  std::vector<KeptStudy> documents{kept("a", 1, 7.5), kept("a", 2, 7.6)};
  documents[0].fits.y = "joules";
  const History history = follow_studies(documents, {.store = "kept.db"});
  EXPECT_EQ(history.groups.at(0).points.size(), 1u);
  EXPECT_THAT(history.warnings, ElementsAre(HasSubstr("1 of 2 kept fits have other columns")));
}

TEST(FollowStudies, RefusesWhatNoFitHas) {
  const std::vector<KeptStudy> documents{kept("a", 1, 7.5)};
  EXPECT_THAT([&] { follow_studies(documents, {.store = "kept.db", .by = {"queue"}}); },
              ThrowsMessage<DataError>("kept.db: no fits by queue; the newest are by model"));
  EXPECT_THAT([&] { follow_studies(documents, {.store = "kept.db", .parameter = "gamma"}); },
              ThrowsMessage<DataError>(HasSubstr("no parameter 'gamma'; it has: alpha, beta")));
}

/// Fits of as many nights, whose times differ by up to 1 %. One night is 40 % slower, and the last
/// four are 12 % slower.
std::vector<KeptStudy> nights_with_a_slow_one(std::size_t nights, std::size_t slow) {
  const std::vector<double> effects{1, -0.5, 0.3, -1, 0, 0.6, -0.2, 0.9, -0.7, 0.4};
  const std::vector<double> nodes{1, 2, 4, 8, 16};
  std::vector<KeptStudy> documents;
  for (std::size_t night = 0; night < nights; ++night) {
    const double level = night == slow ? 1.4 : night + 4 >= nights ? 1.12 : 1;
    const double effect = effects[night % effects.size()] + 0.01 * static_cast<double>(night);
    const double factor = level * (1 + 0.01 * effect);
    std::vector<double> seconds{100, 52.5, 27, 14.4, 7.6};
    for (double& one : seconds) one *= factor;
    KeptStudy study = kept("nightly", 1, 8);
    study.kept_at = fmt::format("2026-03-{:02}", night + 1);
    study.time = static_cast<std::int64_t>(night);
    study.fits.groups = {{{"BERT"}, fit_law(point_cells(nodes, seconds), {})}};
    documents.push_back(std::move(study));
  }
  return documents;
}

TEST(FollowStudies, OneSlowNightDoesNotHideAChangeOfTheTimes) {
  const auto documents = nights_with_a_slow_one(24, 10);
  const History history = follow_studies(documents, {.store = "kept.db", .with_curve = true});
  ASSERT_EQ(history.nights_apart.size(), 1U);
  EXPECT_EQ(history.nights_apart[0].night, "'nightly' of 2026-03-11");
  EXPECT_EQ(history.nights_apart[0].name, "2026-03-11");
  EXPECT_EQ(history.nights_apart[0].place, 10U);
  EXPECT_NEAR(std::exp(history.nights_apart[0].change), 1.4, 0.03);
  const auto& change = history.groups.at(0).curve.change;
  ASSERT_TRUE(is_shown(change, 0.95));
  EXPECT_TRUE(change->without_apart);
  EXPECT_EQ(change->first_after, 20U);
  EXPECT_NEAR(change->after / change->before, 1.12, 0.01);
}

TEST(FollowStudies, LeavesNamedNightsOut) {
  const auto documents = nights_with_a_slow_one(24, 10);
  const History history = follow_studies(
      documents, {.store = "kept.db", .with_curve = true, .without_nights = {"2026-03-11"}});
  EXPECT_THAT(history.nights_apart, IsEmpty());
  EXPECT_THAT(history.warnings, IsEmpty());
  const GroupHistory& group = history.groups.at(0);
  EXPECT_EQ(group.points.size(), 23U);
  ASSERT_TRUE(is_shown(group.curve.change, 0.95));
  EXPECT_FALSE(group.curve.change->without_apart);
  EXPECT_THAT(
      [&] { follow_studies(documents, {.store = "kept.db", .without_nights = {"2026-04-01"}}); },
      ThrowsMessage<DataError>(
          HasSubstr("kept.db: --without-night 2026-04-01: no fits were kept then")));
}

}  // namespace
}  // namespace scalelaw
