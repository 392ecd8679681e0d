#include "scalelaw/render/result_figures.hpp"

#include <gmock/gmock.h>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

using ::testing::HasSubstr;

CurvePoint point(double cost_ratio, const std::optional<Interval>& ci) {
  return {.cost = {},
          .energy_j = {},
          .time_s = {},
          .regret = {},
          .cost_ratio = CurveValue{cost_ratio, ci},
          .energy_ratio = {},
          .time_ratio = {}};
}

StudyRow row_of(BatchSizeRule rule, double eta) {
  StudyRow row;
  row.gpu = "v<100>";
  row.settings.policy.batch_size = rule;
  row.settings.policy.eta = eta;
  CaseSummary summary;
  summary.recurrences = 2;
  summary.seeds = 3;
  summary.curve = {point(1.1, Interval{1, 1.2}), point(0.9, std::nullopt)};
  summary.cost_saving = OverSeeds{.mean = 0.1, .standard_deviation = {}, .ci = {}};
  row.result = summary;
  return row;
}

TEST(ReplayFigure, HasALineACaseWithItsInterval) {
  ReplayStudyReport study;
  study.seeds = {1, 2, 3};
  study.rows = {row_of(BatchSizeRule::kZeus, 0.5), row_of(BatchSizeRule::kGrid, 0.5)};
  const Figure figure = replay_figure(study);
  ASSERT_EQ(figure.panels.size(), 1u);  // Energy, time and oracle are unknown.
  const FigurePanel& panel = figure.panels[0];
  EXPECT_EQ(figure.legend, "policy");
  ASSERT_EQ(panel.series.size(), 2u);
  EXPECT_EQ(panel.series[0].label, "zeus");
  EXPECT_EQ(panel.series[1].label, "grid");
  EXPECT_EQ(panel.series[0].curves[0].y, (std::vector<double>{1.1, 0.9}));
  EXPECT_EQ(panel.series[0].bands[0].lower, (std::vector<double>{1, 0.9}));
  EXPECT_EQ(panel.series[0].bands[0].upper, (std::vector<double>{1.2, 0.9}));
  EXPECT_EQ(panel.references[0].y, (std::vector<double>{1, 1}));
  EXPECT_EQ(panel.series[0].bands[0].label, "95 % interval of the mean");
  EXPECT_NE(panel.series[0].pattern, panel.series[1].pattern);  // Told apart without colour.
  EXPECT_EQ(panel.x.least, 1);                                  // There is no recurrence 0.
  EXPECT_THAT(figure.caption, HasSubstr("10.0 % of the cost saved after 2 recurrences"));
}

TEST(ReplayFigure, LabelsSayInWhatCasesDiffer) {
  ReplayStudyReport study;
  study.rows = {row_of(BatchSizeRule::kZeus, 0.5), row_of(BatchSizeRule::kZeus, 1)};
  EXPECT_EQ(replay_figure(study).panels[0].series[1].label, "eta 1");
  study.rows[1].gpu = "a40";
  EXPECT_EQ(replay_figure(study).panels[0].series[0].label, "v<100>, eta 0.5");
}

TEST(ReplayFigure, DrawsEightCasesAndSaysHowManyMore) {
  ReplayStudyReport study;
  for (int i = 0; i < 10; ++i) study.rows.push_back(row_of(BatchSizeRule::kZeus, 0.1 * i));
  const Figure figure = replay_figure(study);
  EXPECT_EQ(figure.panels[0].series.size(), 8u);
  EXPECT_THAT(figure.caption, HasSubstr("2 more cases are not drawn."));
}

TEST(ReplayFigure, CasesWithoutAResultAreLeftOut) {
  ReplayStudyReport study;
  study.rows = {row_of(BatchSizeRule::kZeus, 0.5), StudyRow{}};
  study.rows[1].result = std::string("no rows");
  EXPECT_EQ(replay_figure(study).panels[0].series.size(), 1u);
  study.rows.erase(study.rows.begin());
  EXPECT_THROW(replay_figure(study), DataError);
}

}  // namespace
}  // namespace scalelaw
