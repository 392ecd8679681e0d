#include "scalelaw/render/result_figures.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "scalelaw/render/history_report.hpp"

namespace scalelaw {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMarch2 = 1772409600;  // date -u -d 2026-03-02 +%s

HistoryReport report_of(const std::vector<std::string>& labels = {"nightly"}) {
  HistoryReport report;
  report.store = "s.db";
  report.x = "gpus";
  report.y = "seconds";
  report.by = {"model"};
  report.law = "power";
  report.parameter = "beta";
  report.labels = labels;
  return report;
}

/// Four nights; a change happened with the last one.
GroupHistory group_of(const std::string& name, bool changed, const std::string& label = "nightly") {
  GroupHistory group;
  group.group = {name};
  group.label = label;
  for (int night = 0; night < 4; ++night) {
    HistoryPoint& point = group.points.emplace_back();
    point.label = label;
    point.kept_at = fmt::format("2026-03-{:02}T00:00:00Z", 2 + night);
    point.time = kMarch2 + 86400 * night;
    point.estimate = 0.8;
  }
  group.change = ChangePoint{.first_after = 3, .before = 0.8, .after = 0.6};
  group.change->p_holm = changed ? 0.01 : 1;
  return group;
}

std::vector<GroupHistory> groups_of(std::size_t count, const std::set<std::size_t>& changed) {
  std::vector<GroupHistory> groups;
  for (std::size_t i = 1; i <= count; ++i) {
    groups.push_back(group_of("M" + std::to_string(i), changed.contains(i)));
  }
  return groups;
}

TEST(HistoryFigure, DrawsGroupsThatChangedFirst) {
  const Figure figure = history_figure(report_of(), groups_of(5, {2, 4}));
  ASSERT_EQ(figure.panels.size(), 1u);
  std::vector<std::string> labels;
  for (const FigureSeries& series : figure.panels[0].series) labels.push_back(series.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"M2", "M4", "M1", "M3", "M5"}));
  EXPECT_EQ(figure.legend, "model");
  EXPECT_EQ(figure.panels[0].series[0].curves[0].label, "level before or after a change");
  EXPECT_EQ(figure.caption, "2 of 5 groups changed (dashed: levels before and after)");
}

/// The group with its times, of which the last night is 12 % slower.
GroupHistory with_curve(GroupHistory group) {
  group.curve.x = 16;
  group.curve.points = group.points;
  for (HistoryPoint& point : group.curve.points) point.estimate = 100;
  group.curve.points.back().estimate = 112;
  group.curve.change = ChangePoint{.first_after = 3, .before = 100, .after = 112, .change = 12};
  group.curve.change->p_holm = 0.001;
  return group;
}

TEST(HistoryFigure, TimesHaveAPanelBesideTheExponents) {
  HistoryReport report = report_of();
  report.follows_curve = true;
  const Figure figure = history_figure(report, {with_curve(group_of("M1", false))});
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[1].y.label, "seconds at the middle (16 GPUs)");
  EXPECT_EQ(figure.panels[1].series[0].points.y.back(), 112);
  EXPECT_EQ(figure.panels[1].series[0].curves.size(), 2u);
  EXPECT_EQ(figure.caption,
            "1 of 1 groups changed, 0 in beta and 1 in seconds (dashed: levels before and after)");
}

// Nine groups have a panel each: it shows what changed.
TEST(HistoryFigure, ManyGroupsWhoseTimesChangedShowTheirTimes) {
  HistoryReport report = report_of();
  report.follows_curve = true;
  report.level = 0.95;
  std::vector<GroupHistory> groups;
  for (int i = 1; i < 10; ++i)
    groups.push_back(with_curve(group_of("M" + std::to_string(i), i == 1)));
  const Figure figure = history_figure(report, groups);
  ASSERT_EQ(figure.panels.size(), 9u);
  EXPECT_EQ(figure.panels[0].y.label, "seconds at the middle (16 GPUs)");
  EXPECT_EQ(figure.panels[0].series[0].points.y.back(), 112);
  EXPECT_EQ(figure.panels[0].series[0].points.bars, "95 % interval");
  EXPECT_EQ(figure.panels[0].title, "M1");
  EXPECT_THAT(figure.caption, HasSubstr("1 in beta and 9 in seconds"));
  EXPECT_THAT(figure.caption, HasSubstr("; drawn is seconds"));
}

TEST(HistoryFigure, TicksOfALongAxisHaveTheYearAndItsLabelHasNot) {
  auto groups = groups_of(1, {});
  groups[0].points.back().time = kMarch2 + 86400 * 30;
  groups[0].points.back().kept_at = "2026-04-01T00:00:00Z";
  EXPECT_EQ(history_figure(report_of(), groups).panels[0].x.label, "kept at (UTC)");
}

TEST(HistoryFigure, EightGroupsHaveAStyleEach) {
  const Figure figure = history_figure(report_of(), groups_of(8, {8}));
  ASSERT_EQ(figure.panels.size(), 1u);
  std::set<std::size_t> styles;
  for (const FigureSeries& series : figure.panels[0].series) styles.insert(series.style % 8);
  EXPECT_EQ(styles.size(), 8u);
}

TEST(HistoryFigure, MoreHaveAPanelEachAndTheCaptionSaysWhich) {
  const Figure figure = history_figure(report_of(), groups_of(15, {14}));
  ASSERT_EQ(figure.panels.size(), 12u);
  EXPECT_EQ(figure.panels[0].title, "M14");
  EXPECT_EQ(figure.panels[1].title, "M1");
  EXPECT_EQ(figure.panels[11].title, "M11");
  for (const FigurePanel& panel : figure.panels) EXPECT_EQ(panel.series.size(), 1u);
  EXPECT_EQ(figure.caption,
            "1 of 15 groups changed (dashed: levels before and after); those that changed and the "
            "first others are drawn: 12 of 15");
  EXPECT_EQ(history_figure(report_of(), groups_of(13, {})).caption,
            "0 of 13 groups changed; the first are drawn: 12 of 13");
}

TEST(HistoryFigure, ALevelOfOneFitIsADashOfVisibleLength) {
  const Figure figure = history_figure(report_of(), groups_of(1, {1}));
  const auto& curves = figure.panels[0].series[0].curves;
  ASSERT_EQ(curves.size(), 2u);
  // Three days and 5 % on each side; the mark spans 4 % of that around the last night.
  const double length = 3 * 86400 * 1.1;
  EXPECT_NEAR(curves[1].x.back() - curves[1].x.front(), 0.04 * length, 1e-3);
  EXPECT_NEAR((curves[1].x.back() + curves[1].x.front()) / 2, kMarch2 + 3 * 86400, 1e-3);
  EXPECT_EQ(curves[1].y.front(), 0.6);
  EXPECT_FALSE(curves[1].dashed);
  EXPECT_TRUE(curves[0].dashed);
  EXPECT_EQ(curves[0].x.front(), kMarch2);
  EXPECT_EQ(curves[0].x.back(), kMarch2 + 2 * 86400);
  EXPECT_GT(curves[0].x.size(), 50u);  // It is a row of dots in a terminal.
}

TEST(HistoryFigure, TheAxisIsOneOfTimesAndNamesWhatTheyShare) {
  auto groups = groups_of(1, {});
  const Axis nights = history_figure(report_of(), groups).panels[0].x;
  EXPECT_EQ(nights.scale, AxisScale::kTime);
  EXPECT_EQ(nights.label, "kept at, 2026 (UTC)");
  EXPECT_EQ(*nights.least, kMarch2 - 0.05 * 3 * 86400);
  groups[0].points.resize(1);
  groups[0].change.reset();
  const Axis alone = history_figure(report_of(), groups).panels[0].x;
  EXPECT_EQ(alone.label, "kept at, 2026-03-02 (UTC)");
  EXPECT_EQ(*alone.greatest, kMarch2 + 43200);
}

TEST(HistoryFigure, LabelsTellSeriesApartWhereThereAreSeveral) {
  const std::vector<GroupHistory> groups{group_of("M1", false, "a"), group_of("M1", false, "b")};
  const Figure figure = history_figure(report_of({"a", "b"}), groups);
  EXPECT_EQ(figure.title, "M1");
  EXPECT_EQ(figure.panels[0].series[1].label, "'b'");
  EXPECT_THAT(figure.caption, HasSubstr("0 of 2 series changed"));
}

std::string text_of(const HistoryReport& report, const GroupHistory& group,
                    const TableStyle& style) {
  std::string text;
  write_history(report, {group}, style, [&](std::string_view part) { text += part; });
  return text;
}

std::string table_of(const GroupHistory& group) {
  return text_of(report_of(), group, {.format = Format::kTable});
}

TEST(HistoryReport, HasOneRowPerKeptFit) {
  GroupHistory group = group_of("M1", true);
  group.points.erase(group.points.begin() + 1, group.points.end());
  group.points[0].ci = Interval{0.75, std::numeric_limits<double>::infinity()};
  group.change.reset();
  EXPECT_EQ(text_of(report_of(), group, {.format = Format::kCsv}),
            "model,label,kept_at,estimate,se,ci_lower,ci_upper,dof,new_level,p,p_holm,night_sd\n"
            "M1,nightly,2026-03-02T00:00:00Z,0.8,,0.75,,,,,,\n");
  EXPECT_THAT(table_of(group), HasSubstr("0.7500 .. open"));
}

TEST(HistoryReport, TakesChosenColumnsAndTellsGroupColumnsApart) {
  HistoryReport report = report_of();
  report.by = {"label"};
  GroupHistory group = group_of("M1", false);
  group.points.resize(1);
  group.change.reset();
  const auto text = [&](Format format) {
    return text_of(report, group, {.format = format, .columns = {"label", "group_label"}});
  };
  EXPECT_EQ(text(Format::kCsv), "label,group_label\nnightly,M1\n");
  EXPECT_THAT(text(Format::kMarkdown), HasSubstr("group_label"));
}

TEST(HistoryReport, APValueAtTheFloorOfTheDrawsIsOnlyKnownToBeBelow) {
  GroupHistory group = group_of("M1", true);
  group.change->p = 0.0001;
  group.change->p_holm = 0.0002;
  EXPECT_THAT(table_of(group), HasSubstr("(p = 0.00020 after Holm)"));
  group.change->at_floor = true;
  EXPECT_THAT(table_of(group), HasSubstr("(p < 0.0002 after Holm)"));
  group.change->p_holm = 0.0015;
  EXPECT_THAT(table_of(group), HasSubstr("(p < 0.0015 after Holm)"));
  group.change->p_holm = 1.0 / 300;  // It is rounded up: 0.0033 would promise too much.
  EXPECT_THAT(table_of(group), HasSubstr("(p < 0.0034 after Holm)"));
}

TEST(HistoryReport, SaysThatRunsGotSlowerAtTheSameExponent) {
  HistoryReport report = report_of();
  report.follows_curve = true;
  const std::string text =
      text_of(report, with_curve(group_of("M1", false)), {.format = Format::kTable});
  EXPECT_THAT(text, HasSubstr("No change of beta is shown"));
  EXPECT_THAT(text, HasSubstr("The time at the middle (16 GPUs) changed with 'nightly' of"));
  EXPECT_THAT(text, HasSubstr("(+12.0 %)"));
  EXPECT_THAT(text, HasSubstr("new level of seconds"));
}

TEST(HistoryReport, TheLikeliestPlaceHasItsDate) {
  EXPECT_THAT(table_of(group_of("M1", false)),
              HasSubstr("the likeliest place is 'nightly' of 2026-03-05T00:00:00Z: "));
}

}  // namespace
}  // namespace scalelaw
